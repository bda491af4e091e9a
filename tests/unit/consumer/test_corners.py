"""Corners of what is shown: orders of joined aggregations, their zeros, and labels in a timeline."""

from __future__ import annotations

import errno
import os
import re
import socket
from pathlib import Path
from types import SimpleNamespace

import pytest

from dc.compiler import compile as compile_d
from dif.difo import Difo
from dof.model import Action, Ecb, ProbeDesc, Program
from dof.model import ActionKind as A
from runtime.command.command import main
from runtime.consumer.aggregations.aggregate import zeros_of
from runtime.consumer.output import timeline
from runtime.consumer.output.stream import append_to

JOINED = """
BEGIN
{
	@a["x"] = sum(1); @b["x"] = sum(9); @c["x"] = sum(5);
	@a["y"] = sum(5); @b["y"] = sum(2); @c["y"] = sum(1);
	@a["z"] = sum(3); @b["z"] = sum(4); @c["z"] = sum(9);
	printa("%s %@d %@d %@d\\n", @a, @b, @c);
	exit(0);
}
"""


@pytest.mark.parametrize(("options", "rows"), [
    ("", "xzy"), ("aggsortpos=0", "xzy"), ("aggsortpos=1", "yzx"), ("aggsortpos=2", "yxz"),
    ("aggsortpos=3", "xzy"), ("aggsortpos=9", "xzy"), ("aggsortpos=1 aggsortrev", "xzy"),
    ("aggsortpos=2 aggsortrev", "zxy"), ("aggsortkey", "xyz"), ("aggsortkey aggsortrev", "zyx")])
def test_orders_of_joined_aggregations(options: str, rows: str, capfd: pytest.CaptureFixture[str]) -> None:
    """aggsortpos says which of them counts; the first if there are not so many."""
    flags = [word for option in options.split() for word in ("-x", option)]
    assert main(["-q", *flags, "-n", JOINED]) == 0
    values = {"x": "x 1 9 5", "y": "y 5 2 1", "z": "z 3 4 9"}
    assert capfd.readouterr().out.split("\n")[:3] == [values[row] for row in rows]


def test_zeros_of_programs() -> None:
    """Each aggregation's form, by its number; nothing else that has a number of its own."""
    program = compile_d("BEGIN { trace(1); printf(\"%d\", 2); @a[1] = quantize(3); trace(4); @b = avg(1); }"
                        "END { @b = avg(2); @c[5, 6] = lquantize(7, 0, 40, 10); @d = count();"
                        " @a[2] = quantize(1); @e = stddev(1); @f = llquantize(1, 10, 0, 2, 10); }").program
    zeros = zeros_of(program)
    assert {number: zero.record.action for number, zero in zeros.items()} == dict(enumerate(
        (A.AGG_QUANTIZE, A.AGG_AVG, A.AGG_LQUANTIZE, A.AGG_COUNT, A.AGG_STDDEV, A.AGG_LLQUANTIZE), 1))
    assert [len(zero.words) for zero in zeros.values()] == [127, 2, 7, 1, 4, 30]
    assert all(sum(zero.words[1:]) == 0 for zero in zeros.values())


def test_an_aggregation_without_any_value_is_shown_as_its_own_zero(capfd: pytest.CaptureFixture[str]) -> None:
    script = 'BEGIN { @a["x"] = count(); exit(0); } tick-1s { @b["x"] = lquantize(0, 0, 2, 1); }' \
             'END { printa("%s %@d %@d", @a, @b); }'
    assert main(["-q", "-n", script]) == 0
    shown = capfd.readouterr().out
    assert shown.startswith("x 1 ") and "Distribution" in shown
    assert [line.split() for line in shown.splitlines()[2:5]] == [
        ["<", "0", "|", "0"], ["0", "|", "0"], ["1", "|", "0"]]


def test_only_a_pipe_is_waited_for(tmp_path: Path) -> None:
    """A socket, which cannot be opened either, never can be."""
    place = tmp_path / "socket"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(place))
        with pytest.raises(OSError, match=os.strerror(errno.ENXIO)):
            append_to(str(place), lambda: True)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InterruptedError):
        append_to(str(tmp_path / "pipe"), lambda: True)


def test_labels_of_a_timeline() -> None:
    """As many letters of a name as fit, seven pixels each; none if those are two or fewer."""
    thread = timeline._Thread(7, 8)
    for width in range(100):
        segment = timeline._Segment(1, thread, "sixteen_letters_", 1000, 1000 + width)
        found = list(timeline._boxes(segment, {1: 50}, {thread: 90}, lambda time: time / 1.0))
        labels = [text[1] for text in map(re.compile(r"<text.*>(.*)</text>").search, found) if text]
        assert labels == (["sixteen_letters_"[:width // 7]] if width >= 21 else [])
        boxes = [box.groups() for box in map(re.compile(
            r'<rect x="(.*?)" y="(.*?)" width="(.*?)" height="(.*?)"').search, found) if box]
        assert boxes == [("1000.00", y, f"{max(width, 0.6):.2f}", height)
                         for y, height in (("50", "26"), ("90", "12"))]
        assert "sixteen_letters_ 7/8 on CPU 1: 0.000001 s to" in found[0]


def test_what_a_timeline_leaves_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Marks and stretches beyond so many are counted, and no more are kept."""
    monkeypatch.setattr(timeline, "MOST_MARKS", 3)
    monkeypatch.setattr(timeline, "MOST_SEGMENTS", 2)
    for marks, stretches, left in ((3, 2, 0), (4, 2, 1), (9, 2, 6), (0, 5, 3), (5, 5, 5)):
        made = timeline.Timeline(Program())
        for time in range(marks):
            probe = SimpleNamespace(provider="tick", function="", name="1s")
            made.take(SimpleNamespace(timestamp=time, cpu=0, probe=probe, records=[]))  # type: ignore[arg-type]
        for time in range(stretches):
            made._running[1] = timeline._Thread(7, 7), "sh", time
            made._off(1, time + 1)
        told = re.search(r"; (\d+) events are left out", made.svg())
        assert int(told[1] if told else 0) == left


def test_zeros_of_keys_without_a_number() -> None:
    """A program of another compiler may have such: they tell no variable."""
    known, empty = Difo([], inttab=[7]), Difo([])
    for first, numbers in ((known, {7}), (empty, set()), (None, set())):
        actions = [Action(A.DIFEXPR, first), Action(A.AGG_COUNT, None, ntuple=1)]
        assert zeros_of(Program(ecbs=[Ecb(ProbeDesc(), None, actions)])).keys() == numbers
