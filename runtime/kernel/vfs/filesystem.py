"""The machine's file systems put together: the overlay, /proc, /dev, /sys."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterable, Sequence

from runtime.kernel.base.identity import Credentials
from runtime.kernel.vfs.commands import COMMANDS, FOLDER
from runtime.kernel.vfs.devices.devfs import DeviceNode, device_directory
from runtime.kernel.vfs.devices.host import HostStream, HostTerminal
from runtime.kernel.vfs.devices.pts import TerminalDirectory
from runtime.kernel.vfs.disk.block import BufferCache
from runtime.kernel.vfs.disk.overlay import Overlay, OverlayFile
from runtime.kernel.vfs.disk.source import Source
from runtime.kernel.vfs.disk.tape import TapeStream
from runtime.kernel.vfs.filetable import DESCRIPTORS, FileTable
from runtime.kernel.vfs.namespace import View, mount, walk
from runtime.kernel.vfs.proc.procfs import ProcRoot
from runtime.kernel.vfs.vnode import EXECUTE, Attributes, Directory, File, Regular, Vnode, failure

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from runtime.kernel.vfs.owner import Machine

_ROOT = Credentials()
LARGEST = 1 << 30  # bytes of a file that is read whole
UFS = "ufs"  # the type of file systems on the disk


class FileSystem:
    """The name space of one machine, with what `source` has of the host.

    `root_path` is the host directory shown as the root; "" stands for an empty file system in memory.  Unless
    it is "/", the file system is `sealed`: nothing of the host is seen but this directory, and the `files`
    (files and directories), at their own places.  Raises OSError for those that are not there.
    """

    def __init__(self, kernel: Machine, root_path: str = "/", *, files: Sequence[str] = (),
                 seed: int = 0, source: Source | None = None) -> None:
        self._kernel = kernel
        self._source = source or Source()
        self._seed = seed
        self._host_root = os.fsencode(root_path)
        self.cache = BufferCache()
        self._filling = True  # a read of a host file's bytes is a transfer from the disk
        self.closing: Callable[[File], object] = File.release  # for each descriptor that gives up its file
        self.opening: Callable[[File], object] = lambda _file: None  # for a file's first descriptor
        self.standard = 0, 1, 2  # the host's descriptors that are a new process's first ones
        self.renames = 0  # so far; both events of a rename bear its number
        self.sealed = root_path != "/"
        self._files = [os.path.normpath(os.path.join(self._source.home, path)) for path in files
                       if self.sealed]
        self._overlays: list[Overlay] = []
        self._overlay = self._new_overlay()
        self.root: Directory = self._overlay.root
        self.root.file_system = UFS
        self.mounts: dict[Directory, Directory | None] = {self.root: None}  # and what each covers
        self._mount_system(self.root)
        self._add_commands(self.root)
        if self._source.tape is None:
            kernel.init.terminal = HostTerminal(kernel.budgets.output, self._ending)

    def _new_overlay(self) -> Overlay:
        """Return another file system that shows the host's directory and files."""
        overlay = Overlay(self._kernel.walltime, self._host_root or None, sealed=self.sealed,
                          budget=self._kernel.budgets.disk, source=self._source)
        overlay.fill, overlay.write_behind = self._fill, self._write_behind
        overlay.device_like = self._device_like
        self._overlays.append(overlay)
        if not self._host_root:
            overlay.root.attributes.mode = stat.S_IFDIR | 0o755
            overlay.root.make(b"tmp", stat.S_IFDIR | 0o1777, _ROOT)
        for path in self._files:
            self._show(overlay, path)
        return overlay

    def _mount_system(self, root: Directory) -> None:
        """Mount /proc, /dev and /sys in the root directory of a zone."""
        kernel = self._kernel
        for name, kind, mounted in (
                (b"proc", "proc", ProcRoot(kernel)),
                (b"dev", "dev", device_directory(kernel, TerminalDirectory(kernel.walltime()), self._seed)),
                (b"sys", "sysfs", _sys(kernel))):
            try:
                point = root.lookup(name)
            except FileNotFoundError:
                point = root.make(name, stat.S_IFDIR | 0o755, _ROOT)
            if isinstance(point, Directory):
                self._mount(point, mounted, kind)

    def _mount(self, point: Directory, root: Directory, kind: str) -> None:
        mount(point, root, kind)
        self.mounts[root] = point

    def _add_commands(self, root: Directory) -> None:
        """Make the machine's own commands in a root directory, if that has a directory for them."""
        for name, text in COMMANDS.items():
            try:
                found = walk(View(root, root), root, os.fsencode(f"{FOLDER}/{name}"), _ROOT)
            except OSError:
                return
            if found.node is None:
                node = found.parent.make(found.name, stat.S_IFREG | 0o755, _ROOT)
                assert isinstance(node, OverlayFile)
                node.pwrite(0, text)

    def zone_root(self, path: str) -> Directory:
        """Return the root directory for a zone, with its own /proc, /dev and /sys in it.

        It is the directory at `path`.  If there is none, a new file system like the machine's own, as it was
        before programs changed it, is mounted there.  "/" stands for the machine's own root.  Raises OSError.
        """
        found = self._find(path)
        if found is self.root:
            return self.root
        if found is None:
            point, found = self.add(path, stat.S_IFDIR | 0o700, _ROOT), self._new_overlay().root
            assert isinstance(point, Directory)
            self._mount(point, found, UFS)
            self._add_commands(found)
        if not isinstance(found, Directory):
            raise failure(errno.ENOTDIR)
        self._mount_system(found)
        return found

    @property
    def home(self) -> str:
        """Where programs that the host starts begin: in the host's working directory, if that is seen."""
        return "/" if self.sealed else self._source.home

    def _show(self, overlay: Overlay, path: str) -> None:
        """Let a file or directory of the host be seen at its own absolute path.  Raises OSError."""
        *above, name = [os.fsencode(part) for part in path.split("/") if part]
        directory = _directories(overlay.root, above)
        host = self._source.real(path)
        directory.link(name, overlay.host_node(host, overlay.mark(host), directory, name))

    def file_table(self) -> FileTable:
        """Return a new table with the host's descriptors 0, 1 and 2, as far as they are open."""
        table = FileTable(DESCRIPTORS, self._kernel.budgets.files, self._kernel.heap, self.closing,
                          self.opening)
        for descriptor, number in enumerate(self.standard):
            try:
                table.put(descriptor, self.adopt(number))
            except OSError:
                continue
        return table

    def contents(self, path: bytes) -> bytes | None:
        """Return a whole file for a reader outside the machine: no time passes and no transfer is made.

        Returns None if there is no such file, or if it is larger than LARGEST.
        """
        try:
            vnode = walk(View(self.root, self.root), self.root, path, _ROOT).existing
        except OSError:
            return None
        if not isinstance(vnode, Regular) or vnode.size > LARGEST:
            return None
        self._filling = False
        try:
            return bytes(vnode.pread(0, vnode.size))
        finally:
            self._filling = True

    def _fill(self, vnode: OverlayFile, offset: int, size: int) -> None:
        """Read bytes from the disk for a mapping or an exec, which cannot sleep."""
        if not self._filling or self._kernel.probing:
            return
        transfers = self.cache.missing(vnode, offset, size)
        if transfers:
            self.cache.transfer_now(self._kernel.current, transfers)

    def _write_behind(self, vnode: OverlayFile) -> None:
        self.cache.transfer_later(self._kernel.current, self.cache.dirty(vnode))

    def _ending(self) -> bool:
        return self._kernel.ending

    def adopt(self, descriptor: int) -> File:
        """Return an open file for a descriptor of the host; for /dev/null, the machine's.  Raises OSError."""
        if self._source.tape is not None:
            return TapeStream.adopt(self._source.tape, descriptor, self._kernel.budgets.output,
                                    self._ending)
        stream = HostStream.adopt(descriptor, self._kernel.budgets.output, self._ending,
                                  sealed=self.sealed)
        status = os.fstat(descriptor)
        if stat.S_ISCHR(status.st_mode) and status.st_rdev == os.makedev(1, 3):
            null = walk(View(self.root, self.root), self.root, b"/dev/null", _ROOT).existing
            return null.open(stream.flags, _ROOT)
        return stream

    def context(self, cwd: str, root: Directory) -> View:
        """Return a view from the root of a zone, with the working directory `cwd`.  Raises OSError."""
        view = View(root, root, top=None if root is self.root else root)
        node = walk(view, root, os.fsencode(cwd), _ROOT).existing
        if not isinstance(node, Directory):
            raise failure(errno.ENOTDIR)
        view.cwd = node
        return view

    def open_exec(self, fs: View, path: str, credentials: Credentials = _ROOT) -> Regular:
        """Return the node of a program to execute.  Raises OSError (ENOENT, EACCES, ENOTDIR ...)."""
        node = walk(fs, fs.cwd, os.fsencode(path), credentials).existing
        if node.kind != stat.S_IFREG or not isinstance(node, Regular):
            raise failure(errno.EACCES)
        node.demand(credentials, EXECUTE)
        return node

    def add(self, path: str, mode: int, owner: Credentials, data: bytes = b"") -> Vnode:
        """Make a file, directory or link (to `data`), and the directories above it; it replaces a file.

        Raises OSError.
        """
        view = View(self.root, self.root)
        *above, name = [os.fsencode(part) for part in path.split("/") if part]
        directory = _directories(self.root, above)
        found = walk(view, directory, name, _ROOT, follow=False)
        if isinstance(found.node, Directory):
            if not stat.S_ISDIR(mode):
                raise failure(errno.EISDIR)
            attributes = found.node.attributes
            attributes.mode, attributes.uid, attributes.gid = mode, owner.uid, owner.gid
            found.node.touched()
            return found.node
        if found.node is not None:
            directory.unlink(name)
        node = directory.make(name, mode, owner, target=data if stat.S_ISLNK(mode) else b"")
        if isinstance(node, OverlayFile):
            node.pwrite(0, data)
        return node

    def link_all(self, folder: str, target: str) -> None:
        """Make a link in `folder` to each entry of `target`, unless `folder` has such a name.

        Does nothing if there is no `target`.  Raises OSError.
        """
        source = self._find(target)
        for entry in source.names() if isinstance(source, Directory) else ():
            name = os.fsdecode(entry.name)
            if self._find(f"{folder}/{name}") is None:
                self.add(f"{folder}/{name}", stat.S_IFLNK | 0o777, _ROOT, os.fsencode(f"{target}/{name}"))

    def _find(self, path: str) -> Vnode | None:
        """Return what a path leads to, or None."""
        try:
            return walk(View(self.root, self.root), self.root, os.fsencode(path), _ROOT).node
        except OSError:
            return None

    def append(self, path: str, data: bytes) -> None:
        """Add to the end of a file; makes the file if there is none.  Raises OSError."""
        node = walk(View(self.root, self.root), self.root, os.fsencode(path), _ROOT).node
        if node is None:
            node = self.add(path, stat.S_IFREG | 0o644, _ROOT)
        if not isinstance(node, OverlayFile):
            raise failure(errno.EINVAL)
        node.pwrite(node.attributes.size, data)

    def add_device(self, path: str, kind: str) -> None:
        """Make a device at `path` like the one called `kind` in /dev.  Raises OSError, KeyError."""
        *above, name = [os.fsencode(part) for part in path.split("/") if part]
        directory = _directories(self.root, above)
        model = walk(View(self.root, self.root), self.root, b"/dev/" + kind.encode(), _ROOT).existing
        if not isinstance(model, DeviceNode):
            raise KeyError(kind)
        node = model.sibling(self._overlay.fresh(model.attributes.mode, _ROOT, model.attributes.rdev))
        directory.link(name, node)

    def _device_like(self, attributes: Attributes) -> Vnode | None:
        """Return a node with these attributes for the device in /dev that has their number."""
        folder = self._find("/dev")
        if not isinstance(folder, Directory):
            return None
        for name in list(folder.names()):
            device = folder.lookup(name.name) if name.kind == stat.S_IFCHR else None
            if isinstance(device, DeviceNode) and device.attributes.rdev == attributes.rdev:
                return device.sibling(attributes)
        return None

    def redirect(self, table: FileTable, descriptor: int, path: str, credentials: Credentials,
                 view: View) -> None:
        """Open a file as a shell's < or > does, and give it a descriptor.  Raises OSError."""
        found = walk(view, view.cwd, os.fsencode(path), credentials)
        node = found.node
        if descriptor == 0:
            file = found.existing.open(os.O_RDONLY, credentials)
        else:
            if node is None:
                node = found.parent.make(found.name, stat.S_IFREG | 0o644, credentials)
                node.where = (found.parent, found.name)
            if isinstance(node, Directory):
                raise failure(errno.EISDIR)
            file = node.open(os.O_WRONLY | os.O_APPEND, credentials)
        table.put(descriptor, file)

    def unnamed(self, mode: int, credentials: Credentials, label: bytes = b"/tmp/#unnamed") -> OverlayFile:
        """Return a new file that no directory names (O_TMPFILE, memfd_create)."""
        node = self._overlay.new_node(mode, credentials, 0, b"")
        assert isinstance(node, OverlayFile)
        node.attributes.nlink = 0
        directory, name = os.path.split(label)
        node.where = (self.root, name if directory == "/" else label.lstrip(b"/"))
        return node

    def dirty_nodes(self) -> Iterable[OverlayFile]:
        """Return the files whose bytes are newer than the disk's."""
        return [node for overlay in self._overlays for node in overlay.changed()
                if isinstance(node, OverlayFile) and node.dirty]


def _directories(root: Directory, names: Iterable[bytes]) -> Directory:
    """Return a directory below `root`; those on the way that do not exist are made.  Raises OSError."""
    directory = root
    for name in names:
        found = walk(View(root, root), directory, name, _ROOT)
        node = found.node or directory.make(name, stat.S_IFDIR | 0o755, _ROOT)
        if not isinstance(node, Directory):
            raise failure(errno.ENOTDIR)
        directory = node
    return directory


def _sys(kernel: Machine) -> Directory:
    """Return /sys, with what glibc and common programs read there."""
    fs = Overlay(kernel.walltime, None, device=0x16, budget=kernel.budgets.disk)
    fs.root.attributes.mode = stat.S_IFDIR | 0o555
    cpus = _nested(fs.root, b"devices", b"system", b"cpu")
    online = b"0-%d\n" % (kernel.ncpus - 1) if kernel.ncpus > 1 else b"0\n"
    for name in (b"online", b"possible", b"present"):
        file = cpus.make(name, stat.S_IFREG | 0o444, _ROOT)
        assert isinstance(file, OverlayFile)
        file.pwrite(0, online)
    for number in range(kernel.ncpus):
        _nested(cpus, b"cpu%d" % number)
    return fs.root


def _nested(directory: Directory, *names: bytes) -> Directory:
    """Make directories, each in the one before, and return the last."""
    for name in names:
        node = directory.make(name, stat.S_IFDIR | 0o755, _ROOT)
        assert isinstance(node, Directory)
        directory = node
    return directory
