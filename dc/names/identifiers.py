"""Names and what they stand for: variables, functions, aggregations, inlines, translators.

`Names` outlives one program: what a library or an earlier program of the same
consumer declared stays known, clause-local variables excepted.  Variable ids
count from 0x500 in each of the three scopes, aggregation ids from 1.
"""

from __future__ import annotations

from collections.abc import Callable

from dc.diagnostics import NOWHERE, Span, error
from dc.names import builtins
from dc.names.builtins import STABLE, Builtin, Role
from dc.names.values import dif_type
from dc.types.scopes import Scope
from dc.types.types import Type
from dif import isa
from dif.difo import DifType
from dof.model import Attributes

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from dc.names.values import Value

_PREFIX = {isa.SCOPE_GLOBAL: "", isa.SCOPE_THREAD: "self->", isa.SCOPE_LOCAL: "this->"}
_SCOPE_NAME = {isa.SCOPE_GLOBAL: "global", isa.SCOPE_THREAD: "thread local",
               isa.SCOPE_LOCAL: "clause local"}


class Variable:
    """A scalar or an associative array.

    `type` is None until a declaration or the first assignment sets it.  A
    variable that is neither `declared`, `referenced` nor `modified` was just
    created, by the expression that is being checked.  `keys` are the types of an
    array's keys, None until its first use.
    """

    __slots__ = ("array", "attributes", "builtin", "declared", "id", "keys", "modified", "name",
                 "referenced", "scope", "span", "type", "user", "writable")

    def __init__(self, name: str, id_: int, scope: int, *, array: bool = False, span: Span = NOWHERE) -> None:
        self.name = name
        self.id = id_
        self.scope = scope
        self.array = array
        self.span = span
        self.type: Type | None = None
        self.keys: list[Type] | None = None
        self.attributes: Attributes = STABLE
        self.writable = True
        self.declared = self.referenced = self.modified = False
        self.user = False
        self.builtin: Builtin | None = None

    @property
    def untouched(self) -> bool:
        """Whether no declaration and no expression has declared, read or written it yet."""
        return not (self.declared or self.referenced or self.modified)

    @property
    def dif_kind(self) -> int:
        return isa.KIND_ARRAY if self.array else isa.KIND_SCALAR

    @property
    def dif_type(self) -> DifType:
        return DifType() if self.type is None else dif_type(self.type)

    @property
    def role(self) -> str:
        return Role.ARRAY if self.array else Role.VARIABLE

    @property
    def spelling(self) -> str:
        return _PREFIX[self.scope] + self.name


class Signature:
    """A function's prototype: a parameter of None takes any type.

    `variadic` is the index of "..." and `optional` that of the first optional parameter, -1 without one.
    """

    __slots__ = ("optional", "parameters", "returns", "variadic")

    def __init__(self, prototype: str, scope: Scope) -> None:
        returns, _, rest = prototype.rpartition("(") if prototype.count("(") == 1 else \
            (prototype.partition("(")[0], "", prototype.partition("(")[2])
        self.returns = _prototype_type(returns.strip(), scope)
        self.parameters: list[Type | None] = []
        self.variadic = self.optional = -1
        words = [word.strip() for word in rest.rstrip(")").split(",")]
        for index, word in enumerate(word for word in words if word):
            if word.startswith("["):
                self.optional = index if self.optional < 0 else self.optional
                word = word[1:-1]
            if word == "...":
                self.variadic = index
            self.parameters.append(None if word in ("@", "...") else _prototype_type(word, scope))


def _prototype_type(name: str, scope: Scope) -> Type:
    """The type that a prototype names; `void *` in place of a pointer to a type that this kernel lacks."""
    found = scope.lookup(name)
    if found is None and name.endswith("*"):
        found = scope.lookup("void *")
    if found is None and "`" in name:
        found = scope.lookup(name.partition("`")[2]) or scope.lookup("unsigned long")
    if found is None:
        raise error("D_UNKNOWN", NOWHERE, f"a built-in function is of type {name}, which is not known here")
    return found


class Function:
    """A subroutine, action or aggregating function."""

    __slots__ = ("_signature", "attributes", "builtin")

    def __init__(self, builtin: Builtin) -> None:
        self.builtin = builtin
        self.attributes = builtin.stability
        self._signature: Signature | None = None

    @property
    def name(self) -> str:
        return self.builtin.name

    @property
    def role(self) -> str:
        return self.builtin.role

    @property
    def number(self) -> int:
        return self.builtin.number

    def signature(self, scope: Scope) -> Signature:
        if self._signature is None:
            self._signature = Signature(self.builtin.prototype, scope)
        return self._signature

    @property
    def parameters(self) -> list[Type | None]:
        """The types of its parameters, once a call has been checked."""
        return self._signature.parameters if self._signature is not None else []

    @property
    def library(self) -> int | None:
        return self.builtin.library


def spelt(name: str) -> str:
    """An aggregation's name as programs write it; the one without a name is called `_` inside."""
    return "@" if name == "_" else f"@{name}"


class Aggregation:
    """@name: its tuple's types, its function, and the levels of a first lquantize or llquantize."""

    __slots__ = ("attributes", "function", "id", "keys", "levels", "modified", "name", "span")

    def __init__(self, name: str, id_: int, span: Span) -> None:
        self.name = name
        self.id = id_
        self.span = span
        self.keys: list[Type] | None = None
        self.function: Function | None = None
        self.levels = 0
        self.modified = False
        self.attributes: Attributes = STABLE

    @property
    def spelling(self) -> str:
        """The name as programs write it."""
        return spelt(self.name)


class Parameter:
    """A parameter of an inline, or what a translator translates."""

    __slots__ = ("name", "type")

    def __init__(self, name: str, type_: Type) -> None:
        self.name = name
        self.type = type_


class Inline:
    """A named expression; with `parameters` it is subscripted with arguments."""

    __slots__ = ("attributes", "body", "name", "parameters", "type", "writable")

    def __init__(self, name: str, type_: Type, body: Value, parameters: list[Parameter] | None) -> None:
        self.name = name
        self.type = type_
        self.body = body
        self.parameters = parameters
        self.writable = False
        self.attributes: Attributes = STABLE

    @property
    def role(self) -> str:
        return Role.VARIABLE if self.parameters is None else Role.ARRAY


class Translator:
    """How to make `output`, member by member, from a `source` called `parameter`."""

    __slots__ = ("attributes", "members", "output", "parameter", "pointer", "source")

    def __init__(self, source: Type, output: Type, pointer: Type, parameter: Parameter) -> None:
        self.source = source
        self.output = output
        self.pointer = pointer
        self.parameter = parameter
        self.members: dict[str, Value] = {}
        self.attributes: Attributes = STABLE


Global = Variable | Function | Inline


class Names:
    """The names that a program may use, besides those of types.

    `target`, illumos or freebsd, decides which built-in names there are.
    """

    def __init__(self, target: str) -> None:
        self.target = target
        self.globals: dict[str, Global] = {}
        self.thread: dict[str, Variable] = {}
        self.locals: dict[str, Variable] = {}
        self.aggregations: dict[str, Aggregation] = {}
        self.translators: dict[str | None, list[Translator]] = {}  # by the tag of the struct that they make
        self.parameters: list[dict[str, Parameter]] = []
        self._next = {isa.SCOPE_GLOBAL: isa.VAR_OTHER_UBASE, isa.SCOPE_THREAD: isa.VAR_OTHER_UBASE,
                      isa.SCOPE_LOCAL: isa.VAR_OTHER_UBASE}
        self._builtins = builtins.table(target)
        self._hidden = 0
        self.loader: Callable[[str], None] | None = None  # declares a name that a library has

    def begin_program(self) -> None:
        """Forget the previous program's clause-local variables."""
        self.locals = {}
        self._next[isa.SCOPE_LOCAL] = isa.VAR_OTHER_UBASE

    def reduce(self, version: tuple[int, int, int]) -> None:
        """Forget built-in names newer than `version` of D."""
        for name in [name for name, row in self._builtins.items() if row.since > version]:
            del self._builtins[name]
            self.globals.pop(name, None)

    def known(self) -> list[str]:
        """Every global name, for hints."""
        return [*self._builtins, *self.globals]

    def find(self, name: str) -> Global | Parameter | None:
        """What a global name stands for: a parameter in scope, a declared name, or a built-in; else None."""
        for scope in reversed(self.parameters):
            if name in scope:
                return scope[name]
        found = self.globals.get(name)
        if found is None and name in self._builtins:
            found = self.globals[name] = self._make(self._builtins[name])
        if found is None and self.loader is not None:
            self.loader(name)
            found = self.globals.get(name)
        return found

    def _make(self, row: Builtin) -> Global:
        if row.role not in (Role.VARIABLE, Role.ARRAY, Role.POINTER):
            return Function(row)
        variable = Variable(row.name, row.number, isa.SCOPE_GLOBAL, array=row.role == Role.ARRAY)
        variable.builtin = row
        variable.attributes = row.stability
        variable.writable = False
        variable.declared = True
        return variable

    def table(self, scope: int) -> dict[str, Variable]:
        """The thread-local or clause-local variables."""
        return self.thread if scope == isa.SCOPE_THREAD else self.locals

    def create(self, name: str, scope: int, span: Span, *, array: bool = False) -> Variable:
        """A new variable, with the next free id of its scope.  Raises D_ID_OFLOW."""
        id_ = self._next[scope]
        if id_ >= isa.VAR_OTHER_MAX:
            raise error("D_ID_OFLOW", span, f"{name} is one too many: there are no more "
                        f"{_SCOPE_NAME[scope]} variables")
        self._next[scope] = id_ + 1
        variable = Variable(name, id_, scope, array=array, span=span)
        if scope == isa.SCOPE_GLOBAL:
            self.globals[name] = variable
        else:
            self.table(scope)[name] = variable
        return variable

    def hidden_local(self, type_: Type) -> Variable:
        """A clause-local variable that no program can name, to keep a value in."""
        self._hidden += 1
        variable = self.create(f"%{self._hidden}", isa.SCOPE_LOCAL, NOWHERE)
        variable.type = type_
        variable.declared = True
        return variable

    def aggregation(self, name: str, span: Span) -> Aggregation:
        """The aggregation called `name`, made on first use."""
        found = self.aggregations.get(name)
        if found is None:
            found = self.aggregations[name] = Aggregation(name, len(self.aggregations) + 1, span)
        return found
