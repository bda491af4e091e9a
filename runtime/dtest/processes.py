"""Commands with a time limit: each is ended with all that it has started."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import IO, Protocol

from dif.records import NamedTuple

MOST_OUTPUT = 64 << 20  # bytes that are read of what a command writes
_LEAVING = 5.0  # seconds from SIGTERM to SIGKILL


Files = tuple[IO[bytes], IO[bytes], IO[bytes]]


class Process(Protocol):
    """A command that runs, as subprocess.Popen has it; it leads a process group."""

    pid: int

    def wait(self, timeout: float | None = None, /) -> int:
        """Return its status.  Raises TimeoutExpired."""


Start = Callable[[Sequence[str], str, Files, Mapping[str, str]], Process]


class Result(NamedTuple):
    """How a command ended: the status of wait(2) as Python has it, None after the time limit."""

    status: int | None
    out: bytes
    err: bytes


class Processes:
    """What runs now.  Threads may share it.

    `prepared` has what starts a command otherwise than as a program, by its name: called with its words, its
    directory, its three standard files and its environment.
    """

    def __init__(self, prepared: Mapping[str, Start] | None = None) -> None:
        self._prepared = prepared or {}
        self._lock = threading.Lock()
        self._running: set[int] = set()
        self._stopped = False

    def run(self, argv: Sequence[str], cwd: str, environment: Mapping[str, str], limit: float,
            data: bytes = b"") -> Result:
        """Run a command with `data` at its standard input, for `limit` seconds at most.  Raises OSError."""
        with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as out, \
                tempfile.TemporaryFile() as err:
            source.write(data)
            source.seek(0)
            process = self._start(argv, cwd, environment, (source, out, err))
            try:
                status: int | None = process.wait(limit)
            except subprocess.TimeoutExpired:
                status = None
                _kill(process.pid, signal.SIGTERM)
                with suppress(subprocess.TimeoutExpired):
                    process.wait(_LEAVING)
            finally:
                with self._lock:
                    self._running.discard(process.pid)
                _kill(process.pid, signal.SIGKILL)  # and what it has left behind
                process.wait()
            out.seek(0)
            err.seek(0)
            return Result(status, out.read(MOST_OUTPUT), err.read(MOST_OUTPUT))

    def _start(self, argv: Sequence[str], cwd: str, environment: Mapping[str, str],
               files: Files) -> Process:
        source, out, err = files
        with self._lock:
            if self._stopped:
                raise KeyboardInterrupt
            start = self._prepared.get(argv[0])
            process: Process = subprocess.Popen(
                argv, stdin=source, stdout=out, stderr=err, cwd=cwd, env=dict(environment),
                start_new_session=True) if start is None else start(argv, cwd, files, environment)
            self._running.add(process.pid)
        return process

    def stop(self) -> None:
        """End all that runs, and let nothing begin any more."""
        with self._lock:
            self._stopped = True
            for pid in self._running:
                _kill(pid, signal.SIGTERM)


def _kill(group: int, number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)
