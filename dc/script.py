"""Programs that a command line names: which there are, their text, and how their errors are reported.

dc and dtrace take programs by the same letters (-s, -P, -m, -f, -n, -i) and read them here.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

from dc.diagnostics import CompileError, as_data, render, texts
from dc.options import Options
from dif.records import NamedTuple
from dof.commandline import Failure, Section, Switch, read_text


def own_ids() -> dict[str, int]:
    """Return the values of the macro variables $pid, $uid and their like for this process."""
    return {"pid": os.getpid(), "ppid": os.getppid(), "pgid": os.getpgrp(), "sid": os.getsid(0),
            "uid": os.getuid(), "euid": os.geteuid(), "gid": os.getgid(), "egid": os.getegid(),
            "projid": 0, "taskid": 0}


# The switches that give programs; what each names is Request.kind.
_KINDS = {"-s": "script", "-P": "provider", "-m": "module", "-f": "function", "-n": "name", "-i": "name"}
PROGRAMS = Section("programs and probes", (
    Switch("-s", "a D program", "SCRIPT"),
    Switch("-n", "probes, and maybe a condition and actions: 'read:entry /pid == $1/ { trace(arg2); }'",
           "PROBES"),
    Switch("-P", "the same of a provider: 'syscall { @ = count(); }'", "PROBES"),
    Switch("-m", "the same of a module", "PROBES"),
    Switch("-f", "the same of a function", "PROBES"),
    Switch("-i", "the same of the number of a probe", "PROBE"),
))


class Request(NamedTuple):
    """A program to compile: `kind` is script, or which field of a description `text` ends with."""

    kind: str
    text: str

    @classmethod
    def of(cls, switch: str, value: str) -> Request | None:
        """What a switch of the command line asks for; None if it is none of PROGRAMS."""
        return cls(_KINDS[switch], value) if switch in _KINDS else None

    @property
    def is_script(self) -> bool:
        return self.kind == "script"

    @property
    def filename(self) -> str:
        """The script's path, "" for a description."""
        return self.text if self.is_script else ""

    @property
    def name(self) -> str:
        """How messages call it: a description is cropped where its actions begin."""
        if self.is_script:
            return self.text
        path, _, _ = self.text.partition(":")
        start = len(path) if "/" in path and path.strip() == path and not set(path) & set(" {;") else 0
        ends = [at for character in "{/;" if (at := self.text.find(character, start)) >= 0]
        return self.text[:min(ends, default=len(self.text))]

    @property
    def what(self) -> str:
        """What messages call its sort."""
        return "script" if self.is_script else "description"

    @property
    def specifier(self) -> int:
        """As the compiler takes it: one of Specifier."""
        from dc.source.specifiers import FIELDS, Specifier

        return Specifier.NAME if self.is_script else FIELDS.index(self.kind)


class Written(NamedTuple):
    """A request's program: the source as its author wrote it, the text as -C made it.

    `included` has the texts of the files that -C included, by their paths.
    """

    request: Request
    source: str
    text: str
    included: Mapping[str, str] = {}

    def failure(self, error: CompileError, options: Options, program: str) -> Failure:
        """A compilation's diagnostics as the report of a Failure of the command `program`."""
        context = f"failed to compile script {self.request.text}" if self.request.is_script else \
            f"invalid probe specifier {self.request.text}"
        return Failure(report(error, context, self, options, program), report=True)


def report(error: CompileError, context: str, written: Written, options: Options, program: str) -> str:
    """A compilation's diagnostics as the command `program` shows them, in whole lines.

    With -x oformat=json each is a JSON object.  Those without a context are warnings.
    """
    if options.choice("oformat") == "json":
        import json

        return "".join(json.dumps(each) + "\n" for each in diagnostics(error, written.request, bool(context)))
    return render(error.diagnostics, context, tags=options.is_on("errtags"),
                  source=texts(written.source, {**written.included, **error.texts}),
                  lines=written.request.is_script, colour=sys.stderr.isatty(), program=program,
                  preprocessed=texts(written.text) if written.text != written.source else None)


def diagnostics(error: CompileError, request: Request, failed: bool) -> list[dict[str, str | int | None]]:
    """A compilation's diagnostics as data, each once; they are warnings unless it failed."""
    return [as_data(each, request.filename, "error" if failed else "warning")
            for each in dict.fromkeys(error.diagnostics)]


def read(request: Request, options: Options, bits: int, program: str) -> Written:
    """The program of a request, a script preprocessed if -C says so; undecodable bytes survive.

    `bits` are those of the data model.  Raises Failure of the command `program`.
    """
    if not request.is_script:
        return Written(request, request.text, request.text)
    source = read_text(request.text)
    if not options.is_on("cpp"):
        return Written(request, source, source)
    from dc.source.preprocessor import preprocess

    included: dict[str, str] = {}
    try:
        path = "" if request.text == "-" else request.text
        return Written(request, source, preprocess(source, path, options, bits, included), included)
    except CompileError as error:
        raise Written(request, source, source, included).failure(error, options, program) from None
