"""The DTrace Object Format: each structure and each section type declared once.

A structure is a NamedTuple whose annotations are its on-disk types (dof_*_t of
<sys/dtrace.h>); `unpack`, `pack` and `size_of` read the layout off the class,
in either byte order.  Structures have no padding of their own beyond the
fields shown.  `SECTIONS` says, for every DOF_SECT_* type, whether it is
loadable and how its contents are laid out.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable

from dif.records import NamedTuple

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from typing import Any, Literal, TypeVar

    ByteOrder = Literal["little", "big"]
    S = TypeVar("S", bound=tuple[Any, ...])
else:
    ByteOrder = str

# The types fields have on disk, and their codes in struct's language.
U8 = int
U16 = int
U32 = int
U64 = int
S64 = int
Bytes4 = bytes
Bytes6 = bytes
_CODES = {"U8": "B", "U16": "H", "U32": "I", "U64": "Q", "S64": "q", "Bytes4": "4s", "Bytes6": "6s"}

MAGIC = b"\x7fDOF"
MODEL_ILP32, MODEL_LP64 = 1, 2
ENCODINGS: dict[int, ByteOrder] = {1: "little", 2: "big"}  # DOF_ENCODE_LSB, DOF_ENCODE_MSB
VERSIONS = (1, 2)
DARWIN_VERSION = 3  # laid out as version 2; a tool reads it, and no kernel but Darwin's
NONE = 0xFFFFFFFF  # DOF_SECIDX_NONE, DOF_STRIDX_NONE
FLAG_LOAD = 1  # DOF_SECF_LOAD

MAX_LOAD_SIZE = 8 * 1024 * 1024  # dtrace_dof_maxsize: a load size must be below it
MAX_ACTIONS = 16 * 1024  # dtrace_actions_max
PROVIDER_NAME_MAX, PROBE_NAME_MAX, FUNCTION_NAME_MAX, ARGUMENT_TYPE_MAX = 64, 64, 192, 128

# dof_relodesc_t types: nothing, base address of the object, address of the DOF word itself
RELO_NONE, RELO_SETX, RELO_DOFREL = 0, 1, 2


class DofError(ValueError):
    """DOF that cannot be read or written: `where` (header, section N (TYPE)…) and `what`.

    `errno` is the number the kernel's ioctl sets for it.
    """

    def __init__(self, where: str, what: str, errno: int = 22) -> None:
        super().__init__(f"{where}: {what}")
        self.where = where
        self.what = what
        self.errno = errno

    def within(self, place: str) -> DofError:
        """The same, of DOF that is itself at some place in a file."""
        return DofError(f"{place}: {self.where}", self.what, self.errno)


# -- structures ------------------------------------------------------------------------------------

class Header(NamedTuple):
    """dof_hdr_t, 64 bytes; the first ten fields are dofh_ident[16]."""

    magic: Bytes4
    model: U8
    encoding: U8
    version: U8
    dif_version: U8
    dif_registers: U8
    dif_tuple_registers: U8
    ident_pad: Bytes6
    flags: U32
    header_size: U32
    section_size: U32
    section_count: U32
    section_offset: U64
    load_size: U64
    file_size: U64
    pad: U64


class SectionHeader(NamedTuple):
    """dof_sec_t, 32 bytes: `offset` and `size` in bytes from the start of the DOF."""

    type: U32
    align: U32
    flags: U32
    entry_size: U32
    offset: U64
    size: U64


class EcbDesc(NamedTuple):
    """dof_ecbdesc_t, 24 bytes: section links (predicate and actions may be NONE)."""

    probes: U32
    predicate: U32
    actions: U32
    pad: U32
    uarg: U64


class ProbeDescription(NamedTuple):
    """dof_probedesc_t, 24 bytes: a string table link, four indices into it, a probe id or 0."""

    strtab: U32
    provider: U32
    module: U32
    function: U32
    name: U32
    id: U32


class ActionDesc(NamedTuple):
    """dof_actdesc_t, 32 bytes: `arg` is a string index where `strtab` is not NONE."""

    difo: U32
    strtab: U32
    kind: U32
    ntuple: U32
    arg: U64
    uarg: U64


class TypeDesc(NamedTuple):
    """dtrace_diftype_t, 8 bytes; also the head of a DIFOHDR section, whose links follow it."""

    kind: U8
    ckind: U8
    flags: U8
    pad: U8
    size: U32


class VariableDesc(NamedTuple):
    """dtrace_difv_t, 20 bytes: `name` indexes the DIFO's own string table."""

    name: U32
    id: U32
    kind: U8
    scope: U8
    flags: U16
    type_kind: U8
    type_ckind: U8
    type_flags: U8
    type_pad: U8
    type_size: U32


class RelocationHeader(NamedTuple):
    """dof_relohdr_t, 12 bytes: section links."""

    strtab: U32
    table: U32
    target: U32


class RelocationDesc(NamedTuple):
    """dof_relodesc_t, 24 bytes: `offset` in bytes into the target section."""

    name: U32
    type: U32
    offset: U64
    data: U64


class OptionDesc(NamedTuple):
    """dof_optdesc_t, 16 bytes."""

    option: U32
    strtab: U32
    value: S64


class ProviderDesc(NamedTuple):
    """dof_provider_t, 44 bytes (version 1 may end before `enabled_offsets`).

    Attributes are name << 24 | data << 16 | class << 8.  The null link of
    `enabled_offsets` is 0, not NONE.
    """

    strtab: U32
    probes: U32
    arguments: U32
    offsets: U32
    name: U32
    provider_attributes: U32
    module_attributes: U32
    function_attributes: U32
    name_attributes: U32
    args_attributes: U32
    enabled_offsets: U32


class ProbeEntry(NamedTuple):
    """dof_probe_t, 48 bytes: indices count entries of the provider's other sections."""

    address: U64
    function: U32
    name: U32
    native: U32
    xlated: U32
    argument_index: U32
    offset_index: U32
    native_count: U8
    xlated_count: U8
    offset_count: U16
    enabled_index: U32
    enabled_count: U16
    pad1: U16
    pad2: U32


class TranslatorDesc(NamedTuple):
    """dof_xlator_t, 24 bytes."""

    members: U32
    strtab: U32
    input_types: U32
    input_count: U32
    type: U32
    attributes: U32


class MemberDesc(NamedTuple):
    """dof_xlmember_t, 16 bytes: `difo` is NONE in an imported translator."""

    difo: U32
    name: U32
    type_kind: U8
    type_ckind: U8
    type_flags: U8
    type_pad: U8
    type_size: U32


class TranslationRef(NamedTuple):
    """dof_xlref_t, 12 bytes: what an xlate or xlarg instruction means."""

    translator: U32
    member: U32
    argument: U32


class Word(NamedTuple):
    """One uint32_t: a DIF instruction, a probe offset, a section index."""

    value: U32


class Octet(NamedTuple):
    """One uint8_t: an argument mapping."""

    value: U8


class Integer(NamedTuple):
    """One uint64_t of an integer table."""

    value: U64


class _Layouts(dict["tuple[type[tuple[Any, ...]], ByteOrder]", struct.Struct]):
    """[structure, byte order]: how its bytes are packed, worked out when it is first asked for."""

    def __missing__(self, key: tuple[type[tuple[Any, ...]], ByteOrder]) -> struct.Struct:
        structure, order = key
        # typing.NamedTuple wraps an annotation's text in a ForwardRef, and ours does not
        types = [str(getattr(each, "__forward_arg__", each)) for each in structure.__annotations__.values()]
        codes = [_CODES[each] for each in types]
        self[key] = layout = struct.Struct(("<" if order == "little" else ">") + "".join(codes))
        return layout


_LAYOUTS = _Layouts()


def size_of(structure: type[tuple[Any, ...]]) -> int:
    """Size of `structure` in bytes."""
    return _LAYOUTS[structure, "little"].size


def unpack(structure: type[S], data: bytes, offset: int = 0, order: ByteOrder = "little") -> S:
    """Read one `structure` at `offset`.  Raises struct.error when `data` is too short."""
    return structure._make(_LAYOUTS[structure, order].unpack_from(data, offset))  # type: ignore[attr-defined]


def unpack_all(structure: type[S], data: bytes, order: ByteOrder = "little") -> list[S]:
    """Read `data` as an array of `structure`; trailing bytes short of an entry are ignored."""
    layout = _LAYOUTS[structure, order]
    whole = memoryview(data)[: len(data) // layout.size * layout.size]
    return [structure._make(values) for values in layout.iter_unpack(whole)]  # type: ignore[attr-defined]


def pack(value: tuple[Any, ...], order: ByteOrder = "little") -> bytes:
    """The bytes of one structure.  Raises struct.error when a field does not fit."""
    return _LAYOUTS[type(value), order].pack(*value)


def pack_all(values: Iterable[tuple[Any, ...]], order: ByteOrder = "little") -> bytes:
    """The bytes of an array of structures."""
    return b"".join(pack(value, order) for value in values)


def words(data: bytes, width: int, order: ByteOrder) -> list[int]:
    """`data` as an array of unsigned integers of `width` (1, 4 or 8) bytes."""
    count = len(data) // width
    code = {1: "B", 4: "I", 8: "Q"}[width]
    return list(struct.unpack_from(f"{'<' if order == 'little' else '>'}{count}{code}", data))


def pack_words(values: Iterable[int], width: int, order: ByteOrder) -> bytes:
    """The reverse of `words`."""
    items = list(values)
    code = {1: "B", 4: "I", 8: "Q"}[width]
    return struct.pack(f"{'<' if order == 'little' else '>'}{len(items)}{code}", *items)


# -- sections --------------------------------------------------------------------------------------

class Section(NamedTuple):
    """A DOF_SECT_* type.

    `entry` is the structure the contents are one or an array of (None: bytes);
    `align` and `entry_size` are the values the format's own compiler writes
    (entry size 0: not a table).
    """

    number: int
    name: str
    loadable: bool
    align: int
    entry_size: int
    entry: type[tuple[Any, ...]] | None = None


COMMENTS, SOURCE, ECBDESC, PROBEDESC, ACTDESC, DIFOHDR, DIF, STRTAB, VARTAB, RELTAB = range(1, 11)
TYPTAB, URELHDR, KRELHDR, OPTDESC, PROVIDER, PROBES, PRARGS, PROFFS, INTTAB, UTSNAME = range(11, 21)
XLTAB, XLMEMBERS, XLIMPORT, XLEXPORT, PREXPORT, PRENOFFS = range(21, 27)

SECTIONS: dict[int, Section] = {row.number: row for row in (
    Section(COMMENTS, "COMMENTS", False, 1, 0),
    Section(SOURCE, "SOURCE", False, 1, 0),
    Section(ECBDESC, "ECBDESC", True, 8, 0, EcbDesc),
    Section(PROBEDESC, "PROBEDESC", True, 4, 24, ProbeDescription),
    Section(ACTDESC, "ACTDESC", True, 8, 32, ActionDesc),
    Section(DIFOHDR, "DIFOHDR", True, 4, 0, TypeDesc),
    Section(DIF, "DIF", True, 4, 4, Word),
    Section(STRTAB, "STRTAB", True, 1, 0),
    Section(VARTAB, "VARTAB", True, 4, 20, VariableDesc),
    Section(RELTAB, "RELTAB", True, 8, 24, RelocationDesc),
    Section(TYPTAB, "TYPTAB", True, 4, 8, TypeDesc),
    Section(URELHDR, "URELHDR", True, 4, 0, RelocationHeader),
    Section(KRELHDR, "KRELHDR", True, 4, 0, RelocationHeader),
    Section(OPTDESC, "OPTDESC", True, 8, 16, OptionDesc),
    Section(PROVIDER, "PROVIDER", True, 4, 0, ProviderDesc),
    Section(PROBES, "PROBES", True, 8, 48, ProbeEntry),
    Section(PRARGS, "PRARGS", True, 1, 1, Octet),
    Section(PROFFS, "PROFFS", True, 4, 4, Word),
    Section(INTTAB, "INTTAB", True, 8, 8, Integer),
    Section(UTSNAME, "UTSNAME", False, 1, 0),
    Section(XLTAB, "XLTAB", True, 4, 12, TranslationRef),
    Section(XLMEMBERS, "XLMEMBERS", True, 4, 16, MemberDesc),
    Section(XLIMPORT, "XLIMPORT", True, 4, 0, TranslatorDesc),
    Section(XLEXPORT, "XLEXPORT", True, 4, 0, TranslatorDesc),
    Section(PREXPORT, "PREXPORT", True, 4, 4, Word),
    Section(PRENOFFS, "PRENOFFS", True, 4, 4, Word),
)}


def section_name(number: int) -> str:
    """The name of a section type, or its number in words."""
    row = SECTIONS.get(number)
    return row.name if row else f"type {number}"
