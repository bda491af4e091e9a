"""The system call that changes what room a file has on the disk."""

from __future__ import annotations

import errno
import stat

from runtime.kernel.syscalls.lookup import get_file
from runtime.kernel.vfs.disk.overlay import OverlayFile
from runtime.kernel.vfs.fops import change_space
from runtime.kernel.vfs.vnode import BLOCK, failure

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from runtime.kernel.process.thread import Thread

KEEP_SIZE, PUNCH_HOLE, COLLAPSE_RANGE, ZERO_RANGE, INSERT_RANGE = 1, 2, 8, 16, 32
_IN_MEMORY = 0, KEEP_SIZE, KEEP_SIZE | PUNCH_HOLE  # what a file of memfd_create(2) takes


def sys_fallocate(thread: Thread, fd: int, mode: int, offset: int, length: int) -> int:
    file = get_file(thread, fd)
    if offset < 0 or length <= 0:
        raise failure(errno.EINVAL)
    if mode not in _CHANGES:
        raise failure(errno.EOPNOTSUPP)
    if not file.writable:
        raise failure(errno.EBADF)
    vnode, end = file.vnode, offset + length
    if not isinstance(vnode, OverlayFile):
        raise failure({stat.S_IFIFO: errno.ESPIPE, stat.S_IFREG: errno.EOPNOTSUPP}.get(
            vnode.kind, errno.ENODEV))
    if end > vnode.most:
        raise failure(errno.EFBIG)
    if vnode.seals is not None and mode not in _IN_MEMORY:
        raise failure(errno.EOPNOTSUPP)
    _CHANGES[mode](thread, vnode, offset, end)
    return 0


def _allocate(thread: Thread, vnode: OverlayFile, offset: int, end: int) -> None:
    change_space(thread, vnode, end, lambda: vnode.allocate(offset, end, longer=True))


def _allocate_only(thread: Thread, vnode: OverlayFile, offset: int, end: int) -> None:
    change_space(thread, vnode, end, lambda: vnode.allocate(offset, end, longer=False))


def punch_hole(thread: Thread, vnode: OverlayFile, offset: int, end: int) -> None:
    """Give up what a file has between two places.  Raises OSError."""
    if offset < vnode.size:
        change_space(thread, vnode, 0, lambda: vnode.punch(offset, end), (offset, end))


def _zero(thread: Thread, vnode: OverlayFile, offset: int, end: int) -> None:
    _allocate(thread, vnode, offset, end)
    vnode.punch(offset, end)
    vnode.allocate(offset, end, longer=True)


def _zero_only(thread: Thread, vnode: OverlayFile, offset: int, end: int) -> None:
    _allocate_only(thread, vnode, offset, end)
    vnode.punch(offset, end)
    vnode.allocate(offset, end, longer=False)


def _collapse(thread: Thread, vnode: OverlayFile, offset: int, end: int) -> None:
    if offset % BLOCK or end % BLOCK or end >= vnode.size:
        raise failure(errno.EINVAL)
    change_space(thread, vnode, 0, lambda: vnode.collapse(offset, end), (offset, vnode.most))


def _insert(thread: Thread, vnode: OverlayFile, offset: int, end: int) -> None:
    if offset % BLOCK or end % BLOCK or offset >= vnode.size:
        raise failure(errno.EINVAL)
    if vnode.size + end - offset > vnode.most:
        raise failure(errno.EFBIG)
    change_space(thread, vnode, 0, lambda: vnode.insert(offset, end), (offset, vnode.most))


_CHANGES = {
    0: _allocate,
    KEEP_SIZE: _allocate_only,
    KEEP_SIZE | PUNCH_HOLE: punch_hole,
    ZERO_RANGE: _zero,
    KEEP_SIZE | ZERO_RANGE: _zero_only,
    COLLAPSE_RANGE: _collapse,
    INSERT_RANGE: _insert,
}
