"""Machines in machines in machines: what each hop calls the same thing, and a cycle that one offers."""

from __future__ import annotations

import hashlib
import sys
import uuid
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import bare

from runtime.border import BUFDESC, AggDesc, Command, ProbeDescription
from runtime.instances.endpoint.doings import TracedMachine
from runtime.instances.endpoint.endpoint import Endpoint
from runtime.instances.hop.children import Child, Inner
from runtime.instances.hop.relay import Relay
from runtime.instances.roster.paths import HOST
from runtime.instances.wire import frames as f
from runtime.instances.wire.answering import Handler
from runtime.instances.wire.links import Link
from runtime.machine import Machine

LEVELS = ("host", "p1", "vm1", "n1")  # the host, a machine, a VM in it, a VM in that
PROBE = ("syscall", "", "read", "entry")
Change = Callable[[f.Up], f.Up]


class Wire:
    """A connection to a handler in this process: bytes, parsed at both ends."""

    def __init__(self, handler: Handler, change: Change) -> None:
        self._handler, self._change = handler, change
        self._parser, self._ready = f.Parser(f.DOWN), b""

    def send(self, data: bytes) -> None:
        for number, frame in self._parser.feed(data):
            answer = self._handler.handle(frame)  # type: ignore[arg-type]
            self._ready += f.write_all([self._change(each) for each in answer], number)

    def receive(self, seconds: float) -> bytes | None:
        data, self._ready = self._ready, b""
        return data or None

    def close(self) -> None:
        self._ready = b""


class Level(NamedTuple):
    """One machine and the hop before it, whose first child it is; the second is the level below."""

    name: str
    machine: Machine
    endpoint: Endpoint
    relay: Relay


def levels(change: Change = lambda frame: frame) -> list[Level]:
    """All levels from the host down; `change` is what the innermost does to its frames."""
    made: list[Level] = []
    for name in reversed(LEVELS):
        machine = Machine({})
        endpoint = Endpoint(TracedMachine(machine, [made[0].name] if made else []))
        own = name if name == HOST else ""  # the root's own machine has a path; others have that of their hop
        children = [Child(0, own, Inner(endpoint), speaker=name)]
        if made:
            below, first = made[0], len(made) == 1
            wire = Wire(below.relay, change if first else lambda frame: frame)
            children.append(Child(1, below.name, Link(wire, trusted=False), False, speaker=below.name))
        made.insert(0, Level(name, machine, endpoint, Relay(children)))
    return made


def by_hand(heard: uuid.UUID, name: str) -> uuid.UUID:
    """A UUIDv5, as RFC 4122 has it: SHA-1 of the name space and the name, with version and variant."""
    raw = bytearray(hashlib.sha1(heard.bytes + name.encode()).digest()[:16])
    raw[6], raw[8] = raw[6] & 0x0F | 0x50, raw[8] & 0x3F | 0x80
    return uuid.UUID(bytes=bytes(raw))


def joined(made: list[Level]) -> dict[str, int]:
    """Ask the root who is there; returns the numbers of instances by their paths."""
    root = made[0].relay
    list(root.handle(f.Identify(f.VERSION, f.HOPS, "", ())))
    return {each.path: number for number, each in root.instances.items() if each.state == "ready"}


def number_at(handler: Handler, instance: int) -> int:
    """The number that a hop, or a machine itself, has for a probe of an instance."""
    ask = f.Ask(instance, Command.PROBEMATCH, ProbeDescription(0, *PROBE).pack())
    answer, = (each for each in handler.handle(ask) if isinstance(each, f.Answer))
    return ProbeDescription.unpack(answer.data).id


def test_each_hop_has_numbers_and_uuids_of_its_own() -> None:
    """The table of one probe of the innermost machine, from there up: who has which number and UUID."""
    made = levels()
    paths = joined(made)
    assert list(paths) == ["host", "p1", "p1/vm1", "p1/vm1/n1"]
    (born,) = (uuid for each in made[3].endpoint.handle(f.Identify(f.VERSION, 1, "p1/vm1/n1", ()))
               if isinstance(each, f.Advertise) for name, uuid in each.providers if name == PROBE[0])
    assert born.version == 1
    table = [("n1", number_at(made[3].endpoint, 0), born)]
    for level in reversed(made):
        innermost = max(level.relay.instances)
        known, = (each for each in level.relay.directory.of(innermost) if each.name == PROBE[0])
        assert known.heard == table[-1][2]
        table.append((level.name, number_at(level.relay, innermost), known.own))
    heard_from = ["n1", "n1", "vm1", "p1"]  # at n1's own hop, in vm1, in p1, at the host
    expected = born
    for (_hop, _number, own), speaker in zip(table[1:], heard_from, strict=True):
        expected = by_hand(expected, speaker)
        assert own == expected and own.version == 5
    assert len({own for *_, own in table}) == 5
    at_host = [number_at(made[0].relay, paths[path]) for path in paths]
    assert at_host[3] == table[-1][1] and len(set(at_host)) == 4  # each of the four has a number of its own
    for path, number in zip(paths, at_host, strict=True):  # which leads down to that probe, and no other
        asked = f.Ask(paths[path], Command.PROBES, ProbeDescription(number, "", "", "", "").pack())
        found, = (each for each in made[0].relay.handle(asked) if isinstance(each, f.Answer))
        assert ProbeDescription.unpack(found.data)[1:] == PROBE


SCRIPT = "profile:::tick-10ms { @[instance] = count(); } syscall::ioctl:entry { @calls[instance] = count(); }"


def counts(made: list[Level], numbers: Iterable[int]) -> dict[bytes, int]:
    """What one script counts at these instances in 100 ms."""
    root, meant = made[0].relay, tuple(numbers)
    frames: list[f.Up] = []
    for frame in (f.Enable(meant, bare.program(SCRIPT, aggsize=1 << 16)), f.Go(meant, 1),
                  *(f.Run(step * 10**7) for step in range(1, 11)), f.Harvest(f.AGGREGATIONS, f.EVERY, 1)):
        frames += root.handle(frame)
    described = {each.number: AggDesc.unpack(each.data) for each in frames
                 if isinstance(each, f.Describe) and each.command == Command.AGGDESC}
    found: dict[bytes, int] = {}
    for snap in frames:
        data, at = (snap.data, BUFDESC.size) if isinstance(snap, f.Snap) else (b"", 0)
        while at + 4 <= len(data):
            variable, key, value = described[int.from_bytes(data[at:at + 4], "little")].records
            fields = [data[at + each.offset:at + each.offset + each.size] for each in (variable, key, value)]
            if int.from_bytes(fields[0], "little") == 1 or len(described) == 1:
                found[fields[1].rstrip(b"\0")] = int.from_bytes(fields[2], "little")
            at += described[int.from_bytes(data[at:at + 4], "little")].size
    return found


def test_one_script_over_all() -> None:
    made = levels()
    assert counts(made, joined(made).values()) == {
        b"host": 10, b"p1": 10, b"p1/vm1": 10, b"p1/vm1/n1": 10}


@pytest.mark.parametrize("whose", [0, 1, 2, 3])
def test_a_cycle_that_a_cunning_hello_offers_is_refused(whose: int) -> None:
    """The innermost says that the host, the machine, the VM, or itself once more, is in it."""
    made: list[Level] = []

    def cunning(frame: f.Up) -> f.Up:
        if not isinstance(frame, f.Hello):
            return frame
        return frame._replace(path=(*frame.path, made[whose].relay.family.boot))

    made += levels(cunning)
    told: list[f.Up] = list(made[0].relay.handle(f.Identify(f.VERSION, f.HOPS, "", ())))
    assert any("it is an instance of itself" in str(each) for each in told)
    paths = {each.path: number for number, each in made[0].relay.instances.items() if each.state == "ready"}
    assert list(paths) == ["host", "p1", "p1/vm1"]
    assert counts(made, paths.values()) == {b"host": 10, b"p1": 10, b"p1/vm1": 10}
