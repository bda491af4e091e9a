"""Programs with a trap at every instruction of their busiest functions do what they do without any.

    python tests/conformance/every_offset.py [--root DIR] [functions] [program line ...]

Each line is run natively, untraced in the machine, and traced there: output and status are to be equal
three times.  With --root, the machine runs the programs in that directory, as of Debian's packages for arm64.
Prints how many instructions are executed in which way, and how often.  Functions are those of the program
(by .eh_frame, so stripped programs have them too) and of its libraries that are called most, a hundred unless
told otherwise.  Status 1 if anything differs.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import struct
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from runtime.framework.framework import Framework
from runtime.kernel.kernel import Kernel
from runtime.kernel.process.process import Process
from runtime.programs.objectfile import Function, LoadObject
from runtime.providers.fasttrap import module as fasttrap
from runtime.providers.fasttrap.fasttrap import Fasttrap
from runtime.providers.fasttrap.functionbodies import analyse
from runtime.providers.fasttrap.instructions.space import Refused
from runtime.providers.fasttrap.startup import advance

ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC", "HOME": "/"}
LINES = (
    "sort -k2 -n words",
    "sort -r words",
    "sh -c 'i=0; while [ $i -lt 40 ]; do i=$((i + 1)); case $i in *7) echo \"seven $i\";; esac; done; "
    "set -- a b c; for x in \"$@\"; do y=${x%b}; printf \"%s-%d \" \"$y\" ${#x}; done; (exit 3); echo $?'",
    "sh script",
    "awk '{ n[$1 % 7] += $2; s = s substr($3, 1, 2) } END { for (i in n) print i, n[i]; print s }' words",
)
SCRIPT = """\
f() { local n=$1; if [ "$n" -gt 1 ]; then f $((n - 1)); fi; echo "f $n"; }
f 5 | while read -r word number; do eval "v$number=$word"; done
trap 'echo leaving' EXIT
x=$(f 3 | tr f g; echo "*"); IFS=" "; echo $x; unset x; echo "${x:-none}" "${x+some}"
cat <<END
$((7 * 6)) $(echo nested $(echo deeper))
END
exit 5
"""
FRAME_TABLE = 12  # bytes of .eh_frame_hdr before its table


class Result(NamedTuple):
    """How a line ended: what it printed, and the status of its process."""

    output: bytes
    status: int


class Report(NamedTuple):
    """`treatments` counts instructions by how they are executed; `refused` those that cannot be traced."""

    results: tuple[Result, Result, Result]  # native, untraced, traced
    functions: int
    treatments: Counter[str]
    refused: Counter[str]
    hits: int


class Run:
    """One run of a program in a machine of its own, with its output in a file."""

    def __init__(self, argv: list[str], folder: str, root: str = "/") -> None:
        self.kernel = Kernel(root=root)
        self.kernel.walltime_offset = time.time_ns()
        module = fasttrap.install(Framework(lambda: self.kernel), lambda: self.kernel)
        module.attach(self.kernel)
        self.fasttrap: Fasttrap = module.load()
        self.process: Process = self.kernel.spawn(argv, ENVIRONMENT, f"/{os.path.relpath(folder, root)}")
        advance(self.fasttrap.programs, self.process)
        self.hits: Counter[int] = Counter()

    def functions(self) -> Iterator[tuple[LoadObject, Function]]:
        """Every function of every load object but the dynamic loader."""
        for each in self.fasttrap.objects.of(self.process):
            if each.name.startswith("ld-"):
                continue
            known = {function.start: function for function in each.file.functions}
            for start in frame_starts(each):
                if start not in known and (function := each.file.described(start)) is not None:
                    known[start] = function
            for start in sorted(known):
                yield each, known[start]

    def trace(self, address: int) -> str:
        """Count how often it is reached; how its instruction is executed, or why it cannot be."""
        space = self.fasttrap.tracepoints.of(self.process)
        hits = self.hits

        def act(_thread: Any, _registers: Any) -> None:
            hits[address] += 1
        try:
            return str(space.add(address, hits, act).plan.treatment)
        except Refused as reason:
            return f"refused: {reason}"

    def finish(self) -> Result:
        """Run it to its end."""
        with tempfile.TemporaryFile() as output, redirected(output.fileno()):
            self.process.resume()
            self.kernel.run()
            output.seek(0)
            result = Result(output.read(), self.process.exit_status)
        self.kernel.close()
        return result


@contextlib.contextmanager
def redirected(descriptor: int) -> Iterator[None]:
    """Descriptors 1 and 2 lead to another file meanwhile."""
    sys.stdout.flush()
    saved = {number: os.dup(number) for number in (1, 2)}
    try:
        for number in saved:
            os.dup2(descriptor, number)
        yield
    finally:
        for number, copy in saved.items():
            os.dup2(copy, number)
            os.close(copy)


def frame_starts(each: LoadObject) -> list[int]:
    """Where the functions that .eh_frame_hdr lists begin, as the file counts addresses."""
    header = each.file.elf.section(".eh_frame_hdr")
    if header is None:
        return []
    data = bytes(each.file.elf.contents(header))
    (count,) = struct.unpack_from("<I", data, FRAME_TABLE - 4)
    return [header.address + offset for offset, _entry in
            struct.iter_unpack("<ii", data[FRAME_TABLE:FRAME_TABLE + 8 * count])]


def busiest(argv: list[str], folder: str, root: str, wanted: int) -> set[tuple[str, int]]:
    """The functions that are called most, the program's own first, as (object's name, start)."""
    run = Run(argv, folder, root)
    places = {}
    for each, function in run.functions():
        places[function.start + each.bias] = each, function
        run.trace(function.start + each.bias)
    run.finish()
    order = sorted(run.hits, key=lambda address: (not places[address][0].is_program, -run.hits[address]))
    return {(places[address][0].name, places[address][1].start) for address in order[:wanted]}


def native(argv: list[str], folder: str) -> Result:
    done = subprocess.run(argv, cwd=folder, env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False)
    return Result(done.stdout, done.returncode)


def prove(line: str, folder: str, wanted: int, root: str = "/") -> Report:
    """Run a line three times, the last time with every instruction of `wanted` functions traced."""
    argv = shlex.split(line)
    truth, untraced = native(argv, folder), Run(argv, folder, root).finish()
    chosen = busiest(argv, folder, root, wanted)
    run = Run(argv, folder, root)
    treatments: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    isa = run.fasttrap.tracepoints.of(run.process).isa
    functions = [(each, function) for each, function in run.functions()
                 if (each.name, function.start) in chosen]
    for each, function in functions:
        body = analyse(each.file, function, isa)
        refused.update(body.refused.values())
        for address in body.instructions:
            how = run.trace(address + each.bias)
            (refused if how.startswith("refused") else treatments)[how] += 1
    traced = run.finish()
    return Report((truth, untraced, traced), len(functions), treatments, refused, sum(run.hits.values()))


def prepare(folder: str) -> None:
    """The files that LINES read."""
    words = "".join(f"{i * 7919 % 1000} {i * i % 313} {'abcdefgh'[i % 8:]}{i:x}\n" for i in range(120))
    Path(folder, "words").write_text(words)
    Path(folder, "script").write_text(SCRIPT)


def main(arguments: list[str], say: Callable[[str], None] = print) -> int:
    root = arguments.pop(1) if arguments[:1] == ["--root"] else "/"
    arguments = arguments[1:] if root != "/" else arguments
    wanted = int(arguments.pop(0)) if arguments and arguments[0].isdigit() else 100
    failed = False
    with tempfile.TemporaryDirectory(dir=os.path.join(root, "tmp")) as folder:
        prepare(folder)
        for line in arguments or LINES:
            report = prove(line, folder, wanted, root)
            equal = len(set(report.results)) == 1
            failed |= not equal
            say(f"{'equal' if equal else 'DIFFERS':8} {line.splitlines()[0][:90]}")
            counts = ", ".join(f"{number} {how}" for how, number in report.treatments.most_common())
            say(f"         {report.functions} functions, {sum(report.treatments.values())} instructions: "
                f"{counts}; {report.hits} hits")
            for why, number in report.refused.most_common():
                say(f"         {number} times {why}")
            if not equal:
                say(f"         natively, untraced, traced: {report.results}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
