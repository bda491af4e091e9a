"""dc --emit html: a page in which source, tree, DIF and DOF are linked, and which needs no network."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from collections import defaultdict
from html.parser import HTMLParser
from pathlib import Path

import pytest

from dc.command import main

SCRIPT = """/* <b>&amp;</b> "@DOF@" \\x1b */
syscall::read:entry,
syscall::write:entry
/arg2 > 512 && pid != 4/
{
\tself->size = arg2;
\t@bytes[execname] = sum(arg2);
}
syscall::read:return
/self->size/
{
\tif (arg0 < 0)
\t\ttrace(errno);
}
"""
BROWSER = shutil.which("chromium") or shutil.which("google-chrome") or shutil.which("chromium-browser")
VOID = frozenset(("meta", "link", "br"))


class Page(HTMLParser):
    """The text of each pane, and the labelled pieces in it: (labels, lit, around, text)."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text: dict[str, str] = defaultdict(str)
        self.pieces: dict[str, list[tuple[list[str], list[str], list[str], str]]] = defaultdict(list)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self._open: list[str] = []
        self._pane = ""
        self.feed(text)
        self.close()
        assert not self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.elements.append((tag, values))
        if tag not in VOID:
            self._open.append(tag)
        if tag == "section":
            self._pane = str(values["id"])
        if "data-a" in values:
            labels = [(values.get(f"data-{which}") or "").split() for which in "lab"]
            self.pieces[self._pane].append((*labels, ""))  # type: ignore[arg-type]
        elif tag == "span":
            self.pieces[self._pane].append(([], [], [], ""))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag
        if tag == "section":
            self._pane = ""

    def handle_data(self, data: str) -> None:
        self.text[self._pane] += data
        if self._pane and self._open[-1] == "span" and self.pieces[self._pane]:
            *labels, text = self.pieces[self._pane][-1]
            self.pieces[self._pane][-1] = (*labels, text + data)  # type: ignore[assignment]

    def goes_by(self, pane: str, label: str) -> list[str]:
        return [text for labels, _, _, text in self.pieces[pane] if label in labels]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("page")
    (folder / "a.d").write_text(SCRIPT)
    assert main(["--emit", "html", str(folder / "a.d"), "-o", str(folder / "page.html")]) == 0
    assert main([str(folder / "a.d"), "-o", str(folder / "a.dof")]) == 0
    return folder / "page.html"


@pytest.fixture(scope="module")
def page(path: Path) -> Page:
    return Page(path.read_text(encoding="utf-8"))


def test_all_of_the_text_is_there(page: Page) -> None:
    title, *lines, end = page.text["source"].split("\n")
    text = "".join(line.lstrip("0123456789") + "\n" for line in (title.removeprefix("source"), *lines))
    assert text == SCRIPT and not end.strip()  # and there is no line more


def test_the_bytes_are_those_of_the_dof(page: Page, path: Path) -> None:
    shown: dict[int, bytes] = {}
    at = 0
    for labels, lit, around, text in page.pieces["dof"]:
        if not (labels or lit or around) and re.fullmatch(r"[0-9a-f]+", text):
            at = int(text, 16)
        elif re.fullmatch(r"([0-9a-f]{8} )*[0-9a-f]{2,8}", text):
            shown[at] = bytes.fromhex(text)
    data = path.with_name("a.dof").read_bytes()
    for at, piece in shown.items():
        assert data[at:at + len(piece)] == piece
    assert sum(map(len, shown.values())) > len(data) * 0.7


def test_a_statement_is_linked_to_what_it_became(page: Page) -> None:
    """The aggregation's statement of the first clause, through all four panes."""
    (labels,) = {tuple(each for each in labels if each[0] == "s")
                 for labels, _, _, text in page.pieces["source"] if text == "sum"}
    first, second = labels  # once for each description
    for label in (first, second):
        assert "".join(page.goes_by("source", label)) == "@bytes[execname] = sum(arg2"
        assert [line.partition(":")[0] for line in page.goes_by("tree", label)] == \
            ["ExpressionStatement", "Assign", "Index", "Aggregation", "Identifier", "Call", "Identifier",
             "Identifier"]
        assert "agg_sum" in page.goes_by("dif", label)
        assert any("DT_VAR(280)" in line for line in page.goes_by("dif", label))
        assert page.goes_by("dof", label)


def test_each_instruction_has_its_bytes(page: Page) -> None:
    instructions = [lit[0] for _, lit, _, _ in page.pieces["dif"] if lit and lit[0][0] == "i"]
    assert len(instructions) > 20
    for name in instructions:
        (word,) = page.goes_by("dof", name)
        assert re.fullmatch("[0-9a-f]{8}", word)


def test_what_a_browser_would_not_show_is_escaped(tmp_path: Path) -> None:
    (tmp_path / "a.d").write_text('BEGIN { trace("\x01<\u200bé\t&"); }\n')
    assert main(["--emit", "html", str(tmp_path / "a.d"), "-o", str(tmp_path / "a.html")]) == 0
    page = Page((tmp_path / "a.html").read_text(encoding="utf-8"))
    assert r'1BEGIN { trace("\x01<\u200bé' + '\t&"); }' in page.text["source"]


def test_a_node_lights_its_own_text(page: Page) -> None:
    (node,) = (lit[0] for _, lit, _, text in page.pieces["tree"] if text.startswith("Binary:4 op='>'"))
    assert "".join(page.goes_by("source", node)) == "arg2 > 512"


def test_a_node_lights_its_statement_and_a_description_its_clause(page: Page) -> None:
    for pane in ("tree", "source"):
        around = {text: {each[0] for each in near} for _, _, near, text in page.pieces[pane]}
        assert around["sum" if pane == "source" else "Identifier:7 name='sum'"] == {"s"}
        assert next(near for text, near in around.items() if "syscall::read:entry" in text) == {"c"}


def test_nothing_is_fetched(page: Page, path: Path) -> None:
    for _tag, values in page.elements:
        assert not {"src", "href", "srcset", "action"} & set(values)
    text = path.read_text(encoding="utf-8")
    assert "default-src 'none'" in text and "prefers-color-scheme: dark" in text
    assert not re.search(r"url\(|@import|https?:|fetch\(|XMLHttp", text)


def test_one_program_at_a_time(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["--emit", "html", "-n", "BEGIN", "-n", "END"]) == 2
    assert "one program" in capfd.readouterr().err


if BROWSER is not None:
    @pytest.mark.parametrize(("window", "columns"), [("1600,900", 4), ("500,900", 1)])
    def test_in_a_browser(path: Path, tmp_path: Path, window: str, columns: int) -> None:
        """Pointing at a word of the tree lights up something in every pane, and brings it into view.

        Panes are beside each other, or, where there is no room, below each other; all in the window.
        """
        point = """<script>
            const word = [...document.querySelectorAll("#tree [data-a]")].find(
                e => e.textContent.includes("name='sum'"));
            word.dispatchEvent(new MouseEvent("mouseover", {bubbles: true}));
            const panes = [...document.querySelectorAll("section")];
            const boxes = panes.map(e => e.getBoundingClientRect());
            const seen = pane => {
                const at = (pane.querySelector(".on") || pane.querySelector(".near")).getBoundingClientRect();
                const box = pane.getBoundingClientRect();
                return at.left >= box.left && at.left < box.right && at.top >= box.top && at.top < box.bottom;
            };
            document.title = JSON.stringify({
                lit: Object.fromEntries(panes.map(e => [e.id,
                    ["on", "near"].map(c => e.getElementsByClassName(c).length)])),
                columns: new Set(boxes.map(box => box.left)).size,
                inside: boxes.every(box => box.left >= 0 && box.right <= innerWidth && box.height > 100),
                seen: panes.filter(each => each.id != "tree").every(seen)});
            </script>"""
        copy = tmp_path / "copy.html"
        copy.write_bytes(path.read_bytes().replace(b"</body>", point.encode() + b"</body>"))
        done = subprocess.run([str(BROWSER), "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom",
                               f"--window-size={window}", f"--user-data-dir={tmp_path}/profile",
                               f"file://{copy}"], capture_output=True, text=True, timeout=120, check=True)
        title = re.search("<title>(.*?)</title>", done.stdout)
        assert title is not None
        told = json.loads(html.unescape(title[1]))
        assert told["columns"] == columns and told["inside"] and told["seen"]
        assert told["lit"].keys() == {"source", "tree", "dif", "dof"}
        assert told["lit"]["source"][0] == told["lit"]["tree"][0] == 1
        assert all(near > 0 for _, near in told["lit"].values())


LISTED = """BEGIN { x = 1; }
syscall::read:entry { }
tick-1s /x/ { @[pid] = count(); exit(0); }
"""


def listed(folder: Path) -> list[str]:
    """The page of a small script, without what is the same for all: style and program."""
    script = folder / "small.d"
    script.write_text(LISTED)
    assert main(["--emit", "html", "-o", str(folder / "page.html"), "-s", str(script)]) == 0
    text = (folder / "page.html").read_text().replace(f"{folder}/", "")
    return re.sub(r"<(style|script)\b.*?</\1>", "", text, flags=re.DOTALL).splitlines()


def test_a_page_whole(tmp_path: Path) -> None:
    """Every piece with its labels, line by line; `make golden` writes the lines anew."""
    expected = (Path(__file__).parent / "page.txt").read_text().splitlines()
    assert listed(tmp_path) == expected


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as made:
        (Path(__file__).parent / "page.txt").write_text("\n".join(listed(Path(made))) + "\n")
