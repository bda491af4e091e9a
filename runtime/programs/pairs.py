"""Numbers that D has no type for: to it, and where functions get them, they are structures of two numbers."""

from __future__ import annotations

from dc.types.scopes import Scope
from dc.types.types import Float, Member, Record, Type
from dif.elfnumbers import EM_386, EM_X86_64

WIDE = 16  # bytes of such an integer, and of such a floating-point number
_QUADS = frozenset(("long double", "_Float128", "__float128"))


class Pair(Record):
    """A number that is two; its members tell which."""

    __slots__ = ()


class Numbers:
    """Types of numbers of a program: `machine` is its e_machine, `order` its byte order, "<" or ">"."""

    def __init__(self, scope: Scope, machine: int, order: str) -> None:
        self._scope, self._order = scope, order
        self._extended = machine in (EM_386, EM_X86_64)  # long double is x87's, which D can show

    def integer(self, name: str, signed: bool) -> Type:
        """One of 128 bits: `low`, and `high`, which has the sign."""
        low = "low", self._scope.basic("unsigned long long")
        high = "high", self._scope.basic("long long") if signed else low[1]
        return self._pair(name, *((low, high) if self._order == "<" else (high, low)), WIDE)

    def floating(self, name: str, size: int) -> Type:
        """One of `size` bytes; if those are 128 bits of a number, `low` and `high`."""
        known = self._scope.lookup(name)
        if size == WIDE and name in _QUADS and not (name == "long double" and self._extended):
            return self.integer(name, False)
        return known if isinstance(known, Float) and known.size == size else Float(name, size, min(size, 16))

    def complex(self, name: str, size: int) -> Type:
        """One of `size` bytes: `real` and `imag`."""
        part = self.floating({4: "float", 8: "double"}.get(size // 2, "long double"), size // 2)
        return self._pair(name, ("real", part), ("imag", part), part.align)

    def _pair(self, name: str, first: tuple[str, Type], second: tuple[str, Type], align: int) -> Type:
        record, size = Pair("struct", name, self._scope.name, userland=True), first[1].size
        record.define([Member(*first, 0), Member(*second, 8 * size)], 2 * size, align)
        return record


def is_complex(type_: Type) -> bool:
    base = type_.resolve()
    return isinstance(base, Pair) and (base.members or [])[0].name == "real"


def is_quad(type_: Type) -> bool:
    """Whether it is a floating-point number of 128 bits."""
    base = type_.resolve()
    return isinstance(base, Pair) and base.tag in _QUADS
