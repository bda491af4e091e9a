"""What children say of their enabled probes, formats and probes, with a hop's own numbers."""

from __future__ import annotations

import errno
import struct
from collections.abc import Iterator, Mapping
from functools import partial

from runtime.border import AggDesc, ArgDesc, BorderError, Command, EprobeDesc, ProbeDescription
from runtime.instances.hop.children import Child
from runtime.instances.hop.family import Family
from runtime.instances.hop.maps import FIRST, FORMATS, MOST_FORMATS, Maps
from runtime.instances.roster.paths import shown
from runtime.instances.wire import frames as f

_WORD = struct.Struct("<I")


class Descriptions:
    """All descriptions of one hop; `maps` are its numbers."""

    def __init__(self, family: Family) -> None:
        self.maps = Maps()
        self._family = family
        self._numbers_of: dict[bytes, int] = {}  # of format strings
        self._formats: dict[int, bytes] = {}
        self._told: set[tuple[int, int]] = set()  # by child and its EPID: they went up

    def described(self, child: Child, frame: f.Describe) -> None:
        """Take in a description that came along.  Raises ValueError for one that is not of our programs."""
        if frame.command == Command.EPROBE:
            description = EprobeDesc.unpack(frame.data)
            if not child.trusted and (child.layouts.clause(description) is None
                                      or description.epid != frame.number):
                raise ValueError(f"EPID {frame.number} has records that no program of ours makes")
            self._demand_room(child, child.epids, frame.number)
            child.epids[frame.number] = description
        elif frame.command == Command.AGGDESC:
            aggregation = AggDesc.unpack(frame.data)
            if not child.trusted and child.layouts.aggregation(aggregation) is None:
                raise ValueError(f"aggregation {frame.number} has a form that no program of ours has")
            self._demand_room(child, child.aggregations, frame.number)
            child.aggregations[frame.number] = aggregation
        elif frame.command == Command.FORMAT:
            self._learn_format(child, frame.number, frame.data)
        elif frame.command == Command.PROBES:
            self.probe(child, frame.data)
        else:
            raise ValueError(f"an answer to request {frame.command} that was not asked for")

    def _demand_room(self, child: Child, known: Mapping[int, object], number: int) -> None:
        """Raise ValueError if an untrusted child has described as many things as it may have probes."""
        if not child.trusted and len(known) >= self._family.limits.probes and number not in known:
            raise ValueError(f"more than {self._family.limits.probes} enabled probes")

    def probe(self, child: Child, data: bytes) -> bytes:
        """A child's probe as we describe it.  Raises ValueError where it has too many."""
        probe = ProbeDescription.unpack(data)
        most = self._family.limits.probes
        if not child.trusted and len(child.probes) >= most and probe.id not in child.probes:
            raise ValueError(f"more than {most} probes")
        child.probes[probe.id] = probe
        ours = probe._replace(id=self.maps.probes.up(child.number, probe.id))
        if not child.trusted:
            ours = ProbeDescription(ours.id, *map(shown, ours[1:]))
        return ours.pack()

    def _learn_format(self, child: Child, number: int, text: bytes) -> None:
        """Take in a child's format string.  Raises ValueError for one that is not of our programs."""
        if not child.trusted and text.rstrip(b"\0") not in child.layouts.formats:
            raise ValueError("a format string that no program of ours has")
        child.formats[number] = self._format(child, number, text)

    def _format(self, child: Child, number: int, text: bytes) -> int:
        """Our number for a child's format string."""
        if child.number == FIRST and number < FORMATS:
            ours = number
        else:
            ours = self._numbers_of.setdefault(text, FORMATS + len(self._numbers_of))
            if ours > MOST_FORMATS:
                raise ValueError("more format strings than there are numbers")
        self._formats[ours] = text
        return ours

    def _mapped_epid(self, child: Child, description: EprobeDesc) -> EprobeDesc:
        """A child's description with our numbers."""
        kept = child.number == FIRST
        records = tuple(record._replace(format=child.formats.get(record.format, record.format if kept else 0))
                        for record in description.records)
        return EprobeDesc(self.maps.epids.up(child.number, description.epid),
                          self.maps.probes.up(child.number, description.probe_id), description.uarg,
                          description.size, records)

    def told_epid(self, child: Child, epid: int) -> Iterator[f.Up]:
        """Tell our parent of an enabling of a child's, once."""
        if (child.number, epid) in self._told:
            return
        self._told.add((child.number, epid))
        description = child.epids[epid]
        ours = self._mapped_epid(child, description)
        for record in ours.records:
            if record.format in self._formats:
                yield f.Describe(Command.FORMAT, record.format, self._formats[record.format])
        if description.probe_id in child.probes:
            data = self.probe(child, child.probes[description.probe_id].pack())
            yield f.Describe(Command.PROBES, ours.probe_id, data)
        yield f.Describe(Command.EPROBE, ours.epid, ours.pack())

    def tell_epids(self, child: Child, snap: f.Snap) -> Iterator[f.Up]:
        for epid in list(child.epids):
            yield from self.told_epid(child, epid)

    def epid_asked(self, payload: bytes) -> bytes:
        child, theirs = self._child_of(self.maps.epids.down(_WORD.unpack_from(payload)[0]), payload)
        known = child.epids.get(theirs)
        if known is None:
            data = self._family.one(child, f.Ask(f.EVERY, Command.EPROBE, _WORD.pack(theirs)))
            described = f.Describe(Command.EPROBE, theirs, data)
            self._family.guarded(child, lambda: self.described(child, described))
            known = child.epids.get(theirs)
        if known is None:
            raise BorderError(errno.EINVAL, "no such enabled probe")
        for record in known.records:
            if record.format and child.number != FIRST and record.format not in child.formats:
                number = struct.pack("<H", record.format)
                text = self._family.one(child, f.Ask(f.EVERY, Command.FORMAT, number))
                self._family.guarded(child, partial(self._learn_format, child, record.format, text))
        return self._mapped_epid(child, known).pack()

    def _child_of(self, found: tuple[int, int] | None, payload: bytes) -> tuple[Child, int]:
        """Whose number it is; one that was never mapped is the first child's."""
        if found is None:
            return self._family.children[FIRST], _WORD.unpack_from(payload)[0]
        return self._family.children[found[0]], found[1]

    def format_asked(self, payload: bytes) -> bytes:
        number, = struct.unpack_from("<H", payload)
        if number in self._formats:
            return self._formats[number]
        return self._family.one(self._family.children[FIRST], f.Ask(f.EVERY, Command.FORMAT, payload))

    def probe_asked(self, payload: bytes) -> bytes:
        wanted = ProbeDescription.unpack(payload)
        child, theirs = self._child_of(self.maps.probes.down(wanted.id), payload)
        data = self._family.one(child, f.Ask(f.EVERY, Command.PROBES, wanted._replace(id=theirs).pack()))
        return data if child.number == FIRST else self.probe(child, data)

    def argument_asked(self, payload: bytes) -> bytes:
        wanted = ArgDesc.unpack(payload)
        child, theirs = self._child_of(self.maps.probes.down(wanted.id), payload)
        data = self._family.one(child, f.Ask(f.EVERY, Command.PROBEARG, wanted._replace(id=theirs).pack()))
        return ArgDesc.unpack(data)._replace(id=wanted.id).pack()
