"""`dtrace -G -x header=sdt`: the object with the semaphores of probes that are notes already.

Each semaphore is a counter of 16 bits in section .probes, hidden, which tracers add to while they listen (see
dof.usdt.notesheader).  The object holds nothing else: no DOF, no code.  So it can be for any machine.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Sequence

from dif.elfnumbers import (
    EM_386,
    EM_AARCH64,
    EM_ARM,
    EM_LOONGARCH,
    EM_MIPS,
    EM_PPC,
    EM_PPC64,
    EM_RISCV,
    EM_S390,
    EM_SPARC,
    EM_SPARCV9,
    EM_X86_64,
)
from dif.hostfiles import LARGEST_OBJECT, read_beginning, read_whole
from dif.records import NamedTuple
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
from dof.format import DofError
from dof.holders import archive
from dof.outputs import write
from dof.usdt.definition import ProviderDefinition
from dof.usdt.notesheader import semaphore
from dof.usdt.stapsdt import SEMAPHORE_SECTION

_SIZE = 2  # bytes of a semaphore
_HEAD = 64  # bytes of a file that hold the header of an object
_RELOCATABLE, _CURRENT = 1, 1  # e_type, e_version


class Machine(NamedTuple):
    """What the header of an object says of its machine: bits, byte order ("<" or ">"), e_machine, e_flags."""

    bits: int
    order: str
    number: int
    flags: int = 0


# By the first part of a compiler's target, which is also what uname(1) calls a machine.  Flags are those that
# linkers insist on: the ABI's version, and how functions take floating point.
MACHINES = {
    "x86_64": Machine(64, "<", EM_X86_64), "i386": Machine(32, "<", EM_386), "i486": Machine(32, "<", EM_386),
    "i586": Machine(32, "<", EM_386), "i686": Machine(32, "<", EM_386),
    "aarch64": Machine(64, "<", EM_AARCH64), "arm64": Machine(64, "<", EM_AARCH64),
    "aarch64_be": Machine(64, ">", EM_AARCH64),
    "arm": Machine(32, "<", EM_ARM, 0x5000000), "armv6l": Machine(32, "<", EM_ARM, 0x5000000),
    "armv7l": Machine(32, "<", EM_ARM, 0x5000000), "armv8l": Machine(32, "<", EM_ARM, 0x5000000),
    "riscv64": Machine(64, "<", EM_RISCV, 5), "loongarch64": Machine(64, "<", EM_LOONGARCH, 0x43),
    "powerpc64le": Machine(64, "<", EM_PPC64, 2), "ppc64le": Machine(64, "<", EM_PPC64, 2),
    "powerpc64": Machine(64, ">", EM_PPC64, 1), "ppc64": Machine(64, ">", EM_PPC64, 1),
    "powerpc": Machine(32, ">", EM_PPC), "ppc": Machine(32, ">", EM_PPC),
    "s390x": Machine(64, ">", EM_S390), "s390": Machine(32, ">", EM_S390),
    "mips64el": Machine(64, "<", EM_MIPS, 0x80000007), "mips64": Machine(64, ">", EM_MIPS, 0x80000007),
    "mipsel": Machine(32, "<", EM_MIPS, 0x70001007), "mips": Machine(32, ">", EM_MIPS, 0x70001007),
    "sparc64": Machine(64, ">", EM_SPARCV9), "sparc": Machine(32, ">", EM_SPARC),
}
# What -m32 and -m64 make of a compiler for the other width.
_OTHER_WIDTH = {EM_X86_64: "i386", EM_386: "x86_64", EM_SPARCV9: "sparc", EM_SPARC: "sparc64",
                EM_PPC64: "powerpc", EM_PPC: "powerpc64", EM_S390: "s390x"}


def write_semaphores(providers: Sequence[ProviderDefinition], objects: Sequence[str], output: str,
                     machine: Machine) -> None:
    """Write the semaphores of probes that are notes.

    They are for the machine of the first of `objects` that is there and is an object or an archive of some,
    else for `machine`.  Raises OSError.
    """
    machine = next(filter(None, map(_machine_of, objects)), machine)
    write({output: generate_semaphores(providers, machine)})


def target_machine(compiler: Sequence[str], bits: int | None = None) -> Machine:
    """The machine for which a compiler's command line compiles, as its words tell without running it.

    They tell by the compiler's name (riscv64-linux-gnu-gcc), by --target=, and by -m32 and -m64.  Else it is
    the machine that this is, of the width `bits` if they are given and it has both.
    """
    found = MACHINES.get(os.uname().machine, MACHINES["x86_64"])
    for word in compiler:
        name = os.path.basename(word.removeprefix("--target=")).partition("-")[0]
        found = MACHINES.get(name, found)
        bits = {"-m32": 32, "-m64": 64}.get(word, bits)
    other = _OTHER_WIDTH.get(found.number)
    return found if bits in (None, found.bits) or other is None else MACHINES[other]


def _machine_of(path: str) -> Machine | None:
    """The machine of an object, or of an archive's first; None for a file that is neither or is not there."""
    try:
        data = read_beginning(path, _HEAD)
        if archive.is_archive(data):
            members = archive.members(read_whole(path, LARGEST_OBJECT))
            data = next((each.data for each in members if each.data and each.data[:4] == ELF_MAGIC), b"")
    except (OSError, DofError):
        return None
    if data[:4] != ELF_MAGIC or len(data) < _HEAD or data[4] not in (1, 2) or data[5] not in (1, 2):
        return None
    bits, order = 32 * data[4], "<" if data[5] == 1 else ">"
    header = struct.unpack_from(order + HEADER[bits], data, 16)
    return Machine(bits, order, header[1], header[6])


def generate_semaphores(providers: Sequence[ProviderDefinition], machine: Machine) -> bytes:
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


def _empty(machine: Machine) -> tuple[ElfFile, int]:
    """An object without contents but its tables; returns it, and the number of its symbol table."""
    wide = machine.bits == 64
    size, entry, symbol = (64, 64, 24) if wide else (52, 40, 16)  # of the header, a section's, a symbol
    names = b"\0.shstrtab\0.strtab\0.symtab\0"
    at = size + len(names)
    at += -at % 8
    strings = at + 4 * entry
    ident = bytes((2 if wide else 1, 1 if machine.order == "<" else 2, _CURRENT)).ljust(12, b"\0")
    header = struct.pack(machine.order + HEADER[machine.bits], _RELOCATABLE, machine.number,
                         _CURRENT, 0, 0, at, machine.flags, size, 0, 0, entry, 4, 1)
    row = struct.Struct(machine.order + SECTION_HEADER[machine.bits])
    rows = (bytes(entry),
            row.pack(names.index(b".shstrtab"), SHT_STRTAB, 0, 0, size, len(names), 0, 0, 1, 0),
            row.pack(names.index(b".strtab"), SHT_STRTAB, 0, 0, strings, 1, 0, 0, 1, 0),
            row.pack(names.index(b".symtab"), SHT_SYMTAB, 0, 0, strings + 8, symbol, 2, 1, 8, symbol))
    data = (ELF_MAGIC + ident + header + names).ljust(at, b"\0") + b"".join(rows) + bytes(8 + symbol)
    return ElfFile(data), 3
