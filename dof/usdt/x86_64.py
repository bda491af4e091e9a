"""USDT on x86-64 (System V ABI, AMD64 Architecture Processor Supplement)."""

from __future__ import annotations

from collections.abc import Sequence

from dif.elfnumbers import EM_X86_64
from dof.elf import Relocation
from dof.usdt import x86
from dof.usdt.definition import Argument
from dof.usdt.instructions import Code, Site, Stub, operand

CLEAR = b"\x48\x33\xc0"  # amd64: xor rax, rax
ENDBR = b"\xf3\x0f\x1e\xfa"  # amd64: endbr64
POP = b"\x41\x5b"  # amd64: pop r11
PUSH_RET = b"\x90\x41\x53\xc3"  # amd64: nop; push r11; ret
LOAD_SEMAPHORE = b"\x0f\xb7\x05\0\0\0\0"  # amd64: movzx eax, word ptr [rip]
NOP_RET = bytes([x86.NOP, x86.RET])
GOTPCREL, GOTPCRELX = 9, 41
# Integer argument registers by the size of the part in use.
REGISTERS = {
    8: ("rdi", "rsi", "rdx", "rcx", "r8", "r9"),
    4: ("edi", "esi", "edx", "ecx", "r8d", "r9d"),
    2: ("di", "si", "dx", "cx", "r8w", "r9w"),
    1: ("dil", "sil", "dl", "cl", "r8b", "r9b"),
}
FLOATING_REGISTERS = 8


class X86_64:
    """See dof.usdt.instructions.InstructionSet."""

    name = "x86-64"
    machine = EM_X86_64
    order = "<"
    notes = True
    bits = 64
    none, relative, absolute = 0, 24, 1  # R_X86_64_NONE, R_X86_64_PC64, R_X86_64_64
    addends = True

    def site(self, code: Code, relocation: Relocation, enabled: bool) -> Site | None:
        return x86.call_site(code, relocation, CLEAR if enabled else b"", frozenset((GOTPCREL, GOTPCRELX)))

    def replaced(self, code: Code, start: int, enabled: bool) -> Site | None:
        return x86.replaced_site(code, start, CLEAR if enabled else b"")

    def tail_needs_stub(self, arguments: Sequence[Argument], enabled: bool) -> bool:
        """Arguments past the registers lie above the return address, not at the stack pointer."""
        floating = sum(each.floating for each in arguments)
        integers = len(arguments) - floating
        return not enabled and (integers > len(REGISTERS[8]) or floating > FLOATING_REGISTERS)

    def stub(self, enabled: bool) -> Stub:
        if enabled:
            code = ENDBR + CLEAR
            return Stub(code + NOP_RET, len(code))
        code = ENDBR + POP  # the stack is the caller's at the tracepoint
        return Stub(code + PUSH_RET, len(code))

    def semaphore_stub(self) -> Stub:
        code = ENDBR + LOAD_SEMAPHORE
        return Stub(code + NOP_RET, len(code), ((len(code) - 4, x86.PC32, -4),))

    def operands(self, arguments: Sequence[Argument], tail: bool) -> str:
        integers = floats = 0
        stack = 8 if tail else 0
        places = []
        for argument in arguments:
            if argument.floating and floats < FLOATING_REGISTERS:
                place = f"%xmm{floats}"
                floats += 1
            elif not argument.floating and integers < len(REGISTERS[8]):
                place = "%" + REGISTERS.get(argument.size, REGISTERS[8])[integers]
                integers += 1
            else:
                place = f"{stack}(%rsp)"
                stack += 8
            places.append(operand(argument, place))
        return " ".join(places)
