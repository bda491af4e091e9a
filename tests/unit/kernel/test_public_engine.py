"""Programs on Unicorn's public interface give the bytes that they give on its own structures."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from runtime.command.command import PROGRAM
from runtime.kernel.cpu import accelerators
from runtime.kernel.cpu.emulator import EngineError, search_pointers
from runtime.kernel.cpu.x86 import direct
from runtime.kernel.kernel import Kernel

DTRACE = str(Path(sys.executable).with_name(PROGRAM))
SCRIPT = """
syscall:::entry { @calls[probefunc] = count(); }
fbt::pagefault:entry { @addresses = sum(arg0); @accesses[arg2] = count(); }
vminfo::: { @counts[probename] = count(); }
pid$target:libc:malloc:entry { @sizes = quantize(arg0); @stacks[ustack(4)] = count(); }
proc:::exit { @ends[execname, arg0] = count(); @times[execname] = sum(timestamp); }
"""
COMMAND = "/bin/sh -c 'echo one | sed s/one/two/; ls / | sort -r | tail -1; exit 3'"


def traced(*options: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([DTRACE, "-xenv=clean", *options, "-qn", SCRIPT, "-c", COMMAND], text=True,
                          capture_output=True, env=os.environ | environment, timeout=120, check=True)


SWITCHES = (accelerators.PUBLIC, accelerators.SLOW_CALLS, accelerators.CALLED_COUNTER,
            accelerators.LOOKED_UP_JUMPS, accelerators.SEARCHED_TLB, accelerators.SOFT_FLOATS,
            accelerators.PLAIN_DECODING)


def test_the_same_bytes_whatever_is_left_out() -> None:
    everything = dict.fromkeys(SWITCHES, "")
    expected = traced(**everything).stdout
    for name in (accelerators.SOFT_FLOATS, accelerators.PLAIN_DECODING):
        assert traced(**everything | {name: "1"}).stdout == expected
    public = traced("-xdebug", **everything | {accelerators.PUBLIC: "1"})
    assert "programs run on the public interface of the engine: DTRACE_PUBLIC_ENGINE is set" in public.stderr
    assert public.stdout == expected


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
