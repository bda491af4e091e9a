"""Notes as SystemTap has them, byte by byte: in programs and objects of each class and byte order."""

from __future__ import annotations

import re
import shutil
import struct
import subprocess
from pathlib import Path

import pytest
from made_files import elf as made

from dof.elf import ElfError, ElfFile
from dof.usdt import stapsdt
from dof.usdt.reading import NOTE_TYPES, FoundProbe, from_notes, probes_of

BASE = 0x2000
# address, base, semaphore, provider, name, arguments
NOTES = [
    (0x1004, BASE, 0x3000, "p", "a__b", "-4@%edi 8@%rsi"),
    (0x1008, BASE, 0x3000, "p", "a__b", "-4@%eax 8@%rsi"),
    (0x100C, BASE, 0x3002, "p", "a__b", ""),
    (0x1010, BASE, 0, "p", "c", "1@a 2@b -1@c -2@d 4f@e 8f@f 16@g x@h i"),
    (0x1014, BASE, 0, "p", "c", ""), (0x1018, BASE, 0, "p", "c", ""), (0xFFF, BASE, 0, "q", "before", ""),
    (0x1030, BASE - 0x10, 0x3004, "q", "moved", ""), (0x1030, 0, 0, "q", "unmoved", "")]
FUNCTIONS = [(0x1000, 0x10, "first"), (0x1010, 8, "second"), (0x1020, 0, "endless")]


def note(word: str, values: tuple[int, int, int, str, str, str], kind: int = 3, name: bytes = b"stapsdt\0",
         strings: bytes | None = None) -> bytes:
    order = word[0]
    texts = b"".join(each.encode() + b"\0" for each in values[3:]) if strings is None else strings
    body = struct.pack(order + 3 * word[1], *values[:3]) + texts
    raw = struct.pack(order + "III", len(name), len(body), kind) + name + bytes(-len(name) % 4) + body
    return raw + bytes(-len(raw) % 4)


def program(bits: int, order: str, notes: bytes, relocations: bytes = b"", table: int = 0) -> bytes:
    """A file with these notes, and functions; a relocatable one if there are relocations."""
    word = order + ("Q" if bits == 64 else "I")
    strings, symbols = b"\0", bytes(24 if bits == 64 else 16)
    for value, size, name in FUNCTIONS:
        place = struct.pack(f"{order}IBBHQQ", len(strings), 0x12, 0, 1, value, size) if bits == 64 else \
            struct.pack(f"{order}IIIBBH", len(strings), value, size, 0x12, 0, 1)
        symbols += place
        strings += name.encode() + b"\0"
    rows = [(".text", 1, 6, bytes(0x40), 0, 0, 4, 0), (".stapsdt.base", 1, 2, b"\0", 0, 0, 1, 0),
            (".note.stapsdt", 7, 0, notes, 0, 0, 4, 0),
            (".symtab", 2, 0, symbols, 5, 1, 8, len(symbols) // 4),
            (".strtab", 3, 0, strings, 0, 0, 1, 0)]
    if relocations:
        rows.append((".rel.note", table, 0, relocations, 4, 3, 8, 0))
    data = made(rows, bits, order)
    if not relocations:
        struct.pack_into(order + "H", data, 16, 2)  # an executable
        headers, = struct.unpack_from(word, data, 40 if bits == 64 else 32)
        at = headers + 2 * (64 if bits == 64 else 40) + (16 if bits == 64 else 12)
        struct.pack_into(word, data, at, BASE)
    return bytes(data)


CLASSES = [(64, "<"), (64, ">"), (32, "<"), (32, ">")]


@pytest.mark.parametrize(("bits", "order"), CLASSES)
def test_every_note(bits: int, order: str, tmp_path: Path) -> None:
    word = order + ("Q" if bits == 64 else "I")
    others = note(word, NOTES[0], kind=4) + note(word, NOTES[0], name=b"GNU\0") + \
        note(word, NOTES[0], name=b"stapsd\0")
    data = program(bits, order, others + b"".join(note(word, each) for each in NOTES) + bytes(8))
    mask = (1 << bits) - 1
    expected = [stapsdt.Note(each[0], *each[1:]) for each in NOTES]
    expected[7] = stapsdt.Note(0x1040, BASE - 0x10, 0x3014, "q", "moved", "")  # the base has moved by 0x10
    assert list(stapsdt.read(ElfFile(data))) == expected
    path = tmp_path / "program"
    path.write_bytes(data)
    types = ["uint8_t", "uint16_t", "int8_t", "int16_t", "float", "double", "uint64_t", "uint64_t"]
    found = {(each.provider, each.function, each.name): each for each in probes_of(str(path))}
    plain = {"source": "stapsdt", "enabled_sites": []}
    for probe in (
            FoundProbe("p", "first", "a-b", native=["int32_t", "uint64_t"], mapping=[0, 1],
                       sites=[0x1004, 0x1008, 0x100C], operands=["-4@%edi 8@%rsi", "-4@%eax 8@%rsi", ""],
                       semaphores=[0x3000, 0x3002], **plain),  # type: ignore[arg-type]
            FoundProbe("p", "second", "c", native=types, mapping=[*range(8)], sites=[0x1010, 0x1014],
                       operands=[NOTES[3][5], ""], **plain),  # type: ignore[arg-type]
            FoundProbe("p", "", "c", sites=[0x1018], operands=[""], **plain),  # type: ignore[arg-type]
            FoundProbe("q", "", "before", sites=[0xFFF], operands=[""], **plain),  # type: ignore[arg-type]
            FoundProbe("q", "endless", "moved", sites=[0x1040 & mask], operands=[""],
                       semaphores=[0x3014], **plain),  # type: ignore[arg-type]
            FoundProbe("q", "endless", "unmoved", sites=[0x1030], operands=[""],
                       **plain)):  # type: ignore[arg-type]
        probe.xlated = probe.native
        assert repr(found.pop((probe.provider, probe.function, probe.name))) == repr(probe)
    assert not found


@pytest.mark.skipif(shutil.which("readelf") is None, reason="no readelf")
@pytest.mark.parametrize(("bits", "order"), [(64, "<"), (32, "<")])
def test_readelf_reads_the_same(bits: int, order: str, tmp_path: Path) -> None:
    word = order + ("Q" if bits == 64 else "I")
    (tmp_path / "program").write_bytes(program(bits, order, b"".join(note(word, each) for each in NOTES)))
    text = subprocess.run(["readelf", "-n", tmp_path / "program"], capture_output=True, text=True,
                          check=True).stdout
    told = re.findall(r"Provider: (\S+)\s+Name: (\S+)\s+Location: (\S+), Base: (\S+), Semaphore: (\S+)\s+"
                      r"Arguments: ?(.*)", text)
    assert [(int(at, 16), int(base, 16), int(semaphore, 16), provider, name, arguments.strip())
            for provider, name, at, base, semaphore, arguments in told] == NOTES


@pytest.mark.parametrize(("bits", "order"), CLASSES)
@pytest.mark.parametrize("table", [4, 9])
def test_notes_of_objects(bits: int, order: str, table: int) -> None:
    """The addresses are what the relocations say; sites are offsets from their functions."""
    word = order + ("Q" if bits == 64 else "I")
    addends = [4, 6]
    notes, entries = b"", b""
    for number, addend in enumerate(addends):
        where = len(notes) + 20
        notes += note(word, (addend if table == 9 else 0, 0, 0, "p", "a", ""))
        info = (number + 1) << (32 if bits == 64 else 8) | 1
        entries += struct.pack(order + ("QQ" if bits == 64 else "II"), where, info)
        entries += struct.pack(order + ("q" if bits == 64 else "i"), addend) if table == 4 else b""
    notes += note(word, (7, 8, 9, "p", "free", ""))
    elf = ElfFile(program(bits, order, notes, entries, table))
    assert [(each.address, each.section, each.base, each.semaphore) for each in stapsdt.read(elf)] == [
        (0x1004, 1, 0, 0), (0x1016, 1, 0, 0), (0, 0, 0, 0)]
    assert [(each.function, each.name, each.sites) for each in from_notes(elf)] == [
        ("first", "a", [4]), ("second", "a", [6]), ("", "free", [0])]
    bad = struct.pack(order + ("QQq" if bits == 64 else "IIi"), 20, 9 << (32 if bits == 64 else 8) | 1, 0)
    with pytest.raises(ElfError, match=r"a relocation of \.note\.stapsdt names a symbol that there is not"):
        list(stapsdt.read(ElfFile(program(bits, order, notes, bad, 4))))


def test_notes_that_are_broken() -> None:
    whole = note("<Q", NOTES[0])
    for data, said in ((whole[:-4], "a note passes the end of .note.stapsdt"),
                       (note("<Q", NOTES[0], strings=b"p\0q"), "a note in .note.stapsdt lacks its strings")):
        with pytest.raises(ElfError) as caught:
            list(stapsdt.read(ElfFile(program(64, "<", data))))
        assert str(caught.value) == said
    exact = note("<Q", NOTES[0], strings=b"p\0q\0a")
    assert [each.arguments for each in stapsdt.read(ElfFile(program(64, "<", exact)))] == ["a"]
    short = struct.pack("<III", 8, 20, 3) + b"stapsdt\0" + bytes(20)
    assert not list(stapsdt.read(ElfFile(program(64, "<", short + whole[:11]))))


def test_types_of_sizes() -> None:
    assert {size * sign: f"{'u' if sign > 0 else ''}int{8 * size}_t"
                          for size in (1, 2, 4, 8) for sign in (1, -1)} == NOTE_TYPES


@pytest.mark.parametrize("bits", [64, 32])
def test_what_is_built_is_read(bits: int) -> None:
    built, at = stapsdt.build("p", "q", "-4@x", bits, address=0x1004, semaphore=0x3000)
    assert built == note("<Q" if bits == 64 else "<I", (0x1004, 0, 0x3000, "p", "q", "-4@x")) and at == 20
