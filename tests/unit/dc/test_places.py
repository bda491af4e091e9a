"""Every place in D where something can be wrong: the tag, what is said, the hints, and what is marked.

places.txt has two lines for each: tag, message and hints, and a script in which ¶ ends a line, and ⟦⟧ are
around what the message points at.  `make golden` writes both anew; read the diff.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from dc.compiler import compile as compile_d
from dc.diagnostics import CompileError, Span

FILE = Path(__file__).with_name("places.txt")
ROWS = FILE.read_text().splitlines()
PLACES = list(zip(ROWS[::2], ROWS[1::2], strict=True))


def _marked(script: str, span: Span) -> str:
    """Return a script with the marks around a piece of it."""
    rows = script.split("\n")
    row = rows[span.line - 1]
    rows[span.line - 1] = f"{row[:span.column - 1]}⟦{row[span.column - 1:span.end - 1]}⟧{row[span.end - 1:]}"
    return "¶".join(rows)


def _refused(script: str) -> tuple[str, str]:
    """Return the two lines of a script, which may have marks."""
    plain = script.replace("¶", "\n").replace("⟦", "").replace("⟧", "")
    with pytest.raises(CompileError) as caught:
        compile_d(plain, filename="script.d")
    found = caught.value.first
    return " | ".join((f"{found.tag} {found.message}", *found.hints)), _marked(plain, found.span)


@pytest.mark.parametrize("tag", sorted({said.split()[0] for said, _ in PLACES}))
def test_refused_where_it_is_wrong(tag: str) -> None:
    for said, script in PLACES:
        if said.startswith(f"{tag} "):
            assert _refused(script) == (said, script)


if __name__ == "__main__":
    FILE.write_text("".join(f"{row}\n" for _, script in PLACES for row in _refused(script)))
