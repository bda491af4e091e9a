"""Constant expressions of declarations: array bounds, bit-field widths, enumerators."""

from __future__ import annotations

from dc.names.types import Type
from dc.source import tree as s
from dif.arithmetic import quotient

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from dc.names.declarations import Declarations


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


def evaluate(node: s.Expression, declarations: Declarations) -> int | None:
    """The value of a constant expression as a signed 64-bit number, or None if it is not constant.

    Raises CompileError for a type in it that does not exist.
    """
    if isinstance(node, s.Integer):
        return _wrap(-node.value if node.negative else node.value)
    if isinstance(node, s.Identifier):
        known = declarations.scope.enumerator(node.name)
        return known[0] if known else None
    if isinstance(node, s.Unary):
        operand = evaluate(node.operand, declarations)
        operation = _UNARY.get(node.op)
        return _wrap(operation(operand)) if operation and operand is not None else None
    if isinstance(node, s.Binary):
        left, right = evaluate(node.left, declarations), evaluate(node.right, declarations)
        return None if left is None or right is None else _wrap(_BINARY[node.op](left, right))
    if isinstance(node, s.Conditional):
        test = evaluate(node.test, declarations)
        return None if test is None else evaluate(node.then if test else node.otherwise, declarations)
    if isinstance(node, s.Cast):
        operand = evaluate(node.operand, declarations)
        return None if operand is None else _cast(operand, declarations.type_name(node.to))
    if isinstance(node, s.Sizeof) and isinstance(node.operand, s.TypeName):
        return declarations.type_name(node.operand).size or None
    if isinstance(node, s.Offsetof):
        base = declarations.type_name(node.of).resolve()
        member = base.member(node.member) if hasattr(base, "member") else None
        return member.byte if member else None
    return None


def _cast(value: int, type_: Type) -> int | None:
    if not type_.is_scalar():
        return None
    bits = type_.size * 8
    value &= (1 << bits) - 1
    return value - (1 << bits) if type_.is_signed() and value >> bits - 1 else value
