"""An instruction that the machine's processor does not offer ends its program with a line that says so."""

from __future__ import annotations

import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import atonce
import compilers
import pytest

from runtime.kernel.base.errors import MemoryFault
from runtime.kernel.cpu.x86.identification import lacking
from runtime.unoffered import LONGEST, _text, needed

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


X86 = """\
c5f458d0 vaddps AVX; c5fc77 vzeroall AVX; c4e271dcd0 vaesenc AVX; c4e275dcd0 vaesenc VAES;
c4e271b8d0 vfmadd231ps FMA; c4e37144d000 vpclmulqdq AVX; c4e37544d000 vpclmulqdq VPCLMULQDQ;
c4e271cfd0 vgf2p8mulb GFNI; 62f1744858d0 vaddps AVX-512; c4e3fbf0c807 rorx BMI2; c4e270f2c2 andn BMI1;
f30fbcc1 tzcnt BMI1; 0f38f000 movbe MOVBE; 0fae20 xsave XSAVE; 0f01d0 xgetbv XSAVE; 0fae28 xrstor XSAVE;
0fc7f0 rdrand RDRAND; 0fc7f8 rdseed RDSEED; 660fae38 clflushopt CLFLUSHOPT; 660fae30 clwb CLWB;
f30fc7f8 rdpid RDPID; 0f38c9c1 sha1msg1 SHA; 660f38f6c1 adcx ADX; c7f800000000 xbegin RTM;
660f78c00102 extrq SSE4a; 0f0fc19e pfadd 3DNow!; 90 - -; 0f58c1 - -; 06 - -; f30f - -"""
ARM64 = """\
04200000 add SVE; 80800000 fmopa SME; d503477f smstart SME; d53bd0a0 mrs SME; d53b2400 mrs RNG;
9ac01000 irg MTE; d50b7460 dc MTE; d50b7440 sys MTE; d9600000 ldg MTE; d5031000 wfet WFxT;
19000400 0x19000400 MOPS; 19201000 0x19201000 LSE128; f83fd000 ld64b LS64; dac02000 0xdac02000 CSSC;
dac01c00 0xdac01c00 CSSC; 9ac06400 0x9ac06400 CSSC; 91c00000 0x91c00000 CSSC; 2e40fc00 bfdot BF16;
0e809c00 usdot I8MM; 4e80a400 smmla I8MM; 8b010000 - -; d53b2440 - -; 9ac07000 - -; ffffffff - -"""


@pytest.mark.parametrize("row", X86.replace("\n", " ").split("; "))
def test_what_instructions_of_x86_need(row: str) -> None:
    """In both modes, whatever follows; rdfsbase is one of 64 bits alone."""
    code, *found = row.split()
    wanted = None if found[0] == "-" else tuple(found)
    for processor in (b"x86_64", b"i386"):
        assert needed(bytes.fromhex(code) + b"\xcc" * 12, processor) == wanted
    rdfsbase = bytes.fromhex("f3480faec0")
    assert needed(rdfsbase, b"x86_64") == ("rdfsbase", "FSGSBASE") and needed(rdfsbase, b"i386") is None


@pytest.mark.parametrize("row", ARM64.replace("\n", " ").split("; "))
def test_what_instructions_of_arm64_need(row: str) -> None:
    word, *found = row.split()
    assert needed(int(word, 16).to_bytes(4, "little") + b"more", b"aarch64") == (
        None if found[0] == "-" else tuple(found))


def test_as_much_of_an_instruction_as_is_mapped() -> None:
    """The page from 0x1000 on is; what begins elsewhere is a fault."""
    def read_text(address: int, size: int) -> bytes:
        if not address >= 0x1000 or address + size > 0x2000:
            raise MemoryFault(address)
        return bytes([size])

    thread: Any = SimpleNamespace(read_text=read_text)
    found = {address: _text(thread, address)[0] for address in (0x1000, 0x1FF1, 0x1FF2, 0x1FFF)}
    assert found == {0x1000: LONGEST, 0x1FF1: LONGEST, 0x1FF2: 14, 0x1FFF: 1} and LONGEST == 15
    for address in (0xFFF, 0x2000, 0x3000):
        with pytest.raises(MemoryFault):
            _text(thread, address)
