"""ELF files as sections, symbols and relocations: read, edited in place, and written.

Layouts are those of <elf.h>, both classes and both byte orders.  Reading is
by `struct` alone, so that a small job does not pay for a general library.

An edit leaves everything it does not touch where it was: a section that
grows moves to the end of the file, and a section header table that grows
moves after it.  Debugging information, symbols and line tables of an object
therefore survive unchanged.
"""

from __future__ import annotations

import itertools
import struct
from collections.abc import Iterator, Sequence

from dif.elfnumbers import EM_386, EM_AARCH64, EM_SPARC, EM_SPARCV9, EM_X86_64
from dif.limits import SYMBOLS
from dif.records import NamedTuple

ELF_MAGIC = b"\x7fELF"
SHT_NULL, SHT_PROGBITS, SHT_SYMTAB, SHT_STRTAB, SHT_RELA = 0, 1, 2, 3, 4
SHT_NOTE, SHT_NOBITS, SHT_REL = 7, 8, 9
SHT_DYNSYM, SHT_GROUP, SHT_SYMTAB_SHNDX = 11, 17, 18
SHT_SUNW_DOF = 0x6FFFFFF4
SHF_WRITE, SHF_ALLOC, SHF_EXECINSTR, SHF_INFO_LINK, SHF_GROUP = 1, 2, 4, 0x40, 0x200
# what follows e_ident, and a section's header, by the bits of the file's class
HEADER = {64: "HHIQQQIHHHHHH", 32: "HHIIIIIHHHHHH"}
SECTION_HEADER = {64: "IIQQQQIIQQ", 32: "IIIIIIIIII"}
SHN_UNDEF, SHN_LORESERVE, SHN_ABS, SHN_COMMON, SHN_XINDEX = 0, 0xFF00, 0xFFF1, 0xFFF2, 0xFFFF
STB_GLOBAL, STB_WEAK = 1, 2
STT_NOTYPE, STT_OBJECT, STT_FUNC, STT_GNU_IFUNC = 0, 1, 2, 10
STV_HIDDEN = 2
# by e_machine: relocations whose addend is the resolver of the address
R_IRELATIVE = {EM_386: 42, EM_X86_64: 37, EM_AARCH64: 1032}

_ALIGN_MAX = 1 << 16  # bytes, of a section that moves
# Names may share bytes, but linkers share few: more than so many times their table, and so many
# bytes a name, is a file that stands for far more than it holds.
_SHARED_MAX, _NAME_MAX = 16, 64

MACHINES = {EM_386: "i386", EM_X86_64: "x86-64", EM_AARCH64: "AArch64", EM_SPARC: "SPARC",
            EM_SPARCV9: "SPARC V9"}


class ElfError(ValueError):
    """A file that is not ELF, or whose headers do not hold together."""


class TooManySymbols(ElfError):
    """A file with more symbols than are read."""


class Section:
    """A section header (Elf32_Shdr, Elf64_Shdr); `offset` and `size` in bytes of the file.

    `data` is None until the section is edited, and then its whole contents.
    """

    __slots__ = ("address", "align", "data", "entry_size", "flags", "index", "info", "link", "name",
                 "name_offset", "offset", "size", "type")

    def __init__(self, index: int, name_offset: int, type: int, flags: int, address: int, offset: int,
                 size: int, link: int, info: int, align: int, entry_size: int) -> None:
        self.index = index
        self.name = ""
        self.name_offset = name_offset
        self.type = type
        self.flags = flags
        self.address = address
        self.offset = offset
        self.size = size
        self.link = link
        self.info = info
        self.align = align
        self.entry_size = entry_size
        self.data: bytearray | None = None


class Segment(NamedTuple):
    """A program header: where `size` bytes of the file at `offset` lie in memory."""

    type: int
    flags: int
    offset: int
    address: int
    size: int
    memory_size: int


class Symbol(NamedTuple):
    """A symbol table entry; `section` is an index, already resolved from SHN_XINDEX."""

    name: bytes
    value: int
    size: int
    info: int
    other: int
    section: int

    @property
    def binding(self) -> int:
        return self.info >> 4

    @property
    def type(self) -> int:
        return self.info & 15


class Relocation(NamedTuple):
    """A relocation entry; `symbol` is an index; `addend` is 0 in tables that hold none."""

    offset: int
    symbol: int
    type: int
    addend: int


def string_at(table: bytes, offset: int) -> bytes:
    """The NUL-terminated string at `offset` of a string table.  Raises ElfError when outside."""
    if offset >= len(table):
        if offset == 0:
            return b""
        raise ElfError("a name lies outside its string table")
    end = table.find(b"\0", offset)
    return table[offset:end if end >= 0 else len(table)]


def strings_at(table: bytes, offsets: Sequence[int]) -> list[bytes]:
    """The strings at `offsets`.  Raises ElfError when one is outside, or if together they are too long."""
    size, find, nul = len(table), table.find, b"\0"
    room = _SHARED_MAX * size + _NAME_MAX * len(offsets)
    strings = []
    for offset in offsets:
        end = find(nul, offset)
        text = table[offset:end] if end >= 0 and offset < size else string_at(table, offset)
        room -= len(text)
        if room < 0:
            raise ElfError("names share more of their string table than any linker makes them")
        strings.append(text)
    return strings


class ElfFile:
    """An ELF file in memory.

    `data` are the file's bytes.  Raises ElfError when the headers do not
    describe a file of that length; the contents of sections are checked as
    they are asked for.  Symbol tables of more than `most_symbols` are not read.
    """

    def __init__(self, data: bytes, most_symbols: int = SYMBOLS) -> None:
        self.data = data
        self._most_symbols = most_symbols
        if len(data) < 52 or data[:4] != ELF_MAGIC:
            raise ElfError("not an ELF file")
        if data[4] not in (1, 2) or data[5] not in (1, 2):
            raise ElfError("unknown ELF class or byte order")
        self.bits = 32 * data[4]
        self.order = "<" if data[5] == 1 else ">"
        wide = self.bits == 64
        if wide and len(data) < 64:
            raise ElfError("truncated ELF header")
        header = struct.unpack_from(self.order + HEADER[self.bits], data, 16)
        (self.type, self.machine, _, self.entry, self._phoff, self._shoff, self.flags, _,
         self._phentsize, self._phnum, self._shentsize, shnum, shstrndx) = header
        self._shdr = struct.Struct(self.order + SECTION_HEADER[self.bits])
        self._sym = struct.Struct(self.order + ("IBBHQQ" if wide else "IIIBBH"))
        self.sections = self._read_sections(shnum, shstrndx)

    # -- headers --

    def _read_sections(self, count: int, names: int) -> list[Section]:
        if self._shoff == 0:
            self._names = 0
            return []
        size = self._shdr.size
        if self._shentsize != size or self._shoff + size > len(self.data):
            raise ElfError("broken section header table")
        first = self._shdr.unpack_from(self.data, self._shoff)
        count = count or first[5]  # e_shnum is 0 when the count does not fit: it is in section 0
        names = first[6] if names == SHN_XINDEX else names
        if self._shoff + count * size > len(self.data):
            raise ElfError("the section header table passes the end of the file")
        table = memoryview(self.data)[self._shoff:self._shoff + count * size]
        sections = [Section(index, *row) for index, row in enumerate(self._shdr.iter_unpack(table))]
        self._names = names
        if names >= len(sections):
            raise ElfError("there is no section for the names of sections")
        if names:
            texts = strings_at(bytes(self.contents(sections[names])), [each.name_offset for each in sections])
            for section, text in zip(sections, texts, strict=True):
                section.name = text.decode("utf-8", "replace")
        return sections

    def segments(self) -> list[Segment]:
        """The program headers.  Raises ElfError when they pass the end of the file."""
        wide = self.bits == 64
        layout = struct.Struct(self.order + ("IIQQQQQQ" if wide else "IIIIIIII"))
        if self._phnum == 0:
            return []
        if self._phentsize != layout.size or self._phoff + self._phnum * layout.size > len(self.data):
            raise ElfError("broken program header table")
        rows = [layout.unpack_from(self.data, self._phoff + n * layout.size) for n in range(self._phnum)]
        if wide:
            return [Segment(r[0], r[1], r[2], r[3], r[5], r[6]) for r in rows]
        return [Segment(r[0], r[6], r[1], r[2], r[4], r[5]) for r in rows]

    def section(self, name: str) -> Section | None:
        """The first section of that name."""
        return next((each for each in self.sections if each.name == name), None)

    def section_at(self, index: int) -> Section:
        """Section number `index`.  Raises ElfError when there is none."""
        if not 0 <= index < len(self.sections):
            raise ElfError(f"there is no section {index}")
        return self.sections[index]

    def contents(self, section: Section) -> bytearray | memoryview:
        """The bytes of a section, empty for one without any in the file.  Raises ElfError."""
        if section.data is not None:
            return section.data
        if section.type in (SHT_NULL, SHT_NOBITS):
            return memoryview(b"")
        if section.offset + section.size > len(self.data):
            raise ElfError(f"section {section.name or section.index} passes the end of the file")
        return memoryview(self.data)[section.offset:section.offset + section.size]

    # -- symbols and relocations --

    def symbol_count(self, section: Section) -> int:
        """How many entries a symbol table has.  Raises ElfError for a part of one: none fits behind it."""
        self.demand_few(section)
        count, rest = divmod(len(self.contents(section)), self._sym.size)
        extended = self._extended_indices(section)
        if rest or (extended and len(extended) != count):
            raise ElfError("the symbol table does not end with a whole symbol")
        return count

    def demand_few(self, section: Section) -> None:
        """Raise TooManySymbols for a symbol table that has more than are read."""
        if len(self.contents(section)) // self._sym.size > self._most_symbols:
            raise TooManySymbols(f"more than {self._most_symbols} symbols (-x symbols={self._most_symbols})")

    def raw_symbols(self, section: Section) -> Iterator[tuple[int, int, int, int, int, int]]:
        """Entries of a symbol table as (name offset, value, size, info, other, shndx)."""
        return zip(*self._symbol_columns(section), strict=True)

    def symbols(self, section: Section) -> list[Symbol]:
        """The symbols of a SYMTAB or DYNSYM section, in order.  Raises ElfError."""
        strings = bytes(self.contents(self.section_at(section.link)))
        extended = self._extended_indices(section)
        offsets, values, sizes, infos, others, indices = self._symbol_columns(section)
        if extended:
            real = itertools.chain(extended, itertools.repeat(SHN_UNDEF))
            indices = tuple(entry if index == SHN_XINDEX else index
                            for index, entry in zip(indices, real, strict=False))
        rows = zip(strings_at(strings, offsets), values, sizes, infos, others, indices, strict=True)
        # a library has 10,000 of them: no call of Symbol() for each
        return list(map(tuple.__new__, itertools.repeat(Symbol), rows))

    def _symbol_columns(self, section: Section) -> Sequence[tuple[int, ...]]:
        """The columns of a symbol table, in the order of `raw_symbols`; part of an entry counts for none."""
        self.demand_few(section)
        table = self.contents(section)
        whole = memoryview(table)[:len(table) // self._sym.size * self._sym.size]
        columns = list(zip(*self._sym.iter_unpack(whole), strict=True)) or [()] * 6
        if self.bits == 64:
            name, info, other, shndx, value, size = columns
            columns = [name, value, size, info, other, shndx]
        return columns

    def _extended_indices(self, symtab: Section) -> tuple[int, ...]:
        for each in self.sections:
            if each.type == SHT_SYMTAB_SHNDX and each.link == symtab.index:
                table = self.contents(each)
                return struct.unpack_from(f"{self.order}{len(table) // 4}I", table)
        return ()

    def relocation_layout(self, section: Section) -> tuple[struct.Struct, int]:
        """The layout of a REL or RELA section's entries and the bit where the symbol begins."""
        rela = section.type == SHT_RELA
        if self.bits == 64:
            return struct.Struct(self.order + ("QQq" if rela else "QQ")), 32
        return struct.Struct(self.order + ("IIi" if rela else "II")), 8

    def relocations(self, section: Section) -> Iterator[Relocation]:
        """The entries of a REL or RELA section, in order."""
        layout, shift = self.relocation_layout(section)
        mask = (1 << shift) - 1
        table = self.contents(section)
        for row in layout.iter_unpack(memoryview(table)[:len(table) // layout.size * layout.size]):
            yield Relocation(row[0], row[1] >> shift, row[1] & mask, row[2] if len(row) == 3 else 0)

    # -- editing --

    def edit(self, section: Section) -> bytearray:
        """The section's contents, to be changed at will; `save` writes them back."""
        if section.data is None:
            section.data = bytearray(self.contents(section))
        return section.data

    def append(self, section: Section, data: bytes) -> int:
        """Add `data` to the end of a section.  Returns the offset within it where they lie."""
        contents = self.edit(section)
        at = len(contents)
        contents += data
        return at

    def add_string(self, table: Section, text: bytes) -> int:
        """Add a name to a string table.  Returns its offset."""
        contents = self.contents(table)
        if not len(contents) or contents[-1]:  # the name before it may lack its NUL
            self.append(table, b"\0")
        return self.append(table, text + b"\0")

    def add_section(self, name: str, type: int, data: bytes, *, flags: int = 0, align: int = 1,
                    link: int = 0, info: int = 0, entry_size: int = 0) -> Section:
        """Add a section to a relocatable object.  Returns it."""
        section = Section(len(self.sections), 0, type, flags, 0, 0, 0, link, info, align, entry_size)
        section.name = name
        section.data = bytearray(data)
        section.name_offset = self.add_string(self.section_at(self._names), name.encode())
        self.sections.append(section)
        return section

    def symbol_table(self) -> Section | None:
        """The object's SYMTAB section."""
        return next((each for each in self.sections if each.type == SHT_SYMTAB), None)

    def add_symbol(self, table: Section, symbol: Symbol) -> int:
        """Add a global or weak symbol to a symbol table (locals come first).  Returns its index."""
        name = self.add_string(self.section_at(table.link), symbol.name)
        at = self.append(table, b"")
        shndx, index = symbol.section, at // self._sym.size
        extended = next((each for each in self.sections
                         if each.type == SHT_SYMTAB_SHNDX and each.link == table.index), None)
        if extended is not None:
            large = shndx if SHN_LORESERVE <= shndx < SHN_ABS or shndx > SHN_XINDEX else 0
            self.append(extended, struct.pack(self.order + "I", large))
            shndx = SHN_XINDEX if large else shndx
        self.append(table, self._pack_symbol(name, symbol, shndx))
        return index

    def set_symbol(self, table: Section, index: int, symbol: Symbol, *, rename: bool = False) -> None:
        """Replace a symbol; its section stays, and its name unless it is to `rename`."""
        at = index * self._sym.size
        row = self._sym.unpack_from(self.edit(table), at)
        shndx = row[3] if self.bits == 64 else row[5]
        name = self.add_string(self.section_at(table.link), symbol.name) if rename else row[0]
        self.edit(table)[at:at + self._sym.size] = self._pack_symbol(name, symbol, shndx)

    def _pack_symbol(self, name: int, symbol: Symbol, shndx: int) -> bytes:
        if self.bits == 64:
            return self._sym.pack(name, symbol.info, symbol.other, shndx, symbol.value, symbol.size)
        return self._sym.pack(name, symbol.value, symbol.size, symbol.info, symbol.other, shndx)

    def save(self) -> bytes:
        """The file's bytes with every edit in place.  Raises ElfError if an edit does not fit the file."""
        out = bytearray(self.data)
        moved = False
        for section in self.sections:
            if section.data is None:
                continue
            if len(section.data) != section.size or section.offset == 0:
                align = max(section.align, 1)
                if align > _ALIGN_MAX:
                    raise ElfError(f"section {section.name or section.index} is aligned to {align} bytes")
                out += bytes(-len(out) % align)
                section.offset, section.size = len(out), len(section.data)
                out += section.data
                moved = True
            else:
                out[section.offset:section.offset + section.size] = section.data
        if moved:
            self._save_headers(out)
        return bytes(out)

    def _save_headers(self, out: bytearray) -> None:
        table = b"".join(
            self._shdr.pack(s.name_offset, s.type, s.flags, s.address, s.offset, s.size, s.link, s.info,
                            s.align, s.entry_size) for s in self.sections)
        count = len(self.sections)
        was = struct.unpack_from(self.order + "H", out, 60 if self.bits == 64 else 48)[0]
        if was == count or (was == 0 and self.sections[0].size == count):
            out[self._shoff:self._shoff + len(table)] = table
            return
        if count >= SHN_LORESERVE:
            raise ElfError("too many sections to add one more")
        out += bytes(-len(out) % 8)
        self._shoff = len(out)
        out += table
        if self.bits == 64:
            struct.pack_into(self.order + "Q", out, 40, self._shoff)
            struct.pack_into(self.order + "H", out, 60, count)
        else:
            struct.pack_into(self.order + "I", out, 32, self._shoff)
            struct.pack_into(self.order + "H", out, 48, count)
