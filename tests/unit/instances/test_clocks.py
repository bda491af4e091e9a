"""Clocks of instances: four stamps, errors that add up along a path, and times that only go forward."""

from __future__ import annotations

import sys
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent))

import bare

from runtime.instances.endpoint.endpoint import Endpoint
from runtime.instances.hop.children import Child, Inner
from runtime.instances.hop.clocks import DRIFT, Clock, Estimate, estimate
from runtime.instances.hop.ledger import Ledger
from runtime.instances.hop.relay import Relay
from runtime.instances.wire import frames as f

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


def test_offsets_are_summed_along_the_path() -> None:
    """host - p1 - p1/vm, each with a clock of its own: 100 ahead of the one above it, and 500."""
    machines = [bare.BareInstance(seed) for seed in range(3)]
    for each in machines:
        each.real_clock = True
    host, outer, inner = (Endpoint(each) for each in machines)
    p1 = Relay([Child(0, "", Inner(outer)), Child(1, "vm", Inner(inner))])
    root = Relay([Child(0, "host", Inner(host)), Child(1, "p1", Inner(p1))])
    dof = bare.program("bare:::fire { }", bufsize=4096, aggsize=4096)
    for frame in (f.Identify(f.VERSION, f.HOPS, "", ()), f.Enable((0, 1, 2), dof), f.Go((0, 1, 2), 1)):
        assert not [each for each in root.handle(frame) if isinstance(each, f.Refused)]
    machines[1].host.time += 100
    machines[2].host.time += 600
    clocks = {root.instances[each.instance].path: (each.offset, each.error)
              for each in root.handle(f.Stamp(7)) if isinstance(each, f.Clock)}
    assert clocks == {"host": (0, 0), "p1": (100, 0), "p1/vm": (600, 0)}
    machines[2].real_clock = False  # a clock that shows what it was told is right
    assert len([each for each in root.handle(f.Stamp(7)) if isinstance(each, f.Clock)]) == 2


def test_sums_of_one_that_was_lost_and_came_back() -> None:
    ledger = Ledger()
    ledger.produce("p1", 12)
    ledger.deliver("p1", 10)
    ledger.lose("p1", "host", "link", 2)
    ledger.resume("p1")
    ledger.deliver("p1", 2)
    assert ledger.of("p1").balanced and not list(ledger.lines())
    ledger.produce("p1", 15)
    ledger.lose("p1", "host", "link", 3)
    ledger.restart("p1")  # another boot, which counts from zero
    ledger.produce("p1", 5)
    ledger.deliver("p1", 5)
    ledger.drop("p1", "p1", "aggregation", 7)  # rows, which are no records of their own
    ledger.settle()
    assert list(ledger.lines()) == [
        "instance p1: 20 records produced, 17 delivered, 3 dropped (3 link at host, 7 aggregation at p1)"]
