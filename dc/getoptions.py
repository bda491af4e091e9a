"""Command lines in the manner of getopt_long(3): options may follow operands, and -- ends them.

The standard library's getopt would do, but it imports gettext, which takes
longer than the rest of a short command line's work.
"""

from __future__ import annotations

from collections.abc import Sequence


class GetoptError(Exception):
    """An option that does not exist, or whose argument is missing or too many; `opt` has no dashes."""

    def __init__(self, message: str, opt: str) -> None:
        super().__init__(message)
        self.msg, self.opt = message, opt


def gnu_getopt(argv: Sequence[str], letters: str, words: Sequence[str] = ()
               ) -> tuple[list[tuple[str, str]], list[str]]:
    """Options with their arguments ("" for none), and operands, in their order.

    `letters` has a colon after each letter that takes an argument; `words` are
    long options, with "=" at their end for the same, which may be abbreviated.
    Raises GetoptError.
    """
    pairs: list[tuple[str, str]] = []
    operands: list[str] = []
    rest = list(argv)
    while rest:
        each = rest.pop(0)
        if each == "--":
            return pairs, operands + rest
        if each.startswith("--"):
            pairs.append(_long(each[2:], words, rest))
        elif each.startswith("-") and each != "-":
            pairs += _short(each[1:], letters, rest)
        else:
            operands.append(each)
    return pairs, operands


def _long(text: str, words: Sequence[str], rest: list[str]) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    found = [each for each in words if each.rstrip("=") == name] or \
        [each for each in words if each.startswith(name)]
    if not found:
        raise GetoptError(f"option --{name} not recognized", name)
    if len(found) > 1:
        raise GetoptError(f"option --{name} not a unique prefix", name)
    word = found[0].rstrip("=")
    if word == found[0]:
        if equals:
            raise GetoptError(f"option --{word} must not have an argument", word)
    elif not equals:
        if not rest:
            raise GetoptError(f"option --{word} requires argument", word)
        value = rest.pop(0)
    return f"--{word}", value


def _short(text: str, letters: str, rest: list[str]) -> list[tuple[str, str]]:
    """The options of one word: letters without arguments, and at most one with, which is the last."""
    pairs = []
    for at, letter in enumerate(text):
        place = -1 if letter == ":" else letters.find(letter)
        if place < 0:
            raise GetoptError(f"option -{letter} not recognized", letter)
        if not letters.startswith(":", place + 1):
            pairs.append((f"-{letter}", ""))
            continue
        value = text[at + 1:]
        if not value:
            if not rest:
                raise GetoptError(f"option -{letter} requires argument", letter)
            value = rest.pop(0)
        return [*pairs, (f"-{letter}", value)]
    return pairs
