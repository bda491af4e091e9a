"""Exit statuses for CI: -x strict and -x childstatus."""

from __future__ import annotations

import pytest

from dof.model import ProbeDesc
from runtime.border import ProbeDescription
from runtime.command.command import main
from runtime.consumer.events.records import Firing
from runtime.consumer.output.strict import Strict


@pytest.mark.parametrize(("program", "said"), [
    ("BEGIN { trace(*(int *)8); } tick-1ms { exit(0); }", "1 error (-x strict)"),
    ("BEGIN { exit(0); } nosuch:::probe { trace(1); }", "nosuch:::probe matched no probe (-x strict)"),
    ("#pragma D option bufsize=128\ntick-1ms { trace(\"0123456789\"); } tick-10ms { exit(0); }",
     "drops (-x strict)"),
], ids=["error", "description", "drops"])
def test_strict(program: str, said: str, capfd: pytest.CaptureFixture[str]) -> None:
    arguments = ["-Z", "-q", "-x", "switchrate=10s", "-n", program]
    assert main(arguments) == 0
    capfd.readouterr()
    assert main(["-x", "strict", *arguments]) == 1
    assert capfd.readouterr().err.splitlines()[-1].endswith(said)


def test_strict_is_content_with_a_clean_run(capfd: pytest.CaptureFixture[str]) -> None:
    """A probe of a process counts although it has gone when tracing ends."""
    clean = "pid$target:libc.so.6:getenv:entry { gone = 1; } syscall::exit_group:entry { trace(pid); }"
    assert main(["-x", "strict", "-q", "-n", clean, "-c", "/bin/true"]) == 0, capfd.readouterr().err


@pytest.mark.parametrize(("program", "said"), [
    ("BEGIN { trace(1); } tick-1ms { exit(0); }", ""),
    ("BEGIN { @ = count(); } tick-1ms { exit(0); }", ""),
    ("BEGIN { @ = count(); clear(@); } tick-1ms { exit(0); }", ""),
    ("BEGIN { self->x = 1; } tick-1ms { exit(0); }", ""),
    ("BEGIN { trace(*(int *)8); } tick-1ms { exit(0); }", ""),
    ("syscall::read:entry { trace(1); } tick-1ms { exit(0); }", "syscall::read:entry did not fire"),
    ("syscall::read:entry { @ = count(); } BEGIN { exit(0); }", "syscall::read:entry did not fire"),
    ("BEGIN /pid == 0/ { trace(1); } tick-1ms { exit(0); }", "BEGIN did not fire")])
def test_expected_probes(program: str, said: str, capfd: pytest.CaptureFixture[str]) -> None:
    """What has fired is known from records, entries of aggregations, and faults."""
    assert main(["-x", "expect-probes", "-q", "-n", program]) == bool(said)
    err = capfd.readouterr().err
    assert f"{said} (-x expect-probes)" in err if said else "expect-probes" not in err


@pytest.mark.parametrize(("program", "command", "status"), [
    ("BEGIN { }", "/bin/sh -c 'exit 7'", 7), ("BEGIN { }", "/bin/true", 0),
    ("BEGIN { }", "/bin/sh -c 'kill -9 $$'", 137), ("END { exit(3); }", "/bin/sh -c 'exit 7'", 3)])
def test_childstatus(program: str, command: str, status: int) -> None:
    assert main(["-x", "childstatus", "-q", "-n", program, "-c", command]) == status


def test_childstatus_needs_a_command(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["-x", "childstatus", "-n", "BEGIN { exit(0); }"]) == 1
    assert capfd.readouterr().err.count("\n") == 1


class _Quiet:
    """Takes what is reported."""

    status = 0
    rounds = 0

    def firing(self, firing: Firing) -> None: ...

    def worked(self) -> None:
        self.rounds += 1


class _Passing:
    """A catalog whose processes are gone whenever one looks."""

    def probes(self, description: ProbeDesc) -> list[object]:
        return []


def test_a_probe_that_fired_has_matched_though_it_is_gone() -> None:
    descriptions = [ProbeDesc("pid7", "", name, "entry") for name in ("f", "g")]
    quiet = _Quiet()
    strict = Strict(quiet, descriptions, _Passing())  # type: ignore[arg-type]
    for epid in (1, 1, 2):
        strict.firing(Firing(0, epid, ProbeDescription(9, "pid7", "a.out", "f", "entry"), 0, None))
    strict.worked()
    assert strict.problems() == ["pid7::g:entry matched no probe"]
    assert quiet.rounds == 1
