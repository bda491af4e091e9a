"""Signal-driven input and output: a file with O_ASYNC tells its owner (F_SETOWN) that it is ready.

It does so as in Linux (fs/fcntl.c, and what calls kill_fasync there): by SIGIO, or by the signal of F_SETSIG,
whose siginfo_t names the descriptor and the event.  A signal is sent when input has come or there is room
again, none for what was there before.
"""

from __future__ import annotations

import errno
import fcntl
import stat
import struct
from collections.abc import Iterable, Sequence

from runtime.kernel.base.privileges import PROC_OWNER
from runtime.kernel.base.signals import SI_KERNEL, SIGIO, SIGNAL_COUNT, SignalInfo
from runtime.kernel.base.wait import ROOM_AGAIN
from runtime.kernel.base.words import signed
from runtime.kernel.vfs.vnode import O_ASYNC, POLLHUP, READABLE, WRITABLE, File, failure

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from runtime.kernel.base.wait import WaitQueue
    from runtime.kernel.process.process import Process
    from runtime.kernel.process.thread import Thread

F_SETSIG, F_GETSIG, F_SETOWN_EX, F_GETOWN_EX = 10, 11, 15, 16
F_OWNER_TID, F_OWNER_PID, F_OWNER_PGRP = 0, 1, 2
POLL_IN, POLL_OUT, POLL_HUP = 1, 2, 6  # codes of a signal
BANDS = {POLL_IN: 0x41, POLL_OUT: 0x304, POLL_HUP: 0x18}  # the events of poll(2) that they stand for


class Teller:
    """What tells the owner of one file.  It stands in the file's queue as a sleeper that never leaves."""

    def __init__(self, setter: Process, file: File, descriptor: int) -> None:
        self._setter = setter  # whose rights it has
        self._file = file
        self._descriptor = descriptor
        self._before = file.poll(), file.arrived
        self.queues: Sequence[WaitQueue] = () if file.queue is None else (file.queue,)
        for queue in self.queues:
            queue.join(self)
        file.on_close += (_end,)

    def end(self) -> None:
        for queue in self.queues:
            queue.leave(self)
        self._file.on_close = tuple(each for each in self._file.on_close if each is not _end)

    def wakeup(self, queue: WaitQueue | None, events: int = 0) -> None:
        """Something has happened to the file."""
        (before, had), (now, has) = self._before, (self._file.poll(), self._file.arrived)
        self._before = now, has
        if now & ~before & POLLHUP:
            self._tell(POLL_HUP if self._file.vnode.kind == stat.S_IFSOCK else POLL_IN)
        elif now & READABLE and (events & READABLE or has > had or not before & READABLE):
            self._tell(POLL_IN)
        if now & ~before & WRITABLE or events & ROOM_AGAIN:
            self._tell(POLL_OUT)

    def _tell(self, code: int) -> None:
        file = self._file
        info = SignalInfo(file.signal, code, "poll", status=self._descriptor, value=BANDS[code]) \
            if file.signal else SignalInfo(SIGIO, SI_KERNEL)
        kind, number = file.owner
        if kind == F_OWNER_TID:
            thread = self._setter.find_thread(number)
            if thread is not None and self._may_tell(thread.process):
                thread.post(info)
            return
        for process in self._owners(kind, number):
            if self._may_tell(process):
                process.post(info)

    def _owners(self, kind: int, number: int) -> Iterable[Process]:
        if kind == F_OWNER_PGRP:
            return [each for each in self._setter.known() if each.pgid == number]
        found = self._setter.find(number)
        return [] if found is None else [found]

    def _may_tell(self, target: Process) -> bool:
        mine, other = self._setter.identity, target.identity
        return mine.has(PROC_OWNER) or bool({mine.euid, mine.ruid} & {other.ruid, other.suid})


def _end(file: File) -> None:
    if file.teller is not None:
        file.teller.end()
        file.teller = None


def set_async(thread: Thread, file: File, descriptor: int, wanted: bool) -> bool:
    """Let a file tell its owner that it is ready, or do so no longer; returns whether it can."""
    if file.vnode.kind not in (stat.S_IFSOCK, stat.S_IFIFO, stat.S_IFCHR):
        return False
    _end(file)
    file.flags = file.flags & ~O_ASYNC | (O_ASYNC if wanted else 0)
    if wanted:
        terminal = thread.process.terminal
        if file.owner[1] == 0 and file.vnode.kind == stat.S_IFCHR and terminal is not None:
            file.owner = F_OWNER_PGRP, terminal.foreground
        file.teller = Teller(thread.process, file, descriptor)
    return True


# -- commands of fcntl

def _get_owner(_thread: Thread, file: File, _command: int, _argument: int) -> int:
    kind, number = file.owner
    return -number if kind == F_OWNER_PGRP else number


def _set_owner(thread: Thread, file: File, _command: int, argument: int) -> int:
    number = signed(argument, 32)
    if number == -1 << 31:
        raise failure(errno.EINVAL)
    return _owned(thread, file, F_OWNER_PGRP if number < 0 else F_OWNER_PID, abs(number))


def _owned(thread: Thread, file: File, kind: int, number: int) -> int:
    """Set a file's owner, or none for 0; returns 0.  Raises ESRCH."""
    group = any(each.pgid == number for each in thread.process.known()) if kind == F_OWNER_PGRP else None
    known = thread.process.find_thread(number) if group is None else group
    if number and not known:
        raise failure(errno.ESRCH)
    file.owner = kind, number
    return 0


def _get_owner_and_kind(thread: Thread, file: File, _command: int, argument: int) -> int:
    thread.write(argument, struct.pack(f"{thread.process.processor.order}ii", *file.owner))
    return 0


def _set_owner_and_kind(thread: Thread, file: File, _command: int, argument: int) -> int:
    kind, number = struct.unpack(f"{thread.process.processor.order}ii", thread.read(argument, 8))
    if not F_OWNER_TID <= kind <= F_OWNER_PGRP:
        raise failure(errno.EINVAL)
    return _owned(thread, file, kind, number)


def _get_signal(_thread: Thread, file: File, _command: int, _argument: int) -> int:
    return file.signal


def _set_signal(_thread: Thread, file: File, _command: int, argument: int) -> int:
    if not 0 <= signed(argument, 32) <= SIGNAL_COUNT:
        raise failure(errno.EINVAL)
    file.signal = argument
    return 0


COMMANDS = {fcntl.F_GETOWN: _get_owner, fcntl.F_SETOWN: _set_owner, F_GETOWN_EX: _get_owner_and_kind,
            F_SETOWN_EX: _set_owner_and_kind, F_GETSIG: _get_signal, F_SETSIG: _set_signal}
