"""A small SPARC V8 machine: one freestanding program, traps for system calls, tracepoints anywhere.

It loads a statically linked 32-bit ELF program, runs it from its entry point
in user mode and serves `ta 0x10` as Linux on SPARC does: number in %g1, arguments
in %o0…, 1 is exit and 4 is write (to file descriptor 1 only).  Register windows
that do not fit are spilled to and filled from the stack as its trap handlers do.

What Unicorn (2.1) offers for SPARC, and what it lacks:

* No register is called NPC.  In 32-bit mode the image of the processor that
  `uc_context_save` takes has it, right behind PC; here it is read and written
  there, as are Y, FSR, WIM and the current window.
* A trap (`ta`, window overflow, division by zero…) sets PC to NPC before the
  interrupt callback, and leaves NPC alone.  The address of the trap is lost in
  a delay slot, and going on executes the next instruction twice unless NPC is
  set.  That is why a tracepoint is not DTrace's `ta 0x38` but an illegal word,
  `unimp`: the callback for invalid instructions sees both PC and NPC as they are.
* Writing PC sets NPC to PC + 4, and so does `uc_emu_start`.  Without the image a thread could
  not be set down in front of a delay slot.
* The address of a `save` or `restore` that overflows is lost as well.  A code hook
  cannot keep it, because in a delay slot behind `jmpl` a code hook destroys NPC (it becomes
  1, the translator's mark for "unknown").  A block hook tells in which block it was, and
  NPC where in the block: at NPC - 4, else in the delay slot that ends the block.
* PSR reads as its condition codes only.  Reading them before anything has set them crashes
  the process, so PSR is written first.
* `timeout` of `uc_emu_start` is a host thread for each start; a run is limited by its blocks.
* In 64-bit mode the image is empty: `uc_context_save` keeps 40 bytes of header and no
  processor.  NPC, %ccr, %pstate, %cansave and %canrestore can be neither read nor written from outside
  (registers are the 32 visible ones and PC).  Going on behind a trap without writing PC
  executes the next instruction twice, or an illegal one for ever.  See sparc64_machine.

unicorn and elftools are needed.
"""

from __future__ import annotations

import ctypes
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO
from typing import Any

import unicorn
from unicorn import sparc_const as names

from runtime.providers.fasttrap import sparc
from runtime.providers.fasttrap.plan import Treatment
from runtime.providers.fasttrap.tracepoints import Refused

PAGE = 0x2000  # of V9; a multiple of that of V8
STACK, STACK_SIZE = 0x60000000, 0x100000
SCRATCH, SCRATCH_SIZE = 0x70000000, 0x10000
NOWHERE = 0xFFFFFFF0
FRAME = 96  # bytes that a caller always keeps free at its stack pointer: V8 ABI, chapter 3

TRAP = 0x00000038  # unimp 0x38
SYSTEM_CALL, OVERFLOW, UNDERFLOW, MISALIGNED = 0x90, 5, 6, 7  # trap types: manual, chapter 7
EXIT, WRITE = 1, 4
ENABLE_FPU, ENABLE_TRAPS = 1 << 12, 1 << 5  # of PSR
CARRY_BIT = 1 << 20  # of PSR: a system call failed

O0, SP, L0, FP = 8, 14, 16, 30
GENERAL = (*(names.UC_SPARC_REG_G0 + each for each in range(8)),
           *(names.UC_SPARC_REG_O0 + each for each in range(8)),
           *(names.UC_SPARC_REG_L0 + each for each in range(8)),
           *(names.UC_SPARC_REG_I0 + each for each in range(8)))


class Image(ctypes.Structure):
    """The beginning of what uc_context_save keeps of a V8 processor: struct CPUSPARCState of
    QEMU's target/sparc/cpu.h, in the host's byte order, behind Unicorn's own header."""

    _fields_ = [
        ("header", ctypes.c_uint8 * 40),
        ("globals", ctypes.c_uint32 * 8), ("window", ctypes.c_void_p),
        ("pc", ctypes.c_uint32), ("npc", ctypes.c_uint32), ("y", ctypes.c_uint32),
        ("cc", ctypes.c_uint32 * 4), ("condition", ctypes.c_uint32),
        ("icc", ctypes.c_uint32), ("fsr", ctypes.c_uint32), ("floats", ctypes.c_uint64 * 16),
        ("cwp", ctypes.c_uint32), ("wim", ctypes.c_uint32), ("tbr", ctypes.c_uint32),
        ("supervisor", ctypes.c_int32), ("previous", ctypes.c_int32), ("traps", ctypes.c_int32),
        ("level", ctypes.c_uint32), ("pending", ctypes.c_uint32), ("fpu", ctypes.c_int32),
        ("interrupt", ctypes.c_int32), ("windows", ctypes.c_uint32 * (32 * 16 + 8)),
        ("version", ctypes.c_uint32), ("window_count", ctypes.c_uint32)]


class MachineError(Exception):
    """The program cannot be loaded, or did what the machine does not know."""


@dataclass(frozen=True)
class Function:
    address: int
    size: int  # bytes


@dataclass(slots=True)
class Point:
    """A tracepoint; `slot` holds the displaced word, 0: none."""

    address: int
    original: int
    plan: sparc.SparcPlan
    slot: int
    acts: list[Callable[[Machine], None]]
    hits: int = 0


class Machine:
    """One processor with one program; also the Registers that plans work on."""

    mask = 0xFFFFFFFF
    version = 8
    mode = unicorn.UC_MODE_SPARC32
    machine = "EM_SPARC"
    slot_size = sparc.SIZE

    def __init__(self, program: bytes) -> None:
        """`program` is an ELF file.  Raises MachineError."""
        self.engine = unicorn.Uc(unicorn.UC_ARCH_SPARC, self.mode | unicorn.UC_MODE_BIG_ENDIAN)
        self.functions: dict[str, Function] = {}
        self.points: dict[int, Point] = {}
        self.output = bytearray()
        self.status: int | None = None
        self.spills = 0
        self.segments: list[tuple[int, int]] = []  # address, size of what the program can write
        self._executable: list[tuple[int, bytes]] = []
        self._free_slots: list[int] = []
        self._next_slot = SCRATCH
        self._block = range(0)
        self._blocks = 0
        self.limit = 0
        self._problem: Exception | None = None
        self.pc = self.npc = 0
        self._load(program)
        self._prepare()

    # -- loading ----------------------------------------------------------------------------------

    def _load(self, program: bytes) -> None:
        from elftools.common.exceptions import ELFError
        from elftools.elf.elffile import ELFFile

        try:
            file = ELFFile(BytesIO(program))
            if file.header.e_machine != self.machine or file.header.e_type != "ET_EXEC":
                raise MachineError(f"no SPARC V{self.version} program: {file.header.e_machine}, "
                                   f"{file.header.e_type}")
            self.entry = file.header.e_entry
            self._map_segments(file)
            symbols: Any = file.get_section_by_name(".symtab")
        except ELFError as error:
            raise MachineError(f"no ELF program: {error}") from None
        for symbol in symbols.iter_symbols() if symbols else ():
            if symbol.entry.st_info.type == "STT_FUNC":
                self.functions[symbol.name] = Function(symbol.entry.st_value, symbol.entry.st_size)
        self.engine.mem_map(STACK, STACK_SIZE)
        self.engine.mem_map(SCRATCH, SCRATCH_SIZE)
        self.segments.append((STACK, STACK_SIZE))

    def _map_segments(self, file: Any) -> None:
        pages: set[int] = set()
        for segment in file.iter_segments():
            if segment.header.p_type != "PT_LOAD":
                continue
            start, size = segment.header.p_vaddr, segment.header.p_memsz
            for page in range(start & -PAGE, start + size, PAGE):
                if page not in pages:
                    pages.add(page)
                    self.engine.mem_map(page, PAGE)
            self.engine.mem_write(start, segment.data())
            if segment.header.p_flags & 1:
                self._executable.append((start, segment.data()))
            if segment.header.p_flags & 2:
                self.segments.append((start, size))

    def _prepare(self) -> None:
        engine = self.engine
        engine.reg_write(names.UC_SPARC_REG_PSR, ENABLE_FPU | ENABLE_TRAPS)
        engine.reg_write(names.UC_SPARC_REG_PC, self.entry)
        self._context = engine.context_save()
        self._image = Image.from_address(self._context.context.value)
        if (self._image.pc, self._image.npc) != (self.entry, self.entry + sparc.SIZE):
            raise MachineError("this Unicorn keeps the processor's state elsewhere")
        self.window_count = self._image.window_count
        self._image.wim = 1 << 1  # window 0 is in use; the one above it is the limit
        engine.context_restore(self._context)
        engine.reg_write(names.UC_SPARC_REG_O6, STACK + STACK_SIZE - FRAME - 32)
        engine.hook_add(unicorn.UC_HOOK_INTR, self._guarded(self._trap))
        engine.hook_add(unicorn.UC_HOOK_INSN_INVALID, self._guarded(self._illegal))
        engine.hook_add(unicorn.UC_HOOK_BLOCK, self._enter_block)

    # -- the processor ----------------------------------------------------------------------------

    def _fetch(self) -> Image:
        self.engine.context_update(self._context)
        return self._image

    def read(self, register: int) -> int:
        return self.engine.reg_read(GENERAL[register]) if register else 0

    def write(self, register: int, value: int) -> None:
        if register:
            self.engine.reg_write(GENERAL[register], value & self.mask)

    def icc(self) -> int:
        return int(self.engine.reg_read(names.UC_SPARC_REG_PSR)) >> 20 & 15

    def xcc(self) -> int:
        raise MachineError("no V9 processor")

    def fcc(self, number: int) -> int:
        return int(self._fetch().fsr) >> 10 & 3

    def _enter_window(self, window: int) -> None:
        image = self._fetch()
        status = (self.icc() << 20 | bool(image.fpu) << 12 | image.level << 8 | bool(image.supervisor) << 7
                  | bool(image.previous) << 6 | bool(image.traps) << 5 | window)
        self.engine.reg_write(names.UC_SPARC_REG_PSR, status)

    def rotate(self, step: int) -> None:
        window = (self._fetch().cwp + step) % self.window_count
        if self._image.wim >> window & 1:
            self._make_room(step)
        self._enter_window(window)

    def _make_room(self, step: int) -> None:
        """Move the limit by one window, which is spilled for a `save` or filled for a `restore`."""
        image = self._fetch()
        current = image.cwp
        entered = (current + step) % self.window_count
        moved = (entered - 1) % self.window_count if step < 0 else entered
        limit = moved if step < 0 else (entered + 1) % self.window_count
        self._enter_window(moved)
        stack = self.read(SP)
        if step < 0:
            frame = b"".join(self.read(L0 + each).to_bytes(4, "big") for each in range(16))
            self.engine.mem_write(stack, frame)
            self.spills += 1
        else:
            frame = bytes(self.engine.mem_read(stack, 64))
            for each in range(16):
                self.write(L0 + each, int.from_bytes(frame[4 * each:4 * each + 4], "big"))
        self._enter_window(current)
        self._fetch().wim = 1 << limit
        self.engine.context_restore(self._context)

    def _go(self) -> None:
        """Continue at `pc`, then `npc`."""
        image = self._fetch()
        image.pc, image.npc = self.pc, self.npc
        self.engine.context_restore(self._context)

    # -- events -----------------------------------------------------------------------------------

    def _guarded(self, event: Callable[..., bool]) -> Callable[..., bool]:
        """An exception must not pass through the engine: it is kept, and the run ends."""
        def guard(engine: Any, *arguments: Any) -> bool:
            try:
                return event(*arguments)
            except Exception as problem:
                self._problem = problem
                engine.emu_stop()
                return True
        return guard

    def _enter_block(self, _engine: Any, address: int, size: int, _data: Any) -> None:
        self._block = range(address, address + size, sparc.SIZE)
        self._blocks += 1
        if self._blocks > self.limit:
            self.engine.emu_stop()

    def _window_change(self, number: int, after: int) -> int:
        """The address of the instruction that trapped, given its NPC."""
        wanted = 0x3C if number == OVERFLOW else 0x3D
        for address in (after - sparc.SIZE, *self._block[-1:]):
            word = self._word(address) if address in self._block else 0
            if word >> 30 == 2 and word >> 19 & 63 == wanted:
                return address
        raise MachineError(f"window trap before {after:#x}")

    def _trap(self, number: int, _data: Any) -> bool:
        after = self._fetch().pc
        if number == SYSTEM_CALL:
            self.pc, self.npc = after, after + sparc.SIZE
            self._system_call()
        elif number in (OVERFLOW, UNDERFLOW):
            self._make_room(-1 if number == OVERFLOW else 1)
            self.pc, self.npc = self._window_change(number, after), after
        else:
            raise MachineError(f"trap {number:#x} before {after:#x}")
        self._go()
        return True

    def _system_call(self) -> None:
        """What %g1 asks for.  Raises MachineError."""
        number, arguments = self.read(1), [self.read(O0 + each) for each in range(3)]
        if number == EXIT:
            self.status = arguments[0]
            self.engine.emu_stop()
        elif number == WRITE and arguments[0] == 1:
            self.output += self.engine.mem_read(arguments[1], arguments[2])
            self.write(O0, arguments[2])
        else:
            raise MachineError(f"system call {number} is not known")
        self._succeed()

    def _succeed(self) -> None:
        """A clear carry bit says that a system call succeeded."""
        image = self._fetch()
        image.icc &= ~CARRY_BIT
        self.engine.context_restore(self._context)

    def _illegal(self, _data: Any) -> bool:
        image = self._fetch()
        self.pc, self.npc = image.pc, image.npc
        point = self.points.get(self.pc)
        if point is None:
            raise MachineError(f"illegal instruction at {self.pc:#x}")
        point.hits += 1
        for act in tuple(point.acts):
            act(self)
        if self.points.get(self.pc) is not point:  # an act took it away: the instruction is back in its place
            self._go()
            return True
        if point.slot:
            self.pc = point.slot
        else:
            assert point.plan.step is not None
            try:
                point.plan.step(self)
            except sparc.Misaligned:
                raise MachineError(f"trap {MISALIGNED:#x} before {self.npc:#x}") from None
        self._go()
        return True

    # -- tracepoints ------------------------------------------------------------------------------

    def trace(self, address: int, act: Callable[[Machine], None]) -> Point:
        """Let `act` happen whenever `address` is reached; `pc`, `npc` and `read` show it the thread.

        Raises Refused.
        """
        point = self.points.get(address) or self._place(address)
        point.acts.append(act)
        return point

    def _place(self, address: int) -> Point:
        if address % sparc.SIZE:
            raise Refused("no multiple of four")
        original = self._word(address)
        plan = sparc.plan(original, self.version)
        if plan.treatment is Treatment.REFUSED:
            raise Refused(plan.why)
        slot = 0
        if plan.treatment is Treatment.DISPLACED:
            slot = self._take_slot()
            self._fill_slot(slot, original)
        self._patch(address, TRAP)
        point = self.points[address] = Point(address, original, plan, slot, [])
        return point

    def untrace(self, address: int, act: Callable[[Machine], None]) -> None:
        """Undo `trace`; the last one to do so restores the instruction."""
        point = self.points.get(address)
        if point is None or act not in point.acts:
            return
        point.acts.remove(act)
        if not point.acts:
            del self.points[address]
            self._patch(address, point.original)
            if point.slot:
                self._free_slots.append(point.slot)

    def treatments(self) -> Counter[str]:
        """The number of tracepoints by how their instructions are executed."""
        return Counter(str(point.plan.treatment) for point in self.points.values())

    def _fill_slot(self, slot: int, word: int) -> None:
        self._patch(slot, word)

    def _take_slot(self) -> int:
        if self._free_slots:
            return self._free_slots.pop()
        if self._next_slot >= SCRATCH + SCRATCH_SIZE:
            raise Refused("no room in the scratch area")
        self._next_slot += self.slot_size
        return self._next_slot - self.slot_size

    def _word(self, address: int) -> int:
        try:
            return int.from_bytes(self.engine.mem_read(address, sparc.SIZE), "big")
        except unicorn.UcError:
            raise Refused("unreadable") from None

    def _patch(self, address: int, word: int) -> None:
        self.engine.mem_write(address, word.to_bytes(sparc.SIZE, "big"))
        self.engine.ctl_remove_cache(address, address + sparc.SIZE)

    # -- running ----------------------------------------------------------------------------------

    def run(self, blocks: int = 10_000_000) -> int:
        """Run the program to its end, or for so many basic blocks; its exit status.  Raises MachineError."""
        self.limit = blocks
        try:
            self.engine.emu_start(self.entry, NOWHERE)
        except unicorn.UcError as error:
            raise MachineError(f"{error} at {self._program_counter():#x}") from None
        if self._problem is not None:
            raise self._problem
        if self.status is None:
            raise MachineError(f"still running after {blocks} blocks, at {self._program_counter():#x}")
        return self.status

    def _program_counter(self) -> int:
        """PC in program terms: in a slot, the address of the tracepoint."""
        pc = int(self._fetch().pc)
        return next((point.address for point in self.points.values() if point.slot == pc), pc)

    def registers(self) -> tuple[int, ...]:
        """All that the program leaves in the processor: globals, windows, Y, flags, floats, PC, NPC."""
        image = self._fetch()
        return (*image.globals, *image.windows[:self.window_count * 16], image.y, self.icc(), image.fsr,
                *image.floats, image.cwp, image.wim, image.pc, image.npc)

    def memory(self) -> list[bytes]:
        """What the program can write: data, then stack."""
        return [bytes(self.engine.mem_read(start, size)) for start, size in self.segments]
