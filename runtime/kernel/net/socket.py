"""Sockets: UNIX domain sockets, and TCP and UDP over the machine's loopback.

There is no other network: only the machine's own addresses can be reached.
"""

from __future__ import annotations

import errno
import os
import struct
from collections import deque
from collections.abc import Callable

from dif.records import NamedTuple, Record, field
from runtime.kernel.base.wait import NOTHING_TOLD, ROOM_AGAIN, WaitQueue
from runtime.kernel.memory.physical import PAGE
from runtime.kernel.net.address import (
    AF_INET,
    AF_INET6,
    AF_UNIX,
    Address,
    as_family,
    is_any,
    overlap,
    source_for,
)
from runtime.kernel.net.interface import interface_ioctl
from runtime.kernel.net.loopback import BOUND, CLOSED, IDLE, LISTEN, Loopback
from runtime.kernel.vfs.ioctls import FIONREAD, TIOCOUTQ
from runtime.kernel.vfs.vnode import (
    POLLERR,
    POLLHUP,
    POLLRDHUP,
    POLLWRBAND,
    READABLE,
    WRITABLE,
    File,
    Vnode,
    failure,
)

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from runtime.kernel.base.caller import Caller

SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET = 1, 2, 5
IPPROTO_IPV6, IPV6_V6ONLY = 41, 26
SOL_SOCKET, SO_LINGER, SO_PASSCRED = 1, 13, 16
BUFFER = 212992
LARGEST = {AF_INET: 65507, AF_INET6: 65527}  # bytes of a datagram
MOST_SEGMENTS = 1024  # that wait in a socket
MOST_FROM_OTHERS = 10  # datagrams that wait in a socket of AF_UNIX before one that is not its peer must wait
IN_BUFFER, IN_PAGES = 16064, 17 * PAGE  # bytes of a datagram of AF_UNIX that are kept together, and beyond
IN_PART, PART_PAGES = 3776, 8 * PAGE  # the same of a part of a stream
MOST_OPTIONS = 256  # of a socket
MOST_WAITING = 4096  # connections, whatever a program asks for
SEGMENT = 2048  # bytes of kernel memory for what holds some bytes together, or waits to be accepted
FIRST_PORT = 32768  # the first of the ports that the machine chooses itself


class Peer(NamedTuple):
    """The process at the other end, as SO_PEERCRED returns it."""

    pid: int
    uid: int
    gid: int


class Passage(NamedTuple):
    """How a datagram has come: to which address, when (ns since 1970), how far it could still go, its class.

    A local one has no address, and a `lifetime` of -1.
    """

    to: Address | None
    time: int
    lifetime: int = -1
    kind: int = 0


class Segment(Record):
    """Received bytes that belong together: a datagram or a part of a stream, and files that came with it."""

    data: bytearray
    source: Address | None = None
    files: list[File] = field(default_factory=list)
    sender: Peer | None = None
    origin: Socket | None = None  # of AF_UNIX: its name is that at the time when the bytes are read
    passage: Passage | None = None  # of a datagram, if its receiver may ask
    memory: int = 0  # of AF_UNIX: what it takes of its origin's

    def drop(self) -> None:
        for file in self.files:
            file.release()
        self.files = []


def memory_of(size: int, kept: int) -> int:
    """Return the memory that Linux takes for bytes sent by AF_UNIX, of which a sender has a limited amount.

    That is 256 bytes for itself, pages for what is beyond the bytes that are `kept` together, and those with
    320 bytes of management, for which the kernel has places of 512 bytes, 1024 and so on.
    """
    pages = -(-min(max(size - kept, 0), IN_PAGES) // PAGE) * PAGE
    piece = (max(size - pages, 0) + 63 & -64) + 320
    return 256 + max(512, 1 << (piece - 1).bit_length()) + pages


class Network:
    """A zone's sockets, and the names that are in use: abstract UNIX names, and ports."""

    def __init__(self, wire: Loopback, zone: int = 0) -> None:
        self.wire = wire
        self.zone = zone
        self.sockets: dict[Socket, None] = {}  # those that are not closed, the oldest first
        self.abstract: dict[tuple[int, bytes], Socket] = {}  # (type, name)
        self.ports: dict[tuple[int, int], list[Socket]] = {}  # (type, port)
        self._next_port = FIRST_PORT

    def free_port(self, kind: int) -> int:
        while (kind, self._next_port) in self.ports:
            self._next_port = self._next_port + 1 if self._next_port < 60999 else FIRST_PORT
        port = self._next_port
        self._next_port += 1
        return port

    def claim(self, socket: Socket, address: Address) -> Address:
        """Give an internet socket an address, with a free port for port 0.  Raises EADDRINUSE."""
        port = address.port or self.free_port(socket.type)
        holders = self.ports.setdefault((socket.type, port), [])
        for other in holders:
            shared = other.reuse and socket.reuse and not other.listening
            if overlap(other.local, address, socket.only_ipv6 or other.only_ipv6) and not shared:
                raise failure(errno.EADDRINUSE)
        holders.append(socket)
        socket.local = address._replace(port=port)
        if socket.tcp:
            self.wire.change(socket, BOUND)
        return socket.local

    def release(self, socket: Socket) -> None:
        if socket.local is None:
            return
        if socket.domain == AF_UNIX:
            name = socket.type, socket.local.host
            if self.abstract.get(name) is socket:
                del self.abstract[name]
            return
        holders = self.ports.get((socket.type, socket.local.port), [])
        if socket in holders:
            holders.remove(socket)
        if not holders:
            self.ports.pop((socket.type, socket.local.port), None)

    def find(self, kind: int, address: Address) -> Socket | None:
        """Return the socket that receives what is sent to an address of the machine, if there is one."""
        for socket in self.ports.get((kind, address.port), ()):
            connected = socket.peer is not None or socket.remote is not None
            if overlap(socket.local, address, socket.only_ipv6) and (kind == SOCK_DGRAM or not connected):
                return socket
        return None


class Socket:
    """A socket.  A connected stream has a `peer`; a datagram socket has at most a `remote` address."""

    def __init__(self, network: Network, domain: int, kind: int, owner: Peer) -> None:
        self.network = network
        self.domain = domain
        self.type = kind
        self.owner = owner
        self.inode = 0  # until it has a file
        self.queue = WaitQueue("socket")
        self._held = 0  # bytes of kernel memory
        self.received: deque[Segment] = deque()
        self.arrivals = 0  # of input and connections
        self.waiting: deque[Socket] = deque()  # connections to accept
        self.backlog = 0
        self.listening = False
        self.local: Address | None = None
        self.remote: Address | None = None
        self.peer: Socket | None = None
        self.peer_owner: Peer | None = None
        self.was_connected = False
        self.was_reset = False  # by the peer
        self.connecting = False  # the program has not asked yet how a non-blocking connect ended
        self.read_shut = self.write_shut = self.closed = False
        self.error = 0
        self.reuse = False
        self.bound = False  # the program has chosen its internet address
        self.options: dict[tuple[int, int], bytes] = {}
        self.state = IDLE  # of its TCP connection
        self.active = False  # it asked for the connection
        self.sent = 0  # of its sequence numbers
        self.buffer = BUFFER
        self._lacked_room = False  # when it wanted to send
        self.in_flight = 0  # memory of what it has sent by AF_UNIX and nobody has read yet
        self._held_up: set[Socket] = set()  # those of AF_UNIX that wait until it has read some
        network.sockets[self] = None

    @property
    def stream(self) -> bool:
        return self.type != SOCK_DGRAM

    @property
    def tcp(self) -> bool:
        return self.type == SOCK_STREAM and self.domain != AF_UNIX

    @property
    def only_ipv6(self) -> bool:
        """Whether it takes nothing from IPv4, even if its address is unspecified."""
        return any(self.options.get((IPPROTO_IPV6, IPV6_V6ONLY), b""))

    @property
    def asks(self) -> bool:
        """Whether it asks for the credentials of who sends to it."""
        return (SOL_SOCKET, SO_PASSCRED) in self.options

    @property
    def takes(self) -> bool:
        """Whether it takes connections."""
        return self.listening and not self.closed and not self.read_shut

    @property
    def initial(self) -> int:
        """Its first sequence number."""
        return self.local.port << 16 if self.local is not None else 0

    @property
    def pending(self) -> int:
        """Bytes received and not yet read."""
        return sum(len(segment.data) for segment in self.received)

    @property
    def unread(self) -> int:
        """Bytes that the next read can return."""
        return self.pending if self.stream or not self.received else len(self.received[0].data)

    def pair(self, other: Socket) -> None:
        """Connect this socket and another with each other."""
        self.peer, other.peer = other, self
        self.was_connected = other.was_connected = True
        self.peer_owner, other.peer_owner = other.owner, self.owner
        self.remote, other.remote = other.local, self.local
        self.queue.wake_all()
        other.queue.wake_all()

    def set_option(self, level: int, name: int, value: bytes) -> None:
        """Keep an option's value.  Raises ENOMEM beyond the number of options that there can be."""
        if len(self.options) >= MOST_OPTIONS and (level, name) not in self.options:
            raise failure(errno.ENOMEM)
        self.options[level, name] = value

    @property
    def _ended(self) -> bool:
        """Whether it is a stream of AF_UNIX that can send nothing: that counts before a pending error."""
        gone = self.write_shut or (self.peer is not None and self.peer.closed)
        return self.domain == AF_UNIX and self.type == SOCK_STREAM and gone

    # -- connecting

    def listen(self, backlog: int) -> None:
        if not self.stream:
            raise failure(errno.EOPNOTSUPP)
        if self.peer is not None:
            raise failure(errno.EINVAL)
        if self.local is None:
            if self.domain == AF_UNIX:
                raise failure(errno.EINVAL)
            anywhere = Address(self.domain, bytes(4 if self.domain == AF_INET else 16))
            self.local = self.network.claim(self, anywhere)
        self.listening = True
        if self.domain == AF_UNIX:
            self.peer_owner = self.owner
        if self.tcp:
            self.network.wire.change(self, LISTEN)
        self.backlog = backlog if 0 <= backlog <= MOST_WAITING else MOST_WAITING

    def demand_free(self) -> None:
        """Raise EISCONN for a connected stream, and for one that listens, or EINVAL for that of AF_UNIX."""
        if self.was_connected or (self.listening and self.domain != AF_UNIX):
            raise failure(errno.EISCONN)
        if self.listening:
            raise failure(errno.EINVAL)

    def connect(self, listener: Socket, name: Address) -> None:
        """Connect a stream to a listening socket.  Raises ECONNREFUSED, BlockingIOError."""
        if not listener.takes or listener.type != self.type:
            raise failure(errno.ECONNREFUSED if listener.type == self.type else errno.EPROTOTYPE)
        if len(listener.waiting) > listener.backlog:
            raise failure(errno.EAGAIN)
        if self.domain == AF_UNIX:
            self.demand_free()
        else:
            self.choose_source(name)
        self.network.wire.heap.take(SEGMENT)
        other = Socket(self.network, listener.domain, self.type, listener.owner)
        other.local = listener.local if self.domain == AF_UNIX else as_family(name, listener.domain)
        self.pair(other)
        self.remote = name
        if self.local is not None and self.domain != AF_UNIX:
            other.remote = as_family(self.local, listener.domain)
        if self.tcp:
            self.network.wire.opened(self, other)
        listener.waiting.append(other)
        listener.arrivals += 1
        listener.queue.wake_all(READABLE)

    def choose_source(self, name: Address) -> None:
        """Give an internet socket the address and port from which it reaches `name`, unless it has them."""
        if self.local is None:
            self.network.claim(self, source_for(name))
        elif is_any(self.local):
            self.local = self.local._replace(host=source_for(name).host)

    def refused(self, name: Address) -> None:
        """Let the loopback show a connection that is refused at the address `name`."""
        unbound = self.local is None
        if unbound:
            self.network.claim(self, source_for(name))
        self.remote = name
        self.network.wire.refused(self)
        self.remote = None
        if unbound:
            self.network.release(self)
            self.local = None

    def accept(self, *, wait: bool = True) -> Socket:
        """Return the connection that has waited longest.  Raises BlockingIOError, EINVAL.

        Of AF_UNIX only a call that is ready to `wait` finds that there will be none.
        """
        if not self.listening:
            raise failure(errno.EINVAL)
        if not self.waiting:
            ended = self.read_shut and (wait or self.domain != AF_UNIX)
            raise failure(errno.EINVAL if ended else errno.EAGAIN)
        connection = self.waiting.popleft()
        self.network.wire.heap.give(SEGMENT)
        self.queue.wake_all(NOTHING_TOLD)
        return connection

    # -- moving bytes

    def send(self, segment: Segment) -> int:
        """Send part of a stream; returns how many bytes.  Raises BlockingIOError, BrokenPipeError."""
        if not self._ended:
            self.raise_error()
        if self.peer is None:
            raise failure(errno.EPIPE if self.was_connected or self.domain != AF_UNIX else errno.ENOTCONN)
        unix = self.domain == AF_UNIX
        gone = self.peer.closed or (self.peer.read_shut and (unix or self.peer.write_shut))
        if self.write_shut or self.was_reset or (unix and gone):
            raise failure(errno.EPIPE)
        if not segment.data and self.type == SOCK_STREAM:
            return 0
        if gone:
            self.peer.be_reset(errno.ECONNRESET)  # TCP learns so that the peer has done with it
            self.be_reset(errno.EPIPE)
            return len(segment.data)
        if unix:
            return self._send_part(self.peer, segment)
        room = self.buffer - self.peer.pending
        if len(self.peer.received) >= MOST_SEGMENTS or room <= 0:
            raise self._lacking()
        taken = min(room, len(segment.data))
        self.network.wire.data(self, segment.data[:taken])
        self.peer.take(Segment(segment.data[:taken], None, segment.files, segment.sender), merge=True)
        return taken

    def _send_part(self, peer: Socket, segment: Segment) -> int:
        """Send a message of AF_UNIX, or part of a stream; returns how many bytes.  See `send`."""
        size, kept = len(segment.data), IN_BUFFER
        if self.type == SOCK_STREAM:
            size, kept = min(size, IN_PART + PART_PAGES, self.buffer // 2 - 64), IN_PART
        elif size > self.buffer - 32:
            raise failure(errno.EMSGSIZE)
        if self.in_flight >= self.buffer:
            raise self._lacking()
        memory = memory_of(size, kept)
        part = Segment(segment.data[:size], None, segment.files, segment.sender, self, None, memory)
        peer.take(part)
        self.in_flight += memory
        return size

    def take(self, segment: Segment, *, merge: bool = False) -> None:
        """Queue what another socket sends; `merge` appends it to the last segment where that is possible.

        Raises ENOMEM, ETOOMANYREFS.
        """
        self.network.wire.passed.take(len(segment.files))
        try:
            self._hold(len(segment.data) + SEGMENT)
        except OSError:
            self._arrived(segment)
            raise
        self.arrivals += 1
        last = self.received[-1] if self.received else None
        alike = last is not None and not (segment.files or last.files) and last.sender == segment.sender
        if merge and last is not None and alike:
            last.data += segment.data
        elif segment.data or not merge:
            self.received.append(segment)
        self.queue.wake_all(READABLE)

    def deliver(self, target: Socket, segment: Segment) -> int:
        """Send a datagram; returns its length.  Raises EMSGSIZE, BlockingIOError, ECONNREFUSED."""
        if len(segment.data) > (LARGEST.get(self.domain) or self.buffer - 32):
            raise failure(errno.EMSGSIZE)
        if self.write_shut:
            raise failure(errno.EPIPE)
        if target.closed and self.peer is target:
            self.peer = self.remote = None  # the next one finds no connection
            self._discard()
        if target.closed:
            self.queue.wake_all(WRITABLE)  # it did not go out, and its memory is free again
            raise failure(errno.ECONNREFUSED)
        if not target.hears(self):
            raise failure(errno.EPERM)
        if target.read_shut and self.domain == AF_UNIX:
            raise failure(errno.EPIPE)
        segment.origin = self if self.domain == AF_UNIX else None
        if segment.source is not None and target.local is not None and self.domain != AF_UNIX:
            to = target.local if not is_any(target.local) else \
                source_for(segment.source)._replace(port=target.local.port)
            self.network.wire.datagram(self, target, segment.source, to, segment.data)
        if self.domain == AF_UNIX:
            if self.in_flight >= self.buffer or target.is_full_for(self):
                raise self._lacking()
            segment.memory = memory_of(len(segment.data), IN_BUFFER)
        elif len(target.received) >= MOST_SEGMENTS or target.pending + len(segment.data) > target.buffer:
            segment.drop()  # UDP loses it
            return len(segment.data)
        target.take(segment)
        self.in_flight += segment.memory
        if self.domain != AF_UNIX:
            self.queue.wake_all(WRITABLE)  # it has gone out
        return len(segment.data)

    def is_full_for(self, sender: Socket) -> bool:
        """Whether it takes no more datagrams of AF_UNIX from another, which then is woken when it does."""
        if sender in (self, self.peer) or len(self.received) <= MOST_FROM_OTHERS:
            return False
        self._held_up.add(sender)
        return True

    def hears(self, other: Socket) -> bool:
        """Whether it takes another socket's datagrams: one of AF_UNIX that is connected takes its peer's."""
        return self.domain != AF_UNIX or self.peer in (None, other)

    def receive(self, size: int, *, peek: bool = False, waits: bool = True) -> tuple[Segment | None, int]:
        """Return the bytes for one read (None at the end), and the length of the datagram or of those bytes.

        Of one that takes no more datagrams only a call that `waits` finds the end.
        Raises BlockingIOError, ENOTCONN, and the pending error of the connection.
        """
        if self.listening:
            raise failure(errno.EINVAL if self.domain == AF_UNIX else errno.ENOTCONN)
        if self.type != SOCK_STREAM or not (self.received or self._has_end):
            self.raise_error()
        if not self.received:
            if self.stream and self.peer is None and not self.was_connected:
                local = self.domain == AF_UNIX and self.type == SOCK_STREAM
                raise failure(errno.EINVAL if local else errno.ENOTCONN)
            if (self.stream and self.peer_has_ended) or (self.read_shut and (self.stream or waits)):
                return None, 0
            raise failure(errno.EAGAIN)
        if self.type != SOCK_STREAM:
            segment = self.received[0] if peek else self.received.popleft()
            if not peek:
                self._arrived(segment)
                self._release(segment)
                self._made_room(len(segment.data))
            cut = Segment(segment.data[:size], segment.source, segment.files, segment.sender, segment.origin,
                          segment.passage)
            return cut, len(segment.data)
        return self._receive_stream(size, peek)

    def _receive_stream(self, size: int, peek: bool) -> tuple[Segment, int]:
        first = self.received[0]
        result = Segment(bytearray(), first.source, [], first.sender)
        taken = 0
        for segment in list(self.received):
            if result.files or len(result.data) >= size or segment.sender != first.sender:
                break
            result.files = segment.files
            part = segment.data[:size - len(result.data)]
            result.data += part
            if peek:
                continue
            del segment.data[:len(part)]
            self._arrived(segment)
            segment.files = []
            if not segment.data:
                self._release(segment)
                taken += 1
        for _ in range(taken):
            self.received.popleft()
        if not peek:
            self._made_room(len(result.data))
        return result, len(result.data)

    def take_back(self, segment: Segment) -> None:
        """Take back part of a stream that has been received, as its first one: no place was there for it."""
        self._hold(len(segment.data) + SEGMENT)
        self.network.wire.passed.take(len(segment.files))
        self.received.appendleft(segment)

    def _arrived(self, segment: Segment) -> None:
        """The files that came with a segment are on their way no longer."""
        self.network.wire.passed.give(len(segment.files))

    def _release(self, segment: Segment) -> None:
        """Give its sender back the memory of what AF_UNIX has brought."""
        if segment.origin is not None:
            segment.origin.in_flight -= segment.memory
            if segment.origin._has_memory:
                segment.origin._tell_room()

    def _hold(self, size: int) -> None:
        """Take kernel memory for `size` more bytes, besides what is held.  Raises ENOMEM."""
        held = self.pending + SEGMENT * len(self.received) + size
        self.network.wire.heap.take(held - self._held)
        self._held = held

    def _made_room(self, size: int) -> None:
        """Wake those that wait to send, after `size` bytes have been read."""
        self._hold(0)
        if self.tcp and self.peer is not None:
            pending = self.pending
            if self._is_enough(pending) and not self._is_enough(pending + size):
                self.peer._tell_room()
            else:
                self.peer.queue.wake_all(NOTHING_TOLD)
        self._wake_senders()

    def _lacking(self) -> OSError:
        """Remember that it found no room; returns EAGAIN."""
        self._lacked_room = True
        return failure(errno.EAGAIN)

    def _tell_room(self) -> None:
        """Wake those that wait until it can send."""
        lacked, self._lacked_room = self._lacked_room, False
        self.queue.wake_all(WRITABLE | ROOM_AGAIN * lacked)

    def _is_enough(self, pending: int) -> bool:
        """Whether its peer is told that it can send by TCP: a third of what it may is free."""
        return self.peer is not None and 3 * pending <= 2 * self.peer.buffer

    def _wake_senders(self) -> None:
        """Wake those that its being full has held up."""
        for sender in self._held_up:
            sender._tell_room()
        self._held_up.clear()

    def raise_error(self) -> None:
        """Raise the pending error, if there is one, and forget it."""
        if self.error:
            number, self.error = self.error, 0
            raise failure(number)

    # -- the end

    @property
    def over(self) -> bool:
        """Whether both sides of a connection of TCP have ended, or it was reset."""
        return self.tcp and self.was_connected and (
            self.was_reset or (self.write_shut and self.peer_has_ended))

    @property
    def peer_has_ended(self) -> bool:
        """Whether the other side of a stream sends no more."""
        return self.peer is None or self.peer.closed or self.peer.write_shut

    @property
    def _has_end(self) -> bool:
        """Whether the end of what TCP receives has come, whatever went wrong since."""
        return self.tcp and self.peer is not None and self.peer.write_shut

    def be_reset(self, number: int) -> None:
        """Have the connection end at once; the next call fails with an error."""
        self.error, self.was_reset = number, self.stream
        self.queue.wake_all()

    def shutdown(self, read: bool, write: bool) -> None:
        if write and self.tcp:
            self.network.wire.ended(self)
        self.read_shut |= read
        self.write_shut |= write
        self.queue.wake_all()
        if self.peer is not None and self.stream and (write or not self.tcp):
            self.peer.queue.wake_all()

    def disconnect(self) -> None:
        """End the connection, so that there can be another one; that of a stream is reset."""
        if self.stream:
            self.network.wire.change(self, CLOSED)
            self._reset_waiting()
            self.error = errno.ECONNRESET if self.was_connected else 0
            self.listening = self.was_connected = self.was_reset = self.connecting = False
            self.read_shut = self.write_shut = False
            self._discard()
            if self.peer is not None:
                self.peer.peer = None
                self.peer.be_reset(errno.ECONNRESET)
        if self.local is not None and self.domain != AF_UNIX and not self.bound:
            self.local = self.local._replace(host=bytes(len(self.local.host)))
        self.peer = self.remote = None
        self.queue.wake_all()

    def _reset_waiting(self) -> None:
        """Nobody accepts the connections that wait for it any more."""
        self.network.wire.heap.give(SEGMENT * len(self.waiting))
        for connection in self.waiting:
            connection.close(resets=True)
        self.waiting.clear()

    def close(self, *, resets: bool = False) -> None:
        """Close it; a stream that has something unread, or is not to linger, `resets` its connection, too."""
        resets = self.stream and (resets or bool(self.received) or self._resets)
        if self.tcp:
            end = self.network.wire.reset if resets else self.network.wire.ended
            end(self)
            self.write_shut |= not resets
            if self.listening:
                self.network.wire.change(self, CLOSED)
        self.closed = True
        self.network.sockets.pop(self, None)
        self.network.release(self)
        peer = self.peer
        if peer is not None and resets:
            peer.be_reset(errno.ECONNRESET)
        self._discard()
        self._reset_waiting()
        if peer is not None and self.stream:
            peer.queue.wake_all()
        self.queue.wake_all()

    @property
    def _resets(self) -> bool:
        """Whether its closing resets a connection of TCP: it is not to linger."""
        switch, seconds = struct.unpack("<ii", self.options.get((SOL_SOCKET, SO_LINGER), bytes(8)))
        return self.tcp and bool(switch) and not seconds

    def _discard(self) -> None:
        """Throw away what has been received."""
        for segment in self.received:
            self._arrived(segment)
            self._release(segment)
            segment.drop()
        self.received.clear()
        self._hold(0)
        self._wake_senders()

    @property
    def _has_memory(self) -> bool:
        """Whether most of what it may take for sending by AF_UNIX is free."""
        return 4 * self.in_flight <= self.buffer

    @property
    def _sends_datagrams(self) -> bool:
        """Whether poll(2) says so: of AF_UNIX as long as most of its memory is free."""
        if self.domain != AF_UNIX:
            return True
        return self._has_memory and (self.peer is None or not self.peer.is_full_for(self))

    def poll(self) -> int:
        """Return the POLL* bits that hold now."""
        if self.listening:
            ended = READABLE | POLLRDHUP | (POLLHUP if self.write_shut else 0) if self.read_shut else 0
            return ended | (READABLE if self.waiting else 0)
        peer = self.peer
        ended = self.stream and self.was_connected and (self.peer_has_ended or self.was_reset)
        events = 0
        no_more = self.read_shut or ended
        if self.received or no_more:
            events |= READABLE
        if no_more or (self.connecting and not self.was_connected):
            events |= POLLRDHUP
        gone = self.stream and self.was_connected and (
            self.was_reset or (not self.tcp and (peer is None or peer.closed)))
        unheard = self.domain == AF_UNIX and self.stream and peer is not None and peer.read_shut
        if gone or (no_more and (self.write_shut or unheard)) or (self.stream and not self.was_connected):
            events |= POLLHUP
        if self.error:
            events |= POLLERR | (READABLE if self.stream else 0)
        sends = self._sends_datagrams if not self.stream else gone or peer is None or (
            self.write_shut or peer._is_enough(peer.pending) if self.tcp else self._has_memory)
        if sends or (self.stream and not self.was_connected):
            events |= WRITABLE if self.tcp else WRITABLE | POLLWRBAND
        return events


class SocketNode(Vnode):
    """The node behind a socket's descriptor."""

    __slots__ = ()

    def full_path(self) -> bytes:
        return b"socket:[%d]" % self.attributes.ino


class SocketFile(File):
    """An open socket; read and write are recv and send without flags."""

    def __init__(self, vnode: Vnode, flags: int, socket: Socket, writer: Callable[[], Peer]) -> None:
        super().__init__(vnode, os.O_RDWR | flags & os.O_NONBLOCK)
        self.socket = socket
        socket.inode = vnode.attributes.ino
        self._writer = writer
        self.queue = socket.queue

    @property
    def is_stream(self) -> bool:
        return self.socket.type == SOCK_STREAM

    def read(self, size: int) -> bytes:
        segment, _length = self.socket.receive(size, waits=not self.nonblocking)
        if segment is None:
            return b""
        segment.drop()
        return bytes(segment.data)

    def put_back(self, data: bytes, delivered: int) -> int:
        if self.socket.type == SOCK_STREAM:  # a message is lost
            self.socket.take_back(Segment(bytearray(data)))
        return 0

    def sender(self) -> Peer | None:
        """The credentials of who writes, if the receiver has asked for them."""
        peer = self.socket.peer
        asked = self.socket.domain == AF_UNIX and peer is not None and peer.asks
        return self._writer() if asked else None

    def write(self, data: bytes) -> int:
        socket = self.socket
        segment = Segment(bytearray(data), None if socket.stream else socket.local, [], self.sender())
        if socket.stream:
            return socket.send(segment)
        socket.raise_error()
        if socket.peer is not None:
            return socket.deliver(socket.peer, segment)
        if socket.remote is None:
            raise failure(errno.ENOTCONN if socket.domain == AF_UNIX else errno.EDESTADDRREQ)
        target = socket.network.find(socket.type, socket.remote)
        if target is None:
            if socket.local is not None:
                socket.network.wire.datagram(socket, None, socket.local, socket.remote, data)
            socket.error = errno.ECONNREFUSED
            return len(data)
        return socket.deliver(target, segment)

    def poll(self) -> int:
        return self.socket.poll()

    @property
    def arrived(self) -> int:
        return self.socket.arrivals

    def ioctl(self, thread: Caller, request: int, argument: int) -> int:
        socket = self.socket
        if request in (FIONREAD, TIOCOUTQ):
            if socket.listening and (request == FIONREAD or socket.tcp):
                raise failure(errno.EINVAL)
            count = socket.unread if request == FIONREAD else socket.in_flight
            thread.write(argument, count.to_bytes(4, "little"))
            return 0
        if interface_ioctl(thread, socket.domain, request, argument):
            return 0
        return super().ioctl(thread, request, argument)

    def close(self) -> None:
        self.socket.close()
