"""Engines without an MMU of their own tables: they ask for translations (Unicorn's "virtual TLB").

They get them from the page tables that x86 walks, so that an address space is the same to all processors.
"""

from __future__ import annotations

import ctypes

from runtime.kernel.cpu.emulator import (
    ERROR_FETCH,
    ERROR_PRESENT,
    ERROR_USER,
    ERROR_WRITE,
    EXECUTE,
    MEM_FETCH,
    MEM_WRITE,
    READ,
    WRITE,
    Emulator,
    Slice,
    Translation,
)
from runtime.kernel.memory.addrspace import FRAME_MASK, NO_EXEC, PRESENT, WRITABLE
from runtime.kernel.memory.physical import PAGE_SHIFT, PhysicalMemory

SYSCALL, PAGE_FAULT = -1, -3  # events that are no exceptions' numbers


class TranslatedEmulator(Emulator):
    """An engine that asks for translations; `machine_page` of its address space is the machine's own.

    A page fault is the event PAGE_FAULT: `fault_address` is its page's, `fault_error` has bits of
    runtime.kernel.cpu.emulator.ERROR_*.
    """

    kernel_entry = 0  # no part of the page tables is the machine's own
    machine_page: int
    machine_kinds = frozenset((MEM_FETCH,))  # of access to it

    def __init__(self, memory: PhysicalMemory, arch: int, mode: int, slice_: Slice | None) -> None:
        super().__init__(memory, arch, mode, slice_)
        self.fault_address = 0
        self.fault_error = 0
        self.root = self.loaded_root = memory.allocate() << PAGE_SHIFT
        self.machine_frame = memory.allocate_pair() << PAGE_SHIFT
        self._translate_by(self._translate)

    def load_root(self, root: int) -> None:
        """Have the page tables at `root` in force."""
        if root != self.loaded_root:
            self.loaded_root = root
            self.flush_tlb()

    def end_run(self, event: int) -> None:
        """Stop with an event.  Called from a callback."""
        self.event = event
        self.library.uc_emu_stop(self.handle)

    def note_fault(self, address: int, error: int) -> None:
        """Say what a page fault at an address is about, beside what `error` says."""
        present = ERROR_PRESENT if self.walk(address) & PRESENT else 0
        self.fault_address, self.fault_error = address, error | ERROR_USER | present

    def fault(self, address: int, error: int) -> None:
        """Have the instruction that is being executed cause a page fault."""
        self.fault_address, self.fault_error = address, error
        self.end_run(PAGE_FAULT)

    def _translate(self, _engine: int, address: int, kind: int, result: ctypes._Pointer[Translation],
                   _data: int) -> bool:
        """Fill one entry of the TLB; returns False for a page fault."""
        if address == self.machine_page and kind in self.machine_kinds:
            result.contents.physical, result.contents.perms = self.machine_frame, EXECUTE | READ
            return True
        error = ERROR_USER | {MEM_FETCH: ERROR_FETCH, MEM_WRITE: ERROR_WRITE}.get(kind, 0)
        try:
            found = self._page(address, kind, error)
        except BaseException as failure:
            self.failure = failure
            found = None
        if found is None:
            self.note_fault(address, error)
            self.end_run(PAGE_FAULT)
            return False
        result.contents.physical, result.contents.perms = found
        return True

    def _page(self, address: int, kind: int, error: int) -> tuple[int, int] | None:
        """Return where the page at `address` lies, and its permissions; None for a page fault."""
        entry = self.walk(address)
        if not allows(entry, kind):
            if not self.on_fault(address, error):
                return None
            entry = self.walk(address)
            if not allows(entry, kind):
                return None
        return permitted(entry)


def allows(entry: int, kind: int) -> bool:
    """Whether a page table entry lets an access of Unicorn's kind happen."""
    wanted = PRESENT | (WRITABLE if kind == MEM_WRITE else 0)
    return entry & wanted == wanted and not (kind == MEM_FETCH and entry & NO_EXEC)


def permitted(entry: int) -> tuple[int, int]:
    """Return where the page of an entry lies, and its permissions as Unicorn has them."""
    return entry & FRAME_MASK, READ | (WRITE if entry & WRITABLE else 0) | (0 if entry & NO_EXEC else EXECUTE)
