"""Machines that are gone for a while, and machines that boot anew, over real connections."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

pytest.importorskip("click", reason="no click: machines that are served")
ROOT = Path(__file__).resolve().parents[3]
SERVE = [sys.executable, "-m", "runtime.command.dinstance", "serve", "--listen"]
DTRACE = [sys.executable, "-m", "runtime.command", "--cluster", "lab.toml", "-qn"]
ENVIRONMENT = dict(os.environ, PYTHONPATH=str(ROOT), TZ="UTC")
PROGRAM = """
    BEGIN { printf("begun\\n"); } far:dtrace:::BEGIN { @begun = count(); }
    **:profile:::tick-100ms { @[instance] = count(); trace(1); } tick-100000s { exit(0); }"""
CLUSTER = '[cluster]\nheartbeat = "300ms"\n[[instance]]\npath = "far"\naddress = "tcp://127.0.0.1:{}"\n'


@pytest.fixture
def port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


@contextmanager
def served(folder: Path, port: int) -> Iterator[subprocess.Popen[str]]:
    server = subprocess.Popen([*SERVE, f"127.0.0.1:{port}"], cwd=folder, env=ENVIRONMENT,
                              stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    server.stdout.readline()
    try:
        yield server
    finally:
        for pid in sessions(server):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        server.kill()
        server.wait()


def sessions(server: subprocess.Popen[str]) -> list[int]:
    """The processes of a server's sessions."""
    path = Path(f"/proc/{server.pid}/task/{server.pid}/children")
    return [int(number) for number in path.read_text().split()] if path.exists() else []


class Traced:
    """A dtrace that has begun; `until` waits for what it tells on standard error."""

    def __init__(self, folder: Path, port: int) -> None:
        (folder / "lab.toml").write_text(CLUSTER.format(port))
        self._told = folder / "told"
        with self._told.open("wb") as told:
            self.process = subprocess.Popen([*DTRACE, PROGRAM], cwd=folder, env=ENVIRONMENT, text=True,
                                            stdout=subprocess.PIPE, stderr=told)
        assert self.process.stdout is not None
        assert self.process.stdout.readline().startswith("begun")

    @property
    def told(self) -> str:
        return self._told.read_text()

    def until(self, words: str) -> None:
        end = time.monotonic() + 60
        while words not in self.told:
            assert time.monotonic() < end and self.process.poll() is None, self.told
            time.sleep(0.05)

    def counted(self) -> dict[str, int]:
        """End it; returns what has been counted."""
        self.process.send_signal(signal.SIGINT)
        out, _ = self.process.communicate(timeout=60)
        assert self.process.returncode == 0, self.told
        words = out.split()
        return dict(zip(words[-4::2], map(int, words[-3::2]), strict=True))


def balanced(line: str) -> bool:
    """Whether a line about sums is right: produced = delivered + dropped."""
    words = line.replace(",", "").split()
    return int(words[3]) == int(words[6]) + int(words[8])


def test_one_that_hangs_for_a_while_goes_on_as_it_was(tmp_path: Path, port: int) -> None:
    with served(tmp_path, port) as server:
        traced = Traced(tmp_path, port)
        os.kill(sessions(server)[0], signal.SIGSTOP)
        traced.until("instance far lost: nothing was heard for 3 heartbeats, ")
        os.kill(sessions(server)[0], signal.SIGCONT)
        traced.until("instance far resumed: ")
        time.sleep(0.5)
        counted = traced.counted()
    sums = [line for line in traced.told.splitlines() if " produced, " in line]
    assert 0 < counted["far"] < counted["host"]
    assert "processing aborted" not in traced.told
    assert all(map(balanced, sums)), sums


def test_one_that_boots_anew_gets_the_enabling_again(tmp_path: Path, port: int) -> None:
    with served(tmp_path, port) as server:
        traced = Traced(tmp_path, port)
        os.kill(sessions(server)[0], signal.SIGKILL)
        traced.until("instance far lost: it has booted anew, ")
        traced.until("instance far joined: ")
        time.sleep(0.5)
    traced.until("instance far lost: Connection refused, ")
    with served(tmp_path, port):
        end = time.monotonic() + 30
        while traced.told.count("instance far joined: ") < 2 and time.monotonic() < end:
            time.sleep(0.05)
        time.sleep(0.5)
        counted = traced.counted()
    assert traced.told.count("instance far joined: ") == 2
    assert 0 < counted["far"] < counted["host"]
    sums = [line for line in traced.told.splitlines() if " produced, " in line]
    assert all(map(balanced, sums)), sums
