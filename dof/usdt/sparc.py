"""USDT on SPARC V9 and V8 (System V ABI, the processors' supplements)."""

from __future__ import annotations

from collections.abc import Sequence

from dif.elfnumbers import EM_SPARC, EM_SPARCV9
from dof.elf import Relocation
from dof.usdt.definition import Argument
from dof.usdt.instructions import Code, Site, Stub

NOP = 0x01000000  # sparc: nop
CLEAR = 0x90100000  # sparc: clr %o0
RETL = 0x81C3E008  # sparc: retl
WDISP30, WPLT30 = 7, 18
CALL, OP3_RESTORE = 1, 0x3D  # `op` of call; of restore
O0, O7 = 8, 15


def _words(*instructions: int) -> bytes:
    return b"".join(each.to_bytes(4, "big") for each in instructions)


class Sparc:
    """See dof.usdt.instructions.InstructionSet.

    What stands in a call's delay slot is executed before the called function begins, and may set an
    argument of it.  So it takes the call's place, and the tracepoint is behind it.
    """

    order = ">"
    addends = True
    notes = False

    def __init__(self, bits: int) -> None:
        self.bits = bits
        self.name, self.machine = ("sparcv9", EM_SPARCV9) if bits == 64 else ("sparc", EM_SPARC)
        self.none = 0  # R_SPARC_NONE
        self.relative, self.absolute = (46, 32) if bits == 64 else (6, 3)  # R_SPARC_DISP64, R_SPARC_64; 32

    def site(self, code: Code, relocation: Relocation, enabled: bool) -> Site | None:
        at = relocation.offset
        if relocation.type not in (WDISP30, WPLT30) or at + 8 > len(code) or code[at] >> 6 != CALL:
            return None
        delayed = int.from_bytes(code[at + 4:at + 8], "big")
        if enabled:  # what else is in the slot may need the room
            return Site(at, _words(CLEAR, NOP), at + 4, False) if delayed == NOP else None
        return None if _leaves(delayed) else Site(at, _words(delayed, NOP), at + 4, False)

    def replaced(self, code: Code, start: int, enabled: bool) -> Site | None:
        found = bytes(code[start:start + 8])
        whole = found == _words(CLEAR, NOP) if enabled else found[4:] == _words(NOP)
        return Site(start, found, start + 4, False) if whole else None

    def tail_needs_stub(self, arguments: Sequence[Argument], enabled: bool) -> bool:
        """A call that is its function's last act has no site of its own."""
        return True

    def stub(self, enabled: bool) -> Stub:
        return Stub(_words(CLEAR, NOP, RETL, NOP), 4) if enabled else Stub(_words(NOP, RETL, NOP), 0)

    def semaphore_stub(self) -> Stub:
        """Semaphores belong to notes."""
        raise NotImplementedError

    def operands(self, arguments: Sequence[Argument], tail: bool) -> str:
        """There are no notes: the tracers that read notes do not run on SPARC."""
        raise NotImplementedError


def _leaves(word: int) -> bool:
    """Whether what is in a delay slot has to do with where the call returns: `restore`, `mov %g1, %o7`."""
    if word >> 30 < 2:
        return False
    registers = word >> 25 & 31, word >> 14 & 31, O0 if word >> 13 & 1 else word & 31
    return O7 in registers or (word >> 30 == 2 and word >> 19 & 63 == OP3_RESTORE)
