"""The file system by itself: overlay, paths, descriptors, pipes, locks, sockets, epoll."""

from __future__ import annotations

import errno
import os
import stat
import struct
from itertools import pairwise
from pathlib import Path

import pytest

from runtime.kernel.base.budgets import Budget
from runtime.kernel.base.hooks import Hooks
from runtime.kernel.base.identity import Credentials
from runtime.kernel.kernel import Kernel
from runtime.kernel.net.address import AF_INET, AF_UNIX, Address
from runtime.kernel.net.loopback import UDP, Loopback, Packet
from runtime.kernel.net.socket import SOCK_DGRAM, SOCK_STREAM, Network, Peer, Segment, Socket
from runtime.kernel.vfs.disk.overlay import INODE, KEPT, NAME, Overlay, OverlayDirectory, OverlayFile
from runtime.kernel.vfs.epoll import EPOLLET, EPOLLONESHOT, WATCH, EpollFile
from runtime.kernel.vfs.eventfd import AnonymousNode, EventFile
from runtime.kernel.vfs.filetable import DESCRIPTOR, FileTable
from runtime.kernel.vfs.fops import _demand_removal
from runtime.kernel.vfs.locks import Lock, LockTable
from runtime.kernel.vfs.namespace import View, mount, walk
from runtime.kernel.vfs.pipe import CAPACITY, pipe_ends
from runtime.kernel.vfs.vnode import (
    EXECUTE,
    POLLERR,
    POLLHUP,
    POLLIN,
    READ,
    WRITE,
    Attributes,
    Directory,
    File,
)

ROOT, USER = Credentials(), Credentials(1000, 1000, (50,))
LOOPBACK = b"\x7f\0\0\1"


class Clock:
    def __init__(self) -> None:
        self.time = 10**18

    def __call__(self) -> int:
        self.time += 1
        return self.time


@pytest.fixture
def host(tmp_path: Path) -> Path:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "one").write_bytes(b"first")
    (tmp_path / "two").write_bytes(b"second")
    (tmp_path / "link").symlink_to("folder/one")
    os.link(tmp_path / "two", tmp_path / "twin")
    return tmp_path


@pytest.fixture
def overlay(host: Path) -> Overlay:
    return Overlay(Clock(), os.fsencode(host))


def find(overlay: Overlay, path: bytes, **options: bool) -> object:
    view = View(overlay.root, overlay.root)
    return walk(view, overlay.root, path, ROOT, **options).existing


def expect(number: int, function: object, *values: object, **named: object) -> None:
    with pytest.raises(OSError) as caught:
        function(*values, **named)  # type: ignore[operator]
    assert caught.value.errno == number


class TestOverlay:
    def test_writes_stay_off_the_host(self, overlay: Overlay, host: Path) -> None:
        node = find(overlay, b"two")
        assert isinstance(node, OverlayFile)
        node.pwrite(0, b"SEC")
        node.pwrite(10, b"!")
        assert node.pread(0, 100) == b"SECond\0\0\0\0!"
        assert node.getattr().size == 11
        assert (host / "two").read_bytes() == b"second"

    @pytest.mark.parametrize(("size", "blocks"), [(0, 0), (1, 8), (4096, 8), (4097, 16), (8192, 16)])
    def test_a_file_takes_whole_pages(self, overlay: Overlay, size: int, blocks: int) -> None:
        node = find(overlay, b"two")
        assert isinstance(node, OverlayFile)
        node.truncate(0)
        node.pwrite(0, bytes(size))
        assert (node.getattr().size, node.getattr().blocks) == (size, blocks)

    def test_both_names_of_a_file_show_the_change_even_when_nobody_holds_it(self, overlay: Overlay) -> None:
        find(overlay, b"two").pwrite(0, b"S")  # type: ignore[attr-defined]
        assert find(overlay, b"twin").pread(0, 9) == b"Second"  # type: ignore[attr-defined]

    def test_truncation_needs_no_copy_and_zeroes(self, overlay: Overlay) -> None:
        node = find(overlay, b"two")
        assert isinstance(node, OverlayFile)
        node.truncate(0)
        node.truncate(3)
        assert node.pread(0, 9) == bytes(3)

    def test_deleted_names_are_gone_and_can_come_back(self, overlay: Overlay, host: Path) -> None:
        overlay.root.unlink(b"two")
        expect(errno.ENOENT, find, overlay, b"two")
        assert b"two" not in [name.name for name in overlay.root.names()]
        overlay.root.make(b"two", stat.S_IFREG | 0o600, USER)
        assert [name.name for name in overlay.root.names()].count(b"two") == 1
        assert find(overlay, b"two").attributes.uid == 1000  # type: ignore[attr-defined]
        assert (host / "two").exists()

    def test_a_renamed_host_directory_keeps_its_children(self, overlay: Overlay) -> None:
        folder = overlay.root.unlink(b"folder")
        overlay.root.link(b"moved", folder)
        assert find(overlay, b"moved/one").pread(0, 9) == b"first"  # type: ignore[attr-defined]
        assert find(overlay, b"moved/one").full_path() == b"/moved/one"  # type: ignore[attr-defined]
        expect(errno.ENOENT, find, overlay, b"folder/one")

    def test_changes_of_the_host_are_seen_at_once(self, overlay: Overlay, host: Path) -> None:
        """Although what was looked up last is kept: a file that is written, touched, replaced, or gone."""
        one = host / "folder" / "one"
        first = find(overlay, b"/folder/one")
        assert isinstance(first, OverlayFile)
        assert find(overlay, b"/folder/one") is first
        number = first.attributes.ino
        del first
        with one.open("ab") as file:
            file.write(b" and more")
        assert find(overlay, b"/folder/one").size == 14  # type: ignore[attr-defined]
        one.chmod(0o611)
        assert find(overlay, b"/folder/one").attributes.mode & 0o777 == 0o611  # type: ignore[attr-defined]
        os.utime(one, ns=(5, 7))
        assert find(overlay, b"/folder/one").attributes.mtime == 7  # type: ignore[attr-defined]
        (host / "new").write_bytes(b"new")
        (host / "new").rename(one)
        other = find(overlay, b"/folder/one")
        assert isinstance(other, OverlayFile) and other.attributes.ino != number
        assert other.pread(0, 9) == b"new"
        one.unlink()
        with pytest.raises(FileNotFoundError):
            find(overlay, b"/folder/one")
        one.symlink_to("../two")
        assert find(overlay, b"/folder/one") is find(overlay, b"/two")

    def test_a_user_keeps_what_it_has_looked_up(self, overlay: Overlay, host: Path) -> None:
        node = find(overlay, b"/two")
        (host / "two").write_bytes(b"longer than second")
        assert find(overlay, b"/two") is node and find(overlay, b"/twin") is node
        del node
        assert find(overlay, b"/twin").size == 18  # type: ignore[attr-defined]

    def test_few_files_of_the_host_are_kept_open(self, overlay: Overlay, host: Path) -> None:
        before = len(os.listdir("/proc/self/fd"))
        for number in range(3 * KEPT):
            (host / str(number)).write_bytes(b"text")
            node = find(overlay, b"/%d" % number)
            assert isinstance(node, OverlayFile) and node.pread(0, 9) == b"text"
        assert len(os.listdir("/proc/self/fd")) <= before + KEPT

    def test_order_is_the_hosts(self, overlay: Overlay, host: Path) -> None:
        assert [os.fsdecode(name.name) for name in overlay.root.names()] == [
            entry.name for entry in os.scandir(host)]

    def test_memory_is_bounded(self, host: Path) -> None:
        overlay = Overlay(Clock(), os.fsencode(host), budget=Budget(9000 + INODE + NAME))
        node = overlay.root.make(b"big", stat.S_IFREG | 0o600, ROOT)
        assert isinstance(node, OverlayFile)
        assert node.pwrite(0, bytes(8000)) == 8000
        assert node.pwrite(8000, bytes(2000)) == 192  # as far as there is room
        expect(errno.ENOSPC, node.pwrite, 1 << 40, b"1")
        node.truncate(1 << 40)
        node.punch(0, 4096)
        assert node.pwrite(1 << 39, b"1") == 1
        expect(errno.ENOSPC, node.allocate, 0, 4096, longer=False)
        node.truncate(0)
        assert overlay.budget.used == INODE + NAME

    def test_set_group_id_directories_hand_their_group_down(self, overlay: Overlay) -> None:
        folder = overlay.root.make(b"shared", stat.S_IFDIR | 0o2775, Credentials(0, 77))
        assert isinstance(folder, OverlayDirectory)
        assert folder.make(b"f", stat.S_IFREG | 0o644, USER).attributes.gid == 77
        assert folder.make(b"d", stat.S_IFDIR | 0o755, USER).attributes.mode & stat.S_ISGID


class TestPaths:
    def test_links_dots_and_slashes(self, overlay: Overlay) -> None:
        assert find(overlay, b"link").pread(0, 9) == b"first"  # type: ignore[attr-defined]
        assert find(overlay, b"link", follow=False).target() == b"folder/one"  # type: ignore[attr-defined]
        assert find(overlay, b"./folder/../folder//one") is find(overlay, b"/folder/one")
        assert find(overlay, b"..") is overlay.root
        expect(errno.ENOTDIR, find, overlay, b"two/")
        expect(errno.ENOTDIR, find, overlay, b"two/below")
        expect(errno.ENOENT, find, overlay, b"none/below")
        expect(errno.ENOENT, find, overlay, b"")
        expect(errno.ENAMETOOLONG, find, overlay, b"x" * 256)
        expect(errno.ENAMETOOLONG, find, overlay, b"x/" * 2100)

    def test_loops_end(self, overlay: Overlay) -> None:
        overlay.root.make(b"loop", stat.S_IFLNK | 0o777, ROOT, target=b"loop")
        expect(errno.ELOOP, find, overlay, b"loop")

    def test_search_permission(self, overlay: Overlay) -> None:
        closed = overlay.root.make(b"closed", stat.S_IFDIR | 0o700, ROOT)
        assert isinstance(closed, Directory)
        closed.make(b"f", stat.S_IFREG | 0o666, ROOT)
        view = View(overlay.root, overlay.root)
        expect(errno.EACCES, walk, view, overlay.root, b"closed/f", USER)

    def test_a_changed_root_cannot_be_left(self, overlay: Overlay) -> None:
        folder = find(overlay, b"folder")
        assert isinstance(folder, Directory)
        view = View(folder, folder)
        assert walk(view, folder, b"/../../one", ROOT).existing is find(overlay, b"folder/one")
        assert folder.path_from(folder) == b"/"

    def test_mounts(self, overlay: Overlay) -> None:
        other = Overlay(Clock(), None)
        other.root.make(b"inside", stat.S_IFREG | 0o644, ROOT)
        folder = find(overlay, b"folder")
        assert isinstance(folder, Directory)
        mount(folder, other.root, "ufs")
        assert find(overlay, b"folder/inside").full_path() == b"/folder/inside"  # type: ignore[attr-defined]
        assert find(overlay, b"folder/..") is overlay.root
        expect(errno.ENOENT, find, overlay, b"folder/one")

    @pytest.mark.parametrize(("mode", "who", "wanted", "granted"), [
        (0o640, Credentials(5, 5), READ | WRITE, True), (0o640, Credentials(6, 5), READ, True),
        (0o640, Credentials(6, 5), WRITE, False), (0o640, Credentials(6, 6), READ, False),
        (0o604, Credentials(6, 5), READ, False), (0o640, Credentials(6, 6, (5,)), READ, True),
        (0o000, ROOT, READ | WRITE, True), (0o644, ROOT, EXECUTE, False), (0o100, ROOT, EXECUTE, True)])
    def test_permissions(self, overlay: Overlay, mode: int, who: Credentials, wanted: int,
                         granted: bool) -> None:
        node = overlay.root.make(b"f", stat.S_IFREG | mode, Credentials(5, 5))
        assert node.permits(who, wanted) == granted


class TestFiles:
    def test_offsets_belong_to_the_open_file(self, overlay: Overlay) -> None:
        table = FileTable(limit=8)
        number = table.add(find(overlay, b"two").open(os.O_RDWR, ROOT))  # type: ignore[attr-defined]
        copy = table.add(table.get(number))
        assert table.get(number).read(3) == b"sec"
        assert table.get(copy).read(9) == b"ond"
        table.close(number)
        assert table.get(copy).seek(-2, os.SEEK_END) == 4
        expect(errno.EBADF, table.get, number)
        expect(errno.EINVAL, table.get(copy).seek, -7, os.SEEK_END)

    def test_lowest_number_and_limits(self, overlay: Overlay) -> None:
        table = FileTable(limit=3)
        files = [find(overlay, b"two").open(os.O_RDONLY, ROOT) for _ in range(4)]  # type: ignore[attr-defined]
        assert [table.add(file) for file in files[:3]] == [0, 1, 2]
        expect(errno.EMFILE, table.add, files[3])
        table.close(1)
        assert table.add(files[3], close_on_exec=True) == 1
        child = table.fork()
        child.close_on_exec()
        assert list(child) == [0, 2] and list(table) == [0, 1, 2]

    def test_descriptors_take_memory_and_give_it_back(self, overlay: Overlay) -> None:
        heap = Budget(4 * DESCRIPTOR)
        table = FileTable(heap=heap)
        files = [find(overlay, b"two").open(os.O_RDONLY, ROOT) for _ in range(3)]  # type: ignore[attr-defined]
        for file in files[:2]:
            table.add(file)
        table.put(1, files[2])
        assert heap.used == 2 * DESCRIPTOR
        child = table.fork()
        assert heap.used == 4 * DESCRIPTOR
        expect(errno.ENOSPC, table.add, files[0])
        for number in (0, 1):
            table.close(number)
            child.close(number)
        assert heap.used == 0

    def test_directories_list_once(self, overlay: Overlay) -> None:
        file = overlay.root.open(os.O_RDONLY, ROOT)
        entries = [entry.name for _offset, entry in file.entries()]  # type: ignore[attr-defined]
        assert entries[:2] == [b".", b".."] and len(entries) == len(set(entries)) == 6


class TestPipes:
    def test_bounds_and_ends(self) -> None:
        reader, writer = pipe_ends(Attributes(stat.S_IFIFO | 0o600), 0)
        for file in (reader, writer):
            file.hold()
        expect(errno.EAGAIN, reader.read, 1)
        assert writer.write(bytes(CAPACITY + 5)) == CAPACITY
        expect(errno.EAGAIN, writer.write, b"x")
        assert len(reader.read(CAPACITY - 10)) == CAPACITY - 10
        writer.write(b"y" * 4096)
        writer.release()
        assert reader.read(1 << 20)[-4096:] == b"y" * 4096
        assert reader.read(1) == b"" and reader.poll() & POLLHUP

    def test_nobody_reads(self) -> None:
        reader, writer = pipe_ends(Attributes(stat.S_IFIFO | 0o600), 0)
        reader.hold()
        reader.release()
        expect(errno.EPIPE, writer.write, b"x")

    def test_small_writes_are_not_torn(self) -> None:
        _reader, writer = pipe_ends(Attributes(stat.S_IFIFO | 0o600), 0)
        writer.write(bytes(CAPACITY - 100))
        expect(errno.EAGAIN, writer.write, bytes(200))
        assert writer.write(bytes(5000)) == 100


class TestLocks:
    def test_ranges_split_and_conflict(self) -> None:
        table, one, other = LockTable(), object(), object()
        assert table.set(Lock(one, True, 0, 100))
        assert not table.set(Lock(other, False, 50, 60))
        table.clear(one, 40, 70)
        assert table.set(Lock(other, True, 40, 70))
        assert table.blocker(Lock(other, False, 0, 41)) == Lock(one, True, 0, 40)
        assert table.blocker(Lock(other, False, 69, 71)) == Lock(one, True, 70, 100)

    def test_shared_locks_go_together_and_upgrade(self) -> None:
        table, one, other = LockTable(), object(), object()
        assert table.set(Lock(one, False, 0, 10)) and table.set(Lock(other, False, 0, 10))
        assert not table.set(Lock(one, True, 0, 10))
        table.clear(other)
        assert table.set(Lock(one, True, 0, 10))


def connected(kind: int = SOCK_STREAM) -> tuple[Socket, Socket]:
    network, owner = Network(Loopback(Hooks())), Peer(1, 0, 0)
    one, other = (Socket(network, AF_UNIX, kind, owner) for _ in range(2))
    one.pair(other)
    return one, other


def text(socket: Socket, size: int = 100) -> bytes:
    segment, _length = socket.receive(size)
    return b"" if segment is None else bytes(segment.data)


class TestSockets:
    def test_streams_join_and_end(self) -> None:
        one, other = connected()
        one.send(Segment(bytearray(b"ab")))
        one.send(Segment(bytearray(b"cd")))
        assert text(other, 3) == b"abc" and text(other) == b"d"
        expect(errno.EAGAIN, other.receive, 1)
        one.shutdown(False, True)
        assert text(other) == b""
        other.close()
        expect(errno.EPIPE, one.send, Segment(bytearray(b"x")))

    def test_unread_bytes_reset_the_peer(self) -> None:
        one, other = connected()
        one.send(Segment(bytearray(b"ab")))
        other.close()
        expect(errno.ECONNRESET, one.receive, 1)

    @pytest.mark.parametrize("kind", [SOCK_STREAM, SOCK_DGRAM])
    def test_what_nobody_reads_gives_its_memory_back(self, kind: int) -> None:
        one, other = connected(kind)
        heap = one.network.wire.heap
        for size in (1, 100, 3000):
            if kind == SOCK_STREAM:
                one.send(Segment(bytearray(size)))
            else:
                one.deliver(other, Segment(bytearray(size)))
        assert heap.used > 3101
        text(other, 50)
        other.close()
        one.close()
        assert heap.used == 0

    def test_buffers_are_bounded(self) -> None:
        one, other = connected()
        while one.in_flight < one.buffer:
            assert one.send(Segment(bytearray(1 << 20))) == 3776 + 32768
        assert other.pending == 6 * (3776 + 32768)
        expect(errno.EAGAIN, one.send, Segment(bytearray(1)))
        assert len(text(other, 10)) == 10
        expect(errno.EAGAIN, one.send, Segment(bytearray(1)))  # the first part keeps its memory
        assert len(text(other, 3776 + 32768)) == 3776 + 32768
        assert one.send(Segment(bytearray(100))) == 100

    def test_loopback_ports(self) -> None:
        network, owner = Network(Loopback(Hooks())), Peer(1, 0, 0)
        listener, client, late = (Socket(network, AF_INET, SOCK_STREAM, owner) for _ in range(3))
        name = listener.local = network.claim(listener, Address(AF_INET, LOOPBACK))
        expect(errno.EADDRINUSE, network.claim, late, name)
        listener.listen(1)
        client.connect(listener, name)
        served = listener.accept()
        assert served.remote == client.local and served.local == name
        served.send(Segment(bytearray(b"hi")))
        assert text(client) == b"hi"
        listener.close()
        assert network.find(SOCK_STREAM, name) is None
        expect(errno.ECONNREFUSED, late.connect, listener, name)

    def test_datagrams_keep_their_limits(self) -> None:
        network, owner = Network(Loopback(Hooks())), Peer(1, 0, 0)
        one, other = (Socket(network, AF_INET, SOCK_DGRAM, owner) for _ in range(2))
        one.deliver(other, Segment(bytearray(b"long datagram"), Address(AF_INET, LOOPBACK, 9)))
        one.deliver(other, Segment(bytearray(b"next")))
        segment, length = other.receive(4)
        assert segment is not None and bytes(segment.data) == b"long" and length == 13
        assert segment.source == Address(AF_INET, LOOPBACK, 9)
        assert text(other) == b"next"
        expect(errno.EMSGSIZE, one.deliver, other, Segment(bytearray(70000)))


class TestEpoll:
    def test_level_edge_and_once(self) -> None:
        epoll, counter = EpollFile(AnonymousNode(b"[eventpoll]")), EventFile(0, os.O_NONBLOCK)
        epoll.add(3, counter, POLLIN, 7)
        assert epoll.collect(8) == []
        counter.write((5).to_bytes(8, "little"))
        assert epoll.collect(8) == epoll.collect(8) == [(POLLIN, 7)]
        epoll.modify(3, counter, POLLIN | EPOLLET, 7)
        assert epoll.collect(8) == [(POLLIN, 7)] and epoll.collect(8) == []
        epoll.modify(3, counter, POLLIN | EPOLLONESHOT, 8)
        assert epoll.collect(8) == [(POLLIN, 8)] and epoll.collect(8) == []
        expect(errno.EEXIST, epoll.add, 3, counter, POLLIN, 7)
        epoll.remove(3, counter)
        expect(errno.ENOENT, epoll.remove, 3, counter)
        assert counter.queue is not None and not counter.queue.sleepers

    def test_what_is_asked_of_the_host(self) -> None:
        """Of its files, which have no queue: the events that are wanted, and those that are told unasked."""
        epoll, counter = EpollFile(AnonymousNode(b"[eventpoll]")), EventFile(1, 0)
        ours, theirs = File(counter.vnode, os.O_RDWR), File(counter.vnode, os.O_RDWR)
        epoll.add(3, counter, POLLIN, 7)
        epoll.add(4, ours, POLLIN | EPOLLET, 8)
        epoll.add(5, theirs, EPOLLONESHOT, 9)
        assert epoll.host_interests() == [(ours, POLLIN | POLLERR | POLLHUP), (theirs, POLLERR | POLLHUP)]

    def test_a_closed_file_is_forgotten(self) -> None:
        epoll, counter = EpollFile(AnonymousNode(b"[eventpoll]")), EventFile(1, 0)
        counter.hold()
        epoll.add(3, counter, POLLIN, 7)
        counter.release()
        assert epoll.collect(8) == []

    def test_no_loops(self) -> None:
        one, other = (EpollFile(AnonymousNode(b"[eventpoll]")) for _ in range(2))
        one.add(3, other, POLLIN, 0)
        expect(errno.ELOOP, other.add, 4, one, POLLIN, 0)

    def test_a_closed_one_watches_no_more(self) -> None:
        """It gives its memory back, and counts for none of those that watch one another in a row."""
        heap, counter = Budget(1 << 20), EventFile(0, 0)
        first, second, third, *below = (EpollFile(AnonymousNode(b"[eventpoll]"), heap) for _ in range(7))
        for upper, lower in pairwise([first, second, third]):
            upper.hold()
            upper.add(3, lower, POLLIN, 0)
        third.hold()
        third.add(4, counter, POLLIN, 0)
        for upper, lower in pairwise(below):
            upper.add(3, lower, POLLIN, 0)
        expect(errno.ELOOP, third.add, 5, below[0], POLLIN, 0)
        before = heap.used
        first.release()
        second.release()
        assert before - heap.used == 2 * WATCH
        third.add(5, below[0], POLLIN, 0)
        third.release()
        assert counter.queue is not None and not counter.queue.sleepers
        assert heap.used == 3 * WATCH


@pytest.mark.parametrize(("mode", "who", "folder", "file", "right"), [
    (0o777, 7, 5, 6, True), (0o1777, 7, 5, 6, False), (0o1777, 7, 7, 6, True), (0o1777, 7, 5, 7, True),
    (0o1777, 0, 5, 6, True), (0o755, 7, 5, 7, False), (0o1755, 7, 5, 7, False), (0o1755, 7, 7, 6, True)])
def test_who_may_remove_a_file(mode: int, who: int, folder: int, file: int, right: bool,
                               overlay: Overlay) -> None:
    """Who may write to the directory; of a sticky one its owner and the file's alone."""
    directory = overlay.root.make(b"folder", stat.S_IFDIR | mode, Credentials(folder, folder))
    assert isinstance(directory, Directory)
    node = directory.make(b"file", stat.S_IFREG | 0o600, Credentials(file, file))
    try:
        _demand_removal(directory, node, Credentials(who, who))
    except OSError as error:
        assert not right and error.errno == (errno.EPERM if mode & 0o2 else errno.EACCES)
    else:
        assert right


def test_devices_have_other_names() -> None:
    """As an image lists them: the same device, with the numbers and rights of that in /dev."""
    vfs = Kernel().vfs
    who = Credentials()
    for kind, read in (("null", b""), ("zero", bytes(4)), ("full", bytes(4)), ("urandom", None)):
        vfs.add_device(f"/srv/some/{kind}", kind)
        node, model = (walk(View(vfs.root, vfs.root), vfs.root, path.encode(), who).existing
                       for path in (f"/srv/some/{kind}", f"/dev/{kind}"))
        assert (node.attributes.mode, node.attributes.rdev) == (model.attributes.mode, model.attributes.rdev)
        data = node.open(os.O_RDONLY, who).read(4)
        assert data == read if read is not None else data != model.open(os.O_RDONLY, who).read(4)
    with pytest.raises(KeyError):
        vfs.add_device("/srv/other", "tty")


def test_only_files_are_added_to() -> None:
    vfs = Kernel().vfs
    vfs.append("/tmp/no-such-file-yet", b"one\n")
    vfs.append("/tmp/no-such-file-yet", b"two\n")
    assert vfs.contents(b"/tmp/no-such-file-yet") == b"one\ntwo\n"
    with pytest.raises(OSError, match="Invalid argument"):
        vfs.append("/tmp", b"three\n")


def test_the_checksum_of_a_packet_makes_its_words_add_up() -> None:
    source, target = (Address(AF_INET, LOOPBACK, port) for port in (40000, 80))
    for size in (0, 1, 1300, 60000):
        header = Packet(source, target, UDP, size, b"").image()[:20]
        total = sum(struct.unpack(">10H", header))
        assert (total & 0xFFFF) + (total >> 16) == 0xFFFF
