"""One transfer between a file and memory, and the flags that illumos' file operations get with it."""

from __future__ import annotations

import os
from collections.abc import Sequence

from dif.records import Record
from runtime.kernel.vfs.vnode import File

UIO_USERSPACE, UIO_SYSSPACE = 0, 1  # <sys/uio.h>
FREAD, FWRITE, FAPPEND, FSYNC, FDSYNC, FNONBLOCK = 0x1, 0x2, 0x8, 0x10, 0x40, 0x80  # <sys/file.h>


class Uio(Record):
    """What is left of a transfer.

    `resid` bytes are still to move, and `offset` is the place of the next one in the file.  `positioned`:
    the call gave that place (pread), and the file's own offset stays.  `segments` are (address, bytes) in
    the program's memory; a transfer within the kernel has none.
    """

    resid: int
    offset: int
    positioned: bool
    flags: int
    segments: Sequence[tuple[int, int]]

    @classmethod
    def of(cls, file: File, size: int, offset: int = -1, segments: Sequence[tuple[int, int]] = (),
           flags: int = 0) -> Uio:
        """Return a transfer of `size` bytes at `offset`, or at the file's own offset if that is negative.

        `flags` are those of O_* that it has besides the file's.
        """
        at = offset if offset >= 0 else file.offset
        return cls(size, at, offset >= 0, file.flags | flags, segments)

    def moved(self, count: int) -> None:
        self.resid -= count
        self.offset += count


class Traffic:
    """What a process has moved by read(2), write(2) and their relatives: bytes and calls."""

    def __init__(self) -> None:
        self.bytes_read = self.bytes_written = self.reads = self.writes = 0

    def read(self, count: int) -> None:
        self.bytes_read += count
        self.reads += 1

    def wrote(self, count: int) -> None:
        self.bytes_written += count
        self.writes += 1

    def add(self, other: Traffic) -> None:
        """Take over what a child has moved that is waited for."""
        self.bytes_read += other.bytes_read
        self.bytes_written += other.bytes_written
        self.reads += other.reads
        self.writes += other.writes


def file_flags(flags: int) -> int:
    """Return the O_* flags of open(2) as illumos keeps them: FREAD, FWRITE and the like."""
    mode = flags & os.O_ACCMODE
    kept = FREAD | FWRITE if mode == os.O_RDWR else FWRITE if mode == os.O_WRONLY else FREAD
    if flags & os.O_DSYNC:  # a part of O_SYNC's bits
        kept |= FSYNC if flags & os.O_SYNC == os.O_SYNC else FDSYNC
    return kept | (FAPPEND if flags & os.O_APPEND else 0) | (FNONBLOCK if flags & os.O_NONBLOCK else 0)
