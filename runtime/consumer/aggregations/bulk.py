"""Large snapshots: tables merged by compiled kernels, or by numpy where llvmlite is missing.

Once a table has been merged here its rows live in an array, and its index is the kernels'.
"""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from dif.records import Record
from dof.model import ActionKind
from runtime.consumer.aggregations.entries import KEY_AT, Layout, Table
from runtime.consumer.aggregations.jit import Compiler, Unavailable
from runtime.consumer.events.errors import AnswerError

_SMALLEST = 1 << 12  # index entries
COMPILED = 100_000  # rows from which loading llvmlite pays
Bytes = NDArray[np.uint8]
Offsets = NDArray[np.int64]
Ids = NDArray[np.uint32]


class Source(Record, frozen=True):
    """Records of one table in a snapshot: `count` of them, at `offsets`, or one after another."""

    count: int
    size: int
    offsets: Offsets | None = None

    def tolist(self) -> list[int]:
        if self.offsets is None:
            return list(range(0, self.count * self.size, self.size))
        return list(map(int, self.offsets))


class _Index(Record):
    """A table's rows (with room for more) and its open-addressing index."""

    rows: Bytes
    count: int
    entries: Offsets

    @property
    def mask(self) -> int:
        return len(self.entries) - 1


class Bulk:
    """Array work of one consumer, and the state of the tables it merged."""

    def __init__(self, compiled: bool = True) -> None:
        self._wanted = compiled
        self._made: Compiler | None = None
        self._indexes: dict[int, _Index] = {}

    @property
    def compiler(self) -> Compiler | None:
        """Makes the kernels; None where llvmlite is missing."""
        if self._made is None and self._wanted:
            self._wanted = False
            with contextlib.suppress(Unavailable):
                self._made = Compiler()
        return self._made

    def compiler_for(self, rows: int) -> Compiler | None:
        """Return the compiler if it is loaded already, or if so many rows are worth loading it."""
        return self.compiler if rows >= COMPILED else self._made

    # -- finding records ---------------------------------------------------------------------------

    def split(self, data: bytes, table_at: Callable[[int, int], Table]) -> Iterator[tuple[Table, Source]]:
        """The records of a snapshot by table; `table_at` gives the table of an id met at an offset."""
        raw = np.frombuffer(data, np.uint8)
        first = int.from_bytes(data[:4], "little")
        if first:
            table = table_at(first, 0)
            size = table.layout.size
            ids = raw[:len(raw) // 4 * 4].view("<u4")[::size // 4] if size % 4 == 0 else None
            if ids is not None and len(raw) % size == 0 and (ids == first).all():
                yield table, Source(len(raw) // size, size)
                return
        tables, offsets, ids = self._scan(data, raw, table_at)
        for number in np.unique(ids):
            table = tables[int(number)]
            mine = offsets[ids == number]
            yield table, Source(len(mine), table.layout.size, mine)

    def _scan(self, data: bytes, raw: Bytes, table_at: Callable[[int, int], Table]
              ) -> tuple[dict[int, Table], Offsets, Ids]:
        """Offsets and ids of all records, which may have different sizes."""
        tables: dict[int, Table] = {}
        sizes = np.zeros(1024, np.int64)
        offsets = np.empty(len(raw) // 4 + 1, np.int64)
        ids = np.empty(len(raw) // 4 + 1, np.uint32)
        at, found = 0, 0
        while at + 4 <= len(data):
            at, found = self._scan_known(raw, at, sizes, offsets, ids, found)
            if at + 4 > len(data):
                break
            number = int.from_bytes(data[at:at + 4], "little")
            table = tables[number] = table_at(number, at)
            if number >= len(sizes):
                sizes = np.concatenate((sizes, np.zeros(number + 1, np.int64)))
            if sizes[number]:
                raise AnswerError("aggregation records cannot be told apart")
            sizes[number] = table.layout.size
        return tables, offsets[:found], ids[:found]

    def _scan_known(self, raw: Bytes, at: int, sizes: Offsets, offsets: Offsets, ids: Ids, found: int
                    ) -> tuple[int, int]:
        """Scan up to the end or to an id without a size."""
        if self.compiler is not None:
            count = ctypes.c_int64(found)
            at = self.compiler.scan(raw.ctypes.data, at, len(raw), sizes.ctypes.data, len(sizes),
                                    offsets.ctypes.data, ids.ctypes.data, ctypes.addressof(count))
            return at, count.value
        words = memoryview(raw.data)
        while at + 4 <= len(raw):
            number = int.from_bytes(words[at:at + 4], "little")
            if number == 0:
                at += 4
                continue
            if number >= len(sizes) or not sizes[number]:
                break
            offsets[found], ids[found] = at, number
            found, at = found + 1, at + int(sizes[number])
        return at, found

    # -- merging -------------------------------------------------------------------------------------

    def merge(self, table: Table, data: bytes, source: Source) -> None:
        """Merge a snapshot's records into `table`."""
        self._merge(table, np.frombuffer(data, np.uint8), source, self.compiler)

    def merge_rows(self, table: Table, rows: Bytes) -> None:
        """Merge records that follow one another."""
        count = len(rows) // table.layout.size
        self._merge(table, rows, Source(count, table.layout.size), self.compiler_for(count))

    def _merge(self, table: Table, raw: Bytes, source: Source, compiler: Compiler | None) -> None:
        if (source.offsets is not None and source.count and \
                int(source.offsets[-1]) + source.size > len(raw)) or source.count * source.size > len(raw):
            raise AnswerError("an aggregation record goes beyond the end of its buffer")
        if table.layout.constant and source.count:
            _check_parameters(table, raw, source)
        if compiler is None:
            table.adopt(_merge_arrays(table.layout, table.rows, raw, source))
        else:
            index = self._index(table, compiler)
            self._merge_compiled(compiler, table.layout, index, raw, source)
            table.adopt(memoryview(index.rows.data)[:index.count * table.layout.size])

    def merge_few(self, table: Table, data: bytes, offsets: list[int]) -> None:
        """Merge a few records into a table whose rows are here already."""
        self.merge(table, data, Source(len(offsets), table.layout.size, np.array(offsets, np.int64)))

    def _index(self, table: Table, compiler: Compiler) -> _Index:
        """Return the table's index; it is made anew if the rows were merged elsewhere in between."""
        index = self._indexes.get(id(table))
        size = table.layout.size
        if index is not None and table.adopted and len(table.rows) == index.count * size:
            return index
        rows = np.frombuffer(bytes(table.rows), np.uint8)
        index = _Index(np.empty(0, np.uint8), 0, np.zeros(_SMALLEST, np.int64))
        if len(rows):
            self._merge_compiled(compiler, table.layout, index, rows, Source(len(rows) // size, size))
        self._indexes[id(table)] = index
        return index

    @staticmethod
    def _merge_compiled(compiler: Compiler, layout: Layout, index: _Index, raw: Bytes, source: Source
                        ) -> None:
        merge = compiler.merge(layout, source.offsets is None)
        offsets = source.offsets.ctypes.data if source.offsets is not None else None
        done, size = 0, layout.size
        while True:
            room = len(index.rows) // size
            limit = min(room, len(index.entries) // 2)
            count = ctypes.c_int64(index.count)
            done = merge(raw.ctypes.data, offsets, done, source.count, index.rows.ctypes.data,
                         ctypes.addressof(count), limit, index.entries.ctypes.data, index.mask)
            index.count = count.value
            if done >= source.count:
                return
            if index.count >= room:
                grown = np.empty(max(2 * room, 1024) * size, np.uint8)
                grown[:index.count * size] = index.rows[:index.count * size]
                index.rows = grown
            if index.count >= len(index.entries) // 2:
                entries = np.zeros(4 * len(index.entries), np.int64)
                compiler.rehash(index.entries.ctypes.data, len(index.entries), entries.ctypes.data,
                                len(entries) - 1)
                index.entries = entries


def _check_parameters(table: Table, raw: Bytes, source: Source) -> None:
    """Raise AnswerError unless all records have the parameters that the table's first row has."""
    at = table.layout.value.offset
    if source.offsets is None:
        words = _matrix(raw, source)[:, at:at + 8]
    else:
        words = raw[source.offsets[:, None] + np.arange(at, at + 8)]
    known = np.frombuffer(bytes(table.rows[at:at + 8]) or words[0].tobytes(), np.uint8)
    if not (words == known).all():
        raise AnswerError(f"one aggregation has two sets of parameters for action "
                          f"{table.layout.value.action:#x}")


def _matrix(raw: Bytes, source: Source) -> Bytes:
    """The records as rows of a matrix of bytes."""
    if source.offsets is None:
        return raw[:source.count * source.size].reshape(-1, source.size)
    return raw[source.offsets[:, None] + np.arange(source.size)]


def _merge_arrays(layout: Layout, rows: bytes | bytearray | memoryview, raw: Bytes, source: Source
                  ) -> memoryview:
    """numpy's way: sort by key, then reduce each run of equal keys.  Rows stay in order of appearance."""
    size, value = layout.size, layout.value.offset
    old = np.frombuffer(rows, np.uint8).reshape(-1, size)
    every = np.concatenate((old, _matrix(raw, source)))
    keys = np.ascontiguousarray(every[:, KEY_AT:value]).view(f"V{value - KEY_AT}").ravel()
    _unique, first, group = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(group, kind="stable")
    starts = np.searchsorted(group[order], np.arange(len(first)))
    words = np.ascontiguousarray(every[order][:, value:value + layout.value.size]).view("<i8")
    merged = _reduce(layout, words, starts)
    result = every[first].copy()
    result[:, value:value + layout.value.size] = merged.view(np.uint8)
    return memoryview(np.ascontiguousarray(result[np.argsort(first)]).ravel().data)


def _reduce(layout: Layout, words: Offsets, starts: Offsets) -> Offsets:
    action = layout.value.action
    if action == ActionKind.AGG_MIN:
        return np.minimum.reduceat(words, starts)
    if action == ActionKind.AGG_MAX:
        return np.maximum.reduceat(words, starts)
    merged = np.add.reduceat(words, starts)
    if layout.constant:
        merged[:, 0] = words[starts, 0]
    if action == ActionKind.AGG_STDDEV:  # carries of the low half of the sum of squares
        low = words[:, 2].view("<u8")
        halves = np.add.reduceat(np.stack((low & 0xFFFFFFFF, low >> 32), axis=1), starts)
        carry = ((halves[:, 0] >> np.uint64(32)) + halves[:, 1]) >> np.uint64(32)
        merged[:, 3] += carry.astype("<i8")
    return merged
