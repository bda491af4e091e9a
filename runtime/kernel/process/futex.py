"""Futexes: threads that wait on a word of user memory, wherever it is mapped (futex(2))."""

from __future__ import annotations

import errno
from collections.abc import Callable, Sequence

from runtime.kernel.base.errors import Interrupted, MemoryFault, SyscallError
from runtime.kernel.base.wait import Sleeper, WaitQueue
from runtime.kernel.memory.addrspace import PROT_READ
from runtime.kernel.memory.physical import PAGE_MASK, PAGE_SHIFT
from runtime.kernel.process.usermemory import read_int, read_words, write_int

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from runtime.kernel.process.thread import Thread

(FUTEX_WAIT, FUTEX_WAKE, FUTEX_FD, FUTEX_REQUEUE, FUTEX_CMP_REQUEUE, FUTEX_WAKE_OP, FUTEX_LOCK_PI,
 FUTEX_UNLOCK_PI, FUTEX_TRYLOCK_PI, FUTEX_WAIT_BITSET, FUTEX_WAKE_BITSET) = range(11)
FUTEX_PRIVATE_FLAG, FUTEX_CLOCK_REALTIME = 128, 256
FUTEX_WAITERS, FUTEX_OWNER_DIED, FUTEX_TID_MASK = 0x80000000, 0x40000000, 0x3FFFFFFF
ANY = 0xFFFFFFFF
ROBUST_LIMIT = 2048
OPERATIONS: Sequence[Callable[[int, int], int]] = (
    lambda old, arg: arg, lambda old, arg: old + arg, lambda old, arg: old | arg,
    lambda old, arg: old & ~arg, lambda old, arg: old ^ arg)
COMPARISONS: Sequence[Callable[[int, int], bool]] = (
    lambda old, arg: old == arg, lambda old, arg: old != arg, lambda old, arg: old < arg,
    lambda old, arg: old <= arg, lambda old, arg: old > arg, lambda old, arg: old >= arg)


class FutexQueue(WaitQueue):
    """The waiters of one word; `masks` has the bits that each of them listens to."""

    __slots__ = ("masks",)

    def __init__(self) -> None:
        super().__init__("futex")
        self.masks: dict[Sleeper, int] = {}


def key_of(thread: Thread, address: int) -> tuple[int, int]:
    """Return what identifies a word for all processes that share it.  Raises EINVAL, MemoryFault."""
    if address & 3:
        raise SyscallError(errno.EINVAL)
    space = thread.process.memory
    area = space.find(address)
    if area is None or not area.prot & PROT_READ:
        raise MemoryFault(address)
    if area.shared and area.pages is not None:
        return id(area.pages), (area.index(address) << PAGE_SHIFT) + (address & PAGE_MASK)
    return id(space), address


def _queue(thread: Thread, key: tuple[int, int]) -> FutexQueue:
    futexes = thread.kernel.futexes
    if key not in futexes:
        futexes[key] = FutexQueue()
    return futexes[key]


def _forget(thread: Thread, key: tuple[int, int]) -> None:
    if key in thread.kernel.futexes and not thread.kernel.futexes[key]:
        del thread.kernel.futexes[key]


def load(thread: Thread, address: int) -> int:
    """Return a word, unsigned.  Raises MemoryFault."""
    return read_int(thread, address) & 0xFFFFFFFF


def wait(thread: Thread, address: int, value: int, deadline: int | None, mask: int) -> int:
    """Sleep while a word has `value`, until `deadline` (ns since boot) at most; returns 0.

    Raises EAGAIN for another value, ETIMEDOUT, Interrupted, EINVAL, MemoryFault.
    """
    if not mask:
        raise SyscallError(errno.EINVAL)
    key = key_of(thread, address)
    if load(thread, address) != value:
        raise SyscallError(errno.EAGAIN)
    if deadline is not None and thread.restart_deadline is not None:
        deadline = thread.restart_deadline  # the call goes on after a signal
    left = None if deadline is None else deadline - thread.kernel.hrtime()
    if left is not None and left <= 0:
        raise SyscallError(errno.ETIMEDOUT)
    queue = _queue(thread, key)
    queue.masks[thread] = mask
    restart = "always" if deadline is None else "nohandler"
    try:
        if not thread.sleep(queue, left, restart=restart):
            raise SyscallError(errno.ETIMEDOUT)
        if thread.woken_by is None:
            raise Interrupted(restart)
    except Interrupted:
        thread.restart_deadline = deadline
        raise
    finally:
        queue.masks.pop(thread, None)
        _forget(thread, key)
    return 0


def wake(thread: Thread, key: tuple[int, int], count: int, mask: int = ANY) -> int:
    """Wake up to `count` waiters that listen to a bit of `mask`; returns how many were woken.

    Raises EINVAL where that has no bit.
    """
    if not mask:
        raise SyscallError(errno.EINVAL)
    queue = thread.kernel.futexes.get(key)
    if queue is None:
        return 0
    listening = [sleeper for sleeper in queue.sleepers if queue.masks.get(sleeper, ANY) & mask]
    chosen = listening[:max(count, 0)]
    for sleeper in chosen:
        sleeper.wakeup(queue)
    return len(chosen)


def wake_address(thread: Thread, address: int, count: int) -> int:
    """Wake up to `count` waiters on a word, if there is such a word; returns how many were woken."""
    try:
        return wake(thread, key_of(thread, address), count)
    except (MemoryFault, SyscallError):
        return 0


def requeue(thread: Thread, address: int, count: int, move: int, target: int) -> int:
    """Wake up to `count` waiters on a word, and move up to `move` others to another; returns the sum."""
    source_key, target_key = key_of(thread, address), key_of(thread, target)
    woken = wake(thread, source_key, count)
    source = thread.kernel.futexes.get(source_key)
    if source is None or source_key == target_key:
        return woken
    queue = _queue(thread, target_key)
    moved = list(source.sleepers)[:max(move, 0)]
    for sleeper in moved:
        source.leave(sleeper)
        queue.join(sleeper)
        queue.masks[sleeper] = source.masks.pop(sleeper, ANY)
        sleeper.queues = (queue,)
    return woken + len(moved)


def wake_op(thread: Thread, address: int, count: int, second_count: int, second: int, code: int) -> int:
    """FUTEX_WAKE_OP: change the word `second`; wake waiters on the first, and, by its old value, on that."""
    operation, comparison = code >> 28 & 0xF, code >> 24 & 0xF
    argument, compared = code >> 12 & 0xFFF, code & 0xFFF
    argument -= (argument & 0x800) << 1
    compared -= (compared & 0x800) << 1
    if operation & 8:
        argument = 1 << (argument & 31)
    if operation & 7 >= len(OPERATIONS):
        raise SyscallError(errno.ENOSYS)
    first_key, second_key = key_of(thread, address), key_of(thread, second)
    old = load(thread, second)
    signed = old - ((old & 0x80000000) << 1)
    write_int(thread, second, OPERATIONS[operation & 7](signed, argument))
    if comparison >= len(COMPARISONS):
        raise SyscallError(errno.ENOSYS)
    woken = wake(thread, first_key, count)
    if COMPARISONS[comparison](signed, compared):
        woken += wake(thread, second_key, second_count)
    return woken


def lock_pi(thread: Thread, address: int, deadline: int | None, patient: bool) -> int:
    """FUTEX_LOCK_PI, and FUTEX_TRYLOCK_PI unless `patient`: the word holds the owner's number.  Returns 0."""
    key = key_of(thread, address)
    while True:
        value = load(thread, address)
        if not value & FUTEX_TID_MASK:
            others = FUTEX_WAITERS if key in thread.kernel.futexes else 0
            write_int(thread, address, thread.tid | value & FUTEX_OWNER_DIED | others)
            return 0
        if value & FUTEX_TID_MASK == thread.tid:
            raise SyscallError(errno.EDEADLK)
        if thread.process.find_thread(value & FUTEX_TID_MASK) is None:
            raise SyscallError(errno.ESRCH)
        if not patient:
            raise SyscallError(errno.EAGAIN)
        write_int(thread, address, value | FUTEX_WAITERS)
        wait(thread, address, value | FUTEX_WAITERS, deadline, ANY)


def unlock_pi(thread: Thread, address: int) -> int:
    """FUTEX_UNLOCK_PI.  Raises EPERM for another than the owner."""
    if load(thread, address) & FUTEX_TID_MASK != thread.tid:
        raise SyscallError(errno.EPERM)
    key = key_of(thread, address)
    thread.write(address, bytes(4))
    wake(thread, key, 1)
    return 0


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
            value = load(thread, address)
            if value & FUTEX_TID_MASK == thread.tid:
                write_int(thread, address, value & FUTEX_WAITERS | FUTEX_OWNER_DIED)
                wake_address(thread, address, 1)
            entry = read_words(thread, entry, 1)[0] & ~1
    except MemoryFault:
        return
