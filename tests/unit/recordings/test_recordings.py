"""Recordings: a run again without the host that it was made on, with the same script or another."""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from runtime.recordings.fileformat import MAGIC, unpack
from runtime.recordings.recording import RecordingError

ROOT = Path(__file__).resolve().parents[3]
LIBRARY = "int part(int n) { return n + 1; }\n"
PROGRAM = r"""
#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int part(int);
static int total;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
void add(int n) { pthread_mutex_lock(&lock); total += part(n); pthread_mutex_unlock(&lock); }
static void *work(void *n) { for (int i = 0; i < 20; i++) add((int)(long)n); return (0); }
int main(int argc, char **argv)
{
	pthread_t threads[4];
	char line[100], here[300];
	int lines = 0, names = 0;
	for (long i = 0; i < 4; i++)
		pthread_create(&threads[i], 0, work, (void *)i);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], 0);
	while (fgets(line, sizeof (line), stdin))
		lines++;
	DIR *folder = opendir(argv[1]);
	while (readdir(folder))
		names++;
	printf("%d, %d lines, %d names, %s, %s, %s\n", total, lines, names, getenv("COLOUR"),
		getenv("PASSWORD") ? "a password" : "no password", getcwd(here, sizeof (here)));
	FILE *file = fopen("secret.txt", "r");
	return (file ? 4 : 3);
}
"""
SCRIPT = """pid$target::add:entry { @[tid, ustack(2)] = count(); }
    sched:::on-cpu /pid == $target/ { printf("%d at %d", tid, timestamp); }"""
# A clean one: those of a test run would do, but for what a Python or a coverage tool adds.
ENVIRONMENT = {"PATH": os.environ["PATH"], "COLOUR": "green", "PASSWORD": "sesame", "PYTHONPATH": str(ROOT)}


class Recorded(NamedTuple):
    path: Path
    out: str
    err: str
    folder: Path


def dtrace(*words: str, cwd: Path, input: str = "", environment: dict[str, str] | None = None
           ) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "runtime.command", *words], cwd=cwd, input=input, text=True,
                          env=environment or {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)},
                          capture_output=True, check=False)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    """A threaded program with a library of its own, recorded; then program, library and data are removed."""
    folder = tmp_path_factory.mktemp("there")
    (folder / "part.c").write_text(LIBRARY)
    (folder / "main.c").write_text(PROGRAM)
    (folder / "secret.txt").write_text("the word is swordfish\n")
    (folder / "data").mkdir()
    (folder / "data" / "one").touch()
    subprocess.run("cc -g -shared -fPIC part.c -o libpart.so && "
                   "cc -g main.c -o main -L. -lpart -Wl,-rpath,$PWD -lpthread",
                   shell=True, cwd=folder, check=True)
    path = tmp_path_factory.mktemp("kept") / "run.dtr"
    options = f"record={path}", "exclude=PASS*", "exclude=*/secret.txt", "ncpus=2", "seed=7"
    done = dtrace(*(word for option in options for word in ("-x", option)), "-n", SCRIPT, "-c", "./main data",
                  cwd=folder, input="a\nb\n", environment=ENVIRONMENT)
    assert done.returncode == 0, done.stderr
    shutil.rmtree(folder)
    return Recorded(path, done.stdout, done.stderr, folder)


def test_the_same_bytes_without_the_host(recorded: Recorded, tmp_path: Path) -> None:
    """Neither program nor library, another directory, environment and input."""
    assert recorded.out.splitlines()[0] == f"200, 2 lines, 3 names, green, no password, {recorded.folder}"
    again = dtrace("--replay", str(recorded.path), "-n", SCRIPT, cwd=tmp_path, input="other\n")
    assert again.returncode == 0
    assert again.stdout == recorded.out
    first, *lines = recorded.err.splitlines(), again.stderr.splitlines()
    assert first[-1].startswith(f"dtrace: {recorded.path}: recorded ") and lines == [first[:-1]]


def test_what_is_excluded_is_not_in_it(recorded: Recorded) -> None:
    """The program did not see it either: it ended with status 3."""
    kept = gzip.decompress(recorded.path.read_bytes()[len(MAGIC):])
    assert b"COLOUR" in kept and b"PASSWORD" not in kept.partition(b"\x7fELF")[0]
    assert b"swordfish" not in kept and b"sesame" not in kept.partition(b"\x7fELF")[0]
    assert "dtrace: pid 101 exited with status 3" in recorded.err


def test_another_script(recorded: Recorded, tmp_path: Path) -> None:
    """Arguments by their types: the program's debug information is in the recording."""
    again = dtrace("--replay", str(recorded.path), "-q", "-x", "strict", "-n",
                   "pid$target:libpart.so:part:entry { @[args[0]] = count(); }", cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    assert [line.split() for line in again.stdout.splitlines()[2:]] == [[str(n), "20"] for n in range(4)]
    assert again.stderr == ""


def test_departures_are_told(recorded: Recorded, tmp_path: Path) -> None:
    asks = 'BEGIN { system("date"); }'
    again = dtrace("--replay", str(recorded.path), "-q", "-w", "-n", asks, cwd=tmp_path)
    assert re.search(rf"^dtrace: {recorded.path}: /bin(/sh)? was not looked at in the recorded run$",
                     again.stderr, re.MULTILINE)
    changed = dtrace("--replay", str(recorded.path), "-q", "-w", "-n",
                     "pid$target::part:entry /arg0 == 3/ { raise(9); }", cwd=tmp_path)
    assert f"dtrace: {recorded.path}: programs wrote other bytes to standard output, from byte 0 on" in \
        changed.stderr.splitlines()


@pytest.mark.parametrize(("words", "said"), [
    (["-c", "ls"], "-c cannot be given with --replay"), (["-p", "1"], "-p cannot be given with --replay"),
    (["-x", "ncpus=3"], "-x ncpus cannot be given with --replay"),
    (["-x", "setenv=A=b"], "-x setenv cannot be given with --replay"),
    (["-x", "record=again"], "-x record cannot be given with --replay"), (["-a"], "of one emulated machine")])
def test_what_a_recording_says_already(recorded: Recorded, words: list[str], said: str,
                                       tmp_path: Path) -> None:
    again = dtrace("--replay", str(recorded.path), "-n", "BEGIN { exit(0); }", *words, cwd=tmp_path)
    assert again.returncode == 1 and again.stderr.count("\n") == 1 and said in again.stderr


def test_a_described_machine_is_recorded(tmp_path: Path) -> None:
    """The description, and what it takes of the host."""
    (tmp_path / "motd").write_text("from the host\n")
    (tmp_path / "machine.toml").write_text("""
        [[file]]
        path = "/etc/motd"
        from = "motd"
        [[process]]
        command = ["/bin/sh", "-c", "while :; do read line < /etc/motd; echo $line > /tmp/line-of-motd; done"]
        stdout = "/dev/null"
        """)
    words = "-qn", 'syscall::write:entry /execname == "sh"/ { printf("%s", copyinstr(arg1)); exit(0); }'
    first = dtrace("-x", "record=run.dtr", "-x", "image=machine.toml", *words, cwd=tmp_path)
    assert (first.returncode, first.stdout) == (0, "from the host\n\n")
    (tmp_path / "motd").unlink()
    (tmp_path / "machine.toml").unlink()
    again = dtrace("--replay", "run.dtr", *words, cwd=tmp_path)
    assert (again.returncode, again.stdout, again.stderr) == (0, first.stdout, "")


def test_clocks_of_the_host_are_not_recorded(tmp_path: Path) -> None:
    done = dtrace("-x", "record=r", "-x", "clock=real", "-n", "BEGIN", cwd=tmp_path)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1) and not (tmp_path / "r").exists()


# -- hostile files ---------------------------------------------------------------------------------------

def rewritten(change: Callable[[dict], object]) -> Callable[[bytes], bytes]:  # type: ignore[type-arg]
    """A file whose index is another."""
    def work(data: bytes) -> bytes:
        content = gzip.decompress(data[len(MAGIC):])
        size = int.from_bytes(content[:8], "little")
        index = json.loads(content[8:8 + size])
        changed = change(index)
        text = changed if isinstance(changed, bytes) else json.dumps(index).encode()
        return MAGIC + gzip.compress(len(text).to_bytes(8, "little") + text + content[8 + size:], 1)
    return work


def repacked(change: Callable[[bytes], bytes]) -> Callable[[bytes], bytes]:
    return lambda data: MAGIC + gzip.compress(change(gzip.decompress(data[len(MAGIC):])), 1)


def entry(index: dict, **values: object) -> None:  # type: ignore[type-arg]
    index["files"]["/etc"] = {"status": [0o40755, 2, 1, 2, 0, 0, 0, 4096, 4096, 8, 1, 1, 1]} | values


HOSTILE = {
    "other": (lambda data: b"nothing", "this is no recording"),
    "cut": (lambda data: data[:-100], "damaged"),
    "flipped": (lambda data: data[:99_999] + bytes([data[99_999] ^ 1]) + data[100_000:], "damaged"),
    "content": (repacked(lambda data: data[:-1] + bytes([data[-1] ^ 1])), "has another content"),
    "order": (repacked(lambda data: data + bytes(40)), "not in order"),
    "length": (repacked(lambda data: (1 << 62).to_bytes(8, "little") + data[8:]), "longer than 64 MB"),
    "bomb": (lambda data: MAGIC + gzip.compress((60 << 20).to_bytes(8, "little") + bytes(60 << 20), 1),
             "damaged"),
    "deep": (rewritten(lambda index: b"[" * 100_000), "too many others"),
    "form": (rewritten(lambda index: b"[]"), "it is no object"),
    "number": (rewritten(lambda index: b'{"owner": [' + b"9" * 5000 + b"]}"), "damaged"),
    "path": (rewritten(lambda index: index["files"].update({"/etc/../x": {}})), "absolute path without dots"),
    "relative": (rewritten(lambda index: index["files"].update({"etc": {}})), "absolute path without dots"),
    "home": (rewritten(lambda index: index.update(home="..")), "absolute path without dots"),
    "name": (rewritten(lambda index: entry(index, names=[["../x", 1, 0]])), "is no name"),
    "status": (rewritten(lambda index: entry(index, status=[1])), "13 numbers"),
    "size": (rewritten(lambda index: entry(index, status=[1 << 70] * 13)), "must have numbers"),
    "missing": (rewritten(lambda index: entry(index, content="00" * 32)), "its content is missing"),
    "option": (rewritten(lambda index: index["options"].update(quiet=1)), "is no option of the machine"),
    "value": (rewritten(lambda index: index["options"].update(ncpus="many")), "ncpus"),
    "text": (rewritten(lambda index: index.update(words=["\ud800"])), "characters that are none"),
    "NUL": (rewritten(lambda index: index["environment"].update(A="\0")), "must be a text"),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_files_are_refused(recorded: Recorded, kind: str) -> None:
    change, said = HOSTILE[kind]
    with pytest.raises(RecordingError) as caught:
        unpack(change(recorded.path.read_bytes()))
    assert said in str(caught.value) and "\n" not in str(caught.value)


def test_a_refusal_is_one_line(recorded: Recorded, tmp_path: Path) -> None:
    (tmp_path / "bad").write_bytes(recorded.path.read_bytes()[:-100])
    done = dtrace("--replay", "bad", "-n", "BEGIN", cwd=tmp_path)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert done.stderr.startswith("dtrace: cannot replay bad: it is damaged")
    done = dtrace("--replay", "none", "-n", "BEGIN", cwd=tmp_path)
    assert done.stderr.startswith("dtrace: failed to read none")
