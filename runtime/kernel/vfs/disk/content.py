"""The bytes of regular files: those of a host file, or those in memory that programs have written.

The host's files are never written.  The first write to a host file copies its bytes to memory, and every
byte in memory counts against a budget.
"""

from __future__ import annotations

import errno
import os

from runtime.kernel.base.budgets import Budget
from runtime.kernel.vfs.vnode import MAX_FILE, failure

# The path was no link when it was looked up, so that it is none of the links that leave a root.
_FLAGS = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOFOLLOW


COPIED = 1 << 20  # bytes that are copied at once


class HostContent:
    """The bytes of a host file, which is opened at the first read."""

    def __init__(self, path: bytes) -> None:
        self._path = path
        self._fd = -1

    def descriptor(self) -> int:
        """Return the host's descriptor, which can only be read.  Raises OSError as open(2)."""
        if self._fd < 0:
            self._fd = os.open(self._path, _FLAGS)
        return self._fd

    def read(self, offset: int, size: int) -> bytes:
        descriptor = self.descriptor()
        data = os.pread(descriptor, size, offset)
        if 0 < len(data) < size:  # a short read of a large file
            while len(data) < size and (more := os.pread(descriptor, size - len(data), offset + len(data))):
                data += more
        return data

    def __del__(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)


class MemoryContent:
    """Written bytes."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._data = bytearray()

    @classmethod
    def copy(cls, budget: Budget, source: HostContent, size: int) -> MemoryContent:
        """Return the first `size` bytes of a host file.  Raises OSError (ENOSPC), before any is read."""
        new = cls(budget)
        budget.take(size)
        while len(new._data) < size and (piece := source.read(len(new._data),
                                                              min(size - len(new._data), COPIED))):
            new._data += piece
        budget.give(size - len(new._data))
        return new

    @property
    def size(self) -> int:
        return len(self._data)

    def read(self, offset: int, size: int) -> bytes:
        return bytes(self._data[offset:offset + size])

    def write(self, offset: int, data: bytes) -> int:
        end = offset + len(data)
        if end > MAX_FILE:
            raise failure(errno.EFBIG)
        grown = end - len(self._data)
        if grown > 0:
            self._budget.take(grown)
            if offset > len(self._data):
                self._data.extend(bytes(offset - len(self._data)))
        self._data[offset:end] = data
        return len(data)

    def truncate(self, size: int) -> None:
        grown = size - len(self._data)
        self._budget.take(grown)
        if grown > 0:
            self._data.extend(bytes(grown))
        else:
            del self._data[size:]

    def __del__(self) -> None:
        if hasattr(self, "_data"):
            self._budget.give(len(self._data))
