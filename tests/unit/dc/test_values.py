"""Expressions by value, as a C compiler has computed them: `values.txt`.

Each line has an expression over int i, unsigned int I, int64_t l and uint64_t L, and its values where these
are made of each of the numbers in INPUTS, - where it divides by zero or overflows.  (gcc -fwrapv wrote it.
Expressions for which D differs from C, as it shifts and compares whole registers, are not among them.)
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

INPUTS = (-3, 200, 5 - (1 << 63), 0, 1, -128, 1 << 31, (1 << 62) - 1)
ROWS = [line.rsplit(": ", 1) for line in (Path(__file__).parent / "values.txt").read_text().splitlines()]


def program(expressions: list[str]) -> str:
    """Return a clause that records each as 64 bits; the variables are the clause's own."""
    own = [re.sub(r"\b([iIlL])\b", r"this->\1", each) for each in expressions]
    return ("test:::t { this->i = (int)arg0; this->I = (unsigned int)arg0; this->l = (int64_t)arg0;"
            f" this->L = (uint64_t)arg0; {' '.join(f'trace((int64_t)({each}));' for each in own)} }}")


@pytest.mark.parametrize("opt", [1, 0])
@pytest.mark.parametrize("place", range(len(INPUTS)))
def test_as_in_c(place: int, opt: int, recorded: Callable[..., list[list[list[bytes]]]]) -> None:
    known = {expression: int(value) for expression, values in ROWS
             if (value := values.split()[place]) != "-"}
    for made, in recorded(program(list(known)), [INPUTS[place] & (1 << 64) - 1], (f"opt={opt}",)):
        values = [int.from_bytes(record, "little", signed=True) for record in made]
        assert dict(zip(known, values, strict=True)) == known
