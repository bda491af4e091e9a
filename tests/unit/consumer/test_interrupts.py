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


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
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


def test_a_reader_that_goes_away() -> None:
    with tracing("-n", "tick-1ms { trace(timestamp); }") as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.wait(SECONDS) == 1
        assert "Traceback" not in process.stderr.read()
