"""Text → logical lines → preprocessing tokens.

Tokens are those of C (ISO/IEC 9899, 6.4), with $ in names as C compilers have it.  What is no token of C is a
token of one character, as D has more of them than C: @, `.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from dif.records import NamedTuple, Record

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from typing import Protocol
else:
    Protocol = object

NAME, NUMBER, STRING, CHARACTER, OTHER = "name", "number", "string", "character", "other"
JOINT = "\0"  # what a traditional comment leaves: nothing, but words in the text of a macro end there
FINAL = "final"  # a name that stays as it is, though there is a macro of that name

HAS_INCLUDE = "__has_include", "__has_include_next"  # operators of conditions, which count as defined

# Characters beyond ASCII are letters of names, as in C.
_TOKEN = re.compile(r"""
    (?P<space>[ \t\f\v\r\n]*)
    (?: (?P<string>(?:u8|[uUL])?"(?:[^"\\\n]|\\.)*")
      | (?P<character>[uUL]?'(?:[^'\\\n]|\\.)*')
      | (?P<name>[A-Za-z_$\x80-\U0010ffff][\w$\x80-\U0010ffff]*)
      | (?P<number>\.?[0-9](?:[eEpP][+-]|[\w.$])*)
      | (?P<other>["'].*|\.\.\.|<<=|>>=|->|\+\+|--|<<|>>|&&|\|\||\^\^|\#\#|[-+*/%&|^<>=!]=|[^ \t\f\v\r\n])
    )""", re.VERBOSE | re.ASCII)
WORDS = re.compile(r"[A-Za-z_$\x80-\U0010ffff][\w$\x80-\U0010ffff]*", re.ASCII)
# Where a comment may begin, behind what holds none: quotations and names of headers.
_BEGINS_COMMENT = re.compile(r"""
    "(?:[^"\\]|\\.)*"? | '(?:[^'\\]|\\.)*'? | \#[ \t]*(?:include(?:_next)?|import)[ \t]*<[^<>]*>
    | /\* | //""", re.VERBOSE)
_BLANKS = " \t\f\v\r"


class Refused(Exception):
    """An error in what is preprocessed; `line` says where, if that is not the line that is being read."""

    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(message)
        self.message, self.line = message, line


class Line(NamedTuple):
    """A logical line without its end: `number` is that of the first of its lines in the file.

    Comments in it are blanks.  Newlines in the text are those of comments.
    """

    number: int
    text: str


class Token(NamedTuple):
    """`space` is the blank text before it, `line` where it stands in its file: 0 in the text of a macro."""

    kind: str
    text: str
    space: str = ""
    line: int = 0


class Budget(Record):
    """The memory that macros take, about: for what they stand for, as long as it is read, and for the output.

    `most` is how many bytes they may take.  What a call costs is not given back, so that calls that leave
    nothing come to an end, too.
    """

    most: int
    spent: int = 0

    def spend(self, size: int) -> None:
        """Take memory, or give it back.  Raises Refused when it is too much."""
        self.spent += size
        if self.spent > self.most:
            raise Refused(f"macros expand to more than {self.most} bytes (-x macrosize={self.most})")


class Surroundings(Protocol):
    """What macros ask of the preprocessor that they are in.

    `built_in` are functions of the number of a line that return what a macro stands for there.
    """

    budget: Budget
    built_in: Mapping[str, Callable[[int], str]]

    def is_included(self, name: list[Token], is_next: bool) -> bool:
        """Whether a header is found: the operand of an #include, or of an #include_next.  Raises Refused."""


def tokens(text: str, line: int = 0) -> list[Token]:
    """The tokens of a text whose first line has the number `line`."""
    found = []
    for match in _TOKEN.finditer(text.rstrip(_BLANKS + "\n")):
        kind, space = str(match.lastgroup), match["space"]
        if "\n" in space:
            line, space = line + space.count("\n") * (line > 0), " "
        found.append(Token(kind, match[kind], space, line))
    return found


def spelled(parts: list[Token]) -> str:
    """The text of tokens, with one blank where there was blank text between two."""
    return "".join(f" {each.text}" if each.space else each.text for each in parts).lstrip(" ")


def joined(left: Token, right: Token) -> list[Token]:
    """What ## makes of two tokens: one token, or both without a blank where they do not make one."""
    text = left.text + right.text
    match = _TOKEN.fullmatch(text)
    if match is None:
        return [left, Token(right.kind, right.text, "", right.line)]
    return [Token(str(match.lastgroup), text, left.space, left.line)]


def counted(count: int, what: str) -> str:
    """A number of things, for a message."""
    return f"{count} {what}{'' if count == 1 else 's'}"


def logical_lines(text: str, *, traditional: bool = False) -> Iterator[Line]:
    r"""The lines of a text, those joined that end with a backslash, with comments replaced by a blank.

    Traditionally each is replaced by a JOINT, and // begins none.  Raises Refused.
    """
    physical = text.split("\n")
    if not physical[-1]:
        physical.pop()
    lines = _Lines(physical)
    blank = JOINT if traditional else " "
    for line in lines:
        number = lines.number
        if "\\" in line or "/*" in line or "//" in line:
            line = _without_comments(lines.spliced(line), lines, number, blank, not traditional)
        yield Line(number, line)


class _Lines:
    """The lines of a file, one after another; `number` is that of the last one."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self.number = 0

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> str:
        if self.number >= len(self._lines):
            raise StopIteration
        self.number += 1
        return self._lines[self.number - 1]

    def spliced(self, line: str) -> str:
        """A line with those that follow it by a backslash at its end."""
        parts = []
        while (stripped := line.rstrip(_BLANKS)).endswith("\\"):
            parts.append(stripped[:-1])
            line = next(self, "")
        return "".join([*parts, line])


def _without_comments(text: str, lines: _Lines, number: int, blank: str, to_line_end: bool) -> str:
    """A line without its comments, which may take more lines.  Newlines in them stay.  Raises Refused."""
    parts, at, start = [], 0, 0
    while (match := _BEGINS_COMMENT.search(text, at)) is not None:
        at = match.end()
        if match[0] == "//" and to_line_end:
            text = text[:match.start()]
            break
        if match[0] != "/*":
            continue
        parts += [text[start:match.start()], blank]
        while (end := text.find("*/", at)) < 0:
            if (more := next(lines, None)) is None:
                raise Refused("this comment never ends", number)
            text, at = lines.spliced(more), 0
            parts.append("\n")
        start = at = end + 2
    return "".join([*parts, text[start:]])
