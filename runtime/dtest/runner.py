"""One D test: its command line, the run, and the verdict."""

from __future__ import annotations

import os
import shlex
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from dif.records import NamedTuple, Record
from runtime.api.results import parse
from runtime.command.preloaded import Preloaded
from runtime.dtest.cases import Case
from runtime.dtest.header import Header, HeaderError, read_header
from runtime.dtest.judging import (
    FAIL,
    PASS,
    SKIP,
    Problem,
    Verdict,
    judge_lines,
    judge_outputs,
    judge_status,
    judge_trace,
)
from runtime.dtest.processes import Processes, Result, Start
from runtime.dtest.programs import BuildError, Skip, Workshop

OWN = shlex.join([sys.executable, "-P", "-m", "runtime.command"])  # not what lies in a test's directory
COMPANION_PID = "101"  # the first process that a machine starts beside dtrace itself
SKIPPED = 77  # the exit status by which a shell test says that it cannot run here, as Automake's tests do
_FLAGS = {"err": ["-xerrtags"], "drp": ["-xdroptags"]}
# What stays of the environment of dtest itself: where programs and temporary files are, and what compilers
# and Python are told.
_KEPT = ("PATH", "HOME", "TMPDIR", "CC")
_KEPT_LEADS = ("PYTHON", "DTRACE_")


class Settings(NamedTuple):
    """How tests are run.

    `dtrace` is a command line, "" for the suite's own; `options` are for -x, of every run.  `environment` is
    clean, or host: then tests have the environment of dtest.  `root` is the directory that programs see,
    none, or "" for the host's files.
    """

    dtrace: str = ""
    options: tuple[str, ...] = ()
    environment: str = "clean"
    root: str = ""
    limit: float = 300.0
    keep: bool = False  # what was printed, and compare it with nothing


class Done(NamedTuple):
    """A verdict, and what the test printed if that is to be kept."""

    verdict: Verdict
    result: Result | None = None


class Runner(Record):
    """Runs tests.  `folder` is for what is made meanwhile; its name has no space."""

    folder: Path
    settings: Settings
    processes: Processes
    environment: Mapping[str, str]
    workshop: Workshop

    @classmethod
    def at(cls, folder: Path, settings: Settings, host: Mapping[str, str] | None = None, *,
           many: bool = False) -> Runner:
        """A runner whose tests get what they need of the environment `host`, by default the process's.

        For many tests the suite's own command is loaded once.
        """
        environment = environment_of(os.environ if host is None else host, settings)
        command = folder / "dtrace"
        options = [word for option in _options(settings) for word in ("-x", option)]
        command.write_text(f'#!/bin/sh\nexec {settings.dtrace or OWN} {shlex.join(options)} "$@"\n')
        command.chmod(0o755)
        processes = Processes(
            {str(command): _preloaded(environment, options)} if many and not settings.dtrace else None)
        workshop = Workshop(folder, str(command), environment, processes, settings.limit)
        return cls(folder, settings, processes, environment, workshop)

    def run(self, case: Case) -> Done:
        """Run a test."""
        result: Result | None = None
        start = time.monotonic()
        try:
            header = read_header(case.path.read_bytes()) if not case.is_script else None
            result = self._run(case, header or Header())
            reason = PASS, "", ""
        except Problem as problem:
            reason = FAIL, problem.reason, problem.detail
        except Skip as skip:
            reason = SKIP, str(skip), ""
        except BuildError as error:
            first, _, rest = str(error).partition("\n")
            reason = FAIL, first, rest
        except (HeaderError, OSError) as error:
            reason = FAIL, str(error), ""
        verdict, line, detail = reason
        kept = result if self.settings.keep else None
        return Done(Verdict(case.name, verdict, line, detail, time.monotonic() - start), kept)

    def _run(self, case: Case, header: Header) -> Result:
        """The run, and a second one if its data are asked for.  Raises Problem, Skip, BuildError."""
        result = self._executed(case, header, [])
        if self.settings.keep:
            return result
        judge_outputs(case, result)
        judge_lines(header, result)
        if not header.firings and not header.aggregations:
            return result
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            file = Path(folder) / "trace"
            self._executed(case, header, ["--json", "-o", str(file)])
            with file.open("rb") as lines:
                try:
                    judge_trace(header, parse(lines))
                except ValueError as error:
                    raise Problem(str(error)) from None
        return result

    def _executed(self, case: Case, header: Header, extra: list[str]) -> Result:
        """Run the command and look at its status.  Raises Problem, Skip, BuildError."""
        limit = header.time_limit or self.settings.limit
        if case.is_script:
            argv, data = ["sh", "-s", self.workshop.dtrace], case.path.read_bytes()
        else:
            argv, data = [self.workshop.dtrace, *extra, *self._words(case, header)], header.input.encode()
        result = self.processes.run(argv, str(case.path.parent), self.environment, limit, data)
        if case.is_script and result.status == SKIPPED:
            raise Skip((result.err or result.out).decode("utf-8", "replace").strip().rpartition("\n")[2] or
                       f"it says so itself ({SKIPPED})")
        judge_status(case, header, result, limit)
        return result

    def _words(self, case: Case, header: Header) -> list[str]:
        """The command line of a test's dtrace, without the command."""
        words = [*_FLAGS.get(case.kind, [])]
        if "preprocessor" in case.path.parent.name:
            words.append("-C")
        macros = list(header.macros)
        seen: list[str] = []
        companion = self.workshop.companion(case) if not header.program else ""
        if companion:
            words += ["-x", f"spawn={shlex.quote(companion)}"]
            macros.insert(0, COMPANION_PID)
            seen.append(companion)
        if header.program:
            program = self.workshop.program(case, header)
            words += ["-c", shlex.join([program, *header.arguments])]
            seen.append(program)
        for option in header.options:
            words += ["-x", option]
        for name, value in header.environment.items():
            words += ["-x", f"setenv={name}={value}"]
        if self.settings.root:
            for path in (*filter(os.path.isabs, seen), str(case.path.parent)):
                words += ["-x", f"file={path}"]
        return [*words, "-s", case.path.name, *macros]


def environment_of(host: Mapping[str, str], settings: Settings) -> dict[str, str]:
    """The environment of a test's own commands."""
    kept = {name: value for name, value in host.items()
            if settings.environment == "host" or name in _KEPT or name.startswith(_KEPT_LEADS)}
    kept = {name: value for name, value in kept.items() if not name.startswith("DTRACE_DOF")}
    return {"PATH": os.defpath} | kept | {"TZ": "Etc/UTC", "LC_ALL": "C.UTF-8"}


def _preloaded(environment: Mapping[str, str], options: Sequence[str]) -> Start:
    """Return what starts dtrace with these options before others."""
    commands = Preloaded(environment)
    return lambda argv, *rest: commands.start(["dtrace", *options, *argv[1:]], *rest)


def _options(settings: Settings) -> list[str]:
    """The -x options of every run."""
    root = [f"root={settings.root}"] if settings.root else []
    clean = ["env=clean"] if settings.environment == "clean" else []
    return [*clean, *root, *settings.options]
