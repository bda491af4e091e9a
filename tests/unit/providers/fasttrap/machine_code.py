"""Writes a program of varied amd64 instructions: every kind of branch, operand and prefix.

The program prints a checksum of its registers and flags after each block and
of its memory at the end, so that two runs can be told apart.  (No shld or shrd with a %rip-relative
operand and a constant: the emulator takes the address to be one byte less, as
QEMU 7.2 does.)
"""

from __future__ import annotations

import random

WIDE = ["rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "r8", "r9", "r10", "r11", "r12", "r13", "r14"]
HALF = ["eax", "ebx", "ecx", "edx", "esi", "edi", "ebp", "r8d", "r9d", "r10d", "r11d", "r12d", "r13d", "r14d"]
BYTE = ["al", "bl", "cl", "dl", "sil", "dil", "bpl", "r8b", "r9b", "r10b", "r11b", "r12b", "r13b", "r14b"]
CONDITIONS = ["o", "no", "b", "ae", "e", "ne", "be", "a", "s", "ns", "p", "np", "l", "ge", "le", "g"]
TWO = ["add", "or", "adc", "sbb", "and", "sub", "xor", "cmp", "test", "mov"]
ONE = ["inc", "dec", "neg", "not"]
SHIFTS = ["rol", "ror", "rcl", "rcr", "shl", "shr", "sar"]
BITS = ["bt", "bts", "btr", "btc"]
PACKED = ["paddb", "psubw", "pxor", "por", "pand", "pmulhw", "pcmpeqd", "punpcklbw", "pmaxub", "pavgb"]
SCALAR = ["addsd", "mulsd", "subsd", "minsd", "maxsd"]

HEAD = """
    .intel_syntax noprefix
    .data
    .balign 64
memory: .skip 4096, 0x5a
table:  .quad 0x0123456789abcdef, 0xfedcba9876543210, 0x3ff8000000000000, 0x4004000000000000
words:  .skip 256, 0x11
slot:   .quad 0
sink:   .quad 0
saved:  .quad 0
sum:    .quad 14695981039346656037
    .text
    .globl blocks, memory, sum
"""

# FNV-1a over all general registers and the arithmetic flags
CHECKSUM = """
checksum:
    pushfq
    push rax
    push rbx
    mov rbx, 1099511628211
%s
    mov rax, [rsp + 16]
    and rax, 0x8d5 - 0x10
    xor [rip + sum], rax
    mov rax, [rip + sum]
    imul rax, rbx
    mov [rip + sum], rax
    pop rbx
    pop rax
    popfq
    ret
"""
FOLD = """    xor [rip + sum], {0}
    mov rax, [rip + sum]
    imul rax, rbx
    mov [rip + sum], rax"""

MAIN = r"""
#include <stdio.h>
#include <string.h>
extern char memory[4096];
extern unsigned long sum;
extern void blocks(void);
int main(void)
{
    unsigned long hash = 14695981039346656037ul;
    blocks();
    for (int i = 0; i < 4096; i++)
        hash = (hash ^ (unsigned char)memory[i]) * 1099511628211ul;
    printf("%016lx %016lx\n", sum, hash);
    return (int)(sum & 63);
}
"""


class Writer:
    """One program; equal seeds write equal programs."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.labels = 0

    def label(self) -> str:
        self.labels += 1
        return f".L{self.labels}"

    def emit(self, *lines: str) -> None:
        self.lines += [line if line.endswith(":") else f"    {line}" for line in lines]

    def place(self) -> str:
        """A memory operand: %rip-relative, absolute in a register, or scaled; rbx points to memory."""
        offset = self.random.randrange(0, 2048) & ~7
        return self.random.choice([f"[rip + memory + {offset}]", f"[r15 + {offset}]",
                                   f"[r15 + {offset & 127}]", f"[r15 + rcx * 8 + {offset}]"])

    def registers(self) -> tuple[int, str, int]:
        width = self.random.choice([64, 32, 8])
        return width, {64: "qword", 32: "dword", 8: "byte"}[width], self.random.randrange(len(WIDE))

    def named(self, width: int, number: int) -> str:
        return {64: WIDE, 32: HALF, 8: BYTE}[width][number]

    # -- one instruction each, or a few that belong together -------------------------------------

    def arithmetic(self) -> None:
        width, size, number = self.registers()
        operation = self.random.choice(TWO)
        register, other = self.named(width, number), self.named(width, self.random.randrange(len(WIDE)))
        match self.random.randrange(4):
            case 0:
                self.emit(f"{operation} {register}, {other}")
            case 1:
                self.emit("and ecx, 15", f"{operation} {size} ptr {self.place()}, {other}")
            case 2 if operation != "test":
                self.emit("and ecx, 15", f"{operation} {register}, {self.place()}")
            case _:
                self.emit(f"{operation} {register}, {self.random.randrange(1, 127)}")

    def constant_to_memory(self) -> None:
        """A displacement in the middle of the instruction: an immediate follows it."""
        operation = self.random.choice(["add", "xor", "mov", "cmp", "test"])
        size, most = self.random.choice([("byte", 100), ("word", 30000), ("dword", 1 << 30),
                                         ("qword", 1 << 30)])
        offset, value = self.random.randrange(2000), self.random.randrange(most)
        self.emit(f"{operation} {size} ptr [rip + memory + {offset}], {value}")

    def unary(self) -> None:
        width, size, number = self.registers()
        if self.random.random() < 0.5:
            self.emit(f"{self.random.choice(ONE)} {self.named(width, number)}")
        else:
            self.emit(f"{self.random.choice(ONE)} {size} ptr [rip + memory + {self.random.randrange(2000)}]")

    def shift(self) -> None:
        operation, register = self.random.choice(SHIFTS), self.random.choice(WIDE)
        if self.random.random() < 0.5:
            self.emit(f"{operation} {register}, {self.random.randrange(1, 2)}")
        else:
            self.emit(f"{operation} qword ptr [rip + memory + {self.random.randrange(2000)}], 1")

    def bit(self) -> None:
        self.emit(f"{self.random.choice(BITS)} {self.random.choice(WIDE)}, {self.random.randrange(64)}",
                  f"{self.random.choice(BITS)} dword ptr [rip + words + 8], {self.random.randrange(32)}")

    def conditional(self) -> None:
        condition = self.random.choice(CONDITIONS)
        self.emit(f"cmov{condition} {self.random.choice(WIDE)}, {self.random.choice(WIDE)}",
                  f"set{condition} {self.random.choice(BYTE)}",
                  f"set{condition} byte ptr [rip + memory + {self.random.randrange(2000)}]")

    def branch(self) -> None:
        for condition in self.random.sample(CONDITIONS, 3):
            label = self.label()
            self.emit(f"cmp {self.random.choice(WIDE)}, {self.random.choice(WIDE)}", f"j{condition} {label}",
                      f"add {self.random.choice(WIDE)}, {self.random.randrange(1, 99)}", f"{label}:")
        label = self.label()
        self.emit("test eax, eax", f"{{disp32}} jne {label}", "xor r8, r9", f"{label}:")

    def loop(self) -> None:
        kind = self.random.choice(["loop", "loope", "loopne"])
        top, out = self.label(), self.label()
        self.emit("mov ecx, 5", f"{top}:", "add r10, 3", "cmp r10b, r11b", f"{kind} {top}",
                  f"jrcxz {out}", "xor r11, 7", f"{out}:", "xor ecx, ecx", "jecxz 1f", "inc r12", "1:")

    def jump(self) -> None:
        one, two, three, four = (self.label() for _ in range(4))
        self.emit(f"jmp {one}", "ud2", f"{one}:", f"mov r11, [rip + {self.pointer(two)}]", "jmp r11", "ud2",
                  f"{two}:", f"jmp qword ptr [rip + {self.pointer(three)}]", "ud2", f"{three}:",
                  f"push [rip + {self.pointer(four)}]", "jmp [rsp]", "ud2", f"{four}:", "pop r11")
        self.emit("mov r11d, 77")

    def pointer(self, label: str) -> str:
        """A word of memory that holds the address of `label`."""
        self.lines += ["    .data", "    .balign 8", f"{label}p: .quad {label}", "    .text"]
        return label + "p"

    def call(self) -> None:
        after = self.label()
        self.emit("call leaf", "lea r11, [rip + leaf]", "call r11", "mov [rip + slot], r11",
                  "call qword ptr [rip + slot]", "push r11", "call [rsp]", "call qword ptr [rsp + 0]",
                  "sub rsp, 512", "mov [rsp + 256], r11", "call [rsp + 256]", "mov [rsp + 64], r11",
                  "xor ecx, ecx", "call [rsp + rcx + 64]", "add rsp, 512", "add rsp, 8",
                  "push 5", "push 6", "call pops", "lea r11, [rip + slot]", "call [r11]", f"call {after}",
                  f"{after}:", "add rsp, 8", "mov r11d, 99")

    def stack(self) -> None:
        register = self.random.choice(WIDE)
        self.emit(f"push {register}", "push qword ptr [rip + table]", "pop qword ptr [rip + memory + 96]",
                  f"pop {self.random.choice(WIDE)}", "push 0x12345", "pop r9", "pushfq", "pop r10",
                  "and r10d, 0x8d5", "push r10", "popfq", "enter 32, 0", "mov [rbp - 8], rax", "leave",
                  "push rsp", "pop r10", "sub r10, rsp", "push qword ptr [rsp]", "pop r10", "xchg rsp, r9",
                  "xchg r9, rsp", "sub rsp, 24", "lea r10, [rsp + 24]", "add rsp, 24", "sub r10, rsp",
                  "mov r9d, 3")

    def strings(self) -> None:
        prefix = self.random.choice(["rep", ""])
        self.emit("lea rsi, [rip + words]", "lea rdi, [rip + memory + 512]", "mov ecx, 13",
                  f"{prefix} movs{self.random.choice('bwdq')}",
                  "lea rdi, [rip + memory + 700]", "mov ecx, 9", f"{prefix} stos{self.random.choice('bwdq')}",
                  "lea rsi, [rip + words]", "lea rdi, [rip + memory]", "mov ecx, 20", "repe cmpsb",
                  "lea rdi, [rip + memory]", "mov ecx, 20", "repne scasb", "lea rsi, [rip + words]",
                  f"lods{self.random.choice('bwdq')}", "std", "lea rdi, [rip + memory + 900]", "mov ecx, 4",
                  "rep stosw", "cld", "lea rbx, [rip + words]", "xlatb", "mov esi, 5", "mov edi, 6")

    def vector(self) -> None:
        self.emit("movdqu xmm0, [rip + table]", "movdqa xmm1, xmm0",
                  f"pshufd xmm2, [rip + memory], {self.random.randrange(256)}",
                  f"{self.random.choice(PACKED)} xmm1, [rip + memory + 64]",
                  f"{self.random.choice(PACKED)} xmm2, xmm1", "movsd xmm3, [rip + table + 16]",
                  f"{self.random.choice(SCALAR)} xmm3, [rip + table + 24]", "cvttsd2si r9, xmm3",
                  "cvtsi2sd xmm4, dword ptr [rip + words]", "ucomisd xmm3, [rip + table + 16]",
                  "movmskpd r10d, xmm4", "movdqu [rip + memory + 1024], xmm2", "movq r11, xmm1",
                  "movntdq [rip + memory + 1088], xmm1", "pinsrw xmm1, word ptr [rip + words], 3",
                  "pmovmskb r8d, xmm1", "crc32 r8d, byte ptr [rip + words + 3]", "popcnt r9, [rip + table]",
                  f"palignr xmm1, [rip + table], {self.random.randrange(15)}",
                  "movhps [rip + memory + 1200], xmm1")

    def locked(self) -> None:
        self.emit("lock add dword ptr [rip + memory + 40], 7", "lock xadd [rip + memory + 48], r9",
                  "mov rax, [rip + memory + 56]", "lock cmpxchg [rip + memory + 56], r10",
                  "lock cmpxchg [r15 + 64], r11", "xchg r12, [rip + memory + 72]",
                  "lock btr dword ptr [rip + words], 3", "mov rax, [rip + memory + 80]",
                  "mov rdx, [rip + memory + 88]", "mov ebx, 3", "mov ecx, 4",
                  "lock cmpxchg16b [rip + memory + 80]", "lock inc dword ptr [rip + words + 4]", "mfence")

    def wide(self) -> None:
        self.emit("mov eax, 12345", "mul r9", "mov eax, 77", "imul r10", "imul r11, r12, -7",
                  "imul r13, [rip + memory + 8], 1000", "xor edx, edx", "mov ecx, 17", "div rcx", "cdq",
                  "mov ecx, 5", "idiv ecx", "cqo", "cwde", "cdqe", "bswap r12",
                  "movzx r8d, byte ptr [rip + words]", "movsx r9, word ptr [rip + memory + 6]",
                  "movsxd r10, dword ptr [rip + table]", "shld r11, r12, 5",
                  "shrd [r15 + 16], r12, 9", "lea r13, [r12 + r11 * 4 + 77]",
                  "lea r14, [rip + memory + 3]", "sub r14, r15", "bsf r8, [rip + table]", "bsr r9, r12",
                  "xadd r8, r9", "cmpxchg r10, r11", "movabs r12, 0x1122334455667788",
                  "movnti [rip + memory + 24], r12", "lahf", "sahf", "stc", "cmc", "clc", "nop", "data16 nop",
                  "nop dword ptr [rax + rax + 0]", "endbr64", "pause", "prefetcht0 [rip + memory]",
                  "mov dx, ax", "mov ah, dl", "xchg ah, bl", "sar ah, 1")

    def floating(self) -> None:
        self.emit("fld qword ptr [rip + table + 16]", "fadd qword ptr [rip + table + 24]",
                  "fild dword ptr [rip + words]", "fmulp", "fstp qword ptr [rip + memory + 1300]", "fld1",
                  "fldpi", "fcomip st, st(1)", "fstp st(0)", "fnstcw [rip + sink]", "fldcw [rip + sink]",
                  "stmxcsr [rip + sink]", "ldmxcsr [rip + sink]")

    KINDS = ("arithmetic", "constant_to_memory", "unary", "shift", "bit", "conditional", "branch", "loop",
             "jump", "call", "stack", "strings", "vector", "locked", "wide", "floating")

    def program(self, blocks: int) -> str:
        """The assembler source of `blocks` blocks of each kind."""
        names = []
        for index in range(blocks):
            names.append(f"block{index}")
            self.lines += [f"    .type block{index}, @function", f"block{index}:"]
            for kind in self.random.sample(self.KINDS, len(self.KINDS)):
                getattr(self, kind)()
                self.emit("call checksum")
            self.emit("ret")
            self.lines += [f"    .size block{index}, . - block{index}"]
        return "\n".join([HEAD, self._support(), self._blocks(names), *self.lines,
                          '    .section .note.GNU-stack, "", @progbits', ""])

    @staticmethod
    def _support() -> str:
        folds = "\n".join(FOLD.format(name) for name in WIDE if name not in ("rax", "rbx"))
        return "\n".join([
            "    .type checksum, @function", CHECKSUM % folds, "    .size checksum, . - checksum",
            "    .type leaf, @function", "leaf:", "    endbr64", "    push rbp", "    mov rbp, rsp",
            "    add qword ptr [rip + memory + 128], 3", "    leave", "    ret", "    .size leaf, . - leaf",
            "    .type pops, @function", "pops:", "    mov r13, [rsp + 8]", "    ret 16",
            "    .size pops, . - pops"])

    @staticmethod
    def _blocks(names: list[str]) -> str:
        """Saves what the ABI wants saved, sets every register, and runs the blocks."""
        saved = ["rbx", "rbp", "r12", "r13", "r14", "r15"]
        lines = ["    .type blocks, @function", "blocks:", *[f"    push {name}" for name in saved],
                 "    push rax", "    lea r15, [rip + memory]"]
        for number, name in enumerate(WIDE):
            lines.append(f"    mov {name}, {number * 0x01030507 + 1}")
        lines.append("    xor ecx, ecx")
        lines += [f"    call {name}" for name in names]
        lines += ["    pop rax", *[f"    pop {name}" for name in reversed(saved)], "    ret",
                  "    .size blocks, . - blocks"]
        return "\n".join(lines)


def write(seed: int, blocks: int) -> str:
    return Writer(seed).program(blocks)
