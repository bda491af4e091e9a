"""Every place in D where something can be wrong: its tag, and what is marked.

places.txt has a line for each: tag, and a script in which ¶ ends a line, and ⟦⟧ are around what the message
points at.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from dc.compiler import compile as compile_d
from dc.diagnostics import CompileError, Span

PLACES = [line.split(" ", 1) for line in Path(__file__).with_name("places.txt").read_text().splitlines()]


def _marked(script: str, span: Span) -> str:
    """Return a script with the marks around a piece of it."""
    rows = script.split("\n")
    row = rows[span.line - 1]
    rows[span.line - 1] = f"{row[:span.column - 1]}⟦{row[span.column - 1:span.end - 1]}⟧{row[span.end - 1:]}"
    return "\n".join(rows)


@pytest.mark.parametrize("tag", sorted({tag for tag, _ in PLACES}))
def test_refused_where_it_is_wrong(tag: str) -> None:
    for _, line in (place for place in PLACES if place[0] == tag):
        expected = line.replace("¶", "\n")
        script = expected.replace("⟦", "").replace("⟧", "")
        with pytest.raises(CompileError) as caught:
            compile_d(script, filename="script.d")
        found = caught.value.first
        assert (found.tag, _marked(script, found.span)) == (tag, expected)
        assert found.message and "\n" not in found.message
