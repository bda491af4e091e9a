"""What is traced: processes of -p, several of -c, and those that run before anybody traces."""

from __future__ import annotations

import subprocess
from pathlib import Path

import atonce

FIRST_PID = "101"  # of what a machine starts before tracing


def dtrace(*words: str) -> subprocess.CompletedProcess[str]:
    return atonce.run(["dtrace", *words])


def test_process_that_runs_already() -> None:
    script = 'syscall::exit_group:entry /pid == $target/ { printf("%s %d", execname, arg0); }'
    result = dtrace("-x", "spawn=sh -c 'sleep 0.1; exit 3'", "-qn", script, "-p", FIRST_PID)
    assert (result.returncode, result.stdout.strip()) == (0, "sh 3")


def test_process_of_an_image(tmp_path: Path) -> None:
    image = tmp_path / "machine.toml"
    image.write_text('[[process]]\ncommand = ["sleep", "0.2"]\n')
    script = "proc:::exit /pid == $target/ { trace(execname); }"
    result = dtrace("-x", f"image={image}", "-n", script, "-p", FIRST_PID)
    assert result.returncode == 0 and "sleep" in result.stdout
    assert f"pid {FIRST_PID} has exited" in result.stderr


def test_several_commands() -> None:
    script = 'proc:::exit { printf("%s of %d\\n", execname, $target); }'
    result = dtrace("-qn", script, "-c", "sleep 0.02", "-c", "true", "-c", "sh -c 'exit 4'")
    lines = result.stdout.split("\n")
    assert result.returncode == 0
    targets = {line.split()[-1] for line in lines if " of " in line}
    assert len(targets) == 1, "$target is the first"
    assert {line.split()[0] for line in lines if " of " in line} == {"sleep", "true", "sh"}


def test_no_such_process() -> None:
    result = dtrace("-n", "BEGIN", "-p", "4711")
    assert (result.returncode, result.stderr) == (1, "dtrace: failed to control 4711: No such process\n")


def test_calls_that_the_machine_lacks_are_told_on_demand() -> None:
    verbose, quiet = dtrace("-v", "-qn", "BEGIN", "-c", "true"), dtrace("-qn", "BEGIN", "-c", "true")
    assert "dtrace: system calls that the machine does not have: rseq (1)\n" in verbose.stderr
    assert not quiet.stderr
