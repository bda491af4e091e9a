"""Aggregation data as the consumer keeps it: one table of raw rows for each aggregation variable.

A row is a record exactly as the kernel wrote it: u32 aggregation id, padding, the variable's id
(8 bytes), the keys, the value.  Rows of every CPU and every snapshot are merged by key; the bytes
between the header and the value are the key.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator, Sequence

from dif.limits import MASK
from dif.records import Record, field
from dof.model import ActionKind
from runtime.border import RecDesc
from runtime.consumer.aggregations.quantize import NBUCKETS, ZERO_BUCKET, Linear, LogLinear, bucket_value
from runtime.consumer.aggregations.results import Aggregated, average, bucketed, deviation
from runtime.consumer.events.errors import AnswerError
from runtime.consumer.events.records import Address, Traced
from runtime.consumer.events.stacks import SYMBOLS, USER_STACKS, kernel_frames, user_frames

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from runtime.consumer.events.symbols import Symbols

KEY_AT = 8  # offset of the key: the variable's id comes first
INSTANCE_KEY = int.from_bytes(b"instance", "big")  # `uarg` of the key that names a row's instance
_PARAMETERS = frozenset((ActionKind.AGG_LQUANTIZE, ActionKind.AGG_LLQUANTIZE))
PAIRS = frozenset((ActionKind.USYM, ActionKind.UMOD, ActionKind.UADDR))
_PLAIN = frozenset((ActionKind.AGG_COUNT, ActionKind.AGG_SUM, ActionKind.AGG_MIN, ActionKind.AGG_MAX))
_SYMBOLIC = frozenset((ActionKind.SYM, ActionKind.MOD, ActionKind.USYM, ActionKind.UMOD))

Merge = Callable[[bytearray, int, bytes, int], None]


class Layout(Record, frozen=True):
    """The form of one aggregation's rows.  `value` is the aggregating record, always the last."""

    size: int
    keys: tuple[RecDesc, ...]
    value: RecDesc

    @property
    def words(self) -> int:
        """64-bit words of the value."""
        return self.value.size // 8

    @property
    def constant(self) -> int:
        """Leading words of the value that are parameters and never merge."""
        return 1 if self.value.action in _PARAMETERS else 0

    @property
    def distribution(self) -> bool:
        """Whether the value is a count for each bucket; otherwise it makes one number."""
        return bucketed(self.value.action)

    @property
    def instance(self) -> RecDesc | None:
        """The key that names a row's instance, where rows of several are kept apart."""
        return next((key for key in self.keys if key.uarg == INSTANCE_KEY), None)

    @property
    def symbolic(self) -> tuple[RecDesc, ...]:
        """Keys whose addresses stand for the symbol or module that contains them."""
        return tuple(key for key in self.keys if key.action in _SYMBOLIC)

    @classmethod
    def of(cls, size: int, records: Sequence[RecDesc]) -> Layout:
        """Of rows of `size` bytes; `records` are the variable's id, the keys, and the value."""
        plain = [record._replace(uarg=record.uarg if record.uarg == INSTANCE_KEY else 0, format=0)
                 for record in records]
        return cls(size, tuple(plain[1:-1]), plain[-1])


def _merging(layout: Layout) -> Merge:
    """Return the function that merges a value of a snapshot into the one in the table."""
    if layout.value.action in (ActionKind.AGG_MIN, ActionKind.AGG_MAX):
        word = struct.Struct("<q")
        choose = min if layout.value.action == ActionKind.AGG_MIN else max

        def extreme(rows: bytearray, at: int, data: bytes, source: int) -> None:
            word.pack_into(rows, at, choose(word.unpack_from(rows, at)[0], word.unpack_from(data, source)[0]))

        return extreme
    skip, value = 8 * layout.constant, layout.value
    words = struct.Struct(f"<{layout.words - layout.constant}Q")
    if layout.value.action == ActionKind.AGG_STDDEV:
        def squares(rows: bytearray, at: int, data: bytes, source: int) -> None:
            mine, theirs = words.unpack_from(rows, at), words.unpack_from(data, source)
            total = (mine[2] | mine[3] << 64) + (theirs[2] | theirs[3] << 64)
            words.pack_into(rows, at, (mine[0] + theirs[0]) & MASK, (mine[1] + theirs[1]) & MASK,
                            total & MASK, total >> 64 & MASK)

        return squares

    def add(rows: bytearray, at: int, data: bytes, source: int) -> None:
        if skip and rows[at:at + skip] != data[source:source + skip]:
            raise AnswerError(f"one aggregation has two sets of parameters for action {value.action:#x}")
        mine, theirs = words.unpack_from(rows, at + skip), words.unpack_from(data, source + skip)
        words.pack_into(rows, at + skip, *[(a + b) & MASK for a, b in zip(mine, theirs, strict=True)])

    return add


class Table(Record):
    """All rows of one variable with one layout.

    `index` finds a row's offset in `rows` by its key, until a large snapshot puts the rows elsewhere
    (`adopt`).
    Rows below `normalized` show their values divided by `normal`: a row that appears after
    normalize() is not normalized.
    """

    variable: int
    layout: Layout
    rows: bytearray | memoryview = field(default_factory=bytearray)
    index: dict[bytes, int] = field(default_factory=dict)
    adopted: bool = False  # the rows belong to runtime.consumer.aggregations.bulk
    normal: int = 1
    normalized: int = 0

    def __len__(self) -> int:
        return len(self.rows) // self.layout.size

    def merge(self, data: bytes, offsets: Iterable[int]) -> None:
        """Merge the records of a snapshot that lie at `offsets`."""
        if self.adopted:
            self.rows, self.adopted = bytearray(self.rows), False
            self.reindex()
        if self.layout.value.action in _PLAIN and self.layout.size == self.layout.value.offset + 8:
            data, offsets = self._condense(data, list(offsets))
        rows, index, size, value = self.rows, self.index, self.layout.size, self.layout.value.offset
        assert isinstance(rows, bytearray)
        combine = _merging(self.layout)
        for offset in offsets:
            key = data[offset + KEY_AT:offset + value]
            row = index.get(key)
            if row is None:
                index[key] = len(rows)
                rows += data[offset:offset + size]
            else:
                combine(rows, row + value, data, offset + value)

    def _condense(self, data: bytes, offsets: list[int]) -> tuple[bytes, Iterable[int]]:
        """Return a snapshot's records of plain numbers merged, one for each key, and their offsets."""
        action, width = self.layout.value.action, self.layout.value.offset - KEY_AT
        unpack = struct.Struct(f"<{width}sq").unpack_from
        best: dict[bytes, int] = {}
        get = best.get
        if action in (ActionKind.AGG_MIN, ActionKind.AGG_MAX):
            choose = min if action == ActionKind.AGG_MIN else max
            for offset in offsets:
                key, value = unpack(data, offset + KEY_AT)
                best[key] = choose(get(key, value), value)
        else:
            for offset in offsets:
                key, value = unpack(data, offset + KEY_AT)
                best[key] = get(key, 0) + value
        head, pack = data[offsets[0]:offsets[0] + KEY_AT] if offsets else b"", struct.Struct("<Q").pack
        rows = [b"%b%b%b" % (head, key, pack(value & MASK)) for key, value in best.items()]
        return b"".join(rows), range(0, len(rows) * self.layout.size, self.layout.size)

    def shorten(self, count: int) -> None:
        """Keep the first `count` rows."""
        end = count * self.layout.size
        if isinstance(self.rows, bytearray):
            del self.rows[end:]
        else:
            self.rows = self.rows[:end]
        while self.index and next(reversed(self.index.values())) >= end:
            self.index.popitem()
        self.normalized = min(self.normalized, end)

    def adopt(self, rows: memoryview) -> None:
        """Take over rows that were merged elsewhere."""
        self.rows, self.adopted = rows, True
        self.index = {}

    def reindex(self) -> None:
        """Find every row anew, after rows were merged or removed from outside."""
        size, value = self.layout.size, self.layout.value.offset
        rows = bytes(self.rows)
        self.index = {rows[at + KEY_AT:at + value]: at for at in range(0, len(rows), size)}

    def entries(self) -> Iterator[Entry]:
        """Every row, in order."""
        return map(self.entry, range(0, len(self.rows), self.layout.size))

    def entry(self, at: int) -> Entry:
        """The row at an offset in `rows`."""
        return Entry(self, at, bytes(self.rows[at:at + self.layout.size]),
                     self.normal if at < self.normalized else 1)

    def clear(self) -> None:
        """Set every value to zero, keeping the parameters of lquantize() and llquantize()."""
        layout = self.layout
        start = layout.value.offset + 8 * layout.constant
        zeros = bytes(layout.value.size - 8 * layout.constant)
        for at in range(0, len(self.rows), layout.size):
            self.rows[at + start:at + start + len(zeros)] = zeros

    def normalize(self, normal: int) -> None:
        """Divide by `normal` what the present rows show; rows that come later are not divided."""
        self.normal, self.normalized = normal, len(self.rows)

    def keep(self, offsets: Iterable[int]) -> None:
        """Remove every row but those at `offsets`."""
        size = self.layout.size
        kept = sorted(offsets)
        self.normalized = sum(at < self.normalized for at in kept) * size
        self.rows = bytearray(b"".join(bytes(self.rows[at:at + size]) for at in kept))
        self.adopted = False
        self.reindex()


KeyValue = int | str | bytes | tuple[int, ...]


def _key_value(record: RecDesc, data: bytes) -> KeyValue:
    if record.action == ActionKind.STACK:
        return tuple(kernel_frames(record, data))
    if record.action in USER_STACKS:
        return tuple(frame.address for frame in user_frames(record, data)[1])
    return Address(record, data).address if record.action in SYMBOLS else Traced(record, data).value


class Entry(Record, frozen=True):
    """One row: its place in its table, its bytes, its normalization."""

    table: Table
    at: int
    data: bytes
    normal: int

    def __repr__(self) -> str:
        return f"<Entry {self.values!r} {self.value!r}>"

    @property
    def variable(self) -> int:
        return self.table.variable

    @property
    def layout(self) -> Layout:
        return self.table.layout

    @property
    def id(self) -> int:
        """The aggregation id (of the clause that first made this row)."""
        return int.from_bytes(self.data[:4], "little")

    def key(self, record: RecDesc) -> bytes:
        """The bytes of one of its keys."""
        return self.data[record.offset:record.offset + record.size]

    @property
    def values(self) -> tuple[KeyValue, ...]:
        """The keys: stacks as tuples of addresses, others as Traced.value and Address.address return them."""
        return tuple(_key_value(key, self.key(key)) for key in self.layout.keys)

    @property
    def words(self) -> tuple[int, ...]:
        return struct.unpack_from(f"<{self.layout.words}q", self.data, self.layout.value.offset)

    @property
    def value(self) -> Aggregated:
        return Aggregated(self.layout.value, self.words, self.normal)


class Row(Record, frozen=True):
    """One line of a printa(): the entry whose keys it shows, and a value for each aggregation."""

    keys: Entry
    values: tuple[Aggregated, ...]


# -- sorting ---------------------------------------------------------------------------------------
# Entries are compared by tuples, which are made so that the order is that of other DTraces.

SortKey = tuple[object, ...]


def _comparable(record: RecDesc, data: bytes) -> tuple[int, bytes]:
    """Integers compare as unsigned numbers, everything else byte by byte; shorter keys first."""
    if record.size in (1, 2, 4, 8):
        return record.size, data[::-1]
    if record.action in PAIRS:
        return record.size, data[7::-1] + data[15:7:-1]
    return record.size, data


def by_key(entry: Entry, position: int = 0) -> SortKey:
    """Keys from the one at `position` (0 the first), wrapping around."""
    keys = entry.layout.keys
    first = position if position < len(keys) else 0
    return (len(keys), *(_comparable(key, entry.key(key)) for key in keys[first:] + keys[:first]))


def _linear(parameter: int) -> tuple[list[int], int]:
    linear = Linear.decode(parameter)
    bounds = list(linear.bounds())
    weights = [linear.base - 1, *bounds[:-1], bounds[-1] + 1]
    return [0, *weights], weights.index(0) + 1 if 0 in weights else -1


def _log_linear(parameter: int) -> tuple[list[int], int]:
    bounds = list(LogLinear.decode(parameter).bounds())
    return [0, bounds[0] - 1, *bounds], 1


_POWERS = [bucket_value(n) for n in range(NBUCKETS)], ZERO_BUCKET
_WEIGHTS: dict[int, Callable[[int], tuple[list[int], int]]] = {
    ActionKind.AGG_QUANTIZE: lambda _: _POWERS,
    ActionKind.AGG_LQUANTIZE: _linear,
    ActionKind.AGG_LLQUANTIZE: _log_linear,
}


def weights_of(action: int, first: int) -> tuple[list[int], int]:
    """Return what each word of a distribution weighs (a parameter 0), and the index of the one that counts
    zeros, or -1.

    `first` is the value's first word.
    """
    return _WEIGHTS[action](first)


def _weighed(words: tuple[int, ...], action: int) -> tuple[int, int]:
    weights, zero = weights_of(action, words[0])
    return (sum(weight * count for weight, count in zip(weights, words, strict=False) if count),
            words[zero] if zero >= 0 else 0)


_BY_VALUE: dict[int, Callable[[tuple[int, ...]], tuple[int, ...]]] = {
    ActionKind.AGG_AVG: lambda words: (average(words, 1),),
    ActionKind.AGG_STDDEV: lambda words: (deviation(words, 1),),
}


def by_value(words: tuple[int, ...], action: int) -> tuple[int, ...]:
    """Distributions compare by weighted sum, then by their weight at zero; others by their number."""
    if action in _WEIGHTS:
        return _weighed(words, action)
    rule = _BY_VALUE.get(action)
    return rule(words) if rule else (words[0],)


def symbolize(layout: Layout, data: bytearray, offset: int, symbols: Symbols) -> None:
    """Replace addresses in a row's symbolic keys by the start of what they stand for."""
    for key in layout.symbolic:
        at = offset + key.offset
        first, = struct.unpack_from("<Q", data, at)
        if key.action in (ActionKind.SYM, ActionKind.MOD):
            symbol, mapped = symbols.kernel(first), symbols.kernel_module(first)
            start = (symbol.value if symbol else None) if key.action == ActionKind.SYM else \
                (mapped.start if mapped else None)
        else:
            at += 8
            address, = struct.unpack_from("<Q", data, at)
            symbol, mapped = symbols.user(first, address), symbols.user_mapping(first, address)
            start = (symbol.value if symbol else None) if key.action == ActionKind.USYM else \
                (mapped.start if mapped else None)
        if start is not None:
            struct.pack_into("<Q", data, at, start)
