"""What every value has: the base of the typed tree's nodes, and how large DIF holds a type to be.

The nodes themselves are dc/checking/typed.py's.  An inline or a translator keeps the values that it
stands for, and a value names the variables it is made of: this base is what names know of values.
"""

from __future__ import annotations

from dc.diagnostics import Span
from dc.names.builtins import STABLE
from dc.types.types import Type
from dif import isa
from dif.difo import DifType
from dof.model import Attributes

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from collections.abc import Iterator


class Value:
    """An expression with a type.

    `user` marks addresses in the traced program: memory behind them is read
    with uld.  `lvalue` may be assigned to if `writable`.
    """

    __slots__ = ("attributes", "lvalue", "span", "type", "user", "writable")

    def __init__(self, span: Span, type_: Type, attributes: Attributes = STABLE) -> None:
        self.span = span
        self.type = type_
        self.attributes = attributes
        self.lvalue = False
        self.writable = False
        self.user = False

    def describe(self) -> str:
        """How messages name the node."""
        return "expression"

    def children(self) -> Iterator[Value]:
        """The values directly below this one."""
        for slot in type(self).__slots__:
            parts = getattr(self, slot)
            yield from (each for each in (parts if isinstance(parts, list) else [parts])
                        if isinstance(each, Value))

    @property
    def by_reference(self) -> bool:
        """Whether a register holds the value's address instead of the value."""
        return self.type.is_by_reference()

    @property
    def type_name(self) -> str:
        """The type as messages show it."""
        name = self._dynamic_name if str(self.type) == "<DYN>" else str(self.type)
        return f"userland {name}" if self.user else name

    @property
    def _dynamic_name(self) -> str:
        return "dynamic variable"


def value_size(type_: Type) -> int:
    """Bytes that a value of this type takes; a bit-field's is the power of two that holds it."""
    base = type_.resolve()
    if base.is_bitfield():
        needed = -(-getattr(base, "bits", 8) // 8)
        return 1 << (needed - 1).bit_length()
    return type_.size


def dif_type(type_: Type, user: bool = False) -> DifType:
    """The dtrace_diftype of a value."""
    flags = (isa.TF_BYUREF if user else isa.TF_BYREF) if type_.is_by_reference() else 0
    base = type_.resolve()
    if base.is_string():
        return DifType(isa.TYPE_STRING, 0, flags, type_.size)
    return DifType(isa.TYPE_CTF, int(base.kind) if not base.is_dynamic() else 0, flags, value_size(type_))


def dif_type_of(value: Value) -> DifType:
    """The dtrace_diftype that a register holding `value` has."""
    return dif_type(value.type, value.user)
