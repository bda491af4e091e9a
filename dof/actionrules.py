"""What a kernel refuses of a clause's actions when a probe matches it, beyond what it refuses in DOF itself.

The rules are those of the Dynamic Tracing Guide's chapters on actions, aggregations and speculative tracing,
as kernels apply them when they make an enabling's control blocks (dtrace_ecb_action_add).
"""

from __future__ import annotations

from collections.abc import Sequence

from dif import isa
from dif.difo import DifType
from dof.model import ACTION_NAMES, Action, ActionClass, ActionKind


class Refused(ValueError):
    """Why a kernel refuses a clause: one line."""


_EXPRESSIONS = frozenset((ActionKind.DIFEXPR, ActionKind.PRINTF, ActionKind.PRINTA, ActionKind.SYSTEM,
                          ActionKind.FREOPEN, ActionKind.LIBACT, ActionKind.TRACEMEM,
                          ActionKind.TRACEMEM_DYNSIZE))
_SYMBOLS = frozenset((ActionKind.SYM, ActionKind.MOD, ActionKind.USYM, ActionKind.UMOD, ActionKind.UADDR))
_STACKS = frozenset((ActionKind.STACK, ActionKind.USTACK, ActionKind.JSTACK))
_VALUED = frozenset((ActionKind.CHILL, ActionKind.RAISE, ActionKind.SPECULATE, ActionKind.COMMIT,
                     ActionKind.DISCARD))
_BARE = frozenset((ActionKind.STOP, ActionKind.BREAKPOINT, ActionKind.PANIC))
# The size that the value of an action must have, by value.
_SIZES = {ActionKind.EXIT: 4, **dict.fromkeys(_SYMBOLS, 8)}
_NEED_OBJECT = _EXPRESSIONS | _VALUED | _SIZES.keys() | {ActionKind.PRINTM}
_KNOWN = _NEED_OBJECT | _STACKS | _BARE
# What records nothing and so is no key of an aggregation.
_EFFECTS = frozenset((ActionKind.EXIT, ActionKind.STOP, ActionKind.BREAKPOINT, ActionKind.PANIC,
                      ActionKind.CHILL, ActionKind.RAISE))
_AGGREGATIONS = frozenset(range(ActionKind.AGG_COUNT, ActionKind.AGG_LLQUANTIZE + 1))
_EXPONENTS = range(1, 17)  # 2**16 is more than an llquantize() can have steps


def check_actions(actions: Sequence[Action]) -> None:
    """Raise Refused for the actions of one clause that no kernel takes."""
    keys: set[int] = set()  # numbers of actions that are in some aggregation's tuple
    for number, action in enumerate(actions):
        if action.kind & 0xFF00 == ActionClass.AGGREGATION:
            keys |= _tuple(actions, number)
        else:
            _check_action(action)
            _check_order(actions, number, keys)


def _check_action(action: Action) -> None:
    kind = action.kind
    if kind not in _KNOWN:
        raise Refused(f"unknown action {kind:#x}")
    if action.difo is None:
        if kind in _NEED_OBJECT:
            raise Refused(f"action {ACTION_NAMES[kind]} without a DIF object")
        return
    result = action.difo.rtype
    by_reference = bool(result.flags & isa.TF_BYREF)
    if kind in _EXPRESSIONS and _is_text(result) and not by_reference:
        raise Refused("a string of size 0 that is not by reference")
    if kind in _SIZES and (result.size != _SIZES[kind] or by_reference):
        raise Refused("exit() whose status is not 4 bytes" if kind == ActionKind.EXIT else
                      "a symbol action whose value is not 8 bytes")


def _is_text(result: DifType) -> bool:
    """Whether the value is a string that has the size of strings."""
    return result.kind == isa.TYPE_STRING and not result.size


def _records(action: Action) -> bool:
    """Whether an action has a record."""
    if action.difo is None or action.kind in _STACKS or action.kind in _SIZES:
        return action.kind in _STACKS or action.kind in _SIZES
    return action.kind in _EXPRESSIONS | {ActionKind.PRINTM} and \
        (bool(action.difo.rtype.size) or _is_text(action.difo.rtype))


def _check_order(actions: Sequence[Action], number: int, keys: set[int]) -> None:
    action, before = actions[number], actions[:number]
    if action.kind == ActionKind.SPECULATE and any(
            at not in keys and (_records(each) or each.kind in _AGGREGATIONS)
            for at, each in enumerate(before)):
        raise Refused("speculate() after a recording action")
    if any(each.kind == ActionKind.COMMIT for each in before) and \
            (_records(action) or action.kind in (ActionKind.SPECULATE, ActionKind.COMMIT)):
        raise Refused("recording action, speculate() or commit() after commit()")


def _tuple(actions: Sequence[Action], number: int) -> set[int]:
    """The numbers of the actions in an aggregation's tuple.  Raises Refused."""
    action = actions[number]
    if any(each.kind in (ActionKind.COMMIT, ActionKind.SPECULATE) for each in actions[:number]):
        raise Refused("aggregation after commit() or speculate()")
    check_aggregation(action.kind, action.arg)
    first = number - action.ntuple
    keys = actions[max(first, 0):number]
    if not action.ntuple or first < 0 or any(each.kind in _AGGREGATIONS for each in keys):
        raise Refused("aggregation without as many actions before it as its tuple has")
    if any(each.kind & 0xFF00 == ActionClass.SPECULATIVE or each.kind in _EFFECTS for each in keys):
        raise Refused("an action that records nothing in an aggregation's tuple")
    return set(range(first, number))


def check_aggregation(kind: int, arg: int) -> None:
    """Raise Refused for an aggregating function that there is not, or whose parameters make no buckets."""
    if kind not in _AGGREGATIONS:
        raise Refused(f"unknown aggregating function {kind:#x}")
    if kind == ActionKind.AGG_LQUANTIZE:
        _base, step, levels = lquantize_arg(arg)
        if not step or not levels:
            raise Refused("lquantize() with no step or no levels")
    elif kind == ActionKind.AGG_LLQUANTIZE:
        factor, low, high, steps = llquantize_arg(arg)
        if not 2 <= factor <= steps or high <= low:
            raise Refused("llquantize() whose factor is below 2, or above its steps, or which has no orders")
        covering = min(power for power in (factor ** each for each in _EXPONENTS) if power >= steps)
        if steps % factor or covering % steps:
            raise Refused("llquantize() whose steps are no multiple of its factor, or divide no power of it")


def lquantize_arg(arg: int) -> tuple[int, int, int]:
    """Base (signed 32 bits), step and levels of an lquantize()."""
    base = arg & 0xFFFFFFFF
    return base - (base >> 31 << 32), arg >> 48 & 0xFFFF, arg >> 32 & 0xFFFF


def llquantize_arg(arg: int) -> tuple[int, int, int, int]:
    """Factor, low, high and steps of an llquantize()."""
    return arg >> 48 & 0xFFFF, arg >> 32 & 0xFFFF, arg >> 16 & 0xFFFF, arg & 0xFFFF
