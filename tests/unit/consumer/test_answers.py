"""What a consumer believes of a kernel: on either side of each bound."""

from __future__ import annotations

import errno
from typing import Any

import pytest
from fakes import rec

from dof.model import ActionKind as A
from runtime.border import (
    AggDesc,
    ArgDesc,
    BorderError,
    BufDesc,
    Command,
    EprobeDesc,
    ProbeDescription,
    ProviderDesc,
    RecDesc,
    Status,
)
from runtime.consumer.events.answers import Answers
from runtime.consumer.events.errors import AnswerError


class Device:
    """Gives one answer, or one error."""

    def __init__(self, answer: bytes | BorderError) -> None:
        self.answer = answer
        self.asked: list[tuple[Command, bytes]] = []

    def ioctl(self, command: Command, payload: bytes = b"") -> bytes:
        self.asked.append((command, payload))
        if isinstance(self.answer, BorderError):
            raise self.answer
        return self.answer

    def close(self) -> None:
        """There is nothing to close."""


def answers(answer: bytes | BorderError, ncpus: int = 2) -> Answers:
    return Answers(Device(answer), ncpus)


def believed(made: Any, *arguments: Any) -> bool:
    """Whether an answer is taken."""
    try:
        made(*arguments)
    except AnswerError:
        return False
    return True


def test_probes() -> None:
    one = ProbeDescription(7, "p", "m", "f", "n").pack()
    found = answers(one * 2).probes(Command.PROBES, ProbeDescription(0, "", "", "", ""))
    assert [*found] == [found[0], found[1]] == [ProbeDescription(7, "p", "m", "f", "n")] * 2
    assert len(answers(b"").probes(Command.PROBES, ProbeDescription(0, "", "", "", ""))) == 0
    assert not believed(answers(one + b"\0").probes, Command.PROBES, ProbeDescription(0, "", "", "", ""))
    assert not believed(answers(one[:4] + b"x" * (len(one) - 4)).probes, Command.PROBES,
                        ProbeDescription(0, "", "", "", ""))


def test_arguments() -> None:
    assert answers(ArgDesc(7, 1, 2, "int", "x").pack()).argument(7, 1) == ArgDesc(7, 1, 2, "int", "x")
    assert answers(ArgDesc(7, 1, 0, "int").pack()).argument(7, 1) is not None
    assert answers(ArgDesc(0, -1).pack()).argument(7, 1) is None
    for wrong in (ArgDesc(8, 1), ArgDesc(7, 2), ArgDesc(7, 0), ArgDesc(7, 1, -1)):
        assert not believed(answers(wrong.pack()).argument, 7, 1), wrong
    assert not believed(answers(ArgDesc(7, 1).pack()[:-1]).argument, 7, 1)


@pytest.mark.parametrize(("triple", "good"), [((7, 7, 5), True), ((0, 0, 0), True), ((8, 0, 0), False),
                                              ((0, 8, 0), False), ((0, 0, 6), False)])
def test_stabilities(triple: tuple[int, int, int], good: bool) -> None:
    for place in range(5):
        attributes: Any = tuple(triple if each == place else (1, 1, 1) for each in range(5))
        assert believed(answers(ProviderDesc("p", attributes).pack()).provider, "p") is good


def test_processors() -> None:
    for number, good in ((0, True), (1, True), (2, False), (-1, False)):
        data = number.to_bytes(4, "little", signed=True)
        assert believed(answers(data).begin) is believed(answers(data).end) is good
    assert not believed(answers(b"").begin)


def test_counts_only_grow() -> None:
    low, high = Status.unpack(bytes(len(Status().pack()))), Status.unpack(bytes(len(Status().pack())))
    for place, name in enumerate(Status._fields):
        more = high._replace(**{name: type(low[place])(1)})
        device = Device(more.pack())
        asked = Answers(device, 2)
        assert asked.status() == more
        assert asked.status() == more
        device.answer = low.pack()
        counted = place < 6 or 8 <= place < 10
        assert believed(asked.status) is not counted, name


def test_snapshots() -> None:
    def snapshot(data: bytes, **fields: int) -> Any:
        return answers(BufDesc(**{"size": len(data), **fields}).pack() + data)
    for good, made in ((True, snapshot(b"")), (True, snapshot(b"1234", oldest=4)), (True, snapshot(b"1234")),
                       (False, snapshot(b"1234", oldest=5)), (False, snapshot(b"1234", size=3)),
                       (False, snapshot(b"1234", size=5)), (False, answers(b"1234"))):
        assert believed(made.snapshot, Command.BUFSNAP, 0) is good
    assert answers(BorderError(errno.ENOENT, "none")).snapshot(Command.AGGSNAP, 1) is None
    with pytest.raises(BorderError):
        answers(BorderError(errno.EINVAL, "bad")).snapshot(Command.AGGSNAP, 1)


# action, bytes, argument; whether such a record may be
RECORDS = [
    (A.DIFEXPR, 8, 0, True), (A.DIFEXPR, 3, 0, True), (A.EXIT, 4, 0, True), (A.EXIT, 8, 0, True),
    (A.EXIT, 1, 0, True),
    (A.EXIT, 3, 0, False), (A.EXIT, 16, 0, False), (A.PRINTM, 8, 0, True), (A.PRINTM, 7, 0, False),
    (A.STACK, 16, 2, True), (A.STACK, 8, 2, True), (A.STACK, 6, 2, False), (A.STACK, 18, 2, False),
    (A.STACK, 8, 0, True), (A.USTACK, 24, 2, True), (A.USTACK, 23, 2, False), (A.USTACK, 16, 0, True),
    (A.JSTACK, 24, 2, True), (A.JSTACK, 16, 2, False), (A.SYM, 8, 0, True), (A.SYM, 4, 0, False),
    (A.MOD, 8, 0, True), (A.MOD, 16, 0, False), (A.USYM, 16, 0, True), (A.USYM, 8, 0, False),
    (A.UMOD, 16, 0, True), (A.UADDR, 16, 0, True), (A.UADDR, 24, 0, False), (A.STACK, 0, 2, True)]


@pytest.mark.parametrize(("action", "size", "argument", "good"), RECORDS)
def test_records(action: int, size: int, argument: int, good: bool) -> None:
    made = EprobeDesc(5, 1, 0, 12 + size, (RecDesc(action, size, 12, 1, 0, argument, 0),))
    assert believed(answers(made.pack()).ecb, 5, lambda number: b"") is good
    if size:
        for offset, extent in ((11, 12 + size), (13, 12 + size), (12, 11 + size)):
            made = EprobeDesc(5, 1, 0, extent, (RecDesc(action, size, offset, 1, 0, argument, 0),))
            assert not believed(answers(made.pack()).ecb, 5, lambda number: b"")


def test_enablings() -> None:
    for epid, size, good in ((5, 0, True), (5, 12, True), (5, 11, False), (5, 13, True), (4, 12, False)):
        made = EprobeDesc(epid, 1, 0, size, ())
        assert believed(answers(made.pack()).ecb, 5, lambda number: b"") is good
    whole = EprobeDesc(5, 1, 0, 20, (rec(A.DIFEXPR, 8, 12),)).pack()
    for broken in (whole[:-1], whole + b"\0", b"", whole[:20]):
        assert not believed(answers(broken).ecb, 5, lambda number: b"")


@pytest.mark.parametrize(("action", "size", "good"), [
    (A.AGG_COUNT, 8, True), (A.AGG_COUNT, 16, False), (A.AGG_SUM, 8, True), (A.AGG_MIN, 8, True),
    (A.AGG_MAX, 4, False), (A.AGG_AVG, 16, True), (A.AGG_AVG, 8, False), (A.AGG_STDDEV, 32, True),
    (A.AGG_STDDEV, 24, False), (A.AGG_QUANTIZE, 127 * 8, True), (A.AGG_QUANTIZE, 126 * 8, False),
    (A.AGG_LQUANTIZE, 24, True), (A.AGG_LQUANTIZE, 25, False), (A.AGG_LQUANTIZE, 8, False),
    (A.AGG_LLQUANTIZE, 80, True), (A.DIFEXPR, 8, False)])
def test_aggregations(action: int, size: int, good: bool) -> None:
    def described(*records: RecDesc, number: int = 3, extent: int = 24 + size) -> bool:
        return believed(answers(AggDesc(number, 1, extent, records).pack()).aggregation, 3)
    variable, key, value = rec(A.DIFEXPR, 8, 8), rec(A.DIFEXPR, 8, 16), rec(action, size, 24)
    assert described(variable, key, value) is described(variable, value) is good
    if good:
        assert not described(value) and not described(variable, key, value, number=4)
        assert not described(variable, key, value, extent=23 + size)
        assert not described(variable, rec(A.DIFEXPR, 8, 17), value)
        assert not described(variable, rec(A.DIFEXPR, 8, 7), value)
        assert described(rec(A.DIFEXPR, 4, 8), value) and not described(rec(A.DIFEXPR, 3, 8), value)


def test_programs_that_match_nothing() -> None:
    from dof.model import Program

    for matched, good in ((0, True), (5, True), (-1, False)):
        asked = answers(matched.to_bytes(4, "little", signed=True))
        assert believed(asked.enable, b"", Program()) is good
        assert asked.programs == 1
