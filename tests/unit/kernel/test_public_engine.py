"""Programs give the same bytes at the same times whatever the engine does not do for them."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
from pathlib import Path

import atonce
import compilers
import pytest

from runtime.command.command import PROGRAM
from runtime.kernel.cpu import accelerators
from runtime.kernel.cpu.emulator import EngineError, search_pointers
from runtime.kernel.cpu.x86 import direct
from runtime.kernel.kernel import Kernel

DTRACE = str(Path(sys.executable).with_name(PROGRAM))
SOURCES = Path(compilers.__file__).parent
SCRIPT = """
syscall:::entry { @calls[execname, probefunc] = count(); }
fbt::pagefault:entry { @addresses = sum(arg0); @accesses[execname, arg2] = count(); }
vminfo:::, proc:::, sched:::on-cpu { @counts[probename] = count(); @first[probename] = min(timestamp); }
pid$target::step:entry { @steps = quantize(arg0); @times = sum(timestamp); @stacks[ustack(4)] = count(); }
profile-4999 /arg1/ { @places[execname, arg1] = count(); }
proc:::exit { @ends[execname, arg0, timestamp] = count(); }
"""
SWITCHES = (accelerators.PUBLIC, accelerators.SLOW_CALLS, accelerators.CALLED_COUNTER,
            accelerators.CALLED_TRAPS, accelerators.LOOKED_UP_JUMPS, accelerators.SEARCHED_TLB,
            accelerators.SOFT_FLOATS, accelerators.PLAIN_DECODING)
# Instructions that fault, of which the engine itself lets some pass: `rdpmc`; `fxrstor` of bits that MXCSR
# does not have, which are still there when the next instruction computes.
HOSTILE = """#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
static sigjmp_buf after;
static void caught(int number) { siglongjmp(after, number); }
#define TRY(...) if (sigsetjmp(after, 1) == 0) __asm__ volatile (__VA_ARGS__)
int main(void)
{
    static unsigned image[128] __attribute__((aligned(64)));
    signal(SIGSEGV, caught);
    signal(SIGILL, caught);
    signal(SIGFPE, caught);
    TRY("rdpmc" : : : "eax", "edx");
    TRY("fninit; fld1; fild %0; rdpmc" : "+m"(image[0]) : : "eax", "edx");
    __asm__ volatile ("fxsave %0" : "=m"(image));
    for (int bit = 16; bit < 32; bit++) {
        image[6] = 0x1f80 | 1 << bit;
        TRY("fxrstor %0; addsd %%xmm1, %%xmm0; sqrtps %%xmm1, %%xmm0" : : "m"(image) : "xmm0");
    }
    puts("it is over");
}
"""


def traced(command: str, *options: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return atonce.run(["dtrace", "-xenv=clean", "-xncpus=2", "-q", *options, "-c", command], check=True,
                      variables=dict.fromkeys(SWITCHES, "") | environment)


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """A command that runs two programs, of 64 and 32 bits where they can be built, and what it prints."""
    folder, programs = tmp_path_factory.mktemp("everything"), []
    for flag in ("-m64", "-m32"):
        program = str(folder / f"everything{flag}")
        command = compilers.building([flag, "-O1", "-pthread", "-o", program,
                                      str(SOURCES / "everything.c"), "-lm"])
        if command is not None:
            subprocess.run(command, check=True, capture_output=True)
            programs.append(program)
    return " ".join(programs), traced(" ".join(programs), "-n", SCRIPT).stdout


@pytest.mark.parametrize("name", SWITCHES)
def test_the_same_bytes_and_times_whatever_is_left_out(name: str, everything: tuple[str, str]) -> None:
    command, expected = everything
    assert expected.count("signals 2") == len(command.split())
    found = traced(command, "-xdebug", "-n", SCRIPT, **{name: "1"})
    assert found.stdout == expected
    told = "programs run on the public interface of the engine: DTRACE_PUBLIC_ENGINE is set"
    assert (told in found.stderr) == (name == accelerators.PUBLIC)


def test_no_instruction_harms_dtrace(tmp_path: Path) -> None:
    source, program = tmp_path / "hostile.c", str(tmp_path / "hostile")
    source.write_text(HOSTILE)
    subprocess.run(["cc", "-O1", "-o", program, source], check=True)
    for name in (accelerators.PUBLIC, accelerators.SOFT_FLOATS, accelerators.PLAIN_DECODING):
        assert traced(program, "-n", "BEGIN { }", **{name: "1"}).stdout == "it is over\n\n"


@pytest.mark.parametrize(("name", "missing"), [
    ("", set()), (accelerators.SOFT_FLOATS, {"exact_floats", "exact_decoding"}),
    (accelerators.PLAIN_DECODING, {"exact_decoding"}), (accelerators.LOOKED_UP_JUMPS, {"chained"}),
    (accelerators.SEARCHED_TLB, {"protects"})])
def test_changes_of_the_library_are_left_out(name: str, missing: set[str]) -> None:
    """In a process of its own, as what is changed in the engine's library stays."""
    code = ("from runtime.kernel.kernel import Kernel\nkernel = Kernel()\n"
            "kernel.spawn(['/bin/true'], stopped=False)\nkernel.run()\n"
            "names = 'exact_floats', 'exact_decoding', 'chained', 'protects'\n"
            "print(*(name for name in names if not getattr(kernel.engine, name)))")
    environment = os.environ | dict.fromkeys(SWITCHES, "") | {name or "_": "1"}
    done = subprocess.run([sys.executable, "-c", code], text=True, capture_output=True, env=environment,
                          timeout=120, check=True)
    assert set(done.stdout.split()) == missing


def test_the_manual_names_each_switch() -> None:
    text = (Path(__file__).parents[3] / "runtime/manual/machine.md").read_text()
    assert [name for name in SWITCHES if f"`{name}=1`" not in text] == []
    constants = {value for value in vars(accelerators).values() if str(value).startswith("DTRACE_")}
    assert constants == set(SWITCHES)


def test_where_the_structures_are_not_found_the_public_interface_serves(
        monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    def find(_self: object) -> None:
        raise EngineError("no registers are found")

    monkeypatch.delenv(accelerators.PUBLIC, raising=False)
    monkeypatch.setattr(direct.DirectEngine, "_find", find)
    kernel, told = Kernel(), []
    kernel.remark = told.append
    kernel.spawn(["/bin/echo", "served"], stopped=False)
    assert kernel.run() == "done"
    kernel.close()
    assert capfd.readouterr().out == "served\n"
    assert told == ["programs run on the public interface of the engine: no registers are found"]


@pytest.mark.parametrize("address", [0x7FFFE0000000, 0xAAAAE0000000, 0xFFFFE0000000])
def test_structures_are_found_wherever_the_host_has_memory(address: int) -> None:
    """A file stands for a process's memory: on x86 hosts none lies above the first address."""
    memory = os.memfd_create("memory")
    os.pwrite(memory, struct.pack("<QQ", 1, address), 1 << 20)
    os.pwrite(memory, b"registers", address + 64)
    assert search_pointers(memory, 1 << 20, b"registers") == address + 64
    os.close(memory)
