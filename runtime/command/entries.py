"""What the installed commands begin with.

A command takes care of interrupts itself, once it is loaded.  Before that, in the first tenth of a second,
Ctrl-C would show a traceback.
"""

from __future__ import annotations

from collections.abc import Callable


def _begins(work: Callable[[], int]) -> Callable[[], int]:
    def begin() -> int:
        try:
            return work()
        except KeyboardInterrupt:
            return 128 + 2  # as a shell calls the end by SIGINT
    return begin


@_begins
def dc() -> int:
    from dc.command import main

    return main()


@_begins
def difas() -> int:
    from dof.command import assemble_main

    return assemble_main()


@_begins
def difdis() -> int:
    from dof.command import disassemble_main

    return disassemble_main()


@_begins
def dtrace() -> int:
    from runtime.command.command import main

    return main()


@_begins
def sdt_dtrace() -> int:
    from runtime.command.sdtdtrace import main

    return main()


@_begins
def dinstance() -> int:
    from runtime.command.dinstance import main

    return main()


@_begins
def dtest() -> int:
    from runtime.command.dtest import main

    return main()
