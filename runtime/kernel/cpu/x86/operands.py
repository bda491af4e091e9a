"""Which memory an x86 instruction uses, given the registers: what a page fault of it was about.

Operands that are written out are capstone's to find; those of the stack and a few others go by mnemonic.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import capstone
from capstone import CsInsn, x86
from capstone.x86 import X86Op

# registers by name: in their machine encoding, and then the instruction pointer
RIP = 16
NAMES = ("ax", "cx", "dx", "bx", "sp", "bp", "si", "di")
NUMBERS = {**{f"{kind}{name}": number for number, name in enumerate(NAMES) for kind in ("", "e", "r")},
           **{f"r{number}{suffix}": number for number in range(8, 16) for suffix in ("", "d", "w")},
           "rip": RIP, "eip": RIP}
RAX, RBX, RSP, RBP, RDI = (NUMBERS[name] for name in ("rax", "rbx", "rsp", "rbp", "rdi"))
PUSHES = ("push", "call", "lcall", "enter")  # beginnings of mnemonics
POPS = ("pop", "ret")
BIT_TESTS = ("bt", "btc", "btr", "bts")
MASKED = ("maskmovq", "maskmovdqu")
ALL_PUSHED = 8  # words of `pushal`


def accessed(code: bytes, wide: bool, regs: Sequence[int], bases: tuple[int, int]) -> list[tuple[int, int]]:
    """Return address and size of each piece of memory that the instruction at the program counter uses.

    `code` begins with it, which is a 64-bit program's if it is `wide`; `bases` are those of fs and gs.
    """
    decoder = capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_64 if wide else capstone.CS_MODE_32)
    decoder.detail = True
    found = next(decoder.disasm(code, regs[RIP], 1), None)
    return [] if found is None else used(found, wide, regs, bases)


def used(found: CsInsn, wide: bool, regs: Sequence[int], bases: tuple[int, int]) -> list[tuple[int, int]]:
    """Return the same of an instruction that has been decoded."""
    mask = (1 << 64) - 1 if wide else (1 << 32) - 1
    return [(address & mask, size) for address, size in _pieces(found, wide, regs, bases)]


def _pieces(found: CsInsn, wide: bool, regs: Sequence[int],
            bases: tuple[int, int]) -> Iterator[tuple[int, int]]:
    for operand in found.operands:
        if operand.type == x86.X86_OP_MEM:
            yield _effective(found, operand, regs, bases) + _bit_offset(found, operand, regs), operand.size
    name, word = found.mnemonic.split()[-1], 8 if wide else 4
    size = 2 if found.prefix[2] else word
    if name.startswith(PUSHES):
        if name.startswith("pusha"):
            size *= ALL_PUSHED
        yield regs[RSP] - size, size
    elif name.startswith(POPS):
        yield regs[RSP], size
    elif name == "leave":
        yield regs[RBP], size
    elif name == "xlatb":
        yield regs[RBX] + (regs[RAX] & 0xFF), 1
    elif name in MASKED:
        yield regs[RDI], 16


def _effective(found: CsInsn, operand: X86Op, regs: Sequence[int], bases: tuple[int, int]) -> int:
    """Return the address of an operand in memory."""
    base, index, segment = (found.reg_name(number) if number else None
                            for number in (operand.mem.base, operand.mem.index, operand.mem.segment))
    address = operand.mem.disp
    for name, scale in ((base, 1), (index, operand.mem.scale)):
        if name in NUMBERS:
            address += (regs[NUMBERS[name]] + (found.size if name in ("rip", "eip") else 0)) * scale
    address &= (1 << 8 * found.addr_size) - 1
    return address + {"fs": bases[0], "gs": bases[1]}.get(segment or "", 0)


def _bit_offset(found: CsInsn, operand: X86Op, regs: Sequence[int]) -> int:
    """Return how far from its operand a bit test with a register looks."""
    if found.mnemonic.split()[-1] not in BIT_TESTS or found.operands[1].type != x86.X86_OP_REG:
        return 0
    name = found.reg_name(found.operands[1].reg) or ""
    bits = 8 * operand.size
    value = regs[NUMBERS[name]] & (1 << bits) - 1
    signed = value - (value >> bits - 1 << bits)
    return (signed // bits) * operand.size
