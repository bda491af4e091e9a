"""System calls that make pipes."""

from __future__ import annotations

import errno
import os
import stat
import struct
from typing import TYPE_CHECKING

from runtime.kernel.base.errors import MemoryFault
from runtime.kernel.process.opening import files
from runtime.kernel.process.usermemory import order
from runtime.kernel.syscalls.layouts import swap_open_flags
from runtime.kernel.syscalls.lookup import add
from runtime.kernel.vfs.pipe import pipe_ends
from runtime.kernel.vfs.vnode import O_DIRECT, Attributes, failure

if TYPE_CHECKING:
    from runtime.kernel.process.thread import Thread


def anonymous(thread: Thread, kind: int, permissions: int = 0o600) -> Attributes:
    """Return the attributes of a pipe or socket that is made now."""
    who, time = thread.process.credentials, thread.kernel.walltime()
    return Attributes(kind | permissions, who.uid, who.gid, 1, ino=next(thread.process.zone.node_numbers),
                      dev=0x0E, atime=time, mtime=time, ctime=time)


def sys_pipe(thread: Thread, result: int) -> int:
    return sys_pipe2(thread, result, 0)


def make(thread: Thread, flags: int) -> tuple[int, int]:
    """Make a pipe and return its descriptors, to read from and to write to.  Raises OSError."""
    if flags & ~(os.O_CLOEXEC | os.O_NONBLOCK | O_DIRECT):
        raise failure(errno.EINVAL)
    reader, writer = pipe_ends(anonymous(thread, stat.S_IFIFO), flags & os.O_NONBLOCK,
                               thread.kernel.heap)
    first = add(thread, reader, flags)
    try:
        second = add(thread, writer, flags)
    except OSError:
        files(thread).close(first)
        raise
    return first, second


def sys_pipe2(thread: Thread, result: int, flags: int) -> int:
    numbers = make(thread, flags)
    try:
        thread.write(result, struct.pack(order(thread) + "ii", *numbers))
    except MemoryFault:
        for number in numbers:
            files(thread).close(number)
        raise
    return 0


def sys_arm64_pipe2(thread: Thread, result: int, flags: int) -> int:
    return sys_pipe2(thread, result, swap_open_flags(flags))
