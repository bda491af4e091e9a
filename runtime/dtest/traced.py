"""What dtrace -x oformat=json says of a run, as Python objects: firings, aggregations, errors and drops."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from dif.records import NamedTuple, Record, field
from dof.globs import matches

Object = Mapping[str, Any]  # of JSON, in the form that runtime/consumer/output/schema.json gives
Key = tuple[object, ...]  # of an entry: numbers, strings; a stack is a tuple of "object`symbol+0x10"
ANONYMOUS = "_"  # how the output calls the aggregation `@`


class Firing(NamedTuple):
    """One firing of one clause that recorded something.

    `probe` is written provider:module:function:name.  `values` are those of trace() and of printf()'s
    arguments, in their order; `text` is what printf() showed.  `timestamp` is in nanoseconds.
    """

    probe: str
    values: tuple[object, ...]
    text: str
    cpu: int
    timestamp: int


class Traced(Record):
    """A run.  `aggregations` has the entries by the aggregation's name, as they were last."""

    firings: list[Firing] = field(default_factory=list)
    aggregations: dict[str, dict[Key, object]] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)
    drops: list[str] = field(default_factory=list)

    def fired(self, description: str) -> int:
        """Return how often clauses of matching probes recorded something: `shop*:::order-*`, say."""
        return sum(count for probe, count in Counter(each.probe for each in self.firings).items()
                   if _matches(description, probe))

    def aggregation(self, name: str = "") -> dict[Key, object]:
        """Return the entries of an aggregation: of `@name`, or of the only one there is.

        The value of a distribution is a dictionary: the lowest number of each bucket, and its count.  Without
        any entry it is an empty one.  Raises ValueError where a name is needed.
        """
        wanted = name.lstrip("@")
        if not wanted and len(self.aggregations) > 1 and ANONYMOUS not in self.aggregations:
            raise ValueError("which aggregation? there are @" + ", @".join(sorted(self.aggregations)))
        if not wanted and len(self.aggregations) == 1:
            return next(iter(self.aggregations.values()))
        return self.aggregations.get(wanted or ANONYMOUS, {})


def _matches(description: str, probe: str) -> bool:
    """Whether a description, whose fields are the last ones if there are fewer than four, names a probe."""
    return all(map(matches, reversed(description.split(":")), reversed(probe.split(":"))))


def parse(lines: Iterable[bytes]) -> Traced:
    """Read a dtrace's output.  Raises ValueError if it is not in this form."""
    traced = Traced()
    for line in lines:
        try:
            item = json.loads(line)
            _TAKEN.get(item["type"], _ignore)(traced, item)
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise ValueError(f"no output of dtrace: {line[:80]!r}") from error
    return traced


def _ignore(_traced: Traced, _item: Object) -> None:
    """Ends of output, and joining instances."""


def _firing(traced: Traced, item: Object) -> None:
    probe, records = item["probe"], item["records"]
    values: list[object] = []
    for record in records:
        if record["kind"] == "trace":
            values.append(_plain(record["value"]))
        elif record["kind"] == "printf":
            values += map(_plain, record["arguments"])
        elif record["kind"] in ("stack", "address", "print", "memory"):
            values.append(_plain(record))
        elif record["kind"] == "printa":
            printed: dict[str, dict[Key, object]] = {}
            for entry in record["entries"]:
                _entry(printed, entry)
            traced.aggregations |= printed
    text = "".join(record["text"] for record in records if record["kind"] == "printf")
    name = ":".join(probe[part] for part in ("provider", "module", "function", "name"))
    traced.firings.append(Firing(name, tuple(values), text, item["cpu"], item["timestamp"]))


def _aggregation(traced: Traced, item: Object) -> None:
    _entry(traced.aggregations, item)


def _entry(aggregations: dict[str, dict[Key, object]], item: Object) -> None:
    value = item["value"]
    if isinstance(value, list):
        value = {bucket["low"]: bucket["count"] for bucket in value}
    aggregations.setdefault(item["name"], {})[tuple(map(_plain, item["keys"]))] = value


def _plain(value: Any) -> object:
    """A value as Python has it: numbers, strings, bytes; places as text."""
    if not isinstance(value, dict):
        return value
    if "frames" in value:
        return tuple(map(_place, value["frames"]))
    if value.get("kind") == "print" and value["text"] is not None:
        return value["text"]
    if "bytes" in value:
        return bytes.fromhex(value["bytes"])
    return _place(value)


def _place(value: Object) -> str:
    if "symbol" in value:
        offset = f"+{value['offset']:#x}" if value["offset"] else ""
        return f"{value['object']}`{value['symbol']}{offset}"
    return f"{value['object']}`{value['address']:#x}" if "object" in value else f"{value['address']:#x}"


_TAKEN = {
    "firing": _firing, "aggregation": _aggregation,
    "error": lambda traced, item: traced.errors.append(item["message"]),
    "drop": lambda traced, item: traced.drops.append(item["message"]),
}
