"""Programs of Debian's arm64 packages: output and status in the machine as under qemu-aarch64, a table.

    python tests/conformance/arm64_programs.py ROOT [program ...]
    python tests/conformance/arm64_programs.py --static DIRECTORY

ROOT is a directory with the unpacked packages (`apt-get download NAME:arm64`, `dpkg -x`) of coreutils, dash,
bash, busybox, grep, sed, mawk, gawk, gzip, tar, xz-utils, bzip2, findutils, diffutils, bc, dc, m4, make, jq,
file, util-linux, perl-base, python3.11-minimal, sqlite3, and of the libraries that they need.  A program that
is not there is left out.  Status 1 if anything differs.

DIRECTORY has static programs that need no arguments, such as those of gdb's test suite (its folder gdb.base,
`aarch64-linux-gnu-gcc -g -O0 -static -pthread`).  What does not end in a few seconds under QEMU is left out.
Expected to differ are what executes another program, which QEMU leaves to the host; what prints its number;
and what shares memory after vfork(2), which QEMU takes for fork(2).
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1] / "programs"))

import qemu

ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC", "HOME": "/"}
LIMIT, SHORT = 100, 4  # seconds
QEMU = qemu.user_mode("aarch64") or "qemu-aarch64"
INPUT = b"scale=30\n4*a(1)\n2^64\n"
LINES = r"""
/bin/echo a b
/bin/cat etc/debian_words
/bin/ls -1 etc/debian_folder
/usr/bin/sort -k2 -n etc/debian_words
/usr/bin/wc etc/debian_words
/usr/bin/head -c 20 etc/debian_words
/usr/bin/tail -n 1 etc/debian_words
/usr/bin/cut -d' ' -f1 etc/debian_words
/usr/bin/tr a-z A-Z
/usr/bin/seq 1 500
/usr/bin/md5sum etc/debian_words
/usr/bin/sha1sum etc/debian_words
/usr/bin/sha256sum /usr/bin/sort
/usr/bin/sha512sum /usr/bin/sort
/usr/bin/b2sum etc/debian_words
/usr/bin/cksum etc/debian_words
/usr/bin/base64 etc/debian_words
/usr/bin/od -c etc/debian_words
/usr/bin/expr 6 '*' 7
/usr/bin/factor 1234567890123 18446744073709551557
/usr/bin/printf '%s-%d-%.3f\n' x 5 2.5
/bin/false
/usr/bin/stat -c %a,%F etc/debian_words
/bin/dd if=etc/debian_words bs=10 count=2 status=none
/usr/bin/numfmt --to=iec 123456789
/usr/bin/shuf -i 1-10 --random-source=etc/debian_words
/usr/bin/tsort etc/debian_words
/usr/bin/fmt -w 20 etc/debian_words
/bin/dash -c 'f() { [ $1 -gt 0 ] && f $(($1 - 1)); echo $1; }; f 5; exit 3'
/bin/bash -c 'declare -A a; for i in {1..9}; do a[$i]=$((i * i)); done; echo ${a[@]}; kill -TERM $$'
/bin/busybox ls etc/debian_folder
/bin/grep -nE '[0-9]{2}' etc/debian_words
/bin/sed -n 's/\(.\)\(.\)/\2\1/gp' etc/debian_words
/usr/bin/mawk '{ s += sqrt($2) } END { print s, sin(1) }' etc/debian_words
/usr/bin/gawk '{ s += exp($2 / 50) } END { print s, atan2(1, 2) }' etc/debian_words
/bin/gzip -nc etc/debian_words
/bin/tar cf - --mtime=@0 --owner=0 --group=0 --numeric-owner etc/debian_words
/usr/bin/xz -c etc/debian_words
/bin/bzip2 -c etc/debian_words
/usr/bin/find etc/debian_folder -name 'o*'
/usr/bin/diff etc/debian_words etc/debian_folder/one
/usr/bin/cmp etc/debian_words etc/debian_folder/one
/usr/bin/bc -l
/usr/bin/dc -e '2 100 ^ p 5 k 2 v p'
/usr/bin/m4 -Dx=y
/usr/bin/make -f etc/debian_folder/one -n x
/usr/bin/jq -n '[range(5)] | map(. * 1.5) | add'
/usr/bin/file --version
/usr/bin/rev etc/debian_words
/usr/bin/perl -e 'printf "%.5f %s\n", atan2(1, 1) * 4, join ",", map { $_ * 2 } sort { $a <=> $b } 3, 1, 2'
/usr/bin/python3.11 -S -c 'import math, zlib; print(math.pi, sum(range(99)), 2 ** 100, zlib.crc32(b"abc"))'
/usr/bin/sqlite3 :memory: "select 1 + 2, sqrt(2.0), hex('a'), date(0, 'unixepoch')"
"""
RUN = f"""
import sys
from runtime.kernel.kernel import Kernel
kernel = Kernel(root=sys.argv[1])
process = kernel.spawn(sys.argv[2:], {ENVIRONMENT!r}, cwd="/", stopped=False)
kernel.run(lambda: process.zombie)
sys.stdout.flush()
sys.exit(process.exit_status)
"""


class Result(NamedTuple):
    """What a program printed, and how it ended as a shell tells it."""

    status: int
    output: bytes
    errors: bytes


def run(command: list[str], folder: str = "/", environment: dict[str, str] | None = None,
        limit: int = LIMIT) -> Result:
    done = subprocess.run(command, input=INPUT, cwd=folder, env=environment, capture_output=True,
                          timeout=limit, check=False)
    status = done.returncode if done.returncode >= 0 else 128 - done.returncode
    errors = b"".join(line for line in done.stderr.splitlines(True) if not line.startswith(b"qemu: "))
    return Result(status, done.stdout, errors)


def compare(root: str, line: str) -> tuple[Result, Result]:
    """The results of a line under QEMU and in the machine."""
    program, *words = shlex.split(line)
    truth = run([QEMU, "-L", root, "-0", program, root + program, *words], root, ENVIRONMENT)
    return truth, run([sys.executable, "-c", RUN, root, program, *words])


def compare_static(folder: str, say: Callable[[str], None]) -> int:
    """Compare all programs of a directory; returns the status of the command."""
    equal = count = 0
    for name in sorted(os.listdir(folder)):
        program = os.path.join(os.path.abspath(folder), name)
        try:
            truth = run([QEMU, program], environment=ENVIRONMENT, limit=SHORT)
        except subprocess.TimeoutExpired:
            continue
        same, count = truth == run([sys.executable, "-c", RUN, "/", program]), count + 1
        equal += same
        say(f"{name:32} {'equal' if same else 'DIFFERS'}")
    say(f"{equal} of {count} equal")
    return int(equal != count)


def main(arguments: list[str], say: Callable[[str], None] = print) -> int:
    if arguments[:1] == ["--static"]:
        return compare_static(arguments[1], say)
    root, wanted = os.path.abspath(arguments[0]), arguments[1:]
    folder = os.path.join(root, "etc/debian_folder")
    os.makedirs(folder, exist_ok=True)
    words = "".join(f"{'abcdefgh'[i % 8:]}{i:x} {i * 7919 % 313}\n" for i in range(60))
    for name in (os.path.join(root, "etc/debian_words"), os.path.join(folder, "one")):
        with open(name, "w", encoding="utf-8") as file:
            file.write(words if name.endswith("words") else "x:\n\techo made\n")
    equal = count = 0
    for line in filter(None, LINES.splitlines()):
        program = line.split()[0]
        if not os.path.exists(root + program) or (wanted and os.path.basename(program) not in wanted):
            continue
        truth, found = compare(root, line)
        same, count = truth == found, count + 1
        equal += same
        say(f"{os.path.basename(program):12} {'equal' if same else 'DIFFERS':8} status {found.status:3}   "
            f"{len(found.output):6} bytes   {line[:60]}")
        if not same:
            say(f"    {str(truth)[:200]}\n    {str(found)[:200]}")
    say(f"{equal} of {count} equal")
    return int(equal != count)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
