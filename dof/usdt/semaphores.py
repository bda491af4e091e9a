"""`dtrace -G -x header=sdt`: the object with the semaphores of probes that are notes already.

Each semaphore is a counter of 16 bits in section .probes, hidden, which tracers add to while they listen (see
dof.usdt.notesheader).  The object holds nothing else: no DOF, no code.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

from dof.elf import (
    ELF_MAGIC,
    HEADER,
    SECTION_HEADER,
    SHF_ALLOC,
    SHF_WRITE,
    SHT_PROGBITS,
    SHT_STRTAB,
    SHT_SYMTAB,
    STB_GLOBAL,
    STT_OBJECT,
    STV_HIDDEN,
    ElfFile,
    Symbol,
)
from dof.usdt.definition import ProviderDefinition
from dof.usdt.instructions import InstructionSet
from dof.usdt.notesheader import semaphore
from dof.usdt.output import SEMAPHORE_SECTION

_SIZE = 2  # bytes of a semaphore
_RELOCATABLE, _CURRENT = 1, 1  # e_type, e_version


def generate_semaphores(providers: Sequence[ProviderDefinition], machine: InstructionSet) -> bytes:
    """The relocatable object with a semaphore for each probe."""
    elf, symtab = _empty(machine)
    probes = [semaphore(provider, probe) for provider in providers for probe in provider.probes]
    section = elf.add_section(SEMAPHORE_SECTION, SHT_PROGBITS, bytes(_SIZE * len(probes)),
                              flags=SHF_ALLOC | SHF_WRITE, align=_SIZE)
    for number, name in enumerate(probes):
        elf.add_symbol(elf.section_at(symtab), Symbol(
            name.encode(), _SIZE * number, _SIZE, STB_GLOBAL << 4 | STT_OBJECT, STV_HIDDEN, section.index))
    elf.add_section(".note.GNU-stack", SHT_PROGBITS, b"")  # says that no code here needs an executable stack
    return elf.save()


def _empty(machine: InstructionSet) -> tuple[ElfFile, int]:
    """An object without contents but its tables; returns it, and the number of its symbol table."""
    wide = machine.bits == 64
    size, entry, symbol = (64, 64, 24) if wide else (52, 40, 16)  # of the header, a section's, a symbol
    names = b"\0.shstrtab\0.strtab\0.symtab\0"
    at = size + len(names)
    at += -at % 8
    strings = at + 4 * entry
    ident = bytes((2 if wide else 1, 1 if machine.order == "<" else 2, _CURRENT)).ljust(12, b"\0")
    header = struct.pack(machine.order + HEADER[machine.bits], _RELOCATABLE, machine.machine,
                         _CURRENT, 0, 0, at, 0, size, 0, 0, entry, 4, 1)
    row = struct.Struct(machine.order + SECTION_HEADER[machine.bits])
    rows = (bytes(entry),
            row.pack(names.index(b".shstrtab"), SHT_STRTAB, 0, 0, size, len(names), 0, 0, 1, 0),
            row.pack(names.index(b".strtab"), SHT_STRTAB, 0, 0, strings, 1, 0, 0, 1, 0),
            row.pack(names.index(b".symtab"), SHT_SYMTAB, 0, 0, strings + 8, symbol, 2, 1, 8, symbol))
    data = (ELF_MAGIC + ident + header + names).ljust(at, b"\0") + b"".join(rows) + bytes(8 + symbol)
    return ElfFile(data), 3
