"""Where DOF is found: in a file of its own, or in sections of an ELF file."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dif.records import NamedTuple
from dof import format as dof
from dof.container import Container, parse
from dof.elf import SHT_SUNW_DOF, ElfError, ElfFile, Section
from dof.format import DofError

SECTION_NAMES = (".SUNW_dof", "SUNW_dof")  # whatever the type
_FILLED = re.compile(rb"[^\0]")


class Found(NamedTuple):
    """One DOF object: a description of where it was, its bytes, and its container."""

    place: str
    data: bytes
    container: Container


def find(data: bytes) -> list[Found]:
    """The DOF objects in a DOF file or an ELF file.

    Raises DofError when there is none, or one is broken, or the file is neither.
    """
    if data[:4] == b"\x7fELF":
        return _in_elf(data)
    if data[:4] != dof.MAGIC:
        raise DofError("file", "neither DOF nor ELF")
    return [Found("file", data, parse(data))]


def _in_elf(data: bytes) -> list[Found]:
    found: list[Found] = []
    try:
        for section, at, dof_bytes in dof_objects(ElfFile(data)):
            try:
                found.append(Found(place(section, at), dof_bytes, parse(dof_bytes)))
            except DofError as error:
                raise error.within(place(section, at)) from None
    except ElfError as error:
        raise DofError("ELF", str(error)) from error
    if not found:
        raise DofError("ELF", "no DOF section")
    return found


def place(section: Section, at: int) -> str:
    """How a message names the place `at` bytes into a section."""
    return f"section {section.index} {section.name} offset {at:#x}"


def dof_objects(elf: ElfFile) -> Iterator[tuple[Section, int, bytes]]:
    """Each DOF object of an ELF file: its section, its offset in there in bytes, its bytes.

    The linker puts the DOF of several generated objects into one section, one after another, with
    zeros between them.  An object that is cut short comes as it is, for `parse` to say so.  Raises
    ElfError, and DofError when a section does not consist of DOF.
    """
    for section in elf.sections:
        if section.type != SHT_SUNW_DOF and section.name not in SECTION_NAMES:
            continue
        data, at = bytes(elf.contents(section)), 0
        while (filled := _FILLED.search(data, at)) is not None:
            at = filled.start() & ~3
            size = _size(data[at:at + dof.size_of(dof.Header)], section, at)
            yield section, at, data[at:at + size]
            at += size


def _size(head: bytes, section: Section, at: int) -> int:
    """Return how many bytes the object with this header says it takes."""
    least = dof.size_of(dof.Header)
    if len(head) < least or head[:4] != dof.MAGIC:
        raise DofError(place(section, at), "not a DOF object")
    header = dof.unpack(dof.Header, head, 0, dof.ENCODINGS.get(head[5], "little"))
    return max(least, header.load_size, header.file_size)
