"""Aggregating functions and the per-CPU buffers that hold their results.

A record is the aggregation's id (u32), the keys at their offsets, and the
function's 64-bit values; a snapshot is such records one after another.  Until
it is taken, keys and values stay as they came, in columns: an index that leads
from a key to its values, and the values.  A kernel keeps a hash table at the end
of the buffer: the space that it would take counts as taken here, too.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, MutableSequence, Sequence
from itertools import islice, repeat

from dif.arithmetic import MASK, SIGN, signed
from dof.actionrules import check_aggregation, llquantize_arg, lquantize_arg
from dof.model import ActionKind
from runtime.framework.base.faults import DifFault, FaultKind
from runtime.framework.buffers.principal import Relief

_AGGBUFFER = 24  # sizeof (dtrace_aggbuffer_t)
_AGGKEY = 24  # sizeof (dtrace_aggkey_t)
_SLEW = 17  # DTRACE_AGGHASHSIZE_SLEW
JUNK = 4

QUANTIZE_BUCKETS = 127
QUANTIZE_ZERO = 63

Words = MutableSequence[int]
Update = Callable[[Words, int, int, int], None]


def _signed32(value: int) -> int:
    value &= 0xFFFFFFFF
    return value - (1 << 32) if value & 0x80000000 else value


# -- the functions: words, index of the first value, the operand, the increment ------------------

def _count(words: Words, at: int, value: int, increment: int) -> None:
    words[at] = words[at] + 1


def _sum(words: Words, at: int, value: int, increment: int) -> None:
    words[at] = (words[at] + value) & MASK


def _min(words: Words, at: int, value: int, increment: int) -> None:
    if signed(value) < signed(words[at]):
        words[at] = value


def _max(words: Words, at: int, value: int, increment: int) -> None:
    if signed(value) > signed(words[at]):
        words[at] = value


def _avg(words: Words, at: int, value: int, increment: int) -> None:
    words[at] += 1
    words[at + 1] = (words[at + 1] + value) & MASK


def _stddev(words: Words, at: int, value: int, increment: int) -> None:
    words[at] += 1
    words[at + 1] = (words[at + 1] + value) & MASK
    square = words[at + 2] + (words[at + 3] << 64) + signed(value) ** 2
    words[at + 2] = square & MASK
    words[at + 3] = square >> 64 & MASK


def _quantize(words: Words, at: int, value: int, increment: int) -> None:
    if value & SIGN:
        at += max(QUANTIZE_ZERO - (-signed(value)).bit_length(), 0)
    else:
        at += QUANTIZE_ZERO + value.bit_length()
    words[at] = (words[at] + increment) & MASK


def _lquantize(words: Words, at: int, value: int, increment: int) -> None:
    base, step, levels = lquantize_arg(words[at])
    number = _signed32(value)
    if number < base:
        at += 1
    else:
        at += 2 + min((number - base) // step, levels)
    words[at] = (words[at] + increment) & MASK


def _llquantize(words: Words, at: int, value: int, increment: int) -> None:
    at += 1 + llquantize_bucket(*llquantize_arg(words[at]), signed(value))
    words[at] = (words[at] + increment) & MASK


FUNCTIONS: dict[int, Update] = {
    ActionKind.AGG_COUNT: _count,
    ActionKind.AGG_MIN: _min,
    ActionKind.AGG_MAX: _max,
    ActionKind.AGG_AVG: _avg,
    ActionKind.AGG_SUM: _sum,
    ActionKind.AGG_STDDEV: _stddev,
    ActionKind.AGG_QUANTIZE: _quantize,
    ActionKind.AGG_LQUANTIZE: _lquantize,
    ActionKind.AGG_LLQUANTIZE: _llquantize,
}


def llquantize_bucket(factor: int, low: int, high: int, steps: int, value: int) -> int:
    """The bucket of `value`: 0 below factor**low, the last one from factor**(high + 1) on.

    An order above which there is no room for another one in 63 bits takes all that is larger, and its
    values are not told apart: they are in its last bucket, as with the kernels that have llquantize().
    """
    if value < factor ** low:
        return 0
    order, above = low, factor ** (low + 1)
    while value >= above and above * factor < SIGN:
        if order == high:
            return 1 + _buckets_below(factor, low, steps, high + 1)
        order, above = order + 1, above * factor
    if above * factor >= SIGN:
        value = above - 1
    width = max(above // steps, 1)
    return 1 + _buckets_below(factor, low, steps, order) + (value - above // factor) // width


def _buckets_below(factor: int, low: int, steps: int, order: int) -> int:
    """The buckets from factor**low to factor**order.

    An order has `steps` buckets of one width, less those that fall into the orders below it: every one of
    them is `steps / factor`.  While an order has fewer integers than steps, each integer is a bucket.
    """
    dense = low
    while dense < order and factor ** (dense + 1) < steps:
        dense += 1
    return factor ** dense - factor ** low + (order - dense) * (steps - steps // factor)


def value_size(kind: int, arg: int) -> int:
    """How many bytes the function's values take.  Raises Refused for parameters that make no buckets."""
    check_aggregation(kind, arg)
    match kind:
        case ActionKind.AGG_QUANTIZE:
            return QUANTIZE_BUCKETS * 8
        case ActionKind.AGG_LQUANTIZE:
            return (lquantize_arg(arg)[2] + 3) * 8
        case ActionKind.AGG_LLQUANTIZE:
            return (llquantize_bucket(*llquantize_arg(arg), SIGN - 1) + 2) * 8
        case ActionKind.AGG_AVG:
            return 16
        case ActionKind.AGG_STDDEV:
            return 32
    return 8


def initial(kind: int, arg: int) -> int:
    """The first value of a new record."""
    match kind:
        case ActionKind.AGG_MIN:
            return SIGN - 1
        case ActionKind.AGG_MAX:
            return SIGN
        case ActionKind.AGG_LQUANTIZE | ActionKind.AGG_LLQUANTIZE:
            return arg
    return 0


_INTEGERS = {1: "B", 2: "H", 4: "I", 8: "Q"}


class Form:
    """How the records of one aggregation lie: its id, its keys with the variable's id first, its values.

    `keys` are offsets and sizes, `values` are the first values of a record, from offset `at` on; `cost` is
    how many bytes of the buffer a record takes.
    """

    __slots__ = ("at", "cost", "id", "keys", "values")

    def __init__(self, number: int, keys: Sequence[tuple[int, int]], at: int, values: Sequence[int]) -> None:
        self.id, self.keys, self.at, self.values = number, keys, at, values
        self.cost = at + 8 * len(values) + _AGGKEY

    def records(self, keys: Sequence[object], words: Sequence[int]) -> bytes:
        """The records of these keys (see AggregationBuffer), whose values are `words` one after another."""
        columns: list[Iterable[object]] = []
        layout, end, count = "<I", 4, len(self.values)
        parts = zip(*keys, strict=True) if isinstance(keys[0], tuple) else iter((None, keys))
        next(parts)  # the number of the tuple's shape
        for (offset, size), part in zip(self.keys, parts, strict=True):
            if not size:
                continue
            layout += f"{offset - end}x"
            end = offset + size
            number = isinstance(part[0], int)
            if number and size not in _INTEGERS:
                part = [value.to_bytes(size, "little") for value in part]
            layout += _INTEGERS[size] if number and size in _INTEGERS else f"{size}s"
            columns.append(part)
        pack = struct.Struct(f"{layout}{self.at - end}x{count}Q").pack
        values = (words[n::count] for n in range(count)) if count > 1 else (words,)
        return b"".join(map(pack, repeat(self.id), *columns, *values))


class AggregationBuffer:
    """One CPU's aggregations.

    `words` are the values of all records, after `JUNK` of them that belong to no record: what a dropped
    record would have counted goes there.  `index` maps a key to the index in `words` of its values, in the
    order of the records: the variable's id if the tuple has no other member; else the number of the tuple's
    shape and all members, integers or bytes.
    `relief` is as in runtime.framework.buffers.principal.Buffer.
    """

    __slots__ = ("_called", "_kept", "_kinds", "_latest", "_relief", "_room", "_runs", "cpu", "drops",
                 "index", "size", "words")

    def __init__(self, cpu: int, size: int, relief: Relief | None = None) -> None:
        self.cpu = cpu
        self.size = size
        self._relief = relief
        self.drops = 0
        self.words = [0] * JUNK
        self.index: dict[object, int] = {}
        self._runs: list[tuple[Form, int, int]] = []  # records in a row: their form, where the first one is
        self._kinds: dict[int, int] = {}  # of claimed records, by the index of their values
        self._empty()

    def _empty(self) -> None:
        del self.words[JUNK:]
        self.index.clear()
        self._runs.clear()
        self._latest: Form | None = None
        self._kinds.clear()
        buckets = (self.size >> 3) // 8
        if buckets > _SLEW << 3:
            buckets -= _SLEW
        self._room = self.size - _AGGBUFFER - buckets * 8 if buckets else 0
        self._called = False
        self._kept = self._room // 2 if self._relief is not None else 0
        self._room -= self._kept

    @property
    def full(self) -> bool:
        """Whether its reader has been called."""
        return self._called

    def _relieved(self, needed: int) -> bool:
        """Call the reader, unless that is done; returns whether there is room now."""
        if self._relief is not None and self._kept:
            self._room, self._kept, self._called = self._room + self._kept, 0, True
            self._relief()
        return needed <= self._room

    def insert(self, key: object, form: Form) -> int:
        """Make a record; returns the index of its values, or 0 if there was no room: it is dropped."""
        cost = form.cost
        if cost > self._room and not self._relieved(cost):
            self.drops += 1
            return 0
        self._room -= cost
        words, index = self.words, self.index
        at = len(words)
        if form is not self._latest:
            self._runs.append((form, len(index), at))
            self._latest = form
        index[key] = at
        words += form.values
        return at

    def claim(self, at: int, kind: int) -> None:
        """Let an aggregating function have the record whose values are at that index.

        Raises DifFault(ILLOP) if it is another function's.  To be asked only for functions that may meet on
        one record (State.contested), which no compiler writes.
        """
        if at and self._kinds.setdefault(at, kind) != kind:
            raise DifFault(FaultKind.ILLOP)

    def snapshot(self) -> tuple[bytes, int]:
        """Take everything out: records and the number of drops."""
        keys, parts = iter(self.index), []
        ends = [(first, at) for _form, first, at in self._runs[1:]] + [(len(self.index), len(self.words))]
        for (form, first, at), (last, end) in zip(self._runs, ends, strict=False):
            parts.append(form.records(list(islice(keys, last - first)), self.words[at:end]))
        taken = b"".join(parts), self.drops
        self.drops = 0
        if parts:
            self._empty()
        return taken
