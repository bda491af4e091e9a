"""Tracepoints show a tracer its own processes only, whatever files they share and whatever they run."""

from __future__ import annotations

from pathlib import Path

import pytest

from dof.model import ProbeDesc
from runtime.border import BorderError, Command, ProbeDescription
from runtime.consumer.consumer import Consumer
from runtime.consumer.events.handler import Callbacks
from runtime.framework.probes.privileges import Credentials
from runtime.machine import Machine

ZONE = """\
[[zone]]
name = "shared"
root = "/"
privileges = "default,dtrace_proc,dtrace_user"

[[user]]
name = "alice"
uid = 4321
zone = "shared"
"""
IN_ZONE, ALICE = 'zone = "shared"\n', 'user = "alice"\n'
ALL = "dtrace_proc,dtrace_user,proc_owner"


def traced(folder: Path, script: str, processes: list[tuple[str, str]],
           **options: str) -> tuple[list[str], Machine]:
    """Trace a machine with these processes for 4 s; returns what the clauses trace, and the machine."""
    path = folder / "machine.toml"
    path.write_text(ZONE + "".join(f"\n[[process]]\n{keys}command = ['sh', '-c', '''{command}''']\n"
                                   for keys, command in processes))
    machine = Machine({"image": str(path), **options})
    found: list[str] = []
    with Consumer.open(machine) as dtrace:
        dtrace.setopt("zdefs")
        dtrace.trace(script, Callbacks(lambda firing: found.extend(map(str, firing.values))), seconds=4)
    return found, machine


CALLS = "sleep 1; kill -0 $$; kill -0 $$"
BOTH = "pid101::kill:entry, pid102::kill:entry { trace(pid); }"
LISTED = "sleep 1; grep -c pid101 /proc/dtrace/fasttrap; grep -c pid102 /proc/dtrace/fasttrap"


@pytest.mark.parametrize(("options", "fired"), [
    ({}, {"101", "102"}), ({"zone": "shared", "privileges": ALL}, {"102"}),
    ({"privileges": ALL + ",proc_zone"}, {"101", "102"}), ({"privileges": ALL}, {"101"})])
def test_a_shared_library_fires_for_whom_it_may(options: dict[str, str], fired: set[str],
                                                tmp_path: Path) -> None:
    """Process 101 is in the global zone, 102 in the other; both map the same file."""
    found, machine = traced(tmp_path, BOTH, [("", CALLS), (IN_ZONE, CALLS)], **options)
    machine.close()
    assert set(found) == fired and len(found) == 2 * len(fired)


def test_the_list_of_tracepoints_shows_a_zone_its_own(tmp_path: Path,
                                                      capfd: pytest.CaptureFixture[str]) -> None:
    capfd.readouterr()
    _, machine = traced(tmp_path, BOTH, [
        ("", "sleep 3"), (IN_ZONE, "sleep 3"), ("", LISTED), (IN_ZONE, "sleep .3;" + LISTED),
        (ALICE, "sleep .6;" + LISTED)])
    machine.close()
    assert capfd.readouterr().out.split() == ["1", "1", "0", "1", "0", "0"]


def test_nothing_is_told_of_processes_that_may_not_be_traced(tmp_path: Path) -> None:
    _, machine = traced(tmp_path, "dtrace:::BEGIN { exit(0); }", [("", "sleep 1"), (IN_ZONE, "sleep 1")],
                        user="alice", privileges="dtrace_proc")
    told = [machine.mistake(ProbeDesc(f"pid{pid}", "", "no_such_function", "entry"))
            for pid in (101, 102, 999)]
    machine.close()
    assert told == [("D_PROC_GRAB", "there is no process 101 to trace"),
                       ("D_PROC_GRAB", "process 102 may not be traced"),
                       ("D_PROC_GRAB", "there is no process 999 to trace")]


@pytest.mark.parametrize("provider", ["pid101", "pid*"])
def test_asking_for_probes_of_others_does_nothing_to_them(provider: str, tmp_path: Path) -> None:
    """No probe is made, whose number others could notice, and no new process runs to map its libraries."""
    path = tmp_path / "machine.toml"
    path.write_text(ZONE + "\n[[process]]\ncommand = ['sh', '-c', 'sleep 1']\n")
    machine = Machine({"image": str(path), "zone": "shared", "privileges": ALL})
    wanted = ProbeDescription(0, provider, "", "kill", "entry").pack()
    other = machine.kernel.processes[101]
    mapped = len(other.space.areas)
    with pytest.raises(BorderError):
        machine.device().ioctl(Command.PROBEMATCH, wanted)
    known = set(machine.framework.registry.providers)
    assert "pid101" not in known and len(other.space.areas) == mapped
    assert machine.device(Credentials()).ioctl(Command.PROBEMATCH, wanted)
    assert len(other.space.areas) > mapped
    machine.close()


SET_ID = [(IN_ZONE, "cp /bin/sh /mine; chmod 4755 /mine"),
          (ALICE, 'sleep 1; kill -0 $$; exec /mine -pc "kill -0 1; kill -0 $$"')]


@pytest.mark.parametrize(("options", "fired"), [({}, 3), ({"user": "alice", "privileges": "dtrace_proc"}, 1)])
def test_a_set_id_program_shows_nothing_to_its_caller(options: dict[str, str], fired: int,
                                                      tmp_path: Path) -> None:
    found, machine = traced(tmp_path, "pid102::kill:entry { trace(execname); }", SET_ID, **options)
    machine.close()
    assert found == ["sh", "mine", "mine"][:fired]
