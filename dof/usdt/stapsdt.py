"""The .note.stapsdt section: USDT probes as SystemTap, bpftrace, gdb and perf read them.

Each note is named "stapsdt", has type 3, and describes one site: its
address, the link-time address of section .stapsdt.base, the address of a
semaphore (0: none), and three strings: provider, probe, and where each
argument is.  Addresses are as wide as the file's class.  (SystemTap's wiki,
"UserSpaceProbeImplementation".)
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from dif.elfnumbers import ET_REL
from dif.records import NamedTuple
from dof.elf import SHT_REL, SHT_RELA, ElfError, ElfFile, Section

SECTION = ".note.stapsdt"
BASE_SECTION = ".stapsdt.base"
BASE_SYMBOL = b"_.stapsdt.base"
SEMAPHORE_SECTION = ".probes"
NAME = b"stapsdt\0"
TYPE = 3


class Note(NamedTuple):
    """One site; addresses are those of the file, `arguments` in the notation `-4@%edi 8@%rsi`.

    In a relocatable object the address is an offset in section number `section`, which is 0 for another
    object's, and nothing is known of base and semaphore.
    """

    address: int
    base: int
    semaphore: int
    provider: str
    name: str
    arguments: str
    section: int = 0


def build(provider: str, name: str, arguments: str, bits: int, *, address: int, semaphore: int,
          ) -> tuple[bytes, int]:
    """A note, and the offset in it of three addresses to relocate: of the site, base, and semaphore.

    The addresses are what the places hold: addends, where relocations keep none of their own.
    """
    word = "<Q" if bits == 64 else "<I"
    strings = b"".join(each.encode() + b"\0" for each in (provider, name, arguments))
    description = b"".join(struct.pack(word, each) for each in (address, 0, semaphore)) + strings
    head = struct.pack("<III", len(NAME), len(description), TYPE) + NAME
    note = head + description
    return note.ljust((len(note) + 3) & ~3, b"\0"), len(head)


def read(elf: ElfFile) -> Iterator[Note]:
    """The stapsdt notes of an ELF file, in order, with addresses corrected for a moved base.

    Raises ElfError for a note that does not fit its section.
    """
    for section in elf.sections:
        if section.name == SECTION:
            relocated = _relocated(elf, section) if elf.type == ET_REL else {}
            for at, note in _notes(elf, section):
                if elf.type == ET_REL:
                    number, address = relocated.get(at, (0, 0))
                    note = note._replace(address=address, base=0, semaphore=0, section=number)
                yield note


def _relocated(elf: ElfFile, section: Section) -> dict[int, tuple[int, int]]:
    """What the linker is to put into a section of an object: by offset, a section and an offset in it."""
    found = {}
    data = elf.contents(section)
    for table in elf.sections:
        if table.type in (SHT_REL, SHT_RELA) and table.info == section.index:
            symbols = elf.symbols(elf.section_at(table.link))
            for each in elf.relocations(table):
                if each.symbol >= len(symbols):
                    raise ElfError(f"a relocation of {SECTION} names a symbol that there is not")
                symbol = symbols[each.symbol]
                addend = each.addend if table.type == SHT_RELA else \
                    int.from_bytes(data[each.offset:each.offset + elf.bits // 8],
                                   "little" if elf.order == "<" else "big")
                found[each.offset] = symbol.section, symbol.value + addend
    return found


def _notes(elf: ElfFile, section: Section) -> Iterator[tuple[int, Note]]:
    """The notes of a section, each with the offset of its address in the section."""
    base_section = elf.section(BASE_SECTION)
    data = bytes(elf.contents(section))
    word = struct.Struct(elf.order + ("QQQ" if elf.bits == 64 else "III"))
    mask = (1 << elf.bits) - 1
    at = 0
    while at + 12 <= len(data):
        name_size, size, kind = struct.unpack_from(elf.order + "III", data, at)
        start = at + 12 + (name_size + 3 & ~3)
        if start + size > len(data):
            raise ElfError(f"a note passes the end of {SECTION}")
        if kind == TYPE and data[at + 12:at + 12 + name_size] == NAME and size >= word.size:
            address, base, semaphore = word.unpack_from(data, start)
            strings = data[start + word.size:start + size].split(b"\0")
            if len(strings) < 3:
                raise ElfError(f"a note in {SECTION} lacks its strings")
            moved = base_section.address - base if base_section is not None and base else 0
            provider, probe, arguments = (each.decode("utf-8", "replace") for each in strings[:3])
            yield start, Note(address + moved & mask, base, semaphore + moved & mask if semaphore else 0,
                              provider, probe, arguments)
        at = start + (size + 3 & ~3)
