"""How far an instance's clock is from the host's: four stamps an exchange.

The host sends at t1, the instance receives at t2 and answers at t3, the host has the answer at t4.  Had both
ways taken equally long, the clocks would differ by ((t2 - t1) + (t3 - t4)) / 2; that is wrong by at most half
of the time that was spent on the way.  Of several exchanges that with the smallest error counts, until it is
old.
"""

from __future__ import annotations

from dif.limits import SECOND
from dif.records import NamedTuple, Record, field

DRIFT = 100_000  # of a clock, in parts of 10⁹: what ages an estimate
KEPT = 8  # exchanges


class Estimate(NamedTuple):
    """The instance's clock less the host's, in nanoseconds, and by how much that may be wrong."""

    offset: int = 0
    error: int = 0

    def over(self, hop: Estimate) -> Estimate:
        """The same as seen from one hop farther away."""
        return Estimate(self.offset + hop.offset, self.error + hop.error)


def estimate(t1: int, t2: int, t3: int, t4: int) -> Estimate:
    """What one exchange tells."""
    return Estimate(((t2 - t1) + (t3 - t4)) // 2, max((t4 - t1) - (t3 - t2) + 1, 0) // 2)


class Clock(Record):
    """What is known of one instance's clock; `clamped` counts times that ran backwards."""

    exchanges: list[tuple[int, Estimate]] = field(default_factory=list)
    latest: int = 0
    clamped: int = 0

    def exchange(self, t1: int, t2: int, t3: int, t4: int) -> None:
        """Take in an exchange."""
        self.learn(t4, estimate(t1, t2, t3, t4))

    def learn(self, when: int, found: Estimate) -> None:
        """Take in what an exchange told that ended at `when`."""
        self.exchanges = [*self.exchanges[1 - KEPT:], (when, found)]

    def at(self, now: int) -> Estimate:
        """The best estimate at a time of the host's."""
        best = Estimate()
        least = None
        for when, each in self.exchanges:
            error = each.error + abs(now - when) * DRIFT // SECOND
            if least is None or error < least:
                best, least = Estimate(each.offset, error), error
        return best

    def forward(self, time: int, most: int) -> int:
        """Return a time that an instance tells, no earlier than what it told before nor later than `most`."""
        told = min(max(time, self.latest), max(most, self.latest))
        if told != time:
            self.clamped += 1
        self.latest = told
        return told
