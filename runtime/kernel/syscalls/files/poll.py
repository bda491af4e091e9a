"""System calls that wait for several files at once: poll and select."""

from __future__ import annotations

import errno
import struct
from collections.abc import Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING

from runtime.kernel.base.clock import MICROSECOND, MILLISECOND, SECOND
from runtime.kernel.base.words import signed
from runtime.kernel.process.opening import files
from runtime.kernel.process.usermemory import order, read_timespec, read_words, word
from runtime.kernel.vfs.devices.host import HostStream, wait_for_host
from runtime.kernel.vfs.fops import fop_poll, kept
from runtime.kernel.vfs.vnode import (
    O_PATH,
    POLLERR,
    POLLHUP,
    POLLIN,
    POLLNVAL,
    POLLPRI,
    READABLE,
    WRITABLE,
    File,
    failure,
)

if TYPE_CHECKING:
    from runtime.kernel.process.thread import Thread

FD_SETSIZE, SIGNAL_SET_SIZE = 1024, 8  # descriptors, bytes
_READ_SET, _WRITE_SET, _EXCEPT_SET = READABLE | POLLHUP | POLLERR, WRITABLE | POLLERR, POLLPRI
Interest = tuple[File, int]  # a file and the POLL* bits that the program asks for


def deadline_of(thread: Thread, timeout: int | None) -> int | None:
    """Return when a call times out (ns since boot), also if it is restarted after a signal; None: never."""
    if timeout is None:
        return None
    if thread.restart_deadline is None:
        thread.restart_deadline = thread.kernel.hrtime() + timeout
    return thread.restart_deadline


def wait_for_change(thread: Thread, interests: Sequence[Interest], deadline: int | None,
                    restart: str) -> bool:
    """Sleep until a file may have changed; returns False when the deadline has passed."""
    left = None if deadline is None else deadline - thread.kernel.hrtime()
    if left is not None and left <= 0:
        return False
    hosts = [file.vnode.descriptor for file, events in interests
             if isinstance(file, HostStream) and events & POLLIN]
    if hosts and wait_for_host(hosts, lambda: thread.kernel.ending, None if left is None else left / 1e9):
        return True
    queues = {file.queue: None for file, _events in interests if file.queue is not None}
    return thread.sleep(list(queues), timeout=left, restart=restart)


def _ready(thread: Thread, interests: Sequence[Interest]) -> list[int]:
    return [fop_poll(thread, file.vnode, events, file) & (events | POLLERR | POLLHUP)
            for file, events in interests]


def wait_ready(thread: Thread, interests: Sequence[Interest], timeout: int | None) -> list[int]:
    """Return the POLL* bits that hold for each file, once there are any or `timeout` ns have passed."""
    deadline, ready = deadline_of(thread, timeout), _ready(thread, interests)
    if any(ready) or timeout == 0:
        return ready
    with ExitStack() as stack:
        for file, _events in interests:
            stack.enter_context(kept(file))
        while not any(ready) and wait_for_change(thread, interests, deadline, "nohandler"):
            ready = _ready(thread, interests)
    return ready


# -- poll

def sys_poll(thread: Thread, address: int, count: int, timeout: int) -> int:
    return _poll(thread, address, count, None if timeout < 0 else timeout * MILLISECOND)


def sys_ppoll(thread: Thread, address: int, count: int, timeout: int, mask: int, mask_size: int) -> int:
    return _ppoll(thread, address, count, timeout, mask, mask_size, thread.process.bits)


def sys_ppoll_time64(thread: Thread, address: int, count: int, timeout: int, mask: int,
                     mask_size: int) -> int:
    return _ppoll(thread, address, count, timeout, mask, mask_size, 64)


def _ppoll(thread: Thread, address: int, count: int, timeout: int, mask: int, mask_size: int,
           bits: int) -> int:
    limit = read_timespec(thread, timeout, bits) if timeout else None
    use_mask(thread, mask, mask_size)
    return _poll(thread, address, count, limit)


def use_mask(thread: Thread, mask: int, size: int) -> None:
    """Block the signals of the 64-bit set at the address `mask` until the call returns; 0: no change.

    Raises EINVAL for a set of another size than 8 bytes.
    """
    if mask:
        if size != SIGNAL_SET_SIZE:
            raise failure(errno.EINVAL)
        thread.use_mask(int.from_bytes(thread.read(mask, 8), "little"))


def _poll(thread: Thread, address: int, count: int, timeout: int | None) -> int:
    table = files(thread)
    if count > table.limit:
        raise failure(errno.EINVAL)
    shape = struct.Struct(f"{order(thread)}ihh")
    wanted = [shape.unpack(thread.read(address + at * 8, shape.size)) for at in range(count)]
    found = [0] * count
    interests: list[Interest] = []
    places: list[int] = []
    for at, (descriptor, events, _revents) in enumerate(wanted):
        file = table.find(descriptor) if descriptor >= 0 else None
        if file is not None and not file.flags & O_PATH:
            interests.append((file, events & 0xFFFF))
            places.append(at)
        elif descriptor >= 0:
            found[at] = POLLNVAL
    limit = 0 if any(found) else timeout
    for at, mask in zip(places, wait_ready(thread, interests, limit), strict=True):
        found[at] = POLLNVAL if table.find(wanted[at][0]) is None else mask  # another thread may close it
    for at, mask in enumerate(found):
        thread.write(address + at * 8 + 6, struct.pack(f"{order(thread)}H", mask))
    return sum(1 for mask in found if mask)


# -- select

def _read_set(thread: Thread, address: int, size: int) -> int:
    return int.from_bytes(thread.read(address, size), "little") if address else 0


def _select(thread: Thread, count: int, addresses: Sequence[int], timeout: int | None) -> int:
    """Carry out select(2); returns the number of bits set.

    `addresses` are those of the read, write and exception sets; 0 means none.
    """
    if not count >= 0:
        raise failure(errno.EINVAL)
    table = files(thread)
    count = min(count, FD_SETSIZE)
    width = word(thread)
    size = -(-count // (8 * width)) * width
    sets = [_read_set(thread, address, size) for address in addresses]
    kinds = (_READ_SET, _WRITE_SET, _EXCEPT_SET)
    interests: list[Interest] = []
    numbers: list[int] = []
    for number in range(count):
        events = 0
        for bits, kind in zip(sets, kinds, strict=True):
            if bits >> number & 1:
                events |= kind
        if events:
            interests.append((table.get(number), events))
            numbers.append(number)
    ready = wait_ready(thread, interests, timeout)
    results = [0, 0, 0]
    for number, mask in zip(numbers, ready, strict=True):
        for at, kind in enumerate(kinds):
            if sets[at] >> number & 1 and mask & kind:
                results[at] |= 1 << number
    for address, bits in zip(addresses, results, strict=True):
        if address:
            thread.write(address, bits.to_bytes(size, "little"))
    return sum(bits.bit_count() for bits in results)


def _finish(thread: Thread, address: int, started: int, timeout: int | None, unit: int, form: str) -> None:
    """Write the time that is left to where the timeout was, as Linux does."""
    if timeout is not None:
        left = max(0, timeout - (thread.kernel.hrtime() - started))
        seconds, fraction = divmod(left, SECOND)
        thread.write(address, struct.pack(form, seconds, fraction // unit))


def sys_select(thread: Thread, count: int, read: int, write: int, failed: int, timeout: int) -> int:
    form = order(thread) + ("qq" if thread.process.bits == 64 else "ii")
    limit = None
    if timeout:
        seconds, micro = struct.unpack(form, thread.read(timeout, struct.calcsize(form)))
        if seconds < 0 or micro < 0:
            raise failure(errno.EINVAL)
        limit = seconds * SECOND + micro * MICROSECOND
    started = thread.kernel.hrtime()
    result = _select(thread, count, (read, write, failed), limit)
    _finish(thread, timeout, started, limit, MICROSECOND, form)
    return result


sys__newselect = sys_select


def sys_i386_select(thread: Thread, block: int, *_unused: int) -> int:
    """Carry out the old call, whose only argument points to the five of select(2)."""
    count, *rest = read_words(thread, block & 0xFFFFFFFF, 5)
    return sys_select(thread, signed(count, 32), *rest)


def sys_pselect6(thread: Thread, count: int, read: int, write: int, failed: int, timeout: int,
                 mask: int) -> int:
    return _pselect(thread, count, (read, write, failed), timeout, mask, thread.process.bits)


def sys_pselect6_time64(thread: Thread, count: int, read: int, write: int, failed: int, timeout: int,
                        mask: int) -> int:
    return _pselect(thread, count, (read, write, failed), timeout, mask, 64)


def _pselect(thread: Thread, count: int, sets: Sequence[int], timeout: int, mask: int, bits: int) -> int:
    limit = read_timespec(thread, timeout, bits) if timeout else None
    if mask:
        use_mask(thread, *read_words(thread, mask, 2))
    started = thread.kernel.hrtime()
    result = _select(thread, count, sets, limit)
    _finish(thread, timeout, started, limit, 1, order(thread) + ("qq" if bits == 64 else "ii"))
    return result
