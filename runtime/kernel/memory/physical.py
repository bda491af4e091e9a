"""Physical memory: page frames, which all address spaces share, and cached pages of mapped files."""

from __future__ import annotations

import ctypes
import errno
import mmap
from array import array
from collections.abc import Callable

from runtime.kernel.base.errors import SyscallError

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from typing import Protocol
else:
    Protocol = object

PAGE = 4096
PAGE_SHIFT = 12
PAGE_MASK = PAGE - 1
ZEROES = bytes(PAGE)
SPARE_FRAMES = 64  # that the kernel keeps for its objects before it gives them back
SPARE = SPARE_FRAMES << PAGE_SHIFT
MAP_NORESERVE = 0x4000


class PhysicalMemory:
    """`size` bytes of memory in frames of 4096 bytes, taken from the host when they are first touched.

    `bytes` and `words` (64-bit) are views of all of it; `refs[frame]` counts the users of a frame,
    `ran[frame]` is 1 where code in it may have been translated.
    """

    def __init__(self, size: int) -> None:
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_NORESERVE
        self.host = mmap.mmap(-1, size, flags=flags)
        if hasattr(mmap, "MADV_HUGEPAGE"):
            # beside larger pages huge ones have up to half a gigabyte, all of which the first byte would take
            self.host.madvise(mmap.MADV_HUGEPAGE if mmap.PAGESIZE == PAGE else mmap.MADV_NOHUGEPAGE)
        self.size = size
        self.address = ctypes.addressof(ctypes.c_char.from_buffer(self.host))  # in this process
        self.bytes = memoryview(self.host)
        self.words = self.bytes.cast("Q")
        self.refs = array("I", bytes(4 * (size // PAGE)))
        self.ran = bytearray(size // PAGE)
        self._next = 1
        self._limit = size // PAGE
        self._free: list[int] = []
        self._tainted: list[int] = []
        self.heap = Heap(self)
        self.forget_code = lambda: None  # the kernel sets this: drop all translated code

    @property
    def free_frames(self) -> int:
        return self._limit - self._next + len(self._free) + len(self._tainted)

    def allocate(self, zero: bool = True) -> int:
        """Return the number of a new frame, with one user.  Raises SyscallError(ENOMEM)."""
        if self._free:
            frame = self._free.pop()
            if zero:
                start = frame << PAGE_SHIFT
                self.bytes[start:start + PAGE] = ZEROES
        elif self._next < self._limit:
            frame = self._next
            self._next += 1
        elif self._tainted:
            self._launder()
            return self.allocate(zero)
        else:
            raise SyscallError(errno.ENOMEM)
        self.refs[frame] = 1
        return frame

    def allocate_pair(self) -> int:
        """Return the first of two new frames side by side, at a multiple of 8 KiB, with one user each.

        Raises SyscallError(ENOMEM).
        """
        first = self._next + 1 & ~1
        if first + 2 > self._limit:
            raise SyscallError(errno.ENOMEM)
        self._free += range(self._next, first)
        self._next = first + 2
        self.refs[first] = self.refs[first + 1] = 1
        return first

    def copy(self, frame: int) -> int:
        """Return the number of a new frame with the same bytes."""
        new = self.allocate(zero=False)
        source, target = frame << PAGE_SHIFT, new << PAGE_SHIFT
        self.bytes[target:target + PAGE] = self.bytes[source:source + PAGE]
        return new

    def release(self, frame: int) -> None:
        count = self.refs[frame] - 1
        self.refs[frame] = count
        if not count:
            (self._tainted if self.ran[frame] else self._free).append(frame)

    def mark_executed(self, frame: int) -> None:
        self.ran[frame] = 1

    def executed(self, frame: int) -> bool:
        """Whether a program may have run what the frame holds."""
        return bool(self.ran[frame])

    def _launder(self) -> None:
        """Make the free frames that held code usable: forget what was translated from them."""
        self.forget_code()
        for frame in self._tainted:
            self.ran[frame] = 0
        self._free += self._tainted
        self._tainted = []


class Heap:
    """What the kernel's own objects take of the memory: buffers, queues, tables.

    The objects lie in the host's memory.  They are paid for with frames, which no program then has.
    `refused` is called when there is none left; the kernel sets it.
    """

    def __init__(self, memory: PhysicalMemory) -> None:
        self._memory = memory
        self.refused: Callable[[], None] = lambda: None
        self._frames: list[int] = []
        self.paid = PAGE  # while less is used, no frame is to be taken
        self.used = 0

    def take(self, size: int) -> None:
        """Account for `size` more bytes.  Raises SyscallError(ENOMEM)."""
        used = self.used + size
        short = (used >> PAGE_SHIFT) - len(self._frames)
        if short > 0:
            if short > self._memory.free_frames:
                self.refused()
                raise SyscallError(errno.ENOMEM)
            self._frames += [self._memory.allocate(zero=False) for _ in range(short)]
            self.paid = (len(self._frames) + 1) << PAGE_SHIFT
        self.used = used

    def give(self, size: int) -> None:
        self.used -= size
        if self.used >= self.paid - SPARE:
            return
        spare = len(self._frames) - (self.used >> PAGE_SHIFT)
        if spare > SPARE_FRAMES:
            for frame in self._frames[-spare:]:
                self._memory.release(frame)
            del self._frames[-spare:]
            self.paid = (len(self._frames) + 1) << PAGE_SHIFT


class SharedPages:
    """Frames that several mappings share, by page: anonymous MAP_SHARED memory."""

    def __init__(self, memory: PhysicalMemory) -> None:
        self.memory = memory
        self.frames: dict[int, int] = {}

    def frame(self, index: int) -> int | None:
        """Return the frame of page `index`; None past the end."""
        frame = self.frames.get(index)
        if frame is None:
            frame = self.frames[index] = self.memory.allocate()
        return frame

    def has(self, index: int) -> bool:
        """Whether there is a page `index`."""
        return True

    def written(self, index: int) -> None:
        """Note that page `index` becomes writable in a mapping.  Raises OSError without room for it."""

    def update(self, offset: int, data: bytes) -> None:
        """Show other bytes from a place on."""
        end = offset + len(data)
        for index in range(offset >> PAGE_SHIFT, (end + PAGE_MASK) >> PAGE_SHIFT):
            frame = self.frames.get(index)
            if frame is not None:
                base = index << PAGE_SHIFT
                first, last = max(offset, base), min(end, base + PAGE)
                start = (frame << PAGE_SHIFT) + first - base
                self.memory.bytes[start:start + last - first] = data[first - offset:last - offset]
                if self.memory.executed(frame):
                    self.memory.forget_code()

    def clear(self, offset: int, end: int) -> None:
        """Show the mappings zeros between two places."""
        for index in [index for index in self.frames
                      if offset >> PAGE_SHIFT <= index < (end + PAGE_MASK) >> PAGE_SHIFT]:
            base = index << PAGE_SHIFT
            first, last = max(offset, base), min(end, base + PAGE)
            self.update(first, bytes(last - first))

    def __del__(self) -> None:
        for frame in self.frames.values():
            self.memory.release(frame)


class Mappable(Protocol):
    """A file that can be mapped (runtime.kernel.vfs.vnode.Regular)."""

    pages: FilePages | None  # set while any of the file is mapped

    @property
    def path(self) -> str:
        """Its absolute path in the machine."""

    @property
    def size(self) -> int:
        """Its bytes."""

    def pread(self, offset: int, size: int) -> bytes:
        """Return up to `size` bytes from `offset`; fewer only at the end of the file."""

    def reserve(self, offset: int, end: int) -> None:
        """Have room for what a shared mapping may change between two places.  Raises ENOSPC."""

    def write_back(self, offset: int, data: bytes) -> None:
        """Store what a shared mapping may have changed."""

    def mapped(self) -> None:
        """Note that it has pages from now on."""


class FilePages(SharedPages):
    """The cached pages of one mapped file, which are its vnode's `pages`."""

    def __init__(self, memory: PhysicalMemory, vnode: Mappable) -> None:
        super().__init__(memory)
        self.vnode = vnode
        self._written: set[int] = set()
        self.pread = vnode.pread
        self.unwinding: object = None  # what the processor's unwinder knows of the file

    @classmethod
    def of(cls, memory: PhysicalMemory, vnode: Mappable) -> FilePages:
        if vnode.pages is None:
            vnode.pages = cls(memory, vnode)
            vnode.mapped()
        return vnode.pages

    def has(self, index: int) -> bool:
        return index in self.frames or index << PAGE_SHIFT < self.vnode.size

    def frame(self, index: int) -> int | None:
        frame = self.frames.get(index)
        if frame is None:
            if not self.has(index):
                return None
            data = self.vnode.pread(index << PAGE_SHIFT, PAGE)
            frame = self.memory.allocate()
            start = frame << PAGE_SHIFT
            self.memory.bytes[start:start + len(data)] = data
            self.frames[index] = frame
        return frame

    def look(self, index: int) -> bytes:
        """Return a page without bringing it into memory; b"" beyond the end of the file."""
        frame = self.frames.get(index)
        if frame is not None:
            return bytes(self.memory.bytes[frame << PAGE_SHIFT:(frame + 1) << PAGE_SHIFT])
        data = self.vnode.pread(index << PAGE_SHIFT, PAGE)
        return data.ljust(PAGE, b"\0") if data else data

    def written(self, index: int) -> None:
        self.vnode.reserve(index << PAGE_SHIFT, (index + 1) << PAGE_SHIFT)
        self._written.add(index)

    def changed(self, index: int) -> bool:
        """Whether a shared mapping may have changed page `index`."""
        return index in self._written

    def sync(self) -> None:
        """Write back to the file what shared mappings have changed; to be called before the file is read."""
        for index in sorted(self._written):
            start, size = self.frames[index] << PAGE_SHIFT, self.vnode.size - (index << PAGE_SHIFT)
            if size > 0:
                data = bytes(self.memory.bytes[start:start + min(size, PAGE)])
                self.vnode.write_back(index << PAGE_SHIFT, data)

    def truncate(self, size: int) -> None:
        """Drop the pages beyond `size` bytes, to which the file has been cut."""
        for index in [index for index in self.frames if index << PAGE_SHIFT >= size]:
            self._written.discard(index)
            self.memory.release(self.frames.pop(index))
        self.clear(size, (size | PAGE_MASK) + 1)
