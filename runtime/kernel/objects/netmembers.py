"""Members of the kernel's structures of the network: see runtime.kernel.objects.members for what a row is.

Connections show sockets; a message block shows a packet.  Ports and addresses are in network byte order.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from runtime.kernel.net.address import narrow, wide
from runtime.kernel.net.loopback import INTERFACE, MSS, TCP, UDP
from runtime.kernel.objects.objects import Kind, Member, Objects

MTU = 65535


def _host(name: str) -> Member:
    def member(_objects: Objects, socket: Any) -> bytes:
        address = getattr(socket, name)
        return wide(address.host) if address is not None else bytes(16)

    return member


def _port(name: str) -> Member:
    def member(_objects: Objects, socket: Any) -> bytes:
        address = getattr(socket, name)
        return (address.port if address is not None else 0).to_bytes(2, "big")

    return member


def _version(_objects: Objects, socket: Any) -> int:
    return 4 if socket.local is None or narrow(socket.local.host) is not None else 6


def _next(socket: Any) -> int:
    return socket.initial + socket.sent if socket is not None else 0


MEMBERS: Mapping[str, Mapping[str, Member]] = {
    "mblk_t": {
        "b_rptr": lambda objects, packet: objects.address(Kind.PACKET, packet),
        "b_wptr": lambda objects, packet: objects.address(Kind.PACKET, packet) + packet.length,
    },
    "conn_t": {
        "conn_cpid": lambda objects, socket: socket.owner.pid,
        "conn_ipversion": _version,
        "conn_proto": lambda objects, socket: TCP if socket.tcp else UDP,
        "connua_v6addr.connua_laddr._S6_un._S6_u8": _host("local"),
        "connua_v6addr.connua_faddr._S6_un._S6_u8": _host("remote"),
        "u_port.connu_ports.connu_lport": _port("local"),
        "u_port.connu_ports.connu_fport": _port("remote"),
    },
    "tcp_t": {
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
    },
    "udp_t": {"udp_connp": lambda objects, socket: objects.address(Kind.CONN, socket)},
    "ill_t": {"ill_name": lambda objects, kernel: objects.text(INTERFACE),
              "ill_mtu": lambda objects, kernel: MTU},
}
