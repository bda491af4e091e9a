"""difas and difdis as commands: files in, files out."""

from __future__ import annotations

import json
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dif.assembler import assemble
from dof import command, reader, writer
from dof.model import ActionKind, Program


def difdis(*arguments: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert command.disassemble_main(arguments) == 0
    return capsys.readouterr().out


def test_text_object_text(enabling: Program, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = tmp_path / "first.dof"
    first.write_bytes(writer.write(enabling))
    shown = difdis(str(first), capsys=capsys)
    source = tmp_path / "second.s"
    source.write_text(shown)
    assert command.assemble_main([str(source)]) == 0
    second = tmp_path / "second.dof"
    assert difdis(str(second), capsys=capsys) == shown
    assert reader.read(second.read_bytes()) == enabling
    other = ["--byte-order", "big", "--dof-version", "2", "-o", str(first)]
    assert command.assemble_main([str(source), *other]) == 0
    assert first.read_bytes()[5:7] == b"\2\2"
    assert difdis(str(first), capsys=capsys) == shown


def test_the_same_bytes(enabling: Program, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Also where two objects have a table in common, which DOF holds once."""
    enabling.ecbs[1].predicate = assemble(".returns ctf integer 8 -\nsetx 10, %r1\nret %r1")
    first, source, second = tmp_path / "first.dof", tmp_path / "first.s", tmp_path / "second.dof"
    first.write_bytes(writer.write(enabling))
    source.write_text(difdis(str(first), capsys=capsys))
    assert command.assemble_main([str(source), "-o", str(second)]) == 0
    assert second.read_bytes() == first.read_bytes()


def test_other_forms(enabling: Program, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.dof"
    path.write_bytes(writer.write(enabling))
    listing = difdis("-S", str(path), capsys=capsys)
    assert listing.count("DIFO ") == 2
    assert 'stgs %r1, DT_VAR(1280)\t\t! DT_VAR(1280) = "n"' in listing
    assert "ECBDESC" in difdis("--sections", str(path), capsys=capsys)
    sections = json.loads(difdis("--json", str(path), capsys=capsys))["sections"]
    assert [row["entries"][0]["uarg"] for row in sections if row["name"] == "ECBDESC"] == [7, 0]


@pytest.mark.parametrize(("changes", "reason"), [
    ({}, None), ({"kind": 0x42}, "unknown action 0x42"), ({"kind": 0x10003}, None),
    ({"kind": 0x0799, "ntuple": 1}, "unknown aggregating function 0x799"),
    ({"difo": None}, "printf without a DIF object"), ({"kind": ActionKind.COMMIT}, "after commit()"),
    ({"kind": ActionKind.EXIT}, "not 4 bytes"), ({"kind": ActionKind.SPECULATE}, "after commit() or specul")])
def test_what_a_kernel_refuses_once_a_probe_matches(
        enabling: Program, tmp_path: Path, capsys: pytest.CaptureFixture[str], changes: dict[str, Any],
        reason: str | None) -> None:
    """Its reading of DOF is not the end: it looks at actions when it makes them a probe's."""
    first, second = enabling.ecbs
    first.actions[0].difo, second.actions = first.actions[1].difo, []
    for name, value in changes.items():
        setattr(first.actions[0], name, value)
    path = tmp_path / "a.dof"
    path.write_bytes(writer.write(enabling))
    assert command.disassemble_main(["--check", "enabling", str(path)]) == (1 if reason else 0)
    out, err = capsys.readouterr()
    assert out == ("" if reason else "file: accepted\n")
    assert (reason or "") in err and ("ECB 0" in err) == bool(reason)


def test_a_broken_object_needs_force(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "bad.s"
    source.write_text("mov %r1, %r0\nret %r1\n")
    assert command.assemble_main([str(source)]) == 1
    assert "object d0: instruction 0 (offset 0): cannot write to %r0" in capsys.readouterr().err
    assert command.assemble_main(["-f", str(source)]) == 0
    shown = difdis(str(tmp_path / "bad.dof"), capsys=capsys)
    assert "\tmov  %r1, %r0\n" in shown


def elf_with(contents: bytes) -> bytes:
    """A relocatable x86-64 ELF file whose one section, .SUNW_dof, holds `contents`."""
    names = b"\0.SUNW_dof\0.shstrtab\0"
    at = 64 + len(contents)
    header = b"\x7fELF\2\1\1" + bytes(9) + struct.pack(
        "<HHIQQQIHHHHHH", 1, 62, 1, 0, 0, at + len(names), 0, 64, 0, 0, 64, 3, 2)
    table = bytes(64) + struct.pack("<IIQQQQIIQQ", 1, 0x6FFFFFF4, 2, 0, 64, len(contents), 0, 0, 8, 0)
    table += struct.pack("<IIQQQQIIQQ", 11, 3, 0, 0, at, len(names), 0, 0, 1, 0)
    return header + contents + names + table


def test_dof_in_an_elf_file(enabling: Program, providers: Program, tmp_path: Path,
                            capsys: pytest.CaptureFixture[str]) -> None:
    one, two = writer.write(providers), writer.write(enabling)
    path = tmp_path / "a.o"
    path.write_bytes(elf_with(one + bytes(-len(one) % 64) + two))
    shown = difdis(str(path), capsys=capsys)
    assert shown.startswith("# section 1 .SUNW_dof offset 0x0\n.model lp64\n")
    assert '.provider "prov"' in shown and '.ecb "syscall"' in shown
    assert len(json.loads(difdis("--json", str(path), capsys=capsys))) == 2


def test_dof_in_an_elf_file_that_is_broken(providers: Program, tmp_path: Path,
                                           capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.o"
    path.write_bytes(elf_with(writer.write(providers)[:-40]))
    assert command.disassemble_main([str(path)]) == 1
    assert "truncated" in capsys.readouterr().err


def test_standard_streams(tmp_path: Path) -> None:
    source = "ret %r0\n"
    run = [sys.executable, "-c", "import sys; from dof.command import *; sys.exit(eval(sys.argv[1]))"]
    made = subprocess.run([*run, "assemble_main(['-'])"], input=source.encode(), capture_output=True,
                          check=True)
    shown = subprocess.run([*run, "disassemble_main(['-'])"], input=made.stdout, capture_output=True,
                           check=True)
    assert shown.stdout.decode().endswith(".difo d0\n.returns ctf unknown 0 -\n\tret  %r0\n")
