"""Random symbol names of Rust, version 0, after the grammar of RFC 2603."""

from __future__ import annotations

import random
from collections.abc import Callable

DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
NAMES = "1a", "3foo", "1T", "2__x", "2_1a", "14long_name_here", "u8gdel_5qa", "u3tda"
IDENTIFIERS = *NAMES, "0"
BASIC, UNSIGNED, SIGNED = "abcdefhijlmnopstuvxyz", "hmotyj", "aslxni"
NUMBERS = "0", "1", "7f", "80", "ff", "ffff", "ffffffffffffffff", "00ff"
LETTERS = "30", "5f", "61", "7a"


def number(value: int) -> str:
    """A number to the base 62 that "_" ends: -1 is "_", 0 is "0_"."""
    text = "" if value >= 0 else "_"
    while value >= 0:
        text, value = DIGITS[value % 62] + text, value // 62 - (value < 62)
    return text if text == "_" else text + "_"


class Names:
    """Writes one name after the other to `out`."""

    def __init__(self, seed: int) -> None:
        self._draw = random.Random(seed)
        self._pick = self._draw.choice
        self.out = ""
        self._bound = 0  # lifetimes that may be named
        self._known: dict[Callable[[int], None], list[int]] = {}  # where parts of a kind stand that are whole

    def name(self) -> str:
        self.out, self._known = "", {}
        self.part(self.path, self._draw.randrange(1, 6))
        if self._draw.random() < .2:
            self.out += "C3abc"  # the crate that made this instance
        return "_R" + self.out

    def part(self, kind: Callable[[int], None], depth: int) -> None:
        """A path, type or constant, or a reference to an earlier one."""
        known = self._known.setdefault(kind, [])
        if known and not self._bound and self._draw.random() < .15:
            self.out += "B" + number(self._pick(known) - 1)
            return
        start, bound = len(self.out), self._bound
        kind(depth)
        if not bound:
            known.append(start)

    def optional(self, tag: str) -> None:
        if self._draw.random() < .3:
            self.out += tag + number(self._pick((-1, 0, 1, 9, 35, 36, 61, 62, 5000)))

    def path(self, depth: int) -> None:
        kind = self._pick("CNNNMXYI") if depth else "C"
        self.out += kind
        if kind in "CMX":
            self.optional("s")
        if kind == "N":
            self.out += self._pick("vtaCSZ")
        if kind in "MXNI":
            self.part(self.path, depth - 1)
        if kind in "MXY":
            self.part(self.type, depth - 1)
        if kind in "XY":
            self.part(self.path, depth - 1)
        if kind == "N":
            self.optional("s")
        if kind in "CN":
            self.out += self._pick(IDENTIFIERS if kind == "N" else NAMES)
        if kind == "I":
            self.several(4, self.generic, depth - 1)

    def several(self, most: int, kind: Callable[[int], None], depth: int) -> None:
        for _ in range(self._draw.randrange(most)):
            kind(depth)
        self.out += "E"

    def types(self, depth: int) -> None:
        self.part(self.type, depth)

    def generic(self, depth: int) -> None:
        kind = self._pick("LKTT")
        self.out += kind if kind != "T" else ""
        if kind == "L":
            self.lifetime()
        else:
            self.part(self.constant if kind == "K" else self.type, depth)

    def lifetime(self) -> None:
        self.out += number(self._draw.randrange(self._bound + 1) - 1)

    def bound(self, depth: int, kind: Callable[[int], None]) -> None:
        count = self._pick((0, 0, 1, 2, 30))
        self.out += "G" + number(count - 2) if count else ""
        self._bound += count
        kind(depth)
        self._bound -= count

    def type(self, depth: int) -> None:
        kind = self._pick("bRQPOASTFDp") if depth > 0 else "b"
        if kind == "b":
            self.out += self._pick(BASIC)
        elif kind == "p":
            self.part(self.path, depth - 1)
        else:
            self.out += kind
        if kind in "RQ" and self._draw.random() < .5:
            self.out += "L"
            self.lifetime()
        if kind in "RQPOAS":
            self.types(depth - 1)
        if kind == "A":
            self.part(self.constant, depth - 1)
        if kind == "T":
            self.several(4, self.types, depth - 1)
        if kind == "F":
            self.bound(depth - 1, self.function)
        if kind == "D":
            self.bound(depth - 1, lambda inner: self.several(3, self.trait, inner))
            self.out += "L"
            self.lifetime()

    def function(self, depth: int) -> None:
        self.out += self._pick(("", "U")) + self._pick(("", "KC", "K7cdecl_x"))
        self.several(3, self.types, depth)
        self.types(depth)

    def trait(self, depth: int) -> None:
        self.part(self.path, depth)
        if self._draw.random() < .4:
            self.out += "p" + self._pick(IDENTIFIERS[:4])
            self.types(depth)

    def constant(self, _depth: int) -> None:
        kind = self._pick(UNSIGNED + SIGNED + "bbccp")
        self.out += kind
        if kind in SIGNED:
            self.out += self._pick(("", "n"))
        if kind != "p":
            self.out += self._pick("01" if kind == "b" else LETTERS if kind == "c" else NUMBERS) + "_"
