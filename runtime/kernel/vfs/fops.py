"""File operations under their names in illumos: system calls go through them, and fbt can watch them.

The first parameter is the calling thread, the second the vnode.  An operation that would block sleeps here,
on the file's queue.  Probes get the arguments of illumos' functions of the same names (<sys/vnode.h>).
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Callable, Iterator
from functools import partial

from dif.records import replace
from runtime.kernel.base.errors import MustWait
from runtime.kernel.base.identity import Credentials
from runtime.kernel.base.kernelfunctions import kfunction
from runtime.kernel.base.privileges import FILE_LINK_ANY, FILE_SETID
from runtime.kernel.base.signals import SIGXFSZ, SignalInfo
from runtime.kernel.memory.allocator import FILES, kmem_cache_free
from runtime.kernel.memory.physical import PAGE
from runtime.kernel.vfs.disk.overlay import OverlayDirectory, OverlayFile
from runtime.kernel.vfs.namespace import Found, View, top, walk
from runtime.kernel.vfs.pipe import PIPE_BUF, Pipe
from runtime.kernel.vfs.uio import FSYNC, Uio, file_flags
from runtime.kernel.vfs.vnode import (
    ACCESS,
    ATTRIB,
    CREATE,
    DELETE,
    IS_DIRECTORY,
    MAX_FILE,
    MODIFY,
    MOVE_SELF,
    MOVED_FROM,
    MOVED_TO,
    O_NOATIME,
    O_PATH,
    READ,
    WRITE,
    Attributes,
    Directory,
    DirectoryFile,
    File,
    Link,
    Name,
    PathFile,
    Vnode,
    failure,
    without_set_id,
)

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from typing import TypeVar

    from runtime.kernel.base.caller import Caller
    from runtime.kernel.base.kernelfunctions import Tell
    from runtime.kernel.vfs.caller import FileCaller

    T = TypeVar("T")

MOST_LINKS = 65000  # names of a file, as ext4 has it
F_FREESP = 11  # <sys/fcntl.h>
ON_DISK = OverlayFile, OverlayDirectory  # nodes of the file system that plays UFS
# Setting one of these times alone is told as the event that would have set it.
_TIMES: dict[tuple[str, ...], int] = {("atime",): ACCESS, ("mtime",): MODIFY}
EXCHANGED = 4  # names that the disk has room for at most when two names change places
_OWNER = 6  # bits by which rights are shifted to where illumos has them (VREAD, VWRITE, VEXEC)


def until_ready(thread: Caller, file: File, operation: Callable[[], T], *, nonblocking: bool | None = None,
                timeout: int | None = None) -> T:
    """Call `operation` until it does not raise BlockingIOError, and return its result.

    Raises EAGAIN for a non-blocking file or after `timeout` ns, Interrupted when a signal comes.
    """
    try:
        return operation()
    except BlockingIOError:
        if file.nonblocking if nonblocking is None else nonblocking:
            raise
        queue = file.queue
        if queue is None:
            raise
    with kept(file):
        while thread.sleep(queue, timeout=timeout, restart="always" if timeout is None else "never"):
            with contextlib.suppress(BlockingIOError):
                return operation()
    raise failure(errno.EAGAIN)


@contextlib.contextmanager
def kept(file: File) -> Iterator[None]:
    """Keep an open file from being closed by another thread while a call waits for it."""
    if not file.references:  # it is being opened
        yield
        return
    file.hold()
    try:
        yield
    finally:
        file.release()


def rights(flags: int) -> int:
    """Return the rights that opening a file takes: READ, WRITE."""
    access = flags & os.O_ACCMODE
    return (READ if access != os.O_WRONLY else 0) | (WRITE if access != os.O_RDONLY else 0)


def _opening(thread: FileCaller, vnode: Vnode, flags: int, _who: Credentials) -> tuple[object, ...]:
    return vnode, file_flags(flags), thread.process


@kfunction("fop_open", tell=_opening)
def fop_open(thread: FileCaller, vnode: Vnode, flags: int, credentials: Credentials) -> File:
    """Open a node, with the rights that `flags` ask for.  Raises OSError."""
    if flags & O_PATH:
        return PathFile(vnode, flags)
    if isinstance(vnode, Directory) and flags & (os.O_ACCMODE | os.O_CREAT | os.O_TRUNC):
        raise failure(errno.EISDIR)
    if not isinstance(vnode, Link):
        vnode.demand(credentials, rights(flags))
    if flags & os.O_TRUNC and vnode.kind == stat.S_IFREG:
        vnode.demand(credentials, WRITE)
    writes = rights(flags) & WRITE or flags & os.O_TRUNC
    if writes and vnode.pages is not None and thread.kernel.executes(vnode):
        raise failure(errno.ETXTBSY)
    if flags & O_NOATIME and not credentials.owns(vnode.attributes.uid):
        raise failure(errno.EPERM)
    if thread.hasty and vnode.kind == stat.S_IFIFO:
        raise MustWait
    if isinstance(vnode, ON_DISK):
        file = ufs_open(thread, vnode, flags, credentials)
    else:
        file = vnode.open(flags, credentials)
        until_ready(thread, file, file.opened)
    if flags & os.O_TRUNC and vnode.kind == stat.S_IFREG:
        _cut(thread, vnode, 0)
        _changed_by(thread, vnode)
        vnode.tell_all(MODIFY)
    return file


@kfunction("ufs_open", tell=_opening)
def ufs_open(_thread: FileCaller, vnode: Vnode, flags: int, credentials: Credentials) -> File:
    return vnode.open(flags, credentials)


@kfunction("closef", tell=lambda _thread, file: (file,))
def closef(thread: FileCaller, file: File) -> None:
    """Give up a file for one of its descriptors, which does not mean it any more; the last frees it."""
    fop_close(thread, file.vnode, file)
    last, hook = file.references == 1, thread.kernel.closef_hook
    if last and hook is not None:
        hook()
    file.release()
    if last:
        kmem_cache_free(thread, FILES, file)


def _closing(thread: FileCaller, vnode: Vnode, file: File) -> tuple[object, ...]:
    return vnode, file_flags(file.flags), file.references, file.offset, thread.process


@kfunction("fop_close", tell=_closing)
def fop_close(thread: FileCaller, vnode: Vnode, file: File) -> None:
    """Tell a file system that a descriptor of one of its files is closed."""
    if isinstance(vnode, ON_DISK):
        ufs_close(thread, vnode, file)


@kfunction("ufs_close", tell=_closing)
def ufs_close(_thread: FileCaller, vnode: Vnode, file: File) -> None:
    """Do nothing: what was written goes to the disk once the file is released."""


def _transfer(thread: FileCaller, vnode: Vnode, file: File, uio: Uio, *_data: bytes) -> tuple[object, ...]:
    return vnode, uio, file_flags(uio.flags), thread.process


@kfunction("fop_read", tell=_transfer)
def fop_read(thread: FileCaller, vnode: Vnode, file: File, uio: Uio) -> bytes:
    """Return the bytes of a transfer, or as many as there are."""
    if isinstance(vnode, OverlayFile):
        data = ufs_read(thread, vnode, file, uio)
    elif uio.positioned:
        data = file.pread(uio.offset, uio.resid)
    elif file.source is not None:
        data = _from_pipe(thread, file, file.source, uio.resid)
    else:
        data = until_ready(thread, file, lambda: file.read(uio.resid), timeout=file.receive_timeout)
    uio.moved(len(data))
    return data


def _from_pipe(thread: FileCaller, file: File, pipe: Pipe, size: int) -> bytes:
    """Return what `until_ready` would of a pipe's `read`: that none is there is seen without an exception."""
    if not size or pipe.data or not pipe.writers:
        return pipe.read(size)
    if file.nonblocking:
        raise failure(errno.EAGAIN)
    with kept(file):
        while not pipe.data and pipe.writers:
            thread.sleep(pipe.queue)
        return pipe.read(size)


@kfunction("ufs_read", tell=_transfer)
def ufs_read(thread: FileCaller, vnode: OverlayFile, file: File, uio: Uio) -> bytes:
    """Read from a file on the disk, through the page cache."""
    if vnode.on_host:
        fop_getpage(thread, vnode, uio.offset, uio.resid)
    data = file.pread(uio.offset, uio.resid) if uio.positioned else file.read(uio.resid)
    if data:
        vnode.tell_all(ACCESS)
    return data


@kfunction("fop_getpage")
def fop_getpage(thread: FileCaller, vnode: OverlayFile, offset: int, size: int) -> None:
    """Bring a part of a file into memory."""
    ufs_getpage(thread, vnode, offset, size)


@kfunction("ufs_getpage")
def ufs_getpage(thread: FileCaller, vnode: OverlayFile, offset: int, size: int) -> None:
    """Read the clusters that the buffer cache lacks."""
    cache = thread.kernel.vfs.cache
    if thread.hasty and not cache.holds(vnode, offset, size):
        raise MustWait
    transfers = cache.missing(vnode, offset, size)
    if transfers:
        cache.transfer(thread, transfers)


@kfunction("fop_write", tell=_transfer)
def fop_write(thread: FileCaller, vnode: Vnode, file: File, uio: Uio, data: bytes) -> int:
    """Write all of `data`, or less if the file is non-blocking or a signal comes; returns how much."""
    if isinstance(vnode, OverlayFile):
        return ufs_write(thread, vnode, file, uio, data)
    if thread.hasty and file.queue is not None and (vnode.kind != stat.S_IFIFO or len(data) > PIPE_BUF):
        raise MustWait  # a part may be written before the thread has to sleep
    if uio.positioned:
        written = file.pwrite(uio.offset, data)
        uio.moved(written)
        return written
    done = until_ready(thread, file, lambda: file.write(data), timeout=file.send_timeout)
    uio.moved(done)
    try:
        while done < len(data):
            part = until_ready(thread, file, partial(file.write, data[done:]), timeout=file.send_timeout)
            done += part
            uio.moved(part)
    except OSError as error:  # after a signal or EAGAIN, what was written before counts
        if error.errno not in (errno.EAGAIN, errno.EINTR):
            raise
    return done


def _changed_by(thread: FileCaller, vnode: Vnode) -> None:
    """Take the set-id bits from a file whose bytes a process without file_setid has changed."""
    attributes, who = vnode.attributes, thread.process.credentials
    if attributes.mode & (stat.S_ISUID | stat.S_ISGID) and not who.has(FILE_SETID):
        attributes.mode = without_set_id(attributes.mode, member=who.member(attributes.gid))


@kfunction("ufs_write", tell=_transfer)
def ufs_write(thread: FileCaller, vnode: OverlayFile, file: File, uio: Uio, data: bytes) -> int:
    """Write to a file on the disk: into the buffer cache, and to the disk if the file is synchronous."""
    if thread.hasty and uio.flags & (os.O_SYNC | os.O_DSYNC):
        raise MustWait
    if not data:
        return 0
    if uio.flags & os.O_APPEND:
        uio.offset = vnode.attributes.size
    at = uio.offset
    limit = thread.process.file_size_limit
    if at + len(data) > limit:
        _demand_allowed(thread, at + 1)
        data = data[:limit - at]
    if uio.positioned:
        written = file.pwrite(at, data)
    else:
        file.offset = at
        written = file.write(data)
    uio.moved(written)
    if written:
        _changed_by(thread, vnode)
        vnode.tell_all(MODIFY)
    cache = thread.kernel.vfs.cache
    cache.written(vnode, at, written)
    if uio.flags & (os.O_SYNC | os.O_DSYNC):
        cache.transfer(thread, cache.dirty(vnode))
    return written


@kfunction("fop_fsync", tell=lambda thread, vnode: (vnode, FSYNC, thread.process))
def fop_fsync(thread: FileCaller, vnode: Vnode) -> None:
    """Bring the disk up to date with a file."""
    if isinstance(vnode, OverlayFile) and vnode.dirty:
        cache = thread.kernel.vfs.cache
        cache.transfer(thread, cache.dirty(vnode))


def _controlling(thread: FileCaller, vnode: Vnode, request: int, argument: int, file: File) -> tuple[object,
                 ...]:
    return vnode, request, argument, file_flags(file.flags), thread.process


@kfunction("fop_ioctl", tell=_controlling)
def fop_ioctl(thread: FileCaller, vnode: Vnode, request: int, argument: int, file: File) -> int:
    if isinstance(vnode, ON_DISK):
        return ufs_ioctl(thread, vnode, request, argument, file)
    return file.ioctl(thread, request, argument)


@kfunction("ufs_ioctl", tell=_controlling)
def ufs_ioctl(thread: FileCaller, _vnode: Vnode, request: int, argument: int, file: File) -> int:
    return file.ioctl(thread, request, argument)


@kfunction("fop_seek", tell=lambda _thread, vnode, _offset, _whence, file: (vnode, file.offset))
def fop_seek(thread: FileCaller, vnode: Vnode, offset: int, whence: int, file: File) -> int:
    if whence > os.SEEK_HOLE:
        raise failure(errno.EINVAL)
    if not vnode.kind:
        return 0  # epoll and its like have a place, which stays
    return file.seek(offset, whence)


def _asking(thread: FileCaller, vnode: Vnode) -> tuple[object, ...]:
    return vnode, vnode.attributes, 0, thread.process


@kfunction("fop_getattr", tell=_asking)
def fop_getattr(thread: FileCaller, vnode: Vnode) -> Attributes:
    return ufs_getattr(thread, vnode) if isinstance(vnode, ON_DISK) else vnode.getattr()


@kfunction("ufs_getattr", tell=_asking)
def ufs_getattr(_thread: FileCaller, vnode: Vnode) -> Attributes:
    return vnode.getattr()


@kfunction("fop_setattr",
           tell=lambda thread, vnode, **changes: (
               vnode, replace(vnode.attributes, **changes), 0, thread.process))
def fop_setattr(thread: FileCaller, vnode: Vnode, **changes: int) -> None:
    """Set attributes by their names; ctime becomes the present unless it is among them."""
    vnode.touched()  # first: there may be no room for it
    attributes = vnode.attributes
    for name, value in changes.items():
        setattr(attributes, name, value)
    if "ctime" not in changes:
        attributes.ctime = thread.kernel.walltime()
    vnode.tell_all(_TIMES.get(tuple(changes), ATTRIB))


def _demand_allowed(thread: FileCaller, size: int) -> None:
    """Post SIGXFSZ and raise EFBIG for a size that a process may not give a file."""
    if size > thread.process.file_size_limit:
        thread.post(SignalInfo(SIGXFSZ, pid=thread.process.pid, uid=thread.process.identity.ruid), thread)
        raise failure(errno.EFBIG)


def _cut(thread: FileCaller, vnode: Vnode, size: int) -> None:
    """Give a file another size; who has mapped what it had behind that gets SIGBUS there."""
    old = vnode.size
    vnode.truncate(size)
    if size < old and vnode.pages is not None:
        thread.kernel.unmap_file(vnode, size + PAGE - 1 & -PAGE, MAX_FILE, private=True)


def change_space(thread: FileCaller, vnode: OverlayFile, size: int, change: Callable[[], None],
                 gone: tuple[int, int] = (0, 0)) -> None:
    """Change what room a file has on the disk; `size` bytes is the size that it is given thereby.

    What is `gone`, from one place to another, leaves the shared mappings.
    """
    if size > vnode.attributes.size:
        _demand_allowed(thread, size)
    change()
    start, end = gone
    if start < end and vnode.pages is not None:
        thread.kernel.unmap_file(vnode, start + PAGE - 1 & -PAGE, end & -PAGE, private=False)
    _changed_by(thread, vnode)
    vnode.tell_all(MODIFY)


@kfunction("fop_space", tell=lambda _thread, vnode, _size: (vnode, F_FREESP))
def fop_space(thread: FileCaller, vnode: Vnode, size: int) -> None:
    """Make a file `size` bytes long."""
    _demand_allowed(thread, size)
    _cut(thread, vnode, size)
    _changed_by(thread, vnode)
    vnode.tell_all(MODIFY)


@kfunction("fop_access",
           tell=lambda thread, vnode, wanted, _who: (vnode, wanted << _OWNER, 0, thread.process))
def fop_access(thread: FileCaller, vnode: Vnode, wanted: int, credentials: Credentials) -> None:
    vnode.demand(credentials, wanted)


@kfunction("fop_lookup")
def fop_lookup(thread: FileCaller, directory: Directory, name: bytes) -> Vnode:
    if isinstance(directory, OverlayDirectory):
        return ufs_lookup(thread, directory, name)
    return directory.lookup(name)


@kfunction("ufs_lookup")
def ufs_lookup(thread: FileCaller, directory: OverlayDirectory, name: bytes) -> Vnode:
    known = dnlc_lookup(thread, directory, name)
    return directory.lookup(name) if known is None else known


@kfunction("dnlc_lookup")
def dnlc_lookup(_thread: FileCaller, directory: OverlayDirectory, name: bytes) -> Vnode | None:
    """Return what a name leads to, if that is known without a look at the disk."""
    return directory.known(name)


def _listing(thread: FileCaller, vnode: Vnode, file: DirectoryFile, size: int) -> tuple[object, ...]:
    return vnode, Uio.of(file, size), thread.process


@kfunction("fop_readdir", tell=_listing)
def fop_readdir(thread: FileCaller, directory: Directory, file: DirectoryFile,
                size: int) -> list[tuple[int, Name]]:
    """Return entries from the file's offset on, each with the next one's offset.

    `size` bytes, which the caller has room for, are told to probes; they do not limit the list.
    """
    directory.tell_all(ACCESS)
    if isinstance(directory, OverlayDirectory):
        return ufs_readdir(thread, directory, file, size)
    return list(file.entries())


@kfunction("ufs_readdir", tell=_listing)
def ufs_readdir(_thread: FileCaller, _directory: OverlayDirectory, file: DirectoryFile,
                _size: int) -> list[tuple[int, Name]]:
    return list(file.entries())


@kfunction("fop_readlink")
def fop_readlink(thread: FileCaller, vnode: Link) -> bytes:
    return vnode.target()


def _making(kind: int) -> Tell:
    """Return what probes are told of making a node: directory, name and the attributes it is to have."""
    return lambda _thread, directory, name, mode, *_more, **_named: (directory, name, Attributes(kind | mode))


@kfunction("fop_create", tell=_making(0))
def fop_create(thread: FileCaller, directory: Directory, name: bytes, mode: int, credentials: Credentials,
               rdev: int = 0) -> Vnode:
    """Create a file, named pipe, socket or device."""
    made: Vnode = ufs_create(thread, directory, name, mode, credentials, rdev) \
        if isinstance(directory, OverlayDirectory) else _make(directory, name, mode, credentials, rdev=rdev)
    return made


@kfunction("ufs_create", tell=_making(0))
def ufs_create(_thread: FileCaller, directory: OverlayDirectory, name: bytes, mode: int,
               credentials: Credentials,
               rdev: int) -> Vnode:
    return _make(directory, name, mode, credentials, rdev=rdev)


@kfunction("fop_mkdir", tell=_making(stat.S_IFDIR))
def fop_mkdir(thread: FileCaller, directory: Directory, name: bytes, mode: int,
              credentials: Credentials) -> Vnode:
    return _make(directory, name, stat.S_IFDIR | mode, credentials)


@kfunction("fop_symlink",
           tell=lambda _thread, directory, name, target, _who: (
               directory, name, Attributes(stat.S_IFLNK | 0o777), target))
def fop_symlink(thread: FileCaller, directory: Directory, name: bytes, target: bytes,
                credentials: Credentials) -> Vnode:
    return _make(directory, name, stat.S_IFLNK | 0o777, credentials, target=target)


def _make(directory: Directory, name: bytes, mode: int, credentials: Credentials, *, rdev: int = 0,
          target: bytes = b"") -> Vnode:
    _demand_addition(directory, credentials)
    node = directory.make(name, mode, credentials, rdev=rdev, target=target)
    node.where = (directory, name)
    directory.tell_entry(CREATE, name, node)
    return node


def _demand_addition(directory: Directory, credentials: Credentials) -> None:
    """Raise ENOENT for a directory that has been removed, EACCES for one that cannot be written."""
    if not directory.attributes.nlink:
        raise failure(errno.ENOENT)
    directory.demand(credentials, WRITE)


def _demand_removal(directory: Directory, node: Vnode, credentials: Credentials) -> None:
    directory.demand(credentials, WRITE)
    sticky = directory.attributes.mode & stat.S_ISVTX
    if sticky and credentials.uid != directory.attributes.uid and not credentials.owns(node.attributes.uid):
        raise failure(errno.EPERM)


def _removing(thread: FileCaller, directory: Directory, name: bytes, *_more: object) -> tuple[object, ...]:
    return directory, name, thread.process


@kfunction("fop_remove", tell=_removing)
def fop_remove(thread: FileCaller, directory: Directory, name: bytes, credentials: Credentials) -> None:
    """Remove a name that leads to no directory."""
    node = directory.lookup(name)
    if isinstance(node, Directory):
        raise failure(errno.EISDIR)
    if isinstance(directory, OverlayDirectory):
        ufs_remove(thread, directory, name, node, credentials)
    else:
        _remove(thread, directory, name, node, credentials)
    node.tell(ATTRIB)
    directory.tell_entry(DELETE, name, node)
    node.tell_gone()


@kfunction("ufs_remove", tell=_removing)
def ufs_remove(thread: FileCaller, directory: OverlayDirectory, name: bytes, node: Vnode,
               credentials: Credentials) -> None:
    _remove(thread, directory, name, node, credentials)


def _remove(thread: FileCaller, directory: Directory, name: bytes, node: Vnode,
            credentials: Credentials) -> None:
    _demand_removal(directory, node, credentials)
    if node.attributes.nlink > 1:
        node.touched()
    directory.unlink(name)
    node.attributes.nlink = max(0, node.attributes.nlink - 1)
    node.attributes.ctime = thread.kernel.walltime()
    if not node.attributes.nlink:
        node.forgotten()


@kfunction("fop_rmdir",
           tell=lambda thread, directory, name, _who: (
               directory, name, thread.process.fs.cwd, thread.process))
def fop_rmdir(thread: FileCaller, directory: Directory, name: bytes, credentials: Credentials) -> None:
    """Remove an empty directory."""
    node = directory.lookup(name)
    _demand_removal(directory, node, credentials)
    if not isinstance(node, Directory):
        raise failure(errno.ENOTDIR)
    _remove_directory(directory, name, node)
    directory.tell_entry(DELETE, name, node)
    node.tell_gone()


def _remove_directory(directory: Directory, name: bytes, node: Directory) -> None:
    _demand_empty(node)
    directory.unlink(name)
    node.attributes.nlink = 0
    node.forgotten()


def _demand_empty(node: Directory) -> None:
    if top(node) is not node:
        raise failure(errno.EBUSY)
    for _name in node.names():
        raise failure(errno.ENOTEMPTY)


@kfunction("fop_link",
           tell=lambda thread, directory, node, name, _who: (directory, node, name, thread.process))
def fop_link(thread: FileCaller, directory: Directory, node: Vnode, name: bytes,
             credentials: Credentials) -> None:
    """Give a node one more name: ENOENT if it has none any more."""
    if isinstance(node, Directory):
        raise failure(errno.EPERM)
    if node.attributes.dev != directory.attributes.dev:
        raise failure(errno.EXDEV)
    _demand_addition(directory, credentials)
    if credentials.uid != node.attributes.uid and not credentials.has(FILE_LINK_ANY):
        raise failure(errno.EPERM)
    if node.attributes.nlink >= MOST_LINKS:
        raise failure(errno.EMLINK)
    if not node.attributes.nlink:
        if not isinstance(node, OverlayFile) or not node.linkable:
            raise failure(errno.ENOENT)
        node.linkable = False
    node.touched()
    directory.link(name, node)
    node.attributes.nlink += 1
    node.attributes.ctime = thread.kernel.walltime()
    node.tell(ATTRIB)
    directory.tell_entry(CREATE, name, node)


@kfunction("fop_rename",
           tell=lambda thread, source, target, _who: (
               source.parent, source.name, target.parent, target.name, thread.process))
def fop_rename(thread: FileCaller, source: Found, target: Found, credentials: Credentials) -> None:
    """Move a name to another place, and replace what is there."""
    node, old = source.existing, target.node
    _demand_no_cycle(source, target)
    if node is old:
        return
    if node.attributes.dev != target.parent.attributes.dev:
        raise failure(errno.EXDEV)
    _demand_removal(source.parent, node, credentials)
    _demand_addition(target.parent, credentials)
    if old is not None:
        _demand_replaceable(target.parent, node, old, credentials)
    _demand_movable(source, target, node, credentials)
    _demand_room(source, target)
    if old is not None:
        _replace(thread, old, target, credentials)
    target.parent.link(target.name, node)
    source.parent.unlink(source.name)
    node.where = (target.parent, target.name)
    node.attributes.ctime = thread.kernel.walltime()
    _tell_renamed(thread, source, target, node)
    _tell_left(target.node, node)


def exchange(thread: FileCaller, source: Found, target: Found, credentials: Credentials) -> None:
    """Let two names that are there change places.  Raises OSError."""
    one, other = source.existing, target.existing
    if one in _and_above(target.parent) or other in _and_above(source.parent):
        raise failure(errno.EINVAL)
    if one is other:
        return
    if one.attributes.dev != target.parent.attributes.dev or other.attributes.dev != one.attributes.dev:
        raise failure(errno.EXDEV)
    places = (source, one, other), (target, other, one)
    for place, node, _new in places:
        _demand_removal(place.parent, node, credentials)
        _demand_movable(source, target, node, credentials)
    for place, node, _new in places:
        node.touched()
        place.parent.touched()
        if isinstance(place.parent, OverlayDirectory):
            place.parent.demand_room(EXCHANGED)
    for place, _node, _new in places:
        place.parent.unlink(place.name)
    for place, _node, new in places:
        place.parent.link(place.name, new)
        new.where = (place.parent, place.name)
        new.attributes.ctime = thread.kernel.walltime()
    _tell_renamed(thread, source, target, one)
    one.tell(MOVE_SELF)
    _tell_renamed(thread, target, source, other)
    other.tell(MOVE_SELF)


def _demand_movable(source: Found, target: Found, node: Vnode, credentials: Credentials) -> None:
    """Raise EACCES for a directory that cannot be written, whose ".." would change."""
    if isinstance(node, Directory) and source.parent is not target.parent:
        node.demand(credentials, WRITE)


def _demand_room(source: Found, target: Found) -> None:
    """Raise ENOSPC unless the disk has room for what a rename leaves: it is done whole, or not at all.

    A name of the host that is gone takes room, too.
    """
    for each in (source.existing, source.parent, target.parent):
        each.touched()
    here, there = source.parent, target.parent
    if isinstance(here, OverlayDirectory) and isinstance(there, OverlayDirectory):
        replaces_hosts = target.node is not None and there.is_hosts(target.name)
        is_new = target.node is None or replaces_hosts
        there.demand_room(replaces_hosts + is_new + here.is_hosts(source.name))


def _tell_renamed(thread: FileCaller, source: Found, target: Found, node: Vnode) -> None:
    files = thread.kernel.vfs
    files.renames += 1
    source.parent.tell_entry(MOVED_FROM, source.name, node, files.renames)
    target.parent.tell_entry(MOVED_TO, target.name, node, files.renames)


def _tell_left(old: Vnode | None, node: Vnode) -> None:
    """Tell the watchers of a node that has moved, and of the one that had its name."""
    if old is not None:
        old.tell(ATTRIB | (IS_DIRECTORY if isinstance(old, Directory) else 0))
    node.tell(MOVE_SELF)
    if old is not None:
        old.tell_gone()


def _demand_no_cycle(source: Found, target: Found) -> None:
    """Raise EINVAL for a directory that goes into itself, ENOTEMPTY where the target has the source in it."""
    if source.node in _and_above(target.parent):
        raise failure(errno.EINVAL)
    if target.node in _and_above(source.parent):
        raise failure(errno.ENOTEMPTY)


def _and_above(directory: Directory) -> Iterator[Vnode | None]:
    """Yield a directory and those that it is in."""
    yield directory
    while directory.parent is not directory:
        directory = directory.parent
        yield directory


def _demand_replaceable(directory: Directory, node: Vnode, old: Vnode, credentials: Credentials) -> None:
    """Raise what does not let a node have another's name: EPERM, ENOTDIR, EISDIR."""
    _demand_removal(directory, old, credentials)
    if isinstance(old, Directory) != isinstance(node, Directory):
        raise failure(errno.EISDIR if isinstance(old, Directory) else errno.ENOTDIR)


def _replace(thread: FileCaller, old: Vnode, target: Found, credentials: Credentials) -> None:
    if isinstance(old, Directory):
        _remove_directory(target.parent, target.name, old)
    else:
        _remove(thread, target.parent, target.name, old, credentials)


@kfunction("lookuppnvp", tell=lambda _thread, _start, path, *_more: (path,))
def lookuppnvp(thread: FileCaller, start: Directory, path: bytes, view: View, credentials: Credentials,
               follow: bool) -> Found:
    """Resolve a path from a directory.  Raises OSError."""
    if thread.kernel.hooks.function is None:
        return walk(view, start, path, credentials, follow=follow)
    return walk(view, start, path, credentials, follow=follow,
                lookup=lambda directory, name: fop_lookup(thread, directory, name))


@kfunction("fop_poll")
def fop_poll(thread: FileCaller, vnode: Vnode, events: int, file: File) -> int:
    return file.poll()
