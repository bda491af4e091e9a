"""What the calls on shared memory, semaphores and message queues share: commands, times, owners."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from runtime.kernel.base.clock import SECOND

if TYPE_CHECKING:
    from runtime.kernel.process.sysvipc import Shared
    from runtime.kernel.process.thread import Thread

IPC_RMID, IPC_SET, IPC_STAT, IPC_64 = 0, 1, 2, 0x100


def command_of(command: int) -> int:
    """Return the command of a ...ctl call without IPC_64: the structures are those of IPC_64 anyway."""
    return command & ~IPC_64


def pack_times(bits: int, *times: int) -> bytes:
    """Return wall clock times in ns as seconds of 64 bits, which 32-bit programs read as two halves."""
    return struct.pack(f"<{len(times)}q", *(time // SECOND for time in times))


def set_owner(thread: Thread, shared: Shared, address: int) -> None:
    """Carry out IPC_SET: take owner and mode from the struct ipc64_perm at `address`."""
    _key, shared.uid, shared.gid, _uid, _gid, mode = struct.unpack("<6I", thread.read(address, 24))
    shared.mode = shared.mode & ~0o777 | mode & 0o777
    shared.changed = thread.kernel.walltime()
