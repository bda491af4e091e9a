"""Every option of DTrace: one table for -x, `#pragma D option`, setopt() and the consumer.

Names and value syntax are those of the manual's chapter on options and
tunables; run-time options carry their DTRACEOPT_* number, under which DOF and
the kernel know them.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from enum import Enum

from dc.source.characters import DIGITS, LETTERS, MOST_DIGITS, OCTAL
from dif.records import NamedTuple, Record, field
from dof.optionids import OptionId

UNSET = -2  # DTRACEOPT_UNSET: an option that was never set, or switched off
SIZE_LIMIT = 1 << 63


class OptionError(ValueError):
    """A value or name that the option table refuses; the message says why, in the field's words."""


class Kind(Enum):
    """How an option's value is written."""

    FLAG = "takes no value"
    NUMBER = "a number, or on, off, enabled, ..."
    SIZE = "bytes, with k, m, g or t"
    RATE = "a time with a unit, or hz"
    CHOICE = "one of a few words"
    COUNT = "a positive number"
    TEXT = "any text"
    STABILITY = "as Evolving/Evolving/Common"
    VERSION = "as 1.13 or 1.2.1"


class Phase(Enum):
    """When an option has its effect, and whether it may change while tracing runs."""

    COMPILE = 1
    RUNTIME = 2
    DYNAMIC = 3


class Option(NamedTuple):
    """One row.  `choices` maps the words of a CHOICE to values; `outside` bars it from a program."""

    name: str
    phase: Phase
    kind: Kind
    id: OptionId | None = None
    choices: Mapping[str, int] = {}
    outside: bool = False


def _rows() -> list[Option]:
    def words(*names: str) -> dict[str, int]:
        return {name: number for number, name in enumerate(names)}

    def compile_(name: str, kind: Kind = Kind.FLAG, *choices: str, outside: bool = False) -> Option:
        return Option(name, Phase.COMPILE, kind, None, words(*choices), outside)

    def runtime(name: str, kind: Kind = Kind.NUMBER, choices: dict[str, int] | None = None,
                phase: Phase = Phase.RUNTIME) -> Option:
        return Option(name, phase, kind, OptionId[name.upper()], choices or {})

    def dynamic(name: str, kind: Kind = Kind.NUMBER) -> Option:
        return runtime(name, kind, phase=Phase.DYNAMIC)

    return [
        compile_("aggpercpu"),  # no effect, as in dtrace(1): for users of libdtrace
        compile_("amin", Kind.STABILITY),
        compile_("argref"),
        compile_("cpp"),
        compile_("cpphdrs", outside=True),
        compile_("cpppath", Kind.TEXT, outside=True),
        compile_("debug"),
        compile_("define", Kind.TEXT, outside=True),
        compile_("defaultargs"),
        compile_("droptags"),
        compile_("empty"),
        compile_("encoding", Kind.CHOICE, "ascii", "utf8"),
        compile_("errtags"),
        compile_("evaltime", Kind.CHOICE, "exec", "preinit", "postinit", "main"),
        compile_("incdir", Kind.TEXT, outside=True),
        compile_("iregs", Kind.COUNT),
        compile_("kdefs"),
        compile_("knodefs"),
        compile_("late", Kind.CHOICE, "static"),  # when xlate is translated; no kernel runs dynamic ones
        compile_("lazyload"),  # no effect: what -G makes always registers itself
        compile_("ldpath", Kind.TEXT, outside=True),  # no effect: -G needs no ld
        compile_("libdir", Kind.TEXT),
        compile_("linkmode", Kind.CHOICE, "kernel", "primary", "dynamic", "static"),
        compile_("linktype", Kind.CHOICE, "elf", "dof"),
        compile_("nolibs"),
        compile_("oformat", Kind.CHOICE, "text", "json", outside=True),  # as FreeBSD's
        compile_("objcopypath", Kind.TEXT, outside=True),  # FreeBSD; no effect: nor objcopy
        compile_("opt", Kind.NUMBER),  # ours: 0 leaves DIF as it was first written
        compile_("pgmax", Kind.COUNT),  # no effect: every process of the machine is at hand
        compile_("pspec"),
        compile_("setenv", Kind.TEXT, outside=True),
        compile_("stapsdt", Kind.CHOICE, "no", "yes", "semaphores", outside=True),  # ours: notes of -G
        compile_("stdc", Kind.CHOICE, "a", "c", "s", "t", outside=True),
        compile_("strip"),
        compile_("syslibdir", Kind.TEXT),
        compile_("target", Kind.CHOICE, "illumos", "freebsd", "linux", outside=True),  # ours
        compile_("tracepoints", outside=True),  # ours: -l, and -v at the end, tell of places
        compile_("tree", Kind.COUNT),
        compile_("tregs", Kind.COUNT),
        compile_("udefs"),
        compile_("undef", Kind.TEXT, outside=True),
        compile_("unodefs"),
        compile_("unsetenv", Kind.TEXT, outside=True),
        compile_("verbose"),
        compile_("version", Kind.VERSION),
        compile_("zdefs"),
        runtime("aggsize", Kind.SIZE),
        runtime("bufsize", Kind.SIZE),
        runtime("bufpolicy", Kind.CHOICE, words("ring", "fill", "switch")),
        runtime("bufresize", Kind.CHOICE, words("auto", "manual")),
        runtime("cleanrate", Kind.RATE),
        runtime("cpu"),
        runtime("destructive"),
        runtime("dynvarsize", Kind.SIZE),
        runtime("grabanon"),
        runtime("jstackframes"),
        runtime("jstackstrsize", Kind.SIZE),
        runtime("nspec"),
        runtime("specsize", Kind.SIZE),
        runtime("stackframes"),
        runtime("statusrate", Kind.RATE),
        runtime("strsize", Kind.SIZE),
        runtime("temporal"),
        runtime("ustackframes"),
        dynamic("agghist"),
        dynamic("aggpack"),
        dynamic("aggrate", Kind.RATE),
        dynamic("aggsortkey"),
        dynamic("aggsortkeypos"),
        dynamic("aggsortpos"),
        dynamic("aggsortrev"),
        dynamic("aggzoom"),
        dynamic("flowindent"),
        dynamic("quiet"),
        dynamic("rawbytes"),
        dynamic("stackindent"),
        dynamic("switchrate", Kind.RATE),
    ]


TABLE: dict[str, Option] = {row.name: row for row in _rows()}
BY_ID: dict[int, Option] = {int(row.id): row for row in TABLE.values() if row.id is not None}

_ON = frozenset(("yes", "enable", "enabled", "true", "on", "set"))
_OFF = frozenset(("no", "disable", "disabled", "false", "off", "unset"))
_NANOSECONDS = {
    "": 1, "ns": 1, "nsec": 1, "us": 1_000, "usec": 1_000, "ms": 1_000_000, "msec": 1_000_000,
    "s": 10**9, "sec": 10**9, "m": 60 * 10**9, "min": 60 * 10**9, "h": 3600 * 10**9,
    "hour": 3600 * 10**9, "d": 86400 * 10**9, "day": 86400 * 10**9,
}
_MULTIPLES = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
_BAD_VALUE = "Invalid value for specified option"
_VERSIONS = {(1, minor, micro) for minor, micros in enumerate((1, 1, 3, 1, 2, 1, 4, 2, 2, 2, 1, 1, 2, 1))
             for micro in range(micros)}  # of D: 1.0, 1.1, 1.2, 1.2.1, 1.2.2, 1.3, ...


_BASES = (("0x", DIGITS + "abcdef"), ("0", OCTAL), ("", DIGITS))  # prefix, digits


def _number(text: str) -> int:
    """strtoull(text, 0) of the whole text.  Raises OptionError."""
    written = text.lstrip(" \t").removeprefix("+").lower()
    allowed = next(digits for prefix, digits in _BASES if written.startswith(prefix))
    digits = written.removeprefix("0x")
    if not digits or digits.strip(allowed) or len(digits.lstrip("0")) > MOST_DIGITS:
        raise OptionError(_BAD_VALUE)
    value = int(digits, len(allowed))
    if value >= SIZE_LIMIT:
        raise OptionError(_BAD_VALUE)
    return value


def parse_size(text: str) -> int:
    """Bytes: a number, and perhaps k, m, g or t.  Raises OptionError."""
    unit = text[-1:].lower() if text[-1:].lower() in _MULTIPLES else ""
    value = _number(text[:len(text) - len(unit)]) * _MULTIPLES[unit]
    if value >= SIZE_LIMIT:
        raise OptionError(_BAD_VALUE)
    return value


def parse_rate(text: str) -> int:
    """Nanoseconds between two times, from a time ("500ms") or a frequency ("10hz").  Raises OptionError."""
    digits = text.rstrip(LETTERS)
    unit = text[len(digits):].lower()
    value = _number(digits)
    if unit == "hz":
        return 10**9 // value if value else 0
    if unit not in _NANOSECONDS:
        raise OptionError(_BAD_VALUE)
    return value * _NANOSECONDS[unit]


def parse_version(text: str) -> tuple[int, int, int] | None:
    """"1.2" or "1.2.3" as three numbers (at most 255.4095.4095); None if it is not a version."""
    parts = text.split(".")
    if len(parts) not in (2, 3) or len(text) > 20 or not text.isascii() or not all(map(str.isdigit, parts)):
        return None
    major, minor, micro = (*map(int, parts), 0)[:3]
    return (major, minor, micro) if major <= 255 and minor <= 4095 and micro <= 4095 else None


def _checked(kind: Kind, text: str) -> str:
    """A text of some form.  Raises OptionError."""
    if kind is Kind.STABILITY:
        from dc.names import stability

        if stability.parse(text) is None:
            raise OptionError(_BAD_VALUE)
    elif kind is Kind.VERSION and parse_version(text) not in _VERSIONS:
        raise OptionError(f"there is no D {text}" if parse_version(text) else f"{text} is no version of D")
    return text


def _parse_number(text: str) -> int:
    if text == "" or text.lower() in _OFF:
        return UNSET
    return 1 if text.lower() in _ON else _number(text)


def parse_value(option: Option, text: str | None) -> int | str:
    """An option's value from its text, None when no value was given.  Raises OptionError.

    Flags are 1; sizes bytes; rates nanoseconds; choices their numbers; texts themselves.
    """
    kind = option.kind
    if kind is Kind.FLAG:
        if text is not None:
            raise OptionError(_BAD_VALUE)
        return 1
    if kind is Kind.NUMBER:
        if option.phase is Phase.COMPILE and text is None:
            raise OptionError(_BAD_VALUE)
        return 0 if text is None else _parse_number(text)
    if kind in (Kind.SIZE, Kind.RATE):
        return 0 if text is None else (parse_size if kind is Kind.SIZE else parse_rate)(text)
    if text is None:
        raise OptionError(_BAD_VALUE)
    if kind is Kind.CHOICE:
        if text not in option.choices:
            raise OptionError(f"{_BAD_VALUE} ({', '.join(option.choices)})")
        return option.choices[text]
    if kind is Kind.COUNT:
        value = _number(text)
        if value <= 0 and option.name != "pgmax":
            raise OptionError(_BAD_VALUE)
        return value
    return _checked(kind, text)


_REPEATED = frozenset(("define", "incdir", "libdir", "undef"))


class Options(Record):
    """Values that have been set: `values` by name; those that may be given often, lists of text.

    A run-time option that is given without a value is 0, and `is_on` all the same.
    """

    values: dict[str, int | str] = field(default_factory=dict)
    lists: dict[str, list[str]] = field(default_factory=dict)

    def set(self, name: str, text: str | None = None, *, program: bool = False) -> None:
        """Set an option.  `program` tells that the program itself does.  Raises OptionError."""
        option = TABLE.get(name)
        if option is None:
            from dc.diagnostics import did_you_mean

            raise OptionError("; ".join(("Invalid option name", *did_you_mean(name, TABLE))))
        if program and option.outside:
            raise OptionError("A program cannot set this option: give it on the command line")
        value = parse_value(option, text)
        if name == "unsetenv":
            if "=" in str(value):
                raise OptionError(_BAD_VALUE)
            self.lists.setdefault("setenv", []).append(str(value))
        elif name == "setenv":
            variable, _, content = str(value).partition("=")
            self.lists.setdefault(name, []).append(f"{variable}={content}")
        elif name in _REPEATED:
            self.lists.setdefault(name, []).append(str(value))
        elif name in ("kdefs", "udefs"):
            self.values.pop(f"{name[0]}nodefs", None)
        else:
            self.values[name] = value

    def assign(self, text: str, *, program: bool = False) -> None:
        """Set an option from "name" or "name=value".  Raises OptionError."""
        name, equals, value = text.partition("=")
        self.set(name, value if equals else None, program=program)

    def is_on(self, name: str) -> bool:
        """Whether an option was set and not switched off."""
        return name in self.values and self.values[name] != UNSET

    def number(self, name: str, default: int) -> int:
        """A number's value, or `default` when it is not set."""
        value = self.values.get(name, UNSET)
        return value if isinstance(value, int) and value != UNSET else default

    def text(self, name: str, default: str = "") -> str:
        return str(self.values.get(name, default))

    def choice(self, name: str, default: str) -> str:
        """The word of a CHOICE."""
        value = self.values.get(name)
        return next((word for word, number in TABLE[name].choices.items() if number == value), default)

    def debug(self, message: str) -> None:
        """Tell on standard error what goes on, if -x debug wants to know."""
        if self.is_on("debug"):
            sys.stderr.write(f"libdtrace DEBUG: {message}\n")

    @property
    def numbering(self) -> str:
        """Whose numbers D programs have: illumos or freebsd.  Linux goes with illumos."""
        return "freebsd" if self.choice("target", "") == "freebsd" else "illumos"

    @property
    def system(self) -> str:
        """What DOF is written for: illumos, freebsd, or linux, as the emulated machine's programs are."""
        return self.choice("target", "linux")

    def items(self, name: str) -> list[str]:
        """The texts of an option that may be given often."""
        return self.lists.get(name, [])

    def environment(self, inherited: Mapping[str, str]) -> dict[str, str]:
        """An environment as -x setenv and unsetenv change it, in the order in which they were given."""
        changed = dict(inherited)
        for text in self.items("setenv"):
            variable, equals, content = text.partition("=")
            changed.pop(variable, None)
            if equals:
                changed[variable] = content
        return changed

    def runtime(self) -> list[tuple[int, int]]:
        """(DTRACEOPT_* id, value) of the run-time options that are set, for DOF."""
        return sorted((int(row.id), int(self.values[name])) for name, row in TABLE.items()
                      if row.id is not None and self.is_on(name))

    def copy(self) -> Options:
        """An independent copy: a program's pragmas must not touch its caller's options."""
        return Options(dict(self.values), {name: list(texts) for name, texts in self.lists.items()})
