"""DIF → Python statements: variables, tuples and subroutines (see emit)."""

from __future__ import annotations

from dif import isa
from dif.isa import Fields, Op
from dof.format import STRSIZE_DEFAULT
from runtime.framework.execution import interpret
from runtime.framework.execution.emit import EMITTERS, Emitter, Entry, Unsupported, Value, emits, number
from runtime.framework.values import dynamic

__all__ = ["EMITTERS"]

_PIDS = 31  # bits of process and thread numbers
_CONTEXT_NUMBERS = {"pid": _PIDS, "ppid": _PIDS, "tid": _PIDS, "uid": 32, "gid": 32, "errno": _PIDS}
_CONTEXT_STRINGS = ("execname", "zonename", "threadname")
_PROBE_STRINGS = {"probemod": "module", "probefunc": "function", "probename": "name"}


# -- built-in variables --------------------------------------------------------------------------------

def _argument(e: Emitter, index: int) -> Value:
    if index < 5 and e.state.credentials.kernel:
        e.uses.arguments.add(index)
        return Value(f"a{index}")
    e.uses.firing = True
    return e.temporary(f"f.argument({index})")


def _string(e: Emitter, text: str, size_limit: int) -> Value:
    """A kernel string given as the text of its bytes, at most `size_limit` of them."""
    intern = e.names.add("intern", e.state.framework.strings.intern)
    return Value(f"{intern}({text})", string=text if size_limit < e.strsize else None)


def _constant_string(e: Emitter, text: str) -> Value:
    raw = text.encode()
    address = e.state.framework.strings.intern(raw)
    return Value(str(address), 64, address, repr(raw) if len(raw) < e.strsize else None)


def _simple(e: Emitter, name: str) -> Value | None:
    """A built-in that needs no call; None if it does."""
    if name.startswith("arg") and name != "args":
        return _argument(e, int(name[3:]))
    if name in _CONTEXT_NUMBERS:
        e.uses.context = True
        return Value(f"cur.{name}", _CONTEXT_NUMBERS[name])
    if name in _CONTEXT_STRINGS:
        e.uses.context = True
        return _string(e, f"cur.{name}", 64)
    if name in _PROBE_STRINGS:
        return _constant_string(e, getattr(e.env.probe, _PROBE_STRINGS[name]))
    match name:
        case "curthread":
            e.uses.context = True
            return Value("cur.address")
        case "timestamp":
            e.uses.timestamp = True
            return Value("ts", 63)
        case "epid":
            return number(e.env.epid)
        case "id":
            return number(e.env.probe.id)
        case "ipl":
            return number(0)
        case "cpu":
            return Value("cpu", 31)
        case "probeprov":
            return _constant_string(e, e.env.probe.provider.name)
    return None


def _builtin(e: Emitter, register: int, identifier: int, index: Value) -> None:
    row = isa.variables(e.state.framework.target).get(identifier)
    if row is not None and row.name == "args" and index.const is not None:
        e.move(register, _argument(e, index.const))
        return
    if row is not None and row.kind == isa.KIND_SCALAR and e.state.credentials.kernel:
        value = _simple(e, row.name)
        if value is not None:
            if row.name in _CONTEXT_NUMBERS or row.name in ("curthread",):
                value = e.temporary(value.text, value.bits)
            e.move(register, value)
            return
    e.uses.firing = True
    getter = e.state.framework.getters.get(identifier)
    if getter is None:
        e.set(register, f"{e.names.add('builtin', interpret.builtin)}(f, {identifier}, {index.text})")
    else:
        e.set(register, f"{e.names.add('get', getter)}(f, {index.text})")


@emits(Op.LDGA)
def _ldga(e: Emitter, f: Fields) -> None:
    _builtin(e, f.rd, f.r1, e.regs[f.r2])


@emits(Op.LDTA)
def _ldta(e: Emitter, f: Fields) -> None:
    raise Unsupported


# -- globals and clause-locals ---------------------------------------------------------------------------

@emits(Op.LDGS)
def _ldgs(e: Emitter, f: Fields) -> None:
    if f.imm < isa.VAR_OTHER_UBASE:
        _builtin(e, f.rd, f.imm, number(0))
        return
    values = e.names.add("globals", e.state.variables.globals)
    e.set(f.rd, f"{values}[{f.imm - isa.VAR_OTHER_UBASE}]")


@emits(Op.LDLS)
def _ldls(e: Emitter, f: Fields) -> None:
    if f.imm < isa.VAR_OTHER_UBASE:
        e.move(f.rd, number(0))
        return
    e.uses.locals = True
    e.set(f.rd, f"lv[{f.imm - isa.VAR_OTHER_UBASE}]")


def _assign(e: Emitter, f: Fields, scope: int, values: str, by_reference: bool) -> None:
    value = e.regs[f.rd]
    if by_reference:
        e.uses.firing = True
        e.line(f"{e.names.add('assign', interpret.assign)}(f, {scope}, {f.imm}, {value.text})")
    else:
        e.line(f"{values}[{f.imm - isa.VAR_OTHER_UBASE}] = {value.text}")


@emits(Op.STGS)
def _stgs(e: Emitter, f: Fields) -> None:
    variables = e.state.variables
    _assign(e, f, isa.SCOPE_GLOBAL, e.names.add("globals", variables.globals),
            f.imm - isa.VAR_OTHER_UBASE in variables.global_data)


@emits(Op.STLS)
def _stls(e: Emitter, f: Fields) -> None:
    e.uses.locals = True
    _assign(e, f, isa.SCOPE_LOCAL, "lv", f.imm - isa.VAR_OTHER_UBASE in e.state.variables.local_data[0])


# -- dynamic variables -------------------------------------------------------------------------------------

def _key(e: Emitter, f: Fields) -> str:
    """The text of the key of the array element or thread-local that the instruction means."""
    members = [] if f.op in (Op.LDTS, Op.STTS) else [entry.part for entry in e.stack]
    thread = []
    if f.op not in (Op.LDGAA, Op.STGAA):
        e.uses.context = True
        thread = ["cur.tid"]
    return f"({', '.join([str(f.imm), *thread, *members])},)"


def _table(e: Emitter, op: int) -> str:
    tables = e.state.dynamic
    if op in (Op.LDTS, Op.STTS):
        return e.names.add("threads", tables.threads)
    if op in (Op.LDGAA, Op.STGAA):
        return e.names.add("arrays", tables.arrays)
    return e.names.add("thread_arrays", tables.thread_arrays)


@emits(Op.LDTS, Op.LDGAA, Op.LDTAA)
def _load_dynamic(e: Emitter, f: Fields) -> None:
    e.set(f.rd, f"{_table(e, f.op)}.get({_key(e, f)}, 0)")


@emits(Op.STTS, Op.STGAA, Op.STTAA)
def _store_dynamic(e: Emitter, f: Fields) -> None:
    scope = isa.SCOPE_GLOBAL if f.op == Op.STGAA else isa.SCOPE_THREAD
    variable = e.state.variables.reference(scope, f.imm)
    e.uses.cpu_firing = e.uses.drops = True
    if variable.type.flags & isa.TF_BYREF:
        e.uses.firing = True
    store = e.names.add("store", dynamic.store)
    table, value = _table(e, f.op), e.regs[f.rd]
    key = e.temporary(_key(e, f)).text
    call = f"{store}(f, {table}, {key}, {e.names.add('variable', variable)}, {value.text})"
    if variable.type.flags & isa.TF_BYREF or value.const == 0:
        e.line(f"drop |= {call}")
    else:
        e.line(f"if {value.text} and {key} in {table}: {table}[{key}] = {value.text}")
        e.line(f"else: drop |= {call}")


# -- tuples ------------------------------------------------------------------------------------------------

@emits(Op.PUSHTV)
def _pushtv(e: Emitter, f: Fields) -> None:
    if len(e.stack) == isa.NTUPLE:
        raise Unsupported
    value = e.stable(e.regs[f.rd])
    e.stack = (*e.stack, Entry(value, value.text))


@emits(Op.PUSHTR)
def _pushtr(e: Emitter, f: Fields) -> None:
    if len(e.stack) == isa.NTUPLE:
        raise Unsupported
    value, size = e.stable(e.regs[f.rd]), e.regs[f.r2]
    limit = None if size.const is None else size.const or STRSIZE_DEFAULT
    if f.r1 == isa.TYPE_STRING and value.string is not None and limit is not None and limit >= e.strsize:
        e.stack = (*e.stack, Entry(value, f"{value.string} + b'\\0'"))
        return
    e.uses.firing = True
    push = e.names.add("push", interpret.push_reference)
    pair = e.temporary(f"{push}(f, {f.r1}, {value.text}, {size.text})").text
    part = f"(f.load(*{pair}) if {pair}[1] else {pair}[0])"
    e.stack = (*e.stack, Entry(value, part))


@emits(Op.POPTS)
def _popts(e: Emitter, f: Fields) -> None:
    e.stack = e.stack[:-1]


@emits(Op.FLUSHTS)
def _flushts(e: Emitter, f: Fields) -> None:
    e.stack = ()


# -- subroutines -------------------------------------------------------------------------------------------

@emits(Op.CALL)
def _call(e: Emitter, f: Fields) -> None:
    subroutine = e.state.framework.subroutines[f.imm]
    values = [entry.value for entry in e.stack][:subroutine.max_args]
    values += [number(0)] * (subroutine.min_args - len(values))
    if subroutine.name == "strlen" and values[0].string is not None:
        e.set(f.rd, f"len({values[0].string})", 32)
        return
    e.uses.firing = True
    arguments = "".join(f", {value.text}" for value in values)
    call = f"{e.names.add(subroutine.name, subroutine.function)}(f{arguments})"
    if subroutine.void:
        e.line(call)
    else:
        e.set(f.rd, call)
