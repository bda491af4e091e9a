"""What dtrace costs beside its peers, in one run: programs, system calls, clauses, symbols, keys, start-up.

    python tests/benchmarks/peers.py [--rounds 3] [--only getppid,clock] [--dtrace DIRECTORY]

Peers are the host itself (native), qemu-x86_64 in user mode, bpftrace (as root) and awk.  Some programs that
compute are the host's: gzip, perl, sqlite3, and the compiler proper of cc.  What is missing is said to be.
A figure is processor time (user and system, of the command and its children), in the median of the rounds.
Where a peer mostly waits for its kernel, it is the time that passes until the command ends, which says
something on a quiet machine only.  In a round every command of a row runs once, one after the other.  The
cost of one call, hit, record, key or probe is the difference of a long and a short run, divided by how many
more the long one has.  Memory is the difference of the peaks, divided in the same way.
"""

from __future__ import annotations

import argparse
import math
import os
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1] / "programs"))

import qemu

CALLS = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
static volatile long sum;
__attribute__((noinline)) long leaf(long a) { sum += a; return sum; }
__attribute__((noinline)) long f1(long a) { return leaf(a) + 1; }
__attribute__((noinline)) long f2(long a) { return f1(a) + 1; }
__attribute__((noinline)) long f3(long a) { return f2(a) + 1; }
__attribute__((noinline)) long f4(long a) { return f3(a) + 1; }
static long fib(long n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
static long plus(long a) { return a + 1; }
static long twice(long a) { return a * 2; }
static long less(long a) { return a - 3; }
static long flip(long a) { return ~a; }
static long (*volatile const functions[])(long) = {plus, twice, less, flip};
struct entry { unsigned long key, value; };
struct link { struct link *next; char rest[56]; };
#define TURN(x, n) ((x) >> (n) | (x) << (32 - (n)))
static void sha256(unsigned state[8], const unsigned char *block)
{
    static unsigned k[64];
    unsigned w[64], v[8], i, j;
    for (i = 2, j = 0; !k[63]; i++) {  /* the fractions of the cube roots of the first 64 primes */
        unsigned d = 2;
        while (d < i && i % d) d++;
        if (d == i) {
            unsigned long low = 0, bit = 1UL << 35;
            for (; bit; bit >>= 1) {
                unsigned __int128 x = low | bit;
                if (x * x * x <= (unsigned __int128)i << 96) low |= bit;
            }
            k[j++] = low;
        }
    }
    for (i = 0; i < 16; i++)
        w[i] = __builtin_bswap32(((const unsigned *)block)[i]);
    for (; i < 64; i++)
        w[i] = w[i - 16] + (TURN(w[i - 15], 7) ^ TURN(w[i - 15], 18) ^ w[i - 15] >> 3) + w[i - 7]
            + (TURN(w[i - 2], 17) ^ TURN(w[i - 2], 19) ^ w[i - 2] >> 10);
    memcpy(v, state, sizeof v);
    for (i = 0; i < 64; i++) {
        unsigned a = v[0], e = v[4];
        unsigned one = v[7] + (TURN(e, 6) ^ TURN(e, 11) ^ TURN(e, 25)) + ((e & v[5]) ^ (~e & v[6]));
        unsigned two = (TURN(a, 2) ^ TURN(a, 13) ^ TURN(a, 22)) + ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
        memmove(v + 1, v, 7 * sizeof *v);
        one += k[i] + w[i];
        v[4] += one, v[0] = one + two;
    }
    for (i = 0; i < 8; i++) state[i] += v[i];
}
static int order(const void *a, const void *b) { int x = *(int *)a, y = *(int *)b; return (x > y) - (x < y); }
int main(int count, char **words)
{
    const char *kind = words[1];
    long n = atol(words[2]), i;
    int p[2], q[2], word = 1;
    char byte = 0;
    struct stat status;
    struct timespec now;
    struct pollfd ready;
#define ROW(name) else if (!strcmp(kind, name)) for (i = 0; i < n; i++)
    if (pipe(p) || pipe(q)) return 1;
    ready = (struct pollfd){p[1], POLLOUT, 0};
    if (count < 3) return 1;
    ROW("getppid") sum += getppid();
    ROW("clock") sum += clock_gettime(CLOCK_MONOTONIC, &now);
    ROW("pipe") sum += write(p[1], &byte, 1) + read(p[0], &byte, 1);
    ROW("files") { sum += stat("/etc/passwd", &status); close(open("/etc/passwd", O_RDONLY)); }
    ROW("poll") sum += poll(&ready, 1, 0);
    ROW("futex") sum += syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    ROW("leaf") leaf(i);
    ROW("stack") f4(i);
    ROW("stacks") if (i & 1) f4(i); else f2(i);
    else if (!strcmp(kind, "pingpong")) {
        if (fork() == 0) {
            for (i = 0; i < n; i++) if (read(p[0], &byte, 1) != 1 || write(q[1], &byte, 1) != 1) _exit(1);
            _exit(0);
        }
        for (i = 0; i < n; i++) if (write(p[1], &byte, 1) != 1 || read(q[0], &byte, 1) != 1) return 1;
    } else if (!strcmp(kind, "integers")) {
        unsigned long a = 1;
        for (i = 0; i < n; i++) a += i ^ (a >> 3);
        sum = a;
    } else if (!strcmp(kind, "doubles")) {
        double a = 1;
        for (i = 0; i < n; i++) a = a * 1.0000001 + 0.5 / (i + 1.0);
        sum = a;
    } else if (!strcmp(kind, "sort")) {
        int *numbers = malloc((n + 1) * sizeof *numbers);
        unsigned next = 1;
        for (i = 0; i < n; i++) numbers[i] = (next = next * 1103515245 + 12345) >> 1;
        qsort(numbers, n, sizeof *numbers, order);
        sum = numbers[n / 2];
    } else if (!strcmp(kind, "copy")) {
        char *from = calloc(2, 1 << 16);
        for (i = 0; i < n; i++) { memcpy(from + (1 << 16), from, 1 << 16); from[i & 65535]++; }
    } else if (!strcmp(kind, "stream")) {
        enum { SIZE = 1 << 17 };
        double *a = calloc(SIZE, 8), *b = calloc(SIZE, 8), *c = calloc(SIZE, 8);
        for (i = 0; i < SIZE; i++) b[i] = i, c[i] = 1;
        for (i = 0; i < n; i++) a[i % SIZE] = b[i % SIZE] + 3.0 * c[i % SIZE];
        sum = a[77];
    } else if (!strcmp(kind, "hash")) {
        struct entry *table = calloc(1 << 20, sizeof *table);
        unsigned long random = 88172645463325252UL;
        for (i = 0; i < n; i++) {
            random ^= random << 13; random ^= random >> 7; random ^= random << 17;
            unsigned long key = random % 600000 + 1, at = key * 0x9E3779B97F4A7C15UL >> 44;
            while (table[at].key && table[at].key != key) at = (at + 1) & ((1 << 20) - 1);
            table[at].key = key;
            table[at].value += i;
        }
        sum = table[77].value;
    } else if (!strcmp(kind, "chase")) {
        enum { LINKS = 1 << 15 };
        struct link *links = calloc(LINKS, sizeof *links), *link = links;
        for (i = 0; i < LINKS; i++) links[i].next = links + (i * 5 + 4097) % LINKS;
        for (i = 0; i < n; i++) link = link->next;
        sum = link - links;
    } else if (!strcmp(kind, "fib")) {
        for (i = 0; i < n; i++) sum += fib(20);
    } else if (!strcmp(kind, "functions")) {
        long a = 1;
        for (i = 0; i < n; i++) a = functions[i & 3](a);
        sum = a;
    } else if (!strcmp(kind, "sha256")) {
        unsigned state[8] = {1};
        unsigned char block[64] = {0};
        for (i = 0; i < n; i++) { block[i & 63]++; sha256(state, block); }
        sum = state[0];
    }
    return 0;
}
"""
COMPUTING = (  # name, what CALLS has for it, how often, and how many times qemu's time is the goal
    ("integers", "integers", 40_000_000, 2), ("doubles", "doubles", 8_000_000, 1),
    ("stream", "stream", 8_000_000, 2), ("hash table", "hash", 2_000_000, 2),
    ("pointer chase", "chase", 5_000_000, 2), ("fib", "fib", 1_000, 2),
    ("function pointers", "functions", 12_000_000, 2), ("sha256", "sha256", 60_000, 2),
    ("sort", "sort", 150_000, 2))
LOOPS = {  # files
    "loop.pl": "for ($i = 0; $i < $ARGV[0]; $i++) { $s += $i * 3; }\n",
    "loop.py": "import sys\ns = 0\nfor i in range(int(sys.argv[1])):\n    s += i * 3 % 7\n",
    "loop.sql": "CREATE TABLE t(a, b); WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE"
                " x < 60000) INSERT INTO t SELECT x, x * 7919 % 10007 FROM c; CREATE INDEX i ON t(b);"
                " SELECT count(*), sum(a) FROM t WHERE b IN (SELECT a FROM t WHERE a % 3 = 0);\n"}
FUNCTIONS = "".join(f"int f{at}(int a, int b) {{ int s = 0; for (int i = 0; i < a; i++) "
                    f"if (i % {at + 2} == b) s += i * b; else s ^= a << (i & 7); return s; }}\n"
                    for at in range(8))
SCRIPT = "\n".join(f"syscall::{name}:entry /pid != $pid && arg2 > {at}/ "
                   f"{{ @n{at}[execname, probefunc] = count(); self->t{at} = timestamp; }}\n"
                   f"syscall::{name}:return /self->t{at}/ "
                   f"{{ @q{at} = quantize(timestamp - self->t{at}); self->t{at} = 0; }}"
                   for at, name in enumerate(["read", "write", "openat", "close", "mmap"] * 4))
BPF_SCRIPT = "\n".join(f"kprobe:vfs_read /pid != 1 && arg2 > {at}/ "
                       f"{{ @n{at}[comm] = count(); @t{at}[tid] = nsecs; }}\n"
                       f"kretprobe:vfs_read /@t{at}[tid]/ {{ @q{at} = hist(nsecs - @t{at}[tid]); "
                       f"delete(@t{at}[tid]); }}" for at in range(20))
PAIR = "{self->t=timestamp} pid$target::leaf:return/self->t/{@=quantize(timestamp-self->t);self->t=0}"
SYMBOLS = 100_000


class Cost(NamedTuple):
    """How a cost is measured: by a long run and, unless its whole cost is meant, a short one."""

    long: Sequence[str]
    short: Sequence[str] | None
    count: int


class Row(NamedTuple):
    """A line of the table: commands by who runs them; `limit` is times `against`, or µs if that is empty.

    `memory` is the most bytes that one may take here; 0 where nothing is said of that.  With `passes` it is
    the time that passes which counts.
    """

    name: str
    commands: Mapping[str, Cost]
    against: str
    limit: float
    memory: int = 0
    passes: bool = False


class Measured(NamedTuple):
    """Of one: seconds, and bytes."""

    seconds: float
    bytes: float


def spent(command: Sequence[str], passes: bool = False) -> Measured:
    """Run a command; returns its processor time, or the time that passes, and the most memory that it had."""
    begun = time.monotonic()
    nowhere = subprocess.DEVNULL
    child = subprocess.Popen(command, stdin=nowhere, stdout=nowhere, stderr=subprocess.PIPE)
    assert child.stderr is not None
    said = child.stderr.read()
    _pid, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit(f"{' '.join(command)}: status {child.returncode}\n{said.decode(errors='replace')}")
    passed = time.monotonic() - begun
    return Measured(passed if passes else usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)


def measure(row: Row, rounds: int) -> dict[str, Measured]:
    """Return what one costs, by who runs it."""
    runs: dict[tuple[str, int], list[Measured]] = {}
    for _round in range(rounds):
        for who, cost in row.commands.items():
            for at, command in enumerate((cost.long, cost.short)):
                if command is not None:
                    runs.setdefault((who, at), []).append(spent(command, row.passes))
    found = {}
    for who, cost in row.commands.items():
        middle = [Measured(*map(statistics.median, zip(*runs.get((who, at), [Measured(0, 0)]), strict=True)))
                  for at in (0, 1)]
        found[who] = Measured(max(middle[0].seconds - middle[1].seconds, 0) / cost.count,
                              (middle[0].bytes - middle[1].bytes) / cost.count)
    return found


class Bench:
    """Makes the rows: `peers` are those that are there, by name."""

    def __init__(self, folder: Path, commands: Path) -> None:
        self.folder = folder
        self.dtrace, self.dc = str(commands / "dtrace"), str(commands / "dc")
        self.peers = {"qemu": qemu.user_mode("x86_64"),
                      "awk": shutil.which("awk"),
                      "bpftrace": shutil.which("bpftrace") if os.geteuid() == 0 else None}
        self.calls = self.compiled("calls", CALLS)

    def compiled(self, name: str, text: str, *flags: str) -> str:
        source = self.folder / f"{name}.c"
        source.write_text(text)
        subprocess.run(["cc", "-O1", *flags, source, "-o", self.folder / name], check=True)
        return str(self.folder / name)

    def with_peers(self, **commands: Cost | None) -> dict[str, Cost]:
        """The commands of those who are there."""
        return {who: cost for who, cost in commands.items()
                if cost is not None and (who in ("here", "native") or self.peers[who])}

    def traced(self, script: str, command: str, *options: str) -> list[str]:
        return [self.dtrace, "-q", *options, "-n", script, "-c", command]

    def program(self, name: str, kind: str, native: int, here: int, against: str, limit: float,
                passes: bool = False) -> Row:
        """A row of a program that does something so often."""
        def cost(before: Sequence[str], count: int) -> Cost:
            return Cost([*before, self.calls, kind, str(count)], [*before, self.calls, kind, "0"], count)

        ours = Cost(self.traced("BEGIN{}", f"{self.calls} {kind} {here}"),
                    self.traced("BEGIN{}", f"{self.calls} {kind} 0"), here)
        return Row(name, self.with_peers(here=ours, native=cost([], native),
                                         qemu=cost([self.peers["qemu"] or ""], native // 4)), against, limit,
                   passes=passes)

    def tools(self) -> Iterator[tuple[str, Sequence[str], Sequence[str]]]:
        """Programs of the host that compute: name, a long run, and one that does nearly nothing."""
        def written(name: str, text: str) -> str:
            (self.folder / name).write_text(text)
            return str(self.folder / name)

        text = written("text", "".join(f"{number * 7919 % 10007} {number}\n" for number in range(60_000)))
        perl, python, sql = (written(name, source) for name, source in LOOPS.items())
        nothing = written("nothing", "")
        gzip, perl_path, sqlite = (shutil.which(each) for each in ("gzip", "perl", "sqlite3"))
        if gzip:
            yield "gzip -9", [gzip, "-9c", text], [gzip, "-9c", nothing]
        if perl_path:
            yield "perl", [perl_path, perl, "1000000"], [perl_path, perl, "0"]
        interpreter = os.path.realpath(sys.executable)
        yield "python", [interpreter, "-IS", python, "600000"], [interpreter, "-IS", python, "0"]
        if sqlite:
            yield "sqlite", *([sqlite, "-batch", ":memory:", f".read {each}"] for each in (sql, nothing))
        found = subprocess.run(["cc", "-print-prog-name=cc1"], capture_output=True, text=True, check=False)
        compiler = shutil.which(found.stdout.strip())
        if compiler:
            yield "cc1 -O2", *([compiler, "-quiet", "-O2", each, "-o", "/dev/null"] for each in (
                written("functions.c", FUNCTIONS), written("nothing.c", "")))

    def tool(self, name: str, long: Sequence[str], short: Sequence[str]) -> Row:
        """A row of a program of the host's."""
        def cost(*before: str) -> Cost:
            return Cost([*before, *long], [*before, *short], 1)

        here = Cost(*(self.traced("BEGIN{}", shlex.join(each)) for each in (long, short)), 1)
        return Row(f"program: {name}", self.with_peers(here=here, native=cost(),
                                                       qemu=cost(self.peers["qemu"] or "")), "qemu", 2)

    def clause(self, name: str, clause: str, bpf: str, kind: str, count: int, limit: float,
               *options: str) -> Row:
        """A row of a clause that is carried out so often."""
        def ours(times: int) -> list[str]:
            return self.traced(f"pid$target::leaf:entry{clause}", f"{self.calls} {kind} {times}", *options)

        def theirs(times: int) -> list[str]:
            return [self.peers["bpftrace"] or "", "-e", f"uprobe:{self.calls}:leaf {bpf}", "-c",
                    f"{self.calls} {kind} {times}"]

        peer = Cost(theirs(count), theirs(0), count) if bpf else None
        return Row(name, self.with_peers(here=Cost(ours(count), ours(0), count), bpftrace=peer), "", limit)

    def rows(self) -> list[Callable[[], Row]]:
        """What makes each row: some need files that take a while."""
        program, clause = self.program, self.clause
        return [
            lambda: program("getppid", "getppid", 2_000_000, 1_000_000, "native", 3),
            lambda: program("clock_gettime", "clock", 4_000_000, 1_000_000, "native", 8),
            lambda: program("pipe: write, read", "pipe", 400_000, 15_000, "qemu", 5),
            lambda: program("stat, open, close", "files", 200_000, 4_000, "qemu", 5),
            lambda: program("poll", "poll", 800_000, 20_000, "qemu", 5),
            lambda: program("futex", "futex", 800_000, 30_000, "qemu", 5),
            # two processes wait for each other, on two processors of the host: the time that passes counts
            lambda: program("ping-pong over pipes", "pingpong", 60_000, 6_000, "qemu", 5, passes=True),
            *(partial(program, f"program: {name}", kind, 4 * count, count, "qemu", goal)
              for name, kind, count, goal in COMPUTING),
            *(partial(self.tool, *each) for each in self.tools()),
            lambda: program("copy of 64 kB", "copy", 32_000, 8_000, "qemu", 2),
            lambda: clause("count()", "{@=count()}", "{@=count()}", "leaf", 100_000, 1),
            lambda: clause("@[ustack(5)]", "{@[ustack(5)]=count()}", "{@[ustack(5)]=count()}", "stack",
                           50_000, 8),
            lambda: clause("@[ustack()] of many callers", "{@[ustack()]=count()}", "{@[ustack()]=count()}",
                           "stacks", 50_000, 8),
            lambda: clause("trace(arg0)", "{trace(arg0)}", '{printf("%ld\\n",arg0)}', "leaf", 50_000, 2.5),
            lambda: clause("self->, a pair with timestamps", PAIR, "", "leaf", 50_000, 1.5),
            self.keys, self.one_symbol, self.many_probes, self.start, self.compiler]

    def keys(self) -> Row:
        count = 1_000_000
        numbers = self.folder / "numbers"
        numbers.write_text("".join(f"{number}\n" for number in range(count)))
        return Row(f"{count:,} keys, printed", self.with_peers(
            here=Cost(self.traced("pid$target::leaf:entry{@[arg0]=count()}", f"{self.calls} leaf {count}"),
                      None, count),
            awk=Cost([self.peers["awk"] or "", "{n[$1]++} END{for(k in n)print k,n[k]}", str(numbers)],
                     None, count)), "awk", 2.5, 250)

    def symbols(self) -> str:
        if not (self.folder / "symbols").exists():
            self.compiled("symbols", "".join(f"int function_{number}(int a){{return a+{number};}}\n"
                                             for number in range(SYMBOLS)) + "int main(){return 0;}\n", "-O0")
        return str(self.folder / "symbols")

    def one_symbol(self) -> Row:
        path = self.symbols()
        bpf = [self.peers["bpftrace"] or "", "-e", f"uprobe:{path}:function_77777 {{@=count()}}", "-c", path]
        return Row(f"one probe among {SYMBOLS:,} symbols", self.with_peers(
            here=Cost(self.traced("pid$target::function_77777:entry{@=count()}", path), None, 1),
            bpftrace=Cost(bpf, None, 1)), "bpftrace", 0.7, passes=True)

    def many_probes(self) -> Row:
        path = self.symbols()
        return Row("pid probes", self.with_peers(
            here=Cost(self.traced("pid$target::function_*:entry{@=count()}", path),
                      self.traced("pid$target::function_7777?:entry{@=count()}", path), SYMBOLS - 10)),
            "", 30, 1024)

    def start(self) -> Row:
        return Row("BEGIN{exit(0)}", self.with_peers(
            here=Cost([self.dtrace, "-qn", "BEGIN{exit(0)}"], None, 1),
            bpftrace=Cost([self.peers["bpftrace"] or "", "-e", "BEGIN{exit()}"], None, 1)), "bpftrace", 0.35,
            passes=True)

    def compiler(self) -> Row:
        (self.folder / "script.d").write_text(SCRIPT)
        (self.folder / "script.bt").write_text(BPF_SCRIPT)
        return Row("dc, 40 lines", self.with_peers(
            here=Cost([self.dc, str(self.folder / "script.d"), "-o", str(self.folder / "script.o")], None, 1),
            bpftrace=Cost([self.peers["bpftrace"] or "", "-d", str(self.folder / "script.bt")], None, 1)),
            "bpftrace", 0.6)


def line(row: Row, found: Mapping[str, Measured]) -> str:
    """A line of the table."""
    here = found["here"]
    cost = 1e6 * here.seconds
    shown = f"{row.name:32} {cost:12,.{2 if cost >= 1 else 4}f} µs"
    for peer in ("native", "qemu", "bpftrace", "awk"):
        ratio = here.seconds / found[peer].seconds if peer in found and found[peer].seconds else math.nan
        shown += f" {ratio:9.2f}" if not math.isnan(ratio) else f" {'-':>9}"
    if not row.against:
        goal, good = f"{row.limit} µs", 1e6 * here.seconds <= row.limit
    else:
        goal, good = f"{row.limit} x {row.against}", False
        if row.against in found:
            good = here.seconds <= row.limit * found[row.against].seconds
    verdict = "" if row.against and row.against not in found else "reached" if good else "missed"
    shown += f"   {goal:16} {verdict}"
    if row.memory:
        shown += f"   {here.bytes:,.0f} bytes each ({row.memory:,})"
    return shown.rstrip()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="", help="words in the names of rows, with commas between")
    here = Path(sys.executable).parent
    parser.add_argument("--dtrace", type=Path, default=here, help="the directory of the commands")
    options = parser.parse_args()
    if shutil.which("cc") is None:
        sys.exit("needs a C compiler")
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder), options.dtrace)
        missing = [name for name, path in bench.peers.items() if path is None]
        missing += [name for name in ("gzip", "perl", "sqlite3") if shutil.which(name) is None]
        if missing:
            print(f"missing: {', '.join(missing)}")
        heads = "/ native", "/ qemu", "/ bpftr.", "/ awk"
        print(f"{'one costs':32} {'here':>15} {' '.join(f'{head:>9}' for head in heads)}   goal")
        ratios = []
        words = [word for word in options.only.split(",") if word]
        for make in bench.rows():
            row = make()
            if words and not any(word in row.name for word in words):
                continue
            found = measure(row, options.rounds)
            print(line(row, found), flush=True)
            if row.name.startswith("program") and "qemu" in found and found["qemu"].seconds:
                ratios.append(found["here"].seconds / found["qemu"].seconds)
        if ratios:
            mean = math.prod(ratios) ** (1 / len(ratios))
            print(f"{'programs, geometric mean':58} {mean:9.2f} {'':9} {'':9}   1.3 x qemu"
                  f"       {'reached' if mean <= 1.3 else 'missed'}")
            print(f"{'programs, highest':58} {max(ratios):9.2f} {'':9} {'':9}   2.0 x qemu"
                  f"       {'reached' if max(ratios) <= 2 else 'missed'}")


if __name__ == "__main__":
    main()
