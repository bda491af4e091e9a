"""Non-interference: what another zone has and does changes no byte that a zone's tracer gets."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.runtime.neighbours import BUSY, OTHERS, PROGRAMS, build, write_machine

PAIR = (OTHERS[0], BUSY[1])  # they differ in time, too, which both zones share here

# Each prints what it could get hold of, once; how often is a matter of time, which zones share.  Ticks are so
# close that some find each process running.
ATTEMPTS = {
    "memory": "tick-211us { @[copyinstr(MESSAGE)] = max(1); } "
              "tick-211us { @[copyinstr(CONTENTS)] = max(1); }",
    "process": "tick-211us, profile-997, sched:::on-cpu, vminfo:::, sysinfo:::, syscall:::"
               "{ @[zonename, execname] = max(1); }",
    "arguments": "syscall::: { @[curpsinfo->pr_psargs] = max(1); } "
                 "tick-211us { @[stringof(curthread->t_procp->p_user.u_psargs)] = max(1); }",
    "files": "tick-211us { @[fds[3].fi_pathname] = max(1); } syscall::read:entry "
             "{ @[fds[arg0].fi_pathname] = max(1); }",
    "records": "syscall::read:return { self->n++; } syscall::nanosleep:entry { @[self->n > 0] = max(1); } "
               "tick-211us { @bytes[*(uint64_t *)copyin(MESSAGE, 8)] = max(1); } END { trace(`ncpus); }",
    "kernel": "tick-211us { @[stringof(`kernproc->p_user.u_comm)] = max(1); } BEGIN { trace(caller); } "
              "tick-211us { @[stringof(curthread->t_procp->p_parent->p_user.u_comm)] = max(1); }",
    "shell": 'BEGIN { system("cat /proc/10[0-9]/cmdline | tr -d 0-9; uname -n; cat /data"); }',
    "machine": 'BEGIN { system("cd /proc; cat loadavg dtrace/* zones; grep proc stat; ls"); }',
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("zones")
    build(folder)
    return folder


def addresses(program: Path) -> dict[str, str]:
    lines = subprocess.run(["nm", program], capture_output=True, text=True, check=True).stdout.splitlines()
    found = {words[2]: f"0x{words[0]}" for words in map(str.split, lines) if len(words) == 3}
    return {"MESSAGE": found["message"], "CONTENTS": found["contents"]}


def seen(folder: Path, attempt: str, other: dict[str, str], *options: str) -> str:
    """What a tracer prints in a machine with this other zone."""
    image = write_machine(folder, other, workers=False)
    script = attempt + " tick-60ms { exit(0); } ERROR { @faults[arg4] = max(1); }"
    for name, address in addresses(folder / "secret").items():
        script = script.replace(name, address)
    words = [sys.executable, "-m", "runtime.command", "-x", f"image={image}", *options, "-wqn", script]
    result = subprocess.run(words, cwd=PROGRAMS.parents[1], capture_output=True, text=True, timeout=60,
                            check=False)
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_another_zone_changes_nothing(folder: Path, attempt: str) -> None:
    first, second = (seen(folder, ATTEMPTS[attempt], other, "-x", "zone=web") for other in PAIR)
    assert first == second
    assert first.strip(), "the zone's own is there"
    for other in PAIR:
        assert other["text"] not in first and other["node"] not in first


def test_the_global_zone_sees_it(folder: Path) -> None:
    """What the tests above try is there to be had."""
    first, second = (seen(folder, ATTEMPTS["memory"], other) for other in PAIR)
    assert PAIR[0]["text"] in first and PAIR[1]["text"] in second
