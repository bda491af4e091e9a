"""The USDT probes of any ELF file: from its DOF, and from its stapsdt notes."""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Iterator

from dif.elfnumbers import ET_REL
from dif.hostfiles import LARGEST_OBJECT, read_whole
from dif.records import Record, field
from dof import format as dof
from dof.elf import ELF_MAGIC, SHT_DYNSYM, SHT_SYMTAB, STT_FUNC, ElfFile
from dof.files import dof_objects, place
from dof.format import DofError
from dof.holders import archive
from dof.model import Program
from dof.reader import read
from dof.usdt import stapsdt
from dof.usdt.definition import ProviderAttributes
from dof.writer import probe_address_offsets

# The type of an argument of which a note tells the size (negative: signed).
NOTE_TYPES = {1: "uint8_t", 2: "uint16_t", 4: "uint32_t", 8: "uint64_t",
              -1: "int8_t", -2: "int16_t", -4: "int32_t", -8: "int64_t"}


class FoundProbe(Record):
    """A probe in one function of a file.

    `sites` and `enabled_sites` are addresses as the file has them (in a
    relocatable object: offsets from the function).  `native` and `xlated` are
    type names, `mapping[i]` the native argument that xlated argument i takes.
    `source` is "dof" or "stapsdt"; from a note, `operands[i]` says where the
    arguments of site i are, and `semaphores` lists the words to increment
    while someone listens.  `attributes` are the provider's, where the file tells.
    """

    provider: str
    function: str
    name: str
    source: str
    native: list[str] = field(default_factory=list)
    xlated: list[str] = field(default_factory=list)
    mapping: list[int] = field(default_factory=list)
    sites: list[int] = field(default_factory=list)
    enabled_sites: list[int] = field(default_factory=list)
    operands: list[str] = field(default_factory=list)
    semaphores: list[int] = field(default_factory=list)
    attributes: ProviderAttributes | None = None


def probes_of(path: str) -> list[FoundProbe]:
    """All probes of an ELF file, those of DOF first.  Raises OSError, ElfError and DofError."""
    return _probes(read_whole(path, LARGEST_OBJECT))


def probes_by_module(path: str) -> Iterator[tuple[str, list[FoundProbe]]]:
    """The probes of an ELF file with its name, or of an archive's objects with theirs.

    Raises OSError, ElfError and DofError.
    """
    data = read_whole(path, LARGEST_OBJECT)
    if not archive.is_archive(data):
        yield os.path.basename(path), _probes(data)
        return
    for member in archive.members(data):
        contents = archive.read_member(path, member.name) if member.data is None else member.data
        if contents.startswith(ELF_MAGIC):
            yield member.name, _probes(contents)


def _probes(data: bytes) -> list[FoundProbe]:
    elf = ElfFile(data)
    found = from_dof(elf)
    # -G writes both; a note for a site that DOF already tells of is the same probe.
    known = {site for probe in found for site in probe.sites}
    return found + [each for each in from_notes(elf) if not known.intersection(each.sites)]


def from_dof(elf: ElfFile) -> list[FoundProbe]:
    """The probes that the file's DOF tells of.  Raises ElfError and DofError."""
    found = []
    for section, at, data in dof_objects(elf):
        try:
            program = read(data)
        except DofError as error:
            raise error.within(place(section, at)) from None
        if elf.type != ET_REL:
            _relocate(program, data, section.address + at)
        for provider in program.providers:
            for probe in provider.probes:
                found.append(FoundProbe(
                    provider.name, probe.function, probe.name, "dof",
                    probe.native, probe.xlated, probe.mapping,
                    [_wrap(probe.address + each, program.model) for each in probe.offsets],
                    [_wrap(probe.address + each, program.model) for each in probe.enabled_offsets],
                    attributes=provider.attributes))
    return found


def _wrap(address: int, model: int) -> int:
    return address & (0xFFFFFFFF if model == dof.MODEL_ILP32 else 0xFFFFFFFFFFFFFFFF)


def _relocate(program: Program, data: bytes, address: int) -> None:
    """What a kernel does for DOF at `address`: probe addresses are relative to their own place."""
    places = iter(probe_address_offsets(data))
    for provider in program.providers:
        for probe in provider.probes:
            probe.address += address + next(places)


def from_notes(elf: ElfFile) -> list[FoundProbe]:
    """The probes that the file's stapsdt notes tell of, one for each function.  Raises ElfError."""
    functions = _Functions(elf)
    found: dict[tuple[str, str, str], FoundProbe] = {}
    for note in stapsdt.read(elf):
        start, function = functions.at(note.section, note.address)
        key = note.provider, function, note.name
        probe = found.get(key)
        if probe is None:
            types = [_note_type(each) for each in note.arguments.split() if "@" in each]
            probe = found[key] = FoundProbe(note.provider, function, note.name.replace("__", "-"), "stapsdt",
                                            types, types, list(range(len(types))))
        probe.sites.append(note.address - start if elf.type == ET_REL else note.address)
        probe.operands.append(note.arguments)
        if note.semaphore and note.semaphore not in probe.semaphores:
            probe.semaphores.append(note.semaphore)
    return list(found.values())


def _note_type(operand: str) -> str:
    """The type of an argument: a long double is read as a double (runtime.providers.fasttrap)."""
    size = operand.split("@", 1)[0]
    if size.endswith("f"):
        return "float" if size.removeprefix("-") == "4f" else "double"
    try:
        return NOTE_TYPES.get(int(size), "uint64_t")
    except ValueError:
        return "uint64_t"


class _Functions:
    """Which function an address lies in, by the file's symbols; in a relocatable object by section, too."""

    def __init__(self, elf: ElfFile) -> None:
        nothing = -1, 0, 0, b""  # in front of all: there is always one that begins before an address
        self._functions = [nothing, *sorted({
            (symbol.section if elf.type == ET_REL else 0, symbol.value, symbol.size, symbol.name)
            for section in elf.sections if section.type in (SHT_SYMTAB, SHT_DYNSYM)
            for symbol in elf.symbols(section) if symbol.type == STT_FUNC and symbol.section})]

    def at(self, section: int, address: int) -> tuple[int, str]:
        """Where the function begins, and its name; 0 and "" if there is none."""
        following = bisect_right(self._functions, (section, address, 1 << 64, b""))
        number, value, size, name = self._functions[following - 1]
        if number != section or (size and address >= value + size):
            return 0, ""
        return value, name.decode("utf-8", "replace")
