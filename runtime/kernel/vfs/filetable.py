"""The table of descriptors by which a process names its open files."""

from __future__ import annotations

import errno
import itertools
from collections.abc import Callable, Iterator

from dif.limits import MASK
from runtime.kernel.base.budgets import Budget
from runtime.kernel.vfs.vnode import File, failure

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from runtime.kernel.base.budgets import Allowance
    from runtime.kernel.vfs.locks import Lock, LockTable

DESCRIPTORS = 1024  # that a process may have unless it says otherwise: RLIMIT_NOFILE
LEAST = 32  # descriptors that a list has room for at first
DESCRIPTOR = 128  # bytes of the kernel's memory that a descriptor takes


class FileTable:
    """The descriptors of a process, each with its close-on-exec mark.

    Files that it opens count in `opened`, and the memory of its descriptors in `heap`.  `closing` is called
    with a file for each descriptor that gives it up, and releases it; `opening` for the first that means it.
    `find` returns the file of a descriptor, or None.
    `length` is what the list has room for, which grows and never shrinks.  No lower number than `_lowest` is
    free.
    """

    def __init__(self, limit: int = DESCRIPTORS, opened: Budget | None = None,
                 heap: Allowance | None = None, closing: Callable[[File], object] = File.release,
                 opening: Callable[[File], object] = lambda _file: None) -> None:
        self.limit = limit
        self.length = LEAST
        self._closing = closing
        self._opening = opening
        self._opened = opened if opened is not None else Budget(MASK)
        self._heap = heap if heap is not None else Budget(MASK)
        self.wants_lock: tuple[LockTable, Lock] | None = None  # what a thread of its processes waits for
        self.users = 1  # processes that share it (CLONE_FILES)
        self._files: dict[int, File] = {}
        self.find: Callable[[int], File | None] = self._files.get
        self._marked: set[int] = set()
        self._lowest = 0

    def __iter__(self) -> Iterator[int]:
        return iter(sorted(self._files))

    def items(self) -> list[tuple[int, File]]:
        return sorted(self._files.items())

    def get(self, descriptor: int) -> File:
        """Return the file of a descriptor.  Raises EBADF."""
        file = self._files.get(descriptor)
        if file is None:
            raise failure(errno.EBADF)
        return file

    def free(self, count: int) -> list[int]:
        """Return the lowest numbers that mean no file.  Raises EMFILE."""
        unused = (each for each in range(self._lowest, self.limit) if each not in self._files)
        found = list(itertools.islice(unused, count))
        if len(found) < count:
            raise failure(errno.EMFILE)
        return found

    def add(self, file: File, *, least: int = 0, close_on_exec: bool = False) -> int:
        """Give `file` the lowest free number from `least` on, and return that.  Raises EMFILE, ENFILE."""
        files, lowest = self._files, self._lowest
        number = least if least > lowest else lowest
        while number in files:
            number += 1
        if least <= lowest:
            self._lowest = number
        try:
            if number >= self.limit:
                raise failure(errno.EMFILE)
            self.put(number, file, close_on_exec=close_on_exec)
        except OSError:
            if file.references == 0:
                file.hold()
                file.release()
            raise
        return number

    def put(self, number: int, file: File, *, close_on_exec: bool = False) -> None:
        """Let the descriptor `number` mean `file`, and close the file it meant before.

        Raises EBADF, ENFILE, ENOMEM.
        """
        if not 0 <= number < self.limit:
            raise failure(errno.EBADF)
        old = self._files.get(number)
        if old is None:
            self._heap.take(DESCRIPTOR)
        if file.references == 0:
            try:
                self._opened.take(1)
            except OSError:
                if old is None:
                    self._heap.give(DESCRIPTOR)
                raise
            file.counted = self._opened
            self._opening(file)
        file.hold()
        self._files[number] = file
        while number >= self.length:
            self.length *= 2
        if close_on_exec:
            self._marked.add(number)
        else:
            self._marked.discard(number)
        if old is not None:
            self._drop(old)

    def _drop(self, file: File) -> None:
        """Release `file` for one of its descriptors, and every record lock on it that this table owns."""
        if file.vnode.locks is not None:
            file.vnode.locks.records.clear(self)
        self._closing(file)

    def close(self, number: int) -> None:
        """Close a descriptor.  Raises EBADF."""
        file = self._files.pop(number, None)
        if file is None:
            raise failure(errno.EBADF)
        if number < self._lowest:
            self._lowest = number
        self._marked.discard(number)
        self._heap.give(DESCRIPTOR)
        self._drop(file)

    def mark(self, number: int, close_on_exec: bool) -> None:
        """Set or clear the close-on-exec mark."""
        if close_on_exec:
            self._marked.add(number)
        else:
            self._marked.discard(number)

    def closes_on_exec(self, number: int) -> bool:
        return number in self._marked

    def fork(self) -> FileTable:
        """Return a copy for a forked process.  Raises ENOMEM."""
        self._heap.take(DESCRIPTOR * len(self._files))
        table = FileTable(self.limit, self._opened, self._heap, self._closing, self._opening)
        table.length = self.length
        table._files.update(self._files)
        table._marked = set(self._marked)
        table._lowest = self._lowest
        for file in table._files.values():
            file.hold()
        return table

    def close_on_exec(self) -> None:
        """Close every descriptor that has the mark, as execve(2) does."""
        for number in sorted(self._marked):
            self.close(number)

    def close_all(self) -> None:
        for number in sorted(self._files):
            self.close(number)
