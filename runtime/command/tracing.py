"""dtrace(1) when it talks to a kernel: trace, list, compile only, make anonymous enablings."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain, groupby

from dc.diagnostics import CompileError
from dc.script import Request, read
from dif.limits import SECOND
from dif.records import Record, field
from dof.commandline import Failure
from dof.options import TABLE
from runtime.border import BorderError
from runtime.command.arguments import COMMAND, Arguments, Mode
from runtime.consumer.consumer import Consumer, Work
from runtime.consumer.events.errors import AnswerError, OutputFull, TraceError
from runtime.consumer.output.stream import Output, append_to
from runtime.kernel.base.budgets import written

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from dc.compiler import CompileResult
    from dc.options import Options
    from dof.model import ProbeDesc
    from runtime.command.recorded import Taken
    from runtime.consumer.output.reporter import Reporter
    from runtime.consumer.output.strict import Expecting, Strict
    from runtime.consumer.output.timeline import Timeline
    from runtime.instances.root.cluster import Cluster
    from runtime.instances.root.compiling import Part
    from runtime.instances.root.processes import RemoteProcess
    from runtime.ioctl.hostsystem import HostProcess, HostSystem
    from runtime.machine import Machine
    from runtime.machine import Process as OwnProcess

    Process = OwnProcess | HostProcess | RemoteProcess

PROGRAM = COMMAND.program
_GRACE = 5.0  # seconds that the last report may take once the time is over
_ANONYMOUS = "dtrace.conf"  # where -A writes and -a reads, unless told otherwise


class _Program(Record):
    """A program; `parts` are what it was compiled to for groups of instances, if there are several."""

    request: Request
    result: CompileResult
    parts: list[Part] = field(default_factory=list)

    def descriptions(self) -> Iterator[ProbeDesc]:
        """Yield the descriptions of its clauses; equal ones that follow one another are one."""
        return (description for description, _ in groupby(ecb.probe for ecb in self.result.program.ecbs))


class Signals:
    """SIGINT, SIGTERM and SIGHUP, unless they are ignored: the first ends tracing, a second one the command.

    `interrupt` is called at the first; at the second KeyboardInterrupt is raised.
    """

    def __init__(self, interrupt: Callable[[], None]) -> None:
        self._interrupt = interrupt
        self._caught: list[int] = []
        self.last = 0  # the number of the last that came

    def catch(self) -> None:
        """From now on handle them."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is not signal.SIG_IGN:
                self._caught.append(number)
                signal.signal(number, self._handle)

    def release(self) -> None:
        """From now on one ends the process without a word.

        (Python shows an exception that is raised in its own end.)
        """
        for number in self._caught:
            signal.signal(number, signal.SIG_DFL)

    def have_come(self) -> bool:
        """Whether one has come."""
        return self.last != 0

    def _handle(self, number: int, _frame: object) -> None:
        is_first, self.last = not self.last, number
        if not is_first:
            raise KeyboardInterrupt
        self._interrupt()


class Session(Record):
    """One run of the command."""

    arguments: Arguments
    options: Options
    machine: Machine | HostSystem | Cluster
    consumer: Consumer
    output: Output
    signals: Signals
    programs: list[_Program] = field(default_factory=list)
    processes: list[Process] = field(default_factory=list)
    children: list[Process] = field(default_factory=list)  # those of -c
    cluster: Cluster | None = None  # what `machine` is, if it is many
    demands: list[Strict | Expecting] = field(default_factory=list)  # of -x strict and expect-probes
    timeline: Timeline | None = None  # of --timeline and --report

    # -- messages --------------------------------------------------------------------------------

    @staticmethod
    def error(message: str) -> None:
        print(f"{PROGRAM}: {message}", file=sys.stderr)

    def notice(self, message: str) -> None:
        """Tell the user something that -q suppresses."""
        if not self.options.is_on("quiet"):
            self.error(message)

    def write(self, text: str) -> None:
        self.output.write(text.encode("utf-8", "surrogateescape"))

    @property
    def structured(self) -> bool:
        """Whether the output is for programs to read."""
        return self.options.choice("oformat") == "json"

    def remark(self, text: str) -> None:
        """Say what -v asks for: in the output or, if that is for programs, on standard error."""
        if self.structured:
            sys.stderr.write(text)
        else:
            self.write(text)

    # -- programs --------------------------------------------------------------------------------

    def start_processes(self) -> None:
        """Create the processes of -c and find those of -p.  They stand still until tracing begins."""
        for command in self.arguments.commands:
            import shlex

            try:
                argv = shlex.split(command)
            except ValueError as error:
                raise Failure(f"failed to read command {command!r}: {error}") from None
            if not argv:
                raise Failure("failed to create a process: the command is empty")
            argv[0], places = self._placed(argv[0])
            for place in places:
                self.processes.append(_control(partial(self._spawn, argv, place), argv[0]))
        self.children = list(self.processes)
        controlled = {(each.pid, 0) for each in self.processes}
        for text in self.arguments.processes:
            number, places = self._placed(text)
            if not number.isdigit():
                raise Failure(f"invalid pid: {text}")
            for place in places:
                process = _control(partial(self._grab, int(number), place), number)
                if (process.pid, place) not in controlled:
                    self.processes.append(process)
                    controlled.add((process.pid, place))
        if self.processes:
            self.consumer.settings.target = self.processes[0].pid

    def _placed(self, text: str) -> tuple[str, list[int]]:
        """What stands behind the path that a command or pid may begin with, and the instances meant by it.

        Without a path it is the host.
        """
        pattern, colon, rest = text.partition(":")
        if self.cluster is None or not colon or not rest:
            return text, [0]
        meant = self.cluster.instances.meant(pattern)
        if not meant:
            raise Failure(f"failed to control {text}: {self.cluster.instances.unmeant(pattern)}")
        return rest, [each.number for each in meant]

    def _spawn(self, argv: list[str], place: int) -> Process:
        machine = self.cluster or self.machine
        arguments = argv, self.options.environment(machine.environment), self.options.choice("evaltime", "")
        return self.cluster.spawn(*arguments, place) if self.cluster else machine.spawn(*arguments)

    def _grab(self, pid: int, place: int) -> Process:
        return self.cluster.grab(pid, place) if self.cluster else self.machine.grab(pid)

    def compile(self) -> None:
        """Compile every request, and say which programs' types could not be known.  Raises Failure."""
        try:
            self._compile()
        finally:
            for problem in self.machine.unread_types():
                self.error(problem)

    def _compile(self) -> None:
        for request in self.arguments.requests:
            written = read(request, self.options, self.arguments.bits or 64, PROGRAM)
            operands = [request.filename or PROGRAM, *self.arguments.operands]
            compile = partial(self.consumer.compile, written.text, filename=request.filename or None,
                              arguments=operands, specifier=request.specifier, written=written.source)
            try:
                if self.cluster is None or len(self.cluster.compiling.groups) == 1:
                    program = _Program(request, compile())
                else:
                    parts = self.cluster.compiling.compile(self.consumer, compile)
                    program = _Program(request, parts[0].result, parts)
            except CompileError as error:
                raise written.failure(error, self.options, PROGRAM) from None
            self.programs.append(program)
            if self.options.is_on("verbose"):
                self._show_dif(program.result)

    @staticmethod
    def _show_dif(result: CompileResult) -> None:
        """-S: the listing of every DIF object, wherever it is referred to."""
        from dif.disassembler import listing

        for number, difo in enumerate(result.program.references()):
            sys.stderr.write(listing(difo, number))

    def enable(self) -> int:
        """Enable every program; return the number of probes that matched."""
        total = 0
        if self.arguments.timeline or self.arguments.report:
            self._enable_timeline()
        for program in self.programs:
            try:
                matched = self._enabled(program)
            except TraceError as error:
                raise Failure(f"failed to enable '{program.request.name}': {error}") from None
            total += matched
            self.notice(f"{program.request.what} '{program.request.name}' matched {matched} "
                        f"probe{'' if matched == 1 else 's'}")
        return total

    def _enable_timeline(self) -> None:
        """Enable what a timeline is drawn from.  Raises Failure."""
        from runtime.consumer.output.timeline import PROGRAM as TIMELINE
        from runtime.consumer.output.timeline import Timeline

        try:
            program = self.consumer.compile(TIMELINE).program
            self.consumer.enable(program)
        except (CompileError, TraceError) as error:
            raise Failure(f"there is no timeline without the probes of sched and proc: {error}") from None
        self.timeline = Timeline(program)

    def _enabled(self, program: _Program) -> int:
        """Enable a program, for each group of instances what was compiled for it.  Raises TraceError."""
        if self.cluster is None or not program.parts:
            return self.consumer.enable(program.result.program)
        total = 0
        for part in program.parts:
            self.cluster.probes.among = part.group.members
            total += self.consumer.enable(part.result.program)
        self.cluster.probes.among = None
        return total

    def report(self, executed: bool) -> None:
        """-v: the stability of each program, and of its probes when it is not enabled."""
        from runtime.consumer.output.probelist import probe_report, program_report

        catalog = self.consumer.compiler.catalog
        for program in self.programs:
            request, clauses = program.request, program.result.clauses
            self.remark(program_report(request.what, request.name, [each.context for each in clauses],
                                       [each.attributes for each in clauses]))
            if executed:
                self.remark("\n")
                continue
            for description in program.descriptions():
                self.remark(f"\n{description}\n")
                probes = catalog.probes(description)
                if probes:
                    self.remark(probe_report(probes[0], catalog.provider_attributes(probes[0].provider),
                                             catalog.arguments(probes[0])))

    def list_probes(self) -> None:
        """-l."""
        from dof.model import ProbeDesc
        from runtime.consumer.output.probelist import HEADING, list_probes

        for description in chain.from_iterable(program.descriptions() for program in self.programs):
            pattern = description.instance
            if self.cluster is not None and not self.cluster.instances.meant(pattern):
                raise Failure(f"failed to match {description}: {self.cluster.instances.unmeant(pattern)}")
        where = self._owners()
        self.write(where(0) + HEADING)
        catalog, verbose = self.consumer.compiler.catalog, self.arguments.verbose
        if not self.programs:
            list_probes(catalog.probes(ProbeDesc()), catalog, self.write, verbose, where)
        for program in self.programs:
            for description in program.descriptions():
                probes = catalog.probes(description)
                if not probes:
                    self.output.flush()
                    self.error(f"failed to match {description}: No probe matches description")
                list_probes(probes, catalog, self.write, verbose, where)
        if self.options.is_on("tracepoints"):
            self.write("\n" + self.machine.tracepoints())
        self.report_refusals()

    def _owners(self) -> Callable[[int], str]:
        """What stands in front of a probe in a list: its instance, where there are several."""
        if self.cluster is None or self.cluster.instances.single:
            return lambda _number: ""
        from runtime.consumer.output.text import INSTANCE

        owned = self.cluster.probes
        owned.listing = True
        return lambda number: f"{owned.instance_of(number) if number else 'INSTANCE':<{INSTANCE}} "

    def tell(self) -> None:
        """Tell what has happened to instances: in the output of JSON, else on standard error."""
        if self.cluster is None:
            return
        for each in self.cluster.membership.take():
            if self.structured:
                from runtime.consumer.output.jsonlines import instance_line

                self.output.write(instance_line(each.kind, each.instance, each.text, each.records))
            else:
                self.output.flush()
                self.error(each.line)

    def account(self) -> None:
        """Tell what was lost of what the instances recorded, and whether the sums are right."""
        if self.cluster is None or self.cluster.instances.single:
            return
        self.consumer.final_status()
        self.cluster.membership.settle()
        self.tell()
        if self.structured:
            from runtime.consumer.output.jsonlines import account_line

            for path, account in self.cluster.membership.ledger.accounts.items():
                self.output.write(account_line(path, account.produced, account.delivered, account.dropped))
            return
        for line in self.cluster.membership.ledger.lines():
            self.error(line)

    def report_refusals(self) -> None:
        """Report computed jumps that hide probes which were asked for; with -v every place without one."""
        for refusal in self.machine.refusals(self.arguments.verbose):
            self.error(f"cannot trace {refusal}")

    def report_unknown_calls(self) -> None:
        """-v: report the system calls that traced programs made and the emulated kernel does not have."""
        unknown = self.machine.unknown_calls() if self.arguments.verbose else []
        if unknown:
            self.error(f"system calls that the machine does not have: {', '.join(unknown)}")

    # -- tracing ---------------------------------------------------------------------------------

    def trace(self, reporter: Reporter) -> int:
        """Trace from the start to the end; return the exit status.

        Raises KeyboardInterrupt at a second signal.
        """
        from runtime.consumer.options import Tuning

        self.consumer.handler = reporter
        tuning = Tuning(self.options)
        self.signals.catch()
        try:
            self.consumer.go()
        except TraceError as error:
            raise Failure(f"could not enable tracing: {error}") from None
        for message in tuning.changes():
            self.error(message)
        if self.options.is_on("destructive"):
            self.notice("allowing destructive actions")
        places = self.arguments.verbose and self.options.is_on("tracepoints")
        if places:
            self.machine.keep_tracepoints()
        for process in self.processes:
            process.resume()
        if self.options.number("timeout"):
            signal.signal(signal.SIGALRM, self._time_over)
        try:
            self._loop(reporter)
            self.account()
            reporter.finish()
        except OutputFull:
            pass  # the last words were too many, too
        if places:
            self.remark("\n" + self.machine.tracepoints())
        self.report_unknown_calls()
        if self.machine.budgets.ended is not None:
            self.output.flush()
            self.error(f"tracing has ended: {self.machine.budgets.ended}")
            return 1
        return self.exit_status(reporter)

    def exit_status(self, reporter: Reporter) -> int:
        """The status that dtrace ends with: of exit(), of a command, or 1 for what CI demands."""
        status = reporter.status
        problems = [(demand.option, found) for demand in self.demands if (found := demand.problems())]
        for option, found in problems:
            self.error(f"{', '.join(found)} (-x {option})")
        if problems:
            return 1
        if self.options.is_on("childstatus") and not status:
            ended = (each.exit_status for each in self.children if each.exit_status is not None)
            status = next(filter(None, map(_shell_status, ended)), 0)
        return status

    def _time_over(self, _number: int, _frame: object) -> None:
        """The time that -x timeout gives ends tracing; the grace after it, the report."""
        budgets = self.machine.budgets
        if budgets.ended is not None:
            raise Failure(_time_is_over(self.options))
        budgets.end(_time_is_over(self.options))
        self.machine.interrupt()

    def _loop(self, reporter: Reporter) -> None:
        """Trace until the end.  Raises OutputFull when there is no room for the last report."""
        living = list(self.processes)
        interrupted = False
        while True:
            ended = self.machine.budgets.ended is not None
            if not self.signals.last and not ended:
                self.consumer.sleep()
            if (self.signals.last or self.consumer.system.interrupted) and not interrupted:
                interrupted = True
                reporter.interrupted()
            for process in [each for each in living if each.exit_status is not None]:
                living.remove(process)
                self.notice(_ending(process))
            if interrupted or ended or (self.processes and not living):
                self.consumer.stop()
            if ended:
                self.machine.budgets.last_words()
            try:
                done = self.consumer.work(reporter) is Work.DONE
                reporter.worked()
                self.tell()
            except OutputFull:
                if ended:
                    raise
                done = False
            self.output.flush()
            if done:
                return


def _time_is_over(options: Options) -> str:
    return f"its time is over (-x timeout={written('timeout', options.number('timeout'))})"


def _limit_time(options: Options) -> None:
    """Begin to measure -x timeout.  When it is over and tracing has not begun, Failure is raised."""
    def over(_number: int, _frame: object) -> None:
        raise Failure(_time_is_over(options))

    nanoseconds = options.number("timeout")
    if nanoseconds:
        signal.signal(signal.SIGALRM, over)
        signal.setitimer(signal.ITIMER_REAL, nanoseconds / SECOND, _GRACE)


def _control(get: Callable[[], Process], name: str) -> Process:
    """Return the process that `get` finds or makes.  Raises Failure."""
    try:
        return get()
    except OSError as error:
        raise Failure(f"failed to control {name}: {error.strerror or error}") from None


def _shell_status(status: int) -> int:
    """A status of wait(2) as a shell shows it: the argument of exit(2), or 128 and the signal."""
    return 128 + (status & 0x7F) if status & 0x7F else status >> 8


def _ending(process: Process) -> str:
    """How a process ended; `exit_status` is as wait(2) gives it."""
    status = process.exit_status or 0
    if status & 0x7F:
        try:
            name = signal.Signals(status & 0x7F).name
        except ValueError:
            name = f"signal {status & 0x7F}"
        return f"pid {process.pid} terminated by {name}"
    if status >> 8:
        return f"pid {process.pid} exited with status {status >> 8}"
    return f"pid {process.pid} has exited"


# -- setting up --------------------------------------------------------------------------------------

def _output(arguments: Arguments, machine: Machine | HostSystem | Cluster, writes_files: bool,
            signals: Signals) -> Output:
    """Return where the trace goes: standard output, or the end of the file of -o.  Raises Failure."""
    name, stream = "standard output", sys.stdout.buffer
    if arguments.output is not None and arguments.mode != Mode.ANONYMOUS:
        try:
            name, stream = arguments.output, append_to(arguments.output)
        except OSError as error:
            raise Failure(f"cannot write to {arguments.output}: {error.strerror}") from None
    return Output(stream, machine.shell, name=name, writes_files=writes_files, ended=signals.have_come,
                  grant=machine.budgets.output.grant)


def _machine_options(options: Options, taken: Taken | None = None) -> dict[str, object]:
    recorded = taken.recording.options if taken is not None else {}
    return {**recorded, **options.machine(), "target": options.choice("target", "illumos")}


def _boot_anonymous(options: Options, machine: Machine) -> None:
    """Begin the tracing that -A prepared, as a kernel does when it boots.  Raises Failure."""
    from runtime.consumer.anonymous import read

    path = options.text("anon", _ANONYMOUS)
    try:
        images = read(path)
        machine.framework.begin_anonymous(images)
        machine.anonymous = images
    except BorderError as error:
        raise Failure(f"failed to begin anonymous tracing from {path}: {error.strerror}") from None
    except OSError as error:
        raise Failure(f"failed to read anonymous enablings from {path}: {error.strerror}") from None
    except ValueError as error:
        raise Failure(f"failed to read anonymous enablings from {path}: {error}") from None


def _machine(arguments: Arguments, options: Options, taken: Taken | None) -> Machine:
    """Boot an emulated machine.  Raises Failure."""
    from runtime.machine import Machine

    try:
        words = arguments.words if taken is None else taken.recording.words
        machine = Machine(_machine_options(options, taken), [PROGRAM, *words], taken)
        machine.remark = options.debug
    except (OSError, ValueError) as error:
        raise Failure(f"failed to initialize the machine: {error}") from None
    if options.is_on("grabanon"):
        _boot_anonymous(options, machine)
    return machine


def _cluster(arguments: Arguments, options: Options) -> Cluster:
    """Start what a cluster's file describes.  Raises Failure."""
    from runtime.instances.root.cluster import Cluster
    from runtime.instances.roster.clusterfile import ClusterError, read_cluster

    if arguments.mode == Mode.ANONYMOUS or options.is_on("grabanon"):
        raise Failure("anonymous tracing is of one machine: give -A and -a without --cluster")
    if "device" in options.values:
        raise Failure("--cluster is of emulated machines, -x device of this host: give one of them")
    for number in (signal.SIGTERM, signal.SIGHUP):  # what has been started elsewhere must be ended, too
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _leave)
    try:
        return Cluster(read_cluster(str(arguments.cluster)), _machine_options(options),
                       [PROGRAM, *arguments.words])
    except ClusterError as error:
        raise Failure(str(error)) from None
    except OSError as error:
        raise Failure(f"failed to initialize the cluster: {error}") from None


def _leave(number: int, _frame: object) -> None:
    raise SystemExit(128 + number)


def _host(options: Options) -> HostSystem:
    """The operating system, to be traced through a device of its own.  Raises Failure."""
    from runtime.ioctl.hostsystem import HostSystem

    emulated = sorted(options.machine())
    if emulated:
        raise Failure(f"option {emulated[0]} is for an emulated machine: with -x device there is none")
    if os.uname().machine in ("aarch64", "arm64"):
        options.values.setdefault("arch", TABLE["arch"].choices["aarch64"])
    return HostSystem(options.text("device", ""), options.numbering)


def trace(arguments: Arguments) -> int:
    """Do what the command line says; return the exit status.  Raises Failure."""
    options = arguments.checked_options()
    if arguments.mode == Mode.LIST:
        options.values["zdefs"] = 1
    if arguments.mode == Mode.ANONYMOUS and "linkmode" not in options.values:
        options.set("linkmode", "primary")  # other modules may be elsewhere when the program is loaded
    if not arguments.requests and arguments.mode == Mode.TRACE and arguments.execute \
            and not arguments.instances and not options.is_on("grabanon") and not options.is_on("zdefs"):
        raise Failure("no probes specified")
    if arguments.instances and arguments.cluster is None:
        raise Failure("--instances needs a cluster: say which with --cluster FILE")
    if arguments.cluster is not None and (arguments.timeline or arguments.report):
        raise Failure("--timeline and --report are of one machine: give them without --cluster")
    if options.is_on("childstatus") and arguments.mode == Mode.TRACE and not arguments.commands:
        raise Failure("-x childstatus is for the status of a command: give one with -c")
    _limit_time(options)
    machine: Machine | HostSystem | Cluster
    taken = cluster = None
    if arguments.replay is not None or "record" in options.values:
        from runtime.command.recorded import begin

        taken = begin(arguments, options)
    own = None
    if arguments.cluster is not None:
        machine = cluster = _cluster(arguments, options)
    elif "device" in options.values:
        machine = _host(options)
    else:
        machine = own = _machine(arguments, options, taken)
    signals = Signals(machine.interrupt)
    try:
        status = _in_machine(arguments, options, machine, cluster, signals)
        if taken is not None and own is not None:
            from runtime.command.recorded import end

            end(taken, arguments, options, own, Session.error)
        return status
    except AnswerError as error:
        raise Failure(f"processing aborted: {error}") from None
    except TraceError as error:
        raise Failure(str(error)) from None
    except BorderError as error:
        raise Failure(f"processing aborted: {error.strerror}") from None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        machine.close()
        signals.release()


def _opened(machine: Machine | HostSystem | Cluster) -> Consumer:
    try:
        return Consumer.open(machine)
    except BorderError as error:
        raise Failure(f"failed to initialize dtrace: {error.strerror}") from None


def _in_machine(arguments: Arguments, options: Options, machine: Machine | HostSystem | Cluster,
                cluster: Cluster | None, signals: Signals) -> int:
    with _opened(machine) as consumer:
        consumer.adopt(options)
        anonymous = getattr(machine, "anonymous", ())  # an operating system does not tell
        if anonymous:
            consumer.claim(anonymous)
        if cluster is not None:
            consumer.instances, consumer.places = True, cluster.instances.places
            if consumer.places and options.choice("order") == "time":
                consumer.options.values.setdefault("temporal", 1)
                cluster.snapshots.ordered = True
        consumer.bits = arguments.bits
        consumer.compiles_only = not arguments.execute
        if arguments.mode == Mode.ANONYMOUS:  # the kernel that boots later may be any
            consumer.constants = options.system
        consumer.settings.terminal = machine.environment.get("TERM", "")
        session = Session(arguments, consumer.options, machine, consumer, Output(sys.stdout.buffer), signals,
                          cluster=cluster)
        if cluster is not None and arguments.instances:
            from runtime.instances.root.tree import listing

            session.write(listing(cluster, arguments.verbose))
            session.tell()
            session.output.close()
            return 0
        session.start_processes()
        session.compile()
        session.output = _output(arguments, machine, options.is_on("destructive"), signals)
        try:
            return _dispatch(session)
        except KeyboardInterrupt:
            session.output.abandon()
            return 128 + (signals.last or signal.SIGINT)
        finally:
            session.output.close()


def _dispatch(session: Session) -> int:
    arguments = session.arguments
    if arguments.mode == Mode.LIST:
        session.list_probes()
        return 0
    if arguments.mode == Mode.ANONYMOUS:
        return _anonymous(session)
    if not arguments.execute:
        if arguments.verbose:
            session.report(False)
        return 0
    matched = session.enable()
    if arguments.verbose:
        session.report(True)
    session.report_refusals()
    if not matched and not session.options.is_on("grabanon") and not session.options.is_on("zdefs"):
        raise Failure(f"no probes {'matched' if arguments.requests else 'specified'}")
    return session.trace(_reporter(session))


def _reporter(session: Session) -> Reporter:
    """Return what shows the trace: text or JSON, with the pictures that are wanted around it."""
    from runtime.consumer.output.repeats import FirstErrors

    consumer, arguments = session.consumer, session.arguments
    reporter: Reporter
    if session.structured:
        from runtime.consumer.output.jsonlines import Json

        reporter = Json(session.output, consumer)
    else:
        if arguments.buffered:
            from runtime.consumer.output.bufferreport import BufferReport

            reporter = BufferReport(session.output, consumer, notice=session.error,
                                    type_named=consumer.types.get)
        else:
            from runtime.consumer.output.text import Text

            reporter = Text(session.output, consumer.settings, consumer.aggregations, notice=session.error,
                            type_named=consumer.types.get)
    if arguments.draws:
        reporter = _drawing(session, reporter)
    reporter = FirstErrors(reporter, consumer)
    if session.options.is_on("strict"):
        from runtime.consumer.output.strict import Strict

        descriptions = [each for program in session.programs for each in program.descriptions()]
        reporter = strict = Strict(reporter, descriptions, consumer.compiler.catalog)
        session.demands.append(strict)
    if session.options.is_on("expect-probes"):
        from runtime.consumer.output.strict import Expecting

        ecbs = [ecb for program in session.programs for ecb in program.result.program.ecbs]
        reporter = expecting = Expecting(reporter, ecbs, consumer)
        session.demands.append(expecting)
    return reporter


def _drawing(session: Session, reporter: Reporter) -> Reporter:
    """Return a reporter around one that draws the pictures that are wanted."""
    from runtime.consumer.output.heatmap import Pace
    from runtime.consumer.output.pictures import Pictures, Wanted

    consumer, arguments = session.consumer, session.arguments
    page = None
    if arguments.report:
        from runtime.api.report import Page

        scripts = [(program.request.filename or "", program.result.program.source)
                   for program in session.programs]
        page = Page(consumer, arguments.words, scripts)
        session.output.copied.append(page.printed)
    wanted = Wanted(arguments.flame, arguments.folded, arguments.heatmap, arguments.timeline,
                    arguments.report, arguments.live, arguments.progress)
    pace = Pace(session.options) if arguments.heatmap or arguments.report else None
    return Pictures(reporter, consumer, wanted, pace, session.timeline, page)


def _anonymous(session: Session) -> int:
    """-A: write the programs, the error enabling and the options as DOF to a driver's configuration file.

    Without programs, remove what an earlier -A wrote there.  Returns the exit status.
    """
    from dof.format import DofError
    from dof.model import Program
    from dof.writer import write
    from runtime.consumer.anonymous import save
    from runtime.consumer.errorprobe import error_program

    path = session.arguments.output or _ANONYMOUS
    try:
        images = [write(program.result.program) for program in session.programs]
    except DofError as error:
        raise Failure(f"failed to write DOF: {error}") from None
    if images:
        images += [write(error_program()), write(Program(options=session.options.runtime()))]
    try:
        cleaned = save(path, images)
    except UnicodeDecodeError:
        raise Failure(f"cannot add to {path}: it is no text") from None
    if cleaned:
        session.error(f"{path}: removed the enabling of an earlier -A")
    if images:
        session.error(f"{path}: wrote the enabling for a later -a")
    return 0
