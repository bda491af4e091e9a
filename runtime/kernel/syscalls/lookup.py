"""Arguments of system calls that name files: paths in user memory, and descriptors."""

from __future__ import annotations

import errno
import os

from runtime.kernel.base.kernelfunctions import kfunction
from runtime.kernel.process.opening import AT_FDCWD, files, resolve, view
from runtime.kernel.vfs.namespace import PATH_MAX
from runtime.kernel.vfs.vnode import O_PATH, File, Vnode, failure

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from runtime.kernel.process.thread import Thread

AT_SYMLINK_NOFOLLOW, AT_REMOVEDIR, AT_SYMLINK_FOLLOW, AT_EMPTY_PATH = 0x100, 0x200, 0x400, 0x1000
AT_EACCESS, AT_NO_AUTOMOUNT, AT_STATX_SYNC = 0x200, 0x800, 0x6000
MAX_TRANSFER = 1 << 26  # bytes that one read or write moves at most


def read_path(thread: Thread, address: int) -> bytes:
    """Return a path argument.  Raises ENAMETOOLONG, MemoryFault."""
    path: bytes = thread.read_string(address, PATH_MAX)
    if len(path) >= PATH_MAX:
        raise failure(errno.ENAMETOOLONG)
    return path


def find(thread: Thread, descriptor: int, address: int, flags: int = 0) -> Vnode:
    """Return the node that a directory, a path and AT_* flags name.  Raises OSError, MemoryFault."""
    path = read_path(thread, address)
    if not path and flags & AT_EMPTY_PATH:
        if descriptor == AT_FDCWD:
            return view(thread).cwd
        return files(thread).get(descriptor).vnode
    return resolve(thread, descriptor, path, follow=not flags & AT_SYMLINK_NOFOLLOW).existing


@kfunction("getf")
def get_file(thread: Thread, descriptor: int) -> File:
    """Return an open file.  Raises EBADF, also for a mere handle on a node (O_PATH)."""
    file = files(thread).get(descriptor)
    if file.flags & O_PATH:
        raise failure(errno.EBADF)
    return file


def refuse_flags(given: int, known: int) -> None:
    """Raise EINVAL when a call was given flags that it does not know."""
    if given & ~known:
        raise failure(errno.EINVAL)


def add(thread: Thread, file: File, flags: int = 0) -> int:
    """Give a file the lowest free descriptor, with its mark if `flags` has O_CLOEXEC.  Raises EMFILE."""
    return files(thread).add(file, close_on_exec=bool(flags & os.O_CLOEXEC))
