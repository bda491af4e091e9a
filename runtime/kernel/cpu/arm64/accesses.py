"""What an instruction that has faulted was about to do to memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dif.limits import MASK
from runtime.kernel.base.errors import MemoryFault
from runtime.kernel.cpu.arm64.registers import SP, Registers, untagged
from runtime.kernel.memory.physical import PAGE

if TYPE_CHECKING:
    from capstone import CsInsn

    from runtime.kernel.cpu.processor import UserThread


def instruction(thread: UserThread) -> CsInsn | None:
    """Return the instruction at the program counter, with its details; None if there is none."""
    import capstone

    pc = thread.pc
    try:
        code = thread.read_text(pc, 4)
    except MemoryFault:
        return None
    decoder = capstone.Cs(capstone.CS_ARCH_ARM64, capstone.CS_MODE_LITTLE_ENDIAN)
    decoder.detail = True
    return next(decoder.disasm(code, pc, 1), None)


def register(regs: Registers, name: str) -> int:
    """Return a register by the name that capstone gives it."""
    if name in ("sp", "wsp"):
        value = int(regs[SP])
    elif name in ("xzr", "wzr"):
        value = 0
    else:
        number = {"fp": 29, "lr": 30}.get(name)
        value = int(regs[int(name[1:]) if number is None else number])
    return value & 0xFFFFFFFF if name.startswith("w") else value


def accessed(regs: Registers, found: CsInsn | None, page: int) -> int:
    """Return the first address in `page` that an instruction, the one at the program counter, refers to.

    That is `page` itself where the access begins before it, or nothing tells.
    """
    address = operand_address(regs, found) if found is not None else None
    return page if address is None or not page <= address < page + PAGE else address


def maintains_cache(found: CsInsn) -> bool:
    """Whether it is DC or IC of an address, but for DC ZVA, which is a store."""
    return found.mnemonic in ("dc", "ic") and not found.op_str.startswith("zva")


def operand_address(regs: Registers, found: CsInsn) -> int | None:
    """Return the address that a load or store refers to; None if it refers to none."""
    import capstone
    from capstone import arm64

    for each in found.operands:
        if each.type == arm64.ARM64_OP_MEM:
            address = register(regs, found.reg_name(each.mem.base))
            if not found.post_index:
                address += each.mem.disp
            if each.mem.index:
                address += _extended(register(regs, found.reg_name(each.mem.index)), each)
            return untagged(address & MASK)
    if found.mnemonic in ("ldr", "ldrsw") and found.operands[-1].type == arm64.ARM64_OP_IMM:
        return int(found.operands[-1].imm) & MASK
    if found.mnemonic in ("dc", "ic", "sys") and found.operands[-1].type == capstone.CS_OP_REG:
        return untagged(register(regs, found.reg_name(found.operands[-1].reg)))
    return None


def _extended(value: int, operand: object) -> int:
    """Return an index register extended and shifted as its operand says."""
    from capstone import arm64

    kind, shift = operand.ext, operand.shift.value  # type: ignore[attr-defined]
    if kind == arm64.ARM64_EXT_SXTW:
        value = (value & 0xFFFFFFFF ^ 1 << 31) - (1 << 31)
    elif kind == arm64.ARM64_EXT_UXTW:
        value &= 0xFFFFFFFF
    return value << shift
