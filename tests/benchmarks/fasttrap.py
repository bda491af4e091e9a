"""What traps cost: a hit, placing and removing, a program without any; and what other tracers take.

    python tests/benchmarks/fasttrap.py

Prints figures and their ratios, measured in the same run.  The other tracers (those of ltrace, gdb and
bpftrace that are installed and may be used) trace the same function of the same program, natively.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "unit" / "providers" / "fasttrap"))

from harness import Machine

from runtime.consumer.consumer import Consumer
from runtime.kernel.cpu.x86.engine import RBP, REG_RFLAGS, RIP, RSP
from runtime.machine import Machine as WholeMachine
from runtime.providers.fasttrap.instructions.space import Tracepoint

CALLS = 300_000
FEW = 3_000  # calls under tracers that stop the process
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


def clause(program: str, text: str) -> float:
    """Seconds that the calls take with a D clause at the entry of f, fused and translated as always."""
    machine = WholeMachine()
    process = machine.spawn([program, str(CALLS)])
    with Consumer.open(machine) as dtrace:
        dtrace.enable(dtrace.compile(f"pid{process.pid}:a.out:f:entry {text}").program)
        dtrace.go()
        process.resume()
        seconds = cpu(machine.kernel.run)
        dtrace.stop()
        dtrace.snapshot()
        assert [entry.value.scalar for entry in dtrace.aggregations.walk()] == [CALLS]
    machine.close()
    return seconds


# -- other tracers -----------------------------------------------------------------------------------

GDB = """
class Counting(gdb.Breakpoint):
    hits = 0
    def stop(self):
        if int(gdb.parse_and_eval("$rdi")) > 0:
            self.hits += 1
        return False
breakpoint = Counting("*f")
gdb.execute("run", to_string=True)
assert breakpoint.hits == %d, breakpoint.hits
"""


def wall(*command: str) -> float:
    """Seconds of a native command.  Raises subprocess.CalledProcessError."""
    start = time.perf_counter()
    subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   check=True, timeout=300)
    return time.perf_counter() - start


def others(program: str, folder: str) -> Iterator[tuple[str, float | None]]:
    """Microseconds a hit of each other tracer, without its start; None where it is not allowed."""
    script = os.path.join(folder, "count.py")

    def gdb(calls: int) -> float:
        Path(script).write_text(GDB % calls)
        return wall("gdb", "-batch", "-nx", "-x", script, "--args", program, str(calls))

    def ltrace(calls: int) -> float:
        return wall("ltrace", "-o", os.devnull, "-x", "f", "-e", "nothing", program, str(calls))

    def bpftrace(calls: int) -> float:
        return wall("bpftrace", "-e", f"uprobe:{program}:f /arg0 > 0/ {{ @ = count(); }}",
                    "-c", f"{program} {calls}")
    for name, tracer, calls in (("gdb", gdb, FEW), ("ltrace", ltrace, FEW), ("bpftrace", bpftrace, CALLS)):
        if shutil.which(name) is not None:
            try:
                yield name, (tracer(calls) - tracer(1)) / calls * 1e6
            except subprocess.CalledProcessError:
                yield name, None


# -- which instructions to emulate -------------------------------------------------------------------

KINDS = """
    .text
    .type f, @function
f:
at_endbr64: endbr64
at_push: push %rbp
    mov %rsp, %rbp
at_sub: sub $32, %rsp
at_nop: nop
at_leave: leave
at_ret: ret
    .size f, .-f
    .globl main
main:
    push %rbx
    mov 8(%rsi), %rdi
    call atol
    mov %rax, %rbx
1:  call f
    dec %rbx
    jnz 1b
    pop %rbx
    xor %eax, %eax
    ret
    .globl at_endbr64, at_push, at_sub, at_nop, at_leave, at_ret
    .section .note.GNU-stack, "", @progbits
"""


def emulation(kind: str, machine: Machine, space: Any, point: Tracepoint) -> Callable[[Any, Any], None]:
    """What a trap would do in place of an instruction; the last act of its tracepoint."""
    engine, after = machine.kernel.engine, point.address + point.plan.size

    def push(_thread: object, regs: Any) -> None:
        stack = regs[RSP] - 8
        space.write(stack, regs[RBP].to_bytes(8, "little"))
        regs[RSP] = stack
        point.go = after

    def sub(_thread: object, regs: Any) -> None:
        old = regs[RSP]
        new = old - 32 & (1 << 64) - 1
        regs[RSP] = new
        flags = ((old < 32) | 2 | ((new & 0xFF).bit_count() & 1 ^ 1) << 2 | ((old ^ new) >> 4 & 1) << 4
                 | (new == 0) << 6 | (new >> 63) << 7 | ((old ^ 32) & (old ^ new)) >> 63 << 11)
        engine.write_register(REG_RFLAGS, engine.read_register(REG_RFLAGS) & ~0x8D5 | flags)
        point.go = after

    def leave(_thread: object, regs: Any) -> None:
        stack = regs[RBP]
        regs[RBP] = int.from_bytes(space.read(stack, 8), "little")
        regs[RSP] = stack + 8
        point.go = after

    def ret(_thread: object, regs: Any) -> None:
        stack = regs[RSP]
        point.go = int.from_bytes(space.read(stack, 8), "little")
        regs[RSP] = stack + 8
    return {"push": push, "sub": sub, "leave": leave, "ret": ret}[kind]


def kind_of_instruction(program: str, kind: str, emulate: bool) -> float:
    """Seconds that the calls take with a counting tracepoint on one instruction."""
    machine = Machine()
    process = machine.start(program, str(CALLS))
    (each,) = [each for each in machine.fasttrap.objects.of(process) if each.is_program]
    address = each.file.symbol_address(f"at_{kind}") + each.bias
    space = machine.fasttrap.tracepoints.of(process)
    hits = [0]

    def count(_thread: object, _regs: object) -> None:
        hits[0] += 1
    point = space.add(address, hits, count)
    if emulate:
        point.acts = count, emulation(kind, machine, process.space, point)
    seconds = cpu(lambda: machine.run(process))
    assert hits[0] == CALLS
    return seconds


def kinds(folder: str) -> None:
    """Print what the commonest instructions take in a slot and emulated."""
    program = os.path.join(folder, "kinds")
    subprocess.run(["gcc", "-x", "assembler", "-static", "-", "-o", program], input=KINDS.encode(),
                   check=True)
    nothing = run(program)
    for kind in ("endbr64", "nop"):
        time_ = (kind_of_instruction(program, kind, False) - nothing) / CALLS * 1e6
        print(f"{kind:8} emulated  {time_:6.2f} µs")
    for kind in ("push", "sub", "leave", "ret"):
        slot, emulated = ((kind_of_instruction(program, kind, how) - nothing) / CALLS * 1e6
                          for how in (False, True))
        print(f"{kind:8} in a slot {slot:6.2f} µs, emulated {emulated:6.2f} µs   "
              f"{emulated / slot:.2f} times as long")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "calls")
        subprocess.run(["gcc", "-O1", "-x", "c", "-", "-o", program], input=PROGRAM.encode(), check=True)
        pairs = [(unarmed(program, load=False), unarmed(program, load=True)) for _ in range(5)]
        unloaded, loaded = map(min, zip(*pairs, strict=True))
        nothing = run(program)
        callback = (run(program, bare) - nothing) / CALLS * 1e6
        hit = (run(program, enable) - nothing) / CALLS * 1e6
        counting = (clause(program, "/arg0 > 0/ { @ = count(); }") - nothing) / CALLS * 1e6
        print(f"bare callback, instruction displaced   {callback:7.2f} µs")
        print(f"hit of a probe, instruction displaced  {hit:7.2f} µs   {hit / callback:.2f} times as long")
        print(f"the same with predicate and count()    {counting:7.2f} µs")
        for name, microseconds in others(program, folder):
            print(f"{name:38} " + ("not allowed here" if microseconds is None else
                                   f"{microseconds:7.2f} µs   {microseconds / counting:.1f} times as long"))
        print(f"program with none armed                {loaded:7.3f} s    "
              f"{loaded / unloaded:.2f} times as long as without the provider")
        kinds(folder)
    for count in (2500, 5000, 10000):
        added, removed = placing(count)
        print(f"{count:6} tracepoints   placed {added / count * 1e6:6.1f} µs each, "
              f"removed {removed / count * 1e6:6.1f} µs each")


if __name__ == "__main__":
    main()
