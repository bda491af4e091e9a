"""Signals: their numbers, what a process does with each, and those that wait to be delivered.

Numbers, flags and default actions are those of signal(7).  `runtime.kernel.process.posting` sends signals,
`runtime.kernel.process.delivery` delivers them, and each processor's `sigframe` enters handlers.
"""

from __future__ import annotations

from dif.records import Record, field
from runtime.kernel.base.budgets import Budget

(SIGHUP, SIGINT, SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGKILL, SIGUSR1, SIGSEGV, SIGUSR2,
 SIGPIPE, SIGALRM, SIGTERM, SIGSTKFLT, SIGCHLD, SIGCONT, SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU, SIGURG,
 SIGXCPU, SIGXFSZ, SIGVTALRM, SIGPROF, SIGWINCH, SIGIO, SIGPWR, SIGSYS) = range(1, 32)
SIGRTMIN, SIGNAL_COUNT = 32, 64

SIG_DFL, SIG_IGN = 0, 1
SA_NOCLDSTOP, SA_NOCLDWAIT, SA_SIGINFO, SA_RESTORER = 1, 2, 4, 0x04000000
SA_ONSTACK, SA_RESTART, SA_NODEFER, SA_RESETHAND = 0x08000000, 0x10000000, 0x40000000, 0x80000000
INFO_SIZE = 128  # of siginfo_t
SI_USER, SI_KERNEL, SI_QUEUE, SI_TIMER, SI_MESGQ, SI_TKILL = 0, 0x80, -1, -2, -3, -6


def bit(signal: int) -> int:
    """The signal's bit in a mask."""
    return 1 << (signal - 1)


IGNORED_BY_DEFAULT = bit(SIGCHLD) | bit(SIGCONT) | bit(SIGURG) | bit(SIGWINCH)
STOPS = bit(SIGSTOP) | bit(SIGTSTP) | bit(SIGTTIN) | bit(SIGTTOU)
DUMPS = (bit(SIGQUIT) | bit(SIGILL) | bit(SIGTRAP) | bit(SIGABRT) | bit(SIGBUS) | bit(SIGFPE) | bit(SIGSEGV)
         | bit(SIGXCPU) | bit(SIGXFSZ) | bit(SIGSYS))  # with a core file, where that is allowed
UNBLOCKABLE = bit(SIGKILL) | bit(SIGSTOP)
SYNCHRONOUS = bit(SIGSEGV) | bit(SIGBUS) | bit(SIGILL) | bit(SIGTRAP) | bit(SIGFPE) | bit(SIGSYS)


class SignalInfo(Record):
    """A siginfo_t of any program; `layout` says which of its members have a meaning.

    "kill": pid, uid, value · "child": pid, uid, status, times in ns · "fault": address ·
    "timer": pid is the timer's id, uid the overrun, value · "poll": value is the events, status the file.
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


class Action(Record):
    handler: int = SIG_DFL
    flags: int = 0
    restorer: int = 0
    mask: int = 0


SS_ONSTACK, SS_DISABLE, SS_AUTODISARM = 1, 2, 0x80000000


class AlternateStack(Record, frozen=True):
    """A stack for handlers; its size is 0 where there is none.

    `flags` are those of sigaltstack(2).  With SS_AUTODISARM there is none while a handler runs.
    """

    address: int = 0
    size: int = 0
    flags: int = SS_DISABLE

    def reaches(self, pointer: int) -> bool:
        return self.address < pointer <= self.address + self.size

    def contains(self, pointer: int) -> bool:
        """Whether a stack pointer means that the stack is in use."""
        return not self.flags & SS_AUTODISARM and self.reaches(pointer)

    def told(self, pointer: int) -> int:
        """Return the flags that sigaltstack(2) tells."""
        state = SS_DISABLE if not self.size else SS_ONSTACK if self.contains(pointer) else 0
        return state | self.flags & SS_AUTODISARM

    def top(self, pointer: int, flags: int) -> int | None:
        """Return where a handler's frame lies below, if here; `flags` are those of its action."""
        use = flags & SA_ONSTACK and self.size and not self.contains(pointer)
        return self.address + self.size if use else None


MOST_PENDING = 8192  # real-time signals of all processes, as RLIMIT_SIGPENDING says


class Pending(Record):
    """Signals that wait; `mask` has the bit of each."""

    mask: int = 0
    queue: list[SignalInfo] = field(default_factory=list)
    room: Budget = field(default_factory=lambda: Budget(MOST_PENDING))  # for real-time signals

    def add(self, info: SignalInfo) -> bool:
        """Queue a signal; returns False if it is a standard signal that waits already, or too many wait."""
        if info.signal < SIGRTMIN and self.mask & bit(info.signal):
            return False
        if info.signal >= SIGRTMIN and not self.room.grant(1):
            return False
        self.mask |= bit(info.signal)
        self.queue.append(info)
        return True

    def take(self, allowed: int) -> SignalInfo | None:
        """Remove and return the signal of `allowed` that comes first: faults, then the lowest number."""
        ready = self.mask & allowed
        if not ready:
            return None
        chosen = ready & SYNCHRONOUS or ready
        number = (chosen & -chosen).bit_length()
        at = next(index for index, info in enumerate(self.queue) if info.signal == number)
        info = self.queue.pop(at)
        self.room.give(number >= SIGRTMIN)
        if not any(other.signal == number for other in self.queue):
            self.mask &= ~bit(number)
        return info

    def discard(self, mask: int) -> None:
        gone = [info for info in self.queue if bit(info.signal) & mask]
        self.room.give(sum(info.signal >= SIGRTMIN for info in gone))
        self.queue = [info for info in self.queue if not bit(info.signal) & mask]
        self.mask &= ~mask


class SignalState:
    """A process's actions and the signals pending for it as a whole."""

    def __init__(self, room: Budget) -> None:
        self.actions: dict[int, Action] = {}
        self.pending = Pending(room=room)

    def action(self, signal: int) -> Action:
        return self.actions.get(signal) or Action()

    @property
    def ignored(self) -> int:
        """The bits of the signals that are ignored because the program says so."""
        return sum(bit(number) for number, action in self.actions.items() if action.handler == SIG_IGN)

    @property
    def caught(self) -> int:
        """The bits of the signals that have a handler."""
        return sum(bit(number) for number, action in self.actions.items()
                   if action.handler not in (SIG_IGN, SIG_DFL))

    def fork(self) -> SignalState:
        new = SignalState(self.pending.room)
        new.actions = dict(self.actions)
        return new

    def exec(self) -> None:
        """Forget the handlers, as exec does; signals that were ignored remain so."""
        self.actions = {number: Action(SIG_IGN) for number, action in self.actions.items()
                        if action.handler == SIG_IGN}

    def ignores(self, signal: int) -> bool:
        handler = self.action(signal).handler
        return handler == SIG_IGN or (handler == SIG_DFL and bool(bit(signal) & IGNORED_BY_DEFAULT))
