"""Every place in D where something can be wrong: its tag and line.

places.txt has a line for each: tag, line of the error, and a script in which ¶ ends a line.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from dc.compiler import compile as compile_d
from dc.diagnostics import CompileError

PLACES = [line.split(" ", 2) for line in Path(__file__).with_name("places.txt").read_text().splitlines()]


@pytest.mark.parametrize("tag", sorted({tag for tag, _, _ in PLACES}))
def test_refused_where_it_is_wrong(tag: str) -> None:
    for _, line, script in (place for place in PLACES if place[0] == tag):
        with pytest.raises(CompileError) as caught:
            compile_d(script.replace("¶", "\n"), filename="script.d")
        found = caught.value.first
        assert (found.tag, found.span.line) == (tag, int(line)), script
        assert found.message and "\n" not in found.message
        assert 0 < found.span.column <= found.span.end
