"""How long -G takes: beside `ld -r` of the same objects, and beside SystemTap's dtrace where there is one.

    python tests/benchmarks/usdt_link.py [objects] [sites per object]

Each figure is the best of several runs.  SystemTap's -G never looks at the
objects: it compiles semaphores, whatever there is to link.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

RUNS = 5
SYSTEMTAP = "/usr/bin/dtrace"
PROVIDER = "provider bench {{\n{}\n}};\n"


def best(action: Callable[[], object], before: Callable[[], object] = lambda: None) -> float:
    """Seconds of the quickest run; `before` is not measured."""
    times = []
    for _ in range(RUNS):
        before()
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return min(times)


def run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True)


class Project:
    """Objects with probe sites, kept pristine to be copied before each run."""

    def __init__(self, directory: Path, dtrace: str, objects: int, sites: int) -> None:
        self.directory = directory
        self.dtrace = dtrace
        probes = "\n".join(f"\tprobe p{number}(int, char *);" for number in range(10))
        self.script = directory / "bench.d"
        self.script.write_text(PROVIDER.format(probes))
        run(dtrace, "-h", "-s", str(self.script), "-o", str(directory / "bench.h"))
        self.pristine = directory / "pristine"
        self.pristine.mkdir()
        for number in range(objects):
            calls = "".join(f'\tBENCH_P{each % 10}({each}, "x");\n' for each in range(sites))
            source = directory / f"o{number}.c"
            source.write_text(f'#include "bench.h"\nvoid f{number}(void)\n{{\n{calls}}}\n')
            run("gcc", "-O2", "-g", "-c", str(source), "-o", str(self.pristine / f"o{number}.o"))
        self.objects = [str(directory / each.name) for each in sorted(self.pristine.iterdir())]

    def restore(self) -> None:
        for each in self.objects:
            shutil.copyfile(self.pristine / Path(each).name, each)

    def link(self) -> None:
        run(self.dtrace, "-G", "-s", str(self.script), "-o", str(self.directory / "bench.o"), *self.objects)

    def relink(self) -> None:
        run("ld", "-r", "-o", str(self.directory / "all.o"), *self.objects)

    def systemtap(self) -> None:
        run(SYSTEMTAP, "-G", "-s", str(self.script), "-o", str(self.directory / "tap.o"))


def measure(dtrace: str, objects: int, sites: int) -> float:
    with tempfile.TemporaryDirectory() as name:
        project = Project(Path(name), dtrace, objects, sites)
        ours = best(project.link, project.restore)
        again = best(project.link)
        linker = best(project.relink)
        print(f"{objects:4} objects, {objects * sites:6} sites: -G {ours * 1e3:7.1f} ms,"
              f" again {again * 1e3:7.1f} ms,"
              f" ld -r {linker * 1e3:7.1f} ms ({ours / linker:.2f})", end="")
        if Path(SYSTEMTAP).exists() and Path(SYSTEMTAP).resolve() != Path(dtrace).resolve():
            other = best(project.systemtap)
            print(f", SystemTap {other * 1e3:7.1f} ms ({ours / other:.2f})", end="")
        print()
        return ours


def main() -> None:
    dtrace = shutil.which("dtrace", path=str(Path(sys.executable).parent)) or "dtrace"
    sizes = [int(each) for each in sys.argv[1:3]]
    if sizes:
        measure(dtrace, sizes[0], sizes[1] if len(sizes) > 1 else 10)
        return
    small = measure(dtrace, 1, 4)
    one, ten = measure(dtrace, 100, 10), measure(dtrace, 100, 100)
    print(f"beyond start-up, ten times the sites take {(ten - small) / (one - small):.1f} times as long")


if __name__ == "__main__":
    main()
