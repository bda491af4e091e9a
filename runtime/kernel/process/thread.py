"""Threads, which the scheduler runs: in user mode on the engine, in the kernel as a coroutine.

The kernel side of each thread is a greenlet, so a system call handler that must wait calls `sleep`, wherever
it is.  A thread satisfies the protocol by which the framework knows what a probe fires in
(`runtime.framework.host.Context`).
"""

from __future__ import annotations

import contextlib
import errno
from collections.abc import Sequence

import greenlet

from runtime.kernel.base.clock import FAULT_COST, NEVER, SYSCALL_COST
from runtime.kernel.base.errors import Interrupted, MemoryFault, MustWait, SyscallError
from runtime.kernel.base.kernelfunctions import kfunction
from runtime.kernel.base.signals import (
    SIGSTOP,
    SS_AUTODISARM,
    SS_DISABLE,
    SS_ONSTACK,
    UNBLOCKABLE,
    AlternateStack,
    Pending,
    SignalInfo,
)
from runtime.kernel.base.wait import WaitQueue
from runtime.kernel.cpu.emulator import BEGUN, ERROR_FETCH, ERROR_WRITE, RESCHEDULE, SERVED, SLEEPS
from runtime.kernel.cpu.x86.engine import TLS_COUNT
from runtime.kernel.memory.physical import PAGE
from runtime.kernel.memory.placement import Kind
from runtime.kernel.process.delivery import deliver_pending, force_signal
from runtime.kernel.process.posting import sigtoproc
from runtime.kernel.process.ptrace import enter_call, leave_call

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    import random
    from typing import Any

    from runtime.kernel.base.caller import BoundCall, Caller
    from runtime.kernel.process.process import Process
    from runtime.kernel.process.ptrace import Trace
    from runtime.kernel.process.scheduler import Cpu
    from runtime.kernel.process.system import System

MOST_UNKNOWN = 1000  # names of system calls that the machine does not have and reports
MOST_STRAYS = 5  # instructions
TIMER_SLACK = 50_000  # ns that prctl(2) tells first
HURRIED = 64  # bytes of code that a thread runs while a signal waits for it
F_INVAL = 0  # <vm/seg_enum.h>: the page was not there, or not writable yet


class ThreadExit(BaseException):
    """Ends a thread: it unwinds the thread's kernel side."""


class Thread:
    """One thread.

    `regs` are its user registers, wherever they are: an array indexed by RAX and the like on x86
    (cpu.x86.engine), a `Registers` on SPARC (cpu.sparc.registers).  `context` holds them while the thread is
    not loaded into the engine.
    """

    def __init__(self, process: Process, tid: int, context: Any) -> None:
        self.process: Process = process
        self.kernel: System = process.kernel
        self.tid = tid
        self.context = context  # None for a thread of the kernel itself
        self.regs: Any = context.regs if context else [0] * 17
        self.greenlet: greenlet.greenlet | None = None  # its kernel side
        self.cpu: Cpu | None = None
        self.affinity = (1 << self.kernel.ncpus) - 1
        self.policy = self.priority = 0  # SCHED_OTHER, which has none
        self.reset_on_fork = False  # children do not have these
        self.timer_slack = self.usual_timer_slack = TIMER_SLACK
        self.urgent = False  # runs before threads that are not urgent
        self.ready_at = 0
        self.running = False  # on a CPU, or waiting for one
        self.in_user = False
        self.dead = False
        self.hasty = False  # it must not sleep: the engine waits for its system call
        self.killed = False
        self.started = False
        self.cpu_time = 0  # ns on CPUs, before the current slice
        self.probe_time = 0  # ns of it that probes took
        self.voluntary = self.involuntary = 0  # context switches
        self.mask = 0
        self.saved_mask: int | None = None
        self.waiting_for = 0  # the mask of signals that sigtimedwait(2) asks for
        self.pending = Pending(room=process.signals.pending.room)
        self.alternate_stack = AlternateStack()
        self.restart: tuple[str, int] | None = None  # how an interrupted call goes on, and its number
        self.syscall = -1  # number of the system call it is in
        self.syscall_name = ""
        self.restart_deadline: int | None = None  # ns since boot: when a restarted sleep ends
        self.errno = 0
        self.queues: Sequence[WaitQueue] = ()
        self.woken_by: WaitQueue | None = None
        self.interruptible = False
        self.clear_child_tid = 0
        self.robust_list = 0
        self.name = process.execname
        self.thread_areas = [0] * TLS_COUNT
        self.stop_requested = False  # a probe called stop()
        self.hurried = False  # signals wait until it has left a tracer's code
        self.trace: Trace | None = None  # set while another process traces it
        self.trap_pending = False  # it is to stop for its tracer
        self.exit_code = 0
        self.data: dict[str, Any] = {}  # what tracers keep with a thread

    # -- the probe's view -----------------------------------------------------------------------

    @property
    def address(self) -> int:
        """The address of its kthread_t."""
        return self.kernel.objects.address(Kind.THREAD, self)

    @property
    def pid(self) -> int:
        return self.process.pid

    @property
    def ppid(self) -> int:
        return self.process.ppid

    @property
    def uid(self) -> int:
        return self.process.identity.ruid

    @property
    def gid(self) -> int:
        return self.process.identity.rgid

    @property
    def zone(self) -> int:
        return self.process.zone.id

    @property
    def changed_credentials(self) -> bool:
        return self.process.identity.protected

    @property
    def zonename(self) -> bytes:
        return self.process.zone.name

    @property
    def execname(self) -> bytes:
        return self.process.execname

    @property
    def psargs(self) -> bytes:
        return self.process.psargs

    @property
    def threadname(self) -> bytes:
        return self.name

    def file(self, descriptor: int) -> int:
        """Return the address of a descriptor's file_t; 0 if it is not open."""
        table = self.process.file_table
        return self.kernel.objects.address(Kind.FILE, table.find(descriptor)) if table is not None else 0

    def read(self, address: int, size: int) -> bytes:
        """User memory.  Raises MemoryFault."""
        space = self.process.space
        if space is None:
            raise MemoryFault(address)
        return space.read(address, size)

    def read_text(self, address: int, size: int) -> bytes:
        """Return user memory as it is without a tracer's traps.  Raises MemoryFault."""
        return self.process.read_text(address, size)

    def read_string(self, address: int, limit: int = 4096) -> bytes:
        """Return a user string, up to its NUL (excluded) or `limit` bytes.  Raises MemoryFault."""
        space = self.process.space
        if space is None:
            raise MemoryFault(address)
        return space.read_string(address, limit)

    def write(self, address: int, data: bytes) -> None:
        """User memory.  Raises MemoryFault."""
        space = self.process.space
        if space is None:
            raise MemoryFault(address)
        space.write(address, data)

    def load(self) -> None:
        """Put its registers into the engine, unless they are there."""
        self.kernel.attach(self)

    def register(self, index: int) -> int:
        """Return a user register, by the number that D's uregs[] takes.  Raises IndexError."""
        return self.process.processor.register(self, index)

    @property
    def pc(self) -> int:
        """The program counter as the program knows it, also while it runs a tracer's code."""
        where = self.kernel.hooks.user_pc
        pc = self.process.processor.pc(self)
        return pc if where is None else where(self, pc)

    def user_stack(self, limit: int) -> Sequence[int]:
        """Return the program counters of the user stack, innermost first, at most `limit`."""
        return self.process.processor.user_stack(self, limit)

    def user_frames(self, limit: int) -> Sequence[tuple[int, int]]:
        """Return the same, each with the frame pointer there; 0 where that is not known."""
        return self.process.processor.user_frames(self, limit)

    def is_of(self, uid: int, gid: int) -> bool:
        """Whether these are the effective, real and saved ids of its process."""
        return self.process.identity.unmixed_as(uid, gid)

    def is_progeny_of(self, pid: int) -> bool:
        return self.process.is_progeny_of(pid)

    # -- sleeping -------------------------------------------------------------------------------

    def signal_pending(self) -> bool:
        waiting = self.pending.mask | self.process.signals.pending.mask
        return bool(waiting & ~self.mask) or self.killed or self.trap_pending

    def post(self, info: SignalInfo, sender: Caller | None = None) -> None:
        """Make a signal pending for this thread alone."""
        if self.process.takes_signals:
            sigtoproc(self.kernel.current, self.process, self, info, sender, True)

    def sleep(self, queues: WaitQueue | Sequence[WaitQueue], timeout: int | None = None, *,
              interruptible: bool = True, restart: str = "always") -> bool:
        """Sleep until one of the queues is woken; returns False if `timeout` ns pass before that.

        A signal ends an interruptible sleep too.  The next sleep then raises Interrupted(restart): so a
        caller that looks at its condition between the two sees what came together with the signal.
        """
        if self.hasty:
            raise MustWait
        return cv_wait(self, (queues,) if isinstance(queues, WaitQueue) else queues, timeout, interruptible,
                       restart)

    def doze(self, queue: WaitQueue) -> None:
        """Sleep until the queue is woken or a signal comes, as `sleep` does, where no probe can see how."""
        queue.join(self)
        self.queues, self.interruptible = (queue,), True
        hook = self.kernel.hooks.sleep
        if hook:
            hook(self)
        self.block(None)
        self.queues, self.interruptible = (), False
        if self.killed:
            raise ThreadExit

    def wakeup(self, queue: WaitQueue | None, events: int = 0) -> None:
        """End the thread's sleep; `queue` is the one it was woken through."""
        for waited in self.queues:
            waited.leave(self)
        if not self.running and not self.dead:
            self.woken_by = queue
            self.running = True
            self.queues = ()
            if self.kernel.hooks.wakeup:
                self.kernel.hooks.wakeup(self)
            self.kernel.scheduler.enqueue(self)

    def interrupt(self) -> None:
        """End an interruptible sleep, because a signal has come."""
        if not self.running and (self.interruptible or self.killed):
            self.wakeup(None)

    def kill(self) -> None:
        """Have the thread unwind and end as soon as it can."""
        self.killed = True
        if not self.running:
            self.wakeup(None)

    def block(self, timeout: int | None) -> bool:
        """Leave the CPU until `wakeup`; returns False if `timeout` ns pass before that."""
        scheduler = self.kernel.scheduler
        self.running, self.woken_by = False, None
        self.voluntary += 1
        if timeout is None or timeout >= NEVER:
            scheduler.greenlet.switch()  # as pause() does
            return True
        expired = False

        def expire() -> None:
            nonlocal expired
            if not self.running:  # one that has been woken before only waits for its CPU
                expired = True
                setrun(self.kernel.current, self)

        timer = scheduler.at(scheduler.cpu.now + timeout, expire)
        scheduler.pause()
        timer.cancel()
        return not expired

    # -- masks ----------------------------------------------------------------------------------

    def set_mask(self, mask: int) -> None:
        self.mask = mask & ~UNBLOCKABLE

    def use_mask(self, mask: int) -> None:
        """Replace the mask until the system call is over (sigsuspend, ppoll ...)."""
        self.saved_mask = self.mask
        self.set_mask(mask)

    # -- the stack for handlers -----------------------------------------------------------------

    def change_stack(self, address: int, flags: int, size: int, pointer: int) -> None:
        """Set it as sigaltstack(2) does where the stack pointer is `pointer`.  Raises SyscallError."""
        if self.alternate_stack.contains(pointer):
            raise SyscallError(errno.EPERM)
        mode = flags & ~SS_AUTODISARM
        if mode not in (0, SS_ONSTACK, SS_DISABLE):
            raise SyscallError(errno.EINVAL)
        if mode == SS_DISABLE:
            address = size = 0
        elif size < self.process.processor.smallest_stack:
            raise SyscallError(errno.ENOMEM)
        self.alternate_stack = AlternateStack(address, size, flags)

    def return_to_stack(self, address: int, flags: int, size: int, pointer: int) -> None:
        """A handler returns: the same, as the frame says, if that may be."""
        with contextlib.suppress(SyscallError):
            self.change_stack(address, flags, size, pointer)

    # -- running --------------------------------------------------------------------------------

    def may_run_on(self, cpu: int) -> bool:
        return bool(self.affinity >> cpu & 1)

    def begin(self) -> None:
        """Make a new thread ready to run."""
        self.greenlet = greenlet.greenlet(self._main)
        self.running = True
        self.kernel.scheduler.enqueue(self)

    def resume(self, scheduler: greenlet.greenlet) -> None:
        """Run until the thread pauses.  The scheduler calls this from its own greenlet."""
        assert self.greenlet is not None
        self.greenlet.parent = scheduler
        self.greenlet.switch()

    def _main(self) -> None:
        try:
            self._first_steps()
            scheduler = self.kernel.scheduler
            while True:
                if scheduler.cpu.now >= scheduler.limit or not self.undisturbed:
                    self._prepare_user()
                self._handle(self._run_user())
        except ThreadExit:
            pass
        if self.trace is not None:
            self.trace.exiting()
        self.kernel.lifecycle.thread_gone(self)

    def _first_steps(self) -> None:
        """Tell the hooks of a new thread, before its first instruction."""
        hooks = self.kernel.hooks
        if self.process.stopped:
            self._stop_here()
        if hooks.start and self.process.threads[0] is self:
            hooks.start(self)
        if hooks.lwp_start:
            hooks.lwp_start(self)
        self.started = True
        if hooks.syscall_return and self.syscall_name:
            hooks.syscall_return(self, self.syscall_name, 0)
        self.syscall = -1

    def _prepare_user(self) -> None:
        """Stop, deliver signals and wait for the CPU, until the thread may run its own code."""
        scheduler = self.kernel.scheduler
        while True:
            if self.killed:
                raise ThreadExit
            if self.process.stopped or self.stop_requested:
                self._stop_here()
            elif self.trap_pending:
                self.trap_pending = False
                if self.trace is not None:
                    self.trace.trap()
            elif self._signals_due():
                self.kernel.attach(self)
                deliver_pending(self)
            elif scheduler.cpu.now >= scheduler.limit:
                scheduler.pause()
            else:
                return

    @property
    def undisturbed(self) -> bool:
        """Whether no signal, stop or end keeps it from going on with its program."""
        process = self.process
        return (self.restart is None and self.saved_mask is None
                and not (self.killed or process.stopped or self.stop_requested or self.trap_pending
                         or (self.pending.mask | process.signals.pending.mask) & ~self.mask))

    def _signals_due(self) -> bool:
        """Whether `deliver_pending` has something to do now."""
        if not (self.signal_pending() or self.restart is not None or self.saved_mask is not None):
            return False
        waits = self.kernel.hooks.signals_wait
        self.hurried = waits is not None and waits(self)
        return not self.hurried

    def _stop_here(self) -> None:
        if self.stop_requested:
            self.stop_requested = False
            self.process.stopped = True
        while self.process.stopped and not self.killed:
            if self.trace is not None:
                self.trace.group_stop(self.process.stop_signal or SIGSTOP)
            else:
                self.sleep(self.process.continued, interruptible=False)
        if self.killed:
            raise ThreadExit

    def _run_user(self) -> int:
        """Run the program until an event of its engine; returns the event."""
        kernel, scheduler = self.kernel, self.kernel.scheduler
        if kernel.loaded is not self:
            kernel.attach(self)
        process, cpu = self.process, scheduler.cpu
        engine, space = process.processor.engine, process.space
        assert space is not None
        engine.thread = self
        if engine.traps is not space.traps:
            engine.lead(space.traps)
        hurried = self.hurried
        limited = scheduler.limit < NEVER or hurried
        if not engine.counting and (limited or kernel.precise):
            engine.count_work()
        budget = scheduler.budget()
        if hurried:  # a signal waits for a few instructions only
            budget, self.hurried = min(budget, HURRIED), False
        kernel.slice = kernel.work.left = budget
        quick, prompt = kernel.quick, None
        if quick is not None and self._unwatched(hurried):
            prompt = kernel.prompt or kernel.make_prompt()
            prompt.begin(self)
            if quick.wanted and not self.errno and not kernel.hooks.calls_watched:
                quick.begin(cpu, scheduler.limit, not limited, budget, kernel.walltime_offset)
        self.in_user = True
        try:
            event: int = engine.run()
            if event == RESCHEDULE and scheduler.strays is not None and len(process.threads) > 1:
                event = self._stray(scheduler.strays)
        finally:
            if prompt is not None:
                prompt.end()
            if quick is not None and quick.given:
                kernel.slice = quick.end(cpu, kernel.slice)
            used = kernel.slice - kernel.work.left
            kernel.slice = None
            cpu.worked(used)
            self.in_user = False
        return event

    def _unwatched(self, hurried: bool) -> bool:
        """Whether system calls may be carried out while the engine goes on, or waits."""
        return (self.kernel.hooks.function is None and self.trace is None and not hurried
                and self.restart_deadline is None and self.process.processor.bits == 64)

    def _stray(self, strays: random.Random) -> int:
        """Go on for a few instructions, so that a slice may end where no block of code does.

        Returns the event that ended this.
        """
        waits = self.kernel.hooks.signals_wait
        if waits is not None and waits(self):
            return RESCHEDULE
        return self.process.processor.step(self, strays.randrange(MOST_STRAYS))

    def _handle(self, event: int) -> None:
        """Deal with an event of the engine: a system call, or an exception."""
        if event in (SLEEPS, BEGUN):
            prompt = self.kernel.prompt
            assert prompt is not None
            if event == SLEEPS:
                prompt.wait(self)
            else:
                prompt.go_on(self)
            return
        if event in (RESCHEDULE, SERVED):
            return
        processor = self.process.processor
        call = processor.system_call(self, event)
        if call is not None:
            syscall_trap(self, *call)
        elif (exception := processor.serve(self, event)) is not None:
            force_signal(self, exception)

    def charge(self, nanoseconds: int) -> None:
        """Let the time pass that the kernel has worked for the thread."""
        self.kernel.scheduler.cpu.now += nanoseconds

    def page_fault(self, address: int, error: int) -> bool:
        """Deal with a page fault; returns whether the instruction may be tried again.

        The engine calls this in the middle of an instruction.  `error` has bits of cpu.emulator.ERROR_*.
        """
        space = self.process.space
        if space is None:
            return False
        if error & ERROR_FETCH:
            access = 4
        else:
            access = 2 if error & ERROR_WRITE else 1
        self.kernel.scheduler.cpu.now += FAULT_COST
        try:
            pagefault(self, address, access)
        except MemoryFault:
            return False
        except SyscallError:
            return self.kernel.out_of_memory(space)
        return True


@kfunction("pagefault", tell=lambda _thread, address, access: (address, F_INVAL, access, 0))
def pagefault(thread: Thread, address: int, access: int) -> None:
    """Bring a page of the program into memory.

    Raises MemoryFault where the program has none, SyscallError(ENOMEM) when no frame is left.
    """
    as_fault(thread, address, access)


@kfunction("as_fault",
           tell=lambda thread, address, access: (
               0, thread.process.space, address & -PAGE, PAGE, F_INVAL, access))
def as_fault(thread: Thread, address: int, access: int) -> None:
    """Bring a page of an address space into memory.  Raises as `pagefault`."""
    if not thread.process.memory.fault(address, access):
        raise MemoryFault(address)


@kfunction("syscall_trap")
def syscall_trap(thread: Thread, number: int, values: Sequence[int], calls: int) -> None:
    """Carry out a system call, and put its result into the result register.

    `values` are the six raw argument registers, `calls` is the key of the table that `number` is in.
    """
    thread.syscall = number
    if thread.trace is not None and thread.trace.calls:
        number, values = enter_call(thread, values)
    kernel = thread.kernel
    entry = kernel.syscalls[calls][number]
    name = entry.call.name if entry else f"syscall_{number}"
    thread.syscall_name = name
    if kernel.hooks.syscall_entry:
        kernel.hooks.syscall_entry(thread, name, values)
    kernel.scheduler.cpu.now += SYSCALL_COST  # between the hooks, so that a time from entry to return has it
    leave_syscall(thread, name, perform(thread, number, entry, values))


def perform(thread: Thread, number: int, entry: BoundCall | None, values: Sequence[int]) -> int:
    """Do what a system call does; returns its result, or where it fails the negative of the errno set."""
    kernel = thread.kernel
    try:
        if entry is None or entry.handler is None:
            name = thread.syscall_name
            known = name if len(kernel.unknown_syscalls) < MOST_UNKNOWN else "others"
            kernel.unknown_syscalls[known] = kernel.unknown_syscalls.get(known, 0) + 1
            raise SyscallError(errno.ENOSYS)
        if entry.altering:
            kernel.forget_answers()
        observe = kernel.hooks.function
        if observe is None:
            result = entry.handler(thread, *entry.convert(values))
        else:
            result = observe(entry.function, entry.handler, thread, entry.convert(values), {})
        thread.errno = 0
        if entry.quick and kernel.quick is not None and thread.trace is None:
            kernel.quick.remember(number, result)
    except Interrupted as interruption:
        if thread.killed:
            raise ThreadExit from None
        thread.restart = (interruption.restart, number)
        result, thread.errno = -errno.EINTR, errno.EINTR
    except MemoryFault:
        result, thread.errno = -errno.EFAULT, errno.EFAULT
    except OSError as error:
        thread.errno = error.errno or errno.EIO
        result = -thread.errno
    return result


def leave_syscall(thread: Thread, name: str, result: int) -> None:
    """Give the program the result of a system call, and tell those who watch."""
    if thread.restart is None:
        thread.restart_deadline = None
        if thread.saved_mask is not None:
            thread.mask, thread.saved_mask = thread.saved_mask, None
    thread.process.processor.finish(thread, result)
    hooks = thread.kernel.hooks
    if hooks.syscall_return:
        hooks.syscall_return(thread, name, result)
    if thread.trace is not None:
        leave_call(thread)
    thread.syscall, thread.syscall_name = -1, ""


@kfunction("cv_wait", tell=lambda _thread, queues, *_more: (queues[0] if queues else None,))
def cv_wait(thread: Thread, queues: Sequence[WaitQueue], timeout: int | None, interruptible: bool,
            restart: str) -> bool:
    """Sleep on all of `queues` until one is woken; returns False if `timeout` ns pass before that."""
    if thread.killed:
        raise ThreadExit
    if interruptible and thread.signal_pending():
        raise Interrupted(restart)
    hooks = thread.kernel.hooks
    for queue in queues:
        queue.join(thread)
    thread.queues, thread.interruptible = queues, interruptible
    if hooks.sleep:
        hooks.sleep(thread)
    woken = swtch(thread, timeout)
    thread.queues, thread.interruptible = (), False
    if thread.killed:
        raise ThreadExit
    return woken


@kfunction("setrun")
def setrun(_thread: Thread, sleeper: Thread) -> None:
    """End a sleep whose time is over.  The first argument is the thread that the clock interrupted."""
    sleeper.wakeup(None)


@kfunction("swtch")
def swtch(thread: Thread, timeout: int | None) -> bool:
    """Give the CPU away until woken; returns False if `timeout` ns pass before that."""
    return thread.block(timeout)
