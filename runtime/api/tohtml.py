"""Aggregations and distributions as HTML: tables with bars, for notebooks and for --report.

The looks are in the elements themselves, in colours that do in a light and in a dark page: a notebook takes
no style sheet from a cell.  Everything that comes from a traced program is escaped.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Protocol, cast


class Entries(Protocol):
    """runtime.api.results.Aggregation."""

    name: str
    function: str

    def items(self) -> Iterable[tuple[tuple[object, ...], object]]: ...


class Buckets(Protocol):
    """runtime.api.results.Distribution."""

    highest: dict[int, int]

    def items(self) -> Iterable[tuple[int, int]]: ...

    def values(self) -> Iterable[int]: ...


MOST = 200  # entries of a table, and distributions
_BAR = "background:#e8590c;opacity:.75;height:.8em;display:inline-block;min-width:1px;border-radius:2px"
_CELL = "text-align:left;vertical-align:top;padding:1px 8px;font-family:monospace;white-space:pre"
_NUMBER = "text-align:right;padding:1px 8px;font-family:monospace;white-space:nowrap"
_WIDE = "width:40%;min-width:120px;padding:1px 8px;text-align:left"


def aggregation(found: Entries) -> str:
    """The entries: keys, the value, and a bar; of distributions the keys and a histogram each."""
    title = {"_": "@", "": ""}.get(found.name, f"@{found.name}")
    what = f"{found.function}()" if title else found.function
    rows = list(found.items())  # either all distributions, or all numbers
    several = f", the first {MOST} of {len(rows)}" if len(rows) > MOST else ""
    caption = f"<div><b>{text(title)}</b> {text(what)}{several}</div>"
    buckets = [(keys, cast("Buckets", value)) for keys, value in rows if hasattr(value, "highest")]
    if buckets:
        return caption + "".join(f'<div style="{_CELL}">{_keys(keys)}</div>{distribution(value)}'
                                 for keys, value in buckets[:MOST])
    numbers = [(keys, cast("int", value)) for keys, value in rows]
    ordered = sorted(numbers, key=lambda row: (row[1], str(row[0])), reverse=True)[:MOST]
    most = max((abs(value) for _keys, value in ordered), default=0)
    return caption + _table(
        (*(_cell(_key(key), _CELL) for key in keys), _cell(str(value), _NUMBER), _bar(value, most))
        for keys, value in ordered)


def distribution(found: Buckets) -> str:
    """A histogram: a line for each bucket from the lowest in use to the highest."""
    most = max(map(abs, found.values()), default=0)
    return _table((_cell(text(label), _NUMBER), _bar(count, most), _cell(str(count), _NUMBER))
                  for label, count in _lines(found))


_LOWEST = -(1 << 63)


def _lines(found: Buckets) -> list[tuple[str, int]]:
    """Name and count of each bucket in use, by ascending numbers."""
    return [(f"< {found.highest[low] + 1}" if low == _LOWEST else str(low), count)
            for low, count in sorted(found.items())]


def _table(rows: Iterable[Sequence[str]]) -> str:
    body = "".join(f"<tr>{''.join(cells)}</tr>" for cells in rows)
    return f'<table style="border-collapse:collapse;max-width:100%">{body}</table>'


def _cell(html: str, style: str) -> str:
    return f'<td style="{style}">{html}</td>'


def _bar(value: int, most: int) -> str:
    return _cell(f'<span style="{_BAR};width:{100 * abs(value) / most:.1f}%"></span>' if value else "", _WIDE)


def _keys(keys: Sequence[object]) -> str:
    return ", ".join(map(_key, keys))


def _key(key: object) -> str:
    """A stack has a line for each frame."""
    return "\n".join(map(text, key)) if isinstance(key, tuple) else text(key)


def text(value: object) -> str:
    """Text for a page: what a browser would not show is escaped."""
    return escape("".join(char if char.isprintable() or char in "\t\n" else ascii(char)[1:-1]
                          for char in str(value)))
