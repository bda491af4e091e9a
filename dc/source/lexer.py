# ruff: noqa: SIM905
"""Text of a D program → tokens.

The lexer has two states.  Outside of clauses, a word like `syscall::open*:entry`
is one token, a probe description (PSPEC).  The parser switches to the state for
expressions once a description or a declaration has begun, and back at its end.
Whether a name is a type (TNAME) or not (IDENT) depends on the declarations so
far: the lexer asks `Names` (rules: the manual's chapter on types).

The lexer replaces macro variables and arguments ($1, $$1, $target), and collects
control lines (`#pragma ...`) as Pragma nodes, which the parser hands out between
the tokens.

Included files are C, and D's grammar has the declarations of C only.  The lexer
leaves out bodies of functions there, values that variables begin with, and
semicolons behind semicolons; and words of D are names where C has names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from dc.characters import (
    BEGINS_NAME,
    BEGINS_WORD,
    DIGITS,
    IN_NAME,
    IN_QUALIFIED,
    LETTERS,
    MOST_DIGITS,
    OCTAL,
    SPACES,
    WORD,
    blank_end,
    float_end,
    integer_end,
    qualified_end,
    quotation_end,
    run_end,
    unescape,
)
from dc.diagnostics import CompileError, Span, did_you_mean, error
from dc.source.tables import KEYWORDS, OPERATORS
from dc.source.tree import Alignment, Pragma
from dif.records import NamedTuple, Record, field

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from typing import Protocol
else:
    Protocol = object

INTEGER_LIMIT = 1 << 64


def cropped(text: str) -> str:
    """A token's text for a message: at most 60 characters, all of its first line."""
    text = text.split("\n", 1)[0]
    return text if len(text) <= 60 else f"{text[:57]}..."


class Names(Protocol):
    """What the lexer asks to tell types from variables."""

    def is_variable(self, name: str) -> bool:
        """Whether a global variable, function, inline or enumerator hides a type of this name."""

    def is_type_name(self, name: str) -> bool:
        """Whether the name, perhaps qualified by a module, is that of a typedef or basic type."""

    def begin_record(self, keyword: str, tag: str, span: Span) -> None:
        """Note that the definition of "struct tag" begins.  Raises D_DECL_TYPERED for a second one."""

    def similar_type(self, name: str) -> tuple[str, ...]:
        """A hint for a type that does not exist."""


class NumberValue(NamedTuple):
    """The value of an INT token: see tree.Integer."""

    value: int
    suffix: str = ""
    decimal: bool = True
    negative: bool = False


class Token(NamedTuple):
    """`terminal` is its name in the grammar, `text` as written, `value` what it means."""

    terminal: str
    text: str
    span: Span
    value: NumberValue | Alignment | bytes | str | None = None


class Macros(Record):
    """The values of names that begin with $.

    `arguments` are $0, $1, ...; `variables` the numeric ones ($target, $pid).
    With `default` an argument that was not given is 0 or "".  `used` collects
    the argument numbers that the program referred to.
    """

    arguments: Sequence[str] = ()
    variables: Mapping[str, int] = field(default_factory=dict)
    default: bool = False
    used: set[int] = field(default_factory=set)

    def given(self, digits: str) -> str | None:
        """The argument with this number; None if it is missing."""
        number = int(digits[:MOST_DIGITS])  # no command line has more arguments than that
        if number >= len(self.arguments):
            return None
        self.used.add(number)
        return self.arguments[number]

    def argument(self, text: str, span: Span) -> str | None:
        """The text of `$n` or `$$n`; None when it is missing and defaults apply.  Raises D_MACRO_UNDEF."""
        argument = self.given(text.lstrip("$"))
        if argument is not None:
            return argument
        if not self.default:
            raise error("D_MACRO_UNDEF", span, f"there is no argument {text}")
        return None

    def hints(self, name: str) -> tuple[str, ...]:
        """Hints for a macro variable that is not defined."""
        return ("$target is the process of -c or -p",) if name == "target" \
            else did_you_mean(name, [*self.variables, "target"])

    def variable(self, text: str, span: Span) -> int:
        """The value of `$name`.  Raises D_MACRO_UNDEF."""
        name = text.lstrip("$")
        if name not in self.variables:
            raise error("D_MACRO_UNDEF", span, f"there is no macro variable {text}", *self.hints(name))
        return self.variables[name]


BEGINS_PROBE = frozenset(LETTERS + "-$:.?*\\[]!")  # outside of clauses
IN_PROBE = IN_NAME + "-$:.?*\\[]!"
LONGEST_OPERATOR = 3
_ENDS_WORD = frozenset(SPACES + '"')  # of a control line
_TARGETED = "pid$target"

# Keywords with which something other than a probe description begins.
OPENING = frozenset(("auto char const double enum extern float inline int long provider register "
                     "restrict self short signed static string struct this translator typedef union "
                     "unsigned void volatile").split())
# C words that D reserves; none of them begins anything in D's grammar.
RESERVED = frozenset("break case continue counter default do for goto import return switch while".split())
# Words of D that C does not know: those that are names in C wherever they stand, and those that are names
# where a name is declared.
_NAMES_OF_C = frozenset(("counter", "import"))
_DECLARED_IN_C = frozenset("offsetof probe provider self string stringof this translator userland "
                           "xlate".split())


def number(text: str, suffix: str, span: Span) -> NumberValue:
    """The value of an integer constant.  Raises D_INT_OFLOW, D_INT_DIGIT."""
    digits = text[:len(text) - len(suffix)]
    if len(digits.lstrip("0xX")) > MOST_DIGITS:
        raise error("D_INT_OFLOW", span, f"{cropped(text)} is larger than 64 bits")
    decimal = not digits.startswith("0")
    if decimal:
        value = int(digits)
    elif digits[1:2] in ("x", "X"):
        value = int(digits, 16)
    else:
        bad = next((digit for digit in digits if digit not in OCTAL), None)
        if bad is not None:
            raise error("D_INT_DIGIT", span, f"{text} is octal, by its leading 0: {bad} is no digit of it")
        value = int(digits, 8)
    if value >= INTEGER_LIMIT:
        raise error("D_INT_OFLOW", span, f"{text} is larger than 64 bits")
    return NumberValue(value, suffix, decimal)


def _path_end(text: str, start: int, end: int) -> int:
    """The end of a probe description that begins with a path of several names.

    It is one only if four fields follow: elsewhere the slash at `end` begins a predicate.
    """
    path_end = run_end(text, start, IN_PROBE.replace(":", "") + "/")
    last = run_end(text, path_end, IN_PROBE)
    return last if text.count(":", path_end, last) == 4 else end


class Lexer:
    """Tokens of one text.  `clause` is the state: True outside of clauses and declarations."""

    def __init__(self, text: str, names: Names, *, file: str = "", macros: Macros | None = None,
                 pspec: bool = False, header: bool = False, script: bool = False,
                 instances: bool = False) -> None:
        self.text = text
        self.names = names
        self.file = file
        self.macros = macros or Macros()
        self.pspec = pspec
        self.header = header  # C declarations only, no clauses
        self.script = script  # a file, in which a probe description alone is no clause
        self.instances = instances  # probe descriptions may begin with paths
        self.pragmas: list[Pragma] = []
        self.include_depth = 0  # inside an #include: types go to C's scope
        self.likely: set[str] = set()  # type names that were used as variables
        self._position = 0
        self._unqualified = 0  # up to here names with dots behind them are known to be no modules
        self.begin_external()
        self._line = 1
        self._line_start = 0
        self._last = ""  # the text of the token before
        self._alignment: Alignment | None = None  # by attributes that were skipped
        self._parens = self._brackets = self._braces = 0
        self._skip_first_control()

    # -- places ------------------------------------------------------------------------------------

    def _span(self, start: int, end: int) -> Span:
        column = start - self._line_start + 1
        return Span(self.file, self._line, column, column + end - start)

    def end_span(self) -> Span:
        """The place up to which the text was read."""
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
            start = self._position
            first = self.text[start:start + 1]
            if self.clause and first in BEGINS_PROBE:
                end = run_end(self.text, start, IN_PROBE)
                if self.instances and self.text.startswith("/", end):
                    end = _path_end(self.text, start, end)
                return self._probe(*self._taken(end))
            if first in BEGINS_NAME:
                return self._name(start, expects_name)
            if first in _SKIPPED:
                self._position = run_end(self.text, start, SPACES)
            elif first == "\n":
                self._newline(start)
            elif first == "/" and self.text.startswith("/*", start):
                self._comment(start)
            elif first == "\\" and self.text.startswith("\\\n", start):
                self._skip_to(start + 2)
            else:
                return _READERS.get(first, Lexer._operator)(self, start, expects_name)

    def _taken(self, end: int) -> tuple[str, Span]:
        """Read up to `end`; return the text and its place."""
        start, self._position = self._position, end
        self._last = self.text[start:end]
        return self._last, self._span(start, end)

    def _skip_to(self, end: int) -> None:
        self._count_lines(self._position, end)
        self._position = end

    def _newline(self, start: int) -> None:
        """Read a line's end, and the control line that follows it, if one does."""
        end = run_end(self.text, start + 1, SPACES)
        if self.text[end:end + 1] != "#":
            self._skip_to(end)
            return
        self._skip_to(end + 1)
        self._control(end + 1)

    def _comment(self, start: int) -> None:
        """Skip a comment, in which no other may begin (only its first star is examined for that)."""
        star, end = self.text.find("*", start + 2), self.text.find("*/", start + 2)
        if star > start + 2 and self.text[star - 1] == "/":
            self._skip_to(star - 1)
            _text, span = self._taken(star + 1)
            raise error("D_SYNTAX", span, "a comment begins within a comment")
        if end < 0:
            self._position = len(self.text)
            raise error("D_SYNTAX", self._span(start, start + 2), "this comment never ends")
        self._skip_to(end + 2)

    def _name(self, start: int, expects_name: bool) -> Token:
        if self.text.startswith(_TARGETED, start):
            return self._targeted(start, expects_name)
        end = run_end(self.text, start, IN_NAME)
        if self.text[end:end + 1] == "." and end >= self._unqualified:
            self._unqualified = run_end(self.text, end, IN_QUALIFIED)
            end = max(end, qualified_end(self.text, start + 1, self._unqualified))
        return self._word(*self._taken(end), expects_name)

    def _targeted(self, start: int, expects_name: bool) -> Token:
        """A name that begins like pid$target`type, which is the only one that has a $ in it."""
        module = start + len(_TARGETED)
        end = qualified_end(self.text, module, run_end(self.text, module, IN_QUALIFIED))
        if end == module:
            return self._word(*self._taken(start + _TARGETED.index("$")), expects_name)
        text, span = self._taken(end)
        target = str(self.macros.variable("$target", span))
        return self._word(text.replace("$target", target), span, expects_name)

    def _number(self, start: int, expects_name: bool) -> Token:
        self._no_float(start)
        end, last = integer_end(self.text, start)
        text, span = self._taken(last)
        return Token("INT", text, span, number(text, text[end - start:], span))

    def _no_float(self, start: int) -> None:
        end = float_end(self.text, start)
        if end > start:
            raise error("D_SYNTAX", self._taken(end)[1], "D has no floating-point constants")

    def _dot(self, start: int, expects_name: bool) -> Token:
        self._no_float(start)
        return self._operator(start, expects_name)

    def _aggregation(self, start: int, expects_name: bool) -> Token:
        end = start + 1
        if self.text[end:end + 1] in BEGINS_WORD:
            end = run_end(self.text, end, WORD)
        text, span = self._taken(end)
        return Token("AGG", text, span, text[1:] or "_")

    def _macro(self, start: int, expects_name: bool) -> Token:
        """$1, $$1, $target, $$target."""
        name = start + 2 if self.text.startswith("$$", start) else start + 1
        first = self.text[name:name + 1]
        if first in BEGINS_NAME:
            return self._variable(*self._taken(run_end(self.text, name, IN_NAME)))
        end = run_end(self.text, name, DIGITS)
        if end == name:
            return self._operator(start, expects_name)
        return self._argument(*self._taken(end), expects_name)

    def _variable(self, text: str, span: Span) -> Token:
        value = self.macros.variable(text, span)
        if text.startswith("$$"):
            return Token("STRING", text, span, str(value & 0xFFFFFFFF).encode())
        return Token("INT", text, span, NumberValue(value % INTEGER_LIMIT))

    def _operator(self, start: int, expects_name: bool) -> Token:
        text = self.text[start:start + LONGEST_OPERATOR]
        while text not in OPERATORS:
            if not text:
                return self._nothing(start)
            text = text[:-1]
        before = self._last
        text, span = self._taken(start + len(text))
        if text in _IN_C and (self.include_depth or self.header) and self._leave_out(text, before):
            return Token("SEMICOLON", ";", span, ";") if text == "{" else self.next(expects_name)
        if text == "/" and not self.clause:
            return self._slash(text, span)
        if text in "()[]{}":
            self._balance(text, span)
            if text == "}":
                self._skip_attributes()
        return Token(OPERATORS[text], text, span, text)

    def _nothing(self, start: int) -> Token:
        """The end, or what cannot begin anything."""
        if start >= len(self.text):
            return Token("$END", "", self._span(start, start))
        near, span = self._taken(start + 1)
        raise error("D_SYNTAX", span, f'syntax error near "{near}"')

    def _slash(self, text: str, span: Span) -> Token:
        """A division, or the end of a predicate."""
        following = blank_end(self.text, self._position)
        if self.text[following:following + 1] not in ("", ";", "{", "/"):
            return Token("SLASH", text, span, text)
        if self._parens or self._brackets:
            missing = ")" if self._parens else "]"
            raise error("D_SYNTAX", span, f"the predicate ends before its {missing}")
        return Token("EPRED", text, span, text)

    def _balance(self, text: str, span: Span) -> None:
        step = 1 if text in "([{" else -1
        if text in "()":
            self._parens = depth = self._parens + step
        elif text in "[]":
            self._brackets = depth = self._brackets + step
        else:
            self._braces = depth = self._braces + step
        if depth < 0:
            raise error("D_SYNTAX", span, f"this {text} closes nothing")

    # -- what only C has -----------------------------------------------------------------------------

    def _leave_out(self, text: str, before: str) -> bool:
        """Skip what D has no grammar for, if `text` begins it after the token `before`."""
        if text == ";":
            return before == ";"
        if self._braces or self._parens or (self._is_inline if text == "=" else before != ")"):
            return False
        import re  # it is here: the preprocessor has loaded it

        part = re.compile(r"""\n[ \t]*\#|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[][(){},;]""")
        depth, ends = (1, "}") if text == "{" else (0, ",;")
        while True:
            match = part.search(self.text, self._position)
            if match is None:
                self._position = len(self.text)
                return True
            found = match[0]
            depth += (found in "([{") - (found in ")]}")
            if not depth and found in ends:
                self._skip_to(match.end() if text == "{" else match.start())
                self._last = before if text == "=" else ";"
                return True
            self._skip_to(match.end())
            if found[0] == "\n":
                self._control(match.end())

    def _skip_attributes(self) -> bool:
        """Skip GNU's __attribute__((...)), and keep what it says of alignment; False if none stands here."""
        start = self._position
        while True:
            at = blank_end(self.text, self._position)
            end = run_end(self.text, at, WORD)
            opening = blank_end(self.text, end)
            if self.text[at:end] not in _ATTRIBUTES or self.text[opening:opening + 1] != "(":
                return self._position > start
            self._skip_to(opening)
            self._align(self._parenthesized())

    def _parenthesized(self) -> str:
        """Read a text in parentheses."""
        start = end = self._position
        depth = 1
        while depth:
            end += 1
            mark = self.text[end:end + 1]
            if not mark:
                raise error("D_SYNTAX", self._span(start, start + 1), "this ( is never closed")
            if mark == '"':
                end = quotation_end(self.text, end)[0] - 1
            depth += (mark == "(") - (mark == ")")
        self._skip_to(end + 1)
        return self.text[start:end + 1]

    def _align(self, text: str) -> None:
        """Take what an attribute says of alignment, if it is said by a number."""
        known = self._alignment or Alignment()
        _, aligned, rest = text.partition("aligned")
        argument = rest.lstrip("_ ").partition(")")[0].removeprefix("(").strip()
        least = int(argument) if argument.isdecimal() and len(argument) < MOST_DIGITS else \
            _MOST_ALIGNED if aligned and not argument else known.least
        if aligned or "packed" in text:
            self._alignment = Alignment(known.packed or "packed" in text, least)

    def take_alignment(self) -> Alignment | None:
        """What the attributes that were read last say of alignment."""
        taken, self._alignment = self._alignment, None
        return taken

    def record_alignment(self, keyword: Token) -> Alignment | None:
        """What attributes say that stand behind a record's keyword, or behind the } that was just read."""
        behind = self.take_alignment()
        return keyword.value if behind is None and isinstance(keyword.value, Alignment) else behind

    def _begins_function(self) -> bool:
        """Whether an `inline` that was read is C's, which stands before a function, not D's."""
        rest = self.text[self._position:self._position + _DECLARATOR] if self.include_depth else ""
        self._is_inline = next((each for each in rest if each in "=(;{"), "") != "("
        return not self._is_inline

    # -- names ---------------------------------------------------------------------------------------

    def _probe(self, text: str, span: Span) -> Token:
        if text in OPENING:
            if text == "inline" and self._begins_function():
                return self.next()
            self.clause = False
            return self._keyword(text, span)
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
        if text in _ATTRIBUTES:
            self._position -= len(text)
            if self._skip_attributes():
                return self.next(expects_name)
            self._position += len(text)
        if text in KEYWORDS:
            if text == "inline" and self._begins_function():
                return self.next(expects_name)
            if not (self.include_depth and text in _DECLARED_IN_C and self._is_declared(expects_name)):
                return self._keyword(text, span)
        elif text in RESERVED and not (text in _NAMES_OF_C and self.include_depth):
            return Token("RESERVED", text, span, text)
        if expects_name or self._after_member_operator(span) or text in self.likely \
                or self.names.is_variable(text) or not self.names.is_type_name(text):
            return Token("IDENT", text, span, text)
        if self._looks_like_variable():
            self.likely.add(text)
            return Token("IDENT", text, span, text)
        return Token("TNAME", text, span, text)

    def _is_declared(self, expects_name: bool) -> bool:
        """Whether the word that was read is a name that is being declared, by what stands around it."""
        at = blank_end(self.text, self._position)
        return expects_name or self.text[at:at + 1] in (";", "[", ":")

    def _keyword(self, text: str, span: Span) -> Token:
        """A word of D.  In C `static` is as `extern` to D, which does not know where such a thing lies."""
        word = "extern" if text == "static" and self.include_depth else text
        if word not in ("struct", "union"):
            return Token(KEYWORDS[word], word, span, word)
        self._skip_attributes()
        return Token(KEYWORDS[word], word, span, self.take_alignment() or word)

    def _after_member_operator(self, span: Span) -> bool:
        """Whether a member's name is being read, which is never a type."""
        before = self.text[max(0, self._line_start + span.column - 3):self._line_start + span.column - 1]
        return before == "->" or (before[-1:] == "." and before != "..")

    def _looks_like_variable(self) -> bool:
        """Whether ++, --, = or [ follows, which cannot follow a type's name."""
        at = blank_end(self.text, self._position)
        following = self.text[at:at + 2]
        return following in ("++", "--") or following[:1] == "[" or \
            (following[:1] == "=" and following != "==")

    def _argument(self, text: str, span: Span, expects_name: bool) -> Token:
        value = self.macros.argument(text, span)
        if text.startswith("$$"):
            return Token("STRING", text, span, unescape(value or ""))
        value = "0" if value is None else value
        unsigned = value[value[:1] in ("+", "-"):]
        digits, end = integer_end(unsigned, 0)
        if unsigned and end == len(unsigned):
            try:
                parsed = number(unsigned, unsigned[digits:], span)
            except CompileError as exception:
                if exception.tag == "D_INT_OFLOW":
                    raise error("D_MACRO_OFLOW", span, f"argument {text}, {value}, is larger than 64 "
                                "bits") from None
                raise
            return Token("INT", text, span, parsed._replace(negative=value[0] == "-"))
        if value[:1] in BEGINS_NAME and run_end(value, 0, IN_NAME) == len(value):
            return self._word(value, span, expects_name)
        if len(value) > 1 and value[0] == value[-1] == '"':
            value = value[1:-1]
        return Token("STRING", text, span, unescape(value))

    # -- literals ------------------------------------------------------------------------------------

    def _quotation(self, start: int, newline: str, what: str) -> tuple[str, Span]:
        """Read a literal with its quotation marks.  Raises `newline`, a tag, if its line ends before it."""
        end, is_closed = quotation_end(self.text, start)
        text, span = self._taken(end)
        if is_closed:
            return text, span
        if end >= len(self.text):
            raise error("D_SYNTAX", span, f"{what} that never ends")
        raise error(newline, span, f"{what} does not end in its line")

    def _string(self, start: int, expects_name: bool) -> Token:
        text, span = self._quotation(start, "D_STR_NL", "string literal")
        return Token("STRING", text, span, unescape(text[1:-1]).split(b"\0", 1)[0])

    def _character(self, start: int, expects_name: bool) -> Token:
        text, span = self._quotation(start, "D_CHR_NL", "character constant")
        inside = unescape(text[1:-1])
        if not inside:
            raise error("D_CHR_NULL", span, "a character constant without a character")
        if len(inside) > 8:
            raise error("D_CHR_OFLOW", span, "a character constant of more than 8 characters")
        return Token("INT", text, span, NumberValue(int.from_bytes(inside, "big")))

    # -- control lines -------------------------------------------------------------------------------

    def _skip_first_control(self) -> None:
        """Read a control line that is the very first line, before which no newline stands."""
        end = run_end(self.text, 0, SPACES)
        if self.text[end:end + 1] == "#":
            self._control(end + 1)

    def _control(self, start: int) -> None:
        """Read a control line, behind its `#`; a line that names an interpreter (#!) is skipped."""
        stop = self.text.find("\n", start)
        if self.text[start:start + 1] == "!":
            self._position = stop if stop >= 0 else len(self.text)
            return
        span = self._span(start - 1, start)
        if stop < 0:
            self._position = len(self.text)
            raise error("D_SYNTAX", span, "a control line ends with a newline")
        self._position = run_end(self.text, start, SPACES)
        words: list[str | bytes | int] = []
        while self._position < stop:
            words.append(self._control_word(self._position, stop))
            self._position = run_end(self.text, self._position, SPACES)
        self._directive(words, span, self._span(start, stop))

    def _control_word(self, start: int, stop: int) -> str | bytes | int:
        """Read a string, an integer, or a word up to the next space or quotation mark."""
        if self.text[start] == '"':
            value = self._string(start, False).value
            assert isinstance(value, bytes)
            return value
        end = start
        while end < stop and self.text[end] not in _ENDS_WORD:
            end += 1
        text, span = self._taken(end)
        end, last = integer_end(text, 0)
        if last == len(text) and self.text[self._position] != '"':
            return number(text, text[end:], span).value
        return text

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
            raise error("D_PRAGMA_MALFORM", span, '#line is followed by NUMBER ["FILE" [STATE]]')
        line = words[0]
        assert isinstance(line, int)
        if len(words) > 1 and isinstance(words[1], bytes):
            self.file = words[1].decode("utf-8", "surrogateescape")
        if len(words) > 2:
            self.include_depth = max(0, self.include_depth + {1: 1, 2: -1}.get(int(words[2]), 0))
        self._line = line - 1  # the newline that ends this line counts

    # -- recovery ------------------------------------------------------------------------------------

    def recover(self) -> str:
        """Skip to the end of the clause or declaration that has an error; return its text."""
        depth = max(self._braces, 0)
        import re  # late: errors are rare, and it is slow to come

        end = re.compile(r'"(?:[^"\\\n]|\\.)*"|/\*(?s:.*?)\*/|[{;\n]|\}(?:[ \t]*\**\w*[ \t]*;)?')  # } name;
        position = self._position
        while True:
            match = end.search(self.text, position)
            if match is None:
                position = len(self.text)
                break
            self._count_lines(position, match.end())
            position = match.end()
            first = match[0][0]
            depth += {"{": 1, "}": -1}.get(first, 0)
            if depth <= 0 and first in "};":
                break
        begin, self._position = self._begin, position
        self._parens = self._brackets = self._braces = 0
        self.begin_external()
        return self.text[begin:position]

    def begin_external(self) -> None:
        """Expect a clause or a declaration next."""
        self._begin = self._position
        self._is_inline = False
        self._alignment = None
        self.clause = not self.header


_IN_C = frozenset("{=;")
_ATTRIBUTES = frozenset(("__attribute", "__attribute__"))
_MOST_ALIGNED = 16  # what `aligned` alone says, on x86 and AArch64
_DECLARATOR = 1000  # characters: more than stand between `inline` and what tells whose it is
_SKIPPED = frozenset(SPACES)
_READERS: dict[str, Callable[[Lexer, int, bool], Token]] = {  # by the first character; else _operator
    **dict.fromkeys(DIGITS, Lexer._number), ".": Lexer._dot, '"': Lexer._string, "'": Lexer._character,
    "@": Lexer._aggregation, "$": Lexer._macro,
}
