"""Locks on files: fcntl(2)'s record locks of processes and of open files, and flock(2)."""

from __future__ import annotations

from dif.records import Record, replace
from runtime.kernel.base.wait import WaitQueue

END = (1 << 63) - 1


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


class LockTable:
    """The locks of one vnode."""

    def __init__(self) -> None:
        self._locks: list[Lock] = []
        self.queue = WaitQueue("flk")

    def blocker(self, wanted: Lock) -> Lock | None:
        """Return a lock that conflicts with `wanted`, if there is one."""
        return next((lock for lock in self._locks if lock.conflicts(wanted)), None)

    def set(self, wanted: Lock) -> bool:
        """Grant a lock unless another conflicts; returns whether it is granted."""
        if self.blocker(wanted) is not None:
            return False
        self.clear(wanted.owner, wanted.start, wanted.end)
        self._locks.append(wanted)
        return True

    def clear(self, owner: object, start: int = 0, end: int = END) -> None:
        """Release [start, end) of every lock of `owner`."""
        kept: list[Lock] = []
        for lock in self._locks:
            if lock.owner is not owner or lock.end <= start or end <= lock.start:
                kept.append(lock)
                continue
            if lock.start < start:
                kept.append(replace(lock, end=start))
            if end < lock.end:
                kept.append(replace(lock, start=end))
        self._locks = kept
        self.queue.wake_all()


class Locks:
    """The locks of a vnode: those of fcntl(2) and those of flock(2) never conflict with one another."""

    def __init__(self) -> None:
        self.records = LockTable()
        self.whole = LockTable()
