"""The plainest cases of system calls on files: see runtime.kernel.syscalls.swift.

They are those of files and directories on the disk that nothing watches, at paths that go through directories
which are remembered, and of bytes in the buffer cache.  The work is that of the usual file operations: what
is left out here is what probes see, what wakes, and what takes time of its own.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from runtime.kernel.base.words import signed
from runtime.kernel.cpu.x86.engine import R10
from runtime.kernel.memory.physical import PAGE, PAGE_MASK
from runtime.kernel.process.opening import AT_FDCWD
from runtime.kernel.process.prompt import INT, WRITING
from runtime.kernel.syscalls import layouts
from runtime.kernel.syscalls.lookup import AT_EMPTY_PATH, AT_NO_AUTOMOUNT, AT_SYMLINK_NOFOLLOW
from runtime.kernel.vfs.disk.overlay import OverlayDirectory, OverlayFile
from runtime.kernel.vfs.fops import ON_DISK, rights
from runtime.kernel.vfs.namespace import top
from runtime.kernel.vfs.vnode import O_LARGEFILE, WRITE, Directory, DirectoryFile, Link, RegularFile, Vnode

if TYPE_CHECKING:
    from runtime.kernel.base.identity import Credentials
    from runtime.kernel.memory.addrspace import AddressSpace
    from runtime.kernel.process.process import Process
    from runtime.kernel.process.prompt import Swift
    from runtime.kernel.process.thread import Thread

HERE, SLASH = AT_FDCWD & INT, ord("/")  # as a register has it; as a path begins
STAT = layouts.STAT_X86_64.size
RIGHTS = tuple(map(rights, range(os.O_ACCMODE + 1)))
OPENED_AS = (os.O_ACCMODE | os.O_CLOEXEC | O_LARGEFILE | os.O_NONBLOCK | os.O_NOCTTY | os.O_APPEND
             | os.O_DIRECTORY)
ON_DISK_FILES = RegularFile, DirectoryFile
KNOWN = AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT  # flags of newfstatat


def _look_up(process: Process, credentials: Credentials, directory: int, address: int,
             follow: bool) -> Vnode | None:
    """Return the node that a path leads to; None if more is to be done than to look up its last name.

    Raises ENOENT.
    """
    space, view = process.space, process.view
    assert space is not None and view is not None
    path = space.glance_string(address)
    if not path:
        return None
    if path[0] == SLASH:
        here = view.root
    elif directory == HERE:
        here = view.cwd
    else:
        return None
    known = here.walks.find((here, path, credentials)) if here.walks is not None else None
    if known is None or (view.top is not None and view.top is not here):
        return None
    last, name = known
    node = last.lookup(name)
    if isinstance(node, Directory):
        return top(node)
    if follow and isinstance(node, Link):
        return None
    node.where = known
    return node


def _tell(memory: AddressSpace, buffer: int, node: Vnode | None) -> int | None:
    """Store what stat(2) tells of a node on the disk."""
    if not isinstance(node, ON_DISK):
        return None
    place = memory.place(buffer, STAT, WRITING)
    if place is None:
        return None
    if isinstance(node, OverlayFile):
        told = node.told
        if told is None:
            told = node.told = layouts.stat_x86_64(node.getattr())
    else:
        told = layouts.stat_x86_64(node.getattr())
    memory.memory.bytes[place:place + STAT] = told
    return 0


def stat(thread: Thread, path: int, buffer: int, _third: int) -> int | None:
    process = thread.process
    return _tell(process.memory, buffer, _look_up(process, process.credentials, HERE, path, True))


def lstat(thread: Thread, path: int, buffer: int, _third: int) -> int | None:
    process = thread.process
    return _tell(process.memory, buffer, _look_up(process, process.credentials, HERE, path, False))


def newfstatat(thread: Thread, directory: int, path: int, buffer: int) -> int | None:
    """Of a path, or of a descriptor: the C library's fstat gives an empty path."""
    flags = thread.regs[R10] & INT
    if flags & ~KNOWN:
        return None
    process = thread.process
    memory = process.memory
    if flags & AT_EMPTY_PATH and memory.glance_string(path) == b"":
        return fstat(thread, directory, buffer, 0)
    return _tell(memory, buffer, _look_up(process, process.credentials, directory & INT, path,
                                          not flags & AT_SYMLINK_NOFOLLOW))


def fstat(thread: Thread, descriptor: int, buffer: int, _third: int) -> int | None:
    process = thread.process
    file = process.files.find(descriptor & INT)
    return None if file is None else _tell(process.memory, buffer, file.vnode)


def _opened(thread: Thread, directory: int, path: int, flags: int) -> int | None:
    """A file or directory that is there, and is not to be cut."""
    if flags & ~OPENED_AS:
        return None
    process = thread.process
    credentials = process.credentials
    node = _look_up(process, credentials, directory, path, True)
    if not isinstance(node, OverlayDirectory if flags & os.O_DIRECTORY else ON_DISK) or node.watched:
        return None
    wanted = RIGHTS[flags & os.O_ACCMODE]
    if not node.permits(credentials, wanted) or (
            wanted & WRITE and (isinstance(node, OverlayDirectory) or node.pages is not None)):
        return None
    table = process.file_table
    assert table is not None
    return table.add(node.open(flags | O_LARGEFILE, credentials), close_on_exec=flags & os.O_CLOEXEC != 0)


def open_path(thread: Thread, path: int, flags: int, _mode: int) -> int | None:
    return _opened(thread, HERE, path, flags & INT)


def openat(thread: Thread, directory: int, path: int, flags: int) -> int | None:
    return _opened(thread, directory & INT, path, flags & INT)


def close(thread: Thread, descriptor: int, _second: int, _third: int) -> int | None:
    """Of a file of the disk's that has no bytes to be written to it, of which nothing but its descriptors is
    to know that it is closed.
    """
    table = thread.process.file_table
    assert table is not None
    descriptor &= INT
    file = table.find(descriptor)
    if file is not None:
        node = file.vnode
        if isinstance(node, OverlayFile):
            if node.dirty:
                return None
        elif not isinstance(node, OverlayDirectory):
            return None
        if file.on_close or node.locks is not None or node.watched or not isinstance(file, ON_DISK_FILES):
            return None
    table.close(descriptor)
    return 0


def lseek(thread: Thread, descriptor: int, offset: int, whence: int) -> int | None:
    file = thread.process.files.find(descriptor & INT)
    if not isinstance(file, RegularFile) or not isinstance(file.vnode, OverlayFile):
        return None
    if whence & INT > os.SEEK_END:
        return None
    return file.seek(signed(offset, 64), whence & INT)


def read(thread: Thread, file: RegularFile, buffer: int, count: int) -> int | None:
    """Of bytes that are in the buffer cache, into pages that the program has."""
    process, node = thread.process, file.vnode
    if (not isinstance(node, OverlayFile) or not file.readable or node.pages is not None
            or not 0 < count <= PAGE or node.watched):
        return None
    if node.on_host and not thread.kernel.vfs.cache.holds(node, file.offset, count):
        return None
    memory = process.memory
    first = min(count, PAGE - (buffer & PAGE_MASK))
    place = memory.place(buffer, first, WRITING)
    rest = memory.place(buffer + first, count - first, WRITING) if first < count else 0
    if place is None or rest is None:
        return None
    data = file.read(count)
    memory.memory.bytes[place:place + min(first, len(data))] = data[:first]
    if len(data) > first:
        memory.memory.bytes[rest:rest + len(data) - first] = data[first:]
    process.traffic.read(len(data))
    return len(data)


SWIFT: Mapping[str, Swift] = {"stat": stat, "lstat": lstat, "newfstatat": newfstatat, "fstat": fstat,
                              "open": open_path, "openat": openat, "close": close, "lseek": lseek}
