"""Marks of the host's files: the bytes of struct stat, which differ as soon as anything of a file does.

They are compared, never read: os.lstat makes some fifteen objects of them, which takes longer than the call.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable

SIZE = 256  # bytes that hold a struct stat; those behind it stay zero


class Marks:
    """Asks the host.  Where its C library has no lstat, the marks are texts of what os.lstat says."""

    def __init__(self) -> None:
        self._status = ctypes.create_string_buffer(SIZE)
        self._place = ctypes.addressof(self._status)
        self._lstat: Callable[[bytes, int], int] | None = getattr(ctypes.PyDLL(None), "lstat", None)
        if self._lstat is not None:
            self._lstat.argtypes = ctypes.c_char_p, ctypes.c_void_p

    def of(self, path: bytes) -> bytes:
        """Return the mark of what a path is, without following a link at its end; b"" if it is nothing."""
        if self._lstat is not None:
            return b"" if self._lstat(path, self._place) else self._status.raw
        try:
            status = os.lstat(path)
        except OSError:
            return b""
        return repr((tuple(status), status.st_mtime_ns, status.st_ctime_ns, status.st_atime_ns,
                     status.st_blocks)).encode()
