"""What the handlers of file system calls share: arguments in user memory, and the process's names."""

from __future__ import annotations

import errno
import os
import struct
from typing import Any

from runtime.kernel.base.identity import Credentials
from runtime.kernel.base.kernelfunctions import kfunction
from runtime.kernel.vfs.filetable import FileTable
from runtime.kernel.vfs.fops import lookuppnvp
from runtime.kernel.vfs.namespace import PATH_MAX, Found, View
from runtime.kernel.vfs.vnode import Directory, File, Vnode, failure

AT_FDCWD = -100
AT_SYMLINK_NOFOLLOW, AT_REMOVEDIR, AT_SYMLINK_FOLLOW, AT_EMPTY_PATH = 0x100, 0x200, 0x400, 0x1000
AT_EACCESS = 0x200
IOV_MAX = 1024
MAX_TRANSFER = 0x7FFFF000  # the most that one read or write moves


def files(thread: Any) -> FileTable:
    table: FileTable = thread.process.files
    return table


def view(thread: Any) -> View:
    seen: View = thread.process.fs
    return seen


def credentials(thread: Any) -> Credentials:
    """The ids as file operations check them."""
    who: Credentials = thread.process.credentials
    return who


def order(thread: Any) -> str:
    """The byte order of the program, as `struct` writes it."""
    letter: str = thread.process.processor.order
    return letter


def word(thread: Any) -> int:
    """Bytes of a long: 8, or 4 for an i386 program."""
    return 4 if thread.process.bits == 32 else 8


def _words(thread: Any, count: int) -> struct.Struct:
    """`count` unsigned longs of the program's size."""
    return struct.Struct(f"{order(thread)}{count}{'I' if word(thread) == 4 else 'Q'}")


def read_path(thread: Any, address: int) -> bytes:
    """A path argument.  Raises ENAMETOOLONG, MemoryFault."""
    path: bytes = thread.read_string(address, PATH_MAX)
    if len(path) >= PATH_MAX:
        raise failure(errno.ENAMETOOLONG)
    return path


def start_of(thread: Any, descriptor: int, path: bytes) -> Directory:
    """The directory a relative path starts at.  Raises EBADF, ENOTDIR."""
    if descriptor == AT_FDCWD or path.startswith(b"/"):
        return view(thread).cwd
    vnode = files(thread).get(descriptor).vnode
    if not isinstance(vnode, Directory):
        raise failure(errno.ENOTDIR)
    return vnode


def resolve(thread: Any, descriptor: int, path: bytes, *, follow: bool = True) -> Found:
    """Where a path argument leads.  Raises OSError."""
    start = start_of(thread, descriptor, path)
    found: Found = lookuppnvp(thread, start, path, view(thread), credentials(thread), follow)
    return found


def find(thread: Any, descriptor: int, address: int, flags: int = 0) -> Vnode:
    """The existing node that a (directory, path, AT_* flags) triple names."""
    path = read_path(thread, address)
    if not path and flags & AT_EMPTY_PATH:
        if descriptor == AT_FDCWD:
            return view(thread).cwd
        return files(thread).get(descriptor).vnode
    return resolve(thread, descriptor, path, follow=not flags & AT_SYMLINK_NOFOLLOW).existing


@kfunction("getf")
def get_file(thread: Any, descriptor: int) -> File:
    return files(thread).get(descriptor)


def signed(value: int, bits: int) -> int:
    """The lowest bits of a value as a signed number."""
    return (value & (1 << bits) - 1 ^ 1 << bits - 1) - (1 << bits - 1)


def read_words(thread: Any, address: int, count: int) -> tuple[int, ...]:
    """`count` unsigned longs of the program's size."""
    shape = _words(thread, count)
    return shape.unpack(thread.read(address, shape.size))


def read_int(thread: Any, address: int) -> int:
    value: int = struct.unpack(order(thread) + "i", thread.read(address, 4))[0]
    return value


def write_int(thread: Any, address: int, value: int) -> None:
    thread.write(address, struct.pack(order(thread) + "I", value & 0xFFFFFFFF))


def read_iovec(thread: Any, address: int, count: int) -> list[tuple[int, int]]:
    """(address, length) pairs.  Raises EINVAL."""
    if not 0 <= count <= IOV_MAX:
        raise failure(errno.EINVAL)
    flat = read_words(thread, address, 2 * count)
    pairs = list(zip(flat[::2], flat[1::2], strict=True))
    limit = 1 << (8 * word(thread) - 1)
    if any(length >= limit for _, length in pairs) or sum(length for _, length in pairs) >= limit:
        raise failure(errno.EINVAL)
    return pairs


def gather(thread: Any, vector: list[tuple[int, int]]) -> bytes:
    """The bytes an iovec refers to."""
    return b"".join(thread.read(address, length) for address, length in vector if length)


def scatter(thread: Any, vector: list[tuple[int, int]], data: bytes) -> None:
    """Store `data` over an iovec."""
    done = 0
    for address, length in vector:
        part = data[done:done + length]
        if not part:
            return
        thread.write(address, part)
        done += len(part)


def read_timespec(thread: Any, address: int, bits: int) -> int:
    """A struct timespec in ns; `bits` of its members.  Raises EINVAL."""
    shape = struct.Struct(order(thread) + ("qq" if bits == 64 else "ii"))
    seconds, fraction = shape.unpack(thread.read(address, shape.size))
    if bits > thread.process.bits:  # the rest is padding, with whatever is in it
        fraction = signed(fraction, 32)
    if seconds < 0 or not 0 <= fraction < 1_000_000_000:
        raise failure(errno.EINVAL)
    result: int = seconds * 1_000_000_000 + fraction
    return result


def read_timeval(thread: Any, address: int) -> int:
    """A struct timeval in ns.  Raises EINVAL."""
    wide = word(thread) == 8
    seconds, fraction = struct.unpack("<qq" if wide else "<ii", thread.read(address, 16 if wide else 8))
    if seconds < 0 or not 0 <= fraction < 1_000_000:
        raise failure(errno.EINVAL)
    result: int = seconds * 1_000_000_000 + fraction * 1000
    return result


def add(thread: Any, file: File, flags: int = 0) -> int:
    """Give a file the lowest free descriptor, marked if `flags` has O_CLOEXEC."""
    return files(thread).add(file, close_on_exec=bool(flags & os.O_CLOEXEC))
