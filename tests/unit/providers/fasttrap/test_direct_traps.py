"""Traps that machine code leads to what fires there: everything is as where each trap is looked up."""

from __future__ import annotations

import subprocess
from collections import Counter

import atonce
import compilers
import pytest
from harness import Machine

from runtime.kernel.base.traps import OFTEN, Hit
from runtime.kernel.cpu import accelerators
from runtime.kernel.cpu.x86.direct import DirectEngine
from runtime.kernel.cpu.x86.directtraps import ENTRIES, TrapTable

FUNCTIONS, ROUNDS = 40, OFTEN + 40  # each begins a page, so that many share entries of the table
PROGRAM = """#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile long sum;
__attribute__((noinline)) void fork_one(void) { if (fork() == 0) _exit(0); wait(NULL); }
#define F(n) __attribute__((noinline)) long f##n(long a) { sum += a; return a * 2; }
%s
static long (*const all[])(long) = {%s};
int main(void)
{
    for (long round = 0; round < %d; round++) {
        for (int each = 0; each < %d; each++)
            all[each](round);
        if (round %% 100 == 99)
            fork_one();
    }
    printf("%%ld\\n", sum);
}
"""
COUNTED = """pid$target:a.out:f[0-9]*:entry { @calls[probefunc] = count(); @sums[probefunc] = sum(arg0); }
pid$target:a.out:f[0-9]*:return { @results[probefunc] = sum(arg1); }
pid$target:a.out:f[0-9]*:return { @when = sum(timestamp); @offset = max(arg0); }
END { printa("%s %@d %@d %@d\\n", @calls, @sums, @results); printa(@when); printa(@offset); }"""
SCRIPTS = [
    # errors, another clause on a probe, a thread that stops or gets a signal where it is hit
    """pid$target::f7:entry /++n > 290/ { trace(*(long *)0); } pid$target::f7:entry { @[arg0 % 3] = count(); }
    ERROR { @faults[arg4, timestamp] = count(); }""",
    """pid$target::f7:entry /++n == 280/ { stop(); system("kill -CONT %d", pid); }
    pid$target::f8:return /++m == 280/ { raise(28); } proc:::signal-discard { trace(timestamp); }
    proc:::exit { trace(n); trace(m); }""",
    # tracing ends at a hit, and the program goes on without
    "pid$target::f7:entry, pid$target::f9:return /++n == 570/ { trace(timestamp); exit(0); }",
]


@pytest.fixture(scope="module", params=["-m64", "-m32"])
def program(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    source, path = (tmp_path_factory.mktemp("traps") / name for name in ("traps.c", "traps"))
    made, named = ("".join(form.format(each) for each in range(FUNCTIONS)) for form in ("F({})\n", "f{},"))
    source.write_text(PROGRAM % (made, named, ROUNDS, FUNCTIONS))
    command = compilers.building([request.param, "-O1", "-falign-functions=4096", "-o", str(path),
                                  str(source)])
    if command is None:
        pytest.skip("no compiler for such programs")
    subprocess.run(command, check=True, capture_output=True)
    return str(path)


def traced(program: str, script: str, looked_up: str) -> str:
    done = atonce.run(["dtrace", "-wq", "-x", "env=clean", "-n", script, "-c", program], check=True,
                      variables={accelerators.CALLED_TRAPS: looked_up})
    return done.stdout + done.stderr


def test_many_traps_are_each_hit_as_often_as_they_are_reached(program: str) -> None:
    found = traced(program, COUNTED, "")
    total = sum(range(ROUNDS))
    rows = dict(line.split(" ", 1) for line in found.splitlines() if line.startswith("f"))
    assert rows == {f"f{each}": f"{ROUNDS} {total} {2 * total}" for each in range(FUNCTIONS)}
    assert found == traced(program, COUNTED, "1")


@pytest.mark.parametrize("script", SCRIPTS, ids=range(len(SCRIPTS)))
def test_what_happens_at_a_hit_is_the_same(program: str, script: str) -> None:
    found = traced(program, script, "")
    assert found == traced(program, script, "1")
    assert found.strip()


def test_only_the_first_hits_are_looked_up(program: str, monkeypatch: pytest.MonkeyPatch,
                                           capfd: pytest.CaptureFixture[str]) -> None:
    """An exception ends the run, wherever it was raised."""
    looked_up, hits = Counter[str](), Counter[str]()
    look_up = DirectEngine._trap

    def counting(engine: DirectEngine) -> None:
        looked_up["f7"] += 1
        look_up(engine)

    def fire(*_args: int) -> None:
        hits["f7"] += 1
        if hits["f7"] == ROUNDS - 1:
            raise InterruptedError("here")

    monkeypatch.setattr(DirectEngine, "_trap", counting)
    machine = Machine()
    process = machine.start(program)
    machine.enable(machine.probes(f"pid{process.pid}:a.out:f7:entry"), fire)
    with pytest.raises(InterruptedError, match="here"):
        machine.run(process)
    machine.close()
    assert hits["f7"] == ROUNDS - 1 > looked_up["f7"] >= OFTEN


def test_two_traps_with_one_entry() -> None:
    """The first has it until that is dropped."""
    table = TrapTable()
    first, second = 0x401000, 0x401000 + ENTRIES * 256
    assert table.add(first, Hit(1, int)) and not table.add(second, Hit(2, int))
    table.drop(second)
    assert not table.add(second, Hit(2, int))
    table.drop(first)
    assert table.add(second, Hit(2, int)) and not table.add(first, Hit(1, int))
