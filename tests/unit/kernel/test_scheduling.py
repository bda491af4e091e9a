"""Which thread runs where and when: the scheduler with threads that only let time pass."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from runtime.kernel.base.clock import NEVER
from runtime.kernel.base.hooks import Hooks
from runtime.kernel.process.scheduler import QUANTUM, SKEW, Cpu, Scheduler

MS = 1_000_000


class Machine:
    """What the scheduler needs of a kernel; it notes what hooks are told."""

    def __init__(self, ncpus: int = 1, seed: int = 0, told: tuple[str, ...] = ()) -> None:
        self.hooks = Hooks()
        self.log: list[tuple[Any, ...]] = []
        self.idle = [SimpleNamespace(name=f"idle{number}") for number in range(ncpus)]
        self.processes: dict[int, object] = {1: object()}
        self.current: Any = self.idle[0]
        self.interrupted = 0
        self.spent: list[int] = []
        self.budgets = SimpleNamespace(cpu_left=None, ran=self.spent.append)
        self.scheduler = Scheduler(self, ncpus, seed, False)  # type: ignore[arg-type]
        for name in told:
            self.hooks.attach(name, self._teller(name))

    def _teller(self, name: str) -> Callable[..., None]:
        def tell(thread: Any, *more: Any) -> None:
            told = [getattr(each, "name", each) for each in (thread, *more)]
            self.log.append((name, *told, self.scheduler.cpu.now))
        return tell

    def interrupt(self) -> None:
        self.interrupted += 1


class Worker:
    """A thread that works for some time; `does` may do something after a part of it."""

    def __init__(self, machine: Machine, name: str, work: int, cpus: tuple[int, ...] = (0, 1, 2, 3),
                 does: dict[int, Callable[[Worker], None]] | None = None) -> None:
        self.machine, self.kernel, self.name, self.left, self.cpus = machine, machine, name, work, cpus
        self.cpu: Cpu | None = None
        self.ready_at = self.cpu_time = self.involuntary = 0
        self.urgent, self.running, self.functions = False, True, []
        self.process = SimpleNamespace(cpu_timers=())
        self.does = does or {}
        self.ran: list[tuple[int, int, int]] = []  # on which CPU, from when to when
        machine.scheduler.enqueue(self)  # type: ignore[arg-type]

    def may_run_on(self, number: int) -> bool:
        return number in self.cpus

    def resume(self, _greenlet: object) -> None:
        scheduler, cpu = self.machine.scheduler, self.cpu
        assert cpu is scheduler.cpu and self.machine.current is self and cpu.current is self
        start = cpu.now
        while self.left and cpu.now < scheduler.limit:
            due = max((at for at in self.does if at < self.left), default=0)
            step = min(self.left - due, scheduler.limit - cpu.now)
            cpu.now += step
            self.left -= step
            if self.left == due and due:
                self.does.pop(due)(self)
        self.running = self.left > 0
        if self.ran and self.ran[-1][::2] == (cpu.number, start):
            self.ran[-1] = (cpu.number, self.ran[-1][1], cpu.now)
        else:
            self.ran.append((cpu.number, start, cpu.now))


SWITCHES = ("enqueue", "dequeue", "on_cpu", "off_cpu", "preempt", "remain_cpu")


def test_threads_take_turns() -> None:
    machine = Machine(told=SWITCHES)
    one, two = Worker(machine, "one", 10 * MS), Worker(machine, "two", 6 * MS)
    assert machine.scheduler.run(100 * MS) == "until"
    assert one.ran == [(0, 0, 4 * MS), (0, 8 * MS, 12 * MS), (0, 14 * MS, 16 * MS)]
    assert two.ran == [(0, 4 * MS, 8 * MS), (0, 12 * MS, 14 * MS)]
    assert (one.involuntary, two.involuntary, one.cpu_time, two.cpu_time) == (2, 1, 10 * MS, 6 * MS)
    assert machine.scheduler.cpus[0].now == 100 * MS and machine.scheduler.cpus[0].current is None
    assert machine.log[:10] == [
        ("enqueue", "one", 0, 0), ("enqueue", "two", 0, 0), ("dequeue", "one", 0, 0), ("on_cpu", "one", 0),
        ("preempt", "one", 4 * MS), ("off_cpu", "one", "two", 4 * MS), ("enqueue", "one", 0, 4 * MS),
        ("dequeue", "two", 0, 4 * MS), ("on_cpu", "two", 4 * MS), ("preempt", "two", 8 * MS)]
    assert machine.log[-3:] == [("dequeue", "one", 0, 14 * MS), ("on_cpu", "one", 14 * MS),
                                ("off_cpu", "one", None, 16 * MS)]


def test_several_cpus_and_who_may_run_there() -> None:
    machine = Machine(2, told=("enqueue",))
    first, second = Worker(machine, "first", 9 * MS), Worker(machine, "second", 9 * MS, (1,))
    third = Worker(machine, "third", 2 * MS, (1,))
    free = Worker(machine, "free", 1 * MS)
    assert machine.log == [("enqueue", "first", 0, 0), ("enqueue", "second", 1, 0),
                           ("enqueue", "third", 1, 0), ("enqueue", "free", 0, 0)]
    machine.scheduler.run(50 * MS)
    assert {at for at, _, _ in first.ran} == {0} and {at for at, _, _ in (*second.ran, *third.ran)} == {1}
    assert first.ran[-1][2] == 10 * MS and free.ran == [(0, 4 * MS, 5 * MS)]
    assert third.ran[0][1] == 4 * MS and second.ran[-1][2] == 11 * MS
    assert all(each.left == 0 for each in (first, second, third, free))


def test_cpus_stay_together() -> None:
    """One is ahead of another that has something to do by no more than SKEW."""
    machine = Machine(2)
    lead: list[int] = []

    def note(_worker: Worker) -> None:
        lead.append(abs(machine.scheduler.cpus[0].now - machine.scheduler.cpus[1].now))
    for name in ("a", "b"):
        Worker(machine, name, 3 * MS, does={at * 50_000: note for at in range(1, 59)})
    machine.scheduler.run(20 * MS)
    assert len(lead) == 116 and max(lead) == SKEW


def test_an_idle_cpu_takes_over() -> None:
    machine = Machine(2, told=("enqueue", "dequeue"))
    Worker(machine, "short", 1 * MS, (1,))
    long_, waiting, bound = Worker(machine, "long", 8 * MS, (0,)), Worker(machine, "waiting", 5 * MS), None
    waiting.cpu.queue.remove(waiting)  # type: ignore[union-attr,arg-type]
    waiting.cpu = machine.scheduler.cpus[0]
    waiting.cpu.queue.append(waiting)  # type: ignore[arg-type]
    bound = Worker(machine, "bound", MS, (0,))
    machine.scheduler.run(20 * MS)
    assert waiting.ran == [(1, MS, 6 * MS)]
    assert ("dequeue", "waiting", 0, MS) in machine.log and ("enqueue", "waiting", 1, MS) in machine.log
    assert {at for at, _, _ in (*long_.ran, *bound.ran)} == {0}


def test_who_is_urgent_goes_first() -> None:
    machine = Machine()

    def wake(_worker: Worker) -> None:
        for name, urgent in (("plain", False), ("urgent", True)):
            new = Worker(machine, name, MS, does={})
            made.append(new)
            new.urgent = urgent
            if urgent:
                new.cpu.queue.remove(new)  # type: ignore[union-attr,arg-type]
                machine.scheduler.enqueue(new)  # type: ignore[arg-type]
    made: list[Worker] = []
    first = Worker(machine, "first", 9 * MS, does={8 * MS: wake})
    machine.scheduler.run(50 * MS)
    plain, urgent = made
    assert first.ran[0] == (0, 0, MS) and urgent.ran == [(0, MS, 2 * MS)]
    assert plain.ran == [(0, 2 * MS, 3 * MS)]


def test_events_happen_at_their_times() -> None:
    machine = Machine(2)
    scheduler, found = machine.scheduler, list[tuple[str, int, int]]()

    def noting(name: str) -> Callable[[], None]:
        return lambda: found.append((name, scheduler.cpu.now, scheduler.cpu.number))
    worker = Worker(machine, "worker", 5 * MS, (0,))
    scheduler.at(2 * MS, noting("b"))
    scheduler.at(MS, noting("a"))
    scheduler.at(2 * MS, noting("c"))
    scheduler.at(3 * MS, noting("gone")).cancel()
    scheduler.at(4 * MS, noting("other"), cpu=scheduler.cpus[1])
    repeated = scheduler.at(MS, noting("again"), interval=3 * MS)
    assert scheduler.run(12 * MS) == "until"
    assert sorted(found, key=lambda each: each[1]) == [
        ("a", MS, 0), ("again", MS, 0), ("b", 2 * MS, 0), ("c", 2 * MS, 0),
        ("again", 4 * MS, 0), ("other", 4 * MS, 1), ("again", 7 * MS, 0), ("again", 10 * MS, 0)]
    assert worker.ran[-1][2] == 5 * MS
    assert [cpu.now for cpu in scheduler.cpus] == [12 * MS] * 2
    repeated.cancel()
    late: list[int] = []
    scheduler.at(5, lambda: late.append(scheduler.cpu.now))  # what is over happens now
    assert scheduler.run(13 * MS) == "until" and late == [12 * MS]


def test_why_it_stops() -> None:
    machine = Machine()
    scheduler = machine.scheduler
    assert scheduler.run(None) == "idle"
    scheduler.at(MS, lambda: scheduler.stop("because"))
    assert scheduler.run(None) == "because" and machine.interrupted == 1 and scheduler.cpu.now == MS
    calls: list[int] = []
    scheduler.at(2 * MS, lambda: calls.append(1))
    assert scheduler.run(lambda: bool(calls)) == "until" and scheduler.cpu.now == 2 * MS
    scheduler.at(3 * MS, machine.processes.clear)
    assert scheduler.run(None) == "done"
    assert scheduler.run(lambda: False) == "idle"
    machine.processes[1] = object()
    scheduler.at(4 * MS, scheduler.halt)
    assert scheduler.run(None) == "panic"
    scheduler.halt()  # nothing is to be ended


def test_ends_of_slices() -> None:
    machine = Machine()
    scheduler, limits = machine.scheduler, list[int]()

    def look(worker: Worker) -> None:
        limits.append(scheduler.limit)
        if worker.left == 4 * MS:
            scheduler.end_slice_in(100)
            limits.append(scheduler.limit - scheduler.cpu.now)
            scheduler.end_slice_in(500)
            limits.append(scheduler.limit - scheduler.cpu.now)
    worker = Worker(machine, "worker", 5 * MS, does={4 * MS: look, 3 * MS: look})
    assert scheduler.run(20 * MS) == "until"
    assert limits == [20 * MS, 100, 100, 20 * MS] and worker.involuntary == 0
    # a budget of processor time, and a timer of it
    machine = Machine()
    machine.budgets.cpu_left = 3 * MS
    checks: list[int] = []
    worker = Worker(machine, "worker", 5 * MS)
    worker.process.cpu_timers = (SimpleNamespace(
        remaining=lambda: 2 * MS, check=lambda: checks.append(machine.scheduler.cpu.now)),)
    machine.scheduler.run(20 * MS)
    assert machine.spent == [2 * MS, 2 * MS, MS] and checks == [2 * MS, 4 * MS, 5 * MS]


@pytest.mark.parametrize("waiting", [False, True])
def test_a_thread_gives_up_its_turn(waiting: bool) -> None:
    machine = Machine(told=("remain_cpu", "preempt"))
    scheduler, paused = machine.scheduler, list[int]()
    scheduler.pause = lambda: paused.append(scheduler.cpu.now)  # type: ignore[method-assign]

    def give(worker: Worker) -> None:
        scheduler.yield_cpu(worker)  # type: ignore[arg-type]
    one = Worker(machine, "one", 3 * MS, does={2 * MS: give})
    two = Worker(machine, "two", MS) if waiting else None
    scheduler.run(20 * MS)
    assert paused == ([MS] if waiting else [])
    assert machine.log == [("preempt", "one", MS) if waiting else ("remain_cpu", "one", MS)]
    assert one.ran == ([(0, 0, MS), (0, 2 * MS, 4 * MS)] if waiting else [(0, 0, 3 * MS)])
    assert two is None or two.ran == [(0, MS, 2 * MS)]


def test_a_thread_moves_to_where_it_may_run() -> None:
    machine = Machine(2, told=("dequeue", "enqueue"))
    scheduler = machine.scheduler
    one, two = Worker(machine, "one", MS, (0,)), Worker(machine, "two", MS, (0,))
    machine.log.clear()
    scheduler.place(two)  # type: ignore[arg-type]
    assert machine.log == []
    two.cpus = (1,)
    scheduler.place(two)  # type: ignore[arg-type]
    assert machine.log == [("dequeue", "two", 0, 0), ("enqueue", "two", 1, 0)]
    assert two.cpu is scheduler.cpus[1] and scheduler.cpus[0].queue == [one]
    scheduler.cpus[0].queue.clear()
    one.cpus = (1,)
    scheduler.place(one)  # type: ignore[arg-type]  # neither waits nor runs
    assert one.cpu is scheduler.cpus[0]
    scheduler.cpus[0].current = one  # type: ignore[assignment]
    scheduler.place(one)  # type: ignore[arg-type]
    assert one.cpu is scheduler.cpus[1] and scheduler.cpus[0].current is None


def test_ticks_while_somebody_watches() -> None:
    machine = Machine(2, told=())
    found: list[tuple[str, int]] = []

    def tick(thread: Any) -> None:
        found.append((thread.name, machine.scheduler.cpu.now))
    worker = Worker(machine, "worker", 35 * MS, (0,))
    machine.scheduler.run(15 * MS)
    machine.hooks.attach("tick", tick)
    assert machine.scheduler.run(34 * MS) == "until"
    assert found == [("worker", 20 * MS), ("worker", 30 * MS)]  # none of the idle CPU
    machine.hooks.detach("tick", tick)
    machine.scheduler.run(60 * MS)
    assert len(found) == 2 and worker.left == 0
    assert all(cpu.next_event() == NEVER for cpu in machine.scheduler.cpus)


@pytest.mark.parametrize(("cpus", "quantum", "urgent", "limit"), [
    ((0,), 50, False, 50), ((0,), 5, False, 10), ((1,), 50, False, 10), ((0,), 50, True, 10)])
def test_when_a_slice_ends_for_another_thread(cpus: tuple[int, ...], quantum: int, urgent: bool,
                                              limit: int) -> None:
    """On the same processor when the quantum is over; on another the other is to begin at once."""
    machine = Machine(2)
    scheduler = machine.scheduler
    scheduler.cpus[0].now, scheduler.cpus[0].quantum_end, scheduler.cpus[1].now = 10, quantum, 5
    one = Worker(machine, "one", MS, cpus)
    one.cpu.queue.clear()  # type: ignore[union-attr]
    one.cpu, one.urgent, scheduler.limit = None, urgent, NEVER
    scheduler.enqueue(one)  # type: ignore[arg-type]
    assert scheduler.limit == limit and one.ready_at == 10


def test_work_and_time() -> None:
    """Code takes the same time whatever the parts in which it runs."""
    from runtime.kernel.base.clock import BYTES_PER_STEP, NS_PER_STEP

    whole, parts = Cpu(0), Cpu(1)
    whole.worked(10_007)
    for _ in range(10_007):
        parts.worked(1)
    assert (whole.now, whole.rest) == (parts.now, parts.rest) == divmod(10_007 * NS_PER_STEP, BYTES_PER_STEP)
    machine = Machine()
    scheduler = machine.scheduler
    assert scheduler.budget() == 1 << 60
    for limit, size in ((0, 1), (10**12, 100_000_000)):
        scheduler.limit = limit
        assert scheduler.budget() == size
    for time in (whole.now + 1, whole.now + 5, whole.now + 1000):  # the slice is as long as it has to be
        scheduler.cpu.now, scheduler.cpu.rest, scheduler.limit = whole.now, whole.rest, time
        size = scheduler.budget()
        before, at = Cpu(2), Cpu(3)
        for cpu, more in ((before, size - 1), (at, size)):
            cpu.now, cpu.rest = whole.now, whole.rest
            cpu.worked(more)
        assert before.now < time <= at.now


def test_a_seed_varies_turns() -> None:
    turns = set()
    for seed in (1, 2, 3):
        for _ in range(2):
            machine = Machine(seed=seed)
            workers = [Worker(machine, name, 9 * MS) for name in "abc"]
            machine.scheduler.run(99 * MS)
            assert all(each.left == 0 for each in workers)
            parts = [end - start for each in workers for _cpu, start, end in each.ran]
            assert max(parts) <= 9 * MS and min(parts) < QUANTUM
            turns.add(tuple(tuple(each.ran) for each in workers))
    assert len(turns) == 3
