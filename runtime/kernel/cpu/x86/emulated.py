"""Instructions that the kernel executes, as the engine does not do right what processors do.

The translator is told to raise an exception instead (see `decoding`).  No compiler writes these instructions.
What they do is told by the AMD64 manual, volume 3.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import TYPE_CHECKING

from dif.arithmetic import MASK
from runtime.kernel.base.errors import MemoryFault
from runtime.kernel.base.words import MASK32
from runtime.kernel.cpu.emulator import ERROR_PRESENT, ERROR_USER, ERROR_WRITE
from runtime.kernel.cpu.x86 import engine as machine
from runtime.kernel.cpu.x86 import faults, xstate
from runtime.kernel.cpu.x86.engine import (
    ADJUST,
    ARITHMETIC,
    CARRY,
    OVERFLOW,
    PARITY,
    RAX,
    RBP,
    RCX,
    RDI,
    RDX,
    RIP,
    RSP,
    SIGN,
    ZERO,
)
from runtime.kernel.cpu.x86.identification import XCR0
from runtime.kernel.memory.addrspace import PRESENT

if TYPE_CHECKING:
    from capstone import CsInsn

    from runtime.kernel.cpu.processor import UserThread
    from runtime.kernel.cpu.x86.engine import Engine

LEVELS = 31  # of procedures, at most


class _Fault(Exception):
    """The instruction faults: `event` as of the engine."""

    def __init__(self, event: int) -> None:
        super().__init__()
        self.event = event


def emulate(engine: Engine, thread: UserThread, event: int) -> int | None:
    """Execute the instruction at the program counter, if it is one of these.

    Returns None when that is done, otherwise the event that the program is to be told of.
    """
    if event == machine.PROTECTION and engine.fault_error:
        return event  # the engine has executed it
    found = faults.instruction(thread)
    if event == machine.PROTECTION and not engine.vectors and found is not None and _has_vex(found):
        return machine.INVALID
    execute = INSTRUCTIONS.get(found.mnemonic.split()[-1]) if found is not None else None
    if found is None or execute is None or found.prefix[0] == LOCK:
        return event
    try:
        execute(engine, thread, found)
    except _Fault as fault:
        if fault.event != machine.PAGE_FAULT:
            engine.fault_error = 0
        return fault.event
    thread.regs[RIP] += found.size
    return None


def _enter(engine: Engine, thread: UserThread, found: CsInsn) -> None:
    """Make a stack frame; in the end the processor looks whether something can be stored at its top."""
    wide = thread.process.bits == 64
    mask = MASK if wide else (1 << 32) - 1
    size = 8 if wide and (found.rex & REX_W or not found.prefix[2]) else 2 if found.prefix[2] else 4
    room, level = found.operands[0].imm & 0xFFFF, found.operands[1].imm & LEVELS
    stack, frame = int(thread.regs[RSP]) & mask, int(thread.regs[RBP]) & mask
    top = stack - size & mask

    def push(value: int) -> None:
        nonlocal stack
        stack = stack - size & mask
        _write(engine, thread, stack, (value & (1 << 8 * size) - 1).to_bytes(size, "little"))

    push(frame)
    for number in range(1, level):
        push(_read(engine, thread, frame - number * size & mask, size))
    if level:
        push(top)
    end = stack - room & mask
    _write(engine, thread, end, b"")
    thread.regs[RSP] = end
    thread.regs[RBP] = frame & ~0xFFFF | top & 0xFFFF if size == 2 else top


def _return(engine: Engine, thread: UserThread, found: CsInsn) -> None:
    """`ret` that drops 32768 bytes of arguments or more."""
    wide = thread.process.bits == 64
    size = 8 if wide else 2 if found.prefix[2] else 4
    mask = MASK if wide else MASK32
    stack = int(thread.regs[RSP]) & mask
    target = _read(engine, thread, stack, size)
    if machine.senseless(target):
        raise _Fault(machine.PROTECTION)
    thread.regs[RSP] = stack + size + (found.operands[0].imm & 0xFFFF) & mask
    thread.regs[RIP] = target - found.size  # which is added


def _compare_exchange(engine: Engine, thread: UserThread, found: CsInsn) -> None:
    """`cmpxchg` of two registers: the one that keeps its value keeps the upper half, too."""
    from runtime.kernel.cpu.x86.operands import NUMBERS

    size = found.operands[0].size
    into, source = (NUMBERS[found.reg_name(each.reg) or ""] for each in found.operands[:2])
    mask, regs = (1 << 8 * size) - 1, thread.regs
    old, expected = regs[into] & mask, regs[RAX] & mask
    if old == expected:
        regs[into] = _merged(regs[into], regs[source] & mask, size)
    else:
        regs[RAX] = _merged(regs[RAX], old, size)
    flags = engine.read_register(machine.REG_RFLAGS) & ~ARITHMETIC
    engine.write_register(machine.REG_RFLAGS, flags | _compared(expected, old, size))


def _merged(register: int, value: int, size: int) -> int:
    """Return a register into which a value of `size` bytes has been written."""
    return register & ~0xFFFF | value if size == 2 else value


def _compared(left: int, right: int, size: int) -> int:
    """Return the flags of a comparison."""
    bits = 8 * size
    result = left - right & (1 << bits) - 1
    flags = CARRY if left < right else 0
    flags |= 0 if (result & 0xFF).bit_count() % 2 else PARITY
    flags |= (left ^ right ^ result) & ADJUST
    flags |= 0 if result else ZERO
    flags |= SIGN if result >> bits - 1 else 0
    return flags | (OVERFLOW if ((left ^ right) & (left ^ result)) >> bits - 1 else 0)


def _read(engine: Engine, thread: UserThread, address: int, size: int) -> int:
    try:
        return int.from_bytes(thread.read(address, size), "little")
    except MemoryFault as fault:
        raise _fault(engine, fault.address, 0) from None


def _write(engine: Engine, thread: UserThread, address: int, data: bytes) -> None:
    """Store bytes; without any, look whether one could be stored."""
    try:
        thread.write(address, data or thread.read(address, 1))
    except MemoryFault as fault:
        raise _fault(engine, fault.address, ERROR_WRITE) from None


def _fault(engine: Engine, address: int, kind: int) -> _Fault:
    if machine.senseless(address):
        return _Fault(faults.STACK)
    present = ERROR_PRESENT if engine.walk(address) & PRESENT else 0
    engine.fault_address, engine.fault_error = address, ERROR_USER | kind | present
    return _Fault(machine.PAGE_FAULT)


def _read_components(engine: Engine, thread: UserThread, _found: CsInsn) -> None:
    """`xgetbv`: which components of the state are in use."""
    if not engine.vectors:
        raise _Fault(machine.INVALID)
    if thread.regs[RCX] & MASK32:
        raise _Fault(machine.PROTECTION)
    thread.regs[RAX], thread.regs[RDX] = XCR0, 0


def _state(engine: Engine, thread: UserThread, found: CsInsn) -> tuple[int, int]:
    """Return which components `xsave` and `xrstor` are to move, and the address of the memory."""
    from runtime.kernel.cpu.x86.operands import used

    if not engine.vectors:
        raise _Fault(machine.INVALID)
    bases = engine.read_register(machine.REG_FS_BASE), engine.read_register(machine.REG_GS_BASE)
    address, _size = used(found, thread.process.bits == 64, thread.regs, bases)[0]
    if address % xstate.HEADER_SIZE:
        raise _Fault(machine.PROTECTION)
    return thread.regs[RAX] & xstate.ALL, address


def _save_state(engine: Engine, thread: UserThread, found: CsInsn) -> None:
    wanted, address = _state(engine, thread, found)
    image, header = xstate.save(engine), address + xstate.FXSAVE_SIZE
    in_use = int.from_bytes(image[xstate.FXSAVE_SIZE:xstate.FXSAVE_SIZE + 8], "little")
    before = _read(engine, thread, header, 8)
    for components, start, end in xstate.PARTS:
        if wanted & components:
            _write(engine, thread, address + start, image[start:end])
    _write(engine, thread, header, (before & ~wanted | in_use & wanted).to_bytes(8, "little"))


def _restore_state(engine: Engine, thread: UserThread, found: CsInsn) -> None:
    wanted, address = _state(engine, thread, found)
    size = xstate.XSAVE_SIZE if wanted & xstate.AVX else xstate.UPPER_AT
    image = _read(engine, thread, address, size).to_bytes(size, "little")
    in_use = int.from_bytes(image[xstate.FXSAVE_SIZE:xstate.FXSAVE_SIZE + 8], "little")
    (mxcsr,) = struct.unpack_from("<I", image, xstate.MXCSR_AT)
    header = image[xstate.FXSAVE_SIZE + 8:xstate.FXSAVE_SIZE + 24]
    if in_use & ~xstate.ALL or any(header) or (wanted & ~xstate.FLOATING and mxcsr >> 16):
        raise _Fault(machine.PROTECTION)
    xstate.load(engine, image.ljust(xstate.XSAVE_SIZE, b"\0"), wanted)


def _store_masked(engine: Engine, thread: UserThread, found: CsInsn) -> None:
    """`vmaskmovdqu`: store those bytes whose mask has its highest bit, at rdi."""
    if not engine.vectors:
        raise _Fault(machine.INVALID)
    source, mask = (engine.read_register(machine.REG_XMM0 + int((found.reg_name(each.reg) or "xmm0")[3:]), 16)
                    .to_bytes(16, "little") for each in found.operands[-2:])
    segment = {0x64: machine.REG_FS_BASE, 0x65: machine.REG_GS_BASE}.get(found.prefix[1])
    width = (1 << 8 * found.addr_size) - 1
    start = (thread.regs[RDI] & width) + (engine.read_register(segment) if segment is not None else 0)
    chosen = [number for number in range(16) if mask[number] & 0x80]
    for number in chosen:
        _write(engine, thread, start + number & MASK, b"")
    for number in chosen:
        _write(engine, thread, start + number & MASK, source[number:number + 1])


def _has_vex(found: CsInsn) -> bool:
    return next((byte for byte in found.bytes if byte not in PREFIXES), 0) in VEX


PREFIXES = frozenset(b"\x66\x67\xf2\xf3\xf0\x2e\x36\x3e\x26\x64\x65")
VEX = (0xC4, 0xC5)
LOCK, REX_W = 0xF0, 8
INSTRUCTIONS: dict[str, Callable[[Engine, UserThread, CsInsn], None]] = {
    "enter": _enter, "ret": _return, "cmpxchg": _compare_exchange, "xgetbv": _read_components,
    "xsave": _save_state, "xsave64": _save_state, "xrstor": _restore_state, "xrstor64": _restore_state,
    "vmaskmovdqu": _store_masked}
