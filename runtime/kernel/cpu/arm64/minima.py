"""LDSMIN and LDSMAX of less than 64 bits: the kernel carries them out, as Unicorn 2.1 ignores the sign.

The engine looks for them in each page of code before it executes any of it, and ends a run at each
(Arm Architecture Reference Manual, C6.2: LDSMAX, LDSMIN).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from runtime.kernel.base.errors import MemoryFault
from runtime.kernel.base.words import signed
from runtime.kernel.cpu.arm64.registers import PC, Registers, untagged

if TYPE_CHECKING:
    from runtime.kernel.cpu.processor import UserThread

MASK, VALUE, LEAST, WIDE = 0x3F20EC00, 0x38204000, 1 << 12, 3  # LDSMAX, LDSMIN's bit, the size of 64 bits
SIZE = 4  # bytes of an instruction
# All bytes of such a word but its lowest; no two matches overlap.
_UPPER = re.compile(rb"[\x40-\x43\x50-\x53][\x20-\x3f\x60-\x7f\xa0-\xbf\xe0-\xff][\x38\x78\xb8]")


class BadAccess(MemoryFault):
    """Memory that such an instruction cannot use; `writes` tells whether it could read it."""

    def __init__(self, address: int, writes: bool) -> None:
        super().__init__(address)
        self.writes = writes


def is_minimum(word: int) -> bool:
    """Whether it is one of these instructions."""
    return word & MASK == VALUE and word >> 30 != WIDE


def places(code: bytes | memoryview) -> list[int]:
    """Return where they stand in code that begins at a multiple of four."""
    return [found.start() - 1 for found in _UPPER.finditer(code) if found.start() % SIZE == 1]


def carry_out(thread: UserThread) -> bool:
    """Execute the one at the program counter; returns False where its operand is not aligned.

    Raises BadAccess.
    """
    regs: Registers = thread.regs
    word = int.from_bytes(thread.read_text(int(regs[PC]), SIZE), "little")
    size, address = 1 << (word >> 30), untagged(int(regs[word >> 5 & 31]))
    if address % size:
        return False
    writes = False
    try:
        old = int.from_bytes(thread.read(address, size), "little")
        values = signed(old, 8 * size), signed(regs.x(word >> 16 & 31), 8 * size)
        new = min(values) if word & LEAST else max(values)
        writes = True
        thread.write(address, new.to_bytes(size, "little", signed=True))
    except MemoryFault:
        raise BadAccess(address, writes) from None
    regs.set_x(word & 31, old)
    regs[PC] += SIZE
    return True
