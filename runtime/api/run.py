"""run(): trace once, in a machine of its own, and have everything as Python objects."""

from __future__ import annotations

import io
import os
import shlex
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from dc.options import OptionError, Options
from dif.records import Record
from runtime.api.results import Aggregation, Firing, Traced
from runtime.consumer.consumer import Consumer
from runtime.consumer.output.flamegraph import fold, svg
from runtime.consumer.output.heatmap import HeatMap, Pace
from runtime.consumer.output.jsonlines import Items
from runtime.consumer.output.reporter import Around
from runtime.consumer.output.stream import Output
from runtime.consumer.output.text import Text
from runtime.machine import Machine, Process

if TYPE_CHECKING:
    from pandas import DataFrame  # type: ignore[import-untyped,import-not-found,unused-ignore]

    from runtime.consumer.events.notices import Drop, Fault
    from runtime.consumer.events.records import Firing as Reported
    from runtime.consumer.output.reporter import Reporter, Session

_SIGNAL = 0x7F
_SCROLLED = "max-height:30em;overflow:auto;margin:.5em 0"


class FlameGraph(Record):
    """Stacks with their weights, outermost frame first.  A notebook shows the picture."""

    folded: Mapping[tuple[str, ...], int]

    def __repr__(self) -> str:
        return f"<flame graph of {len(self.folded)} stacks>"

    @property
    def svg(self) -> str:
        """The picture, with zoom and search."""
        return svg(dict(self.folded))

    def _repr_html_(self) -> str:
        return _framed(self.svg)


class HeatMapPicture(Record):
    """Distributions over time.  A notebook shows the picture, print() the one for a terminal."""

    samples: HeatMap

    def __repr__(self) -> str:
        return f"<heat map of {len(self.samples.times)} samples>"

    def __str__(self) -> str:
        return self.samples.text()

    @property
    def svg(self) -> str:
        """The picture."""
        return self.samples.svg()

    def _repr_html_(self) -> str:
        return self.svg


def _framed(svg: str) -> str:
    """A picture with a script, in a frame of its own: notebooks run no script of a cell's HTML."""
    height = svg.partition('height="')[2].partition('"')[0]
    return (f'<iframe sandbox="allow-scripts" style="width:100%;height:{int(height) + 20}px;border:0" '
            f'srcdoc="{escape(svg)}"></iframe>')


class Run(Record):
    """A run that has ended.

    `output` is what dtrace shows of it, `printed` the part that came while it ran, without the aggregations
    that are shown at the end.  `stdout` and `stderr` are what the programs printed.  `status` is the
    argument of exit(), `ended` the command's exit status as a shell shows it, None if it has none.
    """

    script: str
    status: int
    ended: int | None
    output: str
    printed: str
    stdout: str
    stderr: str
    trace: Traced
    flamegraph: FlameGraph
    heatmap: HeatMapPicture

    def __repr__(self) -> str:
        return f"<Run status={self.status} {self.trace!r}>"

    def __iter__(self) -> Iterator[Firing]:
        """Iterate over the firings."""
        return iter(self.trace)

    @property
    def firings(self) -> list[Firing]:
        """The firings of clauses that recorded something, in their order."""
        return self.trace.firings

    @property
    def aggregations(self) -> dict[str, Aggregation]:
        """The aggregations by their names; the one without a name is `_`."""
        return self.trace.aggregations

    @property
    def errors(self) -> list[str]:
        """The messages of clauses that failed."""
        return self.trace.errors

    @property
    def drops(self) -> list[str]:
        """The messages of what was lost."""
        return self.trace.drops

    def aggregation(self, name: str = "") -> Aggregation:
        """Return `@name`, or the only aggregation there is: see Traced.aggregation."""
        return self.trace.aggregation(name)

    def to_json(self) -> str:
        """Return firings, aggregations, errors and drops: see Traced.to_json."""
        return self.trace.to_json()

    def to_dataframe(self) -> DataFrame:
        """Return the firings as a data frame.  Raises ImportError without pandas."""
        return self.trace.to_dataframe()

    def _repr_html_(self) -> str:
        text = self.printed.strip("\n")
        parts = [f"<pre>{escape(text)}</pre>"] if text else []
        parts += [each._repr_html_() for each in self.aggregations.values()]
        picture = self.flamegraph._repr_html_() if self.flamegraph.folded else ""
        return "".join(f'<div style="{_SCROLLED}">{part}</div>' for part in parts) + picture


class _Collector(Around):
    """Keeps what a session reports besides what the reporter in it shows."""

    def __init__(self, inner: Reporter, session: Session, pace: Pace) -> None:
        super().__init__(inner)
        self.trace = Traced()
        self.heat = HeatMap(pace)
        self._items = Items(session)
        self._session = session

    def firing(self, firing: Reported) -> None:
        super().firing(firing)
        self.trace.take(self._items.of_firing(firing))

    def fault(self, fault: Fault) -> None:
        """Keep the message; what is shown has none."""
        self.trace.take(self._items.of_fault(fault))

    def drop(self, drop: Drop) -> None:
        """Keep the message; what is shown has none."""
        self.trace.take(self._items.of_drop(drop))

    def worked(self) -> None:
        self.heat.sample(self._session.aggregations, self._session.names, self._session.system.now())

    def finish(self) -> None:
        """Show the report's end, and keep every aggregation as it is now."""
        super().finish()
        self.trace.aggregations.clear()
        for variable in self._session.names:
            for item in self._items.of_rows(self._session.aggregations.rows(variable)):
                self.trace.take(item)


def _options(given: Mapping[str, object]) -> Options:
    """Options of -x from Python values: True sets a flag, a list sets one each time.  Raises OptionError."""
    options = Options()
    for name, value in ({"quiet": True} | dict(given)).items():
        for each in value if isinstance(value, list | tuple) else [value]:
            try:
                if each is not False:
                    options.set(name, None if each is True else str(each))
            except OptionError as error:
                raise OptionError(f"option {name}: {error}") from None
    return options


def _status(process_status: int | None) -> int | None:
    """A status of wait(2) as a shell shows it."""
    if process_status is None:
        return None
    return 128 + (process_status & _SIGNAL) if process_status & _SIGNAL else process_status >> 8


def run(script: str | Path, command: str | Sequence[str] = (), *, arguments: Sequence[str] = (),
        options: Mapping[str, object] | None = None, input: str | bytes = b"",
        seconds: float | None = None, timeout: float | None = None) -> Run:
    """Trace with a D program, until it calls exit() or the command has ended, and return what was seen.

    The program is text, or a Path of a script; the command is a list of words, or a line that is split as a
    shell does it.  `arguments` are $1, $2, ...; `options` those of -x: {"ncpus": 2, "destructive": True}.
    The command reads `input`.  Tracing also ends after `seconds` of the machine's time, or after `timeout`
    seconds of the host's.

    This process's own standard input and output are not used.  Raises dc.diagnostics.CompileError for a
    mistake in the program, OptionError and ValueError for options, TraceError where the kernel refuses,
    OSError where the command cannot be executed.

    >>> seen = run('syscall::write:entry { @[execname, arg2] = count(); }', "echo hello")
    >>> seen.aggregation()
    <@: count() of 1 entry {('echo', 6): 1}>
    >>> seen.stdout
    'hello\\n'
    >>> [firing.values for firing in run('BEGIN { trace("x"); trace(6 * 7); exit(0); }')]
    [('x', 42)]
    """
    text, name = (script.read_text(), str(script)) if isinstance(script, Path) else (script, None)
    chosen = _options(options or {})
    words = shlex.split(command) if isinstance(command, str) else list(command)
    data = input.encode() if isinstance(input, str) else input
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        given.write(data)
        given.seek(0)
        standard = given.fileno(), out.fileno(), err.fileno()
        machine_options = {**chosen.machine(), "target": chosen.choice("target", "illumos")}
        with Machine(machine_options, standard=standard) as machine, Consumer.open(machine) as session:
            session.adopt(chosen)
            processes = [machine.spawn(words, chosen.environment(machine.environment))] if words else []
            if processes:
                session.settings.target = processes[0].pid
            program = session.compile(text, filename=name, arguments=[name or "dtrace", *arguments]).program
            session.enable(program)
            shown = io.BytesIO()
            collector = _collector(session, machine, shown)
            _until_the_end(session, collector, machine, processes, seconds, timeout)
            printed = _text(shown.getvalue())
            collector.finish()
            return Run(text, collector.status, _status(processes[0].exit_status) if processes else None,
                       _text(shown.getvalue()), printed, _whole(out.fileno()), _whole(err.fileno()),
                       collector.trace, FlameGraph(fold(session.aggregations, session.settings)),
                       HeatMapPicture(collector.heat))


def _collector(session: Consumer, machine: Machine, shown: io.BytesIO) -> _Collector:
    """What keeps a run, with the text of dtrace -q in `shown`."""
    output = Output(shown, machine.shell,
                    writes_files=session.options.is_on("destructive"), grant=machine.budgets.output.grant)
    text = Text(output, session.settings, session.aggregations, type_named=session.types.get)
    return _Collector(text, session, Pace(session.options))


def _until_the_end(session: Consumer, collector: _Collector, machine: Machine, processes: Sequence[Process],
                   seconds: float | None, timeout: float | None) -> None:
    """Trace until the end, which is not reported yet."""
    late = threading.Event()

    def over() -> None:
        late.set()
        machine.interrupt()

    clock = threading.Timer(timeout, over) if timeout is not None else None
    if clock is not None:
        clock.start()
    try:
        session.handler = collector
        for _ in session.steps(seconds=seconds, processes=processes,
                               until=lambda: late.is_set() or machine.budgets.ended is not None):
            collector.worked()
    finally:
        if clock is not None:
            clock.cancel()


def _whole(descriptor: int) -> str:
    size = os.fstat(descriptor).st_size
    return _text(os.pread(descriptor, size, 0))


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")
