"""The files of /proc/net: a zone's sockets, and its one network interface."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping
from functools import partial

from runtime.kernel.net.address import AF_INET, AF_INET6, AF_UNIX, Address
from runtime.kernel.net.loopback import (
    CLOSE_WAIT,
    CLOSING,
    ESTABLISHED,
    FIN_WAIT_1,
    FIN_WAIT_2,
    LAST_ACK,
    LISTEN,
    SYN_RECEIVED,
    SYN_SENT,
    TIME_WAIT,
)
from runtime.kernel.net.socket import SOCK_DGRAM, SOCK_STREAM, Network, Socket

# Linux's numbers of states: of TCP; others are closed.  A datagram socket is connected or closed.
_STATES = {ESTABLISHED: 1, SYN_SENT: 2, SYN_RECEIVED: 3, FIN_WAIT_1: 4, FIN_WAIT_2: 5, TIME_WAIT: 6,
           CLOSE_WAIT: 8, LAST_ACK: 9, LISTEN: 10, CLOSING: 11}
_CLOSED = 7
_ACCEPTS, _UNCONNECTED, _CONNECTED = 0x10000, 1, 3  # a flag and states of AF_UNIX
_LINE = {(AF_INET, SOCK_STREAM): 149, (AF_INET, SOCK_DGRAM): 127}  # bytes of a line, at least

_DEVICES = b"""\
Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls \
carrier compressed
    lo:       0       0    0    0    0     0          0         0        0       0    0    0    0     0 \
      0          0
"""
_NEIGHBOURS = b"IP address       HW type     Flags       HW address            Mask     Device\n"
_ROUTES = (b"Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT".ljust(127)
           + b"\n")
_IPV6_ADDRESSES = b"00000000000000000000000000000001 01 80 10 80       lo\n"


def _place(address: Address | None, family: int) -> str:
    """An address and a port: words of the address are shown as the processor has them."""
    host, port = (address.host, address.port) if address is not None else (b"", 0)
    size = 4 if family == AF_INET else 16
    words = struct.unpack(f"<{size // 4}I", host.rjust(size, b"\0"))
    return "".join(f"{word:08X}" for word in words) + f":{port:04X}"


def _state(socket: Socket) -> int:
    if socket.type == SOCK_DGRAM:
        return 1 if socket.remote is not None else _CLOSED
    return _STATES.get(socket.state, _CLOSED)


def _of(network: Network, family: int, kind: int) -> Iterator[Socket]:
    """The sockets of a protocol that have a port; those of TCP have a connection, or wait for some."""
    for socket in network.sockets:
        named = (socket.domain, socket.type) == (family, kind) and socket.local is not None
        if named and (kind == SOCK_DGRAM or socket.state in _STATES):
            yield socket


def _internet(network: Network, family: int, kind: int) -> bytes:
    datagrams = kind == SOCK_DGRAM
    least = _LINE.get((family, kind), 0)
    names = f"{'local_address':<38}{'remote_address':<37}" if family == AF_INET6 else \
        "local_address rem_address  "
    head = (f"{'   sl' if datagrams and family == AF_INET else '  sl'}  {names} st tx_queue rx_queue tr "
            f"tm->when retrnsmt   uid  timeout inode{' ref pointer drops' if datagrams else ''}")
    lines = [head.ljust(least)]
    end = "2 0000000000000000 0" if datagrams else "1 0000000000000000 100 0 0 10 0"
    for number, socket in enumerate(_of(network, family, kind)):
        peer = socket.peer
        ended = not datagrams and peer is not None and (peer.closed or peer.write_shut)  # FIN is read, too
        waiting = len(socket.waiting) if socket.listening else socket.pending + ended
        lines.append(f"{number:4}: {_place(socket.local, family)} {_place(socket.remote, family)} "
                     f"{_state(socket):02X} 00000000:{waiting:08X} 00:00000000 00000000 "
                     f"{socket.owner.uid:5} {0:8} {socket.inode} {end}".ljust(least))
    return "".join(f"{line}\n" for line in lines).encode()


def _unix(network: Network) -> bytes:
    lines = [b"Num       RefCount Protocol Flags    Type St Inode Path\n"]
    for socket in network.sockets:
        if socket.domain == AF_UNIX:
            connected = socket.peer is not None and not socket.peer.closed
            name = socket.local.host if socket.local is not None else b""
            lines.append(b"%016x: %08X %08X %08X %04X %02X %5d%s\n" % (
                0, 3 if connected else 2, 0, _ACCEPTS if socket.listening else 0, socket.type,
                _CONNECTED if connected else _UNCONNECTED, socket.inode,
                b" " + name.replace(b"\0", b"@") if name else b""))
    return b"".join(lines)


def _usage(network: Network) -> bytes:
    """How many sockets there are."""
    tcp, udp = (len(list(_of(network, AF_INET, kind))) for kind in (SOCK_STREAM, SOCK_DGRAM))
    return (f"sockets: used {len(network.sockets)}\nTCP: inuse {tcp} orphan 0 tw 0 alloc {tcp} mem 0\n"
            f"UDP: inuse {udp} mem 0\nUDPLITE: inuse 0\nRAW: inuse 0\nFRAG: inuse 0 memory 0\n").encode()


def listings(network: Network) -> Mapping[bytes, Callable[[], bytes]]:
    """The text of each file of /proc/net, by its name."""
    return {
        b"dev": lambda: _DEVICES, b"route": lambda: _ROUTES, b"if_inet6": lambda: _IPV6_ADDRESSES,
        b"arp": lambda: _NEIGHBOURS, b"unix": partial(_unix, network), b"sockstat": partial(_usage, network),
        b"tcp": partial(_internet, network, AF_INET, SOCK_STREAM),
        b"tcp6": partial(_internet, network, AF_INET6, SOCK_STREAM),
        b"udp": partial(_internet, network, AF_INET, SOCK_DGRAM),
        b"udp6": partial(_internet, network, AF_INET6, SOCK_DGRAM),
    }
