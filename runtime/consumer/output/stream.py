"""Where text goes: a stream that D programs can redirect (freopen), empty (ftruncate) and share (system)."""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Callable

from dof.outputs import discard, write_all
from runtime.consumer.events.errors import OutputFull

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from typing import BinaryIO

Grant = Callable[[int], int]
Copy = Callable[[bytes], None]
Shell = Callable[[bytes, int], None]  # runs a command whose output goes to a descriptor

RESTORE = (b"", b".")  # freopen() formats that mean the original output
_NOWHERE = os.fsencode(os.devnull)
_PATIENCE = 0.02  # seconds between two attempts to open a FIFO that no process reads


def append_to(path: str, ended: Callable[[], bool] = lambda: False) -> BinaryIO:
    """Open a file for appending.  Raises OSError, with EINTR once nothing but the end is waited for.

    A FIFO is waited for, until a process reads it or tracing has `ended`: open(2) itself would go on
    waiting after a signal.
    """
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK
    while True:
        try:
            descriptor = os.open(path, flags, 0o666)
        except OSError as error:
            if error.errno != errno.ENXIO or not stat.S_ISFIFO(os.stat(path).st_mode):
                raise
            if ended():
                raise InterruptedError(errno.EINTR, os.strerror(errno.EINTR), path) from None
            time.sleep(_PATIENCE)
        else:
            os.set_blocking(descriptor, True)
            return open(descriptor, "ab")


class _Target:
    """A stream, what errors call it, and how much its file held before."""

    def __init__(self, stream: BinaryIO, name: str) -> None:
        self.stream = stream
        self.name = name
        self.start = 0
        try:
            status = os.fstat(stream.fileno())
        except OSError:  # not a file: io.UnsupportedOperation
            return
        if stat.S_ISREG(status.st_mode):
            self.start = status.st_size

    def write(self, data: bytes) -> None:
        try:
            write_all(self.stream, data)
        except OSError as error:
            error.filename = self.name
            raise

    def flush(self) -> None:
        try:
            self.stream.flush()
        except OSError as error:
            error.filename = self.name
            raise


class Output:
    """Writes bytes; what is kept back is written by `flush`.  Errors are OSError that name the file.

    `shell` runs a command in the traced machine; no command is run on the host.  freopen() writes files of
    the host only if `writes_files`, which the user grants and no program can; it waits for a FIFO until
    tracing has `ended`.  `grant` returns how many of some bytes may be written.
    """

    def __init__(self, stream: BinaryIO, shell: Shell | None = None, *, name: str = "standard output",
                 writes_files: bool = False, ended: Callable[[], bool] = lambda: False,
                 grant: Grant = lambda size: size) -> None:
        self.copied: list[Copy] = []  # get what is written to the original stream
        self._shell = shell
        self._grant = grant
        self._writes_files = writes_files
        self._ended = ended
        self._original = self._target = _Target(stream, name)

    def write(self, data: bytes) -> None:
        """Raises OutputFull, when as much as may be written has been."""
        granted = self._grant(len(data))
        if granted < len(data):
            self._target.write(data[:granted])
            raise OutputFull("the output is full")
        self._target.write(data)
        if self.copied and self._target is self._original:
            for copy in self.copied:
                copy(data)

    def flush(self) -> None:
        self._target.flush()

    def reopen(self, path: bytes) -> None:
        """Append to `path` from now on; a RESTORE path goes back.  Raises OSError, changing nothing."""
        replacement = self._original if path in RESTORE else self._granted(path)
        self._target.flush()
        self._leave()
        self._target = replacement

    def _granted(self, path: bytes) -> _Target:
        if not self._writes_files and path != _NOWHERE:
            raise PermissionError(errno.EPERM, "only -w on the command line lets a program write files")
        name = os.fsdecode(path)
        return _Target(append_to(name, self._ended), name)

    def _leave(self) -> None:
        """Close what freopen() opened."""
        if self._target is not self._original:
            self._target.stream.close()

    def truncate(self) -> None:
        """Empty the file of all that was written to it here; does nothing to what cannot be emptied."""
        self._target.flush()
        try:
            self._target.stream.truncate(self._target.start)
            self._target.stream.seek(self._target.start)
        except OSError:
            pass

    def run(self, command: bytes) -> None:
        """Run a shell command whose output goes where ours goes.  Raises OSError."""
        if self._shell is None:
            raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
        self._target.flush()
        try:
            descriptor = self._target.stream.fileno()
        except OSError:  # not a file: io.UnsupportedOperation
            import tempfile

            with tempfile.TemporaryFile() as file:
                self._shell(command, file.fileno())
                file.seek(0)
                self._target.write(file.read())
        else:
            self._shell(command, descriptor)

    def close(self) -> None:
        """Write what is left, and close what freopen() opened."""
        self._target.flush()
        self._leave()
        self._target = self._original
        self._original.flush()

    def abandon(self) -> None:
        """Let what is not written yet go nowhere: nothing that follows waits for a reader."""
        for target in (self._target, self._original):
            discard(target.stream)
