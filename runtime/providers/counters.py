"""The sysinfo, vminfo and mib providers: every step of the kernel's counters of activity.

arg0 is the increment, arg1 the address of the counter as it was before, arg2 the CPU's cpu_t (the
manual's chapters on sysinfo, vminfo and mib; of mib's probes only arg0 is documented).
"""

from __future__ import annotations

from collections import Counter

from dc.names.stableproviders import ARGUMENTS, ATTRIBUTES, EVERY
from dif.arithmetic import MASK
from runtime.framework.probes.registry import Provider
from runtime.kernel.memory.placement import Kind
from runtime.kernel.net.loopback import TCP, UDP
from runtime.providers import hooked
from runtime.providers.hooked import Point

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from collections.abc import Callable

    from runtime.kernel.kernel import Kernel
    from runtime.kernel.memory.kmem import Region
    from runtime.kernel.net.loopback import Packet

    # name, hook, function, and how much one telling of the hook counts
    Row = tuple[str, str, str, Callable[..., int]]


UNIX = frozenset(("idle_enter", "syscall_trap", "swtch", "preempt", "trap", "xc_common"))  # in this module


def _one(*_what: object) -> int:
    return 1


def _call(*names: str) -> Callable[..., int]:
    return lambda thread, name, values: int(name in names)


def _moved(*names: str) -> Callable[..., int]:
    return lambda thread, name, result: result if name in names and result > 0 else 0


def _counted(wanted: str) -> Callable[..., int]:
    return lambda thread, name, increment: increment if name == wanted else 0


def _pages(*, reading: bool) -> Callable[..., int]:
    return lambda thread, buffer: buffer.pages if buffer.is_read == reading else 0


SYSINFO: tuple[Row, ...] = (
    ("syscall", "syscall_entry", "syscall_trap", _one),
    ("sysread", "syscall_entry", "read", _call("read", "pread64", "readv", "preadv", "preadv2")),
    ("syswrite", "syscall_entry", "write", _call("write", "pwrite64", "writev", "pwritev", "pwritev2")),
    ("readch", "syscall_return", "read", _moved("read", "pread64", "readv", "preadv", "preadv2")),
    ("writech", "syscall_return", "write", _moved("write", "pwrite64", "writev", "pwritev", "pwritev2")),
    ("sysfork", "create", "cfork", lambda thread, new: int(new.space is not thread.process.space)),
    ("sysvfork", "create", "cfork", lambda thread, new: int(new.space is thread.process.space)),
    ("sysexec", "exec", "exec_common", _one),
    ("nthreads", "lwp_create", "lwp_create", _one),
    ("pswitch", "on_cpu", "swtch", _one),
    ("inv_swtch", "preempt", "preempt", _one),
    ("bread", "io_start", "bdev_strategy", lambda thread, buffer: int(buffer.is_read)),
    ("bwrite", "io_start", "bdev_strategy", lambda thread, buffer: int(not buffer.is_read)),
    ("idlethread", "off_cpu", "idle_enter", lambda thread, following: int(following is None)),
    ("trap", "fault", "trap", _one),
    ("xcalls", "sysinfo", "xc_common", _counted("xcalls")),
    ("namei", "syscall_entry", "lookuppnvp", _call("open", "openat", "stat", "lstat", "newfstatat", "access",
                                                   "faccessat", "faccessat2", "execve", "readlink")),
)
VMINFO: tuple[Row, ...] = (
    ("zfod", "vminfo", "anon_zero", _counted("zfod")),
    ("cow_fault", "vminfo", "anon_private", _counted("cow_fault")),
    ("maj_fault", "vminfo", "pageio_setup", _counted("maj_fault")),
    ("as_fault", "vminfo", "as_fault", _counted("as_fault")),
    ("prot_fault", "vminfo", "as_fault", _counted("prot_fault")),
    ("pgin", "io_start", "pageio_setup", lambda thread, buffer: int(buffer.is_read)),
    ("pgpgin", "io_start", "pageio_setup", _pages(reading=True)),
    ("pgout", "io_start", "pageio_setup", lambda thread, buffer: int(not buffer.is_read)),
    ("pgpgout", "io_start", "pageio_setup", _pages(reading=False)),
    ("fspgin", "io_start", "pageio_setup", _pages(reading=True)),
    ("fspgout", "io_start", "pageio_setup", _pages(reading=False)),
    # What happens when memory is short: here it never is, nothing is ever paged out and found again.
    *((name, "vminfo", function, _counted(name)) for name, function in (
        ("anonfree", "page_free"), ("anonpgin", "pageio_setup"), ("anonpgout", "pageio_setup"),
        ("dfree", "page_free"), ("execfree", "page_free"), ("execpgin", "pageio_setup"),
        ("execpgout", "pageio_setup"), ("fsfree", "page_free"), ("pgfrec", "page_reclaim"),
        ("pgrec", "page_reclaim"), ("pgrrun", "schedpaging"), ("pgswapin", "swapin"),
        ("pgswapout", "swapout"), ("rev", "pageout_scanner"), ("scan", "pageout_scanner"),
        ("softlock", "as_fault"), ("swapin", "swapin"), ("swapout", "swapout"))),
)


def _segments(protocol: int) -> Callable[..., int]:
    return lambda socket, packet: int(packet.protocol == protocol)


def _data(amount: Callable[[Packet], int]) -> Callable[..., int]:
    """Of TCP segments that carry data."""
    return lambda socket, packet: amount(packet) if packet.protocol == TCP and packet.size else 0


def _event(name: str) -> Callable[..., int]:
    return lambda socket, packet, event: int(event == name)


_SEGMENT, _BYTES = _data(lambda packet: 1), _data(lambda packet: packet.size)
MIB: tuple[Row, ...] = (
    ("tcpActiveOpens", "connection", "tcp_do_connect", _event("connect-request")),
    ("tcpPassiveOpens", "connection", "tcp_input_data", _event("accept-established")),
    ("tcpAttemptFails", "connection", "tcp_input_data", _event("connect-refused")),
    ("tcpOutRsts", "connection", "tcp_xmit_early_reset", _event("accept-refused")),
    ("tcpHCOutSegs", "packet_send", "tcp_send_data", _segments(TCP)),
    ("tcpHCInSegs", "packet_receive", "tcp_input_data", _segments(TCP)),
    ("tcpOutDataSegs", "packet_send", "tcp_send_data", _SEGMENT),
    ("tcpOutDataBytes", "packet_send", "tcp_send_data", _BYTES),
    ("tcpInDataInorderSegs", "packet_receive", "tcp_input_data", _SEGMENT),
    ("tcpInDataInorderBytes", "packet_receive", "tcp_input_data", _BYTES),
    ("udpHCOutDatagrams", "packet_send", "udp_output", _segments(UDP)),
    ("udpHCInDatagrams", "packet_receive", "udp_input",
     lambda socket, packet: int(packet.protocol == UDP and socket is not None)),
    ("udpNoPorts", "packet_receive", "udp_input",
     lambda socket, packet: int(packet.protocol == UDP and socket is None)),
    ("ipIfStatsHCOutRequests", "packet_send", "ip_output", _one),
    ("ipIfStatsHCOutTransmits", "packet_send", "ip_output", _one),
    ("ipIfStatsHCOutOctets", "packet_send", "ip_output", lambda socket, packet: packet.length),
    ("ipIfStatsHCInReceives", "packet_receive", "ip_input", _one),
    ("ipIfStatsHCInDelivers", "packet_receive", "ip_input", _one),
    ("ipIfStatsHCInOctets", "packet_receive", "ip_input", lambda socket, packet: packet.length),
    # What goes wrong on real networks: the loopback loses, doubles and damages nothing.
    *((name, "mib", function, _counted(name)) for name, function in (
        ("tcpRetransSegs", "tcp_timer"), ("tcpRetransBytes", "tcp_timer"),
        ("tcpInDataUnorderSegs", "tcp_input_data"), ("tcpInDataUnorderBytes", "tcp_input_data"),
        ("tcpInDataDupSegs", "tcp_input_data"), ("tcpInDataDupBytes", "tcp_input_data"),
        ("tcpListenDrop", "tcp_input_listener"), ("tcpHalfOpenDrop", "tcp_input_listener"),
        ("udpInErrors", "udp_input"), ("udpOutErrors", "udp_output"), ("udpInCksumErrs", "ip_input"),
        ("ipIfStatsInDiscards", "ip_input"), ("ipIfStatsOutDiscards", "ip_output"),
        ("ipIfStatsInHdrErrors", "ip_input"), ("ipIfStatsInAddrErrors", "ip_input"),
        ("icmpInMsgs", "icmp_inbound_v4"), ("icmpInEchos", "icmp_inbound_v4"),
        ("icmpInEchoReps", "icmp_inbound_v4"), ("icmpInDestUnreachs", "icmp_inbound_v4"),
        ("icmpInErrors", "icmp_inbound_v4"), ("icmpOutMsgs", "icmp_pkt"), ("icmpOutEchoReps", "icmp_pkt"),
        ("icmpOutDestUnreachs", "icmp_pkt"), ("icmpOutErrors", "icmp_pkt"),
        ("rawipInDatagrams", "icmp_input"), ("rawipOutDatagrams", "icmp_output"))),
)


class _Counters:
    """The counters themselves, in kernel memory while they are looked at."""

    def __init__(self, boot: Callable[[], Kernel], name: str) -> None:
        self._boot = boot
        self._name = name
        self._values: Counter[str] = Counter()
        self._region: Region | None = None
        self._order: dict[str, int] = {}

    def point(self, row: Row) -> Point:
        name, hook, function, amount = row
        self._order[name] = len(self._order)

        def values(kernel: Kernel, *what: object) -> tuple[int, ...] | None:
            increment = amount(*what)
            if not increment:
                return None
            address = self._show(name)
            self._values[name] += increment
            return increment, address, kernel.objects.address(Kind.CPU, kernel.scheduler.cpu)

        return Point(name, hook, function, values, "unix" if function in UNIX else "genunix")

    def _show(self, name: str) -> int:
        if self._region is None:
            self._region = self._boot().kmem.allocate(self._name, 8 * len(self._order))
        data = self._region.data
        assert data is not None
        at = 8 * self._order[name]
        data[at:at + 8] = (self._values[name] & MASK).to_bytes(8, "little")
        return self._region.base + at


ROWS = {"sysinfo": SYSINFO, "vminfo": VMINFO, "mib": MIB}


def install(provider: Provider, boot: Callable[[], Kernel]) -> None:
    """See runtime.providers.installation; `provider` is one of the three."""
    name = provider.name
    counters = _Counters(boot, name)
    hooked.install(provider, boot, [counters.point(row) for row in ROWS[name]],
                   {EVERY: ARGUMENTS[name][EVERY]}, ATTRIBUTES[name])
