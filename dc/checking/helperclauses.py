"""What helpers may hold: clauses for dtrace:helper:ustack, with which a process names its own frames.

A kernel runs helpers for the process.  It accepts expressions only, and of those
only such as read the process itself; it refuses all others, silently, when the
process starts.  The compiler reports them as errors.
"""

from __future__ import annotations

from collections.abc import Sequence

from dc.diagnostics import Span, error
from dif.difo import Difo
from dof.model import Action, ActionKind


def check_actions(actions: Sequence[Action], span: Span, target: str) -> None:
    """Raise D_CG_EXPR for a statement that a helper may not have."""
    for action in actions:
        if action.kind != ActionKind.DIFEXPR:
            raise error("D_CG_EXPR", span, "a helper has no actions: its last expression names the frame")
        if action.difo is not None:
            check_expression(action.difo, span, target)


def check_expression(difo: Difo, span: Span, target: str) -> None:
    """Raise D_CG_EXPR for an expression that a helper may not evaluate."""
    from dif.validator import validate

    refusals = validate(difo, target=target, helper=True)
    if refusals:
        raise error("D_CG_EXPR", span, refusals[0].reason)
