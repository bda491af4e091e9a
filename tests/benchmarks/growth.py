"""How dtrace grows: by the number of probes, records, keys, processes, threads, lines, symbols.

    python tests/benchmarks/growth.py [--scale 0.1] [--rounds 1] [--only keys,lines] [--html growth.html]

Each curve has four sizes, over three powers of ten.  A point is the processor time and the most memory of a
whole run of dtrace.  `slope` is by which power of its size a curve's time grows over the last ten-fold, less
the time of the smallest run: 1 is linear.  Where it is more than 1.2 the table says so; EXPLAINED has why.
"""

from __future__ import annotations

import argparse
import math
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from peers import CALLS, Measured, spent

CROWD = """
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static int p[2];
static void *wait_here(void *x) { char c; (void)!read(p[0], &c, 1); return x; }
int main(int count, char **words)
{
    long n = atol(words[2]), i;
    pthread_t thread;
    pthread_attr_t small;
    if (pipe(p)) return 1;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 1 << 16);
    for (i = 0; i < n; i++) {
        if (!strcmp(words[1], "threads")) { if (pthread_create(&thread, &small, wait_here, 0)) return 2; }
        else if (fork() == 0) { close(p[1]); wait_here(0); _exit(0); }
    }
    close(p[1]);
    if (!strcmp(words[1], "processes")) while (wait(0) > 0) { }
    return 0;
}
"""
# curves that are not linear, and why
EXPLAINED: dict[str, str] = {}
Run = Callable[[int], Sequence[str]]


class Curve(NamedTuple):
    """What grows, the largest size of it at scale 1, and the command for a size."""

    name: str
    most: int
    command: Run


class Growth:
    """Makes the curves, and the programs and scripts that they need, in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.dtrace = str(Path(sys.executable).parent / "dtrace")
        self.calls = self._compiled("calls", CALLS)
        self.crowd = self._compiled("crowd", CROWD, "-pthread")

    def _compiled(self, name: str, text: str, *flags: str) -> str:
        path = self.folder / name
        if not path.exists():
            subprocess.run(["cc", "-O1", "-x", "c", "-", *flags, "-o", path], input=text.encode(), check=True)
        return str(path)

    def _functions(self, count: int) -> str:
        return self._compiled(f"functions{count}", "".join(
            f"int function_{n}(int a){{return a+{n};}}\n" for n in range(count)) + "int main(){return 0;}\n")

    def _script(self, count: int) -> str:
        path = self.folder / f"{count}.d"
        path.write_text("BEGIN { n = 0; }\n" + "".join(
            f"syscall::read:entry /arg0 == {n}/ {{ @[{n}] = sum(arg2); }}\n" for n in range(count - 1)))
        return str(path)

    def _run(self, clause: str, *command: object) -> Sequence[str]:
        return [self.dtrace, "-q", "-n", clause, "-c", " ".join(map(str, command))]

    def curves(self) -> list[Curve]:
        """All of them."""
        run, calls, crowd, million = self._run, self.calls, self.crowd, 1_000_000
        leaf = "pid$target::leaf:entry"
        return [
            Curve("probes", 100_000, lambda n: run("pid$target::function_*:entry{@=count()}",
                                                   self._functions(n))),
            Curve("records", million, lambda n: run(leaf + "{trace(arg0)}", calls, "leaf", n)),
            Curve("keys", million, lambda n: run(leaf + "{@[arg0]=count()}", calls, "leaf", n)),
            Curve("processes", 1_000, lambda n: run("proc:::exec{@=count()}", crowd, "processes", n)),
            Curve("threads", 1_000, lambda n: run("proc:::lwp-start{@=count()}", crowd, "threads", n)),
            Curve("lines", 2_000, lambda n: [self.dtrace, "-e", "-s", self._script(n)]),
            Curve("symbols", 100_000, lambda n: run("pid$target::function_0:entry{@=count()}",
                                                    self._functions(n))),
        ]


def measure(curve: Curve, scale: float, rounds: int) -> list[tuple[int, Measured]]:
    """Return the points of a curve."""
    points = []
    for power in (1000, 100, 10, 1):
        size = max(int(curve.most * scale / power), 1)
        command = curve.command(size)
        runs = [spent(command) for _ in range(rounds)]
        points.append((size, Measured(statistics.median(each.seconds for each in runs),
                                      max(each.bytes for each in runs))))
    return points


def slope(points: Sequence[tuple[int, Measured]]) -> float:
    """By which power of its size the time grows over the last ten-fold; 0 where that is too little to say."""
    least = points[0][1].seconds
    before, last = (each.seconds - least for _size, each in points[-2:])
    return math.log10(last / before) if before > 0.1 and last > 0 else 0.0


def verdict(name: str, points: Sequence[tuple[int, Measured]]) -> str:
    steep = slope(points)
    if steep <= 1.2:
        return f"{steep:5.2f}"
    return f"{steep:5.2f}  {EXPLAINED.get(name, 'MORE THAN LINEAR')}"


def picture(name: str, points: Sequence[tuple[int, Measured]]) -> str:
    """A curve as SVG, both axes logarithmic; the grey line is linear growth up to the last point."""
    def place(size: float, seconds: float) -> str:
        first, last = points[0][0], points[-1][0]
        across = 30 + 240 * math.log10(size / first) / max(math.log10(last / first), 1)
        return f"{across:.1f},{120 - 30 * (math.log10(max(seconds, 1e-3)) + 1.5):.1f}"

    end = points[-1]
    line = " ".join(place(size, each.seconds) for size, each in points)
    straight = " ".join(place(size, end[1].seconds * size / end[0]) for size, _each in points[1:])
    labels = "".join(f'<text x="{place(size, 1).split(",")[0]}" y="175">{size:,}</text>'
                     f'<text x="{place(size, 1).split(",")[0]}" y="190">{each.seconds:.2f} s</text>'
                     for size, each in points)
    return (f'<figure><figcaption>{name}: slope {verdict(name, points)}</figcaption>'
            f'<svg viewBox="0 0 330 200" width="330"><polyline class="linear" points="{straight}"/>'
            f'<polyline points="{line}"/>{labels}</svg></figure>')


PAGE = """<!doctype html><meta charset="utf-8"><title>Growth</title>
<style>body {{ font: 14px sans-serif }} figure {{ display: inline-block; margin: 8px }}
svg {{ background: #f7f7f7 }} text {{ font-size: 10px; text-anchor: middle }}
polyline {{ fill: none; stroke: #14508c; stroke-width: 2 }}
.linear {{ stroke: #bbb; stroke-width: 1 }}</style>
<h1>How dtrace grows</h1>{}
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--scale", type=float, default=1.0, help="share of the largest sizes")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--only", default="", help="names of curves, with commas between")
    parser.add_argument("--html", type=Path, help="write a page with pictures, too")
    options = parser.parse_args()
    pictures = []
    with tempfile.TemporaryDirectory() as folder:
        for curve in Growth(Path(folder)).curves():
            if options.only and curve.name not in options.only.split(","):
                continue
            points = measure(curve, options.scale, options.rounds)
            shown = "".join(f"  {size:>9,} {each.seconds:6.2f} s {each.bytes / 1e6:5.0f} MB"
                            for size, each in points)
            print(f"{curve.name:10}{shown}   slope {verdict(curve.name, points)}", flush=True)
            pictures.append(picture(curve.name, points))
    if options.html:
        options.html.write_text(PAGE.format("".join(pictures)))


if __name__ == "__main__":
    main()
