"""The registers of a SPARC processor, in the engine or as they were saved.

Sources: The SPARC Architecture Manual, version 8 (chapters 4 and 7) and version 9 (chapters 5 and 6).
How the engine keeps them is `struct CPUSPARCState` of QEMU's target/sparc/cpu.h, in the host's byte
order; it computes condition codes when they are needed, from the last operation and its operands.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from itertools import pairwise
from typing import Protocol

from runtime.kernel.base.errors import MemoryFault

G1, G7, O0, O1, O6, O7, L0, I0, I6, I7 = 1, 7, 8, 9, 14, 15, 16, 24, 30, 31
SP, FP = O6, I6
CARRY, OVERFLOW, ZERO, NEGATIVE = 1, 2, 4, 8  # of icc, and of xcc on V9
WINDOWS = 8  # of the processors that are played; one of them is always free
WINDOW = 16  # registers of a window that are its own: locals and ins
BIAS = {32: 0, 64: 2047}  # bytes by which %sp points below the stack: V9 ABI
ICC_SHIFT, FCC_SHIFTS = 20, (10, 32, 34, 36)

_FLAGS, _DIVIDE, _ADD, _ADDX, _TADD, _TADDTV, _SUB, _SUBX, _TSUB, _TSUBTV, _LOGIC = range(1, 12)
_TAGGED = {_TADD, _TSUB}
_TRAPPING = {_TADDTV, _TSUBTV}  # they trap rather than overflow

_U8, _U32, _U64, _INT = ctypes.c_uint8, ctypes.c_uint32, ctypes.c_uint64, ctypes.c_int32


class State8(ctypes.Structure):
    """V8."""

    _fields_ = [
        ("globals", _U32 * 8), ("window", ctypes.c_void_p), ("pc", _U32), ("npc", _U32), ("y", _U32),
        ("source", _U32), ("source2", _U32), ("result", _U32), ("operation", _U32), ("condition", _U32),
        ("psr", _U32), ("fsr", _U32), ("floats", _U64 * 16), ("cwp", _U32), ("wim", _U32), ("tbr", _U32),
        ("supervisor", _INT), ("previous", _INT), ("traps", _INT), ("level", _U32), ("pending", _U32),
        ("fpu", _INT), ("interrupt", _INT), ("windows", _U32 * (32 * WINDOW + 8)),
        ("version", _U32), ("window_count", _U32)]


class State9(ctypes.Structure):
    """V9."""

    _fields_ = [
        ("globals", _U64 * 8), ("window", ctypes.c_void_p), ("pc", _U64), ("npc", _U64), ("y", _U64),
        ("source", _U64), ("source2", _U64), ("result", _U64), ("operation", _U32), ("condition", _U64),
        ("psr", _U32), ("fsr", _U64), ("floats", _U64 * 32), ("cwp", _U32), ("tbr", _U64),
        ("level", _U32), ("pending", _U32), ("interrupt", _INT), ("windows", _U64 * (32 * WINDOW + 8)),
        ("version", _U64), ("window_count", _U32), ("lsu", _U64), ("mmus", _U64 * (2 * 16 + 2 * 64 * 2)),
        ("mmu_version", _U32), ("quads", _U64 * 4), ("rounding", _U8 * 8), ("trap_states", _U64 * (4 * 8)),
        ("xcc", _U32), ("asi", _U32), ("pstate", _U32), ("trap_level", _U32), ("max_trap_level", _U32),
        ("cansave", _U32), ("canrestore", _U32), ("otherwin", _U32), ("wstate", _U32), ("cleanwin", _U32),
        ("alternates", _U64 * (4 * 8 + 8 * 8)), ("fprs", _U64)]


State = State8 | State9


class Memory(Protocol):
    """The memory to which windows are spilled."""

    def read(self, address: int, size: int) -> bytes: ...

    def write(self, address: int, data: bytes) -> None: ...


class Registers:
    """The registers that instructions and traps work on; `state` is the structure that holds them.

    `pc` is the address of the instruction, `npc` that of what comes after it.  Registers are numbered
    %g0-7, %o0-7, %l0-7, %i0-7 in the current window; values are unsigned.  `memory` is that of the
    process, in which %sp of every window keeps room for the window's own registers.
    """

    def __init__(self, state: State) -> None:
        self.state = state
        self.bits = 64 if isinstance(state, State9) else 32
        self.mask = (1 << self.bits) - 1
        self.memory: Memory | None = None
        self.left = False  # a tracer shows %pc of an instruction that has left its function
        self.call = 0, 0, 0  # %pc, %npc and %o0 of the last system call

    @property
    def pc(self) -> int:
        return int(self.state.pc)

    @pc.setter
    def pc(self, value: int) -> None:
        self.state.pc = value

    @property
    def npc(self) -> int:
        return int(self.state.npc)

    @npc.setter
    def npc(self, value: int) -> None:
        self.state.npc = value

    def copy(self) -> bytes:
        """Return a copy of all registers, for `put_back`."""
        return ctypes.string_at(ctypes.addressof(self.state), ctypes.sizeof(self.state))

    def put_back(self, copy: bytes) -> None:
        ctypes.memmove(ctypes.addressof(self.state), copy, len(copy))
        self.point()

    def read(self, register: int) -> int:
        state = self.state
        if register < O0:
            return int(state.globals[register]) if register else 0
        return int(state.windows[state.cwp * WINDOW + register - O0])

    def write(self, register: int, value: int) -> None:
        state = self.state
        if register >= O0:
            state.windows[state.cwp * WINDOW + register - O0] = value & self.mask
        elif register:
            state.globals[register] = value & self.mask

    # -- condition codes --------------------------------------------------------------------------

    def icc(self) -> int:
        """CARRY | OVERFLOW | ZERO | NEGATIVE of 32-bit results."""
        return self._codes(32, self.state.psr)

    def xcc(self) -> int:
        """CARRY | OVERFLOW | ZERO | NEGATIVE of 64-bit results."""
        return self._codes(64, self.state.xcc)

    def fcc(self, number: int) -> int:
        """0: equal, 1: less, 2: greater, 3: unordered."""
        return int(self.state.fsr) >> FCC_SHIFTS[number] & 3

    def _codes(self, bits: int, kept: int) -> int:
        state, top, mask = self.state, 1 << bits - 1, (1 << bits) - 1
        operation = state.operation
        if operation <= _FLAGS:
            return kept >> ICC_SHIFT & 15
        result, first, second = state.result & mask, state.source & mask, state.source2 & mask
        codes = (0 if result else ZERO) | (NEGATIVE if result & top else 0)
        if operation == _DIVIDE:
            return codes | (OVERFLOW if state.source2 else 0)
        if operation == _LOGIC:
            return codes
        if operation in (_SUB, _SUBX, _TSUB, _TSUBTV):
            carry = ~first & second | result & (~first | second)
            overflow = (first ^ second) & (first ^ result)
        else:
            carry = first & second | ~result & (first | second)
            overflow = ~(first ^ second) & (first ^ result)
        if operation in _TAGGED and (first | second) & 3:
            overflow = top
        if operation in _TRAPPING:
            overflow = 0
        return codes | (CARRY if carry & top else 0) | (OVERFLOW if overflow & top else 0)

    def set_codes(self, icc: int, xcc: int = 0) -> None:
        state = self.state
        state.psr, state.operation = icc << ICC_SHIFT, _FLAGS
        if self.bits == 64:
            state.xcc = xcc << ICC_SHIFT

    def set_carry(self, carry: bool) -> None:
        """Set or clear carry in both condition codes: it says whether a system call failed."""
        icc, xcc = self.icc(), self.xcc() if self.bits == 64 else 0
        self.set_codes(icc & ~CARRY | carry, xcc & ~CARRY | carry)

    # -- windows ----------------------------------------------------------------------------------

    @property
    def saved(self) -> int:
        """The number of windows behind the current one that the processor holds."""
        state = self.state
        if self.bits == 64:
            return int(state.canrestore)
        return next(count for count in range(WINDOWS) if state.wim >> (state.cwp + count + 1) % WINDOWS & 1)

    def _set_saved(self, count: int) -> None:
        state = self.state
        if self.bits == 64:
            state.canrestore, state.cansave = count, WINDOWS - 2 - count
        else:
            state.wim = 1 << (state.cwp + count + 1) % WINDOWS

    def enter_window(self, window: int) -> None:
        """Make `window` the current one.  (The engine keeps the outs of the last one behind all windows.)"""
        state, last = self.state, WINDOWS - 1
        wrapped = slice(WINDOWS * WINDOW, WINDOWS * WINDOW + 8)
        if state.cwp == last:
            state.windows[:8] = state.windows[wrapped]
        state.cwp = window
        if window == last:
            state.windows[wrapped] = state.windows[:8]
        self.point()

    def point(self) -> None:
        """Have the engine's own pointer show the current window."""
        state = self.state
        word = self.bits // 8
        state.window = ctypes.addressof(state.windows) + state.cwp * WINDOW * word

    def _own(self, distance: int) -> tuple[int, list[int]]:
        """Return the stack pointer, locals and ins of the window `distance` behind the current one."""
        state = self.state
        if state.cwp == WINDOWS - 1:
            state.windows[:8] = state.windows[WINDOWS * WINDOW:WINDOWS * WINDOW + 8]
        at = (state.cwp + distance) % WINDOWS * WINDOW
        behind = (at + WINDOW) % (WINDOWS * WINDOW)  # its outs are this one's ins
        own = state.windows[at + 8:at + WINDOW] + state.windows[behind:behind + 8]
        return state.windows[at + SP - O0], own

    def _frame(self, pointer: int) -> int:
        return pointer + BIAS[self.bits] & self.mask

    def spill(self) -> None:
        """Write the oldest window to its stack.  Raises MemoryFault."""
        count = self.saved
        pointer, values = self._own(count)
        self._memory().write(self._frame(pointer), b"".join(self._word(value) for value in values))
        self._set_saved(count - 1)

    def fill(self) -> None:
        """Read the window behind the current one back from its stack.  Raises MemoryFault."""
        frame, current = self._frame(self.read(FP)), self.state.cwp
        data = self._memory().read(frame, WINDOW * self.bits // 8)
        self.enter_window((current + 1) % WINDOWS)
        self._take(data)
        self.enter_window(current)
        self._set_saved(1)

    def spill_own(self) -> None:
        """Write the current window to its stack, too; those behind it are there.  Raises MemoryFault."""
        pointer, values = self._own(0)
        self._memory().write(self._frame(pointer), b"".join(self._word(value) for value in values))

    def fill_own(self) -> None:
        """Read the current window back from the stack that %sp now points to.  Raises MemoryFault."""
        self._take(self._memory().read(self._frame(self.read(SP)), WINDOW * self.bits // 8))

    def _take(self, data: bytes) -> None:
        """Set the current window's own registers."""
        word = self.bits // 8
        for number in range(WINDOW):
            self.write(L0 + number, int.from_bytes(data[number * word:(number + 1) * word], "big"))

    def flush(self) -> None:
        """Write all windows behind the current one to their stacks.  Raises MemoryFault."""
        while self.saved:
            self.spill()

    def rotate(self, step: int) -> None:
        """Enter the next (-1, `save`) or the previous (1, `restore`) window.  Raises MemoryFault."""
        count = self.saved
        if step < 0:
            if count == WINDOWS - 2:
                self.spill()
                count -= 1
        elif not count:
            self.fill()
            count = 1
        self.enter_window((self.state.cwp + step) % WINDOWS)
        self._set_saved(count - step)

    def callers(self) -> Iterator[tuple[int, int]]:
        """Yield where each window's function was called, and its caller's %fp, from the current one outward.

        The windows come from the registers as far as these hold them, then from the stack.
        """
        word = self.bits // 8
        held = [self._own(distance)[1] for distance in range(self.saved + 1)]
        for own, behind in pairwise(held):
            yield own[I7 - L0], behind[FP - L0]
        returns, pointer = held[-1][I7 - L0], held[-1][FP - L0]
        while pointer:
            try:
                data = self._memory().read(self._frame(pointer) + (FP - L0) * word, 2 * word)
            except MemoryFault:
                data = bytes(2 * word)
            pointer = int.from_bytes(data[:word], "big")
            yield returns, pointer
            returns = int.from_bytes(data[word:], "big")

    def _memory(self) -> Memory:
        assert self.memory is not None
        return self.memory

    def _word(self, value: int) -> bytes:
        return (value & self.mask).to_bytes(self.bits // 8, "big")
