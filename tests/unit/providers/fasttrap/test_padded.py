"""Instructions that assemblers pad or shorten, and functions whose symbols have no size."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from harness import Machine, natively

Build = Callable[..., str]
Make = Callable[..., Machine]


def test_padded(build_x86: Build, machine: Make, capfd: pytest.CaptureFixture[str]) -> None:
    """Every instruction has its probe, and the program does what it does natively."""
    program = build_x86("padded.c", "-O1", "-no-pie")
    native = natively(program)
    traced = machine()
    process = traced.start(program)
    for function in ("padded", "narrow", "callee", "tail", "sizeless", "last"):
        traced.enable(traced.probes(f"pid{process.pid}:a.out:{function}:"))
    assert traced.run(process).status == 0
    assert capfd.readouterr().out == native
    assert not traced.refusals
    for function in ("padded", "narrow", "tail", "sizeless", "last"):
        assert traced.hits[f"{function}:entry"] == traced.hits[f"{function}:return"] == 1
    assert traced.hits["callee:entry"] == 3
    assert traced.hits["padded:4"] == traced.hits["narrow:8"] == traced.hits["sizeless:3"] == 1
