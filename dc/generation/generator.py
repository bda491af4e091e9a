"""The code generator: typed tree → DIF over virtual registers.

A value that fits a register is in one; of anything else (strings, structs, arrays) a register holds
the address.  Integers fill their registers as checking/conversions.py says; where only low bits are
wanted (a record, a store, what is to be cut anyway), what would only change others is left out.  Conditions
become branches, never 0 or 1, unless the number itself is wanted.  Where two paths must meet in one
register, that register is passed down as `dest`; 0 lets a method choose.

`generate`, at the end, is the way in: it makes one Difo of one expression.  A table says which method
generates which node of the typed tree; each emits the code of the node's parts before its own, and
returns the register of the result.
"""

from __future__ import annotations

from collections.abc import Callable

from dc.checking import rules
from dc.checking.conversions import REGISTER, TRUTHS, Form, conversion, form, form_of
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
    Gathered,
    Held,
    Inlined,
    MemberAccess,
    ParameterValue,
    Scalar,
    StringConstant,
    Stringof,
    SymbolValue,
    Translated,
    TranslatedMember,
    Unary,
    through_inlines,
    translated,
)
from dc.diagnostics import error
from dc.generation.assembly import Objects, Unloadable
from dc.generation.ir import (
    ARRAY_LOADS,
    ARRAY_STORES,
    LOAD_OPS,
    LOADS,
    STORE_OPS,
    STORES,
    Code,
    CodeTooLong,
    Label,
)
from dc.generation.registers import OutOfRegisters
from dc.names.builtins import Role
from dc.names.identifiers import Parameter, Translator, Variable
from dc.names.linkmode import Linking
from dc.names.values import Value, dif_type, dif_type_of, value_size
from dc.types.types import STRING_SIZE, Integer, Member, Record, Type
from dif import isa
from dif.arithmetic import NEGATED
from dif.difo import Difo, DifType
from dif.isa import Op
from dif.records import NamedTuple

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from typing import TypeGuard

VOID = DifType(isa.TYPE_CTF, 1, 0, 0)
_CLOSED = frozenset("+-*&|^") | {"<<"}  # the low bits of the result depend on no others of the operands


class Wanted:
    """What the machine does with the result of a DIFO."""

    VALUE = 0
    RECORD = 3  # records as many bytes as its type has
    TRUTH = 1  # only whether it is zero
    NOTHING = 2


class Settings(NamedTuple):
    """How code is generated: `registers` (with %r0) and `tuple_size` are how many the machine has."""

    optimizing: bool = True
    registers: int = isa.NREGS
    tuple_size: int = isa.NTUPLE
    linking: Linking = Linking()


class Generator:
    """Generates the code of one expression."""

    def __init__(self, settings: Settings) -> None:
        self._code = Code()
        self._root: Value
        self._settings = settings
        self._bindings: dict[Parameter, int | _Thunk] = {}
        self._known_facts: dict[Value, _Facts] = {}
        self._held: dict[Held, int] = {}  # the registers of what compound assignments change
        self._instantiate = False  # an array element about to be written is created if it is absent

    def routine(self, node: Value, wanted: int) -> Code:
        """The code that evaluates `node`, the return at its end included."""
        self._code.node = self._root = node
        if wanted == Wanted.NOTHING:
            self._effect(node)
            self._code.emit(Op.RET)
        else:
            kept = value_size(node.type) * 8 if wanted == Wanted.RECORD else REGISTER
            self._returned(node, truth=wanted == Wanted.TRUTH, kept=kept)
        return self._code

    # -- expressions -----------------------------------------------------------------------------------

    def _value(self, node: Value, dest: int = 0) -> int:
        """Evaluate into a register: `dest` if given, else any."""
        outer = self._enter(node)
        register = _VALUES[type(node)](self, node, dest)
        self._code.node = outer
        return register

    def _enter(self, node: Value) -> Value | None:
        """From now on instructions are the node's; return whose they were.

        The body of an inline or a translator that stands in another file, as those of libraries do, is part
        of the value that uses it.
        """
        outer = self._code.node
        if node.span.file == self._root.span.file and node.span.line:
            self._code.node = node
        return outer

    def _effect(self, node: Value) -> None:
        """Evaluate for the effects; the result is not needed."""
        if isinstance(node, Binary) and node.op == ",":
            self._effect(node.left)
            self._effect(node.right)
        elif isinstance(node, Binary) and node.op in ("&&", "||"):
            done = Label()
            self._branch(node.left, done, node.op == "||")
            self._effect(node.right)
            self._code.place(done)
        elif isinstance(node, Conditional):
            other, done = Label(), Label()
            self._branch(node.test, other, False)
            self._effect(node.then)
            self._code.branch(Op.BA, done)
            self._code.place(other)
            self._effect(node.otherwise)
            self._code.place(done)
        elif isinstance(node, Assign):
            outer = self._enter(node)
            self._assigned(node, result=False)
            self._code.node = outer
        elif isinstance(node, Cast | Stringof):
            self._effect(node.operand)
        else:
            self._value(node)

    def _into(self, register: int, dest: int) -> int:
        """Bring the result just computed to `dest`, unless that is 0."""
        if not dest or register == dest:
            return register
        last = self._code.instructions[-1] if self._code.instructions else None
        if register and last is not None and last.dest == register:
            last.dest = dest
        else:
            self._code.emit(Op.MOV, dest=dest, a=register)
        return dest

    def _constant(self, node: Constant, dest: int) -> int:
        return self._code.integer(node.value, dest)

    def _string(self, node: StringConstant, dest: int) -> int:
        return self._code.emit(Op.SETS, dest=dest or self._code.register(), operand=node.value)

    def _scalar(self, node: Scalar, dest: int) -> int:
        variable = node.variable
        return self._code.emit(LOADS[variable.scope], dest=dest or self._code.register(), operand=variable)

    def _element(self, node: Element, dest: int) -> int:
        self._push(node.keys, node.variable.keys or [], pinned=self._instantiate and node.by_reference)
        variable = node.variable
        load = ARRAY_LOADS[variable.scope]
        register = self._code.emit(load, dest=dest or self._code.register(), operand=variable)
        if node.by_reference:
            self._absent_element(node, register, load)
        return register

    def _builtin_element(self, node: BuiltinElement, dest: int) -> int:
        register = self._raw_element(node)
        if node.variable.id == 0 and node.type.is_scalar():
            register = self._cut(register, form(node.type))
        return self._into(register, dest)

    def _raw_element(self, node: BuiltinElement) -> int:
        """The machine's 64 bits of an argument or register."""
        index = self._code.integer(node.index)
        return self._code.emit(Op.LDGA, dest=self._code.register(), b=index, operand=node.variable)

    def _gathered(self, node: Gathered, dest: int) -> int:
        """Put a value together in scratch memory."""
        size = self._code.integer(-(-node.type.size // 8) * 8)
        buffer = self._code.emit(Op.ALLOCS, dest=self._code.register(), a=size)
        for part in node.parts:
            register = self._code.emit(Op.LDGA, dest=self._code.register(), b=self._code.integer(part.number),
                                       operand=node.variable)
            self._code.emit(STORE_OPS[part.size], a=register, c=self._real(self._offset(buffer, part.offset)))
        return self._into(buffer if node.by_reference else self._load(buffer, node.type, False), dest)

    def _symbol(self, node: SymbolValue, dest: int) -> int:
        address = self._symbol_address(node)
        if node.by_reference:
            return self._into(address, dest)
        return self._into(self._load(address, node.type, node.user), dest)

    def _symbol_address(self, node: SymbolValue) -> int:
        name = self._settings.linking.relocation(node.symbol, node.span)
        return self._code.emit(Op.SETX, dest=self._code.register(), operand=max(0, node.symbol.address),
                              symbol=name)

    def _call(self, node: FunctionCall, dest: int) -> int:
        function = node.function
        if function.role != Role.FUNCTION:
            raise error("D_CG_EXPR", node.span, f"{function.name}( ) can only be a statement by itself: "
                        f"it is no function of expressions")
        self._push(node.arguments, function.parameters)
        return self._code.emit(Op.CALL, dest=dest or self._code.register(), operand=function.number)

    def _aggregation(self, node: AggregationValue, dest: int) -> int:
        raise error("D_CG_EXPR", node.span, f"{node.aggregation.spelling} has no value in an expression: "
                    "it is an aggregation")

    def _unary(self, node: Unary, dest: int) -> int:
        if node.op == "!":
            return self._boolean(node, dest)
        return self._into(self._arithmetic(node), dest)

    def _binary(self, node: Binary, dest: int) -> int:
        if node.op == ",":
            self._effect(node.left)
            return self._value(node.right, dest)
        if node.op in TRUTHS:
            return self._boolean(node, dest)
        if _is_arithmetic(node):
            return self._into(self._arithmetic(node), dest)
        left = self._scaled(node.left, node.right, node.op)
        right = self._scaled(node.right, node.left, node.op)
        result = self._code.binary(rules.instruction(node.op, node.operands), left, right)
        return self._into(self._difference(node, result), dest)

    def _arithmetic(self, node: Binary | Unary) -> int:
        """An operation on integers: if it is unsigned, it wraps at the width of its type."""
        wanted = form(node.type)
        register, is_exact = self._operation(node, REGISTER if wanted.signed else wanted.bits)
        return register if wanted.signed or is_exact else self._cut(register, wanted)

    def _scaled(self, node: Value, other: Value, op: str) -> int:
        """An operand: an integer that is added to a pointer counts in what that points to."""
        target = rules.target_of(other.type) if op in "+-" and not rules.is_pointer(node.type) else None
        if target is None or target.size == 1:
            return self._value(node)
        if isinstance(node, Constant):
            return self._code.integer(node.value * target.size)
        return self._code.binary(Op.MUL, self._value(node), self._code.integer(target.size))

    def _difference(self, node: Binary, result: int) -> int:
        """Divide the difference of two pointers by the size of what they point to."""
        if node.op != "-" or not rules.is_pointer(node.left.type) or not rules.is_pointer(node.right.type):
            return result
        target = rules.target_of(node.left.type)
        size = target.size if target is not None else 1
        if size <= 1:
            return result
        if size & (size - 1) == 0:
            return self._code.binary(Op.SRA, result, self._code.integer(size.bit_length() - 1))
        return self._code.binary(Op.SDIV, result, self._code.integer(size))

    def _conditional(self, node: Conditional, dest: int) -> int:
        dest = dest or self._code.register()
        other, done = Label(), Label()
        self._branch(node.test, other, False)
        self._value(node.then, dest)
        self._code.branch(Op.BA, done)
        self._code.place(other)
        self._value(node.otherwise, dest)
        self._code.place(done)
        return dest

    def _cast_node(self, node: Cast, dest: int) -> int:
        return self._into(self._as(node.operand, node.type), dest)

    def _dereference(self, node: Dereference, dest: int) -> int:
        if translated(node.operand) is not None:
            return self._into(self._expand(node.operand), dest)
        register = self._value(node.operand)
        if not node.by_reference:
            register = self._load(register, node.type, node.operand.user)
        return self._into(register, dest)

    def _address_of(self, node: AddressOf, dest: int) -> int:
        return self._into(self._address(node.operand), dest)

    def _member(self, node: MemberAccess, dest: int) -> int:
        base = self._value(node.base)
        if node.member.type.is_bitfield():
            return self._into(self._bitfield(node, base), dest)
        address = self._offset(base, node.member.byte)
        if node.by_reference:
            return self._into(address, dest)
        return self._into(self._load(address, node.type, node.base.user), dest)

    def _offset(self, base: int, offset: int) -> int:
        return self._code.binary(Op.ADD, base, self._code.integer(offset)) if offset else base

    def _stringof(self, node: Stringof, dest: int) -> int:
        return self._value(node.operand, dest)

    def _assign(self, node: Assign, dest: int) -> int:
        return self._into(self._assigned(node), dest)

    def _held_value(self, node: Held, dest: int) -> int:
        if dest:
            return self._code.emit(Op.MOV, dest=dest, a=self._held[node])
        return self._held[node]

    def _load(self, address: int, type_: Type, user: bool) -> int:
        """Load a value by its type from an address."""
        op = LOAD_OPS.get((value_size(type_), type_.is_signed(), user))
        if op is None:
            op = LOAD_OPS[(8, False, user)]
        return self._code.emit(op, dest=self._code.register(), a=address)

    # -- conversions -----------------------------------------------------------------------------------

    def _as(self, node: Value, to: Type | None) -> int:
        """Evaluate a value and convert it, as a cast to a type does; None is any type."""
        wanted = None if to is None else conversion(node, to)
        if wanted is None:
            return self._value(node)
        if isinstance(node, Constant):
            return self._code.integer(wanted.take(node.value))
        if wanted.truth:
            return self._boolean(node, 0)
        register, is_exact = self._low_bits(node, wanted.bits)
        return register if is_exact and not wanted.signed else self._cut(register, wanted)

    def _low_bits(self, node: Value, bits: int) -> tuple[int, bool]:
        """Evaluate a value of which only so many low bits matter, without what would only change the others.

        Returns the register, and whether the bits above are zeros.
        """
        if bits <= form(node.type).bits:
            if isinstance(node, Cast) and _keeps_low_bits(node, bits):
                return self._low_bits(node.operand, bits)
            if isinstance(node, BuiltinElement) or _is_arithmetic(node):
                outer = self._enter(node)
                found = (self._raw_element(node), False) if isinstance(node, BuiltinElement) else \
                    self._operation(node, bits)
                self._code.node = outer
                return found
        return self._value(node), Form(bits, False).has(form_of(node)) and node.type.is_integer()

    def _operation(self, node: Binary | Unary, bits: int) -> tuple[int, bool]:
        """The low bits of an operation on integers, as `_low_bits` returns them."""
        if isinstance(node, Unary):
            register, is_exact = self._low_bits(node.operand, bits)
            if node.op == "+":
                return register, is_exact
            return self._code.binary(Op.SUB, 0, register) if node.op == "-" else \
                self._code.emit(Op.NOT, dest=self._code.register(), a=register), False
        op = rules.instruction(node.op, node.operands)
        if node.op not in _CLOSED:
            register = self._code.binary(op, self._value(node.left), self._value(node.right))
            return register, Form(bits, False).has(form(node.type))
        left, left_exact = self._low_bits(node.left, bits)
        right, right_exact = (self._value(node.right), False) if node.op == "<<" else \
            self._low_bits(node.right, bits)
        is_exact = left_exact or right_exact if node.op == "&" else \
            left_exact and right_exact and node.op in "|^"
        return self._code.binary(op, left, right), is_exact

    def _cut(self, register: int, to: Form) -> int:
        """Keep the low bits of a form, extended to 64 by their sign or by zeros."""
        if to.bits == REGISTER:
            return register
        if not to.signed:
            return self._code.binary(Op.AND, register, self._code.integer((1 << to.bits) - 1))
        count = self._code.integer(REGISTER - to.bits)
        return self._code.binary(Op.SRA, self._code.binary(Op.SLL, register, count), count)

    # -- tuples ----------------------------------------------------------------------------------------

    def _push(self, nodes: list[Value], formals: list[Type | None] | list[Type], *,
             pinned: bool = False) -> list[int]:
        """Put arguments or keys on the tuple stack; return their registers.

        Nodes that need the tuple stack themselves are evaluated before; the
        others just before each is pushed, unless one has effects.  `pinned` keeps
        each size directly before its pushtr, where a kernel looks for it when it
        estimates the size of a dynamic variable.
        """
        if len(nodes) > self._settings.tuple_size:
            raise error("D_NOREG", nodes[0].span, "there are more keys or arguments than tuple registers")
        facts = [self._facts(node) for node in nodes]
        early = [each.tuple for each in facts]
        if any(each.effect for each in facts) or (any(early) and not all(
                each.steady for each in facts if not each.tuple)):
            early = [True] * len(nodes)
        wanted = [formals[number] if number < len(formals) else None for number in range(len(nodes))]
        registers = [self._as(node, formal) if first else -1
                     for node, formal, first in zip(nodes, wanted, early, strict=True)]
        self._code.emit(Op.FLUSHTS)
        for number, node in enumerate(nodes):
            if registers[number] < 0:
                registers[number] = self._as(node, wanted[number])
            self._push_one(node, registers[number], pinned)
        return registers

    def _facts(self, node: Value) -> _Facts:
        """What evaluating a node involves; computed once, as inlines are shared between uses."""
        known = self._known_facts.get(node)
        if known is None:
            below = [self._facts(child) for child in _children(node)]
            known = self._known_facts[node] = _Facts(
                isinstance(node, FunctionCall | Element | Translated | ParameterValue)
                or any(each.tuple for each in below),
                isinstance(node, Assign) or any(each.effect for each in below),
                not isinstance(node, Dereference | MemberAccess | SymbolValue)
                and all(each.steady for each in below))
        return known

    def _push_one(self, node: Value, register: int, pinned: bool) -> None:
        kind = dif_type_of(node)
        if not kind.flags & isa.TF_BYREF:
            self._code.emit(Op.PUSHTV, operand=isa.TYPE_CTF, c=register)
            return
        size = 0
        default = kind.kind == isa.TYPE_STRING and kind.size == STRING_SIZE
        if kind.size and not default:
            size = self._code.emit(Op.SETX, dest=self._code.register(), operand=kind.size, pinned=pinned)
        self._code.emit(Op.PUSHTR, operand=kind.kind, b=size, c=register)

    # -- translators and inlines -----------------------------------------------------------------------

    def _parameter(self, node: ParameterValue, dest: int) -> int:
        bound = self._bindings[node.parameter]
        if isinstance(bound, int):
            return self._code.emit(Op.MOV, dest=dest or self._code.register(), a=bound)
        outer, self._bindings = self._bindings, bound.bindings
        try:
            register = self._as(bound.node, node.type)
        finally:
            self._bindings = outer
        return self._into(register, dest)

    def _thunks(self, node: Inlined) -> dict[Parameter, int | _Thunk]:
        """An inline's parameters, bound to the arguments of one use."""
        return {parameter: _Thunk(argument, self._bindings)
                for parameter, argument in zip(node.inline.parameters or [], node.arguments, strict=False)}

    def _inlined(self, node: Inlined, dest: int) -> int:
        outer = self._bindings
        self._bindings = {**outer, **self._thunks(node)}
        register = self._into(self._as(node.inline.body, node.type), dest)
        self._bindings = outer
        return register

    def _translated(self, node: Translated, dest: int) -> int:
        return self._into(self._value(node.operand) if node.pointer else self._expand(node), dest)

    def _translated_member(self, node: TranslatedMember, dest: int) -> int:
        outer = self._bindings
        self._bind_input(node.base)
        register = self._into(self._as(node.expression, node.type), dest)
        self._bindings = outer
        return register

    def _bind_input(self, base: Value) -> None:
        """Bind a translator's parameter to the register of what is translated; the caller unbinds it."""
        while isinstance(base, Inlined):
            self._bindings = {**self._bindings, **self._thunks(base)}
            base = base.inline.body
        assert isinstance(base, Translated)
        register = self._as(base.operand, base.translator.source)
        self._bindings = {**self._bindings, base.translator.parameter: register}

    # -- what changes things: assignment, ++ and -- ----------------------------------------------------

    def _assigned(self, node: Assign, *, result: bool = True) -> int:
        """Store, and return the register of the assignment's value, which only a `result` needs."""
        outer = self._bindings
        target = self._target(node.target)
        register = self._stored(node, target, result) if node.held is None else \
            self._updated(node, node.held, target, result)
        self._bindings = outer
        return register

    def _target(self, node: Value) -> Value:
        """What an assignment changes; the parameters of an inline that stands for it become bound."""
        while isinstance(node, Inlined):
            self._bindings = {**self._bindings, **self._thunks(node)}
            node = node.inline.body
        return node

    def _stored(self, node: Assign, target: Value, result: bool) -> int:
        """A plain assignment."""
        if isinstance(target, Scalar):
            register = self._source(node)
            self._code.emit(STORES[target.variable.scope], c=register, operand=target.variable)
        elif isinstance(target, Element):
            register = self._source(node)
            self._push(target.keys, target.variable.keys or [], pinned=True)
            self._code.emit(ARRAY_STORES[target.variable.scope], c=register, operand=target.variable)
        else:
            register = self._source(node) if result else self._stored_bits(node, target)
            self._store_memory(target, self._writable_address(target), register)
        return register

    def _source(self, node: Assign) -> int:
        if translated(node.value) is not None:
            return self._expand(node.value)
        return self._value(node.value)

    def _stored_bits(self, node: Assign, target: Value) -> int:
        """Evaluate what is assigned as far as memory keeps it."""
        if not node.value.type.is_scalar():
            return self._source(node)
        return self._low_bits(node.value, form(target.type).bits)[0]

    def _updated(self, node: Assign, held: Held, target: Value, result: bool) -> int:
        """Compound assignment, ++ or --: keys and addresses are evaluated once."""
        code = self._code
        if isinstance(target, Scalar):
            variable = target.variable
            old = code.emit(LOADS[variable.scope], dest=code.register(), operand=variable)
            new = self._changed(node, held, old)
            code.emit(STORES[variable.scope], c=new, operand=variable)
        elif isinstance(target, Element):
            variable = target.variable
            registers = self._push(target.keys, variable.keys or [], pinned=True)
            old = code.emit(ARRAY_LOADS[variable.scope], dest=code.register(), operand=variable)
            new = self._changed(node, held, old)
            if self._facts(node.value).tuple:
                code.emit(Op.FLUSHTS)
                for key, register in zip(target.keys, registers, strict=True):
                    self._push_one(key, register, True)
            code.emit(ARRAY_STORES[variable.scope], c=new, operand=variable)
        else:
            address = self._writable_address(target)
            old = self._load_memory(target, address)
            self._held[held] = old
            new = self._value(node.value) if result and not node.postfix else self._stored_bits(node, target)
            self._store_memory(target, address, new)
        if not node.postfix:
            return new
        return old if target is node.target else self._as(held, node.type)

    def _changed(self, node: Assign, held: Held, old: int) -> int:
        """The value that a compound assignment makes of the one in a register."""
        self._held[held] = old
        return self._value(node.value)

    # -- memory ----------------------------------------------------------------------------------------

    def _writable_address(self, node: Value) -> int:
        outer, self._instantiate = self._instantiate, True
        try:
            return self._address(node)
        finally:
            self._instantiate = outer

    def _address(self, node: Value) -> int:
        """Where an lvalue in memory lies; for a bit-field, its storage unit."""
        node = through_inlines(node)
        if isinstance(node, MemberAccess):
            base = self._value(node.base)
            byte = _field(node.member)[0] if node.member.type.is_bitfield() else node.member.byte
            return self._offset(base, byte)
        if isinstance(node, Dereference):
            return self._value(node.operand)
        if isinstance(node, SymbolValue):
            return self._symbol_address(node)
        return self._value(node)

    def _load_memory(self, node: Value, address: int) -> int:
        if isinstance(node, MemberAccess) and node.member.type.is_bitfield():
            return self._extract(node.member, address, node.base.user)
        return self._load(address, node.type, node.user)

    def _store_memory(self, node: Value, address: int, register: int) -> None:
        member = node.member if isinstance(node, MemberAccess) else None
        self._store(node.type, member, address, register)

    def _store(self, type_: Type, member: Member | None, address: int, register: int) -> None:
        """Store a value of a type, or copy an object of it, to an address."""
        if type_.is_by_reference():
            self._code.emit(Op.COPYS, a=register, b=self._code.integer(type_.size), c=self._real(address))
        elif member is not None and type_.is_bitfield():
            self._insert(member, address, register)
        else:
            self._code.emit(STORE_OPS[value_size(type_)], a=register, c=self._real(address))

    def _real(self, address: int) -> int:
        """A register with the address that is not %r0, through which nothing can be stored."""
        if address:
            return address
        return self._code.emit(Op.MOV, dest=self._code.register())

    # -- bit-fields ------------------------------------------------------------------------------------

    def _bitfield(self, node: MemberAccess, base: int) -> int:
        """Load a bit-field."""
        return self._extract(node.member, self._offset(base, _field(node.member)[0]), node.base.user)

    def _extract(self, member: Member, address: int, user: bool) -> int:
        _, size, shift, bits = _field(member)
        is_signed = member.type.is_signed()
        at_top = shift + bits == size * 8
        load = LOAD_OPS[(size, is_signed and at_top, user)]
        register = self._code.emit(load, dest=self._code.register(), a=address)
        if is_signed and not at_top:
            register = self._code.binary(Op.SLL, register, self._code.integer(64 - shift - bits))
            return self._code.binary(Op.SRA, register, self._code.integer(64 - bits))
        if shift:
            register = self._code.binary(Op.SRA if is_signed else Op.SRL, register, self._code.integer(shift))
        if not at_top:
            register = self._code.binary(Op.AND, register, self._code.integer((1 << bits) - 1))
        return register

    def _insert(self, member: Member, address: int, register: int) -> None:
        """Store into a bit-field: the neighbours in its unit keep their bits."""
        _, size, shift, bits = _field(member)
        mask = (1 << bits) - 1
        around = self._code.emit(LOAD_OPS[(size, False, False)], dest=self._code.register(), a=address)
        around = self._code.binary(Op.AND, around, self._code.integer(~(mask << shift)))
        value = self._code.binary(Op.AND, register, self._code.integer(mask))
        if shift:
            value = self._code.binary(Op.SLL, value, self._code.integer(shift))
        self._code.emit(STORE_OPS[size], a=self._code.binary(Op.OR, around, value), c=self._real(address))

    # -- array elements and translated structs ---------------------------------------------------------

    def _absent_element(self, node: Element, register: int, load: int) -> None:
        """Give an element by reference an empty value if nothing was stored in it.

        One that is only read becomes an empty string or zeroed scratch memory; one
        that is written through must first be stored, to have memory of its own.
        """
        present = Label()
        self._code.emit(Op.TST, a=register)
        self._code.branch(Op.BNE, present)
        if node.type.is_string() and not self._instantiate:
            self._code.emit(Op.SETS, dest=register, operand=b"")
        else:
            size = self._code.integer(node.type.size)
            self._code.emit(Op.ALLOCS, dest=register, a=size)
            if self._instantiate:
                self._code.emit(ARRAY_STORES[node.variable.scope], c=register, operand=node.variable)
                self._code.emit(load, dest=register, operand=node.variable)
        self._code.place(present)

    def _expand(self, node: Value) -> int:
        """Make a translated struct, with all members, in scratch memory; return its address."""
        translation = translated(node)
        assert translation is not None
        outer = self._bindings
        self._bind_input(node)
        register = self._fill(translation.translator)
        self._bindings = outer
        return register

    def _fill(self, translator: Translator) -> int:
        record = translator.output.resolve()
        assert isinstance(record, Record)
        buffer = self._code.emit(Op.ALLOCS, dest=self._code.register(), a=self._code.integer(record.size))
        for name, expression in translator.members.items():
            member = record.member(name)
            assert member is not None
            register = self._as(expression, member.type)
            byte = _field(member)[0] if member.type.is_bitfield() else member.byte
            self._store(member.type, member, self._offset(buffer, byte), register)
        return buffer

    # -- conditions: comparisons and logical operators as branches -------------------------------------

    def _branch(self, node: Value, label: Label, when: bool) -> None:
        """Go to `label` if the node is true (`when`) or false (not `when`); else fall through."""
        if isinstance(node, Constant):
            if bool(node.value) == when:
                self._code.branch(Op.BA, label)
        elif isinstance(node, Unary) and node.op == "!":
            self._branch(node.operand, label, not when)
        elif isinstance(node, Binary) and node.op == ",":
            self._effect(node.left)
            self._branch(node.right, label, when)
        elif isinstance(node, Binary) and node.op in ("&&", "||"):
            if (node.op == "||") == when:
                self._branch(node.left, label, when)
                self._branch(node.right, label, when)
            else:
                through = Label()
                self._branch(node.left, through, not when)
                self._branch(node.right, label, when)
                self._code.place(through)
        else:
            taken = self._test(node)
            self._code.branch(taken if when else NEGATED[taken], label)

    def _test(self, node: Value) -> int:
        """Set the condition codes; return the branch that is taken if the node is true."""
        outer = self._enter(node)
        taken = self._tested(node)
        self._code.node = outer
        return taken

    def _tested(self, node: Value) -> int:
        if isinstance(node, Unary) and node.op == "!":
            return NEGATED[self._test(node.operand)]
        if isinstance(node, Binary) and node.op == "^^":
            left = self._boolean(node.left, 0)
            right = self._boolean(node.right, 0)
            self._code.emit(Op.CMP, a=left, b=right)
            return Op.BNE
        if not (isinstance(node, Binary) and node.op in rules.BRANCHES):
            self._code.emit(Op.TST, a=self._value(node))
            return Op.BNE
        left = self._value(node.left)
        right = self._value(node.right)
        if node.left.type.is_string() or node.right.type.is_string():
            self._code.emit(Op.SCMP, a=left, b=right)
            return rules.BRANCHES[node.op][0]
        if rules.is_zero(node.right) and node.op in ("==", "!="):
            self._code.emit(Op.TST, a=left)
        else:
            self._code.emit(Op.CMP, a=left, b=right)
        return rules.branch(node.op, node.operands)

    def _boolean(self, node: Value, dest: int) -> int:
        """The node's truth as 0 or 1 in a register."""
        dest = dest or self._code.register()
        done = Label()
        compound = isinstance(node, Binary) and node.op in ("&&", "||")
        if isinstance(node, Constant):
            return self._code.integer(bool(node.value), dest)
        if isinstance(node, Binary) and node.op == ",":
            self._effect(node.left)
            return self._boolean(node.right, dest)
        if compound:
            false = Label()
            self._branch(node, false, False)
            self._code.integer(1, dest)
            self._code.branch(Op.BA, done)
            self._code.place(false)
            self._code.integer(0, dest)
        else:
            taken = self._test(node)
            self._code.integer(1, dest)
            self._code.branch(taken, done)
            self._code.integer(0, dest)
        self._code.place(done)
        return dest

    # -- the end of the routine ------------------------------------------------------------------------

    def _returned(self, node: Value, *, truth: bool = False, kept: int = REGISTER) -> None:
        """End the routine with the node's value.

        With `truth` any non-zero value will do for true; only the `kept` low bits
        of the value are of any use.
        """
        if isinstance(node, Binary) and node.op == ",":
            self._effect(node.left)
            self._returned(node.right, truth=truth, kept=kept)
        elif isinstance(node, Conditional):
            other = Label()
            self._branch(node.test, other, False)
            self._returned(node.then, truth=truth, kept=kept)
            self._code.place(other)
            self._returned(node.otherwise, truth=truth, kept=kept)
        elif truth and isinstance(node, Binary) and node.op in ("&&", "||"):
            self._returned_logical(node)
        elif truth and isinstance(node, Binary) and node.op == "!=" and not _compares_strings(node):
            left = self._value(node.left)
            self._code.emit(Op.RET, c=self._code.binary(Op.XOR, left, self._value(node.right)))
        elif (isinstance(node, Binary) and node.op in TRUTHS and node.op != "^^") or \
                (isinstance(node, Unary) and node.op == "!"):
            false = Label()
            self._branch(node, false, False)
            self._code.emit(Op.RET, c=self._some_truth(node) if truth else self._code.integer(1))
            self._code.place(false)
            self._code.emit(Op.RET)
        else:
            is_scalar = node.type.is_scalar()
            self._code.emit(Op.RET, c=self._low_bits(node, kept)[0] if is_scalar else self._value(node))

    def _returned_logical(self, node: Binary) -> None:
        """a && b returns b unless a is false; a || b returns a unless it is false."""
        label = Label()
        if node.op == "&&":
            self._branch(node.left, label, False)
            self._returned(node.right, truth=True)
            self._code.place(label)
            self._code.emit(Op.RET)
            return
        if _is_condition(node.left):
            self._branch(node.left, label, False)
            self._code.emit(Op.RET, c=self._code.integer(1))
        else:
            register = self._value(node.left)
            self._code.emit(Op.TST, a=register)
            self._code.branch(Op.BE, label)
            self._code.emit(Op.RET, c=register)
        self._code.place(label)
        self._returned(node.right, truth=True)

    def _some_truth(self, node: Value) -> int:
        """A register that is not zero: the constant that was compared with, if there was one."""
        if isinstance(node, Binary):
            for operand in (node.right, node.left):
                if isinstance(operand, Constant) and operand.value:
                    return self._code.integer(operand.value)
        return self._code.integer(1)


class _Thunk:
    """An argument expression with the bindings of the place it was written at."""

    __slots__ = ("bindings", "node")

    def __init__(self, node: Value, bindings: dict[Parameter, int | _Thunk]) -> None:
        self.node = node
        self.bindings = bindings


def _is_arithmetic(node: Value) -> TypeGuard[Binary | Unary]:
    """Whether it is an operation on integers whose result is a number."""
    if isinstance(node, Binary):
        return node.op not in TRUTHS and node.op != "," and node.type.is_integer() \
            and node.left.type.is_integer()
    return isinstance(node, Unary) and node.op != "!"


def _keeps_low_bits(node: Cast, bits: int) -> bool:
    """Whether the operand of a cast has the same low bits."""
    operand = node.operand.type
    return operand.is_scalar() and bits <= form(operand).bits and not form(node.type).truth


def _children(node: Value) -> list[Value]:
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


class _Facts(NamedTuple):
    """What evaluating a node involves."""

    tuple: bool  # it pushes on the tuple stack
    effect: bool  # it changes something
    steady: bool  # a call elsewhere in the expression cannot change its value


def _field(member: Member) -> tuple[int, int, int, int]:
    """(byte offset, size, shift, bits) of the smallest unit around a bit-field: aligned if possible."""
    base = member.type.resolve()
    assert isinstance(base, Integer)
    for size in (1, 2, 4, 8):
        start = member.offset // (8 * size)
        if start == (member.offset + base.bits - 1) // (8 * size):
            return start * size, size, member.offset - start * size * 8, base.bits
    start = member.offset // 8
    needed = member.offset % 8 + base.bits
    return start, next(size for size in (1, 2, 4, 8) if needed <= 8 * size), member.offset % 8, base.bits


def _is_condition(node: Value) -> bool:
    return (isinstance(node, Binary) and node.op in TRUTHS) or \
        (isinstance(node, Unary) and node.op == "!")


def _compares_strings(node: Binary) -> bool:
    return node.left.type.is_string() or node.right.type.is_string()


_VALUES: dict[type, Callable[..., int]] = {
    Constant: Generator._constant,
    StringConstant: Generator._string,
    Scalar: Generator._scalar,
    Element: Generator._element,
    BuiltinElement: Generator._builtin_element,
    Gathered: Generator._gathered,
    SymbolValue: Generator._symbol,
    FunctionCall: Generator._call,
    AggregationValue: Generator._aggregation,
    Unary: Generator._unary,
    Binary: Generator._binary,
    Assign: Generator._assign,
    Held: Generator._held_value,
    Conditional: Generator._conditional,
    Cast: Generator._cast_node,
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

class Generated(NamedTuple):
    """A Difo, the value that it computes, and of each of its instructions the part of it that it computes."""

    difo: Difo
    value: Value
    parts: tuple[Value | None, ...]


def generate(node: Value, objects: Objects, *, settings: Settings, wanted: int = Wanted.VALUE,
             rtype: DifType | None = None, hidden_local: Callable[[], Variable] | None = None) -> Generated:
    """Compile one expression to a Difo, one of `objects`, which other expressions may share.

    `rtype` is the DIFO's return type where it is not the expression's own.
    Raises diagnostics.CompileError (D_CG_*, D_NOREG, D_ASRELO).
    """
    translation = translated(node)
    if translation is not None and translation.pointer:
        raise error("D_CG_DYN", node.span, "what a translator makes has members, and no value")
    generator = Generator(settings)
    try:
        code = generator.routine(node, wanted)
        difo, origins = objects.made_of(code.instructions, rtype or return_type(node), hidden_local)
        return Generated(difo, node, tuple([code.nodes[at] if at >= 0 else None for at in origins]))
    except OutOfRegisters:
        raise error("D_NOREG", node.span, "the expression takes more registers than there are") from None
    except (Unloadable, CodeTooLong) as refusal:
        raise error("D_UNKNOWN", node.span, str(refusal)) from None
    except RecursionError:
        raise error("D_SYNTAX", node.span, "expression is nested too deeply") from None


def return_type(node: Value) -> DifType:
    """The DIF type of a DIFO that returns the node's value."""
    translation = translated(node)
    if translation is not None:
        return dif_type(translation.result)
    return dif_type_of(node)
