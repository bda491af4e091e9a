"""The kernel's side of the border: whatever a consumer sends, the device carries it out or refuses it.

An input is requests, one after the other: a byte for the command, two for the size of what is sent, and that.
"""

from __future__ import annotations

import struct

from runtime.border import ArgDesc, BorderError, BufDesc, Command, ProbeDescription, ProviderDesc
from runtime.framework.probes.privileges import Credentials
from tests.fuzz import layouts, programs
from tests.fuzz.engine import Target
from tests.fuzz.mutation import Field, blind, fields, mixed
from tests.fuzz.worlds import world

HEAD = struct.Struct("<BH")
MOST = 24  # requests of an input
FIRE, TICK = 200, 201  # what is no request: a probe fires, time passes
CREDENTIALS = (Credentials(), Credentials(kernel=False))


def requests(data: bytes) -> list[tuple[int, int, int]]:
    """Command, start and end of each request."""
    found, at = [], 0
    while at + HEAD.size <= len(data) and len(found) < MOST:
        command, size = HEAD.unpack_from(data, at)
        at += HEAD.size
        found.append((command, at, min(at + size, len(data))))
        at += size
    return found


class _Requests:
    def __init__(self) -> None:
        self._worlds = [world("translate", 2), world("interpret", 2)]
        self._turn = 0

    def __call__(self, data: bytes) -> object:
        self._turn += 1
        made = self._worlds[self._turn % len(self._worlds)]
        device = made.tracer(CREDENTIALS[len(data) % len(CREDENTIALS)]).device
        ends = []
        try:
            for command, start, end in requests(data):
                ends.append(self._request(made, device, command, data[start:end]))
        finally:
            device.close()
            made.host.timers.clear()
        return frozenset(ends)

    @staticmethod
    def _request(made, device, command, payload):  # type: ignore[no-untyped-def]
        if command == FIRE:
            for probe in (made.a, made.b):
                made.fire(probe, *payload[:5])
            return FIRE
        if command == TICK:
            made.host.time += 1 << 30
            for timer in list(made.host.timers):
                timer.function()
            return TICK
        try:
            try:
                number = Command(command)
            except ValueError:
                number = command  # no request that there is
            return command, len(device.ioctl(number, payload)).bit_length()
        except BorderError as error:
            return command, -(error.errno or 0)


def request(command: int, payload: bytes = b"") -> bytes:
    """A request as inputs have it."""
    return HEAD.pack(command, len(payload)) + payload


def seeds() -> list[bytes]:
    probe = ProbeDescription(1, "test", "mod", "func", "a")
    asking = [request(Command.PROVIDER, ProviderDesc("test").pack()), request(Command.PROBES, probe.pack()),
              request(Command.PROBEMATCH, ProbeDescription(0, "t*", "", "", "[a-b]").pack()),
              request(Command.PROBEARG, ArgDesc(4, 0).pack()), request(Command.CONF),
              request(Command.REPLICATE, probe.pack() + probe._replace(name="b").pack())]
    looking = [request(Command.EPROBE, struct.pack("<I", 1)), request(Command.AGGDESC, struct.pack("<I", 1)),
               request(Command.FORMAT, struct.pack("<H", 1)), request(Command.DOFGET),
               request(Command.STATUS),
               request(Command.BUFSNAP, BufDesc(cpu=0).pack()),
               request(Command.AGGSNAP, BufDesc(cpu=1).pack())]
    sessions = [b"".join((request(Command.ENABLE, dof), asking[-1], request(Command.GO),
                          request(FIRE, b"\1\2\3\4\5"),
                          request(TICK), *looking, request(Command.STOP),
                          *looking)) for dof in programs.enablings()]
    return [b"".join(asking), *sessions]


def located(data: bytes) -> list[Field]:
    """The numbers of requests: those of DOF, and every word of the others."""
    found: list[Field] = []
    for command, start, end in requests(data):
        found.append((start - HEAD.size, 1, "little"))
        if command == Command.ENABLE:
            found += [(start + at, size, order) for at, size, order in layouts.dof(data[start:end])]
        else:
            found += [(at, 4, "little") for at in range(start, min(end - 3, start + 64), 4)]
    return found


def target() -> Target:
    return Target(_Requests(), (), mixed((4, fields(located)), (1, blind)), seeds)
