"""What a device answers to each request, and with which error it refuses one; providers that come and go."""

from __future__ import annotations

import errno
import struct
from typing import Any

import pytest

from dif import isa
from dof import writer
from dof.model import Program
from runtime.border import (
    CONF,
    ArgDesc,
    BorderError,
    BufDesc,
    Command,
    PackedProbes,
    ProbeDescription,
    ProviderDesc,
)
from runtime.framework.framework import Framework
from runtime.framework.probes import registry
from runtime.framework.tracing import enabling

NONE = 99_999  # of probes, aggregations, formats and enablings


def probe(number: int) -> bytes:
    return ProbeDescription(number, "", "", "", "").pack()


def pair(match: str, create: str) -> bytes:
    return b"".join(ProbeDescription(0, *text.split(":")).pack() for text in (match, create))


REFUSED: list[tuple[str, Command, bytes, int]] = [  # when, what, and the error
    ("before", Command.PROVIDER, ProviderDesc("nosuch").pack(), errno.ESRCH),
    ("before", Command.PROBES, probe(NONE), errno.ESRCH),
    ("before", Command.PROBEMATCH, ProbeDescription(0, "nosuch", "", "", "").pack(), errno.ESRCH),
    ("before", Command.PROBEARG, ArgDesc(NONE, 0).pack(), errno.EINVAL),
    ("before", Command.PROBEARG, ArgDesc(1, -1).pack(), errno.EINVAL),
    ("before", Command.EPROBE, struct.pack("<I", 1), errno.EINVAL),
    ("before", Command.AGGDESC, struct.pack("<I", 1), errno.EINVAL),
    ("before", Command.STATUS, b"", errno.ENOENT), ("before", Command.STOP, b"", errno.EINVAL),
    ("before", Command.BUFSNAP, BufDesc(cpu=0).pack(), errno.ENOENT),
    ("before", Command.AGGSNAP, BufDesc(cpu=0).pack(), errno.ENOENT),
    ("before", Command.REPLICATE, pair("a:b:c:d", "e:f:g:h"), errno.ENOENT),
    ("while", Command.GO, b"", errno.EBUSY),
    ("while", Command.EPROBE, struct.pack("<I", 0), errno.EINVAL),
    ("while", Command.EPROBE, struct.pack("<I", NONE), errno.EINVAL),
    ("while", Command.AGGDESC, struct.pack("<I", 0), errno.EINVAL),
    ("while", Command.AGGDESC, struct.pack("<I", 2), errno.EINVAL),
    ("while", Command.BUFSNAP, BufDesc(cpu=2).pack(), errno.EINVAL),
    ("while", Command.AGGSNAP, BufDesc(cpu=2).pack(), errno.EINVAL),
    ("ring", Command.BUFSNAP, BufDesc(cpu=0).pack(), errno.EBUSY),
    ("fill", Command.BUFSNAP, BufDesc(cpu=0).pack(), errno.EBUSY)]


@pytest.mark.parametrize(("when", "command", "payload", "error"), REFUSED)
def test_what_is_refused(when: str, command: Command, payload: bytes, error: int, world: Any) -> None:
    tracer = world.tracer()
    if when != "before":
        policy = {"while": {}, "ring": {"bufpolicy": 0}, "fill": {"bufpolicy": 1}}[when]
        tracer.enable(world.ecb("test:::a", world.aggregate(world.ActionKind.AGG_COUNT, 1)), **policy)
        tracer.go()
    with pytest.raises(BorderError) as caught:
        tracer.device.ioctl(command, payload)
    assert caught.value.errno == error


# What clauses there are, with which options, and the error with which GO refuses them, if any.
BEGUN: list[tuple[str, dict[str, int], int]] = [
    ("trace", {"bufsize": 7}, errno.ENOSPC), ("trace", {"bufsize": 8}, 0),
    ("count", {"aggsize": 7}, errno.ENOSPC), ("count", {"aggsize": 0}, errno.ENOSPC),
    ("count", {"aggsize": 8}, 0), ("trace", {"aggsize": 7}, 0),
    ("speculate", {"specsize": 7}, errno.ENOSPC), ("speculate", {"specsize": 8}, 0),
    ("trace", {"specsize": 7}, 0),
    ("trace", {"nspec": 1 << 31}, errno.ENOMEM), ("trace", {"nspec": (1 << 31) - 1}, errno.ENOMEM),
    ("trace", {"nspec": (1 << 30) // 128 + 1}, errno.ENOMEM), ("trace", {"nspec": 100}, 0),
    ("stop", {}, errno.EACCES), ("stop", {"destructive": 0}, 0), ("stop", {"destructive": 1}, 0),
    ("end", {"bufsize": 31, "bufpolicy": 1}, errno.E2BIG), ("end", {"bufsize": 32, "bufpolicy": 1}, 0),
    ("end", {"bufsize": 31, "bufpolicy": 0}, 0), ("end", {"bufsize": 31}, 0)]


@pytest.mark.parametrize(("kind", "options", "error"), BEGUN)
def test_what_begins(kind: str, options: dict[str, int], error: int, make_world: Any) -> None:
    """A record of END has 24 bytes, and may need 8 more before it; speculations have 64 bytes on each CPU."""
    world = make_world("translate")
    value = world.trace("ldgs arg0, %r1\nret %r1")
    clause = {
        "trace": world.ecb("test:::a", value), "end": world.ecb("dtrace:::END", value),
        "count": world.ecb("test:::a", world.aggregate(world.ActionKind.AGG_COUNT, 1)),
        "speculate": world.ecb("test:::a", world.Action(world.ActionKind.SPECULATE, world.const(1))),
        "stop": world.ecb("test:::a", world.Action(world.ActionKind.STOP, world.const(0)))}[kind]
    tracer = world.tracer()
    tracer.enable(clause, **options)
    if not error:
        tracer.go()
        return
    with pytest.raises(BorderError) as caught:
        tracer.go()
    assert caught.value.errno == error


def test_nothing_to_grab(world: Any) -> None:
    with pytest.raises(BorderError) as caught:
        world.tracer().device.ioctl(0x999)
    assert caught.value.errno == errno.ENOTTY
    tracer = world.tracer()
    tracer.enable(grabanon=1)
    with pytest.raises(BorderError, match="no anonymous tracing state") as caught:
        tracer.go()
    assert caught.value.errno == errno.ENOENT
    world.framework.begin_anonymous([writer.write(Program(options=[(0, 4096)]))])
    tracer.enable(world.ecb("test:::a", world.trace("ldgs arg0, %r1\nret %r1")))
    with pytest.raises(BorderError, match="probes are enabled already") as caught:
        tracer.go()
    assert caught.value.errno == errno.EALREADY


def test_as_many_enablings_and_formats_as_there_may_be(world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is refused leaves no trace."""
    monkeypatch.setattr(enabling, "RETAINED_MAX", 4)
    monkeypatch.setattr(enabling, "FORMATS_MAX", 2)
    tracer = world.tracer()

    def printing(*texts: str) -> Any:
        return world.ecb("test:::a", *[world.Action(world.ActionKind.PRINTF, world.const(1), string=text)
                                       for text in texts])

    for clause, error in ((printing("1", "2", "3"), errno.EINVAL), (printing("1"), 0), (printing("2"), 0),
                          (printing("3"), errno.EINVAL), (printing(), 0)):
        if error:
            with pytest.raises(BorderError, match="too many formats"):
                tracer.enable(clause)
        else:
            tracer.enable(clause)
    replicated = Command.REPLICATE, pair("test:::a", "test:::b")
    tracer.device.ioctl(*replicated)
    for ask in (lambda: tracer.enable(printing()), lambda: tracer.device.ioctl(*replicated)):
        with pytest.raises(BorderError, match="too many enablings") as caught:
            ask()
        assert caught.value.errno == errno.ENOSPC
    tracer.go()
    with pytest.raises(BorderError) as caught:
        tracer.enable(printing())
    assert caught.value.errno == errno.EBUSY
    assert [tracer.device.ioctl(Command.FORMAT, struct.pack("<I", number)).rstrip(b"\0")
            for number in (1, 2)] == [b"1", b"2"]


def test_what_is_answered(world: Any) -> None:
    """The first of each sort that there is: its number is the least that is known."""
    tracer = world.tracer()
    tracer.enable(world.ecb("test:::a", world.aggregate(world.ActionKind.AGG_COUNT, 1)))
    tracer.go()
    world.fire(world.a)
    assert tracer.eprobe(1).probe_id == world.a.id
    assert (tracer.aggdesc(1).id, tracer.aggdesc(1).epid) == (1, 1)
    found = CONF.unpack(tracer.device.ioctl(Command.CONF))
    assert found == (isa.DIF_VERSION, isa.NREGS, isa.NTUPLE, 2, *[0] * 8)
    provider = ProviderDesc.unpack(tracer.device.ioctl(Command.PROVIDER, ProviderDesc("test").pack()))
    assert provider.name == "test"
    assert ProbeDescription.unpack(tracer.device.ioctl(Command.PROBES, probe(world.b.id))).name == "b"
    for cpu in (0, 1):
        assert tracer.snap(cpu)[0].cpu == cpu


@pytest.mark.parametrize(("mapping", "expected"), [(None, 2), (0, 0), (7, 7)])
def test_types_of_arguments(mapping: int | None, expected: int, world: Any) -> None:
    """One that says nothing else is the native one of its number; -1 stands for one that is not there."""
    told = registry.ArgDesc("int", "string", mapping)
    world.operations.argdesc = lambda _probe, index: told if index == 2 else None

    def asked(index: int) -> ArgDesc:
        wanted = ArgDesc(world.a.id, index).pack()
        return ArgDesc.unpack(world.tracer().device.ioctl(Command.PROBEARG, wanted))

    assert asked(2) == ArgDesc(world.a.id, 2, expected, "int", "string")
    assert asked(3).ndx == -1


def test_clauses_that_are_replicated(world: Any) -> None:
    """Those of exactly that description are on the other probe, too: now, and as soon as it is there."""
    tracer = world.tracer()
    tracer.enable(world.ecb("test:::a", world.trace("ldgs arg0, %r1\nret %r1")),
                  world.ecb("test:mod::a", world.trace("setx 5, %r1\nret %r1")))
    tracer.device.ioctl(Command.REPLICATE, pair("test:::a", "test:::late"))
    late = world.provider.create("mod", "func", "late")
    tracer.go()
    for each, value in ((world.a, 1), (world.b, 2), (late, 3)):
        world.fire(each, value)
    assert [values for _, *values in tracer.integers()] == [[1], [5], [3]]
    with pytest.raises(BorderError) as caught:
        tracer.device.ioctl(Command.REPLICATE, pair("test:mod:func:a", "test:::b"))
    assert caught.value.errno == errno.ENOENT


# -- providers -----------------------------------------------------------------------------------------

def names(tracer: Any, provider: str = "test") -> list[str]:
    try:
        found = tracer.device.ioctl(Command.PROBEMATCH, ProbeDescription(0, provider, "", "", "").pack())
    except BorderError:
        return []
    return [each.name for each in PackedProbes(found, ProbeDescription)]


def test_probes_that_go(world: Any) -> None:
    """They fire no more and match nothing, whether they were enabled or not; records stay."""
    tracer = world.tracer()
    tracer.enable(world.ecb("test:::a", world.trace("ldgs arg0, %r1\nret %r1")))
    tracer.go()
    world.fire(world.a, 1)
    removed: list[object] = []
    world.operations.destroy = removed.append
    assert names(tracer) == ["a", "b"]
    for _ in range(2):
        world.a.remove()
        world.b.remove()
    assert names(tracer) == [] and removed == [world.a, world.b]
    assert not world.fire(world.a, 2)
    assert world.operations.calls == [("enable", world.a), ("disable", world.a)]
    assert tracer.integers() == [(1, 1)] and tracer.eprobe(1).probe_id == world.a.id
    for gone, is_known in ((world.a, True), (world.b, False)):  # what has clauses keeps its number
        if is_known:
            assert ProbeDescription.unpack(tracer.device.ioctl(Command.PROBES, probe(gone.id))).id == gone.id
        else:
            with pytest.raises(BorderError):
                tracer.device.ioctl(Command.PROBES, probe(gone.id))
    again = world.provider.create("mod", "func", "a")
    assert names(tracer) == ["a"] and again.id > world.b.id
    world.fire(again, 3)
    assert [values for _, *values in tracer.integers()] == [[3]]
    tracer.device.close()
    found = world.tracer().device.ioctl(Command.PROBES, probe(world.a.id))  # the next one that there is
    assert ProbeDescription.unpack(found).id == again.id
    assert world.operations.calls[2:] == [("enable", again), ("disable", again)]


def test_providers_that_go(world: Any) -> None:
    """Its name is free then; another of the same name is not touched."""
    tracer = world.tracer()
    with pytest.raises(ValueError, match="provider test is registered already"):
        world.framework.register("test", world.provider.attributes, world.provider.privileges,
                                 world.operations)
    with pytest.raises(ValueError, match="test:mod:func:a exists already"):
        world.provider.create("mod", "func", "a")
    world.provider.unregister()
    assert names(tracer) == [] and "test" not in world.framework.providers
    other = world.framework.register("test", world.provider.attributes, world.provider.privileges,
                                     world.operations)
    other.create("mod", "func", "c")
    world.provider.unregister()
    assert names(tracer) == ["c"] and world.framework.providers["test"] is other


def test_what_operations_say_unless_told() -> None:
    plain: Any = registry.Operations()
    assert plain.getarg(None, 7) == 0 and plain.argdesc(None, 0) is None


def test_engines_by_name() -> None:
    with pytest.raises(ValueError, match="no DIF engine named 'fast'"):
        Framework(lambda: None, engine="fast")  # type: ignore[arg-type, return-value]


@pytest.mark.parametrize("text", ["No/Stable/Common", "Stable/Stable/Common/More", "Stable/Stable/No"])
def test_a_provider_of_no_stability(text: str) -> None:
    good = "Private/Evolving/ISA"
    assert registry.attributes(*[good] * 5) == ((1, 5, 4),) * 5
    for place in range(5):
        with pytest.raises(ValueError, match=f"no stability: {text}"):
            registry.attributes(*[good] * place, text, *[good] * (4 - place))
