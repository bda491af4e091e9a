"""What the receiver of a datagram may ask to be told of it, by control messages: ip(7), ipv6(7), socket(7).

Its address here and its interface, how far it may still go, its class, and when it came.  A sender says the
second and third by options of its socket, or by control messages of the same names.
"""

from __future__ import annotations

import errno
import struct
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from dif.records import NamedTuple
from runtime.kernel.base.clock import MICROSECOND, SECOND
from runtime.kernel.net.address import AF_INET, AF_INET6, wide
from runtime.kernel.net.interface import INDEX
from runtime.kernel.net.socket import SOL_SOCKET, Passage
from runtime.kernel.vfs.vnode import failure

if TYPE_CHECKING:
    from runtime.kernel.net.address import Address
    from runtime.kernel.net.socket import Socket

Options = Mapping[tuple[int, int], bytes]
SOL_IP, SOL_IPV6 = 0, 41
IP_TOS, IP_TTL, IP_PKTINFO, IP_RECVTTL, IP_RECVTOS = 1, 2, 8, 12, 13
IPV6_UNICAST_HOPS, IPV6_RECVPKTINFO, IPV6_PKTINFO, IPV6_RECVHOPLIMIT, IPV6_HOPLIMIT = 16, 49, 50, 51, 52
IPV6_RECVTCLASS, IPV6_TCLASS = 66, 67
SO_TIMESTAMP, SO_TIMESTAMPNS, SO_TIMESTAMP_NEW, SO_TIMESTAMPNS_NEW = 29, 35, 63, 64
HOPS = 64  # that a datagram may go, unless somebody says otherwise
DEFAULT = -1  # a value that stands for what is so otherwise


class _Said(NamedTuple):
    """Where a sender says a number: by which control message, the least value of it, and by which option."""

    mark: tuple[int, int]
    least: int
    option: tuple[int, int]
    otherwise: int


# how far a datagram may go, and its class, by the family of the sender's socket
_SAID = {AF_INET: (_Said((SOL_IP, IP_TTL), 1, (SOL_IP, IP_TTL), HOPS),
                   _Said((SOL_IP, IP_TOS), 0, (SOL_IP, IP_TOS), 0)),
         AF_INET6: (_Said((SOL_IPV6, IPV6_HOPLIMIT), DEFAULT, (SOL_IPV6, IPV6_UNICAST_HOPS), HOPS),
                    _Said((SOL_IPV6, IPV6_TCLASS), DEFAULT, (SOL_IPV6, IPV6_TCLASS), 0))}


class Note(NamedTuple):
    """A control message: whose it is, its kind, and its bytes."""

    level: int
    kind: int
    body: bytes


def passage(sender: Socket, target: Address | None, marks: Options, now: int) -> Passage:
    """Return what a datagram to `target` tells; `marks` are its control messages.  Raises EINVAL."""
    if target is None or sender.domain not in _SAID:
        return Passage(None, now)
    lifetime, kind = [_number(sender, marks, each) for each in _SAID[sender.domain]]
    return Passage(target, now, lifetime, kind)


def _number(sender: Socket, marks: Options, said: _Said) -> int:
    data = marks.get(said.mark)
    if data is not None:
        value = int.from_bytes(data, "little", signed=True)
        if len(data) != 4 or not said.least <= value < 256:
            raise failure(errno.EINVAL)
        if value != DEFAULT:
            return value
    value = int.from_bytes(sender.options.get(said.option, b"\xff")[:4], "little", signed=True)
    return said.otherwise if value == DEFAULT else value & 0xFF


def notes(receiver: Socket, told: Passage | None, width: int) -> Iterator[Note]:
    """Yield what a receiver whose words have `width` bytes has asked for, of a datagram."""
    if told is None or not receiver.options:
        return
    for (level, option), (kind, body) in _NOTES.items():
        if any(receiver.options.get((level, option), b"")) and (level == SOL_SOCKET or told.to is not None):
            yield Note(level, kind, body(told, width))


def _time(unit: int, wide_numbers: bool) -> Callable[[Passage, int], bytes]:
    def body(told: Passage, width: int) -> bytes:
        form = "<qq" if wide_numbers or width == 8 else "<ii"
        return struct.pack(form, told.time // SECOND, told.time % SECOND // unit)
    return body


def _host(told: Passage) -> bytes:
    return told.to.host if told.to is not None else b""


def _int(told: Passage, _width: int) -> bytes:
    return struct.pack("<i", told.lifetime)


# by level and option: the kind of the control message, and what makes its bytes; in the order of Linux
_NOTES: Mapping[tuple[int, int], tuple[int, Callable[[Passage, int], bytes]]] = {
    (SOL_SOCKET, SO_TIMESTAMP): (SO_TIMESTAMP, _time(MICROSECOND, False)),
    (SOL_SOCKET, SO_TIMESTAMPNS): (SO_TIMESTAMPNS, _time(1, False)),
    (SOL_SOCKET, SO_TIMESTAMP_NEW): (SO_TIMESTAMP_NEW, _time(MICROSECOND, True)),
    (SOL_SOCKET, SO_TIMESTAMPNS_NEW): (SO_TIMESTAMPNS_NEW, _time(1, True)),
    (SOL_IP, IP_PKTINFO): (IP_PKTINFO, lambda told, _width: struct.pack(
        "<i4s4s", INDEX, _host(told)[-4:], _host(told)[-4:])),
    (SOL_IP, IP_RECVTTL): (IP_TTL, _int),
    (SOL_IP, IP_RECVTOS): (IP_TOS, lambda told, _width: bytes((told.kind,))),
    (SOL_IPV6, IPV6_RECVPKTINFO): (IPV6_PKTINFO, lambda told, _width: struct.pack(
        "<16si", wide(_host(told)), INDEX)),
    (SOL_IPV6, IPV6_RECVHOPLIMIT): (IPV6_HOPLIMIT, _int),
    (SOL_IPV6, IPV6_RECVTCLASS): (IPV6_TCLASS, lambda told, _width: struct.pack("<i", told.kind)),
}
