"""DIF → Python statements.

Registers become local variables or, where the value is known (a constant, a
probe argument, a string the kernel has), no variable at all.  Values are kept
below 2**64 by a mask only where they can leave that range: each value carries
the number of bits it may need.  Control flow becomes nested `if`s; a block
that several branches share is written out for each.  What does not fit (very
long or very tangled objects) raises Unsupported, and the interpreter runs it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dif import isa
from dif.arithmetic import COMPUTE, MASK, SIGN, TAKEN
from dif.isa import Fields, Op
from dif.records import NamedTuple
from dof.options import STRSIZE_DEFAULT
from runtime.framework.execution import variables
from runtime.framework.execution.dataflow import Flow, is_branch
from runtime.framework.firing.code import Code
from runtime.framework.firing.dynamicvariables import Table
from runtime.framework.firing.firing import Environment
from runtime.framework.probes.registry import Probe
from runtime.framework.values.builtins import Argument, Computed, Fixed, OfThread, Source, getters, sources

MASK_TEXT, SIGN_TEXT = f"{MASK:#x}", f"{SIGN:#x}"
_LINES_PER_INSTRUCTION = 4
_TEXT_MAX = 1500
_DEPTH_MAX = 30
_THREAD_STRING = 64  # bytes of a thread's strings at most
_ARGS = next(row.id for row in isa.VARIABLES if row.name == "args")


class Unsupported(Exception):
    """The object is left to the interpreter."""


class Value(NamedTuple):
    """A value as Python text.

    `bits` bounds it from above, `const` is its number if known.  For a string
    the text is its address and `string` the text of its bytes.
    """

    text: str
    bits: int = 64
    const: int | None = None
    string: str | None = None


class Entry(NamedTuple):
    """A tuple member: its value, and the text of its key part."""

    value: Value
    part: str


class Line(NamedTuple):
    """A statement at a depth of nesting; `offset` of the DIF instruction it stands for, or -1."""

    depth: int
    text: str
    offset: int = -1


class Names:
    """Objects that generated code refers to, each by a name of its own."""

    def __init__(self) -> None:
        self.values: dict[str, object] = {}
        self._known: dict[int, str] = {}

    def add(self, prefix: str, value: object) -> str:
        """The name of an object, which begins with `prefix` if it is new."""
        name = self._known.get(id(value))
        if name is None:
            name = f"{prefix}_{len(self.values)}"
            self._known[id(value)] = name
            self.values[name] = value
        return name

    def per_cpu(self, prefix: str, values: Sequence[object]) -> str:
        """The text of that one of `values` which belongs to the current CPU."""
        return self.add(prefix, values[0]) if len(values) == 1 else f"{self.add(prefix, values)}[cpu]"


class Uses:
    """What the clause must set up before the statements, and what they have found.

    `firing` is the CPU's Firing after `begin`.  `drop` is set where a dynamic variable could not be made.
    `loads` are the names of values that were loaded from dynamic variables, by the text of the load; since
    then nothing was stored there.
    """

    def __init__(self) -> None:
        self.firing = False
        self.drops = False
        self.loads: dict[str, Value] = {}
        self.context = False
        self.locals = False
        self.timestamp = False
        self.arguments: set[int] = set()
        self.thread = False  # the number of the current thread


def number(value: int) -> Value:
    """A constant, from 0 to 2**64 - 1."""
    return Value(str(value), value.bit_length(), value)


class Site(NamedTuple):
    """What the statements are written for: environment, probe, EPID, and the names in reach.

    With `open`, nothing of a firing is hidden from the tracer.
    """

    environment: Environment
    probe: Probe
    epid: int
    names: Names
    uses: Uses
    open: bool


class Emitter:
    """Writes one object.  `lines` are the statements, `result` the returned value.

    With `test`, the object is a predicate: the statements `break` where it is
    false, and there is no result.  `serial` makes variable names unique.
    """

    def __init__(self, code: Code, site: Site, serial: int, depth: int, test: bool) -> None:
        self.code = code
        self.site = site
        self.environment = site.environment
        self.names = site.names
        self.uses = site.uses
        self.serial = serial
        self.test = test
        self.depth = depth
        self.lines: list[Line] = []
        self.flow = Flow(code.text)
        self.regs: list[Value] = [number(0)] * isa.NREGS
        self.stack: tuple[Entry, ...] = ()
        self.flags: tuple[str, Value, Value] | None = None
        self.result: Value | None = None
        self.pc = 0
        self.strsize = site.environment.strsize
        self._temporaries = 0
        self._nested = 0
        self._budget = len(code.text) * _LINES_PER_INSTRUCTION + 100

    def write(self) -> None:
        """Fill `lines` and `result`.  Raises Unsupported."""
        if len(self.code.text) > _TEXT_MAX:
            raise Unsupported
        self._path(0, len(self.code.text))
        if self.result is None and not self.test:
            self.result = Value(f"v{self.serial}")

    # -- statements ----------------------------------------------------------------------------------

    def line(self, text: str) -> None:
        """Emit a statement.  Raises Unsupported when there are far more than instructions."""
        self.lines.append(Line(self.depth, text, self.pc * 4))
        if len(self.lines) > self._budget:
            raise Unsupported

    @property
    def nested(self) -> bool:
        """Whether it is not sure that what is emitted now is executed."""
        return self._nested > 0

    def drop_if(self, condition: str, before: str = "") -> None:
        """Emit an `if`, or what it is after `before`, that gives the record up at the end of the object."""
        following = self.code.text[self.pc + 1].op if self.pc + 1 < len(self.code.text) else Op.RET
        if following == Op.RET:
            self.line(f"{before}if {condition}: break")
        else:
            self.uses.drops = True
            self.line(f"{before}if {condition}: drop = True")

    def name(self, register: int) -> str:
        """The variable that a register lies in where ways meet."""
        return f"r{register}_{self.serial}"

    def set(self, register: int, text: str, bits: int = 64) -> None:
        """Emit an assignment to a register."""
        name = self.name(register)
        self.line(f"{name} = {text}")
        self.keep(register, Value(name, bits))

    def keep(self, register: int, value: Value) -> None:
        """The register now has that value; nothing is emitted."""
        if self.flags is not None and any(v.text == self.name(register) for v in self.flags[1:]):
            self.flags = None
        self.regs[register] = value

    def temporary(self, text: str, bits: int = 64) -> Value:
        """Emit an assignment to a variable that never changes again."""
        self._temporaries += 1
        name = f"t{self._temporaries}_{self.serial}"
        self.line(f"{name} = {text}")
        return Value(name, bits)

    def stable(self, value: Value) -> Value:
        """The value under a name that no later instruction changes."""
        plain = value.text.startswith("r") and value.text.endswith(f"_{self.serial}")
        return self.temporary(value.text, value.bits) if plain else value

    # -- control flow --------------------------------------------------------------------------------

    def _path(self, pc: int, stop: int) -> None:
        text, end = self.code.text, len(self.code.text)
        while pc != stop and pc != end:
            fields = text[pc]
            self.pc = pc
            if fields.op == Op.BA:
                pc = fields.label
            elif fields.op == Op.RET:
                self._return(self.regs[fields.rd], nested=stop != end or self._nested > 0)
                return
            elif is_branch(fields):
                pc = self._branch(fields, pc)
            else:
                pc = self._instruction(fields, pc)

    def _branch(self, fields: Fields, pc: int) -> int:
        """Emit both ways of a branch; returns the instruction at which they meet."""
        condition = self._condition(fields.op)
        join, end = self.flow.join[pc], len(self.code.text)
        if join != end and self.code.text[join].op == Op.RET:
            join = end  # each way has its own return
        if condition in ("True", "False"):
            self._nested += join == end
            self._path(fields.label if condition == "True" else pc + 1, join)
            self._nested -= join == end
            return join
        if self._nested >= _DEPTH_MAX:
            raise Unsupported
        before = (list(self.regs), self.stack, self.flags)
        taken, stack = self._way(fields.label, join, before)
        other, other_stack = self._way(pc + 1, join, before)
        self.pc = pc
        self._choice(condition, taken, other)
        if join != end:
            if stack != other_stack:
                raise Unsupported
            self.stack = stack
            live = self.flow.live[join]
            self.regs = [Value(self.name(n)) if live >> n & 1 else number(0) for n in range(isa.NREGS)]
            self.flags = None
        return join

    def _way(self, pc: int, join: int, before: tuple[list[Value], tuple[Entry, ...],
                                                     tuple[str, Value, Value] | None],
             ) -> tuple[list[Line], tuple[Entry, ...]]:
        """The statements from `pc` to `join`, with every live register in its variable at the end."""
        outer, self.lines = self.lines, []
        self.regs, self.stack, self.flags = list(before[0]), before[1], before[2]
        self.depth += 1
        self._nested += 1
        self._path(pc, join)
        if join != len(self.code.text):
            for register in range(isa.NREGS):
                value = self.regs[register]
                if self.flow.live[join] >> register & 1 and value.text != self.name(register):
                    self.line(f"{self.name(register)} = {value.text}")
        self._nested -= 1
        self.depth -= 1
        lines, self.lines = self.lines, outer
        self._budget -= len(lines)
        return lines, self.stack

    def _choice(self, condition: str, taken: list[Line], other: list[Line]) -> None:
        if not taken and not other:
            return
        if not taken:
            condition, taken, other = _negation(condition), other, []
        self.line(f"if {condition}:")
        self.lines += taken
        if other:
            self.line("else:")
            self.lines += other

    def _return(self, value: Value, nested: bool) -> None:
        if self.test:
            if value.const == 0:
                self.line("break")
            elif value.const is None:
                self.line(f"if not {value.text}: break")
        elif nested:
            self.line(f"v{self.serial} = {value.text}")
        else:
            self.result = value

    def _condition(self, op: int) -> str:
        """The branch's condition as text."""
        if self.flags is None:
            raise Unsupported
        kind, a, b = self.flags
        return _CONDITIONS[kind](op, a, b)

    # -- instructions ----------------------------------------------------------------------------------

    def _instruction(self, fields: Fields, pc: int) -> int:
        if fields.op == Op.SLL and self._sign_extension(fields, pc):
            return pc + 2
        EMITTERS[fields.op](self, fields)
        return pc + 1

    def _sign_extension(self, fields: Fields, pc: int) -> bool:
        """A shift left and right by the same constant: the usual way to narrow an integer."""
        after = self.code.text[pc + 1] if pc + 1 < len(self.code.text) else None
        count = self.regs[fields.r2].const
        if after is None or after.op not in (Op.SRA, Op.SRL) or pc + 1 in self.flow.targets or count is None:
            return False
        if not (after.r1 == after.rd == fields.rd and after.r2 == fields.r2 != fields.rd and 0 < count < 64):
            return False
        source, width = self.regs[fields.r1], 64 - count
        if source.bits <= width - (after.op == Op.SRA):
            self.move(fields.rd, source)
        elif after.op == Op.SRL:
            self.set(fields.rd, f"{source.text} & {(1 << width) - 1:#x}", width)
        else:
            sign, mask = 1 << (width - 1), (1 << width) - 1
            self.set(fields.rd, f"((({source.text} & {mask:#x}) ^ {sign:#x}) - {sign:#x}) & {MASK_TEXT}")
        return True

    def move(self, register: int, value: Value) -> None:
        """Give a register a value that has a text already."""
        if value.text.startswith("r") and value.text.endswith(f"_{self.serial}"):
            self.set(register, value.text, value.bits)
        else:
            self.keep(register, value)


def _negation(condition: str) -> str:
    return f"not ({condition})"


# -- conditions ----------------------------------------------------------------------------------------

_RELATIONS = {(True, False, False): "<", (True, True, False): "<=", (False, True, False): "==",
              (False, True, True): ">=", (False, False, True): ">", (True, False, True): "!="}


def _relation(op: int, a: str, b: str, *, signed: bool, carries: bool) -> str:
    """The branch's condition as a comparison of two texts, or "True" or "False".

    It is found by what the branch does where a < b, a == b and a > b.  Where a < b the comparison sets n if
    `signed`, and c if `carries`.
    """
    taken = TAKEN[op]
    outcome = taken(signed, False, carries), taken(False, True, False), taken(False, False, False)
    relation = _RELATIONS.get(outcome)
    return f"{a} {relation} {b}" if relation is not None else str(outcome[0])


def _compare(op: int, a: Value, b: Value) -> str:
    if not isa.OPCODES[op].signed or (a.bits < 64 and b.bits < 64):
        return _relation(op, a.text, b.text, signed=True, carries=True)
    difference = f"({a.text} - {b.text}) & {SIGN_TEXT}"  # it may overflow, unlike narrow ones
    where_equal, where_negative = TAKEN[op](False, True, False), TAKEN[op](True, False, False)
    if where_negative:
        return f"{difference} or {a.text} == {b.text}" if where_equal else difference
    return f"not {difference}" if where_equal else f"not {difference} and {a.text} != {b.text}"


def _test(op: int, a: Value, b: Value) -> str:
    zero, other = TAKEN[op](False, True, False), TAKEN[op](False, False, False)
    if zero == other:
        return str(zero)
    if a.const is not None:
        return str(zero if a.const == 0 else other)
    return f"not {a.text}" if zero else a.text


def _compare_strings(op: int, a: Value, b: Value) -> str:
    return _relation(op, a.string or a.text, b.string or b.text, signed=True, carries=False)


_CONDITIONS = {"cmp": _compare, "tst": _test, "scmp": _compare_strings}


# -- instructions, in the order of the interpreter ---------------------------------------------------------

Emit = Callable[[Emitter, Fields], None]
EMITTERS: dict[int, Emit] = {}


def emits(*ops: int) -> Callable[[Emit], Emit]:
    """Enters a function in EMITTERS for these instructions."""
    def enter(function: Emit) -> Emit:
        EMITTERS.update(dict.fromkeys(map(int, ops), function))
        return function
    return enter


def _masked(text: str, bits: int) -> tuple[str, int]:
    if bits <= 64:
        return text, bits
    return f"({text}) & {MASK_TEXT}", 64


def _shift_count(b: Value) -> str:
    return str(b.const & 63) if b.const is not None else f"({b.text} & 63)"


@emits(Op.OR, Op.XOR, Op.AND, Op.ADD, Op.MUL, Op.SUB)
def _alu(e: Emitter, f: Fields) -> None:
    a, b = e.regs[f.r1], e.regs[f.r2]
    match f.op:
        case Op.OR:
            e.set(f.rd, f"{a.text} | {b.text}", max(a.bits, b.bits))
        case Op.XOR:
            e.set(f.rd, f"{a.text} ^ {b.text}", max(a.bits, b.bits))
        case Op.AND:
            e.set(f.rd, f"{a.text} & {b.text}", min(a.bits, b.bits))
        case Op.ADD:
            e.set(f.rd, *_masked(f"{a.text} + {b.text}", max(a.bits, b.bits) + 1))
        case Op.MUL:
            e.set(f.rd, *_masked(f"{a.text} * {b.text}", a.bits + b.bits))
        case _:
            e.set(f.rd, f"({a.text} - {b.text}) & {MASK_TEXT}")


@emits(Op.SLL, Op.SRL, Op.SRA)
def _shift(e: Emitter, f: Fields) -> None:
    a, b = e.regs[f.r1], e.regs[f.r2]
    count = _shift_count(b)
    known = b.const & 63 if b.const is not None else None
    if f.op == Op.SLL:
        e.set(f.rd, *_masked(f"{a.text} << {count}", 65 if known is None else a.bits + known))
    elif f.op == Op.SRL or a.bits < 64:
        e.set(f.rd, f"{a.text} >> {count}", a.bits if known is None else max(a.bits - known, 0))
    else:
        e.set(f.rd, f"((({a.text} ^ {SIGN_TEXT}) - {SIGN_TEXT}) >> {count}) & {MASK_TEXT}")


@emits(Op.UDIV, Op.UREM)
def _divide(e: Emitter, f: Fields) -> None:
    a, b = e.regs[f.r1], e.regs[f.r2]
    sign = "//" if f.op == Op.UDIV else "%"
    e.set(f.rd, f"{a.text} {sign} {b.text}", a.bits if f.op == Op.UDIV else min(a.bits, b.bits))


@emits(Op.SDIV, Op.SREM)
def _divide_signed(e: Emitter, f: Fields) -> None:
    a, b = e.regs[f.r1], e.regs[f.r2]
    if a.bits < 64 and b.bits < 64:
        _divide(e, f._replace(op=int(Op.UDIV if f.op == Op.SDIV else Op.UREM)))
        return
    function = e.names.add("divide", COMPUTE[f.op])
    e.set(f.rd, f"{function}({a.text}, {b.text}) & {MASK_TEXT}")


@emits(Op.NOT)
def _not(e: Emitter, f: Fields) -> None:
    e.set(f.rd, f"{e.regs[f.r1].text} ^ {MASK_TEXT}")


@emits(Op.MOV)
def _mov(e: Emitter, f: Fields) -> None:
    e.move(f.rd, e.regs[f.r1])


def _set_flags(e: Emitter, kind: str, a: Value, b: Value) -> None:
    following = e.code.text[e.pc + 1]
    if not is_branch(following):
        a, b = e.stable(a), e.stable(b)
    e.flags = (kind, a, b)


@emits(Op.CMP)
def _cmp(e: Emitter, f: Fields) -> None:
    _set_flags(e, "cmp", e.regs[f.r1], e.regs[f.r2])


@emits(Op.TST)
def _tst(e: Emitter, f: Fields) -> None:
    _set_flags(e, "tst", e.regs[f.r1], number(0))


def _known_string(value: Value) -> Value:
    """A NULL string compares as an empty one."""
    return value._replace(string="b''") if value.const == 0 else value


@emits(Op.SCMP)
def _scmp(e: Emitter, f: Fields) -> None:
    a, b = _known_string(e.regs[f.r1]), _known_string(e.regs[f.r2])
    if a.string is None or b.string is None:  # else their texts tell
        e.uses.firing = True
        if a.string is None:
            order = f"f.order({a.text}, {b.text}, {b.string})"
        else:
            order = f"-f.order({b.text}, {a.text}, {a.string})"
        a, b = e.temporary(order), number(0)
    e.flags = ("scmp", a, b)


_READERS = {1: "u8", 2: "u16", 4: "u32", 8: "u64"}


@emits(*(row.code for row in isa.OPCODES.values() if row.format == isa.Format.LOAD))
def _load(e: Emitter, f: Fields) -> None:
    row = isa.OPCODES[f.op]
    address = e.regs[f.r1].text
    if row.space == "user":
        e.uses.firing = True
        text = f"from_bytes(f.user({address}, {row.size}), 'little')"
    elif not e.environment.credentials.kernel:
        e.uses.firing = True
        text = f"from_bytes(f.scalar({address}, {row.size}), 'little')"
    else:
        memory = e.names.add("memory", e.environment.memory)
        text = f"{memory}.{_READERS[row.size]}({address})"
    bits = row.size * 8
    if row.signed:
        sign = 1 << (bits - 1)
        e.set(f.rd, f"(({text} ^ {sign:#x}) - {sign:#x}) & {MASK_TEXT}")
    else:
        e.set(f.rd, text, bits)


@emits(Op.STB, Op.STH, Op.STW, Op.STX)
def _store(e: Emitter, f: Fields) -> None:
    e.uses.firing = True
    e.line(f"f.store_integer({e.regs[f.rd].text}, {e.regs[f.r1].text}, {isa.OPCODES[f.op].size})")


@emits(Op.ALLOCS)
def _allocs(e: Emitter, f: Fields) -> None:
    e.uses.firing = True
    e.set(f.rd, f"f.allocate_zeroed({e.regs[f.r1].text})")


@emits(Op.COPYS)
def _copys(e: Emitter, f: Fields) -> None:
    e.uses.firing = True
    e.line(f"f.copy({e.regs[f.r1].text}, {e.regs[f.rd].text}, {e.regs[f.r2].text})")


@emits(Op.SETX)
def _setx(e: Emitter, f: Fields) -> None:
    e.keep(f.rd, number(e.code.integers[f.imm]))


@emits(Op.SETS)
def _sets(e: Emitter, f: Fields) -> None:
    address = e.code.strings + f.imm
    text = e.code.difo.string(f.imm)
    e.keep(f.rd, Value(str(address), 64, address, repr(text) if len(text) < e.strsize else None))


@emits(Op.NOP)
def _nop(e: Emitter, f: Fields) -> None:
    pass


# -- built-in variables --------------------------------------------------------------------------------

def _argument(e: Emitter, index: int) -> Value:
    if index < 5 and e.site.open:
        e.uses.arguments.add(index)
        return Value(f"a{index}")
    e.uses.firing = True
    return e.temporary(f"f.argument({index})")


def _constant(e: Emitter, value: int | bytes) -> Value:
    if isinstance(value, int):
        return number(value)
    address = e.environment.strings.intern(value)
    return Value(str(address), 64, address, repr(value) if len(value) < e.strsize else None)


def _of_thread(e: Emitter, source: OfThread) -> Value:
    e.uses.context = True
    text = f"cur.{source.member}"
    if source.bits:
        return e.temporary(text, source.bits)
    intern = e.names.add("intern", e.environment.strings.intern)
    return Value(f"{intern}({text})", string=text if e.strsize > _THREAD_STRING else None)


def _of_kernel(source: Source | None) -> bool:
    return isinstance(source, Fixed) and source.kernel


def _at_hand(e: Emitter, identifier: int, index: Value) -> Value | None:
    """The value of a built-in variable that needs no call of its getter; None if it needs one."""
    source = sources(e.environment.platform.target).get(identifier)
    if identifier == _ARGS:
        return _argument(e, index.const) if index.const is not None else None
    if not e.site.open or (_of_kernel(source) and not e.environment.credentials.kernel):
        return None
    if isinstance(source, Argument):
        return _argument(e, source.number)
    if isinstance(source, OfThread):
        return _of_thread(e, source)
    if isinstance(source, Fixed):
        return _constant(e, source.value(e.site.probe, e.site.epid))
    if isinstance(source, Computed) and source.text:
        if source.needs:
            setattr(e.uses, source.needs, True)
        return Value(source.text, source.bits)
    return None


def _builtin(e: Emitter, register: int, identifier: int, index: Value) -> None:
    value = _at_hand(e, identifier, index)
    if value is not None:
        e.move(register, value)
        return
    e.uses.firing = True
    getter = getters(e.environment.platform.target).get(identifier)
    if getter is None:
        e.set(register, f"{e.names.add('builtin', variables.builtin)}(f, {identifier}, {index.text})")
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
    values = e.names.add("globals", e.environment.variables.globals)
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
        e.line(f"{e.names.add('assign', variables.assign)}(f, {scope}, {f.imm}, {value.text})")
    else:
        e.line(f"{values}[{f.imm - isa.VAR_OTHER_UBASE}] = {value.text}")


@emits(Op.STGS)
def _stgs(e: Emitter, f: Fields) -> None:
    known = e.environment.variables
    _assign(e, f, isa.SCOPE_GLOBAL, e.names.add("globals", known.globals),
            f.imm - isa.VAR_OTHER_UBASE in known.global_data)


@emits(Op.STLS)
def _stls(e: Emitter, f: Fields) -> None:
    e.uses.locals = True
    _assign(e, f, isa.SCOPE_LOCAL, "lv", f.imm - isa.VAR_OTHER_UBASE in e.environment.variables.local_data[0])


# -- dynamic variables -------------------------------------------------------------------------------------

def _key(e: Emitter, f: Fields) -> str:
    """The text of the key of the array element or thread-local that the instruction means."""
    thread = []
    if f.op not in (Op.LDGAA, Op.STGAA):
        e.uses.thread = True
        thread = ["tid"]
    if f.op in (Op.LDTS, Op.STTS):
        return "tid"
    return f"({', '.join([str(f.imm), *thread, *[entry.part for entry in e.stack]])},)"


def _table(e: Emitter, f: Fields) -> Table:
    tables = e.environment.dynamic
    if f.op in (Op.LDTS, Op.STTS):
        return tables.threads[f.imm]
    return tables.arrays if f.op in (Op.LDGAA, Op.STGAA) else tables.thread_arrays


@emits(Op.LDTS, Op.LDGAA, Op.LDTAA)
def _load_dynamic(e: Emitter, f: Fields) -> None:
    text = f"{e.names.add('table', _table(e, f))}.get({_key(e, f)}, 0)"
    value = e.uses.loads.get(text) if f.op == Op.LDTS else None
    if value is None:
        value = e.temporary(text)
        if f.op == Op.LDTS and not e.nested:
            e.uses.loads[text] = value
    e.keep(f.rd, value)


@emits(Op.STTS, Op.STGAA, Op.STTAA)
def _store_dynamic(e: Emitter, f: Fields) -> None:
    scope = isa.SCOPE_GLOBAL if f.op == Op.STGAA else isa.SCOPE_THREAD
    variable = e.environment.variables.reference(scope, f.imm)
    entries, value, key = _table(e, f), e.regs[f.rd], _key(e, f)
    table = e.names.add("table", entries)
    e.uses.loads.pop(f"{table}.get({key}, 0)", None)
    if f.op != Op.STTS:
        key = e.temporary(key).text
    firing = e.names.per_cpu("firings", e.environment.firings)
    if variable.type.flags & isa.TF_BYREF:
        e.uses.firing, firing = True, "f"
    call = (f"{e.names.add('store', variables.store)}({firing}, {table}, {key}, "
            f"{e.names.add('variable', variable)}, {value.text})")
    if variable.type.flags & isa.TF_BYREF or not _fits(e, f, variable.type.size):
        e.drop_if(call)
        return
    dynamic = e.environment.dynamic  # what store() does most often, without a call
    chunks = e.names.add("chunks", entries.chunks)
    if value.const == 0:
        e.line(f"c = {chunks}.pop({key}, None)")
        e.line(f"if c is not None: del {table}[{key}]; {e.names.per_cpu('dirty', dynamic.dirty)}.append(c)")
        return
    free = e.names.per_cpu("free", dynamic.free)
    e.line(f"if {value.text}:")
    e.line(f"    if {key} in {table}: {table}[{key}] = {value.text}")
    e.line(f"    elif {free}: {chunks}[{key}] = {free}.pop(); {table}[{key}] = {value.text}")
    e.drop_if(call, "    el")
    e.line(f"else: {call}")


def _fits(e: Emitter, f: Fields, size: int) -> bool:
    """Whether it is known that a variable by value has room in a chunk: its key has no bytes then."""
    members = () if f.op == Op.STTS else e.stack
    parts = 1 + (f.op != Op.STGAA) + len(members)
    return all(entry.part == entry.value.text for entry in members) and \
        e.environment.dynamic.data_at(parts) + max(size, 8) <= e.environment.dynamic.chunk


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
    push = e.names.add("push", variables.push_reference)
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
    from runtime.framework.values.subroutines import subroutines

    subroutine = subroutines(e.environment.platform.target)[f.imm]
    values = [entry.value for entry in e.stack][:subroutine.max_args]
    values += [number(0)] * (subroutine.min_args - len(values))
    if subroutine.name == "strlen" and values[0].string is not None:
        e.set(f.rd, f"len({values[0].string})", 32)
        return
    e.uses.firing = True
    arguments = "".join(f", {value.text}" for value in values)
    if subroutine.wants_old:
        arguments += f", old={e.regs[f.rd].text}"
    call = f"{e.names.add(subroutine.name, subroutine.function)}(f{arguments})"
    if subroutine.void:
        e.line(call)
    else:
        e.set(f.rd, call)
