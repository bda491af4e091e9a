"""Address spaces: areas (what a program mapped) and the page tables the processor walks.

A page is filled in when it is first touched.  A private page whose frame has other users is copied when it is
written, so that fork() copies tables only.  Page table entries are those of the AMD64 manual, volume 2,
chapter 5; bit 9, which the hardware ignores, marks a page of a shared mapping.
"""

from __future__ import annotations

import bisect
import errno
from collections.abc import Iterator

from dif.records import Record, replace
from runtime.kernel.base.errors import MemoryFault, SyscallError
from runtime.kernel.base.traps import Traps
from runtime.kernel.memory.physical import PAGE, PAGE_MASK, PAGE_SHIFT, FilePages, PhysicalMemory, SharedPages

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from typing import Protocol
else:
    Protocol = object

PROT_READ, PROT_WRITE, PROT_EXEC = 1, 2, 4
PRESENT, WRITABLE, USER, ACCESSED, DIRTY, SHARED, NO_EXEC = 1, 2, 4, 0x20, 0x40, 0x200, 1 << 63
DATA_PAGE = PRESENT | WRITABLE | NO_EXEC  # may be written to, and holds no code
FRAME_MASK = 0x000FFFFFFFFFF000
TABLE_SPAN_SHIFT = 21  # one page table of 512 entries
LOWEST_MAPPING = 0x10000
AREA, AREAS_AT_ONCE = 512, 64  # bytes of kernel memory for each area, which is taken for so many at once
MAX_AREAS = 65530  # as Linux's vm.max_map_count
FAULT_AROUND = 16  # pages of a file that one fault brings in
TLB_GROWTH = 180  # the engine's TLB grows only when it is flushed while nearly full: so flush it then
TOP_LEVELS = (39, 30)


LEFT_OUT, WIPED, LOCKED = 1, 2, 4  # marks of areas: what fork(2) does with them (madvise(2)), and mlock(2)


class Area(Record):
    """[start, end) with one protection and one source.

    `pages` is None for private anonymous memory; `offset` is the number of the page that `start` shows.
    `shows_code` says that the program executes the same pages at another place, where it must see what is
    stored here.  One that is `read_only` cannot be made writable: it shows pages of others that are not open
    for that.  `marks` are bits: whether a child gets it, and zeros there, and whether it is locked.
    """

    start: int
    end: int
    prot: int
    shared: bool = False
    pages: SharedPages | None = None
    offset: int = 0
    path: bytes = b""
    growsdown: bool = False
    shows_code: bool = False
    read_only: bool = False
    marks: int = 0

    @property
    def writable(self) -> bool:
        return bool(self.prot & PROT_WRITE)

    @property
    def file_offset(self) -> int:
        """Where in the file the area begins, in bytes."""
        return self.offset << PAGE_SHIFT

    def index(self, address: int) -> int:
        return self.offset + ((address - self.start) >> PAGE_SHIFT)

    def continues(self, other: Area) -> bool:
        """Whether `other` begins where this ends, and both could be one area."""
        return (self.end == other.start and self.prot == other.prot and self.shared == other.shared
                and self.pages is other.pages and self.path == other.path
                and self.growsdown == other.growsdown and self.shows_code == other.shows_code
                and self.read_only == other.read_only and self.marks == other.marks
                and (self.pages is None or self.index(self.end) == other.offset))


class PagedEngine(Protocol):
    """The engine of a processor, as address spaces know it."""

    memory: PhysicalMemory
    root: int
    loaded_root: int
    kernel_entry: int  # in the top page table of every address space: the machine's own pages

    @property
    def tlb_size(self) -> int: ...

    def load_root(self, root: int) -> None: ...

    def flush_tlb(self) -> None: ...

    def flush_code(self) -> None: ...

    def forget_code(self, address: int, size: int) -> None: ...


class Statistics(Protocol):
    """The kernel, as what counts page faults."""

    page_ins: int  # transfers from disk that mappings have caused so far

    def out_of_memory(self, space: AddressSpace) -> bool:
        """Make room by killing a process; returns whether `space` may try again."""

    @property
    def looking(self) -> bool:
        """Whether a probe makes the access, for which no page is brought in."""

    def missed(self, address: int) -> None:
        """Note that a probe did not get what lies there, because the page is not in memory."""

    def count_fault(self, name: str) -> None:
        """Count a fault: as_fault if the page was not there, prot_fault if it was.

        Besides, zfod counts zeroed pages, cow_fault copied ones, and maj_fault those that came from disk.
        """


class AddressSpace:
    """The memory of a process (of several, after vfork or with CLONE_VM).

    Addresses and sizes of the mapping calls are multiples of 4096.  `limit` is the first address
    beyond what a program may use.
    """

    def __init__(self, engine: PagedEngine, limit: int) -> None:
        self.engine = engine
        self.memory = engine.memory
        self.limit = limit
        self.areas: list[Area] = []
        self._starts: list[int] = []
        self._tables: dict[int, int] = {}  # page tables by address >> 21: index of the first word
        self.root = self.memory.allocate() << PAGE_SHIFT
        self.memory.words[(self.root >> 3) + 511] = engine.kernel_entry
        self._upper = [self.root]
        self.users = 1
        self._paid = 0  # bytes of kernel memory
        self.brk_start = self.brk = 0
        self.mmap_top = 0
        self._no_hole = 0, 0  # (size, top): no hole of that size between top and mmap_top
        self._filled = 0  # pages that came since the TLB was last made to grow
        self.statistics: Statistics | None = None
        self.traps = Traps()
        self.locks_new = False  # what is mapped from now on is locked
        self.text: object = None  # what the processor's unwinder knows of the code, until that changes

    # -- areas ----------------------------------------------------------------------------------

    def find(self, address: int) -> Area | None:
        at = bisect.bisect_right(self._starts, address) - 1
        if at >= 0 and address < self.areas[at].end:
            return self.areas[at]
        return None

    def overlapping(self, start: int, end: int) -> list[Area]:
        first = max(bisect.bisect_right(self._starts, start) - 1, 0)
        last = bisect.bisect_left(self._starts, end)
        return [area for area in self.areas[first:last] if area.end > start]

    @property
    def size(self) -> int:
        """How many bytes are mapped."""
        return self.mapped(0, self.limit)

    def mapped(self, start: int, end: int) -> int:
        """Return how many bytes are mapped from `start` to before `end`."""
        return sum(min(area.end, end) - max(area.start, start) for area in self.overlapping(start, end))

    def free_range(self, size: int) -> int:
        """Return the highest free range of `size` bytes below `mmap_top`.  Raises SyscallError(ENOMEM)."""
        known, top = self._no_hole
        if size < known or not top:
            top = self.mmap_top
        for at in range(bisect.bisect_left(self._starts, top) - 1, -1, -1):
            area = self.areas[at]
            if area.end + size <= top:
                break
            top = min(top, area.start)
        if top - size < LOWEST_MAPPING:
            raise SyscallError(errno.ENOMEM)
        self._no_hole = size, top
        return top - size

    def _insert(self, area: Area) -> None:
        at = bisect.bisect_right(self._starts, area.start)
        if at < len(self.areas) and area.continues(self.areas[at]):
            area.end = self.areas[at].end
            del self.areas[at], self._starts[at]
        if at and self.areas[at - 1].continues(area):
            self.areas[at - 1].end = area.end
            return
        self.areas.insert(at, area)
        self._starts.insert(at, area.start)

    def _split(self, address: int) -> None:
        area = self.find(address)
        if area is not None and area.start < address:
            if len(self.areas) >= MAX_AREAS:
                raise SyscallError(errno.ENOMEM)
            upper = replace(area, start=address, offset=area.index(address))
            area.end = address
            at = bisect.bisect_right(self._starts, address)
            self.areas.insert(at, upper)
            self._starts.insert(at, address)

    def map(self, area: Area) -> None:
        """Map `area`, in place of what was mapped there.  Raises SyscallError(ENOMEM)."""
        if (area.start < 0 or area.end > self.limit or area.start >= area.end
                or len(self.areas) >= MAX_AREAS):
            raise SyscallError(errno.ENOMEM)
        self._pay()
        self.unmap(area.start, area.end)
        self._forget_text(area)
        area.marks |= LOCKED * self.locks_new
        self._insert(area)
        self._find_shown_code(area)

    def _forget_text(self, *areas: Area) -> None:
        """These areas come, go or change."""
        if any(area.prot & PROT_EXEC for area in areas):
            self.text = None

    def _pay(self) -> None:
        """Take kernel memory for the areas, for some at a time.  Raises SyscallError(ENOMEM)."""
        grown = len(self.areas) * AREA - self._paid
        if abs(grown) >= AREAS_AT_ONCE * AREA:
            self.memory.heap.take(grown)
            self._paid += grown

    def unmap(self, start: int, end: int) -> None:
        touched = self.overlapping(start, end)
        if not touched:
            return
        self._forget_text(*touched)
        self._no_hole = 0, 0
        self._split(start)
        self._split(end)
        for area in self.overlapping(start, end):
            at = bisect.bisect_left(self._starts, area.start)
            del self.areas[at], self._starts[at]
            if area.shared and isinstance(area.pages, FilePages):
                area.pages.sync()
        self._drop_pages(start, end)

    def protect(self, start: int, end: int, prot: int) -> None:
        """Change the protection of a range, up to its first page that is not mapped or cannot have it.

        Raises SyscallError if there is such a page: ENOMEM or EACCES.
        """
        at, error = start, errno.ENOMEM
        for area in self.overlapping(start, end):
            if area.start > at:
                break
            if area.read_only and prot & PROT_WRITE:
                error = errno.EACCES
                break
            at = area.end
        if start < at:
            self._protect(start, min(at, end), prot)
        if at < end:
            raise SyscallError(error)

    def _protect(self, start: int, end: int, prot: int) -> None:
        self._pay()
        self._split(start)
        self._split(end)
        changed = self.overlapping(start, end)
        where = bisect.bisect_left(self._starts, start)
        del self.areas[where:where + len(changed)], self._starts[where:where + len(changed)]
        for area in changed:
            self._forget_text(area)
            area.prot = prot
            self._forget_text(area)
            self._reprotect(area)
            self._insert(area)
            self._find_shown_code(area)
        self._changed()

    def _find_shown_code(self, area: Area) -> None:
        """Note for shared pages that one mapping writes to them and another executes them.

        Without the right to execute, the engine would not look for code where the program stores.
        """
        if area.pages is None or not area.shared or not area.prot & (PROT_WRITE | PROT_EXEC):
            return
        same = [other for other in self.areas if other.pages is area.pages and other.shared]
        if any(other.prot & PROT_EXEC for other in same):
            for other in same:
                if other.prot & PROT_WRITE and not other.prot & PROT_EXEC and not other.shows_code:
                    other.shows_code = True
                    self._reprotect(other)
                    self._changed()

    def move(self, old: int, size: int, new: int) -> None:
        """Move the pages of [old, old + size) to `new`, where an area has been mapped (mremap(2))."""
        words = self.memory.words
        for distance in range(0, size, PAGE):
            source = self._slot(old + distance)
            if source is not None and words[source]:
                words[self._make_slot(new + distance)] = words[source]
                words[source] = 0
        self._changed()

    def mark(self, start: int, end: int, bit: int, value: bool) -> None:
        """Set or clear one of the marks of the areas in [start, end)."""
        if not any(bool(area.marks & bit) != value for area in self.overlapping(start, end)):
            return
        self._pay()
        self._split(start)
        self._split(end)
        for area in self.overlapping(start, end):
            area.marks = area.marks & ~bit | bit * value

    @property
    def locked(self) -> int:
        """How many bytes are locked."""
        return self.locked_in(0, self.limit)

    def locked_in(self, start: int, end: int) -> int:
        """How many bytes in [start, end) are locked."""
        return sum(min(area.end, end) - max(area.start, start) for area in self.overlapping(start, end)
                   if area.marks & LOCKED)

    def discard(self, start: int, end: int) -> None:
        """Drop pages, which are then filled in anew (MADV_DONTNEED of madvise(2))."""
        self._drop_pages(start, end)

    # -- page tables ----------------------------------------------------------------------------

    def _slot(self, address: int) -> int | None:
        """Return the index of the word with the entry of `address`; None if it has no page table."""
        table = self._tables.get(address >> TABLE_SPAN_SHIFT)
        return None if table is None else table + (address >> PAGE_SHIFT & 511)

    def _make_slot(self, address: int) -> int:
        table = self._tables.get(address >> TABLE_SPAN_SHIFT)
        if table is None:
            words, level = self.memory.words, self.root
            for shift in (*TOP_LEVELS, TABLE_SPAN_SHIFT):
                slot = (level >> 3) + (address >> shift & 511)
                if not words[slot] & PRESENT:
                    words[slot] = self.memory.allocate() << PAGE_SHIFT | PRESENT | WRITABLE | USER
                    self._upper.append(words[slot] & FRAME_MASK)
                level = words[slot] & FRAME_MASK
            table = self._tables[address >> TABLE_SPAN_SHIFT] = level >> 3
        return table + (address >> PAGE_SHIFT & 511)

    def _entries(self, start: int, end: int) -> Iterator[int]:
        """Yield the indices of the non-zero entries of [start, end)."""
        words = self.memory.words
        first, last = start >> TABLE_SPAN_SHIFT, (end - 1) >> TABLE_SPAN_SHIFT
        spans = range(first, last + 1) if last - first < len(self._tables) else sorted(self._tables)
        for span in spans:
            table = self._tables.get(span)
            if table is None or not first <= span <= last:
                continue
            low = (start >> PAGE_SHIFT) - (span << 9) if span == first else 0
            high = ((end - 1) >> PAGE_SHIFT) - (span << 9) + 1 if span == last else 512
            for slot, entry in enumerate(words[table + low:table + high], table + low):
                if entry:
                    yield slot

    def _drop_pages(self, start: int, end: int) -> None:
        words, release = self.memory.words, self.memory.release
        for slot in self._entries(start, end):
            release((words[slot] & FRAME_MASK) >> PAGE_SHIFT)
            words[slot] = 0
        self._changed()

    def _changed(self) -> None:
        """Have the processor forget what it remembers of entries that have lost rights."""
        if self.engine.loaded_root == self.root:
            self.engine.flush_tlb()

    def _bits(self, area: Area, frame: int) -> int:
        """Return an entry for `frame`, with all the rights that it can have without a copy."""
        bits = frame << PAGE_SHIFT | USER | ACCESSED | DIRTY
        if area.prot:
            bits |= PRESENT
        if area.shared:
            bits |= SHARED
        if not area.prot & PROT_EXEC and not area.shows_code:
            bits |= NO_EXEC
        else:
            self.memory.mark_executed(frame)
        if area.prot & PROT_WRITE and not area.shared and self.memory.refs[frame] == 1:
            bits |= WRITABLE
        return bits

    def _reprotect(self, area: Area) -> None:
        words = self.memory.words
        for slot in self._entries(area.start, area.end):
            words[slot] = self._bits(area, (words[slot] & FRAME_MASK) >> PAGE_SHIFT)

    # -- larger pages ---------------------------------------------------------------------------

    def join(self, address: int) -> None:
        """Have the two halves of a page of 8 KiB lie side by side, for processors with such pages.

        If one is mapped only, the other is mapped too; if a file ends in the first, the second is zeroed.
        Raises SyscallError(ENOMEM).
        """
        halves = [(address, self.find(address)), (address + PAGE, self.find(address + PAGE))]
        known = next((area for _, area in halves if area is not None), None)
        if known is None:
            return
        for at, area in halves:
            if area is None:
                self._insert(Area(at, at + PAGE, known.prot))
            if not self.memory.words[self._make_slot(at)] and not self.fault(at, PROT_READ):
                if at == address or area is None or not area.prot:
                    return
                self.unmap(at, at + PAGE)
                self._insert(Area(at, at + PAGE, area.prot))
                self.fault(at, PROT_READ)
        slots = [self._make_slot(at) for at, _ in halves]
        frames = [(self.memory.words[slot] & FRAME_MASK) >> PAGE_SHIFT for slot in slots]
        if frames[0] & 1 == 0 and frames[1] == frames[0] + 1:
            return
        first = self.memory.allocate_pair()
        for new, old, slot, (at, _) in zip((first, first + 1), frames, slots, halves, strict=True):
            self.memory.bytes[new << PAGE_SHIFT:(new + 1) << PAGE_SHIFT] = (
                self.memory.bytes[old << PAGE_SHIFT:(old + 1) << PAGE_SHIFT])
            self.memory.release(old)
            area = self.find(at)
            assert area is not None
            self.memory.words[slot] = self._bits(area, new)

    # -- faults ---------------------------------------------------------------------------------

    def fault(self, address: int, access: int) -> bool:
        """Make one access (PROT_READ, PROT_WRITE or PROT_EXEC) possible; returns whether it now is.

        Raises SyscallError(ENOMEM) when the machine has no frame left.
        """
        area = self.find(address)
        slot = self._slot(address) if area is None else self._make_slot(address)
        entry = self.memory.words[slot] if slot is not None else 0
        self._count("prot_fault" if entry & PRESENT else "as_fault")
        if area is None or slot is None or not (area.prot if access == PROT_READ else area.prot & access):
            return False
        if not entry:
            return self._fill(area, address, slot, access)
        if access == PROT_WRITE:
            return self._make_writable(area, slot, entry, address)
        if not entry & PRESENT:
            self.memory.words[slot] = self._bits(area, (entry & FRAME_MASK) >> PAGE_SHIFT)
        return True

    def _fill(self, area: Area, address: int, slot: int, access: int) -> bool:
        words, memory = self.memory.words, self.memory
        self._filled += 1
        if self._filled > TLB_GROWTH and self._filled * 4 > self.engine.tlb_size:
            self._filled = 0
            self.engine.flush_tlb()
        if area.pages is None:
            self._count("zfod")
            words[slot] = self._bits(area, memory.allocate())
            return True
        page_ins = self.statistics.page_ins if self.statistics else 0
        frame = area.pages.frame(area.index(address))
        if self.statistics and self.statistics.page_ins != page_ins:
            self._count("maj_fault")
        if frame is None:
            return False
        if access == PROT_WRITE and not area.shared:
            self._count("cow_fault")
            words[slot] = self._bits(area, memory.copy(frame))
            return True
        memory.refs[frame] += 1
        words[slot] = self._bits(area, frame)
        if access == PROT_WRITE:
            return self._make_writable(area, slot, words[slot], address)
        if isinstance(area.pages, FilePages):
            self._fill_around(area, address)
        return True

    def _count(self, name: str) -> None:
        if self.statistics is not None:
            self.statistics.count_fault(name)

    def _fill_around(self, area: Area, address: int) -> None:
        """Map the neighbours of a file's page too, as programs will touch them soon."""
        start = max(area.start, address & ~(FAULT_AROUND * PAGE - 1))
        end = min(area.end, start + FAULT_AROUND * PAGE, (address | ((1 << TABLE_SPAN_SHIFT) - 1)) + 1)
        words, refs = self.memory.words, self.memory.refs
        pages, index = area.pages, area.index(start)
        assert pages is not None
        first = self._make_slot(start)
        if start >> TABLE_SPAN_SHIFT != address >> TABLE_SPAN_SHIFT:
            return
        for distance in range((end - start) >> PAGE_SHIFT):
            if not words[first + distance]:
                frame = pages.frame(index + distance)
                if frame is None:
                    break
                refs[frame] += 1
                words[first + distance] = self._bits(area, frame)

    def _make_writable(self, area: Area, slot: int, entry: int, address: int) -> bool:
        """Let a page that is there be written; returns whether its file has room for it."""
        memory, frame = self.memory, (entry & FRAME_MASK) >> PAGE_SHIFT
        if area.shared:
            assert area.pages is not None
            try:
                area.pages.written(area.index(address))
            except OSError:
                return False
        elif memory.refs[frame] > 1:
            self._count("cow_fault")
            new = memory.copy(frame)
            memory.release(frame)
            frame = new
            if not entry & NO_EXEC:
                self._changed()
        memory.words[slot] = self._bits(area, frame) | WRITABLE
        return True

    # -- access by the kernel -------------------------------------------------------------------

    def _physical(self, address: int, access: int) -> int:
        """Return where `address` lies in physical memory.  Raises MemoryFault."""
        slot = self._slot(address) if 0 <= address < self.limit else None
        entry = self.memory.words[slot] if slot is not None else 0
        if not entry & PRESENT or (access == PROT_WRITE and not entry & WRITABLE):
            if self.statistics is not None and self.statistics.looking:
                raise self._missing(address, entry)
            try:
                if not 0 <= address < self.limit or not self.fault(address, access):
                    raise MemoryFault(address)
            except SyscallError:
                if self.statistics is None or not self.statistics.out_of_memory(self):
                    raise MemoryFault(address) from None
                return self._physical(address, access)
            if entry & PRESENT:
                self._changed()
            entry = self.memory.words[self._make_slot(address)]
        return (entry & FRAME_MASK) + (address & PAGE_MASK)

    def place(self, address: int, size: int, writing: bool = False) -> int | None:
        """Return where bytes of one page lie in physical memory, if the program has them there and may do it.

        None stands for all that takes more: pages to be brought in or copied, code, several pages.
        """
        table, offset = self._tables.get(address >> TABLE_SPAN_SHIFT), address & PAGE_MASK
        if table is None or offset + size > PAGE:
            return None
        memory = self.memory
        entry = memory.words[table + (address >> PAGE_SHIFT & 511)]
        place = entry & FRAME_MASK
        if writing:
            if entry & DATA_PAGE != DATA_PAGE or memory.ran[place >> PAGE_SHIFT]:
                return None
        elif not entry & PRESENT:
            return None
        return place + offset

    def glance_string(self, address: int) -> bytes | None:
        """Return a string on one page that the program has in memory; None stands for all that takes more."""
        table, memory = self._tables.get(address >> TABLE_SPAN_SHIFT), self.memory
        entry = memory.words[table + (address >> PAGE_SHIFT & 511)] if table is not None else 0
        if not entry & PRESENT:
            return None
        page = entry & FRAME_MASK
        start = page + (address & PAGE_MASK)
        end = memory.host.find(b"\0", start, page + PAGE)
        return memory.host[start:end] if end >= 0 else None

    def _missing(self, address: int, entry: int) -> MemoryFault:
        """Return the fault of a probe's access, which enters no facility of the kernel."""
        area = self.find(address)
        if area is not None and area.prot and not entry & PRESENT and self.statistics is not None:
            self.statistics.missed(address)
        return MemoryFault(address)

    def look(self, address: int, size: int) -> bytes:
        """Return `size` bytes as `read` does, but bring no page in: what is not there comes from the file.

        Raises MemoryFault where the memory is no file's.
        """
        parts = []
        while size > 0:
            part, slot, data = min(size, PAGE - (address & PAGE_MASK)), self._slot(address), b""
            entry, area = self.memory.words[slot] if slot is not None else 0, self.find(address)
            if entry & PRESENT:
                start = (entry & FRAME_MASK) + (address & PAGE_MASK)
                data = bytes(self.memory.bytes[start:start + part])
            elif area is not None and area.prot and isinstance(area.pages, FilePages):
                page = area.pages.look(area.index(address))
                data = page[address & PAGE_MASK:(address & PAGE_MASK) + part]
            if len(data) < part:
                raise MemoryFault(address)
            parts.append(data)
            address += part
            size -= part
        return b"".join(parts)

    def read(self, address: int, size: int) -> bytes:
        """Return `size` bytes.  Raises MemoryFault."""
        offset = address & PAGE_MASK
        if offset + size <= PAGE:
            table = self._tables.get(address >> TABLE_SPAN_SHIFT)
            if table is not None:
                entry = self.memory.words[table + (address >> PAGE_SHIFT & 511)]
                if entry & PRESENT:
                    start = (entry & FRAME_MASK) + offset
                    return bytes(self.memory.bytes[start:start + size])
        parts = []
        while size > 0:
            part = min(size, PAGE - (address & PAGE_MASK))
            start = self._physical(address, PROT_READ)
            parts.append(self.memory.bytes[start:start + part])
            address += part
            size -= part
        return b"".join(parts)

    def has_own(self, area: Area) -> bool:
        """Whether a private mapping has a page of its own, which is not the file's."""
        of_file = set(area.pages.frames.values()) if area.pages is not None else set()
        frames = ((self.memory.words[slot] & FRAME_MASK) >> PAGE_SHIFT
                  for slot in self._entries(area.start, area.end))
        return any(frame not in of_file for frame in frames)

    def resident(self, address: int) -> bool:
        """Whether a page has a place in memory, as all have that a file has: they are in its cache."""
        slot, area = self._slot(address), self.find(address)
        if area is None or (slot is not None and self.memory.words[slot]):
            return area is not None
        pages = area.pages
        return pages is not None and (area.index(address) in pages.frames or isinstance(pages, FilePages))

    def peek(self, address: int, size: int) -> bytes:
        """Return whole pages without bringing any in: zeros stand for those that are not there."""
        parts = []
        for at in range(address, address + size, PAGE):
            slot = self._slot(at)
            frame = self.memory.words[slot] & FRAME_MASK if slot is not None else 0
            parts.append(bytes(self.memory.bytes[frame:frame + PAGE]) if frame else bytes(PAGE))
        return b"".join(parts)

    def write(self, address: int, data: bytes | memoryview) -> None:
        """Store bytes.  Raises MemoryFault, when those before the bad byte have been stored."""
        at, size = 0, len(data)
        while at < size:
            part = min(size - at, PAGE - (address & PAGE_MASK))
            start = self._physical(address, PROT_WRITE)
            self.memory.bytes[start:start + part] = data[at:at + part]
            self._forget_code(address, part)
            at += part
            address += part

    def read_string(self, address: int, limit: int = PAGE) -> bytes:
        """Return a string, up to its NUL (excluded) or `limit` bytes.  Raises MemoryFault."""
        parts = []
        while limit > 0:
            part = min(limit, PAGE - (address & PAGE_MASK))
            data = self.read(address, part)
            end = data.find(0)
            if end >= 0:
                parts.append(data[:end])
                break
            parts.append(data)
            address += part
            limit -= part
        return b"".join(parts)

    def patch(self, address: int, data: bytes) -> None:
        """Change text under any protection; the page becomes private first.  Raises MemoryFault."""
        place = self.place(address, len(data))
        if place is not None and self.memory.refs[place >> PAGE_SHIFT] == 1:
            self.memory.bytes[place:place + len(data)] = data
            self._forget_code(address, len(data))
            return
        at = 0
        while at < len(data):
            area = self.find(address)
            if area is None:
                raise MemoryFault(address)
            self._physical(address, PROT_READ)
            slot = self._make_slot(address)
            entry = self.memory.words[slot]
            if not area.shared and self.memory.refs[(entry & FRAME_MASK) >> PAGE_SHIFT] > 1:
                self._make_writable(area, slot, entry, address)
                frame = (self.memory.words[slot] & FRAME_MASK) >> PAGE_SHIFT
                self.memory.words[slot] = self._bits(area, frame)
                self._changed()
            part = min(len(data) - at, PAGE - (address & PAGE_MASK))
            start = (self.memory.words[slot] & FRAME_MASK) + (address & PAGE_MASK)
            self.memory.bytes[start:start + part] = data[at:at + part]
            self._forget_code(address, part)
            at += part
            address += part

    def _forget_code(self, address: int, size: int) -> None:
        """Forget what was translated from bytes of one page, which have changed."""
        entry, engine = self.memory.words[self._make_slot(address)], self.engine
        if not self.memory.executed((entry & FRAME_MASK) >> PAGE_SHIFT):
            return
        if engine.loaded_root == self.root and not entry & NO_EXEC:
            engine.forget_code(address, size)
        else:
            engine.flush_code()

    # -- whole spaces ---------------------------------------------------------------------------

    def fork(self) -> AddressSpace:
        """Return a copy; the two share private pages until one of them writes to them.

        Raises SyscallError(ENOMEM).
        """
        copy = AddressSpace(self.engine, self.limit)
        try:
            self._copy_to(copy)
        except SyscallError:
            copy.release()
            raise
        return copy

    def give_up(self) -> None:
        """Give back every page of a process that will run no more, before it has ended."""
        self._drop_pages(0, self.limit)

    def _copy_to(self, copy: AddressSpace) -> None:
        copy.areas = [replace(area) for area in self.areas]
        copy._pay()
        copy._starts = list(self._starts)
        copy.brk_start, copy.brk, copy.mmap_top = self.brk_start, self.brk, self.mmap_top
        copy.statistics = self.statistics
        words, refs = self.memory.words, self.memory.refs
        for span, table in self._tables.items():
            target = copy._make_slot(span << TABLE_SPAN_SHIFT)
            entries = words[table:table + 512].tolist()
            for at, entry in enumerate(entries):
                if entry:
                    refs[(entry & FRAME_MASK) >> PAGE_SHIFT] += 1
                    if not entry & SHARED and entry & WRITABLE:
                        entry &= ~WRITABLE
                        words[table + at] = entry
                    words[target + at] = entry
        for area in [area for area in copy.areas if area.marks]:
            area.marks &= ~LOCKED
            if area.marks & LEFT_OUT:
                copy.unmap(area.start, area.end)
            elif area.marks & WIPED:
                copy.discard(area.start, area.end)
        self._changed()

    def release(self) -> bool:
        """Drop one user; returns whether that was the last one, so that all has been given back."""
        self.users -= 1
        if self.users:
            return False
        for area in self.areas:
            if area.shared and isinstance(area.pages, FilePages):
                area.pages.sync()
        self._drop_pages(0, self.limit)
        if self.engine.loaded_root == self.root:
            self.engine.load_root(self.engine.root)
        for table in self._upper:
            self.memory.release(table >> PAGE_SHIFT)
        self.memory.heap.give(self._paid)
        self._paid = 0
        self.areas, self._starts, self._tables, self._upper = [], [], {}, []
        return True

    def frames(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Yield address and frame of each page in [start, end) that is in memory."""
        bases = {table: span << TABLE_SPAN_SHIFT for span, table in self._tables.items()}
        for slot in self._entries(start, end):
            table = slot & -512
            yield bases[table] + ((slot - table) << PAGE_SHIFT), \
                (self.memory.words[slot] & FRAME_MASK) >> PAGE_SHIFT

    def resident_pages(self) -> int:
        words = self.memory.words
        return sum(512 - words[table:table + 512].tolist().count(0) for table in self._tables.values())
