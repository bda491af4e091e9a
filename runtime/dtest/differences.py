"""Two outputs, compared for a reader: whole lines, with what an eye would miss made visible."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

MOST_LINES = 200  # of a difference


def difference(expected: bytes, got: bytes, name: str) -> str:
    """The lines that differ, as a unified diff: `-` is expected, `+` is what came."""
    before, after = _lines(expected), _lines(got)
    lines = list(difflib.unified_diff(before, after, f"{name} (expected)", f"{name} (got)", lineterm=""))
    if len(lines) > MOST_LINES:
        lines[MOST_LINES:] = [f"... {len(lines) - MOST_LINES} more lines"]
    return "".join(f"{line}\n" for line in lines)


def where(expected: bytes, got: bytes) -> str:
    """In a few words, where two outputs begin to differ."""
    before, after = _lines(expected), _lines(got)
    for number, (old, new) in enumerate(zip(before, after, strict=False), 1):
        if old != new:
            return f"line {number}"
    return f"{len(after)} lines, not {len(before)}" if len(before) != len(after) else "nowhere"


def _lines(data: bytes) -> list[str]:
    return list(map(visible, _split(data)))


def _split(data: bytes) -> Iterator[bytes]:
    *lines, last = data.split(b"\n")
    yield from lines
    if last:
        yield last + b"\\ no newline at the end"


def visible(line: bytes) -> str:
    """A line as text: control characters escaped, spaces at its end shown."""
    text = line.decode("utf-8", "backslashreplace")
    shown = "".join(char if char.isprintable() or char == "\t" else ascii(char)[1:-1] for char in text)
    bare = shown.rstrip(" \t")
    return bare + shown[len(bare):].replace(" ", "␠").replace("\t", "␉")
