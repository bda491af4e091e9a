"""Probes as processes come, change and go: whose they are, and that text is restored."""

from __future__ import annotations

import re
from collections.abc import Callable
from fnmatch import fnmatch
from typing import Any

import compilers
import pytest
from harness import Machine

from dof.model import ProbeDesc

Build = Callable[..., str]
Make = Callable[..., Machine]
LINE = re.compile(r" *(?P<pid>\d+) +(?P<address>[0-9a-f]+) (?P<place>\S+) +(?P<bytes>(?:[0-9a-f]{2} )+) *"
                  r"(?P<text>.*?) +(?P<how>displaced|rewritten|emulated|refused) +(?P<hits>\d+) "
                  r"(?P<probes>.*) \((?P<why>.*)\)")

ANYWHERE = "independent of its place"
MEMBER = {  # the instructions of restless.c's member(), where two addresses may stand in their text
    "x86-64": [
        (0x0, "55", "push rbp", "displaced", ANYWHERE, "entry"),
        (0x1, "48 89 e5", "mov rbp, rsp", "displaced", ANYWHERE),
        (0x4, "8d 47 01", "lea eax, [rdi + 1]", "displaced", ANYWHERE),
        (0x7, "85 ff", "test edi, edi", "displaced", ANYWHERE),
        (0x9, "75 05", "jne {0:#x}", "rewritten", "conditional jump"),
        (0xb, "b8 64 00 00 00", "mov eax, 0x64", "displaced", ANYWHERE),
        (0x10, "c9", "leave", "displaced", ANYWHERE),
        (0x11, "c3", "ret", "displaced", "takes its target from the stack", "return")],
    "aarch64": [
        (0x0, "fd 7b bf a9", "stp x29, x30, [sp, #-0x10]!", "displaced", ANYWHERE, "entry"),
        (0x4, "fd 03 00 91", "mov x29, sp", "displaced", ANYWHERE),
        (0x8, "01 04 00 11", "add w1, w0, #1", "displaced", ANYWHERE),
        (0xc, "40 00 00 35", "cbnz w0, #{1:#x}", "emulated", "conditional branch"),
        (0x10, "81 0c 80 52", "mov w1, #0x64", "displaced", ANYWHERE),
        (0x14, "e0 03 01 2a", "mov w0, w1", "displaced", ANYWHERE),
        (0x18, "fd 7b c1 a8", "ldp x29, x30, [sp], #0x10", "displaced", ANYWHERE),
        (0x1c, "c0 03 5f d6", "ret", "emulated", "target from a register", "return")],
}


class Retained:
    """Enables what comes later and matches, as the retained clauses of a tracing state do."""

    def __init__(self, machine: Machine, provider: str, function: str) -> None:
        self._machine = machine
        self._desc = ProbeDesc(provider, "", function, "entry")
        machine.framework.registry.created.append(self.probe_created)

    def probe_created(self, probe: Any) -> None:
        if (fnmatch(probe.provider.name, self._desc.provider)
                and (probe.function, probe.name) == self._desc[2:4]):
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
    each = traced.fasttrap.objects.of(process)[0]
    member = each.file.symbol_address("member") + each.bias
    instruction = process.space.read(member, 4)
    traced.enable(traced.probes(f"pid{process.pid}:a.out:member:entry"))
    children = []
    traced.kernel.hooks.attach("create", lambda thread, child: children.append(
        child.space is process.space or child.space.read(member, 4) == instruction))
    assert process.space.read(member, 4) != instruction
    assert traced.run(process).status == 0
    assert traced.hits["member:entry"] == hits
    assert children == [True] * (0 if how == "leaf" else 3)


@pytest.mark.parametrize(("how", "hits"), [
    ("fork", 10), ("vfork", 10), ("spawn", 7), ("exec", 2), ("leaf", 1)])
def test_every_process(how: str, hits: int, build: Build, machine: Make) -> None:
    """`pid*` is every process that there is and every one that comes."""
    traced = machine()
    process = traced.start(build("family.c", "-O1"), how)
    Retained(traced, "pid*", "member")
    assert [probe.provider.name for probe in traced.probes("pid*::member:entry")] == [f"pid{process.pid}"]
    assert traced.run(process).status == 0
    assert traced.hits["member:entry"] == hits


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
    probes = traced.probes(f"pid{process.pid}:a.out::") + traced.probes(f"pid{process.pid}:libc:strto*:")
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
    there = []

    def called(_thread: object, name: str, _result: int) -> None:
        if name == "munmap" and not any(area.path == library.encode() for area in process.space.areas):
            there.append(any(probe.function == "twice" for probe in provider.probes.values()))
    provider = traced.framework.providers[f"pid{process.pid}"]
    traced.kernel.hooks.syscall_return = called
    assert traced.run(process).status == 0
    assert capfd.readouterr().out == "9\n"
    assert traced.hits["twice:entry"] == 3
    assert there[-3:] == [False] * 3


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
    """A line for each place: what stands there, how it is executed and why, who wants it, its hits."""
    traced = machine()
    process = traced.start(build("restless.c", "-O1"))
    traced.enable(traced.probes(f"pid{process.pid}:a.out:member:"))
    reports = []
    traced.kernel.hooks.syscall_entry = lambda _thread, name, _arguments: (
        reports.append(traced.module.report().decode()) if name == "getppid" else None)
    name = process.executable.rsplit("/")[-1]
    assert traced.run(process).status == 0
    heading, *lines = reports[1].splitlines()
    assert heading.split() == ["PID", "ADDRESS", "LOCATION", "BYTES", "INSTRUCTION", "TREATMENT", "HITS",
                               "PROBES", "(WHY)"]
    rows = [LINE.fullmatch(line) for line in lines]
    provider = f"pid{process.pid}:{name}:member"
    begin = int(rows[0]["address"], 16) if rows[0] else 0
    assert [(*row.group("bytes", "text", "how", "why"), row["place"], row["hits"], row["probes"])
            for row in rows if row] == [
        (f"{code} ", text.format(begin + 0x10, begin + 0x14), how, why, f"{name}`member+{at:#x}",
         "2" if "0x64" in text else "6",
         " ".join(f"{provider}:{each}" for each in (*names, f"{at:x}")))
        for at, code, text, how, why, *names in MEMBER[compilers.HOST]]
    assert {row["pid"] for row in rows if row} == {str(process.pid)}


def test_listing_from_inside(build: Build, machine: Make, capfd: pytest.CaptureFixture[str]) -> None:
    """A program of the machine reads it."""
    traced = machine()
    process = traced.start("/bin/cat", "/proc/dtrace/fasttrap")
    traced.enable(traced.probes(f"pid{process.pid}:libc:setlocale:entry"))
    assert traced.run(process).status == 0
    heading, line = capfd.readouterr().out.splitlines()
    assert heading.split()[0] == "PID"
    assert "`setlocale+0x0" in line
    assert f" 1 pid{process.pid}:libc.so.6:setlocale:entry (" in line


def test_listing_of_what_has_ended(build: Build, machine: Make) -> None:
    """Each program that a process has executed keeps its rows, with the hits of each."""
    traced = machine()
    traced.module.keep()
    process = traced.start(build("family.c", "-O1"), "exec")
    Retained(traced, f"pid{process.pid}", "member")
    assert len(traced.probes(f"pid{process.pid}:a.out:member:entry")) == 1
    assert traced.run(process).status == 0
    rows = [LINE.fullmatch(line) for line in traced.module.report().decode().splitlines()[1:]]
    assert [row["probes"].split(":")[2] for row in rows if row] == ["member"] * 2
    assert sum(int(row["hits"]) for row in rows if row) == traced.hits["member:entry"] > 0
