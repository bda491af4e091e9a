"""Truth by another tracer: calls, returns and arguments as gdb sees them natively, and as pid probes do here.

    python tests/conformance/gdb_counts.py

Ten functions each of a C program, of sort and of sh: numbers of entries and of returns and the histogram
of one argument are to be equal.  gdb stops at the first instruction of each function and, for its
return, at the address that the call has pushed; nothing of that is how pid probes find returns.  Status 1
if anything differs, 2 without gdb.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).parent
# the machine adds what it lacks of these; a shell allocates memory for each
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "LANG": "C.UTF-8", "HOME": "/",
               "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
WHOLE, STRING, ANY, NONE = "whole", "string", "any", "none"  # a value, a length, whether it is not 0, nothing


class Subject(NamedTuple):
    """A command line; the module whose functions are traced; for each, which argument and what of it."""

    line: str
    module: str
    functions: dict[str, tuple[int, str]]


class Seen(NamedTuple):
    """What a tracer saw of one program, by function; `arguments` by (function, value)."""

    entries: Counter[str]
    returns: Counter[str]
    arguments: Counter[tuple[str, int]]


COUNTED = {"leaf": (0, WHOLE), "twice": (0, WHOLE), "fibonacci": (0, WHOLE), "tail": (0, WHOLE),
           "many": (0, WHOLE), "odd": (0, WHOLE), "even": (0, WHOLE), "early": (0, WHOLE),
           "text": (0, STRING), "compare": (0, ANY)}
SORT = {"malloc": (0, WHOLE), "realloc": (1, WHOLE), "free": (0, ANY), "getenv": (0, STRING),
        "sigaction": (0, WHOLE), "sigaddset": (1, WHOLE), "fwrite_unlocked": (2, WHOLE), "read": (2, WHOLE),
        "pthread_mutex_lock": (0, ANY), "setlocale": (0, WHOLE)}
SHELL = {"malloc": (0, WHOLE), "realloc": (1, WHOLE), "free": (0, ANY), "fork": (0, NONE), "dup2": (1, WHOLE),
         "close": (0, WHOLE), "sigaction": (0, WHOLE), "stat": (0, STRING), "fcntl": (1, WHOLE),
         "strtol": (2, WHOLE)}
SCRIPT = """\
f() { local n=$1; if [ "$n" -gt 1 ]; then f $((n - 1)); fi; echo "f $n"; }
f 6; echo out > file; x=$(f 3); echo "$x" | wc -c > /dev/null; for y in *; do echo "$y"; done; (exit 3)
"""


def work(folder: str) -> str:
    """Where the programs run: what the tracers report lies elsewhere."""
    path = os.path.join(folder, "work")
    os.makedirs(path, exist_ok=True)
    return path


def subjects(folder: str) -> list[Subject]:
    """What is traced; compiles the C program, and writes what the others read, into `folder`."""
    counted = os.path.join(folder, "counted")
    subprocess.run(["gcc", "-O1", "-foptimize-sibling-calls", "-o", counted, HERE / "counted.c"], check=True)
    words = "".join(f"{i * 7919 % 1000} {'abcdefgh'[i % 8:]}{i:x}\n" for i in range(90))
    Path(work(folder), "words").write_text(words)
    Path(work(folder), "script").write_text(SCRIPT)
    return [Subject(counted, "a.out", COUNTED),
            Subject("/usr/bin/sort -S 1M --parallel=1 words", "libc.so.6", SORT),
            Subject("/bin/sh script", "libc.so.6", SHELL)]


def by_gdb(subject: Subject, folder: str) -> Seen:
    """A native run under gdb.  Raises subprocess.CalledProcessError."""
    report = os.path.join(folder, "gdb.json")
    words = shlex.split(subject.line)
    wanted = {"module": os.path.realpath(words[0]) if subject.module == "a.out" else subject.module,
              "functions": subject.functions, "report": report}
    subprocess.run(["gdb", "-batch", "-nx", "-x", HERE / "gdb_tracer.py", "--args", *words], cwd=work(folder),
                   env=ENVIRONMENT | {"WANTED": json.dumps(wanted)}, stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True, timeout=300)
    seen = json.loads(Path(report).read_text())
    return Seen(Counter(seen["entries"]), Counter(seen["returns"]),
                Counter({(name, value): count for name, value, count in seen["arguments"]}))


def by_probes(subject: Subject, folder: str) -> Seen:
    """A run in the machine."""
    how = {WHOLE: "arg{}", STRING: "strlen(copyinstr(arg{}))", ANY: "arg{} != 0", NONE: "0"}
    script = ""
    for name, (index, kind) in subject.functions.items():
        probe, value = f"pid$target:{subject.module}:{name}", how[kind].format(index)
        script += (f"{probe}:entry {{ @a[probefunc, (int64_t)({value})] = count(); }}\n"
                   f"{probe}:entry, {probe}:return {{ @p[probefunc, probename] = count(); }}\n")
    script += 'END { printa("=%s %s %@d\\n", @p); printa("+%s %d %@d\\n", @a); }'
    output = os.path.join(folder, "probes.out")
    Path(output).unlink(missing_ok=True)  # -o appends
    subprocess.run([sys.executable, "-m", "runtime.command", "-x", "strsize=4096", "-qn", script,
                    "-c", subject.line, "-o", output], cwd=work(folder), env=ENVIRONMENT,
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True, timeout=300)
    text = Path(output).read_text()
    ends = {"entry": Counter[str](), "return": Counter[str]()}
    for name, end, count in re.findall(r"^=(\S+) (\S+) (\d+)$", text, re.MULTILINE):
        ends[end][name] = int(count)
    return Seen(ends["entry"], ends["return"], Counter({
        (name, int(value)): int(count) for name, value, count in re.findall(
            r"^\+(\S+) (-?\d+) (\d+)$", text, re.MULTILINE)}))


def differences(one: Seen, other: Seen) -> list[str]:
    """What two tracers disagree about."""
    kinds: list[tuple[str, Counter[Any], Counter[Any]]] = [
        ("entries", one.entries, other.entries), ("returns", one.returns, other.returns),
        ("arguments", one.arguments, other.arguments)]
    return [f"{what} {key}: {first[key]} and {second[key]}" for what, first, second in kinds
            for key in sorted(first.keys() | second.keys()) if first[key] != second[key]]


def main() -> int:
    if shutil.which("gdb") is None:
        print("gdb is not installed")
        return 2
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        for subject in subjects(folder):
            truth, ours = by_gdb(subject, folder), by_probes(subject, folder)
            found = differences(truth, ours)
            failed |= bool(found)
            print(f"{'DIFFERS' if found else 'equal':8} {os.path.basename(subject.line)}: "
                  f"{len(truth.entries)} functions, {sum(truth.entries.values())} entries, "
                  f"{sum(truth.returns.values())} returns, {len(truth.arguments)} different arguments")
            for each in found[:20]:
                print(f"         {each}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
