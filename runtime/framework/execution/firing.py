"""One firing as DIF sees it: arguments, scratch space, memory with its checks.

There is one Firing per tracing state and CPU; `begin` readies it for a clause.
Both engines, the built-in variables and the subroutines work on it.
"""

from __future__ import annotations

import mmap
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

from dof.optionids import OptionId
from runtime.framework.access import of_file, of_thread, within
from runtime.framework.execution.faults import DifFault, Fault
from runtime.framework.host import Context, Host, MemoryFault
from runtime.framework.values.difmemory import (
    CONSTANTS,
    DYNAMICS,
    OFFSET_MASK,
    SCRATCH,
    SLOT_SHIFT,
    STATICS,
    anonymous,
    base,
)

if TYPE_CHECKING:
    from runtime.framework.provider import Probe
    from runtime.framework.tracing.state import State

_T = TypeVar("_T")
SCRATCH_MIN = 4096
_M = 0xFFFFFFFFFFFFFFFF


class Firing:
    """The clause under way on one CPU.

    `args` are the probe's first five arguments; `epid` the clause's.  `dropped`
    is set when a dynamic variable could not be made: the record is then given
    up.  `timestamp` and `walltime` are 0 until somebody asks.  The condition of an
    ECB may set `hides_arguments` and `hides_process` (see runtime.framework.access).
    """

    host: Host
    epid: int

    __slots__ = ("args", "cpu", "dropped", "epid", "file", "hides_arguments", "hides_process", "host",
                 "kernel_access", "memory", "probe", "scratch", "scratch_base", "scratch_end", "scratch_next",
                 "state", "strsize", "strtok", "strtok_left", "timestamp", "walltime")

    def __init__(self, state: State, cpu: int, scratch: int) -> None:
        self.state = state
        self.cpu = cpu
        self.host = state.framework.host
        self.memory = state.memory
        self.kernel_access = state.credentials.kernel
        self.strsize = state.options[OptionId.STRSIZE]
        size = max(scratch, SCRATCH_MIN)
        self.scratch: mmap.mmap = anonymous(size)
        self.memory.arenas[SCRATCH + cpu] = self.scratch
        self.scratch_base = base(SCRATCH + cpu)
        self.scratch_end = self.scratch_base + size
        self.scratch_next = self.scratch_base
        self.probe: Probe
        self.args: tuple[int, int, int, int, int] = (0, 0, 0, 0, 0)
        self.epid = 0
        self.dropped = False
        self.timestamp = self.walltime = 0
        self.strtok = self.strtok_left = 0
        self.file = 0  # file_t that getf() gave
        self.hides_arguments = self.hides_process = False

    def begin(self, probe: Probe, epid: int, args: tuple[int, int, int, int, int]) -> None:
        """Ready for a clause: scratch space is empty again.

        What strtok() remembers lasts for all clauses of a firing; whoever runs
        the first of them clears `strtok`.
        """
        self.probe = probe
        self.epid = epid
        self.args = args
        self.scratch_next = self.scratch_base
        self.dropped = False
        self.timestamp = self.walltime = 0
        self.file = 0
        self.hides_arguments = self.hides_process = False

    @property
    def context(self) -> Context:
        return self.host.current

    def now(self) -> int:
        """The firing's timestamp: the same for the whole clause."""
        if not self.timestamp:
            self.timestamp = self.host.hrtime()
        return self.timestamp

    # -- scratch -----------------------------------------------------------------------------------

    def allocate(self, size: int, alignment: int = 1) -> int:
        """Scratch space, not cleared.  Raises DifFault(NOSCRATCH)."""
        address = (self.scratch_next + alignment - 1) & -alignment
        if address + size > self.scratch_end:
            raise DifFault(Fault.NOSCRATCH)
        self.scratch_next = address + size
        return address

    def put(self, address: int, data: bytes) -> None:
        """Store into scratch space just allocated."""
        at = address & OFFSET_MASK
        self.scratch[at:at + len(data)] = data

    def new_string(self, text: bytes, room: int) -> int:
        """A string in `room` bytes of scratch space, cut to fit with its NUL."""
        address = self.allocate(room)
        self.put(address, text[:room - 1] + b"\0")
        return address

    def new_string_at_end(self, text: bytes, room: int) -> int:
        """A string, shorter than `room`, at the end of so many bytes of scratch space."""
        address = self.allocate(room) + room - 1 - len(text)
        self.put(address, text + b"\0")
        return address

    def in_scratch(self, address: int, size: int) -> bool:
        """Whether the range lies in scratch space already allocated."""
        return self.scratch_base <= address and address + size <= self.scratch_next

    # -- memory ------------------------------------------------------------------------------------

    def writable(self, address: int, size: int) -> bool:
        """Whether DIF may store there: scratch space or its own variables."""
        slot = address >> SLOT_SHIFT
        if slot == SCRATCH + self.cpu:
            return address + size <= self.scratch_end
        if slot == STATICS:
            return self.state.variables.writable(address, size)
        return slot == DYNAMICS and self.state.dynamic.writable(address, size)

    def readable(self, address: int, size: int) -> bool:
        """Whether a tracer without kernel privileges may load there."""
        if address >> SLOT_SHIFT == CONSTANTS or self.writable(address, size):
            return True
        credentials, host = self.state.credentials, self.host
        if not self.hides_process and (credentials.proc or credentials.user) \
                and within(address, size, lambda: of_thread(host)):
            return True
        return self.file != 0 and within(address, size, lambda: of_file(host, self.file))

    def check(self, address: int, size: int) -> None:
        """Raises DifFault(KPRIV) if the tracer may not load there."""
        if not self.kernel_access and not self.readable(address, size):
            raise DifFault(Fault.KPRIV, address)

    def load(self, address: int, size: int) -> bytes:
        """Checked load.  Raises DifFault."""
        if not self.kernel_access:
            self.check(address, size)
        return self.memory.load(address, size)

    def scalar(self, address: int, size: int) -> bytes:
        """Checked load of an instruction (Memory.scalar).  Raises DifFault."""
        if not self.kernel_access:
            self.check(address, size)
        return self.memory.scalar(address, size)

    def string(self, address: int, limit: int | None = None) -> bytes:
        """Checked load of a string, its NUL excluded, at most `limit` (strsize) bytes."""
        limit = self.strsize if limit is None else limit
        if self.kernel_access:
            return self.memory.string(address, limit)
        self.check(address, 0)
        text = self.memory.string(address, limit)
        self.check(address, min(len(text) + 1, limit))
        return text

    def store_integer(self, address: int, value: int, size: int) -> None:
        """Checked store of the lowest `size` bytes.  Raises DifFault (BADADDR, BADALIGN)."""
        if not self.writable(address, size):
            raise DifFault(Fault.BADADDR, address)
        if address & (size - 1):
            raise DifFault(Fault.BADALIGN, address)
        self.memory.poke(address, (value & (1 << size * 8) - 1).to_bytes(size, "little"))

    def copy(self, source: int, target: int, size: int) -> None:
        """Checked copy (copys).  Raises DifFault."""
        if not self.writable(target, size):
            raise DifFault(Fault.BADADDR, target)
        if size:
            self.memory.poke(target, self.load(source, size))

    def allocate_zeroed(self, size: int) -> int:
        """Cleared scratch space at a multiple of 8 (allocs).  Raises DifFault(NOSCRATCH)."""
        before = self.scratch_next
        address = self.allocate(size, 8)
        self.put(before, bytes(self.scratch_next - before))
        return address

    # -- the program -------------------------------------------------------------------------------

    def user(self, address: int, size: int) -> bytes:
        """User memory of the current process.  Raises DifFault(BADADDR)."""
        host = self.host
        host.probing = True
        try:
            return host.current.read(address, size)
        except MemoryFault as fault:
            raise DifFault(Fault.BADADDR, fault.address) from None
        finally:
            host.probing = False

    def user_string(self, address: int, limit: int) -> bytes:
        """A user string, its NUL excluded.  Raises DifFault(BADADDR)."""
        host = self.host
        host.probing = True
        try:
            return host.current.read_string(address, limit)
        except MemoryFault as fault:
            raise DifFault(Fault.BADADDR, fault.address) from None
        finally:
            host.probing = False

    def _look(self, look: Callable[..., _T], *what: object) -> _T:
        """What is done more rarely than the two above, in the same way."""
        host = self.host
        host.probing = True
        try:
            return look(*what)
        except MemoryFault as fault:
            raise DifFault(Fault.BADADDR, fault.address) from None
        finally:
            host.probing = False

    def store_user(self, address: int, data: bytes) -> None:
        """Write user memory of the current process.  Raises DifFault(BADADDR)."""
        self._look(self.host.current.write, address, data)

    def user_stack(self, limit: int) -> Sequence[int]:
        """Program counters of the current thread, innermost first, at most `limit`.  Raises DifFault."""
        return self._look(self.host.current.user_stack, limit)

    def user_frames(self, limit: int) -> Sequence[tuple[int, int]]:
        """As `user_stack`, each with its frame pointer."""
        return self._look(self.host.current.user_frames, limit)

    # -- the kernel --------------------------------------------------------------------------------

    def kernel_string(self, text: bytes) -> int:
        """The address of a string the kernel has: itself, or a copy for those who may not look."""
        if self.kernel_access:
            return self.state.framework.strings.intern(text)
        return self.new_string(text, min(len(text), self.strsize) + 1)

    # -- privileges --------------------------------------------------------------------------------

    def require_process(self) -> None:
        """Raises DifFault(UPRIV) if the tracer may not look into the current process."""
        if self.hides_process:
            raise DifFault(Fault.UPRIV)

    def require_kernel(self) -> None:
        """Raises DifFault(KPRIV) if the tracer may not look into the kernel."""
        if not self.kernel_access:
            raise DifFault(Fault.KPRIV)

    # -- dynamic variables -------------------------------------------------------------------------

    def thread_key(self) -> int:
        """What tells this thread's variables from all others'."""
        return self.host.current.tid

    def argument(self, index: int) -> int:
        """Argument `index` of the probe, the provider asked for those past the fifth.

        Raises DifFault(KPRIV).
        """
        if self.hides_arguments:
            raise DifFault(Fault.KPRIV)
        if index < 5:
            return self.args[index] & _M
        return self.probe.provider.operations.getarg(self.probe, index) & _M
