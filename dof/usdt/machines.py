"""Which instruction set an object file is made for.

A new one has its row here, and a file beside this one.
"""

from __future__ import annotations

from dif.elfnumbers import EM_386, EM_AARCH64, EM_SPARC, EM_SPARCV9, EM_X86_64
from dof.usdt.aarch64 import AArch64
from dof.usdt.i386 import I386
from dof.usdt.instructions import InstructionSet
from dof.usdt.sparc import Sparc
from dof.usdt.x86_64 import X86_64

# By e_machine, and by the bits of the file's class.
INSTRUCTION_SETS: dict[tuple[int, int], InstructionSet] = {
    (EM_X86_64, 64): X86_64(),
    (EM_386, 32): I386(),
    (EM_AARCH64, 64): AArch64(),
    (EM_SPARCV9, 64): Sparc(64),
    (EM_SPARC, 32): Sparc(32),
}


def select(machine: int, bits: int) -> InstructionSet | None:
    """Return the instruction set of an object with this e_machine and class; None for an unknown one."""
    return INSTRUCTION_SETS.get((machine, bits))
