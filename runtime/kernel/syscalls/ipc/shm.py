"""System calls on System V shared memory."""

from __future__ import annotations

import errno
import struct
from typing import TYPE_CHECKING

from runtime.kernel.base.errors import SyscallError
from runtime.kernel.base.privileges import PROC_LOCK_MEMORY
from runtime.kernel.memory.addrspace import PROT_EXEC, PROT_READ, PROT_WRITE, Area
from runtime.kernel.memory.physical import PAGE, PAGE_MASK, SharedPages
from runtime.kernel.process.sysvipc import IPC_PRIVATE, MOST_SEGMENTS, READ, WRITE, Segment
from runtime.kernel.syscalls.ipc.control import (
    IPC_INFO,
    IPC_RMID,
    IPC_SET,
    IPC_STAT,
    command_of,
    pack_times,
    set_owner,
    tell_all,
    tell_one,
)

if TYPE_CHECKING:
    from runtime.kernel.process.system import System
    from runtime.kernel.process.thread import Thread

SHM_RDONLY, SHM_RND, SHM_REMAP, SHM_EXEC = 0o10000, 0o20000, 0o40000, 0o100000
SHM_LOCK, SHM_UNLOCK, SHM_STAT, SHM_INFO, SHM_STAT_ANY = range(11, 16)
MAX_SIZE = 1 << 40
TOLD_SIZE = (1 << 64) - (1 << 24) - 1  # SHMMAX and SHMALL: of bytes and pages as good as no limit


def sys_shmget(thread: Thread, key: int, size: int, flags: int) -> int:
    kernel, identity = thread.kernel, thread.process.identity
    _forget_unused(kernel)

    def make() -> Segment:
        if not 0 < size <= MAX_SIZE:
            raise SyscallError(errno.EINVAL)
        segment = Segment(key, flags, identity, kernel.walltime(), size, SharedPages(kernel.memory),
                          thread.pid)
        segment.attached = lambda: _attached(kernel, segment)
        return segment

    found = kernel.ipc.segments.get(key, flags, thread.process, make)
    if size > found.size:
        raise SyscallError(errno.EINVAL)
    return found.number


def _attached(kernel: System, segment: Segment) -> int:
    spaces = {id(process.space): process.space for process in kernel.processes.values() if process.space}
    return sum(area.pages is segment.pages for space in spaces.values() for area in space.areas)


def _forget_unused(kernel: System) -> None:
    """Remove the segments that were to go with their last mapping, if that has gone."""
    for segment in kernel.ipc.segments:
        if segment.mode & Segment.DESTROYED and not segment.attached():
            kernel.ipc.segments.remove(segment)


def _find(thread: Thread, number: int) -> Segment:
    _forget_unused(thread.kernel)
    return thread.kernel.ipc.segments.find(number, thread.process.zone)


def sys_shmat(thread: Thread, number: int, address: int, flags: int) -> int:
    space, segment = thread.process.memory, _find(thread, number)
    segment.demand(thread.process.identity, READ if flags & SHM_RDONLY else READ | WRITE)
    size = (segment.size + PAGE_MASK) & ~PAGE_MASK
    if address & PAGE_MASK:
        if not flags & SHM_RND:
            raise SyscallError(errno.EINVAL)
        address &= ~PAGE_MASK
    taken = address and not flags & SHM_REMAP and space.overlapping(address, address + size)
    if taken or address + size >> 64 or (not address and flags & SHM_REMAP):
        raise SyscallError(errno.EINVAL)
    if address + size > space.limit:
        raise SyscallError(errno.ENOMEM)
    at = address or space.free_range(size)
    prot = PROT_READ | (0 if flags & SHM_RDONLY else PROT_WRITE) | (PROT_EXEC if flags & SHM_EXEC else 0)
    name = b"/SYSV%08x (deleted)" % (segment.key & 0xFFFFFFFF)
    space.map(Area(at, at + size, prot, True, segment.pages, 0, name,
                   read_only=bool(flags & SHM_RDONLY)))
    segment.attach_time, segment.last = thread.kernel.walltime(), thread.pid
    return at


def sys_shmdt(thread: Thread, address: int) -> int:
    kernel, space = thread.kernel, thread.process.memory
    segment = next((known for known in kernel.ipc.segments for area in space.areas
                    if area.pages is known.pages and area.start - area.offset * PAGE == address), None)
    if segment is None:  # else some of it is there, if not its first page
        raise SyscallError(errno.EINVAL)
    if kernel.hooks.unmap:
        kernel.hooks.unmap(thread, address, address + segment.size)
    end = address + (segment.size + PAGE_MASK & ~PAGE_MASK)
    for part in space.overlapping(address, end):
        if part.pages is segment.pages and part.start - part.offset * PAGE == address:
            space.unmap(part.start, part.end)
    segment.detach_time, segment.last = kernel.walltime(), thread.pid
    _forget_unused(kernel)
    return 0


def sys_shmctl(thread: Thread, number: int, command: int, buffer: int) -> int:
    kernel, bits, command = thread.kernel, thread.process.bits, command_of(command)
    segments = kernel.ipc.segments
    _forget_unused(kernel)
    if command in (IPC_INFO, SHM_INFO):
        known = segments.seen(thread.process.zone)
        told = _limits(bits) if command == IPC_INFO else _use(known, bits)
        return tell_all(thread, known, number, buffer, told)
    if command in (IPC_STAT, SHM_STAT, SHM_STAT_ANY):
        return tell_one(thread, segments, number, command, SHM_STAT_ANY, buffer,
                        lambda segment: _status(segment, bits))
    if command not in (SHM_LOCK, SHM_UNLOCK, IPC_SET, IPC_RMID):
        raise SyscallError(errno.EINVAL)
    segment = segments.find(number, thread.process.zone)
    if command in (SHM_LOCK, SHM_UNLOCK):
        if not thread.process.identity.has(PROC_LOCK_MEMORY):
            segment.demand_owner(thread.process.identity)
        return 0
    segment.demand_owner(thread.process.identity)
    if command == IPC_SET:
        set_owner(thread, segment, buffer)
    else:
        segment.mode |= Segment.DESTROYED
        segment.key = IPC_PRIVATE
        _forget_unused(kernel)
    return 0


def _limits(bits: int) -> bytes:
    """struct shminfo64; a 32-bit program is told of no size that it could not have."""
    if bits == 64:
        return struct.pack("<5Q32x", TOLD_SIZE, 1, MOST_SEGMENTS, MOST_SEGMENTS, TOLD_SIZE)
    return struct.pack("<5I16x", (1 << 31) - 1, 1, MOST_SEGMENTS, MOST_SEGMENTS, TOLD_SIZE & 0xFFFFFFFF)


def _use(known: list[Segment], bits: int) -> bytes:
    """struct shm_info: how many segments there are, and their pages: of all, in memory, and swapped."""
    pages = sum((segment.size + PAGE_MASK) // PAGE for segment in known)
    resident = sum(len(segment.pages.frames) for segment in known)
    return struct.pack("<i4x5Q" if bits == 64 else "<i5I", len(known), pages, resident, 0, 0, 0)


def _status(segment: Segment, bits: int) -> bytes:
    """struct shmid64_ds."""
    word = "Q" if bits == 64 else "I"
    return (segment.permissions(bits) + struct.pack("<" + word, segment.size)
            + pack_times(bits, segment.attach_time, segment.detach_time, segment.changed)
            + struct.pack(f"<ii3{word}", segment.creator, segment.last, segment.attached(), 0, 0))
