"""Aggregating statements: @name[keys] = function(...) → the actions of one tuple.

The first action of the tuple is the id of the aggregation.  The keys follow, then
the increment of a quantizing function, if there is one.  The aggregating action
itself comes last; its `ntuple` is the number of actions before it.  Its `arg`
holds the levels of lquantize() and llquantize() (dtrace.h:
DTRACE_LQUANTIZE_*, DTRACE_LLQUANTIZE_*).
"""

from __future__ import annotations

from dc.checking.typed import AggregationValue, Constant, FunctionCall
from dc.diagnostics import Span, error
from dc.generation.actions import ActionCompiler
from dc.generation.generator import VOID
from dc.names.identifiers import Aggregation
from dc.names.values import Value
from dif.arithmetic import signed
from dif.records import NamedTuple
from dof.model import Action, ActionKind

_UINT16 = 0xFFFF


def compile_aggregation(compiler: ActionCompiler, node: AggregationValue) -> list[Action]:
    """The actions of an aggregating statement.  Raises D_AGG_*, D_LQUANT_*, D_LLQUANT_*."""
    function = node.function
    if function is None:
        raise error("D_AGG_NULL", node.span, f"{node.aggregation.spelling} by itself does nothing")
    kind = function.function.number
    arguments = function.arguments
    if arguments and not arguments[0].type.is_scalar():
        raise error("D_AGG_SCALAR", function.span,
                    f"{function.function.name}( ) aggregates numbers, and not {arguments[0].type_name}")
    actions = [Action(ActionKind.DIFEXPR, compiler.objects.constant(node.aggregation.id))]
    actions += [compiler.tuple_action(key) for key in node.keys or []]
    arg, increment, most = 0, None, len(arguments)
    if kind is ActionKind.AGG_LQUANTIZE:
        arg, used = _lquantize(function, node.span)
        most = 5
    elif kind is ActionKind.AGG_LLQUANTIZE:
        arg, used, most = _llquantize(function, node.span), 5, 6
    elif kind is ActionKind.AGG_QUANTIZE:
        used, most = 1, 2
    else:
        used = most
    if arg:
        _match_levels(node.aggregation, kind, arg, node.span)
    if len(arguments) > used:
        increment = arguments[used]
        _check_increment(function, increment, most, node.span)
        actions.append(Action(ActionKind.DIFEXPR, compiler.generate(increment, rtype=VOID)))
    difo = compiler.generate(arguments[0]) if arguments else None
    return [*actions, Action(kind, difo, arg, ntuple=len(actions))]


def _check_increment(function: FunctionCall, increment: Value, most: int, span: Span) -> None:
    name, count = function.function.name, len(function.arguments)
    if not increment.type.is_scalar():
        raise error("D_PROTO_ARG", span,
                    f"the increment of {name}( ), argument #{most}, is to be a number")
    if count > most:
        raise error("D_PROTO_LEN", increment.span, f"{name}( ) takes no more than {most} arguments, "
                    f"and here are {count}")


# -- lquantize -----------------------------------------------------------------------------------------------

def _bound(value: Value, number: int, tags: tuple[str, str]) -> int:
    if not isinstance(value, Constant):
        raise error(tags[0], value.span, f"argument #{number} of lquantize( ) is to be an integer constant")
    result = signed(value.value)
    if not -(1 << 31) <= result < 1 << 31:
        raise error(tags[1], value.span, f"argument #{number} of lquantize( ) does not fit into an int")
    return result


def _lquantize(function: FunctionCall, span: Span) -> tuple[int, int]:
    """The packed step, levels and base; how many arguments they took."""
    arguments = function.arguments
    base = _bound(arguments[1], 1, ("D_LQUANT_BASETYPE", "D_LQUANT_BASEVAL"))
    limit = _bound(arguments[2], 2, ("D_LQUANT_LIMTYPE", "D_LQUANT_LIMVAL"))
    if limit < base:
        raise error("D_LQUANT_MISMATCH", span,
                    "the lower bound of lquantize( ) is not below its upper bound")
    step = _step(arguments[3]) if len(arguments) > 3 else 1
    levels = (limit - base) // step
    if levels == 0:
        raise error("D_LQUANT_STEPLARGE", span, "the step of lquantize( ) is larger than what lies "
                    "between its bounds")
    if levels > _UINT16:
        raise error("D_LQUANT_STEPSMALL", span, "the step of lquantize( ) is so small that there "
                    f"would be {levels} levels; {_UINT16} are possible")
    return step << 48 | levels << 32 | base & 0xFFFFFFFF, min(len(arguments), 4)


def _step(value: Value) -> int:
    if not isinstance(value, Constant) or value.value == 0 or \
            (value.type.is_signed() and value.value >> 63):
        raise error("D_LQUANT_STEPTYPE", value.span,
                    "the step of lquantize( ) is to be a positive constant")
    if value.value > _UINT16:
        raise error("D_LQUANT_STEPVAL", value.span, f"the step of lquantize( ) is to be {_UINT16} or less")
    return value.value


def _match_levels(aggregation: Aggregation, kind: int, arg: int, span: Span) -> None:
    """Require that every use of an aggregation has the levels of its first use."""
    if aggregation.levels in (0, arg):
        aggregation.levels = arg
        return
    if kind is ActionKind.AGG_LQUANTIZE:
        _mismatched_lquantize(aggregation.levels, arg, span)
    for number, part in enumerate(_PARTS, 1):
        expected, found = aggregation.levels >> part.shift & _UINT16, arg >> part.shift & _UINT16
        if expected != found:
            raise error(f"D_LLQUANT_{part.tag}MATCH", span, f"the {part.name} of llquantize( ), argument "
                        f"#{number}, is {found} here and {expected} where the aggregation is first used")


def _mismatched_lquantize(old: int, new: int, span: Span) -> None:
    def unpack(arg: int) -> tuple[int, int, int]:
        base = arg & 0xFFFFFFFF
        base -= (base >> 31) << 32
        step, levels = arg >> 48, arg >> 32 & _UINT16
        return base, base + levels * step, step

    names = (("BASE", "lower bound"), ("LIM", "upper bound"), ("STEP", "step"))
    for number, ((tag, name), expected, found) in enumerate(
            zip(names, unpack(old), unpack(new), strict=True), 1):
        if expected != found:
            raise error(f"D_LQUANT_MATCH{tag}", span, f"the {name} of lquantize( ), argument #{number}, is "
                        f"{found} here and {expected} where the aggregation is first used")


# -- llquantize ----------------------------------------------------------------------------------------------

class _Part(NamedTuple):
    tag: str
    name: str
    shift: int


_PARTS = (_Part("FACTOR", "factor", 48), _Part("LOW", "low magnitude", 32),
          _Part("HIGH", "high magnitude", 16), _Part("NSTEP", "steps in each magnitude", 0))


def _llquantize(function: FunctionCall, span: Span) -> int:
    """The packed factor, magnitudes and steps."""
    arg = 0
    values: list[int] = []
    for number, (part, value) in enumerate(zip(_PARTS, function.arguments[1:], strict=False), 1):
        what = f"argument #{number} of llquantize( ), the {part.name}, is to be an"
        if not isinstance(value, Constant):
            raise error(f"D_LLQUANT_{part.tag}TYPE", value.span, f"{what} integer constant")
        if value.value > _UINT16:
            raise error(f"D_LLQUANT_{part.tag}VAL", value.span, f"{what} integer from 0 to {_UINT16}")
        values.append(value.value)
        arg |= value.value << part.shift
    factor, low, high, steps = values
    if factor < 2:
        raise error("D_LLQUANT_FACTORSMALL", span, "the factor of llquantize( ) is to be at least 2")
    if low >= high:
        raise error("D_LLQUANT_MAGRANGE", span, "the high magnitude of llquantize( ) is not above its "
                    "low magnitude")
    if steps < factor:
        raise error("D_LLQUANT_FACTORNSTEPS", span, "llquantize( ) needs at least as many steps in each "
                    f"magnitude as its factor, which is {factor}")
    covering = next(power for power in (factor ** each for each in range(1, 17)) if power >= steps)
    if steps % factor or covering % steps:
        raise error("D_LLQUANT_FACTOREVEN", span, f"the steps in each magnitude of llquantize( ) are to be "
                    f"a multiple of its factor, {factor}, and a divisor of one of its powers")
    if (factor ** (high + 2)).bit_length() > 64:
        raise error("D_LLQUANT_MAGTOOBIG", span, f"llquantize( ) would count up to {factor} to the power of "
                    f"{high + 1}, which takes more than 64 bits")
    return arg
