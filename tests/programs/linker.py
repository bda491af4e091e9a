"""A small static linker: relocatable ELF objects → one executable, for SPARC, 32 and 64 bits wide.

It does what programs of the tests need: sections of one name become one, of
COMDAT groups the first stays, weak symbols may be missing, debugging
information is relocated and kept.  Layouts are those of <elf.h>; relocations
those of the System V ABI's SPARC supplement.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from dif.elfnumbers import EM_SPARC, EM_SPARCV9, ET_EXEC, PT_LOAD
from dof.elf import (
    SHF_ALLOC,
    SHF_EXECINSTR,
    SHF_WRITE,
    SHN_ABS,
    SHN_UNDEF,
    SHT_GROUP,
    SHT_NOBITS,
    SHT_PROGBITS,
    SHT_RELA,
    SHT_SYMTAB,
    STB_WEAK,
    ElfFile,
    Section,
    Symbol,
)

BASE, PAGE = 0x10000, 0x10000  # where the program begins; what segments are aligned to
HEADERS = 0x100  # bytes left for the ELF header and the program headers
SHT_STRTAB = 3
KEPT = SHF_ALLOC | SHF_WRITE | SHF_EXECINSTR
STT_SECTION, STT_FILE = 3, 4

# type: (bytes of the field, bits that it holds, right shift, whether relative to its own place)
RELOCATIONS = {
    1: (1, 8, 0, False), 2: (2, 16, 0, False), 3: (4, 32, 0, False),  # 8, 16, 32
    6: (4, 32, 0, True), 7: (4, 30, 2, True), 8: (4, 22, 2, True),  # DISP32, WDISP30, WDISP22
    9: (4, 22, 10, False), 11: (4, 13, 0, False), 12: (4, 13, 0, False),  # HI22, 13, LO10
    16: (4, 13, 0, True), 17: (4, 22, 10, True), 18: (4, 30, 2, True),  # PC10, PC22, WPLT30
    23: (4, 32, 0, False), 32: (8, 64, 0, False), 54: (8, 64, 0, False),  # UA32, 64, UA64
    34: (4, 22, 42, False), 35: (4, 10, 32, False), 36: (4, 22, 10, False),  # HH22, HM10, LM22
    41: (4, 19, 2, True), 46: (8, 64, 0, True),  # WDISP19, DISP64
    50: (4, 22, 22, False), 51: (4, 10, 12, False), 52: (4, 13, 0, False),  # H44, M44, L44
}
SHORT = {12: 0x3FF, 16: 0x3FF, 52: 0xFFF}  # fields that take fewer bits of the value than they have
GOT_HIX22, GOT_LOX10, GOT_OP = 82, 83, 84  # GOTDATA_OP_*
GOT22, GOT10, GOT13 = 15, 13, 14
THROUGH_GOT = {GOT_HIX22, GOT_LOX10, GOT22, GOT10, GOT13}
GOT = "_GLOBAL_OFFSET_TABLE_"


class LinkError(ValueError):
    """What this linker cannot do, or a symbol that no object defines."""


@dataclass
class Output:
    """A section of the executable."""

    name: str
    type: int
    flags: int
    align: int = 1
    data: bytearray = field(default_factory=bytearray)
    address: int = 0
    offset: int = 0
    index: int = 0

    def append(self, data: bytes | memoryview | bytearray, align: int) -> int:
        """Add a part.  Returns its offset."""
        self.align = max(self.align, align)
        self.data += bytes(-len(self.data) % max(align, 1))
        at = len(self.data)
        self.data += data
        return at


@dataclass
class Input:
    """An object, and where its sections went: index → (section of the executable, offset)."""

    elf: ElfFile
    places: dict[int, tuple[Output, int]] = field(default_factory=dict)
    symbols: list[Symbol] = field(default_factory=list)

    def address(self, symbol: Symbol) -> int:
        if symbol.section == SHN_ABS:
            return symbol.value
        output, offset = self.places[symbol.section]
        return output.address + offset + symbol.value


def link(objects: Sequence[bytes], entry: str = "_start") -> bytes:
    """The bytes of a static executable.  Raises LinkError."""
    outputs: dict[str, Output] = {}
    groups: set[bytes] = set()
    inputs = [_take(ElfFile(data), outputs, groups) for data in objects]
    got = _got_entries(inputs)
    word = inputs[0].elf.bits // 8
    if got:
        outputs[".got"] = Output(".got", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, word)
        outputs[".got"].data += bytes(word * len(got))
    _place(list(outputs.values()))
    known = {each.name.decode(): item.address(each)
             for item in reversed(inputs) for each in _strongest_last(item)
             if each.binding and each.section != SHN_UNDEF and _present(item, each)}
    _boundaries(outputs, known)
    for number, entry_of in enumerate(got):
        value = _value(*entry_of, known) if entry_of is not None else 0
        outputs[".got"].data[word * number:word * (number + 1)] = value.to_bytes(word, "big")
    entries = {_key(*each): word * number for number, each in enumerate(got) if each is not None}
    for item in inputs:
        _relocate(item, known, entries)
    if entry not in known:
        raise LinkError(f"{entry} is not defined")
    return _file(list(outputs.values()), inputs, known[entry])


def write(path: str, data: bytes) -> None:
    """Write an executable file."""
    Path(path).write_bytes(data)
    Path(path).chmod(0o755)


def _take(elf: ElfFile, outputs: dict[str, Output], groups: set[bytes]) -> Input:
    """Add an object's sections to those of the executable."""
    if elf.machine not in (EM_SPARC, EM_SPARCV9):
        raise LinkError("this linker knows SPARC only")
    item = Input(elf)
    table = elf.symbol_table()
    if table is not None:
        item.symbols = elf.symbols(table)
    dropped = _dropped(item, groups)
    for section in elf.sections:
        if section.index in dropped or not _wanted(section):
            continue
        data = bytes(section.size) if section.type == SHT_NOBITS else elf.contents(section)
        name = _output_name(section.name)
        output = outputs.setdefault(name, Output(name, section.type, section.flags & KEPT))
        if output.type == SHT_NOBITS:
            output.type = SHT_PROGBITS  # a file of zeros does as well
        output.flags |= section.flags & KEPT
        item.places[section.index] = output, output.append(data, section.align)
    return item


def _wanted(section: Section) -> bool:
    return bool(section.flags & SHF_ALLOC) or section.name.startswith(".debug")


def _output_name(name: str) -> str:
    for stem in (".text", ".rodata", ".data", ".bss"):
        if name.startswith(stem + "."):
            return stem
    return name


def _dropped(item: Input, groups: set[bytes]) -> set[int]:
    """Sections of COMDAT groups that an earlier object has."""
    dropped: set[int] = set()
    for section in item.elf.sections:
        if section.type == SHT_GROUP:
            name = item.symbols[section.info].name
            words = struct.unpack(f">{section.size // 4}I", item.elf.contents(section))
            if name in groups:
                dropped.update(words[1:])
            groups.add(name)
    return dropped


def _present(item: Input, symbol: Symbol) -> bool:
    return symbol.section in item.places or symbol.section == SHN_ABS


def _strongest_last(item: Input) -> list[Symbol]:
    return sorted(item.symbols, key=lambda each: each.binding != STB_WEAK)


def _relocations(item: Input) -> Iterator[tuple[Output, int, int, int, Symbol, int]]:
    """Every relocation of what was taken: section, offset of the part, offset in it, type, symbol, addend."""
    for section in item.elf.sections:
        if section.type == SHT_RELA and section.info in item.places:
            output, base = item.places[section.info]
            for each in item.elf.relocations(section):
                # of V9 the upper bits of a type are an addend of its own
                yield output, base, each.offset, each.type & 0xFF, item.symbols[each.symbol], each.addend


Target = tuple[Input, Symbol, int]  # an object, a symbol as it sees it, an addend


def _key(item: Input, symbol: Symbol, addend: int) -> tuple[object, ...]:
    """What tells one target from another: a local symbol is another one in each object."""
    local = symbol.binding == 0
    return (id(item), symbol.section, symbol.value, addend) if local else (symbol.name, addend)


def _value(item: Input, symbol: Symbol, addend: int, known: dict[str, int]) -> int:
    """The address of a target, 0 where it is weak and missing.  Raises LinkError."""
    name = symbol.name.decode()
    if symbol.section != SHN_UNDEF and symbol.binding == 0:
        return (item.address(symbol) if _present(item, symbol) else 0) + addend
    if name not in known and symbol.binding != STB_WEAK:
        raise LinkError(f"{name} is not defined")
    return known.get(name, 0) + addend


def _got_entries(inputs: list[Input]) -> list[Target | None]:
    """What code looks for in the global offset table; the first entry is the dynamic linker's."""
    found: dict[tuple[object, ...], Target] = {}
    for item in inputs:
        for _, _, _, kind, symbol, addend in _relocations(item):
            if kind in THROUGH_GOT:
                found.setdefault(_key(item, symbol, addend), (item, symbol, addend))
    wanted = any(symbol.name.decode() == GOT for item in inputs for symbol in item.symbols)
    return [None, *found.values()] if found or wanted else []


def _place(outputs: list[Output]) -> None:
    """Give addresses: what is only read first, then what is written, each a segment."""
    at = BASE + HEADERS
    for writable in (0, SHF_WRITE):
        if writable:
            at += -at % PAGE
        for each in outputs:
            if each.flags & SHF_ALLOC and each.flags & SHF_WRITE == writable:
                at += -at % max(each.align, 8)
                each.address = at
                at += len(each.data)


def _boundaries(outputs: dict[str, Output], known: dict[str, int]) -> None:
    """What linkers define."""
    text = [each for each in outputs.values() if each.flags & SHF_ALLOC and not each.flags & SHF_WRITE]
    known.setdefault("__executable_start", BASE)
    known.setdefault("etext", max((each.address + len(each.data) for each in text), default=BASE))
    if ".got" in outputs:
        known[GOT] = outputs[".got"].address


def _relocate(item: Input, known: dict[str, int], got: dict[tuple[object, ...], int]) -> None:
    for output, base, offset, kind, symbol, addend in _relocations(item):
        place = base + offset
        if kind in (GOT_OP, 0):  # a hint that the load need not be one: it may
            continue
        if kind in THROUGH_GOT:
            _through_got(output, place, kind, got[_key(item, symbol, addend)])
            continue
        if kind not in RELOCATIONS:
            raise LinkError(f"relocation {kind} of {output.name} is not known")
        size, bits, shift, relative = RELOCATIONS[kind]
        value = _value(item, symbol, addend, known) - (output.address + place if relative else 0)
        _set_field(output, place, size, bits, value >> shift & SHORT.get(kind, -1))


def _through_got(output: Output, place: int, kind: int, entry: int) -> None:
    """`sethi` and `or`, or `xor`, that compute the offset of an entry."""
    if kind in (GOT_HIX22, GOT22):
        _set_field(output, place, 4, 22, entry >> 10)
    elif kind == GOT13:
        _set_field(output, place, 4, 13, entry)
    else:
        _set_field(output, place, 4, 13 if kind == GOT_LOX10 else 10, entry & 0x3FF)


def _set_field(output: Output, place: int, size: int, bits: int, value: int) -> None:
    """Replace the lowest `bits` of a big-endian field of `size` bytes."""
    mask = (1 << bits) - 1
    old = int.from_bytes(output.data[place:place + size], "big")
    output.data[place:place + size] = (old & ~mask | value & mask).to_bytes(size, "big")


def _file(outputs: list[Output], inputs: list[Input], entry: int) -> bytes:
    """The executable: headers, segments, sections that only tools read, symbols, section headers."""
    wide = inputs[0].elf.bits == 64
    loaded = [each for each in outputs if each.flags & SHF_ALLOC]
    body, programs = bytearray(HEADERS), bytearray()
    for writable in (0, SHF_WRITE):
        segment = [each for each in loaded if each.flags & SHF_WRITE == writable]
        if not segment:
            continue
        for each in segment:
            each.offset = each.address - BASE
            body += bytes(each.offset - len(body)) + each.data
        first = segment[0].address if writable else BASE
        place = (first - BASE, first, first, len(body) - (first - BASE), len(body) - (first - BASE))
        flags = 6 if writable else 5
        programs += struct.pack(">IIQQQQQQ", PT_LOAD, flags, *place, PAGE) if wide else \
            struct.pack(">IIIIIIII", PT_LOAD, *place, flags, PAGE)
    for index, each in enumerate(outputs, 1):
        each.index = index
    symbols, strings, local = _symbols(inputs, wide)
    tables = [Output(".symtab", SHT_SYMTAB, 0, 8, symbols), Output(".strtab", SHT_STRTAB, 0, 1, strings),
              Output(".shstrtab", SHT_STRTAB, 0, 1, bytearray(b"\0"))]
    sections = [*outputs, *tables]
    names = [tables[2].append(each.name.encode() + b"\0", 1) for each in sections]
    for each in sections:
        if not each.flags & SHF_ALLOC:
            body += bytes(-len(body) % 8)
            each.offset = len(body)
            body += each.data
    body += bytes(-len(body) % 8)
    row = struct.Struct(">IIQQQQIIQQ" if wide else ">IIIIIIIIII")
    headers = bytearray(row.size)
    for name, each in zip(names, sections, strict=True):
        strings_of, info, size = 0, 0, 0
        if each.type == SHT_SYMTAB:
            strings_of, info, size = len(outputs) + 2, local, 24 if wide else 16
        headers += row.pack(name, each.type, each.flags, each.address, each.offset, len(each.data),
                            strings_of, info, each.align, size)
    start = struct.pack(">4sBBB9xHHI", b"\x7fELF", 2 if wide else 1, 2, 1, ET_EXEC, inputs[0].elf.machine, 1)
    size = 64 if wide else 52
    start += struct.pack(">QQQ" if wide else ">III", entry, size, len(body))
    start += struct.pack(">IHHHHHH", inputs[0].elf.flags, size, 56 if wide else 32,
                         len(programs) // (56 if wide else 32), row.size, len(sections) + 1, len(sections))
    start += programs
    body[:len(start)] = start
    return bytes(body + headers)


def _symbols(inputs: list[Input], wide: bool) -> tuple[bytearray, bytearray, int]:
    """A symbol table, its strings, and how many of its entries are local (with the first, which is empty)."""
    rows: list[tuple[int, bytes, int, Symbol, int]] = []
    for item in inputs:
        for symbol in item.symbols[1:]:
            if symbol.type not in (STT_SECTION, STT_FILE) and symbol.section in item.places:
                rows.append((min(symbol.binding, 1), symbol.name, item.address(symbol), symbol,
                             item.places[symbol.section][0].index))
    rows.sort(key=lambda row: row[:3])
    table, strings = bytearray(24 if wide else 16), bytearray(b"\0")
    for _, name, address, symbol, section in rows:
        fields = (symbol.info, symbol.other, section, address, symbol.size)
        table += struct.pack(">IBBHQQ", len(strings), *fields) if wide else \
            struct.pack(">IIIBBH", len(strings), address, symbol.size, *fields[:3])
        strings += name + b"\0"
    return table, strings, 1 + sum(not row[0] for row in rows)
