"""x86 as the kernel uses it: 64-bit and 32-bit programs on one engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from operator import itemgetter

from runtime.kernel.base.errors import MemoryFault
from runtime.kernel.base.signals import Action, SignalInfo
from runtime.kernel.base.words import MASK32
from runtime.kernel.cpu.emulator import OVERTIME, RESCHEDULE, Context
from runtime.kernel.cpu.events import Fault, SystemCall
from runtime.kernel.cpu.x86 import engine as machine
from runtime.kernel.cpu.x86.engine import RAX, RCX, RIP, RSP, SKIP, SYSCALL_SIZE
from runtime.kernel.cpu.x86.illumosregs import read_register
from runtime.kernel.cpu.x86.ptraceregs import X86Debugging
from runtime.kernel.cpu.x86.segments import set_area
from runtime.kernel.memory.physical import PAGE

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from runtime.kernel.cpu.debugging import Debugging
    from runtime.kernel.cpu.processor import UserThread
    from runtime.kernel.cpu.x86.engine import Engine

EMULATED = (machine.INVALID, machine.PROTECTION)  # what is raised for instructions that the kernel executes
ARGUMENTS64 = itemgetter(*machine.ARGUMENTS64)
REX = 0x40  # and any of its lower four bits
# opcodes of arithmetic, and of moves between registers and memory
PLAIN = frozenset((*(8 * row + column for row in range(8) for column in range(4)), 0x81, 0x83,
                   *range(0x88, 0x8C), 0x8D, 0xC7))


class X86:
    """runtime.kernel.cpu.processor.Processor of programs with addresses of `bits`.

    `engine` returns the one engine of all x86 programs, which is made when first needed; `vectors`: whether
    AVX and what belongs to it is offered.
    """

    order = "<"
    page = PAGE
    smallest_stack = 2048

    def __init__(self, engine: Callable[[], Engine], bits: int, vectors: bool = False) -> None:
        self._make_engine = engine
        self.bits = self.calls = bits
        self.name = b"x86_64" if bits == 64 else b"i686"
        self._mask = (1 << bits) - 1
        self.debugging: Debugging | None = X86Debugging(lambda: self.engine, bits, vectors)
        self._vectors = vectors

    @cached_property
    def engine(self) -> Engine:
        return self._make_engine()

    def context(self) -> Context:
        return Context(self.engine)

    def attach(self, thread: UserThread, root: int) -> None:
        self.engine.restore(thread.context, root)
        thread.regs = self.engine.regs
        if self.bits == 32:
            self.engine.load_thread_areas(thread.thread_areas)

    def start(self, thread: UserThread, entry: int, stack: int) -> None:
        engine = self.engine
        engine.restore(engine.user64 if self.bits == 64 else engine.user32, engine.loaded_root)
        thread.regs[RIP], thread.regs[RSP] = entry, stack
        thread.thread_areas = [0] * machine.TLS_COUNT

    def child(self, thread: UserThread, _parent: int, stack: int) -> None:
        thread.regs[RAX] = 0
        if stack:
            thread.regs[RSP] = stack

    def set_tls(self, thread: UserThread, pointer: int) -> None:
        if self.bits == 64:
            self.engine.write_register(machine.REG_FS_BASE, pointer)
            return
        set_area(thread, thread.thread_areas, pointer)
        self.engine.load_thread_areas(thread.thread_areas)
        selector = self.engine.read_register(machine.REG_GS, 2)
        self.engine.write_register(machine.REG_GS, selector, 2)

    def system_call(self, thread: UserThread, event: int) -> SystemCall | None:
        regs = thread.regs
        if event == machine.SYSCALL64:
            regs[RCX] = regs[RIP]
            return SystemCall(regs[RAX] & 0xFFFFFFFF, ARGUMENTS64(regs), 64)
        if event == machine.SYSCALL32:
            values = [regs[number] & 0xFFFFFFFF for number in machine.ARGUMENTS32]
            return SystemCall(regs[RAX] & 0xFFFFFFFF, values, 32)
        return None

    def serve(self, thread: UserThread, event: int) -> int | None:
        if self.bits == 64 and self.engine.read_register(machine.REG_CS, 2) == machine.CODE32:
            beyond = thread.regs[RIP] > MASK32
            thread.regs[RIP] &= MASK32  # a far return leaves more of it
            thread.regs[RSP] &= MASK32
            if beyond:
                return None
        if event == SKIP:
            from runtime.kernel.cpu.x86 import faults

            found = faults.instruction(thread)
            assert found is not None
            thread.regs[RIP] += found.size
            return None
        if event in EMULATED and self.engine.exact_decoding:
            from runtime.kernel.cpu.x86.emulated import emulate

            return emulate(self.engine, thread, event)
        return event

    def step(self, thread: UserThread, count: int) -> int:
        engine, event = self.engine, RESCHEDULE
        flags = engine.read_register(machine.REG_RFLAGS)
        if flags & machine.TRAP_FLAG or not count:
            return event
        engine.write_register(machine.REG_RFLAGS, flags | machine.TRAP_FLAG)
        engine.slice.left += OVERTIME  # the slice is over, but these are executed
        while count and event in (RESCHEDULE, machine.DEBUG) and self._is_plain(thread):
            event = engine.run()
            count -= 1
        engine.slice.left -= OVERTIME
        flags = engine.read_register(machine.REG_RFLAGS)
        engine.write_register(machine.REG_RFLAGS, flags & ~machine.TRAP_FLAG)
        return RESCHEDULE if event == machine.DEBUG else event

    def _is_plain(self, thread: UserThread) -> bool:
        """Whether the instruction at the program counter moves or computes only, and bears the trap flag."""
        try:
            code = thread.read(thread.regs[RIP] & self._mask, 2)
        except MemoryFault:
            return False
        return code[self.bits == 64 and code[0] & 0xF0 == REX] in PLAIN

    def description(self, count: int) -> str:
        from runtime.kernel.cpu.x86.identification import flags

        return "".join(
            f"processor\t: {number}\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 23\n"
            "model name\t: Virtual CPU\nstepping\t: 3\ncpu MHz\t\t: 2500.000\n"
            f"physical id\t: 0\nsiblings\t: {count}\ncore id\t\t: {number}\n"
            f"cpu cores\t: {count}\nfpu\t\t: yes\nflags\t\t: {flags(self._vectors)}\n"
            "bogomips\t: 5000.00\n\n" for number in range(count))

    def finish(self, thread: UserThread, result: int) -> None:
        thread.regs[RAX] = result & self._mask

    def repeat(self, thread: UserThread, number: int) -> None:
        thread.regs[RIP] -= SYSCALL_SIZE
        thread.regs[RAX] = number

    def fault(self, thread: UserThread, event: int) -> Fault:
        from runtime.kernel.cpu.x86 import faults

        return faults.fault(self.engine, thread, event)

    def push(self, thread: UserThread, info: SignalInfo, action: Action, mask: int) -> None:
        from runtime.kernel.cpu.x86 import sigframe

        sigframe.push(self.engine, thread, info, action, mask)

    def pc(self, thread: UserThread) -> int:
        return int(thread.regs[RIP])

    def stack_pointer(self, thread: UserThread) -> int:
        return int(thread.regs[RSP])

    def register(self, thread: UserThread, index: int) -> int:
        return read_register(self.engine, thread, index)

    def user_stack(self, thread: UserThread, limit: int) -> Sequence[int]:
        return self._stack(thread, limit)

    @cached_property
    def _stack(self) -> Callable[[UserThread, int], Sequence[int]]:
        from runtime.kernel.cpu.x86.unwind import user_stack

        return user_stack

    def user_frames(self, thread: UserThread, limit: int) -> Sequence[tuple[int, int]]:
        from runtime.kernel.cpu.x86.unwind import user_frames

        return user_frames(thread, limit)
