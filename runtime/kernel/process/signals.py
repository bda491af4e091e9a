"""Signals: what is pending, what is to be done, and who is told.

Numbers, flags and default actions are those of signal(7); what happens on the way into a handler
is `runtime.kernel.cpu.x86.sigframe`'s concern.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dif.light import dataclass, field
from runtime.kernel.base.kfunction import kfunction

if TYPE_CHECKING:
    from runtime.kernel.process.process import Process
    from runtime.kernel.process.thread import Thread

(SIGHUP, SIGINT, SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGKILL, SIGUSR1, SIGSEGV, SIGUSR2,
 SIGPIPE, SIGALRM, SIGTERM, SIGSTKFLT, SIGCHLD, SIGCONT, SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU, SIGURG,
 SIGXCPU, SIGXFSZ, SIGVTALRM, SIGPROF, SIGWINCH, SIGIO, SIGPWR, SIGSYS) = range(1, 32)
SIGRTMIN, SIGNAL_COUNT = 32, 64

SIG_DFL, SIG_IGN = 0, 1
SA_NOCLDSTOP, SA_NOCLDWAIT, SA_SIGINFO, SA_RESTORER = 1, 2, 4, 0x04000000
SA_ONSTACK, SA_RESTART, SA_NODEFER, SA_RESETHAND = 0x08000000, 0x10000000, 0x40000000, 0x80000000
SI_USER, SI_KERNEL, SI_QUEUE, SI_TIMER, SI_TKILL = 0, 0x80, -1, -2, -6


def bit(signal: int) -> int:
    """The signal's bit in a mask."""
    return 1 << (signal - 1)


IGNORED_BY_DEFAULT = bit(SIGCHLD) | bit(SIGCONT) | bit(SIGURG) | bit(SIGWINCH)
STOPS = bit(SIGSTOP) | bit(SIGTSTP) | bit(SIGTTIN) | bit(SIGTTOU)
DUMPS = (bit(SIGQUIT) | bit(SIGILL) | bit(SIGTRAP) | bit(SIGABRT) | bit(SIGBUS) | bit(SIGFPE) | bit(SIGSEGV)
         | bit(SIGXCPU) | bit(SIGXFSZ) | bit(SIGSYS))  # with a core file, where that is allowed
UNBLOCKABLE = bit(SIGKILL) | bit(SIGSTOP)
SYNCHRONOUS = bit(SIGSEGV) | bit(SIGBUS) | bit(SIGILL) | bit(SIGTRAP) | bit(SIGFPE) | bit(SIGSYS)


@dataclass(slots=True)
class SignalInfo:
    """siginfo_t in the abstract: `layout` tells which of the union's members holds.

    "kill": pid, uid, value · "child": pid, uid, status, times in ns · "fault": address ·
    "timer": pid is the timer's id, uid the overrun, value.
    """

    signal: int
    code: int = SI_USER
    layout: str = "kill"
    pid: int = 0
    uid: int = 0
    status: int = 0
    utime: int = 0
    stime: int = 0
    address: int = 0
    value: int = 0
    trap: int = 0  # exception number, for the frame
    error: int = 0  # exception's error code, for the frame


@dataclass(slots=True)
class Action:
    handler: int = SIG_DFL
    flags: int = 0
    restorer: int = 0
    mask: int = 0


@dataclass(slots=True)
class AlternateStack:
    address: int = 0
    size: int = 0
    disabled: bool = True

    def contains(self, pointer: int) -> bool:
        return not self.disabled and self.address < pointer <= self.address + self.size


@dataclass(slots=True)
class Pending:
    """Queued signals; `mask` has the bit of each."""

    mask: int = 0
    queue: list[SignalInfo] = field(default_factory=list)

    def add(self, info: SignalInfo) -> bool:
        """False when a standard signal is pending already."""
        if info.signal < SIGRTMIN and self.mask & bit(info.signal):
            return False
        self.mask |= bit(info.signal)
        self.queue.append(info)
        return True

    def take(self, allowed: int) -> SignalInfo | None:
        """Remove the signal to deliver first among `allowed`: faults, then the lowest number."""
        ready = self.mask & allowed
        if not ready:
            return None
        chosen = ready & SYNCHRONOUS or ready
        number = (chosen & -chosen).bit_length()
        at = next(index for index, info in enumerate(self.queue) if info.signal == number)
        info = self.queue.pop(at)
        if not any(other.signal == number for other in self.queue):
            self.mask &= ~bit(number)
        return info

    def discard(self, mask: int) -> None:
        self.queue = [info for info in self.queue if not bit(info.signal) & mask]
        self.mask &= ~mask


class SignalState:
    """A process's actions and the signals pending for it as a whole."""

    def __init__(self) -> None:
        self.actions: dict[int, Action] = {}
        self.pending = Pending()

    def action(self, signal: int) -> Action:
        return self.actions.get(signal) or Action()

    def fork(self) -> SignalState:
        new = SignalState()
        new.actions = dict(self.actions)
        return new

    def exec(self) -> None:
        """Handlers are gone after exec; what was ignored stays so."""
        self.actions = {number: Action(SIG_IGN) for number, action in self.actions.items()
                        if action.handler == SIG_IGN}

    def ignores(self, signal: int) -> bool:
        handler = self.action(signal).handler
        return handler == SIG_IGN or (handler == SIG_DFL and bool(bit(signal) & IGNORED_BY_DEFAULT))


def send(target: Process | Thread, info: SignalInfo, sender: Thread | None = None) -> None:
    """Make a signal pending for a process, or for one thread of it; the kernel's own processes take none."""
    from runtime.kernel.process.process import Process

    process = target if isinstance(target, Process) else target.process
    if process.zombie or process.exiting or process.space is None:
        return
    chosen = _receiver(process, info.signal) if isinstance(target, Process) else target
    sigtoproc(process.kernel.current, process, chosen, info, sender, chosen is target)


@kfunction("sigtoproc",
           tell=lambda _thread, process, chosen, info, _sender, personal: (
               process, chosen if personal else None, info.signal))
def sigtoproc(_thread: Thread, process: Process, chosen: Thread, info: SignalInfo, sender: Thread | None,
              personal: bool) -> None:
    """Make a signal pending that `chosen` is to take; `personal`: nobody else may."""
    hooks, signal = process.kernel.hooks, info.signal
    if hooks.signal_send:
        hooks.signal_send(sender, chosen, signal)
    if bit(signal) & STOPS:
        _discard(process, bit(SIGCONT))
    elif signal == SIGCONT:
        _discard(process, STOPS)
        _continue(process)
    blocked = bool(chosen.mask & bit(signal) & ~UNBLOCKABLE)
    wanted = blocked or chosen.waiting_for & bit(signal) or chosen.trace is not None
    if process.signals.ignores(signal) and not wanted:
        if hooks.signal_discard:
            hooks.signal_discard(sender or chosen, chosen, signal)
        return
    pending = chosen.pending if personal else process.signals.pending
    if not pending.add(info):
        return
    if signal == SIGKILL:
        process.kernel.lifecycle.kill_group(process, SIGKILL)
    elif not chosen.mask & bit(signal) & ~UNBLOCKABLE or chosen.waiting_for & bit(signal):
        chosen.interrupt()
    for watcher in process.kernel.signal_watchers:
        watcher.wake_all()


def _receiver(process: Process, signal: int) -> Thread:
    """The thread that is to take a process's signal: the first that does not block it."""
    for thread in process.threads:
        if thread.waiting_for & bit(signal) or not thread.mask & bit(signal):
            return thread
    return process.threads[0]


def _discard(process: Process, mask: int) -> None:
    process.signals.pending.discard(mask)
    for thread in process.threads:
        thread.pending.discard(mask)


def _continue(process: Process) -> None:
    if process.stopped:
        process.stopped = False
        process.report_stop, process.report_continue = False, True
        process.kernel.lifecycle.tell_parent_stopped(process, continued=True)
        process.continued.wake_all()
