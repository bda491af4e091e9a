"""A function whose text holds a table: what can only be reached through it is told to have no probes."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import run

import pytest

Build = Callable[..., str]
JUMP = "dtrace: cannot trace pid101: %s`pick+0xe: code that only this computed jump leads to, for data " \
    "lie there, too"


@pytest.mark.parametrize(("probes", "found", "told"), [
    ("pick:", ["entry", "0", "7", "b", "e"], [JUMP]), ("pick:return", [], [JUMP]),
    ("pick:entry", ["entry"], []),
    ("main:", ["entry", "0", "4", "9", "e", "12", "return", "14"], [])])
def test_told(probes: str, found: list[str], told: list[str], build_x86: Build) -> None:
    clause = f"pid$target:a.out:{probes} {{ printf(\"%s\\n\", probename); }}"
    program = build_x86("table.S")
    told = [line % Path(program).name for line in told]
    done = run([sys.executable, "-m", "runtime.command", "-q", "-n", clause, "-c", program],
               capture_output=True, text=True, check=False, timeout=60)
    assert (done.stdout.split(), done.stderr.splitlines()) == (found, told)
