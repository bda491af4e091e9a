"""Variables, aggregations, speculations, buffers and faults."""

from __future__ import annotations

import errno
import struct

import pytest

from dif.difo import DifType
from dof.model import Action, ActionKind
from runtime.border import BorderError
from runtime.framework.base.faults import FaultKind
from runtime.framework.buffers.aggregation import llquantize_bucket, value_size

ARG0 = "ldgs arg0, %r1\nret %r1"


def words(data: bytes) -> list[int]:
    return list(struct.unpack(f"<{len(data) // 8}q", data))


# -- aggregations ------------------------------------------------------------------------------------

@pytest.mark.parametrize(("kind", "values", "expected"), [
    (ActionKind.AGG_COUNT, [5, 6], [2]),
    (ActionKind.AGG_SUM, [5, -9], [-4]),
    (ActionKind.AGG_MIN, [5, -9, 7], [-9]),
    (ActionKind.AGG_MAX, [-5, -9], [-5]),
    (ActionKind.AGG_MIN, [2**63 - 1], [2**63 - 1]),
    (ActionKind.AGG_MAX, [-2**63], [-2**63]),
    (ActionKind.AGG_AVG, [1, 2, 6], [3, 9]),
    (ActionKind.AGG_STDDEV, [-2, 4], [2, 2, 20, 0]),
])
def test_aggregating_functions(world, kind: int, values: list[int], expected: list[int]) -> None:
    tracer = world.tracer()
    tracer.enable(world.ecb("test:::a", world.aggregate(kind, 1, value=world.dif(ARG0))))
    tracer.go()
    for value in values:
        world.fire(world.a, value)
    ((key, data),) = tracer.aggregations().items()
    assert words(key[0]) == [1]
    assert words(data) == expected
    assert tracer.aggregations() == {}, "a snapshot takes everything out"


def test_quantize_buckets(world) -> None:
    tracer = world.tracer()
    tracer.enable(world.ecb("test:::a", world.aggregate(ActionKind.AGG_QUANTIZE, 1, value=world.dif(ARG0))))
    tracer.go()
    for value in (0, 1, 2, 3, -1, -2, -(2**63), 2**63 - 1, 1024):
        world.fire(world.a, value)
    (data,) = tracer.aggregations().values()
    filled = {n: count for n, count in enumerate(words(data)) if count}
    assert filled == {63: 1, 64: 1, 65: 2, 62: 1, 61: 1, 0: 1, 126: 1, 74: 1}


def test_lquantize_and_its_increment(world) -> None:
    arg = 10 << 48 | 5 << 32 | (-10 & 0xFFFFFFFF)
    tracer = world.tracer()
    increment = world.dif("ldgs arg1, %r1\nret %r1", "none")
    tracer.enable(world.ecb("test:::a", world.aggregate(ActionKind.AGG_LQUANTIZE, 1, value=world.dif(ARG0),
                                                        arg=arg, increment=increment)))
    tracer.go()
    for value, by in ((-11, 1), (-10, 2), (39, 3), (40, 4), (-1, 5)):
        world.fire(world.a, value, by)
    (data,) = tracer.aggregations().values()
    assert words(data)[1:] == [1, 7, 0, 0, 0, 3, 4]


def test_llquantize(world) -> None:
    arg = 10 << 48 | 0 << 32 | 2 << 16 | 10
    tracer = world.tracer()
    tracer.enable(world.ecb("test:::a", world.aggregate(ActionKind.AGG_LLQUANTIZE, 1, value=world.dif(ARG0),
                                                        arg=arg)))
    tracer.go()
    for value in (0, 1, 9, 10, 99, 100, 999, 1000):
        world.fire(world.a, value)
    (data,) = tracer.aggregations().values()
    filled = {n: count for n, count in enumerate(words(data)[1:]) if count}
    assert filled == {0: 1, 1: 1, 9: 1, 10: 1, 18: 1, 19: 1, 27: 1, 28: 1}


@pytest.mark.parametrize(("parameters", "buckets"), [
    # from 1 on each integer, from 10 on fives, from 100 on fifties
    ((10, 0, 2, 20), {-1: 0, 0: 0, 1: 1, 9: 9, 10: 10, 14: 10, 15: 11, 99: 27, 100: 28, 149: 28, 150: 29,
                      999: 45, 1000: 46, 1 << 62: 46}),
    # 10**19 does not fit into 63 bits: from 10**17 on nothing is told apart
    ((10, 2, 17, 10), {99: 0, 100: 1, 199: 1, 200: 2, 5 * 10**16: 131, 10**17 - 1: 135, 10**17: 144,
                       2 * 10**18: 144}),
    ((3, 1, 2, 9), {2: 0, 3: 1, 8: 6, 9: 7, 11: 7, 12: 8, 26: 12, 27: 13}),
])
def test_buckets_of_llquantize(parameters: tuple[int, int, int, int], buckets: dict[int, int]) -> None:
    assert {value: llquantize_bucket(*parameters, value) for value in buckets} == buckets


@pytest.mark.parametrize(("parameters", "size"), [
    ((10, 0, 2, 10), 8 * (1 + 1 + 3 * 9 + 1)), ((10, 0, 2, 20), 8 * (1 + 1 + 9 + 2 * 18 + 1)),
    ((6, 0, 1, 12), 8 * (1 + 1 + 5 + 10 + 1)),
    ((1, 0, 2, 10), None), ((10, 2, 2, 10), None), ((10, 0, 2, 5), None), ((10, 0, 2, 30), None),
    ((10, 0, 2, 15), None), ((6, 0, 2, 96), None)])
def test_sizes_of_llquantize(parameters: tuple[int, int, int, int], size: int | None) -> None:
    factor, low, high, steps = parameters
    arg = factor << 48 | low << 32 | high << 16 | steps
    if size is not None:
        assert value_size(ActionKind.AGG_LLQUANTIZE, arg) == size
    else:
        with pytest.raises(ValueError, match="llquantize"):
            value_size(ActionKind.AGG_LLQUANTIZE, arg)


def test_keys_of_every_kind(world) -> None:
    tracer = world.tracer()
    keys = [world.trace("ldgs execname, %r1\nret %r1", "string"), world.trace(ARG0, "int"),
            Action(ActionKind.STACK, arg=2), world.trace("ldgs arg1, %r1\nret %r1")]
    tracer.enable(world.ecb("test:::a", world.aggregate(ActionKind.AGG_COUNT, 3, keys)))
    tracer.go()
    for a0, a1, name in ((1, 2, b"x"), (1, 2, b"x"), (1 + (1 << 32), 2, b"x"), (1, 3, b"x"), (1, 2, b"yy")):
        world.host.current.execname = name
        world.fire(world.a, a0, a1)
    found = tracer.aggregations()
    stack = struct.pack("<2Q", *world.host.stack)
    key = struct.pack("<Q", 3), b"x".ljust(256, b"\0"), struct.pack("<I", 1), stack, struct.pack("<Q", 2)
    assert found[key] == struct.pack("<Q", 3)
    assert sorted(words(v)[0] for v in found.values()) == [1, 1, 3]
    desc = tracer.aggdesc(1)
    assert [(r.offset, r.size) for r in desc.records] == [(8, 8), (16, 256), (272, 4), (280, 16), (296, 8),
                                                          (304, 8)]


def test_the_same_aggregation_in_two_clauses_is_one_record(world) -> None:
    tracer = world.tracer()
    count = world.aggregate(ActionKind.AGG_COUNT, 9)
    tracer.enable(world.ecb("test:::a", count), world.ecb("test:::b", count))
    tracer.go()
    world.fire(world.a)
    world.fire(world.b)
    assert [words(v) for v in tracer.aggregations().values()] == [[2]]


def test_aggregation_drops_are_counted(world) -> None:
    tracer = world.tracer()
    tracer.enable(world.ecb("test:::a", world.aggregate(ActionKind.AGG_COUNT, 1, [world.trace(ARG0)])),
                  aggsize=1024)
    tracer.go()
    for value in range(100):
        world.fire(world.a, value)
    from runtime.border import BUFDESC, BufDesc, Command
    answer = tracer.device.ioctl(Command.AGGSNAP, BufDesc().pack())
    desc = BufDesc.unpack(answer)
    assert desc.drops + (len(answer) - BUFDESC.size) // 32 == 100
    assert 10 < desc.drops < 90


# -- variables ---------------------------------------------------------------------------------------

def var(world, text: str, rtype: str = "long", **types: tuple[int, int, DifType]):
    """DIF with user variables: name → (id, scope, type); `NAME` in the text becomes its id."""
    from dif import isa
    from dif.difo import DifVar
    for name, (number, _scope, _type) in types.items():
        text = text.replace(name, f"DT_VAR({number})")
    difo = world.dif(text, rtype)
    arrays = {"A": isa.KIND_ARRAY}
    difo.vartab = [DifVar(name, number, arrays.get(name[:1], isa.KIND_SCALAR), scope,
                          isa.F_REF | isa.F_MOD, kind)
                   for name, (number, scope, kind) in types.items()]
    return difo


LONG = DifType(size=8)
STRING = DifType(kind=1, flags=1, size=64)


def test_globals_and_locals_keep_values(world) -> None:
    types = {"G": (0x500, 0, LONG), "L": (0x500, 2, LONG)}
    tracer = world.tracer()
    text = "ldgs G, %r1\nldgs arg0, %r2\nadd %r1, %r2, %r1\nstgs %r1, G\nstls %r1, L\nldls L, %r3\nret %r3"
    tracer.enable(world.ecb("test:::a", Action(ActionKind.DIFEXPR, var(world, text, **types))))
    tracer.go()
    for value in (1, 2, 3):
        world.fire(world.a, value)
    world.host.cpu = 1
    world.fire(world.a, 10)
    assert [v[1] for v in tracer.integers(0)] == [1, 3, 6]
    assert [v[1] for v in tracer.integers(1)] == [16]


def test_string_globals_are_copied(world) -> None:
    types = {"G": (0x500, 0, STRING)}
    tracer = world.tracer()
    save = var(world, "ldgs execname, %r1\nstgs %r1, G\nret %r0", "none", **types)
    show = var(world, "ldgs G, %r1\nret %r1", "string", **types)
    clear = var(world, "stgs %r0, G\nldgs G, %r1\nret %r1", **types)
    tracer.enable(world.ecb("test:::a", Action(ActionKind.DIFEXPR, save)),
                  world.ecb("test:::b", Action(ActionKind.DIFEXPR, show), Action(ActionKind.DIFEXPR, clear)))
    tracer.go()
    world.fire(world.a)
    world.host.current.execname = b"other"
    world.fire(world.b)
    text, cleared = tracer.records()[-1][1]
    assert text.rstrip(b"\0") == b"prog"
    assert cleared == bytes(8)


def test_thread_locals_belong_to_threads(world) -> None:
    types = {"T": (0x500, 1, LONG)}
    save = var(world, "ldgs arg0, %r1\nstts %r1, T\nret %r0", "none", **types)
    show = var(world, "ldts T, %r1\nret %r1", **types)
    tracer = world.tracer()
    tracer.enable(world.ecb("test:::a", Action(ActionKind.DIFEXPR, save)),
                  world.ecb("test:::b", Action(ActionKind.DIFEXPR, show)))
    tracer.go()
    world.fire(world.a, 7)
    world.host.current.tid += 1
    world.fire(world.b)
    world.fire(world.a, 8)
    world.fire(world.b)
    world.host.current.tid -= 1
    world.fire(world.b)
    world.fire(world.a, 0)
    world.fire(world.b)
    assert [v[1] for v in tracer.integers() if v[0] == 2] == [0, 8, 7, 0]


ARRAY = "ldgs execname, %r1\nsetx 0, %r2\npushtr string, %r2, %r1\nldgs arg0, %r1\npushtv ctf, %r0, %r1\n"


def test_arrays(world) -> None:
    types = {"A": (0x500, 0, LONG)}
    tracer = world.tracer()
    text = f"{ARRAY}ldgaa A, %r3\nflushts\nsetx 1, %r1\nadd %r3, %r1, %r3\n{ARRAY}stgaa %r3, A\nret %r3"
    tracer.enable(world.ecb("test:::a", Action(ActionKind.DIFEXPR, var(world, text, **types))))
    tracer.go()
    for value, name in ((1, b"x"), (1, b"x"), (2, b"x"), (1, b"y"), (1, b"x")):
        world.host.current.execname = name
        world.fire(world.a, value)
    assert [v[1] for v in tracer.integers()] == [1, 2, 1, 1, 3]


def test_dynamic_variable_drops(world) -> None:
    types = {"A": (0x500, 0, LONG)}
    tracer = world.tracer()
    text = "ldgs arg0, %r1\npushtv ctf, %r0, %r1\nldgs arg1, %r2\nstgaa %r2, A\nret %r1"
    tracer.enable(world.ecb("test:::a", Action(ActionKind.DIFEXPR, var(world, text, **types))),
                  dynvarsize=2048)
    tracer.go()
    for value in range(40):
        world.fire(world.a, value, 1)
    status = tracer.status()
    kept = len(tracer.integers())
    assert kept + status.dyndrops == 40 and 5 < kept < 30
    for value in range(40):
        world.fire(world.a, value, 0)
    world.fire(world.a, 99, 1)
    assert tracer.status().dyndrops_dirty == 1
    cleaner = world.host.timers[0]
    cleaner.function()
    world.fire(world.a, 99, 1)
    assert tracer.status().dyndrops_rinsing == 1
    cleaner.function()
    before = tracer.status()
    world.fire(world.a, 99, 1)
    assert tracer.status() == before


def test_nothing_is_aggregated_where_a_variable_could_not_be_made(world) -> None:
    """Nor does what follows in the clause happen."""
    text = "ldgs arg0, %r1\npushtv ctf, %r0, %r1\nsetx 1, %r2\nstgaa %r2, A\nret %r2"
    value = var(world, text, A=(0x500, 0, LONG))
    tracer = world.tracer()
    tracer.enable(world.ecb("test:::a", world.aggregate(ActionKind.AGG_SUM, 1, value=value),
                            world.aggregate(ActionKind.AGG_COUNT, 2)), dynvarsize=2048)
    tracer.go()
    for number in range(40):
        world.fire(world.a, number)
    drops = tracer.status().dyndrops
    assert [words(data) for data in tracer.aggregations().values()] == [[40 - drops]] * 2 and 5 < drops < 35


# -- faults ----------------------------------------------------------------------------------------------

FAULTS = [
    ("setx 0, %r1\nsetx 5, %r2\nudiv %r2, %r1, %r1\nret %r1", FaultKind.DIVZERO, 8, 0),
    ("setx 0, %r1\nsetx 5, %r2\nsrem %r2, %r1, %r1\nret %r1", FaultKind.DIVZERO, 8, 0),
    ("setx 64, %r1\nldx [%r1], %r1\nret %r1", FaultKind.BADADDR, 4, 64),
    ("setx 64, %r1\nuldub [%r1], %r1\nret %r1", FaultKind.BADADDR, 4, 64),
    ("setx 64, %r1\nstx %r1, [%r1]\nret %r1", FaultKind.BADADDR, 4, 64),
    ("setx 8, %r1\nallocs %r1, %r2\nsetx 1, %r3\nadd %r2, %r3, %r2\nstw %r1, [%r2]\nret %r1",
     FaultKind.BADALIGN, 16, None),
    ("setx 0x40000000, %r1\nallocs %r1, %r2\nret %r2", FaultKind.NOSCRATCH, 4, 0),
    ("setx 99, %r1\npushtv ctf, %r0, %r1\npushtv ctf, %r0, %r1\ncall strtoll, %r1\nret %r1",
     FaultKind.ILLOP, 12, 0),
    ("ldta DT_VAR(1), %r0, %r1\nret %r1", FaultKind.ILLOP, 0, 0),
    ("pushtv ctf, %r0, %r0\n" * 9 + "ret %r0", FaultKind.TUPOFLOW, 32, 0),
    ("pushtr ctf, %r0, %r0\n" * 9 + "ret %r0", FaultKind.TUPOFLOW, 32, 0),
    ("setx 64, %r1\ncopys %r1, %r1, %r1\nret %r1", FaultKind.BADADDR, 4, 64),
    ("setx 0x8000000000000000, %r2\npushtr ctf, %r2, %r2\nret %r2", FaultKind.ILLOP, 4, 0),
]


@pytest.mark.parametrize(("text", "kind", "offset", "address"), FAULTS)
def test_faults_end_the_clause_and_fire_error(world, text: str, kind: FaultKind, offset: int,
                                              address: int | None) -> None:
    tracer = world.tracer()
    error = [world.trace(f"ldgs arg{n}, %r1\nret %r1") for n in (1, 2, 3, 4, 5)]
    tracer.enable(world.ecb("test:::a", world.trace(ARG0), world.trace(text), world.trace(ARG0)),
                  world.ecb("test:::a", world.trace(ARG0)),
                  world.ecb("dtrace:::ERROR", *error))
    tracer.go()
    world.fire(world.a, 5)
    found = tracer.integers()
    assert found[1] == (2, 5), "the next clause runs"
    assert found[0][:5] == (3, 1, 2, offset, kind)
    if address is not None:
        assert found[0][5] == address
    assert len(found) == 2
    desc = tracer.status()
    assert desc.errors == 1


def test_fault_in_a_predicate_is_action_zero(world) -> None:
    tracer = world.tracer()
    error = [world.trace(f"ldgs arg{n}, %r1\nret %r1") for n in (2, 3, 4)]
    tracer.enable(world.ecb("test:::a", world.trace(ARG0), predicate=world.dif("ldub [%r0], %r1\nret %r1")),
                  world.ecb("dtrace:::ERROR", *error))
    tracer.go()
    world.fire(world.a)
    assert tracer.integers() == [(2, 0, 0, FaultKind.BADADDR)]


def test_fault_in_error_is_counted_only(world) -> None:
    bad = world.trace("ldub [%r0], %r1\nret %r1")
    tracer = world.tracer()
    tracer.enable(world.ecb("test:::a", bad), world.ecb("dtrace:::ERROR", bad))
    tracer.go()
    world.fire(world.a)
    assert tracer.status().dblerrors == 1


def test_int64_min_divided_by_minus_one_survives(world) -> None:
    tracer = world.tracer()
    texts = [f"ldgs arg0, %r1\nldgs arg1, %r2\n{op} %r1, %r2, %r3\nret %r3" for op in ("sdiv", "srem")]
    tracer.enable(world.ecb("test:::a", *map(world.trace, texts)))
    tracer.go()
    world.fire(world.a, -2**63, -1)
    world.fire(world.a, -7, 2)
    assert tracer.integers() == [(1, -2**63, 0), (1, -3, -1)]


# -- speculations ------------------------------------------------------------------------------------------

def speculative(world, tracer, **options: int) -> None:
    spec = {"G": (0x500, 0, LONG)}
    take = var(world, "call speculation, %r1\nstgs %r1, G\nret %r1", **spec)
    use = var(world, "ldgs G, %r1\nret %r1", **spec)
    for name in ("spec", "rec", "commit", "discard"):
        world.provider.create("mod", "func", name)
    tracer.enable(world.ecb("test:::spec", Action(ActionKind.DIFEXPR, take)),
                  world.ecb("test:::rec", Action(ActionKind.SPECULATE, use), world.trace(ARG0)),
                  world.ecb("test:::commit", Action(ActionKind.COMMIT, use)),
                  world.ecb("test:::discard", Action(ActionKind.DISCARD, use)), **options)
    tracer.go()


def step(world, name: str, *args: int) -> None:
    world.fire(world.provider.lookup("mod", "func", name), *args)


def test_speculation_commits(world) -> None:
    tracer = world.tracer()
    speculative(world, tracer)
    for name, value in (("spec", 0), ("rec", 1), ("rec", 2)):
        step(world, name, value)
    assert tracer.integers() == [(1, 1)]
    step(world, "commit")
    assert tracer.integers() == [(2, 0, 1), (2, 0, 2)]
    step(world, "rec", 3)
    step(world, "commit")
    assert tracer.integers() == []


def test_speculation_discards_and_runs_out(world) -> None:
    tracer = world.tracer()
    speculative(world, tracer)
    for name in ("spec", "rec", "spec"):
        step(world, name)
    assert tracer.status().specdrops_unavail == 1
    assert [v[1] for v in tracer.integers()] == [1, 0]


def test_speculation_of_two_cpus_is_committed_by_the_cleaner(world) -> None:
    tracer = world.tracer()
    speculative(world, tracer, nspec=2)
    step(world, "spec")
    step(world, "rec", 1)
    world.host.cpu = 1
    step(world, "rec", 2)
    step(world, "commit")
    assert tracer.integers(1) == [(2, 0, 2)]
    assert [v for v in tracer.integers(0) if v[0] == 2] == []
    world.host.timers[0].function()
    assert tracer.integers(0) == [(2, 0, 1)]


def test_a_speculation_commits_records_with_gaps_between(world) -> None:
    """One of 20 bytes ends where none with eight bytes may begin; each has the time of its commit."""
    tracer = world.tracer()
    speculate = Action(ActionKind.SPECULATE, world.const(1))
    tracer.enable(world.ecb("test:::a", world.trace("call speculation, %r1\nret %r1")),
                  world.ecb("test:::a", speculate, *[world.trace(ARG0, "int")] * 2),
                  world.ecb("test:::a", speculate, world.trace(ARG0)),
                  world.ecb("test:::b", Action(ActionKind.COMMIT, world.const(1))))
    tracer.go()
    world.fire(world.a, 5)
    tracer.snap()
    world.fire(world.a, 6)
    tracer.snap()
    world.host.time = 7 << 32 | 8
    world.fire(world.b)
    _, data = tracer.snap()
    assert tracer.decode(data) == [record for value in (5, 6) for record in (
        (2, [b"", *[value.to_bytes(4, "little")] * 2]), (3, [b"", value.to_bytes(8, "little")]))]
    stamps = [struct.unpack_from("<III", data, at) for at in (0, 24, 48, 72)]
    assert stamps == [(2, 7, 8), (3, 7, 8)] * 2


@pytest.mark.parametrize("end", ["commit", "discard"])
def test_a_speculation_that_was_cleaned_is_as_new(world, end: str) -> None:
    tracer = world.tracer()
    speculative(world, tracer)
    for number in (10, 20, 30):
        world.host.cpu = 0
        step(world, "spec")
        step(world, "rec", number)
        world.host.cpu = 1
        step(world, "rec", number + 1)
        step(world, end)
        world.host.timers[0].function()
        kept = [[(2, 0, number)], [(2, 0, number + 1)]] if end == "commit" else [[], []]
        assert [tracer.integers(0), tracer.integers(1)] == [[(1, 1), *kept[0]], kept[1]]


def test_speculation_drops(world) -> None:
    tracer = world.tracer()
    speculative(world, tracer, specsize=64)
    for name in ("spec", "rec", "rec", "rec", "rec", "commit"):
        step(world, name)
    assert tracer.status().specdrops == 2


# -- buffers -----------------------------------------------------------------------------------------------

def test_a_full_switch_buffer_drops_and_accounts(world) -> None:
    tracer = world.tracer()
    tracer.enable(world.ecb("test:::a", world.trace(ARG0)), bufsize=1000)
    tracer.go()
    recorded = dropped = 0
    for value in range(1000):
        world.fire(world.a, value)
        if value % 300 == 299:
            desc, data = tracer.snap()
            recorded += len(data) // 24
            dropped += desc.drops
    desc, data = tracer.snap()
    assert recorded + len(data) // 24 + dropped + desc.drops == 1000
    assert dropped


def test_a_million_records_are_all_accounted_for(make_world) -> None:
    world = make_world("translate")
    tracer = world.tracer()
    tracer.enable(world.ecb("test:::a", world.trace(ARG0)), bufsize=1 << 20)
    tracer.go()
    world.fire(world.a)
    fire, recorded, dropped = world.a.fire, 1, 0
    for value in range(999_999):
        fire(value, 0, 0, 0, 0)
        if value % 50_000 == 0:
            desc, data = tracer.snap()
            recorded, dropped = recorded + len(data) // 24, dropped + desc.drops
    desc, data = tracer.snap()
    recorded, dropped = recorded + len(data) // 24, dropped + desc.drops
    assert recorded + dropped == 1_000_001 and dropped


def test_fill_keeps_the_first_and_end_fits(world) -> None:
    tracer = world.tracer()
    tracer.enable(world.ecb("test:::a", world.trace(ARG0)),
                  world.ecb("dtrace:::END", world.trace("setx 1, %r1\nret %r1")),
                  bufsize=256, bufpolicy=1)
    tracer.go()
    for value in range(100):
        world.fire(world.a, value)
    assert tracer.status().filled == 1
    tracer.stop()
    found = tracer.integers()
    assert found[0] == (1, 0) and found[-1][0] == 2
    assert [v[1] for v in found[:-1]] == list(range(len(found) - 1))
    assert tracer.integers() == []


def test_ring_keeps_the_last(world) -> None:
    tracer = world.tracer()
    tracer.enable(world.ecb("test:::a", world.trace(ARG0)),
                  world.ecb("test:::b", world.trace(ARG0), world.trace("ldgs arg0, %r1\nret %r1", "int")),
                  bufsize=200, bufpolicy=0)
    tracer.go()
    for value in range(57):
        world.fire(world.b if value % 3 else world.a, value)
    tracer.stop()
    values = [v[1] for v in tracer.integers()]
    assert values == list(range(57 - len(values), 57)) and 5 <= len(values) <= 8


def test_oversized_buffers_shrink_unless_manual(world) -> None:
    from runtime.border import BorderError
    tracer = world.tracer()
    tracer.enable(world.ecb("test:::a", world.trace(ARG0)), bufsize=1 << 40)
    tracer.go()
    world.fire(world.a, 1)
    assert tracer.integers() == [(1, 1)]
    manual = world.tracer()
    manual.enable(world.ecb("test:::a", world.trace(ARG0)), bufsize=1 << 40, bufresize=1)
    with pytest.raises(BorderError):
        manual.go()


@pytest.mark.parametrize(("rate", "nanoseconds"), [
    (None, 9_900_990), (0, 60 * 10**9), (1, 200_000), (10**9, 10**9), (10**12, 60 * 10**9)])
def test_how_often_the_cleaner_runs(world, rate: int | None, nanoseconds: int) -> None:
    """As often as asked, within bounds, where there is something to clean; 0 is as seldom as may be."""
    options = {} if rate is None else {"cleanrate": rate}
    tracer = world.tracer()
    speculative(world, tracer, **options)
    assert [timer.interval for timer in world.host.timers] == [nanoseconds, 10**9]
    tracer = world.tracer()
    tracer.enable(world.ecb("test:::a", world.trace(ARG0)), **options)
    tracer.go()
    assert [timer.interval for timer in world.host.timers[2:]] == [10**9]
    tracer = world.tracer()
    tracer.enable(world.ecb("dtrace:::BEGIN", world.trace(ARG0)), **options)
    tracer.go()
    assert len(world.host.timers) == 3


@pytest.mark.parametrize(("asked", "options", "killed"), [
    (0, {}, 40), (20, {}, 60), (0, {"destructive": 1}, 0)])
def test_deadman_kills_a_state_nobody_asks_about(world, asked: int, options: dict[str, int],
                                                 killed: int) -> None:
    """10 s after the last second in which it had been asked within 30 s, but not one that may destroy."""
    tracer = world.tracer()
    tracer.enable(world.ecb("test:::a", world.trace(ARG0)), **options)
    tracer.go()
    deadman = world.host.timers[-1]
    for second in range(1, 100):
        world.host.time += 10**9
        deadman.function()
        if second == asked:
            tracer.status()
        if world.a.fire is None:
            break
    assert (tracer.status().killed, second) == ((1, killed) if killed else (0, 99))


def test_deadman_leaves_a_state_alone_that_has_stopped(world) -> None:
    tracer = world.tracer()
    tracer.enable(world.ecb("test:::a", world.trace(ARG0)))
    tracer.go()
    deadman = world.host.timers[-1]
    tracer.stop()
    for _ in range(100):
        world.host.time += 10**9
        deadman.function()
    assert not tracer.status().killed


def test_a_device_that_is_closed_has_no_timers(world) -> None:
    tracer = world.tracer()
    tracer.enable(world.ecb("test:::a", world.trace(ARG0)))
    tracer.go()
    timers = list(world.host.timers)
    assert timers and not any(timer.cancelled for timer in timers)
    tracer.device.close()
    assert all(timer.cancelled for timer in timers) and world.host.timers == timers


# -- privileges --------------------------------------------------------------------------------------------

def test_kernel_memory_needs_dtrace_kernel(world) -> None:
    from runtime.framework.probes.privileges import Credentials, Privilege
    from runtime.framework.probes.registry import Operations
    user = world.framework.register("user1", world.provider.attributes, Privilege.PROC, Operations())
    probe = user.create("m", "f", "p")
    address = world.host.memory.add(0xFFFFFE0000000000, b"\1" * 64)
    tracer = world.tracer(Credentials(kernel=False))
    tracer.enable(world.ecb("user1:::p", world.trace(f"setx {address}, %r1\nrldx [%r1], %r1\nret %r1")),
                  world.ecb("dtrace:::ERROR", world.trace("ldgs arg4, %r1\nret %r1"),
                            world.trace("ldgs arg5, %r1\nret %r1")))
    tracer.go()
    world.fire(probe)
    assert tracer.integers() == [(2, FaultKind.KPRIV, address - 2**64)]


# -- anonymous tracing ---------------------------------------------------------------------------------------

def test_anonymous_state_is_grabbed(world) -> None:
    from dof import writer
    from dof.model import Program
    program = Program(ecbs=[world.ecb("test:::a", world.trace(ARG0))], options=[(0, 4096)])
    world.framework.begin_anonymous([writer.write(program)])
    world.fire(world.a, 5)
    tracer = world.tracer()
    tracer.enable(grabanon=1)
    tracer.go()
    world.fire(world.a, 6)
    assert tracer.integers() == [(1, 5), (1, 6)]


def test_only_who_sees_the_kernel_grabs_the_anonymous_state(world) -> None:
    """It was traced with every privilege."""
    from dof import writer
    from dof.model import Program
    from runtime.framework.probes.privileges import Credentials
    program = Program(ecbs=[world.ecb("test:::a", world.trace(ARG0))], options=[(0, 4096)])
    world.framework.begin_anonymous([writer.write(program)])
    zone_root = Credentials(zone=3, kernel=False, user=True, proc=True, proc_owner=True)
    tracer = world.tracer(zone_root)
    tracer.enable(grabanon=1)
    with pytest.raises(BorderError) as refused:
        tracer.go()
    assert refused.value.errno == errno.EACCES and world.framework.anonymous is not None


def test_dynamic_variables_shrink_unless_manual(world) -> None:
    """As buffers do: `bufresize` speaks of both."""
    from dof.options import OptionId
    from runtime.border import BorderError
    code = world.ecb("test:::a", world.trace(ARG0))
    for size, shrunk in ((1 << 40, 1 << 30), ((1 << 30) + 2, (1 << 29) + 1), (5000, 5000)):
        tracer = world.tracer()
        tracer.enable(code, dynvarsize=size)
        tracer.go()
        assert tracer.device.tracing.state.options[OptionId.DYNVARSIZE] == shrunk
    manual = world.tracer()
    manual.enable(code, dynvarsize=1 << 40, bufresize=1)
    with pytest.raises(BorderError, match="not enough memory for dynamic variables"):
        manual.go()


@pytest.mark.parametrize("snapshot", ["BUFSNAP", "AGGSNAP"])
def test_buffers_that_are_not_there(world, snapshot: str) -> None:
    """Before tracing begins, of processors that there are not, and of a state that aggregates nothing."""
    from runtime.border import BorderError, BufDesc, Command
    tracer = world.tracer()
    aggregating = {"aggsize": 0} if snapshot == "AGGSNAP" else {}
    tracer.enable(world.ecb("test:::a", world.trace(ARG0)), **aggregating)
    command = getattr(Command, snapshot)
    with pytest.raises(BorderError, match="no buffer"):
        tracer.device.ioctl(command, BufDesc(cpu=0).pack())
    tracer.go()
    with pytest.raises(BorderError, match="no buffer of CPU 64"):
        tracer.device.ioctl(command, BufDesc(cpu=64).pack())
    if snapshot == "AGGSNAP":
        with pytest.raises(BorderError, match="no buffer"):
            tracer.device.ioctl(command, BufDesc(cpu=0).pack())
    else:
        assert tracer.device.ioctl(command, BufDesc(cpu=0).pack())


def test_arguments_of_begin_and_end(world) -> None:
    """The state's address, and nothing else."""
    tracer = world.tracer()
    texts = [f"ldgs arg{number}, %r1\nret %r1" for number in range(5)]
    tracer.enable(world.ecb("dtrace:::BEGIN", *[world.trace(text) for text in texts]))
    tracer.enable(world.ecb("dtrace:::END", *[world.trace(text) for text in texts]))
    tracer.go()
    tracer.stop()
    begin, end = tracer.integers()
    assert begin[1:] == end[1:] and begin[1] and begin[2:] == (0, 0, 0, 0)


def test_values_of_options(world) -> None:
    """63 bits; one that is negative is refused, but for the number of a processor."""
    from dof.options import OPTION_MAX, OptionId
    from runtime.border import BorderError
    from runtime.framework.tracing.enabling import set_option
    state = world.tracer().device.tracing.state
    for value, good in ((0, True), ((1 << 63) - 1, True), (1 << 63, False), (-1, False)):
        if good:
            set_option(state, OptionId.NSPEC, value)
            assert state.options[OptionId.NSPEC] == value
        else:
            with pytest.raises(BorderError, match="negative value of option"):
                set_option(state, OptionId.NSPEC, value)
    set_option(state, OptionId.CPU, -1)
    set_option(state, OptionId.STRSIZE, 1 << 24)
    for number, value in ((OptionId.STRSIZE, (1 << 24) + 1), (1000, 1), (OPTION_MAX, 1)):
        with pytest.raises(BorderError, match=f"too large|no option {number}"):
            set_option(state, number, value)
    set_option(state, OPTION_MAX - 1, 1)
    set_option(state, OptionId.BUFSIZE, (1 << 63) - 1)
    assert state.options[OptionId.BUFSIZE] == (1 << 63) - (1 << 27)


def test_a_clause_has_one_time(world, monkeypatch) -> None:
    """Whichever way an expression is computed: the last one branches by flags that nothing has set."""
    tracer = world.tracer()
    plain, odd = "ldgs timestamp, %r1\nret %r1", "be 1\nldgs timestamp, %r1\nret %r1"
    tracer.enable(world.ecb("test:::a", world.trace(plain), world.trace(odd), world.trace(plain)))
    tracer.go()
    times = iter(range(1000, 10**6))
    monkeypatch.setattr(type(world.host), "hrtime", lambda _host: next(times))
    world.fire(world.a, 1)
    world.fire(world.a, 1)
    monkeypatch.undo()
    first, second = (record[1:] for record in tracer.integers())
    assert len(set(first)) == len(set(second)) == 1 and second[0] > first[0] >= 1000


@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_room_that_an_aggregating_clause_needs(world, count: int) -> None:
    """A buffer that is too small for its records has as much as they need, in words of eight bytes."""
    from dof.options import OptionId
    tracer = world.tracer()
    records = [*[world.trace(ARG0)] * 8, *[world.trace(ARG0, "int")] * count]
    tracer.enable(world.ecb("test:::a", world.aggregate(world.ActionKind.AGG_COUNT, 1), *records), bufsize=8)
    tracer.go()
    state = tracer.device.tracing.state
    needed = 80 + 4 * count  # 16 before the records
    assert (state.needed, state.options[OptionId.BUFSIZE]) == (needed, -(-needed // 8) * 8)
