"""Heat maps: how distributions change over time, in the terminal and as SVG."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from html import escape

from runtime.consumer.entries import Entry
from runtime.consumer.structured import bounds
from runtime.consumer.values import distribution_name

_SHADES = " ░▒▓█"
_COLUMNS = 72  # of the terminal picture
_CELL_WIDTH, _CELL_HEIGHT, _LEFT, _TOP = 12, 14, 150, 40


@dataclass(slots=True)
class _Map:
    """One variable: counts by time and bucket.  `totals` are those of the previous sample."""

    name: str
    columns: list[dict[tuple[int, int], int]] = field(default_factory=list)
    totals: dict[tuple[int, int], int] = field(default_factory=dict)


class HeatMap:
    """Samples every distribution; a sample's counts are what was added since the one before."""

    def __init__(self) -> None:
        self._maps: dict[int, _Map] = {}
        self.times: list[int] = []

    def sample(self, entries: Iterable[Entry], names: dict[int, str], now: int) -> None:
        """Take a sample at time `now` (nanoseconds)."""
        totals: dict[int, dict[tuple[int, int], int]] = {}
        for entry in entries:
            if distribution_name(entry.layout.value.action) is None:
                continue
            value = entry.value
            ranges = bounds(value)
            counts = value.words[-len(ranges):]
            total = totals.setdefault(entry.variable, {})
            for bucket, count in zip(ranges, counts, strict=True):
                if count:
                    total[bucket] = total.get(bucket, 0) + count
        for variable, total in totals.items():
            known = self._maps.setdefault(variable, _Map(names.get(variable, f"@{variable}")))
            known.columns += [{} for _ in range(len(self.times) - len(known.columns))]
            known.columns.append({bucket: count - known.totals.get(bucket, 0)
                                  for bucket, count in total.items()
                                  if count > known.totals.get(bucket, 0)})
            known.totals = total
        self.times.append(now)

    def _rows(self, known: _Map) -> list[tuple[int, int]]:
        """The buckets in use, the highest first, without gaps that data could fill."""
        return sorted({bucket for column in known.columns for bucket in column}, reverse=True)

    def text(self) -> str:
        """For a terminal: a column for each sample (or for a few), a line for each bucket."""
        out = []
        for known in self._maps.values():
            group = -(-len(self.times) // _COLUMNS)
            columns = _grouped(known.columns, group)
            most = max((count for column in columns for count in column.values()), default=1)
            out.append(f"\n{known.name}: {_span(self.times)}, darkest = {most}\n")
            for bucket in self._rows(known):
                line = "".join(_shade(column.get(bucket, 0), most) for column in columns)
                out.append(f"{bucket[0]:>20} |{line}|\n")
        return "".join(out)

    def svg(self) -> str:
        """As a picture, one map below the other."""
        body, top = [], _TOP
        width = _LEFT + max(len(self.times), 1) * _CELL_WIDTH + 20
        for known in self._maps.values():
            rows = self._rows(known)
            most = max((count for column in known.columns for count in column.values()), default=1)
            body.append(f'<text x="10" y="{top - 8}" font-size="14">{escape(known.name)}: '
                        f'{escape(_span(self.times))}</text>')
            for line, bucket in enumerate(rows):
                y = top + line * _CELL_HEIGHT
                body.append(f'<text x="{_LEFT - 6}" y="{y + 11}" text-anchor="end">{bucket[0]}</text>')
                body += [_cell(x, y, column[bucket], most, bucket)
                         for x, column in enumerate(known.columns) if column.get(bucket)]
            top += len(rows) * _CELL_HEIGHT + _TOP
        return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{top}" '
                f'font-family="monospace" font-size="11">\n'
                f'<rect width="{width}" height="{top}" fill="white"/>\n'
                + "\n".join(body) + "\n</svg>\n")


def _cell(column: int, y: int, count: int, most: int, bucket: tuple[int, int]) -> str:
    light = 235 - int(200 * (count / most) ** 0.5)
    return (f'<rect x="{_LEFT + column * _CELL_WIDTH}" y="{y}" width="{_CELL_WIDTH - 1}" '
            f'height="{_CELL_HEIGHT - 1}" fill="rgb(255,{light},{light // 2})">'
            f'<title>{bucket[0]} to {bucket[1]}: {count}</title></rect>')


def _grouped(columns: list[dict[tuple[int, int], int]], group: int) -> list[dict[tuple[int, int], int]]:
    merged = []
    for start in range(0, len(columns), max(group, 1)):
        total: dict[tuple[int, int], int] = {}
        for column in columns[start:start + group]:
            for bucket, count in column.items():
                total[bucket] = total.get(bucket, 0) + count
        merged.append(total)
    return merged


def _shade(count: int, most: int) -> str:
    """Square-root shading, so that a few are visible beside many."""
    return _SHADES[min(4, int((count / most) ** 0.5 * 4 + 0.999))] if count else " "


def _span(times: list[int]) -> str:
    return f"{times[0] / 1e9:.3f} s to {times[-1] / 1e9:.3f} s" if times else "no samples"
