"""The checker: syntax tree → typed tree.

It resolves every name, gives every expression its type by D's rules (ISO C 6.5 and K&R A7, with
strings), folds constants, and reports what is wrong with its D_* tag and place.

`Checker.value` is the way in: a table at the end of the file says which method checks which form of
the syntax tree.  Each method checks the parts of a form first and then makes the typed node of the
whole.  A name may be created on the way: D declares a variable by assigning to it, so the left
side of an assignment, the operand of ++ and the base of a subscript are checked with `reads` False.
The rules that need no names (what converts to what, what an operator's result is) are rules.py's.
"""

from __future__ import annotations

from collections.abc import Callable

from dc.checking import rules
from dc.checking.conversions import assigned, cast_constant, common, converted, promoted, wrapped
from dc.checking.typed import (
    AddressOf,
    AggregationValue,
    Assign,
    Binary,
    BuiltinElement,
    Cast,
    Conditional,
    Constant,
    Dereference,
    Element,
    FunctionCall,
    Gathered,
    Held,
    Inlined,
    MemberAccess,
    ParameterValue,
    Scalar,
    StringConstant,
    Stringof,
    SymbolValue,
    Translated,
    TranslatedMember,
    Unary,
    through_inlines,
    translated,
)
from dc.diagnostics import NOWHERE, CompileError, Span, did_you_mean, error, with_article
from dc.names.builtins import PRIVATE, STABLE, UNSTABLE, Role, weakest
from dc.names.catalog import UNREACHABLE, Argument, ProbeInfo, Symbol
from dc.names.identifiers import Function, Inline, Names, Parameter, Signature, Translator, Variable, spelt
from dc.names.linkmode import PROGRAM
from dc.names.sessioncatalog import SessionCatalog
from dc.names.values import Value
from dc.source import tree as syntax
from dc.stability import HIGHEST, spell
from dc.types.declarations import Declarations
from dc.types.scopes import PROGRAMS, Scope
from dc.types.types import Array, Enum, Pointer, Record, Type, compatible
from dif import isa, records
from dif.arithmetic import fold, taken
from dof.model import Attributes, ProbeDesc

_SHIFTS = ("<<", ">>")
_LOGICAL = ("&&", "||", "^^")
_COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
_WANTED = {"D_OP_ARITH": "arithmetic values", "D_OP_INT": "integers", "D_OP_SCALAR": "integers and pointers"}


class ProbeContext(records.Record):
    """The probe description that a clause is being compiled for.

    `probe` stands for all probes that it matches; None where they may differ.
    `attributes` is the stability of the description, `provider` that of its
    provider (for provider, module, function, name and arguments).
    """

    description: ProbeDesc
    probe: ProbeInfo | None = None
    attributes: Attributes = UNSTABLE
    provider: tuple[Attributes, ...] = (UNSTABLE,) * 5


class Checker:
    """Checks expressions against the names and types known so far.

    `context` is the probe description for which a clause is checked, None outside of clauses;
    `minimum` is the least stability that -x amin allows.
    """

    def __init__(self, names: Names, scope: Scope, catalog: SessionCatalog) -> None:
        self.names = names
        self.scope = scope
        self.catalog = catalog
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

    # -- entry points ----------------------------------------------------------------------------------

    def value(self, node: syntax.Node, *, reads: bool = True) -> Value:
        """The typed tree of an expression.

        `reads` is False if the expression names a variable that is about to be
        created or assigned.  Raises CompileError.
        """
        try:
            checked = _CHECKS[type(node)](self, node, reads)
        except RecursionError:
            raise error("D_SYNTAX", node.span, "expression is nested too deeply") from None
        self.require_stability(checked)
        return checked

    def check_early(self, clause: syntax.Clause) -> None:
        """Check all that needs no types, before any clause is compiled.

        Raises D_FUNC_* for calls of unknown functions, D_DIV_ZERO for divisions by the constant 0.
        """
        pending: list[syntax.Node] = [clause]
        while pending:
            each = pending.pop()
            if isinstance(each, syntax.Call):
                self._find_function(each)
            elif isinstance(each, syntax.Binary | syntax.Assign):
                _check_divisor(each)
            pending.extend(reversed(list(each.children())))

    def _values(self, nodes: list[syntax.Expression]) -> list[Value]:
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
        """A type that the language itself relies on.  Raises D_TYPE_ERR."""
        found = self.scope.lookup(name)
        if found is None:
            raise error("D_TYPE_ERR", span, f"there is no type {name}, on which D relies")
        return found

    def require_stability(self, value: Value) -> None:
        """Raise D_ATTR_MIN for a value that is less stable than -x amin demands."""
        if self.minimum is not None and any(
                have < need for have, need in zip(value.attributes, self.minimum, strict=True)):
            raise error("D_ATTR_MIN", value.span, f"{value.describe()} is {spell(value.attributes)}, less "
                        "stable than -x amin demands")

    def value_with(self, parameters: dict[str, Parameter], node: syntax.Expression) -> Value:
        """The typed tree of an expression in which the parameters of an inline or a translator hide other
        names.  Raises CompileError.
        """
        self.names.parameters.append(parameters)
        try:
            return self.value(node)
        finally:
            self.names.parameters.pop()

    # -- names -----------------------------------------------------------------------------------------

    def _identifier(self, node: syntax.Identifier, reads: bool) -> Value:
        if "`" in node.name:
            return self._symbol(node)
        found = self.names.find(node.name)
        if found is None:
            return self._enumerator(node)
        if isinstance(found, Parameter):
            return ParameterValue(node.span, found)
        if isinstance(found, Function) or found.role != "scalar" or node.name in ("self", "this"):
            role = "pointer" if node.name in ("self", "this") else found.role
            raise error("D_IDENT_BADREF", node.span,
                        f"{node.name} is no variable with a value but {with_article(role)}")
        if isinstance(found, Inline):
            return self._inlined(node.span, found, [])
        return self._scalar(node.span, found, reads)

    def _inlined(self, span: Span, inline: Inline, arguments: list[Value]) -> Value:
        if isinstance(inline.body, Constant):
            return Constant(span, inline.body.type, inline.body.value, inline.attributes)
        return Inlined(span, inline, arguments)

    def _scalar(self, span: Span, variable: Variable, reads: bool) -> Value:
        """A reference to a scalar variable."""
        if reads:
            if variable.untouched:
                others = {name: each.spelling for name, each in self.names.table(variable.scope).items()
                          if isinstance(each, Variable) and not each.untouched}
                raise error("D_VAR_UNDEF", span,
                            f"{variable.spelling} is used before anything is assigned to it",
                            *did_you_mean(variable.name, others, spelt=others.__getitem__))
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

    def _local(self, node: syntax.Member, scope: int) -> Variable:
        """The variable self->name or this->name, created on first sight."""
        return self.names.table(scope).get(node.name) or self.names.create(node.name, scope, node.span)

    def _aggregation(self, node: syntax.Aggregation, reads: bool) -> Value:
        known = node.name in self.names.aggregations
        if reads and not known:
            raise error("D_IDENT_UNDEF", node.span, f"there is no aggregation {spelt(node.name)}",
                        *did_you_mean(node.name, self.names.aggregations, spelt=spelt))
        return AggregationValue(node.span, self.names.aggregation(node.name, node.span), self.dynamic)

    def _member(self, node: syntax.Member, reads: bool) -> Value:
        scope = _own_scope(node)
        if scope is not None:
            variable = self._local(node, scope)
            if variable.array:
                raise error("D_IDENT_BADREF", node.span,
                            f"{variable.spelling} is no variable with a value but an associative array")
            return self._scalar(node.span, variable, reads)
        if isinstance(node.base, syntax.Identifier) and node.base.name in ("self", "this"):
            raise error("D_IDENT_BADREF", node.base.span,
                        f"{node.base.name} is no variable with a value but a pointer",
                        f"did you mean `{node.base.name}->{node.name}`?")
        return self._access(node)

    # -- constants -------------------------------------------------------------------------------------

    def _integer(self, node: syntax.Integer, reads: bool) -> Value:
        type_ = self.scope.integer_constant(node.value, node.suffix, node.decimal)
        if type_ is None:
            raise error("D_INT_OFLOW", node.span, f"{node.value} is too large for a signed type: add a U")
        value = Constant(node.span, type_, node.value)
        return _fold_unary(node.span, "-", value, type_) if node.negative else value

    def _string_constant(self, node: syntax.String, reads: bool) -> Value:
        return StringConstant(node.span, self.string, node.value)

    # -- calls -----------------------------------------------------------------------------------------

    def _find_function(self, node: syntax.Call) -> Function:
        """The function a call names.  Raises D_FUNC_*."""
        if not isinstance(node.function, syntax.Identifier):
            raise error("D_FUNC_IDENT", node.span, "only a function, by its name, can be called")
        name = node.function.name
        found = self.names.find(name)
        if found is None:
            if name.endswith("_t"):  # a cast, (nosuch_t)(x), reads as a call
                raise error("D_FUNC_UNDEF", node.span, f"there is no type and no function {name}",
                            *self._similar_types(name))
            raise error("D_FUNC_UNDEF", node.span, f"there is no function {name}",
                        *did_you_mean(name, self.names.known()))
        if not isinstance(found, Function):
            role = "scalar" if isinstance(found, Parameter) else found.role
            raise error("D_FUNC_IDKIND", node.span, f"{name} is no function but {with_article(role)}")
        return found

    def _call(self, node: syntax.Call, reads: bool) -> Value:
        function = self._find_function(node)
        arguments = self._values(node.arguments)
        signature = function.signature(self.scope)
        _check_call(function.name, signature, arguments, node.span)
        type_ = self.dynamic if function.role == Role.AGGREGATING else signature.returns
        value = FunctionCall(node.span, function, arguments, type_)
        value.attributes = weakest(value.attributes, *(each.attributes for each in arguments))
        return value

    # -- associative arrays, aggregations, args[] and register arrays ----------------------------------

    def _index(self, node: syntax.Index, reads: bool) -> Value:
        """base[...]: an associative array's element, an aggregation's tuple, or *(base + index)."""
        base = self._index_base(node)
        if isinstance(base, AggregationValue):
            if base.keys is not None:
                raise error("D_AGG_MDIM", node.span,
                            f"the keys of {base.aggregation.spelling} go between one pair of brackets")
            base.keys = self._values(node.indices)
            base.attributes = weakest(base.attributes, *(each.attributes for each in base.keys))
            return base
        if isinstance(base, Inline):
            arguments = self._values(node.indices)
            wanted = [each.type for each in base.parameters or []]
            _check_keys(f"{base.name}[ ]", wanted, arguments, node.span)
            return self._inlined(node.span, base, arguments)
        if isinstance(base, Variable):
            return self._element(node, base, reads)
        if len(node.indices) > 1:
            raise error("D_ARR_BADREF", node.span,
                        f"{base.describe()} is no associative array: one index only")
        offset = self.value(node.indices[0])
        try:
            type_ = self._binary_type(node.span, "+", base, offset)
        except CompileError as failure:
            raise error(failure.tag, node.span, f"{base.describe()} is {base.type_name}, no array with "
                        f"elements for {offset.type_name}") from None
        total = Binary(node.span, "+", base, offset, type_)
        total.user = base.user or offset.user
        return self._dereference(node.span, total)

    def _index_base(self, node: syntax.Index) -> Value | Variable | Inline:
        """The base: an array variable, created if need be, or any value."""
        base = node.base
        if isinstance(base, syntax.Identifier) and "`" not in base.name:
            found = self.names.find(base.name)
            if found is None and self.scope.enumerator(base.name) is None:
                return self.names.create(base.name, isa.SCOPE_GLOBAL, base.span, array=True)
            if isinstance(found, Variable) and found.untouched and found.builtin is None:
                found.array = True
            if (isinstance(found, Variable) and found.array) or \
                    (isinstance(found, Inline) and found.parameters is not None):
                return found
        scope = _own_scope(base)
        if scope is not None:
            assert isinstance(base, syntax.Member)
            variable = self._local(base, scope)
            if variable.untouched:
                if scope == isa.SCOPE_LOCAL:
                    raise error("D_ARR_LOCAL", node.span,
                                f"this->{variable.name} cannot be an associative array: it is clause-local")
                variable.array = True
            if variable.array:
                return variable
        value = self.value(base, reads=False)
        if isinstance(value, Scalar):
            value.variable.referenced = True
        return value

    def _element(self, node: syntax.Index, variable: Variable, reads: bool) -> Value:
        """variable[keys] of an associative or built-in array."""
        if variable.builtin is not None:
            index = self._constant_index(node, variable)
            if variable.builtin.prototype == "@args":
                return self._argument(node.span, variable, index)
            return self._register(node.span, variable, index)
        if reads and variable.untouched:
            raise error("D_VAR_UNDEF", node.span,
                        f"{variable.spelling} is used before anything is assigned to it")
        keys = self._values(node.indices)
        if variable.keys is None:
            variable.keys = _key_types(keys, "associative array")
        else:
            _check_keys(f"{variable.name}[ ]", variable.keys, keys, node.span)
        if reads:
            variable.referenced = True
        value = Element(node.span, variable, keys, variable.type or self.dynamic)
        value.attributes = weakest(value.attributes, *(each.attributes for each in keys))
        return value

    def _aggregate(self, node: syntax.Assign, name: syntax.Aggregation) -> Value:
        """@name[keys] = function(...): the function first, then the keys."""
        value = self.value(node.value)
        if not isinstance(value, FunctionCall) or value.function.role != Role.AGGREGATING:
            raise error("D_AGG_FUNC", node.span,
                        f"only what an aggregating function makes can be assigned to {spelt(name.name)}")
        aggregation = self.names.aggregation(name.name, name.span)
        previous = aggregation.function
        if previous is not None and previous is not value.function:
            raise error("D_AGG_REDEF", node.span, f"{spelt(name.name)} is {value.function.name}( ) here and "
                        f"{previous.name}( ) in line {aggregation.span.line}")
        aggregation.function = value.function
        target = self.value(node.target, reads=False)
        assert isinstance(target, AggregationValue)
        target.function = value
        target.keys = target.keys or []
        if aggregation.keys is None:
            aggregation.keys = _key_types(target.keys, "aggregation")
        else:
            _check_keys(f"{spelt(name.name)}[ ]", aggregation.keys, target.keys, node.span)
        aggregation.modified = True
        return target

    def _constant_index(self, node: syntax.Index, variable: Variable) -> Constant:
        name = variable.name
        if len(node.indices) != 1:
            raise error("D_PROTO_LEN", node.span, f"{name}[ ] takes one index, and here are "
                        f"{len(node.indices)}")
        index = self.value(node.indices[0])
        if not isinstance(index, Constant):
            raise error("D_PROTO_ARG", node.span, f"{name}[ ] takes an integer constant as its index, and "
                        f"this is {index.type_name}")
        return index

    def _register(self, span: Span, variable: Variable, index: Constant) -> Value:
        if index.type.is_signed() and index.value >> 63:
            raise error("D_REGS_IDX", span,
                        f"{variable.name}[ ] has no element {index.value - (1 << 64)}")
        variable.type = self.type_named("uint64_t", span)
        return BuiltinElement(span, variable, index.value, variable.type)

    # -- unary operators -------------------------------------------------------------------------------

    def _unary(self, node: syntax.Unary, reads: bool) -> Value:
        operand = self._unary_operand(node.operand)
        if node.op == "*":
            return self._dereference(node.span, operand)
        if node.op == "&":
            return self._address_of(node.span, operand)
        if node.op in "+-" and not operand.type.is_integer():
            _refuse("D_OP_ARITH", node.span, node.op, operand)
        if node.op == "~" and not operand.type.is_integer():
            _refuse("D_OP_INT", node.span, node.op, operand)
        if node.op == "!" and not operand.type.is_scalar():
            _refuse("D_OP_SCALAR", node.span, node.op, operand)
        type_ = self.int if node.op == "!" else promoted(operand.type, self.scope)
        if isinstance(operand, Constant):
            return _fold_unary(_with_operator(node.span, operand.span), node.op, operand, type_)
        return Unary(node.span, node.op, operand, type_)

    def _unary_operand(self, node: syntax.Expression) -> Value:
        """The operand of a unary operator, which may be the first use of a variable."""
        operand = self.value(node, reads=False)
        if isinstance(operand, Scalar | Element):
            self._settle_first_seen(operand)
            operand.variable.referenced = True
        return operand

    def _settle_first_seen(self, operand: Scalar | Element) -> None:
        """Make a variable an int64_t that has no type yet when a unary operator uses it."""
        variable = operand.variable
        if variable.type is None or variable.untouched:
            _settle(operand, self.type_named("int64_t", operand.span))

    def _dereference(self, span: Span, operand: Value) -> Value:
        """*operand."""
        translation = translated(operand)
        if translation is not None and translation.pointer:
            result = rules.target_of(translation.result)
            assert result is not None
            value = Dereference(span, operand, result)
            value.lvalue = True
            return value
        target = rules.target_of(operand.type) if rules.is_pointer(operand.type) else None
        if operand.type.is_string():
            target = self.scope.basic("char")
        if target is None:
            raise error("D_DEREF_NONPTR", span, f"{operand.type_name} is no pointer")
        if target.is_void():
            raise error("D_DEREF_VOID", span, "a pointer to void does not say what it points to",
                        "a cast can")
        if target.is_function():
            raise error("D_DEREF_FUNC", span, "a function is no value that could be read")
        value = Dereference(span, operand, target)
        value.lvalue = not target.is_array()
        value.writable = operand.writable or (isinstance(operand, Binary) and operand.op == "+"
                                              and operand.left.writable)
        value.user = _is_theirs(target, operand.user)
        return value

    def _address_of(self, span: Span, operand: Value) -> Value:
        if isinstance(operand, _VARIABLES):
            raise error("D_ADDROF_VAR", span, "variables of D have no address")
        if rules.has_no_type(operand):
            raise error("D_ADDROF_VAR", span, "what a translator makes has no address")
        if not operand.lvalue:
            raise error("D_ADDROF_LVAL", span, "only what lies in memory has an address")
        if operand.type.is_bitfield():
            raise error("D_ADDROF_BITFIELD", span, "a bit-field has no address")
        return AddressOf(span, operand, self.scope.pointer(operand.type))

    def _step(self, node: syntax.Step, reads: bool) -> Value:
        """++ and --, which may create the variable they step."""
        operand = self._target(node.operand)
        if isinstance(operand, Scalar | Element):
            self._settle_first_seen(operand)
            operand.variable.referenced = operand.variable.modified = True
        if not operand.type.is_scalar():
            _refuse("D_OP_SCALAR", node.span, node.op, operand)
        if rules.is_opaque_pointer(operand.type):
            raise error("D_OP_VFPTR", node.span, f"operator {node.op} does not know how large "
                        f"what {operand.type_name} points to is")
        _require_writable(node.span, node.op, operand)
        one = Constant(node.span, self.int, 1)
        return self._compound(node.span, node.op, operand, one, postfix=not node.prefix)

    def _target(self, node: syntax.Expression) -> Value:
        """The left side of an assignment: a name that is not known yet becomes a global scalar.

        The kernel's enumerators give way to variables; the program's own do not.
        """
        if isinstance(node, syntax.Identifier) and "`" not in node.name \
                and self.names.find(node.name) is None and not self._is_own_enumerator(node.name):
            self.names.create(node.name, isa.SCOPE_GLOBAL, node.span)
        return self.value(node, reads=False)

    def _is_own_enumerator(self, name: str) -> bool:
        found = self.scope.enumerator(name)
        return found is not None and found[1].module in PROGRAMS

    # -- binary operators ------------------------------------------------------------------------------

    def _binary(self, node: syntax.Binary, reads: bool) -> Value:
        op = node.op
        left = self.value(node.left)
        if op in _COMPARISONS:
            right = self._comparand(left, node)
        else:
            right = self.value(node.right)
        if op in "/%" and rules.is_zero(right):
            raise error("D_DIV_ZERO", node.span, "this divides by zero")
        if op == ",":
            return _comma(node.span, left, right)
        return self._operation(node.span, op, left, right)

    def _operation(self, span: Span, op: str, left: Value, right: Value) -> Value:
        """An operator with its operands, which it takes in their common type."""
        type_ = self._binary_type(span, op, left, right)
        operands = type_
        if op not in _LOGICAL and op not in _SHIFTS and left.type.is_integer() and right.type.is_integer():
            operands = common(left.type, right.type, self.scope)
            left, right = converted(left, operands), converted(right, operands)
        elif op in _COMPARISONS:
            operands = right.type if left.type.is_integer() else left.type
        if isinstance(left, Constant) and isinstance(right, Constant):
            folded = _fold_binary(op, left, right, type_, operands)
            if folded is not None:
                return folded
        value = Binary(span, op, left, right, type_, operands)
        if type_.is_pointer():
            value.user = left.user or right.user
            value.writable = (left if rules.is_pointer(left.type) else right).writable
        return value

    def _binary_type(self, span: Span, op: str, left: Value, right: Value) -> Type:
        if op in _LOGICAL:
            if span == right.span and not right.type.is_scalar():  # `1 && test`, which `if (test)` became
                raise error("D_OP_SCALAR", span,
                            f"a condition is true or false, and this is {right.type_name}")
            if not left.type.is_scalar() or not right.type.is_scalar():
                _refuse("D_OP_SCALAR", span, op, left, right)
            return self.int
        if op in _COMPARISONS:
            if not _comparable(left, right):
                _incompatible(span, op, left, right)
            return self.int
        if op in "+-":
            return self._additive_type(span, op, left, right)
        if op in "*/":
            if not left.type.is_integer() or not right.type.is_integer():
                _refuse("D_OP_ARITH", span, op, left, right)
        elif not left.type.is_integer() or not right.type.is_integer():
            _refuse("D_OP_INT", span, op, left, right)
        if op in _SHIFTS:
            return promoted(left.type, self.scope)
        return common(left.type, right.type, self.scope)

    def _additive_type(self, span: Span, op: str, left: Value, right: Value) -> Type:
        left_pointer = left.type.is_string() or (rules.is_pointer(left.type)
                                                 and not rules.is_opaque_pointer(left.type))
        right_pointer = right.type.is_string() or (rules.is_pointer(right.type)
                                                   and not rules.is_opaque_pointer(right.type))
        if left.type.is_integer() and right.type.is_integer():
            return common(left.type, right.type, self.scope)
        if left_pointer and right.type.is_integer():
            return left.type
        if left.type.is_integer() and right_pointer and op == "+":
            return right.type
        if not (left_pointer and right_pointer and op == "-") or rules.common_pointer(left, right) is None:
            _incompatible(span, op, left, right)
        return self.type_named("ptrdiff_t", span)

    def _comparand(self, left: Value, node: syntax.Binary) -> Value:
        """The right side of a comparison, which may be a bare enumerator of the left side's type."""
        base = left.type.resolve()
        right = node.right
        values = (base.values or {}) if isinstance(base, Enum) else {}
        if isinstance(right, syntax.Identifier) and right.name in values:
            if self.names.find(right.name) is not None:
                raise error("D_IDENT_AMBIG", node.span, f"{right.name} may be the variable or one of "
                            f"{left.type_name}'s enumerators")
            return Constant(right.span, left.type, values[right.name], self._type_stability(base))
        return self.value(right)

    def _type_stability(self, type_: Type) -> Attributes:
        """The stability of a type that an expression names: that of a kernel's may change."""
        return STABLE if self.scope.is_of_programs(type_) else PRIVATE

    def _conditional(self, node: syntax.Conditional, reads: bool) -> Value:
        test = self.value(node.test)
        if isinstance(test, Constant):  # the other operand may be anything
            return self.value(node.then if test.value else node.otherwise)
        then, otherwise = self.value(node.then), self.value(node.otherwise)
        if not test.type.is_scalar():
            raise error("D_OP_SCALAR", node.span,
                        f"a condition is true or false, and this is {test.type_name}")
        if rules.has_no_type(then) or rules.has_no_type(otherwise):
            raise error("D_OP_DYN", node.span, "operator ?: is not for what a translator makes")
        if _is_action(then) or _is_action(otherwise):
            raise error("D_OP_ACT", node.span, "actions are statements: `if` makes them conditional")
        type_: Type | None
        is_same = compatible(then.type, otherwise.type)
        if then.type.is_integer() and otherwise.type.is_integer() \
                and not (is_same and isinstance(then.type.resolve(), Enum)):
            type_ = common(then.type, otherwise.type, self.scope)
            then, otherwise = converted(then, type_), converted(otherwise, type_)
        elif is_same:
            type_ = then.type
        elif rules.is_string_like(then.type) and rules.is_string_like(otherwise.type) \
                and (then.type.is_string() or otherwise.type.is_string()):
            type_ = self.string
        else:
            type_ = rules.common_pointer(then, otherwise)
        if type_ is None:
            raise error("D_OP_INCOMPAT", node.span, f"types that do not go together: "
                        f'"{then.type_name}" : "{otherwise.type_name}"')
        value = Conditional(node.span, test, then, otherwise, type_)
        value.user = then.user and otherwise.user
        return value

    # -- assignment ------------------------------------------------------------------------------------

    def _assign(self, node: syntax.Assign, reads: bool) -> Value:
        if node.op == "=":
            return self._plain_assign(node)
        op = node.op[:-1]
        target = self._target(node.target)
        if isinstance(target, AggregationValue):
            raise error("D_VAR_UNDEF", node.target.span, f"{node.op} is not for aggregations: "
                        f"{target.aggregation.spelling} takes =, and then count( ), sum( ) or the like")
        if isinstance(target, Scalar | Element):
            variable = target.variable
            if variable.untouched or variable.type is None:
                raise error("D_VAR_UNDEF", node.target.span,
                            f"{variable.spelling} is used before anything is assigned to it")
            variable.referenced = variable.modified = True
        value = self.value(node.value)
        if op in "/%" and rules.is_zero(value):
            raise error("D_DIV_ZERO", node.span, "this divides by zero")
        if op in "+-":
            _check_additive(node.span, node.op, target, value)
        elif op in "*/":
            if not target.type.is_integer() or not value.type.is_integer():
                _refuse("D_OP_ARITH", node.span, node.op, target, value)
        elif not target.type.is_integer() or not value.type.is_integer():
            _refuse("D_OP_INT", node.span, node.op, target, value)
        _require_writable(node.span, node.op, target)
        return self._compound(node.span, node.op, target, value)

    def _compound(self, span: Span, op: str, target: Value, value: Value, *, postfix: bool = False) -> Value:
        """target op= value; ++ and --."""
        held = Held(target.span, through_inlines(target).type, target.attributes)
        held.user, held.writable = target.user, target.writable
        operator = op[:-1] if op[-1] == "=" else op[0]
        result = self._operation(span, operator, converted(held, target.type), value)
        return Assign(span, op, target, assigned(target, result), held, postfix)

    def _plain_assign(self, node: syntax.Assign) -> Value:
        name = node.target.base if isinstance(node.target, syntax.Index) else node.target
        if isinstance(name, syntax.Aggregation):
            return self._aggregate(node, name)
        target = self._target(node.target)
        value = self.value(node.value)
        translation = translated(value)
        source = translation.result if translation is not None and not translation.pointer else value.type
        if isinstance(target, Scalar | Element) \
                and (target.variable.untouched or rules.is_dynamic(target.type)):
            _settle(target, source)
            target.user = target.variable.user = value.user
        if isinstance(target, Scalar | Element):
            target.variable.modified = True
        if not target.type.is_string() and (target.type.is_array() or target.type.is_function()):
            raise error("D_OP_ARRFUN", node.span, "operator = cannot change a whole "
                        f"{target.type_name}")
        fits = translation is not None and not translation.pointer and compatible(target.type, source)
        if not fits and not rules.is_assignable(target.type, value, user=target.user):
            _incompatible(node.span, "=", target, value)
        _require_writable(node.span, "=", target)
        return Assign(node.span, "=", target, assigned(target, value))

    # -- members ---------------------------------------------------------------------------------------

    def _access(self, node: syntax.Member) -> Value:
        """base.name and base->name, through translators too."""
        op = "->" if node.arrow else "."
        base = self.value(node.base)
        translation = translated(base)
        if translation is not None:
            type_ = translation.result
            if node.name not in translation.translator.members:
                raise error("D_XLATE_NOCONV", node.span,
                            f"the translator does not say what {node.name} is")
        else:
            type_ = base.type
        record = type_.resolve()
        if node.arrow:
            if not isinstance(record, Pointer):
                raise error("D_OP_PTR", node.span,
                            f"operator {op} is for pointers, and not for {base.type_name}")
            record = record.target.resolve()
        if isinstance(record, Record) and record.members is None:
            record = self._completed(node, op, record)
        if not isinstance(record, Record):
            which = "a pointer to " if node.arrow else ""
            raise error("D_OP_SOU", node.span, f"operator {op} is for {which}a struct or union, and not for "
                        f"{which}{record}")
        found = record.member(node.name)
        if found is None:
            raise error("D_TYPE_MEMBER", node.span, f"{record} has no member {node.name}",
                        *did_you_mean(node.name, record.names()))
        if translation is not None:
            return TranslatedMember(node.span, base, translation.translator, node.name, found.type)
        value = MemberAccess(node.span, base, found, node.arrow)
        value.lvalue = (node.arrow or base.lvalue) and not found.type.is_array()
        value.writable = base.writable
        value.user = _is_theirs(found.type, base.user)
        return value

    def _completed(self, node: syntax.Member, op: str, record: Record) -> Type:
        """The definition of a record that was only declared, from any scope that has it."""
        found = self.scope.lookup(str(record))
        resolved = found.resolve() if found is not None else None
        if not isinstance(resolved, Record) or resolved.members is None:
            from dc.types.similartypes import similar_type

            raise error("D_OP_INCOMPLETE", node.span, f"the members of {record} are not known",
                        *similar_type(self.scope, str(record)))
        return resolved

    # -- casts, and what becomes a constant ------------------------------------------------------------

    def _cast(self, node: syntax.Cast, reads: bool) -> Value:
        to = self.type_of(node.to)
        operand = self.value(node.operand)
        stability = weakest(operand.attributes, self._type_stability(to))
        base = to.resolve()
        if isinstance(base, Enum) and base.values is None:
            raise error("D_CAST_INVAL", node.span, f"{to} is not defined", *self._similar_types(base))
        if isinstance(operand, Constant) and to.is_integer():
            return cast_constant(node.span, to, operand, stability)
        if not _castable(to, operand):
            raise error("D_CAST_INVAL", node.span,
                        f"{operand.type_name} cannot be cast to {to}")
        to = self._of_the_program(to, operand.type)
        value = Cast(node.span, to, operand, stability)
        base = to.resolve()
        if isinstance(base, Pointer):
            value.writable = True
            value.user = base.userland
        return value

    def _of_the_program(self, to: Type, source: Type) -> Type:
        """The type of a cast, as userland if it makes an address in the program.

        It does if the source was one, or if it was a number and becomes a pointer to a record of the
        program.
        """
        base, before = to.resolve(), source.resolve()
        if not isinstance(base, Pointer):
            return to
        if isinstance(before, Pointer):
            is_theirs = before.userland
        else:
            is_theirs = before.is_integer() and to.is_of_program()
        return self.scope.pointer(base.target, userland=True) if is_theirs else to

    def _stringof(self, node: syntax.Stringof, reads: bool) -> Value:
        operand = self._unary_operand(node.operand)
        if not (operand.type.is_scalar() or rules.is_pointer(operand.type)
                or rules.is_string_like(operand.type)):
            raise error("D_STRINGOF_TYPE", node.span,
                        f"{operand.type_name} is nothing that could be a string")
        return Stringof(node.span, operand, self.string)

    def _sizeof(self, node: syntax.Sizeof, reads: bool) -> Value:
        size_t = self.type_named("size_t", node.span)
        hints: tuple[str, ...] = ()
        if isinstance(node.operand, syntax.TypeName):
            type_ = self.type_of(node.operand)
            size, stability = type_.size, self._type_stability(type_)
            base = type_.resolve()
            is_known = _has_size(base)
            if not is_known and isinstance(base, Record | Enum):
                hints = self._similar_types(base)
        else:
            operand = self._unary_operand(node.operand)
            if operand.type.is_bitfield():
                raise error("D_SIZEOF_BITFIELD", node.span, "a bit-field has no size in bytes")
            size, stability = _size_of(operand), operand.attributes
            is_known = size > 0 or _has_size(operand.type.resolve())
        if not is_known:
            raise error("D_SIZEOF_TYPE", node.span, "the size of this is not known", *hints)
        return Constant(node.span, size_t, size, stability)

    def _similar_types(self, type_: Type | str) -> tuple[str, ...]:
        """A hint with the type nearest to one that is not defined."""
        from dc.types.similartypes import similar_type

        return similar_type(self.scope, str(type_))

    def _offsetof(self, node: syntax.Offsetof, reads: bool) -> Value:
        record = self.type_of(node.of).resolve()
        if not isinstance(record, Record) or record.members is None:
            raise error("D_OFFSETOF_TYPE", node.span, "offsetof is about a member, and the type has none")
        found = record.member(node.member)
        if found is None:
            raise error("D_UNKNOWN", node.span, f"{record} has no member {node.member}",
                        *did_you_mean(node.member, record.names()))
        if found.type.is_bitfield():
            raise error("D_OFFSETOF_BITFIELD", node.span,
                        f"{node.member} is a bit-field, not at a byte's start")
        return Constant(node.span, self.int, found.byte)

    # -- translators -----------------------------------------------------------------------------------

    def _xlate(self, node: syntax.Xlate, reads: bool) -> Value:
        """xlate <T>(operand)."""
        output = self.type_of(node.to)
        operand = self.value(node.operand)
        translator = self._find_translator(operand, output)
        if translator is None:
            raise error("D_XLATE_NONE", node.span,
                        f"no translator makes {output} of {operand.type_name}")
        return Translated(node.span, translator, operand, output, self.dynamic)

    def _argument(self, span: Span, variable: Variable, index: Constant) -> Value:
        """args[index]: the probe's argument, translated if its provider says so.  Raises D_ARGS_*."""
        context = self.context
        if context is None:
            raise error("D_ARGS_NONE", span, "args[ ] belong to a probe, and this is outside of any clause")
        probe = None if context.probe is None else self.catalog.identified(context.probe)
        if probe is None:
            known = self.catalog.probes(context.description)
            raise error("D_ARGS_MULTI", span, f"the types of args[ ] are not known: {context.description} "
                        f"matches {'probes that may differ in them' if known else 'no probes'}")
        arguments = self.catalog.arguments(probe) or ()
        if index.value >= len(arguments):
            count = f"{len(arguments)} argument{'' if len(arguments) == 1 else 's'}"
            raise error("D_ARGS_IDX", span, f"there is no args[{index.value}]: {context.description} has "
                        f"{count if arguments else 'no arguments that have types'}")
        declared = arguments[index.value]
        if declared.pointed or declared.parts:
            return self._structure(span, variable, declared, index.value)
        if declared.mapping == UNREACHABLE:
            raise error("D_ARGS_TYPE", span, f"args[{index.value}] is a {declared.native} passed by value, "
                        "which D cannot read")
        native = self._argument_type(span, declared.native, "native", index.value)
        wanted = self._argument_type(span, declared.xlate or declared.native, "translated", index.value)
        raw = BuiltinElement(span, variable, declared.mapping, native)
        raw.attributes = context.provider[4]
        raw.user = bool(getattr(native.resolve(), "userland", False))
        if declared.xlate in ("", declared.native) or rules.is_assignable(native, Value(span, wanted)):
            raw.type = wanted
            raw.user = raw.user if wanted.is_string() else bool(getattr(wanted.resolve(), "userland", False))
            return raw
        translator = self._find_translator(raw, wanted)
        if translator is None:
            raise error("D_ARGS_XLATOR", span, f"args[{index.value}] is {wanted}, and no "
                        f"translator makes that of {native}")
        return Translated(span, translator, raw, wanted, self.dynamic)

    def _structure(self, span: Span, variable: Variable, declared: Argument, index: int) -> Value:
        """args[index] that is passed by value: in the program's memory, or in several native arguments."""
        type_ = self._argument_type(span, declared.native, "native", index)
        if declared.parts:
            return Gathered(span, variable, declared.parts, type_)
        pointer = BuiltinElement(span, variable, declared.mapping, self.scope.pointer(type_, userland=True))
        pointer.user = True
        return self._dereference(span, pointer)

    def _argument_type(self, span: Span, type_: Type | str, which: str, index: int) -> Type:
        found = self.scope.lookup(type_) if isinstance(type_, str) else type_
        if found is None:
            raise error("D_ARGS_TYPE", span, f"the {which} type of args[{index}], {type_}, is not known")
        return found

    def translates(self, native: Type, output: Type) -> bool:
        """Whether there is a translator from one type to another."""
        return self._find_translator(Value(NOWHERE, native), output) is not None

    def _find_translator(self, source: Value, output: Type, *, exact: bool = False
                        ) -> Translator | None:
        """The translator from a value to a struct, or to the struct that `output` points to.

        A translator from exactly the source's type is preferred, then one from its resolved type,
        then (unless `exact`) one from a type to which the source could be assigned.
        """
        target = rules.target_of(output) if output.is_pointer() else output
        if target is None or not target.is_record():
            return None
        candidates = [each for each in self._making(target) if compatible(each.output, target)]
        for each in candidates:
            if str(each.source) == source.type_name or each.source is source.type:
                return each
        for each in candidates:
            if compatible(each.source, source.type):
                return each
        if exact:
            return None
        return next((each for each in candidates if _accepts(source, each.source)), None)

    def _making(self, output: Type) -> list[Translator]:
        """The list of translators to structs with the tag of `output`, to which another may be added."""
        return self.names.translators.setdefault(getattr(output.resolve(), "tag", None), [])

    def declare_translator(self, node: syntax.Translator) -> Translator:
        """Declare `translator output < source name > { members };`.  Raises CompileError."""
        output, source = self.type_of(node.output), self.type_of(node.input)
        alike = self._making(output)
        for known in alike:
            if compatible(known.output, output) and \
                    (known.source is source or (str(known.source) == str(source)
                                                and compatible(known.source, source))):
                raise error("D_XLATE_REDECL", node.span,
                            f"an earlier translator makes {output} of {source} already")
        record = output.resolve()
        if not isinstance(record, Record):
            raise error("D_XLATE_SOU", node.span, f"a translator cannot make {output}, which has no members")
        if record.members is None:
            raise error("D_XLATE_SOU", node.span, f"the members of {output} are not known")
        parameter = Parameter(node.parameter, source)
        translator = Translator(source, output, self.scope.pointer(output), parameter)
        alike.append(translator)
        try:
            self._check_members(node, translator, record)
        except BaseException:
            alike.remove(translator)
            raise
        return translator

    def _check_members(self, node: syntax.Translator, translator: Translator, record: Record) -> None:
        translator.attributes = HIGHEST
        for each in node.members:
            found = record.member(each.name)
            if found is None:
                raise error("D_XLATE_MEMB", each.span,
                            f"{translator.output} has no member {each.name}",
                            *did_you_mean(each.name, record.names()))
            value = self.value_with({node.parameter: translator.parameter}, each.value)
            translator.attributes = weakest(translator.attributes, value.attributes)
            if not rules.is_assignable(found.type, value):
                raise error("D_XLATE_INCOMPAT", each.span, f"member {each.name} is {found.type}, and what it "
                            f"is translated from {value.type_name}")
            translator.members.setdefault(each.name, value)


_VARIABLES = (Scalar, Element, BuiltinElement, AggregationValue, Inlined, ParameterValue)


def _own_scope(node: syntax.Expression) -> int | None:
    """The scope of the variables that self-> or this-> stands before; None for anything else."""
    if isinstance(node, syntax.Member) and node.arrow and isinstance(node.base, syntax.Identifier):
        return {"self": isa.SCOPE_THREAD, "this": isa.SCOPE_LOCAL}.get(node.base.name)
    return None


# -- calls and keys --------------------------------------------------------------------------------------

def _check_call(name: str, signature: Signature, arguments: list[Value], span: Span) -> None:
    """Raise D_PROTO_LEN or D_PROTO_ARG unless the arguments fit."""
    count, most = len(arguments), len(signature.parameters)
    bounds = [each for each in (signature.variadic, signature.optional) if each >= 0]
    least = min(bounds, default=most)
    if count < least or (count > most and signature.variadic < 0):
        wanted = _count(most, "argument") if not bounds else \
            f"at least {_count(least, 'argument')}" if count < least else \
            f"no more than {_count(most, 'argument')}"
        raise error("D_PROTO_LEN", span, f"{name}( ) takes {wanted}, and here "
                    f"{'is' if count == 1 else 'are'} {count}")
    for number, (parameter, argument) in enumerate(zip(signature.parameters, arguments, strict=False), 1):
        if parameter is not None and not rules.is_assignable(parameter, argument):
            raise error("D_PROTO_ARG", span, f"{name}( ) takes {parameter} as argument #{number}, and this "
                        f"is {argument.type_name}")


def _count(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _key_types(keys: list[Value], what: str) -> list[Type]:
    """The types of the keys, which later uses of the array must match.  Raises D_KEY_TYPE."""
    for number, key in enumerate(keys, 1):
        if rules.has_no_type(key) or key.type.is_void():
            raise error("D_KEY_TYPE", key.span, f"key #{number} of an {what} cannot be "
                        f"{key.type_name}")
    return [key.type for key in keys]


def _check_keys(name: str, wanted: list[Type], keys: list[Value], span: Span) -> None:
    """Raise D_PROTO_LEN or D_PROTO_ARG unless a tuple fits the array's signature."""
    if len(keys) != len(wanted):
        raise error("D_PROTO_LEN", span, f"{name} has {_count(len(wanted), 'key')}, and here "
                    f"{'is' if len(keys) == 1 else 'are'} {len(keys)}")
    for number, (expected, key) in enumerate(zip(wanted, keys, strict=True), 1):
        if not rules.is_assignable(expected, key):
            raise error("D_PROTO_ARG", span, f"key #{number} of {name} is {expected}, and this is "
                        f"{key.type_name}")

# -- operators -------------------------------------------------------------------------------------------

def _refuse(tag: str, span: Span, op: str, *operands: Value) -> None:
    """Raise `tag`: some of the operands are not of the types that the operator takes."""
    found = " and ".join(each.type_name for each in operands)
    raise error(tag, span, f"operator {op} is for {_WANTED[tag]}, and not for {found}")


def _incompatible(span: Span, op: str, left: Value, right: Value) -> None:
    made = any(translation is not None and translation.pointer
               for translation in (translated(left), translated(right)))
    why = " (what a translator makes has members, but no address)" if made else ""
    if isinstance(right, FunctionCall) and (_is_action(right) or rules.has_no_type(right)):
        why = f" ({right.function.name}( ) has no value)"
    raise error("D_OP_INCOMPAT", span, f"types that do not go together: "
                f'"{left.type_name}" {op} "{right.type_name}"{why}')


def _is_action(value: Value) -> bool:
    return isinstance(value, FunctionCall) and value.function.role == "tracing function"


def _with_operator(operator: Span, operand: Span) -> Span:
    """The place of an operator with the constant behind it; of the operator alone where that is not next."""
    is_next = (operand.line, operand.column) == (operator.line, operator.end)
    return operator._replace(end=operand.end) if is_next else operator


def _fold_unary(span: Span, op: str, operand: Constant, type_: Type) -> Value:
    value = {"-": -operand.value, "~": ~operand.value, "+": operand.value, "!": operand.value == 0}[op]
    return Constant(span, type_, wrapped(value, type_), operand.attributes)


def _fold_binary(op: str, left: Constant, right: Constant, type_: Type, operands: Type) -> Value | None:
    stability = weakest(left.attributes, right.attributes)
    a, b = left.value, right.value
    if op in _LOGICAL:
        outcome = {"&&": bool(a and b), "||": bool(a or b), "^^": bool(a) != bool(b)}[op]
        return Constant(left.span, type_, outcome, stability)
    if op in _COMPARISONS:
        return Constant(left.span, type_, taken(rules.branch(op, operands), a, b), stability)
    result = fold(rules.instruction(op, operands), a, b)
    return None if result is None else Constant(left.span, type_, wrapped(result, type_), stability)


def _settle(value: Scalar | Element, type_: Type) -> None:
    """Give a variable that is used for the first time its type."""
    value.type = value.variable.type = type_


def _require_writable(span: Span, op: str, target: Value) -> None:
    if not target.lvalue and not isinstance(target, TranslatedMember):
        raise error("D_OP_LVAL", span, f"operator {op} can change variables only")
    if not target.writable:
        raise error("D_OP_WRITE", span, f"operator {op} cannot change what D may only read")


def _check_divisor(node: syntax.Binary | syntax.Assign) -> None:
    """Raise D_DIV_ZERO for a division by the constant 0."""
    divisor = node.right if isinstance(node, syntax.Binary) else node.value
    if node.op.rstrip("=") in ("/", "%") and isinstance(divisor, syntax.Integer) and not divisor.value:
        raise error("D_DIV_ZERO", node.span, "this divides by zero")


def _comparable(left: Value, right: Value) -> bool:
    if compatible(left.type, right.type):
        return True
    if left.type.is_integer() and right.type.is_integer():
        return True
    if rules.is_string_like(left.type) and rules.is_string_like(right.type) \
            and (left.type.is_string() or right.type.is_string()):
        return True
    return rules.common_pointer(left, right) is not None


def _comma(span: Span, left: Value, right: Value) -> Value:
    if rules.has_no_type(left) or rules.has_no_type(right):
        raise error("D_OP_DYN", span, "operator , is not for what a translator makes")
    if _is_action(left) or _is_action(right):
        raise error("D_OP_ACT", span, "actions are statements, to be separated by `;`")
    value = Binary(span, ",", left, right, right.type)
    value.user = right.user
    value.writable = right.writable
    return value


def _check_additive(span: Span, op: str, target: Value, value: Value) -> None:
    if target.type.is_string() or value.type.is_string():
        _incompatible(span, op, target, value)
    if target.type.is_integer() and value.type.is_integer():
        return
    if not rules.is_pointer(target.type) or rules.is_opaque_pointer(target.type):
        raise error("D_OP_VFPTR", span, f"operator {op} does not know how large what {target.type_name} "
                    "points to is")
    if not value.type.is_integer() and rules.common_pointer(target, value) is None:
        _incompatible(span, op, target, value)

# -- conversions -----------------------------------------------------------------------------------------

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


def _is_theirs(type_: Type, record_is: bool) -> bool:
    """Whether a member leads into the program's memory; `record_is`: the record lies there."""
    base = type_.resolve()
    if isinstance(base, Pointer):
        return record_is or base.userland
    return record_is and type_.is_by_reference()


def _size_of(value: Value) -> int:
    if isinstance(value, StringConstant):
        return len(value.value) + 1
    if isinstance(value, SymbolValue):
        return value.symbol.size
    translation = translated(value)
    return translation.result.size if translation is not None else value.type.size


def _has_size(base: Type) -> bool:
    """Whether the size of a type is known; that of a record without named members is 0."""
    if isinstance(base, Enum):
        return base.values is not None
    if isinstance(base, Array):
        return base.count > 0 and _has_size(base.element.resolve())
    return base.is_defined if isinstance(base, Record) else base.size > 0


def _accepts(source: Value, wanted: Type) -> bool:
    return rules.is_assignable(source.type, Value(source.span, wanted), user=source.user)


_CHECKS: dict[type, Callable[..., Value]] = {
    syntax.Integer: Checker._integer,
    syntax.String: Checker._string_constant,
    syntax.Identifier: Checker._identifier,
    syntax.Aggregation: Checker._aggregation,
    syntax.Member: Checker._member,
    syntax.Index: Checker._index,
    syntax.Call: Checker._call,
    syntax.Step: Checker._step,
    syntax.Unary: Checker._unary,
    syntax.Binary: Checker._binary,
    syntax.Assign: Checker._assign,
    syntax.Conditional: Checker._conditional,
    syntax.Cast: Checker._cast,
    syntax.Sizeof: Checker._sizeof,
    syntax.Stringof: Checker._stringof,
    syntax.Offsetof: Checker._offsetof,
    syntax.Xlate: Checker._xlate,
}
