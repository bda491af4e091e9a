"""D's type rules: what converts to what, and what an operator's result is.

They are the rules of ISO C, with strings.  Integer arithmetic is done in 64 bits:
a type says how a value is loaded, compared, divided, and made wider, not where it overflows.
Constants are folded by the machine's own tables, with the instructions that the generator would choose:
a constant expression has the value that it has with its operands in variables.
"""

from __future__ import annotations

from dc.checking.typed import Constant, translated
from dc.names.values import Value, value_size
from dc.types.scopes import Scope
from dc.types.types import Array, Dynamic, Enum, Integer, Pointer, Type, compatible
from dif.arithmetic import MASK
from dif.isa import Op

# The machine's instruction for an operator, on signed and on unsigned operands.
ARITHMETIC = {"|": (Op.OR, Op.OR), "^": (Op.XOR, Op.XOR), "&": (Op.AND, Op.AND), "<<": (Op.SLL, Op.SLL),
              ">>": (Op.SRA, Op.SRL), "+": (Op.ADD, Op.ADD), "-": (Op.SUB, Op.SUB), "*": (Op.MUL, Op.MUL),
              "/": (Op.SDIV, Op.UDIV), "%": (Op.SREM, Op.UREM)}


# The branch taken if a comparison holds, of signed and of unsigned operands.
BRANCHES = {"==": (Op.BE, Op.BE), "!=": (Op.BNE, Op.BNE), "<": (Op.BL, Op.BLU), "<=": (Op.BLE, Op.BLEU),
            ">": (Op.BG, Op.BGU), ">=": (Op.BGE, Op.BGEU)}


def instruction(op: str, type_: Type, left: Type, right: Type) -> int:
    """The instruction for an arithmetic operator whose result has that type.

    What is narrower than int divides as an int, which holds all its values.
    """
    signed_op, unsigned_op = ARITHMETIC[op]
    return signed_op if type_.is_signed() or (op in "/%" and _fits_int(left, right)) else unsigned_op


def branch(op: str, left: Type, right: Type) -> int:
    """The branch for a comparison: of pointers it is unsigned, of integers as their common type is."""
    signed_op, unsigned_op = BRANCHES[op]
    if not left.is_integer() or not right.is_integer():
        return unsigned_op
    if _fits_int(left, right):
        return signed_op
    _, is_unsigned = max((_bits(type_), not type_.is_signed()) for type_ in (left, right))
    return unsigned_op if is_unsigned else signed_op


def _fits_int(*types: Type) -> bool:
    return all(type_.is_integer() and _bits(type_) < INT_SIZE * 8 for type_ in types)


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


def promote(left: Type, right: Type, scope: Scope) -> Type:
    """The usual arithmetic conversions: the wider type, the unsigned one of two as wide."""
    left, right = as_integer(left, scope), as_integer(right, scope)
    return right if _rank(left) < _rank(right) else left


def as_integer(type_: Type, scope: Scope) -> Type:
    """The integer type that arithmetic takes an enumeration for: int, or a larger one if a traced program's
    enumeration needs it.  Other types are returned as they are.
    """
    base = type_.resolve()
    if not isinstance(base, Enum):
        return type_
    if base.size > INT_SIZE:
        return scope.basic("long long" if base.signed else "unsigned long long")
    return scope.basic("int" if base.signed or base.size < INT_SIZE else "unsigned int")


def _rank(type_: Type) -> tuple[int, int]:
    """Width and signedness, then the order in which C lists types as wide."""
    base = type_.resolve()
    assert isinstance(base, Integer)
    return base.bits + (not base.signed), _ORDER.get(base.name, 0)


INT_SIZE = 4
_ORDER = {"long long": 1, "unsigned long long": 1}


def convert(value: int, source: Type, to: Type) -> int:
    """An unsigned 64-bit value of type `source` cast to an integer type, again as unsigned 64 bits."""
    if _bits(source) < _bits(to):
        value = _extend(value, _bits(source), source.is_signed())
    return _extend(value, _bits(to), to.is_signed())


def _bits(type_: Type) -> int:
    base = type_.resolve()
    return base.bits if isinstance(base, Integer) else value_size(type_) * 8


def _extend(value: int, bits: int, is_signed: bool) -> int:
    """The low bits of a value, extended to 64 by their sign or by zeros."""
    value &= (1 << bits) - 1
    if is_signed and value >> bits - 1:
        value |= MASK << bits
    return value & MASK
