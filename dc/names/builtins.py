"""What D names without a declaration: variables, subroutines, actions, aggregating functions.

Variables and subroutines are the machine's (dif.isa); actions and aggregating
functions are rows here.  A prototype is written as the manual writes it:
"@" matches any type, "..." anything more, [type] may be left out.
"""

from __future__ import annotations

from collections.abc import Iterator

from dc.names.stability import CLASSES, STABILITIES
from dif import isa
from dif.light import Enum, NamedTuple
from dof.model import ActionKind, Attributes, LibAct

# -- stability (DTRACE_STABILITY_*, DTRACE_CLASS_*) --------------------------------------------------

def attributes(name: str, data: str, klass: str) -> Attributes:
    return Attributes(STABILITIES.index(name), STABILITIES.index(data), CLASSES.index(klass))


STABLE = attributes("Stable", "Stable", "Common")
EVOLVING = attributes("Evolving", "Evolving", "Common")
PRIVATE = attributes("Private", "Private", "Unknown")  # kernel symbols and types
UNSTABLE = attributes("Unstable", "Unstable", "Common")  # a description that no one provider matches


def weakest(first: Attributes, *others: Attributes) -> Attributes:
    """The least of stabilities, component by component."""
    return Attributes(*map(min, first, *others)) if others else first


# -- actions and aggregating functions ---------------------------------------------------------------

class Role(Enum):
    """What a built-in name may be used as; the value is how messages call it."""

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
    role: Role
    number: int
    prototype: str
    stability: Attributes = STABLE
    since: tuple[int, int, int] = (1, 0, 0)
    library: LibAct | None = None
    destructive: bool = False


_ACTIONS: tuple[tuple[str, ActionKind, str], ...] = (
    ("breakpoint", ActionKind.BREAKPOINT, "void()"),
    ("chill", ActionKind.CHILL, "void(int)"),
    ("commit", ActionKind.COMMIT, "void(int)"),
    ("discard", ActionKind.DISCARD, "void(int)"),
    ("exit", ActionKind.EXIT, "void(int)"),
    ("freopen", ActionKind.FREOPEN, "void(@, ...)"),
    ("func", ActionKind.SYM, "_symaddr(uintptr_t)"),
    ("jstack", ActionKind.JSTACK, "stack(...)"),
    ("mod", ActionKind.MOD, "_symaddr(uintptr_t)"),
    ("panic", ActionKind.PANIC, "void()"),
    ("print", ActionKind.DIFEXPR, "void(@)"),
    ("printa", ActionKind.PRINTA, "void(@, ...)"),
    ("printf", ActionKind.PRINTF, "void(@, ...)"),
    ("printm", ActionKind.PRINTM, "void(size_t, uintptr_t *)"),
    ("raise", ActionKind.RAISE, "void(int)"),
    ("speculate", ActionKind.SPECULATE, "void(int)"),
    ("stack", ActionKind.STACK, "stack(...)"),
    ("stop", ActionKind.STOP, "void()"),
    ("sym", ActionKind.SYM, "_symaddr(uintptr_t)"),
    ("system", ActionKind.SYSTEM, "void(@, ...)"),
    ("trace", ActionKind.DIFEXPR, "void(@)"),
    ("tracemem", ActionKind.TRACEMEM, "void(@, size_t, ...)"),
    ("uaddr", ActionKind.UADDR, "_usymaddr(uintptr_t)"),
    ("ufunc", ActionKind.USYM, "_usymaddr(uintptr_t)"),
    ("umod", ActionKind.UMOD, "_usymaddr(uintptr_t)"),
    ("ustack", ActionKind.USTACK, "stack(...)"),
    ("usym", ActionKind.USYM, "_usymaddr(uintptr_t)"),
)

_LIBRARY_ACTIONS: tuple[tuple[str, LibAct, str], ...] = (
    ("clear", LibAct.CLEAR, "void(...)"),
    ("denormalize", LibAct.DENORMALIZE, "void(...)"),
    ("ftruncate", LibAct.FTRUNCATE, "void()"),
    ("normalize", LibAct.NORMALIZE, "void(...)"),
    ("setopt", LibAct.SETOPT, "void(const char *, [const char *])"),
    ("trunc", LibAct.TRUNC, "void(...)"),
)

_AGGREGATING: tuple[tuple[str, ActionKind, str], ...] = (
    ("avg", ActionKind.AGG_AVG, "void(@)"),
    ("count", ActionKind.AGG_COUNT, "void()"),
    ("llquantize", ActionKind.AGG_LLQUANTIZE, "void(@, int32_t, int32_t, int32_t, int32_t, ...)"),
    ("lquantize", ActionKind.AGG_LQUANTIZE, "void(@, int32_t, int32_t, ...)"),
    ("max", ActionKind.AGG_MAX, "void(@)"),
    ("min", ActionKind.AGG_MIN, "void(@)"),
    ("quantize", ActionKind.AGG_QUANTIZE, "void(@, ...)"),
    ("stddev", ActionKind.AGG_STDDEV, "void(@)"),
    ("sum", ActionKind.AGG_SUM, "void(@)"),
)

_DESTRUCTIVE = frozenset({"breakpoint", "chill", "copyout", "copyoutstr", "freopen", "panic", "raise",
                          "stop", "system"})

_EVOLVING = frozenset({
    "ddi_pathname", "getmajor", "getminor", "htonl", "htonll", "htons", "ntohl", "ntohll", "ntohs",
    "mutex_owned", "mutex_owner", "mutex_type_adaptive", "mutex_type_spin", "rw_iswriter", "rw_read_held",
    "rw_write_held", "sx_isexclusive", "sx_shared_held", "sx_exclusive_held"})

# The version of D that brought a name, where it is not 1.0.
_SINCE: dict[str, tuple[int, int, int]] = {
    **dict.fromkeys(("freopen", "index", "memref", "rindex", "strchr", "strrchr", "strstr", "strtok",
                     "substr"), (1, 1, 0)),
    **dict.fromkeys(("func", "mod", "setopt", "sym", "uaddr", "ucaller", "ufunc", "umod", "ustackdepth",
                     "usym"), (1, 2, 0)),
    **dict.fromkeys(("htonl", "htonll", "htons", "ntohl", "ntohll", "ntohs"), (1, 3, 0)),
    **dict.fromkeys(("inet_ntoa", "inet_ntoa6", "inet_ntop"), (1, 5, 0)),
    "stddev": (1, 6, 0), "cpu": (1, 6, 3), "vmregs": (1, 7, 0), "llquantize": (1, 7, 0),
    "tolower": (1, 8, 0), "toupper": (1, 8, 0), "print": (1, 9, 0), "getf": (1, 10, 0),
    "json": (1, 11, 0), "strtoll": (1, 11, 0), "threadname": (1, 13, 0), "jid": (1, 13, 0),
    "jailname": (1, 13, 0),
}
LATEST_VERSION = (1, 13, 0)


def _stability(name: str) -> Attributes:
    if name == "curthread":
        return attributes("Stable", "Private", "Common")
    return EVOLVING if name in _EVOLVING else STABLE


def _row(name: str, role: Role, number: int, prototype: str, library: LibAct | None = None) -> Builtin:
    return Builtin(name, role, number, prototype, _stability(name), _SINCE.get(name, (1, 0, 0)), library,
                   name in _DESTRUCTIVE)


def builtins(target: str) -> Iterator[Builtin]:
    """Every name that D knows on `target`."""
    for variable in isa.VARIABLES:
        if target in variable.targets:
            role = Role.ARRAY if variable.kind == isa.KIND_ARRAY else Role.VARIABLE
            yield _row(variable.name, role, variable.id, variable.type)
    for subroutine in isa.SUBROUTINES:
        if target in subroutine.numbers:
            yield _row(subroutine.name, Role.FUNCTION, subroutine.numbers[target], subroutine.prototype)
    for name, kind, prototype in _ACTIONS:
        if name != "printm" or target == "freebsd":
            yield _row(name, Role.ACTION, kind, prototype)
    for name, ordinal, prototype in _LIBRARY_ACTIONS:
        yield _row(name, Role.ACTION, ActionKind.LIBACT, prototype, ordinal)
    for name, kind, prototype in _AGGREGATING:
        yield _row(name, Role.AGGREGATING, kind, prototype)
    for name in ("self", "this"):
        yield _row(name, Role.POINTER, 0, "void")


def table(target: str) -> dict[str, Builtin]:
    """Built-in names of `target`, by name."""
    return {row.name: row for row in builtins(target)}
