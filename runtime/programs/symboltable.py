"""The symbols of one ELF file, by address: functions, data, and the stubs of its linkage."""

from __future__ import annotations

import bisect
import itertools
import struct
from collections.abc import Callable, Container, Iterable, Iterator

from dif.elfnumbers import EM_386, EM_AARCH64, PT_LOAD
from dif.limits import SYMBOLS
from dif.records import NamedTuple
from dof.elf import (
    R_IRELATIVE,
    SHF_EXECINSTR,
    SHN_LORESERVE,
    SHN_UNDEF,
    STT_FUNC,
    STT_GNU_IFUNC,
    STT_NOTYPE,
    STT_OBJECT,
    ElfError,
    ElfFile,
    Relocation,
    Section,
    Symbol,
    TooManySymbols,
)
from runtime.kernel.cpu.callframes import load_bias
from runtime.programs.debugfiles import ReadFile, separate

TABLES = (".symtab", ".dynsym")
TYPED = frozenset((STT_FUNC, STT_OBJECT, STT_GNU_IFUNC))
# Stubs (AMD64 ABI 5.2, i386 ABI 5.2, and as GNU ld makes them): `jmp *slot`, and where the lazy ones
# are apart, `push $index`
STUBS = (".plt", ".plt.sec", ".plt.got")
STUB_SIZE = 16  # bytes, where the section does not say
JUMP, JUMP_BY_BASE, PUSH = b"\xff\x25", b"\xff\xa3", 0x68
BTI = 0xD503245F  # arm64: bti c
MARKS = (b"\xf3\x0f\x1e\xfa", b"\xf3\x0f\x1e\xfb", b"\xf2")  # endbr64, endbr32, bnd


class Entry(NamedTuple):
    """A symbol: it covers addresses from `value` to before `end`; `size` is what its table says."""

    value: int
    end: int
    size: int
    name: str


class SymbolTable:
    """The symbols of a file.  `entries` are in order of their values, addresses as the file counts them.

    `loads` are the file offset and the address of each segment that is mapped, by offset.  A file with more
    than `most` symbols has none, and `tell` is called with a line that says so.
    """

    def __init__(self, path: str, data: bytes, read: ReadFile, most: int = SYMBOLS,
                 tell: Callable[[str], None] = lambda _text: None) -> None:
        self.loads: list[tuple[int, int]] = []
        self.entries: list[Entry] = []
        self._values: list[int] = []
        try:
            elf = ElfFile(data, most)
            self.loads = sorted((each.offset, each.address) for each in elf.segments()
                                if each.type == PT_LOAD and each.size)
            debug = separate(elf, path, read)
            files = [elf] if debug is None else [elf, ElfFile(debug, most)]
            tables = [(file, file.symbols(section)) for file in files
                      for section in map(file.section, TABLES) if section is not None]
            self._keep(each for file, symbols in tables for each in _entries(file, symbols, TYPED))
            self._add(each for file, symbols in tables for each in _entries(file, symbols, {STT_NOTYPE}))
            self._add(list(_stubs(elf, self)))
        except TooManySymbols as error:
            tell(f"symbols of {path} are unknown: {error}")
        except (ElfError, ValueError, struct.error):
            pass  # a file that lies about itself has no symbols beyond those that were read

    def bias(self, beginning: int, address: int) -> int | None:
        """Return what to add to the file's addresses around `address`: see `load_bias`."""
        return load_bias(self.loads, beginning, address)

    def find(self, value: int) -> Entry | None:
        """The symbol that covers `value`."""
        at = bisect.bisect_right(self._values, value) - 1
        return self.entries[at] if at >= 0 and value < self.entries[at].end else None

    def _add(self, found: Iterable[Entry]) -> None:
        """More symbols, where no sized one is yet."""
        def is_free(value: int) -> bool:
            known = self.find(value)
            return known is None or (not known.size and known.value != value)

        self._keep(each for each in [*self.entries, *filter(lambda each: is_free(each.value), found)])

    def _keep(self, found: Iterable[Entry]) -> None:
        """Of several symbols with one value, the best."""
        best: dict[int, Entry] = {}
        for each in found:
            known = best.get(each.value)
            if known is None or _rank(each) < _rank(known):
                best[each.value] = each
        self.entries = [best[value] for value in sorted(best)]
        self._values = [each.value for each in self.entries]


def _rank(entry: Entry) -> tuple[bool, int, int, str]:
    """Of several names for one address: one with a size, then the fewest underscores, then the shortest."""
    name = entry.name
    return entry.size == 0, len(name) - len(name.lstrip("_")), len(name), name


def _entries(elf: ElfFile, symbols: Iterable[Symbol], types: Container[int]) -> Iterator[Entry]:
    """Those of a table's symbols that are of these types and have an address."""
    for name, value, size, info, _other, section in symbols:
        if info & 15 not in types or not SHN_UNDEF < section < SHN_LORESERVE or not name:
            continue
        owner = elf.section_at(section)
        if info & 15 == STT_NOTYPE and (not owner.flags & SHF_EXECINSTR or _maps(elf, name)):
            continue
        # one without a size covers what follows, in its section
        end = value + size if size else owner.address + owner.size
        if b"@" in name:
            name = name.partition(b"@")[0] or name  # without its version
        yield Entry(value, end, size, name.decode("utf-8", "surrogateescape"))


def _maps(elf: ElfFile, name: bytes) -> bool:
    """Whether a symbol tells code from data, as those of AArch64 do (ELF for the Arm 64-bit Architecture)."""
    return elf.machine == EM_AARCH64 and name.partition(b".")[0] in (b"$x", b"$d")


# -- stubs -----------------------------------------------------------------------------------------------

def _stubs(elf: ElfFile, symbols: SymbolTable) -> Iterator[Entry]:
    """Each stub, called `function@plt`."""
    slots, lazy = _slots(elf, symbols)
    base = next((section.address for name in (".got.plt", ".got")
                 if (section := elf.section(name)) is not None), 0)
    for section in filter(None, map(elf.section, STUBS)):
        code = bytes(elf.contents(section))
        if elf.machine == EM_AARCH64:
            yield from _stubs_arm64(code, section.address, slots)
            continue
        size = section.entry_size or STUB_SIZE
        for at in range(0, len(code) - size + 1, size):
            name = _target(code[at:at + size], section.address + at, elf, base, slots, lazy)
            if name:
                value = section.address + at
                yield Entry(value, value + size, size, f"{name}@plt")


def _slots(elf: ElfFile, symbols: SymbolTable) -> tuple[dict[int, str], list[str]]:
    """What fills each slot of the offset tables, by its address; and names in the order of .rela.plt."""
    slots: dict[int, str] = {}
    lazy: list[str] = []
    for table in (".rela.dyn", ".rel.dyn", ".rela.plt", ".rel.plt"):
        section = elf.section(table)
        for relocation, name in _named(elf, section, symbols) if section is not None else ():
            slots[relocation.offset] = name
            if table.endswith(".plt"):
                lazy.append(name)
    return slots, lazy


def _named(elf: ElfFile, section: Section, symbols: SymbolTable) -> Iterator[tuple[Relocation, str]]:
    names = elf.symbols(elf.section_at(section.link)) if section.link else []
    for relocation in elf.relocations(section):
        name = names[relocation.symbol].name.decode("utf-8", "surrogateescape") \
            if relocation.symbol < len(names) else ""
        if relocation.type == R_IRELATIVE.get(elf.machine):
            resolver = symbols.find(relocation.addend)
            name = resolver.name if resolver is not None else ""
        yield relocation, name


def _target(code: bytes, address: int, elf: ElfFile, base: int, slots: dict[int, str],
            lazy: list[str]) -> str | None:
    """The name of the function that a stub leads to."""
    at = 0
    while mark := next((mark for mark in MARKS if code.startswith(mark, at)), b""):
        at += len(mark)
    operand = int.from_bytes(code[at + 2:at + 6], "little", signed=True)
    if code.startswith(JUMP, at):
        return slots.get(operand if elf.machine == EM_386 else address + at + 6 + operand)
    if code.startswith(JUMP_BY_BASE, at):
        return slots.get(base + operand)
    if code[at:at + 1] == bytes((PUSH,)):
        index = int.from_bytes(code[at + 1:at + 5], "little") // (8 if elf.machine == EM_386 else 1)
        return lazy[index] if index < len(lazy) else None
    return None


def _stubs_arm64(code: bytes, address: int, slots: dict[int, str]) -> Iterator[Entry]:
    """The stubs of AArch64: `adrp x16, page; ldr x17, [x16, #n]` and what follows, maybe behind BTI.

    All are of one size, which depends on BTI and on signed addresses, and which the section does not say.
    """
    words = struct.unpack(f"<{len(code) // 4}I", code[:len(code) & -4])
    found: dict[int, str] = {}
    for at, (word, load) in enumerate(itertools.pairwise(words)):
        if word & 0x9F00001F == 0x90000010 and load & 0xFFC003FF == 0xF9400211:
            distance = (word >> 5 & 0x7FFFF) << 2 | word >> 29 & 3
            distance -= (distance & 1 << 20) << 1
            slot = (address + 4 * at & -4096) + (distance << 12) + (load >> 10 & 0xFFF) * 8
            if slot in slots:
                found[address + 4 * (at - (at > 0 and words[at - 1] == BTI))] = slots[slot]
    size = min((after - start for start, after in itertools.pairwise(found)), default=STUB_SIZE)
    for start, name in found.items():
        yield Entry(start, start + size, size, f"{name}@plt")
