"""Finding probe sites: the relocations of an object that call a provider's functions.

A first run leaves its traces for the next: a replaced call keeps its
relocation, now without effect, at the site's first byte, and a call that was
led to a stub names the stub.  The probe function has lost its name's first
underscore, where it is no longer called.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from zlib import crc32

from dif.elfnumbers import ET_REL
from dif.hostfiles import LARGEST_OBJECT, read_whole
from dif.limits import SYMBOLS
from dif.records import NamedTuple, Record, field
from dof.elf import (
    MACHINES,
    SHF_ALLOC,
    SHF_EXECINSTR,
    SHN_COMMON,
    SHN_UNDEF,
    SHT_REL,
    SHT_RELA,
    STB_WEAK,
    STT_FUNC,
    STT_GNU_IFUNC,
    ElfError,
    ElfFile,
    Relocation,
    Section,
    string_at,
)
from dof.usdt.definition import UNSEEN, ProbeDefinition, ProviderDefinition, probe_symbol
from dof.usdt.instructions import InstructionSet, Site
from dof.usdt.machines import select

PREFIX = b"__dtrace"
RELEASED = PREFIX[1:]
_UNSEEN = UNSEEN.encode()
ALIAS_PREFIX = b"$dtrace"
BITCODE = (b"BC\xc0\xde", b"\xde\xc0\x17\x0b")  # how LLVM's begins, bare and wrapped
# What compilers append to the name of a part or a variant of a function.
CLONES = (b".cold", b".part.", b".isra.", b".constprop.", b".llvm.", b".lto_priv.")


class LinkError(ValueError):
    """Objects that cannot be linked with the given providers: one line for the user.

    It names symbols and sections, whose names an object chooses: what is not printable in them becomes "?".
    """

    def __init__(self, text: str) -> None:
        super().__init__("".join(char if char.isprintable() else "?" for char in text))


class Reference(NamedTuple):
    """What a probe function stands for."""

    provider: ProviderDefinition
    probe: ProbeDefinition
    enabled: bool
    symbol: str


class Function(NamedTuple):
    """A function of an object; `value` is its offset in section number `section`."""

    name: bytes
    section: int
    value: int
    size: int
    weak: bool

    @property
    def display(self) -> str:
        """The function's name in the source, as probefunc."""
        if b"." not in self.name:
            return self.name.decode("utf-8", "replace")
        cut = min((at for at in (self.name.find(each) for each in CLONES) if at > 0), default=len(self.name))
        return self.name[:cut].decode("utf-8", "replace")


class Functions:
    """The functions of one section, by the places they cover.

    A place in several belongs to the one that begins last; of several names for the same bytes the
    symbol table's first counts.  A function of size 0 has no end.
    """

    def __init__(self, functions: Iterable[Function]) -> None:
        named: dict[tuple[int, int], Function] = {}
        for each in functions:
            named.setdefault((each.value, each.size), each)
        beginning = sorted(named.values(), key=lambda each: each.value)[::-1]
        self._starts = sorted({edge for value, size in named for edge in (value, value + size)})
        self._owners: list[Function | None] = []  # from each start to the next
        around: list[Function] = []
        for start in self._starts:
            while beginning and beginning[-1].value == start:
                around.append(beginning.pop())
            while around and 0 < around[-1].size <= start - around[-1].value:
                around.pop()
            self._owners.append(around[-1] if around else None)

    def at(self, offset: int) -> Function | None:
        """The function that `offset` lies in."""
        span = bisect_right(self._starts, offset) - 1
        return self._owners[span] if span >= 0 else None


class Call(Record):
    """A call of a probe function, in `function`, through entry `entry` of relocation section `table`.

    `site` is None for a call that must go to a stub.  `done` tells that an
    earlier run has replaced it, or led it to `stub`.
    """

    reference: Reference
    function: Function
    table: Section
    entry: int
    relocation: Relocation
    site: Site | None
    done: bool = False
    stub: bytes = b""


class ProbeObject(Record):
    """A relocatable object and the probe sites in it.

    `aliases` are names that earlier runs gave to functions, by section and
    offset; `anchors` those by which it draws in generated objects.
    """

    path: str
    elf: ElfFile
    machine: InstructionSet
    symtab: Section | None = None
    calls: list[Call] = field(default_factory=list)
    aliases: dict[tuple[int, int], bytes] = field(default_factory=dict)
    anchors: set[bytes] = field(default_factory=set)
    key: str = ""


def references(providers: list[ProviderDefinition]) -> dict[str, Reference]:
    """The probe functions of all providers by name."""
    result = {}
    for provider in providers:
        for probe in provider.probes:
            for enabled in (False, True):
                symbol = probe_symbol(provider.name, probe.name, enabled=enabled)
                result[symbol] = Reference(provider, probe, enabled, symbol)
    return result


def read_file(path: str) -> bytes:
    """The contents of a file that -G was given.  Raises LinkError."""
    try:
        return read_whole(path, LARGEST_OBJECT)
    except OSError as error:
        raise LinkError(f"cannot open {path}: {error.strerror}") from None


def open_object(path: str, data: bytes, most_symbols: int = SYMBOLS) -> ProbeObject:
    """An object file of at most `most_symbols`; messages call it `path`.

    Raises LinkError for what cannot be linked here.
    """
    if data[:4] in BITCODE:
        raise LinkError(f"{path} holds LLVM bitcode, not machine code: compile it with -fno-lto")
    try:
        elf = ElfFile(data, most_symbols)
    except ElfError as error:
        raise LinkError(f"{path}: {error}") from None
    if elf.type != ET_REL:
        raise LinkError(f"{path} is not a relocatable object")
    if any(each.name.startswith((".gnu.lto_", ".llvm.lto")) for each in elf.sections):
        raise LinkError(f"{path} is to be compiled again by the linker (-flto), which would undo its probe"
                        " sites: compile it with -fno-lto")
    machine = select(elf.machine, elf.bits)
    if machine is None or elf.order != machine.order:
        name = MACHINES.get(elf.machine, f"machine {elf.machine}")
        raise LinkError(f"{path}: no USDT probes for {name}, {elf.bits} bits")
    return ProbeObject(path, elf, machine)


def find(target: ProbeObject, known: Mapping[str, Reference]) -> None:
    """Fill in the object's calls and functions.

    Raises LinkError for a probe that no provider declares, for a reference
    that is not in a function's code, and for a broken file.
    """
    try:
        target.symtab = target.elf.symbol_table()
        if target.symtab is not None:
            _find_calls(target, target.symtab, known)
    except ElfError as error:
        raise LinkError(f"{target.path}: {error}") from None


def _find_calls(target: ProbeObject, symtab: Section, known: Mapping[str, Reference]) -> None:
    elf = target.elf
    strings = bytes(elf.contents(elf.section_at(symtab.link)))
    if RELEASED not in strings:
        return
    symbols = _probe_symbols(target, symtab, strings, known)
    if not symbols:
        return
    functions = _find_functions(target, symtab)
    count = elf.symbol_count(symtab)
    for table in elf.sections:
        if table.type not in (SHT_REL, SHT_RELA) or table.link != symtab.index:
            continue
        section = elf.section_at(table.info)
        if not section.flags & SHF_ALLOC:
            continue
        code, covered = elf.contents(section), functions.get(section.index, Functions(()))
        relocations = list(elf.relocations(table))
        if max((each.symbol for each in relocations), default=0) >= count:  # it would be one that we add
            raise LinkError(f"{target.path}: a relocation of {section.name} names a symbol that there is not")
        places = {each.offset for each in relocations}
        for entry, relocation in enumerate(relocations):
            found = symbols.get(relocation.symbol)
            if found is None:
                continue
            reference, stub, released = found
            if released and relocation.type != target.machine.none:
                continue  # a function of the program's own
            if not section.flags & SHF_EXECINSTR:
                raise LinkError(f"{target.path}: {reference.symbol} is not called, but stored in"
                                f" {section.name}")
            site, done = _site(target.machine, code, relocation, reference, stub)
            if site is not None and not done and not _is_alone(site, relocation, places):
                site = None
            if done and site is None and not stub:
                raise LinkError(f"{target.path}: the probe site at {section.name}+{relocation.offset:#x}"
                                " is no longer what an earlier run made of it")
            function = covered.at(relocation.offset if site is None else site.start)
            if function is None:
                raise LinkError(f"{target.path}: {reference.symbol} is called at"
                                f" {section.name}+{relocation.offset:#x}, which no function's symbol covers")
            target.calls.append(Call(reference, function, table, entry, relocation, site, done, stub))


def _site(machine: InstructionSet, code: bytearray | memoryview, relocation: Relocation,
          reference: Reference, stub: bytes) -> tuple[Site | None, bool]:
    if stub:
        return None, True
    if relocation.type == machine.none:
        return machine.replaced(code, relocation.offset, reference.enabled), True
    site = machine.site(code, relocation, reference.enabled)
    if site is not None and site.tail and machine.tail_needs_stub(reference.probe.native, reference.enabled):
        site = None
    return site, False


def _is_alone(site: Site, relocation: Relocation, places: set[int]) -> bool:
    """Whether no other relocation changes what a site replaces."""
    return not any(at in places and at != relocation.offset
                   for at in range(site.start, site.start + len(site.code)))


def _probe_symbols(target: ProbeObject, symtab: Section, strings: bytes, known: Mapping[str, Reference],
                   ) -> dict[int, tuple[Reference, bytes, bool]]:
    """By index: undefined symbols that are probe functions, or stubs (then with their name).

    The last tells whether an earlier run has replaced all calls.
    """
    starts = set()
    at = strings.find(RELEASED)
    while at >= 0:
        starts |= {at - 1, at}
        if strings[at - 2:at] == b"._":  # a stub: $dtraceKEY.FUNCTION.__dtrace...
            starts.add(strings.rfind(b"\0", 0, at) + 1)
        at = strings.find(RELEASED, at + 1)
    found = {}
    for index, (offset, _, _, _, _, shndx) in enumerate(target.elf.raw_symbols(symtab)):
        if offset not in starts or shndx != SHN_UNDEF:
            continue
        name = string_at(strings, offset)
        stub = name if name.startswith(ALIAS_PREFIX) else b""
        released = name.startswith(RELEASED)
        name = b"_" + name if released else name[name.rfind(b"." + PREFIX) + 1:]
        text = name.removesuffix(_UNSEEN).decode("utf-8", "replace")
        reference = known.get(text) if released else _reference(target, text, known)
        if reference is not None:
            found[index] = reference, stub, released
    return found


def _reference(target: ProbeObject, symbol: str, known: Mapping[str, Reference]) -> Reference | None:
    if symbol in known:
        return known[symbol]
    provider, separator, probe = symbol.partition("___")
    provider = provider.removeprefix("__dtraceenabled_").removeprefix("__dtrace_")
    if not separator or provider.startswith("__dtrace"):
        return None  # a function of the program's own
    provider = provider.replace("__", "-")
    if all(each.provider.name != provider for each in known.values()):
        raise LinkError(f"{target.path} calls a probe of provider {provider}, which is not declared")
    probe = probe.replace("__", "-")
    raise LinkError(f"{target.path} calls probe {provider}:::{probe}, which is not declared")


def _find_functions(target: ProbeObject, symtab: Section) -> dict[int, Functions]:
    """Functions by section; what earlier runs left, and the object's key, are entered in `target`."""
    functions: dict[int, list[Function]] = {}
    names = [target.path.encode(errors="surrogateescape")]
    for symbol in target.elf.symbols(symtab):
        if symbol.type in (STT_FUNC, STT_GNU_IFUNC) and symbol.section != SHN_UNDEF:
            function = Function(symbol.name, symbol.section, symbol.value, symbol.size,
                                symbol.binding == STB_WEAK)
            functions.setdefault(symbol.section, []).append(function)
            names.append(b"%s\0%d" % (symbol.name, symbol.value))
        elif symbol.name.startswith(ALIAS_PREFIX) and symbol.section in (SHN_COMMON, SHN_UNDEF):
            target.anchors.add(symbol.name)
        elif symbol.name.startswith(ALIAS_PREFIX):
            target.aliases[symbol.section, symbol.value] = symbol.name
    whole = b"\0".join(names)
    target.key = f"{crc32(whole):08x}{crc32(whole[::-1]):08x}"
    return {section: Functions(found) for section, found in functions.items()}
