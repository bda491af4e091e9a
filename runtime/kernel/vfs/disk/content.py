"""The bytes of a host file that programs have not changed.

The host's files are never written.  The first write to a host file copies its bytes to memory, where they
count against a budget.
"""

from __future__ import annotations

import os

from runtime.kernel.base.budgets import Budget
from runtime.kernel.vfs.disk.sparse import MemoryContent

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

    def copy(self, budget: Budget, size: int) -> MemoryContent:
        """Return its first `size` bytes in memory.  Raises OSError (ENOSPC), before any is read."""
        new = MemoryContent(budget)
        new.reserve(0, size)
        while new.size < size and (piece := self.read(new.size, min(size - new.size, COPIED))):
            new.write(new.size, piece)
        new.truncate(new.size)
        return new

    def __del__(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
