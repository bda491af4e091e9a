"""`Value`, the base of the nodes of the typed tree, and how DIF describes types.

The nodes themselves are in dc/checking/typed.py, and refer to variables, inlines and translators.
Inlines and translators refer to values in turn, of which they need to know this base only.
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

    `user` marks an address in the traced program: D reads the memory there with
    uld instructions.  An `lvalue` may be assigned to if it is `writable`; so may what a `writable` pointer
    points to.
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
        """The name of the node in messages."""
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
    """How many bytes a value of this type takes; for a bit-field the least power of two that holds it."""
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
