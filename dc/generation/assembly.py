"""The last steps of code generation: instructions with virtual registers → a Difo and its tables."""

from __future__ import annotations

from collections.abc import Callable

from dc.generation.ir import ARRAY_STORES, LABEL, VARIABLE_FORMATS, Code, Instr, Label, VariableLike
from dc.generation.optimizer import optimize
from dc.generation.registers import allocate
from dc.names.linkmode import PROGRAM
from dif import isa
from dif.difo import Difo, DifType, DifVar, Reloc
from dif.isa import Format, Op
from dif.records import NamedTuple

_ARRAY_STORES = frozenset(ARRAY_STORES.values())
RELOCATE_SETX = 1  # DOF_RELO_SETX
INTEGER = DifType(isa.TYPE_CTF, 1, 0, 8)
REMEMBERED = 10_000  # routines


class Unloadable(Exception):
    """No kernel would take the DIFO: it has more integers, strings or instructions than an instruction can
    name, or a variable without a size.
    """


class Assembled(NamedTuple):
    """An object, and of each of its instructions the `origin`."""

    difo: Difo
    origins: list[int]


class Objects:
    """The DIF objects of one program; expressions with the same code share one object.

    Long programs repeat themselves, and to look a routine up takes less time than to optimize it.
    """

    def __init__(self, optimizing: bool, registers: int) -> None:
        self._optimizing = optimizing
        self._registers = registers
        self._known: dict[object, Assembled] = {}

    def made_of(self, instructions: list[Instr], rtype: DifType,
                hidden_local: Callable[[], VariableLike] | None = None) -> Assembled:
        """The object of a complete routine over virtual registers; see `registers` on `hidden_local`.

        Raises OutOfRegisters, Unloadable.
        """
        key = (rtype, _fingerprint(instructions))
        known = self._known.get(key)
        if known is None:
            if self._optimizing:
                instructions = optimize(instructions)
            instructions = allocate(instructions, hidden_local, self._registers)
            instructions = _separate_sizes(instructions)
            known = Assembled(assemble(instructions, rtype),
                              [each.origin for each in instructions if each.op != LABEL])
            if len(self._known) >= REMEMBERED:
                self._known.clear()
            self._known[key] = known
        return known

    def constant(self, value: int) -> Difo:
        """The object that returns a constant: an aggregation's id, or an argument of a library action."""
        code = Code()
        code.emit(Op.RET, c=code.integer(value))
        return self.made_of(code.instructions, INTEGER).difo


def _fingerprint(instructions: list[Instr]) -> tuple[object, ...]:
    """A key that is equal for routines which become the same object."""
    labels: dict[Label | None, int] = {None: 0}
    found: list[object] = []
    for each in instructions:
        operand: object = each.operand
        if operand is not None and not isinstance(operand, int | bytes):
            operand = each.variable, each.variable.dif_type
        found.append((each.op, each.dest, each.a, each.b, each.c, operand, each.symbol, each.pinned,
                      labels.setdefault(each.label, len(labels))))
    return tuple(found)


class _Tables:
    """The integer and string tables of one Difo, each entry once."""

    def __init__(self) -> None:
        self.integers: list[int] = []
        self._shared: dict[int, int] = {}
        self.text = bytearray()
        self._offsets: dict[bytes, int] = {}

    def integer(self, value: int) -> int:
        if value not in self._shared:
            self._shared[value] = self.private(value)
        return self._shared[value]

    def private(self, value: int) -> int:
        """The index of an entry of its own, because a relocation may change it."""
        self.integers.append(value)
        if len(self.integers) > isa.INDEX_MAX:
            raise Unloadable("too many integer constants in one expression")
        return len(self.integers) - 1

    def string(self, value: bytes) -> int:
        if not self.text:
            self.text += b"\0"
            self._offsets[b""] = 0
        if value not in self._offsets:
            self._offsets[value] = len(self.text)
            self.text += value + b"\0"
        if self._offsets[value] > isa.INDEX_MAX:
            raise Unloadable("string constants of one expression are too long")
        return self._offsets[value]


def assemble(instructions: list[Instr], rtype: DifType) -> Difo:
    """Encode instructions whose registers are machine registers.  Raises Unloadable."""
    tables = _Tables()
    places = _places(instructions)
    relocations: tuple[list[Reloc], list[Reloc]] = [], []  # of kernel and user symbols
    text = [_encode(instr, places, tables, relocations) for instr in instructions if instr.op != LABEL]
    variables = _variable_table(instructions)
    for variable in variables:
        tables.string(variable.name.encode())
    for relocation in (*relocations[0], *relocations[1]):
        tables.string(relocation.name.encode())
    size = 4 * len(text) + 8 * len(tables.integers) + len(tables.text) + 20 * len(variables)
    if size > isa.DIFO_MAXSIZE:
        raise Unloadable("expression is too large")
    return Difo(text, rtype, tables.integers, bytes(tables.text), variables, *relocations)


def _separate_sizes(instructions: list[Instr]) -> list[Instr]:
    """Separate a setx that happens to stand before a pushtr of a string from it.

    A kernel reads a setx directly before a pushtr as the size of the key when
    it works out how much room a dynamic variable takes.
    """
    if not any(each.op in _ARRAY_STORES for each in instructions):
        return instructions
    result: list[Instr] = []
    for instr in instructions:
        if instr.op == Op.PUSHTR and not instr.b and result and result[-1].op == Op.SETX:
            result.append(Instr(Op.NOP))
        result.append(instr)
    return result


def _places(instructions: list[Instr]) -> dict[Label | None, int]:
    places: dict[Label | None, int] = {}
    index = 0
    for instr in instructions:
        if instr.op == LABEL:
            places[instr.label] = index
        else:
            index += 1
    return places


def _encode(instr: Instr, places: dict[Label | None, int], tables: _Tables,
            relocations: tuple[list[Reloc], list[Reloc]]) -> int:
    form = isa.OPCODES[instr.op].format
    rd = instr.dest or instr.c
    operand = instr.operand
    if form == Format.LABEL:
        return isa.branch(instr.op, places[instr.label])
    if form == Format.INTEGER:
        assert isinstance(operand, int)
        index = tables.private(operand) if instr.symbol else tables.integer(operand)
        if instr.symbol:
            name = instr.symbol.removeprefix(PROGRAM)
            relocations[name != instr.symbol].append(Reloc(name, RELOCATE_SETX, index * 8))
        return isa.wide(instr.op, index, rd)
    if form == Format.STRING:
        assert isinstance(operand, bytes)
        return isa.wide(instr.op, tables.string(operand), rd)
    if form == Format.VAR_ARRAY:
        return isa.fmt(instr.op, instr.variable.id, instr.b, rd)
    if form in VARIABLE_FORMATS:
        return isa.wide(instr.op, instr.variable.id, rd)
    if form == Format.CALL:
        assert isinstance(operand, int)
        return isa.wide(instr.op, operand, rd)
    if form == Format.PUSH:
        assert isinstance(operand, int)
        return isa.fmt(instr.op, operand, instr.b, rd)
    return isa.fmt(instr.op, instr.a, instr.b, rd)


def _variable_table(instructions: list[Instr]) -> list[DifVar]:
    """A row for each variable named, thread-local ones first, then global, then clause-local."""
    flags: dict[VariableLike, int] = {}
    for instr in instructions:
        form = isa.OPCODES[instr.op].format if instr.op != LABEL else None
        if form in VARIABLE_FORMATS:
            used = isa.F_MOD if form == Format.VAR_STORE else isa.F_REF
            flags[instr.variable] = flags.get(instr.variable, 0) | used
    for each in flags:
        if each.id >= isa.VAR_OTHER_UBASE and each.dif_type.by_reference and not each.dif_type.size:
            raise Unloadable(f"variable {each.name} has a type of 0 bytes")
    ordered = flags if len(flags) < 2 else sorted(flags, key=lambda each: (_ORDER[each.scope], each.id))
    return [DifVar(each.name, each.id, each.dif_kind, each.scope, flags[each], each.dif_type)
            for each in ordered]


_ORDER = {isa.SCOPE_THREAD: 0, isa.SCOPE_GLOBAL: 1, isa.SCOPE_LOCAL: 2}
