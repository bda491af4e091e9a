"""Where the files below an overlay come from: the host, or what stands for it.

A kernel asks its source for everything that it takes of the host.  This is the host itself; a recording
(runtime.recordings) derives from it.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Mapping

from dif.hostfiles import read_whole
from runtime.kernel.vfs.disk.content import HostContent
from runtime.kernel.vfs.disk.marks import Marks
from runtime.kernel.vfs.disk.tape import Tape
from runtime.kernel.vfs.vnode import Name


class Source:
    """The host's files, environment and standard descriptors.  Paths are absolute."""

    mark: Callable[[bytes], bytes]  # the same bytes while a path is the same file, and that has not changed
    tape: Tape | None = None  # what stands for the host's descriptors, if they are not used as they are

    @property
    def environment(self) -> Mapping[str, str]:
        return os.environ

    @property
    def home(self) -> str:
        """The working directory."""
        return os.getcwd()

    @property
    def owner(self) -> tuple[int, int]:
        """The user and group whose files are root's, where the file system is sealed."""
        return os.geteuid(), os.getegid()

    def __init__(self) -> None:
        self.mark = Marks().of

    def lstat(self, path: bytes) -> os.stat_result:
        """What a path is, without following a link at its end.  Raises OSError."""
        return os.lstat(path)

    def stat(self, path: bytes) -> os.stat_result:
        """What a path leads to.  Raises OSError."""
        return os.stat(path)

    def exists(self, path: bytes) -> bool:
        """Whether there is anything of this path."""
        return os.path.lexists(path)

    def readlink(self, path: bytes) -> bytes:
        """The text of a link.  Raises OSError."""
        return os.readlink(path)

    def scan(self, path: bytes) -> list[Name]:
        """The names in a directory, as the host gives them.  Raises OSError."""
        with os.scandir(path) as entries:
            return [Name(entry.name, entry.inode(), _kind(entry)) for entry in entries]

    def content(self, path: bytes) -> HostContent:
        """The bytes of a regular file."""
        return HostContent(path)

    def real(self, path: str) -> bytes:
        """A path without links in it."""
        return os.fsencode(os.path.realpath(path))

    def whole(self, path: str) -> bytes:
        """A file that describes the machine or goes into it.  Raises OSError."""
        return read_whole(path)


def _kind(entry: os.DirEntry[bytes]) -> int:
    if entry.is_symlink():
        return stat.S_IFLNK
    if entry.is_dir(follow_symlinks=False):
        return stat.S_IFDIR
    if entry.is_file(follow_symlinks=False):
        return stat.S_IFREG
    try:
        return stat.S_IFMT(entry.stat(follow_symlinks=False).st_mode)
    except OSError:
        return 0
