"""SPARC: programs run as under another emulator, and with every instruction a probe as without."""

from __future__ import annotations

import itertools
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import assembler
import atonce
import compilers
import pytest
import qemu
from harness import Machine, Outcome

from dc.names.catalog import UNREACHABLE
from dc.types.types import Model
from dof.elf import ElfFile
from runtime.kernel.base.signals import SIGUSR1, SignalInfo
from runtime.kernel.cpu.emulator import Emulator
from runtime.kernel.cpu.sparc.registers import FCC_SHIFTS, ZERO, Registers, State9
from runtime.programs.abi import places
from runtime.programs.dwarf import DwarfTypes
from runtime.programs.objectfile import ObjectFile
from runtime.providers.fasttrap.instructions import sparc
from runtime.providers.fasttrap.instructions.treatment import Treatment

HERE = Path(__file__).parent
V8, V9 = "sparc", "sparcv9"
VERSIONS = pytest.mark.parametrize("version", [V8, V9], ids=["V8", "V9"])
EMULATORS = {V8: qemu.user_mode("sparc32plus"), V9: qemu.user_mode("sparc64")}
TRAPS = {V8: 0x10, V9: 0x6D}  # of system calls
MASK30 = (1 << 30) - 1  # the displacement of a call
SOURCES = "sparc_program.c", "sparc_branches.S", "sparc_version9.S"
Build = Callable[..., str]
Make = Callable[..., Machine]


@pytest.fixture(scope="module")
def sparc_build(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """sparc_build(version, *sources and flags): the path of a freestanding program."""
    folder, known = tmp_path_factory.mktemp("sparc"), dict[tuple[str, ...], str]()

    def build(version: str, *arguments: str) -> str:
        if compilers.compiler(version) is None:
            pytest.skip("no compiler for SPARC: the processor, and pid probes on it")
        key = (version, *arguments)
        if key not in known:
            program = known[key] = str(folder / f"program{len(known)}")
            sources = [str(HERE / each) if (HERE / each).exists() else each for each in arguments]
            compilers.freestanding(version, program, *sources)
        return known[key]
    return build


def run(machine: Machine, program: str, *descriptions: str) -> Outcome:
    process = machine.start(program)
    for desc in descriptions:
        machine.enable([probe for probe in machine.probes(f"pid{process.pid}:{desc}") if not probe.enabled])
    return machine.run(process)


@pytest.mark.parametrize("flags", [
    (V8, "-O0"), (V8, "-O1"), (V8, "-O2"), (V8, "-O2", "-mflat", "-mtune=leon3"),
    (V9, "-O0"), (V9, "-O1"), (V9, "-O2"), (V9, "-O2", "-mflat")], ids="".join)
def test_every_instruction(flags: tuple[str, ...], sparc_build: Build, machine: Make,
                           capfd: pytest.CaptureFixture[str]) -> None:
    """Output, exit status, all registers and memory are the same; the output is QEMU's, too."""
    program = sparc_build(flags[0], *SOURCES, *flags[1:])
    untraced = run(machine(), program)
    output = capfd.readouterr().out
    made = machine()
    traced = run(made, program, "a.out::")
    assert capfd.readouterr().out == output
    assert len(output.split()) == 12
    assert (traced.status, traced.registers) == (untraced.status, untraced.registers)
    assert traced.memory == untraced.memory
    emulator = EMULATORS[flags[0]]
    if emulator is not None:
        truth = subprocess.run([emulator, program], capture_output=True, timeout=10)
        assert (truth.returncode, truth.stdout.decode()) == (untraced.status, output)
    counts, hits = made.treatments, sum(made.hits.values())
    with capfd.disabled():
        print(f"\n{' '.join(flags)}: {sum(counts.values())} instructions: {dict(counts)}, "
              f"{len(made.refusals)} refused; {hits} hits")
    assert sum(counts.values()) > (800 if V8 in flags else 1800)
    assert not made.refusals
    assert hits > 10000
    assert made.hits["fibonacci:entry"] == made.hits["fibonacci:return"] > 0
    assert made.hits["deep:entry"] == made.hits["deep:return"] > 0


@VERSIONS
def test_probes_come_and_go(version: str, sparc_build: Build, machine: Make) -> None:
    """A probe that goes at its third hit takes its trap along, in delay slots too; all text is as before."""
    made = machine()
    process = made.start(sparc_build(version, *SOURCES, "-O2"))
    text = [area for area in process.space.areas if area.prot & 4 and area.path != b"[stack]"]
    before = [process.space.read(area.start, area.end - area.start) for area in text]
    counts: Counter[str] = Counter()
    delayed = []

    def fire_of(probe: object) -> Callable[..., None]:
        def fire(*_arguments: int) -> None:
            regs = process.leader.regs
            delayed.append(regs.npc != regs.pc + 4)
            name = str(probe.description)  # type: ignore[attr-defined]
            counts[name] += 1
            if counts[name] == 3:
                made.disable([probe])  # type: ignore[list-item]
        return fire
    probes = made.probes(f"pid{process.pid}:::")
    for probe in probes:
        made.enable([probe], fire_of(probe))
    traced = made.fasttrap.tracepoints.of(process)
    assert len(traced.points) > 800
    assert made.run(process).status == run(machine(), sparc_build(version, *SOURCES, "-O2")).status
    assert max(counts.values()) == 3
    assert any(delayed)
    again = machine()
    process = again.start(sparc_build(version, *SOURCES, "-O2"))
    probes = again.probes(f"pid{process.pid}:::")
    again.enable(probes)
    again.disable(probes)
    assert [process.space.read(area.start, area.end - area.start) for area in text] == before


@VERSIONS
@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_arguments_results_and_stacks(version: str, level: str, sparc_build: Build,
                                      machine: Make) -> None:
    """A result that is computed in the delay slot of `ret` is told; callers are found from leaves, too."""
    made = machine()
    process = made.start(sparc_build(version, *SOURCES, level))
    calls, results, stacks = list[int](), list[int](), set[tuple[str, ...]]()

    def names() -> tuple[str, ...]:
        found = (made.fasttrap.objects.at(process, pc) for pc in process.leader.user_stack(10))
        functions = (each.file.function_at(pc - each.bias) for each, pc in
                     zip(found, process.leader.user_stack(10), strict=True) if each is not None)
        return tuple(function.name for function in functions if function is not None)

    def enter(*arguments: int) -> None:
        calls.append(arguments[0])

    def leave(_offset: int, value: int, *_more: int) -> None:
        results.append(value)
        stacks.add(names()[:3])
    made.enable(made.probes(f"pid{process.pid}:a.out:fibonacci:entry"), enter)
    made.enable(made.probes(f"pid{process.pid}:a.out:fibonacci:return"), leave)
    made.run(process)
    assert (calls[0], results[-1], len(calls)) == (9, 34, len(results))
    assert sum(results) == sum(fibonacci(argument) for argument in calls)
    assert ("fibonacci", "everything", "begin") in stacks
    assert ("fibonacci", "fibonacci", "fibonacci") in stacks


@VERSIONS
def test_what_lies_before_the_text_is_no_code(version: str, sparc_build: Build, machine: Make,
                                              tmp_path: Path) -> None:
    """The first function is a leaf, and the build ID before it reads `save %sp, -96, %sp`."""
    found = compilers.compiler(version)
    if found is None or not found.own:
        pytest.skip(f"no linker of the system's for {version}: stacks of a program's first function")
    source = tmp_path / "first.S"
    source.write_text(f"""
        .global leaf, _start
        .type leaf, #function
        leaf: retl; nop
        .size leaf, . - leaf
        caller: save %sp, -192, %sp; call leaf; nop; ret; restore
        _start: save %sp, -192, %sp; call caller; nop; mov 0, %o0; mov 1, %g1; ta {TRAPS[version]}
    """)
    made, stacks = machine(), list[list[int]]()
    process = made.start(sparc_build(version, str(source), "-Wl,--build-id=0x" + 5 * "9de3bfa0"))
    probes = made.probes(f"pid{process.pid}:a.out:leaf:entry")
    made.enable(probes, lambda *_arguments: stacks.append([*process.leader.user_stack(3)]))
    assert made.run(process).status == 0
    leaf = stacks[0][0]
    assert stacks == [[leaf, leaf + 20, leaf + 40]]


def fibonacci(number: int) -> int:
    return number if number < 2 else fibonacci(number - 1) + fibonacci(number - 2)


def dtrace(program: str, *arguments: str) -> str:
    """What the command prints on standard output."""
    done = atonce.run(["dtrace", *arguments, "-c", program])
    assert done.returncode == 0, done.stderr
    return done.stdout


@VERSIONS
def test_the_command(version: str, sparc_build: Build) -> None:
    """Strings of the program, registers by name, arguments on the stack, a stack of callers, system calls."""
    program = sparc_build(version, "sparc_types.c", "-O1", "-g")
    name = Path(program).name
    out = dtrace(program, "-q", "-n", """
        pid$target::takes:entry {
            printf("%d %s %d %d\\n", (int)arg0, copyinstr(arg1), (int)arg6, (int)arg7);
            printf("%d %d ", uregs[R_PC] == uregs[R_NPC] - 4, uregs[R_SP] == uregs[R_O6]);
            printf("%d\\n", (int)uregs[R_O0]);
            printf("%d %s %d\\n", args[0], stringof(copyinstr((uintptr_t)args[1])), args[3]);
            ustack();
        }
        pid$target::takes:return { printf("%d\\n", args[1]); }
        pid$target:::entry { @[probefunc] = count(); }
        syscall::exit:entry /execname == "NAME"/ { printf("exit %d\\n", arg0); }""".replace("NAME", name))
    assert [" ".join(line.split()) for line in out.splitlines() if line.strip()] == [
        "-5 hello 3 4", "1 1 -5", "-5 hello -9",
        f"{name}`takes", f"{name}`begin+{call_offset(program) + 8:#x}",
        f"{name}`_start+0x8", "1015", "exit 0",
        "_start 1", "begin 1", "takes 1"], out


def call_offset(program: str) -> int:
    """Where `begin` calls `takes`."""
    elf = ElfFile(Path(program).read_bytes())
    table = elf.symbol_table()
    assert table is not None
    symbols = {symbol.name: symbol for symbol in elf.symbols(table)}
    begin, takes = symbols[b"begin"], symbols[b"takes"]
    section = elf.section_at(begin.section)
    code = elf.contents(section)[begin.value - section.address:][:begin.size]
    for at in range(0, begin.size, 4):
        distance = (takes.value - begin.value - at) // 4
        if int.from_bytes(code[at:at + 4], "big") == 1 << 30 | distance & MASK30:
            return at
    raise AssertionError("begin does not call takes")


@VERSIONS
def test_listing(version: str, sparc_build: Build) -> None:
    program = sparc_build(version, *SOURCES, "-O1")
    out = dtrace(program, "-x", "tracepoints", "-l", "-n", "pid$target::oddities:")
    rows = [line.split() for line in out.splitlines() if "`oddities+" in line]
    assert len(rows) == 48
    first = rows[0]
    assert first[2].endswith("`oddities+0x0")
    assert first[7:10] == ["save", "%sp,", "-0x60," if version is V8 else "-0xb0,"]
    treatments = Counter(word for row in rows for word in row if word in ("displaced", "emulated", "refused"))
    assert treatments["displaced"] > 25 and treatments["emulated"] > 15 and not treatments["refused"]


@pytest.mark.parametrize(("version", "function", "expected"), [
    (V8, "takes", [0, 1, 2, 3, 4, 5, 6, 7]), (V9, "takes", [0, 1, 2, 3, 4, 5, 6, 7]),
    (V8, "mixes", [0, UNREACHABLE, UNREACHABLE, UNREACHABLE, 6]),
    (V9, "mixes", [0, UNREACHABLE, UNREACHABLE, 4, 5]), (V8, "makes", [0]), (V9, "makes", [1])])
def test_places(version: str, function: str, expected: list[int], sparc_build: Build) -> None:
    path = sparc_build(version, "sparc_types.c", "-O1", "-g")
    data = Path(path).read_bytes()
    file = ObjectFile(path, data, None)
    types = DwarfTypes(data, "types", Model.ILP32 if version is V8 else Model.LP64)
    signature = types.signature(file.by_name[function][0].start)
    assert signature is not None
    assert [each.number for each in places(signature, file.bits, file.elf.machine)] == expected


@pytest.mark.parametrize("native", [True, False])
@VERSIONS
def test_short_slices(version: str, native: bool, sparc_build: Build,
                      capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Interrupted after almost every block, in delay slots too, a program goes on as if nothing were."""
    if not native:
        monkeypatch.setattr(Emulator, "_native_counter", lambda _engine: None)
    program = sparc_build(version, *SOURCES, "-O1")
    delayed = Counter[bool]()
    outcomes = []
    for interval in (0, 50):
        made = Machine()
        process = made.spawn(program)

        def tick(leader: Any = process.leader) -> None:
            delayed[leader.regs.npc != leader.regs.pc + 4] += 1
        if interval:
            made.kernel.cyclic(interval, tick)
        process.resume()
        made.kernel.run(lambda ended=process: ended.zombie)  # type: ignore[misc]
        outcomes.append((process.exit_status, capfd.readouterr().out))
        made.close()
    assert outcomes[0] == outcomes[1]
    assert delayed[False] > 300 and delayed[True] > 5


FAULTS = {  # V8 and V9: what the shell says of the signal
    "division by zero": ("wr %g0, %g0, %y; udiv %i0, %g0, %l0", 8),
    "unmapped": ("clr %l0; ld [%l0 + 8], %l1", 11),
    "read-only": ("set _start, %l0; st %l0, [%l0]", 11),
    "misaligned": ("set _start, %l0; ld [%l0 + 2], %l1", 7),
    "in a delay slot": ("clr %l0; ba 1f; ld [%l0 + 8], %l1; 1: nop", 11),
    "jump to an odd address": ("mov 1, %l0; jmpl %l0, %g0; nop", 7),
    "jump to nowhere": ("sethi 0x1000, %l0; jmpl %l0, %g0; nop", 11),
    "no stack to spill to": ("mov 16, %sp" + "; save %sp, -128, %sp" * 9, 11),
    "another trap": ("ta 0x55", 4),
    "privileged": ("rd %psr, %g1", 4),
    "illegal": ("unimp 5", 4)}


@VERSIONS
@pytest.mark.parametrize("name", FAULTS)
def test_faults_of_probed_instructions(name: str, version: str,
                                       machine: Make, tmp_path: Path) -> None:
    """A fault of a displaced or emulated instruction ends the program as it does without a probe."""
    code, signal = FAULTS[name]
    if version is V9 and "%psr" in code:
        code = "wrpr %g0, 0, %tick"
    program = str(tmp_path / "fault")
    assembler.write_program(tmp_path / "fault", version, code)
    untraced, traced = run(machine(), program), run(machine(), program, "a.out::")
    assert untraced.status == traced.status == 128 + signal
    assert untraced.registers == traced.registers


ASSEMBLED = {  # V9: what no compiler but only a C library does, and the status with which the program ends
    "loads that never fault": ("""
        add %sp, 2175, %l0
        mov 33, %l1
        sth %g0, [%l0]
        stb %l1, [%l0]
        clr %l1
        lduba [%l0] 0x82, %l1           ! 33
        lduba [%g0] 0x82, %l2           ! 0 of what is not mapped
        lda [%g0] 0x82, %l3
        ldsba [%g0] 0x83, %l4
        lduha [%l0] 0x8a, %l5           ! little-endian: 33, too
        add %l1, %l2, %o0
        add %l3, %l4, %l3
        add %o0, %l3, %o0
        add %o0, %l5, %o0""", 66),
    "a context that is saved and loaded": ("""
        sub %sp, 1024, %sp
        stx %g0, [%sp + 2223]
        add %sp, 2239, %l3
        mov 5, %g2
        mov %l3, %o0
        ta 0x6e                         ! save it
        ldx [%sp + 2223], %l1
        brnz %l1, second
        nop
        add %l1, 1, %l1
        stx %l1, [%sp + 2223]
        mov 9, %g2
        mov %l3, %o0
        clr %o1
        ta 0x6f                         ! load it: go on behind the save
        unimp 0
        second:
        sll %l1, 4, %l1
        add %g2, %l1, %o0""", 0x15),
    "a handler that finds its callers' windows on the stack": ("""
        sub %sp, 256, %sp
        mov 55, %i7
        here:
        rd %pc, %l0
        add %l0, handler-here, %l0
        stx %l0, [%sp + 2223]
        stx %g0, [%sp + 2231]
        stx %g0, [%sp + 2247]
        mov 30, %o0
        add %sp, 2223, %o1
        clr %o2
        clr %o3
        mov 8, %o4
        mov 102, %g1
        ta 0x6d                         ! sigaction(SIGUSR1, ...)
        save %sp, -192, %sp
        stx %g0, [%fp + 2167]
        mov 20, %g1
        ta 0x6d
        mov 30, %o1
        mov 37, %g1
        ta 0x6d                         ! kill(getpid(), SIGUSR1)
        unimp 0
        handler:
        ldx [%fp + 2167], %o0           ! %i7 of the window before""", 55)}


@pytest.mark.parametrize("name", ASSEMBLED)
def test_what_the_c_library_does(name: str, machine: Make, tmp_path: Path) -> None:
    """With probes and without."""
    code, status = ASSEMBLED[name]
    program = str(tmp_path / "assembled")
    lines = "\n".join(line.partition("!")[0] for line in code.splitlines())
    assembler.write_program(tmp_path / "assembled", V9, lines + "\nmov 1, %g1\nta 0x6d\n")
    assert run(machine(), program).status == run(machine(), program, "a.out::").status == status


@VERSIONS
def test_system_calls_and_signals(version: str, sparc_build: Build, machine: Make,
                                  capfd: pytest.CaptureFixture[str]) -> None:
    """Files, processes, memory, handlers that see the faulting address: as QEMU has them, probed or not."""
    program = sparc_build(version, "sparc_calls.c", "-O1")
    emulator = EMULATORS[version]
    for descriptions in ((), ("a.out::",)):
        outcome = run(machine(), program, *descriptions)
        output = capfd.readouterr().out
        assert (outcome.status, output.splitlines()[-1]) == (0, "done"), output
        if emulator is not None:
            truth = subprocess.run([emulator, program], capture_output=True, timeout=10)
            assert (truth.returncode, truth.stdout.decode()) == (0, output)


@VERSIONS
def test_signals_upon_probed_code(version: str, sparc_build: Build, machine: Make,
                                  capfd: pytest.CaptureFixture[str]) -> None:
    """None is lost or doubled, and no handler sees a place that is not the program's own."""
    made = machine()
    process = made.start(sparc_build(version, "sparc_signals.c", "-O1"))
    made.enable(made.probes(f"pid{process.pid}:::"))
    sent = itertools.count(1)

    def throw() -> None:
        if made.hits["handler:return"] == made.hits["thrown"] < 200:
            made.hits["thrown"] = next(sent)
            process.post(SignalInfo(SIGUSR1))
    made.kernel.cyclic(777, throw)
    process.resume()
    made.kernel.run(lambda: process.zombie)
    assert capfd.readouterr().out.splitlines() == ["caught c8", "strange 0", "sum 460edc87"]
    assert made.hits["handler:entry"] == made.hits["handler:return"] == 200


@VERSIONS
def test_refusals(version: str, machine: Make, tmp_path: Path,
                  capfd: pytest.CaptureFixture[str]) -> None:
    """A transfer of control in the delay slot of a conditional branch is left undefined by the manual."""
    assembler.write_program(tmp_path / "couple", version, "nop; be 1f; ba 1f; nop; 1: unimp 5")
    made = machine()
    process = made.start(str(tmp_path / "couple"))
    made.probes(f"pid{process.pid}:a.out:_start:")
    assert made.module.refusals() == [
        f"pid{process.pid}: {Path(process.executable).name}`_start+0x8: transfer of control in a conditional "
        "branch's delay slot",
        f"pid{process.pid}: {Path(process.executable).name}`_start+0x10: illegal on purpose"]


def test_an_engine_of_another_make(sparc_build: Build, machine: Make,
                                   monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the engine's registers are not where they are looked for, SPARC programs cannot be executed."""
    monkeypatch.setattr("runtime.kernel.cpu.sparc.engine.WINDOWS", 7)
    with pytest.raises(OSError, match="Exec format"):
        machine().spawn(sparc_build(V8, "sparc_types.c"))


@VERSIONS
def test_what_is_no_program(version: str, sparc_build: Build, machine: Make,
                            tmp_path: Path) -> None:
    data = Path(sparc_build(version, *SOURCES, "-O2")).read_bytes()
    for at, byte in ((5, 1), (4, 3 - data[4]), (19, 18), (17, 1)):
        path = tmp_path / f"bad{at}"
        path.write_bytes(data[:at] + bytes((byte,)) + data[at + 1:])
        path.chmod(0o755)
        with pytest.raises(OSError, match="Exec format"):
            machine().spawn(str(path))


WORDS = {  # word: (version 8, version 9)
    0x01000000: ("emulated", "emulated"),  # nop
    0x40000004: ("emulated", "emulated"),  # call
    0x91D02010: ("displaced", "displaced"),  # ta 0x10
    0x9DE3BFA0: ("emulated", "emulated"),  # save
    0x81E80000: ("emulated", "emulated"),  # restore
    0x02480004: ("refused", "emulated"),  # be %icc
    0x02C04004: ("refused", "emulated"),  # brz %g1
    0x83414000: ("emulated", "emulated"),  # rd %pc, %g1
    0x83400000: ("displaced", "displaced"),  # rd %y, %g1
    0x81CFE008: ("refused", "emulated"),  # rett %i7 + 8, return %i7 + 8
    0x81880000: ("refused", "refused"),  # wr %psr
    0xC2880020: ("refused", "displaced"),  # lduba [%g0] 1, %g1
    0xC2580000: ("refused", "displaced"),  # ldx
    0x00000038: ("refused", "refused")}  # unimp


@pytest.mark.parametrize("word", WORDS, ids=hex)
def test_treatments(word: int) -> None:
    assert tuple(str(sparc.plan(word, version).treatment) for version in (8, 9)) == WORDS[word]


def test_every_word_has_a_plan() -> None:
    for word in range(0, 1 << 32, (1 << 19) - 3):
        for version in (8, 9):
            plan = sparc.plan(word, version)
            assert (plan.step is not None) == (plan.treatment is Treatment.EMULATED)
            assert plan.why
    with pytest.raises(ValueError, match="no instruction word"):
        sparc.plan(1 << 32)


def wide(xcc: int = 0, icc: int = 0) -> Registers:
    """Registers of V9; in %fccN is N."""
    regs = Registers(State9())
    regs.pc, regs.npc = 0x100000000, 0x100000004
    regs.set_codes(icc, xcc)
    regs.state.fsr = sum(number << shift for number, shift in enumerate(FCC_SHIFTS))
    return regs


def step(word: int, regs: Registers) -> tuple[int, int]:
    plan = sparc.plan(word, 9)
    assert plan.step is not None
    plan.step(regs)
    return regs.pc - 0x100000000, regs.npc - 0x100000000


def test_branches_of_version_9() -> None:
    be_xcc, be_icc_annulling = 0x02680004, 0x22480004
    assert step(be_xcc, wide(xcc=ZERO)) == (4, 16)
    assert step(be_xcc, wide(icc=ZERO)) == (4, 8)
    assert step(be_icc_annulling, wide(icc=ZERO)) == (4, 16)
    assert step(be_icc_annulling, wide()) == (8, 12)
    for condition, taken in {1: {0}, 2: {0, -5}, 3: {-5}, 5: {7, -5}, 6: {7}, 7: {0, 7}}.items():
        for value in (0, 7, -5):
            regs = wide()
            regs.write(1, value)
            backwards = 0x00C00000 | condition << 25 | 1 << 14 | 3 << 20 | 0x3FFE  # brcond %g1, -8
            assert step(backwards, regs) == ((4, -8) if value in taken else (4, 8))
    for number, taken_here in enumerate((False, True, False, False)):  # fbl %fccN
        assert step(0x09400004 | number << 20, wide()) == ((4, 16) if taken_here else (4, 8))


@pytest.mark.parametrize(("word", "target"), [
    (0x40000004, 0x10010), (0x7FFFFFFC, 0xFFF0),  # call
    (0x10800004, 0x10010), (0x12BFFFFE, 0xFFF8), (0x20800010, 0x10040),  # ba, bne, bn,a: 22 bits
    (0x10680004, 0x10010), (0x126FFFFE, 0xFFF8),  # the same with predictions: 19 bits
    (0x02C20004, 0x10010), (0x02FA3FFE, 0xFFF8),  # brz %o0: 16 bits in two pieces
    (0x11800004, 0x10010),  # fba
    (0x81C3E008, None), (0x01000000, None), (0x90022001, None)])  # retl, nop, add
def test_where_a_branch_leads(word: int, target: int | None) -> None:
    isa = sparc.Sparc(64)
    assert isa.direct_target(isa.decode(word.to_bytes(4, "big"), 0x10000)) == target


CALL = ".word 0x40000010"  # for LLVM's assembler has no `call` of a number


@pytest.mark.parametrize(("text", "returns"), [
    (f"{CALL}; restore", True), (f"{CALL}; or %g0, %g1, %o7", True), ("jmpl %g2, %o7; restore", True),
    (f"{CALL}; nop", False), (f"{CALL}; or %g0, %g1, %sp", False), (f"{CALL}; or %g0, %g1, %i6", False),
    ("jmpl %g2, %g0; or %g0, %g1, %o7", False), ("retl; nop", True), ("ret; restore", True),
    ("jmpl %o7+%o0, %g0; nop", False), ("jmpl %o7+8, %o0; nop", False), ("jmpl %i6+8, %g0; nop", False)])
def test_calls_that_leave_a_function(text: str, returns: bool) -> None:
    """In their delay slot the window goes back, or the function's own return address to who is called."""
    isa = sparc.Sparc(32)
    instruction = isa.decode(assembler.assemble("sparc", text), 0x10000)
    assert instruction is not None and isa.is_return(instruction) is returns
