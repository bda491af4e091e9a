"""/dev: the character devices that every program expects, and the devices that the machine was given."""

from __future__ import annotations

import errno
import os
import random
import stat
from collections.abc import Iterable, Mapping

from runtime.kernel.base.identity import Credentials
from runtime.kernel.vfs.devices.pts import TerminalDirectory
from runtime.kernel.vfs.disk.overlay import Overlay, OverlayDirectory, OverlayLink
from runtime.kernel.vfs.vnode import Attributes, File, Name, Vnode, failure

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from runtime.kernel.base.caller import Caller
    from runtime.kernel.vfs.devices.terminal import SessionServices
    from runtime.kernel.vfs.owner import Device, DeviceServices

MAX_READ = (1 << 25) - 1  # bytes that one read of an endless device gives


class NullFile(File):
    """/dev/null."""

    seekable = ready_always = True

    def read(self, size: int) -> bytes:
        return b""

    def pread(self, offset: int, size: int) -> bytes:
        return self.read(size)

    def write(self, data: bytes) -> int:
        return len(data)

    def pwrite(self, offset: int, data: bytes) -> int:
        return self.write(data)

    def seek(self, offset: int, whence: int) -> int:
        return 0


class ZeroFile(NullFile):
    """/dev/zero."""

    maps_zeros = True

    def read(self, size: int) -> bytes:
        return bytes(min(size, MAX_READ))


class FullFile(ZeroFile):
    """/dev/full: every write finds no space."""

    maps_zeros = False

    def write(self, data: bytes) -> int:
        raise failure(errno.ENOSPC)


class RandomFile(NullFile):
    """/dev/urandom: the same bytes in every run with the same seed."""

    vnode: DeviceNode
    ready_always = False

    def read(self, size: int) -> bytes:
        return self.vnode.generator.randbytes(min(size, MAX_READ))


class ObjectFile(File):
    """A device that an object plays."""

    def __init__(self, vnode: ObjectNode, flags: int) -> None:
        super().__init__(vnode, flags)
        opened = vnode.device.open() if hasattr(vnode.device, "open") else None
        self._device: Device = opened or vnode.device

    def read(self, size: int) -> bytes:
        return b""

    def ioctl(self, thread: Caller, request: int, argument: int) -> int:
        return self._device.ioctl(thread, request, argument)

    def close(self) -> None:
        if hasattr(self._device, "close"):
            self._device.close()


class ObjectNode(Vnode):
    """The node of such a device."""

    __slots__ = ("device",)

    def __init__(self, attributes: Attributes, device: Device) -> None:
        super().__init__(attributes)
        self.device = device

    def open(self, flags: int, credentials: Credentials) -> File:
        return ObjectFile(self, flags)


class TerminalNode(Vnode):
    """/dev/tty: the terminal that controls the process."""

    __slots__ = ("_kernel",)

    def __init__(self, attributes: Attributes, kernel: SessionServices) -> None:
        super().__init__(attributes)
        self._kernel = kernel

    def open(self, flags: int, credentials: Credentials) -> File:
        terminal = self._kernel.current.process.terminal
        if terminal is None:
            raise failure(errno.ENXIO)
        return terminal.open(flags)


class MultiplexerNode(Vnode):
    """/dev/ptmx: a new pseudo-terminal whenever it is opened."""

    __slots__ = ("_directory", "_kernel")

    def __init__(self, attributes: Attributes, kernel: SessionServices, directory: TerminalDirectory) -> None:
        super().__init__(attributes)
        self._kernel = kernel
        self._directory = directory

    def open(self, flags: int, credentials: Credentials) -> File:
        from runtime.kernel.vfs.devices.pty import MasterFile  # few programs need it

        return MasterFile(self, flags, self._kernel, self._directory)


class DeviceNode(Vnode):
    """A device that every machine has; `make` is the class of its open files."""

    __slots__ = ("_make", "generator")

    def __init__(self, attributes: Attributes, make: type[File], generator: random.Random) -> None:
        super().__init__(attributes)
        self._make = make
        self.generator = generator

    def sibling(self, attributes: Attributes) -> DeviceNode:
        """Return another node of the same device."""
        return DeviceNode(attributes, self._make, self.generator)

    def open(self, flags: int, credentials: Credentials) -> File:
        return self._make(self, flags)


_STANDARD = (("null", 3, NullFile), ("zero", 5, ZeroFile), ("full", 7, FullFile), ("random", 8, RandomFile),
             ("urandom", 9, RandomFile))
_LINKS = (("fd", b"/proc/self/fd"), ("stdin", b"/proc/self/fd/0"), ("stdout", b"/proc/self/fd/1"),
          ("stderr", b"/proc/self/fd/2"))


class DeviceDirectory(OverlayDirectory):
    """/dev, or a directory in it; also shows the devices that `table` names by absolute path.

    `prefix` is its own path, with a slash at the end, from the root of the zone that it is mounted in.
    """

    __slots__ = ("_prefix", "_seen", "_table")

    def __init__(self, fs: Overlay, attributes: Attributes, table: Mapping[str, Device], prefix: str) -> None:
        super().__init__(fs, attributes, None)
        self._table = table
        self._prefix = prefix
        self._seen: dict[str, Vnode] = {}

    def lookup(self, name: bytes) -> Vnode:
        try:
            return super().lookup(name)
        except FileNotFoundError:
            path = self._prefix + os.fsdecode(name)
            if path in self._table:
                return self._device(path)
            if any(other.startswith(path + "/") for other in self._table):
                return self._directory(name)
            raise

    def _device(self, path: str) -> Vnode:
        node = self._seen.get(path)
        if not isinstance(node, ObjectNode) or node.device is not self._table[path]:
            attributes = self.filesystem.fresh(stat.S_IFCHR | 0o666, Credentials(), os.makedev(240, 0))
            node = self._seen[path] = ObjectNode(attributes, self._table[path])
        return node

    def _directory(self, name: bytes) -> Vnode:
        attributes = self.filesystem.fresh(stat.S_IFDIR | 0o755, Credentials())
        attributes.nlink = 2
        directory = DeviceDirectory(self.filesystem, attributes, self._table,
                                    f"{self._prefix}{os.fsdecode(name)}/")
        self.link(name, directory)
        return directory

    def names(self) -> Iterable[Name]:
        known = set()
        for entry in super().names():
            known.add(entry.name)
            yield entry
        prefix = self._prefix
        for path in self._table:
            name = os.fsencode(path[len(prefix):].split("/")[0])
            if path.startswith(prefix) and name not in known:
                known.add(name)
                node = self.lookup(name)
                yield Name(name, node.attributes.ino, node.kind)


def device_directory(kernel: DeviceServices, terminals: TerminalDirectory, seed: int) -> DeviceDirectory:
    """Return a new /dev.  `seed` decides which bytes /dev/random returns."""
    now = kernel.walltime
    fs = Overlay(now, None, device=6, budget=kernel.budgets.disk)
    root = Credentials()
    attributes = fs.fresh(stat.S_IFDIR | 0o755, root)
    attributes.nlink = 2
    directory = DeviceDirectory(fs, attributes, kernel.devices, "/dev/")
    generator = random.Random(seed + 1)
    for name, minor, make in _STANDARD:
        node = DeviceNode(fs.fresh(stat.S_IFCHR | 0o666, root, os.makedev(1, minor)), make, generator)
        directory.link(name.encode(), node)
    directory.link(b"tty", TerminalNode(fs.fresh(stat.S_IFCHR | 0o666, root, os.makedev(5, 0)), kernel))
    directory.link(b"ptmx", MultiplexerNode(fs.fresh(stat.S_IFCHR | 0o666, root, os.makedev(5, 2)), kernel,
                                            terminals))
    directory.link(b"pts", terminals)
    for name, target in _LINKS:
        link = OverlayLink(fs.fresh(stat.S_IFLNK | 0o777, root), target)
        link.attributes.size = len(target)
        directory.link(name.encode(), link)
    directory.link(b"shm", Overlay(now, None, device=0x17, budget=kernel.budgets.disk).root)
    return directory
