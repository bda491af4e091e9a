"""What the core of the kernel asks of its file system: protocols, no code.

The objects in `runtime.kernel.vfs` satisfy these; the core (exec, mmap, fork, exit) uses nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, Self

if TYPE_CHECKING:
    from runtime.kernel.memory import FilePages


class Vnode(Protocol):
    """One file, whoever opened it."""

    path: str  # absolute, in the machine's name space
    size: int  # bytes
    pages: FilePages | None  # set by the memory manager while any of the file is mapped

    def pread(self, offset: int, size: int) -> bytes:
        """Up to `size` bytes from `offset`; short at the end of the file."""
        ...

    def pwrite(self, offset: int, data: bytes) -> int:
        """Write through a shared mapping (write-back)."""
        ...


class OpenFile(Protocol):
    """A file description: what a descriptor number refers to."""

    vnode: Vnode | None  # None: not mappable (pipe, socket ...)
    readable: bool
    writable: bool


class FileTable(Protocol):
    """A process's descriptors."""

    users: int  # processes that share them (CLONE_FILES)

    def get(self, fd: int) -> OpenFile:
        """Raises SyscallError(EBADF)."""
        ...

    def fork(self) -> Self:
        """A copy for a new process (without CLONE_FILES)."""
        ...

    def close_on_exec(self) -> None: ...

    def close_all(self) -> None: ...


class FsContext(Protocol):
    """Working directory, root and umask: shared by CLONE_FS, copied otherwise."""

    def fork(self) -> Self: ...


class FileSystem(Protocol):
    """The machine's name space."""

    def file_table(self) -> FileTable:
        """Descriptors 0, 1 and 2 on the host's standard input, output and error."""
        ...

    def context(self, cwd: str) -> FsContext: ...

    def open_exec(self, fs: FsContext, path: str) -> Vnode:
        """The file to execute.  Raises SyscallError (ENOENT, EACCES, ENOTDIR ...)."""
        ...
