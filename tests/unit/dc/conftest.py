"""A D program compiled, enabled in a framework over a host of nothing, fired, and its records read back."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence

import pytest

from dc.compiler import compile as compile_d
from dc.options import Options
from dof.model import Program
from dof.writer import write
from runtime.border import BUFDESC, RECHDR, BufDesc, Command, EprobeDesc
from runtime.framework.base.host import MemoryFault
from runtime.framework.device import FrameworkDevice
from runtime.framework.framework import Framework
from runtime.framework.probes.privileges import Credentials, Privilege
from runtime.framework.probes.registry import Operations, Probe, attributes
from runtime.providers import dtrace


class Memory:
    """One region of bytes."""

    def __init__(self, address: int, data: bytes) -> None:
        self.address = address
        self.data = bytearray(data)

    def place(self, address: int, size: int) -> int:
        at = address - self.address
        if at < 0 or at + size > len(self.data):
            raise MemoryFault(address)
        return at

    def load(self, address: int, size: int) -> bytes:
        at = self.place(address, size)
        return bytes(self.data[at:at + size])

    def store(self, address: int, data: bytes) -> None:
        at = self.place(address, len(data))
        self.data[at:at + len(data)] = data


class Context:
    """The thread that runs into the probe."""

    pid, ppid, tid, uid, gid, zone, errno = 100, 1, 101, 0, 0, 0, 0
    address = 0xFFFFFE0000001000
    execname, psargs, zonename, threadname = b"prog", b"prog -x", b"global", b"main"


class Host:
    """Just enough of a kernel."""

    ncpus, cpu = 1, 0

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.current = Context()
        self.load, self.store = memory.load, memory.store

    def hrtime(self) -> int:
        return 1_000_000

    vtime = walltime = hrtime

    def cyclic(self, *_args: object, **_named: object) -> Host:
        return self

    def cancel(self) -> None:
        pass


class Raw(Operations):
    def getarg(self, probe: Probe, index: int) -> int:
        return index


KERNEL = 0xFFFFFE0000000000
ENGINES = ("interpret", "translate")


def compiled(source: str, options: Sequence[str] = ()) -> Program:
    """The program of a source text, under options as -x takes them."""
    settings = Options()
    for option in options:
        settings.assign(option)
    return compile_d(source, options=settings).program


def records(program: Program, args: Sequence[int], engine: str, memory: bytes = b"") -> list[bytes]:
    """The records that the program's clauses for probe `t` leave when it fires once."""
    host = Host(Memory(KERNEL, memory))
    framework = Framework(lambda: host, engine=engine)  # type: ignore[arg-type]
    dtrace.install(framework.registry)
    attributes_ = attributes(*["Evolving/Evolving/Common"] * 5)
    provider = framework.register("test", attributes_, Privilege.KERNEL, Raw())
    probe = provider.create("mod", "func", "t")
    device = FrameworkDevice(framework, Credentials())
    program.options = [(0, 1 << 18), (2, 1 << 16)]  # bufsize, dynvarsize
    device.ioctl(Command.ENABLE, write(program))
    device.ioctl(Command.GO)
    assert probe.fire is not None
    probe.fire(*(list(args) + [0] * 5)[:5])
    data = device.ioctl(Command.BUFSNAP, BufDesc(cpu=0).pack())[BUFDESC.size:]
    found: list[bytes] = []
    at = 0
    while at + RECHDR.size <= len(data):
        epid = struct.unpack_from("<I", data, at)[0]
        if not epid:
            at += 4
            continue
        description = EprobeDesc.unpack(device.ioctl(Command.EPROBE, struct.pack("<I", epid)))
        found += [data[at + each.offset:at + each.offset + each.size] for each in description.records
                  if each.size]
        at += description.size
    return found


@pytest.fixture
def fire() -> Callable[..., list[bytes]]:
    """`records` through both engines, which must agree."""
    def both(source: str, *args: int, memory: bytes = b"", options: Sequence[str] = ()) -> list[bytes]:
        program = compiled(source, options)
        first, second = (records(program, args, engine, memory) for engine in ENGINES)
        assert first == second
        return first
    return both


@pytest.fixture
def number(fire: Callable[..., list[bytes]]) -> Callable[..., int]:
    """The one signed integer that an expression evaluates to, with and without the optimizer."""
    def evaluate(expression: str, *args: int, memory: bytes = b"") -> int:
        source = f"test:::t {{ trace((int64_t)({expression})); }}"
        results = [fire(source, *args, memory=memory, options=(f"opt={opt}",)) for opt in (1, 0)]
        assert results[0] == results[1]
        (value,) = results[0]
        return int.from_bytes(value, "little", signed=True)
    return evaluate


@pytest.fixture
def recorded() -> Callable[..., list[list[list[bytes]]]]:
    """`records` of a source text through each engine, for each of several values of arg0."""
    def each(source: str, values: Sequence[int], options: Sequence[str]) -> list[list[list[bytes]]]:
        program = compiled(source, options)
        return [[records(program, [value], engine) for value in values] for engine in ENGINES]
    return each
