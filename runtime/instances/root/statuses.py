"""The counts of an instance's kernel: what got lost, how many buffers are full, whether tracing has ended."""

from __future__ import annotations

from collections.abc import Sequence

from dif.records import Record, field
from runtime.border import Status


class Statuses(Record):
    """The last status of each instance, and of its earlier boots: no count falls when one is lost."""

    latest: dict[int, Status] = field(default_factory=dict)
    before: dict[int, Status] = field(default_factory=dict)

    def take(self, number: int, status: Status) -> None:
        """Take in what an instance says."""
        known = self.latest.get(number, Status())
        self.latest[number] = Status(*(max(a, b) for a, b in zip(known, status, strict=True)))

    def restart(self, number: int) -> None:
        """An instance has booted anew: its counts begin at zero."""
        earlier, status = self.before.get(number, Status()), self.latest.pop(number, Status())
        self.before[number] = Status(*(a + b for a, b in zip(earlier, status, strict=True)))

    def of(self, number: int) -> Status:
        """The counts of one instance."""
        return _sum([each[number] for each in (self.before, self.latest) if number in each])

    def total(self) -> Status:
        """The counts of all, and whether one of them has ended."""
        total = _sum([*self.before.values(), *self.latest.values()])
        return total._replace(filled=min(total.filled, 255), killed=min(total.killed, 1),
                              exiting=min(total.exiting, 1))


def _sum(statuses: Sequence[Status]) -> Status:
    return Status(*map(sum, zip(Status(), *statuses, strict=True)))
