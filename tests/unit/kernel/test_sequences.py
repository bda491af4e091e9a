"""Random sequences of system calls return and leave in the machine what they do on the host.

The programs of sequences/ make them: one arena for mappings, one for locks, for pipes, signals and so on.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from itertools import zip_longest
from pathlib import Path

import compilers
import pytest

from runtime.kernel.base.identity import Identity
from runtime.kernel.kernel import Kernel

SOURCES = sorted(map(str, Path(__file__).parent.glob("sequences/*.c")))
STEPS = "150"


def arenas(text: str) -> dict[str, list[str]]:
    """Return the lines of each arena, by its name."""
    parts = text.split("-- ")[1:]
    return {lines[0]: lines[1:] for lines in (part.splitlines() for part in parts)}


def natively(program: Path, folder: Path, seed: str) -> dict[str, list[str]]:
    """Run the program on the host, in a new directory; return the lines of its arenas."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return arenas(subprocess.run([program, STEPS, seed], cwd=folder, capture_output=True, check=True,
                                 text=True).stdout)


def difference(name: str, native: list[str], machine: list[str]) -> str:
    """Return the first difference of an arena, with the lines before; "" if there is none."""
    for at, (one, other) in enumerate(zip_longest(native, machine, fillvalue="the end")):
        if one != other:
            return "\n".join([name, *native[max(at - 4, 0):at], f"natively {one}", f"in the machine {other}"])
    return ""


@pytest.mark.parametrize(("bits", "seed"), [(64, "1"), (32, "2")])
def test_sequences_equal_the_hosts(bits: int, seed: str, tmp_path: Path,
                                   capfd: pytest.CaptureFixture[str]) -> None:
    program, here, there = tmp_path / "sequences", tmp_path / "here", tmp_path / "there"
    command = compilers.building([f"-m{bits}", "-O1", "-w", "-pthread", "-o", str(program), *SOURCES])
    if command is None:
        pytest.skip(f"no compiler for {bits}-bit programs: sequences of calls")
    subprocess.run(command, check=True, capture_output=True)
    there.mkdir()
    native = natively(program, here, seed)
    capfd.readouterr()
    kernel = Kernel()
    kernel.walltime_offset = time.time_ns()
    who = Identity(os.getuid(), os.getgid(), tuple(os.getgroups()))
    kernel.spawn([str(program), STEPS, seed], cwd=str(there), identity=who, stopped=False)
    assert kernel.run(600 * 10**9) in ("done", "until")
    kernel.close()
    machine = arenas(capfd.readouterr().out)
    assert len(native) == 22
    different = {name: difference(name, native[name], machine.get(name, [])) for name in native}
    for _ in range(3):
        different = {name: found for name, found in different.items() if found}
        if different:  # on a busy host a second may pass between two calls
            native = natively(program, here, seed)
            different = {name: difference(name, native[name], machine.get(name, [])) for name in different}
    assert not any(different.values()), "\n".join(different.values())
