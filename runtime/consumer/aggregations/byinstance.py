"""Aggregations of several instances kept apart: by a key that says which instance a row is of.

A pointer, and an address or a stack of a process, mean something in one instance alone: equal ones of two are
not the same.  So an aggregation with one among its keys has the instance's path as one more, its last.  (The
kernel's own symbols are the same in all instances of one version; runtime.instances.wire.addresses has more.)
"""

from __future__ import annotations

from dif.difo import Difo, DifType
from dif.isa import TF_BYREF, TYPE_STRING, VARIABLES, Op
from dif.records import replace
from dof.model import Action, ActionKind, Ecb
from runtime.consumer.aggregations.entries import INSTANCE_KEY, PAIRS
from runtime.consumer.events.stacks import USER_STACKS

OF_PROCESSES = USER_STACKS | PAIRS  # actions whose records begin with the number of a process
_INSTANCE = next(row.id for row in VARIABLES if row.name == "instance")
_POINTER = 3  # a pointer's kind in CTF


def by_instance(ecb: Ecb, size: int) -> Ecb:
    """Return a clause whose aggregations that need it have the instance among their keys, in `size` bytes."""
    load = Difo([Op.LDGS << 24 | _INSTANCE << 8 | 1, Op.RET << 24 | 1],
                DifType(TYPE_STRING, flags=TF_BYREF, size=size))
    actions: list[Action] = []
    for action in ecb.actions:
        first = len(actions) - action.ntuple
        keys = actions[first:] if action.ntuple else []
        if any(map(_of_one, keys)) and not any(loads(key.difo, _INSTANCE) for key in keys):
            added = Action(ActionKind.DIFEXPR, load, uarg=INSTANCE_KEY)
            actions.insert(len(actions) - _is_increment(keys[-1]), added)
            action = replace(action, ntuple=action.ntuple + 1)
        actions.append(action)
    return replace(ecb, actions=actions)


def _of_one(key: Action) -> bool:
    """Whether a key means something in one instance alone: a pointer as it is, what a process has."""
    return key.kind in OF_PROCESSES or (
        key.kind == ActionKind.DIFEXPR and key.difo is not None and key.difo.rtype.ckind == _POINTER)


def _is_increment(last: Action) -> bool:
    """Whether the last of a tuple is how much a quantizing function adds, and not a key."""
    return last.kind == ActionKind.DIFEXPR and last.difo is not None and not last.difo.rtype.size \
        and last.difo.rtype.kind != TYPE_STRING


def loads(difo: Difo | None, variable: int) -> bool:
    """Whether a DIF object does nothing but load a variable."""
    return difo is not None and len(difo.text) == 2 and difo.text[0] >> 24 == Op.LDGS \
        and difo.text[0] >> 8 & 0xFFFF == variable
