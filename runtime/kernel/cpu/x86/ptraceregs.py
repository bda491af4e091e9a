"""Registers of x86 programs as debuggers and core files have them: struct user_regs_struct (<sys/user.h>)."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from runtime.kernel.base.words import MASK32, MASK64, signed
from runtime.kernel.cpu.x86 import engine as machine
from runtime.kernel.cpu.x86.illumosregs import CS, DS, ES, FLAGS, FS, FS_BASE, GS, GS_BASE, SPECIAL, SS
from runtime.kernel.cpu.x86.sigframe import RESTORED_FLAGS

if TYPE_CHECKING:
    from runtime.kernel.cpu.processor import UserThread
    from runtime.kernel.cpu.x86.engine import Engine

NUMBER = "number"  # the number of the system call that the thread is in, or -1
ORDER64 = (machine.R15, machine.R14, machine.R13, machine.R12, machine.RBP, machine.RBX, machine.R11,
           machine.R10, machine.R9, machine.R8, machine.RAX, machine.RCX, machine.RDX, machine.RSI,
           machine.RDI, NUMBER, machine.RIP, CS, FLAGS, machine.RSP, SS, FS_BASE, GS_BASE, DS, ES, FS, GS)
ORDER32 = (machine.RBX, machine.RCX, machine.RDX, machine.RSI, machine.RDI, machine.RBP, machine.RAX, DS, ES,
           FS, GS, NUMBER, machine.RIP, CS, FLAGS, machine.RSP, SS)
FORM64, FORM32 = struct.Struct("<27Q"), struct.Struct("<17I")
_BASES = (FS_BASE, GS_BASE)


def arguments(thread: UserThread) -> list[int]:
    """Return the six registers with the arguments of the system call that a thread makes."""
    wide = thread.process.bits == 64
    order, mask = (machine.ARGUMENTS64, MASK64) if wide else (machine.ARGUMENTS32, MASK32)
    return [thread.regs[number] & mask for number in order]


def result(thread: UserThread) -> int:
    """Return what a system call has returned: a value or -errno."""
    sign = 1 << (thread.process.bits - 1)
    return int((thread.regs[machine.RAX] & (2 * sign - 1) ^ sign) - sign)


def set_stepping(engine: Engine, thread: UserThread, on: bool) -> None:
    """Have the processor trap after each instruction of a thread, or no longer."""
    thread.load()
    flags = engine.read_register(SPECIAL[FLAGS])
    if bool(flags & machine.TRAP_FLAG) != on:
        engine.write_register(SPECIAL[FLAGS], flags ^ machine.TRAP_FLAG)


def form(thread: UserThread) -> struct.Struct:
    """Return the layout of the structure: 27 words of 64 bits, or 17 of 32."""
    return FORM64 if thread.process.bits == 64 else FORM32


def general(engine: Engine, thread: UserThread) -> bytes:
    """Load a thread, and return its general registers as that structure."""
    thread.load()
    order, mask = (ORDER64, MASK64) if thread.process.bits == 64 else (ORDER32, MASK32)
    return form(thread).pack(*(_read(engine, thread, name) & mask for name in order))


def _read(engine: Engine, thread: UserThread, name: int | str) -> int:
    if isinstance(name, int):
        return thread.pc if name == machine.RIP else int(thread.regs[name])
    if name == NUMBER:
        return thread.syscall
    return engine.read_register(SPECIAL[name], 8 if name in (FLAGS, *_BASES) else 2)


def set_general(engine: Engine, thread: UserThread, data: bytes) -> None:
    """Load a thread, and set its general registers from that structure, selectors excepted."""
    thread.load()
    wide = thread.process.bits == 64
    for name, value in zip(ORDER64 if wide else ORDER32, form(thread).unpack(data), strict=True):
        if isinstance(name, int):
            thread.regs[name] = value
        elif name == NUMBER:
            thread.syscall = signed(value, 32)
        elif name == FLAGS:
            engine.write_register(SPECIAL[FLAGS], (value & RESTORED_FLAGS) | machine.INITIAL_FLAGS)
        elif name in _BASES:
            engine.write_register(SPECIAL[name], value)
