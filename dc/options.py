"""Every option of -x, `#pragma D option` and setopt(): its name, when it may be set, how it is read.

Numbers are DTRACEOPT_* of <sys/dtrace.h>.  Compile-time options have none: their values are for the
compiler (a flag is True, the others are their text).  Sizes are bytes, rates nanoseconds.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

UNSET = -2  # DTRACEOPT_UNSET
Value = int | str | bool


class Phase(Enum):
    """When an option may be set."""

    COMPILE = "compile"  # before or while compiling
    RUNTIME = "run-time"  # before tracing starts
    DYNAMIC = "dynamic"  # at any time, also by setopt()


class OptionError(ValueError):
    """A bad option name, value or moment; the message is the field's own."""


class BadName(OptionError):
    def __init__(self) -> None:
        super().__init__("Invalid option name")


class BadValue(OptionError):
    def __init__(self) -> None:
        super().__init__("Invalid value for specified option")


_TRUE = frozenset(("yes", "enable", "enabled", "true", "on", "set"))
_FALSE = frozenset(("no", "disable", "disabled", "false", "off", "unset"))
_NUMBER = re.compile(r"0[xX][0-9a-fA-F]+|\d+")
_SHIFT = {"": 0, "k": 10, "m": 20, "g": 30, "t": 40}
_SECOND = 10 ** 9
_UNIT = {"": 1, "ns": 1, "nsec": 1, "us": 10 ** 3, "usec": 10 ** 3, "ms": 10 ** 6, "msec": 10 ** 6,
         "s": _SECOND, "sec": _SECOND, "m": 60 * _SECOND, "min": 60 * _SECOND, "h": 3600 * _SECOND,
         "hour": 3600 * _SECOND, "d": 86400 * _SECOND, "day": 86400 * _SECOND}
_LARGEST = (1 << 63) - 1


def _number(text: str) -> tuple[int, str]:
    """A leading number, C's notations, and what follows it."""
    match = _NUMBER.match(text)
    if match is None:
        raise BadValue
    digits = match[0]
    if digits[:1] == "0" and digits[1:].isdigit():
        if set(digits) - set("01234567"):
            raise BadValue
        return int(digits, 8), text[match.end():]
    return int(digits, 0), text[match.end():]


def _bounded(value: int) -> int:
    if value > _LARGEST:
        raise BadValue
    return value


def _plain(text: str | None) -> int:
    """A number or a truth value; no argument counts as set."""
    if text is None:
        return 0
    word = text.lower()
    if word in _TRUE:
        return 1
    if word in _FALSE or not word:
        return UNSET
    value, rest = _number(text)
    if rest:
        raise BadValue
    return _bounded(value)


def parse_size(text: str | None) -> int:
    """`4096`, `4k`, `2m`, `1g`, `1t`."""
    if text is None:
        return 0
    value, rest = _number(text)
    if rest.lower() not in _SHIFT:
        raise BadValue
    return _bounded(value << _SHIFT[rest.lower()])


def parse_rate(text: str | None) -> int:
    """`10hz`, `1sec`, `200ms`, or a plain number of nanoseconds; in nanoseconds."""
    if text is None:
        return 0
    value, rest = _number(text)
    unit = rest.lower()
    if unit == "hz":
        return _SECOND // value if value else 0
    if unit not in _UNIT:
        raise BadValue
    return _bounded(value * _UNIT[unit])


def _string_size(text: str | None) -> int:
    value = parse_size(text)
    if value > 0xFFFFFFFF:
        raise BadValue
    return value


def _flag(text: str | None) -> bool:
    if text is not None:
        raise BadValue
    return True


def _text(text: str | None) -> str:
    if text is None:
        raise BadValue
    return text


def _optional(text: str | None) -> str:
    return text or ""


def _count(text: str | None) -> int:
    if text is None:
        raise BadValue
    value, rest = _number(text)
    if rest:
        raise BadValue
    return value


def _choice(**values: int) -> Callable[[str | None], int]:
    def parse(text: str | None) -> int:
        if text is None or text not in values:
            raise BadValue
        return values[text]

    return parse


def _word(*words: str) -> Callable[[str | None], str]:
    def parse(text: str | None) -> str:
        if text not in words or text is None:
            raise BadValue
        return text

    return parse


@dataclass(frozen=True, slots=True)
class Option:
    """One option.  `number` is DTRACEOPT_*, None for what the kernel never sees."""

    name: str
    phase: Phase
    parse: Callable[[str | None], Value]
    number: int | None = None
    many: bool = False  # each use adds to a list


def _rows() -> dict[str, Option]:
    rows: dict[str, Option] = {}

    def row(phase: Phase, parse: Callable[[str | None], Value], *names: str, many: bool = False,
            **numbered: int) -> None:
        for name in names:
            rows[name] = Option(name, phase, parse, None, many)
        for name, number in numbered.items():
            rows[name] = Option(name, phase, parse, number)

    compile_, runtime, dynamic = Phase.COMPILE, Phase.RUNTIME, Phase.DYNAMIC
    row(compile_, _flag, "aggpercpu", "argref", "core", "cpp", "cpphdrs", "debug", "defaultargs", "droptags",
        "empty", "errtags", "kdefs", "knodefs", "nolibs", "pspec", "strip", "udefs", "unodefs", "verbose",
        "zdefs", "allerrors")
    row(compile_, _text, "amin", "cpppath", "ctypes", "dtypes", "ldpath", "objcopypath", "syslibdir", "tree",
        "version")
    row(compile_, _text, "define", "incdir", "undef", "libdir", "setenv", "unsetenv", many=True)
    row(compile_, _optional, "lazyload")
    row(compile_, _count, "iregs", "tregs", "pgmax", "opt")
    row(compile_, _choice(ascii=1, utf8=2), "encoding")
    row(compile_, _word("exec", "preinit", "postinit", "main"), "evaltime")
    row(compile_, _word("static", "dynamic"), "late")
    row(compile_, _word("kernel", "primary", "dynamic", "static"), "linkmode")
    row(compile_, _word("elf", "dof"), "linktype")
    row(compile_, _word("a", "c", "s", "t"), "stdc")
    row(compile_, _word("illumos", "freebsd"), "target")
    row(runtime, parse_size, bufsize=0, dynvarsize=2, aggsize=3, specsize=4, jstackstrsize=22)
    row(runtime, _choice(ring=0, fill=1, switch=2), bufpolicy=1)
    row(runtime, _choice(auto=0, manual=1), bufresize=9)
    row(runtime, _string_size, strsize=6)
    row(runtime, parse_rate, cleanrate=7, statusrate=17)
    row(runtime, _plain, nspec=5, cpu=8, grabanon=10, stackframes=13, ustackframes=14, destructive=18,
        jstackframes=21, temporal=27)
    row(runtime, _text, "zone")
    row(dynamic, parse_rate, aggrate=15, switchrate=16)
    row(dynamic, _plain, flowindent=11, quiet=12, stackindent=19, rawbytes=20, aggsortkey=23, aggsortrev=24,
        aggsortpos=25, aggsortkeypos=26, agghist=28, aggpack=29, aggzoom=30)
    row(dynamic, _word("text", "json"), "oformat")
    return rows


OPTIONS: dict[str, Option] = _rows()
BY_NUMBER: dict[int, Option] = {row.number: row for row in OPTIONS.values() if row.number is not None}


def find(name: str) -> Option:
    """The option called `name`.  Raises BadName."""
    option = OPTIONS.get(name)
    if option is None:
        raise BadName
    return option
