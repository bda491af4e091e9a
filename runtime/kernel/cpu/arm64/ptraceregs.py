"""Registers of AArch64 programs as debuggers and core files have them: <asm/ptrace.h>, all 64 bits wide.

General registers are a struct user_pt_regs, those of floating-point numbers a struct user_fpsimd_state.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from dif.elfnumbers import EM_AARCH64
from runtime.kernel.base.words import signed
from runtime.kernel.cpu.arm64.engine import REG_TPIDR, ArmEngine
from runtime.kernel.cpu.arm64.registers import FLAGS, PC, SP, STEP, X0, X30, Registers
from runtime.kernel.cpu.arm64.sigframe import floating, set_floating
from runtime.kernel.cpu.debugging import NT_PRFPREG, NT_PRSTATUS, RegisterSet

if TYPE_CHECKING:
    from runtime.kernel.cpu.processor import UserThread

NT_ARM_TLS, NT_ARM_HW_BREAK, NT_ARM_HW_WATCH, NT_ARM_SYSTEM_CALL, NT_ARM_PAC_MASK = (
    0x401, 0x402, 0x403, 0x404, 0x406)
GENERAL = struct.Struct("<34Q")  # X0-X30, SP, PC, PSTATE
VECTORS_SIZE = 32 * 16
SIGNED = 0x7F << 48  # the bits of a program's address that a signature takes: those of data, and of code
DEBUG_ARCHITECTURE = 6 << 8  # of registers for breakpoints and watchpoints: ARMv8, and that there are none
DIRECTION = 7  # the register that tells a tracer whether a system call begins (0) or has ended (1)


class ArmDebugging:
    """runtime.kernel.cpu.debugging.Debugging of AArch64 programs."""

    elf, audit = EM_AARCH64, 0xC00000B7
    user_size = 0
    debug_registers: range | None = None

    def __init__(self, engine: Callable[[], ArmEngine]) -> None:
        self._engine = engine
        none = struct.pack("<II", DEBUG_ARCHITECTURE, 0)  # a struct user_hwdebug_state
        self.sets: Sequence[RegisterSet] = (
            RegisterSet(NT_PRSTATUS, b"CORE", 8, self._general, self._set_general),
            RegisterSet(NT_PRFPREG, b"CORE", 4, self._floating, self._set_floating),
            RegisterSet(NT_ARM_TLS, b"LINUX", 8, self._tls, self._set_tls),
            RegisterSet(NT_ARM_HW_BREAK, b"LINUX", 4, lambda _thread: none),
            RegisterSet(NT_ARM_HW_WATCH, b"LINUX", 4, lambda _thread: none),
            RegisterSet(NT_ARM_SYSTEM_CALL, b"LINUX", 4, _call, _set_call),
            RegisterSet(NT_ARM_PAC_MASK, b"LINUX", 8, lambda _thread: struct.pack("<QQ", SIGNED, SIGNED)))

    def set_stepping(self, thread: UserThread, on: bool) -> None:
        thread.load()
        engine = self._engine()
        if on or engine.stepping:
            engine.stepping = engine.regs.steps = on

    def begin_stop(self, thread: UserThread, entering: bool) -> int:
        saved = int(thread.regs[DIRECTION])
        thread.regs[DIRECTION] = int(not entering)
        return saved

    def end_stop(self, thread: UserThread, saved: int) -> None:
        thread.regs[DIRECTION] = saved

    def arguments(self, thread: UserThread) -> list[int]:
        return [int(value) for value in thread.regs[X0:X0 + 6]]

    def result(self, thread: UserThread) -> int:
        return signed(int(thread.regs[X0]), 64)

    def _general(self, thread: UserThread) -> bytes:
        thread.load()
        regs: Registers = thread.regs
        return GENERAL.pack(*regs[X0:X30 + 1], regs[SP], thread.pc, regs.flags | (STEP if regs.steps else 0))

    def _set_general(self, thread: UserThread, data: bytes) -> None:
        thread.load()
        regs: Registers = thread.regs
        *values, pointer, pc, state = GENERAL.unpack(data)
        regs[X0:X30 + 1] = values
        regs[SP], regs[PC], regs.flags = pointer, pc, state & FLAGS

    def _floating(self, thread: UserThread) -> bytes:
        """Return the vectors, FPSR, FPCR and two words that are not used."""
        thread.load()
        data = floating(self._engine())
        return data[8:] + data[:8] + bytes(8)

    def _set_floating(self, thread: UserThread, data: bytes) -> None:
        thread.load()
        set_floating(self._engine(), data[VECTORS_SIZE:VECTORS_SIZE + 8] + data[:VECTORS_SIZE])

    def _tls(self, thread: UserThread) -> bytes:
        thread.load()
        return self._engine().read_register(REG_TPIDR).to_bytes(8, "little")

    def _set_tls(self, thread: UserThread, data: bytes) -> None:
        thread.load()
        self._engine().write_register(REG_TPIDR, int.from_bytes(data, "little"))


def _call(thread: UserThread) -> bytes:
    return struct.pack("<i", signed(thread.syscall, 32))


def _set_call(thread: UserThread, data: bytes) -> None:
    (thread.syscall,) = struct.unpack("<i", data)
