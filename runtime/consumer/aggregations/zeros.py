"""What a program's aggregations show where they have no value yet."""

from __future__ import annotations

from dof.model import ActionClass, Program
from runtime.consumer.aggregations.aggregate import Zero


def zeros_of(program: Program) -> dict[int, Zero]:
    """By aggregation variable.  A variable's id is the constant its first key action returns."""
    zeros: dict[int, Zero] = {}
    for ecb in program.ecbs:
        for index, action in enumerate(ecb.actions):
            if action.kind & 0xFF00 != ActionClass.AGGREGATION or index < action.ntuple or not action.ntuple:
                continue
            first = ecb.actions[index - action.ntuple].difo
            if first is not None and first.inttab:
                zeros.setdefault(first.inttab[0], Zero.of(action.kind, action.arg))
    return zeros
