"""System calls about the machine: its name, its load, random bytes, and settings of a process."""

from __future__ import annotations

import errno
import struct
from typing import TYPE_CHECKING

from runtime.kernel.base import capabilities
from runtime.kernel.base.clock import SECOND
from runtime.kernel.base.errors import SyscallError
from runtime.kernel.base.privileges import SYS_ADMIN
from runtime.kernel.base.release import RELEASE, VERSION
from runtime.kernel.base.signals import SIGNAL_COUNT
from runtime.kernel.process.usermemory import scatter_some

if TYPE_CHECKING:
    from runtime.kernel.process.thread import Thread

UTS_LENGTH = 65
PERSONALITY_QUERY, PERSONALITY_32 = 0xFFFFFFFF, 0x0008
NAME_LENGTH = 16
(PR_SET_PDEATHSIG, PR_GET_PDEATHSIG, PR_GET_DUMPABLE, PR_SET_DUMPABLE) = (1, 2, 3, 4)
PR_GET_KEEPCAPS, PR_SET_KEEPCAPS, PR_GET_SECUREBITS, SECBIT_KEEP_CAPS = 7, 8, 27, 16
PR_SET_NAME, PR_GET_NAME, PR_CAPBSET_READ = 15, 16, 23
PR_SET_CHILD_SUBREAPER, PR_GET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS, PR_GET_NO_NEW_PRIVS = 36, 37, 38, 39
PR_SET_TIMERSLACK, PR_GET_TIMERSLACK, PR_PAC_RESET_KEYS, PR_SET_VMA = 29, 30, 54, 0x53564D41
GRND_RANDOM, GRND_INSECURE, GRND_FLAGS = 2, 4, 7
RANDOM_LIMIT = 32 << 20
MEMBARRIER_CMD_QUERY, MEMBARRIER_COMMANDS = 0, {1 << bit for bit in range(9)}


def sys_uname(thread: Thread, target: int) -> int:
    zone = thread.process.zone
    fields = (b"Linux", zone.nodename, RELEASE, VERSION, thread.process.processor.name, zone.domainname)
    thread.write(target, b"".join(field.ljust(UTS_LENGTH, b"\0") for field in fields))
    return 0


def _set_name(thread: Thread, source: int, size: int) -> bytes:
    thread.process.identity.demand(SYS_ADMIN)
    if not 0 <= size < UTS_LENGTH:
        raise SyscallError(errno.EINVAL)
    return thread.read(source, size)


def sys_sethostname(thread: Thread, source: int, size: int) -> int:
    thread.process.zone.nodename = _set_name(thread, source, size)
    return 0


def sys_setdomainname(thread: Thread, source: int, size: int) -> int:
    thread.process.zone.domainname = _set_name(thread, source, size)
    return 0


def sys_sysinfo(thread: Thread, target: int) -> int:
    kernel = thread.kernel
    uptime, total = kernel.hrtime() // SECOND, kernel.memory.size
    free = kernel.memory.free_frames * 4096
    processes = len(thread.process.known())
    if thread.process.bits == 64:
        data = struct.pack("<q3Q6QHxxxxxxQQI4x", uptime, 0, 0, 0, total, free, 0, 0, 0, 0, processes, 0, 0, 1)
    else:
        unit = 4096
        data = struct.pack("<i3I6IHHIII8x", uptime, 0, 0, 0, total // unit, free // unit, 0, 0, 0, 0,
                           processes, 0, 0, 0, unit)
    thread.write(target, data)
    return 0


def sys_getrandom(thread: Thread, target: int, size: int, flags: int) -> int:
    """Return the same bytes in every run with the same seed."""
    both = GRND_RANDOM | GRND_INSECURE
    if flags & ~GRND_FLAGS or flags & both == both:
        raise SyscallError(errno.EINVAL)
    size = min(size, RANDOM_LIMIT)
    stored = scatter_some(thread, [(target, size)], thread.kernel.random.randbytes(size))
    if size and not stored:
        raise SyscallError(errno.EFAULT)
    return stored


def sys_personality(thread: Thread, persona: int) -> int:
    old = int(thread.process.leader.data.get("persona", 0))
    if persona != PERSONALITY_QUERY:
        thread.process.leader.data["persona"] = persona
    return old


def sys_prctl(thread: Thread, option: int, first: int, second: int, third: int, fourth: int) -> int:
    process = thread.process
    if option == PR_SET_NAME:
        thread.name = thread.read_string(first, NAME_LENGTH - 1)
        if thread.tid == process.pid:
            process.rename(thread.name)
    elif option == PR_GET_NAME:
        thread.write(first, thread.name[:NAME_LENGTH - 1].ljust(NAME_LENGTH, b"\0"))
    elif option == PR_SET_PDEATHSIG:
        if not 0 <= first <= SIGNAL_COUNT:
            raise SyscallError(errno.EINVAL)
        process.death_signal = first
    elif option == PR_GET_PDEATHSIG:
        thread.write(first, struct.pack("<i", process.death_signal))
    elif option == PR_GET_DUMPABLE:
        return int(not process.identity.protected)
    elif option == PR_SET_DUMPABLE:
        if first not in (0, 1):
            raise SyscallError(errno.EINVAL)
        process.identity.protected = not first
    elif option == PR_GET_KEEPCAPS:
        return int(process.identity.keeps)
    elif option == PR_GET_SECUREBITS:
        return SECBIT_KEEP_CAPS * process.identity.keeps
    elif option == PR_SET_KEEPCAPS:
        if first not in (0, 1):
            raise SyscallError(errno.EINVAL)
        process.identity.keeps = bool(first)
    elif option == PR_SET_CHILD_SUBREAPER:
        process.subreaper = bool(first)
    elif option == PR_GET_CHILD_SUBREAPER:
        thread.write(first, struct.pack("<i", process.subreaper))
    elif option == PR_CAPBSET_READ:
        if first >= capabilities.COUNT:
            raise SyscallError(errno.EINVAL)
        return capabilities.capabilities_of(process.identity.limit) >> first & 1
    elif option == PR_SET_NO_NEW_PRIVS:
        if first != 1 or second or third or fourth:
            raise SyscallError(errno.EINVAL)
        process.identity.no_new_privileges = True
    elif option == PR_GET_NO_NEW_PRIVS:
        return int(process.identity.no_new_privileges)
    elif option == PR_GET_TIMERSLACK:
        return thread.timer_slack
    elif option == PR_SET_TIMERSLACK:
        thread.timer_slack = first if first > 0 else thread.usual_timer_slack
    else:
        raise SyscallError(errno.EINVAL)
    return 0


def sys_arm64_prctl(thread: Thread, option: int, first: int, second: int, third: int, fourth: int) -> int:
    """The same, and new keys to sign addresses with: those of the bits in `first`, or all."""
    if option != PR_PAC_RESET_KEYS:
        return sys_prctl(thread, option, first, second, third, fourth)
    from runtime.kernel.cpu.arm64.engine import KEYS
    from runtime.kernel.cpu.arm64.processor import Arm

    if second or third or fourth or first & ~sum(KEYS):
        raise SyscallError(errno.EINVAL)
    processor = thread.process.processor
    assert isinstance(processor, Arm)
    processor.reset_keys(thread, first or sum(KEYS))
    return 0


def sys_membarrier(thread: Thread, command: int, flags: int, cpu: int) -> int:
    """Do nothing: one processor runs at a time, so that every barrier holds already."""
    if flags or command not in (MEMBARRIER_CMD_QUERY, *MEMBARRIER_COMMANDS):
        raise SyscallError(errno.EINVAL)
    return sum(MEMBARRIER_COMMANDS) if command == MEMBARRIER_CMD_QUERY else 0


def sys_restart_syscall(thread: Thread) -> int:
    raise SyscallError(errno.EINTR)
