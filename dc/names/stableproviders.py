"""The stable providers' arguments, as the manual's chapters on them give them.

The providers of a kernel publish these through /dev/dtrace; the compiler uses this
table when no kernel runs.  A row for each args[n]: its native type, the type
that D translates it to, and the number of the native argument.
"""

from __future__ import annotations

from dc.names.builtins import EVOLVING, PRIVATE, STABLE, attributes
from dc.names.catalog import Argument, ProviderAttributes

_LWP = Argument("kthread_t *", "lwpsinfo_t *", 0)
_PROCESS = Argument("kthread_t *", "psinfo_t *", 0)
_THREAD = (_LWP, _PROCESS)
_QUEUE = Argument("disp_t *", "cpuinfo_t *", 1)
_SIGNAL = Argument("int", "", 1)
_SIGINFO = Argument("k_siginfo_t *", "siginfo_t *", 1)
_NUMBER = Argument("int", "", 0)
_BUFFER = tuple(Argument("buf_t *", type_, 0) for type_ in ("bufinfo_t *", "devinfo_t *", "fileinfo_t *"))

_PACKET = (Argument("mblk_t *", "pktinfo_t *", 0), Argument("conn_t *", "csinfo_t *", 1),
           Argument("void_ip_t *", "ipinfo_t *", 2))
_TCP = Argument("tcp_t *", "tcpsinfo_t *", 3)
_COUNTER = (Argument("int", "", 0), Argument("uint64_t *", "", 1), Argument("cpu_t *", "", 2))

EVERY = "*"  # stands for every probe of a provider that has no row of its own
ARGUMENTS: dict[str, dict[str, tuple[Argument, ...]]] = {
    "fsinfo": {EVERY: (Argument("vnode_t *", "fileinfo_t *", 0), Argument("int", "", 1))},
    "io": {"start": _BUFFER, "done": _BUFFER, "wait-start": _BUFFER, "wait-done": _BUFFER},
    "ip": {EVERY: (*_PACKET, Argument("ill_t *", "ifinfo_t *", 3), Argument("ipha_t *", "ipv4info_t *", 4),
                   Argument("ip6_t *", "ipv6info_t *", 5))},
    "proc": {
        "create": (Argument("proc_t *", "psinfo_t *", 0),),
        "exec": (Argument("char *", "string", 0),),
        "exec-failure": (_NUMBER,),
        "exec-success": (),
        "exit": (_NUMBER,),
        "fault": (_NUMBER, _SIGINFO),
        "lwp-create": _THREAD,
        "lwp-exit": (),
        "lwp-start": (),
        "signal-clear": (_NUMBER, _SIGINFO),
        "signal-discard": (*_THREAD, _SIGNAL),
        "signal-handle": (_NUMBER, _SIGINFO, Argument("void *", "", 2)),
        "signal-send": (*_THREAD, _SIGNAL),
        "start": (),
    },
    "sched": {
        "change-pri": (*_THREAD, Argument("pri_t", "", 1)),
        "dequeue": (*_THREAD, _QUEUE),
        "enqueue": (*_THREAD, _QUEUE, Argument("int", "", 2)),
        "off-cpu": _THREAD,
        "on-cpu": (),
        "preempt": (),
        "remain-cpu": (),
        "sleep": (),
        "surrender": _THREAD,
        "tick": _THREAD,
        "wakeup": _THREAD,
    },
    "mib": {EVERY: (Argument("int", "", 0),)},
    "sysinfo": {EVERY: _COUNTER},
    "tcp": {
        EVERY: (*_PACKET, _TCP, Argument("tcph_t *", "tcpinfo_t *", 4)),
        "state-change": (Argument("uintptr_t", "", 0), _PACKET[1], Argument("uintptr_t", "", 2), _TCP,
                         Argument("uintptr_t", "", 4), Argument("int64_t", "tcplsinfo_t *", 5)),
    },
    "udp": {EVERY: (*_PACKET, Argument("udp_t *", "udpsinfo_t *", 3),
                    Argument("udpha_t *", "udpinfo_t *", 4))},
    "vminfo": {EVERY: _COUNTER},
}


def arguments(provider: str, name: str) -> tuple[Argument, ...] | None:
    """The args[] of a probe; None for one that is not known."""
    rows = ARGUMENTS.get(provider, {})
    return rows.get(name, rows.get(EVERY))


_ISA, _PRIVATE_ISA = attributes("Evolving", "Evolving", "ISA"), attributes("Private", "Private", "ISA")
_PROFILED = attributes("Unstable", "Unstable", "Unknown")
ATTRIBUTES: dict[str, ProviderAttributes] = {
    **dict.fromkeys(("io", "ip", "mib", "proc", "sched", "tcp", "udp"), (_ISA, PRIVATE, PRIVATE, _ISA, _ISA)),
    **dict.fromkeys(("sysinfo", "vminfo"), (_ISA, PRIVATE, PRIVATE, _ISA, _PRIVATE_ISA)),
    "fsinfo": (_ISA, PRIVATE, PRIVATE, PRIVATE, _ISA),
    "syscall": (EVOLVING, PRIVATE, _PRIVATE_ISA, EVOLVING, _PRIVATE_ISA),
    "profile": (EVOLVING, _PROFILED, PRIVATE, EVOLVING, EVOLVING),
    "dtrace": (STABLE, PRIVATE, PRIVATE, STABLE, STABLE),
}
