"""Intermediate code: DIF instructions over as many virtual registers as needed.

The code generator appends `Instr` to a `Code`; the optimizer rewrites the
list; `dc.generation.registers` maps virtual registers to %r1-%r7 and `dc.generation.assembly` turns
the result into a Difo.  Register 0 is %r0, which reads as zero and is never
written.  Branches go forward only, so every analysis is one pass.

An instruction's operands are named by their place in the word: `a` is the
register read in r1, `b` the one read in r2, `c` the one read in rd (a stored
value's address, a returned or pushed value), `dest` the one written in rd.
"""

from __future__ import annotations

from dif import isa
from dif.difo import DifType
from dif.isa import Format, Op

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from typing import Protocol

    from dc.names.values import Value
else:
    Protocol = object

LABEL = 0  # the pseudo-opcode of a label's place
LIMIT = isa.DIFO_MAXSIZE // 2  # twice the instructions that a kernel would load


class CodeTooLong(Exception):
    """The code of an expression is longer than any object that a kernel loads, as with inlines of inlines."""

    def __init__(self) -> None:
        super().__init__("expression is too large")


class Label:
    """A place in the code that branches name."""

    __slots__ = ()


class VariableLike(Protocol):
    """What the code needs to know about a variable: a row of the DIFO's variable table."""

    @property
    def name(self) -> str: ...
    @property
    def id(self) -> int: ...
    @property
    def scope(self) -> int: ...
    @property
    def dif_kind(self) -> int: ...
    @property
    def dif_type(self) -> DifType: ...


class Instr:
    """One instruction, or a label's place (op LABEL).

    `operand` is the integer of a setx, the bytes of a sets, the variable of a
    variable load or store, a subroutine's number, or a push's type kind.
    `symbol` names the symbol whose address a setx has (Linking.relocation).
    A `pinned` instruction stays where it is: a kernel takes the size of a dynamic
    variable's key from the setx directly before a pushtr.  `origin` is its number in Code.nodes, -1 if the
    generator did not emit it.
    """

    __slots__ = ("a", "b", "c", "dest", "label", "op", "operand", "origin", "pinned", "symbol")

    def __init__(self, op: int, dest: int = 0, a: int = 0, b: int = 0, c: int = 0,
                 operand: int | bytes | VariableLike | None = None, label: Label | None = None,
                 symbol: str | None = None, pinned: bool = False, origin: int = -1) -> None:
        self.op = op
        self.dest = dest
        self.a = a
        self.b = b
        self.c = c
        self.operand = operand
        self.label = label
        self.symbol = symbol
        self.pinned = pinned
        self.origin = origin

    def reads(self) -> tuple[int, int, int]:
        return self.a, self.b, self.c

    @property
    def variable(self) -> VariableLike:
        assert self.operand is not None and not isinstance(self.operand, int | bytes)
        return self.operand


VARIABLE_FORMATS = (Format.VAR_LOAD, Format.VAR_STORE, Format.VAR_ARRAY)

# Which instructions keep a variable's value, and how: the engine's three scopes.
LOADS = {isa.SCOPE_GLOBAL: Op.LDGS, isa.SCOPE_THREAD: Op.LDTS, isa.SCOPE_LOCAL: Op.LDLS}
STORES = {isa.SCOPE_GLOBAL: Op.STGS, isa.SCOPE_THREAD: Op.STTS, isa.SCOPE_LOCAL: Op.STLS}
ARRAY_LOADS = {isa.SCOPE_GLOBAL: Op.LDGAA, isa.SCOPE_THREAD: Op.LDTAA}
ARRAY_STORES = {isa.SCOPE_GLOBAL: Op.STGAA, isa.SCOPE_THREAD: Op.STTAA}

# Memory instructions by (size, signed, user memory) and by size.
LOAD_OPS = {(row.size, row.signed, row.space == "user"): row.code for row in isa.OPCODES.values()
            if row.format == Format.LOAD and row.space != "kernel"}
LOAD_OPS |= {(8, True, user): LOAD_OPS[(8, False, user)] for user in (False, True)}
STORE_OPS = {row.size: row.code for row in isa.OPCODES.values() if row.format == Format.STORE}


class Code:
    """Instructions under construction and the next free virtual register.

    `node` is the value whose code they are now, `nodes` those of the instructions so far.
    """

    __slots__ = ("instructions", "next_register", "node", "nodes")

    def __init__(self) -> None:
        self.instructions: list[Instr] = []
        self.next_register = 1
        self.node: Value | None = None
        self.nodes: list[Value | None] = []

    def register(self) -> int:
        self.next_register += 1
        return self.next_register - 1

    def emit(self, op: int, *, dest: int = 0, a: int = 0, b: int = 0, c: int = 0,
             operand: int | bytes | VariableLike | None = None, symbol: str | None = None,
             pinned: bool = False) -> int:
        """Append an instruction; return the register it writes."""
        self.instructions.append(Instr(op, dest, a, b, c, operand, None, symbol, pinned, len(self.nodes)))
        self.nodes.append(self.node)
        if len(self.instructions) > LIMIT:
            raise CodeTooLong
        return dest

    def integer(self, value: int, dest: int = 0) -> int:
        """Put an integer (64 bits are kept) in a register; zero without `dest` is %r0 itself."""
        value &= 0xFFFF_FFFF_FFFF_FFFF
        if value == 0:
            return self.emit(Op.MOV, dest=dest) if dest else 0
        return self.emit(Op.SETX, dest=dest or self.register(), operand=value)

    def binary(self, op: int, a: int, b: int) -> int:
        return self.emit(op, dest=self.register(), a=a, b=b)

    def branch(self, op: int, label: Label) -> None:
        self.instructions.append(Instr(op, label=label))

    def place(self, label: Label) -> None:
        self.instructions.append(Instr(LABEL, label=label))


def is_branch(op: int) -> bool:
    return op != LABEL and isa.OPCODES[op].format == Format.LABEL


def ends_path(op: int) -> bool:
    """Whether the next instruction is reached by branches only."""
    return op in (Op.BA, Op.RET)
