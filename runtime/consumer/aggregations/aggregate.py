"""Aggregations at the consumer: snapshots in, sorted walks and joined printa() rows out."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain

from dif.records import Record
from dof.model import ActionClass, ActionKind, Program
from runtime.border import AggDesc, RecDesc
from runtime.consumer.aggregations.entries import Entry, Layout, SortKey, Table, by_key, by_value, symbolize
from runtime.consumer.aggregations.entries import Row as Row
from runtime.consumer.aggregations.quantize import NBUCKETS, packed_bins, scale_of
from runtime.consumer.aggregations.quantize import Scale as Scale
from runtime.consumer.aggregations.results import Aggregated, average, deviation
from runtime.consumer.events.errors import AnswerError
from runtime.consumer.events.settings import Settings

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from runtime.consumer.aggregations.bulk import Bulk
    from runtime.consumer.aggregations.ranking import Columns, Ranked

_ID = struct.Struct("<I")
# Rows of a table above which kernels pay, although they must be loaded: by tests/benchmarks/aggregation.py
# 0.16 s with them and 0.12 s without at 10,500 keys, 0.18 and 0.30 at 21,000, 0.25 and 1.1 at 81,000.
BULK = 15_000
_WORDS = 12  # of a distribution cost as much as a row: quantize() 0.13 s without and 0.29 s with kernels at
#              1,000 keys, 1.04 and 0.61 at 2,000
# Bytes of memory that a row takes besides its own: in a dictionary, which keeps its key once more, and where
# kernels keep the index.  There the array of rows is up to twice as long as they are.
_LISTED, _INDEXED = 256, 32
_SIZES = {ActionKind.AGG_AVG: 2, ActionKind.AGG_STDDEV: 4, ActionKind.AGG_QUANTIZE: NBUCKETS}

# name -> (parts of the sort tuple in order, reversed)
ORDERS: dict[str, tuple[str, bool]] = {
    "key": ("variable key", False), "value": ("variable value key", False),
    "keyvar": ("key variable", False), "valvar": ("value key variable", False),
    "keyrev": ("variable key", True), "valuerev": ("variable value key", True),
    "keyvarrev": ("key variable", True), "valvarrev": ("value key variable", True),
}


def _part(name: str, position: int) -> Callable[[Entry], SortKey]:
    if name == "key":
        return lambda entry: by_key(entry, position)
    if name == "value":
        return lambda entry: by_value(entry.words, entry.layout.value.action)
    return lambda entry: (entry.variable,)


class Rows:
    """The rows of printa(): parts that are listed, and parts whose rows are made as they are asked for."""

    def __init__(self, parts: Sequence[list[Row] | Ranked]) -> None:
        self.parts = parts

    def __len__(self) -> int:
        return sum(map(len, self.parts))

    def __iter__(self) -> Iterator[Row]:
        for part in self.parts:
            yield from part if isinstance(part, list) else part.rows()


class Zero(Record):
    """What an aggregation shows where it has no value; its form is the program's, its `words` are zero."""

    record: RecDesc
    words: tuple[int, ...]

    @classmethod
    def of(cls, action: int, argument: int) -> Zero:
        """The zero of an aggregating action of the program with its DOF argument."""
        if action == ActionKind.AGG_LQUANTIZE:
            count = (argument >> 32 & 0xFFFF) + 3
        elif action == ActionKind.AGG_LLQUANTIZE:
            from runtime.consumer.aggregations.quantize import LogLinear
            count = len(list(LogLinear.decode(argument).bounds())) + 2
        else:
            count = _SIZES.get(action, 1)
        words = [0] * count
        if count > 4 and action != ActionKind.AGG_QUANTIZE:
            words[0] = argument
        return cls(RecDesc(action, 8 * count, 0, 8, 0, argument, 0), tuple(words))

    @classmethod
    def like(cls, layout: Layout, words: Sequence[int]) -> Zero:
        """A zero with the form of an entry that exists."""
        kept = layout.constant
        return cls(layout.value, tuple(words[:kept]) + (0,) * (layout.words - kept))


def _row_cost(layout: Layout) -> int:
    """Bytes of memory that a row takes at most, in either form of its table: more rows must not cost less."""
    return max(layout.size + _LISTED, 2 * layout.size + _INDEXED)


def _cost(table: Table) -> int:
    """Bytes of memory that a table takes at most."""
    return len(table) * _row_cost(table.layout)


def _cut(table: Table, share: int) -> int:
    """Drop rows of a table that are too many for `share` bytes; return how many were dropped."""
    count = len(table)
    table.shorten(share // _row_cost(table.layout))
    return count - len(table)


def _entries(parts: Iterable[list[Entry] | Ranked]) -> Iterator[Entry]:
    return chain.from_iterable(part if isinstance(part, list) else part.entries() for part in parts)


class Aggregations:
    """The merged aggregations of one consumer.

    `describe` returns the AggDesc of an aggregation id.  `zeros` maps variables of the program to what
    they show where they have no value.
    """

    def __init__(self, describe: Callable[[int], AggDesc], settings: Settings) -> None:
        self._describe = describe
        self._settings = settings
        self._tables: dict[tuple[int, Layout], Table] = {}
        self._by_id: dict[int, Table] = {}
        self._printed: set[int] = set()
        self.bulk: Bulk | None = None
        self._arrays = True  # unless they were asked for and are missing
        self.zeros: dict[int, Zero] = {}

    # -- snapshots -----------------------------------------------------------------------------

    def add(self, data: bytes) -> None:
        """Merge one CPU's snapshot: records one after another, u32 zeros between them to align."""
        if self._is_large(data) and self.add_bulk(data):
            return
        groups: dict[int, list[int]] = {}
        offset, end, unpack = 0, len(data), _ID.unpack_from
        while offset + 4 <= end:
            number, = unpack(data, offset)
            if not number:
                offset += 4
                continue
            table = self._table_of(number, data, offset)
            groups.setdefault(number, []).append(offset)
            offset += table.layout.size
        if offset > end:
            raise AnswerError("an aggregation record goes beyond the end of its buffer")
        for number, offsets in groups.items():
            table = self._by_id[number]
            self._merge(table, data, offsets)

    def _merge(self, table: Table, data: bytes, offsets: list[int]) -> None:
        if table.adopted and not table.layout.symbolic and self.bulk is not None:
            self.bulk.merge_few(table, data, offsets)
            return
        if table.layout.symbolic:
            copy = bytearray(data)
            for offset in offsets:
                symbolize(table.layout, copy, offset, self._settings.symbols)
            data = bytes(copy)
        table.merge(data, offsets)

    def trim(self, most: int) -> int:
        """Drop rows until the others need `most` bytes of memory; return how many were dropped.

        No variable gets less memory than another one that loses rows, and those that it loses are its newest.
        So whoever adds keys never makes any variable lose fewer.
        """
        tables = sorted(self._tables.values(), key=_cost)
        for at, table in enumerate(tables):
            share = most // (len(tables) - at)
            if _cost(table) > share:
                return sum(_cut(each, share) for each in tables[at:])
            most -= _cost(table)
        return 0

    def _is_large(self, data: bytes) -> bool:
        """Whether merging in a dictionary would be slow, judged by the form of the first record."""
        start = len(data) - len(data.lstrip(b"\0")) & ~3
        number = int.from_bytes(data[start:start + 4], "little")
        if not number:
            return False
        table = self._table_of(number, data, start)
        rows = len(table) + len(data) // table.layout.size
        return table.adopted or rows * max(table.layout.words // _WORDS, 1) > BULK

    def arrays(self) -> Bulk | None:
        """The array work of this consumer; None where numpy or llvmlite is missing."""
        if self.bulk is None and self._arrays:
            from runtime.consumer.aggregations.jit import Unavailable

            try:
                from runtime.consumer.aggregations.bulk import Bulk
                self.bulk = Bulk()
            except (ImportError, Unavailable):
                self._arrays = False
        return self.bulk

    def add_bulk(self, data: bytes) -> bool:
        """Merge a large snapshot with compiled kernels; False where there are none."""
        bulk = self.arrays()
        if bulk is None:
            return False
        for table, source in bulk.split(data, lambda number, offset: self._table_of(number, data, offset)):
            if table.layout.symbolic:
                self._merge(table, data, source.tolist())
            else:
                bulk.merge(table, data, source)
        return True

    def _table_of(self, number: int, data: bytes, offset: int) -> Table:
        """The table of an aggregation id, which was met at an offset."""
        table = self._by_id.get(number)
        return self._table(number, data, offset) if table is None else table

    def _table(self, number: int, data: bytes, offset: int) -> Table:
        desc = self._describe(number)
        layout = Layout.of(desc.size, desc.records)
        first = desc.records[0]
        variable = int.from_bytes(data[offset + first.offset:offset + first.offset + first.size], "little")
        table = self._tables.setdefault((variable, layout), Table(variable, layout))
        self._by_id[number] = table
        return table

    # -- what library actions do ---------------------------------------------------------------

    def clauses(self) -> list[int]:
        """Return the enabled probes (epids) whose clauses have aggregated anything."""
        return [self._describe(number).epid for number in self._by_id]

    def _of(self, variable: int) -> Iterator[Table]:
        return (table for table in self._tables.values() if table.variable == variable)

    def clear(self, variable: int | None = None) -> None:
        """Zero the values of one variable, or of all."""
        for table in self._tables.values() if variable is None else self._of(variable):
            if table.adopted:
                from runtime.consumer.aggregations.ranking import clear

                clear(table)
            else:
                table.clear()

    def normalize(self, variable: int, normal: int) -> None:
        """Show values divided by `normal`; 0 counts as 1."""
        for table in self._of(variable):
            table.normalize(normal or 1)

    def truncate(self, variable: int, count: int) -> None:
        """Keep the `count` largest entries, or the smallest when it is negative."""
        parts = self._ordered(self._of(variable), "variable value key", 0, count >= 0, abs(count))
        kept: dict[int, list[int]] = {}
        for entry in _entries(parts):
            kept.setdefault(id(entry.table), []).append(entry.at)
        for table in self._of(variable):
            table.keep(kept.get(id(table), ()))

    # -- walks ---------------------------------------------------------------------------------

    def __iter__(self) -> Iterator[Entry]:
        for table in self._tables.values():
            yield from table.entries()

    @staticmethod
    def sort_key(parts: str, position: int = 0) -> Callable[[Entry], SortKey]:
        """Return the sort key of an order: its parts as in ORDERS, keys counted from `position`."""
        rules = [_part(name, position) for name in parts.split()]
        return lambda entry: tuple(rule(entry) for rule in rules)

    def _ordered(self, tables: Iterable[Table], parts: str, position: int, backwards: bool,
                 limit: int | None = None) -> list[list[Entry] | Ranked]:
        """The first `limit` of all entries of `tables`, in an order of ORDERS' parts."""
        tables = list(tables)
        bulk = self.arrays() if sum(map(len, tables)) > BULK else None
        separate = len({table.variable for table in tables}) == len(tables)
        if bulk is None or not separate or (len(tables) > 1 and not parts.startswith("variable")):
            entries = [entry for table in tables for entry in table.entries()]
            return [sorted(entries, key=self.sort_key(parts, position), reverse=backwards)[:limit]]
        from runtime.consumer.aggregations.ranking import Ranked, ranking

        ordered: list[list[Entry] | Ranked] = []
        for table in sorted(tables, key=lambda table: table.variable, reverse=backwards):
            bulk.unindex(table)
            numbers = ranking(table, "value" in parts, position, bulk.compiler)
            part = Ranked(table, (numbers[::-1] if backwards else numbers)[:limit], bulk.compiler)
            limit = None if limit is None else limit - len(part)
            ordered.append(part)
        return ordered

    @property
    def _chosen(self) -> tuple[str, bool]:
        """The order that the aggsort options say, as in ORDERS."""
        parts = "variable key" if self._settings.is_set("aggsortkey") else "variable value key"
        return parts, self._settings.is_set("aggsortrev")

    def _sorted(self, tables: Iterable[Table]) -> list[list[Entry] | Ranked]:
        """Variables in turn, each sorted as the aggsort options say."""
        parts, backwards = self._chosen
        return self._ordered(tables, parts, self._settings.get("aggsortkeypos"), backwards)

    def walk(self, order: str | None = None, variable: int | None = None) -> list[Entry]:
        """Entries in one of ORDERS, or as the aggsort options say; of one variable, or of all."""
        tables = self._tables.values() if variable is None else self._of(variable)
        if order is None:
            return list(_entries(self._sorted(tables)))
        parts, backwards = ORDERS[order]
        return list(_entries(self._ordered(tables, parts, 0, backwards)))

    def printed(self, variables: Sequence[int]) -> Rows:
        """The rows of printa(), of one aggregation or of several joined by their keys."""
        return self.rows(variables[0]) if len(variables) == 1 else self.joined(variables)

    def rows(self, variable: int) -> Rows:
        """The rows of printa() of one aggregation."""
        parts = self._sorted(self._of(variable))
        for part in parts:
            self._mark(part)
        return Rows([part if not isinstance(part, list) else [Row(entry, (entry.value,)) for entry in part]
                     for part in parts])

    def unprinted(self) -> Rows:
        """The rows of every aggregation that no printa() has shown."""
        printed = self._printed
        return Rows([part.without(printed) if not isinstance(part, list) else
                     [Row(entry, (entry.value,)) for entry in part if entry.id not in printed]
                     for part in self._sorted(self._tables.values())])

    def columns(self, variable: int, order: str | None = None) -> Columns | None:
        """All entries of one variable as numpy arrays, sorted as walk() sorts them, values normalized.

        None if there are none, if the variable's tuples differ in their types, or without numpy.
        """
        tables = [table for table in self._of(variable) if len(table)]
        bulk = self.arrays()
        if len(tables) != 1 or bulk is None:
            return None
        from runtime.consumer.aggregations.ranking import columns

        parts, backwards = ORDERS[order] if order else self._chosen
        position = 0 if order else self._settings.get("aggsortkeypos")
        return columns(tables[0], "value" in parts, position, backwards, bulk.compiler)

    def joined(self, variables: Sequence[int]) -> Rows:
        """The rows of printa() of several aggregations: one for every key any of them has."""
        tables = [table for variable in dict.fromkeys(variables)
                  for table in self._of(variable) if len(table)]
        if not tables:
            return Rows([])
        zeros = self._zeros(variables, tables)
        first = self._settings.get("aggsortpos")
        first = first if first < len(variables) else 0
        turned = [*variables[first:], *variables[:first]]
        ranked = self._join_arrays(tables, variables, turned, zeros)
        if ranked is not None:
            return Rows([ranked])
        rows = []
        for bundle in self._join(tables, turned, zeros):
            self._mark(list(bundle.values()))
            rows.append(Row(bundle[min(bundle)], tuple(
                bundle[v].value if v in bundle else Aggregated(zeros[v].record, zeros[v].words)
                for v in variables)))
        return Rows([rows])

    def _join(self, tables: Iterable[Table], turned: Sequence[int], zeros: Mapping[int, Zero]
              ) -> list[dict[int, Entry]]:
        """Return the entries of each key by variable, sorted by the values of `turned` in turn."""
        by_keys: dict[SortKey, dict[int, Entry]] = {}
        for table in tables:
            for entry in table.entries():
                by_keys.setdefault(by_key(entry), {})[table.variable] = entry
        parts, backwards = self._chosen
        position = self._settings.get("aggsortkeypos")

        def order(bundle: dict[int, Entry]) -> SortKey:
            keys = by_key(bundle[min(bundle)], position)
            if "value" not in parts:
                return keys
            return (*(by_value(bundle[v].words, bundle[v].layout.value.action) if v in bundle else
                      by_value(zeros[v].words, zeros[v].record.action) for v in turned), keys)

        return sorted(by_keys.values(), key=order, reverse=backwards)

    def _join_arrays(self, tables: Sequence[Table], variables: Sequence[int], turned: Sequence[int],
                     zeros: Mapping[int, Zero]) -> Ranked | None:
        """The rows of joined() of large tables; None where it does not apply."""
        bulk = self.arrays() if sum(map(len, tables)) > BULK else None
        places = {table.variable: place for place, table in enumerate(tables)}
        if bulk is None or len(places) != len(tables):
            return None
        from runtime.consumer.aggregations import ranking

        if not ranking.joinable(tables):
            return None
        joined = ranking.join(tables, bulk)
        parts, backwards = self._chosen
        order = ranking.joined_order(
            joined, tables, [places[v] for v in turned if v in places] if "value" in parts else [],
            self._settings.get("aggsortkeypos"), bulk.compiler)
        for table in tables:
            self._printed |= ranking.ids(table)
        return ranking.Joined(joined, order[::-1] if backwards else order, bulk.compiler, tables,
                              [places.get(v) for v in variables],
                              [Aggregated(zeros[v].record, zeros[v].words) for v in variables])

    def _zeros(self, variables: Sequence[int], tables: Iterable[Table]) -> dict[int, Zero]:
        """A zero for each variable: like an entry it has, as the program says, or like any other's."""
        zeros: dict[int, Zero] = {}
        for table in tables:
            zeros.setdefault(table.variable, Zero.like(table.layout, table.entry(0).words))
        other = next(iter(zeros.values()))
        return {v: zeros.get(v) or self.zeros.get(v) or other for v in variables}

    def _mark(self, part: list[Entry] | Ranked) -> None:
        """Note that entries are shown by a printa()."""
        if isinstance(part, list):
            self._printed.update(entry.id for entry in part)
        else:
            from runtime.consumer.aggregations.ranking import ids

            self._printed |= ids(part.table)

    # -- what a whole variable needs for histograms and packed lines ---------------------------

    def scale(self, variable: int) -> Scale | None:
        """The common scale of a variable's numbers (agghist); None if it has no plain numbers."""
        numbers = []
        for table in self._of(variable):
            for entry in table.entries():
                action = table.layout.value.action
                if action in (ActionKind.AGG_SUM, ActionKind.AGG_COUNT):
                    numbers.append(entry.words[0])
                elif action == ActionKind.AGG_AVG:
                    numbers.append(average(entry.words, 1))
                elif action == ActionKind.AGG_STDDEV:
                    numbers.append(deviation(entry.words, 1))
        if not numbers:
            return None
        scale = scale_of(numbers, self._settings.is_set("aggzoom"))
        return Scale(scale.total // scale.unit, scale.positives, scale.negatives)

    def bins(self, variable: int) -> tuple[int, int] | None:
        """The range of buckets a variable's packed lines share (aggpack); None if it has no buckets."""
        ranges = []
        for table in self._of(variable):
            action = table.layout.value.action
            if action in (ActionKind.AGG_QUANTIZE, ActionKind.AGG_LQUANTIZE):
                ranges += [packed_bins(entry.words, action == ActionKind.AGG_LQUANTIZE)
                           for entry in table.entries()]
        if not ranges:
            return None
        return min(low for low, _high in ranges), max(high for _low, high in ranges)


def zeros_of(program: Program) -> dict[int, Zero]:
    """What each aggregation of a program shows where it has no value yet, by variable.

    A variable's id is the constant its first key action returns.
    """
    zeros: dict[int, Zero] = {}
    for ecb in program.ecbs:
        for index, action in enumerate(ecb.actions):
            if action.kind & 0xFF00 != ActionClass.AGGREGATION or index < action.ntuple or not action.ntuple:
                continue
            first = ecb.actions[index - action.ntuple].difo
            if first is not None and first.inttab:
                zeros.setdefault(first.inttab[0], Zero.of(action.kind, action.arg))
    return zeros
