"""The thread that calls, as the lower rooms of the kernel know it, and what it calls.

Memory, processors, files and sockets work for a calling thread.  These protocols say what they may use of
that thread, of its process and of the kernel, so that they import nothing from the rooms above them.  The
classes themselves are `Thread`, `Process` and `System` of `runtime.kernel.process`.  A room that needs more
extends a protocol in a file of its own.  Such files are imported for the type checker only: no program loads
them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Protocol

from runtime.kernel.base.clock import Event
from runtime.kernel.base.hooks import Hooks
from runtime.kernel.base.identity import Credentials, Identity
from runtime.kernel.base.kernelfunctions import KernelFunction
from runtime.kernel.base.signals import Pending, SignalInfo, SignalState
from runtime.kernel.base.wait import WaitQueue


class Timetable(Protocol):
    """What will happen at which virtual time."""

    def at(self, when: int, function: Callable[[], None], *, interval: int = ...) -> Event:
        """Have `function` called at `when` (ns since boot), and then every `interval` ns unless that is 0."""


class Services(Protocol):
    """What the kernel offers to all its parts."""

    page_ins: int  # transfers from disk for mappings and programs
    probing: bool  # a tracer's probe looks at user memory, so that nothing may sleep
    closef_hook: Callable[[], None] | None  # called before a file is freed that no descriptor means any more
    touching: bool  # what is not in memory is brought in even then

    @property
    def random(self) -> Random:
        """What programs get random bytes from."""

    @property
    def hooks(self) -> Hooks: ...

    @property
    def ncpus(self) -> int: ...

    @property
    def current(self) -> Caller:
        """The thread that runs, or that an interrupt has met."""

    @property
    def scheduler(self) -> Timetable: ...

    @property
    def signal_watchers(self) -> list[WaitQueue]:
        """Queues that are woken whenever a signal becomes pending."""

    def hrtime(self) -> int:
        """Nanoseconds since boot."""

    def walltime(self) -> int:
        """Nanoseconds since 1970."""


class CallerZone(Protocol):
    """The zone of a calling process."""

    @property
    def id(self) -> int: ...

    @property
    def name(self) -> bytes: ...

    @property
    def path(self) -> bytes:
        """Its root directory."""

    @property
    def nodename(self) -> bytes: ...

    @property
    def domainname(self) -> bytes: ...

    @property
    def net_files(self) -> Mapping[bytes, Callable[[], bytes]]:
        """What /proc/net tells of its network: the text of each file."""

    def sees(self, other: CallerZone) -> bool:
        """Whether its processes know of those of `other`."""

    def shown(self, path: bytes) -> bytes:
        """A path from the machine's root, as its processes know it."""


class CallerProcessor(Protocol):
    """The kind of processor that a process runs on."""

    def description(self, count: int) -> str:
        """What /proc/cpuinfo says of `count` of them."""


class CallerProcess(Protocol):
    """The process of a calling thread."""

    @property
    def processor(self) -> CallerProcessor: ...

    @property
    def pid(self) -> int: ...

    @property
    def pgid(self) -> int: ...

    @property
    def sid(self) -> int: ...

    @property
    def bits(self) -> int:
        """Of an address of its program: 32 or 64."""

    @property
    def zombie(self) -> bool:
        """Whether it has ended, and its parent has not waited for it yet."""

    @property
    def identity(self) -> Identity: ...

    @property
    def zone(self) -> CallerZone: ...

    def knows(self, other: CallerProcess) -> bool:
        """Whether it knows that another process is there."""

    def may_trace(self, other: CallerProcess) -> bool:
        """Whether it may see and change all of another process."""

    def may_control(self, other: CallerProcess) -> bool:
        """Whether it may control another process, and look into it."""

    @property
    def credentials(self) -> Credentials:
        """The rights that file operations are checked against."""

    @property
    def file_size_limit(self) -> int:
        """Bytes."""

    @property
    def signals(self) -> SignalState: ...

    @property
    def ended(self) -> WaitQueue:
        """A queue that is woken once it has become a zombie."""

    def post(self, info: SignalInfo, sender: Caller | None = None) -> None:
        """Make a signal pending for the process; `sender` is the thread that sends it, None the kernel."""


class Caller(Protocol):
    """A thread that has called the kernel."""

    @property
    def tid(self) -> int: ...

    @property
    def process(self) -> CallerProcess: ...

    @property
    def kernel(self) -> Services: ...

    @property
    def mask(self) -> int:
        """The signals that it blocks."""

    @property
    def pending(self) -> Pending:
        """The signals that wait for this thread alone."""

    @property
    def hasty(self) -> bool:
        """It must not sleep, as the engine waits for its call: what would sleep raises MustWait first."""

    def read(self, address: int, size: int) -> bytes:
        """Bytes of the program's memory.  Raises MemoryFault."""

    def read_string(self, address: int, limit: int = 4096) -> bytes:
        """A string of the program's, up to its NUL (excluded) or `limit` bytes.  Raises MemoryFault."""

    def write(self, address: int, data: bytes) -> None:
        """Change the program's memory.  Raises MemoryFault."""

    def sleep(self, queues: WaitQueue | Sequence[WaitQueue], timeout: int | None = None, *,
              interruptible: bool = True, restart: str = "always") -> bool:
        """Sleep until one of the queues is woken; returns False when `timeout` ns have passed before.

        Raises Interrupted when a signal comes, unless the sleep is not interruptible.
        """

    def charge(self, nanoseconds: int) -> None:
        """Let the time pass that work for this thread takes."""

    def post(self, info: SignalInfo, sender: Caller | None = None) -> None:
        """Make a signal pending for this thread alone; `sender` is as for a process."""


class Named(Protocol):
    """A row of the table of all system calls."""

    @property
    def name(self) -> str: ...


class BoundCall(Protocol):
    """A system call that threads can make."""

    @property
    def call(self) -> Named: ...

    @property
    def function(self) -> KernelFunction | None: ...

    @property
    def handler(self) -> Callable[..., int] | None:
        """None: the kernel does not have it."""

    @property
    def quick(self) -> bool:
        """It tells the process's numbers, or reads a clock: an engine may answer it by itself."""

    @property
    def altering(self) -> bool:
        """It may change these numbers."""

    @property
    def convert(self) -> Callable[[Sequence[int]], list[int]]:
        """From raw registers to the handler's arguments."""
