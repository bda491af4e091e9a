"""The syntax tree of D: what the parser builds and every later phase reads.

One class per form of the language.  A node's `span` is the place of its
principal token (an operator, a callee's name, a keyword), which is where an
error about the node is shown.
"""

from __future__ import annotations

from collections.abc import Iterator

from dc.diagnostics import Span
from dif.records import NamedTuple, Record, field


class Node(Record):
    """Anything in the tree."""

    span: Span

    def children(self) -> Iterator[Node]:
        """The nodes directly below this one, in source order."""
        for name in type(self).__match_args__:
            value = getattr(self, name)
            if isinstance(value, Node):
                yield value
            elif isinstance(value, list):
                yield from (item for item in value if isinstance(item, Node))


# -- expressions -----------------------------------------------------------------------------------

class Expression(Node):
    """Anything with a value."""


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


class String(Expression):
    """A string constant, escapes already replaced, without a terminating NUL."""

    value: bytes


class Identifier(Expression):
    """A name; `self` and `this` too; "module`symbol" and "`symbol" keep their backquote."""

    name: str


class Aggregation(Expression):
    """`@name`, without the at sign; a bare `@` is named "_"."""

    name: str


class Index(Expression):
    """base[index, ...]: array element, associative array element or aggregation tuple."""

    base: Expression
    indices: list[Expression]


class Call(Expression):
    """function(argument, ...)."""

    function: Expression
    arguments: list[Expression]


class Member(Expression):
    """base.name, or base->name when `arrow`; also self->name and this->name."""

    base: Expression
    name: str
    arrow: bool


class Step(Expression):
    """++ or --, before the operand when `prefix`."""

    op: str
    operand: Expression
    prefix: bool


class Unary(Expression):
    """op is one of - + ~ ! * &."""

    op: str
    operand: Expression


class Binary(Expression):
    """op is one of * / % + - << >> < <= > >= == != & ^ | && ^^ || and the comma."""

    op: str
    left: Expression
    right: Expression


class Assign(Expression):
    """op is = or one of the compound *= /= %= += -= <<= >>= &= ^= |=."""

    op: str
    target: Expression
    value: Expression


class Conditional(Expression):
    """test ? then : otherwise."""

    test: Expression
    then: Expression
    otherwise: Expression


class Cast(Expression):
    """(type) operand."""

    to: TypeName
    operand: Expression


class Sizeof(Expression):
    """sizeof (type) or sizeof expression."""

    operand: TypeName | Expression


class Stringof(Expression):
    """stringof expression."""

    operand: Expression


class Offsetof(Expression):
    """offsetof (type, member)."""

    of: TypeName
    member: str


class Xlate(Expression):
    """xlate <type> (operand)."""

    to: TypeName
    operand: Expression


# -- types as written --------------------------------------------------------------------------------

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


class NamedType(Node):
    """A typedef name, possibly "module`name"."""

    name: str


class Alignment(NamedTuple):
    """What GNU's attributes say of where members lie: `packed` together, or at multiples of `least` bytes."""

    packed: bool = False
    least: int = 0


class RecordSpecifier(Node):
    """struct or union (`kind`); `members` is None if none are given."""

    kind: str
    tag: str | None
    members: list[MemberDeclaration] | None
    alignment: Alignment | None = None


class MemberDeclaration(Node):
    """One line of a record: specifiers and its declarators; none for an anonymous record."""

    specifiers: Specifiers
    declarators: list[MemberDeclarator]


class MemberDeclarator(Node):
    """A member's declarator (None for an unnamed bit-field) and its width, if a bit-field."""

    declarator: Declarator | None
    width: Expression | None
    alignment: Alignment | None = None


class EnumSpecifier(Node):
    """enum; `enumerators` is None if none are given."""

    tag: str | None
    enumerators: list[Enumerator] | None


class Enumerator(Node):
    """name, or name = value."""

    name: str
    value: Expression | None


class PointerTo(Node):
    """A `*` of a declarator."""

    qualifiers: list[str] = field(default_factory=list)


class ArrayOf(Node):
    """[size], [] or an associative array's [type, ...] (then `keys` is not None)."""

    size: Expression | None = None
    keys: list[Parameter] | None = None
    variadic: bool = False  # an ellipsis among the keys, which the checker refuses


class FunctionOf(Node):
    """(parameter, ...); `variadic` when it ends in an ellipsis."""

    parameters: list[Parameter]
    variadic: bool = False


class Parameter(Node):
    """A parameter of a function or a key of an associative array."""

    specifiers: Specifiers
    declarator: Declarator


class Declarator(Node):
    """A name (None when abstract) and its layers, the nearest to the name first.

    `char *a[3]` is a: array of 3, pointer, and then what the specifiers say.
    """

    name: str | None
    layers: list[PointerTo | ArrayOf | FunctionOf] = field(default_factory=list)


class TypeName(Node):
    """A type in a cast, sizeof, offsetof, xlate or translator."""

    specifiers: Specifiers
    declarator: Declarator


# -- statements and external declarations --------------------------------------------------------------

class ExpressionStatement(Node):
    """expression;"""

    expression: Expression


class If(Node):
    """if (test) then else otherwise; `otherwise` is None without else."""

    test: Expression
    then: list[Statement]
    otherwise: list[Statement] | None


Statement = ExpressionStatement | If


class ProbeSpec(Node):
    """One probe specifier as written: a (partial) description, or a probe's number."""

    text: str
    id: int | None = None


class Clause(Node):
    """probes / predicate / { statements }; `statements` is None where no braces follow."""

    probes: list[ProbeSpec]
    predicate: Expression | None
    statements: list[Statement] | None


class Declaration(Node):
    """specifiers declarator, ... ;"""

    specifiers: Specifiers
    declarators: list[Declarator]


class Inline(Node):
    """inline specifiers declarator = value;"""

    specifiers: Specifiers
    declarator: Declarator
    value: Expression


class TranslatorMember(Node):
    """name = value; of a translator."""

    name: str
    value: Expression


class Translator(Node):
    """translator output < input parameter > { members };"""

    output: TypeName
    input: TypeName
    parameter: str
    members: list[TranslatorMember]


class ProbeDeclaration(Node):
    """probe name(native) : (translated); of a provider; `translated` is None when not given."""

    name: str
    native: FunctionOf
    translated: FunctionOf | None


class ProviderDeclaration(Node):
    """provider name { probes };"""

    name: str
    probes: list[ProbeDeclaration]


class Pragma(Node):
    """A control line, without its `#`; the first word is the directive ("pragma", "error", ...).

    A word is a str, a quoted string bytes, a number an int.
    """

    words: list[str | bytes | int]


External = Clause | Declaration | Inline | Translator | ProviderDeclaration | Pragma
