"""The numbers of a hop: each hop gives numbers of its own to what its children number for themselves.

A child is known by its connection, never by what it says: (child, its number) ↔ number.  The first child's
numbers are kept as they are, so that a host through frames shows the numbers of a host without; those
of others are given from a base upwards, in the order in which they are first heard of.
"""

from __future__ import annotations

from dif.records import Record, field
from runtime.instances.wire.addresses import FIRST_MARKED

FIRST = 0  # the child whose numbers are kept
PROBES, EPIDS, AGGREGATIONS, PROCESSES, FORMATS = 100_000, 100_000, 100_000, 1 << 20, 20_000
MOST_FORMATS = 0xFFFF


class Numbers(Record):
    """One kind of number.  `base` is the first number for what is not the first child's."""

    base: int
    keep: bool = True  # the first child's numbers
    _up: dict[tuple[int, int], int] = field(default_factory=dict)
    _down: dict[int, tuple[int, int]] = field(default_factory=dict)
    _next: int = 0

    def up(self, child: int, number: int) -> int:
        """Our number for a child's; a new one if it has none."""
        known = self._up.get((child, number))
        if known is None:
            if self.keep and child == FIRST and number < self.base:
                known = number
            else:
                known = self.base + self._next
                self._next += 1
            self._up[child, number] = known
            self._down[known] = child, number
        return known

    def known(self, child: int, number: int) -> bool:
        """Whether a child's number has one here."""
        return (child, number) in self._up

    def down(self, number: int) -> tuple[int, int] | None:
        """The child and its number; None for a number that was never given."""
        return self._down.get(number)

    def count(self, child: int) -> int:
        """How many numbers a child has."""
        return sum(each == child for each, _ in self._up)


class Maps(Record):
    """All numbers of one hop."""

    probes: Numbers = field(default_factory=lambda: Numbers(PROBES))
    epids: Numbers = field(default_factory=lambda: Numbers(EPIDS))
    processes: Numbers = field(default_factory=lambda: Numbers(PROCESSES))
    addresses: Numbers = field(default_factory=lambda: Numbers(FIRST_MARKED, keep=False))
