"""Constant expressions of declarations: array bounds, bit-field widths, enumerators."""

from __future__ import annotations

from collections.abc import Callable

from dc.source import tree as s
from dc.types.scopes import Scope
from dc.types.types import Record, Type
from dif.arithmetic import quotient


def _divide(left: int, right: int) -> int | None:
    return quotient(left, right) if right else None


def _remainder(left: int, right: int) -> int | None:
    return left - right * quotient(left, right) if right else None


_BINARY = {
    "*": lambda a, b: a * b, "/": _divide, "%": _remainder, "+": lambda a, b: a + b,
    "-": lambda a, b: a - b, "<<": lambda a, b: a << (b & 63), ">>": lambda a, b: a >> (b & 63),
    "<": lambda a, b: int(a < b), "<=": lambda a, b: int(a <= b), ">": lambda a, b: int(a > b),
    ">=": lambda a, b: int(a >= b), "==": lambda a, b: int(a == b), "!=": lambda a, b: int(a != b),
    "&": lambda a, b: a & b, "^": lambda a, b: a ^ b, "|": lambda a, b: a | b,
    "&&": lambda a, b: int(bool(a) and bool(b)), "||": lambda a, b: int(bool(a) or bool(b)),
    "^^": lambda a, b: int(bool(a) != bool(b)), ",": lambda a, b: b,
}
_UNARY = {"-": lambda a: -a, "+": lambda a: a, "~": lambda a: ~a, "!": lambda a: int(not a)}


def _wrap(value: int | None) -> int | None:
    """A value as a signed 64-bit number."""
    return None if value is None else ((value + (1 << 63)) & ((1 << 64) - 1)) - (1 << 63)


def evaluate(node: s.Expression, scope: Scope, type_name: Callable[[s.TypeName], Type]) -> int | None:
    """The value of a constant expression as a signed 64-bit number, or None if it is not constant.

    `scope` has its enumerators; `type_name` gives the types of casts, sizeof and offsetof, and raises
    CompileError for one that does not exist.
    """
    if isinstance(node, s.Integer):
        return _wrap(-node.value if node.negative else node.value)
    if isinstance(node, s.Identifier):
        known = scope.enumerator(node.name)
        return known[0] if known else None
    if isinstance(node, s.Unary):
        operand = evaluate(node.operand, scope, type_name)
        operation = _UNARY.get(node.op)
        return _wrap(operation(operand)) if operation and operand is not None else None
    if isinstance(node, s.Binary):
        left = evaluate(node.left, scope, type_name)
        right = evaluate(node.right, scope, type_name)
        return None if left is None or right is None else _wrap(_BINARY[node.op](left, right))
    if isinstance(node, s.Conditional):
        test = evaluate(node.test, scope, type_name)
        return None if test is None else evaluate(node.then if test else node.otherwise, scope, type_name)
    if isinstance(node, s.Cast):
        operand = evaluate(node.operand, scope, type_name)
        return None if operand is None else _cast(operand, type_name(node.to))
    if isinstance(node, s.Sizeof) and isinstance(node.operand, s.TypeName):
        return type_name(node.operand).size or None
    if isinstance(node, s.Offsetof):
        base = type_name(node.of).resolve()
        member = base.member(node.member) if isinstance(base, Record) else None
        return member.byte if member else None
    return None


def _cast(value: int, type_: Type) -> int | None:
    if not type_.is_scalar():
        return None
    bits = type_.size * 8
    value &= (1 << bits) - 1
    return value - (1 << bits) if type_.is_signed() and value >> bits - 1 else value
