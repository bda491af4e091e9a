"""The two engines of DIF against each other: the same programs leave the same records, faults and variables.

An input is read as decisions (mutation.Choices) of which PROGRAMS valid DIF objects are made, for one of the
targets whose numbers DIF may have.  Both kernels get them as clauses of a probe, which fires several times.
Two aggregations, of any function, get increments of all kinds beside those of one.
The target counts which instructions and subroutines the interpreter ran; at the end of a long run each of the
tables of dif.isa must have been reached.
"""

from __future__ import annotations

import errno
from collections import Counter
from collections.abc import Hashable

from dif import isa
from dif.arithmetic import MASK
from dif.difo import Difo, DifType, DifVar
from dif.isa import Fields, Op
from dif.records import NamedTuple, replace
from dof import reader, writer
from dof.model import Action, ActionKind, Ecb, ProbeDesc, Program
from dof.options import OptionId
from runtime.border import BorderError
from runtime.framework.buffers.aggregation import FUNCTIONS
from runtime.framework.execution import machine
from runtime.framework.firing.memory import Strings
from runtime.framework.probes.privileges import Credentials, Privilege
from runtime.framework.tracing.enabling import enable_program
from tests.fuzz.engine import Target
from tests.fuzz.mutation import Choices, choices
from tests.fuzz.worlds import KERNEL, PAIRS, world
from tests.unit.framework.conftest import ATTRIBUTES, World

PROGRAMS = 20  # of an input
ENOUGH = 700  # inputs, which reach everything by far
JUDGED = 20  # one of so many inputs passes through DOF, too, and so through the rules for DIF
RENEWED = 2_000  # inputs, after which new kernels are made: one keeps every constant string it has seen
LONG, STRING = DifType(size=8), DifType(kind=isa.TYPE_STRING, flags=isa.TF_BYREF, size=32)
VARTAB = [DifVar(f"{scope}{number}", isa.VAR_OTHER_UBASE + number, kind, scope, isa.F_REF | isa.F_MOD, type_)
          for scope in (isa.SCOPE_GLOBAL, isa.SCOPE_LOCAL, isa.SCOPE_THREAD)
          for number, (kind, type_) in enumerate(((isa.KIND_SCALAR, LONG), (isa.KIND_SCALAR, STRING),
                                                  (isa.KIND_ARRAY, LONG)))
          if kind == isa.KIND_SCALAR or scope != isa.SCOPE_LOCAL]
SCALARS, ARRAY = (isa.VAR_OTHER_UBASE, isa.VAR_OTHER_UBASE + 1), isa.VAR_OTHER_UBASE + 2
INTEGERS = [0, 1, 2, 3, 5, 8, 10, 16, 26, 31, 32, 48, 63, 64, 100, 255, 4096, 0x7FFFFFFF, 0x80000000,
            0xFFFFFFFF,
            1 << 40, 1 << 63, (1 << 63) - 1, (1 << 64) - 1, (1 << 64) - 8, KERNEL, KERNEL + 3, KERNEL + 60,
            PAIRS]
TEXTS = (b"", b"prog", b"abc", b",", b"a.b", b"/usr//bin/../lib/", b"0x1f", b" -12a", b'{"a":{"b":[1,"x"]}}',
         b"a.b[1]", b"AbC", b"\xff\x80")
STRTAB = b"\0" + b"\0".join(TEXTS[1:]) + b"\0"
OFFSETS = [0, *(STRTAB.index(b"\0" + text + b"\0") + 1 for text in TEXTS[1:])]
BUILTINS = {target: tuple(number for number in isa.variables(target) if number >= isa.VAR_OTHER_MIN)
            for target in isa.TARGETS}
SUBROUTINES = {target: tuple(isa.subroutines(target).values()) for target in isa.TARGETS}
BY_FORMAT = {form: tuple(row.code for row in isa.OPCODES.values() if row.format == form)
             for form in {row.format for row in isa.OPCODES.values()}}
BRANCHES = BY_FORMAT[isa.Format.LABEL]
NOT_EXECUTED = frozenset((Op.XLATE, Op.XLARG))  # a kernel refuses them: translators are the compiler's work
RETURNS = (LONG, DifType(size=4), DifType(size=1), DifType(size=0), STRING,
           DifType(flags=isa.TF_BYREF, size=12),
           DifType(size=2), DifType(flags=isa.TF_BYREF, size=0), DifType(flags=isa.TF_BYUREF, size=0))
# Aggregating functions with parameters that some may have; the types of expressions that are increments.
AGGREGATING = (*((kind, 0) for kind in FUNCTIONS if kind < ActionKind.AGG_LQUANTIZE),
               (ActionKind.AGG_LQUANTIZE, 2 << 48 | 9 << 32 | 0xFFFFFFFC),
               (ActionKind.AGG_LQUANTIZE, 1 << 48 | 1 << 32),
               (ActionKind.AGG_LLQUANTIZE, 10 << 48 | 1 << 32 | 5 << 16 | 20),
               (ActionKind.AGG_LLQUANTIZE, 2 << 48 | 60 << 16 | 4))
INCREMENTS = (DifType(size=0), DifType(flags=isa.TF_BYREF, size=0))
MINUS_ONE = replace(World.const(MASK), rtype=INCREMENTS[0])
OTHERS = Credentials(uid=5, gid=5, kernel=False, user=False, proc_owner=False, proc_zone=False, whole=False)
TRACERS = (Credentials(), Credentials(), OTHERS)
FIRINGS = ((1, 2, 7, KERNEL, -1), (0, (1 << 63) - 1, 1 << 40, KERNEL + 60, 5), (-8, -(1 << 63), 1, PAIRS, 64))
ERROR = ("arg1", "arg2", "arg3", "arg4", "arg5")


class Aggregated(NamedTuple):
    """An aggregating function, its parameters, and the numbers of the increments that two clauses give it."""

    kind: int
    arg: int
    increments: tuple[int, int]

    @classmethod
    def decided(cls, decide: Choices) -> Aggregated:
        kind, arg = decide.of(AGGREGATING)
        return cls(kind, arg, (decide.below(4), decide.below(4)))

    def clauses(self, probe: ProbeDesc, variable: int, keys: list[Action], value: Difo,
                other: Difo) -> list[Ecb]:
        """Clauses that aggregate `value` in a variable, by 1, by -1, or by what `other` returns."""
        increments = [None, MINUS_ONE, *(replace(other, rtype=each) for each in INCREMENTS)]
        made = [World.aggregate(self.kind, variable, keys, value, self.arg, each) for each in increments]
        return [Ecb(probe, None, made[number]) for number in self.increments]


class Writer:
    """Makes one object of decisions."""

    def __init__(self, decide: Choices, target: str) -> None:
        self._decide = decide
        self._target = target
        self._words: list[int | tuple[int, int]] = []  # a branch is its opcode, and how far it skips at most

    def difo(self) -> Difo:
        decide = self._decide
        for _ in range(1 + decide.below(10)):
            decide.of(self._BLOCKS)(self)
        returned = decide.of(RETURNS)
        end = len(self._words)
        words = [word if isinstance(word, int) else isa.branch(word[0], min(at + 1 + word[1], end))
                 for at, word in enumerate(self._words)]
        return Difo([*words, isa.fmt(Op.RET, 0, 0, decide.below(isa.NREGS))], returned, INTEGERS, STRTAB,
                    VARTAB)

    # -- operands ----------------------------------------------------------------------------------------

    def _add(self, word: int) -> None:
        self._words.append(word)

    def _source(self) -> int:
        return self._decide.below(isa.NREGS)

    def _target_register(self) -> int:
        return 1 + self._decide.below(isa.NREGS - 1)

    def _integer(self, register: int) -> None:
        self._add(isa.wide(Op.SETX, self._decide.below(len(INTEGERS)), register))

    def _pointer(self, register: int) -> None:
        """Something to read: a string of ours, of the kernel, of a variable, or any address."""
        kind = self._decide.below(6)
        if kind <= 2:
            self._add(isa.wide(Op.SETS, self._decide.of(OFFSETS), register))
        elif kind == 3:
            self._add(isa.wide(Op.SETX, self._decide.of((25, 26, 27, 28, 1)), register))
        elif kind == 4:
            self._add(isa.wide(Op.LDGS, self._decide.of(BUILTINS[self._target]), register))
        else:
            self._add(isa.wide(self._decide.of((Op.LDGS, Op.LDLS, Op.LDTS)), SCALARS[1], register))

    def _address(self, register: int) -> int:
        """Something to read, or any number, most of which are no addresses; returns one of both registers."""
        if self._decide.below(4):
            self._pointer(register)
        else:
            self._integer(register)
        return self._decide.of((1, 2))

    # -- blocks ------------------------------------------------------------------------------------------

    def _compute(self) -> None:
        op = self._decide.of([*BY_FORMAT[isa.Format.R1_R2_RD]])
        if op != Op.COPYS:
            self._add(isa.fmt(op, self._source(), self._source(), self._target_register()))

    def _integers(self) -> None:
        self._integer(self._target_register())

    def _strings(self) -> None:
        self._pointer(self._target_register())

    def _plain(self) -> None:
        op = self._decide.of((Op.NOT, Op.MOV, Op.ALLOCS))
        if op == Op.ALLOCS:
            self._add(isa.wide(Op.SETX, self._decide.below(14), 6))
        self._add(isa.fmt(op, 6 if op == Op.ALLOCS else self._source(), 0, self._target_register()))

    def _shift(self) -> None:
        """A value cut to fewer bits, as casts are compiled."""
        register = self._target_register()
        self._add(isa.wide(Op.SETX, self._decide.of((11, 12, 9, 7)), 7))
        self._add(isa.fmt(Op.SLL, register, 7, register))
        self._add(isa.fmt(self._decide.of((Op.SRA, Op.SRL)), register, 7, register))

    def _branch(self) -> None:
        op = self._decide.of((Op.CMP, Op.CMP, Op.SCMP, Op.TST))
        if op == Op.SCMP:
            first, second = self._address(1), self._address(2)
            self._add(isa.fmt(op, *self._decide.of(((1, 2), (1, 2), (first, second), (1, 1)))))
        else:
            self._add(isa.fmt(op, self._source(), self._source() if op == Op.CMP else 0))
        self._words.append((self._decide.of(BRANCHES), 1 + self._decide.below(8)))

    def _load(self) -> None:
        register, op = self._target_register(), self._decide.of(BY_FORMAT[isa.Format.LOAD])
        if self._decide.below(3):
            self._add(isa.wide(Op.SETX, self._decide.of((1, 2, 5, 25, 26)), register))
        self._add(isa.fmt(op, register, 0, self._target_register()))

    def _store(self) -> None:
        """Into scratch space, most times."""
        if self._decide.below(4):
            self._add(isa.wide(Op.SETX, self._decide.of((5, 7, 10)), 6))
            self._add(isa.fmt(Op.ALLOCS, 6, 0, 5))
        op = self._decide.of((*BY_FORMAT[isa.Format.STORE], Op.COPYS))
        if op == Op.COPYS:
            self._pointer(4)
            self._add(isa.wide(Op.SETX, self._decide.of((0, 1, 2, 4, 7)), 6))
            self._add(isa.fmt(op, 4, 6, 5))
        else:
            self._add(isa.fmt(op, self._source(), 0, 5))
        self._add(isa.fmt(self._decide.of((Op.LDX, Op.LDUB, Op.MOV)), 5, 0, self._target_register()))

    def _copy(self) -> None:
        """From any address into scratch space, by one of the subroutines that copy."""
        name = self._decide.of(("bcopy", "copyinto", "memstr"))
        numbers = {row.name: row.numbers[self._target] for row in SUBROUTINES[self._target]}
        number = numbers.get(name)
        if number is None:
            return
        self._add(isa.wide(Op.SETX, 10, 6))
        self._add(isa.fmt(Op.ALLOCS, 6, 0, 5))
        self._address(1)
        self._add(isa.wide(Op.SETX, self._decide.of((0, 0, 1, 4)), 6))
        for register in {"bcopy": (1, 5, 6), "copyinto": (1, 6, 5), "memstr": (1, 5, 6)}[name]:
            self._add(isa.fmt(Op.PUSHTV, isa.TYPE_CTF, 0, register))
        self._add(isa.wide(Op.CALL, number, self._target_register()))
        self._add(isa.fmt(Op.FLUSHTS))

    def _variable(self) -> None:
        decide = self._decide
        kind = decide.below(5)
        if kind == 0:
            self._add(isa.wide(Op.LDGS, decide.of(BUILTINS[self._target]), self._target_register()))
        elif kind == 1:
            self._add(isa.fmt(Op.LDGA, decide.below(4), self._source(), self._target_register()))
        elif kind == 2:
            self._add(isa.wide(decide.of((Op.LDGS, Op.LDLS, Op.LDTS)), decide.of(SCALARS),
                               self._target_register()))
        elif kind == 3:
            self._add(isa.wide(decide.of((Op.STGS, Op.STLS, Op.STTS)), SCALARS[0], self._source()))
        else:
            self._pointer(3)
            self._add(isa.wide(decide.of((Op.STGS, Op.STLS, Op.STTS)), SCALARS[1], 3))

    def _rare(self) -> None:
        self._add(self._decide.of((isa.fmt(Op.NOP), isa.fmt(Op.POPTS), isa.fmt(Op.FLUSHTS),
                                   isa.fmt(Op.LDTA, 0, 1, 2), isa.fmt(Op.PUSHTR, isa.TYPE_CTF, 0, 3))))

    def _element(self) -> None:
        """An element of an array, whose keys are a tuple."""
        for _ in range(self._decide.below(4)):
            kind = self._decide.below(5)
            if kind < 2:
                self._pointer(2)
                self._add(isa.fmt(Op.PUSHTR, isa.TYPE_STRING, self._decide.of((0, 0, 7)), 2))
            elif kind == 2:
                self._address(2)
                self._integer(7)
                self._add(isa.fmt(Op.PUSHTR, self._decide.of((isa.TYPE_CTF, isa.TYPE_STRING)), 7, 2))
            else:
                self._add(isa.fmt(Op.PUSHTV, isa.TYPE_CTF, 0, self._source()))
        op = self._decide.of((Op.LDGAA, Op.STGAA, Op.LDTAA, Op.STTAA))
        stores = op in (Op.STGAA, Op.STTAA)
        self._add(isa.wide(op, ARRAY, self._source() if stores else self._target_register()))
        self._add(isa.fmt(Op.FLUSHTS))

    def _call(self) -> None:
        """A subroutine, with arguments of the kinds that its prototype says, most times."""
        row = self._decide.of(SUBROUTINES[self._target])
        kinds = row.prototype.partition("(")[2].rstrip(")").split(",")
        count = row.min_args + self._decide.below(row.max_args - row.min_args + 1)
        if not self._decide.below(24):
            count = self._decide.below(4)
        for index in range(count):
            kind = kinds[min(index, len(kinds) - 1)]
            if ("*" in kind) != (self._decide.below(16) == 0):
                self._pointer(1)
                self._add(isa.fmt(Op.PUSHTR, isa.TYPE_STRING, 0, 1) if "char" in kind
                          else isa.fmt(Op.PUSHTV, isa.TYPE_CTF, 0, 1))
            else:
                self._integer(1)
                self._add(isa.fmt(Op.PUSHTV, isa.TYPE_CTF, 0, 1))
        self._add(isa.wide(Op.CALL, row.numbers[self._target], self._target_register()))
        if self._decide.below(4):
            self._add(isa.fmt(Op.FLUSHTS))

    _BLOCKS = (_compute, _compute, _integers, _strings, _plain, _shift, _branch, _branch, _load, _store,
               _variable,
               _variable, _rare, _element, _copy, _call, _call, _call)


class Reached:
    """Counts what the interpreter runs: opcodes, and subroutines of each target."""

    def __init__(self) -> None:
        self.opcodes: Counter[int] = Counter()
        self.subroutines: Counter[tuple[str, int]] = Counter()
        for op, handler in list(machine._HANDLERS.items()):
            machine._HANDLERS[op] = self._counting(op, handler)

    def _counting(self, op: int, handler: machine.Handler) -> machine.Handler:
        def count(running: machine.Machine, fields: Fields) -> None:
            self.opcodes[op] += 1
            if op == Op.CALL:
                self.subroutines[running.firing.environment.platform.target, fields.imm] += 1
            handler(running, fields)
        return count

    def missing(self) -> list[str]:
        """What the tables have and no program has reached."""
        return [row.name for row in isa.OPCODES.values()
                if not self.opcodes[row.code] and row.code not in NOT_EXECUTED] + [
            f"{row.name} ({target})" for target in isa.TARGETS for number,
            row in isa.subroutines(target).items()
            if not self.subroutines[target, number]]


class Comparison:
    """Runs the programs of an input by both engines."""

    def __init__(self) -> None:
        self.inputs = self.programs = 0
        self.reached = Reached()
        self._worlds: dict[str, list[World]] = {}
        self._errors = Ecb(ProbeDesc("dtrace", "", "", "ERROR"), None, [
            World.trace(f"ldgs {name}, %r1\nret %r1") for name in ERROR])

    def __call__(self, data: bytes) -> Hashable:
        if self.inputs % RENEWED == 0:
            self._worlds = {target: [_with_probe(world(engine, target=target))
                                     for engine in ("interpret", "translate")] for target in isa.TARGETS}
        self.inputs += 1
        decide = Choices(data)
        target = decide.of(isa.TARGETS)
        size, scratch = decide.of((1 << 14, 1 << 14, 256)), decide.of((32, 32, 8))
        tracer, aggregated = decide.of(TRACERS), [Aggregated.decided(decide) for _ in range(2)]
        difos = [Writer(decide, target).difo() for _ in range(PROGRAMS)]
        self.programs += len(difos)
        program = self._program(difos, aggregated, bufsize=size, strsize=scratch)
        if self.inputs % JUDGED == 0:
            reader.read_enabling(writer.write(program), target=target)  # what is generated is valid
        seen = [self._run(made, program, tracer) for made in self._worlds[target]]
        assert seen[0] == seen[1], "the engines differ:\n" + "\n".join(
            f"{first}\n{second}" for first, second in zip(*seen, strict=True) if first != second)
        return None

    def _program(self, difos: list[Difo], aggregated: list[Aggregated], **options: int) -> Program:
        """Clauses that record the values of the objects, one each; others test and aggregate them."""
        predicate, key, value, other, *_rest = difos
        probe = ProbeDesc("free", "", "", "a")
        keyed, plain = aggregated
        ecbs = [*(Ecb(probe, None, [Action(ActionKind.DIFEXPR, each)]) for each in difos[3:]),
                Ecb(probe, predicate, [Action(ActionKind.DIFEXPR, each) for each in difos[-2:]]),
                *keyed.clauses(probe, 1, [Action(ActionKind.DIFEXPR, key)], value, other),
                *plain.clauses(probe, 2, [], value, other), self._errors]
        values = {"dynvarsize": 2048, "aggsize": 4096, "destructive": 1, **options}
        return Program(ecbs, [(getattr(OptionId, name.upper()), value) for name, value in values.items()])

    @staticmethod
    def _run(made: World, program: Program, credentials: Credentials) -> list[object]:
        """All that a consumer and the state can tell after some firings."""
        made.host.time = 1_000_000
        tracer = made.tracer(credentials)
        probe = made.framework.registry.providers["free"].probes["", "", "a"]
        _place_strings(made, tracer.device.tracing.state.environment.strings)
        try:
            enable_program(tracer.device.tracing.state, program)
            tracer.go()
            for arguments in FIRINGS:
                made.host.time += 7
                made.fire(probe, *arguments)
            tracer.stop()
            environment = tracer.device.tracing.state.environment
            dynamic = environment.dynamic
            return [tracer.snap(), tracer.aggregations(), tracer.status(), environment.variables.globals[:1],
                    [values[:1] for values in environment.variables.locals],
                    sorted((number, *entry) for number, table in dynamic.threads.items()
                           for entry in table.items()),
                    *(sorted(map(repr, table.items())) for table in (dynamic.arrays, dynamic.thread_arrays)),
                    bytes(made.host.current.memory.regions[1])]
        except BorderError as error:
            if error.errno != errno.ENOMEM:  # the largest variable does not fit into those that there may be
                raise
            return [str(error)]
        finally:
            tracer.device.close()
            made.host.timers.clear()

    def finish(self) -> None:
        """Assert that a long run reached every row of the tables."""
        if self.inputs >= ENOUGH:
            missing = self.reached.missing()
            assert not missing, f"{self.programs} programs never reached {', '.join(missing)}"


def _place_strings(made: World, strings: Strings) -> None:
    """Give all strings that clauses may meet their addresses: else the engine decides on their order."""
    context = made.host.current
    for text in (context.execname, context.psargs, context.zonename, context.threadname, b"free", b"a",
                 b"dtrace", b"ERROR", b""):
        strings.intern(text)


def _with_probe(made: World) -> World:
    """A kernel with free:::a, which every tracer sees, whatever the privileges."""
    made.framework.register("free", ATTRIBUTES, Privilege.NONE, made.operations).create("", "", "a")
    return made


def target() -> Target:
    comparison = Comparison()
    return Target(comparison, (), choices(1000), counts=PROGRAMS, finish=comparison.finish)
