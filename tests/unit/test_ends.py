"""How commands end: signals, closed and full outputs, and bugs of ours."""

from __future__ import annotations

import io
import os
import select
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from dof import commandline
from runtime.consumer.output.stream import Output

SECONDS = 60
MAIN = {"dc": "from dc.command import main", "dtrace": "from runtime.command.command import main",
        "difas": "from dof.command import assemble_main as main",
        "difdis": "from dof.command import disassemble_main as main",
        "dtest": "from runtime.command.dtest import main",
        "dinstance": "from runtime.command.dinstance import main"}
PRINTING = [
    ("dc", "-n", "BEGIN { trace(1); }", "-S"), ("dc", "--help"), ("difas", "-V"), ("difdis", "--help"),
    ("dtrace", "-V"), ("dtrace", "-l", "-n", "syscall::read:"),
    ("dtrace", "-q", "-n", "BEGIN { trace(1); exit(0); }"), ("dtrace", "--json", "-qn", "BEGIN { exit(0); }"),
    ("dtrace", "-q", "-n", 'BEGIN { system("echo text"); printf("more"); exit(0); }', "-w"),
    ("dtrace", "-A", "-n", "BEGIN", "-o", "-"), ("dtrace", "--explain", "strtok"), ("dtest", "--help"),
    ("dinstance", "--help"),
]


def words_of(command: str, *words: object) -> list[str]:
    return [sys.executable, "-c", f"import sys; {MAIN[command]}; sys.exit(main())", *map(str, words)]


def shell(end: str, *words: object) -> subprocess.CompletedProcess[str]:
    """Run a command with redirections that a shell understands."""
    return subprocess.run(["sh", "-c", f'"$@" {end}', "sh", *words_of(*map(str, words))], text=True,
                          capture_output=True, timeout=SECONDS, check=False)


def name_of(words: tuple[str, ...]) -> str:
    return " ".join(words[:2])


@pytest.mark.parametrize("end", [">/dev/full", ">&-"])
@pytest.mark.parametrize("words", PRINTING, ids=name_of)
def test_an_output_that_cannot_be_written(words: tuple[str, ...], end: str) -> None:
    done = shell(end, *words)
    assert done.returncode == 1
    said = [line for line in done.stderr.splitlines() if line.startswith(words[0])]
    reason = "No space left on device" if "full" in end else "Bad file descriptor"
    assert said == [f"{words[0]}: standard output: {reason}"]
    assert "Traceback" not in done.stderr and "Exception" not in done.stderr


@pytest.mark.parametrize("words", PRINTING, ids=name_of)
def test_a_closed_pipe(words: tuple[str, ...]) -> None:
    """It ends the command as SIGPIPE ends others: without a word."""
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(words_of(*words), stdout=writer, stderr=subprocess.PIPE, text=True,
                          timeout=SECONDS, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (128 + signal.SIGPIPE, "")


@pytest.mark.parametrize("mode", ["-h", "-G"])
def test_a_header_or_object_that_cannot_be_written(mode: str, tmp_path: Path) -> None:
    script = tmp_path / "shop.d"
    script.write_text("provider shop { probe sale(int); };\n")
    words = "dtrace", mode, "-x", "header=sdt", "-s", str(script), "-o", "-"
    for end, reason in ((">/dev/full", "No space left on device"), (">&-", "Bad file descriptor")):
        done = shell(end, *words)
        assert (done.returncode, done.stderr) == (1, f"dtrace: standard output: {reason}\n")
    test_a_closed_pipe(words)


def test_descriptors_that_are_closed_are_not_given_to_files(tmp_path: Path) -> None:
    """The output file would be the standard output of the machine's programs."""
    out = tmp_path / "out"
    done = shell(">&-", "dtrace", "-q", "-o", out, "-n", "BEGIN { exit(0); }", "-c", "echo lost")
    assert out.read_text() == "\n" and "lost" not in done.stderr
    assert shell(">&- 2>&- <&-", "dc", "-n", "BEGIN { }", "-o", out).returncode == 0


@pytest.mark.parametrize("end", ["2>/dev/full", "2>&-", ">/dev/full 2>/dev/full"])
def test_messages_that_cannot_be_written(end: str) -> None:
    assert shell(end, "dc", "-e", "-n", "BEGIN { nosuch(); }").returncode == 1
    assert shell(end, "dc", "-z").returncode == 2


def test_a_file_on_a_full_disk() -> None:
    done = shell("", "dtrace", "-q", "-o", "/dev/full", "-n", "BEGIN { trace(1); exit(0); }")
    assert (done.returncode, done.stderr) == (1, "dtrace: /dev/full: No space left on device\n")
    done = shell("", "dtrace", "-q", "-w", "-n", 'BEGIN { freopen("/dev/full"); printf("x"); exit(0); }')
    assert (done.returncode, done.stderr) == (1, "dtrace: /dev/full: No space left on device\n")
    done = shell("", "dtrace", "-A", "-o", "/dev/full", "-n", "BEGIN")  # read it to its end, which it has not
    assert (done.returncode, done.stderr) == (1, "dtrace: /dev/full: No space left on device\n")


# -- signals ---------------------------------------------------------------------------------------------

@contextmanager
def tracing(*words: object, **streams: int) -> Iterator[subprocess.Popen[str]]:
    """A dtrace that traces: it says so on standard error."""
    with subprocess.Popen(words_of("dtrace", "-w", *words), stderr=subprocess.PIPE, text=True,
                          **(streams or {"stdout": subprocess.PIPE})) as process:
        try:
            assert process.stderr is not None
            while "allowing destructive" not in process.stderr.readline():
                assert process.poll() is None
            time.sleep(0.3)
            yield process
        finally:
            process.kill()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_fifo_without_a_reader_keeps_no_signal_away(number: int, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    program = f'BEGIN {{ freopen("{tmp_path}/fifo"); }} END {{ freopen(""); printf("the end"); }}'
    with tracing("-n", program) as process:
        process.send_signal(number)
        out, errors = process.communicate(timeout=SECONDS)
    assert (process.returncode, out.count("the end")) == (0, 1)
    assert "Interrupted system call" in errors


def test_a_fifo_is_waited_for(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    with tracing("-q", "-n", f'BEGIN {{ freopen("{fifo}"); printf("through"); exit(0); }}', "-x", "quiet=off"
                 ) as process:
        assert "through" in fifo.read_text()
        assert process.wait(SECONDS) == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_second_signal_leaves_at_once(number: int) -> None:
    """The first waits for a reader that does not read."""
    reader, writer = os.pipe()
    program = 'tick-1ms { printf("%60000s", "a"); }'
    with tracing("-x", "switchrate=1ms", "-n", program, stdout=writer) as process:
        time.sleep(0.5)
        process.send_signal(number)
        time.sleep(0.5)
        assert process.poll() is None
        process.send_signal(number)
        assert process.wait(SECONDS) == 128 + number
        assert process.stderr is not None and "Traceback" not in process.stderr.read()
    os.close(reader)
    os.close(writer)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("recording", [False, True])
def test_a_program_that_waits_for_input_keeps_no_signal_away(number: int, recording: bool, tmp_path: Path
                                                             ) -> None:
    """It waits in a read of the host's standard input, which nobody writes."""
    reader, writer = os.pipe()
    record = ["-x", f"record={tmp_path}/run"] if recording else []
    with tracing("-n", 'END { printf("the end"); }', "-c", "cat", *record, stdin=reader,
                 stdout=subprocess.PIPE) as process:
        process.send_signal(number)
        out, _errors = process.communicate(timeout=SECONDS)
    assert (process.returncode, out.count("the end")) == (0, 1)
    os.close(reader)
    os.close(writer)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("recording", [False, True])
def test_a_program_whose_output_nothing_reads_keeps_no_signal_away(number: int, recording: bool,
                                                                   tmp_path: Path) -> None:
    """It waits in a write to the host's standard output."""
    reader, writer = os.pipe()
    record = ["-x", f"record={tmp_path}/run"] if recording else []
    with tracing("-o", tmp_path / "out", "-n", 'END { printf("the end"); }', "-c", "cat /dev/zero", *record,
                 stdout=writer) as process:
        while not select.select([reader], [], [], 0.1)[0]:
            assert process.poll() is None
        time.sleep(0.2)  # until it is full
        process.send_signal(number)
        assert process.wait(SECONDS) == 0
    assert (tmp_path / "out").read_text().count("the end") == 1
    os.close(reader)
    os.close(writer)


def test_exit_does_not_wait_for_input() -> None:
    reader, writer = os.pipe()
    program = 'syscall::read:entry /execname == "cat" && arg0 == 0/ { exit(3); } END { printf("the end"); }'
    with tracing("-n", program, "-c", "cat", stdin=reader, stdout=subprocess.PIPE) as process:
        out, _errors = process.communicate(timeout=SECONDS)
    assert (process.returncode, out.count("the end")) == (3, 1)
    os.close(reader)
    os.close(writer)


ENDED = """
import signal
from runtime.command.command import main
assert main(["-qn", "BEGIN { exit(0); }"]) == 0
assert signal.getsignal(signal.SIGINT) is signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
"""


def test_a_signal_after_the_end_is_not_shown() -> None:
    """Raised in Python's own end it was an exception that Python shows."""
    done = subprocess.run([sys.executable, "-c", ENDED], capture_output=True, text=True, timeout=SECONDS,
                          check=False)
    assert (done.returncode, done.stderr) == (0, "")


INTERRUPTED = """
import sys
class Interrupting:
    def find_spec(name, _path, _target=None):
        if name == sys.argv[1]:
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupting)
from runtime.command import entries
sys.exit(getattr(entries, sys.argv[2])())
"""
LOADED = {"dc": "dc.command", "difas": "dof.command", "difdis": "dof.command",
          "dtest": "runtime.command.dtest", "dtrace": "runtime.command.command",
          "sdt-dtrace": "runtime.command.sdtdtrace", "dinstance": "runtime.command.dinstance"}


@pytest.mark.parametrize("command", LOADED)
def test_an_interrupt_while_a_command_is_loaded(command: str) -> None:
    """Ctrl-C in the first tenth of a second showed a traceback."""
    project = tomllib.loads((Path(commandline.__file__).parents[1] / "pyproject.toml").read_text())["project"]
    module, _, function = project["scripts"][command].partition(":")
    assert module == "runtime.command.entries"
    done = subprocess.run([sys.executable, "-c", INTERRUPTED, LOADED[command], function], capture_output=True,
                          text=True, timeout=SECONDS, check=False)
    assert (done.returncode, done.stderr) == (128 + signal.SIGINT, "")


def test_an_ignored_signal_stays_ignored() -> None:
    """As nohup(1) asks."""
    previous = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with tracing("-x", "clock=real", "-n", "tick-1s { exit(3); }") as process:
            process.send_signal(signal.SIGHUP)
            assert process.wait(SECONDS) == 3
    finally:
        signal.signal(signal.SIGHUP, previous)


# -- bugs ------------------------------------------------------------------------------------------------

def test_a_bug_is_three_lines(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    command = commandline.Command("prog", "", "", "1", ())

    def work(_words: list[str]) -> int:
        return 1 // 0

    with pytest.raises(ZeroDivisionError):
        commandline.run(command, work, [])
    monkeypatch.delenv("DTRACE_TRACEBACK")
    assert commandline.run(command, work, []) == 1
    what, where, how = capsys.readouterr().err.splitlines()
    assert what.startswith("prog: internal error: ZeroDivisionError: ") and "test_ends.py, line " in what
    assert "report" in where and "DTRACE_TRACEBACK=1" in how


def test_no_byte_is_lost_where_writing_stops_early() -> None:
    """As it does at a signal, if the stream has no buffer (PYTHONUNBUFFERED)."""
    class Slow(io.BytesIO):
        def write(self, data: object) -> int:
            return super().write(bytes(data)[:3])  # type: ignore[call-overload]

    stream = Slow()
    output = Output(stream)
    output.write(b"all of it")
    assert stream.getvalue() == b"all of it"
