"""Many instances traced as one: is the sum right, and what does an instance cost?

    python tests/benchmarks/instances.py [--instances 1000] [--machines 50] [--workers 2] [--seconds 3]

Real machines are processes; the others are frameworks over a host of a few numbers
(tests/unit/instances/bare.py), each behind frames of its own.  The tree is root - worker processes - groups -
instances.  What comes up is compared with a sequential oracle.  Then some are killed at random, and some are
hostile, and everyone else's results have to be what they were.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import signal
import socket
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "unit" / "instances")]

import bare  # noqa: E402

from dof.model import ActionKind  # noqa: E402
from runtime.border import BUFDESC, AggDesc, Command  # noqa: E402
from runtime.instances.hop.relay import Child, Inner, Relay  # noqa: E402
from runtime.instances.roster.clusterfile import ClusterFile, InstanceEntry, Limits  # noqa: E402
from runtime.instances.roster.identities import NONE  # noqa: E402
from runtime.instances.starting.starter import Starter, load  # noqa: E402
from runtime.instances.wire import frames as f  # noqa: E402
from runtime.instances.wire.links import Link, SocketTransport  # noqa: E402
from runtime.instances.wire.service import Service  # noqa: E402

GROUP, RATE = 50, 50  # instances in a group; firings a second of each
PROGRAM = ("bare:mod:func:fire { @[arg1] = count(); @total = sum(arg0); @lowest = min(arg0); "
           "@highest = max(arg0); @mean = avg(arg0); @spread = stddev(arg0); @all = quantize(arg0); }")
TICKS = "profile:::tick-20ms { @ticks = count(); }"


class Frames:
    """A transport to a bare instance in this process: bytes, parsed at both ends.

    It dies in the round `dies`, and from the start sends random bytes if it is `hostile`.
    """

    def __init__(self, seed: int, dies: int, hostile: bool) -> None:
        self._endpoint, self._parser, self._ready = bare.endpoint(seed, RATE), f.Parser(f.DOWN), b""
        self._dies, self._runs = dies, 0
        self._random = random.Random(seed) if hostile else None

    def send(self, data: bytes) -> None:
        for number, frame in self._parser.feed(data):
            self._runs += isinstance(frame, f.Run)
            if self._dies and self._runs >= self._dies:
                raise ConnectionResetError(104, "Connection reset by peer")
            self._ready += f.write_all(self._endpoint.handle(frame), number)
            if self._random is not None and isinstance(frame, f.Harvest):
                raw = bytearray(self._ready)
                for _ in range(5):
                    raw[self._random.randrange(len(raw))] ^= self._random.randrange(1, 256)
                self._ready = bytes(raw)

    def receive(self, seconds: float) -> bytes | None:
        data, self._ready = self._ready, b""
        return data or None

    def close(self) -> None:
        self._ready = b""


class Plan(argparse.Namespace):
    instances: int
    machines: int
    workers: int
    seconds: int
    killed: int
    hostile: int

    def bad(self) -> tuple[dict[int, int], set[int]]:
        """Which bare instances die in which round, and which are hostile."""
        rest = list(range(self.instances - self.machines))
        random.Random(1).shuffle(rest)
        dying = {seed: 2 + seed % self.seconds for seed in rest[:self.killed]}
        return dying, set(rest[self.killed:self.killed + self.hostile])


def worker(plan: Plan, number: int) -> Relay:
    """What a worker process has below it: its share of the machines, and groups of bare instances."""
    dying, hostile = plan.bad()
    limits = Limits()
    machines = [f"m{n}" for n in range(plan.machines)][number::plan.workers]
    starter = Starter(ClusterFile("", tuple(InstanceEntry(path) for path in ["host", *machines])))
    children = starter.children(starter.top(), 0)
    seeds = list(range(plan.instances - plan.machines))[number::plan.workers]
    for at in range(0, len(seeds), GROUP):
        inner = [Child(n, f"i{seed}", Link(Frames(seed, dying.get(seed, 0), seed in hostile), trusted=False),
                       trusted=False) for n, seed in enumerate(seeds[at:at + GROUP])]
        children.append(Child(len(children), f"g{number}-{at}", Inner(Relay(inner, limits))))
    return Relay(children, limits)


def started(plan: Plan) -> tuple[Relay, list[int]]:
    """The root over its worker processes."""
    children, pids = [], []
    for number in range(plan.workers):
        ours, theirs = socket.socketpair()
        pid = os.fork()
        if pid == 0:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            ours.close()
            Service(worker(plan, number)).serve(theirs)
            os._exit(0)
        theirs.close()
        pids.append(pid)
        children.append(Child(number, "", Link(SocketTransport(ours), heartbeat=60 * bare.SECOND)))
    return Relay(children), pids


Totals = dict[tuple[int, bytes], tuple[int, ...]]  # by action and keys


def rows(answer: list[f.Up], described: dict[int, AggDesc]
         ) -> Iterator[tuple[tuple[int, bytes], tuple[int, ...]]]:
    """The rows of a harvest: (action, keys), values."""
    for each in answer:
        if isinstance(each, f.Describe) and each.command == Command.AGGDESC:
            described[each.number] = AggDesc.unpack(each.data)
        if isinstance(each, f.Snap) and each.kind == f.AGGREGATIONS:
            data, at = each.data, BUFDESC.size
            while at + 4 <= len(data):
                desc = described[int.from_bytes(data[at:at + 4], "little")]
                value = desc.records[-1]
                words = tuple(int.from_bytes(data[at + value.offset + n:at + value.offset + n + 8], "little")
                              for n in range(0, value.size, 8))
                yield (value.action, data[at + 8:at + value.offset]), words
                at += desc.size


def proportional(pid: int) -> int:
    """Kilobytes of a process, what it shares with others divided among them."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))


def measured(plan: Plan, quiet: bool = False) -> dict[str, float]:
    """One run; returns its figures."""
    load()
    cpu = resource.getrusage(resource.RUSAGE_CHILDREN)
    before = time.perf_counter()
    root, pids = started(plan)
    list(root.handle(f.Identify(f.VERSION, f.HOPS, "", (), NONE)))
    found = {each.path: number for number, each in root.instances.items()}
    machines = tuple(n for path, n in found.items() if path.startswith("m"))
    others = tuple(n for path, n in found.items() if not path.startswith("m"))
    memory = sum(proportional(pid) for pid in pids)
    list(root.handle(f.Enable(others, bare.program(PROGRAM, bufsize=1 << 12, aggsize=1 << 18))))
    if machines:
        list(root.handle(f.Enable(machines, bare.program(TICKS, bufsize=1 << 12, aggsize=1 << 16))))
    ready = time.perf_counter() - before
    list(root.handle(f.Go((*machines, *others), 1)))
    totals: Totals = {}
    described: dict[int, AggDesc] = {}
    delays, lost = [], Counter[str]()
    begun = time.perf_counter()
    for step in range(1, plan.seconds * 5 + 1):
        answer = list(root.handle(f.Run(step * bare.SECOND // 5)))
        ended = time.perf_counter()
        answer += root.handle(f.Harvest(f.AGGREGATIONS, f.EVERY, 1))
        for key, words in rows(answer, described):
            totals[key] = merge(key[0], totals[key], words) if key in totals else words
        lost.update(each.reason.partition(":")[0] for each in answer if isinstance(each, f.Retire))
        delays.append(time.perf_counter() - ended)
    wall = time.perf_counter() - begun
    list(root.handle(f.Close()))
    root.close()
    for pid in pids:
        os.waitpid(pid, 0)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    events = sum(words[0] for (action, _), words in totals.items()
                 if action == ActionKind.AGG_COUNT and words[0] <= plan.seconds * RATE * plan.instances)
    seconds = used.ru_utime + used.ru_stime - cpu.ru_utime - cpu.ru_stime
    right = check(plan, totals)
    figures = {"instances": plan.instances, "start s": ready, "events": events, "events/s": events / wall,
               "CPU us/event": seconds * 1e6 / max(events, 1),
               "p99 delay ms": sorted(delays)[int(len(delays) * 0.99)] * 1e3,
               "kB/bare instance": memory / max(len(others), 1), "lost": lost["lost"],
               "quarantined": lost["quarantined"], "right": right}
    if not quiet:
        print("  ".join(f"{name} {value:,.1f}" if isinstance(value, float) else f"{name} {value}"
                        for name, value in figures.items()), flush=True)
    return figures


def merge(action: int, one: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
    """Two values of one key, by the rules that the manual has."""
    if action in (ActionKind.AGG_MIN, ActionKind.AGG_MAX):
        return ((min if action == ActionKind.AGG_MIN else max)(one[0], other[0]),)
    return tuple(a + b for a, b in zip(one, other, strict=True))


def check(plan: Plan, totals: Totals) -> bool:
    """Compare with an oracle that takes one firing after another, but for those that die or lie."""
    dying, hostile = plan.bad()
    counts = {key[8:]: words[0] for (action, key), words in totals.items()
              if action == ActionKind.AGG_COUNT and len(key) > 8}
    honest = [seed for seed in range(plan.instances - plan.machines)
              if seed not in dying and seed not in hostile]
    firings = RATE * plan.seconds
    right = all(counts.get(seed.to_bytes(8, "little")) == firings for seed in honest)
    ticks = [words[0] for (action, key), words in totals.items()
             if action == ActionKind.AGG_COUNT and len(key) == 8]
    right &= sum(ticks) == plan.machines * plan.seconds * 50
    if not dying and not hostile:
        values = [bare.BareInstance(seed).argument(n) for seed in honest for n in range(1, firings + 1)]
        sums = {action: words for (action, _), words in totals.items() if action != ActionKind.AGG_COUNT}
        right &= sums.get(ActionKind.AGG_SUM) == (sum(values),)
        right &= sums.get(ActionKind.AGG_AVG) == (len(values), sum(values))
        right &= sums.get(ActionKind.AGG_MIN) == (min(values),) and sums[ActionKind.AGG_MAX] == (max(values),)
        right &= sums[ActionKind.AGG_STDDEV][2] == sum(value * value for value in values)
    return right


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    for name, default in (("instances", 1000), ("machines", 50), ("workers", 2), ("seconds", 3)):
        parser.add_argument(f"--{name}", type=int, default=default)
    plan = parser.parse_args(namespace=Plan())
    plan.killed = plan.hostile = 0
    whole, machines = plan.instances, plan.machines
    print("by the number of instances:")
    figures = []
    for part in (4, 2, 1):
        plan.instances, plan.machines = whole // part, machines // part
        figures.append(measured(plan))
    ratio = figures[-1]["CPU us/event"] / figures[0]["CPU us/event"]
    print(f"CPU an event, {whole} instances to {whole // 4}: {ratio:.2f} (1.00 is linear)")
    print("by the number of workers:")
    plan.instances, plan.machines, many = whole // 2, 0, plan.workers
    for workers in range(1, many + 1):
        plan.workers = workers
        measured(plan)
    plan.instances, plan.machines, plan.workers = whole, machines, many
    print("with instances killed at random, and hostile ones:")
    plan.killed, plan.hostile = whole // 10, whole // 20
    figures.append(measured(plan))
    sys.exit(0 if all(each["right"] for each in figures) else 1)


if __name__ == "__main__":
    main()
