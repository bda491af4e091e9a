"""Small D programs, and what the compiler makes of each: a change of the compiler shows as a readable diff.

    CATEGORY/NAME.d     the program; its first line may be /* dc: OPTIONS */
    CATEGORY/NAME.S     what `dc -S` lists
    CATEGORY/NAME.dif   what `difdis` shows of the DOF

`make golden` writes the expected texts anew; read the diff before you commit it.
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

import pytest

from dc.command import main as dc
from dof.command import disassemble_main as difdis

HERE = Path(__file__).parent
PROGRAMS = sorted(HERE.glob("*/*.d"))
OPTIONS = re.compile(r"/\* dc: (.*?) \*/")


def texts(program: Path, folder: Path) -> dict[str, str]:
    """The listings of one program, by suffix; `folder` holds the files on the way there."""
    first = OPTIONS.match(program.read_text())
    options = first[1].split() if first else []
    listing, binary, shown = folder / "listing", folder / "binary", folder / "shown"
    assert dc([*options, "-S", "-o", str(listing), str(program)]) == 0
    assert dc([*options, "-o", str(binary), str(program)]) == 0
    assert difdis([str(binary), "-o", str(shown)]) == 0
    return {".S": listing.read_text(), ".dif": shown.read_text()}


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_listings(program: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for suffix, text in texts(program, tmp_path).items():
        assert text == program.with_suffix(suffix).read_text(), "if this is meant, say `make golden`"
    assert capsys.readouterr() == ("", "")


def test_every_expectation_has_a_program() -> None:
    expected = {path for suffix in (".S", ".dif") for path in HERE.glob(f"*/*{suffix}")}
    assert expected == {path.with_suffix(suffix) for path in PROGRAMS for suffix in (".S", ".dif")}


def regenerate() -> None:
    """Write every expected text, and take away those whose program is gone."""
    for suffix in (".S", ".dif"):
        for path in HERE.glob(f"*/*{suffix}"):
            if not path.with_suffix(".d").exists():
                path.unlink()
    with tempfile.TemporaryDirectory() as folder:
        for program in PROGRAMS:
            for suffix, text in texts(program, Path(folder)).items():
                program.with_suffix(suffix).write_text(text)


if __name__ == "__main__":
    regenerate()
