"""dtest(1): starts what runtime.dtest.dtest does, as every command here is started."""

from __future__ import annotations

import signal
import sys

from dc import versions
from dof.commandline import Command, run
from runtime.command.machinelibraries import needs_machine

COMMAND = Command("dtest", "[OPTION ...] [PATH ...]", "",
                  f"D {versions.spell(versions.LATEST)}", ())


def main(argv: list[str] | None = None) -> int:
    """The command; returns its exit status."""
    if argv is None:
        for number in (signal.SIGTERM, signal.SIGHUP):  # which end all tests that run, as Ctrl-C does
            if signal.getsignal(number) is signal.SIG_DFL:
                signal.signal(number, _leave)
    return run(COMMAND, lambda words: needs_machine(_work, words), argv)


def _work(words: list[str]) -> int:
    from runtime.command.clickcommands import call
    from runtime.dtest.dtest import dtest

    return call(dtest, words)


def _leave(number: int, _frame: object) -> None:
    raise SystemExit(128 + number)


if __name__ == "__main__":
    sys.exit(main())
