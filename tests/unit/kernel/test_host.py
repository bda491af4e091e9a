"""What the host lends the machine: descriptors, and its terminal, whose settings stay as they are."""

from __future__ import annotations

import errno
import os
import pty
import select
import stat
import struct
import termios
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from runtime.kernel.base.budgets import Budget, written
from runtime.kernel.vfs.devices.host import HOST_DEVICE, HostStream, wait_for_host, write_to_host
from runtime.kernel.vfs.ioctls import (
    FIONREAD,
    TCGETS,
    TCSETS,
    TCSETSF,
    TCSETSW,
    TIOCGPGRP,
    TIOCGSID,
    TIOCGWINSZ,
    TIOCSCTTY,
    TIOCSPGRP,
)

ANSWERING = FIONREAD, TCGETS, TIOCGWINSZ, TIOCGPGRP, TIOCGSID


@pytest.fixture
def ends() -> Iterator[Callable[[Callable[[], tuple[int, int]]], tuple[int, int]]]:
    made: list[int] = []

    def ends(make: Callable[[], tuple[int, int]]) -> tuple[int, int]:
        pair = make()
        made.extend(pair)
        return pair
    yield ends
    for descriptor in made:
        os.close(descriptor)


Ends = Callable[[Callable[[], tuple[int, int]]], tuple[int, int]]


class Program:
    """A program that asks: what it is told stands at 7."""

    def __init__(self) -> None:
        self.told = b""
        self.process = SimpleNamespace(pgid=40, sid=30)

    def write(self, address: int, data: bytes) -> None:
        assert address == 7
        self.told = data


def stream(descriptor: int, room: int = 1 << 20, *, ending: bool = False, sealed: bool = False) -> HostStream:
    return HostStream.adopt(descriptor, Budget(room), lambda: ending, sealed=sealed)


def asked(file: HostStream, request: int) -> bytes | int:
    """What a program is told, or the error."""
    program: Any = Program()
    try:
        assert file.ioctl(program, request, 7) == 0
    except OSError as error:
        return error.errno or 0
    return bytes(program.told)


def test_what_a_terminal_tells(ends: Ends) -> None:
    """Its size and settings are the host's, groups and sessions are the machine's; nothing changes it."""
    master, slave = ends(pty.openpty)
    termios.tcsetwinsize(slave, (24, 80))
    before = termios.tcgetattr(slave)
    file = stream(slave)
    assert asked(file, TIOCGWINSZ) == struct.pack("<4H", 24, 80, 0, 0)
    settings = asked(file, TCGETS)
    assert isinstance(settings, bytes) and len(settings) == 36
    assert list(struct.unpack("<4I", settings[:16])) == [mode & 0xFFFFFFFF for mode in before[:4]]
    assert (asked(file, TIOCGPGRP), asked(file, TIOCGSID)) == (struct.pack("<i", 40), struct.pack("<i", 30))
    for request in (TCSETS, TCSETSW, TCSETSF, TIOCSPGRP, TIOCSCTTY):
        assert asked(file, request) == b""
    assert termios.tcgetattr(slave) == before
    assert asked(file, 0x54FF) == errno.ENOTTY
    os.write(master, b"typed\n")
    assert wait_for_host([slave], lambda: False, 5) and asked(file, FIONREAD) == struct.pack("<i", 6)
    assert file.read(100) == b"typed\n"


def test_what_is_no_terminal(ends: Ends) -> None:
    reader, writer = ends(os.pipe)
    os.write(writer, b"abc")
    file = stream(reader)
    assert [asked(file, request) for request in ANSWERING] == [
        struct.pack("<i", 3), *[errno.ENOTTY] * (len(ANSWERING) - 1)]
    assert [asked(file, request) for request in (TCSETS, TIOCSPGRP)] == [errno.ENOTTY] * 2


def test_whether_anything_can_be_done(ends: Ends) -> None:
    """As poll(2) of the host has it."""
    reader, writer = ends(os.pipe)
    into, out = stream(reader), stream(writer)
    assert (into.poll(), out.poll()) == (0, select.POLLOUT)
    os.write(writer, b"x")
    assert (into.poll(), out.poll()) == (select.POLLIN, select.POLLOUT)
    while select.select((), (writer,), (), 0)[1]:
        os.write(writer, bytes(4096))
    assert (into.poll(), out.poll()) == (select.POLLIN, 0)


@pytest.mark.parametrize("ending", [False, True])
def test_reads_and_writes_that_do_not_wait(ending: bool, ends: Ends) -> None:
    """At the end of a run nothing waits for the host; the thread alone waits on."""
    reader, writer = ends(os.pipe)
    into, out = stream(reader, ending=ending), stream(writer, 200_000, ending=ending)
    for file in (into, out):
        assert file.queue is None
        file.flags |= 0 if ending else os.O_NONBLOCK
    with pytest.raises(BlockingIOError):
        into.read(5)
    assert (into.queue is not None) == ending
    assert out.write(b"") == 0
    done = 0
    with pytest.raises(BlockingIOError):
        while True:
            done += out.write(bytes(10_000))
    assert done > 40_000 and (out.queue is not None) == ending
    assert out.vnode.budget.used == done  # what was not written does not count
    assert asked(into, FIONREAD) == struct.pack("<i", done)


def test_a_budget_of_output(ends: Ends) -> None:
    _reader, writer = ends(os.pipe)
    file = stream(writer, 10)
    assert [file.write(b"abcdef"), file.write(b"ghijkl")] == [6, 4]
    with pytest.raises(OSError, match=os.strerror(errno.ENOSPC)):
        file.write(b"m")
    assert file.write(b"") == 0


def test_files_of_the_host(tmp_path: Path) -> None:
    """Only what has been written since can be cut off, and what is longer than before counts."""
    path = tmp_path / "out"
    path.write_bytes(b"before")
    with path.open("r+b", buffering=0) as opened:
        file = stream(opened.fileno(), 20)
        assert file.vnode.full_path() == os.fsencode(path)
        assert file.vnode.getattr().size == 6
        assert file.seek(0, os.SEEK_END) == 6
        assert (file.write(b" after"), file.pread(3, 6)) == (6, b"ore af")
        file.vnode.truncate(9)
        assert path.read_bytes() == b"before af"
        file.vnode.truncate(2)
        assert path.read_bytes() == b"before"
        assert file.pwrite(0, b"BE") == 2 and path.read_bytes() == b"BEfore"
        assert file.pwrite(6, bytes(30)) == 12
        with pytest.raises(OSError, match=os.strerror(errno.ENOSPC)):
            file.vnode.truncate(100)


def test_what_is_sealed(tmp_path: Path, ends: Ends) -> None:
    """Programs see only of what kind it is, and no name."""
    path = tmp_path / "out"
    path.write_bytes(b"before")
    reader, _writer = ends(os.pipe)
    with path.open("rb") as opened:
        for descriptor, kind, size in ((opened.fileno(), stat.S_IFREG, 6), (reader, stat.S_IFIFO, 0)):
            file = stream(descriptor, sealed=True)
            found = file.vnode.getattr()
            assert (found.mode, found.ino, found.dev, found.size, found.uid) == (
                kind | 0o600, descriptor + 1, HOST_DEVICE, size, 0)
            assert file.vnode.full_path() == b"host:[%d]" % descriptor
            plain = stream(descriptor)
            assert plain.vnode.getattr().ino == os.fstat(descriptor).st_ino
            assert plain.vnode.full_path() == os.readlink(b"/proc/self/fd/%d" % descriptor)


def test_waiting_for_the_host(ends: Ends) -> None:
    """Until something is there, the time is over, or the run is."""
    reader, writer = ends(os.pipe)
    began = time.monotonic()
    assert not wait_for_host([reader], lambda: False, 0)
    assert not wait_for_host([reader], lambda: False, 0.02)
    assert not wait_for_host([reader], lambda: True)
    assert wait_for_host([writer], lambda: True, writing=True)
    assert wait_for_host([writer], lambda: False, 0, writing=True)
    assert time.monotonic() - began < 5
    timer = threading.Timer(0.02, os.write, (writer, b"x"))
    timer.start()
    assert wait_for_host([reader], lambda: False)
    assert wait_for_host([reader], lambda: True) and wait_for_host([reader], lambda: False, 0)
    timer.join()
    os.read(reader, 1)
    for seconds in (None, 5):  # longer than between two looks
        timer = threading.Timer(0.15, os.write, (writer, b"x"))
        timer.start()
        assert wait_for_host([reader], lambda: False, seconds)
        timer.join()
        os.read(reader, 1)


def test_writes_that_wait_for_their_reader(ends: Ends) -> None:
    reader, writer = ends(os.pipe)
    data = bytes(range(256)) * 1000
    taken = bytearray()

    def take() -> None:
        while len(taken) < len(data):
            taken.extend(os.read(reader, 70_000))

    thread = threading.Thread(target=take)
    thread.start()
    assert write_to_host(writer, data, lambda: False) == len(data)
    thread.join()
    assert taken == data
    assert write_to_host(writer, data, lambda: False, nonblocking=True) <= 65536


@pytest.mark.parametrize(("option", "value", "text"), [
    ("timeout", 5 * 10**9, "5s"), ("timeout", 1500 * 10**6, "1500ms"), ("timeout", 90 * 10**9, "90s"),
    ("output", 64 << 20, "64m"), ("output", 3 << 30, "3g"), ("output", 1000, "1000"),
    ("output", 3 << 10, "3k"), ("output", 0, "0"), ("processes", 1024, "1024"),
    ("openfiles", 1 << 20, "1048576"), ("cputime", 3, "3ns"), ("cputime", 7000, "7us")])
def test_how_limits_are_written(option: str, value: int, text: str) -> None:
    assert written(option, value) == text
