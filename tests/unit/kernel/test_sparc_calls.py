"""The system calls that SPARC programs make in their own way: structures, signals and flags, by value."""

from __future__ import annotations

import errno
import fcntl
import os
import struct
from types import SimpleNamespace
from typing import Any

import pytest

from runtime.kernel.base import signals as generic
from runtime.kernel.base.budgets import Budget
from runtime.kernel.base.clock import SECOND
from runtime.kernel.base.signals import SA_NODEFER, SA_RESTART, SIGCHLD, SIGUSR1, SIGUSR2, SignalState, bit
from runtime.kernel.process.process import RLIMIT_NOFILE, RLIMIT_NPROC
from runtime.kernel.syscalls.sparc import filecalls, processcalls
from runtime.kernel.vfs.vnode import Attributes

BITS = [32, 64]
THEIR_USR1, THEIR_USR2, THEIR_CHLD = 30, 31, 20
NOW = 5 * SECOND + 678_901_234


class Thread:
    """A thread whose memory is 4 KiB and which has no other work to do."""

    def __init__(self, bits: int) -> None:
        self.memory = bytearray(4096)
        self.mask = 0
        self.process = SimpleNamespace(bits=bits, signals=SignalState(Budget(9)), threads=[],
                                       processor=SimpleNamespace(order=">", page=8192))
        self.kernel = SimpleNamespace(walltime=lambda: NOW)
        self.written: dict[int, int] = {}
        self.regs = SimpleNamespace(write=self.written.__setitem__)

    def read(self, address: int, size: int) -> bytes:
        return bytes(self.memory[address:address + size])

    def write(self, address: int, data: bytes) -> None:
        self.memory[address:address + len(data)] = data

    def set_mask(self, mask: int) -> None:
        self.mask = mask


@pytest.fixture(params=BITS)
def thread(request: pytest.FixtureRequest) -> Any:
    return Thread(request.param)


def refused(call: Any, *arguments: Any) -> int:
    with pytest.raises(OSError) as caught:
        call(*arguments)
    return caught.value.errno or 0


def noting(asked: list[Any], result: Any) -> Any:
    """What keeps the arguments of each call, but for its thread."""
    def call(_thread: Any, *rest: Any) -> Any:
        asked.append(rest)
        return result
    return call


def mask_of(thread: Any, *numbers: int) -> bytes:
    """A sigset_t of SPARC."""
    mask = sum(1 << number - 1 for number in numbers)
    low, high = mask & 0xFFFFFFFF, mask >> 32
    return struct.pack(">II", *((low, high) if thread.process.bits == 32 else (high, low)))


def test_the_time_has_microseconds_of_32_bits(thread: Any) -> None:
    thread.memory[:32] = b"\xff" * 32
    assert processcalls.sys_sparc_gettimeofday(thread, 0, 24) == 0
    assert thread.read(0, 32) == b"\xff" * 24 + bytes(8)
    assert processcalls.sys_sparc_gettimeofday(thread, 8, 0) == 0
    told = struct.pack(">qi4x", 5, 678_901) if thread.process.bits == 64 else struct.pack(">ii", 5, 678_901)
    assert thread.read(8, len(told) + 8) == told + thread.read(8 + len(told), 8)
    assert thread.read(8 + len(told), 16 - len(told)) == b"\xff" * (16 - len(told))


def test_actions_are_set_and_told(thread: Any) -> None:
    word = ">Q" if thread.process.bits == 64 else ">I"
    size = struct.calcsize(word)
    new, old = 64, 256
    thread.write(new, b"".join(struct.pack(word, value) for value in (0x4000, 0x22, 0)) +
                 mask_of(thread, THEIR_CHLD, 40))
    assert processcalls.sys_sparc_rt_sigaction(thread, THEIR_USR1, new, 0, 0x5000, 8) == 0
    action = thread.process.signals.action(SIGUSR1)
    assert (action.handler, action.flags, action.restorer, action.mask) == (
        0x4000, SA_RESTART | SA_NODEFER, 0x5000, bit(SIGCHLD) | bit(40))
    assert processcalls.sys_sparc_rt_sigaction(thread, THEIR_USR1, 0, old, 0, 8) == 0
    assert thread.read(old, 3 * size + 8) == b"".join(
        struct.pack(word, value) for value in (0x4000, 0x22, 0x5000)) + mask_of(thread, THEIR_CHLD, 40)
    assert [refused(processcalls.sys_sparc_rt_sigaction, thread, number, 0, old, 0, length)
            for number, length in ((THEIR_USR1, 4), (0, 8), (65, 8), (-1, 8))] == [errno.EINVAL] * 4


def test_the_old_form_has_a_restorer_if_its_number_is_negative() -> None:
    thread: Any = Thread(32)
    for sign, restorer in ((1, 0), (-1, 0x6000)):
        thread.write(64, struct.pack(">4I", 0x4000, 1 << THEIR_CHLD - 1, 2, 0x6000))
        assert processcalls.sys_sparc_sigaction(thread, sign * THEIR_USR2, 64, 0) == 0
        action = thread.process.signals.action(SIGUSR2)
        assert (action.handler, action.flags, action.restorer, action.mask) == (
            0x4000, SA_RESTART, restorer, bit(SIGCHLD))
        assert processcalls.sys_sparc_sigaction(thread, THEIR_USR2, 0, 256) == 0
        assert struct.unpack(">4I", thread.read(256, 16)) == (0x4000, 1 << THEIR_CHLD - 1, 2, restorer)
    assert refused(processcalls.sys_sparc_sigaction, thread, 0, 0, 256) == errno.EINVAL


def test_masks_change_by_numbers_of_their_own(thread: Any) -> None:
    thread.write(64, mask_of(thread, THEIR_USR1, 50))
    assert processcalls.sys_sparc_rt_sigprocmask(thread, 1, 64, 0, 8) == 0
    assert thread.mask == bit(SIGUSR1) | bit(50)
    thread.write(64, mask_of(thread, 50, THEIR_CHLD))
    assert processcalls.sys_sparc_rt_sigprocmask(thread, 2, 64, 256, 8) == 0
    assert (thread.mask, thread.read(256, 8)) == (bit(SIGUSR1), mask_of(thread, THEIR_USR1, 50))
    assert processcalls.sys_sparc_rt_sigprocmask(thread, 4, 64, 0, 8) == 0
    assert thread.mask == bit(50) | bit(SIGCHLD)
    assert processcalls.sys_sparc_rt_sigprocmask(thread, 9, 0, 256, 8) == 0
    assert thread.read(256, 8) == mask_of(thread, 50, THEIR_CHLD)
    assert [refused(processcalls.sys_sparc_rt_sigprocmask, thread, how, 64, 0, size)
            for how, size in ((0, 8), (3, 8), (1, 4))] == [errno.EINVAL] * 3


def test_the_old_form_of_masks_has_32_bits() -> None:
    thread: Any = Thread(32)
    thread.write(64, struct.pack(">II", 1 << THEIR_USR1 - 1, 0xFFFFFFFF))
    assert processcalls.sys_sparc_sigprocmask(thread, 1, 64, 256) == 0
    assert (thread.mask, thread.read(256, 8)) == (bit(SIGUSR1), bytes(8))
    assert processcalls.sys_sparc_sigprocmask(thread, 2, 0, 256) == 0
    assert (thread.mask, thread.read(256, 8)) == (bit(SIGUSR1), struct.pack(">II", 1 << THEIR_USR1 - 1, 0))
    assert refused(processcalls.sys_sparc_sigprocmask, thread, 3, 64, 0) == errno.EINVAL


def test_signals_are_sent_by_their_numbers(monkeypatch: pytest.MonkeyPatch, thread: Any) -> None:
    sent: list[tuple[int, ...]] = []
    for name in ("sys_kill", "sys_tkill", "sys_tgkill"):
        monkeypatch.setattr(processcalls.signals, name, noting(sent, 7))
    assert processcalls.sys_sparc_kill(thread, 5, 0) == processcalls.sys_sparc_tkill(thread, 6, THEIR_USR1) \
        == processcalls.sys_sparc_tgkill(thread, 8, 9, THEIR_CHLD) == 7
    assert sent == [(5, 0), (6, SIGUSR1), (8, 9, SIGCHLD)]
    for number in (65, -1):
        assert refused(processcalls.sys_sparc_kill, thread, 5, number) == errno.EINVAL
    assert len(sent) == 3


def test_a_child_is_told_by_two_registers(monkeypatch: pytest.MonkeyPatch, thread: Any) -> None:
    made: list[tuple[int, ...]] = []
    for name in ("sys_fork", "sys_vfork", "sys_clone"):
        monkeypatch.setattr(processcalls.lifecycle, name, noting(made, 44))
    assert processcalls.sys_sparc_fork(thread) == processcalls.sys_sparc_vfork(thread) == 44
    assert processcalls.sys_sparc_clone(thread, 0x100 | THEIR_CHLD, 1, 2, 3, 4) == 44
    assert made == [(), (), (0x100 | generic.SIGCHLD, 1, 2, 4, 3)]
    assert list(thread.written.values()) == [0]


def test_how_a_child_ended(monkeypatch: pytest.MonkeyPatch, thread: Any) -> None:
    found = SimpleNamespace(status=SIGUSR1, pid=77)
    monkeypatch.setattr(processcalls.lifecycle, "wait_for", lambda _thread, pid, options: found)
    thread.memory[:16] = b"\xff" * 16
    assert processcalls.sys_sparc_wait4(thread, -1, 4, 0, 0) == 77
    assert thread.read(0, 12) == b"\xff" * 4 + struct.pack(">I", THEIR_USR1) + b"\xff" * 4
    assert processcalls.sys_sparc_wait4(thread, -1, 0, 0, 0) == 77
    assert refused(processcalls.sys_sparc_wait4, thread, -1, 0, 0, 8) == errno.EFAULT
    monkeypatch.setattr(processcalls.lifecycle, "wait_for", lambda _thread, pid, options: None)
    assert processcalls.sys_sparc_wait4(thread, -1, 4, 0, 0) == 0


def test_a_file_is_told_in_their_form(monkeypatch: pytest.MonkeyPatch, thread: Any) -> None:
    node = Attributes(0o100644, 7, 8, 3, 1 << 33, 99, 0x801, 0x105, 4096, 16, 11 * SECOND + 12,
                      13 * SECOND + 14, 15 * SECOND + 16)
    asked: list[Any] = []
    monkeypatch.setattr(filecalls, "path_attributes", noting(asked, node))
    monkeypatch.setattr(filecalls, "descriptor_attributes", noting(asked, node))
    told = []
    for call, arguments in ((filecalls.sys_sparc_stat64, (5, 256)), (filecalls.sys_sparc_lstat64, (6, 256)),
                            (filecalls.sys_sparc_fstat64, (7, 256)),
                            (filecalls.sys_sparc_fstatat64, (8, 9, 256, 1))):
        thread.write(256, b"\xff" * 200)
        assert call(thread, *arguments) == 0
        told.append(thread.read(256, 200))
    assert asked == [(-100, 5), (-100, 6, 0x100), (7,), (8, 9, 1)]
    wide = thread.process.bits == 64
    size = 144 if wide else 104
    assert told == [told[0]] * 4 and told[0][size:] == b"\xff" * (200 - size)
    if wide:
        form, links = ">QQQIII4xQqqq6q24x", (3, 0o100644)
        values = struct.unpack(form, told[0][:size])
        assert values[1:6] == (99, *links, 7, 8)
        assert values[7:] == (1 << 33, 4096, 16, 11, 12, 13, 14, 15, 16)
    else:
        assert struct.unpack(">Q4I", told[0][8:32]) == (99, 0o100644, 3, 7, 8)
        assert struct.unpack(">qI4xq6I", told[0][48:96]) == (1 << 33, 4096, 16, 11, 12, 13, 14, 15, 16)


def test_flags_of_files_are_theirs(monkeypatch: pytest.MonkeyPatch, thread: Any) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(filecalls.transfers, "sys_open", noting(asked, 3))
    monkeypatch.setattr(filecalls.transfers, "sys_openat", noting(asked, 3))
    monkeypatch.setattr(filecalls.pipe, "sys_pipe2", noting(asked, 3))
    monkeypatch.setattr(filecalls.pipe, "make", noting(asked, (5, 6)))
    assert filecalls.sys_sparc_open(thread, 1, 0x602, 0o600) == filecalls.sys_sparc_openat(
        thread, 4, 1, 0x10000, 0) == filecalls.sys_sparc_pipe2(thread, 2, 0x404000) == 3
    assert filecalls.sys_sparc_pipe(thread, 0) == 5 and list(thread.written.values()) == [6]
    assert asked == [(1, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600), (4, 1, os.O_DIRECTORY, 0),
                     (2, os.O_CLOEXEC | os.O_NONBLOCK), (0,)]


def test_commands_of_fcntl_are_theirs(monkeypatch: pytest.MonkeyPatch, thread: Any) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(filecalls.descriptors, "sys_fcntl",
                        noting(asked, os.O_RDWR | os.O_APPEND))
    assert filecalls.sys_sparc_fcntl(thread, 1, fcntl.F_GETFL, 0) == 0xA
    assert filecalls.sys_sparc_fcntl(thread, 1, fcntl.F_SETFL, 0x4008) == os.O_RDWR | os.O_APPEND
    for theirs in range(5, 10):
        filecalls.sys_sparc_fcntl(thread, 1, theirs, 0)
    assert asked == [(1, fcntl.F_GETFL, 0), (1, fcntl.F_SETFL, os.O_APPEND | os.O_NONBLOCK),
                     (1, fcntl.F_GETOWN, 0), (1, fcntl.F_SETOWN, 0), *[(1, 1 << 16, 0)] * 3]


def test_mappings_have_their_pages(monkeypatch: pytest.MonkeyPatch, thread: Any) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(filecalls.mapping, "sys_mmap", noting(asked, 1))
    monkeypatch.setattr(filecalls.identity, "sys_prlimit64", noting(asked, 1))
    for size in (1, 8191, 8192, 8193):
        filecalls.sys_sparc_mmap(thread, 8192, size, 3, 2, -1, 16384)
    assert [each[1] for each in asked] == [8192, 8192, 8192, 16384]
    assert asked[0] == (8192, 8192, 3, 2, -1, 16384)
    assert [refused(filecalls.sys_sparc_mmap, thread, *rest) for rest in (
        (4096, 1, 3, 2, -1, 0), (8192, 1, 3, 2, -1, 4096), (8192, 1, 3, 1, -1, 0))] == [
            errno.EINVAL, errno.EINVAL, errno.ENODEV]
    thread.process.processor.page = 4096
    asked.clear()
    assert filecalls.sys_sparc_mmap(thread, 4096, 1, 3, 1, -1, 4096) == 1
    assert asked.pop() == (4096, 4096, 3, 1, -1, 4096)
    for resource in (5, 6, 7, 8):
        filecalls.sys_sparc_prlimit64(thread, 0, resource, 1, 2)
    assert asked == [(0, each, 1, 2) for each in (5, RLIMIT_NOFILE, RLIMIT_NPROC, 8)]


def test_both_returns_from_a_handler_go_back(monkeypatch: pytest.MonkeyPatch, thread: Any) -> None:
    popped: list[Any] = []
    monkeypatch.setattr(processcalls.sigframe, "pop", popped.append)
    assert processcalls.sys_sparc_sigreturn(thread) == processcalls.sys_sparc_rt_sigreturn(thread) == 0
    assert popped == [thread, thread]
