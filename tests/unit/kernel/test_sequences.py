"""Random sequences of system calls return and leave in the machine what they do on the host.

sequences/sequences.c makes them: one arena for mappings, one for locks, for pipes, signals and so on.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import compilers
import pytest

from runtime.kernel.base.identity import Identity
from runtime.kernel.kernel import Kernel

SOURCE = Path(__file__).parent / "sequences" / "sequences.c"
STEPS = "150"


def arenas(text: str) -> dict[str, list[str]]:
    """Return the lines of each arena, by its name."""
    parts = text.split("-- ")[1:]
    return {lines[0]: lines[1:] for lines in (part.splitlines() for part in parts)}


@pytest.mark.parametrize(("bits", "seed"), [(64, "1"), (32, "2")])
def test_sequences_equal_the_hosts(bits: int, seed: str, tmp_path: Path,
                                   capfd: pytest.CaptureFixture[str]) -> None:
    program, here, there = tmp_path / "sequences", tmp_path / "here", tmp_path / "there"
    command = compilers.building([f"-m{bits}", "-O1", "-w", "-o", str(program), str(SOURCE)])
    if command is None:
        pytest.skip(f"no compiler for {bits}-bit programs: sequences of calls")
    subprocess.run(command, check=True, capture_output=True)
    here.mkdir()
    there.mkdir()
    native = arenas(subprocess.run([program, STEPS, seed], cwd=here, capture_output=True, check=True,
                                   text=True).stdout)
    capfd.readouterr()
    kernel = Kernel()
    who = Identity(os.getuid(), os.getgid(), tuple(os.getgroups()))
    kernel.spawn([str(program), STEPS, seed], cwd=str(there), identity=who, stopped=False)
    assert kernel.run(600 * 10**9) in ("done", "until")
    kernel.close()
    machine = arenas(capfd.readouterr().out)
    assert len(native) == 10
    for name, lines in native.items():
        pairs = zip(lines, machine.get(name, []), strict=False)
        different = next((at for at, (one, other) in enumerate(pairs) if one != other), -1)
        context = "\n".join([name, *lines[max(different - 3, 0):different]])
        assert different < 0, f"{context}\nnatively {lines[different]}\nhere {machine[name][different]}"
        assert len(machine.get(name, [])) == len(lines), f"{name} did not end"
