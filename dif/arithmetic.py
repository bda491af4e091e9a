"""What DIF's pure instructions and branch conditions mean, on Python integers: one function a row.

Constant folding and the engines read these tables.  Values are unsigned 64-bit,
and of a shift's count the low six bits count.  A range is a pair (low, high) of
signed 64-bit bounds, both included.
"""

from __future__ import annotations

from collections.abc import Callable

from dif.isa import Op
from dif.limits import MASK as MASK

SIGN = 1 << 63

Range = tuple[int, int]
FULL: Range = (-SIGN, SIGN - 1)


def signed(value: int) -> int:
    """The signed reading of an unsigned 64-bit value."""
    return value - (1 << 64) if value & SIGN else value


def quotient(a: int, b: int) -> int:
    """C's division: towards zero.  Raises ZeroDivisionError."""
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def remainder(a: int, b: int) -> int:
    """C's remainder: with the sign of the dividend.  Raises ZeroDivisionError."""
    return a - quotient(a, b) * b


# The result is what these return, modulo 2**64; ZeroDivisionError is the fault DIVZERO.
COMPUTE: dict[int, Callable[[int, int], int]] = {
    Op.OR: lambda a, b: a | b,
    Op.XOR: lambda a, b: a ^ b,
    Op.AND: lambda a, b: a & b,
    Op.SLL: lambda a, b: a << (b & 63),
    Op.SRL: lambda a, b: a >> (b & 63),
    Op.SRA: lambda a, b: signed(a) >> (b & 63),
    Op.SUB: lambda a, b: a - b,
    Op.ADD: lambda a, b: a + b,
    Op.MUL: lambda a, b: a * b,
    Op.SDIV: lambda a, b: quotient(signed(a), signed(b)),
    Op.UDIV: lambda a, b: a // b,
    Op.SREM: lambda a, b: remainder(signed(a), signed(b)),
    Op.UREM: lambda a, b: a % b,
    Op.NOT: lambda a, _: ~a,
    Op.MOV: lambda a, _: a,
}

# By the condition codes: n, the difference's sign bit; z, equal; c, unsigned less.  (There is no overflow
# bit: the machine compares signed values by the sign of their difference modulo 2**64.)
TAKEN: dict[int, Callable[[bool, bool, bool], bool]] = {
    Op.BA: lambda n, z, c: True,
    Op.BE: lambda n, z, c: z,
    Op.BNE: lambda n, z, c: not z,
    Op.BG: lambda n, z, c: not (z or n),
    Op.BGU: lambda n, z, c: not (c or z),
    Op.BGE: lambda n, z, c: not n,
    Op.BGEU: lambda n, z, c: not c,
    Op.BL: lambda n, z, c: n,
    Op.BLU: lambda n, z, c: c,
    Op.BLE: lambda n, z, c: z or n,
    Op.BLEU: lambda n, z, c: c or z,
}


def compare(a: int, b: int) -> tuple[bool, bool, bool]:
    """The condition codes n, z and c that `cmp` sets."""
    return (a - b) & SIGN != 0, a == b, a < b


NEGATED = {Op.BE: Op.BNE, Op.BNE: Op.BE, Op.BG: Op.BLE, Op.BLE: Op.BG, Op.BGE: Op.BL, Op.BL: Op.BGE,
           Op.BGU: Op.BLEU, Op.BLEU: Op.BGU, Op.BGEU: Op.BLU, Op.BLU: Op.BGEU}


def fold(op: int, a: int, b: int = 0) -> int | None:
    """The result of a pure instruction on constants.

    None where it is not defined (division by zero or overflow): the instruction stays, and the machine
    decides.
    """
    if op in (Op.SDIV, Op.SREM) and a == SIGN and b == MASK:
        return None
    try:
        return COMPUTE[op](a, b) & MASK
    except ZeroDivisionError:
        return None


def taken(op: int, a: int, b: int) -> bool:
    """Whether a branch is taken after comparing `a` with `b`."""
    return TAKEN[op](*compare(a, b))


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
    count, most = b
    if op in (Op.SRL, Op.SRA) and count == most and 0 < count < 64:
        if a[0] >= 0 or op == Op.SRA:
            return a[0] >> count, a[1] >> count
        return 0, MASK >> count
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
