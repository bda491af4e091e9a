"""Files as a thread names them: looked up by path from a directory, opened, made, and written to."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Sequence

from runtime.kernel.base.identity import Credentials
from runtime.kernel.base.kernelfunctions import kfunction
from runtime.kernel.base.signals import SIGPIPE, SignalInfo
from runtime.kernel.vfs.filetable import FileTable
from runtime.kernel.vfs.fops import fop_create, fop_open, fop_write, lookuppnvp
from runtime.kernel.vfs.namespace import IN_ROOT, Found, View
from runtime.kernel.vfs.uio import UIO_SYSSPACE, Uio, file_flags
from runtime.kernel.vfs.vnode import (
    O_ASYNC,
    O_DIRECT,
    O_LARGEFILE,
    O_NOATIME,
    O_PATH,
    O_TMPFILE,
    Directory,
    File,
    Link,
    Vnode,
    failure,
)

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from runtime.kernel.process.thread import Thread

AT_FDCWD = -100  # in place of a descriptor: the working directory
OPENING = (os.O_ACCMODE | os.O_CREAT | os.O_EXCL | os.O_NOCTTY | os.O_TRUNC | os.O_APPEND | os.O_NONBLOCK
           | os.O_SYNC | O_ASYNC | O_DIRECT | O_LARGEFILE | os.O_DIRECTORY | os.O_NOFOLLOW | O_NOATIME
           | os.O_CLOEXEC | O_TMPFILE)  # the flags that there are, besides O_PATH


def files(thread: Thread) -> FileTable:
    """Return the descriptors of the thread's process."""
    return thread.process.files


def view(thread: Thread) -> View:
    """Return what the thread's process sees of the file system."""
    return thread.process.fs


def credentials(thread: Thread) -> Credentials:
    """Return the ids that file operations check."""
    return thread.process.credentials


def start_of(thread: Thread, descriptor: int, path: bytes) -> Directory:
    """Return the directory that a path starts from, if it is relative.  Raises EBADF, ENOTDIR."""
    if descriptor == AT_FDCWD or path.startswith(b"/"):
        return view(thread).cwd
    vnode = files(thread).get(descriptor).vnode
    if not isinstance(vnode, Directory):
        raise failure(errno.ENOTDIR)
    return vnode


def resolve(thread: Thread, descriptor: int, path: bytes, *, follow: bool = True, limits: int = 0) -> Found:
    """Resolve a path from the directory that `descriptor` means, within `limits` (View).  Raises OSError."""
    if not path:
        raise failure(errno.ENOENT)
    start = start_of(thread, descriptor, path.lstrip(b"/") if limits & IN_ROOT else path)
    seen = view(thread).limited(start, limits) if limits else view(thread)
    return lookuppnvp(thread, start, path, seen, credentials(thread), follow)


@kfunction("vn_openat",
           tell=lambda _thread, _dirfd, path, flags, mode, **_limits: (
               path, UIO_SYSSPACE, file_flags(flags), mode))
def open_file(thread: Thread, dirfd: int, path: bytes, flags: int, mode: int, *, limits: int = 0) -> File:
    """Open or create a file, which is found within `limits` (View).  Raises OSError."""
    if flags & O_PATH:
        flags &= O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    else:
        flags = flags & OPENING | (O_LARGEFILE if thread.process.bits == 64 else 0)
    exclusive = flags & os.O_CREAT and flags & os.O_EXCL
    if flags & os.O_CREAT and path.endswith(b"/") and path.rstrip(b"/"):
        resolve(thread, dirfd, path.rstrip(b"/"), follow=False, limits=limits)
        raise failure(errno.EISDIR)
    if flags & O_TMPFILE and (not flags & os.O_DIRECTORY or flags & os.O_ACCMODE == os.O_RDONLY):
        raise failure(errno.EINVAL)
    found = resolve(thread, dirfd, path, follow=not (flags & os.O_NOFOLLOW or exclusive), limits=limits)
    if flags & O_TMPFILE:
        return _unnamed_file(thread, found, flags, mode)
    node = found.node
    if node is None:
        if not flags & os.O_CREAT:
            raise failure(errno.ENOENT)
        return _created(thread, found, flags, mode)
    if exclusive:
        raise failure(errno.EEXIST)
    if flags & os.O_DIRECTORY and not isinstance(node, Directory):
        raise failure(errno.ENOTDIR)
    if isinstance(node, Link) and not flags & O_PATH:
        raise failure(errno.ELOOP)
    return fop_open(thread, node, flags, credentials(thread))


def _created(thread: Thread, found: Found, flags: int, mode: int) -> File:
    if found.must_be_directory:
        raise failure(errno.EISDIR)
    who = credentials(thread)
    node: Vnode = fop_create(thread, found.parent, found.name, stat.S_IFREG | mode & ~view(thread).umask, who)
    return node.open(flags & ~os.O_TRUNC, who)


def _unnamed_file(thread: Thread, found: Found, flags: int, mode: int) -> File:
    directory = found.existing
    if not isinstance(directory, Directory):
        raise failure(errno.ENOTDIR)
    node = thread.kernel.vfs.unnamed(stat.S_IFREG | mode & ~view(thread).umask, credentials(thread))
    node.attributes.dev, node.linkable = directory.attributes.dev, not flags & os.O_EXCL
    return node.open(flags, credentials(thread))


def write_all(thread: Thread, file: File, data: bytes, offset: int = -1,
              pairs: Sequence[tuple[int, int]] = (), flags: int = 0) -> int:
    """Write, and post SIGPIPE as write(2) does; returns how many bytes were written.

    `pairs` are the (address, length) that `data` was read from, `flags` those of O_* that this write has
    besides the file's.  Raises OSError.
    """
    try:
        uio = Uio.of(file, len(data), offset, pairs, flags)
        written: int = fop_write(thread, file.vnode, file, uio, data)
    except OSError as error:
        if error.errno == errno.EPIPE and file.is_stream:
            thread.post(SignalInfo(SIGPIPE, pid=thread.pid, uid=thread.uid), thread)
        raise
    return written
