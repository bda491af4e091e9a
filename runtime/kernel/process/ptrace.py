"""Threads that another process traces (ptrace(2)): when they stop, and what the tracer is told.

A stop is a sleep of the traced thread.  Its tracer learns of it by wait(2).
"""

from __future__ import annotations

import errno
from collections.abc import Sequence

from runtime.kernel.base.errors import SyscallError
from runtime.kernel.base.signals import SA_NOCLDSTOP, SIGCHLD, SIGKILL, SIGSTOP, SIGTRAP, SignalInfo
from runtime.kernel.base.wait import WaitQueue
from runtime.kernel.cpu.events import TRAP_TRACE
from runtime.kernel.process.process import CLD_TRAPPED, Process

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from runtime.kernel.process.thread import Thread

SYSGOOD, TRACE_FORK, TRACE_VFORK, TRACE_CLONE, TRACE_EXEC, TRACE_VFORK_DONE, TRACE_EXIT = (
    1 << number for number in range(7))
EXIT_KILL = 1 << 20
OPTIONS = EXIT_KILL | 0xFF
EVENT_FORK, EVENT_VFORK, EVENT_CLONE, EVENT_EXEC, EVENT_VFORK_DONE, EVENT_EXIT = range(1, 7)
EVENT_STOP = 128
STOPPED = 0x7F  # the low byte of the wait status of a stop
ENTRY, EXIT = 1, 2  # of a system call
# The result register of an interrupted call has one of these until it is settled how the call goes on.
RESTARTS = {"always": 512, "nohandler": 514}


class Trace:
    """The tie between a traced thread and its tracer.  `tid` remains when the thread has ended."""

    def __init__(self, thread: Thread, tracer: Process, options: int, seized: bool) -> None:
        self.thread = thread
        self.tid = thread.tid
        self.tracer = tracer
        self.options = options
        self.seized = seized
        self.report: int | None = None  # the wait status that the tracer has not fetched yet
        self.ended = False
        self.stopped = False  # the thread has stopped for its tracer
        self.listening = False  # it remains stopped with its process, though its tracer has let it go
        self.event = 0  # EVENT_* of the stop
        self.message = 0
        self.info: SignalInfo | None = None  # of the signal; None if it stopped with its process
        self.call = 0  # ENTRY or EXIT if it stopped at a system call
        self.calls = False  # it is to stop at system calls
        self.steps = False  # it is to stop after one instruction
        self.injected = 0  # the signal that the tracer wants delivered to it
        self.queue = WaitQueue("ptrace")
        thread.trace = self
        tracer.traces.append(self)

    def matches(self, pid: int, group: int) -> bool:
        """Whether a wait for process `pid`, or for a group, is for this thread too; 0 stands for any."""
        return (not pid or pid == self.tid) and (not group or self.thread.process.pgid == group)

    # -- stopping -------------------------------------------------------------------------------

    def stop(self, info: SignalInfo | None, *, event: int = 0, message: int = 0, call: int = 0,
             signal: int = 0) -> int:
        """Stop until the tracer lets the thread go on; returns the signal that it wants delivered, or 0."""
        number = signal or (info.signal if info else SIGTRAP)
        self.info, self.event, self.message, self.call, self.injected = info, event, message, call, 0
        flag = 0x80 if call and self.options & SYSGOOD else 0
        self.stopped, self.listening, self.calls, self.steps = True, False, False, False
        self._step(on=False)
        self._tell((event << 8 | number | flag) << 8 | STOPPED, number)
        while self.stopped and self.thread.trace is self:
            self.thread.sleep(self.queue, interruptible=False)
        self.thread.load()
        self._step(on=self.steps)
        return self.injected

    def _tell(self, status: int, value: int) -> None:
        """Give the tracer a wait status, and wake it."""
        self.report = status
        tracer = self.tracer
        if not tracer.signals.action(SIGCHLD).flags & SA_NOCLDSTOP:
            uid = self.thread.process.identity.ruid
            tracer.post(SignalInfo(SIGCHLD, CLD_TRAPPED, "child", self.tid, uid, value))
        tracer.child_event.wake_all()

    def _step(self, on: bool) -> None:
        """Have the processor trap after each instruction, or no longer."""
        debugging = self.thread.process.processor.debugging
        if debugging is not None:
            debugging.set_stepping(self.thread, on)

    def step_call(self) -> None:
        """Leave it to the end of the system call that the thread is in to stop it after one instruction."""
        if self.steps:
            self._step(on=False)

    def event_stop(self, event: int, message: int = 0, signal: int = SIGTRAP) -> None:
        """Stop at one of EVENT_*."""
        self.stop(SignalInfo(signal, event << 8 | signal, pid=self.tid), event=event, message=message)

    def signal_stop(self, info: SignalInfo) -> SignalInfo | None:
        """Stop before a signal is delivered; returns the signal to deliver in its place, or None."""
        wanted = self.stop(info)
        if not wanted:
            return None
        told = self.info  # the tracer may have changed it
        return told if told is not None and wanted == told.signal else SignalInfo(wanted, pid=self.tracer.pid)

    def group_stop(self, signal: int) -> None:
        """Stop with the process, for job control."""
        if self.seized:
            self.trap(signal)
        else:
            self.stop(None, signal=signal)

    def trap(self, signal: int = SIGTRAP) -> None:
        """Stop because something is new, and remain so, while the tracer listens, until something else is."""
        self.thread.trap_pending = False
        self.event_stop(EVENT_STOP, signal=signal)
        while self.listening and not self.thread.trap_pending and self.thread.trace is self:
            self.thread.sleep(self.queue, interruptible=False)

    def notify(self) -> None:
        """Have the thread stop for a tracer that has seized it: that asked for it, or SIGCONT has come."""
        if self.seized:
            self.thread.trap_pending = True
            self.thread.interrupt()
            if self.listening:
                self.queue.wake_all()

    def call_stop(self, call: int) -> None:
        """Stop at the entry to a system call, or at its exit."""
        code = SIGTRAP | (0x80 if self.options & SYSGOOD else 0)
        debugging = self.thread.process.processor.debugging
        saved = debugging.begin_stop(self.thread, call == ENTRY) if debugging is not None else 0
        wanted = self.stop(SignalInfo(SIGTRAP, code, pid=self.tid), call=call)
        if debugging is not None:
            debugging.end_stop(self.thread, saved)
        if wanted:
            self.thread.post(SignalInfo(wanted, pid=self.tracer.pid))

    def resume(self, *, calls: bool = False, steps: bool = False, signal: int = 0) -> None:
        """Let the thread go on, as the tracer asks for."""
        self.stopped, self.report = False, None
        self.calls, self.steps, self.injected = calls, steps, signal
        if self.in_group_stop and not self.listening:
            self.thread.process.resume()
        self.queue.wake_all()

    @property
    def in_group_stop(self) -> bool:
        """Whether the thread has stopped with its process, for job control."""
        return self.info is None or (self.event == EVENT_STOP and self.info.signal != SIGTRAP)

    # -- beginning and end ----------------------------------------------------------------------

    def executed(self, old_tid: int) -> None:
        """Stop after execve(2), or send SIGTRAP, as the tracer asked for."""
        self.tid = self.thread.tid
        if self.options & TRACE_EXEC:
            self.event_stop(EVENT_EXEC, old_tid)
        elif not self.seized:
            self.thread.post(SignalInfo(SIGTRAP, pid=self.tid))

    def made(self, new: Thread, event: int) -> None:
        """Trace the thread that this one makes, if the tracer asked for that."""
        if not self.wants(event):
            return
        Trace(new, self.tracer, self.options, self.seized)
        if self.seized:
            new.trap_pending = True
        else:
            new.pending.add(SignalInfo(SIGSTOP, pid=self.tracer.pid))

    def wants(self, event: int) -> bool:
        """Whether the tracer asked to be told of an event (EVENT_*)."""
        return bool(self.options >> event & 1)

    def leave(self, signal: int = 0) -> None:
        """End the tracing; `signal` is then delivered to the thread."""
        self.tracer.traces.remove(self)
        self.thread.trace, self.thread.trap_pending = None, False
        self.injected, self.stopped = signal, False
        self._step(on=False)
        self.queue.wake_all()
        self.thread.process.continued.wake_all()

    def exiting(self) -> None:
        """Stop before the thread ends, if the tracer asked for that and SIGKILL does not end it."""
        thread, process = self.thread, self.thread.process
        if not self.wants(EVENT_EXIT) or process.status & 0x7F == SIGKILL:
            return
        killed, thread.killed = thread.killed, False
        try:
            self.event_stop(EVENT_EXIT, process.status if process.exiting else thread.exit_code)
        finally:
            thread.killed = killed

    def gone(self, status: int) -> None:
        """Tell the tracer that the thread has ended, unless wait(2) tells it as the process's parent."""
        self.ended, self.stopped = True, False
        process = self.thread.process
        if self.tid == process.pid and process.parent is self.tracer:
            self.tracer.traces.remove(self)
        else:
            self._tell(status, status & 0x7F or status >> 8 & 0xFF)


def trace(thread: Thread, tracer: Process, options: int, seized: bool) -> Trace:
    """Begin to trace a thread.  Raises EPERM if it is traced already, its own, or of SPARC."""
    if (thread.trace is not None or thread.process is tracer
            or thread.process.processor.debugging is None):
        raise SyscallError(errno.EPERM)
    return Trace(thread, tracer, options, seized)


def tracer_gone(tracer: Process) -> None:
    """Let the threads go on that an ended process has traced, or end them if it asked for that."""
    for each in list(tracer.traces):
        if each.ended:
            tracer.traces.remove(each)
            continue
        each.leave()
        if each.options & EXIT_KILL:
            each.thread.process.post(SignalInfo(SIGKILL))


def enter_call(thread: Thread, values: Sequence[int]) -> tuple[int, Sequence[int]]:
    """Stop at the entry to a system call; returns its number and arguments as the tracer has left them."""
    found, debugging = thread.trace, thread.process.processor.debugging
    assert found is not None
    found.call_stop(ENTRY)
    return thread.syscall & 0xFFFFFFFF, debugging.arguments(thread) if debugging is not None else values


def leave_call(thread: Thread) -> None:
    """Stop at the exit from a system call, or after the instruction that made it."""
    found = thread.trace
    assert found is not None
    if thread.restart is not None and (number := RESTARTS.get(thread.restart[0])):
        thread.process.processor.finish(thread, -number)
    if found.calls:
        found.call_stop(EXIT)
    elif found.steps:
        thread.post(SignalInfo(SIGTRAP, TRAP_TRACE, "fault", address=thread.pc))
        found.steps = False

