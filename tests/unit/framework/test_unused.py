"""What a clause does not use is not done for it."""

from __future__ import annotations

from unittest import mock

import pytest

from dof.model import ActionKind

ARG0 = "ldgs arg0, %r1\nret %r1"
ARG2 = "ldgs arg2, %r1\nret %r1"
TIME = "ldgs timestamp, %r1\nret %r1"


@pytest.mark.parametrize(("action", "times"), [
    (lambda world: world.aggregate(ActionKind.AGG_COUNT, 1), 0),
    (lambda world: world.aggregate(ActionKind.AGG_SUM, 1, [world.trace(ARG0)], world.dif(ARG0)), 0),
    (lambda world: world.aggregate(ActionKind.AGG_MAX, 1, (), world.dif(TIME)), 10),
    (lambda world: world.trace(ARG0), 10),  # a record has the time
])
def test_time_is_taken_where_it_is_needed(world, action, times: int) -> None:
    tracer = world.tracer()
    tracer.enable(world.ecb("test:::a", action(world)))
    tracer.go()
    with mock.patch.object(world.host, "hrtime", wraps=world.host.hrtime) as hrtime:
        for value in range(10):
            world.fire(world.a, value)
    assert hrtime.call_count == times


def test_buffers_stay_empty_where_nothing_is_recorded(world) -> None:
    tracer = world.tracer()
    tracer.enable(world.ecb("test:::a", world.aggregate(ActionKind.AGG_COUNT, 1)))
    tracer.go()
    for _ in range(10):
        world.fire(world.a)
    assert tracer.integers() == []
    assert list(tracer.aggregations().values()) == [(10).to_bytes(8, "little")]


def test_a_probe_tells_how_many_arguments_are_looked_at(make_world) -> None:
    world = make_world("translate")
    tracer = world.tracer()
    assert world.a.needs == 5
    tracer.enable(world.ecb("test:::a", world.aggregate(ActionKind.AGG_COUNT, 1)),
                  world.ecb("test:::b", world.aggregate(ActionKind.AGG_SUM, 2, (), world.dif(ARG2))))
    tracer.go()
    assert world.a.needs == world.b.needs == 5  # the first firing may be of any clause
    world.fire(world.a, 1)
    world.fire(world.b, 1, 2, 3)
    assert (world.a.needs, world.b.needs) == (0, 3)
    tracer.stop()
    assert world.a.needs == 5
