"""The engine of a program that is outside the machine: all its code is a system call in a loop.

To know what that does takes no engine of Unicorn's, and a machine that runs nothing else has none.  Time
passes, and pages come into memory, as if one executed the code.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable

from dif.records import Record
from runtime.kernel.cpu.emulator import ERROR_FETCH, ERROR_USER, INITIAL_TLB, RESCHEDULE, Slice
from runtime.kernel.cpu.x86.engine import (
    CODE64,
    DATA,
    INITIAL_FLAGS,
    PAGE_FAULT,
    REG_CS,
    REG_FPCW,
    REG_FPTAG,
    REG_MXCSR,
    REG_RFLAGS,
    REG_SS,
    RIP,
    SYSCALL64,
    SYSCALL_SIZE,
    Registers,
)
from runtime.kernel.memory.addrspace import PRESENT, find_entry
from runtime.kernel.memory.physical import PhysicalMemory

CODE = b"\x0f\x05\xeb\xfc"  # amd64: again: syscall; jmp again
# what a program that begins has in registers that are not general ones, by Unicorn's numbers; 0 elsewhere
INITIAL = {REG_RFLAGS: INITIAL_FLAGS, REG_CS: CODE64, REG_SS: DATA, REG_MXCSR: 0x1F80, REG_FPCW: 0x37F,
           REG_FPTAG: 0xFFFF}


class OutsideContext(Record):
    """The register file of the one program, which stays where it is."""

    regs: Registers


class OutsideEngine:
    """runtime.kernel.cpu.processor.UserEngine of one program with CODE at `again`; `work` is the slice."""

    root = kernel_entry = loaded_root = 0
    tlb_size = INITIAL_TLB
    exact_decoding = vectors = False

    def __init__(self, memory: PhysicalMemory, work: Slice, again: int) -> None:
        self.memory, self._work, self._again = memory, work, again
        self.on_fault: Callable[[int, int], bool] = lambda address, error: False
        self.on_trap: Callable[[int], bool] = lambda pc: False
        self._counting = False
        self.regs: Registers = (ctypes.c_uint64 * (RIP + 1))()
        self.user64 = OutsideContext(self.regs)
        self.written: dict[int, tuple[int, int]] = {}  # value and bytes, by Unicorn's number
        self.fault_address = self.fault_error = 0

    def run(self) -> int:
        """Execute until a system call or the slice's end.  Both instructions are blocks of 2 bytes."""
        regs, work = self.regs, self._work
        while True:
            address = regs[RIP]
            if not find_entry(self.memory.words, self.loaded_root, address) & PRESENT:
                self.fault_address, self.fault_error = address, ERROR_FETCH | ERROR_USER
                if not self.on_fault(address, self.fault_error):
                    return PAGE_FAULT
            if self._counting:
                if work.left <= 0:
                    return RESCHEDULE
                work.left -= SYSCALL_SIZE
            if address == self._again:
                regs[RIP] = address + SYSCALL_SIZE
                return SYSCALL64
            regs[RIP] = self._again

    def count_work(self) -> None:
        self._counting = True

    def read_register(self, number: int, _size: int = 8) -> int:
        return self.written.get(number, (INITIAL.get(number, 0), 0))[0]

    def write_register(self, number: int, value: int, size: int = 8) -> None:
        self.written[number] = value, size

    def context(self) -> OutsideContext:
        return self.user64

    def save(self, context: OutsideContext) -> None:
        """The registers stay where they are."""

    def restore(self, _context: OutsideContext, root: int) -> None:
        self.loaded_root = root

    def load_root(self, root: int) -> None:
        self.loaded_root = root

    def prepare(self) -> None: ...

    def stop(self) -> None: ...

    def flush_tlb(self) -> None: ...

    def flush_code(self) -> None: ...

    def forget_code(self, address: int, size: int) -> None: ...

    def close(self) -> None: ...
