"""The kernel put together from all its parts.  Any number of kernels can live side by side."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

from dif.elfnumbers import EM_386, EM_AARCH64, EM_SPARC, EM_SPARCV9, EM_X86_64
from runtime.kernel.base import kernelfunctions
from runtime.kernel.base.budgets import Budgets
from runtime.kernel.base.clock import Event
from runtime.kernel.base.environment import DEFAULT_ENVIRONMENT
from runtime.kernel.base.errors import SyscallError
from runtime.kernel.base.identity import Identity
from runtime.kernel.base.signals import SignalInfo
from runtime.kernel.cpu.emulator import EngineError
from runtime.kernel.cpu.x86.processor import X86
from runtime.kernel.memory.allocator import FILES, kmem_cache_alloc
from runtime.kernel.objects.contents import Objects, Rows
from runtime.kernel.process.process import Process
from runtime.kernel.process.scheduler import Until
from runtime.kernel.process.system import System
from runtime.kernel.process.thread import Thread
from runtime.kernel.syscalls.table import (
    ARM64_PREFIX,
    I386_PREFIX,
    Table,
    arm64_table,
    i386_table,
    x86_64_table,
)
from runtime.kernel.vfs.filesystem import FileSystem
from runtime.kernel.vfs.fops import closef

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from runtime.kernel.cpu.processor import Processor, UserEngine
    from runtime.kernel.cpu.x86.engine import Engine
    from runtime.kernel.process.prompt import PromptCalls
    from runtime.kernel.process.zones import Zone
    from runtime.kernel.vfs.disk.source import Source
    from runtime.kernel.vfs.vnode import File

SPARC_VERSIONS = {EM_SPARC: 8, EM_SPARCV9: 9}
# where 64-bit SPARC programs look for their loader and libraries, and where Debian's cross-compiler has them
SPARC_LIBRARIES = {"/lib64": "/usr/sparc64-linux-gnu/lib64",
                   "/lib/sparc64-linux-gnu": "/usr/sparc64-linux-gnu/lib"}
ARM64_LIBRARIES = {"/lib": "/usr/aarch64-linux-gnu/lib",
                   "/lib/aarch64-linux-gnu": "/usr/aarch64-linux-gnu/lib"}


class Kernel(System):
    """A machine: `spawn` programs in it, `run` it.

    It has `ncpus` virtual CPUs, and may use what `budgets` say; memory is taken from the host when it is
    first touched.
    `root` is the host's directory that its root file system shows ("" for none), and `files` are those of the
    host that it shows besides (see runtime.kernel.vfs.filesystem).  `source` stands for the host.
    A `seed` other than 0 varies the scheduler.  `real_clock` ties virtual time to the host's.  `precise`
    counts executed code even when nothing needs it, so that virtual time advances within a slice too.
    `vectors`: x86 programs are offered AVX and what belongs to it (x86-64-v3), where the host has that.
    """

    objects: Objects
    target = ""  # whose numbers registers of AArch64 programs have to scripts, beside our own

    def __init__(self, *, ncpus: int = 1, seed: int = 0, budgets: Budgets | None = None, root: str = "/",
                 files: Sequence[str] = (), source: Source | None = None, real_clock: bool = False,
                 precise: bool = False, vectors: bool = False) -> None:
        super().__init__(ncpus=ncpus, seed=seed, budgets=budgets or Budgets(), real_clock=real_clock,
                         precise=precise)
        self.objects = Objects(self, _rows)
        self.remark: Callable[[str], None] = lambda message: None  # is told what only the curious ask
        self._engines: list[UserEngine] = []  # those that have been made
        self._processors: dict[int, Processor] = {
            EM_X86_64: X86(lambda: self.engine, 64, vectors), EM_386: X86(lambda: self.engine, 32, vectors)}
        self.vectors = vectors
        self.memory.forget_code = self._forget_code
        self.syscalls = {64: Table(x86_64_table(), 64), 32: Table(i386_table(), 32, I386_PREFIX)}
        self._first_processes()
        self.vfs = FileSystem(self, root, files=files, seed=seed, source=source)
        self.vfs.closing = self._closing
        self.vfs.opening = self._opening
        self.zones.global_zone.root = self.vfs.root

    def close(self) -> None:
        """Give all memory back to the host; the kernel cannot be used afterwards."""
        for thread in list(self.threads.values()):
            thread.greenlet = None
        for engine in self._engines:
            engine.close()

    # -- programs -------------------------------------------------------------------------------

    def spawn(self, argv: Sequence[str], env: Mapping[str, str] | None = None, cwd: str | None = None,
              identity: Identity | None = None, stopped: bool = True, parent: Process | None = None,
              zone: Zone | None = None) -> Process:
        """Create a process that runs `argv`; a name without a slash is looked up along $PATH.

        If `stopped` it waits for `Process.resume`.  By default it is the superuser's, its parent is init, and
        it is in its parent's zone.
        Raises OSError when it cannot be executed.
        """
        environment = dict(DEFAULT_ENVIRONMENT if env is None else env)
        arguments = [os.fsencode(word) for word in argv]
        settings = [os.fsencode(f"{name}={value}") for name, value in environment.items()]
        who, above = identity or Identity(0, 0), parent or self.init
        error: OSError = FileNotFoundError(2, os.strerror(2))
        for path in _candidates(argv[0], environment.get("PATH", "")):
            try:
                return self.lifecycle.spawn(os.fsencode(path), arguments, settings, cwd or self.vfs.home,
                                            who, zone or above.zone, stopped, above)
            except OSError as failure:
                number = failure.errno or errno.EIO
                error = OSError(number, failure.strerror or os.strerror(number), path)
        raise error

    def run(self, until: Until = None) -> str:
        """Drive the machine: to a virtual time (ns), until a predicate holds, or until no process is left.

        Returns "until", "done" (no process is left), "idle" (nothing will happen any more), "panic" or the
        reason that `stop` was given.  Programs write to the host's descriptors 1 and 2.
        """
        if self.panicked is not None:
            return "panic"
        sys.stdout.flush()
        return self.scheduler.run(until)

    def stop(self, reason: str) -> None:
        """Make `run` return `reason` soon.  A hook may call this, or a signal handler of the host."""
        self.scheduler.stop(reason)

    # -- processors -----------------------------------------------------------------------------

    def processor(self, machine: int) -> Processor:
        """Return the processor for programs of this e_machine; it is made when first needed.

        Raises SyscallError(ENOEXEC) if Unicorn has none that can be used.
        """
        if machine not in self._processors:
            try:
                self._processors[machine] = (self._arm64() if machine == EM_AARCH64
                                             else self._sparc(SPARC_VERSIONS[machine]))
            except EngineError:
                raise SyscallError(errno.ENOEXEC) from None
        return self._processors[machine]

    def _sparc(self, version: int) -> Processor:
        """Make the processor of SPARC V8 or V9, with its system calls.  Raises EngineError."""
        from runtime.kernel.cpu.sparc.processor import Sparc
        from runtime.kernel.syscalls.sparc import calls

        processor = Sparc(self.memory, self.work, version)
        processor.engine.on_join = self._join
        self._plug_in(processor.engine)
        if processor.bits == 64:
            for folder, target in SPARC_LIBRARIES.items():
                self.vfs.link_all(folder, target)
        self.syscalls[processor.calls] = calls.table(processor.bits)
        return processor

    def _arm64(self) -> Processor:
        """Make the processor of AArch64, with its system calls.  Raises EngineError."""
        from dif.userregisters import translation
        from runtime.kernel.cpu.arm64.processor import Arm

        processor = Arm(self.memory, self.work, translation(self.target), self.remark)
        self._plug_in(processor.engine)
        for folder, target in ARM64_LIBRARIES.items():
            self.vfs.link_all(folder, target)
        self.syscalls[processor.calls] = Table(arm64_table(), processor.bits, ARM64_PREFIX)
        return processor

    @cached_property
    def engine(self) -> Engine:
        """The engine of x86, made when first needed: a machine that runs nothing has none."""
        from runtime.kernel.cpu.x86.direct import make_engine

        engine = make_engine(self.memory, self.work, self.remark, self.vectors)
        engine.time_stamp = self.hrtime
        self.quick = engine.quick
        if self.quick is not None:
            from runtime.kernel.cpu.x86.quickcalls import CLOCKS

            self.quick.clocks({call.number: CLOCKS[call.name] for call in x86_64_table().values()
                               if call.name in CLOCKS})
        self._plug_in(engine)
        return engine

    def make_prompt(self) -> PromptCalls:
        from runtime.kernel.syscalls.swift import prompt_calls

        self.prompt = prompt_calls(self, self.engine)
        self.engine.serve_calls(self.prompt.serve)
        return self.prompt

    def _opening(self, file: File) -> None:
        if self.hooks.function is not None:  # kmem_cache_alloc does nothing but to be seen
            kmem_cache_alloc(self.current, FILES, file)

    def _closing(self, file: File) -> None:
        file.vnode.closed_by(self.current.process)
        if self.hooks.function is not None or self.closef_hook is not None:
            closef(self.current, file)
        else:
            file.release()

    def _plug_in(self, engine: UserEngine) -> None:
        engine.on_fault, engine.on_trap, engine.on_act = self._page_fault, self._trap, self._acted
        self._engines.append(engine)

    def _forget_code(self) -> None:
        for engine in self._engines:
            engine.flush_code()

    # -- engine callbacks -----------------------------------------------------------------------

    def _page_fault(self, address: int, error: int) -> bool:
        if self.quick is not None and self.quick.given:
            self.quick.withdraw()
        return self.loaded is not None and self.loaded.page_fault(address, error)

    def _trap(self, pc: int) -> bool:
        thread, hook = self.loaded, self.hooks.trap
        assert thread is not None
        if hook is None or not hook(thread, pc):
            return False
        self._acted()
        return True

    def _acted(self) -> None:
        """See whether what a tracer did at a trap has let time pass, or has the slice end sooner."""
        quick, scheduler = self.quick, self.scheduler
        if quick is not None and quick.given and (
                scheduler.limit is not quick.limit or scheduler.cpu.now is not quick.seen):
            quick.withdraw()

    def _join(self, address: int) -> None:
        assert self.loaded is not None
        self.loaded.process.memory.join(address)

    # -- the host protocol ----------------------------------------------------------------------

    def size(self, structure: str) -> int:
        """Return the bytes of a structure of this kernel.  Raises LookupError."""
        self.kmem.complete()
        return self.objects.layout(structure).size

    def offset(self, structure: str, member: str) -> int:
        """Return the offset of a member of a structure of this kernel.  Raises LookupError."""
        self.kmem.complete()
        return self.objects.offset(structure, member)

    def load(self, address: int, size: int) -> bytes:
        """Return bytes of kernel memory.  Raises MemoryFault."""
        return self.kmem.load(address, size)

    def store(self, address: int, data: bytes) -> None:
        """Change kernel memory.  Raises MemoryFault."""
        self.kmem.store(address, data)

    def kernel_stack(self, limit: int) -> list[int]:
        """Return addresses in the kernel functions that are being executed, innermost first."""
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

    def stop_process(self, thread: object) -> None:
        """Have a process stop when it next leaves the kernel, for D's stop()."""
        assert isinstance(thread, Thread)
        thread.stop_requested = True
        self.scheduler.limit = self.scheduler.cpu.now
        self.interrupt()

    def raise_signal(self, thread: object, number: int) -> None:
        """Send a process a signal as soon as the probe is over, for D's raise()."""
        assert isinstance(thread, Thread)
        process, info = thread.process, SignalInfo(number)
        self.scheduler.at(self.scheduler.cpu.now, lambda: process.post(info, thread))
        self.interrupt()

    def panic(self, reason: str) -> None:
        """Stop the emulated machine where it is."""
        self.panicked = reason
        self.scheduler.halt()

    def breakpoint(self) -> None:
        """Do nothing, for D's breakpoint(): there is no kernel debugger to enter."""


def _rows() -> Rows:
    """Load the tables of values of the kernel's objects, when a load first meets one of them."""
    from runtime.kernel.objects import members, variables

    return Rows(members.MEMBERS, members.ARRAYS, members.IMAGES, variables.VARIABLES, variables.ALIASES)


def _candidates(name: str, path: str) -> list[str]:
    if "/" in name:
        return [name]
    return [os.path.join(folder or ".", name) for folder in path.split(":")]
