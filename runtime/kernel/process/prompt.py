"""System calls that the kernel carries out while the engine waits for them: it need not stop and start.

Such a call does not sleep: what would have to wait raises MustWait before anything has changed.  The engine
then stops, and the call is made anew in the usual way.  The plainest cases of a few calls are `swift`: they
use and change nothing but a file and memory, and their time passes like that of code that has run.

No leave is given while a tracer or a debugger watches what happens in system calls.  Results, errors and
times are the same in either way.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Mapping, Sequence
from struct import Struct
from typing import TYPE_CHECKING

from dif.limits import MASK
from dif.records import NamedTuple
from runtime.kernel.base.clock import BYTES_PER_STEP, NEVER, NS_PER_STEP, SYSCALL_COST
from runtime.kernel.base.errors import Interrupted, MemoryFault, MustWait
from runtime.kernel.cpu.emulator import SERVED
from runtime.kernel.cpu.x86.engine import RAX, RIP, SYSCALL64, SYSCALL_SIZE

if TYPE_CHECKING:
    from runtime.kernel.cpu.x86.engine import Engine
    from runtime.kernel.process.system import System
    from runtime.kernel.process.thread import Thread

    Swift = Callable[[Thread, int, int, int], int | None]  # the first three registers of a call; its result

CALL_BYTES = SYSCALL_COST * BYTES_PER_STEP // NS_PER_STEP  # bytes of code that take as long as a call
WAITS = -1  # the result of a swift call that has to wait
READ = Struct("<Q8xQ24xQQ")  # of the registers: number and third argument, second argument, first one
RESULT = Struct("<QQ")  # result, and the address that the program goes on at


class PromptCall(NamedTuple):
    """A call: its handler, what makes the handler's arguments of the registers, and its name."""

    handler: Callable[..., int]
    arguments: Callable[[Sequence[int]], Sequence[int]]
    name: str


class PromptCalls:
    """Carries out calls of the thread that is loaded, in slices for which `begin` gives leave.

    `calls` and `swift` are by the numbers of the calls.
    """

    def __init__(self, kernel: System, engine: Engine, calls: Mapping[int, PromptCall | None],
                 swift: Mapping[int, Swift]) -> None:
        self._kernel = kernel
        self._scheduler = kernel.scheduler
        self._engine = engine
        self._calls = calls
        self._swift = swift
        self._registers = memoryview(engine.regs).cast("B").cast("Q")
        self._left = memoryview(kernel.work).cast("B").cast("q")  # the first word: what is left of the slice
        self._thread: Thread | None = None  # None: no leave is given
        self._now = self._limit = 0  # of the slice, as of which its bytes of code were found

    def begin(self, thread: Thread) -> None:
        """Give leave for a slice of the thread that is loaded."""
        scheduler = self._kernel.scheduler
        self._thread, self._now, self._limit = thread, scheduler.cpu.now, scheduler.limit

    def end(self) -> None:
        self._thread = None

    def serve(self) -> int:
        """Carry out the call that the thread makes; returns 0, or the event that is to end the run."""
        thread = self._thread
        if thread is None:
            return SYSCALL64
        registers = self._registers
        number, third, second, first = READ.unpack_from(registers)
        swift = self._swift.get(number)
        if swift is not None:
            left, scheduler = self._left[0], self._scheduler
            if left > CALL_BYTES and scheduler.cpu.now == self._now and scheduler.limit == self._limit:
                result = swift(thread, first, second, third)
                if result == WAITS:
                    return SYSCALL64
                if result is not None:
                    thread.errno = 0
                    self._left[0] = left - CALL_BYTES
                    RESULT.pack_into(registers, 8 * RAX, result, registers[RIP] + SYSCALL_SIZE)
                    return 0
        call = self._calls[number]
        return SYSCALL64 if call is None else self._carry_out(thread, number, call)

    def _carry_out(self, thread: Thread, number: int, call: PromptCall) -> int:
        """Have the handler of a call do it: see `serve`."""
        kernel, registers, left = self._kernel, self._registers, self._left
        scheduler, quick, given = kernel.scheduler, kernel.quick, kernel.slice
        cpu = scheduler.cpu
        assert given is not None
        if quick is not None and quick.given:
            given = quick.end(cpu, given)
        cpu.worked(given - left[0])
        cpu.now += SYSCALL_COST
        thread.in_user, thread.hasty, kernel.slice = False, True, None
        thread.syscall, thread.syscall_name = number, call.name
        try:
            result = call.handler(thread, *call.arguments(registers))
            thread.errno = 0
        except MustWait:
            cpu.now -= SYSCALL_COST
            kernel.slice = left[0]
            return SYSCALL64
        except Interrupted as interruption:
            thread.restart = interruption.restart, number
            result, thread.errno = -errno.EINTR, errno.EINTR
        except MemoryFault:
            result, thread.errno = -errno.EFAULT, errno.EFAULT
        except OSError as error:
            thread.errno = error.errno or errno.EIO
            result = -thread.errno
        finally:
            thread.hasty, thread.in_user = False, True
        thread.syscall, thread.syscall_name = -1, ""
        if thread.restart is None:
            thread.restart_deadline = None
        RESULT.pack_into(registers, 8 * RAX, result & MASK, registers[RIP] + SYSCALL_SIZE)
        limit = scheduler.limit
        if not thread.undisturbed or cpu.now >= limit or (limit < NEVER and not self._engine.counting):
            kernel.slice = left[0]
            return SERVED
        kernel.slice = left[0] = scheduler.budget()
        if quick is not None and quick.wanted:
            quick.begin(cpu, limit, limit == NEVER, kernel.slice, kernel.walltime_offset)
        self._now, self._limit = cpu.now, limit
        return 0
