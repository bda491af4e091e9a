"""AArch64: pid probes on every instruction, arguments, results, stacks, and what cannot be traced."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import arm64
import arm64_code
import assembler
import compilers
import pytest
from harness import Machine, Outcome

from dc.names.catalog import UNREACHABLE
from dc.types.types import Model
from dof.elf import ElfFile
from runtime.kernel.cpu.arm64.registers import PC, SP, X0, Registers
from runtime.programs.abi import VECTOR_HALVES, places
from runtime.programs.dwarf import DwarfTypes
from runtime.programs.objectfile import ObjectFile
from runtime.providers.fasttrap.instructions.arm64 import Arm64, is_exclusive
from runtime.providers.fasttrap.instructions.treatment import Treatment

HERE = Path(__file__).parent
Make = Callable[..., Machine]
# Each condition, both ways; every emulated form; what is executed in a slot; signed addresses; a monitor.
FORMS = """
        sub sp, sp, #64
        mov x19, #0
        mov x20, #16
    again:
        subs x21, x20, #8
        b.eq e; add x19, x19, #1
    e:  b.ne f; add x19, x19, #2
    f:  b.hs g; add x19, x19, #4
    g:  b.lo h; add x19, x19, #8
    h:  b.mi i; add x19, x19, #16
    i:  b.pl j; add x19, x19, #32
    j:  b.vs k; add x19, x19, #64
    k:  b.vc l; add x19, x19, #128
    l:  b.hi m; add x19, x19, #256
    m:  b.ls n; add x19, x19, #512
    n:  b.ge o; add x19, x19, #1024
    o:  b.lt p; add x19, x19, #2048
    p:  b.gt q; add x19, x19, #1, lsl #12
    q:  b.le r; add x19, x19, #2, lsl #12
    r:  cbz w21, s; eor x19, x19, #1
    s:  cbnz x21, t; eor x19, x19, #2
    t:  tbz x20, #0, u; eor x19, x19, #4
    u:  tbnz w20, #3, v; eor x19, x19, #8
    v:  ror x19, x19, #3
        subs x20, x20, #1
        b.ne again
        bl sums
        adr x9, sums
        blr x9
        .word 0xdac123e9
        .word 0xd63f093f
        adr x10, over
        br x10
        mov x19, #0
    over:
        adrp x11, over
        add x19, x19, x11
        ldr x12, number
        ldr w13, number
        ldrsw x14, number
        add x19, x19, x12
        add x19, x19, x13
        add x19, x19, x14
        ldr q1, number
        ldr d2, number
        fmov x15, d2
        add x19, x19, x15
        prfm pldl1keep, number
        .word 0xd503233f
        stp x29, x30, [sp, #-16]!
        ldp x29, x30, [sp], #16
        .word 0xd50323bf
        bl signs
        mov x1, sp
        sub sp, sp, #24
        bl signs
        add x4, sp, #1
        add x19, x19, x4
        mov sp, x1
        str x19, [x1]
    retry:
        ldaxr x2, [x1]
        add x2, x2, #1
        stlxr w3, x2, [x1]
        cbnz w3, retry
        ldr x19, [x1]
        mrs x4, nzcv
        mov x8, #178
        svc #0
        and x0, x19, #127
        mov x8, #93
        svc #0
sums:   hint #34
        add x19, x19, #5
        ret
signs:  .word 0xd503233f
        add x19, x19, #7
        .word 0xd65f0bff
        .balign 16
number: .quad 0xfedcba9876543210
        .quad 0x0123456789abcdef
"""
SOURCE = """
typedef struct { float x, y, z; } Hfa; typedef struct { long a, b, c; } Big;
typedef struct { long a; int b; } Two; typedef struct { float a; int b; } Mixed;
__attribute__((noinline)) long many(int a, double d, Hfa h, long b, Big g, Two t, Mixed m, short c,
                                    unsigned char e, long last, int over)
{ return a + b + c + e + last + over + (long)d + (long)h.x + g.a + t.a + m.b; }
__attribute__((noinline)) int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
int main(void)
{
    Hfa h = { 1, 2, 3 }; Big g = { 1, 2, 3 }; Two t = { 4, 5 }; Mixed m = { 6, 7 };
    return (int)many(-1, 2.0, h, -2, g, t, m, -3, 200, -4, -5) + fibonacci(12) & 127;
}
"""


@pytest.fixture
def forms(tmp_path: Path) -> str:
    assembler.write_program(tmp_path / "forms", "arm64", FORMS)
    return str(tmp_path / "forms")


def build(source: Path, target: Path, glibc: bool = False) -> str:
    """A C program, statically linked, whose functions sign their return addresses and keep no frame pointers.

    `glibc`: musl does not do for it.
    """
    found = compilers.compiler("aarch64")
    if found is None or (glibc and not found.own):
        pytest.skip("no compiler of the system's for AArch64: signals of its programs" if glibc else
                    "no compiler for AArch64: its C programs, traced")
    subprocess.run([*found.command, "-O1", "-g", "-static", "-pthread", "-mbranch-protection=standard",
                    "-fomit-frame-pointer", "-o", str(target), str(source)],
                   check=True, capture_output=True)
    return str(target)


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("arm64")
    (folder / "calls.c").write_text(SOURCE)
    return build(folder / "calls.c", folder / "calls")


def run(machine: Machine, program: str, *descriptions: str) -> Outcome:
    process = machine.start(program)
    for desc in descriptions:
        machine.enable([probe for probe in machine.probes(f"pid{process.pid}:{desc}") if not probe.enabled])
    return machine.run(process)


def test_every_instruction(forms: str, machine: Make) -> None:
    """Status and registers are as without probes; only the loop with a monitor has no probe."""
    untraced = run(machine(), forms)
    made = machine()
    traced = run(made, forms, "a.out::")
    assert traced.status == untraced.status
    assert traced.registers == untraced.registers
    assert made.treatments["emulated"] > 35 and made.treatments["displaced"] > 40
    assert sum(made.hits.values()) > 500
    whys = [why for why in made.refusals.values() if "monitor" in why]
    assert len(whys) == 2


def test_every_instruction_with_slots_out_of_reach(forms: str, machine: Make,
                                                   monkeypatch: pytest.MonkeyPatch) -> None:
    """No branch leads back then: a second trap does."""
    monkeypatch.setattr(Arm64, "reach", 0)
    untraced = run(machine(), forms)
    assert run(machine(), forms, "a.out::").registers == untraced.registers


@pytest.mark.parametrize(("code", "signal"), [
    ("ldr x12, . + 0xffffc", 11), ("ldr q1, . + 0xffffc", 11), ("mov x1, #1; br x1", 7),
    ("mov x1, #64; blr x1", 11), ("sub sp, sp, #8; ldr x1, [sp]", 7),
    ("sub sp, sp, #8; str x1, [sp, #-8]!", 7)])
def test_faults_of_probed_instructions(code: str, signal: int, machine: Make, tmp_path: Path) -> None:
    """A fault of an emulated instruction ends the program as it does without a probe."""
    program = str(tmp_path / "fault")
    assembler.write_program(tmp_path / "fault", "arm64", code)
    untraced, traced = run(machine(), program), run(machine(), program, "a.out::")
    assert untraced.status == traced.status == 128 + signal
    assert untraced.registers == traced.registers


def test_random_instructions(machine: Make, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """All that a program computes is the same with every instruction a probe, and as under qemu-aarch64."""
    program = tmp_path / "code"
    count = arm64_code.write(program, 5, *((4000, 16) if os.environ.get("FULL_PROOF") else (60, 4)))
    run(machine(), str(program))
    untraced = capfd.readouterr().out
    made = machine()
    run(made, str(program), "a.out:block*:")
    assert capfd.readouterr().out == untraced != ""
    assert sum(made.treatments.values()) == count and not made.refusals
    print(f"{count} instructions, {sum(made.hits.values())} hits")
    if arm64.QEMU is not None:
        truth = subprocess.run([arm64.QEMU, str(program)], capture_output=True, check=True).stdout
        assert truth.decode(errors="replace") == untraced


def test_compiled_program(compiled: str, machine: Make) -> None:
    untraced = run(machine(), compiled)
    made = machine()
    traced = run(made, compiled, "a.out:many:", "a.out:fibonacci:", "a.out:main:", "a.out:exit:",
                 "a.out:mem*:")
    assert (traced.status, traced.registers, traced.memory) == (
        untraced.status, untraced.registers, untraced.memory)
    assert made.hits["fibonacci:entry"] == made.hits["fibonacci:return"] > 200  # a compiler may make loops


def test_returns_of_branches(machine: Make, tmp_path: Path) -> None:
    """A branch is a return where it leaves its function; a probe that nobody listens to does no harm."""
    assembler.write_program(tmp_path / "leaving", "arm64", """
            mov w0, #0; bl first; mov w0, #1; bl first; mov w0, #7; bl signed; mov x8, #93; mov x0, #0; svc #0
        first: cbnz w0, other; add w0, w0, #5; cbnz w0, 1f; nop; 1: b 2f; 2: ret
        other: mov w0, #9; ret
        signed: .word 0xd503233f; add w0, w0, #1; .word 0xd65f0bff""")
    made = machine()
    process = made.start(str(tmp_path / "leaving"))
    seen: list[tuple[str, int, int]] = []
    for name in ("first", "other", "signed"):
        for probe in made.probes(f"pid{process.pid}:a.out:{name}:return"):
            made.enable([probe], lambda offset, value, *_, name=name: seen.append((name, offset, value)))
    deaf = made.probes(f"pid{process.pid}:a.out:first:")
    made.enable([probe for probe in deaf if not probe.enabled])
    for probe in deaf:
        if probe.name != "return":
            probe.fire = None
    assert made.run(process).status == 0
    assert seen == [("first", 20, 5), ("first", 0, 1), ("other", 4, 9), ("signed", 8, 8)]


def test_signals(machine: Make, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Signals that come while instructions are executed in slots: none is lost, none sees a slot."""
    made = machine(ncpus=2)
    process = made.start(build(HERE / "signals.c", tmp_path / "signals", glibc=True), "300")
    made.enable(made.probes(f"pid{process.pid}:a.out:work:"))
    made.enable(made.probes(f"pid{process.pid}:a.out:handler:entry"))
    assert made.run(process).status == 0
    assert capfd.readouterr().out == "300 came, 0 strange\n"
    assert made.hits["handler:entry"] == 300


def test_storm(machine: Make, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Signals from threads, a process and a timer, and jumps out of handlers."""
    made = machine(ncpus=8)
    process = made.start(build(HERE / "storm.c", tmp_path / "storm", glibc=True), "100", "3")
    made.enable(made.probes(f"pid{process.pid}:a.out:work:"))
    assert made.run(process).status == 0
    assert capfd.readouterr().out == (
        "100 sent by each of 3, 0 lost, 0 doubled; 1 ticks; 3 jumps; 0 strange; 0 wrong\n")


def test_arguments_results_and_callers(compiled: str, machine: Make) -> None:
    made = machine()
    process = made.start(compiled)
    told, results, stacks = list[int](), list[tuple[int, ...]](), list[list[str]]()
    elf = ElfFile(Path(compiled).read_bytes())
    file = ObjectFile("calls", Path(compiled).read_bytes(), None)
    function = file.by_name["many"][0]
    signature = DwarfTypes(elf.data, "calls", Model.LP64).signature(function.start)
    assert signature is not None
    where = places(signature, 64, elf.machine)
    assert [each.number for each in where if each.number < VECTOR_HALVES and not each.pointed] == \
        [0, UNREACHABLE, 1, UNREACHABLE, UNREACHABLE, 6, 7, 8, 9]
    assert [[part.number for part in each.parts] for each in where if each.parts] == \
        [[VECTOR_HALVES + 2, VECTOR_HALVES + 4, VECTOR_HALVES + 6], [3, 4], [5]]
    entry, = made.probes(f"pid{process.pid}:a.out:many:entry")
    back, = made.probes(f"pid{process.pid}:a.out:many:return")

    def entered(*_arguments: int) -> None:
        operations = entry.provider.operations
        told.extend(operations.getarg(entry, each.number) for each in where
                    if 0 <= each.number < VECTOR_HALVES and not each.pointed)
        names = [file.function_at(pc) for pc in process.leader.user_stack(3)]
        stacks.append([each.name for each in names if each is not None])
    made.enable([entry], entered)
    made.enable([back], lambda *arguments: results.append(arguments))
    outcome = made.run(process)
    assert [value & 0xFF for value in told] == [0xFF, 0xFE, 0xFD, 200, 0xFC, 0xFB]
    assert stacks[0][:2] == ["many", "main"]
    assert stacks[0][2] in ("__libc_start_call_main", "libc_start_main_stage2")  # of glibc, of musl
    assert results[0][1] == 200 - 1 - 2 - 3 - 4 - 5 + 2 + 1 + 1 + 4 + 7
    assert outcome.status == (results[0][1] + 144) & 127


@pytest.mark.parametrize(("target", "pointer", "others"), [
    ("illumos", {39: SP}, (31, 32)), ("linux", {39: SP, 32: SP, 33: PC}, (31,)),
    ("freebsd", {39: SP, 31: SP, 32: PC, 33: X0}, (34,))])
def test_registers_by_number(target: str, pointer: dict[int, int], others: tuple[int, ...], forms: str,
                             machine: Make) -> None:
    """Another system's numbers are taken beside our own where the target is that system."""
    made = machine()
    made.kernel.target = target
    process = made.start(forms)
    seen: list[bool] = []
    probe, = made.probes(f"pid{process.pid}:a.out:sums:entry")

    def fire(*_arguments: int) -> None:
        thread = process.leader
        regs: Registers = thread.regs
        seen.append([thread.register(number) for number in range(31)] == list(regs[X0:X0 + 31])
                    and all(thread.register(number) == regs[at] for number, at in pointer.items())
                    and thread.register(36) == thread.pc
                    and thread.register(34 if target == "linux" else 38) == regs.flags)
        for number in others:
            with pytest.raises(IndexError):
                thread.register(number)
    made.enable([probe], fire)
    made.run(process)
    assert seen == [True, True, True]


@pytest.mark.parametrize(("text", "treatment"), [
    ("b #16", "emulated"), ("bl #16", "emulated"), ("b.gt #16", "emulated"), ("cbz x1, #16", "emulated"),
    ("tbnz x1, #40, #16", "emulated"), ("br x1", "emulated"), ("blr x1", "emulated"), ("ret", "emulated"),
    ("adr x1, #16", "emulated"), ("ldrsw x1, #16", "emulated"), ("svc #0", "emulated"), ("nop", "emulated"),
    ("hint #34", "emulated"), ("add x1, x2, x3", "displaced"), ("hint #25", "displaced"),
    (".word 0xd65f0bff", "displaced"), (".word 0xd71f0822", "displaced"), (".word 0xd73f0822", "rewritten"),
    (".word 0xd73f083e", "refused"), (".word 0", "refused"), ("mrs x0, ctr_el0", "displaced")])
def test_treatment(text: str, treatment: str) -> None:
    code = assembler.assemble("arm64", text)
    assert Arm64().plan(code, 0x10000).treatment is Treatment(treatment)


@pytest.mark.parametrize(("word", "text"), [(0xD503201F, "nop"), (0xFFFFFFFF, ".word 0xffffffff")])
def test_texts_of_instructions(word: int, text: str) -> None:
    """They are shown with what cannot be traced; some words are no instruction."""
    isa = Arm64()
    assert isa.text(isa.decode(word.to_bytes(4, "little"), 0x10000)) == text


@pytest.mark.parametrize(("text", "load", "store"), [
    ("ldxr x0, [x1]", True, False), ("ldaxp x0, x2, [x1]", True, False), ("stlxrb w0, w2, [x1]", False, True),
    ("stxp w0, x2, x3, [x1]", False, True), ("ldar x0, [x1]", False, False), ("stlr x0, [x1]", False, False),
    (".word 0xc8a07c41", False, False), (".word 0x48207c82", False, False),
    ("ldp x0, x1, [x2]", False, False)])
def test_exclusive_accesses(text: str, load: bool, store: bool) -> None:
    word = int.from_bytes(assembler.assemble("arm64", text), "little")
    assert (is_exclusive(word, True), is_exclusive(word, False)) == (load, store)


@pytest.mark.parametrize(("text", "target"), [
    ("b #16", 0x10010), ("b #-16", 0xFFF0), ("b.gt #64", 0x10040), ("cbz x1, #-8", 0xFFF8),
    ("cbnz w1, #1048572", 0x10FFFC), ("tbz x1, #40, #16", 0x10010), ("tbnz w1, #3, #-32", 0xFFE0),
    ("br x1", None), ("ret", None), ("add x1, x2, x3", None)])
def test_where_a_branch_leads(text: str, target: int | None) -> None:
    isa = Arm64()
    assert isa.direct_target(isa.decode(assembler.assemble("arm64", text), 0x10000)) == target
