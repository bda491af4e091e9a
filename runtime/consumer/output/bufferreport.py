"""-B: what would be printed, piece by piece, with the descriptions each piece comes with."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from runtime.border import ProbeDescription, RecDesc
from runtime.consumer.aggregations.aggregate import Row
from runtime.consumer.events import records as r
from runtime.consumer.output.aggregationtext import Printer
from runtime.consumer.output.reporter import Session
from runtime.consumer.output.stream import Output
from runtime.consumer.output.text import Text, TypeNamed

# DTRACE_BUFDATA_* of <dtrace.h>
_VALUE, _KEY, _FORMAT, _LAST = 0x2, 0x1, 0x4, 0x8
_FLAGS = {"AGGVAL": _VALUE, "AGGKEY": _KEY, "AGGFORMAT": _FORMAT, "AGGLAST": _LAST}
_DATA = 8  # bytes of a key or a value that are shown


class BufferReport(Text):
    """A Text that shows every piece of output as a buffered consumer receives it."""

    def __init__(self, output: Output, session: Session, *, notice: Callable[[str], None] | None = None,
                 type_named: TypeNamed | None = None) -> None:
        super().__init__(output, session.settings, session.aggregations, notice=notice, type_named=type_named)
        self._out, self._session = output, session

    def firing(self, firing: r.Firing) -> None:
        for record in firing:
            if isinstance(record, r.PrintAggregations) and record.format is None:
                self._rows(self._session.aggregations.printed(record.variables), b"\n")
                continue
            text = self.render(record)
            if text:
                described: RecDesc | None = getattr(record, "record", None)
                if isinstance(record, r.Formatted) and record.bound.arguments:
                    described = record.bound.arguments[0][0]
                self._say(text, 0, described, firing.probe)

    def run(self, run: r.Run) -> bool:
        """Firings are shown piece by piece."""
        return False

    def finish(self) -> None:
        self._rows(self._session.aggregations.unprinted())
        self._out.flush()

    def _rows(self, rows: Iterable[Row], start: bytes = b"") -> None:
        printer = Printer(self._session.aggregations, self._session.settings)
        for row in rows:
            for text, record in printer.pieces(row):
                part = _KEY if record in row.keys.layout.keys else _VALUE
                self._say(start + text, part if record else _FORMAT | _LAST, record, row=row)
                start = b""

    def _say(self, text: bytes, flags: int, record: RecDesc | None, probe: ProbeDescription | None = None,
             row: Row | None = None) -> None:
        named = " | ".join(name for name, flag in _FLAGS.items() if flags & flag)
        lines = [">>> Called buffer handler:", "", "  dtrace_bufdata:", _string("dtbda_buffered", text),
                 _field("dtbda_probe", _there(probe)), _field("dtbda_aggdata", _there(row)),
                 _field("dtbda_recdesc", _there(record)),
                 _field("dtbda_flags", f"{flags:#x} " + (f"({named})" if named else "")), ""]
        descriptions = self._session.descriptions
        if row is not None:
            probe = descriptions.probe(descriptions.ecb(descriptions.aggregation(row.keys.id).epid).probe_id)
        if probe is not None:
            lines += ["  dtrace_probedesc:", _string("dtpd_provider",
                              probe.provider.encode("utf-8", "surrogateescape")),
                      _string("dtpd_mod", probe.module.encode("utf-8", "surrogateescape")),
                      _string("dtpd_func", probe.function.encode("utf-8", "surrogateescape")),
                      _string("dtpd_name", probe.name.encode("utf-8", "surrogateescape")), ""]
        if record is not None:
            lines += ["  dtrace_recdesc:", _field("dtrd_action", record.action),
                      _field("dtrd_size", record.size), _field("dtrd_offset", _place(record, row)), ""]
        if row is not None:
            entry = row.keys
            lines += ["  dtrace_aggdesc:",
                      _string("dtagd_name", self._session.names_of([entry.variable])[0].encode()),
                      _field("dtagd_varid", entry.variable), _field("dtagd_id", entry.id),
                      _field("dtagd_nrecs", len(entry.layout.keys) + 2), ""]
        self._out.write(b"".join(f"dtrace: {line}\n".encode() for line in lines))


def _place(record: RecDesc, row: Row | None) -> str:
    """Where a record lies and, in an aggregation of its own, its first bytes."""
    if row is None or len(row.values) > 1:
        return str(record.offset)
    data = row.keys.key(record)
    return f"{record.offset} (data: {data[:_DATA].hex(' ')}{' ...' if len(data) > _DATA else ''})"


def _there(value: object) -> str:
    return "<NULL>" if value is None else "<non-NULL>"


def _field(name: str, value: object) -> str:
    return f"{name:>20} => {value}"


def _string(name: str, text: bytes) -> str:
    shown = text.decode("utf-8", "replace").replace("\n", "\\n")
    return _field(name, f'"{shown}"')
