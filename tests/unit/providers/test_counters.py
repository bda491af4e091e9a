"""What the counters of sysinfo, vminfo and mib count, at each kind of event."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from runtime.kernel.net.address import Address
from runtime.kernel.net.loopback import Packet
from runtime.providers.counters import MIB, SYSINFO, VMINFO, _Counters

TCP, UDP = 6, 17
READS, WRITES = (("read", "pread64", "readv", "preadv", "preadv2"),
                 ("write", "pwrite64", "writev", "pwritev", "pwritev2"))


def counted(rows: Any, hook: str, *what: object) -> dict[str, int]:
    """The counters that an event raises."""
    found = {name: amount(*what) for name, told, _, amount in rows if told == hook}
    assert all(isinstance(amount, int) for amount in found.values()), found
    return {name: amount for name, amount in found.items() if amount}


def packet(protocol: int, size: int) -> Packet:
    return Packet(Address(2, b"127.0.0.1", 1), Address(2, b"127.0.0.1", 2), protocol, size, bytes(size))


@pytest.mark.parametrize("name", [*READS, *WRITES, "close", "open", "openat", "stat", "execve", "readlink"])
def test_calls(name: str) -> None:
    entered = counted(SYSINFO, "syscall_entry", None, name, ())
    own = {"sysread": 1} if name in READS else {"syswrite": 1} if name in WRITES else {}
    own |= {"namei": 1} if name in ("open", "openat", "stat", "execve", "readlink") else {}
    assert entered == {"syscall": 1} | own
    for result, moved in ((7, 7), (1, 1), (0, 0), (-9, 0)):
        counters = counted(SYSINFO, "syscall_return", None, name, result)
        assert counters == ({"readch": moved} if name in READS and moved else
                            {"writech": moved} if name in WRITES and moved else {})


def test_processes() -> None:
    space = object()
    thread = SimpleNamespace(process=SimpleNamespace(space=space))
    assert counted(SYSINFO, "create", thread, SimpleNamespace(space=object())) == {"sysfork": 1}
    assert counted(SYSINFO, "create", thread, SimpleNamespace(space=space)) == {"sysvfork": 1}
    assert counted(SYSINFO, "off_cpu", thread, None) == {"idlethread": 1}
    assert counted(SYSINFO, "off_cpu", thread, thread) == {}
    for hook, name in (("exec", "sysexec"), ("lwp_create", "nthreads"), ("on_cpu", "pswitch"),
                       ("preempt", "inv_swtch"), ("fault", "trap")):
        assert counted(SYSINFO, hook, thread, thread) == {name: 1}
    assert counted(SYSINFO, "sysinfo", thread, "xcalls", 3) == {"xcalls": 3}
    assert counted(SYSINFO, "sysinfo", thread, "other", 3) == {}


def test_blocks_and_pages() -> None:
    for reading in (True, False):
        buffer = SimpleNamespace(is_read=reading, pages=4)
        assert counted(SYSINFO, "io_start", None, buffer) == {"bread" if reading else "bwrite": 1}
        assert counted(VMINFO, "io_start", None, buffer) == (
            {"pgin": 1, "pgpgin": 4, "fspgin": 4} if reading else {"pgout": 1, "pgpgout": 4, "fspgout": 4})
    told = [name for name, hook, *_ in VMINFO if hook == "vminfo"]
    assert len(told) == len(set(told)) == 23
    for name in told:
        assert counted(VMINFO, "vminfo", None, name, 5) == {name: 5}


def test_each_counter_has_a_place_of_its_own() -> None:
    """Kernel memory holds them all in their order, as soon as one is looked at; a place is told with each.

    What it holds then does not count the event itself yet.
    """
    made: list[SimpleNamespace] = []

    def allocate(_name: str, size: int) -> SimpleNamespace:
        made.append(SimpleNamespace(base=0x5000, data=bytearray(size)))
        return made[-1]
    kernel: Any = SimpleNamespace(kmem=SimpleNamespace(allocate=allocate), scheduler=SimpleNamespace(cpu=1),
                                  objects=SimpleNamespace(address=lambda kind, cpu: 0x9000 + cpu))
    counters = _Counters(lambda: kernel, "vminfo")
    points = [counters.point(row) for row in VMINFO]
    assert points[1].values(kernel, None, "other", 4) is None and not made
    assert points[1].values(kernel, None, VMINFO[1][0], 4) == (4, 0x5008, 0x9001)
    assert points[1].values(kernel, None, VMINFO[1][0], 3) == (3, 0x5008, 0x9001)
    for _ in range(2):
        assert points[0].values(kernel, None, VMINFO[0][0], -1) == (-1, 0x5000, 0x9001)
    memory, = made
    assert memory.data == b"\xff" * 8 + b"\4".ljust(8 * (len(VMINFO) - 1), b"\0")


def test_packets() -> None:
    headers = packet(TCP, 0).length
    out = {"tcpHCOutSegs": 1, "ipIfStatsHCOutRequests": 1, "ipIfStatsHCOutTransmits": 1}
    into = {"tcpHCInSegs": 1, "ipIfStatsHCInReceives": 1, "ipIfStatsHCInDelivers": 1}
    assert counted(MIB, "packet_send", object(), packet(TCP, 0)) == out | {"ipIfStatsHCOutOctets": headers}
    assert counted(MIB, "packet_send", object(), packet(TCP, 9)) == out | {
        "ipIfStatsHCOutOctets": headers + 9, "tcpOutDataSegs": 1, "tcpOutDataBytes": 9}
    assert counted(MIB, "packet_receive", object(), packet(TCP, 9)) == into | {
        "ipIfStatsHCInOctets": headers + 9, "tcpInDataInorderSegs": 1, "tcpInDataInorderBytes": 9}
    udp = packet(UDP, 9)
    received = {"ipIfStatsHCInReceives": 1, "ipIfStatsHCInDelivers": 1, "ipIfStatsHCInOctets": udp.length}
    assert counted(MIB, "packet_receive", object(), udp) == received | {"udpHCInDatagrams": 1}
    assert counted(MIB, "packet_receive", None, udp) == received | {"udpNoPorts": 1}
    assert counted(MIB, "packet_send", object(), udp) == {
        "udpHCOutDatagrams": 1, "ipIfStatsHCOutRequests": 1, "ipIfStatsHCOutTransmits": 1,
        "ipIfStatsHCOutOctets": udp.length}


def test_connections() -> None:
    names = {"connect-request": "tcpActiveOpens", "accept-established": "tcpPassiveOpens",
             "connect-refused": "tcpAttemptFails", "accept-refused": "tcpOutRsts"}
    for event, name in names.items():
        assert counted(MIB, "connection", object(), packet(TCP, 0), event) == {name: 1}
    assert counted(MIB, "connection", object(), packet(TCP, 0), "other") == {}
    assert counted(MIB, "mib", None, "tcpListenDrop", 2) == {"tcpListenDrop": 2}
