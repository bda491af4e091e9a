"""From paths to vnodes: the walk that namei does, with mounts, links and permissions."""

from __future__ import annotations

import errno
from collections.abc import Callable

from dif.records import NamedTuple, Record, replace
from runtime.kernel.base.identity import Credentials
from runtime.kernel.vfs.vnode import EXECUTE, NAME_MAX, Directory, Link, Vnode, failure

PATH_MAX = 4096
MAX_LINKS = 40
Lookup = Callable[[Directory, bytes], Vnode]
_SPECIAL = b"", b".", b".."  # last names that are no entry of a directory
# What a walk may not do (RESOLVE_* of openat2): enter another file system, follow a link of /proc to where it
# leads, follow any link, leave the directory that it starts from; or that directory is its root.
NO_XDEV, NO_MAGICLINKS, NO_SYMLINKS, BENEATH, IN_ROOT = 1, 2, 4, 8, 16


class Found(NamedTuple):
    """The result of a walk: the last directory, the last name in it, and the node if there is one.

    `name` is b"" when the path names a directory by . or .. or is the root.
    """

    parent: Directory
    name: bytes
    node: Vnode | None
    must_be_directory: bool  # the path ended in a slash

    @property
    def existing(self) -> Vnode:
        """The node.  Raises ENOENT."""
        if self.node is None:
            raise failure(errno.ENOENT)
        return self.node


class View(Record):
    """What a process sees of the file system: its root, its working directory, its creation mask.

    In a zone, `top` is the root of the zone: no path leads above it, wherever root and working directory are.
    `limits` are what its walks may not do.
    """

    root: Directory
    cwd: Directory
    umask: int = 0o022
    top: Directory | None = None
    limits: int = 0

    def limited(self, start: Directory, limits: int) -> View:
        """Return a copy for one walk from `start`."""
        return replace(self, root=start if limits & (BENEATH | IN_ROOT) else self.root, limits=limits)

    def fork(self) -> View:
        """Return a copy for a new process."""
        return replace(self)


def confine(view: View, directory: Directory) -> None:
    """Raise EACCES for a directory outside the zone, which a process has from elsewhere."""
    here, above = directory, view.top
    while above is not None and here is not above:
        if here.parent is here:
            raise failure(errno.EACCES)
        here = here.parent


def top(directory: Directory) -> Directory:
    """Return the root of what is mounted on a directory, or the directory itself if nothing is."""
    while directory.mounted is not None:
        directory = directory.mounted
    return directory


def mount(point: Directory, root: Directory, kind: str) -> None:
    """Mount the file system of type `kind` with the root `root` on the directory `point`."""
    root.parent, root.name, root.file_system = point.parent, point.name, kind
    point.mounted = root
    point.touched()


def walk(view: View, start: Directory, path: bytes, credentials: Credentials, *,
         follow: bool = True, lookup: Lookup | None = None) -> Found:
    """Resolve `path` from the directory `start`, or from the root.  Only the last name may be missing.

    Where a `lookup` is given, every name is looked up by it.
    Raises ENOENT, ENOTDIR, EACCES, ELOOP, ENAMETOOLONG, and for what `view` does not allow EXDEV or ELOOP.
    """
    if not path:
        raise failure(errno.ENOENT)
    if len(path) >= PATH_MAX:
        raise failure(errno.ENAMETOOLONG)
    if view.limits:
        return _LimitedWalk(view, credentials, lookup or _lookup).run(start, path, follow)
    if lookup is not None:
        return _Walk(view, credentials, lookup).run(start, path, follow)
    here = view.root if path.startswith(b"/") else start
    known = _remembered(view, here, path, credentials)
    if known is not None:
        found = _entry(*known, _lookup)
        if not follow or not isinstance(found.node, Link):
            return found
    walked = _Walk(view, credentials, _lookup)
    found = walked.run(start, path, follow)
    if walked.plain and here.walks is not None and found.parent.walks is here.walks and path[-1:] != b"/":
        here.walks.remember(here, path, credentials, found.parent, found.name)
    return found


def _remembered(view: View, here: Directory, path: bytes,
                credentials: Credentials) -> tuple[Directory, bytes] | None:
    """Return the last directory and name of a path from `here`, if its file system remembers them."""
    walks = here.walks
    if walks is None or (view.top is not None and view.top is not here):
        return None
    return walks.find((here, path, credentials))


def _lookup(directory: Directory, name: bytes) -> Vnode:
    return directory.lookup(name)


def _entry(here: Directory, name: bytes, lookup: Lookup) -> Found:
    """Return what a name in a directory is, with what is mounted there.  Raises ENAMETOOLONG."""
    if len(name) > NAME_MAX:
        raise failure(errno.ENAMETOOLONG)
    try:
        node = lookup(here, name)
    except FileNotFoundError:
        return Found(here, name, None, False)
    if isinstance(node, Directory):
        node = top(node)
    else:
        node.where = (here, name)
    return Found(here, name, node, False)


class _Walk:
    """One walk, which counts the links it has followed.

    It is `plain` if it has only gone down, from directory to directory.
    """

    def __init__(self, view: View, credentials: Credentials, lookup: Lookup) -> None:
        self._view = view
        self._root = view.root
        self._lookup = lookup
        self._credentials = credentials
        self._links = 0
        self.plain = True

    def run(self, start: Directory, path: bytes, follow: bool) -> Found:
        here = self._root if path.startswith(b"/") else start
        confine(self._view, here)
        names = [name for name in path.split(b"/") if name]
        slash = path.endswith((b"/", b"/."))
        for at, name in enumerate(names):
            last = at == len(names) - 1
            found = self._step(here, name, follow or not last or path.endswith(b"/"))
            if last:
                return self._last(found, slash)
            node = found.existing
            if not isinstance(node, Directory):
                raise failure(errno.ENOTDIR)
            here = node
        self.plain = False
        return Found(here, b"", here, True)

    def _last(self, found: Found, slash: bool) -> Found:
        if slash and found.node is not None and not isinstance(found.node, Directory):
            raise failure(errno.ENOTDIR)
        return found._replace(must_be_directory=True) if slash else found

    def _step(self, here: Directory, name: bytes, follow: bool) -> Found:
        here.demand(self._credentials, EXECUTE)
        if name in _SPECIAL:
            self.plain = False
            up = here
            if name == b".." and here is not self._root and here is not self._view.top:
                up = top(here.parent)
            return Found(up, b"", up, True)
        found = _entry(here, name, self._lookup)
        if follow and isinstance(found.node, Link):
            self.plain = False
            return self._through(here, name, found.node)
        return found

    def _through(self, here: Directory, name: bytes, link: Link) -> Found:
        self._links += 1
        if self._links > MAX_LINKS:
            raise failure(errno.ELOOP)
        node = link.follow()
        if node is not None:
            if isinstance(node, Directory):
                confine(self._view, node)
            return Found(here, name, node, False)
        target = link.target()
        if not target:
            raise failure(errno.ENOENT)
        return self.run(here, target, True)


class _LimitedWalk(_Walk):
    """A walk that may not do everything."""

    def run(self, start: Directory, path: bytes, follow: bool) -> Found:
        if path.startswith(b"/"):
            if self._view.limits & BENEATH:
                raise failure(errno.EXDEV)
            if self._links:  # a path that is given may be absolute
                self._demand_same(start, self._root)
        return super().run(start, path, follow)

    def _step(self, here: Directory, name: bytes, follow: bool) -> Found:
        if name == b".." and here is self._root and self._view.limits & BENEATH:
            raise failure(errno.EXDEV)
        found = super()._step(here, name, follow)
        if isinstance(found.node, Directory):
            self._demand_same(here, found.node)
        return found

    def _through(self, here: Directory, name: bytes, link: Link) -> Found:
        limits, node = self._view.limits, link.follow()
        if limits & NO_SYMLINKS or (node is not None and limits & NO_MAGICLINKS):
            raise failure(errno.ELOOP)
        if node is not None:
            self._demand_same(here, node)
            if limits & (BENEATH | IN_ROOT):
                raise failure(errno.EXDEV)
        return super()._through(here, name, link)

    def _demand_same(self, here: Directory, node: Vnode) -> None:
        """Raise EXDEV for a step to another file system, if that is not allowed."""
        if self._view.limits & NO_XDEV and node.mount_root() is not here.mount_root():
            raise failure(errno.EXDEV)
