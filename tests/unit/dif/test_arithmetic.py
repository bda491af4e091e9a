"""Bounds of results: none lies outside, and where the operands are simple both bounds are met."""

from __future__ import annotations

import random

import pytest

from dif.arithmetic import COMPUTE, FULL, NEGATED, fold, load_range, result_range, signed, taken, within
from dif.isa import Op
from dif.limits import MASK

MAX = (1 << 63) - 1
BINARY = sorted(set(COMPUTE) - {Op.NOT, Op.MOV})


@pytest.mark.parametrize("op", BINARY)
def test_no_result_is_out_of_bounds(op: Op) -> None:
    draw = random.Random(op)
    for _ in range(300):
        reach = draw.choice((3, 9, 70, 1 << 40, 1 << 62))
        a, b = (tuple(sorted(draw.randint(-reach, reach) for _ in range(2))) for _ in range(2))
        if draw.random() < 0.5:
            a, b = (abs(a[0]), abs(a[0]) + abs(a[1])), (abs(b[0]), abs(b[0]) + draw.choice((0, abs(b[1]))))
        low, high = result_range(op, a, b)
        for x, y in [(x, y) for x in (*a, draw.randint(*a)) for y in (*b, draw.randint(*b))]:
            value = fold(op, x & MASK, y & MASK)
            assert value is None or low <= signed(value) <= high, (a, b, x, y)


@pytest.mark.parametrize(("op", "a", "b", "expected"), [
    (Op.ADD, (-1, 5), (2, 3), (1, 8)), (Op.SUB, (-1, 5), (2, 3), (-4, 3)),
    (Op.MUL, (-2, 5), (-3, 4), (-15, 20)),
    (Op.UDIV, (0, 20), (1, 5), (0, 20)), (Op.SDIV, (7, 20), (2, 3), (2, 10)), (Op.SDIV, (0, 9), (0, 1), FULL),
    (Op.UREM, (0, 20), (1, 5), (0, 4)), (Op.SREM, (0, 3), (1, 9), (0, 3)), (Op.SREM, (-1, 3), (1, 9), FULL),
    (Op.AND, (0, 9), (-5, 3), (0, 9)), (Op.AND, (-9, 9), (-5, 3), FULL), (Op.OR, (0, 9), (0, 3), (0, 15)),
    (Op.XOR, (0, 9), (0, 16), (0, 31)), (Op.SRL, (16, 40), (3, 3), (2, 5)),
    (Op.SRA, (-16, 40), (3, 3), (-2, 5)),
    (Op.SRL, (-1, 40), (60, 60), (0, 15)), (Op.ADD, (0, 1 << 62), (0, 1 << 62), FULL),
    (Op.SUB, (-(1 << 62), 0), (0, 1 << 62), (-(1 << 63), 0)),
    (Op.SUB, (-(1 << 62) - 1, 0), (0, 1 << 62), FULL), (Op.ADD, (0, 1 << 62), (0, (1 << 62) - 1), (0, MAX)),
    (Op.MUL, (-1, 3), (-(1 << 62), 1 << 62), FULL), (Op.MUL, (3, 4), (0, 0), (0, 0)),
    # a shift by another number of bits than one of 1 to 63 is not looked at
    (Op.SRL, (5, 9), (0, 0), FULL), (Op.SRL, (5, 9), (1, 2), FULL), (Op.SRL, (5, 9), (64, 64), FULL),
    (Op.SRL, (0, MAX), (63, 63), (0, 0)), (Op.SRA, FULL, (63, 63), (-1, 0)), (Op.SRA, (5, 9), (1, 1), (2, 4)),
    (Op.SRL, (-1, 5), (1, 1), (0, MAX)), (Op.SLL, (1, 1), (1, 1), FULL),
    (Op.AND, (0, 9), (0, 3), (0, 3)), (Op.AND, (-1, 9), (0, 3), (0, 3)), (Op.OR, (-1, 9), (0, 3), FULL),
    (Op.OR, (0, 9), (-1, 3), FULL), (Op.OR, (0, 0), (0, 0), (0, 0)), (Op.XOR, (0, 8), (0, 7), (0, 15)),
    (Op.UREM, (0, 4), (1, 9), (0, 4)), (Op.UREM, (0, 20), (0, 5), FULL), (Op.UDIV, (-1, 20), (1, 5), FULL),
    (Op.SREM, (1, 9), (1, 1), (0, 0)), (Op.UDIV, (0, 9), (1, 1), (0, 9)), (Op.SDIV, (0, 9), (-1, 1), FULL),
])
def test_bounds(op: Op, a: tuple[int, int], b: tuple[int, int], expected: tuple[int, int]) -> None:
    assert result_range(op, a, b) == expected


@pytest.mark.parametrize(("a", "b", "divided", "left"), [
    (7, 2, 3, 1), (-7, 2, -3, -1), (7, -2, -3, 1), (-7, -2, 3, -1), (0, -5, 0, 0), (-1, 5, 0, -1)])
def test_division_is_towards_zero(a: int, b: int, divided: int, left: int) -> None:
    assert fold(Op.SDIV, a & MASK, b & MASK) == divided & MASK
    assert fold(Op.SREM, a & MASK, b & MASK) == left & MASK


@pytest.mark.parametrize(("op", "a", "b", "value"), [
    (Op.OR, 5, 3, 7), (Op.XOR, 5, 3, 6), (Op.AND, 5, 3, 1), (Op.SUB, 3, 5, -2), (Op.ADD, -1, 1, 0),
    (Op.MUL, 1 << 32, 1 << 32, 0), (Op.NOT, 5, 0, -6), (Op.MOV, 5, 3, 5), (Op.UDIV, -1, 2, MAX),
    (Op.UREM, -1, 10, 5), (Op.SLL, 1, 63, 1 << 63), (Op.SLL, 1, 64, 1), (Op.SLL, 3, 65, 6),
    (Op.SRL, -1, 63, 1), (Op.SRL, 5, 64, 5), (Op.SRL, 5, 65, 2), (Op.SRA, -8, 1, -4), (Op.SRA, -8, 64, -8),
    (Op.SRA, -8, 127, -1), (Op.SDIV, -MAX - 1, 1, -MAX - 1), (Op.UDIV, 1 << 63, -1, 0),
    (Op.SREM, MAX, -1, 0)])
def test_values(op: Op, a: int, b: int, value: int) -> None:
    assert fold(op, a & MASK, b & MASK) == value & MASK


@pytest.mark.parametrize(("op", "a", "b"), [
    (Op.SDIV, -MAX - 1, -1), (Op.SREM, -MAX - 1, -1), (Op.SDIV, 5, 0), (Op.UDIV, 5, 0), (Op.SREM, 5, 0),
    (Op.UREM, 5, 0)])
def test_what_is_left_to_the_machine(op: Op, a: int, b: int) -> None:
    assert fold(op, a & MASK, b & MASK) is None


BRANCHES = "ba be bne bg bgu bge bgeu bl blu ble bleu"


@pytest.mark.parametrize(("a", "b", "branches"), [
    (5, 5, "ba be bge bgeu ble bleu"), (5, 6, "ba bne bl blu ble bleu"), (6, 5, "ba bne bg bgu bge bgeu"),
    (-1, 5, "ba bne bl bgu ble bgeu"), (5, -1, "ba bne bg blu bge bleu"),
    (-MAX - 1, 1, "ba bne bg bgu bge bgeu"),  # the difference, modulo 2**64, is positive
])
def test_branches_after_a_comparison(a: int, b: int, branches: str) -> None:
    known = {name: getattr(Op, name.upper()) for name in BRANCHES.split()}
    found = [name for name, op in known.items() if taken(op, a & MASK, b & MASK)]
    assert sorted(found) == sorted(branches.split())
    for op, opposite in NEGATED.items():
        assert taken(op, a & MASK, b & MASK) is not taken(opposite, a & MASK, b & MASK)


@pytest.mark.parametrize(("size", "is_signed", "bounds"), [
    (1, True, (-128, 127)), (1, False, (0, 255)), (2, True, (-32768, 32767)), (4, False, (0, (1 << 32) - 1)),
    (7, False, (0, (1 << 56) - 1)), (8, True, FULL), (8, False, FULL)])
def test_what_a_load_can_yield(size: int, is_signed: bool, bounds: tuple[int, int]) -> None:
    assert load_range(size, is_signed) == bounds
    low, high = bounds
    assert within(bounds, bounds) and within((low + 1, high), bounds) and within((low, high - 1), bounds)
    assert not within((low - 1, high), bounds) and not within((low, high + 1), bounds)
