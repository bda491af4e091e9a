"""Expressions by value, as a C compiler has computed them: `values.txt`.

Each line has an expression over int i, unsigned int I, int64_t l and uint64_t L, and its values where these
are made of each of the numbers in INPUTS.  (gcc -fwrapv wrote it.  Expressions for which D differs from C, as
it shifts and compares whole registers, are not among them.)
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

INPUTS = (-3, 200, 5 - (1 << 63))
ROWS = [line.rsplit(": ", 1) for line in (Path(__file__).parent / "values.txt").read_text().splitlines()]


def program(expressions: list[str]) -> str:
    """Return a clause that records each as 64 bits; the variables are the clause's own."""
    own = [re.sub(r"\b([iIlL])\b", r"this->\1", each) for each in expressions]
    return ("test:::t { this->i = (int)arg0; this->I = (unsigned int)arg0; this->l = (int64_t)arg0;"
            f" this->L = (uint64_t)arg0; {' '.join(f'trace((int64_t)({each}));' for each in own)} }}")


@pytest.mark.parametrize("opt", [1, 0])
def test_as_in_c(opt: int, recorded: Callable[..., list[list[list[bytes]]]]) -> None:
    numbers = [number & (1 << 64) - 1 for number in INPUTS]
    for found in recorded(program([expression for expression, _ in ROWS]), numbers, (f"opt={opt}",)):
        for place, made in enumerate(found):
            values = [int.from_bytes(record, "little", signed=True) for record in made]
            assert dict(zip((expression for expression, _ in ROWS), values, strict=True)) == {
                expression: int(expected.split()[place]) for expression, expected in ROWS}
