"""A tracing state: everything one open of the device has enabled, recorded and counted."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from dif.difo import Difo
from dif.light import Enum
from dof import model
from dof.model import ActionClass
from dof.optionids import UNSET, OptionId
from runtime.border import Status
from runtime.framework.access import condition
from runtime.framework.execution.code import Code
from runtime.framework.execution.faults import DifFault
from runtime.framework.execution.firing import Firing
from runtime.framework.framework import Framework
from runtime.framework.host import Timer
from runtime.framework.privileges import Credentials
from runtime.framework.provider import Fire, Probe
from runtime.framework.tracing.aggregation import AggregationBuffer
from runtime.framework.tracing.buffers import BUFFERS_MAX, Buffer, FillBuffer, RingBuffer
from runtime.framework.tracing.ecb import Aggregation, Clause, Ecb
from runtime.framework.tracing.options import Policy, Resize, defaults
from runtime.framework.tracing.speculation import Speculations
from runtime.framework.values.difmemory import DYNAMICS, STATICS, AlignedMemory, Memory
from runtime.framework.values.dynamic import chunk_needed
from runtime.framework.values.dynvar import DynamicVariables
from runtime.framework.values.uservars import UserVariables

_M = 0xFFFFFFFFFFFFFFFF
_T = TypeVar("_T")


class Activity(Enum):
    """Where a state is in its life (dtrace_activity_t)."""

    INACTIVE = 1
    WARMUP = 2  # BEGIN clauses run
    ACTIVE = 3
    DRAINING = 4  # exit() has been called
    COOLDOWN = 5  # END clauses run
    STOPPED = 6
    KILLED = 7  # by the deadman


class State:
    """One tracer's state.

    `sizes` maps an EPID to its record's bytes; `buffers` and
    `aggregation_buffers` are per CPU and empty until tracing begins.
    """

    def __init__(self, framework: Framework, credentials: Credentials) -> None:
        host = framework.host
        self.framework = framework
        self.credentials = credentials
        self.options = defaults()
        self.activity = Activity.INACTIVE
        self.memory = (AlignedMemory if framework.aligned else Memory)(host, framework.strings)
        self.variables = UserVariables(host.ncpus)
        self.memory.arenas[STATICS] = self.variables.storage
        self.chunk = 0
        self.dynamic = DynamicVariables(0, 0, host.ncpus)
        self.speculations = Speculations(0, host.ncpus, 0)
        self.ecbs: dict[int, Ecb] = {}
        self.sizes: dict[int, int] = {}
        self.clauses: list[Clause] = []
        self.retained: list[Clause] = []
        self.enablings = 0
        self.aggregations: list[Aggregation] = []
        self.aggregation_epids: dict[int, int] = {}
        self.formats: list[str] = []
        self.buffers: list[Buffer] = []
        self.aggregation_buffers: list[AggregationBuffer] = []
        self.aggregation_tables: list[tuple[dict[object, int], list[int]]] = []  # index and words by CPU
        self.destructive = False
        self.double_errors = self.stack_string_overflows = 0
        self.past_errors = 0  # of buffers already snapped
        self.chilled: dict[int, tuple[int, int]] = {}
        self.last_status = self.alive = 0
        self.begin_cpu = 0
        self.timers: list[Timer] = []
        self._firings: list[Firing] = []
        self._seed = 0x9E3779B97F4A7C15
        self._shapes: dict[tuple[int, ...], int] = {}
        self._own: dict[int, Fire] = {}
        self._codes: dict[int, Code] = {}

    # -- enabling -------------------------------------------------------------------------------------

    def fire_own(self, probe: Probe, args: tuple[int, int, int, int, int]) -> None:
        """Fire BEGIN, END or ERROR for this state alone."""
        fire = self._own.get(probe.id)
        if fire is None:
            ecbs = [ecb for ecb in probe.ecbs if ecb.state is self]
            if not ecbs:
                return
            fire = self._own[probe.id] = self.framework.compile(probe, ecbs)
        fire(*args)

    def add_ecb(self, probe: Probe, clause: Clause) -> Ecb:
        """Put a clause on a probe; the probe is enabled if it was not."""
        ecb = Ecb(len(self.sizes) + 1, probe, clause, self, condition(self.credentials, probe))
        self.ecbs[ecb.epid] = ecb
        self.sizes[ecb.epid] = clause.size
        for action in clause.actions:
            if isinstance(action, Aggregation):
                self.aggregation_epids.setdefault(action.id, ecb.epid)
        self._own.pop(probe.id, None)
        self.framework.enable(probe, ecb)
        return ecb

    def probe_created(self, probe: Probe) -> None:
        """A probe has appeared: retained clauses that mean it are put on it."""
        for clause in self.retained:
            if self.framework.means(clause.probe, probe, self.credentials):
                self.add_ecb(probe, clause)

    def format_number(self, text: str) -> int:
        """The number by which FORMAT finds `text`."""
        if text not in self.formats:
            self.formats.append(text)
        return self.formats.index(text) + 1

    def aggregation_id(self, aggregation: Aggregation) -> int:
        """Enter an aggregation: its id, and the number of its shape."""
        self.aggregations.append(aggregation)
        aggregation.shape = self._shapes.setdefault(aggregation.sizes, len(self._shapes))
        return len(self.aggregations)

    # -- running ----------------------------------------------------------------------------------------

    def runs(self, probe: Probe) -> bool:
        """Whether clauses on `probe` run now."""
        if self.activity is Activity.ACTIVE:
            return True
        if probe.provider is not self.framework.own_provider:
            return False
        return probe is not self.framework.begin_probe or self.activity is Activity.WARMUP

    def firing(self) -> Firing:
        """The current CPU's Firing."""
        return self._firings[self.framework.host.cpu]

    @property
    def firings(self) -> list[Firing]:
        """By CPU."""
        return self._firings

    def become(self, activity: Activity) -> None:
        """Change activity; probes are joined to or parted from this state accordingly."""
        was = self.activity is Activity.ACTIVE
        self.activity = activity
        if was != (activity is Activity.ACTIVE):
            self.framework.relink({ecb.probe for ecb in self.ecbs.values()})

    def exit_requested(self) -> bool:
        """exit(): whether its record is taken; the first one ends tracing."""
        if self.activity is Activity.COOLDOWN:
            return True
        if self.activity not in (Activity.WARMUP, Activity.ACTIVE):
            return False
        self.become(Activity.DRAINING)
        if self.framework.ending is not None:
            self.framework.ending()
        return True

    def fault(self, ecb: Ecb, firing: Firing, position: int, fault: DifFault, buffer: Buffer) -> None:
        """Count a fault and fire ERROR; `position` is the action's, 0 for the predicate."""
        buffer.errors += 1
        if ecb.probe is self.framework.error_probe:
            self.double_errors += 1
            return
        saved = (firing.probe, firing.epid, firing.args, firing.strtok, firing.strtok_left)
        self.framework.error_address = fault.address
        self.fire_own(self.framework.error_probe,
                      (0, ecb.epid, position, fault.offset, int(fault.kind)))
        firing.probe, firing.epid, firing.args, firing.strtok, firing.strtok_left = saved

    def random(self) -> int:
        """The next of a fixed sequence of 64-bit numbers (xorshift64*)."""
        seed = self._seed
        seed ^= seed >> 12
        seed ^= seed << 25 & _M
        seed ^= seed >> 27
        self._seed = seed
        return seed * 0x2545F4914F6CDD1D & _M

    # -- buffers ------------------------------------------------------------------------------------------

    @property
    def needed(self) -> int:
        return max((clause.needed for clause in self.clauses), default=0)

    @property
    def speculates(self) -> bool:
        return any(action.kind == model.ActionKind.SPECULATE
                   for clause in self.clauses for action in clause.actions)

    @property
    def has_to_clean(self) -> bool:
        """Whether clauses may leave something to the periodic cleaner."""
        kinds = {action.kind for clause in self.clauses for action in clause.actions}
        return self.chunk > 0 or not kinds.isdisjoint(
            (model.ActionKind.SPECULATE, model.ActionKind.COMMIT, model.ActionKind.DISCARD))

    def _cpus(self) -> list[int]:
        wanted = self.options[OptionId.CPU]
        everything = range(self.framework.host.ncpus)
        return [wanted] if wanted in everything else list(everything)

    def traces_cpu(self, cpu: int) -> bool:
        """Whether the option cpu lets probes fire there."""
        return cpu in self._cpus()

    def make_buffers(self) -> None:
        """All buffers, of the sizes the options say or, unless resizing is manual, of what fits.

        Raises MemoryError.
        """
        cpus = range(self.framework.host.ncpus)
        self.buffers = self._fitting(
            OptionId.BUFSIZE, lambda size: [self._principal(cpu, size) for cpu in cpus])
        self.aggregation_buffers = self._fitting(
            OptionId.AGGSIZE, lambda size: [AggregationBuffer(cpu, size) for cpu in cpus])
        self.speculations = self._fitting(
            OptionId.SPECSIZE, lambda size: Speculations(self.options[OptionId.NSPEC], len(cpus), size))
        self.aggregation_tables = [(buffer.index, buffer.words) for buffer in self.aggregation_buffers]
        self.make_firings(self.options[OptionId.BUFSIZE])

    def make_firings(self, scratch: int) -> None:
        """A Firing per CPU, with that many bytes of scratch space."""
        self._firings = [Firing(self, cpu, scratch) for cpu in range(self.framework.host.ncpus)]

    def _fitting(self, opt: OptionId, make: Callable[[int], _T]) -> _T:
        """What `make` makes of the size that `opt` says, halved until there is memory for it.

        Raises MemoryError if there never is, or if resizing is manual.
        """
        count = self.framework.host.ncpus * (self.options[OptionId.NSPEC] if opt is OptionId.SPECSIZE else 1)
        wanted = self.options[opt]
        size = max(wanted, 0) & ~7
        while True:
            try:
                if size * count > BUFFERS_MAX:
                    raise MemoryError
                made = make(size)
                break
            except (MemoryError, OSError, OverflowError):
                if size < 16 or self.options[OptionId.BUFRESIZE] == Resize.MANUAL:
                    raise MemoryError from None
                size = size // 2 & ~7
        if wanted != UNSET:
            self.options[opt] = size
        return made

    def _principal(self, cpu: int, size: int) -> Buffer:
        policy = self.options[OptionId.BUFPOLICY]
        buffer: Buffer
        if policy == Policy.RING:
            buffer = RingBuffer(cpu, size, self.sizes)
        elif policy == Policy.FILL:
            buffer = FillBuffer(cpu, size, self.reserve())
        else:
            buffer = Buffer(cpu, size)
        buffer.active = self.traces_cpu(cpu)
        return buffer

    def reserve(self) -> int:
        """Bytes kept in a fill buffer for END clauses."""
        if self.options[OptionId.BUFPOLICY] != Policy.FILL:
            return 0
        end = self.framework.end_probe
        return sum(ecb.clause.needed + ecb.clause.alignment for ecb in self.ecbs.values()
                   if ecb.probe is end)

    def end_reserve(self) -> None:
        """Let END clauses have the room that was kept for them."""
        for buffer in self.buffers:
            if isinstance(buffer, FillBuffer):
                buffer.cooling = True

    def make_dynamic(self, size: int) -> None:
        """Memory of `size` bytes for dynamic variables.  Raises MemoryError or OSError."""
        self.dynamic = DynamicVariables(size, self.chunk, self.framework.host.ncpus)
        self.memory.arenas[DYNAMICS] = self.dynamic.storage

    # -- housekeeping ---------------------------------------------------------------------------------------

    def clean(self) -> None:
        """The periodic cleaner."""
        self.dynamic.cleanup()
        self.speculations.clean(self.buffers, self.sizes, self.framework.host.hrtime())

    def status(self) -> Status:
        """The answer to STATUS: totals since tracing began."""
        dynamic, speculations = self.dynamic, self.speculations
        return Status(
            dyndrops=dynamic.drops, dyndrops_rinsing=dynamic.rinsing_drops,
            dyndrops_dirty=dynamic.dirty_drops, specdrops=speculations.drops(),
            specdrops_busy=speculations.busy, specdrops_unavail=speculations.unavailable,
            errors=self.past_errors + sum(buffer.errors for buffer in self.buffers),
            filled=sum(buffer.full for buffer in self.buffers),
            stkstroverflows=self.stack_string_overflows, dblerrors=self.double_errors,
            killed=int(self.activity is Activity.KILLED),
            exiting=int(self.activity is Activity.DRAINING))

    def load(self, difo: Difo) -> Code:
        """The ready form of a validated DIF object, made once: its variables and strings are entered."""
        code = self._codes.get(id(difo))
        if code is None:
            for variable in difo.vartab:
                self.variables.define(variable)
            code = Code(difo, self.memory.add_constants(difo.strtab) if difo.strtab else 0)
            self.chunk = max(self.chunk, chunk_needed(code))
            self._codes[id(difo)] = code
        return code

    def destroy(self) -> None:
        """Everything goes: timers, ECBs, buffers."""
        for timer in self.timers:
            timer.cancel()
        self.timers.clear()
        self.activity = Activity.STOPPED
        for ecb in self.ecbs.values():
            self.framework.disable(ecb.probe, ecb)
        self.framework.forget(self)
        self.ecbs.clear()
        self.buffers, self.aggregation_buffers, self._firings = [], [], []


def is_destructive(clause: Clause) -> bool:
    """Whether the clause needs the destructive option."""
    classes = (ActionClass.PROC_DESTRUCTIVE, ActionClass.KERNEL_DESTRUCTIVE)
    return any(action.klass in classes or (action.code is not None and action.code.destructive)
               for action in clause.actions)
