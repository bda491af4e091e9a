"""Checking of casts and stringof, and of sizeof and offsetof, which become constants."""

from __future__ import annotations

from dc.checking import rules
from dc.checking.operators import type_stability, unary_operand
from dc.checking.typed import Cast, Constant, StringConstant, Stringof, SymbolValue, translated
from dc.diagnostics import did_you_mean, error
from dc.names.builtins import weakest
from dc.names.values import Value
from dc.source import tree as syntax
from dc.types.types import Pointer, Record, Type, compatible

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from dc.checking.checker import Checker


def cast(checker: Checker, node: syntax.Cast, reads: bool) -> Value:
    to = checker.type_of(node.to)
    operand = checker.value(node.operand)
    stability = weakest(operand.attributes, type_stability(checker, to))
    if isinstance(operand, Constant) and to.is_integer():
        return Constant(node.span, to, rules.convert(operand.value, operand.type, to), stability)
    if not _castable(to, operand):
        raise error("D_CAST_INVAL", node.span,
                    f"{operand.type_name} cannot be cast to {to}")
    to = _of_the_program(checker, to, operand.type)
    value = Cast(node.span, to, operand, stability)
    base = to.resolve()
    if isinstance(base, Pointer):
        value.writable = True
        value.user = base.userland
    return value


def _of_the_program(checker: Checker, to: Type, source: Type) -> Type:
    """A pointer to a program's record that was a number, or what was an address in a program, is one."""
    base, before = to.resolve(), source.resolve()
    if not isinstance(base, Pointer):
        return to
    if isinstance(before, Pointer):
        is_theirs = before.userland
    else:
        is_theirs = before.is_integer() and to.is_of_program()
    return checker.scope.pointer(base.target, userland=True) if is_theirs else to


def _castable(to: Type, operand: Value) -> bool:
    source = operand.type
    if to.is_void() or compatible(to, source):
        return True
    if to.is_scalar() and (source.is_scalar() or source.is_function()):
        return True
    if to.is_pointer() and rules.is_pointer(source):
        return True
    return to.is_string() and (source.is_scalar() or rules.is_pointer(source)
                               or rules.is_string_like(source))


def stringof(checker: Checker, node: syntax.Stringof, reads: bool) -> Value:
    operand = unary_operand(checker, node.operand)
    if not (operand.type.is_scalar() or rules.is_pointer(operand.type)
            or rules.is_string_like(operand.type)):
        raise error("D_STRINGOF_TYPE", node.span,
                    f"{operand.type_name} is nothing that could be a string")
    return Stringof(node.span, operand, checker.string)


def sizeof(checker: Checker, node: syntax.Sizeof, reads: bool) -> Value:
    size_t = checker.type_named("size_t", node.span)
    hints: tuple[str, ...] = ()
    if isinstance(node.operand, syntax.TypeName):
        type_ = checker.type_of(node.operand)
        size, stability = type_.size, type_stability(checker, type_)
        if size == 0 and isinstance(type_.resolve(), Record):
            from dc.types.similartypes import similar_type

            hints = similar_type(checker.scope, str(type_.resolve()))
    else:
        operand = unary_operand(checker, node.operand)
        if operand.type.is_bitfield():
            raise error("D_SIZEOF_BITFIELD", node.span, "a bit-field has no size in bytes")
        size, stability = _size_of(operand), operand.attributes
    if size == 0:
        raise error("D_SIZEOF_TYPE", node.span, "the size of this is not known", *hints)
    return Constant(node.span, size_t, size, stability)


def _size_of(value: Value) -> int:
    if isinstance(value, StringConstant):
        return len(value.value) + 1
    if isinstance(value, SymbolValue):
        return value.symbol.size
    translation = translated(value)
    return translation.result.size if translation is not None else value.type.size


def offsetof(checker: Checker, node: syntax.Offsetof, reads: bool) -> Value:
    record = checker.type_of(node.of).resolve()
    if not isinstance(record, Record) or record.members is None:
        raise error("D_OFFSETOF_TYPE", node.span, "offsetof is for members of a struct or union")
    found = record.member(node.member)
    if found is None:
        raise error("D_UNKNOWN", node.span, f"{node.member} is not a member of {record}",
                    *did_you_mean(node.member, record.names()))
    if found.type.is_bitfield():
        raise error("D_OFFSETOF_BITFIELD", node.span, f"{node.member} is a bit-field, not at a byte's start")
    return Constant(node.span, checker.int, found.byte)
