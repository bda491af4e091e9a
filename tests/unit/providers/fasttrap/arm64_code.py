"""Writes a program of random AArch64 instructions: those that programs may execute, with random operands.

They stand in blocks.  The program executes each block with varied registers and flags, and prints after each
a checksum of all general and vector registers, flags, status and memory, so that two runs can be told apart.
Candidates that the engine does not execute, or that would lead the program astray, are left out, and so are
system instructions and those that sign addresses, whose results are not the same on two processors.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import assembler

from runtime.kernel.cpu.arm64.engine import UNDEFINED, ArmEngine
from runtime.kernel.cpu.arm64.registers import PC, SP
from runtime.kernel.cpu.arm64.withheld import is_carried_out
from runtime.kernel.cpu.emulator import ERROR_FETCH, ERROR_WRITE, Slice
from runtime.kernel.cpu.translation import SYSCALL
from runtime.kernel.memory.addrspace import PROT_EXEC, PROT_READ, PROT_WRITE, AddressSpace, Area
from runtime.kernel.memory.physical import PAGE, PhysicalMemory
from runtime.providers.fasttrap.instructions.arm64 import Arm64
from runtime.providers.fasttrap.instructions.treatment import Treatment

SCRATCH, SIZE = 0x20000000, 0x40000  # what the program maps
STACK, BASE = SCRATCH + 0x8000, SCRATCH + 0x20000  # the stack pointer in blocks, and X28
PER_BLOCK = 16  # instructions
MOST_STEPS = 2048  # bytes from X28 to which writing back may lead
WORD, SVC = 4, 0xD4000001
STEP = 0x910004A5  # add x5, x5, #1

DRIVER = """
        mov x0, #0x20000000
        mov x1, #0x40000
        mov x2, #3
        mov x3, #0x32
        mov x4, #-1
        mov x5, #0
        mov x8, #222
        svc #0
        movz x9, #0x2000, lsl #16
        movk x9, #0x8000
        mov sp, x9
        movz x9, #0x1234
        movk x9, #0x9abc, lsl #32
        str x9, [sp]
        mov x9, #{iterations}
        str x9, [sp, #8]
round:
        adr x9, first
        str x9, [sp, #16]
        mov x9, #{blocks}
        str x9, [sp, #24]
next:
        ldr x9, [sp]
        add x10, sp, #256
        mov x11, #100
fill:
        eor x9, x9, x9, lsl #13
        eor x9, x9, x9, lsr #7
        eor x9, x9, x9, lsl #17
        lsr x12, x9, #59
        mov x13, x9
        cmp x12, #0
        csel x13, xzr, x13, eq
        cmp x12, #1
        csinv x13, x13, xzr, ne
        cmp x12, #2
        lsl x14, x9, #63
        csel x13, x14, x13, eq
        cmp x12, #3
        and x14, x9, #0xff
        csel x13, x14, x13, eq
        cmp x12, #4
        movz x14, #0x3ff8, lsl #48
        csel x13, x14, x13, eq
        str x13, [x10], #8
        subs x11, x11, #1
        b.ne fill
        str x9, [sp]
        msr fpsr, xzr
        add x10, sp, #512
        ldp q0, q1, [x10]
        ldp q2, q3, [x10, #32]
        ldp q4, q5, [x10, #64]
        ldp q6, q7, [x10, #96]
        ldp q8, q9, [x10, #128]
        ldp q10, q11, [x10, #160]
        ldp q12, q13, [x10, #192]
        ldp q14, q15, [x10, #224]
        ldp q16, q17, [x10, #256]
        ldp q18, q19, [x10, #288]
        ldp q20, q21, [x10, #320]
        ldp q22, q23, [x10, #352]
        ldp q24, q25, [x10, #384]
        ldp q26, q27, [x10, #416]
        ldp q28, q29, [x10, #448]
        ldp q30, q31, [x10, #480]
        adr x9, back
        str x9, [sp, #40]
        ldr x9, [sp, #504]
        and x9, x9, #0xf0000000
        msr nzcv, x9
        ldp x0, x1, [sp, #256]
        ldp x2, x3, [sp, #272]
        ldp x4, x5, [sp, #288]
        ldp x6, x7, [sp, #304]
        ldp x8, x9, [sp, #320]
        ldp x10, x11, [sp, #336]
        ldp x12, x13, [sp, #352]
        ldp x14, x15, [sp, #368]
        ldp x16, x17, [sp, #384]
        ldp x18, x19, [sp, #400]
        ldp x20, x21, [sp, #416]
        ldp x22, x23, [sp, #432]
        ldp x24, x25, [sp, #448]
        ldp x26, x27, [sp, #464]
        movz x28, #0x2002, lsl #16
        ldr x29, [sp, #488]
        ldr x30, [sp, #16]
        br x30
back:
        str x0, [sp, #1600]
        stp x1, x2, [sp, #256]
        stp x3, x4, [sp, #272]
        stp x5, x6, [sp, #288]
        stp x7, x8, [sp, #304]
        stp x9, x10, [sp, #320]
        stp x11, x12, [sp, #336]
        stp x13, x14, [sp, #352]
        stp x15, x16, [sp, #368]
        stp x17, x18, [sp, #384]
        stp x19, x20, [sp, #400]
        stp x21, x22, [sp, #416]
        stp x23, x24, [sp, #432]
        stp x25, x26, [sp, #448]
        stp x27, x28, [sp, #464]
        mrs x1, nzcv
        stp x29, x1, [sp, #480]
        mrs x1, fpsr
        str x1, [sp, #496]
        add x10, sp, #512
        stp q0, q1, [x10]
        stp q2, q3, [x10, #32]
        stp q4, q5, [x10, #64]
        stp q6, q7, [x10, #96]
        stp q8, q9, [x10, #128]
        stp q10, q11, [x10, #160]
        stp q12, q13, [x10, #192]
        stp q14, q15, [x10, #224]
        stp q16, q17, [x10, #256]
        stp q18, q19, [x10, #288]
        stp q20, q21, [x10, #320]
        stp q22, q23, [x10, #352]
        stp q24, q25, [x10, #384]
        stp q26, q27, [x10, #416]
        stp q28, q29, [x10, #448]
        stp q30, q31, [x10, #480]
        add x10, sp, #256
        mov x11, #96
        movz x12, #0x2325
        movz x14, #0x1b3
        movk x14, #0x100, lsl #32
        ldr x13, [sp, #1600]
        eor x12, x12, x13
        ldr x13, [sp, #48]
        eor x12, x12, x13
hash:
        ldr x13, [x10], #8
        eor x12, x12, x13
        mul x12, x12, x14
        subs x11, x11, #1
        b.ne hash
        movz x10, #0x2001, lsl #16
        movk x10, #0xfc00
        mov x11, #256
more:
        ldr x13, [x10], #8
        eor x12, x12, x13
        mul x12, x12, x14
        subs x11, x11, #1
        b.ne more
        str x12, [sp, #56]
        mov x0, #1
        add x1, sp, #56
        mov x2, #8
        mov x8, #64
        svc #0
        ldr x9, [sp, #16]
        add x9, x9, #{stride}
        str x9, [sp, #16]
        ldr x9, [sp, #24]
        subs x9, x9, #1
        str x9, [sp, #24]
        b.ne next
        ldr x9, [sp, #8]
        subs x9, x9, #1
        str x9, [sp, #8]
        b.ne round
        mov x0, #0
        mov x8, #93
        svc #0
        .balign 16
first:
"""
END = "str x30, [sp, #48]; ldr x30, [sp, #40]; ret"


class _Trial:
    """An engine that executes one candidate at a time."""

    TEXT = 0x400000

    def __init__(self, chance: random.Random) -> None:
        self.engine = ArmEngine(PhysicalMemory(1 << 26), Slice())
        self.space = AddressSpace(self.engine, 1 << 48)
        self.space.map(Area(self.TEXT, self.TEXT + PAGE, PROT_READ | PROT_WRITE | PROT_EXEC))
        self.space.map(Area(SCRATCH, SCRATCH + SIZE, PROT_READ | PROT_WRITE))
        self.engine.on_fault = self._fault
        self.engine.load_root(self.space.root)
        self._chance, self._isa = chance, Arm64()

    def _fault(self, address: int, error: int) -> bool:
        access = PROT_EXEC if error & ERROR_FETCH else PROT_WRITE if error & ERROR_WRITE else PROT_READ
        return self.space.fault(address, access)

    def accepts(self, word: int, moves: int) -> bool:
        """Whether the engine executes it, goes on behind it, and leaves SP alone, and X28 up to `moves`."""
        code = word.to_bytes(WORD, "little")
        if self._isa.plan(code, self.TEXT).treatment is not Treatment.DISPLACED:
            return False
        regs = self.engine.regs
        for number in range(31):
            regs[number] = self._chance.getrandbits(64)
        regs[28], regs[SP], regs[PC] = BASE, STACK, self.TEXT
        self.space.write(BASE - 64, self._chance.randbytes(1024))
        self.space.write(self.TEXT, code + SVC.to_bytes(WORD, "little"))
        event = self.engine.run()
        if event == UNDEFINED and is_carried_out(word):
            return True  # the kernel carries it out
        return (event == SYSCALL and regs[PC] == self.TEXT + 2 * WORD and regs[SP] == STACK
                and abs(regs[28] - BASE) <= moves)


def _processing(chance: random.Random) -> int:
    """Data processing: with constants, with registers, or of vectors and floating-point numbers."""
    kind = chance.choice((0x10000000, 0x12000000, 0x0A000000, 0x1A000000, 0x0E000000, 0x1E000000, 0x0E000000))
    word = chance.getrandbits(32) & ~0x1E000000 | kind
    return word if word & 31 != 28 else 0


def _access(chance: random.Random, aligned: bool) -> int:
    """A load or store by way of X28; if `aligned`, none that changes it, but with exclusive ones' kin."""
    word = chance.getrandbits(32) & ~0x0A0003E0 | 0x08000000 | 28 << 5
    if word & 0x3B000000 == 0x38000000 and word & 0x200000 and word & 0xC00 == 0x800:
        word = word & ~0x1F0000 | 31 << 16  # an index register
    atomic = word & 0x3F000000 == 0x08000000 or (word & 0x3B200C00 in (0x38200000, 0x38200400, 0x38200C00))
    back = (word & 0x3B200400 == 0x38000400 or (word & 0x3A000000 == 0x28000000 and word & 0x00800000)
            or (word & 0xBE000000 == 0x0C000000 and word & 0x00800000))
    pair = word & 0x3A000000 == 0x28000000
    if (atomic and not aligned) or (back and aligned):
        return 0
    if not word >> 26 & 1 and 28 in (word & 31, word >> 10 & 31 if pair else 0):
        return 0  # X28 would be what lies in memory, which may be X28 here, and something else later
    return word


# What Unicorn 2.1 does not do as later releases of QEMU: mask, value
WRONG = 0xBFC09400, 0x2F401000  # fcmla, of half-precision numbers, by element


def _excluded(word: int) -> bool:
    """What two processors need not agree on: system instructions, exclusive accesses, signed addresses, and
    ordered accesses that are not aligned."""
    return (word >> 22 == 0x354 or word & 0x7FFF0000 == 0x5AC10000 or word & 0xFFE0FC00 == 0x9AC03000
            or (word & 0x3F000000 == 0x08000000 and not word & 1 << 23) or word & 0xFF200400 == 0xF8200400
            or word & 0x3F200C00 == 0x19000000
            or word & WRONG[0] == WRONG[1])


def _emulated(chance: random.Random, here: int, pool: int) -> list[int]:
    """One that depends on its place: a branch over the next one, an address, a literal."""
    register, word = chance.randrange(28), chance.getrandbits(32)
    over = 2 << 5
    literal = (pool + chance.randrange(64) * 16 - here >> 2 & 0x7FFFF) << 5
    return chance.choice((
        [0x14000002, STEP], [0x94000002, STEP], [0x54000000 | over | word & 15, STEP],
        [0x34000000 | word & 0x81000000 | over | register, STEP],
        [0x36000000 | word & 0x81F80000 | over | register, STEP],
        [0x10000051, 0xD61F0220], [0x10000051, 0xD63F0220], [0x10000051, 0xD65F0220],  # adr x17; br, blr, ret
        [word & 0xE0FFFFE0 | 0x10000000 | register],
        [0x18000000 | word & 0xC0000000 | literal | register],
        [0x1C000000 | (word >> 8) % 3 << 30 | literal | register]))


def blocks(chance: random.Random, count: int, address: int) -> list[list[int]]:
    """Instructions of each block; blocks follow one another from `address`, and then a pool of literals."""
    trial, end = _Trial(chance), len(assembler.assemble("arm64", END)) // WORD
    stride = (PER_BLOCK + end) * WORD
    pool, made = address + count * stride, []
    for number in range(count):
        words: list[int] = []
        while len(words) < PER_BLOCK - 2:
            here = address + number * stride + len(words) * WORD
            kind, word, aligned = chance.random(), 0, number % 2 == 0
            if kind < 0.25:
                words += _emulated(chance, here, pool)
            while kind >= 0.25 and not word:
                word = _processing(chance) if kind < 0.7 else _access(chance, aligned)
                moves = 0 if kind < 0.7 or aligned else MOST_STEPS // PER_BLOCK
                if _excluded(word) or not word or not trial.accepts(word, moves):
                    word = 0
            words += [word] if word else []
        made.append(words + [0xD503201F] * (PER_BLOCK - len(words)))
    trial.engine.close()
    return made


def write(path: Path, seed: int, count: int, iterations: int) -> int:
    """Write the program; returns how many instructions are in its blocks, whose functions are `block*`."""
    chance = random.Random(seed)
    stride = PER_BLOCK * WORD + len(assembler.assemble("arm64", END))
    text = ["_start:", DRIVER.format(iterations=iterations, blocks=count, stride=stride),
            assembler.function("_start", "first")]
    for number, words in enumerate(blocks(chance, count, 0)):
        text += [f"block{number}:", _data("word", words), f"end{number}:", END,
                 assembler.function(f"block{number}", f"end{number}")]
    text.append(_data("byte", chance.randbytes(1024 + 16)))
    assembler.link(path, "arm64", "\n".join(text))
    return count * PER_BLOCK


def _data(kind: str, values: Sequence[int]) -> str:
    return f".{kind} " + ", ".join(map(hex, values))
