"""The C types that D knows, and the scopes in which their names are found.

Types are immutable objects compared by identity, except that records and
enumerations are completed in place when their definition is read.  Sizes and
alignments are in bytes, member offsets in bits.  Layout follows the System V
ABI of the data model (ILP32 or LP64), bit-fields included.

`Type` offers what callers ask of any type (`size`, `resolve()`, `is_integer()`,
...); str(type) is its C spelling.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from dc import records
from dc.intrinsics import FLOATS, INTEGERS, NAMES, TYPEDEFS, canonical_words
from dif.light import IntEnum, Protocol

STRING_SIZE = 256  # what `string` occupies unless the strsize option says otherwise


class Model(IntEnum):
    """A data model, numbered as CTF and DOF number it."""

    ILP32 = 1
    LP64 = 2

    @property
    def pointer_size(self) -> int:
        return 4 if self is Model.ILP32 else 8


class Kind(IntEnum):
    """CTF_K_* (ctf.h): the kind that a DIF type records."""

    UNKNOWN = 0
    INTEGER = 1
    FLOAT = 2
    POINTER = 3
    ARRAY = 4
    FUNCTION = 5
    STRUCT = 6
    UNION = 7
    ENUM = 8
    FORWARD = 9
    TYPEDEF = 10
    VOLATILE = 11
    CONST = 12
    RESTRICT = 13


class Type:
    """Any type.  `size` is 0 for void, functions, and what is not (yet) defined."""

    __slots__ = ()
    kind: Kind
    size: int
    align: int

    def resolve(self) -> Type:
        """The type behind typedefs and qualifiers."""
        return self

    def spell(self, inner: str) -> str:
        """This type's C declaration of `inner`, which may be empty."""
        raise NotImplementedError

    def __str__(self) -> str:
        return self.spell("")

    # Questions about what a type resolves to -----------------------------------------------------

    def is_void(self) -> bool:
        base = self.resolve()
        return isinstance(base, Integer) and base.size == 0

    def is_integer(self) -> bool:
        """An integer or an enumeration."""
        base = self.resolve()
        return isinstance(base, Enum) or (isinstance(base, Integer) and base.size > 0)

    def is_float(self) -> bool:
        return isinstance(self.resolve(), Float)

    def is_pointer(self) -> bool:
        return isinstance(self.resolve(), Pointer)

    def is_array(self) -> bool:
        return isinstance(self.resolve(), Array)

    def is_function(self) -> bool:
        return isinstance(self.resolve(), Function)

    def is_record(self) -> bool:
        """A struct or union, defined or not."""
        base = self.resolve()
        return isinstance(base, Record)

    def is_enum(self) -> bool:
        return isinstance(self.resolve(), Enum)

    def is_string(self) -> bool:
        """D's own `string`."""
        return isinstance(self.resolve(), String)

    def is_dynamic(self) -> bool:
        """An associative array, an aggregation, a translated value: no C type."""
        return isinstance(self.resolve(), Dynamic)

    def is_scalar(self) -> bool:
        """An integer, enumeration or pointer: what fits a DIF register and can be tested."""
        return self.is_integer() or self.is_pointer()

    def is_char_array(self) -> bool:
        base = self.resolve()
        return isinstance(base, Array) and base.element.is_char()

    def is_char(self) -> bool:
        base = self.resolve()
        return isinstance(base, Integer) and base.char

    def is_bitfield(self) -> bool:
        base = self.resolve()
        return isinstance(base, Integer) and base.bits != base.size * 8

    def is_signed(self) -> bool:
        """Whether a value of this type is extended by its sign."""
        base = self.resolve()
        return isinstance(base, Enum | Integer) and base.signed

    def is_of_program(self) -> bool:
        """Whether it is a record of a traced program's, or pointers and arrays lead to one."""
        base = self.resolve()
        while isinstance(base, Pointer | Array):
            base = (base.target if isinstance(base, Pointer) else base.element).resolve()
        return isinstance(base, Record) and base.userland

    def is_complete(self) -> bool:
        """Whether its size is known (void and functions count as incomplete)."""
        return self.size > 0


def _join(left: str, inner: str) -> str:
    return f"{left} {inner}" if inner else left


class Integer(Type, records.Record):
    """An integer; `bits` is less than size * 8 for a bit-field; void has size 0.

    A bit-field's `size` is that of its storage unit, the declared type.
    """

    name: str
    size: int
    signed: bool
    char: bool = False
    bits: int = 0
    align: int = 1
    kind = Kind.INTEGER

    def spell(self, inner: str) -> str:
        return _join(self.name, inner)


class Float(Type, records.Record):
    """A floating-point type; D can only trace values of it."""

    name: str
    size: int
    align: int
    kind = Kind.FLOAT

    def spell(self, inner: str) -> str:
        return _join(self.name, inner)


class Pointer(Type, records.Record):
    """`userland` marks an address of the traced program, which loads as copyin() does."""

    target: Type
    size: int
    userland: bool = False
    kind = Kind.POINTER

    @property
    def align(self) -> int:  # type: ignore[override]
        return self.size

    def spell(self, inner: str) -> str:
        needs_parentheses = isinstance(self.target, Array | Function)
        return self.target.spell(f"(*{inner})" if needs_parentheses else f"*{inner}")


class Array(Type, records.Record):
    """`count` is 0 for [] ."""

    element: Type
    count: int
    kind = Kind.ARRAY

    @property
    def size(self) -> int:  # type: ignore[override]
        return self.element.size * self.count

    @property
    def align(self) -> int:  # type: ignore[override]
        return self.element.align

    def spell(self, inner: str) -> str:
        bound = str(self.count) if self.count else ""
        if not inner or inner[0] in "[(*":
            return self.element.spell(f"{inner}[{bound}]" if inner else f"[{bound}]")
        return self.element.spell(f"{inner}[{bound}]")


class Function(Type, records.Record):
    """A function; `names` are its parameters' names, None where they have none."""

    returns: Type
    parameters: tuple[Type, ...] = ()
    variadic: bool = False
    names: tuple[str | None, ...] = ()
    kind = Kind.FUNCTION
    size = 0
    align = 1

    def spell(self, inner: str) -> str:
        listed = [str(each) for each in self.parameters] + ["..."] * self.variadic
        return self.returns.spell(f"{inner}({', '.join(listed)})")


class Member(records.Record):
    """A member of a record.  `name` is None when anonymous; `offset` counts bits.

    For a bit-field the storage unit begins at byte `unit` and the field
    `shift` bits above its least significant bit (little-endian).
    """

    name: str | None
    type: Type
    offset: int

    @property
    def byte(self) -> int:
        return self.offset // 8

    @property
    def unit(self) -> int:
        size = self.type.size
        return self.offset // (size * 8) * size if self.type.is_bitfield() else self.byte

    @property
    def shift(self) -> int:
        return self.offset - self.unit * 8


class Record(Type):
    """A struct or union; `members` is None until it is defined.

    A header's records are laid out when somebody first asks: `defer` takes
    the function that will.  `userland` records are those of traced programs.
    """

    __slots__ = ("_align", "_members", "_pending", "_size", "keyword", "module", "tag", "userland")

    def __init__(self, keyword: str, tag: str | None, module: str = "", userland: bool = False) -> None:
        self.keyword = keyword
        self.tag = tag
        self.module = module
        self.userland = userland
        self._members: list[Member] | None = None
        self._size, self._align = 0, 1
        self._pending: Callable[[], None] | None = None

    def define(self, members: list[Member], size: int, align: int) -> None:
        """Complete the record: its members and their extent in bytes."""
        self._members, self._size, self._align = members, size, align

    def defer(self, complete: Callable[[], None]) -> None:
        """Have `complete` call `define` when the members are needed."""
        self._pending = complete

    def _complete(self) -> None:
        if self._pending is not None:
            complete, self._pending = self._pending, None
            complete()

    @property
    def members(self) -> list[Member] | None:
        self._complete()
        return self._members

    @property
    def size(self) -> int:  # type: ignore[override]
        self._complete()
        return self._size

    @property
    def align(self) -> int:  # type: ignore[override]
        self._complete()
        return self._align

    @property
    def is_defined(self) -> bool:
        """Whether it has members, laid out already or not."""
        return self._members is not None or self._pending is not None

    @property
    def kind(self) -> Kind:  # type: ignore[override]
        if not self.is_defined:
            return Kind.FORWARD
        return Kind.STRUCT if self.keyword == "struct" else Kind.UNION

    def spell(self, inner: str) -> str:
        return _join(f"{self.keyword} {self.tag or '(anon)'}", inner)

    def member(self, name: str) -> Member | None:
        """The member called `name`, also through anonymous members (offset from this record)."""
        for each in self.members or ():
            if each.name == name:
                return each
            if each.name is None:
                base = each.type.resolve()
                inner = base.member(name) if isinstance(base, Record) else None
                if inner is not None:
                    return Member(inner.name, inner.type, each.offset + inner.offset)
        return None

    def names(self) -> Iterator[str]:
        """Every member name that `member` answers to."""
        for each in self.members or ():
            base = each.type.resolve()
            if each.name is not None:
                yield each.name
            elif isinstance(base, Record):
                yield from base.names()


class Enum(Type, records.Record):
    """An enumeration: D's and C's are signed and of four bytes; `values` is None until it is defined."""

    tag: str | None
    values: dict[str, int] | None = None
    module: str = ""
    size: int = 4
    signed: bool = True

    @property
    def align(self) -> int:  # type: ignore[override]
        return self.size

    @property
    def kind(self) -> Kind:  # type: ignore[override]
        return Kind.ENUM

    def spell(self, inner: str) -> str:
        return _join(f"enum {self.tag or '(anon)'}", inner)

    def name_of(self, value: int) -> str | None:
        """The first enumerator with `value`."""
        return next((name for name, each in (self.values or {}).items() if each == value), None)


class Typedef(Type, records.Record):
    """Another name of `target`; `module` is the scope that defined it."""

    name: str
    target: Type
    module: str = ""
    kind = Kind.TYPEDEF

    @property
    def size(self) -> int:  # type: ignore[override]
        return self.target.size

    @property
    def align(self) -> int:  # type: ignore[override]
        return self.target.align

    def resolve(self) -> Type:
        return self.target.resolve()

    def spell(self, inner: str) -> str:
        return _join(self.name, inner)


class Qualified(Type, records.Record):
    """const, volatile or restrict `target`."""

    qualifier: str
    target: Type

    @property
    def kind(self) -> Kind:  # type: ignore[override]
        return Kind[self.qualifier.upper()]

    @property
    def size(self) -> int:  # type: ignore[override]
        return self.target.size

    @property
    def align(self) -> int:  # type: ignore[override]
        return self.target.align

    def resolve(self) -> Type:
        return self.target.resolve()

    def spell(self, inner: str) -> str:
        if isinstance(self.target, Pointer):
            return self.target.spell(_join(self.qualifier, inner))
        return f"{self.qualifier} {self.target.spell(inner)}"


class String(Type, records.Record):
    """D's string: passed by reference, `size` bytes at most, NUL included."""

    size: int = STRING_SIZE
    align: int = 1
    kind = Kind.TYPEDEF

    def spell(self, inner: str) -> str:
        return _join("string", inner)


class Dynamic(Type, records.Record):
    """What has no C type.  `name` is how messages call it ("<DYN>", "stack", "_symaddr", ...)."""

    name: str = "<DYN>"
    size: int = 0
    align: int = 1
    kind = Kind.TYPEDEF

    def spell(self, inner: str) -> str:
        return _join(self.name, inner)


# -- compatibility -----------------------------------------------------------------------------------

def compatible(left: Type, right: Type) -> bool:
    """Whether two types are alike enough to compare or assign without a cast (as libctf judges)."""
    left, right = left.resolve(), right.resolve()
    if left is right:
        return True
    if isinstance(left, Integer) and isinstance(right, Integer):
        return (left.name, left.size, left.bits, left.signed, left.char) == \
            (right.name, right.size, right.bits, right.signed, right.char)
    if isinstance(left, Float) and isinstance(right, Float):
        return left.size == right.size
    if isinstance(left, Pointer) and isinstance(right, Pointer):
        return compatible(left.target, right.target)
    if isinstance(left, Array) and isinstance(right, Array):
        return left.count == right.count and compatible(left.element, right.element)
    if isinstance(left, Record) and isinstance(right, Record):
        return left.kind == right.kind and left.size == right.size and left.tag == right.tag
    if isinstance(left, Enum) and isinstance(right, Enum):
        return left.tag == right.tag
    return type(left) is type(right) and isinstance(left, Function | String)


# -- scopes ------------------------------------------------------------------------------------------

_TAGS = ("struct", "union", "enum")
_TAGGED = ("struct ", "union ", "enum ")
DYNAMICS = {name: Dynamic(name) for name in ("<DYN>", "stack", "_symaddr", "_usymaddr")}


class Loader(Protocol):
    """Declares in a scope what it is asked for, if it knows it."""

    def load_type(self, key: str) -> None:
        """`key` as in Scope.types."""

    def load_value(self, name: str) -> None:
        """An enumerator or variable."""


class Scope:
    """Type names of one place (a module, a header, a program), with `parent` behind it.

    Keys of `types` are "name" for typedefs and basic types, "struct tag",
    "union tag", "enum tag".  `enumerators` maps an enumerator's name to its
    value and enumeration, `variables` a variable's or function's to its type.
    `modules` are scopes that a name may be qualified with
    ("genunix`kthread_t").  A scope may declare things only when they are
    asked for: `loader` is tried before a name counts as unknown.  `others`
    finds modules when they are asked for; the one without a name has the
    structures that nobody else knows.
    """

    def __init__(self, model: Model = Model.LP64, parent: Scope | None = None, name: str = "") -> None:
        self.model = model
        self.parent = parent
        self.name = name
        self.types: dict[str, Type] = {}
        self.enumerators: dict[str, tuple[int, Enum]] = {}
        self.variables: dict[str, Type] = {}
        self.modules: dict[str, Scope] = {}
        self.loader: Loader | None = None
        self.others: Callable[[str], Scope | None] | None = None
        self._pointers: dict[tuple[int, bool], Pointer] = {}

    @classmethod
    def intrinsic(cls, model: Model = Model.LP64) -> Scope:
        """The basic types of C, the integer typedefs every D program may use, and `string`."""
        scope = cls(model, None, "C")
        lp64 = model is Model.LP64
        for name, size64, size32, signed, char in INTEGERS:
            size = size64 if lp64 else size32
            align = max(1, size if lp64 else min(size, 4))
            scope.types[name] = Integer(name, size, signed, char, size * 8, align)
        for name, size, align in FLOATS:
            size = size if lp64 or name != "long double" else 12
            scope.types[name] = Float(name, size, align if lp64 else 4)
        for name, name64, name32 in TYPEDEFS:
            scope.types[name] = Typedef(name, scope.types[name64 if lp64 else name32], "C")
        scope.types["string"] = String()
        scope.types.update(DYNAMICS)
        return scope

    @classmethod
    def from_header(cls, text: str, model: Model = Model.LP64, *, parent: Scope | None = None,
                    name: str = "", filename: str = "<header>") -> Scope:
        """The types a C header declares (already preprocessed; control lines are skipped).

        What is asked for is parsed, nothing else: see dc/headers.py.
        """
        from dc.headers import attach_header

        scope = cls(model, parent or cls.intrinsic(model), name)
        attach_header(text, scope, filename)
        return scope

    def child(self, name: str = "D") -> Scope:
        """A scope in front of this one."""
        return Scope(self.model, self, name)

    def chain(self) -> Iterator[Scope]:
        """This scope and those behind it, nearest first."""
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.parent

    def own(self, key: str) -> Type | None:
        """The type that this scope itself declares under `key`."""
        found = self.types.get(key)
        if found is None and self.loader is not None and key not in NAMES:
            self.loader.load_type(key)
            return self.types.get(key)
        return found

    def _find(self, key: str) -> Type | None:
        for scope in self.chain():
            found = scope.own(key)
            if found is not None:
                return found
        other = self._other("") if key.startswith(_TAGGED) and key[-1] not in "*]" else None
        return other.own(key) if other is not None else None

    def lookup(self, name: str) -> Type | None:
        """The type called `name`, however spelt: "struct foo", "unsigned long int", "mod`foo_t *"."""
        key = name.strip()
        found = self._find(key)
        if found is not None:
            return found
        if key.startswith("userland "):  # as the kernel marks a probe's argument
            found = self.lookup(key.removeprefix("userland "))
            return self.pointer(found.target, userland=True) if isinstance(found, Pointer) else found
        if key.endswith("*"):
            target = self.lookup(key[:-1])
            return self.pointer(target) if target is not None else None
        if key.endswith("]") and "[" in key:
            return self._lookup_array(key)
        if "`" in key:
            return self._lookup_qualified(key)
        return self._lookup_words(key.split())

    def _lookup_array(self, key: str) -> Type | None:
        base, _, bounds = key.partition("[")
        element = self.lookup(base)
        for bound in reversed(bounds[:-1].split("][")):
            if element is None or not bound.strip().isdigit():
                return None
            element = Array(element, int(bound))
        return element

    def _lookup_qualified(self, key: str) -> Type | None:
        module, _, rest = key.partition("`")
        words = module.split()  # "genunix`struct foo", "struct genunix`foo", "struct `foo"
        scope: Scope | None = self
        if words and words[-1] not in _TAGS:
            scope = self.module(words.pop())
        return scope.lookup(" ".join([*words, rest])) if scope is not None else None

    def _lookup_words(self, words: list[str]) -> Type | None:
        if words and words[0] in ("const", "volatile", "restrict"):
            target = self.lookup(" ".join(words[1:]))
            return Qualified(words[0], target) if target is not None else None
        if words and words[0] in _TAGS:
            return self._find(" ".join(words))
        canonical = canonical_words(words) if words else None
        return self._find(canonical) if canonical else None

    def module(self, name: str) -> Scope | None:
        """The scope of a kernel module, of "C" and "D", or of a program's object."""
        for scope in self.chain():
            if scope.name == name:
                return scope
            if name in scope.modules:
                return scope.modules[name]
        return self._other(name)

    def _other(self, name: str) -> Scope | None:
        for scope in self.chain():
            found = scope.others(name) if scope.others is not None else None
            if found is not None:
                return found
        return None

    def basic(self, name: str) -> Type:
        """A type that D has by itself, by its canonical name."""
        return next(scope for scope in self.chain() if name in scope.types).types[name]

    def is_type_name(self, name: str) -> bool:
        """Whether `name` alone (possibly "module`name") is a typedef or basic type."""
        if "`" in name:
            return name[-1] != "`" and self._lookup_qualified(name) is not None
        return self._find(name) is not None

    def enumerator(self, name: str) -> tuple[int, Enum] | None:
        """The value and enumeration of an enumerator."""
        for scope in self.chain():
            scope._load_value(name)
            if name in scope.enumerators:
                return scope.enumerators[name]
        return None

    def variable(self, name: str) -> Type | None:
        """The type of a variable or function that a header declares."""
        for scope in self.chain():
            scope._load_value(name)
            if name in scope.variables:
                return scope.variables[name]
        return None

    def _load_value(self, name: str) -> None:
        if self.loader is not None and name not in self.enumerators and name not in self.variables:
            self.loader.load_value(name)

    def pointer(self, target: Type, userland: bool = False) -> Pointer:
        """Pointer to `target`: the same object each time."""
        key = (id(target), userland)
        found = self._pointers.get(key)
        if found is None:
            found = self._pointers[key] = Pointer(target, self.model.pointer_size, userland)
        return found

    def bitfield(self, base: Integer, bits: int) -> Integer:
        """A bit-field of `bits` in storage units of `base`."""
        return Integer(base.name, base.size, base.signed, base.char, bits, base.align)

    def integer_constant(self, value: int, suffix: str = "", decimal: bool = True) -> Type:
        """The type of an integer constant, `value` unsigned 64 bits (ISO C 6.4.4.1)."""
        unsigned, longs = "u" in suffix.lower(), suffix.lower().count("l")
        for rank, name in enumerate(("int", "long", "long long")):
            if rank < longs:
                continue
            bits = self.basic(name).size * 8
            if not unsigned and value < 1 << bits - 1:
                return self.basic(name)
            if (unsigned or not decimal) and value < 1 << bits:
                return self.basic(f"unsigned {name}")
        return self.basic("unsigned long long")
