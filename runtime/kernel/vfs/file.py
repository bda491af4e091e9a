"""Open files, and the table of descriptors that a process names them by.

Nothing in here blocks: an operation that cannot go on raises BlockingIOError
(EAGAIN) and the system call waits on the file's `queue`, unless the file is
non-blocking.  `poll()` tells what could be done now.
"""

from __future__ import annotations

import errno
import os
import select
from collections.abc import Callable, Iterator
from typing import Any

from runtime.kernel.base.wait import WaitQueue
from runtime.kernel.vfs.notify import CLOSE_NOWRITE, CLOSE_WRITE, tell_all, tell_gone
from runtime.kernel.vfs.vnode import Attributes, Directory, Name, Regular, Vnode, failure

POLLIN, POLLPRI, POLLOUT, POLLERR, POLLHUP, POLLNVAL = 1, 2, 4, 8, 16, 32
POLLRDNORM, POLLWRNORM, POLLRDHUP = 0x40, 0x100, 0x2000
READABLE, WRITABLE = POLLIN | POLLRDNORM, POLLOUT | POLLWRNORM
O_PATH = 0o10000000
O_DIRECT = 0o40000
# What F_SETFL may change.
SETTABLE = os.O_APPEND | os.O_NONBLOCK | O_DIRECT | 0o20000 | 0o1000000


class File:
    """An open file description: flags and an offset, shared by every descriptor that refers to it."""

    seekable = False
    queue: WaitQueue | None = None  # woken when poll()'s answer may have changed; None: never changes

    def __init__(self, vnode: Vnode, flags: int) -> None:
        self.vnode = vnode
        self.flags = flags & ~(os.O_CREAT | os.O_EXCL | os.O_TRUNC | os.O_NOCTTY | os.O_CLOEXEC)
        self.offset = 0
        self.references = 0
        self.owner = 0  # F_SETOWN
        self.on_close: list[Callable[[File], None]] = []

    @property
    def path(self) -> bytes:
        """What /proc/self/fd shows."""
        return self.vnode.full_path()

    @property
    def readable(self) -> bool:
        return self.flags & os.O_ACCMODE != os.O_WRONLY and not self.flags & O_PATH

    @property
    def writable(self) -> bool:
        return self.flags & os.O_ACCMODE != os.O_RDONLY and not self.flags & O_PATH

    @property
    def nonblocking(self) -> bool:
        return bool(self.flags & os.O_NONBLOCK)

    def hold(self) -> None:
        self.references += 1
        if self.references == 1:
            self.vnode.opens += 1

    def release(self) -> None:
        """One reference fewer; the last one closes."""
        self.references -= 1
        if self.references == 0:
            for function in self.on_close:
                function(self)
            self.close()
            self.vnode.opens -= 1
            if not self.flags & O_PATH:
                tell_all(self.vnode, CLOSE_WRITE if self.writable else CLOSE_NOWRITE)
            tell_gone(self.vnode)

    def opened(self) -> None:
        """Raise BlockingIOError until open(2) may return (a named pipe waits for its other end)."""

    def close(self) -> None:
        """The last reference is gone."""

    def read(self, size: int) -> bytes:
        """Up to `size` bytes from where the file stands; b"" at the end."""
        raise failure(errno.EINVAL)

    def write(self, data: bytes) -> int:
        """Store some of `data` where the file stands; the number of bytes taken."""
        raise failure(errno.EINVAL)

    def pread(self, offset: int, size: int) -> bytes:
        raise failure(errno.ESPIPE)

    def pwrite(self, offset: int, data: bytes) -> int:
        raise failure(errno.ESPIPE)

    def seek(self, offset: int, whence: int) -> int:
        raise failure(errno.ESPIPE)

    def truncate(self, size: int) -> None:
        raise failure(errno.EINVAL)

    def getattr(self) -> Attributes:
        return self.vnode.getattr()

    def poll(self) -> int:
        """POLL* bits that hold now."""
        return READABLE | WRITABLE

    def ioctl(self, thread: Any, request: int, argument: int) -> int:
        raise failure(errno.ENOTTY)


class PathFile(File):
    """What open(O_PATH) gives: a handle on a node and nothing more."""

    def __init__(self, vnode: Vnode, flags: int) -> None:
        super().__init__(vnode, O_PATH | flags & (os.O_DIRECTORY | os.O_NOFOLLOW))


class RegularFile(File):
    """A regular file opened."""

    seekable = True
    vnode: Regular

    def read(self, size: int) -> bytes:
        data = self.vnode.pread(self.offset, size)
        self.offset += len(data)
        return data

    def write(self, data: bytes) -> int:
        if self.flags & os.O_APPEND:
            self.offset = self.vnode.getattr().size
        written = self._store(self.offset, data)
        self.offset += written
        return written

    def pread(self, offset: int, size: int) -> bytes:
        return self.vnode.pread(offset, size)

    def pwrite(self, offset: int, data: bytes) -> int:
        if self.flags & os.O_APPEND:
            offset = self.vnode.getattr().size
        return self._store(offset, data)

    def _store(self, offset: int, data: bytes) -> int:
        written = self.vnode.pwrite(offset, data)
        if self.vnode.pages is not None:
            self.vnode.pages.update(offset, data)
        return written

    def seek(self, offset: int, whence: int) -> int:
        size = self.vnode.getattr().size
        self.offset = sought(self.offset, size, offset, whence)
        return self.offset

    def truncate(self, size: int) -> None:
        self.vnode.truncate(size)

    def close(self) -> None:
        if self.writable:
            self.vnode.written()


def sought(position: int, size: int, offset: int, whence: int) -> int:
    """The offset lseek(2) leads to, a file being all data.  Raises EINVAL, ENXIO."""
    if whence in (os.SEEK_DATA, os.SEEK_HOLE):
        if not 0 <= offset < size:
            raise failure(errno.ENXIO)
        return offset if whence == os.SEEK_DATA else size
    base = {os.SEEK_SET: 0, os.SEEK_CUR: position, os.SEEK_END: size}.get(whence)
    if base is None or base + offset < 0:
        raise failure(errno.EINVAL)
    return base + offset


class DirectoryFile(File):
    """A directory opened for getdents; the list of names is taken at the first read."""

    seekable = True
    vnode: Directory

    def __init__(self, vnode: Directory, flags: int) -> None:
        super().__init__(vnode, flags)
        self._names: list[Name] | None = None

    def entries(self) -> Iterator[tuple[int, Name]]:
        """(offset of the next entry, entry) from where the file stands."""
        if self._names is None or self.offset == 0:
            here, up = self.vnode.attributes, self.vnode.parent.attributes
            directory = 0o040000
            self._names = [Name(b".", here.ino, directory), Name(b"..", up.ino, directory),
                           *self.vnode.names()]
        for at in range(self.offset, len(self._names)):
            yield at + 1, self._names[at]

    def read(self, size: int) -> bytes:
        raise failure(errno.EISDIR)

    def pread(self, offset: int, size: int) -> bytes:
        raise failure(errno.EISDIR)

    def seek(self, offset: int, whence: int) -> int:
        self.offset = sought(self.offset, (1 << 63) - 1, offset, whence)
        return self.offset


class TextFile(File):
    """A file whose whole text is made when it is opened (/proc, /sys)."""

    seekable = True

    def __init__(self, vnode: Vnode, flags: int, text: bytes,
                 accept: Callable[[bytes], None] | None = None) -> None:
        super().__init__(vnode, flags)
        self._text = text
        self._accept = accept

    def read(self, size: int) -> bytes:
        data = self.pread(self.offset, size)
        self.offset += len(data)
        return data

    def pread(self, offset: int, size: int) -> bytes:
        return self._text[offset:offset + size]

    def write(self, data: bytes) -> int:
        if self._accept is None:
            raise failure(errno.EINVAL)
        self._accept(data)
        return len(data)

    def pwrite(self, offset: int, data: bytes) -> int:
        return self.write(data)

    def truncate(self, size: int) -> None:
        if self._accept is None:
            raise failure(errno.EINVAL)

    def seek(self, offset: int, whence: int) -> int:
        self.offset = sought(self.offset, len(self._text), offset, whence)
        return self.offset


class HostNode(Vnode):
    """The node of a descriptor that the machine was given by its host (standard input and output)."""

    __slots__ = ("descriptor", "name")

    def __init__(self, descriptor: int, name: bytes) -> None:
        super().__init__(Attributes.of_host(os.fstat(descriptor)))
        self.descriptor = descriptor
        self.name = name

    def full_path(self) -> bytes:
        return self.name

    def getattr(self) -> Attributes:
        return Attributes.of_host(os.fstat(self.descriptor))

    def open(self, flags: int, credentials: Any) -> File:
        return HostStream(self, flags)

    def truncate(self, size: int) -> None:
        os.ftruncate(self.descriptor, size)


class HostStream(File):
    """A descriptor of the host used in place: a read waits for the host, with the machine."""

    vnode: HostNode

    @classmethod
    def adopt(cls, descriptor: int) -> HostStream:
        """An open file for a host descriptor, which stays open when the file is closed.

        Raises OSError when there is no such descriptor.
        """
        import fcntl

        try:
            name = os.readlink(b"/proc/self/fd/%d" % descriptor)
        except OSError:
            name = b"host:[%d]" % descriptor
        flags = fcntl.fcntl(descriptor, fcntl.F_GETFL)
        return cls(HostNode(descriptor, name), flags & ~os.O_NONBLOCK)

    def __init__(self, vnode: HostNode, flags: int) -> None:
        super().__init__(vnode, flags)
        self._descriptor = vnode.descriptor

    def read(self, size: int) -> bytes:
        if self.nonblocking and not select.select([self._descriptor], [], [], 0)[0]:
            raise failure(errno.EAGAIN)
        return os.read(self._descriptor, size)

    def write(self, data: bytes) -> int:
        view = memoryview(data)
        done = 0
        while done < len(view):
            done += os.write(self._descriptor, view[done:])
        return done

    def pread(self, offset: int, size: int) -> bytes:
        return os.pread(self._descriptor, size, offset)

    def pwrite(self, offset: int, data: bytes) -> int:
        return os.pwrite(self._descriptor, data, offset)

    def seek(self, offset: int, whence: int) -> int:
        return os.lseek(self._descriptor, offset, whence)

    def truncate(self, size: int) -> None:
        os.ftruncate(self._descriptor, size)

    def poll(self) -> int:
        poller = select.poll()
        poller.register(self._descriptor, POLLIN | POLLOUT | POLLPRI)
        ready = poller.poll(0)
        return ready[0][1] if ready else 0

    def ioctl(self, thread: Any, request: int, argument: int) -> int:
        from runtime.kernel.vfs.devices.terminal import host_terminal_ioctl

        return host_terminal_ioctl(self._descriptor, thread, request, argument)


class FileTable:
    """The descriptors of a process: lowest free number first, each with its close-on-exec mark."""

    def __init__(self, limit: int = 1024) -> None:
        self.limit = limit
        self.users = 1  # processes that share it (CLONE_FILES)
        self._files: dict[int, File] = {}
        self._marked: set[int] = set()

    def __iter__(self) -> Iterator[int]:
        return iter(sorted(self._files))

    def items(self) -> list[tuple[int, File]]:
        return sorted(self._files.items())

    def get(self, descriptor: int) -> File:
        """Raises EBADF."""
        file = self._files.get(descriptor)
        if file is None:
            raise failure(errno.EBADF)
        return file

    def find(self, descriptor: int) -> File | None:
        return self._files.get(descriptor)

    def add(self, file: File, *, least: int = 0, close_on_exec: bool = False) -> int:
        """Give `file` the lowest free number from `least` on.  Raises EMFILE."""
        number = least
        while number in self._files:
            number += 1
        if number >= self.limit:
            if file.references == 0:
                file.hold()
                file.release()
            raise failure(errno.EMFILE)
        self.put(number, file, close_on_exec=close_on_exec)
        return number

    def put(self, number: int, file: File, *, close_on_exec: bool = False) -> None:
        """Make `number` mean `file`, closing what it meant before.  Raises EBADF."""
        if not 0 <= number < self.limit:
            raise failure(errno.EBADF)
        file.hold()
        old = self._files.get(number)
        self._files[number] = file
        self.mark(number, close_on_exec)
        if old is not None:
            self._drop(old)

    def _drop(self, file: File) -> None:
        """A descriptor of `file` is gone, and with it every record lock set through this table."""
        if file.vnode.locks is not None:
            file.vnode.locks.records.clear(self)
        file.release()

    def close(self, number: int) -> None:
        """Raises EBADF."""
        file = self._files.pop(number, None)
        if file is None:
            raise failure(errno.EBADF)
        self._marked.discard(number)
        self._drop(file)

    def mark(self, number: int, close_on_exec: bool) -> None:
        """Set or clear the close-on-exec mark."""
        if close_on_exec:
            self._marked.add(number)
        else:
            self._marked.discard(number)

    def closes_on_exec(self, number: int) -> bool:
        return number in self._marked

    def fork(self) -> FileTable:
        """The table a forked process gets."""
        table = FileTable(self.limit)
        table._files = dict(self._files)
        table._marked = set(self._marked)
        for file in table._files.values():
            file.hold()
        return table

    def close_on_exec(self) -> None:
        """Close what is marked, as execve does."""
        for number in sorted(self._marked):
            self.close(number)

    def close_all(self) -> None:
        for number in sorted(self._files):
            self.close(number)
