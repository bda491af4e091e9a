"""The typed tree: expressions whose names are resolved and whose types are known.

The checker builds a typed tree from the syntax tree once for each probe
description of a clause, because args[] differ from probe to probe.  It folds
constants on the way.  The code generator reads the tree.  The two trees share
nothing, so that a clause can be checked again.
"""

from __future__ import annotations

from dc.names.builtins import STABLE, weakest
from dc.names.values import Value
from dc.types.types import Member, Type
from dof.model import Attributes

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from collections.abc import Iterator

    from dc.diagnostics import Span
    from dc.names.catalog import Part, Symbol
    from dc.names.identifiers import Aggregation, Function, Inline, Parameter, Translator, Variable


class Constant(Value):
    """An integer constant: `value` is unsigned 64-bit, extended as its type says."""

    __slots__ = ("value",)

    def __init__(self, span: Span, type_: Type, value: int, attributes: Attributes = STABLE) -> None:
        super().__init__(span, type_, attributes)
        self.value = value & 0xFFFF_FFFF_FFFF_FFFF

    def describe(self) -> str:
        return f"integer constant {self.value:#x}"


class StringConstant(Value):
    """A string constant without its NUL."""

    __slots__ = ("value",)

    def __init__(self, span: Span, type_: Type, value: bytes) -> None:
        super().__init__(span, type_)
        self.value = value

    def describe(self) -> str:
        return f'string constant "{self.value.decode(errors="replace")}"'


class Scalar(Value):
    """A variable that is not subscripted: built-in, global, thread-local or clause-local."""

    __slots__ = ("variable",)

    def __init__(self, span: Span, variable: Variable, type_: Type) -> None:
        super().__init__(span, type_, variable.attributes)
        self.variable = variable
        self.lvalue = True
        self.writable = variable.writable
        self.user = variable.user

    def describe(self) -> str:
        return f"scalar {self.variable.name}"


class Element(Value):
    """An element of an associative array."""

    __slots__ = ("keys", "variable")

    def __init__(self, span: Span, variable: Variable, keys: list[Value], type_: Type) -> None:
        super().__init__(span, type_, variable.attributes)
        self.variable = variable
        self.keys = keys
        self.lvalue = True
        self.writable = variable.writable
        self.user = variable.user

    def describe(self) -> str:
        return f"associative array {self.variable.name}"


class BuiltinElement(Value):
    """args[n] before translation, or a register array's element."""

    __slots__ = ("index", "variable")

    def __init__(self, span: Span, variable: Variable, index: int, type_: Type) -> None:
        super().__init__(span, type_, variable.attributes)
        self.variable = variable
        self.index = index
        self.lvalue = True

    def describe(self) -> str:
        return f"associative array {self.variable.name}"


class Gathered(Value):
    """args[n] that is in several native arguments, parts of it; `variable` is args."""

    __slots__ = ("parts", "variable")

    def __init__(self, span: Span, variable: Variable, parts: tuple[Part, ...], type_: Type) -> None:
        super().__init__(span, type_, variable.attributes)
        self.variable = variable
        self.parts = parts

    def describe(self) -> str:
        return f"associative array {self.variable.name}"


class SymbolValue(Value):
    """A kernel (or user) symbol's object."""

    __slots__ = ("symbol",)

    def __init__(self, span: Span, symbol: Symbol, type_: Type, attributes: Attributes) -> None:
        super().__init__(span, type_, attributes)
        self.symbol = symbol
        self.lvalue = True

    def describe(self) -> str:
        return f"symbol {self.symbol.module}`{self.symbol.name}"


class FunctionCall(Value):
    """A call of a subroutine, an action or an aggregating function."""

    __slots__ = ("arguments", "function")

    def __init__(self, span: Span, function: Function, arguments: list[Value], type_: Type) -> None:
        super().__init__(span, type_, function.attributes)
        self.function = function
        self.arguments = arguments

    def describe(self) -> str:
        return f"{self.function.role} {self.function.name}( )"


class AggregationValue(Value):
    """@name, @name[keys], or the statement @name[keys] = function(...)."""

    __slots__ = ("aggregation", "function", "keys")

    def __init__(self, span: Span, aggregation: Aggregation, type_: Type) -> None:
        super().__init__(span, type_, aggregation.attributes)
        self.aggregation = aggregation
        self.keys: list[Value] | None = None
        self.function: FunctionCall | None = None

    @property
    def _dynamic_name(self) -> str:
        return "aggregation"

    def describe(self) -> str:
        return f"aggregation {self.aggregation.spelling}"


class Unary(Value):
    """op is one of - ~ ! + ."""

    __slots__ = ("op", "operand")

    def __init__(self, span: Span, op: str, operand: Value, type_: Type) -> None:
        super().__init__(span, type_, operand.attributes)
        self.op = op
        self.operand = operand

    def describe(self) -> str:
        return f"operator {self.op}"


class Binary(Value):
    """An arithmetic, comparison or logical operator, or the comma.

    `operands` is the type in which integer operands are taken, which they have been converted to; `type` is
    the result's.  A pointer operand of + and - counts in objects.
    """

    __slots__ = ("left", "op", "operands", "right")

    def __init__(self, span: Span, op: str, left: Value, right: Value, type_: Type,
                 operands: Type | None = None) -> None:
        super().__init__(span, type_, weakest(left.attributes, right.attributes))
        self.op = op
        self.left = left
        self.right = right
        self.operands = operands or type_

    def describe(self) -> str:
        return f"operator {self.op}"


class Held(Value):
    """The value that the target of a compound assignment has before it: an operand of what is assigned."""

    __slots__ = ()

    def describe(self) -> str:
        return "value before"


class Assign(Value):
    """target = value, and with a value of which `held` is an operand: compound assignment, ++ and --.

    `op` is the operator as it is written.  A `postfix` one has the value that the target had before.
    """

    __slots__ = ("held", "op", "postfix", "target", "value")

    def __init__(self, span: Span, op: str, target: Value, value: Value, held: Held | None = None,
                 postfix: bool = False) -> None:
        super().__init__(span, target.type, weakest(target.attributes, value.attributes))
        self.op = op
        self.target = target
        self.value = value
        self.held = held
        self.postfix = postfix
        self.user = target.user
        self.writable = target.writable

    def children(self) -> Iterator[Value]:
        return iter((self.target, self.value))

    def describe(self) -> str:
        return f"operator {self.op}"


class Conditional(Value):
    """test ? then : otherwise."""

    __slots__ = ("otherwise", "test", "then")

    def __init__(self, span: Span, test: Value, then: Value, otherwise: Value, type_: Type) -> None:
        super().__init__(span, type_, weakest(test.attributes,
                                              weakest(then.attributes, otherwise.attributes)))
        self.test = test
        self.then = then
        self.otherwise = otherwise

    def children(self) -> Iterator[Value]:
        return iter((self.test, self.then, self.otherwise))

    def describe(self) -> str:
        return "operator ?:"


class Cast(Value):
    """(type) operand."""

    __slots__ = ("operand",)

    def __init__(self, span: Span, type_: Type, operand: Value, attributes: Attributes) -> None:
        super().__init__(span, type_, attributes)
        self.operand = operand

    def describe(self) -> str:
        return "operator ()"


class Dereference(Value):
    """*operand."""

    __slots__ = ("operand",)

    def __init__(self, span: Span, operand: Value, type_: Type) -> None:
        super().__init__(span, type_, operand.attributes)
        self.operand = operand

    def describe(self) -> str:
        return "operator *"


class AddressOf(Value):
    """&operand."""

    __slots__ = ("operand",)

    def __init__(self, span: Span, operand: Value, type_: Type) -> None:
        super().__init__(span, type_, operand.attributes)
        self.operand = operand
        self.user = operand.user

    def describe(self) -> str:
        return "operator &"


class MemberAccess(Value):
    """base.member, or base->member when `arrow`."""

    __slots__ = ("arrow", "base", "member")

    def __init__(self, span: Span, base: Value, member: Member, arrow: bool) -> None:
        super().__init__(span, member.type, base.attributes)
        self.base = base
        self.member = member
        self.arrow = arrow

    def describe(self) -> str:
        return "operator ->" if self.arrow else "operator ."


class Stringof(Value):
    """stringof operand."""

    __slots__ = ("operand",)

    def __init__(self, span: Span, operand: Value, type_: Type) -> None:
        super().__init__(span, type_, operand.attributes)
        self.operand = operand
        self.user = operand.user

    def describe(self) -> str:
        return "operator stringof"


class Translated(Value):
    """xlate <T>(operand), or an args[] that its provider translates.

    `type` is dynamic; `result` is the translator's output type, or a pointer
    to it when `pointer`.
    """

    __slots__ = ("operand", "pointer", "result", "translator")

    def __init__(self, span: Span, translator: Translator, operand: Value, result: Type,
                 dynamic: Type) -> None:
        super().__init__(span, dynamic, weakest(operand.attributes, translator.attributes))
        self.translator = translator
        self.operand = operand
        self.result = result
        self.pointer = result.is_pointer()

    @property
    def _dynamic_name(self) -> str:
        return "pointer to a translator's members" if self.pointer else "translated data"

    def describe(self) -> str:
        return "operator xlate"


class TranslatedMember(Value):
    """A member of a translated value: the translator's expression for it, cast to its type."""

    __slots__ = ("base", "expression", "translator")

    def __init__(self, span: Span, base: Value, translator: Translator, name: str, type_: Type) -> None:
        super().__init__(span, type_, base.attributes)
        self.base = base
        self.translator = translator
        self.expression = translator.members[name]

    def describe(self) -> str:
        return "operator ->"


class ParameterValue(Value):
    """A parameter of an inline or the input of a translator."""

    __slots__ = ("parameter",)

    def __init__(self, span: Span, parameter: Parameter) -> None:
        super().__init__(span, parameter.type)
        self.parameter = parameter
        self.lvalue = True

    def describe(self) -> str:
        return f"scalar {self.parameter.name}"


class Inlined(Value):
    """The use of an inline: its body with arguments in place of parameters, cast to its type."""

    __slots__ = ("arguments", "inline")

    def __init__(self, span: Span, inline: Inline, arguments: list[Value]) -> None:
        super().__init__(span, inline.type, inline.attributes)
        self.inline = inline
        self.arguments = arguments
        self.lvalue = True
        self.writable = inline.writable
        self.user = inline.body.user

    def describe(self) -> str:
        return f"scalar {self.inline.name}"


def translated(value: Value) -> Translated | None:
    """The translation that a value or the body of an inline is; None if it is not translated."""
    if isinstance(value, Translated):
        return value
    if isinstance(value, Inlined):
        return translated(value.inline.body)
    return None


def through_inlines(value: Value) -> Value:
    """What a value stands for: the body of the inline that it is, or the value itself."""
    return through_inlines(value.inline.body) if isinstance(value, Inlined) else value
