"""The processor of a process whose program is outside the machine: it knows one instruction.

That is the system call of 64-bit programs.  A machine in which nothing else runs needs no engine: loading
that would be a tenth of a short run of dtrace(1).
"""

from __future__ import annotations

import ctypes

from runtime.kernel.base.traps import Traps
from runtime.kernel.cpu.emulator import ERROR_FETCH, Context, Slice
from runtime.kernel.cpu.x86.engine import (
    R11,
    REG_CS,
    REG_RFLAGS,
    REG_SS,
    RESCHEDULE,
    RIP,
    RSP,
    SYSCALL64,
    SYSCALL_SIZE,
)
from runtime.kernel.cpu.x86.processor import X86

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from runtime.kernel.cpu.processor import UserThread
    from runtime.kernel.memory.physical import PhysicalMemory

REGISTERS = 17
USER_FLAGS = 0x202  # as a program has them that begins: interrupts are allowed
SPECIAL = {REG_CS: 0x33, REG_SS: 0x2B, REG_RFLAGS: USER_FLAGS}  # Linux' selectors for 64-bit programs


class HostedContext(Context):
    """The registers of such a thread: the same array, loaded or not."""

    def __init__(self) -> None:
        self.handle = ctypes.c_void_p()  # there is none
        self.regs = (ctypes.c_uint64 * REGISTERS)()


class HostedEngine:
    """Executes a system call instruction at `entry`, and a jump back to it behind it.

    It is what runtime.kernel.cpu.processor.UserEngine says, without translated code, TLB and page tables.
    """

    root = loaded_root = kernel_entry = tlb_size = 0
    thread: UserThread

    def __init__(self, memory: PhysicalMemory, slice_: Slice) -> None:
        self.memory, self._slice = memory, slice_
        self.traps = Traps()
        self.entry = 0
        self.counting = False
        self._fetched = False  # whether the page with the instruction has been brought in

    def run(self) -> int:
        """Go back to it, and execute it; returns SYSCALL64, or RESCHEDULE where the slice is over before."""
        regs = self.thread.regs
        if not self._fetched:
            self.thread.page_fault(self.entry, ERROR_FETCH)
            self._fetched = True
        if regs[RIP] != self.entry:
            if self._is_over():
                return RESCHEDULE
            regs[RIP] = self.entry
        if self._is_over():
            return RESCHEDULE
        regs[RIP] += SYSCALL_SIZE
        regs[R11] = USER_FLAGS
        return SYSCALL64

    def read_register(self, number: int, _size: int = 8) -> int:
        """Return one that is none of the general registers, by Unicorn's number; no program changes them."""
        return SPECIAL.get(number, 0)

    def lead(self, traps: Traps) -> None:
        self.traps = traps

    def count_work(self) -> None:
        self.counting = True

    def _is_over(self) -> bool:
        """Whether the slice is over; if not, count one instruction: both have two bytes."""
        if self.counting:
            if self._slice.left <= 0:
                return True
            self._slice.left -= SYSCALL_SIZE
        return False

    # nothing of this is there to be changed

    def save(self, context: HostedContext) -> None: ...

    def prepare(self) -> None: ...

    def stop(self) -> None: ...

    def close(self) -> None: ...

    def load_root(self, root: int) -> None: ...

    def flush_tlb(self) -> None: ...

    def flush_code(self) -> None: ...

    def forget_code(self, address: int, size: int) -> None: ...


class Hosted(X86):
    """Such a processor, of one process.  Debuggers cannot attach to that: its program is not there."""

    def __init__(self, memory: PhysicalMemory, slice_: Slice) -> None:
        self._loop = HostedEngine(memory, slice_)
        super().__init__(lambda: self._loop, 64)  # type: ignore[arg-type, return-value]
        self.debugging = None

    def context(self) -> HostedContext:
        return HostedContext()

    def attach(self, thread: UserThread, root: int) -> None:
        pass

    def start(self, thread: UserThread, entry: int, stack: int) -> None:
        self._loop.entry = entry
        thread.regs[RIP], thread.regs[RSP] = entry, stack
