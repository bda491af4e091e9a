"""/proc: processes and the machine as files, whose text is made when they are opened."""

from __future__ import annotations

import errno
import os
import stat
from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping
from functools import partial

from runtime.kernel.base.errors import MemoryFault
from runtime.kernel.base.identity import Credentials
from runtime.kernel.vfs.filetable import FileTable
from runtime.kernel.vfs.namespace import View
from runtime.kernel.vfs.proc import proctext
from runtime.kernel.vfs.vnode import Attributes, Directory, File, Link, Name, Vnode, failure, sought

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from runtime.kernel.vfs.proc.subjects import ShownMachine, ShownProcess, ShownThread

DEVICE = 0x15
SCHED = 0  # the process of the idle threads, which /proc does not show
_DIRECTORY, _LINK, _FILE = stat.S_IFDIR | 0o555, stat.S_IFLNK | 0o777, stat.S_IFREG | 0o444
_PRIVATE = stat.S_IFREG | 0o400


def _attributes(mode: int, ino: int, kernel: ShownMachine, owner: ShownProcess | None = None) -> Attributes:
    time = kernel.walltime()
    # what a process that has changed its ids shows of itself is for root only; its directories can be listed
    mine = owner is not None and (mode == _DIRECTORY or not owner.identity.protected)
    uid, gid = (owner.identity.euid, owner.identity.egid) if owner is not None and mine else (0, 0)
    nlink = 2 if stat.S_ISDIR(mode) else 1
    return Attributes(mode, uid, gid, nlink, 0, ino, DEVICE, blksize=1024, atime=time, mtime=time, ctime=time)


def _number(*parts: object) -> int:
    """Return an inode number, which is the same for the same file in every run."""
    value = 0xCBF29CE4
    for byte in "/".join(map(str, parts)).encode():
        value = (value ^ byte) * 0x01000193 & 0xFFFFFFFF
    return value


class TextFile(File):
    """A file whose whole text is made by each read from its start, and stays for the reads that follow."""

    seekable = True

    def __init__(self, vnode: Vnode, flags: int, make: Callable[[], bytes],
                 accept: Callable[[bytes], None] | None = None) -> None:
        super().__init__(vnode, flags)
        self._make = make
        self._text: bytes | None = None
        self._accept = accept

    def read(self, size: int) -> bytes:
        data = self.pread(self.offset, size)
        self.offset += len(data)
        return data

    def pread(self, offset: int, size: int) -> bytes:
        return self._current(anew=not offset)[offset:offset + size]

    def _current(self, anew: bool) -> bytes:
        if self._text is None or anew:
            self._text = self._make()
        return self._text

    def write(self, data: bytes) -> int:
        if self._accept is None:
            raise failure(errno.EINVAL)
        self._accept(data)
        return len(data)

    def seek(self, offset: int, whence: int) -> int:
        if whence > os.SEEK_CUR:
            raise failure(errno.EINVAL)
        self.offset = sought(self.offset, 0, offset, whence)
        return self.offset


class TextNode(Vnode):
    """A file: `text()` returns its text; `accept`, if there is one, is called with what is written."""

    __slots__ = ("_accept", "_text")

    def __init__(self, attributes: Attributes, text: Callable[[], bytes],
                 accept: Callable[[bytes], None] | None = None) -> None:
        super().__init__(attributes)
        self._text = text
        self._accept = accept

    def open(self, flags: int, credentials: Credentials) -> File:
        return TextFile(self, flags, self._text, self._accept)


class PrivateNode(TextNode):
    """A file about a process, for those who may trace it.

    What was opened tells of the program that the process had then: another one may have been given other ids.
    """

    __slots__ = ("_kernel", "_process")

    def __init__(self, attributes: Attributes, text: Callable[[], bytes], kernel: ShownMachine,
                 process: ShownProcess) -> None:
        super().__init__(attributes, text)
        self._kernel = kernel
        self._process = process

    def open(self, flags: int, credentials: Credentials) -> File:
        _demand_look(self._kernel, self._process)
        space, text = self._process.space, self._text
        return TextFile(self, flags, lambda: text() if self._process.space is space else b"")


def _demand_look(kernel: ShownMachine, process: ShownProcess) -> None:
    """Raise EACCES unless the process that looks may see all of another."""
    if not kernel.current.process.may_trace(process):
        raise failure(errno.EACCES)


class TextLink(Link):
    """A link: `target()` returns its text, `node()` the node it leads to whatever the text says, or None.

    `demand` raises OSError for those who may not see it.
    """

    __slots__ = ("_demand", "_node", "_target")

    def __init__(self, attributes: Attributes, target: Callable[[], bytes],
                 node: Callable[[], Vnode | None] = lambda: None,
                 demand: Callable[[], None] = lambda: None) -> None:
        super().__init__(attributes)
        self._target = target
        self._node = node
        self._demand = demand

    def target(self) -> bytes:
        self._demand()
        return self._target()

    def follow(self) -> Vnode | None:
        self._demand()
        return self._node()


class _ProcDirectory(Directory):
    """A directory that cannot be changed: each of its names has a function that makes the node."""

    __slots__ = ("_kernel", "_makers")

    def __init__(self, kernel: ShownMachine, ino: int, parent: Directory | None, name: bytes,
                 owner: ShownProcess | None = None, mode: int = _DIRECTORY) -> None:
        super().__init__(_attributes(mode, ino, kernel, owner), parent, name)
        self._kernel = kernel
        self._makers: dict[bytes, tuple[int, Callable[[], Vnode]]] = {}

    def lookup(self, name: bytes) -> Vnode:
        maker = self._makers.get(name)
        if maker is None:
            raise failure(errno.ENOENT)
        return maker[1]()

    def make(self, name: bytes, mode: int, credentials: Credentials, *, rdev: int = 0,
             target: bytes = b"") -> Vnode:
        raise failure(errno.ENOENT)

    def link(self, name: bytes, node: Vnode) -> None:
        raise failure(errno.ENOENT)

    def names(self) -> Iterable[Name]:
        for name, (mode, _maker) in self._makers.items():
            yield Name(name, _number(self.attributes.ino, name), stat.S_IFMT(mode))

    def text(self, name: bytes, text: Callable[[], bytes], mode: int = _FILE,
             owner: ShownProcess | None = None, accept: Callable[[bytes], None] | None = None) -> None:
        """Add a file."""
        number = _number(self.attributes.ino, name)
        self._makers[name] = (mode, lambda: TextNode(_attributes(mode, number, self._kernel, owner), text,
                                                      accept))

    def texts(self, process: ShownProcess) -> None:
        """Add the files that tell of a process."""
        for name, text in proctext.PROCESS.items():
            mode = _PRIVATE if name in proctext.PRIVATE else _FILE
            if name in proctext.GUARDED:
                self._guarded(name, partial(text, process), mode, process)
            else:
                self.text(name, partial(text, process), mode, process)

    def _guarded(self, name: bytes, text: Callable[[], bytes], mode: int, process: ShownProcess) -> None:
        """Add a file for those who may trace the process."""
        number = _number(self.attributes.ino, name)
        self._makers[name] = (mode, lambda: PrivateNode(
            _attributes(mode, number, self._kernel, process), text, self._kernel, process))

    def symlink(self, name: bytes, target: Callable[[], bytes],
                node: Callable[[], Vnode | None] = lambda: None, owner: ShownProcess | None = None,
                mode: int = _LINK) -> None:
        """Add a link."""
        number = _number(self.attributes.ino, name)

        def demand() -> None:
            if owner is not None:
                _demand_look(self._kernel, owner)

        self._makers[name] = (mode, lambda: TextLink(_attributes(mode, number, self._kernel, owner), target,
                                                      node, demand))

    def _shown(self, path: bytes) -> bytes:
        """Return a path from the machine's root as the process that looks knows it."""
        return self._kernel.current.process.zone.shown(path)

    def memory(self, process: ShownProcess) -> None:
        """Add the file `mem`."""
        mode, number = stat.S_IFREG | 0o600, _number(self.attributes.ino, b"mem")
        self._makers[b"mem"] = (mode, lambda: MemoryNode(_attributes(mode, number, self._kernel, process),
                                                         process, self._kernel))

    def directory(self, name: bytes, make: Callable[[], Directory]) -> None:
        """Add a directory."""
        self._makers[name] = (_DIRECTORY, make)


class ProcRoot(_ProcDirectory):
    """/proc itself."""

    __slots__ = ()

    def __init__(self, kernel: ShownMachine) -> None:
        super().__init__(kernel, 1, None, b"proc")
        for name, text in proctext.MACHINE.items():
            self.text(name, partial(text, kernel))
        self.symlink(b"self", lambda: b"%d" % kernel.current.process.pid)
        self.symlink(b"thread-self", lambda: b"%d/task/%d" % (kernel.current.process.pid, kernel.current.tid))
        self.symlink(b"mounts", lambda: b"self/mounts")
        self.symlink(b"net", lambda: b"self/net")
        self.text(b"zones", self._zones)
        self.directory(b"sys", lambda: _sys(kernel, self))
        self.directory(b"sysvipc", lambda: _sysvipc(kernel, self))

    def lookup(self, name: bytes) -> Vnode:
        if name.isdigit() and b"%d" % int(name) == name:
            process = self._kernel.process(int(name))
            if process is None and (thread := self._kernel.threads.get(int(name))) is not None:
                process = thread.process  # a thread's number is found, but not listed
            if process is None or process.pid == SCHED or not self._known(process):
                raise failure(errno.ENOENT)
            return ProcessDirectory(self._kernel, process, self)
        if (files := self._kernel.reports.get(os.fsdecode(name))) is not None:
            return self._reports(name, files)
        return super().lookup(name)

    def _reports(self, name: bytes, files: Mapping[str, Callable[[], bytes]]) -> Directory:
        directory = _ProcDirectory(self._kernel, _number("report", name), self, name)
        for file, text in files.items():
            directory.text(os.fsencode(file), text)
        return directory

    def names(self) -> Iterable[Name]:
        yield from super().names()
        for name in self._kernel.reports:
            yield Name(os.fsencode(name), _number("report", os.fsencode(name)), stat.S_IFDIR)
        everyone = {**self._kernel.system, **self._kernel.processes}
        for pid, process in sorted(everyone.items()):
            if pid != SCHED and self._known(process):
                yield Name(b"%d" % pid, _number(pid), stat.S_IFDIR)

    def _zones(self) -> bytes:
        """The zones that the process that looks knows of: number, name, state and root of each."""
        own = self._kernel.current.process.zone
        return b"".join(b"%d:%s:running:%s\n" % (zone.id, zone.name, own.shown(zone.path))
                        for zone in self._kernel.zones if own.sees(zone))

    def _known(self, process: ShownProcess) -> bool:
        """Whether the process that looks knows of another."""
        return self._kernel.current.process.knows(process)


def _sysvipc(kernel: ShownMachine, parent: Directory) -> Directory:
    """Return /proc/sysvipc."""
    directory = _ProcDirectory(kernel, _number("sysvipc"), parent, b"sysvipc")
    ipc = kernel.ipc
    for name, listing in ((b"shm", ipc.segments), (b"sem", ipc.semaphores), (b"msg", ipc.messages)):
        directory.text(name, lambda listing=listing: listing.table(kernel.current.process.zone))  # type: ignore
    return directory


def _sys(kernel: ShownMachine, parent: Directory) -> Directory:
    """Return /proc/sys, with the few settings that programs read."""
    root = _ProcDirectory(kernel, _number("sys"), parent, b"sys")
    for group, values in proctext.SETTINGS.items():
        root.directory(group, partial(_settings, kernel, root, group, values))
    return root


def _settings(kernel: ShownMachine, parent: Directory, group: bytes, values: proctext.Settings) -> Directory:
    directory = _ProcDirectory(kernel, _number("sys", group), parent, group)
    for name, text in values.items():
        if isinstance(text, Mapping):
            directory.directory(name, partial(_settings, kernel, directory, name, text))
        else:
            directory.text(name, partial(text, kernel) if callable(text) else partial(bytes, text))
    return directory


def _net(kernel: ShownMachine, process: ShownProcess, parent: Directory) -> Directory:
    """Return /proc/PID/net, of the zone of the process."""
    directory = _ProcDirectory(kernel, _number(process.pid, "net"), parent, b"net")
    for name, text in process.zone.net_files.items():
        directory.text(name, text)
    return directory


class ProcessDirectory(_ProcDirectory):
    """/proc/PID."""

    __slots__ = ("process",)

    def __init__(self, kernel: ShownMachine, process: ShownProcess, parent: Directory) -> None:
        super().__init__(kernel, _number(process.pid), parent, b"%d" % process.pid, process)
        self.process = process
        self.texts(process)
        self.text(b"comm", lambda: process.execname + b"\n", stat.S_IFREG | 0o644, process, self._rename)
        self.text(b"zone", lambda: process.zone.name + b"\n", stat.S_IFREG | 0o644, process, self._enter)
        self.symlink(b"exe", self._executable, lambda: process.exec_vnode, process)
        self.symlink(b"cwd", lambda: self._shown(self._view().cwd.full_path()), lambda: self._view().cwd,
                     process)
        self.symlink(b"root", lambda: self._shown(self._view().root.full_path()), lambda: self._view().root,
                     process)
        self.directory(b"fd", lambda: _Descriptors(kernel, process, self, b"fd",
                                                     stat.S_IFDIR | 0o500))
        self.directory(b"fdinfo", lambda: _DescriptorTexts(kernel, process, self, b"fdinfo"))
        self.directory(b"task", lambda: _Tasks(kernel, process, self))
        self.directory(b"net", lambda: _net(kernel, process, self))
        self.memory(process)

    def _rename(self, data: bytes) -> None:
        """Name the first thread, whatever the bytes are.  Raises EINVAL for a process that is another's."""
        if self._kernel.current.process is not self.process:
            raise failure(errno.EINVAL)
        self.process.rename(data[:15])

    def _enter(self, data: bytes) -> None:
        """Have the process that writes its own file enter the zone it names, as the user named behind it."""
        if self._kernel.current.process is not self.process:
            raise failure(errno.EPERM)
        self.process.enter_zone(*os.fsdecode(data).split()[:2] or [""])

    def _executable(self) -> bytes:
        return self._shown(os.fsencode(self.process.executable))

    def _view(self) -> View:
        if self.process.view is None:
            raise failure(errno.ENOENT)
        return self.process.view


class MemoryNode(Vnode):
    """/proc/PID/mem and /proc/PID/task/TID/mem."""

    __slots__ = ("_kernel", "process")

    def __init__(self, attributes: Attributes, process: ShownProcess, kernel: ShownMachine) -> None:
        super().__init__(attributes)
        self.process = process
        self._kernel = kernel

    def open(self, flags: int, credentials: Credentials) -> File:
        _demand_look(self._kernel, self.process)
        return MemoryFile(self, flags)


class MemoryFile(File):
    """The open memory of the program that a process had then; an offset is an address."""

    seekable = True
    vnode: MemoryNode

    def __init__(self, vnode: MemoryNode, flags: int) -> None:
        super().__init__(vnode, flags)
        self._space = vnode.process.space

    @property
    def _gone(self) -> bool:
        """Whether the process has another program now, or none: it may have been given other ids."""
        return self.vnode.process.space is not self._space

    def pread(self, offset: int, size: int) -> bytes:
        if self._gone:
            return b""
        try:
            return self.vnode.process.read_text(offset, min(size, 1 << 20))
        except MemoryFault:
            raise failure(errno.EIO) from None

    def read(self, size: int) -> bytes:
        data = self.pread(self.offset, size)
        self.offset += len(data)
        return data

    def pwrite(self, offset: int, data: bytes) -> int:
        if self._gone:
            return 0
        try:
            self.vnode.process.patch_text(offset, data)
        except MemoryFault:
            raise failure(errno.EIO) from None
        return len(data)

    def write(self, data: bytes) -> int:
        written = self.pwrite(self.offset, data)
        self.offset += written
        return written

    def seek(self, offset: int, whence: int) -> int:
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self.offset}.get(whence)
        if base is None:
            raise failure(errno.EINVAL)
        self.offset = (base + offset) % (1 << 64)
        return self.offset


class _OpenFiles(_ProcDirectory):
    """A directory with an entry for each open descriptor."""

    __slots__ = ("_process",)

    def __init__(self, kernel: ShownMachine, process: ShownProcess, parent: Directory, name: bytes,
                 mode: int = _DIRECTORY) -> None:
        super().__init__(kernel, _number(process.pid, name), parent, name, process, mode)
        self._process = process

    def _refresh(self) -> None:
        _demand_look(self._kernel, self._process)
        table: FileTable | None = self._process.file_table
        self._makers.clear()
        if table is None:
            return
        for number, file in table.items():
            self._add(b"%d" % number, file, os.O_CLOEXEC * table.closes_on_exec(number))

    @abstractmethod
    def _add(self, name: bytes, file: File, mark: int) -> None:
        """Add the entry of a descriptor, which has O_CLOEXEC or 0 as its `mark`."""

    def lookup(self, name: bytes) -> Vnode:
        self._refresh()
        return super().lookup(name)

    def names(self) -> Iterable[Name]:
        self._refresh()
        return super().names()


class _Descriptors(_OpenFiles):
    """/proc/PID/fd: links to what is open, whose rights are those to read and to write."""

    __slots__ = ()

    def _add(self, name: bytes, file: File, mark: int) -> None:
        def target() -> bytes:
            gone = file.vnode.attributes.nlink == 0 and file.vnode.where is not None
            path = self._shown(file.path) if file.path.startswith(b"/") else file.path
            return path + (b" (deleted)" if gone else b"")

        mode = stat.S_IFLNK | 0o500 * file.readable | 0o300 * file.writable
        self.symlink(name, target, lambda: file.vnode, self._process, mode)


class _DescriptorTexts(_OpenFiles):
    """/proc/PID/fdinfo."""

    __slots__ = ()

    def _add(self, name: bytes, file: File, mark: int) -> None:
        text = b"pos:\t%d\nflags:\t0%o\nmnt_id:\t1\n" % (file.offset, file.flags | mark)
        self.text(name, lambda: text, owner=self._process)


class _Tasks(_ProcDirectory):
    """/proc/PID/task: a directory for each thread."""

    __slots__ = ()

    def __init__(self, kernel: ShownMachine, process: ShownProcess, parent: Directory) -> None:
        super().__init__(kernel, _number(process.pid, "task"), parent, b"task", process)
        self.attributes.nlink += len(process.threads)
        for thread in process.threads:
            self.directory(b"%d" % thread.tid, partial(self._task, process, thread))

    def _task(self, process: ShownProcess, thread: ShownThread) -> Directory:
        number = _number(process.pid, "task", thread.tid)
        directory = _ProcDirectory(self._kernel, number, self, b"%d" % thread.tid, process)
        directory.texts(process)
        directory.text(b"comm", lambda: (thread.threadname or process.execname) + b"\n", owner=process)
        directory.memory(process)
        return directory
