"""What traps cost: a hit, placing and removing, and a program without any.

    python tests/benchmarks/fasttrap.py

Prints figures and their ratio to a bare callback of the engine's, measured in
the same run.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "unit" / "providers" / "fasttrap"))

from harness import Machine

from runtime.kernel.engine import RIP

CALLS = 300_000
PROGRAM = """
#include <stdlib.h>
__attribute__((noinline)) long f(long x) { __asm__ volatile (""); return x * 3 + 1; }
int main(int c, char **v)
{
    long s = 0;
    for (long i = atol(v[1]); i > 0; i--)
        s += f(i);
    return (int)(s & c & 0);
}
"""


def cpu(function: Callable[[], object]) -> float:
    """Seconds of processor time."""
    start = time.process_time()
    function()
    return time.process_time() - start


def run(program: str, prepare: Callable[[Machine, object], None] | None = None, calls: int = CALLS) -> float:
    """Seconds that so many calls take, after `prepare(machine, process)`."""
    machine = Machine()
    process = machine.start(program, str(calls))
    if prepare is not None:
        prepare(machine, process)
    return cpu(lambda: machine.run(process))


def unarmed(program: str, load: bool) -> float:
    """Seconds of a whole run with no probe enabled, fasttrap loaded or not."""
    machine = Machine()
    process = machine.spawn(program, str(100 * CALLS))
    if load:
        machine.probes(f"pid{process.pid}:a.out:f:entry")
    return cpu(lambda: machine.run(process))


def bare(machine: Machine, process: object) -> None:
    """A trap whose callback only says where to go on."""
    enable(machine, process)
    (traced,) = machine.fasttrap.tracepoints.spaces.values()
    (point,) = traced.points.values()
    regs, go = machine.kernel.engine.regs, point.go

    def trap(_pc: int) -> bool:
        regs[RIP] = go
        return True
    machine.kernel.engine.on_trap = trap


def enable(machine: Machine, process: object) -> None:
    """A probe on the entry of f, whose first instruction is displaced, that counts."""
    hits = [0]

    def fire(*_args: int) -> None:
        hits[0] += 1
    machine.enable(machine.probes(f"pid{process.pid}:a.out:f:entry"), fire)  # type: ignore[attr-defined]


def placing(count: int) -> tuple[float, float]:
    """Seconds to place and to remove `count` tracepoints in the C library."""
    machine = Machine()
    process = machine.start("/bin/ls")
    (libc,) = [each for each in machine.fasttrap.objects.of(process) if each.name.startswith("libc.so")]
    space = machine.fasttrap.tracepoints.of(process)
    isa = space.isa
    places: list[int] = []
    for function in libc.file.functions:
        code = libc.file.code(function.start, function.size)
        places += [each.address + libc.bias for each in isa.walk(code, function.start)]
        if len(places) >= count:
            break
    places = [place for place in places if str(space.plan(place).treatment) != "refused"][:count]
    key = object()
    added = cpu(lambda: [space.add(place, key, lambda thread, regs: None) for place in places])
    removed = cpu(lambda: [space.remove(place, key) for place in places])
    assert not space.points
    return added, removed


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "calls")
        subprocess.run(["gcc", "-O1", "-x", "c", "-", "-o", program], input=PROGRAM.encode(), check=True)
        unloaded, loaded = (min(unarmed(program, load) for _ in range(3)) for load in (False, True))
        nothing = run(program)
        callback = (run(program, bare) - nothing) / CALLS * 1e6
        hit = (run(program, enable) - nothing) / CALLS * 1e6
    print(f"bare callback, instruction displaced   {callback:6.2f} µs")
    print(f"hit of a counting probe                {hit:6.2f} µs   {hit / callback:.2f} times as long")
    print(f"program with none armed                {loaded:6.3f} s    {loaded / unloaded:.2f} times as long")
    for count in (2500, 5000, 10000):
        added, removed = placing(count)
        print(f"{count:6} tracepoints   placed {added / count * 1e6:6.1f} µs each, "
              f"removed {removed / count * 1e6:6.1f} µs each")


if __name__ == "__main__":
    main()
