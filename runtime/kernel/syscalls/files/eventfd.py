"""System calls of eventfd, timerfd and signalfd, and those that open a pidfd and what it shows."""

from __future__ import annotations

import errno
import os
import struct
from collections.abc import Callable
from typing import TYPE_CHECKING

from runtime.kernel.base.clock import SECOND
from runtime.kernel.base.signals import UNBLOCKABLE
from runtime.kernel.process.usermemory import word
from runtime.kernel.syscalls.lookup import add, get_file
from runtime.kernel.vfs.eventfd import EFD_SEMAPHORE, EventFile, ProcessFile, SignalFile, TimerFile
from runtime.kernel.vfs.vnode import failure

if TYPE_CHECKING:
    from runtime.kernel.base.clock import Event
    from runtime.kernel.process.thread import Thread

_MONOTONIC_CLOCKS, _WALL_CLOCKS = (1, 7, 9), (0, 8)


def sys_eventfd(thread: Thread, count: int) -> int:
    return sys_eventfd2(thread, count, 0)


def sys_eventfd2(thread: Thread, count: int, flags: int) -> int:
    if flags & ~(EFD_SEMAPHORE | os.O_CLOEXEC | os.O_NONBLOCK):
        raise failure(errno.EINVAL)
    return add(thread, EventFile(count & 0xFFFFFFFF, flags), flags)


def sys_timerfd_create(thread: Thread, clock: int, flags: int) -> int:
    if flags & ~(os.O_CLOEXEC | os.O_NONBLOCK) or clock not in _MONOTONIC_CLOCKS + _WALL_CLOCKS:
        raise failure(errno.EINVAL)
    kernel = thread.kernel
    now = kernel.hrtime if clock in _MONOTONIC_CLOCKS else kernel.walltime

    def after(delay: int, function: Callable[[], None]) -> Event:
        return kernel.scheduler.at(kernel.hrtime() + delay, function)

    return add(thread, TimerFile(flags, now, after), flags)


def _timer(thread: Thread, fd: int) -> TimerFile:
    file = get_file(thread, fd)
    if not isinstance(file, TimerFile):
        raise failure(errno.EINVAL)
    return file


def _write_setting(thread: Thread, timer: TimerFile, address: int, form: str) -> None:
    left, interval = timer.get()
    thread.write(address, struct.pack(form, *divmod(interval, SECOND), *divmod(left, SECOND)))


def _form(thread: Thread) -> str:
    return "<4q" if word(thread) == 8 else "<4i"


def sys_timerfd_settime(thread: Thread, fd: int, flags: int, new: int, old: int) -> int:
    return _settime(thread, fd, flags, new, old, _form(thread))


def sys_timerfd_settime64(thread: Thread, fd: int, flags: int, new: int, old: int) -> int:
    return _settime(thread, fd, flags, new, old, "<4q")


def _settime(thread: Thread, fd: int, flags: int, new: int, old: int, form: str) -> int:
    seconds, nano, first_seconds, first_nano = struct.unpack(form, thread.read(new, struct.calcsize(form)))
    if flags & ~3 or min(seconds, first_seconds) < 0 or not (0 <= nano < SECOND > first_nano >= 0):
        raise failure(errno.EINVAL)
    timer = _timer(thread, fd)
    if old:
        _write_setting(thread, timer, old, form)
    timer.set(first_seconds * SECOND + first_nano, seconds * SECOND + nano, absolute=bool(flags & 1))
    return 0


def sys_timerfd_gettime(thread: Thread, fd: int, setting: int) -> int:
    _write_setting(thread, _timer(thread, fd), setting, _form(thread))
    return 0


def sys_timerfd_gettime64(thread: Thread, fd: int, setting: int) -> int:
    _write_setting(thread, _timer(thread, fd), setting, "<4q")
    return 0


def sys_signalfd(thread: Thread, fd: int, mask: int, size: int) -> int:
    return sys_signalfd4(thread, fd, mask, size, 0)


def sys_signalfd4(thread: Thread, fd: int, mask: int, size: int, flags: int) -> int:
    if flags & ~(os.O_CLOEXEC | os.O_NONBLOCK) or size != 8:
        raise failure(errno.EINVAL)
    wanted = int.from_bytes(thread.read(mask, 8), "little") & ~UNBLOCKABLE
    if fd == -1:
        return add(thread, SignalFile(flags, wanted, thread.kernel), flags)
    file = get_file(thread, fd)
    if not isinstance(file, SignalFile):
        raise failure(errno.EINVAL)
    file.mask = wanted
    return fd


def sys_pidfd_open(thread: Thread, pid: int, flags: int) -> int:
    if flags & ~os.O_NONBLOCK or pid <= 0:
        raise failure(errno.EINVAL)
    process = thread.process.find(pid)
    if process is None or process.pid not in thread.kernel.processes:
        raise failure(errno.ESRCH)
    return add(thread, ProcessFile(flags, process), os.O_CLOEXEC)


def sys_pidfd_getfd(thread: Thread, fd: int, wanted: int, flags: int) -> int:
    """Return a descriptor of the caller's own for the file that one of another process means."""
    if flags:
        raise failure(errno.EINVAL)
    file = get_file(thread, fd)
    if not isinstance(file, ProcessFile):
        raise failure(errno.EBADF)
    process = thread.kernel.processes.get(file.process.pid)
    if process is not file.process or process.file_table is None:
        raise failure(errno.ESRCH)
    if not thread.process.may_trace(process):
        raise failure(errno.EPERM)
    return add(thread, process.file_table.get(wanted), os.O_CLOEXEC)
