"""A symbol table in which few symbols are looked for: the others are numbers in columns, not objects."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from dof.elf import ElfError, ElfFile, Section, Symbol, string_at

_HERE = {"little": "<", "big": ">"}[sys.byteorder]


class SymbolSearch:
    """The table in `section` of a file.  Raises ElfError for one that is broken, too long, or in another byte
    order than the host's.
    """

    def __init__(self, elf: ElfFile, section: Section) -> None:
        if elf.order != _HERE:
            raise ElfError("another byte order")
        elf.demand_few(section)
        self._strings = bytes(elf.contents(elf.section_at(section.link)))
        self._wide = elf.bits == 64
        size = 24 if self._wide else 16
        table = bytes(elf.contents(section))
        self._table = memoryview(table[:len(table) // size * size])
        self._words = self._table.cast("I")
        self._names = self._words[::size // 4].tolist()
        self._values = (self._table.cast("Q")[1::3] if self._wide else self._words[1::4]).tolist()
        if max(self._names, default=0) > len(self._strings):
            raise ElfError("a name lies outside its string table")

    def named(self, name: bytes) -> Iterator[Symbol]:
        """The symbols of that name, with a version or without, in the order of the table."""
        offsets = {*self._places(name + b"\0"), *self._places(name + b"@")}
        return (self._symbol(index) for index, each in enumerate(self._names) if each in offsets)

    def at(self, values: set[int]) -> Iterator[Symbol]:
        """The symbols with one of these values, in the order of the table."""
        return (self._symbol(index) for index, each in enumerate(self._values) if each in values)

    def mentions(self, text: bytes) -> bool:
        """Whether a name has this text in it."""
        return text in self._strings

    def _places(self, text: bytes) -> Iterator[int]:
        at = self._strings.find(text)
        while at >= 0:
            yield at
            at = self._strings.find(text, at + 1)

    def _symbol(self, index: int) -> Symbol:
        name = string_at(self._strings, self._names[index])
        if self._wide:
            at, size = 24 * index, self._table.cast("Q")[3 * index + 2]
        else:
            at, size = 16 * index + 8, self._words[4 * index + 2]
        info, other = self._table[at + 4], self._table[at + 5]
        section = self._table[at + 6:at + 8].cast("H")[0]
        return Symbol(name, self._values[index], size, info, other, section)
