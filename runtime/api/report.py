"""dtrace --report: a run as one page of HTML, which needs nothing but itself.

The page has the command line, the script, what the script printed, aggregations as tables and charts, stacks
as a flame graph, distributions over time, the timeline, errors and drops.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from runtime.api.results import Aggregation, Key, Traced
from runtime.api.tohtml import text as _text
from runtime.consumer.output.jsonlines import Items

if TYPE_CHECKING:
    from runtime.consumer.events.notices import Drop, Fault, Repeats
    from runtime.consumer.events.records import Firing
    from runtime.consumer.output.pictures import Drawn
    from runtime.consumer.output.reporter import Session

_TEMPLATE = "report.html"
MOST_OUTPUT = 1 << 20  # bytes of the output that the page shows
_MOST_MESSAGES = 500  # errors and drops


class Page:
    """What the page shows besides pictures, taken in while tracing goes on.

    `words` are the command line, `scripts` the name and the text of each program.
    """

    def __init__(self, session: Session, words: Sequence[str], scripts: Sequence[tuple[str, str]]) -> None:
        self._session = session
        self._items = Items(session)
        self._words = words
        self._scripts = scripts
        self._output = bytearray()
        self._cut = False
        self._fired: Counter[str] = Counter()
        self._messages = Traced()
        self._count = self._errors = self._drops = 0

    def printed(self, data: bytes) -> None:
        """Keep what the script prints."""
        room = MOST_OUTPUT - len(self._output)
        self._output += data[:room]
        self._cut = self._cut or len(data) > room

    def firing(self, firing: Firing) -> None:
        """Count a firing."""
        probe = firing.probe
        self._count += 1
        self._fired[f"{probe.provider}:{probe.module}:{probe.function}:{probe.name}"] += 1

    def fault(self, fault: Fault) -> None:
        """Keep an error."""
        self._errors += 1
        if len(self._messages.errors) < _MOST_MESSAGES:
            self._messages.take(self._items.of_fault(fault))

    def repeats(self, repeats: Repeats) -> None:
        """Keep that there were more errors like an earlier one."""
        self._errors += repeats.count
        if len(self._messages.errors) < _MOST_MESSAGES:
            self._messages.take(self._items.of_repeats(repeats))

    def drop(self, drop: Drop) -> None:
        """Keep a loss."""
        self._drops += drop.count
        if len(self._messages.drops) < _MOST_MESSAGES:
            self._messages.take(self._items.of_drop(drop))

    def html(self, drawn: Drawn, status: int) -> str:
        """The page, with pictures as SVG; "" stands for one that there is none of."""
        title = " ".join(["dtrace", *self._words])
        parts = [("script", "Script", "".join(map(self._script, self._scripts))),
                 ("output", "Output", self._shown()),
                 ("aggregations", "Aggregations", self._aggregations()),
                 ("timeline", "Timeline", _picture(drawn.timeline)),
                 ("stacks", "Stacks", _picture(drawn.flame)),
                 ("distributions", "Distributions over time", _picture(drawn.heatmap)),
                 ("errors", "Errors and drops", self._problems())]
        parts = [part for part in parts if part[2]]
        contents = "".join(f'<a href="#{name}">{heading}</a>' for name, heading, _html in parts)
        body = self._summary(status) + "".join(
            f'<section><h2 id="{name}">{heading}</h2>{html}</section>\n' for name, heading, html in parts)
        with open(os.path.join(os.path.dirname(__file__), _TEMPLATE), encoding="utf-8") as file:
            template = file.read()
        put = {"TITLE": _text(title if len(title) <= 120 else title[:120] + " ..."), "CONTENTS": contents,
               "BODY": body}
        return re.sub(f"@({'|'.join(put)})@", lambda found: put[found[1]], template)

    def _summary(self, status: int) -> str:
        rows = {"machine's time": f"{self._session.system.now() / 1e9:.6f} s",
                "firings that recorded": str(self._count), "drops": str(self._drops),
                "errors": str(self._errors), "status of exit()": str(status)}
        return "<dl>" + "".join(f"<dt>{_text(name)}</dt><dd>{_text(value)}</dd>"
                                for name, value in rows.items()) + "</dl>\n"

    @staticmethod
    def _script(script: tuple[str, str]) -> str:
        name, text = script
        heading = f"<div>{_text(name)}</div>" if name else ""
        return f"{heading}<pre>{_text(text.strip(chr(10)))}</pre>"

    def _shown(self) -> str:
        text = self._output.decode("utf-8", "replace").strip("\n")
        cut = f'<p class="none">The first {MOST_OUTPUT >> 20} MB of it.</p>' if self._cut else ""
        return f"<pre>{_text(text)}</pre>{cut}" if text else \
            '<p class="none">The script printed nothing.</p>'

    def _aggregations(self) -> str:
        found = Traced()
        for variable in self._session.names:
            for item in self._items.of_rows(self._session.aggregations.rows(variable)):
                found.take(item)
        tables = list(found.aggregations.values())
        if self._fired:
            fired: dict[Key, object] = {(probe,): count for probe, count in self._fired.items()}
            tables.append(Aggregation("", "firings that recorded, by probe", fired))
        return "".join(f'<div class="aggregation">{each._repr_html_()}</div>' for each in tables)

    def _problems(self) -> str:
        lines = [*self._messages.errors, *self._messages.places, *self._messages.drops]
        return f'<pre class="bad">{_text(chr(10).join(lines))}</pre>' if lines else \
            '<p class="none">None: nothing failed, and nothing was lost.</p>'


def _picture(svg: str) -> str:
    return f'<div class="picture">{svg}</div>' if svg else ""
