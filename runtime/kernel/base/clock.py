"""Virtual time: per-CPU clocks, one-shot events and cyclics, in nanoseconds since boot.

Each virtual CPU has its own clock, which advances with the work done on it and jumps when it is
idle.  An event belongs to a CPU and happens when that CPU's clock reaches it, so whatever looks
at the CPU then sees exactly what runs there.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from runtime.kernel.process.thread import Thread

SECOND, MILLISECOND, MICROSECOND = 10**9, 10**6, 10**3  # ns
NEVER = 1 << 62
# 2035-01-01 00:00:00 UTC: always the same, and later than the files that programs see
BOOT_WALLTIME = 2_051_222_400 * SECOND
BYTES_PER_STEP, NS_PER_STEP = 5, 2  # 2 ns pass for 5 bytes of machine code
SYSCALL_COST = 200  # ns a system call takes besides what its handler adds
FAULT_COST = 500  # ns a page fault takes


class Event:
    """Something to happen at `time` on a CPU; `interval` > 0 repeats it.  Satisfies host.Timer."""

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


class Cpu:
    """One virtual CPU: its clock, what runs on it, what is ready to, what will happen."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.now = 0
        self.current: Thread | None = None
        self.queue: list[Thread] = []
        self.events: list[Event] = []
        self.quantum_end = 0

    def add(self, event: Event) -> None:
        heapq.heappush(self.events, event)

    def next_event(self) -> int:
        """When the next event is due; NEVER without one."""
        events = self.events
        while events and events[0].cancelled:
            heapq.heappop(events)
        return events[0].time if events else NEVER

    def pop_due(self) -> Event | None:
        """The first event whose time has come, taken off the list (or moved on if it repeats)."""
        if self.next_event() > self.now:
            return None
        event = heapq.heappop(self.events)
        if event.interval:
            event.time += event.interval
            heapq.heappush(self.events, event)
        return event

    @property
    def busy(self) -> bool:
        return self.current is not None or bool(self.queue)

    def next_action(self) -> int:
        """When this CPU has something to do; NEVER when it has nothing."""
        if self.current is not None:
            return self.now
        due = self.next_event()
        if self.queue:
            due = min(due, min(thread.ready_at for thread in self.queue))
        return max(due, self.now) if due < NEVER else NEVER
