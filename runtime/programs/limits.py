"""How much of a program's debug information is read: a file of a few bytes may claim to hold gigabytes.

Beyond these bounds a file's types count as unknown.  The figures allow for the largest programs that are of
use in an emulated machine, and keep the reading of one file below a gigabyte of memory.
"""

from __future__ import annotations

import struct
import zlib

from dif.elfnumbers import SHF_COMPRESSED
from dof.elf import ElfFile, Section

SECTION_COUNT = 1 << 16  # sections of a file with debug information
# What takes more memory than its bytes, by how many times less of it is read than of all together.
TABLES = 64  # bytes of a section that is kept as objects, whole
ATTRIBUTES = 64  # attributes of all DWARF entries
TYPES = 256  # types of CTF, and members of one

_WHOLE = (".debug_abbrev", ".debug_aranges", ".debug_cu_index", ".debug_tu_index")
_CHUNK = 1 << 16
_ZLIB = 1  # ELFCOMPRESS_ZLIB
_OLD_HEAD = 12  # bytes of the header of a .zdebug section: "ZLIB" and the size, 8 bytes in big-endian order


class TooLarge(ValueError):
    """More than is read; the message says what."""


def option(most: int) -> str:
    """How `most` bytes of debug information would be set."""
    return f"(-x debuginfo={most >> 20}m)"


def check_sections(elf: ElfFile, most: int) -> None:
    """Raise TooLarge for more than `most` bytes of debug sections, ElfError if one says a wrong size.

    What is compressed is unpacked piece by piece, and only until it is too long.
    """
    if len(elf.sections) > SECTION_COUNT:
        raise TooLarge(f"{len(elf.sections)} sections")
    room = most
    for section in elf.sections:
        if not section.name.startswith((".debug_", ".zdebug_", ".eh_frame")):
            continue
        size = _size(elf, section, room)
        room -= size
        if room < 0:
            raise TooLarge(f"more than {most >> 20} MB of debug sections {option(most)}")
        if size > most // TABLES and section.name.replace(".z", ".", 1).removesuffix(".dwo") in _WHOLE:
            raise TooLarge(f"more than {most // TABLES} bytes in {section.name} {option(most)}")


def _size(elf: ElfFile, section: Section, most: int) -> int:
    """Return the size of a section, uncompressed; a number above `most` if it is larger than that."""
    data = bytes(elf.contents(section))
    if section.flags & SHF_COMPRESSED:
        head = 24 if elf.bits == 64 else 12
        if len(data) < head or struct.unpack_from(elf.order + "I", data)[0] != _ZLIB:
            return len(data)
        return _unpacked(data[head:], most)
    if section.name.startswith(".zdebug_"):
        return _unpacked(data[_OLD_HEAD:], most)
    return len(data)


def _unpacked(data: bytes, most: int) -> int:
    """Return how long compressed bytes are, counting no further than just above `most`."""
    unpacker, size = zlib.decompressobj(), 0
    try:
        while data and not unpacker.eof and size <= most:
            size += len(unpacker.decompress(data, _CHUNK))
            data = unpacker.unconsumed_tail
    except zlib.error:
        pass  # what reads the section will find it broken
    return size


class Allowance:
    """How much may still be read of something that is counted; `what` names it."""

    def __init__(self, most: int, what: str) -> None:
        self._left = self._most = most
        self._what = what

    def take(self, count: int) -> None:
        """Take `count` off what is left.  Raises TooLarge."""
        self._left -= count
        if self._left < 0:
            raise TooLarge(f"more than {self._most} {self._what}")
