"""What the calls of System V's interprocess communication share, and i386's one call for all of them."""

from __future__ import annotations

import errno
import struct
from typing import TYPE_CHECKING

from runtime.kernel.base.errors import SyscallError
from runtime.kernel.syscalls.user import read_words

if TYPE_CHECKING:
    from runtime.kernel.process.sysvipc import Shared
    from runtime.kernel.process.thread import Thread

IPC_RMID, IPC_SET, IPC_STAT, IPC_64 = 0, 1, 2, 0x100
SECOND = 10**9
# <linux/ipc.h>
(SEMOP, SEMGET, SEMCTL, SEMTIMEDOP, MSGSND, MSGRCV, MSGGET, MSGCTL, SHMAT, SHMDT, SHMGET, SHMCTL) = (
    1, 2, 3, 4, 11, 12, 13, 14, 21, 22, 23, 24)


def command_of(command: int) -> int:
    """Of a ...ctl call, without the mark of the structures that everybody uses by now."""
    return command & ~IPC_64


def pack_times(bits: int, *times: int) -> bytes:
    """Wall clock times in ns as seconds of 64 bits, in 32-bit programs as two halves: the same bytes."""
    return struct.pack(f"<{len(times)}q", *(time // SECOND for time in times))


def set_owner(thread: Thread, shared: Shared, address: int) -> None:
    """IPC_SET: owner and mode from the struct ipc64_perm at `address`."""
    _key, shared.uid, shared.gid, _uid, _gid, mode = struct.unpack("<6I", thread.read(address, 24))
    shared.mode = shared.mode & ~0o777 | mode & 0o777
    shared.changed = thread.kernel.walltime()


def sys_ipc(thread: Thread, call: int, first: int, second: int, third: int, pointer: int, fifth: int) -> int:
    """All calls of i386, by the number of `call`; the version of the call is in its upper half."""
    from runtime.kernel.syscalls.ipc import msg, sem, shm

    version, call = call >> 16, call & 0xFFFF
    if call == SHMAT:
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
