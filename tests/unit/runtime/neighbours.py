"""A machine with two zones, and what differs in the second of them: the first shall not notice.

`write_machine` describes it.  `OTHERS` differ in what the zone db has in memory, in files, names and users,
but not in time.  `BUSY` differ in when its processes run and for how long, too, beside a zone that computes.
"""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

from runtime.kernel.process import daemons
from runtime.machine import Machine

PROGRAMS = Path(__file__).resolve().parents[2] / "programs"
MACHINE = """
[[zone]]
name = "web"
privileges = "default,dtrace_proc,dtrace_user"

[[zone]]
name = "db"
nodename = "{node}"

[[user]]
name = "owner"
uid = {uid}
zone = "db"

[[file]]
path = "/zones/web/data"
text = "of the web"

[[file]]
path = "/zones/db/{file}"
text = "{text}"
"""
# the zone or user of each process, and its command
PROCESSES = (
    ('zone = "web"', "{folder}/secret web /data 100000 {mine}"),
    ('zone = "web"', "{folder}/worker 100000 /data again"),
    ('zone = "db"', "{folder}/{program} {text} /{file} 100000 {work} {pause}"),
    ('user = "owner"', "/bin/sleep {sleep}"),
    ('zone = "db"', "{folder}/helper 100000 /{file} {again}"),
)
_SAME: dict[str, str] = {"work": "10000", "pause": "3000000", "sleep": "100000", "again": "again"}
OTHERS = (
    {"node": "mars", "text": "one-secret", "file": "left", "program": "alpha", "uid": 1001, **_SAME},
    {"node": "moon", "text": "my-private", "file": "wine", "program": "gamma", "uid": 2002, **_SAME})
_COMPUTES = {"again": "", "mine": "100000000"}  # the tracer's zone, without a pause
BUSY = (
    {**OTHERS[0], **_COMPUTES},
    {**OTHERS[1], **_COMPUTES, "text": "quite-another", "work": "70000", "pause": "100000", "sleep": "0.02"})


def build(folder: Path) -> None:
    """Compile the programs that the machine runs, with names of one length.

    No file is of both zones: what one has read of it, the other would find in memory.
    """
    for source, names in (("secret", ("secret", "alpha", "gamma")), ("worker", ("worker", "helper"))):
        for name in names:
            subprocess.run(["cc", "-g", "-O1", "-fno-inline", "-static", "-no-pie", "-o", folder / name,
                            PROGRAMS / f"{source}.c"], check=True)


def write_machine(folder: Path, other: Mapping[str, object], *, workers: bool = True) -> Path:
    """Write the description of a machine with such a zone beside the tracer's.

    Without workers the tracer's zone works so much itself that ticks find it running.
    """
    path = folder / "machine.toml"
    kept = [f'\n[[process]]\n{keys}\ncommand = "{command.strip()}"\n' for keys, command in PROCESSES
            if workers or "again" not in command]
    values = {**other, "mine": other.get("mine", "") if workers else "100000"}
    path.write_text((MACHINE + "".join(kept)).format(folder=folder, **values))
    return path


def part(machine: Machine) -> None:
    """Give the zone web the first CPU, and all others the second, as processor sets do (ncpus=2)."""
    kernel = machine.kernel
    daemons.start(kernel)
    for process in (*kernel.system.values(), *kernel.processes.values()):
        for thread in process.threads:
            thread.affinity = 1 if process.zone.name == b"web" else 2
            kernel.scheduler.place(thread)
