"""What /proc tells of: the machine, its processes and their threads, as far as files of /proc show them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from runtime.kernel.base.caller import CallerProcess, CallerZone, Services

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from typing import Protocol

    from runtime.kernel.base.identity import Identity
    from runtime.kernel.base.signals import Pending, SignalState
    from runtime.kernel.memory.addrspace import AddressSpace
    from runtime.kernel.memory.physical import PhysicalMemory
    from runtime.kernel.vfs.devices.terminal import ControllingTerminal
    from runtime.kernel.vfs.filetable import FileTable
    from runtime.kernel.vfs.namespace import View
    from runtime.kernel.vfs.uio import Traffic
    from runtime.kernel.vfs.vnode import Vnode
else:
    Protocol = object


class ShownTrace(Protocol):
    """What ties a thread to the process that traces it."""

    @property
    def stopped(self) -> bool: ...

    @property
    def tracer(self) -> CallerProcess: ...


class ShownThread(Protocol):
    """A thread."""

    @property
    def tid(self) -> int: ...

    @property
    def process(self) -> ShownProcess: ...

    @property
    def threadname(self) -> bytes: ...

    @property
    def running(self) -> bool: ...

    @property
    def affinity(self) -> int: ...

    @property
    def mask(self) -> int: ...

    @property
    def pending(self) -> Pending: ...

    @property
    def trace(self) -> ShownTrace | None: ...


class ShownProcess(CallerProcess, Protocol):
    """A process.  Times are in ns."""

    execname: bytes

    def rename(self, name: bytes) -> None: ...

    def read_text(self, address: int, size: int) -> bytes: ...

    def patch_text(self, address: int, data: bytes) -> None: ...

    @property
    def threads(self) -> Sequence[ShownThread]: ...

    @property
    def identity(self) -> Identity: ...

    @property
    def signals(self) -> SignalState: ...

    @property
    def shown_ppid(self) -> int: ...

    @property
    def stopped(self) -> bool: ...

    @property
    def exiting(self) -> bool: ...

    @property
    def status(self) -> int: ...

    @property
    def nice(self) -> int: ...

    @property
    def start_time(self) -> int: ...

    @property
    def cpu_time(self) -> int: ...

    @property
    def children_cpu_time(self) -> int: ...

    @property
    def traffic(self) -> Traffic: ...

    @property
    def arguments(self) -> Sequence[bytes]: ...

    @property
    def environment(self) -> Sequence[bytes]: ...

    @property
    def auxv(self) -> bytes: ...

    @property
    def executable(self) -> str: ...

    @property
    def exec_vnode(self) -> Vnode | None: ...

    @property
    def terminal(self) -> ControllingTerminal | None: ...

    @property
    def file_table(self) -> FileTable | None: ...

    @property
    def view(self) -> View | None: ...

    @property
    def space(self) -> AddressSpace | None: ...

    def known(self) -> Sequence[ShownProcess]:
        """The programs' processes that it knows of."""

    @property
    def memory(self) -> AddressSpace:
        """Raises SyscallError(ESRCH) when the address space has gone."""

    def enter_zone(self, name: str, user: str = "") -> None:
        """Go into a zone, as a user if one is named.  Raises SyscallError."""

    def limit(self, resource: int) -> tuple[int, int]:
        """Soft and hard limit of a resource, as getrlimit(2) numbers it."""


class Listing(Protocol):
    """All of one kind of System V's interprocess communication."""

    def table(self, zone: CallerZone) -> bytes:
        """The text of its file in /proc/sysvipc, as a zone sees it."""


class Communication(Protocol):
    """System V's interprocess communication."""

    @property
    def segments(self) -> Listing: ...

    @property
    def semaphores(self) -> Listing: ...

    @property
    def messages(self) -> Listing: ...


class ShownMachine(Services, Protocol):
    """The machine."""

    @property
    def memory(self) -> PhysicalMemory: ...

    @property
    def processes(self) -> Mapping[int, ShownProcess]:
        """Those of programs, by number."""

    @property
    def system(self) -> Mapping[int, ShownProcess]:
        """The system's own, by number."""

    @property
    def threads(self) -> Mapping[int, ShownThread]: ...

    @property
    def zones(self) -> Iterable[CallerZone]: ...

    @property
    def ipc(self) -> Communication: ...

    @property
    def reports(self) -> Mapping[str, Mapping[str, Callable[[], bytes]]]:
        """What other parts of the system show: the text of each file, by directory and file name."""

    def process(self, pid: int) -> ShownProcess | None:
        """The process of that number, the system's own among them."""
