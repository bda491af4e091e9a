"""System calls about signals."""

from __future__ import annotations

import errno
import struct
from typing import TYPE_CHECKING

from runtime.kernel.base.clock import NEVER
from runtime.kernel.base.errors import Interrupted, SyscallError
from runtime.kernel.base.privileges import PROC_OWNER
from runtime.kernel.base.signals import (
    INFO_SIZE,
    SI_TKILL,
    SIGCONT,
    SIGKILL,
    SIGNAL_COUNT,
    SIGRTMIN,
    SIGSTOP,
    UNBLOCKABLE,
    Action,
    SignalInfo,
    bit,
)
from runtime.kernel.base.wait import WaitQueue
from runtime.kernel.cpu.signalinfo import pack_info, unpack_info
from runtime.kernel.cpu.x86 import sigframe
from runtime.kernel.process.process import RLIMIT_SIGPENDING, Process
from runtime.kernel.process.usermemory import read_timespec
from runtime.kernel.syscalls.lookup import get_file
from runtime.kernel.vfs.eventfd import ProcessFile
from runtime.kernel.vfs.proc.procfs import ProcessDirectory

if TYPE_CHECKING:
    from runtime.kernel.process.thread import Thread

INFO_READ = 48  # bytes of a siginfo_t that are read of a 64-bit program
SIG_BLOCK, SIG_UNBLOCK, SIG_SETMASK = range(3)
ACTION64, ACTION32 = struct.Struct("<QQQQ"), struct.Struct("<IIIQ")
PIDFD_SIGNAL = (0, 1, 2, 4)  # the flags that the host's kernel knows; here only 0 works
OLD_ACTION32 = struct.Struct("<IIII")  # handler, mask, flags, restorer


def _check(signal: int, least: int = 1) -> None:
    if not least <= signal <= SIGNAL_COUNT:
        raise SyscallError(errno.EINVAL)


def set_action(thread: Thread, signal: int, action: Action) -> None:
    """Raises SyscallError(EINVAL)."""
    if signal in (SIGKILL, SIGSTOP):
        raise SyscallError(errno.EINVAL)
    process = thread.process
    action.mask &= ~UNBLOCKABLE
    process.signals.actions[signal] = action
    if process.signals.ignores(signal):
        process.signals.pending.discard(bit(signal))
        for other in process.threads:
            other.pending.discard(bit(signal))


def sys_rt_sigaction(thread: Thread, signal: int, new: int, old: int, size: int) -> int:
    if size != 8:
        raise SyscallError(errno.EINVAL)
    shape = ACTION64 if thread.process.bits == 64 else ACTION32
    wanted = shape.unpack(thread.read(new, shape.size)) if new else None
    _check(signal)
    current = thread.process.signals.action(signal)
    if wanted is not None:
        set_action(thread, signal, Action(*wanted))
    if old:
        thread.write(old, shape.pack(current.handler, current.flags, current.restorer, current.mask))
    return 0


def sys_i386_sigaction(thread: Thread, signal: int, new: int, old: int) -> int:
    wanted = OLD_ACTION32.unpack(thread.read(new, OLD_ACTION32.size)) if new else None
    _check(signal)
    current = thread.process.signals.action(signal)
    if wanted is not None:
        handler, mask, flags, restorer = wanted
        set_action(thread, signal, Action(handler, flags, restorer, mask))
    if old:
        thread.write(old, OLD_ACTION32.pack(current.handler, current.mask & 0xFFFFFFFF, current.flags,
                                            current.restorer))
    return 0


def sys_i386_signal(thread: Thread, signal: int, handler: int) -> int:
    _check(signal)
    old = thread.process.signals.action(signal).handler
    set_action(thread, signal, Action(handler, 0xC0000000))
    return old


def change_mask(thread: Thread, how: int, value: int) -> None:
    """Raises SyscallError(EINVAL)."""
    if how == SIG_BLOCK:
        thread.set_mask(thread.mask | value)
    elif how == SIG_UNBLOCK:
        thread.set_mask(thread.mask & ~value)
    elif how == SIG_SETMASK:
        thread.set_mask(value)
    else:
        raise SyscallError(errno.EINVAL)


def sys_rt_sigprocmask(thread: Thread, how: int, new: int, old: int, size: int) -> int:
    if size != 8:
        raise SyscallError(errno.EINVAL)
    current = thread.mask
    if new:
        change_mask(thread, how, int.from_bytes(thread.read(new, 8), "little"))
    if old:
        thread.write(old, current.to_bytes(8, "little"))
    return 0


def sys_i386_sigprocmask(thread: Thread, how: int, new: int, old: int) -> int:
    current = thread.mask & 0xFFFFFFFF
    if new:
        value = int.from_bytes(thread.read(new, 4), "little")
        change_mask(thread, how, value | (thread.mask >> 32 << 32 if how == SIG_SETMASK else 0))
    if old:
        thread.write(old, current.to_bytes(4, "little"))
    return 0


def sys_rt_sigpending(thread: Thread, target: int, size: int) -> int:
    if size > 8:
        raise SyscallError(errno.EINVAL)
    waiting = (thread.pending.mask | thread.process.signals.pending.mask) & thread.mask
    thread.write(target, waiting.to_bytes(8, "little")[:size])
    return 0


def sys_i386_sigpending(thread: Thread, target: int) -> int:
    return sys_rt_sigpending(thread, target, 4)


def sys_rt_sigreturn(thread: Thread) -> int:
    return sigframe.pop64(thread.kernel.engine, thread)


def sys_arm64_rt_sigreturn(thread: Thread) -> int:
    from runtime.kernel.cpu.arm64.engine import ArmEngine
    from runtime.kernel.cpu.arm64.sigframe import pop

    engine = thread.process.processor.engine
    assert isinstance(engine, ArmEngine)
    return pop(engine, thread)


def sys_i386_rt_sigreturn(thread: Thread) -> int:
    return sigframe.pop32(thread.kernel.engine, thread, realtime=True)


def sys_i386_sigreturn(thread: Thread) -> int:
    return sigframe.pop32(thread.kernel.engine, thread, realtime=False)


def _suspend(thread: Thread, mask: int) -> int:
    thread.use_mask(mask)
    while True:
        thread.sleep(WaitQueue("pause"), restart="nohandler")


def sys_rt_sigsuspend(thread: Thread, mask: int, size: int) -> int:
    if size != 8:
        raise SyscallError(errno.EINVAL)
    return _suspend(thread, int.from_bytes(thread.read(mask, 8), "little"))


def sys_i386_sigsuspend(thread: Thread, _first: int, _second: int, mask: int) -> int:
    return _suspend(thread, mask)


def sys_pause(thread: Thread) -> int:
    while True:
        thread.sleep(WaitQueue("pause"), restart="nohandler")


def sys_rt_sigtimedwait(thread: Thread, mask: int, info: int, timeout: int, size: int) -> int:
    return _wait_for(thread, mask, info, timeout, size, thread.process.bits)


def sys_rt_sigtimedwait_time64(thread: Thread, mask: int, info: int, timeout: int, size: int) -> int:
    return _wait_for(thread, mask, info, timeout, size, 64)


def _wait_for(thread: Thread, mask: int, info: int, timeout: int, size: int, bits: int) -> int:
    if size != 8:
        raise SyscallError(errno.EINVAL)
    wanted = int.from_bytes(thread.read(mask, 8), "little") & ~UNBLOCKABLE
    limit = read_timespec(thread, timeout, bits) if timeout else NEVER
    process = thread.process
    deadline = thread.kernel.hrtime() + limit
    while True:
        found = thread.pending.take(wanted) or process.signals.pending.take(wanted)
        if found is not None:
            if thread.kernel.hooks.signal_clear:
                thread.kernel.hooks.signal_clear(thread, found.signal)
            if info:
                thread.write(info, pack_info(found, process.bits))
            return found.signal
        left = deadline - thread.kernel.hrtime()
        if left <= 0:
            raise SyscallError(errno.EAGAIN)
        thread.waiting_for = wanted
        try:
            thread.sleep(WaitQueue("sigtimedwait"), left, restart="never")
        except Interrupted:
            if not (thread.pending.mask | process.signals.pending.mask) & wanted:
                raise
        finally:
            thread.waiting_for = 0


def sys_sigaltstack(thread: Thread, new: int, old: int) -> int:
    processor = thread.process.processor
    shape = struct.Struct(f"{processor.order}{'QI4xQ' if processor.bits == 64 else 'III'}")
    stack, pointer = thread.alternate_stack, processor.stack_pointer(thread)
    if new:
        address, flags, size = shape.unpack(thread.read(new, shape.size))
        thread.change_stack(address, flags, size, pointer)
    if old:
        thread.write(old, shape.pack(stack.address, stack.told(pointer), stack.size))
    return 0


# -- sending ------------------------------------------------------------------------------------


def _may_signal(thread: Thread, target: Process, signal: int) -> bool:
    mine, other = thread.process.identity, target.identity
    if not thread.process.reaches(target):
        return False
    if mine.has(PROC_OWNER) or {mine.euid, mine.ruid} & {other.ruid, other.suid}:
        return True
    return signal == SIGCONT and thread.process.sid == target.sid


def _send(thread: Thread, target: Process, signal: int, info: SignalInfo) -> None:
    if not _may_signal(thread, target, signal):
        raise SyscallError(errno.EPERM)
    if signal:
        target.post(info, thread)


def _process_of(thread: Thread, pid: int) -> Process | None:
    """Return the process that has a number, or one of whose threads has it."""
    process = thread.process.find(pid)
    found = thread.process.find_thread(pid) if process is None else None
    return process if found is None else found.process


def sys_kill(thread: Thread, pid: int, signal: int) -> int:
    own = thread.process
    if pid > 0:
        found = _process_of(thread, pid)
        chosen = [found] if found else []
    elif pid == -1:
        chosen = [process for process in own.known() if process is not own]
    else:
        group = -pid or own.pgid
        chosen = [process for process in own.known() if process.pgid == group]
    if not chosen:
        raise SyscallError(errno.ESRCH)
    _check(signal, 0)
    allowed = [process for process in chosen if _may_signal(thread, process, signal)]
    if not allowed:
        raise SyscallError(errno.EPERM)
    info = SignalInfo(signal, pid=own.pid, uid=own.identity.ruid)
    for process in allowed:
        _send(thread, process, signal, info)
    return 0


def _thread_of(thread: Thread, tid: int, group: int | None) -> Thread:
    if tid <= 0 or (group is not None and group <= 0):
        raise SyscallError(errno.EINVAL)
    found = thread.process.find_thread(tid)
    if found is None or (group is not None and found.process.pid != group):
        raise SyscallError(errno.ESRCH)
    return found


def _send_thread(thread: Thread, target: Thread, signal: int, info: SignalInfo) -> int:
    if not 0 <= signal <= SIGNAL_COUNT:
        raise SyscallError(errno.EINVAL)
    if not _may_signal(thread, target.process, signal):
        raise SyscallError(errno.EPERM)
    if signal:
        target.post(info, thread)
    return 0


def sys_tgkill(thread: Thread, group: int, tid: int, signal: int) -> int:
    own = thread.process
    target = _thread_of(thread, tid, group)
    _demand_room(target.process, signal)
    info = SignalInfo(signal, SI_TKILL, pid=own.pid, uid=own.identity.ruid)
    return _send_thread(thread, target, signal, info)


def sys_tkill(thread: Thread, tid: int, signal: int) -> int:
    own = thread.process
    target = _thread_of(thread, tid, None)
    _demand_room(target.process, signal)
    info = SignalInfo(signal, SI_TKILL, pid=own.pid, uid=own.identity.ruid)
    return _send_thread(thread, target, signal, info)


def _demand_room(target: Process, signal: int) -> None:
    """Raise EAGAIN for a real-time signal if as many as there can be wait already."""
    room = target.signals.pending.room
    if signal >= SIGRTMIN and room.used >= min(room.limit, target.limit(RLIMIT_SIGPENDING)[0]):
        raise SyscallError(errno.EAGAIN)


def _told(thread: Thread, info: int) -> SignalInfo:
    """Return what a program's siginfo_t says.  Raises MemoryFault."""
    bits = thread.process.bits
    return unpack_info(thread.read(info, INFO_READ if bits == 64 else INFO_SIZE), bits)


def _demand_own_words(thread: Thread, told: SignalInfo, target: int) -> None:
    """Raise EPERM for what says that a kernel or kill(2) sent it: to others a program speaks for itself."""
    if (told.code >= 0 or told.code == SI_TKILL) and target != thread.tid:
        raise SyscallError(errno.EPERM)


def sys_rt_sigqueueinfo(thread: Thread, pid: int, signal: int, info: int) -> int:
    told = _told(thread, info)
    told.signal = signal
    _demand_own_words(thread, told, pid)
    target = _process_of(thread, pid)
    if target is None:
        raise SyscallError(errno.ESRCH)
    _check(signal, 0)
    _demand_room(target, signal)
    _send(thread, target, signal, told)
    return 0


def sys_rt_tgsigqueueinfo(thread: Thread, group: int, tid: int, signal: int, info: int) -> int:
    told = _told(thread, info)
    told.signal = signal
    if group <= 0 or tid <= 0:
        raise SyscallError(errno.EINVAL)
    _demand_own_words(thread, told, tid)
    target = _thread_of(thread, tid, group)
    _check(signal, 0)
    _demand_room(target.process, signal)
    return _send_thread(thread, target, signal, told)


def sys_pidfd_send_signal(thread: Thread, fd: int, signal: int, info: int, flags: int) -> int:
    if flags not in PIDFD_SIGNAL:
        raise SyscallError(errno.EINVAL)
    file = get_file(thread, fd)
    named = file if isinstance(file, ProcessFile) else file.vnode
    if not isinstance(named, (ProcessFile, ProcessDirectory)):
        raise SyscallError(errno.EBADF)
    own, target = thread.process, named.process
    if flags or not own.zone.sees(target.zone):
        raise SyscallError(errno.EINVAL)
    told = SignalInfo(signal, pid=own.pid, uid=own.identity.ruid)
    if info:
        told = _told(thread, info)
        if told.signal != signal:
            raise SyscallError(errno.EINVAL)
        _demand_own_words(thread, told, target.pid)
    if thread.kernel.processes.get(target.pid) is not target:
        raise SyscallError(errno.ESRCH)
    _check(signal, 0)
    if info:
        _demand_room(target, signal)
    _send(thread, target, signal, told)
    return 0
