"""Call sites and replacements common to x86-64 and i386 (Intel's manual, volume 2: CALL, JMP)."""

from __future__ import annotations

from dof.elf import Relocation
from dof.usdt.instructions import Code, Site

NOP, RET, CALL, JUMP = 0x90, 0xC3, 0xE8, 0xE9
INDIRECT, INDIRECT_CALL, INDIRECT_JUMP = 0xFF, 2, 4  # the opcode, and the ModRM byte's reg field
PC32, PLT32 = 2, 4  # R_386_PC32 and R_X86_64_PC32 share a number, and so do the two PLT32


def call_site(code: Code, relocation: Relocation, clear: bytes, indirect: frozenset[int]) -> Site | None:
    """How to replace the call whose operand `relocation` is against.

    `clear` are the instructions that make the result 0, for an is-enabled
    site, or nothing; the tracepoint comes after them.  `indirect` are the
    relocation types of a call through memory (`call *f@GOT`).
    """
    at = relocation.offset
    if at < 1 or at + 4 > len(code):
        return None
    if relocation.type in (PC32, PLT32) and code[at - 1] in (CALL, JUMP):
        start, length, tail = at - 1, 5, code[at - 1] == JUMP
    elif relocation.type in indirect and at > 1 and code[at - 2] == INDIRECT:
        mode, operation, register = code[at - 1] >> 6, code[at - 1] >> 3 & 7, code[at - 1] & 7
        # A 32-bit displacement follows: none but it, or added to a register, without an index.
        displaced = (mode, register) == (0, 5) or (mode == 2 and register != 4)
        if operation not in (INDIRECT_CALL, INDIRECT_JUMP) or not displaced:
            return None
        start, length, tail = at - 2, 6, operation == INDIRECT_JUMP
    else:
        return None
    replacement = clear + bytes([RET if tail else NOP])
    return Site(start, replacement.ljust(length, bytes([NOP])), start + len(clear), tail)


def replaced_site(code: Code, start: int, clear: bytes) -> Site | None:
    """The site that `call_site` made at `start`; None when there is none."""
    for last in (NOP, RET):
        found = clear + bytes([last])
        if bytes(code[start:start + len(found)]) == found:
            return Site(start, found, start + len(clear), last == RET)
    return None
