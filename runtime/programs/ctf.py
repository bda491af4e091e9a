"""C types from Compact Type Format: `.ctf` as GNU compilers and linkers write it (version 3 of
<ctf.h> in binutils), `.SUNW_ctf` as illumos' and FreeBSD's tools do (versions 2 and 3 of their <sys/ctf.h>).

As with runtime.programs.dwarf, pointers found here are userland pointers, nothing is read before it is asked
for, and what is broken or unknown counts as void.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from contextlib import suppress

from dc.types.scopes import Scope
from dc.types.types import (
    Array,
    Enum,
    Function,
    Integer,
    Kind,
    Member,
    Qualified,
    Record,
    Type,
    Typedef,
)
from dif import records
from dif.elfnumbers import EM_X86_64
from dif.limits import DEBUG_INFORMATION
from dif.records import NamedTuple
from dof.elf import SHN_ABS, SHN_UNDEF, STT_FUNC, ElfError, ElfFile, Symbol, string_at
from runtime.programs.limits import TYPES, Allowance, TooLarge, option
from runtime.programs.pairs import WIDE, Numbers

SECTIONS = (".ctf", ".SUNW_ctf")
GNU_MAGIC, SUN_MAGIC, ARCHIVE_MAGIC = 0xDFF2, 0xCFF1, 0x8B47F2A4D7623EEB
COMPRESSED, DYNAMIC = 1, 8  # flags; the latter is GNU's
GNU_VERSION = 4  # as the preamble has it: version 3
SIGNED, CHAR = 1, 2  # of an integer's encoding
COMPLEX = (3, 4, 5)  # encodings of numbers with a fraction: complex ones of float, double and long double
ENUM_SIZE = 4  # of most
SLICE = 14  # GNU's kind for a bit-field
EXTERNAL = 1 << 31  # of a name: it is in the ELF file's string table
MOST = 1 << 20  # members of an archive, and of an enumeration
DAMAGE = (ElfError, struct.error, zlib.error, ValueError, IndexError, RecursionError)
_QUALIFIERS = {Kind.VOLATILE: "volatile", Kind.CONST: "const", Kind.RESTRICT: "restrict"}
_REFERRING = frozenset((Kind.POINTER, Kind.TYPEDEF, Kind.FORWARD, *_QUALIFIERS))
_KEYS = {Kind.STRUCT: "struct ", Kind.UNION: "union ", Kind.ENUM: "enum ", Kind.TYPEDEF: ""}


class _Form(NamedTuple):
    """How one version lays types out: struct formats, and where the parts of `info` are."""

    kind_shift: int
    count_mask: int
    reference: str  # a type's number, in lists of arguments
    head: str  # name, info, size or type
    large: int  # the size that says that the true one follows, in two words
    member: str
    order: tuple[int, int, int]  # of a member's name, type and offset in it
    large_member: str
    threshold: int  # bytes of a structure from which on members are large ones
    array: str
    child: int  # the bit of a type's number that says that it is not the parent's


_NARROW = _Form(11, 0x3FF, "H", "IHH", 0xFFFF, "IHH", (0, 1, 2), "IHHII", 8192, "HHI", 1 << 15)
_WIDE = _Form(26, 0x1FFFFFF, "I", "III", 0xFFFFFFFF, "III", (0, 1, 2), "IIII", 1 << 29, "III", 1 << 31)
_GNU = _WIDE._replace(order=(0, 2, 1))


class _Item(records.Record):
    """A type as it is written: `size` is its size or the number of the type it refers to."""

    kind: int
    name: int
    size: int
    count: int
    at: int  # of what follows


class CtfTypes:
    """The types of one ELF file; the interface is that of runtime.programs.dwarf.DwarfTypes."""

    def __init__(self, elf: ElfFile, name: str, model: int, most: int = DEBUG_INFORMATION) -> None:
        self.scope = Scope(model, Scope.intrinsic(model), name)
        self.scope.loader = self
        self._elf, self._file = _SymbolTables(elf, most), elf
        self._dictionaries: list[_Dictionary] | None = None
        self._functions: dict[int, Function] | None = None
        self.problem = ""

    def _opened(self) -> list[_Dictionary]:
        if self._dictionaries is None:
            try:
                self._dictionaries = list(_dictionaries(self._elf, self._file, self.scope))
            except TooLarge as error:
                self._dictionaries, self.problem = [], str(error)
            except DAMAGE:
                self._dictionaries = []
        return self._dictionaries

    def signature(self, address: int) -> Function | None:
        """The type of the function that begins at `address`, as the file counts; None if unknown."""
        if self._functions is None:
            self._functions = {}
            for each in self._opened():
                with suppress(*DAMAGE):
                    for where, function in each.functions():
                        self._functions.setdefault(where, function)
        return self._functions.get(address)

    def load_type(self, key: str) -> None:
        """Declare a type of the file's, "struct foo" or "foo_t", in the scope."""
        for each in self._opened():
            with suppress(*DAMAGE):
                found = each.named(key)
                if found is not None:
                    self.scope.types[key] = found
                    return

    def load_value(self, name: str) -> None:
        """Enumerators and variables of programs are not D's to name."""

    def words(self) -> set[str]:
        """The names of the file's types, tags without their keyword."""
        found: set[str] = set()
        for each in self._opened():
            with suppress(*DAMAGE):
                found.update(key.rpartition(" ")[2] for key in each.numbers())
        return found


class KernelTypes:
    """The types, enumerators and variables of a kernel, from a dictionary that stands alone (see ctfwriter).

    Raises ValueError for what is none.
    """

    def __init__(self, data: bytes, name: str, model: int, most: int = DEBUG_INFORMATION) -> None:
        self.scope = Scope(model, Scope.intrinsic(model), name)
        self.scope.loader = self
        try:
            self._dictionary = _Dictionary(data, _SymbolTables(None, most), self.scope, None)
            self._variables = dict(self._dictionary.variables())
        except (TooLarge, *DAMAGE) as error:
            raise ValueError(f"no CTF of a kernel: {error}") from None

    def load_type(self, key: str) -> None:
        with suppress(*DAMAGE):
            found = self._dictionary.named(key)
            if found is not None:
                self.scope.types[key] = found

    def load_value(self, name: str) -> None:
        with suppress(*DAMAGE):
            if name in self._variables:
                self.scope.variables[name] = self._dictionary.type(self._variables[name])
            else:
                self.scope.enumerators.update(self._dictionary.enumerators())

    def words(self) -> set[str]:
        return {key.rpartition(" ")[2] for key in self._dictionary.numbers()} | set(self._variables)


class _SymbolTables:
    """A file's symbols, read once for all dictionaries, and how much of the file may still be unpacked.

    Without a file, the dictionary is a kernel's.
    """

    def __init__(self, elf: ElfFile | None, most: int) -> None:
        self.order, self.most = elf.order if elf is not None else "<", most
        self.machine = elf.machine if elf is not None else EM_X86_64
        self._elf = elf
        self.bytes = Allowance(most, f"bytes of CTF {option(most)}")
        self.types = Allowance(most // TYPES, f"types in CTF {option(most)}")
        self._read: dict[str, tuple[bytes, list[Symbol], dict[str, int]]] = {}

    @property
    def of_program(self) -> bool:
        """Whether pointers are those of a program."""
        return self._elf is not None

    def usual(self) -> str:
        """The table that goes with a dictionary that does not name one."""
        return ".dynsym" if self._elf is not None and self._elf.section(".symtab") is None else ".symtab"

    def _table(self, name: str) -> tuple[bytes, list[Symbol], dict[str, int]]:
        if name not in self._read:
            section = self._elf.section(name) if self._elf is not None else None
            if section is None or self._elf is None:
                self._read[name] = b"", [], {}
            else:
                symbols = self._elf.symbols(section)
                self._read[name] = bytes(self._elf.contents(self._elf.section_at(section.link))), symbols, {
                    each.name.decode("utf-8", "replace"): each.value
                    for each in symbols if each.type == STT_FUNC}
        return self._read[name]

    def strings(self, name: str) -> bytes:
        return self._table(name)[0]

    def symbols(self, name: str) -> list[Symbol]:
        return self._table(name)[1]

    def functions(self, name: str) -> dict[str, int]:
        """Values by name."""
        return self._table(name)[2]


def _dictionaries(tables: _SymbolTables, elf: ElfFile, scope: Scope) -> Iterator[_Dictionary]:
    """The dictionary that all compilation units share, then that of each.

    Raises struct.error, ElfError, TooLarge.
    """
    section = next(filter(None, map(elf.section, SECTIONS)), None)
    if section is None:
        return
    data = bytes(elf.contents(section))
    if len(data) < 8 or struct.unpack_from(elf.order + "Q", data)[0] != ARCHIVE_MAGIC:
        yield _Dictionary(data, tables, scope, None)
        return
    _magic, _model, count, names, contents = struct.unpack_from(elf.order + "5Q", data)
    members = {}
    for number in range(min(count, MOST)):
        name, offset = struct.unpack_from(elf.order + "QQ", data, 40 + 16 * number)
        start = contents + offset
        length, = struct.unpack_from(elf.order + "Q", data, start)
        called, member = string_at(data, names + name), data[start + 8:start + 8 + length]
        tables.bytes.take(len(called) + len(member))
        members[called] = member
    shared = _Dictionary(members.pop(b".ctf"), tables, scope, None) if b".ctf" in members else None
    if shared is not None:
        yield shared
    for member in members.values():
        yield _Dictionary(member, tables, scope, shared)


class _Dictionary:
    """One CTF dictionary.  Raises struct.error, ValueError and zlib.error when it is damaged."""

    def __init__(self, data: bytes, tables: _SymbolTables, scope: Scope, parent: _Dictionary | None) -> None:
        self._tables, self._scope, self._parent = tables, scope, parent
        self._order = tables.order
        self._number_types = Numbers(scope, tables.machine, tables.order)
        magic, version, flags = struct.unpack_from(self._order + "HBB", data)
        self._gnu = magic == GNU_MAGIC
        if (magic, version) not in ((GNU_MAGIC, GNU_VERSION), (SUN_MAGIC, 2), (SUN_MAGIC, 3)):
            raise ValueError("not CTF, or not of a version known here")
        self._form = _GNU if self._gnu else _NARROW if version == 2 else _WIDE
        self._flags = flags
        fields = struct.unpack_from(self._order + ("12I" if self._gnu else "8I"), data, 4)
        head = 52 if self._gnu else 36
        offsets = fields[3:] if self._gnu else fields[2:]
        if self._gnu:
            (_labels, _objects, self._functions_at, self._objects_index_at, self._index_at,
             self._variables_at, self._types_at, strings, length) = offsets
        else:
            _labels, _objects, self._functions_at, self._types_at, strings, length = offsets
        self._data = data[head:]
        if flags & COMPRESSED:
            self._data = zlib.decompressobj().decompress(self._data, tables.most)
        tables.bytes.take(len(self._data))
        self._strings = self._data[strings:strings + length]
        self._end = strings
        self._outer = tables.strings(self._symbols())
        self._items: list[_Item] = list(self._walk())
        self._made: dict[int, Type] = {}
        self._numbers: dict[str, int] | None = None

    def _symbols(self) -> str:
        if self._gnu:
            return ".dynsym" if self._flags & DYNAMIC else ".symtab"
        return self._tables.usual()

    def _unpack(self, form: str, at: int) -> tuple[int, ...]:
        return struct.unpack_from(self._order + form, self._data, at)

    def _name(self, reference: int) -> str:
        table = self._outer if reference & EXTERNAL else self._strings
        text = string_at(table, reference & ~EXTERNAL)
        self._tables.bytes.take(len(text))  # names may share bytes
        return text.decode("utf-8", "replace")

    # -- types as they are written -------------------------------------------------------------------

    def _walk(self) -> Iterator[_Item]:
        form, at = self._form, self._types_at
        head = struct.calcsize("=" + form.head)
        while at < self._end:
            name, info, size = self._unpack(form.head, at)
            at += head
            if size == form.large:
                high, low = self._unpack("II", at)
                size, at = high << 32 | low, at + 8
            item = _Item(info >> form.kind_shift, name, size, info & form.count_mask, at)
            self._tables.types.take(1)
            yield item
            at += self._length(item)

    def _length(self, item: _Item) -> int:
        """Bytes of what follows a type."""
        form, kind, count = self._form, item.kind, item.count
        if kind in (Kind.INTEGER, Kind.FLOAT):
            return 4
        if kind == Kind.ARRAY:
            return struct.calcsize("=" + form.array)
        if kind == Kind.FUNCTION:
            return (count + (count & 1)) * struct.calcsize("=" + form.reference)
        if kind in (Kind.STRUCT, Kind.UNION):
            large = item.size >= form.threshold
            return count * struct.calcsize("=" + (form.large_member if large else form.member))
        if kind == Kind.ENUM or (kind == SLICE and self._gnu):
            return 8 * (count if kind == Kind.ENUM else 1)
        if kind in _REFERRING or kind == Kind.UNKNOWN:
            return 0
        raise ValueError("an unknown kind of type")

    def named(self, key: str) -> Type | None:
        """The first type called `key`: "struct foo", "foo_t"."""
        found = self.numbers().get(key)
        return self._local(found) if found is not None else None

    def numbers(self) -> dict[str, int]:
        """The first number of each name: "struct foo", "foo_t"."""
        if self._numbers is None:
            self._numbers = {}
            for number, item in enumerate(self._items, 1):
                if item.kind in _KEYS and item.name & ~EXTERNAL:
                    self._numbers.setdefault(_KEYS[item.kind] + self._name(item.name), number)
        return self._numbers

    def variables(self) -> Iterator[tuple[str, int]]:
        """The variables of GNU's form, with the numbers of their types."""
        for at in range(self._variables_at if self._gnu else 0, self._types_at if self._gnu else 0, 8):
            name, number = self._unpack("II", at)
            yield self._name(name), number

    def enumerators(self) -> Iterator[tuple[str, tuple[int, Enum]]]:
        """All enumerators, with their values and enumerations."""
        for number, item in enumerate(self._items, 1):
            found = self._local(number) if item.kind == Kind.ENUM else None
            if isinstance(found, Enum):
                for name, value in (found.values or {}).items():
                    yield name, (value, found)

    # -- types as D has them -------------------------------------------------------------------------

    def type(self, number: int) -> Type:
        """The type of a number, in this dictionary or its parent."""
        if self._parent is not None:
            if not number & self._form.child:
                return self._parent.type(number)
            number &= ~self._form.child
        return self._local(number)

    def _local(self, number: int) -> Type:
        if not 1 <= number <= len(self._items):
            return self._scope.basic("void")
        found = self._made.get(number)
        if found is None:
            self._made[number] = self._scope.basic("void")  # of a type that consists of itself
            found = self._made[number] = self._make(self._items[number - 1])
        return found

    def _make(self, item: _Item) -> Type:
        name, kind = self._name(item.name), item.kind
        if kind in (Kind.STRUCT, Kind.UNION):
            return self._record(item, "struct" if kind == Kind.STRUCT else "union", name or None)
        if kind == Kind.FORWARD:
            return self._forward(item.size, name)
        if kind == Kind.POINTER:
            return self._scope.pointer(self.type(item.size), userland=self._tables.of_program)
        if kind == Kind.TYPEDEF:
            return Typedef(name, self.type(item.size), self._scope.name)
        if kind in _QUALIFIERS:
            return Qualified(_QUALIFIERS[kind], self.type(item.size))
        if kind == Kind.ARRAY:
            element, _index, count = self._unpack(self._form.array, item.at)
            return Array(self.type(element), count if count < 1 << 31 else 0)
        if kind == Kind.FUNCTION:
            return self._function(item.size, item.at, item.count)
        if kind == Kind.ENUM:
            return self._enumeration(item, name or None)
        return self._basic(item, name)

    def _forward(self, kind: int, name: str) -> Type:
        """The type that a forward declaration names, if the dictionary defines it."""
        keyword = {Kind.UNION: "union", Kind.ENUM: "enum"}.get(kind, "struct")
        whole = self.named(f"{keyword} {name}")
        if whole is not None:
            return whole
        return Enum(name) if keyword == "enum" else \
            Record(keyword, name, self._scope.name, userland=self._tables.of_program)

    def _basic(self, item: _Item, name: str) -> Type:
        if item.kind == SLICE:
            number, _offset, bits = self._unpack("IHH", item.at)
            unit = self.type(number).resolve()
            if isinstance(unit, Integer | Enum) and 0 < bits <= 8 * unit.size:
                return self._scope.bitfield(unit, bits)
            return unit
        if item.kind not in (Kind.INTEGER, Kind.FLOAT):
            return self._scope.basic("void")
        encoding, = self._unpack("I", item.at)
        bits, flags = encoding & 0xFFFF, encoding >> 24
        known = self._scope.lookup(name)
        if item.kind == Kind.FLOAT and flags in COMPLEX:
            return self._number_types.complex(name, item.size)
        if item.kind == Kind.FLOAT:
            return self._number_types.floating(name, item.size)
        size = item.size or -(-bits // 8)
        if not size:
            return self._scope.basic("void")
        signed = bool(flags & SIGNED)
        whole = bits in (0, 8 * size)
        if whole and isinstance(known, Integer) and (known.size, known.signed) == (size, signed):
            return known
        if whole and size == WIDE:
            return self._number_types.integer(name, signed)
        return Integer(name, size, signed, bool(flags & CHAR) and size == 1, bits or 8 * size, size)

    def _enumeration(self, item: _Item, name: str | None) -> Type:
        values = {}
        for index in range(min(item.count, MOST)):
            label, value = self._unpack("Ii", item.at + 8 * index)
            values[self._name(label)] = value
        return Enum(name, values, self._scope.name, item.size if item.size in (1, 2, 8) else ENUM_SIZE)

    def _function(self, returns: int, at: int, count: int) -> Function:
        numbers = self._unpack(f"{count}{self._form.reference}", at)
        variadic = bool(numbers) and not numbers[-1]
        types = tuple(self.type(number) for number in (numbers[:-1] if variadic else numbers))
        return Function(self.type(returns), types, variadic, (None,) * len(types))

    def _record(self, item: _Item, keyword: str, name: str | None) -> Record:
        record = Record(keyword, name, self._scope.name, userland=self._tables.of_program)

        def complete() -> None:
            with suppress(*DAMAGE):
                members = list(self._members(item))
                align = max((max(1, each.type.align) for each in members), default=1)
                record.define(members, item.size, align)
        record.defer(complete)
        return record

    def _members(self, item: _Item) -> Iterator[Member]:
        form = self._form
        large = item.size >= form.threshold
        layout = form.large_member if large else form.member
        size = struct.calcsize("=" + layout)
        for index in range(item.count):
            values = self._unpack(layout, item.at + size * index)
            if not large:
                name, number, offset = (values[position] for position in form.order)
            elif self._gnu:
                name, number, offset = values[0], values[2], values[1] << 32 | values[3]
            else:
                name, number, offset = values[0], values[1], values[-2] << 32 | values[-1]
            type_ = self.type(number)
            text = self._name(name) or None
            if text is not None or isinstance(type_.resolve(), Record):
                yield Member(text, type_, offset + self._slice_offset(number))

    def _slice_offset(self, number: int) -> int:
        """Bits from a member's offset to where its bit-field begins."""
        if not self._gnu:
            return 0
        owner = self._parent if self._parent is not None and not number & self._form.child else self
        index = (number & ~self._form.child) - 1
        if not 0 <= index < len(owner._items) or owner._items[index].kind != SLICE:
            return 0
        return owner._unpack("IHH", owner._items[index].at)[1]

    # -- functions -----------------------------------------------------------------------------------

    def functions(self) -> Iterator[tuple[int, Function]]:
        """Address, as the file counts, and type of each function that the dictionary tells of."""
        symbols = self._tables.symbols(self._symbols())
        if not self._gnu:
            yield from self._in_symbol_order(symbols)
            return
        numbers = self._unpack(f"{(self._objects_index_at - self._functions_at) // 4}I", self._functions_at)
        named = self._tables.functions(self._symbols())
        if self._variables_at > self._index_at:
            names = self._unpack(f"{(self._variables_at - self._index_at) // 4}I", self._index_at)
            places: list[int | None] = [named.get(self._name(name)) for name in names]
        else:
            places = [each.value for each in self._counted(symbols)]
        for place, number in zip(places, numbers, strict=False):
            type_ = self.type(number).resolve()
            if place is not None and isinstance(type_, Function):
                yield place, type_

    def _counted(self, symbols: list[Symbol]) -> Iterator[Symbol]:
        """The functions that have a place in a table without an index."""
        for each in symbols:
            if each.type == STT_FUNC and each.name and each.section != SHN_UNDEF \
                    and each.name not in (b"_START_", b"_END_") and (each.section != SHN_ABS or each.value):
                yield each

    def _in_symbol_order(self, symbols: list[Symbol]) -> Iterator[tuple[int, Function]]:
        form, at = self._form, self._functions_at
        width = struct.calcsize("=" + form.reference)
        for each in self._counted(symbols):
            if at >= self._types_at:
                return
            info, = self._unpack(form.reference, at)
            at += width
            if info >> form.kind_shift == Kind.UNKNOWN and not info & form.count_mask:
                continue  # nothing is known of this one
            returns, = self._unpack(form.reference, at)
            count = info & form.count_mask
            yield each.value, self._function(returns, at + width, count)
            at += width * (1 + count)
