"""Very many instances below a few relays, some of which are killed or hostile, and an oracle for all.

The tree is root - relays - groups - instances.  A plan says how many there are; everything else follows from
it, so that a relay's process, the root and the oracle know the same.
"""

from __future__ import annotations

import json
import random
import socket
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import bare

from dof.model import ActionKind
from runtime.border import BUFDESC, RECHDR, AggDesc, Command, EprobeDesc
from runtime.instances.hop.children import Child, Inner
from runtime.instances.hop.relay import Relay
from runtime.instances.roster.clusterfile import ClusterFile, InstanceEntry, Limits
from runtime.instances.roster.identities import NONE
from runtime.instances.starting.starter import Starter
from runtime.instances.wire import frames as f
from runtime.instances.wire.links import Link
from runtime.instances.wire.service import Service

GROUP = 50  # instances in a group
RATE = 50  # firings a second of each
ROUNDS = 5  # harvests a second
TICKS = 50  # of a machine a second
CLAUSE = """
    { @c[instance] = count(); @s[instance] = sum(arg0); @q[instance] = quantize(arg0);
      @count = count(); @sum = sum(arg0); @min = min(arg0); @max = max(arg0); @avg = avg(arg0);
      @stddev = stddev(arg0); @quantize = quantize(arg0); @lquantize = lquantize(arg0, 0, 1000, 100);
      @llquantize = llquantize(arg0, 10, 0, 3, 10); }"""
FIRE = f"bare:mod:func:fire {CLAUSE} bare:mod:func:fire /!arg3/ {{ trace(arg2); }}"
TICK = "profile:::tick-20ms { @c[instance] = count(); }"
LIMITS = Limits(keys=100, bytes_per_s=10_000_000, deadline=20 * bare.SECOND)
OPTIONS = {"bufsize": 1 << 12, "aggsize": 1 << 16, "strsize": 32, "destructive": 0}


@dataclass(frozen=True)
class Plan:
    """How many there are of each; `machines`, `killed` and `hostile` are among the instances."""

    instances: int
    machines: int = 0
    workers: int = 1
    seconds: int = 2
    killed: int = 0
    hostile: int = 0

    @property
    def bare(self) -> range:
        """The seeds of the instances without a machine."""
        return range(self.instances - self.machines)

    def bad(self) -> tuple[dict[int, int], set[int]]:
        """Which bare instances die in which round, and which are hostile.  As large a part of the machines
        is killed from outside."""
        rest = list(self.bare)
        random.Random(1).shuffle(rest)
        killed = self.killed - self.killed * self.machines // self.instances
        dying = {seed: 2 + seed % (ROUNDS * self.seconds - 1) for seed in rest[:killed]}
        return dying, set(rest[killed:killed + self.hostile])

    def honest(self) -> list[int]:
        dying, hostile = self.bad()
        return [seed for seed in self.bare if seed not in dying and seed not in hostile]


# -- what is below --------------------------------------------------------------------------------------

def made_up(count: int = 300) -> list[bytes]:
    """Frames that hypothesis makes up."""
    import strategies
    from hypothesis import HealthCheck, Phase, given, settings

    found: list[bytes] = []

    @settings(max_examples=count, derandomize=True, database=None, deadline=None, phases=[Phase.generate],
              suppress_health_check=list(HealthCheck))
    @given(strategies.some(f.UP))
    def collect(frame: f.Up) -> None:
        found.append(f.write(frame))

    collect()
    return found


class Bytes:
    """A transport to a bare instance in this process: bytes, parsed at both ends.

    It dies in the round `dies`, if that is not 0.
    """

    def __init__(self, seed: int, dies: int = 0) -> None:
        self._endpoint, self._parser, self._ready = bare.endpoint(seed, RATE), f.Parser(f.DOWN), b""
        self._dies, self._runs = dies, 0

    def send(self, data: bytes) -> None:
        for number, frame in self._parser.feed(data):
            self._runs += isinstance(frame, f.Run)
            if self._dies and self._runs >= self._dies:
                raise ConnectionResetError(104, "Connection reset by peer")
            answer = self._endpoint.handle(frame)  # type: ignore[arg-type]
            self._ready += self.changed(frame, f.write_all(answer, number), number)

    def changed(self, frame: object, answer: bytes, number: int) -> bytes:
        """What is sent in place of the answer to a frame."""
        return answer

    def receive(self, seconds: float) -> bytes | None:
        data, self._ready = self._ready, b""
        return data or None

    def close(self) -> None:
        self._ready = b""


class Mutated(Bytes):
    """A proxy that changes, leaves out, repeats and puts in bytes of what comes up in a harvest."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self._random = random.Random(seed)

    def changed(self, frame: object, answer: bytes, number: int) -> bytes:
        if not isinstance(frame, f.Harvest) or frame.kind != f.AGGREGATIONS:
            return answer
        raw = bytearray(answer)
        for _ in range(8):
            at = self._random.randrange(len(raw))
            match self._random.randrange(4):
                case 0:
                    del raw[at:at + self._random.randrange(1, 40)]
                case 1:
                    raw[at:at] = raw[:self._random.randrange(200)]
                case 2:
                    raw[at:at] = self._random.randbytes(self._random.randrange(1, 40))
                case _:
                    raw[at] ^= self._random.randrange(1, 256)
        return bytes(raw)


class MadeUp(Bytes):
    """An instance that answers, and says anything else besides."""

    def __init__(self, seed: int, frames: Sequence[bytes]) -> None:
        super().__init__(seed)
        self._random, self._frames = random.Random(seed), frames

    def changed(self, frame: object, answer: bytes, number: int) -> bytes:
        if isinstance(frame, f.Identify | f.Enable | f.Go):
            return answer
        said = b""
        for each in self._random.choices(self._frames, k=4):
            size, code, _ = f.HEADER.unpack_from(each)
            said += f.HEADER.pack(size, code, number) + each[f.HEADER.size:]
        return said + answer


def relay(plan: Plan, number: int, frames: Sequence[bytes] = ()) -> Relay:
    """A relay with its share: machines, and groups of bare instances.

    `frames` is what hostile instances say, those of them that are no proxies.
    """
    dying, hostile = plan.bad()
    machines = [f"m{n}" for n in range(plan.machines)][number::plan.workers]
    starter = Starter(ClusterFile("", tuple(InstanceEntry(path) for path in ["host", *machines])))
    children = starter.children(starter.top(), 0)
    seeds = plan.bare[number::plan.workers]

    def connection(seed: int) -> Link:
        transport = Bytes(seed, dying.get(seed, 0)) if seed not in hostile else \
            MadeUp(seed, frames) if frames and seed % 2 else Mutated(seed)
        return Link(transport, trusted=False, rate=LIMITS.bytes_per_s, deadline=LIMITS.deadline)

    for at in range(0, len(seeds), GROUP):
        inner = [Child(n, f"i{seed}", connection(seed), trusted=False)
                 for n, seed in enumerate(seeds[at:at + GROUP])]
        children.append(Child(len(children), f"g{number}-{at // GROUP}", Inner(Relay(inner, LIMITS))))
    return Relay(children, LIMITS)


def specification(plan: Plan, number: int, frames: Sequence[bytes]) -> str:
    """What a relay's process reads: what `relay` takes."""
    return json.dumps([asdict(plan), number, [each.hex() for each in frames]])


def main(descriptor: int) -> None:
    """Be a relay's process."""
    from runtime.instances.starting.starter import load

    load()
    plan, number, frames = json.load(sys.stdin)
    service = Service(relay(Plan(**plan), number, [bytes.fromhex(each) for each in frames]))
    service.serve(socket.socket(fileno=descriptor))
    service.end()


# -- what comes out -------------------------------------------------------------------------------------

Key = tuple[int, bytes]  # an action and the key, without the variable


@dataclass
class Results:
    """What the root has got: totals by action and key, and what is told of instances."""

    totals: dict[Key, tuple[int, ...]] = field(default_factory=dict)
    gone: dict[str, str] = field(default_factory=dict)  # instances, and how they went
    delays: list[int] = field(default_factory=list)  # from firings to the root, in nanoseconds
    aggregations: dict[int, AggDesc] = field(default_factory=dict)
    epids: dict[int, EprobeDesc] = field(default_factory=dict)

    def take(self, frames: list[f.Up], paths: dict[int, str]) -> None:
        now = time.monotonic_ns()
        for each in frames:
            if isinstance(each, f.Describe) and each.command == Command.AGGDESC:
                self.aggregations[each.number] = AggDesc.unpack(each.data)
            elif isinstance(each, f.Describe) and each.command == Command.EPROBE:
                self.epids[each.number] = EprobeDesc.unpack(each.data)
            elif isinstance(each, f.Retire):
                self.gone[paths[each.instance]] = each.reason.partition(":")[0]
            elif isinstance(each, f.Snap) and each.kind == f.AGGREGATIONS:
                for key, words in self._rows(each.data[BUFDESC.size:]):
                    self.totals[key] = merge(key[0], self.totals[key], words) if key in self.totals else words
            elif isinstance(each, f.Snap):
                self.delays += [now - then for then in self._times(each.data[BUFDESC.size:])
                                if now - then > 0]  # a hostile one may say anything

    def _rows(self, data: bytes) -> Iterator[tuple[Key, tuple[int, ...]]]:
        at = 0
        while at + 4 <= len(data):
            desc = self.aggregations[int.from_bytes(data[at:at + 4], "little")]
            _variable, *keys, value = desc.records
            key = b"".join(data[at + each.offset:at + each.offset + each.size] for each in keys)
            words = tuple(int.from_bytes(data[at + value.offset + n:at + value.offset + n + 8], "little")
                          for n in range(0, value.size, 8))
            yield (value.action, key.rstrip(b"\0")), words
            at += desc.size

    def _times(self, data: bytes) -> Iterator[int]:
        at = 0
        while at + RECHDR.size <= len(data):
            desc = self.epids[int.from_bytes(data[at:at + 4], "little")]
            record = desc.records[0]
            yield int.from_bytes(data[at + record.offset:at + record.offset + record.size], "little")
            at += desc.size


def merge(action: int, one: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
    """Two values of one key, by the rules that the manual has."""
    if action in (ActionKind.AGG_MIN, ActionKind.AGG_MAX):
        return ((min if action == ActionKind.AGG_MIN else max)(one[0], other[0]),)
    first = action in (ActionKind.AGG_LQUANTIZE, ActionKind.AGG_LLQUANTIZE)  # which begin with the parameter
    return (*one[:first], *(a + b for a, b in zip(one[first:], other[first:], strict=True)))


def power(value: int) -> int:
    """The bucket of quantize(): the largest power of two that is not larger; 0 for 0."""
    return 1 << value.bit_length() - 1 if value else 0


def log_linear(value: int) -> int:
    """The bucket of llquantize(): one digit, and zeros; -1 for what is less than 1."""
    tens = 10 ** (len(str(value)) - 1)
    return value // tens * tens if value else -1


def buckets(values: Counter[int]) -> list[int]:
    """The counts that are not 0, from the lowest bucket up."""
    return [values[key] for key in sorted(values)]


def differences(plan: Plan, results: Results) -> list[str]:
    """What is not as one firing after another would have it: nothing, if all is right."""
    totals, wrong = results.totals, []
    dying, hostile = plan.bad()
    paths = {seed: path for path in instance_paths(plan) for seed in [int(path.rpartition("i")[2])]}

    def same(name: object, found: object, expected: object) -> None:
        if found != expected:
            wrong.append(f"{name}: {found}, not {expected}")

    def filled(action: int, key: bytes = b"") -> list[int]:
        words = totals.get((action, key), ())
        return [word for word in words[action != ActionKind.AGG_QUANTIZE:] if word]

    every: list[int] = []
    for seed in [*plan.honest(), *dying]:
        rounds = dying[seed] - 1 if seed in dying else ROUNDS * plan.seconds
        values = [bare.argument(seed, n) for n in range(1, RATE * rounds // ROUNDS + 1)]
        every += values
        key = paths[seed].encode()
        same(paths[seed], totals.get((ActionKind.AGG_COUNT, key)), (len(values),))
        same(paths[seed], totals.get((ActionKind.AGG_SUM, key)), (sum(values),))
        same(paths[seed], filled(ActionKind.AGG_QUANTIZE, key), buckets(Counter(map(power, values))))
    for n in range(plan.machines):
        if f"m{n}" not in results.gone:
            same(f"m{n}", totals.get((ActionKind.AGG_COUNT, b"m%d" % n)), (TICKS * plan.seconds,))
    gone = {path for path in results.gone if path[0] != "m"}
    same("gone", gone - {paths[seed] for seed in hostile}, {paths[seed] for seed in dying})
    if hostile:  # what they say of themselves is in these totals, too
        return wrong
    squares = sum(value * value for value in every)
    words: dict[int, tuple[int, ...]] = {
        ActionKind.AGG_COUNT: (len(every),), ActionKind.AGG_SUM: (sum(every),),
        ActionKind.AGG_MIN: (min(every),), ActionKind.AGG_MAX: (max(every),),
        ActionKind.AGG_AVG: (len(every), sum(every)),
        ActionKind.AGG_STDDEV: (len(every), sum(every), squares, 0)}
    distributed: dict[int, Callable[[int], int]] = {
        ActionKind.AGG_QUANTIZE: power, ActionKind.AGG_LLQUANTIZE: log_linear,
        ActionKind.AGG_LQUANTIZE: lambda value: value // 100}
    for action, expected in words.items():
        same(f"action {action:#x}", totals.get((action, b"")), expected)
    for action, bucket in distributed.items():
        same(f"action {action:#x}", filled(action), buckets(Counter(map(bucket, every))))
    return wrong


def instance_paths(plan: Plan) -> list[str]:
    """The paths of the bare instances."""
    return [f"g{number}-{at // GROUP}/i{seed}" for number in range(plan.workers)
            for at, seed in enumerate(plan.bare[number::plan.workers])]


class Drive:
    """What a consumer does: `root` is asked who is there, and then for what it has, round after round."""

    def __init__(self, plan: Plan, root: Relay) -> None:
        self.plan, self.root, self.results = plan, root, Results()
        self._paths: dict[int, str] = {}
        self._ask(f.Identify(f.VERSION, f.HOPS, "", (), NONE))
        self._paths = {number: each.path for number, each in root.instances.items()}

    def _ask(self, frame: f.Down) -> None:
        self.results.take(list(self.root.handle(frame)), self._paths)

    def enable(self) -> None:
        for source, machines in ((FIRE, False), (TICK, True)):
            meant = tuple(n for n, path in self._paths.items() if path.startswith("m") == machines)
            if meant:
                self._ask(f.Enable(meant, bare.program(source, **OPTIONS)))
        self._ask(f.Go(tuple(self._paths), 1))

    def rounds(self) -> Iterator[int]:
        """Go through all rounds, and yield the number of each after it."""
        for step in range(1, self.plan.seconds * ROUNDS + 1):
            self._ask(f.Run(step * bare.SECOND // ROUNDS))
            self._ask(f.Harvest(f.BUFFERS, f.EVERY, 1))
            self._ask(f.Harvest(f.AGGREGATIONS, f.EVERY, 1))
            yield step

    def close(self) -> None:
        self._ask(f.Close())
        self.root.close()


if __name__ == "__main__":
    main(int(sys.argv[1]))
