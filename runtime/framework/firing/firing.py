"""What DIF can reach, in three scopes: of all tracers, of one tracer, and of one firing.

A `Platform` is the kernel that all DIF runs in.  An `Environment` is what the DIF
of one tracing state shares: variables, strings, speculations.  A `Firing` is the
clause under way on one CPU: arguments, scratch space, and memory with its checks.
Both engines, the built-in variables and the subroutines work on a Firing.
"""

from __future__ import annotations

import mmap
from collections.abc import Callable, Iterator, Sequence

from dif.arithmetic import MASK
from dif.difo import Difo
from dof.options import STRSIZE_DEFAULT
from runtime.framework.base.faults import DifFault, FaultKind
from runtime.framework.base.host import Context, Host, MemoryFault
from runtime.framework.base.storage import anonymous
from runtime.framework.buffers.speculation import Speculations
from runtime.framework.firing.access import Range, of_file, of_thread, readable_bytes
from runtime.framework.firing.code import Code
from runtime.framework.firing.dynamicvariables import DynamicVariables
from runtime.framework.firing.memory import (
    CONSTANTS,
    DYNAMICS,
    OFFSET_MASK,
    SCRATCH,
    SLOT_SHIFT,
    STATICS,
    STRINGS,
    AlignedMemory,
    Memory,
    Strings,
    base,
)
from runtime.framework.firing.uservariables import UserVariables
from runtime.framework.probes.privileges import Allowed, Credentials
from runtime.framework.probes.registry import Probe

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from typing import TypeVar

    _T = TypeVar("_T")


class Platform:
    """The kernel that DIF runs in.

    `target` ("illumos" or "freebsd") decides the numbers of built-in variables and subroutines.  With
    `aligned`, integers are loaded from multiples of their sizes only.  `strings` are the constant strings
    that all tracers share.
    """

    def __init__(self, host: Host, target: str = "illumos", *, aligned: bool = False) -> None:
        self.host = host
        self.target = target
        self.aligned = aligned
        self.strings = Strings()


class Environment:
    """What the DIF of one tracing state shares.

    `firings` has one for each CPU, once `make_firings` has made them.  No string has more than `strsize`
    bytes.  Of the code loaded so far, `chunk` is the size of chunk that its dynamic variables need, and
    `opens_files` whether it calls getf().
    `recorded` tells, of a CPU and an EPID, how many bytes of scratch space records take: those of the buffer
    that fills, the clause's own included.
    """

    def __init__(self, platform: Platform, credentials: Credentials) -> None:
        self.platform = platform
        self.host = host = platform.host
        self.credentials = credentials
        # what others have seen is not for a tracer who may not see all: it has strings of its own
        self.strings = platform.strings if credentials.kernel else Strings()
        self.memory = (AlignedMemory if platform.aligned else Memory)(host, self.strings)
        self.variables = UserVariables(host.ncpus)
        self.memory.arenas[STATICS] = self.variables.storage
        self.chunk = 0
        self.opens_files = False
        self.dynamic = DynamicVariables(0, 0, host.ncpus)
        self.speculations = Speculations(0, host.ncpus, 0)
        self.strsize = STRSIZE_DEFAULT
        self.firings: list[Firing] = []
        self.recorded: Callable[[int, int], int] = lambda cpu, epid: 0
        self._seed = 0x9E3779B97F4A7C15
        self._codes: dict[int, Code] = {}

    def load(self, difo: Difo) -> Code:
        """Make a validated DIF object ready to run, once; its variables and strings are then known."""
        code = self._codes.get(id(difo))
        if code is None:
            for variable in difo.vartab:
                self.variables.define(variable)
            code = Code(difo, self.memory.add_constants(difo.strtab) if difo.strtab else 0)
            self.chunk = max(self.chunk, code.chunk())
            self.opens_files |= code.calls("getf", self.platform.target)
            self._codes[id(difo)] = code
        return code

    def make_firings(self, scratch: int, strsize: int = STRSIZE_DEFAULT) -> None:
        """A Firing per CPU, with `scratch` bytes of scratch space, of which records may take some."""
        self.strsize = strsize
        self.firings = [Firing(self, cpu, scratch) for cpu in range(self.host.ncpus)]

    def make_dynamic(self, size: int, most: int = 0) -> None:
        """Memory of `size` bytes for dynamic variables, which may grow to `most`.  Raises MemoryError."""
        self.dynamic = DynamicVariables(size, self.chunk, self.host.ncpus, most)
        self.memory.arenas[DYNAMICS] = self.dynamic.storage

    def release(self) -> None:
        """Give memory back: no DIF runs any more."""
        self.firings = []
        self.memory.arenas.clear()
        self.speculations = Speculations(0, self.host.ncpus, 0)
        self.dynamic = DynamicVariables(0, 0, self.host.ncpus)

    def firing(self) -> Firing:
        """The current CPU's Firing."""
        return self.firings[self.host.cpu]

    def random(self) -> int:
        """The next of a fixed sequence of 64-bit numbers (xorshift64*)."""
        seed = self._seed
        seed ^= seed >> 12
        seed ^= seed << 25 & MASK
        seed ^= seed >> 27
        self._seed = seed
        return seed * 0x2545F4914F6CDD1D & MASK


class Firing:
    """The clause under way on one CPU.

    `args` are the probe's first five arguments; `epid` the clause's.  `dropped`
    is set when a dynamic variable could not be made: the record is then given
    up.  `timestamp` and `walltime` are 0 until DIF asks for them.  The condition of an
    ECB may set `hides_arguments` and `hides_process` (see runtime.framework.firing.visibility).
    """

    host: Host
    epid: int

    __slots__ = (
        "args", "cpu", "dropped", "environment", "epid", "file", "hides_arguments", "hides_process", "host",
        "kernel_access", "memory", "probe", "scratch", "scratch_base", "scratch_end", "scratch_next",
        "scratch_start",
        "strsize", "strtok", "strtok_left", "timestamp", "walltime")

    def __init__(self, environment: Environment, cpu: int, scratch: int) -> None:
        self.environment = environment
        self.cpu = cpu
        self.host = environment.host
        self.memory = environment.memory
        self.kernel_access = environment.credentials.kernel
        self.strsize = environment.strsize
        self.scratch: mmap.mmap = anonymous(scratch)
        self.memory.arenas[SCRATCH + cpu] = self.scratch
        self.scratch_base = base(SCRATCH + cpu)
        self.scratch_end = self.scratch_base + scratch
        self.scratch_start = self.scratch_next = 0  # not known before the clause asks for scratch space
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

        What strtok() remembers lasts for all clauses of a firing: the engine clears
        `strtok` before the first of them.
        """
        self.probe = probe
        self.epid = epid
        self.args = args
        self.scratch_start = self.scratch_next = 0
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

    def require_scratch(self, size: int) -> int:
        """The address of the scratch space not yet allocated.  Raises DifFault(NOSCRATCH) if it is too small.

        A clause's scratch space begins where the record that it writes will end: with a switching buffer,
        what is left of that buffer.
        """
        if not self.scratch_start:
            start = self.scratch_base + self.environment.recorded(self.cpu, self.epid)
            self.scratch_start = self.scratch_next = start
        if self.scratch_next + size > self.scratch_end:
            raise DifFault(FaultKind.NOSCRATCH)
        return self.scratch_next

    def allocate(self, size: int, alignment: int = 1) -> int:
        """Scratch space, not cleared.  Raises DifFault(NOSCRATCH)."""
        address = (self.require_scratch(0) + alignment - 1) & -alignment
        self.require_scratch(address - self.scratch_next + size)
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

    def new_full_string(self, text: bytes, room: int) -> int:
        """A string that may fill its `room`: its NUL then stands where the next one will begin."""
        address = self.allocate(room)
        self.put(address, text[:room] + b"\0"[:self.scratch_end - address - len(text[:room])])
        return address

    def new_string_at_end(self, text: bytes, room: int) -> int:
        """A string, shorter than `room`, at the end of so many bytes of scratch space."""
        address = self.allocate(room) + room - 1 - len(text)
        self.put(address, text + b"\0")
        return address

    def in_scratch(self, address: int, size: int) -> bool:
        """Whether the range lies in scratch space already allocated."""
        following = self.require_scratch(0)
        return self.scratch_start <= address and address + size <= following

    # -- memory ------------------------------------------------------------------------------------

    def writable(self, address: int, size: int) -> bool:
        """Whether DIF may store there: scratch space or its own variables."""
        slot = address >> SLOT_SHIFT
        if slot == SCRATCH + self.cpu:
            self.require_scratch(0)
            return self.scratch_start <= address and address + size <= self.scratch_end
        if slot == STATICS:
            return self.environment.variables.writable(address, size)
        return slot == DYNAMICS and self.environment.dynamic.writable(address, size)

    def readable(self, address: int, size: int) -> bool:
        """Whether a tracer without kernel privileges may load there."""
        if address >> SLOT_SHIFT in (CONSTANTS, STRINGS) or self.writable(address, size):
            return True
        return readable_bytes(address, self._shown()) >= max(size, 1)

    def _shown(self) -> Iterator[Range]:
        """What such a tracer may load of the kernel's memory."""
        if not self.hides_process:
            yield from of_thread(self.host)
        if self.file:
            yield from of_file(self.host, self.file)

    def check(self, address: int, size: int) -> None:
        """Raises DifFault(KPRIV) if the tracer may not load there."""
        if not self.kernel_access and not self.readable(address, size):
            raise DifFault(FaultKind.KPRIV, address)

    def load(self, address: int, size: int) -> bytes:
        """Checked load.  Raises DifFault."""
        if not self.kernel_access:
            self.check(address, size)
        return self.memory.load(address, size)

    def load_to_end(self, address: int, size: int) -> bytes:
        """Checked load; the fault is about the last bad byte (Memory.load_to_end)."""
        if not self.kernel_access:
            self.check(address, size)
        return self.memory.load_to_end(address, size)

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
        if address >> SLOT_SHIFT not in self.memory.arenas:
            return self._shown_string(address, limit)
        self.check(address, 1)
        text = self.memory.string(address, limit)
        self.check(address, min(len(text) + 1, limit))
        return text

    def _shown_string(self, address: int, limit: int) -> bytes:
        """A string of the kernel's memory, of which no byte is looked at beyond what may be loaded."""
        room = readable_bytes(address, self._shown())
        text = self.memory.string(address, min(limit, room))
        if not room or len(text) == room < limit:
            raise DifFault(FaultKind.KPRIV, address)
        return text

    def beginning(self, address: int, limit: int | None = None) -> tuple[bytes, DifFault | None]:
        """Checked load of a string as far as that can be done, and the fault of the byte behind (or None).

        Raises DifFault if the tracer may not load it.
        """
        if not self.kernel_access:
            return self.string(address, limit), None
        return self.memory.beginning(address, self.strsize if limit is None else limit)

    def order(self, first: int, second: int, text: bytes | None = None, limit: int | None = None) -> int:
        """How two strings compare: below 0, 0, or above.  A NULL string compares as an empty one.

        `text` is the second one if that is known; of both at most `limit` (strsize) bytes count.  As in a
        kernel (dtrace_strncmp) they are loaded side by side until they differ, and not at all if they are at
        one address.  Raises DifFault for the first byte that cannot be; of two such the second string's.
        """
        if limit == 0 or (first == second and self.kernel_access):
            return 0
        try:
            a = self.string(first, limit) if first else b""
            b = text if text is not None else self.string(second, limit) if second else b""
        except DifFault:
            a, b = self._differing(first, second, text, limit)
        return (a > b) - (a < b)

    def _differing(self, first: int, second: int, text: bytes | None,
                   limit: int | None) -> tuple[bytes, bytes]:
        """What is before the bad bytes of two strings, if they differ there.  Raises DifFault otherwise."""
        a, bad = self.beginning(first, limit) if first else (b"", None)
        b, worse = (text, None) if text is not None else \
            self.beginning(second, limit) if second else (b"", None)
        unlike = (at for at, (x, y) in enumerate(zip(a, b, strict=False)) if x != y)
        alike = next(unlike, min(len(a), len(b)))
        for fault, end in ((worse, len(b)), (bad, len(a))):
            if fault is not None and alike == end:
                raise fault
        return a, b

    def store_integer(self, address: int, value: int, size: int) -> None:
        """Checked store of the lowest `size` bytes.  Raises DifFault (BADADDR, BADALIGN)."""
        if not self.writable(address, size):
            raise DifFault(FaultKind.BADADDR, address)
        if address & (size - 1):
            raise DifFault(FaultKind.BADALIGN, address)
        self.memory.poke(address, (value & (1 << size * 8) - 1).to_bytes(size, "little"))

    def copy(self, source: int, target: int, size: int) -> None:
        """Checked copy (copys).  Raises DifFault."""
        if not self.writable(target, size):
            raise DifFault(FaultKind.BADADDR, target)
        if size:
            self.memory.poke(target, self.load(source, size))

    def allocate_zeroed(self, size: int) -> int:
        """Cleared scratch space at a multiple of 8 (allocs).  Raises DifFault(NOSCRATCH)."""
        before = self.require_scratch(0)
        address = self.allocate(size, 8)
        self.put(before, bytes(self.scratch_next - before))
        return address

    # -- the program -------------------------------------------------------------------------------

    def user(self, address: int, size: int) -> bytes:
        """User memory of the current process.  Raises DifFault (BADADDR, UPRIV)."""
        if self.hides_process:
            raise DifFault(FaultKind.UPRIV, address)
        host = self.host
        host.probing = True
        try:
            return host.current.read(address, size) if size else b""
        except MemoryFault as fault:
            raise DifFault(FaultKind.BADADDR, fault.address) from None
        finally:
            host.probing = False

    def user_string(self, address: int, limit: int) -> bytes:
        """A user string, its NUL excluded.  Raises DifFault (BADADDR, UPRIV)."""
        if self.hides_process:
            raise DifFault(FaultKind.UPRIV, address)
        host = self.host
        host.probing = True
        try:
            return host.current.read_string(address, limit)
        except MemoryFault as fault:
            raise DifFault(FaultKind.BADADDR, fault.address) from None
        finally:
            host.probing = False

    def _look(self, look: Callable[..., _T], *what: object) -> _T:
        """Call a method of the current thread as the two above do, for what is done more rarely."""
        self.require_process()
        host = self.host
        host.probing = True
        try:
            return look(*what)
        except MemoryFault as fault:
            raise DifFault(FaultKind.BADADDR, fault.address) from None
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

    # -- privileges --------------------------------------------------------------------------------

    def require_process(self) -> None:
        """Raises DifFault(UPRIV) if the tracer may not look into the current process."""
        if self.hides_process:
            raise DifFault(FaultKind.UPRIV)

    def require_kernel(self) -> None:
        """Raises DifFault(KPRIV) if the tracer may not look into the kernel."""
        if not self.kernel_access:
            raise DifFault(FaultKind.KPRIV)

    def require_kernel_destruction(self) -> None:
        """Raises DifFault(KPRIV) if the tracer may not stop the kernel."""
        if not self.environment.credentials.allowed & Allowed.DESTROY_KERNEL:
            raise DifFault(FaultKind.KPRIV)

    def require_destruction(self) -> None:
        """Raises DifFault(UPRIV) if the tracer may not stop or signal the current process."""
        if not self.environment.credentials.may_destroy(self.context):
            raise DifFault(FaultKind.UPRIV)

    def require_control(self) -> None:
        """Raises DifFault(UPRIV) if the tracer may not write the current process's memory."""
        if not self.environment.credentials.may_control(self.context):
            raise DifFault(FaultKind.UPRIV)

    # -- dynamic variables -------------------------------------------------------------------------

    def thread_key(self) -> int:
        """The part of a dynamic variable's key that is the current thread."""
        return self.host.current.tid

    def argument(self, index: int) -> int:
        """Argument `index` of the probe; the provider has those past the fifth.

        Raises DifFault(KPRIV).
        """
        if self.hides_arguments:
            raise DifFault(FaultKind.KPRIV)
        if index < 5:
            return self.args[index] & MASK
        return self.probe.provider.operations.getarg(self.probe, index) & MASK
