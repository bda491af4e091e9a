"""Addresses to names in the operating system that this program runs under: what its /proc tells.

Kernel functions are in /proc/kallsyms, mappings of processes in /proc/PID/maps, as Linux and the emulated
machine have them.  A system without these files has no names.
"""

from __future__ import annotations

import bisect
import re

from dif.hostfiles import read_if_any
from dif.records import NamedTuple
from runtime.consumer.events.symbols import Mapped, Symbol
from runtime.symbols import ProgramSymbols

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from runtime.kernel.base.budgets import Budgets

KERNEL = "unix"  # the module of what is in none
FUNCTION_MOST = 1 << 16  # bytes behind a symbol's address that are taken to be its own
_SYMBOL = re.compile(rb"([0-9a-f]+) [tTwW] (\S+)(?:\s+\[(\S+)\])?$", re.MULTILINE)
_MAPPING = re.compile(rb"([0-9a-f]+)-([0-9a-f]+) (\S+) ([0-9a-f]+) \S+ \d+ *(/.*)?$", re.MULTILINE)


class HostMapping(NamedTuple):
    """A line of /proc/PID/maps (runtime.symbols.Mapping)."""

    start: int
    end: int
    path: bytes
    file_offset: int
    writable: bool


class HostSymbols(ProgramSymbols):
    """Symbol look-up (runtime.consumer.events.symbols.Symbols).

    The mappings of a process are those of the last look at it: `remember`, or the first address asked for.
    """

    def __init__(self, budgets: Budgets) -> None:
        super().__init__(lambda: budgets)
        self._kernel: list[Symbol] | None = None
        self._mapped: dict[int, list[HostMapping]] = {}

    def kernel(self, address: int) -> Symbol | None:
        if self._kernel is None:
            text = read_if_any("/proc/kallsyms") or b""
            found = (Symbol((module or KERNEL.encode()).decode(), name.decode(errors="replace"), int(at, 16))
                     for at, name, module in _SYMBOL.findall(text))
            self._kernel = sorted((each for each in found if each.value), key=lambda each: each.value)
        at = bisect.bisect_right(self._kernel, address, key=lambda each: each.value) - 1
        if at < 0 or address - self._kernel[at].value >= FUNCTION_MOST:
            return None
        return self._kernel[at]

    def kernel_module(self, address: int) -> Mapped | None:
        symbol = self.kernel(address)
        if symbol is None:
            return None
        return Mapped(symbol.object, min(each.value for each in self._kernel or ()
                                         if each.object == symbol.object))

    def remember(self, pid: int) -> None:
        """Read what a process has mapped, unless it has nothing any more: records of it are read later."""
        text = read_if_any(f"/proc/{pid}/maps")
        if text:
            self._mapped[pid] = [
                HostMapping(int(start, 16), int(end, 16), path, int(offset, 16), b"w" in mode)
                for start, end, mode, offset, path in _MAPPING.findall(text)]

    def _areas(self, pid: int) -> list[HostMapping]:
        if pid not in self._mapped:
            self.remember(pid)
        return self._mapped.get(pid, [])

    def _read(self, path: str) -> bytes | None:
        return read_if_any(path)
