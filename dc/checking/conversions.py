"""Integer conversions: one rule, for constants and for code, for casts that are written and those implied.

The rule is ISO C's (6.3.1).  A register has 64 bits, and a `Form` says how a type fills them.  The value of
an unsigned type, and of any type narrower than int, fills its register exactly so, always: arithmetic in an
unsigned type wraps at the type's width, and what is assigned becomes a value of the variable's type.  Only an
int, and a long of 32 bits, may have more: C leaves their overflow undefined, and D goes on with the 64 bits
(a variable keeps them, too), until a cast, an argument, a key, an inline or a translator's member takes the
value as of its type.

`conversion` says what must be done.  `converted` and `assigned` do it to a constant, and put a Cast into the
typed tree for anything else, from which the generator makes code by the same function.
"""

from __future__ import annotations

from dc.checking.typed import (
    Assign,
    Binary,
    Cast,
    Conditional,
    Constant,
    Element,
    Held,
    Scalar,
    Unary,
    through_inlines,
)
from dc.names.values import Value, value_size
from dc.types.scopes import Scope
from dc.types.types import Enum, Integer, Type
from dif.arithmetic import MASK
from dif.records import NamedTuple
from dof.model import Attributes

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from dc.diagnostics import Span

REGISTER = 64  # bits
INT = 32  # bits
_BOOLEANS = ("_Bool", "bool")
TRUTHS = frozenset(("<", "<=", ">", ">=", "==", "!=", "&&", "||", "^^", "!"))  # operators that make 0 or 1


class Form(NamedTuple):
    """How a value fills a register: so many low bits, extended by its sign or by zeros.

    Anything that is not 0 becomes 1 where it is converted to a `truth`.
    """

    bits: int
    signed: bool
    truth: bool = False

    def take(self, value: int) -> int:
        """An unsigned 64-bit value, converted to this form and again as unsigned 64 bits."""
        if self.truth:
            return int(value != 0)
        value &= (1 << self.bits) - 1
        if self.signed and value >> self.bits - 1:
            value |= MASK << self.bits
        return value & MASK

    def has(self, other: Form) -> bool:
        """Whether each value of another form is one of this, in the same 64 bits."""
        if self.truth or self.bits == REGISTER:
            return other.truth or not self.truth
        return other.bits + (self.signed and not other.signed) <= self.bits and self.signed >= other.signed


_TRUTH = Form(1, False, True)


def form(type_: Type) -> Form:
    """The form of an integer or a pointer."""
    base = type_.resolve()
    if isinstance(base, Integer):
        if base.name in _BOOLEANS:
            return _TRUTH
        return Form(min(base.bits, REGISTER), base.signed)
    return Form(min(value_size(base) * 8, REGISTER), base.is_signed())


def form_of(value: Value) -> Form:
    """The form that the register of an integer or a pointer is known to have."""
    return _TRUTH if isinstance(value, Binary | Unary) and value.op in TRUTHS else form(value.type)


def conversion(value: Value, to: Type, *, written: bool = True) -> Form | None:
    """The form that a value must be given to become one of type `to`; None if it is one already.

    An implied conversion, one that is not `written`, leaves an int that overflowed as it is.
    """
    if not to.is_scalar() or not value.type.is_scalar():
        return None
    source, wanted = form_of(value), form(to)
    if not wanted.has(source):
        return wanted
    if written and _may_exceed(value, source):
        return source if wanted.bits > source.bits else wanted
    return None


def _may_exceed(value: Value, own: Form) -> bool:
    """Whether a register may hold more of a value than its type has: an int that overflowed, or was wider."""
    if own.bits != INT or not (own.signed or value.type.is_pointer()):
        return False
    if isinstance(value, Constant):
        return own.take(value.value) != value.value
    if isinstance(value, Scalar):
        return value.variable.builtin is None
    if isinstance(value, Binary) and value.op == ",":
        return _may_exceed(value.right, own)
    return isinstance(value, Element | Binary | Unary | Conditional | Assign | Held)


def converted(value: Value, to: Type) -> Value:
    """An integer as one of type `to`, by an implied conversion; itself if its register need not change."""
    wanted = conversion(value, to, written=False)
    if wanted is None:
        return value
    if isinstance(value, Constant):
        return Constant(value.span, to, wanted.take(value.value), value.attributes)
    return Cast(value.span, to, value, value.attributes)


def cast_constant(span: Span, to: Type, operand: Constant, attributes: Attributes) -> Constant:
    """A constant that a cast makes of another."""
    wanted = conversion(operand, to)
    return Constant(span, to, operand.value if wanted is None else wanted.take(operand.value), attributes)


def assigned(target: Value, value: Value) -> Value:
    """The value that is assigned: an integer becomes of the type of the target, which may be an inline."""
    place = through_inlines(target)
    if not place.type.is_integer() or not value.type.is_integer():
        return value
    if place is not target:
        value = converted(value, target.type)
    return value if _is_kept(place, value) else converted(value, place.type)


def _is_kept(place: Value, value: Value) -> bool:
    """Whether an int variable keeps the 64 bits of a wider value, as in other DTraces.

    Scripts declare `self int last`, or begin with `last = 0`, and assign timestamps.  Constants become ints.
    """
    return isinstance(place, Scalar | Element) and form(place.type) == (INT, True, False) \
        and form(value.type).bits == REGISTER and not isinstance(value, Constant)


def wrapped(result: int, type_: Type) -> int:
    """What arithmetic in a type makes of a 64-bit result: it wraps if the type is unsigned."""
    own = form(type_)
    return result if own.signed else own.take(result)


# -- the types of operands ---------------------------------------------------------------------------------

def promoted(type_: Type, scope: Scope) -> Type:
    """C's integer promotions: the type in which arithmetic takes an operand.

    A bit-field wider than int is as wide as the type that it is declared with.  An enumeration is an int, or
    something larger if a traced program's enumeration needs it.
    """
    base = type_.resolve()
    own = form(base)
    if own.bits < INT:
        return scope.basic("int")
    if isinstance(base, Enum):
        if own.bits > INT:
            return scope.basic("long long" if own.signed else "unsigned long long")
        return scope.basic("int" if own.signed else "unsigned int")
    if base.is_bitfield():
        if own.bits == INT:
            return scope.basic("int" if own.signed else "unsigned int")
        return scope.basic("long long" if own.signed else "unsigned long long")
    return type_


def common(left: Type, right: Type, scope: Scope) -> Type:
    """The usual arithmetic conversions: the wider type, the unsigned one of two as wide."""
    left, right = promoted(left, scope), promoted(right, scope)
    return right if _rank(left) < _rank(right) else left


def _rank(type_: Type) -> tuple[int, bool, bool]:
    """Width and signedness, then the order in which C lists types as wide."""
    own = form(type_)
    return own.bits, not own.signed, getattr(type_.resolve(), "name", "").endswith("long long")
