"""System calls that keep memory from being paged out: mlock(2) and its relatives.

Nothing is ever paged out here.  What is kept locked counts against its limit, and is not given up on advice.
"""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING

from runtime.kernel.base.errors import SyscallError
from runtime.kernel.base.privileges import PROC_LOCK_MEMORY
from runtime.kernel.memory.addrspace import LOCKED
from runtime.kernel.memory.physical import PAGE_MASK
from runtime.kernel.process.process import RLIMIT_MEMLOCK
from runtime.kernel.syscalls.process.mapping import mapped_up_to, range_end

if TYPE_CHECKING:
    from runtime.kernel.process.thread import Thread

MLOCK_ONFAULT = 1
MCL_CURRENT, MCL_FUTURE, MCL_ONFAULT = 1, 2, 4


def _demand_lockable(thread: Thread, locked: int) -> None:
    """Raise EPERM or ENOMEM unless a process may have so many bytes locked."""
    limit, _hard = thread.process.limit(RLIMIT_MEMLOCK)
    if (locked > limit or not limit) and not thread.process.identity.has(PROC_LOCK_MEMORY):
        raise SyscallError(errno.ENOMEM if limit else errno.EPERM)


def sys_mlock(thread: Thread, address: int, size: int) -> int:
    return sys_mlock2(thread, address, size, 0)


def sys_mlock2(thread: Thread, address: int, size: int, flags: int) -> int:
    if flags & ~MLOCK_ONFAULT:
        raise SyscallError(errno.EINVAL)
    space, start = thread.process.memory, address & ~PAGE_MASK
    end = range_end(start, size + (address & PAGE_MASK))
    _demand_lockable(thread, space.locked - space.locked_in(start, end) + end - start)
    return _mark(thread, start, end, True)


def sys_munlock(thread: Thread, address: int, size: int) -> int:
    start = address & ~PAGE_MASK
    return _mark(thread, start, range_end(start, size + (address & PAGE_MASK)), False)


def _mark(thread: Thread, start: int, end: int, value: bool) -> int:
    """Lock a range or do it no more, up to what is not mapped.  Raises ENOMEM if that is before the end."""
    mapped = mapped_up_to(thread, start, end)
    thread.process.memory.mark(start, mapped, LOCKED, value)
    if mapped < end:
        raise SyscallError(errno.ENOMEM)
    return 0


def sys_mlockall(thread: Thread, flags: int) -> int:
    if not flags & (MCL_CURRENT | MCL_FUTURE) or flags & ~(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT):
        raise SyscallError(errno.EINVAL)
    space = thread.process.memory
    _demand_lockable(thread, sum(area.end - area.start for area in space.areas) if flags & MCL_CURRENT else 1)
    space.locks_new = bool(flags & MCL_FUTURE)
    if flags & MCL_CURRENT:
        space.mark(0, space.limit, LOCKED, True)
    return 0


def sys_munlockall(thread: Thread) -> int:
    space = thread.process.memory
    space.locks_new = False
    space.mark(0, space.limit, LOCKED, False)
    return 0
