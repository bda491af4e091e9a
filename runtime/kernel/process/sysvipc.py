"""System V's shared memory, semaphores and message queues, by number and by key.

Permissions, numbers and the tables of /proc/sysvipc are as sysvipc(7) and proc(5) describe them.
"""

from __future__ import annotations

import errno
import struct
from collections import deque
from collections.abc import Callable, Iterator
from heapq import heappop, heappush

from runtime.kernel.base.clock import SECOND
from runtime.kernel.base.errors import SyscallError
from runtime.kernel.base.privileges import IPC_DAC_READ, IPC_DAC_WRITE, IPC_OWNER
from runtime.kernel.base.wait import WaitQueue
from runtime.kernel.memory.physical import PAGE

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from typing import Generic, TypeVar

    from runtime.kernel.base.budgets import Allowance
    from runtime.kernel.base.caller import CallerZone
    from runtime.kernel.base.identity import Identity
    from runtime.kernel.memory.addrspace import AddressSpace
    from runtime.kernel.memory.physical import SharedPages
    from runtime.kernel.process.process import Process
    from runtime.kernel.process.zones import Zone
    from runtime.kernel.vfs.mqueue import Queues

    T = TypeVar("T", bound="Shared")
else:
    T = None

    class Generic:
        """What a class is derived from that is of a type, for those who check types."""

        def __class_getitem__(cls, _type: object) -> type:
            return cls


IPC_PRIVATE, IPC_CREAT, IPC_EXCL, IPC_NOWAIT = 0, 0o1000, 0o2000, 0o4000
READ, WRITE = 4, 2
OBJECT, SEMAPHORE, SEMAPHORE_UNDO, MESSAGE = 1024, 16, 128, 256  # bytes of kernel memory for each
MOST_SEGMENTS, MOST_SETS, MOST_QUEUES = 4096, 32000, 32000  # SHMMNI, SEMMNI, MSGMNI
SLOTS = 32768  # a number is: place in the table + SLOTS * how often places have been given out
MAX_VALUE = 32767  # of a semaphore


class Shared:
    """What the three kinds have in common.  Times are ns since 1970; 0 stands for never."""

    def __init__(self, key: int, mode: int, identity: Identity, now: int) -> None:
        self.key = key
        self.number = 0
        self.mode = mode & 0o777
        self.uid = self.creator_uid = identity.euid
        self.gid = self.creator_gid = identity.egid
        self.changed = now
        self.removed = False
        self.cost = OBJECT  # bytes of kernel memory
        self.zone: Zone | None = None  # whose processes know it, besides those of the global zone

    def demand(self, identity: Identity, wanted: int) -> None:
        """Raise EACCES unless `identity` has the rights of `wanted` (READ, WRITE)."""
        if identity.euid in (self.uid, self.creator_uid):
            granted = self.mode >> 6
        elif {self.gid, self.creator_gid} & {identity.egid, *identity.groups}:
            granted = self.mode >> 3
        else:
            granted = self.mode
        missing = wanted & ~granted
        if ((missing & READ and not identity.has(IPC_DAC_READ))
                or (missing & WRITE and not identity.has(IPC_DAC_WRITE))):
            raise SyscallError(errno.EACCES)

    def demand_owner(self, identity: Identity) -> None:
        """Raise EPERM unless `identity` owns or created it."""
        if identity.euid not in (self.uid, self.creator_uid):
            identity.demand(IPC_OWNER)

    def permissions(self, bits: int) -> bytes:
        """Return a struct ipc64_perm: 48 bytes for 64-bit programs, 36 for 32-bit ones."""
        who = (self.key & 0xFFFFFFFF, self.uid, self.gid, self.creator_uid, self.creator_gid, self.mode)
        return struct.pack("<6IH22x" if bits == 64 else "<6IH10x", *who, self.number // SLOTS & 0xFFFF)

    def owners(self) -> str:
        return f" {self.uid:5} {self.gid:5} {self.creator_uid:5} {self.creator_gid:5}"

    def row(self) -> str:
        """Return its line of the table in /proc/sysvipc."""
        raise NotImplementedError


class Segment(Shared):
    """Shared memory of `size` bytes; `attached()` returns the number of its mappings."""

    DESTROYED = 0o1000  # a bit of the mode: it is removed with its last mapping

    def __init__(self, key: int, mode: int, identity: Identity, now: int, size: int, pages: SharedPages,
                 creator: int) -> None:
        super().__init__(key, mode, identity, now)
        self.size = size
        self.pages = pages
        self.creator, self.last = creator, 0
        self.attach_time = self.detach_time = 0
        self.attached: Callable[[], int] = lambda: 0

    def row(self) -> str:
        times = (self.attach_time, self.detach_time, self.changed)
        resident = len(self.pages.frames) * PAGE
        return (f"{self.key:10} {self.number:10}  {self.mode:4o} {self.size:21} {self.creator:5} "
                f"{self.last:5}  {self.attached():5}{self.owners()}"
                + "".join(f" {time // SECOND:10}" for time in times) + f" {resident:21} {0:21}")


class SemaphoreSet(Shared):
    """Semaphores: their values, and the processes that changed each last."""

    def __init__(self, key: int, mode: int, identity: Identity, now: int, count: int) -> None:
        super().__init__(key, mode, identity, now)
        self.cost += SEMAPHORE * count
        self.values = [0] * count
        self.pids = [0] * count
        self.operated = 0  # time of the last semop(2)
        self.waiting: list[tuple[int, bool]] = []  # by sleeping caller: semaphore, whether for 0
        self.queue = WaitQueue("semop")
        self._undo: dict[Process, dict[int, int]] = {}  # changes by semaphore when it ends

    def note_undo(self, process: Process, at: int, change: int) -> None:
        """Remember to add `change` to a semaphore when the process ends."""
        mine = self._undo.setdefault(process, {})
        mine[at] = mine.get(at, 0) + change

    def undoes(self, process: Process, at: int) -> bool:
        """Whether a change of a semaphore is remembered for a process."""
        return at in self._undo.get(process, ())

    def forget_undo(self, at: int) -> int:
        """Forget what processes have left to be added to a semaphore; return how many had."""
        return sum(changes.pop(at, None) is not None for changes in self._undo.values())

    def undo(self, process: Process) -> int:
        """Add what an ended process has left to be added; return to how many semaphores."""
        changes = self._undo.pop(process, {})
        for at, change in changes.items():
            self.values[at] = max(0, min(MAX_VALUE, self.values[at] + change))
            self.pids[at] = process.pid
            self.queue.wake_all()
        return len(changes)

    def row(self) -> str:
        return (f"{self.key:10} {self.number:10}  {self.mode:4o} {len(self.values):10}{self.owners()}"
                f" {self.operated // SECOND:10} {self.changed // SECOND:10}")


class MessageQueue(Shared):
    """A queue of messages, each a type and its bytes."""

    LIMIT = 16384  # bytes a queue holds, unless its owner says otherwise

    def __init__(self, key: int, mode: int, identity: Identity, now: int) -> None:
        super().__init__(key, mode, identity, now)
        self.messages: deque[tuple[int, bytes]] = deque()
        self.limit = self.LIMIT
        self.sent = self.received = 0  # times of the last msgsnd(2) and msgrcv(2)
        self.sender = self.receiver = 0  # process numbers of the last
        self.queue = WaitQueue("msg")

    @property
    def size(self) -> int:
        return self.cost - OBJECT - MESSAGE * len(self.messages)

    def row(self) -> str:
        return (f"{self.key:10} {self.number:10}  {self.mode:4o}  {self.size:10} {len(self.messages):10} "
                f"{self.sender:5} {self.receiver:5}{self.owners()} {self.sent // SECOND:10}"
                f" {self.received // SECOND:10} {self.changed // SECOND:10}")


class Registry(Generic[T]):
    """All segments, semaphore sets or queues.  `heading` is the first line of their table."""

    def __init__(self, heap: Allowance, most: int, heading: str) -> None:
        self.heap = heap
        self._most = most
        self._heading = heading
        self._known: dict[int, T] = {}  # by place
        self._free: list[int] = []  # places that were given back, a heap
        self._sequence = 0

    def __iter__(self) -> Iterator[T]:
        return iter(list(self._known.values()))

    def get(self, key: int, flags: int, process: Process, make: Callable[[], T]) -> T:
        """Return what `key` names in the zone of a process, made if `flags` ask for that.

        Raises ENOENT, EEXIST, EACCES, and what `make` raises.
        """
        known = next((each for each in self._known.values()
                      if each.key == key and each.zone is process.zone), None)
        if known is None or key == IPC_PRIVATE:
            if key != IPC_PRIVATE and not flags & IPC_CREAT:
                raise SyscallError(errno.ENOENT)
            return self._add(make(), process.zone)
        if flags & IPC_CREAT and flags & IPC_EXCL:
            raise SyscallError(errno.EEXIST)
        known.demand(process.identity, (flags >> 6 | flags >> 3 | flags) & 0o7)
        return known

    def _add(self, new: T, zone: Zone) -> T:
        if len(self._known) >= self._most:
            raise SyscallError(errno.ENOSPC)
        self.heap.take(new.cost)
        place = heappop(self._free) if self._free else len(self._known)
        new.number = self._sequence % SLOTS * SLOTS + place
        self._known[place], new.zone = new, zone
        return new

    def find(self, number: int, zone: Zone) -> T:
        """Return what has a number, as far as a zone knows of it.  Raises EINVAL."""
        found = self.at(number, zone)
        if found.number != number:
            raise SyscallError(errno.EINVAL)
        return found

    def at(self, number: int, zone: Zone) -> T:
        """Return what has the place of a number, as far as a zone knows of it.  Raises EINVAL."""
        found = self._known.get(number % SLOTS) if number >= 0 else None
        if found is None or not _known_in(zone, found):
            raise SyscallError(errno.EINVAL)
        return found

    def seen(self, zone: CallerZone) -> list[T]:
        """Return all that a zone knows of."""
        return [each for each in self if _known_in(zone, each)]

    def charge(self, grown: T, size: int) -> None:
        """Take kernel memory for an object that grows.  Raises ENOMEM."""
        self.heap.take(size)
        grown.cost += size

    def remove(self, gone: T) -> None:
        self.heap.give(gone.cost)
        del self._known[gone.number % SLOTS]
        heappush(self._free, gone.number % SLOTS)
        self._sequence += 1
        gone.removed = True

    def table(self, zone: CallerZone) -> bytes:
        """Return the text of the file in /proc/sysvipc, as a zone sees it."""
        rows = (each.row() for each in self.seen(zone))
        return "".join(f"{line}\n" for line in (self._heading, *rows)).encode()


def _known_in(zone: CallerZone, shared: Shared) -> bool:
    return shared.zone is not None and zone.sees(shared.zone)


_OWNERS = "   uid   gid  cuid  cgid"


class Ipc:
    """All that a kernel has of the three kinds."""

    def __init__(self, heap: Allowance) -> None:
        self._queues: dict[int, Queues] = {}  # by the numbers of zones
        self.segments = Registry[Segment](
            heap, MOST_SEGMENTS,
            "       key      shmid perms                  size  cpid  lpid nattch" + _OWNERS
            + "      atime      dtime      ctime                   rss                  swap")
        self.semaphores = Registry[SemaphoreSet](
            heap, MOST_SETS,
            "       key      semid perms      nsems" + _OWNERS + "      otime      ctime")
        self.messages = Registry[MessageQueue](
            heap, MOST_QUEUES,
            "       key      msqid perms      cbytes       qnum lspid lrpid" + _OWNERS
            + "      stime      rtime      ctime")

    def queues_of(self, zone: Zone) -> Queues:
        """Return the POSIX message queues that a zone knows."""
        from runtime.kernel.vfs.mqueue import Queues  # few programs need them

        return self._queues.setdefault(zone.id, Queues(self.messages.heap))

    def space_copied(self, space: AddressSpace, pid: int, now: int) -> None:
        """A process has forked: its child attaches what it has attached."""
        for each in self._attached(space):
            each.attach_time, each.last = now, pid

    def space_dropped(self, space: AddressSpace, pid: int, now: int) -> None:
        """The last process of a space has ended or executes another program: that detaches all."""
        for each in self._attached(space):
            each.detach_time, each.last = now, pid

    def _attached(self, space: AddressSpace) -> list[Segment]:
        return [each for each in self.segments if any(area.pages is each.pages for area in space.areas)]

    def process_ended(self, process: Process) -> None:
        for each in self.semaphores:
            self.semaphores.charge(each, -SEMAPHORE_UNDO * each.undo(process))
