"""Numbers of a given width."""

from __future__ import annotations

from dif.limits import MASK

MASK32, MASK64 = (1 << 32) - 1, MASK


def signed(value: int, bits: int) -> int:
    """The lowest `bits` of a value as a signed number."""
    return (value & (1 << bits) - 1 ^ 1 << bits - 1) - (1 << bits - 1)


UNCHANGED = 0xFFFFFFFF  # in place of an id that is not to change


def wide_id(value: int) -> int:
    """Return the id that 16 bits mean: all of them are UNCHANGED."""
    return UNCHANGED if value & 0xFFFF == 0xFFFF else value & 0xFFFF


def narrow_id(value: int) -> int:
    """Return an id as 16 bits tell it: 65534 for one that needs more."""
    return value if value <= 0xFFFF else 65534
