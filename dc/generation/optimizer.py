"""The DIF optimizer: fewer instructions, the same meaning.

Branches only go forward, so a forward pass knows everything that holds on
every path to an instruction, and a backward pass knows exactly what is still
needed.  Each round runs

  simplify   forward: constant folding, copy propagation, common
             subexpressions and common loads, strength reduction, casts that
             change nothing, branches whose outcome is known
  prune      backward: results, stores and comparisons that no instruction uses
  shorten    branches to branches, branches around branches, jumps to the next
             instruction, early returns, code that cannot be reached

until nothing changes.  What may be folded, shared or dropped is asked of the
ISA table (`pure`, `commutes`, `flags`, `size`).
"""

from __future__ import annotations

from itertools import pairwise

from dc.generation.ir import LABEL, LOADS, STORES, VARIABLE_FORMATS, Instr, Label, ends_path, is_branch
from dif import isa
from dif.arithmetic import FULL, MASK, NEGATED, Range, fold, load_range, result_range, signed, taken, within
from dif.isa import Flags, Format, Op

ROUNDS = 4
# Stores whose value the load of the same scope has afterwards; a dynamic variable may find no room.
_LOAD_OF_STORE = {STORES[scope]: load for scope, load in LOADS.items() if not isa.OPCODES[load].dynamic}


def optimize(instructions: list[Instr]) -> list[Instr]:
    """The optimized form of a complete DIF routine (it ends in ret on every path)."""
    for _ in range(ROUNDS):
        before = len(instructions)
        simplifier = _Simplifier(instructions)
        instructions = simplifier.run()
        instructions = _prune(instructions)
        instructions = _shorten(instructions)
        if len(instructions) == before and not simplifier.changed:
            break
    return instructions


# -- forward ------------------------------------------------------------------------------------------

_Held = dict[tuple[object, ...], int]  # the registers of values


class _State:
    """What holds at one place: values already in registers, those of memory among them, and whether
    tuples were pushed.
    """

    __slots__ = ("loaded", "pushed", "values")

    def __init__(self, values: _Held, loaded: _Held, pushed: bool = False) -> None:
        self.values = values
        self.loaded = loaded
        self.pushed = pushed

    def meet(self, other: _State) -> _State:
        """What holds on both of two paths."""
        return _State(_common(self.values, other.values), _common(self.loaded, other.loaded),
                      self.pushed or other.pushed)

    def copy(self) -> _State:
        return _State(dict(self.values), dict(self.loaded), self.pushed)


def _common(left: _Held, right: _Held) -> _Held:
    return {key: value for key, value in left.items() if right.get(key) == value}


class _Simplifier:
    """One forward pass over a routine."""

    def __init__(self, instructions: list[Instr]) -> None:
        self.input = instructions
        self.output: list[Instr] = []
        self.changed = False
        written = [each.dest for each in instructions if each.dest]
        self.next_register = max(written, default=0) + 1
        self.single = set(written)  # registers that are written once
        if len(self.single) < len(written):
            written.sort()
            self.single -= {one for one, other in pairwise(written) if one == other}
        self.addresses = {each.c for each in instructions
                          if each.op != LABEL and isa.OPCODES[each.op].address_in_rd}
        self.alias: dict[int, int] = {}
        self.constant: dict[int, int] = {0: 0}
        self.range: dict[int, Range] = {0: (0, 0)}
        self.definition: dict[int, Instr] = {}
        self.state: _State | None = _State({}, {})
        self.at_label: dict[Label, _State] = {}
        self.compared: tuple[int, int] | None = None  # registers of the last cmp or tst

    def run(self) -> list[Instr]:
        for each in self.input:
            if each.op == LABEL:
                self._label(each)
            elif self.state is not None:
                self._instruction(each)
            else:
                self.changed = True
        return self.output

    def _label(self, instr: Instr) -> None:
        assert instr.label is not None
        saved = self.at_label.get(instr.label)
        if saved is not None:
            self.state = saved if self.state is None else self.state.meet(saved)
            self.compared = None
        self.output.append(instr)

    def _instruction(self, instr: Instr) -> None:
        assert self.state is not None
        row = isa.OPCODES[instr.op]
        self._replace_operands(instr, row)
        if row.format == Format.LABEL:
            self._branch(instr)
            return
        if row.flags == Flags.SET:
            self.compared = (instr.a, instr.b) if instr.op != Op.SCMP else None
        elif row.format in VARIABLE_FORMATS:
            if self._variable(instr):
                return
        elif row.format == Format.LOAD:
            if self._share(instr, (row.code, instr.a), self.state.loaded):
                return
            self._note(instr, load_range(row.size, row.signed))
        elif row.pure:
            if self._pure(instr, row):
                return
        elif row.format == Format.PUSH:
            self.state.pushed = True
        elif instr.op == Op.FLUSHTS:
            if not self.state.pushed:
                self.changed = True
                return
        elif row.address_in_rd or row.format == Format.CALL:
            self.state.loaded.clear()
        if instr.dest and not row.pure and row.format != Format.LOAD:
            self._note(instr)
        self.output.append(instr)
        if instr.op == Op.RET:
            self.state = None

    def _replace_operands(self, instr: Instr, row: isa.Opcode) -> None:
        """Copy propagation, and %r0 for zero where the machine takes it."""
        if instr.a:
            instr.a = self._current(instr.a)
        if instr.b:
            instr.b = self._current(instr.b)
        if instr.c:
            instr.c = self.alias.get(instr.c, instr.c) if row.address_in_rd else self._current(instr.c)

    def _current(self, register: int) -> int:
        register = self.alias.get(register, register)
        return register if self.constant.get(register) != 0 else 0

    def _branch(self, instr: Instr) -> None:
        assert self.state is not None and instr.label is not None
        if instr.op != Op.BA and self.compared is not None:
            left, right = (self.constant.get(each) for each in self.compared)
            if left is not None and right is not None:
                self.changed = True
                if not taken(instr.op, left, right):
                    return
                instr.op = Op.BA
        saved = self.at_label.get(instr.label)
        self.at_label[instr.label] = self.state.copy() if saved is None else saved.meet(self.state)
        self.output.append(instr)
        if instr.op == Op.BA:
            self.state = None

    # Values -------------------------------------------------------------------------------------

    def _note(self, instr: Instr, bounds: Range = FULL) -> None:
        """Remember what a register's value can be and where it comes from; all that writes one is noted."""
        if instr.dest in self.single:
            self.definition[instr.dest] = instr
            self.range[instr.dest] = bounds
        else:
            known = self.range.get(instr.dest)
            self.range[instr.dest] = bounds if known is None else \
                (min(known[0], bounds[0]), max(known[1], bounds[1]))

    def _share(self, instr: Instr, key: tuple[object, ...], among: _Held | None = None) -> bool:
        """Whether the value is in a register already; else remember that it now is."""
        assert self.state is not None
        if instr.dest not in self.single or instr.pinned:
            return False
        known = self.state.values if among is None else among
        held = known.get(key)
        if held is None:
            known[key] = instr.dest
            return False
        if held == 0 and instr.dest in self.addresses:
            return False
        self.alias[instr.dest] = held
        self.changed = True
        return True

    def _becomes(self, instr: Instr, register: int) -> bool:
        """Let another register stand for this result; True when the instruction goes away."""
        if register not in self.single if register else instr.dest in self.addresses:
            return False
        self.changed = True
        if instr.dest in self.single:
            self.alias[instr.dest] = register
            if register in self.constant:
                self.constant[instr.dest] = self.constant[register]
            return True
        instr.op, instr.a, instr.b = Op.MOV, register, 0
        self._note(instr, self.range.get(register, FULL))
        self.output.append(instr)
        return True

    def _becomes_constant(self, instr: Instr, value: int) -> bool:
        self.changed = self.changed or instr.op not in (Op.SETX, Op.MOV)
        if value == 0 and instr.dest not in self.addresses:
            return instr.op != Op.MOV and self._becomes(instr, 0)
        instr.op, instr.a, instr.b, instr.operand = Op.SETX, 0, 0, value
        return self._constant(instr)

    def _constant(self, instr: Instr) -> bool:
        value = instr.operand
        assert isinstance(value, int)
        if instr.symbol is not None:
            return False
        if self._share(instr, (Op.SETX, value)):
            return True
        if instr.dest in self.single:
            self.constant[instr.dest] = value
        self._note(instr, (signed(value), signed(value)))
        self.output.append(instr)
        return True

    def _pure(self, instr: Instr, row: isa.Opcode) -> bool:
        if instr.op == Op.SETX:
            return self._constant(instr)
        if instr.op == Op.SETS:
            self._note(instr)
            return self._share(instr, (Op.SETS, instr.operand))
        if instr.op == Op.MOV:
            if instr.dest in self.single:
                return self._becomes(instr, instr.a)
            if instr.a in self.constant and instr.a:
                return self._becomes_constant(instr, self.constant[instr.a])
            self._note(instr, self.range.get(instr.a, FULL))
            return False
        left, right = self.constant.get(instr.a), self.constant.get(instr.b)
        if left is not None and right is not None:
            result = fold(instr.op, left, right)
            if result is not None:
                return self._becomes_constant(instr, result)
        if row.commutes and left is not None:
            instr.a, instr.b, left, right = instr.b, instr.a, right, left
        if self._reduce(instr, left, right):
            return True
        a, b = instr.a, instr.b
        key = (instr.op, *(sorted((a, b)) if row.commutes else (a, b)))
        if self._share(instr, key):
            return True
        bounds = result_range(instr.op, self.range.get(a, FULL), self.range.get(b, FULL))
        self._note(instr, bounds)
        return False

    # Strength reduction ---------------------------------------------------------------------------

    def _reduce(self, instr: Instr, left: int | None, right: int | None) -> bool:
        """Replace an operation by a cheaper one; True when it went away altogether."""
        op = instr.op
        row = isa.OPCODES[op]
        if right is not None and right == row.neutral:
            return self._becomes(instr, instr.a)
        if right == 0 and right == row.absorbing:
            return self._becomes(instr, 0)
        if op in (Op.SRA, Op.SRL) and right is not None:
            return self._cast(instr, right)
        if op == Op.SLL and right is not None:
            self._widen_shift(instr, right)
            return False
        if op == Op.AND and right is not None and right & (right + 1) == 0 \
                and within(self.range.get(instr.a, FULL), (0, right)):
            return self._becomes(instr, instr.a)
        if op in (Op.MUL, Op.UDIV, Op.UREM) and right is not None and right & (right - 1) == 0 and right:
            self._power_of_two(instr, right)
        return False

    def _integer(self, value: int) -> int:
        """A register holding a constant, for a rewritten instruction."""
        assert self.state is not None
        held = self.state.values.get((Op.SETX, value))
        if held is not None:
            return held
        register = self.next_register
        self.next_register += 1
        setx = Instr(Op.SETX, register, operand=value)
        self.state.values[(Op.SETX, value)] = register
        self.constant[register] = value
        self._note(setx, (signed(value), signed(value)))
        self.output.append(setx)
        return register

    def _power_of_two(self, instr: Instr, value: int) -> None:
        if instr.op == Op.UREM:
            instr.op, instr.b = Op.AND, self._integer(value - 1)
        else:
            instr.op = Op.SLL if instr.op == Op.MUL else Op.SRL
            instr.b = self._integer(value.bit_length() - 1)
        self.changed = True

    def _shifted_left(self, register: int) -> tuple[int, int] | None:
        """(x, n) when the register holds x << n for a constant n."""
        source = self.definition.get(register)
        if source is None or source.op != Op.SLL or source.b not in self.constant:
            return None
        return source.a, self.constant[source.b]

    def _cast(self, instr: Instr, count: int) -> bool:
        """x << n >> n keeps the low 64 - n bits: drop it where x has no more, mask where unsigned."""
        shifted = self._shifted_left(instr.a)
        if shifted is None or shifted[1] != count or not 0 < count < 64:
            return False
        source, bits = shifted[0], 64 - count
        kept = (-(1 << bits - 1), (1 << bits - 1) - 1) if instr.op == Op.SRA else (0, (1 << bits) - 1)
        if within(self.range.get(source, FULL), kept):
            return self._becomes(instr, source)
        if instr.op == Op.SRL:
            instr.op, instr.a, instr.b = Op.AND, source, self._integer((1 << bits) - 1)
            self.changed = True
        self._note(instr, kept)
        return self._finish_cast(instr, kept)

    def _finish_cast(self, instr: Instr, kept: Range) -> bool:
        key = (instr.op, *(sorted((instr.a, instr.b)) if instr.op == Op.AND else (instr.a, instr.b)))
        if self._share(instr, key):
            return True
        self._note(instr, kept)
        self.output.append(instr)
        return True

    def _widen_shift(self, instr: Instr, count: int) -> None:
        """x cast to m bits, then shifted left past them: the cast is of no use."""
        source = self.definition.get(instr.a)
        if source is None or source.b not in self.constant:
            return
        amount = self.constant[source.b]
        if source.op in (Op.SRA, Op.SRL):
            shifted = self._shifted_left(source.a)
            if shifted is not None and shifted[1] == amount <= count:
                instr.a = shifted[0]
                self.changed = True
        elif source.op == Op.AND and (amount & (MASK >> count)) == MASK >> count:
            instr.a = source.a
            self.changed = True

    # Variables and memory ---------------------------------------------------------------------------

    def _variable(self, instr: Instr) -> bool:
        assert self.state is not None
        values, variable = self.state.values, instr.variable
        row = isa.OPCODES[instr.op]
        if _is_plain_load(row) or instr.op == Op.LDGA:
            return self._share(instr, (instr.op, variable.id, instr.b))
        loads = _LOAD_OF_STORE.get(instr.op)
        if loads is not None and not variable.dif_type.by_reference:
            if instr.c == 0 or instr.c in self.single:
                values[(loads, variable.id, 0)] = instr.c
            else:
                values.pop((loads, variable.id, 0), None)
        elif row.format == Format.VAR_STORE:
            if instr.op == Op.STTS:
                values.pop((Op.LDTS, variable.id, 0), None)
            if variable.dif_type.by_reference:
                values.pop((loads, variable.id, 0), None)
                self.state.loaded.clear()
        return False


def _is_plain_load(row: isa.Opcode) -> bool:
    """Whether it loads a variable that is no array's element."""
    return row.format == Format.VAR_LOAD and not row.keyed


# -- backward -----------------------------------------------------------------------------------------

def _removable(row: isa.Opcode, instr: Instr, constants: dict[int, int]) -> bool:
    """Whether an instruction whose result is unused has no other effect."""
    if row.faults:
        return constants.get(instr.b, 0) not in (0, MASK)
    if row.pure:
        return True
    return _is_plain_load(row) and instr.variable.id >= isa.VAR_OTHER_UBASE


def _prune(instructions: list[Instr]) -> list[Instr]:
    """Drop unused results, comparisons without a branch, and stores that are overwritten."""
    constants = {each.dest: each.operand for each in instructions
                 if each.op == Op.SETX and isinstance(each.operand, int)}
    at_label: dict[Label, tuple[set[int], bool]] = {}
    live: set[int] = set()
    flags = False
    overwritten: set[tuple[int, int]] = set()
    kept: list[Instr] = []
    for instr in reversed(instructions):
        if instr.op == LABEL:
            assert instr.label is not None
            at_label[instr.label] = (set(live), flags)
            overwritten.clear()
            kept.append(instr)
            continue
        row = isa.OPCODES[instr.op]
        if row.format == Format.LABEL:
            assert instr.label is not None
            there, their_flags = at_label[instr.label]
            live = set(there) if instr.op == Op.BA else live | there
            flags = instr.op != Op.BA or their_flags
        elif instr.op == Op.RET:
            live, flags = set(), False
        if instr.dest and instr.dest not in live and _removable(row, instr, constants):
            continue
        if row.flags == Flags.SET:
            if not flags and instr.op != Op.SCMP:
                continue
            flags = False
        if _is_dead_store(row, instr, overwritten):
            continue
        live.discard(instr.dest)
        live.update(instr.reads())
        kept.append(instr)
    kept.reverse()
    return kept


def _is_dead_store(row: isa.Opcode, instr: Instr, overwritten: set[tuple[int, int]]) -> bool:
    """Track variables that are stored again before anyone could look."""
    if instr.op in _LOAD_OF_STORE and not instr.variable.dif_type.by_reference:
        key = (instr.op, instr.variable.id)
        if key in overwritten:
            return True
        overwritten.add(key)
    elif not row.pure or row.faults:
        overwritten.clear()  # it may read the variable, branch, or fault
    return False


# -- branches -----------------------------------------------------------------------------------------

def _shorten(instructions: list[Instr]) -> list[Instr]:
    """Make every branch go where it ends up, and drop those that need not be."""
    if not any(each.label for each in instructions):
        return instructions
    first = _first_after(instructions)
    returns: dict[int, Label | None] = {}  # by register, a label of the last ret of it
    for label, target in first.items():
        if target.op == Op.RET:
            returns.setdefault(target.c, label)
    for instr in instructions:
        if not is_branch(instr.op):
            continue
        destination: Instr | None = first.get(instr.label)
        while destination is not None and destination.op == Op.BA:
            instr.label = destination.label
            destination = first.get(instr.label)
        if destination is None or destination.op != Op.RET:
            continue
        if instr.op == Op.BA:
            instr.op, instr.label, instr.c = Op.RET, None, destination.c
        else:
            instr.label = returns[destination.c]
    return _drop_unreached(_invert(instructions))


def _first_after(instructions: list[Instr]) -> dict[Label | None, Instr]:
    """The instruction that each label stands for."""
    found: dict[Label | None, Instr] = {}
    following: Instr | None = None
    for instr in reversed(instructions):
        if instr.op != LABEL:
            following = instr
        elif following is not None:
            found[instr.label] = following
    return found


def _invert(instructions: list[Instr]) -> list[Instr]:
    """bcc L; ba M; L: becomes the opposite branch to M."""
    result: list[Instr] = []
    for index, instr in enumerate(instructions):
        if instr.op == Op.BA and result and result[-1].op in NEGATED \
                and result[-1].label in _labels_at(instructions, index + 1):
            result[-1].op, result[-1].label = NEGATED[result[-1].op], instr.label
        else:
            result.append(instr)
    return result


def _labels_at(instructions: list[Instr], index: int) -> set[Label | None]:
    """The labels placed directly at `index`."""
    found: set[Label | None] = set()
    while index < len(instructions) and instructions[index].op == LABEL:
        found.add(instructions[index].label)
        index += 1
    return found


def _drop_unreached(instructions: list[Instr]) -> list[Instr]:
    """Leave out code that no path reaches, jumps to the next instruction, and labels that no branch names."""
    result: list[Instr] = []
    named: set[Label | None] = set()
    reached = True
    for index, instr in enumerate(instructions):
        if instr.op == LABEL:
            if instr.label in named:
                reached = True
                result.append(instr)
        elif reached:
            if is_branch(instr.op):
                if instr.label in _labels_at(instructions, index + 1):
                    continue
                named.add(instr.label)
            result.append(instr)
            reached = not ends_path(instr.op)
    return result
