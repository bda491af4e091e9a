"""Files of the host that are read whole: no more than memory has room for, and none that never ends."""

from __future__ import annotations

import errno
import os
import stat

LARGEST_FILE = 256 << 20  # bytes


def read_whole(path: str) -> bytes:
    """Return the contents of a regular file.

    Raises OSError, also for a pipe or a device, which may have no end, and for a file above LARGEST_FILE.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # a pipe does not block
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            code = errno.EISDIR if stat.S_ISDIR(status.st_mode) else errno.EINVAL
            raise OSError(code, os.strerror(code) if code == errno.EISDIR else "not a regular file", path)
        with open(descriptor, "rb", buffering=0, closefd=False) as file:
            return bounded(file.read(LARGEST_FILE + 1), path)
    finally:
        os.close(descriptor)


def read_if_any(path: str) -> bytes | None:
    """Return the contents of a regular file, None if there is none that can be read whole."""
    try:
        return read_whole(path)
    except OSError:
        return None


def bounded(data: bytes, path: str) -> bytes:
    """Return what has been read of a file, up to LARGEST_FILE and a byte.  Raises OSError if it is more."""
    if len(data) > LARGEST_FILE:
        raise OSError(errno.EFBIG, f"longer than {LARGEST_FILE >> 20} MB", path)
    return data
