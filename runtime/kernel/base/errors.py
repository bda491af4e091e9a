"""Exceptions of the kernel: a failed system call, an interrupted one, a bad address."""

from __future__ import annotations

import errno as codes
import os


class SyscallError(OSError):
    """A system call fails; the program gets -`errno`.

    The file system raises plain OSError, as the host's own calls do.  Both are the same to the program.
    `reason` says more to the user.
    """

    def __init__(self, errno: int, reason: str = "") -> None:
        super().__init__(errno, os.strerror(errno) + (f" ({reason})" if reason else ""))
        self.errno = errno


class Interrupted(SyscallError):
    """A signal arrived while the thread slept: EINTR, unless the call is to be restarted.

    `restart` says what may follow, as signal(7) describes: "always" restarts when the handler was
    installed with SA_RESTART (or when no handler ran); "nohandler" restarts only when no handler
    ran (poll, select, sigsuspend, nanosleep ...); "never" gives EINTR in any case.
    """

    def __init__(self, restart: str = "always") -> None:
        super().__init__(codes.EINTR)
        self.restart = restart


class MustWait(BaseException):
    """A system call would have to sleep while the engine waits for it; it has changed nothing yet."""


class MemoryFault(Exception):
    """An address that cannot be loaded from or stored to; `address` is the first bad byte."""

    def __init__(self, address: int) -> None:
        super().__init__(f"bad address {address:#x}")
        self.address = address
