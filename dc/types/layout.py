"""Where the members of a struct or union lie, bit-fields included, by the rules of the System V ABI."""

from __future__ import annotations

from dc.source.tree import Alignment
from dc.types.types import Integer, Member, Record, Type
from dif import records
from dif.records import field


def round_up(value: int, multiple: int) -> int:
    return -(-value // multiple) * multiple


class Layout(records.Record):
    """Lays a record's members out one after another, then completes the record.

    An `alignment` is what GNU's attributes say, of the record or of a member.
    """

    record: Record
    alignment: Alignment | None = None
    members: list[Member] = field(default_factory=list)
    names: set[str | None] = field(default_factory=set)  # of the members
    position: int = 0  # in bits; for a union the widest member so far
    align: int = 1

    def add(self, name: str | None, type_: Type, alignment: Alignment | None = None) -> None:
        """Add a member; `type_` is an Integer with fewer bits than its size for a bit-field."""
        base = type_.resolve()
        start = 0 if self.record.keyword == "union" else self.position
        packed = self._is_packed(alignment)
        align = max(1 if packed else type_.align, alignment.least if alignment is not None else 0)
        if isinstance(base, Integer) and base.bits != base.size * 8:
            width, unit = base.bits, base.size * 8
            if start // unit != (start + width - 1) // unit and not packed:
                start = round_up(start, unit)
        else:
            width = type_.size * 8
            start = round_up(start, align * 8)
        self.align = max(self.align, align)
        self.members.append(Member(name, type_, start))
        self.names.add(name)
        self.position = max(self.position, start + width)

    def _is_packed(self, alignment: Alignment | None) -> bool:
        """Whether a member is packed, by the record's attributes or its own."""
        return any(each is not None and each.packed for each in (alignment, self.alignment))

    def fits(self, bits: int, alignment: Alignment | None) -> bool:
        """Whether the bit-field that is added next lies in eight bytes, as all do that are not packed."""
        return self.position % 8 + bits <= 64 or not self._is_packed(alignment)

    def skip(self, base: Integer, bits: int) -> None:
        """Leave room for an unnamed bit-field of `bits`, which is no member."""
        align = self.align
        self.add(None, Integer(base.name, base.size, base.signed, base.char, bits, base.align))
        self.members.pop()
        self.align = align

    def break_unit(self, type_: Type) -> None:
        """After an unnamed bit-field of width 0 the next member of a struct starts a new storage unit."""
        if self.record.keyword == "struct":
            self.position = round_up(self.position, type_.size * 8)

    def finish(self) -> None:
        self.align = max(self.align, self.alignment.least if self.alignment is not None else 0)
        size = round_up(round_up(self.position, 8) // 8, self.align)
        self.record.define(self.members, size, self.align)
