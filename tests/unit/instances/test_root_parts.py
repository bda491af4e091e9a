"""The root by itself: what it makes of frames, with a hop below it that answers what a script says."""

from __future__ import annotations

import errno
import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest

from dc.diagnostics import NOWHERE, CompileError, error
from dof.model import ProbeDesc, Program
from runtime.border import (
    BUFDESC,
    PROBEDESC,
    RECHDR,
    BorderError,
    BufDesc,
    Command,
    EprobeDesc,
    ProbeDescription,
    Status,
)
from runtime.consumer.events.errors import TraceError
from runtime.instances.hop.clocks import Estimate
from runtime.instances.root.cluster import Cluster
from runtime.instances.root.compiling import Compiling
from runtime.instances.root.device import ClusterDevice
from runtime.instances.root.enabling import Enabling
from runtime.instances.root.groups import Group
from runtime.instances.root.membership import Told
from runtime.instances.root.probes import Probes
from runtime.instances.root.processes import RemoteProcess
from runtime.instances.root.root import Root
from runtime.instances.root.snapshots import Snapshots, joined
from runtime.instances.root.statuses import Statuses
from runtime.instances.root.system import ClusterSystem
from runtime.instances.root.timekeeper import Timekeeper
from runtime.instances.roster.clusterfile import ClusterFile, InstanceEntry
from runtime.instances.starting.launcher import Launcher
from runtime.instances.wire import frames as f
from runtime.instances.wire.verbs import Verb

ONE, OTHER = UUID(int=1), UUID(int=2)
Below = Callable[[f.Down], list[f.Up]]


def instance(number: int, path: str, cpus: int = 2) -> SimpleNamespace:
    return SimpleNamespace(number=number, path=path, cpus=cpus, state="ready", system="lx", types=b"",
                           boot=ONE, unacknowledged=4)


def root_of(below: Below | None = None, paths: str = "host p q") -> tuple[Any, list[f.Down]]:
    """A root with these instances, and the frames that go down."""
    asked: list[f.Down] = []

    def handle(frame: f.Down) -> list[f.Up]:
        asked.append(frame)
        return below(frame) if below is not None else []

    names = paths.split()
    instances = {number: instance(number, name, 2 if name == "host" else 1)
                 for number, name in enumerate(names)}
    relay: Any = SimpleNamespace(instances=instances, handle=handle, interrupt=lambda: None,
                                 close=lambda: None, instance_of_probe=lambda number: number % 10)
    root: Any = Root(relay, ClusterFile("lab.toml", tuple(
        InstanceEntry(name, line + 1, trusted=name != "q") for line, name in enumerate(names))))
    root.membership.begin()
    root.active = [0, 1, 2]
    return root, asked


def cluster_of(root: Root) -> Any:
    """The machine that a root is the top of."""
    found: Any = Cluster.__new__(Cluster)
    found.root, found.instances, found.membership = root, root.instances, root.membership
    return found


def test_a_program_is_compiled_for_the_groups_that_it_means() -> None:
    def compiled(pattern: str, *fails: int) -> list[int]:
        root, _ = root_of()
        probes = Probes(root)
        groups = [Group(number, members={number}) for number in range(3)]
        compiling = Compiling(root, Timekeeper(root, 0), probes, groups)
        ecb = SimpleNamespace(probe=SimpleNamespace(instance=pattern))
        result = SimpleNamespace(program=SimpleNamespace(ecbs=[ecb]), aggregations={})

        def compile() -> SimpleNamespace:
            (number,) = probes.among
            if number in fails:
                raise error("D_SYNTAX", NOWHERE, f"no {number}")
            return result

        parts = compiling.compile(SimpleNamespace(view=lambda system: system), compile)
        return [each.group.first for each in parts]

    assert compiled("*") == [0, 1, 2] and compiled("[pq]") == [1, 2]
    assert compiled("nobody") == [0] and compiled("nobody", 0) == [1]
    assert compiled("q", 0, 1) == [2]
    with pytest.raises(CompileError, match=r"^no 1 \(as p has it\)$"):
        compiled("[pq]", 1)
    with pytest.raises(CompileError, match=r"^no 0 \(as host has it\)$"):
        compiled("q", 0, 1, 2)


def test_what_users_are_told() -> None:
    texts = [Told("lost", "p", "gone", 0), Told("quarantined", "p", "", 3), Told("dropped", "p", "late", 2),
             Told("joined", "p", "lx"), Told("renamed", "p", "")]
    assert [each.line for each in texts] == [
        "instance p lost: gone, 0 records unacknowledged", "instance p quarantined, 3 records unacknowledged",
        "instance p dropped: late (2)", "instance p joined: lx", "instance p renamed"]


def test_frames_that_come_up() -> None:
    """Each is told once, entered in the ledger, or handed on."""
    answers: list[f.Up] = [
        f.Notice(1, "refused", "a: b", 0), f.Notice(f.EVERY, "failed", "r: no such file", 2),
        f.Notice(f.EVERY, "renamed", "r: x", 0), f.Notice(9, "lies", "", 0),
        f.Dropped(2, "p", "late", 5), f.Retire(1, "host", "lost: gone: for good", 7),
        f.Retire(2, "host", "quarantined: too much", 8), f.Done(50, f.INTERRUPTED), f.Done(0, 0),
        f.Answer(0, b"x")]
    root, _ = root_of(lambda _frame: answers)
    members = root.membership
    members.ledger.produce("p", 20)
    assert root.handle(f.Close()) == [f.Answer(0, b"x")]
    assert members.told == [
        Told("refused", "p", "a: b"), Told("failed", "r", "no such file", 2), Told("renamed", "r", "r: x"),
        Told("lies", "?", ""), Told("dropped", "q", "late at p", 5), Told("lost", "p", "gone: for good", 7),
        Told("quarantined", "q", "too much", 8)]
    assert members.ledger.of("q").dropped == {("p", "late"): 5} and root.interrupted and root.now == 50
    assert members.ledger.of("p").missing == ("host", "link", 7)
    assert members.ledger.of("q").missing == ("host", "quarantined", 8) and members._away == {1, 2}
    root.active = [1]
    root.relay.handle = lambda _frame: [f.Done(90, 0)]
    root.handle(f.Close())
    assert root.now == 50 and root.interrupted  # not the host's time


def test_instances_that_are_there_again() -> None:
    def there(number: int, boot: UUID) -> f.Advertise:
        return f.Advertise(number, "", boot, 1, 0, "lx", b"", ())

    root, _ = root_of(lambda _frame: [there(1, ONE), there(2, OTHER)])
    members = root.membership
    members.ledger.produce("q", 4)
    members.ledger.lose("q", "host", "link", 1)
    members.statuses.take(2, Status(dyndrops=3))
    members.clocks[2].learn(0, Estimate(5, 5))
    root.handle(f.Close())
    assert members.told == [Told("joined", "q", "lx")]  # p has other providers only
    assert members.ledger.of("q").before == 4 and members.ledger.of("q").dropped == {("host", "link"): 4}
    assert not members.clocks[2].exchanges and members.statuses.of(2).dyndrops == 3
    assert members._boots[2] == OTHER
    members.statuses.take(2, Status(dyndrops=1))
    assert members.statuses.of(2).dyndrops == 4  # of both boots
    members._away, members.told = {1}, []
    members.ledger.lose("p", "host", "link", 2)
    root.handle(f.Close())
    assert members.told == [Told("resumed", "p", "lx")] and members.ledger.of("p").missing is None
    assert members._away == set()
    members.clocks, members.told = {}, []
    root.handle(f.Close())
    assert not members.told  # everything is being asked who it is


def test_counts_of_all_boots_and_instances() -> None:
    found = Statuses()
    found.take(1, Status(dyndrops=5, filled=200, killed=1, exiting=1))
    found.take(1, Status(dyndrops=3, filled=100))  # no count falls
    found.restart(1)
    found.take(1, Status(dyndrops=2, filled=100, killed=1))
    found.take(2, Status(dyndrops=1, exiting=1))
    found.restart(3)
    assert found.of(1).dyndrops == 7 and found.of(2).dyndrops == 1 and found.of(9) == Status()
    total = found.total()
    assert (total.dyndrops, total.filled, total.killed, total.exiting) == (8, 255, 1, 1)


def test_answers_and_refusals() -> None:
    answers: list[f.Up] = []
    root, asked = root_of(lambda _frame: answers)
    with pytest.raises(BorderError, match="the instance does not answer") as caught:
        root.one(f.Close())
    assert caught.value.errno == errno.ENXIO
    answers += [f.Beat(), f.Answer(0, b"[1]"), f.Answer(0, b"2")]
    assert root.one(f.Close()) == b"[1]" and root.did(Verb.IDS) == [1]
    assert root.do(Verb.FILE, "/a", 2, instance=1) == b"[1]"
    assert asked[-1] == f.Do(1, Verb.FILE, json.dumps(["/a", 2]).encode())
    for data, found in ((b"", None), (b"null", None), (b"3", 3)):
        answers[:] = [f.Answer(0, data)]
        assert root.did(Verb.IDS) == found
    for data in (b"{", b"[" * 5000):
        answers[:] = [f.Answer(0, data)]
        with pytest.raises(BorderError, match="the instance answers what makes no sense") as caught:
            root.did(Verb.IDS)
        assert caught.value.errno == errno.EPROTO
    answers[:] = [f.Refused(1, errno.EACCES, "no"), f.Answer(0, b"late")]
    for destructive, where in ((False, " (instance p)"),
                               (True, " (instance p: lab.toml:2 does not say destructive = true)")):
        root.refusals.destructive = destructive
        with pytest.raises(BorderError) as caught:
            root.one(f.Close())
        assert (caught.value.errno, caught.value.strerror) == (errno.EACCES, f"no{where}")
    answers[:] = [f.Refused(1, errno.EPERM, "no")]
    with pytest.raises(BorderError, match=r"no \(instance p\)"):
        root.one(f.Close())
    answers[:] = [f.Refused(1, f.FAILED, "broken")]
    with pytest.raises(TraceError, match=r"^broken \(instance p\)$"):
        root.one(f.Close())
    assert root.refusals.where(f.Refused(9, 1, "")) == ""
    alone, _ = root_of(paths="host")
    assert alone.refusals.where(f.Refused(0, errno.EACCES, "")) == ""
    assert alone.instances.single and alone.instances.places == []


def test_who_there_is() -> None:
    root, _ = root_of(paths="host p p/x q q/y qq")
    known, probes = root.instances, Probes(root)
    assert [path for path in ("host", "p", "p/x", "q", "q/y", "qq") if known.trusts(path)] == [
        "host", "p", "p/x", "qq"]
    known[1].state = "lost"
    assert [each.path for each in known.meant("*")] == ["host", "q", "qq"]
    assert known.places[:3] == [("host", 0), ("host", 1), ("p", 0)]
    assert known.cpus()[:3] == [(0, 0), (0, 1), (1, 0)]
    assert known.unmeant("z").startswith("no instance is called z: 'dtrace --cluster lab.toml --instances'")
    means = Compiling(root, Timekeeper(root, 0), probes, [])._means
    assert means(["q/*"], Group(0, members={3, 4})) and not means(["q/*"], Group(0, members={3}))
    root.relay.handle = lambda _frame: [f.Answer(0, bytes(3 * PROBEDESC.size))]
    assert probes.count(known[0]) == 3
    root.relay.handle = lambda _frame: [f.Refused(0, errno.ESRCH, "none")]
    assert probes.count(known[0]) == 0


def test_descriptions_that_mean_no_instance() -> None:
    """They are told without asking anyone; else the first instance that is meant knows what is wrong."""
    root, asked = root_of(lambda _frame: [f.Answer(0, b'["D_TAG", "why"]')])
    system = ClusterSystem(root, Timekeeper(root, 0), Probes(root), Group(0))
    assert system.mistake(ProbeDesc("io", "", "", "start", instance="z")) == (
        "D_PDESC_ZERO", "z:io:::start: no instance is called z: 'dtrace --cluster lab.toml --instances' "
        "lists them")
    assert not asked
    assert system.mistake(ProbeDesc("io", "", "", "start", instance="[qp]")) == ("D_TAG", "why")
    assert asked == [f.Do(1, Verb.MISTAKE, b'["io", "", "", "start"]')]
    assert (system.ncpus, system.interrupted, system.now(), system.wait(0)) == (4, False, 0, False)


def test_tracing_needs_the_host_and_someone_to_trace() -> None:
    root, _ = root_of()
    time = Timekeeper(root, 0)
    time._require_traced()
    root.relay.instances[1].state = root.relay.instances[2].state = "lost"
    time._require_traced()
    root.active = [1, 2]
    with pytest.raises(TraceError, match=r"^no traced instance is left$"):
        time._require_traced()
    root.active = []
    time._require_traced()
    root.relay.instances[0].state = "lost"
    root.membership.told = [Told("dropped", "host", "x"), Told("lost", "p", "y"), Told("lost", "host", "why"),
                            Told("lost", "host", "z")]
    with pytest.raises(TraceError, match=r"^the host's machine is gone: why$"):
        time._require_traced()
    assert [each.text for each in root.membership.told] == ["x", "y", "z"]
    root.membership.told = []
    with pytest.raises(TraceError, match=r"^the host's machine is gone$"):
        time._require_traced()


def test_an_instance_that_cannot_trace_any_more() -> None:
    root, _ = root_of()
    time = Timekeeper(root, 0)
    time._check([f.Passed(0, 1, 0, 0), f.Refused(1, f.FAILED, "broken"), f.Refused(1, f.FAILED, "again")])
    assert root.instances[1].state == "lost"
    assert root.membership.told == [Told("lost", "p", "broken", 4)]
    with pytest.raises(TraceError, match="broken"):
        time._check([f.Refused(0, f.FAILED, "broken")])


def run(time: Timekeeper, asked: list[f.Down], until: int) -> tuple[bool, list[int]]:
    """Let time pass; returns whether that ended early, and the steps."""
    asked.clear()
    early = time.wait(until)
    return early, [frame.until for frame in asked if isinstance(frame, f.Run)]


def test_time_passes_in_lockstep() -> None:
    early_at: list[int] = []

    def below(frame: f.Down) -> list[f.Up]:
        if not isinstance(frame, f.Run):
            return []
        now = next(iter(frame))
        return [f.Passed(1, now, int(now in early_at), now), f.Passed(2, now - 5, 0, 1), f.Done(now, 0)]

    assert next(iter(f.Run._fields)) == "until"
    root, asked = root_of(below)
    time = Timekeeper(root, 10)
    assert run(time, asked, 25) == (False, [10, 20, 25]) and root.now == 25
    assert root.membership.ledger.of("p").produced == 25 and root.membership.ledger.of("q").produced == 1
    early_at[:] = [35]
    assert run(time, asked, 60) == (True, [35]) and root.now == 35
    time.interrupt()
    assert run(time, asked, 60) == (True, [45])
    root.active = [1, 2]  # without the host time is what the others have
    early_at[:] = [65]
    assert run(time, asked, 60) == (False, [55, 60]) and root.now == 60
    assert run(time, asked, 99) == (False, [70, 80, 90, 99])
    early_at[:] = [109]
    assert run(time, asked, 200) == (True, [109]) and root.now == 109
    root, asked = root_of(below)
    free = Timekeeper(root, 0)
    assert run(free, asked, 25) == (False, [25]) and isinstance(asked[-1], f.Stamp) and asked[-1].sent == 25
    early_at[:] = [30]
    assert run(free, asked, 30) == (True, [30])


def test_what_time_it_is_everywhere() -> None:
    root, _ = root_of()
    time, root.now = Timekeeper(root, 0), 9
    for number, now in enumerate((50, 40, 30)):
        root.relay.instances[number].now = now
    assert time.passed() == 40  # q is not believed
    root.active = [0]
    assert time.passed() == 50
    root.active = []
    assert time.passed() == 9


def test_stamps_of_clocks() -> None:
    clocks = [f.Clock(1, 100, 250, 260, 3, 2), f.Clock(9, 0, 0, 0, 0, 0)]
    root, asked = root_of(lambda _frame: list(clocks))
    time, root.now = Timekeeper(root, 0), 100
    time._stamp()
    assert asked == [f.Stamp(100)] and root.membership.clocks[1].at(100) == Estimate(155 + 3, 2)
    assert not root.membership.clocks[0].exchanges
    clocks.append(f.Clock(0, 100, 0, 0, 0, 0))
    time._stamp()
    assert root.membership.clocks[1].exchanges[-1] == (100, Estimate(3, 2))
    assert root.membership.clocks[0].exchanges


def record(epid: int, time: int, size: int = 16) -> bytes:
    return RECHDR.pack(epid, time >> 32, time & 0xFFFFFFFF).ljust(size, b"r")


def snapshot(cpu: int, timestamp: int, *records: bytes, drops: int = 0) -> bytes:
    body = b"".join(records)
    return BufDesc(len(body), cpu, 0, drops, 0, 0, timestamp).pack() + body


def device(root: Root, probes: Probes | None = None, snapshots: Snapshots | None = None) -> ClusterDevice:
    return ClusterDevice(root, probes or Probes(root), snapshots or snapshots_of(root))


def snapshots_of(root: Root) -> Snapshots:
    """What fetches records of 16 and 24 bytes."""
    made = Snapshots(root, Timekeeper(root, 0))
    made._sizes = {1: 16, 2: 24}
    return made


def test_records_by_the_hosts_clock() -> None:
    root, _ = root_of()
    members = root.membership
    made = snapshots_of(root)
    big = (7 << 32) + 100
    data = snapshot(0, 0, record(1, 90), bytes(4), record(2, 100, 24), record(1, big),
                    record(9, 5), record(1, 1))
    assert [(size, epid, time) for _, size, epid, time in made._records(data)] == [
        (16, 1, 90), (24, 2, 100), (16, 1, big)]  # up to what is not known
    assert list(made._records(data[:BUFDESC.size + 11])) == []
    assert len(list(made._records(data[:BUFDESC.size + 12]))) == 1
    description = BufDesc.unpack(data)._replace(drops=3)
    snap = f.Snap(1, ONE, 1, f.BUFFERS, 0, data)
    shifted = made._in_host_time(snap, description, 95)
    assert [time for _, _, _, time in made._records(shifted)] == [0, 5, big - 95]
    assert members.ledger.of("p").delivered == 3 and members.ledger.of("p").dropped == {("p", "principal"): 3}
    assert made._in_host_time(snap, description, 0) == data and not members.told
    made.ordered, made._reported = True, 100
    kept = made._in_host_time(snap, description, 0)
    assert [time for _, _, _, time in made._records(kept)] == [100, big]
    assert kept[BUFDESC.size:BUFDESC.size + 16] == bytes(16)
    assert members.told == [Told("dropped", "p", "late at host", 1)]
    assert members.ledger.of("p").dropped["host", "late"] == 1 and members.ledger.of("p").delivered == 8


def test_two_snapshots_are_one() -> None:
    one, other = snapshot(1, 5, b"abcd", drops=2), snapshot(1, 9, b"ef", drops=3)
    found = joined(one, other)
    assert found[BUFDESC.size:] == b"abcdef"
    told = BufDesc.unpack(found)
    assert (told.size, told.drops, told.timestamp) == (6, 5, 9)


def test_buffers_of_all_instances() -> None:
    described = EprobeDesc.unpack(EprobeDesc(5, 1, 0, 16, ()).pack())
    frames: list[f.Up] = [
        f.Describe(Command.EPROBE, 5, described.pack()),
        f.Snap(0, ONE, 1, f.BUFFERS, 1, snapshot(1, 70, record(5, 60))),
        f.Snap(1, ONE, 2, f.BUFFERS, 0, snapshot(0, 50, record(5, 40))),
        f.Snap(1, ONE, 3, f.BUFFERS, 0, snapshot(0, 55, record(5, 45)))]
    root, asked = root_of(lambda _frame: frames)
    snapshots = snapshots_of(root)
    made = device(root, snapshots=snapshots)
    for each in root.relay.instances.values():
        each.now = 30
    root.membership.clocks[1].learn(0, Estimate(8, 2))

    def fetched(cpu: int) -> bytes:
        return made.ioctl(Command.BUFSNAP, BufDesc(cpu=cpu).pack())

    assert [time for _, _, _, time in snapshots._records(fetched(2))] == [32, 37]
    assert BufDesc.unpack(fetched(1)).timestamp == 40 == snapshots._reported  # 50 less 8, and 2 for errors
    assert asked == [f.Harvest(f.BUFFERS, f.EVERY, 1)] and snapshots._passed == 30
    with pytest.raises(BorderError, match="no buffer of CPU 0"):
        fetched(0)
    with pytest.raises(BorderError, match="no buffer of CPU 0"):
        fetched(0)
    assert made.ioctl(Command.EPROBE, (5).to_bytes(4, "little")) == described.pack()
    frames[:] = []
    for cpu in (3, 1):
        with pytest.raises(BorderError, match=f"no buffer of CPU {cpu}"):
            fetched(cpu)
    assert snapshots._reported == 30  # nothing has come: what time it was everywhere before


def test_the_hosts_snapshot_is_just_as_it_is() -> None:
    answers: list[f.Up] = [f.Snap(0, ONE, 1, f.BUFFERS, 0, b"as it is")]
    alone, asked = root_of(lambda _frame: answers, paths="host")
    made = device(alone)
    assert made.ioctl(Command.BUFSNAP, BufDesc(cpu=3).pack()) == b"as it is"
    assert made.ioctl(Command.AGGSNAP, BufDesc(cpu=2).pack()) == b"as it is"
    assert asked == [f.Harvest(f.BUFFERS, 3, 0), f.Harvest(f.AGGREGATIONS, 2, 0)]
    answers[:] = [f.Refused(0, errno.ENOENT, "none")]
    with pytest.raises(BorderError, match="none"):
        made.ioctl(Command.BUFSNAP, BufDesc().pack())
    answers[:] = []
    with pytest.raises(BorderError, match="no buffer") as caught:
        made.ioctl(Command.BUFSNAP, BufDesc().pack())
    assert caught.value.errno == errno.ENOENT


def test_merged_aggregations_come_with_the_first_cpu() -> None:
    answers: list[f.Up] = [f.Describe(Command.AGGDESC, 3, b"told"),
                           f.Snap(f.EVERY, ONE, 1, f.AGGREGATIONS, 0, b"rows")]
    root, asked = root_of(lambda _frame: answers)
    made = device(root)
    assert made.ioctl(Command.AGGSNAP, BufDesc(cpu=0).pack()) == b"rows"
    assert asked == [f.Harvest(f.AGGREGATIONS, f.EVERY, 1)]
    assert made.ioctl(Command.AGGDESC, (3).to_bytes(4, "little")) == b"told"
    with pytest.raises(BorderError, match="merged with those of the first CPU") as caught:
        made.ioctl(Command.AGGSNAP, BufDesc(cpu=1).pack())
    assert caught.value.errno == errno.ENOENT and len(asked) == 1
    answers[:] = []
    with pytest.raises(BorderError, match="no rows"):
        made.ioctl(Command.AGGSNAP, BufDesc(cpu=0).pack())


def test_probes_are_asked_of_three_instances_at_most() -> None:
    def below(frame: f.Down) -> list[f.Up]:
        assert isinstance(frame, f.Ask)
        if frame.instance == f.EVERY:
            return [f.Answer(f.EVERY, b"told")]
        if frame.instance in refusing:
            return [f.Refused(frame.instance, refusing[frame.instance], "none")]
        return [f.Answer(frame.instance, ProbeDescription(10 + frame.instance, "a", "b", "c", "d").pack())]

    refusing: dict[int, int] = {}
    root, asked = root_of(below, paths="host p q r s")
    probes = Probes(root)
    made = device(root, probes)
    wanted = ProbeDescription(0, "", "", "", "").pack()

    def matched(pattern: str) -> list[int]:
        asked.clear()
        data = made.ioctl(Command.PROBEMATCH, wanted + pattern.encode())
        return [ProbeDescription.unpack(data, at).id for at in range(0, len(data), PROBEDESC.size)]

    assert matched("") == [10] and matched("*") == [10, 11, 12]
    assert probes.instance_of(12) == "q" and probes.owner(12) == 2 and probes.owner(99) == 0
    assert probes.instance_of(99) == "host"
    refusing[1] = errno.ESRCH
    assert matched("*") == [10, 12, 13]
    probes.listing = True
    assert matched("*") == [10, 12, 13, 14]
    probes.listing, probes.among = False, {3, 4}
    assert matched("*") == [13, 14] and matched("q") == [12]
    for number in range(5):
        refusing[number] = errno.ESRCH
    with pytest.raises(BorderError, match="no probe matches"):
        matched("*")
    refusing[3] = errno.EIO
    with pytest.raises(BorderError, match="none"):
        matched("*")
    probes.among = None
    asked.clear()
    with pytest.raises(BorderError, match=r"none \(instance q\)"):
        made.ioctl(Command.PROVIDER, b"x")
    assert len(asked) == 3
    refusing.clear()
    refusing[0] = errno.ESRCH
    assert ProbeDescription.unpack(made.ioctl(Command.PROVIDER, b"x")).id == 11
    root.active = [2, 4]
    made.ioctl(Command.CONF, b"c")
    made.ioctl(Command.PROBES, (5).to_bytes(4, "little"))
    assert asked[-2:] == [f.Ask(2, Command.CONF, b"c"), f.Ask(f.EVERY, Command.PROBES, bytes([5, 0, 0, 0]))]


def test_tracing_begins_at_the_host_and_ends_with_the_first_cpu() -> None:
    def below(frame: f.Down) -> list[f.Up]:
        if isinstance(frame, f.Go | f.Stop):
            return [f.Answer(number, number.to_bytes(4, "little")) for number in frame.instances
                    if number not in silent]
        return []

    silent: set[int] = set()
    root, asked = root_of(below)
    root.relay.instances[1].cpus = root.relay.instances[2].cpus = 3  # the host has two
    made = device(root)
    root.now = 77
    assert made.ioctl(Command.GO) == bytes(4) and asked == [f.Go((0,), 0), f.Go((1, 2), 77)]
    root.active, root.now = [2, 1], 0
    asked.clear()
    assert int.from_bytes(made.ioctl(Command.GO), "little") == 2 + 1 and asked == [f.Go((2, 1), 1)]
    assert int.from_bytes(made.ioctl(Command.STOP), "little") == 2 + 1
    silent |= {1, 2}
    assert made.ioctl(Command.STOP) == bytes(4)
    root.relay.handle = lambda _frame: [f.Refused(1, errno.EBUSY, "busy")]
    with pytest.raises(BorderError, match=r"busy \(instance p\)"):
        made.ioctl(Command.STOP)
    with pytest.raises(TraceError, match=r"\(instance p\)$"):
        made.ioctl(Command.GO)
    alone, _ = root_of(lambda _frame: [f.Answer(0, b"\3\0\0\0")], paths="host")
    assert device(alone).ioctl(Command.STOP) == b"\3\0\0\0"


def test_a_status_is_that_of_all() -> None:
    answers: list[f.Up] = [f.Status(0, Status(dyndrops=1).pack(), 10), f.Refused(1, errno.EIO, "none"),
                           f.Status(2, Status(dyndrops=2).pack(), 20)]
    root, asked = root_of(lambda _frame: answers)
    made = device(root)
    assert Status.unpack(made.ioctl(Command.STATUS)).dyndrops == 3
    assert asked == [f.Harvest(f.STATUSES, 0, 0)]
    assert (root.membership.ledger.of("host").produced, root.membership.ledger.of("q").produced) == (10, 20)
    root.membership.settle()
    assert root.membership.ledger.of("q").dropped == {("q", "dynamic"): 2}
    answers[:] = answers[1:2]
    with pytest.raises(BorderError, match=r"none \(instance p\)"):
        made.ioctl(Command.STATUS)


@pytest.mark.parametrize(("path", "size"), [("p", 16), ("seven77", 16), ("eight888", 24), ("p" * 15, 24)])
def test_aggregations_by_addresses_have_room_for_the_instance(path: str, size: int,
                                                              monkeypatch: pytest.MonkeyPatch) -> None:
    """More than 8 bytes, and a whole number of them: a key of 8 is a number."""
    sizes: list[int] = []
    monkeypatch.setattr("runtime.instances.root.enabling.by_instance", lambda ecb, size: sizes.append(size))
    root, _ = root_of(paths=f"host {path}")
    enabling = Enabling(root, Probes(root))
    ecb: Any = SimpleNamespace(probe=ProbeDesc("*:bare", "", "", ""))
    enabling._kept_apart(Program(ecbs=[ecb, ecb]))
    assert sizes == [size, size]
    ecb.probe = ProbeDesc("host:bare", "", "", "")
    enabling._kept_apart(Program(ecbs=[ecb]))
    assert len(sizes) == 2  # of one instance alone an address says enough


def test_the_end_ends_everything() -> None:
    """Whom the host cannot ask any more, too."""
    def gone(frame: f.Down) -> list[f.Up]:
        raise OSError(errno.EPIPE, "gone")

    for below in (None, gone):
        root, asked = root_of(below)
        ended: list[str] = []
        cluster = cluster_of(root)
        cluster._launcher = launcher = Launcher.__new__(Launcher)
        root.relay.close = lambda into=ended: into.append("relay")
        launcher._engine = SimpleNamespace(close=lambda into=ended: into.append("engine"))
        launcher._starter = SimpleNamespace(end=lambda into=ended: into.append("starter"))
        cluster.close()
        assert asked == [f.Close()] and ended == ["relay", "engine", "starter"]
        launcher._engine = None
        cluster.close()
        assert ended[3:] == ["relay", "starter"]


def test_processes_far_away() -> None:
    replies: dict[int, bytes] = {Verb.STATUS: b"null"}

    def below(frame: f.Down) -> list[f.Up]:
        assert isinstance(frame, f.Do)
        found = replies.get(frame.verb)
        return [f.Answer(0, found)] if found is not None else [f.Refused(frame.instance, errno.ESRCH, "gone")]

    root, asked = root_of(below)
    cluster, process = cluster_of(root), RemoteProcess(root, 1, 300)
    assert process.exit_status is None
    replies[Verb.STATUS] = b"7"
    assert process.exit_status == 7 and asked[-1] == f.Do(1, Verb.STATUS, b"[300]")
    replies[Verb.STATUS] = b"8"
    assert process.exit_status == 7  # it is asked once
    del replies[Verb.STATUS]
    assert RemoteProcess(root, 1, 301).exit_status == 0  # it is gone with its instance
    replies |= {Verb.RESUME: b"", Verb.FILE: b"", Verb.UNKNOWN_CALLS: b'["a", "b"]'}
    process.resume()
    assert asked[-1] == f.Do(1, Verb.RESUME, b"[300]") and cluster.read("/x") is None
    replies[Verb.FILE] = b"text"
    assert cluster.read("/x") == b"text"
    root.active = [1]
    assert cluster.unknown_calls() == ["p: a", "p: b"]
    assert cluster.refusals(False) == [] and cluster.refusals(True) == []  # who refuses is passed over
    alone, _ = root_of(below, paths="host")
    alone.active = []
    assert cluster_of(alone).unknown_calls() == ["a", "b"]


def test_an_output_is_written_whole(tmp_path: Path) -> None:
    root, asked = root_of(lambda _frame: [f.Answer(0, b"0123456789")])
    with (tmp_path / "out").open("wb") as out:
        cluster_of(root).shell(b"ls", out.fileno())
    assert (tmp_path / "out").read_bytes() == b"0123456789"
    assert asked == [f.Do(0, Verb.SHELL, json.dumps([b"ls".hex()]).encode())]
