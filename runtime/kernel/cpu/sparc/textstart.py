"""Where the code around an address begins: what lies before it is headers and notes, not instructions."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from runtime.kernel.cpu.sectionheaders import section_headers
from runtime.kernel.memory.physical import FilePages

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runtime.kernel.memory.addrspace import AddressSpace

EXECUTABLE = 4  # SHF_EXECINSTR


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
        try:
            headers, _names = section_headers(pages.pread, bits, ">")
        except struct.error:  # it is cut off, or no such file
            headers = []
        known = tuple((each.offset, each.size) for each in headers if each.flags & EXECUTABLE)
        pages.unwinding = known
    return known
