"""Signal-driven input and output (O_ASYNC): a signal tells the owner of a file that it has become ready."""

from __future__ import annotations

import stat

from runtime.kernel.base.signals import SI_KERNEL, SIGIO, SignalInfo
from runtime.kernel.vfs.vnode import (
    O_ASYNC,
    POLLERR,
    POLLHUP,
    POLLIN,
    POLLOUT,
    POLLWRBAND,
    READABLE,
    WRITABLE,
)

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from runtime.kernel.base.wait import WaitQueue
    from runtime.kernel.process.process import Process
    from runtime.kernel.process.thread import Thread
    from runtime.kernel.vfs.vnode import File

F_OWNER_TID, F_OWNER_PID, F_OWNER_PGRP = range(3)
# si_code and si_band of siginfo_t
_IN, _OUT, _HANGUP = (1, READABLE), (2, WRITABLE | POLLWRBAND), (6, POLLHUP | POLLERR)


class Announcer:
    """Stands in the queue of a file with O_ASYNC as a sleeper that never leaves."""

    __slots__ = ("_before", "_descriptor", "_file", "_identity", "_kernel", "queues")

    def __init__(self, thread: Thread, file: File, queue: WaitQueue, descriptor: int) -> None:
        self._kernel = thread.kernel
        self._identity = thread.process.identity.copy()
        self._file = file
        self._descriptor = descriptor
        self._before = file.poll()
        self.queues: Sequence[WaitQueue] = (queue,)

    def wakeup(self, queue: WaitQueue | None) -> None:
        """The file may have become ready."""
        before, self._before = self._before, self._file.poll()
        if self._before & POLLHUP and self._file.vnode.kind == stat.S_IFSOCK:
            self._tell(*_HANGUP)
        elif self._before & (POLLIN | POLLHUP):
            self._tell(*_IN)
        elif self._before & ~before & POLLOUT:
            self._tell(*_OUT)

    def _tell(self, code: int, band: int) -> None:
        signal = self._file.signal
        info = SignalInfo(signal, code, "poll", status=self._descriptor, value=band) if signal else \
            SignalInfo(SIGIO, SI_KERNEL)
        for target, process in self._targets():
            mine, other = self._identity, process.identity
            if mine.euid == 0 or {mine.euid, mine.ruid} & {other.ruid, other.suid}:
                target.post(info)

    def _targets(self) -> Iterable[tuple[Thread | Process, Process]]:
        """The owners, and the process of each."""
        kind, number = self._file.owner
        if kind == F_OWNER_PGRP:
            return [(each, each) for each in list(self._kernel.processes.values()) if each.pgid == number]
        thread = self._kernel.threads.get(number)
        if thread is None:
            return []
        return [(thread if kind == F_OWNER_TID else thread.process, thread.process)]

    def leave(self, _file: File) -> None:
        """Tell nobody any more."""
        for queue in self.queues:
            queue.leave(self)


def set_asynchronous(thread: Thread, file: File, wanted: bool) -> None:
    """Set O_ASYNC of a file, or clear it."""
    if wanted == bool(file.flags & O_ASYNC):
        return
    file.flags ^= O_ASYNC
    if wanted and file.queue is not None:
        descriptor = next((number for number, each in thread.process.files.items() if each is file), -1)
        announcer = Announcer(thread, file, file.queue, descriptor)
        file.queue.join(announcer)
        file.on_close += (announcer.leave,)
        return
    for call in file.on_close:
        holder = getattr(call, "__self__", None)
        if isinstance(holder, Announcer):
            holder.leave(file)
            file.on_close = tuple(each for each in file.on_close if each is not call)
