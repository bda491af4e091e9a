"""The scratch area of a process: slots of code near the code they stand for.

It is mapped like the [uprobes] page of Linux: the program sees it among its
mappings, far from where the kernel usually puts mappings.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from runtime.kernel.base.errors import SyscallError
from runtime.kernel.memory.addrspace import PROT_EXEC, PROT_READ, Area

if TYPE_CHECKING:
    from runtime.kernel.memory.addrspace import AddressSpace

AWAY = 1 << 30  # from the code: reachable by a jump, beyond what programs map next to it
REACH = (1 << 31) - (1 << 28)
LOWEST = 0x10000
REGION = 1 << 18
NAME = b"[fasttrap]"


class Region:
    """A mapping full of slots of one size."""

    def __init__(self, start: int, slot_size: int) -> None:
        self.start = start
        self.slot_size = slot_size
        self._next = start
        self._free: list[int] = []

    def take(self, occupied: Callable[[int], bool]) -> int | None:
        """An unused slot; a used one only when no thread is in it any more."""
        if self._next + self.slot_size <= self.start + REGION:
            self._next += self.slot_size
            return self._next - self.slot_size
        for index, slot in enumerate(self._free):
            if not occupied(slot):
                return self._free.pop(index)
        return None

    def give(self, slot: int) -> None:
        self._free.append(slot)

    def slot_of(self, address: int) -> int:
        """The beginning of the slot that `address` lies in."""
        return address - (address - self.start) % self.slot_size


class Scratch:
    """All slots of one address space; `occupied(slot)` says whether a thread is in a slot.

    Code in a slot refers to what is less than `reach` bytes away.
    """

    def __init__(self, space: AddressSpace, slot_size: int, reach: int,
                 occupied: Callable[[int], bool]) -> None:
        self._space = space
        self._slot_size = slot_size
        self._reach = reach
        self._occupied = occupied
        self._regions: list[Region] = []
        self._crowded: set[int] = set()  # where there was no room for another region

    def take(self, near: int, anywhere: bool) -> int | None:
        """The address of a slot that code at `near` can jump to and from; None if there is no room.

        If there is none in reach and `anywhere` will do, the slot is out of reach.
        """
        for region in self._regions:
            if abs(region.start - near) < self._reach:
                slot = region.take(self._occupied)
                if slot is not None:
                    return slot
        start = self._room(near) if near // REGION not in self._crowded else None
        if start is None:
            self._crowded.add(near // REGION)
            return self._take_far() if anywhere else None
        return self._map(start).take(self._occupied)

    def _take_far(self) -> int | None:
        for region in self._regions:
            slot = region.take(self._occupied)
            if slot is not None:
                return slot
        try:
            return self._map(self._space.free_range(REGION)).take(self._occupied)
        except SyscallError:
            return None

    def _map(self, start: int) -> Region:
        self._space.map(Area(start, start + REGION, PROT_READ | PROT_EXEC, path=NAME))
        self._regions.append(Region(start, self._slot_size))
        return self._regions[-1]

    def write(self, slot: int, code: bytes) -> None:
        self._space.patch(slot, code)

    def give(self, slot: int) -> None:
        for region in self._regions:
            if region.start <= slot < region.start + REGION:
                region.give(slot)

    def slot_of(self, address: int) -> int | None:
        """The slot that `address` lies in."""
        for region in self._regions:
            if region.start <= address < region.start + REGION:
                return region.slot_of(address)
        return None

    def unmap(self) -> None:
        """Take all slots away: none is in use any more."""
        for region in self._regions:
            self._space.unmap(region.start, region.start + REGION)
        self._regions, self._crowded = [], set()

    def drop(self, start: int, end: int) -> list[int]:
        """Give up the regions of which a part in [start, end) is about to go; returns the slots in them."""
        lost = [region for region in self._regions if region.start < end and start < region.start + REGION]
        self._regions = [region for region in self._regions if region not in lost]
        return [slot for region in lost
                for slot in range(region.start, region.start + REGION - self._slot_size + 1, self._slot_size)]

    def _room(self, near: int) -> int | None:
        """A free place in reach, as near as can be to AWAY bytes below the code."""
        preferred = near - min(AWAY, self._reach // 2) & -REGION
        low, high = max(LOWEST, near - self._reach), min(self._space.limit, near + self._reach)
        found = []
        for area in self._space.overlapping(low, high):
            found.append(_fit(low, area.start, preferred))
            low = max(low, area.end)
        found.append(_fit(low, high, preferred))
        return min((start for start in found if start is not None),
                   key=lambda start: abs(start - preferred), default=None)


def _fit(low: int, high: int, preferred: int) -> int | None:
    """The place for a region in [low, high) that is nearest to `preferred`."""
    first, last = low + REGION - 1 & -REGION, high - REGION & -REGION
    return min(max(preferred, first), last) if first <= last else None
