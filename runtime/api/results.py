"""What -x oformat=json says of a run, as Python objects: firings, aggregations, errors and drops."""

from __future__ import annotations

import json
import reprlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from dif.records import NamedTuple, Record, field
from dof.globs import matches

if TYPE_CHECKING:
    from pandas import DataFrame  # type: ignore[import-untyped,import-not-found,unused-ignore]

Object = Mapping[str, Any]  # of JSON, in the form that runtime/consumer/output/schema.json gives
Key = tuple[object, ...]  # of an entry: numbers, strings; a stack is a tuple of "object`symbol+0x10"
ANONYMOUS = "_"  # how the output calls the aggregation `@`
_SHORT = reprlib.Repr()
_SHORT.maxdict, _SHORT.maxtuple, _SHORT.maxstring, _SHORT.maxother = 3, 4, 40, 60


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


class Distribution(dict[int, int]):
    """The counts of quantize() and its like, by the lowest number of each bucket that has any.

    `highest` has the highest number of each bucket.

    >>> Distribution([(0, 0, 2), (4, 7, 1)])
    {0: 2, 4: 1}
    >>> Distribution([(4, 7, 1)]).highest
    {4: 7}
    """

    def __init__(self, buckets: Iterable[tuple[int, int, int]] = ()) -> None:
        kept = list(buckets)
        super().__init__((low, count) for low, _high, count in kept)
        self.highest = {low: high for low, high, _count in kept}

    def _repr_html_(self) -> str:
        from runtime.api.tohtml import distribution

        return distribution(self)


class Aggregation(dict[Key, object]):
    """The entries of one aggregation: values by keys.  `function` is `count`, `quantize` and so on.

    >>> calls = Aggregation("calls", "count", {("read",): 3, ("write",): 1})
    >>> calls
    <@calls: count() of 2 entries {('read',): 3, ('write',): 1}>
    >>> calls["read",]
    3
    >>> for (name,), count in calls.items(): print(name, count)
    read 3
    write 1
    >>> calls.to_json()
    '[{"keys": ["read"], "value": 3}, {"keys": ["write"], "value": 1}]'
    """

    def __init__(self, name: str = "", function: str = "", entries: Mapping[Key, object] | None = None
                 ) -> None:
        super().__init__(entries or {})
        self.name = name
        self.function = function

    def __repr__(self) -> str:
        name = "@" if self.name == ANONYMOUS else f"@{self.name}"
        size = f"{len(self)} {'entry' if len(self) == 1 else 'entries'}"
        return f"<{name}: {self.function}() of {size} {_SHORT.repr(dict(self))}>"

    def rows(self) -> list[tuple[object, ...]]:
        """Return a tuple for each entry: its keys and its value; of a distribution one for each bucket.

        These end with the bucket's lowest and highest number and its count.
        """
        found: list[tuple[object, ...]] = []
        for keys, value in self.items():
            if isinstance(value, Distribution):
                found += [(*keys, low, value.highest[low], count) for low, count in value.items()]
            else:
                found.append((*keys, value))
        return found

    def to_json(self) -> str:
        """Return a list of objects with `keys` and `value`; bytes are {"bytes": hexadecimal}."""
        return json.dumps(self._items(), default=_for_json)

    def _items(self) -> list[Object]:
        return [{"keys": list(keys), "value": _buckets(value) if isinstance(value, Distribution) else value}
                for keys, value in self.items()]

    def to_dataframe(self) -> DataFrame:
        """Return what `rows` has as a data frame.  Raises ImportError without pandas."""
        rows = self.rows()
        last = ["low", "high", "count"] if any(isinstance(each, Distribution) for each in self.values()) \
            else ["value"]
        keys = max((len(row) for row in rows), default=len(last)) - len(last)
        return _pandas().DataFrame(rows, columns=[f"key{number}" for number in range(keys)] + last)

    def _repr_html_(self) -> str:
        from runtime.api.tohtml import aggregation

        return aggregation(self)


def _buckets(value: Distribution) -> list[Object]:
    return [{"low": low, "high": value.highest[low], "count": count} for low, count in value.items()]


def _for_json(value: bytes) -> object:
    """Bytes are the only values that JSON does not have."""
    return {"bytes": value.hex()}


def _pandas() -> Any:
    try:
        import pandas
    except ImportError:
        raise ImportError("a data frame needs pandas, which is not installed: pip install pandas") from None
    return pandas


class Traced(Record):
    """A run.  `aggregations` has the entries by the aggregation's name, as they were last.

    `errors` are the messages of clauses that failed.  `places` says once each where in the program that was,
    and what was wrong there.
    """

    firings: list[Firing] = field(default_factory=list)
    aggregations: dict[str, Aggregation] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)
    drops: list[str] = field(default_factory=list)
    places: list[str] = field(default_factory=list)

    def __iter__(self) -> Iterator[Firing]:
        return iter(self.firings)

    def __repr__(self) -> str:
        names = ", ".join("@" if name == ANONYMOUS else f"@{name}" for name in self.aggregations)
        return (f"<{len(self.firings)} firings, {len(self.errors)} errors, {len(self.drops)} drops"
                f"{f', {names}' if names else ''}>")

    def fired(self, description: str) -> int:
        """Return how often clauses of matching probes recorded something: `shop*:::order-*`, say."""
        return sum(count for probe, count in Counter(each.probe for each in self.firings).items()
                   if _matches(description, probe))

    def aggregation(self, name: str = "") -> Aggregation:
        """Return the entries of an aggregation: of `@name`, or of the only one there is.

        The value of a distribution is a dictionary: the lowest number of each bucket, and its count.  Without
        any entry it is an empty one.  Raises ValueError where a name is needed.
        """
        wanted = name.lstrip("@")
        if not wanted and len(self.aggregations) > 1 and ANONYMOUS not in self.aggregations:
            raise ValueError("which aggregation? there are @" + ", @".join(sorted(self.aggregations)))
        if not wanted and len(self.aggregations) == 1:
            return next(iter(self.aggregations.values()))
        return self.aggregations.get(wanted or ANONYMOUS, Aggregation(wanted or ANONYMOUS))

    def take(self, item: Object) -> None:
        """Take in one item of the output.  Raises KeyError, TypeError, AttributeError or ValueError."""
        _TAKEN.get(item["type"], _ignore)(self, item)

    def to_json(self) -> str:
        """Return an object with `firings`, `aggregations`, `errors` and `drops`.

        >>> Traced(errors=["invalid address"]).to_json()
        '{"firings": [], "aggregations": {}, "errors": ["invalid address"], "drops": []}'
        """
        return json.dumps({"firings": [each._asdict() for each in self.firings],
                           "aggregations": {name: each._items() for name, each in self.aggregations.items()},
                           "errors": self.errors, "drops": self.drops}, default=_for_json)

    def to_dataframe(self) -> DataFrame:
        """Return the firings as a data frame.  Raises ImportError without pandas."""
        return _pandas().DataFrame(self.firings, columns=Firing._fields)


def _matches(description: str, probe: str) -> bool:
    """Whether a description, whose fields are the last ones if there are fewer than four, names a probe."""
    return all(map(matches, reversed(description.split(":")), reversed(probe.split(":"))))


def parse(lines: Iterable[bytes]) -> Traced:
    """Read a dtrace's output.  Raises ValueError if it is not in this form."""
    traced = Traced()
    for line in lines:
        try:
            traced.take(json.loads(line))
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
            printed: dict[str, Aggregation] = {}
            for entry in record["entries"]:
                _entry(printed, entry)
            traced.aggregations |= printed
    text = "".join(record["text"] for record in records if record["kind"] == "printf")
    name = ":".join(probe[part] for part in ("provider", "module", "function", "name"))
    traced.firings.append(Firing(name, tuple(values), text, item["cpu"], item["timestamp"]))


def _aggregation(traced: Traced, item: Object) -> None:
    _entry(traced.aggregations, item)


def _error(traced: Traced, item: Object) -> None:
    traced.errors.append(item["message"])
    place, why = item.get("source"), item.get("explanation")
    if place:
        where = f"line {place['line']}, column {place['column']}{f': {why}' if why else ''}"
        if where not in traced.places:
            traced.places.append(where)


def _entry(aggregations: dict[str, Aggregation], item: Object) -> None:
    value, name = item["value"], item["name"]
    if isinstance(value, list):
        value = Distribution((bucket["low"], bucket["high"], bucket["count"]) for bucket in value)
    if name not in aggregations:
        aggregations[name] = Aggregation(name, item.get("function", ""))
    aggregations[name][tuple(map(_plain, item["keys"]))] = value


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
    "error": _error,
    "repeats": lambda traced, item: traced.errors.append(item["message"]),
    "drop": lambda traced, item: traced.drops.append(item["message"]),
}
