"""-x processor=x86-64-v3: AVX and what belongs to it in the machine is as on the host's own processor."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import atonce
import capstone
import compilers
import pytest

from runtime.kernel.cpu.accelerators import PUBLIC
from runtime.kernel.cpu.x86 import identification
from runtime.kernel.cpu.x86.vectors import Vectors

PROGRAMS = Path(__file__).parent / "vectors"
OPTION = ("-x", "processor=x86-64-v3")
OFFERED = """#include <cpuid.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
static sigjmp_buf after;
static void caught(int number) { siglongjmp(after, number); }
#define REFUSED(...) do { \\
    int number = sigsetjmp(after, 1); \\
    if (number == 0) __asm__ volatile (__VA_ARGS__ : : : "eax", "ecx", "edx", "xmm3", "memory"); \\
    printf("%d", number == SIGILL); \\
} while (0)
int main(void)
{
    unsigned a, b, c, d, low = 0, high = 0;
    char line[4096];
    __cpuid(1, a, b, c, d);
    printf("osxsave %d fma %d avx %d\\n", c >> 27 & 1, c >> 12 & 1, c >> 28 & 1);
    if (c >> 27 & 1)
        __asm__ volatile ("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    __cpuid_count(13, 0, a, b, c, d);
    printf("components %u %u, %u bytes\\n", low, high, b);
    printf("avx2 %d bmi2 %d avx512f %d\\n", !!__builtin_cpu_supports("avx2"),
        !!__builtin_cpu_supports("bmi2"), !!__builtin_cpu_supports("avx512f"));
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (fgets(line, sizeof line, file))
        if (strncmp(line, "flags", 5) == 0)
            printf("cpuinfo %d %d\\n", strstr(line, " avx2") != NULL, strstr(line, " sse4_2") != NULL);
    signal(SIGILL, caught);
    REFUSED("rdtscp"); REFUSED("xor %%ecx, %%ecx; .byte 0x0f, 0x01, 0xee"); REFUSED("rdrand %%eax");
    REFUSED("rdseed %%eax"); REFUSED(".byte 0xf3, 0x0f, 0xc7, 0xf8");
    printf(" ");
    REFUSED("vaddps %%xmm1, %%xmm2, %%xmm3"); REFUSED("vmovups -64(%%rsp), %%xmm3");
    printf("\\n");
    return 0;
}
"""

# opcodes of which most are instructions, and those that a number follows
COMMON = (0x10, 0x11, 0x28, 0x29, 0x54, 0x58, 0x59, 0x6F, 0x70, 0x72, 0x77, 0x7F, 0xC2, 0xC4, 0xC6, 0xEF,
          0xFE)
NUMBERED = (0x70, 0x71, 0x72, 0x73, 0xC2, 0xC4, 0xC5, 0xC6)

pytestmark = pytest.mark.skipif(bool(identification.lacking()),
                                reason="the host's processor has no AVX2: its use")


def build(source: Path, folder: Path, bits: int = 64, *options: str) -> str:
    program = str(folder / source.stem)
    command = compilers.building([f"-m{bits}", *options, "-w", "-pthread", "-o", program, str(source)])
    if command is None:
        pytest.skip(f"no compiler for {bits}-bit programs: vector instructions")
    subprocess.run(command, check=True, capture_output=True)
    return program


def traced(program: str, *options: str, script: str = "BEGIN{}") -> subprocess.CompletedProcess[str]:
    return atonce.run(["dtrace", "-q", *options, "-n", script, "-c", program])


@pytest.mark.parametrize("bits", [64, 32])
@pytest.mark.parametrize("name", ["vectors", "refused"])
def test_program_equals_native_run(name: str, bits: int, tmp_path: Path) -> None:
    program = build(PROGRAMS / f"{name}.c", tmp_path, bits, "-O3", "-march=x86-64-v3")
    native = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    assert len(native.splitlines()) > 8
    assert traced(program, *OPTION).stdout.rstrip("\n") == native.rstrip("\n")


def test_a_probe_on_each_instruction_changes_nothing(tmp_path: Path) -> None:
    program = build(PROGRAMS / "vectors.c", tmp_path, 64, "-O3", "-march=x86-64-v3")
    native = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    script = 'pid$target::lanes: { @ = count(); } END { printa("hits %@d\\n", @); }'
    run = traced(program, *OPTION, script=script)
    *lines, hits = run.stdout.rstrip("\n").splitlines()
    assert lines == native.splitlines()
    assert int(hits.removeprefix("hits ")) > 1000


@pytest.mark.parametrize(("options", "expected"), [
    (OPTION, ["osxsave 1 fma 1 avx 1", "components 7 0, 832 bytes", "avx2 1 bmi2 1 avx512f 0",
              "cpuinfo 1 1", "11111 00"]),
    ((), ["osxsave 0 fma 0 avx 0", "components 0 0, 0 bytes", "avx2 0 bmi2 0 avx512f 0",
          "cpuinfo 0 1", "11111 11"])])
def test_all_views_say_the_same(options: tuple[str, ...], expected: list[str], tmp_path: Path) -> None:
    source = tmp_path / "offered.c"
    source.write_text(OFFERED)
    assert traced(build(source, tmp_path, 64, "-O1"), *options).stdout.split("\n")[:5] == expected


def test_too_many_different_instructions_are_not_offered(tmp_path: Path) -> None:
    words = [*OPTION, "-qn", "BEGIN{}", "-c",
             build(PROGRAMS / "vectors.c", tmp_path, 64, "-O3", "-march=x86-64-v3")]
    code = ("import sys\nfrom runtime.command.command import main\n"
            "from runtime.kernel.cpu.x86 import vectors\n"
            f"vectors.MOST_ENCODINGS = 5\nsys.exit(main({words!r}))")
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False,
                         timeout=60)
    assert "needs AVX" in run.stderr
    assert run.stderr.count("\n") == 1


def test_parts_of_what_is_offered() -> None:
    """A leaf of CPUID with parts says 0 of one that does not exist; of other leaves parts do not matter."""
    leaves = {leaf: identification.identify(leaf, 0) for leaf in (1, 7, 13)}
    assert all(leaf is not None and any(leaf) for leaf in leaves.values())
    assert identification.identify(7, 9) == identification.identify(13, 77) == (0, 0, 0, 0)
    assert identification.identify(1, 9) == leaves[1]
    assert identification.identify(2, 0) is identification.identify(4, 1) is None


def test_a_host_without_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    from runtime.machine import Machine

    monkeypatch.setattr(identification, "lacking", lambda: ["avx2", "fma"])
    with pytest.raises(ValueError, match=r"^option processor: x86-64-v3 needs a host that has avx2, fma"):
        Machine({"processor": "x86-64-v3"})
    Machine({"processor": "x86-64-v2"})


def test_the_public_interface_does_not_have_it() -> None:
    command = [sys.executable, "-m", "runtime.command", *OPTION, "-qn", "BEGIN{}", "-c", "/bin/true"]
    run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60,
                         env=os.environ | {PUBLIC: "1"})
    assert run.returncode == 1
    assert run.stderr.count("\n") == 1
    assert "x86-64-v3 needs the engine's own structures" in run.stderr


@pytest.mark.parametrize("wide", [True, False])
def test_lengths_and_operands_of_instructions(wide: bool) -> None:
    """As a disassembler has them: how long each is, byte by byte, and what stands in its place in memory."""
    draw = random.Random(wide)
    decoder = capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_64 if wide else capstone.CS_MODE_32)
    decoder.detail = True
    seen, shown = 0, 0
    for _ in range(6000):
        upper = 0xC0 if not wide and draw.random() < .8 else 0
        head = bytes((0xC5, draw.getrandbits(8) | upper)) if draw.random() < .4 else bytes((
            0xC4, (draw.getrandbits(8) | upper) & 0xE0 | draw.choice((1, 1, 2, 3)), draw.getrandbits(8)))
        code = head + draw.choice(COMMON if draw.random() < .7 else range(256)).to_bytes(1, "little") + bytes(
            draw.getrandbits(8) for _ in range(9))
        found = next(decoder.disasm(code, 0x1000, 1), None)
        if not wide and code[1] < 0xC0:
            assert Vectors._needed(code[:2], wide) == -1
            continue
        if found is None:
            continue
        have = 2
        while (needed := Vectors._needed(code[:have], wide)) > have:
            assert needed <= found.size
            have = needed
        assert needed == have == found.size, code.hex()
        seen += 1
        memory = [each.mem for each in found.operands if each.type == capstone.x86.X86_OP_MEM]
        at = len(head) + 1
        if not memory or found.mnemonic.startswith(("vgather", "vpgather")) or code[at - 1] == 0x77:
            continue
        rex = ~code[1] >> 5 & 3 if code[0] == 0xC4 and wide else 0
        table = head[1] & 31 if len(head) == 3 else 1
        number = table == 3 or (table == 1 and code[at - 1] in NUMBERED)
        tail = code[at + 1:found.size - number]
        instead = Vectors._instead(found.size, code[at] & 0xC7, tail, wide, rex, 0xAE)
        other = next(decoder.disasm(instead, 0x1000, 1))
        assert (len(instead), other.size, other.mnemonic) == (found.size, found.size, "fxsave")
        place, = (each.mem for each in other.operands)
        assert [(each.base, each.index, each.scale, each.disp) for each in (place, *memory)] == [
            (place.base, place.index, place.scale, place.disp)] * 2
        shown += 1
    assert seen > 600 and shown > 300
