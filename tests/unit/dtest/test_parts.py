"""dtest part by part: headers, verdicts, differences, reports, command lines, without running a machine."""

from __future__ import annotations

import io
import random
import re
import shlex
import tarfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from xml.etree import ElementTree

import pytest

from runtime.api.results import Traced, parse
from runtime.dtest import judging, processes
from runtime.dtest.cases import Case, case_of, find_cases
from runtime.dtest.differences import difference, visible, where
from runtime.dtest.fixture import _fail, _told
from runtime.dtest.header import LARGEST, Header, HeaderError, has_header, read_header
from runtime.dtest.judging import Problem, Verdict
from runtime.dtest.processes import Processes, Result
from runtime.dtest.programs import BuildError, Skip, Workshop
from runtime.dtest.reports import Report, as_json, junit, tap
from runtime.dtest.runner import Runner, Settings, environment_of
from runtime.dtest.screen import Screen

# -- which files are tests --------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "text", "kind", "tag"), [
    ("tst.a.d", b"", "tst", ""), ("tst.a.b.d", b"", "tst", ""), ("err.D_X.a.d", b"", "err", "D_X"),
    ("err.D_X.d", b"", "err", ""), ("drp.DTRACEDROP_X.a.ksh", b"", "drp", "DTRACEDROP_X"),
    ("err.D_x.d", b"", "err", ""), ("tst.a.sh", b"", "tst", ""), ("a.d", b"/* dtest\n*/", "tst", ""),
    ("a.d", b"#!/usr/sbin/dtrace -s\n /*\tdtest \r\n\n*/", "tst", ""), ("a.sh", b"/* dtest\n*/", None, ""),
    ("a.d", b"BEGIN", None, ""), ("a.d", b"/* dtests\n*/", None, ""), ("a.d", b"x /* dtest\n*/", None, ""),
    ("xtst.a.d", b"", None, ""), ("tst.a.c", b"", None, ""), ("tst.d", b"", None, ""),
    ("tst.a.d.out", b"", None, "")])
def test_names(name: str, text: bytes, kind: str | None, tag: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(text)
    found = case_of(tmp_path / name, f"x/{name}")
    assert (None if found is None else (found.kind, found.tag)) == (None if kind is None else (kind, tag))
    if found is not None:
        assert (found.category, found.is_script) == ("x", not name.endswith(".d"))
        assert found.expected(".out") == tmp_path / f"{name}.out"


def test_where_tests_are_found(tmp_path: Path) -> None:
    for name in ("b/tst.1.d", "a/x/tst.2.sh", "a/tst.3.d", "tst.0.d", "a/none.d"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()

    def names(*wanted: str, paths: tuple[str, ...] = ("",)) -> list[str]:
        found = list(find_cases([tmp_path / path for path in paths], wanted))
        assert all(case.path.is_absolute() and case.path.exists() for case in found)
        return [case.name for case in found]

    assert names() == ["a/tst.3.d", "a/x/tst.2.sh", "b/tst.1.d", "tst.0.d"]
    assert names("a") == ["a/tst.3.d", "a/x/tst.2.sh"] and names("x") == []
    assert names("a/x", "tst.0.d") == ["a/x/tst.2.sh", "tst.0.d"]
    assert names("a/tst.[0-9].d") == ["a/tst.3.d"] and names("tst.2.*") == ["a/x/tst.2.sh"]
    assert names(paths=("a", "")) == ["tst.3.d", "x/tst.2.sh", "b/tst.1.d", "tst.0.d"]  # each once
    assert names(paths=("a/tst.3.d", "b")) == ["tst.3.d", "tst.1.d"]
    with pytest.raises(FileNotFoundError):
        names(paths=("none",))


# -- headers ----------------------------------------------------------------------------------------------

WHOLE = b"""#!/usr/sbin/dtrace -s
/* dtest
 * program = "p.c"
 * arguments = ["a", "b"]
 * provider = "p.d"
 * cflags = ["-O2"]
 * options = ["strsize=8"]
 * macros = ["1"]
 * environment = { A = "b" }
 * input = "in"

 * lines = ["l"]
 * absent = ["n"]
 * errors = ["e"]
 * counts = { "c" = 1 }
 * firings = { "BEGIN" = 2 }
 * aggregations = { "@" = -3 }
 * status = 4
 * time_limit = 5
 */
"""


def test_everything_that_a_header_may_say() -> None:
    assert read_header(WHOLE) == Header(
        "p.c", ("a", "b"), "p.d", ("-O2",), ("strsize=8",), ("1",), {"A": "b"}, "in", ("l",), ("n",), ("e",),
        {"c": 1}, {"BEGIN": 2}, {"@": -3}, 4, 5)
    assert read_header(b"/* dtest\n*/") == Header() and read_header(b"BEGIN") is None
    assert Header().status is None and (Header().time_limit, Header().program) == (0, "")


def test_a_header_stands_at_the_beginning() -> None:
    for size, found in ((LARGEST, True), (LARGEST + 1, False)):
        data = b"/* dtest\n" + b"#" * (size - 12) + b"\n*/"
        assert len(data) == size and has_header(data) == found
        assert (read_header(data) is not None) == found


KEYS = ", ".join(sorted(Header._fields if hasattr(Header, "_fields") else Header.__annotations__))


@pytest.mark.parametrize(("text", "said"), [
    (b"x = 1", f"the header: there is no key x; there are {KEYS}"),
    *((f"{key} = 1".encode(), f"the header: {key} must be a string")
      for key in ("program", "provider", "input")),
    *((f"{key} = {value}".encode(), f"the header: {key} must be a list of strings")
      for key in ("arguments", "cflags", "options", "macros", "lines", "absent", "errors")
      for value in ('"a"', "[1]", '["a", 1]')),
    *((f"{key} = {value}".encode(), f"the header: {key} must be a table of numbers")
      for key in ("counts", "firings", "aggregations") for value in ("1", "{ a = true }", '{ a = "1" }')),
    *((f"environment = {value}".encode(), "the header: environment must be a table of strings")
      for value in ("[]", "{ A = 1 }")),
    *((f"{key} = {value}".encode(), f"the header: {key} must be a number")
      for key in ("status", "time_limit") for value in ("-1", "true", "1.5", '"1"')),
    (b'provider = "p.d"\nprogram = "p"', "the header: provider needs a program in C"),
    (b"\xff = 1", "the header is no UTF-8"),
    (b"\n a b", "the header: Expected '=' after a key in a key/value pair (line 3)")])
def test_headers_that_are_refused(text: bytes, said: str) -> None:
    with pytest.raises(HeaderError) as caught:
        read_header(b"/* dtest\n" + text + b"\n*/")
    assert str(caught.value) == said


# -- differences ------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("line", "shown"), [
    (b"a b", "a b"), (b"a \t ", "a␠␉␠"), (b"\ta", "\ta"), (b"\x1b\x00", "\\x1b\\x00"), (b"\xff", "\\xff"),
    ("é\u200b".encode(), "é\\u200b"), (b" ", "␠"), (b"", "")])
def test_what_is_made_visible(line: bytes, shown: str) -> None:
    assert visible(line) == shown


@pytest.mark.parametrize(("expected", "got", "said"), [
    (b"a\nb\n", b"a\nc\n", "line 2"), (b"a\n", b"a\nb\n", "2 lines, not 1"),
                                                       (b"a\nb\n", b"a\n", "1 lines, not 2"),
    (b"a\n", b"a\n", "nowhere"), (b"a", b"a\n", "line 1"), (b"", b"a\n", "1 lines, not 0")])
def test_where_two_texts_differ(expected: bytes, got: bytes, said: str) -> None:
    assert where(expected, got) == said


def test_a_difference() -> None:
    assert difference(b"a\nb \nc", b"a\nd\nc\n", "x") == (
        "--- x (expected)\n+++ x (got)\n@@ -1,3 +1,3 @@\n a\n-b␠\n-c\\ no newline at the end\n+d\n+c\n")
    many = difference(b"", b"x\n" * 198, "x").splitlines()
    assert len(many) == 201 and many[-1] == "... 1 more lines"
    assert len(difference(b"", b"x\n" * 197, "x").splitlines()) == 200


# -- verdicts ---------------------------------------------------------------------------------------------

def case(kind: str = "tst", tag: str = "", path: Path = Path("/no/tst.a.d")) -> Case:
    return Case(path, "no/tst.a.d", kind, tag)


def problem(judge: Callable[[], None]) -> tuple[str, str] | None:
    try:
        judge()
    except Problem as found:
        assert str(found) == found.reason
        return found.reason, found.detail
    return None


@pytest.mark.parametrize(("status", "kind", "wanted", "said"), [
    (0, "tst", None, None), (0, "drp", None, None), (1, "err", None, None), (3, "err", 3, None),
                                                                (0, "err", 0, None),
    (1, "tst", None, "exit status 1, not 0"), (0, "err", None, "exit status 0, not 1"),
    (None, "tst", None, "took longer than 2.5 s"), (-9, "tst", None, "ended by SIGKILL"),
    (-99, "tst", None, "ended by signal 99"), (2, "tst", 3, "exit status 2, not 3")])
def test_statuses(status: int | None, kind: str, wanted: int | None, said: str | None) -> None:
    found = problem(lambda: judging.judge_status(case(kind), Header(status=wanted),
                                                 Result(status, b"", b"e \n"), 2.5))
    assert found == (None if said is None else (said, "  e␠\n"))


def test_long_messages_are_cut() -> None:
    for count in (20, 21):
        result = Result(1, b"", b"".join(b"%d\n" % number for number in range(count)))
        found = problem(partial(judging.judge_status, case(), Header(), result, 1))
        assert found is not None
        assert found[1].splitlines()[0] == ("  0" if count == 20 else "  ... 1 lines before")
        assert len(found[1].splitlines()) == count and found[1].endswith(f"  {count - 1}\n")


@pytest.mark.parametrize(("kind", "tag", "err", "said"), [
    ("err", "D_X", b"dtrace: a: [D_X] line 3: b\n", None), ("err", "", b"", None),
                                                          ("drp", "D", b"x [D] 3\n", None),
    ("err", "D_X", b"[D_X] line 3:", "no [D_X], but [D_X]"),
                                                          ("err", "D_X", b": [D_X] line a:",
                                                           "no [D_X], but [D_X]"),
    ("err", "D_X", b"oops", "no [D_X]"), ("err", "D_X", b": [D_YZ] line 1: ", "no [D_X], but [D_YZ]"),
    ("drp", "D", b"[D]", "no [D]"), ("tst", "D", b"", None)])
def test_tags(kind: str, tag: str, err: bytes, said: str | None) -> None:
    found = problem(lambda: judging.judge_outputs(case(kind, tag), Result(0, b"", err)))
    assert (found and found[0]) == said


def test_expected_files(tmp_path: Path) -> None:
    each = case(path=tmp_path / "tst.a.d")
    (tmp_path / "tst.a.d.out").write_bytes(b"a\n")
    (tmp_path / "tst.a.d.err").write_bytes(b"e\n")
    assert problem(lambda: judging.judge_outputs(each, Result(0, b"a\n", b"e\n"))) is None
    found = problem(lambda: judging.judge_outputs(each, Result(0, b"b\n", b"e\n")))
    assert found is not None and found[0] == "output: tst.a.d.out differs at line 1"
    assert found[1].endswith("-a\n+b\n")
    found = problem(lambda: judging.judge_outputs(each, Result(0, b"a\n", b"")))
    assert found is not None and found[0] == "messages: tst.a.d.err differs at 0 lines, not 1"


@pytest.mark.parametrize(("header", "said"), [
    (Header(lines=("a*", "c")), None),
                                              (Header(lines=("c", "a")),
                                               "output: no line 'a' after the ones before it"),
    (Header(lines=("x",)), "output: no line 'x'"), (Header(errors=("e",)), None),
    (Header(errors=("f",)), "messages: no line 'f'"), (Header(absent=("x", "y")), None),
    (Header(absent=("x", "b?")), "output: the line 'bb' should not be there"),
                                              (Header(counts={"*": 3, "x": 0}), None),
    (Header(counts={"?": 1}), "output: 2 lines match '?', not 1"),
    (Header(lines=("a", "a")), "output: no line 'a'")])
def test_lines(header: Header, said: str | None) -> None:
    found = problem(lambda: judging.judge_lines(header, Result(0, b"a\nbb\nc\n", b"e\n")))
    assert (found and found[0]) == said
    assert found is None or found[1] == ("  e\n" if "messages" in found[0] else "  a\n  bb\n  c\n")


TRACE = [b'{"type":"firing","cpu":0,"epid":1,"probe":{"id":1,"provider":"dtrace","module":"","function":"",'
         b'"name":"BEGIN"},"timestamp":1,"records":[{"kind":"trace","value":1}]}'] * 2 + [
    b'{"type":"aggregation","name":"a","function":"sum","keys":["x",2],"normal":1,"value":5}',
    b'{"type":"aggregation","name":"_","function":"count","keys":[],"normal":1,"value":7}',
    b'{"type":"aggregation","name":"q","function":"quantize","keys":[],"normal":1,"value":['
    b'{"low":1,"high":1,"count":2},{"low":4,"high":7,"count":3}]}']


@pytest.mark.parametrize(("header", "said", "detail"), [
    (Header(firings={"BEGIN": 2, "dtrace:::BEGIN": 2, "END": 0}), None, ""),
    (Header(firings={"BEGIN": 1}), "BEGIN fired 2 times, not 1", "  dtrace:::BEGIN fired 2 times\n"),
    (Header(aggregations={"@a[x, 2]": 5, "@a[x,2]": 5, "@": 7, " @q ": 5}), None, ""),
    (Header(aggregations={"@a[x,2]": 6}), "@a[x,2] is 5, not 6", "  @a[x,2] = 5\n  @ = 7\n  @q = 5\n"),
    (Header(aggregations={"@b": 6}), "@b is not there, not 6", "  @a[x,2] = 5\n  @ = 7\n  @q = 5\n")])
def test_traces(header: Header, said: str | None, detail: str) -> None:
    found = problem(lambda: judging.judge_trace(header, parse(TRACE)))
    assert found == (None if said is None else (said, detail))


# -- reports ----------------------------------------------------------------------------------------------

REPORT = Report([
    Verdict("a/tst.1.d", "pass", "", "", 0.25),
                 Verdict("a/tst#2\\.d", "fail", 'bad "x"', "one\ntwo\x01\n", 1.5),
    Verdict("b/tst.3.d", "skip", "no\n such thing", "", 0.001), Verdict("tst.4.d", "fail", "why", "", 2.0)],
    datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC), 3.75149, 12)


def test_tap() -> None:
    assert tap(REPORT).decode() == r"""TAP version 14
1..4
ok 1 - a/tst.1.d
  ---
  duration_ms: 250
  ...
not ok 2 - a/tst\#2\\.d
  ---
  duration_ms: 1500
  message: "bad \"x\""
  detail: |1
    one
    two""" + "\x01" + r"""
  ...
ok 3 - b/tst.3.d # SKIP no such thing
not ok 4 - tst.4.d
  ---
  duration_ms: 2000
  message: "why"
  ...
"""


def test_the_bar_tells_how_many_have_failed() -> None:
    screen = Screen(4)
    task, = screen._progress.tasks
    seen = []
    for verdict in REPORT.verdicts:
        screen.show(verdict)
        seen.append((task.completed, task.description))
    assert task.total == 4 and seen == [(1, "testing"), (2, "testing, 1 failed"), (3, "testing, 1 failed"),
                                        (4, "testing, 2 failed")]


def test_json() -> None:
    assert as_json(REPORT).decode().startswith(
        '{\n "passed": 1,\n "failed": 2,\n "skipped": 1,\n "seconds": 3.751,\n "seed": 12,\n'
        ' "tests": [\n  {\n   "name": "a/tst.1.d",\n   "verdict": "pass",\n   "reason": "",\n'
        '   "detail": "",\n   "seconds": 0.25\n  },')


def test_junit() -> None:
    text = junit(REPORT)
    assert text.startswith(b"<?xml version='1.0' encoding='utf-8'?>\n<testsuites>\n  <testsuite ")
    assert text.endswith(b"</testsuites>\n")
    a, b, rest = ElementTree.fromstring(text)
    attributes = dict(a.attrib)
    assert attributes.pop("hostname")
    assert attributes == {"id": "0", "package": "dtest", "name": "a", "timestamp": "2024-05-06T07:08:09",
                          "tests": "2",
                          "failures": "1", "errors": "0", "skipped": "0", "time": "1.750"}
    assert [each.tag for each in a] == ["properties", "testcase", "testcase", "system-out", "system-err"]
    assert a[1].attrib == {"name": "tst.1.d", "classname": "a", "time": "0.250"} and len(a[1]) == 0
    failure, = a[2]
    assert failure.attrib == {"message": 'bad "x"', "type": "failure"}
    assert failure.text == 'bad "x"\none\ntwo\\x01\n'
    assert (b.get("id"), b.get("skipped"), b.get("failures"), b[1][0].tag) == ("1", "1", "0", "skipped")
    assert b[1][0].get("message") == "no\n such thing" and (rest.get("name"), rest.get("id")) == ("tests",
                                                                                                  "2")


@pytest.mark.parametrize(("verbose", "shown"), [(False, [
    'fail a/tst#2\\.d: bad "x"', "    one", "    two\\x01", "fail tst.4.d: why", "note",
    "1 passed, 2 failed, 1 skipped in 3.8 s (--seed 12)", "skipped: no", " such thing"]), (True, [
        "pass a/tst.1.d (0.25 s)", 'fail a/tst#2\\.d: bad "x" (1.50 s)', "    one", "    two\\x01",
        "skip b/tst.3.d: no", " such thing (0.00 s)", "fail tst.4.d: why (2.00 s)", "note",
        "1 passed, 2 failed, 1 skipped in 3.8 s (--seed 12)", "skipped: no", " such thing"])])
def test_the_screen(verbose: bool, shown: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    for to_stderr in (False, True):
        with Screen(4, colour="never", verbose=verbose, to_stderr=to_stderr) as screen:
            for verdict in REPORT.verdicts:
                screen.show(verdict._replace(detail=verdict.detail.replace("\x01", "\\x01")))
            screen.note("note")
            screen.total(REPORT)
        captured = capfd.readouterr()
        assert (captured.err if to_stderr else captured.out).splitlines() == shown
        assert not (captured.out if to_stderr else captured.err)


def test_lines_are_above_the_bar(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    """It is taken off the terminal for each, and drawn anew behind it: the cursor is shown in between."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    with Screen(4, colour="never") as screen:
        for verdict in REPORT.verdicts:
            screen.show(verdict)
        screen.note("note")
        hidden = re.findall(r"\x1b\[\?25([hl])", capfd.readouterr().err)
    assert hidden == ["l", *["h", "l"] * 5]  # two that have failed, two lines more of one, and the note


def test_colours_of_the_screen(capfd: pytest.CaptureFixture[str]) -> None:
    with Screen(1, colour="always", verbose=True) as screen:
        for verdict in (Verdict("p", "pass"), Verdict("s", "skip", "r"),
                        Verdict("f", "fail", "r", "+a\n-b\n@@\nc")):
            screen.show(verdict)
        screen.total(Report([Verdict("p", "pass")], REPORT.began, 1.0))
    codes = [re.findall(r"\x1b\[([\d;]+)m", line) for line in capfd.readouterr().out.splitlines()]
    assert [code[:1] for code in codes] == [["32"], ["33"], ["1;31"], ["32"], ["31"], ["36"], [], ["32"]]


# -- runs -------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("environment", "kept"), [
    ("clean", {"PATH": "/p", "HOME": "/h", "CC": "c", "TMPDIR": "/t", "PYTHONPATH": "x", "DTRACE_X": "1"}),
    ("host",
     {"PATH": "/p", "HOME": "/h", "CC": "c", "TMPDIR": "/t", "PYTHONPATH": "x", "DTRACE_X": "1", "A": "b"})])
def test_the_environment_of_tests(environment: str, kept: dict[str, str]) -> None:
    host = {"PATH": "/p", "HOME": "/h", "CC": "c", "TMPDIR": "/t", "PYTHONPATH": "x", "DTRACE_X": "1",
            "A": "b",
            "DTRACE_DOF_INIT": "1", "TZ": "there", "LC_ALL": "x"}
    assert environment_of(host, Settings(environment=environment)) == kept | {"TZ": "Etc/UTC",
                                                                              "LC_ALL": "C.UTF-8"}
    assert environment_of({}, Settings())["PATH"]


def runner(folder: Path, **settings: object) -> Runner:
    """A runner whose dtrace shows its words and its input."""
    fake = folder / "fake"
    fake.write_text('#!/bin/sh\nfor word; do echo "<$word>"; done\ncat\necho said >&2\n')
    fake.chmod(0o755)
    return Runner.at(folder, Settings(str(fake), **settings),
                     {"PATH": "/usr/bin:/bin"})  # type: ignore[arg-type]


def words(folder: Path, name: str, text: str, kind: str = "tst", **settings: object) -> list[str]:
    """The words that a test's dtrace gets."""
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    done = runner(folder, keep=True, **settings).run(Case(path, name, kind))
    assert done.result is not None, done.verdict
    assert done.verdict.seconds < 30 and done.result.err == b"said\n"
    return [line.removeprefix("<").removesuffix(">") for line in done.result.out.decode().splitlines()]


def test_command_lines(tmp_path: Path) -> None:
    assert words(tmp_path, "tst.a.d", "") == ["-x", "env=clean", "-s", "tst.a.d"]
    assert words(tmp_path, "err.D.d", "/* dtest\nstatus = 0\n*/", "err") == [
        "-x", "env=clean", "-xerrtags", "-s", "err.D.d"]
    assert words(tmp_path, "drp.D.d", "", "drp", environment="host", options=("a=1", "b")) == [
        "-x", "a=1", "-x", "b", "-xdroptags", "-s", "drp.D.d"]
    header = """/* dtest
program = "./prog"
arguments = ["a b", "c"]
options = ["strsize=8"]
environment = { A = "1" }
macros = ["7"]
input = "given"
*/"""
    assert words(tmp_path, "preprocessor/x.d", header, root="/r") == [
        "-x", "env=clean", "-x", "root=/r", "-C", "-c",
        shlex.join([f"{tmp_path}/preprocessor/prog", "a b", "c"]),
        "-x", "strsize=8", "-x", "setenv=A=1", "-x", f"file={tmp_path}/preprocessor/prog", "-x",
        f"file={tmp_path}/preprocessor", "-s", "x.d", "7", "given"]
    (tmp_path / "tst.b.exe").write_text("")
    (tmp_path / "tst.b.exe").chmod(0o755)
    assert words(tmp_path, "tst.b.d", "/* dtest\nmacros = ['9']\n*/") == [
        "-x", "env=clean", "-x", f"spawn={tmp_path}/tst.b.exe", "-s", "tst.b.d", "101", "9"]
    assert words(tmp_path, "tst.b.d", "", root="none")[4:10] == [
        "-x", f"spawn={tmp_path}/tst.b.exe", "-x", f"file={tmp_path}/tst.b.exe", "-x", f"file={tmp_path}"]
    assert words(tmp_path, "z.d", '/* dtest\nprogram = "true"\n*/', root="none")[4:8] == [
        "-c", "true", "-x", f"file={tmp_path}"]
    assert words(tmp_path, "y.d", '/* dtest\nprogram = "true"\n*/')[2:4] == ["-c", "true"]


def test_verdicts_of_runs(tmp_path: Path) -> None:
    run = runner(tmp_path, limit=20.0)
    for name, text, verdict, reason in (
            ("tst.a.sh", "exit 0", "pass", ""), ("tst.b.sh", "exit 3", "fail", "exit status 3, not 0"),
            ("tst.c.sh", "echo one; echo 'no two'; exit 77", "skip", "no two"),
            ("tst.d.sh", "exit 77", "skip", "it says so itself (77)"),
            ("tst.e.sh", "echo x >&2; echo y; exit 77", "skip", "x"),
            ("tst.f.d", "/* dtest\nx = 1\n*/", "fail", f"the header: there is no key x; there are {KEYS}"),
            ("tst.g.sh", "echo $1", "pass", ""), ("err.D_X.h.sh", "exit 1", "pass", "")):
        (tmp_path / name).write_text(text)
        done = run.run(Case(tmp_path / name, name, name.partition(".")[0]))
        assert (done.verdict.verdict, done.verdict.reason, done.result) == (verdict, reason, None), name
    assert run.run(Case(tmp_path / "none.d", "none.d", "tst")).verdict.reason.startswith("[Errno 2]")


def test_a_time_limit_ends_what_was_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "_LEAVING", 0.5)
    found = Processes()
    start = time.monotonic()
    result = found.run(["sh", "-c", "trap '' TERM; echo a; echo b >&2; sleep 60 & wait; sleep 60"], "/",
                       {"PATH": "/usr/bin:/bin"}, 0.3)
    assert result == Result(None, b"a\n", b"b\n") and 0.7 < time.monotonic() - start < 30
    assert found.run(["cat"], "/", {"PATH": "/bin"}, 9, b"in") == Result(0, b"in", b"")
    assert found.run(["sh", "-c", "kill -9 $$"], "/", {"PATH": "/bin"}, 9).status == -9
    monkeypatch.setattr(processes, "MOST_OUTPUT", 3)
    assert found.run(["sh", "-c", "echo abcd; echo efgh >&2"], "/", {"PATH": "/bin"}, 9) == Result(0, b"abc",
                                                                                                   b"efg")
    with pytest.raises(OSError):
        found.run(["/no/such"], "/", {}, 9)
    found.stop()
    with pytest.raises(KeyboardInterrupt):
        found.run(["true"], "/", {}, 9)


def workshop(folder: Path, compiler: str = "", limit: float = 30.0) -> Workshop:
    """A workshop whose compiler and dtrace only note their words, and make what -o names."""
    for name in ("cc", "dtrace"):
        tool = folder / name
        tool.write_text(f'#!/bin/sh\necho "{name} $*" >> {folder}/log\nwhile [ "$1" != -o ]; do shift; done\n'
                        'echo > "$2"\n')
        tool.chmod(0o755)
    return Workshop(folder, str(folder / "dtrace"),
                    {"PATH": f"{folder}:/usr/bin:/bin", "CC": compiler or "cc"},
                    Processes(), limit)


def test_how_programs_are_built(tmp_path: Path) -> None:
    shop, here = workshop(tmp_path), tmp_path / "t"
    here.mkdir()
    each = Case(here / "tst.a.d", "t/tst.a.d", "tst")
    place, common = tmp_path / "built/t/tst.a.d", "-g -O0 -D_GNU_SOURCE"
    assert shop.companion(each) == ""
    (here / "tst.a.c").touch()
    assert shop.companion(each._replace(path=here / "tst.a.sh")) == ""
    assert shop.companion(each) == str(place / "tst.a")
    assert shop.program(each, Header(program="ls")) == "ls"
    assert shop.program(each, Header(program="./x")) == str(here / "x")
    assert shop.program(each, Header(program="p.c", cflags=("-O2",))) == str(place / "p")
    assert shop.program(each, Header(program="q.c", cflags=("-O3",), provider="v.d")) == str(place / "q")
    assert (tmp_path / "log").read_text().splitlines() == [
        f"cc {common} -o {place}/tst.a {here}/tst.a.c -lpthread",
        f"cc {common} -O2 -o {place}/p {here}/p.c -lpthread", f"dtrace -h -s {here}/v.d -o {place}/v.h",
        f"cc {common} -O3 -I{place} -c {here}/q.c -o {place}/program.o",
        f"dtrace -G -s {here}/v.d {place}/program.o -o {place}/provider.o",
        f"cc {place}/program.o {place}/provider.o -O3 -o {place}/q -lpthread"]
    (here / "tst.a.exe").touch(mode=0o644)
    assert shop.companion(each) == str(place / "tst.a")
    (here / "tst.a.exe").chmod(0o755)
    assert shop.companion(each) == str(here / "tst.a.exe")


def test_programs_that_cannot_be_built(tmp_path: Path) -> None:
    each = Case(tmp_path / "tst.a.d", "tst.a.d", "tst")
    (tmp_path / "tst.a.c").touch()
    with pytest.raises(Skip, match=r"^there is no C compiler \(nosuch\)$"):
        workshop(tmp_path, "nosuch -m32").companion(each)
    with pytest.raises(BuildError, match=r"^false .* failed\n"):
        workshop(tmp_path, "false").companion(each)
    with pytest.raises(BuildError, match=r"^sleep .*: took longer|^sleep .* took longer than 0.2 s"):
        workshop(tmp_path, "sleep 9 #", 0.2)._run(tmp_path, ["sleep", "9"])


@pytest.mark.parametrize(("line", "shown"), [
    ("dtrace: x", "dtrace: x"), ("[1]", "[1]"), ("{}", "{}"),
    ('{"file": "a.d", "line": 3, "message": "m", "hint": "h"}', "a.d:3: m (h)"),
    ('{"file": null, "line": 1, "message": "m", "hint": null}', "program:1: m")])
def test_messages_of_the_fixture(line: str, shown: str) -> None:
    assert _told(line) == shown


@pytest.mark.parametrize(("said", "more"), [(8, []), (9, ["  ..."])])
def test_a_failure_of_the_fixture_has_ten_lines(said: int, more: list[str]) -> None:
    """What dtrace says comes first, then what its trace has."""
    lines = [f"line {number}" for number in range(said)]
    with pytest.raises(pytest.fail.Exception) as failed:
        _fail("it failed", "\n".join(lines), Traced(errors=["an error"], drops=["a drop"]))
    shown = [*lines, "an error", "a drop"][:10]
    assert str(failed.value).splitlines() == ["it failed", *(f"  {line}" for line in shown), *more]


def test_a_directory_goes_to_workers_as_an_archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its files alone, by their names below it; no more than so many bytes."""
    workers = pytest.importorskip("runtime.dtest.workers", exc_type=ImportError)
    (tmp_path / "b" / "empty").mkdir(parents=True)
    (tmp_path / "b" / "tst.1.d").write_bytes(b"BEGIN")
    (tmp_path / "a").write_bytes(b"")
    (tmp_path / "link").symlink_to("a")
    packed = workers._packed(tmp_path)
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        assert archive.getnames() == ["a", "b/tst.1.d"]
        file = archive.extractfile("b/tst.1.d")
        assert file is not None and file.read() == b"BEGIN"
    each = Case(tmp_path / "b" / "tst.1.d", "b/tst.1.d", "tst")
    assert workers._top(each) == tmp_path and workers._top(each._replace(name="tst.1.d")) == tmp_path / "b"
    (tmp_path / "large").write_bytes(random.Random(1).randbytes(1 << 20))
    monkeypatch.setattr(workers, "LARGEST", 1 << 19)
    with pytest.raises(workers.WorkersError, match=f"^{tmp_path}: longer than 0 MB when packed$"):
        workers._packed(tmp_path)
