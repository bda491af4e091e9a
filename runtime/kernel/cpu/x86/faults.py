"""What an exception of the x86 processor is to a program: signal, code, trap and error number, address.

The engine raises exceptions as the processor does, but for some details, which are made good here.  Which
exception becomes which signal is what Linux does (arch/x86/kernel/traps.c, fault.c).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from runtime.kernel.base.errors import MemoryFault
from runtime.kernel.base.signals import (
    SI_KERNEL,
    SIGBUS,
    SIGFPE,
    SIGILL,
    SIGSEGV,
    SIGTRAP,
    SignalInfo,
)
from runtime.kernel.cpu.emulator import ERROR_FETCH, ERROR_PRESENT, ERROR_USER, ERROR_WRITE
from runtime.kernel.cpu.events import (
    BUS_ADRALN,
    FLTACCESS,
    FLTBOUNDS,
    FLTBPT,
    FLTFPE,
    FLTILL,
    FLTIZDIV,
    FLTTRACE,
    FPE_INTDIV,
    ILL_ILLOPN,
    TRAP_BRKPT,
    TRAP_TRACE,
    Fault,
    bad_access,
)
from runtime.kernel.cpu.x86 import engine as machine
from runtime.kernel.cpu.x86.decoding import JUMPED
from runtime.kernel.cpu.x86.engine import ARITHMETIC, RIP, senseless
from runtime.kernel.memory.physical import PAGE

if TYPE_CHECKING:
    from capstone import CsInsn

    from runtime.kernel.cpu.processor import UserThread
    from runtime.kernel.cpu.x86.engine import Engine

LONGEST = 15  # bytes of an instruction
OVERFLOW, STACK, X87, ALIGNMENT, SSE = 4, 12, 16, 17, 19  # exceptions
USER_END = (1 << 47) - 4096  # addresses from here on are the kernel's, or mean nothing
ADDRESS_SIZE = 8  # in 64-bit code
CALLS = {"call": ADDRESS_SIZE, "lcall": 2 * ADDRESS_SIZE}  # bytes that they store
INTERRUPT = 0xCD  # int, with a number
INTERRUPT_SIZE = 2
INTERRUPT_6 = bytes((INTERRUPT, machine.INVALID))  # the engine stays at this one
INT1 = b"\xf1"  # int1, which LLVM does not assemble
SELECTED = (10, 11, STACK, machine.PROTECTION)  # exceptions whose error code is a selector
FROM_TABLE = 2  # in an error code: it names an entry of the interrupt table
CHANGES = frozenset(("cmpxchg", "cmpxchg8b", "cmpxchg16b", "xadd", "xchg", "rol", "ror", "rcl", "rcr", "shl",
                     "shr", "sar"))
ACCESSES = (STACK, machine.PROTECTION, machine.PAGE_FAULT, ALIGNMENT)  # exceptions of accesses to memory
REPEATS, COMPARES_STRINGS = ("repe ", "repne "), ("cmps", "scas")  # beginnings of mnemonics
STATES = {"fnstenv": 28, "fldenv": 28, "fnsave": 108, "frstor": 108}  # bytes of them all
STATE_LOADS, SHORTER = ("fldenv", "frstor"), 14  # less with an operand of 16 bits
MASKED_STORES, MASKED_LONG = ("vmaskmovp", "vpmaskmov"), ("vmaskmovpd", "vpmaskmovq")
STORES_FLOATING = ("fst", "fstp", "fist", "fistp", "fisttp", "fbstp")
FIRST_FREE = 32  # interrupts from here on are no exceptions
# what an exception is: signal, its code, fault number, whether the signal tells the instruction's address
EXCEPTIONS = {
    machine.DIVIDE: (SIGFPE, FPE_INTDIV, FLTIZDIV, True),
    machine.INVALID: (SIGILL, ILL_ILLOPN, FLTILL, True),
    machine.BREAKPOINT: (SIGTRAP, SI_KERNEL, FLTBPT, False),
    machine.DEBUG: (SIGTRAP, TRAP_TRACE, FLTTRACE, True),
    STACK: (SIGBUS, SI_KERNEL, FLTBOUNDS, False),
    ALIGNMENT: (SIGBUS, BUS_ADRALN, FLTACCESS, False)}
OTHER = SIGSEGV, SI_KERNEL, FLTBOUNDS, False
# flags of floating-point exceptions, as both status registers have them, and the code of the signal
FLOATING = ((1, 7), (4, 3), (8, 4), (0x12, 5), (0x20, 6))


def fault(engine: Engine, thread: UserThread, event: int) -> Fault:
    """Return what an exception is to the program."""
    fetched = event == machine.PAGE_FAULT and engine.fault_error & ERROR_FETCH  # the instruction itself
    if event in ACCESSES and not fetched:
        _undo(engine, thread)
    if event == machine.PAGE_FAULT and engine.fault_error & ERROR_USER:  # else it is `int` with that number
        return _page_fault(engine, thread)
    error = 0
    if event in SELECTED and engine.fault_error:
        error = engine.fault_error
        if error == JUMPED:
            _undo_jump(thread)
            error = 0
    elif event >= FIRST_FREE or _is_interrupt(thread, event):
        error, event = event << 3 | FROM_TABLE, machine.PROTECTION
        thread.regs[RIP] -= INTERRUPT_SIZE
    elif event == machine.INVALID and _bytes(thread, thread.pc, INTERRUPT_SIZE) == INTERRUPT_6:
        error, event = event << 3 | FROM_TABLE, machine.PROTECTION
    if event == machine.BREAKPOINT and _before(thread, 1) == INT1:
        info = SignalInfo(SIGTRAP, TRAP_BRKPT, "fault", address=thread.regs[RIP], trap=machine.DEBUG)
        return Fault(info, FLTTRACE)
    if event in (X87, SSE):
        return _floating(engine, thread, event)
    if event == machine.PROTECTION and not error and _through_stack(thread):
        event = STACK
    signal, code, number, told = EXCEPTIONS.get(event, OTHER)
    address = thread.regs[RIP] if told else 0
    return Fault(SignalInfo(signal, code, "fault", address=address, trap=max(event, 0), error=error), number)


def _undo(engine: Engine, thread: UserThread) -> None:
    """Undo what the engine has done of an instruction that accesses memory, and could not.

    Flags are those from before a comparison of strings that repeats, and x87's status from before a store.
    """
    found = instruction(thread)
    if found is None:
        return
    if found.mnemonic.startswith(REPEATS) and found.mnemonic.split()[-1].startswith(COMPARES_STRINGS):
        before = engine.flags_before()
        if before is not None:
            flags = engine.read_register(machine.REG_RFLAGS) & ~ARITHMETIC
            engine.write_register(machine.REG_RFLAGS, flags | before & ARITHMETIC)
    elif found.mnemonic in STORES_FLOATING:
        engine.restore_x87()


def _undo_jump(thread: UserThread) -> None:
    """Undo what a jump to an address without a meaning has done to the stack pointer.

    What `call` has stored below the stack pointer stays there.
    """
    found = instruction(thread)
    if found is None:
        return
    name = found.mnemonic.split()[-1]
    if name in CALLS:
        thread.regs[machine.RSP] += CALLS[name]
    elif name == "ret":
        thread.regs[machine.RSP] -= ADDRESS_SIZE + (found.operands[0].imm & 0xFFFF if found.operands else 0)


def _page_fault(engine: Engine, thread: UserThread) -> Fault:
    address, error = engine.fault_address, engine.fault_error
    found = None if error & ERROR_FETCH else instruction(thread)
    if found is not None:
        if found.mnemonic in STATE_LOADS:
            error &= ~ERROR_WRITE
        address = _first_looked_at(engine, thread, found, address)
    if address >= USER_END:
        error |= ERROR_PRESENT  # the kernel does not tell what it has there
    if not error & (ERROR_WRITE | ERROR_FETCH) and found is not None and _writes(thread, found, address):
        error |= ERROR_WRITE  # the engine reads first what the instruction changes
    signal, code, number = bad_access(thread.process.space, address, bool(error & ERROR_WRITE))
    info = SignalInfo(signal, code, "fault", address=address, trap=machine.PAGE_FAULT, error=error)
    return Fault(info, number)


def _floating(engine: Engine, thread: UserThread, event: int) -> Fault:
    if event == SSE:
        status = engine.read_register(machine.REG_MXCSR, 4)
        masked = status >> 7
    else:
        status, masked = (engine.read_register(number, 2) for number in (machine.REG_FPSW, machine.REG_FPCW))
    code = next((code for flags, code in FLOATING if status & ~masked & flags), 0)
    return Fault(SignalInfo(SIGFPE, code, "fault", address=thread.regs[RIP], trap=event), FLTFPE)


def instruction(thread: UserThread) -> CsInsn | None:
    """Return the instruction at the program counter, with its details; None if there is none."""
    import capstone

    address = thread.pc
    try:
        code = _text(thread, address)
    except MemoryFault:
        return None
    decoder = capstone.Cs(capstone.CS_ARCH_X86,
                          capstone.CS_MODE_64 if thread.process.bits == 64 else capstone.CS_MODE_32)
    decoder.detail = True
    return next(decoder.disasm(code, address, 1), None)


def _text(thread: UserThread, address: int) -> bytes:
    """Return the longest instruction that may begin there; less at the end of what is mapped."""
    try:
        return thread.read_text(address, LONGEST)
    except MemoryFault:
        return thread.read_text(address, min(-address & 4095 or LONGEST, LONGEST))


def _is_interrupt(thread: UserThread, event: int) -> bool:
    """Whether it was `int` with that number, and not the exception itself."""
    if event in (machine.BREAKPOINT, OVERFLOW) or event < 0:
        return False
    return _before(thread, INTERRUPT_SIZE) == bytes((INTERRUPT, event))


def _before(thread: UserThread, size: int) -> bytes:
    """Return the bytes before the program counter; none where there are none."""
    return _bytes(thread, thread.pc - size, size)


def _bytes(thread: UserThread, address: int, size: int) -> bytes:
    try:
        return thread.read_text(address, size)
    except MemoryFault:
        return b""


def _first_looked_at(engine: Engine, thread: UserThread, found: CsInsn, address: int) -> int:
    """Return which address a page fault is about: some instructions look early at the end of their operand.

    They are those that move x87's whole state, and stores of vectors by a mask across a page's end.
    """
    from runtime.kernel.cpu.x86.operands import used

    size = STATES.get(found.mnemonic)
    if size is None and not found.mnemonic.startswith(MASKED_STORES):
        return address
    bases = (engine.read_register(machine.REG_FS_BASE), engine.read_register(machine.REG_GS_BASE))
    start, _ = used(found, thread.process.bits == 64, thread.regs, bases)[0]  # each has one in memory
    if size is not None:
        short = bool(found.prefix[2])
        end = start + size - SHORTER * short - 1
        first = start + (2 if short else 4)  # the end of the first word, which is looked at before that
        return address if address < first else end
    lanes = _chosen(engine, found)
    if not lanes or address % PAGE or not start + lanes[0] < address <= start + lanes[-1]:
        return address
    return start + lanes[-1]


def _chosen(engine: Engine, found: CsInsn) -> list[int]:
    """Return the numbers of the bytes that a store of vectors by a mask stores."""
    import capstone

    if found.operands[0].type != capstone.x86.X86_OP_MEM:
        return []
    name = found.reg_name(found.operands[1].reg) or ""
    number, size = int(name[3:]), 8 if found.mnemonic in MASKED_LONG else 4
    mask = engine.read_register(machine.REG_XMM0 + number, 16).to_bytes(16, "little")
    if name.startswith("ymm"):
        mask += engine.upper_halves()[16 * number:16 * number + 16]
    return [at for at in range(len(mask)) if mask[at // size * size + size - 1] & 0x80]


def _writes(thread: UserThread, found: CsInsn, address: int) -> bool:
    """Whether the instruction at the program counter changes its operand at `address`."""
    import capstone

    if found.mnemonic in STATE_LOADS:
        return False
    operands = [each for each in found.operands if each.type == capstone.x86.X86_OP_MEM]
    if len(operands) == 2 and (address != thread.regs[machine.RDI] or address == thread.regs[machine.RSI]):
        return False  # a string instruction reads there, and reads first
    if found.mnemonic.split()[-1] in CHANGES:  # capstone does not say so of all their forms
        return True
    return any(each.access & capstone.CS_AC_WRITE for each in operands)


def _through_stack(thread: UserThread) -> bool:
    """Whether the instruction used an address without a meaning through the stack segment."""
    if thread.process.bits == 32:
        return False
    found = instruction(thread)
    if found is None:
        return False
    import capstone

    from runtime.kernel.cpu.x86.operands import used

    for each in found.operands:
        if each.type == capstone.x86.X86_OP_MEM and not each.mem.segment:
            base, index = ((found.reg_name(number) or "") if number else ""
                           for number in (each.mem.base, each.mem.index))
            if base in ("rsp", "rbp"):
                if index[1:3] == "mm":
                    return True  # one of the addresses has no meaning: nothing else would be wrong
                return any(senseless(address) for address, _ in used(found, True, thread.regs, (0, 0)))
    return capstone.x86.X86_REG_RSP in found.regs_read and senseless(thread.regs[machine.RSP])
