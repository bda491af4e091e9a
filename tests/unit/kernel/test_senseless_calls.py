"""System calls with senseless arguments fail with an errno: nothing in the kernel breaks or blows up."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from runtime.kernel.kernel import Kernel

SOURCE = Path(__file__).parent / "fuzz" / "calls.c"


@pytest.mark.parametrize("seed", [7, 10, 20])
def test_the_kernel_survives(seed: int, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    if shutil.which("cc") is None:
        pytest.skip("no C compiler: system calls with senseless arguments")
    program = tmp_path / "calls"
    subprocess.run(["cc", "-w", "-O1", "-o", program, SOURCE], check=True)
    before = program.read_bytes()
    kernel = Kernel()
    process = kernel.spawn([str(program), str(seed), "3000"], cwd=str(tmp_path), stopped=False)
    assert kernel.run(600 * 10**9) in ("done", "until")
    assert (process.zombie, process.exit_status) == (True, 17)
    assert list(tmp_path.iterdir()) == [program] and program.read_bytes() == before
    kernel.close()
