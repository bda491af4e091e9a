"""Where the code around an address begins: what lies before it is headers and notes, not instructions."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from runtime.kernel.memory.physical import FilePages

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runtime.kernel.memory.addrspace import AddressSpace

EXECUTABLE = 4  # SHF_EXECINSTR
# by the file's bits: where its header has the offset of the section headers, and how many there are; and of
# each section flags, offset and size (<elf.h>)
FILES = {32: struct.Struct(">32xI12xH"), 64: struct.Struct(">40xQ12xH")}
SECTIONS = {32: struct.Struct(">8xI4xII16x"), 64: struct.Struct(">8xQ8xQQ24x")}


def text_start(space: AddressSpace, pc: int, bits: int) -> int:
    """Return where the section with `pc` begins; of a file without sections, what is mapped there."""
    area = space.find(pc)
    if area is None:
        return pc
    place = pc - area.start + area.file_offset
    sections = _executable(area.pages, bits) if isinstance(area.pages, FilePages) else ()
    return next((pc - place + offset for offset, size in sections if offset <= place < offset + size),
                area.start)


def _executable(pages: FilePages, bits: int) -> Sequence[tuple[int, int]]:
    """Return offset and size in the file of each section with code."""
    known = pages.unwinding
    if not isinstance(known, tuple):
        known = pages.unwinding = tuple(_read(pages, bits))
    return known


def _read(pages: FilePages, bits: int) -> list[tuple[int, int]]:
    file, section = FILES[bits], SECTIONS[bits]
    try:
        start, count = file.unpack(pages.pread(0, file.size))
        headers = pages.pread(start, count * section.size)
        return [(offset, size) for flags, offset, size in section.iter_unpack(headers) if flags & EXECUTABLE]
    except struct.error:  # it is cut off, or no such file
        return []
