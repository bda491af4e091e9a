"""What the framework asks of a kernel, and nothing more.

The emulated kernel has these methods, and so has the small fake of the framework's own
tests.  The kernel itself imports nothing of the framework.
All addresses are unsigned 64-bit integers; all times are nanoseconds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from runtime.kernel.base.errors import MemoryFault

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from typing import Protocol
else:
    Protocol = object

__all__ = ["Context", "Host", "MemoryFault", "Timer"]


class Context(Protocol):
    """The thread in which a probe fires."""

    @property
    def pid(self) -> int: ...

    @property
    def ppid(self) -> int: ...

    @property
    def tid(self) -> int: ...

    @property
    def uid(self) -> int: ...

    @property
    def gid(self) -> int: ...

    @property
    def zone(self) -> int:
        """The number of its process's zone; 0 is the global zone."""

    @property
    def changed_credentials(self) -> bool:
        """Whether its process has had other ids than it has (SNOCD): it may hold secrets of theirs."""

    @property
    def errno(self) -> int: ...

    @property
    def address(self) -> int:
        """The address of its kthread_t."""

    @property
    def execname(self) -> bytes: ...

    @property
    def psargs(self) -> bytes: ...

    @property
    def zonename(self) -> bytes: ...

    @property
    def threadname(self) -> bytes: ...

    def read(self, address: int, size: int) -> bytes:
        """User memory.  Raises MemoryFault."""

    def read_string(self, address: int, limit: int) -> bytes:
        """User string up to its NUL (excluded) or `limit` bytes.  Raises MemoryFault."""

    def write(self, address: int, data: bytes) -> None:
        """User memory.  Raises MemoryFault."""

    def register(self, index: int) -> int:
        """User register by illumos' REG_* number (uregs[])."""

    def user_stack(self, limit: int) -> Sequence[int]:
        """Program counters, innermost first, at most `limit`."""

    def user_frames(self, limit: int) -> Sequence[tuple[int, int]]:
        """As `user_stack`, each with the frame pointer register's value in that frame."""

    def file(self, descriptor: int) -> int:
        """Kernel address of the descriptor's file_t, 0 if it is not open."""

    def is_of(self, uid: int, gid: int) -> bool:
        """Whether these are the process's effective, real and saved ids."""

    def is_progeny_of(self, pid: int) -> bool:
        """Whether the process is `pid` or descends from it."""


class Timer(Protocol):
    """A cyclic in the kernel."""

    def cancel(self) -> None: ...


class Host(Protocol):
    """The kernel as the framework sees it; `cpu` and `current` are those on which code runs just now."""

    closef_hook: Callable[[], None] | None  # called before the kernel frees a file and its vnode
    probing: bool  # while a probe reads user memory, no hook tells of page faults it causes

    @property
    def ncpus(self) -> int: ...

    @property
    def cpu(self) -> int: ...

    @property
    def current(self) -> Context: ...

    def hrtime(self) -> int:
        """Nanoseconds since boot; they never go backwards."""

    def vtime(self) -> int:
        """On-CPU time of the current thread, less time spent in probes."""

    def walltime(self) -> int:
        """Nanoseconds since 1970-01-01 UTC."""

    def load(self, address: int, size: int) -> bytes:
        """Kernel memory.  Raises MemoryFault (unmapped, or a device's range)."""

    def store(self, address: int, data: bytes) -> None:
        """Kernel memory.  Raises MemoryFault."""

    def size(self, structure: str) -> int:
        """Bytes of a kernel structure (`proc_t`).  Raises LookupError if the kernel has no such one."""

    def offset(self, structure: str, member: str) -> int:
        """Where a member of a kernel structure begins.  Raises LookupError if there is no such member."""

    def kernel_stack(self, limit: int) -> Sequence[int]:
        """Program counters of emulated kernel functions, innermost first."""

    def cyclic(self, interval: int, function: Callable[[], None], *, cpu: int | None = None,
               start: int | None = None) -> Timer:
        """Call `function` every `interval` ns of virtual time on `cpu` (None: any one CPU)."""

    def chill(self, nanoseconds: int) -> None:
        """Let virtual time pass with the current CPU doing nothing."""

    def cross_call(self) -> None:
        """Have every other CPU pass a point that lies outside of probes (dtrace_sync)."""

    def stop_process(self, context: Context) -> None:
        """stop(): the process stops when it next leaves the kernel."""

    def raise_signal(self, context: Context, number: int) -> None: ...

    def panic(self, reason: str) -> None:
        """Stop the emulated machine."""

    def breakpoint(self) -> None: ...
