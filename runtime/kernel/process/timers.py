"""Timers of processes, on the machine's clock or on the time that a process spends on CPUs."""

from __future__ import annotations

from runtime.kernel.base.clock import SECOND
from runtime.kernel.base.signals import SIGKILL, SIGXCPU, SignalInfo
from runtime.kernel.process.process import RLIM_INFINITY, RLIMIT_CPU, Process

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from runtime.kernel.base.clock import Event
    from runtime.kernel.process.thread import Thread



def cpu_time(measured: Process | Thread) -> int:
    """Return the ns that a process or thread has been on CPUs, with the slice that runs."""
    kernel = measured.kernel
    running = kernel.current if measured is kernel.current else kernel.current.process
    since = kernel.hrtime() - kernel.scheduler.slice_start if measured is running else 0
    return measured.cpu_time + since


class Timer:
    """Sends `info` to a process (or the thread numbered `target`) when due, and again every `interval` ns.

    `clock` is the number by which the program named the clock.
    """

    def __init__(self, process: Process, info: SignalInfo | None, clock: int,
                 target: int | None = None) -> None:
        self.process = process
        self.info = info
        self.clock = clock
        self.target = target
        self.interval = 0
        self._event: Event | None = None

    def set(self, first: int, interval: int) -> None:
        """Set the timer: due in `first` ns (0: never), and then every `interval` ns (0: once)."""
        self.cancel()
        self.interval = interval if first > 0 else 0
        if first > 0:
            scheduler = self.process.kernel.scheduler
            self._event = scheduler.at(self.process.kernel.hrtime() + first, self._expire, interval=interval)

    def remaining(self) -> int:
        """Return the ns until it is due; 0 if it is not set."""
        if self._event is None or self._event.cancelled:
            return 0
        return max(self._event.time - self.process.kernel.hrtime(), 1)

    def cancel(self) -> None:
        if self._event is not None:
            self._event.cancel()
            self._event = None

    def _expire(self) -> None:
        if not self.interval:
            self._event = None
        self._send()

    def _send(self) -> None:
        if self.info is None:
            return
        target = self.process.kernel.threads.get(self.target) if self.target else None
        info = SignalInfo(self.info.signal, self.info.code, "timer", self.info.pid, 0, value=self.info.value)
        (target or self.process).post(info)


class CpuTimer(Timer):
    """A timer that runs only while `measured`, a process or a thread, is on a CPU.

    While it is set it is in the process's `cpu_timers`: the scheduler ends slices when one of them is due.
    """

    def __init__(self, process: Process, info: SignalInfo | None, clock: int, target: int | None = None,
                 measured: Process | Thread | None = None) -> None:
        super().__init__(process, info, clock, target)
        self._measured = measured or process
        self._due = 0

    def set(self, first: int, interval: int) -> None:
        self.cancel()
        self.interval = interval
        if first > 0:
            self._due = cpu_time(self._measured) + first
            self.process.cpu_timers.append(self)
            self.process.kernel.scheduler.end_slice_in(first)

    def remaining(self) -> int:
        return max(self._due - cpu_time(self._measured), 1) if self in self.process.cpu_timers else 0

    def cancel(self) -> None:
        if self in self.process.cpu_timers:
            self.process.cpu_timers.remove(self)

    def check(self) -> None:
        """Send what has become due.  The scheduler calls this after each slice."""
        while self in self.process.cpu_timers and cpu_time(self._measured) >= self._due:
            if self.interval:
                self._due += self.interval
            else:
                self.cancel()
            self._send()


class CpuLimit(CpuTimer):
    """The limit RLIMIT_CPU: SIGXCPU in every second beyond the soft limit, SIGKILL at the hard one."""

    def __init__(self, process: Process) -> None:
        super().__init__(process, SignalInfo(SIGXCPU), 0)

    def _send(self) -> None:
        if cpu_time(self.process) >= self.process.limit(RLIMIT_CPU)[1] * SECOND:
            self.process.post(SignalInfo(SIGKILL))
        else:
            super()._send()


def limit_cpu_time(process: Process) -> None:
    """Set the timer of a process's RLIMIT_CPU anew."""
    for timer in [timer for timer in process.cpu_timers if isinstance(timer, CpuLimit)]:
        timer.cancel()
    soft, _hard = process.limit(RLIMIT_CPU)
    if soft != RLIM_INFINITY:
        CpuLimit(process).set(max(1, soft * SECOND - cpu_time(process)), SECOND)
