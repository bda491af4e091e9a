"""What the modes of dtrace(1) share: its name, how it fails, its scripts and options."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dc.diagnostics import CompileError
    from dc.options import Options
    from runtime.arguments import Arguments, Request

PROGRAM = "dtrace"


class Failure(Exception):
    """Why the command ends with status 1, in one line."""


def read_script(request: Request) -> str:
    """A script's text; undecodable bytes survive.  Raises Failure."""
    try:
        with open(request.text, encoding="utf-8", errors="surrogateescape") as file:
            return file.read()
    except OSError as error:
        raise Failure(f"failed to open {request.text}: {error.strerror}") from None
    except ValueError:
        raise Failure(f"failed to open {request.text!r}: not a file name") from None


def compile_failure(request: Request, error: CompileError, source: str, options: Options) -> Failure:
    """A compilation's diagnostics as the message of a Failure."""
    from dc.diagnostics import render, texts

    script = request.kind == "script"
    context = f"failed to compile script {request.text}" if script else \
        f"invalid probe specifier {request.text}"
    text = render(error.diagnostics, context, source=texts(source), tags=options.is_on("errtags"),
                  lines=script, colour=sys.stderr.isatty(), program=PROGRAM)
    return Failure(text.rstrip("\n").removeprefix(f"{PROGRAM}: "))


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
