"""From the record descriptions of an enabling to the steps that decode each of its firings.

The steps are made once, when the enabling is first met.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence

from dof.model import LIBACT_BASE, ActionKind, LibAct
from dof.printf import FormatError
from runtime.border import EprobeDesc, RecDesc
from runtime.consumer.events import records as r
from runtime.consumer.events import stacks
from runtime.consumer.events.errors import AnswerError
from runtime.consumer.events.recordbytes import number, until_nul

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from runtime.consumer.output.printf import Bound, Format

Step = Callable[[bytes, int], "r.Record | r.Library"]
_OF_TWO_RECORDS = {LibAct.NORMALIZE: "normalize", LibAct.TRUNC: "trunc", LibAct.SETOPT: "setopt"}
_VALUES = frozenset((ActionKind.DIFEXPR, *stacks.STACKS, *stacks.SYMBOLS))
_PRINTF_LIKE = (ActionKind.PRINTF, ActionKind.SYSTEM, ActionKind.FREOPEN)


def _cut(record: RecDesc, data: bytes, base: int) -> bytes:
    return data[base + record.offset:base + record.offset + record.size]


def _plain(kind: Callable[[RecDesc, bytes], r.Record], record: RecDesc) -> Step:
    start, end = record.offset, record.offset + record.size

    def step(data: bytes, base: int) -> r.Record:
        return kind(record, data[base + start:base + end])

    return step


class Planner:
    """Makes the steps of each enabling.

    `format_of` returns the format string of a number, `written` has those of printa() by their statements
    where DOF's is another (dc.compiler.CompileResult.formats).
    """

    def __init__(self, format_of: Callable[[int], bytes], target: str = "illumos",
                 written: Mapping[int, bytes] | None = None) -> None:
        self._format_of = format_of
        self._written = {} if written is None else written
        self._libact = LIBACT_BASE[target]
        self._formats: dict[int, Format] = {}

    def acts(self, ecb: EprobeDesc) -> bool:
        """Whether among the records of a firing of `ecb` may be actions of the library's."""
        return any(record.action == ActionKind.LIBACT for record in ecb.records)

    def plan(self, ecb: EprobeDesc) -> list[Step]:
        """The steps that decode a firing of `ecb`.  Raises AnswerError when its records make no sense."""
        steps: list[Step] = []
        at = 0
        while at < len(ecb.records):
            step, taken = self._step(ecb.records[at:])
            if step is not None:
                steps.append(step)
            at += taken
        return steps

    def shown(self, ecb: EprobeDesc) -> list[RecDesc | Bound] | None:
        """What firings of `ecb` show, where that is nothing but values and printf(); None otherwise."""
        found: list[RecDesc | Bound] = []
        at = 0
        while at < len(ecb.records):
            record = ecb.records[at]
            if record.action == ActionKind.PRINTF and record.format:
                bound = self._format(record.format).bind(ecb.records[at:])
                found.append(bound)
                at += max(bound.consumed, 1)
            elif record.action in _VALUES and not record.format:
                found.append(record)
                at += 1
            else:
                return None
        return found

    def _format(self, number: int) -> Format:
        known = self._formats.get(number)
        if known is None:
            from runtime.consumer.output.printf import Format

            try:
                known = self._formats[number] = Format(self._format_of(number))
            except FormatError as error:
                raise AnswerError(str(error)) from None
        return known

    def _step(self, records: Sequence[RecDesc]) -> tuple[Step | None, int]:
        """The step for the first of `records`, and how many it takes."""
        record = records[0]
        action = record.action
        if action == ActionKind.LIBACT:
            return self._library(records)
        if action == ActionKind.TRACEMEM_DYNSIZE and record.size == 8 and len(records) > 1:
            memory = records[1]
            return (lambda data, base: _tracemem(record, memory, data, base)), 2
        if action == ActionKind.TRACEMEM:
            return _plain(r.Memory, record), 1
        if action == ActionKind.EXIT:
            return (lambda data, base: r.Exit(number(_cut(record, data, base), True))), 1
        if action == ActionKind.PRINTA:
            return self._printa(records)
        if action in _PRINTF_LIKE and record.format:
            bound = self._format(record.format).bind(records)
            return (lambda data, base: r.Formatted(action, bound, data, base)), max(bound.consumed, 1)
        if action in stacks.STACKS:
            return _plain(r.Stack, record), 1
        if action in stacks.SYMBOLS:
            return _plain(r.Address, record), 1
        if action == ActionKind.PRINTM:
            return (lambda data, base: _printm(record, data, base)), 1
        if action == ActionKind.DIFEXPR and record.format:
            name = self._format_of(record.format).decode("utf-8", "replace")
            return (lambda data, base: r.Typed(record, _cut(record, data, base), name)), 1
        return (_plain(r.Traced, record), 1) if record.size else (None, 1)

    def _printa(self, records: Sequence[RecDesc]) -> tuple[Step, int]:
        first = records[0]
        taken = 0
        for record in records:
            if record.uarg != first.uarg or record.action != first.action or record.format != first.format:
                break
            taken += 1
        group = tuple(records[:taken])
        text = self._format_of(first.format) if first.format else None
        text = text and self._written.get(first.uarg, text)

        def step(data: bytes, base: int) -> r.Record:
            return r.PrintAggregations(tuple(number(_cut(record, data, base)) for record in group), text)

        return step, taken

    def _library(self, records: Sequence[RecDesc]) -> tuple[Step | None, int]:
        record = records[0]
        kind = record.arg - self._libact
        if kind == LibAct.CLEAR:
            return (lambda data, base: r.Clear(number(_cut(record, data, base)))), 1
        if kind == LibAct.DENORMALIZE:
            return (lambda data, base: r.Normalize(number(_cut(record, data, base)), 1)), 1
        if kind == LibAct.FTRUNCATE:
            return (lambda data, base: r.TruncateFile()), 1
        if kind not in _OF_TWO_RECORDS:
            return None, 1
        if len(records) < 2 or records[1].action != record.action or records[1].arg != record.arg:
            raise AnswerError(f"{_OF_TWO_RECORDS[kind]}() has no second record")
        second = records[1]
        if kind == LibAct.SETOPT:
            return (lambda data, base: _set_option(record, second, data, base)), 2
        if kind == LibAct.NORMALIZE:
            return (lambda data, base: r.Normalize(number(_cut(record, data, base)),
                                                   number(_cut(second, data, base)))), 2
        return (lambda data, base: r.Truncate(number(_cut(record, data, base)),
                                              number(_cut(second, data, base), True))), 2


def _set_option(name: RecDesc, value: RecDesc, data: bytes, base: int) -> r.SetOption:
    """setopt(); without a value (the compiler records a zero for it) the option is set to 1."""
    text = until_nul(_cut(value, data, base)).decode("utf-8", "replace") if value.size > 8 else "1"
    return r.SetOption(until_nul(_cut(name, data, base)).decode("utf-8", "replace"), text)


def _tracemem(size: RecDesc, memory: RecDesc, data: bytes, base: int) -> r.Record:
    """tracemem() with a dynamic size; if it is 0, or more than was recorded, all bytes are meant."""
    wanted = number(_cut(size, data, base))
    raw = _cut(memory, data, base)
    return r.Memory(memory, raw[:wanted] if wanted else raw)


def _printm(record: RecDesc, data: bytes, base: int) -> r.Record:
    """FreeBSD's printm(): a length, then the bytes."""
    raw = _cut(record, data, base)
    length, = struct.unpack_from("<Q", raw)
    return r.Memory(record, raw[8:8 + min(length, len(raw) - 8)])
