"""D's type rules: what converts to what, and what an operator's result is.

They are the rules of ISO C, with strings; how an integer becomes one of another type is conversions.py's.
Constants are folded by the machine's own tables, with the instructions that the generator would choose:
a constant expression has the value that it has with its operands in variables.
"""

from __future__ import annotations

from dc.checking.typed import Constant, translated
from dc.names.values import Value
from dc.types.types import Array, Dynamic, Integer, Pointer, Type, compatible
from dif.isa import Op

# The machine's instruction for an operator, on signed and on unsigned operands.
ARITHMETIC = {"|": (Op.OR, Op.OR), "^": (Op.XOR, Op.XOR), "&": (Op.AND, Op.AND), "<<": (Op.SLL, Op.SLL),
              ">>": (Op.SRA, Op.SRL), "+": (Op.ADD, Op.ADD), "-": (Op.SUB, Op.SUB), "*": (Op.MUL, Op.MUL),
              "/": (Op.SDIV, Op.UDIV), "%": (Op.SREM, Op.UREM)}


# The branch taken if a comparison holds, of signed and of unsigned operands.
BRANCHES = {"==": (Op.BE, Op.BE), "!=": (Op.BNE, Op.BNE), "<": (Op.BL, Op.BLU), "<=": (Op.BLE, Op.BLEU),
            ">": (Op.BG, Op.BGU), ">=": (Op.BGE, Op.BGEU)}


def instruction(op: str, operands: Type) -> int:
    """The instruction for an arithmetic operator, which takes its operands in that type."""
    signed_op, unsigned_op = ARITHMETIC[op]
    return signed_op if operands.is_signed() else unsigned_op


def branch(op: str, operands: Type) -> int:
    """The branch for a comparison of operands of that type; of pointers it is unsigned."""
    signed_op, unsigned_op = BRANCHES[op]
    return signed_op if operands.is_signed() else unsigned_op


def is_dynamic(type_: Type) -> bool:
    """Whether it stands for no C type: that of an aggregation, an untyped array, a translation."""
    base = type_.resolve()
    return isinstance(base, Dynamic) and base.name == "<DYN>"


def has_no_type(value: Value) -> bool:
    """Whether a value, or the body of the inline that it uses, has no C type."""
    return is_dynamic(value.type) or translated(value) is not None


def is_special(type_: Type, name: str) -> bool:
    """Whether it is one of the opaque types `stack`, `_symaddr`, `_usymaddr`."""
    base = type_.resolve()
    return isinstance(base, Dynamic) and base.name == name


def is_pointer(type_: Type) -> bool:
    """Whether it is a pointer or an array; a string is neither."""
    return type_.is_pointer() or type_.is_array()


def target_of(type_: Type) -> Type | None:
    """The type that a pointer points to or of an array's elements; None for any other type."""
    base = type_.resolve()
    if isinstance(base, Pointer):
        return base.target
    return base.element if isinstance(base, Array) else None


def is_string_like(type_: Type) -> bool:
    """Whether it is a string, a char pointer or a char array."""
    if type_.is_string():
        return True
    target = target_of(type_)
    return target is not None and target.is_char()


def is_opaque_pointer(type_: Type) -> bool:
    """Whether it is a pointer to void or to a function, which has no size to step by."""
    base = type_.resolve()
    return isinstance(base, Pointer) and (base.target.is_void() or base.target.is_function())


def is_zero(value: Value) -> bool:
    return isinstance(value, Constant) and value.value == 0


def is_positive(value: Value) -> bool:
    """Whether it is a positive integer constant."""
    return isinstance(value, Constant) and value.value != 0 \
        and (not value.type.is_signed() or value.value < 1 << 63)


def common_pointer(left: Value, right: Value) -> Type | None:
    """The more specific of two pointer types that an operator may mix; None if it may not mix them."""
    if has_no_type(left) or has_no_type(right):
        return None
    left_integer, right_integer = left.type.is_integer(), right.type.is_integer()
    if left_integer and right_integer:
        return None
    if (left_integer and not is_zero(left)) or (right_integer and not is_zero(right)):
        return None
    if not left_integer and not right_integer and left.user != right.user:
        return None
    left_type = right.type if left_integer else left.type
    right_type = left.type if right_integer else right.type
    left_target, right_target = _referenced(left_type), _referenced(right_type)
    if left_target is None or right_target is None:
        return None
    if not (left_target.is_void() or right_target.is_void() or compatible(left_target, right_target)):
        return None
    return left_type if right_target.is_void() else right_type


def _referenced(type_: Type) -> Type | None:
    if type_.is_string():
        return _CHAR
    return target_of(type_)


_CHAR = Integer("char", 1, True, True, 8, 1)


def is_assignable(formal: Type, actual: Value, *, user: bool = False) -> bool:
    """Whether a value may be passed or assigned where `formal` is expected."""
    if formal.is_integer() and actual.type.is_integer():
        return True
    if is_string_like(formal) and is_string_like(actual.type):
        return True
    for name in ("stack", "_symaddr", "_usymaddr"):
        if is_special(formal, name) and is_special(actual.type, name):
            return True
    if formal.is_record() or formal.is_function():
        return compatible(formal, actual.type)
    expected = Value(actual.span, formal)
    expected.user = user
    return common_pointer(expected, actual) is not None
