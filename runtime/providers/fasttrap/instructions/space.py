"""A traced address space: where a trap stands for an instruction, and for which probes.

A trap stays while a probe wants it.  The scratch area goes with the last trap, once no
thread is in it.

A program that reads its own text sees the traps, as under every tracer of this kind; the
text of its children has none.  If it writes over a trap, what it has written stays.  Before
it moves or unmaps text, the traps there are taken away.  Text that other processes map too
(MAP_SHARED) cannot be traced: they would meet the traps.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from runtime.kernel.base.errors import MemoryFault
from runtime.kernel.memory.addrspace import PROT_EXEC
from runtime.providers.fasttrap.instructions.scratch import Scratch
from runtime.providers.fasttrap.instructions.treatment import (
    Copy,
    Loan,
    Plan,
    Treatment,
    Unreachable,
    refused,
)

if TYPE_CHECKING:
    from runtime.framework.probes.registry import Probe
    from runtime.kernel.kernel import Kernel
    from runtime.kernel.memory.addrspace import AddressSpace
    from runtime.kernel.process.thread import Thread
    from runtime.programs.objectfile import Function

Act = Callable[["Thread", Any], None]  # thread, its registers, which are the instruction set's own


class Instruction(Protocol):
    """A decoded instruction; `size` is its bytes."""

    @property
    def address(self) -> int: ...

    @property
    def size(self) -> int: ...


I = TypeVar("I", bound=Instruction)  # noqa: E741


class InstructionSet(Protocol[I]):
    """What fasttrap asks of an instruction set; an address is where the program has the instruction."""

    bits: int
    longest: int  # bytes of an instruction
    slot_size: int
    trap: bytes
    reach: int  # bytes between a slot and what its code refers to
    reaches_all: bool  # code in a slot reaches the program wherever the slot is

    def pc(self, regs: Any) -> int:
        """Where a thread is."""

    def decode(self, code: bytes, address: int) -> I | None:
        """The instruction that `code` begins with, None if there is none."""

    def walk(self, code: bytes, address: int) -> list[I]:
        """All instructions from the beginning on, up to something that is none."""

    def text(self, instruction: I) -> str:
        """In assembly language."""

    def is_return(self, instruction: I) -> bool:
        """Whether it always leaves the function."""

    def is_jump(self, instruction: I) -> bool:
        """A jump of any kind, conditional or not, but no call."""

    def direct_target(self, instruction: I) -> int | None:
        """Where a jump or call with a constant target leads."""

    def never_continues(self, instruction: I) -> bool:
        """Whether the next instruction is not reached by falling through."""

    def undefined_behind(self, before: I, instruction: I) -> str:
        """Why the manual does not say what an instruction does behind another; "" where it does."""

    def data_reference(self, instruction: I) -> int | None:
        """The address that an operand relative to the program counter names."""

    def plan(self, code: bytes, pc: int) -> Plan:
        """How to execute the instruction that `code` begins with and that belongs to `pc`."""


class Convention(Protocol):
    """How functions are called: what a probe tells of one."""

    def entry(self, probe: Probe) -> Act:
        """Fire with the first five arguments, which a thread at a function's first instruction has."""

    def argument(self, thread: Thread, index: int, called: bool) -> int:
        """An argument by number; `called`: the function has been called.  0 where there is none.

        Numbers from runtime.programs.abi.VECTOR_HALVES on are of vector registers, and of addresses.
        """

    def result(self, regs: Any) -> int:
        """The result of a function that is about to return."""

    def say_enabled(self, thread: Thread, regs: Any) -> None:
        """Have the is-enabled test at which the thread is return 1 to the program."""


Users = tuple[tuple[object, Act], ...]  # of a tracepoint: a probe, and what it does at each hit


def _without(probe: object, users: Users) -> Users:
    return tuple(user for user in users if user[0] is not probe)


class Tracepoint:
    """A trap at `address` in place of the instruction whose bytes are `original`."""

    __slots__ = ("acts", "address", "event", "go", "hits", "loan", "original", "plan", "restarts", "slot",
                 "users")

    def __init__(self, address: int, original: bytes, plan: Plan) -> None:
        self.address = address
        self.original = original
        self.plan = plan
        self.slot: int | None = None
        self.restarts: Sequence[tuple[int, int, int]] = ()  # of the slot's code
        self.loan: Loan | None = None
        self.go = plan.go
        self.event = plan.event
        self.hits = 0
        self.users: Users = ()
        self.acts: tuple[Act, ...] = ()


class Refused(Exception):
    """An instruction cannot be traced; the reason."""


class TracedSpace:
    """The tracepoints of one address space; a subclass for each family of instruction sets."""

    def __init__(self, kernel: Kernel, space: AddressSpace, isa: InstructionSet[Any],
                 convention: Convention) -> None:
        self._kernel = kernel
        self.space = space
        self.isa = isa
        self.convention = convention
        self.points: dict[int, Tracepoint] = {}
        self.leaving = False  # its only process exits
        self._plans: dict[int, Plan] = {}
        self.slots: dict[int, Tracepoint] = {}
        self._waiting: dict[int, Users] = {}  # by address: whose traps a debugger's bytes leave no room for
        self.scratch = Scratch(space, isa.slot_size, isa.reach, self._occupied)

    def calls(self, function: Function) -> Convention:
        """How a function is called; that depends on the compiler, too."""
        return self.convention

    def original(self, address: int, size: int) -> bytes:
        """Text without the traps.  Raises MemoryFault."""
        read = self.space.read(address, size)
        if self.isa.trap[:1] not in read:
            return read
        data = bytearray(read)
        for offset in range(size):
            point = self.points.get(address + offset)
            if point is not None:
                width = min(len(self.isa.trap), size - offset)
                data[offset:offset + width] = point.original[:width]
        return bytes(data)

    def plan(self, address: int) -> Plan:
        """How the instruction at `address` can be traced."""
        area = self.space.find(address)
        if area is None or not area.prot & PROT_EXEC:
            return refused("no executable text")
        if area.shared:
            return refused("text is shared with other processes' mappings")
        plan = self._plans.get(address)
        if plan is None:
            plan = self._plans[address] = self._make_plan(address)
        return plan

    def _make_plan(self, address: int) -> Plan:
        size = self.isa.longest
        while size > 0:
            try:
                return self.isa.plan(self.original(address, size), address)
            except MemoryFault as fault:  # the text ends in the middle
                size = fault.address - address if 0 < fault.address - address < size else 0
        return refused("unreadable")

    def add(self, address: int, probe: object, act: Act) -> Tracepoint:
        """Let `act` happen whenever `address` is reached, on behalf of `probe`.  Raises Refused."""
        point = self.points.get(address) or self._place(address)
        point.users = (*point.users, (probe, act))
        self._settle(point)
        return point

    def _settle(self, point: Tracepoint) -> None:
        """Its users have changed: what is done at each hit is put together at the next one."""
        point.acts = ()

    def _acts(self, point: Tracepoint) -> tuple[Act, ...]:
        """What is done at each hit."""
        if not point.acts:
            point.acts = tuple(act for _, act in point.users)
        return point.acts

    def patch(self, address: int, data: bytes) -> None:
        """A debugger writes text: what it writes becomes the instruction for which a trap stands.

        So a breakpoint and a probe can have one place, in whichever order they come and go.
        """
        end = address + len(data)
        touched = {point.address: point.users for point in self.points.values()
                   if point.address < end and address < point.address + len(point.original)}
        for each in touched:
            self._lift(self.points[each])
        self.space.patch(address, data)
        touched |= {each: self._waiting.pop(each) for each in list(self._waiting) if address <= each < end}
        for each, users in touched.items():
            self._plans.pop(each, None)
            if not users:
                continue
            try:
                point = self._place(each)
            except Refused:
                self._waiting[each] = users
                continue
            point.users = users

    def leaves_at(self, address: int) -> int:
        """Where the trap must stand for a function's end at the instruction at `address`."""
        return address

    def watch_return(self, address: int, probe: Probe, offset: int, contains: Callable[[int], bool]) -> None:
        """Fire `probe`, of the instruction at `offset` of a function, when that is left at `address`.

        `contains` says whether an address lies in the function.  Raises Refused.
        """
        raise NotImplementedError

    def _place(self, address: int) -> Tracepoint:
        plan = self.plan(address)
        original = self.original(address, plan.size)
        if original == plan.code:
            original = plan.code  # which many share
        elif plan.code:  # the program has changed it
            del self._plans[address]
            plan = self.plan(address)
            original = self.original(address, plan.size)
        if plan.treatment is Treatment.REFUSED:
            raise Refused(plan.why)
        point = Tracepoint(address, original, plan)
        if plan.build is not None and not self._can_wait(plan):
            self._house(point, plan.build)
        self.space.patch(address, self.isa.trap)
        self.points[address] = point
        return point

    def _can_wait(self, plan: Plan) -> bool:
        """Whether an instruction needs no slot before it is hit; `_move_in` gives it one then."""
        return False

    def _move_in(self, point: Tracepoint) -> None:
        """Give a tracepoint that is hit for the first time its slot.  Without room it is one no more."""
        assert point.plan.build is not None
        try:
            self._house(point, point.plan.build)
        except Refused:
            self._lift(point)
            point.go = point.address

    def _house(self, point: Tracepoint, build: Callable[[int, int], Copy]) -> None:
        """Give it a slot.  Raises Refused."""
        slot = self.scratch.take(point.address, anywhere=self.isa.reaches_all)
        if slot is None:
            raise Refused("no room for a scratch area in reach")
        copy = self._copy(point, build, slot)
        self.scratch.write(slot, copy.code)
        point.restarts = copy.restarts
        point.slot = point.go = slot
        self.slots[slot] = point

    def _copy(self, point: Tracepoint, build: Callable[[int, int], Copy], slot: int) -> Copy:
        """What the slot holds.  Raises Refused."""
        point.loan = None
        try:
            return build(slot, point.address)
        except Unreachable:
            point.loan = point.plan.loan() if point.plan.loan is not None else None
            if point.loan is None:
                self.scratch.give(slot)
                raise Refused("its operand is out of the scratch area's reach") from None
            return point.loan.copy

    def remove(self, address: int, probe: object) -> None:
        """Undo `add`; the last one to do so restores the instruction, unless the space is about to go."""
        if self.leaving:
            return
        point = self.points.get(address)
        if point is None:
            if address in self._waiting:
                self._waiting[address] = _without(probe, self._waiting[address])
            return
        point.users = _without(probe, point.users)
        self._settle(point)
        if not point.users:
            self._lift(point)
            if not self.points and self.slots and not any(
                    self.scratch.slot_of(self.isa.pc(thread.regs)) for thread in self._threads()):
                self.scratch.unmap()
                self.slots.clear()

    def _lift(self, point: Tracepoint) -> None:
        del self.points[point.address]
        self._restore(point, self.space)
        if point.slot is not None:
            self.scratch.give(point.slot)

    def restore(self, space: AddressSpace) -> None:
        """Take the traps out of `space`, a copy of this one."""
        for point in self.points.values():
            self._restore(point, space)

    def _restore(self, point: Tracepoint, space: AddressSpace) -> None:
        """Put back what the trap stands for, unless the program has written something else there."""
        trap = self.isa.trap
        with contextlib.suppress(MemoryFault):
            if space.read(point.address, len(trap)) == trap:
                space.patch(point.address, point.original[:len(trap)])

    def drop(self, start: int, end: int) -> None:
        """Take away what is in [start, end): that text is about to go, or to move."""
        for address in [address for address in self._plans if start <= address < end]:
            del self._plans[address]
        for address in [address for address in self.points if start <= address < end]:
            self._lift(self.points[address])
        lost = self.scratch.drop(start, end)
        if lost:
            self._move_out(lost)

    def _move_out(self, lost: Sequence[int]) -> None:
        """Find other slots for the tracepoints in use: the program takes away the memory of these."""
        for slot in lost:
            point = self.slots.pop(slot, None)
            if point is None or self.points.get(point.address) is not point or point.plan.build is None:
                continue
            try:
                point.slot = None
                self._house(point, point.plan.build)
                self._settle(point)
            except Refused:
                self._lift(point)

    # -- the trap ---------------------------------------------------------------------------------

    def hit(self, thread: Thread, pc: int) -> bool:
        """Handle a trap at `pc`; returns whether it is one of ours."""
        point = self.points.get(pc)
        if point is None:
            slot = self.scratch.slot_of(pc)
            housed = self.slots.get(slot) if slot is not None else None
            return (housed is not None and slot is not None and pc == slot + len(self.isa.trap)
                    and self._executed(thread, housed))
        point.hits += 1
        for act in self._acts(point):
            act(thread, thread.regs)
        self._go_on(thread, point)
        return True

    def _go_on(self, thread: Thread, point: Tracepoint) -> None:
        """Emulate the instruction of a tracepoint, or lead a thread to its copy."""
        raise NotImplementedError

    def _executed(self, thread: Thread, point: Tracepoint) -> bool:
        """Go on behind the trap at the end of a tracepoint's slot; returns whether it was ours."""
        raise NotImplementedError

    # -- threads in the scratch area --------------------------------------------------------------

    def _threads(self) -> Iterator[Thread]:
        for thread in self._kernel.threads.values():
            if thread.process.space is self.space:
                yield thread

    def _occupied(self, slot: int) -> bool:
        end = slot + self.isa.slot_size
        return any(slot <= self.isa.pc(thread.regs) < end for thread in self._threads())

    def state_at(self, pc: int) -> tuple[int, int] | None:
        """The program counter that a place in a slot stands for, and what to add to the stack pointer there.

        None for an address outside the scratch area.
        """
        slot = self.scratch.slot_of(pc)
        point = self.slots.get(slot) if slot is not None else None
        if point is None or slot is None:
            return None
        for offset, address, depth in reversed(point.restarts):
            if pc >= slot + offset:
                return address, depth
        return point.address, 0

    def leave_slot(self, thread: Thread) -> None:
        """Give a thread that faulted in a slot the registers it would have had without one."""
        raise NotImplementedError

    def registers(self, _thread: Thread) -> bytes:
        """What `retry` needs to know of the registers of a thread at a tracepoint."""
        return b""

    def retry(self, thread: Thread, point: Tracepoint, registers: bytes) -> None:
        """A thread that has stopped at a tracepoint comes to it anew when it goes on."""
        raise NotImplementedError
