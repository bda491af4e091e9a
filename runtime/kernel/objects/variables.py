"""The values of the kernel's variables: one row for each.

A row is a function that takes the `Objects` and the kernel, and returns a number or bytes.  Variables
without a row are zero.  Names and units are illumos' (sizes of memory are in pages).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from runtime.kernel.base.clock import HZ, SECOND, TICK
from runtime.kernel.base.release import RELEASE
from runtime.kernel.memory.kmem import DEVICE_BASE, DEVICES
from runtime.kernel.memory.physical import PAGE, PAGE_SHIFT
from runtime.kernel.memory.placement import Kind
from runtime.kernel.objects.members import DRIVERS, ticks
from runtime.kernel.process.daemons import FSFLUSH_PID, Flush, FsFlush

if TYPE_CHECKING:
    from runtime.kernel.objects.contents import Objects, Value
    from runtime.kernel.process.system import System

SYSTEM = b"Linux"  # the system whose system calls programs use
MIN_SWAPFS = 512  # pages that memory reservations leave free at least


def _root(objects: Objects, kernel: System) -> int:
    return objects.address(Kind.VNODE, kernel.vfs.root)


def _load_average(_objects: Objects, kernel: System) -> Value:
    """Return the number of runnable threads as avenrun has it: fixed-point, with 8 bits of fraction."""
    running = sum(thread.running for thread in kernel.threads.values())
    return (running << 8).to_bytes(4, "little") * 3


def _reserved(_objects: Objects, kernel: System) -> int:
    """Return the pages that processes may change for themselves: swap would have to back these."""
    spaces = {id(process.space): process.space for process in kernel.processes.values() if process.space}
    return sum(area.end - area.start for space in spaces.values() for area in space.areas
               if area.writable and not area.shared) >> PAGE_SHIFT


def _anoninfo(objects: Objects, kernel: System) -> bytes:
    """Return the struct k_anoninfo of a machine without swap devices: all is reserved in memory."""
    return b"".join(number.to_bytes(8, "little") for number in (0, 0, 0, _reserved(objects, kernel), 0))


def _flushes(kernel: System) -> tuple[Flush, Flush, int]:
    """Return what fsflush has done in all, and in its last cycle, and the number of cycles."""
    thread = kernel.threads.get(FSFLUSH_PID)
    if not isinstance(thread, FsFlush):
        return Flush(), Flush(), 0
    return thread.total, thread.recent, thread.cycles


def _flushed(done: Flush) -> bytes:
    """Return an fsf_stat_t: examined pages count as scanned too, and written ones as locked."""
    return b"".join(number.to_bytes(8, "little") for number in (
        done.examined, done.examined, done.written, done.written, 0, done.time, 0))


def _swapper(objects: Objects, kernel: System) -> int:
    return objects.address(Kind.PROCESS, kernel.system[0])


VARIABLES: Mapping[str, Callable[[Objects, System], Value]] = {
    "practive": lambda objects, kernel: objects.address(
        Kind.PROCESS, next(iter(kernel.processes.values()), kernel.init)),
    "kernproc": _swapper,
    "proc_init": lambda objects, kernel: objects.address(Kind.PROCESS, kernel.init),
    "global_zone": lambda objects, kernel: objects.address(Kind.ZONE, kernel.zones.global_zone),
    "rootdir": _root,
    "rootvp": _root,
    "cpu_list": lambda objects, kernel: objects.address(Kind.CPU, kernel.scheduler.cpus[0]),
    "cpu": lambda objects, kernel: b"".join(
        objects.address(Kind.CPU, each).to_bytes(8, "little") for each in kernel.scheduler.cpus),
    "kcred": lambda objects, kernel: objects.address(Kind.CRED, kernel.system[0]),
    "ncpus": lambda objects, kernel: kernel.ncpus,
    "ncpus_online": lambda objects, kernel: kernel.ncpus,
    "max_ncpus": lambda objects, kernel: kernel.ncpus,
    "real_ncpus": lambda objects, kernel: kernel.ncpus,
    "max_cpuid": lambda objects, kernel: kernel.ncpus - 1,
    "nr_cpu_ids": lambda objects, kernel: kernel.ncpus,
    "hz": lambda objects, kernel: HZ,
    "nsec_per_tick": lambda objects, kernel: TICK,
    "maxusers": lambda objects, kernel: 2048,
    "max_nprocs": lambda objects, kernel: 30000,
    "nproc": lambda objects, kernel: len(kernel.processes) + len(kernel.system),
    "maxpid": lambda objects, kernel: 30000,
    "physmem": lambda objects, kernel: kernel.memory.size >> PAGE_SHIFT,
    "physmem_mib": lambda objects, kernel: kernel.memory.size >> 20,
    "freemem": lambda objects, kernel: kernel.memory.free_frames,
    "physinstalled": lambda objects, kernel: kernel.memory.size >> PAGE_SHIFT,
    "total_pages": lambda objects, kernel: kernel.memory.size >> PAGE_SHIFT,
    "availrmem": lambda objects, kernel: kernel.memory.size >> PAGE_SHIFT,  # nothing is locked
    "availrmem_initial": lambda objects, kernel: kernel.memory.size >> PAGE_SHIFT,
    "swapfs_minfree": lambda objects, kernel: max(MIN_SWAPFS, kernel.memory.size >> PAGE_SHIFT + 3),
    "swapfs_reserve": lambda objects, kernel: MIN_SWAPFS,
    "k_anoninfo": _anoninfo,
    "fsf_total": lambda objects, kernel: _flushed(_flushes(kernel)[0]),
    "fsf_recent": lambda objects, kernel: _flushed(_flushes(kernel)[1]),
    "fsf_cycles": lambda objects, kernel: _flushes(kernel)[2],
    "nthread": lambda objects, kernel: len(kernel.threads) + len(kernel.idle),
    "devnamesp": lambda objects, kernel: objects.address(Kind.DEVNAMES, DRIVERS),
    "max_pfn": lambda objects, kernel: kernel.memory.size >> PAGE_SHIFT,
    "physmax": lambda objects, kernel: (kernel.memory.size >> PAGE_SHIFT) - 1,
    "avenrun": _load_average,
    "hp_avenrun": _load_average,
    "rootvfs": lambda objects, kernel: objects.address(Kind.VFS, kernel.vfs.root),
    "mpid": lambda objects, kernel: max(kernel.processes, default=1),
    "lbolt": lambda objects, kernel: ticks(kernel.hrtime()),
    "lbolt64": lambda objects, kernel: ticks(kernel.hrtime()),
    "boot_time": lambda objects, kernel: kernel.walltime_offset // SECOND,
    "hrestime": lambda objects, kernel: b"".join(
        part.to_bytes(8, "little") for part in divmod(kernel.walltime(), SECOND)),
    "apicadr": lambda objects, kernel: DEVICE_BASE + DEVICES["apic"][0],
    "hpet_base": lambda objects, kernel: DEVICE_BASE + DEVICES["hpet"][0],
    "hw_serial": lambda objects, kernel: b"0",
    "panicstr": lambda objects, kernel: objects.text(kernel.panicked.encode()) if kernel.panicked else 0,
    "utsname": lambda objects, kernel: b"".join(text.ljust(65, b"\0") for text in (
        SYSTEM, kernel.zones.global_zone.nodename, RELEASE, b"#1", b"x86_64")),
    "ostype": lambda objects, kernel: SYSTEM,
    "architecture": lambda objects, kernel: b"i386",
    "platform": lambda objects, kernel: b"i86pc",
    "pagesize": lambda objects, kernel: PAGE,
    "_pagesize": lambda objects, kernel: PAGE,
    "kernelbase": lambda objects, kernel: 0xFFFFFE0000000000,
    "_kernelbase": lambda objects, kernel: 0xFFFFFE0000000000,
    "_userlimit": lambda objects, kernel: 0x7FFFFFFFF000,
}

# Variables that are objects: the address of the object.
ALIASES: Mapping[str, Callable[[Objects], int]] = {
    "p0": lambda objects: objects.address(Kind.PROCESS, objects.kernel.system[0]),
    "t0": lambda objects: objects.address(Kind.THREAD, objects.kernel.idle[0]),
    "zone0": lambda objects: objects.address(Kind.ZONE, objects.kernel.zones.global_zone),
}
