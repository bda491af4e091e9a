"""The call frame tables of a file of which no header is an index: .eh_frame without one, .debug_frame.

Linkers make .eh_frame_hdr for dynamic programs; static ones often lack it, and .debug_frame (DWARF 5, 6.4)
never has one.  Such a section is read through once, from the file, since .debug_frame is not mapped.
"""

from __future__ import annotations

import bisect
import struct
from collections.abc import Callable, Iterator

from dif.elfnumbers import SHF_COMPRESSED
from dif.records import NamedTuple
from runtime.kernel.base.errors import MemoryFault
from runtime.kernel.cpu.callframes import BadFrame, Common, Cursor, Row, common_entry, rules

ReadFile = Callable[[int, int], bytes]  # offset in the file, size
NAMES = b".eh_frame", b".debug_frame"  # in the order in which they are asked
MOST = 16 << 20  # bytes of a section: some 400,000 entries, which take two seconds
MAX_SECTIONS = 1 << 16
# of a section header, by the file's bits: where flags, address, offset and size stand, and its whole size
HEADERS = {64: ("<8xQQQQ24x", 64), 32: ("<8xIIII16x", 40)}


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
    offset, = struct.unpack("<Q", read(40, 8)) if bits == 64 else struct.unpack("<I", read(32, 4))
    count, strings = struct.unpack("<HH", read(60 if bits == 64 else 48, 4))
    shape, width = HEADERS[bits]
    if not offset or strings >= count:
        return
    headers = read(offset, count * width)

    def field(number: int) -> tuple[int, ...]:
        return struct.unpack_from(shape, headers, number * width)

    _flags, _address, start, size = field(strings)
    names = read(start, min(size, MAX_SECTIONS * 64))
    for number in range(count):
        name = names[struct.unpack_from("<I", headers, number * width)[0]:][:16].partition(b"\0")[0]
        flags, address, start, size = field(number)
        if name in NAMES and size <= MOST and not flags & SHF_COMPRESSED:
            yield Section(name, address, read(start, size))
