"""What a script alone reaches of the host's files: nothing.  And each output is whole, or not there."""

from __future__ import annotations

import ast
import errno
import io
import os
import resource
import signal
import stat
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest

from dof import outputs
from dof.globs import matcher
from dof.options import TABLE

SECONDS = 60
SECRET = "root:secret\nnext:hidden\n"
PROVIDER = "provider shop { probe sale(int); };\n"
CALL = "void __dtrace_shop___sale(int);\nvoid sell(int n) { __dtrace_shop___sale(n); }\n"
MAIN = {"dc": "from dc.command import main", "dtrace": "from runtime.command.command import main",
        "difas": "from dof.command import assemble_main as main",
        "difdis": "from dof.command import disassemble_main as main"}


def limit_files(size: int) -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def run(command: str, *words: object, most: int | None = None, cwd: Path | None = None, **streams: int
        ) -> subprocess.CompletedProcess[str]:
    """Run a command whose files may have `most` bytes each: as on a full disk, writing ends in an error."""
    code = f"import sys; {MAIN[command]}; sys.exit(main())"
    settings: dict = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams}
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, words)], text=True, errors="replace", timeout=SECONDS,
        check=False, cwd=cwd, preexec_fn=None if most is None else lambda: limit_files(most),
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
             "PYTHONDONTWRITEBYTECODE": "1"}, **settings)


# -- what a script can show ------------------------------------------------------------------------------

@pytest.mark.parametrize("marker", ['# 2 "{}"', '#line 2 "{}"', '#pragma D line 2 "{}"'])
@pytest.mark.parametrize("switches", [(), ("-C",)], ids=["plain", "preprocessed"])
def test_a_line_marker_is_a_label(marker: str, switches: tuple[str, ...], tmp_path: Path) -> None:
    secret, script = tmp_path / "secret", tmp_path / "a.d"
    secret.write_text(SECRET)
    script.write_text(f"{marker.format(secret)}\nBEGIN {{ nosuch(); }}\n")
    done = run("dc", "-e", *switches, script)
    assert done.returncode == 1
    heading, line, carets, *_more = done.stderr.splitlines()
    assert "hidden" not in done.stderr
    assert f'"{secret}", line 2: ' in heading
    assert (line, carets) == ("  BEGIN { nosuch(); }", "          ^^^^^^")


def test_a_line_marker_opens_nothing(tmp_path: Path) -> None:
    fifo, script = tmp_path / "fifo", tmp_path / "a.d"
    os.mkfifo(fifo)
    script.write_text(f'# 1 "{fifo}"\nBEGIN {{ nosuch(); }}\n')
    done = run("dtrace", "-e", "-s", script)  # hung in open(2)
    assert (done.returncode, done.stderr.splitlines()[1]) == (1, "  BEGIN { nosuch(); }")
    script.write_text(f'#include "{fifo}"\nBEGIN {{ }}\n')
    done = run("dc", "-C", "-e", script)
    assert (done.returncode, "not found" in done.stderr) == (1, True)


def test_lines_of_included_files_and_libraries_are_shown(tmp_path: Path) -> None:
    """The compiler was given them, too."""
    (tmp_path / "a.h").write_text("int some;\nBEGIN { nosuch(); }\n")
    (tmp_path / "a.d").write_text('#include "a.h"\n')
    assert "  BEGIN { nosuch(); }\n" in run("dc", "-C", "-e", tmp_path / "a.d").stderr
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "l.d").write_text("inline int some = nosuch;\n")
    assert "  inline int some = nosuch;\n" in run("dc", "-L", tmp_path / "lib", "-e", "-n", "BEGIN").stderr


def test_labels_cannot_control_a_terminal(tmp_path: Path) -> None:
    (tmp_path / "a.d").write_text('# 1 "\x1b[2J"\nBEGIN { nosuch(); }\n')
    assert "\x1b" not in run("dc", "-e", tmp_path / "a.d").stderr


def test_a_nul_in_a_comment(tmp_path: Path) -> None:
    script = tmp_path / "a.d"
    script.write_bytes(b"/* \0 */ BEGIN { exit(0); }\n" + b"/* filler */\n" * 1000)
    done = run("dc", script, "-o", tmp_path / "a.dof")
    assert (done.returncode, done.stderr) == (0, "")
    script.write_bytes(script.read_bytes().replace(b"exit(0)", b"nosuch()"))
    done = run("dc", script, "-o", tmp_path / "a.dof")
    assert done.returncode == 1 and len(done.stderr) < 500


@pytest.mark.parametrize("pattern", ["[[a-b]*", "[a--b]*", "[[a--b]*", "[!-a--]x", "[a&&b]", "[~~]"])
def test_no_glob_warns(pattern: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert matcher(pattern)


@pytest.mark.parametrize(("pattern", "matching", "others"), [
    ("[[a-b]", "[ab", "c-]"), ("[a--]", "", "a-b"), ("[+--]", "+,-", "a."), ("[-a]", "-a", "b"),
    ("[a-]", "-a", "b"), ("[!-a]", "b", "-a"), ("[a-c-e]", "abc-e", "d")])
def test_what_sets_match(pattern: str, matching: str, others: str) -> None:
    test = matcher(pattern)
    assert test is not None
    assert [text for text in matching + others if test(text)] == list(matching)


# -- what a script can write -----------------------------------------------------------------------------

FREOPEN = '#pragma D option destructive\nBEGIN {{ freopen("{}"); printf("text"); exit(0); }}\n'


def test_only_the_command_line_lets_a_script_write_files(tmp_path: Path) -> None:
    target, script = tmp_path / "target", tmp_path / "a.d"
    script.write_text(FREOPEN.format(target))
    done = run("dtrace", "-q", "-s", script)
    assert not target.exists()
    assert "only -w on the command line" in done.stderr and "text" in done.stdout
    assert run("dtrace", "-q", "-w", "-s", script).returncode == 0
    assert target.read_text() == "text\n"
    script.write_text(FREOPEN.format("/dev/null"))  # discards: scripts end with it
    done = run("dtrace", "-q", "-s", script)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_what_is_the_machines_a_script_may_destroy(tmp_path: Path) -> None:
    script = tmp_path / "a.d"
    script.write_text('#pragma D option destructive\n#pragma D option quiet\n'
                      'BEGIN { system("echo in the machine"); raise(0); exit(0); }\n')  # raise(0) was a bug
    done = run("dtrace", "-s", script)
    assert (done.returncode, done.stdout, done.stderr) == (0, "in the machine\n\n", "")


def test_no_option_that_names_the_hosts_files_is_a_programs() -> None:
    named = [row for row in TABLE.values() if row.value in ("FILE", "DIRECTORY", "COMMAND")]
    assert len(named) > 5 and all(row.outside for row in named)


def test_ftruncate_leaves_what_was_there_before(tmp_path: Path) -> None:
    target = tmp_path / "log"
    target.write_text("before\n")
    done = run("dtrace", "-q", "-o", target, "-n",
               'BEGIN { printf("one\\n"); ftruncate(); printf("two\\n"); exit(0); }')
    assert (done.returncode, target.read_text()) == (0, "before\ntwo\n\n")


def test_programs_cut_off_nothing_that_was_there_before(tmp_path: Path) -> None:
    """A shell's `>` opens /dev/stdout anew, and empties it."""
    target = tmp_path / "log"
    target.write_text("before\n")
    with open(target, "ab") as log:
        done = run("dtrace", "-q", "-n", "BEGIN", "-c", "sh -c 'echo one; echo two > /dev/stdout'",
                   stdout=log.fileno())
    assert done.returncode == 0 and target.read_text().startswith("before\n")


def test_a_program_that_does_not_compile_makes_no_output_file(tmp_path: Path) -> None:
    assert run("dtrace", "-o", tmp_path / "out", "-n", "BEGIN { nosuch(); }").returncode == 1
    assert not (tmp_path / "out").exists()


# -- outputs are whole -----------------------------------------------------------------------------------

ROOT = Path(outputs.__file__).parents[1]
WRITERS = {
    "dof/outputs.py", "runtime/consumer/output/stream.py",
    "runtime/instances/wire/recording.py",  # frames as they come
    # temporary directories of their own, and the manual's own files
    "runtime/dtest/runner.py", "runtime/dtest/fixture.py", "runtime/manual/examples.py",
    "runtime/manual/site.py",
    "dc/source/maketables.py", "dof/usdt/registration/build.py"}  # these write the repository's own files


def test_files_are_written_in_one_place() -> None:
    """Elsewhere no file of the host is opened for writing."""
    found = set()
    for path in (path for each in ("dif", "dof", "dc", "runtime") for path in (ROOT / each).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call):
                name = getattr(node.func, "id", getattr(node.func, "attr", ""))
                modes = [value.value for value in (*node.args[1:], *(each.value for each in node.keywords))
                         if isinstance(value, ast.Constant) and isinstance(value.value, str)]
                if name == "write_text" or (name == "open" and any(set("wax+") & set(mode) and len(mode) < 4
                                                                   for mode in modes)):
                    found.add(str(path.relative_to(ROOT)))
    assert found <= WRITERS and len(found) > 1

D = 'BEGIN { printf("%s", "a rather long text for a file that may have few bytes"); }'


def assert_untouched(folder: Path, name: str, before: bytes, done: subprocess.CompletedProcess[str]) -> None:
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1 and name in done.stderr and "too large" in done.stderr
    assert (folder / name).read_bytes() == before
    assert [each.name for each in folder.iterdir() if each.name.startswith(".")] == []


@pytest.mark.parametrize("words", [
    ("dc", "-n", D, "-o", "out"), ("dc", "-n", D, "-S", "-o", "out"),
    ("dc", "-n", D, "--emit", "json", "-o", "out"), ("difas", "in.dif", "-o", "out"),
    ("difdis", "in.dof", "-o", "out"), ("difdis", "in.dof", "--json", "-o", "out"),
    ("dtrace", "-h", "-s", "shop.d", "-o", "out"), ("dtrace", "-A", "-n", D, "-o", "out"),
    ("dtrace", "-q", "-n", "profile-97 { @[ustack()] = count(); }", "--flame", "out", "-c", "true"),
], ids=lambda words: " ".join(words[:1] + tuple(word for word in words if word.startswith("-"))))
def test_a_full_disk_leaves_what_was_there(words: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "shop.d").write_text(PROVIDER)
    assert run("dc", "-n", D, "-o", "in.dof", cwd=tmp_path).returncode == 0
    assert run("dc", "-n", D, "--emit", "dif", "-o", "in.dif", cwd=tmp_path).returncode == 0
    (tmp_path / "out").write_bytes(b"precious\n")
    assert_untouched(tmp_path, "out", b"precious\n", run(*words, most=40, cwd=tmp_path))


def test_a_failed_link_leaves_every_object(tmp_path: Path) -> None:
    (tmp_path / "shop.d").write_text(PROVIDER)
    (tmp_path / "a.c").write_text(CALL)
    (tmp_path / "big.c").write_text(CALL.replace("sell", "other") + "char filler[20000] = {1};\n")
    subprocess.run(["cc", "-c", "a.c", "big.c"], cwd=tmp_path, check=True)
    before = {name: (tmp_path / name).read_bytes() for name in ("a.o", "big.o")}
    done = run("dtrace", "-G", "-s", "shop.d", "a.o", "big.o", "-o", "out.o", most=15000, cwd=tmp_path)
    assert_untouched(tmp_path, "big.o", before["big.o"], done)
    assert (tmp_path / "a.o").read_bytes() == before["a.o"] and not (tmp_path / "out.o").exists()
    done = run("dtrace", "-G", "-s", "shop.d", "a.o", "big.o", "-o", "out.o", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert all((tmp_path / name).read_bytes() != contents for name, contents in before.items())
    assert (tmp_path / "out.o").stat().st_mtime_ns >= (tmp_path / "big.o").stat().st_mtime_ns


def test_pictures_appear_together(tmp_path: Path) -> None:
    done = run("dtrace", "-q", "-n", "profile-97 { @[ustack()] = count(); }", "--folded", tmp_path / "folded",
               "--flame", tmp_path / "none" / "flame.svg", "-c", "true")
    assert (done.returncode, list(tmp_path.iterdir())) == (1, [])
    assert done.stderr == f"dtrace: {tmp_path}/none/flame.svg: No such file or directory\n"


def test_modes_and_links_are_kept(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_bytes(b"old")
    target.chmod(0o640)
    link.symlink_to("target")
    outputs.write({str(link): b"new"})
    assert link.is_symlink() and target.read_bytes() == b"new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    dangling = tmp_path / "dangling"
    dangling.symlink_to("later")
    outputs.write({str(dangling): b"made"})
    assert dangling.is_symlink() and (tmp_path / "later").read_bytes() == b"made"
    assert stat.S_IMODE((tmp_path / "later").stat().st_mode) == 0o644  # by the mask of these tests


def test_a_file_that_may_not_be_written_is_not_replaced(tmp_path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root writes every file: that files without permission are left alone")
    (tmp_path / "fixed").write_bytes(b"old")
    (tmp_path / "fixed").chmod(0o444)
    with pytest.raises(PermissionError):
        outputs.write({str(tmp_path / "fixed"): b"new"})


def test_what_is_no_file_is_written_where_it_is(tmp_path: Path) -> None:
    outputs.write({os.devnull: b"gone"})
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    outputs.write({str(fifo): b"through"})
    assert os.read(reader, 100) == b"through" and stat.S_ISFIFO(fifo.stat().st_mode)
    os.close(reader)
    with open(tmp_path / "log", "ab") as log:
        log.write(b"before\n")
        log.flush()
        assert run("dc", "-n", "BEGIN { }", "-S", "-o", "/dev/stdout", stdout=log.fileno()).returncode == 0
    assert (tmp_path / "log").read_bytes().startswith(b"before\n")


def test_a_rename_that_fails_brings_back_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old, new, last = (tmp_path / name for name in ("old", "new", "last"))
    old.write_bytes(b"old")
    replace = os.replace

    def fail(source: str, target: str) -> None:
        if target == str(last):
            raise OSError(5, "Input/output error")
        replace(source, target)

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="Input/output") as caught:
        outputs.write({str(old): b"x", str(new): b"y", str(last): b"z"})
    assert caught.value.filename == str(last)
    assert {each.name: each.read_bytes() for each in tmp_path.iterdir()} == {"old": b"old"}


KILLED = """
import os, signal, sys
from dof import outputs
def die(*_arguments):
    os.kill(os.getpid(), signal.SIGKILL)
outputs._put_in_place = die
outputs.write({sys.argv[1]: bytes(1 << 20), sys.argv[2]: bytes(1 << 20)})
"""


@pytest.mark.skipif(not hasattr(os, "O_TMPFILE"), reason="only Linux has files without a name")
def test_a_command_that_is_killed_leaves_nothing(tmp_path: Path) -> None:
    """Up to the moment in which all is written the new files have no names."""
    (tmp_path / "one").write_bytes(b"before")
    done = subprocess.run([sys.executable, "-c", KILLED, tmp_path / "one", tmp_path / "two"], check=False)
    assert done.returncode == -signal.SIGKILL
    assert os.listdir(tmp_path) == ["one"] and (tmp_path / "one").read_bytes() == b"before"


def test_file_systems_without_unnamed_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outputs, "_open_unnamed", lambda _folder: None)
    for text in (b"first", b"second"):
        outputs.write({str(tmp_path / name): text for name in ("one", "two")})
        assert sorted(os.listdir(tmp_path)) == ["one", "two"]
        assert (tmp_path / "two").read_bytes() == text


class Slow(io.RawIOBase):
    """A stream that takes three bytes at a time, and none once it is full."""

    def __init__(self, room: int) -> None:
        self.taken, self.room = b"", room

    def write(self, data: Any) -> int | None:
        size = min(3, self.room - len(self.taken), len(data))
        self.taken += bytes(data[:size])
        return size or None


def test_a_stream_that_takes_little_gets_everything() -> None:
    stream = Slow(10)
    outputs.write_all(stream, b"0123456789")  # type: ignore[arg-type]
    assert stream.taken == b"0123456789"
    with pytest.raises(BlockingIOError) as caught:
        outputs.write_all(stream, b"x")  # type: ignore[arg-type]
    assert caught.value.args == (errno.EAGAIN, os.strerror(errno.EAGAIN))


def test_what_is_discarded_goes_nowhere(tmp_path: Path) -> None:
    with open(tmp_path / "file", "w") as file:
        file.write("kept")
        file.flush()
        file.write("not kept")
        outputs.discard(file)
    assert (tmp_path / "file").read_text() == "kept"
    outputs.discard(file)  # it is closed
    outputs.discard(io.StringIO())  # it is no file
