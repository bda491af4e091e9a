"""A program with everything in it, `whole/program.S`, and all that is made and said of it: `whole/*.txt`.

`make golden` writes the texts anew; read the diff before you commit it.  That they are right shows elsewhere:
kernels' rules, round trips and other tools judge the same bytes.  Here every byte and every word counts.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from dof import command, comparison, options, text, writer
from dof.format import ByteOrder

HERE = Path(__file__).parent / "whole"
SOURCE = (HERE / "program.S").read_text()
# What is changed, and into what: the comparison says so and nothing else.
EDITS = [
    (".model lp64", ".model ilp32"), (".option 4 4096", ".option 4 8192"),
    (".option 9 -1", ".option 9 0"), ("export", "import"), ('"info_t" 5/5/5', '"info_t" 5/5/4'),
    ('"proc_t"', '"zone_t"'), ('"pr_pid" d1 ctf integer 4', '"pr_pid" d1 ctf integer 8'),
    ('"pr_pid" d1', '"pr_pid" -'), ('"pr_name"', '"pr_nam"'), ('"read" "entry"', '"read" "return"'),
    ('"" "" "" "" 7', '"" "" "" "" 8'), (".predicate d1", ".predicate d2"), (" 0x2 1 ", " 0x2 2 "),
    ('"%s\\n"', '"%d\\n"'), ("agg_quantize - 0x1", "agg_quantize - 0x9"), ("agg_quantize", "agg_sum"),
    ("0x1 0x3 2", "0x1 0x2 2"), ("5/4/3", "5/4/2"), ("2/2/2", "2/2/1"), (".exports 0", ".exports"),
    ("0x1000", "0x1008"), ('0x1000 "main"', '0x1000 ""'), ('.native "int"', '.native "long"'),
    ('.xlated "string"', '.xlated "char *"'), (".mapping 1 0", ".mapping 0 1"), (".offsets 4", ".offsets 8"),
    (".enabled 8", ".enabled 16"), ('"aside" "asked"', '"aside" "ask"'),
    ("string unknown 0", "string unknown 1"),
    (".type ctf integer 4", ".type ctf integer 8"), ("setx 0 0x10", "setx 0 0x18"), ("usym", "vsym"),
    (".translation 0 1", ".translation 0 0"), (".translation 0 1", ".translation 1 0"),
    ("DT_INTEGER[1]", "DT_INTEGER[0]"), ("ldgs pid", "ldgs ppid"), ("be 7", "be 8"), ('"a b"', '"a c"'),
    ("pushtr string", "pushtr ctf"), ("strjoin", "strlen"), ("ldgs DT_VAR(1281)", "ldgs DT_VAR(1280)"),
    ("thread written", "thread read"), ("cmp %r1", "cmp %r3"),
]
OBJECTS: list[tuple[ByteOrder, int]] = [("little", 2), ("big", 2)]


def _command(folder: Path, *words: str) -> list[str]:
    """Return what difdis writes about the object file in a directory."""
    path, shown = folder / "whole.dof", folder / "shown"
    path.write_bytes(writer.write(text.load(SOURCE)))
    assert command.disassemble_main([*words, str(path), "-o", str(shown)]) == 0
    return shown.read_text().replace(f"{folder}/", "").splitlines()


def _binary(_folder: Path) -> list[str]:
    lines: list[str] = []
    program = text.load(SOURCE)
    for order, version in OBJECTS:
        data = writer.write(program, byteorder=order, version=version)
        lines += [f"{order}-endian, version {version}",
                  *(f"{at:06x} {data[at:at + 32].hex(' ', -4)}" for at in range(0, len(data), 32))]
    return lines


def _shown(folder: Path) -> list[str]:
    assert text.dump(text.load(text.dump(text.load(SOURCE)))) == text.dump(text.load(SOURCE))
    return [line for form in ([], ["-S"], ["--sections"], ["--json"])
            for line in (f"== difdis {' '.join(form)}", *_command(folder, *form))]


def _compared(_folder: Path) -> list[str]:
    program = text.load(SOURCE)
    lines = [line for block in comparison.outline(program)
             for line in (block.name, *(f"    {each}" for each in block.lines))]
    for old, new in EDITS:
        assert old in SOURCE, old
        lines += [f"== {old} becomes {new}",
                  *comparison.differences(program, text.load(SOURCE.replace(old, new, 1)))]
    return lines


def _options(_folder: Path) -> list[str]:
    """What is not words of the table of options."""
    return [f"{row.spelling}: phase {row.phase}, number {row.id},"
            f" {options.spelt_default(row) or row.default},"
            f" {row.in_kernel} in the kernel, {row.least} to {row.most}{', outside' if row.outside else ''}"
            f" {row.origin} {row.letter}".rstrip()
            for row in options.TABLE.values()]


LISTINGS = {"binary": _binary, "shown": _shown, "compared": _compared, "options": _options}


@pytest.mark.parametrize("name", LISTINGS)
def test_listing(name: str, tmp_path: Path) -> None:
    expected, made = (HERE / f"{name}.txt").read_text().splitlines(), LISTINGS[name](tmp_path)
    if name == "options":  # there may be new ones
        made = [line for line in made if line in expected]
    assert made == expected, "if this is meant, say `make golden`"


def regenerate() -> None:
    """Write every listing."""
    with tempfile.TemporaryDirectory() as folder:
        for name, made in LISTINGS.items():
            (HERE / f"{name}.txt").write_text("\n".join(made(Path(folder))) + "\n")


if __name__ == "__main__":
    regenerate()
