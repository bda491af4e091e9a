"""What an exception of the AArch64 processor is to a program: signal, code, address, ESR of its context.

As in Linux (arch/arm64/mm/fault.c, kernel/traps.c, kernel/debug-monitors.c); the syndrome's fields are those
of ESR_EL1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from runtime.kernel.base.signals import SIGBUS, SIGILL, SIGTRAP, SignalInfo
from runtime.kernel.cpu.arm64.accesses import accessed, instruction, maintains_cache, operand_address
from runtime.kernel.cpu.arm64.engine import (
    BREAKPOINT,
    DATA_ABORT,
    MACHINE_PAGE,
    SIZE,
    STACK_ALIGNMENT,
    STEPPED,
    UNDEFINED,
    ArmEngine,
)
from runtime.kernel.cpu.arm64.registers import PC, SP
from runtime.kernel.cpu.emulator import ERROR_FETCH, ERROR_PRESENT, ERROR_WRITE
from runtime.kernel.cpu.events import (
    BUS_ADRALN,
    FLTACCESS,
    FLTBPT,
    FLTILL,
    FLTTRACE,
    ILL_ILLOPC,
    TRAP_BRKPT,
    TRAP_TRACE,
    Fault,
    bad_access,
)
from runtime.kernel.cpu.translation import PAGE_FAULT
from runtime.kernel.memory.physical import PAGE

if TYPE_CHECKING:
    from runtime.kernel.cpu.processor import UserThread

CLASS_SHIFT, LONG = 26, 1 << 25  # of ESR: the exception's class; an instruction of 32 bits
FETCH, PC_ALIGNMENT, DATA, SP_ALIGNMENT = 0x20, 0x22, 0x24, 0x26
WRITES, MAINTENANCE = 1 << 6, 1 << 8
TRANSLATION, PERMISSION, ALIGNMENT = 4, 0xF, 0x21  # status codes: at the first level; at the last; alignment
ABORTS = frozenset((FETCH, DATA))  # classes whose address the context of a handler has


def fault(engine: ArmEngine, thread: UserThread, event: int) -> Fault:
    """Return what an exception is to the program."""
    pc = int(thread.regs[PC])
    if event == STEPPED:
        return Fault(SignalInfo(SIGTRAP, TRAP_TRACE, "fault", address=thread.pc), FLTTRACE)
    if pc % SIZE:
        return _bus(pc, PC_ALIGNMENT << CLASS_SHIFT | LONG)
    if pc & -PAGE == MACHINE_PAGE:
        engine.fault_error = ERROR_FETCH
        event = PAGE_FAULT
    if event == PAGE_FAULT:
        return _page_fault(engine, thread, pc)
    if event == STACK_ALIGNMENT:
        return _bus(int(thread.regs[SP]), SP_ALIGNMENT << CLASS_SHIFT | LONG)
    if event == DATA_ABORT:
        return _unaligned(thread)
    if event == BREAKPOINT:
        return Fault(SignalInfo(SIGTRAP, TRAP_BRKPT, "fault", address=pc), FLTBPT)
    return Fault(SignalInfo(SIGILL, ILL_ILLOPC, "fault", address=pc, trap=UNDEFINED), FLTILL)


def _bus(address: int, syndrome: int) -> Fault:
    return Fault(SignalInfo(SIGBUS, BUS_ADRALN, "fault", address=address, error=syndrome), FLTACCESS)


def _unaligned(thread: UserThread) -> Fault:
    found = instruction(thread)
    address = operand_address(thread.regs, found) if found is not None else None
    writes = WRITES if found is not None and found.mnemonic.startswith("st") else 0
    return _bus(address or 0, DATA << CLASS_SHIFT | LONG | writes | ALIGNMENT)


def _page_fault(engine: ArmEngine, thread: UserThread, pc: int) -> Fault:
    error = engine.fault_error
    found = None if error & ERROR_FETCH else instruction(thread)
    address = pc if error & ERROR_FETCH else accessed(thread.regs, found, engine.fault_address)
    signal, code, number = bad_access(thread.process.space, address, bool(error & ERROR_WRITE))
    syndrome = (FETCH if error & ERROR_FETCH else DATA) << CLASS_SHIFT | LONG
    syndrome |= WRITES if error & ERROR_WRITE else 0
    if found is not None and maintains_cache(found):
        syndrome |= MAINTENANCE | WRITES
    missing = 0 if address >> 48 else engine.missing(address)
    syndrome |= PERMISSION if error & ERROR_PRESENT else TRANSLATION + missing
    return Fault(SignalInfo(signal, code, "fault", address=address, trap=PAGE_FAULT & 0xFF, error=syndrome),
                 number)
