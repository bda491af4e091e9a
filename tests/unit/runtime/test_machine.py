"""The machine as consumers see it."""

from __future__ import annotations

import errno
import os
from types import SimpleNamespace
from typing import Any

import pytest

from runtime.border import BorderError, Command
from runtime.driver import STRUCTURE, _Driver, _Request
from runtime.kernel.base.signals import SIGTERM, SignalInfo
from runtime.kernel.cpu.x86 import identification
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


@pytest.mark.parametrize(("options", "said"), [
    ({"nosuch": 1}, "there is no option 'nosuch'"),
    ({"ncpus": 0}, "option ncpus takes a number from 1 to 64, not 0"),
    ({"ncpus": "65"}, "option ncpus takes a number from 1 to 64, not '65'"),
    ({"ncpus": "two"}, "option ncpus takes a number from 1 to 64, not 'two'"),
    ({"ncpus": True}, "option ncpus takes a number from 1 to 64, not True"),
    ({"memory": "16383k"}, "option memory takes bytes (with k, m, g or t), a number from 16777216 to"
                           " 68719476736, not '16383k'"),
    ({"cputime": "x"}, "option cputime takes a time with a unit, a number from 0 to 9223372036854775807,"
                       " not 'x'"),
    ({"clock": "fast"}, "option clock takes virtual or real, not 'fast'"),
    ({"engine": ""}, "option engine takes translate or interpret, not ''"),
    ({"target": "plan9"}, "option target takes illumos or linux or freebsd, not 'plan9'"),
    ({"root": "/no/such"}, "option root: /no/such: No such file or directory"),
    ({"root": "/etc/passwd"}, "option root: /etc/passwd: Not a directory"),
    ({"file": "/no/such"}, "option file: /no/such: No such file or directory"),
    ({"file": ["/etc/passwd", "/no/such"]}, "option file: /no/such: No such file or directory"),
    ({"spawn": "/no/such a"}, "cannot start /no/such a: No such file or directory"),
    ({"spawn": "'"}, "cannot start ': No closing quotation"),
    ({"user": "alice"}, "cannot trace as alice: there is no user alice"),
    ({"zone": "mars"}, "there is no zone mars"),
    ({"privileges": "fly"}, "cannot trace as root: there is no privilege fly"),
    ({"image": "/no/such"}, "/no/such: No such file or directory")])
def test_options_that_make_no_machine(options: dict[str, object], said: str) -> None:
    with pytest.raises(ValueError) as caught:
        Machine(options)
    assert str(caught.value) == said


def test_a_processor_that_the_host_does_not_have(monkeypatch: pytest.MonkeyPatch) -> None:
    missing = ["AVX2", "BMI2"]
    monkeypatch.setattr(identification, "lacking", lambda: missing)
    with pytest.raises(ValueError) as caught:
        Machine({"processor": "x86-64-v3"})
    assert str(caught.value) == "option processor: x86-64-v3 needs a host that has AVX2, BMI2, too"
    assert Machine({"processor": "x86-64-v2"}) and not missing.clear()
    assert Machine({"processor": "x86-64-v3"})


def test_options_at_their_bounds() -> None:
    for options in ({"ncpus": "64"}, {"ncpus": 1}, {"memory": "16m"}, {"engine": "interpret"},
                    {"file": ["/etc/passwd"]}, {"file": "/etc/passwd"}):
        ncpus = options.get("ncpus", 1)
        assert repr(Machine(options)) == f"<Machine ncpus={ncpus} target=illumos not booted>"


def test_the_environment_of_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The host's, over a default one, or one that is always the same."""
    monkeypatch.setattr(os, "environ", {"A": "b", "HOME": "/there"})
    host = Machine().environment
    assert host["A"] == "b" and host["HOME"] == "/there" and host["PATH"]
    clean = Machine({"env": "clean"}).environment
    assert "A" not in clean and clean["HOME"] == "/" and clean["TZ"] == "UTC0"


def test_who_dtrace_is() -> None:
    with Machine({"user": "99", "spawn": "true"}) as machine:
        assert {name: machine.ids[name] for name in ("pid", "uid", "euid", "gid", "egid")} == {
            "pid": 100, "uid": 99, "euid": 99, "gid": 99, "egid": 99}
        for pid, number in ((101, errno.EPERM), (4000, errno.ESRCH)):
            with pytest.raises(OSError) as caught:
                machine.grab(pid)
            assert (caught.value.errno, caught.value.strerror) == (number, os.strerror(number))


def test_a_process_that_is_grabbed() -> None:
    with Machine({"spawn": "sh -c 'exit 3'"}) as machine:
        assert machine.read("/no/such") is None and machine.read("/etc/hostname") is not None
        assert machine.unknown_calls() == [] == machine.unread_types()
        machine.kernel.unknown_syscalls.update(b_call=1, a_call=20)
        assert machine.unknown_calls() == ["a_call (20)", "b_call (1)"]
        process = machine.grab(101)
        assert (process.pid, process.exit_status) == (101, None)
        process.resume()  # it has not stood still
        while process.exit_status is None:
            machine.kernel.run()
        assert process.exit_status == 3 << 8


@pytest.mark.parametrize(("module", "name", "found"), [
    (None, "kmem_alloc", "genunix"), ("genunix", "kmem_alloc", "genunix"), ("unix", "kmem_alloc", None),
    ("nosuch", "kmem_alloc", None), (None, "nosuch", None), (None, "freemem", "genunix"),
    ("unix", "freemem", "genunix"), ("nosuch", "freemem", None)])
def test_names_of_the_kernel(module: str | None, name: str, found: str | None) -> None:
    """A function's type is that of a pointer to one; a variable is in whatever module of the kernel."""
    with Machine() as machine:
        symbol = machine.named(module, name)
        assert (symbol.name, symbol.module) == (name, found) if symbol is not None else found is None
        if symbol is not None and name == "kmem_alloc":
            assert symbol.size == 8 and str(symbol.type) == "int (*)()"


class Memory:
    """A thread's memory: what is written to it."""

    def __init__(self) -> None:
        self.written: list[tuple[int, bytes]] = []

    def write(self, address: int, data: bytes) -> None:
        self.written.append((address, data))


def test_requests_of_dtraces_own_process() -> None:
    """Each is carried out once; of its answer the structure alone is written."""
    asked: list[tuple[Command, bytes]] = []

    def ioctl(command: Command, payload: bytes) -> bytes:
        asked.append((command, payload))
        if command is Command.STOP:
            raise BorderError(errno.EINVAL, "no")
        return bytes(STRUCTURE) + b"more"

    device: Any = SimpleNamespace(ioctl=ioctl)
    driver, memory = _Driver(), Memory()
    thread: Any = memory
    with pytest.raises(OSError) as caught:
        driver.ioctl(thread, 0, 64)
    assert caught.value.args == (errno.EBUSY, os.strerror(errno.EBUSY)) and not asked
    request = driver.request = _Request(device, Command.GO, b"in")
    assert driver.ioctl(thread, 0, 64) == 0 and driver.request is None
    assert (request.answer, request.error, request.done) == (bytes(STRUCTURE) + b"more", None, True)
    assert memory.written == [(64, bytes(STRUCTURE))] and STRUCTURE == 512
    request = driver.request = _Request(device, Command.STOP, b"")
    with pytest.raises(BorderError, match="no") as refused:
        driver.ioctl(thread, 0, 64)
    assert request.error is refused.value and request.done and len(memory.written) == 1
    assert asked == [(Command.GO, b"in"), (Command.STOP, b"")]


def test_signals_to_dtraces_own_process_end_tracing() -> None:
    with Machine() as machine:
        tracer = machine.booted.tracer
        assert not machine.system().interrupted
        assert tracer.sleep(machine.kernel.hrtime() + 1000) is False
        tracer.process.post(SignalInfo(SIGTERM))
        assert tracer.sleep(machine.kernel.hrtime() + 10**12) is True
        assert machine.system().interrupted and tracer.interrupted  # it stays so
        machine.kernel.panicked = "a reason"
        lost = tracer._lost(SimpleNamespace(strerror="gone"))  # type: ignore[arg-type]
        assert str(lost) == "the machine has panicked: a reason"
        machine.kernel.panicked = ""
        lost = tracer._lost(SimpleNamespace(strerror="gone"))  # type: ignore[arg-type]
        assert str(lost) == "dtrace in the machine: gone"
