"""The C types that D knows (scopes.py finds them by name).

Types are compared by identity and do not change, except that a record or an
enumeration is completed when its definition is read.  Sizes and
alignments are in bytes, member offsets in bits.  Layout follows the System V
ABI of the data model (ILP32 or LP64), bit-fields included.

`Type` has the methods that all types share (`resolve()`, `is_integer()`, ...);
str(type) is the C spelling of a type.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from dif import records

STRING_SIZE = 256  # what `string` occupies unless the strsize option says otherwise


class Model:
    """The data models, numbered as CTF and DOF number them."""

    ILP32 = 1
    LP64 = 2


POINTER_SIZE = {Model.ILP32: 4, Model.LP64: 8}  # bytes


class Kind:
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


_QUALIFIERS = {"volatile": Kind.VOLATILE, "const": Kind.CONST, "restrict": Kind.RESTRICT}


class Type:
    """Any type.  `size` is 0 for void, functions, and types that are not (yet) defined."""

    __slots__ = ()
    kind: int  # of Kind
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

    def is_by_reference(self) -> bool:
        """Whether a register holds the address of a value instead of the value."""
        base = self.resolve()
        return isinstance(base, _BY_REFERENCE) or (isinstance(base, Float) and base.size > 8)

    def is_of_program(self) -> bool:
        """Whether it is a record of a traced program, or a pointer to one or an array of them."""
        base = self.resolve()
        while isinstance(base, Pointer | Array):
            base = (base.target if isinstance(base, Pointer) else base.element).resolve()
        return isinstance(base, Record) and base.userland

    def base(self) -> Type:
        """The type that remains without pointers, arrays and qualifiers."""
        type_ = self
        while isinstance(type_, Pointer | Array | Qualified):
            type_ = type_.element if isinstance(type_, Array) else type_.target
        return type_


def _join(left: str, inner: str) -> str:
    return f"{left} {inner}" if inner else left


class Integer(Type, records.Record):
    """An integer; `bits` is less than size * 8 for a bit-field; void has size 0.

    A bit-field's `size` is that of its storage unit, the declared type; a C
    program's may be declared as an enumeration, then `enum`.
    """

    name: str
    size: int
    signed: bool
    char: bool = False
    bits: int = 0
    align: int = 1
    enum: Enum | None = None
    kind = Kind.INTEGER

    def is_text(self) -> bool:
        """Whether it is a character of text: char, which has no sign on AArch64, and signed char."""
        return self.char and (self.signed or self.name == "char")

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
    """A pointer; `userland` marks an address in the traced program, from which D loads as copyin() does."""

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
    """An array of `count` elements; 0 for []."""

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

    The records of a header are laid out when their members or size are first
    needed: `defer` takes the function that does it.  `userland` records are those of traced programs.
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
    def kind(self) -> int:  # type: ignore[override]
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
        """Every name that `member` finds."""
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
    def kind(self) -> int:  # type: ignore[override]
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
    def kind(self) -> int:  # type: ignore[override]
        return _QUALIFIERS[self.qualifier]

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
    """The type of what has no C type.  `name` is its name in messages ("<DYN>", "stack", "_symaddr", ...)."""

    name: str = "<DYN>"
    size: int = 0
    align: int = 1
    kind = Kind.TYPEDEF

    def spell(self, inner: str) -> str:
        return _join(self.name, inner)


_BY_REFERENCE = (Record, Array, String, Function, Dynamic)


# -- compatibility -----------------------------------------------------------------------------------

def compatible(left: Type, right: Type) -> bool:
    """Whether values of two types may be compared or assigned without a cast, by libctf's rules."""
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
