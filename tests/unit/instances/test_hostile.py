"""What a hostile instance tries is refused, counted and, the third time, cut off; the others are unharmed."""

from __future__ import annotations

import socket
import struct
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent))

import bare

from runtime.border import BUFDESC, RECHDR, AggDesc, Command, EprobeDesc, ProbeDescription, RecDesc
from runtime.instances.endpoint.endpoint import Endpoint
from runtime.instances.hop.children import Child, Instance
from runtime.instances.hop.relay import Relay
from runtime.instances.roster.clusterfile import Limits
from runtime.instances.roster.identities import NONE
from runtime.instances.wire import frames as f
from runtime.instances.wire.links import Link, Lost, Quarantined, SocketTransport
from runtime.instances.wire.verbs import Verb

PROGRAM = ('bare:mod:func:fire { @[instance, arg0 % 5] = count(); @q = quantize(arg0); trace(arg0); '
           'trace(instance); }')
Change = Callable[[f.Up], "f.Up | list[f.Up] | bytes"]


class Loop:
    """A transport to an endpoint in this process, which may change what comes up."""

    def __init__(self, endpoint: Endpoint, change: Change = lambda frame: frame) -> None:
        self._endpoint, self._change = endpoint, change
        self._parser, self._ready = f.Parser(f.DOWN), b""

    def send(self, data: bytes) -> None:
        for number, frame in self._parser.feed(data):
            for up in self._endpoint.handle(frame):  # type: ignore[arg-type]
                changed = self._change(up)
                if isinstance(changed, bytes):
                    self._ready += changed
                else:
                    each = changed if isinstance(changed, list) else [changed]
                    self._ready += f.write_all(each, number)

    def receive(self, seconds: float) -> bytes | None:
        data, self._ready = self._ready, b""
        return data or None

    def close(self) -> None:
        self._ready = b""


class Tree:
    """A relay over an honest instance and one that `change` makes hostile."""

    def __init__(self, change: Change = lambda frame: frame, limits: Limits | None = None,
                 bad: Endpoint | None = None, program: str = PROGRAM) -> None:
        limits = limits or Limits()
        transports = Loop(bare.endpoint(1)), Loop(bad or bare.endpoint(2), change)
        children = [Child(n, name, Link(transport, trusted=not n, rate=limits.bytes_per_s if n else 0),
                          trusted=not n)
                    for n, (name, transport) in enumerate(zip(("good", "bad"), transports, strict=True))]
        self.relay = Relay(children, limits)
        self.frames: list[f.Up] = []
        self.handle(f.Identify(f.VERSION, f.HOPS, "", (), NONE))
        dof = bare.program(program, bufsize=1 << 16, aggsize=1 << 16, destructive=0)
        self.handle(f.Enable((0, 1), dof))
        self.handle(f.Go((0, 1), 1))

    def handle(self, frame: f.Down) -> list[f.Up]:
        answer = list(self.relay.handle(frame))
        self.frames += answer
        return answer

    def run(self, seconds: int = 3) -> None:
        for second in range(1, seconds + 1):
            self.handle(f.Run(second * bare.SECOND))
            self.handle(f.Harvest(f.AGGREGATIONS, f.EVERY, 1))
            self.handle(f.Harvest(f.BUFFERS, f.EVERY, 1))

    def told(self, kind: str) -> list[str]:
        return [each.text for each in self.frames if isinstance(each, f.Notice) and each.kind == kind]

    def lost(self) -> list[str]:
        return [each.reason for each in self.frames if isinstance(each, f.Retire)]

    def counts(self) -> dict[tuple[str, int], int]:
        """The counts by instance and key that have come up."""
        descriptions = {each.number: AggDesc.unpack(each.data) for each in self.frames
                        if isinstance(each, f.Describe) and each.command == Command.AGGDESC}
        found: dict[tuple[str, int], int] = {}
        for snap in self.frames:
            if isinstance(snap, f.Snap) and snap.kind == f.AGGREGATIONS:
                data, at = snap.data, BUFDESC.size
                while at + 4 <= len(data):
                    desc = descriptions[int.from_bytes(data[at:at + 4], "little")]
                    if len(desc.records) == 4:
                        _, who, key, value = (data[at + r.offset:at + r.offset + r.size]
                                              for r in desc.records)
                        where = who.split(b"\0")[0].decode(), int.from_bytes(key, "little")
                        found[where] = found.get(where, 0) + int.from_bytes(value, "little")
                    at += desc.size
        return found

    def records(self, instance: int) -> int:
        sizes = {each.number: EprobeDesc.unpack(each.data).size for each in self.frames
                 if isinstance(each, f.Describe) and each.command == Command.EPROBE}
        return sum((len(snap.data) - BUFDESC.size) // sizes[RECHDR.unpack_from(snap.data, BUFDESC.size)[0]]
                   for snap in self.frames if isinstance(snap, f.Snap) and snap.kind == f.BUFFERS
                   and snap.instance == instance and len(snap.data) > BUFDESC.size)


def expected(name: str, seed: int, seconds: int = 3) -> dict[tuple[str, int], int]:
    """What an oracle that runs one firing after another counts."""
    instance, found = bare.BareInstance(seed), dict[tuple[str, int], int]()
    for number in range(1, 100 * seconds + 1):
        key = name, instance.argument(number) % 5
        found[key] = found.get(key, 0) + 1
    return found


def of(tree: Tree, name: str) -> dict[tuple[str, int], int]:
    return {key: value for key, value in tree.counts().items() if key[0] == name}


def test_honest_instances() -> None:
    tree = Tree()
    tree.run()
    assert tree.counts() == expected("good", 1) | expected("bad", 2)
    assert (tree.records(0), tree.records(1)) == (300, 300)
    assert (tree.told("refused"), tree.lost()) == ([], [])


def test_times_of_more_than_32_bits() -> None:
    """Nanoseconds: from the fifth second on."""
    tree = Tree()
    tree.run(6)
    assert tree.counts() == expected("good", 1, 6) | expected("bad", 2, 6)
    assert (tree.records(0), tree.records(1), tree.lost()) == (600, 600, [])


# -- one change for each row of what is tried ------------------------------------------------------------

def on(kind: type, replace: Callable[..., object]) -> Change:
    """A change of all frames of one kind."""
    def change(frame: f.Up) -> f.Up | list[f.Up] | bytes:
        return replace(frame) if isinstance(frame, kind) else frame  # type: ignore[return-value]

    return change


def body(snap: f.Snap, change: Callable[[bytearray], None]) -> f.Snap:
    """A snapshot with other bytes behind its description."""
    data = bytearray(snap.data)
    if len(data) > BUFDESC.size:
        change(data)
    return snap._replace(data=bytes(data))


def foreign_epid(data: bytearray) -> None:
    struct.pack_into("<I", data, BUFDESC.size, 77)


def beyond(data: bytearray) -> None:
    del data[-3:]
    struct.pack_into("<Q", data, 0, len(data) - BUFDESC.size)


def described(frame: f.Describe, size: int) -> f.Describe:
    """An enabling, or an aggregation, whose records have other sizes than our program's."""
    if frame.command == Command.EPROBE:
        desc = EprobeDesc.unpack(frame.data)
        return frame._replace(data=EprobeDesc(desc.epid, desc.probe_id, desc.uarg, size, desc.records).pack())
    if frame.command == Command.AGGDESC:
        agg = AggDesc.unpack(frame.data)
        return frame._replace(data=AggDesc(agg.id, agg.epid, size, agg.records).pack())
    return frame


def wide_record(frame: f.Describe) -> f.Describe:
    if frame.command != Command.EPROBE:
        return frame
    desc = EprobeDesc.unpack(frame.data)
    records = (RecDesc(1, 1 << 30, 16, 8, 0, 0, 0), *desc.records[1:])
    return frame._replace(data=EprobeDesc(desc.epid, desc.probe_id, desc.uarg, desc.size, records).pack())


FLOOD = f.Advertise(0, "", UUID(int=1), 1, 0, "bare", bytes(32),
                    tuple((f"p{n}", UUID(int=n)) for n in range(300)))
TRIES: dict[str, Change] = {
    "an unknown EPID": on(f.Snap, lambda s: body(s, foreign_epid)),
    "a record past its end": on(f.Snap, lambda s: body(s, beyond)),
    "another instance's number": on(f.Snap, lambda s: s._replace(instance=5)),
    "size 0": on(f.Describe, lambda d: described(d, 0)),
    "a size of gigabytes": on(f.Describe, lambda d: described(d, 1 << 31)),
    "a record of another form": on(f.Describe, wide_record),
    "more bytes than it says": on(f.Snap, lambda s: s._replace(data=s.data + bytes(100_000))),
    "a size of a tebibyte": on(f.Snap, lambda s: f.HEADER.pack(0xFFFFFFFF, 0x85, 1)),
    "down requests": on(f.Snap, lambda s: f.write(f.Enable((0,), b"x"), 4) * 3),
    "no frame at all": on(f.Snap, lambda s: b"\x07" * 200),
    "answers to other requests": on(f.Snap, lambda s: f.write(s, 1 << 40) * 3),
    "a replay": on(f.Snap, lambda s: [s, s, s, s]),
    "another boot": on(f.Snap, lambda s: s._replace(boot=UUID(int=5))),
    "instances that it does not have": on(f.Passed, lambda p: [p._replace(instance=9)] * 3),
    "a CPU that it does not have": on(f.Snap, lambda s: s._replace(cpu=9) if s.kind == f.BUFFERS else s),
    "other CPUs than before": on(f.Done, lambda d: [FLOOD._replace(providers=(), cpus=2)] * 3 + [d]),
    "formats of no program": on(f.Snap, lambda s: [
        *(f.Describe(Command.FORMAT, number, b"text %d" % number) for number in range(3)), s]),
    "a flood of providers": on(f.Done, lambda d: [FLOOD] * 3 + [d]),
}


@pytest.mark.parametrize("name", TRIES)
def test_what_is_tried_harms_nobody_else(name: str) -> None:
    tree = Tree(TRIES[name])
    tree.run()
    assert of(tree, "good") == expected("good", 1)
    assert tree.records(0) == 300
    assert tree.told("refused") or tree.lost()
    assert [reason for reason in tree.lost() if reason.startswith("quarantined")], tree.told("refused")
    assert of(tree, "bad").keys() <= expected("bad", 2).keys()


def test_whose_a_record_is_the_relay_says() -> None:
    """`instance` in a record of the bad one says good: it is overwritten by where it came from."""
    def lie(frame: f.Snap) -> f.Snap:
        return frame._replace(data=frame.data.replace(b"bad\0", b"good"))

    tree = Tree(on(f.Snap, lie))
    tree.run()
    assert tree.counts() == expected("good", 1) | expected("bad", 2)


@pytest.mark.parametrize("cut", [1, 3, 4, 8])
def test_a_record_that_is_cut_is_refused_whatever_it_holds(cut: int) -> None:
    def shorter(data: bytearray) -> None:
        del data[-cut:]
        struct.pack_into("<Q", data, 0, len(data) - BUFDESC.size)

    tree = Tree(on(f.Snap, lambda s: body(s, shorter)), program="bare:mod:func:fire { trace(arg0); }")
    tree.run(1)
    assert tree.records(1) == 0 and "goes beyond the end" in tree.told("refused")[0]


def test_whose_a_traced_record_is_the_relay_says() -> None:
    def lie(frame: f.Snap) -> f.Snap:
        return frame._replace(data=frame.data.replace(b"bad\0", b"good"))

    tree = Tree(on(f.Snap, lie), program="bare:mod:func:fire { trace(instance); trace(arg0); }")
    tree.run(1)
    found = {each.instance: each.data for each in tree.frames
             if isinstance(each, f.Snap) and each.kind == f.BUFFERS and len(each.data) > BUFDESC.size}
    assert found[0].count(b"good\0") == found[1].count(b"bad\0") == 100
    assert b"good" not in found[1]


def test_endless_keys_are_cut_off_and_counted() -> None:
    tree = Tree(limits=Limits(keys=3))
    tree.run()
    assert of(tree, "good") == expected("good", 1)
    kept = sum(of(tree, "bad").values())
    dropped = sum(each.records for each in tree.frames
                  if isinstance(each, f.Dropped) and each.kind == "aggregation")
    assert len(of(tree, "bad")) <= 3 and dropped > 0
    assert kept < 300


def test_a_flood_of_bytes() -> None:
    def flood(frame: f.Snap) -> list[f.Up]:
        return [f.Status(0, bytes(4000), 0)] * 200 + [frame]

    tree = Tree(on(f.Snap, flood), limits=Limits(bytes_per_s=50_000))
    tree.run()
    assert of(tree, "good") == expected("good", 1)
    assert tree.lost() == ["quarantined: more than 50000 bytes a second"]


class Drip:
    """A transport to what says again and again that it is alive, and nothing else."""

    def send(self, data: bytes) -> None:
        self._number = f.HEADER.unpack_from(data)[2]

    def receive(self, seconds: float) -> bytes | None:
        time.sleep(min(0.01, max(seconds, 0)))
        return f.write(f.Beat(), self._number) if seconds > 0 else None

    def close(self) -> None:
        """Nothing is open."""


def test_many_slow_drips_cost_one_deadline() -> None:
    """Each is waited for as long as all of them, and an honest one behind them is heard."""
    transports = [*(Drip() for _ in range(20)), Loop(bare.endpoint(1))]
    children = [Child(n, f"c{n}", Link(transport, trusted=False, heartbeat=bare.SECOND // 10,
                                       deadline=bare.SECOND // 2), trusted=False)
                for n, transport in enumerate(transports)]
    began = time.monotonic()
    frames = list(Relay(children).handle(f.Identify(f.VERSION, f.HOPS, "", ())))
    assert time.monotonic() - began < 20 * 0.5 / 2
    assert [each.path for each in frames if isinstance(each, f.Advertise)] == ["c20"]


def test_an_answer_of_endless_small_frames() -> None:
    class Endless(Drip):
        def receive(self, seconds: float) -> bytes | None:
            return f.write(f.Passed(0, 1, 0, 0), self._number) * 2000

    link = Link(Endless(), trusted=False)
    link.send(f.Run(1))
    with pytest.raises(Quarantined, match="more than 131072 frames"):
        link.receive()


class Flood(Drip):
    """A transport to what answers with a flood, made as it is read."""

    def __init__(self, frames: int) -> None:
        self._frames, self._left = frames, 0

    def send(self, data: bytes) -> None:
        super().send(data)
        self._left = self._frames

    def receive(self, seconds: float) -> bytes | None:
        self._left -= 100
        if self._left < 0:
            return f.write(f.Done(0, 0), self._number)
        return f.write(f.Status(0, bytes(4000), 0), self._number) * 100


def test_many_floods_are_held_one_after_another() -> None:
    """What one of them sends is refused before the next is heard."""
    children = [Child(n, f"c{n}", Link(Flood(1000), trusted=False), trusted=False, numbers={0: n})
                for n in range(20)]
    relay = Relay(children)
    for child in children:
        relay.instances[child.number] = Instance(child.number, child, 0, child.name)
    tracemalloc.start()
    frames = list(relay.handle(f.Harvest(f.STATUSES, 0, 0)))
    _now, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 3 * 1000 * 4000
    assert len([each for each in frames if isinstance(each, f.Status)]) == len(children), "the first of each"
    assert len([each for each in frames if isinstance(each, f.Retire)]) == len(children)


def test_snapshots_that_find_no_room_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("runtime.instances.hop.harvests.MOST_HELD", 2)
    monkeypatch.setattr("runtime.instances.hop.harvests.LEAST_HELD", 0)
    tree = Tree()
    tree.run()
    dropped = sum(each.records for each in tree.frames if isinstance(each, f.Dropped))
    assert (tree.records(0), tree.records(1), dropped) == (300, 0, 300)
    assert not tree.lost()


def test_a_snapshot_that_just_fits_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """The largest of one harvest has room; with a byte less there is none for it."""
    tree = Tree()
    tree.run()
    largest = max(len(each.data) for each in tree.frames
                  if isinstance(each, f.Snap) and (each.kind, each.instance) == (f.BUFFERS, 1))
    monkeypatch.setattr("runtime.instances.hop.harvests.LEAST_HELD", 0)
    for room, lost in ((largest, False), (largest - 1, True)):
        monkeypatch.setattr("runtime.instances.hop.harvests.MOST_HELD", room)
        tree = Tree()
        tree.run()
        assert (tree.records(1) < 300) == any(isinstance(each, f.Dropped) for each in tree.frames) == lost


def test_late_snapshots_come_with_the_next_harvest_of_their_kind() -> None:
    """Those of an answer that was under way when the connection broke: once, and none is lost."""
    tree = Tree()
    relay, bad = tree.relay, tree.relay.family.children[1]
    tree.handle(f.Run(bare.SECOND))
    for kind in (f.BUFFERS, f.AGGREGATIONS):
        bad.connection.send(f.Harvest(kind, f.EVERY, 1))
        answer = relay.family.taken(bad, relay.family.receive(bad))
        bad.kept += [each for each in answer if isinstance(each, f.Snap)]
    tree.run()
    assert not bad.kept and not tree.lost() and not tree.told("refused")
    assert tree.records(1) == 300 and of(tree, "bad") == expected("bad", 2)


@pytest.mark.parametrize(("more", "lost"), [(6, []), (7, ["quarantined: more than 5 enabled probes"])])
def test_more_enablings_than_there_may_be_probes(more: int, lost: list[str]) -> None:
    """Those beyond the limit are offences, of which it may make two."""
    def many(frame: f.Describe) -> f.Up | list[f.Up]:
        if frame.command != Command.EPROBE:
            return frame
        desc = EprobeDesc.unpack(frame.data)
        others = [(n, EprobeDesc(n, desc.probe_id, desc.uarg, desc.size, desc.records))
                  for n in range(9, 9 + more)]
        return [frame, *(frame._replace(number=n, data=each.pack()) for n, each in others)]

    tree = Tree(on(f.Describe, many), limits=Limits(probes=5))
    tree.run()
    assert tree.lost() == lost
    assert of(tree, "good") == expected("good", 1)


def test_more_processes_than_there_may_be_keys() -> None:
    tree = Tree(limits=Limits(keys=4), program="bare:mod:func:fire { @[ustack(1)] = count(); trace(arg0); }")
    child = tree.relay.family.children[1]
    harvests, processes = tree.relay._harvests, tree.relay._descriptions.maps.processes
    assert [harvests._mapped(child, processes, pid) for pid in range(4)]
    with pytest.raises(ValueError, match="more than 4 processes"):
        harvests._mapped(child, processes, 5)


def test_more_instances_than_one_may_be() -> None:
    def many(frame: f.Advertise) -> list[f.Up]:
        return [frame._replace(instance=n, path=f"vm{n}") for n in range(2000)]

    tree = Tree(on(f.Advertise, many))
    assert len(tree.relay.instances) == 1 + 1024
    assert tree.lost()[0] == "quarantined: more than 1024 instances"


def test_providers_that_are_others_each_time_are_not_kept() -> None:
    """No more than the last that an instance has told are remembered."""
    numbers, said = iter(range(10**6)), list[f.Advertise]()

    def anew(frame: f.Up) -> f.Up | list[f.Up]:
        if isinstance(frame, f.Advertise):
            said.append(frame)
        if not isinstance(frame, f.Done) or not said:
            return frame
        names = [tuple((f"p{next(numbers)}", uuid4()) for _ in range(count)) for count in (200, 1)]
        return [*(said[0]._replace(providers=each) for each in names), frame]

    tree = Tree(anew)
    tree.run()
    known = tree.relay.directory
    assert len(known.known) + len(known.pocketed) == len(known.by_heard) < 40 and not tree.lost()


def test_a_child_that_reads_nothing_holds_no_one_up() -> None:
    ours, theirs = socket.socketpair()
    link = Link(SocketTransport(ours, stuck=0.2))
    with theirs, pytest.raises(Lost):
        link.send(f.Enable((0,), bytes(1 << 24)))


def test_names_are_escaped() -> None:
    def rename(frame: f.Describe) -> f.Describe:
        if frame.command != Command.PROBES:
            return frame
        probe = ProbeDescription.unpack(frame.data)
        return frame._replace(data=probe._replace(function="\x1b[2J\nroot").pack())

    tree = Tree(on(f.Describe, rename))
    tree.run()
    names = [ProbeDescription.unpack(each.data).function for each in tree.frames
             if isinstance(each, f.Describe) and each.command == Command.PROBES]
    assert sorted(names) == ["\\x1b[2J\\x0aroot", "func"]


def test_time_that_runs_backwards_is_clamped() -> None:
    def backwards(data: bytearray) -> None:
        at = BUFDESC.size
        size = (len(data) - at) // 100
        for number in range(100):
            RECHDR.pack_into(data, at + number * size, struct.unpack_from("<I", data, at)[0], 0,
                             1000 - number)

    tree = Tree(on(f.Snap, lambda s: body(s, backwards) if s.kind == f.BUFFERS else s))
    tree.run()
    snaps = [each.data[BUFDESC.size:] for each in tree.frames
             if isinstance(each, f.Snap) and each.kind == f.BUFFERS and each.instance == 1]
    times = [RECHDR.unpack_from(data, n * (len(data) // 100))[2] for data in snaps for n in range(100)]
    assert len(times) == 300 and times == sorted(times)
    clamped = [clock.clamped for clock in tree.relay.family.children[1].clocks.values()]
    assert sum(clamped) == 297  # all but the first of each snapshot


class Asked(Endpoint):
    """Remembers what it is asked."""

    def handle(self, frame: f.Down) -> Iterator[f.Up]:
        self.asked = [*getattr(self, "asked", ()), frame]
        return super().handle(frame)


def test_a_lie_about_a_process_is_found_in_memory() -> None:
    """The bad one's process 7 is called bare, and records say init."""
    def lie(frame: f.Snap) -> f.Snap:
        return frame._replace(data=frame.data.replace(b"bare\0", b"init\0"))

    liar = bare.BareInstance(2)
    liar.doings = {Verb.MEMORY: lambda arguments: ["bare", []] if arguments == [7] else None}
    for change, told in ((on(f.Snap, lie), ["it says that process 7 is init, and its memory says bare"]),
                         (lambda frame: frame, [])):
        bad = Asked(liar)
        tree = Tree(change, bad=bad, program="bare:mod:func:fire { trace(pid); trace(execname); }")
        tree.run(2)
        assert tree.told("lies") == told
        assert {each.instance for each in bad.asked if isinstance(each, f.Do)} == {0}  # it asks whom it heard
        assert tree.records(1) == 200
        liar = bare.BareInstance(2)
        liar.doings = {Verb.MEMORY: lambda arguments: ["bare", []]}


def test_another_name() -> None:
    """An instance that says it has one in it which is called as another is."""
    second = uuid4()

    def twice(frame: f.Advertise) -> list[f.Up]:
        return [frame, frame._replace(instance=1, path="vm", boot=second, providers=()),
                frame._replace(instance=2, path="vm", boot=uuid4(), providers=())]

    tree = Tree(on(f.Advertise, twice))
    assert [each.path for each in tree.relay.instances.values()] == ["good", "bad", "bad/vm", "bad/vm~2"]
    assert tree.told("renamed") == ["another instance is called bad/vm: this one is bad/vm~2"]


def test_a_cunning_hello_is_refused() -> None:
    """A HELLO with the relay's own boot id in its path would make a cycle."""
    def cunning(frame: f.Hello) -> f.Hello:
        return frame._replace(path=(*frame.path, tree_boot[0]))

    tree_boot: list[UUID] = []
    original = Relay.__init__

    def noted(self: Relay, *arguments: object, **named: object) -> None:
        original(self, *arguments, **named)  # type: ignore[arg-type]
        tree_boot.append(self.family.boot)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Relay, "__init__", noted)
        tree = Tree(on(f.Hello, lambda h: cunning(h) if len(tree_boot) else h))
    assert any("instance of itself" in each for each in tree.lost() + tree.told("failed"))


def mutations() -> Iterator[st.SearchStrategy[tuple[str, int, int]]]:
    yield st.tuples(st.just("flip"), st.integers(0, 5000), st.integers(1, 255))
    yield st.tuples(st.just("cut"), st.integers(0, 5000), st.integers(1, 50))
    yield st.tuples(st.just("insert"), st.integers(0, 5000), st.integers(0, 255))


@settings(max_examples=60)
@given(st.lists(st.one_of(list(mutations())), min_size=1, max_size=6), st.integers(0, 8))
def test_a_mutating_proxy_harms_nobody_else(changes: list[tuple[str, int, int]], first: int) -> None:
    count = [0]

    def mutate(frame: f.Up) -> f.Up | bytes:
        count[0] += 1
        if count[0] < 4 + first or isinstance(frame, f.Done):
            return frame
        raw = bytearray(f.write(frame, numbers[0]))
        for kind, at, value in changes:
            place = at % len(raw)
            if kind == "flip":
                raw[place] ^= value
            elif kind == "cut":
                del raw[place:place + value]
            else:
                raw[place:place] = bytes([value])
            if not raw:
                break
        return bytes(raw)

    numbers = [0]

    class Numbered(Loop):
        def send(self, data: bytes) -> None:
            numbers[0] = f.HEADER.unpack_from(data)[2]
            super().send(data)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys.modules[__name__], "Loop", Numbered)
        tree = Tree(mutate)
        tree.run(1)
    assert of(tree, "good") == expected("good", 1, 1)
    assert tree.records(0) == 100
