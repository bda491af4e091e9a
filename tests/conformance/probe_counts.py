"""Truth by other tracers: calls, returns and arguments as they see them natively, and as pid probes do here.

    python tests/conformance/probe_counts.py

Ten functions each of a C program, of sort and of sh: numbers of entries and of returns and the histogram
of one argument are to be equal under bpftrace (uprobes), under gdb, and here.  gdb stops at the first
instruction of each function and, for its return, at the address that the call has pushed; nothing of that
is how pid probes find returns.  Status 1 if anything differs, 2 where no other tracer can be used.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).parent
# the machine adds what it lacks of these; a shell allocates memory for each
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "LANG": "C.UTF-8", "HOME": "/",
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
         "close": (0, ANY), "sigaction": (0, WHOLE), "stat": (0, STRING), "fcntl": (1, WHOLE),
         "strtol": (2, WHOLE)}
SCRIPT = """\
f() { local n=$1; if [ "$n" -gt 1 ]; then f $((n - 1)); fi; echo "f $n"; }
f 6; echo out > file; x=$(f 3); echo "$x" | wc -c > /dev/null; for y in *; do echo "$y"; done; (exit 3)
true
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


def by_bpftrace(subject: Subject, folder: str) -> Seen:
    """A native run under bpftrace.  Raises subprocess.CalledProcessError where that is not allowed."""
    words = shlex.split(subject.line)
    path = words[0] if subject.module == "a.out" else f"/lib/x86_64-linux-gnu/{subject.module}"
    what = {WHOLE: "(int64)arg{}", ANY: "arg{} != 0", NONE: "0"}
    # the command's process has bpftrace's name before it executes the program
    test = f'/pid == cpid && comm == "{os.path.basename(words[0])}"/'
    script = ""
    for number, (function, (index, kind)) in enumerate(subject.functions.items()):
        entry, back = f"@n[{number}, 0] = count();", f"@n[{number}, 1] = count();"
        if kind == STRING:  # which it can read only when the program has: at the return
            entry += f" @at[tid] = arg{index};"
            back += f" @s[{number}, str(@at[tid])] = count(); delete(@at[tid]);"
        else:
            entry += f" @a[{number}, {what[kind].format(index)}] = count();"
        script += (f"uprobe:{path}:{function} {test} {{ {entry} }}\n"
                   f"uretprobe:{path}:{function} {test} {{ {back} }}\n")
    done = subprocess.run(["bpftrace", "-f", "json", "-e", script, "-c", subject.line], cwd=work(folder),
                          env=ENVIRONMENT, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, check=True, timeout=300)
    maps: dict[str, dict[str, int]] = {}
    for line in done.stdout.splitlines():
        with contextlib.suppress(json.JSONDecodeError):  # the program's own output
            report = json.loads(line)
            if isinstance(report, dict) and report.get("type") == "map":
                maps |= report["data"]
    names, seen = list(subject.functions), Seen(Counter(), Counter(), Counter())
    for kind, counts in maps.items():
        for key, count in counts.items():
            place, _, value = key.partition(",")
            name = names[int(place)]
            if kind == "@n":
                (seen.returns if int(value) else seen.entries)[name] = count
            else:
                seen.arguments[name, int(value) if kind == "@a" else len(value)] += count
    return seen


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
    subprocess.run([sys.executable, "-m", "runtime.command", "-x", "copyin=touch", "-x", "strsize=4096",
                    "-qn", script, "-c", subject.line, "-o", output], cwd=work(folder), env=ENVIRONMENT,
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


def tracers(folder: str) -> dict[str, Callable[[Subject, str], Seen]]:
    """The other tracers that can be used here, by name."""
    known = {"bpftrace": by_bpftrace, "gdb": by_gdb}
    usable: dict[str, Callable[[Subject, str], Seen]] = {}
    for name, tracer in known.items():
        with contextlib.suppress(OSError, subprocess.SubprocessError):
            if tracer(subjects(folder)[0], folder).entries:
                usable[name] = tracer
    return usable


def main() -> int:
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        usable = tracers(folder)
        print(f"other tracers: {', '.join(usable) or 'none'}")
        for subject in subjects(folder):
            ours = by_probes(subject, folder)
            for name, tracer in usable.items():
                found = differences(tracer(subject, folder), ours)
                failed |= bool(found)
                print(f"{'DIFFERS' if found else 'equal':8} {name:9} {os.path.basename(subject.line)}: "
                      f"{len(ours.entries)} functions, {sum(ours.entries.values())} entries, "
                      f"{sum(ours.returns.values())} returns, {len(ours.arguments)} different arguments")
                for each in found[:20]:
                    print(f"         {each}")
    return int(failed) if usable else 2


if __name__ == "__main__":
    sys.exit(main())
