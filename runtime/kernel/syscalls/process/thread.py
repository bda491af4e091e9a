"""System calls on the calling thread: its number, its thread-local storage, its list of robust locks."""

from __future__ import annotations

import errno
import struct
from typing import TYPE_CHECKING

from runtime.kernel.base.errors import SyscallError
from runtime.kernel.cpu.x86 import engine as machine
from runtime.kernel.cpu.x86 import segments

if TYPE_CHECKING:
    from runtime.kernel.process.thread import Thread

ARCH_SET_GS, ARCH_SET_FS, ARCH_GET_FS, ARCH_GET_GS = 0x1001, 0x1002, 0x1003, 0x1004


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
    other = thread if tid == 0 else thread.process.find_thread(tid)
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


def sys_i386_set_thread_area(thread: Thread, address: int) -> int:
    segments.set_area(thread, thread.thread_areas, address)
    if thread.kernel.loaded is thread:
        thread.kernel.engine.load_thread_areas(thread.thread_areas)
    return 0


def sys_i386_get_thread_area(thread: Thread, address: int) -> int:
    (entry,) = struct.unpack("<I", thread.read(address, 4))
    thread.write(address, segments.describe(thread.thread_areas, segments.slot_of(entry)))
    return 0
