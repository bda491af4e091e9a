"""USDT on AArch64 (Procedure Call Standard for the Arm 64-bit Architecture; ELF for the same)."""

from __future__ import annotations

from collections.abc import Sequence

from dif.elfnumbers import EM_AARCH64
from dof.elf import Relocation
from dof.usdt.definition import Argument
from dof.usdt.instructions import Code, Site, Stub, operand

NOP = 0xD503201F  # arm64: nop
RET = 0xD65F03C0  # arm64: ret
CLEAR = 0xD2800000  # arm64: mov x0, #0
BTI_C = 0xD503245F  # arm64: bti c
# The semaphore's page and its place there are for the linker to fill in.
ADRP = 0x90000000  # arm64: adrp x0, 0
LDRH = 0x79400000  # arm64: ldrh w0, [x0]
JUMP26, CALL26 = 282, 283
ADR_PREL_PG_HI21, LDST16_ABS_LO12_NC = 275, 284
BL, B, BRANCH_MASK = 0x94000000, 0x14000000, 0xFC000000
REGISTERS = 8


def _words(*instructions: int) -> bytes:
    """Instructions are little-endian whatever the data are."""
    return b"".join(each.to_bytes(4, "little") for each in instructions)


class AArch64:
    """See dof.usdt.instructions.InstructionSet.

    One instruction has room for one: the tracepoint of an is-enabled site is
    the move itself.
    """

    name = "aarch64"
    machine = EM_AARCH64
    order = "<"
    notes = True
    bits = 64
    none, relative, absolute = 0, 260, 257  # R_AARCH64_NONE, R_AARCH64_PREL64, R_AARCH64_ABS64
    addends = True

    def site(self, code: Code, relocation: Relocation, enabled: bool) -> Site | None:
        at = relocation.offset
        branch = {CALL26: BL, JUMP26: B}.get(relocation.type)
        if branch is None or at + 4 > len(code):
            return None
        found = int.from_bytes(code[at:at + 4], "little") & BRANCH_MASK
        tail = found == B  # JUMP26 may stand for either: the linker tells them by the instruction
        if found not in (B, BL) or (tail and enabled):
            return None
        return Site(at, _words(RET if tail else CLEAR if enabled else NOP), at, tail)

    def replaced(self, code: Code, start: int, enabled: bool) -> Site | None:
        for instruction in (CLEAR,) if enabled else (NOP, RET):
            if bytes(code[start:start + 4]) == _words(instruction):
                return Site(start, _words(instruction), start, instruction == RET)
        return None

    def tail_needs_stub(self, arguments: Sequence[Argument], enabled: bool) -> bool:
        """The return address is in a register: the stack is the same before a call and a jump."""
        return False

    def stub(self, enabled: bool) -> Stub:
        return Stub(_words(BTI_C, CLEAR if enabled else NOP, RET), 4)

    def semaphore_stub(self) -> Stub:
        return Stub(_words(BTI_C, ADRP, LDRH, NOP, RET), 12,
                    ((4, ADR_PREL_PG_HI21, 0), (8, LDST16_ABS_LO12_NC, 0)))

    def operands(self, arguments: Sequence[Argument], tail: bool) -> str:
        integers = floats = stack = 0
        places = []
        for argument in arguments:
            if argument.floating and floats < REGISTERS:
                place = f"{'d' if argument.size == 8 else 's'}{floats}"
                floats += 1
            elif not argument.floating and integers < REGISTERS:
                place = f"x{integers}"
                integers += 1
            else:
                place = f"[sp, {stack}]"
                stack += 8
            places.append(operand(argument, place))
        return " ".join(places)
