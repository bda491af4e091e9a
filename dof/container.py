"""DOF as a container: a validated header and section table over bytes.

Everything that a length, an offset or a link in the input can get wrong is
checked here, where it enters; later stages ask a `Container` for contents and
strings and get them or a DofError.  The checks and their order are those a
kernel makes when DOF is copied in and slurped; what the kernel trusts and
should not is refused too.
"""

from __future__ import annotations

from enum import Enum

from dif import isa
from dof import format as dof
from dof.format import ByteOrder, DofError, Header, SectionHeader


class View(Enum):
    """Who reads: a tool (any byte order, nothing executed), or a kernel's two entrances."""

    FILE = "file"
    ENABLING = "enabling"  # the ENABLE request
    HELPER = "helper"  # a process registering its own DOF


# What one DOF object may expand to.  Sections can be referred to many times, so eight megabytes
# of input could otherwise stand for terabytes of objects.
_EXPANSION_LIMIT = 16 * 1024 * 1024
_PROVIDER_SECTIONS = {dof.PROVIDER, dof.PROBES, dof.PRARGS, dof.PROFFS}


def load_size(head: bytes, order: ByteOrder | None = "little") -> int:
    """The number of bytes a kernel must copy in, from the first 64 bytes of DOF.

    Raises DofError: EFAULT when `head` is short, E2BIG and EINVAL as the
    kernel does for a size it will not load.
    """
    return _load_size(_header(head, order))


def _header(head: bytes, order: ByteOrder | None) -> Header:
    if len(head) < dof.size_of(Header):
        raise DofError("header", f"{len(head)} bytes, shorter than a DOF header", errno=14)
    if order is None:
        order = dof.ENCODINGS.get(head[5], "little")
    return dof.unpack(Header, head, 0, order)


def _load_size(header: Header) -> int:
    if header.load_size >= dof.MAX_LOAD_SIZE:
        raise DofError("header", f"load size {header.load_size} exceeds the maximum", errno=7)
    if header.load_size < dof.size_of(Header):
        raise DofError("header", f"load size {header.load_size} is below the header's")
    return header.load_size


class Container:
    """A validated header and section table; `data` is what a kernel loads (a tool: everything)."""

    def __init__(self, data: bytes, header: Header, order: ByteOrder,
                 sections: list[SectionHeader]) -> None:
        self.data = data
        self.header = header
        self.order: ByteOrder = order
        self.sections = sections
        self._expanded = 0

    def where(self, index: int) -> str:
        """How a message names section `index`."""
        return f"section {index} ({dof.section_name(self.sections[index].type)})"

    def of_type(self, *types: int) -> list[int]:
        """Indices of the sections of the given types, in file order."""
        return [index for index, section in enumerate(self.sections) if section.type in types]

    def link(self, index: int, wanted: int | None, where: str) -> int:
        """Follow a section link.  Raises DofError unless it names a loaded section of type `wanted`."""
        if index >= len(self.sections):
            raise DofError(where, f"link to section {index}, of {len(self.sections)}")
        section = self.sections[index]
        if not section.flags & dof.FLAG_LOAD:
            raise DofError(where, f"link to {self.where(index)}, which is not loaded")
        if wanted is not None and section.type != wanted:
            raise DofError(where, f"link to {self.where(index)}, wanted {dof.section_name(wanted)}")
        return index

    def contents(self, index: int) -> bytes:
        """The bytes of section `index`; of one that is not loaded, those that are there."""
        section = self.sections[index]
        return self.data[section.offset:section.offset + section.size]

    def string(self, strtab: int, start: int, where: str, limit: int | None = None) -> str:
        """The string at `start` of string table section `strtab`, at most `limit` bytes of it.

        Raises DofError when `start` is outside the table.
        """
        section = self.sections[strtab]
        if start >= section.size:
            raise DofError(where, f"string index {start} past {self.where(strtab)}")
        begin, end = section.offset + start, section.offset + section.size
        if limit is not None:
            end = min(end, begin + limit)
        nul = self.data.find(b"\0", begin, end)
        raw = self.data[begin:end if nul < 0 else nul]
        self.spend(len(raw), where)
        return raw.decode("utf-8", "surrogateescape")

    def spend(self, count: int, where: str) -> None:
        """Account for `count` bytes of objects made from the input.

        Raises DofError when references to shared sections multiply the input beyond reason.
        """
        self._expanded += count
        if self._expanded > _EXPANSION_LIMIT:
            raise DofError(where, "exceeds maximum size")


def parse(data: bytes, view: View = View.FILE, order: ByteOrder = "little") -> Container:
    """Validate the header and the section table of `data`.

    A kernel view accepts only the kernel's own byte `order`; the file view
    either.  Raises DofError for anything `View` refuses; never anything else.
    """
    native = None if view is View.FILE else order
    header = _header(data, native)
    if header.magic != dof.MAGIC:
        raise DofError("header", "no DOF magic number")
    if native is not None and dof.ENCODINGS.get(header.encoding) != native:
        raise DofError("header", f"encoding is not this kernel's ({native}-endian)")
    size = _load_size(header)
    if size > len(data):
        raise DofError("header", f"truncated: load size is {size}, have {len(data)} bytes", errno=14)
    _check_header(header, view)
    order = dof.ENCODINGS[header.encoding]
    sections = _sections(data, header, order)
    container = Container(data if view is View.FILE else data[:size], header, order, sections)
    for index, section in enumerate(sections):
        _check_section(container.where(index), section, data, size, view)
    return container


def _check_header(header: Header, view: View) -> None:
    versions = (*dof.VERSIONS, dof.DARWIN_VERSION) if view is View.FILE else dof.VERSIONS
    refused = (
        (header.model not in (dof.MODEL_ILP32, dof.MODEL_LP64), f"invalid data model {header.model}"),
        (header.encoding not in dof.ENCODINGS, f"invalid encoding {header.encoding}"),
        (header.version not in versions, f"unsupported DOF version {header.version}"),
        (header.dif_version != isa.DIF_VERSION, f"unsupported DIF version {header.dif_version}"),
        (header.dif_registers > isa.NREGS, f"uses {header.dif_registers} integer registers"),
        (header.dif_tuple_registers > isa.NTUPLE, f"uses {header.dif_tuple_registers} tuple registers"),
        (any(header.ident_pad), "non-zero padding in the identification"),
        (header.flags != 0, f"invalid flags {header.flags:#x}"),
        (header.section_size == 0, "section header size is zero"),
        (header.section_offset + header.section_count * header.section_size > header.load_size,
         "section headers exceed the load size"),
        (header.section_offset % 8 != 0, "misaligned section headers"),
        (header.section_size % 8 != 0, "misaligned section header size"),
        (header.section_size < dof.size_of(SectionHeader),
         f"section header size {header.section_size} is too small"),
    )
    for bad, what in refused:
        if bad:
            raise DofError("header", what)


def _sections(data: bytes, header: Header, order: ByteOrder) -> list[SectionHeader]:
    first, stride = header.section_offset, header.section_size
    return [dof.unpack(SectionHeader, data, first + index * stride, order)
            for index in range(header.section_count)]


def _check_section(where: str, section: SectionHeader, data: bytes, load: int, view: View) -> None:
    row = dof.SECTIONS.get(section.type)
    if view is View.ENABLING and section.type in _PROVIDER_SECTIONS:
        raise DofError(where, "not permitted in an enabling")
    if row is not None and row.loadable and not section.flags & dof.FLAG_LOAD:
        raise DofError(where, "loadable section without the load flag")
    if not section.flags & dof.FLAG_LOAD:
        return
    if section.align & (section.align - 1):
        raise DofError(where, f"alignment {section.align} is not a power of two")
    low_bits = section.align - 1 & 0xFFFFFFFF  # all of them without an alignment, in a kernel's arithmetic
    if section.offset & low_bits and (section.align or view is not View.FILE):
        raise DofError(where, f"offset {section.offset} is not aligned to {section.align}")
    if section.offset + section.size > load:
        raise DofError(where, "extends past the load size")
    if section.type == dof.STRTAB and (section.size == 0 or data[section.offset + section.size - 1]):
        raise DofError(where, "string table does not end in a NUL")


# -- relocation ------------------------------------------------------------------------------------

def relocate(container: Container, base: int = 0, address: int = 0) -> Container:
    """Apply the user relocations, as a kernel does to DOF it has copied in.

    `base` is the load address of the object that holds the DOF (added by
    SETX), `address` the DOF's own (added by DOFREL with the word's offset).
    Returns a container over changed bytes.  Raises DofError for a relocation
    that is malformed or reaches outside its target.
    """
    headers = [index for index in container.of_type(dof.URELHDR)
               if container.sections[index].flags & dof.FLAG_LOAD]
    if not headers:
        return container
    data = bytearray(container.data)
    for index in headers:
        _relocate_section(container, data, index, base, address)
    return Container(bytes(data), container.header, container.order, container.sections)


def relocation_header(container: Container, index: int) -> dof.RelocationHeader:
    """The checked header of relocation section `index`; its links are good section indices."""
    where, section = container.where(index), container.sections[index]
    if section.size < dof.size_of(dof.RelocationHeader) or section.align != 4:
        raise DofError(where, "invalid relocation header")
    head = dof.unpack(dof.RelocationHeader, container.data, section.offset, container.order)
    container.link(head.strtab, dof.STRTAB, where)
    table = container.sections[container.link(head.table, dof.RELTAB, where)]
    container.link(head.target, None, where)
    if table.entry_size < dof.size_of(dof.RelocationDesc) or table.align != 8:
        raise DofError(container.where(head.table), "invalid relocation table")
    return head


def relocations(container: Container, head: dof.RelocationHeader) -> list[dof.RelocationDesc]:
    """The entries of the table that a checked header names."""
    table = container.sections[head.table]
    count = table.size // table.entry_size
    container.spend(count * table.entry_size, container.where(head.table))
    return [dof.unpack(dof.RelocationDesc, container.data, table.offset + n * table.entry_size,
                       container.order) for n in range(count)]


def _relocate_section(container: Container, data: bytearray, index: int, base: int,
                      address: int) -> None:
    head = relocation_header(container, index)
    where, target = container.where(index), container.sections[head.target]
    header = container.header
    own = header.section_offset + head.target * header.section_size
    for entry in relocations(container, head):
        if entry.type == dof.RELO_NONE:
            continue
        if entry.type not in (dof.RELO_SETX, dof.RELO_DOFREL):
            raise DofError(where, f"invalid relocation type {entry.type}")
        place = target.offset + entry.offset
        if entry.offset + 8 > target.size or own <= place < own + dof.size_of(SectionHeader):
            raise DofError(where, f"relocation offset {entry.offset} is outside its target")
        if place % 8:
            raise DofError(where, f"misaligned relocation at {entry.offset}")
        delta = base if entry.type == dof.RELO_SETX else address + place
        value = int.from_bytes(data[place:place + 8], container.order) + delta
        data[place:place + 8] = (value & 0xFFFFFFFFFFFFFFFF).to_bytes(8, container.order)
