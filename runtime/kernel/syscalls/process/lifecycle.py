"""System calls that make, replace, end and wait for processes."""

from __future__ import annotations

import errno
import struct
from typing import TYPE_CHECKING

from dif.records import NamedTuple
from runtime.kernel.base.errors import SyscallError
from runtime.kernel.base.signals import SIGCHLD, SIGCONT, SIGNAL_COUNT, SignalInfo
from runtime.kernel.cpu.signalinfo import pack_info
from runtime.kernel.process.lifecycle import (
    CLONE_DETACHED,
    CLONE_PARENT,
    CLONE_PIDFD,
    CLONE_THREAD,
    CLONE_VFORK,
    CLONE_VM,
    clone,
    exec_common,
    exit_process,
)
from runtime.kernel.process.opening import AT_FDCWD
from runtime.kernel.process.process import (
    CLD_CONTINUED,
    CLD_DUMPED,
    CLD_EXITED,
    CLD_KILLED,
    CLD_STOPPED,
    CLD_TRAPPED,
    Process,
)
from runtime.kernel.process.usermemory import read_structure, read_words
from runtime.kernel.syscalls.lookup import AT_EMPTY_PATH, AT_SYMLINK_NOFOLLOW, get_file
from runtime.kernel.syscalls.process.timers import pack_rusage
from runtime.kernel.vfs.eventfd import ProcessFile

if TYPE_CHECKING:
    from runtime.kernel.process.ptrace import Trace
    from runtime.kernel.process.thread import Thread

WNOHANG, WSTOPPED, WEXITED, WCONTINUED, WNOWAIT = 1, 2, 4, 8, 0x01000000
WALL, WCLONE = 1 << 30, 1 << 31  # __WALL, __WCLONE: children of either kind, those that clone(2) made
WCLONES = -1 << 29  # both, and __WNOTHREAD
P_ALL, P_PID, P_PGID, P_PIDFD = range(4)
CLONE_CLEAR_SIGHAND, CLONE_LEGACY = 1 << 32, 0xFFFFFFFF & ~(0xFF | CLONE_DETACHED)
CLONE_ARGS_SIZE, CLONE_ARGS_KNOWN = 64, 88  # bytes of a struct clone_args, at least and at most
STRING_LIMIT = 32 * 4096


def sys_fork(thread: Thread) -> int:
    return clone(thread, 0, 0, 0, 0, 0, SIGCHLD)


def sys_vfork(thread: Thread) -> int:
    return clone(thread, CLONE_VM | CLONE_VFORK, 0, 0, 0, 0, SIGCHLD)


def sys_clone(thread: Thread, flags: int, stack: int, parent_tid: int, child_tid: int, tls: int) -> int:
    if flags & CLONE_PIDFD and flags & CLONE_DETACHED:
        raise SyscallError(errno.EINVAL)
    return clone(thread, flags & ~0xFF, stack, tls, parent_tid, child_tid, flags & 0xFF, parent_tid)


def sys_i386_clone(thread: Thread, flags: int, stack: int, parent_tid: int, tls: int, child_tid: int) -> int:
    return sys_clone(thread, flags, stack, parent_tid, child_tid, tls)


def sys_arm64_clone(thread: Thread, flags: int, stack: int, parent_tid: int, tls: int, child_tid: int) -> int:
    return sys_clone(thread, flags, stack, parent_tid, child_tid, tls)


def sys_clone3(thread: Thread, arguments: int, size: int) -> int:
    data = read_structure(thread, arguments, size, CLONE_ARGS_SIZE, CLONE_ARGS_KNOWN)
    flags, pidfd, child_tid, parent_tid, signal, stack, length, tls = struct.unpack_from("<8Q", data)
    unknown = flags & ~(CLONE_LEGACY | CLONE_CLEAR_SIGHAND)
    if unknown or bool(stack) != bool(length) or signal > SIGNAL_COUNT or \
            (signal and flags & (CLONE_THREAD | CLONE_PARENT)):
        raise SyscallError(errno.EINVAL)
    tid = clone(thread, flags & 0xFFFFFFFF, stack + length, tls, parent_tid, child_tid, signal, pidfd)
    if flags & CLONE_CLEAR_SIGHAND and tid in thread.kernel.processes:
        thread.kernel.processes[tid].signals.exec()
    return tid


def _strings(thread: Thread, address: int) -> list[bytes]:
    """Return a NULL-terminated array of strings."""
    size, found = thread.process.bits // 8, []
    while address:
        (pointer,) = read_words(thread, address, 1)
        if not pointer:
            break
        text = thread.read_string(pointer, STRING_LIMIT)
        if len(text) >= STRING_LIMIT:
            raise SyscallError(errno.E2BIG)
        found.append(text)
        address += size
    return found


def sys_execve(thread: Thread, path: int, arguments: int, environment: int) -> int:
    name = thread.read_string(path)
    words = _strings(thread, arguments) or [b""]
    exec_common(thread, name, words, _strings(thread, environment))
    return 0


def sys_execveat(thread: Thread, descriptor: int, path: int, arguments: int, environment: int,
                 flags: int) -> int:
    if flags & ~(AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW):
        raise SyscallError(errno.EINVAL)
    name = thread.read_string(path)
    if not name and not flags & AT_EMPTY_PATH:
        raise SyscallError(errno.ENOENT)
    if not name:
        vnode = thread.process.files.get(descriptor).vnode
        name = thread.process.zone.shown(vnode.full_path())
        if not vnode.attributes.nlink:  # nor does a path lead to it any more
            name = b"/proc/self/fd/%d" % descriptor
    elif descriptor != AT_FDCWD and not name.startswith(b"/"):
        folder = thread.process.files.get(descriptor).vnode
        name = thread.process.zone.shown(folder.full_path()).rstrip(b"/") + b"/" + name
    words = _strings(thread, arguments) or [b""]
    exec_common(thread, name, words, _strings(thread, environment))
    return 0


def sys_exit(thread: Thread, status: int) -> int:
    thread.kernel.lifecycle.exit_thread(thread, status)


def sys_exit_group(thread: Thread, status: int) -> int:
    exit_process(thread, CLD_EXITED, status)


# -- waiting ------------------------------------------------------------------------------------


def _matches(process: Process, parent: Process, kind: int, number: int, options: int) -> bool:
    if not options & WALL and (process.exit_signal != SIGCHLD) != bool(options & WCLONE):
        return False
    if kind == P_ALL:
        return True
    return process.pid == number if kind == P_PID else process.pgid == (number or parent.pgid)


class Report(NamedTuple):
    """What wait(2) returns of a process or traced thread: number, CLD code, status, and time on CPUs in ns.

    The time is its own and that of its children.
    """

    pid: int
    uid: int
    code: int
    status: int
    cpu_time: int = 0
    children_cpu_time: int = 0


def _event(child: Process, options: int) -> tuple[int, int] | None:
    """Return the (CLD code, wait status) of what there is to report about a child, or None."""
    if child.zombie:
        return (child.end, child.status) if options & WEXITED else None
    if any(thread.trace is not None and thread.trace.tracer is child.parent for thread in child.threads):
        return None  # the tracer's reports come instead
    if child.report_stop and options & WSTOPPED:
        return CLD_STOPPED, child.stop_signal << 8 | 0x7F
    if child.report_continue and options & WCONTINUED:
        return CLD_CONTINUED, 0xFFFF
    return None


def _of_child(child: Process, options: int) -> Report | None:
    event = _event(child, options)
    if event is None:
        return None
    if not options & WNOWAIT:
        child.report_stop = child.report_continue = False
        if event[0] not in (CLD_STOPPED, CLD_CONTINUED):
            child.reap()
    return Report(child.pid, child.identity.ruid, *event, child.dead_cpu_time, child.children_cpu_time)


def _of_traced(trace: Trace, options: int) -> Report | None:
    if trace.report is None:
        return None
    status = trace.report
    code = CLD_TRAPPED if not trace.ended else CLD_KILLED if status & 0x7F else CLD_EXITED
    if not options & WNOWAIT:
        trace.report = None
        if trace.ended:
            trace.tracer.traces.remove(trace)
    return Report(trace.tid, trace.thread.process.identity.ruid, code, status)


def wait(thread: Thread, kind: int, number: int, options: int) -> Report | None:
    """Wait for a child or traced thread with something to report; returns that, or None with WNOHANG."""
    parent = thread.process
    pid = number if kind == P_PID else 0
    group = number or parent.pgid if kind == P_PGID else 0
    while True:
        traces = [trace for trace in parent.traces if trace.matches(pid, group)]
        children = [child for child in parent.children if _matches(child, parent, kind, number, options)]
        if not traces and not any(options & WEXITED or not child.zombie for child in children):
            raise SyscallError(errno.ECHILD)
        found = next(filter(None, (_of_traced(trace, options) for trace in traces)), None) or next(
            filter(None, (_of_child(child, options) for child in children)), None)
        if found is not None or options & WNOHANG:
            return found
        thread.sleep(parent.child_event)


def wait_for(thread: Thread, pid: int, options: int) -> Report | None:
    """Wait as wait4(2) does; returns the report, or None with WNOHANG."""
    if options & ~(WNOHANG | WSTOPPED | WCONTINUED | WCLONES):
        raise SyscallError(errno.EINVAL)
    if pid == -1 << 31:  # no group has such a number
        raise SyscallError(errno.ESRCH)
    if pid > 0:
        kind, number = P_PID, pid
    else:
        kind, number = (P_ALL, 0) if pid == -1 else (P_PGID, -pid)
    return wait(thread, kind, number, options | WEXITED)


def sys_wait4(thread: Thread, pid: int, status: int, options: int, usage: int) -> int:
    found = wait_for(thread, pid, options)
    if found is None:
        return 0
    if status:
        thread.write(status, struct.pack("<i", found.status))
    if usage:
        total = found.cpu_time + found.children_cpu_time
        thread.write(usage, pack_rusage(total, 0, 0, 0, thread.process.bits))
    return found.pid


def sys_waitpid(thread: Thread, pid: int, status: int, options: int) -> int:
    return sys_wait4(thread, pid, status, options, 0)


def sys_waitid(thread: Thread, kind: int, number: int, info: int, options: int, usage: int) -> int:
    try:
        found = _waited(thread, kind, number, options)
    except SyscallError:
        _tell_nothing(thread, info)
        raise
    if found is None:
        _tell_nothing(thread, info)
    else:
        _tell(thread, found, info, usage)
    return 0


def _waited(thread: Thread, kind: int, number: int, options: int) -> Report | None:
    if options & ~(WNOHANG | WNOWAIT | WEXITED | WSTOPPED | WCONTINUED | WCLONES):
        raise SyscallError(errno.EINVAL)
    if not options & (WEXITED | WSTOPPED | WCONTINUED) or kind not in (P_ALL, P_PID, P_PGID, P_PIDFD):
        raise SyscallError(errno.EINVAL)
    if kind == P_PIDFD:
        return _wait_descriptor(thread, number, options)
    return wait(thread, kind, number, options)


def _wait_descriptor(thread: Thread, fd: int, options: int) -> Report | None:
    """Wait for the child that a pidfd means.  Raises EINVAL, EBADF, and EAGAIN if that does not wait."""
    if fd < 0:
        raise SyscallError(errno.EINVAL)
    file = get_file(thread, fd)
    if not isinstance(file, ProcessFile):
        raise SyscallError(errno.EBADF)
    waits = not (file.nonblocking or options & WNOHANG)
    found = wait(thread, P_PID, file.process.pid, options if waits else options | WNOHANG)
    if found is None and not options & WNOHANG:
        raise SyscallError(errno.EAGAIN)
    return found


def _tell_nothing(thread: Thread, info: int) -> None:
    """Write a siginfo_t that tells of no child."""
    if info:
        thread.write(info, bytes(12))
        thread.write(info + (16 if thread.process.bits == 64 else 12), bytes(12))


def _tell(thread: Thread, found: Report, info: int, usage: int) -> None:
    """Write what waitid(2) has found."""
    result, code = found.status, found.code
    values = {CLD_EXITED: result >> 8 & 0xFF, CLD_KILLED: result & 0x7F, CLD_DUMPED: result & 0x7F,
              CLD_CONTINUED: SIGCONT}
    value = values.get(code, result >> 8)
    if info:
        told = SignalInfo(SIGCHLD, code, "child", found.pid, found.uid, value, found.cpu_time)
        bits = thread.process.bits
        thread.write(info, pack_info(told, bits)[:28 if bits == 64 else 24])  # up to the status
    if usage:
        thread.write(usage, pack_rusage(found.cpu_time, 0, 0, 0, thread.process.bits))
