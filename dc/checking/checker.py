"""The checker: syntax tree → typed tree.

It resolves every name, gives every expression its type by D's rules, folds
constants, and reports what is wrong with its D_* tag and place.  Operators,
calls and declarations have files of their own; each gets the `Checker` for
what they share: the names, the types, the probe that is being compiled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from dc.checking import calls, conversions, operators
from dc.checking.typed import (
    AggregationValue,
    Constant,
    Inlined,
    Scalar,
    StringConstant,
    SymbolValue,
)
from dc.diagnostics import Span, did_you_mean, error
from dc.names.builtins import PRIVATE, UNSTABLE
from dc.names.catalog import ProbeInfo, Symbol
from dc.names.identifiers import Function, Inline, Names, Parameter, Variable
from dc.names.linkmode import PROGRAM
from dc.names.sessioncatalog import SessionCatalog
from dc.names.stability import spell
from dc.names.values import Value
from dc.source import tree as syntax
from dc.types.declarations import Declarations
from dc.types.scopes import Scope
from dc.types.types import Type
from dif import isa
from dif.light import contextmanager
from dif.records import Record
from dof.model import Attributes, ProbeDesc

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from typing import Any


class ProbeContext(Record):
    """The probe description a clause is being compiled for.

    `probe` is a representative of what it matches, None where no one probe
    can stand for all; `attributes` the description's stability, and `provider`
    its provider's (of provider, module, function, name, arguments).
    """

    description: ProbeDesc
    probe: ProbeInfo | None = None
    attributes: Attributes = UNSTABLE
    provider: tuple[Attributes, ...] = (UNSTABLE,) * 5


class Checker:
    """Checks expressions against the names and types known so far."""

    def __init__(self, names: Names, scope: Scope, catalog: SessionCatalog, *,
                 has_target: bool = False) -> None:
        self.names = names
        self.scope = scope
        self.catalog = catalog
        self.has_target = has_target  # a victim process: %A accepts any address
        self.minimum: Attributes | None = None  # -x amin
        self.context: ProbeContext | None = None
        self.externals: dict[str, Type] = {}  # `extern` declarations: ``name is a program's symbol
        self.declarations = Declarations(scope, self.constant,
                                         lambda name: names.find(name) is not None)
        self.int = scope.basic("int")
        self.dynamic = scope.basic("<DYN>")

    @property
    def string(self) -> Type:
        return self.scope.basic("string")

    # Entry points ---------------------------------------------------------------------------------

    def value(self, node: syntax.Node, *, reads: bool = True) -> Value:
        """The typed form of an expression.

        `reads` is False where the expression names something that is about to
        be created or assigned.  Raises diagnostics.CompileError.
        """
        try:
            checked = _CHECKS[type(node)](self, node, reads)
        except RecursionError:
            raise error("D_SYNTAX", node.span, "expression is nested too deeply") from None
        self.require_stability(checked)
        return checked

    def values(self, nodes: list[syntax.Expression]) -> list[Value]:
        return [self.value(node) for node in nodes]

    def type_of(self, node: syntax.TypeName) -> Type:
        """The type that a type name spells."""
        return self.declarations.type_name(node)

    def constant(self, node: syntax.Expression) -> int | None:
        """The value of an integer constant expression (signed where its type is), or None."""
        checked = self.value(node)
        if not isinstance(checked, Constant):
            return None
        return checked.value - (1 << 64) if checked.type.is_signed() and checked.value >> 63 \
            else checked.value

    def type_named(self, name: str, span: Span) -> Type:
        """A type the language itself relies on."""
        found = self.scope.lookup(name)
        if found is None:
            raise error("D_TYPE_ERR", span, f"there is no type {name}, on which D relies")
        return found

    def require_stability(self, value: Value) -> None:
        """-x amin: refuse what is less stable than asked for."""
        if self.minimum is not None and any(
                have < need for have, need in zip(value.attributes, self.minimum, strict=True)):
            raise error("D_ATTR_MIN", value.span, f"{value.describe()} is {spell(value.attributes)}, less "
                        "stable than -x amin demands")

    @contextmanager
    def parameters(self, parameters: dict[str, Parameter]) -> Iterator[None]:
        """Let parameters of an inline or a translator hide other names."""
        self.names.parameters.append(parameters)
        try:
            yield
        finally:
            self.names.parameters.pop()

    # Names ----------------------------------------------------------------------------------------

    def identifier(self, node: syntax.Identifier, reads: bool) -> Value:
        if "`" in node.name:
            return self._symbol(node)
        found = self.names.find(node.name)
        if found is None:
            return self._enumerator(node)
        if isinstance(found, Parameter):
            return operators.parameter(node.span, found)
        if isinstance(found, Function) or found.role.value != "scalar" or node.name in ("self", "this"):
            role = "pointer" if node.name in ("self", "this") else found.role.value
            raise error("D_IDENT_BADREF", node.span,
                        f"{node.name} is no variable with a value but a {role}")
        if isinstance(found, Inline):
            return self.inlined(node.span, found, [])
        return self.scalar(node.span, found, reads)

    def inlined(self, span: Span, inline: Inline, arguments: list[Value]) -> Value:
        if isinstance(inline.body, Constant):
            return Constant(span, inline.body.type, inline.body.value, inline.attributes)
        return Inlined(span, inline, arguments)

    def scalar(self, span: Span, variable: Variable, reads: bool) -> Value:
        """A reference to a scalar variable."""
        if reads:
            if variable.untouched:
                others = [each.spelling for each in self.names.table(variable.scope).values()
                          if isinstance(each, Variable) and not each.untouched]
                raise error("D_VAR_UNDEF", span,
                            f"{variable.spelling} is used before anything is assigned to it",
                            *did_you_mean(variable.spelling, others))
            variable.referenced = True
        if variable.builtin is not None and variable.type is None:
            self._settle_builtin(span, variable)
        return Scalar(span, variable, variable.type or self.dynamic)

    def _settle_builtin(self, span: Span, variable: Variable) -> None:
        assert variable.builtin is not None
        name = variable.builtin.prototype
        variable.type = self.scope.lookup(name)
        if variable.type is None:
            raise error("D_UNKNOWN", span, f"{variable.name} is of type {name}, which is not known "
                        "here")

    def _enumerator(self, node: syntax.Identifier) -> Value:
        found = self.scope.enumerator(node.name)
        if found is None:
            from dc.names.similarnames import similar_value
            from dc.types.similartypes import similar_type

            raise error("D_IDENT_UNDEF", node.span, f"there is no variable {node.name}",
                        *similar_value(self.names, self.scope, node.name)
                        or similar_type(self.scope, node.name))
        return Constant(node.span, found[1], found[0])

    def _symbol(self, node: syntax.Identifier) -> Value:
        """module`symbol, `symbol; ``symbol is one of the program that the D program is linked into."""
        module, _, name = node.name.rpartition("`")
        external = self.externals.get(name) if module == "`" else None
        if external is not None:
            value = SymbolValue(node.span, Symbol(name, PROGRAM, 0, external.size), external, PRIVATE)
            value.user = True
            return value
        symbol = self.catalog.symbol(module.rstrip("`") or None, name)
        if symbol is not None and module.endswith("`"):
            raise error("D_SYM_BADREF", node.span, f"``{symbol.name} would be a program's symbol, and "
                        f"{symbol.module}`{symbol.name} is the kernel's")
        if symbol is None:
            from dc.names.similarnames import similar_symbol

            raise error("D_IDENT_UNDEF", node.span, f"there is no symbol {module}`{name}",
                        *similar_symbol(self.catalog, module.rstrip("`") or None, name))
        type_ = self.scope.lookup(symbol.type) if isinstance(symbol.type, str) else symbol.type
        if type_ is None:
            raise error("D_SYM_NOTYPES", node.span, f"the type of {symbol.module}`{symbol.name} is not "
                        "known")
        return SymbolValue(node.span, symbol, type_, PRIVATE)

    def local(self, node: syntax.Member, scope: int, reads: bool) -> Value:
        """self->name or this->name, created on first sight."""
        variable = self.names.table(scope).get(node.name)
        if variable is None:
            variable = self.names.create(node.name, scope, node.span)
        if variable.array:
            return self.scalar(node.span, variable, False)
        return self.scalar(node.span, variable, reads)

    def aggregation(self, node: syntax.Aggregation, reads: bool) -> Value:
        known = node.name in self.names.aggregations
        if reads and not known:
            raise error("D_IDENT_UNDEF", node.span, f"there is no aggregation @{node.name}",
                        *did_you_mean(node.name, self.names.aggregations, spelt=lambda name: f"@{name}"))
        return AggregationValue(node.span, self.names.aggregation(node.name, node.span), self.dynamic)

    def member(self, node: syntax.Member, reads: bool) -> Value:
        if node.arrow and isinstance(node.base, syntax.Identifier) and node.base.name in ("self", "this"):
            scope = isa.SCOPE_THREAD if node.base.name == "self" else isa.SCOPE_LOCAL
            return self.local(node, scope, reads)
        return operators.member(self, node)

    # Constants -----------------------------------------------------------------------------------

    def integer(self, node: syntax.Integer, reads: bool) -> Value:
        type_ = self.scope.integer_constant(node.value, node.suffix, node.decimal)
        if type_ is None:
            raise error("D_INT_OFLOW", node.span, f"{node.value} is too large for a signed type: add a U")
        value = Constant(node.span, type_, node.value)
        return operators.negated(value) if node.negative else value

    def string_constant(self, node: syntax.String, reads: bool) -> Value:
        return StringConstant(node.span, self.string, node.value)


def _xlate(checker: Checker, node: syntax.Xlate, reads: bool) -> Value:
    from dc.checking.translation import xlate  # late, as few programs translate

    return xlate(checker, node, reads)


_CHECKS: dict[type, Callable[[Checker, Any, bool], Value]] = {
    syntax.Integer: Checker.integer,
    syntax.String: Checker.string_constant,
    syntax.Identifier: Checker.identifier,
    syntax.Aggregation: Checker.aggregation,
    syntax.Member: Checker.member,
    syntax.Index: operators.index,
    syntax.Call: calls.call,
    syntax.Step: operators.step,
    syntax.Unary: operators.unary,
    syntax.Binary: operators.binary,
    syntax.Assign: operators.assign,
    syntax.Conditional: operators.conditional,
    syntax.Cast: conversions.cast,
    syntax.Sizeof: conversions.sizeof,
    syntax.Stringof: conversions.stringof,
    syntax.Offsetof: conversions.offsetof,
    syntax.Xlate: _xlate,
}
