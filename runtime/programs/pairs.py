"""Numbers that D has no type for: to it, and where functions get them, they are structures of two numbers."""

from __future__ import annotations

from dc.types.scopes import Scope
from dc.types.types import Float, Member, Record, Type

WIDE = 16  # bytes of an integer that is two


class Pair(Record):
    """A number that is two; its members tell which."""

    __slots__ = ()


def complex_number(name: str, size: int, module: str) -> Type:
    """A complex number of `size` bytes: `real` and `imag`."""
    part = Float({4: "float", 8: "double"}.get(size // 2, "long double"), size // 2, min(size // 2, 16))
    return _pair(name, module, ("real", part), ("imag", part), part.align)


def wide_integer(name: str, signed: bool, scope: Scope, order: str) -> Type:
    """An integer of WIDE bytes: `low`, and `high`, which has the sign; `order` is "<" or ">"."""
    low = "low", scope.basic("unsigned long long")
    high = "high", scope.basic("long long") if signed else low[1]
    return _pair(name, scope.name, *((low, high) if order == "<" else (high, low)), WIDE)


def _pair(name: str, module: str, first: tuple[str, Type], second: tuple[str, Type], align: int) -> Type:
    record, size = Pair("struct", name, module, userland=True), first[1].size
    record.define([Member(*first, 0), Member(*second, 8 * size)], 2 * size, align)
    return record


def is_complex(type_: Type) -> bool:
    base = type_.resolve()
    return isinstance(base, Pair) and (base.members or [])[0].name == "real"
