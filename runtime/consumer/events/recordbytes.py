"""The bytes of a record: as an integer, as a C string, and as text where nothing is known of them.

What looks like a string is shown as one, everything else as a hexadecimal dump.
"""

from __future__ import annotations

from runtime.consumer.events.errors import AnswerError

_PRINTABLE = frozenset(range(0x20, 0x7F)) | frozenset(b"\t\n\v\f\r\b\a")
_MARGIN = b" " * 5
_HEADER = b"\n" + _MARGIN + b" " * 6 + b"".join(b"  %c" % c for c in b"0123456789abcdef") + \
    b"  0123456789abcdef\n"
_DOTS = bytes(c if 0x20 <= c <= 0x7E else 0x2E for c in range(256))
_ESCAPES = {0: b"\\0", 7: b"\\a", 8: b"\\b", 12: b"\\f", 10: b"\\n", 13: b"\\r", 9: b"\\t", 11: b"\\v",
            0x22: b'\\"', 0x5C: b"\\\\"}
_ESCAPED = tuple(_ESCAPES.get(c, bytes((c,)) if 0x20 <= c <= 0x7E else b"\\%03o" % c) for c in range(256))


def number(data: bytes, signed: bool = False) -> int:
    """A little-endian integer of 1, 2, 4 or 8 bytes.  Raises AnswerError for another size."""
    if len(data) not in (1, 2, 4, 8):
        raise AnswerError(f"{len(data)} bytes where an integer was expected")
    return int.from_bytes(data, "little", signed=signed)


def until_nul(data: bytes) -> bytes:
    """A C string: what comes before the first NUL byte."""
    return data.split(b"\0", 1)[0]


def escape(data: bytes) -> bytes:
    """The contents of a C string literal for `data`, up to and with its first NUL: `\\0`."""
    text, nul, _rest = data.partition(b"\0")
    return b"".join(_ESCAPED[c] for c in text + nul)


def looks_like_string(data: bytes) -> bool:
    """Printable text filled up with NULs, or printable text all through."""
    text = data.rstrip(b"\0")
    if not text:
        return False
    return _PRINTABLE.issuperset(text)


def dump(data: bytes) -> bytes:
    """Sixteen bytes a line, in hexadecimal and as characters."""
    lines = [_HEADER]
    for offset in range(0, len(data), 16):
        row = data[offset:offset + 16]
        lines.append(b"%s%5x:%s  %s\n" % (_MARGIN, offset, b"".join(b" %02x" % c for c in row).ljust(48),
                                          row.translate(_DOTS)))
    return b"".join(lines)


def blob(data: bytes, width: int, quiet: bool, raw: bool) -> bytes:
    """`data` as trace() shows it.  A negative `width` means left-aligned, as in printf."""
    if not data:
        return b""
    if raw or not looks_like_string(data):
        return dump(data)
    if data[-1]:  # no terminating NUL: always padded, quiet or not
        return b"  %-*s" % (abs(width), data)
    text = until_nul(data)
    if quiet:
        return text
    return b" %s%*s" % (b" " if width < 0 else b"", width, text)
