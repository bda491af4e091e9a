"""System calls of inotify(7)."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

from runtime.kernel.process.opening import AT_FDCWD, credentials, resolve
from runtime.kernel.syscalls.lookup import add, get_file, read_path
from runtime.kernel.vfs.vnode import READ, Directory, failure

if TYPE_CHECKING:
    from runtime.kernel.process.thread import Thread
    from runtime.kernel.vfs.inotify import InotifyFile

ONLY_DIRECTORY, DONT_FOLLOW, MASK_CREATE, MASK_ADD = 0x01000000, 0x02000000, 0x10000000, 0x20000000


def sys_inotify_init(thread: Thread) -> int:
    return sys_inotify_init1(thread, 0)


def sys_inotify_init1(thread: Thread, flags: int) -> int:
    from runtime.kernel.vfs.inotify import InotifyFile

    if flags & ~(os.O_CLOEXEC | os.O_NONBLOCK):
        raise failure(errno.EINVAL)
    return add(thread, InotifyFile(flags, thread.kernel.heap), flags)


def _inotify(thread: Thread, descriptor: int) -> InotifyFile:
    from runtime.kernel.vfs.inotify import InotifyFile

    file = get_file(thread, descriptor)
    if not isinstance(file, InotifyFile):
        raise failure(errno.EINVAL)
    return file


def sys_inotify_add_watch(thread: Thread, fd: int, path: int, mask: int) -> int:
    from runtime.kernel.vfs.inotify import ALL_EVENTS, EXCLUDE_UNLINKED, ONE_SHOT

    if not mask & ALL_EVENTS or (mask & MASK_ADD and mask & MASK_CREATE):
        raise failure(errno.EINVAL)
    inotify = _inotify(thread, fd)
    node = resolve(thread, AT_FDCWD, read_path(thread, path), follow=not mask & DONT_FOLLOW).existing
    if mask & ONLY_DIRECTORY and not isinstance(node, Directory):
        raise failure(errno.ENOTDIR)
    node.demand(credentials(thread), READ)
    return inotify.watch(node, mask & (ALL_EVENTS | EXCLUDE_UNLINKED | ONE_SHOT),
                         add=bool(mask & MASK_ADD), create=bool(mask & MASK_CREATE))


def sys_inotify_rm_watch(thread: Thread, fd: int, number: int) -> int:
    _inotify(thread, fd).remove(number)
    return 0
