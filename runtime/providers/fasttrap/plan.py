"""How a traced instruction is executed although a trap stands in its place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Treatment(StrEnum):
    """EMULATED: its effect is brought about by the trap itself.  DISPLACED: a copy is executed in
    a slot of the process's scratch area.  REWRITTEN: so is a changed copy, since the instruction
    depends on its place.  REFUSED: it cannot be traced."""

    EMULATED = "emulated"
    DISPLACED = "displaced"
    REWRITTEN = "rewritten"
    REFUSED = "refused"


@dataclass(slots=True)
class Plan:
    """What to do at one tracepoint, whose instruction has `size` bytes.

    `go` is where an emulated instruction leads; `event` an event of the
    engine (see runtime.kernel.engine) that it is.  `build(at)` is the code of
    a slot at address `at` and raises Unreachable when the slot lies too far
    away.  `restarts` are (bytes from the slot's start, program counter that
    stands for that place, what to add to the stack pointer).
    `destination(registers, thread)` says where a jump that may leave its
    function leads now.
    """

    treatment: Treatment
    why: str
    go: int = 0
    event: int | None = None
    build: Callable[[int], bytes] | None = None
    restarts: Sequence[tuple[int, int, int]] = ()
    destination: Callable[[Any, Any], int] | None = None
    size: int = 1


class Unreachable(Exception):
    """A slot is too far from what its code refers to."""


def refused(why: str) -> Plan:
    return Plan(Treatment.REFUSED, why)
