"""Which thread runs on which virtual CPU, and for how long.

Each virtual CPU has its own clock, which advances with the work done on it and jumps when it is
idle.  An event belongs to a CPU and happens when that CPU's clock reaches it, so whatever looks
at the CPU then sees exactly what runs there.

Of all CPUs the one whose clock is behind goes next, for a slice that ends at its next event, at the
end of the running thread's quantum (if another waits), or a little ahead of the other busy CPUs.
Without any of these the slice has no end and the processor counts nothing.  The order of everything
is fixed; a seed other than 0 varies quanta and choices.
"""

from __future__ import annotations

import heapq
import random
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import greenlet

from runtime.kernel.base.clock import NEVER, SECOND, TICK, Event
from runtime.kernel.base.kernelfunctions import kfunction

if TYPE_CHECKING:
    from runtime.kernel.process.system import System
    from runtime.kernel.process.thread import Thread

QUANTUM = 4_000_000  # ns a thread may run while another waits for its CPU
SKEW = 100_000  # ns one busy CPU may get ahead of another

Until = int | Callable[[], bool] | None


class Halted(BaseException):
    """Nothing in the machine goes on."""


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


class Scheduler:
    """The CPUs and the loop that drives them."""

    def __init__(self, kernel: System, ncpus: int, seed: int, real: bool) -> None:
        self.kernel = kernel
        self.cpus = [Cpu(number) for number in range(ncpus)]
        self.cpu = self.cpus[0]  # the one whose turn it is
        self.limit = NEVER  # when the current slice ends
        self.slice_start = 0  # when the current thread last began to run
        self.real = real
        self.greenlet = greenlet.getcurrent()
        self._driven = False
        self._random = random.Random(seed) if seed else None
        self._sequence = 0
        self._boot = time.monotonic_ns()
        self._stop_reason: str | None = None
        self._ticks: list[Event] = []
        kernel.hooks.changed = self._watched

    # -- events ---------------------------------------------------------------------------------

    def at(self, when: int, function: Callable[[], None], *, cpu: Cpu | None = None,
           interval: int = 0) -> Event:
        """Have `function` called at `when` on `cpu` (the current one by default)."""
        cpu = cpu or self.cpu
        self._sequence += 1
        event = Event(max(when, cpu.now), self._sequence, function, interval)
        cpu.add(event)
        if cpu is self.cpu:
            self.limit = min(self.limit, event.time)
        else:
            self.limit = min(self.limit, max(event.time, self.cpu.now) + SKEW)
        return event

    def _watched(self, point: str, watched: bool) -> None:
        """The clock ticks while somebody watches it, and at no other time."""
        if point != "tick" or watched == bool(self._ticks):
            return
        for event in self._ticks:
            event.cancel()
        first = (self.cpu.now // TICK + 1) * TICK
        self._ticks = [self.at(first, self._tick, cpu=cpu, interval=TICK) for cpu in self.cpus if watched]

    def _tick(self) -> None:
        hook, thread = self.kernel.hooks.tick, self.cpu.current
        if hook and thread is not None:
            hook(thread)

    # -- queues ---------------------------------------------------------------------------------

    def enqueue(self, thread: Thread) -> None:
        """Make a thread ready to run, on an idle CPU if there is one."""
        cpu = thread.cpu or self.cpus[0]
        if cpu.busy:
            allowed = [other for other in self.cpus if not other.busy and thread.may_run_on(other.number)]
            if allowed:
                cpu = allowed[0] if self._random is None else self._random.choice(allowed)
        if not thread.may_run_on(cpu.number):
            cpu = next(other for other in self.cpus if thread.may_run_on(other.number))
        thread.cpu = cpu
        thread.ready_at = self.cpu.now
        cpu.queue.append(thread)
        hook = self.kernel.hooks.enqueue
        if hook:
            hook(thread, cpu.number)
        if thread.urgent:
            cpu.quantum_end = min(cpu.quantum_end, max(cpu.now, self.cpu.now))
        if cpu is self.cpu:
            self.limit = min(self.limit, max(cpu.quantum_end, cpu.now))
        else:  # it begins there now, not when this CPU's turn is over: who waits for a lock may get it
            self.limit = min(self.limit, max(self.cpu.now, cpu.now))

    def end_slice_in(self, nanoseconds: int) -> None:
        """End the current slice by then."""
        self.limit = min(self.limit, self.cpu.now + nanoseconds)

    def yield_cpu(self, thread: Thread) -> None:
        """sched_yield: to the end of the queue."""
        if self.cpu.queue:
            self.cpu.quantum_end = self.cpu.now
            self.limit = self.cpu.now
            self.pause()
        else:
            self._remain(thread)

    def pause(self) -> None:
        """Give control back to the loop; returns when the calling thread has its next turn."""
        self.greenlet.switch()

    # -- the loop -------------------------------------------------------------------------------

    def stop(self, reason: str) -> None:
        """Make `run` return with `reason` as soon as possible."""
        self._stop_reason = reason
        self.limit = self.cpu.now
        self.kernel.interrupt()

    def halt(self) -> None:
        """Take control from whatever the machine is doing, for good; returns only when it does nothing."""
        if self._driven:
            self.greenlet.throw(Halted)

    def run(self, until: Until) -> str:
        """Drive the machine; why it stopped: "until", "idle", "done", "panic", or what `stop` was told."""
        self.greenlet, self._driven = greenlet.getcurrent(), True
        try:
            return self._drive(until)
        except Halted:
            return "panic"
        finally:
            self._driven = False

    def _drive(self, until: Until) -> str:
        deadline = until if isinstance(until, int) else NEVER
        finished = until if callable(until) else None
        while True:
            if self._stop_reason is not None:
                reason, self._stop_reason = self._stop_reason, None
                return reason
            if finished is not None and finished():
                return "until"
            if finished is None and deadline == NEVER and not self.kernel.processes:
                return "done"
            cpu = min(self.cpus, key=Cpu.next_action)
            due = cpu.next_action()
            if due >= deadline:
                self._advance_all(deadline)
                return "until" if deadline < NEVER else "idle"
            self._turn(cpu, due, deadline)

    def _advance_all(self, deadline: int) -> None:
        if deadline < NEVER:
            for cpu in self.cpus:
                if not cpu.busy:
                    cpu.now = max(cpu.now, deadline)

    def _turn(self, cpu: Cpu, due: int, deadline: int) -> None:
        """Let `cpu` do the next thing it has to do, at `due`."""
        early = due - self.real_time() if self.real else 0
        if early > 0:
            time.sleep(early / SECOND)
        self.cpu = cpu
        cpu.now = max(cpu.now, due)
        self.kernel.current = cpu.current or self.kernel.idle[cpu.number]
        event = cpu.pop_due()
        if event is not None:
            self.limit, self.slice_start = NEVER, cpu.now
            event.function()
            return
        if cpu.current is None:
            self._choose(cpu)
        if cpu.current is not None:
            self._dispatch(cpu, cpu.current, deadline)

    def _choose(self, cpu: Cpu) -> None:
        """Put the next ready thread on `cpu`."""
        ready = [thread for thread in cpu.queue if thread.ready_at <= cpu.now]
        if not ready:
            return
        ready = [thread for thread in ready if thread.urgent] or ready
        thread = ready[0] if self._random is None else self._random.choice(ready)
        cpu.queue.remove(thread)
        quantum = QUANTUM if self._random is None else self._random.randrange(QUANTUM // 40, QUANTUM)
        cpu.quantum_end = cpu.now + quantum
        hooks = self.kernel.hooks
        if hooks.dequeue:
            hooks.dequeue(thread, cpu.number)
        self.kernel.current = thread
        cpu.current = thread
        swtch_to(thread, cpu)

    def _dispatch(self, cpu: Cpu, thread: Thread, deadline: int) -> None:
        """Run the CPU's thread for one slice, and see what became of it."""
        limit = min(cpu.next_event(), deadline)
        if cpu.queue:
            limit = min(limit, max(cpu.quantum_end, cpu.now + 1))
        skew = SKEW if self._random is None else self._random.randrange(SKEW // 20, SKEW)
        for other in self.cpus:
            if other is not cpu:
                action = other.next_action()
                if action < NEVER:
                    limit = min(limit, max(action, cpu.now) + skew)
        timers = thread.process.cpu_timers
        for timer in timers:
            limit = min(limit, cpu.now + timer.remaining())
        self.limit = limit
        started = self.slice_start = cpu.now
        thread.resume(self.greenlet)
        if self.real:
            cpu.now = max(cpu.now, self.real_time())
        thread.cpu_time += cpu.now - started
        self.slice_start = cpu.now
        for timer in tuple(timers):
            timer.check()
        if thread.running:
            if cpu.queue and cpu.now >= cpu.quantum_end:
                self._preempt(cpu, thread)
        else:
            self._leave(cpu, thread)

    def _preempt(self, cpu: Cpu, thread: Thread) -> None:
        ready_at = min(other.ready_at for other in cpu.queue)
        if ready_at > cpu.now:
            cpu.quantum_end = ready_at
            self._remain(thread)
            return
        hook = self.kernel.hooks.preempt
        if hook:
            hook(thread)
        thread.involuntary += 1
        self._leave(cpu, thread)
        thread.ready_at = cpu.now
        cpu.queue.append(thread)
        if self.kernel.hooks.enqueue:
            self.kernel.hooks.enqueue(thread, cpu.number)

    def _remain(self, thread: Thread) -> None:
        """Nobody else is ready, so the thread keeps its CPU."""
        hook = self.kernel.hooks.remain_cpu
        if hook:
            hook(thread)

    def _leave(self, cpu: Cpu, thread: Thread) -> None:
        cpu.current = None
        hook = self.kernel.hooks.off_cpu
        if hook:
            self.kernel.current = thread
            hook(thread, cpu.queue[0] if cpu.queue else None)
        if not cpu.queue:
            self._take_over(cpu)

    def _take_over(self, cpu: Cpu) -> None:
        """A CPU that has nothing to do takes a thread that waits for another."""
        waiting = [(thread, other) for other in self.cpus
                   for thread in other.queue[other.current is None:] if thread.may_run_on(cpu.number)]
        if not waiting:
            return
        thread, other = waiting[0] if self._random is None else self._random.choice(waiting)
        hooks = self.kernel.hooks
        other.queue.remove(thread)
        if hooks.dequeue:
            hooks.dequeue(thread, other.number)
        cpu.queue.append(thread)
        thread.cpu = cpu
        if hooks.enqueue:
            hooks.enqueue(thread, cpu.number)

    def real_time(self) -> int:
        return time.monotonic_ns() - self._boot


@kfunction("swtch_to", tell=lambda thread, _cpu: (thread,))
def swtch_to(thread: Thread, cpu: Cpu) -> None:
    """The thread is on the CPU from here on."""
    hook = thread.kernel.hooks.on_cpu
    if hook:
        hook(thread)
