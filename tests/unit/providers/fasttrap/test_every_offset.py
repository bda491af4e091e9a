"""sort and sh from the distribution with a trap at every offset of many functions (FULL_PROOF: a hundred)."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[3] / "conformance"))

import compilers
import every_offset
from harness import TREATMENTS

FUNCTIONS = 100 if os.environ.get("FULL_PROOF") else 6


@pytest.mark.parametrize("line", every_offset.LINES[:4:2])
def test_every_offset(line: str, tmp_path: Path) -> None:
    every_offset.prepare(str(tmp_path))
    report = every_offset.prove(line, str(tmp_path), FUNCTIONS)
    counts = dict(report.treatments)
    print(f"{report.functions} functions, {sum(counts.values())} instructions: {counts}; {report.hits} hits")
    assert report.results[0] == report.results[1] == report.results[2]
    assert report.results[0].output
    assert report.functions == FUNCTIONS
    assert counts.keys() == set(TREATMENTS[compilers.HOST])
    assert report.hits > 10000
