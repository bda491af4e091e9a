"""The profile provider: which names are rates, how many there may be, and what a firing tells."""

from __future__ import annotations

import pytest

from dof.model import ProbeDesc
from runtime.kernel.base.kernelfunctions import KFUNCTIONS
from runtime.providers import profile
from tests.unit.framework.conftest import World


@pytest.mark.parametrize(("name", "length"), [
    ("tick-1s", 10**9), ("profile-97", 10**9 // 97), ("tick-10ms", 10**7), ("profile-200us", 200_000),
    ("tick-1m", 60 * 10**9), ("tick-2d", 2 * 86400 * 10**9), ("tick-5hz", 200_000_000), ("tick-0", None),
    ("tick-1ns", None), ("profile-x", None), ("tick-1parsec", None), ("profile-5000", 200_000),
    ("profile-5001", None), ("tick-199us", None), ("tick-9223372036854775807ns", None),
    ("tick-106751d", 106751 * 86400 * 10**9),
    ("tick-106752d", None), ("tick-999999999999999999ns", 10**18 - 1), ("tick-0000000000000000001s", None),
    ("tick-000000000000000001s", 10**9),
    ("tick1s", None), ("tock-1s", None), ("tick-", None), ("tick", None)])
def test_rates(name: str, length: int | None) -> None:
    assert profile.interval(name) == length


@pytest.fixture
def world() -> World:
    world = World("translate")
    profile.install(world.framework)
    return world


def test_profile_fires_on_each_cpu_and_tick_on_one(world: World) -> None:
    """With the place that is interrupted: in the kernel, in a program, or where an idle CPU waits."""
    tracer = world.tracer()
    both = [world.trace("ldgs arg0, %r1\nret %r1"), world.trace("ldgs arg1, %r1\nret %r1")]
    assert tracer.enable(*(world.ecb(f"profile:::{name}", *both) for name in ("tick-3ms", "profile-11"))) == 2
    timers = [timer for timer in world.host.timers if timer.interval in (3_000_000, 10**9 // 11)]
    assert [timer.cpu for timer in timers] == [None, 0, 1]
    tracer.go()
    timers[0].function()
    world.host.stack = []
    timers[1].function()
    world.host.current.stack = []
    timers[1].function()
    world.host.current.pid = 0
    timers[0].function()
    assert tracer.integers() == [(1, 0xFFFFFFFFFB000010 - 2**64, 0), (2, 0, 0x400100), (2, 0, 0),
                                 (1, KFUNCTIONS["swtch"].address - 2**64, 0)]
    tracer.stop()
    timers[0].function()  # of nobody now
    tracer.device.close()
    assert all(timer.cancelled for timer in timers)


def test_who_is_interrupted(world: World) -> None:
    """A tracer without the kernel's privilege is told of programs only."""
    probe, = world.framework.match(ProbeDesc("profile", "", "", "tick-3ms"))
    interrupted = []
    for pid, frames, stack in ((100, [1], [0x400100]), (100, [], [0x400100]), (100, [], [1]), (0, [], [])):
        world.host.current.pid, world.host.stack, world.host.current.stack = pid, frames, stack
        interrupted.append(probe.provider.operations.usermode(probe))
    assert interrupted == [False, True, True, False]


def test_how_many_rates_there_may_be(world: World) -> None:
    """A thousand; what is asked for beyond them is no probe."""
    made = [world.framework.match(ProbeDesc("profile", "", "", f"tick-{at}ms")) for at in range(1, 1001)]
    customary = 13
    assert [len(each) for each in made] == [1] * (1000 - customary) + [0] * customary
    assert not world.framework.match(ProbeDesc("profile", "unix", "", "tick-77ms"))
