"""What D names without a declaration: variables, subroutines, actions, aggregating functions.

Variables and subroutines are the machine's (dif.isa); actions and aggregating
functions are rows here.  A prototype is written as the manual writes it:
"@" matches any type, "..." anything more, [type] may be left out.
"""

from __future__ import annotations

from collections.abc import Iterator

from dc.stability import CLASSES, STABILITIES
from dif import isa
from dif.isa import Version
from dif.records import NamedTuple
from dof.model import ActionKind, Attributes, LibAct

# -- stability (DTRACE_STABILITY_*, DTRACE_CLASS_*) --------------------------------------------------

def attributes(name: str, data: str, klass: str) -> Attributes:
    return Attributes(STABILITIES.index(name), STABILITIES.index(data), CLASSES.index(klass))


STABLE = attributes("Stable", "Stable", "Common")
EVOLVING = attributes("Evolving", "Evolving", "Common")
PRIVATE = attributes("Private", "Private", "Unknown")  # kernel symbols and types
UNSTABLE = attributes("Unstable", "Unstable", "Common")  # a description that no one provider matches


def weakest(first: Attributes, *others: Attributes) -> Attributes:
    """The least stable of several attributes, component by component."""
    return Attributes(*map(min, first, *others)) if others else first


# -- actions and aggregating functions ---------------------------------------------------------------

class Role:
    """What a built-in name may be used as; the value is its name in messages."""

    VARIABLE = "scalar"
    ARRAY = "associative array"
    FUNCTION = "function"
    ACTION = "tracing function"
    AGGREGATING = "aggregating function"
    POINTER = "pointer"


class Builtin(NamedTuple):
    """One built-in name.

    `number` is a DIF variable id, a subroutine's number, or an ActionKind; a
    library action has kind LIBACT and its ordinal in `library`.
    """

    name: str
    role: str  # of Role
    number: int
    prototype: str
    stability: Attributes = STABLE
    since: Version = (1, 0, 0)  # of D
    library: int | None = None


_EARLIEST: Version = (1, 0, 0)

_ACTIONS: tuple[tuple[str, int, str, Version], ...] = (
    ("breakpoint", ActionKind.BREAKPOINT, "void()", _EARLIEST),
    ("chill", ActionKind.CHILL, "void(int)", _EARLIEST),
    ("commit", ActionKind.COMMIT, "void(int)", _EARLIEST),
    ("discard", ActionKind.DISCARD, "void(int)", _EARLIEST),
    ("exit", ActionKind.EXIT, "void(int)", _EARLIEST),
    ("freopen", ActionKind.FREOPEN, "void(@, ...)", (1, 1, 0)),
    ("func", ActionKind.SYM, "_symaddr(uintptr_t)", (1, 2, 0)),
    ("jstack", ActionKind.JSTACK, "stack(...)", _EARLIEST),
    ("mod", ActionKind.MOD, "_symaddr(uintptr_t)", (1, 2, 0)),
    ("panic", ActionKind.PANIC, "void()", _EARLIEST),
    ("print", ActionKind.DIFEXPR, "void(@)", (1, 9, 0)),
    ("printa", ActionKind.PRINTA, "void(@, ...)", _EARLIEST),
    ("printf", ActionKind.PRINTF, "void(@, ...)", _EARLIEST),
    ("printm", ActionKind.PRINTM, "void(size_t, uintptr_t *)", _EARLIEST),
    ("raise", ActionKind.RAISE, "void(int)", _EARLIEST),
    ("speculate", ActionKind.SPECULATE, "void(int)", _EARLIEST),
    ("stack", ActionKind.STACK, "stack(...)", _EARLIEST),
    ("stop", ActionKind.STOP, "void()", _EARLIEST),
    ("sym", ActionKind.SYM, "_symaddr(uintptr_t)", (1, 2, 0)),
    ("system", ActionKind.SYSTEM, "void(@, ...)", _EARLIEST),
    ("trace", ActionKind.DIFEXPR, "void(@)", _EARLIEST),
    ("tracemem", ActionKind.TRACEMEM, "void(@, size_t, ...)", _EARLIEST),
    ("uaddr", ActionKind.UADDR, "_usymaddr(uintptr_t)", (1, 2, 0)),
    ("ufunc", ActionKind.USYM, "_usymaddr(uintptr_t)", (1, 2, 0)),
    ("umod", ActionKind.UMOD, "_usymaddr(uintptr_t)", (1, 2, 0)),
    ("ustack", ActionKind.USTACK, "stack(...)", _EARLIEST),
    ("usym", ActionKind.USYM, "_usymaddr(uintptr_t)", (1, 2, 0)),
)

_LIBRARY_ACTIONS: tuple[tuple[str, int, str, Version], ...] = (
    ("clear", LibAct.CLEAR, "void(...)", _EARLIEST),
    ("denormalize", LibAct.DENORMALIZE, "void(...)", _EARLIEST),
    ("ftruncate", LibAct.FTRUNCATE, "void()", _EARLIEST),
    ("normalize", LibAct.NORMALIZE, "void(...)", _EARLIEST),
    ("setopt", LibAct.SETOPT, "void(const char *, [const char *])", (1, 2, 0)),
    ("trunc", LibAct.TRUNC, "void(...)", _EARLIEST),
)

_AGGREGATING: tuple[tuple[str, int, str, Version], ...] = (
    ("avg", ActionKind.AGG_AVG, "void(@)", _EARLIEST),
    ("count", ActionKind.AGG_COUNT, "void()", _EARLIEST),
    ("llquantize", ActionKind.AGG_LLQUANTIZE, "void(@, int32_t, int32_t, int32_t, int32_t, ...)", (1, 7, 0)),
    ("lquantize", ActionKind.AGG_LQUANTIZE, "void(@, int32_t, int32_t, ...)", _EARLIEST),
    ("max", ActionKind.AGG_MAX, "void(@)", _EARLIEST),
    ("min", ActionKind.AGG_MIN, "void(@)", _EARLIEST),
    ("quantize", ActionKind.AGG_QUANTIZE, "void(@, ...)", _EARLIEST),
    ("stddev", ActionKind.AGG_STDDEV, "void(@)", (1, 6, 0)),
    ("sum", ActionKind.AGG_SUM, "void(@)", _EARLIEST),
)


def builtins(target: str) -> Iterator[Builtin]:
    """Every name that D knows on `target`."""
    texts = {*(row.stability for row in isa.VARIABLES), *(row.stability for row in isa.SUBROUTINES)}
    known = {text: attributes(*text.split("/")) for text in texts}
    for variable in isa.VARIABLES:
        if target in variable.targets:
            role = Role.ARRAY if variable.kind == isa.KIND_ARRAY else Role.VARIABLE
            yield Builtin(variable.name, role, variable.id, variable.type,
                          known[variable.stability], variable.since)
    for subroutine in isa.SUBROUTINES:
        if target in subroutine.numbers:
            yield Builtin(subroutine.name, Role.FUNCTION, subroutine.numbers[target], subroutine.prototype,
                          known[subroutine.stability], subroutine.since)
    for name, kind, prototype, since in _ACTIONS:
        if name != "printm" or target == "freebsd":
            yield Builtin(name, Role.ACTION, kind, prototype, STABLE, since)
    for name, ordinal, prototype, since in _LIBRARY_ACTIONS:
        yield Builtin(name, Role.ACTION, ActionKind.LIBACT, prototype, STABLE, since, ordinal)
    for name, kind, prototype, since in _AGGREGATING:
        yield Builtin(name, Role.AGGREGATING, kind, prototype, STABLE, since)
    for name in ("self", "this"):
        yield Builtin(name, Role.POINTER, 0, "void")


def table(target: str) -> dict[str, Builtin]:
    """Built-in names of `target`, by name."""
    return {row.name: row for row in builtins(target)}
