"""Instances without a machine: a framework over a host of a few numbers, and what hangs instances together.

A bare instance has one provider, `bare`, whose probe fires `rate` times a second of virtual time.  Its
arguments are a number that the seed determines, the seed, the real time, and what is left of the firing's
number divided by `SAMPLE`.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence
from functools import lru_cache

from dc.compiler import compile as compile_d
from dc.options import Options
from dof.options import TABLE
from dof.writer import write
from runtime.framework.base.host import MemoryFault
from runtime.framework.device import FrameworkDevice
from runtime.framework.framework import Framework
from runtime.framework.probes.privileges import Credentials, Privilege
from runtime.framework.probes.registry import Operations, attributes
from runtime.instances.endpoint.endpoint import Endpoint
from runtime.instances.endpoint.waiting import Waiting
from runtime.providers import dtrace

ATTRIBUTES = attributes(*["Evolving/Evolving/Common"] * 5)
SECOND = 10**9
SAMPLE = 25


class BareContext:
    """The only thread."""

    pid, ppid, tid, uid, gid, zone, errno, address = 7, 1, 7, 0, 0, 0, 0, 0xFFFFFF0000000000
    execname, psargs, zonename, threadname = b"bare", b"bare", b"global", b"bare"

    def read(self, address: int, size: int) -> bytes:
        raise MemoryFault(address)

    read_string = write = read

    def register(self, index: int) -> int:
        return 0

    def user_stack(self, limit: int) -> Sequence[int]:
        return [0x400100, 0x400200][:limit]

    def user_frames(self, limit: int) -> Sequence[tuple[int, int]]:
        return [(pc, 0) for pc in self.user_stack(limit)]

    def file(self, descriptor: int) -> int:
        return 0

    def is_of(self, uid: int, gid: int) -> bool:
        return True

    def is_progeny_of(self, pid: int) -> bool:
        return pid == 7

    changed_credentials = False


class Timer:
    def cancel(self) -> None:
        """There are no cyclics here."""


class BareHost:
    """Time that passes when it is told to."""

    ncpus, cpu, probing = 1, 0, False

    def __init__(self) -> None:
        self.current = BareContext()
        self.time = 1

    def hrtime(self) -> int:
        return self.time

    vtime = hrtime

    def walltime(self) -> int:
        return self.time + 10**18

    def load(self, address: int, size: int) -> bytes:
        raise MemoryFault(address)

    def store(self, address: int, data: bytes) -> None:
        raise MemoryFault(address)

    def size(self, structure: str) -> int:
        raise LookupError(structure)

    def offset(self, structure: str, member: str) -> int:
        raise LookupError(structure)

    def kernel_stack(self, limit: int) -> Sequence[int]:
        return [0xFFFFFFFFFB000010][:limit]

    def cyclic(self, interval: int, function: Callable[[], None], *, cpu: int | None = None,
               start: int | None = None) -> Timer:
        return Timer()

    def cross_call(self) -> None:
        """There is one CPU."""

    def chill(self, nanoseconds: int) -> None:
        self.time += nanoseconds


def argument(seed: int, number: int) -> int:
    """arg0 of a firing."""
    return (seed * 7919 + number * 31) % 1000


class BareInstance:
    """What an endpoint stands before (runtime.instances.endpoint.endpoint.Traced)."""

    ncpus, interrupted, real_clock = 1, False, False
    types_hash = hashlib.sha256(b"bare").digest()
    doings: dict[int, Callable[[list[object]], object]] = {}

    def __init__(self, seed: int = 0, rate: int = 100) -> None:
        self.seed, self.rate = seed, rate
        self.host = BareHost()
        self.framework = Framework(lambda: self.host, engine="interpret")  # type: ignore[arg-type]
        self.registry = self.framework.registry
        dtrace.install(self.registry)
        provider = self.framework.register("bare", ATTRIBUTES, Privilege.KERNEL, Operations())
        self.probe = provider.create("mod", "func", "fire")
        self.fired = 0
        self._device = FrameworkDevice(self.framework, Credentials())
        self.waiting = Waiting(self._device)

    def open(self) -> FrameworkDevice:
        return self._device

    def now(self) -> int:
        return self.host.time

    def argument(self, number: int) -> int:
        """arg0 of a firing."""
        return argument(self.seed, number)

    def wait(self, until: int) -> bool:
        """Fire at every multiple of the interval that passes."""
        interval = SECOND // self.rate
        first = self.host.time // interval + 1
        for number in range(first, until // interval + 1):
            self.host.time = number * interval
            self.fired += 1
            if self.probe.fire is not None:
                self.probe.fire(self.argument(number), self.seed, time.monotonic_ns(), number % SAMPLE,
                                0)
        self.host.time = max(self.host.time, until)
        return False

    def interrupt(self) -> None:
        """Nothing takes long here."""

    def close(self) -> None:
        """Nothing is open."""


@lru_cache
def program(source: str, **values: int) -> bytes:
    """DOF of a D program about the provider `bare`, with run-time options."""
    compiled = compile_d(source, options=Options({"zdefs": 1})).program
    numbers = {name: TABLE[name].id for name in values}
    compiled.options = [(int(numbers[name] or 0), value) for name, value in values.items()]
    return write(compiled)


def endpoint(seed: int = 0, rate: int = 100) -> Endpoint:
    return Endpoint(BareInstance(seed, rate), system="bare")
