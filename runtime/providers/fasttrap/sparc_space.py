"""Tracepoints in SPARC programs: the instruction set as the pid provider asks of it, and the trap.

A trap is an illegal word, because the engine tells where one is (see runtime.kernel.cpu.sparc.engine).  A
slot holds a displaced instruction and another trap: `return` probes fire there, once the
instruction in the delay slot has been executed, whatever it is.

Arguments are in %o0-5 when a function is entered, further ones on the stack; a result is in %o0 of
the caller's window (SPARC supplements of the System V ABI, chapter 3).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import capstone

from dif.light import dataclass
from runtime.kernel.base.errors import MemoryFault
from runtime.kernel.cpu.sparc.engine import MISALIGNED, TRAP_WORD, SparcEngine
from runtime.kernel.cpu.sparc.registers import BIAS, I7, O0, O7, SP, Registers
from runtime.providers.fasttrap.instructions import sparc
from runtime.providers.fasttrap.instructions.convention import Act
from runtime.providers.fasttrap.instructions.sparc import SIZE
from runtime.providers.fasttrap.instructions.treatment import Copy, Plan, Treatment
from runtime.providers.fasttrap.tracepoints import TracedSpace, Tracepoint

if TYPE_CHECKING:
    from runtime.framework.probes.registry import Probe
    from runtime.kernel.kernel import Kernel
    from runtime.kernel.memory.addrspace import AddressSpace
    from runtime.kernel.process.thread import Thread

TRAP = TRAP_WORD.to_bytes(SIZE, "big")
RETURN_OFFSETS = (8, 12)  # from a call to where it returns; 12: it says that a structure is returned
IN_REGISTERS = 6
STACK_ARGUMENTS = {32: 68, 64: 128}  # from %sp to where argument 0 would lie
NPC = "fasttrap npc"  # key of a thread's data: what comes after a displaced instruction that is watched

Left = Callable[[Any, Registers, int], None]  # thread, its registers, where it goes on


@dataclass(frozen=True, slots=True)
class Instruction:
    """`word` at `address`; `following` is the next word of the same text, 0 at its end."""

    address: int
    word: int
    following: int = 0
    size: int = SIZE


class Sparc:
    """The instruction set of programs of `bits`: V8 or V9."""

    longest = SIZE
    slot_size = 2 * SIZE
    trap = TRAP
    reaches_all = True

    def __init__(self, bits: int) -> None:
        self.bits = bits
        self.version = 8 if bits == 32 else 9
        mode = capstone.CS_MODE_BIG_ENDIAN | (capstone.CS_MODE_V9 if self.version == 9 else 0)
        self._decoder = capstone.Cs(capstone.CS_ARCH_SPARC, mode)

    @staticmethod
    def pc(regs: Registers) -> int:
        """Where a thread is."""
        return regs.pc

    # -- decoding -------------------------------------------------------------------------------

    def decode(self, code: bytes, address: int) -> Instruction | None:
        """The word that `code` begins with."""
        if len(code) < SIZE:
            return None
        return Instruction(address, int.from_bytes(code[:SIZE], "big"),
                           int.from_bytes(code[SIZE:2 * SIZE].ljust(SIZE, b"\0"), "big"))

    def walk(self, code: bytes, address: int) -> list[Instruction]:
        """All words."""
        found = (self.decode(code[at:at + 2 * SIZE], address + at) for at in range(0, len(code), SIZE))
        return [instruction for instruction in found if instruction is not None]

    def text(self, instruction: Instruction) -> str:
        code = instruction.word.to_bytes(SIZE, "big")
        for found in self._decoder.disasm(code, instruction.address, 1):
            return f"{found.mnemonic} {found.op_str}".rstrip()
        return f".word {instruction.word:#010x}"

    @staticmethod
    def is_return(instruction: Instruction) -> bool:
        """`ret`, `retl`, V9's `return`, and calls that take the function's place."""
        return _is_return(instruction.word) or _is_tail_call(instruction)

    def is_jump(self, instruction: Instruction) -> bool:
        """A branch, or a jump that remembers nothing."""
        word = instruction.word
        return sparc.is_branch(word) or (_op3(word) == 0x38 and word >> 25 & 31 == 0)

    def direct_target(self, instruction: Instruction) -> int | None:
        displacement = sparc.displacement(instruction.word)
        mask = (1 << self.bits) - 1
        return None if displacement is None else instruction.address + displacement & mask

    @staticmethod
    def never_continues(_instruction: Instruction) -> bool:
        """Even an unconditional branch is followed by its delay slot."""
        return False

    @staticmethod
    def undefined_behind(before: Instruction, instruction: Instruction) -> str:
        """Why the manual does not say what an instruction does behind another; "" where it does."""
        if sparc.is_transfer(instruction.word) and sparc.is_conditional(before.word):
            return "transfer of control in a conditional branch's delay slot"
        return ""

    @staticmethod
    def data_reference(_instruction: Instruction) -> int | None:
        """No operand is relative to the program counter."""
        return None

    # -- plans ----------------------------------------------------------------------------------

    def plan(self, code: bytes, pc: int) -> Plan:
        """How to execute the word that `code` begins with and that belongs to `pc`."""
        word = int.from_bytes(code[:SIZE], "big")
        if pc % SIZE or len(code) < SIZE:
            return sparc.refused("no multiple of four")
        plan = sparc.plan(word, self.version)
        plan.code = code[:SIZE]
        if plan.treatment is Treatment.DISPLACED:
            plan.build = lambda at: Copy(plan.code + TRAP, ((0, pc, 0),))
        return plan


class SparcConvention:
    """How functions are called; see runtime.providers.fasttrap.instructions.convention."""

    def __init__(self, bits: int) -> None:
        self._bits = bits

    def entry(self, probe: Probe) -> Act:
        def act(_thread: Any, regs: Registers) -> None:
            fire = probe.fire
            if fire is not None:
                read = regs.read
                fire(read(O0), read(O0 + 1), read(O0 + 2), read(O0 + 3), read(O0 + 4))
        return act

    def argument(self, thread: Any, index: int, called: bool) -> int:
        """(A call leaves nothing on the stack.)"""
        regs: Registers = thread.regs
        if index < IN_REGISTERS:
            return regs.read(O0 + index)
        word = self._bits // 8
        at = regs.read(SP) + BIAS[self._bits] + STACK_ARGUMENTS[self._bits] + index * word
        try:
            return int.from_bytes(thread.read(at, word), "big")
        except MemoryFault:
            return 0

    def answer(self, _thread: Any, regs: Registers) -> None:
        regs.write(O0, 1)


class SparcSpace(TracedSpace):
    """The tracepoints of the address space of a SPARC program."""

    def __init__(self, kernel: Kernel, space: AddressSpace, isa: Any) -> None:
        super().__init__(kernel, space, isa)
        self.convention = SparcConvention(isa.bits)
        self._watchers: dict[int, list[tuple[object, Left]]] = {}  # by address: probe, what it does

    def _before(self, address: int) -> int:
        """The word before `address`; 0 if there is none."""
        try:
            return _word(self.original(address - SIZE, SIZE))
        except MemoryFault:
            return 0

    # -- the ends of functions ----------------------------------------------------------------------

    def leaves_at(self, address: int) -> int:
        """The delay slot, if there is one."""
        try:
            delayed = sparc.has_delay_slot(_word(self.original(address, SIZE)))
        except MemoryFault:
            return address
        return address + SIZE if delayed else address

    def watch_return(self, address: int, probe: Probe, offset: int, contains: Callable[[int], bool]) -> None:
        before = Instruction(address - SIZE, self._before(address), _word(self.original(address, SIZE)))
        always = Sparc.is_return(before)

        def left(_thread: Any, regs: Registers, target: int) -> None:
            fire = probe.fire
            if fire is not None and (always or not contains(target)):
                fire(offset, regs.read(O0), regs.read(O0 + 1), 0, 0)
        self.add(address, probe, _no_act)
        self._watchers.setdefault(address, []).append((probe, left))

    def remove(self, address: int, probe: object) -> None:
        kept = [watcher for watcher in self._watchers.pop(address, []) if watcher[0] is not probe]
        if kept:
            self._watchers[address] = kept
        super().remove(address, probe)

    # -- the trap ---------------------------------------------------------------------------------

    def hit(self, thread: Thread, pc: int) -> bool:
        point = self.points.get(pc)
        if point is None:
            return self._executed(thread, pc)
        regs: Registers = thread.regs
        point.hits += 1
        for act in point.acts:
            act(thread, regs)
        watchers = self._watchers.get(pc)
        if point.slot is not None:
            regs.pc = point.slot
            if watchers:
                thread.data[NPC] = regs.npc
                regs.npc = point.slot + SIZE
        elif self._step(thread, point) and watchers:
            self._tell(thread, point.address)
        return True

    def _step(self, thread: Thread, point: Tracepoint) -> bool:
        """Emulate the instruction; False: it faults."""
        engine, plan = thread.process.processor.engine, point.plan
        assert isinstance(engine, SparcEngine)
        assert isinstance(plan, sparc.SparcPlan) and plan.step is not None
        try:
            plan.step(thread.regs)
        except sparc.Misaligned:
            engine.raise_trap(MISALIGNED[engine.version])
            return False
        except MemoryFault as fault:
            engine.raise_fault(fault.address)
            return False
        return True

    def _executed(self, thread: Thread, pc: int) -> bool:
        """A trap at `pc` that is no tracepoint: whether it stands behind a displaced instruction."""
        slot = self.scratch.slot_of(pc)
        point = self.slots.get(slot) if slot is not None else None
        if point is None or slot is None or pc != slot + SIZE or NPC not in thread.data:
            return False
        regs: Registers = thread.regs
        regs.pc = thread.data.pop(NPC)
        regs.npc = regs.pc + SIZE & regs.mask
        self._tell(thread, point.address)
        return True

    def _tell(self, thread: Thread, address: int) -> None:
        """The instruction at `address` is over: fire the probes that have waited for that, there."""
        regs: Registers = thread.regs
        target = regs.pc
        regs.pc, regs.left = address, True
        for _probe, left in tuple(self._watchers.get(address, ())):
            left(thread, regs, target)
        regs.pc, regs.left = target, False

    def leave_slot(self, thread: Thread) -> None:
        regs: Registers = thread.regs
        state = self.state_at(regs.pc)
        if state is not None:
            regs.pc = state[0]
            regs.npc = thread.data.pop(NPC, regs.npc)

    def registers(self, thread: Thread) -> bytes:
        regs: Registers = thread.regs
        return regs.copy()

    def retry(self, thread: Thread, _point: Tracepoint, registers: bytes) -> None:
        """(What was emulated has been executed.)"""
        self.leave_slot(thread)
        regs: Registers = thread.regs
        regs.put_back(registers)

    def end_loan(self, thread: Thread, pc: int) -> bool:
        """No register is lent here."""
        return False


def _no_act(_thread: Any, _regs: Registers) -> None:
    """A tracepoint that is there for what comes after its instruction."""


def _word(code: bytes) -> int:
    return int.from_bytes(code, "big")


def _op3(word: int) -> int | None:
    return word >> 19 & 63 if word >> 30 == 2 else None


def _is_return(word: int) -> bool:
    return (_op3(word) in (0x38, 0x39) and word >> 25 & 31 == 0 and word >> 14 & 31 in (O7, I7)
            and word >> 13 & 1 == 1 and word & 0x1FFF in RETURN_OFFSETS) or (
                _op3(word) == 0x39)


def _is_tail_call(instruction: Instruction) -> bool:
    """A call whose delay slot gives the window back, or puts the function's own return address into %o7."""
    word, delay = instruction.word, instruction.following
    is_call = word >> 30 == 1 or (_op3(word) == 0x38 and word >> 25 & 31 == O7)
    if not is_call or delay >> 30 not in (2, 3):
        return False
    return _op3(delay) == 0x3D or (_op3(delay) is not None and delay >> 25 & 31 == O7)
