"""epoll(7): a file that watches other files and remembers which of them may have become ready."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator, Sequence

from dif.limits import MASK
from runtime.kernel.base.budgets import Allowance, Budget
from runtime.kernel.base.wait import WaitQueue
from runtime.kernel.vfs.vnode import POLLERR, POLLHUP, READABLE, WRITABLE, File, Vnode, failure

WATCH = 512  # bytes of kernel memory
DEEPEST = 5  # such files that watch one another in a row (EP_MAX_NESTS of Linux, and the one at the end)
EPOLLONESHOT, EPOLLET, EPOLLEXCLUSIVE = 1 << 30, 1 << 31, 1 << 28
EPOLLWAKEUP = 1 << 29
_WITH_EXCLUSIVE = READABLE | WRITABLE | POLLERR | POLLHUP | EPOLLWAKEUP | EPOLLET | EPOLLEXCLUSIVE
ALWAYS = POLLERR | POLLHUP  # are told, asked for or not, until EPOLLONESHOT ends that
_FLAGS = EPOLLONESHOT | EPOLLET | EPOLLEXCLUSIVE | EPOLLWAKEUP


class Watch:
    """One file in the interest list.  It stands in the file's queue as a sleeper that never leaves."""

    __slots__ = ("data", "descriptor", "events", "file", "owner", "queues")

    def __init__(self, owner: EpollFile, descriptor: int, file: File, events: int, data: int) -> None:
        self.owner = owner
        self.descriptor = descriptor
        self.file = file
        self.events = events | ALWAYS
        self.data = data
        self.queues: Sequence[WaitQueue] = () if file.queue is None else (file.queue,)

    def wakeup(self, queue: WaitQueue | None, events: int = 0) -> None:
        """The file may have become ready."""
        if not events or events & self.events & self.file.tells:
            self.owner.notice(self)

    def ready(self) -> int:
        """Return the wanted events that hold now."""
        return self.file.poll() & self.events & ~_FLAGS


class EpollFile(File):
    """What epoll_create returns."""

    def __init__(self, vnode: Vnode, heap: Allowance | None = None) -> None:
        super().__init__(vnode, os.O_RDWR)
        self._heap = heap or Budget(MASK)
        self.queue = WaitQueue("epoll")
        self._watches: dict[File, dict[int, Watch]] = {}  # those of each file, by their descriptors
        self._ready: dict[Watch, None] = {}

    def notice(self, watch: Watch) -> None:
        """Note that a watched file may have become ready; `collect` looks at it."""
        assert self.queue is not None
        self._ready.setdefault(watch)
        self.queue.wake_all()

    def add(self, descriptor: int, file: File, events: int, data: int) -> None:
        """Watch a file.  Raises EEXIST, EINVAL, ELOOP."""
        if file is self or (events & EPOLLEXCLUSIVE and (events & ~_WITH_EXCLUSIVE
                                                         or isinstance(file, EpollFile))):
            raise failure(errno.EINVAL)
        if descriptor in self._watches.get(file, ()):
            raise failure(errno.EEXIST)
        if isinstance(file, EpollFile) and (file.watches(self) or file.depth() + self.height() > DEEPEST):
            raise failure(errno.ELOOP)
        self._heap.take(WATCH)
        watch = Watch(self, descriptor, file, events, data)
        for queue in watch.queues:
            queue.join(watch)
        if file not in self._watches:
            self._watches[file] = {}
            file.on_close += (self._closed,)
        self._watches[file][descriptor] = watch
        self.notice(watch)

    def watches(self, other: EpollFile) -> bool:
        """Whether it watches `other`, directly or through another."""
        return any(other in files for files in _generations(self, EpollFile.watched))

    def watched(self) -> set[EpollFile]:
        """The files of its own kind that it watches."""
        return {file for file in self._watches if isinstance(file, EpollFile)}

    def watchers(self) -> set[EpollFile]:
        """The files of its own kind that watch it."""
        sleepers = self.queue.sleepers if self.queue is not None else ()
        return {sleeper.owner for sleeper in sleepers if isinstance(sleeper, Watch)}

    def depth(self) -> int:
        """How many such files watch one another in a row, from this one on."""
        return sum(1 for _ in _generations(self, EpollFile.watched)) + 1

    def height(self) -> int:
        """How many such files watch one another in a row, up to this one."""
        return sum(1 for _ in _generations(self, EpollFile.watchers)) + 1

    def modify(self, descriptor: int, file: File, events: int, data: int) -> None:
        """Change which events of a file are wanted.  Raises ENOENT, EINVAL."""
        if events & EPOLLEXCLUSIVE:
            raise failure(errno.EINVAL)
        watch = self._find(descriptor, file)
        if watch.events & EPOLLEXCLUSIVE:
            raise failure(errno.EINVAL)
        watch.events, watch.data = events | ALWAYS, data
        self.notice(watch)

    def remove(self, descriptor: int, file: File) -> None:
        """Watch a file no longer.  Raises ENOENT."""
        self._drop(self._find(descriptor, file))

    def collect(self, limit: int) -> list[tuple[int, int]]:
        """Return at most `limit` pairs (events, data) of files that are ready, longest ready first."""
        found: list[tuple[int, int]] = []
        for watch in list(self._ready):
            if len(found) == limit:
                break
            events = watch.ready()
            if not events or watch.events & EPOLLET or watch.file.queue is not None:
                del self._ready[watch]
            if not events:
                if watch.file.queue is None:
                    self._ready[watch] = None  # a file of the host does not wake when it becomes ready
                continue
            found.append((events, watch.data))
            if watch.events & EPOLLONESHOT:
                watch.events &= _FLAGS
            elif not watch.events & EPOLLET:
                self._ready[watch] = None
        return found

    def host_interests(self) -> list[tuple[File, int]]:
        """Return the watched files of the host, which have no queue, with the wanted events."""
        return [(file, watch.events & 0xFFFF) for file, watches in self._watches.items() if file.queue is None
                for watch in watches.values()]

    def poll(self) -> int:
        return READABLE if any(watch.ready() for watch in self._ready) else 0

    def close(self) -> None:
        for file in list(self._watches):
            self._closed(file)

    def _find(self, descriptor: int, file: File) -> Watch:
        watch = self._watches.get(file, {}).get(descriptor)
        if watch is None:
            raise failure(errno.ENOENT)
        return watch

    def _closed(self, file: File) -> None:
        for watch in list(self._watches[file].values()):
            self._drop(watch)

    def _drop(self, watch: Watch) -> None:
        self._heap.give(WATCH)
        watches = self._watches[watch.file]
        del watches[watch.descriptor]
        if not watches:
            del self._watches[watch.file]
            watch.file.on_close = tuple(call for call in watch.file.on_close if call != self._closed)
        self._ready.pop(watch, None)
        for queue in watch.queues:
            queue.leave(watch)


def _generations(file: EpollFile, related: Callable[[EpollFile], set[EpollFile]]) -> Iterator[set[EpollFile]]:
    """Yield those that are related to a file, those that are to them, and so on; at most DEEPEST times."""
    files = related(file)
    for _ in range(DEEPEST):
        if not files:
            return
        yield files
        files = set().union(*map(related, files))
