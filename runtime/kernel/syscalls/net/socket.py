"""System calls on sockets."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import struct
from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar

from runtime.kernel.base.clock import MICROSECOND, SECOND
from runtime.kernel.base.errors import MemoryFault
from runtime.kernel.base.privileges import NET_ACCESS, NET_PRIVADDR, SYS_IP_CONFIG
from runtime.kernel.base.signals import SIGPIPE, SignalInfo
from runtime.kernel.base.words import signed
from runtime.kernel.net.address import (
    AF_INET,
    AF_INET6,
    AF_NETLINK,
    AF_UNIX,
    Address,
    as_family,
    destination,
    is_any,
    is_local,
    source_for,
)
from runtime.kernel.net.loopback import TCP, UDP
from runtime.kernel.net.netlink import NETLINK_ROUTE, RouteSocket
from runtime.kernel.net.socket import (
    LARGEST,
    SO_LINGER,
    SO_PASSCRED,
    SOCK_DGRAM,
    SOCK_SEQPACKET,
    SOCK_STREAM,
    SOL_SOCKET,
    Peer,
    Segment,
    Socket,
    SocketFile,
    SocketNode,
)
from runtime.kernel.process.opening import AT_FDCWD, credentials, files, resolve, view
from runtime.kernel.process.usermemory import (
    gather,
    read_int,
    read_iovec,
    read_timespec,
    read_words,
    scatter,
    word,
    write_int,
)
from runtime.kernel.syscalls.files.pipe import anonymous
from runtime.kernel.syscalls.lookup import add, get_file
from runtime.kernel.syscalls.net.packetinfo import (
    SO_TIMESTAMP,
    SO_TIMESTAMP_NEW,
    SO_TIMESTAMPNS,
    SO_TIMESTAMPNS_NEW,
    SOL_IP,
    SOL_IPV6,
    notes,
    passage,
)
from runtime.kernel.syscalls.net.sockaddr import (
    pack_address,
    read_address,
    read_control,
    read_header,
    read_sockaddr,
    unnamed,
    unpack_address,
    write_address,
    write_control,
    write_results,
)
from runtime.kernel.syscalls.process.timers import write_timespec
from runtime.kernel.vfs.disk.overlay import Special
from runtime.kernel.vfs.fops import fop_create, kept, until_ready
from runtime.kernel.vfs.vnode import WRITE, File, failure

if TYPE_CHECKING:
    from runtime.kernel.process.thread import Thread

T = TypeVar("T")
UNKNOWN = Peer(0, 65534, 65534)  # who has sent what was sent before its receiver asked for that
SIN6_LEAST = 24  # bytes of an address of IPv6, at least
SOCK_CLOEXEC, SOCK_NONBLOCK, SOCK_MAX, SOCK_MASK = os.O_CLOEXEC, os.O_NONBLOCK, 11, 15
FAMILIES, PROTOCOLS = 46, 263  # as many as there can be
MSG_OOB, MSG_PEEK, MSG_TRUNC, MSG_DONTWAIT, MSG_WAITALL = 1, 2, 0x20, 0x40, 0x100
MSG_ERRQUEUE = 0x2000
MSG_NOSIGNAL, MSG_CMSG_CLOEXEC, MSG_CMSG_COMPAT = 0x4000, 0x40000000, 0x80000000
SOCK_RAW = 3
SO_DEBUG, SO_REUSEADDR, SO_TYPE, SO_ERROR, SO_SNDBUF, SO_RCVBUF = 1, 2, 3, 4, 7, 8
SO_PRIORITY, SO_REUSEPORT, SO_PEERCRED, SO_MARK = 12, 15, 17, 36
FORCED = {32: SO_SNDBUF, 33: SO_RCVBUF}  # beyond the limits of those
SO_TIMES = (SO_TIMESTAMP, SO_TIMESTAMPNS, SO_TIMESTAMP_NEW, SO_TIMESTAMPNS_NEW)  # of which one is set at most
SO_FLAGS = (SO_DEBUG, SO_REUSEADDR, 5, 6, 9, 10, SO_REUSEPORT, SO_PASSCRED, *SO_TIMES)  # which are set or not
SMALL, TEXTS = 4, {(TCP, 13), (TCP, 31)}  # bytes of a number, and the options that are none
LARGEST_BUFFER = 4 << 20  # that a program may ask for
SMALLEST_BUFFERS = {SO_SNDBUF: 4608, SO_RCVBUF: 2304}  # bytes
# SO_RCVTIMEO and SO_SNDTIMEO, and their new forms with words of 64 bits everywhere: where they are kept.
_TIMEOUTS = {20: "receive_timeout", 21: "send_timeout", 66: "receive_timeout", 67: "send_timeout"}
_WIDE_TIMEOUTS = (66, 67)
SO_ACCEPTCONN, SO_PROTOCOL, SO_DOMAIN, SO_LAST = 30, 38, 39, 83
LAST_OPTIONS = {SOL_IP: 64, TCP: 45}  # the largest number of each protocol's
SO_FIXED = (SO_TYPE, SO_ERROR, SO_PEERCRED, SO_ACCEPTCONN, SO_PROTOCOL, SO_DOMAIN)  # which are read only
_TYPES = {AF_UNIX: (SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET), AF_INET: (SOCK_STREAM, SOCK_DGRAM),
          AF_INET6: (SOCK_STREAM, SOCK_DGRAM)}
_PROTOCOLS = {SOCK_STREAM: TCP, SOCK_DGRAM: UDP}


def _socket(thread: Thread, fd: int) -> Socket:
    return _file(thread, fd).socket


def _file(thread: Thread, fd: int) -> SocketFile:
    file = get_file(thread, fd)
    if not isinstance(file, SocketFile):
        raise failure(errno.ENOTSOCK)
    return file


def _owner(thread: Thread) -> Peer:
    who = credentials(thread)
    return Peer(thread.process.pid, who.uid, who.gid)


def _new_file(thread: Thread, socket: Socket, flags: int) -> File:
    kernel = thread.kernel
    return SocketFile(SocketNode(anonymous(thread, stat.S_IFSOCK, 0o777)), flags, socket,
                      lambda: _owner(kernel.current))


def _check_flags(kind: int) -> None:
    if kind & ~(SOCK_CLOEXEC | SOCK_NONBLOCK | SOCK_MASK):
        raise failure(errno.EINVAL)


def _new_socket(thread: Thread, domain: int, kind: int, protocol: int) -> Socket:
    _check_flags(kind)
    kind &= SOCK_MASK
    local = domain == AF_UNIX
    if domain in range(FAMILIES) and kind >= SOCK_MAX:
        raise failure(errno.EINVAL)
    if domain == AF_NETLINK:
        return _new_netlink(thread, kind, protocol)
    if domain not in _TYPES:
        raise failure(errno.EAFNOSUPPORT)
    if not local and protocol not in range(PROTOCOLS):
        raise failure(errno.EINVAL)
    if local and kind == SOCK_RAW:
        kind = SOCK_DGRAM  # as in Linux
    known = kind in _TYPES[domain]
    if protocol and (protocol != AF_UNIX if local else known and protocol != _PROTOCOLS[kind]):
        raise failure(errno.EPROTONOSUPPORT)
    if not known:
        unnumbered = kind == SOCK_RAW and not protocol and not local
        raise failure(errno.EPROTONOSUPPORT if unnumbered else errno.ESOCKTNOSUPPORT)
    return Socket(thread.process.zone.network, domain, kind, _owner(thread))


def _new_netlink(thread: Thread, kind: int, protocol: int) -> Socket:
    if kind not in (SOCK_RAW, SOCK_DGRAM):
        raise failure(errno.ESOCKTNOSUPPORT)
    if protocol != NETLINK_ROUTE:
        raise failure(errno.EPROTONOSUPPORT)
    return RouteSocket(thread.process.zone.network, _owner(thread))


# -- making and naming

def sys_socket(thread: Thread, domain: int, kind: int, protocol: int) -> int:
    if domain != AF_UNIX and not thread.process.identity.has(NET_ACCESS):
        raise failure(errno.EACCES)
    return add(thread, _new_file(thread, _new_socket(thread, domain, kind, protocol), kind), kind)


def sys_socketpair(thread: Thread, domain: int, kind: int, protocol: int, result: int) -> int:
    _check_flags(kind)
    first, second = files(thread).free(2)
    thread.write(result, struct.pack("<ii", first, second))  # whatever comes of it
    one = _new_socket(thread, domain, kind, protocol)
    if domain != AF_UNIX:
        raise failure(errno.EOPNOTSUPP)
    other = _new_socket(thread, domain, kind, protocol)
    one.pair(other)
    add(thread, _new_file(thread, one, kind), kind)
    try:
        add(thread, _new_file(thread, other, kind), kind)
    except OSError:
        files(thread).close(first)
        raise
    return 0


def sys_bind(thread: Thread, fd: int, address: int, size: int) -> int:
    socket = _socket(thread, fd)
    name = read_address(thread, address, size)
    if name.family != socket.domain:
        short = socket.domain == AF_INET6 and size < SIN6_LEAST
        raise failure(errno.EINVAL if socket.domain == AF_UNIX or short else errno.EAFNOSUPPORT)
    if socket.domain == AF_UNIX:
        _bind_unix(thread, socket, name)
    elif isinstance(socket, RouteSocket):
        socket.name(name.port)
    elif socket.local is not None:
        raise failure(errno.EINVAL)
    else:
        if not is_local(name):
            raise failure(errno.EADDRNOTAVAIL)
        if 0 < name.port < 1024 and not thread.process.identity.has(NET_PRIVADDR):
            raise failure(errno.EACCES)
        socket.local = socket.network.claim(socket, name)
        socket.bound = True
    return 0


def _bind_unix(thread: Thread, socket: Socket, name: Address) -> None:
    names, named = socket.network.abstract, socket.local is not None
    if not name.host:
        if named:
            return
        name = Address(AF_UNIX, b"\0%05x" % len(names))
    if name.host[:1] == b"\0":
        key = socket.type, name.host
        if named:
            raise failure(errno.EINVAL)
        if key in names:
            raise failure(errno.EADDRINUSE)
        names[key] = socket
    else:
        found = resolve(thread, AT_FDCWD, name.host, follow=False)
        if found.node is not None:
            raise failure(errno.EADDRINUSE)
        if named:
            raise failure(errno.EINVAL)
        mode = stat.S_IFSOCK | 0o777 & ~view(thread).umask
        node = fop_create(thread, found.parent, found.name, mode, credentials(thread))
        assert isinstance(node, Special)
        node.body = socket
    socket.local = name


def _name_itself(thread: Thread, socket: Socket) -> None:
    """Give a socket of AF_UNIX a name, if it has none and asks for credentials (unix(7): autobind)."""
    if socket.domain == AF_UNIX and socket.local is None and socket.asks:
        _bind_unix(thread, socket, Address(AF_UNIX))


def _target(thread: Thread, socket: Socket, name: Address) -> Socket:
    """Return the socket at an address.  Raises ECONNREFUSED, ENETUNREACH, ENOENT ..."""
    if name.family != AF_UNIX:
        if not is_local(name):
            raise failure(errno.ENETUNREACH)
        target = socket.network.find(socket.type, name)
    elif not name.host:
        raise failure(errno.EINVAL)
    elif name.host[:1] == b"\0":
        target = socket.network.abstract.get((socket.type, name.host))
    else:
        node = resolve(thread, AT_FDCWD, name.host).existing
        if not isinstance(node, Special) or node.kind != stat.S_IFSOCK:
            raise failure(errno.ECONNREFUSED)
        node.demand(credentials(thread), WRITE)
        target = node.body if isinstance(node.body, Socket) else None
    if target is None or target.closed:
        raise failure(errno.ECONNREFUSED)
    if target.type != socket.type:
        raise failure(errno.EPROTOTYPE)
    return target


def sys_connect(thread: Thread, fd: int, address: int, size: int) -> int:
    get_file(thread, fd)
    data = read_sockaddr(thread, address, size)
    file = _file(thread, fd)
    socket = file.socket
    if data[:2] == b"\0\0" and (socket.tcp or not socket.stream):  # AF_UNSPEC ends the connection
        socket.disconnect()
        return 0
    if socket.domain == AF_UNIX and data[:2] != AF_UNIX.to_bytes(2, "little"):
        raise failure(errno.EINVAL)
    name = unpack_address(data)
    if socket.tcp and not socket.connecting:
        socket.demand_free()
    if socket.type == SOCK_DGRAM and socket.domain == AF_INET6 and name.family == AF_INET:
        name = as_family(name, AF_INET6)
    if name.family != socket.domain:
        raise failure(errno.EAFNOSUPPORT)
    _name_itself(thread, socket)
    if isinstance(socket, RouteSocket):
        socket.name()
        return 0
    if socket.domain != AF_UNIX:
        name = destination(name)
    if not socket.stream:
        if socket.domain == AF_UNIX:
            target = _target(thread, socket, name)
            if not target.hears(socket):
                raise failure(errno.EPERM)
            socket.peer = target
        elif not is_local(name):
            raise failure(errno.ENETUNREACH)
        else:
            socket.choose_source(name)
        socket.remote = name
        return 0
    return _connect_stream(thread, file, name)


def _connect_stream(thread: Thread, file: SocketFile, name: Address) -> int:
    socket = file.socket
    if socket.connecting:  # a second call returns how the first one ended
        socket.connecting = False
        socket.raise_error()
        return 0
    local = socket.domain == AF_UNIX
    later = file.nonblocking and not local
    try:
        listener = _target(thread, socket, name)
        _wait_peer(thread, file, listener, partial(socket.connect, listener, name), file.nonblocking)
    except ConnectionRefusedError as error:
        if socket.tcp:
            socket.refused(name)
        if not later:
            raise
        socket.error = error.errno or errno.ECONNREFUSED
    if later:
        socket.connecting = True
        raise failure(errno.EINPROGRESS)
    return 0


def sys_listen(thread: Thread, fd: int, backlog: int) -> int:
    _socket(thread, fd).listen(backlog)
    return 0


def sys_accept(thread: Thread, fd: int, address: int, size: int) -> int:
    return sys_accept4(thread, fd, address, size, 0)


def sys_accept4(thread: Thread, fd: int, address: int, size: int, flags: int) -> int:
    if flags & ~(SOCK_CLOEXEC | SOCK_NONBLOCK):
        raise failure(errno.EINVAL)
    file = _file(thread, fd)
    if not file.socket.stream:
        raise failure(errno.EOPNOTSUPP)
    connection = until_ready(thread, file, partial(file.socket.accept, wait=not file.nonblocking),
                             timeout=file.receive_timeout)
    number = add(thread, _new_file(thread, connection, flags), flags)
    if address:
        write_address(thread, address, size, connection.remote, connection.domain)
    return number


def sys_getsockname(thread: Thread, fd: int, address: int, size: int) -> int:
    socket = _socket(thread, fd)
    write_address(thread, address, size, socket.local, socket.domain)
    return 0


def sys_getpeername(thread: Thread, fd: int, address: int, size: int) -> int:
    socket = _socket(thread, fd)
    if (socket.peer is None and socket.remote is None) or socket.over:
        raise failure(errno.ENOTCONN)
    name = socket.remote
    if socket.domain == AF_UNIX and socket.peer is not None:
        name = socket.peer.local  # which may have got it since
    write_address(thread, address, size, name, socket.domain)
    return 0


def sys_shutdown(thread: Thread, fd: int, how: int) -> int:
    socket = _socket(thread, fd)
    if how not in (0, 1, 2):
        raise failure(errno.EINVAL)
    connected = socket.peer is not None or socket.remote is not None or socket.listening
    connected = connected and not socket.over
    if socket.tcp and socket.listening and how != 1:
        socket.disconnect()  # it can listen anew
        return 0
    socket.shutdown(how in (0, 2), how in (1, 2))
    if socket.domain != AF_UNIX and not connected:
        raise failure(errno.ENOTCONN)
    return 0


# -- sending

def _send(thread: Thread, file: SocketFile, data: bytes, name: Address | None, flags: int,
          passed: list[File], sender: Peer | None,
          marks: Mapping[tuple[int, int], bytes] = MappingProxyType({})) -> int:
    socket = file.socket
    if flags & MSG_OOB:
        raise failure(errno.EOPNOTSUPP)
    nonblocking = file.nonblocking or bool(flags & MSG_DONTWAIT)
    segment = Segment(bytearray(data), socket.local, passed, sender)
    try:
        if isinstance(socket, RouteSocket):
            return socket.ask(data)
        if socket.stream:
            if name is not None and socket.domain == AF_UNIX and socket.type == SOCK_STREAM:
                raise failure(errno.EISCONN if socket.was_connected else errno.EOPNOTSUPP)
            return _send_stream(thread, file, segment, nonblocking)
        if len(data) > LARGEST.get(socket.domain, len(data)):
            raise failure(errno.EMSGSIZE)
        target = _datagram_target(thread, socket, name)
        if target is None:
            source, to = _source(socket, name or socket.remote), name or socket.remote
            if source is not None and to is not None:
                socket.network.wire.datagram(socket, None, source, to, data)
            segment.drop()
            return len(data)
        if marks or target.options:
            to = name or socket.remote
            segment.passage = passage(socket, to, marks, thread.kernel.walltime())
        segment.source = _source(socket, name or socket.remote)
        return _wait_peer(thread, file, target, lambda: socket.deliver(target, segment), nonblocking)
    except OSError as error:
        if error.errno == errno.EPIPE and file.is_stream and not flags & MSG_NOSIGNAL:
            thread.post(SignalInfo(SIGPIPE, pid=thread.pid, uid=thread.uid), thread)
        segment.drop()
        raise


def _wait_peer(thread: Thread, file: SocketFile, target: Socket, operation: Callable[[], T],
               nonblocking: bool) -> T:
    """Call `operation` until the receiver has room, and return its result.  Raises OSError."""
    try:
        return operation()
    except BlockingIOError:
        if nonblocking:
            raise
    with kept(file):
        while thread.sleep([file.socket.queue, target.queue], timeout=file.send_timeout):
            with contextlib.suppress(BlockingIOError):
                return operation()
    raise failure(errno.EAGAIN)


def _send_stream(thread: Thread, file: SocketFile, segment: Segment, nonblocking: bool) -> int:
    socket = file.socket
    size = len(segment.data)
    rest = segment
    while True:
        try:
            went = until_ready(thread, file, partial(socket.send, rest), nonblocking=nonblocking,
                               timeout=file.send_timeout)
        except OSError as error:
            done = size - len(rest.data)
            if done and error.errno in (errno.EAGAIN, errno.EINTR):
                return done
            raise
        segment.files = []  # they went with the first bytes
        rest = Segment(rest.data[went:], None, [], rest.sender)
        if not rest.data:
            return size


def _source(socket: Socket, target: Address | None) -> Address | None:
    """Return the address that the receiver of a datagram sees."""
    local = socket.local
    if local is None or target is None or local.family == AF_UNIX or not is_any(local):
        return local
    return source_for(target)._replace(port=local.port)


def _datagram_target(thread: Thread, socket: Socket, name: Address | None) -> Socket | None:
    """Return the socket that gets a datagram; None if no socket has its UDP port."""
    if name is not None and socket.domain == AF_INET and name.family != AF_INET:
        raise failure(errno.EAFNOSUPPORT)
    if socket.domain != AF_UNIX and socket.local is None:
        socket.local = socket.network.claim(socket, unnamed(socket.domain))
    if name is not None or socket.peer is not None:
        _name_itself(thread, socket)
    if name is None:
        socket.raise_error()
        if socket.peer is not None:
            return socket.peer
        if socket.remote is None:
            raise failure(errno.ENOTCONN if socket.domain == AF_UNIX else errno.EDESTADDRREQ)
        name = socket.remote
    try:
        target = _target(thread, socket, name)
    except ConnectionRefusedError:
        if socket.domain == AF_UNIX:
            raise
        if socket.remote is not None:
            socket.error = errno.ECONNREFUSED
        return None
    return target


def sys_send(thread: Thread, fd: int, buffer: int, size: int, flags: int) -> int:
    return sys_sendto(thread, fd, buffer, size, flags, 0, 0)


def sys_sendto(thread: Thread, fd: int, buffer: int, size: int, flags: int, address: int,
               address_size: int) -> int:
    file = _file(thread, fd)
    name = _destination(thread, file.socket, address, address_size)
    return _send(thread, file, thread.read(buffer, size), name, flags, [], file.sender())


def _destination(thread: Thread, socket: Socket, address: int, size: int) -> Address | None:
    """Return where a message is to go, which a connection of TCP does not look at."""
    data = read_sockaddr(thread, address, size) if address else b""
    return unpack_address(data) if data and not socket.tcp else None


def _refuse_compat(thread: Thread, flags: int) -> None:
    """Raise EINVAL for the flag that only the kernel sets, for 32-bit programs."""
    if flags & MSG_CMSG_COMPAT and word(thread) == 8:
        raise failure(errno.EINVAL)


def sys_sendmsg(thread: Thread, fd: int, message: int, flags: int) -> int:
    _refuse_compat(thread, flags)
    file = _file(thread, fd)
    header = read_header(thread, message)
    name = _destination(thread, file.socket, header.name, header.name_size)
    data = gather(thread, read_iovec(thread, header.vector, header.segments))
    control = read_control(thread, header)
    return _send(thread, file, data, name, flags, control.passed, control.sender or file.sender(),
                 control.marks)


def sys_sendmmsg(thread: Thread, fd: int, vector: int, count: int, flags: int) -> int:
    return _each_message(thread, fd, vector, count, flags, sys_sendmsg)


def _each_message(thread: Thread, fd: int, vector: int, count: int, flags: int,
                  call: Callable[[Thread, int, int, int], int], deadline: int | None = None) -> int:
    """Make the call for each message; returns how many there were.

    What fails after the first one is told by the next call that receives.
    """
    _refuse_compat(thread, flags)
    socket = _socket(thread, fd)
    size = 64 if word(thread) == 8 else 32
    receives = call is sys_recvmsg
    for at in range(min(count, 1024)):
        message = vector + at * size
        try:
            write_int(thread, message + size - word(thread), call(thread, fd, message, flags))
        except (OSError, MemoryFault) as error:
            if not at:
                raise
            number = getattr(error, "errno", errno.EFAULT)
            if receives and number != errno.EAGAIN:
                socket.error = number
            return at
        if receives and deadline is not None and thread.kernel.hrtime() >= deadline:
            return at + 1
    return min(count, 1024)


# -- receiving

def _receive(thread: Thread, file: SocketFile, size: int, flags: int) -> tuple[Segment | None, int]:
    socket = file.socket
    if socket.type == SOCK_SEQPACKET and not socket.was_connected:
        raise failure(errno.ENOTCONN)
    if flags & MSG_OOB and (socket.stream or socket.domain == AF_UNIX):  # UDP does not look at it
        raise failure(errno.EINVAL if socket.type == SOCK_STREAM else errno.EOPNOTSUPP)
    if flags & MSG_ERRQUEUE and socket.domain != AF_UNIX:
        raise failure(errno.EAGAIN)  # no errors are queued
    nonblocking = file.nonblocking or bool(flags & MSG_DONTWAIT)
    peek = bool(flags & MSG_PEEK)

    def take() -> tuple[Segment | None, int]:
        if flags & MSG_WAITALL and socket.type == SOCK_STREAM and not nonblocking:
            ended = socket.peer_has_ended or socket.read_shut
            if socket.pending < min(size, socket.buffer) and not ended:
                raise failure(errno.EAGAIN)
        return socket.receive(size, peek=peek, waits=not nonblocking)

    segment, length = until_ready(thread, file, take, nonblocking=nonblocking, timeout=file.receive_timeout)
    if segment is not None and peek:
        for passed in segment.files:
            passed.hold()
    return segment, length


def sys_recv(thread: Thread, fd: int, buffer: int, size: int, flags: int) -> int:
    return sys_recvfrom(thread, fd, buffer, size, flags, 0, 0)


def sys_recvfrom(thread: Thread, fd: int, buffer: int, size: int, flags: int, address: int,
                 address_size: int) -> int:
    file = _file(thread, fd)
    segment, length = _receive(thread, file, size, flags)
    if segment is None:
        return 0
    _store(thread, file.socket, segment, [(buffer, size)], bool(flags & MSG_PEEK))
    sender = _sender(file.socket, segment)
    if address and sender is not None:
        write_address(thread, address, address_size, sender, file.socket.domain)
    elif address:
        if read_int(thread, address_size) < 0:
            raise failure(errno.EINVAL)
        write_int(thread, address_size, 0)
    segment.drop()
    return length if flags & MSG_TRUNC and file.socket.type != SOCK_STREAM else len(segment.data)


def _store(thread: Thread, socket: Socket, segment: Segment, pairs: list[tuple[int, int]],
           peeked: bool) -> None:
    """Store received bytes in user memory.  Where that fails, a stream keeps them.  Raises MemoryFault."""
    try:
        scatter(thread, pairs, bytes(segment.data))
    except MemoryFault:
        if socket.type == SOCK_STREAM and not peeked:
            socket.take_back(segment)
        else:
            segment.drop()
        raise


def _sender(socket: Socket, segment: Segment) -> Address | None:
    """Return the name of the socket that sent a segment, if it has one and TCP does not keep it."""
    if socket.domain != AF_UNIX:
        return None if socket.stream else segment.source
    origin = socket.peer if socket.stream else segment.origin
    return None if origin is None else origin.local


def sys_recvmsg(thread: Thread, fd: int, message: int, flags: int) -> int:
    _refuse_compat(thread, flags)
    file = _file(thread, fd)
    header = read_header(thread, message)
    pairs = read_iovec(thread, header.vector, header.segments)
    segment, length = _receive(thread, file, sum(size for _, size in pairs), flags)
    wanted = file.socket.asks
    if segment is None:
        nobody = Peer(0, 0, 0) if wanted and file.socket.type == SOCK_STREAM else None
        used, _ = write_control(thread, header, (), [], nobody, False)
        write_results(thread, message, 0 if header.name else None, used, 0)
        return 0
    _store(thread, file.socket, segment, pairs, bool(flags & MSG_PEEK))
    name_size = None
    if header.name:
        source = b""
        sender = _sender(file.socket, segment)
        if sender is not None:
            source = pack_address(sender)
        thread.write(header.name, source[:header.name_size])
        name_size = len(source)
    sender_known = (segment.sender or UNKNOWN) if wanted else None
    told = notes(file.socket, segment.passage, word(thread))
    used, result_flags = write_control(thread, header, told, segment.files, sender_known,
                                       bool(flags & MSG_CMSG_CLOEXEC))
    if length > len(segment.data) and file.socket.type != SOCK_STREAM:
        result_flags |= MSG_TRUNC
    write_results(thread, message, name_size, used, result_flags | flags & MSG_CMSG_CLOEXEC)
    return length if flags & MSG_TRUNC and file.socket.type != SOCK_STREAM else len(segment.data)


def sys_recvmmsg(thread: Thread, fd: int, vector: int, count: int, flags: int, timeout: int) -> int:
    return _receive_several(thread, fd, vector, count, flags, timeout, thread.process.bits)


def sys_recvmmsg_time64(thread: Thread, fd: int, vector: int, count: int, flags: int, timeout: int) -> int:
    return _receive_several(thread, fd, vector, count, flags, timeout, 64)


def _receive_several(thread: Thread, fd: int, vector: int, count: int, flags: int, timeout: int,
                     bits: int) -> int:
    deadline = None
    if timeout:
        deadline = thread.kernel.hrtime() + read_timespec(thread, timeout, bits)
    received = _each_message(thread, fd, vector, count, flags, sys_recvmsg, deadline)
    if deadline is not None and received:
        write_timespec(thread, timeout, max(deadline - thread.kernel.hrtime(), 0), bits)
    return received


# -- options

def _levels(socket: Socket) -> set[int]:
    """The protocols that have options of a socket of the internet's."""
    protocol = {_PROTOCOLS[socket.type]} if socket.domain != AF_UNIX else set()
    return {SOL_IP, *protocol, *((SOL_IPV6,) if socket.domain == AF_INET6 else ())}


def _timeout_form(thread: Thread, name: int) -> struct.Struct:
    return struct.Struct("<qq" if word(thread) == 8 or name in _WIDE_TIMEOUTS else "<ii")


def _read_timeout(thread: Thread, form: struct.Struct, value: int, size: int) -> int | None:
    """Return how long a call may wait, in ns: None, for ever, where that is 0, and 0 where it is less."""
    if size < form.size:
        raise failure(errno.EINVAL)
    seconds, fraction = form.unpack(thread.read(value, form.size))
    if not 0 <= fraction < SECOND // MICROSECOND:
        raise failure(errno.EDOM)
    return 0 if seconds < 0 else seconds * SECOND + fraction * MICROSECOND or None


def sys_setsockopt(thread: Thread, fd: int, level: int, name: int, value: int, size: int) -> int:
    socket = _socket(thread, fd)
    if size < 0:
        raise failure(errno.EINVAL)
    if level != SOL_SOCKET:
        if socket.domain == AF_UNIX:
            raise failure(errno.EOPNOTSUPP)
        if level not in _levels(socket) or not 0 < name <= LAST_OPTIONS.get(level, name):
            raise failure(errno.ENOPROTOOPT)
        if size < SMALL and level != SOL_IP and (level, name) not in TEXTS:
            raise failure(errno.EINVAL)
        socket.set_option(level, name, thread.read(value, min(size, 64)))
        return 0
    if name in _TIMEOUTS:
        timeout = _read_timeout(thread, _timeout_form(thread, name), value, size)
        setattr(_file(thread, fd), _TIMEOUTS[name], timeout)
        return 0
    if size < SMALL:
        raise failure(errno.EINVAL)
    number = read_int(thread, value)
    _demand_option(thread, name, number)
    name = FORCED.get(name, name)
    if name in SO_FIXED or not 0 < name <= SO_LAST:
        raise failure(errno.ENOPROTOOPT)
    if name in (SO_REUSEADDR, SO_REUSEPORT):
        socket.reuse = bool(number)
    if name in (SO_SNDBUF, SO_RCVBUF):
        number = max(2 * min(number & 0xFFFFFFFF, LARGEST_BUFFER), SMALLEST_BUFFERS[name])
        if name == SO_SNDBUF:
            socket.buffer = number
    if name == SO_LINGER:
        if size < 8:
            raise failure(errno.EINVAL)
        socket.set_option(level, name, struct.pack("<i", bool(number)) + thread.read(value + 4, 4))
        return 0
    if name in SO_TIMES:
        for each in SO_TIMES:
            socket.options.pop((level, each), None)
    if name in SO_FLAGS:
        number = bool(number)
    if name == SO_PASSCRED and not number:
        socket.options.pop((level, name), None)
    else:
        socket.set_option(level, name, struct.pack("<i", number))
    return 0


def _demand_option(thread: Thread, name: int, number: int) -> None:
    """Raise EACCES or EPERM for what only those may set who configure the network."""
    limits = {SO_DEBUG: range(1), SO_PRIORITY: range(7), SO_MARK: (), **dict.fromkeys(FORCED, ())}
    if number not in limits.get(name, (number,)) and not thread.process.identity.has(SYS_IP_CONFIG):
        raise failure(errno.EACCES if name == SO_DEBUG else errno.EPERM)


def _option(socket: Socket, level: int, name: int) -> bytes:
    if level == SOL_SOCKET:
        if name == SO_PEERCRED:
            return struct.pack("<iii", *(socket.peer_owner or (0, -1, -1)))
        if name == SO_ERROR:
            number, socket.error = socket.error, 0
            return struct.pack("<i", number)
        protocol = 0 if socket.domain == AF_UNIX else _PROTOCOLS[socket.type]
        fixed = {SO_TYPE: socket.type, SO_DOMAIN: socket.domain, SO_PROTOCOL: protocol,
                 SO_ACCEPTCONN: int(socket.listening)}
        if name in fixed:
            return struct.pack("<i", fixed[name])
        if name in (SO_SNDBUF, SO_RCVBUF):
            return socket.options.get((level, name), struct.pack("<i", socket.buffer))
        if not 0 < name <= SO_LAST:
            raise failure(errno.ENOPROTOOPT)
    elif not 0 < name <= LAST_OPTIONS.get(level, name):
        raise failure(errno.ENOPROTOOPT)
    return socket.options.get((level, name), bytes(8 if (level, name) == (SOL_SOCKET, SO_LINGER) else 4))


def sys_getsockopt(thread: Thread, fd: int, level: int, name: int, value: int, size: int) -> int:
    socket = _socket(thread, fd)
    if level != SOL_SOCKET and (socket.domain == AF_UNIX or level not in _levels(socket)):
        raise failure(errno.ENOPROTOOPT if socket.domain == AF_INET6 else errno.EOPNOTSUPP)
    room = read_int(thread, size)
    if room < 0 and level == SOL_IPV6:
        room = SMALL
    if room < 0:
        raise failure(errno.EINVAL)
    if level == SOL_SOCKET and name in _TIMEOUTS:
        timeout = getattr(_file(thread, fd), _TIMEOUTS[name]) or 0
        data = _timeout_form(thread, name).pack(timeout // SECOND, timeout % SECOND // MICROSECOND)
    else:
        data = _option(socket, level, name)
    small = level == SOL_IP and room < SMALL and not any(data[1:])  # a number that has room in a byte
    data = data[:1 if small else room] if room else b""
    thread.write(value, data)
    write_int(thread, size, len(data))
    return 0


# -- i386's one call for all

_CALLS: dict[int, tuple[Callable[..., int], str]] = {
    1: (sys_socket, "iii"), 2: (sys_bind, "ipi"), 3: (sys_connect, "ipi"), 4: (sys_listen, "ii"),
    5: (sys_accept, "ipp"), 6: (sys_getsockname, "ipp"), 7: (sys_getpeername, "ipp"),
    8: (sys_socketpair, "iiip"), 9: (sys_send, "ippp"), 10: (sys_recv, "ippp"), 11: (sys_sendto, "ippppi"),
    12: (sys_recvfrom, "ippppp"), 13: (sys_shutdown, "ii"), 14: (sys_setsockopt, "iiipi"),
    15: (sys_getsockopt, "iiipp"), 16: (sys_sendmsg, "ipp"), 17: (sys_recvmsg, "ipp"),
    18: (sys_accept4, "ippi"), 19: (sys_recvmmsg, "ipppp"), 20: (sys_sendmmsg, "ippp"),
}


def sys_socketcall(thread: Thread, call: int, arguments: int) -> int:
    """Carry out one of i386's calls; in the table, `p` is an unsigned argument, `i` a signed one."""
    if call not in _CALLS:
        raise failure(errno.EINVAL)
    function, kinds = _CALLS[call]
    values = read_words(thread, arguments, len(kinds))
    return function(thread, *[value if kind == "p" else signed(value, 32)
                              for value, kind in zip(values, kinds, strict=True)])
