"""What the modes of dtrace(1) share: its name, how it fails, its scripts and options."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING

from dif.records import NamedTuple

if TYPE_CHECKING:
    from dc.diagnostics import CompileError
    from dc.options import Options
    from runtime.command.arguments import Arguments, Request

PROGRAM = "dtrace"


class Failure(Exception):
    """Why the command ends with status 1, in one line."""


class Written(NamedTuple):
    """A request's program: the source as its author wrote it, the text as -C made it."""

    request: Request
    source: str
    text: str

    def failure(self, error: CompileError, options: Options) -> Failure:
        """A compilation's diagnostics as the message of a Failure."""
        from dc.diagnostics import render, texts
        from dc.source.preprocessor import line_after

        script = self.request.kind == "script"
        context = f"failed to compile script {self.request.text}" if script else \
            f"invalid probe specifier {self.request.text}"
        text = render(error.diagnostics, context, source=texts(self.source), tags=options.is_on("errtags"),
                      lines=script, colour=sys.stderr.isatty(), program=PROGRAM,
                      preprocessed=None if self.text == self.source else partial(line_after, self.text))
        return Failure(text.rstrip("\n").removeprefix(f"{PROGRAM}: "))


def read(request: Request, options: Options, bits: int | None) -> Written:
    """The program of a request, scripts preprocessed if -C says so; undecodable bytes survive.

    Raises Failure.
    """
    if request.kind != "script":
        return Written(request, request.text, request.text)
    try:
        with open(request.text, encoding="utf-8", errors="surrogateescape") as file:
            source = file.read()
    except OSError as error:
        raise Failure(f"failed to open {request.text}: {error.strerror}") from None
    except ValueError:
        raise Failure(f"failed to open {request.text!r}: not a file name") from None
    if not options.is_on("cpp"):
        return Written(request, source, source)
    from dc.diagnostics import CompileError
    from dc.source.preprocessor import preprocess

    try:
        return Written(request, source, preprocess(source, request.text, options, bits or 64))
    except CompileError as error:
        raise Written(request, source, source).failure(error, options) from None


def options_of(arguments: Arguments) -> Options:
    """The command line's options.  Raises Failure for one that the table refuses."""
    from dc.options import OptionError, Options

    options = Options()
    for name, value, spelling in arguments.options:
        try:
            options.set(name, value)
        except OptionError as error:
            raise Failure(f"failed to set {spelling}: {error}") from None
    return options
