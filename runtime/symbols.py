"""Symbols of the kernel and of processes: names by address."""

from __future__ import annotations

import bisect
import os
from collections.abc import Callable, Sequence

from runtime.consumer.events.symbols import Mapped, Symbol
from runtime.kernel.base.kernelfunctions import KFUNCTIONS, SLOT, KernelFunction

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from typing import Protocol

    from runtime.kernel.base.budgets import Budgets
    from runtime.kernel.kernel import Kernel
    from runtime.kernel.memory.addrspace import Area
    from runtime.kernel.process.thread import Thread
    from runtime.programs.demangle import Demangler
    from runtime.programs.recent import Recent
    from runtime.programs.symboltable import SymbolTable

    class Mapping(Protocol):
        """A part of a file that a process has mapped; without a path, memory of no file."""

        @property
        def start(self) -> int: ...

        @property
        def end(self) -> int: ...

        @property
        def path(self) -> bytes: ...

        @property
        def file_offset(self) -> int: ...

        @property
        def writable(self) -> bool: ...

MANGLED = ("_Z", "_R", "__R")
MOST_SYMBOLS = 8_000_000  # of all files that are remembered
MOST_NAMES = 200_000  # that are remembered as their programmers wrote them
MOST_ENDED = 4096  # processes whose mappings are kept: records of them are read soon


class ProgramSymbols:
    """The symbols of processes, by what they have mapped; `budgets` returns how many may be read."""

    def __init__(self, budgets: Callable[[], Budgets]) -> None:
        self._budgets = budgets
        self._objects: Recent[SymbolTable | None] | None = None  # loaded when there are programs
        self._demangled: dict[str, str] = {}
        self._names: Demangler | None = None

    def user(self, pid: int, address: int) -> Symbol | None:
        area = self._area(pid, address)
        if area is None or not area.path:
            return None
        path = os.fsdecode(area.path)
        table = self._object(path)
        bias = table.bias(area.start - area.file_offset, address) if table is not None else None
        entry = table.find(address - bias) if table is not None and bias is not None else None
        if entry is None or bias is None:
            return None
        return Symbol(os.path.basename(path), self._plain(entry.name), entry.value + bias, entry.size)

    def _plain(self, name: str) -> str:
        if not name.startswith(MANGLED):
            return name
        known = self._demangled.get(name)
        if known is None:
            name, at, stub = name.partition("@")  # a linkage stub's
            if len(self._demangled) >= MOST_NAMES:
                self._demangled.clear()
            known = self._demangled[name + at + stub] = self._demangler().demangle(name) + at + stub
        return known

    def _demangler(self) -> Demangler:
        if self._names is None:
            from runtime.programs.demangle import Demangler

            budgets = self._budgets()
            self._names = Demangler(budgets.limits.demangled, budgets.tell)
        return self._names

    def user_mapping(self, pid: int, address: int) -> Mapped | None:
        area = self._area(pid, address)
        if area is None or not area.path:
            return None
        start = min(each.start for each in self._areas(pid) if each.path == area.path)
        return Mapped(os.path.basename(os.fsdecode(area.path)), start, area.writable)

    def _areas(self, pid: int) -> Sequence[Mapping]:
        """Return what a process has mapped, in order of addresses."""
        raise NotImplementedError

    def _area(self, pid: int, address: int) -> Mapping | None:
        areas = self._areas(pid)
        at = bisect.bisect_right(areas, address, key=lambda area: area.start) - 1
        return areas[at] if at >= 0 and address < areas[at].end else None

    def _object(self, path: str) -> SymbolTable | None:
        if self._objects is None:
            from runtime.programs.recent import Recent

            self._objects = Recent(self._opened, room=MOST_SYMBOLS,
                                   size=lambda table: len(table.entries) if table is not None else 0)
        return self._objects.get(path)

    def _opened(self, path: str) -> SymbolTable | None:
        from runtime.programs.symboltable import SymbolTable

        data = self._read(path)
        budgets = self._budgets()
        return SymbolTable(path, data, self._read, budgets.limits.symbols, budgets.tell) \
            if data is not None else None

    def _read(self, path: str) -> bytes | None:
        """Return the bytes of a file; None if there is none."""
        raise NotImplementedError


class MachineSymbols(ProgramSymbols):
    """The symbols of an emulated machine (runtime.consumer.events.symbols.Symbols).

    `boot` returns the kernel.  The mappings of processes are kept when they end, as a consumer reads records
    later.
    """

    def __init__(self, boot: Callable[[], Kernel]) -> None:
        super().__init__(lambda: boot().budgets)
        self._boot = boot
        self._ended: dict[int, list[Area]] = {}
        self._functions: list[KernelFunction] = []

    def attach(self, kernel: Kernel) -> None:
        """Keep the mappings of this kernel's processes when they end."""
        kernel.hooks.attach("exit", self._remember)

    def _remember(self, thread: Thread, _reason: int) -> None:
        if thread.process.space is not None:
            self._ended[thread.process.pid] = list(thread.process.space.areas)
            if len(self._ended) > MOST_ENDED:
                del self._ended[next(iter(self._ended))]

    def _areas(self, pid: int) -> list[Area]:
        process = self._boot().process(pid)
        if process is not None and process.space is not None:
            return process.space.areas
        return self._ended.get(pid, [])

    def _read(self, path: str) -> bytes | None:
        data: bytes | None = self._boot().vfs.contents(os.fsencode(path))
        return data

    def kernel(self, address: int) -> Symbol | None:
        if len(self._functions) != len(KFUNCTIONS):
            self._functions = sorted(KFUNCTIONS.values(), key=lambda function: function.address)
        at = bisect.bisect_right(self._functions, address, key=lambda function: function.address) - 1
        if at < 0 or address >= self._functions[at].address + SLOT:
            variable = self._boot().objects.symbol_at(address)
            return Symbol("genunix", variable.name, variable.address, variable.size) if variable else None
        found = self._functions[at]
        return Symbol(found.module, found.name, found.address, SLOT)

    def kernel_module(self, address: int) -> Mapped | None:
        """Return the module of the symbol at an address; a module starts with its first function."""
        symbol = self.kernel(address)
        if symbol is None:
            return None
        start = next((function.address for function in self._functions if function.module == symbol.object),
                     symbol.value)
        return Mapped(symbol.object, start)
