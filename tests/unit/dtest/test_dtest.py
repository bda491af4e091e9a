"""dtest: which files are tests, what is expected of them, verdicts in every form."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from xml.etree import ElementTree

import pytest

from runtime.command.dtest import main
from runtime.dtest import dtest
from runtime.dtest.cases import Case, find_cases
from runtime.dtest.header import HeaderError, read_header
from runtime.dtest.judging import Verdict
from runtime.dtest.runner import Done, Settings

ORDERS = b"""/* dtest
program = "prog.c"
provider = "prov.d"
arguments = ["2"]
lines = ["start", "end 2"]
absent = ["*oops*"]
counts = { "call *" = 2 }
firings = { "shop*:::sale" = 2 }
aggregations = { "@[a, 1]" = 2, "@q" = 2 }
*/
#pragma D option quiet
shop$target:::sale { printf("call %d\\n", arg0); @[copyinstr(arg1), 1] = count(); @q = quantize(arg0); }
"""
PROGRAM = b"""#include <stdio.h>
#include <stdlib.h>
#include "prov.h"
int main(int argc, char **argv)
{
	puts("start");
	for (int i = 0; i < atoi(argv[1]); i++)
		SHOP_SALE(i, "a");
	printf("end %s\\n", argv[1]);
	return (0);
}
"""
QUIET = b"#pragma D option quiet\n"
SUITE = {
    "good/tst.text.d": QUIET + b'BEGIN { printf("one\\ntwo\\n"); exit(0); }',
    "good/tst.text.d.out": b"one\ntwo\n\n",
    "good/err.D_SYNTAX.open.d": b"BEGIN { trace(",
    "good/drp.DTRACEDROP_PRINCIPAL.small.d":
        b"#pragma D option bufsize=128\n#pragma D option switchrate=10s\n"
        b'tick-1ms { trace("0123456789"); }\ntick-10ms { exit(0); }',
    "good/tst.pid.d": QUIET + b"BEGIN { exit($1 == 101 ? 0 : 1); }",
    "good/tst.pid.c": b"#include <unistd.h>\nint main(void) { for (;;) pause(); }",
    "good/tst.shell.sh": b'$1 -qn \'BEGIN { trace("from a shell"); exit(0); }\'',
    "good/tst.shell.sh.out": b"from a shell\n",
    "good/orders.d": ORDERS,
    "good/prov.d": b"provider shop { probe sale(int n, char *who); };",
    "good/prog.c": PROGRAM,
    "good/notes.d": b"BEGIN { exit(9); }",
    "good/tst.environment.d": QUIET + b"#pragma D option destructive\n"
        b"BEGIN { system(\"env | grep -v PWD= | sort\"); exit(0); }",
    "good/tst.environment.d.out":
        b"HOME=/\nLANG=C.UTF-8\nPATH=/usr/local/bin:/usr/bin:/bin\nTZ=UTC0\n\n",
    "other/tst.skip.sh": b"echo 'no such thing here'; exit 77",
}
BAD = {
    "tst.status.d": (b"BEGIN { exit(3); }", "exit status 3, not 0"),
    "tst.differs.d": (QUIET + b'BEGIN { printf("one\\nTWO  \\n"); exit(0); }',
                      "tst.differs.d.out differs at line 2"),
    "err.D_SYNTAX.other.d": (b"BEGIN { trace(nosuch); }", "no [D_SYNTAX], but [D_IDENT_UNDEF]"),
    "drp.DTRACEDROP_SPEC.none.d": (b"BEGIN { exit(0); }", "no [DTRACEDROP_SPEC]"),
    "lines.d": (b'/* dtest\nlines = ["a", "b"]\n*/\n' + QUIET + b'BEGIN { printf("b\\na\\n"); exit(0); }',
                "no line 'b' after the ones before it"),
    "counts.d": (b'/* dtest\ncounts = { "x*" = 2 }\n*/\n' + QUIET + b'BEGIN { printf("x1\\n"); exit(0); }',
                 "1 lines match 'x*', not 2"),
    "firings.d": (b'/* dtest\nfirings = { "BEGIN" = 2 }\n*/\nBEGIN { trace(1); exit(0); }',
                  "BEGIN fired 1 times, not 2"),
    "sums.d": (b'/* dtest\naggregations = { "@a[1]" = 2 }\n*/\nBEGIN { @a[1] = sum(5); exit(0); }',
               "@a[1] is 5, not 2"),
    "key.d": (b'/* dtest\nprogramm = "x"\n*/\nBEGIN { exit(0); }', "there is no key programm"),
    "tst.build.c": (b"int main(void) { return x; }", ""),
    "tst.build.d": (b"BEGIN { exit(0); }", "failed"),
}


def written(folder: Path, files: dict[str, bytes]) -> Path:
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("suite"), SUITE)


def test_all_kinds_pass(suite: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str],
                        monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the environment is; and the reports say what the screen says."""
    monkeypatch.setenv("GREETING", "from this host")
    reports = {form: tmp_path / form for form in ("junit", "tap", "json")}
    words = [word for form, path in reports.items() for word in (f"--{form}", str(path))]
    assert main([str(suite), "-j2", "--random", "-v", *words]) == 0, capfd.readouterr().out
    out = capfd.readouterr().out
    assert "7 passed, 1 skipped in" in out and "skip other/tst.skip.sh: no such thing here" in out
    names = [case.name for case in find_cases([suite])]
    assert "good/notes.d" not in names and "good/orders.d" in names
    told = json.loads(reports["json"].read_bytes())
    assert [each["name"] for each in told["tests"]] == sorted(names)
    assert told["passed"] == 7 and f"--seed {told['seed']}" in out
    root = ElementTree.fromstring(reports["junit"].read_bytes())
    assert [(each.get("name"), each.get("tests"), each.get("skipped")) for each in root] == \
        [("good", "7", "0"), ("other", "1", "1")]
    for each in root:  # what JUnit.xsd demands
        assert each[0].tag == "properties"
        assert (each[-2].tag, each[-1].tag) == ("system-out", "system-err")
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", each.get("timestamp", ""))
        assert {"id", "package", "hostname", "failures", "errors", "time"} <= set(each.attrib)
        assert all({"name", "classname", "time"} == set(case.attrib) for case in each.iter("testcase"))
    tap = reports["tap"].read_text().splitlines()
    assert tap[:2] == ["TAP version 14", "1..8"]
    assert "ok 8 - other/tst.skip.sh # SKIP no such thing here" in tap


@pytest.fixture(scope="module")
def failures(tmp_path_factory: pytest.TempPathFactory) -> tuple[subprocess.CompletedProcess[str], Path]:
    """A run of tests that fail."""
    files = {name: data for name, (data, _reason) in BAD.items()}
    folder = written(tmp_path_factory.mktemp("bad"), files | {"tst.differs.d.out": b"one\ntwo\n\n"})
    words = [".", "-j2", "--json", "report", "--junit", "junit"]
    return subprocess.run([sys.executable, "-m", "runtime.command.dtest", *words], cwd=folder, text=True,
                          capture_output=True, check=False), folder


@pytest.mark.parametrize("name", [name for name, (_data, reason) in BAD.items() if reason])
def test_failures_are_told(failures: tuple[subprocess.CompletedProcess[str], Path], name: str) -> None:
    done, folder = failures
    assert done.returncode == 1
    (line,) = (line for line in done.stdout.splitlines() if line.startswith(f"fail {name}: "))
    assert BAD[name][1] in line
    told = json.loads((folder / "report").read_bytes())
    assert next(each["reason"] for each in told["tests"] if each["name"] == name) in line
    root = ElementTree.fromstring((folder / "junit").read_bytes())
    (case,) = (case for case in root.iter("testcase") if case.get("name") == name)
    assert case[0].tag == "failure" and case[0].get("type") and BAD[name][1] in case[0].get("message", "")


def test_a_difference_shows_what_an_eye_would_miss(
        failures: tuple[subprocess.CompletedProcess[str], Path]) -> None:
    lines = failures[0].stdout.splitlines()
    assert "    -two" in lines and "    +TWO␠␠" in lines


def test_the_same_seed_gives_the_same_order(suite: Path, capfd: pytest.CaptureFixture[str]) -> None:
    orders = []
    for seed in ("1", "1", "2", "0"):
        assert main([str(suite), "--list", "--seed", seed]) == 0
        orders.append(capfd.readouterr().out)
    assert orders[0] == orders[1] != orders[2]
    assert sorted(orders[0].splitlines()) == sorted(orders[2].splitlines())


def test_update(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Output and messages become what is expected, but of no test whose status is wrong."""
    hello = QUIET + b'BEGIN { printf("new\\n"); exit(0); }'
    written(tmp_path, {"tst.a.d": hello, "tst.a.d.out": b"old\n", "tst.b.d": hello,
                       "tst.c.d": b"BEGIN { exit(0); }", "tst.c.d.err": b"old",
                       "tst.d.d": b"BEGIN { exit(1); }", "tst.d.d.out": b"old",
                       "tst.e.d": b"BEGIN { exit(0); }", "tst.e.d.out": b"old"})
    assert main([str(tmp_path), "--update"]) == 1
    assert (tmp_path / "tst.a.d.out").read_bytes() == (tmp_path / "tst.b.d.out").read_bytes() == b"new\n\n"
    assert b"matched 1 probe" in (tmp_path / "tst.c.d.err").read_bytes()
    assert (tmp_path / "tst.d.d.out").read_bytes() == b"old"
    assert (tmp_path / "tst.e.d.out").read_bytes() != b"old" and not (tmp_path / "tst.e.d.err").exists()
    assert capfd.readouterr().out.count("wrote ") == 5
    assert main([str(tmp_path), "-k", "tst.[abce].d"]) == 0


def has_ended(pid: int) -> bool:
    """Whether a process is gone, or waits for the host's init to notice its end."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def test_the_time_limit_ends_all_that_a_test_has_started(tmp_path: Path,
                                                         capfd: pytest.CaptureFixture[str]) -> None:
    written(tmp_path, {"tst.slow.sh": b"sleep 600 & echo $! > pid; wait"})
    assert main([str(tmp_path), "--time-limit", "1"]) == 1
    assert "fail tst.slow.sh: took longer than 1 s" in capfd.readouterr().out
    assert has_ended(int((tmp_path / "pid").read_text()))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_nothing_goes_on_after_an_interruption(number: int, tmp_path: Path) -> None:
    written(tmp_path, {"tst.long.sh": b'echo $$ > pid; exec sleep 600'})
    process = subprocess.Popen([sys.executable, "-m", "runtime.command.dtest", str(tmp_path)],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    pid = tmp_path / "pid"
    while not (pid.exists() and pid.read_text().strip()):
        time.sleep(0.02)
    process.send_signal(number)
    assert process.wait(20) == 128 + number
    assert has_ended(int(pid.read_text()))


@pytest.mark.parametrize(("words", "status", "said"), [
    (["nosuch"], 1, "there is no such file or directory"), (["--jobs", "0"], 2, "0 is not in the range"),
    (["-j1025"], 2, "1025 is not in the range"), (["--seed", "-1"], 2, "-1 is not in the range"),
    (["--time-limit", "0"], 2, "0.0 is not in the range"),
    (["-k", "nosuch", "."], 1, "there are no tests that match nosuch"), (["--nosuch"], 2, "--nosuch")])
def test_command_lines_that_make_no_sense(words: list[str], status: int, said: str, tmp_path: Path,
                                          monkeypatch: pytest.MonkeyPatch,
                                          capfd: pytest.CaptureFixture[str]) -> None:
    written(tmp_path, {"tst.a.d": b""})
    monkeypatch.chdir(tmp_path)
    assert main(words) == status
    assert said in capfd.readouterr().err.splitlines()[0]


def test_two_reports_go_to_two_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                     capfd: pytest.CaptureFixture[str]) -> None:
    written(tmp_path, {"tst.a.sh": b"exit 0"})
    monkeypatch.chdir(tmp_path)
    assert main([".", "--tap", "one", "--json", "one"]) == 2
    assert "two reports go to one file" in capfd.readouterr().err and not (tmp_path / "one").exists()
    assert main([".", "--tap", "-"]) == 0
    said = capfd.readouterr()
    assert said.out.startswith("TAP version 14\n1..1\nok 1 - tst.a.sh\n") and "1 passed in " in said.err


@pytest.mark.parametrize(("words", "settings", "jobs", "many"), [
    ((), Settings(), len(os.sched_getaffinity(0)), False), (("-j3",), Settings(), 3, False),
    (("-j1",), Settings(), 1, False), (("-j1024",), Settings(), 1024, False),
    (("--time-limit", "0.5"), Settings(limit=0.5), None, False),
    (("-x", "a=1", "-x", "b"), Settings(options=("a=1", "b")), None, False),
    (("--time-limit", "2.5", "--env", "host"), Settings(environment="host", limit=2.5), None, False),
    (("--root", "none"), Settings(root="none"), None, False),
    (("--root", "sub"), Settings(root="{}/sub"), None, False),
    (("--dtrace", "sudo dtrace", "--update"), Settings("sudo dtrace", keep=True), None, False),
    (("more",), Settings(), None, True), (("more", "-k", "tst.[0-6].d"), Settings(), None, False)])
def test_how_tests_are_run(words: tuple[str, ...], settings: Settings, jobs: int | None, many: bool,
                           tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From eight tests on, dtrace is loaded once."""
    written(tmp_path, {f"more/tst.{each}.d": b"" for each in "b0123456"} | {"tst.a.d": b""})
    monkeypatch.chdir(tmp_path)
    seen: list[object] = []

    def run(runner: object, cases: Sequence[Case], jobs: int) -> Iterator[tuple[Case, Done]]:
        seen.append(jobs)
        yield from ((case, Done(Verdict(case.name, "pass"), None)) for case in cases)

    def at(folder: Path, settings: Settings, *, many: bool) -> None:
        assert folder.is_dir() and " " not in str(folder)
        seen.extend((settings._replace(root=settings.root.replace(str(tmp_path), "{}")), many))

    monkeypatch.setattr(dtest, "run_here", run)
    monkeypatch.setattr(dtest.Runner, "at", at)
    assert main([*words, *([] if "more" in words else ["tst.a.d"])]) == 0
    assert seen == [settings, many, jobs if jobs is not None else len(os.sched_getaffinity(0))]


@pytest.mark.parametrize(("text", "said"), [
    (b"lines = 3", "lines must be a list of strings"), (b"status = -1", "status must be a number"),
    (b"counts = { a = true }", "counts must be a table of numbers"), (b"x =\n", "(line 2)"),
    (b'provider = "p.d"', "provider needs a program in C"), (b"lines = " + b"[" * 2000, "the header: ")])
def test_headers_that_make_no_sense(text: bytes, said: str) -> None:
    with pytest.raises(HeaderError, match=re.escape(said)) as caught:
        read_header(b"/* dtest\n" + text + b"\n*/")
    assert "\n" not in str(caught.value)


def test_a_root_hides_the_host(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """With --root none, programs see the test's directory and nothing else of the host."""
    program = """#include <stdio.h>
        #include <unistd.h>
        int main(int argc, char **argv) { printf("%d %d\\n", access(argv[1], 4), access(argv[2], 4)); }"""
    header = f"""program = "prog.c"
        cflags = ["-static"]
        arguments = ["{tmp_path}/prog.c", "/etc/passwd"]
        lines = ["0 -1"]"""
    written(tmp_path, {"tst.root.d": f"/* dtest\n{header}\n*/\n#pragma D option quiet\nBEGIN {{ }}".encode(),
                       "prog.c": program.encode()})
    assert main([str(tmp_path), "--root", "none"]) == 0, capfd.readouterr().out
    assert main([str(tmp_path)]) == 1


def test_on_workers_of_dask(suite: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The tests go to the worker as bytes; nothing of them stays there."""
    distributed = pytest.importorskip("distributed", reason="no dask.distributed: dtest --scheduler")
    with distributed.LocalCluster(n_workers=1, threads_per_worker=2, processes=False, protocol="tcp",
                                  dashboard_address=":0") as cluster:
        address = cluster.scheduler_address
        assert main([str(suite), "-k", "*.sh", "-k", "*/orders.d", "--scheduler", address]) == 0
        assert not list(Path(tempfile.gettempdir()).glob(f"dtest-{os.getuid()}-{os.getpid()}-*"))
    assert "2 passed, 1 skipped" in capfd.readouterr().out
    assert main([str(suite), "--scheduler", address]) == 1
    assert "nothing answers at" in capfd.readouterr().err
