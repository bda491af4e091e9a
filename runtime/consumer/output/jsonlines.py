"""Structured output (-x oformat=json): one JSON object a line, as schema.json describes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping

from dof.model import ACTION_NAMES, ActionKind
from runtime.border import CPUALL, ProbeDescription, RecDesc
from runtime.consumer.aggregations.aggregate import Row
from runtime.consumer.aggregations.quantize import NBUCKETS, BadDistribution, Linear, LogLinear, bucket_value
from runtime.consumer.aggregations.results import Aggregated, distribution_name
from runtime.consumer.events import records as r
from runtime.consumer.events import stacks
from runtime.consumer.events.notices import Drop, Fault, Repeats
from runtime.consumer.events.symbols import Mapped, Symbol
from runtime.consumer.output.redirection import perform
from runtime.consumer.output.reporter import Session
from runtime.consumer.output.stream import Output

Object = dict[str, object]
_LOWEST, _HIGHEST = -(1 << 63), (1 << 63) - 1


def _value(value: int | str | bytes) -> object:
    """Integers and strings are themselves; other bytes are {"bytes": hexadecimal}."""
    if isinstance(value, bytes):
        return {"bytes": value.hex()}
    return value.encode("utf-8", "surrogateescape").decode("utf-8", "replace") if isinstance(value, str) \
        else value


def _instance(path: str) -> Object:
    """Whose it is, where several instances are traced as one."""
    return {"instance": path} if path else {}


def _probe(probe: ProbeDescription) -> Object:
    return {"id": probe.id, "provider": probe.provider, "module": probe.module,
            "function": probe.function, "name": probe.name}


def _source(fault: Fault) -> Object:
    """The place in the source, where it is known."""
    place = fault.source
    return {} if place is None else {"source": {
        "file": place.file or None, "line": place.line, "column": place.column, "end_column": place.end}}


def _place(address: int, symbol: Symbol | None, mapped: Mapped | None) -> Object:
    place: Object = {"address": address}
    if symbol is not None:
        place |= {"object": symbol.object, "symbol": symbol.name, "offset": address - symbol.value}
    elif mapped is not None:
        place["object"] = mapped.object
    return place


def bounds(value: Aggregated) -> list[tuple[int, int]]:
    """Lowest and highest number of each bucket of a distribution."""
    name, words = distribution_name(value.record.action), value.words
    if name == "quantize":
        lower = [bucket_value(n) for n in range(NBUCKETS)]
        return [(low, low if low == 0 else low * 2 - 1) if low >= 0 else (low * 2 + 1, low) for low in lower]
    starts = list((Linear if name == "lquantize" else LogLinear).decode(words[0]).bounds())
    lows = [_LOWEST, *starts]
    return list(zip(lows, [low - 1 for low in starts] + [_HIGHEST], strict=True))


def instance_line(kind: str, path: str, message: str, records: int) -> bytes:
    """The object that says that one of several instances has joined, is lost, or the like."""
    return _line({"type": "instance", "kind": kind, "instance": path, "message": message,
                  "records": records})


def account_line(path: str, produced: int, delivered: int, dropped: Mapping[tuple[str, str], int]) -> bytes:
    """The object that says what one of several instances recorded, and what came of it.

    `dropped` is by path of the hop where it was lost, and class.
    """
    return _line({"type": "account", "instance": path, "produced": produced, "delivered": delivered,
                  "dropped": [{"hop": hop, "class": kind, "count": count}
                              for (hop, kind), count in dropped.items()]})


def _line(item: Object) -> bytes:
    return json.dumps(item, separators=(",", ":"), ensure_ascii=True).encode() + b"\n"


class Items:
    """Makes an object of each firing, aggregation entry, error and drop."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._settings = session.settings
        self.status = 0

    def of_firing(self, firing: r.Firing) -> Object:
        """Return the object of a firing, whose records take effect if they have not been looked at."""
        return {"type": "firing", **_instance(firing.instance), "cpu": firing.cpu, "epid": firing.epid,
                "probe": _probe(firing.probe), "timestamp": firing.timestamp,
                "records": [self._record(record, firing) for record in firing]}

    def of_fault(self, fault: Fault) -> Object:
        """Return the object of an error."""
        return {"type": "error", **_instance(fault.instance), "cpu": fault.cpu, "epid": fault.epid,
                "probe": _probe(fault.probe), "fault": fault.fault, "action": fault.action,
                "offset": fault.offset, "address": fault.address, "message": fault.message,
                **_source(fault), **({"explanation": fault.why} if fault.why else {})}

    def of_repeats(self, repeats: Repeats) -> Object:
        """Return the object of errors that were counted."""
        first = repeats.first
        return {"type": "repeats", **_instance(first.instance), "epid": first.epid,
                "probe": _probe(first.probe), "fault": first.fault, "action": first.action,
                "offset": first.offset, "count": repeats.count, "message": repeats.message, **_source(first)}

    def of_drop(self, drop: Drop) -> Object:
        """Return the object of a loss."""
        return {"type": "drop", "kind": drop.kind.removeprefix("DTRACEDROP_").lower(),
                "count": drop.count, **_instance(drop.instance),
                "cpu": None if drop.cpu == CPUALL else drop.cpu, "message": drop.message(False)}

    def of_rows(self, rows: Iterable[Row]) -> Iterator[Object]:
        """Yield the objects of aggregations' entries."""
        for row in rows:
            for item in self._row(row, [row.keys.variable]):
                yield {"type": "aggregation", **item}

    # -- records -----------------------------------------------------------------------------------

    def _record(self, record: r.Record, firing: r.Firing) -> Object:
        return _RECORDS[type(record)](self, record)

    def _traced(self, record: r.Traced) -> Object:
        return {"kind": "trace", "value": _value(record.value)}

    def _typed(self, record: r.Typed) -> Object:
        type_ = self._session.types.get(record.type)
        if type_ is None or type_.size > len(record.data):
            return {"kind": "print", "type": record.type, "text": None, "bytes": record.data.hex()}
        from runtime.consumer.output.printedtypes import TypePrinter

        text = TypePrinter(self._settings.symbols).render(type_, record.data)
        return {"kind": "print", "type": str(type_), "text": _text(text), "bytes": record.data.hex()}

    def _memory(self, record: r.Memory) -> Object:
        return {"kind": "memory", "bytes": record.data.hex()}

    def _stack(self, record: r.Stack) -> Object:
        return {"kind": "stack", **self._frames(record.record, record.data)}

    def _frames(self, record: RecDesc, data: bytes) -> Object:
        symbols = self._settings.symbols
        if record.action == ActionKind.STACK:
            return {"user": False, "pid": 0, "frames": [
                _place(pc, symbols.kernel(pc), symbols.kernel_module(pc))
                for pc in stacks.kernel_frames(record, data)]}
        pid, frames = stacks.user_frames(record, data)
        items = []
        for frame, symbol, mapped in stacks.placed(pid, frames, symbols):
            item = _place(frame.address, symbol, mapped)
            if frame.note:
                item["note"] = _text(frame.note)
            items.append(item)
        return {"user": True, "pid": pid, "frames": items}

    def _address(self, record: r.Address) -> Object:
        symbols, pid, address = self._settings.symbols, record.pid, record.address
        found = (symbols.user(pid, address), symbols.user_mapping(pid, address)) if pid else \
            (symbols.kernel(address), symbols.kernel_module(address))
        name = ACTION_NAMES[record.record.action]
        return {"kind": "address", "action": name, "pid": pid, **_place(address, *found)}

    def _formatted(self, record: r.Formatted) -> Object:
        return {"kind": ACTION_NAMES[record.action], "text": _text(record.text(self._settings)),
                "arguments": [_value(each) for each in record.arguments]}

    def _aggregated(self, record: r.PrintAggregations) -> Object:
        variables = list(record.variables)
        items = [item for row in self._session.aggregations.printed(variables)
                 for item in self._row(row, variables)]
        return {"kind": "printa", "format": _text(record.format) if record.format is not None else None,
                "entries": items}

    def _exit(self, record: r.Exit) -> Object:
        self.status = record.status
        return {"kind": "exit", "status": record.status}

    def _truncate(self, _record: r.TruncateFile) -> Object:
        return {"kind": "ftruncate"}

    # -- aggregations ------------------------------------------------------------------------------

    def _row(self, row: Row, variables: list[int]) -> list[Object]:
        entry = row.keys
        keys = [self._key(key, entry.key(key)) for key in entry.layout.keys]
        names = self._session.names_of(variables)
        return [{"name": name, "function": ACTION_NAMES[value.record.action].removeprefix("agg_"),
                 "keys": keys, "normal": value.normal, "value": self._aggregate(value)}
                for name, value in zip(names, row.values, strict=True)]

    def _key(self, record: RecDesc, data: bytes) -> object:
        if record.action in stacks.STACKS:
            return self._frames(record, data)
        if record.action in stacks.SYMBOLS:
            item = self._address(r.Address(record, data))
            del item["kind"]
            return item
        return _value(r.Traced(record, data).value)

    @staticmethod
    def _aggregate(value: Aggregated) -> object:
        if distribution_name(value.record.action) is None:
            return value.scalar
        counts = value.words if value.record.action == ActionKind.AGG_QUANTIZE else value.words[1:]
        buckets = bounds(value)
        if len(buckets) != len(counts):
            raise BadDistribution(f"a distribution of {len(buckets)} buckets has {len(counts)} counts")
        return [{"low": low, "high": high, "count": count}
                for (low, high), count in zip(buckets, counts, strict=True) if count]


class Json(Items):
    """A reporter that writes these objects, a line each."""

    def __init__(self, output: Output, session: Session) -> None:
        super().__init__(session)
        self._output = output

    def _write(self, item: Object) -> None:
        self._output.write(_line(item))

    def firing(self, firing: r.Firing) -> None:
        self._write(self.of_firing(firing))

    def run(self, run: r.Run) -> bool:
        """Firings are written one by one."""
        return False

    def fault(self, fault: Fault) -> None:
        self._write(self.of_fault(fault))

    def repeats(self, repeats: Repeats) -> None:
        self._write(self.of_repeats(repeats))

    def drop(self, drop: Drop) -> None:
        self._write(self.of_drop(drop))

    def interrupted(self) -> None:
        """Write nothing: a program reads this, and has no terminal."""

    def worked(self) -> None:
        """Nothing to do between records."""

    def finish(self) -> None:
        for item in self.of_rows(self._session.aggregations.unprinted()):
            self._write(item)
        self._write({"type": "end", "status": self.status, "timestamp": self._session.system.now()})
        self._output.flush()

    def _record(self, record: r.Record, firing: r.Firing) -> Object:
        """What a record does to the output is done before the object of its firing is written."""
        if isinstance(record, r.TruncateFile):
            self._output.truncate()
        elif isinstance(record, r.Formatted) and record.action != ActionKind.PRINTF:
            fault = perform(record, record.text(self._settings), firing, self._output)
            if fault is not None:
                self.fault(fault)
        return super()._record(record, firing)


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


_RECORDS: dict[type, Callable[..., Object]] = {
    r.Traced: Items._traced, r.Typed: Items._typed, r.Memory: Items._memory, r.Stack: Items._stack,
    r.Address: Items._address, r.Formatted: Items._formatted, r.PrintAggregations: Items._aggregated,
    r.Exit: Items._exit, r.TruncateFile: Items._truncate,
}
