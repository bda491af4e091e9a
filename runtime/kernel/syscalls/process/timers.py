"""System calls that read clocks, sleep, and set timers.  Layouts: <linux/time_types.h>, <sys/resource.h>."""

from __future__ import annotations

import errno
import struct
from typing import TYPE_CHECKING

from runtime.kernel.base.clock import MICROSECOND, SECOND, TICK
from runtime.kernel.base.errors import Interrupted, SyscallError
from runtime.kernel.base.privileges import SYS_TIME
from runtime.kernel.base.signals import (
    SI_KERNEL,
    SI_TIMER,
    SIGALRM,
    SIGNAL_COUNT,
    SIGPROF,
    SIGVTALRM,
    SignalInfo,
)
from runtime.kernel.base.wait import WaitQueue
from runtime.kernel.process.timers import CpuTimer, Timer, cpu_time
from runtime.kernel.process.usermemory import read_timespec

if TYPE_CHECKING:
    from runtime.kernel.process.process import Process
    from runtime.kernel.process.thread import Thread

ADJ_OFFSET_SS_READ, STA_UNSYNC, TIME_ERROR = 0xA001, 0x40, 5
UNSURE, TICK_LENGTH = 16_000_000, 10_000  # microseconds
(CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_PROCESS_CPUTIME_ID, CLOCK_THREAD_CPUTIME_ID, CLOCK_MONOTONIC_RAW,
 CLOCK_REALTIME_COARSE, CLOCK_MONOTONIC_COARSE, CLOCK_BOOTTIME) = range(8)
CLOCK_TAI = 11
CPUCLOCK_PERTHREAD = 4  # a bit of a negative clock number: it is the clock of a thread
CPUCLOCK_FD = 3  # both bits: the clock of a device
WALL_CLOCKS = (CLOCK_REALTIME, CLOCK_REALTIME_COARSE, CLOCK_TAI)
TIMER_ABSTIME = 1
ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF = range(3)
ITIMER_SIGNALS = (SIGALRM, SIGVTALRM, SIGPROF)
SIGEV_SIGNAL, SIGEV_NONE, SIGEV_THREAD, SIGEV_THREAD_ID = 0, 1, 2, 4
RUSAGE_SELF, RUSAGE_CHILDREN, RUSAGE_THREAD = 0, -1, 1

MAX_TIMERS = 1024  # of a process
EVENT_SIZES = {64: 64, 32: 16}  # bytes of a struct sigevent that are read, by the bits of a program

def _pair(bits: int, order: str = "<") -> struct.Struct:
    return struct.Struct(order + ("qq" if bits == 64 else "ii"))


def write_timespec(thread: Thread, address: int, value: int, bits: int) -> None:
    thread.write(address, _pair(bits, thread.process.processor.order).pack(*divmod(value, SECOND)))


def _bits(thread: Thread) -> int:
    return thread.process.bits


def _timeval(value: int, bits: int) -> bytes:
    return _pair(bits).pack(value // SECOND, value % SECOND // MICROSECOND)


def clock_now(thread: Thread, clock: int) -> int:
    """Return the time of a clock in ns.  Raises EINVAL."""
    kernel = thread.kernel
    if clock in WALL_CLOCKS:
        return kernel.walltime()
    if clock in (CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW, CLOCK_MONOTONIC_COARSE, CLOCK_BOOTTIME):
        return kernel.hrtime()
    measured = _measured(thread, clock)
    if measured is None:
        raise SyscallError(errno.EINVAL)
    return cpu_time(measured)


def _measured(thread: Thread, clock: int) -> Process | Thread | None:
    """Return the process or thread whose time on CPUs a clock measures; None for other clocks."""
    if clock == CLOCK_THREAD_CPUTIME_ID:
        return thread
    if clock == CLOCK_PROCESS_CPUTIME_ID:
        return thread.process
    if clock >= 0 or clock & CPUCLOCK_FD == CPUCLOCK_FD:
        return None
    number = ~(clock >> 3)
    if clock & CPUCLOCK_PERTHREAD:
        return thread.process.find_thread(number) if number else thread
    return thread.process.find(number) if number else thread.process


def sys_clock_gettime(thread: Thread, clock: int, target: int) -> int:
    write_timespec(thread, target, clock_now(thread, clock), _bits(thread))
    return 0


def sys_clock_gettime64(thread: Thread, clock: int, target: int) -> int:
    write_timespec(thread, target, clock_now(thread, clock), 64)
    return 0


def sys_clock_getres(thread: Thread, clock: int, target: int) -> int:
    clock_now(thread, clock)
    if target:
        write_timespec(thread, target, 1, _bits(thread))
    return 0


def sys_clock_getres_time64(thread: Thread, clock: int, target: int) -> int:
    clock_now(thread, clock)
    if target:
        write_timespec(thread, target, 1, 64)
    return 0


def sys_clock_settime(thread: Thread, clock: int, value: int) -> int:
    return _set_clock(thread, clock, value, _bits(thread))


def sys_clock_settime64(thread: Thread, clock: int, value: int) -> int:
    return _set_clock(thread, clock, value, 64)


def _set_clock(thread: Thread, clock: int, value: int, bits: int) -> int:
    if clock != CLOCK_REALTIME:
        raise SyscallError(errno.EINVAL)
    thread.process.identity.demand(SYS_TIME)
    kernel = thread.kernel
    kernel.walltime_offset = read_timespec(thread, value, bits) - kernel.hrtime()
    return 0


def sys_adjtimex(thread: Thread, target: int) -> int:
    """Tell how the clock is kept: by nobody.  Raises EPERM for a change: nothing is to be adjusted."""
    wide = _bits(thread) == 64
    form = struct.Struct("<I4x4qi4x3q2qq2qi4x5qi44x" if wide else "<I20i44x")  # struct timex
    wanted = form.unpack(thread.read(target, form.size))[0]
    if wanted and wanted != ADJ_OFFSET_SS_READ:
        raise SyscallError(errno.EPERM)
    now = thread.kernel.walltime()
    thread.write(target, form.pack(wanted, 0, 0, UNSURE, UNSURE, STA_UNSYNC, 2, 1, 500 << 16, now // SECOND,
                                   now % SECOND // MICROSECOND, TICK_LENGTH, *[0] * 9))
    return TIME_ERROR


def sys_clock_adjtime(thread: Thread, clock: int, target: int) -> int:
    if clock != CLOCK_REALTIME:
        if clock >= 0 or clock & 7 == CPUCLOCK_FD:
            clock_now(thread, clock)
        raise SyscallError(errno.EOPNOTSUPP)
    return sys_adjtimex(thread, target)


def sys_gettimeofday(thread: Thread, target: int, zone: int) -> int:
    if target:
        thread.write(target, _timeval(thread.kernel.walltime(), _bits(thread)))
    if zone:
        thread.write(zone, bytes(8))
    return 0


def sys_time(thread: Thread, target: int) -> int:
    seconds = thread.kernel.walltime() // SECOND
    if target:
        thread.write(target, seconds.to_bytes(_bits(thread) // 8, "little"))
    return seconds


# -- usage --------------------------------------------------------------------------------------


def pack_rusage(cpu: int, resident: int, voluntary: int, involuntary: int, bits: int) -> bytes:
    """Return a struct rusage: `cpu` ns, all of which count as user time; up to `resident` KiB of memory."""
    rest = [resident, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, voluntary, involuntary]
    return _timeval(cpu, bits) + _timeval(0, bits) + struct.pack("<14" + ("q" if bits == 64 else "i"), *rest)


def sys_getrusage(thread: Thread, who: int, target: int) -> int:
    process = thread.process
    resident = process.memory.resident_pages() * 4
    if who == RUSAGE_CHILDREN:
        data = pack_rusage(process.children_cpu_time, 0, 0, 0, process.bits)
    elif who == RUSAGE_SELF:
        switches = [(other.voluntary, other.involuntary) for other in process.threads]
        voluntary, involuntary = (sum(counts) for counts in zip(*switches, strict=True))
        data = pack_rusage(cpu_time(process), resident, voluntary, involuntary, process.bits)
    elif who == RUSAGE_THREAD:
        data = pack_rusage(thread.kernel.vtime(), resident, thread.voluntary, thread.involuntary,
                           process.bits)
    else:
        raise SyscallError(errno.EINVAL)
    thread.write(target, data)
    return 0


def sys_times(thread: Thread, target: int) -> int:
    process = thread.process
    if target:
        values = (cpu_time(process) // TICK, 0, process.children_cpu_time // TICK, 0)
        thread.write(target, struct.pack("<4" + ("q" if process.bits == 64 else "i"), *values))
    return thread.kernel.hrtime() // TICK


# -- sleeping -----------------------------------------------------------------------------------


def _sleep_until(thread: Thread, deadline: int, remaining: int, bits: int) -> int:
    """Sleep until `deadline` (ns since boot); returns 0.

    When a signal comes, write the time that is left to `remaining` and raise Interrupted.
    """
    if thread.restart_deadline is not None:
        deadline = thread.restart_deadline
    queue = WaitQueue("nanosleep")
    while (left := deadline - thread.kernel.hrtime()) > 0:
        try:
            thread.sleep(queue, left, restart="nohandler")
        except Interrupted:
            thread.restart_deadline = deadline
            if remaining:
                write_timespec(thread, remaining, max(deadline - thread.kernel.hrtime(), 0), bits)
            raise
    return 0


def sys_nanosleep(thread: Thread, duration: int, remaining: int) -> int:
    bits = _bits(thread)
    deadline = thread.kernel.hrtime() + read_timespec(thread, duration, bits)
    return _sleep_until(thread, deadline, remaining, bits)


def _settable_clock(thread: Thread, clock: int) -> None:
    """Raise EINVAL for no clock, EOPNOTSUPP for one that nothing can wait for."""
    clock_now(thread, clock)
    if clock in (CLOCK_MONOTONIC_RAW, CLOCK_REALTIME_COARSE, CLOCK_MONOTONIC_COARSE):
        raise SyscallError(errno.EOPNOTSUPP)


def _clock_nanosleep(thread: Thread, clock: int, flags: int, request: int, remaining: int, bits: int) -> int:
    _settable_clock(thread, clock)
    if clock == CLOCK_THREAD_CPUTIME_ID:
        raise SyscallError(errno.EOPNOTSUPP)
    now = clock_now(thread, clock)
    value = read_timespec(thread, request, bits)
    absolute = bool(flags & TIMER_ABSTIME)
    deadline = thread.kernel.hrtime() + (value - now if absolute else value)
    return _sleep_until(thread, deadline, 0 if absolute else remaining, bits)


def sys_clock_nanosleep(thread: Thread, clock: int, flags: int, request: int, remaining: int) -> int:
    return _clock_nanosleep(thread, clock, flags, request, remaining, _bits(thread))


def sys_clock_nanosleep_time64(thread: Thread, clock: int, flags: int, request: int, remaining: int) -> int:
    return _clock_nanosleep(thread, clock, flags, request, remaining, 64)


# -- timers -------------------------------------------------------------------------------------


def _itimer(thread: Thread, which: int) -> Timer:
    if which not in (ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF):
        raise SyscallError(errno.EINVAL)
    process = thread.process
    if which not in process.itimers:
        kind = Timer if which == ITIMER_REAL else CpuTimer
        process.itimers[which] = kind(process, SignalInfo(ITIMER_SIGNALS[which], SI_KERNEL), CLOCK_MONOTONIC)
    return process.itimers[which]


def _pack_itimer(timer: Timer, bits: int) -> bytes:
    left = -(-timer.remaining() // MICROSECOND) * MICROSECOND  # rounded up
    return _timeval(timer.interval, bits) + _timeval(left, bits)


def sys_setitimer(thread: Thread, which: int, new: int, old: int) -> int:
    bits = _bits(thread)
    shape = struct.Struct("<4q" if bits == 64 else "<4i")
    values = shape.unpack(thread.read(new, shape.size)) if new else (0, 0, 0, 0)
    if min(values) < 0 or max(values[1], values[3]) >= SECOND // MICROSECOND:
        raise SyscallError(errno.EINVAL)
    timer = _itimer(thread, which)
    if old:
        thread.write(old, _pack_itimer(timer, bits))
    timer.set(values[2] * SECOND + values[3] * MICROSECOND, values[0] * SECOND + values[1] * MICROSECOND)
    return 0


def sys_getitimer(thread: Thread, which: int, target: int) -> int:
    thread.write(target, _pack_itimer(_itimer(thread, which), _bits(thread)))
    return 0


def sys_alarm(thread: Thread, seconds: int) -> int:
    timer = _itimer(thread, ITIMER_REAL)
    left = timer.remaining()
    timer.set(seconds * SECOND, 0)
    return max((left + SECOND // 2) // SECOND, 1) if left else 0


def sys_timer_create(thread: Thread, clock: int, event: int, target: int) -> int:
    process = thread.process
    word = _bits(thread) // 8
    data = thread.read(event, EVENT_SIZES[_bits(thread)]) if event else b""
    if clock >= 0:
        _settable_clock(thread, clock)
    if len(process.posix_timers) >= MAX_TIMERS:
        raise SyscallError(errno.EAGAIN)
    number = next(process.timer_numbers)  # which is lost if what follows makes no sense
    _settable_clock(thread, clock)
    signal, notify, value, tid = SIGALRM, SIGEV_SIGNAL, number, 0
    if event:
        value = int.from_bytes(data[:word], "little")
        signal, notify, tid = struct.unpack_from("<iii", data, word)
    if notify not in (SIGEV_SIGNAL, SIGEV_NONE, SIGEV_THREAD, SIGEV_THREAD_ID) or (
            notify != SIGEV_NONE and not 0 < signal <= SIGNAL_COUNT):
        raise SyscallError(errno.EINVAL)
    told = process.find_thread(tid) if notify == SIGEV_THREAD_ID else thread
    if told is None or told.process is not process:
        raise SyscallError(errno.EINVAL)
    info = None if notify == SIGEV_NONE else SignalInfo(signal, SI_TIMER, "timer", number, value=value)
    receiver = tid if notify == SIGEV_THREAD_ID else None
    measured = _measured(thread, clock)
    thread.write(target, struct.pack("<i", number))
    if measured is not None:
        process.posix_timers[number] = CpuTimer(process, info, clock, receiver, measured)
    else:
        process.posix_timers[number] = Timer(process, info, clock, receiver)
    return 0


def _posix_timer(thread: Thread, number: int) -> Timer:
    timer = thread.process.posix_timers.get(number)
    if timer is None:
        raise SyscallError(errno.EINVAL)
    return timer


def _pack_spec(timer: Timer, bits: int) -> bytes:
    shape = _pair(bits)
    return shape.pack(*divmod(timer.interval, SECOND)) + shape.pack(*divmod(timer.remaining(), SECOND))


def _timer_settime(thread: Thread, number: int, flags: int, new: int, old: int, bits: int) -> int:
    if not new:
        raise SyscallError(errno.EINVAL)
    interval, first = read_timespec(thread, new, bits), read_timespec(thread, new + _pair(bits).size, bits)
    timer = _posix_timer(thread, number)
    if old:
        thread.write(old, _pack_spec(timer, bits))
    if flags & TIMER_ABSTIME and first:
        first = max(first - clock_now(thread, timer.clock), 1)
    timer.set(first, interval if first else 0)
    return 0


def sys_timer_settime(thread: Thread, number: int, flags: int, new: int, old: int) -> int:
    return _timer_settime(thread, number, flags, new, old, _bits(thread))


def sys_timer_settime64(thread: Thread, number: int, flags: int, new: int, old: int) -> int:
    return _timer_settime(thread, number, flags, new, old, 64)


def sys_timer_gettime(thread: Thread, number: int, target: int) -> int:
    thread.write(target, _pack_spec(_posix_timer(thread, number), _bits(thread)))
    return 0


def sys_timer_gettime64(thread: Thread, number: int, target: int) -> int:
    thread.write(target, _pack_spec(_posix_timer(thread, number), 64))
    return 0


def sys_timer_getoverrun(thread: Thread, number: int) -> int:
    _posix_timer(thread, number)
    return 0


def sys_timer_delete(thread: Thread, number: int) -> int:
    _posix_timer(thread, number).cancel()
    del thread.process.posix_timers[number]
    return 0
