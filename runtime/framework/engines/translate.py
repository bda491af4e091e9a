"""The translating engine: all clauses on a probe become one Python function.

The function runs the predicates, evaluates every action's expression into
local variables and packs the whole record with one call.  A fault is an
exception: the line of the function that raised it tells the instruction and the
action.  The interpreter runs objects that the emitter does not support, within
the same function.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence

from dif import isa
from dif.records import NamedTuple
from dof.model import ActionKind
from runtime.border import RECHDR
from runtime.framework.base.faults import NO_OFFSET, DifFault, FaultKind
from runtime.framework.buffers.aggregation import FUNCTIONS, QUANTIZE_ZERO
from runtime.framework.buffers.principal import Buffer
from runtime.framework.buffers.speculation import UNCOMMITTED
from runtime.framework.engines import actions, interpret
from runtime.framework.execution.emitter import (
    MASK_TEXT,
    SIGN_TEXT,
    Emitter,
    Line,
    Names,
    Site,
    Unsupported,
    Uses,
    Value,
    number,
)
from runtime.framework.execution.machine import evaluate
from runtime.framework.firing.code import Code
from runtime.framework.probes.registry import ARGUMENTS, Fire, Probe
from runtime.framework.tracing.clauses import Action, Aggregation
from runtime.framework.tracing.state import Ecb

_DROPPING = frozenset({ActionKind.EXIT, ActionKind.PRINTM})  # they may raise actions.Drop
_USER_STACKS = frozenset({ActionKind.USTACK, ActionKind.JSTACK})
_NO_LIMIT = str(1 << 62)
_INTEGERS = {1: "B", 2: "H", 4: "I", 8: "Q"}
_CLAUSE_DEPTH = 3  # of nesting: fire, try, while


class _Place(NamedTuple):
    """What a line of the generated function stands for."""

    position: int
    offset: int


class _ClauseWriter:
    """Writes one clause."""

    def __init__(self, ecb: Ecb, names: Names, serial: int) -> None:
        self.ecb = ecb
        self.clause = ecb.clause
        self.state = ecb.state
        self.environment = ecb.state.environment
        self.names = names
        self.uses = Uses()
        self.uses.firing = not ecb.sees_all
        self.uses.context = ecb.condition is not None
        self.site = Site(self.environment, ecb.probe, ecb.epid, names, self.uses, ecb.sees_all)
        self.serial = serial
        self.body: list[tuple[Line, int]] = []  # with the action's position
        self.position = 0
        self._objects = 0
        self._values: dict[int, str] = {}  # by position: text of what the action records
        self._layout = "<III"
        self._packed: list[str] = []
        self._end = RECHDR.size
        self._stamp = "ts"  # the header's timestamp
        self._limit = _NO_LIMIT  # bytes that tracemem() records
        self._committed = False
        self._chills = self.performs(ActionKind.CHILL)

    def performs(self, *kinds: int) -> bool:
        """Whether an action of the clause is one of `kinds`."""
        return any(action.kind in kinds for action in self.clause.actions)

    def line(self, text: str, depth: int = 0) -> None:
        self.body.append((Line(_CLAUSE_DEPTH + depth, text), self.position))

    # -- expressions ---------------------------------------------------------------------------------

    def evaluate(self, code: Code, *, test: bool = False) -> Value:
        """Write the evaluation of an object; returns its value."""
        self._objects += 1
        serial = self.serial * 1000 + self._objects
        emitter = Emitter(code, self.site, serial, _CLAUSE_DEPTH, test)
        try:
            emitter.write()
        except Unsupported:
            return self._interpret(code, serial, test)
        self.body += [(line, self.position) for line in emitter.lines]
        if code.may_drop and self.uses.drops:
            self.line("if drop: break")
        return emitter.result or number(1)

    def _interpret(self, code: Code, serial: int, test: bool) -> Value:
        self.uses.firing = True
        self.uses.loads.clear()
        call = f"{self.names.add('evaluate', evaluate)}({self.names.add('code', code)}, f)"
        self.line(f"v{serial} = {call}")
        if code.may_drop:
            self.line("if f.dropped: break")
        if test:
            self.line(f"if not v{serial}: break")
        return Value(f"v{serial}")

    # -- the clause ----------------------------------------------------------------------------------

    def write(self) -> None:
        """Fill `body`."""
        if self.performs(ActionKind.SPECULATE):
            self.line("s = None")
        if self.clause.predicate is not None:
            self.evaluate(self.clause.predicate, test=True)
        reserves = self._reserve()
        if self._chills and self.clause.size:
            self._stamp = "h"
            self.line("h = ts")
        for action in self.clause.actions:
            self.position = action.position
            if isinstance(action, Aggregation):
                self._aggregate(action)
            else:
                self._act(action)
        self.position = 0
        if reserves and not self._committed:
            self._write_record()
        self.line("break")

    def _reserve(self) -> bool:
        """Reserve room, even for a clause that records nothing: a full buffer drops it, too.

        Returns whether there is a record to write.
        """
        buffers, needed, alignment = self.state.buffers, self.clause.needed, self.clause.alignment
        plain_ones = all(type(b) is Buffer and b.active for b in buffers)
        highest = min(b.size for b in buffers) - needed - alignment  # up to here there surely is room
        if plain_ones and highest >= 0 and not self.state.records(len(self.ecb.probe.ecbs)):
            return False  # the buffers are empty
        buffer = self.names.per_cpu("buffers", buffers)
        if not self.clause.size:
            room = f"{buffer}.offset > {highest} and " if plain_ones else ""
            self.line(f"if {room}{buffer}.reserve({needed}, {alignment}) < 0: break")
            return False
        self.line(f"b = {buffer}")
        reserve = f"b.reserve({needed}, {alignment})"
        depth = 0
        if plain_ones:
            depth = 1
            self.line("o = b.offset")
            self.line(f"if o & {alignment - 1} or o > {highest}:")
        self.line(f"o = {reserve}", depth)
        self.line("if o < 0: break", depth)
        return True

    def _act(self, action: Action) -> None:
        value = self.evaluate(action.code) if action.code is not None else number(0)
        if action.kind in actions.EFFECTS:
            self.uses.firing = True
            effect = self.names.add("effect", actions.EFFECTS[action.kind])
            self.line(f"{effect}(f, {self.names.add('ecb', self.ecb)}, {value.text})")
            if action.kind == ActionKind.CHILL:
                self.line("ts = f.now()")
            return
        if action.kind == ActionKind.SPECULATE:
            self._speculate(value)
            return
        if action.kind == ActionKind.COMMIT:
            self._commit(value)
            return
        recorded = self._recorded(action, value)
        if self._chills:  # it may be the time as it is now
            recorded = self._kept(recorded)
        self._limit = f"({value.text} or {_NO_LIMIT})" if action.kind == ActionKind.TRACEMEM_DYNSIZE \
            else _NO_LIMIT
        if action.in_tuple:
            self._values[action.position] = recorded
        elif action.size:
            self._pack(action, recorded)

    def _recorded(self, action: Action, value: Value) -> str:
        """The text of what the action records, an integer cut to size or bytes."""
        as_it_is = action.kind in (ActionKind.SYM, ActionKind.MOD) and self.environment.credentials.kernel
        if action.kind in _USER_STACKS and self.ecb.sees_all and not action.arg >> 32:
            host = self.names.add("host", self.state.host)
            return self._kept(f"{self.names.add('user_stack', actions.user_stack)}({host}, {action.arg})")
        if action.kind in actions.RECORDERS and not as_it_is:
            self.uses.firing = True
            recorder = self.names.add("record", actions.RECORDERS[action.kind])
            ecb, what = self.names.add("ecb", self.ecb), self.names.add("action", action)
            return self._kept(f"{recorder}(f, {ecb}, {what}, {value.text})")
        if interpret.integer_record(action):
            if action.size * 8 >= value.bits:
                return value.text
            if value.const is not None:
                return str(value.const & (1 << action.size * 8) - 1)
            return f"({value.text} & {(1 << action.size * 8) - 1:#x})"
        if value.string is not None and action.code is not None and _is_string(action) \
                and action.code.difo.rtype.flags & isa.TF_BYREF:
            whole = action.size >= self.environment.strsize
            return value.string if whole else f"{value.string}[:{action.size}]"
        if not action.size and self.environment.credentials.kernel:
            return value.text if action.in_tuple else "0"
        self.uses.firing = True
        expression = self.names.add("expression", actions.expression)
        kept = self._kept(
            f"{expression}(f, {self.names.add('action', action)}, {value.text}, {self._limit})")
        return kept if action.size else value.text  # of no bytes the tracer's right to look there is checked

    def _kept(self, text: str) -> str:
        name = f"k{self.serial}_{self.position}"
        self.line(f"{name} = {text}")
        return name

    # -- principal records -----------------------------------------------------------------------------

    def _pack(self, action: Action, recorded: str) -> None:
        if action.offset > self._end:
            self._layout += f"{action.offset - self._end}x"
        self._end = action.offset + action.size
        if interpret.integer_record(action):
            self._layout += _INTEGERS[action.size]
        else:
            self._layout += f"{action.size}s"
        self._packed.append(recorded)

    def _write_record(self) -> None:
        if self.clause.size > self._end:
            self._layout += f"{self.clause.size - self._end}x"
        self.uses.timestamp = True
        pack = self.names.add("pack", struct.Struct(self._layout).pack_into)
        values = "".join(f", {text}" for text in self._packed)
        stamp = self._stamp
        self.line(f"{pack}(b.data, o, {self.ecb.epid}, {stamp} >> 32, {stamp} & 0xFFFFFFFF{values})")
        self.line(f"b.offset = o + {self.clause.size}")

    def _speculate(self, value: Value) -> None:
        """From here on the record goes into a speculation's buffer, `s`."""
        speculations = self.names.add("speculations", self.environment.speculations)
        self.line(f"b = {speculations}.buffer({value.text}, cpu)")
        self.line("if b is None: break")
        self.line(f"o = b.reserve({self.clause.needed}, {self.clause.alignment})")
        self.line("if o < 0: break")
        self.line("s = b")
        self._stamp = str(UNCOMMITTED)

    def _commit(self, value: Value) -> None:
        """The clause's own record first, then what was speculated."""
        if self.clause.size:
            self._write_record()
        if self.performs(ActionKind.SPECULATE):
            self.line("s = None")
        speculations = self.names.add("speculations", self.environment.speculations)
        self.line(f"b = {self.names.per_cpu('buffers', self.state.buffers)}")
        self.line(f"{speculations}.commit({value.text}, cpu, b, {self.names.add('sizes', self.state.sizes)}, "
                  f"{self.names.add('host', self.state.host)}.hrtime())")
        self._committed = True

    # -- aggregations ------------------------------------------------------------------------------------

    def _aggregate(self, action: Aggregation) -> None:
        value = self.evaluate(action.code) if action.code is not None else number(0)
        increment = "1"
        if action.operand is not None:
            increment = self._values[action.operand.position]
        parts = [self._key_part(key) for key in action.keys]
        key = parts[0] if action.sizes == (8,) else f"({', '.join([str(action.shape), *parts])},)"
        n = f"{self.serial}_{action.position}"
        if key.startswith("("):
            self.line(f"k = {key}")
            key = "k"
        buffers = self.names.per_cpu("aggregations", self.state.aggregation_buffers)
        form = self.names.add("form", action.form)
        if len(tables := self.state.aggregation_tables) == 1:
            find, words = self.names.add("find", tables[0][0]), self.names.add("words", tables[0][1])
        else:
            find, words = "find", "w"
            self.line(f"find, w = {self.names.add('tables', tables)}[cpu]")
        self.line(f"i = {find}({key})")
        self.line(f"if i is None: i = {buffers}.insert({key}, {form})")
        if self.state.contested(action):
            self.line(f"{buffers}.claim(i, {action.kind:d})")
        update = _UPDATES.get(action.kind)
        if update is not None and action.operand is None:
            for text in update(value, words, f"y{n}"):
                self.line(text)
        else:
            function = self.names.add("update", FUNCTIONS[action.kind])
            self.line(f"if i: {function}({words}, i, {value.text}, {increment})")

    def _key_part(self, key: Action) -> str:
        text = self._values[key.position]
        if not key.size:
            return "0"
        if interpret.integer_record(key):
            return text
        return f"{text}.rstrip(b'\\0')" if not _is_string(key) else text


def _is_string(action: Action) -> bool:
    return action.code is not None and action.code.difo.rtype.kind == isa.TYPE_STRING


# How generated code updates aggregation values in place: `words` names the buffer's words, i is the index of
# the record's first one.  If the record was dropped i is 0, where words lie that belong to no record.

def _count(value: Value, words: str, name: str) -> tuple[str, ...]:
    return (f"{words}[i] += 1",)


def _sum(value: Value, words: str, name: str) -> tuple[str, ...]:
    return (f"{words}[i] = ({words}[i] + {value.text}) & {MASK_TEXT}",)


def _avg(value: Value, words: str, name: str) -> tuple[str, ...]:
    return (f"{words}[i] += 1", f"{words}[i + 1] = ({words}[i + 1] + {value.text}) & {MASK_TEXT}")


def _extreme(sign: str) -> Callable[[Value, str, str], tuple[str, ...]]:
    def lines(value: Value, words: str, name: str) -> tuple[str, ...]:
        return (f"{name} = {value.text}",
                f"if {name} ^ {SIGN_TEXT} {sign} {words}[i] ^ {SIGN_TEXT}: {words}[i] = {name}")
    return lines


def _quantize(value: Value, words: str, name: str) -> tuple[str, ...]:
    named = value.text.isidentifier()
    name = value.text if named else name
    lines = (f"if i and {name} < {SIGN_TEXT}:",
             f"    i += {QUANTIZE_ZERO} + {name}.bit_length()",
             f"    {words}[i] = {words}[i] + 1 & {MASK_TEXT}",  # an increment may have led below zero
             f"elif i: quantize({words}, i, {name}, 1)")
    return lines if named else (f"{name} = {value.text}", *lines)


_UPDATES: dict[int, Callable[[Value, str, str], tuple[str, ...]]] = {
    ActionKind.AGG_COUNT: _count,
    ActionKind.AGG_SUM: _sum,
    ActionKind.AGG_AVG: _avg,
    ActionKind.AGG_MIN: _extreme("<"),
    ActionKind.AGG_MAX: _extreme(">"),
    ActionKind.AGG_QUANTIZE: _quantize,
}


# -- the function --------------------------------------------------------------------------------------------

class _ProbeWriter:
    """Puts the clauses of a probe together."""

    def __init__(self, probe: Probe, ecbs: Sequence[Ecb]) -> None:
        self.probe = probe
        self.ecbs = ecbs
        self.names = Names()
        self.lines: list[str] = []
        self.places: dict[int, _Place] = {}
        self._timed = 0  # clauses that need the time

    def _add(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def function(self) -> Fire:
        """Write, compile and make the function."""
        clauses = []
        for serial, ecb in enumerate(self.ecbs):
            writer = _ClauseWriter(ecb, self.names, serial)
            writer.write()
            clauses.append(writer)
        host = self.names.add("host", self.ecbs[0].state.host)
        self._add(0, "def fire(a0, a1, a2, a3, a4):")
        if self.ecbs[0].state.host.ncpus > 1:
            self._add(1, f"cpu = {host}.cpu")
        arguments = set().union(*(writer.uses.arguments for writer in clauses))
        if any(writer.uses.firing for writer in clauses):
            arguments = set(range(ARGUMENTS))
        self.probe.needs = max(arguments, default=-1) + 1
        for index in sorted(arguments):
            self._add(1, f"if a{index} < 0: a{index} &= {MASK_TEXT}")
        if any(writer.uses.context for writer in clauses):
            self._add(1, f"cur = {host}.current")
        if any(writer.uses.thread for writer in clauses):
            self._add(1, f"tid = {host}.current.tid")
        self._timed = sum(writer.uses.timestamp for writer in clauses)
        if self._timed > 1:
            self._add(1, "ts = 0")
        for state in {writer.state for writer in clauses if writer.uses.firing}:
            self._add(1, f"{self.names.per_cpu('firings', state.environment.firings)}.strtok = 0")
        exited: set[int] = set()
        for writer in clauses:
            self._clause(writer, exited)
        return self._make()

    def _clause(self, writer: _ClauseWriter, exited: set[int]) -> None:
        ecb, state, uses = writer.ecb, writer.state, writer.uses
        self._add(1, "try:")
        self._add(2, "while True:")
        own = self.probe.provider is state.registry.own.provider
        if own or id(state) in exited:
            runs = f"{self.names.add('state', state)}.runs({self.names.add('probe', self.probe)})"
            self._add(3, f"if not {runs}: break")
        if writer.performs(ActionKind.EXIT):
            exited.add(id(state))
        if ecb.condition is not None and ecb.condition.text is not None:
            self._add(3, f"if not ({ecb.condition.text}): break")
        if uses.firing:
            self._add(3, f"f = {self.names.per_cpu('firings', state.environment.firings)}")
            self._add(3, f"f.begin({self.names.add('probe', self.probe)}, {ecb.epid}, (a0, a1, a2, a3, a4))")
            if ecb.condition is not None and ecb.condition.text is None:
                self._add(3, f"if not {self.names.add('condition', ecb.condition.test)}(f): break")
        if uses.drops:
            self._add(3, "drop = False")
        if uses.locals:
            self._add(3, f"lv = {self.names.per_cpu('locals', state.environment.variables.locals)}")
        if uses.timestamp:
            now = self.names.add("hrtime", state.host.hrtime)
            self._add(3, f"{'if not ts: ' if self._timed > 1 else ''}ts = {now}()")
            if uses.firing:
                self._add(3, "f.timestamp = ts")
        for line, position in writer.body:
            self._add(line.depth, line.text)
            offset = line.offset if line.offset >= 0 else NO_OFFSET
            self.places[len(self.lines)] = _Place(position, offset)
        fault = self.names.add("fault", _fault_handler(ecb, self.places))
        buffer = ", s" if writer.performs(ActionKind.SPECULATE) else ""
        self._add(1, f"except {self.names.add('faults', _FAULTS)} as e: {fault}(e, cpu{buffer})")
        if writer.performs(*_DROPPING):
            self._add(1, f"except {self.names.add('drop', actions.Drop)}: pass")

    def _make(self) -> Fire:
        """Compile it.  What it refers to are its globals: Python finds those quicker than a closure's."""
        names = _GLOBALS | self.names.values
        code = compile("\n".join(self.lines), f"<clauses of {':'.join(self.probe.description[:4])}>", "exec")
        exec(code, names)
        fire: Fire = names["fire"]  # type: ignore[assignment]
        return fire


_FAULTS = (DifFault, ZeroDivisionError)
_GLOBALS: dict[str, object] = {"from_bytes": int.from_bytes, "quantize": FUNCTIONS[ActionKind.AGG_QUANTIZE],
                               "cpu": 0}  # unless there are several


def _fault_handler(ecb: Ecb, places: dict[int, _Place]) -> Callable[..., None]:
    """Returns a function that tells the state of a fault; the line that raised it tells where it was.

    The fault counts with the CPU's principal buffer unless a speculation's is given.
    """
    def handle(error: Exception, cpu: int, buffer: Buffer | None = None) -> None:
        fault = error if isinstance(error, DifFault) else DifFault(FaultKind.DIVZERO)
        assert error.__traceback__ is not None
        place = places[error.__traceback__.tb_lineno]
        if fault.offset == NO_OFFSET:
            fault.offset = place.offset
        state = ecb.state
        firing = state.environment.firings[cpu]
        firing.probe = ecb.probe
        state.fault(ecb, firing, place.position, fault, buffer or state.buffers[cpu])
    return handle


def compile_probe(probe: Probe, ecbs: Sequence[Ecb]) -> Fire:
    """The translating engine's fire function for these clauses of a probe, in order."""
    return _ProbeWriter(probe, ecbs).function()
