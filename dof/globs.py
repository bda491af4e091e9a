"""Matching of probe descriptions, field by field.

A field of a pattern is empty (matches all), a plain string, or a shell-like
glob: `*`, `?`, `[a-z]`, `[!a-z]`, and `\\` that quotes the next character.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

_SPECIAL = frozenset("*?[\\")


def is_glob(field: str) -> bool:
    """Whether the field must be matched as a pattern."""
    return not _SPECIAL.isdisjoint(field)


def _bracket(pattern: str, start: int) -> tuple[str, int]:
    """The regular expression of the set that opens at `start`, and the index past it."""
    at = start + 1
    negated = pattern[at:at + 1] == "!"
    at += negated
    members: list[str] = []
    opens = False  # a range may begin with the last member
    while at < len(pattern) and (pattern[at] != "]" or not members):
        char = pattern[at]
        is_range = char == "-" and opens
        if char == "\\" and at + 1 < len(pattern):
            at += 1
            char = pattern[at]
        members.append("-" if is_range else f"\\{char}" if char == "-" else re.escape(char))
        opens = not is_range and members[-2:-1] != ["-"]
        at += 1
    if at >= len(pattern):
        return "(?!)", at  # an unclosed set matches nothing
    return f"[{'^' if negated else ''}{''.join(members)}]", at + 1


def _pieces(pattern: str) -> list[str]:
    """The regular expressions of what stands before, between and after the pattern's `*`."""
    pieces = [""]
    at = 0
    while at < len(pattern):
        char = pattern[at]
        if char == "[":
            text, at = _bracket(pattern, at)
            pieces[-1] += text
            continue
        at += 1
        if char == "*":
            pieces.append("")
        elif char == "?":
            pieces[-1] += "."
        else:
            if char == "\\" and at < len(pattern):
                char = pattern[at]
                at += 1
            pieces[-1] += re.escape(char)
    return pieces


@lru_cache(maxsize=1024)
def _expression(pattern: str) -> re.Pattern[str]:
    first, *rest = _pieces(pattern)
    if rest:
        # The first place where a piece fits is as good as any later one: atomic groups keep the
        # matcher from trying those, which would take time exponential in the number of `*`.
        *between, last = rest
        first += "".join(f"(?>.*?{piece})" for piece in between if piece) + ".*" + last
    try:
        return re.compile(first, re.DOTALL)
    except re.error:  # a reversed range, say: it matches nothing
        return re.compile("(?!)")


def matcher(field: str) -> Callable[[str], bool] | None:
    """A test for one field; None if it matches everything."""
    if not field or field == "*":
        return None
    if not is_glob(field):
        return field.__eq__
    match = _expression(field).fullmatch
    return lambda text: match(text) is not None


def matches(field: str, text: str) -> bool:
    """Whether one field matches a text."""
    test = matcher(field)
    return test is None or test(text)
