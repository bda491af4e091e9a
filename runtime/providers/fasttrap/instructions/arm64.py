"""AArch64: decoding, how each instruction is executed although a trap stands in its place, and the trap.

Emulated are the instructions that depend on their place, and those without an effect: branches, conditional
or not, through registers or not, ADR, ADRP, loads of literals, NOP and BTI.  A branch that authenticates its
target does not depend on its place: a copy is executed in a slot, and the link register is set before.  All
others are executed in a slot, whose second word is a branch back, or another trap where none reaches.

Between a load-exclusive and its store-exclusive no trap may stand: on a processor the trap would clear the
monitor, so that the store fails and the program tries again for ever.

Encodings are those of the Arm Architecture Reference Manual for A-profile, C4.1; how functions are called is
the Procedure Call Standard for the Arm 64-bit Architecture, 6.8.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import TYPE_CHECKING

import capstone

from dif.arithmetic import MASK
from dif.records import Record
from runtime.kernel.base.errors import MemoryFault
from runtime.kernel.base.words import signed
from runtime.kernel.cpu.arm64.engine import BREAKPOINT, REG_Q0, STEPPED, TRAP_WORD, ArmEngine
from runtime.kernel.cpu.arm64.registers import PC, SP, X0, X1, X30, C, N, Registers, V, Z
from runtime.kernel.cpu.arm64.unwind import WIDTH
from runtime.kernel.cpu.emulator import ERROR_USER
from runtime.kernel.cpu.translation import SYSCALL
from runtime.kernel.memory.physical import PAGE
from runtime.programs.abi import VECTOR_HALVES, elsewhere
from runtime.providers.fasttrap.instructions.arm64operands import vector
from runtime.providers.fasttrap.instructions.space import Act, TracedSpace, Tracepoint
from runtime.providers.fasttrap.instructions.treatment import Copy, Plan, Treatment, refused

if TYPE_CHECKING:
    from runtime.framework.probes.registry import Probe
    from runtime.kernel.kernel import Kernel
    from runtime.kernel.memory.addrspace import AddressSpace
    from runtime.kernel.process.thread import Thread

SIZE = 4  # bytes of every instruction
TRAP = TRAP_WORD.to_bytes(SIZE, "little")
BRANCH = 0x14000000
BRANCH_REACH = 1 << 27  # bytes, either way
IN_REGISTERS = 8  # arguments
ATOMIC = 32  # instructions between which a load-exclusive and its store-exclusive are looked for

Step = Callable[[Registers, "Thread"], None]  # brings about the whole effect, the program counter included


class ArmPlan(Plan):
    """EMULATED: `step`, if there is one, brings about the whole effect; it raises MemoryFault.  DISPLACED,
    REWRITTEN: `step` comes before the word in the slot."""

    step: Step | None = None


# -- conditions -----------------------------------------------------------------------------------

CONDITIONS: tuple[Callable[[int], bool], ...] = (  # by condition / 2, given the flags; an odd one negates
    lambda flags: bool(flags & Z),
    lambda flags: bool(flags & C),
    lambda flags: bool(flags & N),
    lambda flags: bool(flags & V),
    lambda flags: bool(flags & C) and not flags & Z,
    lambda flags: bool(flags & N) == bool(flags & V),
    lambda flags: not flags & Z and bool(flags & N) == bool(flags & V))
ALWAYS = 14  # and 15


def condition(number: int) -> Callable[[Registers], bool]:
    """Whether the condition of four bits holds."""
    if number >= ALWAYS:
        return lambda regs: True
    test, negated = CONDITIONS[number >> 1], bool(number & 1)
    return lambda regs: test(regs.flags) != negated


def _compare(word: int) -> Callable[[Registers], bool]:
    """CBZ and CBNZ."""
    register, wanted = word & 31, bool(word >> 24 & 1)
    mask = MASK if word >> 31 else 0xFFFFFFFF
    return lambda regs: bool(regs.x(register) & mask) == wanted


def _test_bit(word: int) -> Callable[[Registers], bool]:
    """TBZ and TBNZ."""
    register, wanted = word & 31, word >> 24 & 1
    bit = word >> 31 << 5 | word >> 19 & 31
    return lambda regs: regs.x(register) >> bit & 1 == wanted


# -- plans ----------------------------------------------------------------------------------------

def _constant(target: int) -> ArmPlan:
    return ArmPlan(Treatment.EMULATED, "constant target", go=target & MASK,
                   destination=lambda regs, thread: target & MASK)


def _conditional(pc: int, distance: int, taken: Callable[[Registers], bool]) -> ArmPlan:
    target, after = pc + distance & MASK, pc + SIZE

    def destination(regs: Registers, _thread: Thread) -> int:
        return target if taken(regs) else after

    def step(regs: Registers, _thread: Thread) -> None:
        regs[PC] = target if taken(regs) else after
    return ArmPlan(Treatment.EMULATED, "conditional branch", step=step, destination=destination)


def _branch(word: int, pc: int) -> ArmPlan:
    return _constant(pc + signed(word, 26) * SIZE)


def _call(word: int, pc: int) -> ArmPlan:
    target = pc + signed(word, 26) * SIZE & MASK

    def step(regs: Registers, _thread: Thread) -> None:
        regs[X30], regs[PC] = pc + SIZE, target
    return ArmPlan(Treatment.EMULATED, "call", step=step)


def _branch_if(word: int, pc: int) -> ArmPlan:
    return _conditional(pc, signed(word >> 5, 19) * SIZE, condition(word & 15))


def _branch_if_zero(word: int, pc: int) -> ArmPlan:
    return _conditional(pc, signed(word >> 5, 19) * SIZE, _compare(word))


def _branch_if_bit(word: int, pc: int) -> ArmPlan:
    return _conditional(pc, signed(word >> 5, 14) * SIZE, _test_bit(word))


def _through_register(word: int, _pc: int) -> ArmPlan:
    """BR and RET."""
    register = word >> 5 & 31

    def step(regs: Registers, _thread: Thread) -> None:
        regs[PC] = regs.x(register)
    return ArmPlan(Treatment.EMULATED, "target from a register", step=step,
                   destination=lambda regs, thread: regs.x(register))


def _call_register(word: int, pc: int) -> ArmPlan:
    register = word >> 5 & 31

    def step(regs: Registers, _thread: Thread) -> None:
        regs[PC], regs[X30] = regs.x(register), pc + SIZE
    return ArmPlan(Treatment.EMULATED, "call through a register", step=step)


def _authenticated(word: int, _pc: int) -> ArmPlan:
    """BRAA and its like, RETAA, RETAB: a copy; where a jump leads is told without the authentication."""
    register = X30 if word & RETURN_MASK == RETURN_AUTHENTICATED else word >> 5 & 31
    return ArmPlan(Treatment.DISPLACED, "target from a register",
                   destination=lambda regs, thread: strip(regs.x(register)))


def _authenticated_call(word: int, pc: int) -> ArmPlan:
    """BLRAA and its like: a copy that does not link, which is done before."""
    if X30 in (word >> 5 & 31, word & 31):
        return _refuse("its target is in the register that it sets")

    def step(regs: Registers, _thread: Thread) -> None:
        regs[X30] = pc + SIZE
    plan = ArmPlan(Treatment.REWRITTEN, "call through a register", step=step)
    plan.code = (word & ~LINKS).to_bytes(SIZE, "little")
    return plan


def _address(word: int, pc: int) -> ArmPlan:
    """ADR and ADRP."""
    register, distance = word & 31, signed(word >> 5 & 0x7FFFF, 19) << 2 | word >> 29 & 3
    value = (pc & -4096) + (distance << 12) if word >> 31 else pc + distance

    def step(regs: Registers, _thread: Thread) -> None:
        regs.set_x(register, value)
        regs[PC] = pc + SIZE
    return ArmPlan(Treatment.EMULATED, "reads its own address", step=step)


def _literal(word: int, pc: int) -> ArmPlan:
    """LDR and LDRSW of a literal, PRFM."""
    register, kind, vector = word & 31, word >> 30, bool(word >> 26 & 1)
    address, size = pc + signed(word >> 5, 19) * SIZE & MASK, LITERAL_SIZES[vector][kind]
    if not size:
        return _refuse("no instruction") if vector else _nothing(word, pc)

    def step(regs: Registers, thread: Thread) -> None:
        value = int.from_bytes(thread.read(address, size), "little")
        if vector:
            thread.process.processor.engine.write_register(  # type: ignore[attr-defined]
                REG_Q0 + register, value, 16)
        else:
            regs.set_x(register, signed(value, 32) & MASK if kind == 2 else value)
        regs[PC] = pc + SIZE
    return ArmPlan(Treatment.EMULATED, "operand relative to its place", step=step)


LITERAL_SIZES = {False: (4, 8, 4, 0), True: (4, 8, 16, 0)}  # by bits 30-31; 0: prefetch, and reserved


def _nothing(_word: int, pc: int) -> ArmPlan:
    return ArmPlan(Treatment.EMULATED, "no effect", go=pc + SIZE)


def _system_call(_word: int, pc: int) -> ArmPlan:
    return ArmPlan(Treatment.EMULATED, "enters the kernel", go=pc + SIZE, event=SYSCALL)


def _breakpoint(_word: int, pc: int) -> ArmPlan:
    return ArmPlan(Treatment.EMULATED, "own breakpoint", go=pc, event=BREAKPOINT)


def _refuse(why: str) -> ArmPlan:
    return ArmPlan(Treatment.REFUSED, why)


def strip(address: int) -> int:
    """An address of a program without what signs it."""
    return address & (1 << 48) - 1


LINKS = 1 << 21  # tells BLR from BR
RETURN_MASK, RETURN_AUTHENTICATED = 0xFFFFFBFF, 0xD65F0BFF
# mask, value, plan; the first that fits counts
TABLE: tuple[tuple[int, int, Callable[[int, int], ArmPlan]], ...] = (
    (0xFFFF0000, 0, lambda _word, _pc: _refuse("no instruction")),
    (0xFFFFFFFF, 0xD503201F, _nothing),  # NOP
    (0xFFFFFF3F, 0xD503241F, _nothing),  # BTI
    (0xFC000000, 0x14000000, _branch),
    (0xFC000000, 0x94000000, _call),
    (0xFF000010, 0x54000000, _branch_if),
    (0x7E000000, 0x34000000, _branch_if_zero),
    (0x7E000000, 0x36000000, _branch_if_bit),
    (0xFFFFFC1F, 0xD61F0000, _through_register),
    (0xFFFFFC1F, 0xD65F0000, _through_register),
    (0xFFFFFC1F, 0xD63F0000, _call_register),
    (RETURN_MASK, RETURN_AUTHENTICATED, _authenticated),
    (0xFEFFF800, 0xD61F0800, _authenticated),
    (0xFEFFF800, 0xD63F0800, _authenticated_call),
    (0x1F000000, 0x10000000, _address),
    (0x3B000000, 0x18000000, _literal),
    (0xFFE0001F, 0xD4000001, _system_call),
    (0xFFE0001F, 0xD4200000, _breakpoint))
RETURNS = ((0xFFFFFC1F, 0xD65F0000), (RETURN_MASK, RETURN_AUTHENTICATED))
JUMPS = ((0xFC000000, 0x14000000), (0xFF000010, 0x54000000), (0x7C000000, 0x34000000),
         (0xFEFFF000, 0xD61F0000))
NEVER_CONTINUES = (*RETURNS, (0xFC000000, 0x14000000), (0xFEFFF000, 0xD61F0000), (0xFFFF0000, 0))
EXCLUSIVE = 0x3F000000, 0x08000000  # loads and stores of which one kind is exclusive
LOAD, ORDERED, SINGLE = 1 << 22, 1 << 23, 1 << 21


def fits(word: int, rows: tuple[tuple[int, int], ...]) -> bool:
    return any(word & mask == value for mask, value in rows)


def is_exclusive(word: int, load: bool) -> bool:
    """Whether it is a load-exclusive or, if not `load`, a store-exclusive, of one register or a pair."""
    mask, value = EXCLUSIVE
    return (word & mask == value and not word & ORDERED and bool(word & LOAD) == load
            and (not word & SINGLE or bool(word >> 31)))  # without bit 31 it compares and swaps a pair


# -- the instruction set, as fasttrap asks of it ----------------------------------------------------

class Instruction(Record, frozen=True):
    """`word` at `address`."""

    address: int
    word: int
    size: int = SIZE


class Arm64:
    """The instruction set of AArch64 programs."""

    bits = 64
    longest = SIZE
    slot_size = 2 * SIZE
    trap = TRAP
    reaches_all = True
    reach = BRANCH_REACH - (1 << 24)

    def __init__(self) -> None:
        self._decoder = capstone.Cs(capstone.CS_ARCH_ARM64, capstone.CS_MODE_LITTLE_ENDIAN)

    @staticmethod
    def pc(regs: Registers) -> int:
        """Where a thread is."""
        return int(regs[PC])

    # -- decoding -------------------------------------------------------------------------------

    def decode(self, code: bytes, address: int) -> Instruction | None:
        """The word that `code` begins with; None if it is permanently undefined, as padding is."""
        word = int.from_bytes(code[:SIZE], "little")
        return Instruction(address, word) if len(code) >= SIZE and word >> 16 else None

    def walk(self, code: bytes, address: int) -> list[Instruction]:
        """All words up to one that is no instruction."""
        found = []
        for at in range(0, len(code), SIZE):
            instruction = self.decode(code[at:at + SIZE], address + at)
            if instruction is None:
                break
            found.append(instruction)
        return found

    def text(self, instruction: Instruction) -> str:
        code = instruction.word.to_bytes(SIZE, "little")
        for found in self._decoder.disasm(code, instruction.address, 1):
            return f"{found.mnemonic} {found.op_str}".rstrip()
        return f".word {instruction.word:#010x}"

    @staticmethod
    def is_return(instruction: Instruction) -> bool:
        return fits(instruction.word, RETURNS)

    @staticmethod
    def is_jump(instruction: Instruction) -> bool:
        """A branch of any kind, but no call and no return."""
        return fits(instruction.word, JUMPS)

    @staticmethod
    def direct_target(instruction: Instruction) -> int | None:
        word, address = instruction.word, instruction.address
        if word & 0x7C000000 == BRANCH:
            return address + signed(word, 26) * SIZE & MASK
        if word & 0xFF000010 == 0x54000000 or word & 0x7E000000 == 0x34000000:
            return address + signed(word >> 5, 19) * SIZE & MASK
        if word & 0x7E000000 == 0x36000000:
            return address + signed(word >> 5, 14) * SIZE & MASK
        return None

    @staticmethod
    def never_continues(instruction: Instruction) -> bool:
        return fits(instruction.word, NEVER_CONTINUES)

    @staticmethod
    def undefined_behind(_before: Instruction, _instruction: Instruction) -> str:
        """(No instruction depends on what stands before it.)"""
        return ""

    @staticmethod
    def data_reference(instruction: Instruction) -> int | None:
        """The address of a literal."""
        word = instruction.word
        if word & 0x3B000000 != 0x18000000:
            return None
        return instruction.address + signed(word >> 5, 19) * SIZE & MASK

    # -- plans ----------------------------------------------------------------------------------

    def plan(self, code: bytes, pc: int) -> Plan:
        """How to execute the word that `code` begins with and that belongs to `pc`."""
        word = int.from_bytes(code[:SIZE], "little")
        if pc % SIZE or len(code) < SIZE:
            return refused("no multiple of four")
        found = next((make(word, pc) for mask, value, make in TABLE if word & mask == value), None)
        if found is None:
            if next(self._decoder.disasm(code[:SIZE], pc, 1), None) is None:
                return refused("no instruction")
            found = ArmPlan(Treatment.DISPLACED, "independent of its place")
        copied = found.code or code[:SIZE]
        found.code = code[:SIZE]
        if found.treatment in (Treatment.DISPLACED, Treatment.REWRITTEN):
            found.build = lambda at, pc: Copy(copied + _back(at + SIZE, pc + SIZE),
                                          ((0, pc, 0), (SIZE, pc + SIZE, 0)))
        return found


def _back(at: int, target: int) -> bytes:
    """A branch at `at` to `target`; a trap where that is out of reach."""
    distance = target - at
    if not -BRANCH_REACH <= distance < BRANCH_REACH:
        return TRAP
    return (BRANCH | distance >> 2 & 0x3FFFFFF).to_bytes(SIZE, "little")


# -- calls of functions -----------------------------------------------------------------------------

class ArmConvention:
    """How functions are called."""

    def entry(self, probe: Probe) -> Act:
        def act(_thread: Thread, regs: Registers) -> None:
            fire = probe.fire
            if fire is not None:
                fire(*regs[X0:X0 + 5])
        return act

    def argument(self, thread: Thread, index: int, called: bool) -> int:
        """(A call leaves nothing on the stack.)"""
        regs: Registers = thread.regs
        if index < IN_REGISTERS:
            return int(regs[X0 + index])
        if index >= VECTOR_HALVES:
            return elsewhere(index, lambda at: self._word(regs, at), lambda number: vector(thread, number))
        try:
            return int.from_bytes(thread.read(self._word(regs, index), WIDTH), "little")
        except MemoryFault:
            return 0

    @staticmethod
    def _word(regs: Registers, index: int) -> int:
        return int(regs[SP]) + (index - IN_REGISTERS) * WIDTH

    def result(self, regs: Registers) -> int:
        return int(regs[X0])

    def say_enabled(self, _thread: Thread, regs: Registers) -> None:
        """Return 1, in place of the instruction that would clear the register."""
        regs[X0] = 1
        regs[PC] += SIZE


class ArmSpace(TracedSpace):
    """The tracepoints of the address space of an AArch64 program."""

    def __init__(self, kernel: Kernel, space: AddressSpace, isa: Arm64) -> None:
        super().__init__(kernel, space, isa, ArmConvention())
        self._exclusive: dict[int, bool] = {}  # by page: whether it has loads or stores of that kind

    def _make_plan(self, address: int) -> Plan:
        if self._is_monitored(address):
            return refused("between a load-exclusive and its store-exclusive, whose monitor would be lost")
        return super()._make_plan(address)

    def _is_monitored(self, address: int) -> bool:
        """Whether a load-exclusive stands before, and a store-exclusive there or behind."""
        reach = ATOMIC * SIZE
        near = {address - reach & -PAGE, address + reach & -PAGE}
        return (any(map(self._has_exclusive, near))
                and self._finds(address - SIZE, -SIZE, True) and self._finds(address, SIZE, False))

    def _has_exclusive(self, page: int) -> bool:
        """Whether a page may have exclusive accesses: most have none."""
        if page not in self._exclusive:
            try:
                text = self.original(page, PAGE)
            except MemoryFault:
                return False
            self._exclusive[page] = any(upper & 63 == EXCLUSIVE[1] >> 24 and not lower & ORDERED >> 16
                                        for lower, upper in zip(text[2::SIZE], text[3::SIZE], strict=True))
        return self._exclusive[page]

    def _finds(self, address: int, step: int, load: bool) -> bool:
        """Whether there is a load- or a store-exclusive from `address` on, before one of the other kind."""
        for at in range(address, address + ATOMIC * step, step):
            try:
                word = int.from_bytes(self.original(at, SIZE), "little")
            except MemoryFault:
                return False
            if is_exclusive(word, load):
                return True
            if is_exclusive(word, not load) or fits(word, RETURNS):
                return False
        return False

    def watch_return(self, address: int, probe: Probe, offset: int, contains: Callable[[int], bool]) -> None:
        """Fire `probe`, of the instruction at `offset` of a function, when that is left at `address`.

        `contains` says whether an address lies in the function.  Raises Refused.
        """
        plan = self.plan(address)
        leads = plan.destination
        always = fits(int.from_bytes(plan.code, "little"), RETURNS)

        def act(thread: Thread, regs: Registers) -> None:
            fire = probe.fire
            if fire is not None and (always or leads is None or not contains(leads(regs, thread))):
                fire(offset, regs[X0], regs[X1], 0, 0)
        self.add(address, probe, act)

    def _go_on(self, thread: Thread, point: Tracepoint) -> None:
        regs: Registers = thread.regs
        if regs[PC] != point.address:
            return  # its effect is another's while a probe is enabled
        plan = point.plan
        assert isinstance(plan, ArmPlan)
        if plan.step is not None and not self._step(thread, plan.step):
            return
        if plan.step is None or point.slot is not None:
            regs[PC] = point.go
        if point.event is not None:
            self._engine(thread).end_run(point.event)
        elif regs.steps and point.slot is None:
            self._engine(thread).end_run(STEPPED)  # a debugger has it stop after each instruction

    def _step(self, thread: Thread, step: Step) -> bool:
        """Emulate the instruction; returns False if it faults."""
        try:
            step(thread.regs, thread)
        except MemoryFault as fault:
            self._engine(thread).fault(fault.address, ERROR_USER)
            return False
        return True

    @staticmethod
    def _engine(thread: Thread) -> ArmEngine:
        engine = thread.process.processor.engine
        assert isinstance(engine, ArmEngine)
        return engine

    def _executed(self, thread: Thread, point: Tracepoint) -> bool:
        thread.regs[PC] = point.address + SIZE
        return True

    def leave_slot(self, thread: Thread) -> None:
        """Give a thread that faulted in a slot the registers it would have had without one."""
        state = self.state_at(int(thread.regs[PC]))
        if state is not None:
            thread.regs[PC] = state[0]

    def registers(self, thread: Thread) -> bytes:
        return bytes(thread.regs)

    def retry(self, thread: Thread, point: Tracepoint, registers: bytes) -> None:
        """A thread that has stopped at a tracepoint comes to it anew when it goes on."""
        ctypes.memmove(thread.regs, registers, len(registers))
        thread.regs[PC] = point.address
