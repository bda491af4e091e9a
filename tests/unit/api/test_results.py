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
from runtime.border import ProbeDescription
from runtime.consumer.events import records
from runtime.consumer.events.notices import Drop, Fault
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


# -- reports -----------------------------------------------------------------------------------------------

PROBE_OF_PAGE = ProbeDescription(7, "p", "m", "f", "n")
NOTHING = Drawn("", "", "")


def page(*words: str, scripts: tuple[tuple[str, str], ...] = ()) -> report.Page:
    session = SimpleNamespace(system=SimpleNamespace(now=lambda: 1_500_000_000), names=[], settings=None)
    return report.Page(cast("Session", session), words, scripts)


def part(html: str, name: str) -> str:
    """What stands in a section of a page."""
    found = re.search(f'<h2 id="{name}">[^<]*</h2>(.*?)</section>', html, re.DOTALL)
    return found[1] if found else ""


def test_a_page_of_nothing() -> None:
    html = page().html(NOTHING, 3)
    assert re.findall(r'<h2 id="(\w+)">', html) == ["output", "errors"]
    assert re.findall(r'<a href="#(\w+)">', html) == ["output", "errors"]
    assert part(html, "output") == '<p class="none">The script printed nothing.</p>'
    assert part(html, "errors") == '<p class="none">None: nothing failed, and nothing was lost.</p>'
    assert re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", html) == [
        ("machine&#x27;s time", "1.500000 s"), ("firings that recorded", "0"), ("drops", "0"),
        ("errors", "0"), ("status of exit()", "3")]


def test_a_page_of_everything() -> None:
    made = page("-s", "<x>", scripts=(("x.d", "\nBEGIN\n"), ("", "END")))
    for count in range(3):
        probe = PROBE_OF_PAGE if count else PROBE_OF_PAGE._replace(name="other")
        made.firing(records.Firing(0, 1, probe, 5, records.Flow()))
    made.fault(Fault(0, 9, PROBE_OF_PAGE, 2, 1, 4))
    made.drop(Drop("DTRACEDROP_PRINCIPAL", 4, "drop", cpu=1))
    made.drop(Drop("DTRACEDROP_PRINCIPAL", 1, "drop", cpu=0))
    made.printed(b"\n<one>\n")
    made.printed(b"two\xff\n")
    html = made.html(Drawn("FLAME", "HEAT", "TIME"), 0)
    assert "<title>dtrace -s &lt;x&gt;</title>" in html
    assert part(html, "script") == "<div>x.d</div><pre>BEGIN</pre><pre>END</pre>"
    assert part(html, "output") == "<pre>&lt;one&gt;\ntwo\ufffd</pre>"
    assert cells(part(html, "aggregations")) == ["p:m:f:n", "2", "100.0%", "p:m:f:other", "1", "50.0%"]
    assert [part(html, name) for name in ("timeline", "stacks", "distributions")] == [
        f'<div class="picture">{each}</div>' for each in ("TIME", "FLAME", "HEAT")]
    assert part(html, "errors") == (
        '<pre class="bad">error on enabled probe ID 9 (ID 7: p:m:f:n): invalid alignment (0x0) in '
        "action #1 at DIF offset 4\n4 drops on CPU 1\n1 drop on CPU 0</pre>")
    assert re.findall("<dd>(.*?)</dd>", html)[1:] == ["3", "5", "1", "0"]


def test_a_page_has_a_limit() -> None:
    """500 errors and as many losses, and a megabyte of output."""
    made = page("x" * 200)
    for number in range(501):
        made.fault(Fault(0, number, PROBE_OF_PAGE, 2))
        made.drop(Drop("DTRACEDROP_PRINCIPAL", number + 1, "drop"))
    made.printed(b"a" * (report.MOST_OUTPUT - 1))
    made.printed(b"b")
    assert "MB of it" not in part(made.html(NOTHING, 0), "output")
    made.printed(b"c")
    html = made.html(NOTHING, 0)
    assert part(html, "output") == \
        f'<pre>{"a" * (report.MOST_OUTPUT - 1)}b</pre><p class="none">The first 1 MB of it.</p>'
    lines = part(html, "errors").splitlines()
    assert len(lines) == 1000 and "probe ID 499 " in lines[499] and lines[-1] == "500 drops</pre>"
    assert re.findall("<dd>(.*?)</dd>", html)[2:4] == [str(501 * 502 // 2), "501"]
    assert f"<title>dtrace {'x' * 113} ...</title>" in html
    assert "..." not in page("x" * 113).html(NOTHING, 0).partition("</title>")[0]
