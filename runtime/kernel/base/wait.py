"""Queues on which threads sleep, one for each condition.  The code that makes the condition true wakes them.

A handler of a system call blocks by calling `thread.sleep(...)`, however deep in calls it is: the kernel side
of each thread is a coroutine.  The call returns when the thread has been woken or its time is over, and
raises Interrupted when a signal has come.
"""

from __future__ import annotations

from collections.abc import Sequence

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from typing import Protocol
else:
    Protocol = object


# Events beside those of poll(2): what only those that sleep in a call are to look at; there is room after a
# call has found none.
NOTHING_TOLD, ROOM_AGAIN = 1 << 32, 1 << 33


class Sleeper(Protocol):
    """A thread that sleeps, as the queues know it."""

    queues: Sequence[WaitQueue]  # those on which it sleeps

    def wakeup(self, queue: WaitQueue | None, events: int = 0) -> None:
        """End its sleep; `queue` is the one through which it is woken.

        `events` are the POLL* bits of what has come, 0 where that may be anything.
        """


class WaitQueue:
    """Threads waiting for one condition, those that came first before others.

    `name` is what sched probes and /proc/PID/wchan show.
    """

    __slots__ = ("name", "sleepers")

    def __init__(self, name: str = "wait") -> None:
        self.name = name
        self.sleepers: dict[Sleeper, None] = {}  # a set in order: there may be 10,000 on one pipe

    def __bool__(self) -> bool:
        return bool(self.sleepers)

    def join(self, sleeper: Sleeper) -> None:
        """One more sleeps here; it stays in its place if it does already."""
        self.sleepers.setdefault(sleeper)

    def leave(self, sleeper: Sleeper) -> None:
        """One sleeps here no longer, if it did."""
        self.sleepers.pop(sleeper, None)

    def wake_all(self, events: int = 0) -> int:
        """Wake all that sleep, the longest sleeping first; returns how many there were.

        `events`: see Sleeper.wakeup.
        """
        woken = list(self.sleepers)
        for sleeper in woken:
            sleeper.wakeup(self, events)
        return len(woken)
