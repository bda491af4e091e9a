"""Locks on files: fcntl(2)'s record locks of processes and of open files, and flock(2)."""

from __future__ import annotations

import bisect
import errno
import os
from collections.abc import Iterator

from dif.limits import MASK
from dif.records import Record, replace
from runtime.kernel.base.budgets import Allowance, Budget
from runtime.kernel.base.wait import WaitQueue

END = (1 << 63) - 1
MOST_LOCKS = 8192  # on a file
LOCK = 512  # bytes of kernel memory


class Lock(Record, frozen=True):
    """A lock on [start, end) that `owner`, a table of descriptors or an open file, holds or wants."""

    owner: object
    exclusive: bool
    start: int
    end: int
    pid: int = -1  # of the process that set it

    def conflicts(self, other: Lock) -> bool:
        return (self.owner is not other.owner and (self.exclusive or other.exclusive)
                and self.start < other.end and other.start < self.end)


def _start(lock: Lock) -> int:
    return lock.start


class LockTable:
    """The locks of one vnode: of each owner those that it holds, which are apart, in order."""

    def __init__(self, heap: Allowance | None = None) -> None:
        self._heap = heap or Budget(MASK)
        self._held: dict[int, list[Lock]] = {}  # by the owner's id()
        self._count = 0
        self.queue = WaitQueue("flk")

    def blocker(self, wanted: Lock) -> Lock | None:
        """Return a lock that conflicts with `wanted`, if there is one."""
        return next(self.blockers(wanted), None)

    def blockers(self, wanted: Lock) -> Iterator[Lock]:
        """Yield the locks that conflict with `wanted`."""
        others = (held for owner, held in self._held.items() if owner != id(wanted.owner))
        return (lock for held in others for lock in _overlapping(held, wanted.start, wanted.end)
                if lock.conflicts(wanted))

    def set(self, wanted: Lock) -> bool:
        """Grant a lock unless another conflicts; returns whether it is granted.

        Raises ENOLCK where there is no room for one more.
        """
        if self.blocker(wanted) is not None:
            return False
        self._grow(2)  # one more, and one that is cut in two
        self.clear(wanted.owner, wanted.start, wanted.end)
        held = self._held.setdefault(id(wanted.owner), [])
        at = bisect.bisect_left(held, wanted.start, key=_start)
        around = held[max(at - 1, 0):at + 1]  # neighbours of one kind are one lock
        joined = [each for each in around if each.exclusive == wanted.exclusive
                  and (each.end == wanted.start or wanted.end == each.start)]
        whole = replace(wanted, start=min(each.start for each in (wanted, *joined)),
                        end=max(each.end for each in (wanted, *joined)))
        held[max(at - 1, 0):at + 1] = sorted([whole, *(each for each in around if each not in joined)],
                                             key=_start)
        self._shrink()
        return True

    def clear(self, owner: object, start: int = 0, end: int = END) -> None:
        """Release [start, end) of every lock of `owner`."""
        held = self._held.get(id(owner))
        if not held:
            return
        gone = list(_overlapping(held, start, end))
        if gone:
            at = bisect.bisect_left(held, gone[0].start, key=_start)
            left = [replace(gone[0], end=start)] if gone[0].start < start else []
            right = [replace(gone[-1], start=end)] if end < gone[-1].end else []
            held[at:at + len(gone)] = left + right
            if not held:
                del self._held[id(owner)]
            self._shrink()
        self.queue.wake_all()

    def _grow(self, count: int) -> None:
        """Take what so many more locks need.  Raises ENOLCK."""
        if self._count + count > MOST_LOCKS:
            raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))
        try:
            self._heap.take(count * LOCK)
        except OSError:
            raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK)) from None
        self._count += count

    def _shrink(self) -> None:
        """Give back what the locks that are left do not need."""
        count = sum(map(len, self._held.values()))
        self._heap.give((self._count - count) * LOCK)
        self._count = count


def _overlapping(held: list[Lock], start: int, end: int) -> Iterator[Lock]:
    """Yield the locks of one owner that have a byte of [start, end)."""
    at = max(bisect.bisect_right(held, start, key=_start) - 1, 0)
    while at < len(held) and held[at].start < end:
        if start < held[at].end:
            yield held[at]
        at += 1


class Locks:
    """The locks of a vnode: those of fcntl(2) and those of flock(2) never conflict with one another."""

    def __init__(self, heap: Allowance | None = None) -> None:
        self.records = LockTable(heap)
        self.whole = LockTable(heap)
