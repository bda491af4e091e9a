"""Instructions by value, with operands that are known beforehand and that are not, in both engines.

The machine's arithmetic is that of the manual: modulo 2**64, shifts by the low six bits, and a comparison
whose flags are the sign of the difference (n), equality (z) and unsigned less (c).
"""

from __future__ import annotations

import operator
from collections.abc import Callable

import pytest

from dif import isa
from dif.assembler import assemble
from dif.difo import DifType, DifVar
from dof.model import Action
from runtime.framework.execution.dataflow import Flow

MASK = (1 << 64) - 1
SIGN = 1 << 63
PAIRS = ((0, 1), (5, 3), (7, 63), (SIGN, 64), (MASK - 4, 65), (SIGN - 1, 0xFFFFFFFF), (MASK, MASK), (0, MASK),
         (SIGN, SIGN), (0xFFFFFFFF, SIGN - 1), (MASK - 6, 2), (MASK // 3, 4))
BETWEEN = ("nop", "setx 77, %r1", "setx 77, %r2", "mov %r3, %r1", "add %r1, %r2, %r2")


def signed(value: int) -> int:
    return value - (1 << 64) if value & SIGN else value


def divided(a: int, b: int) -> int:
    quotient = abs(signed(a)) // abs(signed(b))
    return quotient if (signed(a) < 0) == (signed(b) < 0) else -quotient


ALU: dict[str, Callable[[int, int], int]] = {
    "or": operator.or_, "xor": operator.xor, "and": operator.and_, "add": operator.add, "sub": operator.sub,
    "mul": operator.mul, "sll": lambda a, b: a << (b & 63), "srl": lambda a, b: a >> (b & 63),
    "sra": lambda a, b: signed(a) >> (b & 63), "udiv": lambda a, b: a // b, "urem": lambda a, b: a % b,
    "sdiv": divided, "srem": lambda a, b: signed(a) - divided(a, b) * signed(b)}
FLAGS: dict[str, Callable[[bool, bool, bool], bool]] = {
    "ba": lambda n, z, c: True, "be": lambda n, z, c: z, "bne": lambda n, z, c: not z,
    "bg": lambda n, z, c: not (z or n), "bgu": lambda n, z, c: not (c or z), "bge": lambda n, z, c: not n,
    "bgeu": lambda n, z, c: not c, "bl": lambda n, z, c: n, "blu": lambda n, z, c: c,
    "ble": lambda n, z, c: z or n, "bleu": lambda n, z, c: c or z}
# How %r1 and %r2 get their operands: unknown to whoever reads the code, or written in it.
OPERANDS = {"both unknown": "ldgs arg0, %r1\nldgs arg1, %r2", "left known": "setx {0}, %r1\nldgs arg1, %r2",
            "right known": "ldgs arg0, %r1\nsetx {1}, %r2", "both known": "setx {0}, %r1\nsetx {1}, %r2",
            "computed": "ldgs arg0, %r1\nldgs arg1, %r2" + "\nnot %r1, %r1\nnot %r2, %r2" * 2}


def fired(world, texts: list[str], *args: int) -> list[int]:
    """The values of actions with these instructions, as one clause records them."""
    tracer = world.tracer()
    actions: list[Action] = [world.trace(text) for text in texts]
    tracer.enable(world.ecb("test:::a", *actions), bufsize=1 << 20)
    tracer.go()
    world.fire(world.a, *args)
    (record,) = tracer.integers()
    tracer.stop()
    return [value & MASK for value in record[1:]]


@pytest.mark.parametrize("operands", OPERANDS)
def test_arithmetic(world, operands: str) -> None:
    """A result is used once more, so that what does not fit is not merely cut when it is recorded."""
    for a, b in PAIRS:
        before = OPERANDS[operands].format(a, b)
        texts = [f"{before}\n{name} %r1, %r2, %r3\nsetx 3, %r4\nsrl %r3, %r4, %r3\nret %r3" for name in ALU]
        texts += [f"{before}\n{name} %r1, %r1, %r1\nsetx 2, %r4\nurem %r1, %r4, %r1\nret %r1" for name in
                  ("add", "mul", "sll", "xor", "and")]
        texts += [f"{before}\nnot %r1, %r3\nsetx 1, %r4\nadd %r3, %r4, %r3\nret %r3"]
        expected = [(ALU[name](a, b) & MASK) >> 3 for name in ALU]
        expected += [(ALU[name](a, a) & MASK) % 2 for name in ("add", "mul", "sll", "xor", "and")]
        assert fired(world, texts, a, b) == [*expected, -a & MASK], (a, b)


@pytest.mark.parametrize("operands", OPERANDS)
def test_comparisons(world, operands: str) -> None:
    """What stands between a comparison and its branch may change the registers that were compared."""
    answer = "setx 2, %r3\nret %r3\nyes: setx 1, %r3\nret %r3"
    for a, b in [(5, 5), (0, 5), (5, MASK - 4), (MASK, 5), (SIGN, 5), (0, 0)]:
        before = OPERANDS[operands].format(a, b)
        n, z, c = (a - b) & SIGN != 0, a == b, a < b
        texts = [f"{before}\ncmp %r1, %r2\n{between}\n{name} yes\n{answer}" for between in BETWEEN
                 for name in FLAGS]
        texts += [f"{before}\ntst %r1\n{between}\n{name} yes\n{answer}" for between in BETWEEN
                  for name in ("be", "bne")]
        expected = [1 if taken(n, z, c) else 2 for taken in FLAGS.values()] * len(BETWEEN)
        expected += [2 - (a == 0), 2 - (a != 0)] * len(BETWEEN)
        assert fired(world, texts, a, b) == expected, (a, b)


def test_a_constant_that_is_not_returned(world) -> None:
    assert fired(world, ["ldls DT_VAR(278), %r1\nret %r1"]) == [0]  # pid, which is global
    texts = ["setx 5, %r1\nret %r1", "setx 5, %r1\nret %r2", "setx 5, %r1\nret %r0", "ret %r1", "ret %r0",
             "setx 5, %r1\nsetx 6, %r2\nret %r1"]
    assert fired(world, texts) == [5, 0, 0, 0, 0, 5]


@pytest.mark.parametrize(("shift", "shifted"), [("sra", MASK - 127), ("srl", 128)])
def test_a_branch_between_two_shifts(world, shift: str, shifted: int) -> None:
    """A shift left and one right are no narrowing of an integer where the second has another way to it."""
    text = (f"ldgs arg0, %r1\nsetx 56, %r2\nldgs arg1, %r3\ntst %r3\nbe out\nsll %r1, %r2, %r1\n"
            f"out: {shift} %r1, %r2, %r1\nret %r1")
    assert fired(world, [text], 0x1180, 1) == [shifted]
    assert fired(world, [text], 0x1180, 0) == [0]


def test_ways_that_push_other_values(world) -> None:
    text = ("ldgs arg0, %r1\nldgs arg1, %r2\ntst %r1\nbe no\npushtv ctf, %r0, %r1\nba on\n"
            "no: pushtv ctf, %r0, %r2\non: call htonll, %r3\nret %r3")
    assert [fired(world, [text], *args) for args in ((5, 6), (0, 6))] == [[5 << 56], [6 << 56]]


@pytest.mark.parametrize("index", [0, 1, 4, 5, 9])
def test_elements_of_args(world, index: int) -> None:
    """The first five come with the firing, others from the provider; the index may be known beforehand."""
    args = [10, index, 12, 13, 14]
    texts = [f"{before}, %r1\nldga DT_VAR(0), %r1, %r2\nret %r2" for before in (f"setx {index}", "ldgs arg1")]
    assert fired(world, texts, *args) == [args[index] if index < 5 else 50 + index] * 2


# -- variables, tuples, memory ------------------------------------------------------------------------------

LONG = DifType(size=8)
VARIABLES = [DifVar(name, number, kind, scope, isa.F_REF | isa.F_MOD, LONG) for name, number, kind, scope in (
    ("g", 0x500, isa.KIND_SCALAR, isa.SCOPE_GLOBAL), ("l", 0x500, isa.KIND_SCALAR, isa.SCOPE_LOCAL),
    ("t", 0x500, isa.KIND_SCALAR, isa.SCOPE_THREAD), ("a", 0x501, isa.KIND_ARRAY, isa.SCOPE_GLOBAL),
    ("b", 0x501, isa.KIND_ARRAY, isa.SCOPE_THREAD))]
S, A = "DT_VAR(1280)", "DT_VAR(1281)"
PUSH = "pushtv ctf, %r0, "
KEY = f"ldgs arg0, %r1\n{PUSH}%r1\n"
# What each firing with these arguments records: the last register that is set.
PROGRAMS: list[tuple[str, list[tuple[int, ...]], list[int]]] = [
    (f"ldgs {S}, %r1\nldgs arg0, %r2\nstgs %r2, {S}\nldgs {S}, %r3\nadd %r1, %r3, %r1\nret %r1",
     [(5,), (7,)], [5, 12]),
    (f"ldls {S}, %r1\nldgs arg0, %r2\nstls %r2, {S}\nldls {S}, %r3\nadd %r1, %r3, %r1\nret %r1",
     [(5,), (7,)], [5, 12]),
    (f"ldts {S}, %r1\nldgs arg0, %r2\nstts %r2, {S}\nldts {S}, %r3\nadd %r1, %r3, %r1\nret %r1",
     [(5,), (7,)], [5, 12]),
    # what is loaded on one way is not there on the other; what is stored on one way is seen behind it
    (f"ldgs arg0, %r1\ntst %r1\nbe on\nldts {S}, %r2\non: ldts {S}, %r3\nldgs arg1, %r4\n"
     f"stts %r4, {S}\nret %r3", [(0, 9), (1, 8), (0, 7)], [0, 9, 8]),
    (f"ldts {S}, %r1\nldgs arg0, %r2\ntst %r2\nbe on\nstts %r2, {S}\non: ldts {S}, %r3\n"
     "sub %r3, %r1, %r3\nret %r3", [(0,), (5,), (0,), (7,)], [0, 5, 0, 2]),
    # elements come, change and go; one of a thread is another
    (f"{KEY}ldgaa {A}, %r2\nsetx 1, %r3\nadd %r2, %r3, %r2\nstgaa %r2, {A}\nret %r2",
     [(1,), (1,), (2,), (1,)], [1, 2, 1, 3]),
    (f"{KEY}ldgaa {A}, %r2\nldgs arg1, %r3\nstgaa %r3, {A}\nret %r2",
     [(1, 5), (1, 0), (1, 7), (1, 1), (2, 0)], [0, 5, 0, 7, 0]),
    (f"{KEY}ldgs arg1, %r3\nstgaa %r3, {A}\nstgaa %r0, {A}\nldgaa {A}, %r2\nret %r2",
     [(1, 5), (1, 6)], [0, 0]),
    (f"{KEY}ldtaa {A}, %r2\nldgs arg1, %r3\nsttaa %r3, {A}\nldgs arg2, %r3\nstgaa %r3, {A}\nret %r2",
     [(1, 5, 6), (1, 7, 8), (2, 9, 9), (1, 0, 0)], [0, 5, 0, 7]),
    # a subroutine takes as many as it wants, 0 for what is not there, and leaves them where they are
    (f"setx 5, %r1\n{PUSH}%r1\nsetx 6, %r1\n{PUSH}%r1\npopts\ncall htonll, %r2\nret %r2", [()], [5 << 56]),
    (f"setx 5, %r1\n{PUSH}%r1\nsetx 6, %r1\n{PUSH}%r1\ncall htonll, %r2\nret %r2", [()], [5 << 56]),
    (f"setx 5, %r1\n{PUSH}%r1\nflushts\ncall htonll, %r2\nret %r2", [()], [0]),
    (f"popts\nsetx 5, %r1\n{PUSH}%r1\ncall htonll, %r2\ncall htonll, %r3\nadd %r2, %r3, %r3\nret %r3", [()],
     [10 << 56]),
    (f"ldgs arg0, %r1\nmov %r1, %r3\n{PUSH}%r3\nadd %r3, %r3, %r3\nmov %r1, %r3\nadd %r3, %r3, %r3\n"
     "call htonll, %r2\nret %r2", [(3,)], [3 << 56]),
    (f"setx 5, %r1\n{f'{PUSH}%r1{chr(10)}' * 8}call htonll, %r2\nret %r2", [()], [5 << 56]),
    (f'sets "abc", %r1\n{PUSH}%r1\ncall strlen, %r2\nret %r2', [()], [3]),
    (f"ldgs execname, %r1\n{PUSH}%r1\ncall strlen, %r2\nret %r2", [()], [4])]


@pytest.mark.parametrize(("text", "firings", "expected"), PROGRAMS)
def test_programs(world, text: str, firings: list[tuple[int, ...]], expected: list[int]) -> None:
    difo = world.dif(text)
    difo.vartab = list(VARIABLES)
    tracer = world.tracer()
    tracer.enable(world.ecb("test:::a", Action(world.ActionKind.DIFEXPR, difo)))
    tracer.go()
    for args in firings:
        world.fire(world.a, *args)
    assert [value for _epid, value in tracer.integers()] == expected


STRINGS = {'sets "prog", {}': b"prog", 'sets "pro", {}': b"pro", 'sets "", {}': b"", "mov %r0, {}": b"",
           "ldgs execname, {}": b"prog", "ldgs arg0, {}": b""}


@pytest.mark.parametrize("first", STRINGS)
def test_comparisons_of_strings(world, first: str) -> None:
    """Written in the code or not; NULL is an empty one."""
    texts, expected = [], []
    for second in STRINGS:
        a, b = STRINGS[first], STRINGS[second]
        for name, taken in FLAGS.items():
            texts.append(f"{first.format('%r1')}\n{second.format('%r2')}\nscmp %r1, %r2\n{name} yes\n"
                         "setx 2, %r3\nret %r3\nyes: setx 1, %r3\nret %r3")
            expected.append(1 if taken(a < b, a == b, False) else 2)
    assert fired(world, texts, 0) == expected


def test_loads_of_what_was_stored(world) -> None:
    """Each size in each other's place, signed and not; what is not stored is 0."""
    number, texts, expected = 0x8182838485868788, [], []
    for stored, store in ((1, "stb"), (2, "sth"), (4, "stw"), (8, "stx")):
        for loaded, letter in ((1, "b"), (2, "h"), (4, "w"), (8, "x")):
            for load in (f"lds{letter}", f"ldu{letter}") if loaded < 8 else ("ldx",):
                for space in ("", "r"):
                    texts.append(f"setx 8, %r1\nallocs %r1, %r2\nsetx {number}, %r3\n{store} %r3, [%r2]\n"
                                 f"{space}{load} [%r2], %r4\nret %r4")
                    raw = number.to_bytes(8, "little")[:stored].ljust(8, b"\0")[:loaded]
                    expected.append(int.from_bytes(raw, "little", signed=load[2] == "s") & MASK)
    assert fired(world, texts) == expected


def test_copies(world) -> None:
    text = ("setx 16, %r1\nallocs %r1, %r2\nallocs %r1, %r3\nsetx 0x1122334455667788, %r4\nstx %r4, [%r2]\n"
            "setx {}, %r5\ncopys %r2, %r5, %r3\nldx [%r3], %r6\nret %r6")
    assert fired(world, [text.format(size) for size in (0, 3, 8)]) == [0, 0x667788, 0x1122334455667788]


@pytest.mark.parametrize("ways", [3, 29, 30, 31, 40])
def test_ways_within_ways(world, ways: int) -> None:
    """More than are written as statements within one another."""
    text = "ldgs arg0, %r1\n" + "".join(f"setx {n}, %r2\ncmp %r1, %r2\nbe l{n}\n" for n in range(ways))
    text += "setx 99, %r3\nret %r3\n" + "".join(f"l{n}: setx {n + 100}, %r3\nret %r3\n" for n in range(ways))
    for argument in (0, ways - 1, ways):
        assert fired(world, [text], argument) == [argument + 100 if argument < ways else 99]


@pytest.mark.parametrize("length", [10, 1500, 1501])
def test_long_objects(world, length: int) -> None:
    text = "ldgs arg0, %r1\n" + "nop\n" * (length - 2) + "ret %r1"
    assert fired(world, [text], 7) == [7]


# Programs, and the instruction at which all ways from each of theirs meet again; the last is the end.
MEETINGS = {
    "nop\nret %r1": (1, 2),
    "be 2\nnop\nret %r1": (2, 2, 3),
    "be 2\nret %r1\nret %r2": (3, 3, 3),
    "tst %r1\nbe 4\nsetx 1, %r2\nba 5\nsetx 2, %r2\nret %r2": (1, 5, 3, 5, 5, 6),
    "be 6\nbe 4\nnop\nba 5\nnop\nba 7\nnop\nret %r1": (7, 5, 3, 5, 5, 7, 7, 8),
    "be 2\nba 6\nbe 5\nnop\nba 6\nnop\nret %r1": (6, 6, 6, 4, 6, 6, 7),
    "be 3\nbe 4\nba 5\nnop\nnop\nret %r1": (5, 5, 5, 4, 5, 6),
}


@pytest.mark.parametrize("text", MEETINGS)
def test_where_ways_meet_again(text: str) -> None:
    """Worked out by hand: a translation writes what follows there once only."""
    flow = Flow([isa.decode(word) for word in assemble(text).text])
    assert tuple(flow.join[:-1]) == MEETINGS[text]
