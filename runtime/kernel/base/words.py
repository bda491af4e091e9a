"""Numbers of a given width."""

from __future__ import annotations

from dif.limits import MASK

MASK32, MASK64 = (1 << 32) - 1, MASK


def signed(value: int, bits: int) -> int:
    """The lowest `bits` of a value as a signed number."""
    return (value & (1 << bits) - 1 ^ 1 << bits - 1) - (1 << bits - 1)
