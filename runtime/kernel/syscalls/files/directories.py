"""System calls on names: directories, links, renaming, and the working directory."""

from __future__ import annotations

import errno
import os
import stat
import struct
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from runtime.kernel.base.errors import MemoryFault
from runtime.kernel.base.privileges import PROC_CHROOT, SYS_DEVICES
from runtime.kernel.process.opening import AT_FDCWD, credentials, files, resolve, view
from runtime.kernel.process.usermemory import order, word
from runtime.kernel.syscalls.lookup import (
    AT_EMPTY_PATH,
    AT_REMOVEDIR,
    AT_SYMLINK_FOLLOW,
    find,
    get_file,
    read_path,
    refuse_flags,
)
from runtime.kernel.vfs.fops import (
    exchange,
    fop_create,
    fop_link,
    fop_mkdir,
    fop_readdir,
    fop_readlink,
    fop_remove,
    fop_rename,
    fop_rmdir,
    fop_symlink,
)
from runtime.kernel.vfs.namespace import Found, confine
from runtime.kernel.vfs.vnode import EXECUTE, WRITE, Directory, DirectoryFile, Link, Name, Vnode, failure

if TYPE_CHECKING:
    from runtime.kernel.process.thread import Thread

RENAME_NOREPLACE, RENAME_EXCHANGE, RENAME_WHITEOUT = 1, 2, 4
RENAMES = (0, RENAME_NOREPLACE, RENAME_EXCHANGE, RENAME_WHITEOUT, RENAME_WHITEOUT | RENAME_NOREPLACE)


def _place(thread: Thread, dirfd: int, path: bytes) -> Found:
    """Return where a name is that comes, goes or moves: a link is not followed, even before a slash."""
    bare = path.rstrip(b"/") or path
    found = resolve(thread, dirfd, bare, follow=False)
    return found._replace(must_be_directory=found.must_be_directory or len(bare) < len(path))


def _vacant(thread: Thread, dirfd: int, path: int, *, directory: bool = False) -> Found:
    """Return the place for a new name.  Raises EEXIST, ENOENT."""
    found = _place(thread, dirfd, read_path(thread, path))
    if found.node is not None:
        raise failure(errno.EEXIST)
    if found.must_be_directory and not directory:
        raise failure(errno.ENOENT)
    return found


# -- making

def sys_mkdir(thread: Thread, path: int, mode: int) -> int:
    return sys_mkdirat(thread, AT_FDCWD, path, mode)


def sys_mkdirat(thread: Thread, dirfd: int, path: int, mode: int) -> int:
    found = _vacant(thread, dirfd, path, directory=True)
    fop_mkdir(thread, found.parent, found.name, mode & 0o1777 & ~view(thread).umask, credentials(thread))
    return 0


def sys_mknod(thread: Thread, path: int, mode: int, device: int) -> int:
    return sys_mknodat(thread, AT_FDCWD, path, mode, device)


def sys_mknodat(thread: Thread, dirfd: int, path: int, mode: int, device: int) -> int:
    kind = stat.S_IFMT(mode) or stat.S_IFREG
    if kind not in (stat.S_IFREG, stat.S_IFIFO, stat.S_IFSOCK, stat.S_IFCHR, stat.S_IFBLK):
        raise failure(errno.EPERM if kind == stat.S_IFDIR else errno.EINVAL)
    who = credentials(thread)
    found = _vacant(thread, dirfd, path)
    number = 0
    if kind in (stat.S_IFCHR, stat.S_IFBLK):
        found.parent.demand(who, WRITE | EXECUTE)
        thread.process.identity.demand(SYS_DEVICES)
        number = os.makedev(device >> 8 & 0xFFF, device & 0xFF | device >> 12 & 0xFFF00)
    fop_create(thread, found.parent, found.name, kind | mode & 0o7777 & ~view(thread).umask, who, number)
    return 0


def sys_symlink(thread: Thread, target: int, path: int) -> int:
    return sys_symlinkat(thread, target, AT_FDCWD, path)


def sys_symlinkat(thread: Thread, target: int, dirfd: int, path: int) -> int:
    text = read_path(thread, target)
    if not text:
        raise failure(errno.ENOENT)
    found = _vacant(thread, dirfd, path)
    fop_symlink(thread, found.parent, found.name, text, credentials(thread))
    return 0


def sys_link(thread: Thread, old: int, new: int) -> int:
    return sys_linkat(thread, AT_FDCWD, old, AT_FDCWD, new, 0)


def sys_linkat(thread: Thread, old_dirfd: int, old: int, new_dirfd: int, new: int, flags: int) -> int:
    refuse_flags(flags, AT_SYMLINK_FOLLOW | AT_EMPTY_PATH)
    if flags & AT_EMPTY_PATH:
        node = find(thread, old_dirfd, old, AT_EMPTY_PATH)
    else:
        path = read_path(thread, old)
        node = resolve(thread, old_dirfd, path, follow=bool(flags & AT_SYMLINK_FOLLOW)).existing
    found = _vacant(thread, new_dirfd, new)
    fop_link(thread, found.parent, node, found.name, credentials(thread))
    return 0


# -- removing and renaming

def sys_unlink(thread: Thread, path: int) -> int:
    return sys_unlinkat(thread, AT_FDCWD, path, 0)


def sys_rmdir(thread: Thread, path: int) -> int:
    return sys_unlinkat(thread, AT_FDCWD, path, AT_REMOVEDIR)


def sys_unlinkat(thread: Thread, dirfd: int, path: int, flags: int) -> int:
    if flags & ~AT_REMOVEDIR:
        raise failure(errno.EINVAL)
    text = read_path(thread, path)
    found = _place(thread, dirfd, text)
    node = found.existing
    if found.name and found.must_be_directory and not isinstance(node, Directory):
        raise failure(errno.ENOTDIR)
    if flags & AT_REMOVEDIR:
        if not found.name:
            last = text.rstrip(b"/").rsplit(b"/", 1)[-1]
            raise failure({b".": errno.EINVAL, b"..": errno.ENOTEMPTY}.get(last, errno.EBUSY))
        fop_rmdir(thread, found.parent, found.name, credentials(thread))
    else:
        if not found.name:
            raise failure(errno.EISDIR)
        fop_remove(thread, found.parent, found.name, credentials(thread))
    return 0


def sys_rename(thread: Thread, old: int, new: int) -> int:
    return sys_renameat2(thread, AT_FDCWD, old, AT_FDCWD, new, 0)


def sys_renameat(thread: Thread, old_dirfd: int, old: int, new_dirfd: int, new: int) -> int:
    return sys_renameat2(thread, old_dirfd, old, new_dirfd, new, 0)


def sys_renameat2(thread: Thread, old_dirfd: int, old: int, new_dirfd: int, new: int, flags: int) -> int:
    if flags not in RENAMES:
        raise failure(errno.EINVAL)
    source = _place(thread, old_dirfd, read_path(thread, old))
    target = _place(thread, new_dirfd, read_path(thread, new))
    if not source.name or not target.name:
        raise failure(errno.EEXIST if source.name and flags & RENAME_NOREPLACE else errno.EBUSY)
    if flags & RENAME_NOREPLACE and source.existing and target.node is not None:
        raise failure(errno.EEXIST)
    exchanges = flags == RENAME_EXCHANGE
    if exchanges and source.existing and target.node is None:
        raise failure(errno.ENOENT)
    for old_place, place in ((source, target), (target, source))[:1 + exchanges]:
        if not isinstance(old_place.existing, Directory) and (
                old_place.must_be_directory or (place.must_be_directory and not exchanges)):
            raise failure(errno.ENOTDIR)
    if exchanges:
        exchange(thread, source, target, credentials(thread))
        return 0
    fop_rename(thread, source, target, credentials(thread))
    if flags & RENAME_WHITEOUT and source.node is not target.node:
        source.parent.make(source.name, stat.S_IFCHR, credentials(thread))
    return 0


# -- reading

def sys_readlink(thread: Thread, path: int, buffer: int, size: int) -> int:
    return sys_readlinkat(thread, AT_FDCWD, path, buffer, size)


def sys_readlinkat(thread: Thread, dirfd: int, path: int, buffer: int, size: int) -> int:
    if size <= 0:
        raise failure(errno.EINVAL)
    text = read_path(thread, path)
    if text:
        node = resolve(thread, dirfd, text, follow=False).existing
    else:
        node = find(thread, dirfd, path, AT_EMPTY_PATH)
    if not isinstance(node, Link):
        raise failure(errno.EINVAL if text else errno.ENOENT)
    data = fop_readlink(thread, node)[:size]
    thread.write(buffer, data)
    return len(data)


def _record64(order: str, offset: int, entry: Name) -> bytes:
    """Return a struct linux_dirent64; `offset` is that of the next entry."""
    size = -(-(19 + len(entry.name) + 1) // 8) * 8
    head = struct.pack(f"{order}QqHB", entry.ino, offset, size, entry.kind >> 12)
    return (head + entry.name).ljust(size, b"\0")


def _record(width: int, offset: int, entry: Name) -> bytes:
    """Return a struct linux_dirent, whose last byte is the type; a long has `width` bytes."""
    size = -(-(2 * width + 2 + len(entry.name) + 2) // width) * width
    mask = (1 << 8 * width) - 1
    head = struct.pack("<QQH" if width == 8 else "<IIH", entry.ino & mask, offset, size)
    return (head + entry.name).ljust(size - 1, b"\0") + bytes([entry.kind >> 12])


def sys_getdents64(thread: Thread, fd: int, buffer: int, size: int) -> int:
    return _getdents(thread, fd, buffer, size, partial(_record64, order(thread)))


def sys_getdents(thread: Thread, fd: int, buffer: int, size: int) -> int:
    width = word(thread)
    return _getdents(thread, fd, buffer, size, lambda offset, entry: _record(width, offset, entry))


def _getdents(thread: Thread, fd: int, buffer: int, size: int, record: Callable[[int, Name], bytes]) -> int:
    file = get_file(thread, fd)
    if not isinstance(file, DirectoryFile):
        raise failure(errno.ENOTDIR)
    if file.vnode.attributes.nlink == 0:
        raise failure(errno.ENOENT)
    done = 0
    for offset, entry in fop_readdir(thread, file.vnode, file, size):
        piece = record(offset, entry)
        try:
            if done + len(piece) > size:
                raise failure(errno.EINVAL)
            thread.write(buffer + done, piece)
        except (OSError, MemoryFault):
            if not done:
                raise
            break
        done += len(piece)
        file.offset = offset
    return done


# -- the working directory

def sys_getcwd(thread: Thread, buffer: int, size: int) -> int:
    here = view(thread)
    if here.cwd.attributes.nlink == 0:
        raise failure(errno.ENOENT)
    path = here.cwd.path_from(here.root) + b"\0"
    if len(path) > size:
        raise failure(errno.ERANGE)
    thread.write(buffer, path)
    return len(path)


def _entered(thread: Thread, node: Vnode) -> Directory:
    if not isinstance(node, Directory):
        raise failure(errno.ENOTDIR)
    confine(view(thread), node)
    node.demand(credentials(thread), EXECUTE)
    return node


def sys_chdir(thread: Thread, path: int) -> int:
    view(thread).cwd = _entered(thread, find(thread, AT_FDCWD, path))
    return 0


def sys_fchdir(thread: Thread, fd: int) -> int:
    view(thread).cwd = _entered(thread, files(thread).get(fd).vnode)
    return 0


def sys_chroot(thread: Thread, path: int) -> int:
    folder = _entered(thread, find(thread, AT_FDCWD, path))
    thread.process.identity.demand(PROC_CHROOT)
    view(thread).root = folder
    return 0


def sys_umask(thread: Thread, mask: int) -> int:
    here = view(thread)
    old, here.umask = here.umask, mask & 0o777
    return old
