"""SPARC programs with probes of their own: -G, and tracing."""

from __future__ import annotations

import sys
from pathlib import Path
from subprocess import run

import compilers
import pytest

from runtime.command.command import main

PROVIDER = """
provider own {
	probe hit(int n, char *what, long wide);
	probe many(int a, int b, int c, int d, int e, int f, int g, int h);
	probe bye(char *text);
};
"""
PROGRAM = """
#include "own.h"
#define NOINLINE __attribute__((noinline))
NOINLINE void last(void) { OWN_BYE("farewell"); }  /* the address is completed in the delay slot */
NOINLINE int work(int n, char *s)
{
	int tests = 0;

	if (OWN_HIT_ENABLED())
		tests = 1;
	OWN_HIT(n * 2, s, n);
	OWN_MANY(1, 2, 3, 4, 5, 6, 7, n);
	last();  /* what a function does last may become a jump */
	return tests;
}
void _start(void)
{
	int total = 0;

	for (int i = 1; i < 3; i++)
		total += work(i, "text");
	register int g1 __asm__("g1") = 1, o0 __asm__("o0") = total;
#ifdef __arch64__
	__asm__ volatile("ta 0x6d" :: "r"(g1), "r"(o0));
#else
	__asm__ volatile("ta 0x10" :: "r"(g1), "r"(o0));
#endif
}
"""
CLAUSES = [
    'own$target:::hit { printf("%d %s %d %s\\n", arg0, copyinstr(arg1), arg2, probefunc); }',
    'own$target:::many { printf("%d %d %d %d\\n", arg0, arg4, args[6], args[7]); }',
    'own$target:::bye { printf("%s %s\\n", copyinstr(arg0), probefunc); ustack(); }',
    'syscall::exit:entry /pid == $target/ { printf("status %d\\n", arg0); }',
]
FIRED = ["2 text 1 work", "1 5 7 1", "farewell last", "4 text 2 work", "1 5 7 2", "farewell last", "status 2"]


@pytest.fixture(params=["sparc -O0", "sparc -O2", "sparcv9 -O2", "sparcv9 -O2 -fPIC"])
def flags(request: pytest.FixtureRequest, tmp_path: Path) -> list[str]:
    """The machine, and flags for the compiler; the program is compiled to main.o."""
    (tmp_path / "own.d").write_text(PROVIDER)
    (tmp_path / "main.c").write_text(PROGRAM)
    chosen: list[str] = request.param.split()
    if compilers.compiler(chosen[0]) is None:
        pytest.skip("no compiler for SPARC: -G, and static probes on it")
    assert main(["-h", "-s", str(tmp_path / "own.d"), "-o", str(tmp_path / "own.h")]) == 0
    compilers.compile_freestanding(chosen[0], str(tmp_path / "main.o"), str(tmp_path / "main.c"), *chosen[1:])
    return chosen


def link(folder: Path) -> tuple[bytes, bytes]:
    """What -G writes."""
    assert main(["-G", "-s", str(folder / "own.d"), "-o", str(folder / "own.o"), str(folder / "main.o")]) == 0
    return (folder / "own.o").read_bytes(), (folder / "main.o").read_bytes()


def test_probes(flags: list[str], tmp_path: Path) -> None:
    first = link(tmp_path)
    assert link(tmp_path) == first
    objects = (str(tmp_path / name) for name in ("main.o", "own.o"))
    compilers.freestanding(flags[0], str(tmp_path / "program"), *objects)
    command = [sys.executable, "-m", "runtime.command", "-q", "-c", str(tmp_path / "program")]
    command += [word for each in CLAUSES for word in ("-n", each)]
    done = run(command, capture_output=True, text=True, timeout=60, check=False)
    lines = [line.strip() for line in done.stdout.splitlines() if line.strip()]
    assert [line for line in lines if "`" not in line] == FIRED, done.stderr
    assert sum(line.startswith("program`_start") for line in lines) == 2  # a stack leads to the bottom
