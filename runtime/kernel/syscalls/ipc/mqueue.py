"""System calls on POSIX message queues."""

from __future__ import annotations

import errno
import os
import struct
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from runtime.kernel.base.privileges import SYS_RESOURCE
from runtime.kernel.base.signals import SI_MESGQ, SIGNAL_COUNT, SignalInfo
from runtime.kernel.net.address import AF_NETLINK, Address
from runtime.kernel.net.socket import Segment, SocketFile
from runtime.kernel.process.opening import credentials, view
from runtime.kernel.process.process import RLIMIT_MSGQUEUE
from runtime.kernel.process.usermemory import read_timespec
from runtime.kernel.syscalls.lookup import add, get_file, read_path
from runtime.kernel.syscalls.process.timers import EVENT_SIZES, SIGEV_NONE, SIGEV_SIGNAL, SIGEV_THREAD
from runtime.kernel.vfs.mqueue import (
    MOST_PRIORITIES,
    Message,
    Notice,
    Queue,
    QueueFile,
    Queues,
    Wish,
    access_of,
    new_attributes,
)
from runtime.kernel.vfs.vnode import NAME_MAX, failure

if TYPE_CHECKING:
    from runtime.kernel.process.thread import Thread

MOST, LARGEST = 10, 8192  # of messages, and of their bytes: what /proc/sys/fs/mqueue says
HARD_MOST, HARD_LARGEST = 65536, 1 << 24  # for who may use more
COOKIE = 32  # bytes that a thread of the C library gets through its socket; the last one says why
WOKEN, REMOVED = 1, 2


def sys_mq_open(thread: Thread, name: int, flags: int, mode: int, attributes: int) -> int:
    form = _attribute_form(thread)
    wanted = None
    if attributes and (flags & os.O_CREAT or thread.process.bits == 64):
        wanted = form.unpack(thread.read(attributes, form.size))[1:3]
    label = _label(thread, name)
    queues, who = _queues(thread), credentials(thread)
    queue = queues.known.get(label)
    if queue is None:
        if not flags & os.O_CREAT:
            raise failure(errno.ENOENT)
        queue = _make(thread, queues, label, mode & 0o777 & ~view(thread).umask, wanted)
    elif flags & os.O_CREAT and flags & os.O_EXCL:
        raise failure(errno.EEXIST)
    else:
        queue.demand(who, access_of(flags))
    return add(thread, queue.open(flags & (os.O_ACCMODE | os.O_NONBLOCK), who), os.O_CLOEXEC)


def _label(thread: Thread, name: int) -> bytes:
    """Return the name of a queue.  Raises ENOENT, ENAMETOOLONG, EACCES."""
    label = read_path(thread, name)
    if not label:
        raise failure(errno.ENOENT)
    if b"/" in label or label in (b".", b".."):
        raise failure(errno.EACCES)
    if len(label) > NAME_MAX:
        raise failure(errno.ENAMETOOLONG)
    return label


def _queues(thread: Thread) -> Queues:
    return thread.kernel.ipc.queues_of(thread.process.zone)


def _make(thread: Thread, queues: Queues, label: bytes, mode: int, wanted: tuple[int, int] | None) -> Queue:
    process = thread.process
    above = process.identity.has(SYS_RESOURCE)
    if len(queues.known) >= queues.MOST and not above:
        raise failure(errno.ENOSPC)
    most, largest = wanted or (MOST, LARGEST)
    limits = (HARD_MOST, HARD_LARGEST) if above else (MOST, LARGEST)
    if not (0 < most <= limits[0] and 0 < largest <= limits[1]):
        raise failure(errno.EINVAL)
    return queues.make(label, new_attributes(mode, credentials(thread), thread.kernel.walltime()), most,
                       largest, process.limit(RLIMIT_MSGQUEUE)[0])


def sys_mq_unlink(thread: Thread, name: int) -> int:
    _queues(thread).unlink(_label(thread, name), credentials(thread))
    return 0


def _attribute_form(thread: Thread) -> struct.Struct:
    """Return the layout of a struct mq_attr: flags, most, largest, present messages."""
    return struct.Struct("<4q32x" if thread.process.bits == 64 else "<4i16x")


def _queue(thread: Thread, fd: int) -> QueueFile:
    file = get_file(thread, fd)
    if not isinstance(file, QueueFile):
        raise failure(errno.EBADF)
    return file


def sys_mq_getsetattr(thread: Thread, fd: int, new: int, old: int) -> int:
    form, flags = _attribute_form(thread), 0
    if new:
        flags = form.unpack(thread.read(new, form.size))[0]
        if flags & ~os.O_NONBLOCK:
            raise failure(errno.EINVAL)
    file = _queue(thread, fd)
    queue = file.vnode
    told = form.pack(file.flags & os.O_NONBLOCK, queue.most, queue.largest, len(queue.messages))
    if new:
        file.flags = file.flags & ~os.O_NONBLOCK | flags
    if old:
        thread.write(old, told)
    return 0


# -- messages

def sys_mq_timedsend(thread: Thread, fd: int, text: int, size: int, priority: int, timeout: int) -> int:
    return _send(thread, fd, text, size, priority, _deadline(thread, timeout, thread.process.bits))


def sys_mq_timedsend_time64(thread: Thread, fd: int, text: int, size: int, priority: int,
                            timeout: int) -> int:
    return _send(thread, fd, text, size, priority, _deadline(thread, timeout, 64))


def sys_mq_timedreceive(thread: Thread, fd: int, text: int, size: int, priority: int, timeout: int) -> int:
    return _receive(thread, fd, text, size, priority, _deadline(thread, timeout, thread.process.bits))


def sys_mq_timedreceive_time64(thread: Thread, fd: int, text: int, size: int, priority: int,
                               timeout: int) -> int:
    return _receive(thread, fd, text, size, priority, _deadline(thread, timeout, 64))


def _deadline(thread: Thread, timeout: int, bits: int) -> int | None:
    """Return when waiting ends, by the wall clock; None: never.  Raises EINVAL."""
    return read_timespec(thread, timeout, bits) if timeout else None


def _send(thread: Thread, fd: int, text: int, size: int, priority: int, deadline: int | None) -> int:
    if priority >= MOST_PRIORITIES:
        raise failure(errno.EINVAL)
    file = _queue(thread, fd)
    queue = file.vnode
    if not file.writable:
        raise failure(errno.EBADF)
    if size > queue.largest:
        raise failure(errno.EMSGSIZE)
    wish = queue.send(Message(priority, thread.read(text, size)))
    if wish is not None:
        _wait(thread, file, wish, deadline)
    return 0


def _receive(thread: Thread, fd: int, text: int, size: int, priority: int, deadline: int | None) -> int:
    file = _queue(thread, fd)
    queue = file.vnode
    if not file.readable:
        raise failure(errno.EBADF)
    if size < queue.largest:
        raise failure(errno.EMSGSIZE)
    got = queue.receive()
    message = _wait(thread, file, got, deadline) if isinstance(got, Wish) else got
    if priority:
        thread.write(priority, struct.pack("<I", message.priority))
    thread.write(text, message.text)
    return len(message.text)


def _wait(thread: Thread, file: QueueFile, wish: Wish, deadline: int | None) -> Message:
    """Sleep until a wish is fulfilled.  Raises EAGAIN, ETIMEDOUT."""
    queue = file.vnode
    try:
        while not wish.done:
            if file.nonblocking:
                raise failure(errno.EAGAIN)
            left = None if deadline is None else deadline - thread.kernel.walltime()
            if left is not None and left <= 0:
                raise failure(errno.ETIMEDOUT)
            thread.sleep(queue.changed, timeout=left)
    finally:
        queue.give_up(wish)
    assert wish.message is not None
    return wish.message


# -- notices

def sys_mq_notify(thread: Thread, fd: int, event: int) -> int:
    process = thread.process
    data = thread.read(event, EVENT_SIZES[process.bits]) if event else b""
    if not event:
        _queue(thread, fd).vnode.forget_notice(process)
        return 0
    word = process.bits // 8
    value = int.from_bytes(data[:word], "little")
    signal, kind = struct.unpack_from("<ii", data, word)
    if kind not in (SIGEV_SIGNAL, SIGEV_NONE, SIGEV_THREAD) or (
            kind == SIGEV_SIGNAL and not 0 <= signal <= SIGNAL_COUNT):
        raise failure(errno.EINVAL)
    if kind == SIGEV_SIGNAL:
        tell = _by_signal(thread, signal, value)
    elif kind == SIGEV_THREAD:
        tell = _through_socket(thread, signal, thread.read(value, COOKIE))
    else:
        def tell(_woken: bool) -> None:
            """Nobody is told."""
    queue = _queue(thread, fd).vnode
    if queue.notice is not None:
        raise failure(errno.EBUSY)
    queue.notice = Notice(process, signal if kind == SIGEV_SIGNAL else 0, kind, tell)
    return 0


def _by_signal(thread: Thread, signal: int, value: int) -> Callable[[bool], None]:
    process, kernel = thread.process, thread.kernel

    def tell(woken: bool) -> None:
        if woken and signal:
            sender = kernel.current.process
            process.post(SignalInfo(signal, SI_MESGQ, pid=sender.pid, uid=sender.identity.ruid, value=value))
    return tell


def _through_socket(thread: Thread, fd: int, cookie: bytes) -> Callable[[bool], None]:
    """Return what sends the C library's cookie to its socket.  Raises EBADF, ENOTSOCK."""
    file = get_file(thread, fd)
    if not isinstance(file, SocketFile):
        raise failure(errno.ENOTSOCK)
    socket = file.socket
    if socket.domain != AF_NETLINK:
        raise failure(errno.EINVAL)

    def tell(woken: bool) -> None:
        with suppress(OSError):  # without memory for it the message is lost
            socket.take(Segment(bytearray(cookie[:-1]) + bytes([WOKEN if woken else REMOVED]),
                                Address(AF_NETLINK)))
    return tell
