"""Distributions as text: quantize(), lquantize(), llquantize(), histograms, packed lines.

Bar lengths are computed in exact integers (the field's consumers use long doubles, which agree).
All functions return bytes, ready to write.  Values are signed 64-bit integers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dif.records import Record
from runtime.consumer.events.errors import AnswerError
from runtime.consumer.events.settings import Settings

NBUCKETS = 127  # DTRACE_QUANTIZE_NBUCKETS
ZERO_BUCKET = 63
BAR = 40  # columns
ZOOM = (1 / 0.95).as_integer_ratio()  # `aggzoom`: the highest bar takes 95 % of the height
_LARGEST_BOUND = 4096  # bits of what a bucket begins with: some programs ask for orders that no value has
_MOST_BUCKETS = 1 << 20
_HEADER = b"------------- Distribution -------------"


class BadDistribution(AnswerError):
    """The data are not what the aggregating action says they are."""


class Scale(Record, frozen=True):
    """What 100 % is (`total` in parts of which `unit` make 1), and which signs occur in the data."""

    total: int
    positives: bool
    negatives: bool
    unit: int = 1

    def share(self, value: int, width: int) -> int:
        """How much of `width` a value takes, rounded."""
        return (2 * abs(value) * width * self.unit + self.total) // (2 * self.total) if value else 0


def scale_of(values: Sequence[int], zoom: bool) -> Scale:
    """The scale for drawing `values` as bars of one picture."""
    sizes = [abs(value) for value in values]
    total, unit = (max(sizes, default=0) * ZOOM[0], ZOOM[1]) if zoom else (sum(sizes), 1)
    return Scale(total, any(v > 0 for v in values), any(v < 0 for v in values), unit)


def divide(value: int, divisor: int) -> int:
    """C's signed division, towards zero."""
    quotient = abs(value) // abs(divisor)
    return quotient if (value < 0) == (divisor < 0) else -quotient


def _utf8_bar(value: int, scale: Scale) -> bytes:
    """A bar in eighths of a column (U+2588 full, U+258F to U+2589 partial)."""
    whole, partial = divmod(abs(value) * BAR * 8 * scale.unit // scale.total, 8)
    bar = "█" * whole + (chr(0x258F - (partial - 1)) if partial else "")
    return bar.encode() + b" " * (BAR - len(bar))


def bar(value: int, scale: Scale, normal: int, utf8: bool = False) -> bytes:
    """One line's bar and count, newline included."""
    count = b" %-9d\n" % divide(value, normal)
    if not scale.negatives:
        if scale.positives and utf8:
            return b"|" + _utf8_bar(value, scale) + count
        depth = scale.share(value, BAR) if scale.positives else 0
        return b"|" + (b"@" * depth).ljust(BAR) + count
    if not scale.positives:
        return (b"@" * scale.share(value, BAR)).rjust(BAR) + b"|" + count
    half = BAR // 2
    marks = b"@" * scale.share(value, half)
    left, right = (marks, b"") if value <= 0 else (b"", marks)
    return left.rjust(half) + b"|" + right.ljust(half) + count


def bucket_value(index: int) -> int:
    """The lower bound of a quantize() bucket (the upper one for negative buckets)."""
    if index < ZERO_BUCKET:
        return -(1 << (ZERO_BUCKET - 1 - index))
    return 0 if index == ZERO_BUCKET else 1 << (index - ZERO_BUCKET - 1)


class Linear(Record, frozen=True):
    """The parameters of lquantize(), from the first word of its data."""

    base: int
    step: int
    levels: int

    @classmethod
    def decode(cls, word: int) -> Linear:
        """From step << 48 | levels << 32 | base (32 bits, signed).  Raises BadDistribution."""
        base, step = word & 0xFFFFFFFF, word >> 48 & 0xFFFF
        if not step:
            raise BadDistribution("invalid lquantize() parameters")
        return cls(base - (1 << 32) if base >> 31 else base, step, word >> 32 & 0xFFFF)

    def bounds(self) -> Iterator[int]:
        """The lower bound of each bucket but the first, which holds what is below the base."""
        return iter(range(self.base, self.base + self.step * (self.levels + 1), self.step))


class LogLinear(Record, frozen=True):
    """The parameters of llquantize(), from the first word of its data."""

    factor: int
    low: int
    high: int
    steps: int

    @classmethod
    def decode(cls, word: int) -> LogLinear:
        """From factor << 48 | low << 32 | high << 16 | steps."""
        return cls(word >> 48 & 0xFFFF, word >> 32 & 0xFFFF, word >> 16 & 0xFFFF, word & 0xFFFF)

    def bounds(self) -> Iterator[int]:
        """The lower bound of each bucket but the first; the last one is the overflow bucket."""
        if self.factor < 2 or self.low > self.high or not self.steps or self.factor > self.steps \
                or self.factor.bit_length() * (self.high + 1) > _LARGEST_BOUND \
                or (self.high - self.low + 1) * self.steps > _MOST_BUCKETS:
            raise BadDistribution("invalid llquantize() parameters")
        value = self.factor ** self.low
        for order in range(self.low, self.high + 1):
            above = self.factor ** (order + 1)
            step = max(above // self.steps, 1)
            while value < above:
                yield value
                value += step
        yield value


def _span(values: Sequence[int], empty: tuple[int, int]) -> tuple[int, int]:
    """First and last bucket to show: those with data and one on either side."""
    used = [n for n, value in enumerate(values) if value]
    if not used:
        return empty
    return max(used[0] - 1, 0), min(used[-1] + 1, len(values) - 1)


def _draw(labels: Sequence[str], values: Sequence[int], span: tuple[int, int], normal: int,
          settings: Settings) -> bytes:
    shown = range(span[0], span[1] + 1)
    scale = scale_of([values[n] for n in shown], settings.is_set("aggzoom"))
    lines = [b"%16s " % labels[n].encode() + bar(values[n], scale, normal, settings.bars_utf8)
             for n in shown]
    return header() + b"".join(lines)


def header(key_width: int = 0) -> bytes:
    """The heading of a distribution, or (with a key width) of a histogram of keys."""
    return b"\n%*s %41s %-9s\n" % (key_width or 16, b"key" if key_width else b"value", _HEADER, b"count")


def _quantize(values: Sequence[int], normal: int, settings: Settings) -> bytes:
    if len(values) != NBUCKETS:
        raise BadDistribution("quantize() data has the wrong size")
    span = _span(values, (ZERO_BUCKET - 1, ZERO_BUCKET + 1))
    return _draw([str(bucket_value(n)) for n in range(NBUCKETS)], values, span, normal, settings)


def _lquantize(values: Sequence[int], normal: int, settings: Settings) -> bytes:
    linear, data = Linear.decode(values[0]), values[1:]
    if len(data) != linear.levels + 2:
        raise BadDistribution("lquantize() data has the wrong size")
    labels = [str(bound) for bound in linear.bounds()]
    labels = [f"< {linear.base}", *labels[:-1], f">= {labels[-1]}"]
    return _draw(labels, data, _span(data, (0, 2)), normal, settings)


def _llquantize(values: Sequence[int], normal: int, settings: Settings) -> bytes:
    data = values[1:]
    labels = [str(bound) for bound in LogLinear.decode(values[0]).bounds()]
    if len(labels) + 1 != len(data):
        raise BadDistribution("llquantize() data has the wrong size")
    labels = [f"< {labels[0]}", *labels[:-1], f">= {labels[-1]}"]
    return _draw(labels, data, _span(data, (0, 1)), normal, settings)


# -- one line per key: the aggpack option ----------------------------------------------------------

def _digits(value: int) -> int:
    """Columns for a bucket bound: at least four; 10, 100, … count as one digit fewer."""
    return max(len(str(max(abs(value) - 1, 0))) + (value < 0), 4)


def _pack(value: int, scale: Scale, utf8: bool) -> bytes:
    if value == 0:
        return b" "
    if value < 0:
        marks = "vvvvVV"
    elif utf8:
        marks = "▁▂▃▄▅▆▇█"
    else:
        marks = "__xxxxXX"
    return marks[scale.share(value, len(marks) - 1)].encode()


def _packed_line(values: Sequence[int], settings: Settings) -> bytes:
    scale = scale_of(values, settings.is_set("aggzoom"))
    return b"".join(_pack(value, scale, settings.packs_utf8) for value in values)


def _widen(bins: tuple[int, int]) -> tuple[int, int]:
    low, high = bins
    return (low - 1 if low not in (0, ZERO_BUCKET) else low), min(high + 1, NBUCKETS - 1)


def packed_bins(values: Sequence[int], linear: bool) -> tuple[int, int]:
    """The buckets a packed line of one key needs; the union over keys is shown."""
    if linear:
        return 1, len(values) - 2
    used = [n for n, value in enumerate(values) if value]
    return (used[0], used[-1]) if used else (ZERO_BUCKET, ZERO_BUCKET)


def packed_header(key_width: int, bins: tuple[int, int], linear: bool) -> bytes:
    """The heading over packed lines of the buckets `bins`, first and last; `key_width` in columns."""
    if linear:
        low, high, width = bins[0], bins[1] + 1, 8
        least = width - 1
    else:
        low, high = _widen(bins)
        least, width = _digits(bucket_value(low)), _digits(bucket_value(high))
    key = b"key" if key_width else b""
    return b"\n%*s %*s .%s. %-*s | count\n" % (key_width, key, least, b"min", b"-" * (high - low + 1),
                                                width, b"max")


def packed_quantize(values: Sequence[int], bins: tuple[int, int], settings: Settings) -> bytes:
    """One key's quantize() in a line: the buckets `bins` and one on either side."""
    low, high = _widen(bins)
    least, most = bucket_value(low), bucket_value(high)
    data = values[low:high + 1]
    return b" %*d :%s: %-*d | %d\n" % (_digits(least), least, _packed_line(data, settings), _digits(most),
                                       most, sum(data))


def packed_lquantize(values: Sequence[int], _bins: tuple[int, int], settings: Settings) -> bytes:
    """One key's lquantize() in a line, all buckets.  Raises BadDistribution."""
    linear, data = Linear.decode(values[0]), values[1:]
    if len(data) != linear.levels + 2:
        raise BadDistribution("lquantize() data has the wrong size")
    top = linear.base + linear.levels * linear.step
    return b"%8s :%s: %-8s | %d\n" % (f"< {linear.base}".encode(), _packed_line(data, settings),
                                      f">= {top}".encode(), sum(data))


DISTRIBUTIONS = {"quantize": _quantize, "lquantize": _lquantize, "llquantize": _llquantize}
PACKED = {"quantize": packed_quantize, "lquantize": packed_lquantize}
