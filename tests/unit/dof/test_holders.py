"""difdis finds DOF in whatever holds it, says where it lay, and stops at hostile files."""

from __future__ import annotations

import json
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import pytest
from made_files import fat, macho, member

from dof import command, files, reader, writer
from dof.format import DofError
from dof.holders import archive, scan
from dof.model import Program
from runtime.consumer import anonymous


def places(data: bytes) -> list[tuple[str, int | None]]:
    return [(each.place, each.offset) for each in files.find(data)]


@pytest.fixture()
def image(enabling: Program) -> bytes:
    return writer.write(enabling)


@pytest.mark.parametrize(("bits", "order"), [(64, "<"), (32, "<"), (32, ">")])
def test_macho(bits: int, order: str, image: bytes) -> None:
    file = macho(image, bits=bits, order=order)
    assert places(file) == [("section __DATA,__dof_prov offset 0x0", file.index(image))]
    both = fat(file, file)
    assert [place for place, _ in places(both)] == [
        "architecture x86_64: section __DATA,__dof_prov offset 0x0",
        "architecture arm64: section __DATA,__dof_prov offset 0x0"]
    assert [both[at:at + len(image)] for _, at in places(both) if at] == [image, image]


@pytest.mark.parametrize("bits", [32, 64])
def test_a_section_of_machos_own_kind_for_dof(bits: int, image: bytes) -> None:
    for kind in (15, 0x1000000F):
        assert len(places(macho(image, bits=bits, name=b"__other", kind=kind))) == 1
    with pytest.raises(DofError, match="no DOF in it"):
        files.find(macho(image, bits=bits, name=b"__other", kind=14))


def test_dof_of_darwin_is_read(image: bytes) -> None:
    darwin = image[:6] + b"\3" + image[7:]
    assert reader.read(darwin) == reader.read(image)
    with pytest.raises(DofError, match="unsupported DOF version 3"):
        reader.read_enabling(darwin)


def test_archives(image: bytes) -> None:
    names = b"a-long-name-of-a-member.dof/\n"
    file = b"!<arch>\n" + member(b"/", bytes(4)) + member(b"//", names) + member(b"none.txt/", b"text") + \
        member(b"/0", image) + member(b"#1/8", b"bsd.dof\0" + image)
    assert [place for place, _ in places(file)] == ["member a-long-name-of-a-member.dof", "member bsd.dof"]
    assert all(file[at:at + len(image)] == image for _, at in places(file) if at is not None)
    assert places(b"!<arch>\n" + member(b"inner.a/", file))[0][0] == \
        "member inner.a, member a-long-name-of-a-member.dof"


@pytest.mark.skipif(shutil.which("ar") is None, reason="needs ar")
def test_a_thin_archive_reaches_no_file_outside_its_directory(
        image: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "build"
    folder.mkdir()
    for path in (folder / "in.dof", tmp_path / "out.dof"):
        path.write_bytes(image)
    subprocess.run(["ar", "rcST", "good.a", "in.dof"], cwd=folder, check=True)
    subprocess.run(["ar", "rcST", "bad.a", "../out.dof"], cwd=folder, check=True)
    assert command.disassemble_main([str(folder / "good.a")]) == 0
    assert capsys.readouterr().out.startswith("# member in.dof\n.model")
    assert command.disassemble_main([str(folder / "bad.a")]) == 1
    assert "outside the directory of" in capsys.readouterr().err


def test_what_anonymous_tracing_left(image: bytes, tmp_path: Path) -> None:
    path = tmp_path / "dtrace.conf"
    path.write_text('name="dtrace" parent="pseudo" instance=0;\n')
    anonymous.save(str(path), [image, image])
    assert places(path.read_bytes()) == [("property dof-data-0", None), ("property dof-data-1", None)]
    assert [each.data for each in files.find(path.read_bytes())] == [image, image]
    with pytest.raises(DofError, match="dof-data-0 is no list of bytes"):
        files.find(b"dof-data-0=0x7f,256;\n")


def test_any_bytes_are_searched(image: bytes) -> None:
    false = b"\x7fDOF" + bytes(80) + image[:200]
    blob = b"firmware" * 5 + false + image + b"!" + image + b"\x7fDO"
    first = len(b"firmware" * 5 + false)
    assert places(blob) == [(f"offset {first:#x}", first),
                            (f"offset {first + len(image) + 1:#x}", first + len(image) + 1)]
    assert [place for place, _ in places(image + image)] == ["offset 0x0", f"offset {len(image):#x}"]


def test_a_core_file(image: bytes) -> None:
    """A program header says that the file's bytes from 0x100 lay at 0x400000."""
    head = b"\x7fELF\2\1\1".ljust(16, b"\0")
    head += struct.pack("<HHIQQQIHHHHHH", 4, 62, 1, 0, 64, 0, 0, 64, 56, 1, 0, 0, 0)
    head += struct.pack("<IIQQQQQQ", 1, 4, 0x100, 0x400000, 0, 4096, 4096, 4096)
    core = head.ljust(0x110, b"\0") + image + bytes(4096)
    assert places(core) == [("segment 0 address 0x400010", 0x110)]


def test_several_files(image: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file without DOF gets its line and the status, and the others are shown."""
    one, two, none = tmp_path / "one.dof", tmp_path / "two.bin", tmp_path / "none"
    one.write_bytes(image)
    two.write_bytes(b"x" + image)
    none.write_text("nothing")
    assert command.disassemble_main([sys.executable]) == 1
    assert capsys.readouterr().err == f"difdis: {sys.executable}: ELF: no DOF in it\n"
    assert command.disassemble_main(["--json", str(one), str(none), str(two)]) == 1
    out, err = capsys.readouterr()
    assert [(each["file"], each["place"], each["offset"]) for each in json.loads(out)] == \
        [(str(one), "file", 0), (str(two), "offset 0x1", 1)]
    assert err == f"difdis: {none}: file: no DOF in it\n"


def test_a_file_size_beyond_all_files(image: bytes) -> None:
    """What a kernel loads is whole; the size of the file is 64 bits of ones."""
    huge = image[:48] + b"\xff" * 8 + image[56:]
    assert places(macho(huge + bytes(16)))[0][0] == "section __DATA,__dof_prov offset 0x0"


def hostile(image: bytes) -> dict[str, bytes]:
    nested = image
    for _ in range(6):
        nested = b"!<arch>\n" + member(b"a/", nested)
    # Every place claims megabytes of section headers of its own.
    claim = image[:16] + struct.pack("<IIIIQQQQ", 0, 64, 32, 1000, 64, 1 << 20, 1 << 20, 0)
    return {
        "archives in archives": nested,
        "a member longer than the archive": b"!<arch>\n" + member(b"a/", image)[:-50],
        "a name past its table": b"!<arch>\n" + member(b"/99", image),
        "a load command of no size": macho(image)[:32] + struct.pack("<II", 0x19, 0) + bytes(200),
        "a section past the end": macho(image)[:-20],
        "architectures past the end": fat(macho(image))[:20],
        "many false places": b" " + claim * 3000 + bytes(1 << 20),
        "places without end": b" " + b"\x7fDOF" * 70_000,
        "more objects than there are": b" " + image * 4100,
    }


@pytest.mark.parametrize("name", hostile(b""))
def test_hostile_files(name: str, image: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "hostile"
    path.write_bytes(hostile(image)[name])
    assert command.disassemble_main(["--sections", str(path)]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"difdis: {path}: ") and err.count("\n") == 1


@pytest.mark.parametrize(("places", "bound"), [(2, True), (3, False)])
def test_so_many_places_may_look_like_dof(places: int, bound: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan, "_MOST_PLACES", 2)
    data = b"\x7fDOF" * places + bytes(64)
    if bound:
        assert [*scan.objects(data, 0)] == [*scan.objects(data, 4)] == []
    else:
        with pytest.raises(DofError, match="offset 0x8: too many places begin as DOF does, and are none"):
            list(scan.objects(data, 0))
        assert [*scan.objects(data, 1)] == []


def test_so_much_may_follow_what_looks_like_dof(image: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """Headers that make sense, before contents that do not, take room."""
    false = bytearray(image)
    false[64:] = b"\xff" * (len(image) - 64)
    size = int.from_bytes(image[40:48], "little")
    data = bytes(false) * 2
    for room, fits in ((2 * size, True), (2 * size - 1, False)):
        monkeypatch.setattr(scan, "_MOST_BYTES", room)
        if fits:
            assert [at for at, _ in scan.objects(data + image, 0)] == [len(data)]
        else:
            with pytest.raises(DofError, match="too many places"):
                list(scan.objects(data + image, 0))


@pytest.mark.parametrize(("field", "found"), [
    (b"a.o/", (b"a.o", 0)), (b"a.o", (b"a.o", 0)), (b"abc12", (b"abc12", 0)),
    (b"#1/x", (b"#1/x", 0)), (b"#1/3", (b"beg", 3)), (b"#1/9", (b"beginning", 9)),
    (b"#1/12", (b"beginning", 12)), (b"/0", (b"first", 0)),
    (b"/7", (b"second", 0)), (b"/15", (b"x", 0)), (b"/", (b"/", 0)), (b"/x/", (b"/x", 0)),
    (b"#1/13", "a name of 13 bytes is longer than its member"),
    (b"/16", "a name at 16 of a table of 16 bytes")])
def test_names_of_members(field: bytes, found: tuple[bytes, int] | str) -> None:
    """Short ones, GNU's long ones in a table, BSD's in front of the contents."""
    table, beginning = b"first/\nsecond/\nx", b"beginning\0\0\0"
    if isinstance(found, str):
        with pytest.raises(DofError, match=found):
            archive._full_name(field, table, beginning)
    else:
        assert archive._full_name(field, table, beginning) == found


@pytest.mark.skipif(shutil.which("ar") is None, reason="needs ar")
@pytest.mark.parametrize("thin", [False, True])
def test_archives_that_are_built_are_those_of_ar(tmp_path: Path, thin: bool) -> None:
    """Names of 14, 15 and 16 bytes, contents of odd and of even sizes.

    (ar leaves a slash where a name of 15 bytes would end that it has put into the table of a thin archive.)
    """
    named = {"a" * 14: b"1", "b" * (14 if thin else 15): b"22", "c" * 16: b"", "d": b"4444444"}
    stamp = b"0".ljust(12) + b"0".ljust(6) + b"0".ljust(6) + b"644".ljust(8)
    for name, data in named.items():
        (tmp_path / name).write_bytes(data)
        (tmp_path / name).chmod(0o644)
    subprocess.run(["ar", "rcDS", *(["--thin"] if thin else []), "made.a", *named], cwd=tmp_path, check=True)
    members = [archive.Member(name, 0, data, stamp) for name, data in named.items()]
    made = archive.built(members, [[]] * 4, thin=thin)
    symbols = b"/".ljust(16) + archive._OF_SYMBOLS + b"4".ljust(10) + b"`\n" + bytes(4)  # which S leaves out
    assert made[8:8 + len(symbols)] == symbols
    assert made[:8] + made[8 + len(symbols):] == (tmp_path / "made.a").read_bytes()
    assert [each.name for each in archive.members(made)] == [*named]
    assert [each.data for each in archive.members(made)] == ([None] * 4 if thin else [*named.values()])


def test_archives_have_a_table_of_symbols() -> None:
    """The name of each, and where the member begins that defines it."""
    members = [archive.Member("a.o", 0, b"123"), archive.Member("b.o", 0, b"4")]
    made = archive.built(members, [[b"one", b"two"], [b"three"]])
    count, *places = struct.unpack_from(">4I", made, 68)
    assert count == 3 and made[84:98] == b"one\0two\0three\0" and places[0] == places[1]
    assert [made[at:at + 4] for at in places[1:]] == [b"a.o/", b"b.o/"]
    with pytest.raises(DofError, match="4 GB or more"):
        archive._offset(1 << 32)
    assert archive._offset((1 << 32) - 1) == b"\xff" * 4
