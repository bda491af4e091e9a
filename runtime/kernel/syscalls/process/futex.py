"""Futexes: waiting on a word of user memory, wherever it is mapped (futex(2))."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING

from runtime.kernel.base.errors import Interrupted, MemoryFault, SyscallError
from runtime.kernel.base.wait import WaitQueue
from runtime.kernel.memory.addrspace import PROT_READ
from runtime.kernel.syscalls.user import read_int, read_timespec, read_words, write_int

if TYPE_CHECKING:
    from runtime.kernel.process.thread import Thread

(FUTEX_WAIT, FUTEX_WAKE, FUTEX_FD, FUTEX_REQUEUE, FUTEX_CMP_REQUEUE, FUTEX_WAKE_OP, FUTEX_LOCK_PI,
 FUTEX_UNLOCK_PI, FUTEX_TRYLOCK_PI, FUTEX_WAIT_BITSET, FUTEX_WAKE_BITSET) = range(11)
FUTEX_PRIVATE_FLAG, FUTEX_CLOCK_REALTIME = 128, 256
FUTEX_WAITERS, FUTEX_OWNER_DIED, FUTEX_TID_MASK = 0x80000000, 0x40000000, 0x3FFFFFFF
ANY = 0xFFFFFFFF
ROBUST_LIMIT = 2048
OPERATIONS = (lambda old, arg: arg, lambda old, arg: old + arg, lambda old, arg: old | arg,
              lambda old, arg: old & ~arg, lambda old, arg: old ^ arg)
COMPARISONS = (lambda old, arg: old == arg, lambda old, arg: old != arg, lambda old, arg: old < arg,
               lambda old, arg: old <= arg, lambda old, arg: old > arg, lambda old, arg: old >= arg)


class FutexQueue(WaitQueue):
    """The waiters of one word; `masks` has what each listens to."""

    __slots__ = ("masks",)

    def __init__(self) -> None:
        super().__init__("futex")
        self.masks: dict[int, int] = {}


def _key(thread: Thread, address: int) -> tuple[int, int]:
    """What identifies the word for everybody who shares it.  Raises EINVAL, MemoryFault."""
    if address & 3:
        raise SyscallError(errno.EINVAL)
    space = thread.process.memory
    area = space.find(address)
    if area is None or not area.prot & PROT_READ:
        raise MemoryFault(address)
    if area.shared and area.pages is not None:
        return id(area.pages), (area.index(address) << 12) + (address & 0xFFF)
    return id(space), address


def _queue(thread: Thread, key: tuple[int, int]) -> FutexQueue:
    futexes = thread.kernel.futexes
    if key not in futexes:
        futexes[key] = FutexQueue()
    queue: FutexQueue = futexes[key]
    return queue


def _forget(thread: Thread, key: tuple[int, int]) -> None:
    if key in thread.kernel.futexes and not thread.kernel.futexes[key]:
        del thread.kernel.futexes[key]


def _load(thread: Thread, address: int) -> int:
    return read_int(thread, address) & 0xFFFFFFFF


def _wait(thread: Thread, address: int, value: int, deadline: int | None, mask: int) -> int:
    if not mask:
        raise SyscallError(errno.EINVAL)
    key = _key(thread, address)
    if _load(thread, address) != value:
        raise SyscallError(errno.EAGAIN)
    queue = _queue(thread, key)
    left = None if deadline is None else deadline - thread.kernel.hrtime()
    if left is not None and left <= 0:
        raise SyscallError(errno.ETIMEDOUT)
    queue.masks[thread.tid] = mask
    restart = "always" if deadline is None else "never"
    try:
        if not thread.sleep(queue, left, restart=restart):
            raise SyscallError(errno.ETIMEDOUT)
        if thread.woken_by is None:
            raise Interrupted(restart)
    finally:
        queue.masks.pop(thread.tid, None)
        _forget(thread, key)
    return 0


def _wake(thread: Thread, key: tuple[int, int], count: int, mask: int = ANY) -> int:
    queue = thread.kernel.futexes.get(key)
    if queue is None:
        return 0
    listening = [sleeper for sleeper in queue.sleepers if queue.masks.get(sleeper.tid, ANY) & mask]
    chosen = listening[:max(count, 0)]
    for sleeper in chosen:
        sleeper.wakeup(queue)
    return len(chosen)


def wake_address(thread: Thread, address: int, count: int) -> int:
    """Wake up to `count` waiters on a word."""
    try:
        return _wake(thread, _key(thread, address), count)
    except (MemoryFault, SyscallError):
        return 0


def _requeue(thread: Thread, address: int, wake: int, move: int, target: int) -> int:
    source_key, target_key = _key(thread, address), _key(thread, target)
    woken = _wake(thread, source_key, wake)
    source = thread.kernel.futexes.get(source_key)
    if source is None or source_key == target_key:
        return woken
    queue = _queue(thread, target_key)
    moved = source.sleepers[:max(move, 0)]
    for sleeper in moved:
        source.sleepers.remove(sleeper)
        queue.sleepers.append(sleeper)
        queue.masks[sleeper.tid] = source.masks.pop(sleeper.tid, ANY)
        sleeper.queues = (queue,)
    return woken + len(moved)


def _wake_op(thread: Thread, address: int, wake: int, wake_second: int, second: int, code: int) -> int:
    operation, comparison = code >> 28 & 0xF, code >> 24 & 0xF
    argument, compared = code >> 12 & 0xFFF, code & 0xFFF
    argument -= (argument & 0x800) << 1
    compared -= (compared & 0x800) << 1
    if operation & 8:
        argument = 1 << (argument & 31)
    if operation & 7 >= len(OPERATIONS) or comparison >= len(COMPARISONS):
        raise SyscallError(errno.ENOSYS)
    first_key, second_key = _key(thread, address), _key(thread, second)
    old = _load(thread, second)
    signed = old - ((old & 0x80000000) << 1)
    write_int(thread, second, OPERATIONS[operation & 7](signed, argument))
    woken = _wake(thread, first_key, wake)
    if COMPARISONS[comparison](signed, compared):
        woken += _wake(thread, second_key, wake_second)
    return woken


def _lock_pi(thread: Thread, address: int, deadline: int | None, patient: bool) -> int:
    """FUTEX_LOCK_PI: the word holds the owner's number."""
    while True:
        value = _load(thread, address)
        if not value & FUTEX_TID_MASK:
            write_int(thread, address, thread.tid | value & FUTEX_WAITERS)
            return 0
        if value & FUTEX_TID_MASK == thread.tid:
            raise SyscallError(errno.EDEADLK)
        if not patient:
            raise SyscallError(errno.EAGAIN)
        write_int(thread, address, value | FUTEX_WAITERS)
        _wait(thread, address, value | FUTEX_WAITERS, deadline, ANY)


def _unlock_pi(thread: Thread, address: int) -> int:
    if _load(thread, address) & FUTEX_TID_MASK != thread.tid:
        raise SyscallError(errno.EPERM)
    key = _key(thread, address)
    thread.write(address, bytes(4))
    _wake(thread, key, 1)
    return 0


def _futex(thread: Thread, address: int, operation: int, value: int, timeout: int, second: int, third: int,
           bits: int) -> int:
    command = operation & 127
    if command == FUTEX_WAKE:
        return _wake(thread, _key(thread, address), value)
    if command == FUTEX_WAKE_BITSET:
        return _wake(thread, _key(thread, address), value, third)
    if command in (FUTEX_REQUEUE, FUTEX_CMP_REQUEUE):
        if command == FUTEX_CMP_REQUEUE and _load(thread, address) != third:
            raise SyscallError(errno.EAGAIN)
        return _requeue(thread, address, value, timeout & 0x7FFFFFFF, second)
    if command == FUTEX_WAKE_OP:
        return _wake_op(thread, address, value, timeout & 0x7FFFFFFF, second, third)
    if command == FUTEX_UNLOCK_PI:
        return _unlock_pi(thread, address)
    deadline = None
    if timeout and command != FUTEX_TRYLOCK_PI:
        deadline = read_timespec(thread, timeout, bits)
        if command == FUTEX_WAIT:
            deadline += thread.kernel.hrtime()
        elif operation & FUTEX_CLOCK_REALTIME or command == FUTEX_LOCK_PI:
            deadline += thread.kernel.hrtime() - thread.kernel.walltime()
    if command in (FUTEX_LOCK_PI, FUTEX_TRYLOCK_PI):
        return _lock_pi(thread, address, deadline, command == FUTEX_LOCK_PI)
    if command in (FUTEX_WAIT, FUTEX_WAIT_BITSET):
        return _wait(thread, address, value, deadline, third if command == FUTEX_WAIT_BITSET else ANY)
    raise SyscallError(errno.ENOSYS)


def sys_futex(thread: Thread, address: int, operation: int, value: int, timeout: int, second: int,
              third: int) -> int:
    return _futex(thread, address, operation, value, timeout, second, third, thread.process.bits)


def sys_futex_time64(thread: Thread, address: int, operation: int, value: int, timeout: int, second: int,
                     third: int) -> int:
    return _futex(thread, address, operation, value, timeout, second, third, 64)


def exit_robust(thread: Thread) -> None:
    """Mark the robust mutexes that an ending thread still holds (set_robust_list(2))."""
    head, size = thread.robust_list, thread.process.bits // 8
    if not head:
        return
    try:
        entry, distance = read_words(thread, head, 2)
        distance -= (distance >> (8 * size - 1)) << 8 * size
        entry &= ~1
        for _ in range(ROBUST_LIMIT):
            if entry == head or not entry:
                break
            address = entry + distance
            value = _load(thread, address)
            if value & FUTEX_TID_MASK == thread.tid:
                write_int(thread, address, value & FUTEX_WAITERS | FUTEX_OWNER_DIED)
                wake_address(thread, address, 1)
            entry = read_words(thread, entry, 1)[0] & ~1
    except MemoryFault:
        return
