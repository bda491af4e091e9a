"""Numbers of a given width."""

from __future__ import annotations


def signed(value: int, bits: int) -> int:
    """The lowest `bits` of a value as a signed number."""
    return (value & (1 << bits) - 1 ^ 1 << bits - 1) - (1 << bits - 1)
