"""Delivering signals: what is pending becomes a handler's frame, a stop, or the end."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING

from runtime.kernel import engine as machine
from runtime.kernel import sigframe
from runtime.kernel.engine import RAX, RIP
from runtime.kernel.memory import MemoryFault
from runtime.kernel.signals import (
    IGNORED_BY_DEFAULT,
    SA_NODEFER,
    SA_RESETHAND,
    SA_RESTART,
    SI_KERNEL,
    SIG_DFL,
    SIG_IGN,
    SIGBUS,
    SIGCONT,
    SIGFPE,
    SIGILL,
    SIGKILL,
    SIGSEGV,
    SIGSTOP,
    SIGTRAP,
    STOPS,
    Action,
    SignalInfo,
    bit,
)

if TYPE_CHECKING:
    from runtime.kernel.thread import Thread

SEGV_MAPERR, SEGV_ACCERR, BUS_ADRERR, FPE_INTDIV, FPE_FLTINV, ILL_ILLOPN, TRAP_TRACE = 1, 2, 2, 1, 7, 2, 2
FLTILL, FLTBPT, FLTTRACE, FLTACCESS, FLTBOUNDS, FLTIZDIV, FLTFPE = 1, 3, 4, 5, 6, 8, 9  # <sys/fault.h>
SYSCALL_SIZE = 2  # bytes of `syscall` and of `int $0x80`


def force_signal(thread: Thread, exception: int) -> None:
    """Turn a processor exception into the signal it is for the program."""
    engine = thread.kernel.engine
    if thread.kernel.hooks.user_fault:
        thread.kernel.hooks.user_fault(thread)
    address, pc = 0, thread.regs[RIP]
    if exception == machine.PAGE_FAULT:
        address = engine.fault_address
        space = thread.process.space
        area = space.find(address) if space else None
        if area is None:
            signal, code, fault = SIGSEGV, SEGV_MAPERR, FLTBOUNDS
        elif area.pages is not None and not engine.fault_error & machine.ERROR_PRESENT and area.prot & 3:
            signal, code, fault = SIGBUS, BUS_ADRERR, FLTACCESS
        else:
            signal, code, fault = SIGSEGV, SEGV_ACCERR, FLTACCESS
    elif exception == machine.DIVIDE:
        signal, code, fault, address = SIGFPE, FPE_INTDIV, FLTIZDIV, pc
    elif exception in (16, 19):
        signal, code, fault, address = SIGFPE, FPE_FLTINV, FLTFPE, pc
    elif exception == machine.INVALID:
        signal, code, fault, address = SIGILL, ILL_ILLOPN, FLTILL, pc
    elif exception == machine.BREAKPOINT:
        signal, code, fault = SIGTRAP, SI_KERNEL, FLTBPT
    elif exception == machine.DEBUG:
        signal, code, fault, address = SIGTRAP, TRAP_TRACE, FLTTRACE, pc
    else:
        signal, code, fault = SIGSEGV, SI_KERNEL, FLTBOUNDS
    if thread.kernel.hooks.fault:
        thread.kernel.hooks.fault(thread, fault, address)
    info = SignalInfo(signal, code, "fault", address=address, trap=max(exception, 0),
                      error=engine.fault_error if exception == machine.PAGE_FAULT else 0)
    force(thread, info)


def force(thread: Thread, info: SignalInfo) -> None:
    """A signal that can be neither blocked nor ignored: then the default action is taken."""
    state, signal = thread.process.signals, info.signal
    if thread.mask & bit(signal) or state.action(signal).handler == SIG_IGN:
        state.actions[signal] = Action()
        thread.mask &= ~bit(signal)
    thread.pending.add(info)
    if thread.kernel.hooks.signal_send:
        thread.kernel.hooks.signal_send(thread, thread, signal)


def deliver_pending(thread: Thread) -> None:
    """Act on every signal the loaded thread may get now; settle an interrupted system call."""
    process = thread.process
    handled = False
    while not process.stopped and not thread.killed:
        info = thread.pending.take(~thread.mask) or process.signals.pending.take(~thread.mask)
        if info is None:
            break
        handled |= _act(thread, info)
    if process.stopped:
        return
    if thread.restart is not None:
        mode, number = thread.restart
        thread.restart = None
        if not handled and mode != "never":
            _again(thread, number)
    if thread.saved_mask is not None:
        thread.mask, thread.saved_mask = thread.saved_mask, None


def _again(thread: Thread, number: int) -> None:
    """Have the interrupted system call executed once more."""
    thread.regs[RIP] -= SYSCALL_SIZE
    thread.regs[RAX] = number


def _act(thread: Thread, info: SignalInfo) -> bool:
    """Deliver one signal; whether a handler will run."""
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
        thread.kernel.lifecycle.stop(process, signal)
        return False
    thread.kernel.lifecycle.kill_group(process, signal)
    return False


def _handler(thread: Thread, info: SignalInfo, action: Action) -> None:
    process, signal = thread.process, info.signal
    if thread.restart is not None:
        mode, number = thread.restart
        thread.restart = None
        if mode == "always" and action.flags & SA_RESTART:
            _again(thread, number)
        else:
            thread.regs[RAX] = -errno.EINTR & (0xFFFFFFFFFFFFFFFF if process.bits == 64 else 0xFFFFFFFF)
            thread.restart_deadline = None
    old = thread.mask if thread.saved_mask is None else thread.saved_mask
    thread.saved_mask = None
    if thread.kernel.hooks.signal_handle:
        thread.kernel.hooks.signal_handle(thread, signal, info, action.handler)
    try:
        sigframe.push(thread, info, action, old)
    except MemoryFault:
        if signal == SIGSEGV:
            thread.kernel.lifecycle.kill_group(process, SIGSEGV)
            return
        force(thread, SignalInfo(SIGSEGV, SI_KERNEL, "fault"))
        return
    thread.set_mask(thread.mask | action.mask | (0 if action.flags & SA_NODEFER else bit(signal)))
    if action.flags & SA_RESETHAND:
        process.signals.actions[signal] = Action()
