"""AArch64 programs in the machine: instructions, system calls, signals and memory as Linux has them there."""

from __future__ import annotations

import io
import os
import random
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path

import assembler
import compilers
import pytest

from dof.elf import ElfFile
from runtime.kernel.base.words import signed
from runtime.kernel.cpu.accelerators import PUBLIC
from runtime.kernel.cpu.arm64 import direct
from runtime.kernel.cpu.emulator import EngineError
from runtime.kernel.kernel import Kernel
from runtime.kernel.process.process import RLIMIT_CORE
from runtime.unoffered import needed

HERE = Path(__file__).parent
Run = Callable[..., tuple[int, str]]


@pytest.fixture
def run(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> Run:
    """run(text): exit status and output of an assembled program."""
    def run(text: str, *arguments: str) -> tuple[int, str]:
        assembler.write_program(tmp_path / "program", "arm64", text)
        return execute(tmp_path / "program", capfd, *arguments)
    return run


def execute(program: Path, capfd: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    kernel = Kernel()
    process = kernel.spawn([str(program), *arguments], {"PATH": "/usr/bin:/bin"}, stopped=False)
    kernel.run()
    kernel.close()
    return process.status, capfd.readouterr().out


def test_output_and_status(run: Run) -> None:
    assert run("mov x0, #1; adr x1, text; mov x2, #6; mov x8, #64; svc #0; mov x0, #7; mov x8, #93; svc #0\n"
               "text: .ascii \"hello\\n\"") == (7 << 8, "hello\n")


def test_where_the_engines_structures_are_not_found_its_public_interface_serves(
        run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exclusive accesses, a fault, and a system call in one program: as on the engine's own structures."""
    def find(_self: object) -> None:
        raise EngineError("no registers are found")

    text = """sub sp, sp, #16; ldxr x1, [sp]; stxr w0, x1, [sp]; cbnz w0, bad
        ldxr x1, [sp]; mov x8, #172; svc #0
        stxr w19, x1, [sp]; cmp w19, #1; b.ne bad
        sub x2, sp, #4096; ldr x0, [x2]; mov x0, #6; mov x8, #93; svc #0
        bad: udf #0"""
    told: list[str] = []
    monkeypatch.delenv(PUBLIC, raising=False)
    monkeypatch.setattr(direct.DirectArmEngine, "_find", find)
    monkeypatch.setattr(Kernel, "remark", property(lambda _self: told.append, lambda _self, _tell: None),
                        raising=False)
    assert run(text) == (6 << 8, "")
    assert told == ["AArch64 programs run on the public interface of the engine: no registers are found"]


MISALIGNING = ("sub sp, sp, #8", "add sp, sp, #1", "sub x9, sp, #4; mov sp, x9",
               "mov x9, #24; sub sp, sp, x9", "mov x9, #-8; add sp, sp, w9, sxtw",
               "mov x9, sp; orr sp, x9, #8", "str x0, [sp, #-8]!",
               "ldr x0, [sp], #8", "stp w0, w1, [sp, #-24]!", "ldp d0, d1, [sp], #-40",
               "ld1 {v0.8b}, [sp], #8", "mov x9, #2; st1 {v0.b}[3], [sp], x9")
CHECKED = ("ldr x0, [sp]", "strb w0, [sp, #1]", "stp x0, x1, [sp, #8]", "ldr q0, [sp, x1]",
           "ldr x0, [sp], #8", "ldxr x0, [sp]",
           "ld1 {v0.16b}, [sp]", "ldadd w0, w1, [sp]", "ldur w0, [sp, #3]")
STACK_FAULTS = """
    adr x9, handler; mov x10, #4; stp xzr, xzr, [sp, #-16]!; stp x9, x10, [sp, #-16]!
    mov x0, #7; mov x1, sp; mov x2, #0; mov x3, #8; mov x8, #134; svc #0  // rt_sigaction(SIGBUS, ...)
    mov x19, #0; mov x1, #0
    {cases}
    mov x0, x19; mov x8, #93; svc #0
here: .word 0
handler: ldr w9, [x1, #8]; cmp w9, #1; b.ne bad                           // BUS_ADRALN
    ldr x9, [x1, #16]; cmp x9, x20; b.ne bad                             // si_addr
    ldr x9, [x2, #432]; cmp x9, x20; b.ne bad                            // the stack pointer
    ldr x9, [x2, #440]; cmp x9, x21; b.ne bad                            // the program counter
    ldr w9, [x2, #992]; movz w10, #0x5201; movk w10, #0x4553, lsl #16; cmp w9, w10; b.ne bad  // ESR_MAGIC
    ldr x9, [x2, #1000]; movz x10, #0x9a00, lsl #16; cmp x9, x10; b.ne bad
    add x19, x19, #1; str x19, [x2, #336]; str x22, [x2, #440]; ret
bad: mov x0, #99; mov x8, #93; svc #0"""
STACK_FAULT = """
    mov x23, sp; adr x21, there{0}; adr x22, next{0}; {1}; mov x20, sp
    nop; prfm pldl1keep, [sp]; ldr w9, here; str w9, [x23]; bl over{0}; add x9, sp, #64; mov x8, #172; svc #0
there{0}: {2}
    b bad
over{0}: ret
next{0}: mov sp, x23"""


@pytest.mark.parametrize("public", [False, True])
def test_a_stack_pointer_that_is_not_aligned(public: bool, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """SIGBUS where it addresses memory, with its value and that exception's syndrome, and nowhere else."""
    monkeypatch.setenv(PUBLIC, "1") if public else monkeypatch.delenv(PUBLIC, raising=False)
    pairs = [(each, "ldr x0, [sp]") for each in MISALIGNING] + [("sub sp, sp, #8", each) for each in CHECKED]
    cases = "".join(STACK_FAULT.format(number, *pair) for number, pair in enumerate(pairs))
    assert run(STACK_FAULTS.format(cases=cases)) == (len(pairs) << 8, "")


@pytest.mark.parametrize(("text", "signal"), [
    ("mov x1, #8; str x0, [x1]", 11), ("brk #5", 5), (".word 0", 4),
    ("mov x1, sp; add x1, x1, #1; ldaxr x0, [x1]", 7),
    ("mrs x0, vbar_el1", 4), ("adr x1, #2; br x1", 7)],
    ids=["no memory", "brk", "no instruction", "unaligned exclusive", "privileged", "unaligned jump"])
def test_faults_are_signals(text: str, signal: int, run: Run) -> None:
    assert run(text)[0] & 0x7F == signal


def test_ordered_accesses_read_and_write_what_they_say(run: Run) -> None:
    """Each width; and one between an exclusive load and its store takes nothing from that."""
    assert run("""
        movz x1, #0x8877; movk x1, #0x6655, lsl #16; movk x1, #0x4433, lsl #32; movk x1, #0x2211, lsl #48
        sub sp, sp, #32
        stlr x1, [sp]; ldr x2, [sp]; cmp x2, x1; b.ne bad
        ldar w2, [sp]; ubfx x3, x1, #0, #32; cmp x2, x3; b.ne bad
        ldaprh w2, [sp]; ubfx x3, x1, #0, #16; cmp x2, x3; b.ne bad
        ldarb w2, [sp]; ubfx x3, x1, #0, #8; cmp x2, x3; b.ne bad
        stlrh wzr, [sp]; ldar x2, [sp]; lsr x3, x1, #16; lsl x3, x3, #16; cmp x2, x3; b.ne bad
        add x4, sp, #4; stlr w1, [x4]; ldapr x2, [sp]; lsr x2, x2, #32; ubfx x3, x1, #0, #32; cmp x2, x3
        b.ne bad
        add x4, sp, #16; ldaxr x2, [sp]; ldar x3, [x4]; ldapr x3, [x4]; stlxr w5, x1, [sp]; cbnz w5, bad
        stlur x1, [sp, #8]; ldapur x2, [sp, #8]; cmp x2, x1; b.ne bad; ldr x2, [sp, #8]; cmp x2, x1; b.ne bad
        add x4, sp, #16; stlur w1, [x4, #-4]; ldapur w2, [x4, #-4]; ubfx x3, x1, #0, #32; cmp x2, x3; b.ne bad
        movn x5, #0x77; stlurh w5, [x4, #-16]; ldapurh w2, [x4, #-16]; movz x3, #0xff88; cmp x2, x3; b.ne bad
        ldapursh x2, [x4, #-16]; cmp x2, x5; b.ne bad; ldapursh w2, [x4, #-16]; cmp x2, w5, uxtw; b.ne bad
        stlur w5, [x4, #-8]; ldapursw x2, [x4, #-8]; cmp x2, x5; b.ne bad; stlurb wzr, [x4, #-15]
        ldapurb w2, [x4, #-16]; cmp x2, #0x88; b.ne bad; ldapursb x2, [x4, #-16]; cmp x2, x5; b.ne bad
        ldar xzr, [sp]; dc cvau, x4; ic ivau, x4; mov x0, #6; mov x8, #93; svc #0
        bad: udf #0""") == (6 << 8, "")


FAULTS = [  # signal, code, syndrome, what is executed; X20 is the address in siginfo_t, X21 in the context
    (4, 1, 0, "udf #0"), (4, 1, 0, "mrs x0, vbar_el1"), (5, 1, 0, "brk #5"),
    (4, 1, 0, "mrs x0, rndr"),
    (11, 1, 0x92000006, "mov x20, #8; mov x21, x20; ldr x0, [x20]"),
    (11, 1, 0x92000046, "mov x20, #8; mov x21, x20; str x0, [x20]"),
    (11, 1, 0x92000044, "movz x5, #0x4000, lsl #32; add x20, x5, #4; mov x21, x20; strb w0, [x5, #4]!"),
    (11, 1, 0x92000004, "orr x20, x19, #0x1000000000000; mov x21, x20; ldr x0, [x20]"),
    (11, 1, 0x92000044, "mov x20, #-4096; mov x21, x20; str x0, [x20]"),
    (11, 1, 0x82000004, "mov x20, #-4096; mov x21, x20; br x20"),
    (11, 2, 0x9200004F, "mov x20, x19; mov x21, x20; str x0, [x20]"),
    (11, 2, 0x9200004F, "mov x20, x19; mov x21, x20; orr x0, x19, #0x4000000000000000; str x0, [x0]"),
    (11, 2, 0x8200000F, "mov x20, sp; mov x21, x20; br x20"),
    (7, 1, 0x92000021, "mov x20, sp; add x20, x20, #1; mov x21, x20; ldaxr x0, [x20]"),
    (7, 1, 0x92000021, "mov x20, sp; add x20, x20, #1; mov x21, x20; ldsminh w0, w1, [x20]"),
    (11, 1, 0x92000006, "mov x20, #8; mov x21, x20; ldsmax w0, w1, [x20]"),
    (11, 2, 0x9200004F, "mov x20, x19; mov x21, x20; ldsminb w0, w1, [x20]"),
    (7, 1, 0x8A000000, "add x20, x19, #2; br x20"),
    *((7, 1, 0x92000021, f"add x20, sp, #1; mov x21, x20; {load}, [x20]")
      for load in ("ldar x0", "ldar w0", "ldarh w0", "ldapr x0", "ldapr w0", "ldaprh w0")),
    *((7, 1, 0x92000061, f"add x20, sp, #1; mov x21, x20; {store}, [x20]")
      for store in ("stlr x0", "stlr wzr", "stlrh w0")),
    (11, 2, 0x9200004F, "mov x20, x19; mov x21, x20; stlr x0, [x20]"),
    *((7, 1, 0x92000021, f"add x20, sp, #1; mov x21, x20; {load}, [x20]")
      for load in ("ldapur x0", "ldapur w0", "ldapurh w0", "ldapursh x0", "ldapursh w0", "ldapursw x0")),
    *((7, 1, 0x92000061, f"add x20, sp, #19; mov x21, x20; add x5, sp, #9; {store}, [x5, #10]")
      for store in ("stlur x0", "stlur wzr", "stlurh w0")),
    (11, 2, 0x9200004F, "mov x20, x19; mov x21, x20; add x5, x19, #8; stlur w0, [x5, #-8]"),
    (11, 1, 0x92000006, "mov x20, #8; mov x21, x20; ldapur x0, [x20]"),
    (11, 1, 0x92000006, "mov x20, #8; mov x21, x20; ldar x0, [x20]"),
    *((11, 1, 0x92000146, f"mov x20, #8; mov x21, x20; {maintenance}, x20")
      for maintenance in ("dc cvau", "dc cvac", "dc civac", "ic ivau"))]
HANDLER = """
        sub sp, sp, #64
        adr x1, handler
        mov x2, #4
        stp x1, x2, [sp]
        stp xzr, xzr, [sp, #16]
        mov x24, #11
    each:
        mov x0, x24
        mov x1, sp
        mov x2, #0
        mov x3, #8
        mov x8, #134
        svc #0
        subs x24, x24, #1
        b.ne each
        str xzr, [sp]
"""
CHECK = """
        mov x0, #99
        mov x8, #93
        svc #0
handler:
        ldp x10, x11, [x2, #264]
        ldr x12, [x2, #280]
        ldp x20, x21, [x2, #344]
        ldp x22, x23, [x2, #360]
        cmp x0, x10
        b.ne bad
        ldr w3, [x1, #8]
        cmp x3, x11
        b.ne bad
        ldr x3, [x1, #16]
        cmp x3, x20
        b.ne bad
        ldr x3, [x2, #176]
        cmp x3, x21
        b.ne bad
        ldr w3, [x2, #992]
        cbz w3, compare
        ldr x3, [x2, #1000]
    compare:
        cmp x3, x12
        b.ne bad
        str x22, [x2, #440]
        ret
    bad:
        mov x0, x23
        mov x8, #93
        svc #0
"""


def test_what_a_handler_is_told_of_a_fault(run: Run) -> None:
    """Signal, code, addresses and ESR are as Linux has them (arch/arm64/mm/fault.c, kernel/traps.c).

    The handler ends the program with the number of a row that has another outcome.
    """
    rows = "".join(f"""
        mov x10, #{signal}; mov x11, #{code}
        movz x12, #{syndrome & 0xFFFF}; movk x12, #{syndrome >> 16}, lsl #16
        mov x23, #{number}; adr x22, next{number}; adr x19, here{number}; adr x20, last{number}; mov x21, #0
    here{number}:
        {setting}
    last{number}:
        {last}
        mov x0, x23; mov x8, #93; svc #0
    next{number}:""" for number, (signal, code, syndrome, text) in enumerate(FAULTS)
        for setting, _, last in [text.rpartition("; ")])
    assert run(HANDLER + rows + CHECK) == (99 << 8, "")


def atomics() -> list[str]:
    """Atomic instructions of LSE with operands, each with a check of what they leave: a label or `bad`."""
    chance, rows = random.Random(1), []
    kinds: dict[str, Callable[[int, int, int], int]] = {
        "ldadd": lambda old, new, size: old + new, "ldclr": lambda old, new, size: old & ~new,
        "ldeor": lambda old, new, size: old ^ new, "ldset": lambda old, new, size: old | new,
        "ldsmin": lambda old, new, size: min(old, new, key=lambda value: signed(value, size)),
        "ldsmax": lambda old, new, size: max(old, new, key=lambda value: signed(value, size)),
        "ldumin": lambda old, new, size: min(old, new), "ldumax": lambda old, new, size: max(old, new),
        "swp": lambda old, new, size: new}
    for name, kind in kinds.items():
        for suffix, size in (("b", 8), ("h", 16), ("", 32), ("", 64)):
            mask, register = (1 << size) - 1, "x" if size == 64 else "w"
            for order in ("", "a", "l", "al"):
                around, other = chance.getrandbits(64), chance.getrandbits(64)
                old, new = around & mask, other & mask
                left = around & ~mask | kind(old, new, size) & mask
                values = {1: around, 2: other, 4: left, 5: old}
                rows.append(f"""{"; ".join(constant(*each) for each in values.items())}
                    str x1, [sp]; {name}{order}{suffix} {register}2, {register}3, [sp]; ldr x1, [sp]
                    cmp x1, x4; b.ne bad; cmp x3, x5; b.ne bad""")
    return rows


def constant(register: int, value: int) -> str:
    """Instructions that load a constant of 64 bits."""
    return "; ".join(f"mov{'k' if at else 'z'} x{register}, #{value >> at & 0xFFFF}, lsl #{at}"
                     for at in (0, 16, 32, 48))


EXIT = "mov x0, #6; mov x8, #93; svc #0; bad: adr x0, .; mov x0, #7; mov x8, #93; svc #0"


def test_atomic_instructions(run: Run) -> None:
    """Each of LSE, of each width and order: the sum, minimum, ... in memory, and the old value."""
    rows = "; ".join(["sub sp, sp, #16", *atomics(), """mov x0, #5; str x0, [sp]; mov x1, #5; mov x2, #9
        cas x1, x2, [sp]; ldr x3, [sp]; cmp x1, #5; b.ne bad; cmp x3, #9; b.ne bad
        mov x4, #9; mov x5, xzr; mov x6, #1; mov x7, #2; str xzr, [sp, #8]; casp x4, x5, x6, x7, [sp]
        ldp x1, x2, [sp]; cmp x1, #1; b.ne bad; cmp x2, #2; b.ne bad; cmp x4, #9; b.ne bad"""])
    assert run(f"{rows}; {EXIT}") == (6 << 8, "")


def test_minima_in_code_that_a_program_writes(run: Run) -> None:
    """A page that may be written and executed: its code is another one when it is called again."""
    assert run(f"""
        mov x0, #0; mov x1, #4096; mov x2, #7; mov x3, #0x22; mov x4, #-1; mov x5, #0; mov x8, #222; svc #0
        mov x20, x0; ldr w21, code; ldr w22, code + 4; ldr w23, code + 8; sub sp, sp, #16
        stp w21, w23, [x20]; bl call; cmp w3, #1; b.ne bad; ldr w4, [sp]; cmn w4, #3; b.ne bad
        stp w22, w23, [x20]; bl call; cmp w3, #1; b.ne bad; ldr w4, [sp]; cmp w4, #1; b.ne bad
        stp w21, w23, [x20]; bl call; ldr w4, [sp]; cmn w4, #3; b.ne bad; {EXIT}
    call: dc cvau, x20; dsb ish; ic ivau, x20; dsb ish; isb
        mov w1, #1; str w1, [sp]; mov w2, #-3; br x20
    code: ldsmin w2, w3, [sp]; ldsmax w2, w3, [sp]; ret""") == (6 << 8, "")


def test_handler_sees_registers_and_may_change_them(run: Run) -> None:
    """A handler gets the interrupted program counter, and goes on behind the instruction."""
    assert run("""
        sub sp, sp, #64
        adr x1, handler
        stp x1, xzr, [sp]
        mov x2, #4
        str x2, [sp, #8]
        stp xzr, xzr, [sp, #16]
        mov x0, #11
        mov x1, sp
        mov x2, #0
        mov x3, #8
        mov x8, #134
        svc #0
        mov x9, #5
        scvtf d8, x9
        mov x20, #9
        mov x1, #16
        ldr x19, [x1]
        mov x9, #5
        scvtf d9, x9
        fcmp d8, d9
        cset x0, eq
        add x0, x0, x20
        mov x8, #93
        svc #0
handler:
        mov x9, #3
        scvtf d8, x9
        ldr x3, [x1, #16]
        ldr x4, [x2, #176]
        ldr x5, [x2, #440]
        add x5, x5, #4
        str x5, [x2, #440]
        sub x4, x4, x3
        add x4, x4, #21
        str x4, [x2, #344]
        ret
    """) == (22 << 8, "")


@pytest.mark.parametrize(("size", "error"), [(5119, 12), (5120, 0)])
def test_how_small_a_stack_of_handlers_may_be(size: int, error: int, run: Run) -> None:
    assert run(f"mov x1, #{size}; stp x1, xzr, [sp, #-16]!; stp xzr, xzr, [sp, #-16]!; mov x0, sp;"
               "mov x1, #0; mov x8, #132; svc #0; neg x0, x0; mov x8, #93; svc #0") == (error << 8, "")


def test_a_handlers_change_of_the_stack_for_handlers_does_not_last(run: Run) -> None:
    assert run("""
        adr x0, handler
        stp x0, xzr, [sp, #-80]!
        stp xzr, xzr, [sp, #16]
        mov x0, #10
        mov x1, sp
        mov x2, #0
        mov x3, #8
        mov x8, #134                    // rt_sigaction(SIGUSR1, ...)
        svc #0
        mov x0, sp
        mov x1, #8192
        stp x0, xzr, [sp, #32]
        str x1, [sp, #48]
        add x0, sp, #32
        mov x1, #0
        mov x8, #132                    // sigaltstack
        svc #0
        mov x8, #172
        svc #0
        mov x1, #10
        mov x8, #129                    // kill(getpid(), SIGUSR1)
        svc #0
        mov x0, #0
        add x1, sp, #32
        str xzr, [x1]
        mov x8, #132
        svc #0
        ldp x0, x1, [sp, #32]
        mov x2, sp
        cmp x0, x2
        cinc x0, x1, ne
        mov x8, #93
        svc #0
    handler:
        mov x0, #2                      // SS_DISABLE
        stp x0, x0, [sp, #-32]!
        mov x0, sp
        mov x1, #0
        mov x8, #132
        svc #0
        add sp, sp, #32
        ret""") == (0, "")


def test_counter_and_identification(run: Run) -> None:
    """The counter is the machine's time, and what identifies the processor can be read."""
    assert run("""
        mrs x0, cntfrq_el0
        movz x1, #0xca00
        movk x1, #0x3b9a, lsl #16
        cmp x0, x1
        b.ne bad
        mrs x2, cntvct_el0
        mrs x4, cntvct_el0
        cmp x4, x2
        b.ls bad
        mrs x5, id_aa64isar0_el1
        ubfx x0, x5, #4, #4
        mov x8, #93
        svc #0
    bad:
        mov x0, #99
        mov x8, #93
        svc #0
    """) == (2 << 8, "")


def test_code_that_a_program_writes(run: Run) -> None:
    assert run("""
        mov x0, #0
        mov x1, #4096
        mov x2, #7
        mov x3, #0x22
        mov x4, #-1
        mov x5, #0
        mov x8, #222
        svc #0
        mov x9, x0
        adr x1, first
        ldp w2, w3, [x1]
        stp w2, w3, [x9]
        dc cvau, x9
        ic ivau, x9
        isb
        blr x9
        mov x10, x0
        ldr w2, [x1, #8]
        str w2, [x9]
        dc cvau, x9
        ic ivau, x9
        isb
        blr x9
        add x0, x0, x10
        mov x8, #93
        svc #0
    first:
        mov x0, #3
        ret
        mov x0, #40
    """) == (43 << 8, "")


WAIT = """
        sub sp, sp, #16
        mov x1, sp
        mov x2, #0
        mov x3, #0
        mov x8, #260
        svc #0
"""  # wait4() for the child whose number is in x0: its status is at sp


def test_fork_and_execution_of_another_architecture(run: Run) -> None:
    """A child becomes an x86-64 program; the parent gets its status."""
    assert run("""
        mov x0, #17
        mov x1, #0
        mov x8, #220
        svc #0
        cbnz x0, parent
        adr x0, path
        sub sp, sp, #32
        adr x2, option
        adr x3, command
        stp x0, x2, [sp]
        stp x3, xzr, [sp, #16]
        mov x1, sp
        mov x2, #0
        mov x8, #221
        svc #0
    parent:
""" + WAIT + """
        ldr w0, [sp]
        lsr w0, w0, #8
        mov x8, #93
        svc #0
    path: .asciz "/bin/sh"
    option: .asciz "-c"
    command: .asciz "echo other; exit 12"
    """) == (12 << 8, "other\n")


EXECUTING = {  # each executes its first argument with those that follow, or exits with 7 without one
    "arm64": """ldr x0, [sp]; cmp x0, #1; b.eq last; ldr x0, [sp, #16]; add x1, sp, #16; mov x2, #0
        mov x8, #221; svc #0; last: mov x0, #7; mov x8, #93; svc #0""",
    "amd64": """cmp qword ptr [rsp], 1; je last; mov rdi, [rsp + 16]; lea rsi, [rsp + 16]; xor edx, edx
        mov eax, 59; syscall; last: mov edi, 7; mov eax, 60; syscall""",
    "i386": """cmp dword ptr [esp], 1; je last; mov ebx, [esp + 8]; lea ecx, [esp + 8]; xor edx, edx
        mov eax, 11; int 0x80; last: mov ebx, 7; mov eax, 1; int 0x80""",
    "sparc": """ld [%sp + 64], %o0; cmp %o0, 1; be 1f; nop; ld [%sp + 72], %o0; add %sp, 72, %o1; clr %o2
        mov 59, %g1; ta 0x10; 1: mov 7, %o0; mov 1, %g1; ta 0x10""",
    "sparcv9": """add %sp, 2175, %l0; ldx [%l0], %o0; cmp %o0, 1; be 1f; nop; ldx [%l0 + 16], %o0
        add %l0, 16, %o1; clr %o2; mov 59, %g1; ta 0x6d; 1: mov 7, %o0; mov 1, %g1; ta 0x6d"""}


def test_programs_of_all_architectures_execute_each_other(tmp_path: Path) -> None:
    for name, text in EXECUTING.items():
        assembler.write_program(tmp_path / name, name, text)
    chain = ["arm64", "sparc", "i386", "arm64", "sparcv9", "amd64", "arm64", "i386", "sparcv9", "arm64"]
    kernel, seen = Kernel(), []
    kernel.hooks.exec_success = lambda thread: seen.append(thread.process.processor.name)
    process = kernel.spawn([str(tmp_path / name) for name in chain], stopped=False)
    kernel.run()
    names = {"arm64": b"aarch64", "amd64": b"x86_64", "i386": b"i686", "sparc": b"sparc",
             "sparcv9": b"sparc64"}
    assert process.status == 7 << 8 and seen == [names[each] for each in chain[1:]]


def test_the_first_program_of_another_architecture_has_its_own_memory(tmp_path: Path) -> None:
    """It is where another program's page lies, which the engine knows."""
    for name, number in (("waiting", 34), ("ending", 60)):
        assembler.write_program(tmp_path / name, "amd64", f"mov edi, 7; mov eax, {number}; syscall")
    assembler.write_program(tmp_path / "arm64", "arm64", EXECUTING["arm64"])
    kernel = Kernel()
    kernel.spawn([str(tmp_path / "waiting")], stopped=False)
    kernel.run()
    process = kernel.spawn([str(tmp_path / "arm64"), str(tmp_path / "ending")], stopped=False)
    kernel.run()
    assert process.status == 7 << 8


def test_exclusive_access_does_not_outlive_a_system_call(run: Run) -> None:
    assert run("""
        sub sp, sp, #16
        ldxr x1, [sp]
        mov x8, #172
        svc #0
        stxr w0, x1, [sp]
        mov x8, #93
        svc #0
    """) == (1 << 8, "")


@pytest.mark.parametrize("name", ["cputimers", "files", "frames", "inotify", "sysvipc", "terminals",
                                  "threads", "tracing"])
def test_program_equals_native_run_of_x86(name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str],
                                          monkeypatch: pytest.MonkeyPatch) -> None:
    """What these programs print does not depend on the processor."""
    here, other = compilers.building(["-O1"]), compilers.compiler("aarch64")
    if here is None or other is None or not other.own:  # another C library has other messages
        pytest.skip("no compiler of the system's for AArch64: system calls of its programs")
    source = str(HERE / "programs" / f"{name}.c")
    for target, command in (("native", here), ("arm64", [*other.command, "-O1", "-static"])):
        subprocess.run([*command, "-w", "-pthread", "-o", str(tmp_path / target), source, "-ldl", "-lm"],
                       check=True, capture_output=True)
    monkeypatch.chdir(tmp_path)
    status, output = execute(tmp_path / "arm64", capfd)
    native = subprocess.run([tmp_path / "native"], stdin=subprocess.DEVNULL, capture_output=True, check=False)
    assert (status >> 8, output) == (native.returncode, native.stdout.decode())


@pytest.mark.parametrize(("word", "found"), [
    (0x2518E3E0, ("ptrue", "SVE")), (0x9ADF1020, ("irg", "MTE")), (0xD503477F, ("smstart", "SME")),
    (0xD53B2405, ("mrs", "RNG")), (0x2E40FC00, ("bfdot", "BF16")), (0x4E80A400, ("smmla", "I8MM")),
    (0xF83FD000, ("ld64b", "LS64")), (0x19000440, ("0x19000440", "MOPS")), (0xD5031000, ("wfet", "WFxT")),
    (0xDAC02000, ("0xdac02000", "CSSC")), (0xD50B7460, ("dc", "MTE")),
    (0x8B020020, None), (0, None)])
def test_what_is_not_offered_is_named(word: int, found: tuple[str, str] | None) -> None:
    assert needed(word.to_bytes(4, "little"), b"aarch64") == found


@pytest.mark.parametrize(("at", "value", "reason"), [
    (5, b"\2", "there is none of"), (18, b"\x28\0", "AArch32"), (4, b"\1", "another byte order or width")])
def test_programs_that_the_machine_does_not_run(at: int, value: bytes, reason: str, tmp_path: Path) -> None:
    assembler.write_program(tmp_path / "program", "arm64", "nop")
    data = bytearray((tmp_path / "program").read_bytes())
    data[at:at + len(value)] = value
    (tmp_path / "program").write_bytes(data)
    with pytest.raises(OSError, match=f"Exec format error .*{reason}"):
        Kernel().spawn([str(tmp_path / "program")])


def test_core_file_has_the_registers(tmp_path: Path) -> None:
    """The sets and sizes of Linux's: general registers in struct elf_prstatus, vectors, thread pointer ..."""
    from elftools.elf.elffile import ELFFile

    assembler.write_program(tmp_path / "program", "arm64", """
        mov x19, #1234
        fmov d8, #2.0
        msr tpidr_el0, x19
        mov x1, #16
        str x0, [x1]
    """)
    entry = ElfFile((tmp_path / "program").read_bytes()).entry
    kernel = Kernel()
    process = kernel.spawn([str(tmp_path / "program")], cwd=str(tmp_path))
    process.limits[RLIMIT_CORE] = (1 << 30, 1 << 30)
    process.resume()
    kernel.run()
    assert process.status == 11 | 0x80
    elf = ELFFile(io.BytesIO(kernel.vfs.contents(os.fsencode(tmp_path / "core"))))
    assert elf["e_machine"] == "EM_AARCH64"
    notes = next(each for each in elf.iter_segments() if each["p_type"] == "PT_NOTE").data()
    found, at = {}, 0
    while at < len(notes):
        name, size, kind = struct.unpack_from("<3I", notes, at)
        at += 12 + (name + 3 & -4)
        found[kind] = notes[at:at + size]
        at += size + 3 & -4
    general = struct.unpack_from("<34Q", found[1], 112)
    assert len(found[1]) == 392 and general[19] == 1234 and general[32] == entry + 16
    assert struct.unpack_from("<d", found[2], 16 * 8) == (2.0,) and len(found[2]) == 528
    assert found[0x401] == (1234).to_bytes(8, "little") and found[0x404] == struct.pack("<i", -1)


def test_keys_that_sign_addresses(run: Run) -> None:
    """A child has its parent's keys; prctl(PR_PAC_RESET_KEYS) gives new ones, of the kinds that it names."""
    assert run("""
        mov x19, #0x1000
        mov x20, x19
        paciza x19
        pacizb x20
        cmp x19, #0x1000
        b.eq bad
        mov x0, #17
        mov x8, #220
        svc #0
        cbnz x0, parent
        mov x21, #0x1000
        paciza x21
        cmp x21, x19
        b.ne bad
        mov x0, #54
        mov x1, #1
        mov x2, #0
        mov x3, #0
        mov x4, #0
        mov x8, #167
        svc #0
        cbnz x0, bad
        mov x21, #0x1000
        mov x22, x21
        paciza x21
        pacizb x22
        cmp x21, x19
        b.eq bad
        cmp x22, x20
        b.ne bad
        mov x0, #54
        mov x1, #32
        mov x8, #167
        svc #0
        cmn x0, #22
        b.ne bad
        mov x0, #5
        mov x8, #93
        svc #0
    parent:
""" + WAIT + """
        mov x21, #0x1000
        paciza x21
        cmp x21, x19
        b.ne bad
        ldr w0, [sp]
        lsr w0, w0, #8
        mov x8, #93
        svc #0
    bad:
        mov x0, #99
        mov x8, #93
        svc #0
    """) == (5 << 8, "")


def test_what_proc_says_of_the_processor(run: Run) -> None:
    status, output = run("""
        mov x0, #-100
        adr x1, path
        mov x2, #0
        mov x8, #56
        svc #0
        sub sp, sp, #4096
        mov x1, sp
        mov x2, #4096
        mov x8, #63
        svc #0
        mov x2, x0
        mov x1, sp
        mov x0, #1
        mov x8, #64
        svc #0
        mov x0, #0
        mov x8, #93
        svc #0
    path: .asciz "/proc/cpuinfo"
    """)
    said = dict(line.split(":", 1) for line in output.splitlines() if ":" in line)
    names = set(said["Features\t"].split())
    assert status == 0 and said["CPU part\t"] == " 0xd0f" and said["CPU architecture"] == " 8"
    assert {"fp", "asimd", "aes", "crc32", "paca", "atomics"} < names and not {"sve", "fcma"} & names
