"""The system calls of SPARC programs on processes, times and signals, as far as they pass structures, signals
or flags."""

from __future__ import annotations

import errno
import struct
from typing import TYPE_CHECKING

from runtime.kernel.base.clock import MICROSECOND, SECOND
from runtime.kernel.base.errors import SyscallError
from runtime.kernel.base.signals import SIGNAL_COUNT, Action
from runtime.kernel.cpu.sparc import sigframe
from runtime.kernel.cpu.sparc.numbers import (
    ACTION_FLAGS,
    TO_SIGNAL,
    from_flags,
    from_mask,
    from_status,
    to_flags,
    to_mask,
)
from runtime.kernel.cpu.sparc.registers import O1
from runtime.kernel.syscalls.process import lifecycle, signals

if TYPE_CHECKING:
    from runtime.kernel.process.thread import Thread

# -- processes ------------------------------------------------------------------------------------

def _parent(thread: Thread, child: int) -> int:
    """Return the child's number to the parent, whose %o1 is 0; the child's is 1."""
    thread.regs.write(O1, 0)
    return child


def sys_sparc_fork(thread: Thread) -> int:
    return _parent(thread, lifecycle.sys_fork(thread))


def sys_sparc_vfork(thread: Thread) -> int:
    return _parent(thread, lifecycle.sys_vfork(thread))


def sys_sparc_clone(thread: Thread, flags: int, stack: int, parent_tid: int, child_tid: int, tls: int) -> int:
    flags = flags & ~0xFF | _signal(flags & 0xFF)
    # SPARC has the last two arguments the other way round
    return _parent(thread, lifecycle.sys_clone(thread, flags, stack, parent_tid, tls, child_tid))


def sys_sparc_wait4(thread: Thread, pid: int, status: int, options: int, usage: int) -> int:
    if usage:
        raise SyscallError(errno.EFAULT)
    found = lifecycle.wait_for(thread, pid, options)
    if found is None:
        return 0
    if status:
        thread.write(status, struct.pack(">I", from_status(found.status)))
    return found.pid


# -- time -----------------------------------------------------------------------------------------

def sys_sparc_gettimeofday(thread: Thread, target: int, zone: int) -> int:
    """Write a struct timeval, whose microseconds are an int even in 64-bit programs; returns 0."""
    now = thread.kernel.walltime()
    shape = ">qi4x" if thread.process.bits == 64 else ">ii"
    if target:
        thread.write(target, struct.pack(shape, now // SECOND, now % SECOND // MICROSECOND))
    if zone:
        thread.write(zone, bytes(8))
    return 0


# -- signals --------------------------------------------------------------------------------------

def _signal(theirs: int) -> int:
    """Return x86's number of a signal; 0 stays 0.  Raises SyscallError(EINVAL)."""
    if theirs and theirs not in TO_SIGNAL:
        raise SyscallError(errno.EINVAL)
    return TO_SIGNAL.get(theirs, 0)


def sys_sparc_kill(thread: Thread, pid: int, signal: int) -> int:
    return signals.sys_kill(thread, pid, _signal(signal))


def sys_sparc_tkill(thread: Thread, tid: int, signal: int) -> int:
    return signals.sys_tkill(thread, tid, _signal(signal))


def sys_sparc_tgkill(thread: Thread, group: int, tid: int, signal: int) -> int:
    return signals.sys_tgkill(thread, group, tid, _signal(signal))


def _read_mask(thread: Thread, address: int) -> int:
    """Return the mask in a sigset_t: words of the program's size, the first signals in the first word."""
    data = thread.read(address, SIGNAL_COUNT // 8)
    low, high = struct.unpack(">II", data)
    return to_mask(low | high << 32 if thread.process.bits == 32 else low << 32 | high)


def _pack_mask(thread: Thread, mask: int) -> bytes:
    theirs = from_mask(mask)
    low, high = theirs & 0xFFFFFFFF, theirs >> 32
    return struct.pack(">II", *((low, high) if thread.process.bits == 32 else (high, low)))


def _swap_action(thread: Thread, signal: int, wanted: Action | None) -> Action:
    """Set an action unless `wanted` is None; returns the one before.  Raises SyscallError(EINVAL)."""
    signal = _signal(signal)
    if not signal:
        raise SyscallError(errno.EINVAL)
    current = thread.process.signals.action(signal)
    if wanted is not None:
        signals.set_action(thread, signal, wanted)
    return current


def sys_sparc_rt_sigaction(thread: Thread, signal: int, new: int, old: int, restorer: int, size: int) -> int:
    if size != SIGNAL_COUNT // 8:
        raise SyscallError(errno.EINVAL)
    shape = struct.Struct(">QQQ" if thread.process.bits == 64 else ">III")
    wanted = None
    if new:
        handler, flags, _unused = shape.unpack(thread.read(new, shape.size))
        mask = _read_mask(thread, new + shape.size)
        wanted = Action(handler, to_flags(flags, ACTION_FLAGS), restorer, mask)
    before = _swap_action(thread, signal, wanted)
    if old:
        thread.write(old, shape.pack(before.handler, from_flags(before.flags, ACTION_FLAGS), before.restorer)
                     + _pack_mask(thread, before.mask))
    return 0


def sys_sparc_sigaction(thread: Thread, signal: int, new: int, old: int) -> int:
    """Carry out the old form, of 32-bit programs: handler, mask, flags, restorer.

    The restorer counts if the number of the signal is negative.
    """
    shape, wanted = struct.Struct(">4I"), None
    if new:
        handler, mask, flags, restorer = shape.unpack(thread.read(new, shape.size))
        wanted = Action(handler, to_flags(flags, ACTION_FLAGS), restorer if signal < 0 else 0, to_mask(mask))
    before = _swap_action(thread, abs(signal), wanted)
    if old:
        thread.write(old, shape.pack(before.handler, from_mask(before.mask) & 0xFFFFFFFF,
                                     from_flags(before.flags, ACTION_FLAGS), before.restorer))
    return 0


def sys_sparc_rt_sigprocmask(thread: Thread, how: int, new: int, old: int, size: int) -> int:
    """Carry out sigprocmask(2), whose ways SPARC numbers from 1 on."""
    if size != SIGNAL_COUNT // 8:
        raise SyscallError(errno.EINVAL)
    current = thread.mask
    if new:
        signals.change_mask(thread, HOW.get(how, -1), _read_mask(thread, new))
    if old:
        thread.write(old, _pack_mask(thread, current))
    return 0


def sys_sparc_sigprocmask(thread: Thread, how: int, new: int, old: int) -> int:
    current = thread.mask
    if new:
        (mask,) = struct.unpack(">I", thread.read(new, 4))
        signals.change_mask(thread, HOW.get(how, -1), to_mask(mask))
    if old:
        thread.write(old, struct.pack(">I", from_mask(current) & 0xFFFFFFFF))
    return 0


HOW = {1: signals.SIG_BLOCK, 2: signals.SIG_UNBLOCK, 4: signals.SIG_SETMASK}


def sys_sparc_rt_sigreturn(thread: Thread) -> int:
    sigframe.pop(thread)
    return 0


def sys_sparc_sigreturn(thread: Thread) -> int:
    sigframe.pop(thread)
    return 0
