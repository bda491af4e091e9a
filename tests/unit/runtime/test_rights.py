"""Who dtrace is in the machine: -x zone, user and privileges, and what follows from them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from runtime.consumer.consumer import Consumer
from runtime.consumer.events.handler import Callbacks
from runtime.framework.probes.privileges import Credentials
from runtime.machine import Machine

MACHINE = """
[[zone]]
name = "web"
privileges = "default,dtrace_proc,dtrace_user"
nodename = "mercury"

[[zone]]
name = "bare"

[[user]]
name = "alice"
uid = 4321
gid = 77
privileges = "basic,dtrace_user,dtrace_proc"

[[process]]
command = ["sh", "-c", "while :; do cat /etc/hostname > /dev/null; sleep 1; done"]
zone = "web"

[[process]]
command = ["sh", "-c", "while :; do cat /etc/hostname > /dev/null; sleep 1; done"]
"""
WHO = """BEGIN { printf("%d %s %d %d %d\\n", pid, zonename, uid, $uid, $gid); }
BEGIN { system("id -u; uname -n"); exit(0); }"""


def dtrace(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    (folder / "machine.toml").write_text(MACHINE)
    command = [sys.executable, "-m", "runtime.command", "-x", "image=machine.toml", *words]
    environment = {"PYTHONPATH": str(Path(__file__).resolve().parents[3]), "PATH": "/usr/bin:/bin"}
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=False,
                          env=environment)


@pytest.mark.parametrize(("options", "wanted"), [
    ((), "100 global 0 0 0\n0\n"),
    (("-x", "zone=web"), "100 web 0 0 0\n0\nmercury\n"),
    (("-x", "user=alice"), "100 global 4321 4321 77\n4321\n"),
    (("-x", "user=99", "-x", "privileges=dtrace_user"), "100 global 99 99 99\n99\n"),
    (("-x", "zone=web", "-x", "user=alice"), "100 web 4321 4321 77\n4321\nmercury\n"),
])
def test_its_process(tmp_path: Path, options: tuple[str, ...], wanted: str) -> None:
    """BEGIN, $uid, zonename and system() are of that process."""
    result = dtrace(tmp_path, *options, "-wqn", WHO)
    assert result.stdout.startswith(wanted), result.stderr


@pytest.mark.parametrize(("options", "message"), [
    (("-x", "zone=bare"), "failed to initialize dtrace: DTrace requires additional privileges"),
    (("-x", "user=99"), "failed to initialize dtrace: DTrace requires additional privileges"),
    (("-x", "zone=nowhere"), "failed to initialize the machine: there is no zone nowhere"),
    (("-x", "user=bob"), "failed to initialize the machine: cannot trace as bob: there is no user bob"),
    (("-x", "privileges=fly"),
     "failed to initialize the machine: cannot trace as root: there is no privilege fly"),
])
def test_nobody_that_there_is(tmp_path: Path, options: tuple[str, ...], message: str) -> None:
    result = dtrace(tmp_path, *options, "-n", "BEGIN { exit(0); }")
    assert (result.returncode, result.stdout, result.stderr) == (1, "", f"dtrace: {message}\n")


@pytest.mark.parametrize(("program", "message"), [
    ("fbt:::entry { trace(1); }", "does not match any probes: fbt takes the privilege dtrace_kernel\n"),
    ("io:::start { trace(1); }", "does not match any probes: io takes the privilege dtrace_kernel\n"),
    ("fbt::no_such_function:entry { trace(1); }", "does not match any probes\n"),
    ("BEGIN { trace(`kernproc->p_pidp->pid_id); } BEGIN { exit(0); }", "invalid kernel access in action #1"),
    ("BEGIN { stack(); } BEGIN { exit(0); }", "invalid kernel access in action #1"),
    ("BEGIN { panic(); } BEGIN { exit(0); }", "invalid kernel access in action #1"),
    ("tick-1ms { trace(copyinstr(curpsinfo->pr_argv)); } tick-50ms { exit(0); }", "invalid user access"),
])
def test_what_the_privilege_does_not_give(tmp_path: Path, program: str, message: str) -> None:
    """The global zone's processes run at some of the ticks, and at others none does."""
    assert message in dtrace(tmp_path, "-x", "zone=web", "-wqn", program).stderr


@pytest.mark.parametrize("program", [
    'syscall::openat:entry /execname == "cat"/ { trace(copyinstr(arg1)); exit(0); }',
    'syscall::read:entry /execname == "cat"/ { trace(fds[arg0].fi_pathname); exit(0); }',
    "syscall::read:entry { trace(curpsinfo->pr_psargs); trace(curlwpsinfo->pr_lwpid); exit(0); }",
    "syscall::read:entry { trace(curcpu->cpu_id); trace(cpu); exit(0); }",
    "sched:::on-cpu { trace(execname); exit(0); }", "proc:::exec-success { trace(execname); exit(0); }",
    "vminfo:::as_fault { trace(pid); exit(0); }", "sysinfo:::pswitch { trace(execname); exit(0); }",
    'profile-1999 /execname == "cat"/ { ustack(); exit(0); }', "tick-10ms { trace(1); exit(0); }",
])
def test_what_it_gives(tmp_path: Path, program: str) -> None:
    """In the zone that has the privilege, and not in the one that has not."""
    result = dtrace(tmp_path, "-x", "zone=web", "-qn", program + " tick-3s { exit(0); }")
    assert result.stdout.strip() and not result.stderr
    assert "additional privileges" in dtrace(tmp_path, "-x", "zone=bare", "-qn", program).stderr


def test_cleanpath_gives_the_path_as_the_zone_has_it(tmp_path: Path) -> None:
    path = "getf(arg0)->f_vnode->v_path"
    program = f"""syscall::read:entry /zonename == "web" && fds[arg0].fi_name == "hostname"/
        {{ printf("%s %s", cleanpath({path}), stringof({path})); exit(0); }}"""
    whole = "/zones/web/etc/hostname"
    assert dtrace(tmp_path, "-qn", program).stdout == f"{whole} {whole}\n"
    assert dtrace(tmp_path, "-x", "zone=web", "-qn", program).stdout == f"/etc/hostname {whole}\n"


def test_closing_files_crosses_cpus_for_few(tmp_path: Path) -> None:
    """A cross call at each close while a zone's tracer calls getf(), and none while all see the kernel."""
    counts = []
    for limited in (False, True):
        machine = Machine({"ncpus": "2"})
        found: list[object] = []
        who = Credentials(kernel=False) if limited else None
        with Consumer.open(machine) as counter, Consumer.open(machine, who) as opener:
            opener.enable(opener.compile("syscall::read:entry { @[fds[arg0].fi_name] = count(); }").program)
            opener.go()
            machine.spawn(["sh", "-c", "cat /etc/hostname > /dev/null"]).resume()
            counter.trace("sysinfo:::xcalls, fbt::closef:entry { @[probename] = count(); } "
                          "tick-500ms { exit(0); }", Callbacks(firing=found.append))
            counts.append({str(entry.values[0]): entry.value.scalar for entry in counter.aggregations.walk()})
        machine.close()
    plain, limited_counts = counts
    assert plain["entry"] and "xcalls" not in plain
    assert limited_counts["entry"] == plain["entry"]
    assert 0 < limited_counts["xcalls"] <= limited_counts["entry"], "the last descriptor of a file calls"
