"""Checking of operators: operand types, results, constants folded (ISO C 6.5, K&R A7)."""

from __future__ import annotations

from dc.checking import rules
from dc.checking.calls import aggregate, check_keys, element
from dc.checking.typed import (
    AddressOf,
    AggregationValue,
    Assign,
    Binary,
    Conditional,
    Constant,
    Dereference,
    Element,
    FunctionCall,
    Inlined,
    MemberAccess,
    ParameterValue,
    Scalar,
    Step,
    TranslatedMember,
    Unary,
    translated,
)
from dc.diagnostics import Span, did_you_mean, error
from dc.names.builtins import PRIVATE, STABLE, weakest
from dc.names.identifiers import Inline, Parameter, Variable
from dc.names.values import Value, value_size
from dc.source import tree as syntax
from dc.types.scopes import PROGRAMS
from dc.types.types import Enum, Pointer, Record, Type, compatible
from dif import isa
from dif.arithmetic import fold, signed
from dif.isa import Op

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from dc.checking.checker import Checker
    from dof.model import Attributes

_BITWISE = ("&", "|", "^")
_SHIFTS = ("<<", ">>")
_LOGICAL = ("&&", "||", "^^")
_COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
_FOLDS = {"|": (Op.OR, Op.OR), "^": (Op.XOR, Op.XOR), "&": (Op.AND, Op.AND), "<<": (Op.SLL, Op.SLL),
          ">>": (Op.SRA, Op.SRL), "+": (Op.ADD, Op.ADD), "-": (Op.SUB, Op.SUB), "*": (Op.MUL, Op.MUL),
          "/": (Op.SDIV, Op.UDIV), "%": (Op.SREM, Op.UREM)}  # signed, unsigned


def parameter(span: Span, found: Parameter) -> Value:
    return ParameterValue(span, found)


_WANTED = {"D_OP_ARITH": "arithmetic values", "D_OP_INT": "integers", "D_OP_SCALAR": "integers and pointers"}


def _refuse(tag: str, span: Span, op: str, *operands: Value) -> None:
    """Some of the operands are not of the types that an operator is for."""
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


def _is_arithmetic(value: Value) -> bool:
    return value.type.is_integer()


# -- unary ---------------------------------------------------------------------------------------------

def negated(value: Constant) -> Constant:
    result = -value.value
    if not value.type.is_signed():
        result &= (1 << value_size(value.type) * 8) - 1
    return Constant(value.span, value.type, result, value.attributes)


def unary(checker: Checker, node: syntax.Unary, reads: bool) -> Value:
    operand = unary_operand(checker, node.operand)
    if node.op == "*":
        return dereference(checker, node.span, operand)
    if node.op == "&":
        return _address_of(checker, node.span, operand)
    if node.op in "+-" and not _is_arithmetic(operand):
        _refuse("D_OP_ARITH", node.span, node.op, operand)
    if node.op == "~" and not operand.type.is_integer():
        _refuse("D_OP_INT", node.span, node.op, operand)
    if node.op == "!" and not operand.type.is_scalar():
        _refuse("D_OP_SCALAR", node.span, node.op, operand)
    if isinstance(operand, Constant):
        return _fold_unary(node.op, operand)
    type_ = checker.int if node.op == "!" else operand.type
    return Unary(node.span, node.op, operand, type_)


def unary_operand(checker: Checker, node: syntax.Expression) -> Value:
    """The operand of a unary operator, which may be the first that is heard of a variable."""
    operand = checker.value(node, reads=False)
    if isinstance(operand, Scalar | Element):
        _settle_first_seen(checker, operand)
        operand.variable.referenced = True
    return operand


def _settle_first_seen(checker: Checker, operand: Scalar | Element) -> None:
    """A variable that a unary operator meets before anything else has given it a type is an int64_t."""
    variable = operand.variable
    if variable.type is None or variable.untouched:
        _settle(operand, checker.type_named("int64_t", operand.span))


def _fold_unary(op: str, operand: Constant) -> Value:
    if op == "-":
        return negated(operand)
    if op == "~":
        return Constant(operand.span, operand.type, ~operand.value, operand.attributes)
    if op == "!":
        return Constant(operand.span, operand.type, operand.value == 0, operand.attributes)
    return operand


def dereference(checker: Checker, span: Span, operand: Value) -> Value:
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
        target = checker.scope.basic("char")
    if target is None:
        raise error("D_DEREF_NONPTR", span, f"{operand.type_name} is no pointer")
    if target.is_void():
        raise error("D_DEREF_VOID", span, "a pointer to void does not say what it points to", "a cast can")
    if target.is_function():
        raise error("D_DEREF_FUNC", span, "a function is no value that could be read")
    value = Dereference(span, operand, target)
    value.lvalue = not target.is_array()
    value.writable = operand.writable or (isinstance(operand, Binary) and operand.op == "+"
                                          and operand.left.writable)
    value.user = operand.user and (target.is_pointer() or value.by_reference)
    return value


def _address_of(checker: Checker, span: Span, operand: Value) -> Value:
    if isinstance(operand, Scalar | Element | AggregationValue | Inlined | ParameterValue):
        raise error("D_ADDROF_VAR", span, "variables of D have no address")
    if rules.has_no_type(operand):
        raise error("D_ADDROF_VAR", span, "what a translator makes has no address")
    if not operand.lvalue:
        raise error("D_ADDROF_LVAL", span, "only what lies in memory has an address")
    if operand.type.is_bitfield():
        raise error("D_ADDROF_BITFIELD", span, "a bit-field has no address")
    return AddressOf(span, operand, checker.scope.pointer(operand.type))


def step(checker: Checker, node: syntax.Step, reads: bool) -> Value:
    """++ and --, which may create the variable they step."""
    operand = _target(checker, node.operand)
    if isinstance(operand, Scalar | Element):
        _settle_first_seen(checker, operand)
        operand.variable.referenced = operand.variable.modified = True
    if not operand.type.is_scalar():
        _refuse("D_OP_SCALAR", node.span, node.op, operand)
    if rules.is_opaque_pointer(operand.type):
        raise error("D_OP_VFPTR", node.span, f"operator {node.op} does not know how large "
                    f"what {operand.type_name} points to is")
    _require_writable(node.span, node.op, operand)
    return Step(node.span, node.op, operand, node.prefix)


def _target(checker: Checker, node: syntax.Expression) -> Value:
    """The left side of an assignment: a name that is not known yet becomes a global scalar.

    The kernel's enumerators give way to variables; the program's own do not.
    """
    if isinstance(node, syntax.Identifier) and "`" not in node.name \
            and checker.names.find(node.name) is None and not _is_own_enumerator(checker, node.name):
        checker.names.create(node.name, isa.SCOPE_GLOBAL, node.span)
    return checker.value(node, reads=False)


def _is_own_enumerator(checker: Checker, name: str) -> bool:
    found = checker.scope.enumerator(name)
    return found is not None and found[1].module in PROGRAMS


def _settle(value: Scalar | Element, type_: Type) -> None:
    """Give a variable, seen for the first time, its type."""
    value.type = value.variable.type = type_


def _require_writable(span: Span, op: str, target: Value) -> None:
    if not target.lvalue and not isinstance(target, TranslatedMember):
        raise error("D_OP_LVAL", span, f"operator {op} can change variables only")
    if not target.writable:
        raise error("D_OP_WRITE", span, f"operator {op} cannot change what D may only read")


# -- binary --------------------------------------------------------------------------------------------

def binary(checker: Checker, node: syntax.Binary, reads: bool) -> Value:
    op = node.op
    left = checker.value(node.left)
    if op in _COMPARISONS:
        right = _comparand(checker, left, node)
    else:
        right = checker.value(node.right)
    if op in "/%" and rules.is_zero(right):
        raise error("D_DIV_ZERO", node.span, "this divides by zero")
    if op == ",":
        return _comma(node.span, left, right)
    type_ = _binary_type(checker, node.span, op, left, right)
    if isinstance(left, Constant) and isinstance(right, Constant):
        folded = _fold_binary(checker, op, left, right, type_)
        if folded is not None:
            return folded
    value = Binary(node.span, op, left, right, type_)
    value.user = type_.is_pointer() and (left.user or right.user)
    return value


def check_divisor(node: syntax.Binary | syntax.Assign) -> None:
    """Raise D_DIV_ZERO for a division by the constant 0."""
    divisor = node.right if isinstance(node, syntax.Binary) else node.value
    if node.op.rstrip("=") in ("/", "%") and isinstance(divisor, syntax.Integer) and not divisor.value:
        raise error("D_DIV_ZERO", node.span, "this divides by zero")


def _binary_type(checker: Checker, span: Span, op: str, left: Value, right: Value) -> Type:
    if op in _LOGICAL:
        if not left.type.is_scalar() or not right.type.is_scalar():
            _refuse("D_OP_SCALAR", span, op, left, right)
        return checker.int
    if op in _COMPARISONS:
        if not _comparable(left, right):
            _incompatible(span, op, left, right)
        return checker.int
    if op in "+-":
        return _additive_type(checker, span, op, left, right)
    if op in "*/":
        if not _is_arithmetic(left) or not _is_arithmetic(right):
            _refuse("D_OP_ARITH", span, op, left, right)
    elif not left.type.is_integer() or not right.type.is_integer():
        _refuse("D_OP_INT", span, op, left, right)
    if op in _SHIFTS:
        return left.type
    return rules.promote(left.type, right.type, checker.scope)


def _additive_type(checker: Checker, span: Span, op: str, left: Value, right: Value) -> Type:
    left_pointer = left.type.is_string() or (rules.is_pointer(left.type)
                                             and not rules.is_opaque_pointer(left.type))
    right_pointer = right.type.is_string() or (rules.is_pointer(right.type)
                                               and not rules.is_opaque_pointer(right.type))
    if left.type.is_integer() and right.type.is_integer():
        return rules.promote(left.type, right.type, checker.scope)
    if left_pointer and right.type.is_integer():
        return left.type
    if left.type.is_integer() and right_pointer and op == "+":
        return right.type
    if not (left_pointer and right_pointer and op == "-") or rules.common_pointer(left, right) is None:
        _incompatible(span, op, left, right)
    return checker.type_named("ptrdiff_t", span)


def _comparable(left: Value, right: Value) -> bool:
    if compatible(left.type, right.type):
        return True
    if left.type.is_integer() and right.type.is_integer():
        return True
    if rules.is_string_like(left.type) and rules.is_string_like(right.type) \
            and (left.type.is_string() or right.type.is_string()):
        return True
    return rules.common_pointer(left, right) is not None


def _comparand(checker: Checker, left: Value, node: syntax.Binary) -> Value:
    """The right side of a comparison, which may be a bare enumerator of the left side's type."""
    base = left.type.resolve()
    right = node.right
    if isinstance(base, Enum) and isinstance(right, syntax.Identifier) and right.name in (base.values or {}):
        if checker.names.find(right.name) is not None:
            raise error("D_IDENT_AMBIG", node.span, f"{right.name} may be the variable or one of "
                        f"{left.type_name}'s enumerators")
        return Constant(right.span, left.type, (base.values or {})[right.name], type_stability(checker, base))
    return checker.value(right)


def type_stability(checker: Checker, type_: Type) -> Attributes:
    """Of a type that an expression names: what a kernel declares may change."""
    return STABLE if checker.scope.is_of_programs(type_) else PRIVATE


def _fold_binary(checker: Checker, op: str, left: Constant, right: Constant, type_: Type) -> Value | None:
    stability = weakest(left.attributes, right.attributes)
    a, b = left.value, right.value
    if op in _LOGICAL:
        outcome = {"&&": bool(a and b), "||": bool(a or b), "^^": bool(a) != bool(b)}[op]
        return Constant(left.span, type_, outcome, stability)
    if op in _COMPARISONS:
        if rules.promote(left.type, right.type, checker.scope).is_signed():
            a, b = signed(a), signed(b)
        outcome = {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b, "==": a == b, "!=": a != b}[op]
        return Constant(left.span, type_, outcome, stability)
    signed_op, unsigned_op = _FOLDS[op]
    result = fold(signed_op if type_.is_signed() else unsigned_op, a, b)
    return None if result is None else Constant(left.span, type_, result, stability)


def _comma(span: Span, left: Value, right: Value) -> Value:
    if rules.has_no_type(left) or rules.has_no_type(right):
        raise error("D_OP_DYN", span, "operator , is not for what a translator makes")
    if _is_action(left) or _is_action(right):
        raise error("D_OP_ACT", span, "actions are statements, to be separated by `;`")
    value = Binary(span, ",", left, right, right.type)
    value.user = right.user
    return value


def _is_action(value: Value) -> bool:
    return isinstance(value, FunctionCall) and value.function.role.value == "tracing function"


def conditional(checker: Checker, node: syntax.Conditional, reads: bool) -> Value:
    test = checker.value(node.test)
    if isinstance(test, Constant):  # the other operand may be anything
        return checker.value(node.then if test.value else node.otherwise)
    then, otherwise = checker.value(node.then), checker.value(node.otherwise)
    if not test.type.is_scalar():
        raise error("D_OP_SCALAR", node.span, f"a condition is true or false, and this is {test.type_name}")
    if rules.has_no_type(then) or rules.has_no_type(otherwise):
        raise error("D_OP_DYN", node.span, "operator ?: is not for what a translator makes")
    if _is_action(then) or _is_action(otherwise):
        raise error("D_OP_ACT", node.span, "actions are statements: `if` makes them conditional")
    type_: Type | None
    if compatible(then.type, otherwise.type):
        type_ = then.type
    elif then.type.is_integer() and otherwise.type.is_integer():
        type_ = rules.promote(then.type, otherwise.type, checker.scope)
    elif rules.is_string_like(then.type) and rules.is_string_like(otherwise.type) \
            and (then.type.is_string() or otherwise.type.is_string()):
        type_ = checker.string
    else:
        type_ = rules.common_pointer(then, otherwise)
    if type_ is None:
        raise error("D_OP_INCOMPAT", node.span, f"types that do not go together: "
                    f'"{then.type_name}" : "{otherwise.type_name}"')
    value = Conditional(node.span, test, then, otherwise, type_)
    value.user = then.user and otherwise.user
    return value


# -- assignment ----------------------------------------------------------------------------------------

def assign(checker: Checker, node: syntax.Assign, reads: bool) -> Value:
    if node.op == "=":
        return _plain_assign(checker, node)
    op = node.op[:-1]
    target = _target(checker, node.target)
    if isinstance(target, AggregationValue):
        raise error("D_VAR_UNDEF", node.target.span, f"@{target.aggregation.name} is an aggregation: it may "
                    "only be assigned the result of an aggregating function")
    if isinstance(target, Scalar | Element):
        variable = target.variable
        if variable.untouched or variable.type is None:
            raise error("D_VAR_UNDEF", node.target.span,
                        f"{variable.spelling} is used before anything is assigned to it")
        variable.referenced = variable.modified = True
    value = checker.value(node.value)
    if op in "/%" and rules.is_zero(value):
        raise error("D_DIV_ZERO", node.span, "this divides by zero")
    if op in "+-":
        _check_additive(node.span, node.op, target, value)
    elif op in "*/":
        if not _is_arithmetic(target) or not _is_arithmetic(value):
            _refuse("D_OP_ARITH", node.span, node.op, target, value)
    elif not target.type.is_integer() or not value.type.is_integer():
        _refuse("D_OP_INT", node.span, node.op, target, value)
    _require_writable(node.span, node.op, target)
    return Assign(node.span, op, target, _converted(target, value))


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


def _converted(target: Value, value: Value) -> Value:
    """An integer constant takes the width of what it is assigned to."""
    if isinstance(value, Constant) and target.type.is_integer() \
            and value_size(value.type) != value_size(target.type):
        number = rules.convert(value.value, value.type, target.type)
        return Constant(value.span, target.type, number, value.attributes)
    return value


def _plain_assign(checker: Checker, node: syntax.Assign) -> Value:
    name = node.target.base if isinstance(node.target, syntax.Index) else node.target
    if isinstance(name, syntax.Aggregation):
        return aggregate(checker, node, name)
    target = _target(checker, node.target)
    value = checker.value(node.value)
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
    return Assign(node.span, "=", target, _converted(target, value))


# -- access --------------------------------------------------------------------------------------------

def index(checker: Checker, node: syntax.Index, reads: bool) -> Value:
    """base[...]: an associative array's element, an aggregation's tuple, or *(base + index)."""
    base = _index_base(checker, node)
    if isinstance(base, AggregationValue):
        if base.keys is not None:
            raise error("D_AGG_MDIM", node.span, f"the keys of @{base.aggregation.name} go between one "
                        "pair of brackets")
        base.keys = checker.values(node.indices)
        base.attributes = weakest(base.attributes, *(each.attributes for each in base.keys))
        return base
    if isinstance(base, Inline):
        arguments = checker.values(node.indices)
        wanted = [each.type for each in base.parameters or []]
        check_keys(f"{base.name}[ ]", wanted, arguments, node.span)
        return checker.inlined(node.span, base, arguments)
    if isinstance(base, Variable):
        return element(checker, node, base, reads)
    if len(node.indices) > 1:
        raise error("D_ARR_BADREF", node.span, f"{base.describe()} is no associative array: one index only")
    offset = checker.value(node.indices[0])
    type_ = _binary_type(checker, node.span, "+", base, offset)
    total = Binary(node.span, "+", base, offset, type_)
    total.user = base.user or offset.user
    return dereference(checker, node.span, total)


def _index_base(checker: Checker, node: syntax.Index) -> Value | Variable | Inline:
    """The base: an array variable, created if need be, or any value."""
    base = node.base
    if isinstance(base, syntax.Identifier) and "`" not in base.name:
        found = checker.names.find(base.name)
        if found is None and checker.scope.enumerator(base.name) is None:
            return checker.names.create(base.name, isa.SCOPE_GLOBAL, base.span, array=True)
        if isinstance(found, Variable) and found.untouched and found.builtin is None:
            found.array = True
        if (isinstance(found, Variable) and found.array) or \
                (isinstance(found, Inline) and found.parameters is not None):
            return found
    value = checker.value(base, reads=False)
    if isinstance(value, Scalar):
        variable = value.variable
        if variable.untouched and variable.scope != isa.SCOPE_GLOBAL:
            if variable.scope == isa.SCOPE_LOCAL:
                raise error("D_ARR_LOCAL", node.span,
                            f"this->{variable.name} cannot be an associative array: it is clause-local")
            variable.array = True
        if variable.array:
            return variable
        variable.referenced = True
    return value


def member(checker: Checker, node: syntax.Member) -> Value:
    """base.name and base->name, through translators too."""
    op = "->" if node.arrow else "."
    base = checker.value(node.base)
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
            raise error("D_OP_PTR", node.span, f"operator {op} is for pointers, and not for {base.type_name}")
        record = record.target.resolve()
    if isinstance(record, Record) and record.members is None:
        record = _completed(checker, node, op, record)
    if not isinstance(record, Record):
        what = f'pointer to type "{record}"; must be applied to a struct or union pointer' if node.arrow \
            else f'type "{record}"; must be applied to a struct or union'
        raise error("D_OP_SOU", node.span, f"operator {op} cannot be applied to {what}")
    found = record.member(node.name)
    if found is None:
        raise error("D_TYPE_MEMBER", node.span, f"{node.name} is not a member of {record}",
                    *did_you_mean(node.name, record.names()))
    if translation is not None:
        return TranslatedMember(node.span, base, translation.translator, node.name, found.type)
    value = MemberAccess(node.span, base, found, node.arrow)
    value.lvalue = (node.arrow or base.lvalue) and not found.type.is_array()
    value.writable = base.writable
    value.user = base.user and (found.type.is_pointer() or value.by_reference)
    return value


def _completed(checker: Checker, node: syntax.Member, op: str, record: Record) -> Type:
    """The definition behind a forward declaration, searched for everywhere."""
    found = checker.scope.lookup(str(record))
    resolved = found.resolve() if found is not None else None
    if not isinstance(resolved, Record) or resolved.members is None:
        from dc.types.similartypes import similar_type

        raise error("D_OP_INCOMPLETE", node.span, f"the members of {record} are not known",
                    *similar_type(checker.scope, str(record)))
    return resolved
