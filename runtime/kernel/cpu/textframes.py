"""What is known of the call frames of a process's code: rows of the tables that its files have."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import TYPE_CHECKING, Self

from dif.elfnumbers import PT_GNU_EH_FRAME, PT_LOAD
from runtime.kernel.base.errors import MemoryFault
from runtime.kernel.cpu.callframes import BadFrame, Common, Read, Row, find_entry, load_bias, rules
from runtime.kernel.cpu.frametables import FrameTable, frame_tables
from runtime.kernel.memory.addrspace import PROT_EXEC
from runtime.kernel.memory.physical import FilePages, SharedPages

if TYPE_CHECKING:
    from runtime.kernel.memory.addrspace import AddressSpace, Area


class _Object:
    """The call frame information of one mapped file; `bias` is what to add to the file's addresses."""

    def __init__(self, bias: int, header: int | None, pages: SharedPages | None) -> None:
        self.bias = bias
        self.header = header  # where .eh_frame_hdr lies in memory
        self._pages = pages

    def tables(self, bits: int) -> list[FrameTable]:
        """The tables of which `header` is no index."""
        if not isinstance(self._pages, FilePages):
            return []
        known = self._pages.unwinding
        if not isinstance(known, list):
            known = self._pages.unwinding = frame_tables(self._pages.pread, bits, self.header is not None)
        return known


class TextFrames:
    """Rows of the code of one address space, found once for each address."""

    def __init__(self, space: AddressSpace, bits: int) -> None:
        self._space, self._bits = space, bits
        self._rows: dict[int, tuple[Row, Common] | None] = {}
        self._objects: dict[int, _Object | None] = {}  # by the address of the file's first area

    @classmethod
    def of(cls, space: AddressSpace, bits: int) -> Self:
        """Those of `space`, which forgets them when its code changes."""
        known = space.text
        if not isinstance(known, cls):
            known = space.text = cls(space, bits)
        return known

    def has_code(self, pc: int) -> bool:
        area = self._space.find(pc)
        return area is not None and bool(area.prot & PROT_EXEC)

    def row(self, pc: int) -> tuple[Row, Common] | None:
        """The row that holds at `pc`, None if there is none."""
        if pc not in self._rows:
            try:
                self._rows[pc] = self._described(pc)
            except (MemoryFault, BadFrame, struct.error):
                self._rows[pc] = None
        return self._rows[pc]

    def _described(self, pc: int) -> tuple[Row, Common] | None:
        area = self._space.find(pc)
        first = _first_of(self._space, area) if area is not None and area.path else None
        if area is None or first is None:
            return None
        if first.start not in self._objects:
            self._objects[first.start] = _object(self._space.look, first, area, pc, self._bits)
        known, word = self._objects[first.start], self._bits // 8
        if known is None:
            return None
        row = None
        if known.header is not None:
            entry = find_entry(self._space.look, known.header, pc, word)
            row = rules(self._space.look, entry, pc, word) if entry else None
        for table in () if row is not None else known.tables(self._bits):
            row = row or table.row(pc - known.bias)
        return row

def _object(read: Read, first: Area, area: Area, pc: int, bits: int) -> _Object | None:
    """The object that is mapped from `first` on, None if it is no ELF file; `pc` is in its `area`."""
    loads, found = [], None
    for kind, offset, address in _segments(read, first.start, bits):
        if kind == PT_LOAD:
            loads.append((offset, address))
        elif kind == PT_GNU_EH_FRAME:
            found = address
    bias = load_bias(loads, area.start - area.file_offset, pc)
    if bias is None:
        return None
    return _Object(bias, None if found is None else bias + found, first.pages)


def _first_of(space: AddressSpace, area: Area) -> Area | None:
    """Return the nearest area at or below `area` that shows the beginning of the same file."""
    candidates = [each for each in space.areas
                  if each.path == area.path and not each.offset and each.start <= area.start]
    return candidates[-1] if candidates else None


def _segments(read: Read, base: int, bits: int) -> Iterator[tuple[int, int, int]]:
    """Yield (type, file offset, address) of each program header of the ELF file that is mapped at `base`."""
    if bits == 64:
        offset, = struct.unpack("<Q", read(base + 32, 8))
        size, count = struct.unpack("<HH", read(base + 54, 4))
    else:
        offset, = struct.unpack("<I", read(base + 28, 4))
        size, count = struct.unpack("<HH", read(base + 42, 4))
    for number in range(min(count, 64)):
        head = read(base + offset + number * size, size)
        kind, = struct.unpack_from("<I", head)
        yield kind, *struct.unpack_from(*(("<QQ", head, 8) if bits == 64 else ("<II", head, 4)))
