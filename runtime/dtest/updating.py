"""--update: what tests print becomes what is expected of them."""

from __future__ import annotations

from dof.outputs import write
from runtime.dtest.cases import Case
from runtime.dtest.processes import Result


def update(case: Case, result: Result) -> list[str]:
    """Write the files with a test's expected output that are not right; return their names.

    There is a file with messages only if there was one before, and one with output if the test has printed
    anything.  Raises OSError.
    """
    changed: dict[str, bytes] = {}
    for suffix, got in ((".out", result.out), (".err", result.err)):
        file = case.expected(suffix)
        there = file.read_bytes() if file.exists() else None
        if got != there and (there is not None or (suffix == ".out" and got)):
            changed[str(file)] = got
    if changed:
        write(changed)
    return list(changed)
