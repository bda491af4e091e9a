"""A program that single-steps itself by the trap flag counts the same steps with probes and without."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from harness import Machine, natively

Build = Callable[..., str]
Make = Callable[..., Machine]


@pytest.mark.parametrize("probes", ["walked:entry", "walked:return", "walked:", "stepped:entry", "main:"])
def test_steps(probes: str, build_x86: Build, machine: Make, capfd: pytest.CaptureFixture[str]) -> None:
    program = build_x86("stepped.c", "-O1")
    native = natively(program)
    assert int(native.split()[0]) > 16
    traced = machine()
    process = traced.start(program)
    traced.enable(traced.probes(f"pid{process.pid}:a.out:{probes}"))
    assert traced.run(process).status == 0
    assert capfd.readouterr().out == native
    assert traced.hits
