"""inotify(7): a file from which a program reads what happens to other files."""

from __future__ import annotations

import errno
import os
import struct
from collections import deque
from typing import TYPE_CHECKING

from runtime.kernel.base.wait import WaitQueue
from runtime.kernel.vfs.eventfd import AnonymousNode
from runtime.kernel.vfs.ioctls import FIONREAD
from runtime.kernel.vfs.vnode import DELETE_SELF, IS_DIRECTORY, NAMELESS, READABLE, File, Vnode, failure

if TYPE_CHECKING:
    from runtime.kernel.base.budgets import Allowance
    from runtime.kernel.base.caller import Caller

OVERFLOW, IGNORED = 0x4000, 0x8000
EXCLUDE_UNLINKED, ONE_SHOT = 0x04000000, 0x80000000
ALL_EVENTS = 0xFFF
EVENT, WATCH = 512, 1024  # bytes of kernel memory that an event takes, and a watch with its node
LIMIT = 16384  # events that may wait
_EVENT = struct.Struct("<iIII")  # struct inotify_event: watch, mask, cookie, bytes of the name


class _Watch:
    """One watched node; the program knows it by `number`."""

    __slots__ = ("mask", "number", "owner", "vnode")

    def __init__(self, owner: InotifyFile, number: int, vnode: Vnode, mask: int) -> None:
        self.owner = owner
        self.number = number
        self.vnode = vnode
        self.mask = mask

    def notice(self, event: int, cookie: int, name: bytes) -> None:
        if event & NAMELESS and self.mask & EXCLUDE_UNLINKED:
            return
        event &= ~NAMELESS
        if event & self.mask & ALL_EVENTS:
            self.owner.put(self.number, event, cookie, name)
        if event & DELETE_SELF or (self.mask & ONE_SHOT and event & self.mask & ALL_EVENTS):
            self.owner.remove(self.number)


class InotifyFile(File):
    """What inotify_init returns.  Events that wait take from `heap`."""

    def __init__(self, flags: int, heap: Allowance) -> None:
        super().__init__(AnonymousNode(b"inotify"), os.O_RDONLY | flags & os.O_NONBLOCK)
        self.queue = WaitQueue("inotify")
        self._watches: dict[int, _Watch] = {}
        self._last = 0  # the number that the last watch got
        self._heap = heap
        self._events: deque[tuple[int, int, int, bytes]] = deque()

    def watch(self, vnode: Vnode, mask: int, *, add: bool, create: bool) -> int:
        """Watch a node and return the number of the watch.

        A watch that is there already gets `mask`, and with `add` keeps its own too.  Raises EEXIST for it
        with `create`; ENOSPC where there is no memory for one more.
        """
        known = next((watch for watch in vnode.watches or ()
                      if isinstance(watch, _Watch) and watch.owner is self), None)
        if known is not None:
            if create:
                raise failure(errno.EEXIST)
            known.mask = mask | (known.mask if add else 0)
            return known.number
        try:
            self._heap.take(WATCH)
        except OSError:
            raise failure(errno.ENOSPC) from None
        self._last += 1
        watch = self._watches[self._last] = _Watch(self, self._last, vnode, mask)
        vnode.watches = [*(vnode.watches or ()), watch]
        return self._last

    def remove(self, number: int) -> None:
        """End a watch and queue that as its last event.  Raises EINVAL."""
        watch = self._watches.pop(number, None)
        if watch is None:
            raise failure(errno.EINVAL)
        self._forget(watch)
        self.put(number, IGNORED, 0, b"")

    def put(self, number: int, event: int, cookie: int, name: bytes) -> None:
        """Queue an event, unless it repeats the one before."""
        if event & DELETE_SELF:
            event &= ~IS_DIRECTORY
        if len(self._events) >= LIMIT:
            number, event, cookie, name = -1, OVERFLOW, 0, b""
        if not self._events or self._events[-1] != (number, event, cookie, name):
            try:
                self._heap.take(EVENT)
            except OSError:
                return  # lost: there is not even memory to say so
            self._events.append((number, event, cookie, name))
        assert self.queue is not None
        self.queue.wake_all()

    def read(self, size: int) -> bytes:
        if not self._events:
            raise failure(errno.EAGAIN)
        data = b""
        while self._events:
            record = _record(*self._events[0])
            if len(data) + len(record) > size:
                break
            data += record
            self._events.popleft()
            self._heap.give(EVENT)
        if not data:
            raise failure(errno.EINVAL)
        return data

    def poll(self) -> int:
        return READABLE if self._events else 0

    def ioctl(self, thread: Caller, request: int, argument: int) -> int:
        if request != FIONREAD:
            return super().ioctl(thread, request, argument)
        size = sum(len(_record(*event)) for event in self._events)
        thread.write(argument, size.to_bytes(4, "little"))
        return 0

    def close(self) -> None:
        self._heap.give(EVENT * len(self._events))
        self._events.clear()
        for watch in self._watches.values():
            self._forget(watch)

    def _forget(self, watch: _Watch) -> None:
        self._heap.give(WATCH)
        watch.vnode.watches = [other for other in watch.vnode.watches or () if other is not watch] or None


def _record(number: int, event: int, cookie: int, name: bytes) -> bytes:
    length = -(-(len(name) + 1) // _EVENT.size) * _EVENT.size if name else 0
    return _EVENT.pack(number, event, cookie, length) + name.ljust(length, b"\0")
