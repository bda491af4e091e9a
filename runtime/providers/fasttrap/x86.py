"""What the x86 instruction sets have in common: decoding, and the plan for each instruction.

A slot lies within 2 GiB of the code it stands for, so a %rip-relative operand
is rewritten by giving it a new displacement, and every slot ends in a direct
jump back: once the probes have fired, a thread needs the tracer no more, and
no thread has anything of its own to restore.  Encodings are those of the
AMD64 Architecture Programmer's Manual, volume 3.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import capstone
from capstone import x86

from runtime.kernel import engine as machine
from runtime.providers.fasttrap.plan import Plan, Treatment, Unreachable, refused

LONGEST = 15  # bytes of an instruction
SLOT_SIZE = 40
TRAP = b"\xcc"
JUMP_SIZE = 5
REGISTERS = {name: number for number, names in enumerate((
    ("rax", "eax"), ("rcx", "ecx"), ("rdx", "edx"), ("rbx", "ebx"), ("rsp", "esp"), ("rbp", "ebp"),
    ("rsi", "esi"), ("rdi", "edi"), ("r8",), ("r9",), ("r10",), ("r11",), ("r12",), ("r13",), ("r14",),
    ("r15",))) for name in names}

CARRY, PARITY, ZERO, SIGN, OVERFLOW = 1, 4, 0x40, 0x80, 0x800
# by condition code / 2; an odd code negates
CONDITIONS: tuple[Callable[[int], bool], ...] = (
    lambda flags: bool(flags & OVERFLOW),
    lambda flags: bool(flags & CARRY),
    lambda flags: bool(flags & ZERO),
    lambda flags: bool(flags & (CARRY | ZERO)),
    lambda flags: bool(flags & SIGN),
    lambda flags: bool(flags & PARITY),
    lambda flags: bool(flags & SIGN) != bool(flags & OVERFLOW),
    lambda flags: bool(flags & ZERO) or bool(flags & SIGN) != bool(flags & OVERFLOW))

FAR = {x86.X86_INS_LCALL, x86.X86_INS_LJMP, x86.X86_INS_RETF, x86.X86_INS_RETFQ, x86.X86_INS_IRET,
       x86.X86_INS_IRETD, x86.X86_INS_IRETQ, x86.X86_INS_SYSEXIT, x86.X86_INS_SYSRET}
LOOPS = {x86.X86_INS_LOOP, x86.X86_INS_LOOPE, x86.X86_INS_LOOPNE, x86.X86_INS_JRCXZ, x86.X86_INS_JECXZ,
         x86.X86_INS_JCXZ}
TRANSACTIONS = {x86.X86_INS_XBEGIN, x86.X86_INS_XABORT, x86.X86_INS_XEND}
MARKS = {x86.X86_INS_NOP, x86.X86_INS_ENDBR64, x86.X86_INS_ENDBR32}
INSTRUCTION_POINTERS = {x86.X86_REG_RIP, x86.X86_REG_EIP}
RETURNS = {x86.X86_INS_RET}
SYSTEM_CALLS = {x86.X86_INS_SYSCALL: machine.SYSCALL64}


class X86:
    """One of the two instruction sets; `bits` is 32 or 64."""

    def __init__(self, bits: int) -> None:
        self.bits = bits
        self.word = bits // 8
        self.mask = (1 << bits) - 1
        self._decoder = capstone.Cs(capstone.CS_ARCH_X86,
                                    capstone.CS_MODE_64 if bits == 64 else capstone.CS_MODE_32)
        self._decoder.detail = True
        self._decoder.skipdata = False

    # -- decoding -------------------------------------------------------------------------------

    def decode(self, code: bytes, address: int) -> Any:
        """The instruction (capstone's CsInsn) that `code` begins with, None if there is none."""
        return next(self._decoder.disasm(code[:LONGEST], address, 1), None)

    def walk(self, code: bytes, address: int) -> list[Any]:
        """All instructions from the beginning on, up to something that is none."""
        return list(self._decoder.disasm(code, address))

    @staticmethod
    def text(instruction: Any) -> str:
        return f"{instruction.mnemonic} {instruction.op_str}".rstrip()

    @staticmethod
    def is_return(instruction: Any) -> bool:
        return instruction.id in RETURNS

    @staticmethod
    def direct_target(instruction: Any) -> int | None:
        """Where a jump, conditional jump or call with a constant target leads."""
        if not (X86.is_jump(instruction) or instruction.group(capstone.CS_GRP_CALL)):
            return None
        operand = instruction.operands[0] if instruction.operands else None
        return int(operand.imm) if operand is not None and operand.type == x86.X86_OP_IMM else None

    @staticmethod
    def is_jump(instruction: Any) -> bool:
        """A jump of any kind, conditional or not, but no call."""
        return bool(instruction.group(capstone.CS_GRP_JUMP)) or instruction.id in LOOPS

    @staticmethod
    def never_continues(instruction: Any) -> bool:
        """Whether the next instruction is not reached by falling through."""
        return instruction.id in RETURNS or instruction.id in (
            x86.X86_INS_JMP, x86.X86_INS_UD2, x86.X86_INS_HLT) or instruction.id in FAR

    @staticmethod
    def data_reference(instruction: Any) -> int | None:
        """The address that a %rip-relative operand names."""
        for operand in instruction.operands:
            if operand.type == x86.X86_OP_MEM and operand.mem.base in INSTRUCTION_POINTERS:
                return int(instruction.address + instruction.size + operand.mem.disp)
        return None

    # -- plans ----------------------------------------------------------------------------------

    def plan(self, code: bytes, pc: int) -> Plan:
        """How to execute the instruction that `code` begins with and that belongs to `pc`."""
        instruction = self.decode(code, pc)
        if instruction is None:
            return refused("no instruction")
        plan = self._plan(instruction, pc)
        plan.size = instruction.size
        return plan

    def _plan(self, instruction: Any, pc: int) -> Plan:
        which, after = instruction.id, pc + instruction.size
        if which in MARKS:
            return Plan(Treatment.EMULATED, "no effect", go=after)
        if which in FAR or (instruction.opcode[0] == 0xFF and instruction.modrm >> 3 & 7 in (3, 5)):
            return refused("far transfer")
        if which in TRANSACTIONS:
            return refused("transaction")
        if which in SYSTEM_CALLS and self.bits == 64:
            return Plan(Treatment.EMULATED, "enters the kernel", go=after, event=SYSTEM_CALLS[which])
        if which == x86.X86_INS_INT3:
            return Plan(Treatment.EMULATED, "own breakpoint", go=after, event=machine.BREAKPOINT)
        if which == x86.X86_INS_INT:
            if instruction.operands[0].imm == machine.SYSCALL32:
                return Plan(Treatment.EMULATED, "enters the kernel", go=after, event=machine.SYSCALL32)
            return refused("software interrupt")
        if which in (x86.X86_INS_SYSENTER, x86.X86_INS_SYSCALL):
            return refused("fast system call of another mode")
        if which in RETURNS:
            return self._copy(instruction, "takes its target from the stack")
        if instruction.group(capstone.CS_GRP_CALL):
            return self._call(instruction)
        if self.is_jump(instruction):
            return self._jump(instruction)
        return self._copy(instruction, "independent of its place")

    def _copy(self, instruction: Any, why: str) -> Plan:
        """Execute it elsewhere, then jump back behind it."""
        pc, size = instruction.address, instruction.size
        place = self._place(instruction)
        if isinstance(place, Plan):
            return place

        def build(at: int) -> bytes:
            return place(at) + jump(at + size, pc + size)
        restarts = ((0, pc, 0), (size, pc + size, 0))
        if self.data_reference(instruction) is not None:
            return Plan(Treatment.REWRITTEN, "%rip-relative operand", build=build, restarts=restarts)
        return Plan(Treatment.DISPLACED, why, build=build, restarts=restarts)

    def _place(self, instruction: Any) -> Callable[[int], bytes] | Plan:
        """The instruction's bytes as they must be at any address; or a refusal."""
        code, pc, size = bytes(instruction.bytes), instruction.address, instruction.size
        refers = self.data_reference(instruction)
        if refers is None:
            return lambda at: code
        where = instruction.disp_offset
        if instruction.addr_size != 8 or not where or where + 4 > size:
            return refused("%eip-relative operand")

        def place(at: int) -> bytes:
            return code[:where] + distance(at + size, refers) + code[where + 4:]
        assert int.from_bytes(code[where:where + 4], "little", signed=True) == refers - pc - size
        return place

    # -- jumps ----------------------------------------------------------------------------------

    def _jump(self, instruction: Any) -> Plan:
        pc, size = instruction.address, instruction.size
        target = self.direct_target(instruction)
        if target is None:
            return self._jump_through(instruction)
        if 0x66 in instruction.prefix:
            return refused("16-bit jump")
        target &= self.mask
        if instruction.id == x86.X86_INS_JMP:
            return Plan(Treatment.EMULATED, "constant target", go=target,
                        destination=lambda regs, thread: target)
        if instruction.id in LOOPS:
            taken = bytes(instruction.bytes[:-1]) + b"\x05"

            def build_loop(at: int) -> bytes:
                middle = at + len(taken)
                return taken + jump(middle, pc + size) + jump(middle + JUMP_SIZE, target)
            return Plan(Treatment.REWRITTEN, "loop", build=build_loop, restarts=(
                (0, pc, 0), (len(taken), pc + size, 0), (len(taken) + JUMP_SIZE, target, 0)))
        opcode = instruction.opcode
        condition = (opcode[1] if opcode[0] == 0x0F else opcode[0]) & 15

        def build(at: int) -> bytes:
            return bytes((0x0F, 0x80 | condition)) + distance(at + 6, target) + jump(at + 6, pc + size)

        def destination(_regs: Any, thread: Any) -> int:
            flags = thread.kernel.engine.read_register(machine.REG_RFLAGS)
            return target if CONDITIONS[condition >> 1](flags) != bool(condition & 1) else pc + size
        return Plan(Treatment.REWRITTEN, "conditional jump", build=build, destination=destination,
                    restarts=((0, pc, 0), (6, pc + size, 0)))

    def _jump_through(self, instruction: Any) -> Plan:
        plan = self._copy(instruction, "target from a register or memory")
        operand = instruction.operands[0]
        if operand.type == x86.X86_OP_REG:
            number = REGISTERS.get(instruction.reg_name(operand.reg))
            if number is None:
                return refused("16-bit jump")
            plan.destination = lambda regs, thread: int(regs[number]) & self.mask
        elif not operand.mem.segment:
            effective = self._effective_address(instruction, operand.mem)

            def destination(regs: Any, thread: Any) -> int:
                return int.from_bytes(thread.read(effective(regs), self.word), "little")
            plan.destination = destination
        return plan

    def _effective_address(self, instruction: Any, memory: Any) -> Callable[[Any], int]:
        displacement = memory.disp
        if memory.base == x86.X86_REG_RIP:
            constant = instruction.address + instruction.size + displacement & self.mask
            return lambda regs: constant
        base = REGISTERS.get(instruction.reg_name(memory.base)) if memory.base else None
        index = REGISTERS.get(instruction.reg_name(memory.index)) if memory.index else None
        scale = memory.scale

        def effective(regs: Any) -> int:
            address: int = displacement
            if base is not None:
                address += regs[base]
            if index is not None:
                address += regs[index] * scale
            return address & self.mask
        return effective

    # -- calls ----------------------------------------------------------------------------------

    def _call(self, instruction: Any) -> Plan:
        """Push the address it would push, then jump."""
        pc, after = instruction.address, instruction.address + instruction.size
        if 0x66 in instruction.prefix:
            return refused("16-bit call")
        target = self.direct_target(instruction)
        push_size = self.push_size
        if target is not None:
            target &= self.mask

            def build(at: int) -> bytes:
                return self.push(at, after, JUMP_SIZE) + jump(at + push_size, target) + self.literal(after)
            return Plan(Treatment.REWRITTEN, "call", build=build,
                        restarts=((0, pc, 0), (push_size, target, 0)))
        return self._call_through(instruction)

    def _call_through(self, instruction: Any) -> Plan:
        pc, after = instruction.address, instruction.address + instruction.size
        operand = instruction.operands[0]
        code = bytearray(instruction.bytes)
        where = instruction.modrm_offset
        code[where] += 0x10  # /2, call, becomes /4, jmp
        if operand.type == x86.X86_OP_REG:
            if instruction.reg_name(operand.reg) in ("rsp", "esp"):
                return refused("call through the stack pointer")
        elif instruction.reg_name(operand.mem.base or 0) in ("rsp", "esp"):
            code = self._deeper(instruction, code)
        refers = self.data_reference(instruction)
        if refers is not None and instruction.addr_size != 8:
            return refused("%eip-relative operand")
        size, displaced, push_size = len(code), instruction.disp_offset, self.push_size

        def build(at: int) -> bytes:
            jumping = bytes(code)
            if refers is not None:
                jumping = (jumping[:displaced] + distance(at + push_size + size, refers)
                           + jumping[displaced + 4:])
            return self.push(at, after, size) + jumping + self.literal(after)
        return Plan(Treatment.REWRITTEN, "call", build=build,
                    restarts=((0, pc, 0), (push_size, pc, self.word)))

    def _deeper(self, instruction: Any, code: bytearray) -> bytearray:
        """An operand relative to the stack pointer, as it is after a push: with 32 bits of displacement."""
        where = instruction.modrm_offset
        code[where] = code[where] & 0x3F | 0x80
        displacement = instruction.operands[0].mem.disp + self.word
        return code[:where + 2] + (displacement & 0xFFFFFFFF).to_bytes(4, "little")

    # -- what differs ---------------------------------------------------------------------------

    @property
    def push_size(self) -> int:
        return 6 if self.bits == 64 else 5

    def push(self, at: int, value: int, between: int) -> bytes:
        """Push a constant; on amd64 it follows as a literal `between` bytes later."""
        if self.bits == 64:
            return b"\xff\x35" + between.to_bytes(4, "little")
        return b"\x68" + value.to_bytes(4, "little")

    def literal(self, value: int) -> bytes:
        return value.to_bytes(8, "little") if self.bits == 64 else b""


def distance(after: int, target: int) -> bytes:
    """The 32-bit displacement that leads from `after` to `target`.  Raises Unreachable."""
    difference = target - after
    if not -(1 << 31) <= difference < 1 << 31:
        if max(after, target) >> 32:
            raise Unreachable
        difference = (difference + (1 << 31)) % (1 << 32) - (1 << 31)  # 32-bit code wraps around
    return difference.to_bytes(4, "little", signed=True)


def jump(at: int, target: int) -> bytes:
    """`jmp target`, to stand at `at`."""
    return b"\xe9" + distance(at + JUMP_SIZE, target)
