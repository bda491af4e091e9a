"""Pseudo-terminals (pty(7)), which control sessions of processes (credentials(7))."""

from __future__ import annotations

import errno
import os
import stat
import struct
from collections.abc import Callable
from typing import TYPE_CHECKING

from runtime.kernel.base.errors import Interrupted
from runtime.kernel.base.identity import Credentials
from runtime.kernel.base.privileges import SYS_ADMIN
from runtime.kernel.base.signals import (
    SI_KERNEL,
    SIG_IGN,
    SIGCONT,
    SIGHUP,
    SIGTTIN,
    SIGTTOU,
    SIGWINCH,
    SignalInfo,
    bit,
)
from runtime.kernel.base.wait import NOTHING_TOLD, WaitQueue
from runtime.kernel.vfs.devices.discipline import CAPACITY, SETTINGS, TOSTOP, VMIN, VTIME, LineDiscipline
from runtime.kernel.vfs.devices.pts import DEVICE, TerminalDirectory
from runtime.kernel.vfs.ioctls import (
    FIONREAD,
    TCFLSH,
    TCGETS,
    TCGETS2,
    TCSBRK,
    TCSBRKP,
    TCSETS,
    TCSETS2,
    TCSETSF,
    TCSETSF2,
    TCSETSW,
    TCSETSW2,
    TCXONC,
    TIOCEXCL,
    TIOCGETD,
    TIOCGPGRP,
    TIOCGPTLCK,
    TIOCGPTN,
    TIOCGPTPEER,
    TIOCGSID,
    TIOCGWINSZ,
    TIOCNOTTY,
    TIOCNXCL,
    TIOCOUTQ,
    TIOCSCTTY,
    TIOCSPGRP,
    TIOCSPTLCK,
    TIOCSTI,
    TIOCSWINSZ,
)
from runtime.kernel.vfs.vnode import (
    POLLERR,
    POLLHUP,
    READABLE,
    WRITABLE,
    Attributes,
    File,
    Vnode,
    failure,
)

if TYPE_CHECKING:
    from runtime.kernel.base.caller import Caller
    from runtime.kernel.base.clock import Event
    from runtime.kernel.vfs.devices.terminal import Member, SessionServices

MAJOR = 136
LIMIT = 4096  # terminals
DECISECOND = 100_000_000  # ns
FEW = 128  # bytes that wait: the other side is told then that it can write
MOST_HELD = 4095  # bytes that the reader's side holds; more are on their way, and come when it is read
SPEEDS = struct.pack("<II", 38400, 38400)  # the last two members of struct termios2


class Terminal:
    """One pseudo-terminal, which its master and its slaves share."""

    def __init__(self, kernel: SessionServices, directory: TerminalDirectory, number: int) -> None:
        self.kernel = kernel
        self.number = number
        self.discipline = LineDiscipline(self._typed)
        self.queue, self.master_queue = WaitQueue("tty"), WaitQueue("tty")
        self.window = bytes(8)
        self.session = self.foreground = 0
        self.locked = True
        self.slaves = 0
        self.abandoned = False  # the last slave has been closed
        self.hung_up = False  # the master is closed
        self.zone = kernel.current.process.zone
        who, now = kernel.current.process.credentials, kernel.walltime()
        device = os.makedev(MAJOR, number)
        self.node = SlaveNode(Attributes(
            stat.S_IFCHR | 0o620, who.uid, who.gid, ino=number + 3, dev=DEVICE, rdev=device,
            blksize=1024, atime=now, mtime=now, ctime=now), self)
        self.node.where = (directory, b"%d" % number)
        self.directory = directory
        directory.known[number] = self.node

    def _group(self, group: int) -> list[Member]:
        return [process for process in self.kernel.processes.values() if process.pgid == group]

    def _typed(self, signal: int) -> None:
        self.signal(self.foreground, signal)

    def signal(self, group: int, *numbers: int) -> None:
        """Send signals to every process of a group."""
        for process in self._group(group) if group else ():
            for number in numbers:
                process.post(SignalInfo(number, SI_KERNEL))

    # -- the session ---------------------------------------------------------------------------

    def acquire(self, process: Member) -> None:
        """Control the session that `process` leads."""
        self.session, self.foreground = process.sid, process.pgid
        for member in self.kernel.processes.values():
            if member.sid == process.sid:
                member.terminal = self

    def leave(self, *signals: int) -> None:
        """Control the session no longer, and send `signals` to its foreground group."""
        self.signal(self.foreground, *signals)
        for member in self.kernel.processes.values():
            if member.terminal is self:
                member.terminal = None
        self.session = self.foreground = 0

    def leader_gone(self) -> None:
        """Leave the session whose leader has ended."""
        self.leave(SIGHUP)

    def open(self, flags: int) -> File:
        """Return what opening /dev/tty gives."""
        return SlaveFile(self.node, flags)

    def orphaned(self, group: int) -> bool:
        """Whether no process is left that could continue a stopped one of this group."""
        parents = [(member, member.parent) for member in self._group(group) if not member.zombie]
        return not any(parent is not None and parent.pgid != group and parent.sid == member.sid
                       for member, parent in parents)

    def demand_foreground(self, signal: int, otherwise: int = errno.EIO) -> None:
        """Send `signal`, which stops, to the current process's group unless that is in the foreground.

        A process that ignores or blocks SIGTTOU goes on.  Raises Interrupted after the signal, and the error
        `otherwise` when the process cannot be stopped.
        """
        thread = self.kernel.current
        process = thread.process
        if process.terminal is not self or process.pgid == self.foreground or not self.foreground:
            return
        deaf = thread.mask & bit(signal) or process.signals.action(signal).handler == SIG_IGN
        if deaf and signal == SIGTTOU:
            return
        if deaf or self.orphaned(process.pgid):
            raise failure(otherwise)
        self.signal(process.pgid, signal)
        raise Interrupted("always")

    # -- requests of both sides -----------------------------------------------------------------

    def ioctl(self, thread: Caller, request: int, argument: int) -> int:
        """Carry out a request of either side; returns 0.  Raises ENOTTY for an unknown one."""
        handler = _REQUESTS.get(request)
        if handler is None:
            raise failure(errno.ENOTTY)
        handler(self, thread, request, argument)
        return 0

    def get_settings(self, thread: Caller, request: int, argument: int) -> None:
        thread.write(argument, self.discipline.settings() + (SPEEDS if request == TCGETS2 else b""))

    def set_settings(self, thread: Caller, request: int, argument: int) -> None:
        self.demand_foreground(SIGTTOU)
        speeds = SPEEDS if request in (TCSETS2, TCSETSW2, TCSETSF2) else b""
        settings = thread.read(argument, SETTINGS.size + len(speeds))[:SETTINGS.size]
        if request in (TCSETSF, TCSETSF2):
            self.discipline.flush_input()
        self.discipline.set(settings)
        self.queue.wake_all()

    def get_window(self, thread: Caller, request: int, argument: int) -> None:
        thread.write(argument, self.window)

    def set_window(self, thread: Caller, request: int, argument: int) -> None:
        window = thread.read(argument, 8)
        if window != self.window:
            self.window = window
            self.signal(self.foreground, SIGWINCH)

    def control(self, thread: Caller, request: int, argument: int) -> None:
        process = self.kernel.current.process
        if process.terminal is self and process.sid == process.pid:
            return
        if process.sid != process.pid or process.terminal is not None or (
                self.session and not (argument == 1 and process.credentials.has(SYS_ADMIN))):
            raise failure(errno.EPERM)
        if self.session:
            self.leave()
        self.acquire(process)

    def stop_controlling(self, thread: Caller, request: int, argument: int) -> None:
        process = self.demand_control()
        if process.sid == process.pid:
            self.leave(SIGHUP, SIGCONT)
        process.terminal = None

    def demand_control(self) -> Member:
        """The calling process.  Raises ENOTTY unless this is the terminal that controls it."""
        process = self.kernel.current.process
        if process.terminal is not self:
            raise failure(errno.ENOTTY)
        return process

    def get_group(self, thread: Caller, request: int, argument: int) -> None:
        thread.write(argument, struct.pack("<i", self.foreground))

    def set_group(self, thread: Caller, request: int, argument: int) -> None:
        self.demand_foreground(SIGTTOU, errno.ENOTTY)
        (group,) = struct.unpack("<i", thread.read(argument, 4))
        if group < 0:
            raise failure(errno.EINVAL)
        session = self.demand_control().sid
        members = self._group(group)
        if not members:
            raise failure(errno.ESRCH)
        if not any(member.sid == session for member in members):
            raise failure(errno.EPERM)
        self.foreground = group

    def get_session(self, thread: Caller, request: int, argument: int) -> None:
        if not self.session:
            raise failure(errno.ENOTTY)
        thread.write(argument, struct.pack("<i", self.session))

    def flush(self, thread: Caller, request: int, argument: int) -> None:
        if argument not in (0, 1, 2):
            raise failure(errno.EINVAL)
        self.demand_foreground(SIGTTOU)
        if argument != 1:  # the other side has the output already
            self.discipline.flush_input()
        self.master_queue.wake_all(WRITABLE)

    def hold_output(self, thread: Caller, request: int, argument: int) -> None:
        if argument not in (0, 1, 2, 3):
            raise failure(errno.EINVAL)
        if argument in (0, 1):  # TCOOFF, TCOON
            self.discipline.stopped = argument == 0
            self.queue.wake_all(WRITABLE)

    def type_character(self, thread: Caller, request: int, argument: int) -> None:
        process = self.kernel.current.process
        if process.terminal is not self and not process.credentials.has(SYS_ADMIN):
            raise failure(errno.EPERM)
        if not process.zone.sees(self.zone):
            raise failure(errno.EPERM)  # else what zlogin runs could type commands outside its zone
        self.type(thread.read(argument, 1))

    def type(self, data: bytes) -> None:
        """Receive what is typed, and wake those that wait for it, or for its echo."""
        discipline = self.discipline
        stopped, shown = discipline.stopped, len(discipline.output)
        discipline.receive(data)
        started = WRITABLE if stopped and not discipline.stopped else NOTHING_TOLD
        self.queue.wake_all(started | (READABLE if self.has_input else 0))
        self.master_queue.wake_all(WRITABLE | (READABLE if len(discipline.output) > shown else 0))

    @property
    def has_input(self) -> bool:
        """Whether poll(2) says so to the programs in the terminal."""
        characters = self.discipline.characters
        return self.discipline.readable(1 if characters[VTIME] else max(1, characters[VMIN]))

    def tell_zero(self, thread: Caller, request: int, argument: int) -> None:
        """Write 0: the bytes of output on their way, and the number of the only line discipline."""
        thread.write(argument, bytes(4))

    def do_nothing(self, thread: Caller, request: int, argument: int) -> None:
        """Ignore a request that concerns a serial line."""


_REQUESTS: dict[int, Callable[[Terminal, Caller, int, int], None]] = {
    **dict.fromkeys((TCGETS, TCGETS2), Terminal.get_settings),
    **dict.fromkeys((TCSETS, TCSETSW, TCSETSF, TCSETS2, TCSETSW2, TCSETSF2), Terminal.set_settings),
    TIOCGWINSZ: Terminal.get_window, TIOCSWINSZ: Terminal.set_window, TIOCSCTTY: Terminal.control,
    TIOCNOTTY: Terminal.stop_controlling, TIOCGPGRP: Terminal.get_group, TIOCSPGRP: Terminal.set_group,
    TIOCGSID: Terminal.get_session, TCFLSH: Terminal.flush, TCXONC: Terminal.hold_output,
    TIOCSTI: Terminal.type_character, **dict.fromkeys((TIOCGETD, TIOCOUTQ), Terminal.tell_zero),
    **dict.fromkeys((TCSBRK, TCSBRKP, TIOCEXCL, TIOCNXCL), Terminal.do_nothing),
}


class MasterFile(File):
    """The open master: the side of a terminal emulator."""

    def __init__(self, vnode: Vnode, flags: int, kernel: SessionServices,
                 directory: TerminalDirectory) -> None:
        super().__init__(vnode, flags)
        taken = directory.known
        number = next(number for number in range(LIMIT + 1) if number not in taken)
        if number == LIMIT:
            raise failure(errno.ENOSPC)
        self.terminal = Terminal(kernel, directory, number)
        self.queue = self.terminal.master_queue

    def put_back(self, _data: bytes, delivered: int) -> int:
        return delivered  # what has no place is lost

    def read(self, size: int) -> bytes:
        output = self.terminal.discipline.output
        if not size:
            return b""
        if not output:
            raise failure(errno.EIO if self.terminal.abandoned else errno.EAGAIN)
        waiting, data = len(output), bytes(output[:size])
        del output[:size]
        few = min(waiting, MOST_HELD) - len(data) <= FEW
        self.terminal.queue.wake_all(WRITABLE if few else NOTHING_TOLD)
        if waiting > MOST_HELD:
            self.terminal.master_queue.wake_all(READABLE)
        return data

    def write(self, data: bytes) -> int:
        discipline = self.terminal.discipline
        if discipline.waiting() >= CAPACITY:
            raise failure(errno.EAGAIN)
        self.terminal.type(data)
        return len(data)

    def poll(self) -> int:
        events = READABLE if self.terminal.discipline.output else 0
        return events | WRITABLE | (POLLHUP if self.terminal.abandoned else 0)

    @property
    def arrived(self) -> int:
        return len(self.terminal.discipline.output)

    def ioctl(self, thread: Caller, request: int, argument: int) -> int:
        terminal = self.terminal
        if request == TIOCGPTN:
            thread.write(argument, struct.pack("<I", terminal.number))
        elif request == TIOCSPTLCK:
            terminal.locked = thread.read(argument, 4) != bytes(4)
        elif request == TIOCGPTLCK:
            thread.write(argument, struct.pack("<i", terminal.locked))
        elif request == FIONREAD:
            thread.write(argument, struct.pack("<i", len(terminal.discipline.output)))
        elif request == TIOCGPTPEER:
            return terminal.kernel.current.process.files.add(SlaveFile(terminal.node, argument),
                                                             close_on_exec=bool(argument & os.O_CLOEXEC))
        else:
            return terminal.ioctl(thread, request, argument)
        return 0

    def close(self) -> None:
        terminal = self.terminal
        terminal.hung_up = True
        del terminal.directory.known[terminal.number]
        leader = terminal.kernel.processes.get(terminal.session)
        if leader is not None:
            for number in (SIGHUP, SIGCONT):
                leader.post(SignalInfo(number, SI_KERNEL))
        terminal.queue.wake_all()
        terminal.master_queue.wake_all()


class SlaveNode(Vnode):
    """/dev/pts/N."""

    __slots__ = ("terminal",)

    def __init__(self, attributes: Attributes, terminal: Terminal) -> None:
        super().__init__(attributes)
        self.terminal = terminal

    def open(self, flags: int, credentials: Credentials) -> File:
        if self.terminal.locked or self.terminal.hung_up:
            raise failure(errno.EIO)
        return SlaveFile(self, flags)


class SlaveFile(File):
    """An open slave: the side of the programs in the terminal."""

    vnode: SlaveNode

    def __init__(self, vnode: SlaveNode, flags: int) -> None:
        super().__init__(vnode, flags)
        terminal = self.terminal = vnode.terminal
        self.queue = terminal.queue
        self._deadline: Event | None = None  # of a read with a time limit
        self._late = False
        terminal.slaves += 1
        terminal.abandoned = False
        process = terminal.kernel.current.process
        if not flags & os.O_NOCTTY and process.sid == process.pid and process.terminal is None and (
                not terminal.session):
            terminal.acquire(process)

    def put_back(self, _data: bytes, delivered: int) -> int:
        return delivered  # what has no place is lost

    def read(self, size: int) -> bytes:
        terminal, discipline = self.terminal, self.terminal.discipline
        if terminal.hung_up or not size:
            return b""
        terminal.demand_foreground(SIGTTIN)
        if not discipline.canonical:
            return self._read_bytes(size)
        if not discipline.readable():
            raise failure(errno.EAGAIN)
        return self._taken(size)

    def _taken(self, size: int) -> bytes:
        """Take up to `size` bytes of input, and wake those that wait to type more."""
        discipline = self.terminal.discipline
        full, data = discipline.waiting() >= CAPACITY, discipline.read(size)
        few = full or discipline.waiting() <= FEW
        self.terminal.master_queue.wake_all(WRITABLE if few else NOTHING_TOLD)
        return data

    def _read_bytes(self, size: int) -> bytes:
        """Return MIN bytes at least, or those that come within TIME (termios(3), non-canonical mode)."""
        discipline = self.terminal.discipline
        least, tenths = discipline.characters[VMIN], discipline.characters[VTIME]
        if discipline.readable(min(least, size)) and (least or discipline.waiting() or not tenths):
            return self._done(self._taken(size))
        if self._late or (self.nonblocking and discipline.waiting()):
            return self._done(self._taken(size))
        if tenths and self._deadline is None and (not least or discipline.waiting()):
            kernel = self.terminal.kernel
            self._deadline = kernel.scheduler.at(kernel.hrtime() + tenths * DECISECOND, self._expire)
        raise failure(errno.EAGAIN)

    def _expire(self) -> None:
        self._late = True
        self.terminal.queue.wake_all(NOTHING_TOLD)

    def _done(self, data: bytes) -> bytes:
        if self._deadline is not None:
            self._deadline.cancel()
        self._deadline, self._late = None, False
        return data

    def write(self, data: bytes) -> int:
        terminal = self.terminal
        if terminal.hung_up:
            raise failure(errno.EIO)
        if terminal.discipline.local_modes & TOSTOP:
            terminal.demand_foreground(SIGTTOU)
        if data and not terminal.discipline.room:
            raise failure(errno.EAGAIN)
        written = terminal.discipline.write(data)
        terminal.master_queue.wake_all(READABLE)
        terminal.queue.wake_all(WRITABLE)
        return written

    def poll(self) -> int:
        terminal, discipline = self.terminal, self.terminal.discipline
        if terminal.hung_up:
            return READABLE | WRITABLE | POLLERR | POLLHUP
        return (READABLE if terminal.has_input else 0) | (WRITABLE if discipline.room else 0)

    @property
    def arrived(self) -> int:
        return self.terminal.discipline.arrivals

    def ioctl(self, thread: Caller, request: int, argument: int) -> int:
        if self.terminal.hung_up or request == TIOCGPTPEER:
            raise failure(errno.EIO)
        if request == FIONREAD:
            thread.write(argument, struct.pack("<i", self.terminal.discipline.waiting()))
            return 0
        if request in (TIOCGPGRP, TIOCGSID):
            self.terminal.demand_control()
        return self.terminal.ioctl(thread, request, argument)

    def close(self) -> None:
        terminal = self.terminal
        terminal.slaves -= 1
        terminal.abandoned = not terminal.slaves
        if terminal.abandoned:
            terminal.queue.wake_all()
            terminal.master_queue.wake_all()
