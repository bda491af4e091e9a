"""Tables of many keys: the same scripts with compiled columns and without, from first hit to last line.

    python tests/benchmarks/aggregation.py [--least 100] [--most 1000000] [--rounds 1] [--only printa,trunc]

A figure is processor time and the most memory of a whole run of dtrace, less that of the same run whose
clause has one key.  Without columns the consumer makes objects of all rows, as it does for small tables.
Both must print the same.  The least number of keys from which columns pay stands in
runtime.consumer.aggregations.aggregate as BULK.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

PROGRAM = """
#include <stdlib.h>
static volatile long sum;
__attribute__((noinline)) long leaf(long key) { sum += key; return sum; }
int main(int count, char **words)
{
    long n = atol(words[1]), i;
    for (i = 0; i < n; i++) leaf(i * 7919 % 9999991);
    return 0;
}
"""
# what each clause aggregates, and what is done with it at the end; K is the key
SCRIPTS = {
    "integers": ("@[K]=count()", ""),
    "strings": ("@[lltostr(K)]=sum(K)", ""),
    "two keys": ("@[K,lltostr(K)]=avg(K)", ""),
    "printa": ("@[K]=max(K)", 'printa("%d %@d\\n",@); trunc(@);'),
    "printa of two": ("@a[K]=count();@b[K]=sum(K)", 'printa("%d %@d %@d\\n",@a,@b); trunc(@a); trunc(@b);'),
    "normalized": ("@[K]=sum(K)", "normalize(@,3);"),
    "the best ten": ("@[K]=sum(K)", "trunc(@,10);"),
    "deviation": ("@[K]=stddev(K)", ""),
    "quantize": ("@[K%1000]=quantize(K)", ""),
    "distributions": ("@[K]=lquantize(K,0,100,10)", "trunc(@,20);"),
}
CHILD = """
import sys
from runtime.command.entries import dtrace
from runtime.consumer.aggregations import aggregate
if sys.argv.pop(1) == "without":
    aggregate.BULK = 1 << 62
sys.exit(dtrace())
"""


class Run(NamedTuple):
    """Processor seconds, bytes of memory, and a digest of what was printed."""

    seconds: float
    memory: int
    printed: str


def run(program: Path, script: tuple[str, str], keys: int, way: str, key: str) -> Run:
    """One run of dtrace."""
    clause, end = script
    text = f"pid$target::leaf:entry{{{clause.replace('K', key)}}} END{{{end}}}"
    command = [sys.executable, "-c", CHILD, way, "-q", "-x", "aggmemory=4g", "-n", text, "-c",
               f"{program} {keys}"]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, env=os.environ | {"PYTHONPATH": os.getcwd()})
    assert child.stdout is not None
    digest = hashlib.sha256()
    while part := child.stdout.read(1 << 20):
        digest.update(part)
    _pid, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit(f"{text}: status {child.returncode}")
    return Run(usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, digest.hexdigest())


def middle(runs: list[Run]) -> Run:
    return Run(statistics.median(each.seconds for each in runs), max(each.memory for each in runs),
               runs[0].printed)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--least", type=int, default=100)
    parser.add_argument("--most", type=int, default=1_000_000)
    parser.add_argument("--factor", type=int, default=10, help="from one number of keys to the next")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--only", default="", help="scripts, with commas between")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "calls"
        subprocess.run(["cc", "-O1", "-x", "c", "-", "-o", program], input=PROGRAM.encode(), check=True)
        print(f"{'script':14} {'keys':>10} {'with':>16} {'without':>16}   without / with")
        for name, script in SCRIPTS.items():
            if options.only and name not in options.only.split(","):
                continue
            keys = options.least
            while keys <= options.most:
                found = {way: middle([run(program, script, keys, way, "arg0") for _ in range(options.rounds)])
                         for way in ("with", "without")}
                base = middle([run(program, script, keys, "with", "0") for _ in range(options.rounds)])
                if found["with"].printed != found["without"].printed:
                    raise SystemExit(f"{name}, {keys} keys: the two ways print different things")
                cost = {way: each.seconds - base.seconds for way, each in found.items()}
                shown = " ".join(f"{cost[way]:7.2f} s {each.memory / 1e6:4.0f} MB"
                                 for way, each in found.items())
                print(f"{name:14} {keys:10,} {shown}   {cost['without'] / max(cost['with'], 1e-3):8.2f}",
                      flush=True)
                keys *= options.factor


if __name__ == "__main__":
    main()
