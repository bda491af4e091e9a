"""Opening files, and moving bytes through descriptors."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Sequence
from typing import Any

from runtime.kernel.base.kernelfunctions import kfunction
from runtime.kernel.base.signals import SIGPIPE, SIGXFSZ, SignalInfo
from runtime.kernel.syscalls.user import (
    AT_FDCWD,
    MAX_TRANSFER,
    add,
    credentials,
    files,
    find,
    gather,
    get_file,
    read_iovec,
    read_path,
    resolve,
    scatter,
    signed,
    view,
)
from runtime.kernel.vfs.fops import (
    fop_close,
    fop_create,
    fop_fsync,
    fop_open,
    fop_read,
    fop_seek,
    fop_space,
    fop_write,
    until_ready,
)
from runtime.kernel.vfs.namespace import Found
from runtime.kernel.vfs.uio import UIO_SYSSPACE, Uio, file_flags
from runtime.kernel.vfs.vnode import O_PATH, O_TMPFILE, OPEN, Directory, File, Link, Vnode, failure

_RESOLVE_KNOWN = 0x3F  # RESOLVE_* of openat2


# -- open and close

def sys_open(thread: Any, path: int, flags: int, mode: int) -> int:
    return sys_openat(thread, AT_FDCWD, path, flags, mode)


def sys_creat(thread: Any, path: int, mode: int) -> int:
    return sys_openat(thread, AT_FDCWD, path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, mode)


def sys_openat(thread: Any, dirfd: int, path: int, flags: int, mode: int) -> int:
    flags &= 0xFFFFFFFF
    file = open_file(thread, dirfd, read_path(thread, path), flags, mode & 0o7777)
    if not flags & O_PATH:
        file.vnode.tell_all(OPEN)
    return add(thread, file, flags)


def sys_openat2(thread: Any, dirfd: int, path: int, how: int, size: int) -> int:
    if size < 24:
        raise failure(errno.EINVAL)
    raw = thread.read(how, 24)
    flags, mode, restrict = (int.from_bytes(raw[at:at + 8], "little") for at in (0, 8, 16))
    if restrict & ~_RESOLVE_KNOWN:
        raise failure(errno.EINVAL)
    return sys_openat(thread, dirfd, path, flags, mode)


@kfunction("vn_openat",
           tell=lambda _thread, _dirfd, path, flags, mode: (path, UIO_SYSSPACE, file_flags(flags), mode))
def open_file(thread: Any, dirfd: int, path: bytes, flags: int, mode: int) -> File:
    """Open or create a file.  Raises OSError."""
    if flags & O_PATH:
        flags &= O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    exclusive = flags & os.O_CREAT and flags & os.O_EXCL
    found = resolve(thread, dirfd, path, follow=not (flags & os.O_NOFOLLOW or exclusive))
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
    file: File = fop_open(thread, node, flags, credentials(thread))
    return file


def _created(thread: Any, found: Found, flags: int, mode: int) -> File:
    if found.must_be_directory:
        raise failure(errno.EISDIR)
    who = credentials(thread)
    node: Vnode = fop_create(thread, found.parent, found.name, stat.S_IFREG | mode & ~view(thread).umask, who)
    return node.open(flags & ~os.O_TRUNC, who)


def _unnamed_file(thread: Any, found: Found, flags: int, mode: int) -> File:
    directory = found.existing
    if not isinstance(directory, Directory):
        raise failure(errno.ENOTDIR)
    if flags & os.O_ACCMODE == os.O_RDONLY:
        raise failure(errno.EINVAL)
    node = thread.kernel.vfs.unnamed(stat.S_IFREG | mode & ~view(thread).umask, credentials(thread))
    file: File = node.open(flags & ~(O_TMPFILE | os.O_DIRECTORY), credentials(thread))
    return file


def sys_close(thread: Any, fd: int) -> int:
    table = files(thread)
    fop_close(thread, table.get(fd).vnode, table, fd)
    return 0


def sys_close_range(thread: Any, first: int, last: int, flags: int) -> int:
    if first > last or flags & ~6:
        raise failure(errno.EINVAL)
    if flags & 2:  # CLOSE_RANGE_UNSHARE
        thread.process.files = files(thread).fork()
    table = files(thread)
    for number in list(table):
        if first <= number <= last:
            if flags & 4:
                table.mark(number, True)
            else:
                sys_close(thread, number)
    return 0


# -- read and write

def sys_read(thread: Any, fd: int, buffer: int, count: int) -> int:
    return _read_vector(thread, fd, [(buffer, count)])


def sys_write(thread: Any, fd: int, buffer: int, count: int) -> int:
    return _write_vector(thread, fd, [(buffer, min(count, MAX_TRANSFER))])


def _read_vector(thread: Any, fd: int, pairs: list[tuple[int, int]], offset: int = -1) -> int:
    file = get_file(thread, fd)
    size = min(sum(length for _, length in pairs), MAX_TRANSFER)
    data: bytes = fop_read(thread, file.vnode, file, Uio.of(file, size, offset, pairs))
    scatter(thread, pairs, data)
    return len(data)


def _write_vector(thread: Any, fd: int, pairs: list[tuple[int, int]], offset: int = -1) -> int:
    file = get_file(thread, fd)
    return write_all(thread, file, gather(thread, pairs), offset, pairs)


def write_all(thread: Any, file: File, data: bytes, offset: int = -1,
              pairs: Sequence[tuple[int, int]] = ()) -> int:
    """Write, and send SIGPIPE or SIGXFSZ where write(2) does.  `pairs` are where `data` comes from."""
    try:
        uio = Uio.of(file, len(data), offset, pairs)
        written: int = fop_write(thread, file.vnode, file, uio, data)
    except OSError as error:
        signal = {errno.EPIPE: SIGPIPE, errno.EFBIG: SIGXFSZ}.get(error.errno or 0)
        if signal is not None:
            thread.post(SignalInfo(signal, pid=thread.pid, uid=thread.uid), thread)
        raise
    return written


def sys_readv(thread: Any, fd: int, vector: int, count: int) -> int:
    get_file(thread, fd)
    return _read_vector(thread, fd, read_iovec(thread, vector, count))


def sys_writev(thread: Any, fd: int, vector: int, count: int) -> int:
    get_file(thread, fd)
    return _write_vector(thread, fd, read_iovec(thread, vector, count))


def _offset(value: int) -> int:
    if value < 0:
        raise failure(errno.EINVAL)
    return value


def sys_pread64(thread: Any, fd: int, buffer: int, count: int, offset: int) -> int:
    get_file(thread, fd)
    return _read_vector(thread, fd, [(buffer, count)], _offset(offset))


def sys_pwrite64(thread: Any, fd: int, buffer: int, count: int, offset: int) -> int:
    get_file(thread, fd)
    return _write_vector(thread, fd, [(buffer, min(count, MAX_TRANSFER))], _offset(offset))


def _position(thread: Any, low: int, high: int) -> int:
    """The offset of preadv and pwritev: two longs of which x86-64 uses the first."""
    value = low | high << 32 if thread.process.bits == 32 else low
    return signed(value, 64)


def sys_preadv(thread: Any, fd: int, vector: int, count: int, low: int, high: int) -> int:
    get_file(thread, fd)
    return _read_vector(thread, fd, read_iovec(thread, vector, count), _offset(_position(thread, low, high)))


def sys_pwritev(thread: Any, fd: int, vector: int, count: int, low: int, high: int) -> int:
    get_file(thread, fd)
    return _write_vector(thread, fd, read_iovec(thread, vector, count), _offset(_position(thread, low, high)))


def sys_preadv2(thread: Any, fd: int, vector: int, count: int, low: int, high: int, flags: int) -> int:
    if _position(thread, low, high) == -1:
        return sys_readv(thread, fd, vector, count)
    return sys_preadv(thread, fd, vector, count, low, high)


def sys_pwritev2(thread: Any, fd: int, vector: int, count: int, low: int, high: int, flags: int) -> int:
    if _position(thread, low, high) == -1:
        return sys_writev(thread, fd, vector, count)
    return sys_pwritev(thread, fd, vector, count, low, high)


def sys_lseek(thread: Any, fd: int, offset: int, whence: int) -> int:
    file = get_file(thread, fd)
    result: int = fop_seek(thread, file.vnode, offset, whence, file)
    if thread.process.bits == 32 and result >= 1 << 31:
        raise failure(errno.EOVERFLOW)
    return result


def sys__llseek(thread: Any, fd: int, high: int, low: int, result: int, whence: int) -> int:
    file = get_file(thread, fd)
    offset = signed(high << 32 | low, 64)
    position: int = fop_seek(thread, file.vnode, offset, whence, file)
    thread.write(result, position.to_bytes(8, "little"))
    return 0


# -- length and disk

def sys_truncate(thread: Any, path: int, size: int) -> int:
    vnode = find(thread, AT_FDCWD, path)
    vnode.demand(credentials(thread), 2)
    fop_space(thread, vnode, size)
    return 0


def sys_ftruncate(thread: Any, fd: int, size: int) -> int:
    file = get_file(thread, fd)
    if not file.writable or size < 0:
        raise failure(errno.EINVAL)
    if file.vnode.kind == stat.S_IFREG:
        fop_space(thread, file.vnode, size)
    else:
        file.truncate(size)
    return 0


sys_truncate64 = sys_truncate
sys_ftruncate64 = sys_ftruncate


def sys_fallocate(thread: Any, fd: int, mode: int, offset: int, length: int) -> int:
    file = get_file(thread, fd)
    if offset < 0 or length <= 0:
        raise failure(errno.EINVAL)
    if not file.writable:
        raise failure(errno.EBADF)
    if file.vnode.kind != stat.S_IFREG:
        raise failure(errno.ESPIPE if file.vnode.kind == stat.S_IFIFO else errno.ENODEV)
    size = file.vnode.getattr().size
    if mode & 2:  # FALLOC_FL_PUNCH_HOLE
        end = min(offset + length, size)
        if end > offset:
            file.pwrite(offset, bytes(end - offset))
    elif mode & ~1:
        raise failure(errno.EOPNOTSUPP)
    elif not mode & 1 and offset + length > size:
        fop_space(thread, file.vnode, offset + length)
    return 0


def sys_fadvise64(thread: Any, fd: int, offset: int, length: int, advice: int) -> int:
    if get_file(thread, fd).vnode.kind == stat.S_IFIFO:
        raise failure(errno.ESPIPE)
    return 0


sys_fadvise64_64 = sys_fadvise64


def sys_readahead(thread: Any, fd: int, offset: int, count: int) -> int:
    if not get_file(thread, fd).readable:
        raise failure(errno.EBADF)
    return 0


def sys_fsync(thread: Any, fd: int) -> int:
    file = get_file(thread, fd)
    if file.vnode.kind in (stat.S_IFIFO, stat.S_IFSOCK):
        raise failure(errno.EINVAL)
    fop_fsync(thread, file.vnode)
    return 0


sys_fdatasync = sys_fsync


def sys_sync_file_range(thread: Any, fd: int, offset: int, length: int, flags: int) -> int:
    return sys_fsync(thread, fd)


def sys_syncfs(thread: Any, fd: int) -> int:
    get_file(thread, fd)
    return sys_sync(thread)


def sys_sync(thread: Any) -> int:
    for vnode in thread.kernel.vfs.dirty_nodes():
        fop_fsync(thread, vnode)
    return 0


# -- from file to file

def _copy(thread: Any, source: File, target: File, count: int, at: int, to: int) -> int:
    """Move bytes from file to file; negative offsets mean where the file stands."""
    done = 0
    while done < count:
        where = at + done if at >= 0 else -1
        data = fop_read(thread, source.vnode, source, Uio.of(source, min(count - done, 1 << 16), where))
        if not data:
            break
        written = write_all(thread, target, data, to + done if to >= 0 else -1)
        done += written
        if written < len(data):
            if at < 0 and source.seekable:
                source.offset -= len(data) - written
            break
        if not source.seekable:
            break
    return done


def _offset_at(thread: Any, pointer: int, size: int = 8) -> int:
    return int.from_bytes(thread.read(pointer, size), "little", signed=True) if pointer else -1


def _advance(thread: Any, pointer: int, start: int, done: int, size: int = 8) -> None:
    if pointer:
        thread.write(pointer, (start + done).to_bytes(size, "little", signed=True))


def sys_sendfile(thread: Any, out_fd: int, in_fd: int, offset: int, count: int) -> int:
    return _sendfile(thread, out_fd, in_fd, offset, count, thread.process.bits // 8)


def sys_sendfile64(thread: Any, out_fd: int, in_fd: int, offset: int, count: int) -> int:
    return _sendfile(thread, out_fd, in_fd, offset, count, 8)


def _sendfile(thread: Any, out_fd: int, in_fd: int, pointer: int, count: int, size: int) -> int:
    target, source = get_file(thread, out_fd), get_file(thread, in_fd)
    if not source.readable or not target.writable:
        raise failure(errno.EBADF)
    if not source.seekable:
        raise failure(errno.EINVAL)
    start = _offset_at(thread, pointer, size)
    done = _copy(thread, source, target, min(count, MAX_TRANSFER), start, -1)
    _advance(thread, pointer, start, done, size)
    return done


def sys_copy_file_range(thread: Any, in_fd: int, in_offset: int, out_fd: int, out_offset: int, count: int,
                        flags: int) -> int:
    source, target = get_file(thread, in_fd), get_file(thread, out_fd)
    if flags:
        raise failure(errno.EINVAL)
    if not source.readable or not target.writable or target.flags & os.O_APPEND:
        raise failure(errno.EBADF)
    if stat.S_IFDIR in (source.vnode.kind, target.vnode.kind):
        raise failure(errno.EISDIR)
    if source.vnode.kind != stat.S_IFREG or target.vnode.kind != stat.S_IFREG:
        raise failure(errno.EINVAL)
    start, to = _offset_at(thread, in_offset), _offset_at(thread, out_offset)
    done = _copy(thread, source, target, min(count, MAX_TRANSFER), start, to)
    _advance(thread, in_offset, start, done)
    _advance(thread, out_offset, to, done)
    return done


def sys_splice(thread: Any, in_fd: int, in_offset: int, out_fd: int, out_offset: int, count: int,
               flags: int) -> int:
    source, target = get_file(thread, in_fd), get_file(thread, out_fd)
    if stat.S_IFIFO not in (source.vnode.kind, target.vnode.kind):
        raise failure(errno.EINVAL)
    start, to = _offset_at(thread, in_offset), _offset_at(thread, out_offset)
    done = _copy(thread, source, target, min(count, 1 << 16), start, to)
    _advance(thread, in_offset, start, done)
    _advance(thread, out_offset, to, done)
    return done


def sys_tee(thread: Any, in_fd: int, out_fd: int, count: int, flags: int) -> int:
    from runtime.kernel.vfs.pipe import PipeFile

    source, target = get_file(thread, in_fd), get_file(thread, out_fd)
    if not isinstance(source, PipeFile) or not isinstance(target, PipeFile) or source.pipe is target.pipe:
        raise failure(errno.EINVAL)
    size = min(count, 1 << 16)
    data = until_ready(thread, source, lambda: source.peek(size))
    return write_all(thread, target, data) if data else 0


def sys_vmsplice(thread: Any, fd: int, vector: int, count: int, flags: int) -> int:
    if get_file(thread, fd).vnode.kind != stat.S_IFIFO:
        raise failure(errno.EBADF)
    return sys_writev(thread, fd, vector, count)


def sys_memfd_create(thread: Any, name: int, flags: int) -> int:
    label = thread.read_string(name, 250)
    node = thread.kernel.vfs.unnamed(stat.S_IFREG | 0o777, credentials(thread), b"/memfd:" + label)
    return add(thread, node.open(os.O_RDWR, credentials(thread)), os.O_CLOEXEC if flags & 1 else 0)
