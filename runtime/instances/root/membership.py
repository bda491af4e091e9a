"""Who joins, comes back and is lost while tracing: what users are told of it, and the accounts of each."""

from __future__ import annotations

from uuid import UUID

from dif.records import NamedTuple
from runtime.instances.hop.clocks import Clock
from runtime.instances.hop.ledger import Ledger
from runtime.instances.root.instances import Instances
from runtime.instances.root.statuses import Statuses
from runtime.instances.wire import frames as f


class Told(NamedTuple):
    """Something that users are told while tracing: `kind` is joined, resumed, lost, quarantined, renamed,
    pocketed, refused, dropped or lies."""

    kind: str
    instance: str
    text: str
    records: int = 0

    @property
    def line(self) -> str:
        tail = f", {self.records} records unacknowledged" if self.kind in ("lost", "quarantined") else \
            f" ({self.records})" if self.records else ""
        return f"instance {self.instance} {self.kind}: {self.text}{tail}" if self.text else \
            f"instance {self.instance} {self.kind}{tail}"


class Membership:
    """What has become of the instances since they said who they are.

    `told` is what users have still to be told.
    """

    def __init__(self, instances: Instances) -> None:
        self._instances = instances
        self.told: list[Told] = []
        self.ledger = Ledger()
        self.statuses = Statuses()
        self.clocks: dict[int, Clock] = {}
        self._boots: dict[int, UUID] = {}
        self._away: set[int] = set()  # instances that are lost

    def begin(self) -> None:
        """All have said who they are."""
        for instance in self._instances:
            self.clocks[instance.number] = Clock()
            self._boots[instance.number] = instance.boot

    def take(self) -> list[Told]:
        """What users are to be told now: each is told once."""
        told, self.told = self.told, []
        return told

    def notice(self, notice: f.Notice) -> None:
        path, text = self.path(notice.instance, notice.text), notice.text
        if notice.instance == f.EVERY and notice.kind == "failed":
            text = text.partition(": ")[2]
        self.told.append(Told(notice.kind, path, text, notice.records))

    def drop(self, frame: f.Dropped) -> None:
        path = self.path(frame.instance)
        self.told.append(Told("dropped", path, f"{frame.kind} at {frame.hop}", frame.records))
        self.ledger.drop(path, frame.hop, frame.kind, frame.records)

    def advertise(self, frame: f.Advertise) -> None:
        """An instance is there, perhaps again."""
        if not self.clocks:  # all are still being asked
            return
        number, before = frame.instance, self._boots.get(frame.instance)
        away = number in self._away
        self._away.discard(number)
        self._boots[number] = frame.boot
        if before == frame.boot and not away:  # with other providers than before
            return
        instance = self._instances[number]
        if before == frame.boot:
            self.ledger.resume(instance.path)
        else:
            self.ledger.restart(instance.path)
            self.statuses.restart(number)
            self.clocks[number] = Clock()
        kind = "resumed" if before == frame.boot else "joined"
        self.told.append(Told(kind, instance.path, instance.system))

    def retire(self, frame: f.Retire) -> None:
        """An instance is gone."""
        kind, _, reason = frame.reason.partition(": ")
        path = self.path(frame.instance)
        self.told.append(Told(kind, path, reason, frame.records))
        self.ledger.lose(path, frame.hop, "quarantined" if kind == "quarantined" else "link", frame.records)
        self._away.add(frame.instance)

    def path(self, number: int, text: str = "") -> str:
        """The path of an instance; of one that is not known, what a text about it begins with."""
        instance = self._instances.get(number)
        return instance.path if instance is not None else text.partition(":")[0] if text else "?"

    def why_lost(self, path: str) -> str:
        """The reason for which an instance went, taken from what would be told."""
        for each in self.told:
            if each.instance == path and each.kind == "lost":
                self.told.remove(each)
                return f": {each.text}"
        return ""

    def settle(self) -> None:
        """Close the accounts of what the instances recorded: nothing more comes."""
        for number, instance in self._instances.known.items():
            status = self.statuses.of(number)
            lost = status.dyndrops + status.dyndrops_rinsing + status.dyndrops_dirty
            self.ledger.drop(instance.path, instance.path, "dynamic", lost)
        self.ledger.settle()
