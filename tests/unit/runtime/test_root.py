"""What programs in the machine see of the host, and that a closed machine's runs do not depend on it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

MAIN = "import sys; from runtime.command.command import main; sys.exit(main(sys.argv[1:]))"
ROOT = Path(__file__).resolve().parents[3]
READER = r"""
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
/* Prints what each path given has in it, or that there is no such thing. */
__attribute__((noinline)) int show(const char *path)
{
    char text[64] = "";
    int fd = open(path, O_RDONLY);
    ssize_t size = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    printf("%s: %s\n", path, size < 0 ? "-" : strtok(text, "\n"));
    close(fd);
    return fd;
}
int main(int argc, char **argv)
{
    for (int at = 1; at < argc; at++)
        show(argv[at]);
    return 0;
}
"""
WORKER = r"""
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
extern char **environ;
static unsigned sum;
__attribute__((noinline)) void mix(unsigned n) { while (n--) sum = sum * 31 + n; }
__attribute__((noinline)) void deep(unsigned n) { char page[512]; page[n % 512] = n; if (n) deep(n - 1);
                                                  mix(40); sum += page[0]; }
int main(int argc, char **argv)
{
    char cwd[4096], host[256], when[64];
    struct stat status;
    time_t now = time(0);
    gethostname(host, sizeof host);
    stat(argv[0], &status);
    strftime(when, sizeof when, "%c %Z", localtime(&now));
    for (int at = 0; at < 40; at++)
        deep(at * 20);
    printf("%p %s %s %d %o %s %d %ld\n", (void *)&argc, getcwd(cwd, sizeof cwd), host, getuid(),
           umask(0), when, status.st_uid, (long)status.st_ino);
    for (char **each = environ; *each; each++)
        puts(*each);
    return 0;
}
"""


def build(folder: Path, name: str, source: str, *flags: str) -> Path:
    (folder / f"{name}.c").write_text(source)
    subprocess.run(["cc", "-O1", "-w", *flags, "-o", folder / name, folder / f"{name}.c"], check=True)
    return folder / name


def dtrace(*words: object, **settings: object) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **settings.pop("env", {})}  # type: ignore[dict-item]
    return subprocess.run([sys.executable, "-c", MAIN, *map(str, words)], capture_output=True, text=True,
                          env=environment, timeout=120, check=False, **settings)  # type: ignore[call-overload]


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A root directory with a program, files, and links that would leave it on the host."""
    root = tmp_path_factory.mktemp("tree")
    build(root, "reader", READER, "-static")
    build(root, "worker", WORKER, "-static")
    secret = root.parent / "secret"
    secret.write_text("of the host\n")
    (root / "etc").mkdir()
    (root / "etc/hosts").write_text("192.0.2.7 lab\n")
    (root / "etc/inside").write_text("of the root\n")
    (root / "absolute").symlink_to("/etc/inside")
    (root / "out").symlink_to(secret)
    (root / "up").symlink_to("../" * 12 + str(secret).lstrip("/"))
    (root / "etc/folder").symlink_to(root.parent)
    return root


@pytest.mark.parametrize(("path", "found"), [
    ("/etc/inside", "of the root"), ("/absolute", "of the root"), ("/../../etc/inside", "of the root"),
    ("/proc/self/root/etc/inside", "of the root"), ("/proc/self/cwd/absolute", "of the root"),
    ("/out", "-"), ("/up", "-"), ("/etc/folder/secret", "-"), ("{secret}", "-"), ("../secret", "-"),
    ("/proc/self/root/..{secret}", "-"), ("/proc/1/root/..{secret}", "-"), ("/proc/self/cwd/../secret", "-"),
    ("/proc/self/fd/../../../../..{secret}", "-"), ("/etc/passwd", "-")])
def test_paths_stay_in_the_root(tree: Path, path: str, found: str) -> None:
    path = path.format(secret=tree.parent / "secret")
    result = dtrace("-qn", "BEGIN", "-n", "syscall::exit_group:entry { exit(0); }", "-c", f"/reader {path}",
                    "-x", f"root={tree}")
    assert f"{path}: {found}\n" in result.stdout
    assert "of the host" not in result.stdout


def test_symbols_come_from_the_root(tree: Path) -> None:
    """The traced program is the root's, and so are the symbols that dtrace itself looks up."""
    clause = "pid$target::show:entry { ufunc(uregs[R_PC]); }"
    result = dtrace("-qn", clause, "-c", "/reader /etc/inside", "-x", f"root={tree}")
    assert "reader`show" in result.stdout, result.stderr


def test_none_shows_what_is_named(tree: Path) -> None:
    result = dtrace("-qn", "END", "-c", f"{tree}/reader {tree}/etc/inside {tree}/etc/hosts /etc/passwd",
                    "-x", "root=none", "-x", f"file={tree}/reader", "-x", f"file={tree}/etc/inside")
    assert f"{tree}/etc/inside: of the root" in result.stdout
    assert f"{tree}/etc/hosts: -" in result.stdout
    assert "/etc/passwd: -" in result.stdout


def test_a_dynamic_program_needs_its_libraries(tmp_path: Path) -> None:
    """The interpreter and the libraries of a traced program come from the machine's root."""
    program = build(tmp_path, "reader", READER)
    alone = dtrace("-qn", "END", "-c", f"{program} /x", "-x", "root=none", "-x", f"file={program}")
    assert alone.returncode == 1
    assert "No such file or directory" in alone.stderr
    listed = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    needed = [word for word in listed.split() if word.startswith("/")]
    files = [word for path in (program, *needed) for word in ("-x", f"file={path}")]
    result = dtrace("-qn", "END", "-c", f"{program} /x", "-x", "root=none", *files)
    assert "/x: -" in result.stdout, result.stderr


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    for option in (f"root={tmp_path}/no", f"file={tmp_path}/no"):
        result = dtrace("-n", "BEGIN", "-x", option)
        assert result.returncode == 1
        assert result.stderr == (f"dtrace: failed to initialize the machine: option {option.split('=')[0]}: "
                                 f"{tmp_path}/no: No such file or directory\n")


PROFILE = "profile-4999 /arg1/ { @[ustack()] = count(); } END { printf(\"%Y\\n\", walltimestamp); }"


def test_a_closed_machine_does_not_depend_on_the_host(tree: Path, tmp_path: Path) -> None:
    """Environment, user, directory, time zone, umask, and the inodes and times of another copy."""
    copy = tmp_path / "copy"
    shutil.copytree(tree, copy, symlinks=True)
    hosts = [
        dtrace("-qn", PROFILE, "-c", "/worker", "-x", f"root={tree}", "-x", "env=clean"),
        dtrace("-qn", PROFILE, "-c", "/worker", "-x", f"root={copy}", "-x", "env=clean", cwd=tmp_path,
               umask=0, env={"TZ": "Asia/Tokyo", "USER": "other", "HOME": "/other", "LANG": "de_DE.UTF-8",
                    **{f"LONG{at}": "x" * 700 for at in range(60)}})]
    assert hosts[0].stdout.count("worker`deep") > 10, hosts[0].stderr
    assert hosts[0].stdout == hosts[1].stdout
    assert "TZ=UTC0\n" in hosts[0].stdout


def test_the_length_of_the_environment_moves_no_profile(tree: Path) -> None:
    """Also in a machine that takes the host's environment, the stack lies where it lies."""
    runs = [dtrace("-qn", "profile-4999 /arg1/ { @[ustack()] = count(); }", "-c", f"{tree}/worker",
                   env={"PADDING": "~" * size}).stdout.replace("~", "") for size in (1, 5000)]
    assert runs[0] == runs[1]


def test_a_description_of_the_machine_closes_it_too(tree: Path) -> None:
    image = tree.parent / "machine.toml"
    image.write_text(f'[machine]\nroot = "{tree.name}"\nenv = "clean"\n'
                     '[[process]]\ncommand = ["/reader", "/etc/inside", "/etc/passwd"]\n')
    result = dtrace("-qn", "tick-1s { exit(0); }", "--image", image)
    assert result.stdout.split("\n")[:2] == ["/etc/inside: of the root", "/etc/passwd: -"], result.stderr
