"""Large snapshots: tables merged by compiled kernels.

Once a table has been merged here its rows live in an array, and its index is the kernels'.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from dif.records import Record
from runtime.consumer.aggregations.entries import Layout, Table
from runtime.consumer.aggregations.jit import Compiler
from runtime.consumer.events.errors import AnswerError

_SMALLEST = 1 << 12  # index entries
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
    """Array work of one consumer, and the state of the tables it merged.

    `compiler` makes the kernels.  Raises jit.Unavailable where there cannot be any.
    """

    def __init__(self) -> None:
        self.compiler = Compiler()
        self._indexes: dict[int, _Index] = {}

    def unindex(self, table: Table) -> None:
        """Let a table's index go, until rows are merged into it again."""
        self._indexes.pop(id(table), None)

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
        count = ctypes.c_int64(found)
        at = self.compiler.scan(raw.ctypes.data, at, len(raw), sizes.ctypes.data, len(sizes),
                                offsets.ctypes.data, ids.ctypes.data, ctypes.addressof(count))
        return at, count.value

    # -- merging -------------------------------------------------------------------------------------

    def merge(self, table: Table, data: bytes, source: Source) -> None:
        """Merge a snapshot's records into `table`."""
        self._merge(table, np.frombuffer(data, np.uint8), source)

    def merge_rows(self, table: Table, rows: Bytes) -> None:
        """Merge records that follow one another."""
        self._merge(table, rows, Source(len(rows) // table.layout.size, table.layout.size))

    def _merge(self, table: Table, raw: Bytes, source: Source) -> None:
        if (source.offsets is not None and source.count and \
                int(source.offsets[-1]) + source.size > len(raw)) or source.count * source.size > len(raw):
            raise AnswerError("an aggregation record goes beyond the end of its buffer")
        if table.layout.constant and source.count:
            _check_parameters(table, raw, source)
        index = self._index(table)
        self._merge_compiled(table.layout, index, raw, source)
        table.adopt(memoryview(index.rows.data)[:index.count * table.layout.size])

    def merge_few(self, table: Table, data: bytes, offsets: list[int]) -> None:
        """Merge a few records into a table whose rows are here already."""
        self.merge(table, data, Source(len(offsets), table.layout.size, np.array(offsets, np.int64)))

    def _index(self, table: Table) -> _Index:
        """Return the table's index; it is made anew if the rows were merged elsewhere in between."""
        index = self._indexes.get(id(table))
        size = table.layout.size
        if index is not None and table.adopted and len(table.rows) == index.count * size:
            return index
        rows = np.frombuffer(bytes(table.rows), np.uint8)
        index = _Index(np.empty(0, np.uint8), 0, np.zeros(_SMALLEST, np.int64))
        if len(rows):
            self._merge_compiled(table.layout, index, rows, Source(len(rows) // size, size))
        self._indexes[id(table)] = index
        return index

    def _merge_compiled(self, layout: Layout, index: _Index, raw: Bytes, source: Source) -> None:
        merge = self.compiler.merge(layout, source.offsets is None)
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
                entries = np.zeros(2 * len(index.entries), np.int64)
                self.compiler.rehash(index.entries.ctypes.data, len(index.entries), entries.ctypes.data,
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
