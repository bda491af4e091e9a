"""Programs of the `programs` folder, and the dtrace command to trace them with."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import atonce
import pytest

PROGRAMS = Path(__file__).parent / "programs"
Programs = Callable[[str], str]
Trace = Callable[..., str]


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Programs:
    """program(name): compiled, static where possible so that nothing but its own code runs."""
    folder = tmp_path_factory.mktemp("programs")

    def compiled(name: str) -> str:
        target = folder / name
        if not target.exists():
            subprocess.run(["cc", "-O1", "-g", "-w", "-pthread", "-static", "-o", target,
                            PROGRAMS / f"{name}.c"], check=True)
        return str(target)
    return compiled


@pytest.fixture(scope="session")
def trace() -> Trace:
    """trace(script, command, *options): what dtrace -q and the program print."""
    def run(script: str, command: str, *options: str) -> str:
        result = atonce.run(["dtrace", *options, "-qn", script, "-c", command])
        assert result.returncode == 0, result.stderr
        assert not result.stderr, result.stderr
        return result.stdout
    return run


@pytest.fixture(scope="session")
def counts(trace: Trace) -> Callable[..., dict[str, int]]:
    """counts(clauses, command, *options): the aggregation @, keyed by one string."""
    def run(clauses: str, command: str, *options: str) -> dict[str, int]:
        output = trace(clauses + ' END { printa("=%s %@d\\n", @); }', command, *options)
        return {name: int(value) for name, value in re.findall(r"^=(.+) (-?\d+)$", output, re.MULTILINE)}
    return run
