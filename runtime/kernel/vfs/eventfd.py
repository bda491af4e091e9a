"""Files that stand for events: eventfd(2), timerfd_create(2), signalfd(2), pidfd_open(2)."""

from __future__ import annotations

import errno
import os
import struct
from collections.abc import Callable
from typing import TYPE_CHECKING

from runtime.kernel.base.signals import SignalInfo
from runtime.kernel.base.wait import WaitQueue
from runtime.kernel.vfs.vnode import POLLIN, POLLOUT, READABLE, Attributes, File, Vnode, failure

if TYPE_CHECKING:
    from runtime.kernel.base.caller import CallerProcess, Services
    from runtime.kernel.base.clock import Event

EFD_SEMAPHORE = 1
_MAX_COUNT = (1 << 64) - 2


class AnonymousNode(Vnode):
    """The node of a file that has no name; /proc/self/fd shows its `label`."""

    __slots__ = ("_label",)

    def __init__(self, label: bytes) -> None:
        super().__init__(Attributes(0o600, dev=0x0F, ino=1))
        self._label = label

    def full_path(self) -> bytes:
        return b"anon_inode:" + self._label


class EventFile(File):
    """A counter (eventfd): a read waits until it is not 0."""

    def __init__(self, count: int, flags: int) -> None:
        super().__init__(AnonymousNode(b"[eventfd]"), os.O_RDWR | flags & os.O_NONBLOCK)
        self.queue: WaitQueue = WaitQueue("eventfd")
        self._count = count
        self._semaphore = bool(flags & EFD_SEMAPHORE)

    def read(self, size: int) -> bytes:
        if size < 8:
            raise failure(errno.EINVAL)
        if not self._count:
            raise failure(errno.EAGAIN)
        value = 1 if self._semaphore else self._count
        self._count -= value
        self.queue.wake_all(POLLOUT)
        return value.to_bytes(8, "little")

    def write(self, data: bytes) -> int:
        if len(data) != 8:
            raise failure(errno.EINVAL)
        value = int.from_bytes(data, "little")
        if value > _MAX_COUNT:
            raise failure(errno.EINVAL)
        if self._count + value > _MAX_COUNT:
            raise failure(errno.EAGAIN)
        self._count += value
        self.queue.wake_all(POLLIN)
        return len(data)

    def poll(self) -> int:
        return (POLLIN if self._count else 0) | (POLLOUT if self._count < _MAX_COUNT else 0)


class TimerFile(File):
    """A timer (timerfd): a read waits until it expires.

    `now()` returns its clock in ns; `after(delay, function)` has a function called in `delay` ns.
    """

    def __init__(self, flags: int, now: Callable[[], int],
                 after: Callable[[int, Callable[[], None]], Event]) -> None:
        super().__init__(AnonymousNode(b"[timerfd]"), os.O_RDWR | flags & os.O_NONBLOCK)
        self.queue = WaitQueue("timerfd")
        self.now = now
        self._after = after
        self._event: Event | None = None
        self._next = 0  # when it expires, on its own clock; 0: it is disarmed
        self._interval = 0
        self._expired = 0

    def set(self, value: int, interval: int, *, absolute: bool) -> None:
        """Expire after `value` ns, or at that time if `absolute`, and then every `interval` ns; 0 disarms."""
        if self._event is not None:
            self._event.cancel()
            self._event = None
        self._expired = 0
        self._interval = interval
        self._next = 0
        if value:
            self._next = value if absolute else self.now() + value
            self._arm()

    def get(self) -> tuple[int, int]:
        """Return the ns until it expires (0: it is disarmed), and the interval."""
        return (max(1, self._next - self.now()) if self._next else 0), self._interval

    def _arm(self) -> None:
        self._event = self._after(max(0, self._next - self.now()), self._expire)

    def _expire(self) -> None:
        assert self.queue is not None
        self._expired += 1
        if self._interval:
            self._next += self._interval
            self._arm()
        else:
            self._next, self._event = 0, None
        self.queue.wake_all()

    def read(self, size: int) -> bytes:
        if size < 8:
            raise failure(errno.EINVAL)
        if not self._expired:
            raise failure(errno.EAGAIN)
        count, self._expired = self._expired, 0
        return count.to_bytes(8, "little")

    def poll(self) -> int:
        return POLLIN if self._expired else 0

    def close(self) -> None:
        if self._event is not None:
            self._event.cancel()


class ProcessFile(File):
    """A process (pidfd): the file is readable once the process has ended."""

    def __init__(self, flags: int, process: CallerProcess) -> None:
        super().__init__(AnonymousNode(b"[pidfd]"), os.O_RDWR | flags & os.O_NONBLOCK)
        self.queue = process.ended
        self.process = process

    def poll(self) -> int:
        return READABLE if self.process.zombie else 0


_SIGNALFD_INFO = struct.Struct("<IiiIIiIIIIiIQQQQHxxiQI28x")  # struct signalfd_siginfo


class SignalFile(File):
    """Signals (signalfd): a read takes those in `mask` that are pending for the current thread.

    Every signal that becomes pending wakes the queue.
    """

    def __init__(self, flags: int, mask: int, kernel: Services) -> None:
        super().__init__(AnonymousNode(b"[signalfd]"), os.O_RDWR | flags & os.O_NONBLOCK)
        self.queue = WaitQueue("signalfd")
        self.mask = mask
        self._kernel = kernel
        kernel.signal_watchers.append(self.queue)

    def read(self, size: int) -> bytes:
        if size < _SIGNALFD_INFO.size:
            raise failure(errno.EINVAL)
        thread = self._kernel.current
        data = b""
        while len(data) + _SIGNALFD_INFO.size <= size:
            info = thread.pending.take(self.mask) or thread.process.signals.pending.take(self.mask)
            if info is None:
                break
            data += _signal_record(info)
        if not data:
            raise failure(errno.EAGAIN)
        return data

    def poll(self) -> int:
        thread = self._kernel.current
        waiting = thread.pending.mask | thread.process.signals.pending.mask
        return POLLIN if waiting & self.mask else 0

    def close(self) -> None:
        assert self.queue is not None
        self._kernel.signal_watchers.remove(self.queue)


def _signal_record(info: SignalInfo) -> bytes:
    return _SIGNALFD_INFO.pack(info.signal, 0, info.code, info.pid, info.uid, 0, 0, 0, 0, 0, info.status,
                               info.value & 0xFFFFFFFF, info.value, info.utime, info.stime, info.address,
                               0, 0, 0, 0)
