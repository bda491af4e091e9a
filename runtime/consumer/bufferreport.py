"""-B: what would be printed, piece by piece, with the descriptions each piece comes with."""

from __future__ import annotations

from typing import Any

from runtime.border import RecDesc
from runtime.consumer import records as r
from runtime.consumer.aggregate import Aggregations, Row
from runtime.consumer.aggtext import Printer
from runtime.consumer.output import Output
from runtime.consumer.settings import Settings
from runtime.consumer.text import Text

_LAST = 0x8  # DTRACE_BUFDATA_AGGLAST


class BufferReport(Text):
    """A Text that shows every piece of output as a buffered consumer receives it."""

    def __init__(self, output: Output, settings: Settings, aggregations: Aggregations, **more: Any) -> None:
        super().__init__(output, settings, aggregations, **more)
        self._out, self._rows, self._options = output, aggregations, settings

    def firing(self, firing: r.Firing) -> None:
        for record in firing:
            text = self.render(record)
            if text:
                probe = [("dtpd_provider", firing.probe.provider), ("dtpd_mod", firing.probe.module),
                         ("dtpd_func", firing.probe.function), ("dtpd_name", firing.probe.name)]
                described: RecDesc | None = getattr(record, "record", None)
                if isinstance(record, r.Formatted) and record.bound.arguments:
                    described = record.bound.arguments[0][0]
                self._say(text, 0, probe, described)

    def finish(self) -> None:
        printer = Printer(self._rows, self._options)
        for row in self._rows.unprinted():
            self._say(printer.rows([row]), _LAST, [], row.keys.layout.value, row)
        self._out.flush()

    def _say(self, text: bytes, flags: int, probe: list[tuple[str, str]], record: RecDesc | None,
             row: Row | None = None) -> None:
        lines = [">>> Called buffer handler:", "", "  dtrace_bufdata:", _string("dtbda_buffered", text),
                 _field("dtbda_probe", "<non-NULL>" if probe else "<NULL>"),
                 _field("dtbda_aggdata", "<non-NULL>" if row else "<NULL>"),
                 _field("dtbda_recdesc", "<non-NULL>" if record else "<NULL>"),
                 _field("dtbda_flags", f"{flags:#x}" + (" (AGGLAST)" if flags else "")), ""]
        if probe:
            lines += ["  dtrace_probedesc:", *(_string(name, each.encode()) for name, each in probe), ""]
        if record is not None:
            lines += ["  dtrace_recdesc:", _field("dtrd_action", record.action),
                      _field("dtrd_size", record.size), _field("dtrd_offset", record.offset), ""]
        if row is not None:
            entry = row.keys
            lines += ["  dtrace_aggdesc:", _field("dtagd_varid", entry.variable),
                      _field("dtagd_id", entry.id),
                      _field("dtagd_nrecs", len(entry.layout.keys) + 2), ""]
        self._out.write(b"".join(f"dtrace: {line}\n".encode() for line in lines))


def _field(name: str, value: object) -> str:
    return f"{name:>20} => {value}"


def _string(name: str, text: bytes) -> str:
    shown = text.decode("utf-8", "replace").replace("\n", "\\n")
    return _field(name, f'"{shown}"')
