"""A timeline: which threads were on which CPUs, as the probes of sched and proc tell, and what fired when.

`PROGRAM` is a D program of our own, which a session enables besides the user's.  Its firings come here and
go no further; those of the user's clauses become marks.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator
from html import escape
from typing import TYPE_CHECKING

from dif.records import NamedTuple
from runtime.consumer.events.names import printable
from runtime.consumer.events.records import Traced

if TYPE_CHECKING:
    from dof.model import Program
    from runtime.consumer.events.records import Firing

PROGRAM = """
sched:::on-cpu /pid/ { trace(1); trace(pid); trace(tid); trace(execname); }
sched:::off-cpu /pid/ { trace(2); trace(pid); trace(tid); trace(execname); }
proc:::exec-success { trace(3); trace(pid); trace(tid); trace(execname); }
proc:::create { trace(4); trace(pid); trace(tid); trace(execname); }
proc:::exit { trace(5); trace(pid); trace(tid); trace(execname); }
"""
_ON, _OFF, _EXEC, _CREATE, _EXIT = 1, 2, 3, 4, 5
_EVENTS = {_EXEC: "executes", _CREATE: "creates a process", _EXIT: "exits"}
MOST_SEGMENTS, MOST_MARKS, MOST_THREADS = 20_000, 2_000, 40
_PICTURE, _LANES_AT, _RIGHT, _TOP = 1200, 150, 20, 44
_LANE, _GAP, _THREAD = 26, 8, 15
_TICKS = 8
_SHORTEST_SHOWN = 0.6  # pixels
_STYLE = """
.timeline { max-width: 100%; }
.timeline .back { fill: #fff; }
.timeline text { fill: #1c1e21; pointer-events: none; }
.timeline .dim { fill: #6a7078; }
.timeline .lane { fill: #f1f3f5; }
.timeline .mark { stroke: #c2255c; stroke-width: 1.4; }
.timeline .event { stroke: #1c1e21; stroke-width: 1; stroke-dasharray: 2 2; }
.timeline .on { fill: #101214; }
@media (prefers-color-scheme: dark) {
  .timeline .back { fill: #16181c; } .timeline text { fill: #dfe2e7; } .timeline .dim { fill: #8b929c; }
  .timeline .lane { fill: #23272d; } .timeline .mark { stroke: #ff6b9d; }
  .timeline .event { stroke: #dfe2e7; } .timeline .on { fill: #101214; }
}
"""


class _Thread(NamedTuple):
    pid: int
    tid: int


class _Segment(NamedTuple):
    """A thread on a CPU, from a time to another (nanoseconds)."""

    cpu: int
    thread: _Thread
    name: str
    start: int
    end: int


class _Mark(NamedTuple):
    cpu: int
    time: int
    text: str


class Timeline:
    """Collects what happens, and draws it."""

    def __init__(self, program: Program) -> None:
        self._own = {action.uarg for ecb in program.ecbs for action in ecb.actions}
        self._running: dict[int, tuple[_Thread, str, int]] = {}  # by CPU
        self._segments: list[_Segment] = []
        self._marks: list[_Mark] = []
        self._events: list[_Mark] = []
        self._first: int | None = None
        self._last = 0
        self._left_out = 0

    def take(self, firing: Firing) -> bool:
        """Take in a firing; return whether it is of PROGRAM, and so not to be reported."""
        self._first = firing.timestamp if self._first is None else min(self._first, firing.timestamp)
        self._last = max(self._last, firing.timestamp)
        records = [each for each in firing.records if isinstance(each, Traced)] \
            if firing.probe.provider in ("sched", "proc") else []
        if not records or records[0].record.uarg not in self._own:
            self._keep(self._marks, MOST_MARKS, firing, f"{firing.probe.function}:{firing.probe.name}")
            return False
        kind, pid, tid, name = (each.value for each in records)
        thread, name = _Thread(int(pid), int(tid)), printable(str(name))
        if kind in _EVENTS:
            self._keep(self._events, MOST_MARKS, firing, f"{name} {thread.pid} {_EVENTS[int(kind)]}")
        self._off(firing.cpu, firing.timestamp)
        if kind not in (_OFF, _EXIT):
            self._running[firing.cpu] = thread, name, firing.timestamp
        return True

    def _keep(self, kept: list[_Mark], most: int, firing: Firing, text: str) -> None:
        if len(kept) < most:
            kept.append(_Mark(firing.cpu, firing.timestamp, printable(text)))
        else:
            self._left_out += 1

    def _off(self, cpu: int, now: int) -> None:
        """End what ran on a CPU."""
        running = self._running.pop(cpu, None)
        if running is None:
            return
        if len(self._segments) < MOST_SEGMENTS:
            self._segments.append(_Segment(cpu, running[0], running[1], running[2], max(now, running[2])))
        else:
            self._left_out += 1

    # -- drawing -----------------------------------------------------------------------------------

    def svg(self) -> str:
        """As a picture: a lane for each CPU with the threads on it and marks, then a line for each thread."""
        for cpu in list(self._running):
            self._off(cpu, self._last)
        first = self._first or 0
        scale = (_PICTURE - _LANES_AT - _RIGHT) / max(self._last - first, 1)

        def x(time: int) -> float:
            return _LANES_AT + (time - first) * scale

        cpus = sorted({each.cpu for each in self._segments}
                      | {each.cpu for each in (*self._marks, *self._events)})
        lanes = {cpu: _TOP + number * (_LANE + _GAP) for number, cpu in enumerate(cpus)}
        below = _TOP + len(cpus) * (_LANE + _GAP) + _GAP
        threads = self._threads()
        rows = {thread: below + number * _THREAD for number, thread in enumerate(threads)}
        height = below + len(threads) * _THREAD + 30
        left_out = f"; {self._left_out} events are left out" if self._left_out else ""
        body = [_text(10, 20, f"{first / 1e9:.6f} s to {self._last / 1e9:.6f} s{left_out}", 'font-size="14"')]
        for cpu, y in lanes.items():
            body += [_text(_LANES_AT - 8, y + 17, f"CPU {cpu}", 'text-anchor="end"'), _lane(y, _LANE)]
        for thread, y in rows.items():
            body += [_text(_LANES_AT - 8, y + 10, _cut(f"{threads[thread]} {thread.pid}/{thread.tid}"),
                           'class="dim" text-anchor="end"'), _lane(y, _THREAD - 3)]
        body += _drawn(self._segments, lanes, rows, x)
        for each in self._events:
            body.append(_tick(x(each.time), lanes[each.cpu] - 4, lanes[each.cpu] + _LANE, "event", each))
        for each in self._marks:
            body.append(_tick(x(each.time), lanes[each.cpu] - 6, lanes[each.cpu] + 7, "mark", each))
        body += _axis(first, self._last, height - 8, x)
        return (f'<svg xmlns="http://www.w3.org/2000/svg" class="timeline" width="{_PICTURE}" '
                f'height="{height}" viewBox="0 0 {_PICTURE} {height}" font-family="monospace" '
                f'font-size="11">\n'
                f'<style>{_STYLE}</style>\n<rect class="back" width="100%" height="100%"/>\n'
                + "\n".join(body) + "\n</svg>\n")

    def _threads(self) -> dict[_Thread, str]:
        """The threads that were longest on CPUs, with their latest names, by their numbers."""
        spent: dict[_Thread, int] = {}
        names: dict[_Thread, str] = {}
        for each in self._segments:
            spent[each.thread] = spent.get(each.thread, 0) + each.end - each.start
            names[each.thread] = each.name
        chosen = sorted(spent, key=lambda thread: -spent[thread])[:MOST_THREADS]
        return {thread: names[thread] for thread in sorted(chosen)}


def _drawn(segments: Iterable[_Segment], lanes: dict[int, int], rows: dict[_Thread, int],
           x: Callable[[int], float]) -> Iterator[str]:
    """Yield the boxes of all segments; those that would touch a box of the same thread are part of it."""
    latest: dict[int, tuple[_Segment, float]] = {}
    for each in sorted(segments, key=lambda segment: segment.start):
        before = latest.get(each.cpu)
        if before is not None and before[0].thread == each.thread and before[0].name == each.name \
                and x(each.start) - before[1] < _SHORTEST_SHOWN:
            joined = before[0]._replace(end=each.end)
            latest[each.cpu] = joined, x(each.end)
            continue
        if before is not None:
            yield from _boxes(before[0], lanes, rows, x)
        latest[each.cpu] = each, x(each.end)
    for segment, _end in latest.values():
        yield from _boxes(segment, lanes, rows, x)


def _boxes(segment: _Segment, lanes: dict[int, int], rows: dict[_Thread, int],
           x: Callable[[int], float]) -> Iterator[str]:
    start, end = x(segment.start), x(segment.end)
    width = max(end - start, _SHORTEST_SHOWN)
    title = (f"{segment.name} {segment.thread.pid}/{segment.thread.tid} on CPU {segment.cpu}: "
             f"{segment.start / 1e9:.6f} s to {segment.end / 1e9:.6f} s")
    fits = int(width / 7)
    for y, height in ((lanes[segment.cpu], _LANE), (rows.get(segment.thread), _THREAD - 3)):
        if y is None:
            continue
        yield (f'<rect x="{start:.2f}" y="{y}" width="{width:.2f}" height="{height}" rx="1" '
               f'fill="{_colour(segment)}"><title>{escape(title)}</title></rect>')
        if height == _LANE and fits > 2:
            yield _text(start + 3, y + 17, segment.name[:fits], 'class="on"')


def _colour(segment: _Segment) -> str:
    """Always the same for a process's name and number; text on it is dark."""
    hue = zlib.crc32(f"{segment.name} {segment.thread.pid}".encode()) % 360
    return f"hsl({hue},62%,66%)"


def _lane(y: int, height: int) -> str:
    width = _PICTURE - _LANES_AT - _RIGHT
    return f'<rect class="lane" x="{_LANES_AT}" y="{y}" width="{width}" height="{height}"/>'


def _tick(x: float, top: int, bottom: int, kind: str, mark: _Mark) -> str:
    title = escape(f"{mark.text} at {mark.time / 1e9:.6f} s on CPU {mark.cpu}")
    return (f'<line class="{kind}" x1="{x:.2f}" x2="{x:.2f}" y1="{top}" y2="{bottom}"><title>{title}</title>'
            '</line>')


def _axis(first: int, last: int, y: int, x: Callable[[int], float]) -> Iterator[str]:
    """Yield the times below all."""
    for number in range(_TICKS + 1):
        time = first + (last - first) * number // _TICKS
        anchor = "start" if number == 0 else "end" if number == _TICKS else "middle"
        yield _text(x(time), y, f"+{(time - first) / 1e6:.3f} ms", f'class="dim" text-anchor="{anchor}"')


def _text(x: float, y: float, text: str, attributes: str) -> str:
    return f'<text x="{x:.1f}" y="{y}" {attributes}>{escape(text)}</text>'


def _cut(text: str) -> str:
    return text if len(text) <= 20 else text[:18] + ".."
