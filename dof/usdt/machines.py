"""Which instruction set an object is of."""

from __future__ import annotations

from dof.elf import EM_386, EM_AARCH64, EM_SPARC, EM_SPARCV9, EM_X86_64
from dof.usdt.instructions import InstructionSet


def select(machine: int, bits: int) -> InstructionSet | None:
    """The instruction set of an object by e_machine and class, None for one we do not know."""
    if (machine, bits) == (EM_X86_64, 64):
        from dof.usdt.x86_64 import X86_64
        return X86_64()
    if (machine, bits) == (EM_386, 32):
        from dof.usdt.i386 import I386
        return I386()
    if (machine, bits) == (EM_AARCH64, 64):
        from dof.usdt.aarch64 import AArch64
        return AArch64()
    if (machine, bits) in ((EM_SPARCV9, 64), (EM_SPARC, 32)):
        from dof.usdt.sparc import Sparc
        return Sparc(bits)
    return None
