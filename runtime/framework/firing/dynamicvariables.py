"""Dynamic variables: thread-local scalars and associative arrays, in one piece of memory.

The memory is cut into chunks as large as the largest variable needs; each CPU
has its share.  A freed chunk is dirty, then rinsing, then clean: only the
periodic cleaner makes it usable again.  Running out is a drop, not a fault; where nothing is to be lost,
the cleaner then comes at once, and the memory grows.
The layout of a chunk follows dtrace_dynvar_t (<sys/dtrace_impl.h>).
"""

from __future__ import annotations

from runtime.framework.base.storage import anonymous
from runtime.framework.firing.memory import DYNAMICS, OFFSET_MASK, base

HEADER = 48  # sizeof (dtrace_dynvar_t), one key included
KEY = 16  # sizeof (dtrace_key_t)
HASH_BUCKET = 64  # sizeof (dtrace_dynhash_t)
CHUNK_DEFAULT = 256
_BATCH = 64  # untouched chunks that are made free at once
_GROWTH = 1024  # chunks by which the memory grows

Key = tuple[object, ...] | int
_OF_THREAD = 2  # parts of a thread-local scalar's key: the variable and the thread


class Table(dict[Key, int]):
    """Key → value or, for a by-reference variable, the address of its data; `chunks` each one's chunk."""

    __slots__ = ("chunks",)

    def __init__(self) -> None:
        super().__init__()
        self.chunks: dict[Key, int] = {}


class Tables(dict[int, Table]):
    """A table for each variable, by its id."""

    def __missing__(self, number: int) -> Table:
        table = self[number] = Table()
        return table


class DynamicVariables:
    """Every dynamic variable of a state, in `size` bytes of memory, which grow to `most` if that is more.

    A key holds the variable's id, then thread id and tuple members as integers and bytes.  That of a
    thread-local scalar, which has a table of its own, is the thread id alone.  The lists `free` and `dirty`
    of a CPU stay the same ones: compiled clauses hold them.
    """

    def __init__(self, size: int, chunk: int, ncpus: int, most: int = 0) -> None:
        self.chunk = chunk or CHUNK_DEFAULT
        self.size = max(size, self.chunk + HASH_BUCKET)
        buckets = self.size // (self.chunk + HASH_BUCKET)
        if buckets != 1:
            buckets &= ~1
        start = buckets * HASH_BUCKET
        share = (self.size - start) // ncpus // self.chunk * self.chunk
        self.start = start
        self.fresh: list[tuple[int, int]] = []  # untouched chunks: next, end
        at = start
        for cpu in range(ncpus):
            end = self.size if share == 0 or cpu == ncpus - 1 else at + share
            chunks = max((end - at - 1) // self.chunk, 1)  # a kernel stops one short of its limit
            self.fresh.append((at, at + chunks * self.chunk) if share or cpu == 0 else (0, 0))
            at = end
        self.free: list[list[int]] = [[] for _ in range(ncpus)]
        self.dirty: list[list[int]] = [[] for _ in range(ncpus)]
        self.rinsing: list[list[int]] = [[] for _ in range(ncpus)]
        self.clean: list[list[int]] = [[] for _ in range(ncpus)]
        self.drops = self.dirty_drops = self.rinsing_drops = 0
        self._most = most
        self._grown = start + -(-(self.size - start) // self.chunk) * self.chunk  # what is used so far
        self.storage = anonymous(max(self.size, most))
        self.threads = Tables()
        self.arrays = Table()
        self.thread_arrays = Table()
        self.live: dict[int, int] = {}  # chunk of a by-reference variable → offset of its data within

    def _take(self, cpu: int) -> int:
        """A chunk for `cpu`; -1 if there is none: then it counts the drop."""
        found = self._find(cpu)
        if found < 0 and self._most:
            self._make_room(cpu)
            found = self._find(cpu)
        if found < 0:
            if any(self.rinsing):
                self.rinsing_drops += 1
            elif any(self.dirty):
                self.dirty_drops += 1
            else:
                self.drops += 1
        return found

    def _make_room(self, cpu: int) -> None:
        """Clean what has rinsed; else let the memory grow, if it may."""
        self.cleanup()
        if not any(self.clean):
            end = min(self._grown + _GROWTH * self.chunk, self._most)
            self.fresh[cpu] = self._grown, end
            self._grown += (end - self._grown) // self.chunk * self.chunk

    def _find(self, cpu: int) -> int:
        """A chunk for `cpu`, -1 if there is none."""
        ncpus = len(self.free)
        for step in range(ncpus):
            owner = (cpu + step) % ncpus
            if self.free[owner]:
                return self.free[owner].pop()
            at, end = self.fresh[owner]
            if at and at + self.chunk <= end:
                last = min(at + _BATCH * self.chunk, end)
                self.free[owner] += reversed(range(at, last - self.chunk + 1, self.chunk))
                self.fresh[owner] = (at + len(self.free[owner]) * self.chunk, end)
                return self.free[owner].pop()
            if self.clean[owner]:
                self.free[cpu] += self.clean[owner]
                self.clean[owner].clear()
                return self.free[cpu].pop()
        return -1

    def allocate(self, cpu: int, table: Table, key: Key, data_size: int, by_reference: int) -> int:
        """Make the variable, with `data_size` bytes of data; returns its address, -1: dropped, 0: not made.

        A variable that no chunk can hold is counted as a drop, yet the clause
        goes on; the id and the thread are parts of the key and take room, too.
        """
        if isinstance(key, int):
            offset = self.data_at(_OF_THREAD)
        else:
            offset = self.data_at(len(key))
            for part in key:
                if isinstance(part, bytes):
                    offset += (len(part) + 7) & ~7
        if offset + data_size > self.chunk:
            self.drops += 1
            return 0
        free = self.free[cpu]
        chunk = free.pop() if free else self._take(cpu)
        if chunk < 0:
            return -1
        table.chunks[key] = chunk
        if by_reference:
            self.live[chunk] = offset
        address = table[key] = base(DYNAMICS) + chunk + offset
        return address

    @staticmethod
    def data_at(parts: int) -> int:
        """Where in its chunk a variable's data begin, if its key has so many parts and no bytes."""
        return HEADER + KEY * (parts - 1)

    def release(self, cpu: int, table: Table, key: Key) -> None:
        """Assigning zero: the variable goes, its chunk is dirty."""
        chunk = table.chunks.pop(key, None)
        if chunk is not None:
            del table[key]
            self.live.pop(chunk, None)
            self.dirty[cpu].append(chunk)

    def cleanup(self) -> None:
        """One run of the cleaner: what was rinsing is clean, what was dirty rinses."""
        for cpu in range(len(self.free)):
            self.clean[cpu] += self.rinsing[cpu]
            self.rinsing[cpu] = self.dirty[cpu].copy()
            self.dirty[cpu].clear()

    def writable(self, address: int, size: int) -> bool:
        """Whether DIF may store there: within the keys or data of one live variable."""
        at = (address & OFFSET_MASK) - self.start
        if at < 0:
            return False
        within = at % self.chunk
        offset = self.live.get(self.start + at - within)
        return offset is not None and within >= offset and within + size <= self.chunk


def chunk_size(nkeys: int, key_sizes: int, data_size: int) -> int:
    """Bytes of a chunk for such a variable, rounded up to 8."""
    return (HEADER + KEY * (nkeys - 1) + key_sizes + data_size + 7) & ~7
