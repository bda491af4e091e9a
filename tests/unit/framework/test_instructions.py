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
            "right known": "ldgs arg0, %r1\nsetx {1}, %r2", "both known": "setx {0}, %r1\nsetx {1}, %r2"}


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
