"""Every record through principal buffers is either read or counted as a drop."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "account.py"


@pytest.mark.parametrize(("bufsize", "drops"), [("16k", True), ("4m", False)])
def test_recorded_and_dropped_is_fired(bufsize: str, drops: bool) -> None:
    done = subprocess.run([sys.executable, str(SCRIPT), "--records", "20000", "--bufsize", bufsize],
                          capture_output=True, text=True, check=True)
    _, recorded, _, dropped, _, fired = done.stdout.split()
    assert int(recorded) + int(dropped) == int(fired) >= 20000
    assert bool(int(dropped)) == drops
    assert int(recorded)
