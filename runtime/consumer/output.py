"""Where text goes: a stream that D programs can redirect (freopen), empty (ftruncate) and share (system)."""

from __future__ import annotations

import os
import subprocess
from typing import BinaryIO

RESTORE = (b"", b".")  # freopen() formats that mean the original output


class Output:
    """Writes bytes; nothing is kept back longer than `flush`."""

    def __init__(self, stream: BinaryIO) -> None:
        self._original = stream
        self._stream = stream

    def write(self, data: bytes) -> None:
        self._stream.write(data)

    def flush(self) -> None:
        self._stream.flush()

    def reopen(self, path: bytes) -> None:
        """Append to `path` from now on; a RESTORE path goes back.  Raises OSError, changing nothing."""
        replacement = self._original if path in RESTORE else open(os.fsdecode(path), "ab")  # noqa: SIM115
        self._stream.flush()
        if self._stream is not self._original:
            self._stream.close()
        self._stream = replacement

    def truncate(self) -> None:
        """Empty the file; does nothing to what cannot be emptied."""
        self._stream.flush()
        try:
            self._stream.truncate(0)
            self._stream.seek(0)
        except OSError:
            pass

    def run(self, command: bytes) -> None:
        """Run a shell command whose output goes where ours goes."""
        self._stream.flush()
        try:
            target: int | None = self._stream.fileno()
        except (OSError, AttributeError, ValueError):
            target = subprocess.PIPE
        done = subprocess.run(["/bin/sh", "-c", os.fsdecode(command)], stdout=target, check=False)
        if target == subprocess.PIPE:
            self._stream.write(done.stdout)

    def close(self) -> None:
        """Close what freopen() opened."""
        self._stream.flush()
        if self._stream is not self._original:
            self._stream.close()
            self._stream = self._original
