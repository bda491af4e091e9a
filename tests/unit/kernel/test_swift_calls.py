"""Calls that are carried out while the engine waits: what they do at once, and what they leave to others."""

from __future__ import annotations

import os
import stat
import struct
from types import SimpleNamespace
from typing import Any

import pytest

from runtime.kernel.base.budgets import Budget
from runtime.kernel.syscalls import swift
from runtime.kernel.syscalls.layouts import USER_LIMIT
from runtime.kernel.vfs.filetable import FileTable
from runtime.kernel.vfs.pipe import CAPACITY, PIPE_BUF, pipe_ends
from runtime.kernel.vfs.vnode import POLLIN, POLLOUT, Attributes

SIZE = 8192
FUTEX_WAIT, FUTEX_WAKE, PRIVATE = 0, 1, 128
FAR = 1 << 32  # what the upper half of a register holds does not count


class Space:
    """Memory from 1 to SIZE; what cannot be written begins at 4096."""

    def __init__(self) -> None:
        self.memory = SimpleNamespace(bytes=bytearray(SIZE))

    def place(self, address: int, size: int, writing: bool = False) -> int | None:
        return address if 0 < address <= address + size <= (4096 if writing else SIZE) else None


class Traffic:
    def __init__(self) -> None:
        self.done: list[int] = []
        self.read = self.wrote = self.done.append


class Ends:
    """A pipe at descriptors 0 and 1, and a thread that uses it."""

    def __init__(self, flags: int = 0) -> None:
        table = FileTable(9, Budget(9), Budget(1 << 20), lambda file: file.release(), lambda file: None)
        for file in pipe_ends(Attributes(stat.S_IFIFO | 0o600), flags):
            table.add(file)
        self.pipe: Any = table.get(0).source
        self.space, self.traffic = Space(), Traffic()
        self.woken: list[Any] = []
        process = SimpleNamespace(file_table=table, files=table, space=self.space, memory=self.space,
                                  traffic=self.traffic)
        hooks = SimpleNamespace(wakeup=None, enqueue=None)
        self.thread: Any = SimpleNamespace(process=process,
                                           kernel=SimpleNamespace(hooks=hooks, futexes=[("word", 2048)]))

    def sleeper(self) -> None:
        self.pipe.queue.sleepers = {Waker(self.woken): None}


class Waker:
    queues = ()

    def __init__(self, woken: list[Any]) -> None:
        self.wakeup = lambda queue, events: woken.append(queue)


@pytest.fixture
def ends() -> Ends:
    return Ends()


def test_bytes_that_are_there_are_read(ends: Ends) -> None:
    file = ends.thread.process.files.get(0)
    assert swift.read(ends.thread, 0, 16, 4) is file and swift.read(ends.thread, 0, 16, 0) is None
    assert swift.read(ends.thread, 0, USER_LIMIT - 4, 4) is file
    assert swift.read(ends.thread, 0, USER_LIMIT - 4, 5) is None
    assert swift.read(ends.thread, 7, 16, 4) is swift.read(ends.thread, 1, 16, 4) is None
    ends.pipe.put(b"abcdef")
    assert swift.read(ends.thread, FAR, 16, 4) == 4 and ends.space.memory.bytes[16:21] == b"abcd\0"
    assert swift.read(ends.thread, 0, 4094, 4) == 2 and ends.space.memory.bytes[4094:4096] == b"ef"
    ends.pipe.put(b"xy")
    assert swift.read(ends.thread, 0, 4095, 2) is None and ends.pipe.data == b"xy"
    assert swift.read(ends.thread, 0, 1, 2) == 2 and ends.traffic.done == [4, 2, 2]
    ends.pipe.put(b"z")
    ends.sleeper()
    assert swift.read(ends.thread, 0, 16, 1) is None and ends.pipe.data == b"z"


def test_what_no_bytes_come_to_is_left_to_others() -> None:
    idle, over = Ends(os.O_NONBLOCK), Ends()
    over.thread.process.file_table.close(1)
    assert swift.read(idle.thread, 0, 16, 4) is swift.read(over.thread, 0, 16, 4) is None


@pytest.mark.parametrize("count", [1, 2, PIPE_BUF])
def test_bytes_that_have_room_are_written(ends: Ends, count: int) -> None:
    ends.space.memory.bytes[64:67] = b"abc"
    assert swift.write(ends.thread, FAR | 1, 64, count) == count
    assert ends.pipe.data[:3] == b"abc"[:count] and len(ends.pipe.data) == count
    assert ends.traffic.done == [count]


def test_what_is_not_written_at_once(ends: Ends) -> None:
    assert [swift.write(ends.thread, 1, 64, count) for count in (0, PIPE_BUF + 1)] == [None, None]
    assert swift.write(ends.thread, 7, 64, 1) is swift.write(ends.thread, 0, 64, 1) is None
    assert swift.write(ends.thread, 1, SIZE, 1) is None and swift.write(ends.thread, 1, SIZE - 1, 1) == 1
    ends.pipe.data[:] = bytes(CAPACITY - 5)
    assert swift.write(ends.thread, 1, 64, 6) is None
    assert swift.write(ends.thread, 1, 64, 5) == 5 and len(ends.pipe.data) == CAPACITY
    idle = Ends(os.O_NONBLOCK)
    idle.pipe.data[:] = bytes(CAPACITY)
    assert swift.write(idle.thread, 1, 64, 1) is None
    ends.pipe.data.clear()
    ends.sleeper()
    assert swift.write(ends.thread, 1, 64, 1) is None and not ends.pipe.data
    nobody = Ends()
    nobody.thread.process.file_table.close(0)
    assert swift.write(nobody.thread, 1, 64, 1) is swift.write_and_wake(nobody.thread, 1, 64, 1) is None


def test_who_waits_is_woken(ends: Ends) -> None:
    assert [swift.write_and_wake(ends.thread, 1, 64, count) for count in (0, PIPE_BUF + 1)] == [None, None]
    assert swift.write_and_wake(ends.thread, 7, 64, 1) is swift.write_and_wake(ends.thread, 0, 64, 1) is None
    assert swift.write_and_wake(ends.thread, 1, SIZE, 1) is None
    ends.sleeper()
    ends.space.memory.bytes[64] = 7
    assert swift.write_and_wake(ends.thread, FAR | 1, 64, 1) == 1
    assert ends.woken == [ends.pipe.queue] and ends.pipe.data == b"\7" and ends.traffic.done == [1]
    ends.pipe.data[:] = bytes(CAPACITY - 5)
    assert [swift.write_and_wake(ends.thread, 1, 64, count) for count in (6, 5)] == [None, 5]
    ends.pipe.data.clear()
    for name in ("wakeup", "enqueue"):
        setattr(ends.thread.kernel.hooks, name, print)
        assert swift.write_and_wake(ends.thread, 1, 64, 1) is None
        setattr(ends.thread.kernel.hooks, name, None)


def test_an_end_that_is_ready_is_told(ends: Ends) -> None:
    def polled(descriptor: int, events: int, count: int = FAR | 1, at: int = 32) -> tuple[int | None, int]:
        ends.space.memory.bytes[at:at + 8] = struct.pack("<ihH", descriptor, events, 0x5555)
        result = swift.poll(ends.thread, at, count, 0)
        return result, struct.unpack_from("<H", ends.space.memory.bytes, at + 6)[0]
    assert polled(1, POLLOUT) == (1, POLLOUT) and polled(1, POLLIN) == (None, 0x5555)
    assert polled(0, POLLIN) == polled(7, POLLIN) == polled(-1, POLLIN) == (None, 0x5555)
    ends.pipe.put(b"x")
    assert polled(0, POLLIN | POLLOUT) == (1, POLLIN)
    assert [polled(0, POLLIN, count)[0] for count in (0, 1, 2)] == [None, 1, None]
    assert polled(0, POLLIN, at=4088)[0] == 1 and polled(0, POLLIN, at=4089)[0] is None


def test_nobody_is_woken_where_nobody_waits(ends: Ends) -> None:
    assert swift.futex(ends.thread, 4096, FAR | FUTEX_WAKE, 1) == 0
    assert swift.futex(ends.thread, 4096, FUTEX_WAKE | PRIVATE, 1) == 0
    assert swift.futex(ends.thread, 4096, FUTEX_WAIT, 1) is None
    told = [swift.futex(ends.thread, 4096 + at, FUTEX_WAKE, 1) for at in (1, 2, 3, 4, 2044, 2052)]
    assert told == [None, None, None, 0, 0, 0]
    for at in (2048, 4096 + 2048):  # it may be mapped at both
        assert swift.futex(ends.thread, at, FUTEX_WAKE, 1) is None
    assert swift.futex(ends.thread, SIZE, FUTEX_WAKE, 1) is None
    ends.thread.process.space = None
    assert swift.futex(ends.thread, 4096, FUTEX_WAKE, 1) is None
