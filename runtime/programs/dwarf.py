"""C types from DWARF (versions 2 to 5): what functions take and return, structures, names.

Pointers found here are addresses of the traced program: they are userland
pointers, behind which D reads as copyin() does.  Nothing is read before it is
asked for, and a record's members only when they are.  What is
broken or unknown in the information counts as void.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from dc.types.scopes import Scope
from dc.types.types import (
    Array,
    Enum,
    Function,
    Integer,
    Member,
    Qualified,
    Record,
    Type,
    Typedef,
)
from dif.limits import DEBUG_DEPTH, DEBUG_INFORMATION
from dof.elf import ElfFile
from runtime.programs.ctf import ENUM_SIZE
from runtime.programs.limits import TooLarge, check_sections
from runtime.programs.pairs import WIDE, Numbers

if TYPE_CHECKING:
    from elftools.dwarf.die import DIE
    from elftools.dwarf.dwarfinfo import DWARFInfo

    from runtime.programs.debugfiles import ReadFile
    from runtime.programs.splitdwarf import Units

# DW_ATE_* (DWARF 5, 7.8)
BOOLEAN, COMPLEX, FLOAT, SIGNED, SIGNED_CHAR, UNSIGNED_CHAR, UTF = 2, 3, 4, 5, 6, 8, 0x10
# DW_CC_pass_by_reference, of a C++ object that cannot be copied bit by bit, and DW_CC_pass_by_value
PASS_BY_REFERENCE, PASS_BY_VALUE = 4, 5
GO = 0x16  # DW_LANG_Go: results are among the parameters, with DW_AT_variable_parameter
PLUS_UCONST = 0x23  # DW_OP_plus_uconst

_RECORDS = {"DW_TAG_structure_type": "struct", "DW_TAG_class_type": "struct", "DW_TAG_union_type": "union"}
_QUALIFIERS = {"DW_TAG_const_type": "const", "DW_TAG_volatile_type": "volatile",
               "DW_TAG_restrict_type": "restrict"}
_REFERENCES = ("DW_TAG_reference_type", "DW_TAG_rvalue_reference_type")
_POINTERS = ("DW_TAG_pointer_type", *_REFERENCES)
_PARTS = ("DW_TAG_member", "DW_TAG_inheritance")  # of classes; those that are external have a place alone
_WRAPPERS = (*_QUALIFIERS, "DW_TAG_typedef", "DW_TAG_array_type")  # around what a member consists of
_VIRTUAL = "_vptr"  # begins the name of the member that leads to virtual functions
_NESTS = ("DW_TAG_namespace", "DW_TAG_module", *_RECORDS)  # what functions and types may lie in
_KEYS = {**_RECORDS, "DW_TAG_enumeration_type": "enum"}
_T = TypeVar("_T")
Value = int | bytes | list[int]  # of an attribute, as elftools reads it


class DwarfTypes:
    """The types of one ELF file; `data` is the file, or its separate debug file.

    `shared` is the file into which dwz has moved what several share.  `path` is the program's, and
    `read` gives other files beside it (see runtime.programs.splitdwarf).  `scope` has the file's type names;
    its parent has the basic types.
    """

    def __init__(self, data: bytes, path: str, model: int, shared: bytes | None = None,
                 read: ReadFile = lambda _path: None, most: int = DEBUG_INFORMATION,
                 deepest: int = DEBUG_DEPTH) -> None:
        self._data, self._shared, self._most, self._deepest = data, shared, most, deepest
        self._path, self._read = path, read
        name = self._name = path.rpartition("/")[2]
        self.scope = Scope(model, Scope.intrinsic(model), name)
        self.scope.loader = self
        self._known: dict[tuple[object, int], Type] = {}  # by the section's stream, and offset
        self._referenced: dict[tuple[object, int], bool] = {}  # classes: whether their address is passed
        self._named: dict[str, DIE] | None = None
        self.problem = ""

    def signature(self, address: int) -> Function | None:
        """The type of the function that begins at `address`, as the file counts; None if unknown."""
        return self._careful(lambda: self._signature(address), None)

    # -- for Scope ---------------------------------------------------------------------------------

    def load_type(self, key: str) -> None:
        """Declare a type of the file's, "struct foo" or "foo_t", in the scope."""
        entry = self._careful(lambda: self._names().get(key), None)
        if entry is not None:
            self.scope.types[key] = self._careful(lambda: self._type(entry), self._void)

    def load_value(self, name: str) -> None:
        """Enumerators and variables of programs are not D's to name."""

    def words(self) -> set[str]:
        """The names of the file's types, tags without their keyword."""
        none: dict[str, DIE] = {}
        names = self._careful(self._names, none)
        return {key.rpartition(" ")[2] for key in names}

    # -- functions ---------------------------------------------------------------------------------

    def _careful(self, read: Callable[[], _T], otherwise: _T) -> _T:
        """Read, or return `otherwise`: debug information comes from the traced program and may be broken."""
        try:
            return read()
        except TooLarge as error:
            self.problem = str(error)
            return otherwise
        except Exception:  # elftools promises no particular one for broken information
            return otherwise

    @cached_property
    def _units(self) -> Units | None:
        from elftools.elf.elffile import ELFFile

        from runtime.programs.splitdwarf import Units

        check_sections(ElfFile(self._data), self._most)
        file = ELFFile(io.BytesIO(self._data))
        relocates = file.header.e_type == "ET_REL"  # a linker has done it elsewhere
        if not file.has_dwarf_info(strict=True):
            return None
        dwarf: DWARFInfo = file.get_dwarf_info(relocates, follow_links=False)
        if self._shared is not None:
            check_sections(ElfFile(self._shared), self._most)
            other = ELFFile(io.BytesIO(self._shared))
            dwarf.supplementary_dwarfinfo = other.get_dwarf_info(follow_links=False)
        return Units(dwarf, self._path, self._read, self._most)

    def _signature(self, address: int) -> Function | None:
        entry = self._function(address)
        if entry is None:
            return None
        types, names, results = [], [], []
        is_go = _number(entry.cu.get_top_DIE(), "DW_AT_language") == GO
        for child in self._children(entry):
            if child.tag != "DW_TAG_formal_parameter":
                continue
            if is_go and _value(child, "DW_AT_variable_parameter"):
                results.append(self._of(child))
                continue
            types.append(self._passed(child))
            names.append(_text(_value(child, "DW_AT_name")))
        returns = results[0] if results else self._of(entry)
        return Function(returns, tuple(types), self._is_variadic(entry), tuple(names))

    def _passed(self, parameter: DIE) -> Type:
        """A parameter's type; C++ passes the address of what it cannot copy bit by bit."""
        type_ = self._of(parameter)
        record = self._behind(self._referred(parameter), (*_QUALIFIERS, "DW_TAG_typedef"))
        if record is not None and self._by_reference(record):
            return self.scope.pointer(type_, userland=True)
        return type_

    def _behind(self, entry: DIE | None, tags: tuple[str, ...]) -> DIE | None:
        """What stands behind entries with such tags; None behind so many as only broken information has."""
        for _ in range(self._deepest):
            if entry is None or entry.tag not in tags:
                return entry
            entry = self._referred(entry)
        return None

    def _by_reference(self, record: DIE) -> bool:
        """Whether C++ passes a class's address: it has a destructor or a constructor that copies, virtual
        functions or bases, or a member or base that has any of these.

        (Itanium C++ ABI 3.1.2.3; few compilers say so themselves.)  Each class is looked into once: classes
        share their members' classes.
        """
        convention = _number(record, "DW_AT_calling_convention")
        if convention in (PASS_BY_REFERENCE, PASS_BY_VALUE):
            return convention == PASS_BY_REFERENCE
        if record.tag not in _RECORDS:
            return False
        key = record.stream, record.offset
        known = self._referenced.get(key)
        if known is None:
            self._referenced[key] = False  # of a class that consists of itself
            known = self._referenced[key] = self._is_not_copied_by_bits(record)
        return known

    def _is_not_copied_by_bits(self, record: DIE) -> bool:
        for child in self._children(record):
            name = _text(_value(child, "DW_AT_name"))
            if name is not None and name.startswith(_VIRTUAL):
                return True
            if child.tag == "DW_TAG_subprogram" and "DW_AT_defaulted" not in child.attributes and \
                    name is not None and (name.startswith("~") or self._copies(child, name, record)):
                return True
            if child.tag in _PARTS and "DW_AT_external" not in child.attributes:
                type_ = self._behind(self._referred(child), _WRAPPERS)
                if "DW_AT_virtuality" in child.attributes or (
                        type_ is not None and self._by_reference(type_)):
                    return True
        return False

    def _copies(self, method: DIE, name: str, record: DIE) -> bool:
        """Whether a class's method makes an object of another one: its parameter is a reference to that."""
        own = [child for child in self._children(method) if "DW_AT_artificial" not in child.attributes]
        if name != _text(_value(record, "DW_AT_name")) or len(own) != 1:
            return False
        type_ = self._referred(own[0])
        if type_ is None or type_.tag not in _REFERENCES:
            return False
        type_ = self._behind(type_, (*_REFERENCES, *_QUALIFIERS))
        return type_ is not None and type_.offset == record.offset

    def _function(self, address: int) -> DIE | None:
        for unit in self._units.at(address) if self._units is not None else ():
            for entry in self._declarations(unit.get_top_DIE()):
                low = entry.attributes.get("DW_AT_low_pc")
                if low is not None and entry.tag == "DW_TAG_subprogram" and low.value == address:
                    return entry
        return None

    def _is_variadic(self, entry: DIE) -> bool:
        return any(child.tag == "DW_TAG_unspecified_parameters" for child in self._children(entry))

    def _children(self, entry: DIE) -> Iterator[DIE]:
        return self._units.children(entry) if self._units is not None else iter(())

    def _declarations(self, top: DIE, depth: int = 0) -> Iterator[DIE]:
        """The entries of a unit outside of functions."""
        for entry in self._children(top):
            yield entry
            if entry.tag in _NESTS and entry.has_children:
                if depth < self._deepest:
                    yield from self._declarations(entry, depth + 1)
                else:
                    self.problem = f"those within more than {self._deepest} namespaces and classes " \
                        f"(-x debugdepth={self._deepest})"

    # -- types -------------------------------------------------------------------------------------

    @property
    def _void(self) -> Type:
        return self.scope.basic("void")

    def _names(self) -> dict[str, DIE]:
        """Entries that define types, by key; of several with one name, the first."""
        if self._named is None:
            self._named = {}
            for unit in self._units.all() if self._units is not None else ():
                for entry in self._declarations(unit.get_top_DIE()):
                    name = entry.attributes.get("DW_AT_name")
                    if name is None or "DW_AT_declaration" in entry.attributes:
                        continue
                    if entry.tag in _KEYS:
                        self._named.setdefault(f"{_KEYS[entry.tag]} {_text(name.value)}", entry)
                    elif entry.tag == "DW_TAG_typedef":
                        self._named.setdefault(str(_text(name.value)), entry)
        return self._named

    def _of(self, entry: DIE) -> Type:
        """The type of an entry; it may stand at the entry of which this is an instance."""
        referred = self._referred(entry)
        return self._type(referred) if referred is not None else self._void

    def _referred(self, entry: DIE) -> DIE | None:
        """The entry of an entry's type; None if it has no type."""
        owner = _owner(entry, "DW_AT_type")
        return self._units.referred(owner, "DW_AT_type") if owner is not None and self._units else None

    def _type(self, entry: DIE) -> Type:
        key = entry.stream, entry.offset
        if key not in self._known:
            made = self._make(entry)
            self._known.setdefault(key, made)
        return self._known[key]

    def _make(self, entry: DIE) -> Type:
        tag = entry.tag
        name = _text(_value(entry, "DW_AT_name"))
        if tag in _RECORDS:
            return self._record(entry, _RECORDS[tag], name)
        if tag in _POINTERS:
            return self.scope.pointer(self._of(entry), userland=True)
        if tag in _QUALIFIERS:
            return Qualified(_QUALIFIERS[tag], self._of(entry))
        if tag == "DW_TAG_typedef":
            return Typedef(name or "", self._of(entry), self._name)
        if tag == "DW_TAG_base_type":
            return self._basic(entry, name or "")
        if tag == "DW_TAG_array_type":
            return self._array(entry)
        if tag == "DW_TAG_enumeration_type":
            return self._enumeration(entry, name)
        if tag == "DW_TAG_subroutine_type":
            parameters = tuple(self._of(child) for child in self._children(entry)
                               if child.tag == "DW_TAG_formal_parameter")
            return Function(self._of(entry), parameters, self._is_variadic(entry), (None,) * len(parameters))
        return self._of(entry)  # DW_TAG_atomic_type, and what is nothing to D

    @cached_property
    def _numbers(self) -> Numbers:
        elf = ElfFile(self._data)
        return Numbers(self.scope, elf.machine, elf.order)

    def _basic(self, entry: DIE, name: str) -> Type:
        size, encoding = _number(entry, "DW_AT_byte_size"), _number(entry, "DW_AT_encoding")
        known = self.scope.lookup(name)
        if encoding == FLOAT:
            return self._numbers.floating(name, size)
        if encoding == COMPLEX:
            return self._numbers.complex(name, size)
        signed = encoding in (SIGNED, SIGNED_CHAR)
        if size == WIDE:
            return self._numbers.integer(name, signed)
        char = encoding in (SIGNED_CHAR, UNSIGNED_CHAR) and name.endswith("char") and size == 1
        if isinstance(known, Integer) and known.size == size and known.signed == signed:
            return known
        return Integer(name, size, signed, char and (signed or name == "char"), size * 8, max(size, 1))

    def _array(self, entry: DIE) -> Type:
        type_ = self._of(entry)
        bounds = [child for child in self._children(entry) if child.tag == "DW_TAG_subrange_type"]
        for bound in reversed(bounds):
            count = _number(bound, "DW_AT_count")
            if not count and "DW_AT_upper_bound" in bound.attributes:
                count = _number(bound, "DW_AT_upper_bound", -1) + 1
            type_ = Array(type_, count if 0 < count < 1 << 31 else 0)
        return type_

    def _enumeration(self, entry: DIE, name: str | None) -> Type:
        values = {str(_text(_value(child, "DW_AT_name"))): _number(child, "DW_AT_const_value")
                  for child in self._children(entry) if child.tag == "DW_TAG_enumerator"}
        size = _number(entry, "DW_AT_byte_size", ENUM_SIZE)
        lowest, highest = min(values.values(), default=0), max(values.values(), default=0)
        signed = lowest < 0 or (size == ENUM_SIZE and highest < 1 << size * 8 - 1)  # C's are ints if they can
        return Enum(name, values, self._name, size, signed)

    def _record(self, entry: DIE, keyword: str, name: str | None) -> Type:
        record = Record(keyword, name, self._name, userland=True)

        def complete() -> None:
            whole: DIE | None = entry
            if "DW_AT_declaration" in entry.attributes:
                whole = self._names().get(f"{keyword} {name}")
            if whole is not None:
                size = _number(whole, "DW_AT_byte_size")
                members = list(self._members(whole, keyword))
                record.define(members, size, _alignment(whole, members))
        record.defer(lambda: self._careful(complete, None))
        return record

    def _members(self, record: DIE, keyword: str) -> Iterator[Member]:
        for entry in self._children(record):
            attributes = entry.attributes
            if entry.tag not in _PARTS or "DW_AT_external" in attributes:
                continue
            type_ = self._of(entry)
            name = _text(_value(entry, "DW_AT_name")) if entry.tag == "DW_TAG_member" else None
            offset = _location(_value(entry, "DW_AT_data_member_location")) * 8
            bits = _number(entry, "DW_AT_bit_size")
            if bits:
                offset, type_ = self._bitfield(entry, type_, offset, bits)
            if name is not None or isinstance(type_.resolve(), Record):
                yield Member(name, type_, offset)

    def _bitfield(self, entry: DIE, type_: Type, offset: int, bits: int) -> tuple[int, Type]:
        base = type_.resolve()
        if not isinstance(base, Integer | Enum):
            base = self.scope.basic("unsigned int")
            assert isinstance(base, Integer)
        if "DW_AT_data_bit_offset" in entry.attributes:
            offset = _number(entry, "DW_AT_data_bit_offset")
        elif "DW_AT_bit_offset" in entry.attributes:  # before DWARF 4: from the most significant bit
            unit = _number(entry, "DW_AT_byte_size", base.size)
            offset += unit * 8 - _number(entry, "DW_AT_bit_offset") - bits
        return offset, self.scope.bitfield(base, bits) if bits < base.size * 8 else base


def _owner(entry: DIE, attribute: str) -> DIE | None:
    """The entry that has `attribute`: this one, or the one of which it is an instance or the definition."""
    for _ in range(4):
        if attribute in entry.attributes:
            return entry
        for link in ("DW_AT_abstract_origin", "DW_AT_specification"):
            if link in entry.attributes:
                entry = entry.get_DIE_from_attribute(link)
                break
        else:
            return None
    return None


def _value(entry: DIE, attribute: str) -> Value | None:
    owner = _owner(entry, attribute)
    return owner.attributes[attribute].value if owner is not None else None


def _number(entry: DIE, attribute: str, default: int = 0) -> int:
    """A constant; `default` where it is computed at run time."""
    found = entry.attributes.get(attribute)
    return found.value if found is not None and isinstance(found.value, int) else default


def _text(value: Value | None) -> str | None:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else None


def _alignment(record: DIE, members: list[Member]) -> int:
    """A structure's alignment in bytes; one with a member that is not aligned has been packed."""
    packed = any(each.offset % (8 * max(1, each.type.align)) for each in members
                 if not each.type.is_bitfield())
    aligns = () if packed else (each.type.align for each in members)
    return max(1, _number(record, "DW_AT_alignment"), *aligns)


def _location(value: Value | None) -> int:
    """A member's offset in bytes, a number or (DWARF 2) an expression that adds it."""
    if isinstance(value, int):
        return value
    if not value or value[0] != PLUS_UCONST:
        return 0
    return sum((byte & 0x7F) << 7 * index for index, byte in enumerate(value[1:]))
