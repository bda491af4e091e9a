"""What surrounds a report on request: flame graphs, heat maps, a live view, progress."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Protocol

from dif.records import Record
from dof.outputs import STANDARD_OUTPUT, write
from runtime.consumer.events.names import printable
from runtime.consumer.events.notices import Drop, Fault, Repeats
from runtime.consumer.events.records import Firing
from runtime.consumer.output.heatmap import HeatMap, Pace, label
from runtime.consumer.output.jsonlines import bounds
from runtime.consumer.output.reporter import Around, Reporter, Session

if TYPE_CHECKING:
    from rich.live import Live

    from runtime.consumer.aggregations.results import Aggregated
    from runtime.consumer.output.timeline import Timeline

_LIVE_ROWS = 40
_BARS = " ▁▂▃▄▅▆▇█"


class Wanted(Record, frozen=True):
    """File names, None for no picture; a heat map named "-" goes to standard output."""

    flame: str | None = None
    folded: str | None = None
    heatmap: str | None = None
    timeline: str | None = None
    report: str | None = None
    live: bool = False
    progress: bool = False


class Drawn(Record, frozen=True):
    """Pictures as SVG, "" where there is nothing to draw."""

    flame: str
    heatmap: str
    timeline: str


class Page(Protocol):
    """What a report shows besides pictures (runtime.api.report.Page)."""

    def firing(self, firing: Firing) -> None: ...

    def fault(self, fault: Fault) -> None: ...

    def repeats(self, repeats: Repeats) -> None: ...

    def drop(self, drop: Drop) -> None: ...

    def html(self, drawn: Drawn, status: int) -> str: ...


class Pictures(Around):
    """Draws what goes to another reporter.

    `timeline` has been enabled if one is wanted, and `page` is that of the report, if one is wanted.  A heat
    map sets the pace at which the session looks at aggregations.
    """

    def __init__(self, inner: Reporter, session: Session, wanted: Wanted, pace: Pace | None = None,
                 timeline: Timeline | None = None, page: Page | None = None) -> None:
        super().__init__(inner)
        self._timeline = timeline
        self._page = page
        self._session = session
        self._wanted = wanted
        self._heat = HeatMap(pace)
        self._live: Live | None = None
        self._firings = self._drops = 0

    def firing(self, firing: Firing) -> None:
        if self._timeline is not None and self._timeline.take(firing):
            return
        self._firings += 1
        if self._page is not None:
            self._page.firing(firing)
        super().firing(firing)

    def fault(self, fault: Fault) -> None:
        if self._page is not None:
            self._page.fault(fault)
        super().fault(fault)

    def repeats(self, repeats: Repeats) -> None:
        if self._page is not None:
            self._page.repeats(repeats)
        super().repeats(repeats)

    def drop(self, drop: Drop) -> None:
        self._drops += drop.count
        if self._page is not None:
            self._page.drop(drop)
        super().drop(drop)

    def worked(self) -> None:
        super().worked()
        if self._wanted.heatmap or self._page is not None:
            names = {variable: _shown(name) for variable, name in self._session.names.items()}
            self._heat.sample(self._session.aggregations, names, self._session.system.now())
        if self._wanted.live:
            self._show_live()
        if self._wanted.progress:
            self._show_progress()

    def finish(self) -> None:
        """Write the report's end, and then the pictures: all of them or none.  Raises OSError."""
        wanted, session = self._wanted, self._session
        if self._live is not None:
            self._live.stop()
        if wanted.progress:
            print(file=sys.stderr)
        files = {}
        flame = ""
        if wanted.flame or wanted.folded or self._page is not None:
            from runtime.consumer.output import flamegraph

            folded = flamegraph.fold(session.aggregations, session.settings)
            flame = flamegraph.svg(folded) if folded else ""
            if wanted.folded:
                files[wanted.folded] = flamegraph.folded_text(folded)
            if wanted.flame:
                files[wanted.flame] = flame or flamegraph.svg(folded)
        super().finish()
        if wanted.heatmap:
            drawn = self._heat.text if wanted.heatmap == STANDARD_OUTPUT else self._heat.svg
            files[wanted.heatmap] = drawn()
        timeline = self._timeline.svg() if self._timeline is not None else ""
        if wanted.timeline:
            files[wanted.timeline] = timeline
        if self._page is not None and wanted.report:
            pictures = Drawn(flame, self._heat.svg() if self._heat.drawable else "", timeline)
            files[wanted.report] = self._page.html(pictures, self.status)
        write({path: text.encode("utf-8", "backslashreplace") for path, text in files.items()})

    def _show_progress(self) -> None:
        seconds = self._session.system.now() / 1e9
        line = f"{seconds:10.3f} s of the machine's time, {self._firings} firings reported, " \
               f"{self._drops} drops"
        sys.stderr.write(f"\r{line}" if sys.stderr.isatty() else f"{line}\n")
        sys.stderr.flush()

    def _show_live(self) -> None:
        """A table of the largest entries, redrawn in place."""
        from rich.live import Live
        from rich.table import Table

        table = Table(title=f"{self._session.system.now() / 1e9:.3f} s")
        for heading in ("aggregation", "keys", "value"):
            table.add_column(heading, justify="right" if heading == "value" else "left")
        for name, keys, value in rows(self._session)[:_LIVE_ROWS]:
            table.add_row(name, keys, value)
        if self._live is None:
            self._live = Live(table, auto_refresh=False)
            self._live.start()
        self._live.update(table, refresh=True)


def _shown(name: str) -> str:
    """An aggregation's name as D programs write it; the one without a name is called `_`."""
    return "@" if name == "_" else f"@{name}"


def _sketch(value: Aggregated) -> str:
    """The buckets of a distribution that are in use, as a line of bars between the first and the last."""
    ranges = bounds(value)
    counts = value.words[-len(ranges):]
    used = [index for index, count in enumerate(counts) if count]
    if not used:
        return ""
    first, last = used[0], used[-1]
    most = max(map(abs, counts))
    bars = "".join(_BARS[-(-abs(count) * (len(_BARS) - 1) // most)] for count in counts[first:last + 1])
    return f"{label(ranges[first])} {bars} {label(ranges[last])}"


def rows(session: Session) -> list[tuple[str, str, str]]:
    """Name, keys and value of every entry as text, the largest first."""
    from runtime.consumer.aggregations.results import bucketed
    from runtime.consumer.output.aggregationtext import Printer

    printer = Printer(session.aggregations, session.settings)
    out = []
    for entry in session.aggregations.walk("valuerev"):
        keys = " ".join(" ".join(printer.key(key, entry.key(key)).decode("utf-8", "replace").split())
                        for key in entry.layout.keys)
        value = entry.value
        shown = _sketch(value) if bucketed(value.record.action) else str(value.scalar)
        out.append((_shown(session.names_of([entry.variable])[0]), printable(keys), shown))
    return out
