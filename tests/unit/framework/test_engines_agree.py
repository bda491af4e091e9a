"""Random valid DIF through both engines: same records, aggregations, faults and variables."""

from __future__ import annotations

import struct

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dif import isa, validator
from dif.difo import Difo, DifType, DifVar
from dif.isa import Op
from dof.model import Action, ActionKind

LONG, STRING = DifType(size=8), DifType(kind=isa.TYPE_STRING, flags=isa.TF_BYREF, size=32)
VARTAB = [
    DifVar("g", 0x500, isa.KIND_SCALAR, isa.SCOPE_GLOBAL, 3, LONG),
    DifVar("gs", 0x501, isa.KIND_SCALAR, isa.SCOPE_GLOBAL, 3, STRING),
    DifVar("ga", 0x502, isa.KIND_ARRAY, isa.SCOPE_GLOBAL, 3, LONG),
    DifVar("l", 0x500, isa.KIND_SCALAR, isa.SCOPE_LOCAL, 3, LONG),
    DifVar("ls", 0x501, isa.KIND_SCALAR, isa.SCOPE_LOCAL, 3, STRING),
    DifVar("t", 0x500, isa.KIND_SCALAR, isa.SCOPE_THREAD, 3, LONG),
    DifVar("ts", 0x501, isa.KIND_SCALAR, isa.SCOPE_THREAD, 3, STRING),
    DifVar("ta", 0x502, isa.KIND_ARRAY, isa.SCOPE_THREAD, 3, LONG),
]
KERNEL = 0xFFFFFE0000000000
PAIRS = KERNEL + 0x1000  # addresses and sizes, as printm() takes them
INTEGERS = [0, 1, 2, 5, 8, 32, 48, 63, 64, 255, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 1 << 63, (1 << 63) - 1,
            (1 << 64) - 1, KERNEL, KERNEL + 3]
STRTAB = b"\0prog\0abc\0,\0a.b\0"
STRINGS = [0, 1, 6, 10, 12]
BUILTINS = ["arg0", "arg1", "arg4", "arg7", "pid", "tid", "execname", "probefunc", "probename", "epid", "id",
            "timestamp", "curthread", "zonename", "errno", "uid", "walltimestamp", "caller", "ustackdepth"]
IDS = {row.name: row.id for row in isa.VARIABLES if "illumos" in row.targets}
CALLS = ["strlen", "strjoin", "strchr", "strstr", "index", "rindex", "substr", "lltostr", "toupper",
         "basename", "dirname", "cleanpath", "strtok", "alloca", "htonl", "htonll", "ntohs", "rand",
         "progenyof", "strtoll", "copyin", "copyinstr", "bcopy", "json", "inet_ntop", "getminor",
         "speculation"]
NUMBERS = {row.name: row.numbers["illumos"] for row in isa.SUBROUTINES if "illumos" in row.numbers}

register = st.integers(1, 7)
source = st.integers(0, 7)
ALU = [Op.OR, Op.XOR, Op.AND, Op.SLL, Op.SRL, Op.SUB, Op.ADD, Op.MUL, Op.SDIV, Op.UDIV, Op.SREM,
       Op.UREM, Op.SRA]
LOADS = [code for code, row in isa.OPCODES.items() if row.format == isa.Format.LOAD]
BRANCHES = [Op.BA, Op.BE, Op.BNE, Op.BG, Op.BGU, Op.BGE, Op.BGEU, Op.BL, Op.BLU, Op.BLE, Op.BLEU]


def three(ops: list[int]) -> st.SearchStrategy[list[int]]:
    return st.builds(lambda op, a, b, d: [isa.fmt(op, a, b, d)], st.sampled_from(ops), source, source,
                     register)


def load_variable(ops: list[int], ids: list[int]) -> st.SearchStrategy[list[int]]:
    return st.builds(lambda op, n, d: [isa.wide(op, n, d)], st.sampled_from(ops), st.sampled_from(ids),
                     register)


setx = st.builds(lambda n, d: [isa.wide(Op.SETX, n, d)], st.integers(0, len(INTEGERS) - 1), register)
sets = st.builds(lambda n, d: [isa.wide(Op.SETS, n, d)], st.sampled_from(STRINGS), register)
plain = st.one_of(
    three(ALU), three(ALU), setx, setx, sets,
    st.builds(lambda op, a, d: [isa.fmt(op, a, 0, d)], st.sampled_from([Op.NOT, Op.MOV]), source, register),
    load_variable([Op.LDGS], [IDS[name] for name in BUILTINS]),
    load_variable([Op.LDGS, Op.LDLS, Op.LDTS], [0x500, 0x501]),
    load_variable([Op.STGS, Op.STLS, Op.STTS], [0x500, 0x501]),
    load_variable([Op.LDGAA, Op.LDTAA, Op.STGAA, Op.STTAA], [0x502]),
    st.builds(lambda op, a, d: [isa.fmt(op, a, 0, d)], st.sampled_from(LOADS), source, register),
    st.builds(lambda n, d: [isa.fmt(Op.ALLOCS, n, 0, d)], source, register),
    st.builds(lambda op, a, d: [isa.fmt(op, a, 0, d)], st.sampled_from([Op.STB, Op.STH, Op.STW, Op.STX]),
              source, register),
    st.builds(lambda d: [isa.fmt(Op.PUSHTV, 0, 0, d)], source),
    st.builds(lambda d: [isa.fmt(Op.PUSHTR, isa.TYPE_STRING, 0, d)], register),
    st.sampled_from([[isa.fmt(Op.FLUSHTS)], [isa.fmt(Op.POPTS)], [isa.fmt(Op.NOP)]]),
    st.builds(lambda name, d: [isa.wide(Op.CALL, NUMBERS[name], d)], st.sampled_from(CALLS), register),
)
shift_pair = st.builds(
    lambda n, op, c, d: [isa.wide(Op.SETX, n, c), isa.fmt(Op.SLL, d, c, d), isa.fmt(op, d, c, d)],
    st.sampled_from([4, 5, 6, 7]), st.sampled_from([Op.SRA, Op.SRL]), st.just(7), st.integers(1, 6))
compare = st.one_of(
    st.builds(lambda op, a, b: isa.fmt(op, a, b), st.sampled_from([Op.CMP, Op.CMP, Op.SCMP]), source, source),
    st.builds(lambda a: isa.fmt(Op.TST, a), source))
fork = st.builds(lambda test, op, skip: [test, (op, skip)], compare, st.sampled_from(BRANCHES),
                 st.integers(1, 8))
block = st.one_of(plain, plain, plain, shift_pair, fork)


def build(blocks: list[list[object]], rtype: DifType, last: int) -> Difo:
    """Instructions from blocks; a branch is (op, how far it skips at most)."""
    flat = [item for part in blocks for item in part]
    end = len(flat)
    words = []
    for pc, item in enumerate(flat):
        if isinstance(item, tuple):
            op, skip = item
            item = isa.branch(op, min(pc + 1 + skip, end))
        words.append(item)
    return Difo([*words, isa.fmt(Op.RET, 0, 0, last)], rtype, list(INTEGERS), STRTAB, list(VARTAB))


def difos(*rtypes: DifType) -> st.SearchStrategy[Difo]:
    return st.builds(build, st.lists(block, min_size=1, max_size=14), st.sampled_from(rtypes), source)


ENUM = DifType(size=4)
RECORDED = difos(LONG, ENUM, DifType(size=1), DifType(size=0), DifType(kind=1, flags=1, size=24),
                 DifType(flags=1, size=12))
arguments = st.lists(st.sampled_from([0, 1, 2, 7, -1, -8, KERNEL, KERNEL + 60, 1 << 40, (1 << 63) - 1,
                                       -(1 << 63)]),
                     min_size=5, max_size=5)


def observe(world, ecbs: list, firings: list[list[int]], clean: bool = False, **options: int) -> list[object]:
    """Everything a consumer and the state can tell afterwards.  With `clean`, the cleaner runs, too."""
    world.host.memory.add(KERNEL, b"kernel,text\0a.b" + bytes(range(49)))
    world.host.memory.add(PAIRS, struct.pack("<6Q", KERNEL, 5, KERNEL + 3, 24, KERNEL, 25))
    world.host.current.memory.add(1, b"\0user\0" * 8)
    tracer = world.tracer()
    tracer.enable(*ecbs, **{"dynvarsize": 2048, "strsize": 32, "bufsize": 1 << 15, **options})
    tracer.go()
    for number, args in enumerate(firings):
        world.host.cpu = number % world.host.ncpus
        world.host.time += 7
        world.fire(world.a, *args)
        if clean and number % 3 == 2:
            for timer in world.host.timers:
                timer.function()
    tracer.stop()
    environment = tracer.device.tracing.state.environment
    cpus = range(world.host.ncpus)
    return [[tracer.snap(cpu)[1] for cpu in cpus], [tracer.aggregations(cpu) for cpu in cpus],
            tracer.status(),
            environment.variables.globals[:1], [values[:1] for values in environment.variables.locals],
            sorted((number, thread, value) for number, table in environment.dynamic.threads.items()
                   for thread, value in table.items()),
            sorted(map(repr, environment.dynamic.arrays.items()))]


@given(difos(LONG), st.lists(RECORDED, min_size=1, max_size=3), difos(LONG), RECORDED,
       st.lists(arguments, min_size=1, max_size=5))
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
def test_engines_agree(make_world, predicate: Difo, recorded: list[Difo], value: Difo, key: Difo,
                       firings: list[list[int]]) -> None:
    for difo in (predicate, *recorded, value, key):
        assert not validator.validate(difo)
    results = []
    for engine in ("interpret", "translate"):
        world = make_world(engine, 1 + len(firings) % 2)
        error = [world.trace(f"ldgs arg{n}, %r1\nret %r1") for n in (1, 2, 3, 4, 5)]
        keys = [Action(ActionKind.DIFEXPR, key)]
        ecbs = [world.ecb("test:::a", *[Action(ActionKind.DIFEXPR, difo) for difo in recorded],
                          predicate=predicate),
                world.ecb("test:::a", world.aggregate(ActionKind.AGG_SUM, 1, keys, value)),
                world.ecb("test:::a", world.aggregate(ActionKind.AGG_QUANTIZE, 2, (), value)),
                world.ecb("test:::a", world.aggregate(ActionKind.AGG_MIN, 3, (), value)),
                world.ecb("dtrace:::ERROR", *error)]
        results.append(observe(world, ecbs, firings))
    assert results[0] == results[1]


# -- actions that are more than records --------------------------------------------------------------

def act(world, kind: int, text: str, rtype: DifType = LONG) -> Action:
    return Action(kind, world.dif(text + "\nret %r1", rtype))


def special(world, name: str) -> list:
    """The ECBs of one such clause; arg0 to arg4 tell it what to do."""
    number, times = "ldgs arg0, %r1", [act(world, ActionKind.DIFEXPR, "ldgs timestamp, %r1")]
    memory = DifType(flags=isa.TF_BYREF, size=20)
    size = act(world, ActionKind.TRACEMEM_DYNSIZE, "ldgs arg1, %r1")
    where = f"setx {KERNEL}, %r1"
    bodies = {
        "open": [act(world, ActionKind.DIFEXPR, "call speculation, %r1")],
        "speculate": [act(world, ActionKind.SPECULATE, number), *times,
                      act(world, ActionKind.DIFEXPR, "ldgs arg1, %r1")],
        "only speculate": [act(world, ActionKind.SPECULATE, number)],
        "speculate and fault": [act(world, ActionKind.SPECULATE, number),
                                act(world, ActionKind.DIFEXPR, "ldgs arg2, %r1\nldub [%r1], %r1")],
        "commit": [act(world, ActionKind.COMMIT, number)],
        "record and commit": [*times, act(world, ActionKind.COMMIT, number)],
        "speculate and commit": [act(world, ActionKind.SPECULATE, number), *times,
                                 act(world, ActionKind.COMMIT, "ldgs arg3, %r1")],
        "discard": [*times, act(world, ActionKind.DISCARD, number)],
        "chill": [*times, act(world, ActionKind.CHILL, "ldgs arg4, %r1"), *times],
        "only chill": [act(world, ActionKind.CHILL, "ldgs arg4, %r1")],
        "tracemem": [size, act(world, ActionKind.TRACEMEM, where, memory), *times,
                     act(world, ActionKind.TRACEMEM, where, memory)],
        "printm": [*times, act(world, ActionKind.PRINTM, f"setx {PAIRS}, %r1\nldgs arg3, %r2\n"
                               "add %r1, %r2, %r1", DifType(flags=isa.TF_BYREF, size=32))],
    }
    return [world.ecb("test:::a", *bodies[name])]


SPECIAL = ("open", "speculate", "only speculate", "speculate and fault", "commit", "record and commit",
           "speculate and commit", "discard", "chill", "only chill", "tracemem", "printm")
numbers = st.tuples(st.integers(0, 3), st.sampled_from((0, 1, 7, 20, 1 << 40)), st.sampled_from((0, KERNEL)),
                    st.sampled_from((0, 1, 2, 16, 32)), st.sampled_from((0, 5, 200_000_000, 1 << 40)))


@given(st.lists(st.sampled_from(SPECIAL), min_size=1, max_size=5), st.lists(numbers, min_size=1, max_size=9),
       st.sampled_from((64, 4096)), st.integers(0, 2))
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_special_actions_agree(make_world, names: list[str], firings: list[list[int]], room: int,
                               policy: int) -> None:
    """Several clauses on a probe, of which some speculate, chill, or record what they are told to."""
    results = []
    for engine in ("interpret", "translate"):
        world = make_world(engine, 2)
        error = [world.trace(f"ldgs arg{n}, %r1\nret %r1") for n in (1, 2, 3, 4, 5)]
        ecbs = [ecb for name in ["open", *names] for ecb in special(world, name)]
        ecbs += [world.ecb("dtrace:::ERROR", *error),
                 world.ecb("test:::a", world.aggregate(ActionKind.AGG_COUNT, 1))]
        results.append(observe(world, ecbs, firings, True,
                               nspec=2, specsize=room, bufpolicy=policy, bufsize=512, destructive=1))
    assert results[0] == results[1]


@given(st.lists(st.booleans(), min_size=1, max_size=4), st.lists(numbers, min_size=1, max_size=25),
       st.sampled_from((56, 60, 112, 120, 200, 400, 4096)), st.integers(0, 2))
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_clauses_that_record_nothing_find_a_buffer_full_of_errors(
        make_world, fails: list[bool], firings: list[list[int]], size: int, policy: int) -> None:
    """Some clauses fail now and then, which ERROR records; others are dropped where that fills a buffer."""
    results = []
    for engine in ("interpret", "translate"):
        world = make_world(engine, 1 + len(firings) % 2)
        nothing = DifType(size=0)
        fault = act(world, ActionKind.DIFEXPR, "ldgs arg2, %r1\nldub [%r1], %r1", nothing)
        stores = [isa.wide(Op.LDGS, IDS["arg1"], 1), isa.wide(Op.STTS, 0x500, 1), isa.fmt(Op.RET, 0, 0, 0)]
        plain = Action(ActionKind.DIFEXPR, Difo(stores, nothing, [], b"\0", list(VARTAB)))
        error = [world.trace(f"ldgs arg{n}, %r1\nret %r1") for n in (1, 2, 3, 4, 5)]
        ecbs = [world.ecb("test:::a", fault if each else plain) for each in fails]
        ecbs += [world.ecb("test:::a", world.aggregate(ActionKind.AGG_COUNT, 1)),
                 world.ecb("dtrace:::ERROR", *error)]
        results.append(observe(world, ecbs, firings, bufsize=size, bufpolicy=policy))
    assert results[0] == results[1]


def test_special_actions_are_translated(make_world, monkeypatch) -> None:
    """None of them is left to the interpreter."""
    from runtime.framework.engines import interpret

    monkeypatch.setattr(interpret, "run", None)
    world = make_world("translate", 1)
    tracer = world.tracer()
    tracer.enable(*[ecb for name in SPECIAL for ecb in special(world, name)], nspec=2, specsize=4096,
                  destructive=1)
    tracer.go()
    world.fire(world.a, 1)
    assert [epid for epid, _ in tracer.records()] == [1, 2, 3, 6, 8, 9]
