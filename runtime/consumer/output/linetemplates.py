"""Templates: a line's text with a `%` specification for each value, and where the values lie.

A template shows one firing, or a run of them at once: one unpacking and one `%` for all.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from itertools import chain

from dif.records import NamedTuple

_LATIN = "latin-1"  # a character for each byte

Convert = Callable[[bytes], bytes]


class Field(NamedTuple):
    """A value: where it lies, its code of struct, and what makes its text if it is not a number."""

    offset: int
    size: int
    code: str
    convert: Convert | None = None


class Template(NamedTuple):
    """Text with a specification for each field; fields lie one after another."""

    text: bytes
    fields: Sequence[Field]

    def _struct(self, size: int = 0) -> struct.Struct:
        """The fields as a struct, filled up to `size`."""
        layout, at = "<", 0
        for field in self.fields:
            layout += f"{field.offset - at}x{field.code}"
            at = field.offset + field.size
        return struct.Struct(f"{layout}{size - at}x" if size > at else layout)

    def one(self) -> Callable[[bytes, int], bytes]:
        """Return what makes the text of the values that lie at an offset in some bytes."""
        template, unpack = self.text, self._struct().unpack_from
        converts = [(place, field.convert) for place, field in enumerate(self.fields) if field.convert]

        def plain(data: bytes, base: int) -> bytes:
            return template % unpack(data, base)

        def converted(data: bytes, base: int) -> bytes:
            values = list(unpack(data, base))
            for place, convert in converts:
                values[place] = convert(values[place])
            return template % tuple(values)

        return converted if converts else plain

    def many(self, size: int) -> Callable[[memoryview], bytes]:
        """Return what makes the text of values every `size` bytes."""
        # Text of characters is made in half the time of bytes.
        text, unpack = self.text.decode(_LATIN), self._struct(size).iter_unpack
        converts = [field.convert for field in self.fields]

        def numbers(data: memoryview) -> bytes:
            return (text * (len(data) // size) % tuple(chain.from_iterable(unpack(data)))).encode(_LATIN)

        def converted(data: memoryview) -> bytes:
            columns = [column if convert is None else [convert(value).decode(_LATIN) for value in column]
                       for column, convert in zip(zip(*unpack(data), strict=True), converts, strict=True)]
            values = tuple(chain.from_iterable(zip(*columns, strict=True)))
            return (text * len(columns[0]) % values).encode(_LATIN)

        return converted if any(converts) else numbers
