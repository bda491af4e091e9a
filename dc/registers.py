"""Register allocation: virtual registers to %r1 - %r7.

Code runs forward only, so a register is busy from its first definition to its
last use and a linear scan suffices.  When more than seven are busy at once,
constants are made again where they are used, and then values wait in hidden
clause-local variables; what still does not fit is D_NOREG.
"""

from __future__ import annotations

from collections.abc import Callable

from dc.ir import LABEL, Instr, VariableLike
from dif import isa
from dif.isa import Op

_REMADE = (Op.SETX, Op.SETS)


class OutOfRegisters(Exception):
    """The expression needs more registers than DIF has."""


class _Interval:
    """When a register is busy: from its first definition to its last use."""

    __slots__ = ("end", "register")

    def __init__(self, register: int, start: int) -> None:
        self.register = register
        self.end = start


def allocate(instructions: list[Instr], spill_variable: Callable[[], VariableLike] | None) -> list[Instr]:
    """Rename every register to a machine register; moves to itself disappear.

    `spill_variable` makes a hidden local variable to keep a value in, None
    where that is not allowed.  Raises OutOfRegisters.
    """
    settled: set[int] = set()
    while True:
        intervals = _intervals(instructions)
        names, crowded = _scan(instructions, intervals)
        if not crowded:
            return _rename(instructions, names)
        instructions = _relieve(instructions, crowded, settled, spill_variable)


def _intervals(instructions: list[Instr]) -> dict[int, _Interval]:
    found: dict[int, _Interval] = {}
    for index, instr in enumerate(instructions):
        for register in (*instr.reads(), instr.dest):
            if not register:
                continue
            interval = found.get(register)
            if interval is None:
                found[register] = _Interval(register, index)
            else:
                interval.end = index
    return found


def _scan(instructions: list[Instr],
          intervals: dict[int, _Interval]) -> tuple[dict[int, int], list[_Interval]]:
    """Names for all registers, or the intervals busy where the names ran out."""
    names: dict[int, int] = {}
    busy: dict[int, _Interval] = {}
    for index, instr in enumerate(instructions):
        for name in [name for name, interval in busy.items() if interval.end < index
                     or (interval.end == index and interval.register != instr.dest)]:
            del busy[name]
        register = instr.dest
        if not register or register in names:
            continue
        interval = intervals[register]
        hint = names.get(instr.a) or names.get(instr.b)
        free = next((name for name in (hint, *range(1, isa.NREGS)) if name and name not in busy), None)
        if free is None:
            return names, [*busy.values(), interval]
        names[register] = free
        busy[free] = interval
    return names, []


def _relieve(instructions: list[Instr], crowded: list[_Interval], settled: set[int],
             spill_variable: Callable[[], VariableLike] | None) -> list[Instr]:
    """Take one value out of its register for the time it is not needed."""
    definitions = {each.dest: each for each in instructions if each.dest}
    crowded = [each for each in crowded if each.register not in settled]
    crowded.sort(key=lambda each: each.end, reverse=True)
    remade = next((each for each in crowded if definitions[each.register].op in _REMADE
                   and not definitions[each.register].pinned), None)
    victim = remade or (crowded[0] if crowded else None)
    if victim is None or (remade is None and spill_variable is None):
        raise OutOfRegisters
    variable = None if remade else spill_variable() if spill_variable else None
    return _split(instructions, victim.register, variable, settled)


def _split(instructions: list[Instr], register: int, variable: VariableLike | None,
           settled: set[int]) -> list[Instr]:
    """Give every use of `register` a short-lived copy of its own."""
    result: list[Instr] = []
    fresh = max(max(each.reads()) for each in instructions)
    fresh = max(fresh, *(each.dest for each in instructions))
    original = next(each for each in instructions if each.dest == register)
    for instr in instructions:
        if register in instr.reads():
            fresh += 1
            settled.add(fresh)
            if variable is None:
                result.append(Instr(original.op, fresh, operand=original.operand, symbol=original.symbol))
            else:
                result.append(Instr(Op.LDLS, fresh, operand=variable))
            instr.a, instr.b, instr.c = (fresh if each == register else each for each in instr.reads())
        if instr.dest != register:
            result.append(instr)
        elif variable is not None:
            fresh += 1
            settled.add(fresh)
            instr.dest = fresh
            result += [instr, Instr(Op.STLS, c=fresh, operand=variable)]
    return result


def _rename(instructions: list[Instr], names: dict[int, int]) -> list[Instr]:
    result = []
    for instr in instructions:
        if instr.op != LABEL:
            instr.a, instr.b, instr.c = (names.get(each, 0) for each in instr.reads())
            instr.dest = names.get(instr.dest, 0)
            if instr.op == Op.MOV and instr.a == instr.dest:
                continue
        result.append(instr)
    return result
