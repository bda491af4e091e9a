"""Bounds of results: none lies outside, and where the operands are simple both bounds are met."""

from __future__ import annotations

import random

import pytest

from dif.arithmetic import COMPUTE, FULL, fold, result_range, signed
from dif.isa import Op
from dif.limits import MASK

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
])
def test_bounds(op: Op, a: tuple[int, int], b: tuple[int, int], expected: tuple[int, int]) -> None:
    assert result_range(op, a, b) == expected


@pytest.mark.parametrize(("a", "b", "divided", "left"), [
    (7, 2, 3, 1), (-7, 2, -3, -1), (7, -2, -3, 1), (-7, -2, 3, -1), (0, -5, 0, 0), (-1, 5, 0, -1)])
def test_division_is_towards_zero(a: int, b: int, divided: int, left: int) -> None:
    assert fold(Op.SDIV, a & MASK, b & MASK) == divided & MASK
    assert fold(Op.SREM, a & MASK, b & MASK) == left & MASK
