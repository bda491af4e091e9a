"""What system calls do in their plainest cases, at once: see runtime.kernel.process.prompt.

Each function takes the thread and the first three registers of a call.  It returns the result, or raises
OSError, where the call neither waits, wakes nor is told to anyone; otherwise it has changed nothing and
returns the file whose pipe it has to wait for, or None where it does not know.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from struct import Struct
from typing import TYPE_CHECKING

from runtime.kernel.memory.physical import PAGE_MASK
from runtime.kernel.process.futex import FUTEX_PRIVATE_FLAG, FUTEX_WAKE
from runtime.kernel.process.prompt import INT, WRITING, PromptCalls
from runtime.kernel.syscalls import swiftfiles
from runtime.kernel.syscalls.layouts import USER_LIMIT
from runtime.kernel.syscalls.table import QUICK, x86_64_table
from runtime.kernel.vfs.pipe import PIPE_BUF
from runtime.kernel.vfs.vnode import POLLERR, POLLHUP, READABLE, RegularFile

if TYPE_CHECKING:
    from runtime.kernel.cpu.x86.engine import Engine
    from runtime.kernel.process.prompt import Swift, Timely
    from runtime.kernel.process.system import System
    from runtime.kernel.process.thread import Thread
    from runtime.kernel.vfs.vnode import File

FUTEX_SIZE = 4  # bytes
POLLFD, FOUND = Struct("<ih"), Struct("<H")  # struct pollfd; its last member
FOUND_AT, POLLFD_SIZE = 6, 8

# calls whose handlers sleep before they change anything, if they sleep at all
PROMPT: Sequence[str] = (
    "read", "write", "pread64", "lseek", "open", "openat", "close", "stat", "lstat", "fstat", "newfstatat",
    "access", "faccessat", "readlink", "readlinkat", "poll", "futex", "dup", "dup2", "dup3", "pipe", "pipe2",
    "getcwd", "umask", "rt_sigprocmask", "rt_sigaction", *QUICK)


def read(thread: Thread, descriptor: int, buffer: int, count: int) -> int | File | None:
    """From a pipe that has bytes and that no thread waits for, or from a file on the disk."""
    process = thread.process
    table, space = process.file_table, process.space
    assert table is not None and space is not None
    file = table.find(descriptor & INT)
    if file is None:
        return None
    pipe = file.source
    if pipe is None:
        return swiftfiles.read(thread, file, buffer, count) if isinstance(file, RegularFile) else None
    size = len(pipe.data)
    if count < size:
        size = count
    if not size:
        waits = count and pipe.writers and not file.nonblocking and buffer + count <= USER_LIMIT
        return file if waits else None
    if pipe.queue.sleepers:
        return None
    place = space.place(buffer, size, WRITING)
    if place is None:
        return None
    space.memory.bytes[place:place + size] = pipe.take(size)
    process.traffic.read(size)
    return size


def write(thread: Thread, descriptor: int, buffer: int, count: int) -> int | None:
    """To a pipe that has room and that no thread waits for."""
    process = thread.process
    table, space = process.file_table, process.space
    assert table is not None and space is not None
    file = table.find(descriptor & INT)
    if file is None or (pipe := file.sink) is None or not 0 < count <= PIPE_BUF:
        return None
    if not pipe.readers or pipe.queue.sleepers:
        return None
    if len(pipe.data) + count > pipe.capacity:
        return None
    place = space.place(buffer, count)
    if place is None:
        return None
    try:
        pipe.put(space.memory.bytes[place:place + count])
    except OSError:  # no memory is left
        return None
    process.traffic.wrote(count)
    return count


def write_and_wake(thread: Thread, descriptor: int, buffer: int, count: int) -> int | None:
    """The same, to one that threads wait for."""
    process, hooks = thread.process, thread.kernel.hooks
    space, file = process.memory, process.files.find(descriptor & INT)
    if file is None or (pipe := file.sink) is None or not 0 < count <= PIPE_BUF or not pipe.readers:
        return None
    place = space.place(buffer, count)
    if place is None or len(pipe.data) + count > pipe.capacity or hooks.wakeup or hooks.enqueue:
        return None
    try:
        pipe.put(space.memory.bytes[place:place + count])
    except OSError:  # no memory is left
        return None
    pipe.queue.wake_all(READABLE)
    process.traffic.wrote(count)
    return count


def poll(thread: Thread, address: int, count: int, _timeout: int) -> int | None:
    """Of one end of a pipe that is ready."""
    if count & INT != 1:
        return None
    process = thread.process
    table, space = process.file_table, process.space
    assert table is not None and space is not None
    place = space.place(address, POLLFD_SIZE, WRITING)
    if place is None:
        return None
    memory = space.memory.bytes
    descriptor, events = POLLFD.unpack_from(memory, place)
    file = table.find(descriptor)
    if file is None or (file.source is None and file.sink is None):
        return None
    found = file.poll() & (events | POLLERR | POLLHUP)
    if not found:
        return None
    FOUND.pack_into(memory, place + FOUND_AT, found)
    return 1


def futex(thread: Thread, address: int, operation: int, _count: int) -> int | None:
    """FUTEX_WAKE of a word on which no thread waits."""
    if operation & INT & ~FUTEX_PRIVATE_FLAG != FUTEX_WAKE or address & (FUTEX_SIZE - 1):
        return None
    for _what, other in thread.kernel.futexes:
        if (address ^ other) & PAGE_MASK == 0:  # perhaps the same word: each is mapped by whole pages
            return None
    space = thread.process.space
    return None if space is None or space.place(address, FUTEX_SIZE) is None else 0


SWIFT: Mapping[str, Swift] = {"read": read, "write": write, "poll": poll, "futex": futex, **swiftfiles.SWIFT}


TIMELY: Mapping[str, Timely] = {"write": write_and_wake}


def prompt_calls(kernel: System, engine: Engine) -> PromptCalls:
    """Return what carries out calls of 64-bit x86 programs while their engine waits."""
    numbers = {call.name: number for number, call in x86_64_table().items()}
    return PromptCalls(kernel, engine, 64, frozenset(map(numbers.__getitem__, PROMPT)),
                       {numbers[name]: function for name, function in SWIFT.items()},
                       {numbers[name]: function for name, function in TIMELY.items()})
