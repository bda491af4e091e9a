"""Calls that the engine carries out by itself, counting, jumps: results, times and errors are as usual."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import atonce
import compilers
import pytest

from runtime.command.command import PROGRAM
from runtime.kernel.cpu import accelerators
from runtime.kernel.kernel import Kernel
from runtime.kernel.process import prompt, thread

DTRACE = str(Path(sys.executable).with_name(PROGRAM))
SOURCES = Path(compilers.__file__).parent
SCRIPTS = [
    "",
    "tick-1ms { @ticks[timestamp, vtimestamp, execname] = count(); }",
    "profile-4999 /arg1/ { @places[ufunc(arg1), timestamp] = count(); }",
    "pid$target::clock_gettime:entry, pid$target::getppid:return { @[timestamp, errno] = count(); }",
    "syscall::gettimeofday:entry, syscall::getppid:return { @[probefunc, timestamp, arg0] = count(); }",
    "fbt::getuid:return { @[arg1, timestamp] = count(); }",
    "pid$target::clock_gettime:entry /++n % 500 == 0/ { chill(70000); }",
    "pid$target::rounds:entry /++n == 3/ { chill(5000); stop(); system(\"kill -CONT %d\", pid); }",
]

PROMPT_SCRIPTS = [
    "",
    "tick-1ms, pid$target::mark:entry { @[timestamp, vtimestamp, errno, curlwpsinfo->pr_state] = count(); }",
    "sched:::wakeup, io:::start, vminfo:::cow_fault { @[probename, timestamp, stack()] = count(); }",
    """syscall:::entry {
    @[probefunc, timestamp, arg0, arg1, arg2, arg5, tid, uregs[R_RIP], uregs[R_RCX]] = count(); }""",
    "syscall:::return { @[probefunc, timestamp, vtimestamp, arg1, errno, tid, uregs[R_RAX]] = count(); }",
    """syscall:::entry { self->t = vtimestamp; } syscall:::return /self->t/ { @stacks[probefunc, ustack(4)] =
    count(); @[probefunc, errno] = sum(vtimestamp - self->t); self->t = 0; }""",
    """syscall::read:entry, syscall::write:return /++n == 3700/ { chill(5000); raise(10); stop();
    system("kill -CONT %d", pid); } syscall::poll:entry { @[timestamp] = count(); }""",
    "sysinfo:::, sched:::sleep, sched:::on-cpu { @[probename, arg0, timestamp] = count(); }",
    "pid$target::mark:entry /++n == 4/ { chill(5000); raise(14); stop(); system(\"kill -CONT %d\", pid); }",
]


def compiled(name: str, folder: Path) -> str:
    path = folder / name
    subprocess.run(["cc", "-O1", "-Wall", "-pthread", "-o", path, SOURCES / f"{name}.c"], check=True)
    return str(path)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> str:
    return compiled("quick_calls", tmp_path_factory.mktemp("quick"))


@pytest.fixture(scope="module")
def prompt_program(tmp_path_factory: pytest.TempPathFactory) -> str:
    return compiled("prompt_calls", tmp_path_factory.mktemp("prompt"))


def traced(program: str, script: str, slow: str, switch: str = accelerators.SLOW_CALLS) -> str:
    """Return what the program and a script print; with `slow` set to 1 the switch turns something off.

    With SLOW_CALLS the engine stops for every call.
    """
    clauses = f"BEGIN {{ }} {script} proc:::exit {{ @ends[execname, timestamp] = count(); }}"
    done = atonce.run(["dtrace", "-xenv=clean", "-xncpus=2", "-wqn", clauses, "-c", program],
                      variables={switch: slow})
    assert done.stderr == ""
    return done.stdout


@pytest.mark.parametrize("script", SCRIPTS)
def test_output_and_times_are_the_same_either_way(program: str, script: str) -> None:
    quick = traced(program, script, "")
    assert quick == traced(program, script, "1")
    assert "all is well\n" in quick


@pytest.mark.parametrize("script", PROMPT_SCRIPTS)
def test_calls_that_the_engine_waits_for_are_the_same(prompt_program: str, script: str) -> None:
    prompt = traced(prompt_program, script, "")
    assert prompt == traced(prompt_program, script, "1")
    assert "all is well\n" in prompt


def traps_of(program: str, slow: str, monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Run the program; returns how often each of its calls came through the trap."""
    traps: Counter[str] = Counter()
    trap = thread.syscall_trap

    def counting(caller: thread.Thread, number: int, values: Sequence[int], calls: int) -> None:
        entry = caller.kernel.syscalls[calls][number]
        traps[entry.call.name if entry else ""] += 1
        trap(caller, number, values, calls)

    with monkeypatch.context() as changed:
        changed.setenv(accelerators.SLOW_CALLS, slow)
        for module in (prompt, thread):
            changed.setattr(module, "syscall_trap", counting)
        kernel = Kernel()
        kernel.spawn([program], stopped=False)
        assert kernel.run() == "done"
        kernel.close()
    return traps


def test_plain_calls_skip_the_trap(prompt_program: str, capfd: pytest.CaptureFixture[str],
                                   monkeypatch: pytest.MonkeyPatch) -> None:
    quick, slow = (traps_of(prompt_program, switch, monkeypatch) for switch in ("", "1"))
    assert capfd.readouterr().out.count("all is well\n") == 2
    for name in ("newfstatat", "openat", "close", "lseek", "read", "write", "poll", "futex"):
        assert quick[name] < slow[name], name
    assert quick.total() < 0.6 * slow.total()


@pytest.mark.parametrize(("name", "switch"), [
    ("jumps", accelerators.LOOKED_UP_JUMPS), ("rewritten", accelerators.SEARCHED_TLB)])
def test_code_that_is_there_runs(name: str, switch: str, tmp_path: Path) -> None:
    program = compiled(name, tmp_path)
    script = "profile-4999 /arg1/ { @places[arg1, timestamp] = count(); }"
    quick = traced(program, script, "", switch)
    assert quick == traced(program, script, "1", switch)
    assert "all is well\n" in quick


def test_blocks_count_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the engine's structures are found, its blocks get other code than the calls of the counter."""
    for called, piece in (("", True), ("1", False)):
        monkeypatch.setenv(accelerators.CALLED_COUNTER, called)
        kernel = Kernel()
        kernel.engine.count_work()
        assert bool(kernel.engine.far) == piece
        kernel.close()


def kernel_calls(program: str, capfd: pytest.CaptureFixture[str], watched: str = "") -> tuple[int, int]:
    """Run the program; returns how often its engine stopped, and of how many calls a watcher was told."""
    kernel, told = Kernel(), []
    if watched:
        kernel.hooks.attach(watched, lambda *arguments: told.append(arguments))
    run, calls = kernel.engine.run, []
    kernel.engine.run = lambda: calls.append(run()) or calls[-1]  # type: ignore[method-assign, func-returns-value]
    kernel.spawn([program], stopped=False)
    assert kernel.run() == "done"
    kernel.close()
    assert "all is well\n" in capfd.readouterr().out
    return len(calls), len(told)


def test_the_engine_does_not_stop_for_calls_though_they_are_watched(
        program: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    rounds = 3000
    monkeypatch.setenv(accelerators.SLOW_CALLS, "")
    assert kernel_calls(program, capfd)[0] < rounds
    watched = [kernel_calls(program, capfd, name) for name in ("syscall_entry", "syscall_return")]
    assert all(stops < rounds < told for stops, told in watched)
    monkeypatch.setenv(accelerators.SLOW_CALLS, "1")
    slowly = kernel_calls(program, capfd, "syscall_entry")
    assert slowly[0] > rounds and slowly[1] == watched[0][1]
