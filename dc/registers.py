"""Register allocation: virtual registers to %r1 - %r7.

Code runs forward only, so a register is busy from its first definition to its
last use and a linear scan suffices.  When more than seven are busy at once,
constants are made again where they are used, and then values wait in hidden
clause-local variables; what still does not fit is D_NOREG.
"""

from __future__ import annotations

from collections import Counter
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


def allocate(instructions: list[Instr], spill_variable: Callable[[], VariableLike] | None,
             count: int = isa.NREGS) -> list[Instr]:
    """Rename every register to one of the machine's `count`; moves to itself disappear.

    `spill_variable` makes a hidden local variable to keep a value in, None
    where that is not allowed.  Raises OutOfRegisters.
    """
    settled: set[int] = set()
    while True:
        scan = _Scan(instructions, settled, count)
        if not scan.victims:
            return _rename(instructions, scan.names)
        homes: dict[int, VariableLike | None] = {}
        for victim in scan.victims:
            if victim in scan.remade:
                homes[victim] = None
            elif spill_variable is None:
                raise OutOfRegisters
            else:
                homes[victim] = spill_variable()
        instructions = _split(instructions, homes, settled)


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


class _Scan:
    """One pass that hands out names; values that found none are `victims`.

    `remade` are registers that hold a constant, which costs no memory to make
    again.  `settled` registers live for one instruction only: it would be of
    no use to take them out.
    """

    def __init__(self, instructions: list[Instr], settled: set[int], count: int) -> None:
        self._usable = range(1, count)
        self.names: dict[int, int] = {}
        self.victims: list[int] = []
        written = Counter(each.dest for each in instructions)
        self.remade = {each.dest for each in instructions
                       if each.op in _REMADE and not each.pinned and written[each.dest] == 1}
        self._settled = settled
        self._busy: dict[int, _Interval] = {}
        intervals = _intervals(instructions)
        for index, instr in enumerate(instructions):
            for name in [name for name, interval in self._busy.items() if interval.end < index
                         or (interval.end == index and interval.register != instr.dest)]:
                del self._busy[name]
            if instr.dest and instr.dest not in self.names:
                hint = self.names.get(instr.a) or self.names.get(instr.b)
                self._assign(intervals[instr.dest], hint)

    def _assign(self, interval: _Interval, hint: int | None) -> None:
        name = next((name for name in (hint, *self._usable) if name and name not in self._busy), 0)
        if not name:
            name = self._evict(interval)
        self.names[interval.register] = name
        if name:
            self._busy[name] = interval

    def _evict(self, interval: _Interval) -> int:
        """Take a value out of its register: a constant, or the one needed last.  Its name, 0 if itself."""
        crowd = [(name, each) for name, each in [*self._busy.items(), (0, interval)]
                 if each.register not in self._settled]
        if not crowd:
            raise OutOfRegisters
        name, victim = max(crowd, key=lambda each: (each[1].register in self.remade, each[1].end))
        self.victims.append(victim.register)
        self._busy.pop(name, None)
        return name


def _split(instructions: list[Instr], homes: dict[int, VariableLike | None],
           settled: set[int]) -> list[Instr]:
    """Give every use of the registers in `homes` a short-lived copy, loaded from there or made again."""
    result: list[Instr] = []
    fresh = max(max(*each.reads(), each.dest) for each in instructions)
    originals = {each.dest: each for each in instructions}
    for instr in instructions:
        for register in {each for each in instr.reads() if each in homes}:
            fresh += 1
            settled.add(fresh)
            home, original = homes[register], originals[register]
            copy = Instr(Op.LDLS, fresh, operand=home) if home is not None else \
                Instr(original.op, fresh, operand=original.operand, symbol=original.symbol)
            # a pinned setx stays directly before its pushtr
            result.insert(len(result) - (bool(result) and result[-1].pinned), copy)
            instr.a, instr.b, instr.c = (fresh if each == register else each for each in instr.reads())
        if instr.dest not in homes:
            result.append(instr)
            continue
        home = homes[instr.dest]
        if home is not None:
            fresh += 1
            settled.add(fresh)
            instr.dest = fresh
            result += [instr, Instr(Op.STLS, c=fresh, operand=home)]
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
