"""Segments of 32-bit programs' thread-local storage, as set_thread_area(2) describes them.

A program passes a struct user_desc (16 bytes, little-endian, <asm/ldt.h>); the processor takes a segment
descriptor of 64 bits (AMD64 manual, volume 2, chapter 4).  A thread keeps TLS_COUNT descriptors.
"""

from __future__ import annotations

import errno
import struct
from collections.abc import Sequence

from runtime.kernel.base.errors import SyscallError
from runtime.kernel.cpu.x86.engine import TLS_COUNT, TLS_FIRST

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from runtime.kernel.base.caller import Caller

USER_DESC = struct.Struct("<IIII")  # entry number, base, limit, flags
EMPTY = 0x28  # flags of an area that is given back: read-only, not present
NEW_ENTRY = 0xFFFFFFFF  # an entry number: any that is free


def slot_of(entry: int) -> int:
    """Return the place of an entry number in a thread's list.  Raises EINVAL."""
    slot = entry - TLS_FIRST
    if not 0 <= slot < TLS_COUNT:
        raise SyscallError(errno.EINVAL)
    return slot


def set_area(thread: Caller, areas: list[int], address: int) -> None:
    """Change one of a thread's `areas` to what the struct user_desc at `address` says.

    A new entry's number is written back to `address`.  Raises ESRCH without a free slot, EINVAL for a bad
    number and for what is no present segment of 32-bit data, and MemoryFault.
    """
    entry, base, limit, flags = USER_DESC.unpack(thread.read(address, USER_DESC.size))
    descriptor = _descriptor(base, limit, flags)
    if entry == NEW_ENTRY:
        if 0 not in areas:
            raise SyscallError(errno.ESRCH)
        slot = areas.index(0)
        thread.write(address, struct.pack("<I", TLS_FIRST + slot))
    else:
        slot = slot_of(entry)
    areas[slot] = descriptor


def described(data: bytes) -> list[int]:
    """Return the descriptors that structs user_desc say, of whatever entries.  Raises EINVAL."""
    return [_descriptor(*fields) for _entry, *fields in USER_DESC.iter_unpack(data)]


def _descriptor(base: int, limit: int, flags: int) -> int:
    """Return a segment descriptor; 0 for an empty one.  Raises EINVAL."""
    seg_32bit, contents, read_only, in_pages = flags & 1, flags >> 1 & 3, flags >> 3 & 1, flags >> 4 & 1
    not_present, useable = flags >> 5 & 1, flags >> 6 & 1
    if not base and not limit and flags & 0x7F in (0, EMPTY):
        return 0
    if not seg_32bit or contents > 1 or not_present:
        raise SyscallError(errno.EINVAL)
    access = (0xF1 if read_only else 0xF3) | contents << 2
    high = (base & 0xFF000000) | (limit & 0xF0000) | access << 8 | (base >> 16 & 0xFF)
    high |= seg_32bit << 22 | in_pages << 23 | useable << 20
    return high << 32 | (base & 0xFFFF) << 16 | (limit & 0xFFFF)


def describe(areas: Sequence[int], slot: int) -> bytes:
    """Return the struct user_desc of one of a thread's descriptors, 16 bytes."""
    value = areas[slot]
    if not value:
        return USER_DESC.pack(TLS_FIRST + slot, 0, 0, EMPTY)
    high = value >> 32
    base = (value >> 16 & 0xFFFF) | (high & 0xFF) << 16 | (high & 0xFF000000)
    limit = (value & 0xFFFF) | (high & 0xF0000)
    flags = (high >> 22 & 1) | (high >> 10 & 3) << 1 | (0 if high & 0x200 else 8) | (high >> 23 & 1) << 4 | \
        (high >> 20 & 1) << 6
    return USER_DESC.pack(TLS_FIRST + slot, base, limit, flags)
