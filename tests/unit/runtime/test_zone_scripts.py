"""Scripts as books and toolkits have them, for the tracer of a zone: zone_scripts.toml lists them."""

from __future__ import annotations

import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from dc.diagnostics import CompileError
from runtime.border import BorderError
from runtime.consumer.consumer import Consumer
from runtime.consumer.events.handler import Callbacks
from runtime.consumer.events.notices import FAULTS
from runtime.framework.probes.privileges import Credentials
from runtime.machine import Machine

TESTS = Path(__file__).resolve().parents[2]
SCRIPTS = tomllib.loads((Path(__file__).parent / "zone_scripts.toml").read_text())["script"]
REASONS = {"unmatched": "does not match any probes", "arguments": "invalid kernel access",
           "kernel": "invalid kernel access", "silent": "nothing"}
WORKING = 64  # scripts in the list without a reason; never fewer
MACHINE = """
[[zone]]
name = "web"
privileges = "default,dtrace_proc,dtrace_user"

[[user]]
name = "alice"
uid = 4321
zone = "web"

[[file]]
path = "/zones/web/worker"
from = "{program}"
mode = "0755"

[[file]]
path = "/worker"
from = "{program}"
mode = "0755"

[[process]]
command = "/worker 1000000 /etc/passwd again"
{keys}

[[process]]
command = "/worker 1000000 /etc/group again"
"""
# who traces: the keys of the processes beside which dtrace runs, and its options
TRACERS = {"root": ('zone = "web"', {"zone": "web"}),
           "alice": ('user = "alice"', {"user": "alice", "privileges": "dtrace_user,dtrace_proc"})}


@pytest.fixture(scope="module", params=TRACERS)
def machine(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    """A machine in which a zone's processes and the global zone's do the same; dtrace is in the zone.

    It is the zone's root that traces, or a user who has the two privileges beside the basic ones.
    """
    keys, options = TRACERS[request.param]
    folder = tmp_path_factory.mktemp("zone")
    program = folder / "worker"
    subprocess.run(["cc", "-g", "-O1", "-fno-inline", "-static", "-o", program,
                    TESTS / "programs" / "worker.c"], check=True)
    (folder / "machine.toml").write_text(MACHINE.format(program=program, keys=keys))
    machine = Machine({"image": str(folder / "machine.toml"), **options})
    yield machine
    machine.close()


def outcome(machine: Machine, text: str, who: Credentials | None = None) -> str:
    """What becomes of a script in 20 ms of the machine's time: "works", "nothing", or the first complaint."""
    found: list[object] = []
    faults: list[str] = []
    web = next(process for process in machine.kernel.processes.values() if process.zone.id == 1
               and process.execname == b"worker")
    try:
        with Consumer.open(machine, who) as dtrace:
            dtrace.settings.target = web.pid
            dtrace.trace(text, Callbacks(firing=found.append, fault=lambda fault: faults.append(
                FAULTS[fault.fault])), seconds=0.02)
            found.extend(dtrace.aggregations.walk())
    except (BorderError, CompileError) as error:
        return str(error)
    return faults[0] if faults else "works" if found else "nothing"


@pytest.mark.parametrize("script", SCRIPTS, ids=[script["name"] for script in SCRIPTS])
def test_in_a_zone(machine: Machine, script: dict[str, str]) -> None:
    """It works, or meets what the list says; then it works for who sees the kernel."""
    reason = script.get("reason")
    found = outcome(machine, script["text"])
    if reason is None:
        assert found == "works"
    else:
        assert REASONS[reason] in found
        assert outcome(machine, script["text"], Credentials()) == "works", "for who has every privilege"


def test_before_the_privilege_is_given(machine: Machine) -> None:
    nothing = Credentials(zone=1, kernel=False, user=False, proc=False)
    assert {outcome(machine, script["text"], nothing) for script in SCRIPTS} == {
        "[Errno 13] DTrace requires additional privileges"}


def test_the_list_grows() -> None:
    """As many scripts work as ever did, and each that does not has one of the reasons."""
    assert sum("reason" not in script for script in SCRIPTS) >= WORKING
    assert {script["reason"] for script in SCRIPTS if "reason" in script} <= set(REASONS)
