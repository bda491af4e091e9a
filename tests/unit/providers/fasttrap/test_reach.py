"""Text that no slot in reach can stand for: its operands or all free memory lie too far away."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from harness import Machine, natively

Build = Callable[..., str]
Make = Callable[..., Machine]
FUNCTIONS = ("operands", "jumping", "calling", "store", "leaf")
FAR = "-Wl,--section-start=.far=0x60000000"


@pytest.mark.parametrize("how", ["far", "crowd"])
def test_distant(how: str, build_x86: Build, machine: Make, capfd: pytest.CaptureFixture[str]) -> None:
    program = build_x86("distant.c", "-O1", FAR)
    native = natively(program, how)
    assert native.endswith(", 50 handled, 0 wrong\n")
    traced = machine()
    process = traced.start(program, how)

    def mark(_thread: object, name: str, _arguments: object) -> None:
        if name == "getppid":
            for function in FUNCTIONS:
                traced.enable(traced.probes(f"pid{process.pid}:a.out:{function}:"))
    traced.kernel.hooks.syscall_entry = mark
    assert traced.run(process).status == 0
    assert capfd.readouterr().out == native
    assert traced.loans == 16  # every instruction that names something far
    assert not traced.refusals
    for function in FUNCTIONS:
        assert traced.hits[f"{function}:entry"] == (100 if function == "leaf" else 50)
    assert traced.hits["jumping:return"] == traced.hits["calling:return"] == 50
