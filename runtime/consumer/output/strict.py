"""What CI demands of a run, for -x strict and expect-probes: reporters around another one, which count."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from dof.globs import matches
from dof.model import ActionKind
from runtime.consumer.output.reporter import Around

if TYPE_CHECKING:
    from dc.names.catalog import Catalog
    from dof.model import Action, Ecb, ProbeDesc
    from runtime.border import ProbeDescription
    from runtime.consumer.events.notices import Drop, Fault
    from runtime.consumer.events.records import Firing
    from runtime.consumer.output.reporter import Reporter, Session


class Strict(Around):
    """-x strict: no errors, no drops, no description without a probe.

    A description that has no probe when tracing begins may get one later, of a process that comes and goes:
    it counts as matched once the catalog has a probe for it, or one of its probes fires.
    """

    option = "strict"

    def __init__(self, inner: Reporter, descriptions: Iterable[ProbeDesc], catalog: Catalog) -> None:
        super().__init__(inner)
        self._catalog = catalog
        self._faults = self._drops = 0
        self._unmatched = list(descriptions)
        self._fired: set[int] = set()  # enabled probes
        self._look()

    def _look(self) -> None:
        self._unmatched = [each for each in self._unmatched if not self._catalog.probes(each)]

    def firing(self, firing: Firing) -> None:
        if self._unmatched and firing.epid not in self._fired:
            self._fired.add(firing.epid)
            self._unmatched = [each for each in self._unmatched if not _names(each, firing.probe)]
        super().firing(firing)

    def fault(self, fault: Fault) -> None:
        self._faults += 1
        super().fault(fault)

    def drop(self, drop: Drop) -> None:
        self._drops += drop.count
        super().drop(drop)

    def worked(self) -> None:
        super().worked()
        if self._unmatched:
            self._look()

    def problems(self) -> list[str]:
        """In words."""
        return [f"{count} {noun}{'s' * (count != 1)}" for count, noun in (
            (self._faults, "error"), (self._drops, "drop")) if count] + \
            [f"{each} matched no probe" for each in self._unmatched]


class Expecting(Around):
    """-x expect-probes: of every description a clause has recorded or aggregated something, or has failed.

    Clauses that do neither (`{ self->start = timestamp; }`) are not looked at: no kernel tells of them.
    """

    option = "expect-probes"

    def __init__(self, inner: Reporter, ecbs: Iterable[Ecb], session: Session) -> None:
        super().__init__(inner)
        self._wanted = list(dict.fromkeys(ecb.probe for ecb in ecbs if any(map(_records, ecb.actions))))
        self._session = session
        self._fired: dict[int, None] = {}  # enabled probes

    def firing(self, firing: Firing) -> None:
        self._fired[firing.epid] = None
        super().firing(firing)

    def fault(self, fault: Fault) -> None:
        self._fired[fault.epid] = None
        super().fault(fault)

    def problems(self) -> list[str]:
        """In words."""
        fired = [*self._fired, *self._session.aggregations.clauses()]
        known = self._session.descriptions
        probes = [known.probe(known.ecb(epid).probe_id) for epid in dict.fromkeys(fired)]
        return [f"{each} did not fire" for each in self._wanted
                if not any(_names(each, probe) for probe in probes)]


def _names(description: ProbeDesc, probe: ProbeDescription) -> bool:
    return all(map(matches, description[:4], (probe.provider, probe.module, probe.function, probe.name)))


def _records(action: Action) -> bool:
    """Whether a consumer sees that an action was taken."""
    return action.kind != ActionKind.DIFEXPR or (action.difo is not None and action.difo.rtype.size > 0)
