"""Internet addresses as text, for inet_ntop(), inet_ntoa() and inet_ntoa6()."""

from __future__ import annotations

IPV4_ROOM, IPV6_ROOM = 16, 46  # INET_ADDRSTRLEN, INET6_ADDRSTRLEN
_GROUPS = 8  # of 16 bits each
_V4_GROUP = 6  # where an embedded IPv4 address begins


def ipv4(raw: bytes) -> bytes:
    """Four bytes in network order as a dotted quad."""
    return b".".join(b"%d" % byte for byte in raw)


def _zero_run(groups: list[int]) -> tuple[int, int]:
    """The first group and the number of groups that `::` stands for; no groups if there are no zeros.

    That is the longest run of zeros, and of runs as long the first, unless a later one stands before a
    group below 0x100.  A single zero at the end stands for itself.  So does the kernel's inet_ntop().
    """
    first, most = 0, 0
    start = 0
    while start < _GROUPS - 1:
        end = start
        while end < _GROUPS and groups[end] == 0:
            end += 1
        before_small = end < _GROUPS and groups[end] < 0x100
        if end - start > most or (end - start == most and before_small):
            first, most = start, end - start
        start = end + 1
    return first, most


def embeds_ipv4(raw: bytes) -> bool:
    """Whether it is an IPv4-mapped or IPv4-compatible address."""
    if raw[:10] != bytes(10):
        return False
    return raw[10:12] == b"\xff\xff" or (raw[10:12] == b"\0\0" and raw[12:] not in (bytes(4), b"\0\0\0\1"))


def ipv6(raw: bytes) -> bytes:
    """Sixteen bytes as the shortest text, an embedded IPv4 address as a dotted quad.

    Zeros that go on into the embedded address are not shortened.
    """
    groups = [raw[at] << 8 | raw[at + 1] for at in range(0, len(raw), 2)]
    first, zeros = _zero_run(groups)
    words = [b"%x" % group for group in groups]
    if embeds_ipv4(raw):
        words[_V4_GROUP:] = [ipv4(raw[2 * _V4_GROUP:])]
        if first + zeros > _V4_GROUP:
            zeros = 0
    if not zeros:
        return b":".join(words)
    return b":".join(words[:first]) + b"::" + b":".join(words[first + zeros:])
