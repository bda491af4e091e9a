"""What stands at a place of a D program's text, which may be unfinished."""

from __future__ import annotations

import re

from dif.records import NamedTuple

_OPAQUE = re.compile(r'/\*.*?(?:\*/|\Z)|"(?:\\.|[^"\\\n])*"?|\'(?:\\.|[^\'\\\n])*\'?|^[ \t]*#[^\n]*',
                     re.DOTALL | re.MULTILINE)
_DECLARES = re.compile(r"\s*(?:inline|translator|typedef|struct|union|enum|provider|extern|const|#)\b|\s*#")
_PREDICATE = re.compile(r"(?:^|\s)/(?![/*])")
_WORD = re.compile(r"\$\$?\w*|(?:self->|this->|@)?[A-Za-z_]\w*|@")
_BRACKETS = {")": "(", "]": "["}
_PROBES = re.compile(r"[\w*?$.`+%~\[\]!:@<>-]*")


class Kind:
    """What may stand at a place."""

    PROBE = "probe"
    ACTION = "action"
    DECLARATION = "declaration"


class Place(NamedTuple):
    """What an offset is in: of a clause, `probes` are its descriptions as they are written."""

    kind: str
    probes: tuple[str, ...] = ()


class Word(NamedTuple):
    """A word, the offsets of its first character and behind its last, and what it is a member of ("")."""

    text: str
    start: int
    end: int
    owner: str = ""


def blanked(text: str) -> str:
    """Return a text of the same length without comments, literals and directives."""
    return _OPAQUE.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def is_opaque(text: str, offset: int) -> bool:
    """Whether a place is in a comment, a literal or a directive, which no other place is behind."""
    for found in _OPAQUE.finditer(text, 0):
        if found.end() >= offset:
            closed = found[0].endswith("*/") or (len(found[0]) > 1 and found[0][-1] == found[0][0])
            return found.start() < offset and not (closed and offset == found.end())
    return False


def place(text: str, offset: int) -> Place:
    """Return what `offset` is in."""
    code = blanked(text)
    depth, begin, head = 0, 0, ""
    for at in range(min(offset, len(code))):
        char = code[at]
        if char == "{":
            if depth == 0:
                head = code[begin:at]
            depth += 1
        elif char == "}":
            depth = max(depth - 1, 0)
            begin = at + 1 if depth == 0 else begin
        elif char == ";" and depth == 0:
            begin = at + 1
    if depth == 0:
        head = code[begin:offset]
    if _DECLARES.match(head):
        return Place(Kind.DECLARATION)
    predicate = _PREDICATE.search(head)
    probes = _described(head[:predicate.start()] if predicate else head)
    return Place(Kind.ACTION if depth or predicate else Kind.PROBE, probes)


def _described(head: str) -> tuple[str, ...]:
    return tuple(each.strip() for each in head.split(",") if each.strip())


def probe_at(text: str, offset: int) -> Word:
    """Return the description that a place is in; it may be empty."""
    before = re.search(r"[\w*?$.`+%~\[\]!:@<>-]*$", text[:offset])
    start = before.start() if before else offset
    found = _PROBES.match(text, start)
    return Word(text[start:found.end() if found else offset], start, found.end() if found else offset)


def word_at(text: str, offset: int) -> Word | None:
    """Return the word that a place is in or behind, and what it is a member of."""
    line = text.rfind("\n", 0, offset) + 1
    end = text.find("\n", offset)
    for found in _WORD.finditer(text, line, len(text) if end < 0 else end):
        if found.start() <= offset <= found.end():
            return Word(found[0], found.start(), found.end(), owner_before(text, found.start()))
    return None


def owner_before(text: str, start: int) -> str:
    """Return the expression in front of `->` or `.` that ends where a word starts; "" if there is none."""
    before = text[:start].rstrip()
    arrow = "->" if before.endswith("->") else "." if before.endswith(".") else ""
    return _expression_ending(before[:len(before) - len(arrow)].rstrip()) if arrow else ""


def _expression_ending(text: str) -> str:
    """Return the longest postfix expression at the end of a text."""
    at = len(text)
    while at > 0:
        char = text[at - 1]
        if char in _BRACKETS:
            start = _opening(text, at - 1)
            if start < 0:
                break
            at = start
        elif char.isalnum() or char in "_@$`":
            while at > 0 and (text[at - 1].isalnum() or text[at - 1] in "_@$`"):
                at -= 1
            before = text[:at].rstrip()
            step = 2 if before.endswith("->") else 1 if before.endswith(".") else 0
            if not step:
                return text[at:]
            at = len(before) - step
        else:
            break
    return text[at:].strip()


def _opening(text: str, closing: int) -> int:
    """Return where the bracket opens that closes at an offset; -1 if it does not."""
    depth = 0
    for at in range(closing, -1, -1):
        if text[at] in ")]":
            depth += 1
        elif text[at] in "([":
            depth -= 1
            if depth == 0:
                return at
    return -1
