"""The emulated kernel's header, dc/lib/kernel.h: its types, and where its variables lie.

The kernel lays its objects out by this header, and the compiler reads it where no kernel runs.
The variables lie one after the other in the order of the header, so that a program can be compiled
for the kernel without it.  The header of another kernel does not say where its variables lie.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from dc.names.catalog import Symbol
from dc.names.libraryfiles import OWN_DIRECTORY
from dc.types.headers import header_types
from dc.types.scopes import Scope
from dc.types.types import Model

KERNEL_HEADER = os.path.join(OWN_DIRECTORY, "kernel.h")
DATA_BASE = 0xFFFFFFFFFBC00000  # where illumos links unix`
OBJECTS = frozenset(("p0", "t0", "zone0"))  # lie among others of their kind, wherever the kernel has them
MODULE = "genunix"
MODULES = (MODULE, "unix")  # either name qualifies the kernel's types


def kernel_header() -> str:
    """The text of dc/lib/kernel.h."""
    with open(KERNEL_HEADER, encoding="utf-8") as file:
        return file.read()


def kernel_types(text: str, model: int = Model.LP64, filename: str = "kernel.h") -> Scope:
    """The types and variables of a kernel's header, each parsed when a program asks for it."""
    scope = header_types(text, model, name=MODULE, filename=filename)
    scope.modules.update(dict.fromkeys(MODULES, scope))
    return scope


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
