"""The syntax tree of D: what the parser builds and every later phase reads.

One class per form of the language.  A node's `span` is the place of its
principal token (an operator, a callee's name, a keyword), which is where an
error about the node is shown.  The checker fills `type` and `symbol` of
expressions; the parser leaves both None.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from dc.types import Type


class Span(NamedTuple):
    """A piece of one source line: `line` and `column` count from 1, `end` is the column after it."""

    file: str = ""
    line: int = 0
    column: int = 0
    end: int = 0


NOWHERE = Span()


@dataclass(slots=True, eq=False)
class Node:
    """Anything in the tree."""

    span: Span

    def children(self) -> Iterator[Node]:
        """The nodes directly below this one, in source order."""
        for each in fields(self):
            value = getattr(self, each.name)
            if isinstance(value, Node):
                yield value
            elif isinstance(value, list):
                yield from (item for item in value if isinstance(item, Node))


# -- expressions -----------------------------------------------------------------------------------

@dataclass(slots=True, eq=False)
class Expression(Node):
    """`type` is the value's type and `symbol` what a name or member stands for, once checked."""

    type: Type | None = field(default=None, init=False)
    symbol: Any = field(default=None, init=False)


@dataclass(slots=True, eq=False)
class Integer(Expression):
    """An integer or character constant, an unsigned 64-bit value.

    `suffix` is the u/l/ll letters as written; `decimal` tells a constant
    written in base ten; `negative` a minus sign that came with a macro
    argument (the value is the magnitude).
    """

    value: int
    suffix: str = ""
    decimal: bool = True
    negative: bool = False


@dataclass(slots=True, eq=False)
class String(Expression):
    """A string constant, escapes already replaced, without a terminating NUL."""

    value: bytes


@dataclass(slots=True, eq=False)
class Identifier(Expression):
    """A name; `self` and `this` too; "module`symbol" and "`symbol" keep their backquote."""

    name: str


@dataclass(slots=True, eq=False)
class Aggregation(Expression):
    """`@name`, without the at sign; a bare `@` is named "_"."""

    name: str


@dataclass(slots=True, eq=False)
class Index(Expression):
    """base[index, ...]: array element, associative array element or aggregation tuple."""

    base: Expression
    indices: list[Expression]


@dataclass(slots=True, eq=False)
class Call(Expression):
    """function(argument, ...)."""

    function: Expression
    arguments: list[Expression]


@dataclass(slots=True, eq=False)
class Member(Expression):
    """base.name, or base->name when `arrow`; also self->name and this->name."""

    base: Expression
    name: str
    arrow: bool


@dataclass(slots=True, eq=False)
class Step(Expression):
    """++ or --, before the operand when `prefix`."""

    op: str
    operand: Expression
    prefix: bool


@dataclass(slots=True, eq=False)
class Unary(Expression):
    """op is one of - + ~ ! * &."""

    op: str
    operand: Expression


@dataclass(slots=True, eq=False)
class Binary(Expression):
    """op is one of * / % + - << >> < <= > >= == != & ^ | && ^^ || and the comma."""

    op: str
    left: Expression
    right: Expression


@dataclass(slots=True, eq=False)
class Assign(Expression):
    """op is = or one of the compound *= /= %= += -= <<= >>= &= ^= |=."""

    op: str
    target: Expression
    value: Expression


@dataclass(slots=True, eq=False)
class Conditional(Expression):
    """test ? then : otherwise."""

    test: Expression
    then: Expression
    otherwise: Expression


@dataclass(slots=True, eq=False)
class Cast(Expression):
    """(type) operand."""

    to: TypeName
    operand: Expression


@dataclass(slots=True, eq=False)
class Sizeof(Expression):
    """sizeof (type) or sizeof expression."""

    operand: TypeName | Expression


@dataclass(slots=True, eq=False)
class Stringof(Expression):
    """stringof expression."""

    operand: Expression


@dataclass(slots=True, eq=False)
class Offsetof(Expression):
    """offsetof (type, member)."""

    of: TypeName
    member: str


@dataclass(slots=True, eq=False)
class Xlate(Expression):
    """xlate <type> (operand)."""

    to: TypeName
    operand: Expression


# -- types as written --------------------------------------------------------------------------------

@dataclass(slots=True, eq=False)
class Specifiers(Node):
    """Declaration specifiers.

    `storage` holds storage classes (typedef, extern, self, this, ...),
    `qualifiers` const, volatile, restrict and D's userland, `words` the
    keywords of a basic type in the order written (unsigned, long, ...),
    `named` what is not a basic type: a typedef name, record or enumeration.
    """

    storage: list[str] = field(default_factory=list)
    qualifiers: list[str] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    named: list[NamedType | RecordSpecifier | EnumSpecifier] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class NamedType(Node):
    """A typedef name, possibly "module`name"."""

    name: str


@dataclass(slots=True, eq=False)
class RecordSpecifier(Node):
    """struct or union (`kind`); `members` is None for a mere mention."""

    kind: str
    tag: str | None
    members: list[MemberDeclaration] | None


@dataclass(slots=True, eq=False)
class MemberDeclaration(Node):
    """One line of a record: specifiers and its declarators; none for an anonymous record."""

    specifiers: Specifiers
    declarators: list[MemberDeclarator]


@dataclass(slots=True, eq=False)
class MemberDeclarator(Node):
    """A member's declarator (None for an unnamed bit-field) and its width, if a bit-field."""

    declarator: Declarator | None
    width: Expression | None


@dataclass(slots=True, eq=False)
class EnumSpecifier(Node):
    """enum; `enumerators` is None for a mere mention."""

    tag: str | None
    enumerators: list[Enumerator] | None


@dataclass(slots=True, eq=False)
class Enumerator(Node):
    """name, or name = value."""

    name: str
    value: Expression | None


@dataclass(slots=True, eq=False)
class PointerTo(Node):
    """A `*` of a declarator."""

    qualifiers: list[str] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class ArrayOf(Node):
    """[size], [] or an associative array's [type, ...] (then `keys` is not None)."""

    size: Expression | None = None
    keys: list[Parameter] | None = None
    variadic: bool = False  # an ellipsis among the keys, which the checker refuses


@dataclass(slots=True, eq=False)
class FunctionOf(Node):
    """(parameter, ...); `variadic` when it ends in an ellipsis."""

    parameters: list[Parameter]
    variadic: bool = False


@dataclass(slots=True, eq=False)
class Parameter(Node):
    """A parameter of a function or a key of an associative array."""

    specifiers: Specifiers
    declarator: Declarator


@dataclass(slots=True, eq=False)
class Declarator(Node):
    """A name (None when abstract) and its layers, the nearest to the name first.

    `char *a[3]` is a: array of 3, pointer, and then what the specifiers say.
    """

    name: str | None
    layers: list[PointerTo | ArrayOf | FunctionOf] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class TypeName(Node):
    """A type in a cast, sizeof, offsetof, xlate or translator."""

    specifiers: Specifiers
    declarator: Declarator


# -- statements and external declarations --------------------------------------------------------------

@dataclass(slots=True, eq=False)
class ExpressionStatement(Node):
    """expression;"""

    expression: Expression


@dataclass(slots=True, eq=False)
class If(Node):
    """if (test) then else otherwise; `otherwise` is None without else."""

    test: Expression
    then: list[Statement]
    otherwise: list[Statement] | None


Statement = ExpressionStatement | If


@dataclass(slots=True, eq=False)
class ProbeSpec(Node):
    """One probe specifier as written: a (partial) description, or a probe's number."""

    text: str
    id: int | None = None


@dataclass(slots=True, eq=False)
class Clause(Node):
    """probes / predicate / { statements }; `statements` is None where no braces follow."""

    probes: list[ProbeSpec]
    predicate: Expression | None
    statements: list[Statement] | None


@dataclass(slots=True, eq=False)
class Declaration(Node):
    """specifiers declarator, ... ;"""

    specifiers: Specifiers
    declarators: list[Declarator]


@dataclass(slots=True, eq=False)
class Inline(Node):
    """inline specifiers declarator = value;"""

    specifiers: Specifiers
    declarator: Declarator
    value: Expression


@dataclass(slots=True, eq=False)
class TranslatorMember(Node):
    """name = value; of a translator."""

    name: str
    value: Expression


@dataclass(slots=True, eq=False)
class Translator(Node):
    """translator output < input parameter > { members };"""

    output: TypeName
    input: TypeName
    parameter: str
    members: list[TranslatorMember]


@dataclass(slots=True, eq=False)
class ProbeDeclaration(Node):
    """probe name(native) : (translated); of a provider; `translated` is None when not given."""

    name: str
    native: FunctionOf
    translated: FunctionOf | None


@dataclass(slots=True, eq=False)
class ProviderDeclaration(Node):
    """provider name { probes };"""

    name: str
    probes: list[ProbeDeclaration]


@dataclass(slots=True, eq=False)
class Pragma(Node):
    """A `#` control line, its words: the first is the directive ("pragma", "line", "error", ...).

    Words are str, quoted strings bytes, numbers int.
    """

    words: list[str | bytes | int]


External = Clause | Declaration | Inline | Translator | ProviderDeclaration | Pragma
