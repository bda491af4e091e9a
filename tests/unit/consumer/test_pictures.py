"""Pictures of a run: the report, the timeline, flame graphs that are searched, heat maps of short runs."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as xml
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest

from runtime.consumer.output.heatmap import HeatMap, Pace

BROWSER = shutil.which("chromium") or shutil.which("google-chrome") or shutil.which("chromium-browser")
VOID = frozenset(("meta", "input"))
SVG = "{http://www.w3.org/2000/svg}"
SCRIPT = """
    syscall::write:entry { printf("<i>&@BODY@"); @bytes["<b>&"] = quantize(arg2); @[probefunc] = sum(arg2); }
    syscall:::return /execname == "echo"/ { @stacks[execname, ustack(3)] = count(); }
    END { trace(*(int *)8); }"""


def run(folder: Path, *options: str, script: str = SCRIPT) -> subprocess.CompletedProcess[str]:
    command = [] if "exit" in script else ["-c", "sh -c '/bin/echo one & /bin/echo two; wait'"]
    words = [sys.executable, "-m", "runtime.command", "-x", "ncpus=2", "-n", script, *command, *options]
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=60, check=False)


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pictures")
    done = run(folder, "--report", "r.html", "--timeline", "t.svg", "--flame", "f.svg", "--heatmap", "h.svg",
               "--folded", "f.txt")
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in folder.iterdir()) == ["f.svg", "f.txt", "h.svg", "r.html", "t.svg"]
    (folder / "printed").write_text(done.stdout)
    return folder


class _Page(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = ""
        self.headings: list[str] = []
        self.fetched: list[str] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert not self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.fetched += [str(value) for name, value in attrs
                         if name in ("src", "href", "action", "srcset") and not str(value).startswith("#")]
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """It is closed already."""

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "script" not in self._open and "style" not in self._open:
            self.text += data
        if self._open and self._open[-1] == "h2":
            self.headings.append(data)


def test_a_report_has_everything_and_fetches_nothing(drawn: Path) -> None:
    text = (drawn / "r.html").read_text()
    page = _Page(text)
    assert page.headings == ["Script", "Output", "Aggregations", "Timeline", "Stacks",
                             "Distributions over time", "Errors and drops"]
    assert page.fetched == [] and "<b>&" in page.text and "<i>&@BODY@" in page.text and "<b>&" not in text
    assert "invalid address (0x8)" in page.text and "syscall::write:entry" in page.text
    shown = (drawn / "printed").read_text().splitlines()
    assert all(line in page.text for line in shown if line.strip() and "write:entry" in line)
    assert SCRIPT.strip() in page.text


def test_a_timeline_has_each_thread_where_it_ran(drawn: Path) -> None:
    root = xml.parse(drawn / "t.svg").getroot()
    titles = [str(each.text) for each in root.iter(f"{SVG}title")]
    runs = re.findall(r"(\w+) (\d+)/\2 on CPU ([01]): ([\d.]+) s to ([\d.]+) s", "\n".join(titles))
    assert {"sh", "echo"} <= {name for name, *_ in runs} and len({pid for _, pid, *_ in runs}) > 2
    for cpu in "01":
        spans = sorted({(float(start), float(end)) for _, _, where, start, end in runs if where == cpu})
        assert all(one[1] <= other[0] for one, other in pairwise(spans)), spans
    assert sum("write:entry at" in title for title in titles) == 2
    assert any("exits at" in title for title in titles)
    assert "on-cpu" not in (drawn / "printed").read_text()  # what draws it is not reported


def test_outputs_appear_together_or_not_at_all(tmp_path: Path) -> None:
    done = run(tmp_path, "--report", "r.html", "--timeline", "none/t.svg", "--flame", "f.svg")
    assert done.returncode == 1 and "none/t.svg: No such file or directory" in done.stderr
    assert list(tmp_path.iterdir()) == []
    assert run(tmp_path, "--report", "r.html").returncode == 0
    assert "Stacks" in _Page((tmp_path / "r.html").read_text()).headings  # without a flame graph of its own


def test_a_heat_map_of_a_short_run_in_the_terminal(tmp_path: Path) -> None:
    done = run(tmp_path, "--heatmap", "-",
               script='tick-1ms { @ = lquantize(++n % 20, 0, 20, 10); } tick-30ms { exit(0); }')
    rows = re.findall(r"^ +(\d+) \|([ ░▒▓█]+)\|$", done.stdout, re.MULTILINE)
    assert [name for name, _ in rows] == ["10", "0"], done.stdout
    assert len(rows[0][1]) > 20 and all(len(cells.strip()) > 9 for _name, cells in rows)


class _Bucketed:
    """Options, as many as a pace needs."""

    def __init__(self) -> None:
        self.values: dict[str, int] = {}

    def number(self, name: str) -> int:
        return self.values[name]


def test_a_long_run_has_as_many_columns_as_a_picture() -> None:
    """Samples are joined in pairs, and nothing that was counted is lost."""
    options = _Bucketed()
    pace = Pace(options)  # type: ignore[arg-type]
    heat, now = HeatMap(pace), 0
    for _ in range(5000):
        heat.sample((), {}, now)
        now += options.values["aggrate"]
    assert 72 <= len(heat.times) < 144 and options.values["aggrate"] > 10**6
    gaps = {after - before for before, after in pairwise(heat.times)}
    assert max(gaps) <= 2 * options.values["aggrate"]
    fixed = _Bucketed()
    fixed.values["aggrate"] = 10**9
    assert Pace(fixed).fixed and fixed.values == {"aggrate": 10**9}  # type: ignore[arg-type]


def test_a_timeline_needs_one_machine(tmp_path: Path) -> None:
    done = run(tmp_path, "--cluster", "lab.toml", "--timeline", "t.svg")
    assert done.returncode == 1 and "give them without --cluster" in done.stderr, done.stderr


if BROWSER is not None:
    @pytest.mark.parametrize("width", [1280, 390])
    def test_in_a_browser(drawn: Path, tmp_path: Path, width: int) -> None:
        """The page fits the window; a search marks frames, a click makes one wide, Escape undoes it."""
        act = """<script>{
            const flame = document.querySelector(".flame"), field = flame.querySelector("input"), told = [];
            const frames = [...flame.querySelectorAll("g")], seen = () => frames.filter(
                frame => frame.style.display !== "none").length;
            told.push(document.documentElement.scrollWidth <= innerWidth);
            field.value = "ECHO";
            field.dispatchEvent(new Event("input"));
            told.push(flame.querySelectorAll(".found").length, flame.querySelector(".share").textContent);
            frames[frames.length - 1].dispatchEvent(new MouseEvent("click"));
            told.push(seen() < frames.length);
            document.dispatchEvent(new KeyboardEvent("keydown", {key: "Escape"}));
            told.push(seen() === frames.length, flame.querySelectorAll(".found").length);
            document.title = told.join(" ");
            }</script>"""
        copy = tmp_path / "copy.html"
        copy.write_text((drawn / "r.html").read_text().replace("</body>", act + "</body>"))
        done = subprocess.run([str(BROWSER), "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom",
                               f"--window-size={width},900", f"--user-data-dir={tmp_path}/profile",
                               f"file://{copy}"], capture_output=True, text=True, timeout=120, check=True)
        title = re.search("<title>(.*?)</title>", done.stdout)
        assert title is not None
        fits, found, share, zoomed, back, left = title[1].split()
        assert (fits, zoomed, back, left) == ("true", "true", "true", "0")
        assert int(found) >= 1 and share == "100.0%"
