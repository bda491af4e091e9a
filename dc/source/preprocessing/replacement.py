"""Macros as standard C replaces them, token by token (ISO/IEC 9899, 6.10.3).

The text that a macro stands for lies on a stack, above the line that it was called in, and is read from
there: a macro is not replaced again while its own text is on the stack.  Where C leaves it open, the result
is that of GNU cpp.  GNU's `, ## __VA_ARGS__`, names of variable arguments and __VA_OPT__ are known.  Two
tokens that ## does not make one of stand side by side: they may be one in D.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice

from dc.source.preprocessing.tokens import (
    CHARACTER,
    FINAL,
    HAS_INCLUDE,
    NAME,
    NUMBER,
    OTHER,
    STRING,
    WORDS,
    Line,
    Refused,
    Surroundings,
    Token,
    counted,
    joined,
    spelled,
    tokens,
)
from dif.records import NamedTuple, Record, field

_TOKEN_COST, _CALL_COST = 40, 64  # bytes of memory, about
_VARIABLE, _OPTIONAL = "__VA_ARGS__", "__VA_OPT__"
_QUOTABLE = frozenset((STRING, CHARACTER))
_WORDS = frozenset((NAME, FINAL, NUMBER))
# What two operators would be read as that stand side by side, by the characters where they meet.
_LONGER = frozenset(("++", "+=", "--", "-=", "->", "<<", "<=", ">>", ">=", "==", "&&", "&=", "||", "|=", "*=",
                     "/=", "//", "/*", "%=", "^^", "^=", "!=", "##"))


_NOTHING = Token(OTHER, "")  # stands where there is no token, and keeps apart the blank text around it


class _Piece(NamedTuple):
    """A part of a macro's text: a token, a parameter by its number, or the `group` of a __VA_OPT__.

    `pasted` tells that ## follows; `quoted` that # stands before.
    """

    token: Token
    parameter: int = -1
    group: list[_Piece] | None = None
    quoted: bool = False
    pasted: bool = False


class _Macro(Record):
    """`parameters` is None for a macro that is called without parentheses; `plain` is the text of such a one.

    `make` makes the text of a macro that is built in, from the number of the line that it stands in.
    """

    name: str
    parameters: list[str] | None = None
    is_variable: bool = False  # the last parameter takes all further arguments
    body: list[_Piece] = field(default_factory=list)
    plain: list[Token] = field(default_factory=list)
    make: Callable[[int], str] | None = None
    is_open: bool = False  # its text is on the stack


class _Text(Record):
    """Tokens on the stack, of which `at` are read; `line` is where their macro stands in its file."""

    tokens: list[Token]
    macro: _Macro | None
    line: int
    cost: int = 0
    at: int = 0


class _Argument(Record):
    """An argument of a call; `replaced` is what it is with macros replaced, once that is known."""

    tokens: list[Token]
    is_absent: bool = False  # the call has none for the last parameter
    replaced: list[Token] | None = None


_State = tuple[list[_Text], list[Token], int, Callable[[], Line | None] | None, str]


class Replacement:
    """The macros that are defined, and what they are replaced by: preprocessor.Macros."""

    def __init__(self, surroundings: Surroundings) -> None:
        self._surroundings, self._budget = surroundings, surroundings.budget
        self._macros = {name: _Macro(name, make=make) for name, make in surroundings.built_in.items()}
        self._stack: list[_Text] = []
        self._line: list[Token] = []  # what is below the stack, of which so many tokens are read:
        self._at = 0
        self._more: Callable[[], Line | None] | None = None
        self._space = ""  # blank text before what left no token
        self._has_passed = False  # by a macro that left no token

    # -- definitions -------------------------------------------------------------------------------

    def define(self, text: str) -> None:
        parts = tokens(text)
        name = parts[0].text if parts else ""
        if not parts or parts[0].kind != NAME or name == "defined":
            raise Refused(f"a macro cannot have the name {name}")
        macro, parts = _Macro(name), parts[1:]
        if parts and parts[0].text == "(" and not parts[0].space:
            parts = _take_parameters(macro, parts[1:])
        macro.body = _pieces(macro, parts)
        if macro.parameters is None:
            macro.plain = self._substituted(macro, macro.body, [])
        self._macros[name] = macro

    def undefine(self, name: str) -> None:
        self._macros.pop(name, None)

    def is_defined(self, name: str) -> bool:
        return name in self._macros or name in HAS_INCLUDE

    # -- texts -------------------------------------------------------------------------------------

    def concern(self, text: str) -> bool:
        return not self._macros.keys().isdisjoint(WORDS.findall(text))

    def replaced(self, line: Line, more: Callable[[], Line | None]) -> str:
        self._begin(tokens(line.text, line.number), more)
        parts, at, last = [], line.number, None
        while (token := self._next()) is not None:
            space = token.space
            if token.line > at:
                parts.append("\n" * (token.line - at))
                at = token.line
            elif last is not None:
                space = " " if space or _merge(last, token) else ""
            self._budget.spend(_TOKEN_COST + len(token.text))
            parts += [space, token.text]
            last = token
        return "".join(parts)

    def tokens(self, text: str, line: int) -> list[Token]:
        outer = self._begin(tokens(text, line), None)
        found = list(iter(self._next, None))
        self._end(outer)
        return found

    def condition(self, text: str, line: int) -> list[Token]:
        outer = self._begin(tokens(text, line), None)
        found = []
        while (token := self._next()) is not None:
            if token.text == "defined":
                token = Token(NUMBER, str(int(self.is_defined(self._name_of_defined()))))
            elif token.text in HAS_INCLUDE:
                token = Token(NUMBER, str(int(self._surroundings.is_included(
                    self._included(token.text), token.text != HAS_INCLUDE[0]))))
            found.append(token)
        self._end(outer)
        return found

    def _name_of_defined(self) -> str:
        """Read what follows `defined`, with or without parentheses."""
        token = self._take()
        is_parenthesized = token is not None and token.text == "("
        if is_parenthesized:
            token = self._take()
        if token is None or token.kind not in (NAME, FINAL):
            raise Refused("defined is followed by a name")
        if is_parenthesized and ((end := self._take()) is None or end.text != ")"):
            raise Refused(f"defined ({token.text} has no )")
        return token.text

    def _included(self, operator: str) -> list[Token]:
        """Read the parentheses behind __has_include.  Macros are replaced unless a name in < or " follows."""
        if not self._opens():
            raise Refused(f"{operator} is followed by a name in parentheses")
        found: list[Token] = []
        depth = 1
        read: Callable[[], Token | None] = self._take
        while (token := read()) is not None:
            depth += {"(": 1, ")": -1}.get(token.text, 0)
            if not depth:
                return found
            if token.kind == NAME and not found and read == self._take:
                self._back("")
                read = self._next
            else:
                found.append(token)
        raise Refused(f"{operator} has no )")

    def _begin(self, line: list[Token], more: Callable[[], Line | None] | None) -> _State:
        """Read a line, perhaps while another is read; return what _end takes to go on with the other."""
        outer = self._stack, self._line, self._at, self._more, self._space
        self._end(([], line, 0, more, ""))
        return outer

    def _end(self, outer: _State) -> None:
        self._stack, self._line, self._at, self._more, self._space = outer

    # -- reading -----------------------------------------------------------------------------------

    def _next(self) -> Token | None:
        """The next token after macros were replaced; None at the end of the line."""
        while True:
            token = self._take()
            if token is None or token.kind != NAME:
                return token
            macro = self._macros.get(token.text)
            if macro is None:
                return token
            if macro.is_open:
                return Token(FINAL, token.text, token.space, token.line)
            if not self._enter(macro, token):
                return token

    def _take(self, further: bool = False) -> Token | None:
        """The next token as it is, `further` also from the lines that follow; None at the end."""
        while True:
            if not self._stack:
                token = self._of_line(further)
                if token is None:
                    return None
            else:
                text = self._stack[-1]
                if text.at >= len(text.tokens):
                    self._stack.pop()
                    self._has_passed = True
                    if text.macro is not None:
                        text.macro.is_open = False
                        self._budget.spend(-text.cost)
                    continue
                token = text.tokens[text.at]
                text.at += 1
            if not token.text:
                self._space = self._space or token.space
                self._has_passed = True
                continue
            if self._space:
                token = Token(token.kind, token.text, token.space or self._space, token.line)
                self._space = ""
            return token

    def _of_line(self, further: bool) -> Token | None:
        while self._at >= len(self._line):
            line = self._more() if further and self._more is not None else None
            if line is None:
                return None
            self._line, self._at = tokens(line.text, line.number), 0
            if self._line:
                first = self._line[0]
                self._line[0] = Token(first.kind, first.text, first.space or " ", first.line)
        self._at += 1
        return self._line[self._at - 1]

    def _back(self, space: str) -> None:
        """Put the token back that was taken last; `space` was the blank text before it from elsewhere."""
        if self._stack:
            self._stack[-1].at -= 1
        else:
            self._at -= 1
        self._space = space

    def _opens(self) -> bool:
        """Read the ( that follows; False if something else does."""
        space = self._space
        token = self._take(further=True)
        if token is not None and token.text != "(":
            self._back(space)
        return token is not None and token.text == "("

    # -- replacing ---------------------------------------------------------------------------------

    def _enter(self, macro: _Macro, name: Token) -> bool:
        """Put the text of a macro on the stack; False if the macro is not called here, as no ( follows."""
        line = name.line or (self._stack[-1].line if self._stack else 0)
        if macro.make is not None:
            text = tokens(macro.make(line))
        elif macro.parameters is None:
            text = macro.plain
        elif self._opens():
            before = self._budget.spent
            text = self._substituted(macro, macro.body, self._arguments(macro, line))
            self._budget.spent = before
        else:
            return False
        cost = _cost(text)
        self._budget.spend(_CALL_COST + cost)
        if not text:
            self._space, self._has_passed = name.space, True
            return True
        if text[0].space != name.space:
            text = _after(name.space, text)
        macro.is_open = True
        self._stack.append(_Text(text, macro, line, cost))
        return True

    def _arguments(self, macro: _Macro, line: int) -> list[_Argument]:
        """Read the arguments of a call, behind its (.  One that a last parameter goes without is None."""
        assert macro.parameters is not None
        found: list[_Argument] = []
        argument: list[Token] = []
        depth, most = 0, len(macro.parameters)
        while (token := self._take(further=True)) is not None:
            text = token.text
            if token.kind == NAME:
                other = self._macros.get(text)
                if other is not None and other.is_open:
                    token = Token(FINAL, text, token.space, token.line)
            elif text == "(":
                depth += 1
            elif text == ")":
                depth -= 1
                if depth < 0:
                    break
            elif text == "," and not depth and not (macro.is_variable and len(found) == most - 1):
                found.append(_Argument(argument))
                argument = []
                continue
            argument.append(token)
        else:
            raise Refused(f"the call of macro {macro.name} has no )", line)
        if argument or found or most > macro.is_variable:
            found.append(_Argument(argument))
        if macro.is_variable and len(found) == most - 1:
            found.append(_Argument([], is_absent=True))
        if len(found) != most:
            raise Refused(f"macro {macro.name} has {counted(most, 'parameter')} and is called with "
                          f"{counted(len(found), 'argument')}", line)
        return found

    def _substituted(self, macro: _Macro, body: list[_Piece], arguments: list[_Argument]) -> list[Token]:
        """The text of a macro, or of a group in it, with arguments in the place of parameters."""
        out: list[Token] = []
        pasting = is_left_empty = False
        for piece in body:
            new = self._part(macro, piece, arguments, pasting)
            is_rest = macro.is_variable and piece.parameter == len(arguments) - 1
            if not pasting:
                is_left_empty = not new
                out += new or [Token(OTHER, "", piece.token.space)]
            elif is_rest and out[-1].text == ",":  # GNU's
                if arguments[-1].is_absent:
                    out[-1], is_left_empty = _NOTHING, True
                out += new
            elif new:
                out += new if is_left_empty else [*joined(out.pop(), new[0]), *new[1:]]
                is_left_empty = False
            pasting = piece.pasted
            self._budget.spend(_cost(new))
        return out

    def _part(self, macro: _Macro, piece: _Piece, arguments: list[_Argument], pasting: bool) -> list[Token]:
        """What a part of a macro's text is replaced by; `pasting` tells that ## stands before it."""
        if piece.group is not None:
            is_given = any(token.text for token in self._expanded(arguments[-1]))
            new = self._substituted(macro, piece.group, arguments) if is_given else []
        elif piece.parameter < 0:
            return [piece.token]
        else:
            argument = arguments[piece.parameter]
            if piece.quoted:
                return [Token(STRING, _quoted(argument.tokens), piece.token.space)]
            new = argument.tokens if pasting or piece.pasted else self._expanded(argument)
        return _after(piece.token.space, new) if new else []

    def _expanded(self, argument: _Argument) -> list[Token]:
        """An argument with the macros in it replaced, as if nothing followed it."""
        if argument.replaced is not None:
            return argument.replaced
        if not any(token.kind == NAME and token.text in self._macros for token in argument.tokens):
            return argument.tokens
        line = self._stack[-1].line if self._stack else 0
        outer = self._begin([], None)
        self._stack.append(_Text(argument.tokens, None, line))
        self._has_passed = False
        out = list(islice(iter(self._next, None), 1))
        if self._has_passed:
            out.insert(0, _NOTHING)
        out += iter(self._next, None)
        if self._space:
            out.append(Token(OTHER, "", self._space))
        self._end(outer)
        self._budget.spend(_cost(out))
        argument.replaced = out
        return out


# -- definitions -----------------------------------------------------------------------------------------

def _take_parameters(macro: _Macro, parts: list[Token]) -> list[Token]:
    """Read the parameters of a macro, behind their (; return what follows their )."""
    macro.parameters, at = [], 0
    if parts and parts[0].text == ")":
        return parts[1:]
    ends = [*parts, Token(OTHER, "")]
    while at < len(parts) and not macro.is_variable:
        name, macro.is_variable = parts[at].text, parts[at].text == "..."
        if parts[at].kind != NAME and not macro.is_variable:
            raise Refused(f"{name} is not the name of a parameter of macro {macro.name}")
        if name in macro.parameters:
            raise Refused(f"macro {macro.name} has two parameters {name}")
        macro.parameters.append(_VARIABLE if macro.is_variable else name)
        at += 1
        if ends[at].text == "..." and not macro.is_variable:
            macro.is_variable = True
            at += 1
        at += 1
        if ends[at - 1].text == ")":
            return parts[at:]
        if ends[at - 1].text != ",":
            break
    raise Refused(f"the parameters of macro {macro.name} do not end in a )")


def _pieces(macro: _Macro, parts: list[Token]) -> list[_Piece]:
    """The parts of a macro's text, or of a group in it."""
    pieces: list[_Piece] = []
    names, at, is_pasted = macro.parameters or [], 0, True
    while at < len(parts):
        token = parts[at]
        at += 1
        if token.text == "##":
            if not pieces or at == len(parts):
                raise Refused(f"## of macro {macro.name} has nothing on one side")
            pieces[-1], is_pasted = pieces[-1]._replace(pasted=True), True
            continue
        shown = Token(token.kind, token.text, " " if token.space and not is_pasted else "")
        is_pasted = False
        if token.text in names:
            pieces.append(_Piece(shown, names.index(token.text)))
        elif token.text == "#" and macro.parameters is not None:
            if at == len(parts) or parts[at].text not in names:
                raise Refused(f"# of macro {macro.name} is not followed by one of its parameters")
            pieces.append(_Piece(shown, names.index(parts[at].text), quoted=True))
            at += 1
        elif token.text == _OPTIONAL and macro.is_variable:
            end = _group_end(macro, parts, at)
            pieces.append(_Piece(shown, group=_pieces(macro, parts[at + 1:end])))
            at = end + 1
        else:
            pieces.append(_Piece(shown))
    return pieces


def _group_end(macro: _Macro, parts: list[Token], at: int) -> int:
    """The place of the ) that closes the ( at `at`."""
    depth = 0
    for place in range(at, len(parts)):
        depth += {"(": 1, ")": -1}.get(parts[place].text, 0)
        if not depth:
            if place == at:
                break
            return place
    raise Refused(f"{_OPTIONAL} of macro {macro.name} is followed by a text in parentheses")


# -- tokens ----------------------------------------------------------------------------------------------

def _after(space: str, text: list[Token]) -> list[Token]:
    """A text of at least one token with other blank text before it."""
    first = text[0]
    return [Token(first.kind, first.text, space, first.line), *text[1:]]


def _cost(text: list[Token]) -> int:
    return _TOKEN_COST * len(text) + sum([len(token.text) for token in text])


def _quoted(argument: list[Token]) -> str:
    """The string that # makes of an argument."""
    shown = spelled([Token(each.kind, each.text.replace("\\", r"\\").replace('"', r"\""), each.space)
                     if each.kind in _QUOTABLE else each for each in argument])
    return f'"{shown}"'


def _merge(left: Token, right: Token) -> bool:
    """Whether two tokens would be read as others if no blank stood between them."""
    end, begin = left.text[-1], right.text[0]
    if left.kind in _WORDS:
        return right.kind in _WORDS or right.kind in _QUOTABLE or (
            left.kind == NUMBER and (begin == "." or (begin in "+-" and end in "eEpP")))
    return end + begin in _LONGER or (end == "." and (right.kind == NUMBER or begin == "."))

