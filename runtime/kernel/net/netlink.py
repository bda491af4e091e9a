"""Sockets of AF_NETLINK that programs ask for interfaces and their addresses (rtnetlink(7)).

Here is one interface, the loopback, which nobody can change.
"""

from __future__ import annotations

import errno
import struct
from collections.abc import Iterator

from runtime.kernel.net.address import AF_INET, AF_INET6, AF_NETLINK, Address
from runtime.kernel.net.interface import ARPHRD_LOOPBACK, FLAGS, INDEX, LOCALHOST, MTU, NAME, QUEUE
from runtime.kernel.net.socket import SOCK_DGRAM, Network, Peer, Segment, Socket

NETLINK_ROUTE = 0
_HEADER = struct.Struct("<IHHII")  # struct nlmsghdr: length, type, flags, sequence, who
_LINK, _ADDRESS = struct.Struct("<BxHiII"), struct.Struct("<BBBBI")  # struct ifinfomsg, struct ifaddrmsg
_REQUEST, _MULTI, _ACK, _DUMP = 1, 2, 4, 0x300
_ERROR, _DONE = 2, 3
_NEWLINK, _GETLINK, _GETADDR = 16, 18, 22  # the first is the least number of a question
_LOWER_UP = 0x10000
_PERMANENT, _HOST = 0x80, 254  # of an address: it stays, and is the machine's alone
_KERNEL = Address(AF_NETLINK)


def _attribute(kind: int, value: bytes) -> bytes:
    return (struct.pack("<HH", 4 + len(value), kind) + value).ljust(4 + (len(value) + 3 & -4), b"\0")


def _number(kind: int, value: int) -> bytes:
    return _attribute(kind, struct.pack("<I", value))


def _link() -> bytes:
    return _LINK.pack(0, ARPHRD_LOOPBACK, INDEX, FLAGS | _LOWER_UP, 0) + b"".join((
        _attribute(3, NAME + b"\0"), _number(13, QUEUE), _attribute(16, b"\0"), _attribute(17, b"\0"),
        _number(4, MTU), _number(27, 0), _attribute(6, b"noqueue\0"), _attribute(1, bytes(6)),
        _attribute(2, bytes(6)), _attribute(23, bytes(192)), _attribute(7, bytes(96))))


def _addresses(family: int) -> Iterator[bytes]:
    """The interface's addresses of a family, of each where that is 0."""
    forever = _attribute(6, b"\xff" * 8 + bytes(8)) + _number(8, _PERMANENT)
    if family in (0, AF_INET):
        yield (_ADDRESS.pack(AF_INET, 8, _PERMANENT, _HOST, INDEX) + _attribute(1, LOCALHOST)
               + _attribute(2, LOCALHOST) + _attribute(3, NAME + b"\0") + forever)
    if family in (0, AF_INET6):
        yield _ADDRESS.pack(AF_INET6, 128, _PERMANENT, _HOST, INDEX) + _attribute(1, bytes(15) + b"\x01") \
            + forever


class RouteSocket(Socket):
    """A socket through which the kernel answers questions about the network."""

    def __init__(self, network: Network, owner: Peer) -> None:
        super().__init__(network, AF_NETLINK, SOCK_DGRAM, owner)

    def name(self, wanted: int = 0) -> None:
        """Give it a number, unless it has one; its process's, if none is wanted.  Raises EADDRINUSE."""
        if self.local is not None:
            return
        taken = {other.local.port for other in self.network.sockets
                 if other.domain == AF_NETLINK and other.local is not None}
        number = wanted or self.owner.pid
        if wanted in taken:
            raise OSError(errno.EADDRINUSE, "")
        while number in taken:
            number = (number - 1) % (1 << 32)
        self.local = Address(AF_NETLINK, b"", number)

    def ask(self, data: bytes) -> int:
        """Answer the questions in a message; returns its length.  Raises ENOMEM."""
        self.name()
        at = 0
        while at + _HEADER.size <= len(data):
            length, kind, flags, sequence, _who = _HEADER.unpack_from(data, at)
            if not _HEADER.size <= length <= len(data) - at:
                break
            if flags & _REQUEST:
                self._answer(data[at:at + length], kind, flags, sequence)
            at += length + 3 & -4
        return len(data)

    def _answer(self, question: bytes, kind: int, flags: int, sequence: int) -> None:
        body = question[_HEADER.size:]
        if kind < _NEWLINK:  # nothing that asks
            number = 0
        elif kind % 4 != 2:  # it would change something
            number = errno.EPERM
        elif flags & _DUMP == _DUMP:
            self._list(kind, body[0] if body else 0, sequence)
            return
        elif kind == _GETLINK:
            number = self._tell_link(body, sequence)
        else:
            number = errno.EOPNOTSUPP
        if number or flags & _ACK:
            self._put(_ERROR, 0, sequence, struct.pack("<i", -number) + question[:_HEADER.size])

    def _list(self, kind: int, family: int, sequence: int) -> None:
        found = {_GETLINK: lambda: [_link()], _GETADDR: lambda: list(_addresses(family))}
        answers = found[kind]() if kind in found else []
        if answers:
            self._put(kind - 2, _MULTI, sequence, *answers)
        self._put(_DONE, _MULTI, sequence, bytes(4))

    def _tell_link(self, body: bytes, sequence: int) -> int:
        """Answer for one interface, by its number or its name; returns 0, or ENODEV for another one."""
        index = int.from_bytes(body[4:8], "little")
        if index != INDEX and (index or NAME + b"\0" not in body[_LINK.size:]):
            return errno.ENODEV
        self._put(_NEWLINK, 0, sequence, _link())
        return 0

    def _put(self, kind: int, flags: int, sequence: int, *bodies: bytes) -> None:
        """Queue messages of a kind as one datagram."""
        who = self.local.port if self.local is not None else 0
        self.take(Segment(bytearray().join(
            _HEADER.pack(_HEADER.size + len(body), kind, flags, sequence, who) + body for body in bodies),
            _KERNEL))
