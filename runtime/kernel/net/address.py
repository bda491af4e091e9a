"""Socket addresses: UNIX paths and names, IPv4 and IPv6 addresses with their ports."""

from __future__ import annotations

from dif.records import NamedTuple

AF_UNIX, AF_INET, AF_INET6, AF_NETLINK = 1, 2, 10, 16
_MAPPED = bytes(10) + b"\xff\xff"  # the first bytes of an IPv6 address that stands for one of IPv4


class Address(NamedTuple):
    """A socket's name.  UNIX: `host` is the path (b"\\0..." abstract); internet: the address and a port.

    Of AF_NETLINK, `port` is its number; 0 is the kernel.
    """

    family: int
    host: bytes = b""
    port: int = 0


def wide(host: bytes) -> bytes:
    """Return an address of 4 or 16 bytes as one of IPv6."""
    return host if len(host) == 16 else _MAPPED + host


def narrow(host: bytes) -> bytes | None:
    """Return the IPv4 address that an address is or stands for; None for another."""
    return host if len(host) == 4 else host[12:] if host[:12] == _MAPPED else None


def is_any(address: Address) -> bool:
    host = narrow(address.host)
    return host == bytes(4) if host is not None else address.host == bytes(16)


def is_local(address: Address) -> bool:
    """Whether an internet address is the machine's own."""
    host = narrow(address.host)
    if host is not None:
        return host[0] == 127 or host == bytes(4)
    return address.host in (bytes(15) + b"\x01", bytes(16))


def overlap(one: Address | None, other: Address, only_ipv6: bool) -> bool:
    """Whether one packet may be for both addresses.

    `only_ipv6`: the unspecified address of IPv6 does not include those of IPv4.
    """
    if one is None:
        return False
    a, b = narrow(one.host), narrow(other.host)
    if (a is None) != (b is None):
        return not only_ipv6 and is_any(one if a is None else other)
    return is_any(one) or is_any(other) or (a or one.host) == (b or other.host)


def source_for(name: Address) -> Address:
    """Return the machine's own address from which it sends to a destination."""
    if narrow(name.host) is not None:
        host = b"\x7f\0\0\1"
        return Address(name.family, host if name.family == AF_INET else wide(host))
    return Address(AF_INET6, bytes(15) + b"\x01")


def destination(name: Address) -> Address:
    """Return where a connection to an address leads: the unspecified one stands for the machine's own."""
    return source_for(name)._replace(port=name.port) if is_any(name) else name


def as_family(address: Address, family: int) -> Address:
    """Return an address in the form of `family`."""
    if family == AF_INET6 and address.family == AF_INET:
        return Address(AF_INET6, wide(address.host), address.port)
    return address
