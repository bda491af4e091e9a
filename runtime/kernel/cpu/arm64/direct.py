"""The engine of AArch64 that reads and writes Unicorn's own structures: registers are where it has them.

Its CPU structure is found by content when the engine starts.  Page faults and traps that programs are not to
know of do not end a run.  Where the structure is not found, as in another release, programs run on `engine`.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable

from dif.limits import MASK
from runtime.kernel.cpu.accelerators import PUBLIC, left_out
from runtime.kernel.cpu.arm64.engine import BREAKPOINT, MACHINE_PAGE, REG_GENERAL, ArmEngine
from runtime.kernel.cpu.arm64.registers import PC, X0, X1, EngineRegisters, Registers
from runtime.kernel.cpu.emulator import (
    MEM_FETCH,
    MEM_READ,
    RESCHEDULE,
    Context,
    EngineError,
    Slice,
)
from runtime.kernel.cpu.translation import TranslatedEmulator
from runtime.kernel.memory.physical import PhysicalMemory

EXCLUSIVE = b"\x20\x7c\x5f\xc8\x01\x00\x00\xd4"  # arm64: ldxr x0, [x1]; svc #0
BEFORE = 64  # bytes of the CPU structure before X0: the registers of AArch32
TLB_SEARCH = 320  # bytes before the registers that are searched for the masks of the TLB tables


class DirectArmEngine(ArmEngine):
    """The same, on the engine's own registers.  Raises EngineError where they are not found."""

    def __init__(self, memory: PhysicalMemory, slice_: Slice) -> None:
        self._monitor = ctypes.c_uint64(MASK)  # without an address
        try:
            super().__init__(memory, slice_)
        except OSError as error:
            raise EngineError(f"memory cannot be read: {error.strerror}") from None

    # -- starting ---------------------------------------------------------------------------------

    def _find(self) -> Registers:
        """Return the engine's own registers."""
        cpu = self.find_registers(REG_GENERAL)
        self.regs = EngineRegisters.from_address(cpu)
        self.find_tlb(cpu, TLB_SEARCH)
        self.drop_exit_checks(self.context_size - self.context_offset + BEFORE)
        self._find_monitor(cpu)
        return self.regs

    def _find_monitor(self, cpu: int) -> None:
        """Find the monitor, by an exclusive access: the address, and what was read there."""
        frame, regs = self.machine_frame, self.regs
        self.memory.bytes[frame:frame + len(EXCLUSIVE)] = EXCLUSIVE
        value = int.from_bytes(b"monitor?", "little")
        at = frame + 64
        self.memory.bytes[at:at + 8] = value.to_bytes(8, "little")
        regs[X1], regs[PC] = MACHINE_PAGE + 64, MACHINE_PAGE
        self.machine_kinds = frozenset((MEM_READ, MEM_FETCH))
        self.run()
        self.machine_kinds = frozenset((MEM_FETCH,))
        self.flush_tlb()
        size = self.context_size - self.context_offset
        state = ctypes.string_at(cpu, size)
        found = state.find(struct.pack("<QQ", MACHINE_PAGE + 64, value))
        if found < 0 or regs[X0] != value:
            raise EngineError("the engine's monitor cannot be found")
        self._monitor = ctypes.c_uint64.from_address(cpu + found)
        self._monitor.value = MASK

    # -- registers --------------------------------------------------------------------------------

    def saved_registers(self, handle: int) -> Registers:
        """Return a view of a context's general registers."""
        return EngineRegisters.from_address(handle + self.context_offset)

    def save(self, context: Context) -> None:
        self.library.uc_context_save(self.handle, context.handle)

    def restore(self, context: Context, root: int) -> None:
        """Load a register file, and the page tables at `root` if others are in force."""
        self.library.uc_context_restore(self.handle, context.handle)
        self.load_root(root)

    # -- running ----------------------------------------------------------------------------------

    def _run(self) -> int:
        """See ArmEngine."""
        self.event = RESCHEDULE
        self._monitor.value = MASK
        self._check_run(self._emulate(self.regs[PC], 0))
        return self._ended()

    def stop(self) -> None:
        self.library.uc_emu_stop(self.handle)

    def _page(self, address: int, kind: int, error: int) -> tuple[int, int] | None:
        found = TranslatedEmulator._page(self, address, kind, error)
        return None if found is None else self._search(kind, *found)

    def _interrupt(self, engine: int, number: int, data: int) -> None:
        try:
            if number == BREAKPOINT and self.on_trap(self.regs[PC]):
                return
        except BaseException as failure:
            self.failure = failure
        super()._interrupt(engine, number, data)


def make_engine(memory: PhysicalMemory, slice_: Slice, tell: Callable[[str], None]) -> ArmEngine:
    """Return the engine of AArch64 that can be had: the quick one, where it works; `tell` is told why not.

    With DTRACE_PUBLIC_ENGINE set in the environment public interfaces are all that is used.
    """
    reason = f"{PUBLIC} is set"
    if not left_out(PUBLIC):
        try:
            return DirectArmEngine(memory, slice_)
        except EngineError as error:
            reason = str(error)
    tell(f"AArch64 programs run on the public interface of the engine: {reason}")
    return ArmEngine(memory, slice_)
