"""Which thread runs on which virtual CPU, and for how long.

Each virtual CPU has a clock of its own.  It advances with the work done on that CPU, and jumps when the CPU
is idle.  An event belongs to a CPU and happens when that CPU's clock reaches its time: so a probe of the
event meets the thread that runs there at that time.

The CPU whose clock is furthest behind goes next.  Its slice ends at its next event, at the end of the
running thread's quantum (if another thread waits), or when it is a little ahead of the other busy CPUs.
Without any of these the slice has no end, and the processor counts no work.  The order of everything is
fixed; a seed other than 0 varies quanta and choices.
"""

from __future__ import annotations

import heapq
import random
import time
from collections.abc import Callable

import greenlet

from runtime.kernel.base.clock import BYTES_PER_STEP, NEVER, NS_PER_STEP, SECOND, TICK, Event
from runtime.kernel.base.kernelfunctions import kfunction

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from runtime.kernel.process.system import System
    from runtime.kernel.process.thread import Thread

QUANTUM = 4_000_000  # ns a thread may run while another waits for its CPU
SKEW = 100_000  # ns one busy CPU may get ahead of another
UNBOUNDED = 1 << 60  # bytes of code: a slice without an end
LONGEST = 100_000_000  # bytes of code, after which Python looks for signals of the host
_LOOK = 100_000_000  # ns asleep between two looks at whether the machine is to stop

Until = int | Callable[[], bool] | None


class Halted(BaseException):
    """Ends the scheduler's loop: the machine has panicked."""


class Cpu:
    """One virtual CPU: its clock, the thread that runs on it, those that are ready to, and its events."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.now = 0
        self.rest = 0  # of a nanosecond, in steps
        self.current: Thread | None = None
        self.queue: list[Thread] = []
        self.events: list[Event] = []
        self.quantum_end = 0

    def worked(self, size: int) -> None:
        """Let the time pass that `size` bytes of machine code take.

        What is less than a nanosecond is kept: how often others interrupt a program must not change its time.
        """
        steps = size * NS_PER_STEP + self.rest
        self.now, self.rest = self.now + steps // BYTES_PER_STEP, steps % BYTES_PER_STEP

    def add(self, event: Event) -> None:
        heapq.heappush(self.events, event)

    def next_event(self) -> int:
        """Return the time of the next event; NEVER if there is none."""
        events = self.events
        while events and events[0].cancelled:
            heapq.heappop(events)
        return events[0].time if events else NEVER

    def pop_due(self) -> Event | None:
        """Take the first event whose time has come off the list and return it; None if there is none.

        One that repeats goes back onto the list with its next time.
        """
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
        """Return when this CPU has something to do; NEVER if it has nothing."""
        if self.current is not None:
            return self.now
        due = self.next_event()
        for thread in self.queue:
            if thread.ready_at < due:
                due = thread.ready_at
        return due if self.now < due else self.now


class Scheduler:
    """The CPUs and the loop that drives them."""

    def __init__(self, kernel: System, ncpus: int, seed: int, real: bool) -> None:
        self.kernel = kernel
        self.cpus = [Cpu(number) for number in range(ncpus)]
        self.cpu = self.cpus[0]  # the CPU whose turn it is
        self.limit = NEVER  # when the current slice ends
        self.slice_start = 0  # when the current thread last began to run
        self.real = real
        self.greenlet = greenlet.getcurrent()
        self._driven = False
        self._random = random.Random(seed) if seed else None
        # where slices end within blocks of code, if they do: threads on several CPUs then race as they may
        self.strays = random.Random(seed) if seed and ncpus > 1 else None
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
        """Start or stop the clock's ticks: they happen only while a tracer watches the hook `tick`."""
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
        if len(self.cpus) > 1 and cpu.busy:
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
        # on another CPU it is to begin now, not when this slice is over: it may wait for a lock
        end = cpu.quantum_end if cpu is self.cpu else self.cpu.now
        self.limit = min(self.limit, end if end > cpu.now else cpu.now)

    def place(self, thread: Thread) -> None:
        """Take a thread off a CPU, other than the current one, on which it may not run any more."""
        cpu = thread.cpu
        if cpu is None or thread.may_run_on(cpu.number):
            return
        if thread in cpu.queue:
            cpu.queue.remove(thread)
            if self.kernel.hooks.dequeue:
                self.kernel.hooks.dequeue(thread, cpu.number)
        elif cpu.current is thread:
            self._leave(cpu, thread)
        else:
            return
        self.enqueue(thread)

    def end_slice_in(self, nanoseconds: int) -> None:
        """End the current slice after that time at the latest."""
        self.limit = min(self.limit, self.cpu.now + nanoseconds)

    def budget(self) -> int:
        """Return how many bytes of code the current CPU's thread may run now."""
        limit, cpu = self.limit, self.cpu
        if limit >= NEVER:
            return UNBOUNDED
        budget = -(((cpu.now - limit) * BYTES_PER_STEP + cpu.rest) // NS_PER_STEP)  # rounded up
        return min(budget, LONGEST) if budget > 0 else 1

    def yield_cpu(self, thread: Thread) -> None:
        """Put a running thread at the end of its CPU's queue (sched_yield(2))."""
        if self.cpu.queue:
            self.cpu.quantum_end = self.cpu.now
            self.limit = self.cpu.now
            self.pause()
        else:
            self._remain(thread)

    def pause(self) -> None:
        """Give control back to the loop, until the calling thread has its next turn."""
        self.greenlet.switch()

    # -- the loop -------------------------------------------------------------------------------

    def stop(self, reason: str) -> None:
        """Make `run` return with `reason` as soon as possible."""
        self._stop_reason = reason
        self.limit = self.cpu.now
        self.kernel.interrupt()

    def halt(self) -> None:
        """Make `run` return at once with "panic".  Returns only if `run` is not active."""
        if self._driven:
            self.greenlet.throw(Halted)

    def run(self, until: Until) -> str:
        """Drive the machine until a time or a condition.

        Returns why it stopped: "until", "idle" (nothing will happen any more), "done" (no process is left),
        "panic", or the reason that `stop` was given.
        """
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
            cpu = self.cpus[0]
            due = cpu.next_action()
            for other in self.cpus[1:]:
                action = other.next_action()
                if action < due:
                    cpu, due = other, action
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
            time.sleep(min(early, _LOOK) / SECOND)
            if early > _LOOK:
                return
        self.cpu = cpu
        self.slice_start = cpu.now = max(cpu.now, due)
        self.kernel.current = cpu.current or self.kernel.idle[cpu.number]
        # most turns are those of threads, which should not wait for a call
        event = cpu.pop_due() if cpu.events and cpu.events[0].time <= cpu.now else None
        if event is not None:
            self.limit = NEVER
            event.function()
            return
        if cpu.current is None:
            self._choose(cpu)
        if cpu.current is not None:
            self._dispatch(cpu, cpu.current, deadline)

    def _choose(self, cpu: Cpu) -> None:
        """Put the next ready thread on `cpu`."""
        ready = cpu.queue
        if len(ready) != 1 or ready[0].ready_at > cpu.now:
            ready = [thread for thread in ready if thread.ready_at <= cpu.now]
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
        if hooks.function or hooks.on_cpu:
            swtch_to(thread, cpu)

    def _dispatch(self, cpu: Cpu, thread: Thread, deadline: int) -> None:
        """Run the CPU's thread for one slice; then let it keep the CPU, or take that from it."""
        limit = min(cpu.next_event(), deadline)
        if cpu.queue:
            limit = min(limit, max(cpu.quantum_end, cpu.now + 1))
        skew = SKEW if self._random is None else self._random.randrange(SKEW // 20, SKEW)
        if len(self.cpus) > 1:
            limit = min(limit, self._others(cpu) + skew)
        timers = thread.process.cpu_timers
        for timer in timers:
            limit = min(limit, cpu.now + timer.remaining())
        budgets = self.kernel.budgets
        if budgets.cpu_left is not None:
            limit = min(limit, cpu.now + budgets.cpu_left)
        self.limit = limit
        started = self.slice_start = cpu.now
        thread.resume(self.greenlet)
        if self.real:
            cpu.now = max(cpu.now, self.real_time())
        thread.cpu_time += cpu.now - started
        if budgets.cpu_left is not None:
            budgets.ran(cpu.now - started)
        self.slice_start = cpu.now
        for timer in tuple(timers):
            timer.check()
        if thread.running:
            if cpu.queue and cpu.now >= cpu.quantum_end:
                self._preempt(cpu, thread)
        else:
            self._leave(cpu, thread)

    def _others(self, cpu: Cpu) -> int:
        """Return the time of the first of what other CPUs have to do, or this CPU's if that is later."""
        action = min([other.next_action() for other in self.cpus if other is not cpu])
        return max(action, cpu.now) if action < NEVER else 2 * NEVER

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
        """Tell the hook that a thread keeps its CPU, as no other is ready."""
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
        """Give a CPU that has nothing to do a thread that waits for another CPU."""
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
    """Tell the hook that a thread is on a CPU from here on."""
    hook = thread.kernel.hooks.on_cpu
    if hook:
        hook(thread)
