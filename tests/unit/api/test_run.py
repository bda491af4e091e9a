"""`import dtrace`: a run's results as Python objects, and what notebooks show of them."""

from __future__ import annotations

import builtins
import doctest
import gc
import importlib
import json
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

import dtrace
from runtime.api.results import Aggregation, Distribution
from runtime.kernel.kernel import Kernel

ROOT = Path(__file__).resolve().parents[3]
SCRIPT = """
    BEGIN { printf("begin %d\\n", 1); }
    syscall::write:entry /execname == "tr"/ { trace(arg2); @bytes[execname, stack(2)] = sum(arg2);
                                              @sizes["<b>"] = quantize(arg2); }
    END { exit(3); }"""


@pytest.fixture(scope="module")
def seen() -> dtrace.Run:
    return dtrace.run(SCRIPT, ["tr", "a-z", "A-Z"], input="hello\n", options={"ncpus": 2})


def test_a_run_has_everything(seen: dtrace.Run) -> None:
    assert (seen.status, seen.ended, seen.stdout, seen.stderr) == (3, 0, "HELLO\n", "")
    assert seen.output.startswith("begin 1\n6\n") and "<b>" in seen.output and seen.printed == "begin 1\n6"
    assert [(each.probe, each.values, each.text) for each in seen] == [
        ("dtrace:::BEGIN", (1,), "begin 1\n"), ("syscall::write:entry", (6,), ""), ("dtrace:::END", (), "")]
    assert seen.errors == seen.drops == []
    (key, value), = seen.aggregation("bytes").items()
    assert key[0] == "tr" and value == 6
    assert isinstance(key[1], tuple) and "unix`syscall_trap" in key[1][0]
    assert seen.aggregation("@sizes") == {("<b>",): {4: 1}}
    assert sum(seen.flamegraph.folded.values()) == 6


def test_nothing_reaches_this_processs_output() -> None:
    """The command writes, and so do a child of its and system(): to the run alone."""
    code = """if True:
        import dtrace
        seen = dtrace.run('BEGIN { system("echo system"); printf("printed"); }',
                          "sh -c 'echo out; (echo child); echo err >&2'", options={"destructive": True})
        assert (seen.stdout, seen.stderr) == ("out\\\\nchild\\\\n", "err\\\\n"), seen
        assert seen.output.strip() == "system\\\\nprinted", seen.output"""
    done = subprocess.run([sys.executable, "-c", code.replace("\\\\", "\\")], cwd=ROOT, capture_output=True,
                          text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_errors_are_exceptions(tmp_path: Path) -> None:
    with pytest.raises(dtrace.CompileError, match="there is no variable nosuch"):
        dtrace.run("BEGIN { trace(nosuch); }")
    with pytest.raises(dtrace.OptionError, match="option nosuch: "):
        dtrace.run("BEGIN", options={"nosuch": 1})
    with pytest.raises(dtrace.OptionError, match="option ncpus: "):
        dtrace.run("BEGIN", options={"ncpus": "many"})
    with pytest.raises(dtrace.TraceError, match="estructive"):
        dtrace.run("BEGIN { panic(); }")
    with pytest.raises(OSError, match="No such file"):
        dtrace.run("BEGIN", "/nosuch")
    script = tmp_path / "fault.d"
    script.write_text("BEGIN { trace(*(int *)8); } tick-1ms { exit($1); }")
    failed = dtrace.run(script, arguments=["7"])
    assert failed.status == 7 and "invalid address (0x8)" in failed.errors[0]
    assert failed.trace.places == ["line 1, column 15: 0x8 is in the first page, where no memory ever is"]


def test_the_name_of_a_script_is_its_first_argument(tmp_path: Path) -> None:
    text = "BEGIN { printf(\"%s %s\", $$0, $$1); exit(0); }"
    (tmp_path / "named.d").write_text(text)
    assert dtrace.run(text, arguments=["a"]).output == "dtrace a\n"
    assert dtrace.run(tmp_path / "named.d", arguments=["a"]).output == f"{tmp_path / 'named.d'} a\n"


def test_time_ends_a_run() -> None:
    assert [each.values for each in dtrace.run("tick-100ms { trace(++n); }", seconds=0.35)] == \
        [(1,), (2,), (3,)]
    endless = dtrace.run("END { trace(1); }", "sh -c 'while :; do :; done'", timeout=0.5)
    assert [each.values for each in endless] == [(1,)] and endless.ended is None


def test_errors_and_losses_are_no_output(capfd: pytest.CaptureFixture[str]) -> None:
    """They stand in the run, and on no standard output; the picture over time has each of the samples."""
    lost = dtrace.run("BEGIN { trace(*(int *)8); } tick-1ms { trace(1LL); @ = quantize(n++); }", seconds=0.5,
                      options={"bufsize": 64, "switchrate": "100ms", "aggrate": "100ms"})
    assert [error[error.index("invalid"):] for error in lost.errors] == \
        ["invalid address (0x8) in action #1 at DIF offset 4"]
    assert lost.drops == ["100 drops on CPU 0"] + ["99 drops on CPU 0"] * 4
    assert lost.output.split()[0] == "1" * len(lost.firings) and capfd.readouterr() == ("", "")
    assert len(lost.heatmap.samples.times) == 5


def test_aggregations_are_those_of_the_end() -> None:
    made = dtrace.run('BEGIN { @a["x"] = count(); @b["y"] = count(); }'
                      'tick-1s { printa(@a); } tick-2s { trunc(@a); exit(0); }')
    assert {name: dict(found) for name, found in made.aggregations.items()} == {"b": {("y",): 1}}


def test_json_is_whole(seen: dtrace.Run) -> None:
    found = json.loads(seen.to_json())
    assert [each["values"] for each in found["firings"]] == [[1], [6], []]
    assert found["aggregations"]["sizes"] == [{"keys": ["<b>"], "value": [{"low": 4, "high": 7, "count": 1}]}]
    assert json.loads(seen.aggregation("bytes").to_json())[0]["keys"][0] == "tr"
    assert json.loads(Aggregation("a", "count", {(b"\x01",): 1}).to_json()) == [
        {"keys": [{"bytes": "01"}], "value": 1}]


def test_a_data_frame_needs_pandas(seen: dtrace.Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The frame itself is made by whatever is called pandas: here it keeps what it is given."""
    class Pandas:
        DataFrame = staticmethod(lambda rows, columns: (rows, list(columns)))

    monkeypatch.setitem(sys.modules, "pandas", Pandas)
    rows, columns = seen.aggregation("sizes").to_dataframe()
    assert (rows, columns) == ([("<b>", 4, 7, 1)], ["key0", "low", "high", "count"])
    assert seen.aggregation("bytes").to_dataframe()[1] == ["key0", "key1", "value"]
    assert seen.to_dataframe()[1] == ["probe", "values", "text", "cpu", "timestamp"]
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="needs pandas, which is not installed: pip install pandas"):
        seen.to_dataframe()


class _Balanced(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.shown = ""
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.shown += data


def test_notebooks_show_tables_and_pictures(seen: dtrace.Run) -> None:
    html = seen._repr_html_()
    page = _Balanced(html)
    assert "@sizes quantize()" in page.shown and "<b>" in page.shown and "<b><b>" not in html
    assert "unix`syscall_trap" in page.shown and "<iframe" in html
    assert "<script>" not in html  # it is within the frame alone
    assert seen.heatmap._repr_html_().startswith("<svg")
    assert str(seen.heatmap) == seen.heatmap.samples.text()
    table = _Balanced(Aggregation("n", "count", {("a\x1b",): 1, ("b",): 3})._repr_html_()).shown
    assert table.index("b3") < table.index("a\\x1b1")
    assert "< 0" in _Balanced(Distribution([(-(1 << 63), -1, 2), (10, 19, 1)])._repr_html_()).shown


def test_representations_are_short(seen: dtrace.Run) -> None:
    many = Aggregation("many", "count", {("x" * 500, n): n for n in range(10000)})
    compiled = dtrace.compile("syscall:::entry { @[probefunc, ustack()] = count(); }" * 20)
    for each in (seen, seen.trace, many, seen.flamegraph, seen.heatmap, compiled, compiled.program,
                 seen.aggregation("sizes")):
        assert len(repr(each)) < 300, repr(each)
    with dtrace.Machine() as machine, dtrace.Consumer.open(machine) as session:
        firings = session.trace("BEGIN { @[stack(), 1] = quantize(1); trace(1); exit(0); }")
        entry, = session.aggregations.walk()
        assert len(repr(entry)) < 300 and len(repr(firings[0])) < 100
        assert hash(entry.values) and firings[0].values == (1,)


@pytest.mark.parametrize("name", ["dtrace", "runtime.api.results", "runtime.api.run", "runtime.machine",
                                  "runtime.consumer.consumer", "dc.compiler"])
def test_examples_of_docstrings_run(name: str) -> None:
    module = importlib.import_module(name)
    names = dict(vars(module)) | {"print": builtins.print}
    result = doctest.testmod(module, globs=names)
    assert result.attempted > 0 and result.failed == 0


def test_a_machine_goes_with_its_run() -> None:
    """A program may run thousands: what each has made, its files among that, is given back."""
    def machines() -> int:
        gc.collect()
        return sum(isinstance(each, Kernel) for each in gc.get_objects())

    before = machines()
    dtrace.run("BEGIN {}", command="/bin/sh -c 'echo text > /tmp/file; mkdir /tmp/folder; ln -s a /tmp/link'")
    assert machines() == before
