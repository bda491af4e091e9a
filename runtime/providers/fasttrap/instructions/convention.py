"""How x86 programs pass arguments to functions and results back: AMD64 ABI 3.2.3, i386 ABI 2.2.3."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from runtime.kernel.base.errors import MemoryFault
from runtime.kernel.cpu.x86.engine import R8, R9, RAX, RCX, RDI, RDX, RSI, RSP

if TYPE_CHECKING:
    from runtime.framework.probes.registry import Probe

Act = Callable[[Any, Any], None]  # thread, its registers
REGISTERS = RDI, RSI, RDX, RCX, R8, R9


class Convention(Protocol):
    """What a probe tells of a function."""

    def entry(self, probe: Probe) -> Act:
        """Fire with the first five arguments, which a thread at a function's first instruction has."""

    def argument(self, thread: Any, index: int, called: bool) -> int:
        """An argument by number; `called`: a return address lies on the stack.  0 where there is none."""

    def answer(self, thread: Any, regs: Any) -> None:
        """Have 1 as what an is-enabled test, which the thread is at, tells the program."""


class X86Convention:
    """That of 64-bit or of 32-bit programs."""

    def __init__(self, bits: int) -> None:
        self._bits = bits

    def entry(self, probe: Probe) -> Act:
        return _arguments32(probe) if self._bits == 32 else _arguments64(probe)

    def argument(self, thread: Any, index: int, called: bool) -> int:
        regs, word = thread.regs, self._bits // 8
        if word == 8:
            if index < len(REGISTERS):
                return int(regs[REGISTERS[index]])
            index -= len(REGISTERS)
        try:
            return int.from_bytes(thread.read(regs[RSP] + (index + called) * word, word), "little")
        except MemoryFault:
            return 0

    def answer(self, _thread: Any, regs: Any) -> None:
        regs[RAX] = 1


def _arguments64(probe: Probe) -> Act:
    def act(_thread: Any, regs: Any) -> None:
        fire = probe.fire
        if fire is not None:
            fire(regs[RDI], regs[RSI], regs[RDX], regs[RCX], regs[R8])
    return act


def _arguments32(probe: Probe) -> Act:
    def act(thread: Any, regs: Any) -> None:
        fire = probe.fire
        if fire is not None:
            try:
                data = thread.read(regs[RSP] + 4, 20)
            except MemoryFault:
                data = bytes(20)
            fire(*(int.from_bytes(data[at:at + 4], "little") for at in range(0, 20, 4)))
    return act


def returns(probe: Probe, offset: int) -> Act:
    """Fire `return` at `offset` of a function, at an instruction that always returns."""
    def act(_thread: Any, regs: Any) -> None:
        fire = probe.fire
        if fire is not None:
            fire(offset, regs[RAX], regs[RDX], 0, 0)
    return act


def may_return(probe: Probe, offset: int, leads: Callable[[Any, Any], int],
               contains: Callable[[int], bool]) -> Act:
    """The same at a jump, if where it `leads` is not in the function."""
    def act(thread: Any, regs: Any) -> None:
        fire = probe.fire
        if fire is None:
            return
        try:
            target = leads(regs, thread)
        except MemoryFault:
            return  # the jump is about to fail
        if not contains(target):
            fire(offset, regs[RAX], regs[RDX], 0, 0)
    return act
