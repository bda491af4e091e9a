"""Signals and timers by themselves: what becomes pending, what a delivery does, when timers are due."""

from __future__ import annotations

import errno
from types import SimpleNamespace
from typing import Any

import pytest

from runtime.kernel.base.clock import SECOND
from runtime.kernel.base.errors import MemoryFault, SyscallError
from runtime.kernel.base.hooks import Hooks
from runtime.kernel.base.signals import (
    SA_NODEFER,
    SA_RESETHAND,
    SA_RESTART,
    SIG_DFL,
    SIG_IGN,
    SIGCHLD,
    SIGCONT,
    SIGKILL,
    SIGSEGV,
    SIGSTOP,
    SIGTSTP,
    SIGUSR1,
    SIGXCPU,
    SS_AUTODISARM,
    SS_DISABLE,
    SS_ONSTACK,
    Action,
    AlternateStack,
    Pending,
    SignalInfo,
    bit,
)
from runtime.kernel.process import delivery
from runtime.kernel.process.posting import sigtoproc
from runtime.kernel.process.process import RLIMIT_CORE
from runtime.kernel.process.ptrace import Trace, leave_call
from runtime.kernel.process.thread import Thread
from runtime.kernel.process.timers import CpuLimit, CpuTimer, Timer, limit_cpu_time

HANDLER = 0x7000


class Signals:
    """A process's actions and pending signals."""

    def __init__(self) -> None:
        self.pending = Pending()
        self.actions: dict[int, Action] = {}

    def action(self, signal: int) -> Action:
        return self.actions.get(signal, Action())

    def ignores(self, signal: int) -> bool:
        handler = self.action(signal).handler
        return handler == SIG_IGN or (handler == SIG_DFL and signal in (SIGCHLD, SIGCONT))


def made(**more: Any) -> Any:
    """A thread of a process; `log` has what happens to it."""
    log: list[Any] = []

    def note(name: str) -> Any:
        return lambda *words, **named: log.append((name, *(each for each in words if isinstance(each, int))))
    hooks = Hooks()
    lifecycle = SimpleNamespace(kill_group=lambda process, status: log.append(("end", status)),
                                stop=lambda process, signal: log.append(("stop", signal)),
                                tell_parent_stopped=lambda _process, continued: log.append(
                                    ("told", continued)))
    kernel = SimpleNamespace(hooks=hooks, lifecycle=lifecycle, signal_watchers=[
        SimpleNamespace(wake_all=note("watcher"))])
    processor = SimpleNamespace(push=note("push"), repeat=note("repeat"), finish=note("finish"),
                                smallest_stack=2048)
    process = SimpleNamespace(kernel=kernel, signals=Signals(), stopped=False, terminal=None, pgid=5,
                              processor=processor, limit=lambda which: (0, 0), report_stop=True,
                              report_continue=False,
                              continued=SimpleNamespace(wake_all=note("continued")))
    one = SimpleNamespace(process=process, kernel=kernel, mask=0, pending=Pending(), waiting_for=0,
                          trace=None, interrupt=note("interrupt"), restart=None, saved_mask=None,
                          restart_deadline=7,
                          alternate_stack=AlternateStack(), log=log, killed=False, functions=[],
                          set_mask=lambda mask: setattr(one, "mask", mask))
    process.threads = [one, SimpleNamespace(pending=Pending(), trace=None)]
    for name, value in more.items():
        setattr(one, name, value)
    return one


def post(one: Any, signal: int, personal: bool = False, sender: Any = None) -> list[Any]:
    sigtoproc(one, one.process, one, SignalInfo(signal), sender, personal)
    found = list(one.log)
    one.log.clear()
    return found


def test_what_becomes_pending() -> None:
    one = made()
    process = one.process
    assert post(one, SIGUSR1) == [("interrupt",), ("watcher",)]
    assert process.signals.pending.mask == bit(SIGUSR1) and one.pending.mask == 0
    assert post(one, SIGUSR1) == []  # it waits already
    assert post(one, SIGUSR1, True) == [("interrupt",), ("watcher",)] and one.pending.mask == bit(SIGUSR1)
    assert post(one, SIGCHLD) == []  # it is ignored
    for name, value in (("mask", bit(SIGCHLD)), ("waiting_for", bit(SIGCHLD)), ("trace", object())):
        one = made(**{name: value})
        told = post(one, SIGCHLD)
        assert told == ([("watcher",)] if name == "mask" else [("interrupt",), ("watcher",)])
        assert one.process.signals.pending.mask == bit(SIGCHLD)
    one = made(mask=bit(SIGUSR1), waiting_for=bit(SIGUSR1))
    assert post(one, SIGUSR1) == [("interrupt",), ("watcher",)]
    one = made(mask=bit(SIGKILL))
    assert post(one, SIGKILL) == [("end", SIGKILL), ("watcher",)]


def test_stops_and_continues_cancel_each_other() -> None:
    one = made(mask=bit(SIGCONT) | bit(SIGTSTP))
    other = one.process.threads[1]
    post(one, SIGCONT), post(one, SIGCONT, True), other.pending.add(SignalInfo(SIGCONT))
    post(one, SIGTSTP), post(one, SIGTSTP, True), other.pending.add(SignalInfo(SIGTSTP))
    assert one.process.signals.pending.mask == one.pending.mask == bit(SIGTSTP)
    assert other.pending.mask == bit(SIGTSTP)
    other.pending.add(SignalInfo(SIGCONT))
    one.process.stopped = True
    assert post(one, SIGCONT) == [("told", True), ("continued",), ("watcher",)]
    assert one.process.signals.pending.mask == other.pending.mask == bit(SIGCONT) and one.pending.mask == 0
    assert (one.process.stopped, one.process.report_stop, one.process.report_continue) == (False, False, True)
    one = made(mask=bit(SIGCONT))
    assert post(one, SIGCONT) == [("watcher",)]


def test_hooks_of_signals() -> None:
    one, told, sender = made(), list[Any](), SimpleNamespace(name="sender")
    hooks = one.kernel.hooks
    hooks.attach("signal_send", lambda *words: told.append(("send", *words)))
    hooks.attach("signal_discard", lambda *words: told.append(("discard", *words)))
    post(one, SIGCHLD, sender=sender)
    post(one, SIGCHLD)
    assert told == [("send", sender, one, SIGCHLD), ("discard", sender, one, SIGCHLD),
                    ("send", None, one, SIGCHLD), ("discard", one, one, SIGCHLD)]


def act(one: Any, signal: int, action: Action | None = None) -> tuple[bool, list[Any]]:
    if action is not None:
        one.process.signals.actions[signal] = action
    one.log.clear()
    return delivery._act(one, SignalInfo(signal)), list(one.log)


def test_what_a_delivery_does() -> None:
    assert act(made(), SIGUSR1, Action(SIG_IGN)) == (False, [])
    assert act(made(), SIGUSR1) == (False, [("end", SIGUSR1)])
    assert act(made(), SIGUSR1, Action(HANDLER)) == (True, [("push", 0)])
    assert act(made(), SIGCHLD) == act(made(), SIGCONT) == (False, [])
    assert act(made(), SIGSTOP) == (False, [("stop", SIGSTOP)])
    for orphaned in (False, True):
        one = made()
        one.process.terminal = SimpleNamespace(orphaned=lambda group, told=orphaned: told)
        assert act(one, SIGTSTP) == (False, [] if orphaned else [("stop", SIGTSTP)])
        assert act(one, SIGSTOP) == (False, [("stop", SIGSTOP)])
    one = made()
    assert act(one, SIGKILL, Action(HANDLER)) == (False, [("end", SIGKILL)])
    assert act(one, SIGSTOP, Action(HANDLER)) == (False, [("stop", SIGSTOP)])


@pytest.mark.parametrize("signal", [SIGSEGV, SIGUSR1])
@pytest.mark.parametrize("fails", [None, errno.EACCES])
def test_cores(signal: int, fails: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[int] = []

    def core(_thread: Any, info: SignalInfo) -> None:
        written.append(info.signal)
        if fails:
            raise SyscallError(fails)
    monkeypatch.setattr(delivery, "core", core)
    one = made()
    one.process.limit = lambda which: (4096, 4096) if which == RLIMIT_CORE else (0, 0)
    dumps = signal == SIGSEGV
    assert act(one, signal) == (False, [("end", signal | 0x80 * (dumps and not fails))])
    assert written == [signal] * dumps


def test_handlers_and_the_call_they_have_interrupted() -> None:
    failed = "finish", -errno.EINTR
    for mode, flags, expected in (("always", SA_RESTART, ("repeat", 3)), ("always", 0, failed),
                                  ("nohandler", SA_RESTART, failed), ("never", SA_RESTART, failed)):
        one = made(restart=(mode, 3))
        assert act(one, SIGUSR1, Action(HANDLER, flags, mask=bit(5))) == (True, [expected, ("push", 0)])
        assert one.restart is None and one.restart_deadline == (7 if expected[0] == "repeat" else None)
        assert one.mask == bit(5) | bit(SIGUSR1)
    one = made(mask=bit(3), saved_mask=bit(4))
    assert act(one, SIGUSR1, Action(HANDLER, SA_NODEFER | SA_RESETHAND)) == (True, [("push", bit(4))])
    assert (one.mask, one.saved_mask) == (bit(3), None)
    action = one.process.signals.actions[SIGUSR1]
    assert (action.handler, action.flags) == (SIG_DFL, SA_NODEFER | SA_RESETHAND)
    for flags in (0, SS_AUTODISARM):
        one = made(alternate_stack=AlternateStack(0x1000, 4096, flags))
        act(one, SIGUSR1, Action(HANDLER))
        assert one.alternate_stack == (AlternateStack() if flags else AlternateStack(0x1000, 4096, 0))


def test_a_stack_without_room_for_a_frame() -> None:
    def refuse(*_words: Any) -> None:
        raise MemoryFault(5)
    for signal in (SIGUSR1, SIGSEGV):
        one = made()
        one.process.processor.push = refuse
        one.process.signals.actions[SIGSEGV] = Action(SIG_IGN)
        log = act(one, signal, Action(HANDLER))[1]
        assert log == ([("end", SIGSEGV)] if signal == SIGSEGV else [])
        assert one.pending.mask == (0 if signal == SIGSEGV else bit(SIGSEGV))
        assert signal == SIGSEGV or one.process.signals.actions[SIGSEGV].handler == SIG_DFL


@pytest.mark.parametrize(("mask", "handler", "reset"), [
    (0, HANDLER, False), (bit(SIGSEGV), HANDLER, True), (0, SIG_IGN, True), (bit(5), SIG_DFL, False)])
def test_what_cannot_be_blocked_or_ignored(mask: int, handler: int, reset: bool) -> None:
    one, told = made(mask=mask), list[Any]()
    one.process.signals.actions[SIGSEGV] = Action(handler)
    one.kernel.hooks.attach("signal_send", lambda *words: told.append(words))
    delivery.force(one, SignalInfo(SIGSEGV))
    assert one.pending.mask == bit(SIGSEGV) and one.mask == mask & ~bit(SIGSEGV)
    assert one.process.signals.actions[SIGSEGV].handler == (SIG_DFL if reset else handler)
    assert told == [(one, one, SIGSEGV)]


def test_deliveries_one_after_another() -> None:
    one = made(restart=("always", 3), mask=bit(12), saved_mask=bit(9))
    one.pending.add(SignalInfo(SIGCHLD)), one.pending.add(SignalInfo(12))
    one.process.signals.pending.add(SignalInfo(SIGCONT))
    delivery.deliver_pending(one)
    assert one.log == [("repeat", 3)] and one.pending.mask == bit(12)
    assert (one.mask, one.saved_mask) == (bit(9), None)
    for mode, log in (("never", []), ("nohandler", [("repeat", 3)])):
        one = made(restart=(mode, 3))
        delivery.deliver_pending(one)
        assert (one.log, one.restart) == (log, None)
    one = made(restart=("always", 3))
    one.process.signals.actions[SIGUSR1] = Action(HANDLER)
    one.pending.add(SignalInfo(SIGUSR1))
    delivery.deliver_pending(one)
    assert one.log == [("finish", -errno.EINTR), ("push", 0)]
    one = made(restart=("always", 3))
    one.process.stopped = True
    one.pending.add(SignalInfo(SIGUSR1))
    delivery.deliver_pending(one)
    assert one.log == [] and one.restart == ("always", 3) and one.pending.mask
    # a tracer takes a signal, or another in its place
    for signal, wanted, log in ((SIGUSR1, None, []), (SIGUSR1, SIGSTOP, [("stop", SIGSTOP)]),
                                (SIGKILL, None, [("end", SIGKILL)])):
        one = made(trace=SimpleNamespace(signal_stop=lambda info, w=wanted: SignalInfo(w) if w else None))
        one.pending.add(SignalInfo(signal))
        delivery.deliver_pending(one)
        assert one.log == log


# -- timers ----------------------------------------------------------------------------------------------

class Clock:
    """A kernel whose time is set, with events, and a process whose posts are noted."""

    def __init__(self) -> None:
        self.now, self.events, self.posts = 1000, list[Any](), list[Any]()
        self.kernel = self.scheduler = self
        self.threads = {8: SimpleNamespace(post=lambda info: self.posts.append(("thread", info.signal)))}
        self.cpu_timers: list[Any] = []
        self.cpu_time = self.slice_start = 0
        self.ends: list[int] = []
        self.current = SimpleNamespace(process=None)
        self.limits = (1 << 64) - 1, (1 << 64) - 1

    def hrtime(self) -> int:
        return self.now

    def at(self, when: int, function: Any, *, interval: int = 0) -> Any:
        event = SimpleNamespace(time=when, function=function, interval=interval, cancelled=False)
        event.cancel = lambda: setattr(event, "cancelled", True)
        self.events.append(event)
        return event

    def end_slice_in(self, time: int) -> None:
        self.ends.append(time)

    def post(self, info: SignalInfo) -> None:
        self.posts.append((info.signal, info.code, info.layout, info.pid, info.value))

    def limit(self, which: int) -> tuple[int, int]:
        return self.limits


def test_timers() -> None:
    clock: Any = Clock()
    timer = Timer(clock, SignalInfo(14, -2, pid=3, value=9), 1)
    assert timer.remaining() == 0
    timer.set(500, 0)
    assert (timer.remaining(), timer.interval, clock.events[0].time) == (500, 0, 1500)
    clock.now = 1499
    assert timer.remaining() == 1
    clock.now = 1600
    assert timer.remaining() == 1  # it is late
    clock.events[0].function()
    assert timer.remaining() == 0 and clock.posts == [(14, -2, "timer", 3, 9)]
    timer.set(100, 50)
    event = clock.events[1]
    assert (event.interval, timer.interval) == (50, 50)
    event.function()
    assert timer.remaining() == 100 and len(clock.posts) == 2
    timer.set(0, 70)
    assert event.cancelled and timer.remaining() == timer.interval == 0 and len(clock.events) == 2
    for target, told in ((8, ("thread", 14)), (9, (14, -2, "timer", 3, 9))):
        timer = Timer(clock, SignalInfo(14, -2, pid=3, value=9), 1, target)
        timer.set(1, 0)
        clock.events[-1].function()
        assert clock.posts[-1] == told
    Timer(clock, None, 1)._send()
    assert len(clock.posts) == 4


def test_timers_of_processor_time() -> None:
    clock: Any = Clock()
    clock.cpu_time = 300
    timer = CpuTimer(clock, SignalInfo(26), 2)
    timer.set(100, 0)
    assert (clock.ends, clock.cpu_timers, timer.remaining()) == ([100], [timer], 100)
    clock.cpu_time = 399
    timer.check()
    assert clock.posts == [] and timer.remaining() == 1
    clock.cpu_time = 400
    timer.check()
    assert len(clock.posts) == 1 and clock.cpu_timers == [] and timer.remaining() == 0
    timer.set(10, 20)
    clock.cpu_time = 450
    timer.check()  # at 410, 430 and 450
    assert len(clock.posts) == 4 and timer.remaining() == 20
    timer.set(0, 20)
    assert clock.cpu_timers == [] and len(clock.ends) == 2
    clock.current.process, clock.slice_start = clock, 940  # which runs since then
    timer.set(100, 0)
    clock.now = 1030
    assert timer.remaining() == 70


def test_a_limit_of_processor_time() -> None:
    clock: Any = Clock()
    limit_cpu_time(clock)
    assert clock.cpu_timers == []
    clock.limits = 2, 4
    limit_cpu_time(clock)
    limit_cpu_time(clock)
    limit, = clock.cpu_timers
    assert isinstance(limit, CpuLimit) and limit.remaining() == 2 * SECOND
    for seconds, signals in ((1, []), (2, [SIGXCPU]), (3, [SIGXCPU] * 2), (4, [SIGXCPU] * 2 + [SIGKILL])):
        clock.cpu_time = seconds * SECOND
        limit.check()
        assert [each[0] for each in clock.posts] == signals
    clock.limits = 3, 9
    limit_cpu_time(clock)
    assert [each.remaining() for each in clock.cpu_timers] == [1]  # it is over already


@pytest.mark.parametrize(("flags", "size", "pointer", "expected"), [
    (0, 2048, 0, AlternateStack(0x1000, 2048, 0)), (SS_ONSTACK, 2048, 0, AlternateStack(0x1000, 2048, 1)),
    (0, 2047, 0, errno.ENOMEM), (SS_DISABLE, 5, 0, AlternateStack(0, 0, 2)), (3, 4096, 0, errno.EINVAL),
    (SS_AUTODISARM, 4096, 0, AlternateStack(0x1000, 4096, SS_AUTODISARM)),
    (SS_AUTODISARM | 2, 0, 0, AlternateStack(0, 0, SS_AUTODISARM | 2)), (0, 4096, 0x5001, errno.EPERM),
    (0, 4096, 0x6000, errno.EPERM), (0, 4096, 0x5000, AlternateStack(0x1000, 4096, 0)),
    (0, 4096, 0x6001, AlternateStack(0x1000, 4096, 0))])
def test_a_stack_for_handlers(flags: int, size: int, pointer: int, expected: AlternateStack | int) -> None:
    one = made(alternate_stack=AlternateStack(0x5000, 0x1000, 0))
    one.change_stack = lambda *words: Thread.change_stack(one, *words)
    if isinstance(expected, int):
        with pytest.raises(SyscallError) as refused:
            Thread.change_stack(one, 0x1000, flags, size, pointer)
        assert refused.value.errno == expected
        expected = one.alternate_stack
    Thread.return_to_stack(one, 0x1000, flags, size, pointer)
    assert one.alternate_stack == expected


@pytest.mark.parametrize(("pid", "group", "expected"), [
    (0, 0, True), (8, 0, True), (9, 0, False), (0, 5, True), (0, 6, False), (8, 5, True), (8, 6, False),
    (9, 5, False)])
def test_which_traced_threads_are_waited_for(pid: int, group: int, expected: bool) -> None:
    trace: Any = SimpleNamespace(tid=8, thread=SimpleNamespace(process=SimpleNamespace(pgid=5)))
    assert Trace.matches(trace, pid, group) is expected


@pytest.mark.parametrize(("restart", "told"), [
    (None, []), (("always", 7), [("finish", -512)]), (("nohandler", 7), [("finish", -514)]),
    (("never", 7), [])])
@pytest.mark.parametrize(("calls", "steps", "stops"), [(True, True, 2), (False, True, 0), (False, False, 0)])
def test_what_a_tracer_finds_of_an_interrupted_call(restart: Any, told: list[Any], calls: bool, steps: bool,
                                                    stops: int) -> None:
    """ERESTARTSYS or ERESTARTNOHAND of <linux/errno.h>; and the stop that it asked for."""
    log: list[Any] = []
    trace = SimpleNamespace(calls=calls, steps=steps, call_stop=log.append)
    one = made(restart=restart, trace=trace, pc=0x4000)
    one.post = lambda info: log.append((info.signal, info.code, info.address))
    leave_call(one)
    assert one.log == told and trace.steps is (calls and steps)
    assert log == ([stops] if stops else [(5, 2, 0x4000)] if steps else [])


@pytest.mark.parametrize(("changed", "undisturbed"), [
    ({}, True), ({"restart": ("always", 3)}, False), ({"saved_mask": 0}, False), ({"killed": True}, False),
    ({"stop_requested": True}, False), ({"trap_pending": True}, False), ({"own": 10}, False),
    ({"all": 10}, False), ({"own": 10, "mask": bit(10)}, True), ({"all": 10, "mask": bit(10)}, True),
    ({"stopped": True}, False)])
def test_what_keeps_a_thread_from_going_on(changed: dict[str, Any], undisturbed: bool) -> None:
    one = made(stop_requested=False, trap_pending=False)
    for name, value in changed.items():
        if name == "own":
            one.pending.add(SignalInfo(value))
        elif name == "all":
            one.process.signals.pending.add(SignalInfo(value))
        else:
            setattr(one.process if name == "stopped" else one, name, value)
    assert Thread.undisturbed.fget(one) is undisturbed  # type: ignore[attr-defined]
