"""What a hop says down and up, frame by frame: `dialogues.txt`.

Children are scripts: each has a list of answers for each request that it gets.  A dialogue is told by rows
`> request` (to the hop), `name < request` and `name > answers` (of a child), `name ! reason` (an offence),
and `< answer`.  `make golden` writes the file anew; read the diff before you commit it.
"""

from __future__ import annotations

import errno
import json
import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import UUID

import pytest

from dc.compiler import compile as compile_d
from dc.options import Options
from dof.model import ActionKind as A
from dof.options import OptionId
from dof.reader import read
from dof.writer import write
from runtime.border import (
    RECHDR,
    AggDesc,
    ArgDesc,
    BufDesc,
    Command,
    EprobeDesc,
    ProbeDescription,
    RecDesc,
)
from runtime.consumer.reader import ERROR_ECB
from runtime.instances.hop.children import Child
from runtime.instances.hop.relay import Relay
from runtime.instances.roster.clusterfile import Limits
from runtime.instances.wire import frames as f
from runtime.instances.wire.links import Lost, Quarantined
from runtime.instances.wire.verbs import Verb

HERE = Path(__file__).parent
TYPES, OTHERS = bytes(31) + b"\1", bytes(31) + b"\2"
DESCRIBED = {Command.EPROBE: EprobeDesc, Command.AGGDESC: AggDesc, Command.PROBES: ProbeDescription,
             Command.PROBEARG: ArgDesc}
Dialogue = Callable[["Hop"], None]


def boot(number: int) -> UUID:
    return UUID(int=number)


def shown(value: object) -> str:
    """A value as a dialogue tells it: identities by their last digits, bytes as text or in hexadecimal."""
    if isinstance(value, UUID):
        return f"#{value.hex[-4:]}"
    if isinstance(value, bytes) and len(value) > 8 and not any(value[:-1]):
        return f"{len(value) - 1} zeros, {value[-1]}"
    if isinstance(value, bytes):
        return f"dof {sorted(read(value).options)}" if value[:4] == b"\x7fDOF" and len(value) > 64 else \
            repr(value)[1:] if value.isascii() and value.decode().isprintable() else value.hex()
    if isinstance(value, RecDesc):
        return f"{value.size}@{value.offset}:{value.action:x},{value.format},{value.arg}"
    if isinstance(value, EprobeDesc):
        return (f"epid {value.epid} probe {value.probe_id} uarg {value.uarg} size {value.size} "
                f"{shown(value.records)}")
    if isinstance(value, AggDesc):
        return f"id {value.id} epid {value.epid} size {value.size} {shown(value.records)}"
    if isinstance(value, BufDesc):
        return " ".join(f"{name}={number}" for name, number in value._asdict().items() if number)
    if isinstance(value, ProbeDescription | ArgDesc):
        return str(tuple(value))
    if isinstance(value, tuple):
        return f"[{' '.join(map(shown, value))}]"
    return repr(value) if isinstance(value, str) else str(value)


def told(frame: f.Down | f.Up) -> str:
    """A frame in a row."""
    fields: list[object] = list(frame)
    if isinstance(frame, f.Describe) and frame.command in DESCRIBED:
        fields[-1] = DESCRIBED[Command(frame.command)].unpack(frame.data)
    if isinstance(frame, f.Snap):
        fields[-1:] = BufDesc.unpack(frame.data), frame.data[48:]
    return " ".join([type(frame).__name__, *map(shown, fields)])


class Scripted:
    """A child's connection: it tells the rows of what it hears, and says what it is to say."""

    def __init__(self, name: str, rows: list[str]) -> None:
        self.name, self.rows = name, rows
        self.answers: list[list[f.Up] | Exception] = []
        self.offences, self.back = 0, None
        self.patience = 3  # offences of one request

    def send(self, frame: f.Down) -> None:
        self.rows.append(f"  {self.name} < {told(frame)}")
        if self.answers and isinstance(self.answers[0], ConnectionError):
            raise Lost(str(self.answers.pop(0)))

    def receive(self) -> list[f.Up]:
        answer = self.answers.pop(0) if self.answers else []
        if isinstance(answer, Exception):
            raise answer
        self.rows += [f"  {self.name} > {told(each)}" for each in answer]
        return list(answer)

    def offend(self, reason: str) -> None:
        self.rows.append(f"  {self.name} ! {reason}")
        self.offences += 1
        if self.offences == self.patience:
            raise Quarantined(reason)

    def returned(self) -> bool | None:
        return self.back

    def halt(self) -> None:
        self.rows.append(f"  {self.name} is halted")

    def close(self) -> None:
        self.rows.append(f"  {self.name} is closed")


class Hop:
    """A hop over `host` (its own machine), `p` (trusted) and `q` (not trusted, nor allowed to destroy)."""

    def __init__(self, rows: list[str], limits: Limits | None = None, names: str = "host p q") -> None:
        self.rows = rows
        self.children = {name: Scripted(name, rows) for name in names.split()}
        self.relay = Relay([Child(number, "" if name == "host" else name, connection, trusted=name != "q",
                                  destructive=name != "q", speaker=f"{name}:1")
                            for number, (name, connection) in enumerate(self.children.items())], limits,
                           {"": 0, "q": 1, "p": 2})
        self.relay.family.boot = boot(0xAA)

    def say(self, frame: f.Down, **answers: list[list[f.Up] | Exception] | list[f.Up] | Exception) -> None:
        """Give the hop a request; `answers` are those of its children: of one request, or of several."""
        for name, answer in answers.items():
            several = isinstance(answer, list) and answer and isinstance(answer[0], list | Exception)
            self.children[name].answers += answer if several else [answer]  # type: ignore[operator,list-item]
        for child in self.children.values():
            child.offences = 0
        self.rows.append(f"> {told(frame)}")
        for each in self.relay.handle(frame):
            self.rows.append(f"< {told(each)}")
        for child in self.children.values():
            if child.answers:
                raise AssertionError("\n".join(self.rows[-60:]))

    def meet(self, told: bool = False) -> None:
        start = len(self.rows)
        self.say(f.Identify(f.VERSION, 5, "top", (boot(1),), now=9, types=TYPES),
                 host=[*hello(0x10), there(0x10, 0)], p=[*hello(0x20), there(0x20, 0), there(0x21, 5, "x")],
                 q=[*hello(0x30), there(0x30, 7, types=OTHERS)])
        if not told:
            del self.rows[start:]


def hello(number: int, *below: int, version: int = f.VERSION) -> list[f.Up]:
    return [f.Hello(version, boot(number), (boot(number), *map(boot, below)))]


def there(number: int, instance: int, path: str = "", cpus: int = 2, types: bytes = TYPES,
          providers: tuple[tuple[str, int], ...] = ()) -> f.Advertise:
    return f.Advertise(instance, path, boot(number), cpus, 100 + instance, f"lx {number:x}", types,
                       tuple((name, boot(uuid)) for name, uuid in providers))


def acquaintance(hop: Hop) -> None:
    """Who there is: numbers, paths, providers; then what each may not say of itself."""
    hop.meet(told=True)
    hop.say(f.Run(2), p=[there(0x20, 0, providers=(("io", 0x99), ("sched", 0x98)))],
            q=[there(0x30, 7, types=OTHERS, providers=(("io", 0x99), ("mine", 0x97)))])
    hop.say(f.Identify(f.VERSION, 1, "", (boot(1),)), p=[*hello(0x20), there(0x22, 0), there(0x23, 9, "x")],
            q=[f.Advertise(7, "", boot(0x31), 2, 3, "l\nx", OTHERS, ()), f.Retire(7, "h\1", "why\n", 4)])
    hop.say(f.Run(3), p=[f.Retire(5, "top/p", "quarantined: x", 2), f.Retire(6, "", "", 0)])
    hop.say(f.Stop((0, 1, 2, 3, 4, 9)))
    hop.say(f.Run(5), p=[there(0x21, 5, "x")])
    for frame in (f.Identify(f.VERSION, 0, "", ()), f.Identify(f.VERSION, 5, "", (boot(0xAA),))):
        hop.say(frame)


def bad_company(hop: Hop) -> None:
    """Hellos that are refused."""
    hop.say(f.Identify(f.VERSION, 5, "", (boot(1),)), host=hello(0x10, version=f.VERSION + 1),
            p=hello(0x20, 1), q=[f.Refused(0, errno.ELOOP, "too\tdeep"), *hello(0x30)])
    hop.say(f.Stop(()))


def circles(hop: Hop) -> None:
    """Hellos with the same boot twice, or ours; no hello; a child that is lost."""
    hop.say(f.Identify(f.VERSION, 5, "", (boot(1),)), host=[f.Beat()], p=hello(0x20, 0x21, 0x21),
            q=[Quarantined("rude")])
    hop.say(f.Run(5), host=[ConnectionError("broken")])
    hop.say(f.Run(6))


CLAIMS = {"a path": there(0x32, 8, "a b"), "no CPUs": there(0x32, 8, "x", cpus=0),
          "1024 CPUs": there(0x32, 8, "x", cpus=1024), "1025 CPUs": there(0x32, 8, "x", cpus=1025),
          "types": there(0x32, 8, "x", types=TYPES[1:]),
          "4 providers": there(0x32, 8, "x", providers=tuple((f"p{n}", 0x50 + n) for n in range(4))),
          "5 providers": there(0x32, 8, "x", providers=tuple((f"p{n}", 0x50 + n) for n in range(5))),
          "other types": there(0x30, 7, types=TYPES)}


def claim(what: str) -> Dialogue:
    def dialogue(hop: Hop) -> None:
        hop.meet()
        hop.say(f.Run(4), q=[CLAIMS[what], f.Done(7, 1)])

    return dialogue


def dof(source: str, **values: int) -> bytes:
    program = compile_d(source, options=Options({"zdefs": 1})).program
    program.options = sorted((getattr(OptionId, name.upper()), value) for name, value in values.items())
    return write(program)


def begun(hop: Hop, source: str = 'BEGIN { trace(1); printf("%d", 2); } END { @[pid] = count(); }') -> None:
    hop.meet()
    hop.say(f.Enable((0, 1, 2, 3), dof(source, bufsize=1024, destructive=0)))


def beginning(hop: Hop) -> None:
    """What is dealt out: to those that are there, without what they may not do."""
    begun(hop)
    hop.say(f.Enable((1, 8), dof("END { trace(1); }", bufsize=8)), q=[f.Answer(7, b"\2\0\0\0")])
    hop.say(f.Enable((1,), b"\x7fDOF no more"))
    hop.say(f.Go((1, 2, 3), 77), p=[f.Answer(0, b"1"), f.Refused(5, 1, "n\to")],
            q=[f.Answer(7, b"a"), f.Answer(7, b"b"), f.Refused(7, 2, "x"), f.Answer(6, b"")])
    hop.say(f.Stop((0, 3)), host=[f.Answer(0, bytes(4))], p=[f.Answer(5, bytes(4)), f.Answer(9, b"")])
    hop.say(f.Run(90), host=[f.Passed(0, 90, 0, 5), f.Done(90, 1)],
            p=[f.Passed(0, 89, 1, 6), f.Passed(5, 90, 0, 7), f.Done(91, 0)],
            q=[f.Passed(7, 90, 0, 8), f.Done(92, 2)])
    hop.say(f.Run(95), q=[f.Answer(7, bytes(4096)), f.Status(7, bytes(4097), 1), f.Done(92, 2)],
            p=[f.Beat(), f.Answer(0, bytes(4097))], host=[f.Done(95, 0)])
    hop.relay.family.notices += [f.Notice(1, "a", "b", 1)]
    hop.say(f.Run(96), p=[Lost("gone\n")], q=[f.Dropped(7, "q\1", "late", 3), f.Dropped(9, "q", "link", 3),
                                              f.Dropped(7, "q", "soup", 3), f.Notice(7, "k", "t\n", 2),
                                              f.Notice(6, "k", "t", 2)])
    for frame in (f.Ask(3, Command.CONF, b""), f.Ask(9, Command.CONF, b""), f.Ask(2, Command.CONF, b"")):
        hop.say(frame)


def stamps(hop: Hop) -> None:
    """Four stamps: of the machine that is here, and of others over it."""
    hop.meet()
    for own in ([f.Clock(0, 10, 20, 30, 0, 0)], []):
        hop.say(f.Stamp(10), host=[own, [f.Clock(0, 10, 60, 70, 0, 0)]] if own else [own],
                p=[f.Clock(0, 30, 140, 145, 3, 4), f.Clock(5, 30, 40, 50, 0, 0), f.Answer(5, b"")],
                q=[f.Clock(7, 30, 40, 50, -9, 2), f.Clock(7, 30, 40, 50, -9, 2)])


def stamps_of_a_rack(hop: Hop) -> None:
    """Without a machine of its own, a hop hands stamps on."""
    hop.say(f.Identify(f.VERSION, 5, "rack", ()), p=[*hello(0x20), there(0x20, 0)])
    hop.say(f.Stamp(10), p=[f.Clock(0, 10, 140, 145, 3, 4)])


TRACED = EprobeDesc(4, 33, 3, 40, (
    RecDesc(A.DIFEXPR, 4, 12, 4, 0, 0, 1), RecDesc(A.PRINTF, 4, 16, 4, 2, 0, 2),
    RecDesc(A.UADDR, 16, 24, 8, 0, 0, 2)))
FAULTED = EprobeDesc(6, 3, ERROR_ECB, 20, (RecDesc(A.DIFEXPR, 8, 12, 8, 0, 0, 0),))


def snap(instance: int, number: int, sequence: int, data: bytes, cpu: int = 0, **description: int) -> f.Snap:
    return f.Snap(instance, boot(number), sequence, f.BUFFERS, cpu,
                  BufDesc(**{"size": len(data), "cpu": cpu, **description}).pack() + data)


def described(*descriptions: EprobeDesc | ProbeDescription | AggDesc) -> list[f.Up]:
    commands = {EprobeDesc: Command.EPROBE, ProbeDescription: Command.PROBES, AggDesc: Command.AGGDESC}
    return [f.Describe(commands[type(each)], each[0] if isinstance(each, tuple) else
                       each.epid if isinstance(each, EprobeDesc) else each.id, each.pack())
            for each in descriptions]


def record(epid: int, time: int, data: bytes) -> bytes:
    return RECHDR.pack(epid, time >> 32, time & 0xFFFFFFFF) + data


def buffers(hop: Hop) -> None:
    """Principal records of all three, with numbers of the hop."""
    begun(hop)
    probe = ProbeDescription(33, "io", "m\1", "f", "start")
    data = record(4, 1 << 33, struct.pack("<ii4xQQ", 5, 6, 101, 0x400))
    fault = record(6, 7, struct.pack("<Q", 4))
    format_ = f.Describe(Command.FORMAT, 2, b"%d\n")
    every = [format_, *described(probe, TRACED, FAULTED)]
    harvest = f.Harvest(f.BUFFERS, f.EVERY, 1)
    hop.say(harvest, host=[*every, snap(0, 0x10, 1, data)], p=[*every, snap(5, 0x21, 1, data + fault, cpu=1)])
    hop.say(harvest, host=[snap(0, 0x10, 2, data)], p=[snap(0, 0x20, 1, bytes(8) + data, drops=2)])
    hop.say(harvest, p=[snap(0, 0x20, 2, data, cpu=2), snap(9, 0x20, 3, data), f.Refused(0, 5, "x\t")])
    hop.say(harvest, p=[snap(0, 0x20, 4, record(7, 1, b"")), snap(0, 0x20, 5, data[:20])])
    hop.say(harvest, p=[snap(0, 0x20, 6, record(6, 1, struct.pack("<Q", 7))), f.Answer(0, b"")])
    hop.say(f.Harvest(f.STATUSES, f.EVERY, 0), host=[f.Status(0, b"s", 4)], p=[f.Status(9, b"s", 5)])
    for command, payload in ((Command.EPROBE, struct.pack("<I", 100_000)),
                             (Command.FORMAT, struct.pack("<H", 20_000)),
                             (Command.PROBES, ProbeDescription(100_000, "", "", "", "").pack()),
                             (Command.PROBEARG, ArgDesc(100_000, 1).pack())):
        answers = {Command.PROBES: probe.pack(), Command.PROBEARG: ArgDesc(33, 1, 2, "int", "long").pack()}
        hop.say(f.Ask(f.EVERY, command, payload),
                **{"p": [f.Answer(f.EVERY, answers[command])]} if command in answers else {})
    hop.say(f.Do(f.EVERY, Verb.USER_SYMBOL, json.dumps([1 << 20, 9]).encode()), p=[f.Answer(0, b"null")])
    hop.say(f.Do(f.EVERY, Verb.USER_MAPPING, json.dumps([7, 9]).encode()), host=[f.Answer(0, b"3")])


def distrusted(hop: Hop) -> None:
    """Principal records of a child that is not trusted: what it describes must be what our program makes."""
    begun(hop)
    records = (RecDesc(A.DIFEXPR, 4, 12, 4, 0, 0, 1), RecDesc(A.PRINTF, 4, 16, 4, 9, 0, 2))
    right, wrong = EprobeDesc(4, 33, 0, 20, records), EprobeDesc(5, 33, 0, 20, records[:1])
    data = record(4, 50, struct.pack("<ii", 5, 6))
    harvest = f.Harvest(f.BUFFERS, f.EVERY, 1)
    hop.say(f.Run(60), q=[f.Passed(7, 60, 0, 9)])
    hop.say(harvest, q=[f.Describe(Command.FORMAT, 9, b"%d\0"), *described(right),
                        snap(7, 0x30, 1, data + data, timestamp=60)])
    hop.say(harvest, q=[snap(7, 0x30, 2, record(4, 40, data[12:]) + record(4, 70, data[12:]), timestamp=60)])
    for bad in (described(wrong), [f.Describe(Command.EPROBE, 6, right.pack())],
                [f.Describe(Command.FORMAT, 3, b"%s")], [f.Describe(Command.STATUS, 3, b"")],
                [snap(7, 0x30, 2, data)], [snap(7, 0x31, 3, data)], [snap(7, 0x30, 3, data, size=21)],
                [snap(7, 0x30, 4, data, oldest=1)], [snap(7, 0x30, 5, data, cpu=2)],
                [f.Snap(7, boot(0x30), 6, f.AGGREGATIONS, 0, BufDesc(20).pack() + data)],
                [f.Snap(f.EVERY, boot(0x30), 7, f.BUFFERS, 0, BufDesc(20).pack() + data)]):
        hop.say(harvest, q=bad)
    probes = ProbeDescription(2, "a", "b\2", "c", "d"), ProbeDescription(1, "", "", "", "")
    hop.say(f.Ask(1, Command.PROBEMATCH, b"p"), q=[f.Answer(7, b"".join(each.pack() for each in probes))])
    hop.say(f.Ask(1, Command.PROBEMATCH, b"p"), q=[f.Answer(7, b"short")])
    hop.say(f.Ask(1, Command.PROBEMATCH, b"p"), q=[f.Refused(7, errno.ESRCH, "no\tne")])
    hop.children["q"].patience = 1
    hop.say(f.Run(70), q=[f.Passed(7, 70, 0, 20)])
    hop.say(harvest, q=[snap(7, 0x30, 8, data, size=1)])
    hop.say(harvest)


def aggregations(hop: Hop) -> None:
    """Rows of all three, merged."""
    begun(hop, "BEGIN { @[pid] = count(); @i[instance] = sum(1); }")
    count = AggDesc(1, 1, 32, (RecDesc(A.DIFEXPR, 8, 8, 8, 0, 0, 1), RecDesc(A.DIFEXPR, 4, 16, 4, 0, 0, 1),
                               RecDesc(A.AGG_COUNT, 8, 24, 8, 0, 0, 1)))
    other = count.__class__(3, 1, 32, count.records)
    stacks = AggDesc(2, 1, 40, (RecDesc(A.DIFEXPR, 8, 8, 8, 0, 0, 0), RecDesc(A.USYM, 16, 16, 8, 0, 0, 0),
                                RecDesc(A.AGG_MAX, 8, 32, 8, 0, 0, 0)))

    def rows(number: int, instance: int, origin: int, sequence: int, *pairs: tuple[int, int],
             drops: int = 0) -> f.Snap:
        data = b"".join(struct.pack("<IIQi4xQ", number, 0, 1, key, value) for key, value in pairs)
        return f.Snap(instance, boot(origin), sequence, f.AGGREGATIONS, 0,
                      BufDesc(len(data), drops=drops).pack() + data)

    harvest = f.Harvest(f.AGGREGATIONS, f.EVERY, 1)
    hop.say(harvest, host=[*described(count), rows(1, 0, 0x10, 1, (5, 1), (6, 2))],
            p=[*described(other), rows(3, 0, 0x20, 1, (5, 10)), rows(3, 5, 0x21, 1, (7, 20), drops=3)],
            q=[*described(count), rows(1, 7, 0x30, 1, (5, 100), (8, 1), drops=1)])
    usym = struct.pack("<IIQQQQ", 2, 0, 2, 101, 0x400, 9)
    hop.say(harvest, p=[*described(stacks), f.Snap(5, boot(0x21), 2, f.AGGREGATIONS, 0,
                                                   BufDesc(len(usym)).pack() + usym)])
    hop.say(f.Harvest(f.AGGREGATIONS, f.EVERY, 0), host=[rows(1, 0, 0x10, 2, (5, 1))])
    hop.say(harvest)
    for number in (100_000, 100_001, 100_002, 4):
        hop.say(f.Ask(f.EVERY, Command.AGGDESC, struct.pack("<I", number)),
                **{} if 100_000 <= number < 100_002 else {"host": [f.Refused(0, errno.EINVAL, "none")]})
    for bad in ([*described(stacks)], [rows(4, 7, 0x30, 2, (5, 1))],
                [f.Snap(7, boot(0x30), 3, f.AGGREGATIONS, 0, BufDesc(8).pack() + struct.pack("<II", 1, 0))],
                [f.Snap(9, boot(0x30), 4, f.AGGREGATIONS, 0, BufDesc(0).pack())],
                [f.Snap(7, boot(0x30), 5, f.BUFFERS, 0, BufDesc(0).pack())],
                [f.Snap(f.EVERY, boot(0x30), 6, f.AGGREGATIONS, 0, BufDesc(0, drops=4).pack())]):
        hop.say(harvest, q=bad)
    whose = AggDesc(5, 1, 280, (RecDesc(A.DIFEXPR, 8, 8, 8, 0, 0, 2), RecDesc(A.DIFEXPR, 256, 16, 8, 0, 0, 2),
                                RecDesc(A.AGG_SUM, 8, 272, 8, 0, 0, 2)))
    for sequence, (instance, said) in enumerate(((7, b"me"), (f.EVERY, b"top/q/y"), (f.EVERY, b"top/qq")), 7):
        data = struct.pack("<IIQ256sQ", 5, 0, 2, said, 3)
        hop.say(harvest, q=[*described(whose), f.Snap(instance, boot(0x30), sequence, f.AGGREGATIONS, 0,
                                                      BufDesc(len(data)).pack() + data)])
    few = [(key, 1) for key in range(20, 30)]
    hop.say(harvest, q=[rows(1, 7, 0x30, 17, *few)])
    hop.say(harvest, q=[rows(1, 7, 0x30, 18, *few)])


def coming_back(hop: Hop) -> None:
    """A child that was lost is there as it was, with the answer under way; another one has booted anew."""
    begun(hop)
    hop.say(f.Go((0, 1, 2), 5))
    hop.say(f.Run(50), p=[Lost("silence")], q=[Lost("noise")])
    hop.say(f.Run(60))
    hop.children["p"].back, hop.children["q"].back = True, False
    hop.say(f.Run(70), p=[[there(0x20, 0), snap(0, 0x20, 1, bytes(4))], [*hello(0x20), there(0x20, 0)], []],
            q=[[*hello(0x31), there(0x31, 3, types=OTHERS)], [], [], []])
    hop.say(f.Harvest(f.BUFFERS, f.EVERY, 0))
    hop.say(f.Stop((0, 1, 2, 3)))


def ending(hop: Hop) -> None:
    """A run is interrupted where it stands; then everything is closed."""
    hop.meet()
    hop.relay.interrupt()
    hop.say(f.Run(5))
    hop.say(f.Run(6), host=[ConnectionError("torn")])
    hop.say(f.Do(0, Verb.IDS, b"[]"))
    hop.say(f.Do(2, Verb.IDS, b"[]"), p=[f.Beat()])
    hop.say(f.Do(2, Verb.IDS, b"[]"), p=[f.Answer(0, b"{}")])
    hop.say(f.Ack(boot(1), 2))
    hop.say(f.Halt())
    hop.say(f.Close())


def addresses(hop: Hop) -> None:
    """Marked addresses lead to the instance whose they are."""
    begun(hop, "BEGIN { sym(0); }")
    marked = 0b10 << 62 | 0x1000
    desc = EprobeDesc(9, 1, 0, 24, (RecDesc(A.SYM, 8, 16, 8, 0, 0, 1),))
    data = record(9, 5, struct.pack("<4xQ", marked))
    harvest = f.Harvest(f.BUFFERS, f.EVERY, 1)
    hop.say(harvest, q=[*described(desc), snap(7, 0x30, 1, data, timestamp=9)])
    hop.say(harvest, p=[*described(desc), snap(0, 0x20, 1, data)])
    asked = json.dumps([0b10 << 62]).encode()
    for answer in (b'["top/q/a", 5, null]', b'["elsewhere", 5]', b"7", b"[", b"[]", b'["top/q"]'):
        hop.say(f.Do(f.EVERY, Verb.ADDRESS, asked), q=[f.Answer(0, answer)])
    hop.say(f.Do(f.EVERY, Verb.ADDRESS, b"[3]"), host=[f.Answer(0, b'["x", 1]')])


DIALOGUES: dict[str, Dialogue] = {each.__name__: each for each in (
    acquaintance, bad_company, circles, beginning, stamps, buffers, distrusted, aggregations,
    coming_back, ending, addresses)} | {f"claim of {what}": claim(what) for what in CLAIMS}


def transcript(name: str) -> Iterator[str]:
    rows: list[str] = []
    limits = Limits(providers=4, probes=5, keys=6)
    DIALOGUES[name](Hop(rows, limits))
    if name == "stamps":
        stamps_of_a_rack(Hop(rows, limits, "p"))
    yield from (f"== {name}", *rows)


@pytest.mark.parametrize("name", DIALOGUES)
def test_dialogue(name: str) -> None:
    kept = (HERE / "dialogues.txt").read_text().split("== ")
    assert "\n".join(transcript(name)) + "\n" == "== " + next(
        each for each in kept if each.partition("\n")[0] == name)


if __name__ == "__main__":
    (HERE / "dialogues.txt").write_text("".join(f"{row}\n" for name in DIALOGUES for row in transcript(name)))
