"""What a hop's instances have recorded: checked against the programs, numbered anew, aggregations merged."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Iterator

from runtime.border import BUFDESC, RECHDR, AggDesc, BorderError, BufDesc, Command
from runtime.consumer.reader import ERROR_ECB
from runtime.instances.hop.children import Child
from runtime.instances.hop.clocks import Clock
from runtime.instances.hop.descriptions import Descriptions
from runtime.instances.hop.family import Family, join
from runtime.instances.hop.maps import FIRST, Numbers
from runtime.instances.hop.merging import Merger, readdress, renumber, rows_of, with_processes
from runtime.instances.roster.paths import shown
from runtime.instances.wire import frames as f
from runtime.instances.wire.addresses import places_of
from runtime.instances.wire.verbs import Verb

MOST_HELD = 1 << 28  # bytes of snapshots of all untrusted children together ...
LEAST_HELD = 4  # ... unless that is less for one than so many buffers
SAMPLE = 16  # of so many records, one is compared with the instance's memory
_WORD = struct.Struct("<I")


class Harvests:
    """What comes up in harvests."""

    def __init__(self, family: Family, descriptions: Descriptions) -> None:
        self._family = family
        self._descriptions = descriptions
        self._merger = Merger()
        self._sequence = 0
        self._told: set[int] = set()  # aggregations whose descriptions went up

    def harvest(self, frame: f.Harvest) -> Iterator[f.Up]:
        down: list[tuple[Child, f.Down]] = [(child, frame) for child in self._family.children]
        if frame.kind == f.STATUSES:
            yield from self._family.answers_of(down)
            return
        merging = bool(frame.eager) and frame.kind == f.AGGREGATIONS
        untrusted = sum(child.open and not child.trusted for child in self._family.children)
        for child, answer in self._family.exchange(down):
            child.room = max(MOST_HELD // max(untrusted, 1), LEAST_HELD * child.layouts.largest_buffer)
            late = [each for each in child.kept if isinstance(each, f.Snap) and each.kind == frame.kind]
            child.kept = [each for each in child.kept if each not in late]
            for each in late + answer:
                if isinstance(each, f.Snap):
                    yield from self._snapped(child, each, frame, merging)
                elif isinstance(each, f.Refused) and child.numbers.get(each.instance) is not None:
                    yield each._replace(instance=child.numbers[each.instance])
                elif child.open:
                    self._family.offend(child, f"{type(each).__name__} in a harvest")
        if merging:
            data = self._merger.take()
            if data:
                yield from self._tell_aggregations(data)
                self._sequence += 1
                snapshot = BufDesc(len(data)).pack() + data
                yield f.Snap(f.EVERY, self._family.boot, self._sequence, f.AGGREGATIONS, 0, snapshot)

    def _snapped(self, child: Child, snap: f.Snap, frame: f.Harvest, merging: bool) -> Iterator[f.Up]:
        """One snapshot of a child."""
        if not child.open:
            return
        number = child.numbers.get(snap.instance)
        if number is None and not (snap.instance == f.EVERY and merging):
            self._family.offend(child, f"a snapshot of instance {snap.instance}, which it does not have")
            return
        if not child.trusted:
            owner = child.boot if number is None else self._family.instances[number].boot
            before = child.sequences.get((snap.boot, snap.kind), 0)
            if snap.boot not in (owner, child.boot) or snap.sequence <= before:
                self._family.offend(child, f"snapshot {snap.sequence} again, or of another boot")
                return
            child.sequences[snap.boot, snap.kind] = snap.sequence
        made: list[f.Up] = []

        def take() -> None:
            if snap.kind != frame.kind:
                raise ValueError(f"a snapshot of kind {snap.kind}, not {frame.kind}")
            if merging:
                self._aggregated(child, snap, number)
            elif not child.trusted and len(snap.data) > child.room:
                assert number is not None
                instance = self._family.instances[number]
                self._family.drop(number, self._family.place, "principal", instance.unacknowledged)
                instance.taken = instance.recorded
            else:
                assert number is not None
                child.room -= len(snap.data)
                made.extend(self._recorded(child, snap, number, bool(frame.eager)))

        if not self._family.guarded(child, take) and number is not None and snap.kind == f.BUFFERS:
            instance = self._family.instances[number]
            self._family.drop(number, self._family.place, "quarantined", instance.unacknowledged)
            instance.taken = instance.recorded
        yield from made

    def _body(self, child: Child, snap: f.Snap) -> tuple[BufDesc, bytes]:
        """A snapshot's description and bytes.  Raises ValueError for what contradicts itself."""
        description, body = BufDesc.unpack(snap.data), snap.data[BUFDESC.size:]
        if not child.trusted and (description.size != len(body) or description.oldest
                                  or len(body) > child.layouts.largest_buffer + BUFDESC.size):
            raise ValueError(f"a snapshot of {len(body)} bytes that says {description.size}, the oldest at "
                             f"{description.oldest}")
        return description, body

    def _aggregated(self, child: Child, snap: f.Snap, number: int | None) -> None:
        description, body = self._body(child, snap)
        size_of, process = self._checked_aggregation(child), self._process_of(child)
        for theirs, offsets in rows_of(body, size_of).items():
            known = child.aggregations[theirs]
            if not child.trusted:
                body, offsets = self._limited(child, known, body, offsets, number)
            self._merger.add(known, body, offsets, process, self._address_of(child))
        if description.drops:
            path = self._family.place if number is None else self._path_of(number)
            self._family.drop(number, path, "aggregation", description.drops)

    def _checked_aggregation(self, child: Child) -> Callable[[int], int]:
        def size_of(theirs: int) -> int:
            known = child.aggregations.get(theirs)
            if known is None:
                raise ValueError(f"rows of aggregation {theirs}, which it did not describe")
            return known.size

        return size_of

    def _limited(self, child: Child, description: AggDesc, body: bytes, offsets: list[int],
                 number: int | None) -> tuple[bytes, list[int]]:
        """The rows of an untrusted child that are within its limits, stamped with whose they are."""
        stamps = child.layouts.aggregation(description) or ()
        value = description.records[-1]
        parameter = value.arg if value.size > 32 and value.arg else None
        changed, kept, refused = bytearray(body), [], 0
        for offset in offsets:
            said, = struct.unpack_from("<Q", body, offset + value.offset)
            if parameter is not None and said != parameter:
                raise ValueError("a distribution with other parameters than ours")
            for at, size in stamps:
                self._stamp(child, changed, offset + at, size, number)
            key = bytes(changed[offset + 8:offset + value.offset])
            if key not in child.keys:
                if len(child.keys) >= self._family.limits.keys:
                    refused += 1
                    continue
                child.keys.add(key)
            kept.append(offset)
        self._family.drop(number, self._family.place, "aggregation", refused)
        return bytes(changed), kept

    def _stamp(self, child: Child, data: bytearray, at: int, size: int, number: int | None) -> None:
        """Write whose record it is where the program records that: the child is not believed."""
        if number is None:
            said = bytes(data[at:at + size]).split(b"\0", 1)[0].decode("utf-8", "replace")
            below = join(self._family.path, child.name)
            if said != below and not said.startswith(below + "/"):
                raise ValueError(f"a record of {shown(said)!r}")
            return
        path = self._path_of(number).encode()[:size - 1]
        data[at:at + size] = path.ljust(size, b"\0")

    def _path_of(self, number: int) -> str:
        """The path of an instance from the root on."""
        return join(self._family.path, self._family.instances[number].path)

    def _process_of(self, child: Child) -> Callable[[int], int] | None:
        """How a child's process numbers are mapped; None where all are kept."""
        if child.number == FIRST and len(child.numbers) == 1:
            return None
        return lambda number: self._mapped(child, self._descriptions.maps.processes, number)

    def _address_of(self, child: Child) -> Callable[[int], int] | None:
        """How a child's marked addresses are mapped; None where all are kept."""
        if len(self._family.children) == 1:
            return None

        return lambda number: self._mapped(child, self._descriptions.maps.addresses, number)

    def _mapped(self, child: Child, numbers: Numbers, number: int) -> int:
        """Our number for one of a child's.  Raises ValueError where it has too many."""
        if not child.trusted and not numbers.known(child.number, number):
            if child.mapped >= self._family.limits.keys:
                raise ValueError(f"more than {self._family.limits.keys} processes and addresses")
            child.mapped += 1
        return numbers.up(child.number, number)

    def _recorded(self, child: Child, snap: f.Snap, number: int, eager: bool) -> Iterator[f.Up]:
        """Principal records with our numbers."""
        if child.number == FIRST and child.trusted and not snap.instance:  # its numbers are kept
            if eager:
                yield from self._descriptions.tell_epids(child, snap)
            yield snap._replace(instance=number)
            return
        description, body = self._body(child, snap)
        if snap.cpu >= self._family.instances[number].cpus:
            raise ValueError(f"a snapshot of CPU {snap.cpu}, which it does not have")
        data, process, records = bytearray(body), self._process_of(child), 0
        address, foreign = self._address_of(child), self._family.instances[number].types != self._family.types
        claims: list[list[bytes]] = []
        clock = child.clocks.setdefault((number, snap.cpu), Clock())
        for at, epid in self._records(child, data):
            records += 1
            known = child.epids[epid]
            ours = self._descriptions.maps.epids.up(child.number, epid)
            head = RECHDR.unpack_from(data, at)
            time = head[1] << 32 | head[2]
            if not child.trusted:
                for where, size in child.layouts.clause(known) or ():
                    self._stamp(child, data, at + where, size, number)
                time = clock.forward(time, description.timestamp)
                claimed = child.layouts.claim(known)
                if claimed is not None and not snap.instance:
                    claims.append([bytes(data[at + place:at + place + size]) for place, size in claimed])
            RECHDR.pack_into(data, at, ours, time >> 32, time & 0xFFFFFFFF)
            if known.uarg == ERROR_ECB and known.records:
                faulting = self._map_fault(child, data, at + known.records[0].offset)
                yield from self._descriptions.told_epid(child, faulting)
            if process is not None:
                renumber(data, with_processes(known.records), at, process)
            if foreign and address is not None:
                readdress(data, places_of(known.records), at, address)
            yield from self._descriptions.told_epid(child, epid)
        self._family.instances[number].taken += records + description.drops
        if not child.trusted:
            description = description._replace(cpu=snap.cpu, data=0)
            self._verify(child, number, claims)
        yield snap._replace(instance=number, data=description.pack() + data)

    def _verify(self, child: Child, number: int, claims: list[list[bytes]]) -> None:
        """Compare samples of what an instance says of its processes with its memory, if we emulate it.

        A process that has ended, or has another program since, proves nothing: a lie is one of a process
        that has had its name before and after.
        """
        for raw, name in claims[::SAMPLE]:
            process, said = int.from_bytes(raw, "little"), name.split(b"\0")[0].decode("utf-8", "replace")
            real = child.names.get(process)
            try:
                asked = f.Do(0, Verb.MEMORY, json.dumps([process]).encode())
                found = json.loads(self._family.one(child, asked))
            except (BorderError, ValueError, RecursionError):
                return
            now = str(found[0]) if isinstance(found, list) and found else ""
            if now and said != now and real == now and (process, said) not in child.lies:
                child.lies.add((process, said))
                text = f"it says that process {process} is {shown(said)}, and its memory says {shown(now)}"
                self._family.notices.append(f.Notice(number, "lies", text, 0))
            child.names[process] = now

    def _records(self, child: Child, data: bytearray) -> Iterator[tuple[int, int]]:
        """Where records begin, and their EPIDs.  Raises ValueError for what no program of ours records."""
        at = 0
        while at + RECHDR.size <= len(data):
            epid, = _WORD.unpack_from(data, at)
            if not epid:
                at += 4
                continue
            known = child.epids.get(epid)
            if known is None:
                raise ValueError(f"a record of EPID {epid}, which it did not describe")
            if known.size < RECHDR.size or at + known.size > len(data):
                raise ValueError(f"a record of EPID {epid} goes beyond the end of its buffer")
            yield at, epid
            at += known.size

    def _map_fault(self, child: Child, data: bytearray, at: int) -> int:
        """A record of ERROR tells by its first word which clause failed; returns the child's number of it."""
        faulting, = _WORD.unpack_from(data, at)
        if faulting not in child.epids:
            raise ValueError(f"a fault in EPID {faulting}, which it did not describe")
        _WORD.pack_into(data, at, self._descriptions.maps.epids.up(child.number, faulting))
        return int(faulting)

    def _tell_aggregations(self, data: bytes) -> Iterator[f.Up]:
        def size_of(number: int) -> int:
            found = self._merger.description(number)
            assert found is not None
            return found.size

        for number in rows_of(data, size_of):
            found = self._merger.description(number)
            if found is not None and number not in self._told:
                self._told.add(number)
                yield f.Describe(Command.AGGDESC, number, found.pack())

    def aggregation_asked(self, payload: bytes) -> bytes:
        number = _WORD.unpack_from(payload)[0]
        merged = self._merger.description(number)
        if merged is not None:
            return merged.pack()
        return self._family.one(self._family.children[FIRST], f.Ask(f.EVERY, Command.AGGDESC, payload))
