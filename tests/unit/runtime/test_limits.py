"""Files and names that stand for far more than they hold: they are read within bounds of time and memory."""

from __future__ import annotations

import contextlib
import resource
import signal
import string
import struct
import time
import zlib
from pathlib import Path
from subprocess import run

import atonce
import compilers
import pytest
from elftools.elf.elffile import ELFFile

from dc.types.types import Model, Record
from dif.limits import DEBUG_INFORMATION
from dof.elf import ElfFile
from runtime.programs import demangle, limits
from runtime.programs.ctf import CtfTypes
from runtime.programs.demangle import Demangler
from runtime.programs.dwarf import DwarfTypes
from runtime.programs.limits import TooLarge, check_sections
from runtime.programs.rustnames import TooLong
from runtime.programs.rustnames import demangle as rust

DIGITS = string.digits + string.ascii_uppercase


def doubling(levels: int) -> str:
    """A C++ name in which each part consists of the one before, twice."""
    return "_Z1f1AIiiE" + "".join(f"S_IS{DIGITS[n]}_S{DIGITS[n]}_E" for n in range(levels))


def test_names_that_double() -> None:
    """The shorter one is what it stands for; 235 characters stood for 276 MB, and more for ever."""
    demangler = Demangler()
    short = demangler.demangle(doubling(3))
    assert short.startswith("f(A<int, int>") and short.count("A<int, int>") == 15
    began, before = time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for levels in (20, 36):
        assert demangler.demangle(doubling(levels)) == doubling(levels)
    assert time.process_time() - began < 1
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000  # kilobytes


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[None]:
    """An item for each process that reads names."""
    started, start = list[None](), Demangler._start
    monkeypatch.setattr(Demangler, "_start", lambda self: started.append(None) or start(self))
    return started


def test_long_names_with_many_references(started: list[None]) -> None:
    """What grows little is read, though a name with so many references could grow much: by one process."""
    demangler = Demangler()
    for number in range(300):
        name = f"_Z{len(str(number)) + 1}f{number}RSt6vectorIiSaIiEE" + 40 * "S2_"
        plain = demangler.demangle(name)
        assert plain == f"f{number}(" + ", ".join(41 * ["std::vector<int, std::allocator<int> >&"]) + ")"
    assert len(started) == 1
    assert demangler.demangle(doubling(36)) == doubling(36)
    assert demangler.demangle(name) == plain  # the next process takes over


def test_a_process_that_reads_names_is_waited_for_by_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """It may be busy for seconds when there is no use for it any more."""
    monkeypatch.setattr(demangle, "_APART", "import time; time.sleep(5)")
    demangler = Demangler()
    process = demangler._start()
    del demangler
    assert process.returncode == -signal.SIGKILL


def test_a_program_of_nothing_but_endless_names(started: list[None], monkeypatch: pytest.MonkeyPatch) -> None:
    """Each costs a second; after some of them long names stay as they are."""
    monkeypatch.setattr(demangle, "SECONDS", 0.05)
    demangler = Demangler()
    for number in range(2000):
        name = doubling(36) + f"{len(str(number)) + 1}f{number}"
        assert demangler.demangle(name) == name
    assert len(started) == demangle.DEATHS
    assert demangler.demangle("_Z1fi") == "f(int)"


def test_rust_names_that_refer_back() -> None:
    """Chains of references that write nothing cost time alone."""
    name = "_RINvC1a1b" + "".join(f"T{'B' + DIGITS[7] + '_' if n else 'u'}E" for n in range(50)) + "E"
    began = time.process_time()
    rust(name)
    chain = "u" + "".join("B7_" for _ in range(60))
    with contextlib.suppress(TooLong):
        rust(f"_RINvC1a1b{chain}{'B9_' * 1000}E")
    assert time.process_time() - began < 2


# -- DWARF -------------------------------------------------------------------------------------------------

def build(folder: Path, source: str, *flags: str, suffix: str = "cpp") -> Path:
    text, program = folder / f"program.{suffix}", folder / "program"
    text.write_text(source)
    compiler = compilers.cxx() if suffix == "cpp" else ["gcc"]
    run([*compiler, "-g", *flags, "-o", str(program), str(text)], check=True, timeout=600)
    return program


def test_structures_within_structures(tmp_path: Path) -> None:
    """Whether an object is passed by reference is asked once of each class, not once on each way to it."""
    levels = "".join(f"struct A{n} {{ A{n - 1} a, b, c; }};\n" for n in range(1, 12))
    program = build(tmp_path, f"struct A0 {{ int x; }};\n{levels}"
                    "struct D { ~D() {} A1 a; }; struct E { D d; };\n"
                    'extern "C" int plain(A11) { return 1; }\nextern "C" int other(E) { return 1; }\n'
                    "int main() { return 0; }\n")
    elf = ElfFile(program.read_bytes())
    table = elf.section(".symtab")
    assert table is not None
    address = {each.name: each.value for each in elf.symbols(table)}
    types = DwarfTypes(program.read_bytes(), "program", Model.LP64)
    began = time.process_time()
    plain, other = types.signature(address[b"plain"]), types.signature(address[b"other"])
    assert time.process_time() - began < 3
    assert plain is not None and str(plain.parameters[0]) == "struct A11"
    assert other is not None and str(other.parameters[0]) == "struct E *"


def test_how_deep_declarations_may_lie(tmp_path: Path) -> None:
    """As many levels as are allowed, and no more; what a structure declares lies one deeper."""
    program = build(tmp_path, "namespace a { struct one { int n; }; namespace b { struct two { int n; };"
                    "struct c { struct three { int n; }; }; } }"
                    "a::one x; a::b::two y; a::b::c::three z; int main() { return x.n + y.n + z.n; }")
    for deepest, known in ((0, ""), (1, "one"), (2, "one two"), (3, "one two three"), (9, "one two three")):
        types = DwarfTypes(program.read_bytes(), "program", Model.LP64, deepest=deepest)
        found = [name for name in ("one", "two", "three") if types.scope.lookup(f"struct {name}") is not None]
        assert (" ".join(found), "debugdepth" in types.problem) == (known, deepest < 4)


def small_elf_with(name: str, contents: bytes, flags: int) -> bytes:
    """An ELF file of 32 bits with one section."""
    names = b"\0.shstrtab\0" + name.encode() + b"\0"
    header = struct.pack("<16sHHIIIIIHHHHHH", b"\x7fELF\1\1\1", 3, 3, 1, 0, 0, 52, 0, 52, 0, 0, 40, 3, 1)
    at = 52 + 3 * 40
    sections = bytes(40) + struct.pack("<10I", 1, 3, 0, 0, at, len(names), 0, 0, 1, 0) + \
        struct.pack("<10I", 11, 1, flags, 0, at + len(names), len(contents), 0, 0, 1, 0)
    return header + sections + names + contents


def elf_with(name: str, contents: bytes, flags: int = 0) -> bytes:
    """An ELF file of 64 bits with one section."""
    names = b"\0.shstrtab\0" + name.encode() + b"\0"
    header = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\2\1\1", 3, 62, 1, 0, 0, 64, 0, 64, 0, 0, 64, 3, 1)
    at = 64 + 3 * 64
    sections = bytes(64) + struct.pack("<IIQQQQIIQQ", 1, 3, 0, 0, at, len(names), 0, 0, 1, 0) + \
        struct.pack("<IIQQQQIIQQ", 11, 1, flags, 0, at + len(names), len(contents), 0, 0, 1, 0)
    return header + sections + names + contents


def packed(size: int) -> bytes:
    packer = zlib.compressobj(1)
    return b"".join(packer.compress(bytes(1 << 20)) for _ in range(size >> 20)) + packer.flush()


@pytest.fixture(scope="module")
def bomb() -> bytes:
    """Compressed bytes that are longer than all debug sections may be."""
    return packed(DEBUG_INFORMATION + (16 << 20))


def test_how_much_debug_information_is_read() -> None:
    """To the byte, whichever way it is packed."""
    size = 1 << 20
    plain = bytes(size)
    packed_up = zlib.compress(plain)
    for data in (elf_with(".debug_str", plain), elf_with(".zdebug_str", b"ZLIB" + bytes(8) + packed_up),
                 elf_with(".debug_str", struct.pack("<IIQQ", 1, 0, size, 1) + packed_up, 1 << 11),
                 small_elf_with(".debug_str", struct.pack("<III", 1, size, 1) + packed_up, 1 << 11)):
        check_sections(ElfFile(data), size)
        for less in (size - 1, size // 2):
            with pytest.raises(TooLarge):
                check_sections(ElfFile(data), less)
    check_sections(ElfFile(elf_with(".rodata", plain)), 1)
    check_sections(ElfFile(elf_with(".debug_str", b"short", 1 << 11)), 5)  # broken: what reads it finds out


@pytest.mark.parametrize("claimed", [2 * DEBUG_INFORMATION, 1])
def test_compressed_sections(claimed: int, bomb: bytes) -> None:
    """What unpacks to too much is found out before it is kept, whatever its header says."""
    assert len(bomb) < 4 << 20
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for data in (elf_with(".debug_str", struct.pack("<IIQQ", 1, 0, claimed, 1) + bomb, 1 << 11),
                 elf_with(".zdebug_str", b"ZLIB" + claimed.to_bytes(8, "big") + bomb)):
        with pytest.raises(TooLarge, match="256 MB of debug sections"):
            check_sections(ElfFile(data), DEBUG_INFORMATION)
        assert DwarfTypes(data, "program", Model.LP64).scope.lookup("struct any") is None
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000


def test_compressed_sections_of_programs(tmp_path: Path) -> None:
    program = build(tmp_path, "struct point { int x, y; } p; int main(void) { return p.x; }", "-gz",
                    suffix="c")
    assert any(each.flags & 1 << 11 for each in ElfFile(program.read_bytes()).sections)
    found = DwarfTypes(program.read_bytes(), "program", Model.LP64).scope.lookup("struct point")
    assert isinstance(found, Record) and found.size == 8


def test_entries_that_follow_themselves(tmp_path: Path) -> None:
    """Wherever entries say that their siblings are, looking for a type ends."""
    program = build(tmp_path, "namespace n { struct s { struct t { int a; } b; }; }\n"
                    "struct s { int x, y; } p; struct u { s a; n::s b; } q; int main() { return p.x; }",
                    "-shared", "-nostdlib", "-fPIC")
    data = bytearray(program.read_bytes())
    section = ElfFile(bytes(data)).section(".debug_info")
    assert section is not None
    for at in range(section.offset + 11, section.offset + section.size - 4):
        word = int.from_bytes(data[at:at + 4], "little")
        if 11 < word < section.size:  # what may be a reference
            for target in (word // 2, at - section.offset - 1, 11):
                broken = bytearray(data)
                broken[at:at + 4] = target.to_bytes(4, "little")
                types = DwarfTypes(bytes(broken), "program", Model.LP64)
                began = time.process_time()
                types.scope.lookup("struct none")
                assert time.process_time() - began < 5


def test_entries_that_lie_in_others(tmp_path: Path) -> None:
    """What claims to be followed by an entry of another structure makes its own unknown, not a mixture."""
    program = build(tmp_path, "struct s { struct t { int a; } b; int c; } p; struct u { int y, z; } q;\n"
                    "int main() { return p.c; }")
    data = bytearray(program.read_bytes())
    debug = ELFFile(program.open("rb")).get_dwarf_info()
    unit = next(debug.iter_CUs())
    entries = {bytes(each.attributes["DW_AT_name"].value): each for each in unit.iter_DIEs()
               if "DW_AT_name" in each.attributes}
    section = ElfFile(bytes(data)).section(".debug_info")
    assert section is not None
    if "DW_AT_sibling" not in entries[b"t"].attributes:
        pytest.skip("a C++ compiler that names no siblings: entries that lie in others")
    place = section.offset + entries[b"t"].attributes["DW_AT_sibling"].offset
    data[place:place + 4] = (entries[b"z"].offset - unit.cu_offset).to_bytes(4, "little")
    found = [DwarfTypes(each, "program", Model.LP64).scope.lookup("struct s")
             for each in (program.read_bytes(), bytes(data))]
    members = [each.members for each in found if isinstance(each, Record)]
    assert [each and [member.name for member in each] for each in members] == [["b", "c"], None]


# -- CTF ---------------------------------------------------------------------------------------------------

def test_archives_of_one_member_many_times() -> None:
    """Each of many members is the same bytes, which unpack to much."""
    header = struct.pack("<HBB12I", 0xDFF2, 4, 1, *([0] * 11), 1 << 24)
    member = header + packed(1 << 24)
    count = 3000
    names = 40 + 16 * count
    contents = names + 8 * count
    table = b"".join(struct.pack("<QQ", 8 * n, 0) for n in range(count))
    texts = b"".join(b"%07d\0" % n for n in range(count))
    archive = struct.pack("<5Q", 0x8B47F2A4D7623EEB, 2, count, names, contents) + table + texts + \
        struct.pack("<Q", len(member)) + member
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    types = CtfTypes(ElfFile(elf_with(".ctf", archive)), "program", Model.LP64)
    began = time.process_time()
    assert types.scope.lookup("struct any") is None
    assert time.process_time() - began < 5
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 700_000


def test_a_whole_command(tmp_path: Path, bomb: bytes) -> None:
    """args[0] of a program with such a section is of no known type; tracing itself goes on."""
    program = build(tmp_path, "int serve(int n) { return n; } int main(void) { return serve(3); }",
                    suffix="c")
    strings = tmp_path / "strings"
    strings.write_bytes(struct.pack("<IIQQ", 1, 0, 2 * DEBUG_INFORMATION, 1) + bomb)
    run(["objcopy", "--update-section", f".debug_str={strings}", "--set-section-flags",
         ".debug_str=readonly,debug,contents", str(program)], check=True)
    data = bytearray(program.read_bytes())
    section = ElfFile(bytes(data)).section(".debug_str")
    assert section is not None
    at = int.from_bytes(data[40:48], "little") + 64 * section.index + 8
    data[at:at + 8] = struct.pack("<Q", section.flags | 1 << 11)
    program.write_bytes(data)
    done = atonce.run(["dtrace", "-qn", 'pid$target::serve:entry { printf("%d", arg0); }', "-c", program])
    assert done.stdout.strip() == "3", done.stderr
    done = atonce.run(["dtrace", "-qn", 'pid$target::serve:entry { trace(args[0]); }', "-c", program])
    told = f"dtrace: types of {program} are unknown: more than 256 MB of debug sections "\
        "(-x debuginfo=256m)\n"
    assert done.returncode == 1 and done.stderr.count(told) == 1, done.stderr


def test_tables_that_are_kept_as_objects(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A table of abbreviations takes many times its bytes, and a section's header more than its own."""
    elf = ElfFile(build(tmp_path, "int main(void) { return 0; }", suffix="c").read_bytes())
    abbreviations = next(each for each in elf.sections if each.name == ".debug_abbrev").size
    check_sections(elf, max(limits.TABLES * abbreviations, 1 << 20))
    monkeypatch.setattr(limits, "TABLES", (1 << 20) // (abbreviations - 1))
    with pytest.raises(TooLarge, match=r"\.debug_abbrev"):
        check_sections(elf, 1 << 20)
    monkeypatch.setattr(limits, "TABLES", 1)
    monkeypatch.setattr(limits, "SECTION_COUNT", len(elf.sections))
    check_sections(elf, DEBUG_INFORMATION)
    monkeypatch.setattr(limits, "SECTION_COUNT", len(elf.sections) - 1)
    with pytest.raises(TooLarge, match="sections"):
        check_sections(elf, DEBUG_INFORMATION)
