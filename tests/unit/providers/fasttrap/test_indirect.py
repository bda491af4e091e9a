"""Indirect functions by their own names: the implementation that their resolver chose is traced."""

from __future__ import annotations

from collections.abc import Callable

import compilers
import pytest
from harness import Machine

Build = Callable[..., str]
Make = Callable[..., Machine]
CALLS = 20  # of each function in each half of the program
FLAGS = [("-O1", "-fno-builtin"), ("-O1", "-fno-builtin", "-static"), ("-O1", "-fno-builtin", "-m32"),
         ("-O1", "-fno-builtin", "-Wl,-z,now", "-no-pie")]


@pytest.mark.parametrize("flags", FLAGS, ids="_".join)
@pytest.mark.parametrize("late", [False, True], ids=["early", "late"])
def test_chosen(late: bool, flags: tuple[str, ...], build: Build, machine: Make,
                capfd: pytest.CaptureFixture[str]) -> None:
    """Whether the resolver has been called yet or not."""
    traced = machine()
    process = traced.start(build("indirect.c", *flags))
    module = compilers.library_module(flags)

    def enable() -> None:
        for desc in ("a.out:chosen:entry", "a.out:chosen:return", f"{module}:strlen:entry",
                     f"{module}:strlen:return", f"{module}:memcpy:entry"):
            traced.enable([probe for probe in traced.probes(f"pid{process.pid}:{desc}") if not probe.enabled])

    def mark(_thread: object, name: str, _arguments: object) -> None:
        if late and name == "getppid":
            enable()
    traced.kernel.hooks.syscall_entry = mark
    if not late:
        enable()
    assert traced.run(process).status == 0
    assert capfd.readouterr().out == "350\n350\n"
    calls = CALLS if late else 2 * CALLS
    assert traced.hits["chosen:entry"] == traced.hits["chosen:return"] == calls
    for name in ("strlen:entry", "strlen:return", "memcpy:entry"):
        assert calls <= traced.hits[name] <= calls + 60  # the C library calls them, too


def test_only_where_enabled(build: Build, machine: Make) -> None:
    """Nothing is placed for a description that is only listed; nothing stays when the probe goes."""
    traced = machine()
    process = traced.start(build("indirect.c", *FLAGS[0]))
    probes = traced.probes(f"pid{process.pid}:libc:mem*:entry")
    assert {"memcpy", "memmove", "memset"} <= {probe.function for probe in probes}
    (space,) = traced.fasttrap.tracepoints.spaces.values()
    assert not space.points
    traced.enable(probes)
    assert len(space.points) >= 10
    traced.disable(probes)
    assert not space.points


@pytest.mark.parametrize("evaltime", [None, "exec", "preinit"])
@pytest.mark.parametrize("others", [(), ("plain", "fancy", "strlen", "printf"), ("*intf",)])
def test_resolvers(others: tuple[str, ...], evaltime: str | None, build: Build, machine: Make) -> None:
    """Their probes fire from the first instruction on, whatever else is enabled."""
    traced = machine()
    process = traced.spawn(build("indirect.c", *FLAGS[0]))
    if evaltime is not None:
        traced.fasttrap.bring(process.pid, evaltime)
    for name in ("resolve_*", *others):
        traced.enable(traced.probes(f"pid{process.pid}::{name}:entry"))
    assert traced.run(process).status == 0
    assert traced.hits["resolve_chosen:entry"] == 1
