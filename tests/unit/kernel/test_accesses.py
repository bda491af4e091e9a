"""The memory to which an instruction of AArch64 or x86 refers, by every way of addressing it."""

from __future__ import annotations

from typing import Any

import assembler
import capstone
import pytest

from runtime.kernel.cpu.arm64.accesses import operand_address, register
from runtime.kernel.cpu.arm64.registers import SP
from runtime.kernel.cpu.x86.operands import accessed

PC = 0x400000
REGISTERS = {**{number: 0x1111 * number for number in range(31)}, SP: 0x7000, 1: 0x10000, 2: 0xABCD_FFFF_FFF0,
             3: 0x1234_0000_0010, 4: 0xFF00_0000_0002_0000, 5: 8, 29: 0x6000, 30: 0x9000}
NEGATIVE = -16  # what the lower half of x2 is, with its sign
POSITIVE = 0xFFFFFFF0  # and without
ADDRESSES = {
    "ldr x0, [x1]": 0x10000, "ldr x0, [x1, #8]": 0x10008, "ldr x0, [x1, #8]!": 0x10008,
    "ldr x0, [x1], #8": 0x10000, "stur w0, [x1, #-3]": 0xFFFD, "strb w0, [x1, #-4]!": 0xFFFC,
    "ldp x0, x3, [x1, #-16]": 0xFFF0, "ldp x0, x3, [x1, #16]!": 0x10010, "stp x0, x3, [x1], #32": 0x10000,
    "ldr x0, [x1, x5]": 0x10008, "ldr x0, [x1, x5, lsl #3]": 0x10040, "ldrh w0, [x1, x5, lsl #1]": 0x10010,
    "ldr x0, [x1, w2, uxtw]": 0x10000 + POSITIVE, "ldr x0, [x1, w2, uxtw #3]": 0x10000 + 8 * POSITIVE,
    "ldr x0, [x1, w2, sxtw]": 0x10000 + NEGATIVE, "ldr w0, [x1, w2, sxtw #2]": 0x10000 + 4 * NEGATIVE,
    "ldr x0, [x1, w3, sxtw #3]": 0x10000 + 8 * 16, "ldr x0, [x1, w3, uxtw]": 0x10010,
    "ldr x0, [x1, x5, sxtx #3]": 0x10040, "ldr x0, [x1, x5, sxtx]": 0x10008, "ldr x0, [x1, xzr]": 0x10000,
    "ldr x0, [x1, w30, uxtw]": 0x19000, "ldr x0, [x1, x29]": 0x16000,
    "ldr x0, [sp, #16]": 0x7010, "str x0, [sp, #-16]!": 0x6FF0, "str xzr, [x30]": 0x9000,
    "ldr x0, [x29, x30]": 0xF000, "ldr q0, [x1, #32]": 0x10020, "ldr x0, [x4, #16]": 0x20010,
    "ldxr x0, [x1]": 0x10000, "stlxr w0, x3, [x1]": 0x10000, "ldaxp x0, x3, [x1]": 0x10000,
    "casal x0, x3, [x1]": 0x10000, "ldadd x0, x3, [x1]": 0x10000, "swpa w0, w3, [sp]": 0x7000,
    "ld1 {v0.16b}, [x1]": 0x10000, "ld1 {v0.16b}, [x1], #16": 0x10000, "st1 {v0.s}[1], [x1], x5": 0x10000,
    "ld2 {v0.4s, v1.4s}, [x1]": 0x10000, "dc zva, x1": 0x10000, "dc cvac, x4": 0x20000,
    "ic ivau, x1": 0x10000, "ldr x0, .+64": PC + 64, "ldrsw x0, .-8": PC - 8, "ldr s0, .+4": PC + 4,
    "add x0, x1, x2": None, "nop": None, "ret": None, "b .+8": None, "mov x0, #8": None, "svc #0": None}


def regs() -> Any:
    return REGISTERS



@pytest.fixture(scope="module")
def instructions() -> dict[str, Any]:
    """Each of them, by its text; all are assembled at once."""
    code = assembler.assemble("arm64", "; ".join(ADDRESSES))
    decoder = capstone.Cs(capstone.CS_ARCH_ARM64, capstone.CS_MODE_LITTLE_ENDIAN)
    decoder.detail = True
    return {text: next(decoder.disasm(code[4 * at:4 * at + 4], PC, 1)) for at, text in enumerate(ADDRESSES)}


def test_addresses(instructions: dict[str, Any]) -> None:
    found = {text: operand_address(regs(), instruction) for text, instruction in instructions.items()}
    assert found == ADDRESSES


def test_names_of_registers() -> None:
    for number in range(31):
        assert register(regs(), f"x{number}") == REGISTERS[number]
        assert register(regs(), f"w{number}") == REGISTERS[number] & 0xFFFFFFFF
    assert [register(regs(), name) for name in ("sp", "wsp", "xzr", "wzr", "fp", "lr")] == [
        0x7000, 0x7000, 0, 0, 0x6000, 0x9000]


X86_BASES = (0x700000, 0x800000)  # of fs and gs
X86_REGISTERS = [*(0x10000 * number for number in range(1, 17)), PC]  # rax, rcx, rdx, rbx, rsp, ...
X86_REGISTERS[0], X86_REGISTERS[1] = 0x10021, 0x21
X86_REGISTERS[2], X86_REGISTERS[9] = -33 & (1 << 64) - 1, 0xFFF8  # rdx, r9
X86 = {  # address and size of each piece
    "mov eax, [rbx]": [(0x40000, 4)], "mov al, [rbx + 4*rcx - 1]": [(0x40083, 1)],
    "mov r8, [rip + 16]": [(PC + 23, 8)], "mov ax, [ebx + edx]": [(0x3FFDF, 2)],
    "mov eax, fs:[8]": [(0x700008, 4)], "mov rax, gs:[rdi]": [(0x880000, 8)], "nop": [],
    "push rax": [(0x4FFF8, 8)], "push ax": [(0x4FFFE, 2)], "call rax": [(0x4FFF8, 8)],
    "push qword ptr [rsi]": [(0x70000, 8), (0x4FFF8, 8)], "pop rax": [(0x50000, 8)], "ret": [(0x50000, 8)],
    "leave": [(0x60000, 8)], "xlatb": [(0x40021, 1)], "maskmovdqu xmm0, xmm1": [(0x80000, 16)],
    "movdqu xmm1, [rsi]": [(0x70000, 16)], "lodsd": [(0x70000, 4)], "stosb": [(0x80000, 1)],
    "movsq": [(0x80000, 8), (0x70000, 8)], "bt dword ptr [rbx], 33": [(0x40000, 4)],
    "bt [rbx], ecx": [(0x40004, 4)], "bts [rbx], rcx": [(0x40000, 8)],
    "btr [rbx], rdx": [(0x3FFF8, 8)], "btc [rbx], dx": [(0x3FFFA, 2)], "lock btr [rbx], edx": [(0x3FFF8, 4)],
    "bt [rbx], r9w": [(0x3FFFE, 2)], "bt [rbx], r9d": [(0x41FFC, 4)]}


def test_addresses_of_x86() -> None:
    code = assembler.assemble("amd64", "; ".join(X86))
    sizes = [each.size for each in capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_64).disasm(code, PC)]
    starts = [sum(sizes[:at]) for at in range(len(sizes))]
    assert {text: accessed(code[at:], True, X86_REGISTERS, X86_BASES)
            for text, at in zip(X86, starts, strict=True)} == X86
