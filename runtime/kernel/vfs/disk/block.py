"""The disk under the file system: transfers take virtual time, and the buffer cache saves them.

The first read of a part of a host file is a read from the disk; after that the part is in the buffer
cache.  Written bytes become writes to the disk when they are synced.  Each transfer is a `Buffer`, which
the kernel's io hooks are told of.
"""

from __future__ import annotations

from functools import partial

from dif.records import Record
from runtime.kernel.base.kernelfunctions import kfunction
from runtime.kernel.base.wait import WaitQueue
from runtime.kernel.memory.physical import PAGE

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from runtime.kernel.base.caller import Caller, Services
    from runtime.kernel.vfs.disk.overlay import OverlayFile

# illumos' <sys/buf.h>
B_BUSY, B_DONE, B_READ, B_WRITE, B_ASYNC = 0x1, 0x2, 0x40, 0x100, 0x400
SECTOR = 512
CLUSTER = 65536  # bytes read ahead together
MAJOR = 8
SEEK_NS = 80_000  # latency of a transfer ...
BYTE_NS = 2  # ... and of each of its bytes


class Buffer(Record):
    """One transfer (illumos' buf_t): `count` bytes at `offset` in a file, and at a `block` of the disk."""

    flags: int
    count: int
    block: int
    offset: int
    vnode: OverlayFile
    error: int = 0
    resid: int = 0
    address: int = 0  # of its buf_t in kernel memory, once it has one

    @property
    def pages(self) -> int:
        return -(-self.count // PAGE)

    @property
    def device(self) -> int:
        """The number of the disk, as Linux encodes it."""
        return MAJOR << 8

    @property
    def latency(self) -> int:
        """How long the disk takes for it, in ns."""
        return SEEK_NS + BYTE_NS * self.count

    @property
    def is_read(self) -> bool:
        return bool(self.flags & B_READ)


class BufferCache:
    """Which clusters of which files are in memory, and which of them are newer than the disk's."""

    def __init__(self) -> None:
        self._idle = WaitQueue("biowait")
        self._held: dict[tuple[int, int], set[int]] = {}  # (device, inode): clusters in memory

    def _clusters_of(self, vnode: OverlayFile) -> set[int]:
        return self._held.setdefault((vnode.attributes.dev, vnode.attributes.ino), set())

    def holds(self, vnode: OverlayFile, offset: int, size: int) -> bool:
        """Whether a read of these bytes needs no transfer."""
        end = min(offset + size, vnode.attributes.size)
        return offset >= end or self._clusters_of(vnode).issuperset(_clusters(offset, end))

    def missing(self, vnode: OverlayFile, offset: int, size: int) -> list[Buffer]:
        """Return the transfers that a read of these bytes needs; from now on they count as done."""
        end = min(offset + size, vnode.attributes.size)
        if offset >= end:
            return []
        cached = self._clusters_of(vnode)
        needed = [number for number in _clusters(offset, end) if number not in cached]
        cached.update(needed)
        return [_buffer(vnode, B_READ, number) for number in needed]

    def written(self, vnode: OverlayFile, offset: int, size: int) -> None:
        """Note that these bytes of a file are now newer in memory than on the disk."""
        if vnode.dirty is None:
            vnode.dirty = set()
        clusters = set(_clusters(offset, offset + size))
        self._clusters_of(vnode).update(clusters)
        vnode.dirty |= clusters

    @staticmethod
    def pending(vnode: OverlayFile) -> list[Buffer]:
        """Return the transfers that would bring the disk up to date."""
        end = vnode.attributes.size
        return [_buffer(vnode, B_WRITE, number) for number in sorted(vnode.dirty or ())
                if number * CLUSTER < end]

    def dirty(self, vnode: OverlayFile) -> list[Buffer]:
        """Return the transfers that bring the disk up to date; from now on they count as done."""
        buffers = self.pending(vnode)
        vnode.dirty = None
        return buffers

    def transfer(self, thread: Caller, buffers: list[Buffer]) -> None:
        """Carry out transfers one after the other; the thread sleeps until each is done."""
        kernel = thread.kernel
        for buffer in buffers:
            bdev_strategy(thread, buffer)
            kernel.scheduler.at(kernel.hrtime() + buffer.latency, partial(self._interrupt, kernel, buffer))
            biowait(thread, buffer, self._idle)

    def transfer_now(self, thread: Caller, buffers: list[Buffer]) -> None:
        """Carry out transfers where the thread must not sleep: its CPU waits."""
        if thread.kernel.probing:
            return
        thread.kernel.page_ins += len(buffers)
        for buffer in buffers:
            bdev_strategy(thread, buffer)
            thread.charge(buffer.latency)
            biodone(thread, buffer)

    def transfer_later(self, thread: Caller, buffers: list[Buffer]) -> None:
        """Begin transfers that no thread waits for."""
        scheduler = thread.kernel.scheduler
        when = thread.kernel.hrtime()
        for buffer in buffers:
            buffer.flags |= B_ASYNC
            bdev_strategy(thread, buffer)
            when += buffer.latency
            scheduler.at(when, partial(self._interrupt, thread.kernel, buffer))

    def _interrupt(self, kernel: Services, buffer: Buffer) -> None:
        """The disk interrupts the current thread: a transfer is done."""
        thread, hooks = kernel.current, kernel.hooks
        if hooks.interrupt_start is not None:
            hooks.interrupt_start(thread, buffer)
        biodone(thread, buffer)
        self._idle.wake_all()
        if hooks.interrupt_complete is not None:
            hooks.interrupt_complete(thread, buffer)


def _clusters(start: int, end: int) -> range:
    return range(start // CLUSTER, -(-end // CLUSTER))


def _buffer(vnode: OverlayFile, direction: int, number: int) -> Buffer:
    offset = number * CLUSTER
    count = min(CLUSTER, -(-(vnode.attributes.size - offset) // PAGE) * PAGE)
    sector = (vnode.attributes.ino << 7) % (1 << 31) + offset // SECTOR
    return Buffer(B_BUSY | direction, count, sector, offset, vnode)


@kfunction("bdev_strategy")
def bdev_strategy(thread: Caller, buffer: Buffer) -> int:
    """Hand a transfer to the disk."""
    hook = thread.kernel.hooks.io_start
    if hook is not None:
        hook(thread, buffer)
    return 0


@kfunction("biowait")
def biowait(thread: Caller, buffer: Buffer, queue: WaitQueue) -> int:
    """Sleep until a transfer is done."""
    hooks = thread.kernel.hooks
    if hooks.io_wait_start is not None:
        hooks.io_wait_start(thread, buffer)
    while not buffer.flags & B_DONE:
        thread.sleep(queue, interruptible=False)
    if hooks.io_wait_done is not None:
        hooks.io_wait_done(thread, buffer)
    return buffer.error


@kfunction("biodone")
def biodone(thread: Caller, buffer: Buffer) -> None:
    """The disk has finished a transfer."""
    buffer.flags |= B_DONE
    if thread.kernel.hooks.io_done is not None:
        thread.kernel.hooks.io_done(thread, buffer)
