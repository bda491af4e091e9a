"""Truth by another tracer: system calls as strace counts them natively, and as counted in the machine.

    python tests/conformance/strace_counts.py [program line ...]

Each line is run by /bin/sh twice; the counts per system call of a single-threaded program are to be
equal.  What may differ is named in EXPECTED, with the reason.  Status 1 if anything else does.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter

from runtime.kernel.base.identity import Identity
from runtime.kernel.kernel import Kernel

ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": "/tmp", "TZ": "UTC"}
# What the machine counts differently, and why.
NO_VDSO = "there is no vDSO: what it answers natively without a call is a call here"
EXPECTED = {
    "clock_gettime": NO_VDSO, "gettimeofday": NO_VDSO, "time": NO_VDSO, "getcpu": NO_VDSO,
    "mmap": "without a vDSO to describe, ld.so's first allocator asks for a page less in each program",
    "exit_group": "strace -c counts calls that return",
    "exit": "strace -c counts calls that return",
    "execve": "the machine starts the first program itself",
    "rt_sigreturn": "how many SIGCHLD become one is a matter of timing",
}
GREP = "grep -c include /usr/include/stdio.h"
MAPS_LENGTH = "grep reads /proc/self/maps, in growing buffers, and natively it is longer"
EXPECTED_OF_LINE = {GREP: {"read": MAPS_LENGTH, "lseek": MAPS_LENGTH, "munmap": MAPS_LENGTH}}
LINES = (
    "ls -lR /usr/include/linux",
    "sort /etc/services",
    GREP,
    "find /usr/include/linux -name 'i*.h'",
    "cat /etc/passwd | tr a b | wc",
    "gzip -c /etc/services | md5sum",
    "sh -c 'for i in 1 2 3; do echo $i; done > /dev/null; (exit 3); echo $?'",
    "awk 'BEGIN { for (i = 0; i < 100; i++) print i }'",
    "tar cf /dev/null -C /usr/include linux",
    "perl -e 'print 1 + 1'",
)


def _default_signals() -> None:
    """What nohup or a shell may have ignored, as programs of the machine find it."""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


def traced(line: str, folder: str) -> Counter[str]:
    """Counts of a native run."""
    report = os.path.join(folder, "strace.out")
    subprocess.run(["strace", "-f", "-qq", "-c", "-U", "name,calls", "-o", report, "/bin/sh", "-c", line],
                   cwd=folder, env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, check=False, preexec_fn=_default_signals)
    counts: Counter[str] = Counter()
    with open(report) as lines:
        for text in lines:
            words = text.split()
            if len(words) == 2 and words[1].isdigit() and words[0] != "total":
                counts[words[0]] += int(words[1])
    os.unlink(report)
    return counts


def emulated(line: str, folder: str) -> Counter[str]:
    """Counts of a run in the machine, whose output goes nowhere."""
    counts: Counter[str] = Counter()
    kernel = Kernel()
    kernel.walltime_offset = time.time_ns()

    def count(thread: object, name: str, arguments: object) -> None:
        counts[name] += 1

    kernel.hooks.syscall_entry = count
    sys.stdout.flush()
    saved = [os.dup(number) for number in range(3)]
    null = os.open(os.devnull, os.O_RDWR)
    try:
        for number in range(3):
            os.dup2(null, number)
        who = Identity(os.getuid(), os.getgid())
        kernel.spawn(["/bin/sh", "-c", line], ENVIRONMENT, folder, who, stopped=False)
        kernel.run()
    finally:
        for number, copy in enumerate(saved):
            os.dup2(copy, number)
            os.close(copy)
        os.close(null)
    kernel.close()
    return counts


def differences(line: str) -> dict[str, tuple[int, int]]:
    """Calls counted differently: name to (native, emulated)."""
    with tempfile.TemporaryDirectory() as folder:
        native, machine = traced(line, folder), emulated(line, folder)
    known = EXPECTED.keys() | EXPECTED_OF_LINE.get(line, {}).keys()
    return {name: (native[name], machine[name]) for name in sorted(native.keys() | machine.keys())
            if native[name] != machine[name] and name not in known}


def main(lines: list[str]) -> int:
    failed = False
    for line in lines or LINES:
        found = differences(line)
        failed |= bool(found)
        text = ", ".join(f"{name} {native} natively, {machine} here"
                         for name, (native, machine) in found.items())
        print(f"{'DIFFERS' if found else 'equal':8} {line}" + (f"\n         {text}" if found else ""))
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
