"""Where text goes: a stream that D programs can redirect (freopen), empty (ftruncate) and share (system)."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from typing import BinaryIO

Shell = Callable[[bytes, int], None]  # runs a command whose output goes to a descriptor

RESTORE = (b"", b".")  # freopen() formats that mean the original output


class Output:
    """Writes bytes; what is kept back is written by `flush`.

    `shell` runs a command in the traced machine; no command is run on the host.
    """

    def __init__(self, stream: BinaryIO, shell: Shell | None = None) -> None:
        self._shell = shell
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
        """Run a shell command whose output goes where ours goes.  Raises OSError."""
        if self._shell is None:
            raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
        self._stream.flush()
        try:
            descriptor = self._stream.fileno()
        except OSError:  # not a file: io.UnsupportedOperation
            import tempfile

            with tempfile.TemporaryFile() as file:
                self._shell(command, file.fileno())
                file.seek(0)
                self._stream.write(file.read())
        else:
            self._shell(command, descriptor)

    def close(self) -> None:
        """Close what freopen() opened."""
        self._stream.flush()
        if self._stream is not self._original:
            self._stream.close()
            self._stream = self._original
