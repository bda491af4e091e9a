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
from runtime.kernel.syscalls.lookup import AT_NO_AUTOMOUNT, AT_SYMLINK_NOFOLLOW
from runtime.kernel.vfs.disk.overlay import OverlayDirectory, OverlayFile
from runtime.kernel.vfs.fops import ON_DISK, rights
from runtime.kernel.vfs.namespace import glance
from runtime.kernel.vfs.vnode import O_LARGEFILE, DirectoryFile, File, RegularFile, Vnode

if TYPE_CHECKING:
    from runtime.kernel.memory.addrspace import AddressSpace
    from runtime.kernel.process.prompt import Swift
    from runtime.kernel.process.thread import Thread

HERE = AT_FDCWD & INT  # as a register has it
STAT = layouts.STAT_X86_64.size
OPENED_AS = (os.O_ACCMODE | os.O_CLOEXEC | O_LARGEFILE | os.O_NONBLOCK | os.O_NOCTTY | os.O_APPEND
             | os.O_DIRECTORY)
ON_DISK_FILES = RegularFile, DirectoryFile


def _look_up(thread: Thread, directory: int, address: int, follow: bool) -> Vnode | None:
    """Return the node on the disk that a path leads to; None if it is none, or if more is to be done."""
    process = thread.process
    path = process.memory.glance_string(address)
    if not path or (directory != HERE and not path.startswith(b"/")):
        return None
    node = glance(process.fs, path, process.credentials, follow)
    return node if isinstance(node, ON_DISK) else None


def _tell(memory: AddressSpace, buffer: int, node: Vnode) -> int | None:
    """Store what stat(2) tells of a node."""
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


def _status(thread: Thread, directory: int, path: int, buffer: int, follow: bool) -> int | None:
    node = _look_up(thread, directory, path, follow)
    return None if node is None else _tell(thread.process.memory, buffer, node)


def stat(thread: Thread, path: int, buffer: int, _third: int) -> int | None:
    return _status(thread, HERE, path, buffer, True)


def lstat(thread: Thread, path: int, buffer: int, _third: int) -> int | None:
    return _status(thread, HERE, path, buffer, False)


def newfstatat(thread: Thread, directory: int, path: int, buffer: int) -> int | None:
    """Of a path that is not empty."""
    flags = thread.regs[R10] & INT
    if flags & ~(AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT):
        return None
    return _status(thread, directory & INT, path, buffer, not flags & AT_SYMLINK_NOFOLLOW)


def fstat(thread: Thread, descriptor: int, buffer: int, _third: int) -> int | None:
    process = thread.process
    file = process.files.find(descriptor & INT)
    if file is None or not isinstance(file.vnode, ON_DISK):
        return None
    return _tell(process.memory, buffer, file.vnode)


def _is_watched(node: Vnode) -> bool:
    """Whether there are watchers of a node, or of the directory by which it was found."""
    if node.watches:
        return True
    above = node.parent if isinstance(node, OverlayDirectory) else node.where and node.where[0]
    return above is not None and bool(above.watches)


def _opened(thread: Thread, directory: int, path: int, flags: int) -> int | None:
    """A file or directory that is there, and is not to be cut."""
    if flags & ~OPENED_AS:
        return None
    node = _look_up(thread, directory, path, True)
    if (node is None or _is_watched(node)
            or (flags & os.O_DIRECTORY and not isinstance(node, OverlayDirectory))):
        return None
    process = thread.process
    credentials = process.credentials
    node.demand(credentials, rights(flags))
    return process.files.add(node.open(flags, credentials), close_on_exec=bool(flags & os.O_CLOEXEC))


def open_path(thread: Thread, path: int, flags: int, _mode: int) -> int | None:
    return _opened(thread, HERE, path, flags & INT)


def openat(thread: Thread, directory: int, path: int, flags: int) -> int | None:
    return _opened(thread, directory & INT, path, flags & INT)


def _is_plain(file: File) -> bool:
    """Whether a file is one of the disk's, and nothing but its descriptors is to know that it is closed."""
    return (isinstance(file, ON_DISK_FILES) and isinstance(file.vnode, ON_DISK) and file.vnode.locks is None
            and not file.on_close and not _is_watched(file.vnode)
            and not (isinstance(file.vnode, OverlayFile) and file.vnode.dirty))


def close(thread: Thread, descriptor: int, _second: int, _third: int) -> int | None:
    """Of a file that has no bytes to be written to the disk."""
    files = thread.process.files
    descriptor &= INT
    file = files.find(descriptor)
    if file is not None and not _is_plain(file):
        return None
    files.close(descriptor)
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
            or not 0 < count <= PAGE or _is_watched(node)):
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
