"""Numbers out of record bytes, and the value of one aggregation entry."""

from __future__ import annotations

from math import isqrt

from dif.records import Record
from dof.model import ActionKind
from runtime.border import RecDesc
from runtime.consumer.aggregations.quantize import DISTRIBUTIONS, BadDistribution, divide
from runtime.consumer.events.errors import RecordError
from runtime.consumer.events.settings import Settings

_DISTRIBUTION = {ActionKind.AGG_QUANTIZE: "quantize", ActionKind.AGG_LQUANTIZE: "lquantize",
                 ActionKind.AGG_LLQUANTIZE: "llquantize"}
_MASK = (1 << 64) - 1


def number(data: bytes, signed: bool = False) -> int:
    """A little-endian integer of 1, 2, 4 or 8 bytes.  Raises RecordError for another size."""
    if len(data) not in (1, 2, 4, 8):
        raise RecordError(f"{len(data)} bytes where an integer was expected")
    return int.from_bytes(data, "little", signed=signed)


def scalar(data: bytes, normal: int, signed: bool = True) -> int:
    """An integer divided by a normalization, as C divides."""
    value = number(data, signed)
    return value if normal == 1 else divide(value, normal)


def bucketed(action: int) -> bool:
    """Whether an aggregating action yields a distribution rather than a number."""
    return action in _DISTRIBUTION


def distribution_name(action: int) -> str | None:
    """`quantize`, `lquantize`, `llquantize`, or None."""
    return _DISTRIBUTION.get(action)


def average(words: tuple[int, ...], normal: int) -> int:
    """avg(): words are count and sum."""
    return divide(divide(words[1], normal), words[0]) if words[0] else 0


def deviation(words: tuple[int, ...], normal: int) -> int:
    """stddev(): words are count, sum, and the low and high half of the sum of squares."""
    count, total = words[0], words[1]
    if not count:
        return 0
    squares = (words[3] & _MASK) << 64 | words[2] & _MASK
    mean = divide(divide(total, normal), count)
    return isqrt(max(squares // normal // normal // (count & _MASK) - mean * mean, 0))


class Aggregated(Record):
    """The value of one aggregation entry: the aggregating record, its words (signed), its normalization."""

    record: RecDesc
    words: tuple[int, ...]
    normal: int = 1

    @property
    def scalar(self) -> int:
        """The number the entry shows (the first word of a distribution is meaningless here)."""
        if self.record.action == ActionKind.AGG_AVG:
            return average(self.words, self.normal)
        if self.record.action == ActionKind.AGG_STDDEV:
            return deviation(self.words, self.normal)
        return divide(self.words[0], self.normal)

    def scalar_bytes(self) -> bytes:
        """The number, normalized already, as eight bytes: what a printa() conversion shows."""
        return (self.scalar & _MASK).to_bytes(8, "little")

    def distribution(self, settings: Settings) -> bytes:
        """The distribution as text.  Raises RecordError when the data do not fit the action."""
        try:
            return DISTRIBUTIONS[_DISTRIBUTION[self.record.action]](self.words, self.normal, settings)
        except BadDistribution as error:
            raise RecordError(str(error)) from None
