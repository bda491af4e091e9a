"""The options of a tracing session: dc.options' table and values, while a kernel has a say in them."""

from __future__ import annotations

from collections.abc import Iterable

from dc.options import OptionError, Options
from dof.options import BY_ID, TABLE, UNSET, Phase


def set_while_tracing(options: Options, name: str, text: str | None) -> None:
    """Set an option once tracing has begun: run-time options come too late.  Raises OptionError."""
    option = TABLE.get(name)
    if option is not None and option.phase == Phase.RUNTIME:
        raise OptionError("Option has to be set before tracing begins")
    options.set(name, text)


def reload(options: Options, kernel: Iterable[tuple[int, int]]) -> None:
    """Take over what the kernel made of the options: (DTRACEOPT_* number, value) of each."""
    for number, value in kernel:
        option = BY_ID.get(number)
        if option is not None:
            signed = value - (1 << 64) if value >> 63 else value
            options.values[option.name] = signed if signed >= 0 else UNSET
