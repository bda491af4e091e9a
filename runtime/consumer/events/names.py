"""Names from a kernel or a program's file, as they are shown: without what would steer a terminal."""

from __future__ import annotations

# control characters of ASCII and of ISO 6429, the latter also as lone bytes
_ESCAPES = {code: f"\\x{code:02x}" for code in (*range(0x20), *range(0x7F, 0xA0))} | \
    {0xDC00 + code: f"\\x{code:02x}" for code in range(0x80, 0xA0)}


def printable(name: str) -> str:
    """The name, with control characters as C writes them in hexadecimal.  Most names stay as they are."""
    return name if name.isprintable() else name.translate(_ESCAPES)


def printable_bytes(name: bytes) -> bytes:
    """As printable(), of bytes that are UTF-8 for the most part."""
    return printable(name.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
