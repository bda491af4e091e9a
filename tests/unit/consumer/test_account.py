"""Every record through principal buffers is read, or counted as a drop, or where its policy says it is."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "account.py"


@pytest.mark.parametrize(("policy", "bufsize", "recorded", "drops"), [
    ("switch", "16k", False, True), ("switch", "4m", True, False), ("fill", "16k", False, False),
    ("ring", "16k", False, False)])
def test_account(policy: str, bufsize: str, recorded: bool, drops: bool) -> None:
    """`recorded`: all of them."""
    done = subprocess.run([sys.executable, str(SCRIPT), "--records", "5000", "--bufsize", bufsize,
                           "--policy", policy], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    _, found, _, dropped, _, fired = done.stdout.split()
    assert int(fired) >= 5000
    assert (int(found) == int(fired)) == recorded
    assert int(found) > 1000
    assert bool(int(dropped)) == drops
