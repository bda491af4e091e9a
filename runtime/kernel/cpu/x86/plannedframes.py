"""Plans by which callers in x86 code are found quickly, made of the rows of its tables."""

from __future__ import annotations

import struct
from functools import cached_property
from typing import TYPE_CHECKING

from dif.records import NamedTuple
from runtime.kernel.base.errors import MemoryFault
from runtime.kernel.cpu.textframes import TextFrames
from runtime.kernel.memory.physical import PAGE

if TYPE_CHECKING:
    from runtime.kernel.cpu.x86.codewalk import Follower
    from runtime.kernel.memory.addrspace import AddressSpace

MOST_REMEMBERED = 50_000  # frames, and program counters of stacks, of one address space
WORDS = {64: struct.Struct("<Q"), 32: struct.Struct("<I")}
# DWARF numbers of registers, by the program's bits
STACK_POINTER, FRAME_POINTER = {64: 7, 32: 4}, {64: 6, 32: 5}


class Plan(NamedTuple):
    """How the caller is found where the stack pointer and the frame pointer are enough.

    The canonical frame address (CFA) lies `offset` from the frame pointer or from the stack pointer.
    The return address lies `back` from the CFA and, if `saved` is not 0, the caller's frame pointer
    `saved` from it.
    A function that aligns its stack keeps the CFA itself, `kept` from the frame pointer (0: it does not);
    the caller's frame pointer then lies where its own one points to.
    """

    by_pointer: bool
    offset: int
    back: int
    saved: int
    kept: int = 0


OUTERMOST = Plan(False, 0, 0, 0)  # of a function that has no caller
NOWHERE = Plan(False, 0, 1, 0)  # of an address without code


class Frame:
    """A frame of stacks that have been seen: a node of a tree whose root is the innermost frame.

    Its return address lies `at` from a base.  The base is the innermost stack pointer or, from the last frame
    on that goes by its frame pointer (`rebased`), that pointer.  Such a pointer lies `pointer` from the base
    before, or is where the last one was, in its register at first (None).  With `kept` the base lies there,
    from the pointer (see Plan).  `callers` are the frames that were found there, by return address.
    A frame that is the `last` looks for no caller: `pcs` is the whole stack, None where plans do not tell it.
    """

    __slots__ = ("_parent", "at", "callers", "depth", "kept", "last", "number", "pc", "pcs", "pointer",
                 "rebased", "saved")

    def __init__(self, pc: int, parent: Frame | None) -> None:
        self.pc, self._parent = pc, parent
        self.number: int = 1 if parent is None else parent.number + 1
        self.callers: dict[int, Frame] = {}
        self.last = False
        self.pcs: tuple[int, ...] | None = None
        self.rebased = False
        self.kept: int
        self.at: int
        self.pointer: int | None = None
        # where the frame pointer and the stack pointer are that the caller has, from the base
        self.saved: int | None = None if parent is None else parent.saved
        self.depth: int = 0 if parent is None else parent.depth

    def lay(self, plan: Plan) -> None:
        """Find the places of the frame."""
        if plan.by_pointer:
            self.rebased, self.pointer, self.kept = True, self.saved, plan.kept
            self.depth, self.saved = 0, None
        self.depth += plan.offset
        self.at = self.depth + plan.back
        if plan.saved:
            self.saved = self.depth + plan.saved

    def end(self, pcs: tuple[int, ...] | None) -> None:
        """Make it the last one."""
        self.last, self.pcs = True, pcs

    def stack(self) -> tuple[int, ...]:
        """Return the program counters from the innermost frame to this one."""
        found, frame = [self.pc], self._parent
        while frame is not None:
            found.append(frame.pc)
            frame = frame._parent
        return tuple(reversed(found))


class _Straddles(Exception):
    """A word lies in two pages."""


class PlannedFrames(TextFrames):
    """Rows and plans of the code of one address space, found once for each address, and its stacks so far."""

    def __init__(self, space: AddressSpace, bits: int) -> None:
        super().__init__(space, bits)
        self._plans: dict[int, Plan | None] = {}
        self._innermost: dict[tuple[int, int], Frame] = {}  # by program counter and limit
        self._remembered = 0  # frames, and program counters of whole stacks
        self._mask = (1 << bits) - 1
        self._word = bits // 8
        self._unpack = WORDS[bits].unpack_from

    @cached_property
    def follower(self) -> Follower:
        from runtime.kernel.cpu.x86.codewalk import Follower

        return Follower(self._space.look, self._bits)

    # -- stacks ------------------------------------------------------------------------------------

    def stack(self, pc: int, stack: int, pointer: int, limit: int) -> tuple[int, ...] | None:
        """Return the program counters of a stack, innermost first, at most `limit`.

        `stack` and `pointer` are its stack pointer and frame pointer.  None: plans do not tell it.
        """
        frame = self._innermost.get((pc, limit)) or self._first(pc, limit)
        unpack, mask, memory = self._unpack, self._mask, self._space.memory.bytes
        base, before = stack, stack - self._word
        low, high, place = 1, 0, 0  # words between `low` and `high` lie `place` further in memory
        try:
            while not frame.last:
                if frame.rebased:
                    if frame.pointer is not None:
                        at = base + frame.pointer & mask
                        if not low <= at <= high:
                            low, high, place = self._page(at)
                        pointer, = unpack(memory, at + place)
                    base = pointer
                    if frame.kept:
                        base, pointer = self._load(pointer + frame.kept & mask), self._load(pointer)
                at = base + frame.at & mask
                if not low <= at <= high:
                    low, high, place = self._page(at)
                caller, = unpack(memory, at + place)
                if caller == frame.pc and at == before:
                    return frame.stack()  # it would be its own caller
                before = at
                frame = frame.callers.get(caller) or self._grow(frame, caller, limit)
        except MemoryFault:
            return frame.stack()
        except _Straddles:
            return None
        return frame.pcs

    def _load(self, address: int) -> int:
        return int.from_bytes(self._space.read(address, self._word), "little")

    def _page(self, address: int) -> tuple[int, int, int]:
        """Return the addresses of the first and the last word in a page, and where they are in memory.

        Raises MemoryFault.
        """
        start = address & -PAGE
        if address - start > PAGE - self._word:
            raise _Straddles
        place = self._space.place(start, PAGE)
        if place is None:
            self._space.read(address, self._word)  # which brings it in, or tells why not
            raise _Straddles
        return start, start + PAGE - self._word, place - start

    def _first(self, pc: int, limit: int) -> Frame:
        """Remember a stack's innermost frame."""
        frame = self._innermost[pc, limit] = Frame(pc, None)
        plan = self.plan(pc)
        if not pc or not limit:
            frame.end(())
        elif plan is NOWHERE:  # it has been called, and has not done anything
            frame.lay(Plan(False, self._word, -self._word, 0))
        else:
            self._settle(frame, plan, limit)
        return frame

    def _grow(self, frame: Frame, caller: int, limit: int) -> Frame:
        """Remember the frame that is the caller of `frame`."""
        if self._remembered > MOST_REMEMBERED:
            self._innermost.clear()
            self._remembered = 0
        found = frame.callers[caller] = Frame(caller, frame)
        plan = self.plan(caller - 1)
        if not caller or plan is NOWHERE:
            found.end(frame.stack())  # what lies above the first function of a program need not be an address
        else:
            self._settle(found, plan, limit)
        self._remembered += 1 + (found.number if found.last else 0)
        return found

    @staticmethod
    def _settle(frame: Frame, plan: Plan | None, limit: int) -> None:
        if plan is None:
            frame.end(None)
        elif plan is OUTERMOST or frame.number == limit:
            frame.end(frame.stack())
        else:
            frame.lay(plan)

    # -- plans -------------------------------------------------------------------------------------

    def plan(self, pc: int) -> Plan | None:
        """The plan for an instruction at `pc`; None where a plan cannot say what is needed."""
        if pc not in self._plans:
            self._plans[pc] = self._made(pc)
        return self._plans[pc]

    def _made(self, pc: int) -> Plan | None:
        if not self.has_code(pc):
            return NOWHERE
        described = self.row(pc)
        if described is None:
            return None
        row, common = described
        stack, pointer = STACK_POINTER[self._bits], FRAME_POINTER[self._bits]
        back = row.registers.get(common.return_register, ("", 0, b""))
        if back[0] == "undefined" and not common.signal:
            return OUTERMOST
        saved = row.registers.get(pointer, ("offset", 0, b""))
        if row.cfa_expression is not None and saved == ("expression", 0, _at(pointer, 0)):
            kept = _kept(row.cfa_expression, pointer)
            return Plan(True, 0, back[1], 0, kept) if kept and back[0] == "offset" else None
        if (row.cfa is None or row.cfa_expression is not None or row.cfa[0] not in (stack, pointer)
                or back[0] != "offset" or saved[0] != "offset" or stack in row.registers or common.signal):
            return None
        return Plan(row.cfa[0] == pointer, row.cfa[1], back[1], saved[1])


def _at(register: int, offset: int) -> bytes:
    """The DWARF expression of an address: a register and a small offset (DW_OP_breg*)."""
    return bytes((0x70 + register, offset & 0x7F))


def _kept(expression: bytes, pointer: int) -> int:
    """Where from the frame pointer the word lies that an expression loads, 0 if it is not such a one."""
    return next((offset for offset in range(-64, 0) if expression == _at(pointer, offset) + b"\x06"), 0)
