"""How DIF loads and stores dynamic variables; both engines come here."""

from __future__ import annotations

from collections.abc import Sequence

from dif import isa
from dif.difo import DifType, DifVar
from dif.isa import Op
from dof.optionids import OptionId
from runtime.framework.execution.code import Code
from runtime.framework.execution.firing import Firing
from runtime.framework.tracing.options import defaults
from runtime.framework.values.dynvar import Key, Table, chunk_size

TupleEntry = tuple[int, int]  # value and size; size 0 is by value


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
    """Assign to the variable `key` of `table`, 0 frees it; whether the clause's record is dropped."""
    dynamic = firing.state.dynamic
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


def chunk_needed(code: Code) -> int:
    """Chunk size that the object's largest dynamic variable needs, as far as its text tells; 0: none.

    Sizes of by-reference tuple members are known where an integer constant
    precedes the push.
    """
    largest = 0
    stack: list[int] = []
    constant: int | None = None
    default = defaults()[OptionId.STRSIZE]
    for fields in code.text:
        op, previous, constant = fields.op, constant, None
        scope = isa.SCOPE_THREAD if op in (Op.STTS, Op.STTAA) else isa.SCOPE_GLOBAL
        if op == Op.SETX:
            constant = code.integers[fields.imm]
        elif op in (Op.PUSHTR, Op.PUSHTV) and len(stack) < isa.NTUPLE:
            if op == Op.PUSHTV:
                stack.append(0)
            elif previous:
                stack.append(previous)
            else:
                stack.append(default if fields.r1 == isa.TYPE_STRING else 0)
        elif op == Op.POPTS and stack:
            stack.pop()
        elif op == Op.FLUSHTS:
            stack = []
        if op not in (Op.STTS, Op.STGAA, Op.STTAA):
            continue
        members = [] if op == Op.STTS else stack
        nkeys = len(members) + (1 if op == Op.STGAA else 2)
        sizes = sum((size + 7) & ~7 for size in members)
        data = [variable.type.size for variable in code.difo.vartab
                if variable.id == fields.imm and variable.scope == scope]
        largest = max(largest, chunk_size(nkeys, sizes, max(data[0] if data else 0, 8)))
    return largest
