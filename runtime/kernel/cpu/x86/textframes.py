"""What is known of the call frames of a process's code: rows of its tables, and plans made of them."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

from dif.elfnumbers import PT_GNU_EH_FRAME, PT_LOAD
from dif.records import NamedTuple
from runtime.kernel.base.errors import MemoryFault
from runtime.kernel.cpu.callframes import BadFrame, Common, Read, Row, find_entry, rules
from runtime.kernel.cpu.frametables import FrameTable, frame_tables
from runtime.kernel.memory.addrspace import PROT_EXEC
from runtime.kernel.memory.physical import PAGE_MASK, FilePages, SharedPages

if TYPE_CHECKING:
    from runtime.kernel.cpu.x86.codewalk import Follower
    from runtime.kernel.memory.addrspace import AddressSpace, Area

MOST_LOOKED_AT = 4096  # bytes of a stack that is looked at as a whole
# DWARF numbers of registers, by the program's bits
STACK_POINTER, FRAME_POINTER = {64: 7, 32: 4}, {64: 6, 32: 5}


class Plan(NamedTuple):
    """How the caller is found where the stack pointer and the frame pointer are enough.

    The canonical frame address (CFA) lies `offset` from the frame pointer or from the stack pointer.
    The return address lies `back` from the CFA and, if `saved` is not 0, the caller's frame pointer
    `saved` from it: what is read begins at `low` and ends before `high` from the CFA.
    """

    by_pointer: bool
    offset: int
    back: int
    saved: int
    low: int
    high: int


class Chain:
    """A stack that has been found from stack pointers alone: each frame lies so far from the first one.

    Where the same callers are found in the same places, the stack is the same one: one look tells.
    What is looked at begins at `low` from the innermost stack pointer and has `size` bytes.
    """

    def __init__(self, bits: int, pcs: Sequence[int], callers: Sequence[tuple[int, int]],
                 pointers: Sequence[int | None]) -> None:
        """`callers` come with where they lie, `pointers` are where frame pointers lie, if they are saved.

        Raises ValueError where these overlap, or lie far from each other.
        """
        word, letter = bits // 8, "Q" if bits == 64 else "I"
        saved = [each for each in pointers if each is not None]
        places = sorted({place for place, _caller in callers}.union(saved))
        self.low, self.size = places[0], places[-1] + word - places[0]
        if self.size > MOST_LOOKED_AT or any(after - place < word for place, after in pairwise(places)):
            raise ValueError
        gaps = [place - before - word for before, place in pairwise([self.low - word, *places])]
        self.unpack = struct.Struct("<" + "".join(f"{gap}x{letter}" for gap in gaps)).unpack
        order = {place: number for number, place in enumerate(places)}
        self._callers = [(order[place], caller) for place, caller in callers]
        self._pointers = [None if each is None else order[each] for each in pointers]
        self._pcs = pcs
        self._plain = not saved and places == [place for place, _caller in callers]
        self._expected = tuple(caller for _place, caller in callers)

    def frames(self, values: tuple[int, ...], pointer: int) -> list[tuple[int, int]] | None:
        """Return the frames, each with its frame pointer, if `values` has this chain's callers."""
        if self._plain:
            return [(pc, pointer) for pc in self._pcs] if values == self._expected else None
        for number, caller in self._callers:
            if values[number] != caller:
                return None
        found = []
        for pc, saved in zip(self._pcs, self._pointers, strict=True):
            found.append((pc, pointer))
            if saved is not None:
                pointer = values[saved]
        return found


NOWHERE = Plan(False, 0, 0, 0, 0, 0)  # of an address without code


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
    """Rows and plans of the code of one address space, found once for each address."""

    def __init__(self, space: AddressSpace, bits: int) -> None:
        self._space, self._bits = space, bits
        self._rows: dict[int, tuple[Row, Common] | None] = {}
        self._objects: dict[int, _Object | None] = {}  # by the address of the file's first area
        self.plans = _Plans(self)
        self.chains: dict[tuple[int, int], Chain] = {}  # the last one from an address, by that and the limit

    @staticmethod
    def of(space: AddressSpace, bits: int) -> TextFrames:
        """Those of `space`, which forgets them when its code changes."""
        known = space.text
        if not isinstance(known, TextFrames):
            known = space.text = TextFrames(space, bits)
        return known

    @cached_property
    def follower(self) -> Follower:
        from runtime.kernel.cpu.x86.codewalk import Follower

        return Follower(self._space.look, self._bits)

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
        if first is None:
            return None
        if first.start not in self._objects:
            self._objects[first.start] = _object(self._space.look, first, self._bits)
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

    def plan(self, pc: int) -> Plan | None:
        """The plan for an instruction at `pc`; None where a plan cannot say what is needed."""
        if not self.has_code(pc):
            return NOWHERE
        described = self.row(pc)
        if described is None:
            return None
        row, common = described
        stack, pointer = STACK_POINTER[self._bits], FRAME_POINTER[self._bits]
        back = row.registers.get(common.return_register, ("", 0, b""))
        saved = row.registers.get(pointer, ("offset", 0, b""))
        if (row.cfa is None or row.cfa_expression is not None or row.cfa[0] not in (stack, pointer)
                or back[0] != "offset" or saved[0] != "offset" or stack in row.registers or common.signal):
            return None
        places = [back[1], saved[1] or back[1]]
        return Plan(row.cfa[0] == pointer, row.cfa[1], back[1], saved[1], min(places),
                    max(places) + self._bits // 8)


class _Plans(dict[int, Plan | None]):
    """Plans by address, made when they are asked for."""

    def __init__(self, text: TextFrames) -> None:
        self._text = text

    def __missing__(self, pc: int) -> Plan | None:
        plan = self[pc] = self._text.plan(pc)
        return plan


def _object(read: Read, first: Area, bits: int) -> _Object | None:
    """The object that is mapped from `first` on, None if it is no ELF file."""
    loads, found = [], None
    for kind, address in _segments(read, first.start, bits):
        if kind == PT_LOAD:
            loads.append(address)
        elif kind == PT_GNU_EH_FRAME:
            found = address
    if not loads:
        return None
    bias = first.start - (min(loads) & ~PAGE_MASK)
    return _Object(bias, None if found is None else bias + found, first.pages)


def _first_of(space: AddressSpace, area: Area) -> Area | None:
    """Return the nearest area at or below `area` that shows the beginning of the same file."""
    candidates = [each for each in space.areas
                  if each.path == area.path and not each.offset and each.start <= area.start]
    return candidates[-1] if candidates else None


def _segments(read: Read, base: int, bits: int) -> Iterator[tuple[int, int]]:
    """Yield (type, address) of each program header of the ELF file that is mapped at `base`."""
    if bits == 64:
        offset, = struct.unpack("<Q", read(base + 32, 8))
        size, count = struct.unpack("<HH", read(base + 54, 4))
    else:
        offset, = struct.unpack("<I", read(base + 28, 4))
        size, count = struct.unpack("<HH", read(base + 42, 4))
    for number in range(min(count, 64)):
        head = read(base + offset + number * size, size)
        kind, = struct.unpack_from("<I", head)
        address, = struct.unpack_from("<Q", head, 16) if bits == 64 else struct.unpack_from("<I", head, 8)
        yield kind, address
