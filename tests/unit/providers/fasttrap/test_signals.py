"""Signals and scheduling while instructions are executed in scratch slots."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from harness import Machine

from runtime.providers.fasttrap.instructions.scratch import Scratch

Build = Callable[..., str]
Make = Callable[..., Machine]
FULL = bool(os.environ.get("FULL_PROOF"))  # set: thousands of everything


def test_asynchronous_signals(build: Build, machine: Make, capfd: pytest.CaptureFixture[str]) -> None:
    program = build("signals.c", "-O1", "-pthread")
    # Some must wait for a slot to be left: whether any does is a matter of moments, which seeds vary.
    assert any(_waits_of_signals(machine(ncpus=2, seed=seed), program, capfd) for seed in range(9))


def _waits_of_signals(traced: Machine, program: str, capfd: pytest.CaptureFixture[str]) -> int:
    """Run a program that gets many signals, and return how many of them had to wait."""
    count = 2500 if FULL else 800
    process = traced.start(program, str(count))
    traced.enable(traced.probes(f"pid{process.pid}:a.out:work:"))
    waited = 0
    in_slot = traced.kernel.hooks.signals_wait

    def counting(thread: object) -> bool:
        nonlocal waited
        result = in_slot(thread)
        waited += result
        return result
    traced.kernel.hooks.signals_wait = counting
    traced.enable(traced.probes(f"pid{process.pid}:a.out:handler:entry"))
    assert traced.run(process).status == 0
    assert capfd.readouterr().out == f"{count} came, 0 strange\n"
    assert traced.hits["handler:entry"] == count
    return waited


def test_storm(build: Build, machine: Make, capfd: pytest.CaptureFixture[str]) -> None:
    """Signals from threads, a process and a timer: none lost, none doubled, each at an instruction."""
    count, jumps = (2500, 100) if FULL else (100, 3)
    traced = machine(ncpus=8)
    process = traced.start(build("storm.c", "-O1", "-static", "-pthread"), str(count), str(jumps))
    probes = traced.probes(f"pid{process.pid}:a.out:work:")
    traced.enable(probes)
    places = {int(probe.name, 16) for probe in probes if probe.name not in ("entry", "return")}
    work = next(iter(traced.probes(f"pid{process.pid}:a.out:work:entry"))).arg[0].address
    met: Counter[bool] = Counter()

    def handled(thread: Any, _signal: int, _info: object, _handler: int) -> None:
        offset = thread.process.processor.pc(thread) - work
        met[offset in places if 0 <= offset <= max(places) else True] += 1
    traced.kernel.hooks.signal_handle = handled
    assert traced.run(process).status == 0
    assert capfd.readouterr().out == (f"{count} sent by each of 3, 0 lost, 0 doubled; 1 ticks; "
                                      f"{jumps} jumps; 0 strange; 0 wrong\n")
    assert met[True] >= 4 * count + jumps
    assert not met[False]


@pytest.mark.parametrize("slots", ["near", "far"])
def test_faults(slots: str, build_x86: Build, machine: Make, capfd: pytest.CaptureFixture[str],
                monkeypatch: pytest.MonkeyPatch) -> None:
    if slots == "far":
        monkeypatch.setattr(Scratch, "_room", lambda _scratch, _near: None)
    program = build_x86("faults.c", "-O1")
    plain = machine()
    untraced = plain.run(plain.spawn(program, "100"))
    output = capfd.readouterr().out
    assert output.startswith("800 handled, 0 wrong")
    traced = machine()
    process = traced.start(program, "100")
    for function in ("load", "store", "divide", "string", "illegal", "jump", "call", "push", "main",
                     "handler"):
        traced.enable(traced.probes(f"pid{process.pid}:a.out:{function}:"))
    assert traced.run(process).status == untraced.status == 0
    assert capfd.readouterr().out == output
    assert traced.hits["handler:entry"] == 800
    assert (traced.loans > 0) == (slots == "far")
    assert all(traced.hits[f"{name}:entry"] == 100 for name in ("store", "divide", "jump", "call", "push"))


@pytest.mark.parametrize("seed", [0, 3])
def test_enabling_while_running(seed: int, build: Build, machine: Make,
                                capfd: pytest.CaptureFixture[str]) -> None:
    """Two threads run through a probe that comes and goes 1,000 times: each execution counts once."""
    traced = machine(ncpus=2, seed=seed)
    kernel = traced.kernel
    process = traced.start(build("toggled.c", "-O1", "-pthread"))
    probes = traced.probes(f"pid{process.pid}:a.out:tick:entry")
    program = traced.fasttrap.objects.of(process)[0]
    counters = program.file.symbol_address("counters") + program.bias
    changes = executed = began = 0

    def count() -> int:
        """Executions of the instruction, with those that a thread is about to do in a slot."""
        space = process.space
        done = sum(int.from_bytes(space.read(counters + at, 8), "little") for at in (0, 8))
        slots = {point.slot for point in traced.fasttrap.tracepoints.spaces[space].slots.values()}
        return done + sum(process.processor.pc(thread) in slots for thread in process.threads)

    def change() -> None:
        nonlocal changes, executed, began
        if process.space is None or len(process.threads) < 3:
            return
        if changes % 2:
            executed += count() - began
            traced.disable(probes)
        else:
            traced.enable(probes)
            began = count()
        changes += 1
    timer = kernel.cyclic(200, change)
    traced.run(process)
    timer.cancel()
    assert capfd.readouterr().out == "30000 30000\n"
    if changes % 2:
        executed += 60000 - began
    assert changes > 1000
    assert traced.hits["tick:entry"] == executed > 1000
