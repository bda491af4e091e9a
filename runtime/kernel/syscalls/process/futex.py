"""futex(2): which operation on a word of user memory a program asks for."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING

from runtime.kernel.base.errors import SyscallError
from runtime.kernel.base.words import signed
from runtime.kernel.process.futex import (
    ANY,
    FUTEX_CLOCK_REALTIME,
    FUTEX_CMP_REQUEUE,
    FUTEX_LOCK_PI,
    FUTEX_PRIVATE_FLAG,
    FUTEX_REQUEUE,
    FUTEX_TRYLOCK_PI,
    FUTEX_UNLOCK_PI,
    FUTEX_WAIT,
    FUTEX_WAIT_BITSET,
    FUTEX_WAKE,
    FUTEX_WAKE_BITSET,
    FUTEX_WAKE_OP,
    key_of,
    load,
    lock_pi,
    requeue,
    unlock_pi,
    wait,
    wake,
    wake_op,
)
from runtime.kernel.process.usermemory import read_timespec

if TYPE_CHECKING:
    from runtime.kernel.process.thread import Thread


FUTEX_WAIT_REQUEUE_PI, FUTEX_LOCK_PI2 = 11, 13
WITH_CLOCK = (FUTEX_WAIT_BITSET, FUTEX_WAIT_REQUEUE_PI, FUTEX_LOCK_PI2)  # may wait for a time of the day


def _futex(thread: Thread, address: int, operation: int, value: int, timeout: int, second: int, third: int,
           bits: int) -> int:
    command = operation & ~(FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME)
    if operation & FUTEX_CLOCK_REALTIME and command not in WITH_CLOCK:
        raise SyscallError(errno.ENOSYS)
    if command == FUTEX_WAKE:
        return wake(thread, key_of(thread, address), value)
    if command == FUTEX_WAKE_BITSET:
        return wake(thread, key_of(thread, address), value, third)
    if command in (FUTEX_REQUEUE, FUTEX_CMP_REQUEUE):
        if min(signed(value, 32), signed(timeout, 32)) < 0:
            raise SyscallError(errno.EINVAL)
        if command == FUTEX_CMP_REQUEUE and load(thread, address) != third:
            raise SyscallError(errno.EAGAIN)
        return requeue(thread, address, value, timeout & ANY, second)
    if command == FUTEX_WAKE_OP:
        return wake_op(thread, address, value, timeout & 0x7FFFFFFF, second, third)
    if command == FUTEX_UNLOCK_PI:
        return unlock_pi(thread, address)
    deadline = None
    if timeout and command != FUTEX_TRYLOCK_PI:
        deadline = read_timespec(thread, timeout, bits)
        if command == FUTEX_WAIT:
            deadline += thread.kernel.hrtime()
        elif operation & FUTEX_CLOCK_REALTIME or command == FUTEX_LOCK_PI:
            deadline += thread.kernel.hrtime() - thread.kernel.walltime()
    if command in (FUTEX_LOCK_PI, FUTEX_LOCK_PI2, FUTEX_TRYLOCK_PI):
        return lock_pi(thread, address, deadline, command != FUTEX_TRYLOCK_PI)
    if command in (FUTEX_WAIT, FUTEX_WAIT_BITSET):
        return wait(thread, address, value, deadline, third if command == FUTEX_WAIT_BITSET else ANY)
    raise SyscallError(errno.ENOSYS)


def sys_futex(thread: Thread, address: int, operation: int, value: int, timeout: int, second: int,
              third: int) -> int:
    return _futex(thread, address, operation, value, timeout, second, third, thread.process.bits)


def sys_futex_time64(thread: Thread, address: int, operation: int, value: int, timeout: int, second: int,
                     third: int) -> int:
    return _futex(thread, address, operation, value, timeout, second, third, 64)
