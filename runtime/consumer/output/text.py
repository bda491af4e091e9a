"""The classic text output: a heading, a line for each firing, whatever its actions print."""

from __future__ import annotations

import sys
from collections.abc import Callable

from dof.model import ActionKind
from dof.printf import FormatError
from runtime.border import RecDesc
from runtime.consumer.aggregations.aggregate import Aggregations, Row
from runtime.consumer.events import records as r
from runtime.consumer.events import stacks
from runtime.consumer.events.errors import AnswerError
from runtime.consumer.events.names import printable
from runtime.consumer.events.notices import Drop, Fault, Repeats
from runtime.consumer.events.recordbytes import blob, dump, until_nul
from runtime.consumer.events.settings import Settings
from runtime.consumer.output.aggregationtext import INTEGERS, Printer, batches, integer, lines
from runtime.consumer.output.stream import Output

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from dc.types.types import Type
    from runtime.consumer.aggregations.entries import Layout
    from runtime.consumer.aggregations.lines import Piece
    from runtime.consumer.aggregations.ranking import Ranked
    from runtime.consumer.output.linetemplates import Field, Template
    from runtime.consumer.output.printf import Bound

_WIDTHS = {1: 3, 2: 5, 4: 8, 8: 16}
_BLOB = -33
INSTANCE = 12  # characters of the column of instances, where several are traced as one

TypeNamed = Callable[[str], "Type | None"]


def _plain(bound: r.BoundFormat) -> Template | None:
    from runtime.consumer.output.printf import Bound

    return bound.plain if isinstance(bound, Bound) else None


def _column(instance: str) -> bytes:
    """The column in front of a line that names its instance; nothing where there is one alone."""
    return f"{instance:<{INSTANCE}} ".encode("utf-8", "surrogateescape") if instance else b""


class Text:
    """A Handler that writes to `output`, and notices to `notice` (a line at a time).

    `type_named` finds the types of print().  `status` is the argument of the last exit().
    """

    def __init__(self, output: Output, settings: Settings, aggregations: Aggregations, *,
                 notice: Callable[[str], None] | None = None, type_named: TypeNamed | None = None) -> None:
        self._output = output
        self._settings = settings
        self._aggregations = aggregations
        self._notice = notice or (lambda line: print(line, file=sys.stderr))
        self._type_named = type_named
        self._headed = False
        self._heads: dict[tuple[str, int, int], bytes] = {}  # of lines, by instance, CPU and clause
        self._formats: dict[tuple[bytes, object], Bound] = {}
        self._lines: dict[tuple[object, ...], Callable[[memoryview], bytes] | None] = {}  # of runs
        self._placed: set[tuple[object, ...]] = set()  # errors whose place has been shown
        self.status = 0

    # -- Handler -----------------------------------------------------------------------------------

    def firing(self, firing: r.Firing) -> None:
        write, settings = self._output.write, self._settings
        quiet = settings.is_set("quiet")
        if not self._headed:
            self._heading(b"%-*s " % (INSTANCE, b"INSTANCE") if firing.instance else b"")
        if settings.is_set("flowindent"):
            line = self._flow(firing)
        else:
            line = b"" if quiet else self._head(firing)
        for record in firing:
            if isinstance(record, r.Traced):
                line += self._traced(record)
                continue
            command = None
            if isinstance(record, r.Formatted) and record.action != ActionKind.PRINTF:
                command = record
            if line and (command or isinstance(record, r.TruncateFile)):
                write(line)
                line = b""
            if command:
                self._command(command, firing)
            else:
                line += self.render(record)
        if firing.acts:
            quiet = settings.is_set("quiet")
        if not quiet:
            line += b"\n"
        if line:
            write(line)

    def run(self, run: r.Run) -> bool:
        """Write the lines of firings that lie one after another."""
        quiet, raw = self._settings.is_set("quiet"), self._settings.is_set("rawbytes")
        key = run.instance, run.cpu, run.epid, quiet, raw, run.size
        if key not in self._lines:
            self._lines[key] = self._line(run, quiet, raw)
        line = self._lines[key]
        if line is None:
            return False
        if not self._headed:
            self._heading(b"%-*s " % (INSTANCE, b"INSTANCE") if run.instance else b"")
        text = line(run.data)
        if text:
            self._output.write(text)
        return True

    def _line(self, run: r.Run, quiet: bool, raw: bool) -> Callable[[memoryview], bytes] | None:
        """What makes the lines of firings like these; None if they are no matter of a template."""
        from runtime.consumer.output.linetemplates import Template

        text = b"" if quiet else self._head(run).replace(b"%", b"%%")
        fields: list[Field] = []
        for part in run.shown:
            if isinstance(part, RecDesc):
                plain: Template | None = self._value(part, quiet, raw) if part.size else Template(b"", ())
            else:
                plain = _plain(part)
            if plain is None:
                return None
            text += plain.text
            fields += plain.fields
        ends = [0, *(field.offset + field.size for field in fields)]
        if not fields or any(field.offset < end for field, end in zip(fields, ends, strict=False)):
            return None
        return Template(text if quiet else text + b"\n", fields).many(run.size)

    def _value(self, record: RecDesc, quiet: bool, raw: bool) -> Template:
        """How a value is shown: as `_traced`, `_stack` and `_address` show it."""
        from runtime.consumer.output.linetemplates import Field, Template

        width, code = _WIDTHS.get(record.size), f"{record.size}s"
        if record.action in stacks.STACKS or record.action in stacks.SYMBOLS:
            shown = stacks.stack if record.action in stacks.STACKS else stacks.symbol
            return Template(b"%s", [Field(record.offset, record.size, code,
                                          lambda data: shown(record, data, self._settings))])
        if width is None:
            return Template(b"%s", [Field(record.offset, record.size, code,
                                          lambda data: blob(data, _BLOB, quiet, raw))])
        return Template(b"%d" if quiet else b" %%%dd" % width,
                        [Field(record.offset, record.size, INTEGERS[record.size])])

    def _head(self, firing: r.Firing | r.Run) -> bytes:
        """Return how a line of a firing begins."""
        key = firing.instance, firing.cpu, firing.epid
        head = self._heads.get(key)
        if head is None:
            probe = firing.probe
            name = printable(f"{probe.function}:{probe.name}")
            line = f"{firing.cpu:3} {probe.id:6} {name:>32} ".encode("utf-8", "surrogateescape")
            head = self._heads[key] = _column(firing.instance) + line
        return head

    def render(self, record: r.Record) -> bytes:
        """What a record prints."""
        return _RENDER[type(record)](self, record)

    def fault(self, fault: Fault) -> None:
        """The line that every DTrace has; the first time another one, with the place in the source."""
        self._output.flush()
        known = fault.source, fault.fault
        if fault.source is None or known in self._placed:
            self._notice(fault.message)
            return
        self._placed.add(known)
        self._notice(f"{fault.message}\n  {fault.source}{': ' if fault.why else ''}{fault.why}")

    def repeats(self, repeats: Repeats) -> None:
        self._output.flush()
        self._notice(repeats.message)

    def drop(self, drop: Drop) -> None:
        self._output.flush()
        self._notice(drop.message(self._settings.is_set("droptags")))

    def interrupted(self) -> None:
        """Begin a new line: the terminal has echoed the user's interrupt on this one."""
        self._output.write(b"\n")

    def worked(self) -> None:
        """Nothing to do between records."""

    def finish(self) -> None:
        """The end of tracing: a newline and the aggregations that no printa() showed."""
        self._output.write(b"\n")
        printer = Printer(self._aggregations, self._settings)
        for text in printer.rows(self._aggregations.unprinted()):
            self._output.write(text)
        self._output.flush()

    # -- lines -------------------------------------------------------------------------------------

    def _heading(self, instance: bytes) -> None:
        self._headed = True
        if self._settings.is_set("flowindent"):
            self._output.write(instance + b"%3s %-41s\n" % (b"CPU", b"FUNCTION"))
        elif not self._settings.is_set("quiet"):
            self._output.write(instance + b"%3s %6s %32s\n" % (b"CPU", b"ID", b"FUNCTION:NAME"))

    @staticmethod
    def _flow(firing: r.Firing) -> bytes:
        flow, probe = firing.flow, firing.probe
        name = probe.function if flow.kind else f"{probe.function}:{probe.name}"
        line = f"{firing.cpu:3} {' ' * flow.indent + flow.prefix + printable(name):<41} "
        return _column(firing.instance) + line.encode("utf-8", "surrogateescape")

    def _command(self, record: r.Formatted, firing: r.Firing) -> None:
        """system() and freopen()."""
        from runtime.consumer.output.redirection import perform

        fault = perform(record, record.text(self._settings), firing, self._output)
        if fault is not None:
            self.fault(fault)

    # -- records -----------------------------------------------------------------------------------

    def _traced(self, record: r.Traced) -> bytes:
        quiet = self._settings.is_set("quiet")
        width = _WIDTHS.get(len(record.data))
        if width is None:
            return blob(record.data, _BLOB, quiet, self._settings.is_set("rawbytes"))
        value = integer(record.data)
        return b"%d" % value if quiet else b" %*d" % (width, value)

    def _typed(self, record: r.Typed) -> bytes:
        type_ = self._type_named(record.type) if self._type_named else None
        if type_ is None or type_.size > len(record.data):
            return self._traced(r.Traced(record.record, record.data))
        from runtime.consumer.output.printedtypes import TypePrinter

        return TypePrinter(self._settings.symbols).render(type_, record.data)

    def _memory(self, record: r.Memory) -> bytes:
        return dump(record.data) if record.data else b""

    def _stack(self, record: r.Stack) -> bytes:
        return stacks.stack(record.record, record.data, self._settings)

    def _address(self, record: r.Address) -> bytes:
        return stacks.symbol(record.record, record.data, self._settings)

    def _formatted(self, record: r.Formatted) -> bytes:
        return record.text(self._settings)

    def _aggregated(self, record: r.PrintAggregations) -> bytes:
        rows = self._aggregations.printed(record.variables)
        if record.format is None:
            return b"\n" + b"".join(Printer(self._aggregations, self._settings).rows(rows))
        template = record.format
        out: list[bytes] = []

        def line(row: Row) -> bytes:
            entry, instance = row.keys, row.keys.layout.instance
            column = b"%-*s " % (INSTANCE, until_nul(entry.key(instance))) if instance is not None else b""
            return column + self._bound(template, entry.layout).render(entry.data, 0, self._settings,
                                                                       row.values)

        for part in rows.parts:
            pieces = None if isinstance(part, list) or not len(part) else self._pieces(template, part)
            if isinstance(part, list) or pieces is None:
                out += batches(line, part if isinstance(part, list) else part.rows())
            else:
                out += lines(part, pieces, line)
        return b"".join(out)

    def _pieces(self, template: bytes, rows: Ranked) -> list[Piece] | None:
        """Return the pieces of a large table's lines; None where these are made one by one."""
        from runtime.consumer.aggregations import lines

        layout = rows.table.layout
        pieces, instance = self._bound(template, layout).pieces(rows), layout.instance
        if pieces is None or instance is None:
            return pieces
        return [lines.string(instance, False, lines.column(INSTANCE, "-")), lines.text(b" "), *pieces]

    def _bound(self, template: bytes, layout: Layout) -> Bound:
        """A format bound to rows."""
        bound = self._formats.get((template, layout))
        if bound is None:
            from runtime.consumer.output.printf import Format

            try:
                bound = Format(template).bind(layout.keys)
            except FormatError as error:
                raise AnswerError(str(error)) from None
            self._formats[template, layout] = bound
        return bound

    def _exit(self, record: r.Exit) -> bytes:
        self.status = record.status
        return b""

    def _truncate(self, _record: r.TruncateFile) -> bytes:
        self._output.truncate()
        return b""


_RENDER: dict[type, Callable[..., bytes]] = {
    r.Traced: Text._traced, r.Typed: Text._typed, r.Memory: Text._memory, r.Stack: Text._stack,
    r.Address: Text._address, r.Formatted: Text._formatted, r.PrintAggregations: Text._aggregated,
    r.Exit: Text._exit, r.TruncateFile: Text._truncate,
}
