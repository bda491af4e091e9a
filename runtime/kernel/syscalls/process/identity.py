"""System calls on the numbers of a process (its own, group, session, users) and on its limits."""

from __future__ import annotations

import errno
import struct
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from runtime.kernel.base.capabilities import capabilities_of, privileges_of
from runtime.kernel.base.errors import SyscallError
from runtime.kernel.base.identity import Identity
from runtime.kernel.base.privileges import PROC_SETID, SYS_RESOURCE
from runtime.kernel.base.words import UNCHANGED, narrow_id, wide_id
from runtime.kernel.process.process import RLIM_INFINITY, RLIMIT_CPU, RLIMIT_NOFILE, Process
from runtime.kernel.process.timers import limit_cpu_time
from runtime.kernel.process.usermemory import read_int

if TYPE_CHECKING:
    from runtime.kernel.process.thread import Thread

OLD_INFINITY = 0x7FFFFFFF  # where the old call has signed words
RESOURCES = 16
MAX_DESCRIPTORS = 1 << 20
GROUP_LIMIT = 65536


def sys_getpid(thread: Thread) -> int:
    return thread.process.pid


def sys_getppid(thread: Thread) -> int:
    return thread.process.shown_ppid


def find_process(thread: Thread, pid: int) -> Process:
    """Return the process `pid`; 0 means the caller's.  Raises ESRCH."""
    found = thread.process if pid == 0 else thread.process.find(pid)
    if found is None:
        raise SyscallError(errno.ESRCH)
    return found


def sys_getpgrp(thread: Thread) -> int:
    return thread.process.pgid


def sys_getpgid(thread: Thread, pid: int) -> int:
    return find_process(thread, pid).pgid


def sys_getsid(thread: Thread, pid: int) -> int:
    return find_process(thread, pid).sid


def sys_setpgid(thread: Thread, pid: int, group: int) -> int:
    if (group or pid) < 0:
        raise SyscallError(errno.EINVAL)
    target = find_process(thread, pid)
    if target is not thread.process and target.parent is not thread.process:
        raise SyscallError(errno.ESRCH)
    group = group or target.pid
    known = any(other.pgid == group and other.sid == target.sid for other in thread.kernel.processes.values())
    if target.sid == target.pid or target.sid != thread.process.sid or (group != target.pid and not known):
        raise SyscallError(errno.EPERM)
    if target is not thread.process and target.has_executed:
        raise SyscallError(errno.EACCES)
    target.pgid = group
    return 0


def sys_setsid(thread: Thread) -> int:
    process = thread.process
    if any(other.pgid == process.pid for other in thread.kernel.processes.values()):
        raise SyscallError(errno.EPERM)
    process.sid = process.pgid = process.pid
    process.terminal = None
    return process.pid


# -- users --------------------------------------------------------------------------------------


def _identity(thread: Thread) -> Identity:
    return thread.process.identity


def sys_getuid(thread: Thread) -> int:
    return _identity(thread).ruid


def sys_geteuid(thread: Thread) -> int:
    return _identity(thread).euid


def sys_getgid(thread: Thread) -> int:
    return _identity(thread).rgid


def sys_getegid(thread: Thread) -> int:
    return _identity(thread).egid


def _change(thread: Thread, kind: str, real: int, effective: int, saved: int) -> int:
    """Set the ids of a kind ("uid" or "gid") that are not UNCHANGED; returns 0.  Raises EPERM."""
    who = _identity(thread)
    names = (f"r{kind}", f"e{kind}", f"s{kind}")
    current = tuple(getattr(who, name) for name in names)
    for value in (real, effective, saved):
        if value != UNCHANGED and value not in current and not who.has(PROC_SETID):
            raise SyscallError(errno.EPERM)
    if kind == "uid" and 0 in {real, effective, saved} - set(current):
        who.demand(thread.process.zone.limit)  # to become the superuser takes all privileges
    if kind == "uid" and effective != UNCHANGED and (effective == 0) != (who.euid == 0):
        who.aside = 0
    if effective not in (UNCHANGED, current[1]):
        thread.process.death_signal = 0
    for name, value in zip(names, (real, effective, saved), strict=True):
        if value not in (UNCHANGED, getattr(who, name)):
            setattr(who, name, value)
            who.protected = True
    if kind == "uid" and 0 in current and 0 not in (who.ruid, who.euid, who.suid):
        who.gave_up_superuser()
    setattr(who, f"fs{kind}", getattr(who, f"e{kind}"))
    return 0


def _demand_id(value: int) -> None:
    """Raise EINVAL for -1, which is no user and no group."""
    if value == UNCHANGED:
        raise SyscallError(errno.EINVAL)


def _demand_among(thread: Thread, value: int, *allowed: int) -> None:
    """Raise EPERM for an id that the process may not take, unless it may take any."""
    if value not in (UNCHANGED, *allowed) and not _identity(thread).has(PROC_SETID):
        raise SyscallError(errno.EPERM)


def sys_setuid(thread: Thread, uid: int) -> int:
    _demand_id(uid)
    if _identity(thread).has(PROC_SETID):
        return _change(thread, "uid", uid, uid, uid)
    _demand_among(thread, uid, _identity(thread).ruid, _identity(thread).suid)
    return _change(thread, "uid", UNCHANGED, uid, UNCHANGED)


def sys_setgid(thread: Thread, gid: int) -> int:
    _demand_id(gid)
    if _identity(thread).has(PROC_SETID):
        return _change(thread, "gid", gid, gid, gid)
    _demand_among(thread, gid, _identity(thread).rgid, _identity(thread).sgid)
    return _change(thread, "gid", UNCHANGED, gid, UNCHANGED)


def sys_setreuid(thread: Thread, real: int, effective: int) -> int:
    who = _identity(thread)
    _demand_among(thread, real, who.ruid, who.euid)
    return _change(thread, "uid", real, effective, _saved(real, effective, who.ruid, who.euid))


def sys_setregid(thread: Thread, real: int, effective: int) -> int:
    who = _identity(thread)
    _demand_among(thread, real, who.rgid, who.egid)
    return _change(thread, "gid", real, effective, _saved(real, effective, who.rgid, who.egid))


def _saved(real: int, effective: int, old_real: int, old_effective: int) -> int:
    """Return what setreuid(2) saves: the new effective id, unless only that changes, to the real one."""
    if real == UNCHANGED and effective in (UNCHANGED, old_real):
        return UNCHANGED
    return old_effective if effective == UNCHANGED else effective


def sys_setresuid(thread: Thread, real: int, effective: int, saved: int) -> int:
    return _change_each(thread, "uid", real, effective, saved)


def sys_setresgid(thread: Thread, real: int, effective: int, saved: int) -> int:
    return _change_each(thread, "gid", real, effective, saved)


def _change_each(thread: Thread, kind: str, real: int, effective: int, saved: int) -> int:
    """The same as `_change`; where no id becomes another, that of files stays what it is, too."""
    who = _identity(thread)
    wanted = {f"r{kind}": real, f"e{kind}": effective, f"s{kind}": saved, f"fs{kind}": effective}
    if all(value in (UNCHANGED, getattr(who, name)) for name, value in wanted.items()):
        return 0
    return _change(thread, kind, real, effective, saved)


def _write_ids(thread: Thread, targets: Iterable[int], values: Iterable[int], size: int = 4) -> int:
    for target, value in zip(targets, values, strict=True):
        thread.write(target, value.to_bytes(size, "little"))
    return 0


def sys_getresuid(thread: Thread, real: int, effective: int, saved: int) -> int:
    who = _identity(thread)
    return _write_ids(thread, (real, effective, saved), (who.ruid, who.euid, who.suid))


def sys_getresgid(thread: Thread, real: int, effective: int, saved: int) -> int:
    who = _identity(thread)
    return _write_ids(thread, (real, effective, saved), (who.rgid, who.egid, who.sgid))


def sys_setfsuid(thread: Thread, uid: int) -> int:
    who = _identity(thread)
    old = who.fsuid
    if uid != UNCHANGED and (who.has(PROC_SETID) or uid in (who.ruid, who.euid, who.suid)):
        who.use_files_as(uid)
        who.protected |= uid != old
    return old


def sys_setfsgid(thread: Thread, gid: int) -> int:
    who = _identity(thread)
    old = who.fsgid
    if gid != UNCHANGED and (who.has(PROC_SETID) or gid in (who.rgid, who.egid, who.sgid)):
        who.fsgid = gid
        who.protected |= gid != old
    return old


def sys_getgroups(thread: Thread, size: int, target: int) -> int:
    return _get_groups(thread, size, target, "I", int)


def _get_groups(thread: Thread, size: int, target: int, form: str, convert: Callable[[int], int]) -> int:
    groups = _identity(thread).groups
    if size:
        if size < len(groups):
            raise SyscallError(errno.EINVAL)
        thread.write(target, struct.pack(f"<{len(groups)}{form}", *map(convert, groups)))
    return len(groups)


def sys_setgroups(thread: Thread, size: int, source: int) -> int:
    return _set_groups(thread, size, source, "I", int)


def _set_groups(thread: Thread, size: int, source: int, form: str, convert: Callable[[int], int]) -> int:
    who = _identity(thread)
    who.demand(PROC_SETID)
    if not 0 <= size <= GROUP_LIMIT:
        raise SyscallError(errno.EINVAL)
    shape = struct.Struct(f"<{size}{form}")
    who.groups = tuple(map(convert, shape.unpack(thread.read(source, shape.size))))
    return 0


# i386's calls with 32 bits have names of their own; those without have ids of 16 bits
sys_getuid32, sys_geteuid32, sys_getgid32, sys_getegid32 = sys_getuid, sys_geteuid, sys_getgid, sys_getegid
sys_setuid32, sys_setgid32 = sys_setuid, sys_setgid
sys_setreuid32, sys_setregid32 = sys_setreuid, sys_setregid
sys_setresuid32, sys_setresgid32, sys_getresuid32, sys_getresgid32 = (
    sys_setresuid, sys_setresgid, sys_getresuid, sys_getresgid)
sys_setfsuid32, sys_setfsgid32, sys_getgroups32, sys_setgroups32 = (
    sys_setfsuid, sys_setfsgid, sys_getgroups, sys_setgroups)


def _old(call: Callable[..., int]) -> Callable[..., int]:
    """Return i386's older form of a call: with ids of 16 bits."""
    def of_words(thread: Thread, *ids: int) -> int:
        return narrow_id(call(thread, *map(wide_id, ids)))
    return of_words


sys_i386_getuid, sys_i386_geteuid = _old(sys_getuid), _old(sys_geteuid)
sys_i386_getgid, sys_i386_getegid = _old(sys_getgid), _old(sys_getegid)
sys_i386_setuid, sys_i386_setgid = _old(sys_setuid), _old(sys_setgid)
sys_i386_setreuid, sys_i386_setregid = _old(sys_setreuid), _old(sys_setregid)
sys_i386_setresuid, sys_i386_setresgid = _old(sys_setresuid), _old(sys_setresgid)
sys_i386_setfsuid, sys_i386_setfsgid = _old(sys_setfsuid), _old(sys_setfsgid)


def sys_i386_getresuid(thread: Thread, real: int, effective: int, saved: int) -> int:
    who = _identity(thread)
    return _write_ids(thread, (real, effective, saved), map(narrow_id, (who.ruid, who.euid, who.suid)), 2)


def sys_i386_getresgid(thread: Thread, real: int, effective: int, saved: int) -> int:
    who = _identity(thread)
    return _write_ids(thread, (real, effective, saved), map(narrow_id, (who.rgid, who.egid, who.sgid)), 2)


def sys_i386_getgroups(thread: Thread, size: int, target: int) -> int:
    return _get_groups(thread, size, target, "H", narrow_id)


def sys_i386_setgroups(thread: Thread, size: int, source: int) -> int:
    return _set_groups(thread, size, source, "H", wide_id)


CAPABILITY_VERSIONS = (0x19980330, 0x20071026, 0x20080522)  # <linux/capability.h>


def sys_capget(thread: Thread, header: int, data: int) -> int:
    version = read_int(thread, header)
    known = version in CAPABILITY_VERSIONS
    if not known:
        thread.write(header, CAPABILITY_VERSIONS[-1].to_bytes(4, "little"))
    if not data:
        return 0
    pid = read_int(thread, header + 4) if known else -1
    if pid < 0:
        raise SyscallError(errno.EINVAL)
    whose = find_process(thread, pid).identity
    effective, permitted = capabilities_of(whose.privileges), capabilities_of(whose.permitted)
    words = [each >> shift & UNCHANGED for shift in (0, 32) for each in (effective, permitted, 0)]
    kept = words[:3] if version == CAPABILITY_VERSIONS[0] else words
    thread.write(data, struct.pack(f"<{len(kept)}I", *kept))
    return 0


def sys_capset(thread: Thread, header: int, data: int) -> int:
    """Privileges go with capabilities that are no longer permitted, for good, and are put aside with those
    that are not effective."""
    version, pid = struct.unpack("<Ii", thread.read(header, 8))
    if version not in CAPABILITY_VERSIONS:
        thread.write(header, CAPABILITY_VERSIONS[-1].to_bytes(4, "little"))
        raise SyscallError(errno.EINVAL)
    if pid not in (0, thread.process.pid):
        raise SyscallError(errno.EPERM)
    count = 3 if version == CAPABILITY_VERSIONS[0] else 6
    words = (*struct.unpack(f"<{count}I", thread.read(data, 4 * count)), 0, 0, 0)
    effective, permitted, inheritable = (words[at] | words[at + 3] << 32 for at in range(3))
    who = _identity(thread)
    held = capabilities_of(who.permitted)
    if (permitted | inheritable) & ~held or effective & ~permitted:
        raise SyscallError(errno.EPERM)
    kept, used = privileges_of(permitted), privileges_of(effective)
    who.restrict(~(privileges_of(held & ~permitted) & ~kept))
    who.aside = kept & ~used
    return 0


# -- limits -------------------------------------------------------------------------------------


def _set_limit(thread: Thread, process: Process, resource: int, soft: int, hard: int) -> None:
    if soft > hard:
        raise SyscallError(errno.EINVAL)
    if hard > process.limit(resource)[1]:
        _identity(thread).demand(SYS_RESOURCE)
    process.limits[resource] = (soft, hard)
    if resource == RLIMIT_CPU:
        limit_cpu_time(process)
    if resource == RLIMIT_NOFILE and process.file_table is not None:
        process.file_table.limit = min(soft, MAX_DESCRIPTORS)


def _check_resource(resource: int) -> None:
    if resource >= RESOURCES:
        raise SyscallError(errno.EINVAL)


def sys_prlimit64(thread: Thread, pid: int, resource: int, new: int, old: int) -> int:
    shape = struct.Struct(f"{thread.process.processor.order}QQ")
    wanted = shape.unpack(thread.read(new, shape.size)) if new else None
    process, who = find_process(thread, pid), _identity(thread)
    if process is not thread.process and not process.identity.unmixed_as(who.ruid, who.rgid):
        who.demand(SYS_RESOURCE)
    _check_resource(resource)
    current = process.limit(resource)
    if wanted is not None:
        _set_limit(thread, process, resource, *wanted)
    if old:
        thread.write(old, shape.pack(*current))
    return 0


def sys_getrlimit(thread: Thread, resource: int, target: int) -> int:
    return _put_limit(thread, resource, target, RLIM_INFINITY if thread.process.bits == 64 else OLD_INFINITY)


def sys_ugetrlimit(thread: Thread, resource: int, target: int) -> int:
    return _put_limit(thread, resource, target, RLIM_INFINITY if thread.process.bits == 64 else UNCHANGED)


def _put_limit(thread: Thread, resource: int, target: int, top: int) -> int:
    _check_resource(resource)
    shape = "<QQ" if thread.process.bits == 64 else "<II"
    thread.write(target, struct.pack(shape, *(min(value, top) for value in thread.process.limit(resource))))
    return 0


def sys_setrlimit(thread: Thread, resource: int, source: int) -> int:
    wide = thread.process.bits == 64
    values = struct.unpack("<QQ" if wide else "<II", thread.read(source, 16 if wide else 8))
    _check_resource(resource)
    soft, hard = (RLIM_INFINITY if not wide and value == UNCHANGED else value for value in values)
    _set_limit(thread, thread.process, resource, soft, hard)
    return 0
