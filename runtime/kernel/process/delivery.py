"""Delivering signals: a pending one runs a handler, stops the process, or ends it."""

from __future__ import annotations

import errno
from contextlib import suppress

from dif.records import replace
from runtime.kernel.base.errors import MemoryFault
from runtime.kernel.base.kernelfunctions import kfunction
from runtime.kernel.base.signals import (
    DUMPS,
    IGNORED_BY_DEFAULT,
    SA_NODEFER,
    SA_RESETHAND,
    SA_RESTART,
    SI_KERNEL,
    SIG_DFL,
    SIG_IGN,
    SIGCONT,
    SIGKILL,
    SIGSEGV,
    SIGSTOP,
    SS_AUTODISARM,
    STOPS,
    Action,
    AlternateStack,
    SignalInfo,
    bit,
)
from runtime.kernel.process.process import DUMPED, RLIMIT_CORE

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from runtime.kernel.process.thread import Thread


@kfunction("trap")
def force_signal(thread: Thread, exception: int) -> None:
    """Deliver the signal that a processor's exception is to the program."""
    hooks = thread.kernel.hooks
    if hooks.user_fault:
        hooks.user_fault(thread)
    info, number = thread.process.processor.fault(thread, exception)
    if hooks.fault:
        hooks.fault(thread, number, info.address)
    force(thread, info)


def force(thread: Thread, info: SignalInfo) -> None:
    """Post a signal for the thread, and take the default action if the thread blocks or ignores it."""
    state, signal = thread.process.signals, info.signal
    if thread.mask & bit(signal) or state.action(signal).handler == SIG_IGN:
        state.actions[signal] = Action()
        thread.mask &= ~bit(signal)
    thread.pending.add(info)
    if thread.kernel.hooks.signal_send:
        thread.kernel.hooks.signal_send(thread, thread, signal)


def deliver_pending(thread: Thread) -> None:
    """Deliver every signal that the thread does not block, and say how an interrupted system call goes on.

    The thread is loaded into its engine.
    """
    process = thread.process
    handled = False
    while not process.stopped and not thread.killed:
        info = thread.pending.take(~thread.mask) or process.signals.pending.take(~thread.mask)
        if info is None:
            break
        if thread.trace is not None and info.signal != SIGKILL:
            info = thread.trace.signal_stop(info)
            if info is None:
                continue
        handled |= _act(thread, info)
    if process.stopped:
        return
    if thread.restart is not None:
        mode, number = thread.restart
        thread.restart = None
        if not handled and mode != "never":
            process.processor.repeat(thread, number)
    if thread.saved_mask is not None:
        thread.mask, thread.saved_mask = thread.saved_mask, None


@kfunction("psig")
def _act(thread: Thread, info: SignalInfo) -> bool:
    """Deliver one signal; returns whether a handler will run."""
    process, signal = thread.process, info.signal
    action = process.signals.action(signal)
    if action.handler == SIG_IGN:
        return False
    if action.handler != SIG_DFL and signal not in (SIGKILL, SIGSTOP):
        _handler(thread, info, action)
        return True
    if bit(signal) & IGNORED_BY_DEFAULT or signal == SIGCONT:
        return False
    if bit(signal) & STOPS:
        if signal != SIGSTOP and process.terminal is not None and process.terminal.orphaned(process.pgid):
            return False
        thread.kernel.lifecycle.stop(process, signal)
        return False
    _end(thread, info)
    return False


def _end(thread: Thread, info: SignalInfo) -> None:
    """End a process by a signal, with a core file if its limits allow one."""
    process, signal = thread.process, info.signal
    dumped = False
    if bit(signal) & DUMPS and process.limit(RLIMIT_CORE)[0]:
        with suppress(OSError):
            core(thread, info)
            dumped = True
    thread.kernel.lifecycle.kill_group(process, signal | DUMPED if dumped else signal)


@kfunction("core", tell=lambda _thread, info: (info.signal, 0))
def core(thread: Thread, info: SignalInfo) -> int:
    """Write the core file of a thread's process.  Raises OSError where that is not allowed or possible."""
    from runtime.kernel.process.coredump import write_core

    write_core(thread, info)
    return 0


def _handler(thread: Thread, info: SignalInfo, action: Action) -> None:
    process, signal = thread.process, info.signal
    if thread.restart is not None:
        mode, number = thread.restart
        thread.restart = None
        if mode == "always" and action.flags & SA_RESTART:
            process.processor.repeat(thread, number)
        else:
            process.processor.finish(thread, -errno.EINTR)
            thread.restart_deadline = None
    old = thread.mask if thread.saved_mask is None else thread.saved_mask
    thread.saved_mask = None
    if thread.kernel.hooks.signal_handle:
        thread.kernel.hooks.signal_handle(thread, signal, info, action.handler)
    try:
        process.processor.push(thread, info, action, old)
    except MemoryFault:
        if signal == SIGSEGV:
            _end(thread, SignalInfo(SIGSEGV, SI_KERNEL, "fault"))
            return
        force(thread, SignalInfo(SIGSEGV, SI_KERNEL, "fault"))
        return
    if thread.alternate_stack.flags & SS_AUTODISARM:
        thread.alternate_stack = AlternateStack()
    thread.set_mask(thread.mask | action.mask | (0 if action.flags & SA_NODEFER else bit(signal)))
    if action.flags & SA_RESETHAND:
        process.signals.actions[signal] = replace(action, handler=SIG_DFL)
