"""The ip, tcp and udp providers: packets over the machine's loopback, and TCP's connections.

Probes and arguments are those of the manual's chapters on ip, tcp and udp.  A packet is told of where it
is sent and again where it is received; functions are the ones that illumos has the probes in.
"""

from __future__ import annotations

from collections.abc import Callable

from dc.names.stableproviders import ARGUMENTS, ATTRIBUTES
from runtime.framework.probes.registry import Provider
from runtime.kernel.memory.placement import Kind
from runtime.kernel.net.loopback import TCP, UDP
from runtime.providers import hooked
from runtime.providers.hooked import Point

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from runtime.kernel.kernel import Kernel
    from runtime.kernel.net.loopback import Packet
    from runtime.kernel.net.socket import Socket
    from runtime.providers.hooked import Values

_KINDS = {TCP: Kind.TCP, UDP: Kind.UDP}


def _transport(kernel: Kernel, socket: Socket | None, packet: Packet, kind: Kind) -> tuple[int, ...]:
    """mblk_t, conn_t, IP header, tcp_t or udp_t, TCP or UDP header; what there is not is 0."""
    objects = kernel.objects
    header = objects.address(Kind.PACKET, packet)
    return (objects.address(Kind.MBLK, packet), objects.address(Kind.CONN, socket), header,
            objects.address(kind, socket), header and header + packet.ip_size)


def _packet(protocol: int) -> Values:
    kind = _KINDS[protocol]
    return lambda kernel, socket, packet: _transport(kernel, socket, packet, kind) \
        if packet.protocol == protocol else None


def _internet(kernel: Kernel, socket: Socket | None, packet: Packet) -> tuple[int, ...]:
    objects = kernel.objects
    header = objects.address(Kind.PACKET, packet)
    four = packet.version == 4
    return (objects.address(Kind.MBLK, packet), objects.address(Kind.CONN, socket), header,
            objects.address(Kind.INTERFACE, kernel), header if four else 0, 0 if four else header)


def _event(name: str) -> Values:
    return lambda kernel, socket, packet, event: _transport(kernel, socket, packet, Kind.TCP) \
        if event == name else None


def _state(kernel: Kernel, socket: Socket, old: int) -> tuple[int, ...]:
    objects = kernel.objects
    return 0, objects.address(Kind.CONN, socket), 0, objects.address(Kind.TCP, socket), 0, old


def _moving(values: Values, send: str, receive: str) -> tuple[Point, ...]:
    return Point("send", "packet_send", send, values, "ip"), \
        Point("receive", "packet_receive", receive, values, "ip")


_CONNECTIONS = (("accept-established", "tcp_input_data"), ("accept-refused", "tcp_xmit_early_reset"),
                ("connect-established", "tcp_input_data"), ("connect-refused", "tcp_input_data"),
                ("connect-request", "tcp_do_connect"))
POINTS: dict[str, tuple[Point, ...]] = {
    "ip": _moving(_internet, "ire_send_local_v4", "ip_input_local_v4"),
    "tcp": (*_moving(_packet(TCP), "tcp_send_data", "tcp_input_data"),
            *(Point(name, "connection", function, _event(name), "ip") for name, function in _CONNECTIONS),
            Point("state-change", "tcp_state", "tcp_set_state", _state, "ip")),
    "udp": _moving(_packet(UDP), "udp_output", "udp_input"),
}


def install(provider: Provider, boot: Callable[[], Kernel]) -> None:
    """See runtime.providers.installation; `provider` is one of the three."""
    name = provider.name
    hooked.install(provider, boot, POINTS[name], ARGUMENTS[name], ATTRIBUTES[name])
