"""From the descriptions of a clause's records to what each firing of it shows: every kind of record."""

from __future__ import annotations

import struct

import pytest

from dof.model import LIBACT_BASE, LibAct
from dof.model import ActionKind as A
from runtime.border import EprobeDesc, RecDesc
from runtime.consumer.decoding import Planner
from runtime.consumer.events import records as r
from runtime.consumer.events.errors import AnswerError

FORMATS = {1: b"%d %d\n", 2: b"struct x", 3: b"%@d\n", 4: b"plain\n", 5: b"%"}
WORDS = (5, -2, 7, 1 << 40)  # of 8 bytes, behind a head of 16
DATA = b"in front" + bytes(16) + struct.pack("<4q", *WORDS)
TARGETS = ("illumos", "freebsd")


def record(action: int, place: int = 0, size: int = 8, format: int = 0, arg: int = 0,
           uarg: int = 0) -> RecDesc:
    """A record at one of the words."""
    return RecDesc(action, size, 16 + 8 * place, 8, format, arg, uarg)


def library(kind: int, *places: int, target: str = "illumos", size: int = 8) -> list[RecDesc]:
    return [record(A.LIBACT, place, size, arg=LIBACT_BASE[target] + kind) for place in places]


def shown(records: list[RecDesc], target: str = "illumos") -> list[object]:
    """What a firing shows whose records begin behind eight bytes."""
    steps = Planner(FORMATS.__getitem__, target).plan(EprobeDesc(1, 2, 0, 48, tuple(records)))
    return [step(DATA, 8) for step in steps]


def word(place: int, size: int = 8) -> bytes:
    return DATA[24 + 8 * place:24 + 8 * place + size]


EXPR, NOTHING = record(A.DIFEXPR), record(A.DIFEXPR, 1, 0)
TYPED, STACK, SYM = record(A.DIFEXPR, 1, 16, 2), record(A.STACK, 0, 16), record(A.USYM, 1, 16)
MEMORY, SIZED = record(A.TRACEMEM, 1, 4), record(A.TRACEMEM_DYNSIZE, 0)
BYTES, PRINTM = record(A.TRACEMEM_DYNSIZE, 1, 24), record(A.PRINTM, 0, 32)


@pytest.mark.parametrize(("records", "found"), [
    ([], []), ([NOTHING], []), ([EXPR, NOTHING], [r.Traced(EXPR, word(0))]),
    ([TYPED], [r.Typed(TYPED, word(1, 16), "struct x")]), ([STACK], [r.Stack(STACK, word(0, 16))]),
    ([SYM, EXPR], [r.Address(SYM, word(1, 16)), r.Traced(EXPR, word(0))]),
    ([record(A.EXIT, 1, 4)], [r.Exit(-2)]), ([MEMORY], [r.Memory(MEMORY, word(1, 4))]),
    ([SIZED, BYTES], [r.Memory(BYTES, word(1, 5))]), ([SIZED, MEMORY], [r.Memory(MEMORY, word(1, 4))]),
    ([SIZED], [r.Traced(SIZED, word(0))]),
    ([BYTES, EXPR], [r.Traced(BYTES, word(1, 24)), r.Traced(EXPR, word(0))]),
    ([PRINTM], [r.Memory(PRINTM, word(1, 5))]),
    ([record(A.PRINTM, 2, 12)], [r.Memory(record(A.PRINTM, 2, 12), word(3, 4))]),
    ([record(A.PRINTA, 0, uarg=1)], [r.PrintAggregations((5,), None)]),
    ([record(A.PRINTA, 0, 8, 3, 0, 1), record(A.PRINTA, 2, 8, 3, 0, 1), EXPR],
     [r.PrintAggregations((5, 7), b"%@d\n"), r.Traced(EXPR, word(0))]),
    ([record(A.PRINTA, 0, 8, 3, 0, 1), record(A.PRINTA, 2, 8, 3, 0, 2), record(A.PRINTA, 2, 8, 0, 0, 2)],
     [r.PrintAggregations((5,), b"%@d\n"), r.PrintAggregations((7,), b"%@d\n"),
      r.PrintAggregations((7,), None)])])
def test_records(records: list[RecDesc], found: list[object]) -> None:
    assert shown(records) == found


@pytest.mark.parametrize("target", TARGETS)
def test_actions_of_the_library(target: str) -> None:
    """By the numbers of either kernel; those of the other, and what there is not, are nothing."""
    for kind, places, found in (
            (LibAct.CLEAR, (2,), r.Clear(7)), (LibAct.DENORMALIZE, (0,), r.Normalize(5, 1)),
            (LibAct.FTRUNCATE, (0,), r.TruncateFile()), (LibAct.NORMALIZE, (0, 2), r.Normalize(5, 7)),
            (LibAct.TRUNC, (0, 1), r.Truncate(5, -2)), (99, (0,), None)):
        records = [*library(kind, *places, target=target), EXPR]
        assert shown(records, target) == [*([found] if found else []), r.Traced(EXPR, word(0))]
        other = TARGETS[target == TARGETS[0]]
        if kind == LibAct.CLEAR:
            assert shown(records[:1], other) == []


@pytest.mark.parametrize(("kind", "name"), [(LibAct.NORMALIZE, "normalize"), (LibAct.TRUNC, "trunc"),
                                            (LibAct.SETOPT, "setopt")])
def test_a_second_record_that_is_not_there(kind: int, name: str) -> None:
    for second in ([], [EXPR], library(LibAct.CLEAR, 1), [record(A.EXIT, arg=LIBACT_BASE["illumos"] + kind)]):
        with pytest.raises(AnswerError, match=rf"^{name}\(\) has no second record$"):
            shown([*library(kind, 0), *second])


@pytest.mark.parametrize(("size", "value"), [(16, "yes"), (9, "y"), (8, "1")])
def test_options_that_programs_set(size: int, value: str) -> None:
    """Without a value, for which there is a number of 8 bytes, they are switched on."""
    steps = Planner(FORMATS.__getitem__).plan(EprobeDesc(1, 2, 0, 48, (
        *library(LibAct.SETOPT, 0), *library(LibAct.SETOPT, 1, size=size))))
    data = bytes(16) + b"quiet\0xx" + b"yes\0".ljust(16, b"z")[:16 if size > 9 else 1] + bytes(8)
    assert [step(data, 0) for step in steps] == [r.SetOption("quiet", value)]


def test_formats() -> None:
    """A printf() takes as many records as its format has conversions, and one without any a single one."""
    first, second = record(A.PRINTF, 0, 8, 1), record(A.PRINTF, 1)
    printed, after = shown([first, second, EXPR])
    assert isinstance(printed, r.Formatted) and (printed.action, printed.base) == (A.PRINTF, 8)
    assert [argument for argument, _ in printed.bound.arguments] == [first, second]
    assert after == r.Traced(EXPR, word(0))
    plain, after = shown([record(A.SYSTEM, 0, 0, 4), EXPR])
    assert isinstance(plain, r.Formatted) and plain.bound.template and after == r.Traced(EXPR, word(0))
    assert shown([record(A.PRINTF, 0)]) == [r.Traced(record(A.PRINTF, 0), word(0))]  # it has no format
    with pytest.raises(AnswerError):
        shown([record(A.PRINTF, 0, 8, 5)])


def test_what_is_nothing_but_values() -> None:
    planner = Planner(FORMATS.__getitem__)

    def values(*records: RecDesc) -> object:
        found = planner.shown(EprobeDesc(1, 2, 0, 48, records))
        return found if found is None else [each if isinstance(each, RecDesc) else "format" for each in found]

    printf = [record(A.PRINTF, 0, 8, 1), record(A.PRINTF, 1)]
    assert values() == [] and values(EXPR, STACK, SYM) == [EXPR, STACK, SYM]
    assert values(*printf, EXPR) == ["format", EXPR]
    assert values(record(A.PRINTF, 0, 0, 4), EXPR) == ["format", EXPR]
    for other in (TYPED, MEMORY, record(A.EXIT, 0, 4), record(A.PRINTF), *library(LibAct.CLEAR, 0),
                  record(A.STACK, 0, 8, 1)):
        assert values(EXPR, other) is None
    assert planner.acts(EprobeDesc(1, 2, 0, 48, (EXPR, *library(LibAct.CLEAR, 0))))
    assert not planner.acts(EprobeDesc(1, 2, 0, 48, (EXPR, TYPED)))
