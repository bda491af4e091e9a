"""Macros as preprocessors before standard C replaced them, text by text: those of UNIX, and illumos' cpp.

The text that a macro stands for is read together with what follows it, so that a name may be made of both:
after `#define SAME(x) x` the text `SAME(IDX_)NAME` is the name IDX_NAME, which may be a macro in turn (GNU's
`cpp -traditional-cpp` does not look it up).  A comment in the text of a macro is nothing, so that it joins
what stands around it.  Parameters are replaced in quotations, too.  # and ## are no operators.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from dc.source.preprocessing.tokens import (
    HAS_INCLUDE,
    JOINT,
    WORDS,
    Line,
    Refused,
    Surroundings,
    Token,
    counted,
    tokens,
)
from dif.records import Record, field

_CHARACTER_COST, _CALL_COST = 16, 160  # bytes of memory, about
_WORD = re.compile(r"[\w$\x80-\U0010ffff]+", re.ASCII)
_INSIDE = re.compile(rf"{_WORD.pattern}|.", re.ASCII | re.DOTALL)
_QUOTATION = re.compile(r""""(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?""", re.DOTALL)
_PART = re.compile(rf"{_WORD.pattern}|{_QUOTATION.pattern}|\s+|.", re.ASCII | re.DOTALL)
_DEFINITION = re.compile(rf"({WORDS.pattern})(?:\(([^)]*)(\)?))?[\s{JOINT}]*(.*)", re.ASCII | re.DOTALL)
_DEFINED = re.compile(rf"\bdefined\s*(?:\(\s*({WORDS.pattern})\s*\)|({WORDS.pattern}))", re.ASCII)
_INCLUDED = re.compile(r"\b(__has_include(?:_next)?)\s*\(([^)]*)\)", re.ASCII)
_VARIABLE = "__VA_ARGS__"


class _Macro(Record):
    """`text` is what _divided makes of it; `make` makes the text of a macro that is built in."""

    name: str
    parameters: list[str] | None = None
    is_variable: bool = False  # the last parameter takes all further arguments
    text: list[str | int] = field(default_factory=list)
    make: Callable[[int], str] | None = None


class _Text(Record):
    """A text on the stack, of which `at` characters are read."""

    text: str
    at: int = 0


class TraditionalMacros:
    """The macros that are defined, and what they are replaced by: preprocessor.Macros."""

    def __init__(self, surroundings: Surroundings) -> None:
        self._surroundings, self._budget = surroundings, surroundings.budget
        self._macros = {name: _Macro(name, make=make) for name, make in surroundings.built_in.items()}
        self._stack: list[_Text] = []  # texts of macros, and the line at the bottom
        self._number = 0  # of the line
        self._more: Callable[[], Line | None] | None = None

    # -- definitions -------------------------------------------------------------------------------

    def define(self, text: str) -> None:
        match = _DEFINITION.match(text)
        if match is None or match[1] == "defined":
            raise Refused(f"a macro cannot have the name {text.partition(' ')[0]}")
        macro, body = _Macro(match[1]), match[4].rstrip(f" \t\f\v\r\n{JOINT}")
        if match[2] is not None:
            listed = match[2].replace(JOINT, "").strip()
            macro.parameters = [each.strip() for each in listed.split(",")] if listed else []
            if macro.parameters[-1:] == ["..."]:
                macro.is_variable, macro.parameters[-1] = True, _VARIABLE
            if not match[3] or not all(map(WORDS.fullmatch, macro.parameters)):
                raise Refused(f"the parameters of macro {macro.name} are not names in parentheses")
        macro.text = list(_divided(body, macro.parameters or []))
        self._macros[macro.name] = macro

    def undefine(self, name: str) -> None:
        self._macros.pop(name, None)

    def is_defined(self, name: str) -> bool:
        return name in self._macros or name in HAS_INCLUDE

    # -- texts -------------------------------------------------------------------------------------

    def concern(self, text: str) -> bool:
        return not self._macros.keys().isdisjoint(WORDS.findall(text))

    def replaced(self, line: Line, more: Callable[[], Line | None]) -> str:
        self._stack, self._number, self._more = [_Text(line.text)], line.number, more
        return "".join(self._read())

    def tokens(self, text: str, line: int) -> list[Token]:
        outer = self._stack, self._number, self._more
        made = self.replaced(Line(line, text), lambda: None)
        self._stack, self._number, self._more = outer
        return tokens(made)

    def condition(self, text: str, line: int) -> list[Token]:
        def defined(match: re.Match[str]) -> str:
            return str(int(self.is_defined(match[1] or match[2])))

        def included(match: re.Match[str]) -> str:
            name = match[2].strip()
            found = tokens(name) if name.startswith(("<", '"')) else self.tokens(name, line)
            return str(int(self._surroundings.is_included(found, match[1] != HAS_INCLUDE[0])))

        return self.tokens(_INCLUDED.sub(included, _DEFINED.sub(defined, text)), line)

    def _read(self) -> Iterator[str]:
        while part := self._part():
            macro = self._macros.get(part)
            if macro is None or not self._enter(macro):
                self._budget.spend(_CHARACTER_COST * len(part))
                yield part

    def _part(self, further: bool = False) -> str:
        """A word, a quotation, blanks or one character; "" at the end of the line or, `further`, the file."""
        while (top := self._stack[-1]).at >= len(top.text):
            if len(self._stack) > 1:
                self._pop()
                continue
            line = self._more() if further and self._more is not None else None
            if line is None:
                return ""
            self._stack, self._number = [_Text(f"\n{line.text}")], line.number
        match = _PART.match(top.text, top.at)
        assert match is not None
        part, top.at = match[0], match.end()
        while top.at == len(top.text) and len(self._stack) > 1 and _WORD.match(part):
            top = self._pop()  # the word may go on
            match = _WORD.match(top.text, top.at)
            if match is None:
                break
            part, top.at = part + match[0], match.end()
        return part

    def _enter(self, macro: _Macro) -> bool:
        """Put the text of a macro on the stack; False if the macro is not called here, as no ( follows."""
        arguments: list[str] | None = []
        if macro.parameters is not None:
            arguments = self._arguments(macro, macro.parameters)
        if arguments is None:
            return False
        text = macro.make(self._number) if macro.make is not None else "".join(
            part if isinstance(part, str) else arguments[part] if part >= 0 else _escaped(arguments[~part])
            for part in macro.text)
        self._budget.spend(_CALL_COST + _CHARACTER_COST * len(text))
        self._stack.append(_Text(text))
        return True

    def _pop(self) -> _Text:
        """Remove the text that is read; return the one below it."""
        self._budget.spend(-_CHARACTER_COST * len(self._stack.pop().text))
        return self._stack[-1]

    def _arguments(self, macro: _Macro, parameters: list[str]) -> list[str] | None:
        """Read the arguments of a call; None if no ( follows."""
        line, before = self._number, ""
        while (part := self._part(further=True)).isspace():
            before += part
        if part != "(":
            self._stack.append(_Text(before + part))
            return None
        found: list[str] = []
        argument, depth = "", 0
        while part := self._part(further=True):
            depth += {"(": 1, ")": -1}.get(part, 0)
            if depth < 0:
                break
            if part == "," and not depth and not (macro.is_variable and len(found) == len(parameters) - 1):
                found.append(argument)
                argument = ""
            else:
                argument += " " if part.isspace() and "\n" in part else part
        else:
            raise Refused(f"the call of macro {macro.name} has no )", line)
        if parameters or argument.strip() or found:
            found.append(argument)
        if macro.is_variable and len(found) == len(parameters) - 1:
            found.append("")
        if len(found) != len(parameters):
            raise Refused(f"macro {macro.name} has {counted(len(parameters), 'parameter')} and is called "
                          f"with {counted(len(found), 'argument')}", line)
        return found


def _divided(body: str, parameters: list[str]) -> Iterator[str | int]:
    """The text of a macro with the numbers of its parameters, ~number where one stands in a quotation."""
    for quoted, part in ((part[0] in "\"'", part) for part in _PART.findall(body)):
        for word in _INSIDE.findall(part) if quoted else [part]:
            number = parameters.index(word) if word in parameters else None
            yield word.replace(JOINT, "") if number is None else ~number if quoted else number


def _escaped(argument: str) -> str:
    """An argument as it stands in a quotation: the quotations in it are escaped."""
    return _QUOTATION.sub(lambda match: match[0].replace("\\", r"\\").replace('"', r"\""), argument)
