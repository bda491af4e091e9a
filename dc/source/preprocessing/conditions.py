"""The expression of an #if → whether it holds.

Values have 64 bits, as intmax_t and uintmax_t have, and C's rules (ISO/IEC 9899, 6.10.1): an operation
with an unsigned operand is unsigned, a name is 0.  Where C leaves it open, the values are those of GNU cpp:
sums that overflow wrap, a shift by a negative number is one to the other side, a shift by 64 and more leaves
the sign.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from dc.source.preprocessing.tokens import CHARACTER, FINAL, NAME, NUMBER, STRING, Refused, Token
from dif.arithmetic import MASK, SIGN, quotient, remainder, signed
from dif.records import NamedTuple

_MOST_DIGITS = 64  # of a number of 64 bits, which may be binary
_NUMBER = re.compile(r"(?:0[xX](?P<hexadecimal>[0-9a-fA-F]+)|0[bB](?P<binary>[01]+)|(?P<octal>0[0-7]*)"
                     r"|(?P<decimal>[1-9][0-9]*))(?P<suffix>[uU]?(?:l|L|ll|LL)?|(?:l|L|ll|LL)[uU])")
_BASES = {"hexadecimal": 16, "binary": 2, "octal": 8, "decimal": 10}
_FLOATING = re.compile(r"(?!0[xX])[0-9]*[.eE].*|0[xX].*[.pP].*")
_CHARACTER = re.compile(r"\\(?:x(?P<hexadecimal>[0-9a-fA-F]+)|(?P<octal>[0-7]{1,3})|(?P<letter>.))|[^\\]",
                        re.DOTALL)
_ESCAPES = dict(zip("abefnrtv", b"\a\b\x1b\f\n\r\t\v", strict=True))


class Value(NamedTuple):
    """A value within its 64 bits."""

    number: int
    unsigned: bool = False


def _value(number: int, unsigned: bool = False) -> Value:
    """The value of a result, wrapped."""
    return Value(number & MASK if unsigned else signed(number & MASK), unsigned)


def _shifted(number: int, count: int) -> int:
    """A number shifted to the left by `count`, which may be negative; its lowest 64 bits are right."""
    return number << min(count, 64) if count >= 0 else number >> min(-count, 64)


_ARITHMETIC: dict[str, Callable[[int, int], int]] = {
    "*": lambda a, b: a * b, "/": quotient, "%": remainder, "+": lambda a, b: a + b, "-": lambda a, b: a - b,
    "&": lambda a, b: a & b, "^": lambda a, b: a ^ b, "|": lambda a, b: a | b}
_COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "<": lambda a, b: a < b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b, "!=": lambda a, b: a != b}
_LEVELS = {operator: level for level, operators in enumerate(
    ("||", "&&", "|", "^", "&", "== !=", "< <= > >=", "<< >>", "+ -", "* / %"), 1)
    for operator in operators.split()}


def holds(tokens: list[Token]) -> bool:
    """Whether an expression in which macros are replaced is not 0.  Raises Refused."""
    if not tokens:
        raise Refused("this condition has no expression")
    reader = _Reader(tokens)
    try:
        value = reader.sequence(True)
    except RecursionError:
        raise Refused("this condition has too many operators within one another") from None
    reader.end()
    return value.number != 0


class _Reader:
    """Reads an expression.  What is not `live` is read, and not evaluated: it may divide by 0."""

    def __init__(self, tokens: list[Token]) -> None:
        self._tokens = tokens
        self._at = 0

    def _next(self) -> str:
        """The text of the token that follows, "" at the end."""
        return self._tokens[self._at].text if self._at < len(self._tokens) else ""

    def _take(self, text: str) -> bool:
        """Read the token that follows if it is this one."""
        found = self._next() == text
        self._at += found
        return found

    def end(self) -> None:
        """Raise Refused unless all is read."""
        following = self._next()
        if following == ")":
            raise Refused("this condition has a ) that closes nothing")
        if following:
            raise Refused(f"this condition has no operator before {following}")

    def sequence(self, live: bool) -> Value:
        """Expressions with commas between them: the value of the last one."""
        value = self._conditional(live)
        while self._take(","):
            value = self._conditional(live)
        return value

    def _conditional(self, live: bool) -> Value:
        condition = self._binary(1, live)
        if not self._take("?"):
            return condition
        chosen = condition.number != 0
        first = self.sequence(live and chosen)
        if not self._take(":"):
            raise Refused("this condition has a ? without its :")
        second = self._conditional(live and not chosen)
        return _value((first if chosen else second).number, first.unsigned or second.unsigned)

    def _binary(self, least: int, live: bool) -> Value:
        """An expression of operators that bind as strongly as those of level `least`, or more."""
        left = self._unary(live)
        while (level := _LEVELS.get(operator := self._next(), 0)) >= least:
            self._at += 1
            decided = (operator == "&&" and not left.number) or (operator == "||" and left.number != 0)
            right = self._binary(level + 1, live and not decided)
            left = _combined(operator, left, right, live)
        return left

    def _unary(self, live: bool) -> Value:
        operators = []
        while (operator := self._next()) in ("+", "-", "~", "!"):
            operators.append(operator)
            self._at += 1
        value = self._operand(live)
        for operator in reversed(operators):
            number, unsigned = value
            value = Value(int(not number)) if operator == "!" else \
                _value({"+": number, "-": -number, "~": ~number}[operator], unsigned)
        return value

    def _operand(self, live: bool) -> Value:
        if self._take("("):
            value = self.sequence(live)
            if not self._take(")"):
                raise Refused("this condition has a ( without its )")
            return value
        if self._at >= len(self._tokens):
            raise Refused("this condition ends where an operand is missing")
        token = self._tokens[self._at]
        self._at += 1
        if token.kind in (NAME, FINAL):
            return Value(0)
        if token.kind == NUMBER:
            return _number(token.text)
        if token.kind == CHARACTER:
            return _character(token.text)
        if token.kind == STRING:
            raise Refused(f"{token.text} is a string, and a condition has integers")
        if token.text in _LEVELS or token.text in ("?", ":", ",", ")"):
            raise Refused(f"this condition has no operand before {token.text}")
        raise Refused(f"{token.text} means nothing in a condition")


def _combined(operator: str, left: Value, right: Value, live: bool) -> Value:
    """The value of a binary operation; 0 where it is not evaluated and divides by 0."""
    if operator in ("&&", "||"):
        truths = left.number != 0, right.number != 0
        return Value(int(all(truths) if operator == "&&" else any(truths)))
    if operator in ("<<", ">>"):
        count = right.number if operator == "<<" else -right.number
        return _value(_shifted(left.number, count), left.unsigned)
    unsigned = left.unsigned or right.unsigned
    a, b = _value(left.number, unsigned).number, _value(right.number, unsigned).number
    if operator in _COMPARISONS:
        return Value(int(_COMPARISONS[operator](a, b)))
    if operator in ("/", "%") and not b:
        if live:
            raise Refused("this condition divides by 0")
        return Value(0, unsigned)
    return _value(_ARITHMETIC[operator](a, b), unsigned)


def _number(text: str) -> Value:
    match = _NUMBER.fullmatch(text)
    if match is None:
        kind = "a floating-point constant" if _FLOATING.fullmatch(text) else "not an integer of C"
        raise Refused(f"{text} is {kind}, and a condition has integers")
    base, digits = next((base, match[group]) for group, base in _BASES.items() if match[group])
    digits = digits.lstrip("0")
    number = int(digits or "0", base) if len(digits) <= _MOST_DIGITS else MASK + 1
    if number > MASK:
        raise Refused(f"{text if len(text) <= 40 else f'{text[:37]}...'} is larger than 64 bits")
    return Value(number, "u" in match["suffix"].lower() or number >= SIGN)


def _character(text: str) -> Value:
    """A character constant: an int, whose characters are signed, or with a prefix one wide character."""
    prefix, _, inside = text[:-1].partition("'")
    units: list[int] = []
    for match in _CHARACTER.finditer(inside):
        if match["hexadecimal"] or match["octal"]:
            units.append(int(match["hexadecimal"] or match["octal"], 16 if match["hexadecimal"] else 8))
        elif match["letter"] == "x":
            raise Refused(f"{text} has a \\x without digits")
        elif match["letter"] in _ESCAPES:
            units.append(_ESCAPES[match["letter"]])
        else:
            character = match["letter"] or match[0]
            units += [ord(character)] if prefix else character.encode("utf-8", "surrogateescape")
    if not units:
        raise Refused("this condition has a character constant without a character")
    if prefix:
        return _value(units[-1] & (0xFFFF if prefix == "u" else 0xFFFFFFFF), prefix != "L")
    bits = 8 if len(units) == 1 else 32
    number = int.from_bytes(bytes(unit & 0xFF for unit in units[-4:]), "big")
    return Value(number - (1 << bits) if number >> (bits - 1) else number)
