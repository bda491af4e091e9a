"""Faults: the exception that ends a clause early, and of which the ERROR probe tells."""

from __future__ import annotations

from dif.arithmetic import MASK
from runtime.border import FaultKind

__all__ = ["NO_OFFSET", "DifFault", "FaultKind"]

NO_OFFSET = MASK  # the fault was not in a DIF instruction


class DifFault(Exception):
    """A fault in a clause.

    `address` is the offending address (BADADDR, BADALIGN, KPRIV, UPRIV),
    `offset` the byte offset of the DIF instruction; an engine sets it.
    """

    def __init__(self, kind: FaultKind, address: int = 0) -> None:
        super().__init__(kind, address)
        self.kind = kind
        self.address = address
        self.offset = NO_OFFSET

    def __str__(self) -> str:
        return f"{self.kind.name} at {self.address:#x}, DIF offset {self.offset}"
