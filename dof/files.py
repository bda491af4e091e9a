"""Where DOF is found: in a file of its own, or in sections of an ELF file."""

from __future__ import annotations

from dif.records import NamedTuple
from dof import format as dof
from dof.container import Container, parse
from dof.elf import SHT_SUNW_DOF, ElfError, ElfFile
from dof.format import DofError


class Found(NamedTuple):
    """One DOF object: a description of where it was, its bytes, and its container."""

    place: str
    data: bytes
    container: Container


def find(data: bytes) -> list[Found]:
    """The DOF objects in a DOF file or an ELF file.

    A linked section may hold several, one after another.  Raises DofError
    when there is none, or one is broken, or the file is neither.
    """
    if data[:4] == b"\x7fELF":
        return _in_elf(data)
    if data[:4] != dof.MAGIC:
        raise DofError("file", "neither DOF nor ELF")
    return [Found("file", data, parse(data))]


def _in_elf(data: bytes) -> list[Found]:
    found: list[Found] = []
    try:
        elf = ElfFile(data)
        for section in elf.sections:
            if section.type == SHT_SUNW_DOF or section.name in ("SUNW_dof", ".SUNW_dof"):
                found += _walk(bytes(elf.contents(section)), f"section {section.index} {section.name}")
    except ElfError as error:
        raise DofError("ELF", str(error)) from error
    if not found:
        raise DofError("ELF", "no DOF section")
    return found


def _walk(contents: bytes, place: str) -> list[Found]:
    """DOF objects back to back, each perhaps followed by padding."""
    found, at = [], contents.find(dof.MAGIC)
    while at >= 0:
        container = parse(contents[at:])
        size = max(container.header.load_size, container.header.file_size)
        found.append(Found(f"{place} offset {at:#x}", contents[at:at + size], container))
        at = contents.find(dof.MAGIC, at + size)
    return found
