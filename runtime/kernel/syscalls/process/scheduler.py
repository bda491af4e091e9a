"""System calls on scheduling: priorities, policies, CPUs."""

from __future__ import annotations

import errno
import struct
from typing import TYPE_CHECKING

from runtime.kernel.base.errors import SyscallError
from runtime.kernel.base.privileges import PROC_PRIOCNTL, PROC_PRIOUP
from runtime.kernel.memory.physical import PAGE
from runtime.kernel.process.usermemory import read_structure
from runtime.kernel.syscalls.process.identity import find_process
from runtime.kernel.syscalls.process.timers import write_timespec

if TYPE_CHECKING:
    from runtime.kernel.process.process import Process
    from runtime.kernel.process.thread import Thread

SCHED_OTHER, SCHED_FIFO, SCHED_RR, SCHED_BATCH, SCHED_IDLE, SCHED_DEADLINE = 0, 1, 2, 3, 5, 6
REAL_TIME = (SCHED_FIFO, SCHED_RR)
RESET_ON_FORK = 0x40000000  # with a policy
# struct sched_attr: size, policy, flags, nice, priority, three times in ns, two shares of a CPU
SCHED_ATTR, SCHED_ATTR_FIRST = struct.Struct("<IIQiIQQQII"), 48
RESET, KEEP_POLICY, KEEP_PARAMETERS, SCHED_FLAGS_KNOWN = 1, 8, 0x10, 0x7F
PRIO_PROCESS, PRIO_PGRP, PRIO_USER = range(3)
IOPRIO_WHO_PROCESS, IOPRIO_REAL_TIME, IOPRIO_BEST_EFFORT, IOPRIO_SHIFT = 1, 1, 2, 13
SLICE = 100_000_000
AFFINITY_SIZE = 8  # bytes of a set of CPUs
NO_THREAD = 0x7FFFFFFF  # affinity's calls give ESRCH for a negative number, the others EINVAL


def _thread(thread: Thread, tid: int) -> Thread:
    if tid < 0:
        raise SyscallError(errno.EINVAL)
    found = thread if tid == 0 else thread.process.find_thread(tid)
    if found is None:
        raise SyscallError(errno.ESRCH)
    return found


def sys_sched_yield(thread: Thread) -> int:
    thread.kernel.scheduler.yield_cpu(thread)
    return 0


def sys_sched_getaffinity(thread: Thread, tid: int, size: int, target: int) -> int:
    if size * 8 < thread.kernel.ncpus or size % (thread.process.bits // 8):
        raise SyscallError(errno.EINVAL)
    size = min(size, AFFINITY_SIZE)
    mask = _thread(thread, NO_THREAD if tid < 0 else tid).affinity
    thread.write(target, mask.to_bytes(AFFINITY_SIZE, "little")[:size])
    return size


def sys_sched_setaffinity(thread: Thread, tid: int, size: int, source: int) -> int:
    other = _thread(thread, NO_THREAD if tid < 0 else tid)
    _demand_same_owner(thread, other)
    wanted = int.from_bytes(thread.read(source, min(size, 128)), "little") & ((1 << thread.kernel.ncpus) - 1)
    if not wanted:
        raise SyscallError(errno.EINVAL)
    other.affinity = wanted
    if other is not thread:
        thread.kernel.scheduler.place(other)
    elif thread.cpu is not None and not thread.may_run_on(thread.cpu.number):
        thread.sleep((), 1, interruptible=False)
    return 0


def sys_getcpu(thread: Thread, cpu: int, node: int, _cache: int) -> int:
    if cpu:
        thread.write(cpu, thread.kernel.cpu.to_bytes(4, "little"))
    if node:
        thread.write(node, bytes(4))
    return 0


def sys_sched_getscheduler(thread: Thread, tid: int) -> int:
    found = _thread(thread, tid)
    return found.policy | RESET_ON_FORK * found.reset_on_fork


def _priority(thread: Thread, tid: int, parameter: int) -> int:
    """Return the priority in a struct sched_param.  Raises EINVAL without one or for an impossible thread."""
    if not parameter or tid < 0:
        raise SyscallError(errno.EINVAL)
    return int.from_bytes(thread.read(parameter, 4), "little", signed=True)


def sys_sched_setscheduler(thread: Thread, tid: int, policy: int, parameter: int) -> int:
    if policy < 0:
        raise SyscallError(errno.EINVAL)
    priority = _priority(thread, tid, parameter)
    _schedule(thread, _thread(thread, tid), policy & ~RESET_ON_FORK, priority, bool(policy & RESET_ON_FORK))
    return 0


def _schedule(thread: Thread, other: Thread, policy: int, priority: int, reset: bool,
              nice: int | None = None) -> None:
    """Give a thread a policy and a priority, and its process a nice value.  Raises EINVAL, EPERM."""
    if policy not in (*REAL_TIME, SCHED_OTHER, SCHED_BATCH, SCHED_IDLE):
        raise SyscallError(errno.EINVAL)
    if not 0 <= priority <= 99 or (policy in REAL_TIME) != bool(priority):
        raise SyscallError(errno.EINVAL)
    process, mine = other.process, thread.process.identity
    sooner = policy in REAL_TIME and (policy != other.policy or priority > other.priority)
    if sooner or other.policy == SCHED_IDLE != policy or (other.reset_on_fork and not reset):
        mine.demand(PROC_PRIOCNTL)
    _demand_same_owner(thread, other)
    if nice is not None and policy not in REAL_TIME:
        if nice < process.nice and not mine.has(PROC_PRIOUP):
            raise SyscallError(errno.EPERM)
        process.nice = nice
    other.policy, other.priority, other.reset_on_fork = policy, priority, reset
    _priority_changed(other, priority)


def sys_sched_getattr(thread: Thread, tid: int, target: int, size: int, flags: int) -> int:
    if not target or tid < 0 or not SCHED_ATTR_FIRST <= size <= PAGE or flags:
        raise SyscallError(errno.EINVAL)
    found = _thread(thread, tid)
    nice = 0 if found.policy in REAL_TIME else found.process.nice
    size = min(size, SCHED_ATTR.size)
    thread.write(target, SCHED_ATTR.pack(size, found.policy, int(found.reset_on_fork), nice, found.priority,
                                         0, 0, 0, 0, 0)[:size])
    return 0


def sys_sched_setattr(thread: Thread, tid: int, source: int, flags: int) -> int:
    if not source or tid < 0 or flags:
        raise SyscallError(errno.EINVAL)
    size = int.from_bytes(thread.read(source, 4), "little") or SCHED_ATTR_FIRST
    try:
        data = read_structure(thread, source, size, SCHED_ATTR_FIRST, SCHED_ATTR.size)
    except SyscallError:
        thread.write(source, SCHED_ATTR.size.to_bytes(4, "little"))
        raise SyscallError(errno.E2BIG) from None
    _size, policy, given, nice, priority, *_times = SCHED_ATTR.unpack(data)
    if policy >> 31 or given & ~SCHED_FLAGS_KNOWN:
        raise SyscallError(errno.EINVAL)
    found = _thread(thread, tid)
    if given & (KEEP_POLICY | KEEP_PARAMETERS):
        policy = found.policy
    if given & KEEP_PARAMETERS:
        nice, priority = found.process.nice, found.priority
    _schedule(thread, found, policy, priority, bool(given & RESET), max(-20, min(19, nice)))
    return 0


def _demand_same_owner(thread: Thread, other: Thread) -> None:
    """Raise EPERM unless a thread may schedule another: it is of the same user, or has the privilege."""
    mine, whose = thread.process.identity, other.process.identity
    if mine.euid not in (whose.euid, whose.ruid):
        mine.demand(PROC_PRIOCNTL)


def sys_sched_getparam(thread: Thread, tid: int, target: int) -> int:
    if not target:
        raise SyscallError(errno.EINVAL)
    thread.write(target, struct.pack("<i", _thread(thread, tid).priority))
    return 0


def sys_sched_setparam(thread: Thread, tid: int, source: int) -> int:
    _priority(thread, tid, source)
    policy = sys_sched_getscheduler(thread, tid)
    return sys_sched_setscheduler(thread, tid, policy, source)


def _check_policy(policy: int) -> None:
    if policy not in (*REAL_TIME, SCHED_OTHER, SCHED_BATCH, SCHED_IDLE, SCHED_DEADLINE):
        raise SyscallError(errno.EINVAL)


def sys_sched_get_priority_max(thread: Thread, policy: int) -> int:
    _check_policy(policy)
    return 99 if policy in REAL_TIME else 0


def sys_sched_get_priority_min(thread: Thread, policy: int) -> int:
    _check_policy(policy)
    return 1 if policy in REAL_TIME else 0


def sys_sched_rr_get_interval(thread: Thread, tid: int, target: int) -> int:
    _thread(thread, tid)
    write_timespec(thread, target, SLICE, thread.process.bits)
    return 0


def sys_sched_rr_get_interval_time64(thread: Thread, tid: int, target: int) -> int:
    _thread(thread, tid)
    write_timespec(thread, target, SLICE, 64)
    return 0


def _selected(thread: Thread, which: int, who: int) -> list[Process]:
    processes = thread.process.known()
    if which == PRIO_PROCESS:
        return [find_process(thread, who)]
    if which == PRIO_PGRP:
        return [process for process in processes if process.pgid == (who or thread.process.pgid)]
    if which == PRIO_USER:
        return [process for process in processes if process.identity.ruid == (who or thread.uid)]
    raise SyscallError(errno.EINVAL)


def sys_getpriority(thread: Thread, which: int, who: int) -> int:
    """Return 20 less the nice value, as the system call does, unlike the function of the C library."""
    found = _selected(thread, which, who)
    if not found:
        raise SyscallError(errno.ESRCH)
    return 20 - min(process.nice for process in found)


def sys_setpriority(thread: Thread, which: int, who: int, value: int) -> int:
    found = _selected(thread, which, who)
    if not found:
        raise SyscallError(errno.ESRCH)
    value = max(-20, min(19, value))
    mine = thread.process.identity
    for process in found:
        if mine.euid not in (process.identity.ruid, process.identity.euid) and not mine.has(PROC_PRIOUP):
            raise SyscallError(errno.EPERM)
        if value < process.nice and not mine.has(PROC_PRIOUP):
            raise SyscallError(errno.EACCES)
        process.nice = value
        for other in process.threads:
            _priority_changed(other, value)
    return 0


def sys_nice(thread: Thread, increment: int) -> int:
    return sys_setpriority(thread, PRIO_PROCESS, 0, thread.process.nice + increment)


# -- disks, which serve all alike

def _io_priority(process: Process) -> int:
    """What is kept of a process, or what follows from its nice value."""
    return process.io_priority or IOPRIO_BEST_EFFORT << IOPRIO_SHIFT | (process.nice + 20) // 5


def sys_ioprio_get(thread: Thread, which: int, who: int) -> int:
    if not 1 <= which <= 3:
        raise SyscallError(errno.EINVAL)
    found = _selected(thread, which - 1, who)
    if not found:
        raise SyscallError(errno.ESRCH)
    if which == IOPRIO_WHO_PROCESS:
        return found[0].io_priority
    return min(_io_priority(process) for process in found)


def sys_ioprio_set(thread: Thread, which: int, who: int, priority: int) -> int:
    kind, level = priority >> IOPRIO_SHIFT, priority & 7
    if kind == IOPRIO_REAL_TIME:
        thread.process.identity.demand(PROC_PRIOCNTL)
    if kind not in range(4) or (not kind and level) or not 1 <= which <= 3:
        raise SyscallError(errno.EINVAL)
    found = _selected(thread, which - 1, who)
    if not found:
        raise SyscallError(errno.ESRCH)
    for process in found:
        mine = thread.process.identity
        if process.identity.ruid not in (mine.euid, mine.ruid) and not mine.has(PROC_PRIOUP):
            raise SyscallError(errno.EPERM)
        process.io_priority = priority
    return 0


def _priority_changed(thread: Thread, priority: int) -> None:
    hook = thread.kernel.hooks.change_pri
    if hook:
        hook(thread, priority)
