"""The thread that calls, as file operations know it: its kernel has a file system."""

from __future__ import annotations

from runtime.kernel.base.caller import Caller, Services

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from typing import Protocol

    from runtime.kernel.vfs.filesystem import FileSystem
    from runtime.kernel.vfs.vnode import Vnode
else:
    Protocol = object


class FileServices(Services, Protocol):
    """A kernel."""

    @property
    def vfs(self) -> FileSystem: ...

    def unmap_file(self, vnode: Vnode, start: int, end: int, *, private: bool) -> None:
        """Take the bytes from `start` to `end` of a file out of shared mappings, or out of all."""

    def executes(self, vnode: Vnode) -> bool:
        """Whether a process executes a file."""


class FileCaller(Caller, Protocol):
    """A thread of that kernel."""

    @property
    def kernel(self) -> FileServices: ...
