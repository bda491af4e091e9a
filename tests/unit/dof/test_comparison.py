"""difdis --diff: programs that mean the same are equal, and each difference is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from dif.assembler import assemble
from dif.difo import Difo
from dof import command, comparison, writer
from dof.comparison import differences
from dof.format import DofError
from dof.model import Action, Ecb, ProbeDesc, Program

COUNT = """
    .returns ctf integer 8 -
    .string ""
    {strings}
    .variable "n" {number} scalar global read|written ctf integer 8 -
    {body}
    ret %r1"""


def object_of(body: str, *, number: str = "0x500", strings: str = "") -> Difo:
    return assemble(COUNT.format(body=body, number=number, strings=strings))


def program(*objects: Difo, uarg: int = 1) -> Program:
    return Program(ecbs=[Ecb(ProbeDesc("syscall", "", "read", "entry"), None,
                             [Action(1, each, uarg=uarg) for each in objects], uarg=uarg)])


def test_numbers_are_no_difference() -> None:
    old = program(object_of('sets "b", %r1\nstgs %r1, DT_VAR(1280)', strings='.string "a"\n.string "b"'))
    new = program(object_of('sets "b", %r1\nstgs %r1, DT_VAR(1290)', number="0x50a"), uarg=0xFFFF8000)
    new.source, new.comments = "another text", "another compiler"
    assert differences(old, new) == []


def test_two_variables_do_not_become_one() -> None:
    one, two = object_of("ldgs DT_VAR(1280), %r1"), object_of("ldgs DT_VAR(1281), %r1", number="0x501")
    assert differences(program(one, one), program(two, two)) == []
    assert differences(program(one, one), program(one, two)) != []


def test_the_instruction_that_differs(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """An instruction before a branch's target moves no other line."""
    body = "ldgs DT_VAR(1280), %r1\n{}tst %r1\nbe {}\nmov %r1, %r2"
    for name, each in (("a", object_of(body.format("", 4))),
                       ("b", object_of(body.format('sets "x", %r2\n', 5), strings='.string "x"'))):
        (tmp_path / name).write_bytes(writer.write(program(each)))
    paths = [str(tmp_path / "a"), str(tmp_path / "b")]
    assert command.disassemble_main(["--diff", *paths]) == 1
    out = capsys.readouterr().out
    assert [line for line in out.splitlines() if line[0] in "+-"] == \
        [f"--- {paths[0]}: file", f"+++ {paths[1]}: file", '+       sets "x", %r2']
    assert "  clause syscall::read:entry\n" in out
    assert command.disassemble_main(["--diff", paths[0], paths[0]]) == 0
    assert capsys.readouterr().out == ""
    assert command.disassemble_main(["--diff", paths[0]]) == 2


def test_options_clauses_and_their_order(enabling: Program) -> None:
    other = Program(ecbs=enabling.ecbs[::-1], options=[(0, 8192)])
    shown = differences(enabling, other)
    assert shown[:6] == ["  option bufsize", "-   4096", "+   8192", "  option cpu", "-   -1", "+   (none)"]
    at = shown.index("  order")
    assert {line[0] for line in shown[at + 1:] if line.endswith("clause dtrace:::BEGIN")} == {"-", "+"}


def test_providers(providers: Program) -> None:
    other = Program(providers=[*providers.providers])
    probe = other.providers[0].probes[0]
    changed = type(probe)(probe.function, probe.name, probe.address, ["long", "char *"], probe.xlated,
                          probe.mapping, [4, 12], probe.enabled_offsets, probe.symbol)
    other.providers[0] = type(other.providers[0])(
        "prov", other.providers[0].attributes, [*other.providers[0].probes[:0:-1], changed])
    shown = differences(providers, other)
    assert [line for line in shown if line[0] in "+-"] == [
        "-   native argument 0: int", "+   native argument 0: long", "-   probe at +0x8", "+   probe at +0xc"]
    assert "  probe prov::main:go" in shown


def test_a_program_that_stands_for_too_much() -> None:
    large = object_of("nop\n" * 1000)
    with pytest.raises(DofError, match="lines to compare"):
        differences(program(*[large] * 1000), Program())


def test_words_that_are_no_instructions() -> None:
    end = 0x23000001  # ret %r1
    shown = differences(program(Difo([0xFF000001, end])), program(Difo([0xFE000001, end])))
    assert [line.split() for line in shown if line[0] in "+-"] == [["-", ".word", "0xff000001"],
                                                                  ["+", ".word", "0xfe000001"]]


@pytest.mark.parametrize(("old", "new", "shown"), [
    ("abc", "abd", ["    a", "    b", "-   c", "+   d"]),
    ("xabc", "xabd", ["    a", "    b", "-   c", "+   d"]),
    ("a", "b", ["-   a", "+   b"]), ("ab", "cb", ["-   a", "+   c", "    b"]),
    ("ab", "abc", ["    a", "    b", "+   c"]),
    ("abc", "ab", ["    a", "    b", "-   c"]), ("", "a", ["+   a"]),
    ("abcdefgh", "Xbcdefgh", ["-   a", "+   X", "    b", "    c"]),
    ("a1234567z", "b1234567y", ["-   a", "+   b", "    1", "    2", "    6", "    7", "-   z", "+   y"])])
def test_two_lines_around_a_change(old: str, new: str, shown: list[str]) -> None:
    assert comparison._changes(old, new) == shown


def test_what_is_too_long_to_be_compared_line_by_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the texts part counts: what they begin with is the same."""
    for most, found in ((6, ["    b", "    c", "-   x", "-   y", "+   1", "+   2", "+   3"]),
                        (5, ["    b", "    c", "-   (2 lines)", "+   (3 lines)"])):
        monkeypatch.setattr(comparison, "_MOST_PAIRS", most)
        assert comparison._changes("abcxy", "abc123") == found
