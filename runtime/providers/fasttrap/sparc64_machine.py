"""A small SPARC V9 machine, with what Unicorn leaves of a 64-bit processor.

NPC and %ccr can be neither read nor written from outside (see sparc_machine),
and going on behind a trap means to write PC, which sets NPC to PC + 4.  Nevertheless
every instruction can be traced:

* The callback for the illegal word of a tracepoint sees PC.  It puts `ta 0x38` in its place
  and lets it be executed again: the callback for traps sees NPC, in the register PC.
* A displaced instruction has an illegal word behind it in its slot.  The thread goes on at
  NPC from there, since the instruction is none that changes it.
* A branch is emulated; %ccr is read by an instruction in the scratch area.  When it
  leaves PC and NPC that do not follow each other, the instruction in the delay slot
  is executed in a slot too, probed or not.

* Unicorn starts without a usable register window and outside of privileged mode, so that
  %cansave cannot be set: every `save`, `restore`, `return` traps (0x80, 0xc0), its address lost.  All
  of them stand under tracepoints from the start, and windows are kept in Python.
* %pstate cannot be set either: no floating-point instruction can be executed (trap 0x20).
"""

from __future__ import annotations

from typing import Any

import unicorn
from unicorn import sparc_const as names

from runtime.providers.fasttrap import sparc
from runtime.providers.fasttrap.plan import Treatment
from runtime.providers.fasttrap.sparc_machine import (
    GENERAL,
    L0,
    MISALIGNED,
    NOWHERE,
    O0,
    SCRATCH,
    SCRATCH_SIZE,
    SP,
    STACK,
    STACK_SIZE,
    TRAP,
    Machine,
    MachineError,
)

BIAS, FRAME = 2047, 176  # V9 ABI: what %sp points below the stack, and what a caller keeps free
ASK = 0x91D02038  # ta 0x38
ASKED, SYSTEM_CALL = 0x138, 0x110  # their trap types
G1, I0 = 1, 24
READ_FLAGS = 0x83408000  # rd %ccr, %g1
WRITE_FLAGS = 0x85804000  # wr %g1, %g0, %ccr


class Machine64(Machine):
    """As Machine; `run` alternates between the engine and Python at every tracepoint."""

    mask = (1 << 64) - 1
    version = 9
    mode = unicorn.UC_MODE_SPARC64
    machine = "EM_SPARCV9"
    slot_size = 2 * sparc.SIZE

    def _prepare(self) -> None:
        engine = self.engine
        self._event: tuple[int, int] | None = None  # trap type or 0, where it leads
        self._asking = 0
        self._windows: list[tuple[int, ...]] = []
        self._copies: dict[int, int] = {}  # word: its slot
        self.limit = 1 << 62
        engine.hook_add(unicorn.UC_HOOK_BLOCK, self._enter_block)
        engine.hook_add(unicorn.UC_HOOK_INTR, self._guarded(self._trap))
        engine.hook_add(unicorn.UC_HOOK_INSN_INVALID, self._guarded(self._illegal))
        self._help(WRITE_FLAGS)  # to read flags that nothing has set crashes the engine
        self.write(SP, STACK + STACK_SIZE - FRAME - 64 - BIAS)
        for start, code in self._executable:
            for offset in range(0, len(code) - 3, sparc.SIZE):
                if is_window_change(int.from_bytes(code[offset:offset + sparc.SIZE], "big")):
                    self.trace(start + offset, no_act)

    # -- the processor ----------------------------------------------------------------------------

    def _help(self, word: int) -> None:
        """Execute an instruction of our own."""
        self._start(self._slot_of(word))
        assert self._event is not None
        if self._event[0]:
            raise MachineError(f"helper instruction {word:#010x}: trap {self._event[0]:#x}")

    def _flags(self) -> int:
        kept = self.read(G1)
        self._help(READ_FLAGS)
        flags = self.read(G1)
        self.write(G1, kept)
        return flags

    def icc(self) -> int:
        return self._flags() & 15

    def xcc(self) -> int:
        return self._flags() >> 4

    def fcc(self, number: int) -> int:
        raise MachineError("no floating-point unit")

    def _succeed(self) -> None:
        kept, flags = self.read(G1), self._flags()
        self.write(G1, flags & ~sparc.CARRY & ~(sparc.CARRY << 4))
        self._help(WRITE_FLAGS)
        self.write(G1, kept)

    def rotate(self, step: int) -> None:
        if step < 0:
            self._windows.append(tuple(self.read(L0 + each) for each in range(16)))
            passed = [self.read(O0 + each) for each in range(8)]
            for each in range(16):
                self.write(L0 + each, passed[each - 8] if each >= 8 else 0)
        elif not self._windows:
            raise MachineError(f"no register window to restore at {self.pc:#x}")
        else:
            for each in range(8):
                self.write(O0 + each, self.read(I0 + each))
            for each, value in enumerate(self._windows.pop()):
                self.write(L0 + each, value)

    # -- events -----------------------------------------------------------------------------------

    def _illegal(self, _data: Any) -> bool:
        pc = self.engine.reg_read(names.UC_SPARC_REG_PC)
        if pc in self.points:
            self._asking = pc
            self._patch(pc, ASK)
            return True
        self._event = (0, pc)
        self.engine.emu_stop()
        return True

    def _trap(self, number: int, _data: Any) -> bool:
        self._event = (number, self.engine.reg_read(names.UC_SPARC_REG_PC))
        self.engine.emu_stop()
        return True

    def _start(self, pc: int) -> None:
        """Run until something happens, which is left in `_event`."""
        self._event = None
        try:
            self.engine.emu_start(pc, NOWHERE)
        except unicorn.UcError as error:
            raise MachineError(f"{error} at {self._program_counter():#x}") from None
        if self._problem is not None:
            raise self._problem
        if self._event is None:
            raise MachineError(f"still running after {self.limit} blocks, at {self._program_counter():#x}")

    def _program_counter(self) -> int:
        pc = self.engine.reg_read(names.UC_SPARC_REG_PC)
        return self.pc if SCRATCH <= pc < SCRATCH + SCRATCH_SIZE else pc

    # -- running ----------------------------------------------------------------------------------

    def run(self, blocks: int = 10_000_000) -> int:
        """Run the program to its end, or for so many basic blocks; its exit status.  Raises MachineError."""
        self.limit = blocks
        self.pc, self.npc = self.entry, self.entry + sparc.SIZE
        while self.status is None:
            if self.pc in self.points or self.npc != self.pc + sparc.SIZE:
                self._one_instruction()
            else:
                self._stretch()
        return self.status

    def _stretch(self) -> None:
        """Run up to the next tracepoint or trap."""
        self._start(self.pc)
        assert self._event is not None
        number, after = self._event
        if number == ASKED and self._asking:
            self._patch(self._asking, TRAP)
            self.pc, self.npc, self._asking = self._asking, after, 0
            return
        if number == 0:
            raise MachineError(f"illegal instruction at {after:#x}")
        self.pc, self.npc = after, after + sparc.SIZE
        self._serve(number)

    def _serve(self, number: int) -> None:
        """A trap whose NPC is now PC."""
        if number != SYSTEM_CALL:
            raise MachineError(f"trap {number:#x} before {self.pc:#x}")
        self._system_call()

    def _one_instruction(self) -> None:
        """The instruction at `pc`, which is probed or in a delay slot."""
        point = self.points.get(self.pc)
        word = point.original if point is not None else self._word(self.pc)
        if point is not None:
            point.hits += 1
            for act in tuple(point.acts):
                act(self)
        plan = sparc.plan(word, self.version)
        if plan.step is not None:
            try:
                plan.step(self)
            except sparc.Misaligned:
                raise MachineError(f"trap {MISALIGNED:#x} before {self.npc:#x}") from None
            return
        if plan.treatment is Treatment.REFUSED:
            raise MachineError(f"the instruction at {self.pc:#x} in a delay slot: {plan.why}")
        kept = point is not None and self.points.get(self.pc) is point  # no act took it away
        self._start(point.slot if point is not None and kept else self._slot_of(word))
        assert self._event is not None
        self.pc, self.npc = self.npc, self.npc + sparc.SIZE & self.mask
        if self._event[0]:
            self._serve(self._event[0])

    def _slot_of(self, word: int) -> int:
        """A slot that holds `word`, whichever instruction it stands for."""
        if word not in self._copies:
            slot = self._copies[word] = self._take_slot()
            self._fill_slot(slot, word)
        return self._copies[word]

    def _fill_slot(self, slot: int, word: int) -> None:
        self._patch(slot, word)
        self._patch(slot + sparc.SIZE, TRAP)

    def registers(self) -> tuple[int, ...]:
        """What the program leaves in the processor, as far as can be known."""
        return (*(self.engine.reg_read(each) for each in GENERAL), self._flags())


def is_window_change(word: int) -> bool:
    """Whether `word` is `save`, `restore` or `return`."""
    return word >> 30 == 2 and word >> 19 & 63 in (0x3C, 0x3D, 0x39)


def no_act(_machine: Machine) -> None:
    """What the machine's own tracepoints do."""
