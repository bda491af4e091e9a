"""The values of the members of the kernel's structures: one row for each, by structure and path.

A row is a function that takes the `Objects` (for addresses of other objects) and the object that the
structure shows, and returns a number or bytes.  Members without a row are zero.  Connections show sockets, a
message block shows a packet; their ports and addresses are in network byte order.  Encodings (of t_state,
p_stat, p_model, v_type ...) are those of illumos' headers.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from dif.records import NamedTuple
from runtime.kernel.base.clock import SECOND, TICK
from runtime.kernel.base.ids import PROJECT, TASK
from runtime.kernel.base.privileges import WORDS
from runtime.kernel.base.signals import SIG_IGN, bit
from runtime.kernel.base.words import MASK64
from runtime.kernel.memory.physical import PAGE
from runtime.kernel.memory.placement import Kind
from runtime.kernel.net.address import narrow, wide
from runtime.kernel.net.loopback import INTERFACE, MSS, TCP, UDP, Packet
from runtime.kernel.vfs.filesystem import UFS
from runtime.kernel.vfs.uio import UIO_SYSSPACE, UIO_USERSPACE, Uio, file_flags

if TYPE_CHECKING:
    from runtime.kernel.base.signals import SignalInfo
    from runtime.kernel.base.wait import WaitQueue
    from runtime.kernel.memory.addrspace import AddressSpace
    from runtime.kernel.memory.allocator import Cache
    from runtime.kernel.net.socket import Socket
    from runtime.kernel.objects.contents import Member, Objects, Value
    from runtime.kernel.process.process import Process
    from runtime.kernel.process.scheduler import Cpu
    from runtime.kernel.process.system import System
    from runtime.kernel.process.thread import Thread
    from runtime.kernel.process.zones import Zone
    from runtime.kernel.vfs.disk.block import Buffer
    from runtime.kernel.vfs.vnode import Attributes, Directory, File, Vnode

    T = TypeVar("T")
    Members = dict[str, Callable[[Objects, T], Value]]  # of the structure that shows a T

TS_SLEEP, TS_RUN, TS_ONPROC, TS_ZOMB, TS_STOPPED = 0x1, 0x2, 0x4, 0x8, 0x10
SSLEEP, SRUN, SZOMB, SSTOP, SONPROC = 1, 2, 3, 4, 6
DATAMODEL_ILP32, DATAMODEL_LP64 = 0x00100000 >> 20, 0x00200000 >> 20
BASE_PRIORITY, SYSTEM_PRIORITY = 59, 60
VTYPES = {stat.S_IFREG: 1, stat.S_IFDIR: 2, stat.S_IFBLK: 3, stat.S_IFCHR: 4, stat.S_IFLNK: 5,
          stat.S_IFIFO: 6, stat.S_IFSOCK: 9}
POOL, PSET, LGROUP = 0, 0, 0
SOBJ_CV = 3
AT_ALL = 0x3FFF  # all attributes have values
DISK = 8
SSYS, SNOCD = 0x1, 0x10000000  # p_flag: a process of the kernel's own; see Identity.protected
LWP_USER, LWP_SYS = 0x1, 0x2
DRIVERS = {1: b"mm", 4: b"tty", 5: b"tty", DISK: b"sd", 136: b"pts"}  # of devices, by major number
CLOCK_MHZ = 1000
MTU = 65535


class PidNumber(NamedTuple):
    """A process's number, which may outlive it."""

    pid: int


class Operations(NamedTuple):
    """The operations of a type of file system, which share its name."""

    name: str


class DeviceRoot(NamedTuple):
    """The root of the device tree."""

    name: str


def ticks(nanoseconds: int) -> int:
    return nanoseconds // TICK


def _thread_state(_objects: Objects, thread: Thread) -> int:
    if thread.dead:
        return TS_ZOMB
    if thread.process.stopped:
        return TS_STOPPED
    if thread.context is None:  # the kernel's own: the consumer's, or an idle thread
        return TS_ONPROC
    if not thread.running:
        return TS_SLEEP
    return TS_ONPROC if thread.cpu is not None and thread.cpu.current is thread else TS_RUN


def _process_state(objects: Objects, process: Process) -> int:
    if process.zombie:
        return SZOMB
    states = {_thread_state(objects, thread) for thread in process.threads}
    for state, known in ((TS_ONPROC, SONPROC), (TS_RUN, SRUN), (TS_STOPPED, SSTOP)):
        if state in states:
            return known
    return SSLEEP


def _sleep_queue(thread: Thread) -> WaitQueue | None:
    return thread.queues[0] if thread.queues and not thread.running else None


def _cpu_of(objects: Objects, thread: Thread) -> int:
    return objects.address(Kind.CPU, thread.cpu or objects.kernel.scheduler.cpu)


def _bound_cpu(_objects: Objects, thread: Thread) -> int:
    mask = thread.affinity
    return mask.bit_length() - 1 if mask and not mask & mask - 1 and thread.kernel.ncpus > 1 else -1


def _priority(_objects: Objects, thread: Thread) -> int:
    if thread.context is None:  # the kernel's own
        return SYSTEM_PRIORITY if thread.tid else -1
    return max(0, min(BASE_PRIORITY, BASE_PRIORITY - thread.process.nice))


def _sibling(kind: Kind, step: int) -> Member:
    def member(objects: Objects, thread: Thread) -> int:
        threads = thread.process.threads
        if thread not in threads:
            return objects.address(kind, thread)
        return objects.address(kind, threads[(threads.index(thread) + step) % len(threads)])

    return member


def _all_threads(objects: Objects, thread: Thread, step: int) -> int:
    threads = list(objects.kernel.threads.values())
    if thread not in threads:
        return objects.address(Kind.THREAD, thread)
    return objects.address(Kind.THREAD, threads[(threads.index(thread) + step) % len(threads)])


def _signals(mask: int) -> bytes:
    """Return a k_sigset_t: bit n - 1 for signal n, as in the kernel's own masks."""
    return (mask & MASK64).to_bytes(8, "little")


THREAD: Members[Thread] = {
    "t_state": _thread_state,
    "t_pri": _priority,
    "t_epri": lambda objects, thread: 0,
    "t_cpu": _cpu_of,
    "t_bind_cpu": _bound_cpu,
    "t_bind_pset": lambda objects, thread: -1,
    "t_bound_cpu": lambda objects, thread: 0,
    "t_cpupart": lambda objects, thread: objects.address(Kind.CPUPART, objects.kernel),
    "t_tid": lambda objects, thread: thread.tid,
    "t_did": lambda objects, thread: thread.tid,
    "t_lwpchan.lc_wchan": lambda objects, thread: 0 if _sleep_queue(thread) is None else
    objects.address(Kind.SOBJ, _sleep_queue(thread)),
    "t_sobj_ops": lambda objects, thread: objects.address(Kind.SOBJ, _sleep_queue(thread)),
    "t_lwp": lambda objects, thread: objects.address(Kind.LWP, thread),
    "t_procp": lambda objects, thread: objects.address(Kind.PROCESS, thread.process),
    "t_forw": _sibling(Kind.THREAD, 1),
    "t_back": _sibling(Kind.THREAD, -1),
    "t_next": lambda objects, thread: _all_threads(objects, thread, 1),
    "t_prev": lambda objects, thread: _all_threads(objects, thread, -1),
    "t_cred": lambda objects, thread: objects.address(Kind.CRED, thread.process),
    "t_sysnum": lambda objects, thread: max(thread.syscall, 0),
    "t_sig.__sigbits": lambda objects, thread: _signals(thread.pending.mask),
    "t_dtrace_vtime": lambda objects, thread: thread.cpu_time,
    "t_hold.__sigbits": lambda objects, thread: _signals(thread.mask),
    "t_name": lambda objects, thread: objects.text(thread.name),
}

LWP: Members[Thread] = {
    "lwp_procp": lambda objects, thread: objects.address(Kind.PROCESS, thread.process),
    "lwp_thread": lambda objects, thread: objects.address(Kind.THREAD, thread),
    "lwp_state": lambda objects, thread: LWP_USER if thread.in_user else LWP_SYS,
    "lwp_error": lambda objects, thread: thread.errno,
    "lwp_ru_nvcsw": lambda objects, thread: thread.voluntary,
    "lwp_ru_nivcsw": lambda objects, thread: thread.involuntary,
}


def _neighbour(step: int) -> Member:
    def member(objects: Objects, process: Process) -> int:
        everyone = [*objects.kernel.system.values(), *objects.kernel.processes.values()]
        if process not in everyone:
            return 0
        at = everyone.index(process) + step
        return objects.address(Kind.PROCESS, everyone[at]) if 0 <= at < len(everyone) else 0

    return member


def _next_sibling(objects: Objects, process: Process) -> int:
    family = process.parent.children if process.parent else []
    at = family.index(process) + 1 if process in family else len(family)
    return objects.address(Kind.PROCESS, family[at]) if at < len(family) else 0


def _space(name: str) -> Member:
    return lambda objects, process: getattr(process.space, name, 0) if process.space else 0


def _stack(process: Process) -> tuple[int, int]:
    """Return where the stack of a program's first thread begins and ends."""
    areas = process.space.areas if process.space else ()
    return next(((area.start, area.end) for area in areas if area.growsdown), (0, 0))


PROCESS: Members[Process] = {
    "p_exec": lambda objects, process: objects.address(Kind.VNODE, process.exec_vnode),
    "p_as": lambda objects, process: objects.address(Kind.AS, process.space),
    "p_cred": lambda objects, process: objects.address(Kind.CRED, process),
    "p_stat": _process_state,
    "p_wdata": lambda objects, process: process.status,
    "p_ppid": lambda objects, process: process.ppid,
    "p_parent": lambda objects, process: objects.address(Kind.PROCESS, process.parent),
    "p_child": lambda objects, process: objects.address(
        Kind.PROCESS, process.children[0] if process.children else None),
    "p_sibling": _next_sibling,
    "p_next": _neighbour(1),
    "p_prev": _neighbour(-1),
    "p_pidp": lambda objects, process: objects.address(Kind.PID, _number(objects, process.pid)),
    "p_pgidp": lambda objects, process: objects.address(Kind.PID, _number(objects, process.pgid)),
    "p_sessp": lambda objects, process: objects.address(Kind.SESSION, process),
    "p_utime": lambda objects, process: ticks(process.cpu_time),
    "p_cutime": lambda objects, process: ticks(process.children_cpu_time),
    "p_brkbase": _space("brk_start"),
    "p_brksize": lambda objects, process: process.space.brk - process.space.brk_start if process.space else 0,
    "p_flag": lambda objects, process: (0 if process.space else SSYS) | SNOCD * process.identity.protected,
    "p_sig.__sigbits": lambda objects, process: _signals(process.signals.pending.mask),
    "p_ignore.__sigbits": lambda objects, process: _signals(sum(
        bit(signal) for signal in range(1, 65) if process.signals.action(signal).handler == SIG_IGN)),
    "p_usrstack": lambda objects, process: _stack(process)[1],
    "p_stksize": lambda objects, process: _stack(process)[1] - _stack(process)[0],
    "p_lwpcnt": lambda objects, process: len(process.threads),
    "p_lwprcnt": lambda objects, process: sum(thread.running for thread in process.threads),
    "p_zombcnt": lambda objects, process: 0,
    "p_tlist": lambda objects, process: objects.address(
        Kind.THREAD, process.threads[0] if process.threads else None),
    "p_task": lambda objects, process: objects.address(Kind.TASK, objects.kernel),
    "p_pool": lambda objects, process: objects.address(Kind.POOL, objects.kernel),
    "p_zone": lambda objects, process: objects.address(Kind.ZONE, process.zone),
    "p_mstart": lambda objects, process: process.start_time,
    "p_model": lambda objects, process: DATAMODEL_LP64 if process.bits == 64 else DATAMODEL_ILP32,
    "p_user.u_comm": lambda objects, process: process.execname[:16],
    "p_user.u_psargs": lambda objects, process: process.psargs,
    "p_user.u_argc": lambda objects, process: len(process.arguments),
    "p_user.u_argv": lambda objects, process: _on_stack(process, 1),
    "p_user.u_envp": lambda objects, process: _on_stack(process, len(process.arguments) + 2),
    "p_user.u_start.tv_sec": lambda objects, process: _started(objects, process) // SECOND,
    "p_user.u_start.tv_nsec": lambda objects, process: _started(objects, process) % SECOND,
    "p_user.u_ticks": lambda objects, process: ticks(process.start_time),
    "p_user.u_cdir": lambda objects, process: objects.address(
        Kind.VNODE, process.view.cwd if process.view else None),
    "p_user.u_rdir": lambda objects, process: 0,
    "p_user.u_cmask": lambda objects, process: process.view.umask if process.view else 0,
    "p_user.u_finfo.fi_nfiles": lambda objects, process: process.file_table.length
    if process.file_table is not None else 0,
    "p_user.u_finfo.fi_list": lambda objects, process: objects.address(Kind.FILES, process)
    if process.file_table is not None else 0,
}


def _on_stack(process: Process, words: int) -> int:
    """Return the address `words` words into what its program found on the stack."""
    return process.initial_stack and process.initial_stack + process.bits // 8 * words


def _started(objects: Objects, process: Process) -> int:
    return objects.kernel.walltime_offset + process.start_time


def _number(objects: Objects, pid: int) -> PidNumber:
    """Return the object that stands for a process number, also when the process has gone."""
    return objects.unique(PidNumber(pid))


def _open_file(_objects: Objects, entry: tuple[Process, int]) -> File | None:
    process, number = entry
    return process.files.find(number)


def _mount_of(objects: Objects, vnode: Vnode) -> Directory:
    """Return the root of the file system that a vnode lies in; for one without a path, the machine's."""
    return vnode.mount_root() or objects.kernel.vfs.root


def _operations(objects: Objects, vnode: Vnode) -> str:
    if vnode.kind == stat.S_IFIFO:
        return "fifofs"
    if vnode.kind == stat.S_IFSOCK:
        return "sockfs"
    return _mount_of(objects, vnode).file_system


def _next_mount(objects: Objects, root: Directory) -> Directory | None:
    """Return the file system after the one with this root on the kernel's list; None after the last."""
    mounts = [*objects.kernel.vfs.mounts, None]
    return mounts[mounts.index(root) + 1]


def _open_flags(_objects: Objects, file: File) -> int:
    """Return FREAD, FWRITE and the other flags that illumos keeps in f_flag."""
    return file_flags(file.flags)


def _groups(_objects: Objects, process: Process) -> bytes:
    return b"".join(group.to_bytes(4, "little") for group in process.identity.groups[:16])


def _privileges(_objects: Objects, process: Process) -> bytes:
    """Return the sets of a cred_priv_t: effective, inheritable, permitted, limit."""
    identity = process.identity
    return b"".join(map(_priv_set, (identity.privileges, identity.inheritable, identity.permitted,
                                    identity.limit)))


def _priv_set(privileges: int) -> bytes:
    return privileges.to_bytes(4 * WORDS, "little")


def _terminal_device(_objects: Objects, process: Process) -> int:
    node = getattr(process.terminal, "node", None)
    return 0 if node is None else int(node.attributes.rdev)


def _identity(name: str) -> Member:
    return lambda objects, process: getattr(process.identity, name)


def _attribute(name: str) -> Member:
    return lambda objects, attributes: getattr(attributes, name)


def _times(name: str) -> dict[str, Member]:
    return {f"va_{name}.tv_sec": lambda objects, attributes: getattr(attributes, name) // SECOND,
            f"va_{name}.tv_nsec": lambda objects, attributes: getattr(attributes, name) % SECOND}


# -- the network -----------------------------------------------------------------------------------

def _host(name: str) -> Member:
    def member(_objects: Objects, socket: Socket) -> bytes:
        address = getattr(socket, name)
        return wide(address.host) if address is not None else bytes(16)

    return member


def _port(name: str) -> Member:
    def member(_objects: Objects, socket: Socket) -> bytes:
        address = getattr(socket, name)
        return (address.port if address is not None else 0).to_bytes(2, "big")

    return member


def _version(_objects: Objects, socket: Socket) -> int:
    return 4 if socket.local is None or narrow(socket.local.host) is not None else 6


def _next(socket: Socket | None) -> int:
    return socket.initial + socket.sent if socket is not None else 0


NUMBER: Members[PidNumber] = {
    "pid_id": lambda objects, number: number.pid,
    "pid_ref": lambda objects, number: 1,
}

CRED: Members[Process] = {
    "cr_ref": lambda objects, process: 1,
    "cr_uid": _identity("euid"), "cr_gid": _identity("egid"),
    "cr_ruid": _identity("ruid"), "cr_rgid": _identity("rgid"),
    "cr_suid": _identity("suid"), "cr_sgid": _identity("sgid"),
    "cr_ngroups": lambda objects, process: min(16, len(process.identity.groups)),
    "cr_groups": _groups,
    "cr_priv.crprivs": _privileges,
    "cr_zone": lambda objects, process: objects.address(Kind.ZONE, process.zone),
}

SESSION: Members[Process] = {
    "s_vp": lambda objects, process: objects.address(Kind.VNODE, getattr(process.terminal, "node", None)),
    "s_dev": _terminal_device,
    "s_sidp": lambda objects, process: objects.address(Kind.PID, _number(objects, process.sid)),
}

SPACE: Members[AddressSpace] = {
    "a_size": lambda objects, space: space.size,
    "a_resvsize": lambda objects, space: space.size,
    "a_userlimit": lambda objects, space: space.limit,
    "a_nsegs": lambda objects, space: len(space.areas),
}

DESCRIPTOR: Members[tuple[Process, int]] = {
    "uf_file": lambda objects, entry: objects.address(Kind.FILE, _open_file(objects, entry)),
    "uf_refcnt": lambda objects, entry: 0,
}

FILE: Members[File] = {
    "f_flag": _open_flags,
    "f_vnode": lambda objects, file: objects.address(Kind.VNODE, file.vnode),
    "f_offset": lambda objects, file: file.offset,
    "f_count": lambda objects, file: file.references,
    "f_cred": lambda objects, file: objects.address(Kind.CRED, objects.kernel.current.process),
}

VNODE: Members[Vnode] = {
    "v_count": lambda objects, vnode: 1,
    "v_type": lambda objects, vnode: VTYPES.get(vnode.kind, 0),
    "v_rdev": lambda objects, vnode: vnode.attributes.rdev,
    "v_ino": lambda objects, vnode: vnode.attributes.ino,
    "v_size": lambda objects, vnode: vnode.size,
    "v_vfsp": lambda objects, vnode: objects.address(
        Kind.VFS, _mount_of(objects, vnode)),
    "v_op": lambda objects, vnode: objects.address(
        Kind.VNODEOPS, objects.unique(Operations(_operations(objects, vnode)))),
    "v_path": lambda objects, vnode: objects.text(os.fsencode(vnode.path)) if vnode.path else 0,
}

MOUNT: Members[Directory] = {
    "vfs_next": lambda objects, root: objects.address(Kind.VFS, _next_mount(objects, root)),
    "vfs_vnodecovered": lambda objects, root: objects.address(Kind.VNODE, objects.kernel.vfs.mounts[root]),
    "vfs_mntpt": lambda objects, root: objects.text(root.full_path()),
    "vfs_resource": lambda objects, root: objects.text(
        b"/" if root.file_system == UFS else root.file_system.encode()),
    "vfs_bsize": lambda objects, vfs: PAGE,
}

OPERATIONS: Members[Operations] = {
    "vnop_name": lambda objects, operations: objects.text(os.fsencode(operations.name)),
}

ZONE: Members[Zone] = {
    "zone_id": lambda objects, zone: zone.id,
    "zone_ref": lambda objects, zone: 1,
    "zone_ntasks": lambda objects, zone: 1,
    "zone_rootvp": lambda objects, zone: objects.address(Kind.VNODE, zone.root),
    "zone_name": lambda objects, zone: objects.text(zone.name),
    "zone_rootpath": lambda objects, zone: objects.text(zone.path),
    "zone_nodename": lambda objects, zone: objects.text(zone.nodename),
    "zone_privset": lambda objects, zone: objects.address(Kind.PRIVILEGES, zone),
    "zone_next": lambda objects, zone: objects.address(Kind.ZONE, zone.next),
}

LIMIT: Members[Zone] = {
    "pbits": lambda objects, zone: _priv_set(zone.limit),
}

TASK_OF_ALL: Members[System] = {
    "tk_tkid": lambda objects, kernel: TASK,
    "tk_hold_count": lambda objects, kernel: len(kernel.processes),
    "tk_zone": lambda objects, kernel: objects.address(Kind.ZONE, kernel.zones.global_zone),
    "tk_proj": lambda objects, kernel: objects.address(Kind.PROJECT, kernel),
}

PROJECT_OF_ALL: Members[System] = {
    "kpj_id": lambda objects, kernel: PROJECT,
    "kpj_count": lambda objects, kernel: 1,
}

POOL_OF_ALL: Members[System] = {
    "pool_id": lambda objects, kernel: POOL,
    "pool_ref": lambda objects, kernel: 1,
}

CPU: Members[Cpu] = {
    "cpu_id": lambda objects, cpu: cpu.number,
    "cpu_flags": lambda objects, cpu: 0x6B,  # running, ready, existing, enabled, online
    "cpu_thread": lambda objects, cpu: objects.address(
        Kind.THREAD, cpu.current or objects.kernel.idle[cpu.number]),
    "cpu_dispthread": lambda objects, cpu: objects.address(
        Kind.THREAD, cpu.current or objects.kernel.idle[cpu.number]),
    "cpu_idle_thread": lambda objects, cpu: objects.address(Kind.THREAD, objects.kernel.idle[cpu.number]),
    "cpu_lwp": lambda objects, cpu: objects.address(Kind.LWP, cpu.current),
    "cpu_next": lambda objects, cpu: objects.address(Kind.CPU, _next_cpu(objects, cpu)),
    "cpu_next_onln": lambda objects, cpu: objects.address(Kind.CPU, _next_cpu(objects, cpu)),
    "cpu_dispatch_pri": lambda objects, cpu: _priority(
        objects, cpu.current or objects.kernel.idle[cpu.number]),
    "cpu_part": lambda objects, cpu: objects.address(Kind.CPUPART, objects.kernel),
    "cpu_lpl": lambda objects, cpu: objects.address(Kind.LGROUP, objects.kernel),
    "cpu_disp": lambda objects, cpu: objects.address(Kind.DISP, cpu),
    "cpu_physid": lambda objects, cpu: objects.address(Kind.PHYSID, cpu),
    "cpu_type_info.pi_state": lambda objects, cpu: 2,  # P_ONLINE
    "cpu_type_info.pi_processor_type": lambda objects, cpu: b"i386",
    "cpu_type_info.pi_fputypes": lambda objects, cpu: b"i387 compatible",
    "cpu_type_info.pi_clock": lambda objects, cpu: CLOCK_MHZ,
}

PARTITION: Members[System] = {
    "cp_id": lambda objects, kernel: PSET,
    "cp_ncpus": lambda objects, kernel: kernel.ncpus,
}

LATENCY_GROUP: Members[System] = {"lpl_lgrpid": lambda objects, kernel: LGROUP}

DISPATCHER: Members[Cpu] = {
    "disp_npri": lambda objects, cpu: 160,
    "disp_maxrunpri": lambda objects, cpu: BASE_PRIORITY if cpu.queue else -1,
    "disp_nrunnable": lambda objects, cpu: len(cpu.queue),
    "disp_cpu": lambda objects, cpu: objects.address(Kind.CPU, cpu),
}

PHYSICAL_CPU: Members[Cpu] = {
    "cpu_chipid": lambda objects, cpu: 0,
    "cpu_coreid": lambda objects, cpu: cpu.number,
}

BUFFER: Members[Buffer] = {
    "b_flags": lambda objects, buffer: buffer.flags,
    "b_dev": lambda objects, buffer: _disk(buffer),
    "b_edev": lambda objects, buffer: _disk(buffer),
    "b_bcount": lambda objects, buffer: buffer.count,
    "b_bufsize": lambda objects, buffer: buffer.count,
    "b_lblkno": lambda objects, buffer: buffer.block,
    "b_resid": lambda objects, buffer: buffer.resid,
    "b_error": lambda objects, buffer: buffer.error,
    "b_offset": lambda objects, buffer: buffer.offset,
    "b_vp": lambda objects, buffer: objects.address(Kind.VNODE, buffer.vnode),
    "b_file": lambda objects, buffer: objects.address(Kind.VNODE, buffer.vnode),
    "b_dip": lambda objects, buffer: objects.address(Kind.DEVINFO, objects.kernel),
    "b_proc": lambda objects, buffer: objects.address(Kind.PROCESS, objects.kernel.current.process),
}

# the disk, for which the kernel stands, and the root of the device tree
DEVICE: Members[System | DeviceRoot] = {
    "devi_node_name": lambda objects, node: objects.text(
        DRIVERS[DISK] if node is objects.kernel else b"rootnex"),
    "devi_addr": lambda objects, node: objects.text(b"0,0") if node is objects.kernel else 0,
    "devi_major": lambda objects, node: DISK if node is objects.kernel else 0,
    "devi_parent": lambda objects, node: objects.address(
        Kind.DEVINFO, objects.unique(DeviceRoot("rootnex")) if node is objects.kernel else None),
}

SIGNAL: Members[SignalInfo] = {
    "si_signo": lambda objects, info: info.signal,
    "si_code": lambda objects, info: info.code,
    "si_pid": lambda objects, info: info.pid,
    "si_uid": lambda objects, info: info.uid,
    "si_status": lambda objects, info: info.status,
    "si_addr": lambda objects, info: info.address,
}

SLEEP_QUEUE: Members[WaitQueue] = {"sobj_type": lambda objects, queue: SOBJ_CV}

TRANSFER: Members[Uio] = {
    "uio_iov": lambda objects, uio: objects.address(Kind.IOVEC, uio) if uio.segments else 0,
    "uio_iovcnt": lambda objects, uio: len(uio.segments),
    "_uio_offset._f": lambda objects, uio: uio.offset,
    "uio_segflg": lambda objects, uio: UIO_USERSPACE if uio.segments else UIO_SYSSPACE,
    "uio_fmode": lambda objects, uio: file_flags(uio.flags),
    "uio_resid": lambda objects, uio: uio.resid,
}

SEGMENT: Members[tuple[int, int]] = {
    "iov_base": lambda objects, segment: segment[0],
    "iov_len": lambda objects, segment: segment[1],
}

ATTRIBUTES: Members[Attributes] = {
    "va_mask": lambda objects, attributes: AT_ALL,
    "va_type": lambda objects, attributes: VTYPES.get(stat.S_IFMT(attributes.mode), 0),
    "va_mode": lambda objects, attributes: stat.S_IMODE(attributes.mode),
    "va_uid": _attribute("uid"), "va_gid": _attribute("gid"), "va_fsid": _attribute("dev"),
    "va_nodeid": _attribute("ino"), "va_nlink": _attribute("nlink"), "va_size": _attribute("size"),
    "va_rdev": _attribute("rdev"), "va_blksize": _attribute("blksize"),
    "va_nblocks": _attribute("blocks"), **_times("atime"), **_times("mtime"), **_times("ctime"),
}

PATHNAME: Members[bytes] = {
    "pn_buf": lambda objects, path: objects.text(path),
    "pn_path": lambda objects, path: objects.text(path),
    "pn_pathlen": lambda objects, path: len(path),
}

CELL: Members[Vnode] = {"c_pointer": lambda objects, vnode: objects.address(Kind.VNODE, vnode)}

DRIVER: Members[int] = {"dn_name": lambda objects, major: objects.text(DRIVERS.get(major, b""))}

MESSAGE: Members[Packet] = {
    "b_rptr": lambda objects, packet: objects.address(Kind.PACKET, packet),
    "b_wptr": lambda objects, packet: objects.address(Kind.PACKET, packet) + packet.length,
}

CONNECTION: Members[Socket] = {
    "conn_cpid": lambda objects, socket: socket.owner.pid,
    "conn_zoneid": lambda objects, socket: socket.network.zone,
    "conn_ipversion": _version,
    "conn_proto": lambda objects, socket: TCP if socket.tcp else UDP,
    "connua_v6addr.connua_laddr._S6_un._S6_u8": _host("local"),
    "connua_v6addr.connua_faddr._S6_un._S6_u8": _host("remote"),
    "u_port.connu_ports.connu_lport": _port("local"),
    "u_port.connu_ports.connu_fport": _port("remote"),
}

TCP_CONNECTION: Members[Socket] = {
    "tcp_connp": lambda objects, socket: objects.address(Kind.CONN, socket),
    "tcp_state": lambda objects, socket: socket.state,
    "tcp_active_open": lambda objects, socket: int(socket.active),
    "tcp_iss": lambda objects, socket: socket.initial,
    "tcp_suna": lambda objects, socket: _next(socket),  # the loopback delivers at once
    "tcp_snxt": lambda objects, socket: _next(socket),
    "tcp_rack": lambda objects, socket: _next(socket.peer),
    "tcp_rnxt": lambda objects, socket: _next(socket.peer),
    "tcp_swnd": lambda objects, socket: socket.peer.buffer - socket.peer.pending if socket.peer else 0,
    "tcp_rwnd": lambda objects, socket: socket.buffer - socket.pending,
    "tcp_mss": lambda objects, socket: MSS,
}

UDP_CONNECTION: Members[Socket] = {"udp_connp": lambda objects, socket: objects.address(Kind.CONN, socket)}

LOOPBACK: Members[System] = {
    "ill_name": lambda objects, kernel: objects.text(INTERFACE),
    "ill_mtu": lambda objects, kernel: MTU,
}

CACHE: Members[Cache] = {
    "cache_name": lambda objects, cache: cache.name,
    "cache_bufsize": lambda objects, cache: objects.layout(cache.kind.structure).size,
}

MEMBERS: Mapping[str, Mapping[str, Member]] = {
    "kthread_t": THREAD,
    "klwp_t": LWP,
    "proc_t": PROCESS,
    "struct pid": NUMBER,
    "cred_t": CRED,
    "sess_t": SESSION,
    "as_t": SPACE,
    "uf_entry_t": DESCRIPTOR,
    "file_t": FILE,
    "vnode_t": VNODE,
    "vfs_t": MOUNT,
    "vnodeops_t": OPERATIONS,
    "zone_t": ZONE,
    "priv_set_t": LIMIT,
    "task_t": TASK_OF_ALL,
    "kproject_t": PROJECT_OF_ALL,
    "pool_t": POOL_OF_ALL,
    "cpu_t": CPU,
    "cpupart_t": PARTITION,
    "lpl_t": LATENCY_GROUP,
    "disp_t": DISPATCHER,
    "cpu_physid_t": PHYSICAL_CPU,
    "buf_t": BUFFER,
    "dev_info_t": DEVICE,
    "k_siginfo_t": SIGNAL,
    "sobj_ops_t": SLEEP_QUEUE,
    "uio_t": TRANSFER,
    "iovec_t": SEGMENT,
    "vattr_t": ATTRIBUTES,
    "struct pathname": PATHNAME,
    "struct cell": CELL,
    "struct devnames": DRIVER,
    "mblk_t": MESSAGE,
    "conn_t": CONNECTION,
    "tcp_t": TCP_CONNECTION,
    "udp_t": UDP_CONNECTION,
    "ill_t": LOOPBACK,
    "kmem_cache_t": CACHE,
}


def _next_cpu(objects: Objects, cpu: Cpu) -> Cpu:
    cpus = objects.kernel.scheduler.cpus
    return cpus[(cpu.number + 1) % len(cpus)]


def _disk(buffer: Buffer) -> int:
    """Return the disk's device number as illumos has it: major above, minor below 32 bits."""
    return buffer.device >> 8 << 32 | buffer.device & 0xFF


# Kinds whose slots hold arrays: the number of elements, and the object that the nth of them shows.
ARRAYS: Mapping[Kind, tuple[Callable[[Any], int], Callable[[Any, int], object]]] = {
    Kind.FILES: (lambda process: process.file_table.length if process.file_table is not None else 0,
                 lambda process, number: (process, number)),
    Kind.IOVEC: (lambda uio: len(uio.segments), lambda uio, number: uio.segments[number]),
    Kind.DEVNAMES: (lambda drivers: max(drivers) + 1, lambda _drivers, major: major),
}

# Kinds that show bytes, not a structure.
IMAGES: Mapping[Kind, Callable[[Any], bytes]] = {Kind.PACKET: Packet.image}
