"""ELF files that no compiler makes: either class and byte order, and headers that lie."""

from __future__ import annotations

import os
import struct
import time
from pathlib import Path

import pytest
from made_files import elf

from dof import command, writer
from dof.elf import ElfError, ElfFile, Segment
from dof.files import find
from dof.format import ByteOrder, DofError
from dof.model import Program
from dof.usdt.definition import ProbeDefinition, ProviderDefinition
from dof.usdt.link import LinkError, link

ONE = [ProviderDefinition("one", [ProbeDefinition("hit")])]
PROBE = b"\0__dtrace_one___hit\0"  # as a string table begins
CALL = b"\xe8\0\0\0\0"  # x86: call, 5 bytes
LARGE = 8_000


def program(functions: list[tuple[int, int, int]], names: bytes, calls: int, align: int = 8) -> bytearray:
    """An x86-64 object that calls a probe; functions are (offset in names, value, size)."""
    symbols = bytes(24) + struct.pack("<IBBHQQ", 1, 0x10, 0, 0, 0, 0)
    for name, value, size in functions:
        symbols += struct.pack("<IBBHQQ", len(PROBE) + name, 0x12, 0, 1, value, size)
    relocations = b"".join(struct.pack("<QQq", 5 * n + 1, 1 << 32 | 4, -4) for n in range(calls))
    return elf([(".text", 1, 6, CALL * calls + b"\xc3", 0, 0, 16, 0),
                (".symtab", 2, 0, symbols, 3, 1, align, 24),
                (".strtab", 3, 0, PROBE + names, 0, 0, 1, 0),
                (".rela.text", 4, 0x40, relocations, 2, 1, 8, 24)])


@pytest.mark.parametrize("order", ["little", "big"])
@pytest.mark.parametrize("bits", [32, 64])
def test_every_class_and_byte_order(providers: Program, bits: int, order: ByteOrder) -> None:
    data = writer.write(providers, byteorder=order)
    contents = data + bytes(-len(data) % 4 + 12) + data  # the linker's padding need not be a multiple of 8
    file = bytes(elf([("SUNW_dof", 1, 2, contents, 0, 0, 4, 0)], bits, "<" if order == "little" else ">"))
    assert [found.data for found in find(file)] == [data, data]
    assert find(file)[1].place == f"section 1 SUNW_dof offset {len(data) + -len(data) % 4 + 12:#x}"


@pytest.mark.parametrize(("place", "value", "said"), [
    (0, 0x7E, "not an ELF file"), (4, 0, "unknown ELF class or byte order"),
    (4, 3, "unknown ELF class or byte order"), (5, 0, "unknown ELF class or byte order"),
    (5, 3, "unknown ELF class or byte order"), (6, 9, "")])
def test_what_a_file_says_that_it_is(place: int, value: int, said: str) -> None:
    data = elf([])
    data[place] = value
    if said:
        with pytest.raises(ElfError, match=said):
            ElfFile(bytes(data))
    else:
        assert ElfFile(bytes(data)).bits == 64


@pytest.mark.parametrize(("bits", "least"), [(32, 52), (64, 64)])
def test_the_shortest_files(bits: int, least: int) -> None:
    head = bytearray(elf([], bits)[:least])
    head[32 if bits == 32 else 40:40 if bits == 32 else 48] = bytes(8)  # no table of sections
    assert ElfFile(bytes(head)).sections == []
    with pytest.raises(ElfError):
        ElfFile(bytes(head[:-1]))


@pytest.mark.parametrize(("after", "what"), [
    (b"\x7fDOF", "not a DOF object"), (b"x" * 64, "not a DOF object"),
    (b"\x7fDOF" + bytes(60), "load size 0 is below the header's"),
])
def test_a_message_names_the_place(providers: Program, after: bytes, what: str, tmp_path: Path,
                                   capsys: pytest.CaptureFixture[str]) -> None:
    data = writer.write(providers)
    data += bytes(-len(data) % 8)
    path = tmp_path / "a.o"
    path.write_bytes(elf([(".SUNW_dof", 1, 2, data + after, 0, 0, 8, 0)]))
    assert command.disassemble_main([str(path)]) == 1
    error = capsys.readouterr().err
    assert error.startswith(f"difdis: {path}: section 1 .SUNW_dof offset {len(data):#x}: ")
    assert error.endswith(f"{what}\n")


def test_names_that_stand_for_too_much() -> None:
    """Every name is a few million letters, but for the first ones."""
    file = program([(n, 0, 1) for n in range(LARGE)], b"f" * 4_000_000, 1)
    read = ElfFile(bytes(file))
    table = read.symbol_table()
    assert table is not None
    with pytest.raises(ElfError, match="share"):
        read.symbols(table)


def test_a_string_table_without_a_nul() -> None:
    read = ElfFile(bytes(program([(0, 0, 1)], b"function", 1)))
    table = read.symbol_table()
    assert table is not None
    assert read.symbols(table)[2].name == b"function"


def test_more_sections_than_the_file_has_bytes() -> None:
    file = elf([("a", 1, 0, b"", 0, 0, 1, 0)])
    struct.pack_into("<H", file, 60, 0)  # the count is in section 0
    struct.pack_into("<Q", file, struct.unpack_from("<Q", file, 40)[0] + 32, 1 << 32)
    with pytest.raises(ElfError, match="passes the end"):
        ElfFile(bytes(file))
    with pytest.raises(DofError, match="passes the end"):
        find(bytes(file))


def test_an_alignment_beyond_measure(tmp_path: Path) -> None:
    before = program([(0, 0, 5)], b"function\0", 1, align=1 << 40)
    (tmp_path / "a.o").write_bytes(before)
    with pytest.raises(LinkError, match=r"a\.o: section \.symtab is aligned to 1099511627776 bytes"):
        link(ONE, [str(tmp_path / "a.o")], str(tmp_path / "out.o"))
    assert (tmp_path / "a.o").read_bytes() == before
    assert not (tmp_path / "out.o").exists()


def test_a_call_at_the_beginning_of_a_section(tmp_path: Path) -> None:
    path = tmp_path / "a.o"
    path.write_bytes(program([(0, 0, 6)], b"function\0", 1))
    link(ONE, [str(path)], str(tmp_path / "out.o"))
    changed = ElfFile(path.read_bytes())
    assert bytes(changed.contents(changed.section_at(1))) == b"\x90" * 5 + b"\xc3"


def test_a_call_that_begins_before_its_function(tmp_path: Path) -> None:
    (tmp_path / "a.o").write_bytes(program([(0, 1, 5)], b"function\0", 1))
    with pytest.raises(LinkError, match=r"hit is called at \.text\+0x1, which no function's symbol covers"):
        link(ONE, [str(tmp_path / "a.o")], str(tmp_path / "out.o"))


def test_functions_within_functions(tmp_path: Path) -> None:
    """One function around thousands of short ones, and calls after all of these."""
    inner = [(0, n, 1) for n in range(LARGE)]
    (tmp_path / "a.o").write_bytes(program([(0, 0, 10 * LARGE), *inner], b"function\0", 2 * LARGE))
    start = time.process_time()
    link(ONE, [str(tmp_path / "a.o")], str(tmp_path / "out.o"))
    assert time.process_time() - start < 30


@pytest.mark.parametrize("bits", [32, 64])
def test_a_header_alone_is_a_file(bits: int) -> None:
    size, at, width = (64, 40, 8) if bits == 64 else (52, 32, 4)  # of it, and of where sections begin
    header = bytes(elf([], bits))[:size]
    file = ElfFile(header[:at] + bytes(width) + header[at + width:])
    assert (file.bits, file.sections) == (bits, [])
    with pytest.raises(ElfError):
        ElfFile(header[:-1])


# Elf32_Phdr and Elf64_Phdr of the System V ABI, whose members stand in different orders
HEADERS = {32: ("IIIIIIII", "type offset address physical size memory_size flags align", 28, 42),
           64: ("IIQQQQQQ", "type flags offset address physical size memory_size align", 32, 54)}


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("bits", HEADERS)
def test_program_headers(bits: int, order: str) -> None:
    layout, names, at, size_at = HEADERS[bits]
    values = dict(zip(names.split(), range(11, 19), strict=True))
    file = elf([], bits, order)
    struct.pack_into(f"{order}{layout[-1]}", file, at, len(file))
    struct.pack_into(f"{order}HH", file, size_at, struct.calcsize(order + layout), 2)
    other = struct.pack(order + layout, *values.values())
    found = ElfFile(bytes(file + bytes(len(other)) + other)).segments()
    assert [found[0], found[1]] == [(0,) * 6, tuple(values[name] for name in Segment._fields)]
    with pytest.raises(ElfError, match="broken program header table"):
        ElfFile(bytes(file + bytes(len(other)) + other[:-1])).segments()


def test_a_reader_that_wants_no_more(tmp_path: Path) -> None:
    (tmp_path / "a.o").write_bytes(program([(0, 0, 6)], b"function\0", 1))
    reader, written = os.pipe()
    os.close(reader)
    with pytest.raises(BrokenPipeError):
        link(ONE, [str(tmp_path / "a.o")], f"/dev/fd/{written}")
    os.close(written)
