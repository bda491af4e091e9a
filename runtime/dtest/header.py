"""The header of a D test that says itself what it runs and what it expects: TOML in the file's first comment.

    /* dtest
    program = "./shop"                  # runs in the machine (-c): a program, or C source beside the test
    arguments = ["3"]
    lines = ["passed: 3"]               # lines of the output, in this order; * and ? match
    counts = { "* by ada" = 1 }         # how many lines of the output match
    firings = { "shop*:::order-start" = 3 }     # of clauses that record something
    aggregations = { "@[ada]" = 1 }     # of a distribution, the sum of its counts
    status = 0
    */

All keys, and what they are by default, are the fields of Header.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable

from dif.records import Record, field

_START = re.compile(rb"(?:#![^\n]*\n)?\s*/\*[ \t]*dtest[ \t]*\r?\n(.*?)\*/", re.DOTALL)
LARGEST = 64 << 10  # bytes at a file's beginning in which its header stands


class HeaderError(ValueError):
    """A header that makes no sense; the message is one line."""


class Header(Record, frozen=True):
    """What a test says of itself.

    `program` ends in .c if it is to be compiled first, against the header that the `provider` file gives (of
    the same name, .h), and is linked with what -G makes of it.  `absent` are lines that may not be there,
    `errors` lines of standard error.  `time_limit` is in seconds, 0 for the usual one.
    """

    program: str = ""
    arguments: tuple[str, ...] = ()
    provider: str = ""
    cflags: tuple[str, ...] = ()
    options: tuple[str, ...] = ()  # of -x
    macros: tuple[str, ...] = ()  # $1, $2, ...
    environment: dict[str, str] = field(default_factory=dict)
    input: str = ""
    lines: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    counts: dict[str, int] = field(default_factory=dict)
    firings: dict[str, int] = field(default_factory=dict)
    aggregations: dict[str, int] = field(default_factory=dict)
    status: int | None = None
    time_limit: int = 0


def has_header(data: bytes) -> bool:
    """Whether a file that begins with these bytes has a header."""
    return _START.match(data[:LARGEST]) is not None


def read_header(data: bytes) -> Header | None:
    """Return a file's header, None if it has none.  Raises HeaderError."""
    found = _START.match(data[:LARGEST])
    if found is None:
        return None
    first = data[:found.start(1)].count(b"\n")
    lines = found[1].splitlines()
    if all(line.lstrip().startswith(b"*") for line in lines if line.strip()):
        lines = [line.strip()[1:] for line in lines]
    try:
        table = tomllib.loads(b"\n".join(lines).decode())
    except RecursionError:
        raise HeaderError("the header: lists within too many others") from None
    except UnicodeDecodeError:
        raise HeaderError("the header is no UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        reason = re.sub(r"\(at line (\d+), column \d+\)", lambda at: f"(line {int(at[1]) + first})",
                        str(error))
        raise HeaderError(f"the header: {reason}") from None
    values: dict[str, object] = {}
    for key, value in table.items():
        form = _FORMS.get(key)
        if form is None:
            raise HeaderError(f"the header: there is no key {key}; there are {', '.join(sorted(_FORMS))}")
        check, what = form
        if not check(value):
            raise HeaderError(f"the header: {key} must be {what}")
        values[key] = tuple(value) if isinstance(value, list) else value
    if values.get("provider") and not str(values.get("program", "")).endswith(".c"):
        raise HeaderError("the header: provider needs a program in C")
    return Header(**values)  # type: ignore[arg-type]


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _are_texts(value: object) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


def _is_number(value: object) -> bool:
    return type(value) is int and value >= 0


def _tables(check: Callable[[object], bool]) -> Callable[[object], bool]:
    return lambda value: isinstance(value, dict) and all(map(check, value.values()))


_TEXT = _is_text, "a string"
_TEXTS = _are_texts, "a list of strings"
_NUMBER = _is_number, "a number"
_NUMBERS = _tables(lambda value: type(value) is int), "a table of numbers"
_FORMS: dict[str, tuple[Callable[[object], bool], str]] = {
    "program": _TEXT, "arguments": _TEXTS, "provider": _TEXT, "cflags": _TEXTS, "options": _TEXTS,
    "macros": _TEXTS, "environment": (_tables(_is_text), "a table of strings"), "input": _TEXT,
    "lines": _TEXTS, "absent": _TEXTS, "errors": _TEXTS, "counts": _NUMBERS, "firings": _NUMBERS,
    "aggregations": _NUMBERS, "status": _NUMBER, "time_limit": _NUMBER}
