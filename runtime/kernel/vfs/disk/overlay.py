"""The root file system: the host's files below, and above them what programs in the machine have written.

A node is made when it is first looked up.  The file system keeps nodes that programs have changed; it
forgets the others with their last user.  A host directory that was renamed still reads its children from
their place on the host.  Without a host directory the same classes are a file system in memory.
"""

from __future__ import annotations

import errno
import os
import stat
from collections import deque
from collections.abc import Callable, Iterable
from weakref import WeakValueDictionary, finalize, ref

from dif.limits import MACHINE_DISK
from runtime.kernel.base.budgets import Budget
from runtime.kernel.base.identity import Credentials
from runtime.kernel.vfs.disk.content import HostContent
from runtime.kernel.vfs.disk.source import Source
from runtime.kernel.vfs.disk.sparse import MemoryContent
from runtime.kernel.vfs.vnode import (
    BLOCK,
    MAX_FILE,
    Attributes,
    Directory,
    File,
    Link,
    Name,
    Regular,
    RegularFile,
    Vnode,
    failure,
)
from runtime.kernel.vfs.walks import Walks

F_SEAL_SEAL, F_SEAL_SHRINK, F_SEAL_GROW, F_SEAL_WRITE, F_SEAL_FUTURE_WRITE, F_SEAL_EXEC = 1, 2, 4, 8, 16, 32
Transfer = Callable[["OverlayFile", int, int], None]
INODE, FOLDER, NAME = 768, 1536, 256  # bytes that a node, a directory and a name in one take of the disk
KEPT = 32  # files and links of the host that are kept without a user: each may have the host's file open
LARGEST = (1 << 44) - BLOCK  # bytes of the largest file that ext4 can have
FOLDERS = 20_000  # directories of the host that are remembered although nothing in them was changed
_FIRST_INO = 3 << 30  # of nodes that the host does not have; fits into the 32 bits of old i386 programs


class Overlay:
    """One file system.  `now()` returns the wall clock in ns, for the times of nodes.

    `host_root` is a host directory shown as the root, or None for an empty memory file system.  If `sealed`,
    what programs see of a host file are its contents, its names, its mode and when it was changed: two hosts
    with the same files then show the same.
    """

    def __init__(self, now: Callable[[], int], host_root: bytes | None = b"/", *,
                 budget: Budget | None = None, device: int = 0x30, sealed: bool = False,
                 source: Source | None = None) -> None:
        self.now = now
        self.source = source or Source()
        self.budget = budget or Budget(MACHINE_DISK)
        self.device = device
        self.fill: Transfer | None = None  # called before bytes of a host file are used without a read
        self.write_behind: Callable[[OverlayFile], None] | None = None  # called when a written file is closed
        # returns a node with these attributes for the device that has their number
        self.device_like: Callable[[Attributes], Vnode | None] = lambda _attributes: None
        self.sealed = sealed
        self._next_ino = _FIRST_INO
        self._numbers: dict[tuple[int, int], int] = {}  # if sealed: inode numbers by the host's
        self._nodes: WeakValueDictionary[tuple[int, int], Vnode] = WeakValueDictionary()
        self.kept: dict[bytes, Vnode] = {}  # by their marks
        self.mark = self.source.mark
        self._changed: dict[int, Vnode] = {}
        self.walks = Walks()
        self._remembered: deque[tuple[OverlayDirectory, bytes]] = deque()
        if host_root is None:
            self.root = OverlayDirectory(self, self.fresh(stat.S_IFDIR | 0o1777, Credentials()), None)
        else:
            attributes = self._attributes(host_root, self.source.stat(host_root))
            self.root = OverlayDirectory(self, attributes, host_root)
        self.root.attributes.nlink = max(self.root.attributes.nlink, 2)

    def fresh(self, mode: int, credentials: Credentials, rdev: int = 0) -> Attributes:
        """Return the attributes of a node that is made now."""
        number = self.next_ino()
        time = self.now()
        return Attributes(mode, credentials.uid, credentials.gid, 1, 0, number, self.device, rdev,
                          atime=time, mtime=time, ctime=time, btime=time)

    def next_ino(self) -> int:
        """Return an inode number that no other node has."""
        self._next_ino += 1
        return self._next_ino

    def changed(self) -> list[Vnode]:
        """Return every node that differs from the host's and has a name."""
        return list(self._changed.values())

    def keep(self, node: Vnode) -> None:
        """Keep a node that is changed.  One of the host takes its place on the disk now.  Raises ENOSPC."""
        if id(node) not in self._changed:
            self.let_go(node)
            self.budget.take(self._copied(node))
            self._changed[id(node)] = node

    def release(self, node: Vnode) -> None:
        """Keep a node no longer than its last user does, because its last name is gone."""
        self.let_go(node)
        if self._changed.pop(id(node), None) is not None:
            self.budget.give(self._copied(node))

    def _copied(self, node: Vnode) -> int:
        """How much of the disk a node takes that is kept: none more if it was made here, or is the root."""
        if node is self.root or _FIRST_INO < node.attributes.ino <= self._next_ino:
            return 0
        return FOLDER if isinstance(node, Directory) else INODE

    def remember(self, directory: OverlayDirectory, name: bytes) -> None:
        """Note that a directory remembers one of the host's in it; of too many the first is forgotten."""
        self._remembered.append((directory, name))
        if len(self._remembered) > FOLDERS:
            self.walks.forget()
            first, forgotten = self._remembered.popleft()
            first.forget(forgotten)

    def host_node(self, path: bytes, mark: bytes, parent: Directory, name: bytes) -> Vnode:
        """Return the node for a host path that has got this mark; there is one for each inode.

        The mark is of no file that is `kept`.  Raises OSError.
        """
        status = self.source.lstat(path)
        key = (status.st_dev, status.st_ino)
        if key in self._nodes:  # with another mark; without another user the node goes, and is made anew
            self.let_go(self._nodes[key])
        node = self._nodes.get(key)
        if node is None or node.kind != stat.S_IFMT(status.st_mode):
            node = self._host_node(path, status, parent, name)
            self._nodes[key] = node
            if mark and isinstance(node, OverlayFile | OverlayLink):
                if len(self.kept) >= KEPT:
                    del self.kept[next(iter(self.kept))]
                self.kept[mark] = node
        return node

    def let_go(self, node: Vnode) -> None:
        """Do not keep a node of the host because it was looked up."""
        for mark, kept in self.kept.items():
            if kept is node:
                del self.kept[mark]
                return

    def _host_node(self, path: bytes, status: os.stat_result, parent: Directory, name: bytes) -> Vnode:
        attributes = self._attributes(path, status)
        if stat.S_ISDIR(status.st_mode):
            return OverlayDirectory(self, attributes, path, parent, name)
        if stat.S_ISREG(status.st_mode):
            return OverlayFile(self, attributes, self.source.content(path))
        if stat.S_ISLNK(status.st_mode):
            return OverlayLink(attributes, self.source.readlink(path))
        return Special(self, attributes)

    def _attributes(self, path: bytes, status: os.stat_result) -> Attributes:
        """Return what programs see of a host file.  If sealed, the user who runs the machine is its root."""
        if not self.sealed:
            return Attributes.of_host(status)
        user, group = self.source.owner
        uid = 0 if status.st_uid == user else status.st_uid
        gid = 0 if status.st_gid == group else status.st_gid
        size, links, time = status.st_size, status.st_nlink, status.st_mtime_ns
        if stat.S_ISDIR(status.st_mode):
            size, links = BLOCK, 2 + self._folders_in(path)
        return Attributes(status.st_mode, uid, gid, links, size, self.number(status.st_dev, status.st_ino),
                          self.device, status.st_rdev, BLOCK, -(-size // BLOCK) * (BLOCK // 512),
                          time, time, time, time)

    def _folders_in(self, path: bytes) -> int:
        """Return how many directories a host directory has; 0 if it cannot be read."""
        try:
            return sum(entry.kind == stat.S_IFDIR for entry in self.source.scan(path))
        except OSError:
            return 0

    def number(self, device: int, ino: int) -> int:
        """Return the inode number that programs see for one of the host."""
        if not self.sealed:
            return ino
        return self._numbers.setdefault((device, ino), len(self._numbers) + 2)

    def new_node(self, mode: int, credentials: Credentials, rdev: int, target: bytes) -> Vnode:
        """Return a new node of the type in `mode`, which no directory names yet.  Raises ENOSPC."""
        size = (FOLDER if stat.S_ISDIR(mode) else INODE) + len(target)
        self.budget.take(size)
        node = self._new_node(self.fresh(mode, credentials, rdev), target)
        finalize(node, _give, ref(self.budget), size).atexit = False
        return node

    def _new_node(self, attributes: Attributes, target: bytes) -> Vnode:
        kind = stat.S_IFMT(attributes.mode)
        if kind == stat.S_IFDIR:
            attributes.nlink, attributes.size, attributes.blocks = 2, BLOCK, BLOCK // 512
            return OverlayDirectory(self, attributes, None)
        if kind == stat.S_IFREG:
            return OverlayFile(self, attributes, MemoryContent(self.budget))
        if kind == stat.S_IFLNK:
            attributes.size = len(target)
            return OverlayLink(attributes, target)
        return Special(self, attributes)


class OverlayDirectory(Directory):
    """A directory with the names of the host's, less those in `_hidden`, and with those in `_added`.

    `_folders` remembers the host's directories in it, so that paths through them are quick.
    """

    __slots__ = ("_added", "_folders", "_fs", "_hidden", "_host")

    def __init__(self, fs: Overlay, attributes: Attributes, host: bytes | None,
                 parent: Directory | None = None, name: bytes = b"") -> None:
        super().__init__(attributes, parent, name)
        self._fs = fs
        self.walks = fs.walks
        self._host = host
        self._added: dict[bytes, Vnode] = {}
        self._hidden: set[bytes] = set()
        self._folders: dict[bytes, OverlayDirectory] = {}

    @property
    def filesystem(self) -> Overlay:
        return self._fs

    def touched(self) -> None:
        self._fs.walks.forget()
        self._differs()

    def _differs(self) -> None:
        """Note that its names or attributes are not the host's any more."""
        if self.attributes.nlink:
            self._fs.keep(self)

    def forgotten(self) -> None:
        """Note that it has been removed: it is empty, and stays so."""
        self._fs.release(self)
        self._fs.budget.give(NAME * len(self._hidden))
        self._hidden.clear()
        self._host = None

    def known(self, name: bytes) -> Vnode | None:
        """Return what a name leads to, if that is known without asking the host."""
        return self._added.get(name) or self._folders.get(name)

    def lookup(self, name: bytes) -> Vnode:
        node = self._added.get(name) or self._folders.get(name)  # as `known`
        if node is not None:
            return node
        if self._host is None or name in self._hidden:
            raise failure(errno.ENOENT)
        fs, path = self._fs, self._host + b"/" + name
        mark = fs.mark(path)
        node = fs.kept.get(mark)
        if node is not None:
            return node
        node = fs.host_node(path, mark, self, name)
        if isinstance(node, OverlayDirectory):
            self._folders[name] = node
            fs.remember(self, name)
        return node

    def forget(self, name: bytes) -> None:
        """Forget a directory of the host, which is found again when it is asked for."""
        self._folders.pop(name, None)

    def names(self) -> Iterable[Name]:
        if self._host is not None:
            device, entries = self._fs.source.stat(self._host).st_dev, self._fs.source.scan(self._host)
            for entry in sorted(entries, key=lambda each: each.name) if self._fs.sealed else entries:
                if entry.name in self._added:
                    yield _name(entry.name, self._added[entry.name])
                elif entry.name not in self._hidden:
                    yield entry._replace(ino=self._fs.number(device, entry.ino))
        for name, node in list(self._added.items()):
            if self._host is None or not self._fs.source.exists(os.path.join(self._host, name)):
                yield _name(name, node)

    def link(self, name: bytes, node: Vnode) -> None:
        self._differs()
        if name not in self._added:
            self._fs.budget.take(NAME)
        self._added[name] = node
        if isinstance(node, Directory):
            self._fs.walks.forget()
            node.parent, node.name = self, name
            self.attributes.nlink += 1
        self._modified()

    def unlink(self, name: bytes) -> Vnode:
        node = self.lookup(name)
        self._differs()
        hides = self._host is not None and name not in self._hidden and \
            self._fs.source.exists(os.path.join(self._host, name))
        added = name in self._added
        self._fs.budget.take(NAME * (hides - added))
        self._added.pop(name, None)
        self._folders.pop(name, None)
        if hides:
            self._hidden.add(name)
        if isinstance(node, Directory):
            self._fs.walks.forget()
            self.attributes.nlink -= 1
        self._modified()
        return node

    def is_hosts(self, name: bytes) -> bool:
        """Whether a name that is there is the host's."""
        return name not in self._added

    def demand_room(self, names: int) -> None:
        """Raise ENOSPC unless there is room for so many more names."""
        self._fs.budget.take(NAME * names)
        self._fs.budget.give(NAME * names)

    def make(self, name: bytes, mode: int, credentials: Credentials, *, rdev: int = 0,
             target: bytes = b"") -> Vnode:
        node = self._fs.new_node(mode, credentials, rdev, target)
        node.attributes.dev = self.attributes.dev
        if self.attributes.mode & stat.S_ISGID:
            node.attributes.gid = self.attributes.gid
            if isinstance(node, Directory):
                node.attributes.mode |= stat.S_ISGID
        self.link(name, node)
        return node

    def _modified(self) -> None:
        self.attributes.mtime = self.attributes.ctime = self._fs.now()


class SealedFile(RegularFile):
    """An open file of memfd_create(2), whose node may have seals."""

    vnode: OverlayFile

    @property
    def unchangeable(self) -> bool:
        return bool((self.vnode.seals or 0) & (F_SEAL_WRITE | F_SEAL_FUTURE_WRITE))

    def _store(self, offset: int, data: bytes) -> int:
        size = self.vnode.attributes.size
        if data and self.unchangeable:
            raise failure(errno.EPERM)
        if (self.vnode.seals or 0) & F_SEAL_GROW and offset + len(data) > size:
            data = data[:max(size - size % BLOCK - offset, 0)]  # whole pages are written
            if not data:
                raise failure(errno.EPERM)
        return super()._store(offset, data)


class OverlayFile(Regular):
    """A regular file; `_content` changes from the host's bytes to memory at the first write.

    `told` is the structure that stat(2) has last told of it, until its attributes change.  One that is
    `linkable` may get a first name.  `seals` are those of a file of memfd_create(2); None for another one.
    """

    __slots__ = ("_content", "_fs", "dirty", "linkable", "seals", "told")

    def __init__(self, fs: Overlay, attributes: Attributes, content: HostContent | MemoryContent) -> None:
        super().__init__(attributes)
        self._fs = fs
        self._content = content
        self.dirty: set[int] | None = None  # clusters newer in memory than on the disk
        self.told: bytes | None = None
        self.linkable = False
        self.seals: int | None = None

    @property
    def on_host(self) -> bool:
        """Whether the bytes are still those of the host's file."""
        return isinstance(self._content, HostContent)

    def touched(self) -> None:
        self.told = None
        if self.attributes.nlink:
            self._fs.keep(self)

    def forgotten(self) -> None:
        self.told = None
        self._fs.release(self)

    def mapped(self) -> None:
        self._fs.let_go(self)

    def open(self, flags: int, credentials: Credentials) -> File:
        if isinstance(self._content, HostContent):
            self._content.descriptor()  # the host may refuse to open it, and does so now
        return RegularFile(self, flags) if self.seals is None else SealedFile(self, flags)

    def pread(self, offset: int, size: int) -> bytes:
        if self.pages is not None:
            self.pages.sync()
        if isinstance(self._content, HostContent) and self._fs.fill is not None:
            self._fs.fill(self, offset, size)
        return self._content.read(offset, size)

    @property
    def most(self) -> int:
        return LARGEST if self.seals is None else MAX_FILE

    def pwrite(self, offset: int, data: bytes) -> int:
        most = self.most
        if offset + len(data) > most:
            if offset >= most:
                raise failure(errno.EFBIG)
            data = data[:most - offset]
        content = self._writable()
        written = content.write(offset, data)
        self._changed(content)
        return written

    def write_back(self, offset: int, data: bytes) -> None:
        if self._content.read(offset, len(data)) != data:
            self.pwrite(offset, data)

    def reserve(self, offset: int, end: int) -> None:
        content = self._writable()
        if content.reserve(offset, end):
            self._moved(content)

    def next_data(self, offset: int) -> int | None:
        if isinstance(self._content, HostContent):
            return offset
        if self.pages is not None:
            self.pages.sync()
        return self._content.next_data(offset)

    def next_hole(self, offset: int) -> int:
        if isinstance(self._content, HostContent):
            return self.attributes.size
        if self.pages is not None:
            self.pages.sync()
        return self._content.next_hole(offset)

    def allocate(self, offset: int, end: int, *, longer: bool) -> None:
        """Have room for every byte between two places, and make the file `longer` if its end lies before."""
        self._demand_unsealed(F_SEAL_GROW * (end > self.attributes.size))
        content = self._writable()
        content.reserve(offset, end)
        if longer and end > content.size:
            content.size = end
            self._changed(content)
        else:
            self._moved(content)

    def punch(self, offset: int, end: int) -> None:
        """Make a hole."""
        self._demand_unsealed(F_SEAL_WRITE | F_SEAL_FUTURE_WRITE)
        content = self._writable()
        if self.pages is not None:
            self.pages.clear(offset, end)
        content.punch(offset, end)
        self._changed(content)

    def collapse(self, offset: int, end: int) -> None:
        """Take what lies between two starts of pages out of the file."""
        content = self._writable()
        self._forget_pages(offset)
        content.punch(offset, end)
        content.shift(end, offset - end)
        self._changed(content)

    def insert(self, offset: int, end: int) -> None:
        """Make place for what will lie between two starts of pages."""
        content = self._writable()
        self._forget_pages(offset)
        content.shift(offset, end - offset)
        self._changed(content)

    def _forget_pages(self, offset: int) -> None:
        """Have no page from `offset` on in memory, since the bytes move."""
        if self.pages is not None:
            self.pages.sync()
            self.pages.truncate(offset)

    def truncate(self, size: int) -> None:
        if size > self.most:
            raise failure(errno.EFBIG)
        old = self.attributes.size
        self._demand_unsealed(F_SEAL_SHRINK * (size < old) | F_SEAL_GROW * (size > old))
        if size == 0 and isinstance(self._content, HostContent):
            self.touched()
            self._content = MemoryContent(self._fs.budget)
        content = self._writable()
        content.truncate(size)
        self._changed(content)
        if self.pages is not None:
            self.pages.truncate(size)

    def written(self) -> None:
        if self.dirty and self._fs.write_behind is not None:
            self._fs.write_behind(self)

    def _demand_unsealed(self, seals: int) -> None:
        """Raise EPERM if the file has one of some seals."""
        if (self.seals or 0) & seals:
            raise failure(errno.EPERM)

    def _writable(self) -> MemoryContent:
        content = self._content
        if isinstance(content, HostContent):
            self.touched()
            content = content.copy(self._fs.budget, self.attributes.size)
            self._content = content
        return content

    def _changed(self, content: MemoryContent) -> None:
        attributes = self.attributes
        attributes.size = content.size
        attributes.mtime = self._fs.now()
        self._moved(content)

    def _moved(self, content: MemoryContent) -> None:
        """Note that the file has other pages on the disk."""
        attributes = self.attributes
        attributes.blocks = content.held // 512
        attributes.ctime = self._fs.now()
        self.touched()


class OverlayLink(Link):
    """A symbolic link with a fixed text."""

    __slots__ = ("_target",)

    def __init__(self, attributes: Attributes, target: bytes) -> None:
        super().__init__(attributes)
        self._target = target

    def target(self) -> bytes:
        return self._target


class Special(Vnode):
    """A named pipe, socket or device; `body` is the pipe or socket behind the name."""

    __slots__ = ("_fs", "body")

    def __init__(self, fs: Overlay, attributes: Attributes) -> None:
        super().__init__(attributes)
        self._fs = fs
        self.body: object = None

    def touched(self) -> None:
        if self.attributes.nlink:
            self._fs.keep(self)

    def forgotten(self) -> None:
        self._fs.release(self)

    def open(self, flags: int, credentials: Credentials) -> File:
        if self.kind != stat.S_IFIFO:
            device = self._fs.device_like(self.attributes) if self.kind == stat.S_IFCHR else None
            if device is None:
                raise failure(errno.ENXIO)
            return device.open(flags, credentials)
        from runtime.kernel.vfs.pipe import Pipe, open_named

        if self.body is None:
            self.body = Pipe(self._fs.budget)
        assert isinstance(self.body, Pipe)
        return open_named(self, flags, self.body)


def _name(name: bytes, node: Vnode) -> Name:
    return Name(name, node.attributes.ino, node.kind)


def _give(budget: ref[Budget], size: int) -> None:
    """A node has gone.  What it took is given back if there is still a machine, which it does not keep."""
    kept = budget()
    if kept is not None:
        kept.give(size)
