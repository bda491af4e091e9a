"""The children of one hop: requests to them, their answers, what happens to one that is lost or lies."""

from __future__ import annotations

import errno
import struct
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from uuid import UUID

from runtime.border import BorderError
from runtime.instances.hop.children import Child, Instance
from runtime.instances.hop.ledger import CLASSES
from runtime.instances.hop.maps import FIRST
from runtime.instances.roster.clusterfile import Limits
from runtime.instances.roster.identities import Directory, new
from runtime.instances.roster.paths import HOST, shown
from runtime.instances.wire import frames as f
from runtime.instances.wire.links import Lost, Quarantined

MOST_ANSWER = 4096  # bytes of an answer that each of many gives
_OF_INSTANCES = (f.Answer, f.Refused, f.Passed, f.Clock, f.Status)


def join(*parts: str) -> str:
    """Return a path of those parts that are not empty."""
    return "/".join(filter(None, parts))


class Family:
    """The children and their instances, by this hop's numbers.

    `hears_of` is told of instances that come, `learns` of descriptions that came along with an answer; that
    raises ValueError for a lie.  `notices` are for the parent, in its next answer.
    """

    hears_of: Callable[[Child, f.Advertise], None]
    learns: Callable[[Child, f.Describe], None]

    def __init__(self, children: Iterable[Child], limits: Limits) -> None:
        self.children = list(children)
        self.limits = limits
        self.instances: dict[int, Instance] = {}
        self.directory = Directory()
        self.boot: UUID = new()
        self.path = ""
        self.types = b""  # of the root's kernel
        self.until = 0  # the present, by the root's clock
        self.notices: list[f.Up] = []
        self.now, self.flags = 0, 0
        self._gathering = self._halted = False

    def interrupt(self) -> None:
        """End a Run that is under way, everywhere below."""
        self._halted = True
        if self._gathering:
            self._halt()

    def close(self) -> None:
        for child in self.children:
            child.connection.close()

    def _halt(self) -> None:
        for child in self.children:
            if child.open:
                child.connection.halt()

    def exchange(self, requests: Iterable[tuple[Child, f.Down]]) -> Iterator[tuple[Child, list[f.Up]]]:
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
                yield child, self.taken(child, self.receive(child))
        finally:
            for child in waiting:  # no request may follow before the answer has been read
                self.receive(child)
            self._gathering = outer
            self._halted = self._halted and outer

    def receive(self, child: Child) -> list[f.Up]:
        try:
            return child.connection.receive()
        except Lost as error:
            self._gone(child, error)
            return []

    def taken(self, child: Child, answer: list[f.Up]) -> list[f.Up]:
        """An answer without what every answer may have: notices, instances that come or go, the end."""
        rest: list[f.Up] = []
        for frame in answer:
            if not child.open:
                return []
            if isinstance(frame, f.Done):
                if child.number == FIRST:
                    self.now = frame.now
                if child.trusted:
                    self.flags |= frame.flags
            elif isinstance(frame, f.Advertise):
                self.hears_of(child, frame)
            elif isinstance(frame, f.Retire):
                number = child.numbers.get(frame.instance)
                if number is not None:
                    self._retire(self.instances[number], shown(frame.hop), shown(frame.reason), frame.records)
            elif isinstance(frame, f.Dropped):
                if frame.kind in CLASSES:
                    number = child.numbers.get(frame.instance, f.EVERY)
                    self.notices.append(frame._replace(instance=number, hop=shown(frame.hop)))
            elif isinstance(frame, f.Notice):
                number = child.numbers.get(frame.instance, f.EVERY)
                self.notices.append(frame._replace(instance=number, text=shown(frame.text)))
            elif isinstance(frame, f.Describe):
                self.guarded(child, partial(self.learns, child, frame))
            else:
                rest.append(frame)
        return rest

    def guarded(self, child: Child, action: Callable[[], object]) -> bool:
        """Do something with what a child said; a mistake in it is the child's offence."""
        try:
            action()
            return True
        except BorderError:
            raise
        except ValueError as error:
            self.offend(child, str(error))
        except (struct.error, IndexError, KeyError):
            self.offend(child, "an answer that makes no sense")
        return False

    def offend(self, child: Child, reason: str) -> None:
        number = next(iter(child.numbers.values()), f.EVERY)
        self.notices.append(f.Notice(number, "refused", shown(reason), 0))
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
                self._retire(instance, self.place, f"{kind}: {shown(str(error))}", instance.unacknowledged)
        if not child.numbers:
            text = f"{self._path_of(child.name)}: {child.why}"
            self.notices.append(f.Notice(f.EVERY, "failed", text, 0))

    def refuse(self, child: Child, reason: str) -> None:
        """Give a child up that cannot be one."""
        child.connection.close()
        self._gone(child, Lost(reason))
        child.sought = False

    def _retire(self, instance: Instance, hop: str, reason: str, records: int) -> None:
        instance.state = "quarantined" if reason.startswith("quarantined") else "lost"
        self.directory.retire(instance.number)
        self.notices.append(f.Retire(instance.number, hop, reason, records))

    @property
    def place(self) -> str:
        """The path of this hop."""
        return self._path_of("")

    def _path_of(self, name: str) -> str:
        """The whole path of what is below this hop."""
        return join(self.path, name) or HOST

    def owner(self, number: int) -> Instance:
        """The instance with one of our numbers.  Raises BorderError for one that is not there."""
        instance = self.instances.get(number)
        if instance is None or not instance.child.open or instance.state != "ready":
            path = number if instance is None else self._path_of(instance.path)
            raise BorderError(errno.ENXIO, f"instance {path} is gone")
        return instance

    def dealt(self, numbers: Iterable[int]) -> dict[int, list[int]]:
        """The numbers of instances by child, as the child has them."""
        dealt: dict[int, list[int]] = {}
        for number in numbers:
            instance = self.instances.get(number)
            if instance is not None and instance.state == "ready":
                dealt.setdefault(instance.child.number, []).append(instance.theirs)
        return dealt

    def one(self, child: Child, frame: f.Down) -> bytes:
        """One request to one child; returns its answer.  Raises BorderError."""
        for _child, answer in self.exchange([(child, frame)]):
            for each in answer:
                if isinstance(each, f.Answer):
                    return each.data
                if isinstance(each, f.Refused):
                    raise BorderError(each.errno, shown(each.reason))
        raise BorderError(errno.ENXIO, f"{self._path_of(child.name)} does not answer: {child.why}")

    def drop(self, number: int | None, hop: str, kind: str, records: int) -> None:
        """Tell that records of an instance are lost."""
        if records:
            self.notices.append(f.Dropped(f.EVERY if number is None else number, hop, kind, records))

    def answers_of(self, down: list[tuple[Child, f.Down]]) -> Iterator[f.Up]:
        """Exchange, and yield what comes back with our numbers of instances."""
        for child, answer in self.exchange(down):
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
                    self.offend(child, f"{type(frame).__name__} again, or of an instance not its own")

    @staticmethod
    def _is_first(seen: set[tuple[type, int]],
                  frame: f.Answer | f.Refused | f.Passed | f.Clock | f.Status) -> bool:
        """Whether it is the first answer of its kind by an instance, and no larger than such answers are."""
        kind = type(frame), frame.instance
        if kind in seen or (isinstance(frame, f.Answer | f.Status) and len(frame.data) > MOST_ANSWER):
            return False
        seen.add(kind)
        return True
