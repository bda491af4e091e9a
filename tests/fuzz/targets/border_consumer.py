"""The consumer's side of the border: whatever a kernel sends, it is reported, or refused in one way.

Real sessions are recorded: the device's results in their order.  An input is such a recording, changed; a
device that plays it takes the kernel's place.  A result: a byte for the command, one for an error number
(0 is none), two for the size, and the bytes.
"""

from __future__ import annotations

import io
import struct
from collections import deque
from functools import cache
from typing import TYPE_CHECKING

from dc.compiler import Compiler, CompileResult
from runtime.border import BorderError, Command
from runtime.consumer.consumer import Consumer
from runtime.consumer.events.errors import AnswerError, TraceError
from runtime.consumer.output.jsonlines import Json
from runtime.consumer.output.stream import Output
from runtime.consumer.output.text import Text
from tests.fuzz import programs
from tests.fuzz.engine import Target
from tests.fuzz.mutation import Field, blind, fields, mixed
from tests.fuzz.worlds import world
from tests.unit.consumer.fakes import FakeSystem, FewSymbols

if TYPE_CHECKING:
    from runtime.border import Device
    from tests.unit.framework.conftest import World

HEAD = struct.Struct("<BBH")
CPUS = 2
OPTIONS = {"bufsize": "4k", "aggsize": "4k", "destructive": None}
PROGRAMS = (
    *programs.FIRING[:9],
    'test:::a { printf("%Y %s %p %a\\n", walltimestamp, probefunc, arg0, arg1); '
    '@c[arg0] = count(); printa("%d %@d\\n", @c); }',
    'test:::a { @q[probename, arg0 % 3] = llquantize(arg1, 10, 0, 6, 20); '
    '@s = stddev(arg0); normalize(@q, 2); }',
    'test:::a { sym(arg0); usym(arg1); func(arg0); umod(arg1); stack(3); ustack(3, 40); setopt("quiet"); }',
    '#pragma D option flowindent\n#pragma D option temporal\ntest:::a { trace(execname); print(arg0); }',
    '#pragma D option bufpolicy=fill\ntest:::a { system("echo %d", arg0); freopen("x"); ftruncate(); }')


class Silent(Output):
    """Output in memory that no program can lead elsewhere."""

    def reopen(self, path: bytes) -> None:
        """Stay where it is."""


class Recorder:
    """A device that keeps what another one returns."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self.kept = bytearray()

    def ioctl(self, command: Command, payload: bytes = b"") -> bytes:
        try:
            result = self._device.ioctl(command, payload)
        except BorderError as error:
            self.kept += HEAD.pack(command, error.errno or 1, 0)
            raise
        if len(result) <= 0xFFFF:
            self.kept += HEAD.pack(command, 0, len(result)) + result
        return result

    def close(self) -> None:
        self._device.close()


class Player:
    """A device that returns what a recording has for each command, and its last once more at the end."""

    def __init__(self, recording: bytes) -> None:
        self._results: dict[int, deque[tuple[int, bytes]]] = {}
        at = 0
        while at + HEAD.size <= len(recording):
            command, number, size = HEAD.unpack_from(recording, at)
            at += HEAD.size
            self._results.setdefault(command, deque()).append((number, recording[at:at + size]))
            at += size

    def ioctl(self, command: Command, payload: bytes = b"") -> bytes:
        results = self._results.get(command)
        if not results:
            raise BorderError(22, "nothing is recorded")
        number, result = results.popleft() if len(results) > 1 else results[0]
        if number:
            raise BorderError(number, "recorded")
        return result

    def close(self) -> None:
        pass


class System(FakeSystem):
    """A machine that lets some time pass, with a few symbols, and the types of the kernel."""

    def __init__(self) -> None:
        super().__init__(CPUS)
        self.symbols = FewSymbols()
        self.types = programs.catalog().types

    def user_arguments(self, _probe: object) -> None:
        """No program is known."""

    def user_type(self, _probe: object, _name: str) -> None:
        """No program is known."""


@cache
def compiled(number: int) -> CompileResult:
    """One of PROGRAMS."""
    return Compiler(programs.catalog()).compile(PROGRAMS[number])


def work(device: Device, program: CompileResult, as_json: bool, made: World | None = None) -> bytes:
    """A session from its beginning to its end; what it prints."""
    stream = io.BytesIO()
    consumer = Consumer(device, System(), ids={"pid": 1})
    output = Silent(stream)
    reporter = Json(output, consumer) if as_json else Text(
        output, consumer.settings, consumer.aggregations, notice=lambda line: None,
        type_named=consumer.types.get)
    try:
        for name, value in OPTIONS.items():
            consumer.setopt(name, value)
        consumer.adopt(program.options)
        consumer.names.update(program.aggregations)
        consumer.types.update(program.types)
        consumer.enable(program.program)
        consumer.handler = reporter
        consumer.go()
        for turn in range(3):
            for number in range(4 if made is not None else 0):
                made.host.cpu = number % CPUS
                made.host.time += 10
                for probe in (made.a, made.b):
                    made.fire(probe, number, turn, 5, 3, 1)
            consumer.system.time += 2_000_000_000
            consumer.work()
        consumer.stop()
        consumer.work()
        reporter.finish()
    finally:
        consumer.close()
    return stream.getvalue()


class _Listening:
    def __init__(self) -> None:
        self._turn = 0

    def __call__(self, data: bytes) -> object:
        self._turn += 1
        which = data[0] % len(PROGRAMS) if data else 0
        text = work(Player(data[1:]), compiled(which), bool(self._turn & 1))
        return len(text).bit_length()


def seeds() -> list[bytes]:
    recordings = []
    for number in range(len(PROGRAMS)):
        made = world("translate", CPUS)
        recorder = Recorder(made.tracer().device)
        work(recorder, compiled(number), False, made)
        recordings.append(bytes((number,)) + bytes(recorder.kept))
    return recordings


def located(data: bytes) -> list[Field]:
    """Every word of the results, but of the names of probes only some."""
    found: list[Field] = []
    at = 1
    while at + HEAD.size <= len(data):
        command, _number, size = HEAD.unpack_from(data, at)
        found += [(at, 1, "little"), (at + 1, 1, "little")]
        at += HEAD.size
        step = 48 if command in (Command.PROBES, Command.PROBEMATCH, Command.PROVIDER) else 4
        found += [(place, 4, "little") for place in range(at, min(at + size, at + 800) - 3, step)]
        at += size
    return found


def target() -> Target:
    return Target(_Listening(), (TraceError, AnswerError, BorderError),
                  mixed((5, fields(located)), (1, blind)),
                  seeds)
