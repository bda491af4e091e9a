"""System calls on the attributes of files: stat in all its forms, modes, owners, times."""

from __future__ import annotations

import errno
import stat
from typing import TYPE_CHECKING

from runtime.kernel.base.clock import MICROSECOND, SECOND
from runtime.kernel.base.identity import Credentials
from runtime.kernel.base.privileges import FILE_CHOWN, FILE_CHOWN_SELF, FILE_SETID
from runtime.kernel.base.words import UNCHANGED, wide_id
from runtime.kernel.process.opening import AT_FDCWD, credentials, files
from runtime.kernel.process.usermemory import word
from runtime.kernel.syscalls import layouts
from runtime.kernel.syscalls.lookup import (
    AT_EACCESS,
    AT_EMPTY_PATH,
    AT_NO_AUTOMOUNT,
    AT_STATX_SYNC,
    AT_SYMLINK_NOFOLLOW,
    find,
    get_file,
    refuse_flags,
)
from runtime.kernel.vfs.fops import fop_access, fop_getattr, fop_setattr
from runtime.kernel.vfs.vnode import WRITE, Attributes, Vnode, failure, without_set_id

if TYPE_CHECKING:
    from runtime.kernel.process.thread import Thread

UTIME_NOW, UTIME_OMIT = 0x3FFFFFFF, 0x3FFFFFFE


# -- stat

def descriptor_attributes(thread: Thread, fd: int) -> Attributes:
    file = files(thread).get(fd)
    fop_getattr(thread, file.vnode)
    return file.getattr()


def path_attributes(thread: Thread, dirfd: int, path: int, flags: int = 0) -> Attributes:
    refuse_flags(flags, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | AT_EMPTY_PATH | AT_STATX_SYNC)
    if flags & AT_EMPTY_PATH and dirfd >= 0 and not thread.read_string(path, 1):
        return descriptor_attributes(thread, dirfd)
    return fop_getattr(thread, find(thread, dirfd, path, flags))


def sys_stat(thread: Thread, path: int, buffer: int) -> int:
    thread.write(buffer, layouts.stat_x86_64(path_attributes(thread, AT_FDCWD, path)))
    return 0


def sys_lstat(thread: Thread, path: int, buffer: int) -> int:
    attributes = path_attributes(thread, AT_FDCWD, path, AT_SYMLINK_NOFOLLOW)
    thread.write(buffer, layouts.stat_x86_64(attributes))
    return 0


def sys_fstat(thread: Thread, fd: int, buffer: int) -> int:
    thread.write(buffer, layouts.stat_x86_64(descriptor_attributes(thread, fd)))
    return 0


def sys_newfstatat(thread: Thread, dirfd: int, path: int, buffer: int, flags: int) -> int:
    thread.write(buffer, layouts.stat_x86_64(path_attributes(thread, dirfd, path, flags)))
    return 0


def sys_arm64_fstat(thread: Thread, fd: int, buffer: int) -> int:
    thread.write(buffer, layouts.stat_arm64(descriptor_attributes(thread, fd)))
    return 0


def sys_arm64_newfstatat(thread: Thread, dirfd: int, path: int, buffer: int, flags: int) -> int:
    thread.write(buffer, layouts.stat_arm64(path_attributes(thread, dirfd, path, flags)))
    return 0


def sys_i386_stat(thread: Thread, path: int, buffer: int) -> int:
    thread.write(buffer, layouts.stat_i386(path_attributes(thread, AT_FDCWD, path)))
    return 0


def sys_i386_lstat(thread: Thread, path: int, buffer: int) -> int:
    attributes = path_attributes(thread, AT_FDCWD, path, AT_SYMLINK_NOFOLLOW)
    thread.write(buffer, layouts.stat_i386(attributes))
    return 0


def sys_i386_fstat(thread: Thread, fd: int, buffer: int) -> int:
    thread.write(buffer, layouts.stat_i386(descriptor_attributes(thread, fd)))
    return 0


def sys_stat64(thread: Thread, path: int, buffer: int) -> int:
    thread.write(buffer, layouts.stat64_i386(path_attributes(thread, AT_FDCWD, path)))
    return 0


def sys_lstat64(thread: Thread, path: int, buffer: int) -> int:
    attributes = path_attributes(thread, AT_FDCWD, path, AT_SYMLINK_NOFOLLOW)
    thread.write(buffer, layouts.stat64_i386(attributes))
    return 0


def sys_fstat64(thread: Thread, fd: int, buffer: int) -> int:
    thread.write(buffer, layouts.stat64_i386(descriptor_attributes(thread, fd)))
    return 0


def sys_fstatat64(thread: Thread, dirfd: int, path: int, buffer: int, flags: int) -> int:
    thread.write(buffer, layouts.stat64_i386(path_attributes(thread, dirfd, path, flags)))
    return 0


def sys_statx(thread: Thread, dirfd: int, path: int, flags: int, mask: int, buffer: int) -> int:
    if mask & 1 << 31 or flags & AT_STATX_SYNC == AT_STATX_SYNC:
        raise failure(errno.EINVAL)
    flags &= ~AT_STATX_SYNC
    thread.write(buffer, layouts.statx(path_attributes(thread, dirfd, path, flags)))
    return 0


# -- file systems

_MAGIC = {"proc": 0x9FA0, "dev": 0x01021994, "sysfs": 0x62656572}  # by type
_NAMELESS = {stat.S_IFIFO: 0x50495045, stat.S_IFSOCK: 0x534F434B, 0: 0x09041934}  # by what has no path
_DISK_MAGIC = 0xEF53  # ext4, on which programs trust inotify


def _statfs(vnode: Vnode) -> tuple[int, ...]:
    root, attributes = vnode.mount_root(), vnode.attributes
    magic = _MAGIC.get(root.file_system, _DISK_MAGIC) if root is not None else \
        _NAMELESS.get(stat.S_IFMT(attributes.mode), _DISK_MAGIC)
    blocks = 1 << 22 if magic in (_DISK_MAGIC, _MAGIC["dev"]) else 0
    flags = layouts.ST_VALID if magic in _NAMELESS.values() else layouts.ST_VALID | layouts.ST_RELATIME
    return layouts.statfs_values(magic, blocks, attributes.dev, flags)


def sys_statfs(thread: Thread, path: int, buffer: int) -> int:
    return _put_statfs(thread, find(thread, AT_FDCWD, path), buffer)


def sys_fstatfs(thread: Thread, fd: int, buffer: int) -> int:
    return _put_statfs(thread, files(thread).get(fd).vnode, buffer)


def _put_statfs(thread: Thread, vnode: Vnode, buffer: int) -> int:
    form = layouts.STATFS_X86_64 if word(thread) == 8 else layouts.STATFS_I386
    thread.write(buffer, form.pack(*_statfs(vnode)))
    return 0


def sys_statfs64(thread: Thread, path: int, size: int, buffer: int) -> int:
    if size != layouts.STATFS64_I386.size:
        raise failure(errno.EINVAL)
    thread.write(buffer, layouts.STATFS64_I386.pack(*_statfs(find(thread, AT_FDCWD, path))))
    return 0


def sys_fstatfs64(thread: Thread, fd: int, size: int, buffer: int) -> int:
    if size != layouts.STATFS64_I386.size:
        raise failure(errno.EINVAL)
    thread.write(buffer, layouts.STATFS64_I386.pack(*_statfs(files(thread).get(fd).vnode)))
    return 0


# -- access

def sys_access(thread: Thread, path: int, mode: int) -> int:
    return sys_faccessat2(thread, AT_FDCWD, path, mode, 0)


def sys_faccessat(thread: Thread, dirfd: int, path: int, mode: int) -> int:
    return sys_faccessat2(thread, dirfd, path, mode, 0)


def sys_faccessat2(thread: Thread, dirfd: int, path: int, mode: int, flags: int) -> int:
    if mode & ~7 or flags & ~(AT_EACCESS | AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH):
        raise failure(errno.EINVAL)
    who = credentials(thread)
    if not flags & AT_EACCESS:
        identity = thread.process.identity
        privileges = identity.most_as(identity.ruid)
        who = Credentials(identity.ruid, identity.rgid, who.groups, privileges,
                          privileges == thread.process.zone.limit)
    fop_access(thread, find(thread, dirfd, path, flags), mode, who)
    return 0


# -- modes and owners

def _demand_owner(thread: Thread, vnode: Vnode) -> None:
    if not credentials(thread).owns(vnode.attributes.uid):
        raise failure(errno.EPERM)


def _chmod(thread: Thread, vnode: Vnode, mode: int) -> int:
    _demand_owner(thread, vnode)
    if vnode.kind == stat.S_IFLNK:
        raise failure(errno.EOPNOTSUPP)
    who = credentials(thread)
    if not who.member(vnode.attributes.gid) and not who.has(FILE_SETID):
        mode &= ~stat.S_ISGID  # nobody gives away the rights of a group that is not his
    fop_setattr(thread, vnode, mode=vnode.kind | mode & 0o7777)
    return 0


def sys_chmod(thread: Thread, path: int, mode: int) -> int:
    return _chmod(thread, find(thread, AT_FDCWD, path), mode)


def sys_fchmod(thread: Thread, fd: int, mode: int) -> int:
    return _chmod(thread, get_file(thread, fd).vnode, mode)


def sys_fchmodat(thread: Thread, dirfd: int, path: int, mode: int) -> int:
    return _chmod(thread, find(thread, dirfd, path), mode)


def sys_fchmodat2(thread: Thread, dirfd: int, path: int, mode: int, flags: int) -> int:
    refuse_flags(flags, AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH)
    return _chmod(thread, find(thread, dirfd, path, flags), mode)


def _loses_bits(vnode: Vnode, who: Credentials) -> bool:
    """Whether set-id bits go when a file is given to its owner: that of a group stays for its members."""
    mode = vnode.attributes.mode
    if stat.S_ISDIR(mode):
        return False
    theirs = who.member(vnode.attributes.gid) or who.has(FILE_SETID)
    return bool(mode & stat.S_ISUID or (mode & stat.S_ISGID and (mode & stat.S_IXGRP or not theirs)))


def _chown(thread: Thread, vnode: Vnode, uid: int, gid: int) -> int:
    who, attributes = credentials(thread), vnode.attributes
    nothing = uid == gid == UNCHANGED and not _loses_bits(vnode, who)
    uid = attributes.uid if uid == UNCHANGED else uid
    gid = attributes.gid if gid == UNCHANGED else gid
    given = who.has(FILE_CHOWN_SELF) or (uid == attributes.uid and (gid == attributes.gid or who.member(gid)))
    mine = who.uid == attributes.uid and given
    if not (nothing or mine or who.may_as(FILE_CHOWN, attributes.uid)):
        raise failure(errno.EPERM)
    mode = attributes.mode
    if vnode.kind == stat.S_IFREG:
        mode = without_set_id(mode, member=who.has(FILE_SETID) or who.member(attributes.gid))
    fop_setattr(thread, vnode, uid=uid, gid=gid, mode=mode)
    return 0


def sys_chown(thread: Thread, path: int, uid: int, gid: int) -> int:
    return _chown(thread, find(thread, AT_FDCWD, path), uid, gid)


def sys_lchown(thread: Thread, path: int, uid: int, gid: int) -> int:
    return _chown(thread, find(thread, AT_FDCWD, path, AT_SYMLINK_NOFOLLOW), uid, gid)


def sys_fchown(thread: Thread, fd: int, uid: int, gid: int) -> int:
    return _chown(thread, get_file(thread, fd).vnode, uid, gid)


def sys_fchownat(thread: Thread, dirfd: int, path: int, uid: int, gid: int, flags: int) -> int:
    refuse_flags(flags, AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH)
    return _chown(thread, find(thread, dirfd, path, flags), uid, gid)


def sys_i386_chown(thread: Thread, path: int, uid: int, gid: int) -> int:
    return sys_chown(thread, path, wide_id(uid), wide_id(gid))


def sys_i386_lchown(thread: Thread, path: int, uid: int, gid: int) -> int:
    return sys_lchown(thread, path, wide_id(uid), wide_id(gid))


def sys_i386_fchown(thread: Thread, fd: int, uid: int, gid: int) -> int:
    return sys_fchown(thread, fd, wide_id(uid), wide_id(gid))


sys_chown32, sys_lchown32, sys_fchown32 = sys_chown, sys_lchown, sys_fchown


# -- times

def _set_times(thread: Thread, vnode: Vnode, atime: int | None, mtime: int | None, *, now: bool) -> int:
    """Set the times that are not None; returns 0.

    `now`: both are the present, which write access is enough for.  Raises EACCES, EPERM.
    """
    who = credentials(thread)
    if not who.owns(vnode.attributes.uid) and not (now and vnode.permits(who, WRITE)):
        raise failure(errno.EACCES if now else errno.EPERM)
    changes = {}
    if atime is not None:
        changes["atime"] = atime
    if mtime is not None:
        changes["mtime"] = mtime
    if changes:
        fop_setattr(thread, vnode, **changes)
    return 0


def _longs(thread: Thread, address: int, count: int, width: int) -> list[int]:
    raw = thread.read(address, count * width)
    return [int.from_bytes(raw[at:at + width], "little", signed=True) for at in range(0, len(raw), width)]


def _utimens(thread: Thread, dirfd: int, path: int, times: int, flags: int, width: int) -> int:
    flat = _longs(thread, times, 4, width) if times else []
    if flat[1::2] == [UTIME_OMIT, UTIME_OMIT]:
        return 0  # nothing is to be set, whatever the path is
    refuse_flags(flags, AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH)
    if path or dirfd == AT_FDCWD:
        vnode = find(thread, dirfd, path, flags)
    else:
        vnode = get_file(thread, dirfd).vnode
    present = thread.kernel.walltime()
    if not times:
        return _set_times(thread, vnode, present, present, now=True)
    wanted: list[int | None] = []
    for seconds, fraction in (flat[0:2], flat[2:4]):
        if fraction == UTIME_NOW:
            wanted.append(present)
        elif fraction == UTIME_OMIT:
            wanted.append(None)
        elif 0 <= fraction < SECOND:
            wanted.append(seconds * SECOND + fraction)
        else:
            raise failure(errno.EINVAL)
    now = flat[1] == flat[3] == UTIME_NOW
    return _set_times(thread, vnode, wanted[0], wanted[1], now=now)


def sys_utimensat(thread: Thread, dirfd: int, path: int, times: int, flags: int) -> int:
    return _utimens(thread, dirfd, path, times, flags, word(thread))


def sys_utimensat_time64(thread: Thread, dirfd: int, path: int, times: int, flags: int) -> int:
    return _utimens(thread, dirfd, path, times, flags, 8)


def _old_times(thread: Thread, times: int, count: int) -> tuple[int, int] | None:
    """Return times in ns from `count` longs: seconds (utime), or seconds and microseconds; None for now.

    Raises EINVAL.
    """
    if not times:
        return None
    flat = _longs(thread, times, count, word(thread))
    if count == 2:
        return flat[0] * SECOND, flat[1] * SECOND
    if not all(0 <= part < SECOND // MICROSECOND for part in flat[1::2]):
        raise failure(errno.EINVAL)
    return flat[0] * SECOND + flat[1] * MICROSECOND, flat[2] * SECOND + flat[3] * MICROSECOND


def _set_old_times(thread: Thread, vnode: Vnode, times: tuple[int, int] | None) -> int:
    present = thread.kernel.walltime()
    return _set_times(thread, vnode, *(times or (present, present)), now=times is None)


def sys_utime(thread: Thread, path: int, times: int) -> int:
    wanted = _old_times(thread, times, 2)
    return _set_old_times(thread, find(thread, AT_FDCWD, path), wanted)


def sys_utimes(thread: Thread, path: int, times: int) -> int:
    wanted = _old_times(thread, times, 4)
    return _set_old_times(thread, find(thread, AT_FDCWD, path), wanted)


def sys_futimesat(thread: Thread, dirfd: int, path: int, times: int) -> int:
    wanted = _old_times(thread, times, 4)
    vnode = find(thread, dirfd, path) if path or dirfd == AT_FDCWD else get_file(thread, dirfd).vnode
    return _set_old_times(thread, vnode, wanted)


# -- extended attributes: there are none

_SPACES = (b"user.", b"trusted.", b"security.", b"system.")  # where names of attributes lie
_SIZE_LIMIT, _NAME_LIMIT = 1 << 16, 255
_CREATE_OR_REPLACE = 3


def _no_attribute(thread: Thread, vnode: Vnode, name: int) -> int:
    """Raise what a look for an attribute does: ERANGE, EOPNOTSUPP, ENODATA."""
    text = thread.read_string(name, _NAME_LIMIT + 1)
    if not 0 < len(text) <= _NAME_LIMIT:
        raise failure(errno.ERANGE)
    raise failure(errno.ENODATA if text.startswith(_SPACES) else errno.EOPNOTSUPP)


def _no_new_attribute(thread: Thread, name: int, value: int, size: int, flags: int) -> int:
    """Raise what setting an attribute does: EINVAL, ERANGE, E2BIG, EOPNOTSUPP."""
    refuse_flags(flags, _CREATE_OR_REPLACE)
    if not 0 < len(thread.read_string(name, _NAME_LIMIT + 1)) <= _NAME_LIMIT:
        raise failure(errno.ERANGE)
    if size > _SIZE_LIMIT:
        raise failure(errno.E2BIG)
    thread.read(value, size)
    raise failure(errno.EOPNOTSUPP)


def sys_getxattr(thread: Thread, path: int, name: int, value: int, size: int) -> int:
    return _no_attribute(thread, find(thread, AT_FDCWD, path), name)


def sys_lgetxattr(thread: Thread, path: int, name: int, value: int, size: int) -> int:
    return _no_attribute(thread, find(thread, AT_FDCWD, path, AT_SYMLINK_NOFOLLOW), name)


def sys_fgetxattr(thread: Thread, fd: int, name: int, value: int, size: int) -> int:
    return _no_attribute(thread, get_file(thread, fd).vnode, name)


def sys_listxattr(thread: Thread, path: int, names: int, size: int) -> int:
    find(thread, AT_FDCWD, path)
    return 0


def sys_llistxattr(thread: Thread, path: int, names: int, size: int) -> int:
    find(thread, AT_FDCWD, path, AT_SYMLINK_NOFOLLOW)
    return 0


def sys_flistxattr(thread: Thread, fd: int, names: int, size: int) -> int:
    get_file(thread, fd)
    return 0


def sys_setxattr(thread: Thread, path: int, name: int, value: int, size: int, flags: int) -> int:
    find(thread, AT_FDCWD, path)
    return _no_new_attribute(thread, name, value, size, flags)


def sys_lsetxattr(thread: Thread, path: int, name: int, value: int, size: int, flags: int) -> int:
    find(thread, AT_FDCWD, path, AT_SYMLINK_NOFOLLOW)
    return _no_new_attribute(thread, name, value, size, flags)


def sys_fsetxattr(thread: Thread, fd: int, name: int, value: int, size: int, flags: int) -> int:
    get_file(thread, fd)
    return _no_new_attribute(thread, name, value, size, flags)


def sys_removexattr(thread: Thread, path: int, name: int) -> int:
    return _no_attribute(thread, find(thread, AT_FDCWD, path), name)


def sys_lremovexattr(thread: Thread, path: int, name: int) -> int:
    return _no_attribute(thread, find(thread, AT_FDCWD, path, AT_SYMLINK_NOFOLLOW), name)


def sys_fremovexattr(thread: Thread, fd: int, name: int) -> int:
    return _no_attribute(thread, get_file(thread, fd).vnode, name)
