"""The thread that calls, as file operations know it: its kernel has a file system."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from runtime.kernel.base.caller import Caller, Services

if TYPE_CHECKING:
    from runtime.kernel.vfs.filesystem import FileSystem


class FileServices(Services, Protocol):
    """A kernel."""

    @property
    def vfs(self) -> FileSystem: ...


class FileCaller(Caller, Protocol):
    """A thread of that kernel."""

    @property
    def kernel(self) -> FileServices: ...
