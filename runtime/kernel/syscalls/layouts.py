"""Structures that system calls fill in, and flags, as Linux has them for x86-64, i386 and AArch64.

Sources: <asm/stat.h>, <linux/stat.h>, <asm/statfs.h>, <asm/fcntl.h> of these architectures.  Little-endian.
"""

from __future__ import annotations

import errno
import os
import struct

from dif.limits import MASK
from runtime.kernel.base.clock import SECOND
from runtime.kernel.vfs.vnode import Attributes, failure

STAT_X86_64 = struct.Struct("<QQQIIIIQqqqqqqqqq24x")
STAT_I386 = struct.Struct("<IIHHHHIIIIIIIIIIII")
STAT64_I386 = struct.Struct("<Q4xIIIIIQ4xqIQIIIIIIQ")
STAT_ARM64 = struct.Struct("<QQIIIIQQqi4xqQQQQQQ8x")
STATX = struct.Struct("<IIQIIIH2xQQQQqI4xqI4xqI4xqI4xIIII112x")
STATX_BASIC = 0x7FF
STATX_BTIME = 0x800
USER_LIMIT = 1 << 47  # the end of the addresses of x86 programs, 32-bit ones included
ST_VALID, ST_RELATIME = 0x20, 0x1000  # flags of statfs


def encode_device(device: int) -> int:
    """Return a device number as Linux has it in st_dev and st_rdev."""
    major, minor = os.major(device), os.minor(device)
    return minor & 0xFF | (major & 0xFFF) << 8 | (minor & ~0xFF) << 12


def _times(attributes: Attributes) -> list[int]:
    flat: list[int] = []
    for time in (attributes.atime, attributes.mtime, attributes.ctime):
        flat.extend(divmod(time, SECOND))
    return flat


def stat_x86_64(attributes: Attributes) -> bytes:
    """struct stat, 144 bytes."""
    a = attributes
    return STAT_X86_64.pack(encode_device(a.dev), a.ino, a.nlink, a.mode, a.uid, a.gid, 0,
                            encode_device(a.rdev), a.size, a.blksize, a.blocks, *_times(a))


def stat_i386(attributes: Attributes) -> bytes:
    """struct stat with 32-bit members, 64 bytes.  Raises EOVERFLOW."""
    a = attributes
    if a.size >= 1 << 31:
        raise failure(errno.EOVERFLOW)
    low = 0xFFFFFFFF
    return STAT_I386.pack(encode_device(a.dev) & low, a.ino & low, a.mode, min(a.nlink, 0xFFFF),
                          min(a.uid, 0xFFFE), min(a.gid, 0xFFFE), encode_device(a.rdev) & low, a.size,
                          a.blksize, a.blocks & low, *(part & low for part in _times(a)), 0, 0)


def stat64_i386(attributes: Attributes) -> bytes:
    """struct stat64, 96 bytes."""
    a, low = attributes, 0xFFFFFFFF
    return STAT64_I386.pack(encode_device(a.dev), a.ino & low, a.mode, a.nlink, a.uid, a.gid,
                            encode_device(a.rdev), a.size, a.blksize, a.blocks,
                            *(part & low for part in _times(a)), a.ino)


def stat_arm64(attributes: Attributes) -> bytes:
    """struct stat, 128 bytes."""
    a = attributes
    return STAT_ARM64.pack(encode_device(a.dev), a.ino, a.mode, a.nlink, a.uid, a.gid, encode_device(a.rdev),
                           0, a.size, a.blksize, a.blocks, *(part & MASK for part in _times(a)))


def swap_open_flags(flags: int) -> int:
    """Turn flags of open(2) of x86 into those of AArch64, or these into those.

    O_DIRECT and O_LARGEFILE of the one stand where the other has O_DIRECTORY and O_NOFOLLOW, in this order.
    """
    return flags & ~(3 << 14 | 3 << 16) | (flags >> 14 & 3) << 16 | (flags >> 16 & 3) << 14


def statx(attributes: Attributes) -> bytes:
    """struct statx, 256 bytes, basic fields and birth time."""
    a = attributes
    times = [divmod(time, SECOND) for time in (a.atime, a.btime, a.ctime, a.mtime)]
    return STATX.pack(STATX_BASIC | STATX_BTIME, a.blksize, 0, a.nlink, a.uid, a.gid, a.mode, a.ino, a.size,
                      a.blocks, 0, *(part for time in times for part in time), os.major(a.rdev),
                      os.minor(a.rdev), os.major(a.dev), os.minor(a.dev))


STATFS_X86_64 = struct.Struct("<qqQQQQQiiqqq32x")
STATFS_I386 = struct.Struct("<12I16x")
STATFS64_I386 = struct.Struct("<IIQQQQQiiIII16x")


def statfs_values(magic: int, blocks: int, device: int, flags: int) -> tuple[int, ...]:
    """Return the members of struct statfs.

    They are: type, bsize, blocks, bfree, bavail, files, ffree, fsid[2], namelen, frsize, flags.
    """
    half = blocks // 2
    return (magic, 4096, blocks, half, half, blocks // 4, blocks // 8, device, 0, 255, 4096, flags)
