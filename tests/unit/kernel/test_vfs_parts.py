"""Parts of the file system by themselves: what the host shows, devices, tapes, events, what is told of it."""

from __future__ import annotations

import errno
import os
import stat
import struct
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from runtime.kernel.base.budgets import Budget
from runtime.kernel.base.identity import Credentials, Identity
from runtime.kernel.kernel import Kernel
from runtime.kernel.vfs import inotify
from runtime.kernel.vfs.devices.devfs import DeviceDirectory
from runtime.kernel.vfs.devices.host import HOST_DEVICE, HostNode, HostStream, HostTerminal
from runtime.kernel.vfs.disk.marks import Marks
from runtime.kernel.vfs.disk.overlay import Overlay, OverlayDirectory, OverlayFile, OverlayLink
from runtime.kernel.vfs.disk.source import Source, _kind
from runtime.kernel.vfs.disk.tape import TapeNode, TapeStream
from runtime.kernel.vfs.filetable import DESCRIPTOR, FileTable
from runtime.kernel.vfs.inotify import OVERFLOW, InotifyFile
from runtime.kernel.vfs.pipe import pipe_ends
from runtime.kernel.vfs.uio import file_flags
from runtime.kernel.vfs.vnode import Attributes

ROOT = Credentials()


def refused(call: Any, *arguments: Any, **named: Any) -> int:
    with pytest.raises(OSError) as caught:
        call(*arguments, **named)
    return caught.value.errno or 0


class Other(Source):
    """A host on which somebody else runs the machine."""

    owner = 4321, 8765


class TestHost:
    def test_a_sealed_one_is_shown_without_its_numbers(self, tmp_path: Path) -> None:
        (tmp_path / "a" / "in").mkdir(parents=True)
        (tmp_path / "b").write_bytes(b"x" * 5000)
        os.mkfifo(tmp_path / "p")
        os.utime(tmp_path / "b", ns=(5, 7_000_000_001))
        me, group = os.geteuid(), os.getegid()
        for source, user, owner in ((Source(), 0, 0), (Other(), me, group)):
            overlay = Overlay(time.time_ns, os.fsencode(tmp_path), sealed=True, source=source, device=0x77)
            nodes = [overlay.root, *(overlay.root.lookup(name) for name in (b"a", b"b", b"p"))]
            told = [node.getattr() for node in nodes]
            assert [(each.uid, each.gid) for each in told] == [(user, owner)] * 4
            assert [each.ino for each in told] == [2, 3, 4, 5] and {each.dev for each in told} == {0x77}
            assert [each.nlink for each in told] == [3, 3, 1, 1]
            assert [(each.size, each.blocks) for each in told] == [(4096, 8), (4096, 8), (5000, 16), (0, 0)]
            assert (told[2].atime, told[2].mtime, told[2].ctime) == (7_000_000_001,) * 3
            assert [stat.S_IFMT(each.mode) for each in told] == [stat.S_IFDIR, stat.S_IFDIR, stat.S_IFREG,
                                                                 stat.S_IFIFO]
            assert [name.ino for name in overlay.root.names()] == [3, 4, 5]
            assert overlay._folders_in(os.fsencode(tmp_path / "none")) == 0

    def test_kinds_of_its_names(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "p")
        (tmp_path / "d").mkdir()
        (tmp_path / "f").touch()
        (tmp_path / "l").symlink_to("d")
        found = {entry.name: entry.kind for entry in Source().scan(os.fsencode(tmp_path))}
        assert found == {b"p": stat.S_IFIFO, b"d": stat.S_IFDIR, b"f": stat.S_IFREG, b"l": stat.S_IFLNK}

        def gone(**_options: bool) -> Any:
            raise FileNotFoundError
        entry: Any = SimpleNamespace(is_symlink=bool, is_dir=lambda **_: False, is_file=lambda **_: False,
                                     stat=gone)
        assert _kind(entry) == 0

    def test_marks_without_a_c_library(self, tmp_path: Path) -> None:
        file, marks = tmp_path / "f", Marks()
        marks._lstat = None
        file.write_bytes(b"one")
        first = marks.of(os.fsencode(file))
        assert first and marks.of(os.fsencode(file)) == first
        file.write_bytes(b"other")
        assert marks.of(os.fsencode(file)) != first
        assert marks.of(os.fsencode(tmp_path / "none")) == b""

    def test_what_it_says_of_itself(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.setenv("A_NAME", "a value")
        monkeypatch.chdir(tmp_path)
        source = Source()
        assert source.environment["A_NAME"] == "a value" and source.home == str(tmp_path)
        assert source.owner == (os.geteuid(), os.getegid())

    def test_a_descriptor_can_be_opened_by_its_name(self) -> None:
        reader, writer = os.pipe()
        try:
            node = HostNode(reader, b"in", Budget(9), lambda: False, sealed=True)
            file = node.open(os.O_RDONLY, ROOT)
            os.write(writer, b"bytes")
            assert isinstance(file, HostStream) and file.read(9) == b"bytes"
            assert node.getattr().dev == HOST_DEVICE and node.full_path() == b"in"
        finally:
            os.close(reader)
            os.close(writer)

    def test_its_terminal(self, monkeypatch: pytest.MonkeyPatch) -> None:
        terminal = HostTerminal(Budget(9), lambda: False)
        monkeypatch.setattr(os, "isatty", lambda descriptor: descriptor == 2)
        file = terminal.open(os.O_RDWR)
        assert isinstance(file, HostStream) and file.vnode.descriptor == 2
        monkeypatch.setattr(os, "isatty", lambda descriptor: descriptor > 2)
        assert refused(terminal.open, os.O_RDWR) == errno.ENXIO
        assert terminal.orphaned(5) is False


class Tape:
    """Says what it is told to, and keeps what it is told."""

    def __init__(self, *parts: bytes) -> None:
        self.parts = list(parts)
        self.told: list[tuple[int, bytes]] = []

    def read(self, size: int, _ending: Any) -> bytes:
        if not self.parts:
            raise BlockingIOError(errno.EAGAIN, "")
        return self.parts.pop(0)[:size]

    def wrote(self, descriptor: int, data: bytes) -> None:
        self.told.append((descriptor, data))


def test_a_tape_stands_for_the_hosts_descriptors() -> None:
    reader, writer = os.pipe()
    try:
        tape, budget = Tape(b"first", b"second"), Budget(8)
        into = TapeStream.adopt(tape, 0, budget, lambda: False)
        out = TapeStream.adopt(tape, writer, budget, lambda: False)
        assert (into.readable, into.writable, out.readable, out.writable) == (True, False, False, True)
        assert (into.vnode.full_path(), into.vnode.getattr().ino) == (b"host:[0]", 1)
        assert into.vnode.getattr().mode == stat.S_IFIFO | 0o600
        assert (into.read(3), into.read(9), into.queue) == (b"fir", b"second", None)
        assert refused(into.read, 9) == errno.EAGAIN
        queue = into.queue
        assert queue is not None and refused(into.read, 9) == errno.EAGAIN and into.queue is queue
        assert (out.write(b"12345"), out.write(b"67890"), out.write(b"")) == (5, 3, 0)
        assert refused(out.write, b"x") == errno.ENOSPC
        assert os.read(reader, 99) == b"12345678"
        assert tape.told == [(writer, b"12345"), (writer, b"678"), (writer, b"")]
        again = TapeNode(tape, writer, Budget(9), lambda: False).open(os.O_WRONLY, ROOT)
        assert again.write(b"z") == 1 and os.read(reader, 9) == b"z"
    finally:
        os.close(reader)
        os.close(writer)


class TestDevices:
    TABLE: dict[str, Any] = {"/dev/a": object(), "/dev/deep/x": object(), "/dev/deep/er/y": object(),
                             "/other/z": object(), "/dev/b": object()}

    def names(self, directory: Any) -> list[bytes]:
        return [entry.name for entry in directory.names()]

    def test_names_of_devices_are_in_their_directories(self) -> None:
        overlay = Overlay(time.time_ns, None)
        attributes = overlay.fresh(stat.S_IFDIR | 0o755, ROOT)
        directory = DeviceDirectory(overlay, attributes, self.TABLE, "/dev/")
        directory.make(b"b", stat.S_IFREG | 0o600, ROOT)
        assert self.names(directory) == [b"b", b"a", b"deep"]
        assert sorted(self.names(directory)) == [b"a", b"b", b"deep"]  # one of them is linked now
        deep = directory.lookup(b"deep")
        assert isinstance(deep, DeviceDirectory) and deep.attributes.nlink == 2
        assert self.names(deep) == [b"x", b"er"] and self.names(deep.lookup(b"er")) == [b"y"]
        assert stat.S_ISCHR(directory.lookup(b"a").attributes.mode)
        assert directory.lookup(b"a") is directory.lookup(b"a")
        assert refused(directory.lookup, b"z") == refused(directory.lookup, b"dee") == errno.ENOENT


def test_events_beyond_those_that_are_kept_are_told_as_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inotify, "LIMIT", 3)
    file = InotifyFile(0, Budget(1 << 40))
    for number in range(9):
        file.put(number, 2, 3, b"")
    assert list(struct.iter_unpack("<iIII", file.read(1 << 20))) == [
        (0, 2, 3, 0), (1, 2, 3, 0), (2, 2, 3, 0), (-1, OVERFLOW, 0, 0)]


def test_flags_as_illumos_keeps_them() -> None:
    read, write, append, sync, data_sync, no_wait = 0x1, 0x2, 0x8, 0x10, 0x40, 0x80  # <sys/file.h>
    for mode, kept in ((os.O_RDONLY, read), (os.O_WRONLY, write), (os.O_RDWR, read | write)):
        for flags, more in ((0, 0), (os.O_DSYNC, data_sync), (os.O_SYNC, sync), (os.O_APPEND, append),
                            (os.O_NONBLOCK, no_wait), (os.O_CREAT | os.O_EXCL | os.O_TRUNC, 0),
                            (os.O_APPEND | os.O_NONBLOCK | os.O_SYNC, append | no_wait | sync)):
            assert file_flags(mode | flags) == kept | more, (mode, flags)


def test_a_pipe_is_opened_anew_by_the_name_of_its_descriptor() -> None:
    reader, writer = pipe_ends(Attributes(stat.S_IFIFO | 0o600, ino=77), 0)
    assert reader.vnode.full_path() == b"pipe:[77]"
    other = reader.vnode.open(os.O_WRONLY, ROOT)
    assert (writer.write(b"ab"), other.write(b"cd"), reader.read(9)) == (2, 2, b"abcd")


def test_descriptors_that_are_free() -> None:
    table = FileTable(3, Budget(9), Budget(1 << 20), lambda file: None, lambda file: None)
    assert table.free(3) == [0, 1, 2] and refused(table.free, 4) == errno.EMFILE


def test_a_descriptor_takes_memory_while_it_means_a_file() -> None:
    """And none for a file beyond those that can be open; one that replaces another takes no more."""
    opened, heap = Budget(1), Budget(1 << 20)
    table = FileTable(3, opened, heap, lambda file: None, lambda file: None)
    reader, writer = pipe_ends(Attributes(stat.S_IFIFO | 0o600), 0)
    assert table.add(reader) == 0 and (opened.used, heap.used) == (1, DESCRIPTOR)
    for number in (0, 2):
        assert refused(table.put, number, writer) == errno.ENOSPC
    assert (opened.used, heap.used, list(table), table.get(0)) == (1, DESCRIPTOR, [0], reader)
    table.put(2, reader)
    table.put(2, reader)
    assert (opened.used, heap.used, list(table)) == (1, 2 * DESCRIPTOR, [0, 2])
    assert [refused(table.put, number, reader) for number in (3, -1)] == [errno.EBADF] * 2
    table.close(0)
    assert heap.used == DESCRIPTOR and refused(table.close, 0) == refused(table.get, 0) == errno.EBADF


class TestFileSystem:
    def test_only_what_makes_sense_is_added(self, tmp_path: Path) -> None:
        kernel = Kernel()
        files, path = kernel.vfs, str(tmp_path)
        try:
            files.add(f"{path}/d", stat.S_IFDIR | 0o711, Credentials(5, 6))
            files.add(f"{path}/d/f", stat.S_IFREG | 0o604, ROOT, b"text")
            files.add(f"{path}/d", stat.S_IFDIR | 0o755, Credentials(7, 8))
            found = files.context(f"{path}/d", files.root).cwd
            assert (found.attributes.mode, found.attributes.uid, found.attributes.gid) == (
                stat.S_IFDIR | 0o755, 7, 8)
            assert refused(files.add, f"{path}/d", stat.S_IFREG | 0o600, ROOT) == errno.EISDIR
            assert refused(files.add, f"{path}/d/f/x", stat.S_IFREG | 0o600, ROOT) == errno.ENOTDIR
            assert refused(files.context, f"{path}/d/f", files.root) == errno.ENOTDIR
            assert refused(files.zone_root, f"{path}/d/f") == errno.ENOTDIR
            files.add(f"{path}/d/f", stat.S_IFLNK | 0o777, ROOT, b"target")
            link = found.lookup(b"f")
            assert isinstance(link, OverlayLink) and link.target() == b"target"
            files.append(f"{path}/log", b"one")
            files.append(f"{path}/log", b"two")
            log = found.parent.lookup(b"log")
            assert isinstance(log, OverlayFile) and log.pread(0, 99) == b"onetwo"
            assert log.attributes.mode == stat.S_IFREG | 0o644
            table, view = FileTable(9, Budget(9), Budget(1 << 20), lambda file: None, lambda file: None), \
                files.context(path, files.root)
            files.redirect(table, 1, "out", ROOT, view)
            assert found.parent.lookup(b"out").attributes.mode == stat.S_IFREG | 0o644
            assert refused(files.redirect, table, 1, "d", ROOT, view) == errno.EISDIR
            assert refused(files.redirect, table, 0, "none", ROOT, view) == errno.ENOENT
            files.redirect(table, 0, "log", ROOT, view)
            assert table.get(0).read(9) == b"onetwo" and table.get(1).write(b"x") == 1
        finally:
            kernel.close()


COMMANDS = ("ln -s target link; test -w link; test -x .; echo text > file; test -x file; "
            "read line < file; mkdir folder; chmod 600 file; echo *; rm file; rmdir folder; [ -t 1 ]")


def test_what_tracers_are_told_of_calls(tmp_path: Path) -> None:
    kernel = Kernel()
    told: dict[str, list[Any]] = {}
    returned: list[tuple[Any, Any, int]] = []
    names = ("fop_symlink", "fop_access", "fop_open", "fop_read", "fop_write", "fop_mkdir", "fop_setattr",
             "fop_readdir", "fop_remove", "fop_rmdir", "fop_ioctl", "fop_getattr", "fop_close")
    for name in names:
        told[name] = []
        kernel.functions.watch(name, entered=told[name].append)
    kernel.functions.watch("fop_access", returned=lambda *values: returned.append(values))
    who = Identity(os.getuid(), os.getgid(), tuple(os.getgroups()))
    kernel.spawn(["/bin/sh", "-c", COMMANDS], {"PATH": "/usr/bin:/bin"}, str(tmp_path), who, stopped=False)
    assert kernel.run(60 * 10**9) in ("done", "until")
    where = next(each[0] for each in told["fop_symlink"])
    assert isinstance(where, OverlayDirectory) and where.full_path() == os.fsencode(tmp_path)
    (symlink,) = told["fop_symlink"]
    assert (symlink[1], symlink[2].mode, symlink[3]) == (b"link", stat.S_IFLNK | 0o777, b"target")
    wanted = [(each[1], each[2]) for each in told["fop_access"] if each[0] is where]
    assert (0o100, 0) in wanted
    assert all(each[2:] == (0, each[3]) for each in told["fop_access"])
    assert {number for _given, _result, number in returned} == {0, errno.EACCES}
    (made,) = [each for each in told["fop_mkdir"] if each[1] == b"folder"]
    assert made[0] is where
    (mode,) = [each for each in told["fop_setattr"] if each[1].mode & 0o7777 == 0o600]
    assert mode[0].where == (where, b"file") and mode[2] == 0
    removed = next(each for each in told["fop_remove"] if each[1] == b"file")
    assert removed[0] is where and removed[2] is not None
    gone = next(each for each in told["fop_rmdir"] if each[1] == b"folder")
    assert gone[0] is where and gone[2] is where
    listed = next(each for each in told["fop_readdir"] if each[0] is where)
    assert listed[1].resid > 0 and len(listed) == 3
    opened = [each[1] for each in told["fop_open"] if each[0].where == (where, b"file")]
    assert opened and all(isinstance(each, int) for each in opened)
    assert all(each[2] == 0 for each in told["fop_getattr"])
    kernel.close()
