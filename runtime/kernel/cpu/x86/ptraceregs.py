"""Registers of x86 programs as debuggers and core files have them: struct user_regs_struct (<sys/user.h>)."""

from __future__ import annotations

import errno
import struct
from collections.abc import Callable, Sequence

from dif.elfnumbers import EM_386, EM_X86_64
from runtime.kernel.base.words import MASK32, MASK64, signed
from runtime.kernel.cpu.debugging import NT_PRFPREG, NT_PRSTATUS, RegisterSet
from runtime.kernel.cpu.x86 import engine as machine
from runtime.kernel.cpu.x86.illumosregs import CS, DS, ES, FLAGS, FS, FS_BASE, GS, GS_BASE, SPECIAL, SS
from runtime.kernel.cpu.x86.segments import describe, described
from runtime.kernel.cpu.x86.sigframe import RESTORED_FLAGS
from runtime.kernel.cpu.x86.xstate import (
    ALL,
    FXSAVE_SIZE,
    SOFTWARE_AT,
    legacy,
    load,
    load_floating,
    save,
    save_floating,
    with_legacy,
)

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from runtime.kernel.cpu.processor import UserThread
    from runtime.kernel.cpu.x86.engine import Engine

NT_PRXFPREG, NT_386_TLS, NT_X86_XSTATE = 0x46E62B7F, 0x200, 0x202
NUMBER = "number"  # the number of the system call that the thread is in, or -1
ORDER64 = (machine.R15, machine.R14, machine.R13, machine.R12, machine.RBP, machine.RBX, machine.R11,
           machine.R10, machine.R9, machine.R8, machine.RAX, machine.RCX, machine.RDX, machine.RSI,
           machine.RDI, NUMBER, machine.RIP, CS, FLAGS, machine.RSP, SS, FS_BASE, GS_BASE, DS, ES, FS, GS)
ORDER32 = (machine.RBX, machine.RCX, machine.RDX, machine.RSI, machine.RDI, machine.RBP, machine.RAX, DS, ES,
           FS, GS, NUMBER, machine.RIP, CS, FLAGS, machine.RSP, SS)
AREA = 16  # bytes of a struct user_desc
FORM64, FORM32 = struct.Struct("<27Q"), struct.Struct("<17I")
_BASES = (FS_BASE, GS_BASE)


class X86Debugging:
    """runtime.kernel.cpu.debugging.Debugging of programs with addresses of `bits`.

    The general registers are 27 words of 64 bits, or 17 of 32.
    """

    def __init__(self, engine: Callable[[], Engine], bits: int, vectors: bool) -> None:
        wide = bits == 64
        self._engine, self._bits = engine, bits
        self.elf, self.audit = (EM_X86_64, 0xC000003E) if wide else (EM_386, 0x40000003)
        self.user_size = 928 if wide else 285
        self.debug_registers: range | None = range(848, 912) if wide else range(252, 284)
        self._order: tuple[int | str, ...] = ORDER64 if wide else ORDER32
        self._form, self._mask = (FORM64, MASK64) if wide else (FORM32, MASK32)
        floating, word = (self._floating, self._set_floating), bits // 8
        general = RegisterSet(NT_PRSTATUS, b"CORE", word, self._general, self._set_general)
        self.sets: Sequence[RegisterSet] = (
            general, RegisterSet(NT_PRFPREG, b"CORE", word, *floating)) if wide else (
            general, RegisterSet(NT_PRFPREG, b"", word, self._legacy, self._set_legacy),
            RegisterSet(NT_PRXFPREG, b"LINUX", word, *floating),
            RegisterSet(NT_386_TLS, b"LINUX", AREA, self._areas, self._set_areas))
        if vectors:
            self.sets = (*self.sets,
                         RegisterSet(NT_X86_XSTATE, b"LINUX", 8, self._extended, self._set_extended))

    def set_stepping(self, thread: UserThread, on: bool) -> None:
        thread.load()
        engine = self._engine()
        flags = engine.read_register(SPECIAL[FLAGS])
        if bool(flags & machine.TRAP_FLAG) != on:
            engine.write_register(SPECIAL[FLAGS], flags ^ machine.TRAP_FLAG)

    def begin_stop(self, thread: UserThread, entering: bool) -> int:
        if entering:
            thread.regs[machine.RAX] = -errno.ENOSYS & self._mask
        return 0

    def end_stop(self, thread: UserThread, saved: int) -> None:
        """(What a tracer finds remains.)"""

    def arguments(self, thread: UserThread) -> list[int]:
        order = machine.ARGUMENTS64 if self._bits == 64 else machine.ARGUMENTS32
        return [thread.regs[number] & self._mask for number in order]

    def result(self, thread: UserThread) -> int:
        return signed(int(thread.regs[machine.RAX]), self._bits)

    def _general(self, thread: UserThread) -> bytes:
        thread.load()
        return self._form.pack(*(self._read(thread, name) & self._mask for name in self._order))

    def _read(self, thread: UserThread, name: int | str) -> int:
        if isinstance(name, int):
            return thread.pc if name == machine.RIP else int(thread.regs[name])
        if name == NUMBER:
            return thread.syscall
        return self._engine().read_register(SPECIAL[name], 8 if name in (FLAGS, *_BASES) else 2)

    def _set_general(self, thread: UserThread, data: bytes) -> None:
        """Set them all, selectors excepted."""
        thread.load()
        engine = self._engine()
        for name, value in zip(self._order, self._form.unpack(data), strict=True):
            if isinstance(name, int):
                thread.regs[name] = value
            elif name == NUMBER:
                thread.syscall = signed(value, 32)
            elif name == FLAGS:
                engine.write_register(SPECIAL[FLAGS], (value & RESTORED_FLAGS) | machine.INITIAL_FLAGS)
            elif name in _BASES:
                engine.write_register(SPECIAL[name], value)

    def _floating(self, thread: UserThread) -> bytes:
        thread.load()
        return save_floating(self._engine())

    def _set_floating(self, thread: UserThread, data: bytes) -> None:
        thread.load()
        load_floating(self._engine(), data[:FXSAVE_SIZE])

    def _legacy(self, thread: UserThread) -> bytes:
        return legacy(self._floating(thread))

    def _set_legacy(self, thread: UserThread, data: bytes) -> None:
        self._set_floating(thread, with_legacy(self._floating(thread), data))

    def _extended(self, thread: UserThread) -> bytes:
        """Return the registers as `xsave` stores them; software's bytes tell which components there are."""
        thread.load()
        image = save(self._engine())
        return image[:SOFTWARE_AT] + struct.pack("<Q", ALL) + image[SOFTWARE_AT + 8:]

    def _set_extended(self, thread: UserThread, data: bytes) -> None:
        thread.load()
        load(self._engine(), data)

    @staticmethod
    def _areas(thread: UserThread) -> bytes:
        """Return the segments of thread-local storage."""
        return b"".join(describe(thread.thread_areas, index) for index in range(machine.TLS_COUNT))

    def _set_areas(self, thread: UserThread, data: bytes) -> None:
        thread.thread_areas[:] = described(data)
        thread.load()
        self._engine().load_thread_areas(thread.thread_areas)
