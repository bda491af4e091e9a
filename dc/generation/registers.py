"""Register allocation: virtual registers to %r1 - %r7.

Code runs forward only, so a register is busy from its first definition to its
last use, and one pass over the code suffices (a linear scan).  When more than
seven registers are busy at once, `allocate` first makes constants anew where
they are used, and then keeps values in hidden clause-local variables.  If an
expression still does not fit, it raises OutOfRegisters (the error D_NOREG).
"""

from __future__ import annotations

from collections.abc import Callable

from dc.generation.ir import LABEL, Instr, VariableLike
from dif import isa
from dif.isa import Op

_REMADE = (Op.SETX, Op.SETS)


class OutOfRegisters(Exception):
    """The expression needs more registers than DIF has."""


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


def _last_uses(instructions: list[Instr]) -> dict[int, int]:
    """The index of the last instruction that names each register."""
    return {register: index for index, instr in enumerate(instructions)
            for register in (instr.a, instr.b, instr.c, instr.dest)}


def _constants(instructions: list[Instr]) -> set[int]:
    """Registers that hold a constant, which costs no memory to make again."""
    once: set[int] = set()
    again: set[int] = set()
    for each in instructions:
        (again if each.dest in once else once).add(each.dest)
    return {each.dest for each in instructions
            if each.op in _REMADE and not each.pinned and each.dest not in again}


class _Scan:
    """One pass that gives each register a name of the machine's; `victims` are those that got none.

    `settled` registers live for one instruction only, so evicting them would
    gain nothing.  `remade` are the _constants, computed once there are victims.
    """

    def __init__(self, instructions: list[Instr], settled: set[int], count: int) -> None:
        self._instructions = instructions
        self._usable = range(1, count)
        self._settled = settled
        self._last = _last_uses(instructions)
        self._busy: dict[int, int] = {}  # names and the registers that have them
        self.names: dict[int, int] = {0: 0}
        self.victims: list[int] = []
        self.remade: set[int] = set()
        unused = 0  # what the instruction before wrote, if no instruction reads it
        for index, instr in enumerate(instructions):
            self._release(unused)
            for register in (instr.a, instr.b, instr.c):
                if register and self._last[register] == index and register != instr.dest:
                    self._release(register)
            unused = instr.dest if instr.dest and self._last[instr.dest] == index else 0
            if instr.dest and instr.dest not in self.names:
                self._assign(instr.dest, self.names.get(instr.a) or self.names.get(instr.b))

    def _release(self, register: int) -> None:
        name = self.names.get(register)
        if name and self._busy.get(name) == register:
            del self._busy[name]

    def _assign(self, register: int, hint: int | None) -> None:
        if hint and hint not in self._busy:
            name = hint
        else:
            name = next((name for name in self._usable if name not in self._busy), 0) or self._evict(register)
        self.names[register] = name
        if name:
            self._busy[name] = register

    def _evict(self, register: int) -> int:
        """Take a value out of its register: a constant, or the one needed last.  Its name, 0 if itself."""
        crowd = [(name, each) for name, each in [*self._busy.items(), (0, register)]
                 if each not in self._settled]
        if not crowd:
            raise OutOfRegisters
        self.remade = self.remade or _constants(self._instructions)
        name, victim = max(crowd, key=lambda each: (each[1] in self.remade, self._last[each[1]]))
        self.victims.append(victim)
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
            instr.a, instr.b, instr.c, instr.dest = \
                names[instr.a], names[instr.b], names[instr.c], names[instr.dest]
            if instr.op == Op.MOV and instr.a == instr.dest:
                continue
        result.append(instr)
    return result
