"""The manual's tour of clusters: its commands run as they are written, in an empty directory."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
SECTION = (ROOT / "runtime" / "manual" / "instances.md").read_text()
TOUR, MORE = ([line[2:] for line in block.splitlines() if line.startswith("$ ")]
              for block in re.findall(r"^```text\n(.*?)^```$", SECTION, re.S | re.M)[:2])
PATHS = ["p1", "p1/vm1", "p2"]


def test_from_nothing_to_a_flame_graph_over_three_instances_and_on(tmp_path: Path) -> None:
    command, folder = tmp_path / "bin" / "dtrace", tmp_path / "empty"
    command.parent.mkdir()
    folder.mkdir()
    command.write_text(f'#!/bin/sh\nexec {shlex.join([sys.executable, "-m", "runtime.command"])} "$@"\n')
    command.chmod(0o755)
    environment = dict(os.environ, PYTHONPATH=str(ROOT), PATH=f"{command.parent}:{os.environ['PATH']}")

    def run(line: str) -> str:
        done = subprocess.run(["sh", "-c", line], cwd=folder, env=environment, capture_output=True, text=True,
                              timeout=300, check=False)
        assert done.returncode == 0, (line, done.stderr)
        return done.stdout

    assert len(TOUR) == 4 and len(MORE) == 3
    for line in TOUR:
        run(line)
    picture = (folder / "out.svg").read_text()
    drawn = re.findall(r'data-weight="(\d+)"[^>]* data-name="([^"]*)"', picture)
    found = {name: int(weight) for weight, name in drawn if name in ("all", *PATHS)}
    assert sorted(found) == ["all", *PATHS]
    assert found["all"] == sum(found[path] for path in PATHS)
    assert all(40 <= found[path] <= 50 for path in PATHS), found  # 50 ms at 997 Hz, less what the kernel has

    tree, listed, counted = map(run, MORE)
    assert [line.split()[0] for line in tree.splitlines()[1:]] == ["host", "p1", "vm1", "p2"]
    assert [line.split()[0] for line in listed.splitlines()[1:]] == ["p1", "p1", "p1/vm1", "p1/vm1"]
    assert {line.split()[0] for line in counted.splitlines() if line.strip()[:1] == "p"} == set(PATHS)
