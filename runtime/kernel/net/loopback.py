"""The packets of TCP, UDP and IP that the machine's loopback carries, for tracers.

Sockets hand bytes to one another directly.  The loopback makes the packets that a network would have carried
for them: a handshake for each connection, segments of data, FIN at the end, one packet for each datagram.
It loses nothing, so that segments of data are not acknowledged one by one.  It makes packets only while a
hook is set.
"""

from __future__ import annotations

from struct import pack

from dif.limits import MASK
from dif.records import Record
from runtime.kernel.base.budgets import Allowance, Budget
from runtime.kernel.base.hooks import Hooks
from runtime.kernel.net.address import Address, narrow, wide

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from typing import Protocol

TCP, UDP = 6, 17  # protocol numbers
FIN, SYN, RST, PUSH, ACK = 0x01, 0x02, 0x04, 0x08, 0x10
# Connection states as illumos numbers them (<inet/tcp.h>)
(CLOSED, IDLE, BOUND, LISTEN, SYN_SENT, SYN_RECEIVED, ESTABLISHED, CLOSE_WAIT, FIN_WAIT_1, CLOSING, LAST_ACK,
 FIN_WAIT_2, TIME_WAIT) = range(-6, 7)
MSS = 65483  # the largest segment on an interface whose packets have up to 64 KiB
SNAP = 1024  # bytes of data that a packet keeps for tracers
TTL = 64
INTERFACE = b"lo0"


def _checksum(data: bytes) -> int:
    total = sum(int.from_bytes(data[at:at + 2], "big") for at in range(0, len(data), 2))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


class Packet(Record):
    """One packet with `size` bytes of data; `data` has the first of them."""

    source: Address
    target: Address
    protocol: int
    size: int
    data: bytes
    flags: int = 0
    sequence: int = 0
    acknowledged: int = 0
    window: int = 0

    @property
    def version(self) -> int:
        both = narrow(self.source.host), narrow(self.target.host)
        return 6 if None in both else 4

    @property
    def ip_size(self) -> int:
        """Bytes of its IP header."""
        return 20 if self.version == 4 else 40

    @property
    def transport_size(self) -> int:
        """Bytes of its TCP or UDP header."""
        return 20 if self.protocol == TCP else 8

    @property
    def length(self) -> int:
        """Bytes in all."""
        return self.ip_size + self.transport_size + self.size

    def image(self) -> bytes:
        """Return the packet's bytes on the wire, with as much data as it keeps."""
        return self._ip() + self._transport() + self.data

    def _ip(self) -> bytes:
        payload = self.length - self.ip_size
        if self.version == 6:
            return pack(">IHBB", 6 << 28, payload, self.protocol, TTL) + \
                wide(self.source.host) + wide(self.target.host)
        addresses = (narrow(self.source.host) or b"") + (narrow(self.target.host) or b"")
        header = pack(">BBHHHBBH", 0x45, 0, self.length, 0, 0x4000, TTL, self.protocol, 0) + addresses
        return header[:10] + pack(">H", _checksum(header)) + header[12:]

    def _transport(self) -> bytes:
        ports = pack(">HH", self.source.port, self.target.port)
        if self.protocol == UDP:
            return ports + pack(">HH", self.size + 8, 0)
        return ports + pack(">IIBBHHH", self.sequence, self.acknowledged, 0x50, self.flags,
                            min(self.window, 0xFFFF), 0, 0)


if TYPE_CHECKING:
    class Endpoint(Protocol):
        """One end of a connection: a socket, as far as the loopback knows it."""

        state: int  # one of those above
        active: bool  # it asked for the connection
        sent: int  # how many of its sequence numbers have been used
        local: Address | None
        remote: Address | None

        @property
        def peer(self) -> Endpoint | None:
            """The other end."""

        @property
        def initial(self) -> int:
            """Its first sequence number."""

        @property
        def buffer(self) -> int:
            """Bytes it can keep for its reader."""

        @property
        def pending(self) -> int:
            """Bytes received and not yet read."""


class Loopback:
    """The loopback interface of one kernel, which tells the kernel's hooks of packets and connections."""

    def __init__(self, hooks: Hooks, heap: Allowance | None = None, passed: Budget | None = None) -> None:
        self.heap = heap or Budget(MASK)  # what sockets hold takes from it
        self.passed = passed or Budget(MASK)  # files on their way
        self._hooks = hooks

    # -- TCP ------------------------------------------------------------------------------------

    def change(self, socket: Endpoint, state: int) -> None:
        """Set the state of a TCP socket's connection."""
        old, socket.state = socket.state, state
        if self._hooks.tcp_state:
            self._hooks.tcp_state(socket, old)

    def opened(self, client: Endpoint, server: Endpoint) -> None:
        """Open a connection by its three packets; `server` is the listener's end of it."""
        client.active, server.state = True, LISTEN
        self.change(client, SYN_SENT)
        self._tell("connect-request", client, self._segment(client, server, SYN))
        self.change(server, SYN_RECEIVED)
        packet = self._segment(server, client, SYN | ACK)
        self.change(client, ESTABLISHED)
        self._tell("connect-established", client, packet)
        packet = self._segment(client, server, ACK)
        self.change(server, ESTABLISHED)
        self._tell("accept-established", server, packet)

    def refused(self, client: Endpoint) -> None:
        """Refuse a connection: no socket listens at the address that `client` wants."""
        client.active = True
        self.change(client, SYN_SENT)
        request = self._segment(client, None, SYN)
        self._tell("connect-request", client, request)
        if request is not None:
            reply = Packet(request.target, request.source, TCP, 0, b"", RST | ACK, 0,
                            (client.initial + client.sent) & 0xFFFFFFFF)
            self._tell("accept-refused", client, reply)
            self._move(None, client, reply)
            self._tell("connect-refused", client, reply)
        self.change(client, CLOSED)

    def data(self, sender: Endpoint, data: bytes | bytearray) -> None:
        """Carry a part of a stream."""
        receiver = sender.peer
        if not self._watched():
            sender.sent += len(data)
            return
        for at in range(0, len(data), MSS):
            self._segment(sender, receiver, PUSH | ACK, data[at:at + MSS])

    def ended(self, sender: Endpoint) -> None:
        """End the sender's half of a connection; the first to do so waits for the other."""
        peer = sender.peer
        if sender.state not in (ESTABLISHED, CLOSE_WAIT):
            return
        first = sender.state == ESTABLISHED
        self.change(sender, FIN_WAIT_1 if first else LAST_ACK)
        self._segment(sender, peer, FIN | ACK)
        if peer is None:
            self.change(sender, CLOSED)
        elif first:
            self.change(peer, CLOSE_WAIT)
            self._segment(peer, sender, ACK)
            self.change(sender, FIN_WAIT_2)
        else:
            self.change(peer, TIME_WAIT)
            self._segment(peer, sender, ACK)
            self.change(sender, CLOSED)

    def reset(self, sender: Endpoint) -> None:
        """End a connection at once, for both."""
        if sender.state not in (ESTABLISHED, CLOSE_WAIT, FIN_WAIT_2):
            return
        peer = sender.peer
        self._segment(sender, peer, RST | ACK)
        self.change(sender, CLOSED)
        if peer is not None:
            self.change(peer, CLOSED)

    def _segment(self, sender: Endpoint, receiver: Endpoint | None, flags: int,
                 data: bytes | bytearray = b"") -> Packet | None:
        """Carry a segment and return its packet, if there is a watcher; a SYN or FIN counts as a byte."""
        sequence = sender.initial + sender.sent
        sender.sent += len(data) + bool(flags & (SYN | FIN))
        if not self._watched() or sender.local is None or sender.remote is None:
            return None
        acknowledged = 0 if sender.peer is None or not flags & ACK else sender.peer.initial + sender.peer.sent
        packet = Packet(sender.local, sender.remote, TCP, len(data), bytes(data[:SNAP]), flags,
                        sequence & 0xFFFFFFFF, acknowledged & 0xFFFFFFFF, sender.buffer - sender.pending)
        self._move(sender, receiver, packet)
        return packet

    # -- UDP ------------------------------------------------------------------------------------

    def datagram(self, sender: Endpoint, receiver: Endpoint | None, source: Address, target: Address,
                 data: bytes | bytearray) -> None:
        """Carry a datagram; `receiver` is None when no socket has the port."""
        if self._watched():
            self._move(sender, receiver, Packet(source, target, UDP, len(data), bytes(data[:SNAP])))

    # -- watchers -------------------------------------------------------------------------------

    def _watched(self) -> bool:
        hooks = self._hooks
        return bool(hooks.packet_send or hooks.packet_receive or hooks.connection)

    def _move(self, sender: Endpoint | None, receiver: Endpoint | None, packet: Packet) -> None:
        if self._hooks.packet_send:
            self._hooks.packet_send(sender, packet)
        if self._hooks.packet_receive:
            self._hooks.packet_receive(receiver, packet)

    def _tell(self, event: str, socket: Endpoint, packet: Packet | None) -> None:
        if self._hooks.connection:
            self._hooks.connection(socket, packet, event)
