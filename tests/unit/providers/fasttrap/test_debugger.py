"""A breakpoint and a probe on one instruction: each sees every hit, and leaves without the other."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from harness import Machine, natively

from runtime.kernel.process.thread import Thread

Build = Callable[..., str]
Make = Callable[..., Machine]
CALLS = 10


@pytest.mark.parametrize("names", [("entry", "return"), ("",)], ids=["entry", "every"])
@pytest.mark.parametrize("leaves", [None, 8])
@pytest.mark.parametrize("arrives", [1, 5])
@pytest.mark.parametrize("debugger", [("0", "0"), ("0", "4"), ("3", "0"), ("3", "6", "steps")], ids="-".join)
def test_breakpoint(debugger: tuple[str, ...], arrives: int, leaves: int | None, names: tuple[str, ...],
                    build_x86: Build, machine: Make, capfd: pytest.CaptureFixture[str]) -> None:
    """The probe arrives before call number `arrives`, and may leave before call number `leaves`."""
    program = build_x86("debugged.c", "-O1", "-no-pie")
    native = natively(program, *debugger)
    assert native.startswith("status 0, ")
    traced = machine()
    probes = []
    calls = 0

    def mark(thread: Thread, name: str, _arguments: object) -> None:
        nonlocal calls
        calls += name == "getppid"
        if name == "getppid" and calls == arrives:
            for each in names:
                probes.extend(traced.probes(f"pid{thread.pid}:a.out:visited:{each}"))
            traced.enable(probes)
        if name == "getppid" and calls == leaves:
            traced.disable(probes)
    process = traced.spawn(program, *debugger)
    traced.kernel.hooks.syscall_entry = mark
    assert traced.run(process).status == 0
    assert capfd.readouterr().out == native
    expected = (leaves or CALLS + 1) - arrives
    assert traced.hits["visited:entry"] == traced.hits["visited:return"] == expected
