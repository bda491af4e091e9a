"""Checking of calls and subscripts: prototypes, tuple signatures, args[] and register arrays."""

from __future__ import annotations

from dc.checking import rules
from dc.checking.typed import AggregationValue, BuiltinElement, Constant, Element, FunctionCall
from dc.diagnostics import Span, did_you_mean, error
from dc.names.builtins import Role, weakest
from dc.names.identifiers import Function, Parameter, Signature, Variable
from dc.names.values import Value
from dc.source import tree as syntax
from dc.types.types import Type

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from dc.checking.checker import Checker


def find_function(checker: Checker, node: syntax.Call) -> Function:
    """The function a call names.  Raises D_FUNC_*."""
    if not isinstance(node.function, syntax.Identifier):
        raise error("D_FUNC_IDENT", node.span, "only a function, by its name, can be called")
    name = node.function.name
    found = checker.names.find(name)
    if found is None:
        raise error("D_FUNC_UNDEF", node.span, f"there is no function {name}",
                    *did_you_mean(name, checker.names.known()))
    if not isinstance(found, Function):
        role = "scalar" if isinstance(found, Parameter) else found.role.value
        raise error("D_FUNC_IDKIND", node.span, f"{name} is no function but a {role}")
    return found


def call(checker: Checker, node: syntax.Call, reads: bool) -> Value:
    function = find_function(checker, node)
    arguments = checker.values(node.arguments)
    signature = function.signature(checker.scope)
    check_call(function.name, signature, arguments, node.span)
    type_ = checker.dynamic if function.role is Role.AGGREGATING else signature.returns
    value = FunctionCall(node.span, function, arguments, type_)
    value.attributes = weakest(value.attributes, *(each.attributes for each in arguments))
    return value


def check_call(name: str, signature: Signature, arguments: list[Value], span: Span) -> None:
    """Raise D_PROTO_LEN or D_PROTO_ARG unless the arguments fit."""
    count, wanted = len(arguments), len(signature.parameters)
    if signature.variadic >= 0:
        wanted = signature.variadic
        fits, checked = count >= wanted, wanted
    elif signature.optional >= 0:
        fits, checked = signature.optional <= count <= wanted, count
    else:
        fits, checked = count == wanted, wanted
    if not fits:
        least = f"at least {_count(signature.optional, 'argument')}" if signature.optional >= 0 \
            else _count(wanted, "argument")
        raise error("D_PROTO_LEN", span, f"{name}( ) takes {least}, and here "
                    f"{'is' if count == 1 else 'are'} {count}")
    for number, (parameter, argument) in enumerate(
            zip(signature.parameters[:checked], arguments, strict=False), 1):
        if parameter is not None and not rules.is_assignable(parameter, argument):
            raise error("D_PROTO_ARG", span, f"{name}( ) takes {parameter} as argument #{number}, and this "
                        f"is {argument.type_name}")


def _count(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def key_types(keys: list[Value], what: str) -> list[Type]:
    """The signature that a tuple's first use gives.  Raises D_KEY_TYPE."""
    for number, key in enumerate(keys, 1):
        if rules.has_no_type(key) or key.type.is_void():
            raise error("D_KEY_TYPE", key.span, f"key #{number} of an {what} cannot be "
                        f"{key.type_name}")
    return [key.type for key in keys]


def check_keys(name: str, wanted: list[Type], keys: list[Value], span: Span) -> None:
    """Raise D_PROTO_LEN or D_PROTO_ARG unless a tuple fits the array's signature."""
    if len(keys) != len(wanted):
        raise error("D_PROTO_LEN", span, f"{name} has {_count(len(wanted), 'key')}, and here "
                    f"{'is' if len(keys) == 1 else 'are'} {len(keys)}")
    for number, (expected, key) in enumerate(zip(wanted, keys, strict=True), 1):
        if not rules.is_assignable(expected, key):
            raise error("D_PROTO_ARG", span, f"key #{number} of {name} is {expected}, and this is "
                        f"{key.type_name}")


def element(checker: Checker, node: syntax.Index, variable: Variable, reads: bool) -> Value:
    """variable[keys] of an associative or built-in array."""
    if variable.builtin is not None:
        from dc.checking.translation import argument

        index = _constant_index(checker, node, variable)
        if variable.builtin.prototype == "@args":
            return argument(checker, node.span, variable, index)
        return _register(checker, node.span, variable, index)
    if reads and variable.untouched:
        raise error("D_VAR_UNDEF", node.span,
                    f"{variable.spelling} is used before anything is assigned to it")
    keys = checker.values(node.indices)
    if variable.keys is None:
        variable.keys = key_types(keys, "associative array")
    else:
        check_keys(f"{variable.name}[ ]", variable.keys, keys, node.span)
    if reads:
        variable.referenced = True
    value = Element(node.span, variable, keys, variable.type or checker.dynamic)
    value.attributes = weakest(value.attributes, *(each.attributes for each in keys))
    return value


def aggregate(checker: Checker, node: syntax.Assign, name: syntax.Aggregation) -> Value:
    """@name[keys] = function(...): the function first, then the keys."""
    value = checker.value(node.value)
    if not isinstance(value, FunctionCall) or value.function.role is not Role.AGGREGATING:
        raise error("D_AGG_FUNC", node.span,
                    f"only what an aggregating function makes can be assigned to @{name.name}")
    aggregation = checker.names.aggregation(name.name, name.span)
    previous = aggregation.function
    if previous is not None and previous is not value.function:
        raise error("D_AGG_REDEF", node.span, f"@{name.name} is {value.function.name}( ) here and "
                    f"{previous.name}( ) in line {aggregation.span.line}")
    aggregation.function = value.function
    target = checker.value(node.target, reads=False)
    assert isinstance(target, AggregationValue)
    target.function = value
    target.keys = target.keys or []
    if aggregation.keys is None:
        aggregation.keys = key_types(target.keys, "aggregation")
    else:
        check_keys(f"@{name.name}[ ]", aggregation.keys, target.keys, node.span)
    aggregation.modified = True
    return target


def _constant_index(checker: Checker, node: syntax.Index, variable: Variable) -> Constant:
    name = variable.name
    if len(node.indices) != 1:
        raise error("D_PROTO_LEN", node.span, f"{name}[ ] takes one index, and here are "
                    f"{len(node.indices)}")
    index = checker.value(node.indices[0])
    if not isinstance(index, Constant):
        raise error("D_PROTO_ARG", node.span, f"{name}[ ] takes an integer constant as its index, and this "
                    f"is {index.type_name}")
    return index


def _register(checker: Checker, span: Span, variable: Variable, index: Constant) -> Value:
    if index.type.is_signed() and index.value >> 63:
        raise error("D_REGS_IDX", span,
                    f"{variable.name}[ ] has no element {index.value - (1 << 64)}")
    variable.type = checker.type_named("uint64_t", span)
    return BuiltinElement(span, variable, index.value, variable.type)
