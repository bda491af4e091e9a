"""printf() formats: conversions, and the check of each against its argument's type.

The conversions are those of the manual's chapter on output formatting.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dc.checking import rules
from dc.checking.typed import Value, value_size
from dc.diagnostics import error
from dc.names.scopes import Scope
from dc.names.types import Enum, Integer, Type
from dc.source.tree import Span
from dif.light import NamedTuple
from dif.records import Record, fresh


class Conversion(NamedTuple):
    """`accepts` says in words what it takes; `check` decides."""

    name: str
    accepts: str
    check: Callable[[Value, bool], bool]


class Directive(Record):
    """One conversion as written, with the text before it; `conversion` is None for trailing text."""

    prefix: str
    flags: str = ""
    conversion: Conversion | None = None
    stars: list[str] = fresh(default_factory=list)
    aggregation: bool = False


def _integer(value: Value, target: bool) -> bool:
    return value.type.is_integer()


def _small_integer(value: Value, target: bool) -> bool:
    return value.type.is_integer() and value_size(value.type) <= 4


def _address(value: Value, target: bool) -> bool:
    return rules.is_pointer(value.type) or value.type.is_integer()


def _kernel_address(value: Value, target: bool) -> bool:
    return _address(value, target) or rules.is_special(value.type, "_symaddr")


def _user_address(value: Value, target: bool) -> bool:
    return rules.is_special(value.type, "_usymaddr") or (target and _address(value, target))


def _float(value: Value, target: bool) -> bool:
    return value.type.is_float()


def _stack(value: Value, target: bool) -> bool:
    return rules.is_special(value.type, "stack")


def _string(value: Value, target: bool) -> bool:
    return value.type.is_string() or value.type.is_char_array()


def _wide_string(value: Value, target: bool) -> bool:
    element = rules.target_of(value.type) if value.type.is_array() else None
    base = element.resolve() if element is not None else None
    return isinstance(base, Integer) and base.bits == 32


def _time(value: Value, target: bool) -> bool:
    return value.type.is_integer() and value_size(value.type) == 8


def _named(*names: str) -> Callable[[Value, bool], bool]:
    """Just these types of C; an integer by another name of the same size is something else."""
    def check(value: Value, target: bool) -> bool:
        base = value.type.resolve()
        return str(base) in names or (isinstance(base, Enum) and "int" in names)
    return check


def _long_long(value: Value, target: bool) -> bool:
    """%llx takes [u]int64_t too, though they are long in a 64-bit program."""
    if _named("long long", "unsigned long long")(value, target):
        return True
    type_: Type | None = value.type
    while type_ is not None:
        if str(type_) in ("int64_t", "uint64_t"):
            return True
        type_ = getattr(type_, "target", None) if str(type_.kind) and not type_.is_pointer() else None
    return False


_XINT = "char, short, int, long, or long long"
_FP = "float, double, or long double"
_TEXT = "char [] or string (or use stringof)"
_WIDE = "wchar_t []"


def _table() -> dict[str, Conversion]:
    rows: list[tuple[str, str, Callable[[Value, bool], bool]]] = [
        ("a", "pointer or integer", _kernel_address),
        ("A", "pointer or integer (with -p/-c) or _usymaddr (without -p/-c)", _user_address),
        ("c", "char, short, or int", _small_integer), ("C", "char, short, or int", _small_integer),
        ("I", _TEXT, _string), ("k", "stack", _stack), ("ls", _WIDE, _wide_string),
        ("ws", _WIDE, _wide_string), ("p", "pointer or integer", _address),
        ("P", "uint16_t", _named("unsigned short")), ("s", _TEXT, _string), ("S", _TEXT, _string),
        ("T", "int64_t", _time), ("Y", "int64_t", _time), ("lc", "int", _named("int")),
        ("wc", "int", _named("int")), ("%", "void", lambda value, target: True),
        ("llx", "long long", _long_long), ("llX", "long long", _long_long)]
    rows += [(name, _XINT, _integer) for name in "dioux"] + [("X", _XINT, _integer)]
    rows += [(name, _FP, _float) for name in "eEfgG"]
    rows += [("L" + name, "long double", _named("long double")) for name in "eEfgG"]
    for prefix, type_ in (("h", "short"), ("l", "long"), ("ll", "long long")):
        rows += [(prefix + name, type_, _named(type_)) for name in "di"]
        rows += [(prefix + name, f"unsigned {type_}", _named(f"unsigned {type_}")) for name in "ou"]
        if prefix != "ll":
            rows += [(prefix + name, type_, _named(type_, f"unsigned {type_}")) for name in "xX"]
    return {row[0]: Conversion(*row) for row in rows}


class _Table:
    """The conversions, made when first needed."""

    conversions: dict[str, Conversion] | None = None

    def __getitem__(self, name: str) -> Conversion | None:
        if self.conversions is None:
            self.conversions = _table()
        return self.conversions.get(name)


CONVERSIONS = _Table()


def parse(text: str, span: Span) -> list[Directive]:
    """Take a format apart.  Raises D_SYNTAX where it is no format."""
    directives: list[Directive] = []
    position = 0
    while (percent := text.find("%", position)) >= 0:
        directive = Directive(text[position:percent])
        directives.append(directive)
        position = _directive(text, percent + 1, directive, len(directives), span)
    if position < len(text):
        directives.append(Directive(text[position:]))
    return directives


def _malformed(span: Span, number: int, what: str) -> Exception:
    return error("D_SYNTAX", span, f"format conversion #{number} {what}")


def _directive(text: str, position: int, directive: Directive, number: int, span: Span) -> int:
    """Read one conversion after its percent sign; return the position after it."""
    name = ""
    start = position
    dot = False
    while True:
        char = text[position:position + 1]
        position += 1
        if char == "":
            raise _malformed(span, number, "name expected before end of format string")
        if char == "*":
            star = ".*" if dot else "*"
            if star in directive.stars:
                part = "precision" if dot else "width"
                raise _malformed(span, number, f"has more than one '*' specified for the output {part}")
            directive.stars.append(star)
        elif char == ".":
            if dot:
                raise _malformed(span, number, "has more than one '.' specified")
            dot = True
        elif char == "$":
            raise _malformed(span, number, "uses unsupported positional format (%n$)")
        elif char == "@":
            directive.aggregation = True
        elif char in "hlLw":
            name += char
        elif char not in "0123456789#+-?' ":
            break
    if char == "%" and position - 1 != start:
        raise _malformed(span, number, "cannot be combined with other format flags: %%")
    name += char
    directive.flags = text[start:position - len(name)]
    directive.conversion = CONVERSIONS[name]
    if directive.conversion is None:
        raise _malformed(span, number, f"is undefined: %{name}")
    return position


def validate(text: str, function: str, arguments: Sequence[Value], span: Span, *, exact: bool,
             aggregated: Type | None, has_target: bool) -> str:
    """Check a format against its arguments; return it with %d made %u for unsigned ones.

    `aggregated` is the type of an aggregation's result where %@ may stand
    (printa), None elsewhere; `exact` refuses arguments left over.  Raises
    D_PRINTF_*.
    """
    if not text:
        raise error("D_PRINTF_FMT_EMPTY", span, f"{function}( ) has nothing in its format")
    result: list[str] = []
    used = 0
    for number, directive in enumerate(parse(text, span), 1):
        conversion = directive.conversion
        result.append(directive.prefix)
        if conversion is None:
            continue
        if conversion.name == "%":
            result.append("%%")
            continue
        used = _check_stars(directive, conversion, function, arguments, used, number, span)
        if directive.aggregation:
            if aggregated is None:
                raise error("D_PRINTF_AGG_CONV", span, f"%@ stands for an aggregation's value, and "
                            f"{function}( ) has none")
            value, what = Value(span, aggregated), "aggregating action"
        elif used >= len(arguments):
            raise error("D_PRINTF_ARG_PROTO", span, f"{function}( ) has no argument for conversion "
                        f"#{number}, %{conversion.name}")
        else:
            value, what = arguments[used], f"argument #{used + 2}"
            used += 1
        if not conversion.check(value, has_target):
            raise error("D_PRINTF_ARG_TYPE", span, f"{function}( ) conversion #{number}, %{conversion.name}, "
                        f"takes {conversion.accepts}, and {what} is {value.type_name}")
        result.append(f"%{directive.flags}{_spelling(conversion, value)}")
    if exact and used < len(arguments):
        raise error("D_PRINTF_ARG_EXTRA", span, f"{function}( ) has {len(arguments)} arguments after its "
                    f"format, which uses {used}")
    return "".join(result)


def _check_stars(directive: Directive, conversion: Conversion, function: str,
                 arguments: Sequence[Value], used: int, number: int, span: Span) -> int:
    for star in sorted(directive.stars):
        if used >= len(arguments):
            raise error("D_PRINTF_DYN_PROTO", span, f"{function}( ) has no argument for the {star} in "
                        f"conversion #{number}, %{conversion.name}")
        if not arguments[used].type.is_integer():
            raise error("D_PRINTF_DYN_TYPE", span, f"{function}( ) takes an int for the {star} in conversion "
                        f"#{number}, %{conversion.name}, and argument #{used + 2} is "
                        f"{arguments[used].type_name}")
        used += 1
    return used


def _spelling(conversion: Conversion, value: Value) -> str:
    """%d shows an unsigned value unsigned: the type is known here only."""
    return "u" if conversion.name == "d" and not value.type.is_signed() else conversion.name


def result_type(count: bool, scope: Scope) -> Type:
    """The type of an aggregation's result: unsigned for count(), signed for the others."""
    return scope.basic("uint64_t" if count else "int64_t")
