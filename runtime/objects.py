"""Symbols of ELF files and of the processes that map them: addresses to names."""

from __future__ import annotations

import bisect
import os
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

from dof.elf import ElfError, ElfFile
from runtime.consumer.symbols import Mapped, Symbol
from runtime.kernel.kfunction import KFUNCTIONS, SLOT, KernelFunction

if TYPE_CHECKING:
    from runtime.kernel.addrspace import Area
    from runtime.kernel.kernel import Kernel
    from runtime.kernel.process import Process
    from runtime.kernel.thread import Thread

PT_LOAD = 1
STT_FUNC, STT_OBJECT, STT_IFUNC = 2, 1, 10
SHN_UNDEF = 0
_TABLES = (".symtab", ".dynsym")
PROT_WRITE = 2
PAGE_SHIFT = 12
_DEBUG = "/usr/lib/debug/.build-id"


class _Entry(NamedTuple):
    value: int
    size: int
    name: str


class ObjectSymbols:
    """The functions and objects of one ELF file, by address.

    Values are addresses as the file counts them: where file offset `o` is mapped
    at address `a`, value `v` lies at `v - value_at(o) + a`.
    """

    def __init__(self, data: bytes, read_file: Callable[[str], bytes | None]) -> None:
        self._segments: list[tuple[int, int, int]] = []  # file offset, address, size in the file
        entries: dict[int, _Entry] = {}
        try:
            elf = ElfFile(data)
            self._segments = [(each.offset, each.address, each.size)
                              for each in elf.segments() if each.type == PT_LOAD]
            for each in self._files(elf, read_file):
                self._collect(each, entries)
        except (ElfError, ValueError):
            pass  # a file that lies about itself has no symbols
        self._entries = [entries[value] for value in sorted(entries)]
        self._values = [entry.value for entry in self._entries]

    @staticmethod
    def _files(elf: ElfFile, read_file: Callable[[str], bytes | None]) -> Iterable[ElfFile]:
        """The file itself, and its separate debug file where it has no symbol table of its own."""
        yield elf
        note = elf.section(".note.gnu.build-id")
        if elf.section(".symtab") is None and note is not None:
            digest = bytes(elf.contents(note))[16:].hex()
            debug = read_file(f"{_DEBUG}/{digest[:2]}/{digest[2:]}.debug")
            if debug is not None:
                yield ElfFile(debug)

    @staticmethod
    def _collect(elf: ElfFile, entries: dict[int, _Entry]) -> None:
        for name in _TABLES:
            section = elf.section(name)
            if section is None:
                continue
            for symbol in elf.symbols(section):
                if symbol.type not in (STT_FUNC, STT_OBJECT, STT_IFUNC) or symbol.section == SHN_UNDEF:
                    continue
                known = entries.get(symbol.value)
                text = symbol.name.decode("utf-8", "surrogateescape")
                if known is None or _better(text, symbol.size, known):
                    entries[symbol.value] = _Entry(symbol.value, symbol.size, text)

    def value_at(self, offset: int) -> int | None:
        """The address, as symbols count, of the byte at `offset` of the file."""
        for start, address, size in self._segments:
            if start & -4096 <= offset < start + size:
                return address + offset - start
        return None

    def find(self, value: int) -> _Entry | None:
        """The symbol that covers `value`; one of size 0 covers all up to the next."""
        at = bisect.bisect_right(self._values, value) - 1
        if at < 0:
            return None
        entry = self._entries[at]
        return entry if not entry.size or value < entry.value + entry.size else None


def _better(name: str, size: int, known: _Entry) -> bool:
    """Of several names for one address: one with a size, then the fewest underscores, then the shortest."""
    def rank(text: str, length: int) -> tuple[bool, int, int, str]:
        return (length == 0, len(text) - len(text.lstrip("_")), len(text), text)

    return rank(name, size) < rank(known.name, known.size)


class MachineSymbols:
    """The symbols of an emulated machine (runtime.consumer.symbols.Symbols).

    Processes are remembered as they were mapped when they ended, since records
    are read after the fact.
    """

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._ended: dict[int, list[Area]] = {}
        self._objects: dict[str, ObjectSymbols | None] = {}
        self._functions: list[KernelFunction] = []
        self._demangled: dict[str, str] = {}
        kernel.hooks.attach("exit", self._remember)

    def _remember(self, thread: Thread, _reason: int) -> None:
        if thread.process.space is not None:
            self._ended[thread.process.pid] = list(thread.process.space.areas)

    # -- the kernel ------------------------------------------------------------------------------

    def kernel(self, address: int) -> Symbol | None:
        if len(self._functions) != len(KFUNCTIONS):
            self._functions = sorted(KFUNCTIONS.values(), key=lambda function: function.address)
        at = bisect.bisect_right(self._functions, address, key=lambda function: function.address) - 1
        if at < 0 or address >= self._functions[at].address + SLOT:
            variable = self._kernel.objects.symbol_at(address)
            return Symbol("genunix", variable.name, variable.address, variable.size) if variable else None
        found = self._functions[at]
        return Symbol(found.module, found.name, found.address, SLOT)

    def kernel_module(self, address: int) -> Mapped | None:
        region = self._kernel.kmem.find(address)
        return Mapped("unix", region.base) if region else None

    # -- processes -------------------------------------------------------------------------------

    def user(self, pid: int, address: int) -> Symbol | None:
        area = self._area(pid, address)
        if area is None or not area.path:
            return None
        path = os.fsdecode(area.path)
        found = self._object(path)
        value = found.value_at(area.offset << PAGE_SHIFT) if found else None
        entry = found.find(address - area.start + value) if found and value is not None else None
        if entry is None:
            return None
        assert value is not None
        name, start = self._plain(entry.name), entry.value - value + area.start
        return Symbol(os.path.basename(path), name, start, entry.size)

    def _plain(self, name: str) -> str:
        if not name.startswith("_Z"):
            return name
        known = self._demangled.get(name)
        if known is None:
            from runtime.demangle import demangle

            known = self._demangled[name] = demangle(name)
        return known

    def user_mapping(self, pid: int, address: int) -> Mapped | None:
        area = self._area(pid, address)
        if area is None or not area.path:
            return None
        start = min(each.start for each in self._areas(pid) if each.path == area.path)
        return Mapped(os.path.basename(os.fsdecode(area.path)), start, bool(area.prot & PROT_WRITE))

    def _areas(self, pid: int) -> list[Area]:
        process: Process | None = self._kernel.processes.get(pid) or self._kernel.system.get(pid)
        if process is not None and process.space is not None:
            return process.space.areas
        return self._ended.get(pid, [])

    def _area(self, pid: int, address: int) -> Area | None:
        areas = self._areas(pid)
        at = bisect.bisect_right(areas, address, key=lambda area: area.start) - 1
        return areas[at] if at >= 0 and address < areas[at].end else None

    def _object(self, path: str) -> ObjectSymbols | None:
        if path not in self._objects:
            data = self._read(path)
            self._objects[path] = ObjectSymbols(data, self._read) if data is not None else None
        return self._objects[path]

    def _read(self, path: str) -> bytes | None:
        """A file of the machine's, whole; None where there is none."""
        from runtime.kernel.vfs.namespace import walk
        from runtime.kernel.vfs.vnode import Credentials, Regular

        view = self._kernel.vfs.context("/")
        try:
            vnode = walk(view, view.cwd, os.fsencode(path), Credentials()).existing
            return bytes(vnode.pread(0, vnode.size)) if isinstance(vnode, Regular) else None
        except OSError:
            return None
