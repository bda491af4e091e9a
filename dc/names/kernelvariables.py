"""Where a kernel's variables lie, read off the header that declares them.

The emulated kernel has its variables one after the other in the order of its header, so that a program
can be compiled for it where no kernel runs.  Where those of another kernel lie its header does not say.
"""

from __future__ import annotations

from collections.abc import Iterator

from dc.names.catalog import Symbol
from dc.names.scopes import Scope

DATA_BASE = 0xFFFFFFFFFBC00000  # where illumos links unix`
OBJECTS = frozenset(("p0", "t0", "zone0"))  # lie among others of their kind, wherever the kernel has them
MODULE = "genunix"


def placed(scope: Scope, header: str) -> Iterator[Symbol]:
    """The variables of the emulated kernel that are not OBJECTS; `scope` has the types of `header`."""
    at = DATA_BASE
    for name in declared(header):
        type_ = scope.variable(name)
        if type_ is None or name in OBJECTS:
            continue
        at = -(-at // max(1, type_.align)) * max(1, type_.align)
        yield Symbol(name, MODULE, at, type_.size, str(type_))
        at += type_.size


def declared(header: str) -> Iterator[str]:
    """Names in `extern` declarations, one to a line."""
    for line in header.splitlines():
        if line.startswith("extern "):
            yield line.split(";")[0].split("[")[0].split()[-1].lstrip("*")
