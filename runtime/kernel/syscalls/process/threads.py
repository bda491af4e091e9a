"""System calls on the calling thread itself: its areas, its number, its list of locks."""

from __future__ import annotations

import errno
import struct
from typing import TYPE_CHECKING

from runtime.kernel.base.errors import SyscallError
from runtime.kernel.cpu.x86 import engine as machine

if TYPE_CHECKING:
    from runtime.kernel.process.thread import Thread

ARCH_SET_GS, ARCH_SET_FS, ARCH_GET_FS, ARCH_GET_GS = 0x1001, 0x1002, 0x1003, 0x1004
USER_DESC = struct.Struct("<IIII")  # entry number, base, limit, flags
NEW_ENTRY = 0xFFFFFFFF


def sys_gettid(thread: Thread) -> int:
    return thread.tid


def sys_set_tid_address(thread: Thread, address: int) -> int:
    thread.clear_child_tid = address
    return thread.tid


def sys_set_robust_list(thread: Thread, head: int, size: int) -> int:
    if size != 3 * thread.process.bits // 8:
        raise SyscallError(errno.EINVAL)
    thread.robust_list = head
    return 0


def sys_get_robust_list(thread: Thread, tid: int, head: int, size: int) -> int:
    other = thread if tid == 0 else thread.kernel.threads.get(tid)
    if other is None:
        raise SyscallError(errno.ESRCH)
    word = thread.process.bits // 8
    thread.write(head, other.robust_list.to_bytes(word, "little"))
    thread.write(size, (3 * word).to_bytes(word, "little"))
    return 0


def sys_arch_prctl(thread: Thread, code: int, address: int) -> int:
    engine = thread.kernel.engine
    if code in (ARCH_SET_FS, ARCH_SET_GS):
        if address >= thread.process.memory.limit:
            raise SyscallError(errno.EPERM)
        engine.write_register(machine.REG_FS_BASE if code == ARCH_SET_FS else machine.REG_GS_BASE, address)
        return 0
    if code in (ARCH_GET_FS, ARCH_GET_GS):
        value = engine.read_register(machine.REG_FS_BASE if code == ARCH_GET_FS else machine.REG_GS_BASE)
        thread.write(address, value.to_bytes(8, "little"))
        return 0
    raise SyscallError(errno.EINVAL)


def set_thread_area(thread: Thread, address: int) -> int:
    """Give the thread a descriptor for its thread-local data; the slot's number."""
    entry, base, limit, flags = USER_DESC.unpack(thread.read(address, USER_DESC.size))
    if entry == NEW_ENTRY:
        free = [index for index, value in enumerate(thread.thread_areas) if not value]
        if not free:
            raise SyscallError(errno.ESRCH)
        index = free[0]
        thread.write(address, struct.pack("<I", machine.TLS_FIRST + index))
    else:
        index = entry - machine.TLS_FIRST
        if not 0 <= index < machine.TLS_COUNT:
            raise SyscallError(errno.EINVAL)
    thread.thread_areas[index] = _descriptor(base, limit, flags)
    if thread.kernel.loaded is thread:
        thread.kernel.engine.load_thread_areas(thread.thread_areas)
    return index


def _descriptor(base: int, limit: int, flags: int) -> int:
    """A segment descriptor from a user_desc; 0 for an empty one."""
    seg_32bit, read_only, in_pages = flags & 1, flags >> 3 & 1, flags >> 4 & 1
    not_present, useable = flags >> 5 & 1, flags >> 6 & 1
    if not base and not limit and not_present and read_only:
        return 0
    access = 0xF1 if read_only else 0xF3
    if not_present:
        access &= ~0x80
    high = (base & 0xFF000000) | (limit & 0xF0000) | access << 8 | (base >> 16 & 0xFF)
    high |= seg_32bit << 22 | in_pages << 23 | useable << 20
    return high << 32 | (base & 0xFFFF) << 16 | (limit & 0xFFFF)


def sys_i386_set_thread_area(thread: Thread, address: int) -> int:
    set_thread_area(thread, address)
    return 0


def sys_i386_get_thread_area(thread: Thread, address: int) -> int:
    (entry,) = struct.unpack("<I", thread.read(address, 4))
    index = entry - machine.TLS_FIRST
    if not 0 <= index < machine.TLS_COUNT:
        raise SyscallError(errno.EINVAL)
    thread.write(address, describe_thread_area(thread, index))
    return 0


def describe_thread_area(thread: Thread, index: int) -> bytes:
    """struct user_desc of one of the thread's descriptors, 16 bytes."""
    value = thread.thread_areas[index]
    high = value >> 32
    base = (value >> 16 & 0xFFFF) | (high & 0xFF) << 16 | (high & 0xFF000000)
    limit = (value & 0xFFFF) | (high & 0xF0000)
    flags = (high >> 22 & 1) | (0 if high & 0x200 else 8) | (high >> 23 & 1) << 4 | (high >> 20 & 1) << 6
    return USER_DESC.pack(machine.TLS_FIRST + index, base, limit, flags)
