"""A hop: several children below, one parent above.  Frames down are dealt out, frames up are made one.

In comes a down frame that speaks of our numbers; each child gets it with its own.  What comes back is checked
against the programs that went down, mapped to our numbers, and merged.  An endpoint of ours, a process with
another hop in it and a machine far away are all children.  A child that lies loses its connection, and
nothing else changes.
"""

from __future__ import annotations

import errno
import json
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Protocol
from uuid import UUID

from dif.records import Record, field, replace
from dof.format import DofError
from dof.options import OptionId
from dof.reader import read
from dof.writer import write
from runtime.border import (
    BUFDESC,
    PROBEDESC,
    RECHDR,
    AggDesc,
    ArgDesc,
    BorderError,
    BufDesc,
    Command,
    EprobeDesc,
    ProbeDescription,
)
from runtime.consumer.reader import ERROR_ECB
from runtime.instances.hop.clocks import Clock, Estimate, estimate
from runtime.instances.hop.layouts import Layouts
from runtime.instances.hop.ledger import CLASSES
from runtime.instances.hop.maps import FIRST, FORMATS, MOST_FORMATS, Maps, Numbers
from runtime.instances.hop.merging import Merger, readdress, renumber, rows_of, with_processes
from runtime.instances.roster.clusterfile import Limits
from runtime.instances.roster.identities import NONE, Directory, apart, new
from runtime.instances.roster.paths import HOST, mistake_in, shown
from runtime.instances.wire import frames as f
from runtime.instances.wire.addresses import places_of
from runtime.instances.wire.answering import Answering
from runtime.instances.wire.links import Lost, Quarantined
from runtime.instances.wire.verbs import Verb

_WORD = struct.Struct("<I")
MOST_INSTANCES = 1024  # of an untrusted child
MOST_ANSWER = 4096  # bytes of an answer that each of many gives
MOST_HELD = 1 << 28  # bytes of snapshots of all untrusted children together ...
LEAST_HELD = 4  # ... unless that is less for one than so many buffers
SAMPLE = 16  # of so many records, one is compared with the instance's memory
_BY_PROCESS = frozenset((Verb.USER_SYMBOL, Verb.USER_MAPPING))
_OF_INSTANCES = (f.Answer, f.Refused, f.Passed, f.Clock, f.Status)


class Connection(Protocol):
    """The way to a child (runtime.instances.wire.links.Link), or to a handler in this process."""

    offences: int

    def send(self, frame: f.Down) -> None:
        """Raises Lost."""

    def receive(self) -> list[f.Up]:
        """Raises Lost."""

    def offend(self, reason: str) -> None:
        """Raises Quarantined."""

    def returned(self) -> bool | None:
        """Whether it is there again after a loss: as it was (True), booted anew (False), or not (None)."""

    def halt(self) -> None: ...

    def close(self) -> None: ...


class Inner:
    """The connection to a handler in this process: the same frames, without bytes between."""

    def __init__(self, handler: object) -> None:
        self._handler = handler
        self._frame: f.Down | None = None
        self.offences = 0

    def send(self, frame: f.Down) -> None:
        self._frame = frame

    def receive(self) -> list[f.Up]:
        assert self._frame is not None
        return list(self._handler.handle(self._frame))  # type: ignore[attr-defined]

    def offend(self, reason: str) -> None:
        raise Quarantined(reason)

    def returned(self) -> bool | None:
        return None

    def halt(self) -> None:
        self._handler.interrupt()  # type: ignore[attr-defined]

    def close(self) -> None:
        """Its Close frame has closed it."""


class Child(Record):
    """One child, from one boot of it to the next.

    `name` is "" for what shares our path: our own machine, or a relay of the root's.  `numbers` maps its
    instances' numbers to ours.  `kept` are snapshots that came after it had been taken for lost.
    """

    number: int
    name: str
    connection: Connection
    trusted: bool = True
    destructive: bool = True
    speaker: str = ""  # what derives the UUIDs of its providers: its name, or host:port
    boot: UUID = NONE
    open: bool = True
    sought: bool = False  # it may come back
    why: str = "it has nothing to say"  # it does not answer
    numbers: dict[int, int] = field(default_factory=dict)
    epids: dict[int, EprobeDesc] = field(default_factory=dict)
    aggregations: dict[int, AggDesc] = field(default_factory=dict)
    formats: dict[int, int] = field(default_factory=dict)
    probes: dict[int, ProbeDescription] = field(default_factory=dict)
    layouts: Layouts = field(default_factory=Layouts)
    # of the last snapshots, by who made them and kind: what comes late follows what came of other kinds
    sequences: dict[tuple[UUID, int], int] = field(default_factory=dict)
    clocks: dict[tuple[int, int], Clock] = field(default_factory=dict)
    keys: set[bytes] = field(default_factory=set)
    mapped: int = 0  # processes and marked addresses that it has told
    kept: list[f.Up] = field(default_factory=list)
    names: dict[int, str] = field(default_factory=dict)  # of its processes, as its memory had them
    lies: set[tuple[int, str]] = field(default_factory=set)
    room: int = 0  # bytes of snapshots that are taken of it in the harvest under way


class Instance(Record):
    """An instance that this hop knows: whose it is, its number there, and what it says of itself.

    It has made `recorded` principal records by its own words; `taken` of them have come here.
    """

    number: int
    child: Child
    theirs: int
    path: str
    boot: UUID = NONE
    cpus: int = 0  # not known yet
    now: int = 0
    system: str = ""
    types: bytes = b""
    state: str = "ready"
    recorded: int = 0
    taken: int = 0

    @property
    def unacknowledged(self) -> int:
        return max(self.recorded - self.taken, 0)


class Relay(Answering):
    """The hop.  `order` gives paths the numbers that they shall have; others get later ones."""

    def __init__(self, children: Iterable[Child], limits: Limits | None = None,
                 order: Mapping[str, int] | None = None) -> None:
        self.children = list(children)
        self._limits = limits or Limits()
        self._order = dict(order or {})
        self.instances: dict[int, Instance] = {}
        self.directory = Directory()
        self.boot = new()
        self._path = ""
        self._maps = Maps()
        self._merger = Merger()
        self._texts: dict[bytes, int] = {}
        self._format_texts: dict[int, bytes] = {}
        self._notices: list[f.Up] = []
        self._sequence = 0
        self._gathering = self._halted = False
        self._told: set[tuple[int, int]] = set()  # descriptions that went up
        self._now, self._flags = 0, 0
        self._identified = False  # our parent knows our instances
        self._ancestors: tuple[UUID, ...] = ()
        self._hops = 0
        self._types = b""  # of the root's kernel
        self._until = 0  # the present, by the root's clock
        self._enabled: list[f.Enable] = []  # for children that boot anew
        self._begun: set[int] = set()  # instances that trace

    def ended(self) -> Iterator[f.Up]:
        notices, self._notices = self._notices, []
        yield from notices
        yield f.Done(self._now, self._flags)

    def interrupt(self) -> None:
        """End a Run that is under way, everywhere below."""
        self._halted = True
        if self._gathering:
            self._halt()

    def _halt(self) -> None:
        for child in self.children:
            if child.open:
                child.connection.halt()

    def close(self) -> None:
        for child in self.children:
            child.connection.close()

    # -- children ------------------------------------------------------------------------------------------

    def _exchange(self, requests: Iterable[tuple[Child, f.Down]]) -> Iterator[tuple[Child, list[f.Up]]]:
        """Send each child its request, then yield their answers in the order of their numbers.

        An answer is read when the one before it has been dealt with, so that one at a time is held.
        """
        waiting: list[Child] = []
        for child, frame in requests:
            if not child.open:
                continue
            try:
                child.connection.send(frame)
                waiting.append(child)
            except Lost as error:
                self._gone(child, error)
        waiting.sort(key=lambda child: child.number, reverse=True)
        outer, self._gathering = self._gathering, True
        try:
            if self._halted:
                self._halt()
            while waiting:
                child = waiting.pop()
                yield child, self._taken(child, self._receive(child))
        finally:
            for child in waiting:  # no request may follow before the answer has been read
                self._receive(child)
            self._gathering = outer
            self._halted = self._halted and outer

    def _receive(self, child: Child) -> list[f.Up]:
        try:
            return child.connection.receive()
        except Lost as error:
            self._gone(child, error)
            return []

    def _taken(self, child: Child, answer: list[f.Up]) -> list[f.Up]:
        """An answer without what every answer may have: notices, instances that come or go, the end."""
        rest: list[f.Up] = []
        for frame in answer:
            if not child.open:
                return []
            if isinstance(frame, f.Done):
                if child.number == FIRST:
                    self._now = frame.now
                if child.trusted:
                    self._flags |= frame.flags
            elif isinstance(frame, f.Advertise):
                self._advertised(child, frame)
            elif isinstance(frame, f.Retire):
                number = child.numbers.get(frame.instance)
                if number is not None:
                    self._retire(self.instances[number], shown(frame.hop), shown(frame.reason), frame.records)
            elif isinstance(frame, f.Dropped):
                if frame.kind in CLASSES:
                    number = child.numbers.get(frame.instance, f.EVERY)
                    self._notices.append(frame._replace(instance=number, hop=shown(frame.hop)))
            elif isinstance(frame, f.Notice):
                number = child.numbers.get(frame.instance, f.EVERY)
                self._notices.append(frame._replace(instance=number, text=shown(frame.text)))
            elif isinstance(frame, f.Describe):
                self._guarded(child, partial(self._described, child, frame))
            else:
                rest.append(frame)
        return rest

    def _guarded(self, child: Child, action: Callable[[], object]) -> bool:
        """Do something with what a child said; a mistake in it is the child's offence."""
        try:
            action()
            return True
        except BorderError:
            raise
        except ValueError as error:
            self._offend(child, str(error))
        except (struct.error, IndexError, KeyError):
            self._offend(child, "an answer that makes no sense")
        return False

    def _offend(self, child: Child, reason: str) -> None:
        number = next(iter(child.numbers.values()), f.EVERY)
        self._notices.append(f.Notice(number, "refused", shown(reason), 0))
        try:
            child.connection.offend(reason)
        except Lost as error:
            self._gone(child, error)

    def _gone(self, child: Child, error: Lost) -> None:
        """Give a child up that its connection has lost; what was merged stays."""
        child.open = False
        child.sought = not isinstance(error, Quarantined)
        child.why = shown(str(error))
        kind = "lost" if child.sought else "quarantined"
        for number in list(child.numbers.values()):
            instance = self.instances[number]
            if instance.state == "ready":
                self._retire(instance, self._place, f"{kind}: {shown(str(error))}", instance.unacknowledged)
        if not child.numbers:
            text = f"{self._path_of(child.name)}: {child.why}"
            self._notices.append(f.Notice(f.EVERY, "failed", text, 0))

    def _refuse(self, child: Child, reason: str) -> None:
        """Give a child up that cannot be one."""
        child.connection.close()
        self._gone(child, Lost(reason))
        child.sought = False

    def _retire(self, instance: Instance, hop: str, reason: str, records: int) -> None:
        instance.state = "quarantined" if reason.startswith("quarantined") else "lost"
        self.directory.retire(instance.number)
        self._notices.append(f.Retire(instance.number, hop, reason, records))

    @property
    def _place(self) -> str:
        """The path of this hop."""
        return self._path_of("")

    def _path_of(self, name: str) -> str:
        """The whole path of what is below this hop."""
        return self._join(self._path, name) or HOST

    def _owner(self, number: int) -> Instance:
        """The instance with one of our numbers.  Raises BorderError for one that is not there."""
        instance = self.instances.get(number)
        if instance is None or not instance.child.open or instance.state != "ready":
            path = number if instance is None else self._path_of(instance.path)
            raise BorderError(errno.ENXIO, f"instance {path} is gone")
        return instance

    def _dealt(self, numbers: Iterable[int]) -> dict[int, list[int]]:
        """The numbers of instances by child, as the child has them."""
        dealt: dict[int, list[int]] = {}
        for number in numbers:
            instance = self.instances.get(number)
            if instance is not None and instance.state == "ready":
                dealt.setdefault(instance.child.number, []).append(instance.theirs)
        return dealt

    # -- who is there -----------------------------------------------------------------------------------

    @staticmethod
    def _join(*parts: str) -> str:
        return "/".join(filter(None, parts))

    def identify(self, frame: f.Identify) -> Iterator[f.Up]:
        self._path = frame.path
        ancestors = (*frame.ancestors, self.boot)
        if self.boot in frame.ancestors:
            raise BorderError(errno.ELOOP, "it is an instance of itself")
        if frame.hops < 1:
            raise BorderError(errno.ELOOP, f"it lies more than {f.HOPS} levels deep")
        self._ancestors, self._hops = ancestors, frame.hops - 1
        self._until, self._types = frame.now or self._until, frame.types
        path: list[UUID] = []
        for child, answer in self._exchange((child, self._identification(child)) for child in self.children):
            path += self._greeted(child, answer)
        self._identified = True
        yield f.Hello(f.VERSION, self.boot, (self.boot, *path))
        for instance in self.instances.values():
            yield self._advertisement(instance)

    def _identification(self, child: Child) -> f.Identify:
        """Ask a child who it is."""
        return f.Identify(f.VERSION, self._hops, self._join(self._path, child.name), self._ancestors,
                          child.boot, self._until, self._types)

    def _greeted(self, child: Child, answer: list[f.Up]) -> tuple[UUID, ...]:
        """Take in a child's Hello; returns the boot ids from there down."""
        for frame in answer:
            if isinstance(frame, f.Hello):
                if set(frame.path) & set(self._ancestors) or len(set(frame.path)) != len(frame.path):
                    self._refuse(child, "it is an instance of itself")
                    return ()
                if frame.version != f.VERSION:
                    self._refuse(child, f"it speaks version {frame.version} of the protocol")
                    return ()
                child.boot = frame.boot
                return frame.path
            if isinstance(frame, f.Refused):
                self._refuse(child, shown(frame.reason))
                break
        return ()

    def _advertised(self, child: Child, frame: f.Advertise) -> None:
        """An instance of a child is new, or has other providers than before."""
        if len(frame.providers) > self._limits.providers and not child.trusted:
            self._offend(child, f"{len(frame.providers)} providers, where {self._limits.providers} may be")
            return
        if not child.trusted and ((frame.path and mistake_in(frame.path)) or not 0 < frame.cpus <= 1024
                                  or len(frame.types) != 32):
            self._offend(child, f"an instance called {shown(frame.path)!r} with {frame.cpus} CPUs")
            return
        number = child.numbers.get(frame.instance)
        if number is None and len(child.numbers) >= MOST_INSTANCES and not child.trusted:
            self._offend(child, f"more than {MOST_INSTANCES} instances")
            return
        if number is None:
            number = self._entered(child, frame)
        instance = self.instances[number]
        if instance.boot not in (NONE, frame.boot):
            instance.recorded = instance.taken = 0
        if instance.cpus not in (0, frame.cpus):
            self._offend(child, f"it has {frame.cpus} CPUs, and had {instance.cpus}")
            return
        if instance.types not in (b"", frame.types):
            self._refuse(child, "its kernel has other types than before")
            return
        if instance.state == "quarantined":
            return
        instance.boot, instance.cpus, instance.state = frame.boot, frame.cpus, "ready"
        instance.now = frame.now
        instance.system, instance.types = shown(frame.system), frame.types
        providers = [(shown(name), uuid) for name, uuid in frame.providers]
        for name in self.directory.hear(number, child.speaker or child.name, providers):
            text = f"its provider {name} claims the identity of another, and is kept apart"
            self._notices.append(f.Notice(number, "pocketed", text, 0))
        if self._identified:
            self._notices.append(self._advertisement(instance))

    def _entered(self, child: Child, frame: f.Advertise) -> int:
        """Give an instance a path and a number."""
        path = self._join(child.name, frame.path)
        taken = {each.path for each in self.instances.values() if each.state == "ready"}
        own = apart(path, taken)
        before = next((each for each in self.instances.values() if each.path == own), None)
        if before is not None and before.state == "lost" and before.child.connection is child.connection:
            child.numbers[frame.instance] = before.number  # it has booted anew
            self.instances[before.number] = replace(before, child=child, theirs=frame.instance)
            return before.number
        number = self._order.get(own, -1)
        if number < 0 or number in self.instances:
            number = max([*self._order.values(), *self.instances, -1]) + 1
        if own != path:
            text = f"another instance is called {path}: this one is {own}"
            self._notices.append(f.Notice(number, "renamed", text, 0))
        child.numbers[frame.instance] = number
        self.instances[number] = Instance(number, child, frame.instance, own)
        return number

    def _advertisement(self, instance: Instance) -> f.Advertise:
        return f.Advertise(instance.number, instance.path, instance.boot, instance.cpus, instance.now,
                           instance.system, instance.types, self.directory.advertised(instance.number))

    # -- who comes back ----------------------------------------------------------------------------------

    def _take_back(self) -> None:
        """Go on with lost children that are there again."""
        for child in [each for each in self.children if each.sought]:
            same = child.connection.returned()
            if same is None:
                continue
            child.sought = False
            if same:
                self._resume(child)
            else:
                self._begin_anew(child)

    def _resume(self, child: Child) -> None:
        """A child is as it was: take in the answer that was under way, and hear whom it has."""
        child.open = True
        child.kept += [each for each in self._taken(child, self._receive(child)) if isinstance(each, f.Snap)]
        for _child, answer in self._exchange([(child, self._identification(child))]):
            self._greeted(child, answer)

    def _begin_anew(self, child: Child) -> None:
        """A child has booted since: it is a new one, and gets all that its instances traced."""
        child = Child(len(self.children), child.name, child.connection, child.trusted, child.destructive,
                      child.speaker)
        self.children.append(child)
        for _child, answer in self._exchange([(child, self._identification(child))]):
            self._greeted(child, answer)
        again = set(child.numbers.values())
        requests: list[f.Down] = []
        for frame in self._enabled:
            requests += self._enabling(child, frame, again)
        begun = [self.instances[number].theirs for number in sorted(again & self._begun)]
        if begun:
            requests.append(f.Go(tuple(begun), self._until or 1))
        for request in requests:
            for _child, answer in self._exchange([(child, request)]):
                for each in answer:
                    if isinstance(each, f.Refused):
                        self._refuse(child, shown(each.reason))

    # -- tracing ---------------------------------------------------------------------------------------

    def enable(self, frame: f.Enable) -> Iterator[f.Up]:
        self._enabled.append(frame)
        numbers = set(frame.instances)
        yield from self._answers_of([(child, each) for child in self.children
                                     for each in self._enabling(child, frame, numbers)])

    def _enabling(self, child: Child, frame: f.Enable, numbers: set[int]) -> Iterator[f.Enable]:
        """Yield what a child gets of an Enable, if it concerns those of its instances with these numbers."""
        theirs = self._dealt(number for number in frame.instances if number in numbers).get(child.number)
        if theirs:
            dof = self._allowed(child, frame.dof)
            if not child.trusted:
                child.layouts.expect(read(dof))
            yield f.Enable(tuple(theirs), dof)

    @staticmethod
    def _allowed(child: Child, dof: bytes) -> bytes:
        """The DOF for a child: destructive actions are enabled only where the cluster's file allows them."""
        if child.destructive:
            return dof
        try:
            program = read(dof)
        except DofError as error:
            raise BorderError(errno.EINVAL, str(error)) from None
        kept = [option for option in program.options if option[0] != OptionId.DESTRUCTIVE]
        return dof if len(kept) == len(program.options) else write(replace(program, options=kept))

    def begin(self, frame: f.Go) -> Iterator[f.Up]:
        self._begun.update(frame.instances)
        yield from self._answers_of([(self.children[number], f.Go(tuple(theirs), frame.now))
                                     for number, theirs in self._dealt(frame.instances).items()])

    def stop(self, frame: f.Stop) -> Iterator[f.Up]:
        yield from self._answers_of([(self.children[number], f.Stop(tuple(theirs)))
                                     for number, theirs in self._dealt(frame.instances).items()])

    def stamp(self, frame: f.Stamp) -> Iterator[f.Up]:
        """Stamps are exchanged over each link by the clock of the machine that is here, if there is one."""
        before = self._own_clock(frame.sent)
        if before is not None:
            yield before
        others = self.children if before is None else self.children[1:]
        sent = frame.sent if before is None else before.replied
        found = list(self._answers_of([(child, f.Stamp(sent)) for child in others]))
        after = before if before is None else self._own_clock(frame.sent)
        for each in found:
            if before is None or after is None or not isinstance(each, f.Clock):
                yield each
                continue
            link = estimate(sent, each.received, each.replied, after.received)
            below = Estimate(each.offset, each.error).over(link)
            yield before._replace(instance=each.instance, offset=below.offset, error=below.error)

    def _own_clock(self, sent: int) -> f.Clock | None:
        """What the clock of this hop's machine shows; None if there is none that goes by itself."""
        if not self.children or self.children[FIRST].name not in ("", HOST):
            return None
        for each in self._answers_of([(self.children[FIRST], f.Stamp(sent))]):
            if isinstance(each, f.Clock) and self.instances[each.instance].child.number == FIRST:
                return each
        return None

    def run(self, frame: f.Run) -> Iterator[f.Up]:
        self._take_back()
        self._until = frame.until
        yield from self._answers_of([(child, frame) for child in self.children])

    def _answers_of(self, down: list[tuple[Child, f.Down]]) -> Iterator[f.Up]:
        """Exchange, and yield what comes back with our numbers of instances."""
        for child, answer in self._exchange(down):
            seen: set[tuple[type, int]] = set()
            for frame in answer:
                number = child.numbers.get(getattr(frame, "instance", -1))
                if number is not None and isinstance(frame, _OF_INSTANCES) and (
                        child.trusted or self._is_first(seen, frame)):
                    if isinstance(frame, f.Passed):
                        self.instances[number].now = frame.now
                        self.instances[number].recorded = frame.recorded
                    if isinstance(frame, f.Refused):
                        frame = frame._replace(reason=shown(frame.reason))
                    yield frame._replace(instance=number)
                elif child.open:
                    self._offend(child, f"{type(frame).__name__} again, or of an instance not its own")

    @staticmethod
    def _is_first(seen: set[tuple[type, int]],
                  frame: f.Answer | f.Refused | f.Passed | f.Clock | f.Status) -> bool:
        """Whether it is the first answer of its kind by an instance, and no larger than such answers are."""
        kind = type(frame), frame.instance
        if kind in seen or (isinstance(frame, f.Answer | f.Status) and len(frame.data) > MOST_ANSWER):
            return False
        seen.add(kind)
        return True

    # -- harvests -----------------------------------------------------------------------------------------

    def harvest(self, frame: f.Harvest) -> Iterator[f.Up]:
        down: list[tuple[Child, f.Down]] = [(child, frame) for child in self.children]
        if frame.kind == f.STATUSES:
            yield from self._answers_of(down)
            return
        merging = bool(frame.eager) and frame.kind == f.AGGREGATIONS
        untrusted = sum(child.open and not child.trusted for child in self.children)
        for child, answer in self._exchange(down):
            child.room = max(MOST_HELD // max(untrusted, 1), LEAST_HELD * child.layouts.largest_buffer)
            late = [each for each in child.kept if isinstance(each, f.Snap) and each.kind == frame.kind]
            child.kept = [each for each in child.kept if each not in late]
            for each in late + answer:
                if isinstance(each, f.Snap):
                    yield from self._snapped(child, each, frame, merging)
                elif isinstance(each, f.Refused) and child.numbers.get(each.instance) is not None:
                    yield each._replace(instance=child.numbers[each.instance])
                elif child.open:
                    self._offend(child, f"{type(each).__name__} in a harvest")
        if merging:
            data = self._merger.take()
            if data:
                yield from self._tell_aggregations(data)
                self._sequence += 1
                snapshot = BufDesc(len(data)).pack() + data
                yield f.Snap(f.EVERY, self.boot, self._sequence, f.AGGREGATIONS, 0, snapshot)

    def _snapped(self, child: Child, snap: f.Snap, frame: f.Harvest, merging: bool) -> Iterator[f.Up]:
        """One snapshot of a child."""
        if not child.open:
            return
        number = child.numbers.get(snap.instance)
        if number is None and not (snap.instance == f.EVERY and merging):
            self._offend(child, f"a snapshot of instance {snap.instance}, which it does not have")
            return
        if not child.trusted:
            owner = child.boot if number is None else self.instances[number].boot
            before = child.sequences.get((snap.boot, snap.kind), 0)
            if snap.boot not in (owner, child.boot) or snap.sequence <= before:
                self._offend(child, f"snapshot {snap.sequence} again, or of another boot")
                return
            child.sequences[snap.boot, snap.kind] = snap.sequence
        made: list[f.Up] = []

        def take() -> None:
            if snap.kind != frame.kind:
                raise ValueError(f"a snapshot of kind {snap.kind}, not {frame.kind}")
            if merging:
                self._aggregated(child, snap, number)
            elif not child.trusted and len(snap.data) > child.room:
                assert number is not None
                instance = self.instances[number]
                self._drop(number, self._place, "principal", instance.unacknowledged)
                instance.taken = instance.recorded
            else:
                assert number is not None
                child.room -= len(snap.data)
                made.extend(self._recorded(child, snap, number, bool(frame.eager)))

        if not self._guarded(child, take) and number is not None and snap.kind == f.BUFFERS:
            instance = self.instances[number]
            self._drop(number, self._place, "quarantined", instance.unacknowledged)
            instance.taken = instance.recorded
        yield from made

    def _drop(self, number: int | None, hop: str, kind: str, records: int) -> None:
        """Tell that records of an instance are lost."""
        if records:
            self._notices.append(f.Dropped(f.EVERY if number is None else number, hop, kind, records))

    def _body(self, child: Child, snap: f.Snap) -> tuple[BufDesc, bytes]:
        """A snapshot's description and bytes.  Raises ValueError for what contradicts itself."""
        description, body = BufDesc.unpack(snap.data), snap.data[BUFDESC.size:]
        if not child.trusted and (description.size != len(body) or description.oldest
                                  or len(body) > child.layouts.largest_buffer + BUFDESC.size):
            raise ValueError(f"a snapshot of {len(body)} bytes that says {description.size}, the oldest at "
                             f"{description.oldest}")
        return description, body

    def _aggregated(self, child: Child, snap: f.Snap, number: int | None) -> None:
        description, body = self._body(child, snap)
        size_of, process = self._checked_aggregation(child), self._process_of(child)
        for theirs, offsets in rows_of(body, size_of).items():
            known = child.aggregations[theirs]
            if not child.trusted:
                body, offsets = self._limited(child, known, body, offsets, number)
            self._merger.add(known, body, offsets, process, self._address_of(child))
        if description.drops:
            path = self._join(self._path, self.instances[number].path) if number is not None else self._place
            self._drop(number, path, "aggregation", description.drops)

    def _checked_aggregation(self, child: Child) -> Callable[[int], int]:
        def size_of(theirs: int) -> int:
            known = child.aggregations.get(theirs)
            if known is None:
                raise ValueError(f"rows of aggregation {theirs}, which it did not describe")
            return known.size

        return size_of

    def _limited(self, child: Child, description: AggDesc, body: bytes, offsets: list[int],
                 number: int | None) -> tuple[bytes, list[int]]:
        """The rows of an untrusted child that are within its limits, stamped with whose they are."""
        stamps = child.layouts.aggregation(description) or ()
        value = description.records[-1]
        parameter = value.arg if value.size > 32 and value.arg else None
        changed, kept, refused = bytearray(body), [], 0
        for offset in offsets:
            said, = struct.unpack_from("<Q", body, offset + value.offset)
            if parameter is not None and said != parameter:
                raise ValueError("a distribution with other parameters than ours")
            for at, size in stamps:
                self._stamp(child, changed, offset + at, size, number)
            key = bytes(changed[offset + 8:offset + value.offset])
            if key not in child.keys:
                if len(child.keys) >= self._limits.keys:
                    refused += 1
                    continue
                child.keys.add(key)
            kept.append(offset)
        self._drop(number, self._place, "aggregation", refused)
        return bytes(changed), kept

    def _stamp(self, child: Child, data: bytearray, at: int, size: int, number: int | None) -> None:
        """Write whose record it is where the program records that: the child is not believed."""
        if number is None:
            said = bytes(data[at:at + size]).split(b"\0", 1)[0].decode("utf-8", "replace")
            below = self._join(self._path, child.name)
            if said != below and not said.startswith(below + "/"):
                raise ValueError(f"a record of {shown(said)!r}")
            return
        path = self._join(self._path, self.instances[number].path).encode()[:size - 1]
        data[at:at + size] = path.ljust(size, b"\0")

    def _process_of(self, child: Child) -> Callable[[int], int] | None:
        """How a child's process numbers are mapped; None where all are kept."""
        if child.number == FIRST and len(child.numbers) == 1:
            return None
        return lambda number: self._mapped(child, self._maps.processes, number)

    def _address_of(self, child: Child) -> Callable[[int], int] | None:
        """How a child's marked addresses are mapped; None where all are kept."""
        if len(self.children) == 1:
            return None

        return lambda number: self._mapped(child, self._maps.addresses, number)

    def _mapped(self, child: Child, numbers: Numbers, number: int) -> int:
        """Our number for one of a child's.  Raises ValueError where it has too many."""
        if not child.trusted and not numbers.known(child.number, number):
            if child.mapped >= self._limits.keys:
                raise ValueError(f"more than {self._limits.keys} processes and addresses")
            child.mapped += 1
        return numbers.up(child.number, number)

    def _recorded(self, child: Child, snap: f.Snap, number: int, eager: bool) -> Iterator[f.Up]:
        """Principal records with our numbers."""
        if child.number == FIRST and child.trusted and not snap.instance:  # its numbers are kept
            if eager:
                yield from self._tell_epids(child, snap)
            yield snap._replace(instance=number)
            return
        description, body = self._body(child, snap)
        if snap.cpu >= self.instances[number].cpus:
            raise ValueError(f"a snapshot of CPU {snap.cpu}, which it does not have")
        data, process, records = bytearray(body), self._process_of(child), 0
        address, foreign = self._address_of(child), self.instances[number].types != self._types
        claims: list[list[bytes]] = []
        clock = child.clocks.setdefault((number, snap.cpu), Clock())
        for at, epid in self._records(child, data):
            records += 1
            known = child.epids[epid]
            ours = self._maps.epids.up(child.number, epid)
            head = RECHDR.unpack_from(data, at)
            time = head[1] << 32 | head[2]
            if not child.trusted:
                for where, size in child.layouts.clause(known) or ():
                    self._stamp(child, data, at + where, size, number)
                time = clock.forward(time, description.timestamp)
                claimed = child.layouts.claim(known)
                if claimed is not None and not snap.instance:
                    claims.append([bytes(data[at + place:at + place + size]) for place, size in claimed])
            RECHDR.pack_into(data, at, ours, time >> 32, time & 0xFFFFFFFF)
            if known.uarg == ERROR_ECB and known.records:
                self._map_fault(child, data, at + known.records[0].offset)
            if process is not None:
                renumber(data, with_processes(known.records), at, process)
            if foreign and address is not None:
                readdress(data, places_of(known.records), at, address)
            yield from self._told_epid(child, epid)
        self.instances[number].taken += records + description.drops
        if not child.trusted:
            description = description._replace(cpu=snap.cpu, data=0)
            self._verify(child, number, claims)
        yield snap._replace(instance=number, data=description.pack() + data)

    def _verify(self, child: Child, number: int, claims: list[list[bytes]]) -> None:
        """Compare samples of what an instance says of its processes with its memory, if we emulate it.

        A process that has ended, or has another program since, proves nothing: a lie is one of a process
        that has had its name before and after.
        """
        for raw, name in claims[::SAMPLE]:
            process, said = int.from_bytes(raw, "little"), name.split(b"\0")[0].decode("utf-8", "replace")
            real = child.names.get(process)
            try:
                found = json.loads(self._one(child, f.Do(0, Verb.MEMORY, json.dumps([process]).encode())))
            except (BorderError, ValueError, RecursionError):
                return
            now = str(found[0]) if isinstance(found, list) and found else ""
            if now and said != now and real == now and (process, said) not in child.lies:
                child.lies.add((process, said))
                text = f"it says that process {process} is {shown(said)}, and its memory says {shown(now)}"
                self._notices.append(f.Notice(number, "lies", text, 0))
            child.names[process] = now

    def _records(self, child: Child, data: bytearray) -> Iterator[tuple[int, int]]:
        """Where records begin, and their EPIDs.  Raises ValueError for what no program of ours records."""
        at = 0
        while at + RECHDR.size <= len(data):
            epid, = _WORD.unpack_from(data, at)
            if not epid:
                at += 4
                continue
            known = child.epids.get(epid)
            if known is None:
                raise ValueError(f"a record of EPID {epid}, which it did not describe")
            if known.size < RECHDR.size or at + known.size > len(data):
                raise ValueError(f"a record of EPID {epid} goes beyond the end of its buffer")
            yield at, epid
            at += known.size

    def _map_fault(self, child: Child, data: bytearray, at: int) -> None:
        """A record of ERROR tells by its first word which clause failed."""
        faulting, = _WORD.unpack_from(data, at)
        if faulting not in child.epids:
            raise ValueError(f"a fault in EPID {faulting}, which it did not describe")
        _WORD.pack_into(data, at, self._maps.epids.up(child.number, faulting))

    # -- descriptions ---------------------------------------------------------------------------------

    def _described(self, child: Child, frame: f.Describe) -> None:
        """Take in a description that came along.  Raises ValueError for one that is not of our programs."""
        if frame.command == Command.EPROBE:
            description = EprobeDesc.unpack(frame.data)
            if not child.trusted and (child.layouts.clause(description) is None
                                      or description.epid != frame.number):
                raise ValueError(f"EPID {frame.number} has records that no program of ours makes")
            self._demand_room(child, child.epids, frame.number)
            child.epids[frame.number] = description
        elif frame.command == Command.AGGDESC:
            aggregation = AggDesc.unpack(frame.data)
            if not child.trusted and child.layouts.aggregation(aggregation) is None:
                raise ValueError(f"aggregation {frame.number} has a form that no program of ours has")
            self._demand_room(child, child.aggregations, frame.number)
            child.aggregations[frame.number] = aggregation
        elif frame.command == Command.FORMAT:
            self._learn_format(child, frame.number, frame.data)
        elif frame.command == Command.PROBES:
            self._probe(child, frame.data)
        else:
            raise ValueError(f"an answer to request {frame.command} that was not asked for")

    def _demand_room(self, child: Child, known: Mapping[int, object], number: int) -> None:
        """Raise ValueError if an untrusted child has described as many things as it may have probes."""
        if not child.trusted and len(known) >= self._limits.probes and number not in known:
            raise ValueError(f"more than {self._limits.probes} enabled probes")

    def _probe(self, child: Child, data: bytes) -> bytes:
        """A child's probe as we describe it.  Raises ValueError where it has too many."""
        probe = ProbeDescription.unpack(data)
        if not child.trusted and len(child.probes) >= self._limits.probes and probe.id not in child.probes:
            raise ValueError(f"more than {self._limits.probes} probes")
        child.probes[probe.id] = probe
        ours = probe._replace(id=self._maps.probes.up(child.number, probe.id))
        if not child.trusted:
            ours = ProbeDescription(ours.id, *map(shown, ours[1:]))
        return ours.pack()

    def _learn_format(self, child: Child, number: int, text: bytes) -> None:
        """Take in a child's format string.  Raises ValueError for one that is not of our programs."""
        if not child.trusted and text.rstrip(b"\0") not in child.layouts.formats:
            raise ValueError("a format string that no program of ours has")
        child.formats[number] = self._format(child, number, text)

    def _format(self, child: Child, number: int, text: bytes) -> int:
        """Our number for a child's format string."""
        if child.number == FIRST and number < FORMATS:
            ours = number
        else:
            ours = self._texts.setdefault(text, FORMATS + len(self._texts))
            if ours > MOST_FORMATS:
                raise ValueError("more format strings than there are numbers")
        self._format_texts[ours] = text
        return ours

    def _mapped_epid(self, child: Child, description: EprobeDesc) -> EprobeDesc:
        """A child's description with our numbers."""
        kept = child.number == FIRST
        records = tuple(record._replace(format=child.formats.get(record.format, record.format if kept else 0))
                        for record in description.records)
        return EprobeDesc(self._maps.epids.up(child.number, description.epid),
                          self._maps.probes.up(child.number, description.probe_id), description.uarg,
                          description.size, records)

    def _told_epid(self, child: Child, epid: int) -> Iterator[f.Up]:
        """Tell our parent of an enabling of a child's, once."""
        if (child.number, epid) in self._told:
            return
        self._told.add((child.number, epid))
        description = child.epids[epid]
        ours = self._mapped_epid(child, description)
        for record in ours.records:
            if record.format in self._format_texts:
                yield f.Describe(Command.FORMAT, record.format, self._format_texts[record.format])
        if description.probe_id in child.probes:
            data = self._probe(child, child.probes[description.probe_id].pack())
            yield f.Describe(Command.PROBES, ours.probe_id, data)
        yield f.Describe(Command.EPROBE, ours.epid, ours.pack())

    def _tell_epids(self, child: Child, snap: f.Snap) -> Iterator[f.Up]:
        for epid in list(child.epids):
            yield from self._told_epid(child, epid)

    def _tell_aggregations(self, data: bytes) -> Iterator[f.Up]:
        def size_of(number: int) -> int:
            found = self._merger.description(number)
            assert found is not None
            return found.size

        for number in rows_of(data, size_of):
            found = self._merger.description(number)
            if found is not None and (-1, number) not in self._told:
                self._told.add((-1, number))
                yield f.Describe(Command.AGGDESC, number, found.pack())

    # -- requests -------------------------------------------------------------------------------------------

    def _one(self, child: Child, frame: f.Down) -> bytes:
        """One request to one child; returns its answer.  Raises BorderError."""
        for _child, answer in self._exchange([(child, frame)]):
            for each in answer:
                if isinstance(each, f.Answer):
                    return each.data
                if isinstance(each, f.Refused):
                    raise BorderError(each.errno, shown(each.reason))
        raise BorderError(errno.ENXIO, f"{self._path_of(child.name)} does not answer: {child.why}")

    def ask(self, frame: f.Ask) -> Iterator[f.Up]:
        asked = _NUMBERED.get(frame.command)
        if asked is not None:
            yield f.Answer(frame.instance, asked(self, frame.payload))
            return
        instance = self._owner(frame.instance)
        data = self._one(instance.child, frame._replace(instance=instance.theirs))
        if frame.command == Command.PROBEMATCH:
            parts = [data[at:at + PROBEDESC.size] for at in range(0, len(data), PROBEDESC.size)]
            mapped: list[bytes] = []
            self._guarded(instance.child,
                          lambda: mapped.extend(self._probe(instance.child, part) for part in parts))
            data = b"".join(mapped)
        yield f.Answer(frame.instance, data)

    def _epid_asked(self, payload: bytes) -> bytes:
        child, theirs = self._child_of(self._maps.epids.down(_WORD.unpack_from(payload)[0]), payload)
        known = child.epids.get(theirs)
        if known is None:
            data = self._one(child, f.Ask(f.EVERY, Command.EPROBE, _WORD.pack(theirs)))
            self._guarded(child, lambda: self._described(child, f.Describe(Command.EPROBE, theirs, data)))
            known = child.epids.get(theirs)
        if known is None:
            raise BorderError(errno.EINVAL, "no such enabled probe")
        for record in known.records:
            if record.format and child.number != FIRST and record.format not in child.formats:
                text = self._one(child, f.Ask(f.EVERY, Command.FORMAT, struct.pack("<H", record.format)))
                self._guarded(child, partial(self._learn_format, child, record.format, text))
        return self._mapped_epid(child, known).pack()

    def _child_of(self, found: tuple[int, int] | None, payload: bytes) -> tuple[Child, int]:
        """Whose number it is; one that was never mapped is the first child's."""
        if found is None:
            return self.children[FIRST], _WORD.unpack_from(payload)[0]
        return self.children[found[0]], found[1]

    def _aggregation_asked(self, payload: bytes) -> bytes:
        number = _WORD.unpack_from(payload)[0]
        merged = self._merger.description(number)
        if merged is not None:
            return merged.pack()
        return self._one(self.children[FIRST], f.Ask(f.EVERY, Command.AGGDESC, payload))

    def _format_asked(self, payload: bytes) -> bytes:
        number, = struct.unpack_from("<H", payload)
        if number in self._format_texts:
            return self._format_texts[number]
        return self._one(self.children[FIRST], f.Ask(f.EVERY, Command.FORMAT, payload))

    def _probe_asked(self, payload: bytes) -> bytes:
        wanted = ProbeDescription.unpack(payload)
        child, theirs = self._child_of(self._maps.probes.down(wanted.id), payload)
        data = self._one(child, f.Ask(f.EVERY, Command.PROBES, wanted._replace(id=theirs).pack()))
        return data if child.number == FIRST else self._probe(child, data)

    def _argument_asked(self, payload: bytes) -> bytes:
        wanted = ArgDesc.unpack(payload)
        child, theirs = self._child_of(self._maps.probes.down(wanted.id), payload)
        data = self._one(child, f.Ask(f.EVERY, Command.PROBEARG, wanted._replace(id=theirs).pack()))
        return ArgDesc.unpack(data)._replace(id=wanted.id).pack()

    def do(self, frame: f.Do) -> Iterator[f.Up]:
        if frame.instance == f.EVERY and frame.verb == Verb.ADDRESS:
            yield f.Answer(f.EVERY, self._address(frame))
            return
        if frame.instance == f.EVERY and frame.verb in _BY_PROCESS:
            process, *rest = json.loads(frame.payload)
            found = self._maps.processes.down(process)
            child, theirs = (self.children[FIRST], process) if found is None else \
                (self.children[found[0]], found[1])
            payload = json.dumps([theirs, *rest]).encode()
            yield f.Answer(f.EVERY, self._one(child, frame._replace(payload=payload)))
            return
        instance = self._owner(frame.instance)
        yield f.Answer(frame.instance, self._one(instance.child, frame._replace(instance=instance.theirs)))

    def _address(self, frame: f.Do) -> bytes:
        """What an instance says of a marked address."""
        number, = json.loads(frame.payload)
        found = self._maps.addresses.down(number)
        child, theirs = (self.children[FIRST], number) if found is None else \
            (self.children[found[0]], found[1])
        data = self._one(child, frame._replace(payload=json.dumps([theirs]).encode()))
        below = self._join(self._path, child.name)
        try:
            told = json.loads(data)
        except (ValueError, RecursionError):
            told = None
        match told:
            case [str(path), *rest] if child.trusted or path.startswith(below + "/"):
                return json.dumps([path, *rest]).encode()
            case [_, *rest]:
                return json.dumps([below, *rest]).encode()
        raise BorderError(errno.EPROTO, "an answer that makes no sense")

    def instance_of_probe(self, number: int) -> int | None:
        """The child whose probe one of our numbers is; None for a number that is not known."""
        found = self._maps.probes.down(number)
        return found[0] if found is not None else None

    def end(self, frame: f.Close) -> Iterator[f.Up]:
        for _child, _answer in self._exchange([(child, frame) for child in self.children]):
            pass
        self.close()
        return iter(())


_NUMBERED: Mapping[int, Callable[[Relay, bytes], bytes]] = {
    Command.EPROBE: Relay._epid_asked, Command.AGGDESC: Relay._aggregation_asked,
    Command.FORMAT: Relay._format_asked, Command.PROBES: Relay._probe_asked,
    Command.PROBEARG: Relay._argument_asked}
