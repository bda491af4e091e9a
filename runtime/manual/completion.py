"""dtrace --complete LINE: what may stand at the end of a command line, for shells.

In comes the line up to the cursor.  Out come candidates for its last word, a line each: switches, names and
values of options, probes field by field, words of the manual, files.  One that ends in `:`, `=` or `/` may
go on.
"""

from __future__ import annotations

import os
import shlex

from dof.options import TABLE, Kind
from runtime.manual.tables import command, known, probes_of, providers

_COMMANDS = ("dtrace", "dc", "difas", "difdis")
_FIELDS = {"-P": 0, "-m": 1, "-f": 2, "-n": 3}  # which field of a description is its last
_ENDINGS = {"-s": ".d", "dc": ".d", "difas": ".dif", "--image": ".toml", "--cluster": ".toml", "-I": "/",
            "-L": "/"}


def candidates(line: str) -> list[str]:
    """Return what may stand in place of the last word of a line, in order."""
    *before, current = _words(line)
    if not before or os.path.basename(before[0]) not in _COMMANDS:
        return []
    name, last = os.path.basename(before[0]), before[-1]
    last = f"-{last[-1]}" if last[:1] == "-" != last[1:2] and last[1:] else last  # -qn ends with -n
    switches = command(name).switches()
    if last == "-x":
        found = _options(current)
    elif last == "--explain":
        found = [word.removeprefix("-x ").removesuffix(" provider") for word in known()]
    elif last in _FIELDS and name in ("dtrace", "dc"):
        found = probe_candidates(current, _FIELDS[last])
    elif current.startswith("-"):
        found = [each for row in switches for each in (row.name, row.other) if each]
    else:
        values = next((row.value for row in switches if last in (row.name, row.other)), "")
        ending = _ENDINGS.get(last, _ENDINGS.get(name, ""))
        found = values.split("|") if "|" in values else _files(current, ending)
    return sorted({each for each in found if each.startswith(current)})


def _words(line: str) -> list[str]:
    """Return the words of a line whose last one may be unfinished, in quotes, or empty."""
    for end in ("", "'", '"'):
        try:
            words = shlex.split(line + end)
        except ValueError:
            continue
        return words if words and not (end == "" and line[-1:].isspace()) else [*words, ""]
    return [""]


def _options(current: str) -> list[str]:
    name, equals, _value = current.partition("=")
    if not equals:
        return [each if row.kind == Kind.FLAG else f"{each}=" for each, row in TABLE.items()]
    row = TABLE.get(name)
    return [f"{name}={value}" for value in row.choices if value] if row is not None else []


def probe_candidates(current: str, most: int = _FIELDS["-n"]) -> list[str]:
    """Return descriptions whose last field is whole; `most` is the number of the last field that may be."""
    given = current.split(":")
    if len(given) > most + 1:
        return []
    named = providers() if len(given) == 1 else [given[0]]
    ready = [name for name in named if name in providers() and name not in ("pid", "usdt")]
    if len(given) == 1:
        end = ":" if most else ""
        return [f"{name}{end}" for name in ready] + ["pid$target:", "BEGIN", "END", "ERROR", "tick-1s"]
    found = []
    for name in ready:
        for probe in probes_of(name):
            fields = (name, probe.module, probe.function, probe.name)
            if all(not asked or asked == has for asked, has in zip(given[:-1], fields, strict=False)):
                end = ":" if len(given) <= most else ""
                found.append(":".join([*given[:-1], fields[len(given) - 1]]) + end)
    return found


def _files(current: str, ending: str) -> list[str]:
    """Return directories, and files whose names have an ending."""
    folder, _slash, _name = current.rpartition("/")
    lead = current[:current.rfind("/") + 1]
    try:
        entries = list(os.scandir(folder or ("/" if lead else ".")))
    except OSError:
        return []
    return [f"{lead}{each.name}/" if each.is_dir() else f"{lead}{each.name}" for each in entries
            if each.is_dir() or each.name.endswith(ending)]
