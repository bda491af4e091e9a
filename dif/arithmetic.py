"""What DIF's pure instructions compute, on Python integers.

Values are unsigned 64-bit, and of a shift's count the low six bits count.
`fold` answers None where the result is not defined (division by zero or
overflow), so that the instruction stays and the machine decides.  A range is
a pair (low, high) of signed 64-bit bounds, both included.
"""

from __future__ import annotations

from collections.abc import Callable

from dif.isa import Op

MASK = 0xFFFF_FFFF_FFFF_FFFF
SIGN = 1 << 63

Range = tuple[int, int]
FULL: Range = (-SIGN, SIGN - 1)


def signed(value: int) -> int:
    """The signed reading of an unsigned 64-bit value."""
    return value - (1 << 64) if value & SIGN else value


def quotient(a: int, b: int) -> int:
    """C's division: towards zero."""
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _signed_division(a: int, b: int) -> int | None:
    if b == 0 or (a == SIGN and b == MASK):
        return None
    return quotient(signed(a), signed(b))


def _signed_remainder(a: int, b: int) -> int | None:
    result = _signed_division(a, b)
    return None if result is None else signed(a) - result * signed(b)


_BINARY: dict[int, Callable[[int, int], int | None]] = {
    Op.OR: lambda a, b: a | b,
    Op.XOR: lambda a, b: a ^ b,
    Op.AND: lambda a, b: a & b,
    Op.SLL: lambda a, b: a << (b & 63),
    Op.SRL: lambda a, b: a >> (b & 63),
    Op.SRA: lambda a, b: signed(a) >> (b & 63),
    Op.SUB: lambda a, b: a - b,
    Op.ADD: lambda a, b: a + b,
    Op.MUL: lambda a, b: a * b,
    Op.SDIV: _signed_division,
    Op.UDIV: lambda a, b: a // b if b else None,
    Op.SREM: _signed_remainder,
    Op.UREM: lambda a, b: a % b if b else None,
    Op.NOT: lambda a, _: ~a,
}

_TAKEN: dict[int, Callable[[int, int], bool]] = {
    Op.BE: lambda a, b: a == b,
    Op.BNE: lambda a, b: a != b,
    Op.BGU: lambda a, b: a > b,
    Op.BGEU: lambda a, b: a >= b,
    Op.BLU: lambda a, b: a < b,
    Op.BLEU: lambda a, b: a <= b,
    Op.BG: lambda a, b: signed(a) > signed(b),
    Op.BGE: lambda a, b: signed(a) >= signed(b),
    Op.BL: lambda a, b: signed(a) < signed(b),
    Op.BLE: lambda a, b: signed(a) <= signed(b),
}

NEGATED = {Op.BE: Op.BNE, Op.BNE: Op.BE, Op.BG: Op.BLE, Op.BLE: Op.BG, Op.BGE: Op.BL, Op.BL: Op.BGE,
           Op.BGU: Op.BLEU, Op.BLEU: Op.BGU, Op.BGEU: Op.BLU, Op.BLU: Op.BGEU}


def fold(op: int, a: int, b: int = 0) -> int | None:
    """The result of a pure instruction on constants, or None."""
    function = _BINARY.get(op)
    result = function(a, b) if function else None
    return None if result is None else result & MASK


def taken(op: int, a: int, b: int) -> bool:
    """Whether a conditional branch is taken after comparing `a` with `b`."""
    return _TAKEN[op](a, b)


def load_range(size: int, is_signed: bool) -> Range:
    """What a load of `size` bytes can yield."""
    if size >= 8:
        return FULL
    bits = size * 8
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if is_signed else (0, (1 << bits) - 1)


def within(inner: Range, outer: Range) -> bool:
    return outer[0] <= inner[0] and inner[1] <= outer[1]


def result_range(op: int, a: Range, b: Range) -> Range:
    """Bounds of a pure binary instruction's result."""
    if op == Op.AND:
        bounds = [high for low, high in (a, b) if low >= 0]
        return (0, min(bounds)) if bounds else FULL
    if op in (Op.OR, Op.XOR) and a[0] >= 0 and b[0] >= 0:
        return 0, (1 << max(a[1], b[1]).bit_length()) - 1
    if op in (Op.SRL, Op.SRA) and b[0] == b[1] and 0 < b[0] < 64:
        if a[0] >= 0 or op == Op.SRA:
            return a[0] >> b[0], a[1] >> b[0]
        return 0, MASK >> b[0]
    corners: list[int] = []
    if op == Op.ADD:
        corners = [a[0] + b[0], a[1] + b[1]]
    elif op == Op.SUB:
        corners = [a[0] - b[1], a[1] - b[0]]
    elif op == Op.MUL:
        corners = [x * y for x in a for y in b]
    elif op in (Op.UREM, Op.SREM) and a[0] >= 0 and b[0] > 0:
        return 0, min(a[1], b[1] - 1)
    elif op in (Op.UDIV, Op.SDIV) and a[0] >= 0 and b[0] > 0:
        return a[0] // b[1], a[1] // b[0]
    if not corners or min(corners) < FULL[0] or max(corners) > FULL[1]:
        return FULL
    return min(corners), max(corners)
