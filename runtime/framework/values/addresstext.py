"""Internet addresses as text, for inet_ntop(), inet_ntoa() and inet_ntoa6()."""

from __future__ import annotations

IPV4_ROOM, IPV6_ROOM = 16, 46  # INET_ADDRSTRLEN, INET6_ADDRSTRLEN
_V4_OFFSET = 12


def ipv4(raw: bytes) -> bytes:
    """Four bytes in network order as a dotted quad."""
    return b".".join(b"%d" % byte for byte in raw)


def _zero_run(raw: bytes) -> tuple[int, int]:
    """Offset and length in bytes of the groups that `::` stands for; length 0 if none."""
    best_start, best = 0, 1
    at = 0
    while at < 16:
        if raw[at]:
            at += 2
            continue
        end = at
        while end < 15 and raw[end] == 0:
            end += 1
        if end - at > best:
            best_start, best = at, end - end % 2 - at
            if raw[end] == 0:
                best += 2
        at = (end + 2) & ~1
    return best_start, best if best > 1 else 0


def embeds_ipv4(raw: bytes) -> bool:
    """Whether it is an IPv4-mapped or IPv4-compatible address."""
    if raw[:10] != bytes(10):
        return False
    return raw[10:12] == b"\xff\xff" or (raw[10:12] == b"\0\0" and raw[12:] not in (bytes(4), b"\0\0\0\1"))


def ipv6(raw: bytes) -> bytes:
    """Sixteen bytes as the shortest text, an embedded IPv4 address as a dotted quad."""
    start, length = _zero_run(raw)
    mixed = embeds_ipv4(raw)
    limit = _V4_OFFSET if mixed else 16
    groups = [b"%x" % int.from_bytes(raw[at:at + 2], "big") for at in range(0, limit, 2)]
    if mixed:
        groups.append(ipv4(raw[_V4_OFFSET:]))
    if not length:
        return b":".join(groups)
    return b":".join(groups[:start // 2]) + b"::" + b":".join(groups[(start + length) // 2:])
