"""Where threads sleep: a queue per condition, woken by whoever makes the condition true.

A handler blocks simply by calling `thread.sleep(...)` wherever it is, however deep: every emulated
thread's kernel side is a coroutine of its own, so the call returns when the thread has been woken or
its time is over, and raises Interrupted when a signal came.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from runtime.kernel.process.thread import Thread


class WaitQueue:
    """Threads waiting for one condition, first come first served.

    `name` is what sched probes and /proc/PID/wchan show.
    """

    __slots__ = ("name", "sleepers")

    def __init__(self, name: str = "wait") -> None:
        self.name = name
        self.sleepers: list[Thread] = []

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
