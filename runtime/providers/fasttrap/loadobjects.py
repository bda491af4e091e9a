"""The load objects of a process: which file lies where (runtime.programs.objectfile says what is in one)."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

from dof.elf import ElfError, ElfFile
from runtime.kernel.memory.addrspace import PROT_EXEC
from runtime.programs.debugfiles import separate, shared
from runtime.programs.objectfile import LoadObject, ObjectFile
from runtime.programs.recent import Recent

if TYPE_CHECKING:
    from runtime.framework.base.host import Context
    from runtime.kernel.kernel import Kernel
    from runtime.kernel.process.process import Process


HELD = 1 << 30  # bytes of files that are remembered


class ObjectCache:
    """The ELF files of a machine, read when first asked for."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._files = Recent(self._opened, room=HELD, size=_size)

    def read(self, path: str) -> bytes | None:
        """A file of the machine's, whole; None where there is none."""
        data: bytes | None = self._kernel.vfs.contents(os.fsencode(path))
        return data

    def file(self, path: str) -> ObjectFile | None:
        """None for what is no ELF file."""
        return self._files.get(path)

    def _opened(self, path: str) -> ObjectFile | None:
        data = self.read(path)
        with contextlib.suppress(ElfError, ValueError):
            return self._open(path, data) if data else None
        return None

    def _open(self, path: str, data: bytes) -> ObjectFile:
        budgets = self._kernel.budgets
        elf = ElfFile(data)
        debug = separate(elf, path, self.read)
        holder = elf if debug is None else ElfFile(debug)
        return ObjectFile(path, data, debug, shared(holder, path, self.read), self.read,
                          most_symbols=budgets.limits.symbols, tell=budgets.tell)

    def of(self, process: Process) -> list[LoadObject]:
        """The load objects of a process, by address."""
        found: dict[str, LoadObject] = {}
        space = process.space
        for area in space.areas if space is not None else ():
            if not area.path.startswith(b"/") or not area.prot & PROT_EXEC:  # [vdso] and the like are no file
                continue
            path = os.fsdecode(area.path)
            file = self.file(path) if path not in found else None
            start = file.address_at(area.offset << 12) if file is not None else None
            if file is not None and start is not None:
                found[path] = LoadObject(file, os.path.basename(path), area.start - start,
                                         path == process.executable)
        return list(found.values())

    def at(self, process: Process, address: int) -> LoadObject | None:
        """The object whose text `address` lies in."""
        space = process.space
        area = space.find(address) if space is not None else None
        if area is None or not area.path:
            return None
        path = os.fsdecode(area.path)
        return next((each for each in self.of(process) if each.file.path == path), None)


def _size(file: ObjectFile | None) -> int:
    """How many bytes of a file are held."""
    return len(file.elf.data) + len(file.debug_data) if file is not None else 0


def process_of(kernel: Kernel, context: Context | int) -> Process | None:
    """The process with this number, if it has an address space."""
    process = kernel.processes.get(context if isinstance(context, int) else context.pid)
    return process if process is not None and process.space is not None else None
