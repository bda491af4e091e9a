"""The core of the kernel: programs run as natively, alike every time, and never hurt the host."""

from __future__ import annotations

import io
import os
import random
import signal
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import assembler
import compilers
import pytest

from runtime.kernel.base.budgets import Budgets, Limits
from runtime.kernel.cpu.arm64.engine import TRAP_WORD
from runtime.kernel.cpu.arm64.registers import PC
from runtime.kernel.cpu.x86 import xstate
from runtime.kernel.cpu.x86.engine import RIP
from runtime.kernel.kernel import Kernel
from runtime.kernel.process.process import CLD_DUMPED, RLIMIT_CORE, RLIMIT_CPU
from runtime.kernel.process.timers import limit_cpu_time

SOURCE = Path(__file__).parent / "core" / "core.c"
RUN = """
import sys
from runtime.kernel.kernel import Kernel
kernel = Kernel(ncpus=int(sys.argv[1]), seed=int(sys.argv[2]))
process = kernel.spawn(sys.argv[3:], stopped=False)
reason = kernel.run()
print(reason, kernel.hrtime(), file=sys.stderr)
sys.exit(process.exit_status)
"""


def _compile(folder: Path, *flags: str) -> Path:
    target = folder / "program"
    command = compilers.building(["-O1", "-w", "-pthread", *flags, "-o", str(target), str(SOURCE)])
    if command is None:
        pytest.skip(f"no C compiler (with {flags}): the kernel's core")
    subprocess.run(command, capture_output=True, text=True, check=True)
    return target


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _compile(tmp_path_factory.mktemp("core"))


def _emulated(*words: object, ncpus: int = 1, seed: int = 0) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", RUN, str(ncpus), str(seed), *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


def _native(*words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=60)


def test_equals_native_run(program: Path) -> None:
    native, emulated = _native(program), _emulated(program)
    assert (emulated.stdout, emulated.returncode) == (native.stdout, native.returncode)
    assert native.returncode == 5


def test_equals_native_run_of_32_bits(tmp_path: Path) -> None:
    program = _compile(tmp_path, "-m32")
    native, emulated = _native(program), _emulated(program)
    assert (emulated.stdout, emulated.returncode) == (native.stdout, native.returncode)


CALLING = {  # programs that make one system call, which there is none of, for ever
    "amd64": "again: mov eax, 9999; syscall; jmp again", "i386": "again: mov eax, 9999; int 0x80; jmp again",
    "arm64": "again: mov x8, #9999; svc #0; b again", "sparcv9": "1: mov 999, %g1; ta 0x6d; ba 1b; nop"}


@pytest.mark.parametrize("arch", CALLING)
def test_what_a_handler_of_a_signal_raises_ends_a_run(arch: str, tmp_path: Path) -> None:
    """Python calls handlers mostly where a callback of the engine begins: Ctrl-C, or a limit of pytest's."""
    assembler.write_program(tmp_path / "program", arch, CALLING[arch])
    kernel = Kernel()
    kernel.spawn([str(tmp_path / "program")], stopped=False)
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    try:
        with pytest.raises(KeyboardInterrupt):
            kernel.run(10**8)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_runs_static_programs(tmp_path: Path) -> None:
    program = _compile(tmp_path, "-static")
    native, emulated = _native(program), _emulated(program)
    assert (emulated.stdout, emulated.returncode) == (native.stdout, native.returncode)


def test_same_bytes_and_times_every_run(program: Path) -> None:
    first, second = _emulated(program, ncpus=2), _emulated(program, ncpus=2)
    assert (first.stdout, first.stderr) == (second.stdout, second.stderr)


def test_seeds_interleave_differently_and_rightly(program: Path) -> None:
    runs = [_emulated(program, ncpus=2, seed=seed) for seed in (1, 2, 3)]
    assert len({run.stdout for run in runs}) == 1
    assert len({run.stderr for run in runs}) == 3


def _spawn(kernel: Kernel, *words: object, **named: object) -> object:
    return kernel.spawn([str(word) for word in words], stopped=False, **named)  # type: ignore[arg-type]


def test_ten_kernels_side_by_side(program: Path) -> None:
    kernels = [Kernel(budgets=Budgets(Limits(memory=64 << 20))) for _ in range(10)]
    processes = [_spawn(kernel, "/bin/sh", "-c", f"exit {number}") for number, kernel in enumerate(kernels)]
    assert [kernel.run() for kernel in kernels] == ["done"] * 10
    assert [process.exit_status for process in processes] == list(range(10))  # type: ignore[attr-defined]


def test_time_limit_ends_an_endless_program(program: Path) -> None:
    kernel = Kernel()
    process = _spawn(kernel, program, "spin")
    assert kernel.run(until=20_000_000) == "until"
    assert 20_000_000 <= kernel.hrtime() < 21_000_000
    assert not process.zombie  # type: ignore[attr-defined]


def test_two_endless_programs_share_a_cpu(program: Path) -> None:
    kernel = Kernel()
    processes = [_spawn(kernel, program, "spin") for _ in range(2)]
    kernel.run(until=40_000_000)
    times = [process.cpu_time for process in processes]  # type: ignore[attr-defined]
    assert abs(times[0] - times[1]) < 10_000_000


@pytest.mark.parametrize(("limit", "signal"), [((1, 2), 24), ((1, 1), 9)])
def test_limit_of_cpu_time(program: Path, limit: tuple[int, int], signal: int) -> None:
    kernel = Kernel()
    process: Any = _spawn(kernel, program, "spin")
    kernel.run(until=12_000_000)
    process.limits[RLIMIT_CPU] = limit
    process.leader.cpu_time = 990_000_000
    limit_cpu_time(process)
    assert kernel.run(until=21_000_000) == "until" and not process.zombie
    kernel.run(until=23_000_000)
    assert process.zombie and process.exit_status == 128 + signal


def test_crash_is_told_as_a_shell_would(program: Path) -> None:
    kernel = Kernel()
    process = _spawn(kernel, program, "crash")
    assert kernel.run() == "done"
    assert process.exit_status == 128 + 11  # type: ignore[attr-defined]


# e_machine, bytes of struct elf_prstatus, how far the program counter lies from its end, and its bytes
CORES = {"x86-64": ("EM_X86_64", 336, 96, 8), "i386": ("EM_386", 144, 24, 4),
         "aarch64": ("EM_AARCH64", 392, 24, 8)}


@pytest.mark.parametrize("flags", [(), ("-m32",)])
def test_core_file_tells_where_and_of_what_the_program_died(tmp_path: Path, flags: tuple[str, ...]) -> None:
    from elftools.elf.elffile import ELFFile

    program, kernel = _compile(tmp_path, *flags), Kernel()
    reasons: list[int] = []
    kernel.hooks.exit = lambda thread, why: reasons.append(why)
    process: Any = kernel.spawn([str(program), "crash", "a mark on the stack"], cwd=str(tmp_path))
    process.limits[RLIMIT_CORE] = (1 << 30, 1 << 30)
    process.resume()
    kernel.run()
    assert process.status == 11 | 0x80 and reasons == [CLD_DUMPED] and process.exit_status == 128 + 11
    image = kernel.vfs.contents(os.fsencode(tmp_path / "core"))
    elf = ELFFile(io.BytesIO(image))
    machine, length, behind, width = CORES["i386" if flags else compilers.HOST]
    assert elf["e_type"] == "ET_CORE" and elf["e_machine"] == machine
    own = ELFFile(io.BytesIO(program.read_bytes()))
    assert image[:7] == program.read_bytes()[:7] and elf["e_phoff"] == own["e_ehsize"]
    assert [elf[name] for name in ("e_version", "e_ehsize", "e_phentsize")] == [
        own[name] for name in ("e_version", "e_ehsize", "e_phentsize")]
    assert not any(elf[name] for name in ("e_entry", "e_shoff", "e_flags", "e_shentsize", "e_shnum",
                                          "e_shstrndx"))
    segments = [segment for segment in elf.iter_segments() if segment["p_type"] == "PT_LOAD"]
    assert any(b"a mark on the stack" in segment.data() for segment in segments)
    notes = next(segment for segment in elf.iter_segments() if segment["p_type"] == "PT_NOTE").data()
    (signal,), size = struct.unpack_from("<i", notes, 20), struct.unpack_from("<I", notes, 4)[0]
    assert signal == 11 and size == length
    pc = int.from_bytes(notes[20 + size - behind:][:width], "little")
    code = [segment for segment in segments if 0 <= pc - segment["p_vaddr"] < segment["p_memsz"]]
    assert code[0]["p_flags"] & 1 and str(program).encode() in notes


def test_parents_are_told_whose_core_was_dumped(program: Path) -> None:
    killed, dumped = 2, 3  # CLD_KILLED, CLD_DUMPED
    assert _emulated(program, "mourn").stdout.splitlines() == [
        *(f"{dumped} {signal}" for signal in (3, 6, 11, 31)), f"{killed} 15",
        *(f"{killed} {signal}" for signal in (3, 6, 11, 31, 15))]


@pytest.mark.parametrize("top", range(8))
def test_floating_point_registers_as_debuggers_of_i386_know_them(top: int) -> None:
    """As `fsave` stores them: from `fxsave`'s form and back nothing is lost; tags tell what is there."""
    one, tiny = ((number).to_bytes(10, "little") for number in (1 << 63 | 0x3FFF << 64, 5))
    numbers = [bytes(10), one, b"\xff" * 10, tiny]
    stack = b"".join(numbers[number % 4].ljust(16, b"\0") for number in range(8))
    for used in (0, 0xFF, 0x81, 0x3C):
        head = struct.pack("<HHB", 0x37F, top << 11 | 0x41, used)
        image = (head.ljust(xstate.STACK_AT, b"\x77") + stack).ljust(xstate.FXSAVE_SIZE, b"\x55")
        saved = xstate.legacy(image)
        assert len(saved) == xstate.LEGACY_SIZE and xstate.with_legacy(image, saved) == image
        tags = int.from_bytes(saved[8:10], "little")
        kinds = [1, 0, 2, 2]  # zero, valid, special; 3: empty
        assert [tags >> 2 * number & 3 for number in range(8)] == [
            kinds[(number - top) % 8 % 4] if used >> number & 1 else 3 for number in range(8)]


def test_memory_hog_is_killed(program: Path) -> None:
    kernel = Kernel(budgets=Budgets(Limits(memory=32 << 20)))
    process = _spawn(kernel, program, "hog")
    assert kernel.run() == "done"
    assert process.exit_status in (128 + 9, 128 + 11)  # type: ignore[attr-defined]


def test_time_stamp_counter_is_virtual(program: Path) -> None:
    assert _emulated(program, "clock").stdout == _emulated(program, "clock").stdout


def test_stopped_process_waits_for_resume() -> None:
    kernel = Kernel()
    process = kernel.spawn(["/bin/true"])
    assert kernel.run(until=1_000_000) == "until"
    assert not process.zombie
    process.resume()
    assert kernel.run() == "done"
    assert process.zombie and process.exit_status == 0


@pytest.mark.parametrize(("words", "error"), [
    (["/no/such/program"], FileNotFoundError), (["no-such-program"], FileNotFoundError),
    (["/etc/passwd"], PermissionError), (["/etc"], PermissionError)])
def test_what_cannot_be_executed(words: list[str], error: type[OSError]) -> None:
    with pytest.raises(error):
        Kernel().spawn(words)


def _executable(path: Path, data: bytes) -> str:
    path.write_bytes(data)
    path.chmod(0o755)
    return str(path)


def test_broken_executables_are_refused(tmp_path: Path) -> None:
    good = Path("/bin/true").read_bytes()
    kernel = Kernel()
    for number, data in enumerate((
            b"\x7fELF", good[:40], good[:64], good[:100], good[:len(good) // 2], b"#!\n", b"",
            good[:56] + b"\xff" * 8 + good[64:], good[:32] + b"\xff" * 8 + good[40:])):
        path = _executable(tmp_path / f"broken{number}", data)
        with pytest.raises(OSError):
            kernel.spawn([path])
    assert not kernel.processes


def test_mutated_executables_harm_nobody(tmp_path: Path) -> None:
    good = bytearray(Path("/bin/true").read_bytes())
    choose, kernel = random.Random(7), Kernel(budgets=Budgets(Limits(memory=256 << 20)))
    for number in range(40):
        data = bytearray(good)
        for _ in range(4):
            data[choose.randrange(4, 0x400)] = choose.choice((0, 1, 0x7F, 0xFF, choose.randrange(256)))
        try:
            process = kernel.spawn([_executable(tmp_path / f"mutated{number}", data)], stopped=False)
        except OSError:
            continue
        kernel.run(until=kernel.hrtime() + 20_000_000)
        assert process.zombie or process.threads


def test_hooks_see_calls_and_their_results() -> None:
    kernel = Kernel()
    seen: list[tuple[str, int]] = []
    kernel.hooks.syscall_return = lambda thread, name, result: seen.append((name, result))
    _spawn(kernel, "/bin/sh", "-c", "exec /bin/true")
    kernel.run()
    assert [name for name, _result in seen].count("execve") == 1
    assert ("rseq", -38) in seen and kernel.unknown_syscalls["rseq"] == 2


def test_virtual_time_and_probing_from_a_cyclic(program: Path) -> None:
    kernel = Kernel(ncpus=2)
    _spawn(kernel, program, "spin")
    kernel.run(until=10_000_000)  # past its start, which reads pages from the disk
    seen: list[tuple[int, int, bytes]] = []

    def look() -> None:
        seen.append((kernel.hrtime(), kernel.cpu, kernel.current.execname))

    for cpu in (0, 1):
        kernel.cyclic(1_000_000, look, cpu=cpu, start=11_000_000)
    kernel.run(until=15_500_000)
    assert [name for _at, cpu, name in seen if cpu == 0] == [b"program"] * 5
    assert [name for _at, cpu, name in seen if cpu == 1] == [b"sched"] * 5
    assert all(at % 1_000_000 < 1000 for at, _cpu, _name in seen)


@pytest.mark.parametrize(("machine", "text", "breakpoint", "counter"), [
    ("amd64", "mov edi, 5; mov eax, 60; syscall", b"\xcc", RIP),
    ("arm64", "mov x0, #5; mov x8, #93; svc #0", TRAP_WORD.to_bytes(4, "little"), PC)])
def test_breakpoint_in_text_calls_the_hook(machine: str, text: str, breakpoint: bytes, counter: int,
                                           tmp_path: Path) -> None:
    program = str(tmp_path / "program")
    assembler.write_program(tmp_path / "program", machine, text)
    kernel = Kernel()
    process = kernel.spawn([program])
    entry, space = process.leader.pc, process.memory
    original = space.read(entry, len(breakpoint))
    hits: list[int] = []

    def trap(thread: Any, pc: int) -> bool:
        hits.append(pc)
        space.patch(pc, original)
        thread.regs[counter] = pc
        return True

    kernel.hooks.trap = trap
    space.patch(entry, breakpoint)
    other = kernel.spawn([program])
    assert other.memory.read(entry, len(breakpoint)) == original
    process.resume()
    assert kernel.run(until=lambda: process.zombie) == "until"
    assert hits == [entry] and process.exit_status == 5
    kernel.close()


def test_kernel_stack_names_functions() -> None:
    from runtime.kernel.base.kernelfunctions import KFUNCTIONS, SLOT

    kernel = Kernel()
    names = {function.address // SLOT: function.name for function in KFUNCTIONS.values()}
    stacks: list[list[str]] = []
    kernel.hooks.sleep = lambda thread: stacks.append([names[pc // SLOT] for pc in kernel.kernel_stack(10)])
    _spawn(kernel, "/bin/sh", "-c", "/bin/true; exit 0")
    kernel.run()
    assert any("cv_wait" in stack and stack[-1] == "syscall_trap" for stack in stacks)


def test_descriptors_of_the_host_stay_open() -> None:
    _spawn(kernel := Kernel(), "/bin/true")
    kernel.run()
    os.fstat(1)


def test_real_time_goes_on_between_two_looks_at_it(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0

    def look() -> int:
        nonlocal now
        now += 700_000
        return now

    def sleep(seconds: float) -> None:
        nonlocal now
        assert seconds > 0
        now += int(seconds * 1e9)
    monkeypatch.setattr("time.monotonic_ns", look)
    monkeypatch.setattr("time.sleep", sleep)
    kernel, ticks = Kernel(real_clock=True), []
    kernel.cyclic(1_000_000, lambda: ticks.append(kernel.hrtime()))
    assert kernel.run(50_000_000) == "until"
    assert len(ticks) == 49
