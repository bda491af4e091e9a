"""With every instruction a probe, programs do what they do without any."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import compilers
import machine_code
import pytest
from harness import TREATMENTS, Machine, Outcome

from runtime.providers.fasttrap.instructions.scratch import Scratch

Build = Callable[..., str]
Make = Callable[..., Machine]
HERE = Path(__file__).parent


def run(machine: Machine, program: str, descriptions: tuple[str, ...] = ()) -> Outcome:
    process = machine.start(program)
    for desc in descriptions:
        machine.enable([probe for probe in machine.probes(f"pid{process.pid}:{desc}") if not probe.enabled])
    return machine.run(process)


def compare(make: Make, capfd: pytest.CaptureFixture[str], program: str, *descriptions: str) -> Machine:
    """Run it untraced and traced: output, status, registers and memory must be equal."""
    untraced = run(make(), program)
    output = capfd.readouterr().out
    machine = make()
    traced = run(machine, program, descriptions)
    assert capfd.readouterr().out == output != ""
    assert (traced.status, traced.registers) == (untraced.status, untraced.registers)
    assert traced.memory == untraced.memory
    return machine


@pytest.mark.parametrize("seed", [1, 2])
def test_varied_instructions(seed: int, build_x86: Build, machine: Make, tmp_path: Path,
                             capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / f"code{seed}.s").write_text(machine_code.write(seed, 6))
    (tmp_path / f"main{seed}.c").write_text(machine_code.MAIN)
    program = build_x86(str(tmp_path / f"main{seed}.c"), str(tmp_path / f"code{seed}.s"), "-O1", "-static")
    traced = compare(machine, capfd, program, "a.out:block*:", "a.out:leaf:", "a.out:pops:",
                     "a.out:checksum:", "a.out:main:")
    counts = traced.treatments
    print(f"{sum(counts.values())} instructions: {dict(counts)}; {sum(traced.hits.values())} hits")
    assert sum(counts.values()) > 1000
    assert not traced.refusals
    assert sum(traced.hits.values()) > 5000


def test_out_of_reach(build_x86: Build, machine: Make, tmp_path: Path, capfd: pytest.CaptureFixture[str],
                      monkeypatch: pytest.MonkeyPatch) -> None:
    """The same with every slot beyond 2 GiB: jumps through literals, %rip-relative operands on registers."""
    monkeypatch.setattr(Scratch, "_room", lambda _scratch, _near: None)
    (tmp_path / "far.s").write_text(machine_code.write(3, 6))
    (tmp_path / "far.c").write_text(machine_code.MAIN)
    program = build_x86(str(tmp_path / "far.c"), str(tmp_path / "far.s"), "-O1", "-static", "-no-pie")
    traced = compare(machine, capfd, program, "a.out:block*:", "a.out:leaf:", "a.out:pops:",
                     "a.out:checksum:", "a.out:main:")
    assert sum(traced.treatments.values()) > 1000
    assert traced.loans > 200
    assert not traced.refusals


@pytest.mark.parametrize("flags", [("-O2",), ("-O0",), ("-O2", "-m32"), ("-O2", "-no-pie")], ids="_".join)
def test_dynamic_program(flags: tuple[str, ...], build: Build, machine: Make,
                         capfd: pytest.CaptureFixture[str]) -> None:
    library = compilers.library_module(flags)
    traced = compare(machine, capfd, build("library.c", *flags), "a.out::", f"{library}:qsort:",
                     f"{library}:snprintf:", f"{library}:strtod:", f"{library}:memcpy:")
    assert traced.hits["main:entry"] == traced.hits["main:return"] == 1
    assert traced.hits["memcpy:entry"] > 0  # an indirect function's implementation
    assert traced.hits["strtod:entry"] == traced.hits["strtod:return"] == 60
    assert traced.hits["snprintf:entry"] == traced.hits["snprintf:return"] == 15


@pytest.mark.parametrize("flags", [("-O2", "-static"), ("-O2", "-static", "-m32")], ids="_".join)
def test_c_library(flags: tuple[str, ...], build: Build, machine: Make,
                   capfd: pytest.CaptureFixture[str]) -> None:
    """Thousands of instructions of glibc, hand-written assembly among them."""
    traced = compare(machine, capfd, build("library.c", *flags), "a.out:[q_]*sort*:",
                     "a.out:__printf_buffer*:", "a.out:printf_core:", "a.out:fmt_fp:", "a.out:*float*:",
                     "a.out:*memcpy*sse2*:", "a.out:*strtod*:", "a.out:*strlen*:", "a.out:main:")
    counts = traced.treatments
    print(f"{sum(counts.values())} instructions: {dict(counts)}; {len(traced.refusals)} stretches refused")
    assert sum(counts.values()) > 3000
    assert set(TREATMENTS[compilers.HOST]) <= counts.keys()


@pytest.mark.parametrize("how", ["threads", "fork", "vfork", "spawn", "exec"])
def test_where_processes_and_threads_begin(how: str, build: Build, machine: Make,
                                           capfd: pytest.CaptureFixture[str]) -> None:
    """Every instruction around the system calls that return twice, elsewhere, or never."""
    threads = how == "threads"
    source = str(HERE.parent / "programs" / "crowd.c") if threads else "family.c"
    program = build(source, "-O1", "-pthread", "-w")
    traced = machine(ncpus=2)
    process = traced.start(program, how)
    for function in ("*clone*", "_Fork", "fork", "vfork", "posix_spawn*", "__spawni*", "execve", "wait4",
                     "start_thread", "pthread_create*", "kill", "*sigaction", "*sigmask", "__restore_rt",
                     "pthread_mutex_*lock"):
        traced.enable([probe for probe in traced.probes(f"pid{process.pid}:libc:{function}:")
                       if not probe.enabled])
    assert traced.run(process).status == 0
    assert capfd.readouterr().out == ("180000 1\n" if threads else "")
    assert sum(traced.hits.values()) >= 3
