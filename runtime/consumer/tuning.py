"""What the kernel changed in the options one asked for: buffer sizes lowered, rates moved."""

from __future__ import annotations

from collections.abc import Iterator

from dc.options import Options

_SIZES = {"bufsize": "buffer size", "aggsize": "aggregation size", "specsize": "speculation size",
          "dynvarsize": "dynamic variable size"}
_RATES = {"cleanrate": "cleaning rate", "statusrate": "status rate"}
_SECOND = 10 ** 9


class Tuning:
    """Made before tracing starts; `changes` afterwards."""

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
    """In the largest unit that divides it."""
    unit = 0
    while value >> 10 * (unit + 1) and unit < 6:
        unit += 1
    if unit and not value & (1 << 10 * unit) - 1:
        return f"{value >> 10 * unit}{' kmgtpe'[unit]}"
    return f"{value} bytes"


def _rate(interval: int) -> str:
    if interval <= _SECOND and _SECOND % interval == 0:
        return f"{_SECOND // interval} hz"
    if interval % _SECOND == 0:
        return f"once every {interval // _SECOND} seconds"
    return f"once every {interval} nanoseconds"
