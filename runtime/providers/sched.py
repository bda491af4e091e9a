"""The sched provider: threads get, leave and wait for CPUs (the manual's chapter on sched)."""

from __future__ import annotations

from collections.abc import Callable

from dc.names.stableproviders import ARGUMENTS, ATTRIBUTES
from runtime.framework.probes.registry import Provider
from runtime.kernel.memory.placement import Kind
from runtime.providers import hooked
from runtime.providers.hooked import Point, nothing

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from runtime.kernel.kernel import Kernel
    from runtime.kernel.process.thread import Thread


def _thread(_kernel: Kernel, thread: Thread, *_what: object) -> tuple[int, ...]:
    return (thread.address,)


def _queue(kernel: Kernel, thread: Thread, cpu: int) -> tuple[int, ...]:
    return thread.address, kernel.objects.address(Kind.DISP, kernel.scheduler.cpus[cpu])


def _next(kernel: Kernel, _thread: Thread, following: Thread | None) -> tuple[int, ...]:
    """The thread that is about to run in place of the current one: the CPU's idle thread if no other."""
    return ((following or kernel.idle[kernel.cpu]).address,)


POINTS = (
    Point("change-pri", "change_pri", "thread_change_pri",
          lambda kernel, thread, priority: (thread.address, priority), "unix"),
    Point("dequeue", "dequeue", "disp", _queue, "unix"),
    Point("enqueue", "enqueue", "setbackdq",
          lambda kernel, thread, cpu: (*_queue(kernel, thread, cpu), 0), "unix"),
    Point("off-cpu", "off_cpu", "swtch", _next, "unix"),
    Point("on-cpu", "on_cpu", "resume", nothing, "unix"),
    Point("preempt", "preempt", "preempt", nothing, "unix"),
    Point("remain-cpu", "remain_cpu", "swtch", nothing, "unix"),
    Point("sleep", "sleep", "cv_wait", nothing),
    Point("tick", "tick", "clock_tick", _thread),
    Point("wakeup", "wakeup", "cv_unsleep", _thread),
)


def install(provider: Provider, boot: Callable[[], Kernel]) -> None:
    """See runtime.providers.installation."""
    hooked.install(provider, boot, POINTS, ARGUMENTS["sched"], ATTRIBUTES["sched"])
