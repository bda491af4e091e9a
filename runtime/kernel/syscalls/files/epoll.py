"""System calls of epoll(7)."""

from __future__ import annotations

import errno
import os
import stat
import struct
from itertools import starmap
from typing import TYPE_CHECKING

from runtime.kernel.base.clock import MILLISECOND
from runtime.kernel.process.usermemory import read_timespec
from runtime.kernel.syscalls.files.poll import deadline_of, use_mask, wait_for_change
from runtime.kernel.syscalls.lookup import add, get_file
from runtime.kernel.vfs.epoll import EpollFile
from runtime.kernel.vfs.eventfd import AnonymousNode
from runtime.kernel.vfs.fops import kept
from runtime.kernel.vfs.vnode import POLLIN, failure

if TYPE_CHECKING:
    from runtime.kernel.process.thread import Thread

_PACKED, _ALIGNED = struct.Struct("<IQ"), struct.Struct("<I4xQ")  # x86 has it packed
_ADD, _DELETE, _MODIFY = 1, 2, 3
MAX_EVENTS = 1 << 20


def _event(thread: Thread) -> struct.Struct:
    """The layout of struct epoll_event."""
    return _ALIGNED if thread.process.processor.name == b"aarch64" else _PACKED


def sys_epoll_create(thread: Thread, size: int) -> int:
    if size <= 0:
        raise failure(errno.EINVAL)
    return sys_epoll_create1(thread, 0)


def sys_epoll_create1(thread: Thread, flags: int) -> int:
    if flags & ~os.O_CLOEXEC:
        raise failure(errno.EINVAL)
    return add(thread, EpollFile(AnonymousNode(b"[eventpoll]"), thread.kernel.heap), flags)


def _epoll(thread: Thread, descriptor: int) -> EpollFile:
    file = get_file(thread, descriptor)
    if not isinstance(file, EpollFile):
        raise failure(errno.EINVAL)
    return file


def sys_epoll_ctl(thread: Thread, epfd: int, operation: int, fd: int, event: int) -> int:
    shape = _event(thread)
    given = thread.read(event, shape.size) if operation != _DELETE else b""
    get_file(thread, epfd)
    file = get_file(thread, fd)
    if file.vnode.kind in (stat.S_IFREG, stat.S_IFDIR) or file.ready_always:
        raise failure(errno.EPERM)
    epoll = _epoll(thread, epfd)
    if operation == _DELETE:
        epoll.remove(fd, file)
        return 0
    events, data = shape.unpack(given)
    if operation == _ADD:
        epoll.add(fd, file, events, data)
    elif operation == _MODIFY:
        epoll.modify(fd, file, events, data)
    else:
        raise failure(errno.EINVAL)
    return 0


def sys_epoll_wait(thread: Thread, epfd: int, events: int, limit: int, timeout: int) -> int:
    return _wait(thread, epfd, events, limit, None if timeout < 0 else timeout * MILLISECOND)


def sys_epoll_pwait(thread: Thread, epfd: int, events: int, limit: int, timeout: int, mask: int,
                    mask_size: int) -> int:
    use_mask(thread, mask, mask_size)
    return sys_epoll_wait(thread, epfd, events, limit, timeout)


def sys_epoll_pwait2(thread: Thread, epfd: int, events: int, limit: int, timeout: int, mask: int,
                     mask_size: int) -> int:
    nanoseconds = read_timespec(thread, timeout, 64) if timeout else None
    use_mask(thread, mask, mask_size)
    return _wait(thread, epfd, events, limit, nanoseconds)


def _wait(thread: Thread, epfd: int, address: int, limit: int, timeout: int | None) -> int:
    epoll = _epoll(thread, epfd)
    if not 0 < limit <= MAX_EVENTS:
        raise failure(errno.EINVAL)
    deadline, found = deadline_of(thread, timeout), epoll.collect(limit)
    if not found and timeout != 0:
        with kept(epoll):
            while not found:
                interests = [(epoll, POLLIN), *epoll.host_interests()]
                if not wait_for_change(thread, interests, deadline, "never"):
                    break
                found = epoll.collect(limit)
    thread.write(address, b"".join(starmap(_event(thread).pack, found)))
    return len(found)
