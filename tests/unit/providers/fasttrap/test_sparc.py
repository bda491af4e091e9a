"""SPARC: with every instruction a probe, a program does what it does without any."""

from __future__ import annotations

import shutil
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from runtime.providers.fasttrap import sparc
from runtime.providers.fasttrap.plan import Treatment
from runtime.providers.fasttrap.sparc64_machine import Machine64
from runtime.providers.fasttrap.sparc_machine import Machine, MachineError, Refused

HERE = Path(__file__).parent
COMPILER = "sparc64-linux-gnu-gcc"
FLAGS = ("-ffreestanding", "-nostdlib", "-static", "-fno-pic", "-no-pie")
VERSION_8, VERSION_9 = ("-m32", "-mcpu=v8"), ("-m64", "-mcpu=v9", "-DNO_FLOATS=1")
FUNCTIONS = ("_start", "begin", "finish", "everything", "print", "fibonacci", "deep", "chosen", "divide",
             "bytes", "sort", "unsigned_less", "signed_less", "floats", "integer_branches", "float_branches",
             "oddities")

needs_compiler = pytest.mark.skipif(shutil.which(COMPILER) is None, reason=f"{COMPILER} is not installed")


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., bytes]:
    """program(*flags): the compiled program's bytes."""
    folder = tmp_path_factory.mktemp("sparc")

    def build(*flags: str, version: tuple[str, ...] = VERSION_8) -> bytes:
        target = folder / ("program" + "".join(version + flags))
        if not target.exists():
            subprocess.run([COMPILER, *FLAGS, *version, *flags, "-o", str(target),
                            str(HERE / "sparc_program.c"), str(HERE / "sparc_branches.S")],
                           check=True, capture_output=True)
        return target.read_bytes()
    return build


def instructions(machine: Machine, *functions: str) -> list[int]:
    """The addresses of all words of `functions`."""
    return [address for name in functions
            for address in range(machine.functions[name].address,
                                 machine.functions[name].address + machine.functions[name].size, 4)]


@needs_compiler
@pytest.mark.parametrize("flags", [("-O2",), ("-O0",), ("-O2", "-mflat", "-mtune=leon3")], ids="_".join)
def test_every_instruction(flags: tuple[str, ...], program: Callable[..., bytes]) -> None:
    untraced, traced = Machine(program(*flags)), Machine(program(*flags))
    status = untraced.run()
    hits: Counter[int] = Counter()

    def act(machine: Machine) -> None:
        hits[machine.pc] += 1
    for address in instructions(traced, *FUNCTIONS):
        traced.trace(address, act)
    counts = traced.treatments()
    assert traced.run() == status
    print(f"{' '.join(flags)}: {sum(counts.values())} instructions: {dict(counts)}; "
          f"{len(hits)} reached, {sum(hits.values())} hits; {untraced.spills} windows spilled")
    assert traced.output == untraced.output
    assert len(untraced.output.split()) == 11
    for address in list(traced.points):
        traced.untrace(address, act)
    assert traced.registers() == untraced.registers()
    assert traced.memory() == untraced.memory()
    assert counts.keys() == {"displaced", "emulated"}
    assert sum(counts.values()) > 800
    assert sum(hits.values()) > 10000
    assert untraced.spills >= (0 if "-mflat" in flags else 20)


@needs_compiler
@pytest.mark.parametrize("flags", [("-O2",), ("-O0",)], ids="_".join)
def test_every_instruction_of_version_9(flags: tuple[str, ...], program: Callable[..., bytes]) -> None:
    code = program(*flags, version=VERSION_9)
    untraced, traced = Machine64(code), Machine64(code)
    status = untraced.run()
    hits: Counter[int] = Counter()

    def act(machine: Machine) -> None:
        hits[machine.pc] += 1
    for address in instructions(traced, *(set(FUNCTIONS) - {"floats", "float_branches"})):
        traced.trace(address, act)
    assert traced.run() == status
    counts = traced.treatments()
    print(f"V9 {' '.join(flags)}: {sum(counts.values())} instructions: {dict(counts)}; "
          f"{len(hits)} reached, {sum(hits.values())} hits")
    assert traced.output == untraced.output
    assert len(untraced.output.split()) == 10
    for address in list(traced.points):
        traced.untrace(address, act)
    assert traced.registers() == untraced.registers()
    assert traced.memory() == untraced.memory()
    assert counts.keys() == {"displaced", "emulated"}
    assert sum(counts.values()) > 400
    assert sum(hits.values()) > 5000


@needs_compiler
@pytest.mark.parametrize("kind, emulator, version", [
    (Machine, "qemu-sparc", VERSION_8), (Machine64, "qemu-sparc64", VERSION_9)], ids=["V8", "V9"])
def test_truth_by_another_emulator(kind: type[Machine], emulator: str, version: tuple[str, ...],
                                   program: Callable[..., bytes], tmp_path: Path) -> None:
    """QEMU's user mode agrees about what the untraced program prints."""
    if shutil.which(emulator) is None:
        pytest.skip(f"{emulator} is not installed")
    path = tmp_path / "program"
    path.write_bytes(program("-O2", version=version))
    path.chmod(0o755)
    machine = kind(path.read_bytes())
    truth = subprocess.run([emulator, str(path)], capture_output=True, timeout=10)
    assert machine.run() == truth.returncode
    assert bytes(machine.output) == truth.stdout


@needs_compiler
def test_probes_come_and_go(program: Callable[..., bytes]) -> None:
    """Two probes share a tracepoint, an instruction of a delay slot among them; the last restores it."""
    machine = Machine(program("-O2"))
    text = instructions(machine, *FUNCTIONS)
    before = [bytes(machine.engine.mem_read(address, 4)) for address in text]
    seen: list[tuple[int, int]] = []

    def first(machine: Machine) -> None:
        seen.append((machine.pc, machine.npc))

    def second(machine: Machine) -> None:
        """Goes away at its third hit, and takes the tracepoint along where it is the last."""
        counts[machine.pc] += 1
        if counts[machine.pc] == 3:
            machine.untrace(machine.pc, second)
    counts: Counter[int] = Counter()
    branches = instructions(machine, "integer_branches", "oddities")
    for address in text:
        machine.trace(address, second)
    for address in branches:
        assert machine.trace(address, first) is machine.points[address]
    reference = Machine(program("-O2"))
    assert machine.run() == reference.run()
    assert machine.output == reference.output
    assert max(counts.values()) == 3
    addresses = {pc for pc, _ in seen}
    assert addresses <= set(branches)
    assert any(npc != pc + 4 for pc, npc in seen)  # in delay slots
    for address in branches:
        machine.untrace(address, first)
    for address in list(machine.points):
        machine.untrace(address, second)
    assert not machine.points
    assert [bytes(machine.engine.mem_read(address, 4)) for address in text] == before


@needs_compiler
def test_arguments_and_results(program: Callable[..., bytes]) -> None:
    """Entry and return of a function as a tracer sees them."""
    machine = Machine(program("-O0"))
    function = machine.functions["chosen"]
    arguments: list[int] = []
    values: list[int] = []
    machine.trace(function.address, lambda machine: arguments.append(machine.read(8)))
    for address in range(function.address, function.address + function.size, 4):
        if machine.engine.mem_read(address, 4) == bytes.fromhex("81c3e008"):  # retl
            machine.trace(address, lambda machine: values.append(machine.read(8)))
    machine.run()
    assert arguments == list(range(10))
    assert len(values) == 10
    assert values[-1] == 0


FAULTS = {
    "division by zero": ("wr %g0, %g0, %y; udiv %i0, %g0, %l0", "trap 0x2a before"),
    "unmapped": ("clr %l0; ld [%l0 + 8], %l1", "at {1}"),
    "jump to an odd address": ("mov 1, %l0; jmpl %l0, %g0; nop", "trap 0x7 before"),
    "unknown system call": ("mov 99, %g1; ta 0x10", "system call 99 is not known"),
    "endless": ("1: ba 1b; nop", "still running after 1000 blocks"),
    "illegal": ("unimp 5", "illegal instruction at {0}")}


@needs_compiler
@pytest.mark.parametrize("name", FAULTS)
def test_faults_of_probed_instructions(name: str, tmp_path: Path) -> None:
    """A fault in the scratch area is reported as it is without one."""
    code, message = FAULTS[name]
    (tmp_path / "fault.s").write_text(f".global _start\n.type _start, #function\n_start: {code}\n"
                                      ".size _start, . - _start\n.section .note.GNU-stack,\"\"\n")
    subprocess.run([COMPILER, *FLAGS, *VERSION_8, "-o", str(tmp_path / "fault"), str(tmp_path / "fault.s")],
                   check=True)
    program = (tmp_path / "fault").read_bytes()
    said = []
    for traced in (False, True):
        machine = Machine(program)
        addresses = instructions(machine, "_start")
        for address in addresses if traced else ():
            if name != "illegal":
                machine.trace(address, lambda machine: None)
        with pytest.raises(MachineError) as raised:
            machine.run(1000)
        said.append(str(raised.value))
    assert message.format(*map(hex, addresses)) in said[0]
    assert said[0] == said[1]


def test_what_is_no_program() -> None:
    for data in (b"", b"\x7fELF", b"#!/bin/sh\n" * 20, Path("/bin/sh").read_bytes()):
        with pytest.raises(MachineError):
            Machine(data)


@needs_compiler
def test_refusals(program: Callable[..., bytes]) -> None:
    machine = Machine(program("-O2"))
    for address in (2, 0x40000000, machine.functions["_start"].address + 1):
        with pytest.raises(Refused):
            machine.trace(address, lambda machine: None)
    machine.engine.mem_write(machine.entry, (0x38).to_bytes(4, "big"))
    with pytest.raises(Refused, match="illegal on purpose"):
        machine.trace(machine.entry, lambda machine: None)


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


class Wide:
    """A V9 thread: what plans need of one."""

    mask = (1 << 64) - 1

    def __init__(self, xcc: int = 0, icc: int = 0) -> None:
        self.pc, self.npc = 0x100000000, 0x100000004
        self.registers = [0] * 32
        self._xcc, self._icc = xcc, icc

    def read(self, register: int) -> int:
        return self.registers[register]

    def write(self, register: int, value: int) -> None:
        self.registers[register] = value & self.mask

    def icc(self) -> int:
        return self._icc

    def xcc(self) -> int:
        return self._xcc

    def fcc(self, number: int) -> int:
        return number

    def rotate(self, step: int) -> None:
        raise AssertionError


def step(word: int, thread: Wide) -> tuple[int, int]:
    plan = sparc.plan(word, 9)
    assert plan.step is not None
    plan.step(thread)
    return thread.pc - 0x100000000, thread.npc - 0x100000000


def test_branches_of_version_9() -> None:
    be_xcc, be_icc_annulling = 0x02680004, 0x22480004
    assert step(be_xcc, Wide(xcc=sparc.ZERO)) == (4, 16)
    assert step(be_xcc, Wide(icc=sparc.ZERO)) == (4, 8)
    assert step(be_icc_annulling, Wide(icc=sparc.ZERO)) == (4, 16)
    assert step(be_icc_annulling, Wide()) == (8, 12)
    for condition, taken in {1: {0}, 2: {0, -5}, 3: {-5}, 5: {7, -5}, 6: {7}, 7: {0, 7}}.items():
        for value in (0, 7, -5):
            thread = Wide()
            thread.write(1, value)
            backwards = 0x00C00000 | condition << 25 | 1 << 14 | 3 << 20 | 0x3FFE  # brcond %g1, -8
            assert step(backwards, thread) == ((4, -8) if value in taken else (4, 8))
    for number, taken_here in enumerate((False, True, False, False)):  # fbl %fccN
        assert step(0x09400004 | number << 20, Wide()) == ((4, 16) if taken_here else (4, 8))
