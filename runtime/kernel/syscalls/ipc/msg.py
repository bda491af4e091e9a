"""System calls on System V message queues."""

from __future__ import annotations

import errno
import struct
from typing import TYPE_CHECKING

from runtime.kernel.base.errors import SyscallError
from runtime.kernel.base.privileges import SYS_IPC_CONFIG
from runtime.kernel.process.sysvipc import IPC_NOWAIT, MESSAGE, MOST_QUEUES, READ, WRITE, MessageQueue
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

MSG_NOERROR, MSG_EXCEPT = 0o10000, 0o20000
MSG_STAT, MSG_INFO, MSG_STAT_ANY = 11, 12, 13
MAX_MESSAGE = 8192
SEGMENT, MAX_SEGMENTS = 16, 0xFFFF  # bytes, and their number: of kernels that kept messages in such


def sys_msgget(thread: Thread, key: int, flags: int) -> int:
    kernel, identity = thread.kernel, thread.process.identity
    return kernel.ipc.messages.get(key, flags, thread.process,
                                   lambda: MessageQueue(key, flags, identity, kernel.walltime())).number


def _type(thread: Thread) -> struct.Struct:
    """Return the layout of the long before a message's text."""
    return struct.Struct("<q" if thread.process.bits == 64 else "<i")


def sys_msgsnd(thread: Thread, number: int, message: int, size: int, flags: int) -> int:
    form = _type(thread)
    (kind,) = form.unpack(thread.read(message, form.size))
    if kind <= 0 or size > MAX_MESSAGE:
        raise SyscallError(errno.EINVAL)
    text = thread.read(message + form.size, size)
    found = thread.kernel.ipc.messages.find(number, thread.process.zone)
    found.demand(thread.process.identity, WRITE)
    while found.size + size > found.limit or len(found.messages) >= found.limit:
        _wait(thread, found, flags, errno.EAGAIN)
    thread.kernel.ipc.messages.charge(found, size + MESSAGE)
    found.messages.append((kind, text))
    found.sent, found.sender = thread.kernel.walltime(), thread.pid
    found.queue.wake_all()
    return 0


def _wait(thread: Thread, found: MessageQueue, flags: int, otherwise: int) -> None:
    """Sleep until the queue has changed.  Raises the errno `otherwise` with IPC_NOWAIT, and EIDRM."""
    if flags & IPC_NOWAIT:
        raise SyscallError(otherwise)
    thread.sleep(found.queue, restart="nohandler")
    if found.removed:
        raise SyscallError(errno.EIDRM)


def sys_msgrcv(thread: Thread, number: int, message: int, size: int, kind: int, flags: int) -> int:
    if size >= 1 << (thread.process.bits - 1):
        raise SyscallError(errno.EINVAL)
    found = thread.kernel.ipc.messages.find(number, thread.process.zone)
    found.demand(thread.process.identity, READ)
    while (at := _choose(found, kind, flags)) is None:
        _wait(thread, found, flags, errno.ENOMSG)
    chosen, text = found.messages[at]
    if len(text) > size and not flags & MSG_NOERROR:
        raise SyscallError(errno.E2BIG)
    thread.write(message, _type(thread).pack(chosen) + text[:size])
    del found.messages[at]
    thread.kernel.ipc.messages.charge(found, -len(text) - MESSAGE)
    found.received, found.receiver = thread.kernel.walltime(), thread.pid
    found.queue.wake_all()
    return min(len(text), size)


def _choose(found: MessageQueue, kind: int, flags: int) -> int | None:
    """Return the place of the message that msgrcv(2) means by `kind`, or None."""
    kinds = [each for each, _text in found.messages]
    if kind < 0:
        lowest = min((each for each in kinds if each <= -kind), default=None)
        return None if lowest is None else kinds.index(lowest)
    wanted = [at for at, each in enumerate(kinds)
              if not kind or (each != kind if flags & MSG_EXCEPT else each == kind)]
    return wanted[0] if wanted else None


def sys_msgctl(thread: Thread, number: int, command: int, buffer: int) -> int:
    queues, zone, command = thread.kernel.ipc.messages, thread.process.zone, command_of(command)
    if command in (IPC_INFO, MSG_INFO):
        known = queues.seen(zone)
        return tell_all(thread, known, number, buffer, _information(known, command))
    if command in (IPC_STAT, MSG_STAT, MSG_STAT_ANY):
        return tell_one(thread, queues, number, command, MSG_STAT_ANY, buffer,
                        lambda found: _status(found, thread.process.bits))
    if command not in (IPC_SET, IPC_RMID):
        raise SyscallError(errno.EINVAL)
    found = queues.find(number, zone)
    found.demand_owner(thread.process.identity)
    if command == IPC_SET:
        _set(thread, found, buffer)
    else:
        queues.remove(found)
    found.queue.wake_all()
    return 0


def _set(thread: Thread, found: MessageQueue, buffer: int) -> None:
    bits = thread.process.bits
    status = thread.read(buffer, len(_status(found, bits)))
    at = len(found.permissions(bits)) + 24 + 2 * bits // 8  # after the times and two counts
    limit = int.from_bytes(status[at:at + bits // 8], "little")
    if limit > MessageQueue.LIMIT:
        thread.process.identity.demand(SYS_IPC_CONFIG)
    set_owner(thread, found, buffer)
    found.limit = limit


def _information(known: list[MessageQueue], command: int) -> bytes:
    """struct msginfo: limits, and with MSG_INFO the numbers of queues, messages and bytes among them."""
    limit = MessageQueue.LIMIT
    pool, headers, total = MOST_QUEUES * limit // 1024, limit, limit
    if command == MSG_INFO:
        pool, headers = len(known), sum(len(each.messages) for each in known)
        total = sum(each.size for each in known)
    return struct.pack("<7iH2x", pool, headers, MAX_MESSAGE, limit, MOST_QUEUES, SEGMENT, total, MAX_SEGMENTS)


def _status(found: MessageQueue, bits: int) -> bytes:
    """struct msqid64_ds."""
    word = "Q" if bits == 64 else "I"
    return (found.permissions(bits) + pack_times(bits, found.sent, found.received, found.changed)
            + struct.pack(f"<3{word}ii2{word}", found.size, len(found.messages), found.limit, found.sender,
                          found.receiver, 0, 0))
