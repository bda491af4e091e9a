"""System calls that open and close files, and move bytes."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import struct
from collections.abc import Iterator

from runtime.kernel.base.words import signed
from runtime.kernel.process.opening import AT_FDCWD, OPENING, credentials, files, open_file, write_all
from runtime.kernel.process.usermemory import (
    from_pipe,
    gather,
    gather_some,
    read_iovec,
    read_structure,
    scatter_some,
)
from runtime.kernel.syscalls.layouts import USER_LIMIT, swap_open_flags
from runtime.kernel.syscalls.lookup import MAX_TRANSFER, add, find, get_file, read_path
from runtime.kernel.vfs.disk.overlay import F_SEAL_EXEC, F_SEAL_SEAL
from runtime.kernel.vfs.fops import (
    fop_fsync,
    fop_read,
    fop_seek,
    fop_space,
    kept,
    until_ready,
)
from runtime.kernel.vfs.namespace import BENEATH, IN_ROOT
from runtime.kernel.vfs.pipe import PipeFile
from runtime.kernel.vfs.uio import Uio
from runtime.kernel.vfs.vnode import O_LARGEFILE, O_PATH, O_TMPFILE, OPEN, WRITE, File, failure

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from runtime.kernel.process.thread import Thread
    from runtime.kernel.vfs.pipe import Pipe

PIECE = 1 << 16  # bytes that are moved at once from file to file
_STREAMS = stat.S_IFIFO, stat.S_IFSOCK, 0  # 0: what is no file of any kind
_HOW = 24  # bytes of a struct open_how
_RESOLVE_CACHED, _RESOLVE_KNOWN = 0x20, 0x3F  # RESOLVE_* of openat2: nothing is waited for, which nothing is
_SPLICE_KNOWN = 0xF  # SPLICE_F_*
_SPLICE_NONBLOCK = 2
MFD_ALLOW_SEALING, MFD_NOEXEC_SEAL, MFD_EXEC = 2, 8, 16
_MEMFD_NAME, _MEMFD_KNOWN = 250, 0x1F  # bytes of a name with its end, and MFD_*
_MEMORY = 1  # the device of files of memfd_create
_RWF_KNOWN = 0x1F  # RWF_HIPRI, DSYNC, SYNC, NOWAIT, APPEND of preadv2 and pwritev2
_RWF_NOWAIT = 0x8
_RWF = {0x2: os.O_DSYNC, 0x4: os.O_SYNC, 0x10: os.O_APPEND}  # what a file would be opened with for the same


# -- open and close

def sys_open(thread: Thread, path: int, flags: int, mode: int) -> int:
    return sys_openat(thread, AT_FDCWD, path, flags, mode)


def sys_creat(thread: Thread, path: int, mode: int) -> int:
    return sys_openat(thread, AT_FDCWD, path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, mode)


def sys_openat(thread: Thread, dirfd: int, path: int, flags: int, mode: int) -> int:
    return _opened(thread, dirfd, path, flags & 0xFFFFFFFF, mode & 0o7777, 0)


def _opened(thread: Thread, dirfd: int, path: int, flags: int, mode: int, limits: int) -> int:
    """Return the descriptor of a file, opened or created within `limits` (View)."""
    file = open_file(thread, dirfd, read_path(thread, path), flags, mode, limits=limits)
    if not flags & O_PATH:
        file.vnode.tell_all(OPEN)
    return add(thread, file, flags)


def sys_openat2(thread: Thread, dirfd: int, path: int, how: int, size: int) -> int:
    return _opened(thread, dirfd, path, *_how(thread, how, size))


def _how(thread: Thread, how: int, size: int) -> tuple[int, int, int]:
    """Return flags, mode and limits of a struct open_how."""
    flags, mode, limits = struct.unpack("<3Q", read_structure(thread, how, size, _HOW, _HOW))
    creates = flags & (os.O_CREAT | O_TMPFILE)
    if (limits & ~_RESOLVE_KNOWN or (limits & BENEATH and limits & IN_ROOT)
            or flags & ~(OPENING | O_PATH) or mode & ~(0o7777 if creates else 0)):
        raise failure(errno.EINVAL)
    if limits & _RESOLVE_CACHED and (creates or flags & os.O_TRUNC):
        raise failure(errno.EAGAIN)
    return flags, mode, limits & ~_RESOLVE_CACHED


def sys_close(thread: Thread, fd: int) -> int:
    files(thread).close(fd)
    return 0


def sys_arm64_openat(thread: Thread, dirfd: int, path: int, flags: int, mode: int) -> int:
    return sys_openat(thread, dirfd, path, swap_open_flags(flags), mode)


def sys_arm64_openat2(thread: Thread, dirfd: int, path: int, how: int, size: int) -> int:
    flags, mode, limits = _how(thread, how, size)
    return _opened(thread, dirfd, path, swap_open_flags(flags), mode, limits)


def sys_close_range(thread: Thread, first: int, last: int, flags: int) -> int:
    if first > last or flags & ~6:
        raise failure(errno.EINVAL)
    if flags & 2:  # CLOSE_RANGE_UNSHARE
        thread.process.file_table = files(thread).fork()
    table = files(thread)
    for number in list(table):
        if first <= number <= last:
            if flags & 4:
                table.mark(number, True)
            else:
                sys_close(thread, number)
    return 0


# -- read and write

def sys_read(thread: Thread, fd: int, buffer: int, count: int) -> int:
    file = files(thread).find(fd)
    if file is not None and file.source is not None:
        hooks = thread.kernel.hooks
        if not (hooks.function or hooks.sleep or hooks.off_cpu or hooks.wakeup or hooks.enqueue):
            size = _read_pipe(thread, file, file.source, buffer, count)
            if size is not None:
                return size
    return _read_vector(thread, fd, [(buffer, count)], vector=False)


def sys_write(thread: Thread, fd: int, buffer: int, count: int) -> int:
    return _write_vector(thread, fd, [(buffer, count)], vector=False)


def _read_pipe(thread: Thread, file: File, pipe: Pipe, buffer: int, count: int) -> int | None:
    """Do what `_read_vector` does of a pipe, where no probe can see how: into one page that the program has.

    Returns None where it takes more; nothing has been read then.
    """
    if not count or file.nonblocking or buffer + count > USER_LIMIT:
        return None
    if pipe.data or not pipe.writers:
        return from_pipe(thread, pipe, buffer, count)
    with kept(file):
        while not pipe.data and pipe.writers:
            thread.sleep(pipe.queue)
        return from_pipe(thread, pipe, buffer, count)


def _read_vector(thread: Thread, fd: int, pairs: list[tuple[int, int]], offset: int = -1, *,
                 vector: bool = True) -> int:
    file = _usable(thread, fd, writing=False)
    _demand_places(thread, pairs)
    size = min(sum([length for _, length in pairs]), MAX_TRANSFER)
    if not size and (vector or file.vnode.kind == stat.S_IFSOCK):
        return 0
    _demand_end(file, offset, size)
    data: bytes = fop_read(thread, file.vnode, file, Uio.of(file, size, offset, pairs))
    stored = scatter_some(thread, pairs, data)
    if stored < len(data):
        stored = stored if offset >= 0 else file.put_back(data, stored)
        if not stored:
            raise failure(errno.EFAULT)
    thread.process.traffic.read(stored)
    return stored


def _usable(thread: Thread, fd: int, *, writing: bool) -> File:
    """Return a file that can be read, or written.  Raises EBADF, EINVAL."""
    file = get_file(thread, fd)
    if not (file.writable if writing else file.readable):
        raise failure(errno.EBADF)
    if type(file).write is File.write if writing else type(file).read is File.read:
        raise failure(errno.EINVAL)
    return file


def _demand_end(file: File, offset: int, size: int) -> None:
    """Raise EINVAL for a transfer whose end has no number."""
    if (offset if offset >= 0 else file.offset) + size >= 1 << 63:
        raise failure(errno.EINVAL)


def _demand_places(thread: Thread, pairs: list[tuple[int, int]]) -> None:
    """Raise EFAULT where a place is none that a program can have, whatever is mapped there."""
    limit = max(USER_LIMIT, thread.process.memory.limit)
    for address, length in pairs:
        if address + length > limit:
            raise failure(errno.EFAULT)


def _write_vector(thread: Thread, fd: int, pairs: list[tuple[int, int]], offset: int = -1, *,
                  vector: bool = True, flags: int = 0) -> int:
    file = _usable(thread, fd, writing=True)
    _demand_places(thread, pairs)
    if vector and not sum(length for _, length in pairs):
        return 0
    if not vector:
        pairs = [(address, min(length, MAX_TRANSFER)) for address, length in pairs]
    _demand_end(file, offset, sum([length for _, length in pairs]))
    data = gather(thread, pairs) if file.vnode.kind != stat.S_IFREG else gather_some(thread, pairs)
    written = write_all(thread, file, data, offset, pairs, flags)
    thread.process.traffic.wrote(written)
    return written


def sys_readv(thread: Thread, fd: int, vector: int, count: int) -> int:
    _usable(thread, fd, writing=False)
    return _read_vector(thread, fd, read_iovec(thread, vector, count))


def sys_writev(thread: Thread, fd: int, vector: int, count: int) -> int:
    _usable(thread, fd, writing=True)
    return _write_vector(thread, fd, read_iovec(thread, vector, count))


def _demand_seekable(thread: Thread, fd: int) -> None:
    """Raise EBADF for no file, ESPIPE for a pipe, a socket, or what is no file of any kind, as epoll is."""
    if get_file(thread, fd).vnode.kind in _STREAMS:
        raise failure(errno.ESPIPE)


def _offset(value: int) -> int:
    if value < 0:
        raise failure(errno.EINVAL)
    return value


def sys_pread64(thread: Thread, fd: int, buffer: int, count: int, offset: int) -> int:
    at = _offset(offset)
    _demand_seekable(thread, fd)
    return _read_vector(thread, fd, [(buffer, count)], at, vector=False)


def sys_pwrite64(thread: Thread, fd: int, buffer: int, count: int, offset: int) -> int:
    at = _offset(offset)
    _demand_seekable(thread, fd)
    return _write_vector(thread, fd, [(buffer, count)], at, vector=False)


def _position(thread: Thread, low: int, high: int) -> int:
    """Return the offset of preadv and pwritev, which pass two longs; x86-64 uses only the first."""
    value = low | high << 32 if thread.process.bits == 32 else low
    return signed(value, 64)


def sys_preadv(thread: Thread, fd: int, vector: int, count: int, low: int, high: int) -> int:
    at = _offset(_position(thread, low, high))
    _demand_seekable(thread, fd)
    _usable(thread, fd, writing=False)
    return _read_vector(thread, fd, read_iovec(thread, vector, count), at)


def sys_pwritev(thread: Thread, fd: int, vector: int, count: int, low: int, high: int) -> int:
    at = _offset(_position(thread, low, high))
    _demand_seekable(thread, fd)
    _usable(thread, fd, writing=True)
    return _write_vector(thread, fd, read_iovec(thread, vector, count), at)


def _demand_known(thread: Thread, fd: int, vector: int, count: int, flags: int,
                  known: int = _RWF_KNOWN) -> None:
    """Raise EOPNOTSUPP for an unknown flag of preadv2 or pwritev2, where there is anything to move."""
    if not flags & ~known:
        return
    get_file(thread, fd)
    if any(length for _, length in read_iovec(thread, vector, count)):
        raise failure(errno.EOPNOTSUPP)


def sys_preadv2(thread: Thread, fd: int, vector: int, count: int, low: int, high: int, flags: int) -> int:
    _demand_known(thread, fd, vector, count, flags)
    with _impatient(get_file(thread, fd), bool(flags & _RWF_NOWAIT)):
        if _position(thread, low, high) == -1:
            return sys_readv(thread, fd, vector, count)
        return sys_preadv(thread, fd, vector, count, low, high)


@contextlib.contextmanager
def _impatient(file: File, wanted: bool) -> Iterator[None]:
    """Let a file's transfers not wait, if that is wanted: so no other thread sees its flag."""
    kept = file.flags
    if wanted:
        file.flags |= os.O_NONBLOCK
    try:
        yield
    finally:
        file.flags = kept


def sys_pwritev2(thread: Thread, fd: int, vector: int, count: int, low: int, high: int, flags: int) -> int:
    on_disk = bool(flags & _RWF_NOWAIT) and get_file(thread, fd).vnode.kind == stat.S_IFREG
    known = _RWF_KNOWN & ~(_RWF_NOWAIT * on_disk)  # as ext4 has it
    _demand_known(thread, fd, vector, count, flags, known)
    offset = _position(thread, low, high)
    if offset == -1:
        get_file(thread, fd)
    else:
        _demand_seekable(thread, fd)
        _offset(offset)
    kept = sum(flag for bit, flag in _RWF.items() if flags & bit)
    with _impatient(get_file(thread, fd), bool(flags & _RWF_NOWAIT)):
        return _write_vector(thread, fd, read_iovec(thread, vector, count), offset, flags=kept)


def sys_lseek(thread: Thread, fd: int, offset: int, whence: int) -> int:
    file = get_file(thread, fd)
    result: int = fop_seek(thread, file.vnode, offset, whence, file)
    return result


def sys__llseek(thread: Thread, fd: int, high: int, low: int, result: int, whence: int) -> int:
    file = get_file(thread, fd)
    offset = signed(high << 32 | low, 64)
    position: int = fop_seek(thread, file.vnode, offset, whence, file)
    thread.write(result, position.to_bytes(8, "little"))
    return 0


# -- length and disk

def sys_truncate(thread: Thread, path: int, size: int) -> int:
    if size < 0:
        raise failure(errno.EINVAL)
    vnode = find(thread, AT_FDCWD, path)
    if vnode.kind != stat.S_IFREG:
        raise failure(errno.EISDIR if vnode.kind == stat.S_IFDIR else errno.EINVAL)
    vnode.demand(credentials(thread), WRITE)
    fop_space(thread, vnode, size)
    return 0


def sys_ftruncate(thread: Thread, fd: int, size: int) -> int:
    if size < 0:
        raise failure(errno.EINVAL)
    file = get_file(thread, fd)
    if not file.writable:
        raise failure(errno.EINVAL)
    if file.vnode.kind != stat.S_IFREG:
        raise failure(errno.EINVAL)
    fop_space(thread, file.vnode, size)
    return 0


sys_truncate64 = sys_truncate
sys_ftruncate64 = sys_ftruncate


def sys_fadvise64(thread: Thread, fd: int, offset: int, length: int, advice: int) -> int:
    if get_file(thread, fd).vnode.kind == stat.S_IFIFO:
        raise failure(errno.ESPIPE)
    if length < 0 or length >> 63 or advice not in range(6):
        raise failure(errno.EINVAL)
    return 0


sys_fadvise64_64 = sys_fadvise64


def sys_readahead(thread: Thread, fd: int, offset: int, count: int) -> int:
    file = get_file(thread, fd)
    if not file.readable:
        raise failure(errno.EBADF)
    if file.vnode.kind not in (stat.S_IFREG, stat.S_IFBLK) or count >> 63:
        raise failure(errno.EINVAL)
    return 0


def sys_fsync(thread: Thread, fd: int) -> int:
    file = get_file(thread, fd)
    if file.vnode.kind in (*_STREAMS, stat.S_IFCHR):
        raise failure(errno.EINVAL)
    fop_fsync(thread, file.vnode)
    return 0


sys_fdatasync = sys_fsync


def sys_sync_file_range(thread: Thread, fd: int, offset: int, length: int, flags: int) -> int:
    file = get_file(thread, fd)
    if flags & ~7 or min(offset, length, offset + length) < 0 or offset + length >= 1 << 63:
        raise failure(errno.EINVAL)
    if file.vnode.kind not in (stat.S_IFREG, stat.S_IFBLK, stat.S_IFDIR, stat.S_IFLNK):
        raise failure(errno.ESPIPE)
    return sys_fsync(thread, fd)


def sys_syncfs(thread: Thread, fd: int) -> int:
    get_file(thread, fd)
    return sys_sync(thread)


def sys_sync(thread: Thread) -> int:
    for vnode in thread.kernel.vfs.dirty_nodes():
        fop_fsync(thread, vnode)
    return 0


# -- from file to file

def _copy(thread: Thread, source: File, target: File, count: int, at: int, to: int) -> int:
    """Move bytes from file to file; returns how many.  A negative offset means the file's own."""
    done = 0
    while done < count:
        where = at + done if at >= 0 else -1
        data = fop_read(thread, source.vnode, source, Uio.of(source, min(count - done, PIECE), where))
        if not data:
            break
        written = 0
        try:
            written = write_all(thread, target, data, to + done if to >= 0 else -1)
        except OSError as error:  # after EAGAIN or a signal, what was moved before counts
            if not done or error.errno not in (errno.EAGAIN, errno.EINTR):
                raise
        finally:
            if isinstance(source, PipeFile):
                source.unread(data[written:])
            elif at < 0 and source.seekable:
                source.offset -= len(data) - written
        done += written
        if written < len(data):
            break
        if not source.seekable:
            break
    return done


def _offset_at(thread: Thread, pointer: int, size: int = 8) -> int:
    return int.from_bytes(thread.read(pointer, size), "little", signed=True) if pointer else -1


def _advance(thread: Thread, pointer: int, start: int, done: int, size: int = 8) -> None:
    if pointer:
        thread.write(pointer, (start + done).to_bytes(size, "little", signed=True))


def sys_sendfile(thread: Thread, out_fd: int, in_fd: int, offset: int, count: int) -> int:
    return _sendfile(thread, out_fd, in_fd, offset, count, thread.process.bits // 8)


def sys_sendfile64(thread: Thread, out_fd: int, in_fd: int, offset: int, count: int) -> int:
    return _sendfile(thread, out_fd, in_fd, offset, count, 8)


def _sendfile(thread: Thread, out_fd: int, in_fd: int, pointer: int, count: int, size: int) -> int:
    target, source = get_file(thread, out_fd), get_file(thread, in_fd)
    if not source.readable or not target.writable:
        raise failure(errno.EBADF)
    if not source.seekable or source.vnode.kind == stat.S_IFDIR:
        raise failure(errno.ESPIPE if pointer and not source.seekable else errno.EINVAL)
    if count >> 63 or target.flags & os.O_APPEND:
        raise failure(errno.EINVAL)
    start = _offset_at(thread, pointer, size)
    if pointer and start < 0:
        raise failure(errno.EINVAL)
    done = _copy(thread, source, target, min(count, MAX_TRANSFER), start, -1)
    thread.process.traffic.read(done)
    thread.process.traffic.wrote(done)
    _advance(thread, pointer, start, done, size)
    return done


def sys_copy_file_range(thread: Thread, in_fd: int, in_offset: int, out_fd: int, out_offset: int, count: int,
                        flags: int) -> int:
    source, target = get_file(thread, in_fd), get_file(thread, out_fd)
    if flags:
        raise failure(errno.EINVAL)
    if stat.S_IFDIR in (source.vnode.kind, target.vnode.kind):
        raise failure(errno.EISDIR)
    if source.vnode.kind != stat.S_IFREG or target.vnode.kind != stat.S_IFREG:
        raise failure(errno.EINVAL)
    if not source.readable or not target.writable or target.flags & os.O_APPEND:
        raise failure(errno.EBADF)
    if source.vnode.attributes.dev != target.vnode.attributes.dev:
        raise failure(errno.EXDEV)
    start, to = _offset_at(thread, in_offset), _offset_at(thread, out_offset)
    if (in_offset and start < 0) or (out_offset and to < 0):
        raise failure(errno.EOVERFLOW if count else errno.EINVAL)
    if source.vnode is target.vnode:
        begin = start if in_offset else source.offset
        gap = begin - (to if out_offset else target.offset)
        count = min(count, max(source.vnode.size - begin, 0))
        if abs(gap) < count:
            raise failure(errno.EINVAL)  # the two ranges overlap
    done = _copy(thread, source, target, min(count, MAX_TRANSFER), start, to)
    thread.process.traffic.read(done)
    thread.process.traffic.wrote(done)
    _advance(thread, in_offset, start, done)
    _advance(thread, out_offset, to, done)
    return done


def sys_splice(thread: Thread, in_fd: int, in_offset: int, out_fd: int, out_offset: int, count: int,
               flags: int) -> int:
    if not count:
        return 0
    source, target = get_file(thread, in_fd), get_file(thread, out_fd)
    for file, pointer in ((source, in_offset), (target, out_offset)):
        if pointer:
            thread.read(pointer, 8)
            if file.vnode.kind == stat.S_IFIFO:
                raise failure(errno.ESPIPE)
    if not source.readable or not target.writable:
        raise failure(errno.EBADF)
    if stat.S_IFIFO not in (source.vnode.kind, target.vnode.kind):
        raise failure(errno.EINVAL)
    start, to = _offset_at(thread, in_offset), _offset_at(thread, out_offset)
    known = all(file.seekable for file, pointer in ((source, in_offset), (target, out_offset)) if pointer)
    if (in_offset and start < 0) or (out_offset and to < 0) or not known or target.flags & os.O_APPEND:
        raise failure(errno.EINVAL)
    hurried = bool(flags & _SPLICE_NONBLOCK)
    with (_impatient(source, hurried and source.vnode.kind == stat.S_IFIFO),
          _impatient(target, hurried and target.vnode.kind == stat.S_IFIFO)):
        done = _copy(thread, source, target, min(count, PIECE), start, to)
    _advance(thread, in_offset, start, done)
    _advance(thread, out_offset, to, done)
    return done


def sys_tee(thread: Thread, in_fd: int, out_fd: int, count: int, flags: int) -> int:
    if flags & ~_SPLICE_KNOWN:
        raise failure(errno.EINVAL)
    if not count:
        return 0
    source, target = get_file(thread, in_fd), get_file(thread, out_fd)
    if not source.readable or not target.writable:
        raise failure(errno.EBADF)
    if not isinstance(source, PipeFile) or not isinstance(target, PipeFile) or source.pipe is target.pipe:
        raise failure(errno.EINVAL)
    size, hurried = min(count, PIECE), bool(flags & _SPLICE_NONBLOCK)
    with _impatient(source, hurried), _impatient(target, hurried):
        data = until_ready(thread, source, lambda: source.peek(size))
        return write_all(thread, target, data) if data else 0


def sys_vmsplice(thread: Thread, fd: int, vector: int, count: int, flags: int) -> int:
    if flags & ~_SPLICE_KNOWN:
        raise failure(errno.EINVAL)
    file, count = get_file(thread, fd), count & 0xFFFFFFFF
    if not sum(length for _, length in read_iovec(thread, vector, count)):
        return 0
    if file.vnode.kind != stat.S_IFIFO:
        raise failure(errno.EBADF)
    call = sys_writev if file.writable else sys_readv
    with _impatient(file, bool(flags & _SPLICE_NONBLOCK)):
        return call(thread, fd, vector, count)


def sys_memfd_create(thread: Thread, name: int, flags: int) -> int:
    label = thread.read_string(name, _MEMFD_NAME)
    both = MFD_NOEXEC_SEAL | MFD_EXEC
    if len(label) >= _MEMFD_NAME or flags & ~_MEMFD_KNOWN or flags & both == both:
        raise failure(errno.EINVAL)
    node = thread.kernel.vfs.unnamed(stat.S_IFREG | 0o777, credentials(thread), b"/memfd:" + label)
    node.attributes.dev = _MEMORY
    node.seals = 0 if flags & (MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL) else F_SEAL_SEAL
    if flags & MFD_NOEXEC_SEAL:
        node.attributes.mode &= ~0o111
        node.seals = F_SEAL_EXEC
    file = node.open(os.O_RDWR | O_LARGEFILE, credentials(thread))
    return add(thread, file, os.O_CLOEXEC if flags & 1 else 0)
