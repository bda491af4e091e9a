"""The code generator: typed tree → DIF over virtual registers.

A value that fits a register is in one; of anything else (strings, structs,
arrays) a register holds the address.  Conditions become branches, never 0 or
1, unless the number itself is wanted.  Registers hold 64 bits whatever the
type; casts cut to the type's width.  Results are passed down (`dest`) where
two paths must meet in one register.

`generate` is the way in: it makes one Difo of one expression.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum

from dc.checking import rules
from dc.checking.typed import (
    AddressOf,
    AggregationValue,
    Assign,
    Binary,
    BuiltinElement,
    Cast,
    Conditional,
    Constant,
    Dereference,
    Element,
    FunctionCall,
    Inlined,
    MemberAccess,
    ParameterValue,
    Scalar,
    Step,
    StringConstant,
    Stringof,
    SymbolValue,
    Translated,
    TranslatedMember,
    Unary,
    translated,
)
from dc.diagnostics import error
from dc.generation import codestore, conditions
from dc.generation.assembly import Objects, TableOverflow
from dc.generation.ir import ARRAY_LOADS, LOAD_OPS, LOADS, Code, CodeTooLong, Label
from dc.generation.registers import OutOfRegisters
from dc.names.builtins import Role
from dc.names.identifiers import Parameter, Variable
from dc.names.linkmode import Linking
from dc.names.values import Value, dif_type, dif_type_of, value_size
from dc.types.types import STRING_SIZE, Type
from dif import isa
from dif.difo import Difo, DifType
from dif.isa import Op
from dif.records import NamedTuple

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from typing import Any

VOID = DifType(isa.TYPE_CTF, 1, 0, 0)


class Wanted(Enum):
    """What the machine does with the result of a DIFO."""

    VALUE = 0
    RECORD = 3  # records as many bytes as its type has
    TRUTH = 1  # only whether it is zero
    NOTHING = 2


class Settings(NamedTuple):
    """How code is to be: `registers` and `tuple_size` are how many the machine has, %r0 included."""

    optimizing: bool = True
    registers: int = isa.NREGS
    tuple_size: int = isa.NTUPLE
    linking: Linking = Linking()


class Generator:
    """Generates the code of one expression."""

    def __init__(self, settings: Settings) -> None:
        self.code = Code()
        self.settings = settings
        self.bindings: dict[Parameter, int | _Thunk] = {}
        self._facts: dict[Value, Facts] = {}
        self.instantiate = False  # an absent array element that is about to be written must come to be

    # Expressions -----------------------------------------------------------------------------------

    def value(self, node: Value, dest: int = 0) -> int:
        """Evaluate into a register: `dest` if given, else any."""
        return _VALUES[type(node)](self, node, dest)

    def effect(self, node: Value) -> None:
        """Evaluate for what it does, not for its result."""
        if isinstance(node, Binary) and node.op == ",":
            self.effect(node.left)
            self.effect(node.right)
        elif isinstance(node, Binary) and node.op in ("&&", "||"):
            done = Label()
            conditions.branch(self, node.left, done, node.op == "||")
            self.effect(node.right)
            self.code.place(done)
        elif isinstance(node, Conditional):
            other, done = Label(), Label()
            conditions.branch(self, node.test, other, False)
            self.effect(node.then)
            self.code.branch(Op.BA, done)
            self.code.place(other)
            self.effect(node.otherwise)
            self.code.place(done)
        elif isinstance(node, Step):
            codestore.step(self, node, result=False)
        elif isinstance(node, Cast | Stringof):
            self.effect(node.operand)
        else:
            self.value(node)

    def into(self, register: int, dest: int) -> int:
        """Make sure a result just computed is in `dest`, if one was asked for."""
        if not dest or register == dest:
            return register
        last = self.code.instructions[-1] if self.code.instructions else None
        if register and last is not None and last.dest == register:
            last.dest = dest
        else:
            self.code.emit(Op.MOV, dest=dest, a=register)
        return dest

    def _constant(self, node: Constant, dest: int) -> int:
        return self.code.integer(node.value, dest)

    def _string(self, node: StringConstant, dest: int) -> int:
        return self.code.emit(Op.SETS, dest=dest or self.code.register(), operand=node.value)

    def _scalar(self, node: Scalar, dest: int) -> int:
        variable = node.variable
        return self.code.emit(LOADS[variable.scope], dest=dest or self.code.register(), operand=variable)

    def _element(self, node: Element, dest: int) -> int:
        self.push(node.keys, node.variable.keys or [], pinned=self.instantiate and node.by_reference)
        variable = node.variable
        load = ARRAY_LOADS[variable.scope]
        register = self.code.emit(load, dest=dest or self.code.register(), operand=variable)
        if node.by_reference:
            codestore.absent_element(self, node, register, load)
        return register

    def _builtin_element(self, node: BuiltinElement, dest: int) -> int:
        register = self.raw_element(node)
        if node.variable.id == 0 and node.type.is_scalar():
            register = self.truncate(register, node.type)
        return self.into(register, dest)

    def raw_element(self, node: BuiltinElement) -> int:
        """The machine's 64 bits of an argument or register."""
        index = self.code.integer(node.index)
        return self.code.emit(Op.LDGA, dest=self.code.register(), b=index, operand=node.variable)

    def _symbol(self, node: SymbolValue, dest: int) -> int:
        address = self.symbol_address(node)
        if node.by_reference:
            return self.into(address, dest)
        return self.into(self.load(address, node.type, node.user), dest)

    def symbol_address(self, node: SymbolValue) -> int:
        name = self.settings.linking.relocation(node.symbol, node.span)
        return self.code.emit(Op.SETX, dest=self.code.register(), operand=max(0, node.symbol.address),
                              symbol=name)

    def _call(self, node: FunctionCall, dest: int) -> int:
        function = node.function
        if function.role is not Role.FUNCTION:
            raise error("D_CG_EXPR", node.span, f"{function.name}( ) can only be a statement by itself: "
                        f"it is no function of expressions")
        self.push(node.arguments, function.parameters)
        return self.code.emit(Op.CALL, dest=dest or self.code.register(), operand=function.number)

    def _aggregation(self, node: AggregationValue, dest: int) -> int:
        raise error("D_CG_EXPR", node.span, f"@{node.aggregation.name} has no value in an expression: "
                    "it is an aggregation")

    def _unary(self, node: Unary, dest: int) -> int:
        if node.op == "!":
            return conditions.boolean(self, node, dest)
        register = self.value(node.operand)
        if node.op == "-":
            register = self.code.binary(Op.SUB, 0, register)
        elif node.op == "~":
            register = self.code.emit(Op.NOT, dest=self.code.register(), a=register)
        return self.into(register, dest)

    def _binary(self, node: Binary, dest: int) -> int:
        if node.op == ",":
            self.effect(node.left)
            return self.value(node.right, dest)
        if node.op in conditions.OPERATORS:
            return conditions.boolean(self, node, dest)
        left = self.value(node.left)
        left = self.scaled(left, node.left, node.right, node.op)
        right = self.value(node.right)
        right = self.scaled(right, node.right, node.left, node.op)
        result = self.arithmetic(node.op, node.type, left, right)
        return self.into(self._difference(node, result), dest)

    def arithmetic(self, op: str, type_: Type, left: int, right: int) -> int:
        signed_op, unsigned_op = ARITHMETIC[op]
        return self.code.binary(signed_op if type_.is_signed() else unsigned_op, left, right)

    def scaled(self, register: int, node: Value, other: Value, op: str) -> int:
        """An integer added to a pointer counts in what the pointer points to."""
        if op not in "+-" or not rules.is_pointer(other.type) or rules.is_pointer(node.type):
            return register
        target = rules.target_of(other.type)
        size = target.size if target is not None else 1
        if size == 1:
            return register
        return self.code.binary(Op.MUL, register, self.code.integer(size))

    def _difference(self, node: Binary, result: int) -> int:
        """The difference of two pointers counts in what they point to."""
        if node.op != "-" or not rules.is_pointer(node.left.type) or not rules.is_pointer(node.right.type):
            return result
        target = rules.target_of(node.left.type)
        size = target.size if target is not None else 1
        if size <= 1:
            return result
        if size & (size - 1) == 0:
            return self.code.binary(Op.SRA, result, self.code.integer(size.bit_length() - 1))
        return self.code.binary(Op.SDIV, result, self.code.integer(size))

    def _conditional(self, node: Conditional, dest: int) -> int:
        dest = dest or self.code.register()
        other, done = Label(), Label()
        conditions.branch(self, node.test, other, False)
        self.value(node.then, dest)
        self.code.branch(Op.BA, done)
        self.code.place(other)
        self.value(node.otherwise, dest)
        self.code.place(done)
        return dest

    def _cast(self, node: Cast, dest: int) -> int:
        register = self.value(node.operand)
        return self.into(self.cast(register, node.operand, node.type), dest)

    def _dereference(self, node: Dereference, dest: int) -> int:
        if translated(node.operand) is not None:
            return self.into(codestore.expand(self, node.operand), dest)
        register = self.value(node.operand)
        if not node.by_reference:
            register = self.load(register, node.type, node.operand.user)
        return self.into(register, dest)

    def _address_of(self, node: AddressOf, dest: int) -> int:
        return self.into(codestore.address(self, node.operand), dest)

    def _member(self, node: MemberAccess, dest: int) -> int:
        base = self.value(node.base)
        if node.member.type.is_bitfield():
            return self.into(codestore.bitfield_get(self, node, base), dest)
        address = self.offset(base, node.member.byte)
        if node.by_reference:
            return self.into(address, dest)
        return self.into(self.load(address, node.type, node.base.user), dest)

    def offset(self, base: int, offset: int) -> int:
        return self.code.binary(Op.ADD, base, self.code.integer(offset)) if offset else base

    def _stringof(self, node: Stringof, dest: int) -> int:
        return self.value(node.operand, dest)

    def _assign(self, node: Assign, dest: int) -> int:
        return self.into(codestore.assign(self, node), dest)

    def _step(self, node: Step, dest: int) -> int:
        return self.into(codestore.step(self, node, result=True), dest)

    def load(self, address: int, type_: Type, user: bool) -> int:
        """Load a value by its type from an address."""
        op = LOAD_OPS.get((value_size(type_), type_.is_signed(), user))
        if op is None:
            op = LOAD_OPS[(8, False, user)]
        return self.code.emit(op, dest=self.code.register(), a=address)

    # Casts -----------------------------------------------------------------------------------------

    def cast(self, register: int, source: Value, to: Type) -> int:
        """Convert a value to a type: cut it to the type's width and extend it by its sign."""
        if not to.is_scalar() or not source.type.is_scalar():
            return register
        from_size, to_size = value_size(source.type), value_size(to)
        if from_size < to_size:
            if not source.type.is_signed():
                return register
            if not is_exact(source):
                register = self.truncate(register, source.type)
            return register if to.is_signed() or to_size == 8 else self.truncate(register, to)
        if to_size == 8 or (from_size == to_size and source.type.is_signed() == to.is_signed()
                            and is_exact(source)):
            return register
        return self.truncate(register, to)

    def low_bytes(self, node: Value, count: int) -> int:
        """Evaluate a value of which only the `count` low bytes matter: casts that keep them are moot."""
        if count < 8 and node.type.is_scalar():
            if isinstance(node, Cast) and node.operand.type.is_scalar() \
                    and value_size(node.type) >= count <= value_size(node.operand.type):
                return self.low_bytes(node.operand, count)
            if isinstance(node, BuiltinElement):
                return self.raw_element(node)
        return self.value(node)

    def truncate(self, register: int, to: Type) -> int:
        """Keep the bits of a type, extended to 64 by its sign."""
        bits = value_size(to) * 8
        if bits == 64:
            return register
        if not to.is_signed():
            return self.code.binary(Op.AND, register, self.code.integer((1 << bits) - 1))
        count = self.code.integer(64 - bits)
        return self.code.binary(Op.SRA, self.code.binary(Op.SLL, register, count), count)

    # Tuples ----------------------------------------------------------------------------------------

    def push(self, nodes: list[Value], formals: list[Type | None] | list[Type], *,
             pinned: bool = False) -> list[int]:
        """Put arguments or keys on the tuple stack; return their registers.

        Whatever needs the tuple stack itself is evaluated before; the rest
        just before its push, unless it has effects.  `pinned` keeps each
        size directly before its pushtr, as the kernel's estimate of a dynamic
        variable's size wants it.
        """
        if len(nodes) > self.settings.tuple_size:
            raise error("D_NOREG", nodes[0].span, "there are more keys or arguments than tuple registers")
        facts = [self.facts(node) for node in nodes]
        early = [each.tuple for each in facts]
        if any(each.effect for each in facts) or (any(early) and not all(
                each.steady for each in facts if not each.tuple)):
            early = [True] * len(nodes)
        registers = [self.value(node) if first else -1
                     for node, first in zip(nodes, early, strict=True)]
        self.code.emit(Op.FLUSHTS)
        for number, node in enumerate(nodes):
            if registers[number] < 0:
                registers[number] = self.value(node)
            formal = formals[number] if number < len(formals) else None
            if formal is not None:
                registers[number] = self.cast(registers[number], node, formal)
            self.push_one(node, registers[number], pinned)
        return registers

    def facts(self, node: Value) -> Facts:
        """What evaluating a node involves, found out once (inlines are shared between uses)."""
        known = self._facts.get(node)
        if known is None:
            below = [self.facts(child) for child in children(node)]
            known = self._facts[node] = Facts(
                isinstance(node, FunctionCall | Element | Translated | ParameterValue)
                or any(each.tuple for each in below),
                isinstance(node, Assign | Step) or any(each.effect for each in below),
                not isinstance(node, Dereference | MemberAccess | SymbolValue)
                and all(each.steady for each in below))
        return known

    def push_one(self, node: Value, register: int, pinned: bool) -> None:
        kind = dif_type_of(node)
        if not kind.flags & isa.TF_BYREF:
            self.code.emit(Op.PUSHTV, operand=isa.TYPE_CTF, c=register)
            return
        size = 0
        default = kind.kind == isa.TYPE_STRING and kind.size == STRING_SIZE
        if kind.size and not default:
            size = self.code.emit(Op.SETX, dest=self.code.register(), operand=kind.size, pinned=pinned)
        self.code.emit(Op.PUSHTR, operand=kind.kind, b=size, c=register)

    # Translators and inlines -------------------------------------------------------------------------

    @contextmanager
    def bound(self, bindings: dict[Parameter, int | _Thunk]) -> Iterator[None]:
        """Let parameters stand for registers or expressions."""
        outer = self.bindings
        self.bindings = {**outer, **bindings}
        try:
            yield
        finally:
            self.bindings = outer

    def _parameter(self, node: ParameterValue, dest: int) -> int:
        bound = self.bindings[node.parameter]
        if isinstance(bound, int):
            return self.code.emit(Op.MOV, dest=dest or self.code.register(), a=bound)
        outer, self.bindings = self.bindings, bound.bindings
        try:
            register = self.value(bound.node)
            register = self.cast(register, bound.node, node.type)
        finally:
            self.bindings = outer
        return self.into(register, dest)

    def thunks(self, node: Inlined) -> dict[Parameter, int | _Thunk]:
        """An inline's parameters, bound to the arguments of one use."""
        return {parameter: _Thunk(argument, self.bindings)
                for parameter, argument in zip(node.inline.parameters or [], node.arguments, strict=False)}

    def _inlined(self, node: Inlined, dest: int) -> int:
        with self.bound(self.thunks(node)):
            register = self.value(node.inline.body)
            return self.into(self.cast(register, node.inline.body, node.type), dest)

    def _translated(self, node: Translated, dest: int) -> int:
        return self.into(self.value(node.operand) if node.pointer else codestore.expand(self, node), dest)

    def _translated_member(self, node: TranslatedMember, dest: int) -> int:
        with self.translation_input(node.base):
            register = self.value(node.expression)
            return self.into(self.cast(register, node.expression, node.type), dest)

    @contextmanager
    def translation_input(self, base: Value) -> Iterator[None]:
        """Bind a translator's parameter to the register of what is translated."""
        if isinstance(base, Inlined):
            with self.bound(self.thunks(base)), self.translation_input(base.inline.body):
                yield
            return
        assert isinstance(base, Translated)
        register = self.value(base.operand)
        with self.bound({base.translator.parameter: register}):
            yield


class _Thunk:
    """An argument expression with the bindings of the place it was written at."""

    __slots__ = ("bindings", "node")

    def __init__(self, node: Value, bindings: dict[Parameter, int | _Thunk]) -> None:
        self.node = node
        self.bindings = bindings


ARITHMETIC = {"|": (Op.OR, Op.OR), "^": (Op.XOR, Op.XOR), "&": (Op.AND, Op.AND), "<<": (Op.SLL, Op.SLL),
              ">>": (Op.SRA, Op.SRL), "+": (Op.ADD, Op.ADD), "-": (Op.SUB, Op.SUB), "*": (Op.MUL, Op.MUL),
              "/": (Op.SDIV, Op.UDIV), "%": (Op.SREM, Op.UREM)}  # signed, unsigned


def is_exact(node: Value) -> bool:
    """Whether the register certainly holds a value of the node's type, no bits beyond it."""
    if isinstance(node, Cast | Constant | MemberAccess | Dereference | FunctionCall | SymbolValue
                  | BuiltinElement | StringConstant):
        return True
    if isinstance(node, Scalar):
        return node.variable.builtin is not None
    if isinstance(node, Binary | Unary):
        return node.op in conditions.OPERATORS or node.op == "!"
    return False


def children(node: Value) -> list[Value]:
    """The operands of a node."""
    found: list[Value] = []
    for name in ("operand", "left", "right", "target", "value", "test", "then", "otherwise", "base",
                 "expression"):
        child = getattr(node, name, None)
        if isinstance(child, Value):
            found.append(child)
    for name in ("keys", "arguments"):
        found += getattr(node, name, None) or []
    if isinstance(node, Inlined):
        found.append(node.inline.body)
    return found


class Facts(NamedTuple):
    """What evaluating a node involves."""

    tuple: bool  # it pushes on the tuple stack
    effect: bool  # it changes something
    steady: bool  # a call elsewhere in the expression cannot change its value


_VALUES: dict[type, Callable[[Generator, Any, int], int]] = {
    Constant: Generator._constant,
    StringConstant: Generator._string,
    Scalar: Generator._scalar,
    Element: Generator._element,
    BuiltinElement: Generator._builtin_element,
    SymbolValue: Generator._symbol,
    FunctionCall: Generator._call,
    AggregationValue: Generator._aggregation,
    Unary: Generator._unary,
    Step: Generator._step,
    Binary: Generator._binary,
    Assign: Generator._assign,
    Conditional: Generator._conditional,
    Cast: Generator._cast,
    Dereference: Generator._dereference,
    AddressOf: Generator._address_of,
    MemberAccess: Generator._member,
    Stringof: Generator._stringof,
    Translated: Generator._translated,
    TranslatedMember: Generator._translated_member,
    ParameterValue: Generator._parameter,
    Inlined: Generator._inlined,
}


# -- the way in ----------------------------------------------------------------------------------------

def generate(node: Value, objects: Objects, *, settings: Settings, wanted: Wanted = Wanted.VALUE,
             rtype: DifType | None = None, hidden_local: Callable[[], Variable] | None = None) -> Difo:
    """Compile one expression to a Difo, one of `objects`, which other expressions may share.

    `rtype` is the DIFO's return type where it is not the expression's own.
    Raises diagnostics.CompileError (D_CG_*, D_NOREG, D_ASRELO).
    """
    translation = translated(node)
    if translation is not None and translation.pointer:
        raise error("D_CG_DYN", node.span, "what a translator makes has members, and no value")
    generator = Generator(settings)
    try:
        if wanted is Wanted.NOTHING:
            generator.effect(node)
            generator.code.emit(Op.RET)
        else:
            kept = value_size(node.type) if wanted is Wanted.RECORD else 8
            conditions.returned(generator, node, truth=wanted is Wanted.TRUTH, kept=kept)
        return objects.made_of(generator.code.instructions, rtype or return_type(node), hidden_local)
    except OutOfRegisters:
        raise error("D_NOREG", node.span, "the expression takes more registers than there are") from None
    except (TableOverflow, CodeTooLong) as overflow:
        raise error("D_UNKNOWN", node.span, str(overflow)) from None
    except RecursionError:
        raise error("D_SYNTAX", node.span, "expression is nested too deeply") from None


def return_type(node: Value) -> DifType:
    """The DIF type of a DIFO that returns the node's value."""
    translation = translated(node)
    if translation is not None:
        return dif_type(translation.result)
    return dif_type_of(node)
