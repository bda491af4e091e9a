"""What one probe firing left in a buffer, as typed objects.

A program that uses the consumer as a library meets these; the text, JSON and picture writers are
made of nothing else.  Values are decoded when asked for.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence

from dif import records
from dof.model import ACTION_NAMES, ActionKind
from dof.printf import Shown
from runtime.border import ProbeDescription, RecDesc
from runtime.consumer.events.recordbytes import looks_like_string, until_nul
from runtime.consumer.events.settings import Settings

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from typing import Protocol
else:
    Protocol = object


class Traced(records.Record, eq=True):
    """A trace()d value, or any expression that records: an integer, a string, or bytes."""

    record: RecDesc
    data: bytes

    @property
    def value(self) -> int | str | bytes:
        """The value.  Integers of 8 and 16 bits are unsigned, others signed, as trace() shows them."""
        size = len(self.data)
        if size in (1, 2, 4, 8):
            return int.from_bytes(self.data, "little", signed=size > 2)
        if not self.data.strip(b"\0"):
            return ""
        if looks_like_string(self.data):
            return until_nul(self.data).decode("utf-8", "surrogateescape")
        return self.data

    def __repr__(self) -> str:
        return f"Traced({self.value!r})"


class Typed(records.Record, eq=True):
    """A print()ed value: its bytes and the name of its type."""

    record: RecDesc
    data: bytes
    type: str


class Memory(records.Record, eq=True):
    """tracemem(): bytes, already cut to a dynamic size."""

    record: RecDesc
    data: bytes


class Stack(records.Record, eq=True):
    """stack(), ustack() or jstack().  See `stacks` for its frames."""

    record: RecDesc
    data: bytes

    @property
    def user(self) -> bool:
        return self.record.action != ActionKind.STACK

    def __repr__(self) -> str:
        return f"Stack({ACTION_NAMES[self.record.action]})"


class Address(records.Record, eq=True):
    """sym(), mod(), func(), usym(), umod(), ufunc() or uaddr(): `pid` is 0 for the kernel's."""

    record: RecDesc
    data: bytes

    @property
    def pid(self) -> int:
        return struct.unpack_from("<Q", self.data)[0] if len(self.data) == 16 else 0

    @property
    def address(self) -> int:
        return struct.unpack_from("<Q", self.data, len(self.data) - 8)[0]


class BoundFormat(Protocol):
    """A format with the records of its arguments, each with how it is shown (dof.printf.Shown)."""

    template: bytes
    arguments: list[tuple[RecDesc, str]]

    def render(self, data: bytes, base: int, settings: Settings) -> bytes:
        """The text.  The records lie at `base` in `data`."""


class Formatted(records.Record, eq=True):
    """printf(), system() or freopen(): a format bound to the bytes of its arguments."""

    action: int
    bound: BoundFormat
    data: bytes
    base: int

    def text(self, settings: Settings) -> bytes:
        return self.bound.render(self.data, self.base, settings)

    def __repr__(self) -> str:
        return f"Formatted({self.bound.template!r}, {self.arguments!r})"

    @property
    def arguments(self) -> list[int | str | bytes]:
        """The values that were recorded, as their conversions take them."""
        values: list[int | str | bytes] = []
        for record, shown in self.bound.arguments:
            start = self.base + record.offset
            data = self.data[start:start + record.size]
            if shown in (Shown.STRING, Shown.ESCAPED_STRING):
                values.append(until_nul(data).decode("utf-8", "surrogateescape"))
            elif shown != Shown.SIGNED and len(data) in (1, 2, 4, 8):
                values.append(int.from_bytes(data, "little"))
            else:
                values.append(Traced(record, data).value)
        return values


class PrintAggregations(records.Record, eq=True):
    """printa() of one or several aggregation variables; `format` None for the default form."""

    variables: tuple[int, ...]
    format: bytes | None


class Exit(records.Record, eq=True):
    """exit()."""

    status: int


# -- library actions: the consumer itself carries them out -------------------------------------------

class Clear(records.Record, eq=True):
    variable: int


class Normalize(records.Record, eq=True):
    """`normal` 1 undoes an earlier normalization."""

    variable: int
    normal: int


class Truncate(records.Record, eq=True):
    """trunc(); a negative count keeps the smallest."""

    variable: int
    count: int


class SetOption(records.Record, eq=True):
    name: str
    value: str


class TruncateFile(records.Record, eq=True):
    """ftruncate(): empty the output file."""


Library = Clear | Normalize | Truncate | SetOption
Record = (Traced | Typed | Memory | Stack | Address | Formatted | PrintAggregations | Exit | TruncateFile)


class Flow(records.Record, eq=True):
    """Where a firing stands in -F output."""

    kind: str = ""  # "entry", "return" or ""
    indent: int = 0
    prefix: str = ""


class Firing:
    """One firing of one clause of one probe.

    Iterate over it for its records.  A library action (clear(), trunc(), ...) between two records takes
    effect when the iteration passes it.  So look at a printa() record before you ask for the next one.
    `records` and `values` are for clauses where that does not matter.  `instance` is the path of the one
    that fired, where several are traced as one; `cpu` is a CPU of it.
    """

    __slots__ = ("_rest", "_seen", "cpu", "epid", "flow", "instance", "probe", "timestamp")

    def __init__(self, cpu: int, epid: int, probe: ProbeDescription, timestamp: int,
                 flow: Flow, instance: str = "") -> None:
        self.cpu = cpu
        self.instance = instance
        self.epid = epid
        self.probe = probe
        self.timestamp = timestamp  # nanoseconds since boot
        self.flow = flow
        self._rest: Iterator[Record] | None = None
        self._seen: list[Record] = []

    def __repr__(self) -> str:
        return f"<{self.probe} on CPU {self.cpu} at {self.timestamp}>"

    def __iter__(self) -> Iterator[Record]:
        return iter(self._seen) if self._rest is None else self._made(self._rest)

    def _made(self, rest: Iterator[Record]) -> Iterator[Record]:
        yield from self._seen
        for record in rest:
            self._seen.append(record)
            yield record

    @property
    def acts(self) -> bool:
        """Whether there may be library actions among its records."""
        return self._rest is not None

    def have(self, records: list[Record]) -> None:
        """Take the records, among which there are no actions.  The reader calls this."""
        self._seen = records

    def feed(self, records: Iterator[Record]) -> None:
        """Take the iterator that makes the records and carries out actions.  The reader calls this."""
        self._rest = records

    def drain(self) -> None:
        """Decode what the handler has not looked at, so that the actions among it take effect."""
        if self._rest is not None:
            self._seen.extend(self._rest)

    @property
    def records(self) -> list[Record]:
        self.drain()
        return self._seen

    @property
    def values(self) -> tuple[int | str | bytes, ...]:
        """The trace()d values, in order."""
        return tuple(record.value for record in self.records if isinstance(record, Traced))


class Run(records.Record):
    """Firings of one clause on one CPU, one after another, that show nothing but values and printf().

    `shown` are the records of values, and formats with those of theirs.  The firings lie every `size` bytes
    in `data`; a header comes first (runtime.border.RECHDR).
    """

    epid: int
    cpu: int
    instance: str
    probe: ProbeDescription
    shown: Sequence[RecDesc | BoundFormat]
    data: memoryview
    size: int
