"""A function whose text holds a table: what can only be reached through it is told to have no probes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import atonce
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
    done = atonce.run(["dtrace", "-q", "-n", clause, "-c", program])
    assert (done.stdout.split(), done.stderr.splitlines()) == (found, told)
