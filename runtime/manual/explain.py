"""dtrace --explain: what the manual says of a word, in a terminal."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator

from dof.commandline import Failure
from dof.options import Phase, described
from runtime.manual.pages import Entry, all_entries, outside_fences
from runtime.manual.tables import Kind, command, facts, known, reference

_LINK = re.compile(r"\[([^\]]+)\]\([^)]*\)")
_CODE = re.compile(r"(`+)(.+?)\1(?!`)")
_TARGET = re.compile(r"\([\w-]+\)=$")
_LISTS = {"variables": Kind.VARIABLE, "subroutines": Kind.SUBROUTINE, "actions": Kind.ACTION,
          "aggregations": Kind.AGGREGATING, "tags": Kind.TAG, "providers": Kind.PROVIDER,
          "opcodes": Kind.OPCODE}
_WIDTH = 78


def explained(word: str) -> str:
    """Return the text for a word: a variable, function, option, tag, provider, opcode or switch.

    The name of a list, such as `subroutines`, gives all words of it.  Raises Failure for any other word.
    """
    if word in _LISTS:
        return "".join(_columns([each.removesuffix(" provider") for each, kind in sorted(known().items())
                                 if kind == _LISTS[word]]))
    if word == "options":
        return _options()
    wanted = [each for each in _spellings(word) if each in known()]
    texts = [terminal(entry, each) for each in wanted for entry in _entries(each)] or list(_switch(word))
    if not texts:
        raise Failure(f"the manual does not know {word!r}{_near(word)}; "
                      f"lists are {', '.join(sorted([*_LISTS, 'options']))}")
    return "\n".join(texts)


def _spellings(word: str) -> tuple[str, ...]:
    """Return how headings may write a word that a command line gives."""
    plain = word.removesuffix("()").removeprefix("`").removesuffix("`")
    return tuple(dict.fromkeys((plain, f"-x {plain}", f"{plain} provider", plain.upper(),
                                f"-x {plain.removeprefix('-x').strip().partition('=')[0]}")))


def _near(word: str) -> str:
    """Return a question for a word that is spelt nearly like one of the manual's, or ""."""
    close = difflib.get_close_matches(word, known(), 1, 0.7)
    return f" (did you mean {close[0]!r}?)" if close else ""


def _entries(word: str) -> Iterator[Entry]:
    return (entry for entry in all_entries() if word in entry.words)


def terminal(entry: Entry, word: str) -> str:
    """Return an entry as plain text."""
    lead = facts(word)
    body = f"{lead}\n\n{entry.body}" if lead else entry.body
    heading = f"{known()[word]} {word.removeprefix('-x ').removesuffix(' provider')}"
    return f"{heading}\n\n{plain(body)}\n"


def plain(text: str) -> str:
    """Return Markdown as a terminal shows it: no marks, blocks indented, tables of reference put in."""
    lines = text.split("\n")
    prose = {number for number, _line in outside_fences(lines)}
    out: list[str] = []
    skipping = False
    for number, line in enumerate(lines):
        if number not in prose:
            if line.startswith("```"):
                skipping = "{reference}" in line
                out += _plain_table(line) if skipping else []
            elif not skipping:
                out.append(f"    {line}".rstrip())
        elif not _TARGET.match(line):
            out.append(_unmarked(line.lstrip("#").lstrip() if line.startswith("#") else line))
    return "\n".join(_indented(out)).rstrip()


def _plain_table(line: str) -> list[str]:
    """Return the rows of a table of reference, a line each."""
    rows = reference(*line.partition("{reference}")[2].split()).split("\n")
    cells = [[cell.strip() for cell in row.strip("|").split("| ")] for row in rows
             if not row.startswith("|-")]
    return ["    " + "  ".join(filter(None, map(_unmarked, row))).rstrip() for row in cells[1:]]


def _unmarked(text: str) -> str:
    """Return text without the marks of links, code and emphasis."""
    return _CODE.sub(lambda match: match[2].strip(), _LINK.sub(r"\1", text)).replace("**", "")


def _indented(lines: list[str]) -> Iterator[str]:
    return (f"  {line}" if line else "" for line in lines)


def _columns(words: list[str]) -> Iterator[str]:
    width = max(map(len, words)) + 2
    each = max(1, _WIDTH // width)
    for start in range(0, len(words), each):
        yield "".join(f"{word:{width}}" for word in words[start:start + each]).rstrip() + "\n"


def _options() -> str:
    rows = {"options for -x": described(Phase.COMPILE, Phase.RUNTIME, Phase.DYNAMIC),
            "options of the emulated machine, for -x; no program may set them": described(Phase.BOOT)}
    lines = []
    for heading, each in rows.items():
        lines += [heading, *(f"  {spelling:24}  {text}" for spelling, text in each), ""]
    return "\n".join(lines)


def _switch(word: str) -> Iterator[str]:
    """Yield what the command lines say of a switch."""
    for name in ("dtrace", "dc", "difas", "difdis"):
        for switch in command(name).switches():
            if word and word in (switch.name, switch.other):
                written, text = switch.row()
                yield f"{name} {written}\n\n  {text}\n"
