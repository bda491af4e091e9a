"""The call frame tables of a file of which no header is an index: .eh_frame without one, .debug_frame.

Linkers make .eh_frame_hdr for dynamic programs; static ones often lack it, and .debug_frame (DWARF 5, 6.4)
never has one.  Such a section is read through once, from the file, since .debug_frame is not mapped.
"""

from __future__ import annotations

import bisect
import struct
from collections.abc import Iterator

from dif.elfnumbers import SHF_COMPRESSED
from dif.records import NamedTuple
from runtime.kernel.base.errors import MemoryFault
from runtime.kernel.cpu.callframes import BadFrame, Common, Cursor, Row, common_entry, rules
from runtime.kernel.cpu.sectionheaders import ReadFile, section_headers

NAMES = b".eh_frame", b".debug_frame"  # in the order in which they are asked
MOST = 16 << 20  # bytes of a section: some 400,000 entries, which take two seconds
MAX_SECTIONS = 1 << 16


class Section(NamedTuple):
    """What is read of one: its name, and `address`, at which .debug_frame does not lie."""

    name: bytes
    address: int
    data: bytes


class FrameTable:
    """The frame description entries of one section, in order of the addresses for which they are.

    Addresses are those of the file.  Entries after one that is damaged are not known.
    """

    def __init__(self, section: Section, word: int) -> None:
        self._data = section.data
        self._word = word
        self._is_debug = section.name == NAMES[1]
        self._base = 0 if self._is_debug else section.address
        found = sorted(self._entries())
        self._starts = [start for start, _entry in found]
        self._found = [entry for _start, entry in found]

    def row(self, pc: int) -> tuple[Row, Common] | None:
        """The row that holds at `pc`, None if there is none.  Raises BadFrame, MemoryFault."""
        at = bisect.bisect_right(self._starts, pc) - 1
        return rules(self._read, self._found[at], pc, self._word, self._is_debug) if at >= 0 else None

    def _read(self, address: int, size: int) -> bytes:
        at = address - self._base
        if not 0 <= at <= len(self._data) - size:
            raise MemoryFault(address)
        return self._data[at:at + size]

    def _entries(self) -> Iterator[tuple[int, int]]:
        """Yield (address of the code, address of the entry)."""
        common: dict[int, Common] = {}
        at, end = self._base, self._base + len(self._data)
        try:
            while at + 8 <= end:
                cursor = Cursor(self._read, at, self._word)
                length, place = cursor.number(4), cursor.at
                number = cursor.number(4)
                if not length or length == 0xFFFFFFFF:
                    return
                if number != (0xFFFFFFFF if self._is_debug else 0):
                    owner = number if self._is_debug else place - number
                    if owner not in common:
                        common[owner] = common_entry(self._read, owner, self._word)
                    yield cursor.pointer(common[owner].encoding), at
                at = place + length
        except (BadFrame, MemoryFault):
            return


def frame_tables(read: ReadFile, bits: int, indexed: bool) -> list[FrameTable]:
    """The tables of a file, without .eh_frame if that is `indexed`.

    One that lies about its sections has none.
    """
    try:
        found = {section.name: section for section in _sections(read, bits)}
    except struct.error:
        return []
    return [FrameTable(found[name], bits // 8) for name in NAMES[indexed:] if name in found]


def _sections(read: ReadFile, bits: int) -> Iterator[Section]:
    """Yield the sections with frame tables.  Raises struct.error where the file is cut off."""
    headers, strings = section_headers(read, bits, "<")
    if strings >= len(headers):
        return
    names = read(headers[strings].offset, min(headers[strings].size, MAX_SECTIONS * 64))
    for each in headers:
        name = names[each.name:][:16].partition(b"\0")[0]
        if name in NAMES and each.size <= MOST and not each.flags & SHF_COMPRESSED:
            yield Section(name, each.address, read(each.offset, each.size))
