"""Where DOF is found: in a file of its own, in sections of an ELF file, and in whatever else holds it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from dif.elfnumbers import ET_CORE
from dif.hostfiles import LARGEST_FILE
from dif.records import NamedTuple
from dof import format as dof
from dof.container import Container, parse
from dof.elf import ELF_MAGIC, SHT_NOBITS, SHT_NULL, SHT_SUNW_DOF, ElfError, ElfFile, Section
from dof.format import DofError

SECTION_NAMES = (".SUNW_dof", "SUNW_dof")  # whatever the type
_FILLED = re.compile(rb"[^\0]")
_MOST_OBJECTS = 4096  # of one file, archives' members together
_DEEPEST = 4  # archives in archives

# The contents of the file that a thin archive names, seen from the archive's directory.  Raises DofError.
ReadMember = Callable[[str], bytes]


class Found(NamedTuple):
    """One DOF object: a description of where it was, its bytes, and its container.

    `offset` is that of the object in the file, None where it is no run of bytes there: in text, or in the
    file of a thin archive's member.
    """

    place: str
    data: bytes
    container: Container
    offset: int | None = 0


def find(data: bytes, read_member: ReadMember | None = None) -> list[Found]:
    """The DOF objects in a file: DOF, ELF, Mach-O, an archive, a driver.conf(4) file, or any bytes.

    `read_member` opens the members of thin archives.  Raises DofError when there is none, when one is broken
    that lies where DOF is meant to lie, or when there are more than any file has that is made in earnest.
    """
    found: list[Found] = []
    room = LARGEST_FILE
    for each in _within(data, read_member, 0):
        found.append(each)
        room -= len(each.data)
        if len(found) > _MOST_OBJECTS or room < 0:
            raise DofError("file", f"more than {_MOST_OBJECTS} DOF objects, or "
                           f"{LARGEST_FILE >> 20} MB of them")
    if not found:
        raise DofError("ELF" if data[:4] == ELF_MAGIC else "file", "no DOF in it")
    return found


def _within(data: bytes, read_member: ReadMember | None, depth: int) -> Iterator[Found]:
    """The DOF objects of a file, or of a member."""
    from dof.holders import archive, driverconf, macho

    if data[:4] == dof.MAGIC:
        yield from _in_dof(data)
    elif data[:4] == ELF_MAGIC:
        yield from _in_elf(data)
    elif data[:8] in (archive.MAGIC, archive.THIN):
        yield from _in_archive(data, read_member, depth)
    elif macho.is_macho(data):
        for piece in macho.dof_sections(data):
            for at, dof_bytes in _in_section(data[piece.offset:piece.offset + piece.size], piece.place):
                yield _found(_offset(piece.place, at), dof_bytes, piece.offset + at)
    elif driverconf.is_driver_conf(data):
        yield from _in_driver_conf(data)
    else:
        yield from _scanned(data)


def _found(place: str, data: bytes, offset: int | None) -> Found:
    """Return an object that must be one.  Raises DofError, which names the place."""
    try:
        return Found(place, data, parse(data), offset)
    except DofError as error:
        raise error.within(place) from None


def _in_dof(data: bytes) -> Iterator[Found]:
    """The object that a file is, and those that follow it."""
    first = parse(data)
    ends = [first.header.load_size, first.header.file_size,
            *(section.offset + section.size for section in first.sections)]
    end = min(max(ends), len(data))
    others = list(_scanned(data, end)) if data.find(dof.MAGIC, end) >= 0 else []
    yield Found("offset 0x0", data[:end], parse(data[:end])) if others else Found("file", data, first)
    yield from others


def _scanned(data: bytes, start: int = 0) -> Iterator[Found]:
    from dof.holders import scan

    for at, dof_bytes in scan.objects(data, start):
        yield Found(f"offset {at:#x}", dof_bytes, parse(dof_bytes), at)


def _in_driver_conf(data: bytes) -> Iterator[Found]:
    from dof.holders.driverconf import images

    try:
        properties = images(data)
    except ValueError as error:
        raise DofError("property", str(error)) from None
    for number, image in properties:
        yield _found(f"property dof-data-{number}", image, None)


def _in_archive(data: bytes, read_member: ReadMember | None, depth: int) -> Iterator[Found]:
    from dof.holders.archive import members

    if depth == _DEEPEST:
        raise DofError("archive", f"more than {_DEEPEST} archives in one another")
    room = LARGEST_FILE  # of the files that a thin archive names
    for member in members(data):
        place = f"member {_printable(member.name)}"
        try:
            contents = member.data
            if contents is None:
                if read_member is None:
                    raise DofError("thin archive", "its members are other files, and no directory is known")
                contents = read_member(member.name)
                room -= len(contents)
                if room < 0:
                    raise DofError("thin archive", f"the members have more than {LARGEST_FILE >> 20} MB")
            for each in _within(contents, None, depth + 1):
                offset = None if member.data is None or each.offset is None else member.offset + each.offset
                inner = "" if each.place == "file" else f", {each.place}"
                yield Found(place + inner, each.data, each.container, offset)
        except DofError as error:
            raise error.within(place) from None


def _printable(name: str) -> str:
    return "".join(char if char.isprintable() else "?" for char in name)


# -- ELF -------------------------------------------------------------------------------------------------

def _in_elf(data: bytes) -> Iterator[Found]:
    """The objects of the DOF sections, and those that lie elsewhere: in a core file, or a kernel module."""
    try:
        elf = ElfFile(data)
        for section, at, dof_bytes in dof_objects(elf):
            yield _found(place(section, at), dof_bytes, section.offset + at)
        meant = [(each.offset, each.offset + each.size) for each in elf.sections if _is_meant_for_dof(each)]
        for each in _scanned(data):
            at = each.offset or 0
            if not any(start <= at < end for start, end in meant):
                yield each._replace(place=_elf_place(elf, at))
    except ElfError as error:
        raise DofError("ELF", str(error)) from error


def _is_meant_for_dof(section: Section) -> bool:
    return section.type == SHT_SUNW_DOF or section.name in SECTION_NAMES


def _elf_place(elf: ElfFile, at: int) -> str:
    """Return words for an offset of the file: what it is of a section, or of a segment's memory.

    A core file is about memory, and debuggers give it sections that only repeat the segments.
    """
    for section in elf.sections if elf.type != ET_CORE else ():
        inside = at - section.offset
        if section.type not in (SHT_NULL, SHT_NOBITS) and 0 <= inside < section.size:
            return place(section, inside)
    for number, segment in enumerate(elf.segments()):
        if segment.offset <= at < segment.offset + segment.size:
            return f"segment {number} address {segment.address + at - segment.offset:#x}"
    return f"offset {at:#x}"


def place(section: Section, at: int) -> str:
    """How a message names the place `at` bytes into a section."""
    return _offset(f"section {section.index} {section.name}", at)


def _offset(where: str, at: int) -> str:
    return f"{where} offset {at:#x}"


def dof_objects(elf: ElfFile) -> Iterator[tuple[Section, int, bytes]]:
    """Each DOF object of an ELF file's DOF sections: its section, its offset in there in bytes, its bytes.

    Raises ElfError, and DofError when a section does not consist of DOF.
    """
    for section in elf.sections:
        if _is_meant_for_dof(section):
            where = f"section {section.index} {section.name}"
            for at, dof_bytes in _in_section(bytes(elf.contents(section)), where):
                yield section, at, dof_bytes


def _in_section(data: bytes, where: str) -> Iterator[tuple[int, bytes]]:
    """The objects that a section consists of.

    The linker puts the DOF of several generated objects into one section, one after another, with
    zeros between them.  An object that is cut short comes as it is, for `parse` to say so.
    """
    at = 0
    while at < len(data) and (filled := _FILLED.search(data, at)) is not None:
        at = filled.start() & ~3
        size = _size(data[at:at + dof.size_of(dof.Header)], _offset(where, at))
        yield at, data[at:at + size]
        at += size


def _size(head: bytes, where: str) -> int:
    """Return how many bytes the object with this header says it takes."""
    least = dof.size_of(dof.Header)
    if len(head) < least or head[:4] != dof.MAGIC:
        raise DofError(where, "not a DOF object")
    header = dof.unpack(dof.Header, head, 0, dof.ENCODINGS.get(head[5], "little"))
    return max(least, header.load_size, header.file_size)
