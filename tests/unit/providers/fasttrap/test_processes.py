"""Probes as processes come, change and go: whose they are, and that text is restored."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from harness import Machine

from dof.model import ProbeDesc

Build = Callable[..., str]
Make = Callable[..., Machine]


class Retained:
    """Enables what comes later and matches, as the retained clauses of a tracing state do."""

    def __init__(self, machine: Machine, provider: str, function: str) -> None:
        self._machine = machine
        self._desc = ProbeDesc(provider, "", function, "entry")
        machine.framework.states.append(self)  # type: ignore[arg-type]

    def probe_created(self, probe: Any) -> None:
        if probe.provider.name == self._desc.provider and (probe.function, probe.name) == self._desc[2:4]:
            self._machine.enable([probe])


def texts(space: Any, file: Any) -> bytes:
    """What stands in the executable areas of one file."""
    return b"".join(space.read(area.start, area.end - area.start) for area in space.areas
                    if area.prot & 4 and area.path.endswith(file))


@pytest.mark.parametrize(("how", "hits"), [("fork", 4), ("vfork", 7), ("spawn", 4), ("leaf", 1)])
def test_children(how: str, hits: int, build: Build, machine: Make) -> None:
    """A child's own memory has no traps in it; one that borrows its parent's fires its parent's probes."""
    traced = machine()
    process = traced.start(build("family.c", "-O1"), how)
    traced.enable(traced.probes(f"pid{process.pid}:a.out:member:entry"))
    children = []
    traced.kernel.hooks.attach("create", lambda thread, child: children.append(
        child.space is process.space or b"\xcc" not in child.space.read(member, 1)))
    each = traced.fasttrap.objects.of(process)[0]
    member = each.file.symbol_address("member") + each.bias
    assert process.space.read(member, 1) == b"\xcc"
    assert traced.run(process).status == 0
    assert traced.hits["member:entry"] == hits
    assert children == [True] * (0 if how == "leaf" else 3)


def test_exec(build: Build, machine: Make) -> None:
    """The new program gets what was asked of the process."""
    traced = machine()
    process = traced.start(build("family.c", "-O1"), "exec")
    provider = f"pid{process.pid}"
    Retained(traced, provider, "member")
    assert len(traced.probes(f"{provider}:a.out:member:entry")) == 1
    assert traced.run(process).status == 0
    assert traced.hits["member:entry"] == 2
    assert provider not in traced.framework.providers
    assert not traced.fasttrap.tracepoints.spaces


def test_restored(build: Build, machine: Make) -> None:
    """Every byte is as it was when the last probe goes."""
    traced = machine()
    process = traced.start(build("library.c", "-O1"))
    space = process.space
    before = texts(space, b"libc.so.6") + texts(space, process.executable.encode())
    probes = traced.probes(f"pid{process.pid}:a.out::") + traced.probes(f"pid{process.pid}:libc:str*:")
    traced.enable(probes)
    traced.enable(probes)
    assert texts(space, b"libc.so.6") + texts(space, process.executable.encode()) != before
    traced.disable(probes)
    assert texts(space, b"libc.so.6") + texts(space, process.executable.encode()) == before
    assert traced.run(process).status == 0
    assert not traced.hits


def test_loaded_library(build: Build, machine: Make, capfd: pytest.CaptureFixture[str]) -> None:
    """A library's probes come with it and go with it."""
    library = build("plugin.c", "-O1", "-shared", "-fPIC")
    traced = machine()
    process = traced.start(build("loader.c", "-O1"), library)
    Retained(traced, f"pid{process.pid}", "twice")
    assert traced.probes(f"pid{process.pid}::twice:entry") == []
    assert traced.run(process).status == 0
    assert capfd.readouterr().out == "9\n"
    assert traced.hits["twice:entry"] == 3


def test_several_targets(build: Build, machine: Make) -> None:
    traced = machine(ncpus=2)
    program = build("family.c", "-O1")
    processes = [traced.start(program, how) for how in ("fork", "leaf", "spawn")]
    for process in processes[:2]:
        traced.enable(traced.probes(f"pid{process.pid}:a.out:member:return"))
    for process in processes[1:]:
        process.resume()
    assert traced.run(processes[0]).status == 0
    assert traced.hits["member:return"] == 5
    assert [process.exit_status for process in processes] == [0, 0, 0]


def test_listing(build: Build, machine: Make) -> None:
    traced = machine()
    process = traced.start(build("library.c", "-O1"))
    traced.enable(traced.probes(f"pid{process.pid}:a.out:main:entry"))
    heading, line = traced.module.report().decode().splitlines()
    assert heading.split()[0] == "PID"
    assert line.split()[0] == str(process.pid)
    assert "`main+0x0" in line
    assert f"pid{process.pid}:{process.executable.rsplit('/')[-1]}:main:entry" in line
    assert traced.kernel.reports["dtrace"]["fasttrap"]() == traced.module.report()
