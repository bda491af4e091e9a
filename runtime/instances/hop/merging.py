"""Aggregations of many instances made one, at every hop.

Rows are merged by variable, keys and form (the action and its parameters among it), by the rules of the
consumer: counts and sums mod 2⁶⁴, the squares of stddev() in 128 bits, distributions bucket by bucket.  So
it does not matter in which order, or at which hop, rows meet.  lquantize() and llquantize() with other
parameters are other forms, and stay apart.  A process's number in a key is that of one instance, and so is a
marked address (runtime.instances.wire.addresses); they are mapped first.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator

from dif.records import Record, field
from runtime.border import AggDesc, RecDesc
from runtime.consumer.aggregations.byinstance import OF_PROCESSES
from runtime.consumer.aggregations.entries import KEY_AT, Layout, Table
from runtime.instances.hop.maps import AGGREGATIONS
from runtime.instances.wire.addresses import Places, change, is_marked, places_of

_ID, _WORD = struct.Struct("<I"), struct.Struct("<Q")

Renumber = Callable[[int], int]


def with_processes(records: tuple[RecDesc, ...]) -> tuple[int, ...]:
    """Where, counted from the start of a record, the numbers of processes lie."""
    return tuple(record.offset for record in records if record.action in OF_PROCESSES and record.size >= 8)


def renumber(data: bytearray, places: tuple[int, ...], base: int, process: Renumber) -> None:
    """Map the numbers of processes in one record, which begins at `base`."""
    for place in places:
        number, = _WORD.unpack_from(data, base + place)
        if number:
            _WORD.pack_into(data, base + place, process(number & 0xFFFFFFFF))


def readdress(data: bytearray, places: Places, base: int, address: Renumber) -> None:
    """Map the marked addresses in one record, which begins at `base`."""
    change(data, places, base, lambda number, _verb: address(number) if is_marked(number) else number)


class Form(Record):
    """One variable with one form of rows: its number here, its description, and what has been merged."""

    number: int
    description: AggDesc
    table: Table


class Merger(Record):
    """What a hop has merged and not yet handed on.

    `first` is the number that the first form gets: 1 where nothing else is numbered.
    """

    first: int = AGGREGATIONS
    _forms: dict[tuple[int, Layout], Form] = field(default_factory=dict)
    _numbers: dict[int, Form] = field(default_factory=dict)

    def add(self, description: AggDesc, data: bytes, offsets: list[int],
            process: Renumber | None = None, address: Renumber | None = None) -> None:
        """Merge a child's rows that lie at `offsets` and are as it describes.

        `process` maps the numbers of processes, `address` marked addresses of kernels; the first row tells
        the variable, for all are of one.
        """
        if not offsets:
            return
        places = with_processes(description.records) if process is not None else ()
        addresses = places_of(description.records) if address is not None else ()
        if places or addresses:
            changed = bytearray(data)
            for offset in offsets:
                if process is not None:
                    renumber(changed, places, offset, process)
                if address is not None:
                    readdress(changed, addresses, offset, address)
            data = bytes(changed)
        first = description.records[0]
        start = offsets[0] + first.offset
        variable = int.from_bytes(data[start:start + first.size], "little")
        self.form(variable, description).table.merge(data, offsets)

    def form(self, variable: int, description: AggDesc) -> Form:
        """The form for rows of a variable that are as a child describes."""
        layout = Layout.of(description.size, description.records)
        known = self._forms.get((variable, layout))
        if known is None:
            number = self.first + len(self._forms)
            ours = AggDesc(number, 0, description.size, description.records)
            known = self._forms[variable, layout] = Form(number, ours, Table(variable, layout))
            self._numbers[number] = known
        return known

    def description(self, number: int) -> AggDesc | None:
        """What AGGDESC returns for one of our numbers."""
        form = self._numbers.get(number)
        return form.description if form is not None else None

    def keys(self) -> int:
        """How many rows wait to be handed on."""
        return sum(len(form.table) for form in self._forms.values())

    def take(self) -> bytes:
        """Return all rows, as a kernel's snapshot has them, and begin anew."""
        return b"".join(self._taken())

    def _taken(self) -> Iterator[bytes]:
        for form in self._forms.values():
            table = form.table
            if not len(table):
                continue
            form.table = Table(table.variable, table.layout)
            rows, size = bytearray(table.rows), table.layout.size
            for at in range(0, len(rows), size):
                _ID.pack_into(rows, at, form.number)
            yield bytes(rows) + bytes(-len(rows) % 4)


def rows_of(data: bytes, size_of: Callable[[int], int]) -> dict[int, list[int]]:
    """Return where the rows of each aggregation number begin in a snapshot.

    `size_of` returns the bytes of a number's rows.  Raises ValueError for a row past the end.
    """
    found: dict[int, list[int]] = {}
    offset, end = 0, len(data)
    while offset + 4 <= end:
        number, = _ID.unpack_from(data, offset)
        if not number:
            offset += 4
            continue
        size = size_of(number)
        if size < KEY_AT or offset + size > end:
            raise ValueError(f"a row of aggregation {number} goes beyond the end of its snapshot")
        found.setdefault(number, []).append(offset)
        offset += size
    return found
