"""Entries, returns and arguments as others count them: the program itself, and gdb where there is one.

(tests/conformance/probe_counts.py compares with bpftrace too, which needs more rights.)
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[3] / "conformance"))

import probe_counts


def test_program_that_counts_itself(tmp_path: Path) -> None:
    """Needs no other tracer; recursion, tail calls and several returns among its functions."""
    subject = probe_counts.subjects(str(tmp_path))[0]
    printed = subprocess.run([subject.line], capture_output=True, text=True, check=False).stdout
    truth = {name: (int(entries), int(returns))
             for name, entries, returns in map(str.split, printed.splitlines())}
    seen = probe_counts.by_probes(subject, str(tmp_path))
    assert {name: (seen.entries[name], seen.returns[name]) for name in subject.functions} == truth
    assert seen.arguments["fibonacci", 1] == 89  # a Fibonacci number
    assert seen.arguments["text", len("eleven")] == 10


@pytest.mark.skipif(shutil.which("gdb") is None,
                    reason="no gdb: counts of pid probes compared with its own")
@pytest.mark.parametrize("number", [0, 1, 2], ids=["counted", "sort", "sh"])
def test_gdb_agrees(number: int, tmp_path: Path) -> None:
    subject = probe_counts.subjects(str(tmp_path))[number]
    truth, ours = probe_counts.by_gdb(subject, str(tmp_path)), probe_counts.by_probes(subject, str(tmp_path))
    assert probe_counts.differences(truth, ours) == []
    assert len(truth.entries) == 10
    assert sum(truth.entries.values()) > 200
