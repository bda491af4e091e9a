"""What system calls do in their plainest cases, at once: see runtime.kernel.process.prompt.

Each function takes the thread and the first three registers of a call.  It returns the result where the call
neither fails, waits, wakes nor is told to anyone; otherwise it has changed nothing and returns WAITS, or None
where it does not know.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from struct import Struct
from typing import TYPE_CHECKING

from runtime.kernel.cpu.x86.engine import ARGUMENTS64
from runtime.kernel.process.futex import FUTEX_PRIVATE_FLAG, FUTEX_WAKE
from runtime.kernel.process.prompt import WAITS, PromptCall, PromptCalls
from runtime.kernel.syscalls.table import Table, converter, x86_64_table
from runtime.kernel.vfs.pipe import PIPE_BUF, PipeFile
from runtime.kernel.vfs.vnode import POLLERR, POLLHUP

if TYPE_CHECKING:
    from runtime.kernel.cpu.x86.engine import Engine
    from runtime.kernel.process.prompt import Swift
    from runtime.kernel.process.system import System
    from runtime.kernel.process.thread import Thread

INT = 0xFFFFFFFF
POLLFD, FOUND = Struct("<ihh"), Struct("<H")  # struct pollfd; its last member
FOUND_AT = 6

# calls whose handlers sleep before they change anything, if they sleep at all
PROMPT: Sequence[str] = (
    "read", "write", "pread64", "lseek", "open", "openat", "close", "stat", "lstat", "fstat", "newfstatat",
    "access", "faccessat", "readlink", "readlinkat", "poll", "futex", "dup", "dup2", "dup3", "pipe", "pipe2",
    "getcwd", "umask", "rt_sigprocmask", "rt_sigaction")


class PromptTable(dict[int, "PromptCall | None"]):
    """The calls of a table that the kernel may carry out while the engine waits, by number.

    `places` are where the engine has the six registers of a call.
    """

    def __init__(self, table: Table, places: Sequence[int]) -> None:
        super().__init__()
        self._table = table
        self._places = places

    def __missing__(self, number: int) -> PromptCall | None:
        entry = self._table[number]
        self[number] = made = None
        if entry is not None and entry.handler is not None and entry.call.name in PROMPT:
            arguments = converter(entry.call.arguments, 64, self._places)
            self[number] = made = PromptCall(entry.handler, arguments, entry.call.name)
        return made


def read(thread: Thread, descriptor: int, buffer: int, count: int) -> int | None:
    """From a pipe that has bytes and that no thread waits for."""
    file = thread.process.files.find(descriptor & INT)
    if not isinstance(file, PipeFile) or not file.readable:
        return None
    pipe = file.pipe
    size = min(count, len(pipe.data))
    if not size:
        return WAITS if count and pipe.writers and not file.nonblocking else None
    if pipe.queue.sleepers:
        return None
    memory = thread.process.memory
    place = memory.place(buffer, size, writing=True)
    if place is None:
        return None
    memory.memory.bytes[place:place + size] = pipe.read(size)
    thread.process.traffic.read(size)
    return size


def write(thread: Thread, descriptor: int, buffer: int, count: int) -> int | None:
    """To a pipe that has room and that no thread waits for."""
    file = thread.process.files.find(descriptor & INT)
    if not isinstance(file, PipeFile) or not file.writable:
        return None
    pipe = file.pipe
    if not 0 < count <= PIPE_BUF or not pipe.readers or pipe.queue.sleepers:
        return None
    if len(pipe.data) + count > pipe.capacity:
        return None if file.nonblocking else WAITS
    memory = thread.process.memory
    place = memory.place(buffer, count)
    if place is None:
        return None
    pipe.write(bytes(memory.memory.bytes[place:place + count]))
    thread.process.traffic.wrote(count)
    return count


def poll(thread: Thread, address: int, count: int, _timeout: int) -> int | None:
    """Of one pipe that is ready."""
    if count & INT != 1:
        return None
    memory = thread.process.memory
    place = memory.place(address, POLLFD.size, writing=True)
    if place is None:
        return None
    descriptor, events, _found = POLLFD.unpack_from(memory.memory.bytes, place)
    file = thread.process.files.find(descriptor)
    if not isinstance(file, PipeFile):
        return None
    found = file.poll() & (events | POLLERR | POLLHUP)
    if not found:
        return None
    FOUND.pack_into(memory.memory.bytes, place + FOUND_AT, found)
    return 1


def futex(thread: Thread, address: int, operation: int, _count: int) -> int | None:
    """FUTEX_WAKE where no thread waits for anything."""
    if operation & INT & ~FUTEX_PRIVATE_FLAG != FUTEX_WAKE or address & 3 or thread.kernel.futexes:
        return None
    return None if thread.process.memory.place(address, 4) is None else 0


SWIFT: Mapping[str, Swift] = {"read": read, "write": write, "poll": poll, "futex": futex}


def prompt_calls(kernel: System, engine: Engine, table: Table) -> PromptCalls:
    """Return what carries out calls of 64-bit x86 programs while their engine waits."""
    swift = {number: SWIFT[call.name] for number, call in x86_64_table().items() if call.name in SWIFT}
    return PromptCalls(kernel, engine, PromptTable(table, ARGUMENTS64), swift)
