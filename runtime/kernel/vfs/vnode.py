"""Vnodes, the nodes that names in the machine's file system lead to, and their open files.

A vnode knows its attributes and, by kind, its names or its bytes.  `open` returns a `File`: flags and
an offset, which all descriptors of one open(2) share.  The overlay, /proc, /dev, pipes and sockets derive
their nodes and files from the classes here.

Errors are OSError with a Linux errno, which the system call layer turns into results.  Nothing here
blocks: an operation that cannot go on raises BlockingIOError (EAGAIN), and the system call waits on the
file's `queue`, unless the file is non-blocking.  `poll` returns what could be done now.
"""

from __future__ import annotations

import errno
import os
import stat
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence

from dif.records import NamedTuple, Record
from runtime.kernel.base.privileges import (
    FILE_DAC_EXECUTE,
    FILE_DAC_READ,
    FILE_DAC_SEARCH,
    FILE_DAC_WRITE,
    FILE_READ,
    FILE_WRITE,
)
from runtime.kernel.base.wait import WaitQueue

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from typing import Protocol

    from runtime.kernel.base.budgets import Budget
    from runtime.kernel.base.caller import Caller, CallerProcess
    from runtime.kernel.base.identity import Credentials
    from runtime.kernel.memory.physical import FilePages
    from runtime.kernel.vfs.locks import Locks
    from runtime.kernel.vfs.pipe import Pipe
    from runtime.kernel.vfs.walks import Walks

    class Ending(Protocol):
        def end(self) -> None: ...
else:
    Protocol = object

BLOCK = 4096
NAME_MAX = 255
LONGEST_PATH = 1 << 16  # bytes of a path that is told; calls take 4096
MAX_FILE = (1 << 63) - 1  # bytes of the largest file
# the access that is asked for, as access(2) numbers it
READ, WRITE, EXECUTE = 4, 2, 1
# flags of open(2) that the os module lacks, by the numbers of x86
O_ASYNC, O_DIRECT, O_LARGEFILE, O_NOATIME = 0o20000, 0o40000, 0o100000, 0o1000000
O_PATH, O_TMPFILE = 0o10000000, 0o20000000
SETTABLE = os.O_APPEND | os.O_NONBLOCK | O_ASYNC | O_DIRECT | O_NOATIME  # by F_SETFL
POLLIN, POLLPRI, POLLOUT, POLLERR, POLLHUP, POLLNVAL = 1, 2, 4, 8, 16, 32
POLLRDNORM, POLLWRNORM, POLLWRBAND, POLLRDHUP = 0x40, 0x100, 0x200, 0x2000
READABLE, WRITABLE = POLLIN | POLLRDNORM, POLLOUT | POLLWRNORM
# events that watchers are told of, by the numbers of inotify(7)
(ACCESS, MODIFY, ATTRIB, CLOSE_WRITE, CLOSE_NOWRITE, OPEN, MOVED_FROM, MOVED_TO, CREATE, DELETE, DELETE_SELF,
 MOVE_SELF) = (1 << number for number in range(12))
IS_DIRECTORY = 1 << 30
NAMELESS = 1 << 27  # among events of a directory: of a file that has no name in it any more


def failure(number: int) -> OSError:
    """Return an OSError for the errno `number`, without a path of the host in it."""
    return OSError(number, os.strerror(number))


def without_set_id(mode: int, *, member: bool = True) -> int:
    """Return a file's mode without the bits that give its owner's rights to who executes it.

    Without the right to execute, the group's bit means something else: it stays for a member of the group.
    """
    if mode & stat.S_IXGRP or not member:
        mode &= ~stat.S_ISGID
    return mode & ~stat.S_ISUID


class Attributes(Record):
    """What stat(2) returns.  `mode` holds type and permission bits; times are in ns since 1970."""

    mode: int
    uid: int = 0
    gid: int = 0
    nlink: int = 1
    size: int = 0
    ino: int = 0
    dev: int = 0
    rdev: int = 0
    blksize: int = BLOCK
    blocks: int = 0  # of 512 bytes
    atime: int = 0
    mtime: int = 0
    ctime: int = 0
    btime: int = 0

    @classmethod
    def of_host(cls, status: os.stat_result) -> Attributes:
        return cls(status.st_mode, status.st_uid, status.st_gid, status.st_nlink, status.st_size,
                   status.st_ino, status.st_dev, status.st_rdev, status.st_blksize, status.st_blocks,
                   status.st_atime_ns, status.st_mtime_ns, status.st_ctime_ns, status.st_ctime_ns)


class Name(NamedTuple):
    """One directory entry: its name, inode number and S_IFMT type bits (0: unknown)."""

    name: bytes
    ino: int
    kind: int


class Watcher(Protocol):
    """A watcher of one vnode, which stands in the vnode's `watches`."""

    def notice(self, event: int, cookie: int, name: bytes) -> None:
        """`event` has happened to the vnode, or to the entry `name` in it."""


class Vnode:
    """A node.  `where` is the directory and the name by which it was last found; only reports use it."""

    __slots__ = ("__weakref__", "attributes", "locks", "opens", "pages", "watches", "where")

    def __init__(self, attributes: Attributes) -> None:
        self.attributes = attributes
        self.where: tuple[Directory, bytes] | None = None
        self.pages: FilePages | None = None  # set by the memory manager while some of it is mapped
        self.locks: Locks | None = None  # from the first lock on
        self.opens = 0  # open files of this node that a descriptor or another part of the kernel holds
        self.watches: Sequence[Watcher] | None = None  # watchers that are told of its events

    @property
    def kind(self) -> int:
        return stat.S_IFMT(self.attributes.mode)

    @property
    def path(self) -> str:
        """The path by which it was last found (illumos' v_path); "" if there is none."""
        return os.fsdecode(self.full_path())

    def full_path(self) -> bytes:
        """`path` as bytes, which need not be text."""
        if self.where is None:
            return b""
        directory, name = self.where
        return directory.full_path().rstrip(b"/") + b"/" + name

    def mount_root(self) -> Directory | None:
        """Return the root of the file system it lies in, by its path; None if it has none."""
        return self.where[0].mount_root() if self.where is not None else None

    @property
    def size(self) -> int:
        return self.getattr().size

    def getattr(self) -> Attributes:
        """Return the attributes, with size and link count as they are now."""
        return self.attributes

    def touched(self) -> None:
        """Note that the attributes were changed, so that the node is kept even without a user."""

    def forgotten(self) -> None:
        """Note that the last name is gone, so that the node is kept only while it has a user."""

    def open(self, flags: int, credentials: Credentials) -> File:
        """Return a new open file.  Raises OSError."""
        raise failure(errno.ENXIO)

    def closed_by(self, process: CallerProcess) -> None:
        """Note that a process has closed a descriptor of it."""

    def truncate(self, size: int) -> None:
        """Make it `size` bytes long, if it is a regular file that has its own bytes."""

    def tell(self, event: int, name: bytes = b"", cookie: int = 0) -> None:
        """Tell the watchers that `event` has happened to the node, or to the entry `name` in it."""
        for watch in list(self.watches or ()):
            watch.notice(event, cookie, name)

    def tell_all(self, event: int) -> None:
        """Tell the watchers of the node, and those of the directory it lies in, that `event` has happened."""
        if self.where is not None:
            directory, name = self.where
            if directory.watches:
                directory.tell(event if self.attributes.nlink else event | NAMELESS, name)
        if self.watches:
            self.tell(event)

    @property
    def watched(self) -> bool:
        """Whether there are watchers of the node, or of the directory by which it was found."""
        where = self.where
        return bool(self.watches or (where is not None and where[0].watches))

    def tell_gone(self) -> None:
        """Tell the watchers that the node is gone, if it has neither a name nor a user any more."""
        if self.watches and not self.attributes.nlink and not self.opens:
            self.tell(DELETE_SELF)

    def permits(self, credentials: Credentials, wanted: int) -> bool:
        """Whether the credentials have every right in `wanted`: READ, WRITE, EXECUTE."""
        if ((wanted & READ and not credentials.has(FILE_READ))
                or (wanted & WRITE and not credentials.has(FILE_WRITE))):
            return False
        attributes = self.attributes
        mode = attributes.mode
        if credentials.uid == attributes.uid:
            granted = mode >> 6
        elif credentials.member(attributes.gid):
            granted = mode >> 3
        else:
            granted = mode
        missing = wanted & ~granted
        return not missing or self._overridden(credentials, missing)

    def _overridden(self, credentials: Credentials, wanted: int) -> bool:
        """Whether privileges give rights that the mode does not."""
        mode, owner = self.attributes.mode, self.attributes.uid
        if wanted & EXECUTE and not stat.S_ISDIR(mode) and not mode & 0o111:
            return False
        execute = FILE_DAC_SEARCH if stat.S_ISDIR(mode) else FILE_DAC_EXECUTE
        return ((not wanted & READ or credentials.has(FILE_DAC_READ))
                and (not wanted & EXECUTE or credentials.has(execute))
                and (not wanted & WRITE or credentials.may_as(FILE_DAC_WRITE, owner)))

    def demand(self, credentials: Credentials, wanted: int) -> None:
        """Raise EACCES unless access is granted."""
        if not self.permits(credentials, wanted):
            raise failure(errno.EACCES)


class Directory(Vnode):
    """A directory.  Its own name is `name` in `parent`; the root is its own parent.

    The root of a file system has that one's type in `file_system`, as illumos calls it.  `walks` is what the
    file system remembers of paths, if it does.
    """

    __slots__ = ("file_system", "mounted", "name", "parent", "walks")

    def __init__(self, attributes: Attributes, parent: Directory | None = None, name: bytes = b"") -> None:
        super().__init__(attributes)
        self.parent: Directory = parent if parent is not None else self
        self.name = name
        self.mounted: Directory | None = None
        self.walks: Walks | None = None
        self.file_system = ""

    def full_path(self) -> bytes:
        return self.path_from(None)

    def mount_root(self) -> Directory:
        here = self
        while not here.file_system and here.parent is not here:
            here = here.parent
        return here

    def path_from(self, root: Directory | None) -> bytes:
        """The absolute path for a process whose root is `root` (None: the machine's root).

        Of a path that is longer than LONGEST_PATH the end is returned, below "/...": directories may lie in
        one another as deep as the disk has room for.
        """
        parts: list[bytes] = []
        here, room = self, LONGEST_PATH
        while here is not root and here.parent is not here and room > 0:
            parts.append(here.name)
            room -= len(here.name) + 1
            here = here.parent
        return (b"/" if room > 0 else b"/.../") + b"/".join(reversed(parts))

    def tell_all(self, event: int) -> None:
        event |= IS_DIRECTORY
        if self.parent is not self and self.parent.watches:
            self.parent.tell(event, self.name)
        if self.watches:
            self.tell(event)

    @property
    def watched(self) -> bool:
        return bool(self.watches or self.parent.watches)

    def tell_entry(self, event: int, name: bytes, node: Vnode, cookie: int = 0) -> None:
        """Tell the watchers that the entry `name`, which leads to `node`, has come or gone."""
        if self.watches:
            self.tell(event | (IS_DIRECTORY if isinstance(node, Directory) else 0), name, cookie)

    @abstractmethod
    def lookup(self, name: bytes) -> Vnode:
        """The node called `name`.  Raises FileNotFoundError."""

    @abstractmethod
    def names(self) -> Iterable[Name]:
        """Every entry but . and .., in the order in which readdir(3) returns them."""

    def link(self, name: bytes, node: Vnode) -> None:
        """Add `name`, which must not exist.  Raises EPERM where nothing can be added."""
        raise failure(errno.EPERM)

    def unlink(self, name: bytes) -> Vnode:
        """Remove `name` and return the node it led to.  A directory need not be empty."""
        raise failure(errno.EPERM)

    def make(self, name: bytes, mode: int, credentials: Credentials, *, rdev: int = 0,
             target: bytes = b"") -> Vnode:
        """Create a node of `mode`'s type under `name`, which must not exist."""
        raise failure(errno.EPERM)

    def open(self, flags: int, credentials: Credentials) -> File:
        return DirectoryFile(self, flags)


class Link(Vnode):
    """A symbolic link."""

    __slots__ = ()

    @abstractmethod
    def target(self) -> bytes:
        """The text of the link."""

    def follow(self) -> Vnode | None:
        """The node that a link of /proc leads to, whatever its text is; None for an ordinary link."""
        return None

    def open(self, flags: int, credentials: Credentials) -> File:
        raise failure(errno.ELOOP)


class Regular(Vnode):
    """A regular file: bytes at offsets."""

    __slots__ = ()

    @property
    def most(self) -> int:
        """The bytes that it can have."""
        return MAX_FILE

    @abstractmethod
    def pread(self, offset: int, size: int) -> bytes:
        """Return `size` bytes from `offset`; fewer at the end of the file only."""

    @abstractmethod
    def pwrite(self, offset: int, data: bytes) -> int:
        """Store `data`, as far as there is room, and return how much that is.  Raises ENOSPC, EFBIG."""

    def write_back(self, offset: int, data: bytes) -> None:
        """Store what a shared mapping may have changed."""
        self.pwrite(offset, data)

    def reserve(self, offset: int, end: int) -> None:
        """Have room for what a shared mapping may change between two places.  Raises ENOSPC."""

    def next_data(self, offset: int) -> int | None:
        """Return the first place from `offset` on that is in no hole; None if there is none."""
        return offset

    def next_hole(self, offset: int) -> int:
        """Return the first place from `offset` on that is in a hole, such as the one behind the end."""
        return self.getattr().size

    def written(self) -> None:
        """Note that an open file with write access has been closed."""

    def mapped(self) -> None:
        """Note that its bytes have pages in memory from now on."""

    def open(self, flags: int, credentials: Credentials) -> File:
        return RegularFile(self, flags)


class File:
    """An open file description: flags and an offset, shared by every descriptor that refers to it."""

    seekable = False
    maps_zeros = False  # a mapping of it is of zeros, as without a file
    source: Pipe | None = None  # where a pipe's end reads, and
    sink: Pipe | None = None  # where it writes
    counted: Budget | None = None  # of open files, in which it counts
    receive_timeout: int | None = None  # ns that a read may wait, and
    send_timeout: int | None = None  # that a write may
    queue: WaitQueue | None = None  # woken when the result of poll() may have changed; None: it never changes
    tells = 0xFFFFFFFF  # the POLL* bits that can come through that queue: others are of a file that shares it
    offset = 0
    references = 0
    owner = 0, 0  # whom F_SETOWN has set: the kind, and the number
    signal = 0  # the number that F_SETSIG set
    teller: Ending | None = None  # what tells the owner that it is ready
    on_close: tuple[Callable[[File], None], ...] = ()
    ready_always = False  # and so none that epoll(7) takes

    def __init__(self, vnode: Vnode, flags: int) -> None:
        self.vnode = vnode
        self.flags = flags & ~(os.O_CREAT | os.O_EXCL | os.O_TRUNC | os.O_NOCTTY | os.O_CLOEXEC)

    @property
    def is_stream(self) -> bool:
        """Whether a write that fails with EPIPE raises SIGPIPE, too: those of messages do not."""
        return True

    @property
    def unchangeable(self) -> bool:
        """Whether a seal keeps it as it is, although it may be open for writing."""
        return False

    @property
    def path(self) -> bytes:
        """The path that /proc/self/fd shows."""
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
        """Give up a reference; with the last one the file is closed."""
        self.references -= 1
        if self.references == 0:
            if self.counted is not None:
                self.counted.give(1)
            for function in self.on_close:
                function(self)
            self.close()
            vnode = self.vnode
            vnode.opens -= 1
            if vnode.watched:
                if not self.flags & O_PATH:
                    vnode.tell_all(CLOSE_WRITE if self.writable else CLOSE_NOWRITE)
                vnode.tell_gone()

    def opened(self) -> None:
        """Raise BlockingIOError while open(2) must not return yet: a named pipe waits for its other end."""

    def close(self) -> None:
        """Release what the file holds; `release` calls this when the last reference is gone."""

    def read(self, size: int) -> bytes:
        """Return up to `size` bytes from the file's offset on, and advance it; b"" at the end."""
        raise failure(errno.EINVAL)

    def put_back(self, data: bytes, delivered: int) -> int:
        """Take back what `read` has just returned: only `delivered` bytes of it reached the program's memory.

        Returns how many bytes count as read; 0 if the call is to fail.  The others are lost by default.
        """
        return 0

    def write(self, data: bytes) -> int:
        """Store some of `data` at the file's offset, and advance it; returns the number of bytes stored."""
        raise failure(errno.EINVAL)

    def pread(self, offset: int, size: int) -> bytes:
        raise failure(errno.ESPIPE)

    def pwrite(self, offset: int, data: bytes) -> int:
        raise failure(errno.ESPIPE)

    def seek(self, offset: int, whence: int) -> int:
        raise failure(errno.ESPIPE)

    def getattr(self) -> Attributes:
        return self.vnode.getattr()

    def poll(self) -> int:
        """Return the POLL* bits that hold now."""
        return READABLE | WRITABLE

    @property
    def arrived(self) -> int:
        """A number that grows when input comes."""
        return 0

    def ioctl(self, thread: Caller, request: int, argument: int) -> int:
        raise failure(errno.ENOTTY)


class PathFile(File):
    """What open(2) with O_PATH returns: a handle on a node and nothing more."""

    def __init__(self, vnode: Vnode, flags: int) -> None:
        super().__init__(vnode, O_PATH | flags & (os.O_DIRECTORY | os.O_NOFOLLOW))


class RegularFile(File):
    """An open regular file."""

    seekable = True
    vnode: Regular

    def read(self, size: int) -> bytes:
        data = self.vnode.pread(self.offset, size)
        self.offset += len(data)
        return data

    def put_back(self, data: bytes, delivered: int) -> int:
        self.offset -= len(data) - delivered
        return delivered

    def write(self, data: bytes) -> int:
        written = self._store(self.offset, data)
        self.offset += written
        return written

    def pread(self, offset: int, size: int) -> bytes:
        return self.vnode.pread(offset, size)

    def pwrite(self, offset: int, data: bytes) -> int:
        return self._store(offset, data)

    def _store(self, offset: int, data: bytes) -> int:
        written = self.vnode.pwrite(offset, data)
        if self.vnode.pages is not None:
            self.vnode.pages.update(offset, data[:written])
        return written

    def seek(self, offset: int, whence: int) -> int:
        vnode = self.vnode
        found: int | None = sought(self.offset, vnode.getattr().size, offset, whence)
        if whence == os.SEEK_DATA:
            found = vnode.next_data(offset)
            if found is None:
                raise failure(errno.ENXIO)
        elif whence == os.SEEK_HOLE:
            found = vnode.next_hole(offset)
        assert found is not None
        if found > vnode.most:
            raise failure(errno.EINVAL)
        self.offset = found
        return found

    def close(self) -> None:
        if self.writable:
            self.vnode.written()


def sought(position: int, size: int, offset: int, whence: int) -> int:
    """Return the new offset of lseek(2) in a file without holes.  Raises EINVAL, ENXIO."""
    if whence in (os.SEEK_DATA, os.SEEK_HOLE):
        if not 0 <= offset < size:
            raise failure(errno.ENXIO)
        return offset if whence == os.SEEK_DATA else size
    base = {os.SEEK_SET: 0, os.SEEK_CUR: position, os.SEEK_END: size}.get(whence)
    if base is None or base + offset < 0:
        raise failure(errno.EINVAL)
    return base + offset


class DirectoryFile(File):
    """An open directory; getdents(2) reads the names that it had at the first read."""

    seekable = True
    vnode: Directory

    def __init__(self, vnode: Directory, flags: int) -> None:
        super().__init__(vnode, flags)
        self._names: list[Name] | None = None

    def entries(self) -> Iterator[tuple[int, Name]]:
        """Yield (offset of the next entry, entry) from the file's offset on."""
        if self._names is None or self.offset == 0:
            here, up = self.vnode.attributes, self.vnode.parent.attributes
            self._names = [Name(b".", here.ino, stat.S_IFDIR), Name(b"..", up.ino, stat.S_IFDIR),
                           *self.vnode.names()]
        for at in range(self.offset, len(self._names)):
            yield at + 1, self._names[at]

    def read(self, size: int) -> bytes:
        raise failure(errno.EISDIR)

    def pread(self, offset: int, size: int) -> bytes:
        raise failure(errno.EISDIR)

    def seek(self, offset: int, whence: int) -> int:
        self.offset = sought(self.offset, MAX_FILE, offset, whence)
        return self.offset
