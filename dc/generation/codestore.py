"""Code generation of what changes things: assignment, ++ and --, bit-fields, translated structs."""

from __future__ import annotations

from dc.checking import rules
from dc.checking.typed import (
    Assign,
    Dereference,
    Element,
    Inlined,
    MemberAccess,
    Scalar,
    Step,
    SymbolValue,
    translated,
)
from dc.generation.ir import ARRAY_LOADS, ARRAY_STORES, LOAD_OPS, LOADS, STORE_OPS, STORES, Label
from dc.names.identifiers import Translator
from dc.names.values import Value, value_size
from dc.types.types import Integer, Member, Record, Type
from dif.isa import Op

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from dc.generation.generator import Generator


def assign(generator: Generator, node: Assign) -> int:
    """Store, and return the register of the stored value."""
    target = _through_inlines(node.target)
    if isinstance(target, Element) and node.op != "=":
        return _update_element(generator, node, target)
    if node.op == "=":
        register = _source(generator, node)
        if isinstance(target, Scalar):
            generator.code.emit(STORES[target.variable.scope], c=register, operand=target.variable)
        elif isinstance(target, Element):
            generator.push(target.keys, target.variable.keys or [], pinned=True)
            generator.code.emit(ARRAY_STORES[target.variable.scope], c=register, operand=target.variable)
        else:
            _store_memory(generator, target, _writable_address(generator, target), register)
        return register
    return _update(generator, node, target)


def _through_inlines(node: Value) -> Value:
    return _through_inlines(node.inline.body) if isinstance(node, Inlined) else node


def _source(generator: Generator, node: Assign) -> int:
    if translated(node.value) is not None:
        return expand(generator, node.value)
    return generator.value(node.value)


def _operate(generator: Generator, op: str, target: Value, old: int, value: Value) -> int:
    right = generator.scaled(generator.value(value), value, target, op)
    return generator.arithmetic(op, target.type, old, right)


def _update(generator: Generator, node: Assign, target: Value) -> int:
    """Compound assignment to a variable or to memory."""
    code = generator.code
    if isinstance(target, Scalar):
        variable = target.variable
        old = code.emit(LOADS[variable.scope], dest=code.register(), operand=variable)
        new = _operate(generator, node.op, target, old, node.value)
        code.emit(STORES[variable.scope], c=new, operand=variable)
        return new
    address_ = _writable_address(generator, target)
    old = _load_memory(generator, target, address_)
    new = _operate(generator, node.op, target, old, node.value)
    _store_memory(generator, target, address_, new)
    return new


def _update_element(generator: Generator, node: Assign, target: Element) -> int:
    """Compound assignment to an array element: its keys are evaluated once."""
    code, variable = generator.code, target.variable
    registers = generator.push(target.keys, variable.keys or [], pinned=True)
    old = code.emit(_array_load(target), dest=code.register(), operand=variable)
    new = _operate(generator, node.op, target, old, node.value)
    if generator.facts(node.value).tuple:
        code.emit(Op.FLUSHTS)
        for key, register in zip(target.keys, registers, strict=True):
            generator.push_one(key, register, True)
    code.emit(ARRAY_STORES[variable.scope], c=new, operand=variable)
    return new


def _array_load(node: Element) -> Op:
    return ARRAY_LOADS[node.variable.scope]


def step(generator: Generator, node: Step, *, result: bool) -> int:
    """++ and --; without `result` the old value need not survive."""
    code = generator.code
    target = _through_inlines(node.operand)
    size = 1
    if rules.is_pointer(node.type):
        pointed = rules.target_of(node.type)
        size = pointed.size if pointed is not None else 1
    op = Op.ADD if node.op == "++" else Op.SUB
    if isinstance(target, Scalar):
        variable = target.variable
        old = code.emit(LOADS[variable.scope], dest=code.register(), operand=variable)
        new = code.binary(op, old, code.integer(size))
        code.emit(STORES[variable.scope], c=new, operand=variable)
    elif isinstance(target, Element):
        variable = target.variable
        generator.push(target.keys, variable.keys or [], pinned=True)
        old = code.emit(_array_load(target), dest=code.register(), operand=variable)
        new = code.binary(op, old, code.integer(size))
        code.emit(ARRAY_STORES[variable.scope], c=new, operand=variable)
    else:
        address_ = _writable_address(generator, target)
        old = _load_memory(generator, target, address_)
        new = code.binary(op, old, code.integer(size))
        _store_memory(generator, target, address_, new)
    return new if node.prefix or not result else old


# -- memory --------------------------------------------------------------------------------------------

def _writable_address(generator: Generator, node: Value) -> int:
    outer, generator.instantiate = generator.instantiate, True
    try:
        return address(generator, node)
    finally:
        generator.instantiate = outer


def address(generator: Generator, node: Value) -> int:
    """Where an lvalue in memory lies; for a bit-field, its storage unit."""
    node = _through_inlines(node)
    if isinstance(node, MemberAccess):
        base = generator.value(node.base)
        byte = _field(node.member)[0] if node.member.type.is_bitfield() else node.member.byte
        return generator.offset(base, byte)
    if isinstance(node, Dereference):
        return generator.value(node.operand)
    if isinstance(node, SymbolValue):
        return generator.symbol_address(node)
    return generator.value(node)


def _load_memory(generator: Generator, node: Value, address_: int) -> int:
    if isinstance(node, MemberAccess) and node.member.type.is_bitfield():
        return _extract(generator, node.member, address_, node.base.user)
    return generator.load(address_, node.type, node.user)


def _store_memory(generator: Generator, node: Value, address_: int, register: int) -> None:
    member = node.member if isinstance(node, MemberAccess) else None
    store(generator, node.type, member, address_, register)


def store(generator: Generator, type_: Type, member: Member | None, address_: int, register: int) -> None:
    """Store a value of a type, or copy an object of it, to an address."""
    code = generator.code
    if type_.is_by_reference():
        code.emit(Op.COPYS, a=register, b=code.integer(type_.size), c=_real(generator, address_))
    elif member is not None and type_.is_bitfield():
        _insert(generator, member, address_, register)
    else:
        code.emit(STORE_OPS[value_size(type_)], a=register, c=_real(generator, address_))


def _real(generator: Generator, address_: int) -> int:
    """An address register: %r0 may not be stored through."""
    if address_:
        return address_
    return generator.code.emit(Op.MOV, dest=generator.code.register())


# -- bit-fields ----------------------------------------------------------------------------------------

def _field(member: Member) -> tuple[int, int, int, int]:
    """(byte offset, size, shift, bits) of the smallest aligned unit that holds a bit-field."""
    base = member.type.resolve()
    assert isinstance(base, Integer)
    for size in (1, 2, 4, 8):
        start = member.offset // (8 * size)
        if start == (member.offset + base.bits - 1) // (8 * size):
            return start * size, size, member.offset - start * size * 8, base.bits
    raise AssertionError("a bit-field crosses a 64-bit boundary")


def bitfield_get(generator: Generator, node: MemberAccess, base: int) -> int:
    """Load a bit-field: shift it down, then extend it."""
    return _extract(generator, node.member, generator.offset(base, _field(node.member)[0]), node.base.user)


def _extract(generator: Generator, member: Member, address_: int, user: bool) -> int:
    code = generator.code
    _, size, shift, bits = _field(member)
    is_signed = member.type.is_signed()
    at_top = shift + bits == size * 8
    register = code.emit(LOAD_OPS[(size, is_signed and at_top, user)], dest=code.register(), a=address_)
    if is_signed and not at_top:
        register = code.binary(Op.SLL, register, code.integer(64 - shift - bits))
        return code.binary(Op.SRA, register, code.integer(64 - bits))
    if shift:
        register = code.binary(Op.SRA if is_signed else Op.SRL, register, code.integer(shift))
    if not at_top:
        register = code.binary(Op.AND, register, code.integer((1 << bits) - 1))
    return register


def _insert(generator: Generator, member: Member, address_: int, register: int) -> None:
    """Store into a bit-field: the neighbours in its unit keep their bits."""
    code = generator.code
    _, size, shift, bits = _field(member)
    mask = (1 << bits) - 1
    around = code.emit(LOAD_OPS[(size, False, False)], dest=code.register(), a=address_)
    around = code.binary(Op.AND, around, code.integer(~(mask << shift)))
    value = code.binary(Op.AND, register, code.integer(mask))
    if shift:
        value = code.binary(Op.SLL, value, code.integer(shift))
    code.emit(STORE_OPS[size], a=code.binary(Op.OR, around, value), c=_real(generator, address_))


# -- array elements and translated structs ----------------------------------------------------------------

def absent_element(generator: Generator, node: Element, register: int, load: Op) -> None:
    """What an element by reference is when nothing was stored: empty.

    One that is only read becomes an empty string or zeroed scratch memory; one
    that is written through must first be stored, to have memory of its own.
    """
    code = generator.code
    present = Label()
    code.emit(Op.TST, a=register)
    code.branch(Op.BNE, present)
    if node.type.is_string() and not generator.instantiate:
        code.emit(Op.SETS, dest=register, operand=b"")
    else:
        size = code.integer(node.type.size)
        code.emit(Op.ALLOCS, dest=register, a=size)
        if generator.instantiate:
            code.emit(ARRAY_STORES[node.variable.scope], c=register, operand=node.variable)
            code.emit(load, dest=register, operand=node.variable)
    code.place(present)


def expand(generator: Generator, node: Value) -> int:
    """A translated struct, all members, in scratch memory: its address."""
    translation = translated(node)
    assert translation is not None
    with generator.translation_input(node):
        return _fill(generator, translation.translator)


def _fill(generator: Generator, translator: Translator) -> int:
    code = generator.code
    record = translator.output.resolve()
    assert isinstance(record, Record)
    buffer = code.emit(Op.ALLOCS, dest=code.register(), a=code.integer(record.size))
    for name, expression in translator.members.items():
        member = record.member(name)
        assert member is not None
        register = generator.cast(generator.value(expression), expression, member.type)
        byte = _field(member)[0] if member.type.is_bitfield() else member.byte
        store(generator, member.type, member, generator.offset(buffer, byte), register)
    return buffer
