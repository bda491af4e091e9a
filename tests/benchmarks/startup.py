"""What the commands cost before they do anything: beside `gcc -c`, bare Python, and bpftrace where it is.

    python tests/benchmarks/startup.py [rounds] [directory of the commands]

Every round runs each command once, so that all of them meet the same load; the
figures are medians over the rounds, of the time that passed and of the
processor time spent.  Byte code is read from a cache that a first run fills, as an installation has it.
"""

from __future__ import annotations

import os
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

ROUNDS = 15

D_SCRIPT = r"""#!/usr/sbin/dtrace -s
#pragma D option quiet
#pragma D option strsize=64

dtrace:::BEGIN
{
	printf("%-20s %6s %8s %s\n", "TIME", "PID", "LATENCY", "COMM");
	slow = 0;
}

syscall::read:entry,
syscall::write:entry
/pid != $pid && arg2 > 0/
{
	self->start = timestamp;
	self->size = arg2;
	@calls[execname, probefunc] = count();
}

syscall::read:return,
syscall::write:return
/self->start/
{
	this->elapsed = timestamp - self->start;
	@latency[probefunc] = quantize(this->elapsed / 1000);
	@bytes[execname] = sum(self->size);
	slow += this->elapsed > 1000000 ? 1 : 0;
	self->start = 0;
	self->size = 0;
}

syscall::openat:entry
{
	@files[copyinstr(arg1)] = lquantize(arg2, 0, 100, 10);
}

profile:::tick-1s
/slow > 10/
{
	printa("%-16s %-16s %@d\n", @calls);
	exit(0);
}
"""

# The same program in bpftrace's language; without `args->`, for which it would parse kernel types.
BPF_SCRIPT = r"""#!/usr/bin/bpftrace
/*
 * How long reads and writes take.
 */

BEGIN
{
	printf("%-20s %6s %8s %s\n", "TIME", "PID", "LATENCY", "COMM");
	@slow = 0;
}

kprobe:vfs_read,
kprobe:vfs_write
/pid != 1 && arg2 > 0/
{
	@start[tid] = nsecs;
	@size[tid] = arg2;
	@calls[comm, probe] = count();
}

kretprobe:vfs_read,
kretprobe:vfs_write
/@start[tid]/
{
	$elapsed = nsecs - @start[tid];
	@latency[probe] = hist($elapsed / 1000);
	@bytes[comm] = sum(@size[tid]);
	@slow += $elapsed > 1000000 ? 1 : 0;
	delete(@start[tid]);
	delete(@size[tid]);
}

kprobe:do_sys_openat2
{
	@files[str(arg1)] = lhist(arg0, 0, 100, 10);
}

interval:s:1
/@slow > 10/
{
	print(@calls);
	exit();
}
"""

C_SOURCE = '#include <stdio.h>\nint main(void)\n{\n\tprintf("%d\\n", 1);\n\treturn 0;\n}\n'
PROVIDER = "provider shop {\n\tprobe order__start(int id, char *customer);\n\tprobe order__done(int);\n};\n"


def commands(directory: Path, tools: Path) -> dict[str, list[str]]:
    """What to run, by the name to print; inputs and outputs are in the directory."""
    def file(name: str, text: str) -> str:
        (directory / name).write_text(text)
        return str(directory / name)

    script = file("forty.d", D_SCRIPT)
    provider = file("shop.d", PROVIDER)
    out = str(directory / "out")
    dc, dtrace = str(tools / "dc"), str(tools / "dtrace")
    found = {
        "python -c 0": [sys.executable, "-c", "0"],
        "gcc -c": ["gcc", "-c", file("hello.c", C_SOURCE), "-o", out],
        "dc one-liner": [dc, "-n", "BEGIN { exit(0); }", "-o", out],
        "dc 40 lines": [dc, script, "-o", out],
        "dtrace -h": [dtrace, "-h", "-s", provider, "-o", out],
        "dtrace -e one-liner": [dtrace, "-e", "-n", "BEGIN { exit(0); }"],
        "dtrace -e 40 lines": [dtrace, "-e", "-s", script],
        "dtrace -l syscall": [dtrace, "-l", "-n", "syscall:::entry"],
        "dtrace one-liner": [dtrace, "-n", "BEGIN { exit(0); }"],
    }
    bpftrace = shutil.which("bpftrace")
    if bpftrace:
        found["bpftrace -d one-liner"] = [bpftrace, "-d", "-e", "BEGIN { exit(); }"]
        found["bpftrace -d 40 lines"] = [bpftrace, "-d", file("forty.bt", BPF_SCRIPT)]
    return found


def run(command: list[str], environment: dict[str, str]) -> tuple[float, float]:
    """Milliseconds: passed, and spent by the process and its children.  Raises where it fails."""
    quiet = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_WRONLY, 0) for fd in (1, 2)]
    begin = time.perf_counter()
    child = os.posix_spawnp(command[0], command, environment, file_actions=quiet)
    _, status, usage = os.wait4(child, 0)
    passed = time.perf_counter() - begin
    if status:
        raise SystemExit(f"{' '.join(command)}: exit status {os.waitstatus_to_exitcode(status)}")
    return passed * 1000, (usage.ru_utime + usage.ru_stime) * 1000


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS
    tools = Path(sys.argv[2] if len(sys.argv) > 2 else os.path.dirname(sys.executable))
    with tempfile.TemporaryDirectory() as name:
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(Path(name) / "cache")}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        todo = commands(Path(name), tools)
        for command in todo.values():
            run(command, environment)
        times: dict[str, list[tuple[float, float]]] = {each: [] for each in todo}
        for _ in range(rounds):
            for each, command in todo.items():
                times[each].append(run(command, environment))
    report({each: (statistics.median(one[0] for one in all), statistics.median(one[1] for one in all))
            for each, all in times.items()})


def report(medians: dict[str, tuple[float, float]]) -> None:
    reference = "bpftrace -d 40 lines" if "bpftrace -d 40 lines" in medians else "gcc -c"
    passed, spent = medians[reference]
    print(f"{'':24}{'passed ms':>10}{'ratio':>8}{'CPU ms':>10}{'ratio':>8}   (ratios to {reference})")
    for name, (wall, cpu) in medians.items():
        print(f"{name:24}{wall:10.1f}{wall / passed:8.2f}{cpu:10.1f}{cpu / spent:8.2f}")


if __name__ == "__main__":
    main()
