"""What `-G` must know of an instruction set.  x86_64.py, i386.py, aarch64.py and sparc.py say it, and
machines.py tells which of them an object is made for.

A probe site is a call of an undefined function.  Most are replaced by
instructions that do nothing (or, where the compiler made the call a jump
because it was the last act of a function, that return).  A call in a form
that cannot be replaced where it stands, through a register for example, is
led to a stub: a function of a few instructions, one for each function and
probe, in which the tracepoint lies and the arguments are where a caller
leaves them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from dif.records import NamedTuple
from dof.elf import Relocation
from dof.usdt.definition import Argument

Code = bytes | bytearray | memoryview


class Site(NamedTuple):
    """A replaceable call: `code` goes to `start`, and the tracepoint is at `point`.

    All offsets are in bytes from the start of the section.  `tail` tells that
    the call was a jump.
    """

    start: int
    code: bytes
    point: int
    tail: bool


class Stub(NamedTuple):
    """A stub's code and the offset of the tracepoint in it.

    `relocations` are (offset, type, addend) against the semaphore it reads;
    where relocations carry no addends, these are in the code as well.
    """

    code: bytes
    point: int
    relocations: tuple[tuple[int, int, int], ...] = ()


class InstructionSet(Protocol):
    """The facts of one instruction set (its processor supplement names the relocations)."""

    name: str
    machine: int  # e_machine
    order: str  # of data, as struct writes it
    notes: bool  # whether other tracers read notes of such programs
    bits: int
    none: int  # relocation types: no effect,
    relative: int  # the distance from the place to a symbol, as wide as a pointer,
    absolute: int  # a symbol's address, as wide as a pointer
    addends: bool  # relocations carry addends (RELA)

    def site(self, code: Code, relocation: Relocation, enabled: bool) -> Site | None:
        """How to replace the call that `relocation` belongs to; None when its form does not allow it."""
        ...

    def replaced(self, code: Code, start: int, enabled: bool) -> Site | None:
        """The site that an earlier run made at `start`; None when there is none."""
        ...

    def tail_needs_stub(self, arguments: Sequence[Argument], enabled: bool) -> bool:
        """Whether a return in place of a jump would leave the arguments where no tracer looks."""
        ...

    def stub(self, enabled: bool) -> Stub:
        """Return a stub for a probe; with `enabled` one that returns 0 until it is traced."""
        ...

    def semaphore_stub(self) -> Stub:
        """Return a stub that returns what a 16-bit semaphore holds, until it is traced."""
        ...

    def operands(self, arguments: Sequence[Argument], tail: bool) -> str:
        """Where the arguments are at a site, in the notation of SystemTap's notes."""
        ...


def operand(argument: Argument, place: str) -> str:
    """`size@place`: a negative size for signed values, an f for floating ones."""
    size = min(max(argument.size, 1), 8)
    kind = "f" if argument.floating else ""
    sign = "-" if argument.signed and not argument.floating else ""
    return f"{sign}{size}{kind}@{place}"
