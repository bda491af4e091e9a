"""Hostile input to every command ends with one line that says what and where, status 1, and soon."""

from __future__ import annotations

import random
import re
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path

import atonce
import pytest

SECONDS = 30
SCRIPT = 'syscall::write:entry /execname == "a"/ { @[arg0] = count(); printf("%d\\n", arg1); }\n'


def run(command: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    return atonce.run([command, *arguments], seconds=SECONDS)


@pytest.fixture(scope="module")
def dof(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    folder = tmp_path_factory.mktemp("dof")
    (folder / "a.d").write_text(SCRIPT)
    result = run("dc", folder / "a.d", "-o", folder / "a.dof")
    assert result.returncode == 0, result.stderr
    return (folder / "a.dof").read_bytes()


@pytest.fixture(scope="module")
def elf(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    folder = tmp_path_factory.mktemp("elf")
    (folder / "a.c").write_text("int f(void) { return 1; }\n")
    subprocess.run(["cc", "-c", "-o", folder / "a.o", folder / "a.c"], check=True)
    return (folder / "a.o").read_bytes()


def patched(data: bytes, offset: int, layout: str, *values: int) -> bytes:
    out = bytearray(data)
    struct.pack_into(layout, out, offset, *values)
    return bytes(out)


def section(dof: bytes, number: int) -> int:
    """Offset of a section header (dof_sec_t: type, align, flags, entsize, offset, size)."""
    return struct.unpack_from("<Q", dof, 32)[0] + 32 * number


def self_linked(dof: bytes) -> bytes:
    """The first DIFO header of the file links to itself: a cycle."""
    for number in range(struct.unpack_from("<I", dof, 28)[0]):
        kind, *_rest, offset, _size = struct.unpack_from("<IIIIQQ", dof, section(dof, number))
        if kind == 6:
            return patched(dof, offset + 8, "<I", number)
    raise AssertionError("no DIFO in the file")


DOF_INPUTS: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda dof: b"",
    "truncated header": lambda dof: dof[:40],
    "truncated body": lambda dof: dof[:len(dof) // 2],
    "random bytes": lambda dof: random.Random(1).randbytes(4096),
    "random after magic": lambda dof: dof[:16] + random.Random(2).randbytes(4096),
    "huge section count": lambda dof: patched(dof, 28, "<I", 0xFFFFFFFF),
    "section table outside": lambda dof: patched(dof, 32, "<Q", 1 << 40),
    "load size beyond the file": lambda dof: patched(dof, 40, "<Q", 1 << 62),
    "overlapping sections": lambda dof: patched(dof, section(dof, 1) + 16, "<Q", 0),
    "section size wraps": lambda dof: patched(dof, section(dof, 1) + 16, "<QQ", 0xFFFFFFFFFFFFFFF8, 64),
    "cyclic sections": self_linked,
    "unknown version": lambda dof: patched(dof, 6, "<B", 77),
}
ELF_INPUTS: dict[str, Callable[[bytes], bytes]] = {
    "truncated": lambda elf: elf[:100],
    "section table outside": lambda elf: patched(elf, 40, "<Q", 1 << 50),
    "section entry size 1": lambda elf: patched(elf, 58, "<H", 1),
    "string section outside": lambda elf: patched(elf, 62, "<H", 0xFFF0),
    "noise in place of sections": lambda elf: elf[:-512] + random.Random(3).randbytes(512),
}
D_INPUTS = {
    "1 MB of (": "(" * (1 << 20),
    "1 MB of { in a clause": "BEGIN " + "{" * (1 << 20),
    "an expression 20,000 deep": "BEGIN { trace(" + "-" * 20000 + "1); }",
    "NUL bytes": "BEGIN\0{ trace(1\0); }",
    "an unclosed comment": "BEGIN { } /* " + "x" * 100000,
    "an unclosed string": 'BEGIN { trace("' + "x" * 100000,
}


def assert_refused(result: subprocess.CompletedProcess[str], lines: int = 1) -> None:
    assert result.returncode == 1, (result.returncode, result.stderr[-500:])
    assert "Traceback" not in result.stderr
    said = [line for line in result.stderr.splitlines() if line.strip()]
    assert len(said) == lines, said
    assert len(said[0]) < 400


@pytest.mark.parametrize("name", DOF_INPUTS)
def test_difdis_refuses_bad_dof(name: str, dof: bytes, tmp_path: Path) -> None:
    path = tmp_path / "bad.dof"
    path.write_bytes(DOF_INPUTS[name](dof))
    assert_refused(run("difdis", "--check", "enabling", path))


@pytest.mark.parametrize("name", ELF_INPUTS)
def test_link_refuses_bad_objects(name: str, elf: bytes, tmp_path: Path) -> None:
    (tmp_path / "p.d").write_text("provider p { probe q(int); };\n")
    (tmp_path / "bad.o").write_bytes(ELF_INPUTS[name](elf))
    assert_refused(run("dtrace", "-G", "-s", tmp_path / "p.d", tmp_path / "bad.o", "-o", tmp_path / "out.o"))
    assert not (tmp_path / "out.o").exists()


@pytest.mark.parametrize("name", D_INPUTS)
def test_dc_refuses_bad_programs(name: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.d"
    path.write_text(D_INPUTS[name])
    result = run("dc", "-x", "errtags", path, "-o", tmp_path / "out.dof")
    assert_refused(result)
    assert re.search(r"\[D_[A-Z_]+\] line \d+: ", result.stderr)
    assert not (tmp_path / "out.dof").exists()


def test_reading_what_is_not_there(tmp_path: Path) -> None:
    for command, *arguments in (("difdis", tmp_path / "none"), ("dc", tmp_path / "none.d"),
                                ("dtrace", "-s", tmp_path / "none.d"), ("difdis", tmp_path)):
        assert_refused(run(command, *arguments))  # type: ignore[arg-type]
