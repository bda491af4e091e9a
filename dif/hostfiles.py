"""Files of the host that are read whole: no more than memory has room for, and none that never ends."""

from __future__ import annotations

import errno
import os
import stat

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from io import BufferedReader

LARGEST_FILE = 256 << 20  # bytes
LARGEST_OBJECT = 2 << 30  # bytes of an object file or a program, most of which may be debug information
_AT_ONCE = 1 << 20  # bytes


def read_whole(path: str, most: int = LARGEST_FILE) -> bytes:
    """Return the contents of a regular file.

    Raises OSError, also for a pipe or a device, which may have no end, and for a file of more than `most`
    bytes.
    """
    with _opened(path) as file:
        data = file.read(min(os.fstat(file.fileno()).st_size, most) + 1) or b""
        while len(data) <= most and (more := file.read(_AT_ONCE)):  # files of /proc tell no size
            data += more
    return bounded(data, path, most)


def read_beginning(path: str, size: int) -> bytes:
    """Return up to `size` bytes from the beginning of a regular file.  Raises OSError."""
    with _opened(path) as file:
        return file.read(size) or b""


def _opened(path: str) -> BufferedReader:
    """Return an open regular file.  Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # a pipe does not block
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISREG(mode):
        return open(descriptor, "rb")
    os.close(descriptor)
    code = errno.EISDIR if stat.S_ISDIR(mode) else errno.EINVAL
    raise OSError(code, os.strerror(code) if code == errno.EISDIR else "not a regular file", path)


def read_if_any(path: str) -> bytes | None:
    """Return the contents of a regular file, None if there is none that can be read whole."""
    try:
        return read_whole(path)
    except OSError:
        return None


def bounded(data: bytes, path: str, most: int = LARGEST_FILE) -> bytes:
    """Return what has been read of a file, up to `most` bytes and one.  Raises OSError if it is more."""
    if len(data) > most:
        raise OSError(errno.EFBIG, f"longer than {most >> 20} MB", path)
    return data
