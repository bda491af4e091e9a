"""Command lines: our getopt against the standard library's, and what all commands have in common."""

from __future__ import annotations

import getopt
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dc.command import main as dc
from dof import commandline
from dof.command import assemble_main, disassemble_main
from runtime.command.command import main as dtrace

LETTERS = "3:6:Ceo:x:S"
WORDS = ("all-errors", "emit=", "help", "types=", "helper")
PIECES = st.sampled_from(["-e", "-o", "x", "-ofile", "-eSo", "--", "-", "--emit", "--emit=dof", "--he",
                          "--help", "--e", "--help=1", "--none", "-x", "a=b", "--all", "-:", "-z", "-32", ""])


def outcome(module: ModuleType | Any, argv: list[str]) -> object:
    try:
        return module.gnu_getopt(argv, LETTERS, WORDS)
    except module.GetoptError as problem:
        return problem.msg, problem.opt


@settings(max_examples=500, deadline=None)
@given(st.lists(PIECES, max_size=6))
def test_as_the_standard_library_does(argv: list[str]) -> None:
    assert outcome(commandline, argv) == outcome(getopt, argv)


# -- commands ---------------------------------------------------------------------------------------------

COMMAND = commandline.Command(
    "prog", "[OPTION ...] FILE", "Do something.", "7", (
        commandline.Section("things", (
            commandline.Switch("-o", "where to", "FILE", "--output"), commandline.Switch("-f", "by force"),
            commandline.Switch("--form", "which form", "FORM"), commandline.option("define"),
            commandline.option("quiet"))),
        commandline.Section("", (commandline.VERSION, commandline.HELP))))
COMMANDS = {"dc": dc, "difas": assemble_main, "difdis": disassemble_main, "dtrace": dtrace}


def test_switches_go_by_their_first_spelling() -> None:
    pairs, operands = commandline.parse(COMMAND, ["--output=a", "x", "-fq", "--fo", "b", "-DX=1", "--", "-y"])
    assert pairs == [("-o", "a"), ("-f", ""), ("-q", ""), ("--form", "b"), ("-D", "X=1")]
    assert operands == ["x", "-y"]


@pytest.mark.parametrize("argv", [["-z"], ["-o"], ["--form"], ["--none"], ["--help=1"], ["--force"]])
def test_a_wrong_command_line_is_one_line(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    def work(words: list[str]) -> int:
        commandline.parse(COMMAND, words)
        return 0

    assert commandline.run(COMMAND, work, argv) == 2
    first, usage = capsys.readouterr().err.splitlines()
    assert first.startswith("prog: ") and usage == "Usage: prog [OPTION ...] FILE"


def test_help_has_every_switch() -> None:
    text = COMMAND.help()
    assert all(switch.row()[0] in text and switch.help in text for switch in COMMAND.switches())
    assert "    -o, --output FILE     where to\n" in text
    assert "    -D NAME[=TEXT]        define a macro\n" in text


@pytest.mark.parametrize(("work", "status", "said"), [
    (commandline.Failure("no luck"), 1, "prog: no luck\n"),
    (commandline.Failure("two\nlines\n", report=True), 1, "two\nlines\n"),
    (FileNotFoundError(2, "No such file or directory", "a"), 1, "prog: a: No such file or directory\n"),
    (KeyboardInterrupt(), 130, ""),
])
def test_how_commands_end(work: BaseException, status: int, said: str,
                          capsys: pytest.CaptureFixture[str]) -> None:
    def fail(_argv: list[str]) -> int:
        raise work

    assert commandline.run(COMMAND, fail, []) == status
    assert capsys.readouterr().err == said


@pytest.mark.parametrize("name", COMMANDS)
def test_all_commands_agree(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    main = COMMANDS[name]
    assert main(["--help"]) == 0
    assert capsys.readouterr().out.startswith(f"Usage: {name} ")
    assert main(["-V"]) == 0
    assert capsys.readouterr().out.startswith(f"{name}: ")
    assert main(["-@"]) == 2
    assert capsys.readouterr().err.startswith(f"{name}: illegal option -- @\nUsage: {name} ")


def test_text_is_read_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "a.d"
    path.write_bytes(b"a\r\nb\xff\n")
    assert commandline.read_text(str(path)) == "a\nb\udcff\n"
    for missing in (str(tmp_path / "none"), "a\0b"):
        with pytest.raises(commandline.Failure, match="failed to open"):
            commandline.read_bytes(missing)
