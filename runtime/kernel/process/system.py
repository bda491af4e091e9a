"""The kernel as its threads know it: what they reach as `thread.kernel`.

`runtime.kernel.kernel.Kernel` is this with everything that is above processes: it makes the file system, the
system calls and the processors, and hands them in.
"""

from __future__ import annotations

import errno
import random
from collections import deque
from collections.abc import Callable, Mapping

from runtime.kernel.base import kernelfunctions
from runtime.kernel.base.budgets import Budget, Budgets
from runtime.kernel.base.clock import BOOT_WALLTIME, BYTES_PER_STEP, NS_PER_STEP
from runtime.kernel.base.hooks import Hooks
from runtime.kernel.base.identity import Identity
from runtime.kernel.base.ids import INIT, ROOT
from runtime.kernel.base.signals import MOST_PENDING
from runtime.kernel.base.wait import WaitQueue
from runtime.kernel.cpu.emulator import make_slice
from runtime.kernel.memory.allocator import KernelHeap
from runtime.kernel.memory.kmem import KernelMemory
from runtime.kernel.memory.physical import PAGE, PhysicalMemory
from runtime.kernel.net.loopback import Loopback
from runtime.kernel.process.lifecycle import Lifecycle
from runtime.kernel.process.process import Process
from runtime.kernel.process.scheduler import Scheduler
from runtime.kernel.process.sysvipc import Ipc
from runtime.kernel.process.thread import Thread
from runtime.kernel.process.zones import Zones

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from runtime.kernel.base.caller import BoundCall
    from runtime.kernel.cpu.processor import Processor
    from runtime.kernel.cpu.x86.engine import Engine
    from runtime.kernel.cpu.x86.quickcalls import QuickCalls
    from runtime.kernel.memory.addrspace import AddressSpace
    from runtime.kernel.memory.placement import Placement
    from runtime.kernel.process.futex import FutexQueue
    from runtime.kernel.process.prompt import PromptCalls
    from runtime.kernel.vfs.devices.devfs import Device
    from runtime.kernel.vfs.filesystem import FileSystem
    from runtime.kernel.vfs.vnode import Vnode

ABSENT = 64  # addresses that are remembered, for messages
NODENAME = b"dtrace"  # of the machine, until a program changes it


class System:
    """One kernel: its memory, processes, threads and clock, and what happens in it (`hooks`).

    `syscalls` are the tables of system calls, by the key that a processor has for its own.
    """

    objects: Placement
    vfs: FileSystem
    syscalls: dict[int, Mapping[int, BoundCall | None]]

    def __init__(self, *, ncpus: int, seed: int, budgets: Budgets, real_clock: bool, precise: bool) -> None:
        self.ncpus = ncpus
        self.precise = precise
        self.hooks = Hooks()
        self.functions = kernelfunctions.Watchers(self.hooks)
        self.budgets = budgets
        self.ending = False  # whether the run is at its end
        budgets.stop = self.end
        self.memory = PhysicalMemory(budgets.limits.memory)
        self.memory.heap.refused = lambda: budgets.refuse("memory")
        self.heap = KernelHeap(self.memory.heap, lambda: self.current, self.hooks)
        self.kmem = KernelMemory()
        self.work = make_slice()  # what is left of the running slice, whichever processor runs it
        self.left = memoryview(self.work).cast("B").cast("q")  # the same: the first word
        self.slice: int | None = None  # bytes of code given to the running slice
        self.loaded: Thread | None = None  # whose registers the engine holds
        self.quick: QuickCalls | None = None  # what answers some system calls without the kernel
        # what carries out system calls while the engine waits, once a program can have it
        self.prompt: PromptCalls | None = None
        self.processes: dict[int, Process] = {}
        self.threads: dict[int, Thread] = {}
        self.closef_hook: Callable[[], None] | None = None  # called before a file and its vnode are freed
        self.zombies = 0  # how many of `processes` are such
        self.probing = False  # a tracer's probe looks at user memory: hooks are not told of its faults
        self.touching = False  # what is not in memory is brought in even then
        self.absent: deque[int] = deque(maxlen=ABSENT)  # where probes looked last and no page was
        self.page_ins = 0  # transfers from disk for mappings and programs
        self.unknown_syscalls: dict[str, int] = {}  # name: how often
        self.devices: dict[str, Device] = {}  # by path under /dev
        self.reports: dict[str, dict[str, Callable[[], bytes]]] = {}  # /proc/DIRECTORY/FILE: its text
        self.signal_watchers: list[WaitQueue] = []  # woken whenever a signal becomes pending
        self.futexes: dict[tuple[int, int], FutexQueue] = {}  # by what identifies the word
        self.ipc = Ipc(self.heap)
        self.queued_signals: Budget = Budget(MOST_PENDING, errno.EAGAIN)
        self.ended: list[Callable[[Process], None]] = []  # called when a process has become a zombie
        self.random = random.Random(seed)
        self.users = {"root": Identity(ROOT, ROOT)}  # who a process of a user is, by name
        self.zones: Zones = Zones(Loopback(self.hooks, self.heap, budgets.passed), NODENAME)
        self.walltime_offset = BOOT_WALLTIME
        self.panicked: str | None = None  # why
        self.scheduler = Scheduler(self, ncpus, seed, real_clock)
        self.hrtime = self._clock()  # nanoseconds since boot, on the current CPU
        self.lifecycle = Lifecycle(self, seed)

    def executes(self, vnode: Vnode) -> bool:
        """Whether a process executes a file."""
        return any(each.exec_vnode is vnode and not each.zombie for each in self.processes.values())

    def unmap_file(self, vnode: Vnode, start: int, end: int, *, private: bool) -> None:
        """Take the bytes from `start` to `end` of a file out of shared mappings, or out of all."""
        for space in {each.space for each in self.processes.values() if each.space is not None}:
            for area in space.areas:
                if area.pages is vnode.pages and (area.shared or private):
                    shift = area.start - area.offset * PAGE
                    first, last = max(area.start, shift + start), min(area.end, shift + end)
                    if first < last:
                        space.discard(first, last)

    def _first_processes(self) -> None:
        """Make the processes that are there from the start: the one of the idle threads, and init."""
        swapper = Process(self, 0, None)
        swapper.execname = b"sched"
        self.idle: list[Thread] = [Thread(swapper, 0, None) for _ in range(self.ncpus)]
        for number, thread in enumerate(self.idle):
            thread.cpu = self.scheduler.cpus[number]
        swapper.threads = list(self.idle)
        self.init = Process(self, INIT, swapper)
        self.init.execname, self.init.arguments = b"init", [b"/sbin/init"]
        self.system = {0: swapper, INIT: self.init}  # the kernel's own processes
        self.current: Thread = self.idle[0]

    def cross_call(self) -> None:
        """Have every other CPU come to a point between two instructions, where all of them are already.

        The engines take turns in one memory: what is left of a cross call is that it counts.
        """
        if self.hooks.sysinfo and self.ncpus > 1:
            self.hooks.sysinfo(self.current, "xcalls", self.ncpus - 1)

    def process(self, pid: int) -> Process | None:
        """The process of that number, the system's own among them."""
        return self.processes.get(pid) or self.system.get(pid)

    @property
    def cpu(self) -> int:
        """The number of the CPU whose turn it is."""
        return self.scheduler.cpu.number

    # -- what the wiring provides ---------------------------------------------------------------

    def stop(self, reason: str) -> None:
        """Have the machine stop soon, for `reason`."""
        raise NotImplementedError

    def end(self, reason: str) -> None:
        """Have the machine stop soon, because tracing ends: from now on it waits for no input of the host."""
        self.ending = True
        self.stop(reason)

    @property
    def engine(self) -> Engine:
        """The engine of x86."""
        raise NotImplementedError

    def make_prompt(self) -> PromptCalls:
        """Make `prompt`.  There is a `quick`."""
        raise NotImplementedError

    def processor(self, machine: int) -> Processor:
        """The processor for programs of this e_machine.  Raises SyscallError(ENOEXEC) where there is none."""
        raise NotImplementedError

    # -- time -----------------------------------------------------------------------------------

    def _clock(self) -> Callable[[], int]:
        """Return `hrtime`, which is quicker than a method: many clauses ask for the time."""
        scheduler, left = self.scheduler, self.left

        def hrtime() -> int:
            cpu = scheduler.cpu
            given = self.slice
            if given is None:
                return cpu.now
            quick = self.quick
            if quick is not None and quick.given:
                given = self.slice = quick.settle(cpu, given)
            return cpu.now + ((given - left[0]) * NS_PER_STEP + cpu.rest) // BYTES_PER_STEP
        return hrtime

    def vtime(self) -> int:
        """Nanoseconds that the current thread has been on a CPU, less what probes took."""
        return self.current.cpu_time + self.hrtime() - self.scheduler.slice_start - self.current.probe_time

    def walltime(self) -> int:
        """Nanoseconds since 1970."""
        return self.walltime_offset + self.hrtime()

    # -- registers ------------------------------------------------------------------------------

    def attach(self, thread: Thread) -> None:
        """Put a thread's registers into the engine, unless they are there."""
        old = self.loaded
        if old is thread:
            return
        if old is not None and old.context is not None:
            old.process.processor.engine.save(old.context)
            old.regs = old.context.regs
        assert thread.context is not None
        processor, space = thread.process.processor, thread.process.space
        processor.attach(thread, space.root if space else processor.engine.root)
        self.loaded = thread
        if self.quick is not None:
            self.quick.forget()

    def detach(self, thread: Thread) -> None:
        """Take a thread's registers out of the engine, if they are in it."""
        if self.loaded is thread and thread.context is not None:
            thread.process.processor.engine.save(thread.context)
            thread.regs = thread.context.regs
            self.loaded = None

    def forget_answers(self) -> None:
        """Have the results of getpid(2) and its like found anew: another thread runs, or they may change."""
        if self.quick is not None:
            self.quick.forget()

    def interrupt(self) -> None:
        """Have the running program come back into the kernel soon, if one runs."""
        if self.slice is not None and self.loaded is not None:
            self.loaded.process.processor.engine.stop()

    # -- memory ---------------------------------------------------------------------------------

    def forget_futexes(self, space: AddressSpace) -> None:
        """Drop the empty queues of an address space that its last process leaves."""
        if space.users == 1:
            for key in [key for key, queue in self.futexes.items() if key[0] == id(space) and not queue]:
                del self.futexes[key]

    def out_of_memory(self, space: AddressSpace) -> bool:
        """Kill a process, because there is no memory for a page; returns whether `space` may try again."""
        self.budgets.refuse("memory")
        return self.lifecycle.make_room(space)
    @property
    def looking(self) -> bool:
        """Whether a probe looks at user memory, for which no page may be brought in."""
        return self.probing and not self.touching

    def missed(self, address: int) -> None:
        """Note that a probe did not get what lies there, because the page is not in memory."""
        self.absent.append(address)

    def count_fault(self, name: str) -> None:
        """Tell vminfo of a page fault (see runtime.kernel.memory.addrspace.Statistics)."""
        if self.hooks.vminfo and not self.probing:
            self.hooks.vminfo(self.current, name, 1)
