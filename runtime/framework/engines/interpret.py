"""Running a clause with the interpreter: predicate, then each action, then the record.

This is the definition of what a firing does; the translating engine fuses the
same steps.  The predicate is evaluated before room is reserved, so a firing
that it rejects is never counted as a drop.
"""

from __future__ import annotations

from collections.abc import Sequence

from dif.arithmetic import MASK
from dof.model import ActionKind
from runtime.border import RECHDR
from runtime.framework.base.faults import DifFault
from runtime.framework.buffers.aggregation import FUNCTIONS
from runtime.framework.buffers.principal import Buffer
from runtime.framework.buffers.speculation import UNCOMMITTED
from runtime.framework.engines import actions
from runtime.framework.execution.machine import evaluate
from runtime.framework.firing.firing import Firing
from runtime.framework.probes.registry import Fire, Probe
from runtime.framework.tracing.clauses import Action, Aggregation
from runtime.framework.tracing.state import Ecb

_NO_LIMIT = 1 << 62
_INTEGER_SIZES = (1, 2, 4, 8)


def stored(value: actions.Value, size: int) -> bytes:
    """A record's bytes: integers truncated to `size`, bytes cut or filled with zeros."""
    if isinstance(value, bytes):
        return value[:size].ljust(size, b"\0")
    return (value & (1 << size * 8) - 1).to_bytes(size, "little") if size else b""


def key_value(value: actions.Value, action: Action) -> int | bytes:
    """A tuple member as a part of the index's key: two are equal just when their recorded bytes are."""
    if isinstance(value, bytes):
        return value[:action.size].rstrip(b"\0")
    return value & (1 << action.size * 8) - 1


def index_key(aggregation: Aggregation, values: Sequence[int | bytes]) -> object:
    """The key under which the index has the record: see AggregationBuffer."""
    return values[0] if aggregation.sizes == (8,) else (aggregation.shape, *values)


class _Run:
    """One clause in one firing."""

    def __init__(self, ecb: Ecb, firing: Firing) -> None:
        self.ecb = ecb
        self.firing = firing
        self.clause = ecb.clause
        self.state = ecb.state
        self.buffer: Buffer = ecb.state.buffers[firing.cpu]
        self.offset = 0
        self.position = 0
        self.committed = False
        self.value = 0  # of the latest expression, as an increment
        self.limit = _NO_LIMIT
        self.keys: dict[int, int | bytes] = {}  # by position, of the tuple being built

    def predicate(self) -> bool:
        predicate = self.clause.predicate
        return predicate is None or evaluate(predicate, self.firing) != 0

    def reserve(self) -> bool:
        self.offset = self.buffer.reserve(self.clause.needed, self.clause.alignment)
        if self.offset < 0:
            return False
        self.header(self.firing.now() if self.clause.size else 0)
        return True

    def header(self, timestamp: int) -> None:
        if self.clause.size:
            RECHDR.pack_into(self.buffer.data, self.offset, self.ecb.epid,
                             timestamp >> 32 & 0xFFFFFFFF, timestamp & 0xFFFFFFFF)
            end = self.offset + self.clause.size
            start = self.offset + RECHDR.size
            self.buffer.data[start:end] = bytes(end - start)

    def actions(self) -> None:
        for action in self.clause.actions:
            self.position = action.position
            if isinstance(action, Aggregation):
                self.aggregate(action)
                continue
            if action.code is not None:
                self.value = evaluate(action.code, self.firing)
            if self.firing.dropped:
                raise actions.Drop
            self.act(action)

    def act(self, action: Action) -> None:
        kind = action.kind
        if kind in actions.EFFECTS:
            actions.EFFECTS[kind](self.firing, self.ecb, self.value)
        elif kind == ActionKind.SPECULATE:
            self.speculate()
        elif kind == ActionKind.COMMIT:
            self.commit()
        else:
            self.record(action)

    def record(self, action: Action) -> None:
        recorder = actions.RECORDERS.get(action.kind)
        if recorder is not None:
            value = recorder(self.firing, self.ecb, action, self.value)
        else:
            value = actions.expression(self.firing, action, self.value, self.limit)
            self.limit = (self.value or _NO_LIMIT) if action.kind == ActionKind.TRACEMEM_DYNSIZE \
                else _NO_LIMIT
        if action.in_tuple:
            self.keys[action.position] = key_value(value, action)
        elif action.size:
            at = self.offset + action.offset
            self.buffer.data[at:at + action.size] = stored(value, action.size)

    def speculate(self) -> None:
        buffer = self.firing.environment.speculations.buffer(self.value, self.firing.cpu)
        if buffer is None:
            raise actions.Drop
        offset = buffer.reserve(self.clause.needed, self.clause.alignment)
        if offset < 0:
            raise actions.Drop
        self.buffer, self.offset = buffer, offset
        self.header(UNCOMMITTED)

    def commit(self) -> None:
        if self.clause.size:
            self.buffer.offset = self.offset + self.clause.size
        self.buffer = self.state.buffers[self.firing.cpu]
        self.committed = True
        self.firing.environment.speculations.commit(
            self.value, self.firing.cpu, self.buffer, self.state.sizes, self.firing.host.hrtime())

    def aggregate(self, action: Aggregation) -> None:
        increment = self.value if action.operand is not None else 1
        value = evaluate(action.code, self.firing) if action.code is not None else 0
        if self.firing.dropped:
            raise actions.Drop
        buffer = self.state.aggregation_buffers[self.firing.cpu]
        values = [self.keys[key.position] for key in action.keys]
        key = index_key(action, values)
        at = buffer.index.get(key)
        if at is None:
            at = buffer.insert(key, action.form)
        if self.state.contested(action):
            buffer.claim(at, action.kind)
        if at:
            FUNCTIONS[action.kind](buffer.words, at, value, increment)


def run(ecb: Ecb, firing: Firing) -> None:
    """Run a clause; faults go to the state, drops to the buffers' counts."""
    run = _Run(ecb, firing)
    try:
        if not run.predicate() or firing.dropped or not run.reserve():
            return
        run.actions()
    except actions.Drop:
        return
    except DifFault as fault:
        ecb.state.fault(ecb, firing, run.position, fault, run.buffer)
        return
    if not run.committed and run.clause.size:
        run.buffer.offset = run.offset + run.clause.size


def compile_probe(probe: Probe, ecbs: Sequence[Ecb]) -> Fire:
    """The interpreting engine's fire function for these clauses of a probe, in order."""
    def fire(a0: int, a1: int, a2: int, a3: int, a4: int) -> None:
        args = (a0 & MASK, a1 & MASK, a2 & MASK, a3 & MASK, a4 & MASK)
        for state in {ecb.state for ecb in ecbs}:
            state.environment.firing().strtok = 0
        for ecb in ecbs:
            state = ecb.state
            if not state.runs(probe):
                continue
            firing = state.environment.firing()
            firing.begin(probe, ecb.epid, args)
            if ecb.condition is None or ecb.condition.test(firing):
                run(ecb, firing)
    return fire


def integer_record(action: Action) -> bool:
    """Whether the action's record is a by-value integer."""
    if action.kind in (ActionKind.EXIT, ActionKind.SYM, ActionKind.MOD):
        return True
    if action.kind in actions.RECORDERS or action.code is None:
        return False
    return not action.code.difo.rtype.by_reference and action.size in _INTEGER_SIZES
