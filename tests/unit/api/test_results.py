"""What the objects of a run are made of: each kind of output item, by value, and what pages show of them."""

from __future__ import annotations

import json
import re
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest

from runtime.api import report, tohtml
from runtime.api.results import Aggregation, Distribution, Firing, Traced, parse
from runtime.api.run import FlameGraph, _options, _status
from runtime.consumer.output.pictures import Drawn

if TYPE_CHECKING:
    from runtime.consumer.output.reporter import Session

PROBE = {"provider": "p", "module": "m", "function": "f", "name": "n"}
RECORDS: list[tuple[dict[str, object], tuple[object, ...]]] = [
    ({"kind": "trace", "value": -7}, (-7,)), ({"kind": "trace", "value": "text"}, ("text",)),
    ({"kind": "trace", "value": {"bytes": "00ff"}}, (b"\0\xff",)),
    ({"kind": "printf", "arguments": [1, "a"], "text": "1a\n"}, (1, "a")),
    ({"kind": "stack", "frames": [{"object": "o", "symbol": "s", "offset": 16, "address": 1},
                                  {"object": "o", "symbol": "s", "offset": 0, "address": 1},
                                  {"object": "o", "address": 4096}, {"address": 255}]},
     (("o`s+0x10", "o`s", "o`0x1000", "0xff"),)),
    ({"kind": "address", "object": "o", "symbol": "s", "offset": 1, "address": 9}, ("o`s+0x1",)),
    ({"kind": "address", "address": 9}, ("0x9",)),
    ({"kind": "print", "text": "struct x", "bytes": "01"}, ("struct x",)),
    ({"kind": "print", "text": None, "bytes": "01"}, (b"\1",)),
    ({"kind": "memory", "bytes": "0102"}, (b"\1\2",)),
    ({"kind": "exit", "status": 3}, ()), ({"kind": "other"}, ())]


def firing(*records: dict[str, object]) -> bytes:
    return json.dumps({"type": "firing", "probe": PROBE, "records": records, "cpu": 2,
                       "timestamp": 5}).encode()


def entry(name: str, keys: list[object], value: object) -> dict[str, object]:
    return {"type": "aggregation", "name": name, "function": "sum", "keys": keys, "value": value}


@pytest.mark.parametrize(("record", "values"), RECORDS)
def test_records(record: dict[str, object], values: tuple[object, ...]) -> None:
    text = str(record.get("text", "")) if record["kind"] == "printf" else ""
    assert parse([firing(record)]).firings == [Firing("p:m:f:n", values, text, 2, 5)]


def test_records_together() -> None:
    items = [record for record, _ in RECORDS] + [{"kind": "printf", "arguments": [], "text": "end"}]
    made, = parse([firing(*items)])
    assert made.values == tuple(value for _, values in RECORDS for value in values)
    assert made.text == "1a\nend"
    printed = {"kind": "printa", "entries": [entry("a", [1], 2), entry("a", [3], 4)]}
    seen = parse([json.dumps(entry("a", [9], 9)).encode(), json.dumps(entry("b", [9], 9)).encode(),
                  firing(printed)])  # type: ignore[arg-type]
    assert seen.aggregations == {"a": {(1,): 2, (3,): 4}, "b": {(9,): 9}}


def test_other_items() -> None:
    lines = [{"type": "error", "message": "bad"}, {"type": "drop", "message": "lost"}, {"type": "end"},
             entry("q", ["k"], [{"low": 0, "high": 0, "count": 1}, {"low": 4, "high": 7, "count": 5}])]
    seen = parse([json.dumps(line).encode() for line in lines])
    assert (seen.errors, seen.drops, list(seen)) == (["bad"], ["lost"], [])
    found = seen.aggregation()
    assert found == {("k",): {0: 1, 4: 5}} and found is seen.aggregation("@q")
    value = found["k",]
    assert isinstance(value, Distribution) and value.highest == {0: 0, 4: 7}
    assert json.loads(found.to_json()) == [{"keys": ["k"], "value": [
        {"low": 0, "high": 0, "count": 1}, {"low": 4, "high": 7, "count": 5}]}]
    assert repr(seen) == "<0 firings, 1 errors, 1 drops, @q>"
    assert json.loads(seen.to_json())["aggregations"]["q"] == json.loads(found.to_json())


@pytest.mark.parametrize("line", [b"", b"text", b"[]", b"1", b'{"type": "firing"}', b'{"no": "type"}',
                                  b'{"type": "error"}', b'{"type": "aggregation", "value": 1}'])
def test_what_is_no_output(line: bytes) -> None:
    with pytest.raises(ValueError, match="no output of dtrace: "):
        parse([line])


def test_which_aggregation() -> None:
    one, two, bare = Aggregation("a"), Aggregation("b"), Aggregation("_")
    assert Traced(aggregations={"a": one}).aggregation() is one
    assert Traced(aggregations={"a": one, "_": bare}).aggregation() is bare
    assert Traced(aggregations={"a": one, "b": two}).aggregation("@b") is two
    with pytest.raises(ValueError, match=r"which aggregation. there are @a, @b"):
        Traced(aggregations={"b": two, "a": one}).aggregation()
    missing = Traced(aggregations={"a": one, "b": two}).aggregation("c")
    assert (missing.name, dict(missing)) == ("c", {})
    assert Traced().aggregation().name == "_"
    assert repr(Traced(aggregations={"_": bare, "a": one})) == "<0 firings, 0 errors, 0 drops, @, @a>"


def test_how_often_it_fired() -> None:
    seen = parse([firing(), firing(), json.dumps({"type": "firing", "probe": {**PROBE, "name": "return"},
                                                  "records": [], "cpu": 0, "timestamp": 1}).encode()])
    assert [seen.fired(text) for text in ("", "n", "f:", "f:n", "p*:m:f:n", "p:::r*", "x:::", "re?urn")] \
        == [3, 2, 3, 2, 2, 1, 0, 1]


def test_statuses() -> None:
    assert [_status(each) for each in (None, 0, 256, 3 << 8, 255 << 8, 9, 15, 11 | 0x80)] \
        == [None, 0, 1, 3, 255, 137, 143, 139]


def test_options_of_a_run() -> None:
    options = _options({"ncpus": 2, "destructive": True, "quiet": False, "define": ["A=1", "B"]})
    assert options.number("ncpus", 0) == 2 and options.is_on("destructive")
    with pytest.raises(ValueError, match="option nosuch: "):
        _options({"nosuch": 1})


# -- pages ------------------------------------------------------------------------------------------------

def cells(html: str) -> list[str]:
    """The contents of a table's cells: text, and the width of a bar."""
    found = re.findall(r"<td[^>]*>(.*?)</td>", html, re.DOTALL)
    return [match[1] if (match := re.search(r"width:([\d.]+%)\"", each)) else each for each in found]


def test_tables() -> None:
    found = Aggregation("n", "sum", {("a", ("f<1>", "g")): -5, ("b", 2): 10, ("c", b"\0"): 0})
    html = tohtml.aggregation(found)
    assert cells(html) == ["b", "2", "10", "100.0%", "c", "b&#x27;\\x00&#x27;", "0", "", "a",
                           "f&lt;1&gt;\ng", "-5", "50.0%"]
    assert "<b>@n</b> sum()</div>" in html and "first" not in html
    assert "<b>@</b> count()" in tohtml.aggregation(Aggregation("_", "count", {}))
    assert "<b></b> by probe<" in tohtml.aggregation(Aggregation("", "by probe", {}))
    many = Aggregation("m", "count", {(number,): number for number in range(tohtml.MOST + 1)})
    html = tohtml.aggregation(many)
    assert f", the first {tohtml.MOST} of {tohtml.MOST + 1}</div>" in html
    assert cells(html)[:3] == ["200", "200", "100.0%"] and cells(html)[-3:] == ["1", "1", "0.5%"]
    exact = Aggregation("m", "count", {(number,): number for number in range(tohtml.MOST)})
    assert "first" not in tohtml.aggregation(exact)


def test_entries_of_the_same_value() -> None:
    """By their keys, backwards as the values are."""
    same = Aggregation("n", "count", {("a",): 5, ("c",): 5, ("b",): 5, (1,): 6})
    assert cells(tohtml.aggregation(same))[::3] == ["1", "c", "b", "a"]


def test_histograms() -> None:
    value = Distribution([(-(1 << 63), -1, 2), (0, 4, 8), (5, 9, -4)])
    assert cells(tohtml.distribution(value)) == [
        "&lt; 0", "25.0%", "2", "0", "100.0%", "8", "5", "50.0%", "-4"]
    assert cells(tohtml.distribution(Distribution([]))) == []
    html = tohtml.aggregation(Aggregation("q", "lquantize", {("k", 1): value}))
    assert ">k, 1</div>" in html and cells(html) == cells(tohtml.distribution(value))
    assert tohtml.text("a\tb\nc\x07<") == "a\tb\nc\\x07&lt;"


def test_the_frame_of_a_picture() -> None:
    """It is 20 pixels higher than what is in it."""
    html = FlameGraph({("main",): 3})._repr_html_()
    height = re.search(r"height=&quot;(\d+)&quot;", html)
    assert height is not None and f"width:100%;height:{int(height[1]) + 20}px;border:0" in html


def test_a_report_shows_every_aggregation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "Items", lambda session: SimpleNamespace(of_rows=iter))
    rows = {1: [entry("n", ["a"], 3), entry("n", ["b"], 1)], 2: [entry("m", [], 7)]}
    session = SimpleNamespace(system=SimpleNamespace(now=lambda: 0), names=[1, 2],
                              aggregations=SimpleNamespace(rows=rows.get))
    html = report.Page(cast("Session", session), [], []).html(Drawn("", "", ""), 0)
    assert cells(html) == ["a", "3", "100.0%", "b", "1", "33.3%", "7", "100.0%"]


@pytest.mark.parametrize(("size", "cut"), [(10, False), (11, True)])
def test_a_report_says_that_output_was_cut(size: int, cut: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """What fills its room to the last byte was not."""
    monkeypatch.setattr(report, "Items", lambda session: SimpleNamespace(of_rows=iter))
    monkeypatch.setattr(report, "MOST_OUTPUT", 10)
    session = SimpleNamespace(system=SimpleNamespace(now=lambda: 0), names=[],
                              aggregations=SimpleNamespace(rows=dict[int, object]().get))
    page = report.Page(cast("Session", session), [], [])
    page.printed(b"a" * 4)
    page.printed(b"b" * (size - 4))
    html = page.html(Drawn("", "", ""), 0)
    assert "aaaabbbbbb" in html and "bbbbbbb" not in html
    assert (html != _report_of(session, b"aaaabbbbbb")) == cut


def _report_of(session: object, output: bytes) -> str:
    page = report.Page(cast("Session", session), [], [])
    page.printed(output)
    return page.html(Drawn("", "", ""), 0)
