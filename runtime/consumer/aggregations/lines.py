"""Rows of large tables as lines of text, without an object for a row: by the kernel of linekernel.py.

What a line is made of is a list of pieces, which `text`, `number`, `value` and `string` make.  `lines` yields
the text of many rows at a time.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from dif.records import NamedTuple
from runtime.border import RecDesc
from runtime.consumer.aggregations.entries import Row
from runtime.consumer.aggregations.linekernel import HEX, LEFT, NUMBER, STRING, TEXT, VALUE, WORDS, ZEROS
from runtime.consumer.aggregations.ranking import Ranked

_CHUNK = 1 << 18  # bytes of text at a time
_DIGITS = 24  # more than a number has, with its sign


class Piece(NamedTuple):
    """A part of a line: the kernel's words, the literal text, and how long its text can be."""

    kind: int
    at: int
    size: int
    how: int
    column: int
    text: bytes
    longest: int


def column(width: int, flags: str = "", hexadecimal: bool = False) -> int:
    """The kernel's word for a width and printf()'s flags `-` and `0`."""
    return width << 3 | LEFT * ("-" in flags) | ZEROS * ("0" in flags) | HEX * hexadecimal


def text(literal: bytes) -> Piece:
    return Piece(TEXT, 0, len(literal), 0, 0, literal, len(literal))


def number(record: RecDesc, signed: bool, column: int) -> Piece:
    """An integer key of 1, 2, 4 or 8 bytes."""
    return Piece(NUMBER, record.offset, record.size, signed, column, b"", max(column >> 3, _DIGITS))


def value(turn: int, signed: bool, column: int) -> Piece:
    """The number that an aggregation shows; `turn` counts those of a line."""
    return Piece(VALUE, turn, 0, signed, column, b"", max(column >> 3, _DIGITS))


def string(record: RecDesc, strict: bool, column: int) -> Piece:
    """A key up to its first NUL.  Rows where a `strict` one is no printable C string are made as objects."""
    return Piece(STRING, record.offset, record.size, strict, column, b"", max(column >> 3, record.size))


def lines(rows: Ranked, pieces: Sequence[Piece], line: Callable[[Row], bytes]) -> Iterator[bytes]:
    """Yield the text of rows, many at a time; `line` makes that of a row with an odd string."""
    texts = np.frombuffer(b"".join(piece.text for piece in pieces) or b"\0", np.uint8)
    words, at = np.zeros((max(len(pieces), 1), WORDS), np.int64), 0
    for place, piece in enumerate(pieces):
        words[place] = piece[:WORDS]
        if piece.kind == TEXT:
            words[place, 1], at = at, at + piece.size
    values, data = rows.values(), np.frombuffer(rows.table.rows, np.uint8)
    longest = sum(piece.longest for piece in pieces)
    out, written = np.empty(_CHUNK + longest, np.uint8), ctypes.c_int64()
    done, count, kernel = 0, len(rows.numbers), rows.compiler.lines
    while done < count:
        done = kernel(data.ctypes.data, rows.table.layout.size, rows.numbers.ctypes.data, done, count,
                      values.ctypes.data, len(rows.table), words.ctypes.data, len(pieces),
                      texts.ctypes.data, out.ctypes.data, _CHUNK, ctypes.addressof(written))
        if written.value:
            yield out[:written.value].tobytes()
        if done < count and written.value <= _CHUNK:
            yield line(rows.row(int(rows.numbers[done])))
            done += 1
