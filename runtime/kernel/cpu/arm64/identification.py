"""What the processor offers to programs: HWCAP bits, and registers that the kernel reads for them.

The bits are those of <asm/hwcap.h>.  Reading an identification register is an undefined instruction at
exception level 0; Linux carries it out, and shows the fields that stand for bits of HWCAP (its
Documentation/arch/arm64/cpu-feature-registers.rst).  SVE, MTE and random numbers are not offered: the first
two the engine does not have on, the last would make runs differ.  Nor are complex numbers, though they are
computed with: FCMLA of half-precision numbers by element is wrong in Unicorn 2.1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from runtime.kernel.base.clock import SECOND, SYSCALL_COST
from runtime.kernel.cpu.arm64.registers import PC, Registers

if TYPE_CHECKING:
    from runtime.kernel.cpu.processor import UserThread

# HWCAP bit: register of (op1, CRm, op2) with op0 3 and CRn 0, lowest bit of its field of four, value
PFR0, ISAR0, ISAR1 = (0, 4, 0), (0, 6, 0), (0, 6, 1)
OFFERED = {
    0: (PFR0, 16, 0), 1: (PFR0, 20, 0), 3: (ISAR0, 4, 1), 4: (ISAR0, 4, 2), 5: (ISAR0, 8, 1),
    6: (ISAR0, 12, 1), 7: (ISAR0, 16, 1), 8: (ISAR0, 20, 2), 9: (PFR0, 16, 1), 10: (PFR0, 20, 1),
    12: (ISAR0, 28, 1),
    13: (ISAR1, 12, 1), 15: (ISAR1, 20, 1), 16: (ISAR1, 0, 1), 17: (ISAR0, 32, 1),
    18: (ISAR0, 36, 1), 19: (ISAR0, 40, 1), 20: (ISAR0, 44, 1), 21: (ISAR0, 12, 2), 23: (ISAR0, 48, 1),
    26: (ISAR1, 20, 2), 27: (ISAR0, 52, 1), 29: (ISAR1, 36, 1), 30: (ISAR1, 4, 1), 31: (ISAR1, 24, 1)}
CPUID = 11  # the bit that says that these registers can be read
HWCAP = 1 << CPUID | sum(1 << bit for bit in OFFERED)
OFFERED2 = {0: (ISAR1, 0, 2), 7: (ISAR0, 52, 2), 8: (ISAR1, 32, 1)}
HWCAP2 = sum(1 << bit for bit in OFFERED2)

NAMES = {  # of the bits, in /proc/cpuinfo
    0: "fp", 1: "asimd", 3: "aes", 4: "pmull", 5: "sha1", 6: "sha2", 7: "crc32", 8: "atomics", 9: "fphp",
    10: "asimdhp", 11: "cpuid", 12: "asimdrdm", 13: "jscvt", 15: "lrcpc", 16: "dcpop", 17: "sha3", 18: "sm3",
    19: "sm4", 20: "asimddp", 21: "sha512", 23: "asimdfhm", 26: "ilrcpc", 27: "flagm", 29: "sb", 30: "paca",
    31: "pacg"}
NAMES2 = {0: "dcpodp", 7: "flagm2", 8: "frint"}

MIDR, COUNTER, COUNTER_SELF, FREQUENCY = (0, 0, 0, 0), (3, 14, 0, 2), (3, 14, 0, 6), (3, 14, 0, 0)
PROCESSOR = 0x410FD0F0  # Arm, a number of its own that no tuning table knows
MRS, MRS_MASK = 0xD5300000, 0xFFF00000  # mrs Xt, S3_...


def _identification() -> dict[tuple[int, int, int, int], int]:
    """Registers by (op1, CRn, CRm, op2)."""
    values: dict[tuple[int, int, int], int] = {PFR0: 0x11}
    for (op1, crm, op2), shift, value in (*OFFERED.values(), *OFFERED2.values()):
        key = op1, crm, op2
        field = max(values.get(key, 0) >> shift & 15, value)
        values[key] = values.get(key, 0) & ~(15 << shift) | field << shift
    return {(op1, 0, crm, op2): value for (op1, crm, op2), value in values.items()}


REGISTERS = {**_identification(), MIDR: PROCESSOR, (0, 0, 0, 5): 1 << 31}  # MPIDR_EL1


def description(count: int) -> str:
    """Return what /proc/cpuinfo says of `count` processors."""
    names = [NAMES[bit] for bit in sorted((*OFFERED, CPUID))] + [NAMES2[bit] for bit in OFFERED2]
    rest = (f"BogoMIPS\t: {2 * SECOND / 1_000_000:.2f}\nFeatures\t: {' '.join(names)}\n"
            f"CPU implementer\t: {PROCESSOR >> 24:#04x}\nCPU architecture: 8\n"
            f"CPU variant\t: {PROCESSOR >> 20 & 15:#x}\nCPU part\t: {PROCESSOR >> 4 & 0xFFF:#05x}\n"
            f"CPU revision\t: {PROCESSOR & 15}\n\n")
    return "".join(f"processor\t: {number}\n{rest}" for number in range(count))


def read(thread: UserThread, word: int) -> bool:
    """Carry out the instruction at the program counter, if it is an MRS that the kernel does for programs.

    Returns whether it is.
    """
    regs: Registers = thread.regs
    if word & MRS_MASK != MRS:
        return False
    thread.charge(SYSCALL_COST)  # so time passes for a program that waits by the counter
    key = word >> 16 & 7, word >> 12 & 15, word >> 8 & 15, word >> 5 & 7
    if key in (COUNTER, COUNTER_SELF):
        value = thread.kernel.hrtime()  # in ns
    elif key == FREQUENCY:
        value = SECOND
    elif key in REGISTERS:
        value = REGISTERS[key]
    elif key[0] == 0 and key[1] == 0 and 1 <= key[2] <= 7:
        value = 0  # what is not known yet reads as zero
    else:
        return False
    regs.set_x(word & 31, value)
    regs[PC] += 4
    return True
