"""Non-interference: what another zone has and does changes no byte that a zone's tracer gets."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[2]
MACHINE = """
[[zone]]
name = "web"
privileges = "default,dtrace_proc,dtrace_user"

[[zone]]
name = "db"
nodename = "{node}"

[[file]]
path = "/zones/web/data"
text = "of the web"

[[file]]
path = "/zones/db/data"
text = "{text}"

[[process]]
command = ["{program}", "web", "/data", "60"]
zone = "web"

[[process]]
command = ["{program}", "{text}", "/data", "{rounds}"]
zone = "db"

[[process]]
command = ["/bin/sh", "-c", "exec {command} > /dev/null"]
zone = "db"
"""
OTHERS = ({"node": "mars", "text": "one secret", "rounds": "900", "command": "sleep 100"},
          {"node": "venus", "text": "quite another", "rounds": "800", "command": "tail -f /data"})

# Each prints what it could get hold of, once; how often is a matter of time, which zones share.
ATTEMPTS = {
    "memory": "tick-1ms { @[copyinstr(MESSAGE)] = max(1); } tick-1ms { @[copyinstr(CONTENTS)] = max(1); }",
    "process": "tick-1ms, profile-997, sched:::on-cpu, vminfo:::, sysinfo:::, syscall:::"
               "{ @[zonename, execname] = max(1); }",
    "arguments": "syscall::: { @[curpsinfo->pr_psargs] = max(1); } "
                 "tick-1ms { @[stringof(curthread->t_procp->p_user.u_psargs)] = max(1); }",
    "files": "tick-1ms { @[fds[3].fi_pathname] = max(1); } syscall::read:entry "
             "{ @[fds[arg0].fi_pathname] = max(1); }",
    "records": "syscall::read:return { self->n++; } syscall::nanosleep:entry { @[self->n > 0] = max(1); } "
               "tick-1ms { @bytes[*(uint64_t *)copyin(MESSAGE, 8)] = max(1); } END { trace(`ncpus); }",
    "kernel": "tick-1ms { @[stringof(`kernproc->p_user.u_comm)] = max(1); } BEGIN { trace(caller); } "
              "tick-1ms { @[stringof(curthread->t_procp->p_parent->p_user.u_comm)] = max(1); }",
    "shell": 'BEGIN { system("cat /proc/10[0-9]/cmdline | tr -d 0-9; uname -n; cat /data"); }',
    "machine": 'BEGIN { system("cd /proc; cat loadavg dtrace/* zones; grep proc stat; ls"); }',
}


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("zones") / "secret"
    subprocess.run(["cc", "-O1", "-static", "-no-pie", "-o", target,
                    TESTS / "programs" / "secret.c"], check=True)
    return target


def addresses(program: Path) -> dict[str, str]:
    lines = subprocess.run(["nm", program], capture_output=True, text=True, check=True).stdout.splitlines()
    found = {words[2]: f"0x{words[0]}" for words in map(str.split, lines) if len(words) == 3}
    return {"MESSAGE": found["message"], "CONTENTS": found["contents"]}


def seen(folder: Path, program: Path, attempt: str, other: dict[str, str], *options: str) -> str:
    """What a tracer prints in a machine with this other zone."""
    image = folder / "machine.toml"
    image.write_text(MACHINE.format(program=program, **other))
    script = attempt + " tick-60ms { exit(0); } ERROR { @faults[arg4] = max(1); }"
    for name, address in addresses(program).items():
        script = script.replace(name, address)
    words = [sys.executable, "-m", "runtime.command", "-x", f"image={image}", *options, "-wqn", script]
    result = subprocess.run(words, cwd=TESTS.parent, capture_output=True, text=True, timeout=60, check=False)
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_another_zone_changes_nothing(tmp_path: Path, program: Path, attempt: str) -> None:
    first, second = (seen(tmp_path, program, ATTEMPTS[attempt], other, "-x", "zone=web") for other in OTHERS)
    assert first == second
    assert first.strip(), "the zone's own is there"
    for other in OTHERS:
        assert other["text"] not in first and other["node"] not in first


def test_the_global_zone_sees_it(tmp_path: Path, program: Path) -> None:
    """What the tests above try is there to be had."""
    first, second = (seen(tmp_path, program, ATTEMPTS["memory"], other) for other in OTHERS)
    assert OTHERS[0]["text"] in first and OTHERS[1]["text"] in second
