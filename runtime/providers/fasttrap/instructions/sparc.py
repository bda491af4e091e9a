"""SPARC: decoding, how each instruction is executed although a trap stands in its place, and the trap.

SPARC has two program counters.  An instruction that does not depend on its
place is executed elsewhere by setting %pc to a copy and leaving %npc alone:
the copy's successor is then the original's successor, be that the next
instruction or, in a delay slot, the target of a branch, and no jump back is
needed.  So a slot is the same for all threads.  An instruction that
depends on its place, or changes %npc, is emulated: branches, annulled or not,
`call`, `jmpl`, `rd %pc`; so are `sethi`, `save` and `restore`, because they are
easy and frequent.

Encodings are those of The SPARC Architecture Manual, version 8, appendix F,
and version 9, appendix E: big-endian words of four bytes, aligned by four.

A trap is an illegal word, because the engine tells where one is (see runtime.kernel.cpu.sparc.engine).  A
slot holds a displaced instruction and another trap: `return` probes fire there, once the
instruction in the delay slot has been executed, whatever it is.

Arguments are in %o0-5 when a function is entered, further ones on the stack; a result is in %o0 of
the caller's window (SPARC supplements of the System V ABI, chapter 3).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import capstone

from dif.records import Record
from runtime.kernel.base.errors import MemoryFault
from runtime.kernel.base.words import signed
from runtime.kernel.cpu.sparc.engine import MISALIGNED, TRAP_WORD, SparcEngine
from runtime.kernel.cpu.sparc.registers import (
    BIAS,
    CARRY,
    I7,
    NEGATIVE,
    O0,
    O7,
    OVERFLOW,
    SP,
    ZERO,
    Registers,
)
from runtime.providers.fasttrap.instructions.scratch import REACH
from runtime.providers.fasttrap.instructions.space import Act, TracedSpace, Tracepoint
from runtime.providers.fasttrap.instructions.treatment import Copy, Plan, Treatment

if TYPE_CHECKING:
    from runtime.framework.probes.registry import Probe
    from runtime.kernel.kernel import Kernel
    from runtime.kernel.memory.addrspace import AddressSpace
    from runtime.kernel.process.thread import Thread

SIZE = 4  # bytes of every instruction
PC_ASR = 5  # `rd %pc` names the program counter as ancillary state register 5
EQUAL, LESS, GREATER, UNORDERED = range(4)  # values of fcc

Step = Callable[[Registers], None]


class Misaligned(Exception):
    """A jump to an address that is not a multiple of four; the address."""


class SparcPlan(Plan):
    """EMULATED: `step` brings about the whole effect, %pc and %npc included; it raises Misaligned, and
    MemoryFault where a register window cannot be spilled or filled.  DISPLACED: the word is executed
    in a slot, %npc being left alone.  REFUSED: cannot be traced."""

    step: Step | None = None


# -- conditions -----------------------------------------------------------------------------------

INTEGER_CONDITIONS: tuple[Callable[[int], bool], ...] = (  # by condition & 7; the other eight negate
    lambda cc: False,
    lambda cc: bool(cc & ZERO),
    lambda cc: bool(cc & ZERO) or bool(cc & NEGATIVE) != bool(cc & OVERFLOW),
    lambda cc: bool(cc & NEGATIVE) != bool(cc & OVERFLOW),
    lambda cc: bool(cc & (CARRY | ZERO)),
    lambda cc: bool(cc & CARRY),
    lambda cc: bool(cc & NEGATIVE),
    lambda cc: bool(cc & OVERFLOW))

FLOAT_CONDITIONS: tuple[frozenset[int], ...] = tuple(map(frozenset, (  # by condition & 7; as above
    (),
    (LESS, GREATER, UNORDERED),
    (LESS, GREATER),
    (LESS, UNORDERED),
    (LESS,),
    (GREATER, UNORDERED),
    (GREATER,),
    (UNORDERED,))))

ALWAYS, NEGATES = 8, 8


def integer_condition(condition: int) -> Callable[[int], bool]:
    """Whether Bicc's four-bit condition holds, given icc or xcc."""
    test = INTEGER_CONDITIONS[condition & 7]
    return (lambda cc: not test(cc)) if condition & NEGATES else test


def float_condition(condition: int) -> Callable[[int], bool]:
    """Whether FBfcc's four-bit condition holds, given fcc."""
    values = FLOAT_CONDITIONS[condition & 7]
    return lambda fcc: (fcc in values) != bool(condition & NEGATES)


def register_condition(condition: int) -> Callable[[int], bool] | None:
    """Whether BPr's three-bit condition holds for a 64-bit register; None: reserved."""
    tests: dict[int, Callable[[int], bool]] = {
        1: lambda value: value == 0, 2: lambda value: value == 0 or value >> 63 == 1,
        3: lambda value: value >> 63 == 1}
    test = tests.get(condition & 3)
    if test is None:
        return None
    return (lambda value: not test(value)) if condition & 4 else test


# -- fields ---------------------------------------------------------------------------------------

def second_operand(word: int) -> Callable[[Registers], int]:
    """The simm13 or rs2 of formats 3."""
    if word >> 13 & 1:
        immediate = signed(word, 13)
        return lambda registers: immediate
    number = word & 31
    return lambda registers: registers.read(number)


def address_operand(word: int) -> Callable[[Registers], int]:
    """rs1 + simm13 or rs1 + rs2."""
    first, second = word >> 14 & 31, second_operand(word)
    return lambda registers: registers.read(first) + second(registers) & registers.mask


def result_register(word: int) -> int:
    return word >> 25 & 31


# -- emulation ------------------------------------------------------------------------------------

def advance(registers: Registers) -> None:
    registers.pc, registers.npc = registers.npc, registers.npc + SIZE & registers.mask


def transfer(registers: Registers, target: int) -> None:
    """A delayed control transfer: the instruction at %npc comes first."""
    registers.pc, registers.npc = registers.npc, target & registers.mask


def annul(registers: Registers) -> None:
    """Skip the instruction in the delay slot."""
    after = registers.npc + SIZE & registers.mask
    registers.pc, registers.npc = after, after + SIZE & registers.mask


def branch(word: int, displacement: int, taken: Callable[[Registers], bool],
           unconditional: bool) -> SparcPlan:
    """A branch by `displacement` bytes; the annul bit is bit 29.

    An annulling branch that is not taken skips its delay slot; an unconditional one that is taken does too.
    """
    annuls = bool(word >> 29 & 1)

    def step(registers: Registers) -> None:
        if taken(registers):
            target = registers.pc + displacement & registers.mask
            if annuls and unconditional:
                registers.pc, registers.npc = target, target + SIZE & registers.mask
            else:
                transfer(registers, target)
        elif annuls:
            annul(registers)
        else:
            advance(registers)
    return SparcPlan(Treatment.EMULATED, "annulling branch" if annuls else "branch", step=step)


def branch_integer(word: int) -> SparcPlan:
    test = integer_condition(word >> 25 & 15)
    return branch(word, signed(word, 22) * 4, lambda registers: test(registers.icc()),
                  word >> 25 & 15 == ALWAYS)


def branch_integer_predicted(word: int) -> SparcPlan:
    test = integer_condition(word >> 25 & 15)
    which = word >> 20 & 3
    if which & 1:
        return refused("reserved condition code")
    return branch(word, signed(word, 19) * 4,
                  lambda registers: test(registers.xcc() if which else registers.icc()),
                  word >> 25 & 15 == ALWAYS)


def branch_float(word: int) -> SparcPlan:
    test = float_condition(word >> 25 & 15)
    return branch(word, signed(word, 22) * 4, lambda registers: test(registers.fcc(0)),
                  word >> 25 & 15 == ALWAYS)


def branch_float_predicted(word: int) -> SparcPlan:
    test, which = float_condition(word >> 25 & 15), word >> 20 & 3
    return branch(word, signed(word, 19) * 4, lambda registers: test(registers.fcc(which)),
                  word >> 25 & 15 == ALWAYS)


def register_displacement(word: int) -> int:
    """Bytes, of BPr."""
    return signed((word >> 20 & 3) << 14 | word & 0x3FFF, 16) * 4


def branch_register(word: int) -> SparcPlan:
    test, number = register_condition(word >> 25 & 7), word >> 14 & 31
    if test is None or word >> 28 & 1:
        return refused("reserved condition")
    return branch(word, register_displacement(word), lambda registers: test(registers.read(number)), False)


def call(word: int) -> SparcPlan:
    displacement = signed(word, 30) * 4

    def step(registers: Registers) -> None:
        target = registers.pc + displacement
        registers.write(O7, registers.pc)
        transfer(registers, target)
    return SparcPlan(Treatment.EMULATED, "call", step=step)


def jump_and_link(word: int) -> SparcPlan:
    target_of, result = address_operand(word), result_register(word)

    def step(registers: Registers) -> None:
        target = target_of(registers)
        if target % SIZE:
            raise Misaligned(target)
        registers.write(result, registers.pc)
        transfer(registers, target)
    return SparcPlan(Treatment.EMULATED, "jump through a register", step=step)


def set_high(word: int) -> SparcPlan:
    result, value = result_register(word), (word & 0x3FFFFF) << 10
    if not result:
        return SparcPlan(Treatment.EMULATED, "no effect", step=advance)

    def step(registers: Registers) -> None:
        registers.write(result, value)
        advance(registers)
    return SparcPlan(Treatment.EMULATED, "constant", step=step)


def change_window(word: int, direction: int) -> SparcPlan:
    """Add in the old window, store in the new one."""
    total, result = address_operand(word), result_register(word)

    def step(registers: Registers) -> None:
        value = total(registers)
        registers.rotate(direction)
        registers.write(result, value)
        advance(registers)
    return SparcPlan(Treatment.EMULATED, "register window", step=step)


def return_to_caller(word: int) -> SparcPlan:
    """V9's `return`: a delayed jump, its target computed in the old window, and a `restore`."""
    target_of = address_operand(word)

    def step(registers: Registers) -> None:
        target = target_of(registers)
        if target % SIZE:
            raise Misaligned(target)
        registers.rotate(1)
        transfer(registers, target)
    return SparcPlan(Treatment.EMULATED, "register window", step=step)


def read_state(word: int) -> SparcPlan:
    """`rd %y`, `rd %asr…`: only that of the program counter depends on its place."""
    result = result_register(word)
    if word >> 14 & 31 != PC_ASR:
        return displaced(word)

    def step(registers: Registers) -> None:
        registers.write(result, registers.pc)
        advance(registers)
    return SparcPlan(Treatment.EMULATED, "reads its own address", step=step)


def displaced(_word: int) -> SparcPlan:
    return SparcPlan(Treatment.DISPLACED, "independent of its place")


def refused(why: str) -> SparcPlan:
    return SparcPlan(Treatment.REFUSED, why)


# -- decoding: by op, then by op2 or op3 -----------------------------------------------------------

SETHI = 4
TRANSFERS = frozenset((0x38, 0x39))
BRANCHES: dict[int, Callable[[int], SparcPlan]] = {2: branch_integer, SETHI: set_high, 6: branch_float}
BRANCHES_V9 = {1: branch_integer_predicted, 3: branch_register, 5: branch_float_predicted}

ARITHMETIC: dict[int, Callable[[int], SparcPlan]] = {
    0x28: read_state, 0x38: jump_and_link,
    0x3C: lambda word: change_window(word, -1), 0x3D: lambda word: change_window(word, 1)}
ARITHMETIC_V9 = {**ARITHMETIC, 0x39: return_to_caller}
PLAIN_ARITHMETIC = frozenset((
    *range(0x09), *range(0x0A, 0x0D), 0x0E, 0x0F,  # logic, add, sub, mul, div
    *range(0x10, 0x19), *range(0x1A, 0x1D), 0x1E, 0x1F,  # the same, setting icc
    *range(0x20, 0x28),  # tagged, multiply step, shifts
    0x30, 0x34, 0x35, 0x3A, 0x3B))  # wr %y, floating point, Ticc, flush
PLAIN_ARITHMETIC_V9 = frozenset((0x09, 0x0D, 0x2B, 0x2C, 0x2D, 0x2E, 0x2F, 0x36))
REFUSED_ARITHMETIC = {
    0x29: "privileged", 0x2A: "privileged", 0x2B: "privileged", 0x31: "privileged", 0x32: "privileged",
    0x33: "privileged", 0x36: "coprocessor", 0x37: "coprocessor", 0x39: "return from trap",
    0x3E: "return from trap"}

PLAIN_MEMORY = frozenset((
    *range(0x08), 0x09, 0x0A, 0x0D, 0x0F,  # integer loads and stores, ldstub, swap
    0x20, 0x21, 0x23, 0x24, 0x25, 0x27))  # floating point
PLAIN_MEMORY_V9 = frozenset((
    0x08, 0x0B, 0x0E, *range(0x10, 0x18), 0x18, 0x19, 0x1A, 0x1B, 0x1D, 0x1E, 0x1F,
    0x22, 0x26, 0x2D, 0x30, 0x32, 0x33, 0x34, 0x36, 0x37, 0x3C, 0x3D, 0x3E))
REFUSED_MEMORY = {
    **dict.fromkeys((0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x19, 0x1A, 0x1D, 0x1F),
                    "privileged"),
    0x26: "privileged", **dict.fromkeys((0x30, 0x31, 0x33, 0x34, 0x35, 0x36, 0x37), "coprocessor")}


def plan(word: int, version: int = 8) -> SparcPlan:
    """How to execute the instruction `word` of SPARC V8 or V9; it may stand in a delay slot."""
    if not 0 <= word < 1 << 32:
        raise ValueError(f"no instruction word: {word:#x}")
    kind = word >> 30
    if kind == 1:
        return call(word)
    if kind == 0:
        which = word >> 22 & 7
        handler = BRANCHES.get(which) or (BRANCHES_V9.get(which) if version == 9 else None)
        return handler(word) if handler else refused("no instruction" if which else "illegal on purpose")
    if kind == 3:
        return _by_table(word, {}, PLAIN_MEMORY | PLAIN_MEMORY_V9 if version == 9 else PLAIN_MEMORY,
                         REFUSED_MEMORY)
    if version == 9:
        return _by_table(word, ARITHMETIC_V9, PLAIN_ARITHMETIC | PLAIN_ARITHMETIC_V9, REFUSED_ARITHMETIC)
    return _by_table(word, ARITHMETIC, PLAIN_ARITHMETIC, REFUSED_ARITHMETIC)


def is_branch(word: int) -> bool:
    """Bicc, FBfcc, and V9's further kinds."""
    return word >> 30 == 0 and word >> 22 & 7 in {**BRANCHES, **BRANCHES_V9} and word >> 22 & 7 != SETHI


def is_transfer(word: int) -> bool:
    """Whether an instruction changes %npc."""
    return is_branch(word) or word >> 30 == 1 or (word >> 30 == 2 and word >> 19 & 63 in TRANSFERS)


def has_delay_slot(word: int) -> bool:
    """Whether the next instruction is (or may be) executed before a transfer takes effect."""
    return is_transfer(word) and not (is_branch(word) and word >> 29 & 1 and word >> 25 & 7 == 0)


def is_conditional(word: int) -> bool:
    """Whether a branch depends on a condition: neither always nor never."""
    return is_branch(word) and (word >> 22 & 7 == 3 or word >> 25 & 7 != 0)


def displacement(word: int) -> int | None:
    """Bytes from a branch or a call with a constant target to that target."""
    if word >> 30 == 1:
        return signed(word, 30) * 4
    if not is_branch(word):
        return None
    which = word >> 22 & 7
    if which == 3:
        return register_displacement(word)
    return signed(word, 19 if which in (1, 5) else 22) * 4


def _by_table(word: int, emulated: dict[int, Callable[[int], SparcPlan]], plain: frozenset[int],
              reasons: dict[int, str]) -> SparcPlan:
    which = word >> 19 & 63
    if which in emulated:
        return emulated[which](word)
    if which in plain:
        return displaced(word)
    return refused(reasons.get(which, "no instruction"))


# -- the instruction set, as fasttrap asks of it -----------------------------------------------------------

TRAP = TRAP_WORD.to_bytes(SIZE, "big")
RETURN_OFFSETS = (8, 12)  # from a call to where it returns; 12: it says that a structure is returned
IN_REGISTERS = 6
STACK_ARGUMENTS = {32: 68, 64: 128}  # from %sp to where argument 0 would lie
NPC = "fasttrap npc"  # key of a thread's data: what comes after a displaced instruction that is watched

Left = Callable[["Thread", Registers, int], None]  # thread, its registers, where it goes on


class Instruction(Record, frozen=True):
    """`word` at `address`; `following` is the next word of the same text, 0 at its end."""

    address: int
    word: int
    following: int = 0
    size: int = SIZE


class Sparc:
    """The instruction set of programs of `bits`: V8 or V9."""

    longest = SIZE
    slot_size = 2 * SIZE
    reach = REACH
    trap = TRAP
    reaches_all = True

    def __init__(self, bits: int) -> None:
        self.bits = bits
        self.version = 8 if bits == 32 else 9
        self._decoder = capstone.Cs(capstone.CS_ARCH_SPARC, capstone.CS_MODE_BIG_ENDIAN)  # of both versions

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
        return is_branch(word) or (_op3(word) == 0x38 and word >> 25 & 31 == 0)

    def direct_target(self, instruction: Instruction) -> int | None:
        distance = displacement(instruction.word)
        return None if distance is None else instruction.address + distance & (1 << self.bits) - 1

    @staticmethod
    def never_continues(_instruction: Instruction) -> bool:
        """Even an unconditional branch is followed by its delay slot."""
        return False

    @staticmethod
    def undefined_behind(before: Instruction, instruction: Instruction) -> str:
        """Why the manual does not say what an instruction does behind another; "" where it does."""
        if is_transfer(instruction.word) and is_conditional(before.word):
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
            return refused("no multiple of four")
        found = plan(word, self.version)
        found.code = code[:SIZE]
        if found.treatment is Treatment.DISPLACED:
            found.build = lambda _at, pc: Copy(found.code + TRAP, ((0, pc, 0),))
        return found


class SparcConvention:
    """How functions are called."""

    def __init__(self, bits: int) -> None:
        self._bits = bits

    def entry(self, probe: Probe) -> Act:
        def act(_thread: Thread, regs: Registers) -> None:
            fire = probe.fire
            if fire is not None:
                read = regs.read
                fire(read(O0), read(O0 + 1), read(O0 + 2), read(O0 + 3), read(O0 + 4))
        return act

    def argument(self, thread: Thread, index: int, called: bool) -> int:
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

    def result(self, regs: Registers) -> int:
        return regs.read(O0)

    def say_enabled(self, _thread: Thread, regs: Registers) -> None:
        regs.write(O0, 1)


class SparcSpace(TracedSpace):
    """The tracepoints of the address space of a SPARC program."""

    def __init__(self, kernel: Kernel, space: AddressSpace, isa: Sparc) -> None:
        super().__init__(kernel, space, isa, SparcConvention(isa.bits))
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
            delayed = has_delay_slot(_word(self.original(address, SIZE)))
        except MemoryFault:
            return address
        return address + SIZE if delayed else address

    def watch_return(self, address: int, probe: Probe, offset: int, contains: Callable[[int], bool]) -> None:
        before = Instruction(address - SIZE, self._before(address), _word(self.original(address, SIZE)))
        always = Sparc.is_return(before)

        def left(_thread: Thread, regs: Registers, target: int) -> None:
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

    def _go_on(self, thread: Thread, point: Tracepoint) -> None:
        regs: Registers = thread.regs
        watchers = self._watchers.get(point.address)
        if point.slot is not None:
            regs.pc = point.slot
            if watchers:
                thread.data[NPC] = regs.npc
                regs.npc = point.slot + SIZE
        elif self._step(thread, point) and watchers:
            self._tell(thread, point.address)

    def _step(self, thread: Thread, point: Tracepoint) -> bool:
        """Emulate the instruction; False: it faults."""
        engine, plan = thread.process.processor.engine, point.plan
        assert isinstance(engine, SparcEngine)
        assert isinstance(plan, SparcPlan) and plan.step is not None
        try:
            plan.step(thread.regs)
        except Misaligned:
            engine.raise_trap(MISALIGNED[engine.version])
            return False
        except MemoryFault as fault:
            engine.raise_fault(fault.address)
            return False
        return True

    def _executed(self, thread: Thread, point: Tracepoint) -> bool:
        if NPC not in thread.data:
            return False
        regs: Registers = thread.regs
        regs.pc = thread.data.pop(NPC)
        regs.npc = regs.pc + SIZE & regs.mask
        self._tell(thread, point.address)
        return True

    def _tell(self, thread: Thread, address: int) -> None:
        """Fire the probes that wait for the end of the instruction at `address`, with %pc there."""
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


def _no_act(_thread: Thread, _regs: Registers) -> None:
    """Do nothing at a tracepoint: what matters comes after its instruction."""


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
