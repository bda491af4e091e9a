"""Virtual time, in nanoseconds since boot: units, what work takes, and events.

The clocks are those of the virtual CPUs (`runtime.kernel.process.scheduler.Cpu`).
"""

from __future__ import annotations

from collections.abc import Callable

from dif.limits import SECOND as SECOND

MILLISECOND, MICROSECOND = 10**6, 10**3  # ns
HZ = 100  # ticks of the clock in a second
TICK = SECOND // HZ  # ns
NEVER = 1 << 62
# 2035-01-01 00:00:00 UTC: always the same, and later than the files that programs see
BOOT_WALLTIME = 2_051_222_400 * SECOND
BYTES_PER_STEP, NS_PER_STEP = 5, 2  # 2 ns pass for 5 bytes of machine code
SYSCALL_COST = 200  # ns a system call takes besides what its handler adds
FAULT_COST = 500  # ns a page fault takes


class Event:
    """A call of `function` at `time` on one CPU, and then every `interval` ns unless that is 0."""

    __slots__ = ("cancelled", "function", "interval", "sequence", "time")

    def __init__(self, time: int, sequence: int, function: Callable[[], None], interval: int = 0) -> None:
        self.time = time
        self.sequence = sequence
        self.function = function
        self.interval = interval
        self.cancelled = False

    def __lt__(self, other: Event) -> bool:
        return (self.time, self.sequence) < (other.time, other.sequence)

    def cancel(self) -> None:
        self.cancelled = True
