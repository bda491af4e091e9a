"""A tracing session, in the shape of libdtrace: open, compile, enable, go, work, stop, close.

    from runtime.consumer.consumer import Consumer

    with Consumer.open(machine) as dtrace:
        dtrace.trace('syscall:::entry { @[probefunc] = count(); } tick-1s { exit(0); }')
        for entry in dtrace.aggregations.walk("valuerev"):
            print(entry.values, entry.value.scalar)
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from functools import cached_property
from types import TracebackType

from dc.options import OptionError, Options
from dif.limits import SECOND
from dif.records import replace
from dof.options import TABLE
from runtime.border import BorderError, Command, FaultKind, Status
from runtime.consumer.events.answers import Answers
from runtime.consumer.events.descriptions import Descriptions
from runtime.consumer.events.errors import TraceError, go_error
from runtime.consumer.events.handler import Callbacks
from runtime.consumer.events.settings import Settings

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

    from dc.compiler import Compiler, CompileResult
    from dc.types.scopes import Scope
    from dc.types.types import Type
    from dof.model import Program
    from runtime.border import Device
    from runtime.consumer.aggregations.aggregate import Aggregations
    from runtime.consumer.catalog import DeviceCatalog
    from runtime.consumer.events.notices import Fault
    from runtime.consumer.events.records import Firing, Library
    from runtime.consumer.output.reporter import Handler
    from runtime.consumer.reader import Place, Reader
    from runtime.consumer.sources import Compiled, Sources
    from runtime.consumer.system import Controlled, CredentialsT, System, Traceable

_FOREVER = 1 << 62
_SHORTEST = 1_000_000  # nanoseconds: the shortest sleep, whatever the rates, because waking up costs time
_REST = 3600 * SECOND  # nanoseconds: the shortest sleep once nothing more comes until tracing ends
_WAKEUP = 10_000  # nanoseconds later than due: the kernel's own work of that moment comes first


class Work(Enum):
    """What `Consumer.work` found."""

    RUNNING = "running"
    DONE = "done"


class Consumer:
    """One tracing state of one device.

    `system` is the machine that the device belongs to; its time passes while the consumer sleeps.
    `ids` are the values of $pid, $uid and their like.  In an emulated machine the consumer is a process,
    and they are that process's.
    Errors are TraceError; CompileError (of dc) from compile().
    """

    def __init__(self, device: Device, system: System, *, target: str = "illumos",
                 ids: Mapping[str, int] | None = None) -> None:
        self._device = device
        if ids is None:
            from dc.script import own_ids

            ids = own_ids()
        self._ids = dict(ids)
        self.system = system
        self.target = target
        self.instances = False  # whether descriptions may say which of several instances they are for
        self.constants = "linux"  # of the libraries: programs here are Linux's, whatever the numbering
        self.compiles_only = False  # nothing will be traced: $target is 0 if there is no such process
        self.places: Sequence[Place] = ()  # what each CPU is, where several instances are one device
        self.bits: int | None = None  # data model of programs, if not the machine's: 32 or 64
        self.options = Options({name: TABLE[name].default for name in ("bufsize", "aggsize")})
        self.settings = Settings(self.options, system.symbols)
        self._answers = Answers(device, system.ncpus)
        self.descriptions = Descriptions(self._answers)
        self.names: dict[int, str] = {}  # aggregation variables
        self.types: dict[str, Type] = {}  # of print() records
        self._written: dict[int, bytes] = {}  # formats of printa(): see runtime.consumer.decoding.Planner
        self._compiled: list[Compiled] = []
        self._enabled: list[Program] = []
        self.handler: Handler = Callbacks()  # whom everything is reported to
        self._status = Status()
        self._began: int | None = None
        self._ended: int | None = None
        self._active = False
        self._pressed = False  # a buffer is to be read before it is full
        self._claimed = False  # what is traced anonymously is known
        self._last = {"statusrate": 0, "aggrate": 0, "switchrate": 0}
        self._rated = False  # the program has chosen how often to read
        self._since = 0  # when tracing began
        self._called = False  # the machine stopped because something happened
        self._listens = True  # the program has not chosen how often to look
        self._catalog: DeviceCatalog | None = None
        self._compiler: Compiler | None = None
        self._views: dict[int, tuple[DeviceCatalog | None, Compiler | None]] = {}  # of other systems

    @classmethod
    def open(cls, machine: Traceable[CredentialsT], credentials: CredentialsT | None = None) -> Self:
        """A session on an emulated machine (runtime.machine.Machine).

        `credentials` are the tracer's privileges (runtime.framework.probes.privileges.Credentials), all of
        them unless given.
        """
        session = cls(machine.device(credentials), machine.system(), target=machine.target, ids=machine.ids)
        session.settings.read, session.settings.utc = machine.read, machine.clean
        return session

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _kind: type[BaseException] | None, _error: BaseException | None,
                 _trace: TracebackType | None) -> None:
        self.close()

    def adopt(self, options: Options) -> None:
        """Take over options that were set before the session was opened."""
        self.options.values.update(options.values)
        for name, texts in options.lists.items():
            self.options.lists.setdefault(name, []).extend(texts)

    # -- options -------------------------------------------------------------------------------------

    def setopt(self, name: str, value: str | None = None) -> None:
        """Set a run-time or dynamic option (-x).  Raises OptionError."""
        if self._active:
            from runtime.consumer.options import set_while_tracing

            set_while_tracing(self.options, name, value)
        else:
            self.options.set(name, value)

    # -- programs ------------------------------------------------------------------------------------

    @property
    def catalog(self) -> DeviceCatalog:
        """What the compiler asks of this device: probes, arguments, symbols, types."""
        if self._catalog is None:
            from runtime.consumer.catalog import DeviceCatalog

            self._catalog = DeviceCatalog(self._answers, self.descriptions, self._types(),
                                          self.system.names, self.system.mistake,
                                          self.system.user_arguments, self.system.user_type,
                                          self.compiles_only and not self.settings.target)
        return self._catalog

    def _types(self) -> Scope:
        """The kernel's types; in another data model than the kernel's, only those of D itself."""
        from dc.types.scopes import Scope
        from dc.types.types import Model

        kernel = self.system.types
        model = {32: Model.ILP32, 64: Model.LP64}.get(self.bits or 0, kernel.model)
        return kernel if model is kernel.model else Scope.intrinsic(model)

    @property
    def compiler(self) -> Compiler:
        """The compiler of this session: its programs share variables, aggregations and types."""
        if self._compiler is None:
            from dc.compiler import Compiler

            target = self.settings.target
            ids = self._ids | ({"target": target} if target or self.compiles_only else {})
            self._compiler = Compiler(self.catalog, target=self.target, constants=self.constants,
                                      variables=ids, instances=self.instances)
        return self._compiler

    def view(self, system: System) -> System:
        """From now on compile for another system: one of several instances whose kernels have other types.

        Returns the one before.
        """
        before = self.system
        self._views[id(before)] = self._catalog, self._compiler
        self.system = system
        self._catalog, self._compiler = self._views.get(id(system), (None, None))
        return before

    def place(self, cpu: int) -> Place:
        """Return whose one of the device's CPUs is ("" where there is one instance), and its number there."""
        return self.places[cpu] if self.places else ("", cpu)

    def compile(self, source: str, *, filename: str | None = None, arguments: Sequence[str] = (),
                specifier: int | None = None, written: str | None = None) -> CompileResult:
        """Compile D; its pragmas change this session's options.

        `filename` is the script's, None if it is none; `arguments` are $0, $1, ...; `specifier` says with
        which field probe descriptions end, with their names unless given.  `written` is the text before it
        was preprocessed, if it was.  Raises dc.diagnostics.CompileError.
        """
        from dc.source.specifiers import Specifier

        result = self.compiler.compile(source, options=self.options, filename=filename, arguments=arguments,
                                       specifier=Specifier.NAME if specifier is None else specifier)
        self.options.values.clear()
        self.options.lists.clear()
        self.adopt(result.options)
        self.names.update(result.aggregations)
        self.types.update(result.types)
        self._written.update({statement: text.encode("utf-8", "surrogateescape")
                              for statement, text in result.formats.items()})
        self._compiled.append((result, source, filename or "", written or source))
        return result

    def enable(self, program: Program | bytes) -> int:
        """Enable a program, or DOF from anywhere.  Returns the number of probes that matched.

        Raises TraceError with the kernel's reason, or where DOF has no room for the program.
        """
        from dof.format import DofError
        from dof.reader import read
        from dof.writer import write
        from runtime.consumer.aggregations.aggregate import zeros_of

        try:
            dof = program if isinstance(program, bytes) else write(program)
            program = read(program) if isinstance(program, bytes) else program
            self.aggregations.zeros.update(zeros_of(program))
            self.options.debug(f"enabling {len(dof)} bytes of DOF")
            matched = self._answers.enable(dof, program)
            self._enabled.append(program)
            return matched
        except BorderError as error:
            from runtime.consumer.events.names import printable

            raise TraceError(printable(error.strerror or "the kernel refused the program")) from error
        except DofError as error:
            raise TraceError(str(error)) from None

    def claim(self, images: Sequence[bytes]) -> None:
        """Say which DOF the kernel traces anonymously; what comes of it is checked against that."""
        from dof.reader import read
        from runtime.consumer.aggregations.aggregate import zeros_of

        for image in images:
            program = read(image)
            self.aggregations.zeros.update(zeros_of(program))
            self._answers.know(program)
        self._claimed = True

    def go(self) -> None:
        """Start tracing: BEGIN fires.  Raises TraceError."""
        from dof.model import Program
        from dof.writer import write
        from runtime.consumer.errorprobe import error_program
        from runtime.consumer.options import reload

        if self._active:
            raise TraceError("tracing is active already")
        self._listens = "statusrate" not in self.options.values
        self._rated = any(rate in self.options.values for rate in self._last)
        claims = self.options.is_on("grabanon")
        self._answers.any_program = not self._answers.programs or (claims and not self._claimed)
        if not claims:
            self.enable(error_program())
        self._device.ioctl(Command.ENABLE, write(Program(options=self.options.runtime())))
        self.system.relieve(self.options.choice("lossless") == "yes" and self._switches)
        try:
            self._began = self._answers.begin()
        except BorderError as error:
            raise go_error(error) from error
        finally:
            self.system.relieve(False)
        self._active = True
        reload(self.options, self._answers.options())
        now = self.system.now()
        self._last, self._since = dict.fromkeys(self._last, now), now

    @cached_property
    def aggregations(self) -> Aggregations:
        """What programs aggregate, as of the last snapshot."""
        from runtime.consumer.aggregations.aggregate import Aggregations

        return Aggregations(self.descriptions.aggregation, self.settings)

    @cached_property
    def _sources(self) -> Sources:
        from runtime.consumer.sources import Sources

        return Sources(self.descriptions, self._compiled, self._enabled)

    @cached_property
    def _reader(self) -> Reader:
        from runtime.consumer.events.notices import principal_drop
        from runtime.consumer.reader import Reader

        return Reader(self._answers, self.descriptions, self.system.ncpus, firing=self._report,
                      run=lambda run: self.handler.run(run), fault=self._fault, act=self._act,
                      drop=lambda cpu, n: self.handler.drop(principal_drop(*self.place(cpu), n)),
                      target=self.target, places=self.places, written=self._written)

    # -- while tracing -------------------------------------------------------------------------------

    @property
    def stopped(self) -> bool:
        return self._ended is not None

    def sleep(self, limit: int = _FOREVER) -> None:
        """Let the machine run until there may be work to do, at most until `limit`."""
        rates = list(self._last if self._switches else ("statusrate",))
        shortest = _REST if self._rests(rates) else _SHORTEST
        due = min(self._last[rate] + max(shortest, self.options.number(rate)) for rate in rates)
        self._called = self.system.wait(min(due + _WAKEUP, limit))

    def _rests(self, rates: Sequence[str]) -> bool:
        """Whether nothing comes before tracing ends: what BEGIN recorded has been read, and no clause fires.

        Rates that the user gives are kept.
        """
        return (self._answers.only_own and not self._answers.any_program and self.system.patient
                and not self._rated and min(self._last[rate] for rate in rates) > self._since)

    @property
    def _policy(self) -> str:
        return self.options.choice("bufpolicy")

    @property
    def _switches(self) -> bool:
        return self._policy == "switch"

    def _due(self, rate: str) -> bool:
        """Return whether the interval of `rate` is over; if so, the next one begins."""
        interval = self.options.number(rate)
        now = self.system.now()
        if now - self._last[rate] < interval:
            return False
        self._last[rate] += interval
        if now - self._last[rate] >= interval:  # an idle machine jumps: do not catch up one by one
            self._last[rate] = now
        return True

    def status(self) -> bool:
        """Ask the kernel for its status every `statusrate`, and report drops.

        Returns whether tracing is at its end.  The machine may say that something has happened.  The
        consumer then asks at once, unless the program chose the rate: otherwise the machine would have
        to be emulated for the rest of a second, although nothing more will come.
        """
        if self.stopped:
            return True
        if not self._due("statusrate") and not (self._called and self._listens):
            return False
        self._ask_status()
        self._pressed = self._status.filled > 0
        if self._status.exiting or (self._status.filled and self._policy == "fill"):
            self.stop()
            return True
        return False

    def _ask_status(self) -> None:
        new = self._answers.status()
        old, self._status = self._status, new
        if new.killed and not old.killed:
            raise TraceError("Abort due to systemic unresponsiveness")
        from runtime.consumer.events.notices import filled, status_drops

        for drop in status_drops(old, new):
            self.handler.drop(drop)
        if new.filled > old.filled and self._policy == "fill":
            self.handler.drop(filled(new.filled - old.filled, self.options.number("bufsize")))

    def final_status(self) -> None:
        """Ask for the status once more, after everything has been read."""
        self._ask_status()

    def work(self, handler: Handler | None = None) -> Work:
        """Report what there is to report.  Returns DONE once tracing has stopped and all is reported."""
        if handler is not None:
            self.handler = handler
        done = self.status()
        if not done and not self._switches:
            return Work.RUNNING
        pressed, self._pressed = done or self._pressed, False
        if pressed or self._due("aggrate"):
            self.snapshot()
        if pressed or self._due("switchrate"):
            self.consume()
        return Work.DONE if done else Work.RUNNING

    def snapshot(self) -> None:
        """Merge every CPU's aggregation buffer."""
        for cpu in range(self.system.ncpus):
            found = self._answers.snapshot(Command.AGGSNAP, cpu)
            if found is None:
                continue
            desc, data = found
            if desc.drops:
                from runtime.consumer.events.notices import aggregation_drop

                self.handler.drop(aggregation_drop(*self.place(cpu), desc.drops))
            if desc.size:
                self.aggregations.add(data)
                self._keep_few(cpu)

    def _keep_few(self, cpu: int) -> None:
        """Drop the newest keys of aggregations that need more memory than they may."""
        most = self.options.number("aggmemory")
        lost = self.aggregations.trim(most)
        if lost:
            from runtime.consumer.events.notices import aggregation_drop

            self.handler.drop(aggregation_drop(*self.place(cpu), lost, f" beyond aggmemory={most}"))

    def consume(self) -> None:
        """Report every CPU's records."""
        self._reader.flowing = self.options.is_on("flowindent")
        if self.options.is_on("temporal"):
            self._reader.read_in_time(self.stopped)
        else:
            began, self._began = self._began, None
            self._reader.read(began, self._ended)

    def stop(self) -> None:
        """Stop tracing: END fires.  A second call does nothing."""
        if self.stopped or not self._active:
            return
        self._ended = self._answers.end()
        self._ask_status()

    def close(self) -> None:
        """End the tracing state."""
        self._device.close()

    def steps(self, *, seconds: float | None = None, processes: Sequence[Controlled] = (),
              until: Callable[[], bool] = lambda: False) -> Iterator[None]:
        """Go, and work until tracing ends; yield whenever what there was to report has been reported.

        It ends by exit(), by a signal in the machine, when `seconds` of the machine's time have passed, when
        all `processes` have ended, which begin now, or when `until` says so.
        """
        self.go()
        for process in processes:
            process.resume()
        limit = _FOREVER if seconds is None else self.system.now() + int(seconds * 1e9)
        done = False
        while not done:
            self.sleep(limit)
            gone = processes and all(each.exit_status is not None for each in processes)
            if self.system.now() >= limit or self.system.interrupted or gone or until():
                self.stop()
            done = self.work() is Work.DONE
            yield

    def run(self, handler: Handler | None = None, *, seconds: float | None = None,
            processes: Sequence[Controlled] = ()) -> None:
        """Go, and work until tracing ends: see `steps`."""
        if handler is not None:
            self.handler = handler
        for _ in self.steps(seconds=seconds, processes=processes):
            pass

    def stream(self, source: str, *, arguments: Sequence[str] = (), seconds: float | None = None,
               processes: Sequence[Controlled] = ()) -> Iterator[Firing]:
        """Compile and enable a D program, and yield its firings while it runs: see `steps`.

        The machine stands still while a firing is looked at.  Who wants no more calls `stop`: what has been
        recorded until then still comes.
        """
        found: deque[Firing] = deque()

        def keep(firing: Firing) -> None:
            firing.records  # noqa: B018 - decode while the buffer's library actions are in order
            found.append(firing)

        self.enable(self.compile(source, arguments=arguments).program)
        self.handler = Callbacks(keep)
        for _ in self.steps(seconds=seconds, processes=processes):
            while found:
                yield found.popleft()

    def trace(self, source: str, handler: Handler | None = None, *, arguments: Sequence[str] = (),
              seconds: float | None = None, processes: Sequence[Controlled] = ()) -> list[Firing]:
        """Compile, enable and run a D program.  Returns its firings, if no handler takes them.

        >>> from runtime.machine import Machine
        >>> with Machine() as machine, Consumer.open(machine) as session:
        ...     [firing.values for firing in session.trace("tick-1ms { trace(++n); }", seconds=0.0025)]
        [(1,), (2,)]
        """
        if handler is None:
            return list(self.stream(source, arguments=arguments, seconds=seconds, processes=processes))
        self.enable(self.compile(source, arguments=arguments).program)
        self.run(handler, seconds=seconds, processes=processes)
        return []

    # -- what the reader calls -----------------------------------------------------------------------

    def _report(self, firing: Firing) -> None:
        self.handler.firing(firing)

    def _fault(self, fault: Fault) -> None:
        """Hand on the error of a clause, with what the machine and the program's source say of it."""
        absent = fault.fault == FaultKind.BADADDR and self.system.absent(fault.address)
        if absent:
            fault = replace(fault, reason="not resident: use the return probe")
        if not self.options.is_on("grabanon"):  # else they may be anyone's
            fault = self._sources.locate(fault, absent)
        self.handler.fault(fault)

    def _act(self, action: Library, firing: Firing) -> None:
        """Carry out a library action."""
        from runtime.consumer.events.notices import Fault
        from runtime.consumer.events.records import Clear, Normalize, SetOption, Truncate
        from runtime.consumer.options import set_while_tracing

        if isinstance(action, Clear):
            self.aggregations.clear(action.variable)
        elif isinstance(action, Normalize):
            self.aggregations.normalize(action.variable, action.normal)
        elif isinstance(action, Truncate):
            self.aggregations.truncate(action.variable, action.count)
        elif isinstance(action, SetOption):
            try:
                set_while_tracing(self.options, action.name, action.value)
            except OptionError as error:
                self.handler.fault(Fault(
                    firing.cpu, firing.epid, firing.probe, FaultKind.LIBRARY,
                    reason=f'setopt("{action.name}", "{action.value}") failed: {error}'))

    def names_of(self, variables: Iterable[int]) -> list[str]:
        """Return the names of aggregation variables; the one without a name is called `_`."""
        return [self.names.get(variable, f"@{variable}") for variable in variables]
