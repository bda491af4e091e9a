"""What happens to files, told to those who watch them.  Numbers are those of inotify(7)."""

from __future__ import annotations

from typing import Protocol

from runtime.kernel.vfs.vnode import Directory, Vnode

(ACCESS, MODIFY, ATTRIB, CLOSE_WRITE, CLOSE_NOWRITE, OPEN, MOVED_FROM, MOVED_TO, CREATE, DELETE, DELETE_SELF,
 MOVE_SELF) = (1 << number for number in range(12))
IS_DIRECTORY = 1 << 30


class Watch(Protocol):
    """Somebody who stands in a vnode's `watches`."""

    def notice(self, event: int, cookie: int, name: bytes) -> None:
        """`event` has happened to the vnode, or to what `name` leads to in it."""


def tell(vnode: Vnode, event: int, name: bytes = b"", cookie: int = 0) -> None:
    """`event` has happened to `vnode`, or to the entry `name` in it."""
    for watch in list(vnode.watches or ()):
        watch.notice(event, cookie, name)


def tell_all(vnode: Vnode, event: int) -> None:
    """`event` has happened to `vnode`: those who watch the directory it lies in hear of it too."""
    if isinstance(vnode, Directory):
        event |= IS_DIRECTORY
        directory, name = vnode.parent, vnode.name
    elif vnode.where is not None:
        directory, name = vnode.where
    else:
        directory, name = None, b""
    if directory is not None and directory is not vnode and directory.watches:
        tell(directory, event, name)
    if vnode.watches:
        tell(vnode, event)


def tell_entry(directory: Directory, event: int, name: bytes, node: Vnode, cookie: int = 0) -> None:
    """The entry `name` of a directory, which leads to `node`, has come or gone."""
    if directory.watches:
        tell(directory, event | (IS_DIRECTORY if isinstance(node, Directory) else 0), name, cookie)


def tell_gone(vnode: Vnode) -> None:
    """If a node has neither a name nor a user any more, that is the last that is heard of it."""
    if vnode.watches and not vnode.attributes.nlink and not vnode.opens:
        tell(vnode, DELETE_SELF)
