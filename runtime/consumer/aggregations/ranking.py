"""Large tables in order, and their values normalized: by compiled kernels, or by numpy without them.

Every order here is that of `entries.by_key` and `entries.by_value`.  Rows are returned as
their numbers in their table.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dif.records import Record
from dof.model import ActionKind
from runtime.border import RecDesc
from runtime.consumer.aggregations.entries import KEY_AT, PAIRS, Layout, Table, by_value, weights_of
from runtime.consumer.aggregations.rankkernels import COMPARED, ENTRY
from runtime.consumer.aggregations.results import Aggregated
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
_DIRECT = frozenset((ActionKind.AGG_COUNT, ActionKind.AGG_SUM, ActionKind.AGG_MIN, ActionKind.AGG_MAX))


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
        return np.zeros(1, np.int64), -1
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


def value_order(table: Table, compiler: Compiler | None) -> Words:
    """Three words a row: rows compare by value as these do, the first word first."""
    layout, count = table.layout, len(table)
    if compiler is not None and count and (weights := _weights(table)) is not None:
        out = np.empty((count, COMPARED), np.uint64)
        rows = np.frombuffer(table.rows, np.uint8)
        compiler.values("weigh", layout)(rows.ctypes.data, count, weights[0].ctypes.data, weights[1],
                                         out.ctypes.data, COMPARED)
        return out
    words, action = _value_words(table), layout.value.action
    if action not in _DIRECT:
        return _split([by_value(tuple(row), action) for row in words.tolist()])
    out = np.full((count, COMPARED), _NOTHING, np.uint64)
    out[:, 0] = (words[:, 0] >> 63).view(np.uint64) ^ _SIGN
    out[:, 1] = words[:, 0].view(np.uint64)
    return out


# -- order -----------------------------------------------------------------------------------------

def _key_columns(table: Table, position: int) -> list[Column]:
    """Arrays that compare as the keys do, from the one at `position`."""
    rows, keys = matrix(table), table.layout.keys
    first = position if position < len(keys) else 0
    columns: list[Column] = []
    for key in keys[first:] + keys[:first]:
        part = np.ascontiguousarray(rows[:, key.offset:key.offset + key.size])
        if key.size in (1, 2, 4, 8):
            columns.append(part.view(f"<u{key.size}").ravel())
        elif key.action in PAIRS:
            columns += list(part.view("<u8").reshape(-1, 2).T)
        else:
            columns.append(part.view(f"S{key.size}").ravel())
    return columns


def rank(table: Table, position: int, values: Sequence[Words], compiler: Compiler | None) -> Numbers:
    """Row numbers in ascending order: by each of `values` in turn, then by the keys from `position`."""
    if compiler is None:
        columns = [column for words in values for column in words.T]
        columns += _key_columns(table, position)
        return np.lexsort(columns[::-1]) if columns else np.arange(len(table))
    count = len(table)
    rows = np.frombuffer(table.rows, np.uint8)
    entries, scratch = np.empty((count, ENTRY), np.uint64), np.empty((count, ENTRY), np.uint64)
    compiler.ranking("keys", table.layout, position)(rows.ctypes.data, count, entries.ctypes.data)
    sort = compiler.ranking("sort", table.layout, position)
    if len(values) == 1:  # the keys decide where values are the same
        _put_value(entries, values[0])
    if sort(entries.ctypes.data, scratch.ctypes.data, count, rows.ctypes.data, 1):
        entries, scratch = scratch, entries
    for words in reversed(values if len(values) > 1 else ()):
        entries[:, :COMPARED] = words[entries[:, COMPARED]]
        if sort(entries.ctypes.data, scratch.ctypes.data, count, rows.ctypes.data, 0):
            entries, scratch = scratch, entries
    return entries[:, COMPARED].astype(np.int64)


def _put_value(entries: Words, words: Words) -> None:
    """Put the value into entries that begin with keys: before these, if it is no more than 64 bits."""
    small = (words[:, 0] == _SIGN - (words[:, 1] >> np.uint64(63))).all() and (words[:, 2] == _SIGN).all()
    if small:
        entries[:, 1:COMPARED] = entries[:, :COMPARED - 1]
        entries[:, 0] = words[:, 1] ^ _SIGN
    else:
        entries[:, :COMPARED] = words


def ranking(table: Table, by_values: bool, position: int, compiler: Compiler | None) -> Numbers:
    """Row numbers in ascending order, by value and then by keys or by keys alone."""
    return rank(table, position, [value_order(table, compiler)] if by_values else [], compiler)


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
                 compiler: Compiler | None) -> Numbers:
    """Row numbers in `joined`, in ascending order: by the values of the tables in `turns`, then by keys."""
    values = []
    for turn in turns:
        words = np.full((len(joined), COMPARED), _NOTHING, np.uint64)
        numbers = join_numbers(joined)[:, turn]
        words[numbers >= 0] = value_order(tables[turn], compiler)[numbers[numbers >= 0]]
        values.append(words)
    return rank(joined, position, values, compiler)


# -- normalization ---------------------------------------------------------------------------------

def _divided(words: Numbers, normal: int) -> Numbers:
    """C's division, towards zero."""
    quotient = (np.abs(words).view(np.uint64) // np.uint64(normal)).view(np.int64)
    return np.where(words < 0, -quotient, quotient)


def normalized(table: Table, compiler: Compiler | None) -> Numbers:
    """What rows show: a number each, or a row of a distribution's counts without its parameter."""
    count, layout = len(table), table.layout
    width = layout.words - layout.constant if layout.distribution else 1
    out = np.empty((count, width), np.int64)
    done = min(table.normalized // layout.size, count)
    for first, last, normal in ((0, done, table.normal), (done, count, 1)):
        if first == last:
            continue
        if compiler is not None:
            rows = np.frombuffer(table.rows, np.uint8)[first * layout.size:]
            part = out[first:]
            compiler.values("normalize", layout)(rows.ctypes.data, last - first,
                                                 normal - (1 << 64) if normal >> 63 else normal,
                                                 part.ctypes.data)
        elif layout.distribution or layout.value.action in _DIRECT:
            out[first:last] = _divided(_value_words(table)[first:last, layout.constant:], normal)
        else:
            numbers = [Aggregated(layout.value, tuple(row), normal).scalar & (1 << 64) - 1
                       for row in _value_words(table)[first:last].tolist()]
            out[first:last, 0] = np.array(numbers, np.uint64).view(np.int64)
    return out if layout.distribution else out[:, 0]


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


def columns(table: Table, by_values: bool, position: int, backwards: bool, compiler: Compiler | None
            ) -> Columns:
    """A table's rows in order, the values normalized."""
    order = ranking(table, by_values, position, compiler)
    if backwards:
        order = order[::-1]
    return Columns(tuple(_column(table, key, order) for key in table.layout.keys),
                   normalized(table, compiler)[order])
