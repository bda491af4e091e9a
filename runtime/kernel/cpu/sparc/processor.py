"""SPARC as the kernel sees it: 32-bit programs of V8 and 64-bit programs of V9, under Linux's conventions.

Sources: the SPARC supplements of the System V ABI (stack frames, registers) and Linux's
<asm/unistd.h>, <asm/errno.h>: the call's number is in %g1, its arguments in %o0-5, and a set
carry says that %o0 is a positive errno.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dif.userregisters import PC, RESULT, STACK, STATUS
from runtime.kernel.base.errors import MemoryFault
from runtime.kernel.base.signals import SI_KERNEL, SIGBUS, SIGFPE, SIGILL, SIGTRAP, Action, SignalInfo
from runtime.kernel.cpu.emulator import ERROR_WRITE, RESCHEDULE
from runtime.kernel.cpu.events import (
    BUS_ADRALN,
    FLTBOUNDS,
    FLTBPT,
    FLTFPE,
    FLTILL,
    FLTIZDIV,
    FLTPRIV,
    FPE_FLTINV,
    FPE_INTDIV,
    ILL_ILLOPC,
    ILL_PRVOPC,
    TRAP_BRKPT,
    Fault,
    SystemCall,
    bad_access,
)
from runtime.kernel.cpu.sparc import contexts, nofault, sigframe
from runtime.kernel.cpu.sparc.engine import ILLEGAL, Context, SparcEngine
from runtime.kernel.cpu.sparc.numbers import ERRNO
from runtime.kernel.cpu.sparc.registers import BIAS, FP, G1, G7, O0, O1, O7, SP, WINDOW, Registers
from runtime.kernel.cpu.sparc.textstart import text_start
from runtime.kernel.cpu.sparc.unwind import frame_is_callers
from runtime.kernel.cpu.translation import PAGE_FAULT, SYSCALL

if TYPE_CHECKING:
    from runtime.kernel.cpu.debugging import Debugging
    from runtime.kernel.cpu.emulator import Slice
    from runtime.kernel.cpu.processor import UserThread
    from runtime.kernel.memory.physical import PhysicalMemory

# what a trap type is: signal, its code, fault number
TRAPS = {
    8: {ILLEGAL[8]: (SIGILL, ILL_ILLOPC, FLTILL), 3: (SIGILL, ILL_PRVOPC, FLTPRIV),
        7: (SIGBUS, BUS_ADRALN, FLTBOUNDS), 8: (SIGFPE, FPE_FLTINV, FLTFPE),
        0x0A: (SIGFPE, FPE_INTDIV, FLTFPE), 0x2A: (SIGFPE, FPE_INTDIV, FLTIZDIV),
        0x81: (SIGTRAP, TRAP_BRKPT, FLTBPT), 0x82: (SIGFPE, FPE_INTDIV, FLTIZDIV)},
    9: {ILLEGAL[9]: (SIGILL, ILL_ILLOPC, FLTILL), 0x11: (SIGILL, ILL_PRVOPC, FLTPRIV),
        0x34: (SIGBUS, BUS_ADRALN, FLTBOUNDS), 0x35: (SIGBUS, BUS_ADRALN, FLTBOUNDS),
        0x36: (SIGBUS, BUS_ADRALN, FLTBOUNDS), 0x21: (SIGFPE, FPE_FLTINV, FLTFPE),
        0x22: (SIGFPE, FPE_FLTINV, FLTFPE), 0x28: (SIGFPE, FPE_INTDIV, FLTIZDIV),
        0x101: (SIGTRAP, TRAP_BRKPT, FLTBPT), 0x102: (SIGFPE, FPE_INTDIV, FLTIZDIV)}}
OTHER = SIGILL, SI_KERNEL, FLTILL
# traps that are no signals in 64-bit programs: functions that return whether they have dealt with one
SERVED = {contexts.GET_CONTEXT: contexts.save, contexts.SET_CONTEXT: contexts.load,
          **dict.fromkeys(nofault.MISSES, nofault.load)}
CALL_SIZE = 8  # bytes of a call and its delay slot
SIGRETURNS = (101, 216)  # rt_sigreturn, sigreturn
CCR, NPC, Y = 32, 34, 35  # what uregs[] takes beyond the 32 general registers (dc/lib/regs.d)


class Sparc:
    """runtime.kernel.cpu.processor.Processor of V8 (32-bit programs) or V9 (64-bit programs)."""

    order = ">"
    smallest_stack = 4096

    def __init__(self, memory: PhysicalMemory, work: Slice, version: int) -> None:
        self.version = version
        self.bits = 32 if version == 8 else 64
        self.name = b"sparc" if version == 8 else b"sparc64"
        self.engine = SparcEngine(memory, version, work)
        self.page = self.engine.page
        self.calls = -self.bits
        self.debugging: Debugging | None = None

    def context(self) -> Context:
        return self.engine.context()

    def attach(self, thread: UserThread, root: int) -> None:
        self.engine.restore(thread.context, root)
        thread.regs = self.engine.regs
        thread.regs.memory = thread.process.space

    def start(self, thread: UserThread, entry: int, stack: int) -> None:
        regs: Registers = thread.regs
        regs.pc, regs.npc = entry, entry + 4
        regs.write(SP, stack - WINDOW * self.bits // 8 - BIAS[self.bits])

    def child(self, thread: UserThread, parent: int, stack: int) -> None:
        """Set %o1, which tells parent and child apart, and %o0."""
        regs: Registers = thread.regs
        regs.memory = thread.process.space
        regs.write(O0, parent)
        regs.write(O1, 1)
        regs.set_carry(False)
        if stack:
            regs.flush()
            regs.write(SP, stack)

    def set_tls(self, thread: UserThread, pointer: int) -> None:
        thread.regs.write(G7, pointer)

    def system_call(self, thread: UserThread, event: int) -> SystemCall | None:
        if event != SYSCALL:
            return None
        regs: Registers = thread.regs
        values = [regs.read(O0 + number) for number in range(6)]
        return SystemCall(regs.read(G1) & 0xFFFFFFFF, values, self.calls)

    def serve(self, thread: UserThread, event: int) -> int | None:
        serve = SERVED.get(event) if self.bits == 64 else None
        try:
            return None if serve is not None and serve(thread) else event
        except MemoryFault as fault:
            self.engine.raise_fault(fault.address)
            return PAGE_FAULT

    def step(self, _thread: UserThread, _count: int) -> int:
        return RESCHEDULE  # the engine has no trap flag

    def description(self, count: int) -> str:
        return (f"cpu\t\t: Virtual CPU\ntype\t\t: {'sun4m' if self.bits == 32 else 'sun4u'}\n"
                f"ncpus probed\t: {count}\nncpus active\t: {count}\n")

    def finish(self, thread: UserThread, result: int) -> None:
        regs: Registers = thread.regs
        if thread.syscall in SIGRETURNS:
            return  # the registers are those of the interrupted program
        failed = -4096 < result < 0
        regs.write(O0, ERRNO.get(-result, -result) if failed else result)
        regs.set_carry(failed)

    def repeat(self, thread: UserThread, number: int) -> None:
        regs: Registers = thread.regs
        regs.pc, regs.npc, argument = regs.call
        regs.write(G1, number)
        regs.write(O0, argument)

    def fault(self, thread: UserThread, event: int) -> Fault:
        if event != PAGE_FAULT:
            signal, code, number = TRAPS[self.version].get(event, OTHER)
            return Fault(SignalInfo(signal, code, "fault", address=thread.regs.pc, trap=event), number)
        engine = self.engine
        address = self._accessed(thread, engine.fault_address)
        writes = bool(engine.fault_error & ERROR_WRITE)
        signal, code, number = bad_access(thread.process.space, address, writes)
        return Fault(SignalInfo(signal, code, "fault", address=address), number)

    def _accessed(self, thread: UserThread, page: int) -> int:
        """Return the address in `page` that the instruction at %pc refers to; `page` if it refers to none."""
        regs: Registers = thread.regs
        if page <= regs.pc < page + self.page:
            return regs.pc
        try:
            word = int.from_bytes(thread.read_text(regs.pc, 4), "big")
        except MemoryFault:
            return page
        offset = (word & 0x1FFF ^ 0x1000) - 0x1000 if word >> 13 & 1 else regs.read(word & 31)
        address = regs.read(word >> 14 & 31) + offset & regs.mask
        return address if word >> 30 == 3 and page <= address < page + self.page else page

    def push(self, thread: UserThread, info: SignalInfo, action: Action, mask: int) -> None:
        sigframe.push(thread, info, action, mask)

    def pc(self, thread: UserThread) -> int:
        pc: int = thread.regs.pc
        return pc

    def stack_pointer(self, thread: UserThread) -> int:
        pointer: int = thread.regs.read(SP) + BIAS[self.bits]
        return pointer

    def register(self, thread: UserThread, index: int) -> int:
        """Return a register by the number that uregs[] takes.  Raises IndexError."""
        regs: Registers = thread.regs
        if 0 <= index < 32:
            return regs.read(index)
        if index in (CCR, STATUS):
            return regs.icc() | (regs.xcc() << 4 if self.bits == 64 else 0)
        others = {PC: thread.pc, NPC: regs.npc, Y: int(regs.state.y), STACK: regs.read(SP),
                  RESULT: regs.read(O0)}
        if index not in others:
            raise IndexError(index)
        return others[index]

    def user_stack(self, thread: UserThread, limit: int) -> Sequence[int]:
        return [pc for pc, _pointer in self.user_frames(thread, limit)]

    def user_frames(self, thread: UserThread, limit: int) -> Sequence[tuple[int, int]]:
        """Return callers by where they go on, as on x86: that is 8 bytes after their `call`."""
        regs, space = thread.regs, thread.process.space
        if space is None:
            return []
        regs.memory = space
        pc = thread.pc & regs.mask
        frames = [(pc, regs.read(FP))]
        if regs.left or frame_is_callers(thread.read_text, pc, text_start(space, pc, self.bits)):
            frames.append((regs.read(O7) + CALL_SIZE, regs.read(FP)))
        for returns, pointer in regs.callers():
            if len(frames) >= limit or not returns:
                break
            frames.append((returns + CALL_SIZE, pointer))
        return frames[:limit]
