"""Kernel memory: named regions at kernel addresses, for objects that probes look at.

User programs never see it.  A region has bytes, or makes them when they are read.
"""

from __future__ import annotations

import bisect
from collections.abc import Callable

from runtime.kernel.base.errors import MemoryFault

HEAP_BASE = 0xFFFFFE0000000000  # addresses of what is allocated piece by piece
HEAP_SIZE = 1 << 30
DEVICE_BASE = 0xFFFFFF0000000000  # physical addresses of devices' registers are mapped from here on
DEVICES = {"ioapic": (0xFEC00000, 4096), "hpet": (0xFED00000, 1024), "apic": (0xFEE00000, 4096)}
ALIGNMENT = 64


class Region:
    """The addresses [base, base + size).  `data` holds its bytes.

    A device's region has no data: loads and stores of its registers fault, as they must not happen.
    """

    def __init__(self, name: str, base: int, size: int, data: bytearray | None) -> None:
        self.name = name
        self.base = base
        self.size = size
        self.data = data

    @property
    def device(self) -> bool:
        return self.data is None

    def read(self, start: int, size: int) -> bytes:
        """Return `size` bytes from `start` bytes into the region.  Raises MemoryFault."""
        if self.data is None:
            raise MemoryFault(self.base + start)
        return bytes(self.data[start:start + size])


class KernelMemory:
    """The kernel's address space.  Addresses are unsigned 64-bit integers."""

    def __init__(self) -> None:
        self._bases: list[int] = []
        self._regions: list[Region] = []
        self._next = HEAP_BASE
        self._free: dict[int, list[int]] = {}
        self.populate: Callable[[], None] | None = None  # called once, when an address has no region
        for name, (address, size) in DEVICES.items():
            self.add(Region(name, DEVICE_BASE + address, size, None))

    def add(self, region: Region) -> Region:
        """Put a region in place.  Raises ValueError when it would overlap another."""
        at = bisect.bisect_right(self._bases, region.base)
        before = self._regions[at - 1] if at else None
        after = self._regions[at] if at < len(self._regions) else None
        if (before and before.base + before.size > region.base) or (
                after and region.base + region.size > after.base):
            raise ValueError(f"{region.name} overlaps another region")
        self._bases.insert(at, region.base)
        self._regions.insert(at, region)
        return region

    def allocate(self, name: str, size: int) -> Region:
        """Return a new region of `size` zero bytes in the heap, aligned to 64 bytes."""
        rounded = (size + ALIGNMENT - 1) & -ALIGNMENT
        reusable = self._free.get(rounded)
        if reusable:
            base = reusable.pop()
        else:
            base, self._next = self._next, self._next + rounded
        return self.add(Region(name, base, size, bytearray(size)))

    def free(self, region: Region) -> None:
        """Remove a region; the heap may give out its addresses again."""
        at = bisect.bisect_left(self._bases, region.base)
        del self._bases[at], self._regions[at]
        if HEAP_BASE <= region.base < HEAP_BASE + HEAP_SIZE:
            rounded = (region.size + ALIGNMENT - 1) & -ALIGNMENT
            self._free.setdefault(rounded, []).append(region.base)

    def find(self, address: int) -> Region | None:
        at = bisect.bisect_right(self._bases, address) - 1
        if at >= 0 and address < self._bases[at] + self._regions[at].size:
            return self._regions[at]
        return None

    def complete(self) -> bool:
        """Add the regions that `populate` makes, if it has not; returns whether it did so now."""
        populate, self.populate = self.populate, None
        if populate is not None:
            populate()
        return populate is not None

    def load(self, address: int, size: int) -> bytes:
        """Return bytes.  Raises MemoryFault where there is no region, or a device's."""
        region = self.find(address)
        if region is None:
            if not self.complete():
                raise MemoryFault(address)
            return self.load(address, size)
        start = address - region.base
        if start + size <= region.size:
            return region.read(start, size)
        first = region.size - start
        return region.read(start, first) + self.load(address + first, size - first)

    def store(self, address: int, data: bytes) -> None:
        """Store bytes.  Raises MemoryFault as `load`."""
        region = self.find(address)
        if region is None or region.data is None:
            raise MemoryFault(address)
        start = address - region.base
        first = min(len(data), region.size - start)
        region.data[start:start + first] = data[:first]
        if first < len(data):
            self.store(address + first, data[first:])
