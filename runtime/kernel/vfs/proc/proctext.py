"""The texts of the files in /proc that programs read; proc(5) describes them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import groupby

from runtime.kernel.base.capabilities import capabilities_of
from runtime.kernel.base.clock import SECOND, TICK
from runtime.kernel.base.kernelfunctions import KFUNCTIONS
from runtime.kernel.base.privileges import DTRACE_KERNEL
from runtime.kernel.base.release import RELEASE, VERSION
from runtime.kernel.memory.physical import PAGE
from runtime.kernel.vfs.proc.mappings import maps, rollup, smaps

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from runtime.kernel.vfs.proc.subjects import ShownMachine, ShownProcess

_STATES = {"R": "running", "S": "sleeping", "T": "stopped", "t": "tracing stop", "Z": "zombie"}


# -- the machine

def cpuinfo(kernel: ShownMachine) -> bytes:
    """The processors as the architecture of the program that looks has them."""
    return kernel.current.process.processor.description(kernel.ncpus).encode()


def meminfo(kernel: ShownMachine) -> bytes:
    total, free = (amount >> 10 for amount in memory_sizes(kernel))
    values = {"MemTotal": total, "MemFree": free, "MemAvailable": free, "Buffers": 0, "Cached": 0,
              "SwapCached": 0, "Active": total - free, "Inactive": 0, "SwapTotal": 0, "SwapFree": 0}
    return "".join(f"{name + ':':<16}{value:>8} kB\n" for name, value in values.items()).encode()


def memory_sizes(kernel: ShownMachine) -> tuple[int, int]:
    """Return the bytes of memory in all, and those that are free."""
    return kernel.memory.size, kernel.memory.free_frames * PAGE


def _known(kernel: ShownMachine) -> dict[int, ShownProcess]:
    """The programs' processes that the process that looks knows of, by number."""
    looks = kernel.current.process
    return {pid: process for pid, process in kernel.processes.items() if looks.knows(process)}


def machine_stat(kernel: ShownMachine) -> bytes:
    known = _known(kernel)
    used = sum(process.cpu_time for process in known.values()) // TICK
    total = kernel.hrtime() // TICK * kernel.ncpus
    text = f"cpu  {used} 0 0 {max(0, total - used)} 0 0 0 0 0 0\n"
    for number in range(kernel.ncpus):
        share = used // kernel.ncpus
        text += f"cpu{number} {share} 0 0 {max(0, total // kernel.ncpus - share)} 0 0 0 0 0 0\n"
    text += (f"intr 0\nctxt 0\nbtime {(kernel.walltime() - kernel.hrtime()) // SECOND}\n"
             f"processes {max(known, default=0)}\nprocs_running 1\nprocs_blocked 0\n")
    return text.encode()


def vmstat(kernel: ShownMachine) -> bytes:
    """Free pages, and the KiB that were read from and written to the disk."""
    values = {"nr_free_pages": kernel.memory.free_frames, "pgpgin": kernel.page_ins * PAGE >> 10,
              "pgpgout": 0, "pswpin": 0, "pswpout": 0}
    return "".join(f"{name} {value}\n" for name, value in values.items()).encode()


def uptime(kernel: ShownMachine) -> bytes:
    seconds = kernel.hrtime() / 1e9
    return f"{seconds:.2f} {seconds * kernel.ncpus:.2f}\n".encode()


def loadavg(kernel: ShownMachine) -> bytes:
    known = _known(kernel)
    return b"0.00 0.00 0.00 1/%d %d\n" % (len(known), max(known, default=0))


def mounts(_: object) -> bytes:
    return (b"/dev/vda / ext4 rw,relatime 0 0\nproc /proc proc rw,nosuid,nodev,noexec,relatime 0 0\n"
            b"devtmpfs /dev devtmpfs rw,nosuid,relatime 0 0\n"
            b"sysfs /sys sysfs ro,nosuid,nodev,noexec,relatime 0 0\n")


def version(_: object) -> bytes:
    return b"Linux version " + RELEASE + b" (emulated)\n"


def kallsyms(kernel: ShownMachine) -> bytes:
    """The kernel's functions; their addresses are 0 for whom the kernel is not to be seen."""
    seen = kernel.current.process.identity.has(DTRACE_KERNEL)
    rows = sorted(KFUNCTIONS.values(), key=lambda each: each.address)
    return "".join(f"{each.address * seen:016x} T {each.name}\t[{each.module}]\n" for each in rows).encode()


MACHINE: dict[bytes, Callable[[ShownMachine], bytes]] = {
    b"cpuinfo": cpuinfo, b"meminfo": meminfo, b"stat": machine_stat, b"uptime": uptime, b"vmstat": vmstat,
    b"loadavg": loadavg, b"kallsyms": kallsyms, b"version": version,
    b"cmdline": lambda _: b"\n", b"modules": lambda _: b"",
    b"filesystems": lambda _: b"nodev\tproc\nnodev\tsysfs\nnodev\tdevtmpfs\n\text4\n",
    b"swaps": lambda _: b"Filename\tType\tSize\tUsed\tPriority\n",
    b"devices": lambda _: b"Character devices:\n  1 mem\n  5 /dev/tty\n\nBlock devices:\n  8 sd\n",
}

def nodename(kernel: ShownMachine) -> bytes:
    return kernel.current.process.zone.nodename + b"\n"


def domainname(kernel: ShownMachine) -> bytes:
    return kernel.current.process.zone.domainname + b"\n"


Settings = Mapping[bytes, "bytes | Callable[[ShownMachine], bytes] | Settings"]
SETTINGS: dict[bytes, Settings] = {
    b"kernel": {b"osrelease": RELEASE + b"\n", b"ostype": b"Linux\n", b"hostname": nodename,
                b"domainname": domainname, b"tainted": b"0\n",
                b"pid_max": b"4194304\n", b"ngroups_max": b"65536\n", b"cap_last_cap": b"40\n",
                b"threads-max": b"8192\n", b"randomize_va_space": b"0\n", b"core_pattern": b"core\n",
                b"version": VERSION + b"\n", b"shmmax": b"18446744073692774399\n",
                b"shmall": b"18446744073692774399\n",
                b"shmmni": b"4096\n", b"sem": b"32000\t1024000000\t500\t32000\n", b"msgmax": b"8192\n",
                b"msgmnb": b"16384\n", b"msgmni": b"32000\n"},
    b"vm": {b"overcommit_memory": b"0\n", b"max_map_count": b"65530\n", b"mmap_min_addr": b"65536\n",
            b"swappiness": b"60\n"},
    b"fs": {b"file-max": b"1048576\n", b"nr_open": b"1048576\n", b"pipe-max-size": b"1048576\n",
            b"mqueue": {b"msg_max": b"10\n", b"msg_default": b"10\n", b"msgsize_max": b"8192\n",
                        b"msgsize_default": b"8192\n", b"queues_max": b"256\n"},
            b"inotify": {b"max_queued_events": b"16384\n", b"max_user_instances": b"128\n",
                         b"max_user_watches": b"65536\n"}},
}


# -- a process

def _state(process: ShownProcess) -> str:
    if process.zombie:
        return "Z"
    if any(thread.trace is not None and thread.trace.stopped for thread in process.threads):
        return "t"
    if process.stopped:
        return "T"
    return "R" if any(thread.running for thread in process.threads) else "S"


def _sizes(process: ShownProcess) -> tuple[int, int]:
    """Return the bytes that a process has mapped, and how many of its pages are in memory."""
    space = process.space
    if space is None:
        return 0, 0
    return space.size, space.resident_pages()


def _locked(process: ShownProcess) -> int:
    """Return the bytes that a process has locked in memory."""
    return process.space.locked if process.space is not None else 0


def cmdline(process: ShownProcess) -> bytes:
    return b"".join(argument + b"\0" for argument in process.arguments) if not process.exiting else b""


def environ(process: ShownProcess) -> bytes:
    return b"".join(text + b"\0" for text in process.environment)


def stat(process: ShownProcess) -> bytes:
    size, resident = _sizes(process)
    ticks, children = process.cpu_time // TICK, process.children_cpu_time // TICK
    fields = [_state(process), process.shown_ppid, process.pgid, process.sid, *_terminal(process), 0x400000,
              0, 0, 0, 0, ticks, 0, children, 0, 20 + process.nice, process.nice, len(process.threads), 0,
              process.start_time // TICK, size, resident, process.limit(5)[0], *[0] * 5,
              *_shown_signals(process), *[0] * 3, 17, *[0] * 13, process.status]
    return b"%d (%s) %s\n" % (process.pid, process.execname, " ".join(map(str, fields)).encode())


def _shown_signals(process: ShownProcess) -> list[int]:
    """What waits for its first thread and is blocked, ignored and caught, of the first 31 signals."""
    bits = _signals(process)
    return [bits[name] & 0x7FFFFFFF for name in ("SigPnd", "SigBlk", "SigIgn", "SigCgt")]


def _terminal(process: ShownProcess) -> tuple[int, int]:
    """Return the device number of the terminal that controls a process, and its foreground group."""
    terminal = process.terminal
    if terminal is None or terminal.node is None:
        return 0, -1
    return terminal.node.attributes.rdev, terminal.foreground


def statm(process: ShownProcess) -> bytes:
    size, resident = _sizes(process)
    return b"%d %d 0 0 0 %d 0\n" % (size // PAGE, resident, resident)


def status(process: ShownProcess) -> bytes:
    state = _state(process)
    size, resident = _sizes(process)
    identity = process.identity
    uids = (identity.ruid, identity.euid, identity.suid, identity.fsuid)
    gids = (identity.rgid, identity.egid, identity.sgid, identity.fsgid)
    lines = [
        f"Umask:\t{process.view.umask if process.view else 0:04o}", f"State:\t{state} ({_STATES[state]})",
        f"Tgid:\t{process.pid}", "Ngid:\t0", f"Pid:\t{process.pid}", f"PPid:\t{process.shown_ppid}",
        f"TracerPid:\t{_tracer(process)}",
        "Uid:\t" + "\t".join(map(str, uids)), "Gid:\t" + "\t".join(map(str, gids)), "FDSize:\t64",
        "Groups:\t" + " ".join(map(str, identity.groups)) + " ", f"VmPeak:\t{size >> 10:8} kB",
        f"VmSize:\t{size >> 10:8} kB", f"VmLck:\t{_locked(process) >> 10:8} kB",
        f"VmRSS:\t{resident * PAGE >> 10:8} kB",
        f"Threads:\t{len(process.threads)}",
        *(f"{name}:\t{bits:016x}" for name, bits in (*_signals(process).items(), *_capabilities(process))),
        f"NoNewPrivs:\t{int(identity.no_new_privileges)}", "Seccomp:\t0",
        *_processors(process.threads[0].affinity if process.threads else 0),
    ]
    return b"Name:\t" + process.execname + b"\n" + "\n".join(lines).encode() + b"\n"


def _signals(process: ShownProcess) -> dict[str, int]:
    """What waits for the first thread and for the process, and what becomes of signals: bits."""
    signals, first = process.signals, process.threads[0] if process.threads else None
    return {"SigPnd": first.pending.mask if first else 0, "ShdPnd": signals.pending.mask,
            "SigBlk": first.mask if first else 0, "SigIgn": signals.ignored, "SigCgt": signals.caught}


def _capabilities(process: ShownProcess) -> Iterator[tuple[str, int]]:
    """The capabilities that capget(2) tells; none is inherited."""
    who = process.identity
    permitted, effective = capabilities_of(who.permitted), capabilities_of(who.privileges)
    yield from (("CapInh", 0), ("CapPrm", permitted), ("CapEff", effective),
                ("CapBnd", capabilities_of(who.limit)), ("CapAmb", 0))


def _processors(allowed: int) -> Iterator[str]:
    """The processors that may run it, as a mask and as a list of ranges."""
    yield f"Cpus_allowed:\t{allowed:x}"
    numbers = [number for number in range(allowed.bit_length()) if allowed >> number & 1]
    ranges = [[number for _, number in each]
              for _, each in groupby(enumerate(numbers), lambda item: item[1] - item[0])]
    yield "Cpus_allowed_list:\t" + ",".join(
        str(each[0]) if len(each) == 1 else f"{each[0]}-{each[-1]}" for each in ranges)


def _tracer(process: ShownProcess) -> int:
    """The number of the process that traces it, as the process knows it."""
    trace = process.threads[0].trace if process.threads else None
    return trace.tracer.pid if trace is not None and process.zone.sees(trace.tracer.zone) else 0


def io(process: ShownProcess) -> bytes:
    """Return the text of /proc/PID/io.  The last three count what disks move, which is not charged here."""
    traffic = process.traffic
    counts = (("rchar", traffic.bytes_read), ("wchar", traffic.bytes_written), ("syscr", traffic.reads),
              ("syscw", traffic.writes), ("read_bytes", 0), ("write_bytes", 0), ("cancelled_write_bytes", 0))
    return "".join(f"{name}: {count}\n" for name, count in counts).encode()


def limits(process: ShownProcess) -> bytes:
    lines = [f"{'Limit':<26}{'Soft Limit':<21}{'Hard Limit':<21}Units     "]
    for number, (name, unit) in enumerate(_LIMITS):
        soft, hard = ("unlimited" if value + 1 >= 1 << 64 else str(value) for value in process.limit(number))
        lines.append(f"{name:<26}{soft:<21}{hard:<21}{unit and f'{unit:<10}'}")
    return "\n".join(lines).encode() + b"\n"


_LIMITS = (("Max cpu time", "seconds"), ("Max file size", "bytes"), ("Max data size", "bytes"),
           ("Max stack size", "bytes"), ("Max core file size", "bytes"), ("Max resident set", "bytes"),
           ("Max processes", "processes"), ("Max open files", "files"), ("Max locked memory", "bytes"),
           ("Max address space", "bytes"), ("Max file locks", "locks"), ("Max pending signals", "signals"),
           ("Max msgqueue size", "bytes"), ("Max nice priority", ""), ("Max realtime priority", ""),
           ("Max realtime timeout", "us"))

PRIVATE = (b"environ", b"auxv", b"io")  # for the owner only
GUARDED = (*PRIVATE, b"maps", b"smaps", b"smaps_rollup")  # for those who may trace the process

PROCESS: dict[bytes, Callable[[ShownProcess], bytes]] = {
    b"cmdline": cmdline, b"environ": environ, b"maps": maps, b"stat": stat, b"statm": statm,
    b"smaps": smaps, b"smaps_rollup": rollup, b"status": status, b"limits": limits, b"io": io,
    b"mounts": mounts, b"auxv": lambda process: process.auxv, b"oom_score_adj": lambda _: b"0\n",
    b"cgroup": lambda _: b"0::/\n", b"loginuid": lambda _: b"4294967295",
    b"mountinfo": lambda _: b"1 0 0:48 / / rw,relatime - ext4 /dev/vda rw\n",
    b"wchan": lambda _: b"0", b"sessionid": lambda _: b"4294967295",
}
