"""Parts of the network by themselves: ports, who hears what, packets byte by byte, signals that wait."""

from __future__ import annotations

import errno
import struct
from ipaddress import ip_address
from typing import Any

import pytest

from runtime.kernel.base.budgets import Budget
from runtime.kernel.base.hooks import Hooks
from runtime.kernel.base.signals import SIGRTMIN, SIGUSR1, Pending, SignalInfo, bit
from runtime.kernel.base.words import narrow_id
from runtime.kernel.net.address import (
    AF_INET,
    AF_INET6,
    AF_UNIX,
    Address,
    as_family,
    is_any,
    is_local,
    narrow,
    overlap,
    source_for,
    wide,
)
from runtime.kernel.net.listings import listings
from runtime.kernel.net.loopback import ACK, MSS, PUSH, SNAP, SYN, TCP, UDP, Loopback, Packet
from runtime.kernel.net.socket import (
    BUFFER,
    FIRST_PORT,
    IN_BUFFER,
    IN_PART,
    IPPROTO_IPV6,
    IPV6_V6ONLY,
    MOST_OPTIONS,
    MOST_WAITING,
    SEGMENT,
    SOCK_DGRAM,
    SOCK_STREAM,
    Network,
    Peer,
    Segment,
    Socket,
    memory_of,
)

FOUR, SIX = ip_address("127.0.0.1").packed, ip_address("::1").packed
ANY4, ANY6 = bytes(4), bytes(16)
MAPPED = wide(FOUR)
OWNER = Peer(1, 2, 3)


def refused(call: Any, *arguments: Any) -> int:
    with pytest.raises(OSError) as caught:
        call(*arguments)
    return caught.value.errno or 0


def socket(network: Network, kind: int = SOCK_DGRAM, family: int = AF_INET) -> Socket:
    return Socket(network, family, kind, OWNER)


@pytest.fixture
def network() -> Network:
    return Network(Loopback(Hooks()))


def test_addresses() -> None:
    assert (wide(FOUR), wide(SIX), narrow(FOUR), narrow(MAPPED), narrow(SIX)) == (
        bytes(10) + b"\xff\xff" + FOUR, SIX, FOUR, FOUR, None)
    hosts = (FOUR, ANY4, MAPPED, wide(ANY4), SIX, ANY6, bytes([10, 0, 0, 1]), bytes([127, 9, 9, 9]),
             bytes([1] * 16))
    each = [Address(AF_INET if len(host) == 4 else AF_INET6, host, 5) for host in hosts]
    assert [is_any(one) for one in each] == [False, True, False, True, False, True, False, False, False]
    assert [is_local(one) for one in each] == [True] * 6 + [False, True, False]
    assert [source_for(one).host for one in each] == [FOUR, FOUR, MAPPED, MAPPED, SIX, SIX, FOUR, FOUR, SIX]
    assert as_family(each[0], AF_INET6) == Address(AF_INET6, MAPPED, 5)
    assert as_family(each[0], AF_INET) is each[0] and as_family(each[4], AF_INET6) is each[4]


@pytest.mark.parametrize(("one", "other", "both", "alone"), [
    (FOUR, FOUR, True, True), (FOUR, ANY4, True, True), (FOUR, bytes([127, 0, 0, 2]), False, False),
    (FOUR, MAPPED, True, True), (SIX, SIX, True, True), (SIX, ANY6, True, True),
    (SIX, bytes([1] * 16), False, False), (FOUR, ANY6, True, False),
    (FOUR, SIX, False, False), (ANY4, SIX, False, False), (ANY4, ANY6, True, False)])
def test_what_one_packet_may_be_for(one: bytes, other: bytes, both: bool, alone: bool) -> None:
    first, second = Address(AF_INET, one, 5), Address(AF_INET, other, 5)
    assert overlap(first, second, False) == both
    assert len(one) != len(other) or overlap(second, first, False) == both
    assert overlap(first, second, True) == alone
    assert not overlap(None, second, False)


def test_ports_that_are_chosen_begin_anew_behind_the_last(network: Network) -> None:
    assert [network.free_port(SOCK_DGRAM) for _ in range(2)] == [FIRST_PORT, FIRST_PORT + 1]
    taken = socket(network)
    network.claim(taken, Address(AF_INET, FOUR, FIRST_PORT + 2))
    assert network.free_port(SOCK_STREAM) == FIRST_PORT + 2
    network._next_port = FIRST_PORT + 2
    assert network.free_port(SOCK_DGRAM) == FIRST_PORT + 3
    for port in (60998, 60999, FIRST_PORT):
        network.claim(socket(network), Address(AF_INET, FOUR, port))
    network._next_port = 60998
    assert network.free_port(SOCK_DGRAM) == FIRST_PORT + 1
    network._next_port = 60999
    assert network.free_port(SOCK_DGRAM) == FIRST_PORT + 1


def test_ports_are_shared_by_those_who_agree(network: Network) -> None:
    first, second, third = (socket(network, SOCK_STREAM) for _ in range(3))
    assert network.claim(first, Address(AF_INET, FOUR)) == Address(AF_INET, FOUR, FIRST_PORT) == first.local
    place = Address(AF_INET, ANY4, FIRST_PORT)
    assert refused(network.claim, second, place) == errno.EADDRINUSE
    second.reuse = True
    assert refused(network.claim, second, place) == errno.EADDRINUSE
    first.reuse = True
    assert network.claim(second, place) == place
    first.listen(1)
    third.reuse = True
    assert refused(network.claim, third, place) == errno.EADDRINUSE
    assert network.claim(socket(network), place) == place  # of another kind
    network.release(first)
    assert network.claim(third, place) == place
    for each in (second, third):
        network.release(each)
    assert (SOCK_STREAM, FIRST_PORT) not in network.ports


def test_who_hears_what(network: Network) -> None:
    """Of streams those that are not connected; of IPv6 alone nobody hears IPv4."""
    name = Address(AF_INET, FOUR, 9)
    assert network.find(SOCK_DGRAM, name) is None
    for kind in (SOCK_DGRAM, SOCK_STREAM):
        one = socket(network, kind)
        network.claim(one, name)
        assert network.find(kind, name) is one and network.find(kind, name._replace(port=10)) is None
        for connected in ("peer", "remote"):
            setattr(one, connected, one if connected == "peer" else name)
            assert network.find(kind, name) is (one if kind == SOCK_DGRAM else None)
            setattr(one, connected, None)
    wide_one = socket(network, SOCK_DGRAM, AF_INET6)
    network.claim(wide_one, Address(AF_INET6, ANY6, 11))
    assert network.find(SOCK_DGRAM, name._replace(port=11)) is wide_one
    wide_one.set_option(IPPROTO_IPV6, IPV6_V6ONLY, b"\1\0\0\0")
    assert network.find(SOCK_DGRAM, name._replace(port=11)) is None
    assert network.find(SOCK_DGRAM, Address(AF_INET6, SIX, 11)) is wide_one


def test_a_socket_has_so_many_options(network: Network) -> None:
    one = socket(network)
    for number in range(MOST_OPTIONS):
        one.set_option(1, number, b"x")
    one.set_option(1, 5, b"y")
    assert refused(one.set_option, 1, MOST_OPTIONS, b"x") == errno.ENOMEM and one.options[1, 5] == b"y"


@pytest.mark.parametrize(("wanted", "kept"), [(0, 0), (5, 5), (MOST_WAITING, MOST_WAITING),
                                              (MOST_WAITING + 1, MOST_WAITING), (-1, MOST_WAITING)])
def test_so_many_connections_wait(network: Network, wanted: int, kept: int) -> None:
    one = socket(network, SOCK_STREAM)
    one.listen(wanted)
    assert one.backlog == kept and one.local == Address(AF_INET, ANY4, FIRST_PORT)
    assert refused(socket(network).listen, 1) == errno.EOPNOTSUPP


@pytest.mark.parametrize(("size", "kept", "memory"), [
    (0, IN_BUFFER, 256 + 512), (192, IN_BUFFER, 256 + 512), (193, IN_BUFFER, 256 + 1024),
    (704, IN_BUFFER, 256 + 1024), (705, IN_BUFFER, 256 + 2048), (16064, IN_BUFFER, 256 + 16384),
    (16065, IN_BUFFER, 256 + 16384 + 4096), (16064 + 4097, IN_BUFFER, 256 + 16384 + 8192),
    (3776, IN_PART, 256 + 4096), (3777, IN_PART, 256 + 512 + 4096), (5000, IN_PART, 256 + 2048 + 4096),
    (3776 + 32768, IN_PART, 256 + 4096 + 32768)])
def test_memory_of_what_is_sent_locally(size: int, kept: int, memory: int) -> None:
    assert memory_of(size, kept) == memory


class Watcher:
    """Keeps what the loopback tells."""

    def __init__(self, hooks: Hooks) -> None:
        self.packets: list[Packet] = []
        self.states: list[tuple[int, int]] = []
        hooks.packet_send = lambda _sender, packet: self.packets.append(packet)
        hooks.tcp_state = lambda endpoint, old: self.states.append((old, endpoint.state))


def test_packets_byte_by_byte() -> None:
    four = Packet(Address(AF_INET, FOUR, 5), Address(AF_INET, FOUR, 6), UDP, 3, b"abc")
    assert (four.version, four.ip_size, four.transport_size, four.length) == (4, 20, 8, 31)
    image = four.image()
    assert struct.unpack(">BBHHHBB", image[:10]) == (0x45, 0, 31, 0, 0x4000, 64, 17)
    assert sum(struct.unpack(">10H", image[:20])) % 0xFFFF == 0  # the checksum
    assert image[12:] == FOUR + FOUR + struct.pack(">HHHH", 5, 6, 11, 0) + b"abc"
    six = Packet(Address(AF_INET6, SIX, 5), Address(AF_INET6, SIX, 6), TCP, 9, b"", SYN | ACK, 7, 8,
                 1 << 20)
    assert (six.version, six.ip_size, six.transport_size) == (6, 40, 20)
    assert six._transport() == struct.pack(">HHIIBBHHH", 5, 6, 7, 8, 0x50, 0x12, 0xFFFF, 0, 0)
    short = six.__class__(six.source, six.target, UDP, 4, b"data")
    assert short.image() == struct.pack(">IHBB", 6 << 28, 12, 17, 64) + SIX + SIX + struct.pack(
        ">HHHH", 5, 6, 12, 0) + b"data"
    mixed = Packet(Address(AF_INET6, MAPPED, 5), Address(AF_INET, FOUR, 6), UDP, 0, b"")
    assert (mixed.version, mixed.image()[12:20]) == (4, FOUR + FOUR)


def test_a_stream_in_segments() -> None:
    hooks = Hooks()
    watcher, network = Watcher(hooks), Network(Loopback(hooks))
    listener, client = socket(network, SOCK_STREAM), socket(network, SOCK_STREAM)
    assert client.initial == 0
    network.claim(listener, Address(AF_INET, FOUR, 80))
    listener.listen(5)
    assert listener.local is not None
    client.connect(listener, listener.local)
    client.buffer = 1 << 20
    watcher.packets.clear()
    assert client.initial == FIRST_PORT << 16
    assert client.send(Segment(bytearray(b"x" * (MSS + 5)))) == MSS + 5
    assert [(each.size, len(each.data), each.flags) for each in watcher.packets] == [
        (MSS, SNAP, PUSH | ACK), (5, 5, PUSH | ACK)]
    assert watcher.packets[1].sequence - watcher.packets[0].sequence == MSS
    assert (0, -1) not in watcher.states and watcher.states[0][1] == -4  # bound
    server = listener.accept()
    assert (server.pending, server.buffer) == (MSS + 5, BUFFER)
    client.close()
    assert server.receive(4)[1] == 4


def test_udp_loses_what_has_no_room(network: Network) -> None:
    to, sender = socket(network), socket(network)
    name = network.claim(to, Address(AF_INET, FOUR))
    network.claim(sender, Address(AF_INET, FOUR))
    to.buffer = 10
    assert [sender.deliver(to, Segment(bytearray(b"12345"), sender.local)) for _ in range(3)] == [5] * 3
    assert len(to.received) == 2 and name.port == FIRST_PORT


def test_what_there_is_no_memory_for_is_not_on_its_way() -> None:
    heap, passed = Budget(1 << 12, errno.ENOMEM), Budget(3, errno.ETOOMANYREFS)
    network = Network(Loopback(Hooks(), heap, passed))
    one = Socket(network, AF_UNIX, SOCK_STREAM, OWNER)
    files: list[Any] = [object(), object()]
    one.take(Segment(bytearray(b"x"), None, files))
    assert (passed.used, heap.used) == (2, 1 + SEGMENT)
    assert refused(one.take, Segment(bytearray(b"x"), None, files)) == errno.ETOOMANYREFS
    assert refused(one.take, Segment(bytearray(1 << 12), None, files[:1])) == errno.ENOMEM
    assert (passed.used, heap.used, len(one.received)) == (2, 1 + SEGMENT, 1)
    segment, size = one.receive(5)
    assert segment is not None and (size, segment.files) == (1, files)
    assert (passed.used, heap.used) == (0, 0)


def test_signals_wait_once_or_as_often_as_there_is_room() -> None:
    pending = Pending(room=Budget(2))
    assert [pending.add(SignalInfo(SIGUSR1)) for _ in range(2)] == [True, False]
    assert [pending.add(SignalInfo(SIGRTMIN)) for _ in range(3)] == [True, True, False]
    assert pending.mask == bit(SIGUSR1) | bit(SIGRTMIN)
    taken = pending.take(-1)
    assert taken is not None and taken.signal == SIGUSR1 and pending.take(bit(SIGUSR1)) is None
    assert pending.add(SignalInfo(SIGRTMIN)) is False
    pending.discard(bit(SIGRTMIN))
    assert not pending.mask and pending.add(SignalInfo(SIGRTMIN))


def test_numbers_of_users_in_16_bits() -> None:
    told = [narrow_id(value) for value in (0, 65534, 65535, 65536, 1 << 31)]
    assert told == [0, 65534, 65535, 65534, 65534]


def test_a_network_lists_its_own_sockets_alone(network: Network) -> None:
    other, mine = Network(Loopback(Hooks()), 1), socket(network, SOCK_STREAM)
    mine.listen(1)
    socket(network, SOCK_STREAM, AF_UNIX)
    assert [len(listings(each)[b"tcp"]().splitlines()) for each in (network, other)] == [2, 1]
    assert [len(listings(each)[b"unix"]().splitlines()) for each in (network, other)] == [2, 1]
    assert b"used 2" in listings(network)[b"sockstat"]() and b"lo:" in listings(network)[b"dev"]()
    mine.close()
    assert len(listings(network)[b"tcp"]().splitlines()) == 1
