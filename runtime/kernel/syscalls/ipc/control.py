"""What the calls on shared memory, semaphores and message queues share: commands, times, owners."""

from __future__ import annotations

import errno
import struct
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from runtime.kernel.base.clock import SECOND
from runtime.kernel.base.errors import SyscallError
from runtime.kernel.process.sysvipc import READ, SLOTS, Registry, Shared

if TYPE_CHECKING:
    from runtime.kernel.process.thread import Thread

IPC_RMID, IPC_SET, IPC_STAT, IPC_INFO, IPC_64 = 0, 1, 2, 3, 0x100
T = TypeVar("T", bound=Shared)


def command_of(command: int) -> int:
    """Return the command of a ...ctl call without IPC_64: the structures are those of IPC_64 anyway."""
    return command & ~IPC_64


def tell_one(thread: Thread, registry: Registry[T], number: int, command: int, to_anyone: int, address: int,
             status: Callable[[T], bytes]) -> int:
    """Write the status of what IPC_STAT means by its number, and the other commands by its place.

    `to_anyone` is the command that asks for no rights.  Returns 0, or the number that was not known.
    Raises EINVAL, EACCES.
    """
    find = registry.find if command == IPC_STAT else registry.at
    found = find(number, thread.process.zone)
    if command != to_anyone:
        found.demand(thread.process.identity, READ)
    thread.write(address, status(found))
    return 0 if command == IPC_STAT else found.number


def tell_all(thread: Thread, known: list[T], number: int, address: int, told: bytes) -> int:
    """Write what is told of all that is known to `address`; return the highest place.  Raises EINVAL."""
    if number < 0:
        raise SyscallError(errno.EINVAL)
    thread.write(address, told)
    return max((each.number % SLOTS for each in known), default=0)


def pack_times(bits: int, *times: int) -> bytes:
    """Return wall clock times in ns as seconds of 64 bits, which 32-bit programs read as two halves."""
    return struct.pack(f"<{len(times)}q", *(time // SECOND for time in times))


def set_owner(thread: Thread, shared: Shared, address: int) -> None:
    """Carry out IPC_SET: take owner and mode from the struct ipc64_perm at `address`."""
    _key, shared.uid, shared.gid, _uid, _gid, mode = struct.unpack("<6I", thread.read(address, 24))
    shared.mode = shared.mode & ~0o777 | mode & 0o777
    shared.changed = thread.kernel.walltime()
