"""Plans by which callers in x86 code are found quickly, made of the rows of its tables."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

from dif.records import NamedTuple
from runtime.kernel.cpu.textframes import TextFrames

if TYPE_CHECKING:
    from runtime.kernel.cpu.x86.codewalk import Follower
    from runtime.kernel.memory.addrspace import AddressSpace

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


class PlannedFrames(TextFrames):
    """Rows and plans of the code of one address space, found once for each address."""

    def __init__(self, space: AddressSpace, bits: int) -> None:
        super().__init__(space, bits)
        self.plans = _Plans(self)
        self.chains: dict[tuple[int, int], Chain] = {}  # the last one from an address, by that and the limit

    @cached_property
    def follower(self) -> Follower:
        from runtime.kernel.cpu.x86.codewalk import Follower

        return Follower(self._space.look, self._bits)

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

    def __init__(self, text: PlannedFrames) -> None:
        self._text = text

    def __missing__(self, pc: int) -> Plan | None:
        plan = self[pc] = self._text.plan(pc)
        return plan
