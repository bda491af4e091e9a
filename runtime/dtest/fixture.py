"""What pytest's fixture `dtrace` does: a run of dtrace(1), whose results are Python objects."""

from __future__ import annotations

import json
import os
import shlex
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from dif.records import Record
from runtime.api.results import Firing, Key, Traced, parse
from runtime.dtest.processes import Processes
from runtime.dtest.runner import OWN, Settings, environment_of

_SHOWN = 10  # lines of standard error in a message


class Run(Record):
    """A run that has ended.  `stdout` is what the programs printed, `stderr` dtrace's messages as well."""

    status: int
    stdout: str
    stderr: str
    trace: Traced

    @property
    def firings(self) -> list[Firing]:
        """The firings of clauses that recorded something, in their order."""
        return self.trace.firings

    @property
    def printed(self) -> str:
        """What printf() showed."""
        return "".join(each.text for each in self.firings)

    def aggregation(self, name: str = "") -> dict[Key, object]:
        """The entries of `@name`, or of the only aggregation there is: see Traced.aggregation."""
        return self.trace.aggregation(name)


class Dtrace:
    """Runs dtrace(1); what it needs to write is in `folder`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __call__(self, program: str | Path, command: Sequence[str] | str = (), *,
                 arguments: Sequence[str] = (), options: Sequence[str] = (), input: str | bytes = "",
                 environment: Mapping[str, str] | None = None, cwd: str | Path | None = None,
                 timeout: float = 60.0, strict: bool = True, check: bool = True) -> Run:
        """Trace with a D program, given as text or as the path of a script.

        `arguments` are $1, $2, ...; `options` those of -x; `environment` is set besides a small one that is
        always the same.  With `strict`, errors, drops and descriptions without probes are failures; with
        `check`, every status but 0 is.  `timeout` is in seconds.
        """
        __tracebackhide__ = True
        folder = Path(tempfile.mkdtemp(dir=self._folder, prefix="dtrace-"))
        output = folder / "trace.json"
        words = [*shlex.split(OWN), "-q", "--json", "-o", str(output), "-x", "env=clean"]
        if isinstance(program, str) and "\n" in program:
            text, program = program, folder / "program.d"
            program.write_text(text)
        words += ["-s", os.path.abspath(program)] if isinstance(program, Path) else ["-n", program]
        for option in (*options, *(["strict"] if strict else [])):
            words += ["-x", option]
        for name, value in (environment or {}).items():
            words += ["-x", f"setenv={name}={value}"]
        if command:
            words += ["-c", command if isinstance(command, str) else shlex.join(command)]
        data = input.encode() if isinstance(input, str) else input
        result = Processes().run([*words, *arguments], str(cwd or os.getcwd()),
                                 environment_of(os.environ, Settings()), timeout, data)
        said = result.err.decode("utf-8", "replace")
        try:
            trace = parse(output.read_bytes().splitlines() if output.exists() else ())
        except ValueError as error:  # it was ended within a line, say
            trace, said = Traced(), f"{said}{error}\n"
        if result.status is None:
            _fail(f"dtrace took longer than {timeout:g} s", said, trace)
        if result.status and check:
            _fail(f"dtrace ended with status {result.status}", said, trace)
        return Run(result.status or 0, result.out.decode("utf-8", "replace"), said, trace)


def _fail(what: str, said: str, trace: Traced) -> None:
    """Fail with what dtrace says went wrong, in few lines."""
    __tracebackhide__ = True
    lines = [*map(_told, said.splitlines()), *trace.errors, *trace.places, *trace.drops]
    more = ["  ..."] if len(lines) > _SHOWN else []
    pytest.fail("\n".join([what, *(f"  {line}" for line in lines[:_SHOWN]), *more]), pytrace=False)


def _told(line: str) -> str:
    """A line of standard error; a mistake of the program in words, which is JSON there."""
    try:
        mistake = json.loads(line)
        hint = f" ({mistake['hint']})" if mistake["hint"] else ""
        return f"{mistake['file'] or 'program'}:{mistake['line']}: {mistake['message']}{hint}"
    except (ValueError, KeyError, TypeError):
        return line
