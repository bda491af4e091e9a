"""How DIF reads and assigns variables, and makes tuples of values; both engines come here."""

from __future__ import annotations

from collections.abc import Sequence

from dif import isa
from dif.arithmetic import SIGN
from dif.difo import DifType, DifVar
from dof.options import STRSIZE_DEFAULT
from runtime.framework.base.faults import DifFault, FaultKind
from runtime.framework.firing.dynamicvariables import Key, Table
from runtime.framework.firing.firing import Firing
from runtime.framework.values.builtins import getters

TupleEntry = tuple[int, int]  # value and size; size 0 is by value


# -- built-in variables -----------------------------------------------------------------------------

def builtin(firing: Firing, number: int, index: int) -> int:
    """A built-in variable.  Raises DifFault(ILLOP) for one that does not exist."""
    getter = getters(firing.environment.platform.target).get(number)
    if getter is None:
        raise DifFault(FaultKind.ILLOP)
    return getter(firing, index)


# -- globals and clause-locals ------------------------------------------------------------------------

def assign(firing: Firing, scope: int, number: int, value: int) -> None:
    """Assign to the global or clause-local variable of that id."""
    variables = firing.environment.variables
    index = number - isa.VAR_OTHER_UBASE
    if scope == isa.SCOPE_GLOBAL:
        values, data = variables.globals, variables.global_data
    else:
        values, data = variables.locals[firing.cpu], variables.local_data[firing.cpu]
    address = data.get(index)
    if address is not None and value:
        values[index] = address
        copy_value(firing, variables.reference(scope, number).type, value, address)
    else:
        values[index] = value


# -- dynamic variables --------------------------------------------------------------------------------

def parts(firing: Firing, entries: Sequence[TupleEntry]) -> tuple[object, ...]:
    """Tuple entries as key parts: integers, and the bytes of by-reference entries.

    Raises DifFault where those bytes cannot be loaded.
    """
    return tuple([firing.load(value, size) if size else value for value, size in entries])


def copy_value(firing: Firing, kind: DifType, source: int, target: int) -> None:
    """Assign a by-reference value.  Raises DifFault where `source` cannot be loaded."""
    if kind.kind == isa.TYPE_STRING:
        text = firing.string(source, kind.size)
        firing.memory.poke(target, (text + b"\0")[:kind.size])
    else:
        firing.memory.poke(target, firing.load(source, kind.size))


def store(firing: Firing, table: Table, key: Key, variable: DifVar, value: int) -> bool:
    """Assign to the variable `key` of `table`; 0 frees it.  Returns whether the record is dropped."""
    dynamic = firing.environment.dynamic
    if not value:
        dynamic.release(firing.cpu, table, key)
        return False
    by_reference = variable.type.flags & isa.TF_BYREF
    address = table.get(key) if by_reference or key in table else None
    if address is None:
        address = dynamic.allocate(firing.cpu, table, key, max(variable.type.size, 8), by_reference)
        if address <= 0:
            return address < 0
    if by_reference:
        copy_value(firing, variable.type, value, address)
    else:
        table[key] = value
    return False


# -- tuples -------------------------------------------------------------------------------------------

def push_reference(firing: Firing, kind: int, address: int, size: int) -> TupleEntry:
    """The tuple entry of a by-reference push.  Raises DifFault."""
    if kind == isa.TYPE_STRING:
        return address, len(firing.memory.string(address, size or STRSIZE_DEFAULT)) + 1
    if size >= SIGN:
        raise DifFault(FaultKind.ILLOP)
    return address, size
