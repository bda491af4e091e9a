"""What the commands cost before they do anything: beside `gcc -c`, bare Python, and bpftrace where it is.

    python tests/benchmarks/startup.py [--rounds 15] [--tools DIRECTORY]
    python tests/benchmarks/startup.py --against CHECKOUT [--rounds 41] [--only dc,difas]

Every round runs each command once, so that all of them meet the same load; the
figures are medians over the rounds, of the time that passed and of the
processor time spent.  Byte code is read from a cache that a first run fills, as an installation has it.

With --against, the commands of this checkout run beside those of another one, which `make setup` has set up,
in turn; each line shows the medians of processor time and their ratio.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
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
C_PROBES = '#include "shop.h"\nint main(void)\n{\n\tSHOP_ORDER_DONE(1);\n\treturn 0;\n}\n'
PROVIDER = "provider shop {\n\tprobe order__start(int id, char *customer);\n\tprobe order__done(int);\n};\n"


def file(directory: Path, name: str, text: str) -> str:
    """Write a file and return its path."""
    (directory / name).write_text(text)
    return str(directory / name)


def ours(directory: Path, tools: Path) -> dict[str, list[str]]:
    """Return what to run of this suite, by the name to print; inputs and outputs are in the directory."""
    script = file(directory, "forty.d", D_SCRIPT)
    provider = file(directory, "shop.d", PROVIDER)
    source = file(directory, "shop.c", C_PROBES)
    out, dof, text = str(directory / "out"), str(directory / "forty.dof"), str(directory / "forty.dif")
    header, fresh, linked = (str(directory / name) for name in ("shop.h", "fresh.o", "shop.o"))
    dc, difas, difdis, dtrace = (str(tools / name) for name in ("dc", "difas", "difdis", "dtrace"))
    for each in ([dtrace, "-h", "-s", provider, "-o", header], ["gcc", "-c", source, "-o", fresh],
                 [dc, script, "-o", dof], [dc, script, "--emit", "dif", "-o", text]):
        subprocess.run(each, check=True)
    return {
        "dc one-liner": [dc, "-n", "BEGIN { exit(0); }", "-o", out],
        "dc 40 lines": [dc, script, "-o", out],
        "difas": [difas, text, "-o", out],
        "difdis": [difdis, dof, "-o", out],
        "dtrace -h": [dtrace, "-h", "-s", provider, "-o", out],
        "dtrace -G": ["sh", "-c", f"cp {fresh} {linked}; exec {dtrace} -G -s {provider} -o {out} {linked}"],
        "dtrace -e one-liner": [dtrace, "-e", "-n", "BEGIN { exit(0); }"],
        "dtrace -e 40 lines": [dtrace, "-e", "-s", script],
        "dtrace -l syscall": [dtrace, "-l", "-n", "syscall:::entry"],
        "dtrace one-liner": [dtrace, "-n", "BEGIN { exit(0); }"],
        "dtrace -c true": [dtrace, "-n", "BEGIN", "-c", "/bin/true"],
    }


def others(directory: Path) -> dict[str, list[str]]:
    """Return the commands that ours are compared with."""
    found = {
        "python -c 0": [sys.executable, "-c", "0"],
        "gcc -c": ["gcc", "-c", file(directory, "hello.c", C_SOURCE), "-o", str(directory / "out")],
    }
    bpftrace = shutil.which("bpftrace")
    if bpftrace:
        found["bpftrace -d one-liner"] = [bpftrace, "-d", "-e", "BEGIN { exit(); }"]
        found["bpftrace -d 40 lines"] = [bpftrace, "-d", file(directory, "forty.bt", BPF_SCRIPT)]
        if not os.geteuid():
            found["bpftrace one-liner"] = [bpftrace, "-e", "BEGIN { exit(); }"]
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


def measured(todo: dict[str, list[str]], rounds: int, cache: Path) -> dict[str, tuple[float, float]]:
    """Run all commands in each round; return the medians of milliseconds passed and spent, by name."""
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(cache)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    for command in todo.values():
        run(command, environment)
    times: dict[str, list[tuple[float, float]]] = {each: [] for each in todo}
    for _ in range(rounds):
        for each, command in todo.items():
            times[each].append(run(command, environment))
    return {each: (statistics.median(one[0] for one in all), statistics.median(one[1] for one in all))
            for each, all in times.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description="What the commands cost before they do anything.")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--tools", type=Path, default=Path(sys.executable).parent, help="of the commands")
    parser.add_argument("--against", type=Path, help="another checkout, with its .venv")
    parser.add_argument("--only", default="", help="lines, by how they begin, with commas between")
    options = parser.parse_args()
    chosen = tuple(options.only.split(","))
    with tempfile.TemporaryDirectory() as name:
        here = Path(name)
        if options.against:
            (here / "other").mkdir()
            mine = ours(here, options.tools)
            other = ours(here / "other", options.against / ".venv/bin")
            both = {f"{name}{side}": command[name] for name in mine if name.startswith(chosen)
                    for side, command in ((" of the other", other), ("", mine))}
            compare(measured(both, options.rounds, here / "cache"))
        else:
            todo = {**others(here), **ours(here, options.tools)}
            report(measured(todo, options.rounds, here / "cache"))


def compare(medians: dict[str, tuple[float, float]]) -> None:
    print(f"{'':24}{'other ms':>10}{'this ms':>10}{'ratio':>8}   (processor time)")
    for name, (_, cpu) in medians.items():
        if f"{name} of the other" in medians:
            other = medians[f"{name} of the other"][1]
            print(f"{name:24}{other:10.1f}{cpu:10.1f}{cpu / other:8.3f}", flush=True)


def report(medians: dict[str, tuple[float, float]]) -> None:
    reference = "bpftrace -d 40 lines" if "bpftrace -d 40 lines" in medians else "gcc -c"
    passed, spent = medians[reference]
    print(f"{'':24}{'passed ms':>10}{'ratio':>8}{'CPU ms':>10}{'ratio':>8}   (ratios to {reference})")
    for name, (wall, cpu) in medians.items():
        print(f"{name:24}{wall:10.1f}{wall / passed:8.2f}{cpu:10.1f}{cpu / spent:8.2f}")


if __name__ == "__main__":
    main()
