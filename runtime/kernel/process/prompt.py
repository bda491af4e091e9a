"""System calls that the kernel carries out while the engine waits for them: it need not stop and start.

Such a call does not sleep: what would have to wait raises MustWait before anything has changed.  The engine
then stops, and the call is made anew in the usual way.  The plainest cases of a few calls are `swift`: they
use and change nothing but a file and memory, and their time passes like that of code that has run.  Others of
the plainest cases are `timely`: they wake threads, for which it must be known what time it is.  One that has
to wait for the bytes of a pipe does so when the engine has stopped, without the layers of the usual way.

Where a tracer watches entries and returns of calls, none is swift or timely, and one that must wait goes on
where it was when the engine has stopped: its entry is told once.  No leave is given while a tracer watches
the kernel's functions, or a debugger the calls.  Results, errors and times are the same in either way.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Container, Mapping, Sequence
from operator import itemgetter
from struct import Struct
from typing import TYPE_CHECKING

from dif.limits import MASK
from runtime.kernel.base.clock import BYTES_PER_STEP, NEVER, NS_PER_STEP, SYSCALL_COST
from runtime.kernel.base.errors import MustWait
from runtime.kernel.cpu.emulator import BEGUN, SERVED, SLEEPS
from runtime.kernel.cpu.x86.engine import ARGUMENTS64, RAX, RCX, RIP, SYSCALL64, SYSCALL_SIZE
from runtime.kernel.process.thread import leave_syscall, perform, syscall_trap
from runtime.kernel.process.usermemory import from_pipe

if TYPE_CHECKING:
    from runtime.kernel.cpu.x86.engine import Engine
    from runtime.kernel.process.system import System
    from runtime.kernel.process.thread import Thread
    from runtime.kernel.vfs.vnode import File

    # of the first three registers of a call; its result, or the file whose pipe it has to wait for
    Swift = Callable[[Thread, int, int, int], int | File | None]
    Timely = Callable[[Thread, int, int, int], int | None]

CALL_BYTES = SYSCALL_COST * BYTES_PER_STEP // NS_PER_STEP  # bytes of code that take as long as a call
ARGUMENTS = itemgetter(*ARGUMENTS64)
FAILED = 1 << 63  # results from here on are errors
CARRIED_OUT = 0  # no event that ends a run
INT, WRITING = 0xFFFFFFFF, True  # all bits of an int in a register; what memory is asked for
READ = Struct("<Q8xQ24xQQ64xQ")  # of the registers: number, arguments from the third to the first, pc
RESULT = Struct("<QQ")  # result, and the address that the program goes on at


class PromptCalls:
    """Carries out calls of the thread that is loaded, in slices for which `begin` gives leave.

    They are in the table of system calls with the key `table`.  `prompt` are the numbers of those that are
    carried out, `swift` and `timely` have the plainest cases of some of them.
    """

    def __init__(self, kernel: System, engine: Engine, table: int, prompt: Container[int],
                 swift: Mapping[int, Swift], timely: Mapping[int, Timely]) -> None:
        self._kernel = kernel
        self._scheduler = kernel.scheduler
        self._engine = engine
        self._table = table
        self._prompt = prompt
        self._swift = swift
        self._timely = timely
        self._registers = memoryview(engine.regs).cast("B").cast("Q")
        self._left = kernel.left
        self._thread: Thread | None = None  # None: no leave is given
        self._watched = False  # a tracer is told of entries or returns
        self._empty: File | None = None  # what the call that has ended the run is to read from
        # number and arguments of the call that has ended the run, whose entry has been told
        self._begun: tuple[int, Sequence[int]] = (0, ())
        # of the slice, as of which its bytes of code were found: these very objects, unless something changes
        self._now = self._limit = 0

    def begin(self, thread: Thread) -> None:
        """Give leave for a slice of the thread that is loaded."""
        scheduler = self._kernel.scheduler
        self._thread, self._now, self._limit = thread, scheduler.cpu.now, scheduler.limit
        self._watched = self._kernel.hooks.calls_watched

    def end(self) -> None:
        self._thread = None

    def serve(self) -> None:
        """Carry out the call that the thread makes, or say to the engine what is to end the run."""
        thread, registers, event = self._thread, self._registers, SYSCALL64
        try:
            if thread is not None:
                number, third, second, first, pc = READ.unpack_from(registers)
                swift, work, scheduler = self._swift.get(number), self._left, self._scheduler
                left, result = work[0], None
                if (swift is not None and not self._watched and left > CALL_BYTES
                        and scheduler.cpu.now is self._now and scheduler.limit is self._limit):
                    try:
                        result = swift(thread, first, second, third)
                    except OSError as error:
                        result = self._failed(thread, error)
                if result is None:
                    if number in self._prompt:
                        event = self._carry_out(thread, number, first, second, third)
                elif isinstance(result, int):
                    if thread.errno and result < FAILED:
                        thread.errno = 0
                    work[0] = left - CALL_BYTES
                    RESULT.pack_into(registers, 8 * RAX, result, pc + SYSCALL_SIZE)
                    return
                else:
                    self._empty, event = result, SLEEPS
                if event == CARRIED_OUT:
                    return
        except BaseException as failure:  # which must not go through the engine
            self._engine.failure = failure
        self._engine.event = event
        self._engine.stop()

    def wait(self, thread: Thread) -> None:
        """Carry out the read that has ended the run of a thread, when its pipe has something to read."""
        registers, file, self._empty = self._registers, self._empty, None
        number, count, buffer, _descriptor, registers[RCX] = READ.unpack_from(registers)
        entry = self._kernel.syscalls[self._table][number]
        assert entry is not None and file is not None and file.source is not None
        values = ARGUMENTS(registers)
        thread.syscall, thread.syscall_name = number, entry.call.name
        self._scheduler.cpu.now += SYSCALL_COST
        pipe = file.source
        file.hold()  # another thread may close it
        try:
            while pipe.writers and not pipe.data and thread.undisturbed:
                thread.doze(pipe.queue)
            result = from_pipe(thread, pipe, buffer, count)
            if result is None:
                result = perform(thread, number, entry, values)
            else:
                thread.errno = 0
        finally:
            file.release()
        leave_syscall(thread, entry.call.name, result)

    def go_on(self, thread: Thread) -> None:
        """Carry out the call that has ended the run of a thread; its entry has been told."""
        number, values = self._begun
        entry = self._kernel.syscalls[self._table][number]
        leave_syscall(thread, thread.syscall_name, perform(thread, number, entry, values))

    def _failed(self, thread: Thread, error: OSError) -> int:
        """Return the result of a call that has failed; the next one is to find the thread's error."""
        thread.errno = error.errno or errno.EIO
        if self._kernel.quick is not None:
            self._kernel.quick.withdraw()
        return -thread.errno & MASK

    def _carry_out(self, thread: Thread, number: int, first: int, second: int, third: int) -> int:
        """Carry out any call; returns CARRIED_OUT, or the event that is to end the run."""
        kernel, registers, left = self._kernel, self._registers, self._left
        scheduler, quick, given = self._scheduler, kernel.quick, kernel.slice
        cpu = scheduler.cpu
        assert given is not None
        if quick is not None and quick.given:
            given = quick.end(cpu, given)
        cpu.worked(given - left[0])
        kernel.slice = None
        before, timely = cpu.now, None if self._watched else self._timely.get(number)
        cpu.now += SYSCALL_COST
        result = timely(thread, first, second, third) if timely is not None else None
        if result is not None:
            thread.errno = 0
            RESULT.pack_into(registers, 8 * RAX, result, registers[RIP] + SYSCALL_SIZE)
        else:
            cpu.now = before
            registers[RIP] = registers[RCX] = registers[RIP] + SYSCALL_SIZE  # as probes are to find it
            thread.in_user, thread.hasty, values = False, True, ARGUMENTS(registers)
            try:
                syscall_trap(thread, number, values, self._table)
            except MustWait:
                kernel.slice = left[0]
                if self._watched:
                    self._begun = number, values
                    return BEGUN
                cpu.now = before
                return SYSCALL64
            except BaseException:  # the slice ends with the run
                kernel.slice = left[0]
                raise
            finally:
                thread.hasty, thread.in_user = False, True
                registers[RIP] -= SYSCALL_SIZE
        limit = scheduler.limit
        if not thread.undisturbed or cpu.now >= limit or (limit < NEVER and not self._engine.counting):
            kernel.slice = left[0]
            return SERVED
        kernel.slice = left[0] = scheduler.budget()
        if quick is not None and quick.wanted and not thread.errno and not self._watched:
            quick.begin(cpu, limit, limit == NEVER, kernel.slice, kernel.walltime_offset)
        self._now, self._limit = cpu.now, limit
        return CARRIED_OUT
