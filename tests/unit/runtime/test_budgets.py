"""Bombs: programs and scripts that use without end what a machine has.  Each ends within its budget."""

from __future__ import annotations

import errno
import os
import re
import stat
import subprocess
import weakref
from pathlib import Path

import atonce
import compilers
import pytest

from runtime.kernel.base.identity import Credentials
from runtime.kernel.vfs.disk import overlay
from runtime.kernel.vfs.namespace import View, walk

MEGABYTE = 1 << 20


def dtrace(*words: object) -> tuple[subprocess.CompletedProcess[str], int]:
    """Run the command; return also the peak of its memory in MiB."""
    done = atonce.run(["python", str(Path(__file__).with_name("peak.py")), *map(str, words)])
    peak = re.search(r"\npeak (\d+)$", done.stderr)
    assert peak is not None, done.stderr
    done.stderr = done.stderr[:peak.start()]
    return done, int(peak[1]) >> 10


def build(folder: Path, source: str) -> Path:
    program = folder / source.removesuffix("s.c")
    subprocess.run(["cc", "-O0", "-w", "-static", "-o", program, Path(__file__).parent / source], check=True)
    return program


@pytest.fixture(scope="module")
def bomb(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("bombs"), "bombs.c")


@pytest.fixture(scope="module")
def maker(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("objects"), "objects.c")


@pytest.mark.parametrize(("kind", "options", "error", "says"), [
    ("zombie", "processes=200", errno.EAGAIN, "there are 200 processes and threads: programs get EAGAIN"),
    ("thread", "processes=200", errno.EAGAIN, "there are 200 processes and threads: programs get EAGAIN"),
    ("pipe", "openfiles=500", errno.ENFILE, "500 files are open: programs get ENFILE"),
    ("pipe", "", errno.EMFILE, ""),
    ("write", "disk=4m", errno.ENOSPC, "the disk is full: programs get ENOSPC"),
    ("shm", "disk=4m", errno.ENOSPC, "the disk is full: programs get ENOSPC"),
    ("memfd", "disk=4m", errno.ENOSPC, "the disk is full: programs get ENOSPC"),
    ("name", "disk=2m", errno.ENOSPC, "the disk is full: programs get ENOSPC"),
    ("protection", "memory=16m", errno.ENOMEM, "memory is full: programs get ENOMEM"),
    ("pipebuffer", "memory=32m", errno.ENOMEM, "memory is full: programs get ENOMEM"),
    ("socketbuffer", "memory=32m", errno.ENOMEM, "memory is full: programs get ENOMEM"),
    ("semaphores", "memory=32m", errno.ENOMEM, "memory is full: programs get ENOMEM"),
    ("map", "memory=32m", errno.ENOMEM, "memory is full: programs get ENOMEM"),
    ("brk", "memory=32m", errno.ENOMEM, "memory is full: programs get ENOMEM"),
])
def test_calls_fail_beyond_a_budget(bomb: Path, kind: str, options: str, error: int, says: str) -> None:
    """The program prints how often it succeeded, and the errno that ended it."""
    done, peak = dtrace("-qn", "END", "-c", f"{bomb} {kind}", *(("-x", options) if options else ()))
    assert re.fullmatch(rf"{kind} \d+ {error}\n\n?", done.stdout), done
    assert done.returncode == 0
    assert says in done.stderr
    assert done.stderr.count("\n") == bool(says)
    assert peak < 200


_NO_MEMORY, _NO_DISK = "memory is full: programs get ENOMEM, and the largest is killed", \
    "the disk is full: programs get ENOSPC"


@pytest.mark.parametrize(("kind", "options", "error", "least", "most", "says"), [
    ("rights", "openfiles=400", errno.ETOOMANYREFS, 399, 400,
     "400 files are on their way through sockets: programs get ETOOMANYREFS"),
    ("taken", "openfiles=64", 0, 0, 0, ""),
    ("record", "", errno.ENOLCK, 8000, 8192, ""),
    ("record", "memory=16m", errno.ENOLCK, 1000, 8192, None),
    ("message", "memory=16m", errno.ENOMEM, 1000, 4000, _NO_MEMORY),
    ("segment", "", errno.ENOSPC, 4096, 4096, ""),
    ("shared", "memory=32m", None, 0, 0, "Out of memory: Killed process"),
    ("undo", "memory=16m", errno.ENOMEM, 100, 300, _NO_MEMORY),
    ("watch", "memory=16m", errno.ENOSPC, 1000, 16_000, _NO_MEMORY),
    ("nest", "", errno.ELOOP, 5, 5, ""),
    ("interest", "memory=16m", errno.ENOMEM, 1000, 32_000, _NO_MEMORY),
    ("timer", "", errno.EAGAIN, 1000, 8192, ""),
    ("signals", "", errno.EAGAIN, 8192, 8192, ""),
    ("option", "", errno.ENOMEM, 256, 256, ""),
    ("hardlink", "disk=1m", errno.ENOSPC, 1000, 4096, _NO_DISK),
    ("directory", "disk=1m", errno.ENOSPC, 500, 1024, _NO_DISK),
    ("argument", "", errno.E2BIG, 1, 8, ""),
    ("variable", "", errno.E2BIG, 1, 8, ""),
    ("terminal", "", errno.EMFILE, 500, 1024, ""),
    ("zeros", "", 0, 1, 1, ""),
    ("hole", "disk=1m", errno.ENOSPC, 240, 256, _NO_DISK),
    ("touched", "disk=1m", errno.ENOSPC, 240, 256, _NO_DISK),
])
def test_objects_of_the_kernel(maker: Path, kind: str, options: str, error: int | None, least: int, most: int,
                               says: str | None) -> None:
    """What programs make of any kind has an end; the program prints how much it got, and the errno."""
    done, peak = dtrace("-qn", "END", "-c", f"{maker} {kind}", *(("-x", options) if options else ()))
    printed = re.search(rf"^{kind} (\d+) (\d+)$", done.stdout, re.MULTILINE)
    if error is None:
        assert printed is None
    else:
        assert printed is not None and int(printed[2]) == error, done
        assert least <= int(printed[1]) <= most, done
    assert done.returncode == 0
    if says is not None:
        assert says in done.stderr
        assert done.stderr.count("\n") == bool(says) + (error is None), done.stderr
    assert peak < 200


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files f0, f1, ... and directories d0, d1, ..., each with a file f in it, by a short path."""
    tree = tmp_path_factory.mktemp("tree")
    for number in range(1500):
        (tree / f"f{number}").touch()
    for number in range(300):
        (tree / f"d{number}").mkdir()
        (tree / f"d{number}" / "f").touch()
    return tree


@pytest.mark.parametrize(("kind", "error", "least", "most"), [
    ("changed", errno.ENOSPC, 200, 340), ("removed", errno.ENOSPC, 600, 1000),
    ("moved", errno.ENOSPC, 120, 200), ("emptied", errno.ENOENT, 300, 300)])
def test_changes_of_the_hosts_files_take_room(maker: Path, tree: Path, kind: str, error: int, least: int,
                                              most: int) -> None:
    """What is kept of them does not grow with the host's files, but with the disk."""
    before = sorted(os.listdir(tree))
    done, _ = dtrace("-qn", "END", "-c", f"{maker} {kind} {tree}", "-x", "disk=256k")
    printed = re.fullmatch(rf"{kind} (\d+) (\d+)\n+", done.stdout)
    assert printed is not None and int(printed[2]) == error, done
    assert least <= int(printed[1]) <= most, done
    assert sorted(os.listdir(tree)) == before


def test_directories_that_were_only_passed_are_forgotten(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs may walk through all that the host has."""
    monkeypatch.setattr(overlay, "FOLDERS", 10)
    disk = overlay.Overlay(lambda: 0, os.fsencode(tree))
    changed = disk.root.lookup(b"d7")
    changed.attributes.mode = stat.S_IFDIR | 0o700
    changed.touched()
    del changed
    view, who = View(disk.root, disk.root), Credentials(0, 0)
    for _ in range(2):
        passed = [weakref.ref(walk(view, disk.root, b"/d%d/none" % number, who).parent)
                  for number in range(300)]
        assert sum(each() is not None for each in passed) <= 11
    assert stat.S_IMODE(disk.root.lookup(b"d7").attributes.mode) == 0o700


def test_deep_directories(maker: Path) -> None:
    """Paths that are told have an end, so that telling them takes no longer the deeper a program goes."""
    done, peak = dtrace("-qn", "syscall::mkdir*:entry { @ = max(strlen(cwd)); }", "-c", f"{maker} directory",
                        "-x", "disk=2m", "-x", "strsize=128k")
    count, = re.findall(r"^directory (\d+) 28$", done.stdout, re.MULTILINE)
    longest, = re.findall(r"^ +(\d+)$", done.stdout, re.MULTILINE)
    assert 1000 < int(count) < 2000 and 65_000 < int(longest) < 66_000
    assert peak < 200


def test_memory_that_is_touched_costs_the_largest_its_life(bomb: Path) -> None:
    done, peak = dtrace("-n", "END", "-c", f"{bomb} hog", "-x", "memory=32m")
    assert re.search(r"^kernel: Out of memory: Killed process 101 \(bomb\) total-vm:\d+kB, rss:\d+kB, UID:0$",
                     done.stderr, re.MULTILINE)
    assert "pid 101 terminated by SIGKILL" in done.stderr
    assert peak < 160


def test_the_largest_is_killed_and_the_others_go_on(bomb: Path) -> None:
    """The parent waits with little memory while its child takes all, and then has its own page."""
    done, _ = dtrace("-qn", "END", "-c", f"{bomb} child", "-x", "memory=32m")
    assert done.stdout.startswith("child killed by 9\n"), done


def test_a_fork_bomb_stays_within_its_number(bomb: Path) -> None:
    done, peak = dtrace("-qn", "END { printf(\"end\\n\"); }", "-c", f"{bomb} fork", "-x", "processes=300",
                        "-x", "cputime=1ms")
    assert (done.returncode, done.stdout) == (1, "end\n\n")
    assert done.stderr.endswith(
        "dtrace: tracing has ended: programs have used their time on CPUs (-x cputime=1ms)\n")
    assert peak < 200


@pytest.mark.parametrize(("kind", "option"), [("fork", "processes=300"), ("file", "disk=1m")])
def test_bombs_that_ignore_errors_end_by_themselves(bomb: Path, kind: str, option: str) -> None:
    done, peak = dtrace("-qn", "END { printf(\"end\\n\"); }", "-c", f"{bomb} {kind}", "-x", option)
    assert (done.returncode, done.stdout) == (1, "end\n\n")
    assert done.stderr.endswith(
        f"\ndtrace: tracing has ended: programs have met a limit 20,000 times and went on (-x {option})\n")
    assert peak < 200


@pytest.mark.parametrize(("script", "command"), [
    ('END { printf("the end\\n"); }', "yes"),
    ('tick-1ms { printf("%2000000d\\n", 1); } END { printf("the end\\n"); }', None),
    ('tick-1ms { printf("a line\\n"); } tick-1ms { @a[timestamp] = count(); printa(@a); } '
     'END { clear(@a); trunc(@a); printf("the end\\n"); }', None),
])
def test_output_ends_the_run(script: str, command: str | None) -> None:
    done, peak = dtrace("-qn", script, "-x", "output=3m", *(("-c", command) if command else ()))
    assert done.returncode == 1
    assert done.stderr == "dtrace: tracing has ended: the output is full (-x output=3m)\n"
    assert 3 * MEGABYTE <= len(done.stdout) <= 4 * MEGABYTE
    assert done.stdout.rstrip().endswith("the end")
    assert peak < 200


def test_real_time_ends_the_run() -> None:
    done, peak = dtrace("-qn", 'tick-200us { @[timestamp] = count(); } END { printf("the end\\n"); }',
                        "-c", "/bin/sh -c 'while :; do :; done'", "-x", "timeout=8s")
    assert done.returncode == 1
    assert done.stdout.startswith("the end\n")
    assert done.stderr == "dtrace: tracing has ended: its time is over (-x timeout=8s)\n"
    assert peak < 300


def test_real_time_ends_what_comes_before_tracing() -> None:
    done, _ = dtrace("-n", "tick-1s { exit(0); }", "-x", "timeout=1us")
    assert (done.returncode, done.stderr) == (1, "dtrace: its time is over (-x timeout=1us)\n")


def test_deep_recursion_is_a_segmentation_fault(bomb: Path) -> None:
    done, peak = dtrace("-n", "profile-97 { @[ustack(100)] = count(); }", "-c", f"{bomb} deep")
    assert "pid 101 terminated by SIGSEGV" in done.stderr
    assert peak < 160


@pytest.mark.parametrize("option", ["memory=1k", "processes=0", "openfiles=x", "disk=9999t", "cputime=1y",
                                    "output=-1", "timeout=no"])
def test_senseless_budgets_are_refused(option: str) -> None:
    done, _ = dtrace("-n", "BEGIN { exit(0); }", "-x", option)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert option.partition("=")[0] in done.stderr


# -- what dtrace itself keeps and reads --------------------------------------------------------------------

def test_keys_of_aggregations_are_dropped_beyond_their_memory() -> None:
    """No more keys are kept than there is memory for; the values of those that are kept are right."""
    script = 'tick-200us { @[n++] = count(); @all = count(); } tick-1s { exit(0); }'
    done, _ = dtrace("-qn", script, "-x", "aggmemory=64k", "-x", "aggrate=50ms")
    assert done.returncode == 0
    drops = re.findall(r"dtrace: (\d+) aggregation drops? beyond aggmemory=65536 on CPU 0\n", done.stderr)
    rows = [line.split() for line in done.stdout.splitlines() if line.strip()]
    fired = next(int(row[0]) for row in rows if len(row) == 1)
    keys = [int(row[0]) for row in rows if len(row) == 2]
    assert 150 <= len(keys) < 250 and sorted(keys) == list(range(len(keys)))
    assert len(keys) + sum(map(int, drops)) == fired > 4000


def test_a_full_buffer_that_ends_tracing_is_told() -> None:
    script = 'tick-1ms { printf("%d %s\\n", n++, probename); } tick-1ms /n == 30/ { exit(0); }'
    done, _ = dtrace("-qn", script, "-x", "bufpolicy=fill", "-b", "200")
    assert (done.returncode, done.stderr) == (
        0, "dtrace: 1 buffer became full, and tracing has ended (bufpolicy=fill, bufsize=200)\n")
    done, _ = dtrace("-qn", script, "-x", "bufpolicy=fill", "-x", "strict", "-b", "200")
    assert done.returncode == 1
    done, _ = dtrace("-qn", script, "-x", "bufpolicy=fill")
    assert (done.returncode, done.stderr, done.stdout.count("tick-1ms")) == (0, "", 30)


PROGRAM = """
struct Inner { int value; };
namespace one { namespace two { namespace three { struct Deep { int value; }; Deep first; } } }
int serve(Inner inner, one::two::three::Deep deep) { return inner.value + deep.value; }
int main() { return serve({3}, {4}) != 7; }
"""


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A C++ program with debug information and some symbols."""
    folder = tmp_path_factory.mktemp("compiled")
    (folder / "compiled.cc").write_text(PROGRAM)
    subprocess.run([*compilers.cxx(), "-g", "-O0", "-o", folder / "compiled", folder / "compiled.cc"],
                   check=True)
    return folder / "compiled"


_STACK = "pid$target:a.out:_Z5serve*:entry { ustack(1); }"
_DEEP = "BEGIN { printf(\"%d\", sizeof (a.out`one::two::three::Deep)); exit(0); }"


@pytest.mark.parametrize(("script", "option", "says", "status"), [
    (_STACK, "symbols=5", "symbols of {} are unknown: more than 5 symbols (-x symbols=5)", 1),
    ('pid$target:a.out:main:entry { ustack(1); }', "demangled=64", "", 0),
    (_STACK, "demangled=64", "names stay mangled: more than 64 characters (-x demangled=64)", 0),
    ("pid$target:a.out:_Z5serve*:entry { trace(args[0]); }", "debugdepth=2",
     "types of {} are unknown: those within more than 2 namespaces and classes (-x debugdepth=2)", 0),
    ("pid$target:a.out:_Z5serve*:entry { print(args[0]); }", "debuginfo=1m",
     "types of {} are unknown: more than 1 MB of debug sections (-x debuginfo=1m)", 1),
])
def test_what_is_read_of_programs(compiled: Path, script: str, option: str, says: str, status: int) -> None:
    """With a small limit it is told what is left out; with the default nothing is."""
    program = compiled
    if option.startswith("debuginfo"):
        program = compiled.with_name("large")
        (compiled.parent / "names").write_bytes(bytes(2 << 20))
        subprocess.run(["objcopy", "--add-section", f".debug_more={compiled.parent / 'names'}", compiled,
                        program], check=True)
    done, _ = dtrace("-qn", script, "-c", program, "-x", option)
    told = f"dtrace: {says.format(program)}\n" if says else ""
    assert done.stderr.count(told) == 1 if told else not done.stderr, done
    assert done.returncode == status, done
    done, _ = dtrace("-qn", script, "-c", program)
    assert "are unknown" not in done.stderr and "mangled" not in done.stderr, done


@pytest.mark.parametrize(("option", "says"), [
    ("includes=2", "more than 2 files included (-x includes=2)"),
    ("includedepth=2", "more than 2 files within one another (-x includedepth=2)"),
    ("includesize=30", "more than 30 bytes included (-x includesize=30)"),
])
def test_includes(tmp_path: Path, option: str, says: str) -> None:
    for number in range(3):
        (tmp_path / f"{number}.h").write_text(f'#include "{number + 1}.h"\n')
    (tmp_path / "3.h").write_text("#define NOTHING 0\n")
    script = tmp_path / "script.d"
    script.write_text('#include "0.h"\nBEGIN { exit(NOTHING); }\n')
    done, _ = dtrace("-C", "-qs", script, "-x", option)
    assert done.returncode == 1
    assert f"preprocessor: {says}\n" in done.stderr, done
    assert dtrace("-C", "-qs", script)[0].returncode == 0


def test_the_linker_of_probes_reads_no_more_symbols(tmp_path: Path) -> None:
    (tmp_path / "p.d").write_text("provider p { probe go(); };\n")
    (tmp_path / "p.c").write_text("extern void __dtrace_p___go(void); int main() { __dtrace_p___go(); }\n")
    subprocess.run(["cc", "-c", "-o", tmp_path / "p.o", tmp_path / "p.c"], check=True)
    before = (tmp_path / "p.o").read_bytes()
    words = "-G", "-s", tmp_path / "p.d", tmp_path / "p.o", "-o", tmp_path / "out.o"
    done, _ = dtrace(*words, "-x", "symbols=2")
    assert (done.returncode, done.stderr) == (
        1, f"dtrace: failed to link script {tmp_path / 'p.d'}: {tmp_path / 'p.o'}: more than 2 symbols "
        "(-x symbols=2)\n")
    assert (tmp_path / "p.o").read_bytes() == before
    assert dtrace(*words)[0].returncode == 0
