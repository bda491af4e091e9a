"""System calls on System V semaphores."""

from __future__ import annotations

import errno
import struct
from typing import TYPE_CHECKING

from runtime.kernel.base.clock import SECOND
from runtime.kernel.base.errors import SyscallError
from runtime.kernel.base.words import signed
from runtime.kernel.process.sysvipc import (
    IPC_NOWAIT,
    MAX_VALUE,
    MOST_SETS,
    READ,
    SEMAPHORE_UNDO,
    WRITE,
    SemaphoreSet,
)
from runtime.kernel.process.usermemory import read_timespec
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
    from runtime.kernel.process.thread import Thread

SEM_UNDO = 0o10000
GETPID, GETVAL, GETALL, GETNCNT, GETZCNT, SETVAL, SETALL, SEM_STAT, SEM_INFO, SEM_STAT_ANY = range(11, 21)
MAX_SEMAPHORES, MAX_OPERATIONS = 32000, 500
UNDO_SIZE = 20  # bytes of what another kernel kept of a process's changes
_OPERATION = struct.Struct("<Hhh")  # struct sembuf: number, what is added, flags
Operation = tuple[int, int, int]


def sys_semget(thread: Thread, key: int, count: int, flags: int) -> int:
    kernel, identity = thread.kernel, thread.process.identity

    def make() -> SemaphoreSet:
        if not 0 < count <= MAX_SEMAPHORES:
            raise SyscallError(errno.EINVAL)
        return SemaphoreSet(key, flags, identity, kernel.walltime(), count)

    found = kernel.ipc.semaphores.get(key, flags, thread.process, make)
    if not 0 <= count <= len(found.values):
        raise SyscallError(errno.EINVAL)
    return found.number


def sys_semop(thread: Thread, number: int, operations: int, count: int) -> int:
    return _operate(thread, number, operations, count, None)


def sys_semtimedop(thread: Thread, number: int, operations: int, count: int, timeout: int) -> int:
    limit = read_timespec(thread, timeout, thread.process.bits) if timeout else None
    return _operate(thread, number, operations, count, limit)


def sys_semtimedop_time64(thread: Thread, number: int, operations: int, count: int, timeout: int) -> int:
    limit = read_timespec(thread, timeout, 64) if timeout else None
    return _operate(thread, number, operations, count, limit)


def _operate(thread: Thread, number: int, address: int, count: int, timeout: int | None) -> int:
    """Carry out all operations at once, as soon as that is possible; returns 0."""
    if not count:
        raise SyscallError(errno.EINVAL)
    if count > MAX_OPERATIONS:
        raise SyscallError(errno.E2BIG)
    operations = list(_OPERATION.iter_unpack(thread.read(address, count * _OPERATION.size)))
    found = thread.kernel.ipc.semaphores.find(number, thread.process.zone)
    if any(at >= len(found.values) for at, _change, _flags in operations):
        raise SyscallError(errno.EFBIG)
    changes = any(change for _at, change, _flags in operations)
    found.demand(thread.process.identity, WRITE if changes else READ)
    deadline = None if timeout is None else thread.kernel.hrtime() + timeout
    while (obstacle := _try(thread, found, operations)) is not None:
        at, change, flags = obstacle
        if flags & IPC_NOWAIT:
            raise SyscallError(errno.EAGAIN)
        left = None if deadline is None else max(0, deadline - thread.kernel.hrtime())
        _wait(thread, found, (at, change == 0), left)
    return 0


def _wait(thread: Thread, found: SemaphoreSet, reason: tuple[int, bool], timeout: int | None) -> None:
    found.waiting.append(reason)
    try:
        woken = thread.sleep(found.queue, timeout, restart="never")
    finally:
        found.waiting.remove(reason)
    if found.removed:
        raise SyscallError(errno.EIDRM)
    if not woken:
        raise SyscallError(errno.EAGAIN)


def _try(thread: Thread, found: SemaphoreSet, operations: list[Operation]) -> Operation | None:
    """Carry out all of `operations`, or none and return the one that has to wait.  Raises ERANGE, ENOMEM."""
    values = {at: found.values[at] for at, _change, _flags in operations}
    for operation in operations:
        at, change, _flags = operation
        if (change == 0 and values[at]) or values[at] + change < 0:
            return operation
        values[at] += change
        if values[at] > MAX_VALUE:
            raise SyscallError(errno.ERANGE)
    new = {at for at, _change, flags in operations
           if flags & SEM_UNDO and not found.undoes(thread.process, at)}
    thread.kernel.ipc.semaphores.charge(found, SEMAPHORE_UNDO * len(new))
    found.operated = thread.kernel.walltime()
    for at, change, flags in operations:
        found.values[at] = values[at]
        found.pids[at] = thread.pid
        if flags & SEM_UNDO:
            found.note_undo(thread.process, at, -change)
    found.queue.wake_all()
    return None


def sys_semctl(thread: Thread, number: int, at: int, command: int, argument: int) -> int:
    identity, command = thread.process.identity, command_of(command)
    sets, zone = thread.kernel.ipc.semaphores, thread.process.zone
    if command == SETVAL:
        _demand_values(signed(argument, 32))
    if command in (IPC_INFO, SEM_INFO):
        known = sets.seen(zone)
        return tell_all(thread, known, number, argument, _information(known, command))
    if command in (IPC_STAT, SEM_STAT, SEM_STAT_ANY):
        return tell_one(thread, sets, number, command, SEM_STAT_ANY, argument,
                        lambda found: _status(found, thread))
    found = sets.find(number, zone)
    if command in (IPC_SET, IPC_RMID):
        found.demand_owner(identity)
        if command == IPC_SET:
            set_owner(thread, found, argument)
        else:
            sets.remove(found)
            found.queue.wake_all()
        return 0
    if command in (GETALL, SETALL):
        return _all(thread, found, command, argument)
    found.demand(identity, WRITE if command == SETVAL else READ)
    if not 0 <= at < len(found.values):
        raise SyscallError(errno.EINVAL)
    if command == SETVAL:
        _set(thread, found, {at: signed(argument, 32)})
        return 0
    values = {GETPID: found.pids[at], GETVAL: found.values[at], GETNCNT: found.waiting.count((at, False)),
              GETZCNT: found.waiting.count((at, True))}
    if command not in values:
        raise SyscallError(errno.EINVAL)
    return values[command]


def _all(thread: Thread, found: SemaphoreSet, command: int, address: int) -> int:
    form = struct.Struct(f"<{len(found.values)}H")
    found.demand(thread.process.identity, READ if command == GETALL else WRITE)
    if command == GETALL:
        thread.write(address, form.pack(*found.values))
    else:
        values = form.unpack(thread.read(address, form.size))
        _demand_values(*values)
        _set(thread, found, dict(enumerate(values)))
    return 0


def _demand_values(*values: int) -> None:
    """Raise ERANGE for a value that no semaphore has."""
    if not all(0 <= value <= MAX_VALUE for value in values):
        raise SyscallError(errno.ERANGE)


def _set(thread: Thread, found: SemaphoreSet, values: dict[int, int]) -> None:
    for at, value in values.items():
        found.values[at], found.pids[at] = value, thread.pid
        thread.kernel.ipc.semaphores.charge(found, -SEMAPHORE_UNDO * found.forget_undo(at))
    found.changed = thread.kernel.walltime()
    found.queue.wake_all()


def _information(known: list[SemaphoreSet], command: int) -> bytes:
    """struct seminfo: limits, and with SEM_INFO the numbers of sets and of semaphores among them."""
    total, size, count = MOST_SETS * MAX_SEMAPHORES, UNDO_SIZE, MAX_VALUE
    if command == SEM_INFO:
        size, count = len(known), sum(len(each.values) for each in known)
    return struct.pack("<10i", total, MOST_SETS, total, total, MAX_SEMAPHORES, MAX_OPERATIONS, MAX_OPERATIONS,
                       size, MAX_VALUE, count)


def _status(found: SemaphoreSet, thread: Thread) -> bytes:
    """struct semid64_ds."""
    bits = thread.process.bits
    word = "Q" if bits == 64 else "I"
    shape = "<Q8xQ8x" if thread.process.processor.name == b"x86_64" else "<QQ"  # it reserves words
    times = pack_times(32, found.operated, found.changed) if bits == 32 else struct.pack(
        shape, found.operated // SECOND, found.changed // SECOND)
    return found.permissions(bits) + times + struct.pack(f"<3{word}", len(found.values), 0, 0)
