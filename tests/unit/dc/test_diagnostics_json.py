"""Diagnostics for programs: dc -e --emit json, and -x oformat=json."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dc.command import main
from runtime.command.command import main as dtrace

WRONG = "BEGIN\n{\n\ttrace(copyinst(1));\n\ty = nosuch;\n}\n"


@pytest.fixture()
def wrong(tmp_path: Path) -> str:
    path = tmp_path / "wrong.d"
    path.write_text(WRONG)
    return str(path)


def test_a_list_of_all_inputs(wrong: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = tmp_path / "good.d"
    good.write_text("BEGIN { exit(0); }\n")
    assert main(["-e", "--emit", "json", "--all-errors", wrong, str(good)]) == 1
    out, err = capsys.readouterr()
    first, second = json.loads(out)
    line = WRONG.split("\n")[first["line"] - 1]
    assert line[first["column"] - 1:first["end_column"] - 1] == "copyinst"
    assert (first["file"], first["tag"], first["severity"]) == (wrong, "D_FUNC_UNDEF", "error")
    assert first["hint"] == "did you mean `copyinstr`?"
    assert (second["line"], second["tag"]) == (4, "D_IDENT_UNDEF")
    assert err == ""
    assert main(["-e", "--emit", "json", str(good)]) == 0
    assert json.loads(capsys.readouterr().out) == []


@pytest.mark.parametrize("command", [main, dtrace])
def test_a_line_of_json_on_standard_error(command: object, wrong: str,
                                          capsys: pytest.CaptureFixture[str]) -> None:
    assert callable(command)
    assert command(["-x", "oformat=json", "-e", "-s", wrong]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    said = [json.loads(line) for line in err.splitlines()]
    assert [(each["tag"], each["line"]) for each in said] == [("D_FUNC_UNDEF", 3)]
