"""The emulated machine and its kernel, as one object: any number of them can live side by side."""

from __future__ import annotations

import errno
import os
import random
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

from runtime.kernel.base import kernelfunctions
from runtime.kernel.base.clock import BOOT_WALLTIME, BYTES_PER_STEP, NS_PER_STEP, Event
from runtime.kernel.base.errors import SyscallError
from runtime.kernel.base.hooks import Hooks
from runtime.kernel.base.ids import INIT
from runtime.kernel.base.signals import SignalInfo
from runtime.kernel.base.wait import WaitQueue
from runtime.kernel.cpu.emulator import EngineError, Slice
from runtime.kernel.cpu.processor import Processor
from runtime.kernel.cpu.x86.engine import Engine
from runtime.kernel.cpu.x86.processor import X86
from runtime.kernel.memory.kmem import KernelMemory
from runtime.kernel.memory.physical import PhysicalMemory
from runtime.kernel.objects.objects import Objects
from runtime.kernel.process.lifecycle import Lifecycle
from runtime.kernel.process.loader import EM_386, EM_SPARC, EM_SPARCV9, EM_X86_64
from runtime.kernel.process.process import Process
from runtime.kernel.process.scheduler import Scheduler, Until
from runtime.kernel.process.sysvipc import Ipc
from runtime.kernel.process.thread import Thread
from runtime.kernel.syscalls.table import I386_PREFIX, Table, i386_table, x86_64_table

DEFAULT_MEMORY = 4 << 30
DEFAULT_ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/", "LANG": "C.UTF-8"}


class Kernel:
    """A machine: `spawn` programs in it, `run` it.

    `ncpus` virtual CPUs; `seed` other than 0 varies the scheduler; `memory` bytes are taken from the
    host only as touched.  `real_clock` ties virtual time to the host's.  `precise` counts executed
    work even when nothing needs it, so that time stamps always tell of work done.
    """

    def __init__(self, *, ncpus: int = 1, seed: int = 0, memory: int = DEFAULT_MEMORY, root: str = "/",
                 real_clock: bool = False, precise: bool = False) -> None:
        from runtime.kernel.net.loopback import Loopback
        from runtime.kernel.net.socket import Network
        from runtime.kernel.vfs.filesystem import FileSystem

        self.ncpus = ncpus
        self.precise = precise
        self.hooks = Hooks()
        self.functions = kernelfunctions.Watchers(self.hooks)
        self.memory = PhysicalMemory(memory)
        self.kmem = KernelMemory()
        self.objects = Objects(self)
        self.work = Slice()  # what is left of the running slice, whichever processor runs it
        self._engines: list[Any] = []  # those that have been made
        self._processors: dict[int, Processor] = {EM_X86_64: X86(self, 64), EM_386: X86(self, 32)}
        self.memory.forget_code = self._forget_code
        self.loaded: Thread | None = None  # whose registers the engine holds
        self.slice: int | None = None  # bytes of code given to the running slice
        self.processes: dict[int, Process] = {}
        self.threads: dict[int, Thread] = {}
        self.probing = False  # a tracer's probe looks at user memory: hooks are not told of its faults
        self.page_ins = 0  # transfers from disk for mappings and programs
        self.unknown_syscalls: dict[str, int] = {}  # name: how often
        self.devices: dict[str, Any] = {}  # path under /dev: object with open(), ioctl(), close()
        self.reports: dict[str, dict[str, Callable[[], bytes]]] = {}  # /proc/DIRECTORY/FILE: its text
        self.signal_watchers: list[WaitQueue] = []  # woken whenever a signal becomes pending
        self.futexes: dict[tuple[int, int], Any] = {}
        self.ipc = Ipc()
        # told when a process has become a zombie
        self.ended: list[Callable[[Process], None]] = [self.ipc.process_ended]
        self.random = random.Random(seed)
        self.hostname: bytes = b"dtrace"
        self.domainname: bytes = b"(none)"
        self.panicked: str | None = None
        self.walltime_offset = BOOT_WALLTIME
        self.scheduler = Scheduler(self, ncpus, seed, real_clock)
        self.lifecycle = Lifecycle(self, seed)
        self.syscalls = {64: Table(x86_64_table(), 64), 32: Table(i386_table(), 32, I386_PREFIX)}
        swapper = Process(self, 0, None)
        swapper.execname = b"sched"
        self.idle: list[Thread] = [Thread(swapper, 0, None) for _ in range(ncpus)]
        for number, thread in enumerate(self.idle):
            thread.cpu = self.scheduler.cpus[number]
        swapper.threads = list(self.idle)
        self.init = Process(self, INIT, swapper)
        self.init.execname, self.init.arguments = b"init", [b"/sbin/init"]
        self.system = {0: swapper, INIT: self.init}
        self.current: Thread = self.idle[0]
        self.network = Network(Loopback(self.hooks))
        self.vfs: Any = FileSystem(self, root, seed=seed)

    def close(self) -> None:
        """Give everything back to the host; the kernel is not to be used afterwards."""
        for thread in list(self.threads.values()):
            thread.greenlet = None
        for engine in self._engines:
            engine.close()

    # -- programs -------------------------------------------------------------------------------

    def spawn(self, argv: Sequence[str], env: Mapping[str, str] | None = None, cwd: str | None = None,
              uid: int = 0, gid: int = 0, stopped: bool = True, parent: Process | None = None) -> Process:
        """Create a process running `argv`; looked up along $PATH when it has no slash.

        It waits for `process.resume()` when `stopped`; it is a child of init unless of `parent`.
        Raises OSError when it cannot be executed.
        """
        environment = dict(DEFAULT_ENVIRONMENT if env is None else env)
        arguments = [os.fsencode(word) for word in argv]
        settings = [os.fsencode(f"{name}={value}") for name, value in environment.items()]
        error: OSError = FileNotFoundError(2, os.strerror(2))
        for path in _candidates(argv[0], environment.get("PATH", "")):
            try:
                return self.lifecycle.spawn(os.fsencode(path), arguments, settings, cwd or os.getcwd(),
                                            uid, gid, stopped, parent or self.init)
            except OSError as failure:
                number = failure.errno or errno.EIO
                error = OSError(number, os.strerror(number), path)
        raise error

    def process(self, pid: int) -> Process | None:
        """The process of that number, the system's own among them."""
        return self.processes.get(pid) or self.system.get(pid)

    def run(self, until: Until = None) -> str:
        """Drive the machine: to a virtual time (ns), until a predicate holds, or until no process is left.

        Answers "until", "done" (no process is left), "idle" (nothing can happen any more) or the
        reason `stop` gave.  Programs write to the host's own descriptors 1 and 2.
        """
        if self.panicked is not None:
            return "panic"
        sys.stdout.flush()
        return self.scheduler.run(until)

    def stop(self, reason: str) -> None:
        """Make `run` return soon; may be called from a hook or a signal handler of the host."""
        self.scheduler.stop(reason)

    def interrupt(self) -> None:
        """Have the running program come back into the kernel soon, if one runs."""
        if self.slice is not None and self.loaded is not None:
            self.loaded.process.processor.engine.stop()

    def attach(self, thread: Thread) -> None:
        """Put a thread's registers into the engine."""
        old = self.loaded
        if old is thread:
            return
        if old is not None:
            self.detach(old)
        assert thread.context is not None
        processor, space = thread.process.processor, thread.process.space
        processor.attach(thread, space.root if space else processor.engine.root)
        self.loaded = thread

    def detach(self, thread: Thread) -> None:
        """Take a thread's registers out of the engine, if they are in it."""
        if self.loaded is thread and thread.context is not None:
            thread.process.processor.engine.save(thread.context)
            thread.regs = thread.context.regs
            self.loaded = None

    def process_ended(self, process: Process) -> None:
        for function in self.ended:
            function(process)

    def forget_futexes(self, process: Process) -> None:
        """No queue stays behind for an address space that goes."""
        if process.space is not None and process.space.users == 1:
            key = id(process.space)
            for known in [known for known in self.futexes if known[0] == key and not self.futexes[known]]:
                del self.futexes[known]

    def count_fault(self, name: str) -> None:
        if self.hooks.vminfo and not self.probing:
            self.hooks.vminfo(self.current, name, 1)

    # -- processors -----------------------------------------------------------------------------

    def processor(self, machine: int) -> Processor:
        """The processor for programs of this e_machine, plugged in when first needed.

        Raises SyscallError(ENOEXEC) where the engine has none that can be used.
        """
        if machine not in self._processors:
            from runtime.kernel.cpu.sparc.processor import Sparc

            try:
                processor = Sparc(self, {EM_SPARC: 8, EM_SPARCV9: 9}[machine])
            except EngineError:
                raise SyscallError(errno.ENOEXEC) from None
            self._plug_in(processor.engine)
            self._processors[machine] = processor
        return self._processors[machine]

    @cached_property
    def engine(self) -> Engine:
        """The engine of x86, made when first needed: a machine that runs nothing has none."""
        engine = Engine(self.memory, self.work)
        engine.time_stamp = self.hrtime
        self._plug_in(engine)
        return engine

    def _plug_in(self, engine: Any) -> None:
        engine.on_fault, engine.on_trap = self._page_fault, self._trap
        self._engines.append(engine)

    def _forget_code(self) -> None:
        for engine in self._engines:
            engine.flush_code()

    # -- engine callbacks -----------------------------------------------------------------------

    def _page_fault(self, address: int, error: int) -> bool:
        return self.loaded is not None and self.loaded.page_fault(address, error)

    def _trap(self, pc: int) -> bool:
        hook = self.hooks.trap
        return hook is not None and bool(hook(self.loaded, pc))

    # -- the host protocol ----------------------------------------------------------------------

    @property
    def cpu(self) -> int:
        return self.scheduler.cpu.number

    def size(self, structure: str) -> int:
        """Bytes of a structure of this kernel.  Raises LookupError."""
        self.kmem.complete()
        return self.objects.layout(structure).size

    def offset(self, structure: str, member: str) -> int:
        """Where a member of a structure of this kernel begins.  Raises LookupError."""
        self.kmem.complete()
        return self.objects.offset(structure, member)

    def hrtime(self) -> int:
        """Nanoseconds since boot, on the current CPU."""
        now = self.scheduler.cpu.now
        if self.slice is not None:
            now += (self.slice - self.work.left) * NS_PER_STEP // BYTES_PER_STEP
        return now

    def vtime(self) -> int:
        """On-CPU time of the current thread, less what probes took."""
        return self.current.cpu_time + self.hrtime() - self.scheduler.slice_start - self.current.probe_time

    def walltime(self) -> int:
        return self.walltime_offset + self.hrtime()

    def load(self, address: int, size: int) -> bytes:
        return self.kmem.load(address, size)

    def store(self, address: int, data: bytes) -> None:
        """Kernel memory.  Raises MemoryFault."""
        self.kmem.store(address, data)

    def kernel_stack(self, limit: int) -> list[int]:
        """Addresses in the kernel functions being executed, innermost first."""
        counters: list[int] = []
        frame = sys._getframe(1)
        while frame is not None and len(counters) < limit:
            described = kernelfunctions.CODES.get(frame.f_code)
            if described is not None:
                counters.append(described.address + min(max(frame.f_lasti, 0), kernelfunctions.SLOT - 1))
            frame = frame.f_back  # type: ignore[assignment]
        return counters

    def cyclic(self, interval: int, function: Callable[[], None], *, cpu: int | None = None,
               start: int | None = None) -> Event:
        """Call `function` every `interval` ns of virtual time on `cpu` (None: any one CPU)."""
        target = self.scheduler.cpus[cpu or 0]
        first = start if start is not None else self.hrtime() + interval
        return self.scheduler.at(first, function, cpu=target, interval=interval)

    def chill(self, nanoseconds: int) -> None:
        """Let virtual time pass with the current CPU doing nothing."""
        self.scheduler.cpu.now += nanoseconds
        self.current.probe_time += nanoseconds

    def stop_process(self, context: Any) -> None:
        """stop(): the process stops when it next leaves the kernel."""
        context.stop_requested = True
        self.scheduler.limit = self.scheduler.cpu.now
        self.interrupt()

    def raise_signal(self, context: Any, number: int) -> None:
        """raise(): a signal for the process, as soon as the probe is over."""
        self.scheduler.at(self.scheduler.cpu.now, lambda: context.process.post(SignalInfo(number), context))
        self.interrupt()

    def panic(self, reason: str) -> None:
        """Stop the emulated machine where it is."""
        self.panicked = reason
        self.scheduler.halt()

    def breakpoint(self) -> None:
        """There is no kernel debugger to enter: the machine goes on, as without one loaded."""


def _candidates(name: str, path: str) -> list[str]:
    if "/" in name:
        return [name]
    return [os.path.join(folder or ".", name) for folder in path.split(":")]
