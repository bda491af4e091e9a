"""The host's standard descriptors, where a run is recorded or replayed: pipes that are always ready."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable

from runtime.kernel.base.wait import WaitQueue
from runtime.kernel.vfs.devices.host import write_to_host
from runtime.kernel.vfs.vnode import Attributes, File, Vnode, failure

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from typing import Protocol

    from runtime.kernel.base.budgets import Budget
    from runtime.kernel.base.identity import Credentials
else:
    Protocol = object

_DEVICE = 0x0D  # the device number of these pipes


class Tape(Protocol):
    """What is read from the host, and told of what is written to it."""

    def read(self, size: int, ending: Callable[[], bool]) -> bytes:
        """Return up to `size` bytes of standard input; b"" at its end.

        Raises BlockingIOError when the run is `ending` before there are any.
        """

    def wrote(self, descriptor: int, data: bytes) -> None:
        """Learn what programs have written to standard output (1) or error (2)."""


class TapeNode(Vnode):
    """The node of a descriptor.  Programs see a pipe, whatever it is on the host."""

    __slots__ = ("budget", "descriptor", "ending", "tape")

    def __init__(self, tape: Tape, descriptor: int, budget: Budget, ending: Callable[[], bool]) -> None:
        self.tape = tape
        self.descriptor = descriptor
        self.budget = budget
        self.ending = ending
        super().__init__(Attributes(stat.S_IFIFO | 0o600, ino=descriptor + 1, dev=_DEVICE))

    def full_path(self) -> bytes:
        return b"host:[%d]" % self.descriptor

    def open(self, flags: int, credentials: Credentials) -> File:
        return TapeStream(self, flags)


class TapeStream(File):
    """An open descriptor."""

    vnode: TapeNode

    @classmethod
    def adopt(cls, tape: Tape, descriptor: int, budget: Budget, ending: Callable[[], bool]) -> TapeStream:
        """Return an open file for a descriptor of the host, which stays open when the file is closed."""
        flags = os.O_RDONLY if descriptor == 0 else os.O_WRONLY
        return cls(TapeNode(tape, descriptor, budget, ending), flags)

    def read(self, size: int) -> bytes:
        try:
            return self.vnode.tape.read(size, self.vnode.ending)
        except BlockingIOError:
            if self.queue is None:
                self.queue = WaitQueue("host")  # at the end of a run: see HostStream
            raise

    def write(self, data: bytes) -> int:
        granted = self.vnode.budget.grant(len(data))
        if data and not granted:
            raise failure(errno.ENOSPC)
        data = data[:granted]
        write_to_host(self.vnode.descriptor, data, self.vnode.ending)
        self.vnode.tape.wrote(self.vnode.descriptor, data)  # all, as in a replay: the end's writes are lost
        return len(data)
