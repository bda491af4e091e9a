"""Completion in real shells under a terminal: what stands on the line once Tab has been pressed."""

from __future__ import annotations

import os
import pty
import re
import select
import shutil
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from runtime.manual.tables import ROOT

SHELLS = Path(ROOT) / "runtime" / "manual" / "shells"
_ESCAPES = re.compile(rb"\x1b(?:\[[0-9;?<=>]*[a-zA-Z]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[()][A-Z0-9]|[=>78PHM])")
# how each is begun without a user's settings, and what makes it complete our commands
START = {
    "bash": (["--norc", "--noprofile", "-i"],
             f"source {SHELLS}/dtrace.bash; bind 'set bell-style none'; PS1='$ '"),
    "zsh": (["-f", "-i"], f"fpath=({SHELLS} $fpath); autoload -Uz compinit; compinit -u -D; PS1='$ '"),
    "fish": (["--no-config", "-i"], f"source {SHELLS}/dtrace.fish; function fish_prompt; echo '$ '; end"),
}


class Terminal:
    """A shell with a terminal of its own."""

    def __init__(self, shell: str, folder: Path) -> None:
        words, setting = START[shell]
        environment = {"PATH": f"{folder}:{os.environ['PATH']}", "TERM": "xterm", "HOME": str(folder),
                       "LC_ALL": "C.UTF-8", "COLUMNS": "200", "LINES": "50"}
        self._pid, self._terminal = pty.fork()
        if self._pid == 0:
            os.chdir(folder)
            os.execve(str(shutil.which(shell)), [shell, *words], environment)
        self._seen = b""
        self._send(f"stty cols 200; {setting}; echo re''ady\n")
        self._until(b"ready\r\n", 20)

    def _send(self, text: str) -> None:
        os.write(self._terminal, text.encode())

    def _until(self, wanted: bytes, seconds: float) -> bytes:
        """Read until something is shown, or for some seconds; answer what a shell asks its terminal."""
        end = time.monotonic() + seconds
        while wanted not in self.shown() and time.monotonic() < end:
            if select.select([self._terminal], [], [], 0.1)[0]:
                try:
                    data = os.read(self._terminal, 65536)
                except OSError:
                    break
                self._seen += data
                for question, answer in ((b"\x1b[c", "\x1b[?62;c"), (b"\x1b[6n", "\x1b[1;1R")):
                    if question in data:
                        self._send(answer)
        return self.shown()

    def shown(self) -> bytes:
        """What has come, without what moves the cursor, rings, or is written over."""
        return re.sub(rb"[^\x08]\x08", b"", _ESCAPES.sub(b"", self._seen).replace(b"\x07", b""))

    def completed(self, line: str, wanted: str) -> str:
        """Type a line, press Tab, and return what is shown once `wanted` is, or after a while."""
        self._seen = b""
        self._send(line)
        self._until(line.rpartition(" ")[2].encode(), 5)
        self._send("\t")
        return self._until(wanted.encode(), 15).decode("utf-8", "replace")

    def clear(self) -> None:
        """Empty the line (Ctrl-U), and read what the shell says of it."""
        self._send("\x15")
        self._until(b"never", 0.3)

    def close(self) -> None:
        os.kill(self._pid, signal.SIGKILL)
        os.waitpid(self._pid, 0)
        os.close(self._terminal)


@pytest.fixture(params=[pytest.param(name, marks=pytest.mark.skipif(
    shutil.which(name) is None, reason=f"there is no {name}")) for name in START])
def terminal(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Terminal]:
    (tmp_path / "dtrace").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m runtime.command "$@"\n')
    (tmp_path / "dtrace").chmod(0o755)
    (tmp_path / "only.d").touch()
    opened = Terminal(request.param, tmp_path)
    yield opened
    opened.close()


def test_tab_completes(terminal: Terminal) -> None:
    """A switch, an option of -x, a probe field by field, a script, and a word of the manual."""
    for line, wanted in (("dtrace --tim", "dtrace --timeline"), ("dtrace -x bufp", "dtrace -x bufpolicy="),
                         ("dtrace -n io:::wait-d", "dtrace -n io:::wait-done"),
                         ("dtrace -s on", "dtrace -s only.d"),
                         ("dtrace --explain strtol", "dtrace --explain strtoll")):
        shown = terminal.completed(line, wanted)
        assert wanted in shown, (line, shown)
        terminal.clear()
