"""Cuts texts into declarations, and finds the names that each introduces, by patterns instead of a parser.

Imported only when a name was found in a text: see dc/types/declarationindex.py.
"""

from __future__ import annotations

import re

_PIECE = re.compile(r"/\*(?s:.*?)\*/|^[ \t]*#[^\n]*|[{};]", re.MULTILINE)
_NOISE = re.compile(r"/\*(?s:.*?)\*/|^[ \t]*#[^\n]*", re.MULTILINE)
_WORD = re.compile(r"\w+")
_TAG = re.compile(r"\b(struct|union|enum)\s+(\w+)\s*([{;]?)")
_ENUM_BODY = re.compile(r"\benum\b[^{;]*\{([^}]*)\}")
_ENUMERATOR = re.compile(r"(?:^|,)\s*(\w+)")
_DECLARED = re.compile(r"\(\s*\*\s*(\w+)|(\w+)\s*(?:\[[^\]]*\]\s*)*(?:\([^()]*\)\s*)?$")
_COMMA = re.compile(r",(?![^(]*\))")  # but no parameter's
_INLINE = re.compile(r"inline\b[^=]*?(\w+)\s*(?:\[[^=]*\])?\s*=")
_TRANSLATOR = re.compile(r"translator\s+((?:struct\s+|union\s+)?\w+)\s*\**\s*<")
_DEPENDS = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+D[ \t]+depends_on[ \t]+(\w+)[ \t]+(\S+)", re.MULTILINE)


def words(text: str) -> set[str]:
    """Every name in a text, comments and all."""
    return set(_WORD.findall(text))


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


def introduced(piece: str, kind: str) -> set[str]:
    """The names that a declaration introduces of a kind.

    "typedef": types, "struct tag" as well; "value": enumerators, variables and
    inlines; "translator": the type it translates to.
    """
    text = _NOISE.sub(" ", piece).strip()
    translator, inline = _TRANSLATOR.match(text), _INLINE.match(text)
    if translator is not None or kind == "translator":
        return {translator[1]} if translator is not None and kind == "translator" else set()
    if inline is not None:
        return {inline[1]} if kind == "value" else set()
    types, values = _declared(text.rstrip(";").rstrip())
    return types if kind == "typedef" else values


def declared(text: str) -> set[str]:
    """The names of all that the declarations of a text introduce, tags without their keywords."""
    return {name.rpartition(" ")[2] for piece, _line in pieces(text)
            for kind in ("typedef", "value", "translator") for name in introduced(piece, kind)}


def _declared(text: str) -> tuple[set[str], set[str]]:
    types = {f"{keyword} {tag}" for keyword, tag, brace in _TAG.findall(text + ";") if brace}
    values: set[str] = set()
    for body in _ENUM_BODY.findall(text):
        values.update(_ENUMERATOR.findall(body))
    names = types if text.startswith("typedef") else values
    for declarator in _COMMA.split(text[text.rfind("}") + 1:]):
        match = _DECLARED.search(declarator.strip())
        if match is not None:
            names.add(match[1] or match[2])
    return types, values
