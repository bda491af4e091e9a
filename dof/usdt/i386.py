"""USDT on i386 (System V ABI, Intel386 Architecture Processor Supplement)."""

from __future__ import annotations

from collections.abc import Sequence

from dif.elfnumbers import EM_386
from dof.elf import Relocation
from dof.usdt import x86
from dof.usdt.definition import Argument
from dof.usdt.instructions import Code, Site, Stub, operand

CLEAR = b"\x33\xc0"  # i386: xor eax, eax
ENDBR = b"\xf3\x0f\x1e\xfb"  # i386: endbr32
POP = b"\x59"  # i386: pop ecx
PUSH_RET = b"\x90\x51\xc3"  # i386: nop; push ecx; ret
CALL_NEXT = b"\xe8\0\0\0\0"  # i386: call next; next:
NOP_RET = bytes([x86.NOP, x86.RET])
GOT32, GOT32X = 3, 43


class I386:
    """See dof.usdt.instructions.InstructionSet."""

    name = "i386"
    machine = EM_386
    order = "<"
    notes = True
    bits = 32
    none, relative, absolute = 0, 2, 1  # R_386_NONE, R_386_PC32, R_386_32
    addends = False

    def site(self, code: Code, relocation: Relocation, enabled: bool) -> Site | None:
        return x86.call_site(code, relocation, CLEAR if enabled else b"", frozenset((GOT32, GOT32X)))

    def replaced(self, code: Code, start: int, enabled: bool) -> Site | None:
        return x86.replaced_site(code, start, CLEAR if enabled else b"")

    def tail_needs_stub(self, arguments: Sequence[Argument], enabled: bool) -> bool:
        """All arguments lie above the return address, not at the stack pointer."""
        return bool(arguments) and not enabled

    def stub(self, enabled: bool) -> Stub:
        if enabled:
            code = ENDBR + CLEAR
            return Stub(code + NOP_RET, len(code))
        code = ENDBR + POP  # the stack is the caller's at the tracepoint
        return Stub(code + PUSH_RET, len(code))

    def semaphore_stub(self) -> Stub:
        here = ENDBR + CALL_NEXT  # pushes the address of what follows
        code = here + POP + b"\x0f\xb7\x81"  # movzwl semaphore-here(%ecx),%eax
        addend = len(code) - len(here)
        relocation = (len(code), x86.PC32, addend)
        code += addend.to_bytes(4, "little")
        return Stub(code + NOP_RET, len(code), (relocation,))

    def operands(self, arguments: Sequence[Argument], tail: bool) -> str:
        stack = 4 if tail else 0
        places = []
        for argument in arguments:
            places.append(operand(argument, f"{stack}(%esp)"))
            stack += (max(argument.size, 1) + 3) & ~3
        return " ".join(places)
