"""Clocks of instances: four stamps, errors that add up along a path, and times that only go forward."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from runtime.instances.hop.clocks import DRIFT, Clock, Estimate, estimate
from runtime.instances.hop.ledger import Ledger

DELAY = st.integers(0, 10**9)


@given(st.integers(-10**12, 10**12), DELAY, DELAY, DELAY)
def test_an_estimate_is_wrong_by_no_more_than_it_says(offset: int, there: int, inside: int,
                                                      back: int) -> None:
    """The instance's clock is `offset` ahead; a message takes `there` to it and `back` from it."""
    t1 = 10**15
    t2 = t1 + there + offset
    t3 = t2 + inside
    t4 = t3 - offset + back
    found = estimate(t1, t2, t3, t4)
    assert abs(found.offset - offset) <= found.error + 1
    assert found.error <= (there + back) // 2 + 1


def test_a_path_of_two_hops() -> None:
    assert Estimate(100, 5).over(Estimate(-30, 7)) == Estimate(70, 12)


def test_the_best_exchange_counts_until_it_is_old() -> None:
    clock = Clock()
    clock.exchange(0, 1000, 1000, 10)  # 995 +- 5
    clock.exchange(10**9, 10**9 + 1900, 10**9 + 1900, 10**9 + 2000)  # 900 +- 1000
    assert clock.at(10**9 + 2000).offset == 900  # a second has added 100 us to the first one's error
    assert clock.at(10).offset == 995
    assert clock.at(10**9 + 10).error < DRIFT


def test_time_goes_forward_and_not_beyond_the_snapshot() -> None:
    clock = Clock()
    assert [clock.forward(time, 100) for time in (10, 5, 50, 500, 60)] == [10, 10, 50, 100, 100]
    assert clock.clamped == 3


def test_sums_that_are_wrong_are_told() -> None:
    ledger = Ledger()
    ledger.produce("p1", 10)
    ledger.deliver("p1", 7)
    assert list(ledger.lines()) == ["instance p1: 10 records produced, but 7 delivered and 0 dropped"]
    ledger.drop("p1", "p1", "principal", 3)
    assert list(ledger.lines()) == \
        ["instance p1: 10 records produced, 7 delivered, 3 dropped (3 principal at p1)"]
