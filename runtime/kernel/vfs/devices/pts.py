"""/dev/pts: the directory of the pseudo-terminals that are open."""

from __future__ import annotations

import errno
import stat
from collections.abc import Iterable

from runtime.kernel.vfs.vnode import Attributes, Directory, Name, Vnode, failure

DEVICE = 0x18  # number of the file system of pseudo-terminals


class TerminalDirectory(Directory):
    """/dev/pts; `known` has the nodes of the open terminals by number."""

    __slots__ = ("known",)

    def __init__(self, now: int) -> None:
        super().__init__(Attributes(stat.S_IFDIR | 0o755, nlink=2, ino=1, dev=DEVICE, atime=now,
                                    mtime=now, ctime=now))
        self.known: dict[int, Vnode] = {}

    def lookup(self, name: bytes) -> Vnode:
        for number, node in self.known.items():
            if b"%d" % number == name:
                return node
        raise failure(errno.ENOENT)

    def names(self) -> Iterable[Name]:
        for number, node in sorted(self.known.items()):
            yield Name(b"%d" % number, node.attributes.ino, stat.S_IFCHR)
