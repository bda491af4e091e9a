"""Runs the examples of a page, and compares what they print with what the page says.

A block `console` holds commands behind `$ ` and what they print, standard output and error together.  A
block whose first line names a file (```` ```d hello.d ````) is written to it first.  The blocks of a page
are run in their order in one directory, which is empty at first.  In what is expected, `...` stands for any
text of a line, and a line `...` for any lines.

A command of ours runs in a process that has loaded all modules before (runtime.command.preloaded).  Anything
else is the shell's.
"""

from __future__ import annotations

import functools
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence

from dif.records import NamedTuple
from runtime.command.preloaded import COMMANDS, Preloaded, Started
from runtime.manual.pages import Page

_FENCE = "```"
_PROMPT, _MORE = "$ ", "> "
_ANY = "..."
_LONGEST = 120  # seconds that an example may take
_OPERATORS = frozenset("|&;<>()$`*?")


class Block(NamedTuple):
    """A fenced block: the words behind its fence, its lines, and the number of the first, from 0."""

    words: tuple[str, ...]
    lines: tuple[str, ...]
    start: int


class Example(NamedTuple):
    """One command, and the lines that it prints; `start` is the number of the first of these, from 0."""

    command: str
    expected: tuple[str, ...]
    start: int


class Mismatch(NamedTuple):
    """An example that printed something else."""

    page: str
    example: Example
    printed: tuple[str, ...]

    def __str__(self) -> str:
        return (f"{self.page}, line {self.example.start}: $ {self.example.command}\nthe page says:\n"
                + "".join(f"    {line}\n" for line in self.example.expected) + "it printed:\n"
                + "".join(f"    {line}\n" for line in self.printed))


def blocks(text: str) -> Iterator[Block]:
    """Yield the fenced blocks of a page, but for those inside others."""
    lines = text.split("\n")
    number = 0
    while number < len(lines):
        line = lines[number]
        mark = line[:len(line) - len(line.lstrip("`"))]
        if len(mark) >= len(_FENCE):
            end = next(at for at in range(number + 1, len(lines)) if lines[at].rstrip() == mark)
            yield Block(tuple(line[len(mark):].split()), tuple(lines[number + 1:end]), number + 1)
            number = end
        number += 1


def examples(block: Block) -> Iterator[Example]:
    """Yield the commands of a console block."""
    starts = [number for number, line in enumerate(block.lines) if line.startswith(_PROMPT)]
    for start, end in zip(starts, [*starts[1:], len(block.lines)], strict=True):
        command, body = block.lines[start].removeprefix(_PROMPT), start + 1
        while body < end and block.lines[body].startswith(_MORE):
            command += "\n" + block.lines[body].removeprefix(_MORE)
            body += 1
        yield Example(command, block.lines[body:end], block.start + body)


def mismatches(page: Page) -> list[Mismatch]:
    """Run all examples of a page; return those that print something else than it says."""
    found = []
    with tempfile.TemporaryDirectory(prefix="manual-") as folder:
        for block in blocks(page.text):
            if len(block.words) > 1 and "{" not in block.words[0]:
                with open(os.path.join(folder, block.words[1]), "w", encoding="utf-8") as file:
                    file.write("\n".join(block.lines) + "\n")
            elif block.words[:1] == ("console",):
                for example in examples(block):
                    printed = tuple(run(example.command, folder))
                    if not matches(example.expected, printed):
                        found.append(Mismatch(page.name, example, printed))
    return found


def matches(expected: Sequence[str], printed: Sequence[str]) -> bool:
    """Whether lines are as expected."""
    pattern = "".join("(?:.*\n)*" if line == _ANY else
                      ".*".join(re.escape(part) for part in line.rstrip().split(_ANY)) + "\n"
                      for line in expected)
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in printed)) is not None


# -- running -----------------------------------------------------------------------------------------------

def run(command: str, folder: str) -> list[str]:
    """Run a command in a directory; return the lines that it prints."""
    words = _words(command)
    with open(os.devnull, "rb") as nothing, tempfile.TemporaryFile() as output:
        files = nothing, output, output
        if words and words[0] in COMMANDS:
            started: Started | subprocess.Popen[bytes] = _preloaded().start(words, folder, files)
        else:
            started = subprocess.Popen(["sh", "-c", command], stdin=nothing, stdout=output, stderr=output,
                                       cwd=folder, env=_environment(), start_new_session=True)
        try:
            started.wait(_LONGEST)
        except subprocess.TimeoutExpired:
            os.killpg(started.pid, signal.SIGKILL)
            started.wait()
        output.seek(0)
        text = output.read().decode("utf-8", "replace").rstrip("\n")
    return [line.rstrip() for line in text.split("\n")] if text else []


def _words(command: str) -> list[str]:
    """Return the words of a command that needs no shell; none for one that does."""
    quoted = ""
    for char in command:
        if quoted:
            quoted = "" if char == quoted else quoted
        elif char in "'\"":
            quoted = char
        elif char in _OPERATORS:
            return []
    return shlex.split(command)


def _environment() -> dict[str, str]:
    path = os.path.dirname(sys.executable) + os.pathsep + os.environ.get("PATH", os.defpath)
    return {"PATH": path, "LC_ALL": "C.UTF-8", "TZ": "UTC", "HOME": os.path.expanduser("~"), "COLUMNS": "80",
            "DTRACE_TRACEBACK": "1",  # a bug is to be found from what an example printed
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


@functools.cache
def _preloaded() -> Preloaded:
    return Preloaded(_environment())


# -- writing anew ------------------------------------------------------------------------------------------

def written_anew(page: Page) -> str:
    """Return the text of a page with what its examples print now, wherever that differs."""
    lines = page.text.split("\n")
    for each in reversed(mismatches(page)):
        start = each.example.start
        lines[start:start + len(each.example.expected)] = each.printed
    return "\n".join(lines)


def main(names: Sequence[str]) -> None:
    """`python -m runtime.manual.examples [PAGE ...]`: write the output of examples anew.  Read the diff."""
    from runtime.manual.pages import pages

    for page in pages():
        if not names or page.name in names:
            text = written_anew(page)
            if text != page.text:
                print(page.name)
                with open(page.path, "w", encoding="utf-8") as file:
                    file.write(text)


if __name__ == "__main__":
    main(sys.argv[1:])
