"""What is made lightly does what the standard library's does."""

from __future__ import annotations

import copy
import dataclasses
import enum
import pickle
from typing import Any

import pytest

from dif import light


def _classes(dataclass: Any, field: Any) -> tuple[Any, Any, Any]:
    @dataclass(slots=True)
    class Base:
        a: int
        b: list[int] = field(default_factory=list)

    @dataclass(slots=True)
    class Derived(Base):
        c: str = "c"

        def __post_init__(self) -> None:
            self.a += 1

    @dataclass(frozen=True)
    class Frozen:
        x: int
        y: int = 2

        def sum(self) -> int:
            return self.x + self.y

    return Base, Derived, Frozen


LIGHT = _classes(light.dataclass, light.field)
HEAVY = _classes(dataclasses.dataclass, dataclasses.field)


@pytest.mark.parametrize(("number", "values", "named"), [
    (0, (1,), {}), (0, (1, [2]), {}), (0, (), {"a": 5, "b": [6]}), (1, (1,), {}), (1, (1, [], "d"), {}),
    (1, (1,), {"c": "e"}), (2, (1,), {}), (2, (1,), {"y": 3})])
def test_objects_are_made_as_dataclasses_makes_them(number: int, values: tuple[Any, ...],
                                                    named: dict[str, Any]) -> None:
    ours, theirs = LIGHT[number](*values, **named), HEAVY[number](*values, **named)
    assert {name: getattr(ours, name) for name in type(ours).__match_args__} == dataclasses.asdict(theirs)
    assert repr(ours) == repr(theirs)
    assert ours == LIGHT[number](*values, **named) and ours != theirs
    assert hasattr(ours, "__dict__") == hasattr(theirs, "__dict__")


@pytest.mark.parametrize(("number", "values", "named"), [(0, (), {}), (0, (1, 2, 3), {}), (0, (1,), {"z": 1}),
                                                         (2, (1,), {"x": 1})])
def test_wrong_arguments(number: int, values: tuple[Any, ...], named: dict[str, Any]) -> None:
    for classes in (LIGHT, HEAVY):
        with pytest.raises(TypeError):
            classes[number](*values, **named)


def test_defaults_are_made_anew() -> None:
    first, second = LIGHT[0](1), LIGHT[0](1)
    first.b.append(1)
    assert second.b == []


def test_hashes() -> None:
    assert len({LIGHT[2](1), LIGHT[2](1), LIGHT[2](2)}) == 2
    with pytest.raises(TypeError):
        hash(LIGHT[0](1))


def test_replace() -> None:
    assert light.replace(LIGHT[2](1), y=9) == LIGHT[2](1, 9)
    with pytest.raises(TypeError):
        light.replace(LIGHT[2](1), z=9)


class Number(light.IntEnum):
    ONE = 1
    TWO = 2
    DEUX = 2


class Word(light.Enum):
    A = "a"
    B = "b"

    def doubled(self) -> str:
        return str(self.value) * 2


class TheirNumber(enum.IntEnum):
    ONE = 1
    TWO = 2
    DEUX = 2


def test_enumerations() -> None:
    assert [(each.name, each.value, int(each)) for each in Number] == \
        [(each.name, each.value, int(each)) for each in TheirNumber]
    assert list(Number.__members__) == list(TheirNumber.__members__)
    assert Number(2) is Number.TWO is Number.DEUX is Number["DEUX"]
    assert f"{Number.TWO}" == f"{TheirNumber.TWO}" and str(Number.TWO) == str(TheirNumber.TWO)
    assert repr(Number.TWO) == "<Number.TWO: 2>"
    assert len(Number) == 2 and Number.ONE in Number
    assert Word("a").doubled() == "aa" and Word.A is not Word.B and {Word.A: 1}[Word.A] == 1
    for wrong in (lambda: Number(3), lambda: Word("c")):
        with pytest.raises(ValueError):
            wrong()
    with pytest.raises(KeyError):
        Number["THREE"]
    assert copy.deepcopy(Word.A) is Word.A and pickle.loads(pickle.dumps(Number.ONE)) is Number.ONE


class Pair(light.NamedTuple):
    """A pair."""

    first: int
    second: str = "two"

    def both(self) -> str:
        return f"{self.first}{self.second}"


def test_named_tuples() -> None:
    pair = Pair(1)
    assert pair == (1, "two") and pair.both() == "1two" and Pair(second="b", first=2) == (2, "b")
    assert repr(pair) == "Pair(first=1, second='two')"
    assert pair._replace(first=5) == (5, "two") and pair._asdict() == {"first": 1, "second": "two"}
    assert Pair._make([3, "c"]) == (3, "c") and pickle.loads(pickle.dumps(pair)) == pair
    match pair:
        case Pair(first, second):
            assert (first, second) == (1, "two")
    for wrong in (lambda: Pair(), lambda: Pair(1, "b", 3), lambda: Pair._make([1])):
        with pytest.raises(TypeError):
            wrong()
    with pytest.raises(ValueError):
        pair._replace(third=1)
    with pytest.raises(AttributeError):
        pair.first = 2  # type: ignore[misc]
