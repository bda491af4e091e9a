"""-x processor=x86-64-v3: AVX and what belongs to it in the machine is as on the host's own processor."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import atonce
import compilers
import pytest

from runtime.kernel.cpu.accelerators import PUBLIC
from runtime.kernel.cpu.x86 import identification

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
