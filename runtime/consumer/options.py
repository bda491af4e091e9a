"""The options of a session while a kernel has a say in them: when they may be set, what it makes of them.

The options are dof.options' table, their values dc.options'.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dc.options import OptionError, Options
from dif.limits import SECOND
from dof.options import BY_ID, TABLE, UNSET, Phase

_SIZES = {"bufsize": "buffer size", "aggsize": "aggregation size", "specsize": "speculation size",
          "dynvarsize": "dynamic variable size"}
_RATES = {"cleanrate": "cleaning rate", "statusrate": "status rate"}


def set_while_tracing(options: Options, name: str, text: str | None) -> None:
    """Set an option once tracing has begun: run-time options come too late.  Raises OptionError."""
    option = TABLE.get(name)
    if option is not None and option.phase == Phase.RUNTIME:
        raise OptionError("Option has to be set before tracing begins")
    options.set(name, text)


def reload(options: Options, kernel: Iterable[tuple[int, int]]) -> None:
    """Take over what the kernel made of the options: (DTRACEOPT_* number, value) of each.

    It has a say in those that are decided before tracing begins, and in no others.
    """
    for number, value in kernel:
        option = BY_ID.get(number)
        if option is not None and option.phase == Phase.RUNTIME:
            signed = value - (1 << 64) if value >> 63 else value
            options.values[option.name] = signed if signed >= 0 else UNSET


class Tuning:
    """What the kernel changed in the options: buffer sizes lowered, rates moved.

    It is made before tracing starts, and asked for `changes` afterwards.
    """

    def __init__(self, options: Options) -> None:
        self._options = options
        self._asked = {name: options.number(name, 0) for name in (*_SIZES, *_RATES) if options.is_on(name)}

    def changes(self) -> Iterator[str]:
        """A line for each difference."""
        for name, asked in self._asked.items():
            got = self._options.number(name, 0)
            if not got:
                continue
            if name in _SIZES and got < asked - 8:
                yield f"{_SIZES[name]} lowered to {_size(got)}"
            elif name in _RATES and got != asked:
                yield f"{_RATES[name]} {'reduced' if got > asked else 'increased'} to {_rate(got)}"


def _size(value: int) -> str:
    """A number of bytes as text, in the largest unit that divides it."""
    unit = 0
    while value >> 10 * (unit + 1) and unit < 6:
        unit += 1
    if unit and not value & (1 << 10 * unit) - 1:
        return f"{value >> 10 * unit}{' kmgtpe'[unit]}"
    return f"{value} bytes"


def _rate(interval: int) -> str:
    if interval <= SECOND and SECOND % interval == 0:
        return f"{SECOND // interval} hz"
    if interval % SECOND == 0:
        return f"once every {interval // SECOND} seconds"
    return f"once every {interval} nanoseconds"
