"""Mach-O files, of one architecture or several, as far as to find their DOF sections.

The layouts are those of <mach-o/loader.h> and <mach-o/fat.h>: a header (28 bytes, 32 for 64 bits), then load
commands, of which LC_SEGMENT and LC_SEGMENT_64 carry sections.  A section holds DOF if its type, the low byte
of its flags, is S_DTRACE_DOF, or its name begins with __dof_, as the linker calls them.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from dif.records import NamedTuple
from dof.format import DofError

# The first four bytes -> byte order, and whether the words are of 64 bits.
_THIN = {b"\xfe\xed\xfa\xce": (">", False), b"\xce\xfa\xed\xfe": ("<", False),
         b"\xfe\xed\xfa\xcf": (">", True), b"\xcf\xfa\xed\xfe": ("<", True)}
_FAT = {b"\xca\xfe\xba\xbe": False, b"\xca\xfe\xba\xbf": True}
_SEGMENT, _SEGMENT_64 = 0x1, 0x19
_DOF_TYPE = 0xF  # S_DTRACE_DOF
_ARCHITECTURES = {7: "i386", 0x1000007: "x86_64", 12: "arm", 0x100000C: "arm64", 18: "ppc",
                  0x1000012: "ppc64"}
_MOST_ARCHITECTURES = 32  # a Java class file has the same magic number, and a version of 45 or more here
_MOST_COMMANDS, _MOST_SECTIONS = 1 << 14, 256


class Piece(NamedTuple):
    """A DOF section: its place in words, its offset and its size in bytes of the file."""

    place: str
    offset: int
    size: int


def is_macho(data: bytes) -> bool:
    """Whether this is a Mach-O file, and no Java class."""
    return data[:4] in _THIN or \
        (data[:4] in _FAT and 0 < int.from_bytes(data[4:8], "big") <= _MOST_ARCHITECTURES)


def dof_sections(data: bytes) -> Iterator[Piece]:
    """The DOF sections of a Mach-O file.  Raises DofError."""
    if data[:4] in _THIN:
        yield from _sections(data, 0, len(data), "")
        return
    wide = _FAT[data[:4]]
    layout = struct.Struct(">IIQQII" if wide else ">IIIII")
    for number in range(int.from_bytes(data[4:8], "big")):
        at = 8 + number * layout.size
        if at + layout.size > len(data):
            raise DofError("Mach-O", "the table of architectures passes the end of the file")
        processor, _, offset, size, *_ = layout.unpack_from(data, at)
        name = f"architecture {_ARCHITECTURES.get(processor, processor)}"
        if offset + size > len(data) or data[offset:offset + 4] not in _THIN:
            raise DofError(name, "no Mach-O file lies there")
        yield from _sections(data, offset, size, f"{name}: ")


def _sections(data: bytes, base: int, size: int, lead: str) -> Iterator[Piece]:
    """The DOF sections of the Mach-O file that takes `size` bytes at `base`."""
    order, wide = _THIN[data[base:base + 4]]
    at, end = base + (32 if wide else 28), base + size
    if at > end:
        raise DofError(f"{lead}Mach-O", "truncated header")
    count, = struct.unpack_from(order + "I", data, base + 16)
    found = 0
    for _ in range(min(count, _MOST_COMMANDS)):
        if at + 8 > end:
            raise DofError(f"{lead}Mach-O", "the load commands pass the end of the file")
        command, length = struct.unpack_from(order + "II", data, at)
        if length < 8 or at + length > end:
            raise DofError(f"{lead}Mach-O", f"load command {command:#x} has a size of {length} bytes")
        if command in (_SEGMENT, _SEGMENT_64):
            for name, start, extent in _of_segment(data, at, length, order, command == _SEGMENT_64):
                found += 1
                if start + extent > size:
                    raise DofError(f"{lead}section {name}", "passes the end of the file")
                if found > _MOST_SECTIONS:
                    raise DofError(f"{lead}Mach-O", f"more than {_MOST_SECTIONS} DOF sections")
                yield Piece(f"{lead}section {name}", base + start, extent)
        at += length


def _of_segment(data: bytes, at: int, length: int, order: str, wide: bool) -> Iterator[tuple[str, int, int]]:
    """The DOF sections of a segment's command: name, offset from the Mach-O header, size."""
    head = struct.Struct(order + ("II16sQQQQIIII" if wide else "II16sIIIIIIII"))
    layout = struct.Struct(order + ("16s16sQQIIIIIIII" if wide else "16s16sIIIIIIIII"))
    if length < head.size:
        return
    count = head.unpack_from(data, at)[9]
    for number in range(min(count, (length - head.size) // layout.size)):
        row = layout.unpack_from(data, at + head.size + number * layout.size)
        section, segment = (text.rstrip(b"\0").decode("utf-8", "replace") for text in row[:2])
        if row[8] & 0xFF == _DOF_TYPE or section.startswith("__dof_"):
            yield f"{segment},{section}", row[4], row[3]
