"""Formats of printf(): one table and one parser for the compiler and the consumer."""

from __future__ import annotations

import struct

import pytest

from dc.compiler import compile as compile_d
from dc.diagnostics import CompileError
from dof.printf import CONVERSIONS, WIDEST, FormatError, Shown, Takes, _digits, parse
from runtime.border import RecDesc
from runtime.consumer.events.settings import Settings
from runtime.consumer.output.printf import Format

# What libdtrace knows, by its dictionary; C's %F and %n, for one, are not among them.
NAMES = {"ls", "ws", "lc", "wc", *"aAcCdeEfgGiIkopPsSTuxXY", *(f"L{letter}" for letter in "eEfgG"),
         *(size + letter for size in ("h", "l", "ll") for letter in "dioux" "X")}


def compiled(form: str, *arguments: str) -> str:
    """The format as DOF has it."""
    written = ", ".join((f'"{form}"', *arguments))
    program = compile_d(f"BEGIN {{ printf({written}); }}").program
    return program.ecbs[0].actions[0].string or ""


def shown(form: str, *values: bytes) -> bytes:
    records, data = [], b""
    for value in values:
        records.append(RecDesc(1, len(value), len(data), 8, 0, 0, 0))
        data += value
    return Format(form.encode()).bind(records).render(data, 0, Settings())


def test_the_conversions_are_libdtraces() -> None:
    assert set(CONVERSIONS) == NAMES


@pytest.mark.parametrize("name", CONVERSIONS)
def test_a_row_is_whole(name: str) -> None:
    conversion = CONVERSIONS[name]
    assert (conversion.takes == Takes.NAMED) == bool(conversion.types)
    assert conversion.letter in "doueEfgGxXsc" and conversion.accepts
    assert (conversion.letter in "eEfgG") == (conversion.shown == Shown.FLOAT)


@pytest.mark.parametrize("name", ["F", "LF", "n", "hc", "hhd", "lllx", "q", "²"])
def test_unknown_on_both_sides(name: str) -> None:
    with pytest.raises(FormatError, match=r"#1 of the format is .*, which is unknown"):
        parse(f"%{name}")
    with pytest.raises(CompileError) as caught:
        compiled(f"%{name}", "1")
    assert caught.value.tag == "D_SYNTAX"


@pytest.mark.parametrize("form", ["%5%", "%l%", "%", "%l", "%1$d", "%**d", "%.*.*d"])
def test_malformed_on_both_sides(form: str) -> None:
    with pytest.raises(FormatError):
        parse(form)
    with pytest.raises(CompileError) as caught:
        compiled(form, "1", "2", "3")
    assert caught.value.tag == "D_SYNTAX"


@pytest.mark.parametrize(("form", "argument", "stored", "text"), [
    ("%-5d|", "3", "%-5d|", b"3    |"),
    ("%l5d|", "(long)3", "%5ld|", b"    3|"),  # sizes may stand anywhere, and go to the name
    ("%5l.2d|", "(long)3", "%5.2ld|", b"   03|"),
    ("100%% %d", "pid", "100%% %d", b"100% 3"),
    ("%d", "(unsigned)3", "%u", b"3"),
    ("%?x", "arg0", "%?x", b"               3"),
    ("%.00000000001d", "3", "%.00000000001d", b"3"),
])
def test_both_sides_read_alike(form: str, argument: str, stored: str, text: bytes) -> None:
    assert compiled(form, argument) == stored
    assert shown(stored, struct.pack("<q", 3)) == text


@pytest.mark.parametrize(("text", "found"), [
    ("0f", (0, 1)), ("000", (0, 3)), ("007x", (7, 3)), ("10s", (10, 2)), ("", (0, 0)), ("x", (0, 0)),
    (f"{WIDEST}d", (WIDEST, len(str(WIDEST)))), (f"{WIDEST + 1}d", (WIDEST, len(str(WIDEST + 1)))),
    ("9" * 30, (WIDEST, 30)), ("0" * 20 + "12", (12, 22)), ("\u0663", (0, 0))])
def test_digits(text: str, found: tuple[int, int]) -> None:
    """Zeros in front count for nothing, and no column is wider than the widest."""
    assert _digits(text, 0) == found and _digits(f"9{text}", 1) == (found[0], found[1] + 1)
