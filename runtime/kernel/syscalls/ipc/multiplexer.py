"""ipc(2): i386's one call for all of System V's interprocess communication."""

from __future__ import annotations

import errno
import struct
from typing import TYPE_CHECKING

from runtime.kernel.base.errors import SyscallError
from runtime.kernel.process.usermemory import read_words
from runtime.kernel.syscalls.ipc import msg, sem, shm

if TYPE_CHECKING:
    from runtime.kernel.process.thread import Thread

# <linux/ipc.h>
(SEMOP, SEMGET, SEMCTL, SEMTIMEDOP, MSGSND, MSGRCV, MSGGET, MSGCTL, SHMAT, SHMDT, SHMGET, SHMCTL) = (
    1, 2, 3, 4, 11, 12, 13, 14, 21, 22, 23, 24)


def sys_ipc(thread: Thread, call: int, first: int, second: int, third: int, pointer: int, fifth: int) -> int:
    """Carry out the call that the lower half of `call` means; the upper half is its version."""
    version, call = call >> 16, call & 0xFFFF
    if call == SHMAT:
        if version == 1:
            raise SyscallError(errno.EINVAL)
        thread.write(third, shm.sys_shmat(thread, first, pointer, second).to_bytes(4, "little"))
        return 0
    if call == MSGRCV:
        buffer, kind = (pointer, fifth) if version else struct.unpack("<Ii", thread.read(pointer, 8))
        return msg.sys_msgrcv(thread, first, buffer, second, kind, third)
    calls = {
        SEMOP: lambda: sem.sys_semop(thread, first, pointer, second),
        SEMTIMEDOP: lambda: sem.sys_semtimedop(thread, first, pointer, second, fifth & 0xFFFFFFFF),
        SEMGET: lambda: sem.sys_semget(thread, first, second, third),
        SEMCTL: lambda: sem.sys_semctl(thread, first, second, third, read_words(thread, pointer, 1)[0]),
        MSGSND: lambda: msg.sys_msgsnd(thread, first, pointer, second, third),
        MSGGET: lambda: msg.sys_msgget(thread, first, second),
        MSGCTL: lambda: msg.sys_msgctl(thread, first, second, pointer),
        SHMDT: lambda: shm.sys_shmdt(thread, pointer),
        SHMGET: lambda: shm.sys_shmget(thread, first, second, third),
        SHMCTL: lambda: shm.sys_shmctl(thread, first, second, pointer),
    }
    if call not in calls:
        raise SyscallError(errno.ENOSYS)
    return calls[call]()
