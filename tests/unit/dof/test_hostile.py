"""Inputs made to hurt: each ends in one DofError, or one line and status 1, quickly."""

from __future__ import annotations

import random
import struct
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dof import command, files, format, inspection, reader, text, writer
from dof.container import parse
from dof.format import DofError
from dof.model import Ecb, ProbeDesc, Program


def survive(data: bytes) -> None:
    """Read `data` in every way there is; only DofError may come out."""
    for read in (reader.read, reader.read_enabling, lambda d: reader.read_helper(d, base=1 << 40, address=8),
                 lambda d: inspection.describe(parse(d)), files.find):
        try:
            result = read(data)  # type: ignore[operator]
        except DofError as error:
            assert "\n" not in str(error)
        else:
            if isinstance(result, Program):
                text.dump(result)


@given(st.binary(max_size=400))
@settings(max_examples=100, deadline=None)
def test_random_bytes(data: bytes) -> None:
    survive(data)
    survive(format.MAGIC + data)


@pytest.mark.parametrize("seed", range(4))
def test_mutated_dof(enabling: Program, providers: Program, relocated: Program, seed: int) -> None:
    rng = random.Random(seed)
    for program in (enabling, providers, relocated):
        good = writer.write(program)
        for _ in range(100):
            data = bytearray(good)
            for _ in range(rng.choice((1, 1, 2, 8))):
                at = rng.randrange(len(data))
                data[at] = rng.choice((0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)))
            survive(bytes(data))


def test_every_truncation(enabling: Program) -> None:
    data = writer.write(enabling)
    for size in range(len(data)):
        with pytest.raises(DofError):
            reader.read(data[:size])


def test_all_sections_overlap(enabling: Program) -> None:
    data = bytearray(writer.write(enabling))
    container = parse(bytes(data))
    for index in range(len(container.sections)):
        struct.pack_into("<QQ", data, 64 + index * 32 + 16, 0, len(data) & ~31)
    survive(bytes(data))


def sections(rows: list[tuple[int, int, int, bytes]]) -> bytes:
    """DOF of (type, align, entry size, body) rows, back to back."""
    offset, table, body = 64 + 32 * len(rows), b"", b""
    for kind, align, entry, data in rows:
        body += bytes(-(offset + len(body)) % 8)
        table += struct.pack("<4I2Q", kind, align, 1, entry, offset + len(body), len(data))
        body += data
    size = offset + len(body)
    return (b"\x7fDOF" + bytes([2, 1, 1, 2, 8, 8]) + bytes(6)
            + struct.pack("<4I4Q", 0, 64, 32, len(rows), 64, size, size, 0) + table + body)


def bombs() -> Iterator[tuple[str, bytes]]:
    """Small files that stand for enormous programs by referring to the same parts again and again."""
    probe = (format.PROBEDESC, 4, 24, struct.pack("<6I", 0, 0, 0, 0, 0, 0))
    strings = (format.STRTAB, 1, 0, b"x" * 200_000 + b"\0")
    ret = struct.pack("<I", 0x23000001)
    big = (format.DIF, 4, 4, struct.pack("<I", 0x24000000) * 60_000 + ret)
    heads = [(format.DIFOHDR, 4, 0, struct.pack("<4BI1I", 0, 1, 0, 0, 8, 2))] * 1000
    acts = (format.ACTDESC, 8, 32, b"".join(
        struct.pack("<4I2Q", 3 + n, 0xFFFFFFFF, 2, 0, 0, 0) for n in range(1000)))
    ecb = (format.ECBDESC, 8, 0, struct.pack("<4IQ", 1, 0xFFFFFFFF, 1003, 0, 0))
    yield "one text in a thousand objects", sections([strings, probe, big, *heads, acts, ecb])
    formats = b"".join(struct.pack("<4I2Q", 0xFFFFFFFF, 0, 3, 0, n, 0) for n in range(16384))
    yield "formats that are suffixes of one string", sections(
        [strings, probe, (format.ACTDESC, 8, 32, formats),
         (format.ECBDESC, 8, 0, struct.pack("<4IQ", 1, 0xFFFFFFFF, 2, 0, 0))])
    entry = struct.pack("<Q6I2BHIHHI", 0, 0, 0, 0, 0, 0, 0, 0, 0, 65535, 0, 0, 0, 0)
    yield "probes that share 65535 offsets", sections(
        [(format.STRTAB, 1, 0, b"p\0"), (format.PROBES, 8, 48, entry * 5000), (format.PRARGS, 1, 1, b""),
         (format.PROFFS, 4, 4, bytes(4 * 65535)),
         (format.PROVIDER, 4, 0, struct.pack("<11I", 0, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0))])
    names = [(format.PROBEDESC, 4, 24, struct.pack("<6I", 0, n, 0, 0, 0, 0)) for n in range(2000)]
    ecbs = [(format.ECBDESC, 8, 0, struct.pack("<4IQ", n + 1, 0xFFFFFFFF, 0xFFFFFFFF, 0, 0))
            for n in range(2000)]
    yield "long probe names", sections([strings, *names, *ecbs])


@pytest.mark.parametrize(("name", "data"), list(bombs()), ids=lambda v: v if isinstance(v, str) else "")
def test_bombs_are_defused(name: str, data: bytes) -> None:
    start = time.process_time()
    with pytest.raises(DofError, match="exceeds maximum size"):
        reader.read(data)
    survive(data)
    assert time.process_time() - start < 20


def elf(sections_at: int = 64, count: int = 3, names: int = 1) -> bytes:
    """A 64-bit ELF header that claims a section table."""
    fields = struct.pack("<HHIQQQIHHHHHH", 1, 62, 1, 0, 0, sections_at, 0, 64, 0, 0, 64, count, names)
    return b"\x7fELF\2\1\1" + bytes(9) + fields + bytes(64)


HOSTILE = {
    "empty": b"",
    "one byte": b"\x7f",
    "magic alone": b"\x7fDOF",
    "zeros": bytes(4096),
    "ones": b"\xff" * 4096,
    "magic and ones": b"\x7fDOF" + b"\xff" * 4096,
    "ELF magic alone": b"\x7fELF",
    "ELF section table past the end": elf(1 << 40),
    "ELF section table wraps": elf((1 << 64) - 64),
    "ELF section names past the table": elf(names=500),
    "ELF of 65535 sections": elf(count=65535),
    "ELF section table over the header": elf(0),
    "text": b"BEGIN { exit(0); }",
}


@pytest.mark.parametrize("data", HOSTILE.values(), ids=list(HOSTILE))
@pytest.mark.parametrize("form", [[], ["-S"], ["--json"], ["--sections"], ["--check", "helper"]], ids=str)
def test_difdis_says_one_line(data: bytes, form: list[str], tmp_path: Path,
                              capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "hostile"
    path.write_bytes(data)
    assert command.disassemble_main([*form, str(path)]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"difdis: {path}: ") and err.count("\n") == 1


@pytest.mark.parametrize("data", [
    b"\0" * 1000, b"\xff" * 1000, b".difo", b".ecb", b".action 1 - 0 0 0", b".predicate d0", b".member",
    b".native", b'.source "' + b"(" * 1_000_000, b".probe", b".difo a\n.difo a", b".option 1",
    b"add " + b"%r1," * 100_000, b"setx " + b"9" * 100_000 + b", %r1", b"mov %r" + b"1" * 9999 + b", %r1",
    b".option 99999999999 0", b".translator both \"x\" 1/1/1", b".provider \"p\" 1 1 1 1 1", b"(" * 1_000_000,
    b".ecb \"a\" \"b\" \"c\" \"d\" 0 0\n.action printf - 0 0 0 \"\"", b"ret %r9", b".model huge",
], ids=lambda v: v[:12].decode("latin-1"))
def test_difas_says_one_line(data: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "hostile.s"
    path.write_bytes(data)
    assert command.assemble_main([str(path)]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"difas: {path}: ") and err.count("\n") == 1 and len(err) < 400


BEFORE = """.difo a
ret %r0
.ecb "" "" "" "" 0 0
.translator import "t" 1/1/1
.provider "p" 1/1/1 1/1/1 1/1/1 1/1/1 1/1/1
.probe "f" "n" 0 ""
"""
COUNTED = [
    ".model lp64", '.ecb "p" "m" "f" "n" 0 0', ".predicate a", ".action difexpr a 0 0 0", ".option 1 2",
    '.source "x"', '.comments "x"', '.utsname "x"', '.translator import "t" 1/1/1',
    '.member "m" - ctf integer 4 -', '.provider "q" 1/1/1 1/1/1 1/1/1 1/1/1 1/1/1', '.probe "f" "m" 0 ""']


@pytest.mark.parametrize("line", COUNTED)
def test_directives_count_their_words(line: str) -> None:
    assert text.load(BEFORE + line)
    more = f"{line} 1" if not line.startswith(".action") else f'{line} "x" 1'
    for wrong in (line.rpartition(" ")[0], more):
        with pytest.raises(ValueError, match="line 7: expected "):
            text.load(BEFORE + wrong)


def test_missing_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.disassemble_main([str(tmp_path / "absent")]) == 1
    assert command.assemble_main([str(tmp_path)]) == 1
    assert capsys.readouterr().err.count("\n") == 2


def test_long_probe_names_are_cut_as_a_kernel_cuts_them() -> None:
    data = writer.write(Program(ecbs=[Ecb(ProbeDesc("p" * 100, "m" * 100, "f" * 300, "n" * 100))]))
    probe = reader.read_enabling(data).ecbs[0].probe
    assert [len(part) for part in probe[:4]] == [63, 63, 191, 63]
    assert len(reader.read(data).ecbs[0].probe.function) == 300
