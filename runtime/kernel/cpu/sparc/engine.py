"""The SPARC processors: V8 with pages of 4 KiB, V9 with pages of 8 KiB, big-endian.

Each is an engine over the machine's physical memory.  The engine has no MMU but asks for translations (its
"virtual TLB"), and gets them from the same page tables that x86 walks: so an address space is the same to
both.

What Unicorn (2.1) offers for SPARC, what it lacks, and what is done about it (each was tried):

* No register is called NPC, nor are there Y, FSR, WIM, %ccr, %pstate or %cansave, and in 64-bit mode a
  saved context is empty.  All of them are read and written in the engine's CPU structure, which is
  found by content, as for x86; `registers` has its layout.
* `uc_emu_start` sets NPC to PC + 4.  To go on in a delay slot, a run starts at an illegal word of the
  machine's own, and the callback for illegal instructions sets both.
* A trap sets PC to NPC before the callback for interrupts sees it, and leaves NPC alone: the address
  of what trapped is lost.  A callback notes each block of code; what trapped stands before NPC
  or, being in a delay slot, at the end of the block.  (A callback for each instruction is no
  way out: in a delay slot behind `jmpl` it destroys NPC.)  Page faults and illegal instructions leave
  both registers as they should be.
* No trap table is walked: the callbacks do what a kernel's trap handlers do for windows (spill, fill,
  flush), all other traps are the kernel's business.
* An engine of V9 starts without a usable window and without floating point; the structure sets that
  right.  Condition codes that nothing has computed yet crash it when they are read: they are set first.
* A fault of the virtual TLB tells the page, not the address: that is computed from the instruction.
* A block at whose start the engine is told to stop is not executed, unlike on x86: slices are counted
  accordingly.  When a run ends, the engine translates the address at which it would have stopped.

* Loads that must not fault ask an MMU that is not there: see `nofault`.

V8+ programs (64-bit registers in 32-bit ones) are not loaded: an engine of V8 has no such registers.
"""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Callable

from runtime.kernel.base.errors import MemoryFault
from runtime.kernel.cpu.emulator import (
    ERR_EXCEPTION,
    ERROR_USER,
    ERROR_WRITE,
    EXECUTE,
    HOOK_INTR,
    READ,
    RESCHEDULE,
    WRITE,
    EngineError,
    Slice,
    search_pointers,
)
from runtime.kernel.cpu.sparc.registers import O0, WINDOWS, Registers, State, State8, State9
from runtime.kernel.cpu.translation import PAGE_FAULT, SYSCALL, TranslatedEmulator, allows
from runtime.kernel.memory.addrspace import FRAME_MASK, NO_EXEC, WRITABLE
from runtime.kernel.memory.physical import PAGE, PhysicalMemory

# numbers of <unicorn/unicorn.h> and <unicorn/sparc.h>
ARCH_SPARC, MODES, MODE_BIG_ENDIAN = 6, {8: 4, 9: 8}, 1 << 30
HOOK_INVALID = 1 << 14
REG_G1, MARKS = 54, 7

SIZE = 4  # bytes of an instruction
# A tracer writes it over an instruction:
TRAP_WORD = 0x00000038  # sparc: unimp 0x38

# trap types: V8 manual, chapter 7; V9 manual, chapter 7
SYSTEM_CALL = {8: 0x90, 9: 0x16D}  # ta 0x10; ta 0x6d
FLUSH_WINDOWS = {8: 0x83, 9: 0x103}  # ta 3
ILLEGAL, MISALIGNED = {8: 2, 9: 0x10}, {8: 7, 9: 0x34}
OVERFLOW, UNDERFLOW = {8: range(5, 6), 9: range(0x80, 0xC0)}, {8: range(6, 7), 9: range(0xC0, 0x100)}
SAVES, RESTORES = frozenset((0x3C, 0x2B)), frozenset((0x3D, 0x39))  # op3 of what may cause them
LAUNCH = {8: 0xFFFFF000, 9: 0xFFFFFFFFFFFFE000}  # page of the machine's own
NOWHERE = 8  # bytes into it: not executed, but the engine translates it when a run ends
PSTATE_PEF, FPRS_FEF = 1 << 4, 1 << 2
CODES_ARE_FLAGS = 1


class Context:
    """A saved register file."""

    def __init__(self, engine: SparcEngine) -> None:
        self.regs = Registers(type(engine.regs.state)())
        ctypes.memmove(ctypes.addressof(self.regs.state), engine.pristine, len(engine.pristine))


class SparcEngine(TranslatedEmulator):
    """The engine of SPARC programs of `version` 8 or 9: `run` executes code until an event.

    `regs` are the live registers.  `on_join(address)` makes the two pages of 4 KiB at `address` lie
    next to each other in physical memory, for V9.  An event is SYSCALL, PAGE_FAULT, RESCHEDULE or a
    trap type; after all but SYSCALL %pc is that of the instruction that caused it.
    """

    notes_blocks = True
    tlb_size = 1 << 30  # it need not be made to grow

    def __init__(self, memory: PhysicalMemory, version: int, slice_: Slice) -> None:
        super().__init__(memory, ARCH_SPARC, MODES[version] | MODE_BIG_ENDIAN, slice_)
        self.version = version
        self.page = PAGE if version == 8 else 2 * PAGE
        self.machine_page = LAUNCH[version]
        self.on_join: Callable[[int], None] = lambda address: None
        self._destination: tuple[int, int] | None = None  # of a run that starts at the machine's own page
        self.regs = Registers(self._find_state())
        self._prepare()
        self.pristine = ctypes.string_at(ctypes.addressof(self.regs.state), ctypes.sizeof(self.regs.state))
        self._install()
        self.count_work()

    def _find_state(self) -> State:
        """The CPU structure, by a mark in %g1-7.  Raises EngineError."""
        kind: type[State] = State8 if self.version == 8 else State9
        word = 4 if self.version == 8 else 8
        marks = [os.urandom(word) for _number in range(MARKS)]
        for number, mark in enumerate(marks):
            self.library.uc_reg_write(self.handle, REG_G1 + number, mark.ljust(8, b"\0"))
        with open("/proc/self/mem", "rb", 0) as memory:
            assert self.handle.value is not None
            found = search_pointers(memory.fileno(), self.handle.value, b"".join(marks))
        if found is None:
            raise EngineError("the engine's registers cannot be found")
        state = kind.from_address(found - word)
        if state.window_count != WINDOWS or (self.version == 9 and state.max_trap_level != 5):
            raise EngineError("the engine's registers are laid out in another way")
        return state

    def _prepare(self) -> None:
        """Set the registers to what a program finds when it starts."""
        state = self.regs.state
        state.globals[:] = [0] * 8
        state.operation = CODES_ARE_FLAGS
        if self.version == 8:
            state.wim, state.fpu, state.traps = 1 << 1, 1, 1
        else:
            state.pstate, state.fprs = PSTATE_PEF, FPRS_FEF
            state.cansave, state.cleanwin, state.trap_level = WINDOWS - 2, WINDOWS, 0

    def _install(self) -> None:
        word = struct.pack(">I", TRAP_WORD)
        for at in range(self.machine_frame, self.machine_frame + self.page, SIZE):
            self.memory.bytes[at:at + SIZE] = word
        interrupt = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_void_p)
        invalid = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_void_p)
        self._hook(HOOK_INTR, interrupt(self._interrupt), 0)
        self._hook(HOOK_INVALID, invalid(self._illegal), 0)

    # -- registers --------------------------------------------------------------------------------

    def context(self) -> Context:
        """Return a register file as programs find it when they start."""
        return Context(self)

    def save(self, context: Context) -> None:
        state = self.regs.state
        ctypes.memmove(ctypes.addressof(context.regs.state), ctypes.addressof(state), ctypes.sizeof(state))
        context.regs.memory, context.regs.call = self.regs.memory, self.regs.call

    def restore(self, context: Context, root: int) -> None:
        """Load a register file, and the page tables at `root` if others are in force."""
        state = self.regs.state
        ctypes.memmove(ctypes.addressof(state), ctypes.addressof(context.regs.state), ctypes.sizeof(state))
        self.regs.memory, self.regs.call = context.regs.memory, context.regs.call
        self.regs.point()
        self.load_root(root)

    def forget_code(self, _address: int, _size: int) -> None:
        """Forget all that was translated."""
        self.flush_code()

    # -- running ----------------------------------------------------------------------------------

    def run(self) -> int:
        """Run from the current registers until an event; returns the event.

        An exception of a callback is raised here.
        """
        self.event = RESCHEDULE
        regs = self.regs
        start = regs.pc
        if regs.npc != start + SIZE & regs.mask:
            self._destination = start, regs.npc
            start = LAUNCH[self.version]
        error = self._emulate(start, LAUNCH[self.version] + NOWHERE)
        if self.failure is not None:
            failure, self.failure = self.failure, None
            raise failure
        if error and not (error == ERR_EXCEPTION and self.event == PAGE_FAULT):
            raise EngineError(f"the engine returned error {error} at {regs.pc:#x}")
        return self.event

    def _illegal(self, _engine: int, _data: int) -> bool:
        regs = self.regs
        if self._destination is not None:
            (regs.pc, regs.npc), self._destination = self._destination, None
            self.slice.left += self.slice.size  # that was none of the program's
            return True
        try:
            if self.on_trap(regs.pc):
                return True
        except BaseException as failure:
            self.failure = failure
        self.end_run(ILLEGAL[self.version])
        return True

    def _interrupt(self, _engine: int, number: int, _data: int) -> None:
        try:
            self._trap(number)
        except MemoryFault as fault:
            self.fault(fault.address, ERROR_USER | ERROR_WRITE)
        except BaseException as failure:
            self.failure = failure
            self.end_run(number)

    def _trap(self, number: int) -> None:
        regs, version = self.regs, self.version
        after = regs.npc
        if number == SYSTEM_CALL[version]:
            regs.call = self._trapped(after), after, regs.read(O0)
            regs.pc, regs.npc = after, after + SIZE & regs.mask
            self.end_run(SYSCALL)
        elif number == FLUSH_WINDOWS[version]:
            regs.flush()
            regs.pc, regs.npc = after, after + SIZE & regs.mask
        elif number in OVERFLOW[version]:
            regs.pc = self._trapped(after, SAVES)
            regs.spill()
        elif number in UNDERFLOW[version]:
            regs.pc = self._trapped(after, RESTORES)
            regs.fill()
        else:
            regs.pc = self._trapped(after)
            self.end_run(number)

    def _trapped(self, after: int, wanted: frozenset[int] | None = None) -> int:
        """Return the address of the instruction that trapped, given its %npc and the op3 it may have."""
        start, end = self.slice.block, self.slice.block + self.slice.size
        before = after - SIZE & self.regs.mask
        if start <= before < end and (wanted is None or self._op3(before) in wanted):
            return before
        return end - SIZE

    def _op3(self, address: int) -> int:
        memory = self.regs.memory
        assert memory is not None
        return int.from_bytes(memory.read(address, SIZE), "big") >> 19 & 63

    # -- memory -----------------------------------------------------------------------------------

    def raise_trap(self, number: int) -> None:
        """Have the instruction at %pc cause a trap; it has not been executed.  Called from a callback."""
        self.end_run(number)

    def raise_fault(self, address: int) -> None:
        """Have the instruction at %pc cause a page fault, by an access to `address`."""
        self.fault(address, ERROR_USER | ERROR_WRITE)

    def _page(self, address: int, kind: int, error: int) -> tuple[int, int] | None:
        """Return where the page at `address` lies, and its permissions; None for a page fault."""
        if self.page > PAGE:
            self.on_join(address)
        for part in range(address, address + self.page, PAGE):
            if not allows(self.walk(part), kind) and not self.on_fault(part, error):
                return None
        if self.page > PAGE:
            self.on_join(address)
        entries = [self.walk(part) for part in range(address, address + self.page, PAGE)]
        if not all(allows(entry, kind) for entry in entries):
            return None
        perms = (READ | (WRITE if all(entry & WRITABLE for entry in entries) else 0)
                 | (0 if all(entry & NO_EXEC for entry in entries) else EXECUTE))
        return entries[0] & FRAME_MASK, perms
