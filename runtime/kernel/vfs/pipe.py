"""Pipes with and without a name: a bounded buffer between open files."""

from __future__ import annotations

import errno
import os

from dif.limits import MASK
from runtime.kernel.base.budgets import Allowance, Budget
from runtime.kernel.base.identity import Credentials
from runtime.kernel.base.wait import NOTHING_TOLD, WaitQueue
from runtime.kernel.vfs.ioctls import FIONREAD
from runtime.kernel.vfs.vnode import POLLERR, POLLHUP, READABLE, WRITABLE, Attributes, File, Vnode, failure

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from runtime.kernel.base.caller import Caller

CAPACITY = 65536
PIPE_BUF = 4096  # a write of at most this many bytes goes in as a whole


class Pipe:
    """The buffer, which takes from an allowance, and how many open files can read and write it."""

    def __init__(self, heap: Allowance | None = None) -> None:
        self._heap = heap or Budget(MASK)
        self.data = bytearray()
        self.capacity = CAPACITY
        self.readers = 0
        self.writers = 0
        self.reader_opens = 0  # how often each end has been opened: opening a named pipe waits for the other
        self.writer_opens = 0
        self.queue = WaitQueue("pipe")

    def read(self, size: int) -> bytes:
        """Return up to `size` bytes; b"" when it is empty and has no writer.  Raises BlockingIOError."""
        if not size:
            return b""
        if not self.data:
            if not self.writers:
                return b""
            raise failure(errno.EAGAIN)
        taken = bytes(self.take(min(size, len(self.data))))
        if self.queue.sleepers:
            self.wake_writers(len(taken))
        return taken

    def wake_writers(self, size: int) -> None:
        """Wake those that wait for room, after `size` bytes have been taken."""
        room = self.capacity - len(self.data)
        self.queue.wake_all(WRITABLE if room - size < PIPE_BUF <= room else NOTHING_TOLD)

    def take(self, size: int) -> bytearray:
        """Return `size` of the bytes, and wake none that wait for room."""
        data = self.data
        taken = data[:size]
        del data[:size]
        self._heap.give(size)
        return taken

    def put_back(self, data: bytes) -> None:
        """Store bytes again that were just taken, as the first ones."""
        self._heap.take(len(data))
        self.data[:0] = data

    def put(self, data: bytes | memoryview) -> None:
        """Store bytes for which there is room, and wake none that wait for them.  Raises ENOMEM."""
        self._heap.take(len(data))
        self.data += data

    def write(self, data: bytes) -> int:
        """Store as much as fits, and return how much.  Raises BlockingIOError, BrokenPipeError, ENOMEM."""
        if not self.readers:
            raise failure(errno.EPIPE)
        if not data:
            return 0
        room = self.capacity - len(self.data)
        if room <= 0 or (len(data) <= PIPE_BUF and room < len(data)):
            raise failure(errno.EAGAIN)
        self.put(data[:room])
        if self.queue.sleepers:
            self.queue.wake_all(READABLE)
        return min(room, len(data))

    def __del__(self) -> None:
        self._heap.give(len(self.data))


class PipeNode(Vnode):
    """The node of a pipe without a name."""

    __slots__ = ("pipe",)

    def __init__(self, attributes: Attributes, heap: Allowance | None) -> None:
        super().__init__(attributes)
        self.pipe = Pipe(heap)

    def full_path(self) -> bytes:
        return b"pipe:[%d]" % self.attributes.ino

    def open(self, flags: int, credentials: Credentials) -> File:
        return PipeFile(self, flags, self.pipe)


class PipeFile(File):
    """One end of a pipe, or both of a named one opened for reading and writing."""

    def __init__(self, vnode: Vnode, flags: int, pipe: Pipe) -> None:
        super().__init__(vnode, flags)
        self.pipe = pipe
        self.queue = pipe.queue
        self.source = pipe if self.readable else None
        self.sink = pipe if self.writable else None
        self._others = 0  # how often the other end of a named pipe had been opened before
        self.tells = READABLE * self.readable | WRITABLE * self.writable
        first = not (pipe.readers if self.readable else pipe.writers)
        if self.readable:
            pipe.readers += 1
            pipe.reader_opens += 1
            self._others = pipe.writer_opens
        if self.writable:
            pipe.writers += 1
            pipe.writer_opens += 1
            if not self.readable:
                self._others = pipe.reader_opens
        pipe.queue.wake_all(READABLE if first else NOTHING_TOLD)

    def read(self, size: int) -> bytes:
        return self.pipe.read(size)

    def put_back(self, data: bytes, delivered: int) -> int:
        """See File.  A pipe gives its bytes in whole pages, or not at all."""
        delivered -= delivered % PIPE_BUF
        self.pipe.put_back(data[delivered:])
        return delivered

    def write(self, data: bytes) -> int:
        return self.pipe.write(data)

    def peek(self, size: int) -> bytes:
        """Return the bytes that a read would, and leave them; b"" at the end.  Raises BlockingIOError."""
        if not self.pipe.data and self.pipe.writers:
            raise failure(errno.EAGAIN)
        return bytes(self.pipe.data[:size])

    def unread(self, data: bytes) -> None:
        """Put bytes that have been read back to where they were."""
        self.pipe.put_back(data)

    def poll(self) -> int:
        events, pipe = 0, self.pipe
        if self.source is not None:
            if pipe.data:
                events |= READABLE
            if not pipe.writers and pipe.writer_opens:
                events |= POLLHUP
        if self.sink is not None:
            if pipe.capacity - len(pipe.data) >= PIPE_BUF:
                events |= WRITABLE
            if not pipe.readers:
                events |= POLLERR
        return events

    @property
    def arrived(self) -> int:
        return len(self.pipe.data)

    def ioctl(self, thread: Caller, request: int, argument: int) -> int:
        if request == FIONREAD:
            thread.write(argument, self.arrived.to_bytes(4, "little"))
            return 0
        return super().ioctl(thread, request, argument)

    def close(self) -> None:
        if self.readable:
            self.pipe.readers -= 1
        if self.writable:
            self.pipe.writers -= 1
        if not self.pipe.readers and not self.pipe.writers:
            self.pipe.data.clear()
        one_left = bool(self.pipe.readers) != bool(self.pipe.writers)
        self.pipe.queue.wake_all(0 if one_left else NOTHING_TOLD)


class NamedPipeFile(PipeFile):
    """One open of a named pipe, which waits for the other end to be opened."""

    def opened(self) -> None:
        if self.readable and self.writable:
            return
        if self.readable and not self.nonblocking:
            if not self.pipe.writers and self.pipe.writer_opens == self._others:
                raise failure(errno.EAGAIN)
        elif self.writable and not self.pipe.readers and self.pipe.reader_opens == self._others:
            raise failure(errno.EAGAIN)


def open_named(node: Vnode, flags: int, pipe: Pipe) -> File:
    """Open the named pipe `node`.  Raises EINVAL, ENXIO for a non-blocking writer without a reader."""
    if flags & os.O_ACCMODE == os.O_ACCMODE:
        raise failure(errno.EINVAL)
    if flags & os.O_NONBLOCK and flags & os.O_ACCMODE == os.O_WRONLY and not pipe.readers:
        raise failure(errno.ENXIO)
    return NamedPipeFile(node, flags, pipe)


def pipe_ends(attributes: Attributes, flags: int, heap: Allowance | None = None) -> tuple[File, File]:
    """Return the reading and the writing end of a new pipe, whose bytes are taken from `heap`."""
    node = PipeNode(attributes, heap)
    return (PipeFile(node, os.O_RDONLY | flags, node.pipe), PipeFile(node, os.O_WRONLY | flags, node.pipe))
