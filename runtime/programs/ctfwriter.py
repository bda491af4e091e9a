"""The types of a scope as Compact Type Format: one dictionary, in GNU's third version of the format, which
runtime.programs.ctf reads.  So kernels tell each other's consumers what their types are.

Little-endian.  After a preamble (magic, version, flags) and twelve words come, compressed with zlib:
variables (name, type), types (name, info, size or type, and what their kind has), and strings.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Iterator

from dc.types.scopes import Scope
from dc.types.types import (
    Array,
    Enum,
    Float,
    Function,
    Integer,
    Kind,
    Pointer,
    Qualified,
    Record,
    Type,
    Typedef,
)
from runtime.programs.ctf import CHAR, COMPRESSED, GNU_MAGIC, GNU_VERSION, SIGNED, SLICE

_LARGE = 0xFFFFFFFF  # a size that says that the true one follows
_LARGE_STRUCTURE = 1 << 29  # bytes from which on members have offsets of two words
_TAGS = ("struct ", "union ", "enum ", "")


def write_ctf(scope: Scope, words: Iterable[str]) -> bytes:
    """Return the types, enumerators and variables of a scope that have these names, as one dictionary."""
    writer = _Writer()
    variables: list[tuple[str, int]] = []
    for word in sorted(set(words)):
        for tag in _TAGS:
            found = scope.own(tag + word) if word.isidentifier() else None
            if found is not None:
                writer.number(found)
        variable = scope.variable(word) if word.isidentifier() else None
        if variable is not None:
            variables.append((word, writer.number(variable)))
    return writer.dictionary(variables)


class _Writer:
    """Gives each type a number, in the order in which types are met."""

    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}
        self._types: list[Type] = []  # kept, so that no id() is used twice
        self._strings = bytearray(b"\0")
        self._known: dict[str, int] = {"": 0}

    def number(self, type_: Type) -> int:
        """The number of a type; 0 for void."""
        if type_.is_void() and isinstance(type_, Integer):
            return 0
        found = self._numbers.get(id(type_))
        if found is None:
            self._types.append(type_)
            found = self._numbers[id(type_)] = len(self._types)
        return found

    def _name(self, text: str | None) -> int:
        if (text or "") not in self._known:
            self._known[text or ""] = len(self._strings)
            self._strings += (text or "").encode() + b"\0"
        return self._known[text or ""]

    def dictionary(self, variables: list[tuple[str, int]]) -> bytes:
        written = bytearray()
        at = 0
        while at < len(self._types):  # writing one may give others numbers
            for piece in self._written(self._types[at]):
                written += piece
            at += 1
        named = b"".join(struct.pack("<II", self._name(name), number) for name, number in variables)
        sections = [0, 0, 0, 0, 0, 0, len(named), len(named) + len(written), len(self._strings)]
        head = struct.pack("<HBB12I", GNU_MAGIC, GNU_VERSION, COMPRESSED, 0, 0, 0, *sections)
        return head + zlib.compress(named + written + bytes(self._strings))

    def _head(self, name: str | None, kind: int, size: int, count: int = 0) -> bytes:
        info = kind << 26 | 1 << 25 | count
        if size < _LARGE:
            return struct.pack("<III", self._name(name), info, size)
        return struct.pack("<5I", self._name(name), info, _LARGE, size >> 32, size & 0xFFFFFFFF)

    def _written(self, type_: Type) -> Iterator[bytes]:
        """The bytes of one type."""
        if isinstance(type_, Integer):
            yield from self._integer(type_)
        elif isinstance(type_, Float):
            yield self._head(type_.name, Kind.FLOAT, type_.size) + struct.pack("<I", 8 * type_.size)
        elif isinstance(type_, Pointer):
            yield self._head("", Kind.POINTER, self.number(type_.target))
        elif isinstance(type_, Typedef):
            yield self._head(type_.name, Kind.TYPEDEF, self.number(type_.target))
        elif isinstance(type_, Qualified):
            yield self._head("", type_.kind, self.number(type_.target))
        elif isinstance(type_, Array):
            yield self._head("", Kind.ARRAY, 0)
            yield struct.pack("<III", self.number(type_.element), 0, type_.count)
        elif isinstance(type_, Function):
            numbers = [self.number(each) for each in type_.parameters] + [0] * type_.variadic
            padded = numbers + [0] * (len(numbers) & 1)
            yield self._head("", Kind.FUNCTION, self.number(type_.returns), len(numbers))
            yield struct.pack(f"<{len(padded)}I", *padded)
        elif isinstance(type_, Enum):
            values = type_.values or {}
            yield self._head(type_.tag, Kind.ENUM, type_.size, len(values))
            for label, value in values.items():
                yield struct.pack("<Ii", self._name(label), value)
        elif isinstance(type_, Record):
            yield from self._record(type_)
        else:
            yield self._head("", Kind.UNKNOWN, 0)

    def _integer(self, type_: Integer) -> Iterator[bytes]:
        if 0 < type_.bits < 8 * type_.size:  # a bit-field is a slice of the type of its storage
            whole: Type = type_.enum or Integer(type_.name, type_.size, type_.signed, type_.char,
                                                8 * type_.size, type_.align)
            yield self._head("", SLICE, type_.size) + struct.pack("<IHH", self.number(whole), 0, type_.bits)
            return
        flags = SIGNED * type_.signed | CHAR * type_.char
        yield self._head(type_.name, Kind.INTEGER, type_.size)
        yield struct.pack("<I", flags << 24 | 8 * type_.size)

    def _record(self, type_: Record) -> Iterator[bytes]:
        kind = Kind.STRUCT if type_.keyword == "struct" else Kind.UNION
        if not type_.is_defined:
            yield self._head(type_.tag, Kind.FORWARD, kind)
            return
        members = type_.members or []
        yield self._head(type_.tag, kind, type_.size, len(members))
        for each in members:
            number, name = self.number(each.type), self._name(each.name)
            if type_.size < _LARGE_STRUCTURE:
                yield struct.pack("<III", name, each.offset, number)
            else:
                yield struct.pack("<4I", name, each.offset >> 32, number, each.offset & 0xFFFFFFFF)
