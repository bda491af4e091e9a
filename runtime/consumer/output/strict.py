"""What keeps a run from being clean: for -x strict, a reporter around another one that counts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from dof.globs import matches
from runtime.consumer.output.reporter import Around

if TYPE_CHECKING:
    from dc.names.catalog import Catalog
    from dof.model import ProbeDesc
    from runtime.consumer.events.notices import Drop, Fault
    from runtime.consumer.events.records import Firing
    from runtime.consumer.output.reporter import Reporter


class Strict(Around):
    """Counts what goes to another reporter.

    A description that has no probe when tracing begins may get one later, of a process that comes and goes:
    it counts as matched once the catalog has a probe for it, or one of its probes fires.
    """

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
            probe = firing.probe
            names = probe.provider, probe.module, probe.function, probe.name
            self._unmatched = [each for each in self._unmatched if not all(map(matches, each[:4], names))]
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
