"""dinstance(1): starts what runtime.instances.starting.dinstance does, as every command here is started."""

from __future__ import annotations

import sys

from dc import versions
from dof.commandline import Command, run
from runtime.command.machinelibraries import needs_machine

COMMAND = Command("dinstance", "serve --listen HOST:PORT [OPTION ...]", "",
                  f"D {versions.spell(versions.LATEST)}", ())


def main(argv: list[str] | None = None) -> int:
    """The command; returns its exit status."""
    return run(COMMAND, lambda words: needs_machine(_work, words), argv)


def _work(words: list[str]) -> int:
    from runtime.command.clickcommands import call
    from runtime.instances.starting.dinstance import dinstance

    return call(dinstance, words)


if __name__ == "__main__":
    sys.exit(main())
