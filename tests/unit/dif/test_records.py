"""What dif.records makes behaves as the standard library's data classes and named tuples do."""

from __future__ import annotations

import collections
import copy
import dataclasses
import importlib.util
import os
import pickle
import subprocess
import sys
import types
import typing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dif import records


def _load(standard: str) -> Any:
    """Load dif.records as DTRACE_STANDARD_CLASSES=`standard` has it, whatever this run's setting is."""
    spec = importlib.util.spec_from_file_location(f"records_{standard}", records.__file__ or "")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DTRACE_STANDARD_CLASSES", standard)
        spec.loader.exec_module(module)
    return module


OURS, STANDARD = _load(""), _load("1")
UNHURRIED = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])

# -- records ---------------------------------------------------------------------------------------------


class Shape(typing.NamedTuple):
    """A class to be made both ways: its fields with their defaults, and its options."""

    fields: list[tuple[str, object]]
    frozen: bool = False
    eq: bool = False


REQUIRED, FACTORY, MUTABLE = object(), object(), object()
_NAMES = "abcdefghijkl"


@st.composite
def shapes(draw: st.DrawFn, *, orderly: bool = False, plain: bool = False) -> Shape:
    """`orderly` asks for fields that may be defined so, `plain` for values as defaults only."""
    names = draw(st.lists(st.sampled_from(_NAMES), unique=True, max_size=12))
    kinds: list[Any] = [st.just(REQUIRED), st.integers()]
    if not plain:
        kinds += [st.just(FACTORY)] if orderly else [st.just(FACTORY), st.just(MUTABLE)]
    defaults = draw(st.lists(st.one_of(kinds), min_size=len(names), max_size=len(names)))
    if orderly:
        defaults.sort(key=lambda default: default is not REQUIRED)
    return Shape(list(zip(names, defaults, strict=True)), draw(st.booleans()), draw(st.booleans()))


def _body(shape: Shape, field: Any) -> dict[str, Any]:
    body: dict[str, Any] = {"__annotations__": {name: "object" for name, _ in shape.fields},
                            "__qualname__": "Here.Made", "__module__": __name__}
    for name, default in shape.fields:
        if default is FACTORY:
            body[name] = field(default_factory=list)
        elif default is MUTABLE:
            body[name] = []
        elif default is not REQUIRED:
            body[name] = default
    return body


def with_records(module: Any, shape: Shape, base: Any = None) -> Any:
    return types.new_class("Made", (base or module.Record,), {"frozen": shape.frozen, "eq": shape.eq},
                           lambda body: body.update(_body(shape, module.field)))


def with_dataclasses(shape: Shape, base: Any = object) -> Any:
    cls = type("Made", (base,), _body(shape, dataclasses.field))
    return dataclasses.dataclass(slots=True, frozen=shape.frozen, eq=shape.eq or shape.frozen)(cls)


def outcome(act: Any, *, words: bool = True) -> Any:
    """What `act` returns, or the error that it raises."""
    try:
        return act()
    except (AttributeError, TypeError, ValueError) as error:
        kind = "AttributeError" if isinstance(error, AttributeError) else type(error).__name__
        return (kind, str(error)) if words else ("refused",)


def made_by_all(shape: Shape, derived: Shape | None = None) -> list[Any]:
    """Classes of one shape, of each way to make them; errors in place of those that cannot be."""
    found = []
    for make in (lambda *way: with_records(OURS, *way), lambda *way: with_records(STANDARD, *way),
                 with_dataclasses):
        def attempt(make: Any = make) -> Any:
            return make(derived, make(shape)) if derived else make(shape)
        found.append(outcome(attempt, words=False))
    return found


@UNHURRIED
@given(shapes(), st.none() | shapes())
def test_classes_are_accepted_and_refused_alike(shape: Shape, derived: Shape | None) -> None:
    results = made_by_all(shape, derived)
    errors = [result if isinstance(result, tuple) else None for result in results]
    assert errors[0] == errors[1] == errors[2]
    if errors[0] is None:
        assert len({result.__match_args__ for result in results}) == 1
        assert len({result.__slots__ for result in results}) == 1


VALUES = st.lists(st.integers(), max_size=13)
NAMED = st.dictionaries(st.sampled_from(_NAMES + "z"), st.integers(), max_size=6)


@UNHURRIED
@given(shapes(orderly=True), VALUES, NAMED)
def test_objects_are_made_and_shown_alike(shape: Shape, values: list[int], named: dict[str, int]) -> None:
    for _ in "twice":  # the first object of a class may have its constructor made
        ours, standard, theirs = (outcome(lambda cls=cls: repr(cls(*values, **named)))
                                  for cls in made_by_all(shape))
        assert ours == standard == theirs


@UNHURRIED
@given(shapes(orderly=True), st.data())
def test_objects_compare_change_and_copy_alike(shape: Shape, data: st.DataObject) -> None:
    count = len(shape.fields)
    values = data.draw(st.lists(st.integers(0, 1), min_size=count, max_size=count))
    others = data.draw(st.lists(st.integers(0, 1), min_size=count, max_size=count))
    name = data.draw(st.sampled_from(_NAMES + "z"))
    field = data.draw(st.sampled_from([name for name, _ in shape.fields] or ["none"]))

    def seen(cls: Any, replace: Any) -> list[Any]:
        first, second = cls(*values), cls(*others)
        changed = cls(*values)
        return [
            first == second, first != second, first == cls(*values), first == tuple(values),
            outcome(lambda: isinstance(hash(first), int)),
            outcome(lambda: hash(first) == hash(cls(*values))),
            repr(copy.copy(first)), repr(copy.deepcopy(first)), copy.copy(first) == first,
            outcome(lambda: repr(replace(first, **{name: 9}))), repr(first),
            count and outcome(lambda: setattr(changed, field, 7)), repr(changed),
            count and outcome(lambda: delattr(changed, field)),
            hasattr(first, "__dict__")]

    ours, standard, theirs = made_by_all(shape)
    assert seen(ours, OURS.replace) == seen(standard, STANDARD.replace) == seen(theirs, dataclasses.replace)


@UNHURRIED
@given(shapes(orderly=True), shapes(orderly=True))
def test_inherited_fields(shape: Shape, derived: Shape) -> None:
    ours, standard, theirs = made_by_all(shape, derived)
    assert isinstance(ours, tuple) == isinstance(theirs, tuple)
    if not isinstance(theirs, tuple):
        count = len(theirs.__match_args__)
        assert repr(ours(*range(count))) == repr(standard(*range(count))) == repr(theirs(*range(count)))


@pytest.mark.parametrize("module", [OURS, STANDARD])
def test_what_a_class_says_itself_stands(module: Any) -> None:
    def say(body: dict[str, Any]) -> None:
        body.update(__annotations__={"a": "int", "shared": "ClassVar[int]"}, __module__="typing", shared=5,
                    __repr__=lambda self: "mine", __eq__=lambda self, other: True,
                    double=lambda self: self.a * 2)

    made = types.new_class("Made", (module.Record,), {"eq": True}, say)
    assert repr(made(1)) == "mine" and made(1) == 2 and made(3).double() == 6 and made.shared == 5
    assert made.__match_args__ == ("a",)


@pytest.mark.parametrize("module", [OURS, STANDARD])
def test_a_record_that_holds_itself_is_shown(module: Any) -> None:
    made = with_records(module, Shape([("a", REQUIRED)]))(None)
    made.a = made
    assert repr(made) == "Here.Made(a=...)"


@pytest.mark.parametrize("module", [OURS, STANDARD])
def test_defaults_are_made_anew(module: Any) -> None:
    made = with_records(module, Shape([("a", FACTORY)]))
    made().a.append(1)
    assert made().a == []


@pytest.mark.parametrize("module", [OURS, STANDARD])
def test_only_records_are_replaced(module: Any) -> None:
    with pytest.raises(TypeError):
        module.replace(Pair(1), first=2)


class Frozen(records.Record, frozen=True):
    """A record that can be found by its name, as pickle needs it."""

    a: int


def test_frozen_records_are_pickled() -> None:
    assert pickle.loads(pickle.dumps(Frozen(1))) == Frozen(1)


# -- named tuples ----------------------------------------------------------------------------------------


class Pair(records.NamedTuple):
    """A pair."""

    first: int
    second: str = "two"

    def both(self) -> str:
        return f"{self.first}{self.second}"


def named_tuple(module: Any, shape: Shape) -> Any:
    return types.new_class("Made", (module.NamedTuple,), {},
                           lambda body: body.update(_body(shape, dataclasses.field)))


@UNHURRIED
@given(shapes(plain=True), VALUES, NAMED)
def test_named_tuples_are_alike(shape: Shape, values: list[int], named: dict[str, int]) -> None:
    def seen(module: Any) -> Any:
        cls = outcome(lambda: named_tuple(module, shape), words=False)
        if isinstance(cls, tuple):
            return cls
        one = outcome(lambda: cls(*values, **named))
        whole = cls._make(range(len(shape.fields)))
        return [one, repr(one), cls._fields, cls._field_defaults, cls.__match_args__,
                repr(whole), whole._asdict(), hash(whole) == hash(tuple(whole)),
                [getattr(whole, name) for name in cls._fields],
                outcome(lambda: cls._make(values), words=False), copy.deepcopy(whole) == whole,
                hasattr(whole, "__dict__"), outcome(lambda: setattr(whole, "a", 1), words=False)]

    assert seen(OURS) == seen(STANDARD)


@UNHURRIED
@given(shapes(orderly=True, plain=True), NAMED)
def test_replacing_in_named_tuples(shape: Shape, named: dict[str, int]) -> None:
    def seen(module: Any) -> Any:
        whole = named_tuple(module, shape)._make(range(len(shape.fields)))
        try:
            return repr(whole._replace(**named))
        except (TypeError, ValueError):  # which one is raised depends on the version of Python
            return "refused"

    assert seen(OURS) == seen(STANDARD)


@pytest.mark.parametrize("module", [OURS, STANDARD])
def test_names_of_items(module: Any) -> None:
    with pytest.raises(ValueError, match="underscore"):
        named_tuple(module, Shape([("_a", REQUIRED)]))


def test_a_named_tuple_has_methods_and_is_pickled() -> None:
    pair = Pair(1)
    assert pair == (1, "two") and pair.both() == "1two" and pickle.loads(pickle.dumps(pair)) == pair
    match pair:
        case Pair(first, second):
            assert (first, second) == (1, "two")
    assert isinstance(Pair.first, type(collections.namedtuple("Theirs", "first").first))  # type: ignore[misc]


# -- the classes of the product --------------------------------------------------------------------------

PRODUCT = Path(records.__file__ or "").parents[1]
# Prints a line for each class that is made by dif.records: its fields, how objects of it are made, shown,
# compared, hashed, changed and pickled.  Fields hold numbers here, so own methods may fail, as they may.
EVERY_CLASS = """
import copy, importlib, pathlib, pickle, re, sys
from dif.records import Record

def outcome(act):
    try:
        return re.sub(" at 0x[0-9a-f]+", "", str(act()))
    except Exception as error:
        return type(error).__mro__[-4].__name__  # a FrozenInstanceError is an AttributeError

def change(made, name):
    setattr(made, name, 7)
    return getattr(made, name)

def told(cls):
    fields = cls.__match_args__
    yield fields, [outcome(lambda: cls(*range(count))) for count in range(len(fields) + 2)]
    yield outcome(lambda: cls(**dict.fromkeys(fields, 1)))
    make = lambda: cls(*range(len(fields)))
    yield [outcome(act) for act in (
        lambda: make() == make(), lambda: make() == tuple(range(len(fields))),
        lambda: hash(make()) == hash(make()), lambda: pickle.loads(pickle.dumps(make())),
        lambda: copy.copy(make()), lambda: change(make(), fields[0]))]

package = pathlib.Path(sys.argv[1])
for top in ("dif", "dof", "dc", "runtime"):
    for path in sorted((package / top).rglob("*.py")):
        name = ".".join(path.relative_to(package).with_suffix("").parts).removesuffix(".__init__")
        if path.stem == "__main__":
            continue
        for cls in list(vars(importlib.import_module(name)).values()):
            if isinstance(cls, type) and cls.__module__ == name and hasattr(cls, "__match_args__") \\
               and issubclass(cls, (Record, tuple)):
                print(name, cls.__qualname__, *told(cls), sep=" | ")
"""


def test_every_class_of_the_product_is_as_the_standard_librarys() -> None:
    ours, standard = (subprocess.run(
        [sys.executable, "-c", EVERY_CLASS, str(PRODUCT)], capture_output=True, text=True, check=True,
        cwd=PRODUCT, env={**os.environ, "DTRACE_STANDARD_CLASSES": way}).stdout.splitlines()
        for way in ("", "1"))
    assert len(ours) > 300
    assert ours == standard


def test_a_script_is_compiled_alike(tmp_path: Path) -> None:
    script = PRODUCT / "tests" / "demo" / "trace.d"
    for name, way in (("ours", ""), ("standard", "1")):
        code = "from dc.command import main; main()"
        subprocess.run([sys.executable, "-c", code, "-o", tmp_path / name, script], check=True,
                       cwd=PRODUCT, env={**os.environ, "DTRACE_STANDARD_CLASSES": way})
    assert (tmp_path / "ours").read_bytes() == (tmp_path / "standard").read_bytes()
