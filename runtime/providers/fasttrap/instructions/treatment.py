"""How a traced instruction is executed although a trap stands in its place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from dif.records import NamedTuple, Record

if TYPE_CHECKING:
    from runtime.kernel.process.thread import Thread


class Treatment(StrEnum):
    """EMULATED: its effect is brought about by the trap itself.  DISPLACED: a copy is executed in
    a slot of the process's scratch area.  REWRITTEN: so is a changed copy, since the instruction
    depends on its place.  REFUSED: it cannot be traced."""

    EMULATED = "emulated"
    DISPLACED = "displaced"
    REWRITTEN = "rewritten"
    REFUSED = "refused"


class Copy(NamedTuple):
    """What to put into a slot.  `restarts` are (bytes from the slot's start, program counter that
    stands for that place, what to add to the stack pointer), in order."""

    code: bytes
    restarts: Sequence[tuple[int, int, int]]


class Loan(NamedTuple):
    """How to execute an instruction whose %rip-relative operand no slot in reach can name.

    While `copy` is executed, which may stand anywhere, a register holds the operand's address, `value`.  It
    is general register `register` (by runtime.kernel.cpu.x86.engine's numbers), which the instruction does
    not use.  The trap at byte `end` of the copy gives the register its own value back and leads to `go`; if
    that is None, to where the register points by then.
    """

    register: int
    value: int
    copy: Copy
    end: int
    go: int | None


class Plan(Record):
    """What to do at one tracepoint, whose instruction is `code`.

    An emulated instruction leads to `go`; if it is an event of the engine, `event` is its number (see
    runtime.kernel.cpu.x86.engine).  `build(at, pc)` returns what a slot at address `at` holds for the
    instruction at `pc`: one plan may be that of the same bytes at many places.  It raises Unreachable if the
    slot is too far away: then `loan()`, if there is one, returns another way.
    `destination(registers, thread)` returns where a jump that may leave its function leads now.
    """

    treatment: Treatment
    why: str
    go: int = 0
    event: int | None = None
    build: Callable[[int, int], Copy] | None = None
    loan: Callable[[], Loan | None] | None = None
    destination: Callable[[Any, Thread], int] | None = None
    code: bytes = b""

    @property
    def size(self) -> int:
        """Bytes of the instruction; 1 where there is none."""
        return len(self.code) or 1


class Unreachable(Exception):
    """A slot is too far from what its code refers to."""


def refused(why: str) -> Plan:
    return Plan(Treatment.REFUSED, why)
