"""Real programs in the emulated machine: what they print and how they end equals a native run."""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import compilers
import pytest

from runtime.kernel.base.identity import Identity
from runtime.kernel.kernel import Kernel

PROGRAMS = Path(__file__).parent / "programs"
USED = 0xff  # the capabilities that the programs give up in part


def is_unconfined() -> bool:
    """Whether the host lets this process do what the machine lets root do: no container's root."""
    held = re.search(r"^CapEff:\s*(\w+)$", Path("/proc/self/status").read_text(), re.MULTILINE)
    users = Path("/proc/self/uid_map").read_text().split()
    return held is not None and int(held[1], 16) & USED == USED and users == ["0", "0", str(2**32 - 1)]


def is_on_ext4() -> bool:
    """Whether the files of the tests lie on the host's ext4."""
    told = subprocess.run(["stat", "-f", "-c", "%T", tempfile.gettempdir()], capture_output=True, text=True,
                          check=False)
    return told.stdout == "ext2/ext3\n"


ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": "/tmp", "TZ": "UTC",
               "HOST_VENDOR": os.environ["HOST_VENDOR"], **({"UNCONFINED": "1"} if is_unconfined() else {}),
               **({"EXT4": "1"} if is_on_ext4() else {})}
LIMIT = 600 * 10**9  # ns of virtual time
LONGEST = 300  # seconds that a native run may take: one that waits for ever is a failure

MAKEFILE = ("all: a b\\n\\t@echo all\\na:\\n\\techo making $@; touch $@\\n"
            "b: a\\n\\tcat a; echo made > b; cat b\\n")
LINES = {
    "ls": "ls -lR /usr/include/linux",
    "sort": "sort /etc/passwd /etc/services",
    "grep": "grep -rn include /usr/include/linux/if*.h",
    "awk": "awk -F: '{n[$7]++} END {for (s in n) print s, n[s]}' /etc/passwd | sort",
    "tar": "tar cf - -C /usr/include linux | tar tvf - | sort | head -50",
    "gzip": "gzip -c /etc/services | gzip -dc | md5sum",
    "find": "find /usr/include/linux -name 'i*.h' -size +4k",
    "sed": "printf '%s\\n' one two > f; sed -i s/two/TWO/ f; cat f; cp f g; cmp f g && echo same; rm f g; ls",
    "names": "mkdir -p a/b; touch a/b/f; mv a/b a/d; ln -s d a/l; ls -F a; find a | sort; rm -r a; ls -A",
    "pipeline": "echo a b c | tr ' ' '\\n' | sort -r | (read x; echo $x; cat) | wc -l",
    "background": "(sleep 1; echo later) & echo first; wait; echo done; mkfifo p; echo in > p & cat p",
    "killed": "sh -c 'kill -9 $$'; echo $?; ls /nonexistent; echo out >&2; exit 3",
    "tail": "echo one > f; (sleep .3; echo two >> f; mv f g; sleep .3; echo three > f) & "
            "timeout 1 tail -F f; rm f g",
    "script": "script -qc 'tty | tr -d 0-9; stty size; ps -o tty= -p $$ | tr -d 0-9; echo over' /dev/null",
    "make": f"printf '{MAKEFILE}' > Makefile; make; make; make -B -j3 -s",
    "perl": "perl -e '$p = fork or exec \"sh\", \"-c\", \"exit 3\"; waitpid $p, 0; print $? >> 8,"
            " `echo back`; $SIG{ALRM} = sub { print \"alarm\\n\" }; alarm 1; sleep 3;"
            " print map { $_ * 2 } sort 3, 1, 2'",
    "python3": "python3 -S -c 'import os; print(os.getcwd(), sum(range(99)), os.listdir(\"/usr\"))'",
    "sqlite3": "sqlite3 t.db 'create table t(a); insert into t values(1), (3); select sum(a) from t'",
    "self": "cat /proc/self/comm; readlink /proc/self/exe; tr '\\0' ' ' < /proc/self/cmdline;"
            " ls /proc/self/fd; grep -E '^(Name|Umask|State|Tracer|Threads)' /proc/self/status",
    "states": "set -- $(cat /proc/self/stat); echo $2 $3 $(($4 - $$)) $((${18} - ${19})) ${20} ${21} ${38};"
              " cut -c1-26,69- /proc/self/limits; cut -d: -f1 /proc/self/io; wc -w < /proc/self/statm;"
              " state() { for try in $(seq 99); do grep $2 /proc/$1/status && break; sleep 0.05; done; };"
              " sleep 9 & state $! sleeping; kill -STOP $!; state $! stopped;"
              " cut -d' ' -f3,20,38 /proc/$!/stat; kill -KILL $!",
    "devices": "head -c 3 /dev/zero | od -c; echo x > /dev/full; cat /dev/null; [ -c /dev/urandom ]; echo $?",
    "identity": "id; umask; pwd; uname -s; test -t 0; echo $?; stat -c '%a %s %F' /etc/passwd",
    "modes": "cd /proc/self; stat -c '%a %F %n' /sys /proc /tmp /dev/null /dev/zero /dev/full /dev/urandom"
             " /dev/tty /dev/ptmx fd maps stat status mem environ cmdline exe cwd root comm io task",
    "numbers": "seq 1 5000 | sort -rn | head -3; seq 1 20000 | md5sum; dd if=/dev/zero bs=1k count=99 | wc",
    "limits": "(ulimit -f 1; dd if=/dev/zero of=big bs=512 count=9); stat -c %s big; ulimit -n 64; ulimit -n",
}
NEEDED = {"perl", "python3", "sqlite3", "make", "script"}
QUIET = {"numbers", "limits"}  # dd tells its speed on standard error
COMPILED = sorted(path.stem for path in PROGRAMS.glob("*.c"))


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, int], str]:
    """compiled(program, bits): its executable; skips where the compiler cannot make such programs."""
    folder = tmp_path_factory.mktemp("programs")

    @functools.cache
    def compiled(name: str, bits: int) -> str:
        target = str(folder / f"{name}{bits}")
        command = compilers.building([f"-m{bits}", "-O1", "-w", "-pthread", "-o", target,
                                      str(PROGRAMS / f"{name}.c"), "-ldl", "-lm"])
        if command is None:
            pytest.skip(f"no compiler for {bits}-bit programs: their system calls")
        subprocess.run(command, check=True, capture_output=True)
        return target
    return compiled


def natively(argv: list[str], folder: Path) -> tuple[int, str, str]:
    done = subprocess.run(argv, cwd=folder, env=ENVIRONMENT, stdin=subprocess.DEVNULL, capture_output=True,
                          check=False, timeout=LONGEST)
    status = done.returncode if done.returncode >= 0 else 128 - done.returncode
    return status, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")


def equal_natively(found: tuple[int, str, str], argv: list[str], folder: Path) -> tuple[int, str, str]:
    """A native run's result: the first that equals what was found in the machine, of five.

    The machine's time is the program's own; a busy host's is not, and its sleeps end when they will.
    """
    for _ in range(5):
        expected = natively(argv, folder)
        if expected == found:
            break
        for left in folder.iterdir():
            shutil.rmtree(left) if left.is_dir() and not left.is_symlink() else left.unlink()
    return expected


def emulated(argv: list[str], folder: Path, capfd: pytest.CaptureFixture[str], **options: int
             ) -> tuple[int, str, str]:
    kernel = Kernel(**options)  # type: ignore[arg-type]
    kernel.walltime_offset = time.time_ns()
    capfd.readouterr()
    who = Identity(os.getuid(), os.getgid(), tuple(os.getgroups()))
    process = kernel.spawn(argv, ENVIRONMENT, str(folder), who, stopped=False)
    reason = kernel.run(LIMIT)
    captured = capfd.readouterr()
    assert reason in ("done", "until") and process.zombie, f"{argv} did not end: {reason}"
    status = process.exit_status
    ours = [thread for each in kernel.processes.values() for thread in each.threads]
    assert {thread.tid for thread in ours} == {tid for tid, thread in kernel.threads.items()
                                               if thread.process not in kernel.system.values()}
    assert kernel.zombies == sum(each.zombie for each in kernel.processes.values())
    kernel.close()
    return status, captured.out, captured.err


@pytest.mark.parametrize("name", LINES)
def test_line_equals_native_run(name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    if name in NEEDED and shutil.which(name, path=ENVIRONMENT["PATH"]) is None:
        pytest.skip(f"no {name}: that it runs in the machine as natively")
    argv = ["/bin/sh", "-c", LINES[name]]
    found = emulated(argv, tmp_path, capfd)
    assert not list(tmp_path.iterdir()), "the emulated run wrote to the host"
    if name in QUIET:
        found, expected = (*found[:2], ""), (*natively(argv, tmp_path)[:2], "")
    else:
        expected = equal_natively(found, argv, tmp_path)
    assert found == expected


@pytest.mark.parametrize("bits", [64, 32])
@pytest.mark.parametrize("name", COMPILED)
def test_program_equals_native_run(name: str, bits: int, tmp_path: Path, compiled: Callable[[str, int], str],
                                   capfd: pytest.CaptureFixture[str]) -> None:
    argv = [compiled(name, bits)]
    found = emulated(argv, tmp_path, capfd)
    assert found == equal_natively(found, argv, tmp_path)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_other_interleavings_give_the_same_result(seed: int, tmp_path: Path,
                                                  compiled: Callable[[str, int], str],
                                                  capfd: pytest.CaptureFixture[str]) -> None:
    argv = [compiled("threads", 64)]
    found = emulated(argv, tmp_path, capfd, ncpus=2, seed=seed)
    assert found == equal_natively(found, argv, tmp_path)


RACE = """#include <pthread.h>
#include <stdio.h>
static volatile int x;
static void *work(void *unused) { for (int i = 0; i < 100000; i++) x++; return unused; }
int main(void)
{
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) pthread_create(&threads[i], 0, work, 0);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], 0);
    printf("%d\\n", x);
    return 0;
}
"""


@pytest.mark.parametrize("machine", ["x86-64", "aarch64"])
def test_a_seed_lets_threads_on_several_processors_race(machine: str, tmp_path: Path,
                                                        capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "race.c").write_text(RACE)
    program, found = str(tmp_path / "race"), compilers.compiler(machine)
    if found is None:
        pytest.skip(f"no compiler for {machine}: that threads race")
    subprocess.run([*found.command, "-O0", "-pthread", "-static", "-o", program, str(tmp_path / "race.c")],
                   check=True)
    counts = [int(emulated([program], tmp_path, capfd, ncpus=4, seed=seed)[1]) for seed in (0, 1, 1)]
    assert counts[0] == 400000
    assert counts[1] == counts[2] < 400000
