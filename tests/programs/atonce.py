"""Commands of the suite for tests that run many: they begin at once (runtime.command.preloaded)."""

from __future__ import annotations

import functools
import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence

from runtime.command.preloaded import Preloaded


@functools.cache
def _commands() -> Preloaded:
    return Preloaded(os.environ)


def run(argv: Sequence[object], *, check: bool = False, seconds: float = 120,
        variables: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """Run a command, "dtrace" or another, with the environment that this process has at the first.

    `variables` are set besides, when modules are loaded already.  Raises CalledProcessError, if that is
    asked for, and TimeoutExpired.
    """
    with open(os.devnull, "rb") as nothing, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        started = _commands().start(list(map(str, argv)), os.getcwd(), (nothing, out, err), variables)
        try:
            status = started.wait(seconds)
        except subprocess.TimeoutExpired:
            os.killpg(started.pid, 9)
            raise
        out.seek(0)
        err.seek(0)
        done = subprocess.CompletedProcess(list(argv), status, out.read().decode(errors="replace"),
                                           err.read().decode(errors="replace"))
    if check:
        done.check_returncode()
    return done
