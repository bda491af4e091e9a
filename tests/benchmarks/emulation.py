"""Speed of emulation beside qemu-x86_64 in user mode, in one run; boot time; memory per process.

    python tests/benchmarks/emulation.py [--runs 3] [--traced] [--machine aarch64]

Four static programs (integer loop, qsort, memcpy, hash table).  A figure is the least processor time
of some runs, and the ratio to qemu's; `--traced` adds a cyclic, so that executed work is counted.
Goals: geometric mean at most 2.0, none above 2.5, boot under 150 ms once imported.
"""

from __future__ import annotations

import argparse
import math
import platform
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "programs"))

import qemu

COMPILERS = {"x86_64": "cc", "aarch64": "aarch64-linux-gnu-gcc"}
PROGRAMS = {
    "loop": """
#include <stdio.h>
int main(void)
{
    unsigned long sum = 0;
    for (unsigned long i = 0; i < 200000000UL; i++)
        sum += i ^ (sum >> 3);
    printf("%lu\\n", sum);
}
""",
    "sort": """
#include <stdio.h>
#include <stdlib.h>
static int order(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}
int main(void)
{
    int n = 600000, *numbers = malloc(n * sizeof *numbers);
    unsigned next = 1;
    for (int i = 0; i < n; i++)
        numbers[i] = (next = next * 1103515245 + 12345) >> 1;
    qsort(numbers, n, sizeof *numbers, order);
    printf("%d %d\\n", numbers[0], numbers[n / 2]);
}
""",
    "memcpy": """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void)
{
    enum { SIZE = 1 << 20 };
    char *from = malloc(SIZE), *to = malloc(SIZE);
    memset(from, 1, SIZE);
    for (int i = 0; i < 2000; i++) {
        memcpy(to, from, SIZE);
        from[i] = to[i + 1] + i;
    }
    printf("%d\\n", to[77]);
}
""",
    "hash": """
#include <stdio.h>
#include <stdlib.h>
struct entry { unsigned long key, value; };
int main(void)
{
    unsigned long n = 1 << 20, random = 88172645463325252UL, hits = 0;
    struct entry *table = calloc(n, sizeof *table);
    for (long i = 0; i < 6000000; i++) {
        random ^= random << 13; random ^= random >> 7; random ^= random << 17;
        unsigned long key = random % 600000 + 1, at = key * 0x9E3779B97F4A7C15UL >> 44;
        while (table[at].key && table[at].key != key)
            at = (at + 1) & (n - 1);
        hits += table[at].key != 0;
        table[at].key = key;
        table[at].value += i;
    }
    printf("%lu\\n", hits);
}
""",
}
EMULATED = """
import sys, time
from runtime.kernel.kernel import Kernel
kernel = Kernel()
kernel.spawn([sys.argv[1]], stopped=False)
if sys.argv[2] == "traced":
    kernel.cyclic(10_000_000, lambda: None)
begun = time.process_time()
kernel.run(lambda: not kernel.processes)
print(time.process_time() - begun, file=sys.stderr)
"""
BOOT = """
import time
from runtime.kernel.kernel import Kernel
begun = time.perf_counter()
kernel = Kernel()
process = kernel.spawn(["/bin/true"], stopped=False)
ran = kernel.engine.run
def first():
    print(time.perf_counter() - begun)
    kernel.engine.run = ran
    return ran()
kernel.engine.run = first
kernel.run()
"""
MEMORY = """
from runtime.kernel.kernel import Kernel
kernel = Kernel()
def taken():
    return kernel.memory.size - kernel.memory.free_frames * 4096
def resident():
    return int(open("/proc/self/statm").read().split()[1]) * 4096
kernel.spawn(["/bin/sleep", "100"], stopped=False)
kernel.run(10**9)
frames, bytes_before = taken(), resident()
for _ in range(20):
    kernel.spawn(["/bin/sleep", "100"], stopped=False)
kernel.run(2 * 10**9)
print((taken() - frames) // 20 // 1024, (resident() - bytes_before) // 20 // 1024)
"""


def native_time(command: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def emulated_time(path: Path, traced: bool) -> float:
    command = [sys.executable, "-c", EMULATED, str(path), "traced" if traced else "plain"]
    done = subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    return float(done.stderr)


def measure(folder: Path, machine: str, peer: str, runs: int, traced: bool) -> None:
    ratios = []
    for name, source in PROGRAMS.items():
        path = folder / name
        subprocess.run([COMPILERS[machine], "-O2", "-static", "-x", "c", "-", "-o", path], input=source,
                       text=True, check=True)
        native = ""
        if machine == platform.machine():
            native = f"native {min(native_time([str(path)]) for _ in range(runs)):6.3f} s   "
        theirs = min(native_time([peer, str(path)]) for _ in range(runs))
        ours = min(emulated_time(path, traced) for _ in range(runs))
        ratios.append(ours / theirs)
        print(f"{name:8} {native}{peer} {theirs:6.3f} s   here {ours:6.3f} s   {ours / theirs:5.2f} x",
              flush=True)
    print(f"geometric mean {math.prod(ratios) ** (1 / len(ratios)):.2f} x")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--traced", action="store_true", help="with a timer that makes work be counted")
    parser.add_argument("--machine", choices=COMPILERS, default="x86_64", help="whose programs they are")
    options = parser.parse_args()
    peer = qemu.user_mode(options.machine)
    if peer is None or shutil.which(COMPILERS[options.machine]) is None:
        sys.exit(f"needs qemu-{options.machine} and {COMPILERS[options.machine]}")
    with tempfile.TemporaryDirectory() as folder:
        measure(Path(folder), options.machine, peer, options.runs, options.traced)
    boot = [sys.executable, "-c", BOOT]
    boots = [float(subprocess.check_output(boot, text=True)) for _ in range(options.runs)]
    print(f"boot to first user instruction {1000 * min(boots):.0f} ms")
    frames, host = subprocess.check_output([sys.executable, "-c", MEMORY], text=True).split()
    print(f"one more process: {frames} KiB of the machine's memory, {host} KiB of the host's")


if __name__ == "__main__":
    main()
