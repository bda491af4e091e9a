"""What each kind of probe and each action costs: one table, as runtime/manual/performance.md has it.

    python tests/benchmarks/costs.py [--rounds 3] [--hits 50000] [--only "trace,count"]

A cost is the processor time of a run whose program comes by a probe so many times, less that of a run whose
program does not, by the number of firings.  Every row has the whole cost of a firing: the probe, the clause
and, where something is printed, the line.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from peers import CALLS, spent

MARKED = """
#include <stdlib.h>
#include <sys/sdt.h>
int main(int count, char **words)
{
    long n = atol(words[2]), i;
    for (i = 0; i < n; i++) DTRACE_PROBE1(shop, sale, i);
    return 0;
}
"""
COUNT = "{ @ = count(); }"
# kinds of probes: the description, and what the program does
PROBES = {
    "`pid`: entry": ("pid$target::leaf:entry", "leaf"),
    "`pid`: return": ("pid$target::leaf:return", "leaf"),
    "`pid`: an instruction": ("pid$target::leaf:0", "leaf"),
    "USDT": ("shop$target:::sale", "sale"),
    "`syscall`": ("syscall::getppid:entry", "getppid"),
    "`fbt`": ("fbt::getppid:entry", "getppid"),
}
# actions, on the first of these
ACTIONS = [
    "@ = count();", "@ = sum(arg0);", "@ = quantize(arg0);", "@ = stddev(arg0);", "@[arg0 & 15] = count();",
    "@[execname, probefunc] = count();", "@[arg0] = count();", "@[ustack(5)] = count();", "n++;",
    "this->x = arg0; n = this->x;", "a[arg0 & 15]++;", "self->t = timestamp;", "n = timestamp;",
    "n = vtimestamp;", "n = strlen(execname);", 's = strjoin("a", execname);', "trace(arg0);",
    'printf("%d %s\\n", arg0, execname);', "ustack(5);", "tracemem(curthread, 64);",
]
PREDICATE = "/arg0 == -1/ { trace(arg0); }"
TIMED = "a firing of `profile-1ms`"


class Costs:
    """Runs dtrace on the programs."""

    def __init__(self, folder: Path, rounds: int, hits: int) -> None:
        self.rounds, self.hits, self.folder = rounds, hits, folder
        self.dtrace = str(Path(sys.executable).parent / "dtrace")
        (folder / "sys").mkdir()
        subprocess.run([self.dtrace, "-h", "-x", "header=sys", "-o", folder / "sys" / "sdt.h"], check=True)
        self.calls, self.marked = self._compiled("calls", CALLS), self._compiled("marked", MARKED)

    def _compiled(self, name: str, text: str) -> str:
        path = self.folder / name
        subprocess.run(["cc", "-O1", "-x", "c", "-", "-I", self.folder, "-o", path], input=text.encode(),
                       check=True)
        return str(path)

    def _middle(self, *arguments: str) -> float:
        return statistics.median(spent([self.dtrace, "-q", *arguments]).seconds for _ in range(self.rounds))

    def firing(self, clause: str, kind: str) -> float:
        """Seconds of one firing of a clause."""
        program = self.marked if kind == "sale" else self.calls
        whole, start = (self._middle("-n", clause, "-c", f"{program} {kind} {count}")
                        for count in (self.hits, 0))
        return max(whole - start, 0) / self.hits

    def timed(self) -> float:
        """Seconds of one firing at a rate."""
        whole, start = (self._middle("-n", f"profile-1ms {COUNT} tick-{seconds}s {{ exit(0); }}")
                        for seconds in (21, 1))
        return max(whole - start, 0) / 20_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--hits", type=int, default=50_000)
    parser.add_argument("--only", default="", help="words in the names of rows, with commas between")
    options = parser.parse_args()

    def wanted(name: str) -> bool:
        return not options.only or any(word in name for word in options.only.split(","))

    def show(name: str, seconds: float) -> None:
        print(f"| {name} | {1e6 * seconds:.2f} µs |", flush=True)

    with tempfile.TemporaryDirectory() as name:
        costs = Costs(Path(name), options.rounds, options.hits)
        print("| probe, with `@ = count()` | a firing |\n|---|---|")
        for probe, (description, kind) in PROBES.items():
            if wanted(probe):
                show(probe, costs.firing(description + COUNT, kind))
        if wanted(TIMED):
            show(TIMED, costs.timed())
        print("\n| clause, on `pid` entry | a firing |\n|---|---|")
        for action in ACTIONS:
            if wanted(action):
                show(f"`{action}`", costs.firing(f"pid$target::leaf:entry {{ {action} }}", "leaf"))
        if wanted(PREDICATE):
            show("a predicate that is false", costs.firing(f"pid$target::leaf:entry {PREDICATE}", "leaf"))


if __name__ == "__main__":
    main()
