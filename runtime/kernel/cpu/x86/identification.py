"""What CPUID, XGETBV and /proc/cpuinfo say of the x86 processor, with AVX and what belongs to it or without.

Bits and their names are those of Intel's manual, volume 2 (CPUID), and of <asm/cpufeatures.h>.
"""

from __future__ import annotations

import os

MODERN = "x86-64-v3"  # what it is called in the psABI, and by compilers
XCR0 = 7  # components of the state that are in use: x87, SSE, AVX
# leaf and subleaf: eax, ebx, ecx, edx; of those that are not here the engine's own are right
MODERN_LEAVES = {
    (0x1, 0): (0x000306C4, 0x00000800, 0xBED83203, 0x078BFBFD),
    (0x7, 0): (0, 0x00000128, 0, 0),
    (0xD, 0): (XCR0, 0x340, 0x340, 0),
    (0xD, 1): (0, 0, 0, 0),
    (0xD, 2): (0x100, 0x240, 0, 0),
    (0x80000001, 0): (0x000306C4, 0, 0x00000021, 0x20100800)}
WITH_SUBLEAVES = (0x7, 0xD)
# as /proc/cpuinfo names what is offered: always, and besides
FLAGS = ("fpu de pse tsc msr pae mce cx8 apic sep mtrr pge mca cmov pat pse36 clflush mmx fxsr sse sse2 "
         "syscall nx lm pni pclmulqdq ssse3 cx16 sse4_1 sse4_2 popcnt aes hypervisor lahf_lm")
MODERN_FLAGS = "fma movbe xsave avx f16c abm bmi1 avx2 bmi2"


def identify(leaf: int, subleaf: int) -> tuple[int, int, int, int] | None:
    """Return eax, ebx, ecx and edx of CPUID where AVX is offered; None for what the engine's own says."""
    return MODERN_LEAVES.get((leaf, subleaf if leaf in WITH_SUBLEAVES else 0),
                             (0, 0, 0, 0) if leaf in WITH_SUBLEAVES else None)


def flags(modern: bool) -> str:
    """Return the names of what is offered."""
    return f"{FLAGS} {MODERN_FLAGS}" if modern else FLAGS


def lacking() -> list[str]:
    """Return what the host's processor lacks to execute all of that: everything if it is none of x86-64."""
    if os.uname().machine != "x86_64":
        return sorted(MODERN_FLAGS.split())
    try:
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
            line = next((line for line in file if line.startswith("flags")), "")
    except OSError:
        line = ""
    return sorted(set(MODERN_FLAGS.split()) - set(line.split()))
