"""What the installed commands begin with.

A command takes care of interrupts itself, once it is loaded.  Before that, in the first tenth of a second,
Ctrl-C would show a traceback.  When a command has done its work, its process ends at once.
"""

from __future__ import annotations

import atexit
import gc
import os
import sys
from collections.abc import Callable

from runtime.command.codecache import CodeCache

GARBAGE = 100_000  # objects made before garbage is looked for: most live until a command ends


def _begins(work: Callable[[], int]) -> Callable[[], int]:
    def begin() -> int:
        gc.set_threshold(GARBAGE)
        cache = CodeCache(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
        cache.install()
        try:
            status = work()
            cache.add_loaded()
        except KeyboardInterrupt:
            status = 128 + 2  # as a shell calls the end by SIGINT
        return _end(status)
    return begin


def _end(status: int) -> int:
    """End the process: all is written, and freeing every object would be a sixth of what a short run takes.

    Returns the status if there are other threads, which the interpreter waits for.
    """
    threading = sys.modules.get("threading")
    if threading is not None and threading.active_count() > 1:
        return status
    atexit._run_exitfuncs()
    try:
        sys.stderr.flush()
    finally:
        os._exit(status)


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
