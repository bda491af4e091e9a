"""Scopes: where the names of types, variables and enumerators are found, one scope behind the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from dc.types.basictypes import FLOATS, INTEGERS, NAMES, TYPEDEFS, canonical_words
from dc.types.types import (
    POINTER_SIZE,
    Array,
    Dynamic,
    Enum,
    Float,
    Integer,
    Model,
    Pointer,
    Qualified,
    String,
    Type,
    Typedef,
)

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from typing import Protocol
else:
    Protocol = object

_TAGS = ("struct", "union", "enum")
_TAGGED = ("struct ", "union ", "enum ")
PROGRAMS = ("C", "D")  # scopes of D programs and of what they include
DYNAMICS = {name: Dynamic(name) for name in ("<DYN>", "stack", "_symaddr", "_usymaddr")}


class Loader(Protocol):
    """Declares a name in a scope when a program asks for the name, if the loader has a declaration of it."""

    def load_type(self, key: str) -> None:
        """Declare a type; `key` is as in Scope.types."""

    def load_value(self, name: str) -> None:
        """Declare an enumerator or a variable."""

    def words(self) -> set[str]:
        """The words of its texts, among them every name."""


class Scope:
    """Type names of one place (a module, a header, a program), with `parent` behind it.

    Keys of `types` are "name" for typedefs and basic types, "struct tag",
    "union tag", "enum tag".  `enumerators` maps an enumerator's name to its
    value and enumeration, `variables` the name of a variable or function to its
    type.  `modules` are scopes that may qualify a name ("genunix`kthread_t").

    A scope may declare a name only when a program asks for it: the scope tries
    its `loader` before a name counts as unknown.  `others` finds a module by its
    name; under the name "" it has the structures that no other scope has.
    `adopted` holds the id() of each type of another scope that is the type of a
    member in this one.
    """

    def __init__(self, model: int = Model.LP64, parent: Scope | None = None, name: str = "") -> None:
        self.model = model
        self.parent = parent
        self.name = name
        self.types: dict[str, Type] = {}
        self.enumerators: dict[str, tuple[int, Enum]] = {}
        self.variables: dict[str, Type] = {}
        self.modules: dict[str, Scope] = {}
        self.adopted: set[int] = set()
        self.loader: Loader | None = None
        self.others: Callable[[str], Scope | None] | None = None
        self._pointers: dict[tuple[int, bool], Pointer] = {}

    @classmethod
    def intrinsic(cls, model: int = Model.LP64) -> Scope:
        """The basic types of C, the integer typedefs every D program may use, and `string`."""
        scope = cls(model, None, "C")
        lp64 = model == Model.LP64
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
        """The type with a name in any C spelling: "struct foo", "unsigned long", "mod`foo_t *"; or None."""
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
        """The scope of a kernel module, of "C" or "D", or of an object of the program; or None."""
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

    def is_of_programs(self, type_: Type) -> bool:
        """Whether C, D or a D program declares a type or has adopted it: else only the kernel has it."""
        base = type_.base()
        return getattr(base, "module", "") in ("", *PROGRAMS) or any(
            scope.name in PROGRAMS and id(base) in scope.adopted for scope in self.chain())

    def basic(self, name: str) -> Type:
        """A type that D has by itself, by its canonical name."""
        return next(scope for scope in self.chain() if name in scope.types).types[name]

    def is_type_name(self, name: str) -> bool:
        """Whether `name` alone (possibly "module`name") is a typedef or basic type."""
        if "`" in name:
            return name[-1] != "`" and self._lookup_qualified(name) is not None
        return self._find(name) is not None

    def enumerator(self, name: str) -> tuple[int, Enum] | None:
        """The value and the enumeration of an enumerator; None if there is none of this name."""
        for scope in self.chain():
            scope._load_value(name)
            if name in scope.enumerators:
                return scope.enumerators[name]
        return None

    def variable(self, name: str) -> Type | None:
        """The type of a variable or function that a header declares; None if none declares it."""
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
            found = self._pointers[key] = Pointer(target, POINTER_SIZE[self.model], userland)
        return found

    def bitfield(self, base: Integer | Enum, bits: int) -> Integer:
        """A bit-field of `bits` in storage units of `base`; an enumeration's has a sign if a value has."""
        if isinstance(base, Enum):
            negative = any(value < 0 for value in (base.values or {}).values())
            return Integer(str(base), base.size, negative, False, bits, base.align, base)
        return Integer(base.name, base.size, base.signed, base.char, bits, base.align)

    def integer_constant(self, value: int, suffix: str = "", decimal: bool = True) -> Type | None:
        """The type of an integer constant, `value` unsigned 64 bits (ISO C 6.4.4.1); None if none has it."""
        unsigned, longs = "u" in suffix.lower(), suffix.lower().count("l")
        for rank, name in enumerate(("int", "long", "long long")):
            if rank < longs:
                continue
            bits = self.basic(name).size * 8
            if not unsigned and value < 1 << bits - 1:
                return self.basic(name)
            if (unsigned or not decimal) and value < 1 << bits:
                return self.basic(f"unsigned {name}")
        return None
