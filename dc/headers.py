"""C headers as type scopes, read piece by piece.

A kernel's header is long and a D program asks for little of it.  The text is
cut into its top-level declarations, whose names are found by a quick scan;
each is parsed when one of its names is first looked up.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from dc import syntax as s
from dc.declarations import Declarations
from dc.lexer import Lexer
from dc.parser import parse_program
from dc.types import Scope

_PIECE = re.compile(r"/\*(?s:.*?)\*/|^[ \t]*#[^\n]*|[{};]", re.MULTILINE)
_NOISE = re.compile(r"/\*(?s:.*?)\*/|^[ \t]*#[^\n]*", re.MULTILINE)
_TAG = re.compile(r"\b(struct|union|enum)\s+(\w+)\s*([{;]?)")
_ENUM_BODY = re.compile(r"\benum\b[^{;]*\{([^}]*)\}")
_ENUMERATOR = re.compile(r"(?:^|,)\s*(\w+)")
_DECLARED = re.compile(r"\(\s*\*\s*(\w+)|(\w+)\s*(?:\[[^\]]*\]\s*)*(?:\([^()]*\)\s*)?$")


def attach_header(text: str, scope: Scope, filename: str) -> None:
    """Let `scope` declare from a header's text whatever it is asked for."""
    scope.loader = _Header(text, scope, filename)


class _Header:
    """The pieces of a header, by the names they declare."""

    def __init__(self, text: str, scope: Scope, filename: str) -> None:
        self._scope = scope
        self._filename = filename
        self._declarations = Declarations(scope, deferred=True)
        self._pieces: list[tuple[str, int] | None] = []  # text and its first line; None once declared
        self._types: dict[str, list[int]] = {}
        self._values: dict[str, list[int]] = {}
        for piece, line in pieces(text):
            types, values = declared_names(piece)
            for index, names in ((self._types, types), (self._values, values)):
                for name in names:
                    index.setdefault(name, []).append(len(self._pieces))
            self._pieces.append((piece, line))

    def is_variable(self, name: str) -> bool:
        """For the lexer: a header has types and nothing else."""
        return False

    def is_type_name(self, name: str) -> bool:
        return self._scope.is_type_name(name)

    def begin_record(self, keyword: str, tag: str, span: s.Span) -> None:
        """For the lexer: a header's definitions are each read once."""

    def load_type(self, key: str) -> None:
        """Declare a type.  Raises CompileError where the header is not C."""
        self._load(self._types.pop(key, ()))

    def load_value(self, name: str) -> None:
        """Declare an enumerator or a variable.  Raises CompileError where the header is not C."""
        self._load(self._values.pop(name, ()))

    def _load(self, numbers: Iterable[int]) -> None:
        for number in numbers:
            piece, self._pieces[number] = self._pieces[number], None
            if piece is None:
                continue
            text, line = piece
            lexer = Lexer(f'# {line} "{self._filename}"\n{text}', self, file=self._filename, header=True)
            for node in parse_program(lexer):
                if isinstance(node, s.Declaration):
                    self._declare(node)

    def _declare(self, node: s.Declaration) -> None:
        for each in self._declarations.declare(node):
            if each.storage != "typedef":
                self._scope.variables[each.name] = each.type


def pieces(text: str) -> list[tuple[str, int]]:
    """A text's top-level declarations, each up to its semicolon, with the lines they start on."""
    result = []
    start = line = depth = 0
    for match in _PIECE.finditer(text):
        token = match[0]
        if token == "{":
            depth += 1
        elif token == "}":
            depth -= 1
        elif token == ";" and depth == 0:
            result.append((text[start:match.end()], line + 1))
            line += text.count("\n", start, match.end())
            start = match.end()
    return result


def declared_names(piece: str) -> tuple[set[str], set[str]]:
    """The names a declaration introduces: types ("struct tag", typedefs), and enumerators and variables."""
    text = _NOISE.sub(" ", piece).strip().rstrip(";").rstrip()
    types = {f"{keyword} {tag}" for keyword, tag, brace in _TAG.findall(text + ";") if brace}
    values: set[str] = set()
    for body in _ENUM_BODY.findall(text):
        values.update(_ENUMERATOR.findall(body))
    names = types if text.startswith("typedef") else values
    for declarator in text[text.rfind("}") + 1:].split(","):
        match = _DECLARED.search(declarator.strip())
        if match is not None:
            names.add(match[1] or match[2])
    return types, values
