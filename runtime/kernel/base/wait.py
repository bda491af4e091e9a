"""Queues on which threads sleep, one for each condition.  The code that makes the condition true wakes them.

A handler of a system call blocks by calling `thread.sleep(...)`, however deep in calls it is: the kernel side
of each thread is a coroutine.  The call returns when the thread has been woken or its time is over, and
raises Interrupted when a signal has come.
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
        """Wake up to `count` sleepers, the longest sleeping first; returns how many were woken."""
        chosen = self.sleepers[:count]
        for thread in chosen:
            thread.wakeup(self)
        return len(chosen)

    def wake_all(self) -> int:
        woken = self.sleepers[:]
        for thread in woken:
            thread.wakeup(self)
        return len(woken)
