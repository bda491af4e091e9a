"""Bytes of the host's memory that each thing takes: a machine, a process, a thread, a probe, a key, a record.

    python tests/benchmarks/memory.py [--processes 1000] [--threads 1000] [--probes 10000] [--machines 20]
                                      [--keys 1000000] [--records 100000]

A row compares the most memory that two runs of dtrace had, with many of a thing and with one.  Processes are
all asleep at once: children that are copies of their parent (fork), and programs of the system, linked
dynamically (exec).  Probes are pid probes at the entries of one program's functions.  Machines live side by
side in one process; each has run a program.  Keys are those of one aggregation that is printed; records come
from trace() and are printed.  Of few keys each would take more: what merges many takes some 60 MB.  The last
line is the whole run with all processes at once.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

GOAL = 400 << 20  # bytes of dtrace with 1,000 processes at once
TASKS = r"""
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static void *rest(void *unused) { pause(); return unused; }
int main(int count, char **words)
{
    int many = atoi(words[2]);
    pthread_t thread;
    for (int i = 0; i < many; i++)
        if (!strcmp(words[1], "thread")) {
            if (pthread_create(&thread, NULL, rest, NULL)) return 1;
        } else if (!strcmp(words[1], "call")) {
            getppid();
        } else if (fork() == 0) {
            if (!strcmp(words[1], "exec")) execl("/bin/sleep", "sleep", "2", NULL);
            sleep(2);
            _exit(0);
        }
    usleep(1000);
    if (!strcmp(words[1], "thread")) _exit(0);
    while (wait(NULL) > 0) continue;
    return 0;
}
"""
MACHINES = """
import sys
from runtime.kernel.kernel import Kernel
kept = []
for _ in range(int(sys.argv[1])):
    kernel = Kernel()
    kernel.spawn(["/bin/true"], stopped=False)
    kernel.run()
    kept.append(kernel)
"""


def peak(command: Sequence[str]) -> int:
    """Run a command; returns the most memory that it had, in bytes."""
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    _pid, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f"{' '.join(command)}: status {child.returncode}")
    return usage.ru_maxrss * 1024


def compiled(folder: Path, name: str, text: str) -> str:
    subprocess.run(["cc", "-O0", "-pthread", "-x", "c", "-", "-o", folder / name], input=text, text=True,
                   check=True)
    return str(folder / name)


def row(name: str, few: Sequence[str], many: Sequence[str], count: int) -> int:
    """Print what each of `count` things takes; returns the most memory of the run with all of them."""
    whole = peak(many)
    print(f"{name:24} {(whole - peak(few)) / (count - 1):12,.0f} bytes each   {count:6,} of them", flush=True)
    return whole


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    for name, count in (("machines", 20), ("processes", 1000), ("threads", 1000), ("probes", 10_000),
                        ("keys", 1_000_000), ("records", 100_000)):
        parser.add_argument(f"--{name}", type=int, default=count)
    options = parser.parse_args()
    dtrace = str(Path(sys.executable).with_name("dtrace"))

    def tasks(kind: str, count: int) -> list[str]:
        return [dtrace, "-qn", "BEGIN{}", "-c", f"{program} {kind} {count}"]

    def probing(functions: str) -> list[str]:
        return [dtrace, "-qn", f"pid$target:functions:{functions}:entry{{}}", "-c", traced]

    def counting(action: str, count: int) -> list[str]:
        clause = f"int n; syscall::getppid:entry{{n++; {action};}}"
        return [dtrace, "-qn", clause, "-c", f"{program} call {count}"]

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        program = compiled(folder, "tasks", TASKS)
        traced = compiled(folder, "functions", "int main(void) { return 0; }\n" + "".join(
            f"int f{number:06}(void) {{ return {number}; }}\n" for number in range(options.probes)))
        machine = [sys.executable, "-c", MACHINES]
        row("a machine", [*machine, "1"], [*machine, str(options.machines)], options.machines)
        row("a thread", tasks("thread", 1), tasks("thread", options.threads), options.threads)
        row("a probe", probing("f000000"), probing("f*"), options.probes)
        row("a key", counting("@[n] = count()", 1), counting("@[n] = count()", options.keys), options.keys)
        row("a record", counting("trace(n)", 1), counting("trace(n)", options.records), options.records)
        whole = [row(f"a process ({kind})", tasks(kind, 1), tasks(kind, options.processes), options.processes)
                 for kind in ("fork", "exec")]
    most, limit = max(whole), GOAL * options.processes // 1000
    print(f"{options.processes:,} processes at once: {most / 2**20:.0f} MB; "
          f"goal {limit / 2**20:.0f} MB, {'reached' if most <= limit else 'missed'}")


if __name__ == "__main__":
    main()
