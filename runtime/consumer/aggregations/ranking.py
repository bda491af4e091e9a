"""Large tables in order, and their values normalized: numpy sorts, compiled kernels say what values weigh.

Every order here is that of `entries.by_key` and `entries.by_value`.  Rows are returned as
their numbers in their table.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dif.records import Record
from dof.model import ActionKind
from runtime.border import RecDesc
from runtime.consumer.aggregations.entries import (
    KEY_AT,
    PAIRS,
    Entry,
    Layout,
    Row,
    Table,
    by_value,
    weights_of,
)
from runtime.consumer.aggregations.results import Aggregated
from runtime.consumer.aggregations.valuekernels import COMPARED
from runtime.consumer.events.stacks import STACKS

if TYPE_CHECKING:
    from runtime.consumer.aggregations.bulk import Bulk
    from runtime.consumer.aggregations.jit import Compiler

Numbers = NDArray[np.int64]
Words = NDArray[np.uint64]
Column = NDArray[np.generic]  # numbers or strings
_SIGN = np.uint64(1 << 63)
_NOTHING = (_SIGN, 0, _SIGN)  # the three words of a value that is zero
_INTEGERS = {1: "<u1", 2: "<u2", 4: "<i4", 8: "<i8"}


def matrix(table: Table) -> NDArray[np.uint8]:
    """A table's rows as rows of bytes."""
    return np.frombuffer(table.rows, np.uint8).reshape(-1, table.layout.size)


def _value_words(table: Table, count: int | None = None) -> Numbers:
    """The words of the values, signed; the first `count` of each."""
    value = table.layout.value
    size = value.size if count is None else 8 * count
    return np.ascontiguousarray(matrix(table)[:, value.offset:value.offset + size]).view("<i8")


# -- values as three words that order them ---------------------------------------------------------

def _weights(table: Table) -> tuple[Numbers, int] | None:
    """What the words of a table's values weigh; None if that differs from row to row, or is too much."""
    if not table.layout.distribution:
        return np.array([], np.int64), -1
    first = _value_words(table, 1)[:, 0]
    if table.layout.constant and not (first == first[0]).all():
        return None
    weights, zero = weights_of(table.layout.value.action, int(first[0]))
    words = table.layout.words
    if len(weights) < words or max(map(abs, weights)) >> 63:
        return None
    return np.array(weights[:words], np.int64), zero


def _split(values: Sequence[tuple[int, ...]]) -> Words:
    """Totals and weights at zero as the words that weigh() makes."""
    mask, sign = (1 << 64) - 1, 1 << 63
    return np.array([((total >> 64 & mask) ^ sign, total & mask, (zero & mask) ^ sign)
                     for total, zero in ((value[0], value[1] if len(value) > 1 else 0) for value in values)],
                    np.uint64).reshape(-1, COMPARED)


def value_order(table: Table, compiler: Compiler) -> Words:
    """Three words a row: rows compare by value as these do, the first word first."""
    layout, count = table.layout, len(table)
    if count and (weights := _weights(table)) is not None:
        out = np.empty((count, COMPARED), np.uint64)
        rows = np.frombuffer(table.rows, np.uint8)
        compiler.values("weigh", layout)(rows.ctypes.data, count, weights[0].ctypes.data, weights[1],
                                         out.ctypes.data, COMPARED)
        return out
    words, action = _value_words(table), layout.value.action
    return _split([by_value(tuple(row), action) for row in words.tolist()])


# -- order -----------------------------------------------------------------------------------------

def _telling(words: Words) -> list[Words]:
    """The columns that are not the same in all rows, each by itself: the rest of many takes much room."""
    return [column.copy() for column in words.T if (column != column[:1]).any()]


def _key_words(table: Table, position: int) -> Iterator[Words]:
    """The keys as words that compare one after another, from the key at `position` (0 the first) and wrapping
    around: a word for each row.

    Integers compare as unsigned numbers, other keys byte by byte, of which eight are a word.
    """
    keys, rows = table.layout.keys, matrix(table)
    first = position if position < len(keys) else 0
    for key in keys[first:] + keys[:first]:
        size = key.size
        if size in (1, 2, 4, 8) or key.action in PAIRS:
            width = min(size, 8)
            for at in range(key.offset, key.offset + size, width):
                numbers = np.ascontiguousarray(rows[:, at:at + width]).view(f"<u{width}")
                yield numbers.ravel().astype(np.uint64, copy=False)
            continue
        for at in range(0, size, 8):
            word = np.zeros((len(rows), 8), np.uint8)
            part = rows[:, key.offset + at:key.offset + min(at + 8, size)]
            word[:, :part.shape[1]] = part
            yield word.view(">u8").ravel().astype(np.uint64)


def rank(table: Table, position: int, values: Sequence[Words]) -> Numbers:
    """Row numbers in ascending order: by each of `values` in turn, then by the keys from `position`.

    Each of `values` has a word for each row.  Word by word those rows are sorted that are the same so far.
    """
    count = len(table)
    order = np.arange(count)
    begins = np.zeros(count, bool)  # whether another group of rows begins there, which are the same so far
    begins[:1] = True
    left = np.arange(count)  # places in `order` of rows that are not alone in their group
    for word in chain(values, _key_words(table, position)):
        if len(left) < 2:
            break
        found = word[order[left]]
        if (found == found[0]).all():
            continue
        grouped = begins[left]
        sorting = np.lexsort((found, np.cumsum(grouped))) if np.count_nonzero(grouped) > 1 \
            else np.argsort(found, kind="stable")
        order[left], found = order[left][sorting], found[sorting]
        begins[left[1:]] |= found[1:] != found[:-1]
        ends = np.append(begins[1:], True)
        left = np.flatnonzero(~(begins & ends))
    return order


def ranking(table: Table, by_values: bool, position: int, compiler: Compiler) -> Numbers:
    """Row numbers in ascending order, by value and then by keys or by keys alone."""
    return rank(table, position, _telling(value_order(table, compiler)) if by_values else [])


# -- several aggregations side by side -------------------------------------------------------------

def joinable(tables: Sequence[Table]) -> bool:
    """Whether the tables' keys lie alike, so that rows of equal keys are equal bytes there."""
    return len({(table.layout.keys, table.layout.value.offset) for table in tables}) == 1


def join(tables: Sequence[Table], bulk: Bulk) -> Table:
    """A row for every key that any of the tables has.  Its values are the row numbers there plus one."""
    keys, offset = tables[0].layout.keys, tables[0].layout.value.offset
    size = offset + 8 * len(tables)
    joined = Table(0, Layout(size, keys, RecDesc(ActionKind.AGG_SUM, size - offset, offset, 8, 0, 0, 0)))
    for n, table in enumerate(tables):
        rows = np.zeros((len(table), size), np.uint8)
        rows[:, KEY_AT + 8:offset] = matrix(table)[:, KEY_AT + 8:offset]
        at = offset + 8 * n
        rows[:, at:at + 8] = np.arange(1, len(table) + 1, dtype="<i8").view(np.uint8).reshape(-1, 8)
        bulk.merge_rows(joined, rows.ravel())
    return joined


def join_numbers(joined: Table) -> Numbers:
    """The row numbers in each table, one column a table; -1 where it has no such key."""
    return _value_words(joined) - 1


def joined_order(joined: Table, tables: Sequence[Table], turns: Sequence[int], position: int,
                 compiler: Compiler) -> Numbers:
    """Row numbers in `joined`, in ascending order: by the values of the tables in `turns`, then by keys."""
    values: list[Words] = []
    for turn in turns:
        words = np.full((len(joined), COMPARED), _NOTHING, np.uint64)
        numbers = join_numbers(joined)[:, turn]
        words[numbers >= 0] = value_order(tables[turn], compiler)[numbers[numbers >= 0]]
        values += _telling(words)
    return rank(joined, position, values)


# -- normalization ---------------------------------------------------------------------------------

def normalized(table: Table, compiler: Compiler) -> Numbers:
    """What rows show: a number each, or a row of a distribution's counts without its parameter."""
    count, layout = len(table), table.layout
    width = layout.words - layout.constant if layout.distribution else 1
    out = np.empty((count, width), np.int64)
    done = min(table.normalized // layout.size, count)
    for first, last, normal in ((0, done, table.normal), (done, count, 1)):
        if first == last:
            continue
        rows = np.frombuffer(table.rows, np.uint8)[first * layout.size:]
        part = out[first:]
        compiler.values("normalize", layout)(rows.ctypes.data, last - first,
                                             normal - (1 << 64) if normal >> 63 else normal, part.ctypes.data)
    return out if layout.distribution else out[:, 0]


class Ranked:
    """Rows of a table in an order: `numbers` of them.  Entries are made when they are asked for."""

    def __init__(self, table: Table, numbers: Numbers, compiler: Compiler) -> None:
        self.table = table
        self.numbers = np.ascontiguousarray(numbers)
        self.compiler = compiler

    def __len__(self) -> int:
        return len(self.numbers)

    def entries(self) -> Iterator[Entry]:
        """Yield the entries in their order."""
        size = self.table.layout.size
        return (self.table.entry(number * size) for number in self.numbers.tolist())

    def rows(self) -> Iterator[Row]:
        """Yield the lines of a printa()."""
        return map(self.row, self.numbers.tolist())

    def row(self, number: int) -> Row:
        """The line of the row of that number."""
        entry = self.table.entry(number * self.table.layout.size)
        return Row(entry, (entry.value,))

    @property
    def shown(self) -> tuple[Table, ...]:
        """The tables whose values are shown."""
        return (self.table,)

    @property
    def width(self) -> int:
        """How many values a row shows."""
        return 1

    def values(self) -> Numbers:
        """What all rows of `table` show, by number: a row of the array for each that a row shows."""
        return normalized(self.table, self.compiler).reshape(1, -1)

    def without(self, ids: set[int]) -> Ranked:
        """The rows that were not first made by one of the clauses with these aggregation ids."""
        if not ids:
            return self
        kept = ~np.isin(_ids(self.table)[self.numbers], np.array(sorted(ids), np.uint32))
        return Ranked(self.table, self.numbers[kept], self.compiler)


class Joined(Ranked):
    """Rows of several aggregations side by side: `table` is that of `join`, whose rows tell theirs.

    `places` are the aggregations shown, by their place among `tables`; None is one that has no row at all.
    `zeros` are what is shown where one has no value.
    """

    def __init__(self, table: Table, numbers: Numbers, compiler: Compiler, tables: Sequence[Table],
                 places: Sequence[int | None], zeros: Sequence[Aggregated]) -> None:
        super().__init__(table, numbers, compiler)
        self._tables, self._places, self._zeros = tables, places, zeros
        self._numbers = join_numbers(table)

    def entries(self) -> Iterator[Entry]:
        return (row.keys for row in self.rows())

    def row(self, number: int) -> Row:
        found = [table.entry(at * table.layout.size) if at >= 0 else None
                 for table, at in zip(self._tables, self._numbers[number].tolist(), strict=True)]
        first = min((entry for entry in found if entry is not None), key=lambda entry: entry.variable)
        return Row(first, tuple(zero if place is None or (entry := found[place]) is None else entry.value
                                for place, zero in zip(self._places, self._zeros, strict=True)))

    @property
    def shown(self) -> tuple[Table, ...]:
        return tuple(self._tables)

    @property
    def width(self) -> int:
        return len(self._places)

    def values(self) -> Numbers:
        out = np.zeros((len(self._places), len(self.table)), np.int64)
        for turn, place in enumerate(self._places):
            if place is not None:
                numbers = self._numbers[:, place]
                out[turn] = np.where(numbers >= 0, normalized(self._tables[place], self.compiler)[numbers], 0)
        return out


def _ids(table: Table) -> NDArray[np.uint32]:
    """The aggregation id of each row."""
    return np.ascontiguousarray(matrix(table)[:, :4]).view("<u4").ravel()


def ids(table: Table) -> set[int]:
    """The aggregation ids of a table's rows."""
    return set(np.unique(_ids(table)).tolist())


def numeric(table: Table) -> bool:
    """Whether each row of a table shows one number of 64 bits with a sign."""
    action = table.layout.value.action
    if action == ActionKind.AGG_AVG:
        return bool((_value_words(table, 1) >= 0).all())
    if action == ActionKind.AGG_STDDEV:  # the root of less than 2**126 is less than 2**63
        words = _value_words(table)
        return bool((words[:, 0] >= 0).all() and (words[:, 3] >= 0).all() and (words[:, 3] < 1 << 62).all())
    return not table.layout.distribution


def clear(table: Table) -> None:
    """Set every value to zero, keeping the parameters of lquantize() and llquantize()."""
    layout = table.layout
    start = layout.value.offset + 8 * layout.constant
    matrix(table)[:, start:layout.value.offset + layout.value.size] = 0


class Columns(Record, frozen=True):
    """All rows of one aggregation, column by column.

    A key is an array of integers (of 8 and 16 bits unsigned, of 32 and 64 bits signed), of strings
    without their NULs, or, for stacks and addresses with their process, a row of 64-bit words each.
    `values` are signed 64-bit numbers; of a distribution, a row of counts each.
    """

    keys: tuple[Column, ...]
    values: Numbers


def _column(table: Table, key: RecDesc, order: Numbers) -> Column:
    part = np.ascontiguousarray(matrix(table)[order, key.offset:key.offset + key.size])
    if key.action in STACKS or key.action in PAIRS:
        return part.view("<u8")
    if key.size in _INTEGERS:
        return part.view(_INTEGERS[key.size]).ravel()
    texts = part.view(f"S{key.size}").ravel()
    return np.array([text.split(b"\0", 1)[0] for text in texts.tolist()], f"S{key.size}")


def columns(table: Table, by_values: bool, position: int, backwards: bool, compiler: Compiler
            ) -> Columns:
    """A table's rows in order, the values normalized."""
    order = ranking(table, by_values, position, compiler)
    if backwards:
        order = order[::-1]
    return Columns(tuple(_column(table, key, order) for key in table.layout.keys),
                   normalized(table, compiler)[order])
