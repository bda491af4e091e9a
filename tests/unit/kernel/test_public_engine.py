"""Programs on Unicorn's public interface give the bytes that they give on its own structures."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from runtime.command.command import PROGRAM
from runtime.kernel.cpu.emulator import EngineError
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


def test_both_engines_give_the_same_bytes() -> None:
    public = traced("-xdebug", DTRACE_PUBLIC_ENGINE="1")
    assert "programs run on the public interface of the engine: DTRACE_PUBLIC_ENGINE is set" in public.stderr
    assert traced(DTRACE_PUBLIC_ENGINE="").stdout == public.stdout


def test_where_the_structures_are_not_found_the_public_interface_serves(
        monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    def find(_self: object) -> None:
        raise EngineError("no registers are found")

    monkeypatch.delenv(direct.PUBLIC, raising=False)
    monkeypatch.setattr(direct.DirectEngine, "_find", find)
    kernel, told = Kernel(), []
    kernel.remark = told.append
    kernel.spawn(["/bin/echo", "served"], stopped=False)
    assert kernel.run() == "done"
    kernel.close()
    assert capfd.readouterr().out == "served\n"
    assert told == ["programs run on the public interface of the engine: no registers are found"]
