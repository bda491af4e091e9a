"""A tracing state: everything one open of the device has enabled, recorded and counted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from enum import Enum

from dif.records import Record
from dof import model
from dof.options import CPU_ALL, UNSET, OptionId, Policy, Resize, kernel_defaults
from runtime.border import EprobeDesc, Status
from runtime.framework.base.faults import DifFault
from runtime.framework.base.host import Timer
from runtime.framework.buffers.aggregation import AggregationBuffer
from runtime.framework.buffers.principal import BUFFERS_MAX, Buffer, FillBuffer, Relief, RingBuffer
from runtime.framework.buffers.speculation import Speculations
from runtime.framework.firing.firing import Environment, Firing, Platform
from runtime.framework.firing.memory import STATES, base
from runtime.framework.firing.visibility import Condition, condition
from runtime.framework.probes.privileges import Credentials
from runtime.framework.probes.registry import ARGUMENTS, Fire, Probe, Registry
from runtime.framework.tracing.clauses import Aggregation, Clause

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from typing import TypeVar

    from runtime.framework.execution.helpers import Helpers

    _T = TypeVar("_T")

_STATE_SIZE = 4096


class Activity(Enum):
    """Where a state is in its life (dtrace_activity_t)."""

    INACTIVE = 1
    WARMUP = 2  # BEGIN clauses run
    ACTIVE = 3
    DRAINING = 4  # exit() has been called
    COOLDOWN = 5  # END clauses run
    STOPPED = 6
    KILLED = 7  # by the deadman


class Ecb(Record):
    """An enabling control block: a clause on a probe; `state` is its owner.

    `condition` tells which firings its tracer sees, if not all.
    """

    epid: int
    probe: Probe
    clause: Clause
    state: State
    condition: Condition | None = None

    @property
    def sees_all(self) -> bool:
        """Whether nothing of the firings that come is hidden from its tracer."""
        return self.condition is None or self.condition.text is not None

    def describe(self) -> EprobeDesc:
        """What EPROBE returns."""
        records = tuple(action.record for action in self.clause.records)
        return EprobeDesc(self.epid, self.probe.id, self.clause.uarg, self.clause.size, records)


Engine = Callable[[Probe, Sequence[Ecb]], Fire]  # makes the function that runs these clauses, in order


class Tracing:
    """What all tracing states of a kernel share: its probes, the clauses on each, and the engine.

    `helpers` returns the helper DOF of processes, which few programs need.  `ending` is called when a program
    has called exit().
    """

    def __init__(self, platform: Platform, registry: Registry, helpers: Callable[[], Helpers], engine: Engine,
                 ending: Callable[[], None]) -> None:
        self.platform = platform
        self.registry = registry
        self.helpers = helpers
        self.engine = engine
        self.ending = ending
        self.relief: Relief | None = None  # has the consumer come; given to states that begin while it is set
        self._states = 0
        self._opening: set[State] = set()

    def guard_files(self, state: State) -> None:
        """A state traces from now on that may look at files without kernel privileges: by getf().

        Then the kernel, when it closes a file, waits until no CPU is in a probe that has it (dtrace_closef).
        """
        self._opening.add(state)
        self.platform.host.closef_hook = self.platform.host.cross_call

    def forget_files(self, state: State) -> None:
        """The state traces no more."""
        self._opening.discard(state)
        if not self._opening:
            self.platform.host.closef_hook = None

    def new_address(self) -> int:
        """The address of a new tracing state.  There is no memory: it only tells states apart."""
        self._states += 1
        return base(STATES) + self._states * _STATE_SIZE

    def on(self, probe: Probe) -> Sequence[Ecb]:
        """The ECBs of a probe, in the order in which they came."""
        return probe.ecbs  # type: ignore[return-value]  # no other than these

    def enable(self, ecb: Ecb) -> None:
        """Put an ECB on its probe."""
        probe = ecb.probe
        probe.ecbs = (*probe.ecbs, ecb)
        first = not probe.enabled
        if first:
            probe.enabled = True
            probe.provider.operations.enable(probe)
        if not first or ecb.state.activity is Activity.ACTIVE:  # else there is nothing yet that could fire
            self.relink((probe,))

    def disable(self, ecb: Ecb) -> None:
        """Take an ECB from its probe."""
        probe = ecb.probe
        if ecb not in probe.ecbs:
            return
        probe.ecbs = tuple(each for each in probe.ecbs if each is not ecb)
        self.relink((probe,))
        if probe.ecbs:
            return
        probe.enabled = False
        if probe.retired:
            self.registry.table.drop(probe)
        else:
            probe.provider.operations.disable(probe)

    def relink(self, probes: Iterable[Probe]) -> None:
        """Set each probe's `fire` to what its active ECBs want; it is compiled when it first fires."""
        for probe in probes:
            if probe.retired or probe.provider is self.registry.own.provider:
                continue
            probe.needs = ARGUMENTS
            probe.fire = None
            for ecb in self.on(probe):
                if ecb.state.activity is Activity.ACTIVE:
                    probe.fire = _FirstFire(self, probe)
                    break


class _FirstFire:
    """Fires a probe for the first time: it has the engine make what then takes its place."""

    __slots__ = ("_probe", "_tracing")

    def __init__(self, tracing: Tracing, probe: Probe) -> None:
        self._tracing, self._probe = tracing, probe

    def __call__(self, *args: int) -> None:
        probe, tracing = self._probe, self._tracing
        active = [ecb for ecb in tracing.on(probe) if ecb.state.activity is Activity.ACTIVE]
        fire = tracing.engine(probe, active)
        if probe.fire is not None:
            probe.fire = fire
        fire(*args)


class State:
    """One tracer's state.

    `sizes` maps an EPID to its record's bytes; `buffers` and
    `aggregation_buffers` are per CPU and empty until tracing begins.
    """

    def __init__(self, tracing: Tracing, credentials: Credentials) -> None:
        self.tracing = tracing
        self.host = tracing.platform.host
        self.registry = tracing.registry
        self.environment = Environment(tracing.platform, credentials)
        self.environment.recorded = self._recorded
        self.credentials = credentials
        self.options = kernel_defaults()
        self.activity = Activity.INACTIVE
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
        # by CPU: what looks a key up, and the words that it finds an index of
        self.aggregation_tables: list[tuple[Callable[[object], int | None], list[int]]] = []
        self.destructive = False
        self.double_errors = self.stack_string_overflows = 0
        self.past_errors = 0  # of buffers already snapped
        self.chilled: dict[int, tuple[int, int]] = {}
        self.last_status = self.alive = 0
        self.begin_cpu = 0
        self.timers: list[Timer] = []
        self._shapes: dict[tuple[int, ...], int] = {}
        self._functions: dict[tuple[int, int | None], set[int]] = {}  # aggregating, by shape and variable
        self._own: dict[int, Fire] = {}
        self._faulted = False
        self._hides_process = False  # in the firing for which ERROR is fired
        self.registry.created.append(self.probe_created)
        self.address = tracing.new_address()  # arg0 of BEGIN, END and ERROR

    # -- enabling -------------------------------------------------------------------------------------

    def fire_own(self, probe: Probe, args: tuple[int, int, int, int, int]) -> None:
        """Fire BEGIN, END or ERROR for this state alone."""
        fire = self._own.get(probe.id)
        if fire is None:
            ecbs = [ecb for ecb in self.tracing.on(probe) if ecb.state is self]
            if not ecbs:
                return
            fire = self._own[probe.id] = self.tracing.engine(probe, ecbs)
        fire(*args)

    def add_ecb(self, probe: Probe, clause: Clause) -> Ecb:
        """Put a clause on a probe; the probe is enabled if it was not."""
        ecb = Ecb(len(self.sizes) + 1, probe, clause, self, self._condition(probe))
        self.ecbs[ecb.epid] = ecb
        self.sizes[ecb.epid] = clause.size
        for action in clause.actions:
            if isinstance(action, Aggregation):
                self.aggregation_epids.setdefault(action.id, ecb.epid)
        self._own.pop(probe.id, None)
        self.tracing.enable(ecb)
        return ecb

    def _condition(self, probe: Probe) -> Condition | None:
        """What firings the state's tracer sees; ERROR shows no more than the one in which a clause fails."""
        if probe is not self.registry.own.error or self.credentials.kernel:
            return condition(self.credentials, probe)

        def as_before(firing: Firing) -> bool:
            firing.hides_process = self._hides_process
            return True
        return Condition(as_before, None)

    def probe_created(self, probe: Probe) -> None:
        """Put the retained clauses that mean a new probe on it."""
        for clause in self.retained:
            if self.registry.means(clause.probe, probe, self.credentials):
                self.add_ecb(probe, clause)

    def records(self, firing: int) -> bool:
        """Whether its buffers may have records when a clause is carried out, by what has happened so far.

        As long as no clause has failed, those on ERROR leave none, nor do those of the firing under way: its
        `firing` clauses may all fail before it ends.
        """
        error = self.registry.own.error.description[:4]
        room = min((buffer.size for buffer in self.buffers), default=0)
        failing = sum(clause.size for clause in self.clauses if clause.probe[:4] == error)
        return (self._faulted or self.needed + firing * failing > room
                or any(clause.size and clause.probe[:4] != error for clause in self.clauses))

    def format_number(self, text: str) -> int:
        """The number by which FORMAT finds `text`."""
        if text not in self.formats:
            self.formats.append(text)
        return self.formats.index(text) + 1

    def aggregation_id(self, aggregation: Aggregation) -> int:
        """Enter an aggregation: its id, and the number of its shape."""
        self.aggregations.append(aggregation)
        shape = aggregation.shape = self._shapes.setdefault(aggregation.sizes, len(self._shapes))
        self._functions.setdefault((shape, aggregation.variable), set()).add(aggregation.kind)
        return len(self.aggregations)

    def contested(self, aggregation: Aggregation) -> bool:
        """Whether another function may meet the aggregation's on a record: same variable and keys."""
        shape, variable = aggregation.shape, aggregation.variable
        unknown = self._functions.get((shape, None), set())
        return variable is None or len(self._functions[shape, variable] | unknown) > 1

    # -- running ----------------------------------------------------------------------------------------

    def runs(self, probe: Probe) -> bool:
        """Whether clauses on `probe` run now."""
        if self.activity is Activity.ACTIVE:
            return True
        own = self.registry.own
        if probe.provider is not own.provider:
            return False
        return probe is not own.begin or self.activity is Activity.WARMUP

    def become(self, activity: Activity) -> None:
        """Change activity.  While it is ACTIVE, the probes that the state has enabled run its clauses."""
        was = self.activity is Activity.ACTIVE
        self.activity = activity
        if was != (activity is Activity.ACTIVE):
            self.tracing.relink({ecb.probe for ecb in self.ecbs.values()})

    def exit_requested(self) -> bool:
        """exit(): returns whether its record is taken.  The first one ends tracing."""
        if self.activity is Activity.COOLDOWN:
            return True
        if self.activity not in (Activity.WARMUP, Activity.ACTIVE):
            return False
        self.become(Activity.DRAINING)
        self.tracing.ending()
        return True

    def fault(self, ecb: Ecb, firing: Firing, position: int, fault: DifFault, buffer: Buffer) -> None:
        """Count a fault and fire ERROR; `position` is the action's, 0 for the predicate."""
        buffer.errors += 1
        own = self.registry.own
        if ecb.probe is own.error:
            self.double_errors += 1
            return
        if not self._faulted:
            self._faulted = True
            self.tracing.relink({each.probe for each in self.ecbs.values()})  # see `records`
        saved = (firing.probe, firing.epid, firing.args, firing.strtok, firing.strtok_left)
        own.error_address = fault.address
        self._hides_process = firing.hides_process and not ecb.sees_all
        self.fire_own(own.error, (self.address, ecb.epid, position, fault.offset, int(fault.kind)))
        firing.probe, firing.epid, firing.args, firing.strtok, firing.strtok_left = saved

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
        return self.environment.chunk > 0 or not kinds.isdisjoint(
            (model.ActionKind.SPECULATE, model.ActionKind.COMMIT, model.ActionKind.DISCARD))

    def _cpus(self) -> list[int]:
        wanted = self.options[OptionId.CPU]
        everything = range(self.host.ncpus)
        return [cpu for cpu in everything if wanted in (cpu, CPU_ALL, UNSET)]

    def traces_cpu(self, cpu: int) -> bool:
        """Whether the option cpu lets probes fire there.  With the number of no CPU they fire nowhere."""
        return cpu in self._cpus()

    def make_buffers(self) -> None:
        """Make all buffers, as large as the options say or, unless resizing is manual, as memory allows.

        Raises MemoryError.
        """
        cpus, relief = range(self.host.ncpus), self.tracing.relief
        self.buffers = self._fitting(
            OptionId.BUFSIZE, lambda size: [self._principal(cpu, size) for cpu in cpus])
        self.aggregation_buffers = self._fitting(
            OptionId.AGGSIZE, lambda size: [AggregationBuffer(cpu, size, relief) for cpu in cpus])
        self.environment.speculations = self._fitting(OptionId.SPECSIZE, self._speculations)
        self.aggregation_tables = [(buffer.index.get, buffer.words) for buffer in self.aggregation_buffers]
        self.environment.make_firings(max(self.options[OptionId.BUFSIZE], 0), self.options[OptionId.STRSIZE])

    def _speculations(self, size: int) -> Speculations:
        """Make speculations of that size; where nothing is to be lost, of what a buffer can take at once."""
        count, ncpus = self.options[OptionId.NSPEC], self.host.ncpus
        if self.tracing.relief is not None and size and count > 0:
            size = max(size, min(self.buffers[0].capacity // 2, BUFFERS_MAX // (count * ncpus)) & ~7)
        return Speculations(count, ncpus, size)

    def _recorded(self, cpu: int, epid: int) -> int:
        clause = self.ecbs[epid].clause
        return self.buffers[cpu].end_of(clause.needed, clause.alignment)

    def _fitting(self, opt: int, make: Callable[[int], _T]) -> _T:
        """Call `make` with the size that `opt` says; halve that until there is memory for it.

        Raises MemoryError if there never is, or if resizing is manual.
        """
        count = self.host.ncpus * (self.options[OptionId.NSPEC] if opt is OptionId.SPECSIZE else 1)
        wanted = self.options[opt]
        size = max(wanted, 0) & ~7
        while True:
            try:
                if size * count > BUFFERS_MAX:
                    raise MemoryError
                made = make(size)
                break
            except MemoryError:
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
            buffer = Buffer(cpu, size, self.tracing.relief)
        buffer.active = self.traces_cpu(cpu)
        return buffer

    def reserve(self) -> int:
        """Bytes kept in a fill buffer for END clauses."""
        if self.options[OptionId.BUFPOLICY] != Policy.FILL:
            return 0
        end = self.registry.own.end
        return sum(ecb.clause.needed + ecb.clause.alignment for ecb in self.ecbs.values()
                   if ecb.probe is end)

    def end_reserve(self) -> None:
        """Let END clauses have the room that was kept for them."""
        for buffer in self.buffers:
            if isinstance(buffer, FillBuffer):
                buffer.cooling = True

    # -- housekeeping ---------------------------------------------------------------------------------------

    def clean(self) -> None:
        """The periodic cleaner."""
        self.environment.dynamic.cleanup()
        self.environment.speculations.clean(self.buffers, self.sizes, self.host.hrtime())

    def status(self) -> Status:
        """What STATUS returns: totals since tracing began."""
        dynamic, speculations = self.environment.dynamic, self.environment.speculations
        return Status(
            dyndrops=dynamic.drops, dyndrops_rinsing=dynamic.rinsing_drops,
            dyndrops_dirty=dynamic.dirty_drops, specdrops=speculations.drops(),
            specdrops_busy=speculations.busy, specdrops_unavail=speculations.unavailable,
            errors=self.past_errors + sum(buffer.errors for buffer in self.buffers),
            filled=sum(buffer.full for buffer in self.buffers)
            + sum(buffer.full for buffer in self.aggregation_buffers),
            stkstroverflows=self.stack_string_overflows, dblerrors=self.double_errors,
            killed=int(self.activity is Activity.KILLED),
            exiting=int(self.activity is Activity.DRAINING))

    def destroy(self) -> None:
        """Everything goes: timers, ECBs, buffers."""
        self.tracing.forget_files(self)
        for timer in self.timers:
            timer.cancel()
        self.timers.clear()
        self.activity = Activity.STOPPED
        for ecb in self.ecbs.values():
            self.tracing.disable(ecb)
        if self.probe_created in self.registry.created:
            self.registry.created.remove(self.probe_created)
        self.ecbs.clear()
        self.buffers, self.aggregation_buffers, self.aggregation_tables = [], [], []
        self.environment.release()
