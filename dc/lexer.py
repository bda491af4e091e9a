# ruff: noqa: SIM905
"""Text of a D program → tokens.

D is read in two states.  Outside of clauses, words like `syscall::open*:entry`
are one token, a probe description (PSPEC); the parser switches to expressions
once a description or a declaration has begun, and back after it.  Whether a
name is a type (TNAME) or not (IDENT) depends on what has been declared: the
lexer asks `Names`, as the manual's chapter on types describes it.

Macro variables and arguments ($1, $$1, $target) are replaced here; control
lines (`#pragma ...`) are handed out as Pragma nodes between the tokens.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from dc.diagnostics import CompileError, error
from dc.records import Record, fresh
from dc.syntax import Pragma, Span
from dc.tables import KEYWORDS, OPERATORS
from dif.light import NamedTuple, Protocol

INTEGER_LIMIT = 1 << 64
MOST_DIGITS = 22  # of 64 bits in octal


def cropped(text: str) -> str:
    """A token for a message: the beginning of a long one, and nothing beyond its line."""
    text = text.split("\n", 1)[0]
    return text if len(text) <= 60 else f"{text[:57]}..."


class Names(Protocol):
    """What the lexer must know of names to tell types from variables."""

    def is_variable(self, name: str) -> bool:
        """A global variable, function, inline or enumerator: it hides a type of the same name."""

    def is_type_name(self, name: str) -> bool:
        """A typedef name, possibly qualified by a module."""

    def begin_record(self, keyword: str, tag: str, span: Span) -> None:
        """The definition of "struct tag" begins.  Raises D_DECL_TYPERED if it has one already."""


class NumberValue(NamedTuple):
    """The value of an INT token: see syntax.Integer."""

    value: int
    suffix: str = ""
    decimal: bool = True
    negative: bool = False


class Token(NamedTuple):
    """`terminal` is its name in the grammar, `text` as written, `value` what it means."""

    terminal: str
    text: str
    span: Span
    value: NumberValue | bytes | str | None = None


class Macros(Record):
    """What $-names stand for.

    `arguments` are $0, $1, ...; `variables` the numeric ones ($target, $pid).
    With `default` an argument that was not given is 0 or "".  `used` collects
    the argument numbers that the program referred to.
    """

    arguments: Sequence[str] = ()
    variables: Mapping[str, int] = fresh(default_factory=dict)
    default: bool = False
    used: set[int] = fresh(default_factory=set)

    def argument(self, text: str, span: Span) -> str | None:
        """The text of `$n` or `$$n`; None when it is missing and defaults apply.  Raises D_MACRO_UNDEF."""
        number = int(text.lstrip("$"))
        if number < len(self.arguments):
            self.used.add(number)
            return self.arguments[number]
        if not self.default:
            raise error("D_MACRO_UNDEF", span, f"macro argument {text} is not defined")
        return None

    def variable(self, text: str, span: Span) -> int:
        """The value of `$name`.  Raises D_MACRO_UNDEF."""
        name = text.lstrip("$")
        if name not in self.variables:
            raise error("D_MACRO_UNDEF", span, f"macro variable {text} is not defined")
        return self.variables[name]


# Kept plain and few: the patterns are compiled at every start.
_INTEGER = r"(?P<int>(?:0[xX][0-9A-Fa-f]+|[0-9]+)(?P<suffix>[uU]?[lL]?[lL]?))"
_STRING = r'(?P<string>"(?:[^"\\\n]|\\[^\n])*(?P<string_end>")?)'
_TOKEN = re.compile(
    r"(?P<space>[\f\r\t\v ]+)"
    r"|(?P<newline>\n[\f\r\t\v ]*(?P<hash>#(?P<bang>!)?)?)"
    r"|(?P<comment>/\*(?:(?P<nested>[^*]*?/\*)|(?s:.*?)\*/)?)"
    r"|(?P<continued>\\\n)"
    r"|(?P<ident>(?:pid\$target|[A-Za-z_`])[\w.`]*`[A-Za-z_`][\w`]*|[A-Za-z_`][\w`]*)"
    r"|(?P<float>(?:\d+\.\d*|\.\d+|(?!0[xX])\d+(?=[eEfF]))(?:[eE][+-]?\d+)?[fFlL]?)"
    r"|" + _INTEGER + r"|" + _STRING
    + r"|(?P<char>'(?:[^'\\\n]|\\[^\n])*(?P<char_end>')?)"
    r"|(?P<agg>@(?:[A-Za-z_]\w*)?)"
    r"|(?P<argument>\$\$?\d+)"
    r"|(?P<variable>\$\$?[A-Za-z_`][\w`]*)"
    r"|(?P<operator>\.\.\.|->|\+\+|--|<<=?|>>=?|&&|\|\||\^\^|[-+*/%&^|<>=!]=?|[][(){}~?:,;.])", re.ASCII)
_PROBE = re.compile(r"(?P<probe>[-$:A-Za-z_.?*\\[\]!][-$:\w.`?*\\[\]!]*)", re.ASCII)  # outside of clauses
_CONTROL = re.compile(
    r"(?P<space>[\f\r\t\v ]+)|" + _INTEGER + r"(?=[\f\r\t\v ]|$)|" + _STRING
    + r'|(?P<word>[^\f\n\r\t\v "]+)', re.ASCII)
_BLANK = re.compile(r"(?:[\f\n\r\t\v ]|/\*(?s:.*?)\*/)*")
_ESCAPE = re.compile(rb"\\(?:([0-7]{1,3})|x([0-9A-Fa-f]*)|(.))", re.DOTALL)
_ESCAPES = {b"a": b"\a", b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t",
            b"v": b"\v", b'"': b'"', b"'": b"'", b"\\": b"\\"}

# Keywords with which something other than a probe description begins.
OPENING = frozenset(("auto char const double enum extern float inline int long provider register "
                     "restrict self short signed static string struct this translator typedef union "
                     "unsigned void volatile").split())
# C words that D reserves; none of them begins anything in D's grammar.
RESERVED = frozenset("break case continue counter default do for goto import return switch while".split())


def unescape(text: str) -> bytes:
    """Replace C escapes in a literal's inside; an unknown escape keeps its backslash."""
    raw = text.encode("utf-8", "surrogateescape")
    if b"\\" not in raw:
        return raw

    def replaced(match: re.Match[bytes]) -> bytes:
        octal, hexadecimal, other = match.groups()
        if octal is not None:
            return bytes([int(octal, 8) & 0xFF])
        if hexadecimal is not None:
            return bytes([int(hexadecimal or b"0", 16) & 0xFF])
        return _ESCAPES.get(other, b"\\" + other)

    return _ESCAPE.sub(replaced, raw)


def number(text: str, suffix: str, span: Span) -> NumberValue:
    """The value of an integer constant.  Raises D_INT_OFLOW, D_INT_DIGIT."""
    digits = text[:len(text) - len(suffix)]
    if len(digits.lstrip("0xX")) > MOST_DIGITS:
        raise error("D_INT_OFLOW", span, f"constant {cropped(text)} results in integer overflow")
    decimal = not digits.startswith("0")
    if decimal:
        value = int(digits)
    elif digits[1:2] in ("x", "X"):
        value = int(digits, 16)
    else:
        bad = next((digit for digit in digits if digit not in "01234567"), None)
        if bad is not None:
            raise error("D_INT_DIGIT", span, f"constant {text} contains invalid digit {bad}")
        value = int(digits, 8)
    if value >= INTEGER_LIMIT:
        raise error("D_INT_OFLOW", span, f"constant {text} results in integer overflow")
    return NumberValue(value, suffix, decimal)


class Lexer:
    """Tokens of one text.  `clause` is the state: True outside of clauses and declarations."""

    def __init__(self, text: str, names: Names, *, file: str = "", macros: Macros | None = None,
                 pspec: bool = False, header: bool = False, script: bool = False) -> None:
        self.text = text
        self.names = names
        self.file = file
        self.macros = macros or Macros()
        self.pspec = pspec
        self.header = header  # C declarations only, no clauses
        self.script = script  # a file, in which a probe description alone is no clause
        self.clause = not header
        self.pragmas: list[Pragma] = []
        self.include_depth = 0  # inside an #include: types go to C's scope
        self.likely: set[str] = set()  # type names that were used as variables
        self._position = 0
        self._line = 1
        self._line_start = 0
        self._parens = self._brackets = self._braces = 0
        self._skip_first_control()

    # -- places ------------------------------------------------------------------------------------

    def _span(self, start: int, end: int) -> Span:
        column = start - self._line_start + 1
        return Span(self.file, self._line, column, column + end - start)

    def end_span(self) -> Span:
        """Where reading stands."""
        return self._span(self._position, self._position)

    def _count_lines(self, start: int, end: int) -> None:
        newlines = self.text.count("\n", start, end)
        if newlines:
            self._line += newlines
            self._line_start = self.text.rfind("\n", start, end) + 1

    # -- the token stream --------------------------------------------------------------------------

    def next(self, expects_name: bool = False) -> Token:
        """The next token; "$END" at the end.

        `expects_name` tells that the parser has a type already and waits for
        the name being declared, so that a type's name is not taken for a type.
        Raises CompileError.
        """
        while True:
            text, start = self.text, self._position
            match = (_PROBE.match(text, start) if self.clause else None) or _TOKEN.match(text, start)
            if match is None:
                if start >= len(self.text):
                    return Token("$END", "", self._span(start, start))
                near = self.text[start]
                self._position += 1
                raise error("D_SYNTAX", self._span(start, start + 1), f'syntax error near "{near}"')
            self._position = end = match.end()
            kind = match.lastgroup
            if kind == "space":
                continue
            if kind in ("newline", "comment", "continued"):
                self._skipped(match, start, end)
                continue
            return self._token(match, start, end, expects_name)

    def _skipped(self, match: re.Match[str], start: int, end: int) -> None:
        if match["comment"] is not None:
            if match["nested"] is not None:
                self._count_lines(start, end - 2)
                raise error("D_SYNTAX", self._span(end - 2, end), "/* encountered inside a comment")
            if end - start < 4:
                self._position = len(self.text)
                raise error("D_SYNTAX", self._span(start, end), "end-of-file encountered before matching */")
        self._count_lines(start, end)
        if match["newline"] is not None and match["hash"] is not None:
            self._control(end, ignore=match["bang"] is not None)

    def _token(self, match: re.Match[str], start: int, end: int, expects_name: bool) -> Token:
        text, span = match[0], self._span(start, end)
        kind = match.lastgroup
        if kind == "probe":
            return self._probe(text, span)
        if kind == "ident":
            if "$" in text:  # pid$target`type
                text = text.replace("$target", str(self.macros.variable("$target", span)))
            return self._word(text, span, expects_name)
        if kind == "operator":
            return self._operator(text, span)
        if kind == "int":
            return Token("INT", text, span, number(text, match["suffix"], span))
        if kind == "string":
            return Token("STRING", text, span, self._string(match, span))
        if kind == "char":
            return Token("INT", text, span, self._character(match, span))
        if kind == "agg":
            return Token("AGG", text, span, text[1:] or "_")
        if kind == "argument":
            return self._argument(text, span, expects_name)
        if kind == "variable":
            value = self.macros.variable(text, span)
            if text.startswith("$$"):
                return Token("STRING", text, span, str(value & 0xFFFFFFFF).encode())
            return Token("INT", text, span, NumberValue(value % INTEGER_LIMIT))
        raise error("D_SYNTAX", span, "floating-point constants are not permitted")

    def _operator(self, text: str, span: Span) -> Token:
        terminal = OPERATORS[text]
        if text == "/" and not self.clause:
            rest = _BLANK.match(self.text, self._position)
            following = self.text[rest.end():rest.end() + 1] if rest else ""
            if following in ("", ";", "{", "/"):
                if self._parens or self._brackets:
                    missing = ")" if self._parens else "]"
                    raise error("D_SYNTAX", span, f"closing {missing} expected in predicate before /")
                terminal = "EPRED"
        elif text in "()[]{}":
            self._balance(text, span)
        return Token(terminal, text, span, text)

    def _balance(self, text: str, span: Span) -> None:
        step = 1 if text in "([{" else -1
        if text in "()":
            self._parens = depth = self._parens + step
        elif text in "[]":
            self._brackets = depth = self._brackets + step
        else:
            self._braces = depth = self._braces + step
        if depth < 0:
            raise error("D_SYNTAX", span, f"extra {text} in input stream")

    # -- names ---------------------------------------------------------------------------------------

    def _probe(self, text: str, span: Span) -> Token:
        if text in OPENING:
            self.clause = False
            return Token(KEYWORDS[text], text, span, text)
        if not self.pspec and ":" not in text:
            name, star, _rest = text.partition("*")
            if name and self.names.is_type_name(name):
                self.clause = False
                if star:
                    self._position -= len(text) - len(name)
                    span = span._replace(end=span.column + len(name))
                return Token("TNAME", name, span, name)
        return Token("PSPEC", text, span, text)

    def _word(self, text: str, span: Span, expects_name: bool) -> Token:
        keyword = KEYWORDS.get(text)
        if keyword is not None:
            return Token(keyword, text, span, text)
        if text in RESERVED:
            return Token("RESERVED", text, span, text)
        if expects_name or self._after_member_operator(span) or text in self.likely \
                or self.names.is_variable(text) or not self.names.is_type_name(text):
            return Token("IDENT", text, span, text)
        if self._looks_like_variable():
            self.likely.add(text)
            return Token("IDENT", text, span, text)
        return Token("TNAME", text, span, text)

    def _after_member_operator(self, span: Span) -> bool:
        """Whether a member's name is being read, which is never a type."""
        before = self.text[max(0, self._line_start + span.column - 3):self._line_start + span.column - 1]
        return before == "->" or (before[-1:] == "." and before != "..")

    def _looks_like_variable(self) -> bool:
        """Whether ++, --, = or [ follows, which cannot follow a type's name."""
        blank = _BLANK.match(self.text, self._position)
        at = blank.end() if blank else self._position
        following = self.text[at:at + 2]
        return following in ("++", "--") or following[:1] == "[" or \
            (following[:1] == "=" and following != "==")

    def _argument(self, text: str, span: Span, expects_name: bool) -> Token:
        value = self.macros.argument(text, span)
        if text.startswith("$$"):
            return Token("STRING", text, span, unescape(value or ""))
        value = "0" if value is None else value
        match = re.fullmatch(r"([+-]?)((?:0[xX][0-9A-Fa-f]+|\d+)([uU]?[lL]?[lL]?))", value)
        if match is not None:
            try:
                parsed = number(match[2], match[3], span)
            except CompileError as exception:
                if exception.tag == "D_INT_OFLOW":
                    raise error("D_MACRO_OFLOW", span, f"macro argument {text} constant {value} results "
                                "in integer overflow") from None
                raise
            return Token("INT", text, span, parsed._replace(negative=match[1] == "-"))
        if re.fullmatch(r"[\w`]+", value, re.ASCII) and not value[0].isdigit():
            return self._word(value, span, expects_name)
        if len(value) > 1 and value[0] == value[-1] == '"':
            value = value[1:-1]
        return Token("STRING", text, span, unescape(value))

    # -- literals ------------------------------------------------------------------------------------

    def _unterminated(self, tag: str, what: str, span: Span) -> CompileError:
        """A literal without its end: a line ends in it, or the text does."""
        if self._position >= len(self.text):
            return error("D_SYNTAX", span, f"end-of-file encountered in {what}")
        return error(tag, span, f"newline encountered in {what}")

    def _string(self, match: re.Match[str], span: Span) -> bytes:
        if match["string_end"] is None:
            raise self._unterminated("D_STR_NL", "string literal", span)
        return unescape(match["string"][1:-1]).split(b"\0", 1)[0]

    def _character(self, match: re.Match[str], span: Span) -> NumberValue:
        if match["char_end"] is None:
            raise self._unterminated("D_CHR_NL", "character constant", span)
        inside = unescape(match["char"][1:-1])
        if not inside:
            raise error("D_CHR_NULL", span, "empty character constant")
        if len(inside) > 8:
            raise error("D_CHR_OFLOW", span, "character constant is too long")
        return NumberValue(int.from_bytes(inside, "big"))

    # -- control lines -------------------------------------------------------------------------------

    def _skip_first_control(self) -> None:
        """A control line may also be the very first line, which no newline precedes."""
        match = re.match(r"[\f\t\v ]*#(!)?", self.text)
        if match is not None:
            self._position = match.end()
            self._control(match.end(), ignore=match[1] is not None)

    def _control(self, start: int, ignore: bool) -> None:
        stop = self.text.find("\n", start)
        if ignore:
            self._position = stop if stop >= 0 else len(self.text)
            return
        span = self._span(start - 1, start)
        if stop < 0:
            self._position = len(self.text)
            raise error("D_SYNTAX", span, "end-of-file encountered before end of control line")
        words: list[str | bytes | int] = []
        at = start
        while at < stop:
            match = _CONTROL.match(self.text, at, stop)
            assert match is not None  # every character belongs to one of the alternatives
            at = match.end()
            here = self._span(match.start(), at)
            if match["int"] is not None:
                words.append(number(match["int"], match["suffix"], here).value)
            elif match["string"] is not None:
                words.append(self._string(match, here))
            elif match["word"] is not None:
                words.append(match["word"])
        self._position = stop
        self._directive(words, span, self._span(start, at))

    def _directive(self, words: list[str | bytes | int], span: Span, whole: Span) -> None:
        if words and isinstance(words[0], int):
            self._set_line(words, span)
        elif words[:1] == ["line"] or words[:2] == ["pragma", "line"] or words[:3] == ["pragma", "D", "line"]:
            self._set_line(words[words.index("line") + 1:], span)
        elif words:
            self.pragmas.append(Pragma(span._replace(end=whole.end), words))

    def _set_line(self, words: list[str | bytes | int], span: Span) -> None:
        """`# line "file" state`: state 1 enters an included file, 2 leaves one."""
        shape = [type(word) for word in words[:3]]
        if shape != [int, bytes, int][:len(shape)] or not shape:
            raise error("D_PRAGMA_MALFORM", span, 'malformed #line <line> [ ["file"] state ]')
        line = words[0]
        assert isinstance(line, int)
        if len(words) > 1 and isinstance(words[1], bytes):
            self.file = words[1].decode("utf-8", "surrogateescape")
        if len(words) > 2:
            self.include_depth = max(0, self.include_depth + {1: 1, 2: -1}.get(int(words[2]), 0))
        self._line = line - 1  # the newline that ends this line counts

    # -- recovery ------------------------------------------------------------------------------------

    def recover(self) -> None:
        """Skip to the end of the clause or declaration in which an error was found."""
        depth = max(self._braces, 0)
        end = re.compile(r'"(?:[^"\\\n]|\\.)*"|/\*(?s:.*?)\*/|[{};\n]')
        position = self._position
        while True:
            match = end.search(self.text, position)
            if match is None:
                position = len(self.text)
                break
            self._count_lines(position, match.end())
            position = match.end()
            depth += {"{": 1, "}": -1}.get(match[0], 0)
            if depth <= 0 and match[0] in "};":
                break
        self._position = position
        self._parens = self._brackets = self._braces = 0
        self.clause = not self.header
