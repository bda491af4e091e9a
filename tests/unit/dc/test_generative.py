"""Random well-typed D expressions, compiled, run by both engines, and computed in Python.

D's integer arithmetic is C's with the arithmetic itself done in 64 bits: a
type decides how a value is extended, compared, divided and shifted.  What a constant expression is worth
does not depend on whether the compiler or the machine computes it.
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
PROGRAMS = int(os.environ.get("D_PROGRAMS", "20"))  # 2,000 expressions; more on demand


class Type(NamedTuple):
    name: str
    bits: int
    signed: bool


TYPES = [Type(f"{'' if signed else 'u'}int{bits}_t", bits, signed)
         for bits in (8, 16, 32, 64) for signed in (True, False)]
INT = Type("int32_t", 32, True)
UINT8 = Type("uint8_t", 8, False)
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
        value = extend(value, source.bits, source.signed)
    return extend(value, to.bits, to.signed)


def promote(left: Type, right: Type) -> Type:
    return right if left.bits + (not left.signed) < right.bits + (not right.signed) else left


def fits_int(*types: Type) -> bool:
    return all(type_.bits < INT.bits for type_ in types)


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
                                   self.cast, self.cast, self.comma, self.inline, self.strings,
                                   self.pointer, self.distance))
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
        if not operand.type.signed:
            minus = extend(minus, operand.type.bits, False)
        result = {"-": minus, "~": ~operand.value, "!": int(operand.value == 0),
                  "+": operand.value}[op] & MASK
        type_ = INT if op == "!" else operand.type
        return Term(f"({op}{operand.text})", type_, result, operand.constant)

    def binary(self, depth: int) -> Term:
        left, right = self.term(depth), self.term(depth)
        op = self.random.choice("+-*&|^")
        a, b = left.value, right.value
        result = {"+": a + b, "-": a - b, "*": a * b, "&": a & b, "|": a | b, "^": a ^ b}[op] & MASK
        return Term(f"({left.text} {op} {right.text})", promote(left.type, right.type), result,
                    left.constant and right.constant)

    def small(self, most: int) -> Term:
        """A constant from 0 to `most`, a power of 2 less one, or as much of an argument."""
        value = self.random.randrange(most + 1)
        if self.random.random() < 0.5:
            return Term(str(value), INT, value, True)
        number = self.random.randrange(len(self.arguments))
        return Term(f"(arg{number} & {most})", ARGUMENT, self.arguments[number] & most)

    def shift(self, depth: int) -> Term:
        left, by = self.term(depth), self.small(63)
        constant = left.constant and by.constant
        if self.random.random() < 0.5:
            return Term(f"({left.text} << {by.text})", left.type, left.value << by.value & MASK, constant)
        value = signed(left.value) >> by.value if left.type.signed else left.value >> by.value
        return Term(f"({left.text} >> {by.text})", left.type, value & MASK, constant)

    def divide(self, depth: int) -> Term:
        left, by = self.term(depth), self.small(1023)
        divisor, type_ = by.value + 1, promote(left.type, by.type)
        op = self.random.choice("/%")
        if not type_.signed and not fits_int(left.type, by.type):
            value = left.value // divisor if op == "/" else left.value % divisor
        else:
            quotient = abs(signed(left.value)) // divisor * (-1 if signed(left.value) < 0 else 1)
            value = quotient if op == "/" else signed(left.value) - quotient * divisor
        return Term(f"({left.text} {op} ({by.text} + 1))", type_, value & MASK, left.constant and by.constant)

    def compare(self, depth: int) -> Term:
        left, right = self.term(depth), self.term(depth)
        a, b = left.value, right.value
        if promote(left.type, right.type).signed or fits_int(left.type, right.type):
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

    def inline(self, depth: int) -> Term:
        """A parametrized inline: arguments become what its parameters are, the result what it is itself."""
        first, second = self.term(depth), self.term(depth)
        a, b = cast(first.value, first.type, ARGUMENT), cast(second.value, second.type, UINT8)
        value = cast(a * 3 - b & MASK, ARGUMENT, INT)
        return Term(f"mixed[{first.text}, {second.text}]", INT, value)

    def strings(self, depth: int) -> Term:
        left, right = ("".join(self.random.choices("ab", k=self.random.randrange(4))) for _ in range(2))
        op = self.random.choice(("<", "<=", ">", ">=", "==", "!="))
        outcome = {"<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right,
                   "==": left == right, "!=": left != right}[op]
        made = f'strjoin("{left[:1]}", "{left[1:]}")' if self.random.random() < 0.5 else f'"{left}"'
        return Term(f'({made} {op} "{right}")', INT, int(outcome))

    def pointer(self, depth: int) -> Term:
        """A pointer and an integer, as an integer again."""
        number, steps = self.random.randrange(len(self.arguments)), self.term(depth)
        to, op = self.random.choice(TYPES), self.random.choice("+-")
        offset = steps.value * (to.bits // 8) * (1 if op == "+" else -1)
        return Term(f"((int64_t)(({to.name} *)arg{number} {op} {steps.text}))", ARGUMENT,
                    self.arguments[number] + offset & MASK)

    def distance(self, depth: int) -> Term:
        """The difference of two pointers."""
        a, b = (self.random.randrange(len(self.arguments)) for _ in range(2))
        to = self.random.choice(TYPES)
        apart = signed(self.arguments[a] - self.arguments[b] & MASK) // (to.bits // 8)
        return Term(f"(({to.name} *)arg{a} - ({to.name} *)arg{b})", ARGUMENT, apart & MASK)


INLINES = "inline int32_t mixed[int64_t a, uint8_t b] = a * 3 - b;\n"
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
    program = compiled(f"{INLINES}test:::t {{\n{body}\n}}")
    for engine in ENGINES:
        found = records(program, arguments, engine)
        for term, want, got in zip(terms, expected, found, strict=True):
            assert int.from_bytes(got, "little") == want, (engine, term, arguments)
