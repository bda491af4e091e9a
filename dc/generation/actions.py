"""Actions: a statement's tracing function → the actions of an ECB.

Each function checks the arguments by the manual's chapter on actions and
subroutines, and returns the `Action`s in the order in which a kernel records
them.  dtrace.h says what an action's `arg` means.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from dc.checking.rules import is_assignable, is_pointer, is_positive
from dc.checking.typed import AggregationValue, Constant, FunctionCall, StringConstant, translated
from dc.diagnostics import Span, error
from dc.generation.assembly import Objects
from dc.generation.generator import Generated, Settings, Wanted, generate, return_type
from dc.names.builtins import Role
from dc.names.identifiers import Aggregation, Names, Variable
from dc.names.linkmode import Linking
from dc.names.values import Value
from dc.options import Options
from dc.types.scopes import Scope
from dc.types.types import POINTER_SIZE, Type
from dif import isa
from dif.difo import Difo, DifType
from dof.model import LIBACT_BASE, Action, ActionKind, LibAct

RECORD_MOST = (1 << 32) - 16  # bytes; DOF has sizes of 32 bits
FREOPEN_RESTORE = "."  # what freopen("") becomes: an empty string would be malformed DOF


class ActionCompiler:
    """Compiles the statements of a program's clauses.

    `target` is whose numbering DIF has; with `has_target`, a victim process, %A takes any address.
    """

    def __init__(self, names: Names, scope: Scope, options: Options, target: str, *,
                 has_target: bool) -> None:
        self.scope = scope
        self.options = options
        self.target = target
        self.has_target = has_target
        self._names = names
        self.settings = _settings(options)
        self.objects = Objects(self.settings.optimizing, self.settings.registers)
        self._hidden: list[Variable] = []
        self.statement = 0  # the number of the one that is compiled
        self._made: list[Generated] = []  # of its expressions
        self.types: dict[str, Type] = {}  # of print(), by the name that its record carries
        self.formats: dict[int, str] = {}  # of printa(), by statement: see CompileResult

    def generate(self, node: Value, *, wanted: int = Wanted.VALUE, rtype: DifType | None = None) -> Difo:
        """The DIFO of one expression.  Raises CompileError."""
        spare = iter(list(self._hidden))
        self._made.append(generate(node, self.objects, settings=self.settings, wanted=wanted, rtype=rtype,
                                   hidden_local=lambda: next(spare, None) or self._hidden_local()))
        return self._made[-1].difo

    def begin(self, statement: int) -> None:
        """Begin the statement of that number."""
        self.statement = statement
        self._made.clear()

    def sources(self, difos: Iterable[Difo | None]) -> list[Generated | None]:
        """Return what objects were generated from since `begin`; None for those of a constant of ours."""
        found: list[Generated | None] = []
        for difo in difos:
            at = next((at for at, each in enumerate(self._made) if each.difo is difo), None)
            found.append(None if at is None else self._made.pop(at))
        return found

    def _hidden_local(self) -> Variable:
        """One more hidden variable, for expressions that need more than any before."""
        self._hidden.append(self._names.hidden_local(self.scope.basic("int64_t")))
        return self._hidden[-1]

    def compile(self, call: FunctionCall) -> list[Action]:
        """The actions of a statement that is a call of a tracing function."""
        function = _FUNCTIONS.get(call.function.name)
        if function is not None:
            return function(self, call)
        return [Action(call.function.number, self.generate(call.arguments[0]))]

    def tuple_action(self, node: Value) -> Action:
        """The action that records one key of an aggregation."""
        if isinstance(node, FunctionCall) and node.function.role == Role.ACTION:
            kind = node.function.number
            if kind == ActionKind.STACK:
                return _stack(self, node)[0]
            if kind in (ActionKind.USTACK, ActionKind.JSTACK):
                return _ustack(self, node)[0]
            if kind in _SYMBOLIC:
                return _symbol(self, node)[0]
        return Action(ActionKind.DIFEXPR, self.generate(node, wanted=Wanted.RECORD))

    def library(self, ordinal: int, difo: Difo) -> Action:
        return Action(ActionKind.LIBACT, difo, LIBACT_BASE[self.target] + ordinal)


def _settings(options: Options) -> Settings:
    """How code is generated under these options."""
    return Settings(options.number("opt") != 0, min(options.number("iregs"), isa.NREGS),
                    min(options.number("tregs"), isa.NTUPLE),
                    Linking(options.choice("linkmode"), options.is_on("knodefs"),
                            options.is_on("unodefs")))


_SYMBOLIC = (ActionKind.SYM, ActionKind.MOD, ActionKind.USYM, ActionKind.UMOD, ActionKind.UADDR)


# -- aggregations ----------------------------------------------------------------------------------------

def _aggregation(call: FunctionCall, prefix: str, value: Value, number: int = 1) -> Aggregation:
    """The aggregation an argument names.  Raises D_<prefix>_AGGARG or AGGBAD."""
    if not isinstance(value, AggregationValue):
        raise error(f"D_{prefix}_AGGARG", call.span, f"{call.function.name}( ) takes an aggregation as "
                    f"argument #{number}, and not {value.type_name}")
    if not value.aggregation.modified:
        raise error(f"D_{prefix}_AGGBAD", call.span, f"nothing is aggregated in {value.aggregation.spelling}")
    return value.aggregation


def _count_arguments(call: FunctionCall, prefix: str, least: int, most: int) -> None:
    count = len(call.arguments)
    if not least <= count <= most:
        wanted = str(most) if least == most else f"at least {least}" if count < least \
            else f"no more than {most}"
        raise error(f"D_{prefix}_PROTO", call.span, f"{call.function.name}( ) takes {wanted} "
                    f"argument{'' if str(wanted).endswith('1') else 's'}, and not {count}")


def _clear(compiler: ActionCompiler, call: FunctionCall) -> list[Action]:
    _count_arguments(call, "CLEAR", 1, 1)
    aggregation = _aggregation(call, "CLEAR", call.arguments[0])
    return [compiler.library(LibAct.CLEAR, compiler.objects.constant(aggregation.id))]


def _require_scalar(call: FunctionCall, prefix: str) -> None:
    if len(call.arguments) > 1 and not call.arguments[1].type.is_scalar():
        raise error(f"D_{prefix}_SCALAR", call.span,
                    f"{call.function.name}( ) takes a number second")


def _normalize(compiler: ActionCompiler, call: FunctionCall) -> list[Action]:
    _count_arguments(call, "NORMALIZE", 2, 2)
    if isinstance(call.arguments[0], AggregationValue):
        _require_scalar(call, "NORMALIZE")
    aggregation = _aggregation(call, "NORMALIZE", call.arguments[0])
    return [compiler.library(LibAct.NORMALIZE, compiler.objects.constant(aggregation.id)),
            compiler.library(LibAct.NORMALIZE, compiler.generate(call.arguments[1]))]


def _denormalize(compiler: ActionCompiler, call: FunctionCall) -> list[Action]:
    _count_arguments(call, "NORMALIZE", 1, 1)
    aggregation = _aggregation(call, "NORMALIZE", call.arguments[0])
    return [compiler.library(LibAct.DENORMALIZE, compiler.objects.constant(aggregation.id))]


def _trunc(compiler: ActionCompiler, call: FunctionCall) -> list[Action]:
    _count_arguments(call, "TRUNC", 1, 2)
    if isinstance(call.arguments[0], AggregationValue):
        _require_scalar(call, "TRUNC")
    aggregation = _aggregation(call, "TRUNC", call.arguments[0])
    keep = compiler.generate(call.arguments[1]) if len(call.arguments) > 1 else compiler.objects.constant(0)
    return [compiler.library(LibAct.TRUNC, compiler.objects.constant(aggregation.id)),
            compiler.library(LibAct.TRUNC, keep)]


def _printa(compiler: ActionCompiler, call: FunctionCall) -> list[Action]:
    first = call.arguments[0]
    text = first.value.decode(errors="surrogateescape") if isinstance(first, StringConstant) else None
    values = call.arguments[1:] if text is not None else call.arguments
    if not values:
        raise error("D_PRINTA_PROTO", call.span, "printa( ) needs an aggregation after the format")
    found: list[Aggregation] = []
    for number, value in enumerate(values, 2 if text is not None else 1):
        aggregation = _aggregation(call, "PRINTA", value, number)
        if found:
            _match_keys(call, found[0], aggregation)
        elif text is not None:
            text = _check_printa(compiler, call, aggregation, text, len(values))
        found.append(aggregation)
    return [Action(ActionKind.PRINTA, compiler.objects.constant(each.id), string=text) for each in found]


def _check_printa(compiler: ActionCompiler, call: FunctionCall, first: Aggregation, text: str,
                  count: int) -> str:
    """The format that DOF has of a printa() of `count` aggregations."""
    from dc.checking import formats

    keys = [Value(call.span, type_) for type_ in first.keys or []]
    is_count = first.function is not None and first.function.name == "count"
    checked = formats.validate(text, "printa", keys, call.span, exact=False,
                               aggregated=formats.result_type(is_count, compiler.scope),
                               has_target=compiler.has_target)
    if not is_count:
        return checked
    if count > 1:
        compiler.formats[compiler.statement] = checked
    return formats.as_count(checked)


def _match_keys(call: FunctionCall, first: Aggregation, other: Aggregation) -> None:
    """Raise D_PRINTA_AGG* unless aggregations that are printed together have the same keys."""
    wanted, keys = first.keys or [], other.keys or []
    if len(wanted) != len(keys):
        raise error("D_PRINTA_AGGKEY", call.span, f"aggregations printed together need as many keys: "
                    f"{len(wanted)} in {first.spelling}, {len(keys)} in {other.spelling}")
    for number, (expected, key) in enumerate(zip(wanted, keys, strict=True), 1):
        if not is_assignable(expected, Value(call.span, key)):
            raise error("D_PRINTA_AGGPROTO", call.span, f"aggregations printed together need the same "
                        f"keys: #{number} of {first.spelling} is {expected} and of {other.spelling} {key}")


# -- formatted output ------------------------------------------------------------------------------------

def _printf_like(compiler: ActionCompiler, call: FunctionCall) -> list[Action]:
    name, kind = call.function.name, call.function.number
    first, arguments = call.arguments[0], call.arguments[1:]
    if not isinstance(first, StringConstant):
        raise error("D_PRINTF_ARG_FMT", call.span, f"{name}( ) takes its format as a string constant, "
                    f"and this is of type {first.type_name}")
    text = first.value.decode(errors="surrogateescape")
    if kind == ActionKind.FREOPEN:
        if text == FREOPEN_RESTORE:
            raise error("D_FREOPEN_INVALID", call.span,
                        f'{name}( ) cannot write to a file called "{FREOPEN_RESTORE}"')
        text = text or FREOPEN_RESTORE
    from dc.checking import formats

    text = formats.validate(text, name, arguments, call.span, exact=True, aggregated=None,
                            has_target=compiler.has_target)
    if not arguments:
        return [Action(kind, compiler.objects.constant(0), string=text)]
    return [Action(kind, compiler.generate(each, wanted=Wanted.RECORD), string=text) for each in arguments]


def _trace(compiler: ActionCompiler, call: FunctionCall) -> list[Action]:
    value, name = call.arguments[0], call.function.name
    prefix = name.upper()
    if value.type.is_void():
        raise error(f"D_{prefix}_VOID", value.span, f"{name}( ) needs a value, and this has none")
    translation = translated(value)
    if translation is not None and translation.pointer:
        raise error(f"D_{prefix}_DYN", value.span, f"{name}( ) needs a value: a translator makes members")
    if isinstance(value, AggregationValue):
        raise error(f"D_{prefix}_AGG", value.span, f"{name}( ) is not for aggregations",
                    "did you mean `printa`?")
    if name == "trace":
        return [Action(ActionKind.DIFEXPR, compiler.generate(value, wanted=Wanted.RECORD))]
    type_ = translation.result if translation is not None else value.type
    compiler.types[str(type_)] = type_
    return [Action(ActionKind.DIFEXPR, compiler.generate(value, wanted=Wanted.RECORD), string=str(type_))]


def _tracemem(compiler: ActionCompiler, call: FunctionCall) -> list[Action]:
    address, limit, *rest = call.arguments
    if not (address.type.is_integer() or is_pointer(address.type)):
        raise error("D_TRACEMEM_ADDR", address.span, f"tracemem( ) wants an address first: a pointer or an "
                    f"integer, and not {address.type_name}")
    most = _bytes(limit, "D_TRACEMEM_SIZE", "tracemem")
    actions = []
    if rest:
        if len(rest) > 1:
            raise error("D_TRACEMEM_ARGS", rest[0].span,
                        "tracemem( ) takes no more than three arguments")
        if not rest[0].type.is_scalar():
            raise error("D_TRACEMEM_DYNSIZE", rest[0].span,
                        f"the size that tracemem( ) takes third is a number, and not {rest[0].type_name}")
        size = compiler.generate(rest[0], rtype=DifType(isa.TYPE_CTF, 1, 0, 8))
        actions.append(Action(ActionKind.TRACEMEM_DYNSIZE, size))
    return [*actions, Action(ActionKind.TRACEMEM, _memory(compiler, address, most))]


def _bytes(size: Value, tag: str, name: str) -> int:
    """The number of bytes that tracemem() or printm() takes.  Raises CompileError."""
    if not is_positive(size):
        raise error(tag, size.span, f"{name}( ) wants the number of bytes as a positive constant")
    assert isinstance(size, Constant)
    if size.value > RECORD_MOST:
        raise error(tag, size.span, f"{name}( ) records no more than {RECORD_MOST} bytes")
    return size.value


def _memory(compiler: ActionCompiler, address: Value, size: int) -> Difo:
    """A DIFO whose record is the `size` bytes at the address that it returns."""
    rtype = return_type(address)
    return compiler.generate(address, rtype=rtype._replace(flags=rtype.flags | isa.TF_BYREF, size=size))


def _printm(compiler: ActionCompiler, call: FunctionCall) -> list[Action]:
    size, address = call.arguments
    most = _bytes(size, "D_PRINTM_SIZE", "printm")
    if not is_pointer(address.type):
        raise error("D_PRINTM_ADDR", address.span, "printm( ) wants a pointer second, and not "
                    f"{address.type_name}")
    pointer = POINTER_SIZE[compiler.scope.model]
    return [Action(ActionKind.PRINTM, _memory(compiler, address, most + pointer))]


# -- stacks and symbols ------------------------------------------------------------------------------------

def _stack(compiler: ActionCompiler, call: FunctionCall) -> list[Action]:
    frames = compiler.options.number("stackframes", 0)
    if call.arguments:
        first = call.arguments[0]
        if len(call.arguments) > 1:
            raise error("D_STACK_PROTO", first.span, "stack( ) takes nothing but a number of frames")
        if not is_positive(first):
            raise error("D_STACK_SIZE", first.span,
                        "stack( ) wants the number of frames as a positive constant")
        assert isinstance(first, Constant)
        frames = first.value
    return [Action(ActionKind.STACK, arg=frames)]


def _ustack(compiler: ActionCompiler, call: FunctionCall) -> list[Action]:
    """ustack and jstack: `arg` is frames, and in the upper half the bytes for strings."""
    java = call.function.number == ActionKind.JSTACK
    frames = compiler.options.number("jstackframes" if java else "ustackframes", 0)
    strings = compiler.options.number("jstackstrsize", 0) if java else 0
    arguments = call.arguments
    if arguments:
        if not is_positive(arguments[0]):
            raise error("D_USTACK_FRAMES", arguments[0].span,
                        "ustack( ) wants the number of frames as a positive constant")
        frames = _constant(arguments[0])
    if len(arguments) > 1:
        second = arguments[1]
        if not isinstance(second, Constant) or (second.type.is_signed() and second.value >> 63):
            raise error("D_USTACK_STRSIZE", second.span,
                        "ustack( ) wants the bytes for names as a constant, not negative")
        strings = second.value
    if len(arguments) > 2:
        raise error("D_USTACK_PROTO", arguments[1].span, "ustack( ) takes no more than two arguments")
    return [Action(call.function.number, arg=(strings & 0xFFFFFFFF) << 32 | (frames & 0xFFFFFFFF))]


def _constant(value: Value) -> int:
    assert isinstance(value, Constant)
    return value.value


def _symbol(compiler: ActionCompiler, call: FunctionCall) -> list[Action]:
    address = call.arguments[0]
    difo = compiler.generate(address, rtype=return_type(address)._replace(size=8))
    return [Action(call.function.number, difo)]


# -- the rest ----------------------------------------------------------------------------------------------

def _exit(compiler: ActionCompiler, call: FunctionCall) -> list[Action]:
    status = call.arguments[0]
    return [Action(ActionKind.EXIT, compiler.generate(status, rtype=return_type(status)._replace(size=4)))]


def _bare(compiler: ActionCompiler, call: FunctionCall) -> list[Action]:
    return [Action(call.function.number)]


def _ftruncate(compiler: ActionCompiler, call: FunctionCall) -> list[Action]:
    return [compiler.library(LibAct.FTRUNCATE, compiler.objects.constant(0))]


def _setopt(compiler: ActionCompiler, call: FunctionCall) -> list[Action]:
    value = compiler.generate(call.arguments[1]) if len(call.arguments) > 1 else compiler.objects.constant(0)
    return [compiler.library(LibAct.SETOPT, compiler.generate(call.arguments[0])),
            compiler.library(LibAct.SETOPT, value)]


_FUNCTIONS: dict[str, Callable[[ActionCompiler, FunctionCall], list[Action]]] = {
    "breakpoint": _bare, "clear": _clear, "denormalize": _denormalize, "exit": _exit,
    "freopen": _printf_like, "ftruncate": _ftruncate, "func": _symbol, "jstack": _ustack, "mod": _symbol,
    "normalize": _normalize, "panic": _bare, "print": _trace, "printa": _printa, "printf": _printf_like,
    "printm": _printm, "setopt": _setopt, "stack": _stack, "stop": _bare, "sym": _symbol,
    "system": _printf_like, "trace": _trace, "tracemem": _tracemem, "trunc": _trunc, "uaddr": _symbol,
    "ufunc": _symbol, "umod": _symbol, "ustack": _ustack, "usym": _symbol,
}


# -- what may follow what ------------------------------------------------------------------------------------

class Order:
    """The rules about speculate() and commit() in one clause (manual, chapter on speculative tracing).

    `destructive` are the numbers of the subroutines that change the traced program.
    """

    def __init__(self, destructive: frozenset[int]) -> None:
        self._destructive = destructive
        self._commit = self._speculate = self._recorded = False

    def check(self, actions: Sequence[Action], span: Span) -> None:
        """Check the actions of the clause's next statement.

        Raises D_COMM_*, D_SPEC_*, D_AGG_*, D_ACT_SPEC, D_EXIT_SPEC, D_DREC_COMM.
        """
        aggregates = any(_is_aggregating(action) for action in actions)
        for action in actions:
            reason = "aggregate after commit" if self._commit and aggregates else self._refusal(action)
            if reason is not None:
                tag, message = _REFUSALS[reason]
                raise error(tag, span, message)

    def _refusal(self, action: Action) -> str | None:
        if action.kind == ActionKind.COMMIT:
            commit, self._commit = self._commit, True
            return "commit after commit" if commit else "commit after record" if self._recorded else None
        if action.kind == ActionKind.SPECULATE:
            speculate, self._speculate = self._speculate, True
            return "speculate after speculate" if speculate else \
                "speculate after commit" if self._commit else \
                "speculate after record" if self._recorded else None
        if _is_aggregating(action):
            self._recorded = True
            return "aggregate after speculate" if self._speculate else None
        destructive = _is_destructive(action, self._destructive)
        if self._speculate and destructive:
            return "destroy after speculate"
        if self._speculate and action.kind == ActionKind.EXIT:
            return "exit after speculate"
        if destructive or action.kind == ActionKind.DISCARD or _records_nothing(action):
            return None
        self._recorded = self._recorded or not self._speculate
        return "record after commit" if self._commit else None


_REFUSALS = {
    "commit after commit": ("D_COMM_COMM", "the clause has a commit( ) already: one is enough"),
    "commit after record": ("D_COMM_DREC", "commit( ) must come before what the clause records"),
    "speculate after speculate": ("D_SPEC_SPEC", "the clause has a speculate( ) already: one is enough"),
    "speculate after commit": ("D_SPEC_COMM", "a clause with commit( ) cannot speculate: use another"),
    "speculate after record": ("D_SPEC_DREC", "speculate( ) must come before what the clause records"),
    "aggregate after commit": ("D_AGG_COMM", "a clause with commit( ) cannot aggregate: use another"),
    "aggregate after speculate": ("D_AGG_SPEC", "a speculative clause cannot aggregate: use another"),
    "destroy after speculate": ("D_ACT_SPEC", "a speculative clause cannot be destructive: use another"),
    "exit after speculate": ("D_EXIT_SPEC", "a speculative clause cannot exit: use another"),
    "record after commit": ("D_DREC_COMM", "a clause with commit( ) cannot record: use another"),
}


def _is_aggregating(action: Action) -> bool:
    return action.kind & 0xFF00 == 0x0700


def _is_destructive(action: Action, subroutines: frozenset[int]) -> bool:
    if action.kind & 0xFF00 in (0x0200, 0x0500):
        return True
    if action.kind != ActionKind.DIFEXPR or action.difo is None:
        return False
    return any(word >> 24 == isa.Op.CALL and word >> 8 & 0xFFFF in subroutines for word in action.difo.text)


def _records_nothing(action: Action) -> bool:
    difo = action.difo
    return action.kind == ActionKind.DIFEXPR and difo is not None \
        and difo.rtype.kind == isa.TYPE_CTF and difo.rtype.size == 0
