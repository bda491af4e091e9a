"""The system calls of SPARC programs on files and memory, as far as they pass flags or structures.

Sources: <asm/stat.h>, <asm/fcntl.h>, <asm/resource.h>.
"""

from __future__ import annotations

import errno
import fcntl
import struct
from typing import TYPE_CHECKING

from runtime.kernel.base.clock import SECOND
from runtime.kernel.base.errors import SyscallError
from runtime.kernel.cpu.sparc.numbers import OPEN_FLAGS, OPEN_MODES, from_flags, to_flags
from runtime.kernel.cpu.sparc.registers import O1
from runtime.kernel.process.opening import AT_FDCWD
from runtime.kernel.process.process import RLIMIT_NOFILE, RLIMIT_NPROC
from runtime.kernel.syscalls.files import descriptors, pipe, transfers
from runtime.kernel.syscalls.files.attributes import descriptor_attributes, path_attributes
from runtime.kernel.syscalls.layouts import encode_device
from runtime.kernel.syscalls.lookup import AT_SYMLINK_NOFOLLOW
from runtime.kernel.syscalls.process import identity, mapping

if TYPE_CHECKING:
    from runtime.kernel.process.thread import Thread
    from runtime.kernel.vfs.vnode import Attributes

MAP_KIND = 3
STAT64 = {64: struct.Struct(">3Q3I4xQ3q6q24x"), 32: struct.Struct(">QQ4IQ8xqI8xI6I8x")}
NO_COMMAND = 1 << 16
COMMANDS = {5: fcntl.F_GETOWN, 6: fcntl.F_SETOWN, 7: NO_COMMAND, 8: NO_COMMAND, 9: NO_COMMAND}  # no locks
RESOURCES = {6: RLIMIT_NOFILE, 7: RLIMIT_NPROC}


def _open_flags(theirs: int) -> int:
    return theirs & OPEN_MODES | to_flags(theirs, OPEN_FLAGS)


def sys_sparc_open(thread: Thread, path: int, flags: int, mode: int) -> int:
    return transfers.sys_open(thread, path, _open_flags(flags), mode)


def sys_sparc_openat(thread: Thread, descriptor: int, path: int, flags: int, mode: int) -> int:
    return transfers.sys_openat(thread, descriptor, path, _open_flags(flags), mode)


def sys_sparc_pipe(thread: Thread, _result: int) -> int:
    """Return the first descriptor, and the second in %o1."""
    first, second = pipe.make(thread, 0)
    thread.regs.write(O1, second)
    return first


def sys_sparc_pipe2(thread: Thread, result: int, flags: int) -> int:
    return pipe.sys_pipe2(thread, result, to_flags(flags, OPEN_FLAGS))


def sys_sparc_mmap(thread: Thread, address: int, size: int, prot: int, flags: int, descriptor: int,
                   offset: int) -> int:
    page = thread.process.processor.page
    if page > 4096 and flags & MAP_KIND != mapping.MAP_PRIVATE:
        raise SyscallError(errno.ENODEV)  # the halves of a shared page cannot be moved to be neighbours
    if address & page - 1 or offset & page - 1:
        raise SyscallError(errno.EINVAL)
    return mapping.sys_mmap(thread, address, size + page - 1 & -page, prot, flags, descriptor, offset)


def sys_sparc_fcntl(thread: Thread, descriptor: int, command: int, argument: int) -> int:
    """Carry out fcntl(2), but for locks, which SPARC programs have none of."""
    command = COMMANDS.get(command, command)
    if command == fcntl.F_SETFL:
        argument = to_flags(argument, OPEN_FLAGS)
    result = descriptors.sys_fcntl(thread, descriptor, command, argument)
    return result & OPEN_MODES | from_flags(result, OPEN_FLAGS) if command == fcntl.F_GETFL else result


def _write_stat(thread: Thread, buffer: int, attributes: Attributes) -> int:
    """Write a struct stat64; returns 0."""
    a, bits = attributes, thread.process.bits
    links = (a.nlink, a.mode) if bits == 64 else (a.mode, a.nlink)
    times = [part for time in (a.atime, a.mtime, a.ctime) for part in divmod(time, SECOND)]
    thread.write(buffer, STAT64[bits].pack(encode_device(a.dev), a.ino, *links, a.uid, a.gid,
                                           encode_device(a.rdev), a.size, a.blksize, a.blocks, *times))
    return 0


def sys_sparc_stat64(thread: Thread, path: int, buffer: int) -> int:
    return _write_stat(thread, buffer, path_attributes(thread, AT_FDCWD, path))


def sys_sparc_lstat64(thread: Thread, path: int, buffer: int) -> int:
    return _write_stat(thread, buffer, path_attributes(thread, AT_FDCWD, path, AT_SYMLINK_NOFOLLOW))


def sys_sparc_fstat64(thread: Thread, descriptor: int, buffer: int) -> int:
    return _write_stat(thread, buffer, descriptor_attributes(thread, descriptor))


def sys_sparc_fstatat64(thread: Thread, folder: int, path: int, buffer: int, flags: int) -> int:
    return _write_stat(thread, buffer, path_attributes(thread, folder, path, flags))


def sys_sparc_prlimit64(thread: Thread, pid: int, resource: int, new: int, old: int) -> int:
    return identity.sys_prlimit64(thread, pid, RESOURCES.get(resource, resource), new, old)
