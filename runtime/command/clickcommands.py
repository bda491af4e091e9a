"""Commands that click takes apart end as all commands here do."""

from __future__ import annotations

import click

from dof.commandline import Failure, Usage


def call(command: click.Command, words: list[str]) -> int:
    """Do what the command line says; return the status.  Raises Usage, Failure, KeyboardInterrupt, OSError.

    (click's own `main` would end the process where the reader of the output has gone away.)
    """
    try:
        with command.make_context(command.name, list(words)) as context:
            status = command.invoke(context)
        return status if isinstance(status, int) else 0
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.UsageError as error:
        raise Usage(error.format_message()) from None
    except click.ClickException as error:
        raise Failure(error.format_message()) from None
    except click.Abort:
        raise KeyboardInterrupt from None
