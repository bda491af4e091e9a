"""The conversions of D's printf() and printa(), one row each, and the parser of format strings.

A format string stands in DOF beside its action, and is read on both sides of it: the compiler checks
each argument by its conversion's row, and the consumer shows what was recorded by the same row.  That is
why the table lies here, below both.

Source: the manual's chapter on output formatting; which names exist and what each takes is what
libdtrace does.  It has no `%F`, and it has known all the others since D 1.0.
"""

from __future__ import annotations

from dif.records import NamedTuple, Record


class Takes:
    """What argument a conversion takes; the value is how a message calls it."""

    INTEGER = "an integer"
    SMALL_INTEGER = "an integer of at most 32 bits"
    LONG_LONG = "long long"
    FLOAT = "a floating-point number"
    STRING = "a string or an array of char (stringof( ) makes a string of a pointer)"
    WIDE_STRING = "an array of wchar_t"
    ADDRESS = "a pointer or an integer"
    KERNEL_ADDRESS = "a pointer, an integer or a kernel symbol"
    USER_ADDRESS = "a user symbol, or with -c or -p a pointer or an integer"
    STACK = "a stack"
    TIME = "a 64-bit integer"
    NAMED = "one of the row's types"


class Shown:
    """How the consumer reads the bytes of an argument, and shows them."""

    SIGNED = "signed integer"
    UNSIGNED = "unsigned integer"
    FLOAT = "floating point"
    CHARACTER = "character"
    WIDE_CHARACTER = "wide character"
    ESCAPED_CHARACTER = "character as in a C literal"
    STRING = "string"
    ESCAPED_STRING = "string as in a C literal"
    WIDE_STRING = "wide string"
    KERNEL_ADDRESS = "kernel address"
    USER_ADDRESS = "user address"
    STACK = "stack"
    PORT = "port"
    HOST = "internet address"
    DATE = "date"
    RFC822 = "RFC 822 date"


class Conversion(NamedTuple):
    """One row: `%` and `name`, which is a letter after its size modifiers.

    `letter` is the conversion of C's printf() that writes the text or the number.  A NAMED conversion
    takes just the C types of `types`; the first one is what messages say.
    """

    name: str
    takes: str  # of Takes
    shown: str  # of Shown
    letter: str
    types: tuple[str, ...] = ()

    @property
    def accepts(self) -> str:
        """What the conversion takes, in words."""
        return self.types[0] if self.types else self.takes


def _rows() -> list[Conversion]:
    def named(name: str, shown: str, *types: str) -> Conversion:
        return Conversion(name, Takes.NAMED, shown, name[-1] if shown in numbers else "s", types)

    numbers = Shown.SIGNED, Shown.UNSIGNED, Shown.FLOAT
    rows = [
        Conversion("a", Takes.KERNEL_ADDRESS, Shown.KERNEL_ADDRESS, "s"),
        Conversion("A", Takes.USER_ADDRESS, Shown.USER_ADDRESS, "s"),
        Conversion("c", Takes.SMALL_INTEGER, Shown.CHARACTER, "c"),
        Conversion("C", Takes.SMALL_INTEGER, Shown.ESCAPED_CHARACTER, "s"),
        Conversion("I", Takes.STRING, Shown.HOST, "s"),
        Conversion("k", Takes.STACK, Shown.STACK, "s"),
        Conversion("ls", Takes.WIDE_STRING, Shown.WIDE_STRING, "s"),
        Conversion("ws", Takes.WIDE_STRING, Shown.WIDE_STRING, "s"),
        Conversion("p", Takes.ADDRESS, Shown.UNSIGNED, "x"),
        Conversion("s", Takes.STRING, Shown.STRING, "s"),
        Conversion("S", Takes.STRING, Shown.ESCAPED_STRING, "s"),
        Conversion("T", Takes.TIME, Shown.RFC822, "s"),
        Conversion("Y", Takes.TIME, Shown.DATE, "s"),
        named("P", Shown.PORT, "unsigned short"),
        named("lc", Shown.WIDE_CHARACTER, "int"),
        named("wc", Shown.WIDE_CHARACTER, "int"),
        Conversion("llx", Takes.LONG_LONG, Shown.UNSIGNED, "x"),
        Conversion("llX", Takes.LONG_LONG, Shown.UNSIGNED, "X"),
    ]
    rows += [Conversion(letter, Takes.INTEGER, Shown.SIGNED, "d") for letter in "di"]
    rows += [Conversion(letter, Takes.INTEGER, Shown.UNSIGNED, letter) for letter in "ouxX"]
    rows += [Conversion(letter, Takes.FLOAT, Shown.FLOAT, letter) for letter in "eEfgG"]
    rows += [named("L" + letter, Shown.FLOAT, "long double") for letter in "eEfgG"]
    for size, type_ in (("h", "short"), ("l", "long"), ("ll", "long long")):
        rows += [Conversion(size + letter, Takes.NAMED, Shown.SIGNED, "d", (type_,)) for letter in "di"]
        rows += [named(size + letter, Shown.UNSIGNED, f"unsigned {type_}") for letter in "ou"]
        if size != "ll":
            rows += [named(size + letter, Shown.UNSIGNED, type_, f"unsigned {type_}") for letter in "xX"]
    return rows


CONVERSIONS = {row.name: row for row in _rows()}
_SIZES = "hlLw"
WIDEST = 0xFFFF  # columns: the most of a width or precision


class FormatError(ValueError):
    """A format string that cannot be used; the message names the conversion by its number."""

    def __init__(self, number: int, problem: str) -> None:
        super().__init__(f"conversion #{number} of the format {problem}")


class Directive(Record):
    """Literal text, then one conversion; `conversion` is None where the format ends with text.

    `number` counts from 1, `%%` too, which is part of the text before the next conversion.  `written` is
    what stands between `%` and the name.  `flags` are those of `#+- 0` that are in force: of `-` and `0`,
    which exclude one another, the last one.  `width` and `precision` are 0 where the format has none; for
    each dynamic one (`*`) an argument precedes the conversion's own.
    """

    prefix: str
    number: int = 0
    conversion: Conversion | None = None
    written: str = ""
    flags: str = ""
    width: int = 0
    precision: int = 0
    dynamic_width: bool = False
    dynamic_precision: bool = False
    aggregation: bool = False  # `@`: it shows an aggregation's value


def parse(text: str, pointer: int = 8) -> list[Directive]:
    """Take a format apart.  `pointer` is the size of a pointer in bytes (`%?x`).  Raises FormatError."""
    directives: list[Directive] = []
    prefix, at, number = "", 0, 0
    while (percent := text.find("%", at)) >= 0:
        prefix += text[at:percent]
        at = percent + 1
        number += 1
        if text.startswith("%", at):
            prefix += "%"
            at += 1
            continue
        directive = Directive(prefix, number)
        at = _directive(text, at, directive, pointer)
        directives.append(directive)
        prefix = ""
    prefix += text[at:]
    if prefix or not directives:
        directives.append(Directive(prefix))
    return directives


def _directive(text: str, at: int, directive: Directive, pointer: int) -> int:
    """Read one conversion after its `%`; return the position after it.

    Flags, sizes, width and precision may come in any order, as libdtrace reads them.
    """
    number, start = directive.number, at
    name = ""
    has_dot = has_digits = False
    while at < len(text):
        char = text[at]
        at += 1
        if char in "123456789" or (char == "0" and (has_dot or has_digits)):
            value, at = _digits(text, at - 1)
            has_digits = True
            if has_dot:
                directive.precision = value
            else:
                directive.width = value
        elif char in "0-":
            directive.flags = directive.flags.replace("0" if char == "-" else "-", "") + char
        elif char in "#+ ":
            directive.flags += char
        elif char == "*":
            if directive.dynamic_precision if has_dot else directive.dynamic_width:
                raise FormatError(number, f"takes its {'precision' if has_dot else 'width'} "
                                          "from two arguments: one * is enough")
            if has_dot:
                directive.dynamic_precision = True
            else:
                directive.dynamic_width = True
        elif char == ".":
            if has_dot:
                raise FormatError(number, "has two points, and a precision begins with one")
            has_dot, has_digits = True, False
        elif char == "?":
            directive.width = pointer * 2
        elif char == "@":
            directive.aggregation = True
        elif char in _SIZES:
            name += char
        elif char == "$":
            raise FormatError(number, "chooses its argument with a $: D takes them in their order")
        elif char == "%":
            raise FormatError(number, "is a percent sign, which is written %% without flags or width")
        elif char != "'":  # which groups digits, but not in the C locale
            name += char
            directive.conversion = CONVERSIONS.get(name)
            if directive.conversion is None:
                raise FormatError(number, f"is %{name}, which is unknown")
            directive.written = "".join([each for each in text[start:at - 1] if each not in _SIZES])
            return at
    raise FormatError(number, "has no letter: the format ends too early")


def _digits(text: str, at: int) -> tuple[int, int]:
    """The number at a position, at most WIDEST, and the position after it."""
    end = at
    while text[end:end + 1] in ("0", "1", "2", "3", "4", "5", "6", "7", "8", "9"):
        end += 1
    return min(int(text[at:end].lstrip("0")[:9] or 0), WIDEST), end
