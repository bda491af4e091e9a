"""What a run of a D test should have given and did not."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator, Mapping, Sequence

from dif.records import NamedTuple
from dof.globs import matches
from runtime.api.results import Traced
from runtime.dtest.cases import Case
from runtime.dtest.differences import difference, visible, where
from runtime.dtest.header import Header
from runtime.dtest.processes import Result

PASS, FAIL, SKIP = "pass", "fail", "skip"
_SHOWN = 20  # lines of an output in a message


class Verdict(NamedTuple):
    """What is to be said of a test: `reason` in one line, `detail` in as many as it takes."""

    name: str
    verdict: str
    reason: str = ""
    detail: str = ""
    seconds: float = 0.0


class Problem(Exception):
    """The first thing that is wrong: one line, and more lines."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(reason)
        self.reason, self.detail = reason, detail


def wanted_status(case: Case, header: Header) -> int:
    """The exit status that a test should have."""
    if header.status is not None:
        return header.status
    return 1 if case.kind == "err" else 0


def judge_status(case: Case, header: Header, result: Result, limit: float) -> None:
    """Compare the exit status.  Raises Problem."""
    wanted = wanted_status(case, header)
    if result.status is None:
        raise Problem(f"took longer than {limit:g} s", _tail(result.err))
    if result.status < 0:
        raise Problem(f"ended by {_signal_name(-result.status)}", _tail(result.err))
    if result.status != wanted:
        raise Problem(f"exit status {result.status}, not {wanted}", _tail(result.err))


def judge_outputs(case: Case, result: Result) -> None:
    """Compare with the files beside the test, and look for its tag.  Raises Problem."""
    for suffix, stream, got in ((".out", "output", result.out), (".err", "messages", result.err)):
        file = case.expected(suffix)
        if file.exists():
            expected = file.read_bytes()
            if expected != got:
                raise Problem(f"{stream}: {file.name} differs at {where(expected, got)}",
                              difference(expected, got, file.name))
    said = result.err.decode("utf-8", "replace")
    if case.kind == "err" and case.tag and not re.search(rf": \[{case.tag}\] line \d+:", said):
        other = re.search(r"\[(D_\w+)\]", said)
        raise Problem(f"no [{case.tag}]" + (f", but [{other[1]}]" if other else ""), _tail(result.err))
    if case.kind == "drp" and case.tag and f"[{case.tag}] " not in said:
        raise Problem(f"no [{case.tag}]", _tail(result.err))


def judge_lines(header: Header, result: Result) -> None:
    """Compare with the lines and counts of a header.  Raises Problem."""
    for stream, wanted, data in (("output", header.lines, result.out),
                                 ("messages", header.errors, result.err)):
        missing = _first_missing(wanted, _texts(data))
        if missing is not None:
            raise Problem(f"{stream}: no line {missing!r}" + (
                " after the ones before it" if missing != wanted[0] else ""), _tail(data))
    lines = _texts(result.out)
    for glob in header.absent:
        for line in lines:
            if matches(glob, line):
                raise Problem(f"output: the line {line!r} should not be there", _tail(result.out))
    for glob, count in header.counts.items():
        found = sum(matches(glob, line) for line in lines)
        if found != count:
            raise Problem(f"output: {found} lines match {glob!r}, not {count}", _tail(result.out))


def judge_trace(header: Header, traced: Traced) -> None:
    """Compare with the firings and aggregations of a header.  Raises Problem."""
    for description, count in header.firings.items():
        found = traced.fired(description)
        if found != count:
            raise Problem(f"{description} fired {found} times, not {count}",
                          "".join(f"  {line}\n" for line in _firings(traced)))
    entries = dict(_entries(traced.aggregations))
    for text, count in header.aggregations.items():
        if entries.get(_written(text)) != count:
            raise Problem(f"{text} is {entries.get(_written(text), 'not there')}, not {count}",
                          "".join(f"  {name} = {value}\n" for name, value in list(entries.items())[:_SHOWN]))


def _firings(traced: Traced) -> Iterator[str]:
    names = [each.probe for each in traced.firings]
    for name in list(dict.fromkeys(names))[:_SHOWN]:
        yield f"{name} fired {names.count(name)} times"


def _written(text: str) -> str:
    """`@name[key, key]` without the spaces that do not matter."""
    return re.sub(r",\s+", ",", text.strip())


def _entries(aggregations: Mapping[str, Mapping[tuple[object, ...], object]]) -> Iterator[tuple[str, object]]:
    """Each entry as a header writes it, `@name[key,key]`, with its value."""
    for name, entries in aggregations.items():
        for keys, value in entries.items():
            index = f"[{','.join(map(str, keys))}]" if keys else ""
            total = sum(value.values()) if isinstance(value, dict) else value
            yield f"@{'' if name == '_' else name}{index}", total


def _texts(data: bytes) -> list[str]:
    return data.decode("utf-8", "backslashreplace").splitlines()


def _first_missing(wanted: Sequence[str], lines: Sequence[str]) -> str | None:
    rest = iter(lines)
    for glob in wanted:
        if not any(matches(glob, line) for line in rest):
            return glob
    return None


def _tail(data: bytes) -> str:
    lines = [visible(line) for line in data.splitlines()]
    cut = [f"... {len(lines) - _SHOWN} lines before"] if len(lines) > _SHOWN else []
    return "".join(f"  {line}\n" for line in (*cut, *lines[-_SHOWN:]))


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
