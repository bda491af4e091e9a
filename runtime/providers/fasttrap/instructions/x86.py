"""The x86 instruction sets: decoding, the plan for each instruction, calls, and the trap.

A slot lies within 2 GiB of the code it stands for wherever there is room, so a
%rip-relative operand is rewritten by giving it a new displacement, and every
slot ends in a direct jump back: once the probes have fired, a thread needs the
tracer no more, and no thread has anything of its own to restore.  (Kernels keep
a scratch area for each thread and write the instruction there at every hit.  Here a
write of code costs ten times as much as all the rest of a hit, and a slot that
never changes serves any number of threads.)  If no slot in reach can name the
operand, a register that the instruction does not use is lent for its address; a
second trap gives the thread the register's value back.

Nothing is written below the stack pointer but what the instruction itself
would write there: the red zone is safe.  Emulated are the instructions whose
only effect is on the program counter; the common first and last ones
(`push %rbp`, `sub $n, %rsp`, `leave`, `ret`) would take a callback two to three
times as long as their slot does (tests/benchmarks/fasttrap.py measures it).
Encodings are those of the AMD64 Architecture Programmer's Manual, volume 3; how arguments are passed and
results returned is AMD64 ABI 3.2.3 and i386 ABI 2.2.3.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import capstone
from capstone import CsInsn, x86

from dif.arithmetic import MASK
from runtime.kernel.base.errors import MemoryFault
from runtime.kernel.cpu.x86 import engine as machine
from runtime.kernel.cpu.x86.engine import (
    CARRY,
    OVERFLOW,
    PARITY,
    R8,
    R9,
    R10,
    R11,
    RAX,
    RBX,
    RCX,
    RDI,
    RDX,
    RIP,
    RSI,
    RSP,
    SIGN,
    ZERO,
)
from runtime.programs.abi import VECTOR_HALVES, elsewhere
from runtime.providers.fasttrap.instructions.operands import Registers, vector
from runtime.providers.fasttrap.instructions.scratch import REACH
from runtime.providers.fasttrap.instructions.space import Act, Convention, TracedSpace, Tracepoint
from runtime.providers.fasttrap.instructions.treatment import (
    Copy,
    Loan,
    Plan,
    Treatment,
    Unreachable,
    refused,
)
from runtime.providers.fasttrap.instructions.x86hits import Entry, Return, shortened

if TYPE_CHECKING:
    from runtime.framework.probes.registry import Probe
    from runtime.kernel.kernel import Kernel
    from runtime.kernel.memory.addrspace import AddressSpace
    from runtime.kernel.process.thread import Thread
    from runtime.programs.objectfile import Function

LONGEST = 15  # bytes of an instruction
SLOT_SIZE = 40
TRAP = b"\xcc"
JUMP_SIZE = 5
HALF_ADDRESS = 4  # bytes of an address where amd64's code has prefix 0x67
LOAD_SIZE = 7  # bytes of mov 0(%rax), %rax with 32 bits of displacement
REGISTERS = {name: number for number, names in enumerate((
    ("rax", "eax"), ("rcx", "ecx"), ("rdx", "edx"), ("rbx", "ebx"), ("rsp", "esp"), ("rbp", "ebp"),
    ("rsi", "esi"), ("rdi", "edi"), ("r8",), ("r9",), ("r10",), ("r11",), ("r12",), ("r13",), ("r14",),
    ("r15",))) for name in names}
# those that can stand in for %rip without another REX prefix, and what names each and its parts
LENDABLE = (machine.RAX, machine.RCX, machine.RDX, machine.RBX, machine.RSI, machine.RDI)
PARTS = {name: number for number, letter in zip(LENDABLE, "acdb", strict=False)
         for name in (f"r{letter}x", f"e{letter}x", f"{letter}x", f"{letter}l", f"{letter}h")}
PARTS |= {name: number for number, letters in ((machine.RSI, "si"), (machine.RDI, "di"))
          for name in (f"r{letters}", f"e{letters}", letters, f"{letters}l")}
LEGACY_PREFIXES = frozenset(b"\x66\x67\xf2\xf3\xf0\x2e\x36\x3e\x26\x64\x65")
VECTOR_PREFIXES = frozenset(b"\xc4\xc5\x62")
# What takes a literal: it stands right behind the jump, and so many bytes behind the push as are filled in.
JUMP_AHEAD = b"\xff\x25\0\0\0\0"  # amd64: jmp [rip]
PUSH_AHEAD = b"\xff\x35\0\0\0\0"  # amd64: push [rip]

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

# `popf`, `popfw` and `popfq` may set the trap flag, which a jump back would bear, but a trap does not.
LOADS_FLAGS = frozenset((b"\x9d", b"\x66\x9d", b"\x48\x9d"))

MOST_KNOWN = 4096  # instructions whose plans are made without decoding them again

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

    longest = LONGEST
    slot_size = SLOT_SIZE
    reach = REACH
    trap = TRAP

    def __init__(self, bits: int) -> None:
        self.bits = bits
        self.reaches_all = bits == 64  # a slot may be anywhere
        self.word = bits // 8
        self.mask = (1 << bits) - 1
        self._decoder = capstone.Cs(capstone.CS_ARCH_X86,
                                    capstone.CS_MODE_64 if bits == 64 else capstone.CS_MODE_32)
        self._decoder.detail = True
        self._decoder.skipdata = False
        # by an instruction's bytes (none begins with another one's): what makes its plan at another address
        self._known: dict[bytes, Callable[[int], Plan]] = {}
        self._sizes: list[int] = []

    @staticmethod
    def pc(regs: Registers) -> int:
        """Where a thread is."""
        return int(regs[machine.RIP])

    # -- decoding -------------------------------------------------------------------------------

    def decode(self, code: bytes, address: int) -> CsInsn | None:
        """The instruction (capstone's CsInsn) that `code` begins with, None if there is none."""
        return next(self._decoder.disasm(code[:LONGEST], address, 1), None)

    def walk(self, code: bytes, address: int) -> list[CsInsn]:
        """All instructions from the beginning on, up to something that is none."""
        return list(self._decoder.disasm(code, address))

    @staticmethod
    def text(instruction: CsInsn) -> str:
        return f"{instruction.mnemonic} {instruction.op_str}".rstrip()

    @staticmethod
    def is_return(instruction: CsInsn) -> bool:
        return instruction.id in RETURNS

    @staticmethod
    def direct_target(instruction: CsInsn) -> int | None:
        """Where a jump, conditional jump or call with a constant target leads."""
        if not (X86.is_jump(instruction) or instruction.group(capstone.CS_GRP_CALL)):
            return None
        operand = instruction.operands[0] if instruction.operands else None
        return int(operand.imm) if operand is not None and operand.type == x86.X86_OP_IMM else None

    @staticmethod
    def is_jump(instruction: CsInsn) -> bool:
        """A jump of any kind, conditional or not, but no call."""
        return bool(instruction.group(capstone.CS_GRP_JUMP)) or instruction.id in LOOPS

    @staticmethod
    def undefined_behind(_before: CsInsn, _instruction: CsInsn) -> str:
        """(No instruction depends on where it stands.)"""
        return ""

    @staticmethod
    def never_continues(instruction: CsInsn) -> bool:
        """Whether the next instruction is not reached by falling through."""
        return instruction.id in RETURNS or instruction.id in (
            x86.X86_INS_JMP, x86.X86_INS_UD2, x86.X86_INS_HLT) or instruction.id in FAR

    @staticmethod
    def data_reference(instruction: CsInsn) -> int | None:
        """The address that a %rip-relative operand names."""
        for operand in instruction.operands:
            if operand.type == x86.X86_OP_MEM and operand.mem.base in INSTRUCTION_POINTERS:
                return int(instruction.address + instruction.size + operand.mem.disp)
        return None

    # -- plans ----------------------------------------------------------------------------------

    def plan(self, code: bytes, pc: int) -> Plan:
        """How to execute the instruction that `code` begins with and that belongs to `pc`."""
        for size in self._sizes:
            again = self._known.get(code[:size])
            if again is not None:
                return again(pc)
        instruction = self.decode(code, pc)
        if instruction is None:
            return refused("no instruction")
        plan = self._plan(instruction, pc)
        plan.code = bytes(instruction.bytes)
        self._learn(instruction, plan)
        return plan

    def _learn(self, instruction: CsInsn, plan: Plan) -> None:
        """Keep how a plan for the same bytes elsewhere is made, if nothing in them depends on the place."""
        code, why = plan.code, plan.why
        size = len(code)
        if len(self._known) >= MOST_KNOWN:
            self._known.clear()
        if instruction.id in MARKS:
            self._known[code] = lambda pc: Plan(Treatment.EMULATED, why, go=pc + size, code=code)
        elif plan.treatment is Treatment.DISPLACED and plan.destination is None:
            displaced = self._displaced(code, why)
            self._known[code] = lambda _pc: displaced
        else:
            return
        if size not in self._sizes:
            self._sizes = sorted((*self._sizes, size))

    def _displaced(self, code: bytes, why: str) -> Plan:
        """Execute an instruction that does not depend on its place elsewhere, then jump back behind it."""
        size = len(code)

        def build(at: int, pc: int) -> Copy:
            back = TRAP if code in LOADS_FLAGS else self.jump(at + size, pc + size)
            return Copy(code + back, ((0, pc, 0), (size, pc + size, 0)))
        return Plan(Treatment.DISPLACED, why, build=build, code=code)

    def _plan(self, instruction: CsInsn, pc: int) -> Plan:
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

    def _copy(self, instruction: CsInsn, why: str) -> Plan:
        """Execute it elsewhere, then jump back behind it."""
        pc, size = instruction.address, instruction.size
        refers = self.data_reference(instruction)
        if refers is not None and instruction.addr_size == HALF_ADDRESS:
            code, refers = absolute(instruction, bytes(instruction.bytes)), None
        else:
            code = bytes(instruction.bytes)
        if len(code) > LONGEST:
            return refused("%eip-relative operand of an instruction that cannot be longer")
        copied, where = len(code), instruction.disp_offset
        restarts = ((0, pc, 0), (copied, pc + size, 0))

        def build(at: int, _pc: int) -> Copy:
            placed = code if refers is None else (
                code[:where] + distance(at + copied, refers) + code[where + 4:])
            return Copy(placed + self.jump(at + copied, pc + size), restarts)
        if refers is None and copied == size:
            return self._displaced(code, why)
        if refers is None:
            return Plan(Treatment.REWRITTEN, why, build=build)
        return Plan(Treatment.REWRITTEN, "%rip-relative operand", build=build,
                    loan=lambda: borrow(instruction))

    # -- jumps ----------------------------------------------------------------------------------

    @staticmethod
    def _is_narrow(instruction: CsInsn) -> bool:
        """Whether a jump or call takes 16 bits of its target: processors do not agree on what that does.

        REX.W outweighs the prefix.  Compilers pad the calls of __tls_get_addr with both, so that a linker
        can write something longer there (the AMD64 ABI's general dynamic model).
        """
        return 0x66 in instruction.prefix and not instruction.rex & 8

    def _jump(self, instruction: CsInsn) -> Plan:
        pc, size = instruction.address, instruction.size
        target = self.direct_target(instruction)
        if target is None:
            return self._jump_through(instruction)
        if self._is_narrow(instruction):
            return refused("16-bit jump")
        target &= self.mask
        if instruction.id == x86.X86_INS_JMP:
            return Plan(Treatment.EMULATED, "constant target", go=target,
                        destination=lambda regs, thread: target)
        if instruction.id in LOOPS:
            branch = bytes(instruction.bytes[:-1])
            return Plan(Treatment.REWRITTEN, "loop",
                        build=lambda at, _pc: self._branch(at, branch, pc, size, target))
        opcode = instruction.opcode
        condition = (opcode[1] if opcode[0] == 0x0F else opcode[0]) & 15

        def build(at: int, _pc: int) -> Copy:
            try:
                near = bytes((0x0F, 0x80 | condition)) + distance(at + 6, target)
            except Unreachable:
                return self._branch(at, bytes((0x70 | condition,)), pc, size, target)
            return Copy(near + self.jump(at + 6, pc + size), ((0, pc, 0), (6, pc + size, 0)))

        def destination(_regs: Registers, thread: Thread) -> int:
            flags = thread.kernel.engine.read_register(machine.REG_RFLAGS)
            return target if CONDITIONS[condition >> 1](flags) != bool(condition & 1) else pc + size
        return Plan(Treatment.REWRITTEN, "conditional jump", build=build, destination=destination)

    def _branch(self, at: int, branch: bytes, pc: int, size: int, target: int) -> Copy:
        """A conditional jump over a jump behind the instruction, to a jump to its target; `branch` lacks
        its displacement, a byte."""
        start = len(branch) + 1
        behind = self.jump(at + start, pc + size)
        end = start + len(behind)
        return Copy(branch + bytes((len(behind),)) + behind + self.jump(at + end, target),
                    ((0, pc, 0), (start, pc + size, 0), (end, target, 0)))

    def _jump_through(self, instruction: CsInsn) -> Plan:
        plan = self._copy(instruction, "target from a register or memory")
        if plan.loan is not None:
            plan.loan = lambda: self._borrow_target(instruction, push=b"", literal=b"")
        operand = instruction.operands[0]
        if operand.type == x86.X86_OP_REG:
            number = REGISTERS.get(instruction.reg_name(operand.reg))
            if number is None:
                return refused("16-bit jump")
            plan.destination = lambda regs, thread: int(regs[number]) & self.mask
        elif not operand.mem.segment:
            effective = self._effective_address(instruction, operand.mem)

            def destination(regs: Registers, thread: Thread) -> int:
                return int.from_bytes(thread.read(effective(regs), self.word), "little")
            plan.destination = destination
        return plan

    def _effective_address(self, instruction: CsInsn, memory: x86.X86OpMem) -> Callable[[Registers], int]:
        displacement = memory.disp
        mask = self.mask if instruction.addr_size != HALF_ADDRESS else 0xFFFFFFFF
        if memory.base in INSTRUCTION_POINTERS:
            constant = instruction.address + instruction.size + displacement & mask
            return lambda regs: constant
        base = REGISTERS.get(instruction.reg_name(memory.base)) if memory.base else None
        index = REGISTERS.get(instruction.reg_name(memory.index)) if memory.index else None
        scale = memory.scale

        def effective(regs: Registers) -> int:
            address: int = displacement
            if base is not None:
                address += regs[base]
            if index is not None:
                address += regs[index] * scale
            return address & mask
        return effective

    # -- calls ----------------------------------------------------------------------------------

    def _call(self, instruction: CsInsn) -> Plan:
        """Push the address it would push, then jump."""
        pc, after = instruction.address, instruction.address + instruction.size
        if self._is_narrow(instruction):
            return refused("16-bit call")
        target = self.direct_target(instruction)
        push_size = self.push_size
        if target is not None:
            target &= self.mask

            def build(at: int, _pc: int) -> Copy:
                jumping = self.jump(at + push_size, target)
                return Copy(self.push(after, len(jumping)) + jumping + self.literal(after),
                            ((0, pc, 0), (push_size, target, 0)))
            return Plan(Treatment.REWRITTEN, "call", build=build)
        return self._call_through(instruction)

    def _call_through(self, instruction: CsInsn) -> Plan:
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
        if refers is not None and instruction.addr_size == HALF_ADDRESS:
            code, refers = bytearray(absolute(instruction, bytes(code))), None
        size, displaced, push_size = len(code), instruction.disp_offset, self.push_size

        def build(at: int, _pc: int) -> Copy:
            jumping = bytes(code)
            if refers is not None:
                jumping = (jumping[:displaced] + distance(at + push_size + size, refers)
                           + jumping[displaced + 4:])
            return Copy(self.push(after, size) + jumping + self.literal(after),
                        ((0, pc, 0), (push_size, pc, self.word)))
        push, literal = self.push(after, LOAD_SIZE + len(TRAP)), self.literal(after)
        return Plan(Treatment.REWRITTEN, "call", build=build,
                    loan=lambda: self._borrow_target(instruction, push, literal))

    def _borrow_target(self, instruction: CsInsn, push: bytes, literal: bytes) -> Loan | None:
        """Load the target of a jump or call into the register that has its operand's address."""
        refers = self.data_reference(instruction)
        if refers is None or instruction.operands[0].mem.segment:
            return None
        load = bytes((0x48, 0x8B, 0x80 | machine.RAX << 3 | machine.RAX)) + bytes(4)  # mov 0(%rax), %rax
        restarts = ((0, instruction.address, 0), (len(push), instruction.address, len(push) and self.word))
        return Loan(machine.RAX, refers, Copy(push + load + TRAP + literal, restarts), len(push) + len(load),
                    None)

    def _deeper(self, instruction: CsInsn, code: bytearray) -> bytearray:
        """An operand relative to the stack pointer, as it is after a push: with 32 bits of displacement."""
        where = instruction.modrm_offset
        code[where] = code[where] & 0x3F | 0x80
        displacement = instruction.operands[0].mem.disp + self.word
        return code[:where + 2] + (displacement & 0xFFFFFFFF).to_bytes(4, "little")

    # -- what differs ---------------------------------------------------------------------------

    @property
    def push_size(self) -> int:
        return 6 if self.bits == 64 else 5

    def push(self, value: int, between: int) -> bytes:
        """Push a constant; on amd64 it follows as a literal `between` bytes later."""
        if self.bits == 64:
            return PUSH_AHEAD.replace(bytes(4), between.to_bytes(4, "little"))
        return b"\x68" + value.to_bytes(4, "little")

    def literal(self, value: int) -> bytes:
        return value.to_bytes(8, "little") if self.bits == 64 else b""

    def jump(self, at: int, target: int) -> bytes:
        """`jmp target`, to stand at `at`: with the target as a literal where it is out of reach."""
        try:
            return b"\xe9" + distance(at + JUMP_SIZE, target)
        except Unreachable:
            return JUMP_AHEAD + target.to_bytes(8, "little")


def distance(after: int, target: int) -> bytes:
    """The 32-bit displacement that leads from `after` to `target`.  Raises Unreachable."""
    difference = target - after
    if not -(1 << 31) <= difference < 1 << 31:
        if max(after, target) >> 32:
            raise Unreachable
        difference = (difference + (1 << 31)) % (1 << 32) - (1 << 31)  # 32-bit code wraps around
    return difference.to_bytes(4, "little", signed=True)


def absolute(instruction: CsInsn, code: bytes) -> bytes:
    """`code`, of an instruction with an %eip-relative operand, with the operand's 32-bit address instead.

    A byte longer: ModRM asks for a SIB byte that names neither base nor index.
    """
    where, displaced = instruction.modrm_offset, instruction.disp_offset
    address = (X86.data_reference(instruction) or 0) & 0xFFFFFFFF
    return (code[:where] + bytes((code[where] & 0x38 | 4, 0x25)) + address.to_bytes(4, "little")
            + code[displaced + 4:])


def borrow(instruction: CsInsn) -> Loan | None:
    """Execute an instruction with a %rip-relative operand by way of a register that it does not use.

    None for those encoded with VEX or EVEX: the emulated processor has none.
    """
    code, pc, size = bytearray(instruction.bytes), instruction.address, instruction.size
    refers, where = X86.data_reference(instruction), instruction.modrm_offset
    first = next(at for at, byte in enumerate(code) if byte not in LEGACY_PREFIXES)
    if refers is None or code[first] in VECTOR_PREFIXES:
        return None
    used = {PARTS[name] for registers in instruction.regs_access()
            for name in map(instruction.reg_name, registers) if name in PARTS}
    register = next(number for number in LENDABLE if number not in used)
    if code[first] & 0xF0 == 0x40:  # REX
        code[first] &= ~1  # the high bit of the base register's number
    code[where] = code[where] & 0x38 | 0x80 | register  # a base, and 32 bits of displacement
    code[where + 1:where + 5] = bytes(4)
    copy = Copy(bytes(code) + TRAP, ((0, pc, 0), (size, pc + size, 0)))
    return Loan(register, refers, copy, size, pc + size)


# -- calls of functions ---------------------------------------------------------------------------------

ARGUMENTS = RDI, RSI, RDX, RCX, R8, R9
GO_ARGUMENTS = RAX, RBX, RCX, RDI, RSI, R8, R9, R10, R11


class StackConvention:
    """How functions are called whose arguments are all on the stack: i386's, and Go's older ones."""

    def __init__(self, bits: int) -> None:
        self._word = bits // 8

    def entry(self, probe: Probe) -> Act:
        return _arguments_on_stack(probe, self._word)

    def argument(self, thread: Thread, index: int, called: bool) -> int:
        if index >= VECTOR_HALVES:
            return elsewhere(index, lambda at: self._place(thread, at, called),
                             lambda number: vector(thread, number))
        try:
            return int.from_bytes(thread.read(self._place(thread, index, called), self._word), "little")
        except MemoryFault:
            return 0

    def _place(self, thread: Thread, index: int, called: bool) -> int:
        """Return the address of an argument on the stack."""
        return int(thread.regs[RSP]) + (index + called) * self._word

    def result(self, regs: Registers) -> int:
        return regs[RAX]

    def say_enabled(self, _thread: Thread, regs: Registers) -> None:
        regs[RAX] = 1


class RegisterConvention(StackConvention):
    """How functions of amd64 are called whose first arguments are in `registers`, five at least."""

    def __init__(self, registers: Sequence[int]) -> None:
        super().__init__(64)
        self._registers = registers

    def entry(self, probe: Probe) -> Act:
        return Entry(probe, self._registers)

    def argument(self, thread: Thread, index: int, called: bool) -> int:
        if index < len(self._registers):
            return int(thread.regs[self._registers[index]])
        return super().argument(thread, index, called)

    def _place(self, thread: Thread, index: int, called: bool) -> int:
        return super()._place(thread, index - len(self._registers), called)


def _arguments_on_stack(probe: Probe, word: int) -> Act:
    def act(thread: Thread, regs: Registers) -> None:
        fire = probe.fire
        if fire is not None:
            try:
                data = thread.read(regs[RSP] + word, 5 * word)
            except MemoryFault:
                data = bytes(5 * word)
            fire(*(int.from_bytes(data[at:at + word], "little") for at in range(0, 5 * word, word)))
    return act


def may_return(probe: Probe, offset: int, leads: Callable[[Registers, Thread], int],
               contains: Callable[[int], bool]) -> Act:
    """The same at a jump, if where it `leads` is not in the function."""
    def act(thread: Thread, regs: Registers) -> None:
        fire = probe.fire
        if fire is None:
            return
        try:
            target = leads(regs, thread)
        except MemoryFault:
            return  # the jump is about to fail
        if not contains(target):
            fire(offset, regs[RAX], regs[RDX], 0, 0)
    return act


# -- the trap -------------------------------------------------------------------------------------------

BROKEN = "breakpoint"  # key of a thread's data: where it has hit a probe and a debugger's breakpoint in one
LENT = "fasttrap"  # key of a thread's data: the own value of a register it has lent, and its number


class X86Space(TracedSpace):
    """The tracepoints of the address space of an x86 program."""

    def __init__(self, kernel: Kernel, space: AddressSpace, isa: X86) -> None:
        on_stack = StackConvention(isa.bits)
        super().__init__(kernel, space, isa, on_stack if isa.bits == 32 else RegisterConvention(ARGUMENTS))
        self._go, self._old_go = RegisterConvention(GO_ARGUMENTS), on_stack

    def calls(self, function: Function) -> Convention:
        if function.go is None:
            return self.convention
        return self._go if function.go else self._old_go

    def _settle(self, point: Tracepoint) -> None:
        super()._settle(point)
        self.space.traps.drop(point.address)

    def _acts(self, point: Tracepoint) -> tuple[Act, ...]:
        """First what its users do, then the loan of a register if its slot needs one."""
        if not point.acts and point.loan is not None:
            point.acts = (*super()._acts(point), lending(point.loan))
        return super()._acts(point)

    def _lift(self, point: Tracepoint) -> None:
        self.space.traps.drop(point.address)
        super()._lift(point)

    def watch_return(self, address: int, probe: Probe, offset: int, contains: Callable[[int], bool]) -> None:
        """Fire `probe`, of the instruction at `offset` of a function, when that is left at `address`.

        `contains` says whether an address lies in the function.  Raises Refused.
        """
        leads = self.plan(address).destination
        self.add(address, probe, Return(probe, offset) if leads is None
                 else may_return(probe, offset, leads, contains))

    def _can_wait(self, plan: Plan) -> bool:
        """Such code may be anywhere, and refers to nothing: of many probes most are never hit."""
        return plan.treatment is Treatment.DISPLACED and self.isa.reaches_all

    def hit(self, thread: Thread, pc: int) -> bool:
        """Handle a trap at `pc`; returns whether it is one of ours."""
        point = self.points.get(pc)
        if point is None:
            return self.end_loan(thread, pc)
        regs = thread.regs
        regs[RIP] = pc
        if thread.data and thread.data.pop(BROKEN, None) == pc and point.event != machine.BREAKPOINT:
            if point.loan is not None:
                lending(point.loan)(thread, regs)
        else:
            point.hits += 1
            for act in self._acts(point):
                act(thread, regs)
        if not point.go and point.plan.build is not None:
            self._move_in(point)
        if self._kernel.engine.hits and point.slot is not None and len(point.acts) == 1:
            self.space.traps.hits[pc] = shortened(point, self._kernel.engine, self.hit)  # from now on
        regs[RIP] = point.go
        if point.event is not None:
            if point.event == machine.BREAKPOINT:
                thread.data[BROKEN] = pc
            self._kernel.engine.event = point.event
            self._kernel.engine.stop()
        elif point.plan.build is None and self._kernel.engine.single_steps():
            self._kernel.engine.event = machine.DEBUG  # the instruction is done, if not by the engine
            self._kernel.engine.stop()
        return True

    def leave_slot(self, thread: Thread) -> None:
        """Give a thread that faulted in a slot the registers it would have had without one."""
        state = self.state_at(thread.regs[RIP])
        if state is not None:
            thread.regs[RIP] = state[0]
            thread.regs[RSP] += state[1]
            give_back(thread)

    def retry(self, thread: Thread, point: Tracepoint, _registers: bytes) -> None:
        """A thread that has stopped at a tracepoint comes to it anew when it goes on."""
        self.leave_slot(thread)
        thread.regs[RIP] = point.address

    def end_loan(self, thread: Thread, pc: int) -> bool:
        """Handle a trap at `pc` that is no tracepoint; returns whether it ends what a slot holds."""
        slot = self.scratch.slot_of(pc)
        point = self.slots.get(slot) if slot is not None else None
        if point is None or slot is None:
            return False
        if point.loan is None:
            end, after, _depth = point.restarts[-1]
            if pc == slot + end:
                thread.regs[RIP] = after
            return pc == slot + end
        if pc != slot + point.loan.end:
            return False
        go = point.loan.go
        thread.regs[RIP] = go if go is not None else thread.regs[point.loan.register]
        give_back(thread)
        return True


def lending(loan: Loan) -> Act:
    """Give a register to the instruction about to be executed."""
    register, value = loan.register, loan.value & MASK

    def lend(thread: Thread, regs: Registers) -> None:
        thread.data[LENT] = register, regs[register]
        regs[register] = value
    return lend


def give_back(thread: Thread) -> None:
    """A thread that has lent a register gets it back."""
    lent = thread.data.pop(LENT, None)
    if lent is not None:
        thread.regs[lent[0]] = lent[1]
