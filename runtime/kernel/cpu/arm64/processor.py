"""AArch64 as the kernel uses it, under Linux's conventions.

Source: Linux's Documentation/arch/arm64: the call's number is in X8, its arguments in X0-X5, its result or
-errno in X0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from dif import userregisters
from runtime.kernel.base.errors import MemoryFault
from runtime.kernel.base.signals import Action, SignalInfo
from runtime.kernel.cpu.arm64 import faults, identification, sigframe, stackpointer, vdso, withheld
from runtime.kernel.cpu.arm64.direct import make_engine
from runtime.kernel.cpu.arm64.engine import (
    DATA_ABORT,
    KEYS,
    REG_TPIDR,
    SIZE,
    STEPPED,
    UNDEFINED,
)
from runtime.kernel.cpu.arm64.ptraceregs import ArmDebugging
from runtime.kernel.cpu.arm64.registers import PC, SP, X0, X8, X30, Registers
from runtime.kernel.cpu.arm64.unwind import user_frames
from runtime.kernel.cpu.emulator import ERROR_WRITE, OVERTIME, RESCHEDULE, Context
from runtime.kernel.cpu.events import Fault, SystemCall
from runtime.kernel.cpu.translation import PAGE_FAULT, SYSCALL
from runtime.kernel.memory.physical import PAGE

if TYPE_CHECKING:
    from runtime.kernel.cpu.debugging import Debugging
    from runtime.kernel.cpu.emulator import Slice
    from runtime.kernel.cpu.processor import UserThread
    from runtime.kernel.memory.physical import PhysicalMemory


class Arm:
    """runtime.kernel.cpu.processor.Processor of AArch64 programs."""

    bits, order, page, smallest_stack = 64, "<", PAGE, 5120
    name = b"aarch64"
    calls = 65  # the tables of x86 have the keys 64 and 32, those of SPARC -64 and -32

    def __init__(self, memory: PhysicalMemory, work: Slice, numbers: Mapping[int, int],
                 tell: Callable[[str], None]) -> None:
        self._numbers = numbers  # of registers, by another system's (dif.userregisters.translation)
        self.engine = make_engine(memory, work, tell)
        self.debugging: Debugging | None = ArmDebugging(lambda: self.engine)

    def context(self) -> Context:
        return Context(self.engine)

    def attach(self, thread: UserThread, root: int) -> None:
        self.engine.restore(thread.context, root)
        thread.regs = self.engine.regs

    def start(self, thread: UserThread, entry: int, stack: int) -> None:
        engine = self.engine
        engine.restore(engine.pristine, engine.loaded_root)
        thread.regs[PC], thread.regs[SP] = entry, stack
        self.reset_keys(thread, sum(KEYS))

    def reset_keys(self, thread: UserThread, which: int) -> None:
        """Give a thread new keys to sign addresses with: bits of KEYS."""
        self.engine.set_keys(which, thread.kernel.random.randbytes(16 * len(KEYS)))

    def description(self, count: int) -> str:
        return identification.description(count)

    def child(self, thread: UserThread, _parent: int, stack: int) -> None:
        thread.regs[X0] = 0
        if stack:
            thread.regs[SP] = stack

    def set_tls(self, _thread: UserThread, pointer: int) -> None:
        self.engine.write_register(REG_TPIDR, pointer)

    def system_call(self, thread: UserThread, event: int) -> SystemCall | None:
        if event != SYSCALL:
            return None
        regs: Registers = thread.regs
        regs.original = regs[X0]
        return SystemCall(regs[X8] & 0xFFFFFFFF, regs[X0:X0 + 6], self.calls)

    def serve(self, thread: UserThread, event: int) -> int | None:
        if event != UNDEFINED:
            return event
        try:
            word = int.from_bytes(thread.read_text(int(thread.regs[PC]), SIZE), "little")
        except MemoryFault:
            return event
        try:
            if not identification.read(thread, word) and not withheld.carry_out(thread, word):
                event = self.engine.execute_apart(word) if stackpointer.misaligns(word) else event
                if event != RESCHEDULE:
                    return event
        except withheld.Refused as refused:
            if not refused.aligned:
                return DATA_ABORT
            self.engine.note_fault(refused.address, ERROR_WRITE if refused.writes else 0)
            return PAGE_FAULT
        return STEPPED if self.engine.stepping else None

    def step(self, _thread: UserThread, count: int) -> int:
        engine, event = self.engine, RESCHEDULE
        if engine.stepping or not count:
            return event
        engine.stepping = True
        engine.slice.left += OVERTIME  # the slice is over, but these are executed
        while count and event in (RESCHEDULE, STEPPED):
            engine.regs.steps = True
            event = engine.run()
            count -= 1
        engine.slice.left -= OVERTIME
        engine.stepping = engine.regs.steps = False
        return RESCHEDULE if event == STEPPED else event

    def finish(self, thread: UserThread, result: int) -> None:
        thread.regs.set_x(X0, result)

    def repeat(self, thread: UserThread, number: int) -> None:
        regs: Registers = thread.regs
        regs[PC] -= SIZE
        regs[X0], regs[X8] = regs.original, number

    def fault(self, thread: UserThread, event: int) -> Fault:
        return faults.fault(self.engine, thread, event)

    def push(self, thread: UserThread, info: SignalInfo, action: Action, mask: int) -> None:
        sigframe.push(self.engine, thread, info, action, mask, vdso.BASE + vdso.SIGNAL_RETURN)

    def pc(self, thread: UserThread) -> int:
        return int(thread.regs[PC])

    def stack_pointer(self, thread: UserThread) -> int:
        return int(thread.regs[SP])

    def register(self, thread: UserThread, index: int) -> int:
        """Return a register by the number that uregs[] takes.  Raises IndexError."""
        regs: Registers = thread.regs
        index = self._numbers.get(index, index)
        if 0 <= index <= X30:
            return int(regs[index])
        others = {userregisters.STATUS: regs.flags, userregisters.RESULT: int(regs[X0]),
                  userregisters.STACK: int(regs[SP]), userregisters.PC: thread.pc}
        if index not in others:
            raise IndexError(index)
        return others[index]

    def user_stack(self, thread: UserThread, limit: int) -> Sequence[int]:
        return [pc for pc, _pointer in self.user_frames(thread, limit)]

    def user_frames(self, thread: UserThread, limit: int) -> Sequence[tuple[int, int]]:
        return user_frames(thread, limit)
