"""Run by gdb itself: counts entries, returns and an argument of functions; see probe_counts.py.

$WANTED is JSON: the functions' module (a file's path, or the name of a library), each function's argument,
and where the report goes.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections import Counter
from typing import Any

import gdb

ARGUMENTS = ("rdi", "rsi", "rdx", "rcx", "r8", "r9")
WORD = 1 << 64


def register(name: str) -> int:
    return int(gdb.parse_and_eval(f"(unsigned long)${name}"))


def read(address: int, size: int) -> bytes:
    return bytes(gdb.selected_inferior().read_memory(address, size))


def string_length(address: int) -> int:
    size = 0
    while read(address + size, 1) != b"\0":
        size += 1
    return size


def value(index: int, kind: str) -> int:
    raw = register(ARGUMENTS[index]) if kind != "none" else 0
    if kind == "string":
        return string_length(raw)
    return int(raw != 0) if kind == "any" else raw - (WORD if raw >> 63 else 0)


def mapped(module: str) -> tuple[str, int]:
    """The path and the base address of a module; ("", 0) before it is mapped."""
    with open(f"/proc/{gdb.selected_inferior().pid}/maps") as maps:
        for line in maps:
            words = line.split()
            if len(words) == 6 and (words[5] == module or os.path.basename(words[5]) == module):
                return words[5], int(words[0].split("-")[0], 16)
    return "", 0


def addresses(path: str, base: int, names: Any) -> dict[int, str]:
    """Where functions begin, by nm."""
    command = ["nm", "--defined-only", *(["-D"] if ".so" in path else []), path]
    found = {}
    for line in subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines():
        address, kind, name = line.split()
        if kind in "TtWw" and name.partition("@")[0] in names:
            found[base + int(address, 16)] = name.partition("@")[0]
    return found


class Tracer:
    """Counts at every stop; `pending` are, by return address, the calls that may return there."""

    def __init__(self, functions: dict[str, tuple[int, str]]) -> None:
        self.functions = functions
        self.entries: Counter[str] = Counter()
        self.returns: Counter[str] = Counter()
        self.arguments: Counter[tuple[str, int]] = Counter()
        self.pending: dict[int, list[tuple[int, str]]] = {}

    def stopped(self, starts: dict[int, str]) -> None:
        pc, stack = register("pc"), register("sp")
        calls = self.pending.get(pc, [])
        while calls and calls[-1][0] < stack:
            self.returns[calls.pop()[1]] += 1
        name = starts.get(pc)
        if name is None:
            return
        self.entries[name] += 1
        self.arguments[name, value(*self.functions[name])] += 1
        back = int.from_bytes(read(stack, 8), "little")
        if back not in self.pending:
            self.pending[back] = []
            gdb.Breakpoint(f"*{back:#x}", internal=True)
        self.pending[back].append((stack, name))


def main() -> None:
    wanted = json.loads(os.environ["WANTED"])
    for command in ("set confirm off", "set pagination off", "set startup-with-shell off",
                    "set follow-fork-mode parent", "set detach-on-fork on", "unset environment WANTED",
                    "unset environment LINES", "unset environment COLUMNS", "set debuginfod enabled off",
                    "handle all nostop noprint pass", "set stop-on-solib-events 1", "run"):
        gdb.execute(command, to_string=True)
    while not mapped(wanted["module"])[1]:
        gdb.execute("continue", to_string=True)
    gdb.execute("set stop-on-solib-events 0")
    starts = addresses(*mapped(wanted["module"]), wanted["functions"])
    for address in starts:
        gdb.Breakpoint(f"*{address:#x}", internal=True)
    tracer = Tracer(wanted["functions"])
    gdb.execute("continue", to_string=True)
    while gdb.selected_inferior().pid:
        tracer.stopped(starts)
        gdb.execute("continue", to_string=True)
    with open(wanted["report"], "w") as report:
        json.dump({"entries": tracer.entries, "returns": tracer.returns, "arguments": [
            [name, argument, count] for (name, argument), count in tracer.arguments.items()]}, report)


main()
