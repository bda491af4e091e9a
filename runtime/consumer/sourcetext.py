"""The text of an expression in a program's source, and its place.

The compiler keeps where the tokens of an expression stand.  Its text lies between the first and the last of
them, and reaches to the brackets that belong to those between.
"""

from __future__ import annotations

import string
from itertools import takewhile

from dc.checking.typed import BuiltinElement, Element, FunctionCall, TranslatedMember
from dc.diagnostics import Span, as_written, texts
from dc.names.values import Value
from runtime.consumer.events.notices import Place

_WORD = string.ascii_letters + string.digits + "_"
_OPENING, _CLOSING = ("(", "["), (")", "]")
_PARTS = 1000  # parts of an expression that are looked at
_LONGEST = 60  # characters of a text that is shown


class Text:
    """A program's text: `file` is the script's path, "" if it is none, `written` the text before -C."""

    def __init__(self, program: str, file: str, written: str) -> None:
        self._line = texts(program)
        self._written = texts(written)
        self._file = file

    def place(self, span: Span) -> Place:
        """Where a piece of the program was written; one that a macro made is where the macro is."""
        file = span.file or self._file
        after, line = self._line(span.file, span.line), self._written("", span.line)
        if file == self._file and line is not None and after is not None and line != after:
            same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(line, after, strict=False)))
            start = len(line[:same].rstrip(_WORD))
            name = len(line[start:]) - len(line[start:].lstrip(_WORD))
            macro = span._replace(column=start + 1, end=start + 1 + max(name, 1))
            span = as_written(span, line, after) or macro
        return Place(file, span.line, span.column, span.end)

    def place_of(self, value: Value) -> Place:
        """Where an expression stands, as far as it is on the line of its own token."""
        return self.place(self._extent(value))

    def of(self, value: Value) -> str:
        """The text of an expression, "" if it is too long or not known."""
        span = self._extent(value)
        line = self._line(span.file, span.line) or ""
        text = line[span.column - 1:span.end - 1]
        return text if len(text) <= _LONGEST and text.isprintable() else ""

    def _extent(self, value: Value) -> Span:
        span, line = value.span, self._line(value.span.file, value.span.line)
        found = [each for each in _spans(value) if each[:2] == span[:2]]
        if line is None or not span.column:
            return span
        start, end = min(each.column for each in found) - 1, max(each.end for each in found) - 1
        start, end = _balanced(line, start, end)
        if isinstance(value, FunctionCall | Element | BuiltinElement) and line[end:end + 1] in _OPENING \
                and line[end - 1] not in _CLOSING:
            start, end = _balanced(line, start, end + 1)
        return span._replace(column=start + 1, end=end + 1)


def _spans(value: Value) -> list[Span]:
    """Where the tokens of an expression stand."""
    pending, found = [value], list[Span]()
    while pending and len(found) < _PARTS:
        each = pending.pop()
        found.append(each.span)
        pending += [each.base] if isinstance(each, TranslatedMember) else each.children()
    return found


def _balanced(line: str, start: int, end: int) -> tuple[int, int]:
    """A part of a line made longer until its brackets are pairs; as it is if they cannot be."""
    opened = closed = 0
    for char in line[start:end]:
        if char in _OPENING:
            opened += 1
        elif char in _CLOSING:
            opened, closed = (opened - 1, closed) if opened else (0, closed + 1)
    after = _until(line[end:], _OPENING, _CLOSING, opened)
    before = _until(line[:start][::-1], _CLOSING, _OPENING, closed)
    return (start, end) if after is None or before is None else (start - before, end + after)


def _until(text: str, more: tuple[str, ...], fewer: tuple[str, ...], depth: int) -> int | None:
    """How many characters there are until `depth` brackets have their others; None if they have none."""
    for count, char in enumerate(text):
        if not depth:
            return count
        depth += (char in more) - (char in fewer)
    return None if depth else len(text)
