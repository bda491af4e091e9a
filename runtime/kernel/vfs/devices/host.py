"""What the host gives to the machine: open descriptors, and the terminal that they may belong to."""

from __future__ import annotations

import errno
import fcntl
import os
import select
import stat
import struct
import time
from collections.abc import Callable, Sequence

from runtime.kernel.base.identity import Credentials
from runtime.kernel.base.wait import WaitQueue
from runtime.kernel.vfs.ioctls import (
    FIONREAD,
    TCGETS,
    TCSETS,
    TCSETSF,
    TCSETSW,
    TIOCGPGRP,
    TIOCGSID,
    TIOCGWINSZ,
    TIOCSCTTY,
    TIOCSPGRP,
)
from runtime.kernel.vfs.vnode import POLLIN, POLLOUT, POLLPRI, Attributes, File, Vnode, failure

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from runtime.kernel.base.budgets import Budget
    from runtime.kernel.base.caller import Caller

HOST_DEVICE = 0x0E  # the device number of the host's descriptors, if they are sealed
_SETTERS = TCSETS, TCSETSW, TCSETSF
_SIZES = {TCGETS: 36, TIOCGWINSZ: 8, FIONREAD: 4}
_LOOK = 0.1  # seconds between two looks at whether the run is at its end
Ending = Callable[[], bool]


def wait_for_host(descriptors: Sequence[int], ending: Ending, seconds: float | None = None, *,
                  writing: bool = False) -> bool:
    """Wait until one of the host's descriptors can be read, or written.

    Returns False when `seconds` have passed before that, or when the run is at its end.
    """
    reads, writes = ((), descriptors) if writing else (descriptors, ())
    end = None if seconds is None else time.monotonic() + seconds
    while not ending():
        left = _LOOK if end is None else max(min(_LOOK, end - time.monotonic()), 0)
        if any(select.select(reads, writes, (), left)):
            return True
        if end is not None and time.monotonic() >= end:
            return False
    return any(select.select(reads, writes, (), 0))


def write_to_host(descriptor: int, data: bytes | memoryview, ending: Ending, *,
                  nonblocking: bool = False) -> int:
    """Write to a descriptor of the host, as fast as what is there is read.

    Returns how many bytes have been written: fewer than all when the run is at its end, and with
    `nonblocking`, where nothing reads them.  Raises OSError.
    """
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return os.write(descriptor, data)
    done = 0
    while done < len(data) and wait_for_host([descriptor], ending, 0 if nonblocking else None, writing=True):
        done += os.write(descriptor, data[done:done + select.PIPE_BUF])  # as many do not wait in the write
    return done


class HostNode(Vnode):
    """The node of a descriptor of the host, such as its standard input.

    If it is `sealed`, programs see only of what kind it is.  Of a file they can cut off only what has been
    written since.
    """

    __slots__ = ("budget", "descriptor", "ending", "least", "name", "sealed")

    def __init__(self, descriptor: int, name: bytes, budget: Budget, ending: Ending, sealed: bool) -> None:
        self.descriptor = descriptor
        self.budget = budget
        self.ending = ending
        self.name = name
        self.sealed = sealed
        status = os.fstat(descriptor)
        self.least = status.st_size if stat.S_ISREG(status.st_mode) else 0
        super().__init__(self.getattr())

    def full_path(self) -> bytes:
        return self.name

    def getattr(self) -> Attributes:
        status = os.fstat(self.descriptor)
        if not self.sealed:
            return Attributes.of_host(status)
        return Attributes(stat.S_IFMT(status.st_mode) | 0o600, ino=self.descriptor + 1, dev=HOST_DEVICE,
                          size=status.st_size if stat.S_ISREG(status.st_mode) else 0)

    def open(self, flags: int, credentials: Credentials) -> File:
        return HostStream(self, flags)

    def truncate(self, size: int) -> None:
        self.budget.take(max(size - os.fstat(self.descriptor).st_size, 0))
        os.ftruncate(self.descriptor, max(size, self.least))


class HostStream(File):
    """A descriptor of the host that the machine uses: while a read or write waits, all of the machine does.

    At the end of a run a read that finds nothing waits alone, for ever, and so does a write that nothing
    reads: the rest is done without them.
    """

    vnode: HostNode

    @classmethod
    def adopt(cls, descriptor: int, budget: Budget, ending: Ending, *, sealed: bool = False) -> HostStream:
        """Return an open file for a descriptor of the host, which stays open when the file is closed.

        What is written counts in `budget`.  A read or write waits until the run is `ending`.  If it is
        `sealed`, its name is not the host's.  Raises OSError when there is no such descriptor.
        """
        flags = fcntl.fcntl(descriptor, fcntl.F_GETFL)
        name = b"host:[%d]" % descriptor if sealed else _name(descriptor)
        return cls(HostNode(descriptor, name, budget, ending, sealed),
                   flags & (os.O_ACCMODE if sealed else ~os.O_NONBLOCK))

    def __init__(self, vnode: HostNode, flags: int) -> None:
        super().__init__(vnode, flags)
        self._descriptor = vnode.descriptor

    def read(self, size: int) -> bytes:
        if not wait_for_host([self._descriptor], self.vnode.ending, 0 if self.nonblocking else None):
            self._wait_alone()
            raise failure(errno.EAGAIN)
        return os.read(self._descriptor, size)

    def write(self, data: bytes) -> int:
        view = memoryview(data)[:self.vnode.budget.grant(len(data))]
        if data and not view:
            raise failure(errno.ENOSPC)
        done = write_to_host(self._descriptor, view, self.vnode.ending, nonblocking=self.nonblocking)
        self.vnode.budget.give(len(view) - done)
        if view and not done:
            self._wait_alone()
            raise failure(errno.EAGAIN)
        return done

    def _wait_alone(self) -> None:
        """At the end of the run, have the thread wait without the rest."""
        if self.vnode.ending() and self.queue is None:
            self.queue = WaitQueue("host")  # (with one, epoll would not look at the host any more)

    def pread(self, offset: int, size: int) -> bytes:
        return os.pread(self._descriptor, size, offset)

    def pwrite(self, offset: int, data: bytes) -> int:
        data = data[:self.vnode.budget.grant(len(data))]
        return os.pwrite(self._descriptor, data, offset)

    def seek(self, offset: int, whence: int) -> int:
        return os.lseek(self._descriptor, offset, whence)

    def poll(self) -> int:
        poller = select.poll()
        poller.register(self._descriptor, POLLIN | POLLOUT | POLLPRI)
        ready = poller.poll(0)
        return ready[0][1] if ready else 0

    def ioctl(self, thread: Caller, request: int, argument: int) -> int:
        return _terminal_ioctl(self._descriptor, thread, request, argument)


def _name(descriptor: int) -> bytes:
    try:
        return os.readlink(b"/proc/self/fd/%d" % descriptor)
    except OSError:
        return b"host:[%d]" % descriptor


def _terminal_ioctl(descriptor: int, thread: Caller, request: int, argument: int) -> int:
    """Ask the host's terminal, and never change its settings; returns 0.  Raises ENOTTY if it is none."""
    if request != FIONREAD and not os.isatty(descriptor):
        raise failure(errno.ENOTTY)
    if request in _SIZES:
        data = fcntl.ioctl(descriptor, request, bytes(64))
        thread.write(argument, data[:_SIZES[request]])
    elif request == TIOCGPGRP:
        thread.write(argument, struct.pack("<i", thread.process.pgid))
    elif request == TIOCGSID:
        thread.write(argument, struct.pack("<i", thread.process.sid))
    elif request not in _SETTERS and request not in (TIOCSPGRP, TIOCSCTTY):
        raise failure(errno.ENOTTY)
    return 0


class HostTerminal:
    """The host's terminal, if there is one: it controls the programs that the host starts."""

    def __init__(self, budget: Budget, ending: Ending) -> None:
        self._budget = budget
        self._ending = ending

    node: Vnode | None = None  # it has none in the machine
    foreground = -1

    def open(self, flags: int) -> File:
        """Return a file for the first standard descriptor that is a terminal.  Raises ENXIO if none is."""
        for descriptor in range(3):
            if os.isatty(descriptor):
                return HostStream.adopt(descriptor, self._budget, self._ending)
        raise failure(errno.ENXIO)

    def leader_gone(self) -> None:
        """Do nothing: the host has its own view of who leads."""

    def orphaned(self, group: int) -> bool:
        """Return False: the host's shell can continue a stopped process."""
        return False
