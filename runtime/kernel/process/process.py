"""Processes: what threads share, and the tree of parents and children."""

from __future__ import annotations

import errno
import itertools
import os

from dif.elfnumbers import EM_X86_64
from runtime.kernel.base.errors import SyscallError
from runtime.kernel.base.identity import Credentials, Identity
from runtime.kernel.base.ids import INIT
from runtime.kernel.base.privileges import PROC_INFO, PROC_OWNER, PROC_SESSION, PROC_SETID, PROC_ZONE
from runtime.kernel.base.signals import SIGCHLD, SignalInfo, SignalState, bit
from runtime.kernel.base.wait import WaitQueue
from runtime.kernel.memory.allocator import PROCESSES, kmem_cache_free
from runtime.kernel.memory.placement import Kind
from runtime.kernel.process.posting import sigtoproc
from runtime.kernel.vfs.filetable import DESCRIPTORS
from runtime.kernel.vfs.uio import Traffic

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from runtime.kernel.base.caller import Caller, CallerProcess
    from runtime.kernel.cpu.processor import Processor
    from runtime.kernel.memory.addrspace import AddressSpace
    from runtime.kernel.process.ptrace import Trace
    from runtime.kernel.process.system import System
    from runtime.kernel.process.thread import Thread
    from runtime.kernel.process.timers import CpuTimer, Timer
    from runtime.kernel.process.zones import Zone
    from runtime.kernel.vfs.devices.terminal import ControllingTerminal
    from runtime.kernel.vfs.filetable import FileTable
    from runtime.kernel.vfs.namespace import View
    from runtime.kernel.vfs.vnode import Regular

RLIM_INFINITY = (1 << 64) - 1
(RLIMIT_CPU, RLIMIT_FSIZE, RLIMIT_DATA, RLIMIT_STACK, RLIMIT_CORE, RLIMIT_RSS, RLIMIT_NPROC, RLIMIT_NOFILE,
 RLIMIT_MEMLOCK, RLIMIT_AS, RLIMIT_LOCKS, RLIMIT_SIGPENDING, RLIMIT_MSGQUEUE, RLIMIT_NICE, RLIMIT_RTPRIO,
 RLIMIT_RTTIME) = range(16)
STACK_SIZE = 8 << 20
DEFAULT_LIMITS = {RLIMIT_STACK: (STACK_SIZE, RLIM_INFINITY), RLIMIT_CORE: (0, RLIM_INFINITY),
                  RLIMIT_NOFILE: (DESCRIPTORS, 1 << 20), RLIMIT_NPROC: (8192, 8192),
                  RLIMIT_MEMLOCK: (8 << 20, 8 << 20), RLIMIT_SIGPENDING: (8192, 8192),
                  RLIMIT_MSGQUEUE: (819200, 819200), RLIMIT_NICE: (0, 0), RLIMIT_RTPRIO: (0, 0)}
DUMPED = 0x80  # a bit in the status of a process that a signal ended: it left a core file
CLD_EXITED, CLD_KILLED, CLD_DUMPED, CLD_TRAPPED, CLD_STOPPED, CLD_CONTINUED = range(1, 7)


class Process:
    """One process.  Once it is a `zombie`, `status` is what wait(2) reports."""

    def __init__(self, kernel: System, pid: int, parent: Process | None) -> None:
        self.kernel = kernel
        self.pid = pid
        self.parent = parent
        self.children: list[Process] = []
        self.threads: list[Thread] = []
        self.space: AddressSpace | None = None
        self.file_table: FileTable | None = None  # None for the kernel's own processes
        self.view: View | None = None  # of the file system; None for them too
        self.identity: Identity = parent.identity.copy() if parent else Identity(0, 0)
        self.pgid: int = parent.pgid if parent else pid
        self.sid: int = parent.sid if parent else pid
        # the terminal that controls its session
        self.terminal: ControllingTerminal | None = parent.terminal if parent else None
        self.limits: dict[int, tuple[int, int]] = dict(parent.limits) if parent else dict(DEFAULT_LIMITS)
        self.signals = SignalState(kernel.queued_signals)
        self.execname: bytes = parent.execname if parent else b""
        self.arguments: list[bytes] = parent.arguments if parent else []
        self.environment: list[bytes] = parent.environment if parent else []
        self.has_executed = False  # a program of its own, since it was made
        self.executable: str = parent.executable if parent else ""
        self.exec_vnode: Regular | None = parent.exec_vnode if parent else None
        self.auxv: bytes = parent.auxv if parent else b""
        self.processor: Processor = parent.processor if parent else kernel.processor(EM_X86_64)
        self.nice: int = parent.nice if parent else 0
        self.io_priority: int = parent.io_priority if parent else 0
        self.zone: Zone = parent.zone if parent else kernel.zones.global_zone
        self.start_time = kernel.hrtime()
        self.status = 0
        self.zombie = False
        self.stopped = False
        self.stop_signal = 0
        self.report_stop = self.report_continue = False  # the parent has not been told yet
        self.exiting = False
        self.vfork_done: WaitQueue | None = None
        self.child_event = WaitQueue("wait")
        self.ended = WaitQueue("pidfd")  # woken once it has become a zombie
        self.continued = WaitQueue("stop")
        self.threads_gone = WaitQueue("exit")
        self.itimers: dict[int, Timer] = {}
        self.posix_timers: dict[int, Timer] = {}
        self.timer_numbers = itertools.count()
        self.traces: list[Trace] = []  # threads of others that it traces
        self.cpu_timers: list[CpuTimer] = []  # set timers that run while it is on a CPU
        self.dead_cpu_time = 0  # ns that ended threads were on CPUs
        self.children_cpu_time = 0
        self.traffic = Traffic()
        self.subreaper = False
        self.exit_signal = SIGCHLD
        self.death_signal = 0
        # the credentials, which stay the same object while these do
        self._made_of: tuple[object, ...] = (None,)
        self._seen: object = None  # the state of the identity then
        self._credentials = Credentials()
        self.initial_stack = 0  # the address where its program found argc
        if parent:
            parent.children.append(self)

    @property
    def bits(self) -> int:
        """The bits of an address of its program: 32 or 64."""
        return self.processor.bits

    @property
    def address(self) -> int:
        """The address of its proc_t."""
        return self.kernel.objects.address(Kind.PROCESS, self)

    @property
    def ppid(self) -> int:
        return self.parent.pid if self.parent else 0

    @property
    def shown_ppid(self) -> int:
        """Its parent's number, as processes know it: for a parent outside its zone init stands."""
        parent = self.parent
        if parent is None:
            return 0
        return parent.pid if parent.zone is self.zone or self.zone.sees(parent.zone) else INIT

    def find(self, pid: int) -> Process | None:
        """Return the process of a number; None if there is none that its zone knows of."""
        found = self.kernel.process(pid)
        return found if found is not None and self.knows(found) else None

    def find_thread(self, tid: int) -> Thread | None:
        """Return the thread of a number; None if there is none that its zone knows of."""
        found = self.kernel.threads.get(tid)
        return found if found is not None and self.knows(found.process) else None

    def knows(self, other: CallerProcess) -> bool:
        """Whether it knows of another process: that is in a zone that it sees, and may be examined."""
        if not self.zone.sees(other.zone):
            return False
        return self.identity.has(PROC_INFO) or other is self or self.may_control(other)

    def reaches(self, other: CallerProcess) -> bool:
        """Whether another process is in its session, or it may send to and trace those of others."""
        return self.sid == other.sid or self.identity.has(PROC_SESSION)

    def demand_control(self, other: CallerProcess) -> None:
        """Raise ESRCH or EPERM unless it may control another process, and look into it."""
        who, whose = self.identity, other.identity
        if not self.zone.sees(other.zone):
            raise SyscallError(errno.ESRCH)
        if not self.reaches(other):
            raise SyscallError(errno.EPERM)
        if not whose.is_only(who.euid, who.egid):
            who.demand(PROC_OWNER)

    def may_control(self, other: CallerProcess) -> bool:
        """Whether it may control another process."""
        try:
            self.demand_control(other)
        except SyscallError:
            return False
        return True

    def may_trace(self, other: CallerProcess) -> bool:
        """Whether it may see and change all of another process, as debuggers do.

        It must have every privilege that the other can have: else it could take them from there.
        """
        mine, whose = self.identity, other.identity
        if other is self:
            return True
        if not self.zone.sees(other.zone) or not self.reaches(other):
            return False
        owns = mine.ruid in (whose.ruid, whose.euid, whose.suid) and not whose.protected
        return (owns or mine.has(PROC_OWNER)) and mine.has(whose.permitted)

    def known(self) -> list[Process]:
        """Return the programs' processes that it knows of."""
        return [process for process in self.kernel.processes.values() if self.knows(process)]

    @property
    def leader(self) -> Thread:
        return self.threads[0]

    @property
    def psargs(self) -> bytes:
        """The first 79 bytes of its arguments, separated by blanks."""
        return b" ".join(self.arguments)[:79]

    @property
    def memory(self) -> AddressSpace:
        """The address space.  Raises SyscallError(ESRCH) when it has gone."""
        if self.space is None:
            raise SyscallError(errno.ESRCH)
        return self.space

    def read_text(self, address: int, size: int) -> bytes:
        """Return memory as it is without a tracer's traps.  Raises MemoryFault, SyscallError(ESRCH)."""
        original = self.kernel.hooks.user_text
        return self.memory.read(address, size) if original is None else original(self, address, size)

    def patch_text(self, address: int, data: bytes) -> None:
        """Change memory under any protection, as debuggers do.  Raises MemoryFault, SyscallError(ESRCH)."""
        patch = self.kernel.hooks.user_patch
        if patch is None:
            self.memory.patch(address, data)
        else:
            patch(self, address, data)

    @property
    def files(self) -> FileTable:
        """Its descriptors.  Raises SyscallError(EBADF) for one of the kernel's own processes."""
        if self.file_table is None:
            raise SyscallError(errno.EBADF)
        return self.file_table

    @property
    def fs(self) -> View:
        """What it sees of the file system: root, working directory, umask.  Raises SyscallError(ENOENT)."""
        if self.view is None:
            raise SyscallError(errno.ENOENT)
        return self.view

    @property
    def credentials(self) -> Credentials:
        """The ids that file operations check: the same object until they change."""
        identity, limit = self.identity, self.zone.limit
        if identity.state is not self._seen or limit is not self._made_of[-1]:
            self._seen = identity.state
            made_of = (identity.fsuid, identity.fsgid, identity.groups, identity.inheritable, identity.limit,
                       identity.aside, limit)
            if made_of != self._made_of:
                privileges = identity.privileges_as(identity.fsuid)
                self._credentials = Credentials(identity.fsuid, identity.fsgid, identity.groups, privileges,
                                                privileges == limit)
            self._made_of = made_of
        return self._credentials

    @property
    def file_size_limit(self) -> int:
        return self.limits.get(RLIMIT_FSIZE, (RLIM_INFINITY, 0))[0]

    @property
    def exit_status(self) -> int:
        """What a shell would report: 0-255 as it exited, or 128 + the signal that killed it."""
        signal = self.status & 0x7F
        return 128 + signal if signal else self.status >> 8 & 0xFF

    @property
    def end(self) -> int:
        """How it ended: CLD_EXITED, CLD_KILLED or CLD_DUMPED."""
        if not self.status & 0x7F:
            return CLD_EXITED
        return CLD_DUMPED if self.status & DUMPED else CLD_KILLED

    @property
    def cpu_time(self) -> int:
        return self.dead_cpu_time + sum(thread.cpu_time for thread in self.threads)

    def enter(self, zone: Zone, cwd: str) -> None:
        """Go into a zone, and there to a directory, with only those privileges that the zone may have.

        Raises OSError when the directory is not there.
        """
        self.view = self.kernel.vfs.context(cwd, zone.root)
        self.zone = zone
        self.identity.restrict(zone.limit)

    def enter_zone(self, name: str, user: str = "") -> None:
        """Go from the global zone into another, as zone_enter(2) does, and be a user's there if one is named.

        Raises EPERM, EINVAL.
        """
        self.identity.demand(PROC_ZONE | PROC_SETID if user else PROC_ZONE)
        zone, identity = self.kernel.zones.find(name), self.kernel.users.get(user)
        if zone is None or (user and identity is None):
            raise SyscallError(errno.EINVAL)
        alone = len(self.threads) == 1 and self.memory.users == 1
        if not alone or self.zone is not self.kernel.zones.global_zone:
            raise SyscallError(errno.EPERM)
        if identity is not None:
            self.identity.demand(identity.permitted & zone.limit)  # else it would get more than it has
            self.identity = identity.copy()
            self.identity.protected = True
        self.enter(zone, "/")

    def limit(self, resource: int) -> tuple[int, int]:
        return self.limits.get(resource, (RLIM_INFINITY, RLIM_INFINITY))

    def resume(self) -> None:
        """Let the process begin, if `spawn` has left it stopped."""
        if self.stopped:
            self.stopped = False
            self.continued.wake_all()

    def post(self, info: SignalInfo, sender: Caller | None = None) -> None:
        """Make a signal pending for the process as a whole; the kernel's own processes ignore it."""
        if self.takes_signals:
            sigtoproc(self.kernel.current, self, self._receiver(info.signal), info, sender, False)

    @property
    def takes_signals(self) -> bool:
        return not (self.zombie or self.exiting or self.space is None)

    def _receiver(self, signal: int) -> Thread:
        """Return the thread that is to take a signal: the first that does not block it."""
        for thread in self.threads:
            if thread.waiting_for & bit(signal) or not thread.mask & bit(signal):
                return thread
        return self.threads[0]

    def is_progeny_of(self, pid: int) -> bool:
        process: Process | None = self
        while process is not None:
            if process.pid == pid:
                return True
            process = process.parent
        return False

    def reap(self) -> None:
        """Remove a zombie from the table of processes, once its parent has waited for it."""
        if self.parent:
            self.parent.children_cpu_time += self.dead_cpu_time + self.children_cpu_time
            self.parent.traffic.add(self.traffic)
            self.parent.children.remove(self)
        if self.kernel.processes.pop(self.pid, None) is not None and self.zombie:
            self.kernel.zombies -= 1
            kmem_cache_free(self.kernel.current, PROCESSES, self)
        self.kernel.system.pop(self.pid, None)

    def rename(self, name: bytes) -> None:
        """Name the process, which is to name its first thread."""
        self.execname = self.leader.name = name

    def name_from(self, path: bytes) -> None:
        self.execname = os.path.basename(path)[:15]
