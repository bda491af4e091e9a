"""A kernel of a few dictionaries, and short ways to enable and read back."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence

import pytest

from dif.assembler import assemble
from dif.difo import Difo, DifType
from dof import model, writer
from dof.model import Action, ActionKind, Ecb, ProbeDesc, Program
from dof.options import OptionId
from runtime.border import (
    BUFDESC,
    RECHDR,
    AggDesc,
    BufDesc,
    Command,
    EprobeDesc,
    Status,
)
from runtime.framework.base.host import MemoryFault
from runtime.framework.device import FrameworkDevice
from runtime.framework.framework import Framework
from runtime.framework.probes.privileges import Credentials, Privilege
from runtime.framework.probes.registry import Operations, Probe, Provider, attributes
from runtime.providers import dtrace

ATTRIBUTES = attributes(*["Evolving/Evolving/Common"] * 5)


class FakeMemory:
    """Pages of bytes at addresses."""

    def __init__(self) -> None:
        self.regions: dict[int, bytearray] = {}

    def add(self, address: int, data: bytes) -> int:
        self.regions[address] = bytearray(data)
        return address

    def _find(self, address: int, size: int) -> tuple[bytearray, int]:
        for start, data in self.regions.items():
            if start <= address < start + len(data):
                if address + size <= start + len(data):
                    return data, address - start
                raise MemoryFault(start + len(data))
        raise MemoryFault(address)

    def load(self, address: int, size: int) -> bytes:
        data, at = self._find(address, size)
        return bytes(data[at:at + size])

    def store(self, address: int, new: bytes) -> None:
        data, at = self._find(address, len(new))
        data[at:at + len(new)] = new


class FakeContext:
    def __init__(self, pid: int = 100, uid: int = 0) -> None:
        self.pid, self.ppid, self.tid = pid, 1, pid + 1
        self.uid = self.gid = uid
        self.zone = self.errno = 0
        self.changed_credentials = False
        self.address = 0xFFFFFE0000001000
        self.execname, self.psargs = b"prog", b"prog -x"
        self.zonename, self.threadname = b"global", b"main"
        self.memory = FakeMemory()
        self.stack: list[int] = [0x400100, 0x400200]

    def read(self, address: int, size: int) -> bytes:
        return self.memory.load(address, size)

    def read_string(self, address: int, limit: int) -> bytes:
        out = b""
        while len(out) < limit:
            byte = self.memory.load(address + len(out), 1)
            if byte == b"\0":
                break
            out += byte
        return out

    def write(self, address: int, data: bytes) -> None:
        self.memory.store(address, data)

    def register(self, index: int) -> int:
        return 1000 + index

    def user_stack(self, limit: int) -> Sequence[int]:
        return self.stack[:limit]

    def user_frames(self, limit: int) -> Sequence[tuple[int, int]]:
        return [(pc, 0x7000 + number) for number, pc in enumerate(self.stack[:limit])]

    def file(self, descriptor: int) -> int:
        return 0

    def is_of(self, uid: int, gid: int) -> bool:
        return (self.uid, self.gid) == (uid, gid)

    def is_progeny_of(self, pid: int) -> bool:
        return pid in (self.pid, self.ppid)


class FakeTimer:
    def __init__(self, interval: int, function: Callable[[], None], cpu: int | None) -> None:
        self.interval, self.function, self.cpu, self.cancelled = interval, function, cpu, False

    def cancel(self) -> None:
        self.cancelled = True


class FakeHost:
    """Time passes only when a test says so."""

    def __init__(self, ncpus: int = 2) -> None:
        self.ncpus = ncpus
        self.probing = False
        self.closef_hook: Callable[[], None] | None = None
        self.cpu = 0
        self.current = FakeContext()
        self.time = 1_000_000
        self.memory = FakeMemory()
        self.stack = [0xFFFFFFFFFB000010, 0xFFFFFFFFFB000020]
        self.timers: list[FakeTimer] = []
        self.said: list[object] = []
        self.layouts: Mapping[str, Mapping[str, int]] = {}

    def size(self, structure: str) -> int:
        return max(self.layouts[structure].values()) + 8

    def offset(self, structure: str, member: str) -> int:
        return self.layouts[structure][member]

    def hrtime(self) -> int:
        return self.time

    def vtime(self) -> int:
        return self.time // 2

    def walltime(self) -> int:
        return self.time + 10**18

    def load(self, address: int, size: int) -> bytes:
        return self.memory.load(address, size)

    def store(self, address: int, data: bytes) -> None:
        self.memory.store(address, data)

    def kernel_stack(self, limit: int) -> Sequence[int]:
        return self.stack[:limit]

    def cyclic(self, interval: int, function: Callable[[], None], *, cpu: int | None = None,
               start: int | None = None) -> FakeTimer:
        timer = FakeTimer(interval, function, cpu)
        self.timers.append(timer)
        return timer

    def chill(self, nanoseconds: int) -> None:
        self.time += nanoseconds

    def cross_call(self) -> None:
        self.said.append("cross call")

    def stop_process(self, context: object) -> None:
        self.said.append("stop")

    def raise_signal(self, context: object, number: int) -> None:
        self.said.append(("raise", number))

    def panic(self, reason: str) -> None:
        self.said.append(("panic", reason))

    def breakpoint(self) -> None:
        self.said.append("breakpoint")


SIZES = {"int": DifType(size=4), "long": DifType(size=8), "none": DifType(size=0),
         "string": DifType(kind=1, flags=1, size=256)}


def dif(text: str, rtype: str | DifType = "long") -> Difo:
    """A DIF object from a few lines; what it returns."""
    difo = assemble(text)
    difo.rtype = SIZES[rtype] if isinstance(rtype, str) else rtype
    return difo


def const(value: int, rtype: str = "long") -> Difo:
    return dif(f"setx {value}, %r1\nret %r1", rtype)


def trace(text: str, rtype: str | DifType = "long") -> Action:
    return Action(ActionKind.DIFEXPR, dif(text, rtype))


def aggregate(kind: int, variable: int, keys: Sequence[Action] = (), value: Difo | None = None,
              arg: int = 0, increment: Difo | None = None) -> list[Action]:
    """An aggregating action with its tuple, as a compiler lays it out."""
    members = [Action(ActionKind.DIFEXPR, const(variable)), *keys]
    if increment is not None:
        members.append(Action(ActionKind.DIFEXPR, increment))
    return [*members, Action(kind, value, arg=arg, ntuple=len(members))]


class Tracer:
    """One open device with decoding of what comes back."""

    def __init__(self, framework: Framework, credentials: Credentials | None = None) -> None:
        self.device = FrameworkDevice(framework, credentials or Credentials())

    def enable(self, *ecbs: Ecb, **options: int) -> int:
        values = {"bufsize": 1 << 16, "aggsize": 1 << 16, **options}
        numbered = [(getattr(OptionId, name.upper()), value) for name, value in values.items()]
        program = Program(ecbs=list(ecbs), options=numbered)
        return struct.unpack("<i", self.device.ioctl(Command.ENABLE, writer.write(program)))[0]

    def go(self) -> None:
        self.device.ioctl(Command.GO)

    def stop(self) -> None:
        self.device.ioctl(Command.STOP)

    def snap(self, cpu: int = 0) -> tuple[BufDesc, bytes]:
        answer = self.device.ioctl(Command.BUFSNAP, BufDesc(cpu=cpu).pack())
        return BufDesc.unpack(answer), answer[BUFDESC.size:]

    def eprobe(self, epid: int) -> EprobeDesc:
        return EprobeDesc.unpack(self.device.ioctl(Command.EPROBE, struct.pack("<I", epid)))

    def aggdesc(self, number: int) -> AggDesc:
        return AggDesc.unpack(self.device.ioctl(Command.AGGDESC, struct.pack("<I", number)))

    def records(self, cpu: int = 0) -> list[tuple[int, list[bytes]]]:
        """(epid, each record's bytes) in buffer order."""
        desc, data = self.snap(cpu)
        return self.decode(data, desc.oldest)

    def decode(self, data: bytes, oldest: int = 0) -> list[tuple[int, list[bytes]]]:
        out = []
        data = data[oldest:] + data[:oldest]
        at = 0
        while at + RECHDR.size <= len(data):
            epid = struct.unpack_from("<I", data, at)[0]
            if not epid:
                at += 4
                continue
            desc = self.eprobe(epid)
            out.append((epid, [data[at + r.offset:at + r.offset + r.size] for r in desc.records]))
            at += desc.size
        return out

    def integers(self, cpu: int = 0) -> list[tuple[int, ...]]:
        """Every record's values as signed integers, EPID first."""
        return [(epid, *[int.from_bytes(v, "little", signed=True) for v in values])
                for epid, values in self.records(cpu)]

    def aggregations(self, cpu: int = 0) -> dict[tuple[bytes, ...], bytes]:
        """Keys (the variable's id first) → values, of one CPU's snapshot."""
        answer = self.device.ioctl(Command.AGGSNAP, BufDesc(cpu=cpu).pack())
        data, out, at = answer[BUFDESC.size:], {}, 0
        while at < len(data):
            desc = self.aggdesc(struct.unpack_from("<I", data, at)[0])
            *keys, value = [data[at + r.offset:at + r.offset + r.size] for r in desc.records]
            out[tuple(keys)] = value
            at += desc.size
        return out

    def status(self) -> Status:
        return Status.unpack(self.device.ioctl(Command.STATUS))


class Recorder(Operations):
    def __init__(self) -> None:
        self.calls: list[tuple[str, Probe]] = []

    def enable(self, probe: Probe) -> None:
        self.calls.append(("enable", probe))

    def disable(self, probe: Probe) -> None:
        self.calls.append(("disable", probe))

    def getarg(self, probe: Probe, index: int) -> int:
        return 50 + index


class World:
    """A host, its framework, and a provider `test` with probes test:mod:func:a and :b."""

    ActionKind = ActionKind
    Action = Action
    dif = staticmethod(dif)
    const = staticmethod(const)
    trace = staticmethod(trace)
    aggregate = staticmethod(aggregate)

    def __init__(self, engine: str, ncpus: int = 2, target: str = "illumos") -> None:
        self.host = FakeHost(ncpus)
        self.framework = Framework(lambda: self.host, engine=engine, target=target)
        dtrace.install(self.framework.registry)
        self.operations = Recorder()
        self.provider: Provider = self.framework.register(
            "test", ATTRIBUTES, Privilege.KERNEL, self.operations)
        self.a = self.provider.create("mod", "func", "a")
        self.b = self.provider.create("mod", "func", "b")

    def tracer(self, credentials: Credentials | None = None) -> Tracer:
        return Tracer(self.framework, credentials)

    def ecb(self, probe: str, *actions: Action | list[Action], predicate: Difo | None = None) -> Ecb:
        flat = [a for item in actions for a in (item if isinstance(item, list) else [item])]
        parts = probe.split(":")
        return Ecb(ProbeDesc(*[""] * (4 - len(parts)), *parts), predicate, flat)

    def fire(self, probe: Probe, *args: int) -> bool:
        if probe.fire is None:
            return False
        probe.fire(*(list(args) + [0] * 5)[:5])
        return True


ENGINES = ("interpret", "translate")


@pytest.fixture(params=ENGINES)
def world(request: pytest.FixtureRequest) -> World:
    """A world per engine: every test that uses it runs on each."""
    return World(request.param)


@pytest.fixture
def make_world() -> type[World]:
    return World


__all__ = ["FakeHost", "World", "model"]
