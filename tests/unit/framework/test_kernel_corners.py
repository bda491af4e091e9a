"""Corners in which the framework must give a kernel's answer, by value and in both engines."""

from __future__ import annotations

import errno

import pytest

from dif import isa
from dif.arithmetic import MASK
from dif.assembler import assemble
from dif.difo import DifType, DifVar
from dof.model import Action, ActionKind
from dof.options import OptionId, Policy, Resize
from runtime.border import ArgDesc, BorderError, Command, FaultKind
from runtime.framework.framework import Framework
from runtime.framework.probes.privileges import Credentials
from runtime.framework.values import strings

ARG0 = "ldgs arg0, %r1\nret %r1"
KERNEL = 0xFFFFFE0000000000
MEMORY = DifType(flags=isa.TF_BYREF, size=32)
PUSH = "pushtr string, %r0, %r{0}\n"


def errors(world, *numbers: int) -> object:
    """An ERROR clause that records such arguments."""
    return world.ecb("dtrace:::ERROR", *[world.trace(f"ldgs arg{n}, %r1\nret %r1") for n in numbers])


def run(world, *actions: Action, args: tuple[int, ...] = (), **options: int) -> list[tuple[int, list[bytes]]]:
    """Fire once; every record but the header."""
    tracer = world.tracer()
    tracer.enable(world.ecb("test:::a", *actions), errors(world, 4, 5), **options)
    tracer.go()
    world.fire(world.a, *args)
    return tracer.records()


def fault(records: list[tuple[int, list[bytes]]]) -> tuple[int, int]:
    """Kind and address of the only fault."""
    ((epid, values),) = records
    assert epid == 2
    return int.from_bytes(values[0], "little"), int.from_bytes(values[1], "little")


def texts(world, *values: bytes) -> None:
    """Put strings at KERNEL, KERNEL + 64, ... and nothing behind them."""
    world.host.memory.add(KERNEL, b"".join(value.ljust(64, b"\0") for value in values))


def calls(name: str, count: int) -> str:
    """DIF that calls a subroutine on the strings at KERNEL, KERNEL + 64, ... and returns %r1."""
    pushes = "".join(f"setx {KERNEL + 64 * n}, %r2\n" + PUSH.format(2) for n in range(count))
    return f"{pushes}call {name}, %r1\nflushts\nret %r1"


def string(size: int) -> DifType:
    return DifType(kind=isa.TYPE_STRING, flags=isa.TF_BYREF, size=size)


# -- aggregations ----------------------------------------------------------------------------------

LINEAR, LOGARITHMIC = 1 << 48 | 8 << 32, 10 << 48 | 2 << 16 | 10  # from 0 to 8 by 1; 10**0 to 10**2 by tenths
INCREMENT = DifType(size=0)


@pytest.mark.parametrize("value", [5, 70, 0, (1 << 64) - 3])
@pytest.mark.parametrize(("kind", "arg"), [(ActionKind.AGG_QUANTIZE, 0), (ActionKind.AGG_LQUANTIZE, LINEAR),
                                           (ActionKind.AGG_LLQUANTIZE, LOGARITHMIC)])
@pytest.mark.parametrize(("increments", "total"), [
    ((-1, None), 0), ((-1, None, None), 1), ((None, -3), -2), ((1 << 63, 1 << 63, None), 1),
    (((1 << 64) - 1,), -1), ((1 << 62, None, -(1 << 62)), 1), ((0, None), 1), ((-128, 127), -1)])
def test_buckets_wrap_at_64_bits(world, kind: int, arg: int, value: int, increments: tuple[int | None, ...],
                                 total: int) -> None:
    """Whatever the increments, and whether the clause has one: one bucket has their sum."""
    tracer = world.tracer()
    tracer.enable(*(world.ecb("test:::a", world.aggregate(
        kind, 1, (), world.const(value), arg,
        None if each is None else world.dif(f"setx {each & MASK:#x}, %r1\nret %r1", INCREMENT)))
        for each in increments))
    tracer.go()
    world.fire(world.a)
    (found,) = tracer.aggregations().values()
    words = [int.from_bytes(found[at:at + 8], "little", signed=True) for at in range(0, len(found), 8)]
    buckets = words[1:] if arg else words
    assert [each for each in buckets if each] == ([total] if total else [])
    assert tracer.status().errors == 0


def test_another_aggregating_function_on_the_same_record_is_illegal(world) -> None:
    """count() has made a record of 8 bytes; avg(), which needs 16, does not touch it."""
    tracer = world.tracer()
    tracer.enable(world.ecb("test:::a", world.aggregate(ActionKind.AGG_COUNT, 1, [world.trace(ARG0)])),
                  world.ecb("test:::b", world.aggregate(ActionKind.AGG_AVG, 1, [world.trace(ARG0)],
                                                        world.const(6))),
                  errors(world, 2, 4))
    tracer.go()
    world.fire(world.a, 5)
    world.fire(world.b, 5)
    world.fire(world.b, 7)
    world.fire(world.a, 7)
    world.fire(world.a, 5)
    key = [(1).to_bytes(8, "little"), (5).to_bytes(8, "little")]
    found = tracer.aggregations()
    assert found[tuple(key)] == (2).to_bytes(8, "little")
    assert found[(key[0], (7).to_bytes(8, "little"))] == (1).to_bytes(8, "little") + (6).to_bytes(8, "little")
    assert [values for _, *values in tracer.integers()] == [[3, FaultKind.ILLOP], [3, FaultKind.ILLOP]]


def test_one_function_of_two_variables_is_not_contested(world) -> None:
    tracer = world.tracer()
    tracer.enable(world.ecb("test:::a", world.aggregate(ActionKind.AGG_COUNT, 1),
                            world.aggregate(ActionKind.AGG_SUM, 2, (), world.const(9))))
    tracer.go()
    world.fire(world.a)
    assert tracer.status().errors == 0 and len(tracer.aggregations()) == 2


@pytest.mark.parametrize("unknown_first", [True, False])
def test_a_variable_that_only_the_clause_knows(world, unknown_first: bool) -> None:
    """Its record is that of the variable of this number, and belongs to who came first."""
    unknown = world.aggregate(ActionKind.AGG_AVG, 1, [world.trace(ARG0)], world.const(6))
    unknown[0] = world.trace("ldgs arg1, %r1\nret %r1")
    known = world.aggregate(ActionKind.AGG_COUNT, 1, [world.trace(ARG0)])
    tracer = world.tracer()
    tracer.enable(*(world.ecb("test:::a", each) for each in ([unknown, known] if unknown_first
                                                             else [known, unknown])), errors(world, 2, 4))
    tracer.go()
    world.fire(world.a, 5, 1)
    world.fire(world.a, 5, 2)
    one, two, key = (number.to_bytes(8, "little") for number in (1, 2, 5))
    average = one + (6).to_bytes(8, "little")
    if unknown_first:
        assert tracer.aggregations() == {(one, key): average, (two, key): average}
    else:
        assert tracer.aggregations() == {(one, key): two, (two, key): average}
    assert len(tracer.integers()) == 1 + unknown_first


def test_a_variable_is_what_the_expression_returns(world) -> None:
    """Its number is 0 in both clauses, not the one that stands in another register."""
    count = world.aggregate(ActionKind.AGG_COUNT, 0, [world.trace(ARG0)])
    average = world.aggregate(ActionKind.AGG_AVG, 0, [world.trace(ARG0)], world.const(6))
    count[0], average[0] = (world.trace(f"setx {number}, %r1\nret %r0") for number in (7, 8))
    tracer = world.tracer()
    tracer.enable(world.ecb("test:::a", count), world.ecb("test:::a", average), errors(world, 2, 4))
    tracer.go()
    world.fire(world.a, 5)
    zero, one, key = (number.to_bytes(8, "little") for number in (0, 1, 5))
    assert tracer.aggregations() == {(zero, key): one}
    assert [values for _, *values in tracer.integers()] == [[3, FaultKind.ILLOP]]


@pytest.mark.parametrize("size", [0, 3, 4, 5, 9])
def test_keys_have_as_much_of_a_string_as_is_pushed(world, size: int) -> None:
    """Names that differ behind the size, and the byte in place of a NUL, are one; no size is the default."""
    element = f"setx {size}, %r2\nldgs execname, %r1\npushtr string, %r2, %r1\n"
    code = world.dif(f"{element}ldgaa DT_VAR(1280), %r3\nflushts\nsetx 1, %r1\nadd %r3, %r1, %r3\n"
                     f"{element}stgaa %r3, DT_VAR(1280)\nret %r3")
    flags = isa.F_REF | isa.F_MOD
    code.vartab = [DifVar("A", 1280, isa.KIND_ARRAY, isa.SCOPE_GLOBAL, flags, DifType(size=8))]
    tracer = world.tracer()
    tracer.enable(world.ecb("test:::a", Action(ActionKind.DIFEXPR, code)))
    tracer.go()
    names = [b"abc1", b"abc2", b"abc1", b"abcd1", b"abcd2", b"abc"]
    for name in names:
        world.host.current.execname = name
        world.fire(world.a)
    cut = [name[:size + 1 if size else 256] for name in names]
    assert [values[0] for _, *values in tracer.integers()] == [cut[:at + 1].count(name)
                                                               for at, name in enumerate(cut)]


# -- actions ---------------------------------------------------------------------------------------

def test_raise_of_no_signal_is_no_fault(world) -> None:
    tracer = world.tracer()
    tracer.enable(world.ecb("test:::a", Action(ActionKind.RAISE, world.dif(ARG0)), world.trace(ARG0)),
                  destructive=1)
    tracer.go()
    world.fire(world.a, 0)
    assert tracer.integers() == [(1, 0, 0)] and not world.host.said
    world.fire(world.a, 9)
    assert world.host.said == [("raise", 9)]


def test_a_kind_has_sixteen_bits(world) -> None:
    ((_, values),) = run(world, Action(0x5E080000 | ActionKind.DIFEXPR, world.dif(ARG0)), args=(77,))
    assert values == [(77).to_bytes(8, "little")]


def test_arg0_of_the_frameworks_own_probes_is_the_state(world) -> None:
    tracers = [world.tracer(), world.tracer()]
    for tracer in tracers:
        own = [world.ecb(f"dtrace:::{name}", world.trace(ARG0)) for name in ("BEGIN", "END", "ERROR")]
        tracer.enable(*own, world.ecb("test:::a", world.trace("ldub [%r0], %r1\nret %r1")))
        tracer.go()
    world.fire(world.a)
    found = []
    for tracer in tracers:
        tracer.stop()
        begin, error, end = (values[1] & (1 << 64) - 1 for values in tracer.integers())
        assert begin == error == end and begin >> 44 == 0xFFFFC
        found.append(begin)
    assert found[0] != found[1]


# -- options ---------------------------------------------------------------------------------------

def test_the_number_of_no_cpu_traces_nowhere(make_world) -> None:
    """A kernel makes no buffer then: no clause runs, and no snapshot is to be had."""
    for engine in ("interpret", "translate"):
        world = make_world(engine, 4)
        tracer = world.tracer()
        tracer.enable(*[world.ecb(probe, world.trace(ARG0)) for probe in ("test:::a", "dtrace:::BEGIN")],
                      cpu=7)
        tracer.go()
        for world.host.cpu in range(4):
            world.fire(world.a, 1)
        for cpu, number in ((0, errno.ENOENT), (3, errno.ENOENT), (7, errno.EINVAL)):
            with pytest.raises(BorderError) as caught:
                tracer.snap(cpu)
            assert caught.value.errno == number


@pytest.mark.parametrize("policy", [Policy.SWITCH, Policy.FILL, Policy.RING])
def test_a_cpu_without_a_buffer_records_nothing(make_world, policy: int) -> None:
    for engine in ("interpret", "translate"):
        world = make_world(engine, 2)
        tracer = world.tracer()
        tracer.enable(world.ecb("test:::a", world.trace(ARG0)), cpu=1, bufsize=1024, bufpolicy=policy)
        tracer.go()
        for world.host.cpu in (0, 1, 0):
            world.fire(world.a, world.host.cpu + 7)
        world.host.cpu = 1
        tracer.stop()
        assert [values for _epid, values in tracer.records(1)] == [[(8).to_bytes(8, "little")]]


@pytest.mark.parametrize("policy", [Resize.AUTO, Resize.MANUAL])
def test_a_buffer_larger_than_memory(world, policy: int) -> None:
    """It is halved until it fits, or refused."""
    tracer = world.tracer()
    wanted = 90 << 30
    tracer.enable(world.ecb("test:::a", world.trace(ARG0)), bufsize=wanted, bufresize=policy)
    if policy == Resize.MANUAL:
        with pytest.raises(BorderError) as caught:
            tracer.go()
        assert caught.value.errno == errno.ENOMEM
        return
    tracer.go()
    size = tracer.device.tracing.state.options[OptionId.BUFSIZE]
    assert 0 < size < 1 << 30 and any(wanted >> halves == size for halves in range(40))
    world.fire(world.a, 5)
    assert tracer.integers() == [(1, 5)]


# -- scratch space ---------------------------------------------------------------------------------

JOIN = calls("strjoin", 2)


def test_scratch_space_is_what_is_left_of_a_switching_buffer(world) -> None:
    texts(world, b"ab", b"cd")
    record = [world.trace(ARG0)] * 64 + [world.trace(JOIN, string(256))]
    options = {"bufsize": 1024, "strsize": 256}
    assert fault(run(world, *record, args=(7,), **options)) == (FaultKind.NOSCRATCH, 0)


@pytest.mark.parametrize("policy", [Policy.FILL, Policy.RING])
def test_other_buffers_have_scratch_space_beside_them(world, policy: int) -> None:
    texts(world, b"ab", b"cd")
    record = [world.trace(ARG0)] * 64 + [world.trace(JOIN, string(256))]
    tracer = world.tracer()
    tracer.enable(world.ecb("test:::a", *record), bufsize=1024, strsize=256, bufpolicy=policy)
    tracer.go()
    world.fire(world.a)
    tracer.stop()
    found = tracer.records()
    assert found[0][1][64].rstrip(b"\0") == b"abcd"


def test_scratch_space_shrinks_as_the_buffer_fills(world) -> None:
    tracer = world.tracer()
    alloca = "setx 900, %r1\npushtv ctf, %r0, %r1\ncall alloca, %r1\nret %r1"
    tracer.enable(world.ecb("test:::a", world.trace(ARG0)), world.ecb("test:::b", world.trace(alloca)),
                  bufsize=1000)
    tracer.go()
    world.fire(world.b)
    world.fire(world.b)
    assert tracer.status().errors == 0
    for _ in range(3):
        world.fire(world.a)
    world.fire(world.b)
    assert tracer.status().errors == 1
    tracer.snap()
    world.fire(world.b)
    assert tracer.status().errors == 1


@pytest.mark.parametrize(("size", "faults"), [(1048568, 1), (1048544, 0)])
def test_alloca_has_no_more_than_the_buffer(world, size: int, faults: int) -> None:
    tracer = world.tracer()
    tracer.enable(world.ecb("test:::a", world.trace(
        f"setx {size}, %r1\npushtv ctf, %r0, %r1\ncall alloca, %r1\nret %r0")), bufsize=1 << 20)
    tracer.go()
    world.fire(world.a)
    assert tracer.status().errors == faults


def test_a_record_that_a_fault_ends_leaves_nothing_in_a_ring(make_world) -> None:
    """Also where it had pushed out all that was there, and the buffer begins anew."""
    found = []
    for engine in ("interpret", "translate"):
        world = make_world(engine, 1)
        tracer = world.tracer()
        large = world.trace("ldgs arg0, %r1\nldub [%r1], %r1\nret %r1", DifType(size=8))
        padding = [world.trace(ARG0)] * 31
        tracer.enable(world.ecb("test:::a", *padding, large), errors(world, 1, 2, 3, 4, 5), bufsize=272,
                      bufpolicy=Policy.RING)
        tracer.go()
        for _ in range(12):
            world.fire(world.a, 64)
        tracer.stop()
        found.append(tracer.snap())
    assert found[0] == found[1]
    desc, data = found[0]
    epids = [int.from_bytes(data[at:at + 4], "little") for at in range(0, len(data), 56)]
    assert epids == [2] * len(epids) != []
    assert desc.oldest == 0 and desc.errors == 12


# -- dynamic variables -----------------------------------------------------------------------------

def test_the_last_chunk_of_dynamic_variables_stays_empty(make_world) -> None:
    for engine in ("interpret", "translate"):
        world = make_world(engine, 1)
        difo = world.dif(ARG0.replace("ret %r1", "pushtv ctf, %r0, %r1\nstgaa %r1, DT_VAR(1280)\nret %r1"))
        difo.vartab = [DifVar("a", 0x500, isa.KIND_ARRAY, isa.SCOPE_GLOBAL, 3, DifType(size=8))]
        tracer = world.tracer()
        tracer.enable(world.ecb("test:::a", Action(ActionKind.DIFEXPR, difo)), dynvarsize=2048)
        tracer.go()
        for value in range(1, 21):
            world.fire(world.a, value)
        assert tracer.status().dyndrops == 20 - len(tracer.integers()) == 5


# -- strings that reach strsize ----------------------------------------------------------------------

def recorded(world, text: str, *, strsize: int, size: int = 16) -> bytes:
    ((epid, (value,)),) = run(world, world.trace(text, string(size)), strsize=strsize)
    assert epid == 1
    return value.split(b"\0", 1)[0]


def test_substr_fills_strsize(world) -> None:
    texts(world, b"hello")
    begin = f"setx {KERNEL}, %r2\n{PUSH.format(2)}pushtv ctf, %r0, %r0\ncall substr, %r1\nret %r1"
    assert recorded(world, begin, strsize=4, size=4) == b"hell"
    assert recorded(world, begin, strsize=6, size=6) == b"hello"


@pytest.mark.parametrize(("path", "strsize", "clean"), [
    (b"/a//b", 8, b"/a/b"), (b"/a//b", 7, b"/a"), (b"/a/..b", 8, b"/a/..b"), (b"/a/.b/c", 8, b"/a/.b"),
    (b"abc/d", 8, b"abc")])
def test_cleanpath_stores_a_slash_and_what_follows_in_one_step(world, path: bytes, strsize: int,
                                                               clean: bytes) -> None:
    texts(world, path)
    assert recorded(world, calls("cleanpath", 1), strsize=strsize) == clean


@pytest.mark.parametrize(("path", "clean"), [
    (b"/zones/web/./etc", b"/etc"), (b"/zones/web", b"/"), (b"/zones/web/", b"/"),
    (b"/zones/web2", b"/zones/web2"), (b"/zones", b"/zones")])
def test_cleanpath_leaves_out_the_root_of_the_tracers_zone(world, path: bytes, clean: bytes) -> None:
    world.host.current.memory.add(0x1000, path + b"\0")
    tracer = world.tracer(Credentials(root=b"/zones/web"))
    tracer.enable(world.ecb("test:::a", world.trace(
        f"setx 0x1000, %r1\npushtv ctf, %r0, %r1\ncall copyinstr, %r1\nflushts\n{PUSH.format(1)}"
        "call cleanpath, %r1\nret %r1", string(16))))
    tracer.go()
    world.fire(world.a)
    ((_, (value,)),) = tracer.records()
    assert value.split(b"\0")[0] == clean


def test_strtok_of_a_text_cut_behind_a_token(world) -> None:
    """"ab,," of four bytes has no NUL: after "ab" comes an empty token, then NULL."""
    texts(world, b"ab,,,,", b",")
    again = f"setx {KERNEL + 64}, %r2\npushtv ctf, %r0, %r0\n{PUSH.format(2)}call strtok, %r1\nflushts\n"
    first = calls("strtok", 2)
    second = first.replace("ret %r1", again + "ret %r1")
    third = first.replace("ret %r1", again + again + "ret %r1")
    assert recorded(world, first, strsize=4) == b"ab"
    ((_, (address,)),) = run(world, world.trace(second), strsize=4)
    assert address != bytes(8) and recorded(world, second, strsize=4) == b""
    ((_, (address,)),) = run(world, world.trace(third), strsize=4)
    assert address == bytes(8)


def test_strjoin_just_too_long_leaves_the_register(world) -> None:
    texts(world, b"abc", b"defg")
    pushes = calls("strjoin", 2).replace("call", "setx 0x1234, %r1\ncall")
    ((_, (value,)),) = run(world, world.trace(pushes), strsize=8)
    assert int.from_bytes(value, "little") == 0x1234
    assert recorded(world, pushes, strsize=9) == b"abcdefg"
    assert fault(run(world, world.trace(pushes), strsize=7))[0] == FaultKind.NOSCRATCH


def test_strings_lie_one_behind_the_other(world) -> None:
    """strjoin() takes as much scratch space as its result and a NUL."""
    texts(world, b"abc", b"defg")
    twice = calls("strjoin", 2).removesuffix("ret %r1") + "mov %r1, %r3\n" + \
        calls("strjoin", 2).removesuffix("ret %r1") + "sub %r1, %r3, %r1\nret %r1"
    ((_, (value,)),) = run(world, world.trace(twice))
    assert int.from_bytes(value, "little") == 8


@pytest.mark.parametrize(("size", "copied"), [(3, b"abc"), (7, b"abcdefg"), (8, b"abcdefg"), (9, b"abcdefg")])
def test_copyinstr_has_room_for_strsize_with_the_nul(world, size: int, copied: bytes) -> None:
    world.host.current.memory.add(0x1000, b"abcdefghijkl\0")
    text = f"setx 0x1000, %r1\npushtv ctf, %r0, %r1\nsetx {size}, %r1\npushtv ctf, %r0, %r1\n" \
        "call copyinstr, %r1\nflushts\nret %r1"
    ((_, (value,)),) = run(world, world.trace(text, string(16)), strsize=8)
    assert value.partition(b"\0")[0] == copied


@pytest.mark.parametrize("name", ["strchr", "strrchr"])
def test_a_string_without_a_nul_has_none_to_be_found(world, name: str) -> None:
    texts(world, b"abcd")
    find = f"setx {KERNEL}, %r2\n{PUSH.format(2)}pushtv ctf, %r0, %r0\ncall {name}, %r1\nret %r1"
    for strsize, found in ((4, 0), (5, KERNEL + 4)):
        ((_, (value,)),) = run(world, world.trace(find), strsize=strsize)
        assert int.from_bytes(value, "little") == found


# -- which address a fault tells -----------------------------------------------------------------------

def test_a_copy_of_bytes_tells_the_last_bad_one(world) -> None:
    world.host.memory.add(KERNEL, bytes(20))
    address = f"setx {KERNEL}, %r1\nret %r1"
    assert fault(run(world, world.trace(address, MEMORY))) == (FaultKind.BADADDR, KERNEL + 31)
    pair = (KERNEL).to_bytes(8, "little") + (24).to_bytes(8, "little")
    world.host.memory.add(KERNEL + 4096, pair)
    memref = Action(ActionKind.PRINTM, world.dif(f"setx {KERNEL + 4096}, %r1\nret %r1", MEMORY))
    assert fault(run(world, memref)) == (FaultKind.BADADDR, KERNEL + 23)


# -- loads of nothing, and of what need not be looked at ----------------------------------------------

BAD = 8


@pytest.mark.parametrize("flags", [0, isa.TF_BYREF, isa.TF_BYUREF])
@pytest.mark.parametrize("address", [0, BAD, KERNEL + 1])
def test_a_value_of_no_bytes_is_not_loaded(world, flags: int, address: int) -> None:
    texts(world, b"x")
    tracer = world.tracer()
    kind = DifType(flags=flags, size=0)
    values = (world.trace(f"setx {address:#x}, %r1\nret %r1", kind), world.trace("ret %r0", kind),
              world.trace("setx 7, %r1\nret %r1"))
    tracer.enable(world.ecb("test:::a", *values), errors(world, 4, 5))
    tracer.go()
    world.fire(world.a)
    assert tracer.integers() == [(1, 0, 0, 7)] and tracer.status().errors == 0


@pytest.mark.parametrize(("size", "expected"), [(0, (1, [(77).to_bytes(8, "little")])), (1, None)])
def test_a_copy_of_no_bytes_has_no_bad_address(world, size: int, expected: object) -> None:
    records = run(world, world.trace(
        f"setx 16, %r2\nallocs %r2, %r3\nsetx {BAD}, %r4\nsetx {size}, %r5\nsetx 77, %r1\n"
        "pushtv ctf, %r0, %r4\npushtv ctf, %r0, %r3\npushtv ctf, %r0, %r5\ncall bcopy, %r1\nret %r1"))
    if expected:
        assert records == [expected]
    else:
        assert fault(records) == (FaultKind.BADADDR, BAD)


@pytest.mark.parametrize(("first", "second", "order", "bad"), [
    (BAD, BAD, 0, None), (1 << 63, 1 << 63, 0, None), (0, 0, 0, None), (BAD, 0, None, BAD),
    (0, BAD, None, BAD),
    (BAD, KERNEL, None, BAD), (KERNEL, BAD, None, BAD), (BAD, 16, None, 16),
    (KERNEL, KERNEL + 64, 0, None), (KERNEL, KERNEL + 128, -1, None), (KERNEL + 128, KERNEL, 1, None),
    (KERNEL + 188, KERNEL, 1, None),  # of four bytes, behind which there is nothing: they differ before that
    (KERNEL + 188, KERNEL + 124, None, KERNEL + 192), (KERNEL + 191, 0, 1, None),
    (0, KERNEL + 191, -1, None)])
def test_strings_are_loaded_as_far_as_they_are_alike(world, first: int, second: int, order: int | None,
                                                     bad: int | None) -> None:
    world.host.memory.add(KERNEL, b"".join(text.ljust(60, b"\0") + end for text, end in (
        (b"abc", bytes(4)), (b"abc", b"xyzz"), (b"abd", b"xyzz"))))
    text = (f"setx {first:#x}, %r1\nsetx {second:#x}, %r2\nsetx 1, %r3\nscmp %r1, %r2\n"
            "bl  8\nbe  10\nsetx 3, %r3\nret %r3\nsetx 1, %r3\nret %r3\nsetx 2, %r3\nret %r3")
    records = run(world, world.trace(text))
    if order is None:
        assert fault(records) == (FaultKind.BADADDR, bad)
    else:
        assert records == [(1, [(order + 2).to_bytes(8, "little")])]


@pytest.mark.parametrize(("text", "order"), [(b"abc", 0), (b"abd", -1), (b"ab", 1), (b"", 1)])
@pytest.mark.parametrize("known_first", [True, False])
def test_a_string_is_compared_with_one_that_is_known(world, text: bytes, order: int,
                                                     known_first: bool) -> None:
    texts(world, b"abc")
    known, other = "sets DT_STRING[1], %r1\n", f"setx {KERNEL:#x}, %r2\n"
    which = "%r1, %r2" if known_first else "%r2, %r1"
    if not text:
        known = "mov %r0, %r1\n"
    difo = world.dif(f'.string ""\n.string "{text.decode() or "-"}"\n{known}{other}scmp {which}\n'
                     "bl  7\nbg  9\nret %r0\nret %r0\nsetx 1, %r3\nret %r3\nsetx 2, %r3\nret %r3")
    (record,) = run(world, Action(ActionKind.DIFEXPR, difo))
    expected = -order if known_first else order
    assert record == (1, [{0: 0, -1: 1, 1: 2}[expected].to_bytes(8, "little")])


@pytest.mark.parametrize(("name", "text", "part", "position", "found"), [
    ("strstr", b"aaaaaaab", b"ab", None, 6), ("strstr", b"aaaaaaaxyz", b"axyz", None, 6),
    ("strstr", b"aaaaaaaxyz", b"xyz", None, None), ("strstr", b"abcabcab", b"abcab", None, 0),
    ("strstr", b"xxxxxxab", b"abc", None, None), ("strstr", b"xxxxabcdef", b"abcdefgh", None, None),
    ("index", b"aaaaaaaxyz", b"xyz", None, -1), ("index", b"aaaaaabxyz", b"bx", 3, 6),
    ("index", b"aaaaaabxyz", b"bx", 7, -1), ("index", b"aaaaaabxyz", b"", 99, 7),
    ("rindex", b"aaaaaaaxyz", b"xyz", None, 7), ("rindex", b"aaaaaaaxyz", b"xyz", 6, -1),
    ("rindex", b"aaaaaaaxyz", b"axy", None, 6), ("rindex", b"aaaaaaaxyz", b"yz", None, -1),
    ("rindex", b"aaaaaaaxyz", b"", None, 7), ("rindex", b"abcdefg", b"g", None, 6),
    ("rindex", b"abc", b"", None, 3), ("rindex", b"abcabc", b"abc", 2, 0)])
def test_what_is_found_goes_on_behind_strsize(world, name: str, text: bytes, part: bytes,
                                              position: int | None, found: int | None) -> None:
    """A strsize of seven cuts the text off: what begins in it is found; rindex() begins just behind it."""
    texts(world, text, part)
    push = "" if position is None else f"setx {position}, %r3\npushtv ctf, %r0, %r3\n"
    call = calls(name, 2).replace(f"call {name}", f"{push}call {name}")
    expected = 0 if found is None else found + KERNEL * (name == "strstr")
    assert run(world, world.trace(call), strsize=7) == [(1, [(expected & MASK).to_bytes(8, "little")])]


@pytest.mark.parametrize(("name", "part", "found"), [
    ("strstr", b"bc", 5), ("strstr", b"c!", None), ("index", b"cd", None), ("rindex", b"x", None)])
def test_what_is_behind_strsize_is_looked_at_only_if_it_matters(world, name: str, part: bytes,
                                                                found: int | None) -> None:
    """Behind the text there is no memory: a fault where what is in it is like the part so far."""
    world.host.memory.add(KERNEL, b"aaaaabc")
    world.host.memory.add(KERNEL + 64, part + b"\0")
    records = run(world, world.trace(calls(name, 2).replace("pushtr string", "pushtv ctf")), strsize=7)
    if found is None:
        assert fault(records) == (FaultKind.BADADDR, KERNEL + 7)
    else:
        assert records == [(1, [(KERNEL + found).to_bytes(8, "little")])]


@pytest.mark.parametrize(("name", "value", "memory", "expected"), [
    ("strchr", "b", b"abc", KERNEL + 1), ("strchr", "c", b"abc", KERNEL + 2), ("strchr", "x", b"abc", None),
    ("strchr", "\0", b"abc", None), ("strrchr", "b", b"abc", None),
    ("strtok", ",", b",ab,c", b"ab"), ("strtok", ",", b"abc", None), ("strtok", ",", b",,,", None),
    ("strtok", "", b"abc", None), ("strtoll", 10, b"12 ", 12), ("strtoll", 10, b"12", None),
    ("strtoll", 10, b"12a", 12), ("strtoll", 16, b"12a", None), ("strtoll", 16, b"0", None),
    ("strtoll", 16, b"0xg", 0), ("strtoll", 10, b"  -", None), ("strtoll", 10, b"-z", 0),
    ("strtoll", 8, b"78", 7)])
def test_a_string_is_looked_at_as_far_as_it_matters(world, name: str, value: str | int, memory: bytes,
                                                    expected: int | bytes | None) -> None:
    """Behind it there is no memory: what is found, or ends, before that is right; else that is the fault."""
    separators = value.encode() if isinstance(value, str) else b""
    world.host.memory.add(KERNEL, memory)
    world.host.memory.add(KERNEL + 64, separators + b"\0")
    second = KERNEL + 64 if name == "strtok" else ord(value) if isinstance(value, str) else value
    text = (f"setx {KERNEL}, %r1\npushtv ctf, %r0, %r1\nsetx {second}, %r2\npushtv ctf, %r0, %r2\n"
            f"call {name}, %r1\nret %r1")
    records = run(world, world.trace(text, string(8) if name == "strtok" else "long"))
    if expected is None:
        assert fault(records) == (FaultKind.BADADDR, KERNEL + len(memory))
    else:
        data = expected.ljust(8, b"\0") if isinstance(expected, bytes) else expected.to_bytes(8, "little")
        assert records == [(1, [data])]


@pytest.mark.parametrize(("target", "taken"), [("illumos", {2, 10, 26}), ("freebsd", {2, 10, 28})])
@pytest.mark.parametrize("family", [0, 1, 2, 3, 9, 10, 11, 25, 26, 27, 28, 29, 42])
@pytest.mark.parametrize("engine", ["interpret", "translate"])
def test_families_of_addresses_are_the_targets(make_world, engine: str, target: str, taken: set[int],
                                               family: int) -> None:
    """And that of the programs, which D's AF_INET6 is here."""
    world = make_world(engine, target=target)
    texts(world, b"0123456789abcdef")
    action = Action(ActionKind.DIFEXPR, assemble(
        f"setx {family}, %r1\npushtv ctf, %r0, %r1\nsetx {KERNEL}, %r2\npushtv ctf, %r0, %r2\n"
        "call inet_ntop, %r1\nret %r1", target=target))
    action.difo.rtype = string(64)
    records = run(world, action)
    if family in taken:
        text = b"48.49.50.51" if family == 2 else b"3031:3233:3435:3637:3839:6162:6364:6566"
        assert records == [(1, [text.ljust(64, b"\0")])]
    else:
        assert fault(records) == (FaultKind.ILLOP, 0)


@pytest.mark.parametrize(("push", "drops", "failing"), [
    ("setx 0x8000000000000000, %r1\npushtr ctf, %r1, %r0", 0, FaultKind.ILLOP),
    ("setx 0xffffffffffffffff, %r1\npushtr ctf, %r1, %r0", 0, FaultKind.ILLOP),
    ("pushtr ctf, %r0, %r1", 0, None), ("setx 1, %r1\nmov %r1, %r2\npushtr ctf, %r0, %r2", 0, None)])
def test_members_of_any_size_leave_chunks_as_they_are(world, push: str, drops: int,
                                                      failing: int | None) -> None:
    """GO succeeds; a member whose size the text does not tell has its room in a chunk of the usual size."""
    variable = ".variable \"a\" 0x500 array global written ctf integer 8 -\n"
    tracer = world.tracer()
    store = Action(ActionKind.DIFEXPR, world.dif(
        f"{variable}setx 3, %r3\n{push}\nstgaa %r3, DT_VAR(1280)\nret %r3"))
    tracer.enable(world.ecb("test:::a", store), errors(world, 4))
    tracer.go()
    world.fire(world.a)
    assert tracer.integers() == [(2, failing) if failing else (1, 3)]
    assert tracer.status().dyndrops == drops


def test_a_string_tells_the_first_bad_byte(world) -> None:
    world.host.memory.add(KERNEL, b"x" * 20)
    assert fault(run(world, world.trace(f"setx {KERNEL}, %r1\nret %r1", string(32)))) \
        == (FaultKind.BADADDR, KERNEL + 20)


@pytest.mark.parametrize(("name", "order"), [("bcopy", (3, 4, 5)), ("copyinto", (3, 5, 4))])
def test_a_bad_destination_tells_the_old_register(world, name: str, order: tuple[int, ...]) -> None:
    world.host.memory.add(KERNEL, bytes(64))
    text = f"setx {KERNEL}, %r3\nsetx {KERNEL + 8}, %r4\nsetx 8, %r5\nsetx 0xabcd, %r1\n" \
        + "".join(f"pushtv ctf, %r0, %r{n}\n" for n in order) + f"call {name}, %r1\nret %r1"
    assert fault(run(world, world.trace(text))) == (FaultKind.BADADDR, 0xABCD)


def test_the_old_register_survives_where_ways_meet(world) -> None:
    """Both engines know that a call reads its register."""
    texts(world, b"abc", b"defg")
    text = "ldgs arg0, %r1\ntst %r1\nbne other\nsetx 5, %r1\nba out\nother: setx 6, %r1\nout: nop\n"
    for argument, old in ((0, 5), (1, 6)):
        ((_, (value,)),) = run(world, world.trace(text + calls("strjoin", 2)), args=(argument,), strsize=8)
        assert int.from_bytes(value, "little") == old


# -- where a kernel is wrong -----------------------------------------------------------------------------

def test_lquantize_of_large_numbers_stays_within_its_buckets(world) -> None:
    """A kernel subtracts the base in 32 bits, and writes elsewhere."""
    tracer = world.tracer()
    base, step, levels = -100, 10, 20
    arg = levels << 32 | step << 48 | base & 0xFFFFFFFF
    clause = world.aggregate(ActionKind.AGG_LQUANTIZE, 1, (), world.dif(ARG0), arg)
    tracer.enable(world.ecb("test:::a", clause))
    tracer.go()
    for value in (2**31 - 1, -2**31, 2**31 - 50):
        world.fire(world.a, value)
    (data,) = tracer.aggregations().values()
    buckets = [int.from_bytes(data[at:at + 8], "little") for at in range(8, len(data), 8)]
    assert buckets == [1, *[0] * 20, 2]


def test_strings_that_are_null_and_tokens_of_none(world) -> None:
    texts(world, b"/..", b"x")
    compare = "sets 0, %r1\nscmp %r0, %r1\nbe same\nret %r0\nsame: setx 1, %r1\nret %r1"
    tokens = f"setx {KERNEL + 64}, %r2\npushtv ctf, %r0, %r0\n{PUSH.format(2)}call strtok, %r1\nret %r1"
    compare = world.dif(compare.replace("sets 0, %r1", "setx 0, %r1"))
    ((_, values),) = run(world, Action(ActionKind.DIFEXPR, compare), world.trace(tokens))
    assert [int.from_bytes(value, "little") for value in values] == [1, 0]
    assert recorded(world, calls("cleanpath", 1), strsize=16) == b"/"


@pytest.mark.parametrize("op", ["ldgaa", "ldtaa"])
def test_an_array_that_no_object_defines_is_empty(world, op: str) -> None:
    """With a variable of a higher number, which is what validation looks at."""
    difo = world.dif(f"pushtv ctf, %r0, %r0\n{op} DT_VAR(1280), %r1\nret %r1")
    scope = isa.SCOPE_GLOBAL if op == "ldgaa" else isa.SCOPE_THREAD
    difo.vartab = [DifVar("high", 0x501, isa.KIND_SCALAR, scope, 3, DifType(size=8))]
    ((_, (value,)),) = run(world, Action(ActionKind.DIFEXPR, difo))
    assert value == bytes(8)


# -- FreeBSD -------------------------------------------------------------------------------------------

@pytest.fixture(params=("interpret", "translate"))
def freebsd(request, make_world):
    from runtime.framework.probes.privileges import Privilege
    from runtime.providers import dtrace
    from tests.unit.framework.conftest import ATTRIBUTES

    world = make_world(request.param, 1)
    world.framework = Framework(lambda: world.host, engine=request.param, target="freebsd")
    dtrace.install(world.framework.registry)
    provider = world.framework.register("test", ATTRIBUTES, Privilege.KERNEL, world.operations)
    world.a = provider.create("mod", "func", "a")
    return world


def number(name: str) -> int:
    return next(row.numbers["freebsd"] for row in isa.SUBROUTINES if row.name == name)


@pytest.mark.parametrize("name", ["getmajor", "getminor", "msgsize", "msgdsize", "ddi_pathname"])
def test_subroutines_that_freebsd_lacks_leave_the_register(freebsd, name: str) -> None:
    difo = freebsd.dif("setx 0x500000007, %r2\nsetx 99, %r1\npushtv ctf, %r0, %r2\npushtv ctf, %r0, %r2\n"
                       "call getmajor, %r1\nret %r1")
    difo.text[4] = isa.wide(isa.Op.CALL, number(name), 1)
    ((_, (value,)),) = run(freebsd, Action(ActionKind.DIFEXPR, difo))
    assert int.from_bytes(value, "little") == 99


def test_freebsd_has_no_interrupt_level(freebsd) -> None:
    assert fault(run(freebsd, freebsd.trace("ldgs ipl, %r1\nret %r1")))[0] == FaultKind.ILLOP


def test_illumos_has_all_of_them(world) -> None:
    ((_, values),) = run(world, world.trace("setx 0x500000007, %r2\npushtv ctf, %r0, %r2\n"
                                            "call getmajor, %r1\nret %r1"),
                         world.trace("ldgs ipl, %r1\nret %r1"))
    assert [int.from_bytes(value, "little") for value in values] == [5, 0]


def test_memstr_runs_out_of_scratch_space_before_it_is_too_long(freebsd) -> None:
    from runtime.framework.base.faults import DifFault

    freebsd.host.memory.add(KERNEL, b"a\0b" + bytes(8000))
    tracer = freebsd.tracer()
    tracer.enable(freebsd.ecb("test:::a", freebsd.trace(ARG0)), bufsize=6000)
    tracer.go()
    firing = tracer.device.tracing.state.environment.firings[0]
    firing.begin(freebsd.a, 1, (0, 0, 0, 0, 0))
    for size, kind in ((6000, FaultKind.NOSCRATCH), (5000, FaultKind.ILLOP)):
        with pytest.raises(DifFault) as caught:
            strings.memstr(firing, KERNEL, ord("-"), size)
        assert caught.value.kind == kind
    assert firing.string(strings.memstr(firing, KERNEL, ord("-"), 4)) == b"a-b"
    with pytest.raises(DifFault) as caught:
        strings.memstr(firing, KERNEL + 8000, ord("-"), 101)
    assert caught.value.address == KERNEL + 8099


def test_memstr_of_a_kernel_that_the_tracer_may_not_see(freebsd) -> None:
    """It is refused before its size is."""
    tracer = freebsd.tracer(Credentials(kernel=False))
    difo = freebsd.dif(f"setx {KERNEL}, %r1\nsetx 1048576, %r2\nsetx 45, %r3\npushtv ctf, %r0, %r1\n"
                       "pushtv ctf, %r0, %r3\npushtv ctf, %r0, %r2\ncall getmajor, %r1\nret %r1")
    difo.text[6] = isa.wide(isa.Op.CALL, number("memstr"), 1)
    tracer.enable(freebsd.ecb("dtrace:::BEGIN", Action(ActionKind.DIFEXPR, difo)), errors(freebsd, 4, 5))
    tracer.go()
    assert fault(tracer.records()) == (FaultKind.KPRIV, KERNEL)


def test_an_argument_that_a_probe_has_not_is_number_minus_one(world) -> None:
    found = world.tracer().device.ioctl(Command.PROBEARG, ArgDesc(world.a.id, 77).pack())
    assert ArgDesc.unpack(found) == ArgDesc(world.a.id, -1, 77)


def test_what_only_aggregates_is_dropped_once_faults_have_filled_the_buffer(world) -> None:
    """Before the first fault nothing could be recorded, and no room was looked for."""
    tracer = world.tracer()
    bad = world.dif("setx 64, %r1\nldx [%r1], %r1\nret %r1")
    tracer.enable(world.ecb("test:::a", world.aggregate(ActionKind.AGG_COUNT, 1)),
                  world.ecb("test:::b", world.aggregate(ActionKind.AGG_SUM, 2, value=bad)),
                  world.ecb("dtrace:::ERROR", world.trace(ARG0)), bufsize=64)
    tracer.go()
    for probe in (world.a, world.a, world.b, world.b, world.b, world.a, world.a):
        world.fire(probe)
    (count,) = tracer.aggregations().values()
    assert (int.from_bytes(count, "little"), tracer.status().errors) == (2, 2)  # the third is dropped, too
    tracer.snap()
    world.fire(world.a)
    (count,) = tracer.aggregations().values()
    assert int.from_bytes(count, "little") == 1


def test_the_interrupt_level_needs_dtrace_kernel(world) -> None:
    """Although it is always the same."""
    from runtime.framework.probes.privileges import Credentials
    tracer = world.tracer(Credentials(kernel=False))
    tracer.enable(world.ecb("dtrace:::BEGIN", world.trace("ldgs ipl, %r1\nret %r1")),
                  world.ecb("dtrace:::ERROR", world.trace("ldgs arg4, %r1\nret %r1")))
    tracer.go()
    assert tracer.integers() == [(2, FaultKind.KPRIV)]
