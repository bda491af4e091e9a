"""The pages of the manual, and the words that they explain."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Iterable, Iterator

from dif.records import NamedTuple

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PACKAGES = ("dif", "dof", "dc", "runtime")
_FOLDER = "manual"
_SUFFIX = ".md"
_HEADING = re.compile(r"(#{1,6}) (.+?)(?: \{#[\w-]+\})?$")
_PROVIDER = re.compile(r"The `([\w$*]+)` provider$")
_WORDS = re.compile(r"`[^`]+`(?:, `[^`]+`)*$")


class Page(NamedTuple):
    """One file: `name` is its place in the site, "dc/subroutines"; `path` its place on the disk."""

    name: str
    path: str
    text: str


class Entry(NamedTuple):
    """What a page says of some words: its heading, and the lines below it up to the next heading.

    `line` is the number of the heading in the page, from 0; `level` how deep it is.
    """

    words: tuple[str, ...]
    page: str
    line: int
    level: int
    heading: str
    body: str


def pages() -> list[Page]:
    """Return every page, by name."""
    found = []
    for package in PACKAGES:
        top = os.path.join(ROOT, package, _FOLDER)
        for folder, _folders, files in os.walk(top):
            for file in files:
                if file.endswith(_SUFFIX):
                    path = os.path.join(folder, file)
                    inside = os.path.relpath(path, top).removesuffix(_SUFFIX)
                    with open(path, encoding="utf-8") as opened:
                        found.append(Page(f"{package}/{inside}", path, opened.read()))
    return sorted(found)


def outside_fences(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Yield the lines that are no part of a fenced block, with their numbers from 0."""
    fence = ""
    for number, line in enumerate(lines):
        mark = line[:len(line) - len(line.lstrip("`"))]
        if fence:
            fence = "" if line.rstrip() == fence else fence
        elif len(mark) >= 3:
            fence = mark
        else:
            yield number, line


def words_of(heading: str) -> tuple[str, ...]:
    """Return the words that a heading announces: those of `a`, `b`, or of a provider's page."""
    provider = _PROVIDER.match(heading)
    if provider:
        return (f"{provider[1]} provider",)
    return tuple(re.findall(r"`([^`]+)`", heading)) if _WORDS.match(heading) else ()


def entries(page: Page) -> list[Entry]:
    """Return what a page explains, in its order."""
    lines = page.text.split("\n")
    headings = [(number, match) for number, line in outside_fences(lines) if (match := _HEADING.match(line))]
    found = []
    for place, (number, match) in enumerate(headings):
        words = words_of(match[2])
        if words:
            level = len(match[1])
            end = next((later for later, other in headings[place + 1:]
                        if level > 1 or len(other[1]) <= level or words_of(other[2])), len(lines))
            found.append(Entry(words, page.name, number, level, match[2],
                               "\n".join(lines[number + 1:end]).strip("\n")))
    return found


@functools.cache
def all_entries() -> tuple[Entry, ...]:
    """Return what all pages explain; they are read once."""
    return tuple(entry for page in pages() for entry in entries(page))
