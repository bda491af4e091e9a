"""One program's system calls counted by strace and by the machine."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "conformance" / "strace_counts.py"


def test_counts_are_equal() -> None:
    strace = shutil.which("strace")
    if strace is None or subprocess.run([strace, "-c", "true"], capture_output=True, check=False).returncode:
        pytest.skip("strace cannot trace here: numbers of system calls compared with its own")
    spec = importlib.util.spec_from_file_location("strace_counts", SCRIPT)
    assert spec is not None and spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    assert script.differences("find /usr/include/linux -name 'i*.h' | sort -r") == {}
