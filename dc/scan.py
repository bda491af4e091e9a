"""Texts of declarations → what each declaration introduces, by a quick scan instead of a parser.

Imported only when what it finds is not remembered: see dc/index.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from dif.records import NamedTuple

_PIECE = re.compile(r"/\*(?s:.*?)\*/|^[ \t]*#[^\n]*|[{};]", re.MULTILINE)
_NOISE = re.compile(r"/\*(?s:.*?)\*/|^[ \t]*#[^\n]*", re.MULTILINE)
_TAG = re.compile(r"\b(struct|union|enum)\s+(\w+)\s*([{;]?)")
_ENUM_BODY = re.compile(r"\benum\b[^{;]*\{([^}]*)\}")
_ENUMERATOR = re.compile(r"(?:^|,)\s*(\w+)")
_DECLARED = re.compile(r"\(\s*\*\s*(\w+)|(\w+)\s*(?:\[[^\]]*\]\s*)*(?:\([^()]*\)\s*)?$")
_INLINE = re.compile(r"inline\b[^=]*?(\w+)\s*(?:\[[^=]*\])?\s*=")
_DEPENDS = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+D[ \t]+depends_on[ \t]+(\w+)[ \t]+(\S+)", re.MULTILINE)
_TRANSLATOR = re.compile(r"translator\s+((?:struct\s+|union\s+)?\w+)\s*\**\s*<")


class Scanned(NamedTuple):
    """The declarations of some files.

    `pieces` are (file, line, text); `types` ("struct tag", typedefs) and
    `values` map names to numbers of pieces; `depends` what a file's depends_on
    pragmas say, as (class, name, line).
    """

    pieces: list[tuple[str, int, str]]
    types: dict[str, list[int]]
    values: dict[str, list[int]]
    depends: dict[str, list[tuple[str, str, int]]]


def scan(texts: Iterable[tuple[str, str]]) -> Scanned:
    """The declarations of files of C or D, given as (name, text)."""
    found = Scanned([], {}, {}, {})
    for file, text in texts:
        found.depends[file] = dependencies(text)
        aliases: dict[str, set[str]] = {}  # what else the type of one declaration is called
        for piece, line in pieces(text):
            types, values = _introduced(piece, aliases)
            for index, names in ((found.types, types), (found.values, values)):
                for name in names:
                    index.setdefault(name, []).append(len(found.pieces))
            found.pieces.append((file, line, piece))
    return found


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


def dependencies(text: str) -> list[tuple[str, str, int]]:
    """The depends_on pragmas of a library: class, name and line."""
    return [(match[1], match[2], text.count("\n", 0, match.start()) + 1) for match in _DEPENDS.finditer(text)]


def _introduced(piece: str, aliases: dict[str, set[str]]) -> tuple[set[str], set[str]]:
    """Types and values; a translator belongs to its output type, under all of that type's names."""
    text = _NOISE.sub(" ", piece).strip()
    inline, translator = _INLINE.match(text), _TRANSLATOR.match(text)
    if inline is not None:
        return set(), {inline[1]}
    if translator is not None:
        return aliases.get(translator[1], {translator[1]}), set()
    types, values = _declared(text.rstrip(";").rstrip())
    aliases.update(dict.fromkeys(types, types))
    return types, values


def _declared(text: str) -> tuple[set[str], set[str]]:
    """The names a C declaration introduces: types, and enumerators and variables."""
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
