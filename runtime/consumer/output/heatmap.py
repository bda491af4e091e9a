"""Heat maps: how distributions change over time, in the terminal and as SVG."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape
from itertools import pairwise

from dif.records import Record, field
from runtime.consumer.aggregations.entries import Entry
from runtime.consumer.aggregations.results import distribution_name
from runtime.consumer.output.jsonlines import bounds

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from dc.options import Options

Bucket = tuple[int, int]  # lowest and highest number

_LOWEST = -(1 << 63)
_SHADES = " ░▒▓█"
_COLUMNS = 72  # at most; a longer time has wider columns
_ROWS = 48  # at most, or empty buckets between others are left out
_CELL_WIDTH, _CELL_HEIGHT, _LEFT, _TOP, _BOTTOM = 12, 14, 150, 48, 34
_RATE, _FINEST = "aggrate", 1_000_000  # nanoseconds; sessions wake up no more often
_LABEL_COLUMNS = 8  # from one time on the axis to the next
_LEGEND = 6  # cells


_STYLE = """
.heat { max-width: 100%; height: auto; }
.heat .back { fill: #fff; }
.heat text { fill: #1c1e21; }
.heat .dim { fill: #6a7078; }
.heat rect { fill: #d9480f; }
@media (prefers-color-scheme: dark) {
  .heat .back { fill: #16181c; } .heat text { fill: #dfe2e7; } .heat .dim { fill: #8b929c; }
  .heat rect { fill: #ff922b; }
}
"""


class _Map(Record):
    """One variable: what each sample added to it, and its counts at the latest sample."""

    name: str
    buckets: set[Bucket] = field(default_factory=set)
    added: dict[int, dict[Bucket, int]] = field(default_factory=dict)
    totals: dict[Bucket, int] = field(default_factory=dict)

    def rows(self) -> list[Bucket]:
        """From the highest bucket in use to the lowest."""
        used = {bucket for counts in self.added.values() for bucket in counts}
        shown = [bucket for bucket in self.buckets if min(used) <= bucket <= max(used)] if used else []
        return sorted(shown if len(shown) <= _ROWS else used, reverse=True)


class _Axis:
    """Columns of equal time, each at least as long as two samples usually are apart."""

    def __init__(self, times: list[int]) -> None:
        self._first = times[0] if times else 0
        span = times[-1] - self._first if times else 0
        gaps = sorted(after - before for before, after in pairwise(times))
        usual = gaps[len(gaps) // 2] if gaps else 1
        self.step = max(usual, -(-span // (_COLUMNS - 1)), 1)
        self.columns = self.column(self._first + span) + 1 if times else 0

    def column(self, time: int) -> int:
        return (time - self._first + self.step // 2) // self.step

    def seconds(self, column: int) -> float:
        return (self._first + column * self.step) / 1e9

    def fill(self, added: dict[int, dict[Bucket, int]]) -> list[dict[Bucket, int]]:
        columns: list[dict[Bucket, int]] = [{} for _ in range(self.columns)]
        for time, counts in added.items():
            into = columns[self.column(time)]
            for bucket, count in counts.items():
                into[bucket] = into.get(bucket, 0) + count
        return columns


class Pace:
    """How often a session looks at its aggregations: so often that a run of any length fills the columns.

    It begins with the shortest interval and doubles it each time there are more samples than a picture has
    columns, which are then joined in pairs.  -x aggrate fixes it.
    """

    def __init__(self, options: Options) -> None:
        self._options = options
        self.fixed = _RATE in options.values
        if not self.fixed:
            options.values[_RATE] = _FINEST

    def double(self) -> None:
        """Look half as often from now on."""
        self._options.values[_RATE] = 2 * self._options.number(_RATE)


class HeatMap:
    """Samples every distribution; a sample's counts are what was added since the one before."""

    def __init__(self, pace: Pace | None = None) -> None:
        self._maps: dict[int, _Map] = {}
        self._pace = pace
        self.times: list[int] = []

    def sample(self, entries: Iterable[Entry], names: Mapping[int, str], now: int) -> None:
        """Take a sample at time `now` (nanoseconds)."""
        totals: dict[int, dict[Bucket, int]] = {}
        for entry in entries:
            if distribution_name(entry.layout.value.action) is None:
                continue
            value = entry.value
            ranges = bounds(value)
            known = self._maps.setdefault(entry.variable, _Map(names.get(entry.variable, "")))
            known.buckets.update(ranges)
            total = totals.setdefault(entry.variable, {})
            for bucket, count in zip(ranges, value.words[-len(ranges):], strict=True):
                if count:
                    total[bucket] = total.get(bucket, 0) + count
        for variable, total in totals.items():
            known = self._maps[variable]
            known.added[now] = {bucket: count - known.totals.get(bucket, 0) for bucket, count in total.items()
                                if count > known.totals.get(bucket, 0)}
            known.totals = total
        self.times.append(now)
        if self._pace is not None and not self._pace.fixed and len(self.times) >= 2 * _COLUMNS:
            self._pace.double()
            self._join_pairs()

    def _join_pairs(self) -> None:
        """Make one sample of each two; what both added was added up to the later one."""
        pairs = dict(zip(self.times[::2], self.times[1::2], strict=False))
        self.times = [pairs.get(time, time) for time in self.times[::2]]
        for known in self._maps.values():
            joined: dict[int, dict[Bucket, int]] = {}
            for time, counts in known.added.items():
                into = joined.setdefault(pairs.get(time, time), {})
                for bucket, count in counts.items():
                    into[bucket] = into.get(bucket, 0) + count
            known.added = joined

    @property
    def drawable(self) -> bool:
        """Whether there were distributions."""
        return bool(self._maps)

    def _span(self) -> str:
        return f"{self.times[0] / 1e9:.3f} s to {self.times[-1] / 1e9:.3f} s" if self.times else "no samples"

    def text(self) -> str:
        """For a terminal: a column for each stretch of time, a line for each bucket."""
        axis, out = _Axis(self.times), []
        for known in self._maps.values():
            columns = axis.fill(known.added)
            most = _most(columns)
            out.append(f"\n{known.name}: {self._span()}, darkest = {most}\n")
            for bucket in known.rows():
                line = "".join(_shade(column.get(bucket, 0), most) for column in columns)
                out.append(f"{label(bucket):>20} |{line}|\n")
        return "".join(out)

    def svg(self) -> str:
        """As a picture, one map below the other."""
        axis, body, top = _Axis(self.times), [], _TOP
        width = _LEFT + max(axis.columns, 2 * _LABEL_COLUMNS) * _CELL_WIDTH + 60
        for known in self._maps.values():
            columns, rows = axis.fill(known.added), known.rows()
            most = _most(columns)
            body.append(_text(10, top - 24, f"{known.name}: {self._span()}", 'font-size="14"'))
            body += _legend(top - 20, most)
            for line, bucket in enumerate(rows):
                y = top + line * _CELL_HEIGHT
                body.append(_text(_LEFT - 6, y + 11, label(bucket), 'text-anchor="end"'))
                body += [_cell(_LEFT + x * _CELL_WIDTH, y, column[bucket], most, f"{axis.seconds(x):.3f} s, "
                               f"{bucket[0]} to {bucket[1]}: {column[bucket]}")
                         for x, column in enumerate(columns) if column.get(bucket)]
            top += len(rows) * _CELL_HEIGHT
            body += [_text(_LEFT + x * _CELL_WIDTH, top + 14, f"{axis.seconds(x):.3f} s", 'class="dim"')
                     for x in range(0, axis.columns, _LABEL_COLUMNS)]
            top += _BOTTOM + _TOP
        height = max(top - _TOP, _TOP)
        return (f'<svg xmlns="http://www.w3.org/2000/svg" class="heat" width="{width}" height="{height}" '
                f'viewBox="0 0 {width} {height}" font-family="monospace" font-size="11">\n'
                f'<style>{_STYLE}</style>\n<rect class="back" width="100%" height="100%"/>\n'
                + "\n".join(body) + "\n</svg>\n")


def label(bucket: Bucket) -> str:
    """The name of a bucket: its lowest number or, if it has none, "<" and the number it lies below."""
    low, high = bucket
    return f"< {high + 1}" if low == _LOWEST else str(low)


def _most(columns: Iterable[dict[Bucket, int]]) -> int:
    return max((count for column in columns for count in column.values()), default=1)


def _text(x: int, y: int, text: str, attributes: str) -> str:
    return f'<text x="{x}" y="{y}" {attributes}>{escape(text)}</text>'


def _cell(x: int, y: int, count: int, most: int, title: str) -> str:
    """Square-root shading, so that a few are visible beside many."""
    share = (count / most) ** 0.5
    return (f'<rect x="{x}" y="{y}" width="{_CELL_WIDTH - 1}" height="{_CELL_HEIGHT - 1}" '
            f'fill-opacity="{0.12 + 0.88 * share:.2f}"><title>{escape(title)}</title></rect>')


def _legend(y: int, most: int) -> Iterable[str]:
    """What the shades mean."""
    counts = sorted({max(round(most * (n / (_LEGEND - 1)) ** 2), 1) for n in range(_LEGEND)})
    yield _text(_LEFT - 6, y + 11, "1", 'class="dim" text-anchor="end"')
    for n, count in enumerate(counts):
        yield _cell(_LEFT + n * _CELL_WIDTH, y, count, most, str(count))
    yield _text(_LEFT + len(counts) * _CELL_WIDTH + 4, y + 11, str(most), 'class="dim"')


def _shade(count: int, most: int) -> str:
    return _SHADES[min(4, int((count / most) ** 0.5 * 4 + 0.999))] if count else " "
