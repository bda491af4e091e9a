"""Debug information in compressed sections, of either form."""

from __future__ import annotations

from dof.elf import ElfError
from tests.fuzz import debugging, layouts
from tests.fuzz.engine import Target
from tests.fuzz.mutation import blind, fields, mixed


def target() -> Target:
    return Target(debugging.ask, (ElfError,), mixed((6, fields(layouts.elf)), (1, blind)))
