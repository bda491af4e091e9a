"""A hop's children and the instances below them, and the ways that lead to children."""

from __future__ import annotations

from typing import Protocol
from uuid import UUID

from dif.records import Record, field
from runtime.border import AggDesc, EprobeDesc, ProbeDescription
from runtime.instances.hop.clocks import Clock
from runtime.instances.hop.layouts import Layouts
from runtime.instances.roster.identities import NONE
from runtime.instances.wire import frames as f
from runtime.instances.wire.links import Quarantined


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
