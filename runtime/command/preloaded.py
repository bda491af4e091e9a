"""Commands that begin at once: each runs in a child of a process that has loaded all modules before.

To start an interpreter and to load modules takes most of the time of a short command.  Who runs many of them,
as tests do, saves that: a process of its own, runtime.command.server, loads them once and has a child for
each command.
"""

from __future__ import annotations

import json
import select
import socket
import subprocess
import sys
import threading
import weakref
from collections.abc import Mapping, Sequence
from typing import IO

COMMANDS = ("dtrace", "dc", "difas", "difdis", "python")  # the last runs a Python program, its first argument
_SERVER = "from runtime.command.server import serve; serve()"


class Started:
    """A command that runs.  `pid` is its process's, and that of its process group and session."""

    def __init__(self, answers: socket.socket) -> None:
        self._answers, self._text = answers, b""
        self.pid = int(self._line(None))
        self._status: int | None = None

    def wait(self, limit: float | None = None) -> int:
        """Return its status, as subprocess has it.  Raises TimeoutExpired after `limit` seconds."""
        if self._status is None:
            self._status = int(self._line(limit))
            self._answers.close()
        return self._status

    def _line(self, limit: float | None) -> bytes:
        while b"\n" not in self._text:
            if not select.select([self._answers], [], [], limit)[0]:
                raise subprocess.TimeoutExpired("a command", limit or 0)
            data = self._answers.recv(64)
            if not data:
                raise ChildProcessError("the process that commands run in is gone")
            self._text += data
        line, _, self._text = self._text.partition(b"\n")
        return line


class Preloaded:
    """What runs commands in children of one process, which is started for the first of them.

    `environment` is that of all of them.  All have one seed of hashes, too.  Threads may share it.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = dict(environment)
        self._lock = threading.Lock()
        self._server: socket.socket | None = None

    def start(self, argv: Sequence[str], cwd: str, files: Sequence[IO[bytes]],
              variables: Mapping[str, str] | None = None) -> Started:
        """Start a command in a session of its own.  `argv` begins with its name, one of COMMANDS; `files` are
        its standard ones; `variables` are set for it alone, when modules are loaded.  Raises OSError.
        """
        data = json.dumps({"argv": list(argv), "cwd": cwd, "variables": dict(variables or {})}).encode()
        mine, theirs = socket.socketpair()
        with theirs, self._lock:
            if self._server is None:
                self._server = self._serve()
            numbers = [*(file.fileno() for file in files), theirs.fileno()]
            socket.send_fds(self._server, [b"\0"], numbers)
        mine.sendall(data)
        mine.shutdown(socket.SHUT_WR)
        return Started(mine)

    def _serve(self) -> socket.socket:
        """Start the server; return the socket on which it listens."""
        mine, theirs = socket.socketpair()
        with theirs:
            process = subprocess.Popen([sys.executable, "-P", "-c", _SERVER], stdin=theirs.fileno(),
                                       start_new_session=True, env=self._environment)
        weakref.finalize(self, _close, mine, process)
        return mine


def _close(server: socket.socket, process: subprocess.Popen[bytes]) -> None:
    """End the server.  Commands that run go on."""
    server.close()
    process.wait()
