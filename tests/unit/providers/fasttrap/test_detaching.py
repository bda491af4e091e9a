"""Consumers that come to a running process and go again, in good order or not: nothing of theirs stays."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from runtime.consumer.consumer import Consumer
from runtime.kernel.memory.addrspace import PROT_EXEC
from runtime.machine import Machine
from runtime.providers.fasttrap.loadobjects import ObjectCache

Build = Callable[..., str]
NS_PER_MS = 1_000_000
CLAUSE = "pid{0}:a.out:member:, pid{0}:a.out:main:, pid{0}:libc:*nanosleep: {{ @[probename] = count(); }}"


@pytest.fixture
def machine() -> Iterator[Machine]:
    machine = Machine({"ncpus": "2"})
    yield machine
    machine.close()


@pytest.fixture
def program(build: Build) -> str:
    return build("naps.c", "-O1")


def run(machine: Machine, milliseconds: int) -> None:
    machine.kernel.run(machine.kernel.hrtime() + milliseconds * NS_PER_MS)


def calls(machine: Machine, pid: int) -> int:
    """How often the program says that it has called member()."""
    process = machine.kernel.processes[pid]
    (each,) = [each for each in ObjectCache(machine.kernel).of(process) if each.is_program]
    address = each.file.symbol_address("calls")
    assert process.space is not None and address is not None
    return int.from_bytes(process.space.read(address + each.bias, 4), "little")


def changed(machine: Machine, pid: int) -> list[tuple[bytes, int]]:
    """Where the text of a process is not what its files say; and scratch areas."""
    found = []
    space = machine.kernel.processes[pid].space
    assert space is not None
    for area in space.areas:
        if area.path == b"[fasttrap]":
            found.append((area.path, area.start))
        elif area.prot & PROT_EXEC and area.path.startswith(b"/"):
            with open(area.path, "rb") as file:
                file.seek(area.offset * 4096)
                text = file.read(area.end - area.start)
            memory = space.read(area.start, len(text))
            found += [(area.path, at) for at in range(len(text)) if text[at] != memory[at]]
    return found


def test_detaching(machine: Machine, program: str) -> None:
    process = machine.spawn([program])
    process.resume()
    run(machine, 20)
    assert not changed(machine, process.pid)
    dtrace = Consumer.open(machine)
    dtrace.enable(dtrace.compile(CLAUSE.format(process.pid)).program)
    dtrace.go()
    run(machine, 20)
    assert len(changed(machine, process.pid)) > 30
    dtrace.close()
    assert not changed(machine, process.pid)
    machine.kernel.run()
    assert process.exit_status == 0


def test_death_of_the_consumer(machine: Machine, program: str) -> None:
    """Whatever ends it, the device is closed, and what it had enabled goes."""
    process = machine.spawn([program])
    process.resume()
    run(machine, 20)
    with pytest.raises(ZeroDivisionError), Consumer.open(machine) as dtrace:
        dtrace.enable(dtrace.compile(CLAUSE.format(process.pid)).program)
        dtrace.go()
        run(machine, 20)
        assert changed(machine, process.pid)
        _ = 1 // 0
    assert not changed(machine, process.pid)
    machine.kernel.run()
    assert process.exit_status == 0


def test_two_consumers(machine: Machine, program: str) -> None:
    """A tracepoint that both use stays until the second goes; each counts what happens meanwhile."""
    process = machine.spawn([program])
    process.resume()
    run(machine, 5)
    clause = f"pid{process.pid}:a.out:member:entry {{ @ = count(); }}"
    one, two = Consumer.open(machine), Consumer.open(machine)
    before = []
    for consumer in (one, two):
        consumer.enable(consumer.compile(clause).program)
        consumer.go()
        before.append(calls(machine, process.pid))
        run(machine, 20)
    for consumer, start in zip((one, two), before, strict=True):
        run(machine, 20)
        consumer.stop()
        consumer.snapshot()
        (entry,) = consumer.aggregations.walk()
        assert entry.value.scalar == calls(machine, process.pid) - start > 20
        consumer.close()
        assert bool(changed(machine, process.pid)) == (consumer is one)
    machine.kernel.run()
    assert process.exit_status == 0


def test_several_processes_by_number(machine: Machine, program: str) -> None:
    processes = [machine.spawn([program]) for _ in range(3)]
    for process in processes:
        process.resume()
    run(machine, 20)
    with Consumer.open(machine) as dtrace:
        clauses = "".join(f"pid{process.pid}:a.out:member:entry {{ @[pid] = count(); }}"
                          for process in processes[:2])
        dtrace.enable(dtrace.compile(clauses).program)
        dtrace.go()
        before = {process.pid: calls(machine, process.pid) for process in processes[:2]}
        for _ in processes:  # the machine stops when one of them has ended
            machine.kernel.run()
        dtrace.stop()
        dtrace.snapshot()
        found = {entry.values[0]: entry.value.scalar for entry in dtrace.aggregations.walk()}
    assert found == {pid: 200 - count for pid, count in before.items()}
    assert all(found.values())
    assert [process.exit_status for process in processes] == [0, 0, 0]
