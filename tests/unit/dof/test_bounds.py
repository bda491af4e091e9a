"""What lies on either side of a bound: of tables, files in files, names and numbers."""

from __future__ import annotations

import io
import os
import stat
import struct
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from made_files import elf, fat, macho, member

from dif.assembler import assemble
from dof import commandline, files, outputs, reader, writer
from dof import format as dof
from dof.elf import ElfError, ElfFile, Symbol, TooManySymbols, string_at
from dof.format import DofError
from dof.globs import matches
from dof.holders import scan
from dof.model import Action, ActionKind, Attributes, Ecb, Probe, ProbeDesc, Program, Provider
from dof.usdt import sites
from dof.usdt.sites import Function, Functions


@pytest.fixture
def image() -> bytes:
    return writer.write(Program(ecbs=[Ecb(ProbeDesc("a", "", "", ""), None, [
        Action(ActionKind.EXIT, assemble(".returns ctf integer 8 -\nret %r0"))])]))


# -- where DOF lies ---------------------------------------------------------------------------------------

def with_segments(contents: bytes, segments: list[tuple[int, int, int]], kind: int = 2,
                  bits: int = 64) -> bytes:
    """An ELF file without sections, whose segments are (offset, address, size)."""
    wide = bits == 64
    size, entry = (64, 56) if wide else (52, 32)
    head = b"\x7fELF" + bytes((bits // 32, 1, 1)) + bytes(9) + struct.pack(
        "<HHIQQQIHHHHHH" if wide else "<HHIIIIIHHHHHH", kind, 62, 1, 0, size, 0, 0, size, entry,
        len(segments), 64 if wide else 40, 0, 0)
    for offset, address, extent in segments:
        head += struct.pack("<IIQQQQQQ", 1, 4, offset, address, address, extent, extent, 1) if wide else \
            struct.pack("<IIIIIIII", 1, offset, address, address, extent, extent, 4, 1)
    return head + contents


@pytest.mark.parametrize("bits", [32, 64])
def test_which_segment_holds_it(bits: int, image: bytes) -> None:
    start = 64 + 2 * 56 if bits == 64 else 52 + 2 * 32
    file = with_segments(b"...." + image, [(0, 0x1000, start + 4), (start + 4, 0x5000, len(image))],
                         bits=bits)
    assert [each.place for each in files.find(file)] == ["segment 1 address 0x5000"]
    file = with_segments(b"...." + image, [(start, 0x5000, 5), (0, 0x9000, 1)], bits=bits)
    assert [each.place for each in files.find(file)] == ["segment 0 address 0x5004"]
    file = with_segments(b"...." + image, [(start, 0x5000, 4), (0, 0x9000, 1)], bits=bits)
    assert [each.place for each in files.find(file)] == [f"offset {start + 4:#x}"]
    read = ElfFile(file)
    assert [tuple(each) for each in read.segments()] == [(1, 4, start, 0x5000, 4, 4), (1, 4, 0, 0x9000, 1, 1)]


def test_a_table_of_segments_that_is_broken(image: bytes) -> None:
    file = bytearray(with_segments(image, [(0, 0, 9)]))
    assert len(ElfFile(bytes(file[:120])).segments()) == 1
    with pytest.raises(ElfError, match="broken program header table"):
        ElfFile(bytes(file[:119])).segments()
    file[54] = 57
    with pytest.raises(ElfError, match="broken program header table"):
        ElfFile(bytes(file)).segments()
    file[56] = 0
    assert ElfFile(bytes(file)).segments() == []


def test_which_section_holds_it(image: bytes) -> None:
    """In a section with another purpose, at its first byte and later; one without bytes holds nothing."""
    for lead in (b"", b"12345678"):
        file = bytes(elf([(".bss", 8, 3, b"", 0, 0, 1, 0), (".data", 1, 3, lead + image, 0, 0, 8, 0)]))
        assert [each.place for each in files.find(file)] == [f"section 2 .data offset {len(lead):#x}"]
    large = bytearray(file)
    struct.pack_into("<Q", large, len(large) - 3 * 64 + 32, 1 << 20)  # .bss
    assert [each.place for each in files.find(bytes(large))] == ["section 2 .data offset 0x8"]


def test_room_for_members_of_thin_archives(image: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    thin = b"!<thin>\n" + b"".join(name.ljust(48) + str(len(image)).encode().ljust(10) + b"`\n"
                                   for name in (b"a/", b"b/"))
    monkeypatch.setattr(files, "LARGEST_FILE", 2 * len(image))
    assert len(files.find(thin, lambda _name: image)) == 2
    monkeypatch.setattr(files, "LARGEST_FILE", 2 * len(image) - 1)
    with pytest.raises(DofError, match="the members have more than"):
        files.find(thin, lambda _name: image)
    with pytest.raises(DofError, match="no directory is known"):
        files.find(thin)
    monkeypatch.setattr(files, "_MOST_OBJECTS", 2)
    with pytest.raises(DofError, match="MB of them"):
        files.find(image + image)
    monkeypatch.setattr(files, "LARGEST_FILE", 9 * len(image))
    assert len(files.find(image + image)) == 2
    with pytest.raises(DofError, match="more than 2 DOF objects"):
        files.find(image * 3)


def test_archives_in_archives(image: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    nested = image
    for _ in range(4):
        nested = b"!<arch>\n" + member(b"a/", nested)
    assert files.find(nested)[0].place == "member a, member a, member a, member a"
    assert nested[files.find(nested)[0].offset or 0:][:len(image)] == image
    with pytest.raises(DofError, match="more than 4 archives in one another"):
        files.find(b"!<arch>\n" + member(b"a/", nested))
    assert files.find(b"!<arch>\n" + member(b"\x01\x02/", image))[0].place == "member ??"


@pytest.mark.parametrize(("change", "what"), [
    (lambda file: file[:-1], "no Mach-O file lies there"),  # ends beyond the file, and is one
    (lambda file: file[:28] + b"\0" + file[29:], "no Mach-O file lies there"),  # ends there, and is none
    (lambda file: file[:27], "architectures passes the end")])
def test_parts_of_a_universal_file(change: object, what: str, image: bytes) -> None:
    file = fat(macho(image))
    assert len(files.find(file)) == 1
    broken = change(file)  # type: ignore[operator]
    with pytest.raises(DofError, match=what):
        files.find(broken)


def test_the_architectures_of_a_java_class(image: bytes) -> None:
    for count, is_one in ((0, False), (1, True), (32, True), (33, False)):
        from dof.holders.macho import is_macho

        assert is_macho(struct.pack(">II", 0xCAFEBABE, count)) is is_one
    short = fat(macho(image)[:31])
    with pytest.raises(DofError, match="truncated header"):
        files.find(short)
    with pytest.raises(DofError, match="no DOF in it"):
        files.find(fat(macho(b"")[:32].replace(struct.pack("<I", 1) + macho(b"")[20:24], bytes(8))))


def test_load_commands_that_end_where_the_file_does(image: bytes) -> None:
    for bits in (32, 64):
        with pytest.raises(DofError, match="no DOF in it"):
            files.find(macho(b"", bits=bits, name=b"__other"))
        whole = macho(image, bits=bits)
        assert len(files.find(whole)) == 1
        with pytest.raises(DofError, match="passes the end of the file"):
            files.find(whole[:-1])
        with pytest.raises(DofError, match="has a size of"):
            files.find(macho(b"", bits=bits)[:-1])


def test_places_in_the_middle_of_words(image: bytes) -> None:
    """An object is aligned as its file says it; a search finds it at any byte."""
    for lead in range(9):
        assert list(scan.objects(b"x" * lead + image, 0)) == [(lead, image)]
    assert list(scan.objects(b"x" + image, 2)) == []


# -- ELF files --------------------------------------------------------------------------------------------

def symbols_of(extended: bytes = b"", symbols: bytes = b"") -> ElfFile:
    table = bytes(24) + struct.pack("<IBBHQQ", 1, 0x12, 2, 0xFFFF, 5, 6) + symbols
    return ElfFile(bytes(elf([(".symtab", 2, 0, table, 2, 1, 8, 24), (".strtab", 3, 0, b"\0name", 0, 0, 1, 0),
                              (".symtab_shndx", 18, 0, extended, 1, 0, 4, 4)])))


def test_symbols_of_sections_beyond_counting() -> None:
    file = symbols_of(struct.pack("<2I", 0, 70_000))
    table = file.symbol_table()
    assert table is not None
    assert file.symbol_count(table) == 2
    assert file.symbols(table)[1] == Symbol(b"name", 5, 6, 0x12, 2, 70_000)
    assert file.add_symbol(table, Symbol(b"more", 1, 2, 0x10, 0, 0xFF00)) == 2
    assert file.add_symbol(table, Symbol(b"less", 1, 2, 0x10, 0, 0xFEFF)) == 3
    assert file.add_symbol(table, Symbol(b"same", 1, 2, 0x10, 0, 0xFFF2)) == 4
    assert file.add_symbol(table, Symbol(b"far", 1, 2, 0x10, 0, 70_001)) == 5
    file.set_symbol(table, 2, Symbol(b"renamed", 3, 4, 0x21, 2, 9), rename=True)
    again = ElfFile(file.save())
    table = again.symbol_table()
    assert table is not None
    assert [(each.name, each.section, each.value, each.size, each.binding, each.type) for each
            in again.symbols(table)[1:]] == [
        (b"name", 70_000, 5, 6, 1, 2), (b"renamed", 0xFF00, 3, 4, 2, 1), (b"less", 0xFEFF, 1, 2, 1, 0),
        (b"same", 0xFFF2, 1, 2, 1, 0), (b"far", 70_001, 1, 2, 1, 0)]
    assert bytes(again.contents(again.section_at(2))) == b"\0name\0more\0less\0same\0far\0renamed\0"
    for broken in (symbols_of(bytes(4)), symbols_of(bytes(8), bytes(23))):
        table = broken.symbol_table()
        assert table is not None
        with pytest.raises(ElfError, match="does not end with a whole symbol"):
            broken.symbol_count(table)
    assert symbols_of(bytes(4)).symbols(symbols_of(bytes(4)).section_at(1))[1].section == 0


def test_as_many_symbols_as_are_read() -> None:
    data = symbols_of().data
    assert len(ElfFile(data, 2).symbols(ElfFile(data).section_at(1))) == 2
    with pytest.raises(TooManySymbols, match=r"more than 1 symbols \(-x symbols=1\)"):
        ElfFile(data, 1).symbols(ElfFile(data).section_at(1))


def test_sections_by_number_and_by_name() -> None:
    file = symbols_of()
    assert [each.name for each in file.sections] == ["", ".symtab", ".strtab", ".symtab_shndx", ".shstrtab"]
    assert file.section_at(0).index == 0 and file.section_at(4).name == ".shstrtab"
    for number in (-1, 5):
        with pytest.raises(ElfError, match=f"there is no section {number}"):
            file.section_at(number)
    assert file.section(".none") is None
    assert bytes(file.contents(file.section_at(0))) == b""
    assert (string_at(b"", 0), string_at(b"a\0bc", 2), string_at(b"a\0bc", 3)) == (b"", b"bc", b"c")
    for table, offset in ((b"", 1), (b"abc", 3)):
        with pytest.raises(ElfError, match="a name lies outside"):
            string_at(table, offset)


@pytest.mark.parametrize("bits", [32, 64])
def test_a_section_that_is_added(bits: int) -> None:
    """Its contents and those that have grown lie behind the file, aligned, and then the table of all."""
    file = ElfFile(bytes(elf([(".data", 1, 3, b"abc", 0, 0, 4, 0)], bits)))
    file.append(file.section_at(1), b"defgh")
    added = file.add_section(".new", 1, b"12345", flags=2, align=16, link=1, info=3, entry_size=5)
    assert (added.index, file.append(added, b"6")) == (3, 5)
    saved = file.save()
    again = ElfFile(saved)
    shown = [(each.name, each.type, each.flags, each.link, each.info, each.align, each.entry_size, each.size)
             for each in again.sections[1:]]
    assert shown == [(".data", 1, 3, 0, 0, 4, 0, 8), (".shstrtab", 3, 0, 0, 0, 1, 0, 22),
                     (".new", 1, 2, 1, 3, 16, 5, 6)]
    assert bytes(again.contents(again.section_at(1))) == b"abcdefgh"
    assert bytes(again.contents(again.section_at(3))) == b"123456"
    assert again.section_at(3).offset % 16 == 0
    assert saved[:40 if bits == 64 else 32] == file.data[:40 if bits == 64 else 32]
    once = ElfFile(saved)
    once.edit(once.section_at(1))[:3] = b"xyz"
    assert len(once.save()) == len(saved)
    assert bytes(ElfFile(once.save()).contents(once.section_at(1))) == b"xyzdefgh"


def test_relocations_of_either_kind() -> None:
    wide = ElfFile(bytes(elf([("a", 4, 0, struct.pack("<QQq", 8, 3 << 32 | 7, -4) + b"rest", 0, 0, 8, 24),
                              ("b", 9, 0, struct.pack("<QQ", 9, 1 << 32 | 255), 0, 0, 8, 16)])))
    narrow = ElfFile(bytes(elf([("a", 4, 0, struct.pack("<IIi", 8, 3 << 8 | 7, -4), 0, 0, 4, 12),
                                ("b", 9, 0, struct.pack("<II", 9, 1 << 8 | 255), 0, 0, 4, 8)], 32)))
    for file in (wide, narrow):
        assert [tuple(each) for table in (1, 2) for each in file.relocations(file.section_at(table))] == [
            (8, 3, 7, -4), (9, 1, 255, 0)]


# -- what the DOF of a program may hold -------------------------------------------------------------------

@pytest.mark.parametrize(("probe", "what"), [
    (Probe("f", "p", 0, ["int"] * 255, symbol="f", offsets=[1]), ""),
    (Probe("f", "p", 0, ["int"] * 256, symbol="f", offsets=[1]), "over 255 arguments"),
    (Probe("f", "p", 0, [], ["int"] * 256, [0] * 256, symbol="f", offsets=[1]), "argument"),
    (Probe("f", "p", 0, ["int"], ["int"], [1], symbol="f", offsets=[1]), "outside 1 native"),
    (Probe("f", "p", 0, ["int"], ["int"], [-1], symbol="f", offsets=[1]), "outside 1 native"),
    (Probe("f", "p", 0, symbol="f", offsets=list(range(65535))), ""),
    (Probe("f", "p", 0, symbol="f", offsets=list(range(65536))), "over 65535 sites"),
    (Probe("f", "p", 0, symbol="f", enabled_offsets=list(range(65536))), "over 65535 sites")])
def test_probes(probe: Probe, what: str) -> None:
    same = Attributes(1, 1, 1)
    program = Program(providers=[Provider("one", (same,) * 5, [probe])])
    if not what:
        assert reader.read(writer.write(program)).providers[0].probes[0].native == probe.native
        return
    with pytest.raises(DofError, match=what):
        writer.write(program)


def test_actions_of_a_clause() -> None:
    """Their sections are as long as a kernel takes."""
    def program(count: int) -> Program:
        return Program(ecbs=[Ecb(ProbeDesc("a", "", "", ""), None, [Action(ActionKind.STOP)] * count)])
    assert len(reader.read(writer.write(program(dof.MAX_ACTIONS))).ecbs[0].actions) == dof.MAX_ACTIONS
    with pytest.raises(DofError, match=f"over {dof.MAX_ACTIONS} actions"):
        reader.read(writer.write(program(dof.MAX_ACTIONS + 1)))


# -- functions of an object -------------------------------------------------------------------------------

def test_which_function_covers_a_place() -> None:
    def function(name: str, value: int, size: int) -> Function:
        return Function(name.encode(), 1, value, size, False)
    found = Functions([function("around", 0, 20), function("inner", 4, 4), function("alias", 4, 4),
                       function("nested", 5, 1), function("endless", 30, 0)])
    names = [each.name.decode() if (each := found.at(at)) else "-" for at in range(-1, 33)]
    assert names == ["-", *["around"] * 4, "inner", "nested", "inner", "inner", *["around"] * 12, *["-"] * 10,
                     *["endless"] * 3]


@pytest.mark.parametrize(("name", "shown"), [
    ("f", "f"), ("f.cold", "f"), ("f.part.0", "f"), ("f.isra.0.cold", "f"), ("f.constprop.1", "f"),
    ("a.b", "a.b"), (".cold", ".cold"), ("f.llvm.77", "f"), ("f.lto_priv.0", "f")])
def test_parts_of_functions(name: str, shown: str) -> None:
    assert Function(name.encode(), 1, 0, 0, False).display == shown


@pytest.mark.parametrize(("data", "what"), [
    (b"BC\xc0\xde....", "holds LLVM bitcode"), (b"\xde\xc0\x17\x0b", "holds LLVM bitcode"),
    (b"text", "a.o: not an ELF file"), (with_segments(b"", []), "is not a relocatable object"),
    (with_segments(b"", [], 1)[:18] + b"\x08" + with_segments(b"", [], 1)[19:], "no USDT probes for "),
    (bytes(elf([], 64, ">")), "no USDT probes for .*64 bits"),
    (bytes(elf([(".gnu.lto_x", 1, 0, b"", 0, 0, 1, 0)])), "compile it with -fno-lto"),
    (bytes(elf([(".llvm.lto", 1, 0, b"", 0, 0, 1, 0)])), "compile it with -fno-lto")])
def test_what_is_no_object(data: bytes, what: str) -> None:
    with pytest.raises(sites.LinkError, match=what):
        sites.open_object("a.o", data)


# -- files that are written -------------------------------------------------------------------------------

def test_all_files_or_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second of three cannot be put in its place: the first is as before, and nothing else is there."""
    names = [str(tmp_path / name) for name in "abc"]
    Path(names[0]).write_text("before")
    put = os.replace

    def fails(old: str, new: str) -> None:
        if new == names[2]:
            raise OSError(28, "No space left on device")
        put(old, new)
    monkeypatch.setattr(os, "replace", fails)
    with pytest.raises(OSError, match="No space") as caught:
        outputs.write(dict.fromkeys(names, b"after"))
    assert caught.value.filename == names[2]
    assert sorted(os.listdir(tmp_path)) == ["a"]
    assert Path(names[0]).read_text() == "before"


@pytest.mark.parametrize("unnamed", [True, False], ids=["unnamed", "named"])
@pytest.mark.parametrize("links", [True, False], ids=["links", "none"])
def test_files_as_they_were(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, unnamed: bool,
                            links: bool) -> None:
    """Mode and, if asked, time stay; a link stays one; file systems may lack unnamed files and hard links."""
    old, other, link = tmp_path / "old", tmp_path / "other", tmp_path / "link"
    old.write_text("before")
    old.chmod(0o640)
    os.utime(old, ns=(1_000_000_007, 2_000_000_009))
    link.symlink_to("other")
    if not unnamed:
        monkeypatch.setattr(outputs, "_open_unnamed", lambda _folder: None)
    if not links:
        monkeypatch.setattr(outputs, "_keep", lambda each: os.rename(each.place, each.former))
    outputs.write({str(old): b"one", str(link): b"two"}, as_old=[str(old)])
    assert (old.read_text(), other.read_text(), os.readlink(link)) == ("one", "two", "other")
    assert stat.S_IMODE(old.stat().st_mode) == 0o640
    assert old.stat().st_mtime_ns == 2_000_000_009
    outputs.write({str(old): b"again"})
    assert old.stat().st_mtime_ns != 2_000_000_009
    assert sorted(os.listdir(tmp_path)) == ["link", "old", "other"]


def test_a_fifo_is_written_where_it_is(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    end = os.open(tmp_path / "fifo", os.O_RDONLY | os.O_NONBLOCK)
    outputs.write({str(tmp_path / "fifo"): b"data", str(tmp_path / "file"): b"more"})
    assert os.read(end, 9) == b"data"
    os.close(end)
    assert (tmp_path / "file").read_bytes() == b"more"
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    with pytest.raises(OSError, match=r"loop|symbolic"):
        outputs.write({str(loop): b""})


def test_a_stream_without_a_buffer() -> None:
    class Slow(io.RawIOBase):
        taken: bytes = b""
        full = False

        def write(self, data: object) -> int | None:
            if self.full:
                return None
            self.taken += bytes(data)[:3]  # type: ignore[call-overload]
            return min(3, len(bytes(data)))  # type: ignore[call-overload]
    stream = Slow()
    outputs.write_all(stream, b"12345678")  # type: ignore[arg-type]
    assert stream.taken == b"12345678"
    stream.full = True
    with pytest.raises(BlockingIOError):
        outputs.write_all(stream, b"9")  # type: ignore[arg-type]


def test_what_is_left_of_a_stream_goes_nowhere(tmp_path: Path) -> None:
    with (tmp_path / "file").open("w") as stream:
        stream.write("kept")
        outputs.discard(stream)
    assert (tmp_path / "file").read_text() == ""
    outputs.discard(stream)  # it is closed
    outputs.discard(io.StringIO())


# -- commands that end ------------------------------------------------------------------------------------

COMMAND = commandline.Command("prog", "FILE", "Do something.", "7", (
    commandline.Section("", (commandline.VERSION, commandline.HELP, commandline.HELP_ALL)),))


def failing(error: BaseException) -> Callable[[list[str]], int]:
    def fail(_argv: list[str]) -> int:
        raise error
    return fail


def test_bugs_are_told(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert commandline.run(COMMAND, failing(MemoryError()), []) == 1
    assert capsys.readouterr().err == "prog: out of memory\n"
    monkeypatch.delenv("DTRACE_TRACEBACK", raising=False)
    assert commandline.run(COMMAND, failing(ValueError("x" * 300 + "\nmore")), []) == 1
    first, second, third = capsys.readouterr().err.splitlines()
    assert first.startswith(f"prog: internal error: ValueError: {'x' * 188} (")
    assert first.endswith(f"test_bounds.py, line {failing.__code__.co_firstlineno + 2})")
    assert "report it" in second and "DTRACE_TRACEBACK=1" in third
    monkeypatch.setenv("DTRACE_TRACEBACK", "1")
    with pytest.raises(ValueError, match="xxx"):
        commandline.run(COMMAND, failing(ValueError("xxx")), [])


def test_a_reader_that_wants_no_more(capsys: pytest.CaptureFixture[str],
                                     monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commandline, "_discard", lambda _stream: None)
    assert commandline.run(COMMAND, failing(BrokenPipeError()), []) == 141
    assert capsys.readouterr().err == ""


def test_words_of_all_commands(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert commandline.model_bits("-3", "2") == 32
    assert commandline.model_bits("-6", "4") == 64
    with pytest.raises(commandline.Usage, match="illegal option -- 34"):
        commandline.model_bits("-3", "4")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"given\n")))
    assert commandline.read_bytes("-") == b"given\n"


# -- globs ------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("glob", "yes", "no"), [
    ("", "any", ""), ("*", "any", ""), ("a", "a", "b aa"), ("a*", "a ab", "ba"), ("*a", "a ba", "ab"),
    ("a*b", "ab axb", "a b abc"), ("*a*b*", "ab xaxbx", "ba"), ("?", "a b", "ab"), ("a?c", "abc", "ac abbc"),
    ("[ab]", "a b", "c ab"), ("[a-c]x", "ax bx cx", "dx x"), ("[!a-c]", "d -", "a b c"), ("[]a]", "] a", "b"),
    ("[!]a]", "b", "] a"), ("[a-]", "a -", "b"), ("[-a]", "a -", "b"), ("[a-c-e]", "a b c - e", "d"),
    ("[a\\-c]", "a - c", "b"), ("[a", "", "a [a"), ("\\*", "*", "a"), ("a\\", "a\\", "a"),
    ("\\[a]", "[a]", "a"),
    ("[z-a]", "", "a z -"), ("a.c", "a.c", "abc"), ("a*b*c", "abc axbxc abcbc", "acb ab"),
    ("[^a]", "^ a", "b"),
    ("[a-a]", "a", "b -"), ("*[0-9]", "a1 9", "1a"), ("[\\]]", "]", "\\")])
def test_globs(glob: str, yes: str, no: str) -> None:
    assert [word for word in yes.split() if not matches(glob, word)] == []
    assert [word for word in no.split() if matches(glob, word)] == []


def test_a_description_as_it_is_written() -> None:
    assert str(ProbeDesc("p", "m", "f", "n", 7)) == "p:m:f:n"
    assert str(ProbeDesc("p", "", "f", "n", 7, "web*")) == "web*:p::f:n"
