"""Enabling, firing, recording: through the device, as bytes."""

from __future__ import annotations

import errno
import struct

import pytest

from dif.difo import DifType
from dof import model, writer
from dof.model import Action, ActionKind, Program
from runtime.border import BorderError, Command, PackedProbes, ProbeDescription, RecDesc
from runtime.framework.base.faults import FaultKind
from runtime.framework.base.host import MemoryFault

SIGNALS = 65  # of illumos and of Linux: 64 is the last



def test_begin_records_and_exits(world) -> None:
    tracer = world.tracer()
    matched = tracer.enable(world.ecb("dtrace:::BEGIN", world.trace("setx 7, %r1\nret %r1", "int"),
                                      Action(ActionKind.EXIT, world.const(3, "int"))))
    assert matched == 1
    tracer.go()
    assert tracer.status().exiting
    assert tracer.integers() == [(1, 7, 3)]
    tracer.stop()


def test_arguments_reach_the_clause_of_an_enabled_probe_only(world) -> None:
    tracer = world.tracer()
    tracer.enable(world.ecb("test:mod:func:a", world.trace("ldgs arg0, %r1\nret %r1"),
                            world.trace("ldgs arg7, %r1\nret %r1")))
    assert world.a.fire is None, "nothing fires before GO"
    tracer.go()
    assert world.fire(world.a, -5)
    assert not world.fire(world.b)
    assert tracer.integers() == [(1, -5, 57)]
    tracer.stop()
    assert world.a.fire is None
    tracer.device.close()
    assert [name for name, _probe in world.operations.calls] == ["enable", "disable"]


def test_globs_match_and_new_probes_join(world) -> None:
    tracer = world.tracer()
    assert tracer.enable(world.ecb("test:*:f[tu]nc*:?", world.trace("ldgs id, %r1\nret %r1"))) == 2
    tracer.go()
    late = world.provider.create("mod", "ftnc2", "c")
    for probe in (world.a, world.b, late):
        world.fire(probe)
    assert [values[1] for values in tracer.integers()] == [world.a.id, world.b.id, late.id]


def test_predicate_chooses(world) -> None:
    text = """ldgs arg0, %r1\nsetx 5, %r2\ncmp %r1, %r2\nbg yes
              setx 0, %r1\nret %r1\nyes:\nsetx 1, %r1\nret %r1"""
    tracer = world.tracer()
    tracer.enable(world.ecb("test:::a", world.trace("ldgs arg0, %r1\nret %r1"),
                            predicate=world.dif(text)))
    tracer.go()
    for value in (3, 9, -1, 6):
        world.fire(world.a, value)
    assert [values[1] for values in tracer.integers()] == [9, 6]


def test_record_layout_follows_alignment(world) -> None:
    tracer = world.tracer()
    tracer.enable(world.ecb("dtrace:::BEGIN", world.trace("setx 1, %r1\nret %r1", DifType(size=1)),
                            world.trace("setx 2, %r1\nret %r1", "none"), world.trace("setx 3, %r1\nret %r1"),
                            world.trace('sets "xy", %r1\nret %r1', "string"),
                            world.trace("setx 4, %r1\nret %r1", DifType(size=2))))
    desc = tracer.eprobe(1)
    assert [(r.offset, r.size) for r in desc.records] == [(12, 1), (13, 0), (16, 8), (24, 256), (280, 2)]
    assert desc.size == 284
    assert desc.records[2] == RecDesc(1, 8, 16, 8, 0, 0, 0)
    tracer.go()
    assert tracer.records()[0][1] == [b"\1", b"", struct.pack("<Q", 3), b"xy".ljust(256, b"\0"), b"\4\0"]


@pytest.mark.parametrize(("variable", "value"), [("pid", 100), ("tid", 101), ("ppid", 1), ("epid", 1),
                                                 ("vtimestamp", 500_000), ("timestamp", 1_000_000),
                                                 ("caller", 0xFFFFFFFFFB000010 - 2**64),
                                                 ("ucaller", 0x400200),
                                                 ("stackdepth", 2), ("ustackdepth", 2), ("ipl", 0),
                                                 ("curthread", 0xFFFFFE0000001000 - 2**64)])
def test_built_in_numbers(world, variable: str, value: int) -> None:
    tracer = world.tracer()
    tracer.enable(world.ecb("test:::a", world.trace(f"ldgs {variable}, %r1\nret %r1")))
    tracer.go()
    world.fire(world.a)
    assert tracer.integers() == [(1, value)]


@pytest.mark.parametrize(("variable", "value"), [("execname", b"prog"), ("probefunc", b"func"),
                                                 ("probeprov", b"test"), ("probename", b"a"),
                                                 ("probemod", b"mod"), ("zonename", b"global")])
def test_built_in_strings(world, variable: str, value: bytes) -> None:
    tracer = world.tracer()
    tracer.enable(world.ecb("test:::a", world.trace(f"ldgs {variable}, %r1\nret %r1", "string")))
    tracer.go()
    world.fire(world.a)
    assert tracer.records()[0][1] == [value.ljust(256, b"\0")]


def test_stacks(world) -> None:
    tracer = world.tracer()
    tracer.enable(world.ecb("test:::a", Action(ActionKind.STACK, arg=3), Action(ActionKind.USTACK, arg=2)))
    tracer.go()
    world.fire(world.a)
    kernel, user = tracer.records()[0][1]
    assert struct.unpack("<3Q", kernel) == (*world.host.stack, 0)
    assert struct.unpack("<3Q", user) == (100, 0x400100, 0x400200)


def test_effects_reach_the_kernel_only_when_destructive_is_set(world) -> None:
    actions = [Action(ActionKind.STOP), Action(ActionKind.RAISE, world.const(9)),
               Action(ActionKind.CHILL, world.const(1000)), Action(ActionKind.BREAKPOINT),
               Action(ActionKind.PANIC)]
    refused = world.tracer()
    refused.enable(world.ecb("test:::a", *actions))
    with pytest.raises(BorderError) as caught:
        refused.go()
    assert caught.value.errno == errno.EACCES
    refused.device.close()
    tracer = world.tracer()
    tracer.enable(world.ecb("test:::a", *actions), destructive=1)
    tracer.go()
    world.fire(world.a)
    assert world.host.said[:3] == ["stop", ("raise", 9), "breakpoint"]
    assert world.host.said[3][0] == "panic"
    assert world.host.time == 1_001_000


def test_two_states_are_independent(world) -> None:
    first, second = world.tracer(), world.tracer()
    for tracer in (first, second):
        tracer.enable(world.ecb("test:::a", world.trace("ldgs arg0, %r1\nret %r1")))
        tracer.go()
    world.fire(world.a, 1)
    first.stop()
    world.fire(world.a, 2)
    assert first.integers() == [(1, 1)]
    assert second.integers() == [(1, 1), (1, 2)]


def test_exit_ends_the_clauses_after_it(world) -> None:
    tracer = world.tracer()
    tracer.enable(world.ecb("test:::a", Action(ActionKind.EXIT, world.const(0, "int"))),
                  world.ecb("test:::a", world.trace("setx 1, %r1\nret %r1")))
    tracer.go()
    world.fire(world.a)
    assert world.a.fire is None
    assert tracer.integers() == [(1, 0)]


def test_printf_arguments_share_a_format(world) -> None:
    tracer = world.tracer()
    tracer.enable(world.ecb("dtrace:::BEGIN", Action(ActionKind.PRINTF, world.const(1), string="%d %d"),
                            Action(ActionKind.PRINTF, world.const(2), string="%d %d")))
    records = tracer.eprobe(1).records
    assert records[0].format == records[1].format == 1
    assert tracer.device.ioctl(Command.FORMAT, struct.pack("<H", 1)) == b"%d %d"


@pytest.mark.parametrize(("actions", "reason"), [
    ([Action(0x0999)], "unknown"),
    ([Action(ActionKind.EXIT)], "without a DIF"),
    ([Action(ActionKind.COMMIT, None)], "without a DIF"),
    ([Action(ActionKind.AGG_COUNT, ntuple=1)], "tuple"),
    ([Action(ActionKind.AGG_COUNT, ntuple=0)], "tuple"),
])
def test_enable_refuses_with_a_reason(world, actions: list[Action], reason: str) -> None:
    with pytest.raises(BorderError, match=reason) as caught:
        world.tracer().enable(world.ecb("dtrace:::BEGIN", *actions))
    assert caught.value.errno == errno.EINVAL


def test_more_refusals(world) -> None:
    commit = Action(ActionKind.COMMIT, world.const(1))
    count = world.aggregate(ActionKind.AGG_COUNT, 1)
    record = world.trace("setx 1, %r1\nret %r1")
    speculate = Action(ActionKind.SPECULATE, world.const(1))
    after = r"recording action, speculate\(\) or commit\(\) after commit\(\)"
    no_tuple = "aggregation without as many actions before it as its tuple has"
    for actions, reason in (
            ([commit, commit], after), ([commit, record], after), ([commit, speculate], after),
            ([commit, *count], "recording action"),
            ([commit, Action(ActionKind.AGG_COUNT, ntuple=1)], r"aggregation after commit\(\) or speculate"),
            ([speculate, *count], r"aggregation after commit\(\) or speculate\(\)"),
            ([record, speculate], r"speculate\(\) after a recording action"),
            (world.aggregate(ActionKind.AGG_LQUANTIZE, 1, value=world.const(1)),
             r"l+quantize"),
            (world.aggregate(ActionKind.AGG_LLQUANTIZE, 1, value=world.const(1), arg=10 << 48),
             r"l+quantize"),
            ([world.trace("setx 1, %r1\nret %r1", DifType(kind=1, size=0))],
             "a string of size 0 that is not by reference"),
            ([Action(ActionKind.EXIT, world.const(1))], r"exit\(\) whose status is not 4 bytes"),
            ([Action(ActionKind.EXIT, world.const(0, DifType(flags=1, size=4)))], "status is not 4 bytes"),
            (world.aggregate(ActionKind.AGG_COUNT, 1, [Action(ActionKind.STOP)]), "records nothing"),
            (world.aggregate(ActionKind.AGG_COUNT, 1, [speculate]), "after a recording action"),
            (world.aggregate(ActionKind.AGG_COUNT, 1, [Action(ActionKind.DISCARD, world.const(1))]),
             "records nothing"),
            ([record, Action(ActionKind.AGG_COUNT, ntuple=2)], no_tuple),
            ([*count, Action(ActionKind.AGG_COUNT, ntuple=2)], no_tuple),
            ([Action(ActionKind.SYM, world.const(1, "int"))], "a symbol action whose value is not 8 bytes"),
            ([Action(ActionKind.USYM, world.const(0, DifType(flags=1, size=8)))], "not 8 bytes")):
        with pytest.raises(BorderError, match=reason) as caught:
            world.tracer().enable(world.ecb("dtrace:::BEGIN", *actions))
        assert caught.value.errno == errno.EINVAL


@pytest.mark.parametrize(("size", "key", "reason"), [
    ((1 << 30) - 12, False, ""), ((1 << 30) - 11, False, "records of a clause are too large"),
    (1 << 30, False, "records of a clause are too large"),
    ((1 << 30) + 1, False, "record of an action is too large"),
    ((1 << 30) - 32, True, ""), ((1 << 30) - 24, True, "records of a clause are too large"),
    ((1 << 30) - 23, True, "records of a clause are too large")])
def test_the_largest_record(world, size: int, key: bool, reason: str) -> None:
    """With its head; or in a tuple, with what stands in front and the aggregation's value behind it."""
    actions = [Action(ActionKind.TRACEMEM, world.const(0, DifType(flags=1, size=size)))]
    if key:
        actions.append(Action(ActionKind.AGG_COUNT, ntuple=1))
    tracer = world.tracer()
    if reason:
        with pytest.raises(BorderError, match=reason):
            tracer.enable(world.ecb("dtrace:::BEGIN", *actions))
    else:
        tracer.enable(world.ecb("dtrace:::BEGIN", *actions))
        assert tracer.eprobe(1).size == (0 if key else 1 << 30)


def test_a_refused_enabling_leaves_nothing(world) -> None:
    tracer = world.tracer()
    with pytest.raises(BorderError):
        tracer.enable(world.ecb("test:::a", world.trace("setx 1, %r1\nret %r1")),
                      world.ecb("test:::b", Action(0x999)))
    assert not world.a.enabled
    with pytest.raises(BorderError):
        tracer.eprobe(1)


def test_probe_listing_and_description(world) -> None:
    tracer = world.tracer()
    everything, last = [], 0
    while True:
        try:
            found = ProbeDescription.unpack(tracer.device.ioctl(
                Command.PROBES, ProbeDescription(last + 1, "", "", "", "").pack()))
        except BorderError as error:
            assert error.errno == errno.ESRCH
            break
        everything.append(str(found))
        last = found.id
    assert everything[:4] == ["dtrace:::BEGIN", "dtrace:::END", "dtrace:::ERROR", "test:mod:func:a"]
    assert last == world.b.id and len(everything) == last
    some = PackedProbes(tracer.device.ioctl(
        Command.PROBEMATCH, ProbeDescription(0, "te*", "", "", "b").pack()), ProbeDescription)
    assert [p.id for p in some] == [world.b.id] == [some[0].id] == [some[-1].id]
    with pytest.raises(BorderError) as caught:
        tracer.device.ioctl(Command.PROBEMATCH, ProbeDescription(0, "none", "", "", "").pack())
    assert caught.value.errno == errno.ESRCH


@pytest.mark.parametrize("garbage", [b"", b"\x7fDOF", b"\0" * 200, b"\x7fDOF" + b"\xff" * 100])
def test_garbage_is_refused(world, garbage: bytes) -> None:
    with pytest.raises(BorderError):
        world.tracer().device.ioctl(Command.ENABLE, garbage)
    for command in Command:
        if command not in (Command.CONF, Command.DOFGET, Command.GO, Command.AGGSNAP, Command.BUFSNAP):
            with pytest.raises(BorderError):
                world.tracer().device.ioctl(command, garbage[:3])


def test_no_privilege_no_device(world) -> None:
    from runtime.framework.probes.privileges import Credentials
    with pytest.raises(BorderError) as caught:
        world.tracer(Credentials(kernel=False, user=False, proc=False))
    assert caught.value.errno == errno.EACCES


def test_options_come_back(world) -> None:
    from dof.reader import read
    tracer = world.tracer()
    tracer.enable(world.ecb("dtrace:::BEGIN"), strsize=64, nspec=3)
    options = dict(read(tracer.device.ioctl(Command.DOFGET)).options)
    assert options[6] == 64 and options[5] == 3


def test_dof_without_options_needs_a_buffer(world) -> None:
    tracer = world.tracer()
    program = Program(ecbs=[model.Ecb(model.ProbeDesc("dtrace", "", "", "BEGIN"),
                                      actions=[world.trace("setx 1, %r1\nret %r1")])])
    tracer.device.ioctl(Command.ENABLE, writer.write(program))
    with pytest.raises(BorderError) as caught:
        tracer.go()
    assert caught.value.errno == errno.ENOSPC


def test_a_string_without_a_size_has_the_systems(world) -> None:
    tracer = world.tracer()
    tracer.enable(strsize=100)
    tracer.enable(world.ecb("test:::a", world.trace("ldgs execname, %r1\nret %r1", DifType(kind=1, flags=1))))
    assert [record.size for record in tracer.eprobe(1).records] == [100]


def test_a_probe_by_its_number(world) -> None:
    tracer = world.tracer()
    action = world.trace("ldgs arg0, %r1\nret %r1")
    numbered = [model.Ecb(model.ProbeDesc("", "", "", "", number), None, [action])
                for number in (world.b.id, 99_999)]
    assert [tracer.enable(each) for each in numbered] == [1, 0]
    tracer.go()
    world.fire(world.a, 1)
    world.fire(world.b, 2)
    assert tracer.integers() == [(1, 2)]
    last = world.provider.create("mod", "func", "last").id
    assert world.tracer().enable(model.Ecb(model.ProbeDesc("", "", "", "", last + 1), None, [action])) == 0
    new = world.provider.create("mod", "func", "new")  # it has the number that was asked for
    other = world.provider.create("mod", "func", "other")
    assert (new.id, new.enabled, other.enabled) == (last + 1, True, False)


def test_exit_of_end_is_recorded(world) -> None:
    tracer = world.tracer()
    tracer.enable(world.ecb("dtrace:::END", Action(ActionKind.EXIT, world.const(5, "int"))))
    tracer.go()
    tracer.stop()
    assert tracer.integers() == [(1, 5)]


def test_the_hosts_time_of_day(world) -> None:
    tracer = world.tracer()
    time = "ldgs walltimestamp, %r1\nret %r1"
    tracer.enable(world.ecb("test:::a", world.trace(time), world.trace(time)))
    tracer.go()
    for _ in range(2):
        world.fire(world.a)
        now = world.host.walltime()
        assert tracer.integers() == [(1, now, now)]
        world.host.time += 5


@pytest.mark.parametrize(("error", "fault", "address"), [
    (MemoryFault(0x77), FaultKind.BADADDR, 0x77), (ValueError(), FaultKind.ILLOP, 0),
    (KeyError(), FaultKind.ILLOP, 0), (None, 0, 0)])
def test_registers_of_programs(world, error: Exception | None, fault: int, address: int) -> None:
    def register(index: int) -> int:
        if error is not None:
            raise error
        return -index

    world.host.current.register = register
    tracer = world.tracer()
    read = world.trace("setx 3, %r1\nldga DT_VAR(2), %r1, %r2\nret %r2")
    tracer.enable(world.ecb("test:::a", read), world.ecb("dtrace:::ERROR", *[
        world.trace(f"ldgs arg{number}, %r1\nret %r1") for number in (4, 5)]))
    tracer.go()
    world.fire(world.a)
    assert tracer.integers() == [(2, fault, address) if error else (1, -3)]


@pytest.mark.parametrize(("kind", "value", "later", "said"), [
    (ActionKind.RAISE, 0, 0, []), (ActionKind.RAISE, 9, 0, [("raise", 9)] * 2),
    (ActionKind.RAISE, SIGNALS - 1, 0, [("raise", SIGNALS - 1)] * 2), (ActionKind.RAISE, SIGNALS, 0, None),
    (ActionKind.CHILL, 250_000_000, 0, []), (ActionKind.CHILL, 250_000_001, 0, None),
    (ActionKind.CHILL, 500_000_000, 500_000_000, None), (ActionKind.CHILL, 500_000_000, 500_000_001, []),
    (ActionKind.CHILL, 500_000_001, 10**10, None)])
def test_limits_of_destruction(world, kind: int, value: int, later: int, said: list[object] | None) -> None:
    """Twice on a CPU; a CPU may be held for half of each second."""
    tracer = world.tracer()
    tracer.enable(world.ecb("test:::a", Action(kind, world.const(value))), destructive=1)
    tracer.go()
    world.fire(world.a)
    world.host.time += later
    world.fire(world.a)
    assert tracer.status().errors == (0 if said is not None else 2 if kind == ActionKind.RAISE
                                      or value > 500_000_000 else 1)
    assert said is None or world.host.said == said
