"""The machine as consumers see it."""

from __future__ import annotations

import pytest

from runtime.machine import Machine


def test_ids_are_those_of_the_process() -> None:
    machine = Machine({"spawn": "true"})
    process = machine.kernel.process(machine.ids["pid"])
    assert process is not None and process.execname == b"dtrace"
    assert machine.ids == {
        "pid": process.pid, "ppid": process.ppid, "pgid": process.pgid, "sid": process.sid,
        "uid": process.identity.ruid, "euid": process.identity.euid, "gid": process.identity.rgid,
        "egid": process.identity.egid, "projid": 1, "taskid": 1}
    machine.close()


def test_a_shell_before_anything_is_traced(capfd: pytest.CaptureFixture[str]) -> None:
    with Machine({}) as machine:
        machine.shell(b"echo here", 1)
    assert capfd.readouterr().out == "here\n"
