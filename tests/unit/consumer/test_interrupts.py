"""Signals end tracing as dtrace(1) does: END fires, aggregations are shown; a second one shows no more."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

PROGRAM = """
BEGIN { printf("begin"); @[execname] = count(); }
END { printf("end"); }
"""
SECONDS = 30


@contextmanager
def tracing(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    """A dtrace that has begun to print."""
    command = [sys.executable, "-m", "runtime.command", "-x", "switchrate=1ms", "-n", PROGRAM, *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_end_and_aggregations(number: int) -> None:
    with tracing("-q") as process:
        assert process.stdout is not None and process.stdout.read(5) == "begin"
        process.send_signal(number)
        out, errors = process.communicate(timeout=SECONDS)
    assert out.split() == ["end", "dtrace", "1"]
    assert (process.returncode, errors) == (0, "")


def test_a_program_that_would_run_on() -> None:
    with tracing("-q", "-c", "sleep 1000000") as process:
        assert process.stdout is not None and process.stdout.read(5) == "begin"
        process.send_signal(signal.SIGINT)
        out, _errors = process.communicate(timeout=SECONDS)
    assert out.split()[0] == "end" and process.returncode == 0


def test_json_stays_json() -> None:
    with tracing("--json") as process:
        assert process.stdout is not None
        lines = [process.stdout.readline()]
        process.send_signal(signal.SIGINT)
        lines += process.communicate(timeout=SECONDS)[0].splitlines()
    assert [json.loads(line)["type"] for line in lines] == ["firing", "firing", "aggregation", "end"]


def test_what_v_says_stands_beside_json() -> None:
    command = [sys.executable, "-m", "runtime.command", "-v", "-x", "tracepoints", "--json",
               "-n", "pid$target::write:entry { trace(1); }", "-c", "echo text"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=True)
    program, *lines = done.stdout.splitlines()
    assert program == "text" and [json.loads(line)["type"] for line in lines] == ["firing", "end"]
    assert "Stability attributes" in done.stderr and "libc.so.6`write+0x0" in done.stderr


def test_a_reader_that_goes_away() -> None:
    with tracing("-n", "tick-1ms { trace(timestamp); }") as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.wait(SECONDS) == 128 + signal.SIGPIPE
        assert "Traceback" not in process.stderr.read()


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "runtime.command", "-q", "-n", PROGRAM, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)


@pytest.mark.parametrize("arguments", [
    ("-wn", "BEGIN { raise(2); }"),
    ("-c", "sh -c 'kill -INT $PPID; sleep 1000000'"),
    ("-c", "sh -c 'kill -TERM $PPID; sleep 1000000'"),
    ("-c", "sh -c 'kill -HUP $PPID; sleep 1000000'"),
])
def test_a_signal_from_within_the_machine(arguments: tuple[str, ...]) -> None:
    done = run(*arguments)
    assert done.stdout.replace("begin", "").split() == ["end", "dtrace", "1"]
    assert (done.returncode, done.stderr) == (0, "")


def test_a_deadly_signal_from_within_the_machine() -> None:
    done = run("-c", "sh -c 'kill -KILL $PPID; sleep 1000000'")
    assert done.returncode == 1
    assert done.stderr == "dtrace: dtrace in the machine: process 100 has been killed\n"


def test_one_process_named_twice() -> None:
    command = [sys.executable, "-m", "runtime.command", "-n", "BEGIN", "-x", "spawn=sleep 1",
               "-p", "101", "-p", "101"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert done.stderr.count("pid 101 has exited") == 1
