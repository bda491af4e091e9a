"""One instance through frames prints what none prints, byte for byte.

Some of the D tests, with their companion programs, are run both ways; INSTANCES_ALL=1 runs all of them.
"""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import pytest

from runtime.dtest.cases import Case, find_cases
from runtime.dtest.judging import PASS, SKIP
from runtime.dtest.processes import Result
from runtime.dtest.runner import OWN, Runner, Settings

TESTS = Path(__file__).resolve().parents[2] / "tst"
FEW = ("aggs/tst.all.d", "output/tst.json.ksh", "proc/tst.children.d", "usdt/tst.needed.ksh")
LIMIT = 300  # seconds: some run the command twenty times, and a machine may be busy


def chosen() -> list[Case]:
    every = [case for case in find_cases([TESTS])
             if "anonymous" not in case.name]  # which is of one machine, and refused with --cluster
    if os.environ.get("INSTANCES_ALL"):
        return every
    few = [case for case in every if case.name.endswith(FEW)]
    return few + [case for case in every if not case.is_script][::12]


@pytest.fixture(scope="module")
def runners(tmp_path_factory: pytest.TempPathFactory) -> list[Runner]:
    """Of dtrace, and of dtrace with a cluster of one."""
    made = []
    for name in ("plain", "framed"):
        folder = tmp_path_factory.mktemp(name)
        cluster = folder / "one.toml"
        cluster.write_text("[cluster]\n")
        command = f"{OWN} --cluster {shlex.quote(str(cluster))}" if name == "framed" else OWN
        made.append(Runner.at(folder, Settings(dtrace=command, limit=LIMIT, keep=True)))
    return made


def printed(runner: Runner, case: Case) -> Result:
    """What a test's command prints, without the place where it lies and the option that makes a cluster."""
    done = runner.run(case)
    if done.verdict.verdict == SKIP:
        pytest.skip(done.verdict.reason)
    assert done.verdict.verdict == PASS and done.result is not None, done.verdict
    place, option = f"{runner.folder}/".encode(), f"--cluster {runner.folder}/one.toml ".encode()
    return done.result._replace(out=done.result.out.replace(option, b"").replace(place, b""),
                                err=done.result.err.replace(option, b"").replace(place, b""))


@pytest.mark.parametrize("case", chosen(), ids=lambda case: case.name)
def test_one_instance_is_as_none(case: Case, runners: list[Runner]) -> None:
    plain, framed = (printed(runner, case) for runner in runners)
    assert framed == plain
