"""One seed, one trace, to the byte; other seeds, other interleavings and the same results."""

from __future__ import annotations

from collections.abc import Callable

Programs = Callable[[str], str]
Trace = Callable[..., str]
SCRIPT = """
    sched:::on-cpu, sched:::off-cpu, sched:::wakeup, sched:::preempt, proc:::
    /execname == "crowd"/
    { printf("%d %d %d %s %x\\n", timestamp, cpu, tid, probename, arg0); }
    syscall::futex:return, syscall::write:return { printf("%d %s %d\\n", tid, probefunc, arg0); }
"""
RESULT = "180000 1"  # three threads, 200 turns, 300 steps each; signals have come


def _run(trace: Trace, crowd: str, seed: int) -> tuple[str, str]:
    """The traced lines, and what the program printed."""
    lines = trace(SCRIPT, crowd, "-x", "ncpus=2", "-x", f"seed={seed}").splitlines()
    printed = [line for line in lines if line == RESULT]
    return "\n".join(line for line in lines if line != RESULT), "\n".join(printed)


def test_three_runs_are_alike(trace: Trace, program: Programs) -> None:
    runs = {trace(SCRIPT, program("crowd"), "-x", "ncpus=2") for _ in range(3)}
    assert len(runs) == 1 and RESULT in runs.pop()


def test_ten_seeds_differ_and_are_right(trace: Trace, program: Programs) -> None:
    runs = [_run(trace, program("crowd"), seed) for seed in range(1, 11)]
    assert [result for _traced, result in runs] == [RESULT] * 10
    assert len({traced for traced, _result in runs}) == 10
