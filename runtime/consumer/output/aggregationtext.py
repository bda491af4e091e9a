"""printa() without a format, and the aggregations printed at the end: one line a row."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice

from dof.model import ActionKind
from runtime.border import RecDesc
from runtime.consumer.aggregations import quantize
from runtime.consumer.aggregations.aggregate import Aggregations, Row, Rows, Scale
from runtime.consumer.aggregations.quantize import divide
from runtime.consumer.aggregations.results import Aggregated, bucketed, distribution_name
from runtime.consumer.events import stacks
from runtime.consumer.events.recordbytes import blob
from runtime.consumer.events.settings import Settings

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from runtime.consumer.aggregations.lines import Piece
    from runtime.consumer.aggregations.ranking import Ranked

_BATCH = 1000  # rows
_WIDTHS = {1: 3, 2: 5, 4: 8, 8: 16}
_PACKED_WIDTH = 16  # of a key that is no integer
_SIGNED = (4, 8)  # narrower keys are shown unsigned
INTEGERS = {1: "B", 2: "H", 4: "i", 8: "q"}  # as struct has them


def integer(data: bytes) -> int:
    """An integer as trace() and printa() show it: 8 and 16 bits unsigned, 32 and 64 bits signed."""
    return int.from_bytes(data, "little", signed=len(data) in _SIGNED)


def batches(line: Callable[[Row], bytes], rows: Iterable[Row]) -> Iterator[bytes]:
    """Yield the text of rows, some of them at a time."""
    rest = iter(rows)
    while batch := [line(row) for row in islice(rest, _BATCH)]:
        yield b"".join(batch)


def lines(rows: Ranked, pieces: Sequence[Piece], line: Callable[[Row], bytes]) -> Iterator[bytes]:
    """Yield the text of the rows of a large table: see runtime.consumer.aggregations.lines."""
    from runtime.consumer.aggregations.lines import lines

    return lines(rows, pieces, line)


class Printer:
    """Renders rows.  Histogram and packed headings come once for each variable.

    Rows of one aggregation are drawn as agghist and aggpack say; several side by side are columns.
    """

    def __init__(self, aggregations: Aggregations, settings: Settings) -> None:
        self._aggregations = aggregations
        self._settings = settings
        self._headed: int | None = None
        self._scales: dict[int, Scale | None] = {}
        self._bins: dict[int, tuple[int, int] | None] = {}

    def rows(self, rows: Rows) -> Iterator[bytes]:
        """Yield the text of rows, of many at a time where they are many."""
        for part in rows.parts:
            pieces = None if isinstance(part, list) else self._columns(part)
            if isinstance(part, list) or pieces is None:
                yield from batches(self.line, part if isinstance(part, list) else part.rows())
            else:
                yield from lines(part, pieces, self.line)

    def line(self, row: Row) -> bytes:
        """The text of a row."""
        return b"".join([text for text, _record in self.pieces(row)])

    def _columns(self, rows: Ranked) -> list[Piece] | None:
        """What the lines of a large table are made of; None if not all of them are numbers and strings."""
        from runtime.consumer.aggregations import lines
        from runtime.consumer.aggregations.ranking import numeric

        settings, pieces = self._settings, []
        drawn = rows.width == 1 and (settings.is_set("agghist") or settings.is_set("aggpack"))
        if drawn or not all(map(numeric, rows.shown)):
            return None
        for key in rows.table.layout.keys:
            if key.action in stacks.STACKS or key.action in stacks.SYMBOLS:
                return None
            width = _WIDTHS.get(key.size)
            if width is not None:
                pieces += [lines.text(b" "), lines.number(key, key.size in _SIGNED, lines.column(width))]
            elif settings.is_set("rawbytes") or not key.size:
                return None
            else:
                pieces += [lines.text(b"  "), lines.string(key, True, lines.column(50, "-"))]
        for turn in range(rows.width):
            pieces += [lines.text(b" "), lines.value(turn, True, lines.column(16))]
        return [*pieces, lines.text(b"\n")]

    def pieces(self, row: Row) -> Iterator[tuple[bytes, RecDesc | None]]:
        """Yield the text of each key and value of a row with its record, and the end of the row with None."""
        entry, alone = row.keys, len(row.values) == 1
        scale = self._scale(entry.variable) if alone and self._settings.is_set("agghist") else None
        bins = self._range(entry.variable) if alone and self._settings.is_set("aggpack") else None
        packed = scale is not None or bins is not None
        heading = self._heading(row, scale is not None, bins) if packed else b""
        for key in entry.layout.keys:
            yield heading + self.key(key, entry.key(key), packed), key
            heading = b""
        for value in row.values:
            yield heading + self._value(value, scale, bins), value.record
            heading = b""
        if not packed:
            yield b"\n", None

    def _scale(self, variable: int) -> Scale | None:
        if variable not in self._scales:
            self._scales[variable] = self._aggregations.scale(variable)
        return self._scales[variable]

    def _range(self, variable: int) -> tuple[int, int] | None:
        if variable not in self._bins:
            self._bins[variable] = self._aggregations.bins(variable)
        return self._bins[variable]

    def _heading(self, row: Row, histogram: bool, bins: tuple[int, int] | None) -> bytes:
        entry = row.keys
        if self._headed == entry.variable:
            return b""
        self._headed = entry.variable
        width = sum(_WIDTHS.get(key.size, _PACKED_WIDTH) + 1 for key in entry.layout.keys)
        if histogram or bins is None:
            return quantize.header(width)
        return quantize.packed_header(width, bins, entry.layout.value.action == ActionKind.AGG_LQUANTIZE)

    def key(self, record: RecDesc, data: bytes, packed: bool = False) -> bytes:
        """One key as a column; `packed` as agghist and aggpack show it."""
        if record.action in stacks.STACKS:
            return stacks.stack(record, data, self._settings)
        if record.action in stacks.SYMBOLS:
            return stacks.symbol(record, data, self._settings)
        width = _WIDTHS.get(record.size)
        if width is not None:
            return b" %*d" % (width, integer(data))
        return blob(data, _PACKED_WIDTH if packed else -50, False, self._settings.is_set("rawbytes"))

    def _value(self, value: Aggregated, scale: Scale | None, bins: tuple[int, int] | None) -> bytes:
        settings, action = self._settings, value.record.action
        if scale is not None and action in (ActionKind.AGG_SUM, ActionKind.AGG_COUNT):
            return b" " + quantize.bar(value.words[0], scale, value.normal, settings.bars_utf8)
        name = distribution_name(action)
        if bins is not None and name in quantize.PACKED:
            return quantize.PACKED[name](value.words, bins, settings)
        if bucketed(action):
            return value.distribution(settings)
        if action in (ActionKind.AGG_AVG, ActionKind.AGG_STDDEV):
            return b" %16d" % value.scalar
        return b" %16d" % divide(value.words[0], value.normal)
