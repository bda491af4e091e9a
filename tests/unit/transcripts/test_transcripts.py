"""Commands and all that they write, as in a terminal: `*.txt`.

A row `$ COMMAND` is followed by what the command writes: rows of standard output as they are, those of
standard error behind `! `, and `[N]` for a status other than 0.  `$ cat > NAME <<` is followed by the lines
of a file, down to a line `<<`.  The commands of one file run in one directory, in their order; its path
reads DIRECTORY.  `make golden` writes the files anew; read the diff before you commit it.
"""

from __future__ import annotations

import os
import re
import resource
import shlex
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

import pytest

import runtime.consumer.output.jsonlines
import runtime.consumer.output.text
import runtime.machine  # noqa: F401
from dc.command import main as dc
from dof.command import assemble_main, disassemble_main
from runtime.command import tracing  # noqa: F401
from runtime.command.command import main as dtrace
from runtime.command.sdtdtrace import main as sdt_dtrace

HERE = Path(__file__).parent
COMMANDS: dict[str, Callable[[list[str]], int]] = {
    "dtrace": dtrace, "dc": dc, "difas": assemble_main, "difdis": disassemble_main, "sdt-dtrace": sdt_dtrace}
SECONDS = 15  # of processor, of a command that hangs
TIME = re.compile(r'(?<="timestamp":)\d+')  # what it costs the machine to do something may change


def run(words: list[str], folder: Path) -> tuple[int, str, str]:
    """Run a command in a fork, in a directory; return its status, and what it writes.

    Words `< NAME` at the end give it a file to read.
    """
    source = os.devnull
    if words[-2:-1] == ["<"]:
        source, words = words[-1], words[:-2]
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = os.fork()
        if not child:
            status = 99
            try:
                os.chdir(folder)
                for number, file in enumerate((os.open(source, os.O_RDONLY), out.fileno(), err.fileno())):
                    os.dup2(file, number)
                sys.stdin, sys.stdout = os.fdopen(0, closefd=False), os.fdopen(1, "w", closefd=False)
                sys.stderr = os.fdopen(2, "w", errors="backslashreplace", closefd=False)
                resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))
                status = COMMANDS[words[0]](words[1:])
                sys.stdout.flush()
                sys.stderr.flush()
            finally:
                os._exit(status)
        _, ended = os.waitpid(child, 0)
        return os.waitstatus_to_exitcode(ended), _text(out, folder), _text(err, folder)


def _text(file: IO[bytes], folder: Path) -> str:
    file.seek(0)
    return file.read().decode("utf-8", "backslashreplace").replace(str(folder), "DIRECTORY")


def shown(status: int, out: str, err: str) -> Iterator[str]:
    yield from TIME.sub("T", out).splitlines()
    if out and not out.endswith("\n"):
        yield "(no newline)"
    yield from (f"! {line}".rstrip() for line in err.splitlines())
    if status:
        yield f"[{status}]"


def steps(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the commands of a transcript, each with the lines below it."""
    command, lines = "", []
    inside = False
    for line in text.splitlines():
        if line.startswith("$ ") and not inside:
            if command:
                yield command, lines
            command, lines = line, []
            inside = line.endswith(" <<")
        else:
            lines.append(line)
            inside = inside and line != "<<"
    yield command, lines


def written_anew(text: str, folder: Path) -> Iterator[str]:
    """Yield the lines of a transcript, as they are today."""
    for command, lines in steps(text):
        yield command
        if command.startswith("$ cat > "):
            content = lines[:lines.index("<<")]
            (folder / command.split()[3]).write_text("".join(f"{line}\n" for line in content))
            yield from (*content, "<<")
        elif command.startswith("$ "):
            yield from shown(*run(shlex.split(command[2:]), folder))


@pytest.mark.parametrize("name", sorted(path.stem for path in HERE.glob("*.txt")))
def test_transcript(name: str, tmp_path: Path) -> None:
    text = (HERE / f"{name}.txt").read_text()
    assert list(written_anew(text, tmp_path)) == text.splitlines()


def write() -> None:
    for path in HERE.glob("*.txt"):
        with tempfile.TemporaryDirectory() as folder:
            path.write_text("".join(f"{line}\n" for line in written_anew(path.read_text(), Path(folder))))


if __name__ == "__main__":
    write()
