"""System calls on descriptors: dup, fcntl, flock, ioctl."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import struct

from runtime.kernel.process.opening import credentials, files
from runtime.kernel.process.usermemory import read_int
from runtime.kernel.syscalls.layouts import swap_open_flags
from runtime.kernel.syscalls.lookup import get_file
from runtime.kernel.vfs.disk.overlay import (
    F_SEAL_EXEC,
    F_SEAL_FUTURE_WRITE,
    F_SEAL_GROW,
    F_SEAL_SEAL,
    F_SEAL_SHRINK,
    F_SEAL_WRITE,
    OverlayFile,
)
from runtime.kernel.vfs.filetable import FileTable
from runtime.kernel.vfs.fops import fop_ioctl
from runtime.kernel.vfs.ioctls import FIOASYNC, FIOCLEX, FIONBIO, FIONCLEX, FIONREAD
from runtime.kernel.vfs.locks import END, Lock, Locks, LockTable
from runtime.kernel.vfs.pipe import PipeFile
from runtime.kernel.vfs.vnode import O_ASYNC, O_NOATIME, O_PATH, SETTABLE, WRITABLE, File, failure

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from runtime.kernel.process.thread import Thread

F_GETLK64, F_SETLK64, F_SETLKW64 = 12, 13, 14  # i386 only
F_OFD_GETLK, F_OFD_SETLK, F_OFD_SETLKW = 36, 37, 38
F_DUPFD_CLOEXEC, F_SETPIPE_SZ, F_GETPIPE_SZ, F_ADD_SEALS, F_GET_SEALS = 1030, 1031, 1032, 1033, 1034
SEALS = 0x3F
LARGE_PIPE, LARGEST_PIPE = 1 << 20, 1 << 31  # bytes: for a program without a privilege, and for any
LOCK_MAND = 32


# -- duplicating

def sys_dup(thread: Thread, fd: int) -> int:
    table = files(thread)
    return table.add(table.get(fd))


def sys_dup2(thread: Thread, old: int, new: int) -> int:
    table = files(thread)
    file = table.get(old)
    if old != new:
        table.put(new, file)
    return new


def sys_dup3(thread: Thread, old: int, new: int, flags: int) -> int:
    if old == new or flags & ~os.O_CLOEXEC:
        raise failure(errno.EINVAL)
    table = files(thread)
    table.put(new, table.get(old), close_on_exec=bool(flags))
    return new


# -- fcntl

def sys_fcntl(thread: Thread, fd: int, command: int, argument: int) -> int:
    table = files(thread)
    file = table.get(fd)
    if command in (fcntl.F_DUPFD, F_DUPFD_CLOEXEC):
        least = argument & 0xFFFFFFFF
        if least >= table.limit:
            raise failure(errno.EINVAL)
        return table.add(file, least=least, close_on_exec=command == F_DUPFD_CLOEXEC)
    if command == fcntl.F_GETFD:
        return int(table.closes_on_exec(fd))
    if command == fcntl.F_SETFD:
        table.mark(fd, bool(argument & 1))
        return 0
    if command == fcntl.F_GETFL:
        return file.flags
    if file.flags & O_PATH:
        raise failure(errno.EBADF)
    if command == fcntl.F_SETFL:
        return _set_flags(thread, file, fd, argument)
    handler = _COMMANDS.get(command) or _owner_commands().get(command)
    if handler is None:
        raise failure(errno.EINVAL)
    return handler(thread, file, command, argument)


sys_fcntl64 = sys_fcntl


def sys_arm64_fcntl(thread: Thread, fd: int, command: int, argument: int) -> int:
    if command == fcntl.F_SETFL:
        argument = swap_open_flags(argument)
    result = sys_fcntl(thread, fd, command, argument)
    return swap_open_flags(result) if command == fcntl.F_GETFL else result


def _set_flags(thread: Thread, file: File, descriptor: int, flags: int) -> int:
    if flags & ~file.flags & O_NOATIME and not credentials(thread).owns(file.vnode.attributes.uid):
        raise failure(errno.EPERM)
    if (flags ^ file.flags) & O_ASYNC:
        _set_async(thread, file, descriptor, bool(flags & O_ASYNC))
    settable = SETTABLE & ~O_ASYNC
    file.flags = file.flags & ~settable | flags & settable
    return 0


def _owner_commands() -> Mapping[int, Callable[[Thread, File, int, int], int]]:
    from runtime.kernel.syscalls.files import signaldriven  # few programs need it

    return signaldriven.COMMANDS


def _set_async(thread: Thread, file: File, descriptor: int, wanted: bool) -> bool:
    from runtime.kernel.syscalls.files import signaldriven

    return signaldriven.set_async(thread, file, descriptor, wanted)


def _pipe_size(thread: Thread, file: File, command: int, argument: int) -> int:
    if not isinstance(file, PipeFile):
        raise failure(errno.EBADF)
    if command == F_SETPIPE_SZ:
        if argument & 0xFFFFFFFF > LARGEST_PIPE:
            raise failure(errno.EINVAL)
        if argument > LARGE_PIPE:
            raise failure(errno.EPERM)
        size = 4096
        while size < argument:
            size *= 2
        if size < len(file.pipe.data):
            raise failure(errno.EBUSY)
        file.pipe.capacity = size
        file.pipe.queue.wake_all(WRITABLE)
    return file.pipe.capacity


def _seals(thread: Thread, file: File, command: int, argument: int) -> int:
    """Tell the seals of a file of memfd_create(2), or add some.  Raises EPERM, EINVAL, EBUSY."""
    if command == F_ADD_SEALS and not file.writable:
        raise failure(errno.EPERM)
    node = file.vnode
    held = node.seals if isinstance(node, OverlayFile) else None
    if not isinstance(node, OverlayFile) or held is None or (command == F_ADD_SEALS and argument & ~SEALS):
        raise failure(errno.EINVAL)
    if command == F_GET_SEALS:
        return held
    if held & F_SEAL_SEAL:
        raise failure(errno.EPERM)
    if argument & F_SEAL_WRITE and not held & F_SEAL_WRITE and _changed_by_mappings(thread, node):
        raise failure(errno.EBUSY)
    if argument & F_SEAL_EXEC and node.attributes.mode & 0o111:  # what is executed cannot be changed then
        argument |= F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_FUTURE_WRITE
    node.seals = held | argument
    return 0


def _changed_by_mappings(thread: Thread, node: OverlayFile) -> bool:
    """Whether a process has mapped a file so that it can store in it, or could get the right to."""
    spaces = [each.space for each in thread.kernel.processes.values() if each.space is not None]
    return node.pages is not None and any(
        area.pages is node.pages and area.shared and not area.read_only
        for space in spaces for area in space.areas)


# -- locks

def _locks(thread: Thread, file: File) -> Locks:
    if file.vnode.locks is None:
        file.vnode.locks = Locks(thread.kernel.heap)
    return file.vnode.locks


_FARTHEST_WAIT = 10  # processes in a row of which each waits for the next
_FLOCK_64 = struct.Struct("<hh4xqqi4x")
_FLOCK_I386 = struct.Struct("<hhiii")
_FLOCK64_I386 = struct.Struct("<hhqqi")


def _flock_form(thread: Thread, command: int) -> struct.Struct:
    if thread.process.bits == 64:
        return _FLOCK_64
    return _FLOCK64_I386 if command >= F_GETLK64 else _FLOCK_I386


def _record_lock(thread: Thread, file: File, command: int, argument: int) -> int:
    form = _flock_form(thread, command)
    kind, whence, start, length, pid = form.unpack(thread.read(argument, form.size))
    of_file = command >= F_OFD_GETLK
    base = {0: 0, 1: file.offset, 2: file.vnode.getattr().size}.get(whence)
    if base is None or kind not in (fcntl.F_RDLCK, fcntl.F_WRLCK, fcntl.F_UNLCK) or (of_file and pid):
        raise failure(errno.EINVAL)
    first, last = base + start, base + start + length
    if length < 0:
        first, last = last, first
    elif length == 0:
        last = END
    if first < 0:
        raise failure(errno.EINVAL)
    owner, pid = (file, -1) if of_file else (files(thread), thread.process.pid)
    wanted = Lock(owner, kind == fcntl.F_WRLCK, first, last, pid)
    table = _locks(thread, file).records
    if command in (fcntl.F_GETLK, F_GETLK64, F_OFD_GETLK):
        if kind == fcntl.F_UNLCK:
            raise failure(errno.EINVAL)
        return _tell_blocker(thread, table, wanted, form, argument)
    if kind == fcntl.F_UNLCK:
        table.clear(wanted.owner, first, last)
        return 0
    if not (file.writable if wanted.exclusive else file.readable):
        raise failure(errno.EBADF)
    _watch_close(file, of_file)
    waits = command in (fcntl.F_SETLKW, F_SETLKW64, F_OFD_SETLKW)
    return _acquire(thread, table, wanted, waits)


def _acquire(thread: Thread, table: LockTable, wanted: Lock, waits: bool) -> int:
    while not table.set(wanted):
        if not waits:
            raise failure(errno.EAGAIN)
        own = files(thread)
        if wanted.owner is own and _waits_for_itself(table, wanted):
            raise failure(errno.EDEADLK)
        own.wants_lock = table, wanted
        try:
            thread.sleep(table.queue)
        finally:
            own.wants_lock = None
    return 0


def _waits_for_itself(table: LockTable, wanted: Lock) -> bool:
    """Whether who holds what is wanted waits, maybe through others, for who wants it."""
    owner = wanted.owner
    for _ in range(_FARTHEST_WAIT):
        blocker = table.blocker(wanted)
        if blocker is None or not isinstance(blocker.owner, FileTable) or blocker.owner.wants_lock is None:
            return False
        table, wanted = blocker.owner.wants_lock
        if any(each.owner is owner for each in table.blockers(wanted)):
            return True
    return False


def _tell_blocker(thread: Thread, table: LockTable, wanted: Lock, form: struct.Struct, argument: int) -> int:
    blocker = table.blocker(wanted)
    if blocker is None:
        thread.write(argument, struct.pack("<h", fcntl.F_UNLCK))
        return 0
    kind = fcntl.F_WRLCK if blocker.exclusive else fcntl.F_RDLCK
    length = 0 if blocker.end == END else blocker.end - blocker.start
    thread.write(argument, form.pack(kind, 0, blocker.start, length, blocker.pid))
    return 0


def _release_locks(file: File) -> None:
    locks = file.vnode.locks
    if locks is not None:
        locks.records.clear(file)
        locks.whole.clear(file)


def _watch_close(file: File, of_file: bool) -> None:
    if of_file and _release_locks not in file.on_close:
        file.on_close += (_release_locks,)


def sys_flock(thread: Thread, fd: int, operation: int) -> int:
    action = operation & ~fcntl.LOCK_NB
    if action & LOCK_MAND:
        return 0  # mandatory locks are no more
    if action not in (fcntl.LOCK_SH, fcntl.LOCK_EX, fcntl.LOCK_UN):
        raise failure(errno.EINVAL)
    file = get_file(thread, fd)
    table = _locks(thread, file).whole
    if action == fcntl.LOCK_UN:
        table.clear(file)
        return 0
    _watch_close(file, True)
    wanted = Lock(file, action == fcntl.LOCK_EX, 0, END)
    if table.blocker(wanted) is not None:
        table.clear(file)  # a conversion releases the old lock first
    return _acquire(thread, table, wanted, not operation & fcntl.LOCK_NB)


_COMMANDS = {
    fcntl.F_GETLK: _record_lock, fcntl.F_SETLK: _record_lock, fcntl.F_SETLKW: _record_lock,
    F_GETLK64: _record_lock, F_SETLK64: _record_lock, F_SETLKW64: _record_lock,
    F_OFD_GETLK: _record_lock, F_OFD_SETLK: _record_lock, F_OFD_SETLKW: _record_lock,
    F_SETPIPE_SZ: _pipe_size, F_GETPIPE_SZ: _pipe_size, F_ADD_SEALS: _seals, F_GET_SEALS: _seals,
    fcntl.F_GETLEASE: lambda *_: fcntl.F_UNLCK,
}


# -- ioctl

def sys_ioctl(thread: Thread, fd: int, request: int, argument: int) -> int:
    table = files(thread)
    file = table.get(fd)
    if file.flags & O_PATH:
        raise failure(errno.EBADF)
    if request in (FIOCLEX, FIONCLEX):
        table.mark(fd, request == FIOCLEX)
        return 0
    if request == FIONBIO:
        file.flags = file.flags & ~os.O_NONBLOCK | (os.O_NONBLOCK if read_int(thread, argument) else 0)
        return 0
    if request == FIOASYNC:
        wanted = bool(read_int(thread, argument))
        if wanted != bool(file.flags & O_ASYNC) and not _set_async(thread, file, fd, wanted):
            raise failure(errno.ENOTTY)
        return 0
    if request == FIONREAD and file.vnode.kind == stat.S_IFREG:
        left = file.vnode.getattr().size - file.offset  # less than nothing behind the end
        thread.write(argument, (left & 0xFFFFFFFF).to_bytes(4, "little"))
        return 0
    return fop_ioctl(thread, file.vnode, request, argument, file)
