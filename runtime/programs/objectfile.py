"""ELF files of programs: their segments and text, their functions, and what the dynamic loader binds.

Symbols come from .symtab, .dynsym, and the separate debug file (runtime.programs.debugfiles).

Indirect functions are symbols of type STT_GNU_IFUNC, such as memcpy in the GNU C library.  Such a symbol's
value is a resolver, which the dynamic loader calls, as late as at the first use, to learn which
implementation it is to bind callers to.  (The names are those of <elf.h>; the scheme is Ulrich Drepper's
and H. J. Lu's, in the x86-64 ABI, 4.5.)
"""

from __future__ import annotations

import bisect
import contextlib
import itertools
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Protocol

from dif.elfnumbers import EM_AARCH64, PF_X, PT_LOAD
from dif.limits import SYMBOLS
from dif.records import Record, field
from dof.elf import (
    R_IRELATIVE,
    SHN_UNDEF,
    SHT_DYNSYM,
    SHT_REL,
    SHT_RELA,
    STB_GLOBAL,
    STB_WEAK,
    STT_FUNC,
    STT_GNU_IFUNC,
    ElfError,
    ElfFile,
    Section,
    Segment,
    Symbol,
    TooManySymbols,
)
from runtime.kernel.base.errors import MemoryFault
from runtime.kernel.cpu.callframes import BadFrame, extent, find_entry
from runtime.programs import golang
from runtime.programs.debugfiles import ReadFile
from runtime.programs.symbolsearch import SymbolSearch

TABLES = ".symtab", ".dynsym"
FEW = 16  # functions are looked for one by one; when more are asked for, all are made
_SHARED_OBJECT = re.compile(r"^(.*?)(?:-[0-9.]+)?\.so(?:\.[0-9.]+)?$")
_COLD = re.compile(r"^(.*)\.cold(?:\.\d+)?$")
# relocations that fill in a function's address, by e_machine (R_*_64, GLOB_DAT, JUMP_SLOT); x86 has one kind
BINDING: dict[int, tuple[int, int, int]] = {EM_AARCH64: (257, 1025, 1026)}
BINDING_X86 = 1, 6, 7


class Readable(Protocol):
    """What words are read from: the memory of a process, or a file."""

    def read(self, address: int, size: int) -> bytes:
        """Raises MemoryFault."""


def word(where: Readable, address: int, bits: int) -> int:
    """A word of `bits`, 0 where there is none.

    In a file it is the addend that relocations in tables without addends lack.
    """
    try:
        return int.from_bytes(where.read(address, bits // 8), "little")
    except MemoryFault:
        return 0


class Function(Record):
    """A function of a file: `start` and `size` as the file counts addresses, and all its names.

    `cold` are the ranges (start, size) that the compiler has moved out of it.  `go` is for those that
    Go's compiler made: how many registers its arguments are in.
    """

    name: str
    start: int
    size: int
    names: list[str] = field(default_factory=list)
    cold: list[tuple[int, int]] = field(default_factory=list)
    go: int | None = None

    def contains(self, address: int) -> bool:
        return (self.start <= address < self.start + self.size
                or any(start <= address < start + size for start, size in self.cold))


class ObjectFile:
    """One ELF file: its segments, its text, its functions.  Raises ElfError when it is not ELF.

    A file with more than `most_symbols` has none; `tell` is called with a line that says so.
    """

    def __init__(self, path: str, data: bytes, debug: bytes | None, shared: bytes | None = None,
                 read: ReadFile = lambda _path: None, *, most_symbols: int = SYMBOLS,
                 tell: Callable[[str], None] = lambda _text: None) -> None:
        self.path = path
        self.read_beside = read  # other files with its debug information
        self.elf = ElfFile(data, most_symbols)
        self._most_symbols, self._tell = most_symbols, tell
        self.bits = self.elf.bits
        self.segments: list[Segment] = [each for each in self.elf.segments() if each.type == PT_LOAD]
        self._debug = debug
        self._looked_up: dict[str, list[Function] | None] = {}
        self.shared_debug_data = shared  # what the debug information refers to in another file

    @property
    def debug_data(self) -> bytes:
        """The ELF file that has the debug information, if there is any."""
        return self._debug if self._debug is not None else self.elf.data

    def address_at(self, offset: int) -> int | None:
        """The address, as the file counts, of what is mapped from file offset `offset`, a page's."""
        for each in self.segments:
            if each.flags & PF_X and each.offset & -4096 <= offset < each.offset + each.size:
                return each.address + offset - each.offset
        return None

    def code(self, start: int, size: int) -> bytes:
        """Bytes of an executable segment; fewer where the file holds fewer."""
        for each in self.segments:
            if each.flags & PF_X and each.address <= start < each.address + each.size:
                at = start - each.address + each.offset
                return self.elf.data[at:min(at + size, each.offset + each.size)]
        return b""

    def read(self, address: int, size: int) -> bytes:
        """The bytes that the file has for an address.  Raises MemoryFault."""
        for each in self.segments:
            if each.address <= address and address + size <= each.address + each.size:
                at = address - each.address + each.offset
                return self.elf.data[at:at + size]
        raise MemoryFault(address)

    def described(self, address: int) -> Function | None:
        """The function that `address` lies in, by .eh_frame: for those without a symbol."""
        header = self.elf.section(".eh_frame_hdr")
        try:
            entry = find_entry(self.read, header.address, address, self.bits // 8) if header else None
            if entry is None:
                return None
            start, size = extent(self.read, entry, self.bits // 8)
        except (BadFrame, MemoryFault):
            return None
        return Function(f"{start:#x}", start, size) if start <= address < start + size else None

    @cached_property
    def functions(self) -> list[Function]:
        """Every function once, in order of address."""
        functions = _merged(self._symbols(STT_FUNC))
        text, registers = golang.compiled(self.elf, self.read, self.symbol_address)
        for function in functions if text else ():
            if function.start in text:
                function.go = 0 if function.name.endswith(golang.OLD_ABI) else registers
        return _join_cold(list(self._with_sizes(functions)))

    def _with_sizes(self, functions: list[Function]) -> Iterator[Function]:
        """`functions`, in order, where one without a size reaches to the next, or to its section's end.

        Assemblers give symbols no size unless they are told.  One inside another function is a mere label.
        """
        covered = 0
        for each, after in itertools.zip_longest(functions, functions[1:]):
            if not each.size and each.start >= covered:
                end = next((section.address + section.size for section in self.elf.sections
                            if 0 <= each.start - section.address < section.size), each.start)
                each.size = (min(after.start, end) if after is not None else end) - each.start
            if each.size:
                covered = max(covered, each.start + each.size)
                yield each

    @cached_property
    def indirect(self) -> list[Function]:
        """The resolvers of indirect functions, each with the functions' names."""
        found: dict[int, Function] = {}
        for name, start, size, _binding in self._symbols(STT_GNU_IFUNC):
            function = found.setdefault(start, Function(name, start, size))
            if name not in function.names:
                function.names.append(name)
        return [found[start] for start in sorted(found)]

    @cached_property
    def bindings(self) -> Bindings:
        return Bindings(self)

    def _symbols(self, kind: int) -> Iterable[tuple[str, int, int, int]]:
        for elf in self._files():
            for table in TABLES:
                section = elf.section(table)
                if section is None:
                    continue
                for symbol in self.symbols(elf, section):
                    if symbol.type == kind and symbol.section != SHN_UNDEF:
                        yield _row(symbol)

    def _files(self) -> list[ElfFile]:
        """The file, and that with its debug information."""
        files = [self.elf]
        if self._debug is not None:
            with contextlib.suppress(ElfError):
                files.append(ElfFile(self._debug, self._most_symbols))
        return files

    def symbols(self, elf: ElfFile, section: Section) -> list[Symbol]:
        """The symbols of a table; none of one that is broken or too long."""
        try:
            return elf.symbols(section)
        except TooManySymbols as error:
            self._tell(f"symbols of {self.path} are unknown: {error}")
        except ElfError:
            pass
        return []

    @cached_property
    def by_name(self) -> dict[str, list[Function]]:
        """Functions by each of their names; static ones may share theirs."""
        named: dict[str, list[Function]] = {}
        for function in self.functions:
            for name in function.names:
                named.setdefault(name, []).append(function)
        return named

    def named(self, name: str) -> list[Function]:
        """Functions by one of their names, in order of address.

        The first few are looked for without making all the others.
        """
        if name not in self._looked_up and len(self._looked_up) < FEW and "by_name" not in self.__dict__:
            self._looked_up[name] = self._look_up(name)
        found = self._looked_up.get(name)
        return self.by_name.get(name, []) if found is None else found

    def _look_up(self, name: str) -> list[Function] | None:
        """Return the functions of that name; None where others decide what they are, or their sizes."""
        wanted = name.encode("utf-8", "surrogateescape")
        if not name or "\ufffd" in name or "@" in name or golang.is_go(self.elf):
            return None
        try:
            tables = self._searches
            starts = {each.value for table in tables for each in table.named(wanted)
                      if each.type == STT_FUNC and each.section != SHN_UNDEF}
            functions = _merged(_row(each) for table in tables for each in table.at(starts)
                                if each.type == STT_FUNC and each.section != SHN_UNDEF)
        except ElfError:
            return None
        for each in functions:
            cold = any(table.mentions(f"{alias}.cold".encode()) for table in tables for alias in each.names)
            if cold or not each.size or _COLD.match(each.name):
                return None
        return [each for each in functions if name in each.names]

    def resolvers(self, name: str) -> list[Function]:
        """The resolvers of an indirect function."""
        if "indirect" not in self.__dict__ and len(self._looked_up) <= FEW and "\ufffd" not in name:
            wanted = name.encode("utf-8", "surrogateescape")
            with contextlib.suppress(ElfError):
                if not any(each.type == STT_GNU_IFUNC for table in self._searches
                           for each in table.named(wanted)):
                    return []
        return [each for each in self.indirect if name in each.names]

    @cached_property
    def _searches(self) -> list[SymbolSearch]:
        """The symbol tables, to be searched.  Raises ElfError."""
        return [SymbolSearch(elf, section) for elf in self._files() for table in TABLES
                if (section := elf.section(table)) is not None]

    def symbol_address(self, name: str) -> int | None:
        """The address of a symbol of any type, as the file counts."""
        wanted = name.encode()
        for table in TABLES:
            section = self.elf.section(table)
            for symbol in self.symbols(self.elf, section) if section is not None else ():
                if symbol.name == wanted and symbol.section != SHN_UNDEF:
                    return symbol.value
        return None

    @cached_property
    def _starts(self) -> list[int]:
        return [function.start for function in self.functions]

    def function_at(self, address: int) -> Function | None:
        at = bisect.bisect_right(self._starts, address) - 1
        if at < 0:
            return None
        function = self.functions[at]
        return function if address < function.start + function.size else None


def _row(symbol: Symbol) -> tuple[str, int, int, int]:
    name = symbol.name.decode("utf-8", "replace").partition("@")[0]  # without a version
    return name, symbol.value, symbol.size, symbol.binding


def _merged(symbols: Iterable[tuple[str, int, int, int]]) -> list[Function]:
    """Return the functions of symbols (name, start, size, binding), each once, in order of address."""
    found: dict[int, tuple[Function, tuple[bool, int, bool, int, str]]] = {}
    for name, start, size, binding in symbols:
        rank = (binding not in (STB_GLOBAL, STB_WEAK), len(name) - len(name.lstrip("_")),
                binding == STB_WEAK, len(name), name)
        known = found.get(start)
        if known is None:
            found[start] = Function(name, start, size, [name]), rank
            continue
        function, best = known
        if name not in function.names:
            function.names.append(name)
        function.size = max(function.size, size)
        found[start] = function, min(rank, best)
        function.name = found[start][1][-1]
    return [found[start][0] for start in sorted(found)]


def _join_cold(functions: list[Function]) -> list[Function]:
    """Give each function its cold part, and take that off the list of functions."""
    named = {function.name: function for function in functions}
    whole = []
    for function in functions:
        match = _COLD.match(function.name)
        owner = named.get(match[1]) if match else None
        if owner is not None:
            owner.cold.append((function.start, function.size))
        else:
            whole.append(function)
    return whole


class Bindings:
    """The words of an object that the dynamic loader fills with the addresses of functions.

    They are found by the function's name or, for the object's own indirect functions, by the resolver's
    address.  `resolvers` are the addresses of all resolvers that the loader may call.
    """

    def __init__(self, file: ObjectFile) -> None:
        self.by_name: dict[str, list[int]] = {}
        self.by_resolver: dict[int, list[int]] = {}
        elf = file.elf
        table = next((section for section in elf.sections if section.type == SHT_DYNSYM), None)
        symbols = file.symbols(elf, table) if table is not None else []
        binding = BINDING.get(elf.machine, BINDING_X86)
        for section in elf.sections:
            if section.type not in (SHT_REL, SHT_RELA) or not section.address:
                continue
            for each in elf.relocations(section):
                if each.type == R_IRELATIVE.get(elf.machine):
                    resolver = each.addend or word(file, each.offset, file.bits)
                    self.by_resolver.setdefault(resolver, []).append(each.offset)
                elif each.type in binding and 0 < each.symbol < len(symbols):
                    name = symbols[each.symbol].name.decode("utf-8", "replace")
                    self.by_name.setdefault(name, []).append(each.offset)
        self.resolvers = {*self.by_resolver, *(each.value for each in symbols if each.type == STT_GNU_IFUNC
                                               and each.section != SHN_UNDEF)}


class LoadObject(Record, frozen=True):
    """A file as a process has mapped it: `bias` is what to add to the file's addresses."""

    file: ObjectFile
    name: str
    bias: int
    is_program: bool

    def answers_to(self, module: str) -> bool:
        """Whether `module`, which is no glob, names this object: itself, `a.out`, `libc`, `libc.so`."""
        if module == self.name or (self.is_program and module == "a.out"):
            return True
        match = _SHARED_OBJECT.match(self.name)
        return match is not None and (module == match[1] or self.name.startswith(module + ".so")
                                      or (".so" in module and self.name.startswith(module + ".")))


def library_glob(module: str) -> str:
    """What a library that is still to be loaded may be called: `libm` stands for `libm.so.6`."""
    if module.startswith("lib") and ".so" not in module:
        return module + ".so*"
    return module + "*" if module.endswith(".so") else module
