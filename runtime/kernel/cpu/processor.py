"""What the kernel asks of a kind of processor; cpu.x86 and cpu.sparc have them.

Everything else in the kernel is the same for all programs of the machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from dif.light import NamedTuple, Protocol
from runtime.kernel.base.signals import SIGBUS, SIGSEGV, Action, SignalInfo

if TYPE_CHECKING:
    from runtime.kernel.memory.addrspace import AddressSpace
    from runtime.kernel.memory.physical import PhysicalMemory
    from runtime.kernel.process.thread import Thread

SEGV_MAPERR, SEGV_ACCERR, BUS_ADRERR = 1, 2, 2
FLTACCESS, FLTBOUNDS = 5, 6  # <sys/fault.h>


class PagedEngine(Protocol):
    """The engine of a processor, as address spaces know it."""

    memory: PhysicalMemory
    root: int
    loaded_root: int
    kernel_entry: int  # of the top table of every address space: the machine's own pages

    @property
    def tlb_size(self) -> int: ...

    def load_root(self, root: int) -> None: ...

    def flush_tlb(self) -> None: ...

    def flush_code(self) -> None: ...

    def forget_code(self, address: int, size: int) -> None: ...


class Fault(NamedTuple):
    """An exception as a program is told of it; `number` is one of FLT*."""

    info: SignalInfo
    number: int


class Processor(Protocol):
    """The kind of processor that a process runs on: `bits` of an address, `order` as `struct` writes it.

    A thread that is passed is loaded into the processor's engine, unless stated otherwise.
    """

    bits: int
    order: str
    name: bytes  # what uname(2) says of a program's machine
    page: int  # bytes
    calls: int  # key of the kernel's system call table

    @property
    def engine(self) -> Any:
        """What runs its programs, made when first asked for."""

    def context(self) -> Any:
        """A new register file; its `regs` are like those of the engine."""

    def attach(self, thread: Thread, root: int) -> None:
        """Load a thread's registers, and the page tables at `root`."""

    def start(self, thread: Thread, entry: int, stack: int) -> None:
        """Give a thread the registers of a program that begins; `stack` is where argc lies."""

    def child(self, thread: Thread, parent: int, stack: int) -> None:
        """Change the registers of a parent's copy, not loaded, to what clone(2) gives to a child."""

    def set_tls(self, thread: Thread, pointer: int) -> None:
        """Let a thread, not loaded, find its own storage at `pointer`."""

    def handle(self, thread: Thread, event: int) -> None:
        """Deal with an event of the engine: a system call, or an exception."""

    def finish(self, thread: Thread, result: int) -> None:
        """Return from a system call with a value or -errno."""

    def repeat(self, thread: Thread, number: int) -> None:
        """Have the interrupted system call executed once more."""

    def fault(self, thread: Thread, event: int) -> Fault:
        """What an exception is to the program."""

    def push(self, thread: Thread, info: SignalInfo, action: Action, mask: int) -> None:
        """Enter a signal's handler.  Raises MemoryFault when the stack is bad."""

    def pc(self, thread: Thread) -> int:
        """The program counter, loaded or not."""

    def stack_pointer(self, thread: Thread) -> int: ...

    def register(self, thread: Thread, index: int) -> int:
        """By the number that uregs[] takes, loaded or not.  Raises IndexError."""

    def user_frames(self, thread: Thread, limit: int) -> Sequence[tuple[int, int]]:
        """Program counters, innermost first, at most `limit`, each with its frame pointer; 0: not known."""


def bad_access(space: AddressSpace | None, address: int, present: bool) -> tuple[int, int, int]:
    """Signal, its code and fault number of an access that cannot be; `present`: a page was there."""
    area = space.find(address) if space else None
    if area is None:
        return SIGSEGV, SEGV_MAPERR, FLTBOUNDS
    if area.pages is not None and not present and area.prot & 3:
        return SIGBUS, BUS_ADRERR, FLTACCESS
    return SIGSEGV, SEGV_ACCERR, FLTACCESS
