"""Loads that never fault (ASI_PRIMARY_NO_FAULT and its like), with which the C library reads ahead.

The engine looks their addresses up in tables of its own, not in the machine's, so that each ends in an MMU
miss.  The load is then carried out here; what cannot be read is 0.  (SPARC V9 manual, 8.3; A.26 and A.28 for
the instructions.)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from runtime.kernel.base.errors import MemoryFault
from runtime.kernel.cpu.sparc.registers import Registers

if TYPE_CHECKING:
    from runtime.kernel.cpu.processor import UserThread

MISSES = (0x30, 0x31, 0x68)  # trap types: data access exception and error, fast data access MMU miss
NO_FAULT, LITTLE = (0x82, 0x83, 0x8A, 0x8B), 8
# op3 of the loads: bytes, and whether the sign is kept
LOADS = {0x10: (4, False), 0x11: (1, False), 0x12: (2, False), 0x1B: (8, False), 0x18: (4, True),
         0x19: (1, True), 0x1A: (2, True)}
DOUBLES = {0x33: 8}  # lddfa


def load(thread: UserThread) -> bool:
    """Carry out the instruction at %pc, if it is such a load; returns whether it is."""
    regs: Registers = thread.regs
    word = int.from_bytes(thread.read(regs.pc, 4), "big")
    operation, kind, immediate = word >> 30, word >> 19 & 63, word >> 13 & 1
    space = regs.state.asi if immediate else word >> 5 & 0xFF
    if operation != 3 or space not in NO_FAULT or kind not in LOADS.keys() | DOUBLES.keys():
        return False
    offset = (word & 0x1FFF ^ 0x1000) - 0x1000 if immediate else regs.read(word & 31)
    size, signed = LOADS.get(kind) or (DOUBLES[kind], False)
    address = regs.read(word >> 14 & 31) + offset & regs.mask
    kernel = thread.kernel
    touching, kernel.probing, kernel.touching = kernel.touching, True, True
    try:
        data = thread.read(address, size)
    except MemoryFault:
        data = bytes(size)
    finally:
        kernel.probing, kernel.touching = False, touching
    value = int.from_bytes(data, "little" if space & LITTLE else "big", signed=signed)
    register = word >> 25 & 31
    if kind in LOADS:
        regs.write(register, value)
    else:
        regs.state.floats[(register & 30 | (register & 1) << 5) >> 1] = value
    regs.pc, regs.npc = regs.npc, regs.npc + 4 & regs.mask
    return True
