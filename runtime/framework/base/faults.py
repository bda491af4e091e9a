"""Faults of probe processing: what ends a clause early, and what the ERROR probe says of it."""

from __future__ import annotations

from enum import IntEnum


class Fault(IntEnum):
    """DTRACEFLT_* of <sys/dtrace.h>: arg4 of dtrace:::ERROR."""

    UNKNOWN = 0
    BADADDR = 1
    BADALIGN = 2
    ILLOP = 3
    DIVZERO = 4
    NOSCRATCH = 5
    KPRIV = 6
    UPRIV = 7
    TUPOFLOW = 8
    BADSTACK = 9


NO_OFFSET = 0xFFFFFFFFFFFFFFFF  # the fault was not in a DIF instruction


class DifFault(Exception):
    """A fault in a clause.

    `address` is the offending address (BADADDR, BADALIGN, KPRIV, UPRIV),
    `offset` the byte offset of the DIF instruction; an engine sets it.
    """

    def __init__(self, kind: Fault, address: int = 0) -> None:
        super().__init__(kind, address)
        self.kind = kind
        self.address = address
        self.offset = NO_OFFSET

    def __str__(self) -> str:
        return f"{self.kind.name} at {self.address:#x}, DIF offset {self.offset}"
