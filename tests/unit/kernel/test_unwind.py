"""User stacks from any instruction, with and without frame pointers, against what the source says."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import compilers
import pytest

from dof.elf import ElfFile
from runtime.kernel.cpu.callframes import BadFrame, Row, recovered
from runtime.kernel.cpu.x86.engine import RBP, RSP
from runtime.kernel.kernel import Kernel
from runtime.symbols import MachineSymbols

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from shadow import ArmShadow, Shadow  # noqa: E402

SOURCE = r"""
#include <signal.h>
#include <unistd.h>
__attribute__((noinline)) int leaf(int n) { getppid(); return n + 1; }
__attribute__((noinline)) int middle(int n)
{
	char room[64];

	room[n & 63] = 1;
	return leaf(n) + room[n & 63];
}
static void handler(int signal) { leaf(signal); }
int main(void)
{
	signal(SIGUSR1, handler);
	int sum = middle(3);
	raise(SIGUSR1);
	return sum != 5;
}
"""


@pytest.mark.parametrize("flags", [("-O1",), ("-O1", "-fno-omit-frame-pointer"), ("-O0", "-no-pie"),
                                   ("-O1", "-fno-asynchronous-unwind-tables", "-fno-omit-frame-pointer")])
def test_stack_names_every_caller(tmp_path: Path, flags: tuple[str, ...]) -> None:
    source, program = tmp_path / "stack.c", tmp_path / "stack"
    source.write_text(SOURCE)
    subprocess.run(["cc", *flags, "-o", str(program), str(source)], check=True)
    kernel = Kernel()
    symbols = MachineSymbols(lambda: kernel)
    stacks: list[list[str]] = []

    def entry(thread: object, name: str, _values: object) -> None:
        if name == "getppid":
            counters = thread.user_stack(30)  # type: ignore[attr-defined]
            found = [symbols.user(thread.pid, counter) for counter in counters]  # type: ignore[attr-defined]
            stacks.append([symbol.name if symbol else "?" for symbol in found])

    kernel.hooks.attach("syscall_entry", entry)
    process = kernel.spawn([str(program)])
    process.resume()
    kernel.run()
    assert process.exit_status == 0
    assert [name for name in stacks[0] if name in ("leaf", "middle", "main")] == ["leaf", "middle", "main"]
    if "-fno-asynchronous-unwind-tables" not in flags:
        assert stacks[1].index("handler") == stacks[1].index("leaf") + 1
        assert stacks[1].index("main") > stacks[1].index("handler")  # beyond the signal frame
    kernel.close()


def _address(program: Path, name: bytes) -> int:
    elf = ElfFile(program.read_bytes())
    table = elf.section(".symtab")
    assert table is not None
    return next(symbol.value for symbol in elf.symbols(table) if symbol.name == name)


# How __longjmp begins, which has no name in a stripped library: ldp x19, x20, [x0]; ldp x21, x22, [x0, #16],
# and mov 0x30(%rdi), %r8; mov 8(%rdi), %r9; mov 0x38(%rdi), %rdx.
_LONGJMP = {"aarch64": bytes.fromhex("135040a9 155841a9"),
            "x86-64": bytes.fromhex("4c8b4730 4c8b4f08 488b5738")}


@pytest.mark.parametrize(("machine", "flags"), [
    (compilers.HOST, ("-O2", "-Wl,-z,lazy")),
    ("x86-64", ("-O2", "-fcf-protection=full", "-Wl,-z,now")),
    (compilers.HOST, ("-O0", "-fno-asynchronous-unwind-tables", "-no-pie")),
    (compilers.HOST, ("-O2", "-static", "-no-pie")),
    (compilers.HOST, ("-O2", "-g", "-fno-asynchronous-unwind-tables", "-fomit-frame-pointer")),
    # where nothing but the code tells, it must lead to a return
    ("x86-64", ("-O2", "-fno-asynchronous-unwind-tables", "-fomit-frame-pointer", "-DRETURNS")),
    ("aarch64", ("-O2", "-static", "-no-pie", "-mbranch-protection=standard")),
    ("aarch64", ("-O2", "-Wl,-z,lazy"))])
def test_every_instruction(tmp_path: Path, machine: str, flags: tuple[str, ...]) -> None:
    """From main() on, the stack is that which the calls themselves have made."""
    program, compiler = tmp_path / "frames", compilers.compiler(machine)
    if compiler is None or not compiler.own:
        pytest.skip(f"no compiler of the system's for {machine}: stacks at each of its instructions")
    subprocess.run([*compiler.command, *flags, "-o", str(program), str(HERE / "programs" / "frames.c")],
                   check=True)
    kernel = Kernel()
    symbols = MachineSymbols(lambda: kernel)
    names: dict[int, str] = {}
    wrong: list[str] = []

    def visit(thread: Any, counters: Sequence[int]) -> None:
        pc = counters[0]
        if pc not in names:
            symbol = symbols.user(thread.pid, pc)
            names[pc] = symbol.name if symbol else ""
        if names[pc] == "__longjmp" or (
                not names[pc] and _LONGJMP[machine] in thread.process.space.read(pc - 96, 104)):
            return  # while registers are being replaced no answer is the right one
        found = list(thread.user_stack(len(counters)))
        if found != counters:
            wrong.append(f"{names[pc]}: {[hex(at) for at in found]}, not {[hex(at) for at in counters]}")

    process = kernel.spawn([str(program)], {"LC_ALL": "C"})
    base = 0 if "-no-pie" in flags else process.space.areas[0].start
    kind = ArmShadow if machine == "aarch64" else Shadow
    shadow = kind(kernel, process.processor.engine, base + _address(program, b"main"), visit)
    process.resume()
    kernel.run()
    assert (shadow.failure, process.exit_status) == (None, 0)
    assert wrong == []
    assert len(names) > 400
    kernel.close()


ALTERNATING = r"""
#include <unistd.h>
#define NOINLINE __attribute__((noinline))
NOINLINE int leaf(int n) { return getppid() + n; }
NOINLINE int one(int n) { return leaf(n) + 1; }
NOINLINE int two(int n) { int a = 0; for (int i = 0; i < 2; i++) a += leaf(n + i) * (n + a); return a; }
NOINLINE int deep(int n) { char room[100]; room[n] = n; return n ? deep(n - 1) + room[n] : leaf(n); }
int main(void)
{
	int sum = 0;
	for (int i = 0; i < 20; i++)
		sum += i % 3 ? one(i) : i % 2 ? two(i) : deep(i % 5);
	return sum == 12345;
}
"""


@pytest.mark.parametrize("flags", [("-O1",), ("-O2", "-m32", "-idirafter", "/usr/include/x86_64-linux-gnu"),
                                   ("-O1", "-fno-omit-frame-pointer")])
def test_a_stack_is_the_same_if_one_like_it_is_remembered(tmp_path: Path, flags: tuple[str, ...]) -> None:
    source, program = tmp_path / "stacks.c", tmp_path / "stacks"
    source.write_text(ALTERNATING)
    built = subprocess.run(["cc", *flags, "-o", str(program), str(source)], check=False, capture_output=True)
    if built.returncode:
        pytest.skip("no compiler for these flags")
    kernel = Kernel()
    stacks: list[Sequence[int]] = []

    def entry(thread: Any, name: str, _values: object) -> None:
        if name == "getppid":
            for limit in (1, 5, 50):
                stacks.append(list(thread.user_stack(limit)))
                assert [pc for pc, _pointer in thread.user_frames(limit)] == stacks[-1]
                planned = thread.process.space.text.stack(
                    thread.pc, thread.regs[RSP], thread.regs[RBP], limit)
                assert list(planned) == stacks[-1]  # quickly, up to the program's first function

    kernel.hooks.attach("syscall_entry", entry)
    process = kernel.spawn([str(program)])
    process.resume()
    kernel.run()
    assert process.exit_status == 0
    assert len(stacks) > 60 and len({tuple(stack) for stack in stacks}) > 5
    kernel.close()


def test_a_frame_that_goes_by_an_unknown_register_is_the_last() -> None:
    read = {0x1000: (7).to_bytes(8, "little"), 0x0FF8: (9).to_bytes(8, "little")}
    row = Row((6, 8), None, {16: ("offset", -8, b"")})
    found = recovered(lambda address, size: read[address][:size], row, {6: 0x0FF8, 7: 0}, 7, 8)
    assert (found[7], found[16]) == (0x1000, 9)
    with pytest.raises(BadFrame):
        recovered(lambda address, size: read[address][:size], row, {7: 0}, 7, 8)


# Like frames of a language's runtime on a stack of its own: call frame information says where lost() goes
# on, and that its caller's stack pointer is not to be known.
LOST = r"""
#define BEGIN(name) ".type " name ", %function\n" name ": .cfi_startproc\n"
#define STORE "str x30, [sp, -16]!\n .cfi_def_cfa_offset 16\n .cfi_offset x30, -16\n"
#define END "ldr x30, [sp], 16\n ret\n .cfi_endproc\n"
__asm__(".text\n .cfi_sections .eh_frame\n .globl _start\n"
	BEGIN("_start") ".cfi_undefined x30\n bl middle\n mov x0, 0\n mov x8, 93\n svc 0\n .cfi_endproc\n"
	BEGIN("middle") STORE "bl lost\n" END
	BEGIN("lost") STORE ".cfi_undefined sp\n bl leaf\n" END
	BEGIN("leaf") "mov x8, 173\n svc 0\n ret\n .cfi_endproc\n");
"""


def test_a_stack_ends_where_the_stack_pointer_is_undefined(tmp_path: Path) -> None:
    """The caller of such a frame is known, and, as its own frame is found by that pointer, no other."""
    program, compiler = tmp_path / "lost", compilers.compiler("aarch64")
    if compiler is None:
        pytest.skip("no compiler for AArch64: stacks whose frames have no stack pointer")
    (tmp_path / "lost.c").write_text(LOST)
    subprocess.run([*compiler.command, *compilers.FREESTANDING, "-Wl,--eh-frame-hdr",
                    "-o", str(program), str(tmp_path / "lost.c")], check=True)
    kernel = Kernel()
    symbols = MachineSymbols(lambda: kernel)
    stacks: list[list[str]] = []

    def entry(thread: Any, name: str, _values: object) -> None:
        if name == "getppid":
            found = [symbols.user(thread.pid, counter) for counter in thread.user_stack(10)]
            stacks.append([symbol.name if symbol else "?" for symbol in found])

    kernel.hooks.attach("syscall_entry", entry)
    process = kernel.spawn([str(program)])
    process.resume()
    kernel.run()
    assert (process.exit_status, stacks) == (0, [["leaf", "lost", "middle"]])
    kernel.close()
