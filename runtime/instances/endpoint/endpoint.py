"""One instance behind frames: a machine with its device, or a framework alone.

In come down frames, out go the up frames that answer them.  The device is asked exactly what a consumer
beside it would ask, in the same order, so that the machine cannot tell the two apart.
"""

from __future__ import annotations

import errno
import json
import platform
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Protocol
from uuid import UUID

from runtime.border import (
    BUFDESC,
    RECHDR,
    AggDesc,
    BorderError,
    BufDesc,
    Command,
    EprobeDesc,
    ProbeDescription,
)
from runtime.consumer.events.errors import TraceError
from runtime.consumer.reader import ERROR_ECB
from runtime.instances.roster.identities import new
from runtime.instances.roster.paths import HOST
from runtime.instances.wire import frames as f
from runtime.instances.wire.addresses import Places, change, is_kernels, marked, places_of
from runtime.instances.wire.answering import Answering
from runtime.instances.wire.verbs import Verb

if TYPE_CHECKING:
    from runtime.border import Device
    from runtime.framework.probes.registry import Registry
    from runtime.instances.endpoint.waiting import Waiting

Json = object
Doings = Mapping[int, Callable[[list[Json]], Json]]


class Traced(Protocol):
    """What an endpoint stands before.  Times are nanoseconds since boot."""

    registry: Registry
    waiting: Waiting
    real_clock: bool  # it goes by itself; else time passes as it is told to

    @property
    def ncpus(self) -> int: ...

    @property
    def types_hash(self) -> bytes: ...

    @property
    def interrupted(self) -> bool: ...

    @property
    def doings(self) -> Doings:
        """What can be done beside tracing, by runtime.instances.wire.verbs.Verb."""
        ...

    def open(self) -> Device: ...

    def now(self) -> int: ...

    def wait(self, until: int) -> bool:
        """Let time pass; returns whether it stopped early."""
        ...

    def interrupt(self) -> None:
        """Make `wait` return early; a signal handler may call this."""
        ...

    def close(self) -> None: ...


class Endpoint(Answering):
    """Answers the frames for one instance, whose number is 0."""

    def __init__(self, traced: Traced, *, system: str = "", boot: UUID | None = None) -> None:
        self._traced = traced
        self._device = traced.open()
        self._system = system or f"emulated machine on {platform.node()}"
        self.boot = boot or new()
        self._uuids: dict[str, UUID] = {}  # of providers, by name
        self._advertised: set[str] = set()
        self._path = ""
        self._sequence = 0
        self._began = False
        self._ahead = 0  # of the root's clock
        self._produced = 0
        self._sizes: dict[int, int] = {}  # bytes of the records of each EPID
        self._faults: dict[int, int] = {}  # where the records of ERROR tell which EPID failed
        self._aggregations: dict[int, int] = {}
        self._addresses: dict[tuple[bool, int], Places] = {}  # of kernels, in records and in rows
        self._shared: dict[tuple[Verb, int], int] = {}  # addresses as they are told
        self._foreign = False  # the kernel is of another version than the root's
        self._formats: set[int] = set()
        self._probes: set[int] = set()

    def handle(self, frame: f.Down) -> Iterator[f.Up]:
        """Yield the answer to a frame, a Done at its end."""
        try:
            yield from super().handle(frame)
        except TraceError as error:
            self._began = False
            yield f.Refused(0, f.FAILED, str(error))
            yield from self.ended()

    def ended(self) -> Iterator[f.Up]:
        if self._began:
            yield f.Done(self._now(), f.INTERRUPTED if self._traced.interrupted else 0)
        else:
            yield f.Done(0, 0)

    def _now(self) -> int:
        """The time by the root's clock."""
        return max(self._traced.now() - self._ahead, 0)

    def interrupt(self) -> None:
        """End a Run that is under way."""
        self._traced.interrupt()

    def close(self) -> None:
        self._device.close()
        self._traced.close()

    # -- who this is ----------------------------------------------------------------------------------

    def identify(self, frame: f.Identify) -> Iterator[f.Up]:
        if self.boot in frame.ancestors:
            raise BorderError(errno.ELOOP, "it is an instance of itself")
        if frame.version != f.VERSION:
            raise BorderError(errno.EPROTO, f"it speaks version {f.VERSION} of the protocol")
        self._path = frame.path
        self._foreign = frame.types not in (b"", self._traced.types_hash)
        if self._began and frame.resume == self.boot and not self._traced.real_clock:
            self._ahead = self._traced.now() - frame.now
        self._traced.registry.instance = frame.path or self._traced.registry.instance
        yield f.Hello(f.VERSION, self.boot, (self.boot,))
        yield self._advertisement()

    def _advertisement(self) -> f.Advertise:
        names = self._traced.registry.providers
        for name in names:
            self._uuids.setdefault(name, new())
        self._advertised = set(names)
        now = self._now() if self._began else 0
        return f.Advertise(0, "", self.boot, self._traced.ncpus, now, self._system, self._traced.types_hash,
                           tuple((name, self._uuids[name]) for name in names))

    # -- tracing ---------------------------------------------------------------------------------------

    def enable(self, frame: f.Enable) -> Iterator[f.Up]:
        yield f.Answer(0, self._device.ioctl(Command.ENABLE, frame.dof))

    def begin(self, frame: f.Go) -> Iterator[f.Up]:
        self._ahead = self._traced.now() - frame.now if frame.now else 0
        answer = self._device.ioctl(Command.GO)
        self._began = True
        yield f.Answer(0, answer)

    def stop(self, _frame: f.Stop) -> Iterator[f.Up]:
        yield f.Answer(0, self._device.ioctl(Command.STOP))

    def run(self, frame: f.Run) -> Iterator[f.Up]:
        if not self._began:  # untraced it stands still
            return
        early = self._traced.wait(frame.until + self._ahead)
        waiting = self._traced.waiting.count() if self._path != HOST else 0  # without it everything ends
        yield f.Passed(0, self._now(), early, self._produced + waiting)
        if self._advertised != self._traced.registry.providers.keys():
            yield self._advertisement()

    def harvest(self, frame: f.Harvest) -> Iterator[f.Up]:
        if frame.kind == f.STATUSES:
            yield f.Status(0, self._device.ioctl(Command.STATUS), self._produced)
            return
        cpus = range(self._traced.ncpus) if frame.cpu == f.EVERY else (frame.cpu,)
        command = Command.BUFSNAP if frame.kind == f.BUFFERS else Command.AGGSNAP
        for cpu in cpus:
            try:
                data = self._device.ioctl(command, BufDesc(cpu=cpu).pack())
            except BorderError as error:
                if error.errno == errno.ENOENT and frame.eager:
                    continue
                raise
            if command is Command.BUFSNAP:
                self._traced.waiting.fetched(cpu)
            if frame.eager:
                described, data = self._described(command, data)
                yield from described
            self._sequence += 1
            yield f.Snap(0, self.boot, self._sequence, frame.kind, cpu, data)

    def _described(self, command: Command, data: bytes) -> tuple[list[f.Up], bytes]:
        """Return the descriptions in which a snapshot has to be read and that have not been told yet, and the
        snapshot in order and with the times of the root."""
        principal = command is Command.BUFSNAP
        description = BufDesc.unpack(data)
        body = bytearray(data[BUFDESC.size:BUFDESC.size + description.size])
        if principal and description.oldest:
            body = body[description.oldest:] + body[:description.oldest]
        told: list[f.Up] = []
        sizes, at, smallest = (self._sizes, 0, RECHDR.size) if principal else (self._aggregations, 0, 4)
        while at + smallest <= len(body):
            number = int.from_bytes(body[at:at + 4], "little")
            if not number:
                at += 4
                continue
            if number not in sizes:
                told += (self._epid if principal else self._aggregation)(number)
            if self._addresses[principal, number] and self._path != HOST:
                change(body, self._addresses[principal, number], at, self._told_address)
            if principal:
                told += self._told_fault(number, body, at)
                self._produced += 1
                if self._ahead:
                    _epid, high, low = RECHDR.unpack_from(body, at)
                    time = max((high << 32 | low) - self._ahead, 0)
                    RECHDR.pack_into(body, at, number, time >> 32, time & 0xFFFFFFFF)
            if not sizes[number]:
                break
            at += sizes[number]
        if principal:
            self._produced += description.drops
        description = description._replace(oldest=0, timestamp=max(description.timestamp - self._ahead, 0))
        return told, description.pack() + body

    def _told_address(self, address: int, verb: Verb) -> int:
        """A kernel address as it is told: marked, if it means something here alone."""
        known = self._shared.get((verb, address))
        if known is None:
            look_up = self._traced.doings.get(verb)
            nameless = look_up is not None and look_up([address]) is None
            own = is_kernels(address) and (self._foreign or nameless)
            if len(self._shared) >= MOST_SHARED:
                self._shared.clear()
            known = self._shared[verb, address] = marked(address) if own else address
        return known

    def _told_fault(self, number: int, body: bytearray, at: int) -> list[f.Up]:
        """Return the description of the clause whose fault a record of ERROR tells of."""
        if number not in self._faults:
            return []
        place = at + self._faults[number]
        faulting = int.from_bytes(body[place:place + 4], "little")
        return list(self._epid(faulting)) if faulting and faulting not in self._sizes else []

    def _tell(self, command: Command, number: int, payload: bytes) -> f.Describe:
        return f.Describe(command, number, self._device.ioctl(command, payload))

    def _epid(self, number: int) -> Iterator[f.Up]:
        told = self._tell(Command.EPROBE, number, number.to_bytes(4, "little"))
        description = EprobeDesc.unpack(told.data)
        for record in description.records:
            if record.format and record.format not in self._formats:
                self._formats.add(record.format)
                yield self._tell(Command.FORMAT, record.format, record.format.to_bytes(2, "little"))
        if description.probe_id not in self._probes:
            self._probes.add(description.probe_id)
            wanted = ProbeDescription(description.probe_id, "", "", "", "").pack()
            yield self._tell(Command.PROBES, description.probe_id, wanted)
        self._sizes[number] = description.size
        self._addresses[True, number] = places_of(description.records) if self._foreign else ()
        if description.uarg == ERROR_ECB and description.records:
            self._faults[number] = description.records[0].offset
        yield told

    def _aggregation(self, number: int) -> Iterator[f.Up]:
        told = self._tell(Command.AGGDESC, number, number.to_bytes(4, "little"))
        description = AggDesc.unpack(told.data)
        self._aggregations[number] = description.size
        self._addresses[False, number] = places_of(description.records)
        yield told

    # -- the rest ----------------------------------------------------------------------------------------

    def ask(self, frame: f.Ask) -> Iterator[f.Up]:
        if frame.command not in ASKABLE:
            raise BorderError(errno.ENOTTY, f"request {frame.command} is not asked for")
        yield f.Answer(0, self._device.ioctl(Command(frame.command), frame.payload))

    def do(self, frame: f.Do) -> Iterator[f.Up]:
        doing = self._traced.doings.get(frame.verb)
        if doing is None:
            raise BorderError(errno.ENOTSUP, "it cannot do that")
        try:
            arguments = json.loads(frame.payload)
            if not isinstance(arguments, list):
                raise ValueError
            result = doing(arguments)
        except OSError as error:
            raise BorderError(error.errno or errno.EIO, error.strerror or str(error)) from None
        except (ValueError, TypeError, IndexError, RecursionError) as error:
            raise BorderError(errno.EINVAL, str(error)) from None
        yield f.Answer(0, result if isinstance(result, bytes) else json.dumps(result).encode())

    def stamp(self, frame: f.Stamp) -> Iterator[f.Up]:
        if self._began and self._traced.real_clock:  # any other shows what it was told
            now = self._now()
            yield f.Clock(0, frame.sent, now, now, 0, 0)

    def end(self, _frame: f.Close) -> Iterator[f.Up]:
        self.close()
        return iter(())


MOST_SHARED = 100_000  # addresses that are remembered
ASKABLE = frozenset((Command.PROVIDER, Command.PROBES, Command.PROBEMATCH, Command.EPROBE, Command.PROBEARG,
                     Command.CONF, Command.AGGDESC, Command.FORMAT, Command.DOFGET, Command.REPLICATE))
