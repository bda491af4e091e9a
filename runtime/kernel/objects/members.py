"""What the members of the kernel's structures are: one row a member, by structure and dotted path.

A row's function takes the `Objects` (for addresses of other objects) and the object of the kernel's
own that the structure shows.  Members without a row are zero.  Encodings (t_state, p_stat, p_model,
VREG ...) are those of illumos' headers of the same names.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from typing import Any

from runtime.kernel.base.ids import PROJECT, TASK
from runtime.kernel.base.signals import SIG_IGN, bit
from runtime.kernel.objects import netmembers
from runtime.kernel.objects.objects import Kind, Member, Objects, list_length
from runtime.kernel.vfs.uio import UIO_SYSSPACE, UIO_USERSPACE, file_flags

NS, HZ = 1_000_000_000, 100
TS_SLEEP, TS_RUN, TS_ONPROC, TS_ZOMB, TS_STOPPED = 0x1, 0x2, 0x4, 0x8, 0x10
SSLEEP, SRUN, SZOMB, SSTOP, SONPROC = 1, 2, 3, 4, 6
DATAMODEL_ILP32, DATAMODEL_LP64 = 0x00100000 >> 20, 0x00200000 >> 20
BASE_PRIORITY, SYSTEM_PRIORITY = 59, 60
VTYPES = {stat.S_IFREG: 1, stat.S_IFDIR: 2, stat.S_IFBLK: 3, stat.S_IFCHR: 4, stat.S_IFLNK: 5,
          stat.S_IFIFO: 6, stat.S_IFSOCK: 9}
MOUNTS = {"/proc": "proc", "/dev": "dev", "/sys": "sysfs"}  # mount point: name of its operations
POOL, PSET, LGROUP = 0, 0, 0
SOBJ_CV = 3
AT_ALL = 0x3FFF  # every attribute is told
DISK = 8
SSYS = 0x1  # p_flag: a process of the kernel's own
LWP_USER, LWP_SYS = 0x1, 0x2
DRIVERS = {1: b"mm", 4: b"tty", 5: b"tty", DISK: b"sd", 136: b"pts"}  # of devices, by major number
CLOCK_MHZ = 1000


def ticks(nanoseconds: int) -> int:
    return nanoseconds * HZ // NS


def _thread_state(_objects: Objects, thread: Any) -> int:
    if thread.dead:
        return TS_ZOMB
    if thread.process.stopped:
        return TS_STOPPED
    if thread.context is None:  # the kernel's own: the consumer's, or an idle thread
        return TS_ONPROC
    if not thread.running:
        return TS_SLEEP
    return TS_ONPROC if thread.cpu is not None and thread.cpu.current is thread else TS_RUN


def _process_state(objects: Objects, process: Any) -> int:
    if process.zombie:
        return SZOMB
    states = {_thread_state(objects, thread) for thread in process.threads}
    for state, known in ((TS_ONPROC, SONPROC), (TS_RUN, SRUN), (TS_STOPPED, SSTOP)):
        if state in states:
            return known
    return SSLEEP


def _sleep_queue(thread: Any) -> Any:
    return thread.queues[0] if thread.queues and not thread.running else None


def _cpu_of(objects: Objects, thread: Any) -> int:
    return objects.address(Kind.CPU, thread.cpu or objects.kernel.scheduler.cpu)


def _bound_cpu(_objects: Objects, thread: Any) -> int:
    mask = thread.affinity
    return mask.bit_length() - 1 if mask and not mask & mask - 1 and thread.kernel.ncpus > 1 else -1


def _priority(_objects: Objects, thread: Any) -> int:
    if thread.context is None:  # the kernel's own
        return SYSTEM_PRIORITY if thread.tid else -1
    return max(0, min(BASE_PRIORITY, BASE_PRIORITY - thread.process.nice))


def _sibling(kind: Kind, step: int) -> Member:
    def member(objects: Objects, thread: Any) -> int:
        threads = thread.process.threads
        if thread not in threads:
            return objects.address(kind, thread)
        return objects.address(kind, threads[(threads.index(thread) + step) % len(threads)])

    return member


def _all_threads(objects: Objects, thread: Any, step: int) -> int:
    threads = list(objects.kernel.threads.values())
    if thread not in threads:
        return objects.address(Kind.THREAD, thread)
    return objects.address(Kind.THREAD, threads[(threads.index(thread) + step) % len(threads)])


def _signals(mask: int) -> bytes:
    """A k_sigset_t: bit n - 1 for signal n, as in the kernel's own masks."""
    return (mask & (1 << 64) - 1).to_bytes(8, "little")


THREAD: dict[str, Member] = {
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

LWP: dict[str, Member] = {
    "lwp_procp": lambda objects, thread: objects.address(Kind.PROCESS, thread.process),
    "lwp_thread": lambda objects, thread: objects.address(Kind.THREAD, thread),
    "lwp_state": lambda objects, thread: LWP_USER if thread.in_user else LWP_SYS,
    "lwp_error": lambda objects, thread: thread.errno,
    "lwp_ru_nvcsw": lambda objects, thread: thread.voluntary,
    "lwp_ru_nivcsw": lambda objects, thread: thread.involuntary,
}


def _neighbour(step: int) -> Member:
    def member(objects: Objects, process: Any) -> int:
        everyone = [*objects.kernel.system.values(), *objects.kernel.processes.values()]
        if process not in everyone:
            return 0
        at = everyone.index(process) + step
        return objects.address(Kind.PROCESS, everyone[at]) if 0 <= at < len(everyone) else 0

    return member


def _next_sibling(objects: Objects, process: Any) -> int:
    family = process.parent.children if process.parent else []
    at = family.index(process) + 1 if process in family else len(family)
    return objects.address(Kind.PROCESS, family[at]) if at < len(family) else 0


def _space(name: str) -> Member:
    return lambda objects, process: getattr(process.space, name, 0) if process.space else 0


def _stack(process: Any) -> tuple[int, int]:
    """Where the stack of a program's first thread begins and ends."""
    areas = process.space.areas if process.space else ()
    return next(((area.start, area.end) for area in areas if area.growsdown), (0, 0))


PROCESS: dict[str, Member] = {
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
    "p_flag": lambda objects, process: 0 if process.space else SSYS,
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
    "p_zone": lambda objects, process: objects.address(Kind.ZONE, zone_of(objects, process)),
    "p_mstart": lambda objects, process: process.start_time,
    "p_model": lambda objects, process: DATAMODEL_LP64 if process.bits == 64 else DATAMODEL_ILP32,
    "p_user.u_comm": lambda objects, process: process.execname[:16],
    "p_user.u_psargs": lambda objects, process: process.psargs,
    "p_user.u_argc": lambda objects, process: len(process.arguments),
    "p_user.u_argv": lambda objects, process: _on_stack(process, 1),
    "p_user.u_envp": lambda objects, process: _on_stack(process, len(process.arguments) + 2),
    "p_user.u_start.tv_sec": lambda objects, process: _started(objects, process) // NS,
    "p_user.u_start.tv_nsec": lambda objects, process: _started(objects, process) % NS,
    "p_user.u_ticks": lambda objects, process: ticks(process.start_time),
    "p_user.u_cdir": lambda objects, process: objects.address(
        Kind.VNODE, process.fs.cwd if process.fs else None),
    "p_user.u_rdir": lambda objects, process: 0,
    "p_user.u_cmask": lambda objects, process: process.fs.umask if process.fs else 0,
    "p_user.u_finfo.fi_nfiles": lambda objects, process: 0 if process.files is None else list_length(process),
    "p_user.u_finfo.fi_list": lambda objects, process: objects.address(Kind.FILES, process)
    if process.files is not None else 0,
}


def _on_stack(process: Any, words: int) -> int:
    """An address `words` words into what its program was given on the stack."""
    return process.initial_stack and process.initial_stack + process.bits // 8 * words


def _started(objects: Objects, process: Any) -> int:
    return objects.kernel.walltime_offset + process.start_time


def _number(objects: Objects, pid: int) -> Any:
    """What stands for a process number that may outlive its process: one object per number."""
    return objects.unique("pid", pid)


def zone_of(objects: Objects, process: Any) -> Any:
    return objects.unique(process.zone, process.zonename)


def _open_file(_objects: Objects, entry: Any) -> Any:
    process, number = entry
    return process.files.find(number)


def _mount_of(vnode: Any) -> str:
    path = vnode.path
    return next((top for top in MOUNTS if path == top or path.startswith(top + "/")), "/")


def _operations(vnode: Any) -> str:
    if vnode.kind == stat.S_IFIFO:
        return "fifofs"
    if vnode.kind == stat.S_IFSOCK:
        return "sockfs"
    return MOUNTS.get(_mount_of(vnode), "ufs")


def one_named(objects: Objects, table: str, name: str) -> Any:
    """One object for each file system type or mount point."""
    return objects.unique(table, name)


def _next_mount(objects: Objects, mount: str) -> Any:
    """The file system after the one at `mount` on the kernel's list; None after the last."""
    mounts = ["/", *MOUNTS]
    at = mounts.index(mount) + 1
    return one_named(objects, "vfs", mounts[at]) if at < len(mounts) else None


def _covered(objects: Objects, mount: str) -> Any:
    """The directory that a file system is mounted on; None for the root."""
    return None if mount == "/" else objects.kernel.vfs.root.lookup(os.fsencode(mount[1:]))


def _open_flags(_objects: Objects, file: Any) -> int:
    """FREAD, FWRITE and O_ flags as illumos keeps them in f_flag."""
    return file_flags(file.flags)


def _groups(_objects: Objects, process: Any) -> bytes:
    return b"".join(group.to_bytes(4, "little") for group in process.identity.groups[:16])


def _terminal_device(_objects: Objects, process: Any) -> int:
    node = getattr(process.terminal, "node", None)
    return 0 if node is None else int(node.attributes.rdev)


def _identity(name: str) -> Member:
    return lambda objects, process: getattr(process.identity, name)


def _attribute(name: str) -> Member:
    return lambda objects, attributes: getattr(attributes, name)


def _times(name: str) -> dict[str, Member]:
    return {f"va_{name}.tv_sec": lambda objects, attributes: getattr(attributes, name) // NS,
            f"va_{name}.tv_nsec": lambda objects, attributes: getattr(attributes, name) % NS}


MEMBERS: Mapping[str, Mapping[str, Member]] = {
    **netmembers.MEMBERS,
    "kthread_t": THREAD,
    "klwp_t": LWP,
    "proc_t": PROCESS,
    "struct pid": {"pid_id": lambda objects, number: number[1], "pid_ref": lambda objects, number: 1},
    "cred_t": {
        "cr_ref": lambda objects, process: 1,
        "cr_uid": _identity("euid"), "cr_gid": _identity("egid"),
        "cr_ruid": _identity("ruid"), "cr_rgid": _identity("rgid"),
        "cr_suid": _identity("suid"), "cr_sgid": _identity("sgid"),
        "cr_ngroups": lambda objects, process: min(16, len(process.identity.groups)),
        "cr_groups": _groups,
        "cr_zone": lambda objects, process: objects.address(Kind.ZONE, zone_of(objects, process)),
    },
    "sess_t": {
        "s_vp": lambda objects, process: objects.address(Kind.VNODE, getattr(process.terminal, "node", None)),
        "s_dev": _terminal_device,
        "s_sidp": lambda objects, process: objects.address(Kind.PID, _number(objects, process.sid)),
    },
    "as_t": {
        "a_size": lambda objects, space: sum(area.end - area.start for area in space.areas),
        "a_resvsize": lambda objects, space: sum(area.end - area.start for area in space.areas),
        "a_userlimit": lambda objects, space: space.limit,
        "a_nsegs": lambda objects, space: len(space.areas),
    },
    "uf_entry_t": {
        "uf_file": lambda objects, entry: objects.address(Kind.FILE, _open_file(objects, entry)),
        "uf_refcnt": lambda objects, entry: 0,
    },
    "file_t": {
        "f_flag": _open_flags,
        "f_vnode": lambda objects, file: objects.address(Kind.VNODE, file.vnode),
        "f_offset": lambda objects, file: file.offset,
        "f_count": lambda objects, file: file.references,
        "f_cred": lambda objects, file: objects.address(Kind.CRED, objects.kernel.current.process),
    },
    "vnode_t": {
        "v_count": lambda objects, vnode: 1,
        "v_type": lambda objects, vnode: VTYPES.get(vnode.kind, 0),
        "v_rdev": lambda objects, vnode: vnode.attributes.rdev,
        "v_ino": lambda objects, vnode: vnode.attributes.ino,
        "v_size": lambda objects, vnode: vnode.size,
        "v_vfsp": lambda objects, vnode: objects.address(
            Kind.VFS, one_named(objects, "vfs", _mount_of(vnode))),
        "v_op": lambda objects, vnode: objects.address(
            Kind.VNODEOPS, one_named(objects, "ops", _operations(vnode))),
        "v_path": lambda objects, vnode: objects.text(os.fsencode(vnode.path)) if vnode.path else 0,
    },
    "vfs_t": {
        "vfs_next": lambda objects, vfs: objects.address(Kind.VFS, _next_mount(objects, vfs[1])),
        "vfs_vnodecovered": lambda objects, vfs: objects.address(Kind.VNODE, _covered(objects, vfs[1])),
        "vfs_mntpt": lambda objects, vfs: objects.text(os.fsencode(vfs[1])),
        "vfs_resource": lambda objects, vfs: objects.text(MOUNTS.get(vfs[1], "/").encode()),
        "vfs_bsize": lambda objects, vfs: 4096,
    },
    "vnodeops_t": {"vnop_name": lambda objects, operations: objects.text(os.fsencode(operations[1]))},
    "zone_t": {
        "zone_id": lambda objects, zone: zone[0],
        "zone_ref": lambda objects, zone: 1,
        "zone_ntasks": lambda objects, zone: 1,
        "zone_rootvp": lambda objects, zone: objects.address(Kind.VNODE, objects.kernel.vfs.root),
        "zone_name": lambda objects, zone: objects.text(zone[1]),
        "zone_rootpath": lambda objects, zone: objects.text(b"/"),
        "zone_nodename": lambda objects, zone: objects.text(objects.kernel.hostname),
    },
    "task_t": {
        "tk_tkid": lambda objects, kernel: TASK,
        "tk_hold_count": lambda objects, kernel: len(kernel.processes),
        "tk_zone": lambda objects, kernel: objects.address(Kind.ZONE, zone_of(objects, kernel.init)),
        "tk_proj": lambda objects, kernel: objects.address(Kind.PROJECT, kernel),
    },
    "kproject_t": {"kpj_id": lambda objects, kernel: PROJECT, "kpj_count": lambda objects, kernel: 1},
    "pool_t": {"pool_id": lambda objects, kernel: POOL, "pool_ref": lambda objects, kernel: 1},
    "cpu_t": {
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
    },
    "cpupart_t": {"cp_id": lambda objects, kernel: PSET, "cp_ncpus": lambda objects, kernel: kernel.ncpus},
    "lpl_t": {"lpl_lgrpid": lambda objects, kernel: LGROUP},
    "disp_t": {
        "disp_npri": lambda objects, cpu: 160,
        "disp_maxrunpri": lambda objects, cpu: BASE_PRIORITY if cpu.queue else -1,
        "disp_nrunnable": lambda objects, cpu: len(cpu.queue),
        "disp_cpu": lambda objects, cpu: objects.address(Kind.CPU, cpu),
    },
    "cpu_physid_t": {
        "cpu_chipid": lambda objects, cpu: 0,
        "cpu_coreid": lambda objects, cpu: cpu.number,
    },
    "buf_t": {
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
    },
    "dev_info_t": {  # the disk (the kernel stands for it) and the root of the device tree
        "devi_node_name": lambda objects, node: objects.text(
            DRIVERS[DISK] if node is objects.kernel else b"rootnex"),
        "devi_addr": lambda objects, node: objects.text(b"0,0") if node is objects.kernel else 0,
        "devi_major": lambda objects, node: DISK if node is objects.kernel else 0,
        "devi_parent": lambda objects, node: objects.address(
            Kind.DEVINFO, objects.unique("root of devices") if node is objects.kernel else None),
    },
    "k_siginfo_t": {
        "si_signo": lambda objects, info: info.signal,
        "si_code": lambda objects, info: info.code,
        "si_pid": lambda objects, info: info.pid,
        "si_uid": lambda objects, info: info.uid,
        "si_status": lambda objects, info: info.status,
        "si_addr": lambda objects, info: info.address,
    },
    "sobj_ops_t": {"sobj_type": lambda objects, queue: SOBJ_CV},
    "uio_t": {
        "uio_iov": lambda objects, uio: objects.address(Kind.IOVEC, uio) if uio.segments else 0,
        "uio_iovcnt": lambda objects, uio: len(uio.segments),
        "_uio_offset._f": lambda objects, uio: uio.offset,
        "uio_segflg": lambda objects, uio: UIO_USERSPACE if uio.segments else UIO_SYSSPACE,
        "uio_fmode": lambda objects, uio: file_flags(uio.flags),
        "uio_resid": lambda objects, uio: uio.resid,
    },
    "iovec_t": {"iov_base": lambda objects, segment: segment[0],
                "iov_len": lambda objects, segment: segment[1]},
    "vattr_t": {
        "va_mask": lambda objects, attributes: AT_ALL,
        "va_type": lambda objects, attributes: VTYPES.get(stat.S_IFMT(attributes.mode), 0),
        "va_mode": lambda objects, attributes: stat.S_IMODE(attributes.mode),
        "va_uid": _attribute("uid"), "va_gid": _attribute("gid"), "va_fsid": _attribute("dev"),
        "va_nodeid": _attribute("ino"), "va_nlink": _attribute("nlink"), "va_size": _attribute("size"),
        "va_rdev": _attribute("rdev"), "va_blksize": _attribute("blksize"),
        "va_nblocks": _attribute("blocks"), **_times("atime"), **_times("mtime"), **_times("ctime"),
    },
    "struct pathname": {
        "pn_buf": lambda objects, path: objects.text(path),
        "pn_path": lambda objects, path: objects.text(path),
        "pn_pathlen": lambda objects, path: len(path),
    },
    "struct cell": {"c_pointer": lambda objects, vnode: objects.address(Kind.VNODE, vnode)},
    "struct devnames": {"dn_name": lambda objects, major: objects.text(DRIVERS.get(major, b""))},
}


def _next_cpu(objects: Objects, cpu: Any) -> Any:
    cpus = objects.kernel.scheduler.cpus
    return cpus[(cpu.number + 1) % len(cpus)]


def _disk(buffer: Any) -> int:
    """illumos' 64-bit encoding of the disk's device number: major above, minor below 32 bits."""
    return buffer.device >> 8 << 32 | buffer.device & 0xFF
