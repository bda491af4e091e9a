"""Tracepoints: where a trap stands for an instruction, in which address space, for which probes.

Keyed by address space, not by process, since a vfork()ed child runs in its
parent's.  Enabling and disabling are counted; the last probe that goes takes
the trap away.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from runtime.kernel.engine import RIP, RSP
from runtime.kernel.memory import MemoryFault
from runtime.providers.fasttrap.plan import Plan, Treatment, Unreachable, refused
from runtime.providers.fasttrap.scratch import Scratch

if TYPE_CHECKING:
    from runtime.kernel.addrspace import AddressSpace
    from runtime.kernel.kernel import Kernel
    from runtime.kernel.thread import Thread
    from runtime.providers.fasttrap.x86 import X86

Act = Callable[[Any, Any], None]  # thread, its registers


class Tracepoint:
    """A trap at `address` in place of the instruction whose bytes are `original`."""

    __slots__ = ("acts", "address", "event", "go", "hits", "original", "plan", "slot", "users")

    def __init__(self, address: int, original: bytes, plan: Plan) -> None:
        self.address = address
        self.original = original
        self.plan = plan
        self.slot: int | None = None
        self.go = plan.go
        self.event = plan.event
        self.hits = 0
        self.users: list[tuple[object, Act]] = []  # probe, what it does
        self.acts: tuple[Act, ...] = ()


class Refused(Exception):
    """An instruction cannot be traced; the reason."""


class TracedSpace:
    """The tracepoints of one address space."""

    def __init__(self, kernel: Kernel, space: AddressSpace, isa: X86) -> None:
        from runtime.providers.fasttrap.x86 import SLOT_SIZE

        self._kernel = kernel
        self.space = space
        self.isa = isa
        self.points: dict[int, Tracepoint] = {}
        self._plans: dict[int, Plan] = {}
        self.slots: dict[int, Tracepoint] = {}
        self.scratch = Scratch(space, SLOT_SIZE, self._occupied)

    def original(self, address: int, size: int) -> bytes:
        """Text as the program was linked.  Raises MemoryFault."""
        data = bytearray(self.space.read(address, size))
        for offset in range(size):
            point = self.points.get(address + offset)
            if point is not None:
                data[offset] = point.original[0]
        return bytes(data)

    def plan(self, address: int) -> Plan:
        """How the instruction at `address` can be traced."""
        plan = self._plans.get(address)
        if plan is None:
            plan = self._plans[address] = self._make_plan(address)
        return plan

    def _make_plan(self, address: int) -> Plan:
        from runtime.providers.fasttrap.x86 import LONGEST

        size = LONGEST
        while size > 0:
            try:
                return self.isa.plan(self.original(address, size), address)
            except MemoryFault as fault:  # the text ends in the middle
                size = fault.address - address if 0 < fault.address - address < size else 0
        return refused("unreadable")

    def add(self, address: int, probe: object, act: Act) -> Tracepoint:
        """Let `act` happen whenever `address` is reached, on behalf of `probe`.  Raises Refused."""
        point = self.points.get(address) or self._place(address)
        point.users.append((probe, act))
        point.acts = tuple(act for _, act in point.users)
        return point

    def _place(self, address: int) -> Tracepoint:
        plan = self.plan(address)
        if plan.treatment is Treatment.REFUSED:
            raise Refused(plan.why)
        point = Tracepoint(address, self.original(address, plan.size), plan)
        if plan.build is not None:
            slot = self.scratch.take(address)
            if slot is None:
                raise Refused("no room for a scratch area in reach")
            try:
                code = plan.build(slot)
            except Unreachable:
                self.scratch.give(slot)
                raise Refused("its operand is out of the scratch area's reach") from None
            self.scratch.write(slot, code)
            point.slot = point.go = slot
            self.slots[slot] = point
        from runtime.providers.fasttrap.x86 import TRAP

        self.space.patch(address, TRAP)
        self.points[address] = point
        return point

    def remove(self, address: int, probe: object) -> None:
        """Undo `add`; the last one to do so restores the instruction."""
        point = self.points.get(address)
        if point is None:
            return
        point.users = [user for user in point.users if user[0] is not probe]
        point.acts = tuple(act for _, act in point.users)
        if not point.users:
            del self.points[address]
            self.space.patch(address, point.original[:1])
            if point.slot is not None:
                self.scratch.give(point.slot)

    def restore(self, space: AddressSpace) -> None:
        """Make `space`, a copy of this one, as it would be untraced."""
        for point in self.points.values():
            space.patch(point.address, point.original[:1])

    def drop(self, start: int, end: int) -> None:
        """The text in [start, end) is no longer there."""
        for address in [address for address in self._plans if start <= address < end]:
            del self._plans[address]
        for address in [address for address in self.points if start <= address < end]:
            point = self.points.pop(address)
            if point.slot is not None:
                self.scratch.give(point.slot)

    # -- threads in the scratch area --------------------------------------------------------------

    def _threads(self) -> Iterator[Thread]:
        for thread in self._kernel.threads.values():
            if thread.process.space is self.space:
                yield thread

    def _occupied(self, slot: int) -> bool:
        from runtime.providers.fasttrap.x86 import SLOT_SIZE

        return any(slot <= thread.regs[RIP] < slot + SLOT_SIZE for thread in self._threads())

    def state_at(self, pc: int) -> tuple[int, int] | None:
        """What a place in a slot is in program terms: program counter, what to add to the stack pointer.

        None for an address outside the scratch area.
        """
        slot = self.scratch.slot_of(pc)
        point = self.slots.get(slot) if slot is not None else None
        if point is None or slot is None:
            return None
        for offset, address, depth in reversed(point.plan.restarts):
            if pc >= slot + offset:
                return address, depth
        return point.address, 0

    def leave_slot(self, thread: Thread) -> None:
        """Give a thread that faulted in a slot the registers it would have had without one."""
        state = self.state_at(thread.regs[RIP])
        if state is not None:
            thread.regs[RIP] = state[0]
            thread.regs[RSP] += state[1]


class Tracepoints:
    """Every traced address space of a kernel."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self.spaces: dict[AddressSpace, TracedSpace] = {}
        self._sets: dict[int, X86] = {}

    def isa(self, bits: int) -> X86:
        if bits not in self._sets:
            from runtime.providers.fasttrap.x86 import X86

            self._sets[bits] = X86(bits)
        return self._sets[bits]

    def of(self, space: AddressSpace, bits: int) -> TracedSpace:
        traced = self.spaces.get(space)
        if traced is None:
            traced = self.spaces[space] = TracedSpace(self._kernel, space, self.isa(bits))
        return traced
