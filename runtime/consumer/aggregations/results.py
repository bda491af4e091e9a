"""The value of one aggregation entry: a number or a distribution."""

from __future__ import annotations

from math import isqrt

from dif.limits import MASK
from dif.records import Record
from dof.model import ACTION_NAMES, ActionKind
from runtime.border import RecDesc
from runtime.consumer.aggregations.quantize import DISTRIBUTIONS, divide
from runtime.consumer.events.settings import Settings

_DISTRIBUTION = {ActionKind.AGG_QUANTIZE: "quantize", ActionKind.AGG_LQUANTIZE: "lquantize",
                 ActionKind.AGG_LLQUANTIZE: "llquantize"}


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
    squares = (words[3] & MASK) << 64 | words[2] & MASK
    mean = divide(divide(total, normal), count)
    return isqrt(max(squares // normal // normal // (count & MASK) - mean * mean, 0))


class Aggregated(Record):
    """The value of one aggregation entry: the aggregating record, its words (signed), its normalization."""

    record: RecDesc
    words: tuple[int, ...]
    normal: int = 1

    def __repr__(self) -> str:
        name = ACTION_NAMES[self.record.action].removeprefix("agg_")
        buckets = self.record.action in _DISTRIBUTION
        return f"<{name} of {len(self.words)} words>" if buckets else f"<{name} {self.scalar}>"

    @property
    def scalar(self) -> int:
        """The number the entry shows (of a distribution the first word, which means nothing)."""
        if self.record.action == ActionKind.AGG_AVG:
            return average(self.words, self.normal)
        if self.record.action == ActionKind.AGG_STDDEV:
            return deviation(self.words, self.normal)
        return divide(self.words[0], self.normal)

    def scalar_bytes(self) -> bytes:
        """The number, normalized already, as eight bytes: what a printa() conversion shows."""
        return (self.scalar & MASK).to_bytes(8, "little")

    def distribution(self, settings: Settings) -> bytes:
        """The distribution as text.  Raises AnswerError when the data do not fit the action."""
        return DISTRIBUTIONS[_DISTRIBUTION[self.record.action]](self.words, self.normal, settings)
