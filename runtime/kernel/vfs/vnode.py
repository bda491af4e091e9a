"""Vnodes: what a name in the emulated machine's file system leads to.

A vnode knows its attributes and, by kind, its names or its bytes.  Errors are
OSError with a Linux errno, which the system call layer turns into results.
The overlay, /proc and /dev derive their nodes from the classes here.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from dif.light import NamedTuple, dataclass

if TYPE_CHECKING:
    from runtime.kernel.base.identity import Credentials
    from runtime.kernel.memory.physical import FilePages
    from runtime.kernel.vfs.file import File
    from runtime.kernel.vfs.locks import Locks
    from runtime.kernel.vfs.notify import Watch

BLOCK = 4096
NAME_MAX = 255
# What access is asked for, as access(2) numbers it.
READ, WRITE, EXECUTE = 4, 2, 1


def failure(number: int) -> OSError:
    """An OSError for `number`, without a host path in it."""
    return OSError(number, os.strerror(number))


@dataclass(slots=True)
class Attributes:
    """What stat(2) tells.  `mode` holds type and permission bits; times are in ns since 1970."""

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


class Vnode:
    """A node.  `where` is the directory and name it was last found by, for reports only."""

    __slots__ = ("__weakref__", "attributes", "locks", "opens", "pages", "watches", "where")

    def __init__(self, attributes: Attributes) -> None:
        self.attributes = attributes
        self.where: tuple[Directory, bytes] | None = None
        self.pages: FilePages | None = None  # set by the memory manager while some of it is mapped
        self.locks: Locks | None = None  # once something is locked
        self.opens = 0  # open files that somebody has
        self.watches: Sequence[Watch] | None = None  # who is told of what happens to it

    @property
    def kind(self) -> int:
        return stat.S_IFMT(self.attributes.mode)

    @property
    def path(self) -> str:
        """The path it was last found by (illumos' v_path); "" if it has none."""
        return os.fsdecode(self.full_path())

    def full_path(self) -> bytes:
        """`path` as the bytes it really is."""
        if self.where is None:
            return b""
        directory, name = self.where
        return directory.full_path().rstrip(b"/") + b"/" + name

    @property
    def size(self) -> int:
        return self.getattr().size

    def getattr(self) -> Attributes:
        """Attributes with a true size and link count."""
        return self.attributes

    def touched(self) -> None:
        """Its attributes were changed: keep the node even when nobody refers to it."""

    def forgotten(self) -> None:
        """Its last name is gone: it need not be kept any longer than it is used."""

    def open(self, flags: int, credentials: Credentials) -> File:
        """A new open file.  Raises OSError."""
        raise failure(errno.ENXIO)

    def truncate(self, size: int) -> None:
        """Make it `size` bytes long.  Raises EINVAL when it has no length to set."""
        raise failure(errno.EINVAL)

    def permits(self, credentials: Credentials, wanted: int) -> bool:
        """Whether access(2)'s `wanted` bits are all granted."""
        attributes = self.attributes
        mode = attributes.mode
        if credentials.privileged:
            return not wanted & EXECUTE or stat.S_ISDIR(mode) or bool(mode & 0o111)
        if credentials.uid == attributes.uid:
            granted = mode >> 6
        elif credentials.member(attributes.gid):
            granted = mode >> 3
        else:
            granted = mode
        return granted & wanted == wanted

    def demand(self, credentials: Credentials, wanted: int) -> None:
        """Raise EACCES unless access is granted."""
        if not self.permits(credentials, wanted):
            raise failure(errno.EACCES)


class Directory(Vnode):
    """A node with names.  `parent` and `name` say where it hangs; the root is its own parent."""

    __slots__ = ("mounted", "name", "parent")

    def __init__(self, attributes: Attributes, parent: Directory | None = None, name: bytes = b"") -> None:
        super().__init__(attributes)
        self.parent: Directory = parent if parent is not None else self
        self.name = name
        self.mounted: Directory | None = None

    def full_path(self) -> bytes:
        return self.path_from(None)

    def path_from(self, root: Directory | None) -> bytes:
        """The absolute path as seen from `root` (None: the machine's root)."""
        parts: list[bytes] = []
        here = self
        while here is not root and here.parent is not here:
            parts.append(here.name)
            here = here.parent
        return b"/" + b"/".join(reversed(parts))

    def lookup(self, name: bytes) -> Vnode:
        """The node called `name`.  Raises FileNotFoundError."""
        raise failure(errno.ENOENT)

    def names(self) -> Iterable[Name]:
        """Every entry but . and .., in the order readdir gives."""
        return ()

    def link(self, name: bytes, node: Vnode) -> None:
        """Add `name`, which must not exist."""
        raise failure(errno.EROFS)

    def unlink(self, name: bytes) -> Vnode:
        """Take `name` away and return what it led to; says nothing about empty directories."""
        raise failure(errno.EROFS)

    def make(self, name: bytes, mode: int, credentials: Credentials, *, rdev: int = 0,
             target: bytes = b"") -> Vnode:
        """Create a node of `mode`'s type under `name`, which must not exist."""
        raise failure(errno.EROFS)

    def open(self, flags: int, credentials: Credentials) -> File:
        from runtime.kernel.vfs.file import DirectoryFile

        if flags & os.O_ACCMODE != os.O_RDONLY or flags & os.O_CREAT:
            raise failure(errno.EISDIR)
        return DirectoryFile(self, flags)


class Link(Vnode):
    """A symbolic link."""

    __slots__ = ()

    def target(self) -> bytes:
        """The text of the link."""
        raise NotImplementedError

    def follow(self) -> Vnode | None:
        """Where a magic link of /proc leads whatever its text; None for an ordinary link."""
        return None

    def open(self, flags: int, credentials: Credentials) -> File:
        raise failure(errno.ELOOP)


class Regular(Vnode):
    """A node with bytes at offsets."""

    __slots__ = ()

    def pread(self, offset: int, size: int) -> bytes:
        """At most `size` bytes from `offset`; fewer only at the end."""
        raise NotImplementedError

    def pwrite(self, offset: int, data: bytes) -> int:
        """Store all of `data` and return its length.  Raises ENOSPC, EFBIG, EROFS."""
        raise failure(errno.EROFS)

    def truncate(self, size: int) -> None:
        raise failure(errno.EROFS)

    def written(self) -> None:
        """An open file that could write it has been closed."""

    def open(self, flags: int, credentials: Credentials) -> File:
        from runtime.kernel.vfs.file import RegularFile

        return RegularFile(self, flags)
