"""The manual is right: examples print what it says, each word has its paragraph, links lead somewhere."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import compilers
import pytest

from dof.options import TABLE
from runtime.command.command import main
from runtime.manual import examples as manual_examples
from runtime.manual.examples import Example, blocks, examples, matches, mismatches, run
from runtime.manual.pages import Page, all_entries, entries, pages, words_of
from runtime.manual.site import COMMANDS, MAN, MAN_PAGES, build
from runtime.manual.tables import Kind, command, facts, known, probes_of, providers, reference

PAGES = {page.name: page for page in pages()}


@pytest.fixture
def commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where cc makes no 32-bit programs or there is no g++, zig stands in."""
    compiler = compilers.compiler("i386")
    texts = {}
    if compiler is not None and not compiler.own:
        texts["cc"] = ('case " $* " in *" -m32 "*) exec ' f'{shlex.join(compiler.command)} "$@";; esac\n'
                       f'exec {shutil.which("cc")} "$@"')
    if shutil.which("g++") is None:
        texts["g++"] = f'exec {shlex.join(compilers.cxx())} "$@"'
    for name, text in texts.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")


@pytest.mark.parametrize("name", [name for name, page in PAGES.items() if "```console" in page.text])
def test_examples_print_what_the_page_says(name: str, commands: None) -> None:
    if "throw " in PAGES[name].text and compilers.stands_in(compilers.cxx()):
        pytest.skip("no g++: probes of its library, as the manual shows them")
    wrong = mismatches(PAGES[name])
    assert not wrong, "\n".join(map(str, wrong))


def test_an_example_that_prints_something_else_is_found() -> None:
    page = Page("p", "p.md", "```console\n$ echo one\ntwo\n$ echo three\n...\n```\n")
    assert list(map(str, mismatches(page))) == [
        "p, line 2: $ echo one\nthe page says:\n    two\nit printed:\n    one\n"]


def test_an_example_without_an_end_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its children, too; what it has printed by then counts."""
    monkeypatch.setattr(manual_examples, "_LONGEST", 0.5)
    shell, child = run("echo $$; sleep 77 & echo $!; wait; echo more", str(tmp_path))
    assert not Path(f"/proc/{shell}").exists()  # it has been waited for
    with suppress(FileNotFoundError):
        assert Path(f"/proc/{child}/stat").read_text().rpartition(") ")[2][0] in "ZX"


def test_examples_are_written_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                   capsys: pytest.CaptureFixture[str]) -> None:
    """Of the pages that are named, or of all, those whose examples print something else."""
    texts = {"a": "```console\n$ echo one\ntwo\nthree\n$ true\nx\n```\nend\n",
             "b": "```console\n$ echo four\n```\n", "c": "```console\n$ echo five\n...\n```\n"}
    anew = {"a": "```console\n$ echo one\none\n$ true\n```\nend\n",
            "b": "```console\n$ echo four\nfour\n```\n", "c": texts["c"]}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    monkeypatch.setattr("runtime.manual.pages.pages", lambda: [
        Page(name, str(tmp_path / name), (tmp_path / name).read_text()) for name in texts])
    manual_examples.main(["b", "c"])
    assert capsys.readouterr().out == "b\n"
    assert {name: (tmp_path / name).read_text() for name in texts} == {**anew, "a": texts["a"]}
    manual_examples.main([])
    assert capsys.readouterr().out == "a\n"
    assert {name: (tmp_path / name).read_text() for name in texts} == anew


def test_files_that_examples_have() -> None:
    """A block with a second word is a file, but not what is filled in from a table."""
    page = Page("p", "p.md", "```d a.d\nBEGIN\n```\n```{reference} header\n```\n"
                             "```console\n$ ls; cat a.d\na.d\nBEGIN\n```\n")
    assert not mismatches(page)


@pytest.mark.parametrize(("expected", "printed", "same"), [
    (["a...c"], ["abc"], True), (["a...c"], ["ab"], False), (["..."], [], True),
    (["...", "x"], ["1", "2", "x"], True), (["x"], ["x", "y"], False), (["a.c"], ["abc"], False),
])
def test_dots_stand_for_any_text(expected: list[str], printed: list[str], same: bool) -> None:
    assert matches(expected, printed) is same


def test_blocks_and_commands() -> None:
    text = "```d a.d\nBEGIN\n```\n```console\n$ one \\\n> two\nout\n$ three\n```"
    first, second = blocks(text)
    assert first.words == ("d", "a.d")
    assert list(examples(second)) == [Example("one \\\ntwo", ("out",), 6), Example("three", (), 8)]


# -- words ---------------------------------------------------------------------------------------------

def test_every_word_has_its_paragraph() -> None:
    explained = {word for entry in all_entries() for word in entry.words}
    assert sorted(set(known()) - explained) == []


def test_no_word_is_explained_that_does_not_exist() -> None:
    """Headings of words, and options wherever a page names them."""
    assert [word for entry in all_entries() for word in entry.words if word not in known()] == []
    named = {(page.name, word) for page in PAGES.values() for word in re.findall(r"`-x ([\w-]+)", page.text)}
    assert [(page, word) for page, word in named if word not in {*TABLE, "name"}] == []
    switches = {switch for name in COMMANDS for row in command(name).switches()
                for switch in (row.name, row.other)} | {"-32", "-64"}
    used = {(page.name, word) for page in PAGES.values()
            for word in re.findall(r"`(-[A-Za-z]|--[a-z-]+)`", page.text)}
    others = {"--cert", "--key", "--ca",  # of dinstance
              "--unsafe", "--seed", "--tap", "--update", "--time-limit", "--gc-sections",
              "--icf", "-k", "--no-pyparsing",  # of bpftrace, dtest, linkers, SystemTap's dtrace
              "--bootstrap"}  # of MariaDB
    assert [(page, word) for page, word in used if word not in switches | others] == []
    tags = {word for page in PAGES.values() for word in re.findall(r"`(D_[A-Z_]+)`", page.text)}
    assert sorted(tags - set(known())) == []


def test_paragraphs_say_something() -> None:
    assert [entry.words for entry in all_entries() if len(entry.body) < 20] == []


def test_no_word_is_explained_twice() -> None:
    words = [word for entry in all_entries() for word in entry.words]
    assert [word for word in set(words) if words.count(word) > 1] == []


@pytest.mark.parametrize("name", [name for name in providers() if name not in ("pid", "usdt")])
def test_a_providers_page_has_its_probes(name: str) -> None:
    page = PAGES[f"runtime/providers/{name}"]
    if name == "syscall":
        assert "{reference} systemcalls" in page.text and "`read`" in reference("systemcalls")
    elif name == "fbt":
        assert "{reference} functions" in page.text and "`fop_read`" in reference("functions")
    else:
        assert f"{{reference}} probes {name}" in page.text
        table = reference("probes", name)
        assert all(f"`{probe.name}`" in table for probe in probes_of(name))


def test_what_headings_announce() -> None:
    assert words_of("`copyin`, `copyinto`") == ("copyin", "copyinto")
    assert words_of("The `io` provider") == ("io provider",)
    assert words_of("What `-G` does") == ()
    page = Page("p", "", "# The `io` provider\n\ntext\n\n## More\n\nmore\n\n## `x`\n\nof x\n")
    assert [(each.words, each.body) for each in entries(page)] == [
        (("io provider",), "text\n\n## More\n\nmore"), (("x",), "of x")]


# -- dtrace --explain ----------------------------------------------------------------------------------

@pytest.mark.parametrize(("words", "lines"), [
    (["strtok"], ["subroutine strtok", "  string strtok(const char *, const char *); number 31; since"]),
    (["strtok()"], ["subroutine strtok"]),
    (["D_PROTO_LEN"], ["tag of an error D_PROTO_LEN"]),
    (["-x", "bufpolicy"], ["option bufpolicy", "  -x bufpolicy=ring|fill|switch; default switch; in prog"]),
    (["bufpolicy"], ["option bufpolicy"]),
    (["io"], ["provider io", "      done  genunix`biodone  bufinfo_t *, devinfo_t *, fileinfo_t *"]),
    (["pid"], ["variable pid", "provider pid"]),
    (["-c"], ["dtrace -c COMMAND"]),
    (["options"], ["  bufpolicy=ring|fill|switch"]),
    (["tags"], ["D_ACT_SPEC"]),
])
def test_explain(words: list[str], lines: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--explain", *words]) == 0
    out = capsys.readouterr().out
    assert all(any(each.startswith(line) for each in out.splitlines()) for line in lines), out


def test_every_word_can_be_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    from runtime.manual.explain import explained

    for word, kind in known().items():
        text = explained(word.removesuffix(" provider"))
        assert f"{kind} {word.removeprefix('-x ').removesuffix(' provider')}" in text
        assert "`" not in text.replace("genunix`", "").replace("unix`", "") or kind in (
            Kind.PROVIDER, Kind.TAG, Kind.ACTION), text


def test_explain_knows_what_it_does_not_know(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--explain", "strtk"]) == 1
    assert "does not know 'strtk' (did you mean 'strtok'?)" in capsys.readouterr().err


def test_facts_are_the_tables() -> None:
    assert facts("-x strsize") == "`-x strsize=SIZE`; bytes, with k, m, g or t; default 256; in programs, too"
    assert facts("getf").startswith("`file_t *getf(int)`; number 46 for illumos and 51 for FreeBSD; since")
    assert facts("ldsb") == "`ldsb [r1], rd`; number 28; 1 byte; signed"


@pytest.mark.parametrize("words", [("nosuch",), ("declaration", "nosuch_t"), ("probes", "nosuch")])
def test_references_to_what_is_not_there(words: tuple[str, ...]) -> None:
    with pytest.raises(KeyError):
        reference(*words)


# -- the site ------------------------------------------------------------------------------------------

def test_the_site_has_no_broken_link_and_no_network(tmp_path: Path) -> None:
    """Sphinx takes a link that leads nowhere for an error; pages load nothing from elsewhere."""
    build(str(tmp_path), "html", "man")
    for name in MAN_PAGES:
        here, there = ((Path(folder) / f"{name}.1").read_text() for folder in (MAN, tmp_path / "man"))
        assert here == there, f"make manual has not been run: {name}.1 differs"
    html = list((tmp_path / "html").rglob("*.html"))
    assert len(html) > len(PAGES)
    loaded = re.compile(r'<(?:script|img|iframe|link)[^>]* (?:src|href)="(?:https?:)?//')
    assert [path.name for path in html if loaded.search(path.read_text())] == []
    assert "strtok" in (tmp_path / "html" / "searchindex.js").read_text()
    assert "_static/narrow.css" in (tmp_path / "html" / "index.html").read_text()
    assert "{" in (tmp_path / "html" / "_static" / "narrow.css").read_text()


@pytest.mark.parametrize("name", COMMANDS)
def test_man_pages_have_every_switch(name: str) -> None:
    text = (Path(MAN) / f"{name}.1").read_text().replace("\\-", "-").replace("\\(aq", "'")
    assert [row.name for row in command(name).switches() if f"{row.name}" not in text] == []


def test_help_fits_a_screen() -> None:
    """Forty lines of a hundred columns and a few; what is longer is said by --help-all, man and --explain."""
    for name in COMMANDS:
        lines = command(name).help().splitlines()
        assert len(lines) <= 40 and max(map(len, lines)) < 120 and "man " in lines[-1]
    whole = command("dtrace").help(whole=True)
    assert all(f"    {switch.name}" in whole for switch in command("dtrace").switches())
    assert command("dtrace").rare <= {switch.name for switch in command("dtrace").switches()}


@pytest.mark.parametrize("name", ["dtest", "dinstance"])
def test_help_of_clicks_fits_a_screen_and_tells_where_to_read_more(name: str) -> None:
    from click.testing import CliRunner

    from runtime.dtest.dtest import dtest
    from runtime.instances.starting.dinstance import dinstance

    command = {"dtest": dtest, "dinstance": dinstance}[name]
    lines = CliRunner().invoke(command, ["--help"]).output.splitlines()
    assert len(lines) <= 40 and lines[-1].strip().startswith("More: ")


def test_the_man_page_of_dtest_has_its_options() -> None:
    text = (Path(MAN) / "dtest.1").read_text().replace("\\-", "-")
    assert all(word in text for word in ("--junit", "--random", "--update", "--help"))


@pytest.mark.parametrize(("line", "expected"), [
    ("dtrace -x bufp", ["bufpolicy="]),
    ("dtrace -x bufpolicy=", ["bufpolicy=fill", "bufpolicy=ring", "bufpolicy=switch"]),
    ("dtrace -qn 'io:::", ["io:::done", "io:::start", "io:::wait-done", "io:::wait-start"]),
    ("dtrace -n sysc", ["syscall:"]),
    ("dtrace -n syscall::readl", ["syscall::readlink:", "syscall::readlinkat:"]),
    ("dtrace -P sysi", ["sysinfo"]),
    ("dtrace --fl", ["--flame"]),
    ("dtrace --explain strt", ["strtok", "strtoll"]),
    ("difdis --check ", ["enabling", "helper"]),
    ("dc ", ["folder/", "one.d"]),
    ("dtrace -s folder/", ["folder/two.d"]),
    ("ls ", []), ("", []),
])
def test_words_that_may_come_next(line: str, expected: list[str], tmp_path: Path,
                                  monkeypatch: pytest.MonkeyPatch,
                                  capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "folder").mkdir()
    for name in ("one.d", "one.c", "folder/two.d"):
        (tmp_path / name).touch()
    monkeypatch.chdir(tmp_path)
    assert main(["--complete", line]) == 0
    assert capsys.readouterr().out.splitlines() == expected


def test_bash_takes_the_words() -> None:
    """Readline splits at colons and equals signs, and the script gives what is behind the last of them."""
    script = (Path(MAN).parent / "shells" / "dtrace.bash").read_text() + """
    dtrace() { "$PYTHON" -m runtime.command "$@"; }
    COMP_LINE='dtrace -n io:::w' COMP_POINT=16 COMP_WORDS=(dtrace -n io ::: w) COMP_CWORD=4
    _dtrace_suite; echo "${COMPREPLY[@]}"
    """
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True,
                          env={**os.environ, "PYTHON": sys.executable})
    assert done.stdout == "wait-done wait-start\n"


def test_the_commands_do_not_load_the_manual() -> None:
    code = ("import sys\nfrom dc.command import main\nfrom runtime.command.command import main as other\n"
            "main(['-e', '-n', 'BEGIN'])\nother(['-e', '-n', 'BEGIN'])\n"
            "assert not [name for name in sys.modules if name.startswith('runtime.manual')]")
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


@pytest.mark.parametrize(("words", "line"), [
    (["-x", "bufpolicy=spiral"], "; dtrace --explain -x bufpolicy says more\n"),
    (["-x", "nosuch"], "; dtrace --explain options says more\n"),
    (["-b", "8x"], "; dtrace --explain -x bufsize says more\n"),
])
def test_a_wrong_option_names_the_word_to_ask(words: list[str], line: str,
                                              capsys: pytest.CaptureFixture[str]) -> None:
    """The word that is named is one that the manual knows."""
    from dc.command import main as dc

    assert main([*words, "-n", "BEGIN"]) == 1 and dc([*words, "-n", "BEGIN"]) == 2
    assert capsys.readouterr().err.count(line) == 2
    assert main(line.split()[2:-2]) == 0
    assert capsys.readouterr().out
