"""The true call stack of every thread, kept by watching each call and each signal."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

import capstone

from runtime.kernel.cpu.arm64.registers import PC, SP, X30
from runtime.kernel.cpu.x86.engine import RIP, RSP
from runtime.kernel.kernel import Kernel

HOOK_CODE = 4  # UC_HOOK_CODE of <unicorn/unicorn.h>
KERNEL = 1 << 63
Visit = Callable[[Any, Sequence[int]], None]


# BL; BLR and its authenticated forms; RET, RETAA, RETAB, and BR X30, by which longjmp() ends
CALLS = ((0xFC000000, 0x94000000), (0xFFFFFC1F, 0xD63F0000), (0xFEFFF800, 0xD63F0800))
RETURNS = frozenset((0xD65F03C0, 0xD65F0BFF, 0xD65F0FFF, 0xD61F03C0))


class Shadow:
    """Calls `visit(thread, counters)` before every instruction from `start` on.

    `counters` are innermost first, and end with the caller of the function at `start`.  A return
    address counts while the stack pointer has not passed its slot: so returns, tail calls and longjmp
    need no watching.
    """

    def __init__(self, kernel: Kernel, engine: Any, start: int, visit: Visit) -> None:
        self._kernel, self._visit = kernel, visit
        self._start = start
        self._started = False
        self._frames: dict[Any, list[tuple[int, int]]] = {}  # slot, return address
        self._calling: dict[Any, tuple[int, int]] = {}  # slot and return address, if it is a call
        self._handlers: dict[Any, tuple[int, int]] = {}  # handler that is entered next, interrupted pc
        self._calls: dict[bytes, bool] = {}
        self._decoders = {64: capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_64),
                          32: capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_32)}
        self.failure: BaseException | None = None
        kind = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint32, ctypes.c_void_p)
        self._callback, self._handle = kind(self._called), ctypes.c_size_t()
        self._engine = engine
        engine.library.uc_hook_add(engine.handle, ctypes.byref(self._handle), HOOK_CODE, self._callback,
                                   ctypes.c_void_p(0), ctypes.c_uint64(1), ctypes.c_uint64(0))
        engine.flush_code()
        kernel.hooks.attach("signal_handle", self._signal)

    def _signal(self, thread: Any, _number: int, _info: Any, handler: int) -> None:
        self._handlers[thread] = handler, thread.regs[RIP]

    def _called(self, _engine: int, address: int, size: int, _data: int) -> None:
        if not self._started and address != self._start:
            return
        try:
            thread = self._kernel.current
            if not self._started:
                self._begin(thread)
            if address < KERNEL and self.failure is None:
                self._step(thread, address, size)
        except BaseException as failure:
            self.failure = failure
            self._engine.stop()

    def _begin(self, thread: Any) -> None:
        self._started = True
        sp = self._engine.regs[RSP]
        self._frames[thread] = [(sp, self._top(thread, sp, thread.process.bits // 8))]

    def _step(self, thread: Any, address: int, size: int) -> None:
        sp, word = self._engine.regs[RSP], thread.process.bits // 8
        frames = self._frames.setdefault(thread, [])
        calling = self._calling.pop(thread, None)
        if thread in self._handlers and self._handlers[thread][0] == address:
            frames += [(sp + word, self._handlers.pop(thread)[1]), (sp, self._top(thread, sp, word))]
        elif calling is not None and sp == calling[0] and self._top(thread, sp, word) == calling[1]:
            while frames and frames[-1][0] <= sp:
                frames.pop()
            frames.append(calling)
        while frames and frames[-1][0] < sp:
            frames.pop()
        if self._is_call(thread.read(address, size), thread.process.bits):
            self._calling[thread] = sp - word, address + size
        self._visit(thread, [address, *(each for _, each in reversed(frames))])

    @staticmethod
    def _top(thread: Any, sp: int, word: int) -> int:
        return int.from_bytes(thread.read(sp, word), "little")

    def _is_call(self, code: bytes, bits: int) -> bool:
        known = self._calls.get(code)
        if known is None:
            found = next(self._decoders[bits].disasm(code, 0), None)
            known = self._calls[code] = found is not None and found.mnemonic.split()[-1] == "call"
        return known


class ArmShadow(Shadow):
    """The same of AArch64: a call leaves the return address in X30, and the stack pointer as it is.

    A frame is left by a return to where the stack pointer is that of the call, or beyond.
    """

    def _signal(self, thread: Any, _number: int, _info: Any, handler: int) -> None:
        self._handlers[thread] = handler, thread.regs[PC]

    def _begin(self, thread: Any) -> None:
        self._started = True
        self._frames[thread] = [(thread.regs[SP], thread.regs[X30])]

    def _step(self, thread: Any, address: int, size: int) -> None:
        sp, link = thread.regs[SP], thread.regs[X30]
        frames = self._frames.setdefault(thread, [])
        pointer, after = self._calling.pop(thread, (0, 0))
        if thread in self._handlers and self._handlers[thread][0] == address:
            frames += [(sp + 1, self._handlers.pop(thread)[1]), (sp, link)]
        elif after and link == after:
            frames.append((pointer, after))
        while frames and frames[-1][0] < sp + (pointer > 0 and not after):
            frames.pop()
        word = int.from_bytes(thread.read(address, size), "little")
        if any(word & mask == value for mask, value in CALLS):
            self._calling[thread] = sp, address + size
        elif word in RETURNS:
            self._calling[thread] = sp, 0
        self._visit(thread, [address, *(each for _, each in reversed(frames))])
