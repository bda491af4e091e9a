"""What the kernel asks of a kind of processor; cpu.x86 and cpu.sparc have them.

Everything else in the kernel is the same for all programs of the machine.  There are only protocols here:
files import them for the type checker, and no program loads them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from runtime.kernel.base.caller import Caller, CallerProcess
from runtime.kernel.base.signals import Action, AlternateStack, SignalInfo
from runtime.kernel.base.traps import Traps
from runtime.kernel.cpu.debugging import Debugging
from runtime.kernel.cpu.events import Fault, SystemCall
from runtime.kernel.memory.addrspace import AddressSpace, PagedEngine

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from typing import Any, Protocol
else:
    Protocol = object


class UserProcess(CallerProcess, Protocol):
    """A process that has a program."""

    @property
    def space(self) -> AddressSpace | None:
        """None once the process has ended."""

    @property
    def memory(self) -> AddressSpace:
        """The same.  Raises SyscallError(ESRCH) when there is none."""


class UserThread(Caller, Protocol):
    """A thread that has user registers.  `regs` and `context` are of the processor's own kind."""

    regs: Any
    context: Any
    thread_areas: list[int]  # descriptors of i386 programs
    syscall: int  # number of the system call it is in, or -1

    @property
    def process(self) -> UserProcess: ...

    @property
    def alternate_stack(self) -> AlternateStack: ...

    @property
    def pc(self) -> int:
        """The program counter, in the program's terms."""

    def load(self) -> None:
        """Put its registers into the engine, unless they are there."""

    def read_text(self, address: int, size: int) -> bytes:
        """Memory as the program would see it without a tracer's traps.  Raises MemoryFault."""

    def page_fault(self, address: int, error: int) -> bool:
        """Deal with a page fault; returns whether the access may be tried again.

        `error` has bits of cpu.emulator.ERROR_*.
        """

    def set_mask(self, mask: int) -> None:
        """Block these signals, and no others."""

    def return_to_stack(self, address: int, flags: int, size: int, pointer: int) -> None:
        """A handler returns: use the stack for handlers that its frame says, if that may be."""


class UserEngine(PagedEngine, Protocol):
    """The engine of a processor, as the kernel drives it (see `runtime.kernel.cpu.emulator`)."""

    on_fault: Callable[[int, int], bool]
    on_trap: Callable[[int], bool]
    traps: Traps
    thread: Any
    counting: bool  # whether slices end when their bytes of code have been run
    on_act: Callable[[], None]

    def save(self, context: Any) -> None:
        """Store the registers in a context of the same processor."""

    def lead(self, traps: Traps) -> None:
        """The program that runs next has these."""

    def run(self) -> int:
        """Run until an event, which is returned."""

    def prepare(self) -> None: ...

    def stop(self) -> None:
        """Make `run` return after the current instruction."""

    def count_work(self) -> None:
        """From now on stop when the slice's bytes of code have been run."""

    def close(self) -> None: ...


class Processor(Protocol):
    """The kind of processor that a process runs on: `bits` of an address, `order` as `struct` writes it.

    A thread that is passed is loaded into the processor's engine, unless stated otherwise.
    """

    bits: int
    order: str
    name: bytes  # what uname(2) says of a program's machine
    page: int  # bytes
    smallest_stack: int  # bytes: MINSIGSTKSZ, of which handlers may have a stack
    calls: int  # key of the kernel's system call table
    debugging: Debugging | None

    @property
    def engine(self) -> UserEngine:
        """What runs its programs, made when first asked for."""

    def context(self) -> Any:
        """A new register file; its `regs` are like those of the engine."""

    def attach(self, thread: UserThread, root: int) -> None:
        """Load a thread's registers, and the page tables at `root`."""

    def start(self, thread: UserThread, entry: int, stack: int) -> None:
        """Give a thread the registers of a program that begins; `stack` is where argc lies."""

    def child(self, thread: UserThread, parent: int, stack: int) -> None:
        """Change the registers of a parent's copy, not loaded, to what clone(2) gives to a child."""

    def set_tls(self, thread: UserThread, pointer: int) -> None:
        """Let a thread find its own storage at `pointer`."""

    def system_call(self, thread: UserThread, event: int) -> SystemCall | None:
        """The system call that an event of the engine is; None for an exception."""

    def serve(self, thread: UserThread, event: int) -> int | None:
        """Deal with an exception that the program is not to know of.

        Returns None when that is done, otherwise the event of which the program is to be told.
        """

    def step(self, thread: UserThread, count: int) -> int:
        """Execute up to `count` plain instructions; returns the event that ended this, or RESCHEDULE."""

    def description(self, count: int) -> str:
        """What /proc/cpuinfo says of `count` of them."""

    def finish(self, thread: UserThread, result: int) -> None:
        """Return from a system call with a value or -errno."""

    def repeat(self, thread: UserThread, number: int) -> None:
        """Have the interrupted system call executed once more."""

    def fault(self, thread: UserThread, event: int) -> Fault:
        """What an exception is to the program."""

    def push(self, thread: UserThread, info: SignalInfo, action: Action, mask: int) -> None:
        """Enter a signal's handler.  Raises MemoryFault when the stack is bad."""

    def pc(self, thread: UserThread) -> int:
        """The program counter, loaded or not."""

    def stack_pointer(self, thread: UserThread) -> int: ...

    def register(self, thread: UserThread, index: int) -> int:
        """By the number that uregs[] takes, loaded or not.  Raises IndexError."""

    def user_stack(self, thread: UserThread, limit: int) -> Sequence[int]:
        """Program counters, innermost first, at most `limit`."""

    def user_frames(self, thread: UserThread, limit: int) -> Sequence[tuple[int, int]]:
        """The same, each with its frame pointer; 0: not known."""
