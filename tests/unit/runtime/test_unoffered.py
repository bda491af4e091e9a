"""An instruction that the machine's processor does not offer ends its program with a line that says so."""

from __future__ import annotations

import subprocess
from pathlib import Path

import atonce
import compilers
import pytest

from runtime.kernel.cpu.x86.identification import lacking

MAIN = """
#include <signal.h>
#include <unistd.h>
static void handled(int signal) { (void)signal; _exit(3); }
__attribute__((noinline, aligned(16))) void meets(void) { __asm__ volatile ("nop; %s"); }
int main(int argc, char **argv) { if (argc > 1) signal(SIGILL, handled); meets(); return 0; }
"""

FLAGS = "-O1", "-fomit-frame-pointer", "-fno-pie", "-no-pie", "-fcf-protection=none"
OPTION = "does not have" if lacking() else "has with -x processor=x86-64-v3"  # which the host refuses then
HAS = {"AVX": OPTION, "FMA": OPTION, "BMI2": OPTION}


@pytest.mark.parametrize(("instruction", "needs"), [
    ("vaddps %ymm0, %ymm1, %ymm2", "vaddps needs AVX"),
    ("vfmadd231ps %xmm0, %xmm1, %xmm2", "vfmadd231ps needs FMA"),
    ("rorx $7, %rax, %rcx", "rorx needs BMI2"),
    ("vpternlogd $1, %zmm0, %zmm1, %zmm2", "vpternlogd needs AVX-512"),
    ("rdfsbase %rax", "rdfsbase needs FSGSBASE"),
    ("rdrand %rax", "rdrand needs RDRAND"), ("ud2", "")])
def test_message(instruction: str, needs: str, tmp_path: Path) -> None:
    source, program = tmp_path / "meets.c", tmp_path / "meets"
    source.write_text(MAIN.replace("%s", instruction))
    command = compilers.building([*FLAGS, "-o", str(program), str(source)], "x86-64")
    if command is None:
        pytest.skip("no compiler for x86-64: instructions that its processor does not offer")
    subprocess.run(command, check=True)
    for handled in ("", " handled"):
        run = atonce.run(["dtrace", "-n", "BEGIN{}", "-c", f"{program}{handled}"])
        said = [line for line in run.stderr.splitlines() if "needs" in line]
        if needs and not handled:
            assert said == [f"dtrace: pid 101: {needs.replace(' needs', ' at meets`meets+0x1 needs')}, "
                            f"which the machine {HAS.get(needs.split()[-1], 'does not have')}"]
        else:
            assert not said
        assert ("exited with status 3" if handled else "terminated by SIGILL") in run.stderr
