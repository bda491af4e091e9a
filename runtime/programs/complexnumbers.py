"""Complex numbers: to D, and where functions get one, structures of two numbers."""

from __future__ import annotations

from dc.types.types import Float, Member, Record, Type

_PARTS = {4: "float", 8: "double"}


def complex_number(name: str, size: int, module: str) -> Record:
    """The type of a complex number of `size` bytes; `name` is two words or more, as no structure's tag is."""
    half = size // 2
    part = Float(_PARTS.get(half, "long double"), half, min(half, 16))
    record = Record("struct", name, module, userland=True)
    record.define([Member("real", part, 0), Member("imag", part, 8 * half)], size, part.align)
    return record


def is_complex(type_: Type) -> bool:
    """Whether a type is a complex number's, and no structure of two numbers."""
    base = type_.resolve()
    return isinstance(base, Record) and " " in (base.tag or "")
