"""Numbers of a given width."""

from __future__ import annotations

MASK32, MASK64 = (1 << 32) - 1, (1 << 64) - 1


def signed(value: int, bits: int) -> int:
    """The lowest `bits` of a value as a signed number."""
    return (value & (1 << bits) - 1 ^ 1 << bits - 1) - (1 << bits - 1)
