"""Commands that begin at once are as those that are started: files, directory, status, signals."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
from pathlib import Path

import pytest

from runtime.command.preloaded import Preloaded


@pytest.fixture(scope="module")
def commands() -> Preloaded:
    return Preloaded({**os.environ, "TOLD": "once"})


def run(commands: Preloaded, folder: Path, *argv: str, data: bytes = b"") -> tuple[int, str, str]:
    with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        source.write(data)
        source.seek(0)
        status = commands.start(argv, str(folder), (source, out, err)).wait(60)
        out.seek(0)
        err.seek(0)
        return status, out.read().decode(), err.read().decode()


@pytest.mark.parametrize("argv", [
    ("dtrace", "-qn", "BEGIN { trace($1); exit($1); }", "3"),
    ("dtrace", "-qn", "BEGIN { trace(nosuch); }"),
    ("dtrace", "-qs", "-"),
    ("dtrace", "-qs", "here.d"),
    ("dtrace", "-qn", "BEGIN { trace(sizeof (here_t)); exit(0); }", "-C", "-D", "here_t=int"),
    ("dtrace", "-qn", "END { @[pid == $target] = count(); }", "-c", "sh -c 'echo $TOLD; pwd'"),
    ("dtrace", "--nosuch"),
    ("dc", "-n", "BEGIN { trace(1); }", "-S"),
    ("dc", "none.d"),
    ("difas", "none.s"),
    ("difdis", "none.dof"),
])
def test_as_a_command_that_is_started(argv: tuple[str, ...], commands: Preloaded, tmp_path: Path) -> None:
    (tmp_path / "here.d").write_text("BEGIN { exit(4); }")
    data = b"BEGIN { trace(\"read\"); exit(0); }"
    done = subprocess.run(argv, cwd=tmp_path, env={**os.environ, "TOLD": "once"}, input=data,
                          capture_output=True, check=False)
    expected = done.returncode, done.stdout.decode(), done.stderr.decode()
    assert run(commands, tmp_path, *argv, data=data) == expected


@pytest.mark.parametrize(("text", "status", "said"), [
    ("import sys; print(sys.argv[1:]); sys.exit(5)", 5, "['a b']\n"),
    ("import beside; sys = beside", 0, "beside\n"),
    ("raise SystemExit('why')", 1, ""),
    ("1 / 0", 1, ""),
    ("import os; print('not lost', flush=True); os.kill(os.getpid(), 9)", -9, "not lost\n"),
])
def test_a_python_program(text: str, status: int, said: str, commands: Preloaded, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(text)
    (tmp_path / "beside.py").write_text("print('beside')\n")
    found = run(commands, tmp_path, "python", "program.py", "a b")
    assert found[:2] == (status, said)
    assert ("why\n" in found[2], "ZeroDivisionError" in found[2]) == ("'why'" in text, "/" in text)


def test_a_signal_ends_it_and_a_limit_does_not(commands: Preloaded, tmp_path: Path) -> None:
    with tempfile.TemporaryFile() as out:
        argv = "dtrace", "-qxclock=real", "-n", "BEGIN { printf(\"begun\\n\"); } END { printf(\"ended\"); }"
        started = commands.start(argv, str(tmp_path), (out, out, out))
        assert os.getsid(started.pid) == os.getpgid(started.pid) == started.pid
        while not os.fstat(out.fileno()).st_size:
            with pytest.raises(subprocess.TimeoutExpired):
                started.wait(0.05)
        os.killpg(started.pid, signal.SIGINT)
        assert started.wait(60) == started.wait() == 0
        out.seek(0)
        assert out.read().split() == [b"begun", b"ended"]
