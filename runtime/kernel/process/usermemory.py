"""Numbers, vectors and times in a program's memory, in its byte order and with its size of a long."""

from __future__ import annotations

import errno
import struct
from collections.abc import Sequence

from runtime.kernel.base.clock import SECOND
from runtime.kernel.base.errors import MemoryFault, SyscallError
from runtime.kernel.base.words import signed
from runtime.kernel.memory.physical import PAGE

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from runtime.kernel.process.thread import Thread
    from runtime.kernel.vfs.pipe import Pipe

IOV_MAX = 1024


def order(thread: Thread) -> str:
    """Return the byte order of the program, "<" or ">"."""
    return thread.process.processor.order


def word(thread: Thread) -> int:
    """Return the bytes of a long: 8, or 4 in a 32-bit program."""
    return 4 if thread.process.bits == 32 else 8


def _words(thread: Thread, count: int) -> struct.Struct:
    """Return the layout of `count` unsigned longs."""
    return struct.Struct(f"{order(thread)}{count}{'I' if word(thread) == 4 else 'Q'}")


def read_words(thread: Thread, address: int, count: int) -> tuple[int, ...]:
    """Return `count` unsigned longs.  Raises MemoryFault."""
    shape = _words(thread, count)
    return shape.unpack(thread.read(address, shape.size))


def read_structure(thread: Thread, address: int, size: int, least: int, known: int) -> bytes:
    """Return the `known` bytes of a structure that may grow, zeros where the program has fewer of them.

    Raises EINVAL for fewer than `least`, E2BIG for more than a page and for unknown ones that are not zero.
    """
    if size < least:
        raise SyscallError(errno.EINVAL)
    if size > PAGE:
        raise SyscallError(errno.E2BIG)
    data = thread.read(address, size)
    if any(data[known:]):
        raise SyscallError(errno.E2BIG)
    return data[:known].ljust(known, b"\0")


def read_int(thread: Thread, address: int) -> int:
    return int(struct.unpack(order(thread) + "i", thread.read(address, 4))[0])


def write_int(thread: Thread, address: int, value: int) -> None:
    thread.write(address, struct.pack(order(thread) + "I", value & 0xFFFFFFFF))


def read_iovec(thread: Thread, address: int, count: int) -> list[tuple[int, int]]:
    """Return the (address, length) pairs of a struct iovec[].  Raises EINVAL, MemoryFault."""
    if not 0 <= count <= IOV_MAX:
        raise SyscallError(errno.EINVAL)
    flat = read_words(thread, address, 2 * count)
    pairs = list(zip(flat[::2], flat[1::2], strict=True))
    limit = 1 << (8 * word(thread) - 1)
    if any(length >= limit for _, length in pairs) or sum(length for _, length in pairs) >= limit:
        raise SyscallError(errno.EINVAL)
    return pairs


def gather(thread: Thread, vector: Sequence[tuple[int, int]]) -> bytes:
    """Return the bytes that an iovec refers to.  Raises MemoryFault."""
    return b"".join(thread.read(address, length) for address, length in vector if length)


def gather_some(thread: Thread, vector: Sequence[tuple[int, int]]) -> bytes:
    """Return the bytes that an iovec refers to, up to the first that is not mapped.

    Raises MemoryFault when that is the very first one.
    """
    data = b""
    for address, length in vector:
        try:
            data += thread.read(address, length) if length else b""
        except MemoryFault:
            data += _before_fault(thread, address)
            if not data:
                raise
            break
    return data


def _before_fault(thread: Thread, address: int) -> bytes:
    pages = []
    try:
        while True:
            size = PAGE - address % PAGE
            pages.append(thread.read(address, size))
            address += size
    except MemoryFault:
        return b"".join(pages)


def scatter(thread: Thread, vector: Sequence[tuple[int, int]], data: bytes) -> None:
    """Store `data` in the places of an iovec, as far as it reaches.  Raises MemoryFault."""
    done = 0
    for address, length in vector:
        part = data[done:done + length]
        if part:
            thread.write(address, part)
        done += len(part)


def scatter_some(thread: Thread, vector: Sequence[tuple[int, int]], data: bytes) -> int:
    """The same, up to the first byte that has no place; returns how many bytes were stored."""
    done = 0
    for address, length in vector:
        end = min(done + length, len(data))
        while done < end:
            part = min(end - done, PAGE - address % PAGE)
            try:
                thread.write(address, data[done:done + part])
            except MemoryFault:
                return done
            done += part
            address += part
    return done


def read_timespec(thread: Thread, address: int, bits: int) -> int:
    """Return a struct timespec in ns; each of its members has `bits`.  Raises EINVAL, MemoryFault."""
    shape = struct.Struct(order(thread) + ("qq" if bits == 64 else "ii"))
    seconds, fraction = shape.unpack(thread.read(address, shape.size))
    if bits > thread.process.bits:  # the upper half is padding, which the program need not clear
        fraction = signed(fraction, 32)
    if seconds < 0 or not 0 <= fraction < SECOND:
        raise SyscallError(errno.EINVAL)
    return int(seconds * SECOND + fraction)


def from_pipe(thread: Thread, pipe: Pipe, buffer: int, count: int) -> int | None:
    """Read bytes that a pipe has into one page that the program has; returns how many, 0 at the pipe's end.

    Returns None where there are none yet, or where it takes more; nothing has been read then.
    """
    size = min(count, len(pipe.data))
    if size:
        space = thread.process.memory
        place = space.place(buffer, size, True)
        if place is None:
            return None
        space.memory.bytes[place:place + size] = pipe.take(size)
        if pipe.queue.sleepers:
            pipe.wake_writers(size)
    elif pipe.writers:
        return None
    thread.process.traffic.read(size)
    return size
