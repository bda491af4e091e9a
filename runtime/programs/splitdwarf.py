"""Debug information that the compiler has kept out of the program (-gsplit-dwarf).

The linker sees a skeleton of each unit, which names the .dwo file with the rest; dwp(1) puts many such
files into one, PROGRAM.dwp.  (DWARF 5, 7.3.2 and 7.3.5.  Before, compilers wrote GNU's additions to version
4: see the pages DebugFission and DebugFissionDWP of GCC's wiki.)
"""

from __future__ import annotations

import contextlib
import io
import os
import struct
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from dif.records import NamedTuple
from dof.elf import ElfFile
from runtime.programs.debugfiles import ReadFile
from runtime.programs.limits import ATTRIBUTES, TABLES, Allowance, check_sections, option

if TYPE_CHECKING:
    from elftools.dwarf.compileunit import CompileUnit
    from elftools.dwarf.die import DIE
    from elftools.dwarf.dwarfinfo import DWARFInfo
    from elftools.dwarf.typeunit import TypeUnit

    Unit = CompileUnit | TypeUnit

Sections = Mapping[str, bytes]  # of split information, by name without ".debug_" and ".dwo"
NAMES, IDENTITY = ("DW_AT_dwo_name", "DW_AT_GNU_dwo_name"), "DW_AT_GNU_dwo_id"
ADDRESSES, STRINGS = ("DW_AT_addr_base", "DW_AT_GNU_addr_base"), "DW_AT_str_offsets_base"
CONTENTS = ("info", "types", "abbrev", "str_offsets", "str", "loclists", "rnglists")
COLUMNS = {1: "info", 2: "types", 3: "abbrev", 6: "str_offsets"}  # of a package's index: DW_SECT_*
LISTS = {5: "loclists", 8: "rnglists"}  # and since version 5
TEXT = 64  # bytes of a string that count as one attribute more
STRINGS_HEADER = 8  # bytes before the table of strings, since version 5
LISTS_HEADER = 12  # bytes before the table of lists of places, and of ranges
# DW_FORM_GNU_addr_index and DW_FORM_GNU_str_index as version 4 has them, and the forms of version 5 that
# are read alike; LEB128 of two bytes, which are nothing else in a table of abbreviations
FORMS = {b"\x81\x3e": b"\x9b\x00", b"\x82\x3e": b"\x9a\x00"}


class _Base(NamedTuple):
    """An attribute that units of split files go without, and that elftools looks for in them."""

    value: int
    form: str = "DW_FORM_sec_offset"


class Units:
    """The units of `main`, the debug information (elftools') of the program at `path`.

    `read` gives the contents of a file, None where there is none, and `most` bytes are read of each.  Broken
    information raises anything.
    """

    def __init__(self, main: DWARFInfo, path: str, read: ReadFile, most: int) -> None:
        self._main, self._path, self._read = main, path, read
        self._split: dict[int, Unit] = {}  # units by their skeletons' offsets
        self._types: dict[int, Unit] = {}  # type units, by signature
        self._bases: dict[DWARFInfo, dict[str, _Base]] = {}  # of the units of each split information
        self._searched: set[DWARFInfo] = set()  # for type units
        self._package: _Package | None = None
        self._looked = False  # for the package
        self._files: dict[str, Sections | None] = {}  # of .dwo files, by path
        self._attributes = Allowance(most // ATTRIBUTES, f"attributes of debug information {option(most)}")
        self._abbreviations = Allowance(2 * most // TABLES, f"bytes of abbreviations {option(most)}")
        self._most = most
        self._parts = Allowance(most, f"bytes of split debug information {option(most)}")
        self._counted: set[tuple[DWARFInfo, int]] = set()  # tables of abbreviations, by their offsets
        self._met: set[tuple[Unit, int]] = set()  # entries that have been counted
        self._ends: dict[tuple[object, int], int] = {}  # of entries with others in them

    def at(self, address: int) -> Iterator[Unit]:
        """The unit that says it covers `address`, or else every one."""
        ranges = self._main.get_aranges()
        offset = ranges.cu_offset_at_addr(address) if ranges is not None else None
        if offset is not None:
            yield self._whole(self._main.get_CU_at(offset))
        else:
            yield from self.all()

    def all(self) -> Iterator[Unit]:
        """Every unit of the program."""
        for unit in self._main.iter_CUs():
            yield self._whole(unit)
        for dwarf in (self._main, *self._bases):
            self._search(dwarf)
        for signature in self._package.types if self._package is not None else ():
            self._type_unit(self._main, signature)
        yield from self._types.values()

    def referred(self, entry: DIE, attribute: str) -> DIE:
        """The entry that an attribute refers to, in a type unit perhaps.  Raises KeyError."""
        value = entry.attributes[attribute]
        if value.form != "DW_FORM_ref_sig8":
            return entry.get_DIE_from_attribute(attribute)
        unit = self._type_unit(entry.dwarfinfo, value.raw_value)
        return unit.get_DIE_from_refaddr(unit.cu_offset + unit["type_offset"])

    def children(self, entry: DIE) -> Iterator[DIE]:
        """The entries that lie in this one.  Raises ValueError where they do not."""
        if not entry.has_children:
            return
        unit = entry.cu
        at, whole = entry.offset + entry.size, entry is unit.get_top_DIE()
        end = unit.cu_offset + unit.size if whole else self._end(entry)
        while True:
            child = self._entry(unit, at)
            if child.is_null():
                return
            yield child
            at = self._end(child)
            if at >= end:
                raise ValueError("an entry does not lie within the one that it belongs to")

    def _entry(self, unit: Unit, at: int) -> DIE:
        found = unit.get_DIE_from_refaddr(at)
        if (unit, at) not in self._met:
            self._met.add((unit, at))
            values = [each.value for each in found.attributes.values()]
            texts = sum(len(each) for each in values if isinstance(each, bytes))
            self._attributes.take(1 + len(found.attributes) + texts // TEXT)
        return found

    def _end(self, entry: DIE) -> int:
        """Where the entry after this one and all that lies in it begins."""
        unit = entry.cu
        at = entry.offset + entry.size
        if not entry.has_children:
            return at
        if "DW_AT_sibling" in entry.attributes:
            sibling = entry.attributes["DW_AT_sibling"]
            end = sibling.value + (0 if sibling.form == "DW_FORM_ref_addr" else unit.cu_offset)
            if end <= entry.offset:
                raise ValueError("an entry follows itself")
            return int(end)
        if (entry.stream, entry.offset) not in self._ends:
            begun = [entry.offset]
            while begun:
                inner = self._entry(unit, at)
                at += inner.size
                if inner.has_children:
                    begun.append(inner.offset)
                elif inner.is_null():
                    self._ends[entry.stream, begun.pop()] = at
        return self._ends[entry.stream, entry.offset]

    # -- units -------------------------------------------------------------------------------------------

    def _whole(self, unit: Unit) -> Unit:
        """The unit for which a skeleton stands, if its file is found; any other unit itself."""
        self._count(unit)
        attributes = unit.get_top_DIE().attributes
        name = _first(attributes, NAMES)
        if name is None:
            return unit
        if unit.cu_offset not in self._split:
            self._split[unit.cu_offset] = self._find(unit, os.fsdecode(name)) or unit
        return self._split[unit.cu_offset]

    def _count(self, unit: Unit) -> None:
        """Count what a unit costs before anything of it is read: its abbreviations are read all at once.

        Tables that follow one another are read once in all; units may name tables that overlap.
        """
        section = unit.dwarfinfo.debug_abbrev_sec
        key = unit.dwarfinfo, unit["debug_abbrev_offset"]
        self._attributes.take(1)
        if section is not None and key not in self._counted:
            self._counted.add(key)
            unit.get_abbrev_table()
            self._abbreviations.take(section.stream.tell() - key[1])

    def _find(self, skeleton: Unit, name: str) -> Unit | None:
        attributes, identity = skeleton.get_top_DIE().attributes, _identity(skeleton)
        base = _first(attributes, ADDRESSES) or 0
        for sections in self._candidates(name, _first(attributes, ("DW_AT_comp_dir",)), identity):
            for unit in self._open(sections, base).iter_CUs():
                self._count(unit)
                if _identity(self._based(unit)) == identity:
                    return unit
        return None

    def _candidates(self, name: str, built: bytes | None, identity: int) -> Iterator[Sections]:
        """Where the unit may be: where the compiler left it, beside the program, in the package."""
        for folder in filter(None, (os.fsdecode(built or b""), os.path.dirname(self._path))):
            path = os.path.normpath(os.path.join(folder, name))
            if path not in self._files:
                data = self._read(path)
                self._files[path] = self._counted_sections(data) if data is not None else None
            sections = self._files[path]
            if sections is not None:
                yield sections
        package = self._packed()
        if package is not None and identity in package.units:
            yield package.part(package.units[identity])

    def _counted_sections(self, data: bytes) -> Sections:
        sections = _sections(data, self._most)
        self._parts.take(sum(map(len, sections.values())))
        return sections

    def _packed(self) -> _Package | None:
        if not self._looked:
            self._looked = True
            data = self._read(self._path + ".dwp")
            if data is not None:
                self._package = _Package(data, self._main.config.little_endian, self._most)
        return self._package

    def _type_unit(self, dwarf: DWARFInfo, signature: int) -> Unit:
        self._search(dwarf)
        package = self._package
        if signature not in self._types and package is not None and signature in package.types:
            self._search(self._open(package.part(package.types[signature]), 0))
        return self._types[signature]

    def _search(self, dwarf: DWARFInfo) -> None:
        """Type units are among the others, or (version 4) in a section of their own."""
        if dwarf not in self._searched:
            self._searched.add(dwarf)
            for unit in dwarf.iter_CUs() if dwarf.debug_info_sec is not None else ():
                self._count(unit)
                if "type_signature" in unit.header:
                    self._types[unit["type_signature"]] = self._based(unit)
            for of_types in dwarf.iter_TUs():
                self._count(of_types)
                self._types[of_types["signature"]] = self._based(of_types)

    # -- for elftools ------------------------------------------------------------------------------------

    def _open(self, sections: Sections, addresses: int) -> DWARFInfo:
        from elftools.dwarf.dwarfinfo import DebugSectionDescriptor, DWARFInfo

        contents = dict(sections)
        self._parts.take(sum(len(data) for name, data in contents.items() if name != "str"))
        units = contents.get("info") or contents["types"]
        version = max(units[4:6])  # a number of one byte, in either order
        if version < 5:
            for old, new in FORMS.items():
                contents["abbrev"] = contents["abbrev"].replace(old, new)
        given: dict[str, DebugSectionDescriptor | None] = dict.fromkeys(
            name for name in vars(self._main) if name.endswith("_sec"))
        for name, data in contents.items():
            given[f"debug_{name}_sec"] = DebugSectionDescriptor(io.BytesIO(data), name, 0, len(data), 0)
        dwarf = DWARFInfo(self._main.config, **given | {"debug_addr_sec": self._main.debug_addr_sec})
        self._bases[dwarf] = {ADDRESSES[0]: _Base(addresses),
                              STRINGS: _Base(STRINGS_HEADER if version >= 5 else 0),
                              **{f"DW_AT_{name}_base": _Base(LISTS_HEADER) for name in LISTS.values()}}
        return dwarf

    def _based(self, unit: Unit) -> Unit:
        """The unit; elftools can then read the strings and addresses of a split one."""
        bases = self._bases.get(unit.dwarfinfo)
        if bases is not None:
            from elftools.common.exceptions import DWARFError

            with contextlib.suppress(DWARFError):  # its own name, for which it is too early
                unit.get_top_DIE()
            unit.get_top_DIE().attributes.update(bases)
        return unit


class _Package:
    """A .dwp file: `units` by identity and `types` by signature, each as what part it has of sections."""

    def __init__(self, data: bytes, little: bool, most: int) -> None:
        self._order = "<" if little else ">"
        self._sections = _sections(data, most)
        self.units, self.types = self._index(data, ".debug_cu_index"), self._index(data, ".debug_tu_index")

    def part(self, places: Mapping[str, tuple[int, int]]) -> Sections:
        """The sections as one .dwo file had them."""
        parts = {name: self._sections.get(name, b"")[at:at + size] for name, (at, size) in places.items()}
        return parts | {"str": self._sections.get("str", b"")}

    def _index(self, data: bytes, name: str) -> dict[int, dict[str, tuple[int, int]]]:
        """Offset and size of each contribution to a section.

        A header (version, columns, units, slots), the slots' keys and rows, the columns' sections, and the
        rows' offsets and sizes.
        """
        index = _section(data, name)
        if not index:
            return {}
        order = self._order
        version, _, columns, units, slots = struct.unpack_from(f"{order}2H3I", index)
        if not units:
            return {}
        known = COLUMNS | (LISTS if version == 5 else {})
        keys = struct.unpack_from(f"{order}{slots}Q", index, 16)
        rows = struct.unpack_from(f"{order}{slots}I", index, 16 + slots * 8)
        rest = index[16 + slots * 12:][:(1 + units * 2) * columns * 4]
        table = list(struct.iter_unpack(f"{order}{columns}I", rest))
        return {key: {known[number]: (at, size) for number, at, size
                      in zip(table[0], table[row], table[units + row], strict=True) if number in known}
                for key, row in zip(keys, rows, strict=True) if row}


def _section(data: bytes, name: str) -> bytes:
    """The contents of the sections of that name, of which there may be one for each type."""
    from elftools.elf.elffile import ELFFile

    return b"".join(each.data() for each in ELFFile(io.BytesIO(data)).iter_sections() if each.name == name)


def _sections(data: bytes, most: int) -> Sections:
    check_sections(ElfFile(data), most)
    from elftools.elf.elffile import ELFFile

    found = dict.fromkeys(CONTENTS, b"")
    for section in ELFFile(io.BytesIO(data)).iter_sections():
        name = section.name.removeprefix(".debug_").removesuffix(".dwo")
        if name in found and section.name == f".debug_{name}.dwo":
            found[name] += section.data()
    return {name: contents for name, contents in found.items() if contents}


def _first(attributes: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((attributes[name].value for name in names if name in attributes), None)


def _identity(unit: Unit) -> int:
    """What a unit and its skeleton have in common."""
    return unit.header.get("dwo_id", _first(unit.get_top_DIE().attributes, (IDENTITY,)))
