"""Sending signals: one becomes pending for a process or for one of its threads, unless that ignores it."""

from __future__ import annotations

from runtime.kernel.base.kernelfunctions import kfunction
from runtime.kernel.base.signals import SIGCONT, SIGKILL, STOPS, UNBLOCKABLE, SignalInfo, bit

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from runtime.kernel.base.caller import Caller
    from runtime.kernel.process.process import Process
    from runtime.kernel.process.thread import Thread


@kfunction("sigtoproc",
           tell=lambda _thread, process, chosen, info, _sender, personal: (
               process, chosen if personal else None, info.signal))
def sigtoproc(_thread: Thread, process: Process, chosen: Thread, info: SignalInfo, sender: Caller | None,
              personal: bool) -> None:
    """Make a signal pending that the thread `chosen` is to take; `personal`: no other thread may take it."""
    hooks, signal = process.kernel.hooks, info.signal
    if hooks.signal_send:
        hooks.signal_send(sender, chosen, signal)
    if bit(signal) & STOPS:
        _discard(process, bit(SIGCONT))
    elif signal == SIGCONT:
        _discard(process, STOPS)
        _continue(process)
    blocked = bool(chosen.mask & bit(signal) & ~UNBLOCKABLE)
    wanted = blocked or chosen.waiting_for & bit(signal) or chosen.trace is not None
    if process.signals.ignores(signal) and not wanted:
        if hooks.signal_discard:
            hooks.signal_discard(sender or chosen, chosen, signal)
        return
    pending = chosen.pending if personal else process.signals.pending
    if not pending.add(info):
        return
    if signal == SIGKILL:
        process.kernel.lifecycle.kill_group(process, SIGKILL)
    elif not chosen.mask & bit(signal) & ~UNBLOCKABLE or chosen.waiting_for & bit(signal):
        chosen.interrupt()
    for watcher in process.kernel.signal_watchers:
        watcher.wake_all()


def _discard(process: Process, mask: int) -> None:
    process.signals.pending.discard(mask)
    for thread in process.threads:
        thread.pending.discard(mask)


def _continue(process: Process) -> None:
    for thread in process.threads:
        if thread.trace is not None:
            thread.trace.notify()
    if process.stopped:
        process.stopped = False
        process.report_stop, process.report_continue = False, True
        process.kernel.lifecycle.tell_parent_stopped(process, continued=True)
        process.continued.wake_all()
