"""Values of options: how they are written, and which have been set.

The options themselves are dof.options' table.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping

from dc import versions
from dc.characters import DIGITS, LETTERS, MOST_DIGITS, OCTAL
from dif.limits import NANOSECONDS, SECOND
from dif.records import Record, field
from dof.options import TABLE, UNSET, VALUE_MAX, Kind, Option, Phase, Reader


class OptionError(ValueError):
    """A value or name that the option table refuses; the message says why, as libdtrace words it."""


_ON = frozenset(("yes", "enable", "enabled", "true", "on", "set"))
_OFF = frozenset(("no", "disable", "disabled", "false", "off", "unset"))
_MULTIPLES = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
_BAD_VALUE = "Invalid value for specified option"
_BASES = (("0x", DIGITS + "abcdef"), ("0", OCTAL), ("", DIGITS))  # prefix, digits


def _number(text: str) -> int:
    """strtoull(text, 0) of the whole text.  Raises OptionError."""
    written = text.lstrip(" \t").removeprefix("+").lower()
    allowed = next(digits for prefix, digits in _BASES if written.startswith(prefix))
    digits = written.removeprefix("0x")
    if not digits or digits.strip(allowed) or len(digits.lstrip("0")) > MOST_DIGITS:
        raise OptionError(_BAD_VALUE)
    value = int(digits, len(allowed))
    if value > VALUE_MAX:
        raise OptionError(_BAD_VALUE)
    return value


def parse_size(text: str) -> int:
    """Bytes: a number, and perhaps k, m, g or t.  Raises OptionError."""
    unit = text[-1:].lower() if text[-1:].lower() in _MULTIPLES else ""
    value = _number(text[:len(text) - len(unit)]) * _MULTIPLES[unit]
    if value > VALUE_MAX:
        raise OptionError(_BAD_VALUE)
    return value


def parse_rate(text: str) -> int:
    """Nanoseconds between two times, from a time ("500ms") or a frequency ("10hz").  Raises OptionError."""
    digits = text.rstrip(LETTERS)
    unit = text[len(digits):].lower()
    value = _number(digits)
    if unit == "hz":
        return SECOND // value if value else 0
    if unit and unit not in NANOSECONDS:
        raise OptionError(_BAD_VALUE)
    return value * NANOSECONDS[unit] if unit else value


def _checked(kind: str, text: str) -> str:
    """Return the text of a stability or a version, if it is one.  Raises OptionError."""
    if kind == Kind.STABILITY:
        from dc import stability

        if stability.parse(text) is None:
            raise OptionError(_BAD_VALUE)
    elif kind == Kind.VERSION and versions.parse(text) not in versions.VERSIONS:
        raise OptionError(f"there is no D {text}" if versions.parse(text) else f"{text} is no version of D")
    return text


def _parse_number(text: str) -> int:
    if text == "" or text.lower() in _OFF:
        return UNSET
    return 1 if text.lower() in _ON else _number(text)


def parse_value(option: Option, text: str | None) -> int | str:
    """Return an option's value from its text, which is None when no value was given.  Raises OptionError.

    A flag is 1; a size is in bytes, a rate in nanoseconds; a choice is its number; a text is itself.
    """
    kind = option.kind
    if kind == Kind.FLAG:
        if text is not None:
            raise OptionError(_BAD_VALUE)
        return 1
    if kind == Kind.NUMBER:
        if option.phase == Phase.COMPILE and text is None:
            raise OptionError(_BAD_VALUE)
        return 0 if text is None else _parse_number(text)
    if kind in (Kind.SIZE, Kind.RATE):
        return 0 if text is None else (parse_size if kind == Kind.SIZE else parse_rate)(text)
    if text is None and "" in option.choices:
        text = ""
    if text is None:
        raise OptionError(_BAD_VALUE)
    if kind == Kind.CHOICE:
        if text not in option.choices:
            raise OptionError(f"{_BAD_VALUE} ({', '.join(filter(None, option.choices))})")
        return option.choices[text]
    if kind == Kind.COUNT:
        value = _number(text)
        if not option.least <= value <= option.most:
            raise OptionError(_BAD_VALUE if option.most == VALUE_MAX else
                              f"{_BAD_VALUE} ({option.least} to {option.most})")
        return value
    return _checked(kind, text)


_REPEATED = frozenset(("define", "exclude", "file", "incdir", "libdir", "undef"))
# A user who sets one of these wants what a kernel does with it, drops included.
_AS_KERNELS = frozenset(("aggrate", "aggsize", "bufpolicy", "bufresize", "bufsize", "cleanrate", "dynvarsize",
                         "specsize", "statusrate", "switchrate"))


def more(name: str) -> str:
    """Return what to ask for more on an option, or on all of them where it does not exist."""
    return f"dtrace --explain {f'-x {name}' if name in TABLE else 'options'} says more"


class Options(Record):
    """Values that have been set: `values` by name; those that may be given often, lists of text.

    A run-time option that is given without a value is 0, and `is_on` all the same.
    """

    values: dict[str, int | str] = field(default_factory=dict)
    lists: dict[str, list[str]] = field(default_factory=dict)

    def set(self, name: str, text: str | None = None, *, program: bool = False) -> None:
        """Set an option; `program` if a D program does so, which may not set all.  Raises OptionError."""
        option = TABLE.get(name)
        if option is None:
            from dc.diagnostics import did_you_mean

            raise OptionError("; ".join(("Invalid option name", *did_you_mean(name, TABLE))))
        if program and option.outside:
            raise OptionError("A program cannot set this option: give it on the command line")
        value = parse_value(option, text)
        if name == "version":
            self._check_reduction(str(value))
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
            if name in _AS_KERNELS:
                self.values.setdefault("lossless", TABLE["lossless"].choices["no"])

    def _check_reduction(self, text: str) -> None:
        """A version once set may only be reduced further: newer names are gone.  Raises OptionError."""
        before, after = versions.parse(self.text("version")), versions.parse(text)
        if before is not None and after is not None and after > before:
            raise OptionError(f"D has been reduced to {versions.spell(before)}")

    def assign(self, text: str, *, program: bool = False) -> None:
        """Set an option from "name" or "name=value".  Raises OptionError."""
        name, equals, value = text.partition("=")
        self.set(name, value if equals else None, program=program)

    def is_on(self, name: str) -> bool:
        """Whether an option was set and not switched off."""
        return name in self.values and self.values[name] != UNSET

    def number(self, name: str, default: int | None = None) -> int:
        """A number's value; when it is not set `default`, or else the option's own default, or else 0."""
        value = self.values.get(name, UNSET)
        if isinstance(value, int) and value != UNSET:
            return value
        return max(TABLE[name].default, 0) if default is None else default

    def text(self, name: str, default: str = "") -> str:
        return str(self.values.get(name, default))

    def choice(self, name: str, default: str | None = None) -> str:
        """The word of a CHOICE; when it is not set `default`, or else that of the option's own default."""
        row = TABLE[name]
        value = self.values.get(name, row.default if default is None else UNSET)
        return next((word for word, number in row.choices.items() if number == value), default or "")

    def debug(self, message: str) -> None:
        """Write a message to standard error, if -x debug is set."""
        if self.is_on("debug"):
            sys.stderr.write(f"libdtrace DEBUG: {message}\n")

    @property
    def numbering(self) -> str:
        """Whose numbers D programs have: illumos or freebsd.  Linux goes with illumos."""
        from dif.isa import NUMBERING

        return NUMBERING[self.choice("target", "illumos")]

    @property
    def system(self) -> str:
        """What DOF is written for: illumos, freebsd, or linux, as the emulated machine's programs are."""
        return self.choice("target", "linux")

    def items(self, name: str) -> list[str]:
        """The texts of an option that may be given often."""
        return self.lists.get(name, [])

    def environment(self, inherited: Mapping[str, str]) -> dict[str, str]:
        """Return the environment that -x setenv and unsetenv make of another, in their order."""
        changed = dict(inherited)
        for text in self.items("setenv"):
            variable, equals, content = text.partition("=")
            changed.pop(variable, None)
            if equals:
                changed[variable] = content
        return changed

    def machine(self) -> dict[str, int | str | list[str]]:
        """The options of the emulated machine that are set: words, numbers, texts, lists of texts."""
        found: dict[str, int | str | list[str]] = {
            name: self.choice(name) if TABLE[name].kind == Kind.CHOICE else value
            for name, value in self.values.items() if TABLE[name].reader == Reader.MACHINE}
        return found | {name: texts for name, texts in self.lists.items()
                        if TABLE[name].reader == Reader.MACHINE}

    def runtime(self) -> list[tuple[int, int]]:
        """(DTRACEOPT_* id, value) of the run-time options that are set, for DOF."""
        return sorted((int(row.id), int(self.values[name])) for name, row in TABLE.items()
                      if row.id is not None and self.is_on(name))

    def copy(self) -> Options:
        """An independent copy: a program's pragmas must not touch its caller's options."""
        return Options(dict(self.values), {name: list(texts) for name, texts in self.lists.items()})
