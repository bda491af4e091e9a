"""A constant expression has the value that the same expression has with its operands in variables."""

from __future__ import annotations

import random

import pytest

from tests.unit.dc.conftest import ENGINES, compiled, records

TYPES = {"char": (8, True), "unsigned char": (8, False), "short": (16, True), "unsigned short": (16, False),
         "int": (32, True), "unsigned": (32, False), "long long": (64, True),
         "unsigned long long": (64, False)}
VALUES = [0, 1, 2, 3, -1, -3, 127, -128, 255, 32767, 65535, 2147483647, -2147483648, 3000000000, 4294967295,
          9223372036854775807]
OPERATORS = ["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "==", "!=", "<", "<=", ">", ">=",
             "&&", "||", "^^"]

# Where C and libdtrace agree: the value as an int64_t.
KNOWN = [
    ("{0} >= {1}", [("unsigned char", 255), ("char", -128)], 1),
    ("{0} == {1}", [("unsigned char", 255), ("char", -1)], 0),
    ("{0} + {1}", [("unsigned", 3000000000), ("unsigned", 4294967295)], 2999999999),
    ("{0} / {1}", [("char", -3), ("unsigned char", 255)], 0),
    ("{0} % {1}", [("short", -7), ("unsigned char", 4)], -3),
    ("-{0}", [("unsigned", 1)], 4294967295),
    ("~{0}", [("unsigned", 1)], 4294967294),
    ("{0} - {1}", [("unsigned", 1), ("int", 3)], 4294967294),
    ("{0} * {1}", [("int", -1), ("unsigned", 127)], 4294967169),
    ("{0} < {1}", [("int", -1), ("unsigned", 1)], 0),
    ("{0} < {1}", [("int", -1), ("long long", 1)], 1),
    ("!{0}", [("unsigned long long", 0)], 1),
    ("(unsigned)({0} << {1})", [("unsigned char", 66), ("int", 8)], 16896),
    ("-{0}", [("unsigned char", 66)], -66),
    ("~{0}", [("unsigned short", 66)], -67),
    ("{0} << {1} | {1} << {1}", [("unsigned char", 200), ("char", 16)], 200 << 16 | 16 << 16),
    # Where libdtrace goes on with what is above the type: C's value.
    ("(long)({0} - {1})", [("int", 1), ("unsigned", 13)], 4294967284),
    ("({0} - {1}) + 0L", [("int", 1), ("unsigned", 13)], 4294967284),
    ("({0} - {1}) > 0L", [("int", 1), ("unsigned", 13)], 1),
    ("({0} - {1}) / 2", [("unsigned", 1), ("int", 13)], 2147483642),
    ("{0} / {1}", [("int", -1), ("unsigned", 2)], 2147483647),
    ("{0} % {1}", [("int", -7), ("unsigned", 5)], 4),
    ("{0} == {1}", [("int", -1), ("unsigned", 4294967295)], 1),
    ("{0} + {1} == 0", [("unsigned", 4294967295), ("int", 1)], 1),
    ("!({0} + {1})", [("unsigned", 4294967295), ("int", 1)], 1),
    ("-{0} + 0L", [("unsigned", 1)], 4294967295),
    ("~{0} + 0L", [("unsigned", 1)], 4294967294),
    ("({0} << 4) >> 4", [("unsigned", 4294967295)], 268435455),
    ("(int){0} + 0L", [("unsigned", 4294967295)], -1),
    ("(_Bool){0}", [("long", 256)], 1),
    ("sizeof ({0} + {0})", [("unsigned char", 1)], 4),
    # Where C leaves it undefined: an int goes on with 64 bits, up to a cast.
    ("({0} + {1}) + 0L", [("int", 2147483647), ("int", 1)], 2147483648),
    ("({0} + {1}) > 0", [("int", 2147483647), ("int", 1)], 1),
    ("(long)({0} + {1})", [("int", 2147483647), ("int", 1)], -2147483648),
    ("({0} << {1}) + 0L", [("int", 1), ("int", 40)], 1 << 40),
]


def both(pairs: list[tuple[str, list[tuple[str, int]]]], engine: str) -> tuple[list[int], list[int]]:
    """Each expression's value with constants and with variables in the places of its operands."""
    constants, variables = "", ""
    for number, (text, operands) in enumerate(pairs):
        names = [f"this->v{number}_{n}" for n in range(len(operands))]
        casts = [f"(({type_}){value})" for type_, value in operands]
        constants += f"trace((int64_t)({text.format(*casts)}));\n"
        variables += "".join(f"{name} = {cast};" for name, cast in zip(names, casts, strict=True))
        variables += f"trace((int64_t)({text.format(*names)}));\n"
    found = []
    for body in (constants, variables):
        values = records(compiled(f"test:::t {{\n{body}}}"), [0] * 5, engine)
        found.append([int.from_bytes(value, "little", signed=True) for value in values])
    return found[0], found[1]


@pytest.mark.parametrize("engine", ENGINES)
def test_known_values(engine: str) -> None:
    expected = [value for _, _, value in KNOWN]
    constants, variables = both([(text, operands) for text, operands, _ in KNOWN], engine)
    assert constants == expected
    assert variables == expected


def expression(chance: random.Random, depth: int, operands: list[tuple[str, int]]) -> str:
    """A random expression, `{n}` for each of its operands, which it appends."""
    if not depth:
        while True:
            type_, value = chance.choice(list(TYPES)), chance.choice(VALUES)
            bits, is_signed = TYPES[type_]
            low, high = (-(1 << bits - 1), 1 << bits - 1) if is_signed else (0, 1 << bits)
            if low <= value < high:
                operands.append((type_, value))
                return f"{{{len(operands) - 1}}}"
    kind = chance.random()
    if kind < 0.15:
        return f"({chance.choice('-~!+')}{expression(chance, depth - 1, operands)})"
    if kind < 0.3:
        return f"(({chance.choice(list(TYPES))}){expression(chance, depth - 1, operands)})"
    op = chance.choice(OPERATORS)
    left = expression(chance, depth - 1, operands)
    if op in ("<<", ">>", "/", "%"):  # a count below 64, a divisor that is not 0
        operands.append(("int", chance.choice((1, 3, 7, 31))))
        return f"({left} {op} {{{len(operands) - 1}}})"
    return f"({left} {op} {expression(chance, chance.randrange(depth), operands)})"


def test_random_expressions() -> None:
    chance = random.Random(1)
    for _ in range(20):
        pairs: list[tuple[str, list[tuple[str, int]]]] = []
        for _ in range(30):
            operands: list[tuple[str, int]] = []
            text = expression(chance, chance.choice((1, 1, 2, 3)), operands)
            pairs.append((text, operands))
        constants, variables = both(pairs, "interpret")
        for (text, operands), folded, computed in zip(pairs, constants, variables, strict=True):
            assert folded == computed, (text, operands)
