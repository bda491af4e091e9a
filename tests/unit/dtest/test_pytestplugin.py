"""The fixture `dtrace`, as a project outside of ours has it: the manual's example, and short messages."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
DEMO = ROOT / "tests" / "demo"
DTRACE = [sys.executable, "-m", "runtime.command"]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with the program of the demo."""
    folder = tmp_path_factory.mktemp("project")
    objects = []
    subprocess.run([*DTRACE, "-h", "-s", str(DEMO / "shop.d"), "-o", str(folder / "provider.h")], check=True)
    for name in ("stock", "orders"):
        objects.append(str(folder / f"{name}.o"))
        subprocess.run(["cc", "-O1", "-g", f"-I{folder}", f"-I{DEMO}", "-c", str(DEMO / f"{name}.c"),
                        "-o", objects[-1]], check=True)
    subprocess.run([*DTRACE, "-G", "-s", str(DEMO / "shop.d"), *objects, "-o", str(folder / "shop.o")],
                   check=True)
    subprocess.run(["cc", *objects, str(folder / "shop.o"), "-o", str(folder / "shop")], check=True)
    return folder


def pytest_in(folder: Path, text: str, *words: str) -> subprocess.CompletedProcess[str]:
    (folder / "test_it.py").write_text(text)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    words = "-q", "-p", "no:cacheprovider", *words, "test_it.py"
    return subprocess.run([sys.executable, "-m", "pytest", *words], cwd=folder, env=environment, text=True,
                          capture_output=True, check=False)


def test_the_example_of_the_readme(project: Path) -> None:
    page = (ROOT / "runtime/manual/testing.md").read_text()
    (example,) = re.findall(r"```python\n(def test_every_customer.*?)```", page, re.DOTALL)
    assert example in (ROOT / "README.md").read_text()
    done = pytest_in(project, example)
    assert done.returncode == 0, done.stdout
    assert "2 passed" in done.stdout


def test_failures_are_short(project: Path) -> None:
    done = pytest_in(project, """
def test_syntax(dtrace): dtrace("BEGIN { trace(nosuch); }")
def test_fault(dtrace): dtrace("BEGIN { trace(*(int *)8); } tick-1ms { exit(0); }")
def test_status(dtrace): dtrace("BEGIN { exit(3); }")
def test_time(dtrace): dtrace("BEGIN { }", timeout=1)
def test_which(dtrace): dtrace("BEGIN { @a = count(); @b = count(); exit(0); }").aggregation()
""", "--tb=short")
    assert done.returncode == 1 and "5 failed" in done.stdout
    assert "Traceback" not in done.stdout
    for said in ("dtrace ended with status 1\n  program:1: there is no variable nosuch\n",
                 "dtrace ended with status 1\n  dtrace: 1 error (-x strict)\n  error on enabled probe ID 1",
                 "dtrace ended with status 3", "dtrace took longer than 1 s",
                 "which aggregation? there are @a, @b"):
        assert said in done.stdout, done.stdout


def test_what_a_run_tells(project: Path) -> None:
    """Text, input, environment, options, distributions, scripts of several lines, programs in C's place."""
    done = pytest_in(project, r'''
def test_all(dtrace, tmp_path):
    run = dtrace(r"""
        #pragma D option strsize=16
        syscall::write:entry /pid == $target/
        {
            printf("%d bytes of %s\n", arg2, execname);
            @sizes = quantize(arg2);
            @[ustack(1), $1] = sum(arg2);
        }""", command=["sh", "-c", "cat; echo $GREETING"], input="some words\n",
        environment={"GREETING": "hello"}, arguments=["7"], cwd=tmp_path)
    assert run.stdout == "some words\nhello\n" and run.status == 0
    assert run.printed == "6 bytes of sh\n" and run.firings[0].values == (6, "sh")
    assert run.firings[0].probe == "syscall::write:entry" and run.trace.fired("write:entry") == 1
    assert run.aggregation("sizes") == {(): {4: 1}}
    ((stack, seven), total), = run.aggregation("_").items()
    assert total == 6 and seven == 7 and stack[0].startswith("libc.so.6`")


def test_leniently(dtrace, tmp_path):
    script = tmp_path / "a.d"
    script.write_text("BEGIN { @ = count(); trace(*(int *)8); } END { printa(@); exit(4); }")
    run = dtrace(script, options=["timeout=30s"], strict=False, check=False, command="true")
    assert run.status == 4 and "invalid address" in run.trace.errors[0]
    assert run.aggregation() == {(): 1}
''')
    assert done.returncode == 0, done.stdout


def test_pytest_starts_without_our_code(tmp_path: Path) -> None:
    """A project that has no use for the fixture does not wait for it."""
    done = pytest_in(tmp_path, """
import sys
def test_it():
    ours = {name for name in sys.modules if name.partition(".")[0] in ("dif", "dof", "dc", "runtime")}
    assert ours == {"runtime", "runtime.dtest", "runtime.dtest.pytestplugin"}
""")
    assert done.returncode == 0, done.stdout
