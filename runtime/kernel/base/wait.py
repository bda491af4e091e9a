"""Where threads sleep: a queue per condition, woken by whoever makes the condition true.

A handler blocks simply by calling `thread.sleep(...)` wherever it is, however deep: every emulated
thread's kernel side is a coroutine of its own, so the call returns when the thread has been woken or
its time is over, and raises Interrupted when a signal came.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Sleeper(Protocol):
    """A thread that sleeps, as the queues know it."""

    queues: Sequence[WaitQueue]  # those on which it sleeps

    def wakeup(self, queue: WaitQueue | None) -> None:
        """End its sleep; `queue` is the one through which it is woken."""


class WaitQueue:
    """Threads waiting for one condition, first come first served.

    `name` is what sched probes and /proc/PID/wchan show.
    """

    __slots__ = ("name", "sleepers")

    def __init__(self, name: str = "wait") -> None:
        self.name = name
        self.sleepers: list[Sleeper] = []

    def __bool__(self) -> bool:
        return bool(self.sleepers)

    def wake(self, count: int = 1) -> int:
        """Wake up to `count` sleepers, longest sleeping first; how many were woken."""
        chosen = self.sleepers[:count]
        for thread in chosen:
            thread.wakeup(self)
        return len(chosen)

    def wake_all(self) -> int:
        return self.wake(len(self.sleepers))
