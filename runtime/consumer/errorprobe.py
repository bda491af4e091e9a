"""The consumer's own enabling of dtrace:::ERROR, from which it learns of faults."""

from __future__ import annotations

from dif import isa
from dif.difo import Difo, DifType, DifVar
from dof.model import Action, ActionKind, Ecb, ProbeDesc, Program
from runtime.consumer.reader import ERROR_ECB

_INTEGER = 1  # CTF_K_INTEGER
_WORD = DifType(isa.TYPE_CTF, _INTEGER, 0, 8)


def error_program() -> Program:
    """dtrace:::ERROR { trace(arg1); … trace(arg5); }: epid, action, DIF offset, fault, address."""
    ids = {variable.name: variable.id for variable in isa.VARIABLES}
    actions = []
    for n in range(1, 6):
        number = ids[f"arg{n}"]
        text = [isa.wide(isa.Op.LDGS, number, 1), isa.fmt(isa.Op.RET, rd=1)]
        variable = DifVar(f"arg{n}", number, flags=isa.F_REF, type=_WORD)
        actions.append(Action(ActionKind.DIFEXPR, Difo(text, _WORD, vartab=[variable])))
    return Program([Ecb(ProbeDesc("dtrace", "", "", "ERROR"), actions=actions, uarg=ERROR_ECB)])
