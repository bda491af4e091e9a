"""Random well-typed D expressions, compiled, run by both engines, and computed in Python.

D's integer arithmetic is C's with the arithmetic itself done in 64 bits: a
type decides how a value is extended, compared, divided and shifted.
"""

from __future__ import annotations

import os
import random
import sys
from pathlib import Path
from typing import NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st

MASK = (1 << 64) - 1
PER_PROGRAM = 100
PROGRAMS = int(os.environ.get("D_PROGRAMS", "100"))  # 10,000 expressions; more on demand


class Type(NamedTuple):
    name: str
    bits: int
    signed: bool


TYPES = [Type(f"{'' if signed else 'u'}int{bits}_t", bits, signed)
         for bits in (8, 16, 32, 64) for signed in (True, False)]
INT = Type("int32_t", 32, True)
ARGUMENT = Type("int64_t", 64, True)
SIGNED_COMPARISON_LIMIT = 1 << 63


class Term(NamedTuple):
    """An expression's text, its type and its value (unsigned 64 bits).

    `constant` tells that the compiler knows the value while it checks types.
    """

    text: str
    type: Type
    value: int
    constant: bool = False


def signed(value: int) -> int:
    return value - (1 << 64) if value >> 63 else value


def extend(value: int, bits: int, is_signed: bool) -> int:
    value &= (1 << bits) - 1
    return (value - (1 << bits) if is_signed and value >> bits - 1 else value) & MASK


def cast(value: int, source: Type, to: Type) -> int:
    if source.bits < to.bits:
        if not source.signed:
            return value
        value = extend(value, source.bits, True)
    return extend(value, to.bits, to.signed)


def promote(left: Type, right: Type) -> Type:
    return right if left.bits + (not left.signed) < right.bits + (not right.signed) else left


class Writer:
    """Writes one random expression."""

    def __init__(self, seed: int, arguments: list[int]) -> None:
        self.random = random.Random(seed)
        self.arguments = arguments

    def term(self, depth: int) -> Term:
        if depth == 0:
            return self.leaf()
        kind = self.random.choice((self.leaf, self.unary, self.binary, self.binary, self.binary, self.shift,
                                   self.divide, self.compare, self.compare, self.logical, self.ternary,
                                   self.cast, self.cast, self.comma))
        return kind(depth - 1)

    def leaf(self, depth: int = 0) -> Term:
        choice = self.random.randrange(3)
        if choice == 0:
            value = self.random.choice((0, 1, 2, 3, 7, 8, 10, 255, 4096, 65535, 1 << 20, 0x7FFFFFFF))
            return Term(str(value), INT, value, True)
        number = self.random.randrange(len(self.arguments))
        argument = Term(f"arg{number}", ARGUMENT, self.arguments[number] & MASK)
        if choice == 1:
            return argument
        to = self.random.choice(TYPES)
        return Term(f"(({to.name})arg{number})", to, cast(argument.value, ARGUMENT, to))

    def unary(self, depth: int) -> Term:
        operand = self.term(depth)
        op = self.random.choice("-~!+")
        minus = -operand.value
        if operand.constant and not operand.type.signed:
            minus = extend(minus, operand.type.bits, False)
        result = {"-": minus, "~": ~operand.value, "!": int(operand.value == 0),
                  "+": operand.value}[op] & MASK
        type_ = INT if op == "!" and not operand.constant else operand.type
        return Term(f"({op}{operand.text})", type_, result, operand.constant)

    def binary(self, depth: int) -> Term:
        left, right = self.term(depth), self.term(depth)
        op = self.random.choice("+-*&|^")
        a, b = left.value, right.value
        result = {"+": a + b, "-": a - b, "*": a * b, "&": a & b, "|": a | b, "^": a ^ b}[op] & MASK
        return Term(f"({left.text} {op} {right.text})", promote(left.type, right.type), result,
                    left.constant and right.constant)

    def shift(self, depth: int) -> Term:
        left, count = self.term(depth), self.random.randrange(64)
        if self.random.random() < 0.5:
            return Term(f"({left.text} << {count})", left.type, left.value << count & MASK,
                        left.constant)
        value = signed(left.value) >> count if left.type.signed else left.value >> count
        return Term(f"({left.text} >> {count})", left.type, value & MASK, left.constant)

    def divide(self, depth: int) -> Term:
        left, divisor = self.term(depth), self.random.choice((1, 2, 3, 7, 8, 10, 256, 1000))
        type_ = promote(left.type, INT)
        op = self.random.choice("/%")
        if not type_.signed:
            value = left.value // divisor if op == "/" else left.value % divisor
        else:
            quotient = abs(signed(left.value)) // divisor * (-1 if signed(left.value) < 0 else 1)
            value = quotient if op == "/" else signed(left.value) - quotient * divisor
        return Term(f"({left.text} {op} {divisor})", type_, value & MASK, left.constant)

    def compare(self, depth: int) -> Term:
        left, right = self.term(depth), self.term(depth)
        a, b = left.value, right.value
        if promote(left.type, right.type).signed:
            a, b = signed(a), signed(b)
            if not -SIGNED_COMPARISON_LIMIT <= a - b < SIGNED_COMPARISON_LIMIT:
                return left  # the machine compares by the difference, which must fit
        op = self.random.choice(("<", "<=", ">", ">=", "==", "!="))
        result = {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b, "==": a == b, "!=": a != b}[op]
        return Term(f"({left.text} {op} {right.text})", INT, int(result), left.constant and right.constant)

    def logical(self, depth: int) -> Term:
        left, right = self.term(depth), self.term(depth)
        op = self.random.choice(("&&", "||", "^^"))
        a, b = bool(left.value), bool(right.value)
        result = {"&&": a and b, "||": a or b, "^^": a != b}[op]
        return Term(f"({left.text} {op} {right.text})", INT, int(result), left.constant and right.constant)

    def ternary(self, depth: int) -> Term:
        test, then, otherwise = self.term(depth), self.term(depth), self.term(depth)
        if then.type != otherwise.type:
            otherwise = Term(f"(({then.type.name}){otherwise.text})", then.type,
                             cast(otherwise.value, otherwise.type, then.type), otherwise.constant)
        value, constant = (then if test.value else otherwise)[2:]
        return Term(f"({test.text} ? {then.text} : {otherwise.text})", then.type, value,
                    test.constant and constant)

    def cast(self, depth: int) -> Term:
        operand, to = self.term(depth), self.random.choice(TYPES)
        value = cast(operand.value, operand.type, to)
        return Term(f"(({to.name}){operand.text})", to, value, operand.constant)

    def comma(self, depth: int) -> Term:
        left, right = self.term(depth), self.term(depth)
        return Term(f"({left.text}, {right.text})", right.type, right.value)


INTERESTING = [0, 1, -1, 2, 127, 128, 255, -128, 32767, 65536, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF,
               -(1 << 31), (1 << 62) - 1, -(1 << 62)]
VALUES = st.one_of(st.sampled_from(INTERESTING), st.integers(-(1 << 62), (1 << 62) - 1))


@given(st.integers(0, 1 << 60), st.lists(VALUES, min_size=5, max_size=5))
@settings(max_examples=PROGRAMS, deadline=None)
def test_expressions(seed: int, arguments: list[int]) -> None:
    sys.path.insert(0, str(Path(__file__).parent))
    try:
        from conftest import ENGINES, compiled, records
    finally:
        sys.path.pop(0)
    terms = [Writer(seed + index, arguments).term(1 + index % 4) for index in range(PER_PROGRAM)]
    body = "\n".join(f"trace({term.text});" for term in terms)
    expected = [term.value & (1 << term.type.bits) - 1 for term in terms]
    program = compiled(f"test:::t {{\n{body}\n}}")
    for engine in ENGINES:
        found = records(program, arguments, engine)
        for term, want, got in zip(terms, expected, found, strict=True):
            assert int.from_bytes(got, "little") == want, (engine, term, arguments)
