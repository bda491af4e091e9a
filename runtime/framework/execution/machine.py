"""The DIF machine, plainly: one handler an instruction, in the order of the ISA table.

This engine is the definition; the translating one must agree with it in
results, faults and state.  Registers hold unsigned 64-bit values and begin as
zero; %r0 is always zero.  Shift counts are taken modulo 64.  A comparison
keeps n (the difference's sign bit), z (equal) and c (unsigned less).
"""

from __future__ import annotations

from collections.abc import Callable

from dif import isa
from dif.arithmetic import COMPUTE, MASK, TAKEN, compare
from dif.isa import Fields, Op
from runtime.framework.base.faults import DifFault, FaultKind
from runtime.framework.execution import variables
from runtime.framework.firing.code import Code
from runtime.framework.firing.firing import Firing


class Machine:
    """The registers of one evaluation."""

    __slots__ = ("c", "code", "firing", "n", "pc", "regs", "stack", "value", "z")

    def __init__(self, code: Code, firing: Firing) -> None:
        self.code = code
        self.firing = firing
        self.regs = [0] * isa.NREGS
        self.pc = 0
        self.n = self.z = self.c = False
        self.stack: list[variables.TupleEntry] = []
        self.value = 0


Handler = Callable[[Machine, Fields], None]
_HANDLERS: dict[int, Handler] = {}


def _handles(*ops: int) -> Callable[[Handler], Handler]:
    def enter(handler: Handler) -> Handler:
        _HANDLERS.update(dict.fromkeys(map(int, ops), handler))
        return handler
    return enter


def evaluate(code: Code, firing: Firing) -> int:
    """Run a validated object; its return value.  Raises DifFault with the offset set."""
    machine = Machine(code, firing)
    text = code.text
    length = len(text)
    try:
        while machine.pc < length:
            fields = text[machine.pc]
            machine.pc += 1
            _HANDLERS[fields.op](machine, fields)
    except DifFault as fault:
        fault.offset = (machine.pc - 1) * 4
        raise
    return machine.value


# -- arithmetic ------------------------------------------------------------------------------------

@_handles(*COMPUTE)
def _compute(m: Machine, f: Fields) -> None:
    try:
        m.regs[f.rd] = COMPUTE[f.op](m.regs[f.r1], m.regs[f.r2]) & MASK
    except ZeroDivisionError:
        raise DifFault(FaultKind.DIVZERO) from None


# -- comparison and branches -------------------------------------------------------------------------

@_handles(Op.CMP)
def _cmp(m: Machine, f: Fields) -> None:
    m.n, m.z, m.c = compare(m.regs[f.r1], m.regs[f.r2])


@_handles(Op.TST)
def _tst(m: Machine, f: Fields) -> None:
    m.n, m.z, m.c = False, m.regs[f.r1] == 0, False


@_handles(Op.SCMP)
def _scmp(m: Machine, f: Fields) -> None:
    order = m.firing.order(m.regs[f.r1], m.regs[f.r2])
    m.n, m.z, m.c = order < 0, order == 0, False


@_handles(*TAKEN)
def _branch(m: Machine, f: Fields) -> None:
    if TAKEN[f.op](m.n, m.z, m.c):
        m.pc = f.label


# -- loads and stores ----------------------------------------------------------------------------------

@_handles(*(row.code for row in isa.OPCODES.values() if row.format == isa.Format.LOAD))
def _load(m: Machine, f: Fields) -> None:
    row = isa.OPCODES[f.op]
    address = m.regs[f.r1]
    if row.space == "user":
        raw = m.firing.user(address, row.size)
    else:  # for tracers with few privileges every load is checked, not the rld instructions alone
        raw = m.firing.scalar(address, row.size)
    m.regs[f.rd] = int.from_bytes(raw, "little", signed=row.signed) & MASK


@_handles(Op.STB, Op.STH, Op.STW, Op.STX)
def _store(m: Machine, f: Fields) -> None:
    m.firing.store_integer(m.regs[f.rd], m.regs[f.r1], isa.OPCODES[f.op].size)


@_handles(Op.ALLOCS)
def _allocs(m: Machine, f: Fields) -> None:
    m.regs[f.rd] = m.firing.allocate_zeroed(m.regs[f.r1])


@_handles(Op.COPYS)
def _copys(m: Machine, f: Fields) -> None:
    m.firing.copy(m.regs[f.r1], m.regs[f.rd], m.regs[f.r2])


# -- constants, nothing, the end ------------------------------------------------------------------------

@_handles(Op.SETX)
def _setx(m: Machine, f: Fields) -> None:
    m.regs[f.rd] = m.code.integers[f.imm]


@_handles(Op.SETS)
def _sets(m: Machine, f: Fields) -> None:
    m.regs[f.rd] = m.code.strings + f.imm


@_handles(Op.NOP)
def _nop(m: Machine, f: Fields) -> None:
    pass


@_handles(Op.RET)
def _ret(m: Machine, f: Fields) -> None:
    m.value = m.regs[f.rd]
    m.pc = len(m.code.text)


# -- variables -------------------------------------------------------------------------------------------

@_handles(Op.LDGA)
def _ldga(m: Machine, f: Fields) -> None:
    m.regs[f.rd] = variables.builtin(m.firing, f.r1, m.regs[f.r2])


@_handles(Op.LDTA)
def _ldta(m: Machine, f: Fields) -> None:
    raise DifFault(FaultKind.ILLOP)


@_handles(Op.LDGS)
def _ldgs(m: Machine, f: Fields) -> None:
    if f.imm >= isa.VAR_OTHER_UBASE:
        m.regs[f.rd] = m.firing.environment.variables.globals[f.imm - isa.VAR_OTHER_UBASE]
    else:
        m.regs[f.rd] = variables.builtin(m.firing, f.imm, 0)


@_handles(Op.LDLS)
def _ldls(m: Machine, f: Fields) -> None:
    number = f.imm - isa.VAR_OTHER_UBASE
    m.regs[f.rd] = m.firing.environment.variables.locals[m.firing.cpu][number] if number >= 0 else 0


@_handles(Op.STGS)
def _stgs(m: Machine, f: Fields) -> None:
    variables.assign(m.firing, isa.SCOPE_GLOBAL, f.imm, m.regs[f.rd])


@_handles(Op.STLS)
def _stls(m: Machine, f: Fields) -> None:
    variables.assign(m.firing, isa.SCOPE_LOCAL, f.imm, m.regs[f.rd])


@_handles(Op.LDTS)
def _ldts(m: Machine, f: Fields) -> None:
    m.regs[f.rd] = m.firing.environment.dynamic.threads[f.imm].get(m.firing.thread_key(), 0)


@_handles(Op.STTS)
def _stts(m: Machine, f: Fields) -> None:
    environment = m.firing.environment
    m.firing.dropped |= variables.store(
        m.firing, environment.dynamic.threads[f.imm], m.firing.thread_key(),
        environment.variables.reference(isa.SCOPE_THREAD, f.imm), m.regs[f.rd])


@_handles(Op.LDGAA, Op.LDTAA)
def _load_array(m: Machine, f: Fields) -> None:
    members = variables.parts(m.firing, m.stack)
    if f.op == Op.LDGAA:
        m.regs[f.rd] = m.firing.environment.dynamic.arrays.get((f.imm, *members), 0)
    else:
        key = (f.imm, m.firing.thread_key(), *members)
        m.regs[f.rd] = m.firing.environment.dynamic.thread_arrays.get(key, 0)


@_handles(Op.STGAA, Op.STTAA)
def _store_array(m: Machine, f: Fields) -> None:
    environment = m.firing.environment
    members = variables.parts(m.firing, m.stack)
    if f.op == Op.STGAA:
        table, key, scope = environment.dynamic.arrays, (f.imm, *members), isa.SCOPE_GLOBAL
    else:
        table, scope = environment.dynamic.thread_arrays, isa.SCOPE_THREAD
        key = (f.imm, m.firing.thread_key(), *members)
    m.firing.dropped |= variables.store(m.firing, table, key, environment.variables.reference(scope, f.imm),
                                      m.regs[f.rd])


# -- tuples and subroutines ------------------------------------------------------------------------------

@_handles(Op.PUSHTR, Op.PUSHTV)
def _push(m: Machine, f: Fields) -> None:
    if len(m.stack) == isa.NTUPLE:
        raise DifFault(FaultKind.TUPOFLOW)
    if f.op == Op.PUSHTR:
        m.stack.append(variables.push_reference(m.firing, f.r1, m.regs[f.rd], m.regs[f.r2]))
    else:
        m.stack.append((m.regs[f.rd], 0))


@_handles(Op.POPTS)
def _popts(m: Machine, f: Fields) -> None:
    if m.stack:
        m.stack.pop()


@_handles(Op.FLUSHTS)
def _flushts(m: Machine, f: Fields) -> None:
    m.stack.clear()


@_handles(Op.CALL)
def _call(m: Machine, f: Fields) -> None:
    from runtime.framework.values.subroutines import subroutines

    subroutine = subroutines(m.firing.environment.platform.target)[f.imm]
    values = subroutine.values([value for value, _size in m.stack])
    result = (subroutine.function(m.firing, *values, old=m.regs[f.rd]) if subroutine.wants_old
              else subroutine.function(m.firing, *values))
    if result is not None:
        m.regs[f.rd] = result
