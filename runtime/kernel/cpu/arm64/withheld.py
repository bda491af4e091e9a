"""Instructions that the engine is not to execute, of which it gets pages of code with undefined ones instead.

LDSMIN and LDSMAX of less than 64 bits are carried out here: Unicorn 2.1 ignores the sign.  Random numbers
(RNDR, RNDRRS) are not offered: runs would differ (Arm Architecture Reference Manual, C6.2, D24.2).
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
# The bytes of such words but their lowest; no two matches overlap.
_WITHHELD = re.compile(rb"[\x40-\x43\x50-\x53][\x20-\x3f\x60-\x7f\xa0-\xbf\xe0-\xff][\x38\x78\xb8]"
                       rb"|\x24\x3b\xd5")


class Refused(MemoryFault):
    """Memory that such an instruction cannot use: its address is not aligned, or `writes` says for what."""

    def __init__(self, address: int, aligned: bool, writes: bool = False) -> None:
        super().__init__(address)
        self.aligned, self.writes = aligned, writes


def is_minimum(word: int) -> bool:
    """Whether it is LDSMIN or LDSMAX of less than 64 bits."""
    return word & MASK == VALUE and word >> 30 != WIDE


def places(code: bytes | memoryview) -> list[int]:
    """Return where such instructions stand in code that begins at a multiple of four."""
    return [found.start() - 1 for found in _WITHHELD.finditer(code) if found.start() % SIZE == 1]


def carry_out(thread: UserThread) -> bool:
    """Execute the instruction at the program counter, if it is such a one; returns whether it is.

    Raises Refused.
    """
    regs: Registers = thread.regs
    try:
        word = int.from_bytes(thread.read_text(int(regs[PC]), SIZE), "little")
    except MemoryFault:
        return False
    if not is_minimum(word):
        return False
    size, address = 1 << (word >> 30), untagged(int(regs[word >> 5 & 31]))
    if address % size:
        raise Refused(address, aligned=False)
    writes = False
    try:
        old = int.from_bytes(thread.read(address, size), "little")
        values = signed(old, 8 * size), signed(regs.x(word >> 16 & 31), 8 * size)
        new = min(values) if word & LEAST else max(values)
        writes = True
        thread.write(address, new.to_bytes(size, "little", signed=True))
    except MemoryFault:
        raise Refused(address, True, writes) from None
    regs.set_x(word & 31, old)
    regs[PC] += SIZE
    return True
