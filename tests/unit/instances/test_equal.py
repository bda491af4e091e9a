"""One instance through frames prints what none prints, byte for byte.

A few of the D tests are run both ways; INSTANCES_ALL=1 runs all of them.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
TESTS = ROOT / "tests" / "tst"
FEW = ("aggs/tst.allquant.d", "actions/tst.panic.ksh", "begin/tst.begin.d", "output/tst.temporal.ksh")
COMPANION = ("-x", "spawn=/bin/true")


def chosen() -> list[Path]:
    every = sorted(path for path in TESTS.rglob("*") if path.suffix in (".d", ".ksh")
                   and path.name.startswith(("tst.", "err.", "drp."))
                   and "anonymous" not in path.name)  # which is of one machine, and refused with --cluster
    if os.environ.get("INSTANCES_ALL"):
        return every
    few = [path for path in every if str(path.relative_to(TESTS)) in FEW]
    return few + [path for path in every if not path.with_suffix(".c").exists()][::90]


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """dtrace, and dtrace with a cluster of one."""
    folder = tmp_path_factory.mktemp("commands")
    (folder / "one.toml").write_text("[cluster]\n")
    made = []
    for name, words in (("plain", []), ("framed", ["--cluster", str(folder / "one.toml")])):
        path = folder / name / "dtrace"
        path.parent.mkdir()
        command = shlex.join([sys.executable, "-m", "runtime.command", *words])
        path.write_text(f'#!/bin/sh\nexec {command} "$@"\n')
        path.chmod(0o755)
        made.append(path)
    return made


@pytest.mark.parametrize("path", chosen(), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_one_instance_is_as_none(path: Path, commands: list[Path]) -> None:
    results = []
    flags = {"err": ["-xerrtags"], "drp": ["-xdroptags"]}.get(path.name[:3], [])
    flags += ["-C"] * (path.parent.name == "preprocessor")
    if path.with_suffix(".c").exists():
        flags += COMPANION
    for command in commands:
        if path.suffix == ".ksh":
            argv, text = ["sh", "-s", str(command)], path.read_bytes()
        else:
            argv, text = [str(command), *flags, "-s", path.name, "101"], b""
        env = dict(os.environ, PYTHONPATH=str(ROOT), TZ="Etc/UTC")
        done = subprocess.run(argv, input=text, cwd=path.parent, env=env, capture_output=True, timeout=300,
                              check=False)
        framed = f"--cluster {command.parent.parent}/one.toml ".encode()
        places = (b"framed/dtrace", b"plain/dtrace")
        results.append((done.returncode, done.stdout.replace(framed, b"").replace(*places),
                        done.stderr.replace(*places)))
    assert results[0] == results[1]
